/*
 * An imagined vendor's header.
 * CXDNN - primitives for deep neural networks on CX-series accelerators.
 */
#ifndef CVDNN_TYPES_H_
#define CVDNN_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#define CVDNN_MAX_RANK 8

typedef enum {
  CVDNN_OK = 0,
  CVDNN_NOT_INITIALIZED = 1,
  CVDNN_BAD_PARAM = 2,
  CVDNN_ARCH_MISMATCH = 3,
  CVDNN_ALLOC_FAILED = 4,
  CVDNN_EXECUTION_FAILED = 5,
  CVDNN_NOT_SUPPORTED = 9
} cvdnnResult_t;

typedef enum {
  CVDNN_FLOAT = 0,
  CVDNN_HALF = 1,
  CVDNN_BFLOAT16 = 2,
  CVDNN_INT8 = 3,
  CVDNN_INT32 = 4,
  CVDNN_INT64 = 5,
  CVDNN_BOOL = 6
} cvdnnElem_t;

typedef enum { CVDNN_NCHW = 0, CVDNN_NHWC = 1, CVDNN_STRIDED = 2 } cvdnnOrder_t;
typedef enum { CVDNN_ACT_RELU = 0, CVDNN_ACT_SIGMOID, CVDNN_ACT_TANH, CVDNN_ACT_CLIP, CVDNN_ACT_ELU, CVDNN_ACT_SILU } cvdnnActMode_t;
typedef enum { CVDNN_POOL_MAX = 0, CVDNN_POOL_AVG_INCL, CVDNN_POOL_AVG_EXCL } cvdnnPoolMode_t;
typedef enum { CVDNN_RED_SUM = 0, CVDNN_RED_MEAN, CVDNN_RED_MAX, CVDNN_RED_MIN, CVDNN_RED_PROD } cvdnnReduceMode_t;
typedef enum { CVDNN_NORM_SPATIAL = 0, CVDNN_NORM_PER_ACT } cvdnnNormMode_t;
typedef enum { CVDNN_CONV_ALG_AUTO = -1, CVDNN_CONV_ALG_DIRECT, CVDNN_CONV_ALG_GEMM, CVDNN_CONV_ALG_WINO } cvdnnConvAlg_t;

struct cvdnnContext;
struct cvdnnTensorCard;
struct cvdnnConvCard;
struct cvdnnPoolCard;
struct cvdnnActCard;
struct cvdnnReduceCard;
struct cxStreamSt;

typedef struct cvdnnContext*    cvdnnHandle_t;
typedef struct cvdnnTensorCard* cvdnnTensorCard_t;
typedef struct cvdnnConvCard*   cvdnnConvCard_t;
typedef struct cvdnnPoolCard*   cvdnnPoolCard_t;
typedef struct cvdnnActCard*    cvdnnActCard_t;
typedef struct cvdnnReduceCard* cvdnnReduceCard_t;
typedef struct cxStreamSt*      cxStream_t;

#endif
