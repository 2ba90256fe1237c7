#include "params.h"

#include <stdlib.h>
#include <string.h>

pk_status pk_malloc(void **ptr, size_t bytes) {
  *ptr = bytes > (size_t)1 << 40 ? NULL : malloc(bytes);
  return *ptr != NULL ? PK_OK : PK_ERROR_NO_MEMORY;
}

pk_status pk_free(void *ptr) {
  free(ptr);
  return PK_OK;
}

static pk_status copy(void *dst, const void *src, size_t bytes) {
  memcpy(dst, src, bytes);
  return PK_OK;
}

pk_status pk_memcpy_h2d(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }
pk_status pk_memcpy_d2h(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }
pk_status pk_memcpy_d2d(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }

pk_status pk_mul_f32(const pk_binary_params *params) {
  if (params->struct_size != sizeof *params) return PK_ERROR_INVALID;
  for (int64_t i = 0; i < params->n; ++i) params->out[i] = params->a[i] * params->b[i];
  return PK_OK;
}

pk_status pk_add_f32(const pk_scaled_params *params) {
  for (int32_t i = 0; i < params->n; ++i) params->out[i] = params->a[i] + params->alpha * params->b[i];
  return PK_OK;
}

pk_status pk_leaky_relu_f32(const pk_unary_params *p) {
  if (p->reserved != NULL) return PK_ERROR_INVALID;
  for (uint64_t i = 0; i < p->count; ++i) p->out[i] = p->in[i] > 0 ? p->in[i] : p->in[i] * p->negative_slope;
  return PK_OK;
}

pk_status pk_gemm_f32(const pk_gemm_params *g) {
  for (int32_t r = 0; r < g->m; ++r) {
    for (int32_t s = 0; s < g->n; ++s) {
      float sum = 0;
      for (int32_t i = 0; i < g->k; ++i) {
        int64_t at_a = g->trans_a == PK_TRANS ? (int64_t)i * g->lda + r : (int64_t)r * g->lda + i;
        int64_t at_b = g->trans_b == PK_TRANS ? (int64_t)s * g->ldb + i : (int64_t)i * g->ldb + s;
        sum += g->a[at_a] * g->b[at_b];
      }
      float *out = g->c + (int64_t)r * g->ldc + s;
      *out = g->alpha * sum + (g->beta == 0 ? 0 : g->beta * *out);
    }
  }
  return PK_OK;
}
