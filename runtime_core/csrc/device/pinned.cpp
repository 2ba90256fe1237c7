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
  c10::CachingAllocator::Stat blocks, bytes;
};

Ranges& ranges() {
  static auto* instance = new Ranges;
  return *instance;
}

void release(void* address) {
  {
    std::lock_guard<std::mutex> lock(ranges().mutex);
    const auto found = ranges().live.find(static_cast<const char*>(address));
    ranges().bytes.decrease(found->second);
    ranges().blocks.decrease(1);
    ranges().live.erase(found);
  }
  std::free(address);
}

// What torch.accelerator.empty_host_cache() asks. Nothing is cached: memory goes back to the system when it is freed, and
// no copy from it is under way then, because copies return when they are done.
class PinnedAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(size_t nbytes) override {
    constexpr size_t kPage = 4096;
    void* address = std::aligned_alloc(kPage, (nbytes + kPage - 1) / kPage * kPage + (nbytes == 0 ? kPage : 0));
    if (address == nullptr) throw std::bad_alloc();
    std::lock_guard<std::mutex> lock(ranges().mutex);
    ranges().live[static_cast<const char*>(address)] = nbytes;
    ranges().bytes.increase(nbytes);
    ranges().blocks.increase(1);
    return {address, address, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t nbytes) const override { std::memcpy(to, from, nbytes); }

  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override {
    std::lock_guard<std::mutex> lock(ranges().mutex);
    at::HostStats stats;
    stats.active_requests = stats.allocations = ranges().blocks;
    stats.active_bytes = stats.allocated_bytes = ranges().bytes;
    return stats;
  }
  void reset_accumulated_stats() override {
    std::lock_guard<std::mutex> lock(ranges().mutex);
    ranges().blocks.reset_accumulated();
    ranges().bytes.reset_accumulated();
  }
  void reset_peak_stats() override {
    std::lock_guard<std::mutex> lock(ranges().mutex);
    ranges().blocks.reset_peak();
    ranges().bytes.reset_peak();
  }
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
