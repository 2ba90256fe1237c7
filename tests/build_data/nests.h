/* Tensors are structs with a shape struct in them, contexts and parameters are structs of the caller. */
#ifndef NT_NESTS_H
#define NT_NESTS_H

#include <stdbool.h>
#include <stddef.h>

enum nt_dtype { NT_F32 = 0, NT_S32, NT_BOOL };

struct nt_shape {
  int rank;
  int dim[5]; /* outermost first */
};
struct nt_buf {
  void *data;
  enum nt_dtype dtype;
  struct nt_shape shape;
  struct {
    float scale;
    int zero;
  } q;
};
struct nt_ctx {
  void *scratch;
  size_t scratch_len;
  unsigned cores;
};

struct nt_pool_params {
  int filter_h, filter_w;
  int stride_h, stride_w;
  int pad_top, pad_left, pad_bottom, pad_right;
};
struct nt_softmax_params {
  float beta;
};
struct nt_reduce_params {
  int n_axis;
  int axis[5];
  bool keep_dims;
};
struct nt_leaky_params {
  float alpha;
};
struct nt_clamp_params {
  float lo, hi;
};
struct nt_transpose_params {
  int n;
  int perm[5];
};
struct nt_norm_params {
  float eps;
};

/* All functions are true when done, false when the shapes or types do not fit. */
bool nt_add(const struct nt_ctx *ctx, const struct nt_buf *a, const struct nt_buf *b, struct nt_buf *out);
bool nt_less(const struct nt_ctx *ctx, const struct nt_buf *a, const struct nt_buf *b, struct nt_buf *out);
bool nt_select(const struct nt_ctx *ctx, const struct nt_buf *cond, const struct nt_buf *a, const struct nt_buf *b,
               struct nt_buf *out);
bool nt_relu(const struct nt_ctx *ctx, const struct nt_buf *in, struct nt_buf *out);
bool nt_leaky_relu(const struct nt_ctx *ctx, const struct nt_leaky_params *p, const struct nt_buf *in,
                   struct nt_buf *out);
bool nt_clamp(const struct nt_ctx *ctx, const struct nt_clamp_params *p, const struct nt_buf *in, struct nt_buf *out);
/* over the last dimension: exp(beta * x) / sum(exp(beta * x)) */
bool nt_softmax(const struct nt_ctx *ctx, const struct nt_softmax_params *p, const struct nt_buf *in,
                struct nt_buf *out);
bool nt_reduce_sum(const struct nt_ctx *ctx, const struct nt_reduce_params *p, const struct nt_buf *in,
                   struct nt_buf *out);
bool nt_reduce_max(const struct nt_ctx *ctx, int axis, const struct nt_buf *in, struct nt_buf *out);
bool nt_transpose(const struct nt_ctx *ctx, const struct nt_transpose_params *p, const struct nt_buf *in,
                  struct nt_buf *out);
/* over the last dimension */
bool nt_layer_norm(const struct nt_ctx *ctx, const struct nt_norm_params *p, const struct nt_buf *in,
                   const struct nt_buf *gamma, const struct nt_buf *beta, struct nt_buf *out);
/* NCHW */
bool nt_maxpool(const struct nt_ctx *ctx, const struct nt_pool_params *p, const struct nt_buf *in, struct nt_buf *out);
bool nt_batch_matmul(const struct nt_ctx *ctx, const struct nt_buf *lhs, const struct nt_buf *rhs, bool adj_lhs,
                     bool adj_rhs, struct nt_buf *out);

#endif
