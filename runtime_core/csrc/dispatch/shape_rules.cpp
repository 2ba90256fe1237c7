#include "dispatch/shape_rules.h"

#include <cstring>

namespace torchfl {
namespace {

bool broadcast(const ShapeView* inputs, size_t count, Shape* out) {
  out->rank = 0;
  for (size_t n = 0; n < count; ++n)
    if (inputs[n].rank > out->rank) out->rank = inputs[n].rank;
  for (int i = 0; i < out->rank; ++i) out->sizes[i] = 1;
  for (size_t n = 0; n < count; ++n) {
    const int shift = out->rank - inputs[n].rank;
    for (int i = 0; i < inputs[n].rank; ++i) {
      const int64_t size = inputs[n].sizes[i];
      int64_t& target = out->sizes[shift + i];
      if (size == target || size == 1) continue;
      if (target != 1) return false;
      target = size;
    }
  }
  return true;
}

}  // namespace

void set_shape(Shape* out, std::initializer_list<int64_t> sizes) {
  out->rank = static_cast<int>(sizes.size());
  int i = 0;
  for (int64_t size : sizes) out->sizes[i++] = size;
}

void set_shape(Shape* out, const ShapeView& from) {
  out->rank = from.rank;
  std::memcpy(out->sizes, from.sizes, sizeof(int64_t) * static_cast<size_t>(from.rank));
}

bool expands_to(const ShapeView& from, const Shape& to) {
  if (from.rank > to.rank) return false;
  const int shift = to.rank - from.rank;
  for (int i = 0; i < from.rank; ++i)
    if (from.sizes[i] != to.sizes[shift + i] && from.sizes[i] != 1) return false;
  return true;
}

int64_t element(const tfl_attr* attr, int index, int64_t absent) {
  if (attr == nullptr || attr->kind == TFL_ATTR_NONE) return absent;
  if (attr->kind != TFL_ATTR_INT_LIST) return attr->i;
  if (attr->count == 0) return absent;
  return attr->list[index < attr->count ? index : attr->count - 1];
}

const tfl_attr* find_attr(const OpSpec& spec, const tfl_attr* attrs, const char* name) {
  for (size_t i = 0; i < spec.attrs.size(); ++i)
    if (spec.attrs[i].name == name) return &attrs[i];
  return nullptr;
}

bool infer_product(const OpSpec& spec, const ShapeView* in, Shape* out) {
  switch (spec.shape_rule) {
    case ShapeRule::mm:
      if (in[0].rank != 2 || in[1].rank != 2 || in[0].sizes[1] != in[1].sizes[0]) return false;
      set_shape(out, {in[0].sizes[0], in[1].sizes[1]});
      return true;
    case ShapeRule::addmm:
      if (in[1].rank != 2 || in[2].rank != 2 || in[1].sizes[1] != in[2].sizes[0]) return false;
      set_shape(out, {in[1].sizes[0], in[2].sizes[1]});
      return in[0].rank >= 0 && expands_to(in[0], *out);
    case ShapeRule::bmm:
    case ShapeRule::baddbmm: {
      const ShapeView &a = in[spec.shape_rule == ShapeRule::bmm ? 0 : 1], &b = *(&a + 1);
      if (a.rank != 3 || b.rank != 3 || a.sizes[0] != b.sizes[0] || a.sizes[2] != b.sizes[1]) return false;
      set_shape(out, {a.sizes[0], a.sizes[1], b.sizes[2]});
      return spec.shape_rule == ShapeRule::bmm || (in[0].rank >= 0 && expands_to(in[0], *out));
    }
    case ShapeRule::mv:
    case ShapeRule::addmv: {
      const ShapeView &a = in[spec.shape_rule == ShapeRule::mv ? 0 : 1], &b = *(&a + 1);
      if (a.rank != 2 || b.rank != 1 || a.sizes[1] != b.sizes[0]) return false;
      set_shape(out, {a.sizes[0]});
      return spec.shape_rule == ShapeRule::mv || (in[0].rank >= 0 && expands_to(in[0], *out));
    }
    case ShapeRule::addr:
      if (in[1].rank != 1 || in[2].rank != 1) return false;
      set_shape(out, {in[1].sizes[0], in[2].sizes[0]});
      return in[0].rank >= 0 && expands_to(in[0], *out);
    case ShapeRule::dot:
      if (in[0].rank != 1 || in[1].rank != 1 || in[0].sizes[0] != in[1].sizes[0]) return false;
      set_shape(out, {});
      return true;
    default:
      return false;
  }
}

bool infer_shapes(const OpSpec& spec, const ShapeView* in, size_t count, const tfl_attr* attrs, Shape* out) {
  switch (spec.shape_rule) {
    case ShapeRule::broadcast:
      return broadcast(in, count, out);
    case ShapeRule::same:
      if (in[0].rank < 0) return false;
      set_shape(out, in[0]);
      return true;
    case ShapeRule::mm:
    case ShapeRule::addmm:
    case ShapeRule::bmm:
    case ShapeRule::baddbmm:
    case ShapeRule::mv:
    case ShapeRule::addmv:
    case ShapeRule::addr:
    case ShapeRule::dot:
      return infer_product(spec, in, out);
    case ShapeRule::conv:
    case ShapeRule::pool:
    case ShapeRule::adaptive_pool:
      return infer_window(spec, in, attrs, out);
    default:
      return infer_along(spec, in, count, attrs, out);
  }
}

}  // namespace torchfl
