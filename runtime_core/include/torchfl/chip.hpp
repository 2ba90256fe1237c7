// The header-only C++ layer over chip.h that generated and hand-written kernels use.
//
// It gives typed vendor symbols that count calls, typed access to a call's tensors and attributes, and the
// boundary that turns exceptions into statuses. C++17, no torch, no Python.
#ifndef TORCHFL_CHIP_HPP
#define TORCHFL_CHIP_HPP

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "torchfl/chip.h"

namespace torchfl {

// The calling thread's error text, reported by last_error() when the vendor has none of its own.
inline std::string& error_text() {
  thread_local std::string text;
  return text;
}

inline tfl_status fail(tfl_status status, std::string text) {
  error_text() = std::move(text);
  return status;
}

inline void copy_text(const char* from, char* to, uint64_t size) {
  if (size == 0) return;
  std::snprintf(to, size, "%s", from ? from : "");
}

// Thrown by Symbol::operator() when the vendor's library lacks the function; guard() turns it into TFL_MISSING_SYMBOL.
struct MissingSymbol {
  const char* name;
};

// Leaves a kernel from within an expression, with a status whose text is set already; guard() returns it.
struct Left {
  tfl_status status;
};

// A vendor function in the counting table. Signature is decltype(&vendor_function), so a change of the
// vendor's header is a compile error here, not a crash on the board.
template <class Signature>
class Symbol;

template <class R, class... P>
class Symbol<R (*)(P...)> {
 public:
  // `success` is what a no-op returns: the vendor's success value.
  explicit constexpr Symbol(tfl_symbol* slot, R success) : slot_(slot), success_(success) {}

  R operator()(P... args) const {
    __atomic_fetch_add(&slot_->calls, uint64_t{1}, __ATOMIC_RELAXED);
    if (slot_->address == nullptr) throw MissingSymbol{slot_->name};
    if (__atomic_load_n(&slot_->mode, __ATOMIC_RELAXED) == TFL_SYMBOL_NOOP) return success_;
    return reinterpret_cast<R (*)(P...)>(slot_->address)(std::forward<P>(args)...);
  }

  explicit operator bool() const { return slot_->address != nullptr; }

 private:
  tfl_symbol* slot_;
  R success_;
};

template <class... P>
class Symbol<void (*)(P...)> {
 public:
  explicit constexpr Symbol(tfl_symbol* slot) : slot_(slot) {}

  void operator()(P... args) const {
    __atomic_fetch_add(&slot_->calls, uint64_t{1}, __ATOMIC_RELAXED);
    if (slot_->address == nullptr) throw MissingSymbol{slot_->name};
    if (__atomic_load_n(&slot_->mode, __ATOMIC_RELAXED) == TFL_SYMBOL_NOOP) return;
    reinterpret_cast<void (*)(P...)>(slot_->address)(std::forward<P>(args)...);
  }

  explicit operator bool() const { return slot_->address != nullptr; }

 private:
  tfl_symbol* slot_;
};

// Functions declared noexcept have their own type since C++17.
template <class R, class... P>
class Symbol<R (*)(P...) noexcept> : public Symbol<R (*)(P...)> {
  using Symbol<R (*)(P...)>::Symbol;
};

// A vendor function that makes an object of a class, for the constructor of one too: there is no object that a no-op could
// make, so it leaves the kernel, and the results are what they were.
template <class Signature>
class Maker;

template <class R, class... P>
class Maker<R (*)(P...)> {
 public:
  explicit constexpr Maker(tfl_symbol* slot) : slot_(slot) {}

  R operator()(P... args) const {
    __atomic_fetch_add(&slot_->calls, uint64_t{1}, __ATOMIC_RELAXED);
    if (slot_->address == nullptr) throw MissingSymbol{slot_->name};
    if (__atomic_load_n(&slot_->mode, __ATOMIC_RELAXED) == TFL_SYMBOL_NOOP) throw Left{TFL_OK};
    return reinterpret_cast<R (*)(P...)>(slot_->address)(std::forward<P>(args)...);
  }

  explicit operator bool() const { return slot_->address != nullptr; }

