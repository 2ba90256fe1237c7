// Running a decided call on the chip: adapters, the output, the C call, and what its status means.
#pragma once

#include "dispatch/decide.h"

namespace torchfl {

// Runs the kernel of a call for which decide() gave no reason against it and that is not empty. Sets `result` to
// the output: a new tensor, or the destination. Returns Why::declined or Why::missing_symbol, with nothing
// written, where the kernel said so. Throws c10::OutOfMemoryError and ChipError for other failures.
Reason launch(Call& call, const Binding& binding, at::Tensor* result);

// The same without turning any status but OK into an exception or a reason; `result` is set only for OK.
tfl_status launch_status(Call& call, const Binding& binding, at::Tensor* result);

// What adapters would be used for this call: "bias expanded, other cast"; "" for none.
std::string adapters_text(const Call& call);

}  // namespace torchfl
