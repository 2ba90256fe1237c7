// Numbers as kernels take them: x + 1 wants a tensor of ones beside x, on the device.
//
// Programs use few numbers, again and again. What was made for the same number and shape twice is kept for the next time,
// within bounds; empty_cache() drops it. Nothing writes to such a tensor: ops get it as an input alone.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>

namespace torchfl {

// What tells one such tensor from another.
struct NumberKey {
  static constexpr size_t kMaxRank = 4;
  std::array<uint64_t, 2> value{};  // the number's own bytes
  std::array<int64_t, kMaxRank> sizes{};
  at::ScalarType from, to;
  uint8_t rank;
  c10::DeviceIndex device;

  bool operator==(const NumberKey&) const = default;
};

// For the CPU scalar `value` as a contiguous tensor of `sizes` and `dtype`; nullopt where that is too big to keep.
std::optional<NumberKey> number_key(const at::Tensor& value, at::ScalarType dtype, at::IntArrayRef sizes,
                                    c10::DeviceIndex device);

at::Tensor kept_number(const NumberKey& key);  // undefined where none is kept
// Notes that `made` was needed, and keeps it if that is not the first time.
void keep_number(const NumberKey& key, const at::Tensor& made);
void forget_numbers();

}  // namespace torchfl
