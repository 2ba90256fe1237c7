/*
 * Copyright (c) Vertane Compute Co., Ltd. 2021-2025. All rights reserved.
 * Licensed under the Vertane Software License 1.2 (see LICENSE in the root of the SDK).
 *
 * vtn_rt.h - host runtime of the VT300 / VT500 accelerators
 */
#ifndef VTN_RT_H_
#define VTN_RT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VTN_RT_MAJOR_VERSION 5
#define VTN_RT_MINOR_VERSION 1
#define VTN_RT_PATCH_VERSION 0

#if defined(_MSC_VER)
#define VTN_API __declspec(dllexport)
#else
#define VTN_API __attribute__((visibility("default")))
#endif

typedef int32_t VtnError;

static const int VTN_SUCCESS = 0;
static const int VTN_ERROR_INVALID_PARAM = 100000;
static const int VTN_ERROR_UNINITIALIZE = 100001;   /* VtnrtInit was not called */
static const int VTN_ERROR_BAD_ALLOC = 200000;
static const int VTN_ERROR_STREAM_NOT_COMPLETE = 207010;
static const int VTN_ERROR_RT_FAILURE = 500002;

typedef void *VtnrtStream;
typedef void *VtnrtEvent;

typedef enum VtnrtMemPolicy {
    VTN_MEM_HUGE_FIRST = 0,
    VTN_MEM_HUGE_ONLY,
    VTN_MEM_NORMAL_ONLY,
} VtnrtMemPolicy;

typedef enum VtnrtCopyKind {
    VTN_COPY_HOST_TO_HOST = 0,
    VTN_COPY_HOST_TO_DEVICE = 1,
    VTN_COPY_DEVICE_TO_HOST = 2,
    VTN_COPY_DEVICE_TO_DEVICE = 3,
} VtnrtCopyKind;

/**
 * @ingroup RT
 * @brief   initialise the runtime
 *
 * @param configPath [IN]  path of a json file, may be NULL
 * @retval VTN_SUCCESS The function is successfully executed.
 * @retval OtherValues Failure
 */
VTN_API VtnError VtnrtInit(const char *configPath);

/** @ingroup RT @brief  release everything, call once per process */
VTN_API VtnError VtnrtFinalize(void);

/**
 * @ingroup RT
 * @brief   text of the last failure in this thread, never NULL
 */
VTN_API const char *VtnrtGetRecentErrMsg(void);

VTN_API VtnError VtnrtGetDeviceCount(uint32_t *count);
VTN_API VtnError VtnrtSetDevice(int32_t deviceId);
VTN_API VtnError VtnrtResetDevice(int32_t deviceId);
VTN_API VtnError VtnrtGetDevice(int32_t *deviceId);

/** @brief wait until every task of the current device is done */
VTN_API VtnError VtnrtSynchronizeDevice(void);

/**
 * @ingroup RT
 * @brief   alloc memory on device
 *
 * @param devPtr [OUT]  pointer to the pointer of the memory
 * @param size   [IN]   bytes, aligned upward to 32 plus 32
 * @param policy [IN]   page policy
 */
VTN_API VtnError VtnrtMalloc(void **devPtr, size_t size, VtnrtMemPolicy policy);
VTN_API VtnError VtnrtFree(void *devPtr);
VTN_API VtnError VtnrtMallocHost(void **hostPtr, size_t size);
VTN_API VtnError VtnrtFreeHost(void *hostPtr);

/**
 * @ingroup RT
 * @brief   synchronous memory replication
 *
 * @param dst     [IN]  destination address
 * @param destMax [IN]  max length of the destination
 * @param src     [IN]  source address
 * @param count   [IN]  length of the bytes to copy
 * @param kind    [IN]  direction
 */
VTN_API VtnError VtnrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, VtnrtCopyKind kind);
VTN_API VtnError VtnrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                  VtnrtCopyKind kind, VtnrtStream stream);
VTN_API VtnError VtnrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);
VTN_API VtnError VtnrtGetMemInfo(size_t *free, size_t *total);

VTN_API VtnError VtnrtCreateStream(VtnrtStream *stream);
VTN_API VtnError VtnrtDestroyStream(VtnrtStream stream);
VTN_API VtnError VtnrtSynchronizeStream(VtnrtStream stream);

VTN_API VtnError VtnrtCreateEvent(VtnrtEvent *event);
VTN_API VtnError VtnrtDestroyEvent(VtnrtEvent event);
VTN_API VtnError VtnrtRecordEvent(VtnrtEvent event, VtnrtStream stream);
VTN_API VtnError VtnrtSynchronizeEvent(VtnrtEvent event);
VTN_API VtnError VtnrtStreamWaitEvent(VtnrtStream stream, VtnrtEvent event);

#ifdef __cplusplus
}
#endif
#endif /* VTN_RT_H_ */
