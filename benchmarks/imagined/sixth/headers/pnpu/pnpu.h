// SPDX-License-Identifier: BSD-3-Clause
// Pinecrest Micro NPU user space library
// Copyright (c) 2022-2025 Pinecrest Microsystems B.V.

#ifndef PNPU_H
#define PNPU_H

#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PNPU_API_VERSION   0x010900
#define PNPU_MAX_DIMS      6
#define PNPU_MAX_INPUTS    16

// All functions that return int give PNPU_OK or a negative code
enum pnpu_error {
    PNPU_OK          = 0,
    PNPU_EINVAL      = -1,
    PNPU_ENOMEM      = -2,
    PNPU_ETIMEOUT    = -3,
    PNPU_ENOTSUP     = -4,
    PNPU_EDEV        = -5,
    PNPU_EVERSION    = -6,
};

typedef enum {
    PNPU_F32 = 0, PNPU_F16, PNPU_S8, PNPU_U8, PNPU_S16, PNPU_S32, PNPU_S64, PNPU_B8
} pnpu_dtype;

typedef struct pnpu_device *pnpu_dev_t;
typedef struct pnpu_cmdq   *pnpu_cmdq_t;
typedef struct pnpu_fence  *pnpu_fence_t;

typedef struct {
    void     *cpu_addr;   // mapped, may be NULL for PNPU_MEM_NOMAP
    uint64_t  npu_addr;
    uint32_t  size;
    int       fd;         // dma-buf
    uint32_t  flags;
} pnpu_mem_t;

#define PNPU_MEM_CACHED  (1u << 0)
#define PNPU_MEM_NOMAP   (1u << 1)
#define PNPU_MEM_SRAM    (1u << 2)

typedef struct {
    void       *data;                     // npu visible address
    pnpu_dtype  dtype;
    int32_t     ndim;
    int32_t     shape[PNPU_MAX_DIMS];
    int32_t     strides[PNPU_MAX_DIMS];   // in elements. all zero = packed
    float       qscale;                   // only for S8/U8/S16
    int32_t     qzero;
} pnpu_tensor_t;

typedef struct { int32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_bottom, pad_left, pad_right, groups; } pnpu_conv2d_param;
typedef struct { int32_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right; bool ceil_mode; bool count_pad; } pnpu_pool_param;
typedef struct { int32_t naxes; int32_t axes[PNPU_MAX_DIMS]; bool keep_dims; } pnpu_reduce_param;
typedef struct { bool transpose_a, transpose_b; } pnpu_matmul_param;
typedef struct { int32_t out_h, out_w; bool align_corners, half_pixel; int32_t mode; } pnpu_resize_param;
typedef struct { int32_t axis; float epsilon; } pnpu_norm_param;
typedef struct { int32_t nperm; int32_t perm[PNPU_MAX_DIMS]; } pnpu_transpose_param;
typedef struct { int32_t begin[PNPU_MAX_DIMS], size[PNPU_MAX_DIMS]; } pnpu_slice_param;
typedef struct { int32_t before[PNPU_MAX_DIMS], after[PNPU_MAX_DIMS]; float value; } pnpu_pad_param;

//---------------------------------------------------------------- device
int         pnpu_dev_count(void);                     // number of NPUs, or negative
pnpu_dev_t  pnpu_dev_open(int index);                 // NULL on failure
void        pnpu_dev_close(pnpu_dev_t dev);
const char *pnpu_strerror(int err);
uint32_t    pnpu_get_version(void);
int         pnpu_dev_set_clock(pnpu_dev_t dev, uint32_t mhz);

//---------------------------------------------------------------- memory
pnpu_mem_t *pnpu_mem_alloc(pnpu_dev_t dev, uint32_t size, uint32_t flags);   // NULL on failure
void        pnpu_mem_free(pnpu_dev_t dev, pnpu_mem_t *mem);
pnpu_mem_t *pnpu_mem_import_fd(pnpu_dev_t dev, int fd, uint32_t size);
int         pnpu_mem_upload(pnpu_mem_t *mem, uint32_t offset, const void *src, uint32_t size);
int         pnpu_mem_download(const pnpu_mem_t *mem, uint32_t offset, void *dst, uint32_t size);
int         pnpu_mem_blit(pnpu_mem_t *dst, uint32_t dst_offset, const pnpu_mem_t *src, uint32_t src_offset, uint32_t size);
int         pnpu_mem_get_usage(pnpu_dev_t dev, uint32_t *free_kb, uint32_t *total_kb);

//---------------------------------------------------------------- command queue
pnpu_cmdq_t  pnpu_cmdq_create(pnpu_dev_t dev, int priority);
void         pnpu_cmdq_destroy(pnpu_cmdq_t q);
int          pnpu_cmdq_flush(pnpu_cmdq_t q);                       // kick the hardware, do not wait
int          pnpu_cmdq_wait_idle(pnpu_cmdq_t q, int timeout_ms);   // -1 = forever
pnpu_fence_t pnpu_fence_create(pnpu_dev_t dev);
void         pnpu_fence_destroy(pnpu_fence_t f);
int          pnpu_fence_insert(pnpu_cmdq_t q, pnpu_fence_t f);
int          pnpu_fence_wait(pnpu_fence_t f, int timeout_ms);

