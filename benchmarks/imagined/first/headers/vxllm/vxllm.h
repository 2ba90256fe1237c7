// vxllm.h - kernels for large language models on the VX90 inference card
// (c) Vexel AI. Confidential, evaluation only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vx_driver.h>   // from vx-driver-dev: vxStream_t, vx_bf16

#define VXLLM_VERSION "0.7.1"
#define VXLLM_API extern "C" __attribute__((visibility("default")))

enum vxllmDtype : int32_t { VXLLM_F32 = 0, VXLLM_F16 = 1, VXLLM_BF16 = 2, VXLLM_FP8_E4M3 = 3, VXLLM_INT8 = 4, VXLLM_INT4 = 5 };
enum vxllmStatus : int32_t { VXLLM_SUCCESS = 0, VXLLM_BAD_SHAPE = 1, VXLLM_BAD_DTYPE = 2, VXLLM_LAUNCH_FAILURE = 3 };

VXLLM_API const char* vxllm_version(void);
VXLLM_API const char* vxllm_last_error(void);
VXLLM_API void vxllm_set_log_level(int level);
VXLLM_API size_t vxllm_workspace_bytes(int64_t max_tokens, int64_t hidden, vxllmDtype dtype);

/* ------------------------------------------------------------------ *
 *  Pointwise.  out and x hold n elements of the same type.
 * ------------------------------------------------------------------ */
#define VXLLM_DECLARE_UNARY(name) \
  VXLLM_API vxllmStatus vxllm_##name(void* out, const void* x, int64_t n, vxllmDtype dtype, vxStream_t stream);
VXLLM_DECLARE_UNARY(silu)
VXLLM_DECLARE_UNARY(gelu_tanh)
VXLLM_DECLARE_UNARY(gelu_erf)
VXLLM_DECLARE_UNARY(relu)
VXLLM_DECLARE_UNARY(sigmoid)
VXLLM_DECLARE_UNARY(exp)
VXLLM_DECLARE_UNARY(rsqrt)
VXLLM_DECLARE_UNARY(neg)
#undef VXLLM_DECLARE_UNARY

#define VXLLM_DECLARE_BINARY(name) \
  VXLLM_API vxllmStatus vxllm_##name(void* out, const void* a, const void* b, int64_t n, vxllmDtype dtype, vxStream_t stream);
VXLLM_DECLARE_BINARY(add)
VXLLM_DECLARE_BINARY(mul)
VXLLM_DECLARE_BINARY(sub)
#undef VXLLM_DECLARE_BINARY

