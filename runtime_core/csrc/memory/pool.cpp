// The size-class free lists. Small blocks are powers of two; large ones are multiples of 1 MiB and may serve a
// request that is up to a quarter smaller, so that a changing batch size does not grow the cache without bound.
#include "memory/pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "device/chip.h"

namespace torchfl {
namespace {

constexpr size_t kSmallest = 512, kLargeStep = size_t{1} << 20;
constexpr int kSmallClasses = std::bit_width(kLargeStep);  // indexed by log2

struct Pool {
  std::mutex mutex;
  std::array<std::vector<void*>, kSmallClasses> small;
  std::multimap<size_t, void*> large;
  MemoryStats stats;

  void add_reserved(int64_t bytes) {
    stats.reserved += bytes;
    stats.peak_reserved = std::max(stats.peak_reserved, stats.reserved);
  }
  void add_allocated(int64_t bytes) {
    stats.allocated += bytes;
    stats.peak_allocated = std::max(stats.peak_allocated, stats.allocated);
  }
};

Pool& pool_of(c10::DeviceIndex device) {
  static auto* pools = new std::array<Pool, 128>;  // one for each value of DeviceIndex; leaked, see exiting()
  return (*pools)[static_cast<size_t>(device)];
}

size_t size_class(size_t nbytes) {
  if (nbytes <= kSmallest) return kSmallest;
  if (nbytes <= kLargeStep) return std::bit_ceil(nbytes);
  return (nbytes + kLargeStep - 1) & ~(kLargeStep - 1);
}

// The caller holds the pool's mutex.
bool take_cached(Pool& pool, Block& block) {
  if (block.size <= kLargeStep) {
    auto& list = pool.small[std::countr_zero(block.size)];
    if (list.empty()) return false;
    block.handle = list.back();
    list.pop_back();
    return true;
  }
  auto found = pool.large.lower_bound(block.size);
  if (found == pool.large.end() || found->first > block.size + block.size / 4) return false;
  block.size = found->first;
  block.handle = found->second;
  pool.large.erase(found);
  return true;
}

// The caller holds the pool's mutex.
void give_back(Pool& pool, const Chip& chip, int32_t local) {
  if (pool.stats.reserved == pool.stats.allocated) return;
  if (chip.api().synchronize != nullptr) chip.api().synchronize(local);  // queued work may still use a cached block
  auto drop = [&](void* handle, size_t size) {
    chip.api().free(local, handle);
    pool.add_reserved(-static_cast<int64_t>(size));
  };
  for (size_t i = 0; i < pool.small.size(); ++i) {
    for (void* handle : pool.small[i]) drop(handle, size_t{1} << i);
    pool.small[i].clear();
  }
  for (auto& [size, handle] : pool.large) drop(handle, size);
  pool.large.clear();
}

}  // namespace

Block allocate_block(c10::DeviceIndex device, size_t nbytes) {
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  Pool& pool = pool_of(device);
  Block block;
  block.size = size_class(nbytes);
  std::lock_guard<std::mutex> lock(pool.mutex);
  if (!take_cached(pool, block)) {
    make_current(chip, local);
    tfl_status status = chip.api().alloc(local, block.size, &block.handle);
    if (status == TFL_OUT_OF_MEMORY) {
      give_back(pool, chip, local);
      status = chip.api().alloc(local, block.size, &block.handle);
    }
    if (status != TFL_OK) {
      const auto mib = [](uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
      chip.raise(status, "allocating " + std::to_string(block.size) + " bytes on device " + std::to_string(device) +
                             " (" + mib(pool.stats.allocated) + " in use by PyTorch)");
    }
    ++pool.stats.driver_allocations;
    pool.add_reserved(static_cast<int64_t>(block.size));
  }
  ++pool.stats.allocations;
  pool.add_allocated(static_cast<int64_t>(block.size));
  return block;
}

void release_block(c10::DeviceIndex device, Block block) noexcept {
  if (block.handle == nullptr || exiting() || !devices_started()) return;
  Pool& pool = pool_of(device);
  std::lock_guard<std::mutex> lock(pool.mutex);
  pool.add_allocated(-static_cast<int64_t>(block.size));
  if (block.size <= kLargeStep)
    pool.small[std::countr_zero(block.size)].push_back(block.handle);
  else
    pool.large.emplace(block.size, block.handle);
}

void empty_cache() {
  if (!devices_started()) return;
  const c10::DeviceIndex count = device_count();
  for (c10::DeviceIndex device = 0; device < count; ++device) {
    Chip& chip = chip_of(device);
    Pool& pool = pool_of(device);
    std::lock_guard<std::mutex> lock(pool.mutex);
    give_back(pool, chip, device - chip.first_device());
  }
}

MemoryStats memory_stats(c10::DeviceIndex device) {
  Pool& pool = pool_of(device);
  std::lock_guard<std::mutex> lock(pool.mutex);
  return pool.stats;
}

void reset_peak_stats(c10::DeviceIndex device) {
  Pool& pool = pool_of(device);
  std::lock_guard<std::mutex> lock(pool.mutex);
  pool.stats.peak_allocated = pool.stats.allocated;
  pool.stats.peak_reserved = pool.stats.reserved;
}

}  // namespace torchfl
