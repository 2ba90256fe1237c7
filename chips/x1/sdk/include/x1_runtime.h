/*
 * X1-Edge Runtime API, release 1.2.0
 *
 * Two cores per board. Device memory is not visible to the host: use x1_memcpy, or map host memory.
 * Every function returns X1_SUCCESS or an error code; x1_get_last_error() gives the text for the calling thread.
 */
#ifndef X1_RUNTIME_H
#define X1_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#define X1_VERSION_MAJOR 1
#define X1_VERSION_MINOR 2
#define X1_VERSION_PATCH 0
#define X1_MAX_DIMS 4

#if defined(__GNUC__)
#define X1_API __attribute__((visibility("default")))
#else
#define X1_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum x1_status {
    X1_SUCCESS = 0,
    X1_ERROR_NOT_INITIALIZED = 1,
    X1_ERROR_INVALID_VALUE = 2,
    X1_ERROR_OUT_OF_MEMORY = 3,
    X1_ERROR_UNSUPPORTED = 4,
    X1_ERROR_DEVICE = 5,
    X1_ERROR_NOT_READY = 6
} x1_status_t;

typedef enum x1_dtype {
    X1_DTYPE_FLOAT32 = 0,
    X1_DTYPE_FLOAT16 = 1,
    X1_DTYPE_INT8 = 2
} x1_dtype_t;

typedef enum x1_memcpy_kind {
    X1_MEMCPY_HOST_TO_DEVICE = 1,
    X1_MEMCPY_DEVICE_TO_HOST = 2,
    X1_MEMCPY_DEVICE_TO_DEVICE = 3
} x1_memcpy_kind_t;

typedef enum x1_transpose {
    X1_NO_TRANS = 0,
    X1_TRANS = 1
} x1_transpose_t;

typedef enum x1_layout {
    X1_LAYOUT_NCHW = 0,
    X1_LAYOUT_NHWC = 1
} x1_layout_t;

/* A dense tensor in device memory. */
typedef struct x1_tensor {
    void        *data;
    x1_dtype_t   dtype;
    x1_layout_t  layout;
    int          ndim;
    int          dims[X1_MAX_DIMS];     /* always in N, C, H, W order */
} x1_tensor_t;

/* ---- runtime ---------------------------------------------------------- */
X1_API x1_status_t x1_init(void);
X1_API x1_status_t x1_shutdown(void);
X1_API x1_status_t x1_get_device_count(int *count);
X1_API x1_status_t x1_set_device(int device);
X1_API x1_status_t x1_get_device(int *device);
X1_API x1_status_t x1_get_device_name(int device, char *name, size_t size);
X1_API x1_status_t x1_device_synchronize(void);
X1_API const char *x1_get_last_error(void);
X1_API x1_status_t x1_get_temperature(int device, float *celsius);

/* ---- memory ----------------------------------------------------------- */
X1_API x1_status_t x1_malloc(void **ptr, size_t size);
X1_API x1_status_t x1_free(void *ptr);
X1_API x1_status_t x1_memcpy(void *dst, const void *src, size_t size, x1_memcpy_kind_t kind);
X1_API x1_status_t x1_memset(void *ptr, int value, size_t size);
X1_API x1_status_t x1_mem_get_info(size_t *free_bytes, size_t *total_bytes);
/* Make page-aligned host memory addressable by the cores; *device_ptr is valid until x1_mem_unmap. */
X1_API x1_status_t x1_mem_map(void *host_ptr, size_t size, void **device_ptr);
X1_API x1_status_t x1_mem_unmap(void *host_ptr);

