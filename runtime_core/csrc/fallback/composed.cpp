// Kernels made from ops that route or fall back: for overloads that PyTorch has only for other accelerators, and for those
// whose one CPU kernel would keep a chip's products and norms idle.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_native_multi_head_attention_native.h>
#include <ATen/ops/_transformer_encoder_layer_fwd_native.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>

#include "fallback/register.h"

namespace torchfl {
namespace {

// mm(..., out_dtype) and its kin: the product is computed and given in the wider dtype.
at::Tensor mm_dtype(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  return at::mm(a.to(dtype), b.to(dtype));
}
at::Tensor bmm_dtype(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  return at::bmm(a.to(dtype), b.to(dtype));
}
at::Tensor addmm_dtype(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype,
                       const at::Scalar& beta, const at::Scalar& alpha) {
  return at::addmm(self.to(dtype), a.to(dtype), b.to(dtype), beta, alpha);
}
at::Tensor baddbmm_dtype(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype,
                         const at::Scalar& beta, const at::Scalar& alpha) {
  return at::baddbmm(self.to(dtype), a.to(dtype), b.to(dtype), beta, alpha);
}

at::Tensor sum_gates(const at::Tensor& input, const at::Tensor& hidden, const std::optional<at::Tensor>& input_bias,
                     const std::optional<at::Tensor>& hidden_bias) {
  at::Tensor gates = input + hidden;
  if (input_bias && input_bias->defined()) gates = gates + *input_bias;
  if (hidden_bias && hidden_bias->defined()) gates = gates + *hidden_bias;
  return gates;
}

// Gates in PyTorch's order: input, forget, cell, output. The workspace keeps them activated for backward.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx,
                                                         const std::optional<at::Tensor>& input_bias,
                                                         const std::optional<at::Tensor>& hidden_bias) {
  const auto gates = sum_gates(input_gates, hidden_gates, input_bias, hidden_bias).chunk(4, 1);
  const at::Tensor in = at::sigmoid(gates[0]), forget = at::sigmoid(gates[1]), cell = at::tanh(gates[2]),
                   out = at::sigmoid(gates[3]);
  const at::Tensor cy = forget * cx + in * cell;
  return {out * at::tanh(cy), cy, at::cat({in, forget, cell, out}, 1)};
}

// c' = forget * c + in * cell; h' = out * tanh(c'). Gives the gradients of the gates before activation, of c, and of
// the bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(const std::optional<at::Tensor>& grad_hy,
                                                                  const std::optional<at::Tensor>& grad_cy,
                                                                  const at::Tensor& cx, const at::Tensor& cy,
                                                                  const at::Tensor& workspace, bool has_bias) {
  const bool from_h = grad_hy && grad_hy->defined(), from_c = grad_cy && grad_cy->defined();
  if (!from_h && !from_c) return {};
  const auto gates = workspace.chunk(4, 1);
  const at::Tensor &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const at::Tensor tanh_cy = at::tanh(cy);
  at::Tensor grad_c, grad_out;
  if (from_h) {
    grad_c = *grad_hy * out * (1 - tanh_cy * tanh_cy);
    grad_out = *grad_hy * tanh_cy;
  } else {
    grad_out = at::Tensor(out * 0);
  }
  if (from_c) grad_c = grad_c.defined() ? grad_c + *grad_cy : *grad_cy;
  const at::Tensor grad_gates = at::cat({grad_c * cell * in * (1 - in), grad_c * cx * forget * (1 - forget),
                                         grad_c * in * (1 - cell * cell), grad_out * out * (1 - out)},
                                        1);
  return {grad_gates, grad_c * forget, has_bias ? grad_gates.sum(0, /*keepdim=*/false) : at::Tensor()};
}

