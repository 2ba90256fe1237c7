#include "dispatch/decide.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/util/overflows.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dispatch/alike.h"
#include "dispatch/strides.h"

namespace torchfl {
namespace {

bool is_ours(const at::Tensor& t) { return t.device().type() == c10::DeviceType::PrivateUse1; }

bool is_wrapped(const at::Tensor& t) { return t.dim() == 0 && t.unsafeGetTensorImpl()->is_wrapped_number(); }

Reason load_attr(Call& call, size_t index, int spatial_dims) {
  const c10::IValue& value = *call.attr_values[index];
  tfl_attr& attr = call.attrs[index];
  attr = {sizeof(tfl_attr), TFL_ATTR_NONE, 0, 0.0, nullptr, 0};
  const Reason refused{Why::attribute, static_cast<int32_t>(index)};
  if (value.isNone()) return call.spec->attrs[index].required ? refused : Reason{};
  const AttrKind kind = call.spec->attrs[index].kind;
  if (kind == AttrKind::absent) return refused;
  if (kind == AttrKind::int_list) {
    int64_t* list = call.lists[index];
    if (value.isInt()) {
      list[0] = value.toInt();
      attr.count = 1;
    } else {
      if (!value.isIntList() && !(value.isList() && value.toListRef().empty())) return refused;
      const auto elements = value.toListRef();
      if (elements.size() > kMaxList) return refused;
      for (size_t i = 0; i < elements.size(); ++i) {
        if (!elements[i].isInt()) return refused;
        list[i] = elements[i].toInt();
      }
      attr.count = static_cast<int64_t>(elements.size());
    }
    // One value stands for every spatial dimension.
    if (attr.count == 1)
      for (; attr.count < spatial_dims && attr.count < kMaxList; ++attr.count) list[attr.count] = list[0];
    attr.kind = TFL_ATTR_INT_LIST;
    attr.list = list;
    return {};
  }
  if (kind == AttrKind::choice) {
    const auto& choices = call.spec->attrs[index].choices;
    const auto found = value.isString() ? std::find(choices.begin(), choices.end(), value.toStringRef()) : choices.end();
    if (found == choices.end()) return refused;
    attr.kind = TFL_ATTR_INT;
    attr.i = found - choices.begin();
    attr.f = static_cast<double>(attr.i);
    return {};
  }
  if (kind == AttrKind::dtype && value.isInt()) call.named = static_cast<at::ScalarType>(value.toInt());
  if (value.isInt()) {
    attr.kind = TFL_ATTR_INT;
    attr.i = value.toInt();
    attr.f = static_cast<double>(attr.i);
  } else if (value.isBool()) {
    attr.kind = TFL_ATTR_BOOL;
    attr.i = value.toBool();
    attr.f = static_cast<double>(attr.i);
  } else if (value.isDouble()) {
    attr.kind = TFL_ATTR_FLOAT;
    attr.f = value.toDouble();
  } else {
    return refused;
  }
  return {};
}

Reason load_attrs(Call& call) {
  const ShapeRule rule = call.spec->shape_rule;
  const int spatial = rule == ShapeRule::conv && call.shapes[0].rank > 2     ? call.shapes[0].rank - 2
                      : rule == ShapeRule::pool || rule == ShapeRule::adaptive_pool ? 2
                                                                             : 0;
  for (size_t i = 0; i < call.spec->attrs.size(); ++i)
    if (Reason reason = load_attr(call, i, spatial)) return reason;
  if (rule == ShapeRule::pool) {  // without a stride the windows lie side by side
    const tfl_attr* kernel = find_attr(*call.spec, call.attrs, "kernel_size");
    const tfl_attr* stride = find_attr(*call.spec, call.attrs, "stride");
    if (stride != nullptr && kernel != nullptr && stride->count == 0) call.attrs[stride - call.attrs] = *kernel;
  }
  return {};
}

Reason check_inputs(Call& call) {
  const bool elementwise = call.spec->elementwise();
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor* t = call.inputs[i];
    if (t == nullptr) {
      call.shapes[i] = {-1, nullptr};
      if (call.spec->list_input || !(call.spec->optional_inputs >> i & 1u)) return {Why::shapes};
      continue;
    }
    const TensorKind kind = call.spec->input_kind(i);
    if ((kind == TensorKind::boolean && t->scalar_type() != at::kBool) ||
        (kind == TensorKind::index && t->scalar_type() != at::kLong && t->scalar_type() != at::kInt))
      return {Why::mixed_dtypes};
    if (t->layout() != at::kStrided) return {Why::layout};
    if (t->key_set().has_any(kLazyKeys)) return {Why::lazy_bits};
    const auto sizes = t->sizes();
    if (sizes.size() > kMaxRank) return {Why::rank};
    call.shapes[i] = {static_cast<int>(sizes.size()), sizes.data()};
    if (is_ours(*t)) {
      if (t->device().index() != call.device) return {Why::device};
    } else if (!(elementwise && t->device().is_cpu() && sizes.empty())) {
      return {Why::host_operand};
    }
  }
  return {};
}

Reason find_dtype(Call& call) {
  bool one = true;
  at::ScalarType first = at::ScalarType::Undefined;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor* t = call.inputs[i];
    if (t == nullptr || call.spec->input_kind(i) != TensorKind::common) continue;
    if (const int32_t own = tfl_dtype_of(t->scalar_type()); own >= 0 && (call.spec->excluded_dtypes >> own & 1u))
      return {Why::excluded, own};
    if (first == at::ScalarType::Undefined) first = t->scalar_type();
    one = one && t->scalar_type() == first && !is_wrapped(*t);
  }
  if (!one && call.spec->dtype_rule == DtypeRule::same) return {Why::mixed_dtypes};
  call.common = one && call.spec->dtype_rule != DtypeRule::promote_float ? first : common_dtype(call);
  return {};
}

