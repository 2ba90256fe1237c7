// The two sides of one storage and the copies between them.
#include "memory/box.h"

#include <c10/core/CPUAllocator.h>

#include <cstring>

#include "device/chip.h"
#include "memory/addresses.h"
#include "memory/counters.h"
#include "memory/evict.h"
#include "memory/mapped.h"
#include "memory/pointers.h"
#include "memory/retired.h"
#include "memory/spares.h"

namespace torchfl {
c10::intrusive_ptr<c10::StorageImpl> new_host_storage(size_t nbytes) {
  auto* allocator = c10::GetCPUAllocator();
  return c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), nbytes, allocator->allocate(nbytes), allocator, /*resizable=*/true);
}

Box::Box(size_t nbytes_, c10::DeviceIndex device_) : BlockOwner(OwnerKind::box), nbytes(nbytes_), device(device_) {
  if (nbytes != 0) address = reserve_address(nbytes, this);
}

Box::~Box() {
  release_block(device, *this);  // first: waits for a thread that evicts it
  if (!kept.reading.empty()) forget_forms();
  if (budget.ever_listed) unlist(*this);
  forget_eviction(*this);
  withdraw_address(*this, nullptr);
  if (address != nullptr) return_address(address, nbytes);
}

c10::DataPtr Box::data_ptr() {
  parked_.store(false, std::memory_order_relaxed);
  return {address, this, &Box::deleter, c10::Device(c10::DeviceType::PrivateUse1, device)};
}

void Box::deleter(void* context) noexcept {
  // Once the process exits, the allocators behind the sides may be gone; after a fork, a lock that another thread
  // held is never given back.
  if (exiting() || in_bad_fork()) return;
  Box* box = static_cast<Box*>(context);
  if (C10_UNLIKELY(box->lives_on)) return;
  if (box->park()) return;
  box->parked_.store(true, std::memory_order_relaxed);
  if (!keep_box(*box)) delete box;
}

// Nobody refers to the box any more, except a thread that evicts it: park_block() declines then.
bool Box::park() noexcept {
  if (nbytes == 0) return false;
  // Without device memory it need not be asked for a place. Read as release_block() does.
  if (std::atomic_ref<void*>(block.handle).load(std::memory_order_acquire) == nullptr && mapped() == nullptr) return false;
  parked_.store(true, std::memory_order_relaxed);
  const bool parked = park_block(
      device, nbytes, *this, this, [](void* box) noexcept { return static_cast<Box*>(box)->parked_owner(); },
      [](void* box) noexcept { delete static_cast<Box*>(box); });
  if (!parked) parked_.store(false, std::memory_order_relaxed);
  return parked;
}

// The owner of the device memory that is parked with the box, which has no content from now on; nullptr if it is to die.
BlockOwner* Box::parked_owner() noexcept {
  if (budget.ever_listed || moved_out != 0 || open != nullptr || !kept.reading.empty()) return nullptr;
  valid.store(kNoSide, std::memory_order_relaxed);
  if (!host) return this;
  return host.use_count() == 1 ? mapped_owner(host.get(), device) : nullptr;  // of a chip that maps, the host side's
}

Box* Box::take_parked(size_t nbytes, c10::DeviceIndex device, DeviceUses& uses) {
  ensure_devices();
  Box* box = static_cast<Box*>(take_parked_block(device, nbytes, uses));
  if (box == nullptr) return nullptr;
  box->parked_.store(false, std::memory_order_relaxed);
  box->nbytes = nbytes;
  box->window_reads = 0;
  if (box->host) box->host->set_nbytes(nbytes);
  return box;
}

void Box::fill_host(bool discard) {
  const uint8_t now = valid.load(std::memory_order_relaxed);
  if (now & kHostSide) return;
  // A storage that somebody still views keeps its old bytes; it is not ours to overwrite.
  if (!host || host->nbytes() != nbytes || host.use_count() > 1)
    host = one_sided() ? new_mapped_storage(nbytes, device) : new_host_storage(nbytes);
  if (discard) return;
  if (now & kDeviceSide) download(host->mutable_data(), 0, nbytes);
  valid.store(now | sides_after(kHostSide), std::memory_order_release);
  if (now & kDeviceSide) list_two_sided(*this);
}