 private:
  tfl_symbol* slot_;
};

template <class R, class... P>
class Maker<R (*)(P...) noexcept> : public Maker<R (*)(P...)> {
  using Maker<R (*)(P...)>::Maker;
};

// A function's type without noexcept, which headers promise in C++ and not in C.
template <class F>
struct PlainFunction {
  using type = F;
};
template <class R, class... P>
struct PlainFunction<R (*)(P...) noexcept> {
  using type = R (*)(P...);
};

// Opens the libraries at `paths`, one a line, and fills the addresses of a symbol table from the first that has each.
// A symbol that is absent stays NULL and costs only the ops that need it. RTLD_LOCAL keeps the vendor's names away from
// torch's own (libtorch exports BLAS names). `library` gets the first.
inline tfl_status open_library(const char* paths, void** library, tfl_symbol* symbols, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) symbols[i].address = nullptr;
  const char* line = paths;
  do {
    const char* const end = strchr(line, '\n');
    const std::string path = end != nullptr ? std::string(line, end) : std::string(line);
    dlerror();
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = dlerror();
      return fail(TFL_NO_DRIVER, why ? why : "dlopen failed for " + path);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (symbols[i].address == nullptr) symbols[i].address = dlsym(handle, symbols[i].name);
    }
    if (line == paths) *library = handle;
    line = end != nullptr ? end + 1 : nullptr;
  } while (line != nullptr);
  return TFL_OK;
}

// The pointer to a tensor's first element, for vendors whose handles are addresses.
template <class T = void>
inline T* data(const tfl_tensor& t) {
  return t.handle == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<char*>(t.handle) + t.byte_offset);
}

// False for an optional tensor that was not given.
inline bool present(const tfl_tensor& t) { return t.rank >= 0; }

inline constexpr uint64_t element_size(tfl_dtype dtype) {
  constexpr uint64_t size[TFL_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return dtype >= 0 && dtype < TFL_DTYPE_COUNT ? size[dtype] : 0;
}

inline double number(const tfl_attr& a, double absent) {
  if (a.kind == TFL_ATTR_NONE) return absent;
  return a.kind == TFL_ATTR_FLOAT ? a.f : static_cast<double>(a.i);
}

inline int64_t integer(const tfl_attr& a, int64_t absent) {
  if (a.kind == TFL_ATTR_NONE) return absent;
  return a.kind == TFL_ATTR_FLOAT ? static_cast<int64_t>(a.f) : a.i;
}

// Entry `index` of an int list; a list of one value stands for every dimension, as in PyTorch.
inline int64_t at(const tfl_attr& a, int64_t index, int64_t absent) {
  if (a.kind != TFL_ATTR_INT_LIST) return integer(a, absent);
  if (a.count == 0) return absent;
  return a.list[index < a.count ? index : a.count - 1];
}

// A 2-D tensor as BLAS sees it. `transposed` means the memory holds the transpose in row-major order.
// Returns false where neither dimension has unit stride.
struct Matrix {
  bool transposed;
  int64_t leading_dimension;
};
inline bool as_matrix(const tfl_tensor& t, Matrix* out) {
  if (t.rank != 2) return false;
  const int64_t rows = t.sizes[0], cols = t.sizes[1];
  const int64_t least_row = cols > 1 ? cols : 1, least_col = rows > 1 ? rows : 1;
  if ((t.strides[1] == 1 || cols <= 1) && (t.strides[0] >= least_row || rows <= 1)) {
    *out = {false, rows <= 1 ? least_row : t.strides[0]};
    return true;
  }
  if ((t.strides[0] == 1 || rows <= 1) && (t.strides[1] >= least_col || cols <= 1)) {
    *out = {true, cols <= 1 ? least_col : t.strides[1]};
    return true;
  }
  return false;
}

// Runs `body`, which returns a tfl_status, and lets no exception cross the C boundary.
template <class Body>
inline tfl_status guard(Body&& body) noexcept {
  try {
    return body();
  } catch (const Left& e) {
    return e.status;
  } catch (const MissingSymbol& e) {
    return fail(TFL_MISSING_SYMBOL, std::string("the runtime library has no symbol '") + e.name + "'");
  } catch (const std::exception& e) {
    return fail(TFL_INTERNAL, e.what());
  } catch (...) {
    return fail(TFL_INTERNAL, "unknown C++ exception");
  }
}

}  // namespace torchfl

#endif
