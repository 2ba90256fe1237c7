/* Loads a compiled model and runs it: no op of its own, although it has an allocator. */
#ifndef RUNNER_H
#define RUNNER_H
#include <stddef.h>
#include <stdint.h>

typedef uint64_t rn_context;
typedef struct { void *addr; uint32_t size; } rn_mem;

int rn_init(rn_context *context, void *blob, uint32_t size);
int rn_destroy(rn_context context);
int rn_inputs_set(rn_context context, uint32_t count, rn_mem *inputs);
int rn_run(rn_context context);
int rn_outputs_get(rn_context context, uint32_t count, rn_mem *outputs);
rn_mem *rn_create_mem(rn_context context, uint32_t size);
int rn_destroy_mem(rn_context context, rn_mem *mem);

#endif
