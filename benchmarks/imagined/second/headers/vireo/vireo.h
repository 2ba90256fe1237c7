/*
 * vireo.h - stable C ABI of the Vireo tensor library (libvireo.so.2)
 *
 * Tensors are DLPack's. A function that fails returns an error object, which
 * the caller frees with vr_error_free(); NULL means success. Outputs are
 * allocated by the caller with the right shape; see the shape functions.
 * Parameters marked VR_OPT may be NULL.
 */
#ifndef VIREO_VIREO_H_
#define VIREO_VIREO_H_

#include <dlpack/dlpack.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VR_ABI_VERSION 2
#define VR_OPT
#define VR_API __attribute__((visibility("default"), warn_unused_result))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VrError VrError;
typedef struct VrExec VrExec;     /* a device, an ordered queue and a caching allocator */
typedef struct VrPoint VrPoint;   /* a point in an exec's queue */

typedef struct {
  size_t struct_size;
  int64_t stride[3], dilation[3];
  int64_t pad_begin[3], pad_end[3];
  int64_t groups;
  bool channels_last;
} VrConvAttrs;

typedef struct {
  size_t struct_size;
  int64_t window[3], stride[3];
  int64_t pad_begin[3], pad_end[3];
  bool ceil_mode, count_padding;
} VrPoolAttrs;

typedef enum { VR_REDUCE_SUM, VR_REDUCE_MEAN, VR_REDUCE_AMAX, VR_REDUCE_AMIN, VR_REDUCE_PROD } VrReduce;

/* ---- errors, library --------------------------------------------------- */
const char *vr_error_message(const VrError *err);
int vr_error_code(const VrError *err);
void vr_error_free(VrError *err);
uint32_t vr_abi_version(void);
VR_API VrError *vr_set_log_callback(void (*fn)(int level, const char *text, void *user), void *user);
VR_API VrError *vr_load_plugin(const char *path);

/* ---- execution ------------------------------------------------------------ */
VR_API VrError *vr_device_total(int32_t *count);
VR_API VrError *vr_exec_new(int32_t device, VrExec **out);
void vr_exec_delete(VrExec *ex);
VR_API VrError *vr_exec_join(VrExec *ex);
VR_API VrError *vr_exec_follow(VrExec *ex, VrPoint *point);
VR_API VrError *vr_point_mark(VrExec *ex, VrPoint **out);
VR_API VrError *vr_point_join(VrPoint *point);
void vr_point_delete(VrPoint *point);
VR_API VrError *vr_storage_new(VrExec *ex, size_t bytes, void **out);
void vr_storage_delete(VrExec *ex, void *storage);
VR_API VrError *vr_storage_trim(VrExec *ex, size_t keep_bytes);
VR_API VrError *vr_storage_put(VrExec *ex, void *storage, const void *host, size_t bytes);
VR_API VrError *vr_storage_get(VrExec *ex, void *host, const void *storage, size_t bytes);
VR_API VrError *vr_tensor_from_host(VrExec *ex, const DLTensor *host, DLManagedTensor **out);

/* ---- shapes ------------------------------------------------------------- */
VR_API VrError *vr_shape_conv(const DLTensor *x, const DLTensor *w, const VrConvAttrs *attrs, int64_t *out_shape);
VR_API VrError *vr_shape_broadcast(const DLTensor *a, const DLTensor *b, int64_t *out_shape, int32_t *out_ndim);

