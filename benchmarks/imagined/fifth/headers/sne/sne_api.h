/*****************************************************************************
*    The MIT License (MIT)
*
*    Copyright (c) 2020 - 2024 Sunrise Micro (Suzhou) Co., Ltd.
*
*    Permission is hereby granted, free of charge, to any person obtaining a
*    copy of this software and associated documentation files (the "Software"),
*    to deal in the Software without restriction. [...]
*****************************************************************************/
#ifndef _SNE_API_H_
#define _SNE_API_H_

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SNE_API_VERSION_STR "1.8.2"
#define SNE_MAX_DIMS 6
#define SNE_TRUE  1
#define SNE_FALSE 0

typedef int32_t  sne_bool;
typedef uint64_t sne_addr;      /* address in the NPU's DDR window */

typedef enum
{
    SNE_RET_OK            =  0,
    SNE_RET_FAIL          = -1,
    SNE_RET_TIMEOUT       = -2,
    SNE_RET_DEVICE_LOST   = -3,
    SNE_RET_MALLOC_FAIL   = -4,
    SNE_RET_PARAM_INVALID = -5,
    SNE_RET_CTX_INVALID   = -6,
    SNE_RET_UNSUPPORTED   = -7,
} sne_ret;

typedef enum
{
    SNE_TYPE_FLOAT32 = 0,
    SNE_TYPE_FLOAT16,
    SNE_TYPE_INT8,
    SNE_TYPE_UINT8,
    SNE_TYPE_INT16,
    SNE_TYPE_INT32,
    SNE_TYPE_INT64,
    SNE_TYPE_BOOL8,
} sne_type;

typedef enum { SNE_FMT_ND = 0, SNE_FMT_NCHW, SNE_FMT_NHWC, SNE_FMT_NC4HW4 } sne_fmt;
typedef enum { SNE_QNT_NONE = 0, SNE_QNT_ASYM, SNE_QNT_PER_CHANNEL } sne_qnt;

typedef struct _sne_tensor
{
    sne_addr  addr;                     /* first element */
    sne_type  type;
    sne_fmt   fmt;
    uint32_t  n_dims;
    uint32_t  dims[SNE_MAX_DIMS];
    uint32_t  strides[SNE_MAX_DIMS];    /* in bytes; all 0: dense */
    sne_qnt   qnt;
    int32_t   zp;
    float     scale;
    void     *priv;
} sne_tensor;

typedef struct _sne_context sne_context;

typedef struct
{
    uint32_t stride_h, stride_w;
    uint32_t pad_top, pad_bottom, pad_left, pad_right;
    uint32_t dilation_h, dilation_w;
    uint32_t group;
    sne_bool has_relu;                  /* fuse a relu behind */
} sne_conv_param;

typedef struct
{
    uint32_t ksize_h, ksize_w;
    uint32_t stride_h, stride_w;
    uint32_t pad_top, pad_bottom, pad_left, pad_right;
    sne_bool ceil_mode;
    sne_bool global;
} sne_pool_param;

typedef void (*sne_log_cb)(int level, const char *msg, void *user);

/* ---- context: a context owns a command queue of one NPU core ---- */
sne_ret     sne_open(void);
void        sne_close(void);
sne_ret     sne_get_core_num(uint32_t *num);
sne_ret     sne_context_create(sne_context **ctx, uint32_t core_id, uint32_t flags);
sne_ret     sne_context_destroy(sne_context *ctx);
/* blocks until the queue is empty */
sne_ret     sne_context_finish(sne_context *ctx);
sne_ret     sne_context_set_log(sne_context *ctx, sne_log_cb cb, void *user);
const char *sne_ret_str(sne_ret ret);
const char *sne_get_version(void);

/* ---- memory ---- */
sne_ret sne_mem_alloc(sne_context *ctx, size_t bytes, sne_addr *addr);
sne_ret sne_mem_free(sne_context *ctx, sne_addr addr);
sne_ret sne_mem_write(sne_context *ctx, sne_addr dst, const void *src, size_t bytes);
sne_ret sne_mem_read(sne_context *ctx, void *dst, sne_addr src, size_t bytes);
sne_ret sne_mem_copy(sne_context *ctx, sne_addr dst, sne_addr src, size_t bytes);
sne_ret sne_mem_query(sne_context *ctx, size_t *free_size, size_t *total_size);
void   *sne_mem_map(sne_context *ctx, sne_addr addr, size_t bytes);
sne_ret sne_mem_unmap(sne_context *ctx, void *virt);

