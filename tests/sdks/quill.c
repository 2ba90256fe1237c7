#include "quill.h"

#include <math.h>
#include <string.h>

#include "sim.h"

struct qlTensor { int64_t dims[8]; int rank; qlDataType type; char *data; };
struct qlScalar { double value; };
struct qlIntArray { int64_t values[8]; uint64_t size; };
enum kind { ADD, SUB, MUL, RELU, EXP, SOFTMAX, MATMUL, CONV };
struct qlOpExecutor {
  enum kind kind;
  struct qlTensor a, b, c, out;
  int biased;
  double alpha;
  int64_t dim, stride[2], padding[2], dilation[2], groups;
  uint64_t needed;
};

#define STEP() do { if (fails()) return QL_ERROR_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return QL_ERROR_INVALID_PARAM; } while (0)

qlStatus qlInit(void) { return QL_SUCCESS; }
qlStatus qlFinalize(void) { return QL_SUCCESS; }
qlStatus qlrtGetDeviceCount(uint32_t *count) { *count = 1; return QL_SUCCESS; }
qlStatus qlrtSetDevice(int32_t device) { REQUIRE(device == 0); return QL_SUCCESS; }
qlStatus qlrtSynchronizeDevice(void) { return QL_SUCCESS; }
qlStatus qlrtMalloc(void **p, size_t size) { return (*p = device_alloc(size)) ? QL_SUCCESS : QL_ERROR_OUT_OF_MEMORY; }
qlStatus qlrtFree(void *p) { return device_free(p) ? QL_SUCCESS : QL_ERROR_INVALID_PARAM; }
qlStatus qlrtMemcpy(void *dst, const void *src, size_t size, qlMemcpyKind kind) {
  STEP();
  REQUIRE(kind == QL_MEMCPY_DEVICE_TO_HOST || on_device(dst, size));
  REQUIRE(kind == QL_MEMCPY_HOST_TO_DEVICE || on_device(src, size));
  memmove(dst, src, size);
  return QL_SUCCESS;
}

static int64_t numel(const struct qlTensor *t) { int64_t n = 1; int i; for (i = 0; i < t->rank; ++i) n *= t->dims[i]; return n; }
qlTensor *qlCreateTensor(const int64_t *dims, uint64_t rank, qlDataType type, const int64_t *stride, int64_t offset, qlFormat format,
                         const int64_t *storage, uint64_t storage_rank, void *data) {
  struct qlTensor *t;
  int64_t step = 1;
  int i;
  if (fails() || rank > 8 || type != QL_FLOAT || storage_rank != rank || (rank == 4) != (format == QL_FORMAT_NCHW)) return NULL;
  if (!(t = (struct qlTensor *)make(sizeof *t))) return NULL;
  t->rank = (int)rank, t->type = type, t->data = (char *)data + offset * 4;
  for (i = (int)rank - 1; i >= 0; --i) {
    t->dims[i] = dims[i];
    if (storage[i] != dims[i] || stride[i] != step) { unmake(t); return NULL; }
    step *= dims[i];
  }
  if (!on_device(t->data, (size_t)numel(t) * 4)) { unmake(t); return NULL; }
  return t;
}
qlStatus qlDestroyTensor(const qlTensor *t) { unmake((void *)(uintptr_t)t); return QL_SUCCESS; }
qlScalar *qlCreateScalar(void *value, qlDataType type) {
  struct qlScalar *s;
  if (fails() || type != QL_FLOAT || !(s = (struct qlScalar *)make(sizeof *s))) return NULL;
  s->value = *(float *)value;
  return s;
}
qlStatus qlDestroyScalar(const qlScalar *s) { unmake((void *)(uintptr_t)s); return QL_SUCCESS; }
qlIntArray *qlCreateIntArray(const int64_t *value, uint64_t size) {
  struct qlIntArray *a;
  if (fails() || size > 8 || !(a = (struct qlIntArray *)make(sizeof *a))) return NULL;
  memcpy(a->values, value, size * sizeof *value);
  a->size = size;
  return a;
}
qlStatus qlDestroyIntArray(const qlIntArray *a) { unmake((void *)(uintptr_t)a); return QL_SUCCESS; }
qlStatus qlDestroyOpExecutor(qlOpExecutor *e) { unmake(e); return QL_SUCCESS; }

