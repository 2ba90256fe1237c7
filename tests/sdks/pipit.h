/* Pipit: an invented accelerator. Tensors are views that the caller fills and no function changes, not even the one that
 * results go to; numbers stand beside their type; one question for each family of ops says how much scratch they need. */
#ifndef PIPIT_H
#define PIPIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t ptCode;
#define PT_SUCCESS 0
#define PT_ERR_ARGUMENT (-1)
#define PT_NOT_SUPPORTED (-2)
#define PT_ERR_SCRATCH (-3)
#define PT_ERR_NO_MEMORY (-4)

typedef enum ptElement { PT_FLOAT32 = 1, PT_FLOAT16 = 2, PT_INT32 = 4, PT_INT64 = 5, PT_BOOL = 7 } ptElement;
typedef struct pt_stream *ptStream;

/* Strides are in elements. */
typedef struct ptPane {
  void *base;
  int64_t offset;
  ptElement type;
  int32_t rank;
  int64_t size[6];
  int64_t stride[6];
} ptPane;

typedef struct ptNumber {
  ptElement type;
  union { double real; int64_t whole; bool truth; } as;
} ptNumber;

typedef struct ptConvAttr {
  int32_t nspatial;
  int64_t stride[3], pad_lo[3], pad_hi[3], dilation[3];
  int64_t group;
  bool transposed;
} ptConvAttr;

ptCode ptDeviceCount(int32_t *n);
ptCode ptDeviceSelect(int32_t ordinal);
ptCode ptDeviceWaitIdle(void);
ptCode ptMemAlloc(void **ptr, size_t bytes);
ptCode ptMemFree(void *ptr);
ptCode ptMemUpload(void *device_dst, const void *host_src, size_t bytes, ptStream stream);
ptCode ptMemDownload(void *host_dst, const void *device_src, size_t bytes, ptStream stream);

/* out = a (op) b */
ptCode ptBinaryScratchQuery(const ptPane *a, const ptPane *b, const ptPane *out, size_t *scratch_bytes);
ptCode ptMulLaunch(const ptPane *a, const ptPane *b, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
ptCode ptMaximumLaunch(const ptPane *a, const ptPane *b, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
ptCode ptLessLaunch(const ptPane *a, const ptPane *b, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
/* out = a + alpha * b */
ptCode ptAddLaunch(const ptPane *a, const ptPane *b, ptNumber alpha, const ptPane *out, void *scratch, size_t scratch_bytes,
                   ptStream stream);

ptCode ptUnaryScratchQuery(const ptPane *in, const ptPane *out, size_t *scratch_bytes);
ptCode ptExpLaunch(const ptPane *in, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
ptCode ptReluLaunch(const ptPane *in, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
ptCode ptLeakyReluLaunch(const ptPane *in, float slope, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
/* Keeps x within [lo, hi]; a limit that is NULL is none. */
ptCode ptClampLaunch(const ptPane *in, const ptNumber *lo, const ptNumber *hi, const ptPane *out, void *scratch,
                     size_t scratch_bytes, ptStream stream);

ptCode ptReduceScratchQuery(const ptPane *in, const int32_t *axes, int32_t naxes, const ptPane *out, size_t *scratch_bytes);
ptCode ptReduceSumLaunch(const ptPane *in, const int32_t *axes, int32_t naxes, bool keep, const ptPane *out, void *scratch,
                         size_t scratch_bytes, ptStream stream);
ptCode ptReduceMaxLaunch(const ptPane *in, const int32_t *axes, int32_t naxes, bool keep, const ptPane *out, void *scratch,
                         size_t scratch_bytes, ptStream stream);

/* 2-D by 2-D, or batched over equal leading dimensions. */
ptCode ptMatMulScratchQuery(const ptPane *a, const ptPane *b, const ptPane *out, size_t *scratch_bytes);
ptCode ptMatMulLaunch(const ptPane *a, const ptPane *b, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
ptCode ptConvolutionScratchQuery(const ptPane *in, const ptPane *weight, const ptConvAttr *attr, const ptPane *out,
                                 size_t *scratch_bytes);
/* bias may be NULL */
ptCode ptConvolutionLaunch(const ptPane *in, const ptPane *weight, const ptPane *bias, const ptConvAttr *attr,
                           const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);
ptCode ptSoftmaxScratchQuery(const ptPane *in, int32_t axis, size_t *scratch_bytes);
ptCode ptSoftmaxLaunch(const ptPane *in, int32_t axis, const ptPane *out, void *scratch, size_t scratch_bytes, ptStream stream);

ptCode ptConcatLaunch(const ptPane *const *ins, int32_t nins, int32_t axis, const ptPane *out, ptStream stream);
ptCode ptPermuteLaunch(const ptPane *in, const int32_t *order, const ptPane *out, ptStream stream);

#ifdef __cplusplus
}
#endif
#endif
