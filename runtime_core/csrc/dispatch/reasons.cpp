#include "dispatch/reasons.h"

namespace torchfl {

std::string reason_text(const Reason& reason, const OpSpec* spec, const Binding* binding) {
  switch (reason.why) {
    case Why::none: return "";
    case Why::no_entry: return "the profile does not name the op";
    case Why::unverified:
    case Why::no_kernel:
    case Why::unserved: return binding->blocked_text;
    case Why::dtype:
      return (reason.index < 0 ? std::string("a dtype that no chip has") : std::string("dtype ") + dtype_name(reason.index)) +
             " is not among [" + dtype_names(binding->dtypes) + "]";
    case Why::mixed_dtypes: return "the inputs have different dtypes";
    case Why::constraint: {
      const Constraint& broken = binding->constraints[static_cast<size_t>(reason.index)];
      return broken.name + " = " + broken.value_text(reason.value) + ", but " + broken.text();
    }
    case Why::rank: return "a tensor has more than " + std::to_string(kMaxRank) + " dimensions";
    case Why::shapes: return "the shapes do not fit together";
    case Why::empty_input: return "an input has no elements";
    case Why::device: return "the tensors are on different devices";
    case Why::host_operand: return "an operand is on the CPU";
    case Why::lazy_bits: return "an input is a lazily negated, conjugated or zero tensor";
    case Why::layout: return "a tensor is not strided";
    case Why::memory_format: return "the cast also asks for another layout or memory format";
    case Why::excluded: return std::string("PyTorch has rules of its own for ") + dtype_name(reason.index);
    case Why::number: return "the number is beyond what the dtype of the tensors can hold";
    case Why::attribute:
      return "the value of " + spec->attrs[static_cast<size_t>(reason.index)].name + " cannot be given to a kernel";
    case Why::destination_dtype: return "the destination has another dtype than the result";
    case Why::destination_shape: return "the destination has another shape than the result";
    case Why::overlap: return "the destination overlaps itself or an input";
    case Why::list_length: return "a list of more than " + std::to_string(kMaxInputs) + " tensors";
    case Why::gradient: return "backward needs outputs that the kernel '" + binding->impl + "' does not give";
    case Why::copy_dtype: return "a copy into another dtype, which the host computes: no kernel casts into a tensor that is there";
    case Why::copy_order: return "a copy into another order of elements, which the chip's permute_copy does not give";
    case Why::index: return "an index is outside the dimension that it indexes";
    case Why::declined: return "the kernel '" + binding->impl + "' declined the call";
    case Why::layer: return "";  // the layer's own words are kept with it
    case Why::missing_symbol: return "the vendor's library lacks a function that the kernel '" + binding->impl + "' needs";
  }
  return "";
}

}  // namespace torchfl
