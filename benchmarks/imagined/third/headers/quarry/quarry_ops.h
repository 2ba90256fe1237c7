// quarry_ops.h - operator objects of the Quarry Q7 accelerator
// (c) 2022 Quarry Logic Ltd. Redistribution as part of a product is allowed.
//
// An operator is made once, given its parameters once, and run as often as wanted:
//
//     q7_oper op;
//     q7_oper_make(board, Q7_K_POOL, &op);
//     q7_pool_setup(op, Q7_POOL_MAX, 3, 3, 2, 2, 1, 1, 0, 0);
//     q7_pool_run(op, belt, &src, &dst);
//     q7_oper_toss(op);
//
// setup may be called again before any run. Runs are asynchronous on the belt.

#ifndef QUARRY_OPS_H
#define QUARRY_OPS_H

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef Q7_EXPORT
#define Q7_EXPORT extern
#endif

typedef int q7_code;   // 0, or less than 0
enum {
  Q7_DONE = 0,
  Q7_E_NULL = -1,
  Q7_E_KIND = -2,      // the operator is of another kind
  Q7_E_SIZE = -3,
  Q7_E_NOT_SETUP = -4, // run before setup
  Q7_E_MEM = -5,
  Q7_E_HANG = -9
};

typedef struct q7_board_s *q7_board;
typedef struct q7_belt_s *q7_belt;      // in-order queue
typedef struct q7_oper_s *q7_oper;

enum q7_type { Q7_F32, Q7_F16, Q7_S32, Q7_S8, Q7_U8 };

// A block is a dense tensor on the board, NCHW unless said otherwise.
typedef struct {
  uint64_t where;        // board address
  enum q7_type type;
  int order;             // number of sizes in use
  int size[8];
} q7_block;

typedef enum {
  Q7_K_CONV, Q7_K_DECONV, Q7_K_GEMM, Q7_K_POOL, Q7_K_ACT, Q7_K_ARITH, Q7_K_ARITH_IMM, Q7_K_COMPARE, Q7_K_REDUCE, Q7_K_EXTREMUM,
  Q7_K_SOFTMAX, Q7_K_LNORM, Q7_K_BNORM, Q7_K_RMSNORM, Q7_K_MATH, Q7_K_SHUFFLE, Q7_K_TAKE, Q7_K_TAKE_EACH, Q7_K_JOIN, Q7_K_SELECT, Q7_K_CONVERT,
  Q7_K_SCAN, Q7_K_TRIANGLE, Q7_K_NORM, Q7_K_FC, Q7_K_LEAKY, Q7_K_CLIP, Q7_K_ATTENTION, Q7_K_RESIZE, Q7_K_NMS, Q7_K_QCONV, Q7_K_CONV_ACT, Q7_K_DROPOUT, Q7_K_LSTM,
  Q7_K__LAST
} q7_kind;

typedef enum { Q7_POOL_MAX, Q7_POOL_AVG, Q7_POOL_AVG_NOPAD } q7_pool_how;
typedef enum { Q7_ACT_RELU, Q7_ACT_SIGMOID, Q7_ACT_TANH, Q7_ACT_GELU, Q7_ACT_SILU, Q7_ACT_HSWISH, Q7_ACT_HSIGMOID, Q7_ACT_MISH } q7_act_how;
typedef enum { Q7_AR_ADD, Q7_AR_SUB, Q7_AR_MUL, Q7_AR_DIV, Q7_AR_MAX, Q7_AR_MIN, Q7_AR_POW } q7_arith_how;
typedef enum { Q7_CMP_EQ, Q7_CMP_NE, Q7_CMP_LT, Q7_CMP_LE, Q7_CMP_GT, Q7_CMP_GE } q7_cmp_how;
typedef enum { Q7_RED_SUM, Q7_RED_MEAN, Q7_RED_PROD, Q7_RED_MAX, Q7_RED_MIN } q7_reduce_how;
typedef enum { Q7_MATH_EXP, Q7_MATH_LOG, Q7_MATH_SQRT, Q7_MATH_RSQRT, Q7_MATH_SIN, Q7_MATH_COS, Q7_MATH_ABS, Q7_MATH_NEG, Q7_MATH_FLOOR, Q7_MATH_CEIL, Q7_MATH_ERF } q7_math_how;

