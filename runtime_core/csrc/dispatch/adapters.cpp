#include "dispatch/adapters.h"

#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "device/chip.h"
#include "dispatch/rearrange.h"
#include "dispatch/strides.h"
#include "memory/access.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/forms.h"
#include "memory/mapped.h"
#include "memory/numbers.h"
#include "memory/pieces.h"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

// How the kernel wants a tensor.
struct Target {
  at::ScalarType dtype;  // before the shift to uint8
  bool shifted = false;
  Shape plain;  // before padding: the tensor expanded to what the op wants
  Shape sizes;
  int64_t strides[kMaxRank];

  at::IntArrayRef plain_list() const { return {plain.sizes, static_cast<size_t>(plain.rank)}; }
  at::IntArrayRef size_list() const { return {sizes.sizes, static_cast<size_t>(sizes.rank)}; }
  at::IntArrayRef stride_list() const { return {strides, static_cast<size_t>(sizes.rank)}; }
};

Shape shape_of(const at::Tensor& t) {
  Shape shape;
  shape.rank = static_cast<int>(t.dim());
  for (int i = 0; i < shape.rank; ++i) shape.sizes[i] = t.size(i);
  return shape;
}

Target target_of(const Call& call, size_t i) {
  const bool output_shape = takes_output_shape(call, i);
  Target to;
  to.dtype = input_dtype(call, i);
  to.shifted = call.shifted && to.dtype == at::kChar;
  to.plain = output_shape ? call.outputs[0] : shape_of(*call.inputs[i]);
  if (is_score_mask(*call.spec, i)) {
    int64_t scores[4];
    score_shape(call, scores);
    to.plain.rank = 4;
    std::copy_n(scores, 4, to.plain.sizes);
  }
  to.sizes = to.plain;
  if (call.padded) pad_sizes(*call.spec, call.padding, static_cast<int>(i), &to.sizes);
  if (call.spec->elementwise() && !call.padded)
    std::copy_n(call.strides, to.sizes.rank, to.strides);
  else
    image_strides(to.sizes, call.channels_last && !output_shape, to.strides);
  return to;
}

// By what a kept tensor is found again. A dimension of one element may have any stride.
std::vector<int64_t> form_of(at::ScalarType dtype, bool shifted, at::IntArrayRef sizes, at::IntArrayRef strides) {
  std::vector<int64_t> form{static_cast<int64_t>(dtype), shifted};
  form.insert(form.end(), sizes.begin(), sizes.end());
  for (size_t i = 0; i < sizes.size(); ++i) form.push_back(sizes[i] != 1 ? strides[i] : 0);
  return form;
}

std::vector<int64_t> form_of(const Target& to) { return form_of(to.dtype, to.shifted, to.size_list(), to.stride_list()); }

// Whether padding changes the first output's sizes.
bool output_padded(const Call& call) {
  if (!call.padded) return false;
  Shape sizes = call.outputs[0];
  pad_sizes(*call.spec, call.padding, -1, &sizes);
  return sizes.rank != call.outputs[0].rank || !std::equal(sizes.sizes, sizes.sizes + sizes.rank, call.outputs[0].sizes);
}

// The part of `whole` that has the given sizes and begins at its start.
at::Tensor corner(const at::Tensor& whole, at::IntArrayRef sizes) {
  return whole.as_strided(sizes, whole.strides().slice(0, sizes.size()), 0);
}

at::Tensor make(const Call& call, const at::Tensor& host, const Target& to) {
  const at::Tensor from = host.expand(to.plain_list());
  at::Tensor made = at::detail::empty_strided_cpu(to.size_list(), to.stride_list(), to.dtype);
  if (!call.padded) {
    made.copy_(from);
  } else {
    if (made.sizes() != from.sizes()) made.zero_();
    if (call.padding.to[Padding::numel] != 0) {
      int64_t row[kMaxRank];  // the elements in the output's order of memory, one after another
      std::copy_n(call.strides, call.outputs[0].rank, row);
      made.as_strided(from.sizes(), {row, static_cast<size_t>(call.outputs[0].rank)}, 0).copy_(from);
    } else {
      corner(made, from.sizes()).copy_(from);
    }
  }
  return to.shifted ? shifted_bytes(made, at::kByte) : made;
}

