// Ops along a dimension (cat, softmax, reductions) whose inputs are late images: the kernel gets the forms as they lie, with
// the dimension's place in them, so that nothing is converted.
#pragma once

#include "dispatch/decide.h"

namespace torchfl {

// False, and nothing done: no input is late, or the kernel cannot take them so; the call is made as decide() planned it.
// Else `results` and `status` are those of launch_status().
bool launch_along(const Call& call, const Binding& binding, at::Tensor* results, tfl_status* status);

}  // namespace torchfl
