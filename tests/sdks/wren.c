#include "wren.h"

#include <math.h>
#include <string.h>

#include "sim.h"

#define STEP() do { if (fails()) return WREN_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return WREN_INVALID_ARGUMENT; } while (0)

wren_status wren_malloc(void **ptr, size_t bytes) {
  return (*ptr = device_alloc(bytes)) ? WREN_SUCCESS : WREN_OUT_OF_MEMORY;
}
wren_status wren_free(void *ptr) { REQUIRE(device_free(ptr)); return WREN_SUCCESS; }
wren_status wren_memcpy(void *dst, const void *src, size_t bytes, wren_direction direction) {
  STEP();
  REQUIRE(direction == WREN_DEVICE_TO_HOST || on_device(dst, bytes));
  REQUIRE(direction == WREN_HOST_TO_DEVICE || on_device(src, bytes));
  memmove(dst, src, bytes);
  return WREN_SUCCESS;
}
wren_status wren_device_synchronize(void) { return WREN_SUCCESS; }

/* Structs of the caller: their memory is on the device, and nobody here owns it. */
static int whole(const wren_vector *v) {
  return v && v->stride && !v->pool && !v->owned && (!v->len || on_device(v->data, 4 * ((v->len - 1) * v->stride + 1)));
}
static int dense(const wren_matrix *m) {
  return m && m->ld >= m->cols && !m->pool && !m->owned && m->rows && m->cols &&
         on_device(m->data, 4 * ((m->rows - 1) * m->ld + m->cols));
}

#define CHANGE(NAME, OP) \
  wren_status NAME(wren_vector *a, const wren_vector *b) { \
    STEP(); \
    REQUIRE(whole(a) && whole(b) && a->len == b->len); \
    for (size_t i = 0; i < a->len; ++i) a->data[i * a->stride] OP b->data[i * b->stride]; \
    return WREN_SUCCESS; \
  }
CHANGE(wren_vector_add, +=)
CHANGE(wren_vector_mul, *=)
CHANGE(wren_vector_div, /=)
wren_status wren_vector_f64_mul(wren_vector_f64 *a, const wren_vector_f64 *b) {
  STEP();
  REQUIRE(a && b && a->n == b->n && a->inc == 1 && b->inc == 1);
  REQUIRE(on_device(a->elements, 8 * (size_t)a->n) && on_device(b->elements, 8 * (size_t)b->n));
  for (int i = 0; i < a->n; ++i) a->elements[i] *= b->elements[i];
  return WREN_SUCCESS;
}

/* What comes back by value cannot say that it failed: NaN does. */
float wren_vector_sum(const wren_vector *a) {
  double sum = whole(a) ? 0 : NAN;
  for (size_t i = 0; sum == sum && i < a->len; ++i) sum += a->data[i * a->stride];
  return (float)sum;
}
float wren_vector_max(const wren_vector *v) {
  float most = whole(v) ? -INFINITY : NAN;
  for (size_t i = 0; most == most && i < v->len; ++i) {
    const float x = v->data[i * v->stride];
    if (x > most || x != x) most = x;
  }
  return most;
}
float wren_blas_snrm2(const wren_vector *X) {
  double sum = whole(X) ? 0 : NAN;
  for (size_t i = 0; sum == sum && i < X->len; ++i) sum += (double)X->data[i * X->stride] * X->data[i * X->stride];
  return (float)sqrt(sum);
}
wren_status wren_blas_sdot(const wren_vector *X, const wren_vector *Y, float *result) {
  double sum = 0;
  STEP();
  REQUIRE(whole(X) && whole(Y) && X->len == Y->len && on_device(result, 4));
  for (size_t i = 0; i < X->len; ++i) sum += (double)X->data[i * X->stride] * Y->data[i * Y->stride];
  *result = (float)sum;
  return WREN_SUCCESS;
}
wren_status wren_min_f32(const float *src, size_t n, float *result) {
  float least = INFINITY;
  STEP();
  REQUIRE(on_device(src, 4 * n) && on_device(result, 4));
  for (size_t i = 0; i < n; ++i)
    if (src[i] < least || src[i] != src[i]) {
      least = src[i];
      if (least != least) break;
    }
  *result = least;
  return WREN_SUCCESS;
}
wren_status wren_blas_saxpy(float alpha, const wren_vector *X, wren_vector *Y) {
  STEP();
  REQUIRE(whole(X) && whole(Y) && X->len == Y->len);
  for (size_t i = 0; i < X->len; ++i) Y->data[i * Y->stride] += alpha * X->data[i * X->stride];
  return WREN_SUCCESS;
}

static float at(const wren_matrix *m, wren_trans trans, size_t i, size_t j) {
  return trans == WREN_TRANS ? m->data[j * m->ld + i] : m->data[i * m->ld + j];
}
wren_status wren_blas_sgemv(wren_trans TransA, float alpha, const wren_matrix *A, const wren_vector *X, float beta,
                            wren_vector *Y) {
  STEP();
  REQUIRE(dense(A) && whole(X) && whole(Y));
  REQUIRE(X->len == (TransA ? A->rows : A->cols) && Y->len == (TransA ? A->cols : A->rows));
  for (size_t i = 0; i < Y->len; ++i) {
    float *y = Y->data + i * Y->stride;
    double sum = 0;
    for (size_t j = 0; j < X->len; ++j) sum += (double)at(A, TransA, i, j) * X->data[j * X->stride];
    *y = (float)(alpha * sum + (beta != 0 ? (double)beta * *y : 0));
  }
  return WREN_SUCCESS;
}
wren_status wren_blas_sger(float alpha, const wren_vector *X, const wren_vector *Y, wren_matrix *A) {
  STEP();
  REQUIRE(whole(X) && whole(Y) && dense(A) && A->rows == X->len && A->cols == Y->len);
  for (size_t i = 0; i < A->rows; ++i)
    for (size_t j = 0; j < A->cols; ++j)
      A->data[i * A->ld + j] += alpha * X->data[i * X->stride] * Y->data[j * Y->stride];
  return WREN_SUCCESS;
}
wren_status wren_blas_sgemm(wren_trans TransA, wren_trans TransB, float alpha, const wren_matrix *A,
                            const wren_matrix *B, float beta, wren_matrix *C) {
  STEP();
  REQUIRE(dense(A) && dense(B) && dense(C));
  const size_t rows = TransA ? A->cols : A->rows, depth = TransA ? A->rows : A->cols, cols = TransB ? B->rows : B->cols;
  REQUIRE(depth == (TransB ? B->cols : B->rows) && C->rows == rows && C->cols == cols);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j) {
      float *c = C->data + i * C->ld + j;
      double sum = 0;
      for (size_t k = 0; k < depth; ++k) sum += (double)at(A, TransA, i, k) * at(B, TransB, k, j);
      *c = (float)(alpha * sum + (beta != 0 ? (double)beta * *c : 0));
    }
  return WREN_SUCCESS;
}