// Gates in PyTorch's order: reset, input, new. The workspace keeps (reset, input, new, h, hidden part of new).
std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                            const at::Tensor& hx, const std::optional<at::Tensor>& input_bias,
                                            const std::optional<at::Tensor>& hidden_bias) {
  const bool biased = input_bias && input_bias->defined();
  const auto from_input = (biased ? input_gates + *input_bias : input_gates).chunk(3, 1);
  const auto from_hidden = (biased ? hidden_gates + *hidden_bias : hidden_gates).chunk(3, 1);
  const at::Tensor reset = at::sigmoid(from_input[0] + from_hidden[0]);
  const at::Tensor update = at::sigmoid(from_input[1] + from_hidden[1]);
  const at::Tensor fresh = at::tanh(from_input[2] + reset * from_hidden[2]);
  return {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, from_hidden[2]}, 1)};
}

// Gives the gradients of the input gates, of the hidden gates, of h, and of both biases.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(const at::Tensor& grad_hy,
                                                                                         const at::Tensor& workspace,
                                                                                         bool has_bias) {
  const auto saved = workspace.chunk(5, 1);
  const at::Tensor &reset = saved[0], &update = saved[1], &fresh = saved[2], &hx = saved[3], &hidden_new = saved[4];
  const at::Tensor grad_fresh = grad_hy * (1 - update) * (1 - fresh * fresh);
  const at::Tensor grad_update = grad_hy * (hx - fresh) * update * (1 - update);
  const at::Tensor grad_reset = grad_fresh * hidden_new * reset * (1 - reset);
  const at::Tensor grad_input = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  const at::Tensor grad_hidden = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  return {grad_input, grad_hidden, grad_hy * update, has_bias ? grad_input.sum(0, false) : at::Tensor(),
          has_bias ? grad_hidden.sum(0, false) : at::Tensor()};
}

// With x = input * rstd and g = grad * weight: rstd * (g - x * mean(g * x)) for the input, sum(grad * x) for the weight.
// Where rstd is wider than the input, as PyTorch computes it for half precision, so is all of this.
std::tuple<at::Tensor, at::Tensor> rms_norm_backward(const at::Tensor& grad_out, const at::Tensor& input,
                                                     at::IntArrayRef normalized_shape, const at::Tensor& rstd,
                                                     const std::optional<at::Tensor>& weight,
                                                     std::array<bool, 2> output_mask) {
  const auto dtype = rstd.scalar_type();
  const int64_t leading = input.dim() - static_cast<int64_t>(normalized_shape.size());
  std::vector<int64_t> normalized, others;
  for (int64_t i = 0; i < input.dim(); ++i) (i < leading ? others : normalized).push_back(i);
  const at::Tensor grad = grad_out.to(dtype), x = input.to(dtype) * rstd;
  const bool weighted = weight && weight->defined();
  at::Tensor grad_input, grad_weight;
  if (output_mask[0]) {
    const at::Tensor g = weighted ? grad * weight->to(dtype) : grad;
    grad_input = (rstd * (g - x * at::mean(g * x, normalized, /*keepdim=*/true))).to(input.scalar_type());
  }
  if (output_mask[1] && weighted) {
    const at::Tensor product = grad * x;
    grad_weight = (others.empty() ? product : at::sum(product, others)).to(weight->scalar_type());
  }
  return {grad_input, grad_weight};
}

}  // namespace

void register_composed(torch::Library& aten) {
  // Inference of torch.nn.TransformerEncoderLayer and MultiheadAttention; torch's own are made of ops of the dispatcher.
  aten.impl("_transformer_encoder_layer_fwd", TORCH_FN(at::native::transformer_encoder_layer_forward));
  aten.impl("_native_multi_head_attention", TORCH_FN(at::native::native_multi_head_attention_cpu));
  aten.impl("mm.dtype", TORCH_FN(mm_dtype));
  aten.impl("bmm.dtype", TORCH_FN(bmm_dtype));
  aten.impl("addmm.dtype", TORCH_FN(addmm_dtype));
  aten.impl("baddbmm.dtype", TORCH_FN(baddbmm_dtype));
  aten.impl("_fused_rms_norm_backward", TORCH_FN(rms_norm_backward));
  aten.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  aten.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
  aten.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  aten.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
}

}  // namespace torchfl
