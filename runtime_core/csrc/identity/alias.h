// The device under its second name: "xpu" in every place that takes a device.
#pragma once

namespace torchfl {

// Registers the memory ops and autocast, and with `alias` the redirect from torch's XPU dispatch keys. The dispatch
// half is registered after it. Idempotent; no driver call.
void register_identity(bool alias);
void unregister_identity();

}  // namespace torchfl