// PyTorch computes half precision beside a number in float32, with the number as it is: x / 1e5 is no division by
// infinity. A kernel gets the number in the dtype of the tensors, which is the same but for rounding where it fits.
bool fits(double value, at::ScalarType dtype) {
  const double held = dtype == at::kHalf ? static_cast<double>(static_cast<at::Half>(static_cast<float>(value)))
                                         : static_cast<double>(static_cast<at::BFloat16>(static_cast<float>(value)));
  const double least = dtype == at::kHalf ? static_cast<double>(std::numeric_limits<at::Half>::min())
                                          : static_cast<double>(std::numeric_limits<at::BFloat16>::min());
  return held == value || (std::isfinite(held) && std::fabs(held) >= least) || !std::isfinite(value);
}

Reason check_numbers(const Call& call) {
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor* t = call.inputs[i];
    if (t == nullptr || t->dim() != 0 || t->scalar_type() == call.common || call.spec->input_kind(i) != TensorKind::common) continue;
    // One on the device is read, too: to become a number of another dtype it has to come to the host anyway.
    if (!fits(t->item<double>(), call.common)) return {Why::number, static_cast<int32_t>(i)};
  }
  return {};
}

// Whether PyTorch refuses to make the number an element of a tensor.
bool overflows(const tfl_attr& value, at::ScalarType dtype) {
  switch (dtype) {
    case at::kByte: return c10::overflows<uint8_t, int64_t>(value.i);
    case at::kChar: return c10::overflows<int8_t, int64_t>(value.i);
    case at::kShort: return c10::overflows<int16_t, int64_t>(value.i);
    case at::kInt: return c10::overflows<int32_t, int64_t>(value.i);
    case at::kHalf: return c10::overflows<at::Half, double>(value.f);
    case at::kBFloat16: return c10::overflows<at::BFloat16, double>(value.f);
    case at::kFloat: return c10::overflows<float, double>(value.f);
    default: return false;
  }
}

