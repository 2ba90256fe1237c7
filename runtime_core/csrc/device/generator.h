// Random numbers of a device: a generator per device whose numbers come from a CPU generator inside it.
#pragma once

#include <ATen/core/Generator.h>

namespace torchfl {

// The device's default generator; created on first use, never freed.
const at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);

// Seeds every default generator, those that do not exist yet included: torch.manual_seed() must not start the driver
// to learn how many devices there are.
void seed_all(uint64_t seed);

// The CPU generator that a CPU kernel is to use for an op on `device`: the one inside `given`, or inside the
// device's default generator when none was given. Using it makes torch.xpu.manual_seed and get_rng_state true.
at::Generator host_generator(const std::optional<at::Generator>& given, c10::DeviceIndex device);

}  // namespace torchfl
