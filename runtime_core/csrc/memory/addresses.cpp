// One PROT_NONE mapping, handed out in powers of two with a free list each. Address space costs nothing, so
// the rounding does not matter; reuse keeps the space from running out in long runs.
#include "memory/addresses.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace torchfl {
namespace {

constexpr size_t kSmallest = 512;  // a page is not needed: nothing is ever mapped

struct Space {
  std::mutex mutex;
  char* base = nullptr;
  size_t size = 0, used = 0;
  std::array<std::vector<void*>, 64> free;

  Space() {
    // 16 TiB, or what an address space limit allows.
    for (size = size_t{1} << 44; size >= size_t{1} << 32; size >>= 1) {
      void* at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at != MAP_FAILED) {
        base = static_cast<char*>(at);
        return;
      }
    }
    size = 0;
  }
};

Space& space() {
  static auto* instance = new Space;  // leaked: storages may outlive static destruction
  return *instance;
}

size_t rounded(size_t nbytes) { return nbytes <= kSmallest ? kSmallest : std::bit_ceil(nbytes); }

}  // namespace

void* reserve_address(size_t nbytes) {
  const size_t size = rounded(nbytes);
  Space& s = space();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto& list = s.free[std::countr_zero(size)];
  if (!list.empty()) {
    void* address = list.back();
    list.pop_back();
    return address;
  }
  if (size > s.size - s.used) throw std::bad_alloc();
  void* address = s.base + s.used;
  s.used += size;
  return address;
}

void return_address(void* address, size_t nbytes) noexcept {
  const size_t size = rounded(nbytes);
  Space& s = space();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.free[std::countr_zero(size)].push_back(address);
}

bool is_reserved_address(const void* address) noexcept {
  const Space& s = space();
  const char* at = static_cast<const char*>(address);
  return at >= s.base && at < s.base + s.size;
}

}  // namespace torchfl