static qlStatus prepare(enum kind kind, const qlTensor *a, const qlTensor *b, const qlTensor *out, uint64_t *size, qlOpExecutor **executor) {
  STEP();
  REQUIRE(a && out && size && executor);
  if (!(*executor = (qlOpExecutor *)make(sizeof **executor))) return QL_ERROR_OUT_OF_MEMORY;
  (*executor)->kind = kind, (*executor)->a = *a, (*executor)->out = *out;
  if (b) (*executor)->b = *b;
  *size = (*executor)->needed = 64;
  return QL_SUCCESS;
}
static qlStatus binary(enum kind kind, const qlTensor *a, const qlTensor *b, const qlScalar *alpha, const qlTensor *out, uint64_t *size, qlOpExecutor **e) {
  REQUIRE(a && b && out && numel(a) == numel(out) && numel(b) == numel(out));
  {
    const qlStatus s = prepare(kind, a, b, out, size, e);
    if (s == QL_SUCCESS && alpha) (*e)->alpha = alpha->value;
    return s;
  }
}
qlStatus qlnnAddGetWorkspaceSize(const qlTensor *a, const qlTensor *b, const qlScalar *alpha, qlTensor *out, uint64_t *size, qlOpExecutor **e) { REQUIRE(alpha); return binary(ADD, a, b, alpha, out, size, e); }
qlStatus qlnnSubGetWorkspaceSize(const qlTensor *a, const qlTensor *b, const qlScalar *alpha, qlTensor *out, uint64_t *size, qlOpExecutor **e) { REQUIRE(alpha); return binary(SUB, a, b, alpha, out, size, e); }
qlStatus qlnnMulGetWorkspaceSize(const qlTensor *a, const qlTensor *b, qlTensor *out, uint64_t *size, qlOpExecutor **e) { return binary(MUL, a, b, NULL, out, size, e); }
qlStatus qlnnReluGetWorkspaceSize(const qlTensor *a, qlTensor *out, uint64_t *size, qlOpExecutor **e) { return prepare(RELU, a, NULL, out, size, e); }
qlStatus qlnnExpGetWorkspaceSize(const qlTensor *a, qlTensor *out, uint64_t *size, qlOpExecutor **e) { return prepare(EXP, a, NULL, out, size, e); }
qlStatus qlnnSoftmaxGetWorkspaceSize(const qlTensor *a, int64_t dim, qlTensor *out, uint64_t *size, qlOpExecutor **e) {
  qlStatus s;
  REQUIRE(a && dim >= 0 && dim < a->rank);
  s = prepare(SOFTMAX, a, NULL, out, size, e);
  if (s == QL_SUCCESS) (*e)->dim = dim;
  return s;
}
qlStatus qlnnMatmulGetWorkspaceSize(const qlTensor *a, const qlTensor *b, qlTensor *out, uint64_t *size, qlOpExecutor **e) {
  int r;
  REQUIRE(a && b && out && a->rank >= 2 && a->rank <= 3 && b->rank == a->rank && out->rank == a->rank);
  r = a->rank;
  REQUIRE(a->dims[r - 1] == b->dims[r - 2] && out->dims[r - 2] == a->dims[r - 2] && out->dims[r - 1] == b->dims[r - 1]);
  REQUIRE(r == 2 || (a->dims[0] == b->dims[0] && a->dims[0] == out->dims[0]));
  return prepare(MATMUL, a, b, out, size, e);
}
qlStatus qlnnConvolutionGetWorkspaceSize(const qlTensor *in, const qlTensor *w, const qlTensor *bias, const qlIntArray *stride,
                                         const qlIntArray *padding, const qlIntArray *dilation, int64_t groups, qlTensor *out, uint64_t *size, qlOpExecutor **e) {
  qlStatus s;
  REQUIRE(in && w && out && in->rank == 4 && w->rank == 4 && stride && stride->size == 2 && padding && dilation && groups > 0);
  REQUIRE(w->dims[1] * groups == in->dims[1]);
  s = prepare(CONV, in, w, out, size, e);
  if (s != QL_SUCCESS) return s;
  if (bias) (*e)->c = *bias, (*e)->biased = 1;
  memcpy((*e)->stride, stride->values, sizeof (*e)->stride);
  memcpy((*e)->padding, padding->values, sizeof (*e)->padding);
  memcpy((*e)->dilation, dilation->values, sizeof (*e)->dilation);
  (*e)->groups = groups;
  return QL_SUCCESS;
}

