/* Tensors are structs by value whose element type is an integer; results come first, a queue and flags last. */
#ifndef RL_REELS_H
#define RL_REELS_H

#include <stddef.h>
#include <stdint.h>

#define RL_ND 5

typedef int32_t rl_ret;
#define RL_GOOD 0
#define RL_E_ARG (-1)
#define RL_E_KIND (-2)

enum { RL_K_F32 = 1, RL_K_F16 = 2, RL_K_S32 = 16, RL_K_U8 = 19, RL_K_FLAG = 32 };

/* where a tensor lies. skip[] counts elements, len[nd-1] is the innermost one */
typedef struct {
  void *base;
  uint8_t kind;
  uint8_t nd;
  uint16_t bank; /* 0 = any */
  int32_t len[RL_ND];
  int32_t skip[RL_ND];
} rl_ply;

typedef struct rl_queue_s *rl_queue; /* work queue */

rl_ret rl_device_count(int32_t *count);
rl_ret rl_set_device(int32_t device);
rl_ret rl_malloc(void **p, size_t bytes);
rl_ret rl_free(void *p);
rl_ret rl_memcpy_h2d(void *to, const void *from, size_t bytes);
rl_ret rl_memcpy_d2h(void *to, const void *from, size_t bytes);
rl_ret rl_queue_create(rl_queue *q);
rl_ret rl_queue_destroy(rl_queue q);
rl_ret rl_queue_synchronize(rl_queue q); /* blocks until all is done */

rl_ret rl_abs(rl_ply d, rl_ply s, rl_queue q, uint32_t fl);
rl_ret rl_relu(rl_ply d, rl_ply s, rl_queue q, uint32_t fl);
rl_ret rl_sqrt(rl_ply d, rl_ply s, rl_queue q, uint32_t fl);
rl_ret rl_add(rl_ply d, rl_ply s0, rl_ply s1, rl_queue q, uint32_t fl);
rl_ret rl_sub(rl_ply d, rl_ply s0, rl_ply s1, rl_queue q, uint32_t fl);
rl_ret rl_max(rl_ply d, rl_ply s0, rl_ply s1, rl_queue q, uint32_t fl);
/* d = c ? s0 : s1 */
rl_ret rl_where(rl_ply d, rl_ply c, rl_ply s0, rl_ply s1, rl_queue q, uint32_t fl);
/* over one dimension */
rl_ret rl_reduce_sum(rl_ply d, rl_ply s, int dim, rl_queue q, uint32_t fl);
rl_ret rl_mm(rl_ply d, rl_ply a, rl_ply b, rl_queue q, uint32_t fl);

#endif
