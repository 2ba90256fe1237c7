/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Osprey array functions.
 *
 * All functions are declared by the macros below for the types that the unit supports:
 *
 *     osp_<function>_<type>     type: f32 f16 b16 i32 u8
 *
 * Sources come before the result, then how many elements, then the perch the work is put on
 * (NULL: the default one). Pointers are to unit memory (osp_get), except where marked "host".
 */
#ifndef OSP_ARRAY_H
#define OSP_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include "osp_config.h"

#ifndef OSP_API
#define OSP_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct osp_perch *osp_perch_t;
typedef struct osp_ring  *osp_ring_t;

#define OSP_ERRORS(X) \
    X(OK,        0, "all went well")             \
    X(EARG,      1, "argument out of range")     \
    X(ENULL,     2, "pointer is null")           \
    X(ENOMEM,    3, "no unit memory")            \
    X(EALIGN,    4, "pointer is not aligned")    \
    X(ETYPE,     5, "type not supported on this unit") \
    X(EUNIT,    10, "unit does not answer")

typedef enum {
#define OSP_X(name, number, text) OSP_##name = number,
    OSP_ERRORS(OSP_X)
#undef OSP_X
    OSP_ERR_LAST_
} osp_err_t;

typedef uint16_t osp_f16;
typedef uint16_t osp_b16;

OSP_API const char *osp_err_name(osp_err_t e);
OSP_API osp_err_t osp_wake(void);
OSP_API osp_err_t osp_sleep(void);
OSP_API osp_err_t osp_units(int *n);
OSP_API osp_err_t osp_unit_set(int unit);
OSP_API osp_err_t osp_unit_get(int *unit);
OSP_API osp_err_t osp_get(void **mem, size_t bytes);
OSP_API osp_err_t osp_put_back(void *mem);
OSP_API osp_err_t osp_room(size_t *left, size_t *total);
OSP_API osp_err_t osp_to_unit(void *mem, const void *host, size_t bytes, osp_perch_t perch);
OSP_API osp_err_t osp_from_unit(void *host, const void *mem, size_t bytes, osp_perch_t perch);
OSP_API osp_err_t osp_on_unit(void *to, const void *from, size_t bytes, osp_perch_t perch);
OSP_API osp_err_t osp_bytes(void *mem, unsigned char value, size_t bytes, osp_perch_t perch);
OSP_API osp_err_t osp_perch_new(osp_perch_t *perch);
OSP_API osp_err_t osp_perch_del(osp_perch_t perch);
OSP_API osp_err_t osp_perch_rest(osp_perch_t perch);       /* wait until empty */
OSP_API osp_err_t osp_unit_rest(void);
OSP_API osp_err_t osp_ring_new(osp_ring_t *ring);
OSP_API osp_err_t osp_ring_put(osp_ring_t ring, osp_perch_t perch);
OSP_API osp_err_t osp_ring_wait(osp_ring_t ring);
OSP_API osp_err_t osp_ring_del(osp_ring_t ring);

/* ------------------------------------------------------------------ macros */

#define OSP_DECL_1(fn, tag, T) \
    OSP_API osp_err_t osp_##fn##_##tag(const T *from, T *to, size_t length, osp_perch_t perch);
#define OSP_DECL_2(fn, tag, T) \
    OSP_API osp_err_t osp_##fn##_##tag(const T *from1, const T *from2, T *to, size_t length, osp_perch_t perch);
#define OSP_DECL_2N(fn, tag, T) \
    OSP_API osp_err_t osp_##fn##_##tag(const T *from, T number, T *to, size_t length, osp_perch_t perch);
#define OSP_DECL_CMP(fn, tag, T) \
    OSP_API osp_err_t osp_##fn##_##tag(const T *from1, const T *from2, uint8_t *to, size_t length, osp_perch_t perch);
#define OSP_DECL_FOLD(fn, tag, T) \
    OSP_API osp_err_t osp_##fn##_##tag(const T *from, T *to, size_t before, size_t length, size_t after, osp_perch_t perch);

