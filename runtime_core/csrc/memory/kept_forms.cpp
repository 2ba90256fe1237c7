#include "memory/kept_forms.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "memory/box.h"

namespace torchfl {
namespace {

struct List {
  std::mutex mutex;  // taken after a box's; a box's is only tried for under it
  Box *oldest = nullptr, *newest = nullptr;
};

List& list() {
  static auto* one = new List;  // leaked: boxes may outlive static destruction
  return *one;
}

// The box of a kept form that can go. The caller holds the lock of the box that keeps it.
const Box* droppable(const Box& keeper, c10::DeviceIndex device) {
  const at::Tensor& form = keeper.kept.tensor;
  if (!form.defined() || keeper.late.load(std::memory_order_relaxed)) return nullptr;
  const Box* box = box_of(form);
  const bool only_kept = form.use_count() == 1 && form.storage().use_count() == 1;
  return only_kept && box->device == device && (box->valid.load() & kDeviceSide) ? box : nullptr;
}

}  // namespace

void list_form(Box& box) noexcept {
  if (box.forms.listed) return;
  List& l = list();
  std::lock_guard<std::mutex> lock(l.mutex);
  box.forms = {l.newest, nullptr, true};
  (l.newest != nullptr ? l.newest->forms.newer : l.oldest) = &box;
  l.newest = &box;
}

void unlist_form(Box& box) noexcept {
  if (!box.forms.listed) return;
  List& l = list();
  std::lock_guard<std::mutex> lock(l.mutex);
  const FormLink link = std::exchange(box.forms, {});
  (link.older != nullptr ? link.older->forms.newer : l.oldest) = link.newer;
  (link.newer != nullptr ? link.newer->forms.older : l.newest) = link.older;
}

bool drop_kept_forms(c10::DeviceIndex device, size_t bytes) {
  struct Found {
    uint32_t last_use;
    size_t size;
    Box* keeper;
  };
  std::vector<Found> found;
  std::vector<at::Tensor> dropped;  // freed after the locks
  List& l = list();
  std::lock_guard<std::mutex> lock(l.mutex);
  // A box that dies waits at the list's lock for its removal.
  for (Box* keeper = l.oldest; keeper != nullptr; keeper = keeper->forms.newer) {
    if (used_here(static_cast<BlockOwner*>(keeper))) continue;  // whose lock this thread may hold
    std::unique_lock<std::mutex> tried(keeper->mutex, std::try_to_lock);
    if (!tried.owns_lock()) continue;
    if (const Box* box = droppable(*keeper, device))
      found.push_back({box->last_use.load(std::memory_order_relaxed), box->nbytes, keeper});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.last_use < b.last_use; });
  size_t sum = 0;
  for (size_t i = 0; i < found.size() && sum < bytes; ++i) {
    std::unique_lock<std::mutex> tried(found[i].keeper->mutex, std::try_to_lock);
    if (!tried.owns_lock() || droppable(*found[i].keeper, device) == nullptr) continue;
    sum += found[i].size;
    count_eviction(device, found[i].size, /*rescued=*/false);
    dropped.push_back(std::exchange(found[i].keeper->kept.tensor, at::Tensor()));
  }
  return !dropped.empty();
}

}  // namespace torchfl
