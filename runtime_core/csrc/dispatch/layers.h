// The layers after the chip's own kernel, in the order of the profile's policy.
//
//   kernel       a kernel that the policy names for the op
//   decompose    torch's decomposition of the op, whose parts go to the chip's kernels (torchfl/layers, in Python)
//   onnxruntime  the op as a graph of one node in ONNX Runtime, on the host side (torchfl/layers)
//   cpu          torch's CPU kernel on the host side; what follows it is never reached
//   error        UnsupportedOpError
//
// The router, the fallback and explain() walk them here, so they cannot disagree.
#pragma once

#include "dispatch/decide.h"
#include "fallback/host_op.h"

namespace torchfl {

enum class Layer : uint8_t { native, op_specific, decompose, onnxruntime, cpu, error, empty, view };
const char* layer_name(Layer layer) noexcept;

// What would be done with a call. `binding` is the kernel of the layers native and op_specific.
struct Explanation {
  Layer layer;
  const Binding* binding = nullptr;
  std::string reason;  // why it is not the chip's own kernel; for native which adapters are needed
};

// What kept the chip's own kernel from a call.
struct Refusal {
  const ChipTable* table = nullptr;    // nullptr: a chip whose profile was never given
  const Binding* binding = nullptr;    // the kernel that could not; nullptr where the profile names none
  Reason reason;
  Call* call = nullptr;  // as it was read, for an op of the catalogue
};

// Replaces the arguments on the stack by the result of the first layer that serves the call; counts it and its reason.
// The CPU serves where the policy is at its end.
void serve_elsewhere(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device, const Refusal& refusal);

// Whether that is the CPU, before anything else is asked.
bool cpu_is_first(const HostOp& op, const ChipTable* table) noexcept;

// Which layer that would be. Runs and moves nothing.
Explanation explain_elsewhere(const HostOp& op, const torch::jit::Stack& stack, const Refusal& refusal);

}  // namespace torchfl
