// Helpers for kernels: range checks on what a vendor's C types can hold, and copies that a kernel makes itself.
//
// Everything here is used by generated kernels and meant for hand-written ones too. C++17, no torch, no Python.
#ifndef TORCHFL_KERNEL_HPP
#define TORCHFL_KERNEL_HPP

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

#include "torchfl/chip.hpp"
#include "torchfl/extents.hpp"
#include "torchfl/views.hpp"

namespace torchfl {

// Declines this call: the router goes on to its next layer. `why` shows in explain() and in the counters.
inline tfl_status unsupported(const char* why) { return fail(TFL_UNSUPPORTED, why); }

// For a kernel that nobody has written yet: declines, and says so on stderr the first time, so that a project that
// computes nothing on the chip does not go unnoticed. `told` is the kernel's own flag.
inline tfl_status unwritten(const char* kernel, bool* told) {
  if (!__atomic_exchange_n(told, true, __ATOMIC_RELAXED)) {
    std::fprintf(stderr, "torchfl: kernel %s is not written yet: every call of it is declined\n", kernel);
  }
  return fail(TFL_UNSUPPORTED, std::string(kernel) + " is not written yet");
}

// True if the integer type T holds `value`. Tensors count in 64 bits, many vendors in int.
template <class T>
constexpr bool fits(int64_t value) {
  static_assert(std::is_integral_v<T>, "an extent needs an integer type");
  if constexpr (std::is_unsigned_v<T>) {
    if (value < 0) return false;
    return static_cast<uint64_t>(value) <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  } else {
    return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
           value <= static_cast<int64_t>(std::numeric_limits<T>::max());
  }
}

// True if the integer type T holds a number as it is.
template <class T>
bool holds(double number) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 4, "a double holds every value of these");
  return number == std::floor(number) && number >= static_cast<double>(std::numeric_limits<T>::min()) &&
         number <= static_cast<double>(std::numeric_limits<T>::max());
}

// Writes `value` to a vendor's field or variable of any integer type; false, and nothing written, if it does not fit.
template <class T>
constexpr bool assign(T& to, int64_t value) {
  if (!fits<T>(value)) return false;
  to = static_cast<T>(value);
  return true;
}

// A number that the vendor reads through a pointer; as a temporary it lives until the call returns.
template <class T>
struct ByAddress {
  T value;
  operator T*() { return &value; }
};

// Fills an array from an int list, one entry per dimension, with `absent` for a missing list.
template <class T, int N>
bool assign_list(T (&to)[N], const tfl_attr& from, int64_t absent) {
  for (int i = 0; i < N; ++i) {
    if (!assign(to[i], at(from, i, absent))) return false;
  }
  return true;
}

// Room for the extents of one tensor, for vendor structs that hold a pointer to them.
struct ExtentSpace {
  static constexpr int32_t max_rank = 8;
  int64_t sizes[max_rank];
  int64_t strides[max_rank];
};

// Where a struct's extents are written: into its own array, or into `space`, which its pointer then points to.
template <class T, int N>
T* extents(T (&field)[N], int64_t*) {
  return field;
}
template <class T>
std::remove_const_t<T>* extents(T*& field, int64_t* space) {
  static_assert(sizeof(T) <= sizeof(int64_t) && std::is_integral_v<T>);
  auto* room = reinterpret_cast<std::remove_const_t<T>*>(space);
  field = room;
  return room;
}

// True if an int list, or a number that stands for one, holds nothing but `value`; an absent one counts as true.
inline bool all_equal(const tfl_attr& a, int64_t value) {
  if (a.kind != TFL_ATTR_INT_LIST) return integer(a, value) == value;
  for (int64_t i = 0; i < a.count; ++i) {
    if (a.list[i] != value) return false;
  }
  return true;
}

// The sizes of a tensor in an array of any integer type; false, where they do not fit.
template <class T, int N>
bool assign_sizes(T (&to)[N], const tfl_tensor& t) {
  if (t.rank > N) return false;
  for (int32_t i = 0; i < t.rank; ++i)
    if (!assign(to[i], t.sizes[i])) return false;
  return true;
}

// A dimension that counts from the front; -1 for one that does not exist.
inline int64_t dimension(const tfl_attr& dim, int32_t rank) {
  const int64_t wrapped = dim.i < 0 ? dim.i + rank : dim.i;
  return wrapped >= 0 && wrapped < rank ? wrapped : -1;
}

// An order of all dimensions, each counting from the front.
template <class T, int N>
bool assign_dimensions(T (&to)[N], const tfl_attr& dims, int32_t rank) {
  uint64_t mask = 0;
  if (rank > N || dims.count != rank || !dimension_mask(rank, dims, &mask)) return false;
  for (int32_t i = 0; i < rank; ++i)
    if (!assign(to[i], dims.list[i] < 0 ? dims.list[i] + rank : dims.list[i])) return false;
  return true;
}

// True if every given tensor of the call has the dtype of the first output.
inline bool same_dtype(const tfl_call& call) {
  const tfl_dtype dtype = call.outputs[0].dtype;
  for (uint32_t i = 0; i < call.num_inputs; ++i) {
    if (present(call.inputs[i]) && call.inputs[i].dtype != dtype) return false;
  }
  return true;
}

// True if two tensors begin at the same place: a kernel that is called in place.
inline bool same_memory(const tfl_tensor& a, const tfl_tensor& b) {
  return a.handle == b.handle && a.byte_offset == b.byte_offset;
}

