// The size-class free lists. Small blocks are powers of two; large ones are multiples of 1 MiB and may serve a
// request that is up to a quarter smaller, so that a changing batch size does not grow the cache without bound.
#include "memory/pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "device/activity.h"
#include "device/chip.h"
#include "memory/evict.h"
#include "memory/numbers.h"
#include "memory/retired.h"
#include "memory/spin_lock.h"

namespace torchfl {

constexpr size_t kSmallest = 512, kLargeStep = size_t{1} << 20;
constexpr int kSmallClasses = std::bit_width(kLargeStep);  // indexed by log2
constexpr size_t kPage = 4096;                              // mapping host memory goes by pages
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// What is parked: at most 4 MiB for each device.
constexpr int kSmallestParked = std::countr_zero(kSmallest), kParkedClasses = 8;
constexpr size_t kMostParked = 32;  // of a class

// How long an allocation waits for other threads' ops, which use what the device holds and give it back when they end.
constexpr std::chrono::seconds kPatience{1};

struct Memory {
  void* handle;
  void* host;  // nullptr where the device's memory is its own
};

// A dead box or the like, kept whole with its block.
struct Parked {
  BlockOwner* owner;
  void* what;
  void (*discard)(void*) noexcept;
};

int parked_class(size_t nbytes) {
  return std::max(static_cast<int>(std::bit_width(nbytes - 1)) - kSmallestParked, 0);
}

// `lock` guards the members and is never held across a driver call; `driver` keeps those in one row, so that two
// threads that run out of memory do not both empty the cache under each other.
struct Pool {
  SpinLock lock;
  std::mutex driver;
  std::array<std::vector<Memory>, kSmallClasses> small;
  std::multimap<size_t, Memory> large;
  std::array<std::array<Parked, kMostParked>, kParkedClasses> parked;
  std::array<size_t, kParkedClasses> num_parked{};
  BlockOwner* owners = nullptr;  // with those that are parked
  MemoryStats stats;
  uint64_t limit = kNoLimit;  // of what is reserved

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
    stats.reserved.remove(bytes);
    stats.segments.remove(cached.size());
    return cached;
  }

  // Discarding them gives their blocks back to the cache.
  std::vector<Parked> take_all_parked() {
    std::vector<Parked> all;
    for (int i = 0; i < kParkedClasses; ++i)
      for (; num_parked[i] != 0; all.push_back(parked[i][--num_parked[i]])) {
      }
    for (const Parked& one : all) {
      one.owner->parked_ = false;
      stats.allocated.current += one.owner->block.size;  // as if it had not been parked; nothing is handed out
      ++stats.blocks.current;
    }
    return all;
  }

  bool park(int index, const Parked& what) {
    if (what.owner->block.handle == nullptr || claimed(*what.owner)) return false;
    const size_t size = kSmallest << index;
    if (what.owner->block.size != (what.owner->block.host != nullptr ? std::max(size, kPage) : size)) return false;
    what.owner->parked_ = true;
    count_release(what.owner->block.size);
    parked[index][num_parked[index]++] = what;
    return true;
  }

  void* unpark(int index) {
    const Parked& last = parked[index][--num_parked[index]];
    last.owner->parked_ = false;
    count_allocation(last.owner->block.size);
    return last.what;
  }