void Box::fill_device(bool discard) {
  const uint8_t now = valid.load(std::memory_order_relaxed);
  if ((now & kDeviceSide) && device_block().handle != nullptr) return;
  if (one_sided()) return fill_mapped(discard);
  if (block.size < nbytes) {
    drop_block();
    allocate_block(device, nbytes, *this);
  }
  forget_eviction(*this);
  if (discard) return;
  if (now & kHostSide) upload(0, host->data(), nbytes);
  valid.store(now | kDeviceSide, std::memory_order_release);
  if (now & kHostSide) list_two_sided(*this);
}

void Box::fill_mapped(bool discard) {
  const bool current = valid.load(std::memory_order_relaxed) & kHostSide;
  if (mapped() == nullptr || host->nbytes() != nbytes) {
    auto moved = new_mapped_storage(nbytes, device);
    if (current) {
      std::memcpy(moved->mutable_data(), host->data(), nbytes);
      count_copy(copy_counters().host, copy_counters().host_bytes, nbytes);
    }
    host = std::move(moved);
  }
  if (current || !discard) valid.store(kHostSide | kDeviceSide, std::memory_order_release);
}

bool Box::one_sided() const { return chip_of(device).mapped(); }

uint8_t Box::sides_after(Side side) const noexcept {
  return C10_UNLIKELY(mapped() != nullptr) ? kHostSide | kDeviceSide : side;
}

void Box::device_written() noexcept {
  note_write();
  if (mapped() != nullptr) return;
  if (budget.listed) unlist(*this);
  valid.store(kDeviceSide, std::memory_order_release);
  host.reset();
}

void Box::note_write() noexcept {
  ++writes;
  if (!kept.reading.empty()) forget_forms();
}

void Box::drop_block() noexcept { retire_block(device, *this); }

void Box::upload(uint64_t offset, const void* from, size_t bytes) { upload_to(block, offset, from, bytes, device); }

void Box::download(void* to, uint64_t offset, size_t bytes) const { download_from(block, to, offset, bytes, device); }

void upload_to(const Block& block, uint64_t offset, const void* from, size_t bytes, c10::DeviceIndex device) {
  if (bytes == 0) return;
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  make_current(chip, local);
  chip.check(chip.api().copy_h2d(local, block.handle, block.offset + offset, from, bytes, nullptr), "copy_h2d");
  count_copy(copy_counters().h2d, copy_counters().h2d_bytes, bytes);
}

void download_from(const Block& block, void* to, uint64_t offset, size_t bytes, c10::DeviceIndex device) {
  if (bytes == 0) return;
  Chip& chip = chip_of(device);
  const int32_t local = device - chip.first_device();
  make_current(chip, local);
  chip.check(chip.api().copy_d2h(local, to, block.handle, block.offset + offset, bytes, nullptr), "copy_d2h");
  count_copy(copy_counters().d2h, copy_counters().d2h_bytes, bytes);
}

void Box::set_address(c10::StorageImpl* owner, size_t new_nbytes) {
  TORCH_CHECK(owner->_mutable_data_ptr_no_checks().get_context() == this,
              "a storage that borrows another's device memory cannot be resized");
  withdraw_address(*this, nullptr);
  void* new_address = new_nbytes != 0 ? reserve_address(new_nbytes, this) : nullptr;
  if (address != nullptr) return_address(address, nbytes);
  address = new_address;
  nbytes = new_nbytes;
  lives_on = true;
  owner->set_data_ptr_noswap(data_ptr());
  lives_on = false;
  owner->set_nbytes(new_nbytes);
  arm_data_ptr(owner, *this);
}

