// The one decision: may this kernel serve this call, and what must be adapted first.
//
// The router and explain() both ask here, so they cannot disagree. Nothing is allocated on the device, moved,
// or written.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include "dispatch/binding.h"
#include "dispatch/padding.h"
#include "dispatch/reasons.h"

namespace torchfl {

enum class Form : uint8_t { functional, inplace, out };

// One call of a catalogue op: its arguments, and what decide() found out about them. Lives on the stack.
struct Call {
  const OpSpec* spec = nullptr;
  size_t num_inputs = 0;      // those of the spec, or the length of its list
  bool long_list = false;     // more tensors than `inputs` holds
  Form form = Form::functional;
  const at::Tensor* inputs[kMaxInputs];  // nullptr: an optional input that is absent
  at::Tensor number;                        // the second operand of a form that takes a number
  const at::Tensor* destination = nullptr;  // in-place and out= forms
  const c10::IValue* attr_values[kMaxAttrs];

  // From here on: decide().
  c10::DeviceIndex device = -1;
  at::ScalarType common = at::ScalarType::Undefined;  // the dtype in which the kernel computes
  int32_t dtype = -1;                                 // the same as tfl_dtype
  at::ScalarType named = at::ScalarType::Undefined;   // by an attribute
  at::ScalarType result = at::ScalarType::Undefined;  // of the first output
  ShapeView shapes[kMaxInputs];
  tfl_attr attrs[kMaxAttrs];
  int64_t lists[kMaxAttrs][kMaxList];
  Shape outputs[kMaxOutputs];
  int64_t strides[kMaxRank];  // of the first output, in elements; further ones are contiguous
  bool contiguous = true;     // `strides` are those of a contiguous tensor
  bool empty = false;         // the first output has no elements: no kernel runs
  bool alike = false;         // all tensors are alike (alike.h) and nothing is adapted; `numel` is set
  int64_t numel = 0;          // of each of them
  uint32_t adapt = 0;         // bit i: input i must be cast, expanded, moved or laid out anew
  bool direct = true;         // the kernel may write the destination itself
  bool channels_last = false;  // the kernel takes and gives images NHWC
  bool results_last = false;   // results of rank 4 and 5 lie NHWC
  bool reordered = false;      // the kernel gives results in another order of elements than they have
  bool shifted = false;        // the kernel takes int8 as uint8 with zero point 128
  bool padded = false;         // the kernel computes with the sizes of `padding`
  Padding padding;
};

// The dtype in which a kernel gets input `i`, or gives output `i`.
inline at::ScalarType dtype_as(const Call& call, TensorKind kind) {
  switch (kind) {
    case TensorKind::common: return call.common;
    case TensorKind::boolean: return at::kBool;
    case TensorKind::index: return at::kLong;
    case TensorKind::named: return call.named;
  }
  return call.common;
}
inline at::ScalarType input_dtype(const Call& call, size_t i) { return dtype_as(call, call.spec->input_kind(i)); }

// Whether input `i` is added to a product: it may be expanded to the output, and may be the output.
inline bool adds_to(const OpSpec& spec, size_t i) {
  return i == 0 && (spec.shape_rule == ShapeRule::addmm || spec.shape_rule == ShapeRule::baddbmm ||
                    spec.shape_rule == ShapeRule::addmv || spec.shape_rule == ShapeRule::addr);
}

// Whether input `i` is what attention adds to its scores [B, H, L, S]: a kernel gets it expanded to them.
inline bool is_score_mask(const OpSpec& spec, size_t i) { return spec.shape_rule == ShapeRule::attention && i == 3; }
inline void score_shape(const Call& call, int64_t (&sizes)[4]) {
  for (int d = 0; d < 3; ++d) sizes[d] = call.shapes[0].sizes[d];
  sizes[3] = call.shapes[1].sizes[2];
}

// Whether input `i` is given to the kernel with the output's shape and order of elements.
inline bool takes_output_shape(const Call& call, size_t i) { return call.spec->elementwise() || adds_to(*call.spec, i); }

// The device of the call: that of the first input that is on one of ours, else of the destination; -1 for none.
c10::DeviceIndex device_of(const Call& call);

// Why `binding` cannot serve the call; Why::none if it can (or if `call.empty`), and then everything in `call` is set.
// `limits`: check what the profile says (entry, provenance, dtypes, constraints). Without it only what the
// kernel interface needs is checked.
Reason decide(Call& call, const Binding* binding, bool limits);

// The dtype that the op computes in, for messages: also where decide() stopped before it.
at::ScalarType common_dtype(const Call& call);

// -1 for a dtype that no chip has.
inline int32_t tfl_dtype_of(at::ScalarType dtype) noexcept {
  switch (dtype) {
    case at::kBool: return TFL_BOOL;
    case at::kByte: return TFL_U8;
    case at::kChar: return TFL_I8;
    case at::kShort: return TFL_I16;
    case at::kInt: return TFL_I32;
    case at::kLong: return TFL_I64;
    case at::kHalf: return TFL_F16;
    case at::kBFloat16: return TFL_BF16;
    case at::kFloat: return TFL_F32;
    case at::kDouble: return TFL_F64;
    case at::kComplexFloat: return TFL_C64;
    case at::kComplexDouble: return TFL_C128;
    default: return -1;
  }
}

}  // namespace torchfl