//---------------------------------------------------------------- element wise (broadcasts like numpy)
int pnpu_op_add(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_sub(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_mul(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_div(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_max(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_min(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_pow(pnpu_cmdq_t q, const pnpu_tensor_t *base, const pnpu_tensor_t *exponent, const pnpu_tensor_t *out);
// (in0 - in1)^2
int pnpu_op_squared_diff(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
// sign of the dividend, like C fmod()
int pnpu_op_mod(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_add_scalar(pnpu_cmdq_t q, const pnpu_tensor_t *in, float value, const pnpu_tensor_t *out);
int pnpu_op_mul_scalar(pnpu_cmdq_t q, const pnpu_tensor_t *in, float value, const pnpu_tensor_t *out);
// out = in1 * in2 + in0
int pnpu_op_muladd(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *in2, const pnpu_tensor_t *out);

// comparison result is B8
int pnpu_op_equal(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_greater(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_less_equal(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_logical_and(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_tensor_t *out);
int pnpu_op_logical_not(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_select(pnpu_cmdq_t q, const pnpu_tensor_t *cond, const pnpu_tensor_t *a, const pnpu_tensor_t *b, const pnpu_tensor_t *out);

int pnpu_op_abs(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_neg(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_exp(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_log(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_sqrt(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_rsqrt(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_floor(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_cast(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);

//---------------------------------------------------------------- activations
int pnpu_op_relu(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_relu6(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_leaky_relu(pnpu_cmdq_t q, const pnpu_tensor_t *in, float alpha, const pnpu_tensor_t *out);
int pnpu_op_prelu(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *slope, const pnpu_tensor_t *out);
int pnpu_op_elu(pnpu_cmdq_t q, const pnpu_tensor_t *in, float alpha, const pnpu_tensor_t *out);
int pnpu_op_logistic(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_tanh(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_hswish(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_gelu(pnpu_cmdq_t q, const pnpu_tensor_t *in, bool use_tanh, const pnpu_tensor_t *out);
int pnpu_op_mish(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_softmax(pnpu_cmdq_t q, const pnpu_tensor_t *in, int32_t axis, const pnpu_tensor_t *out);

//---------------------------------------------------------------- convolution & co. activations NHWC, weights OHWI
int pnpu_op_conv2d(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *weights, const pnpu_tensor_t *bias, const pnpu_conv2d_param *param, const pnpu_tensor_t *out);
// groups has to be the number of input channels
int pnpu_op_depthwise_conv2d(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *weights, const pnpu_tensor_t *bias, const pnpu_conv2d_param *param, const pnpu_tensor_t *out);
// conv2d, then clamp at [act_min, act_max]
int pnpu_op_conv2d_clamp(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *weights, const pnpu_tensor_t *bias, const pnpu_conv2d_param *param, float act_min, float act_max, const pnpu_tensor_t *out);
// weights: [out_features, in_features]. bias may be NULL
int pnpu_op_fully_connected(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *weights, const pnpu_tensor_t *bias, const pnpu_tensor_t *out);
int pnpu_op_batch_matmul(pnpu_cmdq_t q, const pnpu_tensor_t *in0, const pnpu_tensor_t *in1, const pnpu_matmul_param *param, const pnpu_tensor_t *out);
int pnpu_op_max_pool(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_pool_param *param, const pnpu_tensor_t *out);
int pnpu_op_avg_pool(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_pool_param *param, const pnpu_tensor_t *out);
int pnpu_op_batch_norm(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *mean, const pnpu_tensor_t *variance, const pnpu_tensor_t *gamma, const pnpu_tensor_t *beta, float epsilon, const pnpu_tensor_t *out);
int pnpu_op_layer_norm(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *gamma, const pnpu_tensor_t *beta, const pnpu_norm_param *param, const pnpu_tensor_t *out);

//---------------------------------------------------------------- reduction
int pnpu_op_reduce_sum(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_reduce_param *param, const pnpu_tensor_t *out);
int pnpu_op_reduce_mean(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_reduce_param *param, const pnpu_tensor_t *out);
int pnpu_op_reduce_max(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_reduce_param *param, const pnpu_tensor_t *out);
int pnpu_op_reduce_any(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_reduce_param *param, const pnpu_tensor_t *out);
int pnpu_op_argmin(pnpu_cmdq_t q, const pnpu_tensor_t *in, int32_t axis, const pnpu_tensor_t *out);   // out S32

//---------------------------------------------------------------- data movement
int pnpu_op_concat(pnpu_cmdq_t q, const pnpu_tensor_t *const *ins, int32_t num_ins, int32_t axis, const pnpu_tensor_t *out);
int pnpu_op_transpose(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_transpose_param *param, const pnpu_tensor_t *out);
// out = in[indices] along axis (tf.gather)
int pnpu_op_gather(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *indices, int32_t axis, const pnpu_tensor_t *out);
int pnpu_op_slice(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_slice_param *param, const pnpu_tensor_t *out);
int pnpu_op_pad(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_pad_param *param, const pnpu_tensor_t *out);
int pnpu_op_resize(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_resize_param *param, const pnpu_tensor_t *out);
int pnpu_op_quantize(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
int pnpu_op_dequantize(pnpu_cmdq_t q, const pnpu_tensor_t *in, const pnpu_tensor_t *out);
// camera input: NV12 -> RGB planar with mean/scale, by value because of historical reasons
int pnpu_op_nv12_to_rgb(pnpu_cmdq_t q, pnpu_tensor_t luma, pnpu_tensor_t chroma, pnpu_tensor_t rgb);

#ifdef __cplusplus
}
#endif
#endif // PNPU_H
