// Making device tensors: new ones, and ones that take over what a CPU op produced.
#pragma once

#include <ATen/core/Tensor.h>

namespace torchfl {

class DeviceUses;

// An uninitialised device tensor (neither side exists yet). No dispatch.
at::Tensor new_tensor(at::IntArrayRef sizes, at::ScalarType dtype, c10::DeviceIndex device);
at::Tensor new_strided(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, c10::DeviceIndex device);

// The same for what a kernel is about to write: a small one may come with the device memory of one that has died, which
// `uses` says then that the calling thread uses.
at::Tensor new_output(at::IntArrayRef sizes, at::ScalarType dtype, c10::DeviceIndex device, DeviceUses& uses);

// A device storage of uninitialised bytes.
c10::Storage new_storage(size_t nbytes, c10::DeviceIndex device);

// A device storage whose host side is `cpu`, valid; copies nothing. `cpu` must not be visible to the user
// under another tensor. Results that share one CPU storage must share one adopted storage: adopt it once, and
// use alias() for each.
c10::Storage adopt_storage(c10::intrusive_ptr<c10::StorageImpl> cpu, c10::DeviceIndex device);

// A device tensor over a device storage with the metadata of `cpu`: dtype, sizes, strides, offset, conj, neg
// and wrapped-number bits. `begin`: where in the device storage the storage of `cpu` begins, in bytes.
at::Tensor alias(const c10::Storage& device_storage, const at::Tensor& cpu, uint64_t begin = 0);

// The same in the other direction: a CPU tensor over `host`, which begins at byte `begin` of the device storage, with
// the metadata of `device`.
at::Tensor cpu_tensor(const c10::intrusive_ptr<c10::StorageImpl>& host, const at::Tensor& device, uint64_t begin = 0);

// alias(adopt_storage(...)): a device tensor that takes over a finished strided CPU tensor's storage.
at::Tensor adopt(const at::Tensor& cpu, c10::DeviceIndex device);

// A CPU tensor with the metadata of `t` over a storage that has its size but no bytes: declared view ops run
// on it, so that views of a device tensor move nothing. Turn the result back with alias(t.storage(), result).
at::Tensor shadow(const at::Tensor& t);

// The allocator of device storages.
c10::Allocator* device_allocator() noexcept;

}  // namespace torchfl
