#include "memory/mapped.h"

#include <c10/core/CPUAllocator.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "device/chip.h"

namespace torchfl {
namespace {

using detail::MappedMemory;

// By address, as a DataPtr's context must be the address itself: libraries under torch (oneDNN) take raw memory from
// the CPU allocator. A page table of three levels, read without locks; blocks begin on pages of their own.
class PageTable {
 public:
  std::atomic<MappedMemory*>& slot(const void* address) {
    const auto page = reinterpret_cast<uintptr_t>(address) >> 12;
    Middle& middle = below(top_[page >> (2 * kBits) & kMask]);
    Leaf& leaf = below(middle[page >> kBits & kMask]);
    return leaf[page & kMask];
  }

 private:
  static constexpr int kBits = 12;  // 36 bits of page number: the user's half of 48-bit addresses
  static constexpr uintptr_t kMask = (uintptr_t{1} << kBits) - 1;
  template <typename T>
  using Level = std::array<std::atomic<T>, size_t{1} << kBits>;
  using Leaf = Level<MappedMemory*>;
  using Middle = Level<Leaf*>;

  template <typename T>
  static T& below(std::atomic<T*>& pointer) {
    if (T* known = pointer.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<T>();
    T* winner = nullptr;
    if (pointer.compare_exchange_strong(winner, made.get(), std::memory_order_acq_rel)) winner = made.release();
    return *winner;  // never freed
  }

  Level<Middle*> top_{};
};

PageTable& table() {
  static auto* one = new PageTable;
  return *one;
}

MappedMemory* find(const void* address) {
  if (reinterpret_cast<uintptr_t>(address) % 4096 != 0) return nullptr;
  return table().slot(address).load(std::memory_order_acquire);
}

void free_mapped(void* address) {
  if (exiting() || in_bad_fork()) return;  // left to the system, as all device memory is
  MappedMemory* mapped = table().slot(address).exchange(nullptr);
  if (!release_block(mapped->device, *mapped)) std::free(mapped->memory);
  delete mapped;
}

thread_local c10::DeviceIndex scope_device = -1;

MappedMemory* take(size_t nbytes, c10::DeviceIndex device) {
  wait_for_kernels(device);
  auto mapped = std::make_unique<MappedMemory>(device);
  allocate_block(device, nbytes, *mapped);
  mapped->memory = mapped->block.host;
  table().slot(mapped->memory).store(mapped.get(), std::memory_order_release);
  return mapped.release();
}

c10::DataPtr cpu_data(void* memory, void* context, c10::DeleterFnPtr deleter) {
  return {memory, context, deleter, c10::Device(c10::kCPU)};
}

// torch's own CPU allocator, while ours is around it.
std::atomic<c10::Allocator*> allocator_below{nullptr};

void free_raw(void* address) {
  if (find(address) != nullptr)
    free_mapped(address);
  else
    allocator_below.load()->raw_deallocate(address);
}

class ScopedAllocator final : public c10::Allocator {
 public:
  explicit ScopedAllocator(c10::Allocator* below) : below_(below) {}
  c10::DataPtr allocate(size_t nbytes) override {
    if (scope_device < 0) return below_->allocate(nbytes);
    if (nbytes == 0) return cpu_data(nullptr, nullptr, nullptr);
    void* memory = take(nbytes, scope_device)->memory;
    return cpu_data(memory, memory, &free_mapped);
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_raw; }
  void copy_data(void* to, const void* from, std::size_t nbytes) const override { default_copy_data(to, from, nbytes); }
  c10::Allocator* below() const { return below_; }

 private:
  c10::Allocator* const below_;
};

std::mutex& install_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::atomic<ScopedAllocator*> installed{nullptr};

// torch's CPU allocator with ours around it. Never freed: storages refer to it.
ScopedAllocator* scoped_allocator() {
  if (ScopedAllocator* known = installed.load(std::memory_order_acquire)) return known;
  std::lock_guard<std::mutex> lock(install_mutex());
  if (installed.load() == nullptr) {
    auto* made = new ScopedAllocator(c10::GetCPUAllocator());
    allocator_below.store(made->below());
    c10::SetCPUAllocator(made);
    installed.store(made, std::memory_order_release);
  }
  return installed.load();
}

std::array<std::atomic<bool>, 128>& launched() {
  static auto* flags = new std::array<std::atomic<bool>, 128>{};
  return *flags;
}

}  // namespace

// Of host sides that no one but this core made: their context needs no looking up, which every op does.
void detail::free_host_side(void* mapped) { free_mapped(static_cast<MappedMemory*>(mapped)->memory); }

MappedMemory* detail::find_mapped(const c10::DataPtr& data) noexcept {
  return data.get_deleter() == &free_mapped ? find(data.get_context()) : nullptr;
}

c10::intrusive_ptr<c10::StorageImpl> new_mapped_storage(size_t nbytes, c10::DeviceIndex device) {
  MappedMemory* mapped = nbytes != 0 ? take(nbytes, device) : nullptr;
  return c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), nbytes,
      mapped != nullptr ? cpu_data(mapped->memory, mapped, &detail::free_host_side) : cpu_data(nullptr, nullptr, nullptr),
      scoped_allocator(), /*resizable=*/true);
}

void note_kernel(c10::DeviceIndex device) noexcept {
  launched()[static_cast<size_t>(device)].store(true, std::memory_order_release);
}

void wait_for_kernels(c10::DeviceIndex device) {
  auto& flag = launched()[static_cast<size_t>(device)];
  if (!flag.load(std::memory_order_acquire)) return;
  // Cleared before the wait: a kernel launched meanwhile must be waited for by the next reader.
  flag.store(false, std::memory_order_release);
  synchronize(device);
}

MappedScope::MappedScope(c10::DeviceIndex device) : before_(scope_device) {
  if (!chip_of(device).mapped()) return;
  (void)scoped_allocator();
  scope_device = device;
}

MappedScope::~MappedScope() { scope_device = before_; }

void unmap(BlockOwner& owner) noexcept { detach_block(static_cast<MappedMemory&>(owner).device, owner); }

void restore_cpu_allocator() {
  std::lock_guard<std::mutex> lock(install_mutex());
  ScopedAllocator* ours = installed.load();
  // Another allocator may have been set over ours since; it goes on to delegate to it.
  if (ours == nullptr || c10::GetCPUAllocator() != ours) return;
  c10::SetCPUAllocator(ours->below());
  installed.store(nullptr);
}

}  // namespace torchfl
