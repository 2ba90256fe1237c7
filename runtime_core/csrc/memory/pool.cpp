// The size-class free lists. Small blocks are powers of two; large ones are multiples of 1 MiB and may serve a
// request that is up to a quarter smaller, so that a changing batch size does not grow the cache without bound.
#include "memory/pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "device/chip.h"
#include "memory/spin_lock.h"

namespace torchfl {

constexpr size_t kSmallest = 512, kLargeStep = size_t{1} << 20;
constexpr int kSmallClasses = std::bit_width(kLargeStep);  // indexed by log2
constexpr size_t kPage = 4096;                              // mapping host memory goes by pages

struct Memory {
  void* handle;
  void* host;  // nullptr where the device's memory is its own
};

// `lock` guards the members and is never held across a driver call; `driver` keeps those in one row, so that two
// threads that run out of memory do not both empty the cache under each other.
struct Pool {
  SpinLock lock;
  std::mutex driver;
  std::array<std::vector<Memory>, kSmallClasses> small;
  std::multimap<size_t, Memory> large;
  BlockOwner* owners = nullptr;
  MemoryStats stats;

  // The caller holds `lock` for all of these.

  bool take_cached(Block& block) {
    if (block.size <= kLargeStep) {
      auto& list = small[std::countr_zero(block.size)];
      if (list.empty()) return false;
      block.handle = list.back().handle;
      block.host = list.back().host;
      list.pop_back();
      return true;
    }
    auto found = large.lower_bound(block.size);
    if (found == large.end() || found->first > block.size + block.size / 4) return false;
    block.size = found->first;
    block.handle = found->second.handle;
    block.host = found->second.host;
    large.erase(found);
    return true;
  }

  void put_cached(const Block& block) {
    if (block.size <= kLargeStep)
      small[std::countr_zero(block.size)].push_back({block.handle, block.host});
    else
      large.emplace(block.size, Memory{block.handle, block.host});
  }

  std::vector<Memory> take_all_cached() {
    std::vector<Memory> cached;
    uint64_t bytes = 0;
    for (size_t i = 0; i < small.size(); ++i) {
      cached.insert(cached.end(), small[i].begin(), small[i].end());
      bytes += small[i].size() << i;
      small[i].clear();
    }
    for (const auto& [size, memory] : large) {
      cached.push_back(memory);
      bytes += size;
    }
    large.clear();
    stats.reserved -= bytes;
    return cached;
  }

  void link(BlockOwner& owner, const Block& block) {
    owner.block = block;
    owner.previous_ = nullptr;
    owner.next_ = owners;
    if (owners != nullptr) owners->previous_ = &owner;
    owners = &owner;
    ++stats.allocations;
    stats.allocated += block.size;
    stats.peak_allocated = std::max(stats.peak_allocated, stats.allocated);
  }

  void unlink(BlockOwner& owner) {
    (owner.previous_ != nullptr ? owner.previous_->next_ : owners) = owner.next_;
    if (owner.next_ != nullptr) owner.next_->previous_ = owner.previous_;
    stats.allocated -= owner.block.size;
  }

