#include "memory/numbers.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "memory/spin_lock.h"

namespace torchfl {
namespace {

constexpr size_t kMost = 16, kMostBytes = size_t{16} << 10;  // 256 KiB in all

struct Entry {
  NumberKey key;
  at::Tensor tensor;  // undefined: it was wanted once
};

struct Numbers {
  SpinLock lock;
  size_t count = 0, next = 0;  // the oldest makes room
  std::array<Entry, kMost> entries;

  Entry* find(const NumberKey& key) {
    for (size_t i = 0; i < count; ++i)
      if (entries[i].key == key) return &entries[i];
    return nullptr;
  }
};

Numbers& numbers() {
  static auto* all = new Numbers;  // leaked: device memory is left to the system at exit
  return *all;
}

}  // namespace

std::optional<NumberKey> number_key(const at::Tensor& value, at::ScalarType dtype, at::IntArrayRef sizes,
                                    c10::DeviceIndex device) {
  if (sizes.size() > NumberKey::kMaxRank) return std::nullopt;
  size_t bytes = c10::elementSize(dtype);
  NumberKey key;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(sizes[i]), &bytes)) return std::nullopt;
    key.sizes[i] = sizes[i];
  }
  if (bytes > kMostBytes || value.itemsize() > sizeof key.value) return std::nullopt;
  std::memcpy(key.value.data(), value.const_data_ptr(), value.itemsize());
  key.from = value.scalar_type();
  key.to = dtype;
  key.rank = static_cast<uint8_t>(sizes.size());
  key.device = device;
  return key;
}

at::Tensor kept_number(const NumberKey& key) {
  Numbers& all = numbers();
  std::lock_guard<SpinLock> lock(all.lock);
  const Entry* found = all.find(key);
  return found != nullptr ? found->tensor : at::Tensor();
}

void keep_number(const NumberKey& key, const at::Tensor& made) {
  at::Tensor replaced;  // freed after the lock
  Numbers& all = numbers();
  std::lock_guard<SpinLock> lock(all.lock);
  if (Entry* known = all.find(key)) {
    replaced = std::exchange(known->tensor, made);
    return;
  }
  Entry& entry = all.entries[all.next];
  replaced = std::exchange(entry.tensor, at::Tensor());
  entry.key = key;
  all.next = (all.next + 1) % kMost;
  all.count = std::max(all.count, all.next == 0 ? kMost : all.next);
}

void forget_numbers() {
  std::vector<at::Tensor> dropped;
  dropped.reserve(kMost);  // no allocation under the lock
  Numbers& all = numbers();
  std::lock_guard<SpinLock> lock(all.lock);
  for (size_t i = 0; i < all.count; ++i) dropped.push_back(std::exchange(all.entries[i].tensor, at::Tensor()));
  all.count = all.next = 0;
}

}  // namespace torchfl
