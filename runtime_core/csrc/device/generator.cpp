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

constexpr uint64_t kStep = 4;  // torch's offsets are multiples of 4
constexpr int64_t kStateBytes = 16;

// (seed, offset), as of torch's other accelerators.
struct Position {
  uint64_t seed = at::default_rng_seed_val;
  uint64_t offset = 0;
};

void check_offset(uint64_t offset) {
  TORCH_CHECK(offset % kStep == 0, "an xpu generator's offset is a multiple of ", kStep, ", not ", offset);
}

// A position that generators may share (graphsafe_get_state()).
class SharedPosition {
 public:
  SharedPosition() = default;
  explicit SharedPosition(const Position& position) : position_(position) {}
  Position get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return position_;
  }
  template <class Change>
  Position change(const Change& how) {  // gives what was there before
    std::lock_guard<std::mutex> lock(mutex_);
    const Position before = position_;
    how(position_);
    return before;
  }

 private:
  mutable std::mutex mutex_;
  Position position_;
};

// Each op that draws gets a host generator of its own, seeded by the position, and moves the offset on: the state stays 16
// bytes, and threads never draw the same numbers.
class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(c10::DeviceIndex device, std::shared_ptr<SharedPosition> position = nullptr)
      : c10::GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, device),
                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        position_(position ? std::move(position) : std::make_shared<SharedPosition>()) {}

  static c10::DeviceType device_type() { return c10::DeviceType::PrivateUse1; }

  at::Generator draw() {
    const Position at = position()->change([](Position& p) { p.offset += kStep; });
    // The seed itself at offset 0, so that the first draw after manual_seed() equals the CPU's.
    return at.offset == 0 ? at::detail::createCPUGenerator(at.seed) : generator_at(at.seed + at.offset * kGamma);
  }

  void set_current_seed(uint64_t seed) override {
    position()->change([&](Position& p) { p = {seed, 0}; });
  }
  uint64_t current_seed() const override { return position()->get().seed; }
  uint64_t seed() override {
    const uint64_t drawn = c10::detail::getNonDeterministicRandom(false);
    set_current_seed(drawn);
    return drawn;
  }
  void set_offset(uint64_t offset) override {
    check_offset(offset);
    position()->change([&](Position& p) { p.offset = offset; });
  }
  uint64_t get_offset() const override { return position()->get().offset; }
  void set_state(const c10::TensorImpl& state) override {
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == kStateBytes, "an xpu generator's state is ", kStateBytes, " bytes (seed, offset), not ",
                state.numel());
    const auto* words = static_cast<const char*>(state.data());
    Position set;
    std::memcpy(&set.seed, words, sizeof set.seed);
    std::memcpy(&set.offset, words + sizeof set.seed, sizeof set.offset);
    check_offset(set.offset);
    position()->change([&](Position& p) { p = set; });
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::TensorBase state = at::detail::empty_cpu({kStateBytes}, at::kByte);
    auto* words = static_cast<char*>(state.mutable_data_ptr());
    const Position at = position()->get();
    std::memcpy(words, &at.seed, sizeof at.seed);
    std::memcpy(words + sizeof at.seed, &at.offset, sizeof at.offset);
    return state.getIntrusivePtr();
  }
  // A generator at the same position: what one draws moves both.
  c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override {
    return c10::make_intrusive<DeviceGenerator>(device_.index(), position());
  }
  void graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl>& other) override {
    const auto* ours = dynamic_cast<const DeviceGenerator*>(other.get());
    TORCH_CHECK(ours != nullptr, "an xpu generator takes the state of an xpu generator only");
    std::shared_ptr<SharedPosition> theirs = ours->position();
    std::lock_guard<std::mutex> lock(position_mutex_);
    position_ = std::move(theirs);
  }

 private:
  std::shared_ptr<SharedPosition> position() const {
    std::lock_guard<std::mutex> lock(position_mutex_);
    return position_;
  }

  DeviceGenerator* clone_impl() const override {
    return new DeviceGenerator(device_.index(), std::make_shared<SharedPosition>(position()->get()));
  }

  mutable std::mutex position_mutex_;  // guards which position it is
  std::shared_ptr<SharedPosition> position_;
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
  device = resolve_index(device);
  check_index(device);
  return at::make_generator<DeviceGenerator>(device);
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  device = resolve_index(device);
  check_index(device);
  Defaults& all = defaults();
  std::lock_guard<std::mutex> lock(all.mutex);
  at::Generator& generator = all.generators[static_cast<size_t>(device)];
  if (!generator.defined()) {
    generator = at::make_generator<DeviceGenerator>(device);
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
