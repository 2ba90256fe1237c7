// Layers of the fallback policy that Python serves (torchfl/layers): decompose and onnxruntime.
#pragma once

#include "dispatch/binding.h"
#include "fallback/host_op.h"

namespace pybind11 {
class module_;
}

namespace torchfl {

// Whether the layer would serve the call; `text` says how, or why not. Runs and moves nothing.
bool offered_by_python(PolicyStep::Kind layer, const HostOp& op, const ChipTable& table,
                       const torch::jit::Stack& stack, std::string* text);

// Replaces the arguments on the stack by the layer's results. False, with the stack as it was and the reason in
// `why`, where the layer does not serve the call. Device errors and torch's own refusals of a later layer pass.
bool serve_in_python(PolicyStep::Kind layer, const HostOp& op, const ChipTable& table, torch::jit::Stack* stack,
                     std::string* why);

// set_python_layer(name, layer): the object with the methods offer and serve of torchfl.layers.Layer.
void bind_python_layers(pybind11::module_& module);

}  // namespace torchfl
