#include "osprey.h"

#include <math.h>
#include <string.h>

#include "sim.h"

#define REQUIRE(x, why) do { if (fails()) return OSP_E_INTERNAL; if (!(x)) return why; } while (0)

enum { CARDS = 2 };
struct osp_ctx { int card; int busy; };

/* For tests: calls that met another one on the same card. The cards do not stand that. */
static long overlaps;
long sim_overlaps(void) { return __atomic_load_n(&overlaps, __ATOMIC_SEQ_CST); }
static int begin(osp_context c) {
  if (!c) return 0;
  if (__atomic_exchange_n(&c->busy, 1, __ATOMIC_SEQ_CST)) { __atomic_add_fetch(&overlaps, 1, __ATOMIC_SEQ_CST); return 0; }
  return 1;
}
static osp_result end(osp_context c, osp_result r) { __atomic_store_n(&c->busy, 0, __ATOMIC_SEQ_CST); return r; }

/* Every buffer belongs to the card that it was reserved on. */
static int cards[BUFFERS];
static int of_card(osp_context c, const void *p, size_t bytes) {
  int i, found = 0;
  if (!on_device(p, bytes)) return 0;
  enter();
  for (i = 0; i < BUFFERS && !found; ++i) {
    found = buffers[i].base && (const char *)p >= buffers[i].base &&
            (const char *)p < buffers[i].base + buffers[i].size && cards[i] == c->card;
  }
  leave();
  return found;
}
static void own(osp_context c, const void *p) {
  int i;
  enter();
  for (i = 0; i < BUFFERS; ++i) if (buffers[i].base == p) cards[i] = c->card;
  leave();
}

int osp_num_cards(void) { return CARDS; }
const char *osp_strerror(osp_result r) {
  return r == OSP_OK ? "fine" : r == OSP_E_NOMEM ? "out of card memory" : r == OSP_E_NO_CARD ? "no such card" : "bad call";
}
osp_result osp_open(int card, osp_context *ctx) {
  REQUIRE(ctx != NULL, OSP_E_BAD_ARG);
  if (card < 0 || card >= CARDS) return OSP_E_NO_CARD;
  if ((*ctx = (osp_context)make(sizeof **ctx)) == NULL) return OSP_E_INTERNAL;
  (*ctx)->card = card;
  return OSP_OK;
}
osp_result osp_close(osp_context ctx) { unmake(ctx); return OSP_OK; }

/* One call at a time; the n-th one fails for tests. */
#define CALL(ctx, x, why, ...) do { \
    osp_result r = OSP_OK; \
    if (!begin(ctx)) return OSP_E_BAD_ARG; \
    if (fails()) r = OSP_E_INTERNAL; \
    else if (!(x)) r = why; \
    else { __VA_ARGS__ } \
    return end(ctx, r); \
  } while (0)

osp_result osp_buf_alloc(osp_context ctx, size_t bytes, void **d_ptr) {
  CALL(ctx, d_ptr != NULL && bytes < (1u << 30), OSP_E_NOMEM, {
    *d_ptr = device_alloc(bytes);
    if (*d_ptr) own(ctx, *d_ptr); else r = OSP_E_NOMEM;
  });
}
osp_result osp_buf_release(osp_context ctx, void *d_ptr) {
  if (!begin(ctx)) return OSP_E_BAD_ARG;
  return end(ctx, of_card(ctx, d_ptr, 1) && device_free(d_ptr) ? OSP_OK : OSP_E_BAD_ARG);
}
osp_result osp_upload(osp_context ctx, void *d_dst, const void *h_src, size_t bytes) {
  CALL(ctx, of_card(ctx, d_dst, bytes) && !on_device(h_src, bytes), OSP_E_BAD_ARG, memcpy(d_dst, h_src, bytes););
}
osp_result osp_download(osp_context ctx, void *h_dst, const void *d_src, size_t bytes) {
  CALL(ctx, of_card(ctx, d_src, bytes) && !on_device(h_dst, bytes), OSP_E_BAD_ARG, memcpy(h_dst, d_src, bytes););
}
osp_result osp_wait(osp_context ctx) {
  if (!begin(ctx)) return OSP_E_BAD_ARG;
  return end(ctx, OSP_OK);
}

