#include "bunting.h"

#include <math.h>
#include <string.h>

#include "sim.h"

struct btContext { btQueue_t queue; };
struct btTensorDesc { btElem_t elem; int rank, set; int64_t dims[8]; };
struct btActDesc { btActMode_t mode; int set; };
struct btReduceDesc { int axes[8], count, set; btReduceOp_t op; };
struct btPoolDesc { btPoolMode_t mode; int k[2], p[2], s[2], ceil, set; };

#define STEP() do { if (fails()) return BT_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return BT_BAD_PARAM; } while (0)
#define OBJECT(Name) \
  btResult_t btCreate##Name(bt##Name##_t *made) { STEP(); return (*made = (bt##Name##_t)make(sizeof **made)) ? BT_OK : BT_ALLOC_FAILED; } \
  btResult_t btDestroy##Name(bt##Name##_t object) { unmake(object); return BT_OK; }
OBJECT(TensorDesc)
OBJECT(ActDesc)
OBJECT(ReduceDesc)
OBJECT(PoolDesc)

btResult_t btGetDeviceCount(int *count) { *count = 1; return BT_OK; }
btResult_t btSetDevice(int device) { REQUIRE(device == 0); return BT_OK; }
btResult_t btDeviceSynchronize(void) { return BT_OK; }
btResult_t btMalloc(void **p, size_t size) { return (*p = device_alloc(size)) ? BT_OK : BT_ALLOC_FAILED; }
btResult_t btFree(void *p) { return device_free(p) ? BT_OK : BT_BAD_PARAM; }
btResult_t btMemcpy(void *dst, const void *src, size_t size, btCopyKind_t kind) {
  STEP();
  REQUIRE(kind == BT_COPY_DEVICE_TO_HOST || on_device(dst, size));
  REQUIRE(kind == BT_COPY_HOST_TO_DEVICE || on_device(src, size));
  memmove(dst, src, size);
  return BT_OK;
}
btResult_t btCreate(btHandle_t *handle) { STEP(); return (*handle = (btHandle_t)make(sizeof **handle)) ? BT_OK : BT_ALLOC_FAILED; }
btResult_t btDestroy(btHandle_t handle) { unmake(handle); return BT_OK; }
btResult_t btSetQueue(btHandle_t handle, btQueue_t queue) { REQUIRE(handle); handle->queue = queue; return BT_OK; }
btResult_t btSetDeterministic(btHandle_t handle, int on) { (void)on; REQUIRE(handle); return BT_OK; }

btResult_t btSetTensorDesc(btTensorDesc_t desc, btOrder_t order, btElem_t elem, int rank, const int64_t dims[], const int64_t strides[]) {
  int64_t step = 1;
  int i;
  STEP();
  REQUIRE(desc && rank > 0 && rank <= 8 && order != BT_NHWC);
  if (elem != BT_FLOAT) return BT_NOT_SUPPORTED;
  for (i = rank - 1; i >= 0; --i) {
    REQUIRE(dims[i] <= 1 || strides[i] == step);
    desc->dims[i] = dims[i], step *= dims[i] > 0 ? dims[i] : 1;
  }
  desc->elem = elem, desc->rank = rank, desc->set = 1;
  return BT_OK;
}
btResult_t btSetActDesc(btActDesc_t desc, btActMode_t mode) { STEP(); REQUIRE(desc && !desc->set); desc->mode = mode, desc->set = 1; return BT_OK; }
btResult_t btSetReduceDesc(btReduceDesc_t desc, const int axes[], int count, btReduceOp_t op, btElem_t elem) {
  STEP();
  REQUIRE(desc && count > 0 && count <= 8 && elem == BT_FLOAT);
  memcpy(desc->axes, axes, (size_t)count * sizeof *axes);
  desc->count = count, desc->op = op, desc->set = 1;
  return BT_OK;
}
btResult_t btSetPoolDesc2d(btPoolDesc_t desc, btPoolMode_t mode, int kh, int kw, int ph, int pw, int sh, int sw, int ceiling) {
  STEP();
  REQUIRE(desc && kh > 0 && kw > 0 && sh > 0 && sw > 0);
  desc->mode = mode, desc->k[0] = kh, desc->k[1] = kw, desc->p[0] = ph, desc->p[1] = pw;
  desc->s[0] = sh, desc->s[1] = sw, desc->ceil = ceiling, desc->set = 1;
  return BT_OK;
}

static int64_t count(const struct btTensorDesc *desc) { int64_t n = 1; int i; for (i = 0; i < desc->rank; ++i) n *= desc->dims[i]; return n; }
static int usable(const struct btTensorDesc *desc, const void *p) { return desc && desc->set && on_device(p, (size_t)count(desc) * 4); }

