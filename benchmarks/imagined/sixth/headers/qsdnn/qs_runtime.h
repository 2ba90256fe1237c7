/***************************************************************************
 *  Quarrystone Technologies - QS runtime
 *  Copyright (C) 2019-2024 Quarrystone Technologies Inc.
 *
 *  This source code and/or documentation is subject to the SDK license
 *  agreement you accepted at download.
 **************************************************************************/
#ifndef __QS_RUNTIME_H__
#define __QS_RUNTIME_H__

#include <stddef.h>

#define QSRT_VERSION 3020

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum qsrtResult {
  qsrtOk                = 0,
  qsrtErrInvalidValue   = 1,
  qsrtErrOutOfMemory    = 2,
  qsrtErrNotInitialized = 3,
  qsrtErrNoDevice       = 38,
  qsrtErrNotReady       = 600,
  qsrtErrUnknown        = 999
} qsrtResult_t;

typedef struct qsrtQueueRec  *qsrtQueue_t;
typedef struct qsrtNotifyRec *qsrtNotify_t;

/* device */
qsrtResult_t qsrtGetDeviceNum(unsigned int *num);
qsrtResult_t qsrtSelectDevice(int ordinal);
qsrtResult_t qsrtGetCurrentDevice(int *ordinal);
qsrtResult_t qsrtDeviceWaitIdle(void);

/* memory. All three copies take the source first! */
qsrtResult_t qsrtDeviceAlloc(size_t bytes, void **dptr);
qsrtResult_t qsrtDeviceFree(void *dptr);
qsrtResult_t qsrtPinnedAlloc(size_t bytes, void **hptr);
qsrtResult_t qsrtPinnedFree(void *hptr);
qsrtResult_t qsrtCopyH2D(const void *hsrc, void *ddst, size_t bytes, qsrtQueue_t queue);
qsrtResult_t qsrtCopyD2H(const void *dsrc, void *hdst, size_t bytes, qsrtQueue_t queue);
qsrtResult_t qsrtCopyD2D(const void *dsrc, void *ddst, size_t bytes, qsrtQueue_t queue);
qsrtResult_t qsrtFillBytes(void *dptr, unsigned char value, size_t bytes, qsrtQueue_t queue);
qsrtResult_t qsrtMemoryUsage(size_t *used, size_t *total);

/* queues */
qsrtResult_t qsrtQueueCreate(qsrtQueue_t *queue, unsigned int flags);
qsrtResult_t qsrtQueueDestroy(qsrtQueue_t queue);
qsrtResult_t qsrtQueueWait(qsrtQueue_t queue);

/* notifies (events) */
qsrtResult_t qsrtNotifyCreate(qsrtNotify_t *notify);
qsrtResult_t qsrtNotifyDestroy(qsrtNotify_t notify);
qsrtResult_t qsrtNotifyPlace(qsrtNotify_t notify, qsrtQueue_t queue);
qsrtResult_t qsrtNotifyWait(qsrtNotify_t notify);
qsrtResult_t qsrtNotifyElapsed(qsrtNotify_t start, qsrtNotify_t end, float *usec);

const char *qsrtResultName(qsrtResult_t result);

#if defined(__cplusplus)
}
#endif
#endif
