#include "dispatch/index_range.h"

#include <algorithm>

#include "dispatch/shape_rules.h"
#include "memory/access.h"

namespace torchfl {
namespace {

// Elements along the dimension that the index counts.
int64_t extent_of(const Call& call) {
  const ShapeView& from = call.shapes[0];
  const tfl_attr* dim = find_attr(*call.spec, call.attrs, "dim");  // an embedding has none: its rows
  if (from.rank < 1) return 1;
  const int64_t at = dim == nullptr ? 0 : dim->i < 0 ? dim->i + from.rank : dim->i;
  return from.sizes[at];
}

template <class T>
bool inside(const T* values, int64_t count, int64_t extent) {
  bool all = true;  // without an early exit, so that it vectorizes
  for (int64_t i = 0; i < count; ++i) all &= (values[i] >= 0) & (static_cast<int64_t>(values[i]) < extent);
  return all;
}

}  // namespace

Reason index_outside(const Call& call) {
  const at::Tensor& index = *call.inputs[static_cast<size_t>(call.spec->index_input)];
  Access access;
  access.read(index);
  access.to_host();
  const at::Tensor values = access.host_view(index).contiguous();
  const int64_t extent = extent_of(call);
  const bool fine = values.scalar_type() == at::kInt ? inside(values.const_data_ptr<int32_t>(), values.numel(), extent)
                                                     : inside(values.const_data_ptr<int64_t>(), values.numel(), extent);
  return fine ? Reason{} : Reason{Why::index};
}

}  // namespace torchfl
