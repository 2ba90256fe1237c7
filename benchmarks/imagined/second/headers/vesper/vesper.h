/* vesper.h
 *
 * Vesper Signal Library, core-plus profile, for the VS-7 array processor.
 * After the VSIPL 1.3 API; names carry the prefix vs_ instead of vsip_.
 *
 * Blocks hold data; views say how it is walked. The destination is the last
 * argument. Complex views (_cvview_f) are in split storage.
 */
#ifndef VESPER_H
#define VESPER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef float          vs_scalar_f;
typedef double         vs_scalar_d;
typedef int            vs_scalar_i;
typedef unsigned long  vs_length;
typedef unsigned long  vs_offset;
typedef long           vs_stride;
typedef unsigned long  vs_scalar_vi;
typedef signed int     vs_bool;
typedef struct { vs_scalar_vi r, c; } vs_scalar_mi;
typedef struct { vs_scalar_f r, i; } vs_cscalar_f;

typedef struct vs_blockattributes_f  vs_block_f;
typedef struct vs_vviewattributes_f  vs_vview_f;
typedef struct vs_vviewattributes_i  vs_vview_i;
typedef struct vs_vviewattributes_bl vs_vview_bl;
typedef struct vs_vviewattributes_vi vs_vview_vi;
typedef struct vs_mviewattributes_f  vs_mview_f;
typedef struct vs_cvviewattributes_f vs_cvview_f;
typedef struct vs_fftattributes_f    vs_fft_f;
typedef struct vs_firattributes_f    vs_fir_f;
typedef struct vs_choldattributes_f  vs_chol_f;
typedef struct vs_randomstate        vs_randstate;

typedef enum { VS_MEM_NONE = 0, VS_MEM_CONST, VS_MEM_SHARED } vs_memory_hint;
typedef enum { VS_MAT_NTRANS = 0, VS_MAT_TRANS = 1, VS_MAT_HERM = 2 } vs_mat_op;
typedef enum { VS_ROW = 0, VS_COL = 1 } vs_major;

/* library, blocks, views */
int          vs_init(void *ptr);
int          vs_finalize(void *ptr);
vs_block_f  *vs_blockcreate_f(vs_length n, vs_memory_hint hint);
vs_block_f  *vs_blockbind_f(vs_scalar_f *p, vs_length n, vs_memory_hint hint);
void         vs_blockdestroy_f(vs_block_f *b);
int          vs_blockadmit_f(vs_block_f *b, vs_bool update);
vs_scalar_f *vs_blockrelease_f(vs_block_f *b, vs_bool update);
vs_vview_f  *vs_vbind_f(const vs_block_f *b, vs_offset o, vs_stride s, vs_length n);
vs_vview_f  *vs_vcreate_f(vs_length n, vs_memory_hint hint);
vs_block_f  *vs_vdestroy_f(vs_vview_f *v);
vs_mview_f  *vs_mcreate_f(vs_length m, vs_length n, vs_major major, vs_memory_hint hint);
vs_block_f  *vs_mdestroy_f(vs_mview_f *m);
vs_vview_f  *vs_vsubview_f(const vs_vview_f *v, vs_scalar_vi j, vs_length n);
vs_vview_f  *vs_mrowview_f(const vs_mview_f *m, vs_scalar_vi r);
vs_scalar_f  vs_vget_f(const vs_vview_f *v, vs_scalar_vi j);
void         vs_vput_f(const vs_vview_f *v, vs_scalar_vi j, vs_scalar_f t);
vs_length    vs_vgetlength_f(const vs_vview_f *v);

