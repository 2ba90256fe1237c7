// The CPU fallback: runs an op on the host sides of its tensors, and copies nothing that it need not.
#pragma once

#include <ATen/core/stack.h>

namespace c10 {
class OperatorHandle;
}

namespace torchfl {

// Boxed kernel for any op: decides by the fallback policy of the tensors' chip, counts, and runs on the host.
void cpu_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace torchfl
