#include "device/generator.h"

#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <mutex>

#include "device/chip.h"

namespace torchfl {
namespace {

class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  DeviceGenerator(c10::DeviceIndex device, at::Generator host)
      : c10::GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, device),
                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host_(std::move(host)) {}

  static c10::DeviceType device_type() { return c10::DeviceType::PrivateUse1; }
  const at::Generator& host() const { return host_; }

  void set_current_seed(uint64_t seed) override { host_.set_current_seed(seed); }
  uint64_t current_seed() const override { return host_.current_seed(); }
  uint64_t seed() override { return host_.seed(); }
  void set_offset(uint64_t offset) override { host_.set_offset(offset); }
  uint64_t get_offset() const override { return host_.get_offset(); }
  void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return host_.unsafeGetGeneratorImpl()->get_state();
  }

 private:
  DeviceGenerator* clone_impl() const override { return new DeviceGenerator(device_.index(), host_.clone()); }

  at::Generator host_;
};

struct Defaults {
  std::mutex mutex;
  std::array<at::Generator, 128> generators;  // one for each value of DeviceIndex
  std::optional<uint64_t> seed;               // for those made from now on
};

Defaults& defaults() {
  static auto* instance = new Defaults;  // leaked: threads may draw while the process exits
  return *instance;
}

}  // namespace

at::Generator new_generator(c10::DeviceIndex device) {
  return at::make_generator<DeviceGenerator>(resolve_index(device), at::detail::createCPUGenerator());
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  Defaults& all = defaults();
  std::lock_guard<std::mutex> lock(all.mutex);
  at::Generator& generator = all.generators[static_cast<size_t>(resolve_index(device))];
  if (!generator.defined()) {
    generator = new_generator(resolve_index(device));
    if (all.seed.has_value()) generator.set_current_seed(*all.seed);
  }
  return generator;
}

void seed_all(uint64_t seed) {
  Defaults& all = defaults();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.seed = seed;
  for (at::Generator& generator : all.generators)
    if (generator.defined()) generator.set_current_seed(seed);
}

at::Generator host_generator(const std::optional<at::Generator>& given, c10::DeviceIndex device) {
  const at::Generator& generator = given.has_value() && given->defined() ? *given : default_generator(device);
  if (generator.device().type() != c10::DeviceType::PrivateUse1) return generator;
  return static_cast<DeviceGenerator*>(generator.unsafeGetGeneratorImpl())->host();
}

}  // namespace torchfl
