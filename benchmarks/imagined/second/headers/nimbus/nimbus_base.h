/**
 * Nimbus Operator Library
 * An imagined vendor's header.
 */
#ifndef NIMBUS_BASE_H
#define NIMBUS_BASE_H

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t nimRet;
#define NIM_RET_OK           0
#define NIM_RET_PARAM        161001
#define NIM_RET_RUNTIME      361001
#define NIM_RET_INNER        561000

typedef struct nimTensor      nimTensor;
typedef struct nimScalar      nimScalar;
typedef struct nimIntArray    nimIntArray;
typedef struct nimTensorList  nimTensorList;
typedef struct nimTask        nimTask;
typedef void *nimStream;

typedef enum { NIM_DT_F32 = 0, NIM_DT_F16 = 1, NIM_DT_I8 = 2, NIM_DT_I32 = 3, NIM_DT_I64 = 9, NIM_DT_BOOL = 12, NIM_DT_BF16 = 27 } nimDataType;
typedef enum { NIM_FORMAT_ND = 2, NIM_FORMAT_NCHW = 0, NIM_FORMAT_NHWC = 1, NIM_FORMAT_NZ = 29 } nimFormat;

nimRet nimInit(const char *configPath);
nimRet nimFinalize(void);
const char *nimLastErrorMessage(void);

/* meta objects do not own device memory */
nimTensor *nimCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, nimDataType dataType, const int64_t *stride, int64_t offset, nimFormat format, void *deviceAddr);
nimRet nimDestroyTensor(const nimTensor *tensor);
nimRet nimTensorSetAddr(nimTensor *tensor, void *deviceAddr);
nimRet nimTensorGetViewShape(const nimTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
nimScalar *nimCreateScalar(const void *value, nimDataType dataType);
nimRet nimDestroyScalar(const nimScalar *scalar);
nimIntArray *nimCreateIntArray(const int64_t *value, uint64_t size);
nimRet nimDestroyIntArray(const nimIntArray *array);
nimTensorList *nimCreateTensorList(const nimTensor *const *value, uint64_t size);
nimRet nimDestroyTensorList(const nimTensorList *list);

#ifdef __cplusplus
}
#endif
#endif
