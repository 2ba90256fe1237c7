#include "numbers.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Numbers begin far from 0, and one table serves every session: who takes a tensor's number for another's is noticed. */
enum { SESSIONS = 64, TENSORS = 256, FIRST_SESSION = 7, FIRST_TENSOR = 1000 };

typedef struct {
  nb32 session, type, rank, dim[6];
  char *bytes;
} tensor;

static int open_sessions[SESSIONS];
static tensor table[TENSORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static nb32 size_of(nb32 type) { return type == NB_U8 ? 1 : 4; }
static long count(const tensor *t) {
  long n = 1;
  for (int i = 0; i < t->rank; ++i) n *= t->dim[i];
  return n;
}
static int is_open(nb32 sess) {
  return sess >= FIRST_SESSION && sess < FIRST_SESSION + SESSIONS && open_sessions[sess - FIRST_SESSION];
}
static tensor *find(nb32 sess, nb32 t) {
  const nb32 at = t - FIRST_TENSOR;
  return is_open(sess) && at >= 0 && at < TENSORS && table[at].bytes && table[at].session == sess ? &table[at] : NULL;
}

nb32 nb_open(nb32 card) {
  nb32 made = -2;
  pthread_mutex_lock(&lock);
  for (int i = 0; !card && made < 0 && i < SESSIONS; ++i)
    if (!open_sessions[i]) {
      open_sessions[i] = 1;
      made = FIRST_SESSION + i;
    }
  pthread_mutex_unlock(&lock);
  return made;
}

nb32 nb_close(nb32 sess) {
  if (!is_open(sess)) return -1;
  open_sessions[sess - FIRST_SESSION] = 0;
  return 0;
}

nb32 nb_wait(nb32 sess, nb32 ms) { return is_open(sess) && ms ? 0 : -1; }

nb32 nb_new(nb32 sess, nb32 type, nb32 ndim, const nb32 *dim) {
  if (!is_open(sess) || type < 0 || type > NB_U8 || ndim < 0 || ndim > 6) return -1;
  nb32 made = -2;
  pthread_mutex_lock(&lock);
  for (int i = 0; made < 0 && i < TENSORS; ++i)
    if (!table[i].bytes) {
      table[i] = (tensor){sess, type, ndim, {0}, NULL};
      for (int d = 0; d < ndim; ++d) table[i].dim[d] = dim[d];
      table[i].bytes = malloc((size_t)(count(&table[i]) * size_of(type)) + 1);
      made = table[i].bytes ? FIRST_TENSOR + i : -2;
    }
  pthread_mutex_unlock(&lock);
  return made;
}

nb32 nb_del(nb32 sess, nb32 t) {
  tensor *found = find(sess, t);
  if (!found) return -1;
  pthread_mutex_lock(&lock);
  free(found->bytes);
  found->bytes = NULL;
  pthread_mutex_unlock(&lock);
  return 0;
}

nb32 nb_put(nb32 sess, nb32 t, const void *host, nb32 bytes) {
  tensor *to = find(sess, t);
  if (!to || bytes != count(to) * size_of(to->type)) return -1;
  memcpy(to->bytes, host, (size_t)bytes);
  return bytes; /* how many were written: no error */
}

nb32 nb_get(nb32 sess, nb32 t, void *host, nb32 bytes) {
  tensor *from = find(sess, t);
  if (!from || bytes != count(from) * size_of(from->type)) return -1;
  memcpy(host, from->bytes, (size_t)bytes);
  return bytes;
}

#define F(t) ((float *)(t)->bytes)
#define U(t) ((uint8_t *)(t)->bytes)

/* Where the element at `i` of `out` lies in `in`, whose dimensions of 1 are repeated; -1 where they do not fit. */
static long place(const tensor *in, const tensor *out, long i) {
  long at = 0, step = 1;
  const int more = out->rank - in->rank;
  if (more < 0) return -1;
  for (int d = out->rank - 1; d >= 0; --d) {
    const int here = out->dim[d], index = (int)(i % here);
    i /= here;
    if (d < more) continue;
    const int size = in->dim[d - more];
    if (size != here && size != 1) return -1;
    at += size == 1 ? 0 : step * index;
    step *= size;
  }
  return at;
}

#define PAIR(NAME, TYPE, STORE)                                       \
  nb32 NAME(nb32 sess, nb32 r, nb32 a, nb32 b) {                      \
    tensor *out = find(sess, r), *x = find(sess, a), *y = find(sess, b); \
    if (!out || !x || !y || out->type != TYPE || x->type || y->type) return -1; \
    for (long i = 0; i < count(out); ++i) {                           \
      const long j = place(x, out, i), k = place(y, out, i);          \
      if (j < 0 || k < 0) return -3;                                  \
      STORE;                                                          \
    }                                                                 \
    return 1;                                                         \
  }
PAIR(nb_add, NB_F32, F(out)[i] = F(x)[j] + F(y)[k])
PAIR(nb_sub, NB_F32, F(out)[i] = F(x)[j] - F(y)[k])
PAIR(nb_cmp_lt, NB_U8, U(out)[i] = F(x)[j] < F(y)[k])

nb32 nb_mux(nb32 sess, nb32 r, nb32 sel, nb32 a, nb32 b) {
  tensor *out = find(sess, r), *s = find(sess, sel), *x = find(sess, a), *y = find(sess, b);
  if (!out || !s || !x || !y || out->type || s->type != NB_U8 || x->type || y->type) return -1;
  for (long i = 0; i < count(out); ++i) {
    const long h = place(s, out, i), j = place(x, out, i), k = place(y, out, i);
    if (h < 0 || j < 0 || k < 0) return -3;
    F(out)[i] = U(s)[h] ? F(x)[j] : F(y)[k];
  }
  return 0;
}

#define EACH(BODY)                                                                      \
  tensor *out = find(sess, r), *in = find(sess, a);                                     \
  if (!out || !in || out->type || in->type || count(out) != count(in)) return -1;       \
  for (long i = 0; i < count(out); ++i) {                                               \
    const float x = F(in)[i];                                                           \
    F(out)[i] = BODY;                                                                   \
  }                                                                                     \
  return 0
nb32 nb_relu(nb32 sess, nb32 r, nb32 a) { EACH(x < 0 ? 0 : x); }
nb32 nb_clip(nb32 sess, nb32 r, nb32 a, float lo, float hi) { EACH(isnan(x) ? x : fminf(fmaxf(x, lo), hi)); }

/* The elements outside, along and inside of a dimension; 0 where there is none. */
static int split(const tensor *t, nb32 axis, long *outer, long *extent, long *inner) {
  if (axis < 0 || axis >= t->rank) return 0;
  *outer = *inner = 1;
  *extent = t->dim[axis];
  for (int i = 0; i < axis; ++i) *outer *= t->dim[i];
  for (int i = axis + 1; i < t->rank; ++i) *inner *= t->dim[i];
  return 1;
}

nb32 nb_sum(nb32 sess, nb32 r, nb32 a, nb32 axis) {
  tensor *out = find(sess, r), *in = find(sess, a);
  long outer, extent, inner;
  if (!out || !in || out->type || in->type || !split(in, axis, &outer, &extent, &inner)) return -1;
  if (count(out) != outer * inner) return -3;
  for (long o = 0; o < outer; ++o)
    for (long i = 0; i < inner; ++i) {
      double sum = 0;
      for (long k = 0; k < extent; ++k) sum += F(in)[(o * extent + k) * inner + i];
      F(out)[o * inner + i] = (float)sum;
    }
  return 0;
}

nb32 nb_softmax(nb32 sess, nb32 r, nb32 a, nb32 axis) {
  tensor *out = find(sess, r), *in = find(sess, a);
  long outer, extent, inner;
  if (!out || !in || out->type || in->type || !split(in, axis, &outer, &extent, &inner)) return -1;
  for (long o = 0; o < outer; ++o)
    for (long i = 0; i < inner; ++i) {
      const float *x = F(in) + o * extent * inner + i;
      float *y = F(out) + o * extent * inner + i, most = -INFINITY;
      double sum = 0;
      for (long k = 0; k < extent; ++k) most = x[k * inner] > most || isnan(x[k * inner]) ? x[k * inner] : most;
      for (long k = 0; k < extent; ++k) sum += exp((double)x[k * inner] - most);
      for (long k = 0; k < extent; ++k) y[k * inner] = (float)(exp((double)x[k * inner] - most) / sum);
    }
  return 0;
}

nb32 nb_perm(nb32 sess, nb32 r, nb32 a, const nb32 *order) {
  tensor *out = find(sess, r), *in = find(sess, a);
  if (!out || !in || out->type || in->type || out->rank != in->rank) return -1;
  for (long i = 0; i < count(out); ++i) {
    int index[6] = {0};
    long left = i, at = 0;
    for (int d = in->rank - 1; d >= 0; --d) {
      if (out->dim[d] != in->dim[order[d]]) return -3;
      index[order[d]] = (int)(left % out->dim[d]);
      left /= out->dim[d];
    }
    for (int d = 0; d < in->rank; ++d) at = at * in->dim[d] + index[d];
    F(out)[i] = F(in)[at];
  }
  return 0;
}

nb32 nb_mm(nb32 sess, nb32 r, nb32 a, nb32 b) {
  tensor *out = find(sess, r), *x = find(sess, a), *y = find(sess, b);
  if (!out || !x || !y || out->type || x->type || y->type || x->rank != 2 || y->rank != 2) return -1;
  const long m = x->dim[0], k = x->dim[1], n = y->dim[1];
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long l = 0; l < k; ++l) sum += (double)F(x)[i * k + l] * F(y)[l * n + j];
      F(out)[i * n + j] = (float)sum;
    }
  return 0;
}
