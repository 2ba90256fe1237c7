#include "siskin.h"

#include <math.h>
#include <string.h>

#include "sim.h"

struct sk_tensor { int64_t dims[8], numel; int rank; skType type; char *data; };
struct sk_scalar { double value; };
struct sk_dims { int64_t values[8]; uint64_t count; };
struct sk_list { struct sk_tensor of[16]; uint64_t count; };
struct sk_queue { int unused; };
enum kind { RELU, GELU, ADD, MULS, GT, WHERE, FILL, SUM, MOST, RUNNING, PERMUTE, CAT, LOOKUP, TRIU, MATMUL, ADDMM, POOL, NORM };
struct sk_plan {
  enum kind kind;
  struct sk_tensor a, b, c, out;
  struct sk_dims dims, stride, padding;
  struct sk_list list;
  double alpha, beta, eps;
  int64_t number;
  int reusable, has_b, has_c, yes, padded;
  size_t needed;
};

#define STEP() do { if (fails()) return SK_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return SK_BAD_ARGUMENT; } while (0)

skStatus skDeviceCount(uint32_t *count) { *count = 1; return SK_OK; }
skStatus skSetDevice(int32_t device) { REQUIRE(device == 0); return SK_OK; }
skStatus skDeviceSynchronize(void) { return SK_OK; }
skStatus skMalloc(void **p, size_t size) { return (*p = device_alloc(size)) ? SK_OK : SK_OUT_OF_MEMORY; }
skStatus skFree(void *p) { return device_free(p) ? SK_OK : SK_BAD_ARGUMENT; }
skStatus skMemcpy(void *dst, const void *src, size_t size, skCopyKind kind) {
  STEP();
  REQUIRE(kind == SK_DEVICE_TO_HOST || on_device(dst, size));
  REQUIRE(kind == SK_HOST_TO_DEVICE || on_device(src, size));
  memmove(dst, src, size);
  return SK_OK;
}
skStatus skQueueCreate(skQueue *queue) { return (*queue = (skQueue)make(sizeof **queue)) ? SK_OK : SK_OUT_OF_MEMORY; }
skStatus skQueueDestroy(skQueue queue) { unmake(queue); return SK_OK; }
skStatus skQueueSynchronize(skQueue queue) { (void)queue; return SK_OK; }

static size_t bytes_of(skType type) { return type == SK_INT64 ? 8 : type == SK_BOOL ? 1 : 4; }
skTensor skTensorNew(const int64_t *dims, uint64_t rank, skType type, const int64_t *strides, int64_t offset, void *data) {
  skTensor t;
  int64_t step = 1;
  int i;
  if (fails() || rank > 8 || type == SK_HALF || type == SK_INT32 || !(t = (skTensor)make(sizeof *t))) return NULL;
  t->rank = (int)rank, t->type = type, t->data = (char *)data + offset * (int64_t)bytes_of(type);
  for (i = t->rank - 1; i >= 0; --i) {
    t->dims[i] = dims[i];
    if (strides && dims[i] > 1 && strides[i] != step) { unmake(t); return NULL; }
    step *= dims[i] > 0 ? dims[i] : 1;
  }
  for (t->numel = 1, i = 0; i < t->rank; ++i) t->numel *= t->dims[i];
  if (!on_device(t->data, (size_t)t->numel * bytes_of(type))) { unmake(t); return NULL; }
  return t;
}
skStatus skTensorDelete(skTensor t) { unmake(t); return SK_OK; }
skScalar skScalarNew(const void *value, skType type) {
  skScalar s;
  if (fails() || type != SK_FLOAT || !(s = (skScalar)make(sizeof *s))) return NULL;
  s->value = *(const float *)value;
  return s;
}
skStatus skScalarDelete(skScalar s) { unmake(s); return SK_OK; }
skDims skDimsNew(const int64_t *values, uint64_t count) {
  skDims d;
  if (fails() || count > 8 || !(d = (skDims)make(sizeof *d))) return NULL;
  memcpy(d->values, values, count * sizeof *values);
  d->count = count;
  return d;
}
skStatus skDimsDelete(skDims d) { unmake(d); return SK_OK; }
skTensorList skTensorListNew(const skTensor *tensors, uint64_t count) {
  skTensorList l;
  uint64_t i;
  if (fails() || count > 16 || !(l = (skTensorList)make(sizeof *l))) return NULL;
  for (i = 0; i < count; ++i) l->of[i] = *tensors[i];
  l->count = count;
  return l;
}
skStatus skTensorListDelete(skTensorList l) { unmake(l); return SK_OK; }
skStatus skPlanSetReusable(skPlan p) { p->reusable = 1; return SK_OK; }
skStatus skPlanDelete(skPlan p) { unmake(p); return SK_OK; }

