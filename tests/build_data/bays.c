#include "bays.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A card's memory is a heap behind addresses that mean nothing to the host: who reads through one crashes. */
enum { HEAP = 64 << 20, BLOCKS = 4096 };
#define BASE ((by_addr)0x7100000000000000)

struct by_context {
  uint32_t card;
};
typedef struct {
  size_t at, bytes;
} block;

static char *heap;
static block blocks[BLOCKS]; /* in the order of their places */
static int num_blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REQUIRE(x, status) \
  if (!(x)) return status

static char *at(by_addr addr) { return heap + (addr - BASE); }

by_ret by_get_card_count(uint32_t *count) {
  *count = 1;
  return BY_OK;
}
by_ret by_context_create(by_context **ctx, uint32_t card, uint32_t flags) {
  REQUIRE(card == 0 && flags == 0, BY_E_PARAM);
  pthread_mutex_lock(&lock);
  if (!heap) heap = malloc(HEAP);
  pthread_mutex_unlock(&lock);
  *ctx = malloc(sizeof **ctx);
  (*ctx)->card = card;
  return BY_OK;
}
by_ret by_context_destroy(by_context *ctx) {
  free(ctx);
  return BY_OK;
}
by_ret by_context_synchronize(by_context *ctx) { return ctx ? BY_OK : BY_E_PARAM; }

by_ret by_mem_alloc(by_context *ctx, size_t bytes, by_addr *addr) {
  REQUIRE(ctx, BY_E_PARAM);
  const size_t need = (bytes + 255) / 256 * 256 + (bytes == 0 ? 256 : 0);
  by_ret result = BY_E_NOMEM;
  pthread_mutex_lock(&lock);
  size_t from = 0;
  for (int i = 0; i <= num_blocks && num_blocks < BLOCKS; ++i) {
    const size_t end = i < num_blocks ? blocks[i].at : HEAP;
    if (end - from >= need) {
      memmove(&blocks[i + 1], &blocks[i], (size_t)(num_blocks - i) * sizeof *blocks);
      blocks[i].at = from;
      blocks[i].bytes = need;
      ++num_blocks;
      *addr = BASE + from;
      result = BY_OK;
      break;
    }
    from = blocks[i].at + blocks[i].bytes;
  }
  pthread_mutex_unlock(&lock);
  return result;
}
by_ret by_mem_free(by_context *ctx, by_addr addr) {
  REQUIRE(ctx, BY_E_PARAM);
  by_ret result = BY_E_PARAM;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < num_blocks && result; ++i)
    if (blocks[i].at == addr - BASE) {
      memmove(&blocks[i], &blocks[i + 1], (size_t)(--num_blocks - i) * sizeof *blocks);
      result = BY_OK;
    }
  pthread_mutex_unlock(&lock);
  return result;
}
by_ret by_mem_write(by_context *ctx, by_addr dst, const void *src, size_t bytes) {
  REQUIRE(ctx, BY_E_PARAM);
  memcpy(at(dst), src, bytes);
  return BY_OK;
}
by_ret by_mem_read(by_context *ctx, void *dst, by_addr src, size_t bytes) {
  REQUIRE(ctx, BY_E_PARAM);
  memcpy(dst, at(src), bytes);
  return BY_OK;
}
by_ret by_mem_copy(by_context *ctx, by_addr dst, by_addr src, size_t bytes) {
  REQUIRE(ctx, BY_E_PARAM);
  memmove(at(dst), at(src), bytes);
  return BY_OK;
}
by_ret by_mem_query(by_context *ctx, size_t *free_size, size_t *total_size) {
  REQUIRE(ctx, BY_E_PARAM);
  size_t taken = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < num_blocks; ++i) taken += blocks[i].bytes;
  pthread_mutex_unlock(&lock);
  *total_size = HEAP;
  *free_size = HEAP - taken;
  return BY_OK;
}