// The kernel's padded result, cut to the op's sizes within the device. Undefined where that cannot be, or is no gain.
at::Tensor cut_on_device(const Call& call, const at::Tensor& padded) {
  if (chip_of(call.device).mapped()) return {};  // no pieces are copied there
  const size_t rank = static_cast<size_t>(call.outputs[0].rank);
  const at::IntArrayRef sizes{call.outputs[0].sizes, rank}, strides{call.strides, rank};
  const bool row = call.padding.to[Padding::numel] != 0;  // the elements in the output's order of memory
  at::Tensor cut = new_strided(sizes, strides, padded.scalar_type(), call.device);
  if (copy_in_pieces(padded, row ? strides : padded.strides(), cut, strides, sizes, /*clear=*/false)) return cut;
  if (row) return {};
  const at::Tensor turned = rearranged(padded, strides_in_order(padded.sizes(), strides));
  if (!turned.defined()) return {};
  return copy_in_pieces(turned, turned.strides(), cut, strides, sizes, /*clear=*/false) ? cut : at::Tensor();
}

// The input as the kernel wants it, where that is another place, more room or another order for the same bytes: made
// within the device. Undefined where it is more than that, or no gain.
at::Tensor make_on_device(const Call& call, const at::Tensor& t, const Target& to) {
  if (to.shifted || t.scalar_type() != to.dtype || t.sizes() != to.plain_list() || t.is_conj() || t.is_neg()) return {};
  box_of(t)->settle();
  const size_t rank = t.sizes().size();
  const bool row = call.padded && call.padding.to[Padding::numel] != 0;
  at::Tensor made = new_strided(to.size_list(), to.stride_list(), to.dtype, call.device);
  const at::IntArrayRef strides = row ? at::IntArrayRef(call.strides, rank) : to.stride_list();
  const bool clear = to.sizes.numel() != to.plain.numel();
  if (!clear && !row)
    if (at::Tensor turned = rearranged(t, to.stride_list()); turned.defined()) return turned;
  if (copy_in_pieces(t, t.strides(), made, strides, t.sizes(), clear)) return made;
  if (row) return {};
  const at::Tensor wide = new_strided(to.size_list(), strides_in_order(to.size_list(), t.strides()), to.dtype, call.device);
  if (!copy_in_pieces(t, t.strides(), wide, wide.strides(), t.sizes(), clear)) return {};
  return rearranged(wide, to.stride_list());
}

at::Tensor convert_on_host(const Call& call, const at::Tensor& result) {
  const Shape& sizes = call.outputs[0];
  const at::IntArrayRef wanted{sizes.sizes, static_cast<size_t>(sizes.rank)};
  const at::IntArrayRef strides{call.strides, static_cast<size_t>(sizes.rank)};
  Access access;
  access.read(result);
  access.to_host();
  at::Tensor from = access.host_view(result);
  if (call.padded)
    from = call.padding.to[Padding::numel] != 0 ? from.as_strided(wanted, strides, 0) : corner(from, wanted);
  at::Tensor made = at::detail::empty_strided_cpu(wanted, strides, from.scalar_type());
  made.copy_(from);
  if (call.shifted && call.result == at::kChar) made = shifted_bytes(made, at::kChar);
  return adopt(made, call.device);
}

// A number that an element-wise op takes as a contiguous tensor, kept from before or made.
at::Tensor adapted_number(const Call& call, size_t i) {
  ensure_devices();  // raises in a fork before any lock is touched
  const at::Tensor& value = *call.inputs[i];
  const auto key = number_key(value, input_dtype(call, i), {call.outputs[0].sizes, static_cast<size_t>(call.outputs[0].rank)},
                              call.device);
  if (key)
    if (at::Tensor kept = kept_number(*key); kept.defined()) return kept;
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  const MappedScope in_place(call.device);
  at::Tensor made = adopt(make(call, value, target_of(call, i)), call.device);
  if (key) keep_number(*key, made);
  return made;
}

