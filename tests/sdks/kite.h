/* Kite: an invented accelerator. Plain pointers to device memory, and a handle of the library for every function. */
#ifndef KITE_H
#define KITE_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { KITE_OK = 0, KITE_NOT_SUPPORTED = 1, KITE_BAD_PARAM = 2, KITE_INTERNAL_ERROR = 3 } kiteStatus;
typedef enum { KITE_ACT_RELU, KITE_ACT_TANH, KITE_ACT_SIGMOID } kite_act;
typedef struct kite_context *kite_handle_t;
typedef struct kite_queue *kite_stream_t;

kiteStatus kite_device_count(int *count);
kiteStatus kite_set_device(int device);
kiteStatus kite_device_synchronize(void);
kiteStatus kite_malloc(void **ptr, size_t bytes);
kiteStatus kite_free(void *ptr);
kiteStatus kite_memcpy_h2d(void *dst, const void *src, size_t bytes);
kiteStatus kite_memcpy_d2h(void *dst, const void *src, size_t bytes);

/* A handle belongs to the thread that made it. */
kiteStatus kite_create(kite_handle_t *handle);
kiteStatus kite_destroy(kite_handle_t handle);
/* NULL is the default stream. */
kiteStatus kite_set_stream(kite_handle_t handle, kite_stream_t stream);

/* out[i] = a[i] op b[i] */
kiteStatus kite_add_f32(kite_handle_t h, const float *a, const float *b, float *out, size_t n);
kiteStatus kite_add_f64(kite_handle_t h, const double *a, const double *b, double *out, size_t n);
kiteStatus kite_sub_f32(kite_handle_t h, const float *a, const float *b, float *out, size_t n);
kiteStatus kite_activation(kite_handle_t h, kite_act kind, const float *x, float *y, size_t n);
/* Runs in the stream; NULL is the default one. */
kiteStatus kite_exp(kite_handle_t h, const float *x, float *y, size_t n, kite_stream_t stream);
/* Over the columns of each row. */
kiteStatus kite_softmax(kite_handle_t h, const float *x, float *y, size_t rows, size_t cols);
/* One value for each row. */
kiteStatus kite_reduce_sum(kite_handle_t h, const float *x, float *y, size_t rows, size_t cols);
/* C = A B for row-major matrices: A is m x k, B is k x n. */
kiteStatus kite_matmul(kite_handle_t h, const float *A, const float *B, float *C, int m, int n, int k);

#ifdef __cplusplus
}
#endif
#endif