void Box::resize(c10::StorageImpl* owner, size_t new_nbytes) {
  const size_t kept = std::min(nbytes, new_nbytes);
  if (budget.listed) unlist(*this);
  forget_eviction(*this);
  note_write();
  uint8_t now = valid.load(std::memory_order_relaxed);
  if (kept == 0) {
    valid.store(kNoSide, std::memory_order_release);
    host.reset();
    drop_block();
    set_address(owner, new_nbytes);
    return;
  }
  // Bytes of a device side that the block has no room for move over the host: growing a storage is rare.
  if ((now & kDeviceSide) && block.size < new_nbytes) {
    fill_host(/*discard=*/false);
    if (budget.listed) unlist(*this);
    now = kHostSide;
    valid.store(now, std::memory_order_release);
  }
  if (!(now & kDeviceSide)) drop_block();
  if (now & kHostSide) {
    if (mapped() != nullptr) wait_for_kernels(device);
    auto grown = one_sided() ? new_mapped_storage(new_nbytes, device) : new_host_storage(new_nbytes);
    std::memcpy(grown->mutable_data(), host->data(), kept);
    host = std::move(grown);
  } else {
    host.reset();
  }
  set_address(owner, new_nbytes);
  valid.store(now, std::memory_order_release);
}

void Box::follow_host(c10::StorageImpl* owner) { set_address(owner, host->nbytes()); }

Box* try_box_of(const c10::StorageImpl* storage) noexcept {
  const auto& data = const_cast<c10::StorageImpl*>(storage)->_mutable_data_ptr_no_checks();
  if (C10_LIKELY(data.get_deleter() == &Box::deleter)) return static_cast<Box*>(data.get_context());
  // A storage made around our address, as torch's own file writing does: it borrows the box.
  if (Box* pointed = pointed_to(data.get())) return pointed;
  Box* owner = static_cast<Box*>(owner_of(data.get()));
  return owner != nullptr && !owner->parked_.load(std::memory_order_relaxed) ? owner : nullptr;
}

Box* try_box_of(const at::Tensor& tensor) noexcept {
  return tensor.defined() && tensor.has_storage() ? try_box_of(storage_of(tensor)) : nullptr;
}

Box* box_of(const c10::StorageImpl* storage) {
  Box* box = try_box_of(storage);
  TORCH_CHECK(box != nullptr, "this storage on ", storage->device(),
              " was not made by torchfl: its data pointer was replaced from outside");
  return box;
}

Box* box_of_uncommon(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.has_storage(), "this ", tensor.layout(), " tensor on ", tensor.device(), " has no storage");
  return box_of(storage_of(tensor));
}

void move_all_to_host() {
  release_retired();
  drop_parked();
  std::vector<c10::intrusive_ptr<c10::StorageImpl>> shown;  // freed when nothing is claimed or locked
  const c10::DeviceIndex count = device_count();
  for (c10::DeviceIndex device = 0; device < count; ++device)
    for (BlockOwner* owner : claim_owners(device, [](BlockOwner&) { return true; })) {
      if (owner->block.host != nullptr) {
        unmap(*owner);
      } else if (owner->kind != OwnerKind::box) {
        release_claimed(device, *owner);
      } else {
        Box* box = static_cast<Box*>(owner);
        std::lock_guard<std::mutex> lock(box->mutex);
        if (box->valid.load() & kDeviceSide) {
          box->fill_host(/*discard=*/false);
          box->valid.store(kHostSide);
        }
        if (box->open != nullptr) {
          shown.push_back(box->open->storage.lock());
          withdraw_address(*box, shown.back().get());
        }
        release_claimed(device, *box);
      }
      unclaim(*owner);
    }
  restore_cpu_allocator();
}

std::string side_names(const at::Tensor& tensor) {
  const uint8_t valid = box_of(tensor)->valid.load(std::memory_order_acquire);
  return std::string(valid & kHostSide ? "H" : "") + (valid & kDeviceSide ? "D" : "");
}

}  // namespace torchfl