#define F32(n) (sizeof(float) * (size_t)(n))
#define BINARY(NAME, OP) \
  osp_result NAME(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n) { \
    CALL(ctx, of_card(ctx, d_a, F32(n)) && of_card(ctx, d_b, F32(n)) && of_card(ctx, d_y, F32(n)), OSP_E_BAD_ARG, \
         for (int32_t i = 0; i < n; ++i) d_y[i] = d_a[i] OP d_b[i];); \
  }
BINARY(osp_ew_add_f32, +)
BINARY(osp_ew_sub_f32, -)
BINARY(osp_ew_mul_f32, *)

#define UNARY(NAME, VALUE) \
  osp_result NAME(osp_context ctx, const float *d_x, float *d_y, int32_t n) { \
    CALL(ctx, of_card(ctx, d_x, F32(n)) && of_card(ctx, d_y, F32(n)), OSP_E_BAD_ARG, \
         for (int32_t i = 0; i < n; ++i) { const float x = d_x[i]; d_y[i] = (VALUE); }); \
  }
UNARY(osp_relu_f32, x < 0 ? 0 : x)
UNARY(osp_sigmoid_f32, (float)(1 / (1 + exp(-(double)x))))
UNARY(osp_gelu_tanh_f32, (float)(0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * (double)x * x * x)))))

osp_result osp_matmul_f32(osp_context ctx, const float *d_A, const float *d_B, float *d_C, int32_t m, int32_t n,
                          int32_t k) {
  CALL(ctx, of_card(ctx, d_A, F32(m * k)) && of_card(ctx, d_B, F32(k * n)) && of_card(ctx, d_C, F32(m * n)),
       OSP_E_BAD_ARG,
       for (int32_t i = 0; i < m; ++i) for (int32_t j = 0; j < n; ++j) {
         double sum = 0;
         for (int32_t t = 0; t < k; ++t) sum += (double)d_A[i * k + t] * d_B[t * n + j];
         d_C[i * n + j] = (float)sum;
       });
}

#define HAS(p, n) of_card(ctx, p, F32(n))
/* Mean and reciprocal deviation of n values. */
static void moments(const float *x, long n, double eps, double *mean, double *scale) {
  double sum = 0, squares = 0;
  for (long i = 0; i < n; ++i) sum += x[i];
  *mean = sum / (double)n;
  for (long i = 0; i < n; ++i) squares += (x[i] - *mean) * (x[i] - *mean);
  *scale = 1 / sqrt(squares / (double)n + eps);
}