/* fills a dense tensor struct, does not allocate */
void sne_tensor_init(sne_tensor *t, sne_type type, uint32_t n_dims, const uint32_t *dims, sne_addr addr);

/* ---- arithmetic, in1 and in2 may broadcast numpy-like ---- */
sne_ret sne_nn_eltwise_add(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_eltwise_sub(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_eltwise_mul(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_eltwise_div(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_eltwise_max(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_eltwise_min(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_floordiv(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_pow(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_relational(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out, int rel /* 0 gt 1 ge 2 lt 3 le 4 ne 5 eq */);
sne_ret sne_nn_logical_or(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_logical_and(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);
sne_ret sne_nn_logical_not(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_where(sne_context *ctx, const sne_tensor *cond, const sne_tensor *in1, const sne_tensor *in2, sne_tensor *out);

/* out = in * scale + shift with two floats */
sne_ret sne_nn_linear_scale(sne_context *ctx, const sne_tensor *in, float scale, float shift, sne_tensor *out);
sne_ret sne_nn_add_scalar(sne_context *ctx, const sne_tensor *in, float value, sne_tensor *out);
sne_ret sne_nn_mul_scalar(sne_context *ctx, const sne_tensor *in, float value, sne_tensor *out);

/* ---- unary ---- */
sne_ret sne_nn_abs(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_neg(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_exp(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_log(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_sin(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_sqrt(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_rsqrt(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_floor(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_ceil(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
/* half to even */
sne_ret sne_nn_round(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_cast(sne_context *ctx, const sne_tensor *in, sne_tensor *out);

/* ---- activations ---- */
sne_ret sne_nn_relu(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
/* clamps to 0 .. 6 */
sne_ret sne_nn_relu6(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_relun(sne_context *ctx, const sne_tensor *in, float n, sne_tensor *out);
sne_ret sne_nn_leakyrelu(sne_context *ctx, const sne_tensor *in, float alpha, sne_tensor *out);
sne_ret sne_nn_prelu(sne_context *ctx, const sne_tensor *in, const sne_tensor *slope, sne_tensor *out);
sne_ret sne_nn_elu(sne_context *ctx, const sne_tensor *in, float alpha, sne_tensor *out);
sne_ret sne_nn_sigmoid(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_hard_sigmoid(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_tanh(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_mish(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_swish(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_hswish(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_gelu(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_softrelu(sne_context *ctx, const sne_tensor *in, sne_tensor *out); /* ln(1 + e^x) */
sne_ret sne_nn_clip(sne_context *ctx, const sne_tensor *in, float min, float max, sne_tensor *out);
sne_ret sne_nn_softmax(sne_context *ctx, const sne_tensor *in, int32_t axis, sne_tensor *out);
sne_ret sne_nn_log_softmax(sne_context *ctx, const sne_tensor *in, int32_t axis, sne_tensor *out);

/* ---- layers ---- */
/* bias may be NULL. Results are clamped at 0 when param->has_relu is set. */
sne_ret sne_nn_conv2d(sne_context *ctx, const sne_tensor *in, const sne_tensor *weight, const sne_tensor *bias, const sne_conv_param *param, sne_tensor *out);
sne_ret sne_nn_depthwise_conv2d(sne_context *ctx, const sne_tensor *in, const sne_tensor *weight, const sne_tensor *bias, const sne_conv_param *param, sne_tensor *out);
sne_ret sne_nn_deconv2d(sne_context *ctx, const sne_tensor *in, const sne_tensor *weight, const sne_tensor *bias, const sne_conv_param *param, sne_tensor *out);
sne_ret sne_nn_maxpool(sne_context *ctx, const sne_tensor *in, const sne_pool_param *param, sne_tensor *out);
sne_ret sne_nn_avgpool(sne_context *ctx, const sne_tensor *in, const sne_pool_param *param, sne_tensor *out);
/* out[n][oc] = in[n][ic] . weight[oc][ic] + bias[oc] */
sne_ret sne_nn_fullconnect(sne_context *ctx, const sne_tensor *in, const sne_tensor *weight, const sne_tensor *bias, sne_tensor *out);
sne_ret sne_nn_matmul(sne_context *ctx, const sne_tensor *in1, const sne_tensor *in2, sne_bool trans_a, sne_bool trans_b, sne_tensor *out);
sne_ret sne_nn_batchnorm(sne_context *ctx, const sne_tensor *in, const sne_tensor *mean, const sne_tensor *variance, const sne_tensor *gamma, const sne_tensor *beta, float eps, sne_tensor *out);
sne_ret sne_nn_instancenorm(sne_context *ctx, const sne_tensor *in, const sne_tensor *gamma, const sne_tensor *beta, float eps, sne_tensor *out);
sne_ret sne_nn_layernorm(sne_context *ctx, const sne_tensor *in, const sne_tensor *gamma, const sne_tensor *beta, int32_t axis, float eps, sne_tensor *out);
/* x / sqrt(sum(x^2)) along axis */
sne_ret sne_nn_l2_normalize(sne_context *ctx, const sne_tensor *in, int32_t axis, sne_tensor *out);
sne_ret sne_nn_upsample_nearest(sne_context *ctx, const sne_tensor *in, uint32_t scale_h, uint32_t scale_w, sne_tensor *out);

/* ---- reduction ---- */
sne_ret sne_nn_reduce_sum(sne_context *ctx, const sne_tensor *in, const int32_t *axes, uint32_t n_axes, sne_bool keep_dims, sne_tensor *out);
sne_ret sne_nn_reduce_mean(sne_context *ctx, const sne_tensor *in, const int32_t *axes, uint32_t n_axes, sne_bool keep_dims, sne_tensor *out);
sne_ret sne_nn_reduce_max(sne_context *ctx, const sne_tensor *in, const int32_t *axes, uint32_t n_axes, sne_bool keep_dims, sne_tensor *out);
sne_ret sne_nn_reduce_min(sne_context *ctx, const sne_tensor *in, const int32_t *axes, uint32_t n_axes, sne_bool keep_dims, sne_tensor *out);
sne_ret sne_nn_reduce_prod(sne_context *ctx, const sne_tensor *in, const int32_t *axes, uint32_t n_axes, sne_bool keep_dims, sne_tensor *out);
sne_ret sne_nn_argmax(sne_context *ctx, const sne_tensor *in, int32_t axis, sne_tensor *out);
sne_ret sne_nn_argmin(sne_context *ctx, const sne_tensor *in, int32_t axis, sne_tensor *out);

/* ---- data movement ---- */
sne_ret sne_nn_permute(sne_context *ctx, const sne_tensor *in, const uint32_t *perm, sne_tensor *out);
sne_ret sne_nn_concat(sne_context *ctx, const sne_tensor **ins, uint32_t in_num, int32_t axis, sne_tensor *out);
sne_ret sne_nn_slice(sne_context *ctx, const sne_tensor *in, const int32_t *begin, const int32_t *size, sne_tensor *out);
sne_ret sne_nn_gather(sne_context *ctx, const sne_tensor *in, const sne_tensor *indices, int32_t axis, sne_tensor *out); /* ONNX Gather, rank of indices 1 */
sne_ret sne_nn_tile(sne_context *ctx, const sne_tensor *in, const uint32_t *multiples, sne_tensor *out);
sne_ret sne_nn_reverse(sne_context *ctx, const sne_tensor *in, const int32_t *axes, uint32_t n_axes, sne_tensor *out);
sne_ret sne_nn_pad(sne_context *ctx, const sne_tensor *in, const uint32_t *front, const uint32_t *back, float value, sne_tensor *out);
sne_ret sne_nn_depth2space(sne_context *ctx, const sne_tensor *in, uint32_t block, sne_tensor *out);
sne_ret sne_nn_dequantize(sne_context *ctx, const sne_tensor *in, sne_tensor *out);
sne_ret sne_nn_detection_output(sne_context *ctx, const sne_tensor *loc, const sne_tensor *conf, const sne_tensor *prior, float nms, float thresh, sne_tensor *out);

#ifdef __cplusplus
}
#endif
#endif
