#include "quays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(x, verdict) \
  if (!(x)) return verdict

static _Thread_local int current;

qy_verdict qy_device_count(int *count) {
  *count = 2;
  return QY_FINE;
}
qy_verdict qy_set_device(int unit) {
  REQUIRE(unit >= 0 && unit < 2, QY_BAD_ENV);
  current = unit;
  return QY_FINE;
}
qy_verdict qy_device_synchronize(void) { return QY_FINE; }
qy_verdict qy_malloc(void **store, size_t bytes) {
  *store = aligned_alloc(64, (bytes + 64) / 64 * 64);
  return *store ? QY_FINE : QY_BAD_ENV;
}
qy_verdict qy_free(void *store) {
  free(store);
  return QY_FINE;
}
qy_verdict qy_memcpy_h2d(void *store, const void *host, size_t bytes) {
  memcpy(store, host, bytes);
  return QY_FINE;
}
qy_verdict qy_memcpy_d2h(void *host, const void *store, size_t bytes) {
  memcpy(host, store, bytes);
  return QY_FINE;
}

/* An environment is right that has no room, no pipe of its own and the unit that is current. */
static qy_verdict check(const qy_env *env, const qy_slab *t, qy_elem elem) {
  REQUIRE(env && env->unit == (uint32_t)current && !env->arena && !env->arena_len && !env->pipe, QY_BAD_ENV);
  REQUIRE(!env->flags && !env->trace && !env->cookie, QY_BAD_ENV);
  REQUIRE(t && t->store && t->ext.naxes >= 1 && t->ext.naxes <= QY_MAX_AXES, QY_EXTENT_MISMATCH);
  REQUIRE(t->q_scale == 1 && t->q_zero == 0, QY_BAD_ELEM);
  return t->elem == elem ? QY_FINE : QY_BAD_ELEM;
}
#define CHECK(t, elem)                              \
  do {                                              \
    const qy_verdict checked_ = check(env, t, elem); \
    if (checked_ != QY_FINE) return checked_;       \
  } while (0)

static long count(const qy_slab *t) {
  long n = 1;
  for (int i = 0; i < t->ext.naxes; ++i) n *= t->ext.len[i];
  return n;
}
/* Where the element at `i` of `of` lies in `t`, whose axes of 1 are repeated; -1 where the two do not fit. */
static long place(const qy_slab *t, const qy_slab *of, long i) {
  long at = 0;
  for (int d = of->ext.naxes - 1, e = t->ext.naxes - 1; d >= 0; --d, --e) {
    const uint32_t index = (uint32_t)(i % of->ext.len[d]);
    i /= of->ext.len[d];
    if (e < 0) continue;
    if (t->ext.len[e] != of->ext.len[d] && t->ext.len[e] != 1) return -1;
    at += t->ext.len[e] == 1 ? 0 : (long)index * t->ext.pitch[e];
  }
  return t->ext.naxes > of->ext.naxes ? -1 : at;
}
#define F(t, i) ((float *)(t)->store)[place(t, t, i)]

#define PAIR(NAME, ELEM, CTYPE, BODY)                                                               \
  qy_verdict NAME(const qy_env *env, const qy_slab *lhs, const qy_slab *rhs, qy_slab *res) {        \
    CHECK(lhs, QY_E_F32);                                                                           \
    CHECK(rhs, QY_E_F32);                                                                           \
    CHECK(res, ELEM);                                                                               \
    for (long i = 0; i < count(res); ++i) {                                                         \
      const long j = place(lhs, res, i), k = place(rhs, res, i);                                    \
      REQUIRE(j >= 0 && k >= 0, QY_EXTENT_MISMATCH);                                                \
      const float a = ((float *)lhs->store)[j], b = ((float *)rhs->store)[k];                       \
      ((CTYPE *)res->store)[place(res, res, i)] = BODY;                                             \
    }                                                                                               \
    return QY_FINE;                                                                                 \
  }
PAIR(qyk_add, QY_E_F32, float, a + b)
PAIR(qyk_less, QY_E_BOOL, uint8_t, a < b)

qy_verdict qyk_exp(const qy_env *env, const qy_slab *src, qy_slab *res) {
  CHECK(src, QY_E_F32);
  CHECK(res, QY_E_F32);
  REQUIRE(count(src) == count(res), QY_EXTENT_MISMATCH);
  for (long i = 0; i < count(res); ++i) F(res, i) = (float)exp(F(src, i));
  return QY_FINE;
}

qy_verdict qyk_softmax(const qy_env *env, const qy_slab *src, int32_t axis, qy_slab *res) {
  CHECK(src, QY_E_F32);
  CHECK(res, QY_E_F32);
  axis += axis < 0 ? src->ext.naxes : 0;
  REQUIRE(axis >= 0 && axis < src->ext.naxes && count(src) == count(res), QY_EXTENT_MISMATCH);
  long outer = 1, inner = 1;
  const long extent = src->ext.len[axis];
  for (int d = 0; d < src->ext.naxes; ++d) *(d < axis ? &outer : &inner) *= d == axis ? 1 : src->ext.len[d];
  for (long o = 0; o < outer; ++o)
    for (long i = 0; i < inner; ++i) {
      float most = -INFINITY;
      double sum = 0;
      for (long k = 0; k < extent; ++k) {
        const float x = F(src, (o * extent + k) * inner + i);
        most = x > most || isnan(x) ? x : most;
      }
      for (long k = 0; k < extent; ++k) sum += exp((double)F(src, (o * extent + k) * inner + i) - most);
      for (long k = 0; k < extent; ++k) {
        const long at = (o * extent + k) * inner + i;
        F(res, at) = (float)(exp((double)F(src, at) - most) / sum);
      }
    }
  return QY_FINE;
}

qy_verdict qyk_sum(const qy_env *env, const qy_slab *src, const int32_t *axes, uint32_t naxes, int keep, qy_slab *res) {
  CHECK(src, QY_E_F32);
  CHECK(res, QY_E_F32);
  REQUIRE(keep || res->ext.naxes == (naxes < src->ext.naxes ? src->ext.naxes - naxes : 1), QY_EXTENT_MISMATCH);
  for (long i = 0; i < count(res); ++i) {
    double sum = 0;
    for (long j = 0; j < count(src); ++j) {
      long left = j, at = 0, step = 1;
      for (int d = src->ext.naxes - 1; d >= 0; --d) {
        const long index = left % src->ext.len[d];
        int among = 0;
        left /= src->ext.len[d];
        for (uint32_t k = 0; k < naxes; ++k) among |= axes[k] == d;
        if (among) continue;
        at += step * index;
        step *= src->ext.len[d];
      }
      sum += at == i ? F(src, j) : 0;
    }
    F(res, i) = (float)sum;
  }
  return QY_FINE;
}

qy_verdict qyk_matmul(const qy_env *env, const qy_slab *lhs, const qy_slab *rhs, qy_slab *res) {
  CHECK(lhs, QY_E_F32);
  CHECK(rhs, QY_E_F32);
  CHECK(res, QY_E_F32);
  REQUIRE(lhs->ext.naxes == 2 && rhs->ext.naxes == 2 && lhs->ext.len[1] == rhs->ext.len[0], QY_EXTENT_MISMATCH);
  const long m = lhs->ext.len[0], k = lhs->ext.len[1], n = rhs->ext.len[1];
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long l = 0; l < k; ++l) sum += (double)F(lhs, i * k + l) * F(rhs, l * n + j);
      F(res, i * n + j) = (float)sum;
    }
  return QY_FINE;
}
