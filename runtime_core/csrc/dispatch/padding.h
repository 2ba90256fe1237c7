// Which sizes of a call can be rounded up with zeros and the result sliced, by the catalogue's shape rules. No torch here.
#pragma once

#include <array>

#include "dispatch/constraints.h"
#include "dispatch/op_spec.h"
#include "dispatch/shape_rules.h"

namespace torchfl {

// The sizes that a call is padded to; 0: as it is. `numel`: of an element-wise op, whose tensors become one row.
struct Padding {
  enum Size : uint8_t { M, N, K, batch, in_channels, out_channels, numel, kSizes };
  std::array<int64_t, kSizes> to{};

  bool any() const {
    for (int64_t size : to)
      if (size != 0) return true;
    return false;
  }
};

// Rounds up the variables whose `multiple_of` the call breaks, as far as the op can be padded in them and the limits
// hold for the rounded value. The index of the first constraint that stays broken and the value that breaks it, or -1.
int first_unpaddable(const std::vector<Constraint>& constraints, const OpSpec& spec, const ShapeView* inputs,
                     size_t num_inputs, const Shape& output, const tfl_attr* attrs, Padding* padding, double* value);

// The sizes of input `index`, or of the output for index -1, after padding.
void pad_sizes(const OpSpec& spec, const Padding& padding, int index, Shape* sizes);

}  // namespace torchfl
