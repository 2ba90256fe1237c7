/*
 * Copyright (c) 2021-2025, Kunyuan Intelligent Technology. All rights reserved.
 */
#ifndef KYBLAS_TYPES_H
#define KYBLAS_TYPES_H

#include <stdint.h>

typedef struct kyStreamOpaque *kyStream_t;          /* from ky_runtime */
typedef struct kyblasOpaqueContext *kyblasHandle_t;

typedef uint16_t kyHalf;
typedef uint16_t kyBfloat16;
typedef struct { float x, y; } kyFloatComplex;

typedef enum {
    KYBLAS_STATUS_OK              = 0,
    KYBLAS_STATUS_INVALID_HANDLE  = 1,
    KYBLAS_STATUS_INVALID_VALUE   = 2,
    KYBLAS_STATUS_INVALID_POINTER = 3,
    KYBLAS_STATUS_MEMORY_ERROR    = 4,
    KYBLAS_STATUS_NOT_IMPLEMENTED = 5,
    KYBLAS_STATUS_INTERNAL_ERROR  = 6
} kyblasStatus_t;

typedef enum { KYBLAS_NO_TRANS = 111, KYBLAS_TRANS = 112, KYBLAS_CONJ_TRANS = 113 } kyblasTranspose_t;
typedef enum { KYBLAS_UPPER = 121, KYBLAS_LOWER = 122 } kyblasFill_t;
typedef enum { KYBLAS_NON_UNIT = 131, KYBLAS_UNIT = 132 } kyblasDiag_t;
typedef enum { KYBLAS_LEFT = 141, KYBLAS_RIGHT = 142 } kyblasSide_t;
typedef enum { KYBLAS_SCALARS_HOST = 0, KYBLAS_SCALARS_DEVICE = 1 } kyblasScalarMode_t;
typedef enum { KY_R_16F = 2, KY_R_32F = 0, KY_R_64F = 1, KY_R_16BF = 14, KY_R_8I = 3, KY_R_32I = 10 } kyDataType_t;
typedef enum { KYBLAS_COMPUTE_32F = 0, KYBLAS_COMPUTE_32F_TF32 = 1, KYBLAS_COMPUTE_16F = 2, KYBLAS_COMPUTE_64F = 3 } kyblasCompute_t;

#endif
