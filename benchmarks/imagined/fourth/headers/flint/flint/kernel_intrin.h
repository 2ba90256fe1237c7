// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2023-2026 Flint Logic
//
// flint/kernel_intrin.h
// Intrinsics of the FL-3 vector core, for code that runs on the core (flcc -mcore=fl3). Host code can include
// this file only for the simulator, in which case FLINT_SIM has to be defined.
//
// Registers: fv16 (16 floats), iv16 (16 integers), hv32 (32 halfs), pm16 (predicate), acc (matrix accumulator).
// LM pointers are to the core's local memory of 256 KiB.

#ifndef FLINT_KERNEL_INTRIN_H
#define FLINT_KERNEL_INTRIN_H

#include <stdint.h>

#if defined(__FLINT_CORE__) && !defined(FLINT_SIM)
#define FL_INTRIN static inline __attribute__((always_inline))
#define FL_LM __attribute__((address_space(3)))
#else
#define FL_INTRIN extern
#define FL_LM
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef float   fv16 __attribute__((vector_size(64)));
typedef int32_t iv16 __attribute__((vector_size(64)));
typedef struct { uint16_t lane[32]; } hv32;
typedef uint16_t pm16;
typedef struct { float tile[16][16]; } fl_acc;

// ---- loads and stores -------------------------------------------------------------------------------
FL_INTRIN fv16 fl_ld(const FL_LM float *p);
FL_INTRIN fv16 fl_ld_masked(const FL_LM float *p, pm16 m);
FL_INTRIN fv16 fl_ld_strided(const FL_LM float *p, int32_t stride);
FL_INTRIN void fl_st(FL_LM float *p, fv16 v);
FL_INTRIN void fl_st_masked(FL_LM float *p, fv16 v, pm16 m);
FL_INTRIN fv16 fl_gather(const FL_LM float *base, iv16 index);
FL_INTRIN void fl_scatter(FL_LM float *base, iv16 index, fv16 v);
FL_INTRIN fv16 fl_splat(float x);
FL_INTRIN iv16 fl_iota(int32_t start);

// ---- arithmetic -------------------------------------------------------------------------------------
FL_INTRIN fv16 fl_add(fv16 a, fv16 b);
FL_INTRIN fv16 fl_sub(fv16 a, fv16 b);
FL_INTRIN fv16 fl_mul(fv16 a, fv16 b);
FL_INTRIN fv16 fl_fma(fv16 a, fv16 b, fv16 c);
FL_INTRIN fv16 fl_div(fv16 a, fv16 b);
FL_INTRIN fv16 fl_max(fv16 a, fv16 b);
FL_INTRIN fv16 fl_min(fv16 a, fv16 b);
FL_INTRIN fv16 fl_abs(fv16 a);
FL_INTRIN fv16 fl_neg(fv16 a);
FL_INTRIN fv16 fl_exp(fv16 a);
FL_INTRIN fv16 fl_exp2(fv16 a);
FL_INTRIN fv16 fl_log(fv16 a);
FL_INTRIN fv16 fl_sqrt(fv16 a);
FL_INTRIN fv16 fl_rsqrt(fv16 a);
FL_INTRIN fv16 fl_rcp(fv16 a);
FL_INTRIN fv16 fl_tanh(fv16 a);
FL_INTRIN fv16 fl_sigmoid(fv16 a);
FL_INTRIN fv16 fl_relu(fv16 a);
FL_INTRIN fv16 fl_floor(fv16 a);
FL_INTRIN iv16 fl_and(iv16 a, iv16 b);
FL_INTRIN iv16 fl_or(iv16 a, iv16 b);
FL_INTRIN iv16 fl_xor(iv16 a, iv16 b);
FL_INTRIN iv16 fl_shl(iv16 a, int32_t bits);
FL_INTRIN pm16 fl_cmp_lt(fv16 a, fv16 b);
FL_INTRIN pm16 fl_cmp_eq(fv16 a, fv16 b);
FL_INTRIN fv16 fl_select(pm16 m, fv16 a, fv16 b);

// ---- across lanes -----------------------------------------------------------------------------------
FL_INTRIN float fl_reduce_add(fv16 a);
FL_INTRIN float fl_reduce_max(fv16 a);
FL_INTRIN fv16  fl_prefix_add(fv16 a);
FL_INTRIN fv16  fl_permute(fv16 a, iv16 lanes);
FL_INTRIN fv16  fl_rotate(fv16 a, int32_t lanes);

// ---- conversions ------------------------------------------------------------------------------------
FL_INTRIN iv16 fl_cvt_f32_i32(fv16 a);
FL_INTRIN fv16 fl_cvt_i32_f32(iv16 a);
FL_INTRIN hv32 fl_cvt_2f32_f16(fv16 lo, fv16 hi);

// ---- matrix unit ------------------------------------------------------------------------------------
FL_INTRIN void fl_acc_zero(fl_acc *c);
FL_INTRIN void fl_acc_outer(fl_acc *c, fv16 a, fv16 b);
FL_INTRIN void fl_acc_matmul(fl_acc *c, const FL_LM uint16_t *a, const FL_LM uint16_t *b, int32_t k);
FL_INTRIN void fl_acc_store(FL_LM float *p, const fl_acc *c, int32_t pitch);

// ---- movers and synchronisation ---------------------------------------------------------------------
FL_INTRIN void fl_dma_in(FL_LM void *dst, uint64_t src, uint32_t bytes, uint32_t tag);
FL_INTRIN void fl_dma_out(uint64_t dst, const FL_LM void *src, uint32_t bytes, uint32_t tag);
FL_INTRIN void fl_dma_wait(uint32_t tag);
FL_INTRIN void fl_barrier(void);
FL_INTRIN uint32_t fl_core_id(void);
FL_INTRIN uint32_t fl_num_cores(void);
FL_INTRIN uint64_t fl_clock(void);

#ifdef __cplusplus
}
#endif

#endif // FLINT_KERNEL_INTRIN_H
