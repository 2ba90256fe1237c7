/*!
 * \file  fjall_dnn.h
 * \brief Deep learning primitives for Fjall F4/F8 cards
 *
 * Fjall AS. Proprietary. See EULA.pdf.
 *
 * Changelog
 *  1.3  added FjdGatherElements, FjdAttention
 *  1.2  FjdReduce got its own rule; FjdSetForm4 is obsolete
 *  1.0  first public relase
 */
#ifndef FJALL_DNN_H_INCLUDED
#define FJALL_DNN_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#  define FJD_C extern "C"
#else
#  define FJD_C
#endif
#define FJD_VER 10300

typedef enum
{
    FJD_RET_SUCCESS       = 0,
    FJD_RET_NULL          = 1,
    FJD_RET_FORM_MISMATCH = 2,
    FJD_RET_NOT_BUILT     = 3,
    FJD_RET_WORKMEM       = 4,
    FJD_RET_EXEC          = 5
} FjdRet;

typedef struct FjdSeat  *FjdSeat_t;   /*!< library state of one host thread on one card  */
typedef struct FjdForm  *FjdForm_t;   /*!< element type, sizes and strides of an array   */
typedef struct FjdWeft  *FjdWeft_t;   /*!< the driver's queue                            */

typedef struct FjdConvRule   *FjdConvRule_t;
typedef struct FjdPoolRule   *FjdPoolRule_t;
typedef struct FjdActRule    *FjdActRule_t;
typedef struct FjdReduceRule *FjdReduceRule_t;

typedef enum { FJD_FLOAT = 0, FJD_HALF = 1, FJD_BFLOAT = 2, FJD_INT32 = 3, FJD_CHAR = 4, FJD_BYTE = 5, FJD_BOOL = 6, FJD_INT64 = 7 } FjdElem;
typedef enum { FJD_ACT_RELU, FJD_ACT_CLIPPED, FJD_ACT_SIGMOID, FJD_ACT_TANH, FJD_ACT_ELU, FJD_ACT_GELU, FJD_ACT_SWISH, FJD_ACT_SOFTPLUS } FjdAct;
typedef enum { FJD_POOL_MAX, FJD_POOL_MEAN_INCL_PAD, FJD_POOL_MEAN_EXCL_PAD } FjdPool;
typedef enum { FJD_RD_ADD, FJD_RD_MEAN, FJD_RD_MAX, FJD_RD_MIN, FJD_RD_MUL, FJD_RD_NORM1, FJD_RD_NORM2 } FjdReduceOp;
typedef enum { FJD_BIN_ADD, FJD_BIN_SUB, FJD_BIN_MUL, FJD_BIN_DIV, FJD_BIN_MAX, FJD_BIN_MIN } FjdBinOp;
typedef enum { FJD_REL_EQ, FJD_REL_NE, FJD_REL_GT, FJD_REL_GE, FJD_REL_LT, FJD_REL_LE } FjdRelOp;
typedef enum { FJD_SOFTMAX_PLAIN, FJD_SOFTMAX_LOG } FjdSoftmaxKind;
typedef enum { FJD_CONV_ALGO_AUTO = -1, FJD_CONV_ALGO_DIRECT = 0, FJD_CONV_ALGO_GEMM = 1, FJD_CONV_ALGO_WINOGRAD = 2 } FjdConvAlgo;

/* ----- seat ----- */
FJD_C FjdRet FjdTakeSeat(FjdSeat_t *seat, int card);
FJD_C FjdRet FjdLeaveSeat(FjdSeat_t seat);
FJD_C FjdRet FjdSeatUseWeft(FjdSeat_t seat, FjdWeft_t weft);
FJD_C FjdRet FjdSeatGetWeft(FjdSeat_t seat, FjdWeft_t *weft);
FJD_C const char *FjdRetToText(FjdRet ret);
FJD_C int FjdVersion(void);

