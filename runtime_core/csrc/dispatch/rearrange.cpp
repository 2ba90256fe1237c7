#include "dispatch/rearrange.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <numeric>

#include "dispatch/adapters.h"
#include "dispatch/launch.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/counters.h"
#include "memory/pieces.h"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

using Dims = c10::SmallVector<int64_t, 8>;

// The dimensions from the outermost in memory to the innermost.
Dims outer_first(at::IntArrayRef strides) {
  Dims order(strides.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  return order;
}

// The source as it lies in memory: dimensions that stay side by side are one axis.
struct Axes {
  Dims sizes;  // of the source
  Dims order;  // of the result: its axes by their places in the source
};

// The fewest axes, or with `each` one for every dimension of more than one element.
Axes axes_of(at::IntArrayRef sizes, at::IntArrayRef from, at::IntArrayRef to, bool each) {
  Dims source, target;
  for (int64_t dim : outer_first(from))
    if (sizes[dim] != 1) source.push_back(dim);
  for (int64_t dim : outer_first(to))
    if (sizes[dim] != 1) target.push_back(dim);
  Axes axes;
  Dims axis_of(sizes.size());
  for (size_t i = 0; i < source.size(); ++i) {
    const auto place = std::find(target.begin(), target.end(), source[i]);
    const bool beside = !each && i != 0 && place != target.begin() && *(place - 1) == source[i - 1];
    if (beside)
      axes.sizes.back() *= sizes[source[i]];
    else
      axes.sizes.push_back(sizes[source[i]]);
    axis_of[source[i]] = static_cast<int64_t>(axes.sizes.size()) - 1;
  }
  for (int64_t dim : target)
    if (axes.order.empty() || axes.order.back() != axis_of[dim]) axes.order.push_back(axis_of[dim]);
  return axes;
}


// The call of the kernel that makes the order.
struct Permutation {
  at::Tensor source;
  c10::IValue dims;
  Call call;
};

bool plan(const Binding& binding, const at::Tensor& from, const Axes& axes, Permutation* to) {
  to->source = from.as_strided(axes.sizes, strides_in_order(axes.sizes, {}), from.storage_offset());
  to->dims = c10::List<int64_t>(at::ArrayRef<int64_t>(axes.order));
  Call& call = to->call;
  call.spec = binding.spec;
  call.num_inputs = 1;
  call.inputs[0] = &to->source;
  call.attr_values[0] = &to->dims;
  call.device = from.device().index();
  return !decide(call, &binding, /*limits=*/true) && !call.empty && call.adapt == 0 && !converts_output(call);
}

// With as few axes as there are, or one for each dimension: the kernel has its limits.
const Binding* plan(const at::Tensor& from, at::IntArrayRef strides, Permutation* to) {
  const ChipTable* table = table_of(from.device().index());
  const Binding* binding = table != nullptr ? table->binding("aten::permute_copy") : nullptr;
  if (binding == nullptr) return nullptr;
  const Axes few = axes_of(from.sizes(), from.strides(), strides, /*each=*/false);
  if (few.sizes.size() < 2) return nullptr;
  if (plan(*binding, from, few, to)) return binding;
  const Axes all = axes_of(from.sizes(), from.strides(), strides, /*each=*/true);
  *to = Permutation{};
  return all.sizes.size() != few.sizes.size() && plan(*binding, from, all, to) ? binding : nullptr;
}

at::Tensor by_kernel(const at::Tensor& from, at::IntArrayRef strides) {
  Permutation permutation;
  const Binding* binding = plan(from, strides, &permutation);
  at::Tensor results[kMaxOutputs];
  if (binding == nullptr || launch(permutation.call, *binding, results)) return {};
  results[0].unsafeGetTensorImpl()->set_sizes_and_strides(from.sizes(), strides);
  count_copy(copy_counters().d2d, copy_counters().d2d_bytes, results[0].nbytes());
  return results[0];
}

}  // namespace

c10::SmallVector<int64_t, 8> strides_in_order(at::IntArrayRef sizes, at::IntArrayRef like) {
  Dims order(sizes.size()), strides(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (!like.empty()) order = outer_first(like);
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<int64_t>(sizes[order[i]], 1);
  }
  return strides;
}

const Binding* rearranging_kernel(const at::Tensor& from, at::IntArrayRef strides) {
  if (!from.is_non_overlapping_and_dense() || from.is_conj() || from.is_neg()) return nullptr;
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  Permutation permutation;
  return plan(from, strides, &permutation);
}

at::Tensor rearranged(const at::Tensor& from, at::IntArrayRef strides) {
  if (!(box_of(from)->valid.load(std::memory_order_acquire) & kDeviceSide)) return {};
  if (!from.is_non_overlapping_and_dense() || from.is_conj() || from.is_neg()) return {};
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  try {
    if (at::Tensor made = by_kernel(from, strides); made.defined()) return made;
    at::Tensor made = new_strided(from.sizes(), strides, from.scalar_type(), from.device().index());
    return copy_in_pieces(from, from.strides(), made, strides, from.sizes(), /*clear=*/false) ? made : at::Tensor();
  } catch (const c10::OutOfMemoryError&) {
    return {};
  }
}

}  // namespace torchfl
