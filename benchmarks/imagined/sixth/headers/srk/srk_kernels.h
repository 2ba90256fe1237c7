#ifndef SRK_KERNELS_H
#define SRK_KERNELS_H

#include "srk_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SRK_F32 = 0,
  SRK_F16 = 1,
  SRK_BF16 = 2,
  SRK_I64 = 3,
  SRK_I32 = 4,
  SRK_I8 = 5,
  SRK_U8 = 6,
  SRK_BOOL = 7
} srk_dtype;

bool srk_add(const void *a, const void *b, void *c, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_sub(const void *a, const void *b, void *c, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_mul(const void *a, const void *b, void *c, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_div(const void *a, const void *b, void *c, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_add_scalar(const void *a, double value, void *c, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_pow_scalar(const void *a, double exponent, void *c, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_maximum(void *out, const void *x, const void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_minimum(void *out, const void *x, const void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_atan2(void *out, const void *y, const void *x, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_eq(void *mask, const void *x, const void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_gt(void *mask, const void *x, const void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_bitwise_xor(void *out, const void *x, const void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);

bool srk_exp(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_log1p(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_sqrt(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_erf(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_sin(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_trunc(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_tanh(void *out, const void *in, int64_t n, srk_dtype dtype, srk_stream_t stream);

bool srk_relu_fwd(const void *x, void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_sigmoid_fwd(const void *x, void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_silu_fwd(const void *x, void *y, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_gelu_fwd(const void *x, void *y, int64_t n, int use_tanh, srk_dtype dtype, srk_stream_t stream);
bool srk_softplus_fwd(const void *x, void *y, int64_t n, float beta, float threshold, srk_dtype dtype, srk_stream_t stream);
bool srk_clamp(const void *x, void *y, int64_t n, double lo, double hi, srk_dtype dtype, srk_stream_t stream);
bool srk_silu_and_mul(const void *gate_up, void *y, int64_t rows, int64_t cols, srk_dtype dtype, srk_stream_t stream);
bool srk_cast(const void *x, srk_dtype from, void *y, srk_dtype to, int64_t n, srk_stream_t stream);

bool srk_reduce_sum(const void *in, const int64_t *shape, int ndim, const int *axes, int naxes, void *out, srk_dtype dtype, srk_stream_t stream);
bool srk_reduce_mean(const void *in, const int64_t *shape, int ndim, const int *axes, int naxes, void *out, srk_dtype dtype, srk_stream_t stream);
bool srk_reduce_amax(const void *in, const int64_t *shape, int ndim, const int *axes, int naxes, void *out, srk_dtype dtype, srk_stream_t stream);
bool srk_argmax(const void *in, int64_t *out, int64_t outer, int64_t len, int64_t inner, srk_dtype dtype, srk_stream_t stream);
bool srk_cumsum(void *out, const void *in, const int64_t *shape, int ndim, int axis, srk_dtype dtype, srk_stream_t stream);
bool srk_softmax(void *out, const void *in, int64_t outer, int64_t len, int64_t inner, srk_dtype dtype, srk_stream_t stream);
bool srk_log_softmax(void *out, const void *in, int64_t outer, int64_t len, int64_t inner, srk_dtype dtype, srk_stream_t stream);

bool srk_matmul(const void *a, const void *b, void *c, int m, int n, int k, bool trans_a, bool trans_b, srk_dtype dtype, srk_stream_t stream);
bool srk_bmm(void *c, const void *a, const void *b, int batch, int m, int n, int k, srk_dtype dtype, srk_stream_t stream);
bool srk_gemm(int m, int n, int k, float alpha, const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc, srk_dtype dtype, srk_stream_t stream);
bool srk_gemm_w8a16(const void *a, const int8_t *w, const void *scales, void *c, int m, int n, int k, int group_size, srk_dtype dtype, srk_stream_t stream);

bool srk_conv2d(const void *x, const void *w, const void *bias, void *y, int n, int c, int h, int wd, int k, int r, int s, int pad_h, int pad_w, int stride_h, int stride_w, int dil_h, int dil_w, int groups, srk_dtype dtype, srk_stream_t stream);
bool srk_maxpool2d(const void *x, void *y, int n, int c, int h, int wd, int kh, int kw, int pad_h, int pad_w, int stride_h, int stride_w, srk_dtype dtype, srk_stream_t stream);
bool srk_avgpool2d(const void *x, void *y, int n, int c, int h, int wd, int kh, int kw, int pad_h, int pad_w, int stride_h, int stride_w, bool include_pad, srk_dtype dtype, srk_stream_t stream);
bool srk_batchnorm_inf(void *y, const void *x, const float *gamma, const float *beta, const float *mean, const float *var, float eps, int n, int c, int64_t hw, srk_dtype dtype, srk_stream_t stream);
bool srk_layernorm(void *y, const void *x, const void *gamma, const void *beta, float eps, int64_t rows, int64_t cols, srk_dtype dtype, srk_stream_t stream);
bool srk_rmsnorm(void *y, const void *x, const void *gamma, float eps, int64_t rows, int64_t cols, srk_dtype dtype, srk_stream_t stream);
bool srk_add_rmsnorm(void *y, void *residual, const void *x, const void *gamma, float eps, int64_t rows, int64_t cols, srk_dtype dtype, srk_stream_t stream);
bool srk_rotary(void *q, void *k, const float *cos_table, const float *sin_table, const int64_t *positions, int tokens, int heads, int head_dim, srk_dtype dtype, srk_stream_t stream);
bool srk_flash_attn(const void *q, const void *k, const void *v, void *out, int batch, int heads, int seq_q, int seq_kv, int head_dim, float scale, bool causal, srk_dtype dtype, srk_stream_t stream);

bool srk_embedding(const void *table, const int64_t *ids, void *out, int64_t num_ids, int64_t dim, srk_dtype dtype, srk_stream_t stream);
bool srk_index_select(void *out, const void *in, const int64_t *shape, int ndim, int axis, const int64_t *index, int64_t index_len, srk_dtype dtype, srk_stream_t stream);
bool srk_gather(void *out, const int64_t *out_shape, const void *in, const int64_t *in_shape, int ndim, int axis, const int64_t *index, srk_dtype dtype, srk_stream_t stream);
bool srk_where(const uint8_t *cond, const void *x, const void *y, void *out, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_masked_fill(const void *in, const uint8_t *mask, double value, void *out, int64_t n, srk_dtype dtype, srk_stream_t stream);
bool srk_transpose(const void *in, void *out, const int64_t *shape, const int *perm, int ndim, srk_dtype dtype, srk_stream_t stream);
bool srk_concat(void *out, const void *const *ins, const int64_t *lens, int num_ins, int64_t outer, int64_t inner, srk_dtype dtype, srk_stream_t stream);
bool srk_triu(void *out, const void *in, int64_t batch, int64_t rows, int64_t cols, int64_t diagonal, srk_dtype dtype, srk_stream_t stream);
bool srk_topk(const void *in, void *values, int64_t *indices, int64_t rows, int64_t cols, int k, srk_dtype dtype, srk_stream_t stream);
bool srk_normal(void *out, int64_t n, float mean, float std, uint64_t seed, srk_dtype dtype, srk_stream_t stream);

#ifdef __cplusplus
}
#endif

#endif
