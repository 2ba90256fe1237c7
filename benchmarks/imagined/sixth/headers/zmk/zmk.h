/*
 * zmk - kernels for large language models on Zamak ZM4 cards
 *
 * Copyright (c) 2024-2025 Zamak Tech (Shenzhen) Co., Ltd.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All data pointers are device pointers. All functions return true on success; see zmk_error_text().
 * Tensors are row major and packed. q == NULL is the default queue.
 *
 * Suffixes: _f32, _f16, _bf16 - type of the data; _i32, _i64 - type of the ids.
 */
#ifndef ZMK_H
#define ZMK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define ZMK_VERSION "0.9.4"

typedef uint16_t zmk_f16;
typedef uint16_t zmk_bf16;
typedef struct zmk_queue zmk_queue;
typedef struct zmk_event zmk_event;

/* ===== runtime ===== */

bool zmk_startup(void);
void zmk_teardown(void);
const char *zmk_error_text(void); /* of the last failed call in this thread */
int  zmk_num_devices(void);
bool zmk_bind_device(int id);
int  zmk_bound_device(void);
bool zmk_sync(void);

void *zmk_dev_malloc(size_t nbytes);
bool  zmk_dev_free(void *p);
void *zmk_pin_malloc(size_t nbytes);
bool  zmk_pin_free(void *p);
bool  zmk_dev_meminfo(size_t *free_bytes, size_t *total_bytes);

bool zmk_h2d(void *dst, const void *src, size_t nbytes);
bool zmk_d2h(void *dst, const void *src, size_t nbytes);
bool zmk_d2d(void *dst, const void *src, size_t nbytes);
bool zmk_h2d_async(void *dst, const void *src, size_t nbytes, zmk_queue *q);
bool zmk_d2h_async(void *dst, const void *src, size_t nbytes, zmk_queue *q);
bool zmk_d2d_async(void *dst, const void *src, size_t nbytes, zmk_queue *q);
bool zmk_dev_memset(void *dst, int value, size_t nbytes);

zmk_queue *zmk_queue_open(void);
void zmk_queue_close(zmk_queue *q);
bool zmk_queue_sync(zmk_queue *q);
zmk_event *zmk_event_open(void);
void zmk_event_close(zmk_event *e);
bool zmk_event_push(zmk_event *e, zmk_queue *q);
bool zmk_event_sync(zmk_event *e);

/* ===== attention ===== */

/*
 * out = softmax(scale * Q K^T + mask) V
 * q [batch, heads, q_len, head_dim], k and v [batch, kv_heads, kv_len, head_dim]; mask may be NULL
 */
bool zmk_attention_f16(const zmk_f16 *query, const zmk_f16 *key, const zmk_f16 *value, const zmk_f16 *mask, zmk_f16 *out, int batch,
                       int heads, int kv_heads, int q_len, int kv_len, int head_dim, float scale, bool causal, zmk_queue *q);
bool zmk_attention_bf16(const zmk_bf16 *query, const zmk_bf16 *key, const zmk_bf16 *value, const zmk_bf16 *mask, zmk_bf16 *out, int batch,
                        int heads, int kv_heads, int q_len, int kv_len, int head_dim, float scale, bool causal, zmk_queue *q);
/* one token, paged cache */
bool zmk_paged_attention_f16(const zmk_f16 *query, const zmk_f16 *key_cache, const zmk_f16 *value_cache, const int *block_table,
                             const int *context_lens, zmk_f16 *out, int batch, int heads, int kv_heads, int head_dim, int block_size,
                             int max_blocks, float scale, zmk_queue *q);
bool zmk_kv_cache_write_f16(const zmk_f16 *key, const zmk_f16 *value, zmk_f16 *key_cache, zmk_f16 *value_cache, const int *slots, int tokens,
                            int kv_heads, int head_dim, zmk_queue *q);
/* rotates the halves (neox) or pairs, in place */
bool zmk_rope_f16(zmk_f16 *x, const float *cos_table, const float *sin_table, const int *positions, int tokens, int heads, int head_dim,
                  bool neox, zmk_queue *q);

/* ===== normalization ===== */

