// Device memory: a free list by size class over each chip's alloc(), one per device.
#pragma once

#include <c10/core/Device.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace torchfl {

class DeviceUses;

// A piece of device memory: the vendor's handle and where in it the piece begins.
struct Block {
  void* handle = nullptr;
  uint64_t offset = 0;
  size_t size = 0;  // of the size class in bytes, at least what was asked for
  void* host = nullptr;  // of chips that map host memory: where the host has the same bytes, on a page boundary
};

enum class OwnerKind : uint8_t { box, window, mapped, retired };

// What may own one block; the pool knows its owners, so that a shutdown can take every block back, and device memory
// that runs out the blocks of those that nobody uses.
struct BlockOwner {
  explicit BlockOwner(OwnerKind owner_kind) : kind(owner_kind) {}
  Block block;  // handle is nullptr where there is none
  const OwnerKind kind;

 private:
  friend struct Pool;
  BlockOwner *previous_ = nullptr, *next_ = nullptr;
  bool parked_ = false;               // under the pool's lock: nobody's but the pool's (park_block())
  std::atomic<bool> claimed_{false};  // set under the pool's lock
};

// A quantity now, at its peak since the last reset_peak_stats(), and what was ever added since the last
// reset_accumulated_stats(), at which it was `base`.
struct Counted {
  uint64_t current = 0, peak = 0, added = 0, base = 0;

  uint64_t removed() const { return base + added - current; }
  void add(uint64_t amount) {
    current += amount;
    added += amount;
    if (current > peak) peak = current;
  }
  void remove(uint64_t amount) { current -= amount; }
  void reset_accumulated() {
    added = 0;
    base = current;
  }
};

struct MemoryStats {
  Counted allocated, blocks;    // live blocks: bytes, how many
  Counted reserved, segments;   // what was taken from the chip, cached included: bytes, calls of its alloc()
  uint64_t retries = 0;                        // requests that the chip refused at first
  uint64_t failures = 0;                       // requests that ended in an OutOfMemoryError
  uint64_t evictions = 0, evicted_bytes = 0;   // device sides that were taken away to make room
  uint64_t rescues = 0, rescued_bytes = 0;     // those of them whose bytes had to move to the host first
};

// Gives `owner` (without a block) one. Out of memory frees the cache, then takes device sides that no op uses away
// (evict.h), as long as that helps, then throws c10::OutOfMemoryError. The caller says by DeviceUses what it holds.
void allocate_block(c10::DeviceIndex device, size_t nbytes, BlockOwner& owner);
// Takes it back; does nothing without one. Never throws. Once exit has begun, in a forked child and after the
// chips are gone, the memory is left to the system. Waits for one that has claimed the owner. False: there was none.
bool release_block(c10::DeviceIndex device, BlockOwner& owner) noexcept;
// `to` (without a block) takes the block of `from`, which has one and is claimed by nobody.
void hand_over_block(c10::DeviceIndex device, BlockOwner& from, BlockOwner& to) noexcept;

// Keeps what has died with its block for the next take_parked_block() of that size. `what` is what the block belongs to and
// `evictable` is its owner there, as evict.h may have claimed it; `owner_of`, called when that is not so and while nobody
// else can claim it, gives the owner of the block, or nullptr to decline; `discard` frees `what` when the memory is wanted
// elsewhere. False: not kept. Nobody may know `what` any more.
bool park_block(c10::DeviceIndex device, size_t nbytes, const BlockOwner& evictable, void* what,
                BlockOwner* (*owner_of)(void*) noexcept, void (*discard)(void*) noexcept) noexcept;
// A parked `what`, whose owner `uses` names before anybody else can claim it; nullptr where there is none.
void* take_parked_block(c10::DeviceIndex device, size_t nbytes, DeviceUses& uses);
void drop_parked();  // of every device: discards them

// More device memory for a kernel that ran out: the cache and unused device sides go. False: there was nothing.
bool relieve(c10::DeviceIndex device);
// Undoes the mapping of a block of mapped host memory and forgets the block; `block.host` is the caller's to free().
void detach_block(c10::DeviceIndex device, BlockOwner& owner) noexcept;

// Those owners of a device for which `wanted` says so (under the pool's lock: it must not block), claimed: they live and
// keep their block until release_claimed() or unclaim(), whatever other threads do.
std::vector<BlockOwner*> claim_owners(c10::DeviceIndex device, const std::function<bool(BlockOwner&)>& wanted);
void release_claimed(c10::DeviceIndex device, BlockOwner& owner) noexcept;  // its block goes back to the pool
void unclaim(BlockOwner& owner) noexcept;

// Counts block allocations, coarsely: the time by which device memory is old or young. Of all devices; a lost count does
// not matter.
inline std::atomic<uint32_t> allocations_clock{0};
inline uint32_t memory_clock() noexcept { return allocations_clock.load(std::memory_order_relaxed) >> 3; }

void empty_cache();  // of every device: gives cached blocks back to the chips
void count_eviction(c10::DeviceIndex device, size_t bytes, bool rescued) noexcept;

// Of a device; each throws for an index that no chip has. A limit is in bytes; none is the largest number.
MemoryStats memory_stats(c10::DeviceIndex device);
void reset_peak_stats(c10::DeviceIndex device);         // peaks become the present values
void reset_accumulated_stats(c10::DeviceIndex device);  // what was counted since the start is 0
void set_memory_limit(c10::DeviceIndex device, uint64_t bytes);
uint64_t memory_limit(c10::DeviceIndex device);

}  // namespace torchfl
