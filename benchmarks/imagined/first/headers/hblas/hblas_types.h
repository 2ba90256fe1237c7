#pragma once
#include <stdint.h>
#include <stddef.h>

typedef struct hbContext_st *hbHandle;
typedef struct hbQueue_st   *hbQueue;
typedef struct hbMarker_st  *hbMarker;

typedef struct { float x, y; } hbComplex;
typedef struct { double x, y; } hbDoubleComplex;
typedef uint16_t hbHalf;
typedef uint16_t hbBf16;

typedef enum {
    HB_OK = 0,
    HB_NOT_INITIALIZED = 1,
    HB_ALLOC_FAILED = 2,
    HB_INVALID_VALUE = 3,
    HB_ARCH_MISMATCH = 4,
    HB_EXECUTION_FAILED = 5,
    HB_NOT_SUPPORTED = 6
} hbResult;

typedef enum { HB_OP_N = 'N', HB_OP_T = 'T', HB_OP_C = 'C' } hbOp;
typedef enum { HB_LOWER = 'L', HB_UPPER = 'U' } hbFill;
typedef enum { HB_UNIT = 'U', HB_NON_UNIT = 'N' } hbDiag;
typedef enum { HB_LEFT = 'L', HB_RIGHT = 'R' } hbSide;
typedef enum { HB_PTR_HOST = 0, HB_PTR_DEVICE = 1 } hbPointerMode;
typedef enum { HB_R_32F = 0, HB_R_16F = 1, HB_R_16BF = 2, HB_R_8I = 3, HB_R_32I = 4, HB_R_64F = 5 } hbDataType;