/* ---- element by element ------------------------------------------------------- */
VR_API VrError *vr_abs(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_exp2(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_isfinite(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_logical_not(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_trunc(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_softplus(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_elu(VrExec *ex, const DLTensor *x, double alpha, DLTensor *y);
VR_API VrError *vr_relu_inplace(VrExec *ex, DLTensor *x);
VR_API VrError *vr_gelu_grad(VrExec *ex, const DLTensor *x, const DLTensor *dy, DLTensor *dx);
VR_API VrError *vr_add(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_mul(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_true_divide(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_python_mod(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_logical_xor(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_not_equal(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_squared_difference(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_clip(VrExec *ex, const DLTensor *x, const double *lo VR_OPT, const double *hi VR_OPT, DLTensor *y);
VR_API VrError *vr_where(VrExec *ex, const DLTensor *cond, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_astype(VrExec *ex, const DLTensor *x, DLTensor *y);
VR_API VrError *vr_fill(VrExec *ex, double value, DLTensor *y);

/* ---- reductions -------------------------------------------------------------- */
VR_API VrError *vr_reduce(VrExec *ex, VrReduce kind, const DLTensor *x, const int64_t *axes, size_t naxes, DLTensor *y);
VR_API VrError *vr_all(VrExec *ex, const DLTensor *x, const int64_t *axes, size_t naxes, DLTensor *y);
VR_API VrError *vr_argmax(VrExec *ex, const DLTensor *x, int64_t axis, DLTensor *y);
VR_API VrError *vr_norm2(VrExec *ex, const DLTensor *x, const int64_t *axes, size_t naxes, DLTensor *y);
VR_API VrError *vr_norm_inf(VrExec *ex, const DLTensor *x, const int64_t *axes, size_t naxes, DLTensor *y);
VR_API VrError *vr_cumsum(VrExec *ex, const DLTensor *x, int64_t axis, DLTensor *y);
VR_API VrError *vr_ptp(VrExec *ex, const DLTensor *x, int64_t axis, DLTensor *y);

/* ---- moving data -------------------------------------------------------------- */
VR_API VrError *vr_transpose(VrExec *ex, const DLTensor *x, const int64_t *perm VR_OPT, DLTensor *y);
VR_API VrError *vr_concatenate(VrExec *ex, const DLTensor *const *xs, size_t nxs, int64_t axis, DLTensor *y);
VR_API VrError *vr_take(VrExec *ex, const DLTensor *x, const DLTensor *index, int64_t axis, DLTensor *y);
VR_API VrError *vr_take_along_axis(VrExec *ex, const DLTensor *x, const DLTensor *index, int64_t axis, DLTensor *y);
VR_API VrError *vr_put_along_axis(VrExec *ex, DLTensor *x, const DLTensor *index, const DLTensor *values, int64_t axis);
VR_API VrError *vr_triu(VrExec *ex, const DLTensor *x, int64_t k, DLTensor *y);

/* ---- networks ------------------------------------------------------------------ */
VR_API VrError *vr_matmul(VrExec *ex, const DLTensor *a, const DLTensor *b, DLTensor *y);
VR_API VrError *vr_dense(VrExec *ex, const DLTensor *x, const DLTensor *w, const DLTensor *b VR_OPT, DLTensor *y);
VR_API VrError *vr_conv(VrExec *ex, const DLTensor *x, const DLTensor *w, const DLTensor *b VR_OPT, const VrConvAttrs *attrs, DLTensor *y);
VR_API VrError *vr_max_pool(VrExec *ex, const DLTensor *x, const VrPoolAttrs *attrs, DLTensor *y, DLTensor *where_max VR_OPT);
VR_API VrError *vr_log_softmax(VrExec *ex, const DLTensor *x, int64_t axis, DLTensor *y);
VR_API VrError *vr_group_norm(VrExec *ex, const DLTensor *x, int64_t groups, const DLTensor *gamma VR_OPT, const DLTensor *beta VR_OPT, double eps, DLTensor *y);
VR_API VrError *vr_swiglu(VrExec *ex, const DLTensor *x, const DLTensor *gate, DLTensor *y);
VR_API VrError *vr_sdpa(VrExec *ex, const DLTensor *q, const DLTensor *k, const DLTensor *v, const DLTensor *bias VR_OPT, bool causal, double scale, DLTensor *y);
VR_API VrError *vr_qlinear(VrExec *ex, const DLTensor *x, const DLTensor *wq, const DLTensor *scales, const DLTensor *zeros VR_OPT, int32_t group, DLTensor *y);
VR_API VrError *vr_sgd_step(VrExec *ex, DLTensor *param, const DLTensor *grad, DLTensor *momentum VR_OPT, double lr, double mu);

#ifdef __cplusplus
}
#endif
#endif /* VIREO_VIREO_H_ */
