/* mry.h -- MORAY-2 vector/matrix engine, host side calls
 *
 * (C) 2019..2025 Moray Silicon Ltd, Haifa.  BSD-2-Clause, see COPYING.
 *
 * rev  1.9   added mry_attn, mry_put_along
 * rev  1.8   struct mry_ply passed by value everywhere (was: pointers)
 * rev  1.6   flags word at the end of all calls
 */
#ifndef MRY_H
#define MRY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MRY_REV 0x0109
#define MRY_ND  5

typedef int32_t mry_ret;
#define MRY_GOOD       0
#define MRY_E_ARG     (-1)
#define MRY_E_KIND    (-2)      /* combination of kinds not supported */
#define MRY_E_LEN     (-3)
#define MRY_E_MEM     (-4)
#define MRY_E_HW      (-9)

enum { MRY_K_F32 = 1, MRY_K_F16 = 2, MRY_K_B16 = 3, MRY_K_S32 = 16, MRY_K_S8 = 18, MRY_K_U8 = 19, MRY_K_FLAG = 32 };

/* where a tensor lies. skip[] counts elements, len[nd-1] is the innermost one */
typedef struct {
    void    *base;
    uint8_t  kind;
    uint8_t  nd;
    uint16_t bank;               /* 0 = any */
    int32_t  len[MRY_ND];
    int32_t  skip[MRY_ND];
} mry_ply;

/* a number for the calls that want one */
typedef union { float f; int32_t s; uint32_t u; } mry_num;

typedef struct mry_sched_s *mry_sched;      /* work queue */

/* flags */
#define MRY_F_NONE     0u
#define MRY_F_NOWAIT   (1u << 0)     /* return at once */
#define MRY_F_KEEP     (1u << 1)     /* reductions: keep the dimension with length 1 */
#define MRY_F_TA       (1u << 2)     /* matrix 0 is transposed */
#define MRY_F_TB       (1u << 3)
#define MRY_F_RELU     (1u << 4)     /* relu on the result, mry_fc/mry_conv only */
#define MRY_F_PRECISE  (1u << 5)

/* ---- engine ---- */
mry_ret mry_on(void);
mry_ret mry_off(void);
int32_t mry_engines(void);
mry_ret mry_use(int32_t engine);
void   *mry_take(size_t nbytes);
void    mry_drop(void *p);
mry_ret mry_move(void *to, const void *from, size_t nbytes, int dir);   /* dir: 0 up, 1 down, 2 inside */
mry_ret mry_set8(void *p, int v, size_t nbytes);
mry_ret mry_sched_new(mry_sched *q);
mry_ret mry_sched_del(mry_sched q);
mry_ret mry_sched_flush(mry_sched q);      /* blocks until all is done */
mry_ret mry_all_flush(void);
const char *mry_why(mry_ret r);

/* fills a mry_ply with dense skips. no memory is taken */
mry_ply mry_ply_of(void *base, int kind, int nd, const int32_t *len);
mry_ply mry_ply_slice(mry_ply p, int dim, int32_t from, int32_t count);
int64_t mry_ply_elems(mry_ply p);

