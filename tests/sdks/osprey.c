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
