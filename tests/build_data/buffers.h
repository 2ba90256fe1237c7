/* An SDK whose memory is buffer objects and whose work goes through queues that run it later. */
#ifndef BX_BUFFERS_H
#define BX_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct bx_device_s *bx_device;
typedef struct bx_context_s *bx_context;
typedef struct bx_queue_s *bx_queue;
typedef struct bx_buffer_s *bx_buffer;

typedef enum bx_result {
  BX_SUCCESS = 0,
  BX_ERROR_OUT_OF_MEMORY = -1,
  BX_ERROR_INVALID_VALUE = -2,
  BX_ERROR_NOT_SUPPORTED = -3
} bx_result;

typedef enum bx_layout { BX_LAYOUT_ROW_MAJOR = 1, BX_LAYOUT_COLUMN_MAJOR = 2 } bx_layout;
typedef enum bx_transpose { BX_TRANSPOSE_NO = 0, BX_TRANSPOSE_YES = 1 } bx_transpose;

bx_result bxGetDevices(uint32_t max_devices, bx_device *devices, uint32_t *num_devices);
bx_result bxGetDeviceName(bx_device device, char *name, size_t name_size);
bx_result bxCreateContext(bx_device device, bx_context *context);
bx_result bxDestroyContext(bx_context context);
bx_result bxCreateQueue(bx_context context, uint32_t flags, bx_queue *queue);
bx_result bxDestroyQueue(bx_queue queue);
bx_result bxQueueFinish(bx_queue queue);
bx_result bxCreateBuffer(bx_context context, size_t size, bx_buffer *buffer);
bx_result bxReleaseBuffer(bx_buffer buffer);
bx_result bxWriteBuffer(bx_queue queue, bx_buffer buffer, size_t offset, size_t size, const void *data);
bx_result bxReadBuffer(bx_queue queue, bx_buffer buffer, size_t offset, size_t size, void *data);
bx_result bxCopyBuffer(bx_queue queue, bx_buffer dst, size_t dst_offset, bx_buffer src, size_t src_offset, size_t size);
bx_result bxFillBuffer(bx_queue queue, bx_buffer buffer, uint8_t value, size_t offset, size_t size);

/* out = a + b; offsets in elements */
bx_result bxAddF32(bx_queue queue, size_t n, bx_buffer a, size_t a_offset, bx_buffer b, size_t b_offset, bx_buffer out,
                   size_t out_offset);
/* out = max(in, 0); offsets in bytes */
bx_result bxReluF32(bx_queue queue, bx_buffer in, size_t in_offset_bytes, bx_buffer out, size_t out_offset_bytes,
                    uint32_t n);
/* C = alpha * op(A) * op(B) + beta * C */
bx_result bxGemmF32(bx_queue queue, bx_layout layout, bx_transpose trans_a, bx_transpose trans_b, size_t m, size_t n,
                    size_t k, float alpha, bx_buffer a, size_t a_offset, size_t lda, bx_buffer b, size_t b_offset,
                    size_t ldb, float beta, bx_buffer c, size_t c_offset, size_t ldc);

#endif
