#ifndef SGL_DEFS_H_INCLUDED
#define SGL_DEFS_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SGL_EXTERN extern "C"
#else
#define SGL_EXTERN extern
#endif

#if defined(_WIN32)
#define SGL_CALL __stdcall
#define SGL_PUBLIC __declspec(dllimport)
#else
#define SGL_CALL
#define SGL_PUBLIC __attribute__((visibility("default")))
#endif

#define SGL_API(type) SGL_EXTERN SGL_PUBLIC type SGL_CALL

#define SGL_VER_MAJOR 4
#define SGL_VER_MINOR 1
#define SGL_VER_PATCH 7

typedef int sglStatus;

static const sglStatus SGL_NO_ERROR = 0;
static const sglStatus SGL_ERROR_PARAM = 101;
static const sglStatus SGL_ERROR_ALLOC = 102;
static const sglStatus SGL_ERROR_DEVICE = 103;
static const sglStatus SGL_ERROR_EXEC = 104;
static const sglStatus SGL_ERROR_ARCH = 105;

typedef struct sglHandleRec *sglHandle;
typedef struct sglStreamRec *sglStream;
typedef struct sglEventRec *sglEvent;

typedef struct { float re, im; } sglComplex;
typedef struct { double re, im; } sglDoubleComplex;
typedef uint16_t sglHalf;

typedef enum { SGL_OP_N = 111, SGL_OP_T = 112, SGL_OP_C = 113 } sglOperation;
typedef enum { SGL_UPPER = 121, SGL_LOWER = 122 } sglFill;
typedef enum { SGL_NON_UNIT = 131, SGL_UNIT = 132 } sglDiag;
typedef enum { SGL_LEFT = 141, SGL_RIGHT = 142 } sglSide;
typedef enum { SGL_COPY_HOST_TO_HOST = 0, SGL_COPY_DEVICE_TO_HOST = 1, SGL_COPY_HOST_TO_DEVICE = 2, SGL_COPY_DEVICE_TO_DEVICE = 3 } sglCopyDir;

#endif