/* element-wise */
void vs_vmag_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vneg_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vrecip_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vsq_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vsqrt_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vrsqrt_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vexp_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vexp10_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vlog_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vacos_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_veuler_f(const vs_vview_f *a, const vs_cvview_f *r);
void vs_vadd_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vsub_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vmul_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vdiv_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vmax_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vmaxmg_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vatan2_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *r);
void vs_vlge_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_bl *r);
void vs_vor_i(const vs_vview_i *a, const vs_vview_i *b, const vs_vview_i *r);
void vs_svadd_f(vs_scalar_f alpha, const vs_vview_f *a, const vs_vview_f *r);
void vs_svmul_f(vs_scalar_f alpha, const vs_vview_f *a, const vs_vview_f *r);
/* r = alpha / a */
void vs_svdiv_f(vs_scalar_f alpha, const vs_vview_f *a, const vs_vview_f *r);
/* r = (a + b) * c */
void vs_vam_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *c, const vs_vview_f *r);
/* r = a * b + c */
void vs_vma_f(const vs_vview_f *a, const vs_vview_f *b, const vs_vview_f *c, const vs_vview_f *r);
/* r = a < t1 ? c1 : a < t2 ? a : c2 */
void vs_vclip_f(const vs_vview_f *a, vs_scalar_f t1, vs_scalar_f t2, vs_scalar_f c1, vs_scalar_f c2, const vs_vview_f *r);
void vs_vexpoavg_f(vs_scalar_f alpha, const vs_vview_f *b, const vs_vview_f *c);
void vs_cvmul_f(const vs_cvview_f *a, const vs_cvview_f *b, const vs_cvview_f *r);
void vs_cvmag_f(const vs_cvview_f *a, const vs_vview_f *r);

/* copies and generation */
void vs_vcopy_f_f(const vs_vview_f *a, const vs_vview_f *r);
void vs_vcopy_f_i(const vs_vview_f *a, const vs_vview_i *r);
void vs_vfill_f(vs_scalar_f alpha, const vs_vview_f *r);
void vs_vramp_f(vs_scalar_f alpha, vs_scalar_f beta, const vs_vview_f *r);
void vs_vrandu_f(vs_randstate *s, const vs_vview_f *r);
void vs_vrandn_f(vs_randstate *s, const vs_vview_f *r);
void vs_vgather_f(const vs_vview_f *x, const vs_vview_vi *index, const vs_vview_f *y);
void vs_vscatter_f(const vs_vview_f *x, const vs_vview_f *y, const vs_vview_vi *index);
void vs_vswap_f(const vs_vview_f *a, const vs_vview_f *b);

/* reductions */
vs_scalar_f vs_vsumval_f(const vs_vview_f *a);
vs_scalar_f vs_vsumsqval_f(const vs_vview_f *a);
vs_scalar_f vs_vmeanval_f(const vs_vview_f *a);
vs_scalar_f vs_vmeansqval_f(const vs_vview_f *a);
vs_scalar_f vs_vmaxval_f(const vs_vview_f *a, vs_scalar_vi *j);
vs_scalar_f vs_vmaxmgval_f(const vs_vview_f *a, vs_scalar_vi *j);
vs_bool     vs_valltrue_bl(const vs_vview_bl *a);

/* linear algebra */
vs_scalar_f vs_vdot_f(const vs_vview_f *a, const vs_vview_f *b);
void vs_vouter_f(vs_scalar_f alpha, const vs_vview_f *a, const vs_vview_f *b, const vs_mview_f *r);
void vs_mtrans_f(const vs_mview_f *a, const vs_mview_f *r);
void vs_mprod_f(const vs_mview_f *a, const vs_mview_f *b, const vs_mview_f *r);
void vs_mprodt_f(const vs_mview_f *a, const vs_mview_f *b, const vs_mview_f *r);
void vs_mvprod_f(const vs_mview_f *a, const vs_vview_f *x, const vs_vview_f *r);
void vs_gemp_f(vs_scalar_f alpha, const vs_mview_f *a, vs_mat_op aop, const vs_mview_f *b, vs_mat_op bop, vs_scalar_f beta, const vs_mview_f *r);
int  vs_chold_f(vs_chol_f *chold, const vs_mview_f *a);
int  vs_cholsol_f(const vs_chol_f *chold, const vs_mview_f *xb);

/* signal processing */
vs_fft_f *vs_ccfftop_create_f(vs_length n, vs_scalar_f scale, int dir, unsigned ntimes, int hint);
void vs_ccfftop_f(const vs_fft_f *plan, const vs_cvview_f *x, const vs_cvview_f *y);
vs_fir_f *vs_fir_create_f(const vs_vview_f *h, int symm, vs_length n, vs_length d, int state, unsigned ntimes, int hint);
int  vs_firflt_f(vs_fir_f *fir, const vs_vview_f *x, const vs_vview_f *y);
void vs_vhisto_f(const vs_vview_f *a, vs_scalar_f min, vs_scalar_f max, int op, const vs_vview_f *r);

#ifdef __cplusplus
}
#endif
#endif
