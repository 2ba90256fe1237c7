// Shapes of ops that slide a window over images: convolution and pooling.
#include "dispatch/shape_rules.h"

namespace torchfl {
namespace {

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

// [N, C, H, W] or [C, H, W]. With ceil_mode a last window may hang over, but must begin inside the image or its
// padding before it.
bool pool(const OpSpec& spec, const ShapeView& in, const tfl_attr* attrs, Shape* out) {
  const tfl_attr *kernel = find_attr(spec, attrs, "kernel_size"), *stride = find_attr(spec, attrs, "stride"),
                 *padding = find_attr(spec, attrs, "padding"), *dilation = find_attr(spec, attrs, "dilation");
  const bool ceil = element(find_attr(spec, attrs, "ceil_mode"), 0, 0) != 0;
  if (in.rank != 3 && in.rank != 4) return false;
  set_shape(out, in);
  for (int i = 0; i < 2; ++i) {
    const int64_t k = element(kernel, i, 0), s = element(stride, i, k), p = element(padding, i, 0),
                  d = element(dilation, i, 1), size = in.sizes[in.rank - 2 + i];
    if (k < 1 || s < 1 || d < 1 || p < 0 || p > k / 2 || size < 1) return false;
    const int64_t room = size + 2 * p - d * (k - 1) - 1;
    if (room + (ceil ? s - 1 : 0) < 0) return false;
    int64_t count = (room + (ceil ? s - 1 : 0)) / s + 1;
    if (ceil && (count - 1) * s >= size + p) --count;
    if (count < 1) return false;
    out->sizes[in.rank - 2 + i] = count;
  }
  return true;
}

}  // namespace

bool infer_window(const OpSpec& spec, const ShapeView* in, const tfl_attr* attrs, Shape* out) {
  if (spec.shape_rule == ShapeRule::conv) return conv(spec, in, attrs, out);
  if (spec.shape_rule == ShapeRule::pool) {
    if (!pool(spec, in[0], attrs, out)) return false;
    if (spec.num_outputs() > 1) out[1] = out[0];
    return true;
  }
  const tfl_attr* size = find_attr(spec, attrs, "output_size");
  if ((in[0].rank != 3 && in[0].rank != 4) || size == nullptr || size->count != 2) return false;
  set_shape(out, in[0]);
  for (int i = 0; i < 2; ++i) {
    if (size->list[i] < 1 || in[0].sizes[in[0].rank - 2 + i] < 1) return false;
    out->sizes[in[0].rank - 2 + i] = size->list[i];
  }
  return true;
}

}  // namespace torchfl
