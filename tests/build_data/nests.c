#include "nests.h"

#include <math.h>
#include <stdint.h>

static long count(const struct nt_buf *t) {
  long n = 1;
  for (int i = 0; i < t->shape.rank; ++i) n *= t->shape.dim[i];
  return n;
}

static bool ready(const struct nt_ctx *ctx) { return ctx && ctx->cores >= 1 && (!ctx->scratch) == (ctx->scratch_len == 0); }
static bool is(const struct nt_buf *t, enum nt_dtype dtype) {
  return t && t->dtype == dtype && t->q.scale == 1 && t->q.zero == 0 && t->shape.rank >= 0 && t->shape.rank <= 5;
}
#define REQUIRE(x) \
  if (!(x)) return false
#define F(t) ((float *)(t)->data)
#define B(t) ((uint8_t *)(t)->data)

/* Where the element at `i` of `out` lies in `in`, whose dimensions of 1 are repeated; -1 where they do not fit. */
static long place(const struct nt_buf *in, const struct nt_buf *out, long i) {
  long at = 0, step = 1;
  const int more = out->shape.rank - in->shape.rank;
  if (more < 0) return -1;
  for (int d = out->shape.rank - 1; d >= 0; --d) {
    const int here = out->shape.dim[d], index = (int)(i % here);
    i /= here;
    if (d < more) continue;
    const int size = in->shape.dim[d - more];
    if (size != here && size != 1) return -1;
    at += size == 1 ? 0 : step * index;
    step *= size;
  }
  return at;
}

bool nt_add(const struct nt_ctx *ctx, const struct nt_buf *a, const struct nt_buf *b, struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(a, NT_F32) && is(b, NT_F32) && is(out, NT_F32));
  for (long i = 0; i < count(out); ++i) {
    const long j = place(a, out, i), k = place(b, out, i);
    REQUIRE(j >= 0 && k >= 0);
    F(out)[i] = F(a)[j] + F(b)[k];
  }
  return true;
}

bool nt_less(const struct nt_ctx *ctx, const struct nt_buf *a, const struct nt_buf *b, struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(a, NT_F32) && is(b, NT_F32) && is(out, NT_BOOL));
  for (long i = 0; i < count(out); ++i) {
    const long j = place(a, out, i), k = place(b, out, i);
    REQUIRE(j >= 0 && k >= 0);
    B(out)[i] = F(a)[j] < F(b)[k];
  }
  return true;
}

bool nt_select(const struct nt_ctx *ctx, const struct nt_buf *cond, const struct nt_buf *a, const struct nt_buf *b,
               struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(cond, NT_BOOL) && is(a, NT_F32) && is(b, NT_F32) && is(out, NT_F32));
  for (long i = 0; i < count(out); ++i) {
    const long h = place(cond, out, i), j = place(a, out, i), k = place(b, out, i);
    REQUIRE(h >= 0 && j >= 0 && k >= 0);
    F(out)[i] = B(cond)[h] ? F(a)[j] : F(b)[k];
  }
  return true;
}

#define EACH(BODY)                                                                  \
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(out, NT_F32) && count(in) == count(out)); \
  for (long i = 0; i < count(out); ++i) {                                           \
    const float x = F(in)[i];                                                       \
    F(out)[i] = BODY;                                                               \
  }                                                                                 \
  return true

bool nt_relu(const struct nt_ctx *ctx, const struct nt_buf *in, struct nt_buf *out) { EACH(x < 0 ? 0 : x); }
bool nt_leaky_relu(const struct nt_ctx *ctx, const struct nt_leaky_params *p, const struct nt_buf *in,
                   struct nt_buf *out) {
  EACH(x > 0 ? x : x * p->alpha);
}
bool nt_clamp(const struct nt_ctx *ctx, const struct nt_clamp_params *p, const struct nt_buf *in, struct nt_buf *out) {
  EACH(isnan(x) ? x : fminf(fmaxf(x, p->lo), p->hi));
}

bool nt_softmax(const struct nt_ctx *ctx, const struct nt_softmax_params *p, const struct nt_buf *in,
                struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(out, NT_F32) && count(in) == count(out));
  const long n = in->shape.rank ? in->shape.dim[in->shape.rank - 1] : 1;
  for (long row = 0; n && row < count(in) / n; ++row) {
    const float *x = F(in) + row * n;
    float most = -INFINITY;
    double sum = 0;
    for (long i = 0; i < n; ++i) most = x[i] > most || isnan(x[i]) ? x[i] : most;
    for (long i = 0; i < n; ++i) sum += exp(p->beta * ((double)x[i] - most));
    for (long i = 0; i < n; ++i) F(out)[row * n + i] = (float)(exp(p->beta * ((double)x[i] - most)) / sum);
  }
  return true;
}

/* The reduced result's place of an element of `in`; `among` has a bit for every dimension that is reduced. */
static long kept(const struct nt_buf *in, unsigned among, long i) {
  long at = 0, step = 1;
  for (int d = in->shape.rank - 1; d >= 0; --d) {
    const int size = in->shape.dim[d], index = (int)(i % size);
    i /= size;
    if (among >> d & 1) continue;
    at += step * index;
    step *= size;
  }
  return at;
}

