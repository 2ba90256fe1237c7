/* =================================================================================================
 * TGCL: kernels for the Tiger G-series GPU, over the buffers and queues of the TG compute runtime.
 * ================================================================================================= */
#ifndef TGCL_H_
#define TGCL_H_

#include <stdlib.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _tg_buf   *tg_buf;
typedef struct _tg_queue *tg_queue;
typedef struct _tg_event *tg_event;
typedef struct _tg_dev   *tg_dev;
typedef uint16_t tg_half;

typedef enum TgStatus_ {
  TgSuccess                = 0,
  TgInvalidQueue           = -36,
  TgInvalidBuffer          = -38,
  TgOutOfResources         = -5,
  TgInvalidDimension       = -1019,
  TgInvalidLeadDim         = -1020,
  TgInsufficientMemory     = -1021,
  TgNotImplemented         = -1024,
  TgUnexpectedError        = -2039
} TgStatus;

typedef enum TgLayout_ { TgRowMajor = 101, TgColMajor = 102 } TgLayout;
typedef enum TgTranspose_ { TgNo = 111, TgYes = 112, TgConj = 113 } TgTranspose;

/* ---- the runtime (normally from libtg) ---- */
TgStatus tgDeviceList(tg_dev *devices, uint32_t capacity, uint32_t *count);
TgStatus tgQueueNew(tg_dev device, uint32_t flags, tg_queue *queue);
TgStatus tgQueueRelease(tg_queue queue);
TgStatus tgQueueFinish(tg_queue queue);
TgStatus tgQueueFlush(tg_queue queue);
TgStatus tgBufferNew(tg_dev device, size_t bytes, uint32_t flags, tg_buf *buffer);
TgStatus tgBufferRelease(tg_buf buffer);
TgStatus tgBufferWrite(tg_queue queue, tg_buf buffer, size_t offset, size_t bytes, const void *host, tg_event *event);
TgStatus tgBufferRead(tg_queue queue, tg_buf buffer, size_t offset, size_t bytes, void *host, tg_event *event);
TgStatus tgBufferCopy(tg_queue queue, tg_buf src, size_t src_offset, tg_buf dst, size_t dst_offset, size_t bytes, tg_event *event);
TgStatus tgEventWait(uint32_t n, const tg_event *events);
TgStatus tgEventRelease(tg_event event);
TgStatus tgEventProfile(tg_event event, uint64_t *start_ns, uint64_t *end_ns);

/* =================================================================================================
 * Vectors. Offsets and increments count elements.
 * ================================================================================================= */

/* x and y change places */
TgStatus TgSswap(const size_t n, tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                 tg_buf y_buffer, const size_t y_offset, const size_t y_inc, tg_queue *queue, tg_event *event);

TgStatus TgSscal(const size_t n, const float alpha, tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                 tg_queue *queue, tg_event *event);
TgStatus TgHscal(const size_t n, const tg_half alpha, tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                 tg_queue *queue, tg_event *event);

TgStatus TgScopy(const size_t n, const tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                 tg_buf y_buffer, const size_t y_offset, const size_t y_inc, tg_queue *queue, tg_event *event);

TgStatus TgSaxpy(const size_t n, const float alpha, const tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                 tg_buf y_buffer, const size_t y_offset, const size_t y_inc, tg_queue *queue, tg_event *event);
TgStatus TgHaxpy(const size_t n, const tg_half alpha, const tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                 tg_buf y_buffer, const size_t y_offset, const size_t y_inc, tg_queue *queue, tg_event *event);

TgStatus TgSdot(const size_t n, tg_buf dot_buffer, const size_t dot_offset,
                const tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                const tg_buf y_buffer, const size_t y_offset, const size_t y_inc, tg_queue *queue, tg_event *event);

TgStatus TgSnrm2(const size_t n, tg_buf nrm2_buffer, const size_t nrm2_offset,
                 const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, tg_queue *queue, tg_event *event);