// Attribute values for which PyTorch raises or has rules of its own: numbers that an integer op cannot use, and an
// output of another dtype than the inputs'.
Reason check_attrs(Call& call) {
  const bool integral = c10::isIntegralType(call.common, /*includeBool=*/true);
  for (size_t i = 0; i < call.spec->attrs.size(); ++i) {
    const AttrSpec& spec = call.spec->attrs[i];
    tfl_attr& value = call.attrs[i];
    if (spec.kind == AttrKind::dtype && value.kind != TFL_ATTR_NONE) {
      if (value.i != static_cast<int64_t>(call.result)) return {Why::attribute, static_cast<int32_t>(i)};
      value.kind = TFL_ATTR_DTYPE;
      value.i = tfl_dtype_of(call.result);
      continue;
    }
    if (spec.epsilon && value.kind == TFL_ATTR_NONE) {
      value.kind = TFL_ATTR_FLOAT;
      value.f = call.common == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
      continue;
    }
    const bool odd_number =
        spec.kind == AttrKind::scalar && (value.kind == TFL_ATTR_BOOL || (integral && value.kind == TFL_ATTR_FLOAT));
    // A scalar of an element-wise op may become an element: the value of masked_fill, the bounds of clamp.
    const bool element = spec.kind == AttrKind::scalar && call.spec->elementwise();
    if (odd_number || (element && overflows(value, call.common)) || (spec.kind == AttrKind::boolean && value.i != 0 && spec.name == "half_to_float"))
      return {Why::attribute, static_cast<int32_t>(i)};
  }
  return {};
}

// Both are views of one storage: do they share bytes, and may a kernel still be given both?
bool forbidden_overlap(const Call& call, const at::Tensor& destination, const at::Tensor& input) {
  if (!destination.is_alias_of(input)) return false;
  switch (at::get_overlap_status(destination, input)) {
    case at::MemOverlapStatus::No:
      return false;
    case at::MemOverlapStatus::Full:
      return !call.spec->elementwise() && !(&input == call.inputs[0] && adds_to(*call.spec, 0));
    case at::MemOverlapStatus::TooHard:  // PyTorch lets these pass; plan() computes them into a temporary
      return false;
    default:
      return true;
  }
}

Reason check_destination(Call& call) {
  const at::Tensor& to = *call.destination;
  if (!is_ours(to) || to.device().index() != call.device) return {Why::device};
  if (to.layout() != at::kStrided) return {Why::layout};
  if (to.is_neg() || to.is_conj()) return {Why::lazy_bits};
  if (!c10::canCast(call.result, to.scalar_type())) return {Why::destination_dtype};
  const bool fits = to.sizes() == at::IntArrayRef(call.outputs[0].sizes, static_cast<size_t>(call.outputs[0].rank));
  if (call.form == Form::inplace && !fits) return {Why::destination_shape};
  // Some ops cast into an out= tensor of another dtype, some refuse it (products, abs, neg): the CPU kernel knows.
  const bool casts = to.scalar_type() != call.result;
  if (casts && (call.form == Form::out || call.spec->dtype_rule == DtypeRule::same)) return {Why::destination_dtype};
  if (fits && at::has_internal_overlap(to) == at::MemOverlap::Yes) return {Why::overlap};
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor* t = call.inputs[i];
    if (t == nullptr || t->is_same(to)) {
      if (t != nullptr && call.form == Form::out && !fits) return {Why::overlap};  // resizing would lose the input
      const bool own = call.form == Form::inplace && i == 0;  // through a temporary where the kernel does not say in place
      if (t != nullptr && !own && !call.spec->elementwise() && !adds_to(*call.spec, i)) return {Why::overlap};
      continue;
    }
    if (is_ours(*t) && forbidden_overlap(call, to, *t)) return {Why::overlap};
  }
  return {};
}

bool same_sizes(const ShapeView& view, const Shape& shape) {
  if (view.rank != shape.rank) return false;
  for (int i = 0; i < view.rank; ++i)
    if (view.sizes[i] != shape.sizes[i]) return false;
  return true;
}

bool same_strides(const at::Tensor& t, const Call& call) {
  return same_order(call.outputs[0], t.strides().data(), call.strides);
}

