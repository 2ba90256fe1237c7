#include "dispatch/forms_along.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <vector>

#include "dispatch/adapters.h"
#include "dispatch/launch.h"
#include "dispatch/rearrange.h"
#include "dispatch/strides.h"
#include "memory/box.h"
#include "memory/forms.h"
#include "torchfl/extents.hpp"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;
using Dims = c10::SmallVector<int64_t, 8>;

bool lies_last(const at::Tensor& t) {
  return t.is_contiguous(t.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d);
}

// Where dimension `dim` of an image lies in its form, outermost first: [N, spatial dimensions, C].
int64_t place_of(int64_t dim, int64_t rank) { return dim == 0 ? 0 : dim == 1 ? rank - 1 : dim - 1; }

// The image's elements NHWC, on the device: its form, or made there. Undefined where neither can be.
at::Tensor images_form(const at::Tensor& t) {
  if (at::Tensor form = late_form(t); form.defined())
    return form.scalar_type() == t.scalar_type() && form.sizes() == t.sizes() && lies_last(form) ? form : at::Tensor();
  if (lies_last(t)) return t;
  Shape shape;
  shape.rank = static_cast<int>(t.dim());
  std::copy_n(t.sizes().data(), shape.rank, shape.sizes);
  int64_t strides[kMaxRank];
  channels_last_strides(shape, strides);
  return rearranged(t, {strides, t.sizes().size()});
}

at::Tensor as_it_lies(const at::Tensor& form) {
  Dims sizes(form.sizes().begin(), form.sizes().end());
  for (int64_t dim = 0; dim < form.dim(); ++dim) sizes[place_of(dim, form.dim())] = form.size(dim);
  return form.as_strided(sizes, strides_in_order(sizes, {}), form.storage_offset());
}

// The attribute `dim` as the kernel is told it: of a dimension, or of several.
c10::IValue placed(const c10::IValue& dim, int64_t rank) {
  const auto place = [&](int64_t d) { return place_of(d < 0 ? d + rank : d, rank); };
  if (dim.isInt()) return place(dim.toInt());
  c10::List<int64_t> places;
  if (dim.isList())
    for (const c10::IValue& d : dim.toListRef()) places.push_back(place(d.toInt()));
  return places.empty() ? c10::IValue(dim) : c10::IValue(places);
}

// Whether what a reduction leaves of an image lies in the order of its dimensions: not where channels and places are left.
bool keeps_order(const Call& call, const tfl_attr& dim) {
  const ShapeView& image = call.shapes[0];
  if (call.outputs[0].rank == image.rank) return true;  // converted_output() sees to it
  uint64_t reduced = 0;
  if (!dimension_mask(image.rank, dim, &reduced)) return false;
  const auto left = [&](int d) { return !(reduced >> d & 1u) && image.sizes[d] != 1; };
  bool places = false;
  for (int d = 2; d < image.rank; ++d) places = places || left(d);
  return !(left(1) && places);
}

}  // namespace

bool launch_along(const Call& call, const Binding& binding, at::Tensor* results, tfl_status* status) {
  const ShapeRule rule = call.spec->shape_rule;
  if (rule != ShapeRule::cat && rule != ShapeRule::along_dim && rule != ShapeRule::reduce) return false;
  if (call.destination != nullptr || converts_output(call)) return false;
  bool late = false;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor& t = *call.inputs[i];
    if (!is_ours(t) || t.dim() != call.shapes[0].rank || (t.dim() != 4 && t.dim() != 5)) return false;
    late = late || late_form(t).defined();
  }
  if (!late) return false;
  const int64_t rank = call.shapes[0].rank;
  size_t along = 0;
  while (along < call.spec->attrs.size() && call.spec->attrs[along].name != "dim") ++along;
  if (along == call.spec->attrs.size() || call.attr_values[along]->isNone()) return false;

  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  std::vector<at::Tensor> lying;
  lying.reserve(call.num_inputs);
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor form = images_form(*call.inputs[i]);
    if (!form.defined()) return false;
    lying.push_back(as_it_lies(form));
  }
  const c10::IValue dim = placed(*call.attr_values[along], rank);
  Call inner;
  inner.spec = call.spec;
  inner.num_inputs = call.num_inputs;
  for (size_t i = 0; i < call.num_inputs; ++i) inner.inputs[i] = &lying[i];
  std::copy_n(call.attr_values, call.spec->attrs.size(), inner.attr_values);
  inner.attr_values[along] = &dim;
  inner.device = call.device;
  if (decide(inner, &binding, /*limits=*/true) || inner.empty || inner.adapt != 0 || converts_output(inner)) return false;
  if (inner.results_last || !keeps_order(call, call.attrs[along])) return false;
  *status = launch_status(inner, binding, results);
  if (*status != TFL_OK) return *status != TFL_UNSUPPORTED;
  for (size_t i = 0; i < call.spec->num_outputs(); ++i) {
    if (!results[i].defined()) continue;
    const at::IntArrayRef sizes{call.outputs[i].sizes, static_cast<size_t>(call.outputs[i].rank)};
    int64_t strides[kMaxRank];
    image_strides(call.outputs[i], /*last=*/call.outputs[i].rank == rank, strides);
    results[i].unsafeGetTensorImpl()->set_sizes_and_strides(sizes, {strides, sizes.size()});
    results[i] = converted_output(call, i, results[i]);
  }
  return true;
}

}  // namespace torchfl
