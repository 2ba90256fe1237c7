// Output shapes, and the sizes that a contraction's constraints speak of, by the catalogue's rules. No torch here.
#pragma once

#include "dispatch/op_spec.h"

namespace torchfl {

// The output's shape from the inputs' and the attributes (in catalogue order). False where the shapes do not fit
// together: the CPU then says what is wrong in PyTorch's own words.
bool infer_shape(const OpSpec& spec, const ShapeView* inputs, const tfl_attr* attrs, Shape* out);

// The attribute called `name`, or nullptr.
const tfl_attr* find_attr(const OpSpec& spec, const tfl_attr* attrs, const char* name);

enum class RuleVariable : uint8_t { M, N, K, batch, kernel_size, in_channels, out_channels };

// The values of a rule's variable, one per spatial dimension for kernel_size; how many were written (at most
// kMaxList), 0 where the rule has no such variable or the shapes do not fit.
int rule_variable(const OpSpec& spec, RuleVariable variable, const ShapeView* inputs, const tfl_attr* attrs,
                  int64_t* values);

}  // namespace torchfl