// Strides of the output as PyTorch's CPU kernels give them. True in the commonest case: a new output, and every input
// contiguous with its shape.
bool find_strides(Call& call) {
  bool plain = !call.channels_last && !call.results_last;
  const at::Tensor* tensors[kMaxInputs];
  int count = 0;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor* t = call.inputs[i];
    if (t == nullptr) continue;
    tensors[count++] = t;
    plain = plain && same_sizes(call.shapes[i], call.outputs[0]) && t->is_contiguous();
  }
  if (!plain && call.spec->elementwise() && !call.spec->contiguous)
    elementwise_strides(tensors, count, call.outputs[0], call.strides);
  else
    image_strides(call.outputs[0], call.results_last, call.strides);
  int64_t given[kMaxRank];  // by the kernel
  if (call.channels_last != call.results_last) {
    image_strides(call.outputs[0], call.channels_last, given);
    call.reordered = !same_order(call.outputs[0], given, call.strides);
  }
  call.contiguous = true;
  if (plain && call.destination == nullptr) return true;
  // A destination of the right dtype without gaps is written as it lies; any other goes through a temporary.
  if (call.destination != nullptr) {
    const at::Tensor& to = *call.destination;
    const bool fits = to.sizes() == at::IntArrayRef(call.outputs[0].sizes, static_cast<size_t>(call.outputs[0].rank));
    call.direct = to.scalar_type() == call.result;
    if (call.reordered && !fits) call.direct = false;
    if (call.reordered && fits) {  // the destination lies as it does: what is copied into it need not
      call.reordered = false;
      std::copy_n(given, call.outputs[0].rank, call.strides);
      call.results_last = call.channels_last;
    }
    if (fits && call.direct) {
      const bool any_order = call.spec->elementwise();
      call.direct = any_order ? to.is_non_overlapping_and_dense() : same_strides(to, call);
      if (call.direct)
        for (int i = 0; i < call.outputs[0].rank; ++i) call.strides[i] = to.strides()[static_cast<size_t>(i)];
    }
  }
  int64_t expected[kMaxRank];
  contiguous_strides(call.outputs[0], expected);
  for (int i = 0; i < call.outputs[0].rank; ++i)
    call.contiguous = call.contiguous && (call.outputs[0].sizes[i] == 1 || call.strides[i] == expected[i]);
  return false;
}

bool is_matrix(const at::Tensor& t) {
  const int64_t rows = t.size(0), cols = t.size(1);
  const auto strides = t.strides();
  return ((strides[1] == 1 || cols <= 1) && (strides[0] >= std::max<int64_t>(cols, 1) || rows <= 1)) ||
         ((strides[0] == 1 || rows <= 1) && (strides[1] >= std::max<int64_t>(rows, 1) || cols <= 1));
}

// Whether the tensor begins where the kernel wants it.
bool aligned(const at::Tensor& t, const Binding& binding) {
  return binding.alignment <= 1 || static_cast<uint64_t>(t.storage_offset()) * t.element_size() % binding.alignment == 0;
}

// Whether a kernel of this binding takes input `i` as it is.
bool acceptable(const Call& call, const Binding& binding, size_t i) {
  const at::Tensor& t = *call.inputs[i];
  if (t.scalar_type() != input_dtype(call, i) || !is_ours(t)) return false;
  if (!aligned(t, binding)) return false;
  if (binding.layout == KernelLayout::strided) return true;
  if (is_score_mask(*call.spec, i)) {
    int64_t scores[4];
    score_shape(call, scores);
    return t.sizes() == at::IntArrayRef(scores, 4) && t.is_contiguous();
  }
  const bool expanded_input = call.spec->shape_rule == ShapeRule::broadcast || adds_to(*call.spec, i);
  if (expanded_input && !same_sizes(call.shapes[i], call.outputs[0]))
    return binding.broadcast && call.contiguous && t.is_contiguous();
  if (call.spec->elementwise()) return same_strides(t, call);
  if (binding.layout == KernelLayout::matrix && t.dim() == 2 && !expanded_input) return is_matrix(t);
  if (call.spec->of_images() && t.dim() >= 4 && (call.channels_last || binding.any_order)) {
    const auto format = t.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
    return t.is_contiguous(format) || (binding.any_order && t.is_contiguous());
  }
  return t.is_contiguous();
}

