/* ----------------------------------------------------------------------
 * Project:      Marix MX4 DSP Library
 * Title:        mxdsp.h
 * Description:  Public header file for the MX4 vector unit
 * $Date:        11. October 2022
 * $Revision:    V2.1.3
 * -------------------------------------------------------------------- */
#ifndef MXDSP_H
#define MXDSP_H

#include <stdint.h>
#include <string.h>

#ifdef   __cplusplus
extern "C"
{
#endif

typedef int8_t q7_t;
typedef int16_t q15_t;
typedef int32_t q31_t;
typedef int64_t q63_t;
typedef float float32_t;
typedef double float64_t;

typedef enum
{
  MX_MATH_SUCCESS        =  0,
  MX_MATH_ARGUMENT_ERROR = -1,
  MX_MATH_LENGTH_ERROR   = -2,
  MX_MATH_SIZE_MISMATCH  = -3,
  MX_MATH_NANINF         = -4,
  MX_MATH_SINGULAR       = -5
} mx_status;

/** instance of a floating-point matrix, row-major */
typedef struct
{
  uint16_t numRows;
  uint16_t numCols;
  float32_t *pData;
} mx_matrix_instance_f32;

typedef struct
{
  uint16_t numRows;
  uint16_t numCols;
  q15_t *pData;
} mx_matrix_instance_q15;

typedef struct
{
  uint16_t numTaps;
  float32_t *pState;
  const float32_t *pCoeffs;
} mx_fir_instance_f32;

typedef struct
{
  uint32_t numStages;
  float32_t *pState;
  const float32_t *pCoeffs;
} mx_biquad_casd_df1_inst_f32;

typedef struct
{
  uint16_t fftLen;
  const float32_t *pTwiddle;
  const uint16_t *pBitRevTable;
  uint16_t bitRevLength;
} mx_cfft_instance_f32;

/* ---------------- BasicMath ---------------- */

/**
 * @brief Floating-point vector addition.
 * @param[in]  pSrcA      points to the first input vector
 * @param[in]  pSrcB      points to the second input vector
 * @param[out] pDst       points to the output vector
 * @param[in]  blockSize  number of samples in each vector
 */
void mx_add_f32(const float32_t * pSrcA, const float32_t * pSrcB, float32_t * pDst, uint32_t blockSize);
void mx_add_q15(const q15_t * pSrcA, const q15_t * pSrcB, q15_t * pDst, uint32_t blockSize);
void mx_add_q31(const q31_t * pSrcA, const q31_t * pSrcB, q31_t * pDst, uint32_t blockSize);

/**
 * @brief Floating-point vector subtraction.
 */
void mx_sub_f32(const float32_t * pSrcA, const float32_t * pSrcB, float32_t * pDst, uint32_t blockSize);
void mx_sub_q15(const q15_t * pSrcA, const q15_t * pSrcB, q15_t * pDst, uint32_t blockSize);

void mx_mult_f32(const float32_t * pSrcA, const float32_t * pSrcB, float32_t * pDst, uint32_t blockSize);
void mx_mult_q15(const q15_t * pSrcA, const q15_t * pSrcB, q15_t * pDst, uint32_t blockSize);

void mx_negate_f32(const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_abs_f32(const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_abs_q7(const q7_t * pSrc, q7_t * pDst, uint32_t blockSize);

/** pDst[n] = pSrc[n] + offset */
void mx_offset_f32(const float32_t * pSrc, float32_t offset, float32_t * pDst, uint32_t blockSize);
/** pDst[n] = pSrc[n] * scale */
void mx_scale_f32(const float32_t * pSrc, float32_t scale, float32_t * pDst, uint32_t blockSize);
void mx_scale_q15(const q15_t * pSrc, q15_t scaleFract, int8_t shift, q15_t * pDst, uint32_t blockSize);
void mx_shift_q15(const q15_t * pSrc, int8_t shiftBits, q15_t * pDst, uint32_t blockSize);

/** @param[out] result  output result returned here */
void mx_dot_prod_f32(const float32_t * pSrcA, const float32_t * pSrcB, uint32_t blockSize, float32_t * result);
void mx_dot_prod_q15(const q15_t * pSrcA, const q15_t * pSrcB, uint32_t blockSize, q63_t * result);

void mx_clip_f32(const float32_t * pSrc, float32_t * pDst, float32_t low, float32_t high, uint32_t numSamples);

void mx_and_u32(const uint32_t * pSrcA, const uint32_t * pSrcB, uint32_t * pDst, uint32_t blockSize);
void mx_or_u32(const uint32_t * pSrcA, const uint32_t * pSrcB, uint32_t * pDst, uint32_t blockSize);
void mx_xor_u32(const uint32_t * pSrcA, const uint32_t * pSrcB, uint32_t * pDst, uint32_t blockSize);
void mx_not_u32(const uint32_t * pSrc, uint32_t * pDst, uint32_t blockSize);

/* ---------------- FastMath ---------------- */

float32_t mx_sin_f32(float32_t x);
float32_t mx_cos_f32(float32_t x);
q31_t mx_sin_q31(q31_t x);
mx_status mx_sqrt_f32(float32_t in, float32_t * pOut);
mx_status mx_atan2_f32(float32_t y, float32_t x, float32_t * result);
void mx_vexp_f32(const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_vlog_f32(const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_vinverse_f32(const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);

/* ---------------- Statistics ---------------- */

void mx_max_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult, uint32_t * pIndex);
void mx_min_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult, uint32_t * pIndex);
void mx_max_no_idx_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
/** maximum of absolute values */
void mx_absmax_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult, uint32_t * pIndex);
void mx_absmin_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult, uint32_t * pIndex);
void mx_mean_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
void mx_mean_q15(const q15_t * pSrc, uint32_t blockSize, q15_t * pResult);
/** sum of the squares */
void mx_power_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
void mx_rms_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
void mx_accumulate_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
/** unbiased: divides by blockSize - 1 */
void mx_var_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
void mx_std_f32(const float32_t * pSrc, uint32_t blockSize, float32_t * pResult);
float32_t mx_entropy_f32(const float32_t * pSrcA, uint32_t blockSize);
float32_t mx_logsumexp_f32(const float32_t * in, uint32_t blockSize);
void mx_mse_f32(const float32_t * pSrcA, const float32_t * pSrcB, uint32_t blockSize, float32_t * pResult);
float32_t mx_cosine_distance_f32(const float32_t * pA, const float32_t * pB, uint32_t blockSize);

/* ---------------- Matrix ---------------- */

void mx_mat_init_f32(mx_matrix_instance_f32 * S, uint16_t nRows, uint16_t nColumns, float32_t * pData);
mx_status mx_mat_add_f32(const mx_matrix_instance_f32 * pSrcA, const mx_matrix_instance_f32 * pSrcB, mx_matrix_instance_f32 * pDst);
mx_status mx_mat_sub_f32(const mx_matrix_instance_f32 * pSrcA, const mx_matrix_instance_f32 * pSrcB, mx_matrix_instance_f32 * pDst);
/** matrix product */
mx_status mx_mat_mult_f32(const mx_matrix_instance_f32 * pSrcA, const mx_matrix_instance_f32 * pSrcB, mx_matrix_instance_f32 * pDst);
mx_status mx_mat_mult_q15(const mx_matrix_instance_q15 * pSrcA, const mx_matrix_instance_q15 * pSrcB, mx_matrix_instance_q15 * pDst, q15_t * pState);
mx_status mx_mat_scale_f32(const mx_matrix_instance_f32 * pSrc, float32_t scale, mx_matrix_instance_f32 * pDst);
mx_status mx_mat_trans_f32(const mx_matrix_instance_f32 * pSrc, mx_matrix_instance_f32 * pDst);
mx_status mx_mat_inverse_f32(const mx_matrix_instance_f32 * src, mx_matrix_instance_f32 * dst);
void mx_mat_vec_mult_f32(const mx_matrix_instance_f32 * pSrcMat, const float32_t * pVec, float32_t * pDst);
mx_status mx_mat_cholesky_f32(const mx_matrix_instance_f32 * src, mx_matrix_instance_f32 * dst);

/* ---------------- Complex, interleaved (re, im) ---------------- */

void mx_cmplx_mag_f32(const float32_t * pSrc, float32_t * pDst, uint32_t numSamples);
void mx_cmplx_conj_f32(const float32_t * pSrc, float32_t * pDst, uint32_t numSamples);
void mx_cmplx_mult_cmplx_f32(const float32_t * pSrcA, const float32_t * pSrcB, float32_t * pDst, uint32_t numSamples);
void mx_cmplx_dot_prod_f32(const float32_t * pSrcA, const float32_t * pSrcB, uint32_t numSamples, float32_t * realResult, float32_t * imagResult);

/* ---------------- Filtering & transforms ---------------- */

void mx_fir_init_f32(mx_fir_instance_f32 * S, uint16_t numTaps, const float32_t * pCoeffs, float32_t * pState, uint32_t blockSize);
void mx_fir_f32(const mx_fir_instance_f32 * S, const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_biquad_cascade_df1_init_f32(mx_biquad_casd_df1_inst_f32 * S, uint8_t numStages, const float32_t * pCoeffs, float32_t * pState);
void mx_biquad_cascade_df1_f32(const mx_biquad_casd_df1_inst_f32 * S, const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_conv_f32(const float32_t * pSrcA, uint32_t srcALen, const float32_t * pSrcB, uint32_t srcBLen, float32_t * pDst);
void mx_correlate_f32(const float32_t * pSrcA, uint32_t srcALen, const float32_t * pSrcB, uint32_t srcBLen, float32_t * pDst);
mx_status mx_cfft_init_f32(mx_cfft_instance_f32 * S, uint16_t fftLen);
void mx_cfft_f32(const mx_cfft_instance_f32 * S, float32_t * p1, uint8_t ifftFlag, uint8_t bitReverseFlag);

/* ---------------- Support ---------------- */

void mx_copy_f32(const float32_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_copy_q15(const q15_t * pSrc, q15_t * pDst, uint32_t blockSize);
void mx_fill_f32(float32_t value, float32_t * pDst, uint32_t blockSize);
void mx_float_to_q15(const float32_t * pSrc, q15_t * pDst, uint32_t blockSize);
void mx_q15_to_float(const q15_t * pSrc, float32_t * pDst, uint32_t blockSize);
void mx_weighted_average_f32_init(float32_t * pState, uint32_t blockSize);
float32_t mx_weighted_average_f32(const float32_t * in, const float32_t * weigths, uint32_t blockSize);
void mx_barycenter_f32(const float32_t * in, const float32_t * weights, float32_t * out, uint32_t nbVectors, uint32_t vecDim);

static inline int32_t mx_recip_table_index(uint32_t n) { return (int32_t)(31 - __builtin_clz(n | 1u)); }

#ifdef   __cplusplus
}
#endif
#endif /* MXDSP_H */