/* sum of absolute values */
TgStatus TgSasum(const size_t n, tg_buf asum_buffer, const size_t asum_offset,
                 const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, tg_queue *queue, tg_event *event);
/* plain sum */
TgStatus TgSsum(const size_t n, tg_buf sum_buffer, const size_t sum_offset,
                const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, tg_queue *queue, tg_event *event);
/* index of the largest absolute value */
TgStatus TgiSamax(const size_t n, tg_buf imax_buffer, const size_t imax_offset,
                  const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, tg_queue *queue, tg_event *event);
/* index of the largest value; the index is an unsigned int */
TgStatus TgiSmax(const size_t n, tg_buf imax_buffer, const size_t imax_offset,
                 const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, tg_queue *queue, tg_event *event);
TgStatus TgiSmin(const size_t n, tg_buf imin_buffer, const size_t imin_offset,
                 const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, tg_queue *queue, tg_event *event);

/* z = alpha * x * y + beta * z, element by element */
TgStatus TgShad(const size_t n, const float alpha, const tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                const tg_buf y_buffer, const size_t y_offset, const size_t y_inc, const float beta,
                tg_buf z_buffer, const size_t z_offset, const size_t z_inc, tg_queue *queue, tg_event *event);

/* =================================================================================================
 * Matrices
 * ================================================================================================= */
TgStatus TgSgemv(const TgLayout layout, const TgTranspose a_transpose, const size_t m, const size_t n,
                 const float alpha, const tg_buf a_buffer, const size_t a_offset, const size_t a_ld,
                 const tg_buf x_buffer, const size_t x_offset, const size_t x_inc, const float beta,
                 tg_buf y_buffer, const size_t y_offset, const size_t y_inc, tg_queue *queue, tg_event *event);
TgStatus TgSger(const TgLayout layout, const size_t m, const size_t n, const float alpha,
                const tg_buf x_buffer, const size_t x_offset, const size_t x_inc,
                const tg_buf y_buffer, const size_t y_offset, const size_t y_inc,
                tg_buf a_buffer, const size_t a_offset, const size_t a_ld, tg_queue *queue, tg_event *event);
TgStatus TgSgemm(const TgLayout layout, const TgTranspose a_transpose, const TgTranspose b_transpose,
                 const size_t m, const size_t n, const size_t k, const float alpha,
                 const tg_buf a_buffer, const size_t a_offset, const size_t a_ld,
                 const tg_buf b_buffer, const size_t b_offset, const size_t b_ld, const float beta,
                 tg_buf c_buffer, const size_t c_offset, const size_t c_ld, tg_queue *queue, tg_event *event);
TgStatus TgHgemm(const TgLayout layout, const TgTranspose a_transpose, const TgTranspose b_transpose,
                 const size_t m, const size_t n, const size_t k, const tg_half alpha,
                 const tg_buf a_buffer, const size_t a_offset, const size_t a_ld,
                 const tg_buf b_buffer, const size_t b_offset, const size_t b_ld, const tg_half beta,
                 tg_buf c_buffer, const size_t c_offset, const size_t c_ld, tg_queue *queue, tg_event *event);
TgStatus TgSgemmWithTempBuffer(const TgLayout layout, const TgTranspose a_transpose, const TgTranspose b_transpose,
                 const size_t m, const size_t n, const size_t k, const float alpha,
                 const tg_buf a_buffer, const size_t a_offset, const size_t a_ld,
                 const tg_buf b_buffer, const size_t b_offset, const size_t b_ld, const float beta,
                 tg_buf c_buffer, const size_t c_offset, const size_t c_ld, tg_queue *queue, tg_event *event,
                 tg_buf temp_buffer);
TgStatus TgSGemmTempBufferSize(const TgLayout layout, const TgTranspose a_transpose, const TgTranspose b_transpose,
                 const size_t m, const size_t n, const size_t k, const size_t a_offset, const size_t a_ld,
                 const size_t b_offset, const size_t b_ld, const size_t c_offset, const size_t c_ld,
                 tg_queue *queue, size_t *temp_buffer_size);