VXLLM_API vxllmStatus vxllm_scale(void* out, const void* x, float scale, int64_t n, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_cast(void* out, vxllmDtype out_dtype, const void* x, vxllmDtype x_dtype, int64_t n, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_residual_add_(void* x, const void* residual, int64_t n, vxllmDtype dtype, vxStream_t stream);

/* out[tokens, d] = silu(x[tokens, :d]) * x[tokens, d:] */
VXLLM_API vxllmStatus vxllm_silu_and_mul(void* out, const void* x, int64_t tokens, int64_t d, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_gelu_and_mul(void* out, const void* x, int64_t tokens, int64_t d, vxllmDtype dtype, vxStream_t stream);

/* ------------------------------------------------------------------ *
 *  Norms
 * ------------------------------------------------------------------ */
VXLLM_API vxllmStatus vxllm_rms_norm(void* out, const void* x, const void* weight, float eps, int64_t tokens, int64_t hidden,
                                     vxllmDtype dtype, vxStream_t stream);
/* x and residual are both updated: residual += x; x = rms_norm(residual) * weight */
VXLLM_API vxllmStatus vxllm_fused_add_rms_norm_(void* x, void* residual, const void* weight, float eps, int64_t tokens,
                                                int64_t hidden, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_layer_norm(void* out, const void* x, const void* gamma, const void* beta, float eps,
                                       int64_t tokens, int64_t hidden, vxllmDtype dtype, vxStream_t stream);

/* ------------------------------------------------------------------ *
 *  Projections.  y[tokens, out_features] = x[tokens, in_features] * w[out_features, in_features]^T (+ bias, may be null)
 * ------------------------------------------------------------------ */
VXLLM_API vxllmStatus vxllm_linear(void* y, const void* x, const void* w, const void* bias, int64_t tokens,
                                   int64_t in_features, int64_t out_features, vxllmDtype dtype, void* workspace,
                                   vxStream_t stream);
VXLLM_API vxllmStatus vxllm_linear_w4a16(void* y, const void* x, const int32_t* qweight, const void* scales, const int32_t* qzeros,
                                         int64_t tokens, int64_t in_features, int64_t out_features, int group_size,
                                         void* workspace, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_linear_w8a8(void* y, const int8_t* x, const int8_t* w, const float* x_scales, const float* w_scales,
                                        const void* bias, int64_t tokens, int64_t in_features, int64_t out_features,
                                        vxllmDtype out_dtype, vxStream_t stream);
/* c[b, m, n] = a[b, m, k] * b[b, k, n], all dense */
VXLLM_API vxllmStatus vxllm_bmm(void* c, const void* a, const void* b, int64_t batch, int64_t m, int64_t n, int64_t k,
                                vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_moe_gemm(void* y, const void* x, const void* w_experts, const int32_t* expert_offsets,
                                     int num_experts, int64_t tokens, int64_t in_features, int64_t out_features,
                                     vxllmDtype dtype, void* workspace, vxStream_t stream);

/* ------------------------------------------------------------------ *
 *  Attention
 * ------------------------------------------------------------------ */
/* dense prefill: q [batch, heads, q_len, head_dim], k and v [batch, kv_heads, kv_len, head_dim]; mask may be null */
VXLLM_API vxllmStatus vxllm_sdpa(void* out, const void* q, const void* k, const void* v, const void* mask, float scale,
                                 bool causal, int64_t batch, int64_t heads, int64_t kv_heads, int64_t q_len,
                                 int64_t kv_len, int64_t head_dim, vxllmDtype dtype, void* workspace, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_paged_attention(void* out, const void* q, const void* k_cache, const void* v_cache,
                                            const int32_t* block_tables, const int32_t* context_lens, int block_size,
                                            int max_blocks, float scale, int64_t seqs, int64_t heads, int64_t kv_heads,
                                            int64_t head_dim, vxllmDtype dtype, void* workspace, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_reshape_and_cache(const void* k, const void* v, void* k_cache, void* v_cache,
                                              const int64_t* slot_mapping, int block_size, int64_t tokens, int64_t kv_heads,
                                              int64_t head_dim, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_rope_(void* q, void* k, const int64_t* positions, const float* cos_sin, int64_t tokens,
                                  int64_t heads, int64_t kv_heads, int64_t head_dim, bool neox, vxllmDtype dtype,
                                  vxStream_t stream);

/* ------------------------------------------------------------------ *
 *  Logits and sampling
 * ------------------------------------------------------------------ */
VXLLM_API vxllmStatus vxllm_softmax(void* out, const void* x, int64_t rows, int64_t cols, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_log_softmax(void* out, const void* x, int64_t rows, int64_t cols, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_argmax(int64_t* out, const void* x, int64_t rows, int64_t cols, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_topk(void* values, int64_t* indices, const void* x, int64_t rows, int64_t cols, int k,
                                 vxllmDtype dtype, void* workspace, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_top_p_sample(int64_t* out, const void* probs, const float* top_p, uint64_t seed, uint64_t offset,
                                         int64_t rows, int64_t cols, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_apply_repetition_penalty_(void* logits, const int64_t* tokens, const float* penalties,
                                                      int64_t rows, int64_t cols, int64_t max_len, vxStream_t stream);
/* out[i, :] = table[ids[i], :] */
VXLLM_API vxllmStatus vxllm_embedding(void* out, const void* table, const int64_t* ids, int64_t tokens, int64_t vocab,
                                      int64_t hidden, vxllmDtype dtype, vxStream_t stream);

/* ------------------------------------------------------------------ *
 *  Quantisation of activations and tensor parallelism
 * ------------------------------------------------------------------ */
VXLLM_API vxllmStatus vxllm_dynamic_scaled_int8_quant(int8_t* out, float* scales, const void* x, int64_t tokens,
                                                      int64_t hidden, vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_static_scaled_fp8_quant(void* out, const void* x, const float* scale, int64_t n,
                                                    vxllmDtype dtype, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_all_reduce_sum(void* x, int64_t n, vxllmDtype dtype, void* comm, vxStream_t stream);
VXLLM_API vxllmStatus vxllm_all_gather(void* out, const void* x, int64_t n, vxllmDtype dtype, void* comm, vxStream_t stream);
