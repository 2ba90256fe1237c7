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

bool expands_to(const ShapeView& from, const Shape& to) {
  if (from.rank > to.rank) return false;
  const int shift = to.rank - from.rank;
  for (int i = 0; i < from.rank; ++i)
    if (from.sizes[i] != to.sizes[shift + i] && from.sizes[i] != 1) return false;
  return true;
}

void set(Shape* out, std::initializer_list<int64_t> sizes) {
  out->rank = static_cast<int>(sizes.size());
  int i = 0;
  for (int64_t size : sizes) out->sizes[i++] = size;
}

int64_t element(const tfl_attr* attr, int index, int64_t absent) {
  if (attr == nullptr || attr->kind == TFL_ATTR_NONE) return absent;
  if (attr->kind != TFL_ATTR_INT_LIST) return attr->i;
  if (attr->count == 0) return absent;
  return attr->list[index < attr->count ? index : attr->count - 1];
}

// input [N, C, *spatial]; weight [out, C/groups, *kernel], or [C, out/groups, *kernel] when transposed.
bool conv(const OpSpec& spec, const ShapeView* in, const tfl_attr* attrs, Shape* out) {
  const ShapeView &input = in[0], &weight = in[1];
  if (input.rank < 3 || weight.rank != input.rank) return false;
  const bool transposed = element(find_attr(spec, attrs, "transposed"), 0, 0) != 0;
  const int64_t groups = element(find_attr(spec, attrs, "groups"), 0, 1);
  if (groups < 1) return false;
  const int64_t channels = input.sizes[1];
  if (transposed ? weight.sizes[0] != channels : weight.sizes[1] * groups != channels) return false;
  const int64_t out_channels = transposed ? weight.sizes[1] * groups : weight.sizes[0];
  if (out_channels % groups != 0 || channels % groups != 0) return false;
  if (in[2].rank >= 0 && !(in[2].rank == 1 && in[2].sizes[0] == out_channels)) return false;
  const tfl_attr *stride = find_attr(spec, attrs, "stride"), *padding = find_attr(spec, attrs, "padding"),
                 *dilation = find_attr(spec, attrs, "dilation"),
                 *output_padding = find_attr(spec, attrs, "output_padding");
  out->rank = input.rank;
  out->sizes[0] = input.sizes[0];
  out->sizes[1] = out_channels;
  for (int i = 0; i + 2 < input.rank; ++i) {
    const int64_t s = element(stride, i, 1), p = element(padding, i, 0), d = element(dilation, i, 1);
    if (s < 1 || p < 0 || d < 1) return false;
    const int64_t size = input.sizes[i + 2], window = d * (weight.sizes[i + 2] - 1) + 1;
    if (transposed) {
      out->sizes[i + 2] = (size - 1) * s - 2 * p + window + element(output_padding, i, 0);
    } else {
      if (size + 2 * p < window) return false;
      out->sizes[i + 2] = (size + 2 * p - window) / s + 1;
    }
    if (out->sizes[i + 2] < 0) return false;
  }
  return true;
}

}  // namespace

const tfl_attr* find_attr(const OpSpec& spec, const tfl_attr* attrs, const char* name) {
  for (size_t i = 0; i < spec.attrs.size(); ++i)
    if (spec.attrs[i].name == name) return &attrs[i];
  return nullptr;
}

bool infer_shape(const OpSpec& spec, const ShapeView* in, const tfl_attr* attrs, Shape* out) {
  switch (spec.shape_rule) {
    case ShapeRule::broadcast:
      return broadcast(in, spec.inputs.size(), out);
    case ShapeRule::same:
      if (in[0].rank < 0) return false;
      out->rank = in[0].rank;
      std::memcpy(out->sizes, in[0].sizes, sizeof(int64_t) * static_cast<size_t>(in[0].rank));
      return true;
    case ShapeRule::mm:
      if (in[0].rank != 2 || in[1].rank != 2 || in[0].sizes[1] != in[1].sizes[0]) return false;
      set(out, {in[0].sizes[0], in[1].sizes[1]});
      return true;
    case ShapeRule::addmm:
      if (in[1].rank != 2 || in[2].rank != 2 || in[1].sizes[1] != in[2].sizes[0]) return false;
      set(out, {in[1].sizes[0], in[2].sizes[1]});
      return in[0].rank >= 0 && expands_to(in[0], *out);
    case ShapeRule::bmm:
      if (in[0].rank != 3 || in[1].rank != 3 || in[0].sizes[0] != in[1].sizes[0] || in[0].sizes[2] != in[1].sizes[1])
        return false;
      set(out, {in[0].sizes[0], in[0].sizes[1], in[1].sizes[2]});
      return true;
    case ShapeRule::mv:
      if (in[0].rank != 2 || in[1].rank != 1 || in[0].sizes[1] != in[1].sizes[0]) return false;
      set(out, {in[0].sizes[0]});
      return true;
    case ShapeRule::dot:
      if (in[0].rank != 1 || in[1].rank != 1 || in[0].sizes[0] != in[1].sizes[0]) return false;
      set(out, {});
      return true;
    case ShapeRule::conv:
      return conv(spec, in, attrs, out);
  }
  return false;
}

int rule_variable(const OpSpec& spec, RuleVariable variable, const ShapeView* in, const tfl_attr* attrs,
                  int64_t* values) {
  // The operands of a product: left [..., M, K], right [..., K, N].
  const int left = spec.shape_rule == ShapeRule::addmm ? 1 : 0;
  const ShapeView &a = in[left], &b = in[left + 1];
  const auto one = [&](int64_t value) {
    values[0] = value;
    return 1;
  };
  switch (spec.shape_rule) {
    case ShapeRule::mm:
    case ShapeRule::addmm:
    case ShapeRule::bmm:
    case ShapeRule::mv: {
      if (a.rank < 2 || b.rank < 1) return 0;
      if (variable == RuleVariable::M) return one(a.sizes[a.rank - 2]);
      if (variable == RuleVariable::K) return one(a.sizes[a.rank - 1]);
      if (variable == RuleVariable::N && spec.shape_rule != ShapeRule::mv) return one(b.sizes[b.rank - 1]);
      if (variable == RuleVariable::batch && spec.shape_rule == ShapeRule::bmm) return one(a.sizes[0]);
      return 0;
    }
    case ShapeRule::dot:
      return variable == RuleVariable::K && a.rank == 1 ? one(a.sizes[0]) : 0;
    case ShapeRule::conv: {
      if (a.rank < 3 || b.rank != a.rank) return 0;
      if (variable == RuleVariable::in_channels) return one(a.sizes[1]);
      if (variable == RuleVariable::out_channels) {
        const bool transposed = element(find_attr(spec, attrs, "transposed"), 0, 0) != 0;
        return one(transposed ? b.sizes[1] * element(find_attr(spec, attrs, "groups"), 0, 1) : b.sizes[0]);
      }
      if (variable != RuleVariable::kernel_size) return 0;
      int count = 0;
      for (int i = 2; i < b.rank && count < kMaxList; ++i) values[count++] = b.sizes[i];
      return count;
    }
    case ShapeRule::broadcast:
    case ShapeRule::same:
      break;
  }
  return 0;
}

}  // namespace torchfl
