/*****************************************************************************
 *  vx.h            VECTRA signal vector library, release 7.4
 *
 *  (c) Nordvik Signal AS 1998-2023
 *
 *  Naming:   vx <function> <operand letters> [S] _ <type>
 *               v  vector     k  constant     z  complex
 *               trailing "s" in q types: saturating
 *  Every vector has a step, counted in elements. n counts elements of the
 *  result unless stated otherwise. All vectors lie in the DSP's shared memory.
 *****************************************************************************/
#ifndef __VX_H__
#define __VX_H__

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef float    vxf;
typedef double   vxd;
typedef int16_t  vxq15;
typedef int32_t  vxq31;
typedef int32_t  vxi;
typedef uint32_t vxn;      /* lengths       */
typedef int32_t  vxs;      /* steps, may be negative */
typedef struct { vxf r, i; } vxz;

/* memory shared with the DSP */
int   vx_boot(const char *image);
void  vx_halt(void);
void *vx_shm(unsigned long bytes);
void  vx_shm_free(void *p);
void  vx_sync(void);

/* ---------- v -> v ---------- */
void vabsv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vnegv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vnabv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* -|a| */
void vsqrv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* a*a  */
void vssqv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* a*|a| */
void vrcpv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vsqtv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* square root */
void vrsqv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* reciprocal square root */
void vexpv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vlogv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* natural */
void vlgtv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);    /* base ten */
void vsinv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vcosv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vtanv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vatnv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vflrv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vclrv_f(vxf *c, vxs ic, vxn n);                          /* zeroes */
void vmovv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);
void vsatv_f(const vxf *a, vxs ia, vxf lo, vxf hi, vxf *c, vxs ic, vxn n);
void vthrv_f(const vxf *a, vxs ia, vxf t, vxf *c, vxs ic, vxn n);   /* a if a >= t, else t */
void vthzv_f(const vxf *a, vxs ia, vxf t, vxf *c, vxs ic, vxn n);   /* a if a >= t, else 0 */
void vrevv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);          /* c[k] = a[n-1-k] */
void vrmpk_f(vxf start, vxf inc, vxf *c, vxs ic, vxn n);            /* start, start+inc, ... */
void vfilk_f(vxf k, vxf *c, vxs ic, vxn n);
void vcumv_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);          /* running sum */
void vtrpv_f(const vxf *a, vxs ia, vxf k, vxf *c, vxs ic, vxn n);   /* running trapezoid integral of step k */
void vdbcv_f(const vxf *a, vxs ia, vxf ref, vxf *c, vxs ic, vxn n); /* decibels */

/* ---------- v v -> v ----------  note the order of vsubv: c = b - a */
void vaddv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);
void vaddv_d(const vxd *a, vxs ia, const vxd *b, vxs ib, vxd *c, vxs ic, vxn n);
void vaddv_i(const vxi *a, vxs ia, const vxi *b, vxs ib, vxi *c, vxs ic, vxn n);
void vsubv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);
void vmulv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);
void vmulv_d(const vxd *a, vxs ia, const vxd *b, vxs ib, vxd *c, vxs ic, vxn n);
void vdivv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);    /* c = a / b */
void vmaxv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);
void vminv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);
void vmxmv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);    /* max(|a|,|b|) */
void vdstv_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);    /* sqrt(a*a+b*b) */
void vat2v_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn n);    /* angle, a is y */
void vandv_i(const vxi *a, vxs ia, const vxi *b, vxs ib, vxi *c, vxs ic, vxn n);
void viorv_i(const vxi *a, vxs ia, const vxi *b, vxs ib, vxi *c, vxs ic, vxn n);
void vxorv_i(const vxi *a, vxs ia, const vxi *b, vxs ib, vxi *c, vxs ic, vxn n);
void vnotv_i(const vxi *a, vxs ia, vxi *c, vxs ic, vxn n);
void vshlk_i(const vxi *a, vxs ia, int bits, vxi *c, vxs ic, vxn n);   /* negative bits: to the right */

/* ---------- v k -> v ---------- */
void vaddk_f(const vxf *a, vxs ia, vxf k, vxf *c, vxs ic, vxn n);
void vmulk_f(const vxf *a, vxs ia, vxf k, vxf *c, vxs ic, vxn n);
void vdivk_f(const vxf *a, vxs ia, vxf k, vxf *c, vxs ic, vxn n);
void vkdiv_f(vxf k, const vxf *a, vxs ia, vxf *c, vxs ic, vxn n);   /* k / a */

