// The device under its second name: "xpu" in every place that takes a device.
#pragma once

namespace torchfl {

// Registers the memory ops, autocast, and the redirect from torch's XPU dispatch keys. The dispatch half is
// registered after it. Idempotent; no driver call.
void register_identity();
void unregister_identity();

}  // namespace torchfl