static void softmax(const struct qlOpExecutor *e, const float *a, float *y) {
  int64_t outer = 1, inner = 1, n, i, c, channels = e->a.dims[e->dim];
  int d;
  for (d = 0; d < e->a.rank; ++d) { if (d < e->dim) outer *= e->a.dims[d]; if (d > e->dim) inner *= e->a.dims[d]; }
  for (n = 0; n < outer; ++n)
    for (i = 0; i < inner; ++i) {
      const int64_t base = n * channels * inner + i;
      double most = -INFINITY, sum = 0;
      for (c = 0; c < channels; ++c) { const double v = a[base + c * inner]; if (v > most || isnan(v)) most = v; }
      for (c = 0; c < channels; ++c) sum += exp(a[base + c * inner] - most);
      for (c = 0; c < channels; ++c) y[base + c * inner] = (float)(exp(a[base + c * inner] - most) / sum);
    }
}
static void convolve(const struct qlOpExecutor *e, const float *x, const float *w, float *y) {
  const int64_t *xd = e->a.dims, *wd = e->b.dims, *yd = e->out.dims;
  int64_t n, k, p, q, c, r, s;
  for (n = 0; n < yd[0]; ++n)
    for (k = 0; k < yd[1]; ++k)
      for (p = 0; p < yd[2]; ++p)
        for (q = 0; q < yd[3]; ++q) {
          double sum = e->biased ? ((const float *)e->c.data)[k] : 0;
          for (c = 0; c < wd[1]; ++c)
            for (r = 0; r < wd[2]; ++r)
              for (s = 0; s < wd[3]; ++s) {
                const int64_t h = p * e->stride[0] - e->padding[0] + r * e->dilation[0];
                const int64_t v = q * e->stride[1] - e->padding[1] + s * e->dilation[1];
                const int64_t from = k / (wd[0] / e->groups) * wd[1] + c;
                if (h < 0 || v < 0 || h >= xd[2] || v >= xd[3]) continue;
                sum += (double)x[((n * xd[1] + from) * xd[2] + h) * xd[3] + v] * w[((k * wd[1] + c) * wd[2] + r) * wd[3] + s];
              }
          y[((n * yd[1] + k) * yd[2] + p) * yd[3] + q] = (float)sum;
        }
}
static qlStatus launch(enum kind kind, void *workspace, uint64_t size, qlOpExecutor *e) {
  int64_t i, j, k, n;
  const float *a, *b;
  float *y;
  if (fails()) { unmake(e); return QL_ERROR_NOT_SUPPORTED; }
  REQUIRE(e && e->kind == kind && size >= e->needed && on_device(workspace, size));
  a = (const float *)e->a.data, b = (const float *)e->b.data, y = (float *)e->out.data, n = numel(&e->out);
  if (kind == SOFTMAX) softmax(e, a, y);
  else if (kind == CONV) convolve(e, a, b, y);
  else if (kind == MATMUL) {
    const int r = e->a.rank;
    const int64_t rows = e->out.dims[r - 2], columns = e->out.dims[r - 1], depth = e->a.dims[r - 1];
    for (i = 0; i < n / columns; ++i)  /* rows of every matrix of the batch */
      for (j = 0; j < columns; ++j) {
        double sum = 0;
        for (k = 0; k < depth; ++k) sum += (double)a[i * depth + k] * b[(i / rows * depth + k) * columns + j];
        y[i * columns + j] = (float)sum;
      }
  } else for (i = 0; i < n; ++i) {
    switch (kind) {
      case ADD: y[i] = a[i] + (float)((float)e->alpha * b[i]); break;
      case SUB: y[i] = a[i] - (float)((float)e->alpha * b[i]); break;
      case MUL: y[i] = a[i] * b[i]; break;
      case RELU: y[i] = isnan(a[i]) || a[i] > 0 ? a[i] : 0; break;
      default: y[i] = (float)exp(a[i]); break;
    }
  }
  unmake(e);
  return QL_SUCCESS;
}
#define LAUNCH(Name, kind) \
  qlStatus qlnn##Name(void *workspace, uint64_t size, qlOpExecutor *executor, qlrtStream stream) { \
    (void)stream; \
    return launch(kind, workspace, size, executor); \
  }
LAUNCH(Add, ADD)
LAUNCH(Sub, SUB)
LAUNCH(Mul, MUL)
LAUNCH(Relu, RELU)
LAUNCH(Exp, EXP)
LAUNCH(Softmax, SOFTMAX)
LAUNCH(Matmul, MATMUL)
LAUNCH(Convolution, CONV)
