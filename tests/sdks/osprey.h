/* Osprey: invented accelerator cards. A card is opened, and every function takes what that gave. d_ marks pointers to
 * the card's memory. */
#ifndef OSPREY_H
#define OSPREY_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  OSP_OK = 0,
  OSP_E_NO_CARD = -1,
  OSP_E_BAD_ARG = -2,
  OSP_E_NOMEM = -3,
  OSP_E_INTERNAL = -4
} osp_result;
typedef struct osp_ctx *osp_context;

osp_result osp_open(int card, osp_context *ctx);
osp_result osp_close(osp_context ctx);
int osp_num_cards(void);
const char *osp_strerror(osp_result r);

osp_result osp_buf_alloc(osp_context ctx, size_t bytes, void **d_ptr);
osp_result osp_buf_release(osp_context ctx, void *d_ptr);
osp_result osp_upload(osp_context ctx, void *d_dst, const void *h_src, size_t bytes);
osp_result osp_download(osp_context ctx, void *h_dst, const void *d_src, size_t bytes);
osp_result osp_wait(osp_context ctx);

/* element by element */
osp_result osp_ew_add_f32(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n);
osp_result osp_ew_sub_f32(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n); /* y = a - b */
osp_result osp_ew_mul_f32(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n);
osp_result osp_relu_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n);
osp_result osp_sigmoid_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n);
/* C = A B, row-major; A is m x k */
osp_result osp_matmul_f32(osp_context ctx, const float *d_A, const float *d_B, float *d_C, int32_t m, int32_t n,
                          int32_t k);
osp_result osp_gelu_tanh_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n);
/* over the columns of every row */
osp_result osp_softmax_f32(osp_context ctx, const float *d_x, float *d_y, int32_t rows, int32_t cols);
osp_result osp_layernorm_f32(osp_context ctx, const float *d_x, const float *d_gamma, const float *d_beta, float *d_y,
                             int32_t rows, int32_t cols, float eps);
osp_result osp_rmsnorm_f32(osp_context ctx, const float *d_x, const float *d_weight, float *d_y, int32_t rows,
                           int32_t cols, float eps);
osp_result osp_groupnorm_f32(osp_context ctx, const float *d_x, const float *d_gamma, const float *d_beta, float *d_y,
                             int32_t n, int32_t c, int32_t hw, int32_t groups, float eps);
osp_result osp_batchnorm_f32(osp_context ctx, const float *d_x, const float *d_mean, const float *d_var,
                             const float *d_gamma, const float *d_beta, float *d_y, int32_t n, int32_t c, int32_t h,
                             int32_t w, float eps);
/* images are n x c x h x w; one group */
osp_result osp_conv2d_f32(osp_context ctx, const float *d_x, const float *d_w, const float *d_bias, float *d_y,
                          int32_t n, int32_t ic, int32_t ih, int32_t iw, int32_t oc, int32_t kh, int32_t kw,
                          int32_t stride_h, int32_t stride_w, int32_t pad_h, int32_t pad_w);
osp_result osp_maxpool2d_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n, int32_t c, int32_t h, int32_t w,
                             int32_t kh, int32_t kw, int32_t sh, int32_t sw, int32_t ph, int32_t pw);
osp_result osp_global_avg_pool_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n, int32_t c, int32_t h,
                                   int32_t w);
/* rows of a table */
osp_result osp_embedding_f32(osp_context ctx, const float *d_table, const int64_t *d_ids, float *d_y, int32_t num_ids,
                             int32_t dim);
osp_result osp_gather_rows_f32(osp_context ctx, const float *d_x, const int32_t *d_idx, float *d_y, int32_t n_idx,
                               int32_t cols);
/* softmax(q k' scale) v for every head */
osp_result osp_attention_f32(osp_context ctx, const float *d_q, const float *d_k, const float *d_v, float *d_o,
                             int32_t batch, int32_t heads, int32_t q_len, int32_t kv_len, int32_t head_dim, float scale);

#ifdef __cplusplus
}
#endif
#endif