static long count(const by_bay *t) {
  long n = 1;
  for (uint32_t i = 0; i < t->n_dims; ++i) n *= t->dims[i];
  return n;
}
static by_ret check(const by_context *ctx, const by_bay *t, by_type type) {
  REQUIRE(ctx && t && t->n_dims >= 1 && t->n_dims <= BY_MAX_DIMS && t->addr >= BASE, BY_E_PARAM);
  REQUIRE(t->quant == BY_QUANT_NONE && t->zp == 0 && t->scale == 1 && t->tier == 0 && !t->priv, BY_E_PARAM);
  REQUIRE(t->fmt == (t->n_dims == 4 ? BY_FMT_NCHW : BY_FMT_ND), BY_E_PARAM);
  return t->type == type ? BY_OK : BY_E_UNSUPPORTED;
}
#define CHECK(t, type)                             \
  do {                                             \
    const by_ret checked_ = check(ctx, t, type);   \
    if (checked_ != BY_OK) return checked_;        \
  } while (0)

/* The element of `t` at the place `i` of `out`, whose dimensions of 1 are repeated; NULL where the two do not fit. */
static char *element(const by_bay *t, const by_bay *out, long i) {
  size_t step = 0;
  for (int d = (int)out->n_dims - 1, e = (int)t->n_dims - 1; d >= 0; --d, --e) {
    const uint32_t index = (uint32_t)(i % out->dims[d]);
    i /= out->dims[d];
    if (e < 0) continue;
    if (t->dims[e] != out->dims[d] && t->dims[e] != 1) return NULL;
    step += t->dims[e] == 1 ? 0 : (size_t)index * t->strides[e];
  }
  return t->n_dims > out->n_dims ? NULL : at(t->addr) + step;
}
#define F(t, out, i) (*(float *)(void *)element(t, out, i))

#define PAIR(NAME, TYPE, CTYPE, BODY)                                                            \
  by_ret NAME(by_context *ctx, const by_bay *in1, const by_bay *in2, by_bay *out) {              \
    CHECK(in1, BY_TYPE_FLOAT32);                                                                 \
    CHECK(in2, BY_TYPE_FLOAT32);                                                                 \
    CHECK(out, TYPE);                                                                            \
    for (long i = 0; i < count(out); ++i) {                                                      \
      REQUIRE(element(in1, out, i) && element(in2, out, i), BY_E_PARAM);                         \
      const float a = F(in1, out, i), b = F(in2, out, i);                                        \
      *(CTYPE *)(void *)element(out, out, i) = BODY;                                             \
    }                                                                                            \
    return BY_OK;                                                                                \
  }
PAIR(by_add, BY_TYPE_FLOAT32, float, a + b)
PAIR(by_mul, BY_TYPE_FLOAT32, float, a * b)
PAIR(by_less, BY_TYPE_BOOL8, uint8_t, a < b)

