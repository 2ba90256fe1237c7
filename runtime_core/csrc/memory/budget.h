// How much host memory may hold bytes that a device has too.
//
// A storage whose both sides are valid keeps its host side for the next fallback. Dropping it at once would cost
// downloads, keeping all of them twice the memory: so they are kept under a budget, and the oldest go first.
#pragma once

#include <cstddef>

namespace torchfl {

class Box;

// Place of a box in the list of those with two sides; guarded by the list's lock, `listed` also by the box's.
struct BudgetLink {
  Box *older = nullptr, *newer = nullptr;
  size_t bytes = 0;
  bool listed = false;
  bool ever_listed = false;  // a thread may be at the box in keep_host_budget(): its end takes the list's lock
};

// The caller holds the box's lock. Both sides have become valid; one of them has not any more (or the box goes).
void list_two_sided(Box& box) noexcept;
void unlist(Box& box) noexcept;

// Drops the oldest host sides that no one is using until the rest is within the budget. The calling thread holds no
// box's lock. One relaxed load where there is nothing to do.
void keep_host_budget() noexcept;

void set_host_budget(size_t bytes) noexcept;  // a quarter of the machine's memory at first
size_t host_budget() noexcept;
size_t two_sided_bytes() noexcept;

}  // namespace torchfl