// Whether the kernel takes and gives images channels-last: because it must, or because it may and they come so.
bool in_channels_last(const Call& call, const Binding& binding) {
  if (!call.spec->of_images()) return false;
  if (binding.layout == KernelLayout::channels_last) return true;
  const at::Tensor* image = call.inputs[0];
  if (!binding.any_order || image->dim() < 4 || image->dim() > 5) return false;
  const auto format = image->dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
  return image->is_contiguous(format) && !image->is_contiguous();
}

// Whether padding or the shift to uint8 changes input `i`.
bool converted(const Call& call, size_t i) {
  if (call.shifted && input_dtype(call, i) == at::kChar) return true;
  if (!call.padded) return false;
  Shape sizes;
  if (takes_output_shape(call, i)) {
    sizes = call.outputs[0];
  } else {
    sizes.rank = call.shapes[i].rank;
    std::copy_n(call.shapes[i].sizes, sizes.rank, sizes.sizes);
  }
  const Shape before = sizes;
  pad_sizes(*call.spec, call.padding, static_cast<int>(i), &sizes);
  return sizes.rank != before.rank || !std::equal(sizes.sizes, sizes.sizes + sizes.rank, before.sizes);
}

void plan(Call& call, const Binding& binding) {
  call.adapt = 0;
  call.channels_last = in_channels_last(call, binding);
  call.results_last = !call.spec->elementwise() && gives_channels_last(*call.spec, call.inputs, call.num_inputs);
  call.reordered = false;
  const bool plain = find_strides(call);
  if (C10_UNLIKELY(call.padded || call.shifted)) {
    for (size_t i = 0; i < call.num_inputs; ++i)
      if (call.inputs[i] != nullptr && (converted(call, i) || !acceptable(call, binding, i))) call.adapt |= 1u << i;
    call.direct = false;
    return;
  }
  if (plain && binding.alignment <= 1) {
    for (size_t i = 0; i < call.num_inputs; ++i)
      if (call.inputs[i] != nullptr && (call.inputs[i]->scalar_type() != input_dtype(call, i) || !is_ours(*call.inputs[i])))
        call.adapt |= 1u << i;
    return;
  }
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (call.inputs[i] != nullptr && !acceptable(call, binding, i)) call.adapt |= 1u << i;
  if (call.destination != nullptr && is_ours(*call.destination) && !aligned(*call.destination, binding)) call.direct = false;
  if (call.destination == nullptr || !call.direct) return;
  // An input that the kernel would read from the memory that it writes: right only element by element in place.
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor* t = call.inputs[i];
    if (t == nullptr || (call.adapt >> i & 1u) || !is_ours(*t) || !t->is_alias_of(*call.destination)) continue;
    const auto overlap = at::get_overlap_status(*t, *call.destination);
    const bool same_elements = t->is_same(*call.destination) || overlap == at::MemOverlapStatus::Full;
    if (same_elements ? !binding.inplace : overlap != at::MemOverlapStatus::No) call.direct = false;
  }
}

// The kernel takes every tensor of an alike call as it is.
void take_alike(Call& call) {
  call.adapt = 0;
  call.direct = call.contiguous = true;
  call.channels_last = call.padded = call.shifted = call.empty = false;
}

// Whether autograd will want to go back through this call.
bool needs_gradient(const Call& call) {
  if (!c10::GradMode::is_enabled()) return false;
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (call.inputs[i] != nullptr && call.inputs[i]->requires_grad()) return true;
  return false;
}

}  // namespace

