/* Heron: an invented image processor. Tensors are structs, images lie NHWC alone, sizes come in multiples, and bytes
 * have a zero point. */
#ifndef HERON_H
#define HERON_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define HN_LANES 32

typedef enum hn_status {
  HN_SUCCESS = 0,
  HN_ERROR_INVALID_VALUE = 1,
  HN_ERROR_OUT_OF_MEMORY = 2,
  HN_ERROR_NOT_SUPPORTED = 3
} hn_status_t;
typedef enum hn_dtype { HN_FLOAT32 = 0, HN_FLOAT16 = 1 } hn_dtype_t;
typedef enum hn_layout { HN_LAYOUT_NHWC = 0 } hn_layout_t;
typedef enum hn_copy { HN_HOST_TO_DEVICE = 0, HN_DEVICE_TO_HOST = 1, HN_DEVICE_TO_DEVICE = 2 } hn_copy_t;

/* A dense tensor; its data must be 64-byte aligned. */
typedef struct hn_tensor {
  void *data;
  hn_dtype_t dtype;
  hn_layout_t layout;
  int ndim;
  int dims[4];
} hn_tensor_t;

hn_status_t hn_malloc(void **ptr, size_t size);
hn_status_t hn_free(void *ptr);
hn_status_t hn_memcpy(void *dst, const void *src, size_t size, hn_copy_t kind);
hn_status_t hn_synchronize(void);

/* Weights lie as their images do. The bias may be NULL. Input channels and output channels must be multiples of 8. */
hn_status_t hn_conv2d(const hn_tensor_t *input, const hn_tensor_t *weight, const hn_tensor_t *bias, hn_tensor_t *output,
                      const int stride[2], const int padding[2], const int dilation[2], int groups);
/* The padded border counts. */
hn_status_t hn_avg_pool2d(const hn_tensor_t *input, hn_tensor_t *output, const int kernel[2], const int stride[2],
                          const int padding[2]);

/* c = a * b, row-major. M, N and K must be multiples of 16. */
hn_status_t hn_matmul(const float *a, const float *b, float *c, int m, int n, int k);

/* n must be a multiple of HN_LANES. */
hn_status_t hn_relu(const float *in, float *out, size_t n);
/* n must be a multiple of HN_LANES. */
hn_status_t hn_mul(const float *a, const float *b, float *out, size_t n);

/* out - out_zero_point = (a - a_zero_point) + (b - b_zero_point). */
hn_status_t hn_add(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n, int32_t a_zero_point,
                   int32_t b_zero_point, int32_t out_zero_point);
hn_status_t hn_maximum(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n, int32_t zero_point);

#ifdef __cplusplus
}
#endif
#endif