  void count_allocation(size_t size) {
    allocations_clock.store(allocations_clock.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    stats.allocated.add(size);
    stats.blocks.add(1);
  }

  void count_release(size_t size) {
    stats.allocated.remove(size);
    stats.blocks.remove(1);
  }

  void link(BlockOwner& owner, const Block& block) {
    owner.block = block;
    owner.previous_ = nullptr;
    owner.next_ = owners;
    if (owners != nullptr) owners->previous_ = &owner;
    owners = &owner;
    count_allocation(block.size);
  }

  void unlink(BlockOwner& owner) {
    (owner.previous_ != nullptr ? owner.previous_->next_ : owners) = owner.next_;
    if (owner.next_ != nullptr) owner.next_->previous_ = owner.previous_;
    count_release(owner.block.size);
  }

  // `owner` has the block and the place of `from`, which has none then.
  void move(BlockOwner& from, BlockOwner& owner) {
    owner.block = std::exchange(from.block, Block{});
    owner.previous_ = from.previous_;
    owner.next_ = from.next_;
    (owner.previous_ != nullptr ? owner.previous_->next_ : owners) = &owner;
    if (owner.next_ != nullptr) owner.next_->previous_ = &owner;
  }

  void claim(const std::function<bool(BlockOwner&)>& wanted, std::vector<BlockOwner*>* into) {
    for (BlockOwner* owner = owners; owner != nullptr; owner = owner->next_)
      if (!owner->parked_ && !owner->claimed_.load(std::memory_order_relaxed) && wanted(*owner)) {
        owner->claimed_.store(true, std::memory_order_relaxed);
        into->push_back(owner);
      }
  }
  static bool claimed(const BlockOwner& owner) { return owner.claimed_.load(std::memory_order_acquire); }
  static void unclaim(BlockOwner& owner) { owner.claimed_.store(false, std::memory_order_release); }
};

namespace {

using Locked = std::lock_guard<SpinLock>;

std::array<std::atomic<Pool*>, 128> pools;  // one for each value of DeviceIndex, made when it is wanted; leaked, see exiting()

C10_NOINLINE Pool& make_pool(std::atomic<Pool*>& slot) {
  auto made = std::make_unique<Pool>();
  Pool* other = nullptr;
  return slot.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel) ? *made.release() : *other;
}

Pool& pool_of(c10::DeviceIndex device) {
  std::atomic<Pool*>& slot = pools[static_cast<size_t>(device)];
  Pool* known = slot.load(std::memory_order_acquire);
  return C10_LIKELY(known != nullptr) ? *known : make_pool(slot);
}

size_t size_class(size_t nbytes, size_t smallest) {
  if (nbytes <= smallest) return smallest;
  if (nbytes <= kLargeStep) return std::bit_ceil(nbytes);
  return (nbytes + kLargeStep - 1) & ~(kLargeStep - 1);
}

tfl_status take_memory(Pool& pool, const Chip& chip, int32_t local, Block& block) {
  {
    Locked lock(pool.lock);  // the caller holds `driver`, so that nobody else reserves meanwhile
    if (pool.stats.reserved.current + block.size > pool.limit) return TFL_OUT_OF_MEMORY;
  }
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

void discard_parked(Pool& pool) {
  std::vector<Parked> parked;
  {
    Locked lock(pool.lock);
    parked = pool.take_all_parked();
  }
  for (const Parked& one : parked) one.discard(one.what);
}

// The caller holds `driver`.
void give_back_cached(Pool& pool, const Chip& chip, int32_t local) {
  discard_parked(pool);
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

[[noreturn]] void raise_failure(Pool& pool, c10::DeviceIndex device, tfl_status status, size_t bytes) {
  MemoryStats stats;
  uint64_t limit;
  {
    Locked lock(pool.lock);
    limit = pool.limit;
    if (status == TFL_OUT_OF_MEMORY) ++pool.stats.failures;
    stats = pool.stats;
  }
  std::string text = "allocating " + std::to_string(bytes) + " bytes on device " + std::to_string(device) + " (" +
                     std::to_string(stats.allocated.current >> 20) + " MiB in use by PyTorch";
  if (limit != kNoLimit) text += " of the " + std::to_string(limit >> 20) + " MiB that this process may use";
  if (stats.evictions != 0) text += ", after " + std::to_string(stats.evictions) + " evictions";
  chip_of(device).raise(status, text + ")");
}

// Puts memory from the chip, or from the cache when something was evicted into it, in `block`.
void allocate_from_driver(Pool& pool, c10::DeviceIndex device, Block& block) {
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  const ShortOfMemory until_done;
  std::lock_guard<std::mutex> one_at_a_time(pool.driver);
  make_current(chip, local);
  tfl_status status = take_memory(pool, chip, local, block);
  if (status == TFL_OUT_OF_MEMORY) {
    {
      Locked lock(pool.lock);
      ++pool.stats.retries;
    }
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    OtherOps others;
    do {
      others = other_ops();  // first: one that ends while this looks for memory may have had it
      release_retired();
      {
        Locked lock(pool.lock);
        if (pool.take_cached(block)) return;
      }
      give_back_cached(pool, chip, local);
      status = take_memory(pool, chip, local, block);
    } while (status == TFL_OUT_OF_MEMORY && (evict(device, block.size) || wait_for_other_ops(others, patience)));
  }
  if (status != TFL_OK) raise_failure(pool, device, status, block.size);
  Locked lock(pool.lock);
  pool.stats.segments.add(1);
  pool.stats.reserved.add(block.size);
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

bool release_block(c10::DeviceIndex device, BlockOwner& owner) noexcept {
  // Read without the lock: one that evicts the block may be about to take it, and has claimed the owner then.
  if (std::atomic_ref<void*>(owner.block.handle).load(std::memory_order_acquire) == nullptr) {
    if (C10_LIKELY(!Pool::claimed(owner))) return false;  // in this order: the claim outlasts the block
  }
  if (exiting() || !devices_started()) return false;
  Pool& pool = pool_of(device);
  for (;;) {
    {
      Locked lock(pool.lock);
      if (C10_LIKELY(!Pool::claimed(owner))) {
        if (owner.block.handle == nullptr) return false;
        pool.unlink(owner);
        pool.put_cached(owner.block);
        owner.block = Block{};
        return true;
      }
    }
    sched_yield();  // one that claims works for no longer than a copy
  }
}

void release_claimed(c10::DeviceIndex device, BlockOwner& owner) noexcept {
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  pool.unlink(owner);
  pool.put_cached(owner.block);
  std::atomic_ref<void*>(owner.block.handle).store(nullptr, std::memory_order_release);  // see release_block()
  owner.block.host = nullptr;
  owner.block.offset = owner.block.size = 0;
}

void unclaim(BlockOwner& owner) noexcept { Pool::unclaim(owner); }

void detach_block(c10::DeviceIndex device, BlockOwner& owner) noexcept {
  Pool& pool = pool_of(device);
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  if (chip.api().synchronize != nullptr) chip.api().synchronize(local);
  unmap_memory(chip, local, {owner.block.handle, owner.block.host});
  Locked lock(pool.lock);
  pool.unlink(owner);
  pool.stats.reserved.remove(owner.block.size);
  pool.stats.segments.remove(1);
  owner.block = Block{};
}

bool park_block(c10::DeviceIndex device, size_t nbytes, const BlockOwner& evictable, void* what,
                BlockOwner* (*owner_of)(void*) noexcept, void (*discard)(void*) noexcept) noexcept {
  const int index = parked_class(nbytes);
  if (index >= kParkedClasses || !devices_started()) return false;
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  if (pool.num_parked[index] == kMostParked || Pool::claimed(evictable)) return false;
  BlockOwner* owner = owner_of(what);
  return owner != nullptr && pool.park(index, {owner, what, discard});
}

void* take_parked_block(c10::DeviceIndex device, size_t nbytes, DeviceUses& uses) {
  if (nbytes == 0) return nullptr;
  const int index = parked_class(nbytes);
  if (index >= kParkedClasses) return nullptr;
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  const size_t count = pool.num_parked[index];
  if (count == 0 || C10_UNLIKELY(!uses.add(pool.parked[index][count - 1].owner))) return nullptr;
  return pool.unpark(index);
}

void drop_parked() {
  for (const std::atomic<Pool*>& slot : pools)
    if (Pool* pool = slot.load(std::memory_order_acquire)) discard_parked(*pool);
}

void hand_over_block(c10::DeviceIndex device, BlockOwner& from, BlockOwner& to) noexcept {
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  pool.move(from, to);
}

bool relieve(c10::DeviceIndex device) {
  const ShortOfMemory until_done;
  const OtherOps others = other_ops();
  release_retired();
  Pool& pool = pool_of(device);
  Chip& chip = chip_of(device);
  const MemoryStats before = memory_stats(device);
  std::lock_guard<std::mutex> one_at_a_time(pool.driver);
  const bool cached = before.reserved.current > before.allocated.current;
  const bool evicted = !cached && evict(device, before.allocated.current / 4);
  give_back_cached(pool, chip, device - chip.first_device());
  return cached || evicted || wait_for_other_ops(others, std::chrono::steady_clock::now() + kPatience);
}

std::vector<BlockOwner*> claim_owners(c10::DeviceIndex device, const std::function<bool(BlockOwner&)>& wanted) {
  std::vector<BlockOwner*> claimed;
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  pool.claim(wanted, &claimed);
  return claimed;
}

void count_eviction(c10::DeviceIndex device, size_t bytes, bool rescued) noexcept {
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  ++pool.stats.evictions;
  pool.stats.evicted_bytes += bytes;
  if (!rescued) return;
  ++pool.stats.rescues;
  pool.stats.rescued_bytes += bytes;
}

void empty_cache() {
  if (!devices_started()) return;
  const c10::DeviceIndex count = device_count();
  forget_numbers();
  release_retired();
  for (c10::DeviceIndex device = 0; device < count; ++device) {
    Chip& chip = chip_of(device);
    Pool& pool = pool_of(device);
    std::lock_guard<std::mutex> one_at_a_time(pool.driver);
    give_back_cached(pool, chip, device - chip.first_device());
  }
}

MemoryStats memory_stats(c10::DeviceIndex device) {
  check_index(device);
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  return pool.stats;
}

void reset_peak_stats(c10::DeviceIndex device) {
  check_index(device);
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  MemoryStats& stats = pool.stats;
  for (Counted* counted : {&stats.allocated, &stats.blocks, &stats.reserved, &stats.segments})
    counted->peak = counted->current;
}

void reset_accumulated_stats(c10::DeviceIndex device) {
  check_index(device);
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  MemoryStats fresh;
  for (Counted MemoryStats::*counted :
       {&MemoryStats::allocated, &MemoryStats::blocks, &MemoryStats::reserved, &MemoryStats::segments}) {
    fresh.*counted = pool.stats.*counted;
    (fresh.*counted).reset_accumulated();
  }
  pool.stats = fresh;
}

void set_memory_limit(c10::DeviceIndex device, uint64_t bytes) {
  check_index(device);
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  pool.limit = bytes;
}

uint64_t memory_limit(c10::DeviceIndex device) {
  check_index(device);
  Pool& pool = pool_of(device);
  Locked lock(pool.lock);
  return pool.limit;
}

}  // namespace torchfl
