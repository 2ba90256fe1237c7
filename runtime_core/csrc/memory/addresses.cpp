// One PROT_NONE mapping, split into a region for each power of two. Address space costs nothing, so the rounding
// does not matter; slots are reused, so that it does not run out in long runs, and found by arithmetic.
#include "memory/addresses.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "memory/spin_lock.h"

namespace torchfl {
namespace {

constexpr int kSmallestLog = 9, kRegions = 32;  // 512 bytes; 1 TiB is the largest

struct Region {
  std::vector<void*> owners;  // by slot; nullptr where the slot is free
  std::vector<uint32_t> free;
};

struct Space {
  SpinLock mutex;
  char* base = nullptr;
  size_t region_size = 0;
  std::array<Region, kRegions> regions;

  Space() {
    // 32 TiB, or what an address space limit allows.
    for (region_size = size_t{1} << 40; region_size >= size_t{1} << 27; region_size >>= 1) {
      void* at = mmap(nullptr, region_size * kRegions, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at != MAP_FAILED) {
        base = static_cast<char*>(at);
        return;
      }
    }
    region_size = 0;
  }
};

Space& space() {
  static auto* instance = new Space;  // leaked: storages may outlive static destruction
  return *instance;
}

int region_of(size_t nbytes) { return std::max(static_cast<int>(std::bit_width(nbytes - 1)) - kSmallestLog, 0); }

}  // namespace

void* reserve_address(size_t nbytes, void* owner) {
  const int index = region_of(nbytes);
  Space& s = space();
  if (index >= kRegions) throw std::bad_alloc();
  Region& region = s.regions[index];
  std::lock_guard<SpinLock> lock(s.mutex);
  uint32_t slot;
  if (!region.free.empty()) {
    slot = region.free.back();
    region.free.pop_back();
    region.owners[slot] = owner;
  } else {
    slot = static_cast<uint32_t>(region.owners.size());
    if ((size_t{slot} + 1) << (index + kSmallestLog) > s.region_size) throw std::bad_alloc();
    region.owners.push_back(owner);
  }
  return s.base + index * s.region_size + (size_t{slot} << (index + kSmallestLog));
}

void return_address(void* address, size_t nbytes) noexcept {
  const int index = region_of(nbytes);
  Space& s = space();
  const size_t offset = static_cast<char*>(address) - s.base - index * s.region_size;
  const auto slot = static_cast<uint32_t>(offset >> (index + kSmallestLog));
  std::lock_guard<SpinLock> lock(s.mutex);
  s.regions[index].owners[slot] = nullptr;
  s.regions[index].free.push_back(slot);
}

int address_class(size_t nbytes) noexcept { return region_of(nbytes); }

void* owner_of(const void* address) noexcept {
  Space& s = space();
  const char* at = static_cast<const char*>(address);
  if (s.base == nullptr || at < s.base || at >= s.base + s.region_size * kRegions) return nullptr;
  const size_t index = (at - s.base) / s.region_size, offset = (at - s.base) % s.region_size;
  const size_t slot = offset >> (index + kSmallestLog);
  if (slot << (index + kSmallestLog) != offset) return nullptr;  // inside a range
  std::lock_guard<SpinLock> lock(s.mutex);
  const Region& region = s.regions[index];
  return slot < region.owners.size() ? region.owners[slot] : nullptr;
}

}  // namespace torchfl
