// Sparse COO tensors of the device: indices and values are device tensors, ops on them run on the CPU.
//
// What the device has no form of at all (compressed sparse, quantized, strided nested tensors) is refused in one
// sentence, where the dispatcher would list every backend it knows.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <memory>
#include <vector>

namespace torchfl {

// Registers the kernels of PrivateUse1's sparse, quantized and nested keys. Libraries are added to `libraries`.
void register_other_layouts(std::vector<std::unique_ptr<torch::Library>>* libraries);

// A sparse COO tensor on `device` with the indices and values of a CPU one.
at::Tensor sparse_on_device(const at::Tensor& cpu, c10::DeviceIndex device);

}  // namespace torchfl
