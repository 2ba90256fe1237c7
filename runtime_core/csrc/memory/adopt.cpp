#include "memory/adopt.h"

#include <ATen/EmptyTensor.h>

#include "device/autograd_queues.h"
#include "device/chip.h"
#include "memory/box.h"
#include "memory/pointers.h"
#include "memory/spares.h"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kDeviceKey(c10::DispatchKey::PrivateUse1);
constexpr c10::DispatchKeySet kCpuKey(c10::DispatchKey::CPU);

bool same_numbers(at::IntArrayRef a, at::IntArrayRef b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// `made` with the sizes, strides and bits of `like`, its first element `shift` elements further in its storage.
at::Tensor shaped(at::Tensor made, const at::Tensor& like, int64_t shift) {
  c10::TensorImpl* impl = made.unsafeGetTensorImpl();
  const int64_t offset = like.storage_offset() + shift;
  if (impl->storage_offset() != offset || !same_numbers(impl->sizes(), like.sizes()) ||
      !same_numbers(impl->strides(), like.strides()))
    impl->set_sizes_and_strides(like.sizes(), like.strides(), offset);
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  if (C10_UNLIKELY(like.is_conj())) made._set_conj(true);
  if (C10_UNLIKELY(like.is_neg())) made._set_neg(true);
  return made;
}

at::Tensor mirror(c10::Storage storage, c10::DispatchKeySet key, const at::Tensor& like) {
  return shaped(at::detail::make_tensor<c10::TensorImpl>(std::move(storage), key, like.dtype()), like, 0);
}

void check_device(c10::DeviceIndex device) {
  (void)chip_of(device);
  ensure_autograd_queues();
}

// at::detail::computeStorageNbytesContiguous(), which raises where it overflows.
size_t contiguous_bytes(at::IntArrayRef sizes, size_t itemsize) {
  size_t bytes = itemsize;
  for (const int64_t size : sizes)
    if (C10_UNLIKELY(__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)))
      return at::detail::computeStorageNbytesContiguous(sizes, itemsize);
  return bytes;
}

c10::Storage storage_with(Box* box) {
  c10::Storage made(c10::Storage::use_byte_size_t(), box->nbytes, box->data_ptr(), device_allocator(), /*resizable=*/true);
  arm_data_ptr(made.unsafeGetStorageImpl(), *box);
  return made;
}

at::Tensor contiguous_tensor(c10::Storage storage, at::IntArrayRef sizes, const caffe2::TypeMeta& dtype) {
  auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), kDeviceKey, dtype);
  if (sizes.size() != 1 || sizes[0] != 0) made.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return made;
}

}  // namespace

c10::Storage new_storage(size_t nbytes, c10::DeviceIndex device) {
  check_device(device);
  return storage_with(new_box(nbytes, device));
}

at::Tensor new_tensor(at::IntArrayRef sizes, at::ScalarType dtype, c10::DeviceIndex device) {
  const auto meta = c10::scalarTypeToTypeMeta(dtype);
  const size_t nbytes = contiguous_bytes(sizes, meta.itemsize());
  return contiguous_tensor(new_storage(nbytes, device), sizes, meta);
}

at::Tensor new_output(at::IntArrayRef sizes, at::ScalarType dtype, c10::DeviceIndex device, DeviceUses& uses) {
  const auto meta = c10::scalarTypeToTypeMeta(dtype);
  const size_t nbytes = contiguous_bytes(sizes, meta.itemsize());
  Box* parked = Box::take_parked(nbytes, device, uses);
  return contiguous_tensor(parked != nullptr ? storage_with(parked) : new_storage(nbytes, device), sizes, meta);
}

at::Tensor new_strided(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, c10::DeviceIndex device) {
  const auto meta = c10::scalarTypeToTypeMeta(dtype);
  const size_t nbytes = at::detail::computeStorageNbytes(sizes, strides, meta.itemsize());
  auto made = at::detail::make_tensor<c10::TensorImpl>(new_storage(nbytes, device), kDeviceKey, meta);
  made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return made;
}

c10::Storage adopt_storage(c10::intrusive_ptr<c10::StorageImpl> cpu, c10::DeviceIndex device) {
  check_device(device);
  Box* box = new_box(cpu->nbytes(), device);
  if (box->nbytes != 0) {
    box->host = std::move(cpu);
    box->valid.store(box->sides_after(kHostSide), std::memory_order_relaxed);
  }
  return storage_with(box);
}

at::Tensor alias(const c10::Storage& device_storage, const at::Tensor& cpu, uint64_t begin) {
  auto made = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(device_storage), kDeviceKey, cpu.dtype());
  return shaped(std::move(made), cpu, static_cast<int64_t>(begin / cpu.element_size()));
}

at::Tensor cpu_tensor(const c10::intrusive_ptr<c10::StorageImpl>& host, const at::Tensor& device, uint64_t begin) {
  at::Tensor made = spare_view();
  if (C10_LIKELY(made.defined()))
    made.unsafeGetTensorImpl()->set_storage_and_dtype(c10::Storage(host), device.dtype());
  else
    made = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(host), kCpuKey, device.dtype());
  return shaped(std::move(made), device, begin == 0 ? 0 : -static_cast<int64_t>(begin / device.element_size()));
}

at::Tensor adopt(const at::Tensor& cpu, c10::DeviceIndex device) {
  TORCH_CHECK(cpu.layout() == at::kStrided, "a CPU kernel gave a ", cpu.layout(), " tensor, which the device cannot hold");
  auto storage = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage_of(cpu));
  return mirror(adopt_storage(std::move(storage), device), kDeviceKey, cpu);
}

at::Tensor shadow(const at::Tensor& t) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), storage_of(t)->nbytes(), c10::DataPtr(nullptr, c10::Device(c10::kCPU)),
      /*allocator=*/nullptr, /*resizable=*/false);
  return mirror(c10::Storage(std::move(storage)), kCpuKey, t);
}

}  // namespace torchfl
