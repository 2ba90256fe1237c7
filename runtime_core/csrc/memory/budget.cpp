#include "memory/budget.h"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "memory/box.h"

namespace torchfl {
namespace {

struct List {
  std::mutex mutex;  // taken after a box's; a box's is only tried for under it
  Box *oldest = nullptr, *newest = nullptr;
  std::atomic<size_t> bytes{0};
  std::atomic<size_t> budget{static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 4};
};

List& list() {
  static auto* one = new List;  // leaked: boxes may outlive static destruction
  return *one;
}

// The caller holds the list's lock.
void remove(List& l, Box& box) noexcept {
  BudgetLink& link = box.budget;
  (link.older != nullptr ? link.older->budget.newer : l.oldest) = link.newer;
  (link.newer != nullptr ? link.newer->budget.older : l.newest) = link.older;
  l.bytes.fetch_sub(link.bytes, std::memory_order_relaxed);
  link = BudgetLink{.ever_listed = true};
}

}  // namespace

void list_two_sided(Box& box) noexcept {
  if (box.budget.listed) return;
  List& l = list();
  std::lock_guard<std::mutex> lock(l.mutex);
  box.budget = {l.newest, nullptr, box.nbytes, true, true};
  (l.newest != nullptr ? l.newest->budget.newer : l.oldest) = &box;
  l.newest = &box;
  l.bytes.fetch_add(box.nbytes, std::memory_order_relaxed);
}

void unlist(Box& box) noexcept {
  List& l = list();
  std::lock_guard<std::mutex> lock(l.mutex);
  if (box.budget.listed) remove(l, box);
}

void keep_host_budget() noexcept {
  List& l = list();
  if (l.bytes.load(std::memory_order_relaxed) <= l.budget.load(std::memory_order_relaxed)) return;
  std::vector<c10::intrusive_ptr<c10::StorageImpl>> dropped;  // freed after the lock
  std::lock_guard<std::mutex> lock(l.mutex);
  for (Box* box = l.oldest; box != nullptr && l.bytes.load() > l.budget.load();) {
    Box* next = box->budget.newer;
    if (box->mutex.try_lock()) {  // one that is in use is not the oldest in spirit
      const bool both = box->valid.load(std::memory_order_relaxed) == (kHostSide | kDeviceSide);
      if (!both) {
        remove(l, *box);
      } else if (box->host.use_count() == 1) {
        dropped.push_back(std::move(box->host));
        box->valid.store(kDeviceSide, std::memory_order_release);
        remove(l, *box);
      }
      box->mutex.unlock();
    }
    box = next;
  }
}

void set_host_budget(size_t bytes) noexcept { list().budget.store(bytes); }

size_t host_budget() noexcept { return list().budget.load(); }

size_t two_sided_bytes() noexcept { return list().bytes.load(); }

}  // namespace torchfl
