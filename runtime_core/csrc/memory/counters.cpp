#include "memory/counters.h"

namespace torchfl {

CopyCounters& copy_counters() noexcept {
  static auto* counters = new CopyCounters;
  return *counters;
}

void reset_copy_counters() noexcept {
  CopyCounters& c = copy_counters();
  for (auto* value : {&c.h2d, &c.h2d_bytes, &c.d2h, &c.d2h_bytes, &c.d2d, &c.d2d_bytes, &c.host, &c.host_bytes})
    value->store(0, std::memory_order_relaxed);
}

}  // namespace torchfl
