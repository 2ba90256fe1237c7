/* A BLAS over memory objects: no function lists devices, and every call takes a list of queues. */
#ifndef TL_TILES_H
#define TL_TILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct tl_context_s *tl_context;
typedef struct tl_queue_s *tl_queue;
typedef struct tl_mem_s *tl_mem;
typedef struct tl_event_s *tl_event;

typedef enum tlblasStatus_ {
  tlblasSuccess = 0,
  tlblasOutOfMemory = -4,
  tlblasInvalidValue = -30,
  tlblasNotInitialized = -1023
} tlblasStatus;
typedef enum tlblasLayout_ { tlblasRowMajor = 1, tlblasColumnMajor = 2 } tlblasLayout;
typedef enum tlblasTranspose_ { tlblasNo = 0, tlblasYes = 1 } tlblasTranspose;

/* the runtime, whose functions return 0 or one of the numbers above */
tl_context tlCreateContext(uint32_t tile_mask, int *errcode);
int tlReleaseContext(tl_context context);
tl_queue tlCreateCommandQueue(tl_context context, uint32_t tile, uint64_t properties, int *errcode);
int tlReleaseCommandQueue(tl_queue queue);
int tlFinish(tl_queue queue);
tl_mem tlCreateBuffer(tl_context context, uint64_t flags, size_t size, int *errcode);
int tlReleaseMemObject(tl_mem mem);
int tlEnqueueWriteBuffer(tl_queue queue, tl_mem mem, int blocking, size_t offset, size_t size, const void *ptr);
int tlEnqueueReadBuffer(tl_queue queue, tl_mem mem, int blocking, size_t offset, size_t size, void *ptr);
int tlEnqueueCopyBuffer(tl_queue queue, tl_mem src, tl_mem dst, size_t src_offset, size_t dst_offset, size_t size);

/* the library, which has to be set up; offsets count elements */
tlblasStatus tlblasSetup(void);
void tlblasTeardown(void);
tlblasStatus tlblasSscal(size_t N, float alpha, tl_mem X, size_t offx, int incx, uint32_t numCommandQueues,
                         tl_queue *commandQueues, uint32_t numEventsInWaitList, const tl_event *eventWaitList,
                         tl_event *events);
tlblasStatus tlblasSaxpy(size_t N, float alpha, const tl_mem X, size_t offx, int incx, tl_mem Y, size_t offy, int incy,
                         uint32_t numCommandQueues, tl_queue *commandQueues, uint32_t numEventsInWaitList,
                         const tl_event *eventWaitList, tl_event *events);
tlblasStatus tlblasDaxpy(size_t N, double alpha, const tl_mem X, size_t offx, int incx, tl_mem Y, size_t offy, int incy,
                         uint32_t numCommandQueues, tl_queue *commandQueues, uint32_t numEventsInWaitList,
                         const tl_event *eventWaitList, tl_event *events);
tlblasStatus tlblasSger(tlblasLayout order, size_t M, size_t N, float alpha, const tl_mem X, size_t offx, int incx,
                        const tl_mem Y, size_t offy, int incy, tl_mem A, size_t offa, size_t lda,
                        uint32_t numCommandQueues, tl_queue *commandQueues, uint32_t numEventsInWaitList,
                        const tl_event *eventWaitList, tl_event *events);
tlblasStatus tlblasSgemv(tlblasLayout order, tlblasTranspose transA, size_t M, size_t N, float alpha, const tl_mem A,
                         size_t offA, size_t lda, const tl_mem x, size_t offx, int incx, float beta, tl_mem y,
                         size_t offy, int incy, uint32_t numCommandQueues, tl_queue *commandQueues,
                         uint32_t numEventsInWaitList, const tl_event *eventWaitList, tl_event *events);
tlblasStatus tlblasSgemm(tlblasLayout order, tlblasTranspose transA, tlblasTranspose transB, size_t M, size_t N,
                         size_t K, float alpha, const tl_mem A, size_t offA, size_t lda, const tl_mem B, size_t offB,
                         size_t ldb, float beta, tl_mem C, size_t offC, size_t ldc, uint32_t numCommandQueues,
                         tl_queue *commandQueues, uint32_t numEventsInWaitList, const tl_event *eventWaitList,
                         tl_event *events);
/* the sum of X, an element of its type */
tlblasStatus tlblasSsum(size_t N, tl_mem result, size_t offResult, const tl_mem X, size_t offx, int incx,
                        uint32_t numCommandQueues, tl_queue *commandQueues, uint32_t numEventsInWaitList,
                        const tl_event *eventWaitList, tl_event *events);

#endif
