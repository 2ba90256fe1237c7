/*
//               Signum Primitives
//
//  sgns...  one-dimensional signals in card memory (count at the end)
//  sgni...  images: step in bytes after each pointer, region of interest at
//           the end. C1, C3, C4: channels; R: region; I: in place;
//           Sfs: result is divided by 2^scaleFactor and saturated.
*/
#ifndef SIGNUM_H
#define SIGNUM_H

#include "sgndefs.h"

/* ---------------------------------------------------------- support */
SGNAPI(const char *, sgnGetStatusString, (SgnStatus StsCode))
SGNAPI(SgnStatus, sgnInit, (void))
SGNAPI(int, sgnGetCardCount, (void))
SGNAPI(SgnStatus, sgnSetCard, (int nCard))
SGNAPI(SgnStatus, sgnGetQueueContext, (SgnQueueContext *pCtx))
SGNAPI(SgnStatus, sgnQueueSynchronize, (SgnQueueContext ctx))
SGNAPI(Sgn8u *, sgnsMalloc_8u, (int len))
SGNAPI(Sgn32f *, sgnsMalloc_32f, (int len))
SGNAPI(void, sgnsFree, (void *ptr))
SGNAPI(Sgn32f *, sgniMalloc_32f_C1, (int widthPixels, int heightPixels, int *pStepBytes))
SGNAPI(SgnStatus, sgnsUpload_8u, (const Sgn8u *pHost, Sgn8u *pDst, int len))
SGNAPI(SgnStatus, sgnsDownload_8u, (const Sgn8u *pSrc, Sgn8u *pHost, int len))

