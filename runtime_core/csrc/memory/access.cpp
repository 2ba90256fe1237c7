// Locking, migration and marking of the storages of one op.
#include "memory/access.h"

#include <algorithm>

#include "device/chip.h"
#include "memory/adopt.h"

namespace torchfl {
namespace {

// True where the elements of `t` are all the bytes of its storage.
bool covers_storage(const at::Tensor& t, size_t nbytes) {
  return t.storage_offset() == 0 && t.nbytes() == nbytes && t.is_non_overlapping_and_dense();
}

}  // namespace

Access::~Access() { release(); }

Access::Use* Access::find(const Box* box) {
  for (auto& use : uses_)
    if (use.box == box) return &use;
  return nullptr;
}

const Access::Use* Access::find(const Box* box) const { return const_cast<Access*>(this)->find(box); }

Access::Use& Access::use(const at::Tensor& t) {
  Box* box = box_of(t);
  if (Use* known = find(box)) return *known;
  uses_.emplace_back();
  Use& added = uses_.back();
  added.box = box;
  added.storage = t.unsafeGetTensorImpl()->unsafe_storage();
  return added;
}

void Access::read(const at::Tensor& t) { use(t).reads = true; }

void Access::write(const at::Tensor& t, bool overwrites) {
  Use& u = use(t);
  u.write = true;
  if (overwrites && covers_storage(t, u.box->nbytes))
    u.covers_all = true;
  else if (!u.covers_all)
    u.reads = true;  // the rest of the storage must survive
  written_.push_back(t.unsafeGetTensorImpl());
}

void Access::lock_in_order() {
  ensure_devices();  // raises in a fork whose parent used the device, before any lock is touched
  if (uses_.size() > 1)
    std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) { return std::less<>()(a.box, b.box); });
}

void Access::to_host() {
  lock_in_order();
  side_ = kHostSide;
  for (Use& u : uses_) {
    u.box->mutex.lock();
    u.locked = true;
    u.valid_before = u.box->valid.load(std::memory_order_relaxed);
    u.box->fill_host(u.write && !u.reads);
    u.host = u.box->host;
    if (!u.write) {
      u.locked = false;
      u.box->mutex.unlock();
    }
  }
}

void Access::to_device() {
  lock_in_order();
  side_ = kDeviceSide;
  for (Use& u : uses_) {
    u.box->mutex.lock();
    u.locked = true;
    u.valid_before = u.box->valid.load(std::memory_order_relaxed);
    if (u.box->nbytes != 0) u.box->fill_device(u.write && !u.reads);
    u.block = u.box->block;
    if (!u.write) {
      u.locked = false;
      u.box->mutex.unlock();
    }
  }
}

at::Tensor Access::host_view(const at::Tensor& t) {
  const c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  for (const View& view : views_)
    if (view.device.unsafeGetTensorImpl() == impl) return view.cpu;
  const Use* u = find(box_of(t));
  TORCH_INTERNAL_ASSERT(u != nullptr && side_ == kHostSide, "host_view() of a tensor that was not taken to the host");
  const bool write = std::find(written_.begin(), written_.end(), impl) != written_.end();
  views_.push_back(View{t, cpu_tensor(u->host, t), write});
  return views_.back().cpu;
}

DeviceView Access::device_view(const at::Tensor& t) const {
  const Use* u = find(box_of(t));
  TORCH_INTERNAL_ASSERT(u != nullptr && side_ == kDeviceSide, "device_view() of a tensor that was not taken to the device");
  if (u->block.handle == nullptr) return {nullptr, 0};
  return {u->block.handle, u->block.offset + static_cast<uint64_t>(t.storage_offset()) * t.element_size()};
}

at::Tensor Access::device_tensor_of(const at::Tensor& cpu) const {
  for (const View& view : views_)
    if (view.cpu.is_same(cpu)) return view.device;
  return {};
}

c10::Storage Access::device_storage_of(const at::Tensor& cpu) const {
  const c10::StorageImpl* storage = storage_of(cpu);
  for (const Use& u : uses_)
    if (u.host.get() == storage) return u.storage;
  return {};
}

// What a CPU op did to the views it was given to write: other sizes, a grown storage, another storage.
void Access::finish_writes() {
  for (Use& u : uses_)
    if (u.write && u.box->host && u.box->host->nbytes() != u.box->nbytes)
      u.box->follow_host(u.storage.unsafeGetStorageImpl());
  for (View& view : views_) {
    if (!view.write) continue;
    c10::TensorImpl* device = view.device.unsafeGetTensorImpl();
    c10::TensorImpl* cpu = view.cpu.unsafeGetTensorImpl();
    c10::StorageImpl* storage = storage_of(view.cpu);
    if (const Use* u = find(box_of(view.device)); storage != u->host.get())
      device->set_storage_keep_dtype(
          adopt_storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage), u->box->device));
    if (!cpu->sizes().equals(device->sizes()) || !cpu->strides().equals(device->strides()) ||
        cpu->storage_offset() != device->storage_offset())
      device->set_sizes_and_strides(cpu->sizes(), cpu->strides(), cpu->storage_offset());
  }
}

void Access::commit() {
  if (side_ == kHostSide) finish_writes();
  for (Use& u : uses_) {
    if (!u.write) continue;
    u.box->valid.store(u.box->nbytes != 0 ? side_ : uint8_t{kNoSide}, std::memory_order_release);
    if (side_ == kDeviceSide) u.box->host.reset();  // stale; views that are still alive keep their own reference
  }
  committed_ = true;
}

void Access::release() noexcept {
  for (auto u = uses_.rbegin(); u != uses_.rend(); ++u) {
    if (!u->locked) continue;
    if (u->write && !committed_) {
      const uint8_t other = u->valid_before & static_cast<uint8_t>(~side_);
      if (other != 0) u->box->valid.store(other, std::memory_order_release);
      if (side_ == kHostSide && (other != 0 || (u->box->host && u->box->host->nbytes() != u->box->nbytes))) {
        // The op failed half way. The device side still has the bytes from before it; without one, a host storage
        // that the op had resized cannot be matched to the tensors any more and is left as undefined content.
        u->box->host.reset();
        if (other == 0) u->box->valid.store(kNoSide, std::memory_order_release);
      }
    }
    u->locked = false;
    u->box->mutex.unlock();
  }
}

}  // namespace torchfl
