/* Signum Primitives - definitions. An imagined vendor's header. */
#ifndef SGNDEFS_H
#define SGNDEFS_H

#if defined(_WIN32)
#define SGN_STDCALL __stdcall
#else
#define SGN_STDCALL
#endif

#ifdef __cplusplus
#define SGN_C extern "C"
#else
#define SGN_C extern
#endif

#define SGNAPI(type, name, arg) SGN_C type SGN_STDCALL name arg;

typedef unsigned char  Sgn8u;
typedef signed char    Sgn8s;
typedef unsigned short Sgn16u;
typedef short          Sgn16s;
typedef int            Sgn32s;
typedef unsigned int   Sgn32u;
typedef float          Sgn32f;
typedef double         Sgn64f;
typedef struct { Sgn32f re, im; } Sgn32fc;
typedef struct { int width, height; } SgnSize;
typedef struct { int x, y, width, height; } SgnRect;

typedef enum {
    sgnStsNoErr = 0,
    sgnStsBadArgErr = -5,
    sgnStsSizeErr = -6,
    sgnStsNullPtrErr = -8,
    sgnStsMemAllocErr = -9,
    sgnStsStepErr = -14,
    sgnStsDivByZero = 6,
    sgnStsLnZeroArg = 7
} SgnStatus;

typedef enum { sgnRndZero, sgnRndNear, sgnRndFinancial } SgnRoundMode;
typedef enum { sgnCmpLess, sgnCmpLessEq, sgnCmpEq, sgnCmpGreaterEq, sgnCmpGreater } SgnCmpOp;

typedef struct {
    void *hQueue;
    int   nDeviceId;
    int   nUnits;
    unsigned nFlags;
} SgnQueueContext;

#endif
