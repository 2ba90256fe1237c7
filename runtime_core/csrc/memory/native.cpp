// Registration of the memory half. Shapes and storages only; nothing here computes.
#include "memory/native.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

#include <cstring>

#include "device/activity.h"
#include "device/chip.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/copy.h"
#include "memory/pointers.h"
#include "memory/retired.h"

namespace torchfl {
namespace {

c10::DeviceIndex index_of(const std::optional<c10::Device>& device) {
  return resolve_index(device.has_value() ? device->index() : c10::DeviceIndex{-1});
}

void check_options(const std::optional<c10::Layout>& layout, const std::optional<bool>& pin_memory) {
  TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "the device holds strided tensors only, not ",
              layout.value_or(at::kStrided));
  TORCH_CHECK(!pin_memory.value_or(false), "only CPU tensors can be pinned");
}

// The same as a tensor of real zeros: kernels and the fallback know no ZeroTensor.
at::Tensor efficient_zeros(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                           std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                           std::optional<bool> pin_memory) {
  check_options(layout, pin_memory);
  at::Tensor made = new_tensor(sizes, c10::dtype_or_default(dtype), index_of(device));
  Box* box = box_of(made);
  if (box->nbytes == 0) return made;
  std::lock_guard<std::mutex> lock(box->mutex);
  box->fill_host(/*discard=*/true);
  std::memset(box->host->mutable_data(), 0, box->nbytes);
  box->valid.store(kHostSide, std::memory_order_release);
  return made;
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool /*non_blocking*/) { return copy_into(self, src); }

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool /*non_blocking*/) {
  at::Tensor target = dst;
  copy_into(target, self);
  return dst;
}

void grow_storage(const at::Tensor& self, size_t needed) {
  c10::StorageImpl* storage = storage_of(self);
  Box* box = box_of(storage);
  if (needed <= box->nbytes) return;
  TORCH_CHECK(storage->resizable(), "this storage cannot be resized");
  box->settle();
  std::lock_guard<std::mutex> lock(box->mutex);
  box->resize(storage, needed);
}

const at::Tensor& resize_(const at::Tensor& self, at::IntArrayRef sizes, std::optional<at::MemoryFormat> format) {
  at::detail::check_size_nonnegative(sizes);
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  if (self.sizes() != sizes) {
    impl->set_sizes_contiguous(sizes);
    if (self.numel() != 0)
      grow_storage(self, at::detail::computeStorageNbytesContiguous(sizes, self.element_size(), self.storage_offset()));
  }
  if (format.has_value() && *format != at::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  return self;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  if (dst.sizes() != self.sizes()) {
    if (is_ours(dst))
      resize_(dst, self.sizes(), std::nullopt);
    else
      dst.resize_(self.sizes());
  }
  return copy_from(self, dst, false);
}

at::Tensor& set_storage_offset_(at::Tensor& self, at::Storage source, int64_t offset, at::IntArrayRef sizes,
                                at::IntArrayRef strides) {
  {
    Box* box = box_of(source.unsafeGetStorageImpl());
    std::lock_guard<std::mutex> lock(box->mutex);
    arm_data_ptr(source.unsafeGetStorageImpl(), *box);  // PyTorch may have made it
  }
  c10::Storage before = self.storage();  // another thread's op may be at work with it
  at::native::checkSetStorage(self, source, offset, sizes, strides, /*check_offset_in_bounds=*/true);
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  impl->set_storage_offset(offset);
  if (strides.data() != nullptr)
    impl->set_sizes_and_strides(sizes, strides);
  else
    impl->set_sizes_contiguous(sizes);
  if (self.numel() != 0)
    grow_storage(self, at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), self.element_size(), offset));
  if (before.unsafeGetStorageImpl() != self.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl())
    retire_storage(std::move(before));
  return self;
}

at::Tensor& set_storage_(at::Tensor& self, at::Storage source) {
  const auto count = static_cast<int64_t>(source.nbytes() / self.element_size());
  return set_storage_offset_(self, std::move(source), 0, {count}, {});
}

at::Tensor& set_empty_(at::Tensor& self) {
  return set_storage_offset_(self, new_storage(0, self.device().index()), 0, {0}, {});
}

// Module.to() swaps a parameter's data in place, and so keeps its identity, only where this says that the
// tensors' implementations are alike; a strided CPU tensor's and ours are.
bool compatible_shallow_copy(const at::Tensor& self, const at::Tensor& from) {
  const auto plain = [](const at::Tensor& t) {
    const auto special = c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
                                              c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Functionalize});
    return t.layout() == at::kStrided && t.has_storage() && (is_ours(t) || t.device().is_cpu()) &&
           !t.unsafeGetTensorImpl()->key_set().has_any(special);
  };
  if (plain(self) && plain(from)) return true;
  return self.unsafeGetTensorImpl()->has_compatible_shallow_copy_type(from.unsafeGetTensorImpl()->key_set());
}

// PyTorch's way into one of these functions.
template <class F, F* function>
struct Entry;
template <class R, class... Args, R (*function)(Args...)>
struct Entry<R(Args...), function> {
  static R call(Args... args) {
    OpScope scope;
    return function(std::forward<Args>(args)...);
  }
};
#define TORCHFL_ENTRY(function) TORCH_FN((Entry<std::remove_pointer_t<decltype(&function)>, &function>::call))

}  // namespace

at::Tensor empty_here(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout,
                      std::optional<c10::Device> device, std::optional<bool> pin_memory,
                      std::optional<at::MemoryFormat> format) {
  OpScope scope;
  check_options(layout, pin_memory);
  at::detail::check_size_nonnegative(sizes);
  at::Tensor made = new_tensor(sizes, c10::dtype_or_default(dtype), index_of(device));
  if (format.has_value() && *format != at::MemoryFormat::Contiguous)
    made.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  return made;
}

at::Tensor empty_strided_here(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
                              std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                              std::optional<bool> pin_memory) {
  OpScope scope;
  check_options(layout, pin_memory);
  at::detail::check_size_nonnegative(sizes);
  return new_strided(sizes, strides, c10::dtype_or_default(dtype), index_of(device));
}

void register_memory_ops(torch::Library& library) {
  library.impl("empty.memory_format", TORCH_FN(empty_here));
  library.impl("empty_strided", TORCH_FN(empty_strided_here));
  library.impl("_efficientzerotensor", TORCHFL_ENTRY(efficient_zeros));
  library.impl("copy_", TORCHFL_ENTRY(copy_));
  library.impl("_copy_from", TORCHFL_ENTRY(copy_from));
  library.impl("_copy_from_and_resize", TORCHFL_ENTRY(copy_from_and_resize));
  library.impl("_local_scalar_dense", TORCHFL_ENTRY(read_scalar));
  library.impl("resize_", TORCHFL_ENTRY(resize_));
  library.impl("set_.source_Storage_storage_offset", TORCHFL_ENTRY(set_storage_offset_));
  library.impl("set_.source_Storage", TORCHFL_ENTRY(set_storage_));
  library.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  library.impl("set_", TORCHFL_ENTRY(set_empty_));
  library.impl("record_stream", [](at::Tensor&, c10::Stream) {});  // one in-order queue for each device
  // Views touch neither a chip nor its memory.
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  library.impl("unfold", TORCH_FN(at::native::unfold));
  library.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  library.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  register_shallow_copy(library);
}

void register_shallow_copy(torch::Library& library) {
  library.impl("_has_compatible_shallow_copy_type", TORCH_FN(compatible_shallow_copy));
}

}  // namespace torchfl