// Where a tensor begins in its buffer object, in elements; the core keeps tensors aligned to their elements.
inline uint64_t element_offset(const tfl_tensor& t) {
  const uint64_t size = element_size(t.dtype);
  return size == 0 ? 0 : t.byte_offset / size;
}

// Sets a contiguous tensor to 0, for vendors that compute `... + 0 * out`: a NaN left in the memory would survive that.
// Without a fill function the memory stays as it is.
inline tfl_status clear(const tfl_device_api& api, const tfl_call& call, const tfl_tensor& t) {
  if (api.fill == nullptr || t.numel == 0) return TFL_OK;
  const uint64_t bytes = static_cast<uint64_t>(t.numel) * element_size(t.dtype);
  return api.fill(call.device, t.handle, t.byte_offset, 0, bytes, call.stream);
}

// A number in half precision, rounded to the nearest (ties to even), for vendors that take its bits.
inline uint16_t half_bits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000u);
  const double size = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00u;
  if (size >= 65520.0) return sign | 0x7c00u;
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);  // size is below 2^exponent and not below half of that
  const int unit = (exponent < -13 ? -13 : exponent) - 11;  // of the last place; subnormals share one
  const auto steps = static_cast<uint16_t>(std::nearbyint(std::ldexp(size, -unit)));
  return static_cast<uint16_t>(sign | (static_cast<uint16_t>((unit + 24) << 10) + steps));
}

// What half precision's bits stand for.
inline double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, steps = bits & 0x3ff;
  const double size = exponent == 0x1f ? (steps != 0 ? std::nan("") : std::numeric_limits<double>::infinity())
                      : exponent == 0  ? std::ldexp(steps, -24)
                                       : std::ldexp(steps + 0x400, exponent - 25);
  return bits & 0x8000u ? -size : size;
}

// The first element of a tensor, read from the device: for operands that are one number.
inline tfl_status first_number(const tfl_device_api& api, const tfl_call& call, const tfl_tensor& t, double* to) {
  union {
    float single;
    double twice;
    uint16_t half;
    uint32_t bits;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    int32_t i32;
  } value;
  const tfl_dtype dtype = t.dtype;
  const bool known = (dtype >= TFL_U8 && dtype <= TFL_I32) || (dtype >= TFL_F16 && dtype <= TFL_F64);
  if (!known || t.numel == 0) return unsupported("a number of another type");
  const tfl_status read = api.copy_d2h(call.device, &value, t.handle, t.byte_offset, element_size(dtype), call.stream);
  if (read != TFL_OK) return read;
  switch (dtype) {
    case TFL_U8: *to = value.u8; break;
    case TFL_I8: *to = value.i8; break;
    case TFL_I16: *to = value.i16; break;
    case TFL_I32: *to = value.i32; break;
    case TFL_F16: *to = half_value(value.half); break;
    case TFL_F64: *to = value.twice; break;
    case TFL_BF16: value.bits = static_cast<uint32_t>(value.half) << 16; [[fallthrough]];
    default: *to = value.single;
  }
  return TFL_OK;
}

// Copies `from`, of the same shape as `to` and perhaps expanded along its rows (stride 0), into the matrix `to`.
// `copy(dst, dst_offset, src, src_offset, bytes)` is the device's own copy within its memory. Rows must be dense.
// A bias of one row is doubled inside `to`, so that it costs log2(rows) copies and not one per row.
template <class Copy>
tfl_status copy_matrix(const tfl_tensor& from, const tfl_tensor& to, Copy&& copy) {
  if (from.rank != 2 || to.rank != 2 || from.dtype != to.dtype) return unsupported("not two matrices of one dtype");
  const int64_t rows = to.sizes[0], cols = to.sizes[1];
  if (from.sizes[0] != rows || from.sizes[1] != cols) return unsupported("matrices of different shapes");
  if (rows == 0 || cols == 0) return TFL_OK;
  if (cols > 1 && (from.strides[1] != 1 || to.strides[1] != 1)) return unsupported("a matrix whose rows are not dense");
  const uint64_t item = element_size(to.dtype);
  const uint64_t row = static_cast<uint64_t>(cols) * item;
  const uint64_t from_step = static_cast<uint64_t>(from.strides[0]) * item;
  const uint64_t to_step = static_cast<uint64_t>(to.strides[0]) * item;
  if (from.handle == to.handle && from.byte_offset == to.byte_offset && (rows == 1 || from_step == to_step)) return TFL_OK;

  const bool dense_to = rows == 1 || to_step == row;
  if (dense_to && (rows == 1 || from_step == row)) {
    return copy(to.handle, to.byte_offset, from.handle, from.byte_offset, row * static_cast<uint64_t>(rows));
  }
  if (dense_to && from_step == 0) {
    const uint64_t total = row * static_cast<uint64_t>(rows);
    tfl_status status = copy(to.handle, to.byte_offset, from.handle, from.byte_offset, row);
    for (uint64_t done = row; status == TFL_OK && done < total;) {
      const uint64_t more = done <= total - done ? done : total - done;
      status = copy(to.handle, to.byte_offset + done, to.handle, to.byte_offset, more);
      done += more;
    }
    return status;
  }
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t at_row = static_cast<uint64_t>(i);
    const tfl_status status =
        copy(to.handle, to.byte_offset + at_row * to_step, from.handle, from.byte_offset + at_row * from_step, row);
    if (status != TFL_OK) return status;
  }
  return TFL_OK;
}

}  // namespace torchfl

#endif
