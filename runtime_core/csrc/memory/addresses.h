// Reserved address space that names device storages: unique among the living, and never mapped.
#pragma once

#include <cstddef>

namespace torchfl {

// A free address for `nbytes` > 0 bytes; `owner` is what owner_of() gives back. Throws std::bad_alloc when the
// reserved space is used up.
void* reserve_address(size_t nbytes, void* owner);
void return_address(void* address, size_t nbytes) noexcept;
// An address for `nbytes` > 0 serves all sizes of the same class; 0 is that of the smallest.
int address_class(size_t nbytes) noexcept;

// The owner of a reserved range that begins at `address`, or nullptr.
void* owner_of(const void* address) noexcept;

}  // namespace torchfl
