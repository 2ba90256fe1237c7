/* SPDX-License-Identifier: MIT
 *
 * Larch Compute - buffers, ports and kernels of the LC300 family
 * Copyright 2024 Larch Devices SAS
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software [...]
 */
#if !defined(LARCH_COMPUTE_H)
#define LARCH_COMPUTE_H

#include <stdint.h>
#include <stdlib.h>

#define LC_MAKE_VERSION(a, b) (((a) << 16) | (b))
#define LC_API_VERSION LC_MAKE_VERSION(1, 7)

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct LcAdapter_T *LcAdapter;
typedef struct LcBin_T *LcBin;        /* memory of an adapter; has no address, only offsets */
typedef struct LcPort_T *LcPort;      /* takes commands, in order */
typedef struct LcFlag_T *LcFlag;

typedef enum LcOutcome {
    LC_OUTCOME_OK = 0,
    LC_OUTCOME_NOT_READY = 1,
    LC_OUTCOME_ERROR_HOST_MEMORY = -1,
    LC_OUTCOME_ERROR_ADAPTER_MEMORY = -2,
    LC_OUTCOME_ERROR_ADAPTER_LOST = -3,
    LC_OUTCOME_ERROR_BAD_OFFSET = -4,       /* not a multiple of 16 bytes, or beyond the bin */
    LC_OUTCOME_ERROR_BAD_TYPE = -5,
    LC_OUTCOME_ERROR_BAD_SHAPE = -6
} LcOutcome;

typedef enum LcType { LC_TYPE_FLOAT = 0, LC_TYPE_HALF = 1, LC_TYPE_INT32 = 2, LC_TYPE_INT8 = 3, LC_TYPE_BOOL8 = 4, LC_TYPE_INT64 = 5 } LcType;

typedef struct LcAdapterInfo {
    char name[128];
    uint32_t vendorId;
    uint64_t binBytes;
    uint32_t engines;
} LcAdapterInfo;

/* --------------------------------------------------------------- adapters, bins, ports, flags */
LcOutcome LcEnumerateAdapters(uint32_t *count, LcAdapter *adapters);
LcOutcome LcGetAdapterInfo(LcAdapter adapter, LcAdapterInfo *info);
LcOutcome LcAdapterIdle(LcAdapter adapter);
const char *LcOutcomeName(LcOutcome outcome);

LcOutcome LcCreateBin(LcAdapter adapter, uint64_t bytes, uint32_t usage, LcBin *bin);
void LcDestroyBin(LcBin bin);
LcOutcome LcMapBin(LcBin bin, uint64_t offset, uint64_t bytes, void **host);
void LcUnmapBin(LcBin bin);

LcOutcome LcCreatePort(LcAdapter adapter, uint32_t priority, LcPort *port);
void LcDestroyPort(LcPort port);
LcOutcome LcFlushPort(LcPort port);                               /* hands the commands over, does not wait */
LcOutcome LcWaitPort(LcPort port, uint64_t timeoutNs);
LcOutcome LcCmdUpload(LcPort port, LcBin dst, uint64_t dstOffset, const void *src, uint64_t bytes);
LcOutcome LcCmdDownload(LcPort port, void *dst, LcBin src, uint64_t srcOffset, uint64_t bytes);
LcOutcome LcCmdCopyBin(LcPort port, LcBin dst, uint64_t dstOffset, LcBin src, uint64_t srcOffset, uint64_t bytes);
LcOutcome LcCmdFillBin(LcPort port, LcBin dst, uint64_t dstOffset, uint64_t bytes, uint8_t value);

LcOutcome LcCreateFlag(LcAdapter adapter, LcFlag *flag);
void LcDestroyFlag(LcFlag flag);
LcOutcome LcCmdRaiseFlag(LcPort port, LcFlag flag);
LcOutcome LcCmdHoldForFlag(LcPort port, LcFlag flag);
LcOutcome LcWaitFlag(LcFlag flag, uint64_t timeoutNs);
LcOutcome LcFlagStatus(LcFlag flag);

/* --------------------------------------------------------------- kernels
 * Offsets are in BYTES. Counts are in elements. The result comes right after the port.
 * All operands of a command have the type `type` unless another one is named.
 */
