// Copies of a vendor library's tables of virtual functions.
//
// Compilers write the address of such a table into every object of a class with virtual functions. The library is never
// linked, so the chip library has the tables itself, and fills them once that library is open. Used by generated code
// and meant for hand-written code too. C++17, no torch, no Python; Itanium C++ ABI, ELF.
#ifndef TORCHFL_TABLES_HPP
#define TORCHFL_TABLES_HPP

#include <algorithm>
#include <cstddef>
#include <link.h>

#include "torchfl/chip.hpp"

namespace torchfl {

// Fills a table of `words` pointers from the library's. The library's own may be shorter, where two functions that the
// header declares share a place; its size is read from the symbol.
inline void copy_table(const tfl_symbol& symbol, void** to, std::size_t words) {
  if (symbol.address == nullptr) return;
  Dl_info about;
  void* entry = nullptr;
  std::size_t bytes = words * sizeof(void*);
  if (dladdr1(symbol.address, &about, &entry, RTLD_DL_SYMENT) != 0 && entry != nullptr) {
    bytes = std::min(bytes, static_cast<std::size_t>(static_cast<const ElfW(Sym)*>(entry)->st_size));
  }
  std::memcpy(static_cast<void*>(to), symbol.address, bytes);
}

// Leaves the kernel where the library lacks a table, before an object is made that would have an empty one.
inline void needs(const tfl_symbol& symbol) {
  if (symbol.address == nullptr) throw MissingSymbol{symbol.name};
}

}  // namespace torchfl

#endif