osp_result osp_softmax_f32(osp_context ctx, const float *d_x, float *d_y, int32_t rows, int32_t cols) {
  CALL(ctx, HAS(d_x, rows * cols) && HAS(d_y, rows * cols), OSP_E_BAD_ARG, for (int32_t r = 0; r < rows; ++r) {
    const float *x = d_x + r * cols;
    double top = -INFINITY, sum = 0;
    for (int32_t c = 0; c < cols; ++c) top = x[c] > top || isnan(x[c]) ? x[c] : top;
    for (int32_t c = 0; c < cols; ++c) sum += exp(x[c] - top);
    for (int32_t c = 0; c < cols; ++c) d_y[r * cols + c] = (float)(exp(x[c] - top) / sum);
  });
}
osp_result osp_layernorm_f32(osp_context ctx, const float *d_x, const float *d_gamma, const float *d_beta, float *d_y,
                             int32_t rows, int32_t cols, float eps) {
  CALL(ctx, HAS(d_x, rows * cols) && HAS(d_gamma, cols) && HAS(d_beta, cols) && HAS(d_y, rows * cols), OSP_E_BAD_ARG,
       for (int32_t r = 0; r < rows; ++r) {
         double mean, scale;
         moments(d_x + r * cols, cols, eps, &mean, &scale);
         for (int32_t c = 0; c < cols; ++c) {
           d_y[r * cols + c] = (float)((d_x[r * cols + c] - mean) * scale * d_gamma[c] + d_beta[c]);
         }
       });
}
osp_result osp_rmsnorm_f32(osp_context ctx, const float *d_x, const float *d_weight, float *d_y, int32_t rows,
                           int32_t cols, float eps) {
  CALL(ctx, HAS(d_x, rows * cols) && HAS(d_weight, cols) && HAS(d_y, rows * cols), OSP_E_BAD_ARG,
       for (int32_t r = 0; r < rows; ++r) {
         double squares = 0;
         for (int32_t c = 0; c < cols; ++c) squares += (double)d_x[r * cols + c] * d_x[r * cols + c];
         const double scale = 1 / sqrt(squares / cols + eps);
         for (int32_t c = 0; c < cols; ++c) d_y[r * cols + c] = (float)(d_x[r * cols + c] * scale * d_weight[c]);
       });
}
osp_result osp_groupnorm_f32(osp_context ctx, const float *d_x, const float *d_gamma, const float *d_beta, float *d_y,
                             int32_t n, int32_t c, int32_t hw, int32_t groups, float eps) {
  CALL(ctx, HAS(d_x, n * c * hw) && HAS(d_gamma, c) && HAS(d_beta, c) && HAS(d_y, n * c * hw), OSP_E_BAD_ARG,
       for (int32_t g = 0; g < n * groups; ++g) {
         const int32_t size = c / groups * hw, first = g * size, channel = g % groups * (c / groups);
         double mean, scale;
         moments(d_x + first, size, eps, &mean, &scale);
         for (int32_t i = 0; i < size; ++i) {
           const int32_t k = channel + i / hw;
           d_y[first + i] = (float)((d_x[first + i] - mean) * scale * d_gamma[k] + d_beta[k]);
         }
       });
}
osp_result osp_batchnorm_f32(osp_context ctx, const float *d_x, const float *d_mean, const float *d_var,
                             const float *d_gamma, const float *d_beta, float *d_y, int32_t n, int32_t c, int32_t h,
                             int32_t w, float eps) {
  CALL(ctx, HAS(d_x, n * c * h * w) && HAS(d_mean, c) && HAS(d_var, c) && HAS(d_gamma, c) && HAS(d_beta, c) &&
       HAS(d_y, n * c * h * w), OSP_E_BAD_ARG,
       for (int32_t i = 0; i < n * c * h * w; ++i) {
         const int32_t k = i / (h * w) % c;
         d_y[i] = (float)((d_x[i] - (double)d_mean[k]) / sqrt((double)d_var[k] + eps) * d_gamma[k] + d_beta[k]);
       });
}
osp_result osp_conv2d_f32(osp_context ctx, const float *d_x, const float *d_w, const float *d_bias, float *d_y,
                          int32_t n, int32_t ic, int32_t ih, int32_t iw, int32_t oc, int32_t kh, int32_t kw,
                          int32_t stride_h, int32_t stride_w, int32_t pad_h, int32_t pad_w) {
  const int32_t oh = (ih + 2 * pad_h - kh) / stride_h + 1, ow = (iw + 2 * pad_w - kw) / stride_w + 1;
  CALL(ctx, HAS(d_x, n * ic * ih * iw) && HAS(d_w, oc * ic * kh * kw) && HAS(d_bias, oc) && HAS(d_y, n * oc * oh * ow),
       OSP_E_BAD_ARG,
       for (int32_t o = 0; o < n * oc * oh * ow; ++o) {
         const int32_t x = o % ow, y = o / ow % oh, k = o / (ow * oh) % oc, image = o / (ow * oh * oc);
         double sum = d_bias[k];
         for (int32_t c = 0; c < ic; ++c) for (int32_t i = 0; i < kh; ++i) for (int32_t j = 0; j < kw; ++j) {
           const int32_t r = y * stride_h - pad_h + i, s = x * stride_w - pad_w + j;
           if (r < 0 || r >= ih || s < 0 || s >= iw) continue;
           sum += (double)d_x[((image * ic + c) * ih + r) * iw + s] * d_w[((k * ic + c) * kh + i) * kw + j];
         }
         d_y[o] = (float)sum;
       });
}
osp_result osp_maxpool2d_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n, int32_t c, int32_t h, int32_t w,
                             int32_t kh, int32_t kw, int32_t sh, int32_t sw, int32_t ph, int32_t pw) {
  const int32_t oh = (h + 2 * ph - kh) / sh + 1, ow = (w + 2 * pw - kw) / sw + 1;
  CALL(ctx, HAS(d_x, n * c * h * w) && HAS(d_y, n * c * oh * ow), OSP_E_BAD_ARG,
       for (int32_t o = 0; o < n * c * oh * ow; ++o) {
         const float *plane = d_x + o / (ow * oh) * h * w;
         float top = -INFINITY;
         for (int32_t i = 0; i < kh; ++i) for (int32_t j = 0; j < kw; ++j) {
           const int32_t r = o / ow % oh * sh - ph + i, s = o % ow * sw - pw + j;
           if (r >= 0 && r < h && s >= 0 && s < w && (plane[r * w + s] > top || isnan(plane[r * w + s]))) top = plane[r * w + s];
         }
         d_y[o] = top;
       });
}
osp_result osp_global_avg_pool_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n, int32_t c, int32_t h,
                                   int32_t w) {
  CALL(ctx, HAS(d_x, n * c * h * w) && HAS(d_y, n * c), OSP_E_BAD_ARG, for (int32_t k = 0; k < n * c; ++k) {
    double sum = 0;
    for (int32_t i = 0; i < h * w; ++i) sum += d_x[k * h * w + i];
    d_y[k] = (float)(sum / (h * w));
  });
}
osp_result osp_embedding_f32(osp_context ctx, const float *d_table, const int64_t *d_ids, float *d_y, int32_t num_ids,
                             int32_t dim) {
  CALL(ctx, HAS(d_table, dim) && of_card(ctx, d_ids, sizeof(int64_t) * (size_t)num_ids) && HAS(d_y, num_ids * dim),
       OSP_E_BAD_ARG, for (int32_t i = 0; i < num_ids; ++i) {
         if (!HAS(d_table + d_ids[i] * dim, dim)) { r = OSP_E_BAD_ARG; break; }
         memcpy(d_y + i * dim, d_table + d_ids[i] * dim, F32(dim));
       });
}
osp_result osp_gather_rows_f32(osp_context ctx, const float *d_x, const int32_t *d_idx, float *d_y, int32_t n_idx,
                               int32_t cols) {
  CALL(ctx, HAS(d_x, cols) && of_card(ctx, d_idx, sizeof(int32_t) * (size_t)n_idx) && HAS(d_y, n_idx * cols),
       OSP_E_BAD_ARG, for (int32_t i = 0; i < n_idx; ++i) {
         if (!HAS(d_x + d_idx[i] * cols, cols)) { r = OSP_E_BAD_ARG; break; }
         memcpy(d_y + i * cols, d_x + d_idx[i] * cols, F32(cols));
       });
}
osp_result osp_attention_f32(osp_context ctx, const float *d_q, const float *d_k, const float *d_v, float *d_o,
                             int32_t batch, int32_t heads, int32_t q_len, int32_t kv_len, int32_t head_dim, float scale) {
  const int32_t all = batch * heads;
  CALL(ctx, HAS(d_q, all * q_len * head_dim) && HAS(d_k, all * kv_len * head_dim) && HAS(d_v, all * kv_len * head_dim) &&
       HAS(d_o, all * q_len * head_dim), OSP_E_BAD_ARG,
       for (int32_t row = 0; row < all * q_len; ++row) {
         const float *q = d_q + row * head_dim, *k = d_k + row / q_len * kv_len * head_dim,
                     *v = d_v + row / q_len * kv_len * head_dim;
         double top = -INFINITY, sum = 0;
         for (int pass = 0; pass < 3; ++pass) for (int32_t t = 0; t < kv_len; ++t) {
           double score = 0;
           for (int32_t d = 0; d < head_dim; ++d) score += (double)q[d] * k[t * head_dim + d];
           score *= scale;
           if (pass == 0) top = score > top ? score : top;
           else if (pass == 1) sum += exp(score - top);
           else for (int32_t d = 0; d < head_dim; ++d) {
             const double before = t ? d_o[row * head_dim + d] : 0;
             d_o[row * head_dim + d] = (float)(before + exp(score - top) / sum * v[t * head_dim + d]);
           }
         }
       });
}
