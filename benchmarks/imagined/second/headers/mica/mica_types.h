//==============================================================================
//  Mica AI Runtime - common types
//  An imagined vendor's header.
//==============================================================================
#ifndef MICA_TYPES_H
#define MICA_TYPES_H

#include <stdint.h>
#include <stddef.h>

typedef uint64_t Mica_Error_t;
#define MICA_SUCCESS              ((Mica_Error_t)0)
#define MICA_ERROR_INVALID_HANDLE ((Mica_Error_t)1000)
#define MICA_ERROR_MEM_ALLOC      ((Mica_Error_t)1002)
#define MICA_ERROR_UNSUPPORTED    ((Mica_Error_t)1004)

typedef void *Mica_BackendHandle_t;
typedef void *Mica_DeviceHandle_t;
typedef void *Mica_ContextHandle_t;
typedef void *Mica_GraphHandle_t;
typedef void *Mica_ProfileHandle_t;
typedef void *Mica_MemHandle_t;

typedef enum {
  MICA_DATATYPE_FLOAT_32 = 0x0232,
  MICA_DATATYPE_FLOAT_16 = 0x0216,
  MICA_DATATYPE_UFIXED_8 = 0x0408,
  MICA_DATATYPE_SFIXED_8 = 0x0308,
  MICA_DATATYPE_INT_32 = 0x0032,
  MICA_DATATYPE_UNDEFINED = 0x7FFFFFFF
} Mica_DataType_t;

typedef enum { MICA_TENSOR_APP_WRITE, MICA_TENSOR_APP_READ, MICA_TENSOR_NATIVE, MICA_TENSOR_STATIC, MICA_TENSOR_NULL } Mica_TensorType_t;

typedef struct {
  int encoding;
  float scale;
  int32_t offset;
} Mica_QuantizeParams_t;

typedef struct {
  uint32_t id;
  const char *name;
  Mica_TensorType_t type;
  Mica_DataType_t dataType;
  Mica_QuantizeParams_t quantizeParams;
  uint32_t rank;
  uint32_t *dimensions;
  union {
    struct { void *data; uint32_t dataSize; } clientBuf;
    Mica_MemHandle_t memHandle;
  } mem;
} Mica_Tensor_t;

typedef struct {
  const char *name;
  int kind; /* 0 scalar, 1 tensor */
  union { float f; int32_t i; uint32_t u; Mica_Tensor_t *tensor; } value;
} Mica_Param_t;

typedef struct {
  const char *packageName;
  const char *typeName; /* "Conv2d", "ElementWiseAdd", "Softmax", ... see OpDef.xml */
  const char *name;
  uint32_t numOfParams;
  Mica_Param_t *params;
  uint32_t numOfInputs;
  Mica_Tensor_t *inputTensors;
  uint32_t numOfOutputs;
  Mica_Tensor_t *outputTensors;
} Mica_OpConfig_t;

#endif
