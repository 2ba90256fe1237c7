// Running a decided call on the chip: adapters, the output, the C call, and what its status means.
#pragma once

#include <ATen/core/stack.h>

#include "dispatch/decide.h"

namespace torchfl {

// Runs the kernel of a call for which decide() gave no reason against it and that is not empty. `results` has room for
// the op's outputs and gets those that are new. Undefined stay what the kernel does not write, and the one that is written
// to the destination: a second reference to a tensor that Python holds costs more than the rest of a small call.
// Returns Why::declined or Why::missing_symbol, with nothing
// written, where the kernel said so. Throws c10::OutOfMemoryError and ChipError for other failures.
Reason launch(Call& call, const Binding& binding, at::Tensor* results);

// The same without turning any status but OK into an exception or a reason; `results` are valid only for OK.
tfl_status launch_status(Call& call, const Binding& binding, at::Tensor* results);

// Replaces the arguments of `call` on a stack by what launch() gave or wrote, and undefined tensors for what no kernel gives.
void push_results(const Call& call, size_t num_args, at::Tensor* results, torch::jit::Stack* stack);

}  // namespace torchfl