  void list_owners(std::vector<BlockOwner*>& into) const {
    for (BlockOwner* owner = owners; owner != nullptr; owner = owner->next_) into.push_back(owner);
  }
};

namespace {

using Locked = std::lock_guard<SpinLock>;

std::array<Pool, 128>& pools() {
  static auto* all = new std::array<Pool, 128>;  // one for each value of DeviceIndex; leaked, see exiting()
  return *all;
}

Pool& pool_of(c10::DeviceIndex device) { return pools()[static_cast<size_t>(device)]; }

size_t size_class(size_t nbytes, size_t smallest) {
  if (nbytes <= smallest) return smallest;
  if (nbytes <= kLargeStep) return std::bit_ceil(nbytes);
  return (nbytes + kLargeStep - 1) & ~(kLargeStep - 1);
}

tfl_status take_memory(const Chip& chip, int32_t local, Block& block) {
  if (!chip.mapped()) return chip.api().alloc(local, block.size, &block.handle);
  block.host = std::aligned_alloc(kPage, block.size);
  if (block.host == nullptr) return TFL_OUT_OF_MEMORY;
  const tfl_status status = chip.api().map_host(local, block.host, block.size, &block.handle);
  if (status != TFL_OK) std::free(std::exchange(block.host, nullptr));
  return status;
}

void unmap_memory(const Chip& chip, int32_t local, const Memory& memory) noexcept {
  if (chip.api().unmap_host != nullptr) chip.api().unmap_host(local, memory.host, memory.handle);
}

// The caller holds `driver`.
void give_back_cached(Pool& pool, const Chip& chip, int32_t local) {
  std::vector<Memory> cached;
  {
    Locked lock(pool.lock);
    cached = pool.take_all_cached();
  }
  if (cached.empty()) return;
  if (chip.api().synchronize != nullptr) chip.api().synchronize(local);  // queued work may still use a cached block
  for (const Memory& memory : cached) {
    if (memory.host == nullptr) {
      chip.api().free(local, memory.handle);
    } else {
      unmap_memory(chip, local, memory);
      std::free(memory.host);
    }
  }
}

void allocate_from_driver(Pool& pool, c10::DeviceIndex device, Block& block) {
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  std::lock_guard<std::mutex> one_at_a_time(pool.driver);
  make_current(chip, local);
  tfl_status status = take_memory(chip, local, block);
  if (status == TFL_OUT_OF_MEMORY) {
    give_back_cached(pool, chip, local);
    status = take_memory(chip, local, block);
  }
  if (status != TFL_OK)
    chip.raise(status, "allocating " + std::to_string(block.size) + " bytes on device " + std::to_string(device) + " (" +
                           std::to_string(memory_stats(device).allocated >> 20) + " MiB in use by PyTorch)");
  Locked lock(pool.lock);
  ++pool.stats.driver_allocations;
  pool.stats.reserved += block.size;
  pool.stats.peak_reserved = std::max(pool.stats.peak_reserved, pool.stats.reserved);
}

}  // namespace

void allocate_block(c10::DeviceIndex device, size_t nbytes, BlockOwner& owner) {
  ensure_devices();
  Pool& pool = pool_of(device);
  Block block;
  block.size = size_class(nbytes, chip_of(device).mapped() ? kPage : kSmallest);
  {
    Locked lock(pool.lock);
    if (pool.take_cached(block)) {
      pool.link(owner, block);
      return;
    }
  }
  allocate_from_driver(pool, device, block);
  Locked lock(pool.lock);
  pool.link(owner, block);
}

void release_block(c10::DeviceIndex device, BlockOwner& owner) noexcept {
  if (owner.block.handle == nullptr || exiting() || !devices_started()) return;
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  pool.unlink(owner);
  pool.put_cached(owner.block);
  owner.block = Block{};
}

void detach_block(c10::DeviceIndex device, BlockOwner& owner) noexcept {
  Pool& pool = pool_of(device);
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  if (chip.api().synchronize != nullptr) chip.api().synchronize(local);
  unmap_memory(chip, local, {owner.block.handle, owner.block.host});
  Locked lock(pool.lock);
  pool.unlink(owner);
  pool.stats.reserved -= owner.block.size;
  owner.block = Block{};
}

std::vector<BlockOwner*> block_owners() {
  std::vector<BlockOwner*> all;
  for (Pool& pool : pools()) {
    Locked lock(pool.lock);
    pool.list_owners(all);
  }
  return all;
}

void empty_cache() {
  if (!devices_started()) return;
  const c10::DeviceIndex count = device_count();
  for (c10::DeviceIndex device = 0; device < count; ++device) {
    Chip& chip = chip_of(device);
    Pool& pool = pool_of(device);
    std::lock_guard<std::mutex> one_at_a_time(pool.driver);
    give_back_cached(pool, chip, device - chip.first_device());
  }
}

MemoryStats memory_stats(c10::DeviceIndex device) {
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  return pool.stats;
}

void reset_peak_stats(c10::DeviceIndex device) {
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  pool.stats.peak_allocated = pool.stats.allocated;
  pool.stats.peak_reserved = pool.stats.reserved;
}

}  // namespace torchfl
