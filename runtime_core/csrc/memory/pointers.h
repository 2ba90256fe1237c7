// Device addresses that leave the core: what data_ptr() gives for a storage of ours.
//
// A storage begins with a reserved address that names it (addresses.h). On a chip whose memory has addresses (the ABI's
// address()), the first data_ptr() brings the bytes to the device and puts the real address in its place. As the caller may
// write through it, the device side is the only valid one afterwards, and it stays where it is: it is neither evicted nor
// moved as long as the storage keeps its size. PyTorch's hook for this runs once; it is set again whenever the host side of
// such a storage has become valid, so that an address is current at the time of every data_ptr(). What is written later
// through an address that was kept, is to be told by mark_device_written().
//
// On chips with opaque memory, on those that map host memory (whose bytes a CPU tensor shows: host_alias), and for a PyTorch
// without the hook, the reserved address stays: it only names.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

namespace torchfl {

class Box;

// Sets the hook of the storage that owns `box`, where it can do something and is not set yet.
void arm_data_ptr(c10::StorageImpl* storage, const Box& box) noexcept;

// The caller holds the box's lock, or is its end. Its address in the open ends; `storage`, if any, shows the reserved one
// again.
void withdraw_address(Box& box, c10::StorageImpl* storage) noexcept;

// The device memory was written through an address that data_ptr() gave: the host side, if any, is stale. Throws for a
// tensor whose address has not been given.
void mark_device_written(const at::Tensor& tensor);

// The box whose address in the open is `address`, or nullptr.
Box* pointed_to(const void* address) noexcept;

}  // namespace torchfl
