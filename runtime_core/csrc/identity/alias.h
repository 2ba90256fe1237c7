// The device under its second name: "xpu" in every place that takes a device.
#pragma once

namespace torchfl {

// Registers the memory ops and autocast, and with `alias` the redirect from torch's XPU dispatch keys. The dispatch
// half is registered after it. Idempotent; no driver call.
//
// What has been registered stays for the life of the process: PyTorch's dispatcher reads its tables without locks, so
// taking a kernel away from under another thread's call would crash it. After a shutdown the kernels refuse (OpScope).
void register_identity(bool alias);
void unregister_identity();  // ends the redirect

// Whether "xpu" names our devices to PyTorch's C++ side.
bool is_aliased() noexcept;

}  // namespace torchfl