bool nt_reduce_sum(const struct nt_ctx *ctx, const struct nt_reduce_params *p, const struct nt_buf *in,
                   struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(out, NT_F32) && p->n_axis <= in->shape.rank);
  REQUIRE(out->shape.rank == in->shape.rank - (p->keep_dims ? 0 : p->n_axis));
  unsigned among = 0;
  for (int i = 0; i < p->n_axis; ++i) among |= 1u << p->axis[i];
  for (long i = 0; i < count(out); ++i) {
    double sum = 0;
    for (long j = 0; j < count(in); ++j) sum += kept(in, among, j) == i ? F(in)[j] : 0;
    F(out)[i] = (float)sum;
  }
  return true;
}

bool nt_reduce_max(const struct nt_ctx *ctx, int axis, const struct nt_buf *in, struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(out, NT_F32) && axis >= 0 && axis < in->shape.rank);
  for (long i = 0; i < count(out); ++i) F(out)[i] = -INFINITY;
  for (long j = 0; j < count(in); ++j) {
    float *to = &F(out)[kept(in, 1u << axis, j)];
    const float x = F(in)[j];
    *to = x > *to || isnan(x) ? x : *to;
  }
  return true;
}

bool nt_transpose(const struct nt_ctx *ctx, const struct nt_transpose_params *p, const struct nt_buf *in,
                  struct nt_buf *out) {
  const int rank = in->shape.rank;
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(out, NT_F32) && p->n == rank);
  for (long i = 0; i < count(out); ++i) {
    int index[5] = {0};
    long left = i, at = 0;
    for (int d = rank - 1; d >= 0; --d) {
      REQUIRE(out->shape.dim[d] == in->shape.dim[p->perm[d]]);
      index[p->perm[d]] = (int)(left % out->shape.dim[d]);
      left /= out->shape.dim[d];
    }
    for (int d = 0; d < rank; ++d) at = at * in->shape.dim[d] + index[d];
    F(out)[i] = F(in)[at];
  }
  return true;
}

bool nt_layer_norm(const struct nt_ctx *ctx, const struct nt_norm_params *p, const struct nt_buf *in,
                   const struct nt_buf *gamma, const struct nt_buf *beta, struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(gamma, NT_F32) && is(beta, NT_F32) && is(out, NT_F32));
  REQUIRE(in->shape.rank >= 1 && gamma->shape.rank == 1 && beta->shape.rank == 1);
  const long n = in->shape.dim[in->shape.rank - 1];
  REQUIRE(count(gamma) == n && count(beta) == n);
  for (long row = 0; n && row < count(in) / n; ++row) {
    const float *x = F(in) + row * n;
    double mean = 0, squares = 0;
    for (long i = 0; i < n; ++i) mean += x[i];
    mean /= (double)n;
    for (long i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double scale = 1 / sqrt(squares / (double)n + p->eps);
    for (long i = 0; i < n; ++i) F(out)[row * n + i] = (float)((x[i] - mean) * scale * F(gamma)[i] + F(beta)[i]);
  }
  return true;
}

bool nt_maxpool(const struct nt_ctx *ctx, const struct nt_pool_params *p, const struct nt_buf *in, struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(in, NT_F32) && is(out, NT_F32) && in->shape.rank == 4 && out->shape.rank == 4);
  REQUIRE(p->pad_top == p->pad_bottom && p->pad_left == p->pad_right);
  const int *from = in->shape.dim, *to = out->shape.dim;
  for (long plane = 0; plane < (long)from[0] * from[1]; ++plane)
    for (int i = 0; i < to[2]; ++i)
      for (int j = 0; j < to[3]; ++j) {
        float most = -INFINITY;
        for (int u = 0; u < p->filter_h; ++u)
          for (int v = 0; v < p->filter_w; ++v) {
            const int r = i * p->stride_h - p->pad_top + u, s = j * p->stride_w - p->pad_left + v;
            if (r < 0 || r >= from[2] || s < 0 || s >= from[3]) continue;
            const float x = F(in)[(plane * from[2] + r) * from[3] + s];
            most = x > most || isnan(x) ? x : most;
          }
        F(out)[(plane * to[2] + i) * to[3] + j] = most;
      }
  return true;
}

bool nt_batch_matmul(const struct nt_ctx *ctx, const struct nt_buf *lhs, const struct nt_buf *rhs, bool adj_lhs,
                     bool adj_rhs, struct nt_buf *out) {
  REQUIRE(ready(ctx) && is(lhs, NT_F32) && is(rhs, NT_F32) && is(out, NT_F32) && !adj_lhs && !adj_rhs);
  REQUIRE(lhs->shape.rank == 3 && rhs->shape.rank == 3 && out->shape.rank == 3);
  const long m = lhs->shape.dim[1], k = lhs->shape.dim[2], n = rhs->shape.dim[2];
  for (long b = 0; b < lhs->shape.dim[0]; ++b)
    for (long i = 0; i < m; ++i)
      for (long j = 0; j < n; ++j) {
        double sum = 0;
        for (long l = 0; l < k; ++l) sum += (double)F(lhs)[(b * m + i) * k + l] * F(rhs)[(b * k + l) * n + j];
        F(out)[(b * m + i) * n + j] = (float)sum;
      }
  return true;
}
