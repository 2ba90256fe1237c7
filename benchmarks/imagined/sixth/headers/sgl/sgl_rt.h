#ifndef SGL_RT_H_INCLUDED
#define SGL_RT_H_INCLUDED

#include "sgl_defs.h"

#define sglMemAlloc sglMemAlloc_v2
#define sglStreamCreate sglStreamCreate_v3

SGL_API(sglStatus) sglInitialize (unsigned int flags);
SGL_API(sglStatus) sglShutdown (void);
SGL_API(const char *) sglStatusText (sglStatus status);

SGL_API(sglStatus) sglDeviceGetCount (int *count);
SGL_API(sglStatus) sglDeviceSet (int device);
SGL_API(sglStatus) sglDeviceGet (int *device);
SGL_API(sglStatus) sglDeviceSync (void);
SGL_API(sglStatus) sglDeviceGetName (int device, char *name, size_t len);

SGL_API(sglStatus) sglMemAlloc_v2 (void **devPtr, size_t count, size_t elemSize);
SGL_API(sglStatus) sglMemFree (void *devPtr);
SGL_API(sglStatus) sglMemAllocHost (void **hostPtr, size_t bytes);
SGL_API(sglStatus) sglMemFreeHost (void *hostPtr);
SGL_API(sglStatus) sglMemCopy (void *dst, const void *src, size_t count, size_t elemSize, sglCopyDir dir);
SGL_API(sglStatus) sglMemCopyAsync (void *dst, const void *src, size_t count, size_t elemSize, sglCopyDir dir, sglStream stream);
SGL_API(sglStatus) sglMemSet (void *devPtr, int value, size_t bytes);
SGL_API(sglStatus) sglMemInfo (size_t *freeBytes, size_t *totalBytes);

SGL_API(sglStatus) sglStreamCreate_v3 (sglStream *stream, unsigned int flags);
SGL_API(sglStatus) sglStreamDestroy (sglStream stream);
SGL_API(sglStatus) sglStreamSync (sglStream stream);
SGL_API(sglStatus) sglStreamWaitEvent (sglStream stream, sglEvent event);

SGL_API(sglStatus) sglEventCreate (sglEvent *event);
SGL_API(sglStatus) sglEventDestroy (sglEvent event);
SGL_API(sglStatus) sglEventRecord (sglEvent event, sglStream stream);
SGL_API(sglStatus) sglEventSync (sglEvent event);
SGL_API(sglStatus) sglEventElapsed (float *ms, sglEvent start, sglEvent stop);

#endif
