// Autograd's threads for devices that came after the process's first backward.
//
// PyTorch's engine counts devices once, at that backward (the CPU's included), and makes a queue and a thread for each.
// A device of a chip that was loaded later would have none, and its backward would end in an internal assertion.
#pragma once

#include <atomic>

namespace torchfl {

namespace detail {
extern std::atomic<bool> autograd_may_lack_queues;
void complete_autograd_queues();
}  // namespace detail

// Devices have been counted anew: the next device tensor looks after the engine. Not at once, for the engine itself asks
// for the count while it starts.
void note_new_devices() noexcept;

// Gives the engine a queue and a thread for every device, if it has started without. Called where a device tensor is made:
// without one there is no backward. One relaxed load.
inline void ensure_autograd_queues() {
  if (__builtin_expect(detail::autograd_may_lack_queues.load(std::memory_order_relaxed), 0))
    detail::complete_autograd_queues();
}

}  // namespace torchfl
