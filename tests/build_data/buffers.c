/* Runs nothing when it is enqueued: work waits in its queue until somebody waits for the queue. */
#include "buffers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bx_device_s {
  const char *name;
};
struct bx_context_s {
  bx_device device;
};
struct bx_buffer_s {
  bx_context context;
  size_t size;
  size_t users; /* the owner, and every waiting job */
  unsigned char *bytes;
};
typedef enum { JOB_WRITE, JOB_READ, JOB_COPY, JOB_FILL, JOB_ADD, JOB_RELU, JOB_GEMM } kind;
typedef struct job {
  struct job *next;
  kind kind;
  bx_buffer buffers[3];
  size_t offsets[3], ld[3], m, n, k, size;
  bx_layout layout;
  int transposed[2];
  float alpha, beta;
  unsigned char value;
  void *host;
} job;
struct bx_queue_s {
  bx_context context;
  job *first, **last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* any thread may enqueue */
static struct bx_device_s devices[2] = {{"bx 0"}, {"bx 1"}};

bx_result bxGetDevices(uint32_t max_devices, bx_device *out, uint32_t *num_devices) {
  if (num_devices != NULL) *num_devices = 2;
  for (uint32_t i = 0; out != NULL && i < max_devices && i < 2; ++i) out[i] = &devices[i];
  return BX_SUCCESS;
}

bx_result bxGetDeviceName(bx_device device, char *name, size_t name_size) {
  snprintf(name, name_size, "%s", device->name);
  return BX_SUCCESS;
}

bx_result bxCreateContext(bx_device device, bx_context *context) {
  *context = malloc(sizeof **context);
  if (*context == NULL) return BX_ERROR_OUT_OF_MEMORY;
  (*context)->device = device;
  return BX_SUCCESS;
}

bx_result bxDestroyContext(bx_context context) {
  free(context);
  return BX_SUCCESS;
}

bx_result bxCreateQueue(bx_context context, uint32_t flags, bx_queue *queue) {
  if (flags != 0) return BX_ERROR_INVALID_VALUE;
  *queue = malloc(sizeof **queue);
  if (*queue == NULL) return BX_ERROR_OUT_OF_MEMORY;
  (*queue)->context = context;
  (*queue)->first = NULL;
  (*queue)->last = &(*queue)->first;
  return BX_SUCCESS;
}

static void drop(bx_buffer buffer) {
  if (--buffer->users > 0) return;
  free(buffer->bytes);
  free(buffer);
}

static float *at(const job *j, int i) { return (float *)(void *)(j->buffers[i]->bytes) + j->offsets[i]; }

static void gemm(const job *j) {
  for (size_t r = 0; r < j->m; ++r) {
    for (size_t c = 0; c < j->n; ++c) {
      float sum = 0;
      for (size_t i = 0; i < j->k; ++i) {
        size_t a = j->transposed[0] ? i * j->ld[0] + r : r * j->ld[0] + i;
        size_t b = j->transposed[1] ? c * j->ld[1] + i : i * j->ld[1] + c;
        sum += at(j, 0)[a] * at(j, 1)[b];
      }
      float *out = at(j, 2) + r * j->ld[2] + c;
      *out = j->alpha * sum + (j->beta == 0 ? 0 : j->beta * *out);
    }
  }
}

static void run(const job *j) {
  unsigned char *first = j->buffers[0]->bytes;
  switch (j->kind) {
    case JOB_WRITE: memcpy(first + j->offsets[0], j->host, j->size); break;
    case JOB_READ: memcpy(j->host, first + j->offsets[0], j->size); break;
    case JOB_COPY: memcpy(first + j->offsets[0], j->buffers[1]->bytes + j->offsets[1], j->size); break;
    case JOB_FILL: memset(first + j->offsets[0], j->value, j->size); break;
    case JOB_ADD:
      for (size_t i = 0; i < j->n; ++i) at(j, 2)[i] = at(j, 0)[i] + at(j, 1)[i];
      break;
    case JOB_RELU:
      for (size_t i = 0; i < j->n; ++i) at(j, 1)[i] = at(j, 0)[i] < 0 ? 0 : at(j, 0)[i];
      break;
    case JOB_GEMM: gemm(j); break;
  }
}

bx_result bxQueueFinish(bx_queue queue) {
  pthread_mutex_lock(&lock);
  while (queue->first != NULL) {
    job *j = queue->first;
    queue->first = j->next;
    run(j);
    for (int i = 0; i < 3; ++i) {
      if (j->buffers[i] != NULL) drop(j->buffers[i]);
    }
    free(j);
  }
  queue->last = &queue->first;
  pthread_mutex_unlock(&lock);
  return BX_SUCCESS;
}

bx_result bxDestroyQueue(bx_queue queue) {
  bxQueueFinish(queue);
  free(queue);
  return BX_SUCCESS;
}

static bx_result push(bx_queue queue, job what) {
  job *j = malloc(sizeof *j);
  if (j == NULL) return BX_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < 3; ++i) {
    if (what.buffers[i] == NULL || what.buffers[i]->context->device == queue->context->device) continue;
    free(j);
    return BX_ERROR_INVALID_VALUE;
  }
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 3; ++i) {
    if (what.buffers[i] != NULL) ++what.buffers[i]->users;
  }
  *j = what;
  j->next = NULL;
  *queue->last = j;
  queue->last = &j->next;
  pthread_mutex_unlock(&lock);
  return BX_SUCCESS;
}