LcOutcome LcCmdVecAdd(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecSub(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecMul(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecDiv(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecMax(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecMin(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
/* y = a * b + c */
LcOutcome LcCmdVecMad(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, LcBin c, uint64_t cOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecAddNumber(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, double number, uint32_t count, LcType type);
LcOutcome LcCmdVecMulNumber(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, double number, uint32_t count, LcType type);
LcOutcome LcCmdVecPowNumber(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, double exponent, uint32_t count, LcType type);
LcOutcome LcCmdVecClamp(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, double lo, double hi, uint32_t count, LcType type);

LcOutcome LcCmdVecExp(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecExp2(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecLog2(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecSqrt(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecRcp(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecRsq(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecSin(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecCos(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecTan(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecAbs(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecFloor(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
/* fractional part: x - floor(x) */
LcOutcome LcCmdVecFract(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
/* 1 / (1 + exp(-x)) */
LcOutcome LcCmdVecSigm(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecTanh(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecRelu(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecGeluErf(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecNot(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);       /* one's complement, integers only */
LcOutcome LcCmdVecAnd(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);  /* bit by bit */
LcOutcome LcCmdVecOr(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);

LcOutcome LcCmdVecConvert(LcPort port, LcBin y, uint64_t yOffset, LcType yType, LcBin x, uint64_t xOffset, LcType xType, uint32_t count);
LcOutcome LcCmdVecGreater(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type); /* y is BOOL8 */
LcOutcome LcCmdVecEqual(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdVecBlend(LcPort port, LcBin y, uint64_t yOffset, LcBin sel, uint64_t selOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type); /* sel ? a : b, sel is BOOL8 */

/* rows of a dense matrix with `rows` rows of `width` elements: one result per row */
LcOutcome LcCmdRowSum(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t width, LcType type);
LcOutcome LcCmdRowMean(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t width, LcType type);
LcOutcome LcCmdRowMax(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t width, LcType type);
LcOutcome LcCmdRowMaxPos(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t width, LcType type);   /* y is INT32 */
LcOutcome LcCmdRowSoftmax(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t width, LcType type);
LcOutcome LcCmdRowLayerNorm(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, LcBin g, uint64_t gOffset, LcBin b, uint64_t bOffset, uint32_t rows, uint32_t width, float eps, LcType type);
LcOutcome LcCmdRowPrefix(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t width, LcType type);    /* running sum along each row */

/* the whole vector; y is one element */
LcOutcome LcCmdDot(LcPort port, LcBin y, uint64_t yOffset, LcBin a, uint64_t aOffset, LcBin b, uint64_t bOffset, uint32_t count, LcType type);
LcOutcome LcCmdAbsSum(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);  /* sum of |x| */
LcOutcome LcCmdNrm2(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t count, LcType type);

/* C (m x n) = alpha * A (m x k) * B (k x n) + beta * C, row-major; the flags transpose what is stored */
LcOutcome LcCmdGemm(LcPort port, LcBin C, uint64_t COffset, uint32_t ldc, LcBin A, uint64_t AOffset, uint32_t lda, uint32_t flipA, LcBin B, uint64_t BOffset, uint32_t ldb, uint32_t flipB, uint32_t m, uint32_t n, uint32_t k, float alpha, float beta, LcType type);
LcOutcome LcCmdGemv(LcPort port, LcBin y, uint64_t yOffset, LcBin A, uint64_t AOffset, uint32_t lda, uint32_t flipA, LcBin x, uint64_t xOffset, uint32_t m, uint32_t n, float alpha, float beta, LcType type);
LcOutcome LcCmdFlip2D(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, uint32_t rows, uint32_t cols, LcType type);   /* matrix transpose, out of place */
/* takes rows of x, `take` of them, at the INT32 of idx */
LcOutcome LcCmdGatherRows(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, LcBin idx, uint64_t idxOffset, uint32_t take, uint32_t width, LcType type);

/* --------------------------------------------------------------- fused and 8 bit */
LcOutcome LcCmdGemmBiasRelu(LcPort port, LcBin C, uint64_t COffset, LcBin A, uint64_t AOffset, LcBin B, uint64_t BOffset, LcBin bias, uint64_t biasOffset, uint32_t m, uint32_t n, uint32_t k, LcType type);
LcOutcome LcCmdGemmS8(LcPort port, LcBin C, uint64_t COffset, LcBin A, uint64_t AOffset, LcBin B, uint64_t BOffset, LcBin scales, uint64_t scalesOffset, uint32_t m, uint32_t n, uint32_t k);
LcOutcome LcCmdDequantize(LcPort port, LcBin y, uint64_t yOffset, LcBin x, uint64_t xOffset, float scale, int32_t zero, uint32_t count);
LcOutcome LcCmdRandomUniform(LcPort port, LcBin y, uint64_t yOffset, uint64_t seed, uint32_t count);
LcOutcome LcCmdRelu_(LcPort port, LcBin x, uint64_t xOffset, uint32_t count, LcType type); /* in place; superseded by LcCmdVecRelu */

#if defined(__cplusplus)
}
#endif
#endif