/* ---------------------------------------------------------- signals */
SGNAPI(SgnStatus, sgnsCopy_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsZero_32f, (Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsSet_32f, (Sgn32f val, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsConvert_32s32f, (const Sgn32s *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsConvert_32f16s_Sfs, (const Sgn32f *pSrc, Sgn16s *pDst, int len, SgnRoundMode rndMode, int scaleFactor))
SGNAPI(SgnStatus, sgnsAdd_32f, (const Sgn32f *pSrc1, const Sgn32f *pSrc2, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsAdd_16s, (const Sgn16s *pSrc1, const Sgn16s *pSrc2, Sgn16s *pDst, int len))
SGNAPI(SgnStatus, sgnsAdd_16s_Sfs, (const Sgn16s *pSrc1, const Sgn16s *pSrc2, Sgn16s *pDst, int len, int scaleFactor))
SGNAPI(SgnStatus, sgnsAdd_32f_I, (const Sgn32f *pSrc, Sgn32f *pSrcDst, int len))
SGNAPI(SgnStatus, sgnsAddC_32f, (const Sgn32f *pSrc, Sgn32f val, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsAddProduct_32f, (const Sgn32f *pSrc1, const Sgn32f *pSrc2, Sgn32f *pSrcDst, int len))
/* pDst = pSrc2 - pSrc1 */
SGNAPI(SgnStatus, sgnsSub_32f, (const Sgn32f *pSrc1, const Sgn32f *pSrc2, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsSubCRev_32f, (const Sgn32f *pSrc, Sgn32f val, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsMul_32f, (const Sgn32f *pSrc1, const Sgn32f *pSrc2, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsMul_32fc, (const Sgn32fc *pSrc1, const Sgn32fc *pSrc2, Sgn32fc *pDst, int len))
SGNAPI(SgnStatus, sgnsMulC_32f_I, (Sgn32f val, Sgn32f *pSrcDst, int len))
SGNAPI(SgnStatus, sgnsSqrt_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsSqr_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsAbs_32f_I, (Sgn32f *pSrcDst, int len))
SGNAPI(SgnStatus, sgnsExp_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsLn_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgns10Log10_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsAnd_32u, (const Sgn32u *pSrc1, const Sgn32u *pSrc2, Sgn32u *pDst, int len))
SGNAPI(SgnStatus, sgnsLShiftC_32s, (const Sgn32s *pSrc, int val, Sgn32s *pDst, int len))
SGNAPI(SgnStatus, sgnsThreshold_LT_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len, Sgn32f level))
SGNAPI(SgnStatus, sgnsThreshold_LTInv_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len, Sgn32f level))
SGNAPI(SgnStatus, sgnsSum_32f, (const Sgn32f *pSrc, int len, Sgn32f *pSum))
SGNAPI(SgnStatus, sgnsMean_32f, (const Sgn32f *pSrc, int len, Sgn32f *pMean))
SGNAPI(SgnStatus, sgnsStdDev_32f, (const Sgn32f *pSrc, int len, Sgn32f *pStdDev))
SGNAPI(SgnStatus, sgnsMaxIndx_32f, (const Sgn32f *pSrc, int len, Sgn32f *pMax, int *pIndx))
SGNAPI(SgnStatus, sgnsMinMax_32f, (const Sgn32f *pSrc, int len, Sgn32f *pMin, Sgn32f *pMax))
SGNAPI(SgnStatus, sgnsMaxAbs_32f, (const Sgn32f *pSrc, int len, Sgn32f *pMaxAbs))
SGNAPI(SgnStatus, sgnsNorm_L2_32f, (const Sgn32f *pSrc, int len, Sgn32f *pNorm))
SGNAPI(SgnStatus, sgnsNorm_Inf_32f, (const Sgn32f *pSrc, int len, Sgn32f *pNorm))
SGNAPI(SgnStatus, sgnsNormDiff_L2_32f, (const Sgn32f *pSrc1, const Sgn32f *pSrc2, int len, Sgn32f *pNorm))
SGNAPI(SgnStatus, sgnsDotProd_32f, (const Sgn32f *pSrc1, const Sgn32f *pSrc2, int len, Sgn32f *pDp))
SGNAPI(SgnStatus, sgnsSortAscend_32f_I, (Sgn32f *pSrcDst, int len))
SGNAPI(SgnStatus, sgnsFlip_32f, (const Sgn32f *pSrc, Sgn32f *pDst, int len))
SGNAPI(SgnStatus, sgnsWinHamming_32f_I, (Sgn32f *pSrcDst, int len))
SGNAPI(SgnStatus, sgnsConvolve_32f, (const Sgn32f *pSrc1, int src1Len, const Sgn32f *pSrc2, int src2Len, Sgn32f *pDst, int algType, Sgn8u *pBuffer))
SGNAPI(SgnStatus, sgnsMagnitude_32fc, (const Sgn32fc *pSrc, Sgn32f *pDst, int len))

/* ---------------------------------------------------------- images */
SGNAPI(SgnStatus, sgniSet_32f_C1R, (Sgn32f value, Sgn32f *pDst, int dstStep, SgnSize roiSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniAdd_32f_C1R, (const Sgn32f *pSrc1, int src1Step, const Sgn32f *pSrc2, int src2Step, Sgn32f *pDst, int dstStep, SgnSize roiSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniMulC_32f_C1IR, (Sgn32f value, Sgn32f *pSrcDst, int srcDstStep, SgnSize roiSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniAbsDiff_8u_C1R, (const Sgn8u *pSrc1, int src1Step, const Sgn8u *pSrc2, int src2Step, Sgn8u *pDst, int dstStep, SgnSize roiSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniTranspose_32f_C1R, (const Sgn32f *pSrc, int srcStep, Sgn32f *pDst, int dstStep, SgnSize roiSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniCompare_32f_C1R, (const Sgn32f *pSrc1, int src1Step, const Sgn32f *pSrc2, int src2Step, Sgn8u *pDst, int dstStep, SgnSize roiSize, SgnCmpOp cmpOp, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniSum_32f_C1R, (const Sgn32f *pSrc, int srcStep, SgnSize roiSize, Sgn64f *pSum, Sgn8u *pBuffer, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniRGBToGray_8u_C3C1R, (const Sgn8u *pSrc, int srcStep, Sgn8u *pDst, int dstStep, SgnSize roiSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniFilterMedian_8u_C1R, (const Sgn8u *pSrc, int srcStep, Sgn8u *pDst, int dstStep, SgnSize roiSize, SgnSize maskSize, SgnQueueContext ctx))
SGNAPI(SgnStatus, sgniWarpAffine_32f_C1R, (const Sgn32f *pSrc, SgnSize srcSize, int srcStep, SgnRect srcRoi, Sgn32f *pDst, int dstStep, SgnRect dstRoi, const double coeffs[2][3], int interpolation))
SGNAPI(SgnStatus, sgniHistogramEven_8u_C1R, (const Sgn8u *pSrc, int srcStep, SgnSize roiSize, Sgn32s *pHist, int nLevels, Sgn32s nLower, Sgn32s nUpper, Sgn8u *pBuffer))

#endif
