/* SPDX-License-Identifier: MIT */
/*
 * Tarquin Compute SDK - operators
 *
 * Copyright 2020 - 2024 Tarquin Compute Inc.
 *
 * Every family of operators is a table of functions. A table is got once and stays valid until tqc_close().
 * Tables only grow at their end; check .size before you use a new member.
 */
#ifndef TQC_OPS_H
#define TQC_OPS_H

#include "tqc_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TQC_OPS_ABI 5
#define TQC_MAX_RANK 6

typedef enum tqc_dtype { TQC_F32 = 0, TQC_F16 = 1, TQC_BF16 = 2, TQC_I8 = 3, TQC_U8 = 4, TQC_I32 = 5, TQC_I64 = 6, TQC_B8 = 7 } tqc_dtype;

typedef struct tqc_tensor {
    void     *data;
    tqc_dtype dtype;
    int32_t   rank;
    int64_t   dim[TQC_MAX_RANK];
    int64_t   stride[TQC_MAX_RANK]; /* in elements */
} tqc_tensor;

/* ------------------------------------------------------------------ unary */

typedef int (*tqc_unary_fn)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);

typedef struct tqc_unary_table {
    size_t size;
    int (*abs)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*neg)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*sign)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*exp)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*expm1)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*log)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*log2)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*sqrt)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*rsqrt)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*recip)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*sin)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*cos)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*acos)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*asinh)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*cosh)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*erfc)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*floor)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*round)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*logical_not)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*convert)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst); /* to the type of dst */
    void *reserved[8];
} tqc_unary_table;

const tqc_unary_table *tqc_get_unary(int abi);

/* ----------------------------------------------------------- activations */

typedef struct tqc_act_param {
    float alpha;   /* slope of leaky relu, alpha of elu, lower bound of hardtanh */
    float beta;    /* upper bound of hardtanh, beta of softplus */
    int   tanh_approx;
} tqc_act_param;

typedef struct tqc_act_table {
    size_t size;
    int (*relu)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*leaky_relu)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*elu)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*sigmoid)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*hard_sigmoid)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*hard_tanh)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*tanh)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*gelu)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*silu)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*softplus)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param);
    int (*geglu)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_act_param *param); /* halves, gated */
    int (*lut8)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const uint8_t table[256]);
} tqc_act_table;

const tqc_act_table *tqc_get_activation(int abi);

/* ---------------------------------------------------------------- binary */

#define TQC_BINARY_OPS(X) \
    X(ADD, 0)    \
    X(SUB, 1)    \
    X(MUL, 2)    \
    X(DIV, 3)    \
    X(MAX, 4)    \
    X(MIN, 5)    \
    X(POW, 6)    \
    X(FMOD, 7)   \
    X(ATAN2, 8)  \
    X(EQ, 16)    \
    X(NE, 17)    \
    X(LT, 18)    \
    X(LE, 19)    \
    X(GT, 20)    \
    X(GE, 21)    \
    X(AND, 32)   \
    X(OR, 33)    \
    X(XOR, 34)

typedef enum tqc_binary_op {
#define TQC_X(name, code) TQC_BIN_##name = code,
    TQC_BINARY_OPS(TQC_X)
#undef TQC_X
    TQC_BIN_LAST_ = 0x7f
} tqc_binary_op;

/* dst = lhs OP rhs, with broadcasting. AND, OR and XOR are logical for TQC_B8 and bitwise for integers. */
int tqc_binary(tqc_queue_t q, tqc_binary_op op, const tqc_tensor *lhs, const tqc_tensor *rhs, tqc_tensor *dst);
/* dst = lhs OP value */
int tqc_binary_scalar(tqc_queue_t q, tqc_binary_op op, const tqc_tensor *lhs, double value, tqc_tensor *dst);
const char *tqc_binary_name(tqc_binary_op op);

/* ------------------------------------------------------------- reduction */

typedef struct tqc_reduce_param {
    int32_t  naxes;
    int32_t  axes[TQC_MAX_RANK];
    int32_t  keep;
    float    correction;
} tqc_reduce_param;

typedef struct tqc_reduce_table {
    size_t size;
    int (*sum)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*mean)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*amax)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*amin)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*prod)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*variance)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*norm_l2)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*any)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*all)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param);
    int (*argmax)(tqc_queue_t q, const tqc_tensor *src, int axis, tqc_tensor *dst);
    int (*argmin)(tqc_queue_t q, const tqc_tensor *src, int axis, tqc_tensor *dst);
    /* values and their positions */
    int (*max_index)(tqc_queue_t q, const tqc_tensor *src, int axis, tqc_tensor *values, tqc_tensor *positions);
    int (*absmax)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_reduce_param *param); /* max |x|, for quantisation */
    int (*cumsum)(tqc_queue_t q, const tqc_tensor *src, int axis, tqc_tensor *dst);
    int (*softmax)(tqc_queue_t q, const tqc_tensor *src, int axis, tqc_tensor *dst);
    int (*log_softmax)(tqc_queue_t q, const tqc_tensor *src, int axis, tqc_tensor *dst);
} tqc_reduce_table;

