/* ======================================================================= */
/*  pulsedsp.h -- Pulse P6x DSP Function Library, C-callable, hand-coded   */
/*                                                                         */
/*  An imagined vendor's header. */
/*                                                                         */
/*  Conventions: inputs first, then outputs, then counts.  nx must be a    */
/*  multiple of 4 unless noted; arrays are aligned to 8 bytes.             */
/* ======================================================================= */
#ifndef PULSEDSP_H
#define PULSEDSP_H

#if !defined(__PULSE_CC__)
#ifndef restrict
#define restrict
#endif
#ifndef nassert
#define nassert(x)
#endif
#endif

typedef short          q15;
typedef int            q31;
typedef unsigned short u16;

/* -- floating point, vectors ------------------------------------------- */
void  PF_sp_vecadd(const float * restrict x1, const float * restrict x2, float * restrict y, const int nx);
void  PF_sp_vecsub(const float * restrict x1, const float * restrict x2, float * restrict y, const int nx);
void  PF_sp_vecmul(const float * restrict x1, const float * restrict x2, float * restrict y, const int nx);
void  PF_sp_vecrecip(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_vecdiv(const float * restrict num, const float * restrict den, float * restrict y, const int nx);
void  PF_sp_vecsqrt(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_vecrsqrt(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_vecexp(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_veclog10(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_vecabs(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_vecneg(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_w_vec(const float * restrict x1, const float * restrict x2, const float m, float * restrict y, const int nx); /* y = m*x1 + x2 */
void  PF_sp_vecscale(const float * restrict x, const float k, float * restrict y, const int nx);
void  PF_sp_veccpy(const float * restrict x, float * restrict y, const int nx);
void  PF_sp_vecset(float * restrict y, const float v, const int nx);
float PF_sp_dotprod(const float * restrict x1, const float * restrict x2, const int nx);
float PF_sp_vecsum_sq(const float * restrict x, const int nx);
float PF_sp_vecsum(const float * restrict x, const int nx);
float PF_sp_maxval(const float * restrict x, const int nx);
int   PF_sp_maxidx(const float * restrict x, const int nx);
float PF_sp_minval(const float * restrict x, const int nx);
float PF_sp_minerr(const float * restrict GSP0_TABLE, const float * restrict errCoefs, int * restrict max_index);

/* -- floating point, matrices (row major) -------------------------------- */
void  PF_sp_mat_mul(const float * restrict x1, const int r1, const int c1, const float * restrict x2, const int c2, float * restrict y);
void  PF_sp_mat_mul_gemm(const float * restrict x1, const float alpha, const int r1, const int c1, const float * restrict x2, const int c2, float * restrict y); /* y += alpha*x1*x2 */
void  PF_sp_mat_mul_cplx(const float * restrict x1, const int r1, const int c1, const float * restrict x2, const int c2, float * restrict y);
void  PF_sp_mat_trans(const float * restrict x, const int rows, const int cols, float * restrict y);
void  PF_sp_mat_submat_copy(const float * restrict x, const int x_rows, const int cols, const int st_row, const int n_rows, float * restrict y);
int   PF_sp_cholesky(const int enable_test, const int order, const float * restrict A, float * restrict L);
int   PF_sp_matinv(const float * restrict A, float * restrict inv, const int order);

/* -- fixed point ------------------------------------------------------- */
void  PX_add16(const q15 * restrict x1, const q15 * restrict x2, q15 * restrict y, int nx);
void  PX_add32(const q31 * restrict x1, const q31 * restrict x2, q31 * restrict y, int nx);
void  PX_neg32(const q31 * restrict x, q31 * restrict y, int nx);
void  PX_mul32(const q31 * restrict x1, const q31 * restrict x2, q31 * restrict y, int nx);
int   PX_dotprod16(const q15 * restrict x1, const q15 * restrict x2, int nx);
short PX_maxval16(const q15 * restrict x, int nx);
short PX_minval16(const q15 * restrict x, int nx);
int   PX_maxidx16(const q15 * restrict x, int nx);
void  PX_mat_mul16(const q15 * restrict x, int r1, int c1, const q15 * restrict y, int c2, q15 * restrict r, int qs);
void  PX_mat_trans16(const q15 * restrict x, short rows, short cols, q15 * restrict r);
void  PX_recip16(const q15 * restrict x, q15 * restrict rfrac, q15 * restrict rexp, short nx);
void  PX_bexp(const q31 * restrict x, q15 * restrict maxexp, short nx);
void  PX_fltoq15(const float * restrict x, q15 * restrict r, u16 nx);
void  PX_q15tofl(const q15 * restrict x, float * restrict r, u16 nx);

/* -- filters and transforms ----------------------------------------------- */
void  PF_sp_fir_gen(const float * restrict x, const float * restrict h, float * restrict r, int nh, int nr);
void  PF_sp_fir_r2(const float * restrict x, const float * restrict h, float * restrict r, const int nh, const int nr);
void  PF_sp_iir(float * restrict y1, const float * restrict x, float * restrict y2, const float * restrict hb, const float * restrict ha, const int nr);
float PF_sp_lms(const float * restrict x, float * restrict h, const float * restrict d, float * restrict y, const float ar, const float error, const int nh, const int ny);
void  PF_sp_autocor(float * restrict r, const float * restrict x, const int nx, const int nr);
void  PF_sp_convol(const float * restrict x, const float * restrict h, float * restrict r, const short nh, const short nr);
void  PF_sp_fftr2(float * restrict x, const float * restrict w, const int n);
void  PF_sp_bitrev_cplx(double * x, const short * index, int n);
void  PX_fir_sym(const q15 * restrict x, const q15 * restrict h, q15 * restrict r, int nh, int nr, int s);

/* -- misc ---------------------------------------------------------------- */
void  PX_blk_eswap16(void * restrict x, void * restrict r, int nx);
void  PX_blk_move(const q15 * restrict x, q15 * restrict r, int nx);
unsigned PX_cycles(void);

#endif
