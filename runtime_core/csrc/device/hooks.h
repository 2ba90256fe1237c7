// What PyTorch asks a backend for: guards, hooks, allocator.
#pragma once

namespace torchfl {

// Puts our guard, hooks and allocator in place for PrivateUse1; they stay until the process ends. No driver call.
void install_device();

// The guard and the allocator that answer for the XPU device type with our devices. They stay too: another thread may be
// about to use them. After a shutdown they count no device and refuse.
void install_xpu_alias();

}  // namespace torchfl
