// The sizes that a profile's limits speak of, by the catalogue's shape rules. No torch here.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "torchfl/extents.hpp"

namespace torchfl {
namespace {

using V = RuleVariable;

constexpr V kProduct[] = {V::M, V::N, V::K}, kBatched[] = {V::batch, V::M, V::N, V::K}, kMatrixVector[] = {V::M, V::K},
            kOuterProduct[] = {V::M, V::N}, kDot[] = {V::K},
            kConv[] = {V::kernel_size, V::in_channels, V::out_channels}, kAlong[] = {V::outer, V::extent, V::inner},
            kReduce[] = {V::outer, V::extent, V::inner, V::spans}, kMatrix[] = {V::rows, V::cols},
            kChannels[] = {V::channels}, kEmbedding[] = {V::rows, V::cols, V::count},
            kSelect[] = {V::outer, V::extent, V::inner, V::count}, kExtent[] = {V::extent},
            kCat[] = {V::outer, V::inner, V::count},
            kAttention[] = {V::batch, V::heads, V::length, V::kv_length, V::head_dim}, kOperands[] = {V::second_numel};

struct List {
  const V* first = nullptr;
  size_t count = 0;
};
template <size_t N>
constexpr List list(const V (&variables)[N]) {
  return {variables, N};
}

List variables_of(ShapeRule rule) {
  switch (rule) {
    case ShapeRule::mm:
    case ShapeRule::addmm: return list(kProduct);
    case ShapeRule::bmm:
    case ShapeRule::baddbmm: return list(kBatched);
    case ShapeRule::mv:
    case ShapeRule::addmv: return list(kMatrixVector);
    case ShapeRule::addr: return list(kOuterProduct);
    case ShapeRule::dot: return list(kDot);
    case ShapeRule::conv: return list(kConv);
    case ShapeRule::along_dim: return list(kAlong);
    case ShapeRule::reduce: return list(kReduce);
    case ShapeRule::triangle:
    case ShapeRule::layer_norm: return list(kMatrix);
    case ShapeRule::pool:
    case ShapeRule::adaptive_pool:
    case ShapeRule::batch_norm: return list(kChannels);
    case ShapeRule::embedding: return list(kEmbedding);
    case ShapeRule::index_select: return list(kSelect);
    case ShapeRule::gather:
    case ShapeRule::scatter: return list(kExtent);
    case ShapeRule::cat: return list(kCat);
    case ShapeRule::attention: return list(kAttention);
    case ShapeRule::broadcast: return list(kOperands);
    case ShapeRule::same:
    case ShapeRule::group_norm:
    case ShapeRule::permute: break;
  }
  return {};
}

struct Values {
  int64_t* to;
  int one(int64_t value) const {
    to[0] = value;
    return 1;
  }
};

int product_variable(const OpSpec& spec, V variable, const ShapeView* in, const Values& values) {
  const bool adds = spec.shape_rule == ShapeRule::addmm || spec.shape_rule == ShapeRule::baddbmm ||
                    spec.shape_rule == ShapeRule::addmv || spec.shape_rule == ShapeRule::addr;
  const ShapeView &a = in[adds ? 1 : 0], &b = in[adds ? 2 : 1];  // [..., M, K] and [..., K, N]
  if (a.rank < 1 || b.rank < 1) return 0;
  if (spec.shape_rule == ShapeRule::addr) return values.one(variable == V::M ? a.sizes[0] : b.sizes[0]);
  if (spec.shape_rule == ShapeRule::dot) return values.one(a.sizes[0]);
  if (a.rank < 2) return 0;
  if (variable == V::M) return values.one(a.sizes[a.rank - 2]);
  if (variable == V::K) return values.one(a.sizes[a.rank - 1]);
  return values.one(variable == V::N ? b.sizes[b.rank - 1] : a.sizes[0]);
}

int conv_variable(const OpSpec& spec, V variable, const ShapeView* in, const tfl_attr* attrs, const Values& values) {
  const ShapeView &image = in[0], &weight = in[1];
  if (image.rank < 3 || weight.rank != image.rank) return 0;
  if (variable == V::in_channels) return values.one(image.sizes[1]);
  if (variable == V::out_channels) {
    const bool transposed = element(find_attr(spec, attrs, "transposed"), 0, 0) != 0;
    return values.one(transposed ? weight.sizes[1] * element(find_attr(spec, attrs, "groups"), 0, 1) : weight.sizes[0]);
  }
  int count = 0;
  for (int i = 2; i < weight.rank && count < kMaxList; ++i) values.to[count++] = weight.sizes[i];
  return count;
}

int along_variable(const OpSpec& spec, V variable, const ShapeView* in, size_t count, const tfl_attr* attrs,
                   const Values& values) {
  if (variable == V::count) return values.one(spec.shape_rule == ShapeRule::cat ? static_cast<int64_t>(count) : in[1].numel());
  static constexpr tfl_attr kAll{sizeof(tfl_attr), TFL_ATTR_NONE, 0, 0.0, nullptr, 0};
  const tfl_attr* dim = find_attr(spec, attrs, "dim");
  Along found;
  if (in[0].rank < 0 || !along(in[0].rank, in[0].sizes, dim != nullptr ? *dim : kAll, &found)) return 0;
  return values.one(variable == V::outer    ? found.outer
                    : variable == V::extent ? found.extent
                    : variable == V::inner  ? found.inner
                                            : found.spans);
}

int matrix_variable(const OpSpec& spec, V variable, const ShapeView* in, const tfl_attr* attrs, const Values& values) {
  int64_t rows = 0, cols = 0;
  if (spec.shape_rule == ShapeRule::layer_norm) {
    const tfl_attr* shape = find_attr(spec, attrs, "normalized_shape");
    if (shape == nullptr || !rows_and_cols(in[0].rank, in[0].sizes, shape->count, &rows, &cols)) return 0;
  } else {
    if (in[0].rank < 2) return 0;
    rows = in[0].sizes[in[0].rank - 2];
    cols = in[0].sizes[in[0].rank - 1];
  }
  return values.one(variable == V::rows ? rows : variable == V::cols ? cols : in[1].numel());
}

int attention_variable(V variable, const ShapeView* in, const Values& values) {
  const ShapeView &q = in[0], &k = in[1];
  if (q.rank != 4 || k.rank != 4) return 0;
  switch (variable) {
    case V::batch: return values.one(q.sizes[0]);
    case V::heads: return values.one(q.sizes[1]);
    case V::length: return values.one(q.sizes[2]);
    case V::kv_length: return values.one(k.sizes[2]);
    default: return values.one(q.sizes[3]);
  }
}

}  // namespace

bool has_variable(ShapeRule rule, RuleVariable variable) {
  const List known = variables_of(rule);
  return std::find(known.first, known.first + known.count, variable) != known.first + known.count;
}

int rule_variable(const OpSpec& spec, RuleVariable variable, const ShapeView* in, size_t count, const tfl_attr* attrs,
                  int64_t* to) {
  if (!has_variable(spec.shape_rule, variable)) return 0;
  const Values values{to};
  switch (spec.shape_rule) {
    case ShapeRule::conv: return conv_variable(spec, variable, in, attrs, values);
    case ShapeRule::along_dim:
    case ShapeRule::reduce:
    case ShapeRule::index_select:
    case ShapeRule::gather:
    case ShapeRule::scatter:
    case ShapeRule::cat: return along_variable(spec, variable, in, count, attrs, values);
    case ShapeRule::triangle:
    case ShapeRule::layer_norm:
    case ShapeRule::embedding: return matrix_variable(spec, variable, in, attrs, values);
    case ShapeRule::pool:
    case ShapeRule::adaptive_pool: return in[0].rank >= 3 ? values.one(in[0].sizes[in[0].rank - 3]) : 0;
    case ShapeRule::batch_norm: return in[0].rank >= 2 ? values.one(in[0].sizes[1]) : 0;
    case ShapeRule::attention: return attention_variable(variable, in, values);
    case ShapeRule::broadcast: return count > 1 && in[1].rank >= 0 ? values.one(in[1].numel()) : 0;
    default: return product_variable(spec, variable, in, values);
  }
}

}  // namespace torchfl
