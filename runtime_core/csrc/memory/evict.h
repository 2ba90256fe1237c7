// Making room on a device that is full: device sides that no op uses go, those of the longest unused storages first.
//
// Forms that storages keep beside their bytes (kept_forms.h) go before anything else: they can be made again.
// What the device holds besides the host (a stale side, or a copy) is dropped; what it holds alone moves to the host,
// within the budget of host memory (budget.h). The next op that wants it there uploads it again, like any other storage.
// In use are the storages that some thread's op says it uses (DeviceUses), and those whose lock is held: they stay.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>

namespace torchfl {

class Box;

// Returns device memory to the pool: `bytes` at least if there is as much. False where there was nothing to take. The
// calling thread may hold the locks of boxes that it uses: others' are only tried for.
bool evict(c10::DeviceIndex device, size_t bytes);

// The caller holds the box's lock, or nobody else knows the box. It has a device side again, or goes: its bytes on the
// host no longer count as moved out.
void forget_eviction(Box& box) noexcept;

// Bytes whose only place is the host because a device was full.
size_t moved_out_bytes() noexcept;

}  // namespace torchfl