by_ret by_where(by_context *ctx, const by_bay *cond, const by_bay *in1, const by_bay *in2, by_bay *out) {
  CHECK(cond, BY_TYPE_BOOL8);
  CHECK(in1, BY_TYPE_FLOAT32);
  CHECK(in2, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  for (long i = 0; i < count(out); ++i) {
    REQUIRE(element(cond, out, i) && element(in1, out, i) && element(in2, out, i), BY_E_PARAM);
    F(out, out, i) = *element(cond, out, i) ? F(in1, out, i) : F(in2, out, i);
  }
  return BY_OK;
}

by_ret by_relu(by_context *ctx, const by_bay *in, by_bay *out) {
  CHECK(in, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  for (long i = 0; i < count(out); ++i) {
    const float x = F(in, out, i);
    F(out, out, i) = x < 0 ? 0 : x;
  }
  return BY_OK;
}

/* Rows along a dimension: `outer * inner` of them, each of `extent` elements `inner` apart. */
typedef struct {
  long outer, extent, inner;
} rows;
static by_ret split(const by_bay *in, int32_t axis, rows *to) {
  axis += axis < 0 ? (int32_t)in->n_dims : 0;
  REQUIRE(axis >= 0 && axis < (int32_t)in->n_dims, BY_E_PARAM);
  to->outer = to->inner = 1;
  to->extent = in->dims[axis];
  for (int d = 0; d < (int)in->n_dims; ++d) {
    if (d < axis) to->outer *= in->dims[d];
    if (d > axis) to->inner *= in->dims[d];
  }
  return BY_OK;
}
#define AT(r, o, k, i) (((o) * (r).extent + (k)) * (r).inner + (i))

by_ret by_softmax(by_context *ctx, const by_bay *in, int32_t axis, by_bay *out) {
  CHECK(in, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  rows r;
  REQUIRE(split(in, axis, &r) == BY_OK, BY_E_PARAM);
  for (long o = 0; o < r.outer; ++o)
    for (long i = 0; i < r.inner; ++i) {
      float most = -INFINITY;
      double sum = 0;
      for (long k = 0; k < r.extent; ++k) {
        const float x = F(in, in, AT(r, o, k, i));
        most = x > most || isnan(x) ? x : most;
      }
      for (long k = 0; k < r.extent; ++k) sum += exp((double)F(in, in, AT(r, o, k, i)) - most);
      for (long k = 0; k < r.extent; ++k)
        F(out, out, AT(r, o, k, i)) = (float)(exp((double)F(in, in, AT(r, o, k, i)) - most) / sum);
    }
  return BY_OK;
}

/* over the dimensions from `axis` on */
by_ret by_layer_norm(by_context *ctx, const by_bay *in, const by_bay *gamma, const by_bay *beta, int32_t axis,
                     float eps, by_bay *out) {
  CHECK(in, BY_TYPE_FLOAT32);
  CHECK(gamma, BY_TYPE_FLOAT32);
  CHECK(beta, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  rows r;
  REQUIRE(split(in, axis, &r) == BY_OK, BY_E_PARAM);
  const long n = r.extent * r.inner;
  REQUIRE(count(gamma) == n && count(beta) == n, BY_E_PARAM);
  for (long o = 0; o < r.outer; ++o) {
    double mean = 0, squares = 0;
    for (long i = 0; i < n; ++i) mean += F(in, in, o * n + i);
    mean /= (double)n;
    for (long i = 0; i < n; ++i) squares += (F(in, in, o * n + i) - mean) * (F(in, in, o * n + i) - mean);
    const double scale = 1 / sqrt(squares / (double)n + eps);
    for (long i = 0; i < n; ++i)
      F(out, out, o * n + i) =
          (float)((F(in, in, o * n + i) - mean) * scale * F(gamma, gamma, i) + F(beta, beta, i));
  }
  return BY_OK;
}

by_ret by_reduce_sum(by_context *ctx, const by_bay *in, const int32_t *axes, uint32_t n_axes, uint32_t keep_dims,
                     by_bay *out) {
  CHECK(in, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  REQUIRE(keep_dims || out->n_dims == (n_axes < in->n_dims ? in->n_dims - n_axes : 1), BY_E_PARAM);
  for (long i = 0; i < count(out); ++i) {
    double sum = 0;
    for (long j = 0; j < count(in); ++j) {
      long left = j, place = 0, step = 1;
      for (int d = (int)in->n_dims - 1; d >= 0; --d) {
        const long index = left % in->dims[d];
        int among = 0;
        left /= in->dims[d];
        for (uint32_t k = 0; k < n_axes; ++k) among |= axes[k] == d;
        if (among) continue;
        place += step * index;
        step *= in->dims[d];
      }
      sum += place == i ? F(in, in, j) : 0;
    }
    F(out, out, i) = (float)sum;
  }
  return BY_OK;
}

by_ret by_reduce_max(by_context *ctx, const by_bay *in, int32_t axis, by_bay *out) {
  CHECK(in, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  rows r;
  REQUIRE(split(in, axis, &r) == BY_OK && count(out) == r.outer * r.inner, BY_E_PARAM);
  for (long o = 0; o < r.outer; ++o)
    for (long i = 0; i < r.inner; ++i) {
      float most = -INFINITY;
      for (long k = 0; k < r.extent; ++k) {
        const float x = F(in, in, AT(r, o, k, i));
        most = x > most || isnan(x) ? x : most;
      }
      F(out, out, o * r.inner + i) = most;
    }
  return BY_OK;
}

by_ret by_permute(by_context *ctx, const by_bay *in, const uint32_t *perm, by_bay *out) {
  CHECK(in, BY_TYPE_FLOAT32);
  CHECK(out, BY_TYPE_FLOAT32);
  REQUIRE(in->n_dims == out->n_dims, BY_E_PARAM);
  for (long i = 0; i < count(out); ++i) {
    size_t step = 0;
    long left = i;
    for (int d = (int)out->n_dims - 1; d >= 0; --d) {
      REQUIRE(out->dims[d] == in->dims[perm[d]], BY_E_PARAM);
      step += (size_t)(left % out->dims[d]) * in->strides[perm[d]];
      left /= out->dims[d];
    }
    F(out, out, i) = *(float *)(void *)(at(in->addr) + step);
  }
  return BY_OK;
}
