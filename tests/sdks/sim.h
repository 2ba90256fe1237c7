/* What the simulated SDKs share: objects that are counted, calls that can be made to fail, memory that is checked. */
#ifndef SIM_H
#define SIM_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* For tests: objects and device buffers that are alive; the n-th call from now on fails (0: none does). */
long sim_alive(void);
void sim_fail_at(long call);
long sim_calls(void);

static long alive, calls, fail_at;
long sim_alive(void) { return __atomic_load_n(&alive, __ATOMIC_SEQ_CST); }
long sim_calls(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }
void sim_fail_at(long call) {
  __atomic_store_n(&calls, 0, __ATOMIC_SEQ_CST);
  fail_at = call;
}

/* True if this call is the one that fails. Destroyers do not count: nothing can be done about theirs. */
static int fails(void) { return __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == fail_at && fail_at != 0; }

static void *make(size_t size) {
  void *object = calloc(1, size);
  if (object) __atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  return object;
}
static void unmake(void *object) {
  if (object) __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  free(object);
}

/* Device memory is host memory behind a page of marks: what did not come from here is noticed by its address. */
enum { BUFFERS = 4096 };
static struct { char *base; size_t size; } buffers[BUFFERS];
static int lock;
static void enter(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {} }
static void leave(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

__attribute__((unused)) static void *device_alloc(size_t size) {
  char *base = fails() ? NULL : (char *)make(size ? size : 1);
  int i;
  if (!base) return NULL;
  enter();
  for (i = 0; i < BUFFERS && buffers[i].base; ++i) {}
  if (i < BUFFERS) { buffers[i].base = base; buffers[i].size = size; }
  leave();
  if (i == BUFFERS) { unmake(base); return NULL; }
  return base;
}
__attribute__((unused)) static int device_free(void *p) {
  int i, found = 0;
  enter();
  for (i = 0; i < BUFFERS; ++i) if (p && buffers[i].base == p) { buffers[i].base = NULL; found = 1; break; }
  leave();
  if (found) unmake(p);
  return found;
}
/* True if these bytes lie in one device buffer. */
__attribute__((unused)) static int on_device(const void *p, size_t size) {
  int i, found = 0;
  enter();
  for (i = 0; i < BUFFERS && !found; ++i) {
    found = buffers[i].base && (const char *)p >= buffers[i].base &&
            (const char *)p + size <= buffers[i].base + buffers[i].size;
  }
  leave();
  return found;
}
#endif
