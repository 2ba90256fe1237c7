// Locking, migration and marking of the storages of one op.
#include "memory/access.h"

#include <algorithm>
#include <cstring>

#include "device/chip.h"
#include "memory/adopt.h"
#include "memory/mapped.h"
#include "memory/pointers.h"
#include "memory/spares.h"

namespace torchfl {
namespace {

// True where the elements of `t` are all the bytes of its storage.
bool covers_storage(const at::Tensor& t, size_t nbytes) {
  return t.storage_offset() == 0 && t.nbytes() == nbytes && t.is_non_overlapping_and_dense();
}

// Where the view's first element is, in bytes of its storage.
uint64_t span_start(const at::Tensor& t) { return static_cast<uint64_t>(t.storage_offset()) * t.element_size(); }

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
  box->settle();
  uses_.emplace_back();
  Use& added = uses_.back();
  added.box = box;
  added.storage = t.unsafeGetTensorImpl()->unsafe_storage();
  return added;
}

void Access::note_view(Use& u, const at::Tensor& t, bool write, bool overwrites) {
  if (u.whole || !windows_ || u.box->nbytes < kWindowFrom) return;
  const Span span = span_of(t);
  const bool may_grow = write && span.begin == span.end;  // an empty destination, which the op will resize
  if (may_grow || span.end - span.begin > u.box->nbytes / kWindowShare) {
    u.whole = true;
    return;
  }
  if (u.windows == nullptr) u.windows = std::make_unique<Windows>(u.box->device);
  u.windows->add(t, write, overwrites);
}

void Access::read(const at::Tensor& t) {
  Use& u = use(t);
  u.reads = true;
  note_view(u, t, /*write=*/false, /*overwrites=*/false);
}

void Access::write(const at::Tensor& t, bool overwrites) {
  Use& u = use(t);
  u.write = true;
  if (overwrites && covers_storage(t, u.box->nbytes))
    u.covers_all = true;
  else if (!u.covers_all)
    u.reads = true;  // the rest of the storage must survive
  note_view(u, t, /*write=*/true, overwrites);
  written_.push_back(t.unsafeGetTensorImpl());
}

// For locking: by address.
c10::SmallVector<Access::Use*, 4> Access::in_order() {
  ensure_devices();  // raises in a fork whose parent used the device, before any lock is touched
  c10::SmallVector<Use*, 4> all;
  for (Use& u : uses_) all.push_back(&u);
  if (all.size() == 2) {
    if (std::less<>()(all[1]->box, all[0]->box)) std::swap(all[0], all[1]);
  } else if (all.size() > 2) {
    std::sort(all.begin(), all.end(), [](const Use* a, const Use* b) { return std::less<>()(a->box, b->box); });
  }
  return all;
}

// The caller holds the box's lock. False: the storage moves whole, or need not move.
bool Access::open_windows(Use& u) {
  if (u.windows == nullptr || u.whole) return false;
  Box& box = *u.box;
  const uint8_t source = side_ == kHostSide ? kDeviceSide : kHostSide;
  if (u.valid_before != source || box.one_sided()) {
    u.whole = true;
    return false;
  }
  const size_t bytes = u.windows->join();
  u.whole = bytes > box.nbytes / kWindowShare;
  if (!u.write && !u.whole) {
    // Reading it all piece by piece must not cost more than twice what moving it once would.
    box.window_reads += bytes;
    u.whole = box.window_reads > box.nbytes;
  }
  if (u.whole) {
    box.window_reads = 0;
    return false;
  }
  for (auto& window : u.windows->all()) {
    if (side_ == kHostSide) {
      window->host = new_host_storage(window->size());
      if (window->needed) box.download(window->host->mutable_data(), window->begin, window->size());
    } else {
      allocate_block(box.device, window->size(), *window);
      if (window->needed)
        upload_to(window->block, 0, static_cast<const char*>(box.host->data()) + window->begin, window->size(),
                  box.device);
    }
  }
  return true;
}

void Access::to_host() {
  const auto all = in_order();
  side_ = kHostSide;
  for (Use* each : all) {
    Use& u = *each;
    u.box->mutex.lock();
    u.locked = true;
    // The next data_ptr() has to hear of it: the host side becomes valid. With the lock, as one thread alone may arm it.
    if (C10_UNLIKELY(u.box->open != nullptr)) arm_data_ptr(u.storage.unsafeGetStorageImpl(), *u.box);
    u.valid_before = u.box->valid.load(std::memory_order_relaxed);
    if (!open_windows(u)) {
      u.box->fill_host(u.write && !u.reads);
      u.host = u.box->host;
      if (C10_UNLIKELY(u.box->mapped() != nullptr)) wait_for_kernels(u.box->device);
    }
    if (!u.write) {
      u.locked = false;
      u.box->mutex.unlock();
    }
  }
}

void Access::to_device() {
  const auto all = in_order();
  side_ = kDeviceSide;
  in_use_.emplace();
  bool noted = true;
  for (Use& u : uses_) noted = u.box->note_use(*in_use_) && noted;
  in_use_->settle();
  for (Use* each : all) {
    Use& u = *each;
    u.box->mutex.lock();
    u.locked = true;
    u.valid_before = u.box->valid.load(std::memory_order_relaxed);
    if (!open_windows(u)) {
      if (u.box->nbytes != 0) u.box->fill_device(u.write && !u.reads);
      u.block = u.box->device_block();
      if (C10_UNLIKELY(u.block.host != nullptr)) u.host = u.box->host;  // what the kernel uses must stay alive
    }
    if (!u.write && C10_LIKELY(noted)) {
      u.locked = false;
      u.box->mutex.unlock();
    }
  }
}

at::Tensor& Access::host_view(const at::Tensor& t) {
  c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  for (View& view : views_)
    if (view.device == impl) return view.cpu;
  const Use* u = find(box_of(t));
  TORCH_INTERNAL_ASSERT(u != nullptr && side_ == kHostSide, "host_view() of a tensor that was not taken to the host");
  const bool write = std::find(written_.begin(), written_.end(), impl) != written_.end();
  const Window* window = u->windowed() ? u->windows->of(t) : nullptr;
  if (window != nullptr)
    views_.push_back(View{impl, cpu_tensor(window->host, t, window->begin), write, window->host.get(), window->begin});
  else if (u->windowed())  // a view without elements, only read: it has no window, and needs no bytes
    views_.push_back(View{impl, cpu_tensor(new_host_storage(0), t, span_start(t)), write, nullptr, span_start(t)});
  else
    views_.push_back(View{impl, cpu_tensor(u->host, t), write, u->host.get(), 0});
  return views_.back().cpu;
}

DeviceView Access::device_view(const at::Tensor& t) const {
  const Use* u = find(box_of(t));
  TORCH_INTERNAL_ASSERT(u != nullptr && side_ == kDeviceSide, "device_view() of a tensor that was not taken to the device");
  if (C10_UNLIKELY(u->windowed())) {
    const Window* window = u->windows->of(t);
    if (window == nullptr) return {nullptr, 0};
    return {window->block.handle, window->block.offset + span_start(t) - window->begin};
  }
  if (u->block.handle == nullptr) return {nullptr, 0};
  return {u->block.handle, u->block.offset + span_start(t)};
}

at::Tensor Access::device_tensor_of(const at::Tensor& cpu) const {
  for (const View& view : views_)
    if (view.cpu.is_same(cpu)) return at::Tensor(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim_copy(view.device));
  return {};
}

at::Tensor Access::device_alias_of(const at::Tensor& cpu) const {
  const c10::StorageImpl* storage = storage_of(cpu);
  for (const Use& u : uses_) {
    if (u.host.get() == storage) return alias(u.storage, cpu);
    if (!u.windowed()) continue;
    for (const auto& window : u.windows->all())
      if (window->host.get() == storage) return alias(u.storage, cpu, window->begin);
  }
  return {};
}

// A kernel grew a window (it resized a view over its neighbours, as on the CPU): the storage moves to the host whole,
// and what was written goes there.
void Access::merge_grown_windows(Use& u) {
  Box& box = *u.box;
  uint64_t end = box.nbytes;
  for (const auto& window : u.windows->all())
    if (window->written) end = std::max(end, window->begin + window->host->nbytes());
  box.fill_host(/*discard=*/false);
  if (end > box.nbytes) box.resize(u.storage.unsafeGetStorageImpl(), end);
  for (const auto& window : u.windows->all())
    if (window->written)
      std::memcpy(static_cast<char*>(box.host->mutable_data()) + window->begin, window->host->data(),
                  window->host->nbytes());
  u.host = box.host;
  u.whole = true;
}

// Takes what was written in windows back to where the rest of the storage is.
void Access::close_windows(Use& u) {
  for (const auto& window : u.windows->all())
    if (side_ == kHostSide && window->written && window->host->nbytes() != window->size()) return merge_grown_windows(u);
  for (const auto& window : u.windows->all()) {
    if (!window->written) continue;
    if (side_ == kHostSide)
      u.box->upload(window->begin, window->host->data(), window->size());
    else
      download_from(window->block, static_cast<char*>(u.box->host->mutable_data()) + window->begin, 0, window->size(),
                    u.box->device);
  }
}

// What a CPU op did to the views it was given to write: other sizes, a grown storage, another storage, lazy bits.
void Access::finish_writes() {
  for (Use& u : uses_)
    if (u.write && !u.windowed() && u.box->host && u.box->host->nbytes() != u.box->nbytes)
      u.box->follow_host(u.storage.unsafeGetStorageImpl());
  for (View& view : views_) {
    if (!view.write) continue;
    c10::TensorImpl* device = view.device;
    c10::TensorImpl* cpu = view.cpu.unsafeGetTensorImpl();
    c10::StorageImpl* storage = storage_of(view.cpu);
    if (storage != view.storage) {
      device->set_storage_keep_dtype(
          adopt_storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage), device->device().index()));
      view.begin = 0;
    }
    const auto offset = cpu->storage_offset() + static_cast<int64_t>(view.begin / cpu->itemsize());
    if (!cpu->sizes().equals(device->sizes()) || !cpu->strides().equals(device->strides()) ||
        offset != device->storage_offset())
      device->set_sizes_and_strides(cpu->sizes(), cpu->strides(), offset);
    // linalg.lu_solve leaves the conjugation of its out= tensor to the bit.
    if (C10_UNLIKELY(view.cpu.is_conj() != device->is_conj())) device->_set_conj(view.cpu.is_conj());
    if (C10_UNLIKELY(view.cpu.is_neg() != device->is_neg())) device->_set_neg(view.cpu.is_neg());
  }
}