#define OSP_FLOATS(M, fn) M(fn, f32, float) M(fn, f16, osp_f16)
#define OSP_FLOAT1(M, fn) M(fn, f32, float)
#define OSP_INTS(M, fn)   M(fn, i32, int32_t)

#define DECLARE_UNARY(fn)      OSP_FLOATS(OSP_DECL_1, fn)
#define DECLARE_BINARY(fn)     OSP_FLOATS(OSP_DECL_2, fn)
#define DECLARE_BINARY_NUM(fn) OSP_FLOATS(OSP_DECL_2N, fn)
#define DECLARE_FOLD(fn)       OSP_FLOATS(OSP_DECL_FOLD, fn)

/* ------------------------------------------------------- one array to another */

DECLARE_UNARY(abs)
DECLARE_UNARY(neg)
DECLARE_UNARY(exp)
DECLARE_UNARY(log)
DECLARE_UNARY(sqrt)
DECLARE_UNARY(rsqrt)
DECLARE_UNARY(tanh)
DECLARE_UNARY(relu)
DECLARE_UNARY(sigmoid)
DECLARE_UNARY(silu)
/* the tanh approximation */
DECLARE_UNARY(gelu)
/* f32 only from here */
OSP_FLOAT1(OSP_DECL_1, expm1)
OSP_FLOAT1(OSP_DECL_1, log1p)
OSP_FLOAT1(OSP_DECL_1, log10)
OSP_FLOAT1(OSP_DECL_1, recip)
OSP_FLOAT1(OSP_DECL_1, sin)
OSP_FLOAT1(OSP_DECL_1, cos)
OSP_FLOAT1(OSP_DECL_1, atan)
OSP_FLOAT1(OSP_DECL_1, erf)
OSP_FLOAT1(OSP_DECL_1, floor)
OSP_FLOAT1(OSP_DECL_1, ceil)
OSP_FLOAT1(OSP_DECL_1, rint)     /* ties to even */
OSP_FLOAT1(OSP_DECL_1, trunc)
OSP_FLOAT1(OSP_DECL_1, sign)
OSP_FLOAT1(OSP_DECL_1, hard_swish)
OSP_FLOAT1(OSP_DECL_1, frac)     /* from - trunc(from) */
OSP_FLOAT1(OSP_DECL_1, rcp_est)  /* 12 bits */
OSP_INTS(OSP_DECL_1, abs)
OSP_INTS(OSP_DECL_1, neg)
OSP_INTS(OSP_DECL_1, complement)

/* ------------------------------------------------------- two arrays to another */

DECLARE_BINARY(add)
DECLARE_BINARY(sub)
DECLARE_BINARY(mul)
DECLARE_BINARY(div)
DECLARE_BINARY(max)
DECLARE_BINARY(min)
OSP_FLOAT1(OSP_DECL_2, pow)
OSP_FLOAT1(OSP_DECL_2, fmod)
OSP_FLOAT1(OSP_DECL_2, atan2)
OSP_FLOAT1(OSP_DECL_2, absdiff)
OSP_INTS(OSP_DECL_2, add)
OSP_INTS(OSP_DECL_2, sub)
OSP_INTS(OSP_DECL_2, mul)
OSP_INTS(OSP_DECL_2, and)
OSP_INTS(OSP_DECL_2, or)
OSP_INTS(OSP_DECL_2, xor)
OSP_DECL_2(add_sat, u8, uint8_t)
OSP_DECL_2(avg, u8, uint8_t)       /* (a + b + 1) / 2 */

DECLARE_BINARY_NUM(add_n)
DECLARE_BINARY_NUM(mul_n)
OSP_FLOAT1(OSP_DECL_2N, rsub_n)    /* number - from */
OSP_FLOAT1(OSP_DECL_2N, pow_n)
OSP_FLOAT1(OSP_DECL_2N, max_n)     /* no less than number */

