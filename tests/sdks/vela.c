#include "vela.h"

#include <math.h>
#include <string.h>

#include "sim.h"

struct vlContext { vlStream_t stream; };
struct vlTensorStruct { vlDataType_t type; int rank; int dims[8]; int strides[8]; int set; };
struct vlFilterStruct { vlDataType_t type; int k, c, h, w, set; };
struct vlActivationStruct { vlActivationMode_t mode; vlNanPropagation_t nan; double coef; int set; };
struct vlOpTensorStruct { vlOpTensorOp_t op; vlDataType_t type; vlNanPropagation_t nan; int set; };
struct vlConvolutionStruct { int pad[2], stride[2], dilation[2], groups, set; vlConvolutionMode_t mode; };

#define STEP() do { if (fails()) return VL_STATUS_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return VL_STATUS_BAD_PARAM; } while (0)

vlStatus_t vlInit(void) { return VL_STATUS_SUCCESS; }
vlStatus_t vlFinalize(void) { return VL_STATUS_SUCCESS; }
vlStatus_t vlGetDeviceCount(int *count) { *count = 2; return VL_STATUS_SUCCESS; }
vlStatus_t vlSetDevice(int device) { REQUIRE(device >= 0 && device < 2); return VL_STATUS_SUCCESS; }
vlStatus_t vlDeviceSynchronize(void) { return VL_STATUS_SUCCESS; }
vlStatus_t vlMalloc(void **ptr, size_t size) { return (*ptr = device_alloc(size)) ? VL_STATUS_SUCCESS : VL_STATUS_ALLOC_FAILED; }
vlStatus_t vlFree(void *ptr) { return device_free(ptr) ? VL_STATUS_SUCCESS : VL_STATUS_BAD_PARAM; }
vlStatus_t vlMemcpy(void *dst, const void *src, size_t size, vlMemcpyKind_t kind) {
  STEP();
  REQUIRE(kind == VL_MEMCPY_DEVICE_TO_HOST || on_device(dst, size));
  REQUIRE(kind == VL_MEMCPY_HOST_TO_DEVICE || on_device(src, size));
  memmove(dst, src, size);
  return VL_STATUS_SUCCESS;
}
const char *vlGetErrorString(vlStatus_t status) { return status == VL_STATUS_SUCCESS ? "success" : "failure"; }

#define CREATE(Name, type) \
  vlStatus_t vlCreate##Name(type *object) { \
    STEP(); \
    return (*object = (type)make(sizeof **object)) ? VL_STATUS_SUCCESS : VL_STATUS_ALLOC_FAILED; \
  } \
  vlStatus_t vlDestroy##Name(type object) { unmake(object); return VL_STATUS_SUCCESS; }
CREATE(, vlHandle_t)
CREATE(TensorDescriptor, vlTensorDescriptor_t)
CREATE(FilterDescriptor, vlFilterDescriptor_t)
CREATE(ActivationDescriptor, vlActivationDescriptor_t)
CREATE(OpTensorDescriptor, vlOpTensorDescriptor_t)
CREATE(ConvolutionDescriptor, vlConvolutionDescriptor_t)

vlStatus_t vlSetStream(vlHandle_t handle, vlStream_t stream) { STEP(); REQUIRE(handle); handle->stream = stream; return VL_STATUS_SUCCESS; }