static skStatus plan(enum kind kind, skTensor a, skTensor b, skTensor out, size_t *size, skPlan *made) {
  STEP();
  REQUIRE(out && size && made && (a || kind == CAT));
  if (!(*made = (skPlan)make(sizeof **made))) return SK_OUT_OF_MEMORY;
  (*made)->kind = kind, (*made)->out = *out;
  if (a) (*made)->a = *a;
  if (b) (*made)->b = *b, (*made)->has_b = 1;
  *size = (*made)->needed = 32;
  return SK_OK;
}
#define PLANNED(...) do { const skStatus planned_ = plan(__VA_ARGS__); if (planned_ != SK_OK) return planned_; } while (0)
#define SIZED size_t *size, skPlan *p

skStatus skPlanRelu(skTensor a, skTensor out, SIZED) { REQUIRE(a->numel == out->numel && a->type == SK_FLOAT); return plan(RELU, a, NULL, out, size, p); }
skStatus skPlanGelu(skTensor a, bool approximate, skTensor out, SIZED) {
  REQUIRE(a->numel == out->numel && a->type == SK_FLOAT);
  PLANNED(GELU, a, NULL, out, size, p);
  (*p)->yes = approximate;
  return SK_OK;
}
skStatus skPlanAdd(skTensor a, skTensor b, skScalar alpha, skTensor out, SIZED) {
  REQUIRE(alpha && a->numel == out->numel && b->numel == out->numel && a->type == SK_FLOAT);
  PLANNED(ADD, a, b, out, size, p);
  (*p)->alpha = alpha->value;
  return SK_OK;
}
skStatus skPlanMuls(skTensor a, skScalar number, skTensor out, SIZED) {
  REQUIRE(number && a->numel == out->numel && a->type == SK_FLOAT);
  PLANNED(MULS, a, NULL, out, size, p);
  (*p)->alpha = number->value;
  return SK_OK;
}
skStatus skPlanGtScalar(skTensor a, skScalar number, skTensor out, SIZED) {
  REQUIRE(number && a->numel == out->numel && a->type == SK_FLOAT && out->type == SK_BOOL);
  PLANNED(GT, a, NULL, out, size, p);
  (*p)->alpha = number->value;
  return SK_OK;
}
skStatus skPlanWhere(skTensor condition, skTensor a, skTensor b, skTensor out, SIZED) {
  REQUIRE(condition->type == SK_BOOL && condition->numel == out->numel && a->type == SK_FLOAT && b->type == SK_FLOAT);
  PLANNED(WHERE, a, b, out, size, p);
  (*p)->c = *condition;
  return SK_OK;
}
skStatus skPlanMaskedFillScalar(skTensor out, skTensor mask, skScalar value, SIZED) {
  REQUIRE(value && mask->type == SK_BOOL && mask->numel == out->numel && out->type == SK_FLOAT);
  PLANNED(FILL, mask, NULL, out, size, p);
  (*p)->alpha = value->value;
  return SK_OK;
}
static skStatus reduce(enum kind kind, skTensor a, skDims dims, bool keep, skTensor out, SIZED) {
  uint64_t i;
  REQUIRE(dims && dims->count > 0 && a->type == SK_FLOAT && out->rank == (keep ? a->rank : a->rank - (int)dims->count));
  for (i = 0; i < dims->count; ++i) REQUIRE(dims->values[i] >= 0 && dims->values[i] < a->rank);
  PLANNED(kind, a, NULL, out, size, p);
  (*p)->dims = *dims;
  return SK_OK;
}
skStatus skPlanReduceSum(skTensor a, skDims dims, bool keep, skType type, skTensor out, SIZED) { REQUIRE(type == out->type); return reduce(SUM, a, dims, keep, out, size, p); }
skStatus skPlanAmax(skTensor a, skDims dims, bool keep, skTensor out, SIZED) { return reduce(MOST, a, dims, keep, out, size, p); }
skStatus skPlanCumsum(skTensor a, int64_t dim, skType type, skTensor out, SIZED) {
  REQUIRE(dim >= 0 && dim < a->rank && a->numel == out->numel && a->type == SK_FLOAT && type == SK_FLOAT);
  PLANNED(RUNNING, a, NULL, out, size, p);
  (*p)->number = dim;
  return SK_OK;
}
skStatus skPlanPermute(skTensor a, skDims dims, skTensor out, SIZED) {
  int i;
  REQUIRE(dims && (int)dims->count == a->rank && out->rank == a->rank && a->type == SK_FLOAT);
  for (i = 0; i < a->rank; ++i) REQUIRE(dims->values[i] >= 0 && out->dims[i] == a->dims[dims->values[i]]);
  PLANNED(PERMUTE, a, NULL, out, size, p);
  (*p)->dims = *dims;
  return SK_OK;
}
skStatus skPlanCat(skTensorList list, int64_t dim, skTensor out, SIZED) {
  uint64_t i;
  REQUIRE(list && list->count && dim >= 0 && dim < out->rank && out->type == SK_FLOAT);
  for (i = 0; i < list->count; ++i) REQUIRE(list->of[i].rank == out->rank && list->of[i].type == SK_FLOAT);
  PLANNED(CAT, NULL, NULL, out, size, p);
  (*p)->list = *list, (*p)->number = dim;
  return SK_OK;
}
skStatus skPlanEmbedding(skTensor weight, skTensor indices, skTensor out, SIZED) {
  REQUIRE(weight->rank == 2 && weight->type == SK_FLOAT && indices->type == SK_INT64);
  REQUIRE(out->numel == indices->numel * weight->dims[1]);
  return plan(LOOKUP, weight, indices, out, size, p);
}
skStatus skPlanTriu(skTensor a, int64_t diagonal, skTensor out, SIZED) {
  REQUIRE(a->rank >= 2 && a->numel == out->numel && a->type == SK_FLOAT);
  PLANNED(TRIU, a, NULL, out, size, p);
  (*p)->number = diagonal;
  return SK_OK;
}
static int multiplies(skTensor a, skTensor b, skTensor out) {
  const int r = a->rank;
  if (r < 2 || r > 3 || b->rank != r || out->rank != r || a->type != SK_FLOAT) return 0;
  if (r == 3 && (a->dims[0] != b->dims[0] || a->dims[0] != out->dims[0])) return 0;
  return a->dims[r - 1] == b->dims[r - 2] && out->dims[r - 2] == a->dims[r - 2] && out->dims[r - 1] == b->dims[r - 1];
}
skStatus skPlanMatmul(skTensor a, skTensor b, skTensor out, int8_t math, SIZED) { REQUIRE(math == 0 && multiplies(a, b, out)); return plan(MATMUL, a, b, out, size, p); }
skStatus skPlanAddmm(skTensor c, skTensor a, skTensor b, skScalar beta, skScalar alpha, skTensor out, int8_t math, SIZED) {
  REQUIRE(math == 0 && beta && alpha && multiplies(a, b, out) && c->numel == out->numel);
  PLANNED(ADDMM, a, b, out, size, p);
  (*p)->c = *c, (*p)->alpha = alpha->value, (*p)->beta = beta->value;
  return SK_OK;
}
skStatus skPlanAvgPool2d(skTensor a, skDims window, skDims stride, skDims padding, bool ceiling, bool padded, skTensor out, SIZED) {
  REQUIRE(a->rank == 4 && window->count == 2 && stride->count == 2 && padding->count == 2 && a->type == SK_FLOAT);
  PLANNED(POOL, a, NULL, out, size, p);
  (*p)->dims = *window, (*p)->stride = *stride, (*p)->padding = *padding, (*p)->padded = padded;
  (void)ceiling;  /* the result's extents say it */
  return SK_OK;
}
skStatus skPlanLayerNorm(skTensor a, skDims shape, skTensor weight, skTensor bias, double eps, skTensor out, skTensor mean, skTensor rstd, SIZED) {
  REQUIRE(!mean && !rstd && shape->count == 1 && shape->values[0] == a->dims[a->rank - 1] && a->type == SK_FLOAT);
  PLANNED(NORM, a, weight, out, size, p);
  if (bias) (*p)->c = *bias, (*p)->has_c = 1;
  (*p)->eps = eps;
  return SK_OK;
}

