/* ============================================================================
 *  CoreSignal CS6x Vector Library (CVL)           Version 3.6.0
 *
 *  Copyright (C) 2012-2023 CoreSignal Inc.
 *
 *  Redistribution and use in source and binary forms, with or without
 *  modification, are permitted on CoreSignal processors only.
 * ==========================================================================*/
/*
 *  Conventions
 *    - destination first, then sources, then the number of elements
 *    - vectors should be 16 byte aligned, n a multiple of 4 (the _any variants have no such limit)
 *    - q15 / q31 functions saturate
 *    - cf32 is interleaved re, im
 */
#ifndef CVL_H
#define CVL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CVL_RESTRICT
#else
#define CVL_RESTRICT restrict
#endif

#define CVL_VER 0x0360

typedef float f32;
typedef double f64;
typedef int16_t q15;
typedef int32_t q31;
typedef struct { f32 re, im; } cf32;

typedef enum {
    CVL_OK = 0,
    CVL_BAD_SIZE = 1,
    CVL_BAD_ALIGN = 2,
    CVL_SINGULAR = 3
} cvl_result;

/** Dense row-major matrix */
typedef struct {
    uint16_t nrow;
    uint16_t ncol;
    f32     *elem;
} cvl_mat_f32;

typedef struct { uint16_t ntaps; f32 *state; const f32 *coef; } cvl_fir_f32;
typedef struct { uint32_t nstage; f32 *state; const f32 *coef; } cvl_biquad_f32;
typedef struct { uint32_t n; const f32 *twiddle; const uint16_t *bitrev; } cvl_fft_f32;

/* ---------------------------------------------------------------- vector by vector */
void cvl_vadd_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);
void cvl_vsub_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);   /* z = x - y */
void cvl_vmul_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);
void cvl_vdiv_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);   /* z = y / x (!) */
void cvl_vmax_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);
void cvl_vmin_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);
void cvl_vadd_f64(f64 *CVL_RESTRICT z, const f64 *CVL_RESTRICT x, const f64 *CVL_RESTRICT y, uint32_t n);
void cvl_vmul_f64(f64 *CVL_RESTRICT z, const f64 *CVL_RESTRICT x, const f64 *CVL_RESTRICT y, uint32_t n);
void cvl_vadd_q15(q15 *CVL_RESTRICT z, const q15 *CVL_RESTRICT x, const q15 *CVL_RESTRICT y, uint32_t n);
void cvl_vmul_q15(q15 *CVL_RESTRICT z, const q15 *CVL_RESTRICT x, const q15 *CVL_RESTRICT y, uint32_t n);
void cvl_vadd_i32(int32_t *CVL_RESTRICT z, const int32_t *CVL_RESTRICT x, const int32_t *CVL_RESTRICT y, uint32_t n); /* wraps */
void cvl_vadd_cf32(cf32 *CVL_RESTRICT z, const cf32 *CVL_RESTRICT x, const cf32 *CVL_RESTRICT y, uint32_t n);
void cvl_vmul_cf32(cf32 *CVL_RESTRICT z, const cf32 *CVL_RESTRICT x, const cf32 *CVL_RESTRICT y, uint32_t n);
void cvl_vmulconj_cf32(cf32 *CVL_RESTRICT z, const cf32 *CVL_RESTRICT x, const cf32 *CVL_RESTRICT y, uint32_t n); /* x * conj(y) */
void cvl_vatan2_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT y, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vpow_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT base, const f32 *CVL_RESTRICT expo, uint32_t n);
/* z = w + x * y */
void cvl_vmac_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT w, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);
void cvl_vand_u32(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t n);
void cvl_vor_u32(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t n);
void cvl_vxor_u32(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t n);
void cvl_vnot_u32(uint32_t *z, const uint32_t *x, uint32_t n);
/* with strides in elements */
void cvl_vadd_s_f32(f32 *z, int32_t sz, const f32 *x, int32_t sx, const f32 *y, int32_t sy, uint32_t n);
void cvl_vmul_s_f32(f32 *z, int32_t sz, const f32 *x, int32_t sx, const f32 *y, int32_t sy, uint32_t n);

/* ---------------------------------------------------------------- vector by constant */
void cvl_vaddk_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, f32 k, uint32_t n);
void cvl_vmulk_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, f32 k, uint32_t n);
/* z = k * x + y */
void cvl_vaxpy_f32(f32 *CVL_RESTRICT z, f32 k, const f32 *CVL_RESTRICT x, const f32 *CVL_RESTRICT y, uint32_t n);
void cvl_vscale_q15(q15 *z, const q15 *x, q15 fract, int8_t shift, uint32_t n);
void cvl_vclip_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, f32 lo, f32 hi, uint32_t n);
/* z = x < t ? t : x */
void cvl_vthr_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, f32 t, uint32_t n);
void cvl_vfill_f32(f32 *z, f32 k, uint32_t n);
void cvl_vzero_f32(f32 *z, uint32_t n);
/* start, start + step, ... */
void cvl_vramp_f32(f32 *z, f32 start, f32 step, uint32_t n);