/* ---- element-wise, n elements ------------------------------------------ */
X1_API x1_status_t x1_add(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_sub(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype);      /* a - b */
X1_API x1_status_t x1_mul(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_div(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype);      /* a / b */
X1_API x1_status_t x1_maximum(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_minimum(const void *a, const void *b, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_relu(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_neg(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_abs(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_exp(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_log(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_sqrt(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_rsqrt(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_sigmoid(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_tanh(const void *in, void *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_silu(const void *in, void *out, size_t n, x1_dtype_t dtype);
/* out = in > 0 ? in : slope * in */
X1_API x1_status_t x1_leaky_relu(const void *in, void *out, size_t n, float negative_slope, x1_dtype_t dtype);

/* out = in * P(X <= in), X standard normal: the form with erf */
X1_API x1_status_t x1_gelu(const void *in, void *out, size_t n, x1_dtype_t dtype);

/* ---- comparison and selection, n elements; a mask has one byte for each, 0 or 1 -- */
X1_API x1_status_t x1_equal(const void *a, const void *b, uint8_t *out, size_t n, x1_dtype_t dtype);
X1_API x1_status_t x1_greater(const void *a, const void *b, uint8_t *out, size_t n, x1_dtype_t dtype); /* a > b */
/* out = condition ? a : b */
X1_API x1_status_t x1_where(const uint8_t *condition, const void *a, const void *b, void *out, size_t n,
                            x1_dtype_t dtype);
X1_API x1_status_t x1_masked_fill(const void *in, const uint8_t *mask, void *out, size_t n, float value,
                                  x1_dtype_t dtype);
X1_API x1_status_t x1_cast(const void *in, x1_dtype_t in_dtype, void *out, x1_dtype_t out_dtype, size_t n);

/* ---- along one axis: in is [outer][n][inner] ------------------------------ */
/* out is [outer][inner]. */
X1_API x1_status_t x1_reduce_sum(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype);
X1_API x1_status_t x1_reduce_mean(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype);
X1_API x1_status_t x1_reduce_max(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype);
/* The place of the largest element, of the first where several are equal. */
X1_API x1_status_t x1_argmax(const void *in, int64_t *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype);
/* out has the shape of in. */
X1_API x1_status_t x1_softmax(const void *in, void *out, size_t outer, size_t n, size_t inner, x1_dtype_t dtype);
/* Over each row. */
X1_API x1_status_t x1_log_softmax(const void *in, void *out, int rows, int cols, x1_dtype_t dtype);

/* ---- matrix ------------------------------------------------------------ */
/* Row-major: C[m x n] = alpha * op(A)[m x k] * op(B)[k x n] + beta * C. ld* is the distance between rows. */
X1_API x1_status_t x1_gemm(x1_dtype_t dtype, x1_transpose_t trans_a, x1_transpose_t trans_b, int m, int n, int k,
                           float alpha, const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc);

/* ---- neural network ---------------------------------------------------- */
/* bias may be NULL. Symmetric zero padding; stride, padding and dilation are {height, width}. */
X1_API x1_status_t x1_conv2d(const x1_tensor_t *input, const x1_tensor_t *weight, const x1_tensor_t *bias,
                             x1_tensor_t *output, const int stride[2], const int padding[2], const int dilation[2],
                             int groups);

/* Each row to mean 0 and variance 1, then times weight plus bias, which may be NULL. mean and rstd have one value
 * per row, in the type of in. */
X1_API x1_status_t x1_layer_norm(const void *in, const void *weight, const void *bias, void *out, void *mean,
                                 void *rstd, int rows, int cols, float eps, x1_dtype_t dtype);
/* Each row divided by the root of its mean square; weight may be NULL. */
X1_API x1_status_t x1_rms_norm(const void *in, const void *weight, void *out, int rows, int cols, float eps,
                               x1_dtype_t dtype);
/* Inference: in is [batch][channels][spatial], the statistics have one value per channel. weight and bias may be NULL. */
X1_API x1_status_t x1_batch_norm(const void *in, const void *mean, const void *variance, const void *weight,
                                 const void *bias, void *out, int batch, int channels, int spatial, float eps,
                                 x1_dtype_t dtype);
/* Planes of height x width. indices gets each maximum's place in its plane. */
X1_API x1_status_t x1_max_pool2d(const void *in, void *out, int64_t *indices, int planes, int height, int width,
                                 int out_height, int out_width, int kernel_h, int kernel_w, int stride_h, int stride_w,
                                 int pad_h, int pad_w, x1_dtype_t dtype);
X1_API x1_status_t x1_avg_pool2d(const x1_tensor_t *input, x1_tensor_t *output, const int kernel[2],
                                 const int stride[2], const int padding[2], int count_include_pad);
/* query is [batch][heads][q_len][head_dim], key and value are [batch][heads][kv_len][head_dim]. mask, [batch][heads]
 * [q_len][kv_len], is added to the scaled scores; it may be NULL. A query all of whose scores are -infinity gets zeros. */
X1_API x1_status_t x1_attention(const void *query, const void *key, const void *value, const void *mask, void *out,
                                int batch, int heads, int q_len, int kv_len, int head_dim, float scale, int causal,
                                x1_dtype_t dtype);

/* ---- movement ----------------------------------------------------------- */
/* Rows of a table[rows][cols], chosen by indices[count]. */
X1_API x1_status_t x1_embedding(const void *table, const int64_t *indices, void *out, size_t rows, size_t cols,
                                size_t count, x1_dtype_t dtype);
/* in is [outer][n][inner], out is [outer][count][inner]. */
X1_API x1_status_t x1_index_select(const void *in, const int64_t *index, void *out, size_t outer, size_t n,
                                   size_t inner, size_t count, x1_dtype_t dtype);
/* out has the shape of index: each element is the one of in at the same place, but at index along the axis. */
X1_API x1_status_t x1_gather(const void *in, const int64_t *index, void *out, int ndim, const int *in_dims,
                             const int *index_dims, int axis, x1_dtype_t dtype);
X1_API x1_status_t x1_concat(const x1_tensor_t *inputs, int count, x1_tensor_t *output, int axis);
/* Dimension i of out is dimension perm[i] of in. */
X1_API x1_status_t x1_permute(const void *in, void *out, int ndim, const int *dims, const int *perm, x1_dtype_t dtype);

/* ---- miscellaneous ------------------------------------------------------ */
X1_API x1_status_t x1_crc32(const void *data, size_t size, uint32_t *crc);
X1_API x1_status_t x1_dma_benchmark(size_t size, double *gbps);

#ifdef __cplusplus
}
#endif
#endif
