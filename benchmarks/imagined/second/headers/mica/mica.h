//==============================================================================
//  Mica AI Runtime - interface of a backend
//  An imagined vendor's header.
//
//  backend -> device -> context -> graph; nodes are added by the name of their
//  type, the graph is finalized and executed. Contexts may be kept as binaries.
//==============================================================================
#ifndef MICA_H
#define MICA_H

#include "mica_types.h"

#ifndef MICA_API
#define MICA_API __attribute__((__visibility__("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*Mica_NotifyFn_t)(void *notifyParam, Mica_Error_t status);
typedef void (*MicaLog_Callback_t)(const char *fmt, int level, uint64_t timestamp, void *args);

//--- backend and device -------------------------------------------------------
MICA_API Mica_Error_t MicaBackend_create(MicaLog_Callback_t log, const void **config, Mica_BackendHandle_t *backend);
MICA_API Mica_Error_t MicaBackend_free(Mica_BackendHandle_t backend);
MICA_API Mica_Error_t MicaBackend_getApiVersion(uint32_t *major, uint32_t *minor, uint32_t *patch);
MICA_API Mica_Error_t MicaBackend_registerOpPackage(Mica_BackendHandle_t backend, const char *packagePath, const char *interfaceProvider, const char *target);
MICA_API Mica_Error_t MicaBackend_validateOpConfig(Mica_BackendHandle_t backend, Mica_OpConfig_t opConfig);
MICA_API Mica_Error_t MicaDevice_getPlatformInfo(uint32_t *numDevices);
MICA_API Mica_Error_t MicaDevice_create(uint32_t deviceId, const void **config, Mica_DeviceHandle_t *device);
MICA_API Mica_Error_t MicaDevice_setPerfMode(Mica_DeviceHandle_t device, int mode);
MICA_API Mica_Error_t MicaDevice_free(Mica_DeviceHandle_t device);

//--- context --------------------------------------------------------------------
MICA_API Mica_Error_t MicaContext_create(Mica_BackendHandle_t backend, Mica_DeviceHandle_t device, const void **config, Mica_ContextHandle_t *context);
MICA_API Mica_Error_t MicaContext_createFromBinary(Mica_BackendHandle_t backend, Mica_DeviceHandle_t device, const void *binaryBuffer, uint64_t binaryBufferSize, Mica_ContextHandle_t *context, Mica_ProfileHandle_t profile);
MICA_API Mica_Error_t MicaContext_getBinarySize(Mica_ContextHandle_t context, uint64_t *binaryBufferSize);
MICA_API Mica_Error_t MicaContext_getBinary(Mica_ContextHandle_t context, void *binaryBuffer, uint64_t binaryBufferSize, uint64_t *writtenBufferSize);
MICA_API Mica_Error_t MicaContext_free(Mica_ContextHandle_t context, Mica_ProfileHandle_t profile);

//--- memory shared with the application -------------------------------------------
MICA_API void *MicaMem_alloc(size_t bytes, uint32_t alignment, int heapId);
MICA_API void MicaMem_free(void *ptr);
MICA_API int MicaMem_toFd(void *ptr);
MICA_API Mica_Error_t MicaMem_register(Mica_ContextHandle_t context, int fd, const uint32_t *dims, uint32_t rank, Mica_DataType_t dataType, Mica_MemHandle_t *memHandle);
MICA_API Mica_Error_t MicaMem_deRegister(const Mica_MemHandle_t *memHandles, uint32_t numHandles);

//--- graph --------------------------------------------------------------------------
MICA_API Mica_Error_t MicaGraph_create(Mica_ContextHandle_t context, const char *graphName, const void **config, Mica_GraphHandle_t *graphHandle);
MICA_API Mica_Error_t MicaGraph_addNode(Mica_GraphHandle_t graphHandle, Mica_OpConfig_t opConfig);
MICA_API Mica_Error_t MicaGraph_finalize(Mica_GraphHandle_t graphHandle, Mica_ProfileHandle_t profile);
MICA_API Mica_Error_t MicaGraph_retrieve(Mica_ContextHandle_t context, const char *graphName, Mica_GraphHandle_t *graphHandle);
MICA_API Mica_Error_t MicaGraph_execute(Mica_GraphHandle_t graphHandle, const Mica_Tensor_t *inputs, uint32_t numInputs, Mica_Tensor_t *outputs, uint32_t numOutputs, Mica_ProfileHandle_t profile);
MICA_API Mica_Error_t MicaGraph_executeAsync(Mica_GraphHandle_t graphHandle, const Mica_Tensor_t *inputs, uint32_t numInputs, Mica_Tensor_t *outputs, uint32_t numOutputs, Mica_NotifyFn_t notifyFn, void *notifyParam);
MICA_API Mica_Error_t MicaGraph_setPriority(Mica_GraphHandle_t graphHandle, int priority);
MICA_API Mica_Error_t MicaTensor_createContextTensor(Mica_ContextHandle_t context, Mica_Tensor_t *tensor);
MICA_API Mica_Error_t MicaTensor_createGraphTensor(Mica_GraphHandle_t graph, Mica_Tensor_t *tensor);
MICA_API Mica_Error_t MicaTensor_updateQuantization(Mica_Tensor_t *tensor, float scale, int32_t offset);

//--- profile, errors ------------------------------------------------------------------
MICA_API Mica_Error_t MicaProfile_create(Mica_BackendHandle_t backend, int level, Mica_ProfileHandle_t *profile);
MICA_API Mica_Error_t MicaProfile_getEvents(Mica_ProfileHandle_t profile, const uint64_t **profileEventIds, uint32_t *numEvents);
MICA_API Mica_Error_t MicaProfile_free(Mica_ProfileHandle_t profile);
MICA_API const char *MicaError_getMessage(Mica_Error_t error);

//--- pre and post processing on the CPU -------------------------------------------------
MICA_API Mica_Error_t MicaPre_resizeNormalize(const uint8_t *rgb, int srcW, int srcH, int srcStride, float *dst, int dstW, int dstH, const float mean[3], const float stdv[3]);
MICA_API Mica_Error_t MicaPre_nv21ToRgb(const uint8_t *nv21, int w, int h, uint8_t *rgb);
MICA_API Mica_Error_t MicaPre_floatToTfN(uint8_t *out, int32_t offset, float scale, const float *in, size_t numElements);
MICA_API Mica_Error_t MicaPost_tfNToFloat(float *out, const uint8_t *in, int32_t offset, float scale, size_t numElements);
MICA_API Mica_Error_t MicaPost_nms(const float *boxes, const float *scores, int n, float iouThreshold, int *keep, int *numKeep);
MICA_API Mica_Error_t MicaPost_decodeYolo(const float *feat, int gridW, int gridH, int anchors, int classes, float *boxes, int maxBoxes, int *numBoxes);

#ifdef __cplusplus
}
#endif
#endif
