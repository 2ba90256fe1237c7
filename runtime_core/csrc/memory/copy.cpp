// copy_ and item(). The straight paths move one span of bytes between one side and the user's memory; all else
// runs PyTorch's CPU copy on the host sides.
#include "memory/copy.h"

#include <ATen/Functions.h>
#include <ATen/ExpandUtils.h>

#include <atomic>
#include <cstring>

#include "device/chip.h"
#include "memory/access.h"
#include "memory/counters.h"
#include "memory/mapped.h"
#include "memory/pieces.h"

namespace torchfl {
namespace {

// Below this, a copy to the device waits on the host side: the next op may be a fallback, and one that is not
// uploads it for less than it costs to start a transfer early. So does any whose dtype no kernel of the chip takes.
constexpr size_t kUploadAtOnce = size_t{1} << 20;

bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.is_non_overlapping_and_dense() && a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

// The bytes of a dense tensor are one span that begins at its first element.
uint64_t first_byte(const at::Tensor& t) { return static_cast<uint64_t>(t.storage_offset()) * t.element_size(); }

bool covers_storage(const at::Tensor& t, const Box& box) { return t.storage_offset() == 0 && t.nbytes() == box.nbytes; }

// CPU memory straight to the device side. False where the host side is the better place.
bool upload_directly(const at::Tensor& self, const at::Tensor& src) {
  Box* box = box_of(self);
  const Chip& chip = chip_of(box->device);
  if (chip.mapped()) return false;
  box->settle();
  std::lock_guard<std::mutex> lock(box->mutex);
  const uint8_t valid = box->valid.load(std::memory_order_relaxed);
  const bool all = covers_storage(self, *box);
  if (all ? self.nbytes() < kUploadAtOnce || !chip.computes(self.scalar_type()) : valid != kDeviceSide) return false;
  DeviceUses in_use;
  (void)box->note_use(in_use);  // and the lock is held
  box->fill_device(/*discard=*/all);
  box->upload(first_byte(self), src.const_data_ptr(), self.nbytes());
  box->note_write();
  box->valid.store(kDeviceSide, std::memory_order_release);
  box->host.reset();
  return true;
}

// The device side straight into CPU memory. False where the host side has the bytes already.
bool download_directly(const at::Tensor& self, const at::Tensor& src) {
  Box* box = box_of(src);
  box->settle();
  std::lock_guard<std::mutex> lock(box->mutex);
  if (box->valid.load(std::memory_order_relaxed) != kDeviceSide) return false;
  box->download(self.mutable_data_ptr(), first_byte(src), self.nbytes());
  return true;
}

// Whether a copy is of elements that lie alike, or in another order, on one device of one chip, in storages of their own.
bool stays_on_device(const at::Tensor& self, const at::Tensor& src) {
  if (!is_ours(self) || self.device() != src.device() || storage_of(self) == storage_of(src)) return false;
  if (chip_of(self.device().index()).api().copy_d2d == nullptr) return false;
  box_of(src)->settle();
  return box_of(src)->valid.load(std::memory_order_acquire) & kDeviceSide;
}

// Device to device within one chip's device. False where the bytes are not on the device, or overlap.
bool copy_on_device(const at::Tensor& self, const at::Tensor& src) {
  if (!stays_on_device(self, src)) return false;
  Chip& chip = chip_of(self.device().index());
  Access access;
  access.read(src);
  access.write(self, /*overwrites=*/true);
  access.to_device();
  const DeviceView to = access.device_view(self), from = access.device_view(src);
  const int32_t local = self.device().index() - chip.first_device();
  make_current(chip, local);
  chip.check(chip.api().copy_d2d(local, to.handle, to.byte_offset, from.handle, from.byte_offset, self.nbytes(), nullptr),
             "copy_d2d");
  count_copy(copy_counters().d2d, copy_counters().d2d_bytes, self.nbytes());
  access.commit();
  return true;
}

// The same where the elements lie in another order there than here.
bool reorder_on_device(const at::Tensor& self, const at::Tensor& src) {
  if (self.scalar_type() != src.scalar_type() || self.is_conj() || self.is_neg() || !self.is_non_overlapping_and_dense() ||
      !stays_on_device(self, src))
    return false;
  const at::Tensor made = rearrange(src, self.strides());
  return made.defined() && copy_on_device(self, made);
}

std::atomic<void (*)(const at::Tensor&, const at::Tensor&)> copy_notice{nullptr};

void copy_on_host(const at::Tensor& self, const at::Tensor& src) {
  if (is_ours(self) && is_ours(src) && !PartOfOp::now() && copy_kind(self, src) != CopyKind::bytes)
    if (auto* notice = copy_notice.load(std::memory_order_acquire); notice != nullptr) notice(self, src);
  Access access;
  if (is_ours(src)) access.read(src);
  if (is_ours(self)) access.write(self, /*overwrites=*/true);
  access.to_host();
  at::Tensor to = is_ours(self) ? access.host_view(self) : self;
  to.copy_(is_ours(src) ? access.host_view(src) : src);
  count_copy(copy_counters().host, copy_counters().host_bytes, self.nbytes());
  access.commit();
}

}  // namespace

void set_copy_notice(void (*notice)(const at::Tensor& self, const at::Tensor& src)) noexcept {
  copy_notice.store(notice, std::memory_order_release);
}

CopyKind copy_kind(const at::Tensor& self, const at::Tensor& src) {
  if (self.scalar_type() != src.scalar_type()) return CopyKind::dtype;
  if (same_bytes(self, src) || (self.numel() == 1 && self.is_conj() == src.is_conj() && self.is_neg() == src.is_neg()))
    return CopyKind::bytes;
  return CopyKind::order;
}

at::Tensor& copy_into(at::Tensor& self, const at::Tensor& src) {
  if (self.is_same(src)) return self;
  ensure_devices();
  const at::Tensor from = src.sizes() == self.sizes() ? src : src.expand(self.sizes());
  if (self.numel() == 0) return self;
  TORCH_CHECK(is_ours(self) || self.device().is_cpu(), "cannot copy from ", src.device(), " to ", self.device());
  TORCH_CHECK(is_ours(from) || from.device().is_cpu(), "cannot copy from ", src.device(), " to ", self.device());
  if (from.layout() == at::kStrided && same_bytes(self, from)) {
    if (!is_ours(from) ? upload_directly(self, from)
                       : !is_ours(self) ? download_directly(self, from) : copy_on_device(self, from))
      return self;
  }
  if (is_ours(from) && from.layout() == at::kStrided && reorder_on_device(self, from)) return self;
  copy_on_host(self, from);
  return self;
}

at::Scalar read_scalar(const at::Tensor& self) {
  ensure_devices();
  TORCH_CHECK(self.numel() == 1, "a tensor with ", self.numel(), " elements cannot be converted to a scalar");
  at::Tensor value = at::empty({}, self.options().device(at::kCPU));
  Box* box = box_of(self);
  box->settle();
  {
    std::lock_guard<std::mutex> lock(box->mutex);
    const uint8_t valid = box->valid.load(std::memory_order_relaxed);
    if (box->mapped() != nullptr) wait_for_kernels(box->device);
    if (valid & kHostSide)
      std::memcpy(value.mutable_data_ptr(), static_cast<const char*>(box->host->data()) + first_byte(self),
                  self.element_size());
    else if (valid & kDeviceSide)
      box->download(value.mutable_data_ptr(), first_byte(self), self.element_size());
  }
  if (self.is_conj()) value._set_conj(true);
  if (self.is_neg()) value._set_neg(true);
  return value.resolve_conj().resolve_neg().item();
}

}  // namespace torchfl