bool zmk_rmsnorm_f16(const zmk_f16 *x, const zmk_f16 *w, zmk_f16 *y, int rows, int hidden, float eps, zmk_queue *q);
bool zmk_rmsnorm_f32(const float *x, const float *w, float *y, int rows, int hidden, float eps, zmk_queue *q);
/* residual += x; y = rmsnorm(residual) */
bool zmk_add_rmsnorm_f16(const zmk_f16 *x, zmk_f16 *residual, const zmk_f16 *w, zmk_f16 *y, int rows, int hidden, float eps, zmk_queue *q);
bool zmk_layernorm_f16(const zmk_f16 *x, const zmk_f16 *w, const zmk_f16 *b, zmk_f16 *y, int rows, int hidden, float eps, zmk_queue *q);
bool zmk_groupnorm_f16(const zmk_f16 *x, const zmk_f16 *w, const zmk_f16 *b, zmk_f16 *y, int n, int c, int hw, int groups, float eps,
                       zmk_queue *q);
bool zmk_softmax_f16(const zmk_f16 *x, zmk_f16 *y, int rows, int cols, zmk_queue *q);
bool zmk_softmax_f32(const float *x, float *y, int rows, int cols, zmk_queue *q);
bool zmk_log_softmax_f32(const float *x, float *y, int rows, int cols, zmk_queue *q);

/* ===== linear ===== */

/* y[m,n] = x[m,k] * w[n,k]^T (+ b) */
bool zmk_linear_f16(const zmk_f16 *x, const zmk_f16 *w, const zmk_f16 *b, zmk_f16 *y, int m, int n, int k, zmk_queue *q);
bool zmk_matmul_f16(const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *c, int m, int n, int k, zmk_queue *q);
bool zmk_matmul_bf16(const zmk_bf16 *a, const zmk_bf16 *b, zmk_bf16 *c, int m, int n, int k, zmk_queue *q);
bool zmk_batch_matmul_f16(const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *c, int batch, int m, int n, int k, zmk_queue *q);
/* 4 bit weights in groups, AWQ layout */
bool zmk_linear_w4a16(const zmk_f16 *x, const uint32_t *qweight, const zmk_f16 *scales, const uint32_t *zeros, zmk_f16 *y, int m, int n, int k,
                      int group, zmk_queue *q);
bool zmk_matmul_w8a8(const int8_t *a, const int8_t *b, const float *scale_a, const float *scale_b, zmk_f16 *c, int m, int n, int k,
                     zmk_queue *q);
bool zmk_moe_gemm_f16(const zmk_f16 *x, const zmk_f16 *w, const int *expert_offsets, zmk_f16 *y, int experts, int n, int k, zmk_queue *q);

/* ===== embedding, indexing ===== */

bool zmk_embedding_f16_i32(const zmk_f16 *table, const int32_t *ids, zmk_f16 *y, int tokens, int hidden, zmk_queue *q);
bool zmk_embedding_f16_i64(const zmk_f16 *table, const int64_t *ids, zmk_f16 *y, int tokens, int hidden, zmk_queue *q);
/* rows of x, y[i] = x[index[i]] */
bool zmk_gather_f16(const zmk_f16 *x, const int32_t *index, zmk_f16 *y, int count, int width, zmk_queue *q);
/* y[r][c] = x[r][index[r][c]] */
bool zmk_gather_elements_f32(const float *x, const int32_t *index, float *y, int rows, int in_cols, int out_cols, zmk_queue *q);
/* y[r][index[r][c]] = src[r][c] */
bool zmk_scatter_f32(const float *src, const int32_t *index, float *y, int rows, int src_cols, int out_cols, zmk_queue *q);
bool zmk_concat_f16(const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *y, int outer, int a_inner, int b_inner, zmk_queue *q);
bool zmk_transpose_f16(const zmk_f16 *x, zmk_f16 *y, const int *shape, const int *perm, int ndim, zmk_queue *q);
bool zmk_topk_f32(const float *x, float *values, int32_t *index, int rows, int cols, int k, zmk_queue *q);
bool zmk_top_p_sample_f32(const float *probs, int32_t *token, int rows, int vocab, float p, uint64_t seed, zmk_queue *q);
/* y = x below and on the diagonal, 0 elsewhere */
bool zmk_tril_f32(const float *x, float *y, int rows, int cols, int diagonal, zmk_queue *q);

