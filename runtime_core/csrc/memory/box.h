// A storage with two sides: host memory that CPU kernels work on, and device memory that the chip works on.
//
// A Box is the context of a device StorageImpl's DataPtr. `valid` says which sides hold the current bytes; a
// side is filled from the other when an op needs it, once. The address in the DataPtr is reserved address space
// that nothing is ever mapped to: it names the storage (PyTorch compares addresses) and a host access faults.
//
//   valid   host read        host write       device read      device write
//   none    alloc -> H       -> H             alloc -> D       -> D
//   H       -                -                upload -> HD     upload (not if it covers all) -> D
//   D       download -> HD   download -> H    -                -
//   HD      -                -> H             -                -> D
//
// Beside its sides a storage may keep another form of its bytes, and have nothing but that: forms.h.
//
// `mutex` guards everything but nbytes and device, which change only while no other op uses the storage. Take
// boxes through Access (access.h), which locks in address order; a writer holds the lock to the end of its op.
// Never hold it while running Python.
//
// A device side may be taken away when the device is full (evict.h), and a block when its storage is resized. An op that
// uses `block` without the lock says so first (DeviceUses), and looks at `valid` after that.
//
// On a chip that maps host memory there is one side: `host` lies in mapped memory, `block` is empty, both bits go
// together and no byte moves. A host side that lies elsewhere (another allocator's) is copied into mapped memory once.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/activity.h"
#include "memory/budget.h"
#include "memory/kept_forms.h"
#include "memory/mapped.h"
#include "memory/pool.h"

namespace torchfl {

enum Side : uint8_t { kNoSide = 0, kHostSide = 1, kDeviceSide = 2 };

// `block`, the device side, has a handle from the first use on.
class Box : public BlockOwner {
 public:
  Box(size_t nbytes, c10::DeviceIndex device);  // reserves the address; allocates neither side
  ~Box();
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;

  // A DataPtr that owns this box; call it once.
  c10::DataPtr data_ptr();
  static void deleter(void* context) noexcept;  // the DataPtr's deleter, and the mark by which box_of knows ours

  std::mutex mutex;
  std::atomic<uint8_t> valid{kNoSide};  // of Side bits
  size_t nbytes;
  c10::DeviceIndex device;
  void* address = nullptr;  // reserved, never mapped; nullptr for zero bytes
  c10::intrusive_ptr<c10::StorageImpl> host;  // the host side: one CPU storage shared by all aliases, or null

  // The caller holds `mutex`. Each makes a side exist, holding the current bytes; with `discard` its content is
  // undefined and `valid` stays as it is. Neither marks the other side stale.
  void fill_host(bool discard);
  void fill_device(bool discard);

  // The caller holds `mutex`, and no other op uses the storage. Changes the size and the address that `owner`
  // shows; keeps the first bytes of every valid side.
  void resize(c10::StorageImpl* owner, size_t new_nbytes);

  // The caller holds `mutex`. The host storage is of `new_nbytes` now (a CPU op resized it): takes a new address
  // of that size. The device side is to be marked stale by the caller.
  void follow_host(c10::StorageImpl* owner);

  // The caller holds `mutex`, and the chip does not map. Copies between the caller's memory and the device side, past
  // the state machine.
  void upload(uint64_t offset, const void* from, size_t bytes);
  void download(void* to, uint64_t offset, size_t bytes) const;

  // The caller holds `mutex`, and `valid` says that there is no device side. Another thread's op may still use it.
  void drop_block() noexcept;

  // A small box with a device side that dies is parked with its address and its device memory, for the next output of
  // that size. Gives one (neither side is valid) and says in `uses` that its memory is used; nullptr where there is none.
  static Box* take_parked(size_t nbytes, c10::DeviceIndex device, DeviceUses& uses);

  // Whether the chip of this storage maps host memory, and the host side's block if that is mapped.
  bool one_sided() const;
  const Block* mapped() const noexcept { return mapped_block(host.get(), device); }

  // The caller holds `mutex`. Where the bytes are on the device; a null handle where they are not.
  const Block& device_block() const noexcept {
    const Block* shared = mapped();
    return C10_UNLIKELY(shared != nullptr) ? *shared : block;
  }
  // The bits of `valid` after a write on `side`.
  uint8_t sides_after(Side side) const noexcept;

