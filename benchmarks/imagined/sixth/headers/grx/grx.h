#ifndef GRX_H_INCLUDED
#define GRX_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define GRXAPI __cdecl
#else
#define GRXAPI
#endif

#define GRX_VERSION_1_0 1
#define GRX_VERSION_1_1 1
#define GRX_VERSION_1_2 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct grx_context_s *grx_context;
typedef struct grx_queue_s *grx_queue;
typedef struct grx_buffer_s *grx_buffer;
typedef struct grx_event_s *grx_event;
typedef uint16_t grx_half;

typedef enum grx_result_e {
    GRX_RESULT_DONE = 0,
    GRX_RESULT_NO_DEVICE = -1,
    GRX_RESULT_OUT_OF_DEVICE_MEMORY = -4,
    GRX_RESULT_OUT_OF_HOST_MEMORY = -6,
    GRX_RESULT_INVALID_VALUE = -30,
    GRX_RESULT_INVALID_BUFFER = -38,
    GRX_RESULT_INVALID_LD = -1020,
    GRX_RESULT_INVALID_OFFSET = -1021,
    GRX_RESULT_BUILD_FAILURE = -11
} grx_result;

typedef enum { grxRowMajor = 101, grxColMajor = 102 } grx_order;
typedef enum { grxNoTrans = 111, grxTrans = 112, grxConjTrans = 113 } grx_transpose;
typedef enum { grxUpper = 121, grxLower = 122 } grx_uplo;
typedef enum { grxNonUnit = 131, grxUnit = 132 } grx_diag;
typedef enum { grxLeft = 141, grxRight = 142 } grx_side;

typedef enum { GRX_MEM_READ_WRITE = 1, GRX_MEM_READ_ONLY = 4, GRX_MEM_HOST_VISIBLE = 16 } grx_mem_flags;

grx_result GRXAPI grxSetup(void);
void GRXAPI grxTeardown(void);
uint32_t GRXAPI grxGetNumDevices(void);
grx_result GRXAPI grxGetDeviceName(uint32_t device, char *name, size_t len);
grx_context GRXAPI grxCreateContext(uint32_t device, grx_result *err);
grx_result GRXAPI grxReleaseContext(grx_context context);
const char *GRXAPI grxResultString(grx_result result);

grx_buffer GRXAPI grxCreateBuffer(grx_context context, grx_mem_flags flags, size_t bytes, grx_result *err);
grx_result GRXAPI grxReleaseBuffer(grx_buffer buffer);
grx_result GRXAPI grxGetBufferSize(grx_buffer buffer, size_t *bytes);
grx_result GRXAPI grxWriteBuffer(grx_queue queue, grx_buffer buffer, size_t offset, size_t bytes, const void *ptr, grx_event *event);
grx_result GRXAPI grxReadBuffer(grx_queue queue, grx_buffer buffer, size_t offset, size_t bytes, void *ptr, grx_event *event);
grx_result GRXAPI grxCopyBuffer(grx_queue queue, grx_buffer src, grx_buffer dst, size_t src_offset, size_t dst_offset, size_t bytes, grx_event *event);
grx_result GRXAPI grxFillBuffer(grx_queue queue, grx_buffer buffer, size_t offset, size_t bytes, uint8_t pattern, grx_event *event);
void *GRXAPI grxMapBuffer(grx_queue queue, grx_buffer buffer, size_t offset, size_t bytes, grx_result *err);
grx_result GRXAPI grxUnmapBuffer(grx_queue queue, grx_buffer buffer, void *ptr);

grx_queue GRXAPI grxCreateCommandQueue(grx_context context, uint32_t properties, grx_result *err);
grx_result GRXAPI grxReleaseCommandQueue(grx_queue queue);
grx_result GRXAPI grxFlush(grx_queue queue);
grx_result GRXAPI grxFinish(grx_queue queue);
grx_result GRXAPI grxCreateMarker(grx_context context, grx_event *event);
grx_result GRXAPI grxEnqueueMarker(grx_queue queue, grx_event event);
grx_result GRXAPI grxWaitForEvent(grx_event event);
grx_result GRXAPI grxReleaseEvent(grx_event event);

