#include "memory/forms.h"

#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "device/chip.h"
#include "memory/access.h"
#include "memory/adopt.h"
#include "memory/evict.h"
#include "memory/mapped.h"
#include "memory/pieces.h"

namespace torchfl {
namespace {

constexpr int64_t kSignBit = 0x80;

// data_ptr() may be asked for under any mode.
constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset | c10::python_ks;

// The caller holds the box's lock, or nobody else knows the box.
void set_late(Box& box, bool late) noexcept {
  if (box.late.exchange(late, std::memory_order_acq_rel) != late) late_storages.fetch_add(late ? 1 : -1);
}

}  // namespace

std::vector<int64_t> reading_of(const at::Tensor& t) {
  std::vector<int64_t> reading{static_cast<int64_t>(t.scalar_type()), t.storage_offset(), t.dim()};
  reading.reserve(3 + 2 * t.sizes().size());
  reading.insert(reading.end(), t.sizes().begin(), t.sizes().end());
  reading.insert(reading.end(), t.strides().begin(), t.strides().end());
  return reading;
}

at::Tensor new_late(const at::Tensor& made, at::IntArrayRef strides, at::ScalarType dtype, std::vector<int64_t> form) {
  at::Tensor result = new_strided(made.sizes(), strides, dtype, made.device().index());
  Box& box = *box_of(result);
  box.kept = {reading_of(result), std::move(form), made};
  list_form(box);
  set_late(box, true);
  return result;
}

bool rewrite_late(Box& box, const at::Tensor& before, const at::Tensor& made) {
  at::Tensor replaced;  // freed after the lock
  std::lock_guard<std::mutex> lock(box.mutex);
  if (!box.late.load(std::memory_order_relaxed) || !box.kept.tensor.is_same(before)) return false;
  ++box.writes;
  replaced = std::exchange(box.kept.tensor, made);
  return true;
}

at::Tensor kept_form(const at::Tensor& t, const std::vector<int64_t>& form) {
  Box& box = *box_of(t);
  std::lock_guard<std::mutex> lock(box.mutex);
  return box.kept.tensor.defined() && box.kept.form == form && box.kept.reading == reading_of(t) ? box.kept.tensor : at::Tensor();
}

void keep_form(const at::Tensor& t, std::vector<int64_t> form, const at::Tensor& made, uint64_t writes) {
  Box& box = *box_of(t);
  at::Tensor replaced;  // freed after the lock
  std::lock_guard<std::mutex> lock(box.mutex);
  if (box.writes != writes) return;
  std::vector<int64_t> reading = reading_of(t);
  const bool again = box.kept.form == form && box.kept.reading == reading;
  replaced = std::exchange(box.kept.tensor, again ? made : at::Tensor());
  box.kept.reading = std::move(reading);
  box.kept.form = std::move(form);
  list_form(box);
}

at::Tensor late_form(const at::Tensor& t) {
  Box& box = *box_of(t);
  if (!box.late.load(std::memory_order_acquire)) return {};
  std::lock_guard<std::mutex> lock(box.mutex);
  return box.late.load() && box.kept.reading == reading_of(t) ? box.kept.tensor : at::Tensor();
}

at::Tensor shifted_bytes(const at::Tensor& bytes, at::ScalarType dtype) {
  return bytes.view(at::kByte).bitwise_xor_(kSignBit).view(dtype);
}

void Box::forget_forms() noexcept {
  set_late(*this, false);
  unlist_form(*this);
  kept = Kept{};
}

// `made` is private; only one that makes room on the device may hold its lock meanwhile, and waits for nobody.
bool Box::take_late(Box& made, const at::Tensor& form) {
  std::lock_guard<std::mutex> lock(mutex), other(made.mutex);
  if (!late.load(std::memory_order_relaxed) || !kept.tensor.is_same(form)) return false;
  TORCH_INTERNAL_ASSERT(made.nbytes == nbytes);
  const uint8_t now = made.valid.load(std::memory_order_relaxed);
  made.valid.store(kNoSide, std::memory_order_release);
  if ((now & kDeviceSide) && !one_sided()) {
    hand_over_block(device, made, *this);
    last_use.store(made.last_use.load(std::memory_order_relaxed), std::memory_order_relaxed);
  } else {  // mapped, or made room for others since
    forget_eviction(made);
    host = std::move(made.host);
  }
  valid.store(sides_after(now & kDeviceSide ? kDeviceSide : kHostSide), std::memory_order_release);
  set_late(*this, false);
  return true;
}

void Box::settle_late() {
  ensure_devices();
  Box& box = *this;
  at::Tensor form;
  for (;;) {
    std::vector<int64_t> reading;
    {
      std::lock_guard<std::mutex> lock(box.mutex);
      if (!box.late.load(std::memory_order_relaxed)) return;
      form = box.kept.tensor;
      reading = box.kept.reading;
    }
    c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
    const MappedScope in_place(box.device);
    const auto dtype = static_cast<at::ScalarType>(reading[0]);
    const size_t rank = form.sizes().size();
    const at::IntArrayRef strides{reading.data() + 3 + rank, rank};
    if (dtype == form.scalar_type())
      if (at::Tensor made = rearrange(form, strides); made.defined()) {
        if (box.take_late(*box_of(made), form)) return;
        continue;  // settled or rewritten meanwhile, or the device was full
      }
    at::Tensor plain;
    {
      Access access;
      access.read(form);
      access.to_host();
      plain = at::detail::empty_strided_cpu(form.sizes(), strides, form.scalar_type());
      plain.copy_(access.host_view(form));
    }
    if (dtype != plain.scalar_type()) plain = shifted_bytes(plain, dtype);
    std::lock_guard<std::mutex> lock(box.mutex);
    if (!box.late.load(std::memory_order_relaxed)) return;
    if (!box.kept.tensor.is_same(form)) continue;  // rewritten meanwhile
    box.host = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage_of(plain));
    box.valid.store(box.sides_after(kHostSide), std::memory_order_release);
    set_late(box, false);
    return;
  }
}

}  // namespace torchfl
