/* Merlin: an invented accelerator with plain words for its functions. Calls say by a truth value whether they worked,
 * and one function computes many ops: an enum or a number says which. */
#ifndef MERLIN_H
#define MERLIN_H
#include <stdbool.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

#define ML_MAX_DIMS 5

typedef enum ml_binary_kind { ML_BINARY_ADD, ML_BINARY_SUB, ML_BINARY_MUL, ML_BINARY_DIV } ml_binary_kind;
typedef enum ml_act_kind { ML_ACT_RELU, ML_ACT_TANH, ML_ACT_LEAKY_RELU } ml_act_kind;
typedef enum ml_reduce_kind { ML_REDUCE_SUM = 1, ML_REDUCE_MEAN = 2 } ml_reduce_kind;
typedef enum ml_pointwise_kind { ML_POINTWISE_ABS = 4, ML_POINTWISE_FLOOR = 5, ML_POINTWISE_NEG = 6 } ml_pointwise_kind;
typedef enum ml_select_kind { ML_SELECT_MIN = 7, ML_SELECT_MAX = 8 } ml_select_kind;
typedef enum ml_type { ML_FLOAT32 = 0 } ml_type;

/* A dense tensor. */
typedef struct ml_view {
  void *data;
  ml_type type;
  int rank;
  long sizes[ML_MAX_DIMS];
} ml_view;

bool ml_start(void);
bool ml_stop(void);
bool ml_count(int *devices);
bool ml_use(int device);
bool ml_wait(void);

bool ml_reserve(size_t bytes, void **memory);
bool ml_release(void *memory);
bool ml_push(void *device, const void *host, size_t bytes);
bool ml_pull(void *host, const void *device, size_t bytes);

/* out[i] = a[i] op b[i] */
bool ml_elementwise2(ml_binary_kind op, const float *a, const float *b, float *out, size_t n);
/* slope is for ML_ACT_LEAKY_RELU alone. */
bool ml_activation(ml_act_kind kind, const float *x, float *y, size_t n, float slope);
/* One value for each row. */
bool ml_reduce_rows(ml_reduce_kind kind, const float *x, float *y, size_t rows, size_t cols);
/* op: 0 = exp, 1 = log, 2 = sqrt */
bool ml_unary(const float *x, float *y, size_t n, int op);
bool ml_pointwise(ml_pointwise_kind kind, const ml_view *x, ml_view *y);
bool ml_tensor_op(ml_select_kind op, ml_view a, ml_view b, ml_view out);

#ifdef __cplusplus
}
#endif
#endif
