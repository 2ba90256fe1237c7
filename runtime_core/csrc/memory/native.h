// The ops that the memory half serves itself on PrivateUse1: factories, copies, views, resizing.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace torchfl {

// Registers them with `library`, an IMPL library of aten on PrivateUse1.
void register_memory_ops(torch::Library& library);

// What serves empty.memory_format and empty_strided: for torch's XPU key too.
at::Tensor empty_here(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout,
                      std::optional<c10::Device> device, std::optional<bool> pin_memory,
                      std::optional<at::MemoryFormat> format);
at::Tensor empty_strided_here(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
                              std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                              std::optional<bool> pin_memory);

// `_has_compatible_shallow_copy_type` alone: autograd's key needs it too.
void register_shallow_copy(torch::Library& library);

}  // namespace torchfl
