// PyTorch's view of our devices. Every queue is the chip's default queue in this release: a stream is a name for it, with
// an id of its own, and an event is the time at which that queue had been drained.
#include "device/hooks.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#if __has_include(<c10/core/DeviceCapability.h>)
#include <c10/core/DeviceCapability.h>
#endif
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <atomic>
#include <chrono>

#include "device/chip.h"
#include "device/generator.h"
#include "device/pinned.h"
#include "memory/adopt.h"
#include "memory/box.h"

namespace torchfl {
namespace {

constexpr auto kDevice = c10::DeviceType::PrivateUse1;

struct Event {
  std::chrono::steady_clock::time_point reached;
};

c10::DeviceIndex count_or_zero() noexcept {
  try {
    return in_bad_fork() ? c10::DeviceIndex{0} : device_count();
  } catch (...) {
    return 0;
  }
}

// The calling thread's current stream of each device; 0 is the default one.
c10::StreamId& current_stream(c10::DeviceIndex device) {
  thread_local std::array<c10::StreamId, 128> ids{};  // one for each value of DeviceIndex
  return ids[static_cast<size_t>(device)];
}

c10::Stream stream_of(c10::DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kDevice, device), id);
}

void set_if_given(c10::DeviceIndex index) {
  if (index >= 0 && index != current_device()) set_current_device(index);
}

// Answers for PrivateUse1, and in a second instance for XPU: an "xpu" device in a guard is one of ours.
class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  explicit Guard(c10::DeviceType type) : type_(type) {}

  c10::DeviceType type() const override { return type_; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before(type_, current_device());
    set_if_given(device.index());
    return before;
  }
  c10::Device getDevice() const override { return {type_, current_device()}; }
  void setDevice(c10::Device device) const override { set_if_given(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    try {
      set_if_given(device.index());
    } catch (...) {  // restoring a device while another error unwinds
    }
  }
  c10::DeviceIndex deviceCount() const noexcept override { return count_or_zero(); }
#if __has_include(<c10/core/DeviceCapability.h>)
  // Every dtype of the CPU's but the quantized: what the chip lacks is computed there.
  c10::DeviceCapability getDeviceCapability(c10::Device device) const override {
    check_index(resolve_index(device.index()));
    c10::DeviceCapability all;
    auto& types = all.capability_data.supported_scalar_types;
    types.has_QInt8 = types.has_QUInt8 = types.has_QInt32 = types.has_QUInt4x2 = types.has_QUInt2x4 = 0;
    return all;
  }
#endif

  c10::Stream getStream(c10::Device device) const override {
    const c10::DeviceIndex index = resolve_index(device.index());
    check_index(index);
    return stream_of(index, current_stream(index));
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    const c10::DeviceIndex index = resolve_index(device.index());
    check_index(index);
    return stream_of(index, 0);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<c10::StreamId> next{1};
    const c10::DeviceIndex index = resolve_index(device.index());
    check_index(index);
    return stream_of(index, next.fetch_add(1));
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const c10::DeviceIndex index = resolve_index(stream.device_index());
    check_index(index);
    return stream_of(index, std::exchange(current_stream(index), stream.id()));
  }
  bool queryStream(const c10::Stream& stream) const override {
    OpScope scope;
    Chip& chip = chip_of(stream.device_index());
    if (chip.api().stream_query == nullptr) {
      synchronize(stream.device_index());
      return true;
    }
    const tfl_status status = chip.api().stream_query(local_index(stream.device_index()), nullptr);
    if (status == TFL_NOT_READY) return false;
    chip.check(status, "stream_query");
    return true;
  }
  void synchronizeStream(const c10::Stream& stream) const override { synchronize(stream.device_index()); }
  void synchronizeDevice(const c10::DeviceIndex index) const override { synchronize(resolve_index(index)); }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex, const c10::EventFlag) const override {
    synchronize(stream.device_index());
    if (*event == nullptr) *event = new Event;
    static_cast<Event*>(*event)->reached = std::chrono::steady_clock::now();
  }
  void block(void*, const c10::Stream&) const override {}  // an event is reached when it is recorded
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  double elapsedTime(void* start, void* end, const c10::DeviceIndex) const override {
    TORCH_CHECK(start != nullptr && end != nullptr, "elapsed_time() needs two recorded events");
    const auto took = static_cast<Event*>(end)->reached - static_cast<Event*>(start)->reached;
    return std::chrono::duration<double, std::milli>(took).count();
  }

 private:
  const c10::DeviceType type_;
};

