#include "device/generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/TensorBase.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "device/chip.h"

namespace torchfl {
namespace {

constexpr uint64_t kGamma = 0x9e3779b97f4a7c15ull;

// splitmix64's mix.
uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Both halves of a product as one word: one multiplication for each pair of the twister's words.
uint64_t folded(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// A CPU generator that begins at a place of its own. PyTorch seeds its twister by 624 multiplications, each of which waits
// for the one before, from 32 bits of the seed, and turns the state over before the first number; together that is most of
// a small draw's cost. Here the state is a hashed counter's stream, from a start that all 64 bits decide, and is drawn from as
// it is: the twister's tempering of random words is as random as they are.
at::Generator generator_at(uint64_t position) {
  struct Spare {  // making either would seed it
    at::Generator generator = at::detail::createCPUGenerator();
    at::mt19937 engine;
  };
  thread_local const auto spare = std::make_unique<Spare>();  // too big for a thread's own memory in a loaded library
  // An op within the op that has the spare one draws, too.
  at::Generator made =
      spare->generator.getIntrusivePtr().use_count() == 1 ? spare->generator : at::detail::createCPUGenerator();
  at::mt19937_data_pod data;
  data.seed_ = mixed(position);
  data.seeded_ = true;
  data.left_ = at::MERSENNE_STATE_N;
  data.next_ = 0;
  uint64_t counter = data.seed_;
  for (size_t i = 0; i < data.state_.size(); i += 2) {
    counter += kGamma;
    const uint64_t word = folded(counter, counter ^ 0xbf58476d1ce4e5b9ull);
    data.state_[i] = static_cast<uint32_t>(word);
    data.state_[i + 1] = static_cast<uint32_t>(word >> 32);
  }
  spare->engine.set_data(data);
  auto* impl = at::check_generator<at::CPUGeneratorImpl>(made);
  impl->set_engine(spare->engine);
  impl->set_next_float_normal_sample(std::nullopt);  // randn's second half of a pair
  impl->set_next_double_normal_sample(std::nullopt);
  return made;
}

// A position is (seed, offset), as of torch's other accelerators. Each op that draws gets a host generator of its own,
// seeded by the position, and moves the offset on: the state stays 16 bytes, and threads never draw the same numbers.
class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(c10::DeviceIndex device)
      : c10::GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, device),
                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

  static c10::DeviceType device_type() { return c10::DeviceType::PrivateUse1; }

  at::Generator draw() {
    uint64_t seed, offset;
    {
      std::lock_guard<std::mutex> lock(position_mutex_);
      seed = seed_;
      offset = offset_;
      offset_ += kStep;
    }
    // The seed itself at offset 0, so that the first draw after manual_seed() equals the CPU's.
    return offset == 0 ? at::detail::createCPUGenerator(seed) : generator_at(seed + offset * kGamma);
  }

  void set_current_seed(uint64_t seed) override {
    std::lock_guard<std::mutex> lock(position_mutex_);
    seed_ = seed;
    offset_ = 0;
  }
  uint64_t current_seed() const override {
    std::lock_guard<std::mutex> lock(position_mutex_);
    return seed_;
  }
  uint64_t seed() override {
    const uint64_t drawn = c10::detail::getNonDeterministicRandom(false);
    set_current_seed(drawn);
    return drawn;
  }
  void set_offset(uint64_t offset) override {
    std::lock_guard<std::mutex> lock(position_mutex_);
    offset_ = offset;
  }
  uint64_t get_offset() const override {
    std::lock_guard<std::mutex> lock(position_mutex_);
    return offset_;
  }
  void set_state(const c10::TensorImpl& state) override {
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == kStateBytes, "an xpu generator's state is ", kStateBytes, " bytes (seed, offset), not ",
                state.numel());
    const auto* words = static_cast<const char*>(state.data());
    std::lock_guard<std::mutex> lock(position_mutex_);
    std::memcpy(&seed_, words, sizeof seed_);
    std::memcpy(&offset_, words + sizeof seed_, sizeof offset_);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::TensorBase state = at::detail::empty_cpu({kStateBytes}, at::kByte);
    auto* words = static_cast<char*>(state.mutable_data_ptr());
    std::lock_guard<std::mutex> lock(position_mutex_);
    std::memcpy(words, &seed_, sizeof seed_);
    std::memcpy(words + sizeof seed_, &offset_, sizeof offset_);
    return state.getIntrusivePtr();
  }

 private:
  static constexpr uint64_t kStep = 4;  // torch's offsets are multiples of 4
  static constexpr int64_t kStateBytes = 16;

  DeviceGenerator* clone_impl() const override {
    auto* copy = new DeviceGenerator(device_.index());
    std::lock_guard<std::mutex> lock(position_mutex_);
    copy->seed_ = seed_;
    copy->offset_ = offset_;
    return copy;
  }

  mutable std::mutex position_mutex_;
  uint64_t seed_ = at::default_rng_seed_val;
  uint64_t offset_ = 0;
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
  return at::make_generator<DeviceGenerator>(resolve_index(device));
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
  return static_cast<DeviceGenerator*>(generator.unsafeGetGeneratorImpl())->draw();
}

}  // namespace torchfl
