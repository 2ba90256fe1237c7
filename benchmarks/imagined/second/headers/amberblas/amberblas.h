/* ************************************************************************
 * AmberBLAS - BLAS for Amber compute tiles, on memory objects with offsets
 *
 * Offsets, leading dimensions and increments are counted in elements.
 * Every routine enqueues on commandQueues[0..numCommandQueues-1], waits for
 * the events of the wait list and returns one event per queue.
 * ************************************************************************ */

#ifndef AMBERBLAS_H_
#define AMBERBLAS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _amb_mem   *amb_mem;
typedef struct _amb_queue *amb_queue;
typedef struct _amb_event *amb_event;
typedef struct _amb_ctx   *amb_context;
typedef unsigned int       amb_uint;

typedef struct { float  s[2]; } FloatComplex;
typedef struct { double s[2]; } DoubleComplex;

typedef enum amberblasOrder_     { amberblasRowMajor, amberblasColumnMajor } amberblasOrder;
typedef enum amberblasTranspose_ { amberblasNoTrans, amberblasTrans, amberblasConjTrans } amberblasTranspose;
typedef enum amberblasUplo_      { amberblasUpper, amberblasLower } amberblasUplo;
typedef enum amberblasDiag_      { amberblasUnit, amberblasNonUnit } amberblasDiag;
typedef enum amberblasSide_      { amberblasLeft, amberblasRight } amberblasSide;

typedef enum amberblasStatus_ {
    amberblasSuccess = 0,
    amberblasInvalidValue = -30,
    amberblasInvalidQueue = -36,
    amberblasInvalidMemObject = -38,
    amberblasOutOfResources = -5,
    amberblasNotImplemented = -1024,
    amberblasNotInitialized,
    amberblasInvalidMatA,
    amberblasInvalidMatB,
    amberblasInvalidMatC,
    amberblasInvalidVecX,
    amberblasInvalidVecY
} amberblasStatus;

/* --- objects (implemented by libambercl) --- */
amb_context amberCreateContext(amb_uint tile_mask, int *errcode);
int amberReleaseContext(amb_context context);
amb_queue amberCreateCommandQueue(amb_context context, amb_uint tile, uint64_t properties, int *errcode);
int amberReleaseCommandQueue(amb_queue queue);
amb_mem amberCreateBuffer(amb_context context, uint64_t flags, size_t size, void *host_ptr, int *errcode);
int amberReleaseMemObject(amb_mem mem);
int amberEnqueueWriteBuffer(amb_queue queue, amb_mem mem, int blocking, size_t offset, size_t size, const void *ptr, amb_uint num_events_in_wait_list, const amb_event *event_wait_list, amb_event *event);
int amberEnqueueReadBuffer(amb_queue queue, amb_mem mem, int blocking, size_t offset, size_t size, void *ptr, amb_uint num_events_in_wait_list, const amb_event *event_wait_list, amb_event *event);
int amberEnqueueCopyBuffer(amb_queue queue, amb_mem src, amb_mem dst, size_t src_offset, size_t dst_offset, size_t size, amb_uint num_events_in_wait_list, const amb_event *event_wait_list, amb_event *event);
int amberFinish(amb_queue queue);
int amberFlush(amb_queue queue);
int amberWaitForEvents(amb_uint num_events, const amb_event *event_list);
int amberReleaseEvent(amb_event event);

/* --- library --- */
amberblasStatus amberblasGetVersion(amb_uint *major, amb_uint *minor, amb_uint *patch);
amberblasStatus amberblasSetup(void);
void amberblasTeardown(void);
amberblasStatus amberblasTuneKernels(amb_queue queue, const char *cache_file);