/* ---- one source ---- */
mry_ret mry_abs  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_neg  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_not  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* of FLAG kind */
mry_ret mry_inv  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* one over s */
mry_ret mry_sqrt (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_isqrt(mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* 1/sqrt, not the integer square root */
mry_ret mry_exp  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_exp2 (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_ln   (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_log2 (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_sin  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_cos  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_tan  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_tanh (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_erf  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_floor(mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_ceil (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_fix  (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* toward zero */
mry_ret mry_relu (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_prelu1(mry_ply d, mry_ply s, float a, mry_sched q, uint32_t fl);  /* one slope for all of s < 0 */
mry_ret mry_sgmd (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* 1/(1+exp(-s)) */
mry_ret mry_silu (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_gelu (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* erf form */
mry_ret mry_hsgm (mry_ply d, mry_ply s, mry_sched q, uint32_t fl);   /* relu6(s+3)/6 */
mry_ret mry_elu  (mry_ply d, mry_ply s, float a, mry_sched q, uint32_t fl);

/* ---- two sources. lengths equal, or 1 in s1 ---- */
mry_ret mry_add (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_sub (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_mult(mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_dvd (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_pwr (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_max (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_min (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
/* the smaller magnitude wins */
mry_ret mry_minmag(mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
/* squared difference */
mry_ret mry_sqd (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_addk(mry_ply d, mry_ply s, mry_num k, mry_sched q, uint32_t fl);
mry_ret mry_mulk(mry_ply d, mry_ply s, mry_num k, mry_sched q, uint32_t fl);
mry_ret mry_pwrk(mry_ply d, mry_ply s, float k, mry_sched q, uint32_t fl);
mry_ret mry_clip(mry_ply d, mry_ply s, mry_num lo, mry_num hi, mry_sched q, uint32_t fl);
/* relation: 0 ==, 1 !=, 2 <, 3 <=, 4 >, 5 >=.  d is of FLAG kind */
mry_ret mry_cmp (mry_ply d, mry_ply s0, mry_ply s1, int relation, mry_sched q, uint32_t fl);
mry_ret mry_and (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);  /* bit by bit */
mry_ret mry_or  (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
mry_ret mry_xor (mry_ply d, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);
/* d = s0*s1 + s2 */
mry_ret mry_mac (mry_ply d, mry_ply s0, mry_ply s1, mry_ply s2, mry_sched q, uint32_t fl);
/* d = c ? s0 : s1 */
mry_ret mry_sel (mry_ply d, mry_ply c, mry_ply s0, mry_ply s1, mry_sched q, uint32_t fl);

/* ---- reductions over one dimension ---- */
mry_ret mry_rsum (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_ravg (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_rmax (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_rmin (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_rprod(mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_rany (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_rall (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);
mry_ret mry_pmax (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);   /* position of the maximum, S32 */
mry_ret mry_rss  (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);   /* sum of squares */
mry_ret mry_scan (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);   /* d[i] = s[0]+..+s[i] */
mry_ret mry_smax (mry_ply d, mry_ply s, int dim, mry_sched q, uint32_t fl);   /* soft maximum */

/* ---- matrices ---- */
mry_ret mry_mm  (mry_ply d, mry_ply a, mry_ply b, mry_sched q, uint32_t fl);
mry_ret mry_mmx (mry_ply d, mry_ply a, mry_ply b, mry_sched q, uint32_t fl);    /* nd = 3, a product for each of len[0] */
mry_ret mry_mm8 (mry_ply d, mry_ply a, mry_ply b, float sa, float sb, mry_sched q, uint32_t fl);
mry_ret mry_mv  (mry_ply d, mry_ply a, mry_ply x, mry_sched q, uint32_t fl);
mry_ret mry_dot (mry_ply d, mry_ply x, mry_ply y, mry_sched q, uint32_t fl);    /* vectors; d has one element */
/* d = s * transposed(w) + b, w of out x in */
mry_ret mry_fc  (mry_ply d, mry_ply s, mry_ply w, mry_ply b, mry_sched q, uint32_t fl);
/* s: n c y x, w: o c/grp y x */
mry_ret mry_conv(mry_ply d, mry_ply s, mry_ply w, mry_ply b, int sy, int sx, int py, int px, int dy, int dx, int grp, mry_sched q, uint32_t fl);
mry_ret mry_mxp (mry_ply d, mry_ply s, int ky, int kx, int sy, int sx, int py, int px, mry_sched q, uint32_t fl);
mry_ret mry_avp (mry_ply d, mry_ply s, int ky, int kx, int sy, int sx, int py, int px, mry_sched q, uint32_t fl);
mry_ret mry_lnrm(mry_ply d, mry_ply s, mry_ply g, mry_ply b, float eps, mry_sched q, uint32_t fl);
mry_ret mry_bnrm(mry_ply d, mry_ply s, mry_ply mu, mry_ply var, mry_ply g, mry_ply b, float eps, mry_sched q, uint32_t fl);
mry_ret mry_attn(mry_ply d, mry_ply q_, mry_ply k, mry_ply v, mry_ply bias, float scale, mry_sched q, uint32_t fl); /* bias is added before softmax, base=NULL: none */

/* ---- shuffling ---- */
mry_ret mry_copy(mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_conv_kind(mry_ply d, mry_ply s, mry_sched q, uint32_t fl);
mry_ret mry_fill(mry_ply d, mry_num k, mry_sched q, uint32_t fl);
mry_ret mry_perm(mry_ply d, mry_ply s, const int32_t *order, mry_sched q, uint32_t fl);
mry_ret mry_cat (mry_ply d, const mry_ply *s, int ns, int dim, mry_sched q, uint32_t fl);
mry_ret mry_get_rows(mry_ply d, mry_ply s, mry_ply ix, mry_sched q, uint32_t fl);
mry_ret mry_get_along(mry_ply d, mry_ply s, mry_ply ix, int dim, mry_sched q, uint32_t fl);  /* ix has the lengths of d */
mry_ret mry_put_along(mry_ply d, mry_ply s, mry_ply ix, int dim, mry_sched q, uint32_t fl);  /* the opposite, on what d holds */
mry_ret mry_tri (mry_ply d, mry_ply s, int upper, int diag, mry_sched q, uint32_t fl);

/* ---- not tensors ---- */
mry_ret mry_fft (mry_ply d, mry_ply s, int log2n, int inverse, mry_sched q, uint32_t fl);
mry_ret mry_crc (const void *p, size_t n, uint32_t *crc);
mry_ret mry_lfsr(mry_ply d, uint32_t *state, mry_sched q, uint32_t fl);
mry_ret mry_dma_ring(int ring, mry_ply p, int hop, mry_sched q);

#ifdef __cplusplus
}
#endif
#endif