// -------- board
Q7_EXPORT q7_code q7_scan_boards(int *found);
Q7_EXPORT q7_code q7_board_open(int index, q7_board *board);
Q7_EXPORT q7_code q7_board_close(q7_board board);
Q7_EXPORT q7_code q7_board_settle(q7_board board);       // everything is finished
Q7_EXPORT q7_code q7_board_temp(q7_board board, float *celsius);
Q7_EXPORT const char *q7_explain(q7_code code);

Q7_EXPORT q7_code q7_reserve(q7_board board, size_t bytes, uint64_t *where);
Q7_EXPORT q7_code q7_unreserve(q7_board board, uint64_t where);
Q7_EXPORT q7_code q7_send(q7_board board, uint64_t where, const void *host, size_t bytes);   // host -> board
Q7_EXPORT q7_code q7_fetch(q7_board board, void *host, uint64_t where, size_t bytes);        // board -> host

Q7_EXPORT q7_code q7_belt_start(q7_board board, q7_belt *belt);
Q7_EXPORT q7_code q7_belt_stop(q7_belt belt);            // frees it
Q7_EXPORT q7_code q7_belt_wait(q7_belt belt);
Q7_EXPORT q7_code q7_belt_busy(q7_belt belt, int *busy);

// -------- operators
Q7_EXPORT q7_code q7_oper_make(q7_board board, q7_kind kind, q7_oper *op);
Q7_EXPORT q7_code q7_oper_toss(q7_oper op);
Q7_EXPORT q7_code q7_oper_label(q7_oper op, const char *text);     // shown by the profiler
Q7_EXPORT q7_code q7_oper_memory(q7_oper op, uint64_t scratch, size_t bytes);

// convolution: weights are OIHW, bias may be 0
Q7_EXPORT q7_code q7_conv_setup(q7_oper op, int stride_y, int stride_x, int pad_y, int pad_x, int dil_y, int dil_x, int groups);
Q7_EXPORT q7_code q7_conv_run(q7_oper op, q7_belt belt, const q7_block *image, const q7_block *filter, const q7_block *bias, q7_block *result);
Q7_EXPORT q7_code q7_deconv_setup(q7_oper op, int stride_y, int stride_x, int pad_y, int pad_x, int groups);
Q7_EXPORT q7_code q7_deconv_run(q7_oper op, q7_belt belt, const q7_block *image, const q7_block *filter, const q7_block *bias, q7_block *result);
// result = alpha * a' b' + beta * c   (' transposed or not)
Q7_EXPORT q7_code q7_gemm_setup(q7_oper op, int trans_a, int trans_b, float alpha, float beta);
Q7_EXPORT q7_code q7_gemm_run(q7_oper op, q7_belt belt, const q7_block *a, const q7_block *b, const q7_block *c, q7_block *result);
// fully connected: filter has a row for each output
Q7_EXPORT q7_code q7_fc_run(q7_oper op, q7_belt belt, const q7_block *rows, const q7_block *filter, const q7_block *bias, q7_block *result);
Q7_EXPORT q7_code q7_pool_setup(q7_oper op, q7_pool_how how, int win_y, int win_x, int stride_y, int stride_x, int pad_y, int pad_x, int ceil, int global);
Q7_EXPORT q7_code q7_pool_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);

Q7_EXPORT q7_code q7_act_setup(q7_oper op, q7_act_how how);
Q7_EXPORT q7_code q7_act_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_leaky_setup(q7_oper op, float slope);
Q7_EXPORT q7_code q7_leaky_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_clip_setup(q7_oper op, float lowest, float highest);
Q7_EXPORT q7_code q7_clip_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_math_setup(q7_oper op, q7_math_how how);
Q7_EXPORT q7_code q7_math_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_arith_setup(q7_oper op, q7_arith_how how);
Q7_EXPORT q7_code q7_arith_run(q7_oper op, q7_belt belt, const q7_block *x, const q7_block *y, q7_block *dst);
Q7_EXPORT q7_code q7_arith_imm_setup(q7_oper op, q7_arith_how how, float number);   // dst = src (how) number
Q7_EXPORT q7_code q7_arith_imm_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_compare_setup(q7_oper op, q7_cmp_how how);
Q7_EXPORT q7_code q7_compare_run(q7_oper op, q7_belt belt, const q7_block *x, const q7_block *y, q7_block *dst); // dst is Q7_U8, 0 or 1
Q7_EXPORT q7_code q7_select_run(q7_oper op, q7_belt belt, const q7_block *which, const q7_block *if_one, const q7_block *if_zero, q7_block *dst);
Q7_EXPORT q7_code q7_convert_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);   // to the type of dst

