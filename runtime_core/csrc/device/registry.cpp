// Device indices: which chip each one belongs to, which is current, and what a fork or an exit does to them.
#include "device/registry.h"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "device/activity.h"
#include "device/autograd_queues.h"

namespace torchfl {

namespace detail {
std::atomic<int> driver_state{0};
}

namespace {

constexpr int kMaxDevices = 64;  // c10::DeviceIndex is 8 bits wide, and torch keeps per-device arrays of 64

std::mutex& registry_mutex() {
  static auto* mutex = new std::mutex;  // leaked, like all state here: tensors may outlive static destruction
  return *mutex;
}

std::vector<Chip*>& registry() {
  static auto* chips = new std::vector<Chip*>;
  return *chips;
}

// Published by start_devices() before driver_state becomes 1.
Chip* device_chip[kMaxDevices];
int total_devices = 0;

std::atomic<bool> exit_begun{false}, ever_started{false};
thread_local c10::DeviceIndex current = 0;

void after_fork_in_child() {
  int ready = 1;
  detail::driver_state.compare_exchange_strong(ready, 2);
  forget_other_threads();
}

[[noreturn]] void raise_after_fork() {
  TORCH_CHECK(
      false,
      "the device cannot be used in a process forked after its first use: the vendor's driver does not survive a "
      "fork. Start workers with multiprocessing's 'spawn' method, or keep their tensors on the CPU");
}

std::string failures() {
  std::string text;
  for (Chip* chip : registry())
    if (!chip->init_error().empty()) text += "\n  " + chip->init_error();
  return text;
}

[[noreturn]] void raise_bad_index(c10::DeviceIndex index) {
  if (registry().empty())
    TORCH_CHECK(false, "no chip is loaded: set TORCHFL_DEVICE_DIR to a chip project's folder, or install a chip's wheel");
  if (total_devices == 0) TORCH_CHECK(false, "no device is usable:", failures());
  TORCH_CHECK(false, "device index ", static_cast<int>(index), " is out of range: there are ", total_devices,
              " device(s)", failures());
}

}  // namespace

Chip& add_chip(
    const std::string& selector, const std::string& library, const std::string& runtime_so, const std::string& runtime_so_error,
    bool mapped) {
  std::lock_guard<std::mutex> lock(registry_mutex());
  static const int installed = pthread_atfork(nullptr, nullptr, &after_fork_in_child);
  (void)installed;
  for (Chip* chip : registry())
    if (chip->selector() == selector) {
      if (chip->library() == library && chip->mapped() == mapped) return *chip;
      throw std::runtime_error(selector + " is loaded already from " + chip->library());
    }
  auto loaded = std::make_unique<Chip>(selector, library, runtime_so, runtime_so_error, mapped);
  if (detail::driver_state.load() != 0)
    throw std::runtime_error(selector + ": devices are in use; call torchfl.shutdown() before loading another chip");
  Chip* chip = loaded.release();
  auto& all = registry();
  const auto before = [](const Chip* a, const Chip* b) {  // by chip name, then by family
    const std::string &x = a->selector(), &y = b->selector();
    const int names = x.compare(x.find(':') + 1, std::string::npos, y, y.find(':') + 1, std::string::npos);
    return names != 0 ? names < 0 : x < y;
  };
  all.insert(std::upper_bound(all.begin(), all.end(), chip, before), chip);
  return *chip;
}

void remove_chips() {
  std::lock_guard<std::mutex> lock(registry_mutex());
  const bool ours = detail::driver_state.load() == 1;
  for (Chip* chip : registry())
    if (ours) chip->finalize();
  registry().clear();  // the Chip objects stay: bound kernels and counters may still be referred to
  total_devices = 0;
  current = 0;
  if (ours) detail::driver_state.store(0);
}

void detail::start_devices() {
  if (driver_state.load() == 2) raise_after_fork();
  std::lock_guard<std::mutex> lock(registry_mutex());
  if (driver_state.load() == 1 || registry().empty()) return;  // chips may still come
  int next = 0;
  for (Chip* chip : registry()) {
    try {
      chip->start();
      if (next + chip->device_count_ > kMaxDevices)
        throw std::runtime_error(chip->selector() + ": more than " + std::to_string(kMaxDevices) + " devices in all");
      chip->first_device_ = next;
      for (int i = 0; i < chip->device_count_; ++i) device_chip[next++] = chip;
      chip->init_error_.clear();
    } catch (const c10::Error& e) {
      chip->init_error_ = e.what_without_backtrace();
      chip->device_count_ = 0;
    } catch (const std::exception& e) {
      chip->init_error_ = e.what();
      chip->device_count_ = 0;
    }
  }
  total_devices = next;
  driver_state.store(1, std::memory_order_release);
  ever_started.store(true);
  note_new_devices();
}

const std::vector<Chip*>& chips() { return registry(); }

Chip* find_chip(const std::string& selector) {
  for (Chip* chip : registry())
    if (chip->selector() == selector) return chip;
  return nullptr;
}

Chip& chip_of(c10::DeviceIndex index) {
  ensure_devices();
  if (C10_UNLIKELY(index < 0 || index >= total_devices)) raise_bad_index(index);
  return *device_chip[index];
}

void check_index(c10::DeviceIndex index) {
  if (index != 0 || devices_started()) (void)chip_of(index);
}

int32_t local_index(c10::DeviceIndex index) { return index - chip_of(index).first_device(); }

c10::DeviceIndex device_count() {
  ensure_devices();
  return static_cast<c10::DeviceIndex>(total_devices);
}

c10::DeviceIndex current_device() noexcept { return current; }

void set_current_device(c10::DeviceIndex index) {
  OpScope scope;
  Chip& chip = chip_of(index);
  make_current(chip, index - chip.first_device());
  current = index;
}

void make_current(const Chip& chip, int32_t local) {
  if (chip.api().set_device == nullptr) return;
  if (chip.device_count() == 1) {  // nothing else in this process can change it to another device
    thread_local const Chip* done = nullptr;
    if (done == &chip) return;
    chip.check(chip.api().set_device(local), "set_device");
    done = &chip;
    return;
  }
  const tfl_status status = chip.api().set_device(local);
  if (C10_UNLIKELY(status != TFL_OK)) chip.raise(status, "set_device(" + std::to_string(local) + ")");
}

void synchronize(c10::DeviceIndex index) {
  OpScope scope;
  Chip& chip = chip_of(index);
  if (chip.api().synchronize == nullptr) return;  // a chip without queues: every call is complete on return
  chip.check(chip.api().synchronize(index - chip.first_device()), "synchronize");
}

std::pair<uint64_t, uint64_t> memory_info(c10::DeviceIndex index) {
  OpScope scope;
  Chip& chip = chip_of(index);
  TORCH_CHECK(chip.api().memory_info != nullptr, chip.selector(), " does not report its memory");
  uint64_t free_bytes = 0, total_bytes = 0;
  chip.check(chip.api().memory_info(index - chip.first_device(), &free_bytes, &total_bytes), "memory_info");
  return {free_bytes, total_bytes};
}

std::string device_name(c10::DeviceIndex index) {
  OpScope scope;
  Chip& chip = chip_of(index);
  char text[256] = {0};
  if (chip.api().device_name != nullptr &&
      chip.api().device_name(index - chip.first_device(), text, sizeof text) == TFL_OK && text[0] != 0) {
    text[sizeof text - 1] = 0;
    return text;
  }
  return chip.selector();
}

bool devices_ever_started() noexcept { return ever_started.load(); }

bool exiting() noexcept { return exit_begun.load(std::memory_order_relaxed); }
void begin_exit() noexcept { exit_begun.store(true); }

}  // namespace torchfl