const char* order_text(int64_t rank, bool last) {
  return rank == 4 ? (last ? "NHWC" : "NCHW") : (last ? "NDHWC" : "NCDHW");
}

const char* order_name(const at::Tensor& t) {
  if (t.is_contiguous()) return order_text(t.dim(), false);
  const bool last = t.is_contiguous(t.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d);
  return last ? order_text(t.dim(), true) : "strided";
}

void (*layout_notice)(const std::string&, const std::string&, const std::string&, const std::string&) = nullptr;

}  // namespace

void set_layout_notice(void (*notice)(const std::string&, const std::string&, const std::string&, const std::string&)) {
  layout_notice = notice;
}

void tell_layout(const Call& call, const ChipTable& table, ChipCounters& counters) {
  if (layout_notice == nullptr || counters.layout_told.load(std::memory_order_relaxed)) return;
  const auto [expected, got] = layout_mismatch(call);
  if (expected.empty() || counters.layout_told.exchange(true)) return;
  layout_notice(call.spec->name, table.chip->selector(), expected, got);
}

at::Tensor adapted_input(const Call& call, size_t i) {
  const at::Tensor& t = *call.inputs[i];
  if (!is_ours(t) && call.spec->elementwise() && call.contiguous && !converts_output(call)) return adapted_number(call, i);
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  const MappedScope in_place(call.device);
  const Target to = target_of(call, i);
  if (!is_ours(t)) return adopt(make(call, t, to), call.device);
  std::vector<int64_t> form = form_of(to);
  Box* box = box_of(t);
  if (at::Tensor kept = kept_form(t, form); kept.defined()) return kept;
  uint64_t writes = 0;
  {
    std::lock_guard<std::mutex> lock(box->mutex);
    writes = box->writes;
  }
  at::Tensor made = make_on_device(call, t, to);
  if (!made.defined()) {
    Access access;
    access.read(t);
    access.to_host();
    made = adopt(make(call, access.host_view(t), to), call.device);
  }
  keep_form(t, std::move(form), made, writes);
  return made;
}

Call kernel_call(const Call& call, const at::Tensor* const* adapted) {
  Call inner = call;
  inner.form = Form::functional;
  inner.destination = nullptr;
  inner.padded = inner.shifted = inner.reordered = false;
  inner.adapt = 0;
  inner.direct = true;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    inner.inputs[i] = adapted[i];
    if (adapted[i] != nullptr)
      inner.shapes[i] = {static_cast<int>(adapted[i]->dim()), adapted[i]->sizes().data()};
  }
  if (call.shifted) {
    inner.common = at::kByte;
    inner.dtype = TFL_U8;
    if (call.result == at::kChar) inner.result = at::kByte;
  }
  if (call.padded) pad_sizes(*call.spec, call.padding, -1, &inner.outputs[0]);
  if (call.padded || !call.spec->elementwise()) {
    image_strides(inner.outputs[0], call.channels_last, inner.strides);
    inner.results_last = call.channels_last;
    inner.contiguous = !call.channels_last;
  }
  return inner;
}

at::Tensor converted_output(const Call& call, size_t index, const at::Tensor& result) {
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  if (index == 0 && output_padded(call)) {
    const MappedScope in_place(call.device);
    if (!call.shifted)
      if (at::Tensor cut = cut_on_device(call, result); cut.defined()) return cut;
    return convert_on_host(call, result);
  }
  const Shape& shape = call.outputs[index];
  const size_t rank = static_cast<size_t>(shape.rank);
  int64_t strides[kMaxRank];
  if (index == 0)
    std::copy_n(call.strides, rank, strides);
  else
    image_strides(shape, call.results_last, strides);
  const bool shifted = call.shifted && result.scalar_type() == at::kByte && dtype_as(call, call.spec->output_kinds[index]) == at::kChar;
  if (shifted)
    return new_late(result, {strides, rank}, at::kChar, form_of(at::kChar, true, result.sizes(), result.strides()));
  if (!same_order(shape, strides, result.strides().data()))
    return new_late(result, {strides, rank}, result.scalar_type(),
                    form_of(result.scalar_type(), false, result.sizes(), result.strides()));
  if (result.strides() != at::IntArrayRef(strides, rank))
    result.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), {strides, rank});
  return result;
}

