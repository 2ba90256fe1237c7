// Which overloads get a fallback kernel of their own, and which kernels torchfl composes itself.
#pragma once

#include <torch/library.h>

#include <memory>
#include <string>
#include <vector>

namespace torchfl {

struct Site;

// The fallback on every aten overload that has a CPU kernel, and on every other namespace's that has a CPU kernel
// beside a composite one: there PyTorch would run the composite on device tensors, which takes other numerics or
// ends in the out= form. Slots that have a kernel already are left alone. Libraries for other namespaces are added
// to `libraries`.
void register_fallbacks(torch::Library& aten, std::vector<std::unique_ptr<torch::Library>>* libraries);

// A chip that comes after a shutdown may bind an overload whose slot has the fallback already. That kernel stays, as other
// threads may be on their way into it, and sends calls on to the router.
bool may_route_through_fallback(const std::string& overload);
void route_through_fallback(const std::string& overload, std::shared_ptr<const Site> site);

// Kernels for overloads that PyTorch has only for other accelerators, made from ops that route or fall back.
void register_composed(torch::Library& aten);

}  // namespace torchfl
