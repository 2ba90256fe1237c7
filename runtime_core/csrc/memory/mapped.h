// Host memory that a chip uses in place: on a chip whose profile says `memory: {mode: mapped}` a storage has one side.
//
// The host side of such a storage lies in a block that was mapped for the device, so that kernels of the chip and of
// the CPU work on the same bytes. CPU kernels put their results into mapped blocks too: within a MappedScope the CPU
// allocator of the calling thread takes from the device's pool.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/StorageImpl.h>

#include "memory/pool.h"

namespace torchfl {

// A CPU storage in mapped memory. Waits for queued kernels first: one of them may still use a block that was freed.
c10::intrusive_ptr<c10::StorageImpl> new_mapped_storage(size_t nbytes, c10::DeviceIndex device);

namespace detail {
// What is known of one piece of memory. `memory` outlives the mapping: tensors keep their values through a shutdown.
struct MappedMemory : BlockOwner {
  explicit MappedMemory(c10::DeviceIndex device_) : BlockOwner(OwnerKind::mapped), device(device_) {}
  const c10::DeviceIndex device;
  void* memory = nullptr;
};
void free_host_side(void* mapped);  // the deleter of what new_mapped_storage() makes, whose context it is
MappedMemory* find_mapped(const c10::DataPtr& data) noexcept;  // by address: any other
}  // namespace detail

// The owner of the block behind a CPU storage that is mapped for `device`; nullptr where it is not (or not any more).
inline BlockOwner* mapped_owner(const c10::StorageImpl* host, c10::DeviceIndex device) noexcept {
  if (host == nullptr) return nullptr;
  const c10::DataPtr& data = const_cast<c10::StorageImpl*>(host)->_mutable_data_ptr_no_checks();
  auto* mapped = C10_LIKELY(data.get_deleter() == &detail::free_host_side)
                     ? static_cast<detail::MappedMemory*>(data.get_context())
                     : detail::find_mapped(data);
  return mapped != nullptr && mapped->device == device && mapped->block.handle != nullptr ? mapped : nullptr;
}
inline const Block* mapped_block(const c10::StorageImpl* host, c10::DeviceIndex device) noexcept {
  const BlockOwner* owner = mapped_owner(host, device);
  return owner != nullptr ? &owner->block : nullptr;
}

// Before the host uses mapped memory: waits for the kernels launched since the last wait. After launching: says so.
void wait_for_kernels(c10::DeviceIndex device);
void note_kernel(c10::DeviceIndex device) noexcept;

// While it lives, CPU tensors that this thread makes lie in memory mapped for `device`, if its chip maps memory.
class MappedScope {
 public:
  explicit MappedScope(c10::DeviceIndex device);
  ~MappedScope();
  MappedScope(const MappedScope&) = delete;
  MappedScope& operator=(const MappedScope&) = delete;

 private:
  const c10::DeviceIndex before_;
};

// Takes the device away from every living mapped block, whose memory then is common host memory, and gives torch its
// CPU allocator back: before the drivers are shut down.
void unmap(BlockOwner& owner) noexcept;
void restore_cpu_allocator();

}  // namespace torchfl