void Access::commit() {
  for (Use& u : uses_)
    if (C10_UNLIKELY(u.windowed() && u.write)) close_windows(u);
  if (side_ == kHostSide) finish_writes();
  for (Use& u : uses_) {
    if (!u.write) continue;
    u.box->window_reads = 0;
    if (u.box->budget.listed) unlist(*u.box);
    if (u.windowed()) continue;
    u.box->valid.store(u.box->nbytes != 0 ? u.box->sides_after(side_) : uint8_t{kNoSide}, std::memory_order_release);
    if (side_ == kDeviceSide && u.block.host == nullptr)
      u.box->host.reset();  // stale; views that are still alive keep their own reference
  }
  committed_ = true;
}

void Access::release() noexcept {
  if (side_ == kDeviceSide)
    for (Use& u : uses_)
      if (C10_UNLIKELY(u.block.host != nullptr)) note_kernel(u.box->device);
  for (auto u = uses_.rbegin(); u != uses_.rend(); ++u) {
    if (!u->locked) continue;
    if (u->write) u->box->note_write();
    if (u->write && !committed_ && !u->windowed()) {
      const bool shared = u->box->mapped() != nullptr;
      const uint8_t other = shared ? 0 : u->valid_before & static_cast<uint8_t>(~side_);
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
  if (side_ == kNoSide) return;
  in_use_.reset();
  for (View& view : views_)  // what this op held is free to go, too
    if (C10_LIKELY(committed_)) keep_view(std::move(view.cpu));
  views_.clear();
  uses_.clear();
  keep_host_budget();
}

DeviceWrite::DeviceWrite(const at::Tensor& t) : box_(*box_of(t)) {
  box_.mutex.lock();
  if (box_.valid.load(std::memory_order_relaxed) & kDeviceSide) block_ = box_.device_block();
  if (C10_UNLIKELY(block_.handle == nullptr)) box_.mutex.unlock();
}

void DeviceWrite::commit() {
  box_.window_reads = 0;
  if (C10_UNLIKELY(box_.budget.listed)) unlist(box_);
  box_.valid.store(box_.sides_after(kDeviceSide), std::memory_order_release);
  if (C10_LIKELY(block_.host == nullptr)) box_.host.reset();
  committed_ = true;
}

DeviceWrite::~DeviceWrite() {
  if (C10_UNLIKELY(block_.handle == nullptr)) return;
  box_.note_write();
  const uint8_t valid = box_.valid.load(std::memory_order_relaxed);
  if (C10_UNLIKELY(!committed_ && block_.host == nullptr && (valid & kHostSide)))
    box_.valid.store(kHostSide, std::memory_order_release);  // the bytes from before the kernel
  box_.mutex.unlock();
}

}  // namespace torchfl