static void along(const struct sk_tensor *t, int64_t dim, int64_t *outer, int64_t *extent, int64_t *inner) {
  int i;
  *outer = *inner = 1, *extent = t->dims[dim];
  for (i = 0; i < t->rank; ++i) { if (i < dim) *outer *= t->dims[i]; if (i > dim) *inner *= t->dims[i]; }
}
/* The element of a reduced tensor that one of the whole belongs to: its place with the listed dimensions left out. */
static int64_t kept_place(const skPlan p, int64_t i) {
  int64_t at[8], place = 0;
  uint64_t k;
  int d;
  for (d = p->a.rank - 1; d >= 0; --d) at[d] = i % p->a.dims[d], i /= p->a.dims[d];
  for (k = 0; k < p->dims.count; ++k) at[p->dims.values[k]] = -1;
  for (d = 0; d < p->a.rank; ++d) if (at[d] >= 0) place = place * p->a.dims[d] + at[d];
  return place;
}
static void reduced(const skPlan p, const float *a, float *y) {
  double *sums = (double *)calloc((size_t)(p->out.numel ? p->out.numel : 1), sizeof *sums);
  int64_t i;
  for (i = 0; i < p->out.numel; ++i) if (p->kind == MOST) sums[i] = -INFINITY;
  for (i = 0; i < p->a.numel; ++i) {
    double *to = &sums[kept_place(p, i)];
    if (p->kind == SUM) *to += a[i];
    else if (a[i] > *to || isnan(a[i])) *to = isnan(*to) ? *to : a[i];
  }
  for (i = 0; i < p->out.numel; ++i) y[i] = (float)sums[i];
  free(sums);
}
static void pooled(const skPlan p, const float *a, float *y) {
  const int64_t *x = p->a.dims, *o = p->out.dims, *k = p->dims.values, *s = p->stride.values, *pad = p->padding.values;
  int64_t n, i, j, r, c;
  for (n = 0; n < x[0] * x[1]; ++n)
    for (i = 0; i < o[2]; ++i)
      for (j = 0; j < o[3]; ++j) {
        const int64_t top = i * s[0] - pad[0], left = j * s[1] - pad[1];
        const int64_t below = top + k[0] < x[2] + pad[0] ? top + k[0] : x[2] + pad[0];
        const int64_t right = left + k[1] < x[3] + pad[1] ? left + k[1] : x[3] + pad[1];
        double sum = 0, count = 0;
        for (r = top; r < below; ++r)
          for (c = left; c < right; ++c) {
            if (r < 0 || c < 0 || r >= x[2] || c >= x[3]) continue;
            sum += a[(n * x[2] + r) * x[3] + c], ++count;
          }
        y[(n * o[2] + i) * o[3] + j] = (float)(sum / (p->padded ? (double)((below - top) * (right - left)) : count));
      }
}
static void normalised(const skPlan p, const float *a, float *y) {
  const int64_t columns = p->a.dims[p->a.rank - 1];
  int64_t r, c;
  for (r = 0; columns && r < p->a.numel / columns; ++r) {
    const float *x = a + r * columns;
    double mean = 0, var = 0;
    for (c = 0; c < columns; ++c) mean += x[c];
    mean /= (double)columns;
    for (c = 0; c < columns; ++c) var += (x[c] - mean) * (x[c] - mean);
    for (c = 0; c < columns; ++c) {
      const double v = (x[c] - mean) / sqrt(var / (double)columns + p->eps);
      y[r * columns + c] = (float)(v * (p->has_b ? ((const float *)p->b.data)[c] : 1) + (p->has_c ? ((const float *)p->c.data)[c] : 0));
    }
  }
}
static void multiplied(const skPlan p, const float *a, const float *b, float *y) {
  const int r = p->a.rank;
  const int64_t rows = p->out.dims[r - 2], columns = p->out.dims[r - 1], depth = p->a.dims[r - 1];
  int64_t i, j, k;
  for (i = 0; columns && i < p->out.numel / columns; ++i)
    for (j = 0; j < columns; ++j) {
      double sum = 0;
      for (k = 0; k < depth; ++k) sum += (double)a[i * depth + k] * b[(i / rows * depth + k) * columns + j];
      if (p->kind == ADDMM) sum = p->alpha * sum + (p->beta != 0 ? p->beta * ((const float *)p->c.data)[i * columns + j] : 0);
      y[i * columns + j] = (float)sum;
    }
}
static void moved(const skPlan p, const float *a, float *y) {
  int64_t i, j, outer, extent, inner, from, width;
  uint64_t k;
  int d;
  if (p->kind == PERMUTE) {
    for (i = 0; i < p->out.numel; ++i) {
      int64_t rest = i, place = 0, at[8] = {0};
      for (d = p->out.rank - 1; d >= 0; --d) at[p->dims.values[d]] = rest % p->out.dims[d], rest /= p->out.dims[d];
      for (d = 0; d < p->a.rank; ++d) place = place * p->a.dims[d] + at[d];
      y[i] = a[place];
    }
  } else if (p->kind == CAT) {
    along(&p->out, p->number, &outer, &extent, &inner);
    for (k = 0, from = 0; k < p->list.count; ++k, from += width)
      for (width = p->list.of[k].dims[p->number] * inner, i = 0; i < outer; ++i)
        memcpy(y + i * extent * inner + from, (float *)p->list.of[k].data + i * width, (size_t)width * 4);
  } else if (p->kind == LOOKUP) {
    for (width = p->a.dims[1], i = 0; i < p->b.numel; ++i)
      memcpy(y + i * width, a + ((const int64_t *)p->b.data)[i] * width, (size_t)width * 4);
  } else if (p->kind == TRIU) {
    const int64_t rows = p->a.dims[p->a.rank - 2], columns = p->a.dims[p->a.rank - 1];
    for (i = 0; i < p->a.numel; ++i) y[i] = i % columns - i / columns % rows >= p->number ? a[i] : 0;
  } else {
    along(&p->a, p->number, &outer, &extent, &inner);
    for (i = 0; i < outer; ++i)
      for (j = 0; j < inner; ++j) {
        double sum = 0;
        for (from = 0; from < extent; ++from) y[(i * extent + from) * inner + j] = (float)(sum += a[(i * extent + from) * inner + j]);
      }
  }
}
static float each(const skPlan p, double a, double b, int64_t i) {
  switch (p->kind) {
    case RELU: return isnan(a) || a > 0 ? (float)a : 0;
    case GELU: return (float)(p->yes ? 0.5 * a * (1 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a))) : 0.5 * a * (1 + erf(a * 0.7071067811865476)));
    case ADD: return (float)a + (float)((float)p->alpha * (float)b);
    case MULS: return (float)a * (float)p->alpha;
    default: return (float)(p->c.data[i] ? a : b);
  }
}
skStatus skPlanRun(skPlan p, void *scratch, size_t size, skQueue queue) {
  int64_t i;
  const float *a = (const float *)p->a.data, *b = (const float *)p->b.data;
  float *y = (float *)p->out.data;
  (void)queue;
  if (fails()) { unmake(p); return SK_NOT_SUPPORTED; }
  REQUIRE(size >= p->needed && on_device(scratch, size));
  switch (p->kind) {
    case SUM: case MOST: reduced(p, a, y); break;
    case RUNNING: case PERMUTE: case CAT: case LOOKUP: case TRIU: moved(p, a, y); break;
    case MATMUL: case ADDMM: multiplied(p, a, b, y); break;
    case POOL: pooled(p, a, y); break;
    case NORM: normalised(p, a, y); break;
    case GT: for (i = 0; i < p->out.numel; ++i) p->out.data[i] = a[i] > (float)p->alpha; break;
    case FILL: for (i = 0; i < p->out.numel; ++i) if (p->a.data[i]) y[i] = (float)p->alpha; break;
    default: for (i = 0; i < p->out.numel; ++i) y[i] = each(p, a[i], p->has_b ? b[i] : 0, i); break;
  }
  if (!p->reusable) unmake(p);
  return SK_OK;
}
