#include "device/pinned.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

namespace torchfl {
namespace {

struct Ranges {
  std::mutex mutex;
  std::map<const char*, size_t> live;  // start -> size
};

Ranges& ranges() {
  static auto* instance = new Ranges;
  return *instance;
}

void release(void* address) {
  {
    std::lock_guard<std::mutex> lock(ranges().mutex);
    ranges().live.erase(static_cast<const char*>(address));
  }
  std::free(address);
}

// A HostAllocator, because PyTorch takes every accelerator's for one.
class PinnedAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(size_t nbytes) override {
    constexpr size_t kPage = 4096;
    void* address = std::aligned_alloc(kPage, (nbytes + kPage - 1) / kPage * kPage + (nbytes == 0 ? kPage : 0));
    if (address == nullptr) throw std::bad_alloc();
    std::lock_guard<std::mutex> lock(ranges().mutex);
    ranges().live[static_cast<const char*>(address)] = nbytes;
    return {address, address, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t nbytes) const override { std::memcpy(to, from, nbytes); }

  // Memory is not kept for later, and a queue has read it when the op that was given it returns.
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override {
    at::HostStats stats;
    std::lock_guard<std::mutex> lock(ranges().mutex);
    for (const auto& [address, nbytes] : ranges().live) {
      for (auto* count : {&stats.active_requests, &stats.allocations}) count->increase(1);
      for (auto* bytes : {&stats.active_bytes, &stats.allocated_bytes}) bytes->increase(nbytes);
    }
    return stats;
  }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

}  // namespace

at::HostAllocator* pinned_allocator() noexcept {
  static auto* allocator = new PinnedAllocator;
  return allocator;
}

bool is_pinned(const void* address) noexcept {
  const char* at = static_cast<const char*>(address);
  std::lock_guard<std::mutex> lock(ranges().mutex);
  auto next = ranges().live.upper_bound(at);
  if (next == ranges().live.begin()) return false;
  --next;
  return at == next->first || at < next->first + next->second;
}

}  // namespace torchfl