/* ---------- three operands ---------- */
void vma_f (const vxf *a, vxs ia, const vxf *b, vxs ib, const vxf *d, vxs id, vxf *c, vxs ic, vxn n);  /* c = a*b + d */
void vsma_f(const vxf *a, vxs ia, vxf k, const vxf *d, vxs id, vxf *c, vxs ic, vxn n);                 /* c = k*a + d */
void vam_f (const vxf *a, vxs ia, const vxf *b, vxs ib, const vxf *d, vxs id, vxf *c, vxs ic, vxn n);  /* c = (a+b)*d */
void vlerp_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf k, vxf *c, vxs ic, vxn n);                /* a + k*(b-a) */

/* ---------- v -> one number (c) ---------- */
void vsum_f (const vxf *a, vxs ia, vxf *c, vxn n);
void vmean_f(const vxf *a, vxs ia, vxf *c, vxn n);
void vmsq_f (const vxf *a, vxs ia, vxf *c, vxn n);      /* mean of squares */
void vrms_f (const vxf *a, vxs ia, vxf *c, vxn n);      /* root of it      */
void vsqs_f (const vxf *a, vxs ia, vxf *c, vxn n);      /* sum of squares  */
void vmgs_f (const vxf *a, vxs ia, vxf *c, vxn n);      /* sum of magnitudes */
void vmax_f (const vxf *a, vxs ia, vxf *c, vxn n);
void vmin_f (const vxf *a, vxs ia, vxf *c, vxn n);
void vmxi_f (const vxf *a, vxs ia, vxf *c, vxn *where, vxn n);   /* maximum, and where it was */
void vmxg_f (const vxf *a, vxs ia, vxf *c, vxn n);               /* of magnitudes */
void vdot_f (const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxn n);
void vdot_d (const vxd *a, vxs ia, const vxd *b, vxs ib, vxd *c, vxn n);

/* ---------- selections ---------- */
void vgthr_f(const vxf *a, const vxn *x, vxs ix, vxf *c, vxs ic, vxn n);  /* c[k] = a[x[k]] */
void vcmpr_f(const vxf *a, vxs ia, const vxf *gate, vxs ig, vxf *c, vxs ic, vxn n);  /* a[k] where gate[k] != 0, packed; n counts a */
void vsrtu_f(vxf *c, vxn n);                                              /* rising, in place */

/* ---------- matrices, dense rows ---------- */
void mmul_f(const vxf *a, vxs ia, const vxf *b, vxs ib, vxf *c, vxs ic, vxn m, vxn n, vxn p);  /* (m x p) (p x n) */
void mtrn_f(const vxf *a, vxs ia, vxf *c, vxs ic, vxn m, vxn n);                               /* m, n of the result */
void mmov_f(const vxf *a, vxf *c, vxn m, vxn n, vxn ta, vxn tc);                               /* ta, tc: row pitch; m columns, n rows */

/* ---------- conversions ---------- */
void vfixv_fi(const vxf *a, vxs ia, vxi *c, vxs ic, vxn n);   /* drops the fraction */
void vfltv_if(const vxi *a, vxs ia, vxf *c, vxs ic, vxn n);
void vcvtv_fd(const vxf *a, vxs ia, vxd *c, vxs ic, vxn n);
void vcvtv_fq15(const vxf *a, vxs ia, vxq15 *c, vxs ic, vxn n);

/* ---------- fixed point, saturating ---------- */
void vaddvs_q15(const vxq15 *a, vxs ia, const vxq15 *b, vxs ib, vxq15 *c, vxs ic, vxn n);
void vsubvs_q15(const vxq15 *a, vxs ia, const vxq15 *b, vxs ib, vxq15 *c, vxs ic, vxn n);
void vmulvs_q15(const vxq15 *a, vxs ia, const vxq15 *b, vxs ib, vxq15 *c, vxs ic, vxn n);
void vabsvs_q31(const vxq31 *a, vxs ia, vxq31 *c, vxs ic, vxn n);
void vdots_q31 (const vxq31 *a, vxs ia, const vxq31 *b, vxs ib, int64_t *c, vxn n);

/* ---------- signals ---------- */
void zfft_f(vxz *a, vxs ia, int log2n, int dir);
void fir_f (const vxf *a, const vxf *h, vxn taps, vxf *state, vxf *c, vxn n);
void iir2_f(const vxf *a, const vxf *coef, vxf *state, vxf *c, vxn sections, vxn n);
void corr_f(const vxf *a, vxs ia, const vxf *h, vxs ih, vxf *c, vxs ic, vxn n, vxn taps);  /* c[k] = sum over j < taps of a[k+j] h[j] */
void whann_f(vxf *c, vxn n, int half);
void zmulv_f(const vxz *a, vxs ia, const vxz *b, vxs ib, vxz *c, vxs ic, vxn n, int conj);
void zmgsq_f(const vxz *a, vxs ia, vxf *c, vxs ic, vxn n);
void vpoly_f(const vxf *coef, vxs ik, const vxf *a, vxs ia, vxf *c, vxs ic, vxn n, vxn degree);

#ifdef __cplusplus
}
#endif
#endif
