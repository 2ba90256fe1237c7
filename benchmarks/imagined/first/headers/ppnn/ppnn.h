/*
 * An imagined vendor's header.
 *
 * ppnn: neural network functions for the PP32 packed-SIMD core.
 *
 * Tensors are structs that the caller fills in, layouts are NHWC, and nothing is allocated here.
 */
#ifndef PPNN_H
#define PPNN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_dtype { PP_F32 = 0, PP_F16, PP_S32, PP_S16, PP_S8, PP_U8, PP_BOOL };

struct pp_shape {
  int rank;
  int dim[5];      /* outermost first */
};

struct pp_buf {
  void *data;
  enum pp_dtype dtype;
  struct pp_shape shape;
  struct { float scale; int zero; } q;  /* for the 8-bit kinds */
};

struct pp_ctx {
  void *scratch;
  size_t scratch_len;
  unsigned cores;
};

struct pp_conv_params {
  int stride_h, stride_w;
  int pad_top, pad_left, pad_bottom, pad_right;
  int dilation_h, dilation_w;
  int groups;
  float clamp_lo, clamp_hi;   /* -INFINITY and INFINITY for none */
};

struct pp_pool_params {
  int filter_h, filter_w;
  int stride_h, stride_w;
  int pad_top, pad_left, pad_bottom, pad_right;
};

struct pp_softmax_params { float beta; };
struct pp_lrn_params { int range; float bias, alpha, beta; };
struct pp_reduce_params { int n_axis; int axis[5]; bool keep_dims; };
struct pp_leaky_params { float alpha; };
struct pp_clamp_params { float lo, hi; };
struct pp_transpose_params { int n; int perm[5]; };
struct pp_concat_params { int axis; int n_inputs; };
struct pp_norm_params { float eps; };
struct pp_gather_params { int axis; };
struct pp_lstm_params { float cell_clip, proj_clip; int time_major; };

/* All functions are true when done, false when the shapes or types do not fit; pp_why() tells more. */
const char *pp_why(void);
const char *pp_build_info(void);
size_t pp_conv_scratch_len(const struct pp_conv_params *p, const struct pp_shape *in, const struct pp_shape *filter);

bool pp_conv2d(const struct pp_ctx *ctx, const struct pp_conv_params *p, const struct pp_buf *in,
               const struct pp_buf *filter, const struct pp_buf *bias, struct pp_buf *out);
bool pp_dwconv2d(const struct pp_ctx *ctx, const struct pp_conv_params *p, const struct pp_buf *in,
                 const struct pp_buf *filter, const struct pp_buf *bias, struct pp_buf *out);
bool pp_dense(const struct pp_ctx *ctx, const struct pp_buf *in, const struct pp_buf *filter,
              const struct pp_buf *bias, struct pp_buf *out);
bool pp_batch_matmul(const struct pp_ctx *ctx, const struct pp_buf *lhs, const struct pp_buf *rhs, bool adj_lhs,
                     bool adj_rhs, struct pp_buf *out);

bool pp_maxpool(const struct pp_ctx *ctx, const struct pp_pool_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_avgpool(const struct pp_ctx *ctx, const struct pp_pool_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_l2pool(const struct pp_ctx *ctx, const struct pp_pool_params *p, const struct pp_buf *in, struct pp_buf *out);

bool pp_relu(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_relu6(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_logistic(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_tanh(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_hswish(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_leaky_relu(const struct pp_ctx *ctx, const struct pp_leaky_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_clamp(const struct pp_ctx *ctx, const struct pp_clamp_params *p, const struct pp_buf *in, struct pp_buf *out);
/* over the last dimension: exp(beta * x) / sum(exp(beta * x)) */
bool pp_softmax(const struct pp_ctx *ctx, const struct pp_softmax_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_log_softmax(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);

/* with broadcasting */
bool pp_add(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_sub(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_mul(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_div(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_floor_div(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_min2(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_max2(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_sqdiff(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_less(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_equal(const struct pp_ctx *ctx, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);
bool pp_add_n(const struct pp_ctx *ctx, const struct pp_buf *const *ins, int n, struct pp_buf *out);

bool pp_exp(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_log(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_sqrt(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_rsqrt(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_abs(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_neg(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_cast(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);

bool pp_reduce_sum(const struct pp_ctx *ctx, const struct pp_reduce_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_reduce_mean(const struct pp_ctx *ctx, const struct pp_reduce_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_reduce_max(const struct pp_ctx *ctx, const struct pp_reduce_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_arg_max(const struct pp_ctx *ctx, int axis, const struct pp_buf *in, struct pp_buf *out);
bool pp_layer_norm(const struct pp_ctx *ctx, const struct pp_norm_params *p, const struct pp_buf *in,
                   const struct pp_buf *gamma, const struct pp_buf *beta, struct pp_buf *out);
/* x / max(sqrt(sum(x * x)), eps) over the last dimension */
bool pp_l2_normalize(const struct pp_ctx *ctx, const struct pp_norm_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_lrn(const struct pp_ctx *ctx, const struct pp_lrn_params *p, const struct pp_buf *in, struct pp_buf *out);

bool pp_transpose(const struct pp_ctx *ctx, const struct pp_transpose_params *p, const struct pp_buf *in, struct pp_buf *out);
bool pp_concat(const struct pp_ctx *ctx, const struct pp_concat_params *p, const struct pp_buf *const *ins, struct pp_buf *out);
bool pp_gather(const struct pp_ctx *ctx, const struct pp_gather_params *p, const struct pp_buf *in, const struct pp_buf *index, struct pp_buf *out);
bool pp_space_to_depth(const struct pp_ctx *ctx, int block, const struct pp_buf *in, struct pp_buf *out);
bool pp_resize_nearest(const struct pp_ctx *ctx, bool align_corners, const struct pp_buf *in, struct pp_buf *out);
bool pp_select(const struct pp_ctx *ctx, const struct pp_buf *cond, const struct pp_buf *a, const struct pp_buf *b, struct pp_buf *out);

bool pp_lstm_step(const struct pp_ctx *ctx, const struct pp_lstm_params *p, const struct pp_buf *in, const struct pp_buf *const weights[8],
                  const struct pp_buf *const biases[4], struct pp_buf *cell, struct pp_buf *hidden);
bool pp_quantize(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_dequantize(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);
bool pp_requantize(const struct pp_ctx *ctx, const struct pp_buf *in, struct pp_buf *out);

static inline size_t pp_count(const struct pp_shape *s) {
  size_t n = 1;
  for (int i = 0; i < s->rank; i++) n *= (size_t)s->dim[i];
  return n;
}

#ifdef __cplusplus
}
#endif
#endif
