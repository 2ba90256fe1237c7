// The storages that keep a form beside their bytes (forms.h), which is what a full device gives up first: it can be made again.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>

namespace torchfl {

class Box;

// Place of a box in the list of those that have a form; guarded by the list's lock, `listed` also by the box's.
struct FormLink {
  Box *older = nullptr, *newer = nullptr;
  bool listed = false;
};

// The caller holds the box's lock, or nobody else knows the box. It has a form; it has none any more (or goes).
void list_form(Box& box) noexcept;
void unlist_form(Box& box) noexcept;

// Frees forms on a device that nobody is using, the longest unused first, until they come to `bytes`. A late storage keeps
// its form: it has nothing else. False where there was none. The calling thread may hold the locks of boxes that it uses:
// others' are only tried for.
bool drop_kept_forms(c10::DeviceIndex device, size_t bytes);

}  // namespace torchfl