/* ---------------------------------------------------------------- unary */
void cvl_vabs_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vneg_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vcopy_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vsq_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vsqrt_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vrsqrt_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vrecip_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vexp_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vexp2_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vlog_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);      /* natural */
void cvl_vlog10_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
/* 20 log10(x / ref) */
void cvl_vdb_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, f32 ref, uint32_t n);
void cvl_vsin_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vcos_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vsincos_f32(f32 *zs, f32 *zc, const f32 *x, uint32_t n);
void cvl_vtanh_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vsigm_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);     /* 1 / (1 + exp(-x)) */
void cvl_vrelu_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vsoftmax_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vfloor_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vceil_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vtrunc_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);
void cvl_vflip_f32(f32 *CVL_RESTRICT z, const f32 *CVL_RESTRICT x, uint32_t n);     /* last element first */
void cvl_vmag_cf32(f32 *CVL_RESTRICT z, const cf32 *CVL_RESTRICT x, uint32_t n);    /* |x| */
void cvl_vconj_cf32(cf32 *CVL_RESTRICT z, const cf32 *CVL_RESTRICT x, uint32_t n);
void cvl_cvt_i32_f32(f32 *z, const int32_t *x, uint32_t n);
void cvl_cvt_f32_f64(f64 *z, const f32 *x, uint32_t n);
void cvl_cvt_q15_f32(f32 *z, const q15 *x, uint32_t n);   /* / 32768 */
void cvl_cvt_f32_q15(q15 *z, const f32 *x, uint32_t n);

/* ---------------------------------------------------------------- one result */
f32  cvl_sum_f32(const f32 *x, uint32_t n);
f32  cvl_mean_f32(const f32 *x, uint32_t n);
/* unbiased */
void cvl_var_f32(f32 *result, const f32 *x, uint32_t n);
void cvl_std_f32(f32 *result, const f32 *x, uint32_t n);
/* square root of the mean of squares */
void cvl_rms_f32(f32 *result, const f32 *x, uint32_t n);
/* sum of squares */
void cvl_energy_f32(f32 *result, const f32 *x, uint32_t n);
void cvl_l2norm_f32(f32 *result, const f32 *x, uint32_t n);
f32  cvl_max_f32(const f32 *x, uint32_t n);
f32  cvl_min_f32(const f32 *x, uint32_t n);
uint32_t cvl_maxidx_f32(const f32 *x, uint32_t n);
f32  cvl_maxabs_f32(const f32 *x, uint32_t n);
void cvl_dot_f32(f32 *result, const f32 *x, const f32 *y, uint32_t n);
void cvl_dot_q15(int64_t *result, const q15 *x, const q15 *y, uint32_t n);
/* running sum */
void cvl_vcumsum_f32(f32 *z, const f32 *x, uint32_t n);
/* ascending; z may be x */
void cvl_vsort_f32(f32 *z, const f32 *x, uint32_t n);

/* ---------------------------------------------------------------- matrices */
void       cvl_mat_init_f32(cvl_mat_f32 *m, uint16_t nrow, uint16_t ncol, f32 *elem);
cvl_result cvl_mat_add_f32(cvl_mat_f32 *z, const cvl_mat_f32 *x, const cvl_mat_f32 *y);
cvl_result cvl_mat_mult_f32(cvl_mat_f32 *z, const cvl_mat_f32 *x, const cvl_mat_f32 *y);   /* matrix product */
cvl_result cvl_mat_trans_f32(cvl_mat_f32 *z, const cvl_mat_f32 *x);
cvl_result cvl_mat_scale_f32(cvl_mat_f32 *z, const cvl_mat_f32 *x, f32 k);
cvl_result cvl_mat_inv_f32(cvl_mat_f32 *z, const cvl_mat_f32 *x);
/* z[m] = a[m][n] * x[n] */
void       cvl_matvec_f32(f32 *z, const f32 *a, const f32 *x, uint32_t m, uint32_t n);
/* z[m][p] = x[m][n] * y[n][p] */
void       cvl_matmul_f32(f32 *z, const f32 *x, const f32 *y, uint32_t m, uint32_t n, uint32_t p);

/* ---------------------------------------------------------------- filters and transforms */
cvl_result cvl_fir_init_f32(cvl_fir_f32 *f, uint16_t ntaps, const f32 *coef, f32 *state, uint32_t block);
void       cvl_fir_run_f32(cvl_fir_f32 *f, f32 *z, const f32 *x, uint32_t block);
void       cvl_biquad_run_f32(cvl_biquad_f32 *f, f32 *z, const f32 *x, uint32_t n);
void       cvl_conv_f32(f32 *z, const f32 *x, uint32_t nx, const f32 *h, uint32_t nh);     /* full linear convolution, nx + nh - 1 */
void       cvl_xcorr_f32(f32 *z, const f32 *x, uint32_t nx, const f32 *y, uint32_t ny);
cvl_result cvl_fft_init_f32(cvl_fft_f32 *p, uint32_t n);
void       cvl_fft_run_f32(const cvl_fft_f32 *p, cf32 *z, const cf32 *x, int inverse);
void       cvl_window_hann_f32(f32 *z, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif /* CVL_H */
