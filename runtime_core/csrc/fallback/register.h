// Which overloads get a fallback kernel of their own, and which kernels torchfl composes itself.
#pragma once

#include <torch/library.h>

#include <memory>
#include <vector>

namespace torchfl {

// The fallback on every aten overload that has a CPU kernel, and on every other namespace's that has a CPU kernel
// beside a composite one: there PyTorch would run the composite on device tensors, which takes other numerics or
// ends in the out= form. Slots that have a kernel already are left alone. Libraries for other namespaces are added
// to `libraries`.
void register_fallbacks(torch::Library& aten, std::vector<std::unique_ptr<torch::Library>>* libraries);

// Kernels for overloads that PyTorch has only for other accelerators, made from ops that route or fall back.
void register_composed(torch::Library& aten);

}  // namespace torchfl
