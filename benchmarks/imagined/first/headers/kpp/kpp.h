/*M///////////////////////////////////////////////////////////////////////////////////////
//
//  KPP: Kepler Performance Primitives
//  Signal (kpps), image (kppi) and cryptography (kppc) domains
//
//  An imagined vendor's header.
//
//M*/
#ifndef __KPP_H__
#define __KPP_H__

#if !defined( KPPAPI )
  #define KPPAPI(type,name,arg) extern type name arg;
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char  Kpp8u;
typedef signed char    Kpp8s;
typedef unsigned short Kpp16u;
typedef signed short   Kpp16s;
typedef unsigned int   Kpp32u;
typedef signed int     Kpp32s;
typedef float          Kpp32f;
typedef double         Kpp64f;
typedef long long      Kpp64s;
typedef struct { Kpp32f re; Kpp32f im; } Kpp32fc;
typedef struct { int width; int height; } KppiSize;
typedef struct { int x; int y; } KppiPoint;

typedef enum {
    kppStsNoErr        =  0,
    kppStsBadArgErr    = -5,
    kppStsSizeErr      = -6,
    kppStsNullPtrErr   = -8,
    kppStsStepErr      = -14,
    kppStsDivByZero    =  6
} KppStatus;

typedef enum { kppCmpLess, kppCmpLessEq, kppCmpEq, kppCmpGreaterEq, kppCmpGreater } KppCmpOp;
typedef enum { kppAlgHintNone, kppAlgHintFast, kppAlgHintAccurate } KppHintAlgorithm;

typedef struct KppsFFTSpec_R_32f KppsFFTSpec_R_32f;
typedef struct KppiResizeSpec_32f KppiResizeSpec_32f;
typedef struct KppcAESSpec KppcAESSpec;