OSP_FLOAT1(OSP_DECL_CMP, eq)
OSP_FLOAT1(OSP_DECL_CMP, ne)
OSP_FLOAT1(OSP_DECL_CMP, lt)
OSP_FLOAT1(OSP_DECL_CMP, le)
OSP_FLOAT1(OSP_DECL_CMP, gt)
OSP_FLOAT1(OSP_DECL_CMP, ge)

OSP_API osp_err_t osp_clamp_f32(const float *from, float lowest, float highest, float *to, size_t length, osp_perch_t perch);
OSP_API osp_err_t osp_lrelu_f32(const float *from, float slope, float *to, size_t length, osp_perch_t perch);
OSP_API osp_err_t osp_choose_f32(const uint8_t *which, const float *from1, const float *from2, float *to, size_t length, osp_perch_t perch);
/* to = from1 + number * from2 */
OSP_API osp_err_t osp_add_scaled_f32(const float *from1, const float *from2, float number, float *to, size_t length, osp_perch_t perch);
OSP_API osp_err_t osp_fill_f32(float number, float *to, size_t length, osp_perch_t perch);
OSP_API osp_err_t osp_fill_i32(int32_t number, int32_t *to, size_t length, osp_perch_t perch);

/* ------------------------------------------------------- folds
 * from is [before][length][after], to is [before][after]                    */

DECLARE_FOLD(sum)
DECLARE_FOLD(mean)
DECLARE_FOLD(fold_max)
DECLARE_FOLD(fold_min)
OSP_FLOAT1(OSP_DECL_FOLD, prod)
OSP_FLOAT1(OSP_DECL_FOLD, sumsq)
/* those of the same size as from */
DECLARE_FOLD(softmax)
DECLARE_FOLD(log_softmax)
OSP_FLOAT1(OSP_DECL_FOLD, cumsum)
OSP_FLOAT1(OSP_DECL_FOLD, cumprod)

OSP_API osp_err_t osp_argmax_f32(const float *from, int64_t *to, size_t before, size_t length, size_t after, osp_perch_t perch);
OSP_API osp_err_t osp_argmin_f32(const float *from, int64_t *to, size_t before, size_t length, size_t after, osp_perch_t perch);

/* ------------------------------------------------------- type to type */

#define OSP_DECL_CVT(a, A, b, B) \
    OSP_API osp_err_t osp_cvt_##a##_##b(const A *from, B *to, size_t length, osp_perch_t perch);
OSP_DECL_CVT(f32, float, f16, osp_f16)
OSP_DECL_CVT(f16, osp_f16, f32, float)
OSP_DECL_CVT(f32, float, b16, osp_b16)
OSP_DECL_CVT(b16, osp_b16, f32, float)
OSP_DECL_CVT(i32, int32_t, f32, float)
#undef OSP_DECL_CVT
OSP_API osp_err_t osp_quant_f32_i8(const float *from, float scale, int zero, int8_t *to, size_t length, osp_perch_t perch);

/* ------------------------------------------------------- tables and tiles */

#define OSP_DECL_TILE(tag, T) \
    OSP_API osp_err_t osp_mmul_##tag(const T *from1, const T *from2, T *to, size_t rows, size_t shared, size_t cols, osp_perch_t perch); \
    OSP_API osp_err_t osp_flip_##tag(const T *from, T *to, size_t rows, size_t cols, osp_perch_t perch);
OSP_DECL_TILE(f32, float)
OSP_DECL_TILE(f16, osp_f16)
#undef OSP_DECL_TILE

OSP_API osp_err_t osp_rows_f32(const float *table, const int64_t *rows, float *to, size_t row_length, size_t length, osp_perch_t perch);
OSP_API osp_err_t osp_crc32_u8(const uint8_t *from, size_t length, uint32_t *host, osp_perch_t perch);
OSP_API osp_err_t osp_philox_f32(float *to, uint64_t seed, uint64_t offset, size_t length, osp_perch_t perch);  /* [0, 1) */

#ifdef __cplusplus
}
#endif
#endif