TgStatus TgSgemmStridedBatched(const TgLayout layout, const TgTranspose a_transpose, const TgTranspose b_transpose,
                 const size_t m, const size_t n, const size_t k, const float alpha,
                 const tg_buf a_buffer, const size_t a_offset, const size_t a_ld, const size_t a_stride,
                 const tg_buf b_buffer, const size_t b_offset, const size_t b_ld, const size_t b_stride, const float beta,
                 tg_buf c_buffer, const size_t c_offset, const size_t c_ld, const size_t c_stride,
                 const size_t batch_count, tg_queue *queue, tg_event *event);

/* B = alpha * op(A), m and n are of A */
TgStatus TgSomatcopy(const TgLayout layout, const TgTranspose a_transpose, const size_t m, const size_t n,
                 const float alpha, const tg_buf a_buffer, const size_t a_offset, const size_t a_ld,
                 tg_buf b_buffer, const size_t b_offset, const size_t b_ld, tg_queue *queue, tg_event *event);

/* =================================================================================================
 * Images: NCHW, kernels are OIHW, no groups
 * ================================================================================================= */
TgStatus TgSim2col(const size_t channels, const size_t height, const size_t width,
                 const size_t kernel_h, const size_t kernel_w, const size_t pad_h, const size_t pad_w,
                 const size_t stride_h, const size_t stride_w, const size_t dilation_h, const size_t dilation_w,
                 const tg_buf im_buffer, const size_t im_offset, tg_buf col_buffer, const size_t col_offset,
                 tg_queue *queue, tg_event *event);
TgStatus TgScol2im(const size_t channels, const size_t height, const size_t width,
                 const size_t kernel_h, const size_t kernel_w, const size_t pad_h, const size_t pad_w,
                 const size_t stride_h, const size_t stride_w, const size_t dilation_h, const size_t dilation_w,
                 const tg_buf col_buffer, const size_t col_offset, tg_buf im_buffer, const size_t im_offset,
                 tg_queue *queue, tg_event *event);
TgStatus TgSconvgemm(const size_t channels, const size_t height, const size_t width,
                 const size_t kernel_h, const size_t kernel_w, const size_t pad_h, const size_t pad_w,
                 const size_t stride_h, const size_t stride_w, const size_t dilation_h, const size_t dilation_w,
                 const size_t num_kernels, const size_t batch_count,
                 const tg_buf im_buffer, const size_t im_offset, const tg_buf kernel_buffer, const size_t kernel_offset,
                 tg_buf result_buffer, const size_t result_offset, tg_queue *queue, tg_event *event);

/* =================================================================================================
 * Activations over n contiguous elements
 * ================================================================================================= */
TgStatus TgSrelu(const size_t n, const tg_buf x_buffer, const size_t x_offset, tg_buf y_buffer, const size_t y_offset,
                 tg_queue *queue, tg_event *event);
TgStatus TgSsigmoid(const size_t n, const tg_buf x_buffer, const size_t x_offset, tg_buf y_buffer, const size_t y_offset,
                 tg_queue *queue, tg_event *event);
TgStatus TgStanh(const size_t n, const tg_buf x_buffer, const size_t x_offset, tg_buf y_buffer, const size_t y_offset,
                 tg_queue *queue, tg_event *event);
TgStatus TgSsoftmax(const size_t batch_count, const size_t n, const tg_buf x_buffer, const size_t x_offset,
                 tg_buf y_buffer, const size_t y_offset, tg_queue *queue, tg_event *event);

/* cache of compiled kernels */
TgStatus TgClearCache(void);
TgStatus TgFillCache(const tg_dev device);
TgStatus TgOverrideParameters(const tg_dev device, const char *kernel_name, const int precision,
                 const size_t num_parameters, const char **parameters_names, const size_t *parameters_values);

#ifdef __cplusplus
}
#endif
#endif
