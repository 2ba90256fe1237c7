// What moved: calls and bytes each way, since the start or the last reset.
#pragma once

#include <atomic>
#include <cstdint>

namespace torchfl {

struct CopyCounters {
  std::atomic<uint64_t> h2d{0}, h2d_bytes{0};    // host to device
  std::atomic<uint64_t> d2h{0}, d2h_bytes{0};    // device to host
  std::atomic<uint64_t> d2d{0}, d2d_bytes{0};    // within a device
  std::atomic<uint64_t> host{0}, host_bytes{0};  // host to host: .to() and .cpu() on the host side
};

CopyCounters& copy_counters() noexcept;
void reset_copy_counters() noexcept;

inline void count_copy(std::atomic<uint64_t>& calls, std::atomic<uint64_t>& bytes, uint64_t n) noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(n, std::memory_order_relaxed);
}

}  // namespace torchfl