/* ----- forms ----- */
FJD_C FjdRet FjdMakeForm(FjdForm_t *form);
FJD_C FjdRet FjdUnmakeForm(FjdForm_t form);
/*! strides may be NULL: the array is dense */
FJD_C FjdRet FjdSetForm(FjdForm_t form, FjdElem elem, int rank, const int64_t *sizes, const int64_t *strides);
FJD_C FjdRet FjdSetForm4(FjdForm_t form, FjdElem elem, int n, int c, int h, int w);   /* obsolete */
FJD_C FjdRet FjdGetForm(FjdForm_t form, FjdElem *elem, int *rank, int64_t *sizes, int64_t *strides, int room);
FJD_C FjdRet FjdFormBytes(FjdForm_t form, size_t *bytes);

/* ----- rules ----- */
FJD_C FjdRet FjdMakeConvRule(FjdConvRule_t *rule);
FJD_C FjdRet FjdSetConvRule(FjdConvRule_t rule, int spatial, const int *pad, const int *stride, const int *dilate, int groups);
FJD_C FjdRet FjdUnmakeConvRule(FjdConvRule_t rule);
FJD_C FjdRet FjdMakePoolRule(FjdPoolRule_t *rule);
FJD_C FjdRet FjdSetPoolRule(FjdPoolRule_t rule, FjdPool kind, int winH, int winW, int padH, int padW, int strideH, int strideW);
FJD_C FjdRet FjdUnmakePoolRule(FjdPoolRule_t rule);
FJD_C FjdRet FjdMakeActRule(FjdActRule_t *rule);
FJD_C FjdRet FjdSetActRule(FjdActRule_t rule, FjdAct kind, double coef);
FJD_C FjdRet FjdUnmakeActRule(FjdActRule_t rule);
FJD_C FjdRet FjdMakeReduceRule(FjdReduceRule_t *rule);
/*! The axes that are reduced are those where the size of the result is 1. */
FJD_C FjdRet FjdSetReduceRule(FjdReduceRule_t rule, FjdReduceOp op, FjdElem accum);
FJD_C FjdRet FjdUnmakeReduceRule(FjdReduceRule_t rule);

/* ----- primitives: asynchronous on the weft of the seat ----- */

/*! y = conv(x, w). The form of w is [out, in / groups, h, w]. */
FJD_C FjdRet FjdConvForward(FjdSeat_t seat, const FjdConvRule_t rule, FjdConvAlgo algo,
                            const FjdForm_t xForm, const void *x, const FjdForm_t wForm, const void *w,
                            const FjdForm_t yForm, void *y, void *work, size_t workBytes);
FJD_C FjdRet FjdConvForwardWork(FjdSeat_t seat, const FjdConvRule_t rule, FjdConvAlgo algo, const FjdForm_t xForm, const FjdForm_t wForm, const FjdForm_t yForm, size_t *workBytes);
FJD_C FjdRet FjdConvBackwardData(FjdSeat_t seat, const FjdConvRule_t rule, const FjdForm_t wForm, const void *w, const FjdForm_t dyForm, const void *dy,
                                 const FjdForm_t dxForm, void *dx, void *work, size_t workBytes);
/*! y = act(conv(x, w) + z + b) */
FJD_C FjdRet FjdConvResidualAct(FjdSeat_t seat, const FjdConvRule_t rule, const FjdActRule_t act, const FjdForm_t xForm, const void *x, const FjdForm_t wForm, const void *w,
                                const FjdForm_t zForm, const void *z, const FjdForm_t bForm, const void *b, const FjdForm_t yForm, void *y, void *work, size_t workBytes);