btResult_t btActForward(btHandle_t handle, const btActDesc_t act, const btTensorDesc_t xc, const void *x, const btTensorDesc_t yc, void *y) {
  const float *a = (const float *)x;
  int64_t i;
  STEP();
  REQUIRE(handle && act && act->set && usable(xc, x) && usable(yc, y) && count(xc) == count(yc));
  for (i = 0; i < count(xc); ++i) {
    const double v = a[i];
    ((float *)y)[i] = act->mode == BT_ACT_RELU ? (isnan(v) || v > 0 ? a[i] : 0) : (float)(act->mode == BT_ACT_SIGMOID ? 1 / (1 + exp(-v)) : tanh(v));
  }
  return BT_OK;
}

btResult_t btReduceScratchBytes(btHandle_t handle, const btReduceDesc_t reduce, const btTensorDesc_t xc, const btTensorDesc_t yc, size_t *bytes) {
  STEP();
  REQUIRE(handle && reduce && reduce->set && xc && xc->set && yc && yc->set);
  *bytes = (size_t)count(yc) * sizeof(double) + 8;
  return BT_OK;
}
btResult_t btReduce(btHandle_t handle, const btReduceDesc_t reduce, const btTensorDesc_t xc, const void *x, void *scratch, size_t bytes,
                    const btTensorDesc_t yc, void *y) {
  double *sums = (double *)scratch;
  int64_t i, reduced = 1;
  int d, k;
  STEP();
  REQUIRE(handle && reduce && reduce->set && usable(xc, x) && usable(yc, y) && xc->rank == yc->rank);
  REQUIRE(bytes >= (size_t)count(yc) * sizeof(double) + 8 && on_device(scratch, bytes));
  for (k = 0; k < reduce->count; ++k) {
    REQUIRE(reduce->axes[k] >= 0 && reduce->axes[k] < xc->rank && yc->dims[reduce->axes[k]] == 1);
    reduced *= xc->dims[reduce->axes[k]];
  }
  for (i = 0; i < count(yc); ++i) sums[i] = reduce->op == BT_REDUCE_MAX ? -INFINITY : 0;
  for (i = 0; i < count(xc); ++i) {
    int64_t rest = i, at[8], place = 0;
    const double v = ((const float *)x)[i];
    for (d = xc->rank - 1; d >= 0; --d) at[d] = rest % xc->dims[d], rest /= xc->dims[d];
    for (d = 0; d < xc->rank; ++d) place = place * yc->dims[d] + (yc->dims[d] == 1 ? 0 : at[d]);
    if (reduce->op != BT_REDUCE_MAX) sums[place] += v;
    else if (v > sums[place] || isnan(v)) sums[place] = isnan(sums[place]) ? sums[place] : v;
  }
  for (i = 0; i < count(yc); ++i) ((float *)y)[i] = (float)(reduce->op == BT_REDUCE_AVG ? sums[i] / (double)reduced : sums[i]);
  return BT_OK;
}

btResult_t btPoolWorkspaceBytes(btHandle_t handle, btPoolMode_t mode, size_t *bytes) { STEP(); REQUIRE(handle); *bytes = mode == BT_POOL_MAX ? 16 : 32; return BT_OK; }
btResult_t btPoolForward(btHandle_t handle, const btPoolDesc_t pool, const btTensorDesc_t xc, const void *x, void *workspace, size_t bytes,
                         const btTensorDesc_t yc, void *y) {
  int64_t n, i, j, r, c;
  STEP();
  REQUIRE(handle && pool && pool->set && usable(xc, x) && usable(yc, y) && xc->rank == 4 && yc->rank == 4);
  REQUIRE(bytes == (pool->mode == BT_POOL_MAX ? 16u : 32u) && on_device(workspace, bytes));
  for (n = 0; n < xc->dims[0] * xc->dims[1]; ++n)
    for (i = 0; i < yc->dims[2]; ++i)
      for (j = 0; j < yc->dims[3]; ++j) {
        const int64_t top = i * pool->s[0] - pool->p[0], left = j * pool->s[1] - pool->p[1], h = xc->dims[2], w = xc->dims[3];
        const int64_t below = top + pool->k[0] < h + pool->p[0] ? top + pool->k[0] : h + pool->p[0];
        const int64_t right = left + pool->k[1] < w + pool->p[1] ? left + pool->k[1] : w + pool->p[1];
        double sum = 0, most = -INFINITY;
        for (r = top; r < below; ++r)
          for (c = left; c < right; ++c) {
            const double v = r < 0 || c < 0 || r >= h || c >= w ? 0 : ((const float *)x)[(n * h + r) * w + c];
            if (r < 0 || c < 0 || r >= h || c >= w) continue;
            sum += v;
            if (v > most || isnan(v)) most = isnan(most) ? most : v;
          }
        ((float *)y)[(n * yc->dims[2] + i) * yc->dims[3] + j] =
            (float)(pool->mode == BT_POOL_MAX ? most : sum / (double)((below - top) * (right - left)));
      }
  return BT_OK;
}

