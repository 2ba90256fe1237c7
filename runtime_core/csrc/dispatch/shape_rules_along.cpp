// Shapes of ops that work along dimensions: reductions, normalisation, indexing and movement.
#include "dispatch/shape_rules.h"
#include "torchfl/extents.hpp"

namespace torchfl {
namespace {

// Dimension `dim` of a tensor, counted from its end where negative; -1 where there is none.
int64_t dimension(const tfl_attr* dim, int rank) {
  if (dim == nullptr || dim->kind == TFL_ATTR_NONE) return -1;
  const int64_t dims = rank > 0 ? rank : 1, wrapped = dim->i < 0 ? dim->i + dims : dim->i;
  return wrapped < dims ? wrapped : -1;
}

bool reduce(const OpSpec& spec, const ShapeView& in, const tfl_attr* attrs, Shape* out) {
  static constexpr tfl_attr kAll{sizeof(tfl_attr), TFL_ATTR_NONE, 0, 0.0, nullptr, 0};
  const tfl_attr* dim = find_attr(spec, attrs, "dim");
  uint64_t mask = 0;
  if (!dimension_mask(in.rank, dim != nullptr ? *dim : kAll, &mask)) return false;
  const bool keep = element(find_attr(spec, attrs, "keepdim"), 0, 0) != 0;
  out->rank = 0;
  for (int i = 0; i < in.rank; ++i) {
    const bool reduced = mask >> i & 1u;
    if (!reduced || keep) out->sizes[out->rank++] = reduced ? 1 : in.sizes[i];
  }
  for (size_t i = 1; i < spec.num_outputs(); ++i) out[i] = out[0];
  return true;
}

// Mean and rstd have the leading dimensions, and 1 for each of those that are normalised.
bool layer_norm(const OpSpec& spec, const ShapeView* in, const tfl_attr* attrs, Shape* out) {
  const tfl_attr* shape = find_attr(spec, attrs, "normalized_shape");
  if (shape == nullptr || shape->count < 1 || shape->count > in[0].rank) return false;
  const int leading = in[0].rank - static_cast<int>(shape->count);
  for (int i = 0; i < shape->count; ++i)
    if (in[0].sizes[leading + i] != shape->list[i]) return false;
  for (size_t p = 1; p < spec.inputs.size(); ++p) {
    if (in[p].rank < 0) continue;
    if (in[p].rank != shape->count) return false;
    for (int i = 0; i < shape->count; ++i)
      if (in[p].sizes[i] != shape->list[i]) return false;
  }
  for (size_t n = 0; n < spec.num_outputs(); ++n) {
    set_shape(&out[n], in[0]);
    for (int i = leading; n > 0 && i < in[0].rank; ++i) out[n].sizes[i] = 1;
  }
  return true;
}

// In inference nothing is saved: the further outputs are empty.
bool batch_norm(const OpSpec& spec, const ShapeView* in, const tfl_attr* attrs, Shape* out) {
  if (in[0].rank < 2 || element(find_attr(spec, attrs, "training"), 0, 0) != 0) return false;
  for (size_t p = 1; p < spec.inputs.size(); ++p)
    if (in[p].rank >= 0 && !(in[p].rank == 1 && in[p].sizes[0] == in[0].sizes[1])) return false;
  set_shape(out, in[0]);
  for (size_t n = 1; n < spec.num_outputs(); ++n) set_shape(&out[n], {0});
  return true;
}

bool group_norm(const OpSpec& spec, const ShapeView* in, const tfl_attr* attrs, Shape* out) {
  const int64_t n = element(find_attr(spec, attrs, "N"), 0, 0), c = element(find_attr(spec, attrs, "C"), 0, 0),
                hw = element(find_attr(spec, attrs, "HxW"), 0, 0), group = element(find_attr(spec, attrs, "group"), 0, 0);
  if (in[0].rank < 2 || group < 1 || c % group != 0 || in[0].numel() != n * c * hw) return false;
  for (size_t p = 1; p < spec.inputs.size(); ++p)
    if (in[p].rank >= 0 && !(in[p].rank == 1 && in[p].sizes[0] == c)) return false;
  set_shape(out, in[0]);
  for (size_t i = 1; i < spec.num_outputs(); ++i) set_shape(&out[i], {n, group});
  return true;
}

bool embedding(const ShapeView* in, Shape* out) {
  if (in[0].rank != 2 || in[1].rank < 0 || in[1].rank + 1 > kMaxRank) return false;
  set_shape(out, in[1]);
  out->sizes[out->rank++] = in[0].sizes[1];
  return true;
}

bool index_select(const ShapeView* in, int64_t dim, Shape* out) {
  if (dim < 0 || in[0].rank < 1 || in[1].rank > 1) return false;
  set_shape(out, in[0]);
  out->sizes[dim] = in[1].numel();
  return true;
}

// No dimension of the index but `dim` may be larger than its counterpart; for scatter the source holds it whole.
bool indexed(const OpSpec& spec, const ShapeView* in, int64_t dim, Shape* out) {
  const bool gathers = spec.shape_rule == ShapeRule::gather;
  if (dim < 0 || in[0].rank < 1 || in[1].rank != in[0].rank) return false;
  for (int i = 0; i < in[0].rank; ++i)
    if (i != dim && in[1].sizes[i] > in[0].sizes[i]) return false;
  for (size_t s = 2; s < spec.inputs.size(); ++s) {
    if (in[s].rank != in[1].rank) return false;
    for (int i = 0; i < in[1].rank; ++i)
      if (in[1].sizes[i] > in[s].sizes[i]) return false;
  }
  set_shape(out, in[gathers ? 1 : 0]);
  return true;
}

bool cat(const ShapeView* in, size_t count, int64_t dim, Shape* out) {
  if (count == 0 || dim < 0 || in[0].rank < 1) return false;
  set_shape(out, in[0]);
  for (size_t n = 1; n < count; ++n) {
    if (in[n].rank != out->rank) return false;
    for (int i = 0; i < out->rank; ++i) {
      if (i == dim)
        out->sizes[i] += in[n].sizes[i];
      else if (in[n].sizes[i] != out->sizes[i])
        return false;
    }
  }
  return true;
}

bool permute(const ShapeView& in, const tfl_attr* dims, Shape* out) {
  uint64_t mask = 0;
  if (dims == nullptr || dims->kind != TFL_ATTR_INT_LIST || dims->count != in.rank || in.rank < 1) return false;
  if (!dimension_mask(in.rank, *dims, &mask)) return false;
  out->rank = in.rank;
  for (int i = 0; i < in.rank; ++i) out->sizes[i] = in.sizes[dims->list[i] < 0 ? dims->list[i] + in.rank : dims->list[i]];
  return true;
}

// query [B, H, L, E], key and value [B, H, S, E]; what is added to the scores expands to [B, H, L, S]. Values of another
// width than keys are PyTorch's own affair: a kernel is told one head_dim.
bool attention(const ShapeView* in, Shape* out) {
  const ShapeView &q = in[0], &k = in[1], &v = in[2];
  if (q.rank != 4 || k.rank != 4 || v.rank != 4) return false;
  for (int i = 0; i < 2; ++i)
    if (q.sizes[i] != k.sizes[i] || q.sizes[i] != v.sizes[i]) return false;
  if (q.sizes[3] != k.sizes[3] || k.sizes[3] != v.sizes[3] || k.sizes[2] != v.sizes[2]) return false;
  Shape scores;
  set_shape(&scores, {q.sizes[0], q.sizes[1], q.sizes[2], k.sizes[2]});
  if (in[3].rank >= 0 && !expands_to(in[3], scores)) return false;
  set_shape(out, {q.sizes[0], q.sizes[1], q.sizes[2], v.sizes[3]});
  return true;
}

}  // namespace

bool infer_along(const OpSpec& spec, const ShapeView* in, size_t count, const tfl_attr* attrs, Shape* out) {
  if (count == 0 || in[0].rank < 0) return false;
  const int64_t dim = dimension(find_attr(spec, attrs, "dim"), in[0].rank);
  switch (spec.shape_rule) {
    case ShapeRule::along_dim:
      if (dim < 0) return false;
      for (size_t n = 0; n < spec.num_outputs(); ++n) set_shape(&out[n], in[0]);
      return true;
    case ShapeRule::triangle:
      if (in[0].rank < 2) return false;
      set_shape(out, in[0]);
      return true;
    case ShapeRule::reduce: return reduce(spec, in[0], attrs, out);
    case ShapeRule::layer_norm: return layer_norm(spec, in, attrs, out);
    case ShapeRule::batch_norm: return batch_norm(spec, in, attrs, out);
    case ShapeRule::group_norm: return group_norm(spec, in, attrs, out);
    case ShapeRule::embedding: return embedding(in, out);
    case ShapeRule::index_select: return index_select(in, dim, out);
    case ShapeRule::gather:
    case ShapeRule::scatter: return indexed(spec, in, dim, out);
    case ShapeRule::cat: return cat(in, count, dim, out);
    case ShapeRule::permute: return permute(in[0], find_attr(spec, attrs, "dims"), out);
    case ShapeRule::attention: return attention(in, out);
    default: return false;
  }
}

}  // namespace torchfl
