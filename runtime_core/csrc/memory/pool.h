// Device memory: a free list by size class over each chip's alloc(), one per device.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torchfl {

// A piece of device memory: the vendor's handle and where in it the piece begins.
struct Block {
  void* handle = nullptr;
  uint64_t offset = 0;
  size_t size = 0;  // of the size class in bytes, at least what was asked for
  void* host = nullptr;  // of chips that map host memory: where the host has the same bytes, on a page boundary
};

// What may own one block; the pool knows its owners, so that a shutdown can take every block back.
struct BlockOwner {
  Block block;  // handle is nullptr where there is none

 private:
  friend struct Pool;
  BlockOwner *previous_ = nullptr, *next_ = nullptr;
};

struct MemoryStats {
  uint64_t allocated = 0, peak_allocated = 0;  // bytes in live blocks
  uint64_t reserved = 0, peak_reserved = 0;    // bytes taken from the chip, cached ones included
  uint64_t allocations = 0;                    // blocks handed out
  uint64_t driver_allocations = 0;             // calls of the chip's alloc() that gave memory
};

// Gives `owner` (without a block) one. Out of memory frees the cache and tries once more, then throws
// c10::OutOfMemoryError.
void allocate_block(c10::DeviceIndex device, size_t nbytes, BlockOwner& owner);
// Takes it back; does nothing without one. Never throws. Once exit has begun, in a forked child and after the
// chips are gone, the memory is left to the system.
void release_block(c10::DeviceIndex device, BlockOwner& owner) noexcept;
// Undoes the mapping of a block of mapped host memory and forgets the block; `block.host` is the caller's to free().
void detach_block(c10::DeviceIndex device, BlockOwner& owner) noexcept;

std::vector<BlockOwner*> block_owners();  // of every device
void empty_cache();                       // of every device: gives cached blocks back to the chips
MemoryStats memory_stats(c10::DeviceIndex device);
void reset_peak_stats(c10::DeviceIndex device);

}  // namespace torchfl