vlStatus_t vlSetTensorNdDescriptor(vlTensorDescriptor_t d, vlDataType_t type, int rank, const int dims[], const int strides[]) {
  int i;
  STEP();
  REQUIRE(d && rank >= 3 && rank <= 8);
  d->type = type;
  d->rank = rank;
  for (i = 0; i < rank; ++i) { REQUIRE(dims[i] > 0); d->dims[i] = dims[i]; d->strides[i] = strides[i]; }
  d->set = 1;
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlSetTensor4dDescriptor(vlTensorDescriptor_t d, vlTensorFormat_t format, vlDataType_t type, int n, int c, int h, int w) {
  int dims[4], strides[4];
  REQUIRE(format == VL_TENSOR_NCHW);
  dims[0] = n, dims[1] = c, dims[2] = h, dims[3] = w;
  strides[3] = 1, strides[2] = w, strides[1] = w * h, strides[0] = w * h * c;
  return vlSetTensorNdDescriptor(d, type, 4, dims, strides);
}
vlStatus_t vlSetFilter4dDescriptor(vlFilterDescriptor_t d, vlDataType_t type, vlTensorFormat_t format, int k, int c, int h, int w) {
  STEP();
  REQUIRE(d && format == VL_TENSOR_NCHW);
  d->type = type, d->k = k, d->c = c, d->h = h, d->w = w, d->set = 1;
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlSetActivationDescriptor(vlActivationDescriptor_t d, vlActivationMode_t mode, vlNanPropagation_t nan, double coef) {
  STEP();
  REQUIRE(d);
  d->mode = mode, d->nan = nan, d->coef = coef, d->set = 1;
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlSetOpTensorDescriptor(vlOpTensorDescriptor_t d, vlOpTensorOp_t op, vlDataType_t type, vlNanPropagation_t nan) {
  STEP();
  REQUIRE(d && type != VL_DATA_HALF);
  d->op = op, d->type = type, d->nan = nan, d->set = 1;
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlSetConvolution2dDescriptor(vlConvolutionDescriptor_t d, int pad_h, int pad_w, int u, int v, int dilation_h,
                                        int dilation_w, vlConvolutionMode_t mode, vlDataType_t type) {
  STEP();
  REQUIRE(d && u > 0 && v > 0 && dilation_h > 0 && dilation_w > 0 && type != VL_DATA_HALF);
  d->pad[0] = pad_h, d->pad[1] = pad_w, d->stride[0] = u, d->stride[1] = v;
  d->dilation[0] = dilation_h, d->dilation[1] = dilation_w, d->mode = mode, d->groups = 1, d->set = 1;
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlSetConvolutionGroupCount(vlConvolutionDescriptor_t d, int groups) { STEP(); REQUIRE(d && groups > 0); d->groups = groups; return VL_STATUS_SUCCESS; }

static size_t count(const struct vlTensorStruct *d) { size_t n = 1; int i; for (i = 0; i < d->rank; ++i) n *= (size_t)d->dims[i]; return n; }
static size_t item(vlDataType_t type) { return type == VL_DATA_DOUBLE ? 8 : 4; }
static int usable(const struct vlTensorStruct *d, const void *p) { return d && d->set && p && on_device(p, count(d) * item(d->type)); }
static double load(vlDataType_t type, const void *p, size_t i) { return type == VL_DATA_DOUBLE ? ((const double *)p)[i] : ((const float *)p)[i]; }
static void store(vlDataType_t type, void *p, size_t i, double v) { if (type == VL_DATA_DOUBLE) ((double *)p)[i] = v; else ((float *)p)[i] = (float)v; }
static double factor(vlDataType_t type, const void *p) { return load(type, p, 0); }
static void blend(vlDataType_t type, const void *alpha, const void *beta, void *y, size_t i, double v) {
  const double b = factor(type, beta);
  store(type, y, i, factor(type, alpha) * v + (b != 0 ? b * load(type, y, i) : 0));
}

static double activation(const struct vlActivationStruct *a, double x) {
  switch (a->mode) {
    case VL_ACTIVATION_SIGMOID: return 1 / (1 + exp(-x));
    case VL_ACTIVATION_RELU: return isnan(x) && a->nan == VL_PROPAGATE_NAN ? x : x > 0 ? x : 0;
    case VL_ACTIVATION_TANH: return tanh(x);
    default: return x > 0 ? x : a->coef * expm1(x);
  }
}
vlStatus_t vlActivationForward(vlHandle_t handle, vlActivationDescriptor_t a, const void *alpha, const vlTensorDescriptor_t xd,
                               const void *x, const void *beta, const vlTensorDescriptor_t yd, void *y) {
  size_t i;
  STEP();
  REQUIRE(handle && a && a->set && usable(xd, x) && usable(yd, y) && count(xd) == count(yd));
  if (xd->type == VL_DATA_HALF) return VL_STATUS_NOT_SUPPORTED;
  for (i = 0; i < count(xd); ++i) blend(xd->type, alpha, beta, y, i, activation(a, load(xd->type, x, i)));
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlOpTensor(vlHandle_t handle, const vlOpTensorDescriptor_t op, const void *alpha1, const vlTensorDescriptor_t ad,
                      const void *A, const void *alpha2, const vlTensorDescriptor_t bd, const void *B, const void *beta,
                      const vlTensorDescriptor_t cd, void *C) {
  size_t i;
  double one;
  STEP();
  REQUIRE(handle && op && op->set && usable(ad, A) && usable(bd, B) && usable(cd, C) && count(ad) == count(cd) && count(bd) == count(cd));
  if (ad->type == VL_DATA_HALF || op->type != ad->type) return VL_STATUS_NOT_SUPPORTED;
  one = factor(ad->type, alpha1);
  for (i = 0; i < count(cd); ++i) {
    const double a = one * load(ad->type, A, i), b = factor(ad->type, alpha2) * load(ad->type, B, i);
    const int nan = op->nan == VL_PROPAGATE_NAN && (isnan(a) || isnan(b));
    double v = op->op == VL_OP_TENSOR_ADD ? a + b : a * b;
    if (op->op == VL_OP_TENSOR_MIN) v = nan ? NAN : fmin(a, b);
    if (op->op == VL_OP_TENSOR_MAX) v = nan ? NAN : fmax(a, b);
    /* single precision rounds each product before the sum */
    if (ad->type == VL_DATA_FLOAT && op->op == VL_OP_TENSOR_ADD) v = (float)a + (float)b;
    store(ad->type, C, i, v + (factor(ad->type, beta) != 0 ? factor(ad->type, beta) * load(ad->type, C, i) : 0));
  }
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlAddTensor(vlHandle_t handle, const void *alpha, const vlTensorDescriptor_t ad, const void *A, const void *beta,
                       const vlTensorDescriptor_t cd, void *C) {
  size_t i;
  STEP();
  REQUIRE(handle && usable(ad, A) && usable(cd, C) && ad->rank == 4 && cd->rank == 4);
  for (i = 0; i < count(cd); ++i) {
    size_t at = 0, rest = i, place[4];
    int d;
    for (d = 3; d >= 0; --d) { place[d] = rest % (size_t)cd->dims[d]; rest /= (size_t)cd->dims[d]; }
    for (d = 0; d < 4; ++d) {
      REQUIRE(ad->dims[d] == cd->dims[d] || ad->dims[d] == 1);
      at += (ad->dims[d] == 1 ? 0 : place[d]) * (size_t)ad->strides[d];
    }
    blend(cd->type, alpha, beta, C, i, load(ad->type, A, at));
  }
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlSoftmaxForward(vlHandle_t handle, vlSoftmaxAlgorithm_t algo, vlSoftmaxMode_t mode, const void *alpha,
                            const vlTensorDescriptor_t xd, const void *x, const void *beta, const vlTensorDescriptor_t yd, void *y) {
  size_t outer, inner, channels, n, i, c;
  STEP();
  REQUIRE(handle && usable(xd, x) && usable(yd, y) && xd->rank == 4 && count(xd) == count(yd));
  if (xd->type != VL_DATA_FLOAT || mode != VL_SOFTMAX_MODE_CHANNEL) return VL_STATUS_NOT_SUPPORTED;
  outer = (size_t)xd->dims[0], channels = (size_t)xd->dims[1], inner = (size_t)xd->dims[2] * (size_t)xd->dims[3];
  for (n = 0; n < outer; ++n) {
    for (i = 0; i < inner; ++i) {
      const size_t base = n * channels * inner + i;
      double most = -INFINITY, sum = 0;
      for (c = 0; c < channels; ++c) { const double v = load(xd->type, x, base + c * inner); if (v > most || isnan(v)) most = v; }
      if (algo == VL_SOFTMAX_FAST) most = 0;
      for (c = 0; c < channels; ++c) sum += exp(load(xd->type, x, base + c * inner) - most);
      for (c = 0; c < channels; ++c) {
        const double v = load(xd->type, x, base + c * inner) - most;
        blend(xd->type, alpha, beta, y, base + c * inner, algo == VL_SOFTMAX_LOG ? v - log(sum) : exp(v) / sum);
      }
    }
  }
  return VL_STATUS_SUCCESS;
}

/* The workspace holds one image row of doubles per output channel: small, and not to be done without. */
static size_t needed(const struct vlTensorStruct *y) { return (size_t)y->dims[1] * (size_t)y->dims[3] * sizeof(double); }
vlStatus_t vlGetConvolutionForwardWorkspaceSize(vlHandle_t handle, const vlTensorDescriptor_t xd, const vlFilterDescriptor_t wd,
                                                const vlConvolutionDescriptor_t conv, const vlTensorDescriptor_t yd,
                                                vlConvolutionFwdAlgo_t algo, size_t *size) {
  STEP();
  REQUIRE(handle && xd && xd->set && wd && wd->set && conv && conv->set && yd && yd->set && size);
  (void)algo;
  *size = needed(yd);
  return VL_STATUS_SUCCESS;
}
vlStatus_t vlConvolutionForward(vlHandle_t handle, const void *alpha, const vlTensorDescriptor_t xd, const void *x,
                                const vlFilterDescriptor_t wd, const void *w, const vlConvolutionDescriptor_t conv,
                                vlConvolutionFwdAlgo_t algo, void *workspace, size_t size, const void *beta,
                                const vlTensorDescriptor_t yd, void *y) {
  int n, k, p, q, c, r, s;
  STEP();
  REQUIRE(handle && usable(xd, x) && usable(yd, y) && wd && wd->set && conv && conv->set && xd->rank == 4 && yd->rank == 4);
  if (xd->type == VL_DATA_HALF || conv->mode != VL_CROSS_CORRELATION) return VL_STATUS_NOT_SUPPORTED;
  REQUIRE(wd->c * conv->groups == xd->dims[1] && wd->k == yd->dims[1] && wd->k % conv->groups == 0);
  (void)algo;
  REQUIRE(size >= needed(yd) && on_device(workspace, size));
  for (n = 0; n < yd->dims[0]; ++n)
    for (k = 0; k < yd->dims[1]; ++k)
      for (p = 0; p < yd->dims[2]; ++p)
        for (q = 0; q < yd->dims[3]; ++q) {
          double sum = 0;
          for (c = 0; c < wd->c; ++c)
            for (r = 0; r < wd->h; ++r)
              for (s = 0; s < wd->w; ++s) {
                const int ih = p * conv->stride[0] - conv->pad[0] + r * conv->dilation[0];
                const int iw = q * conv->stride[1] - conv->pad[1] + s * conv->dilation[1];
                const int ic = k / (wd->k / conv->groups) * wd->c + c;
                if (ih < 0 || iw < 0 || ih >= xd->dims[2] || iw >= xd->dims[3]) continue;
                sum += load(xd->type, x, (((size_t)n * xd->dims[1] + ic) * xd->dims[2] + ih) * xd->dims[3] + iw) *
                       load(xd->type, w, (((size_t)k * wd->c + c) * wd->h + r) * wd->w + s);
              }
          blend(xd->type, alpha, beta, y, (((size_t)n * yd->dims[1] + k) * yd->dims[2] + p) * yd->dims[3] + q, sum);
        }
  return VL_STATUS_SUCCESS;
}
