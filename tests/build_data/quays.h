/* Every call takes an environment of the caller's; tensors are structs with a struct of extents, outermost first. */
#ifndef QY_QUAYS_H
#define QY_QUAYS_H

#include <stddef.h>
#include <stdint.h>

#define QY_MAX_AXES 6

typedef enum qy_verdict { QY_FINE = 0, QY_BAD_ENV = 1, QY_EXTENT_MISMATCH, QY_BAD_ELEM } qy_verdict;
typedef enum { QY_E_F32 = 1, QY_E_I32 = 2, QY_E_BOOL = 3 } qy_elem;

/* pitch is in elements */
struct qy_extent {
  uint8_t naxes;
  uint8_t _rsvd[3];
  uint32_t len[QY_MAX_AXES];
  uint32_t pitch[QY_MAX_AXES];
};
typedef struct qy_slab {
  void *store; /* from qy_malloc() */
  qy_elem elem;
  struct qy_extent ext;
  float q_scale; /* of quantised elements */
  int32_t q_zero;
} qy_slab;

typedef struct qy_pipe *qy_pipe_t;

/** The caller fills this before any call. */
typedef struct qy_env {
  qy_pipe_t pipe; /**< where the work is put; NULL is the unit's own pipe */
  void *arena;    /**< scratch in device memory */
  size_t arena_len;
  uint32_t unit;  /**< number of the unit */
  uint32_t flags;
  void (*trace)(const char *kernel, void *cookie);
  void *cookie;
} qy_env;

qy_verdict qy_device_count(int *count);
qy_verdict qy_set_device(int unit);
qy_verdict qy_device_synchronize(void);
qy_verdict qy_malloc(void **store, size_t bytes);
qy_verdict qy_free(void *store);
qy_verdict qy_memcpy_h2d(void *store, const void *host, size_t bytes);
qy_verdict qy_memcpy_d2h(void *host, const void *store, size_t bytes);

qy_verdict qyk_add(const qy_env *env, const qy_slab *lhs, const qy_slab *rhs, qy_slab *res);
qy_verdict qyk_less(const qy_env *env, const qy_slab *lhs, const qy_slab *rhs, qy_slab *res);
qy_verdict qyk_exp(const qy_env *env, const qy_slab *src, qy_slab *res);
qy_verdict qyk_softmax(const qy_env *env, const qy_slab *src, int32_t axis, qy_slab *res);
qy_verdict qyk_sum(const qy_env *env, const qy_slab *src, const int32_t *axes, uint32_t naxes, int keep, qy_slab *res);
/* both 2-D */
qy_verdict qyk_matmul(const qy_env *env, const qy_slab *lhs, const qy_slab *rhs, qy_slab *res);

#endif
