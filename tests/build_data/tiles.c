#include "tiles.h"

#include <stdlib.h>
#include <string.h>

struct tl_context_s {
  uint32_t tiles;
};
struct tl_queue_s {
  tl_context context;
};
struct tl_mem_s {
  char *bytes;
  size_t size;
};

static int is_set_up;

static int give(int *errcode, int value) {
  if (errcode) *errcode = value;
  return value;
}

tl_context tlCreateContext(uint32_t tile_mask, int *errcode) {
  if (tile_mask != 1) { /* one tile */
    give(errcode, tlblasInvalidValue);
    return NULL;
  }
  tl_context made = calloc(1, sizeof *made);
  if (made) made->tiles = tile_mask;
  give(errcode, made ? 0 : tlblasOutOfMemory);
  return made;
}

int tlReleaseContext(tl_context context) {
  free(context);
  return 0;
}

tl_queue tlCreateCommandQueue(tl_context context, uint32_t tile, uint64_t properties, int *errcode) {
  if (!context || properties || !(context->tiles >> tile & 1)) {
    give(errcode, tlblasInvalidValue);
    return NULL;
  }
  tl_queue made = calloc(1, sizeof *made);
  if (made) made->context = context;
  give(errcode, made ? 0 : tlblasOutOfMemory);
  return made;
}

int tlReleaseCommandQueue(tl_queue queue) {
  free(queue);
  return 0;
}

int tlFinish(tl_queue queue) { return queue ? 0 : tlblasInvalidValue; }

tl_mem tlCreateBuffer(tl_context context, uint64_t flags, size_t size, int *errcode) {
  if (!context || flags || !size) {
    give(errcode, tlblasInvalidValue);
    return NULL;
  }
  tl_mem made = calloc(1, sizeof *made);
  if (made && !(made->bytes = malloc(size))) {
    free(made);
    made = NULL;
  }
  if (made) made->size = size;
  give(errcode, made ? 0 : tlblasOutOfMemory);
  return made;
}

int tlReleaseMemObject(tl_mem mem) {
  if (mem) free(mem->bytes);
  free(mem);
  return 0;
}

static int inside(tl_mem mem, size_t offset, size_t size) { return mem && offset + size <= mem->size; }

int tlEnqueueWriteBuffer(tl_queue queue, tl_mem mem, int blocking, size_t offset, size_t size, const void *ptr) {
  if (!queue || !blocking || !inside(mem, offset, size)) return tlblasInvalidValue;
  memcpy(mem->bytes + offset, ptr, size);
  return 0;
}

int tlEnqueueReadBuffer(tl_queue queue, tl_mem mem, int blocking, size_t offset, size_t size, void *ptr) {
  if (!queue || !blocking || !inside(mem, offset, size)) return tlblasInvalidValue;
  memcpy(ptr, mem->bytes + offset, size);
  return 0;
}

int tlEnqueueCopyBuffer(tl_queue queue, tl_mem src, tl_mem dst, size_t src_offset, size_t dst_offset, size_t size) {
  if (!queue || !inside(src, src_offset, size) || !inside(dst, dst_offset, size)) return tlblasInvalidValue;
  memmove(dst->bytes + dst_offset, src->bytes + src_offset, size);
  return 0;
}

tlblasStatus tlblasSetup(void) {
  is_set_up = 1;
  return tlblasSuccess;
}

void tlblasTeardown(void) { is_set_up = 0; }

static tlblasStatus ready(uint32_t queues, tl_queue *list, uint32_t events, const tl_event *waits) {
  if (!is_set_up) return tlblasNotInitialized;
  return queues == 1 && list && *list && events == 0 && !waits ? tlblasSuccess : tlblasInvalidValue;
}

#define ASKED uint32_t queues, tl_queue *list, uint32_t events, const tl_event *waits, tl_event *out
#define READY                                                  \
  tlblasStatus checked = ready(queues, list, events, waits);   \
  (void)out;                                                   \
  if (checked != tlblasSuccess) return checked
