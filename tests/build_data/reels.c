#include "reels.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Work is put in a queue and done when the queue is waited for: who reads a result before finds something else there. */
enum { MOST = 64 };
typedef struct {
  rl_ply t[4];
  int op, dim;
} work;
struct rl_queue_s {
  pthread_mutex_t lock;
  work waiting[MOST];
  int count;
};
enum { ABS, RELU, SQRT, ADD, SUB, MAX, WHERE, SUM, MM };

#define REQUIRE(x, ret) \
  if (!(x)) return ret

rl_ret rl_device_count(int32_t *count) {
  *count = 1;
  return RL_GOOD;
}
rl_ret rl_set_device(int32_t device) { return device == 0 ? RL_GOOD : RL_E_ARG; }
rl_ret rl_malloc(void **p, size_t bytes) {
  *p = malloc(bytes + 1);
  return *p ? RL_GOOD : RL_E_ARG;
}
rl_ret rl_free(void *p) {
  free(p);
  return RL_GOOD;
}
rl_ret rl_memcpy_h2d(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
  return RL_GOOD;
}
rl_ret rl_memcpy_d2h(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
  return RL_GOOD;
}
rl_ret rl_queue_create(rl_queue *q) {
  *q = calloc(1, sizeof **q);
  pthread_mutex_init(&(*q)->lock, NULL);
  return RL_GOOD;
}
rl_ret rl_queue_destroy(rl_queue q) {
  pthread_mutex_destroy(&q->lock);
  free(q);
  return RL_GOOD;
}

static long count(rl_ply t) {
  long n = 1;
  for (int i = 0; i < t.nd; ++i) n *= t.len[i];
  return n;
}
/* Where the element at `i` of `of` lies in `t`, whose dimensions of 1 are repeated; -1 where the two do not fit. */
static long place(rl_ply t, rl_ply of, long i) {
  long at = 0;
  for (int d = of.nd - 1, e = t.nd - 1; d >= 0; --d, --e) {
    const long index = i % of.len[d];
    i /= of.len[d];
    if (e < 0) continue;
    if (t.len[e] != of.len[d] && t.len[e] != 1) return -1;
    at += t.len[e] == 1 ? 0 : index * t.skip[e];
  }
  return t.nd > of.nd ? -1 : at;
}
static float *f(rl_ply t, rl_ply of, long i) { return (float *)t.base + place(t, of, i); }

static void elementwise(const work *w, long i) {
  const rl_ply d = w->t[0], s0 = w->t[1], s1 = w->t[2];
  float *to = f(d, d, i);
  if (w->op == WHERE) {
    *to = ((uint8_t *)s0.base)[place(s0, d, i)] ? *f(s1, d, i) : *f(w->t[3], d, i);
    return;
  }
  const float x = *f(s0, d, i), y = w->op >= ADD ? *f(s1, d, i) : 0;
  switch (w->op) {
    case ABS: *to = fabsf(x); break;
    case RELU: *to = x < 0 ? 0 : x; break;
    case SQRT: *to = sqrtf(x); break;
    case ADD: *to = x + y; break;
    case SUB: *to = x - y; break;
    default: *to = isnan(x) || x > y ? x : y;
  }
}
static void sum(const work *w) {
  const rl_ply d = w->t[0], s = w->t[1];
  long outer = 1, inner = 1;
  const long extent = s.len[w->dim];
  for (int i = 0; i < s.nd; ++i) *(i < w->dim ? &outer : &inner) *= i == w->dim ? 1 : s.len[i];
  for (long o = 0; o < outer; ++o)
    for (long i = 0; i < inner; ++i) {
      double total = 0;
      for (long k = 0; k < extent; ++k) total += *f(s, s, (o * extent + k) * inner + i);
      *f(d, d, o * inner + i) = (float)total;
    }
}
static void product(const work *w) {
  const rl_ply d = w->t[0], a = w->t[1], b = w->t[2];
  for (long i = 0; i < d.len[0]; ++i)
    for (long j = 0; j < d.len[1]; ++j) {
      double total = 0;
      for (long k = 0; k < a.len[1]; ++k) total += (double)*f(a, a, i * a.len[1] + k) * *f(b, b, k * b.len[1] + j);
      *f(d, d, i * d.len[1] + j) = (float)total;
    }
}

rl_ret rl_queue_synchronize(rl_queue q) {
  pthread_mutex_lock(&q->lock);
  for (int n = 0; n < q->count; ++n) {
    const work *w = &q->waiting[n];
    if (w->op == SUM) sum(w);
    else if (w->op == MM) product(w);
    else for (long i = 0; i < count(w->t[0]); ++i) elementwise(w, i);
  }
  q->count = 0;
  pthread_mutex_unlock(&q->lock);
  return RL_GOOD;
}

static rl_ret put(int op, int tensors, const rl_ply *t, int dim, rl_queue q, uint32_t fl) {
  REQUIRE(q && fl == 0, RL_E_ARG);
  for (int i = 0; i < tensors; ++i) {
    REQUIRE(t[i].nd >= 1 && t[i].nd <= RL_ND && t[i].bank == 0, RL_E_ARG);
    REQUIRE(t[i].kind == (op == WHERE && i == 1 ? RL_K_FLAG : RL_K_F32), RL_E_KIND);
    for (long j = 0; op <= WHERE && j < count(t[0]); ++j) REQUIRE(place(t[i], t[0], j) >= 0, RL_E_ARG);
  }
  REQUIRE(op != SUM || (dim >= 0 && dim < t[1].nd), RL_E_ARG);
  REQUIRE(op != MM || (t[1].nd == 2 && t[2].nd == 2 && t[1].len[1] == t[2].len[0]), RL_E_ARG);
  pthread_mutex_lock(&q->lock);
  const int full = q->count == MOST;
  pthread_mutex_unlock(&q->lock);
  if (full) rl_queue_synchronize(q);
  pthread_mutex_lock(&q->lock);
  work *w = &q->waiting[q->count++];
  memset(w, 0, sizeof *w);
  memcpy(w->t, t, (size_t)tensors * sizeof *t);
  w->op = op;
  w->dim = dim;
  pthread_mutex_unlock(&q->lock);
  return RL_GOOD;
}

#define ONE(NAME, OP) \
  rl_ret NAME(rl_ply d, rl_ply s, rl_queue q, uint32_t fl) { return put(OP, 2, (rl_ply[]){d, s}, 0, q, fl); }
ONE(rl_abs, ABS)
ONE(rl_relu, RELU)
ONE(rl_sqrt, SQRT)
#define TWO(NAME, OP)                                                        \
  rl_ret NAME(rl_ply d, rl_ply s0, rl_ply s1, rl_queue q, uint32_t fl) {     \
    return put(OP, 3, (rl_ply[]){d, s0, s1}, 0, q, fl);                      \
  }
TWO(rl_add, ADD)
TWO(rl_sub, SUB)
TWO(rl_max, MAX)
TWO(rl_mm, MM)
rl_ret rl_where(rl_ply d, rl_ply c, rl_ply s0, rl_ply s1, rl_queue q, uint32_t fl) {
  return put(WHERE, 4, (rl_ply[]){d, c, s0, s1}, 0, q, fl);
}
rl_ret rl_reduce_sum(rl_ply d, rl_ply s, int dim, rl_queue q, uint32_t fl) {
  return put(SUM, 2, (rl_ply[]){d, s}, dim, q, fl);
}