/* /////////////////////////////////////////////////////////////////////////////
//                   General
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppInit, (void))
KPPAPI(const char*, kppGetStatusString, (KppStatus StsCode))
KPPAPI(int, kppGetNumThreads, (int* pNumThr))
KPPAPI(Kpp32f*, kppsMalloc_32f, (int len))
KPPAPI(Kpp8u*, kppsMalloc_8u, (int len))
KPPAPI(void, kppsFree, (void* ptr))

/* /////////////////////////////////////////////////////////////////////////////
//  Name:       kppsCopy, kppsSet, kppsZero
//  Arguments:
//     pSrc            pointer to the input vector
//     pDst            pointer to the output vector
//     len             number of elements
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppsCopy_8u,  (const Kpp8u* pSrc, Kpp8u* pDst, int len))
KPPAPI(KppStatus, kppsCopy_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsSet_32f,  (Kpp32f val, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsZero_32f, (Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsConvert_32s32f, (const Kpp32s* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsConvert_32f16s_Sfs, (const Kpp32f* pSrc, Kpp16s* pDst, int len, int rndMode, int scaleFactor))

/* /////////////////////////////////////////////////////////////////////////////
//                  Arithmetic functions
//  Suffixes: _I in place (pSrcDst), C a constant, Sfs integer result scaled by 2^(-scaleFactor) and saturated
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppsAdd_32f,   (const Kpp32f* pSrc1, const Kpp32f* pSrc2, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsAdd_32f_I, (const Kpp32f* pSrc, Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsAdd_16s_Sfs, (const Kpp16s* pSrc1, const Kpp16s* pSrc2, Kpp16s* pDst, int len, int scaleFactor))
KPPAPI(KppStatus, kppsAddC_32f,  (const Kpp32f* pSrc, Kpp32f val, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsAddC_32f_I,(Kpp32f val, Kpp32f* pSrcDst, int len))
/* pDst[i] = pSrc2[i] - pSrc1[i] */
KPPAPI(KppStatus, kppsSub_32f,   (const Kpp32f* pSrc1, const Kpp32f* pSrc2, Kpp32f* pDst, int len))
/* pSrcDst[i] = pSrcDst[i] - pSrc[i] */
KPPAPI(KppStatus, kppsSub_32f_I, (const Kpp32f* pSrc, Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsSubCRev_32f, (const Kpp32f* pSrc, Kpp32f val, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsMul_32f,   (const Kpp32f* pSrc1, const Kpp32f* pSrc2, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsMul_32f_I, (const Kpp32f* pSrc, Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsMulC_32f,  (const Kpp32f* pSrc, Kpp32f val, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsMul_16s_Sfs, (const Kpp16s* pSrc1, const Kpp16s* pSrc2, Kpp16s* pDst, int len, int scaleFactor))
/* pSrcDst[i] += pSrc1[i] * pSrc2[i] */
KPPAPI(KppStatus, kppsAddProduct_32f, (const Kpp32f* pSrc1, const Kpp32f* pSrc2, Kpp32f* pSrcDst, int len))
/* pDst[i] = pSrc2[i] / pSrc1[i] */
KPPAPI(KppStatus, kppsDiv_32f,   (const Kpp32f* pSrc1, const Kpp32f* pSrc2, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsAbs_32f,   (const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsAbs_32f_I, (Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsSqr_32f,   (const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsSqrt_32f,  (const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsExp_32f,   (const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsLn_32f,    (const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsArctan_32f,(const Kpp32f* pSrc, Kpp32f* pDst, int len))
KPPAPI(KppStatus, kppsThreshold_LT_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int len, Kpp32f level))
KPPAPI(KppStatus, kppsThreshold_GT_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int len, Kpp32f level))
KPPAPI(KppStatus, kppsThreshold_LTValGTVal_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int len, Kpp32f levelLT, Kpp32f valueLT, Kpp32f levelGT, Kpp32f valueGT))
KPPAPI(KppStatus, kppsNormalize_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int len, Kpp32f vSub, Kpp32f vDiv))

/* /////////////////////////////////////////////////////////////////////////////
//                  Logical
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppsAnd_32u, (const Kpp32u* pSrc1, const Kpp32u* pSrc2, Kpp32u* pDst, int len))
KPPAPI(KppStatus, kppsOr_32u,  (const Kpp32u* pSrc1, const Kpp32u* pSrc2, Kpp32u* pDst, int len))
KPPAPI(KppStatus, kppsXor_32u, (const Kpp32u* pSrc1, const Kpp32u* pSrc2, Kpp32u* pDst, int len))
KPPAPI(KppStatus, kppsNot_8u,  (const Kpp8u* pSrc, Kpp8u* pDst, int len))
KPPAPI(KppStatus, kppsLShiftC_32s, (const Kpp32s* pSrc, int val, Kpp32s* pDst, int len))

/* /////////////////////////////////////////////////////////////////////////////
//                  Statistics
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppsSum_32f,    (const Kpp32f* pSrc, int len, Kpp32f* pSum, KppHintAlgorithm hint))
KPPAPI(KppStatus, kppsMean_32f,   (const Kpp32f* pSrc, int len, Kpp32f* pMean, KppHintAlgorithm hint))
KPPAPI(KppStatus, kppsStdDev_32f, (const Kpp32f* pSrc, int len, Kpp32f* pStdDev, KppHintAlgorithm hint))
KPPAPI(KppStatus, kppsMeanStdDev_32f, (const Kpp32f* pSrc, int len, Kpp32f* pMean, Kpp32f* pStdDev, KppHintAlgorithm hint))
KPPAPI(KppStatus, kppsMax_32f,    (const Kpp32f* pSrc, int len, Kpp32f* pMax))
KPPAPI(KppStatus, kppsMin_32f,    (const Kpp32f* pSrc, int len, Kpp32f* pMin))
KPPAPI(KppStatus, kppsMaxIndx_32f,(const Kpp32f* pSrc, int len, Kpp32f* pMax, int* pIndx))
KPPAPI(KppStatus, kppsMaxAbs_16s, (const Kpp16s* pSrc, int len, Kpp16s* pMaxAbs))
KPPAPI(KppStatus, kppsMaxEvery_32f, (const Kpp32f* pSrc1, const Kpp32f* pSrc2, Kpp32f* pDst, Kpp32u len))
KPPAPI(KppStatus, kppsMinEvery_32f_I, (const Kpp32f* pSrc, Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsNorm_Inf_32f, (const Kpp32f* pSrc, int len, Kpp32f* pNorm))
KPPAPI(KppStatus, kppsNorm_L1_32f,  (const Kpp32f* pSrc, int len, Kpp32f* pNorm))
KPPAPI(KppStatus, kppsNorm_L2_32f,  (const Kpp32f* pSrc, int len, Kpp32f* pNorm))
KPPAPI(KppStatus, kppsNormDiff_L2_32f, (const Kpp32f* pSrc1, const Kpp32f* pSrc2, int len, Kpp32f* pNorm))
KPPAPI(KppStatus, kppsDotProd_32f, (const Kpp32f* pSrc1, const Kpp32f* pSrc2, int len, Kpp32f* pDp))
KPPAPI(KppStatus, kppsSortAscend_32f_I, (Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsZeroCrossing_32f, (const Kpp32f* pSrc, Kpp32u len, Kpp32f* pValZCR, int zcType))
KPPAPI(KppStatus, kppsFlip_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int len))

/* /////////////////////////////////////////////////////////////////////////////
//                  Windows, filters, transforms
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppsWinHann_32f_I, (Kpp32f* pSrcDst, int len))
KPPAPI(KppStatus, kppsFIRSR_32f, (const Kpp32f* pSrc, Kpp32f* pDst, int numIters, const Kpp32f* pTaps, int tapsLen, const Kpp32f* pDlySrc, Kpp32f* pDlyDst, Kpp8u* pBuf))
KPPAPI(KppStatus, kppsFFTInit_R_32f, (KppsFFTSpec_R_32f** ppFFTSpec, int order, int flag, KppHintAlgorithm hint, Kpp8u* pSpec, Kpp8u* pSpecBuffer))
KPPAPI(KppStatus, kppsFFTFwd_RToCCS_32f, (const Kpp32f* pSrc, Kpp32f* pDst, const KppsFFTSpec_R_32f* pFFTSpec, Kpp8u* pBuffer))
KPPAPI(KppStatus, kppsMagnitude_32fc, (const Kpp32fc* pSrc, Kpp32f* pDst, int len))

/* /////////////////////////////////////////////////////////////////////////////
//                  Images: steps count bytes from row to row
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppiAdd_32f_C1R, (const Kpp32f* pSrc1, int src1Step, const Kpp32f* pSrc2, int src2Step, Kpp32f* pDst, int dstStep, KppiSize roiSize))
KPPAPI(KppStatus, kppiTranspose_32f_C1R, (const Kpp32f* pSrc, int srcStep, Kpp32f* pDst, int dstStep, KppiSize roiSize))
KPPAPI(KppStatus, kppiCompare_32f_C1R, (const Kpp32f* pSrc1, int src1Step, const Kpp32f* pSrc2, int src2Step, Kpp8u* pDst, int dstStep, KppiSize roiSize, KppCmpOp kppCmpOp))
KPPAPI(KppStatus, kppiRGBToGray_8u_C3C1R, (const Kpp8u* pSrc, int srcStep, Kpp8u* pDst, int dstStep, KppiSize roiSize))
KPPAPI(KppStatus, kppiFilterGaussBorder_32f_C1R, (const Kpp32f* pSrc, int srcStep, Kpp32f* pDst, int dstStep, KppiSize roiSize, int kernelSize, Kpp32f sigma, Kpp8u* pBuffer))
KPPAPI(KppStatus, kppiResizeLinear_32f_C1R, (const Kpp32f* pSrc, int srcStep, Kpp32f* pDst, int dstStep, KppiPoint dstOffset, KppiSize dstSize, const KppiResizeSpec_32f* pSpec, Kpp8u* pBuffer))
KPPAPI(KppStatus, kppiDCTQuantInv8x8LS_JPEG_16s8u_C1R, (const Kpp16s* pSrc, Kpp8u* pDst, int dstStep, const Kpp16u* pQuantInvTable))

/* /////////////////////////////////////////////////////////////////////////////
//                  Cryptography
///////////////////////////////////////////////////////////////////////////// */
KPPAPI(KppStatus, kppcAESEncryptCBC, (const Kpp8u* pSrc, Kpp8u* pDst, int len, const KppcAESSpec* pCtx, const Kpp8u* pIV))
KPPAPI(KppStatus, kppcHashSHA256, (const Kpp8u* pSrc, int len, Kpp8u* pMD))

#ifdef __cplusplus
}
#endif
#endif /* __KPP_H__ */