  // Bytes that went through windows for reading since the last write: once they come to the whole storage, it moves.
  uint64_t window_reads = 0;

  // The bytes in the form in which some kernel wants them. What was made of the bytes is kept from the second time on.
  struct Kept {
    std::vector<int64_t> reading;  // the tensor whose form it is (reading_of()); empty: none was asked for
    std::vector<int64_t> form;     // the adapter's description
    at::Tensor tensor;             // undefined: the form was asked for once
  };
  Kept kept;
  FormLink forms;
  std::atomic<bool> late{false};  // the bytes are still to be made of the form
  uint64_t writes = 0;  // how often the bytes were written

  // What data_ptr() gave (pointers.h): the block stays where it is. nullptr where nothing was given.
  struct OpenAddress {
    void* address;
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // that shows it
  };
  std::unique_ptr<OpenAddress> open;
  bool lives_on = false;  // while another DataPtr takes the place of the one that owns this box

  // The caller holds `mutex`. The device side was written, or may be: it is the only valid one.
  void device_written() noexcept;

  // For evict.h: memory_clock() when the device side was last used, and the bytes that it counts as moved out.
  std::atomic<uint32_t> last_use{0};
  size_t moved_out = 0;

  // Tells `uses` that the calling thread's op uses the device side. See DeviceUses::add().
  bool note_use(DeviceUses& uses) noexcept {
    const uint32_t now = memory_clock();
    if (last_use.load(std::memory_order_relaxed) != now) last_use.store(now, std::memory_order_relaxed);
    return uses.add(static_cast<BlockOwner*>(this));
  }

  // The caller holds `mutex` and wrote the bytes, or is about to: nothing that was made of them is right any more.
  void note_write() noexcept;

  // The caller holds `mutex`.
  void forget_forms() noexcept;

  // Makes the bytes of a late storage, within the device where that can be. The caller holds no storage's lock.
  void settle() {
    if (C10_UNLIKELY(late.load(std::memory_order_acquire))) settle_late();
  }

  BudgetLink budget;

 private:
  friend Box* try_box_of(const c10::StorageImpl* storage) noexcept;
  bool park() noexcept;
  BlockOwner* parked_owner() noexcept;
  void fill_mapped(bool discard);
  void settle_late();
  bool take_late(Box& made, const at::Tensor& form);
  void set_address(c10::StorageImpl* owner, size_t new_nbytes);

  std::atomic<bool> parked_{false};
};

// Copies between the caller's memory and a block of a device's own memory, counted.
void upload_to(const Block& block, uint64_t offset, const void* from, size_t bytes, c10::DeviceIndex device);
void download_from(const Block& block, void* to, uint64_t offset, size_t bytes, c10::DeviceIndex device);

// The box of a device storage or tensor. try_box_of gives nullptr where the storage is not ours (CPU, foreign);
// box_of throws for those.
Box* try_box_of(const c10::StorageImpl* storage) noexcept;
Box* try_box_of(const at::Tensor& tensor) noexcept;
Box* box_of(const c10::StorageImpl* storage);
Box* box_of_uncommon(const at::Tensor& tensor);  // box_of() for what is not simply a storage of ours
inline Box* box_of(const at::Tensor& tensor) {
  if (const c10::Storage& storage = tensor.unsafeGetTensorImpl()->unsafe_storage(); C10_LIKELY(bool(storage))) {
    const c10::DataPtr& data = storage.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks();
    if (C10_LIKELY(data.get_deleter() == &Box::deleter)) return static_cast<Box*>(data.get_context());
  }
  return box_of_uncommon(tensor);
}

// True for a defined tensor on a torchfl device.
inline bool is_ours(const at::Tensor& t) {
  return t.defined() && t.device().type() == c10::DeviceType::PrivateUse1;
}

inline c10::StorageImpl* storage_of(const at::Tensor& t) {
  return t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

// A CPU storage of this many bytes.
c10::intrusive_ptr<c10::StorageImpl> new_host_storage(size_t nbytes);

// Brings every living storage to its host side and frees its device memory: before the drivers are shut down, with
// ops stopped. Other threads may free tensors meanwhile.
void move_all_to_host();

// "", "H", "D" or "HD": for tests and diagnosis.
std::string side_names(const at::Tensor& tensor);

}  // namespace torchfl