bx_result bxCreateBuffer(bx_context context, size_t size, bx_buffer *buffer) {
  *buffer = malloc(sizeof **buffer);
  if (*buffer == NULL) return BX_ERROR_OUT_OF_MEMORY;
  (*buffer)->context = context;
  (*buffer)->size = size;
  (*buffer)->users = 1;
  (*buffer)->bytes = size > (size_t)1 << 40 ? NULL : malloc(size);
  if ((*buffer)->bytes != NULL) return BX_SUCCESS;
  free(*buffer);
  return BX_ERROR_OUT_OF_MEMORY;
}

bx_result bxReleaseBuffer(bx_buffer buffer) {
  pthread_mutex_lock(&lock);
  drop(buffer);
  pthread_mutex_unlock(&lock);
  return BX_SUCCESS;
}

static int outside(bx_buffer buffer, size_t offset, size_t size) {
  return offset > buffer->size || size > buffer->size - offset;
}

bx_result bxWriteBuffer(bx_queue queue, bx_buffer buffer, size_t offset, size_t size, const void *data) {
  if (outside(buffer, offset, size)) return BX_ERROR_INVALID_VALUE;
  return push(queue, (job){.kind = JOB_WRITE, .buffers = {buffer}, .offsets = {offset}, .size = size, .host = (void *)data});
}

bx_result bxReadBuffer(bx_queue queue, bx_buffer buffer, size_t offset, size_t size, void *data) {
  if (outside(buffer, offset, size)) return BX_ERROR_INVALID_VALUE;
  return push(queue, (job){.kind = JOB_READ, .buffers = {buffer}, .offsets = {offset}, .size = size, .host = data});
}

bx_result bxCopyBuffer(bx_queue queue, bx_buffer dst, size_t dst_offset, bx_buffer src, size_t src_offset, size_t size) {
  if (outside(dst, dst_offset, size) || outside(src, src_offset, size)) return BX_ERROR_INVALID_VALUE;
  return push(queue, (job){.kind = JOB_COPY, .buffers = {dst, src}, .offsets = {dst_offset, src_offset}, .size = size});
}

bx_result bxFillBuffer(bx_queue queue, bx_buffer buffer, uint8_t value, size_t offset, size_t size) {
  if (outside(buffer, offset, size)) return BX_ERROR_INVALID_VALUE;
  return push(queue, (job){.kind = JOB_FILL, .buffers = {buffer}, .offsets = {offset}, .size = size, .value = value});
}

bx_result bxAddF32(bx_queue queue, size_t n, bx_buffer a, size_t a_offset, bx_buffer b, size_t b_offset, bx_buffer out,
                   size_t out_offset) {
  return push(queue, (job){.kind = JOB_ADD, .buffers = {a, b, out}, .offsets = {a_offset, b_offset, out_offset}, .n = n});
}

bx_result bxReluF32(bx_queue queue, bx_buffer in, size_t in_offset_bytes, bx_buffer out, size_t out_offset_bytes,
                    uint32_t n) {
  if (in_offset_bytes % sizeof(float) != 0 || out_offset_bytes % sizeof(float) != 0) return BX_ERROR_INVALID_VALUE;
  return push(queue, (job){.kind = JOB_RELU, .buffers = {in, out},
                           .offsets = {in_offset_bytes / sizeof(float), out_offset_bytes / sizeof(float)}, .n = n});
}

bx_result bxGemmF32(bx_queue queue, bx_layout layout, bx_transpose trans_a, bx_transpose trans_b, size_t m, size_t n,
                    size_t k, float alpha, bx_buffer a, size_t a_offset, size_t lda, bx_buffer b, size_t b_offset,
                    size_t ldb, float beta, bx_buffer c, size_t c_offset, size_t ldc) {
  if (layout != BX_LAYOUT_ROW_MAJOR) return BX_ERROR_NOT_SUPPORTED;
  return push(queue, (job){.kind = JOB_GEMM, .buffers = {a, b, c}, .offsets = {a_offset, b_offset, c_offset},
                           .ld = {lda, ldb, ldc}, .m = m, .n = n, .k = k, .transposed = {trans_a, trans_b},
                           .alpha = alpha, .beta = beta});
}
