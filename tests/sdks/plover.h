/* Plover: an invented accelerator whose descriptions are structs of the caller. A function fills in the struct of a
 * tensor, another that of an op; from it a plan is made, from that a primitive, which runs over numbered tensors. */
#ifndef PLOVER_H
#define PLOVER_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  pl_success = 0,
  pl_out_of_memory = 1,
  pl_invalid_arguments = 2,
  pl_unimplemented = 3
} pl_status_t;
typedef enum { pl_f32 = 1, pl_f64 = 2 } pl_data_type_t;
typedef enum { pl_forward_training = 1, pl_forward_inference = 2 } pl_prop_kind_t;
typedef enum {
  pl_eltwise_tanh = 1,
  pl_eltwise_elu = 2,
  pl_eltwise_abs = 3,
  pl_binary_add = 16,
  pl_binary_mul = 17,
  pl_convolution_direct = 32
} pl_alg_kind_t;

#define PL_MAX_RANK 6
typedef int64_t pl_dims_t[PL_MAX_RANK];

typedef struct {
  int rank;
  pl_dims_t dims;
  pl_dims_t strides;
  pl_data_type_t data_type;
} pl_tensor_desc_t;

/* Every op's description begins with its kind. */
typedef struct {
  int kind;
  pl_alg_kind_t alg_kind;
  pl_tensor_desc_t data_desc;
  float alpha, beta;
} pl_eltwise_desc_t;
typedef struct {
  int kind;
  pl_alg_kind_t alg_kind;
  pl_tensor_desc_t src_desc[2], dst_desc;
} pl_binary_desc_t;
typedef struct {
  int kind;
  pl_tensor_desc_t data_desc;
  int axis;
} pl_softmax_desc_t;
typedef struct {
  int kind;
  pl_tensor_desc_t src_desc, weights_desc, bias_desc, dst_desc;
  pl_dims_t strides, dilates, padding;
} pl_convolution_desc_t;

typedef const void *const_pl_op_desc_t;
typedef struct pl_engine *pl_engine_t;
typedef struct pl_stream *pl_stream_t;
typedef struct pl_memory *pl_memory_t;
typedef const struct pl_primitive_attr *const_pl_primitive_attr_t;
typedef struct pl_primitive_desc *pl_primitive_desc_t;
typedef const struct pl_primitive_desc *const_pl_primitive_desc_t;
typedef struct pl_primitive *pl_primitive_t;
typedef struct {
  int arg;
  pl_memory_t memory;
} pl_exec_arg_t;
#define PL_ARG_SRC_0 1
#define PL_ARG_SRC PL_ARG_SRC_0
#define PL_ARG_SRC_1 2
#define PL_ARG_DST 17
#define PL_ARG_WEIGHTS 33
#define PL_ARG_BIAS 41

pl_status_t pl_malloc(void **ptr, size_t bytes);
pl_status_t pl_free(void *ptr);
pl_status_t pl_memcpy_host_to_device(void *dst, const void *src, size_t bytes);
pl_status_t pl_memcpy_device_to_host(void *dst, const void *src, size_t bytes);
pl_status_t pl_device_synchronize(void);

pl_status_t pl_engine_create(pl_engine_t *engine, size_t index);
pl_status_t pl_engine_destroy(pl_engine_t engine);

/* The struct is the caller's; nothing has to be given back. */
pl_status_t pl_tensor_desc_init_by_strides(pl_tensor_desc_t *tensor_desc, int rank, const pl_dims_t dims,
                                           pl_data_type_t data_type, const pl_dims_t strides);
/* Part of another. */
pl_status_t pl_tensor_desc_init_part(pl_tensor_desc_t *tensor_desc, const pl_tensor_desc_t *parent_desc,
                                     const pl_dims_t dims, const pl_dims_t offsets);
pl_status_t pl_memory_create(pl_memory_t *memory, const pl_tensor_desc_t *tensor_desc, pl_engine_t engine,
                             void *handle);
/* What a memory object was made with, to be looked at. */
pl_status_t pl_memory_get_desc(pl_memory_t memory, const pl_tensor_desc_t **tensor_desc);
pl_status_t pl_memory_destroy(pl_memory_t memory);

pl_status_t pl_eltwise_forward_desc_init(pl_eltwise_desc_t *eltwise_desc, pl_prop_kind_t prop_kind,
                                         pl_alg_kind_t alg_kind, const pl_tensor_desc_t *data_desc, float alpha,
                                         float beta);
pl_status_t pl_binary_desc_init(pl_binary_desc_t *binary_desc, pl_alg_kind_t alg_kind,
                                const pl_tensor_desc_t *src0_desc, const pl_tensor_desc_t *src1_desc,
                                const pl_tensor_desc_t *dst_desc);
pl_status_t pl_softmax_forward_desc_init(pl_softmax_desc_t *softmax_desc, pl_prop_kind_t prop_kind,
                                         const pl_tensor_desc_t *data_desc, int softmax_axis);
/* The bias may be NULL. A dilation of zero means no dilation. */
pl_status_t pl_dilated_convolution_forward_desc_init(
    pl_convolution_desc_t *conv_desc, pl_prop_kind_t prop_kind, pl_alg_kind_t alg_kind,
    const pl_tensor_desc_t *src_desc, const pl_tensor_desc_t *weights_desc, const pl_tensor_desc_t *bias_desc,
    const pl_tensor_desc_t *dst_desc, const pl_dims_t strides, const pl_dims_t dilates, const pl_dims_t padding_l,
    const pl_dims_t padding_r);

/* The hint, which may be NULL, is for backward passes. */
pl_status_t pl_primitive_desc_create(pl_primitive_desc_t *primitive_desc, const_pl_op_desc_t op_desc,
                                     const_pl_primitive_attr_t attr, pl_engine_t engine,
                                     const_pl_primitive_desc_t hint_forward_primitive_desc);
pl_status_t pl_primitive_desc_destroy(pl_primitive_desc_t primitive_desc);
pl_status_t pl_primitive_create(pl_primitive_t *primitive, const_pl_primitive_desc_t primitive_desc);
pl_status_t pl_primitive_destroy(pl_primitive_t primitive);
/* A stream of NULL is the default stream. */
pl_status_t pl_primitive_execute(const struct pl_primitive *primitive, pl_stream_t stream, int nargs,
                                 const pl_exec_arg_t *args);

#ifdef __cplusplus
}
#endif
#endif