btResult_t btLayerNorm(btHandle_t handle, int axis, const btTensorDesc_t xc, const void *x, const btTensorDesc_t pc, const void *gamma, const void *beta,
                       double epsilon, const btTensorDesc_t yc, void *y, const btTensorDesc_t sc, void *mean, void *rstd) {
  int64_t columns = 1, r, c;
  int d;
  STEP();
  REQUIRE(handle && usable(xc, x) && usable(yc, y) && axis > 0 && axis < xc->rank && usable(pc, gamma) && usable(pc, beta));
  for (d = axis; d < xc->rank; ++d) columns *= xc->dims[d];
  REQUIRE(count(pc) == columns && usable(sc, mean) && usable(sc, rstd) && count(sc) * columns == count(xc));
  for (r = 0; r < count(sc); ++r) {
    const float *a = (const float *)x + r * columns;
    double m = 0, v = 0, by;
    for (c = 0; c < columns; ++c) m += a[c];
    m /= (double)columns;
    for (c = 0; c < columns; ++c) v += (a[c] - m) * (a[c] - m);
    by = 1 / sqrt(v / (double)columns + epsilon);
    for (c = 0; c < columns; ++c) ((float *)y)[r * columns + c] = (float)((a[c] - m) * by * ((const float *)gamma)[c] + ((const float *)beta)[c]);
    ((float *)mean)[r] = (float)m, ((float *)rstd)[r] = (float)by;
  }
  return BT_OK;
}

btResult_t btMatMul(btHandle_t handle, int ta, int tb, const btTensorDesc_t ac, const void *a, const btTensorDesc_t bc, const void *b,
                    const btTensorDesc_t cc, void *c) {
  const int r = ac ? ac->rank : 0;
  int64_t i, j, k, rows, columns, depth;
  STEP();
  REQUIRE(handle && !ta && !tb && usable(ac, a) && usable(bc, b) && usable(cc, c) && r >= 2 && r <= 3 && bc->rank == r && cc->rank == r);
  rows = ac->dims[r - 2], depth = ac->dims[r - 1], columns = bc->dims[r - 1];
  REQUIRE(bc->dims[r - 2] == depth && cc->dims[r - 2] == rows && cc->dims[r - 1] == columns);
  for (i = 0; columns && i < count(cc) / columns; ++i)
    for (j = 0; j < columns; ++j) {
      double sum = 0;
      for (k = 0; k < depth; ++k) sum += (double)((const float *)a)[i * depth + k] * ((const float *)b)[(i / rows * depth + k) * columns + j];
      ((float *)c)[i * columns + j] = (float)sum;
    }
  return BT_OK;
}

btResult_t btPermute(btHandle_t handle, int rank, const int perm[], const btTensorDesc_t xc, const void *x, const btTensorDesc_t yc, void *y) {
  int64_t i;
  int d;
  STEP();
  REQUIRE(handle && usable(xc, x) && usable(yc, y) && rank == xc->rank && rank == yc->rank);
  for (d = 0; d < rank; ++d) REQUIRE(perm[d] >= 0 && perm[d] < rank && yc->dims[d] == xc->dims[perm[d]]);
  for (i = 0; i < count(yc); ++i) {
    int64_t rest = i, place = 0, at[8] = {0};
    for (d = rank - 1; d >= 0; --d) at[perm[d]] = rest % yc->dims[d], rest /= yc->dims[d];
    for (d = 0; d < rank; ++d) place = place * xc->dims[d] + at[d];
    ((float *)y)[i] = ((const float *)x)[place];
  }
  return BT_OK;
}

btResult_t btConcat(btHandle_t handle, int axis, int n, const btTensorDesc_t xcs[], const void *const xs[], const btTensorDesc_t yc, void *y) {
  int64_t outer = 1, inner = 1, from = 0, i;
  int d, k;
  STEP();
  REQUIRE(handle && n > 0 && usable(yc, y) && axis >= 0 && axis < yc->rank);
  for (d = 0; d < yc->rank; ++d) { if (d < axis) outer *= yc->dims[d]; if (d > axis) inner *= yc->dims[d]; }
  for (k = 0; k < n; ++k) {
    const int64_t width = xcs[k]->dims[axis] * inner;
    REQUIRE(usable(xcs[k], xs[k]) && xcs[k]->rank == yc->rank);
    for (i = 0; i < outer; ++i) memcpy((float *)y + i * yc->dims[axis] * inner + from, (const float *)xs[k] + i * width, (size_t)width * 4);
    from += width;
  }
  return BT_OK;
}