/* ===== activation ===== */

bool zmk_silu_f16(const zmk_f16 *x, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_gelu_f16(const zmk_f16 *x, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_relu_f16(const zmk_f16 *x, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_sigmoid_f16(const zmk_f16 *x, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_tanh_f16(const zmk_f16 *x, zmk_f16 *y, int64_t n, zmk_queue *q);
/* y = silu(gate) * up */
bool zmk_silu_mul_f16(const zmk_f16 *gate, const zmk_f16 *up, zmk_f16 *y, int64_t n, zmk_queue *q);

/* ===== elementwise ===== */

bool zmk_add_f16(const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_add_f32(const float *a, const float *b, float *y, int64_t n, zmk_queue *q);
bool zmk_add_bias_f16(const zmk_f16 *x, const zmk_f16 *bias, zmk_f16 *y, int rows, int cols, zmk_queue *q);
bool zmk_sub_f16(const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_mul_f16(const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_div_f32(const float *a, const float *b, float *y, int64_t n, zmk_queue *q);
bool zmk_scale_f16(const zmk_f16 *x, float factor, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_exp_f32(const float *x, float *y, int64_t n, zmk_queue *q);
bool zmk_sqrt_f32(const float *x, float *y, int64_t n, zmk_queue *q);
bool zmk_rsqrt_f32(const float *x, float *y, int64_t n, zmk_queue *q);
bool zmk_sin_f32(const float *x, float *y, int64_t n, zmk_queue *q);
bool zmk_cos_f32(const float *x, float *y, int64_t n, zmk_queue *q);
bool zmk_neg_f16(const zmk_f16 *x, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_pow_scalar_f32(const float *x, float exponent, float *y, int64_t n, zmk_queue *q);
bool zmk_clamp_f16(const zmk_f16 *x, float lo, float hi, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_where_f16(const uint8_t *cond, const zmk_f16 *a, const zmk_f16 *b, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_mask_fill_f16(const zmk_f16 *x, const uint8_t *mask, float value, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_cmp_eq_i32(const int32_t *a, const int32_t *b, uint8_t *y, int64_t n, zmk_queue *q);
bool zmk_cmp_lt_f32(const float *a, const float *b, uint8_t *y, int64_t n, zmk_queue *q);
bool zmk_cmp_ge_scalar_f32(const float *a, float value, uint8_t *y, int64_t n, zmk_queue *q);
bool zmk_cast_f32_to_f16(const float *x, zmk_f16 *y, int64_t n, zmk_queue *q);
bool zmk_cast_f16_to_f32(const zmk_f16 *x, float *y, int64_t n, zmk_queue *q);
bool zmk_cast_bf16_to_f32(const zmk_bf16 *x, float *y, int64_t n, zmk_queue *q);
bool zmk_quant_dynamic_f16_i8(const zmk_f16 *x, int8_t *y, float *scale, int rows, int cols, zmk_queue *q);
bool zmk_fill_f32(float *y, float value, int64_t n, zmk_queue *q);

/* ===== reduction over the last dimension ===== */

bool zmk_sum_f32(const float *x, float *y, int rows, int cols, zmk_queue *q);
bool zmk_mean_f32(const float *x, float *y, int rows, int cols, zmk_queue *q);
bool zmk_max_f32(const float *x, float *y, int rows, int cols, zmk_queue *q);
bool zmk_argmax_f32(const float *x, int32_t *index, int rows, int cols, zmk_queue *q);
bool zmk_cumsum_f32(const float *x, float *y, int rows, int cols, zmk_queue *q);
bool zmk_absmax_f16(const zmk_f16 *x, float *y, int rows, int cols, zmk_queue *q); /* of |x|, for scales */

bool zmk_allreduce_sum_f16(zmk_f16 *x, int64_t n, int rank, int world, zmk_queue *q);

#if defined(__cplusplus)
}
#endif

#endif