struct Hooks final : at::PrivateUse1HooksInterface {
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return count_or_zero() > 0; }
  c10::DeviceIndex deviceCount() const override { return count_or_zero(); }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return devices_started(); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_current_device(index); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    const c10::DeviceIndex before = current_device();
    set_current_device(index);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    const c10::DeviceIndex before = current_device();
    set_if_given(index);
    return before;
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override { return new_generator(index); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  bool isPinnedPtr(const void* address) const override { return is_pinned(address); }
  c10::Device getDeviceFromPtr(void*) const override {
    TORCH_CHECK(false, "a raw pointer does not say which device it belongs to");
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t nbytes) const override {
    OpScope scope;
    Box* box = box_of(storage.unsafeGetStorageImpl());
    box->settle();
    std::lock_guard<std::mutex> lock(box->mutex);
    box->resize(storage.unsafeGetStorageImpl(), nbytes);
  }
};

// Bytes are named here and come into being on either side when an op needs them.
class DeviceAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t nbytes) override {
    (void)chip_of(current_device());
    return (new Box(nbytes, current_device()))->data_ptr();
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void*, const void*, std::size_t) const override {
    TORCH_CHECK(false, "device memory cannot be copied by its address; use copy_()");
  }
  bool initialized() override { return devices_started(); }
  void emptyCache(c10::MempoolId_t) override { empty_cache(); }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}  // one in-order queue for each device
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    const MemoryStats stats = memory_stats(device);
    c10::CachingDeviceAllocator::DeviceStats result;
    // The pool is one: what torch keeps apart for small and large blocks stays 0.
    const auto fill = [](auto& array, const Counted& counted) {
      auto& all = array[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
      all.current = static_cast<int64_t>(counted.current);
      all.peak = static_cast<int64_t>(counted.peak);
      all.allocated = static_cast<int64_t>(counted.added);
      all.freed = static_cast<int64_t>(counted.removed());
    };
    for (auto* array : {&result.allocated_bytes, &result.active_bytes, &result.requested_bytes})
      fill(*array, stats.allocated);
    for (auto* array : {&result.allocation, &result.active}) fill(*array, stats.blocks);
    fill(result.reserved_bytes, stats.reserved);
    fill(result.segment, stats.segments);
    result.num_device_alloc = static_cast<int64_t>(stats.segments.added);
    result.num_device_free = static_cast<int64_t>(stats.segments.removed());
    result.num_alloc_retries = static_cast<int64_t>(stats.retries);
    result.num_ooms = static_cast<int64_t>(stats.failures);
    return result;
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override { reset_accumulated_stats(device); }
  void resetPeakStats(c10::DeviceIndex device) override { reset_peak_stats(device); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override { return memory_info(device); }
};

DeviceAllocator& allocator() {
  static auto* instance = new DeviceAllocator;
  return *instance;
}

}  // namespace

c10::Allocator* device_allocator() noexcept { return &allocator(); }

void install_device() {
  static bool done = false;
  if (done) return;
  done = true;
  TORCH_CHECK(!at::isPrivateUse1HooksRegistered(), "another backend has taken torch's PrivateUse1 device in this process");
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  c10::SetAllocator(kDevice, &allocator(), /*priority=*/1);
  at::setHostAllocator(kDevice, pinned_allocator(), /*priority=*/1);
  static auto* guard = new Guard(kDevice);
  c10::impl::device_guard_impl_registry[static_cast<size_t>(kDevice)].store(guard);
}

void install_xpu_alias() {
  static bool done = false;
  if (done) return;
  done = true;
  static auto* guard = new Guard(c10::DeviceType::XPU);
  c10::impl::device_guard_impl_registry[static_cast<size_t>(c10::DeviceType::XPU)].store(guard);
  c10::SetAllocator(c10::DeviceType::XPU, &allocator(), /*priority=*/1);
}

}  // namespace torchfl