at::ScalarType common_dtype(const Call& call) {
  at::native::ResultTypeState state;
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (call.inputs[i] != nullptr && call.spec->input_kind(i) == TensorKind::common) state = at::native::update_result_type_state(*call.inputs[i], state);
  at::ScalarType common = at::native::result_type(state);
  if (call.spec->dtype_rule == DtypeRule::promote_float && c10::isIntegralType(common, /*includeBool=*/true))
    common = c10::get_default_dtype_as_scalartype();
  return common;
}

c10::DeviceIndex device_of(const Call& call) {
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (call.inputs[i] != nullptr && is_ours(*call.inputs[i])) return call.inputs[i]->device().index();
  return call.destination != nullptr && is_ours(*call.destination) ? call.destination->device().index() : -1;
}

Reason decide(Call& call, const Binding* binding, bool limits) {
  if (binding == nullptr) return {Why::no_entry};
  if (call.long_list) return {Why::list_length};
  if (binding->kernel == nullptr || (limits && binding->blocked != Why::none)) return {binding->blocked};
  call.alike = find_alike(call);
  if (C10_LIKELY(call.alike && limits) && binding->accepted.find(call) &&
      (call.destination == nullptr || destination_alike(call, *binding))) {
    take_alike(call);
    return {};
  }
  if (!call.alike)
    if (Reason reason = check_inputs(call)) return reason;
  if (Reason reason = load_attrs(call)) return reason;
  if (!call.alike)
    if (Reason reason = find_dtype(call)) return reason;
  call.dtype = tfl_dtype_of(call.common);
  call.result = dtype_as(call, call.spec->output_kinds[0]);
  if (call.dtype < 0) return {Why::dtype, -1};
  if (limits && !(binding->dtypes >> call.dtype & 1u)) return {Why::dtype, call.dtype};
  if (call.spec->output_kinds[0] == TensorKind::named) {
    const int32_t to = tfl_dtype_of(call.result);
    if (to < 0 || (limits && !(binding->dtypes >> to & 1u))) return {Why::dtype, to};
  }
  if (C10_UNLIKELY(call.common == at::kHalf || call.common == at::kBFloat16) && call.spec->elementwise())
    if (Reason reason = check_numbers(call)) return reason;
  call.padded = false;
  call.shifted = binding->shifts && call.common == at::kChar;
  if (Reason reason = check_attrs(call)) return reason;
  if (!call.alike && !infer_shapes(*call.spec, call.shapes, call.num_inputs, call.attrs, call.outputs)) return {Why::shapes};
  if (call.destination != nullptr && !(call.alike && destination_alike(call, *binding))) {
    call.alike = false;
    if (Reason reason = check_destination(call)) return reason;
  }
  call.empty = !call.alike && call.outputs[0].numel() == 0;
  if (call.empty) return {};
  for (size_t i = 0; !call.alike && i < call.num_inputs; ++i)
    if (call.shapes[i].rank >= 0 && call.shapes[i].numel() == 0) return {Why::empty_input};
  if (limits && !binding->constraints.empty()) {
    double value = 0;
    const int broken =
        first_broken(binding->constraints, *call.spec, call.shapes, call.num_inputs, call.outputs[0], call.attrs, &value);
    if (C10_UNLIKELY(broken >= 0)) {
      if (!binding->pad) return {Why::constraint, broken, value};
      call.padding = Padding{};
      const int unpaddable = first_unpaddable(binding->constraints, *call.spec, call.shapes, call.num_inputs,
                                              call.outputs[0], call.attrs, &call.padding, &value);
      if (unpaddable >= 0) return {Why::constraint, unpaddable, value};
      call.padded = true;
    }
  }
  bool partial = call.spec->hidden_outputs != 0;
  for (size_t i = 1; binding->first_output && i < call.spec->num_outputs(); ++i)
    partial = partial || call.outputs[i].numel() != 0;
  if (partial && needs_gradient(call)) return {Why::gradient};
  call.alike = call.alike && !call.padded && !call.shifted && binding->alignment <= 1;
  if (C10_LIKELY(call.alike)) {
    take_alike(call);
    if (limits) binding->accepted.add(call, *binding);
    return {};
  }
  plan(call, *binding);
  return {};
}

}  // namespace torchfl