const tqc_reduce_table *tqc_get_reduce(int abi);

/* -------------------------------------------------------- neural network */

typedef struct tqc_conv_param {
    int32_t stride[2];
    int32_t pad[4];      /* top, bottom, left, right */
    int32_t dilation[2];
    int32_t groups;
} tqc_conv_param;

typedef struct tqc_pool_param {
    int32_t kernel[2];
    int32_t stride[2];
    int32_t pad[4];
    int32_t count_pad;
    int32_t ceil_mode;
} tqc_pool_param;

typedef struct tqc_norm_param {
    float   eps;
    int32_t axis;
    int32_t groups;
} tqc_norm_param;

typedef struct tqc_gemm_param {
    int32_t trans_a, trans_b;
    float   alpha, beta;
} tqc_gemm_param;

typedef struct tqc_attn_param {
    float   scale;    /* 0: 1/sqrt(d) */
    int32_t causal;
} tqc_attn_param;

typedef struct tqc_nn_table {
    size_t size;
    size_t (*conv2d_scratch)(const tqc_tensor *src, const tqc_tensor *filter, const tqc_conv_param *param);
    int (*conv2d)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *filter, const tqc_tensor *bias, tqc_tensor *dst,
                  const tqc_conv_param *param, void *scratch);
    int (*conv2d_relu)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *filter, const tqc_tensor *bias, tqc_tensor *dst,
                       const tqc_conv_param *param, void *scratch);
    int (*conv2d_i8)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *filter, const tqc_tensor *bias, const float *scales,
                     tqc_tensor *dst, const tqc_conv_param *param, void *scratch);
    int (*max_pool)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_pool_param *param);
    int (*avg_pool)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst, const tqc_pool_param *param);
    int (*global_avg_pool)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*batch_norm)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *mean, const tqc_tensor *var, const tqc_tensor *gamma,
                      const tqc_tensor *beta, tqc_tensor *dst, const tqc_norm_param *param);
    int (*layer_norm)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *gamma, const tqc_tensor *beta, tqc_tensor *dst,
                      const tqc_norm_param *param);
    int (*group_norm)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *gamma, const tqc_tensor *beta, tqc_tensor *dst,
                      const tqc_norm_param *param);
    int (*rms_norm)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *gamma, tqc_tensor *dst, const tqc_norm_param *param);
    /* dst = alpha * op(a) op(b) + beta * c, 2-d */
    int (*gemm)(tqc_queue_t q, const tqc_tensor *a, const tqc_tensor *b, const tqc_tensor *c, tqc_tensor *dst, const tqc_gemm_param *param);
    int (*batch_matmul)(tqc_queue_t q, const tqc_tensor *a, const tqc_tensor *b, tqc_tensor *dst);
    int (*dense)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *weight, const tqc_tensor *bias, tqc_tensor *dst);
    int (*attention)(tqc_queue_t q, const tqc_tensor *query, const tqc_tensor *key, const tqc_tensor *value, const tqc_tensor *mask,
                     tqc_tensor *dst, const tqc_attn_param *param);
} tqc_nn_table;

const tqc_nn_table *tqc_get_nn(int abi);

/* ----------------------------------------------------------------- memory */

typedef struct tqc_shape_table {
    size_t size;
    int (*copy)(tqc_queue_t q, const tqc_tensor *src, tqc_tensor *dst);
    int (*fill)(tqc_queue_t q, tqc_tensor *dst, double value);
    int (*permute)(tqc_queue_t q, const tqc_tensor *src, const int32_t *order, tqc_tensor *dst);
    int (*concat)(tqc_queue_t q, const tqc_tensor *const *srcs, int count, int axis, tqc_tensor *dst);
    int (*gather_rows)(tqc_queue_t q, const tqc_tensor *table, const tqc_tensor *ids, tqc_tensor *dst); /* embedding look-up */
    int (*gather)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *index, int axis, tqc_tensor *dst);
    int (*scatter)(tqc_queue_t q, const tqc_tensor *src, const tqc_tensor *index, int axis, tqc_tensor *dst);
    int (*where)(tqc_queue_t q, const tqc_tensor *cond, const tqc_tensor *yes, const tqc_tensor *no, tqc_tensor *dst);
    int (*tril)(tqc_queue_t q, const tqc_tensor *src, int diagonal, tqc_tensor *dst);
    int (*space_to_depth)(tqc_queue_t q, const tqc_tensor *src, int block, tqc_tensor *dst);
    int (*clip)(tqc_queue_t q, const tqc_tensor *src, float lo, float hi, tqc_tensor *dst);
} tqc_shape_table;

const tqc_shape_table *tqc_get_shape(int abi);

#ifdef __cplusplus
}
#endif
#endif /* TQC_OPS_H */