Q7_EXPORT q7_code q7_reduce_setup(q7_oper op, q7_reduce_how how, const int *over, int count, int keep);
Q7_EXPORT q7_code q7_reduce_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_extremum_setup(q7_oper op, int along);
// position of the largest along one size, Q7_S32
Q7_EXPORT q7_code q7_extremum_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *index);
Q7_EXPORT q7_code q7_norm_setup(q7_oper op, float p, int along);
Q7_EXPORT q7_code q7_norm_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);    // p-norm, not a normalisation
Q7_EXPORT q7_code q7_scan_setup(q7_oper op, int along);
Q7_EXPORT q7_code q7_scan_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);    // inclusive sums
Q7_EXPORT q7_code q7_softmax_setup(q7_oper op, int along);
Q7_EXPORT q7_code q7_softmax_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);
Q7_EXPORT q7_code q7_lnorm_setup(q7_oper op, int from, float eps);       // sizes from .. last are normalised
Q7_EXPORT q7_code q7_lnorm_run(q7_oper op, q7_belt belt, const q7_block *src, const q7_block *gain, const q7_block *shift, q7_block *dst);
Q7_EXPORT q7_code q7_rmsnorm_setup(q7_oper op, float eps);
Q7_EXPORT q7_code q7_rmsnorm_run(q7_oper op, q7_belt belt, const q7_block *src, const q7_block *gain, q7_block *dst);
Q7_EXPORT q7_code q7_bnorm_setup(q7_oper op, float eps);
Q7_EXPORT q7_code q7_bnorm_run(q7_oper op, q7_belt belt, const q7_block *src, const q7_block *mean, const q7_block *var, const q7_block *gain, const q7_block *shift, q7_block *dst);

Q7_EXPORT q7_code q7_shuffle_setup(q7_oper op, const int *order, int count);
Q7_EXPORT q7_code q7_shuffle_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst);  // permutes the sizes, nothing random
Q7_EXPORT q7_code q7_take_setup(q7_oper op, int along);
Q7_EXPORT q7_code q7_take_run(q7_oper op, q7_belt belt, const q7_block *src, const q7_block *index, q7_block *dst);       // index is a list; whole slices
Q7_EXPORT q7_code q7_take_each_setup(q7_oper op, int along);
Q7_EXPORT q7_code q7_take_each_run(q7_oper op, q7_belt belt, const q7_block *src, const q7_block *index, q7_block *dst);  // an index for every element of dst
Q7_EXPORT q7_code q7_join_setup(q7_oper op, int along);
Q7_EXPORT q7_code q7_join_run(q7_oper op, q7_belt belt, const q7_block *const *list, int count, q7_block *dst);
Q7_EXPORT q7_code q7_triangle_setup(q7_oper op, int upper, int diagonal);
Q7_EXPORT q7_code q7_triangle_run(q7_oper op, q7_belt belt, const q7_block *src, q7_block *dst); // zeroes the other triangle

Q7_EXPORT q7_code q7_attention_setup(q7_oper op, float scale, int causal);   // scale 0: 1/sqrt(depth)
Q7_EXPORT q7_code q7_attention_run(q7_oper op, q7_belt belt, const q7_block *q, const q7_block *k, const q7_block *v, const q7_block *mask, q7_block *dst);

// -------- what has no twin elsewhere
Q7_EXPORT q7_code q7_conv_act_setup(q7_oper op, int stride_y, int stride_x, int pad_y, int pad_x, int groups, q7_act_how how);
Q7_EXPORT q7_code q7_conv_act_run(q7_oper op, q7_belt belt, const q7_block *image, const q7_block *filter, const q7_block *bias, q7_block *result);
Q7_EXPORT q7_code q7_qconv_setup(q7_oper op, int stride, int pad, int shift, const float *scales, int n_scales);
Q7_EXPORT q7_code q7_qconv_run(q7_oper op, q7_belt belt, const q7_block *image, const q7_block *filter, const q7_block *bias, q7_block *result);
Q7_EXPORT q7_code q7_nms_run(q7_oper op, q7_belt belt, const q7_block *boxes, const q7_block *scores, float iou, q7_block *kept);
Q7_EXPORT q7_code q7_lstm_setup(q7_oper op, int hidden, int layers, int both_ways);
Q7_EXPORT q7_code q7_lstm_run(q7_oper op, q7_belt belt, const q7_block *seq, const q7_block *weights, q7_block *h, q7_block *c, q7_block *dst);

#ifdef __cplusplus
}
#endif
#endif
