// Adapters: what is done to a call's tensors so that a kernel can take them, and to its result.
//
//   cast, expand, upload, lay out   an input that the kernel does not take as it is is made anew
//   channels-last                   images lie NHWC at kernels that want them so; results get the strides that the CPU's have
//   pad                             sizes are rounded up with zeros, the result is sliced
//   zero point                      int8 tensors are uint8 to the kernel: q is given as q + 128
//
// What takes few copies of whole pieces, as padding, slicing and alignment do, is done by the chip's plain copy
// (memory/pieces.h), another order by its kernel for permute_copy if it has one (rearrange.h), the rest on the host side. What is made twice of the same bytes, as of a
// layer's weights, is kept with their storage until they are written. A kernel's result in another order or encoding is
// its storage's form (memory/forms.h): the next kernel takes that, and element-wise ones and those along a dimension
// (forms_along.h) follow it, so that between them nothing is converted. A padded result is not: what lies beyond the
// op's sizes need not be zero.
#pragma once

#include "dispatch/decide.h"

namespace torchfl {

// Input `i` as the kernel takes it, on the device.
at::Tensor adapted_input(const Call& call, size_t i);

// Whether the kernel's output differs from the op's in size, dtype or order.
inline bool converts_output(const Call& call) { return call.padded || call.shifted || call.reordered; }

// The call that such a kernel is given: `adapted` are the inputs, made by adapted_input(). Has no destination.
Call kernel_call(const Call& call, const at::Tensor* const* adapted);

// The op's result `index` from the kernel's.
at::Tensor converted_output(const Call& call, size_t index, const at::Tensor& result);

// Whether the call has a late input whose form the kernel can take, for which decide() saw the bytes: `given` is the call
// to make then in place of it, without a destination.
bool takes_forms(const Call& call, Call* given);

// After such a call in place: whether the destination, late too, could be given the kernel's result as its form.
bool rewritten(const Call& call, const at::Tensor& result);

// "bias expanded, other cast"; "" for a call that needs none.
std::string adapters_text(const Call& call);

// What a layout adapter does to the call's images, for a message: ("NHWC", "NCHW"), ("", "") for nothing.
std::pair<std::string, std::string> layout_mismatch(const Call& call);

// Says once per op and chip that its images are converted. `notice` is called with the op, the chip and both orders.
void tell_layout(const Call& call, const ChipTable& table, ChipCounters& counters);
void set_layout_notice(void (*notice)(const std::string& op, const std::string& selector, const std::string& expected,
                                      const std::string& got));

}  // namespace torchfl