grx_result GRXAPI grxSswap(size_t n, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSscal(size_t n, float alpha, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSaxpy(size_t n, float alpha, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSdot(size_t n, grx_buffer dot, size_t dot_offset, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSnrm2(size_t n, grx_buffer nrm2, size_t nrm2_offset, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSasum(size_t n, grx_buffer asum, size_t asum_offset, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxiSamax(size_t n, grx_buffer imax, size_t imax_offset, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDswap(size_t n, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDscal(size_t n, double alpha, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDaxpy(size_t n, double alpha, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDdot(size_t n, grx_buffer dot, size_t dot_offset, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDnrm2(size_t n, grx_buffer nrm2, size_t nrm2_offset, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDasum(size_t n, grx_buffer asum, size_t asum_offset, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);
grx_result GRXAPI grxiDamax(size_t n, grx_buffer imax, size_t imax_offset, grx_buffer x, size_t x_offset, int incx, grx_queue queue, grx_event *event);

grx_result GRXAPI grxSgemv(grx_order order, grx_transpose trans, size_t m, size_t n, float alpha, grx_buffer a, size_t a_offset, size_t lda, grx_buffer x, size_t x_offset, int incx, float beta, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSger(grx_order order, size_t m, size_t n, float alpha, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_buffer a, size_t a_offset, size_t lda, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDgemv(grx_order order, grx_transpose trans, size_t m, size_t n, double alpha, grx_buffer a, size_t a_offset, size_t lda, grx_buffer x, size_t x_offset, int incx, double beta, grx_buffer y, size_t y_offset, int incy, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDger(grx_order order, size_t m, size_t n, double alpha, grx_buffer x, size_t x_offset, int incx, grx_buffer y, size_t y_offset, int incy, grx_buffer a, size_t a_offset, size_t lda, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSgemm(grx_order order, grx_transpose transa, grx_transpose transb, size_t m, size_t n, size_t k, float alpha, grx_buffer a, size_t a_offset, size_t lda, grx_buffer b, size_t b_offset, size_t ldb, float beta, grx_buffer c, size_t c_offset, size_t ldc, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDgemm(grx_order order, grx_transpose transa, grx_transpose transb, size_t m, size_t n, size_t k, double alpha, grx_buffer a, size_t a_offset, size_t lda, grx_buffer b, size_t b_offset, size_t ldb, double beta, grx_buffer c, size_t c_offset, size_t ldc, grx_queue queue, grx_event *event);
grx_result GRXAPI grxHgemm(grx_order order, grx_transpose transa, grx_transpose transb, size_t m, size_t n, size_t k, float alpha, grx_buffer a, size_t a_offset, size_t lda, grx_buffer b, size_t b_offset, size_t ldb, float beta, grx_buffer c, size_t c_offset, size_t ldc, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSgemmStridedBatched(grx_order order, grx_transpose transa, grx_transpose transb, size_t m, size_t n, size_t k, float alpha, grx_buffer a, size_t a_offset, size_t lda, size_t stride_a, grx_buffer b, size_t b_offset, size_t ldb, size_t stride_b, float beta, grx_buffer c, size_t c_offset, size_t ldc, size_t stride_c, size_t batch_count, grx_queue queue, grx_event *event);
grx_result GRXAPI grxHgemmStridedBatched(grx_order order, grx_transpose transa, grx_transpose transb, size_t m, size_t n, size_t k, float alpha, grx_buffer a, size_t a_offset, size_t lda, size_t stride_a, grx_buffer b, size_t b_offset, size_t ldb, size_t stride_b, float beta, grx_buffer c, size_t c_offset, size_t ldc, size_t stride_c, size_t batch_count, grx_queue queue, grx_event *event);
grx_result GRXAPI grxStrsm(grx_order order, grx_side side, grx_uplo uplo, grx_transpose transa, grx_diag diag, size_t m, size_t n, float alpha, grx_buffer a, size_t a_offset, size_t lda, grx_buffer b, size_t b_offset, size_t ldb, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSsyrk(grx_order order, grx_uplo uplo, grx_transpose transa, size_t n, size_t k, float alpha, grx_buffer a, size_t a_offset, size_t lda, float beta, grx_buffer c, size_t c_offset, size_t ldc, grx_queue queue, grx_event *event);

grx_result GRXAPI grxAddS(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxAddH(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSubS(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSubH(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxMulS(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxMulH(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDivS(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxDivH(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxVmaxS(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxVmaxH(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxVminS(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxVminH(size_t count, grx_buffer src, size_t src_offset, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxAddScaledS(size_t count, grx_buffer src, size_t src_offset, float scale2, grx_buffer src2, size_t src2_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxMulConstS(size_t count, grx_buffer src, size_t src_offset, float value, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxMulConstH(size_t count, grx_buffer src, size_t src_offset, float value, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);

grx_result GRXAPI grxExpS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxExpH(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxLnS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSqrtS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSqrtH(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxInvS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxTanhS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxTanhH(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSigmoidS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSigmoidH(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxReluS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxReluH(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxAbsS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxNegS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxCosS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxFloorS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxClipS(size_t count, grx_buffer src, size_t src_offset, float lo, float hi, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxConvertHtoS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxConvertStoH(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);

grx_result GRXAPI grxSumS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxMeanS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxMaxS(size_t count, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxSoftmaxRowsS(size_t rows, size_t cols, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxTransposeS(size_t rows, size_t cols, grx_buffer src, size_t src_offset, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);
grx_result GRXAPI grxRandUniformS(size_t count, uint64_t seed, grx_buffer dst, size_t dst_offset, grx_queue queue, grx_event *event);

#ifdef __cplusplus
}
#endif

#endif