#define FLOATS(mem, offset) ((float *)(mem)->bytes + (offset))
#define DOUBLES(mem, offset) ((double *)(mem)->bytes + (offset))

tlblasStatus tlblasSscal(size_t n, float alpha, tl_mem x, size_t offx, int incx, ASKED) {
  READY;
  for (size_t i = 0; i < n; ++i) FLOATS(x, offx)[i * (size_t)incx] *= alpha;
  return tlblasSuccess;
}

tlblasStatus tlblasSaxpy(size_t n, float alpha, const tl_mem x, size_t offx, int incx, tl_mem y, size_t offy, int incy,
                         ASKED) {
  READY;
  for (size_t i = 0; i < n; ++i) FLOATS(y, offy)[i * (size_t)incy] += alpha * FLOATS(x, offx)[i * (size_t)incx];
  return tlblasSuccess;
}

tlblasStatus tlblasDaxpy(size_t n, double alpha, const tl_mem x, size_t offx, int incx, tl_mem y, size_t offy, int incy,
                         ASKED) {
  READY;
  for (size_t i = 0; i < n; ++i) DOUBLES(y, offy)[i * (size_t)incy] += alpha * DOUBLES(x, offx)[i * (size_t)incx];
  return tlblasSuccess;
}

tlblasStatus tlblasSger(tlblasLayout order, size_t m, size_t n, float alpha, const tl_mem x, size_t offx, int incx,
                        const tl_mem y, size_t offy, int incy, tl_mem a, size_t offa, size_t lda, ASKED) {
  READY;
  if (order != tlblasRowMajor) return tlblasInvalidValue;
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j)
      FLOATS(a, offa)[i * lda + j] += alpha * FLOATS(x, offx)[i * (size_t)incx] * FLOATS(y, offy)[j * (size_t)incy];
  }
  return tlblasSuccess;
}

static double at(tl_mem mem, size_t offset, size_t ld, tlblasTranspose transposed, size_t i, size_t j) {
  return FLOATS(mem, offset)[transposed == tlblasYes ? j * ld + i : i * ld + j];
}

tlblasStatus tlblasSgemv(tlblasLayout order, tlblasTranspose trans, size_t m, size_t n, float alpha, const tl_mem a,
                         size_t offa, size_t lda, const tl_mem x, size_t offx, int incx, float beta, tl_mem y,
                         size_t offy, int incy, ASKED) {
  READY;
  if (order != tlblasRowMajor) return tlblasInvalidValue;
  const size_t rows = trans == tlblasYes ? n : m, columns = trans == tlblasYes ? m : n;
  for (size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (size_t j = 0; j < columns; ++j) sum += at(a, offa, lda, trans, i, j) * FLOATS(x, offx)[j * (size_t)incx];
    float *to = &FLOATS(y, offy)[i * (size_t)incy];
    *to = (float)(alpha * sum + (beta == 0 ? 0 : beta * *to));
  }
  return tlblasSuccess;
}

tlblasStatus tlblasSgemm(tlblasLayout order, tlblasTranspose transa, tlblasTranspose transb, size_t m, size_t n,
                         size_t k, float alpha, const tl_mem a, size_t offa, size_t lda, const tl_mem b, size_t offb,
                         size_t ldb, float beta, tl_mem c, size_t offc, size_t ldc, ASKED) {
  READY;
  if (order != tlblasRowMajor) return tlblasInvalidValue;
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t p = 0; p < k; ++p) sum += at(a, offa, lda, transa, i, p) * at(b, offb, ldb, transb, p, j);
      float *to = &FLOATS(c, offc)[i * ldc + j];
      *to = (float)(alpha * sum + (beta == 0 ? 0 : beta * *to));
    }
  }
  return tlblasSuccess;
}

tlblasStatus tlblasSsum(size_t n, tl_mem result, size_t offset, const tl_mem x, size_t offx, int incx, ASKED) {
  READY;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += FLOATS(x, offx)[i * (size_t)incx];
  *FLOATS(result, offset) = (float)sum;
  return tlblasSuccess;
}