/* --- level 1 --- */
amberblasStatus amberblasSswap(size_t N, amb_mem X, size_t offx, int incx, amb_mem Y, size_t offy, int incy, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSscal(size_t N, float alpha, amb_mem X, size_t offx, int incx, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasDscal(size_t N, double alpha, amb_mem X, size_t offx, int incx, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasCsscal(size_t N, float alpha, amb_mem X, size_t offx, int incx, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasScopy(size_t N, const amb_mem X, size_t offx, int incx, amb_mem Y, size_t offy, int incy, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSaxpy(size_t N, float alpha, const amb_mem X, size_t offx, int incx, amb_mem Y, size_t offy, int incy, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasDaxpy(size_t N, double alpha, const amb_mem X, size_t offx, int incx, amb_mem Y, size_t offy, int incy, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSdot(size_t N, amb_mem dotProduct, size_t offDP, const amb_mem X, size_t offx, int incx, const amb_mem Y, size_t offy, int incy, amb_mem scratchBuff, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasCdotu(size_t N, amb_mem dotProduct, size_t offDP, const amb_mem X, size_t offx, int incx, const amb_mem Y, size_t offy, int incy, amb_mem scratchBuff, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSnrm2(size_t N, amb_mem NRM2, size_t offNRM2, const amb_mem X, size_t offx, int incx, amb_mem scratchBuff, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSasum(size_t N, amb_mem asum, size_t offAsum, const amb_mem X, size_t offx, int incx, amb_mem scratchBuff, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasiSamax(size_t N, amb_mem iMax, size_t offiMax, const amb_mem X, size_t offx, int incx, amb_mem scratchBuff, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSrotg(amb_mem SA, size_t offSA, amb_mem SB, size_t offSB, amb_mem C, size_t offC, amb_mem S, size_t offS, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);

/* --- level 2 --- */
amberblasStatus amberblasSgemv(amberblasOrder order, amberblasTranspose transA, size_t M, size_t N, float alpha, const amb_mem A, size_t offA, size_t lda, const amb_mem x, size_t offx, int incx, float beta, amb_mem y, size_t offy, int incy, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasDgemv(amberblasOrder order, amberblasTranspose transA, size_t M, size_t N, double alpha, const amb_mem A, size_t offA, size_t lda, const amb_mem x, size_t offx, int incx, double beta, amb_mem y, size_t offy, int incy, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSger(amberblasOrder order, size_t M, size_t N, float alpha, const amb_mem X, size_t offx, int incx, const amb_mem Y, size_t offy, int incy, amb_mem A, size_t offa, size_t lda, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasStrsv(amberblasOrder order, amberblasUplo uplo, amberblasTranspose trans, amberblasDiag diag, size_t N, const amb_mem A, size_t offa, size_t lda, amb_mem X, size_t offx, int incx, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);

/* --- level 3 --- */
amberblasStatus amberblasSgemm(amberblasOrder order, amberblasTranspose transA, amberblasTranspose transB, size_t M, size_t N, size_t K, float alpha, const amb_mem A, size_t offA, size_t lda, const amb_mem B, size_t offB, size_t ldb, float beta, amb_mem C, size_t offC, size_t ldc, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasDgemm(amberblasOrder order, amberblasTranspose transA, amberblasTranspose transB, size_t M, size_t N, size_t K, double alpha, const amb_mem A, size_t offA, size_t lda, const amb_mem B, size_t offB, size_t ldb, double beta, amb_mem C, size_t offC, size_t ldc, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasCgemm(amberblasOrder order, amberblasTranspose transA, amberblasTranspose transB, size_t M, size_t N, size_t K, FloatComplex alpha, const amb_mem A, size_t offA, size_t lda, const amb_mem B, size_t offB, size_t ldb, FloatComplex beta, amb_mem C, size_t offC, size_t ldc, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasStrsm(amberblasOrder order, amberblasSide side, amberblasUplo uplo, amberblasTranspose transA, amberblasDiag diag, size_t M, size_t N, float alpha, const amb_mem A, size_t offA, size_t lda, amb_mem B, size_t offB, size_t ldb, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSsyrk(amberblasOrder order, amberblasUplo uplo, amberblasTranspose transA, size_t N, size_t K, float alpha, const amb_mem A, size_t offA, size_t lda, float beta, amb_mem C, size_t offC, size_t ldc, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSsymm(amberblasOrder order, amberblasSide side, amberblasUplo uplo, size_t M, size_t N, float alpha, const amb_mem A, size_t offa, size_t lda, const amb_mem B, size_t offb, size_t ldb, float beta, amb_mem C, size_t offc, size_t ldc, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSgemmBatchedX(amberblasOrder order, amberblasTranspose transA, amberblasTranspose transB, size_t M, size_t N, size_t K, float alpha, const amb_mem A, size_t offA, size_t lda, size_t strideA, const amb_mem B, size_t offB, size_t ldb, size_t strideB, float beta, amb_mem C, size_t offC, size_t ldc, size_t strideC, size_t batch, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);
amberblasStatus amberblasSomatcopyX(amberblasOrder order, amberblasTranspose trans, size_t M, size_t N, float alpha, const amb_mem A, size_t offA, size_t lda, amb_mem B, size_t offB, size_t ldb, amb_uint numCommandQueues, amb_queue *commandQueues, amb_uint numEventsInWaitList, const amb_event *eventWaitList, amb_event *events);

#ifdef __cplusplus
}
#endif
#endif
