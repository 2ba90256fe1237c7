/* An imagined vendor's header. */
#ifndef VLRT_H_
#define VLRT_H_
#include <stddef.h>
#include <stdint.h>
#if defined(__cplusplus)
extern "C" {
#endif

typedef enum { VL_RT_SUCCESS = 0, VL_RT_ERROR_INVALID = 100001, VL_RT_ERROR_NO_MEMORY = 100002, VL_RT_ERROR_NOT_READY = 100003, VL_RT_ERROR_DEVICE = 100100 } vlRet_t;
typedef enum {
  VL_MEM_TRANS_DIR_HOST2DEV = 0,
  VL_MEM_TRANS_DIR_DEV2DEV,
  VL_MEM_TRANS_DIR_DEV2HOST,
  VL_MEM_TRANS_DIR_HOST2HOST,
} vlMemTransDir_t;
typedef struct vlQueue *vlQueue_t;
typedef struct vlNotifier *vlNotifier_t;
typedef int vlDev_t;

vlRet_t vlrtInit(unsigned int flags);
vlRet_t vlrtDestroy(void);
vlRet_t vlrtGetDeviceCount(unsigned int *num);
vlRet_t vlrtSetDevice(vlDev_t dev);
vlRet_t vlrtGetDevice(vlDev_t *dev);
vlRet_t vlrtMalloc(void **pDevPtr, size_t bytes);
vlRet_t vlrtFree(void *devPtr);
vlRet_t vlrtMallocHost(void **pHostPtr, size_t bytes);
vlRet_t vlrtFreeHost(void *hostPtr);
vlRet_t vlrtMemcpy(void *dst, void *src, size_t bytes, vlMemTransDir_t dir);
vlRet_t vlrtMemcpyAsync(void *dst, void *src, size_t bytes, vlQueue_t queue, vlMemTransDir_t dir);
vlRet_t vlrtMemset(void *dst, int c, size_t bytes);
vlRet_t vlrtMemGetInfo(size_t *free_bytes, size_t *total_bytes);
vlRet_t vlrtQueueCreate(vlQueue_t *queue);
vlRet_t vlrtQueueDestroy(vlQueue_t queue);
vlRet_t vlrtQueueSync(vlQueue_t queue);
vlRet_t vlrtQueueQuery(vlQueue_t queue);
vlRet_t vlrtQueueWaitNotifier(vlNotifier_t notifier, vlQueue_t queue, unsigned int flags);
vlRet_t vlrtNotifierCreate(vlNotifier_t *notifier);
vlRet_t vlrtNotifierDestroy(vlNotifier_t notifier);
vlRet_t vlrtPlaceNotifier(vlNotifier_t notifier, vlQueue_t queue);
vlRet_t vlrtWaitNotifier(vlNotifier_t notifier);
vlRet_t vlrtNotifierElapsedTime(vlNotifier_t start, vlNotifier_t end, float *us);
vlRet_t vlrtSyncDevice(void);
const char *vlrtGetErrorStr(vlRet_t ret);
#if defined(__cplusplus)
}
#endif
#endif