FJD_C FjdRet FjdPoolForward(FjdSeat_t seat, const FjdPoolRule_t rule, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdActForward(FjdSeat_t seat, const FjdActRule_t rule, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdActBackward(FjdSeat_t seat, const FjdActRule_t rule, const FjdForm_t yForm, const void *y, const FjdForm_t dyForm, const void *dy, const FjdForm_t xForm, const void *x, const FjdForm_t dxForm, void *dx);

/*! c = a (op) b; sizes of 1 are stretched */
FJD_C FjdRet FjdBinary(FjdSeat_t seat, FjdBinOp op, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, const FjdForm_t cForm, void *c);
/*! c is FJD_BOOL */
FJD_C FjdRet FjdRelate(FjdSeat_t seat, FjdRelOp op, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, const FjdForm_t cForm, void *c);
FJD_C FjdRet FjdReduce(FjdSeat_t seat, const FjdReduceRule_t rule, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y, void *work, size_t workBytes);
FJD_C FjdRet FjdReduceWork(FjdSeat_t seat, const FjdReduceRule_t rule, const FjdForm_t xForm, const FjdForm_t yForm, size_t *workBytes);
FJD_C FjdRet FjdSoftmax(FjdSeat_t seat, FjdSoftmaxKind kind, int axis, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);

/*  Elementwise primitives below want equal sizes for x and y. */
FJD_C FjdRet FjdExp(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdLog(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdLog1p(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdSqrt(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdRsqrt(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdAtan(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdErf(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdAbs(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdNegative(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdFloor(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdCeil(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdSigmoidHard(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdNot(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);   /*!< logical */
/*! y = a ^ b, both arrays */
FJD_C FjdRet FjdPow(FjdSeat_t seat, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, const FjdForm_t yForm, void *y);
/*! Modulus with the sign of the divisor (as Python's %). */
FJD_C FjdRet FjdFloorMod(FjdSeat_t seat, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, const FjdForm_t yForm, void *y);
/*! y = x + value * a / b */
FJD_C FjdRet FjdAddDivided(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, float value, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdWhere(FjdSeat_t seat, const FjdForm_t condForm, const void *cond, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdConvertElem(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdFill(FjdSeat_t seat, const void *hostValue, const FjdForm_t yForm, void *y);

/*! y = x * w' + b. w is [out, in]. b may be NULL, then bForm too */
FJD_C FjdRet FjdInnerProduct(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const FjdForm_t wForm, const void *w, const FjdForm_t bForm, const void *b, const FjdForm_t yForm, void *y);
/*! c = alpha * op(a) * op(b) + beta * c; rank 3 forms are batches */
FJD_C FjdRet FjdMatMul(FjdSeat_t seat, int transA, int transB, const float *alpha, const FjdForm_t aForm, const void *a, const FjdForm_t bForm, const void *b, const float *beta, const FjdForm_t cForm, void *c);
FJD_C FjdRet FjdLayerNorm(FjdSeat_t seat, int beginAxis, double eps, const FjdForm_t xForm, const void *x, const FjdForm_t gbForm, const void *gamma, const void *beta, const FjdForm_t yForm, void *y, void *mean, void *rstd);
FJD_C FjdRet FjdBatchNormInfer(FjdSeat_t seat, double eps, const FjdForm_t xForm, const void *x, const FjdForm_t statForm, const void *scale, const void *bias, const void *mean, const void *var, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdEmbedding(FjdSeat_t seat, const FjdForm_t tableForm, const void *table, const FjdForm_t idForm, const void *id, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdIndexSelect(FjdSeat_t seat, int axis, const FjdForm_t xForm, const void *x, const FjdForm_t idForm, const void *id, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdGatherElements(FjdSeat_t seat, int axis, const FjdForm_t xForm, const void *x, const FjdForm_t idForm, const void *id, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdTransposeAxes(FjdSeat_t seat, const int *perm, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdConcat(FjdSeat_t seat, int axis, int count, const FjdForm_t *xForms, const void *const *xs, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdTri(FjdSeat_t seat, int upper, int diag, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdCumulate(FjdSeat_t seat, int axis, int exclusive, int reverse, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdAttention(FjdSeat_t seat, const FjdForm_t qForm, const void *q, const FjdForm_t kForm, const void *k, const FjdForm_t vForm, const void *v, const FjdForm_t maskForm, const void *mask, float scale, const FjdForm_t yForm, void *y, void *work, size_t workBytes);

FJD_C FjdRet FjdQuantize(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const float *scale, const int *zero, int axis, const FjdForm_t yForm, void *y);
FJD_C FjdRet FjdDropout(FjdSeat_t seat, float ratio, uint64_t seed, const FjdForm_t xForm, const void *x, const FjdForm_t yForm, void *y, void *mask);
FJD_C FjdRet FjdSpatialTransform(FjdSeat_t seat, const FjdForm_t xForm, const void *x, const void *theta, const FjdForm_t yForm, void *y);

#endif