bool takes_forms(const Call& call, Call* given) {
  const bool elementwise = call.spec->elementwise() && call.spec->num_outputs() == 1;
  if (call.padded || !(elementwise || (call.channels_last && !(call.adapt & 1u)))) return false;
  if (call.destination != nullptr && !(elementwise && call.form == Form::inplace)) return false;
  const auto fits = [&](const at::Tensor& form) {
    return form.defined() && form.sizes() == at::IntArrayRef(call.outputs[0].sizes, static_cast<size_t>(call.outputs[0].rank));
  };
  at::Tensor form;
  if (call.destination != nullptr) {  // in place only where the destination keeps its form
    form = call.destination->is_same(*call.inputs[0]) ? late_form(*call.destination) : at::Tensor();
    if (call.result != call.destination->scalar_type()) return false;
  } else {
    for (size_t i = 0; i < call.num_inputs && !form.defined(); ++i) {
      if (call.inputs[i] == nullptr || !is_ours(*call.inputs[i])) continue;
      form = late_form(*call.inputs[i]);
      if (elementwise && !fits(form)) form = at::Tensor();
      if (!elementwise) break;
    }
  }
  if (!form.defined()) return false;
  *given = call;
  given->alike = false;
  if (!elementwise) {
    given->adapt |= 1u;
    return true;
  }
  if (!fits(form)) return false;
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (call.inputs[i] != nullptr) given->adapt |= 1u << i;
  std::copy_n(form.strides().data(), form.dim(), given->strides);
  given->contiguous = form.is_contiguous();
  return true;
}

bool rewritten(const Call& call, const at::Tensor& result) {
  const at::Tensor before = late_form(*call.destination);
  if (!before.defined() || before.scalar_type() != result.scalar_type() || before.strides() != result.strides()) return false;
  return rewrite_late(*box_of(*call.destination), before, result);
}

std::string adapters_text(const Call& call) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (size_t i = 0; i < call.num_inputs; ++i) {
    if (call.inputs[i] == nullptr || !(call.adapt >> i & 1u)) continue;
    const at::Tensor& t = *call.inputs[i];
    const Target to = target_of(call, i);
    const std::string name =
        call.spec->list_input ? call.spec->inputs[0] + "[" + std::to_string(i) + "]" : call.spec->inputs[i];
    const bool expanded = t.sizes() != to.plain_list();
    if (t.scalar_type() != to.dtype)
      add(name + " cast");
    else if (t.device().is_cpu())
      add(name + " uploaded");
    else if (to.shifted)
      add(name + " as uint8 with zero point 128");
    else if (call.padded && to.size_list() != t.sizes() && !(expanded && call.padding.to[Padding::numel] == 0))
      add(name + " padded to [" + c10::Join(", ", to.size_list()) + "]");
    else if (expanded)
      add(name + " expanded");
    else if (call.channels_last && t.dim() >= 4)
      add(name + " to " + order_text(t.dim(), true));
    else
      add(name + " laid out anew");
  }
  if (call.shifted) add("result back to int8");
  if (output_padded(call)) add("result sliced");
  if (call.reordered) add(std::string("result to ") + order_text(call.outputs[0].rank, call.results_last));
  if (call.destination != nullptr && !call.direct) add("result copied into the destination");
  return text;
}

std::pair<std::string, std::string> layout_mismatch(const Call& call) {
  if (!call.spec->of_images() || call.padded || call.shifted) return {};
  const at::Tensor* image = call.inputs[0];
  if (image == nullptr || image->dim() < 4 || !(call.adapt & 1u) || image->scalar_type() != call.common) return {};
  const std::string wanted = order_text(image->dim(), call.channels_last);
  const std::string got = order_name(*image);
  return wanted == got ? std::pair<std::string, std::string>{} : std::pair{wanted, got};
}

}  // namespace torchfl
