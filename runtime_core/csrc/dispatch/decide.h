// The one decision: may this kernel serve this call, and what must be adapted first.
//
// The router and explain() both ask here, so they cannot disagree. Nothing is allocated on the device, moved,
// or written.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include "dispatch/binding.h"
#include "dispatch/reasons.h"

namespace torchfl {

enum class Form : uint8_t { functional, inplace, out };

// One call of a catalogue op: its arguments, and what decide() found out about them. Lives on the stack.
struct Call {
  const OpSpec* spec = nullptr;
  Form form = Form::functional;
  const at::Tensor* inputs[kMaxInputs];  // nullptr: an optional input that is absent
  const at::Tensor* destination = nullptr;  // in-place and out= forms
  const c10::IValue* attr_values[kMaxAttrs];

  // From here on: decide().
  c10::DeviceIndex device = -1;
  at::ScalarType common = at::ScalarType::Undefined;  // the dtype in which the kernel computes
  int32_t dtype = -1;                                 // the same as tfl_dtype
  ShapeView shapes[kMaxInputs];
  tfl_attr attrs[kMaxAttrs];
  int64_t lists[kMaxAttrs][kMaxList];
  Shape output;
  int64_t strides[kMaxRank];  // of the output, in elements
  bool contiguous = true;     // `strides` are those of a contiguous tensor
  bool empty = false;         // the output has no elements: no kernel runs
  uint32_t adapt = 0;         // bit i: input i must be cast, expanded, moved or laid out anew
  bool direct = true;         // the kernel may write the destination itself
};

// The device of the call: that of the first input that is on one of ours, else of the destination; -1 for none.
c10::DeviceIndex device_of(const Call& call);

// Why `binding` cannot serve the call; Why::none if it can (or if `call.empty`), and then everything in `call` is set.
// `limits`: check what the profile says (entry, provenance, dtypes, constraints). Without it only what the
// kernel interface needs is checked.
Reason decide(Call& call, const Binding* binding, bool limits);

// The dtype that the op computes in, for messages: also where decide() stopped before it.
at::ScalarType common_dtype(const Call& call);

// -1 for a dtype that no chip has.
int32_t tfl_dtype_of(at::ScalarType dtype) noexcept;

}  // namespace torchfl
