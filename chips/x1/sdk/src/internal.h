/*
 * Shared by the library's own sources. Names with the prefix x1i_ are hidden from the library's users.
 */
#ifndef X1_INTERNAL_H
#define X1_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mutants.h"
#include "x1_runtime.h"
#include "x1_sim.h"

/* Every function of x1_runtime.h: X(name, is a kernel). */
#define X1I_FUNCTIONS(X)                                                                                    \
    X(x1_init, 0)                                                                                           \
    X(x1_shutdown, 0)                                                                                       \
    X(x1_get_device_count, 0)                                                                               \
    X(x1_set_device, 0)                                                                                     \
    X(x1_get_device, 0)                                                                                     \
    X(x1_get_device_name, 0)                                                                                \
    X(x1_device_synchronize, 0)                                                                             \
    X(x1_get_last_error, 0)                                                                                 \
    X(x1_get_temperature, 0)                                                                                \
    X(x1_malloc, 0)                                                                                         \
    X(x1_free, 0)                                                                                           \
    X(x1_memcpy, 0)                                                                                         \
    X(x1_memset, 0)                                                                                         \
    X(x1_mem_get_info, 0)                                                                                   \
    X(x1_mem_map, 0)                                                                                        \
    X(x1_mem_unmap, 0)                                                                                      \
    X(x1_add, 1)                                                                                            \
    X(x1_sub, 1)                                                                                            \
    X(x1_mul, 1)                                                                                            \
    X(x1_div, 1)                                                                                            \
    X(x1_maximum, 1)                                                                                        \
    X(x1_minimum, 1)                                                                                        \
    X(x1_relu, 1)                                                                                           \
    X(x1_neg, 1)                                                                                            \
    X(x1_abs, 1)                                                                                            \
    X(x1_exp, 1)                                                                                            \
    X(x1_log, 1)                                                                                            \
    X(x1_sqrt, 1)                                                                                           \
    X(x1_rsqrt, 1)                                                                                          \
    X(x1_sigmoid, 1)                                                                                        \
    X(x1_tanh, 1)                                                                                           \
    X(x1_silu, 1)                                                                                           \
    X(x1_leaky_relu, 1)                                                                                     \
    X(x1_gemm, 1)                                                                                           \
    X(x1_conv2d, 1)                                                                                         \
    X(x1_gelu, 1)                                                                                           \
    X(x1_equal, 1)                                                                                          \
    X(x1_greater, 1)                                                                                        \
    X(x1_where, 1)                                                                                          \
    X(x1_masked_fill, 1)                                                                                    \
    X(x1_cast, 1)                                                                                           \
    X(x1_reduce_sum, 1)                                                                                     \
    X(x1_reduce_mean, 1)                                                                                    \
    X(x1_reduce_max, 1)                                                                                     \
    X(x1_argmax, 1)                                                                                         \
    X(x1_softmax, 1)                                                                                        \
    X(x1_log_softmax, 1)                                                                                    \
    X(x1_layer_norm, 1)                                                                                     \
    X(x1_rms_norm, 1)                                                                                       \
    X(x1_batch_norm, 1)                                                                                     \
    X(x1_max_pool2d, 1)                                                                                     \
    X(x1_avg_pool2d, 1)                                                                                     \
    X(x1_attention, 1)                                                                                      \
    X(x1_embedding, 1)                                                                                      \
    X(x1_index_select, 1)                                                                                   \
    X(x1_gather, 1)                                                                                         \
    X(x1_concat, 1)                                                                                         \
    X(x1_permute, 1)                                                                                        \
    X(x1_crc32, 0)                                                                                          \
    X(x1_dma_benchmark, 0)

typedef enum x1i_function {
#define X1I_ENUM(name, kernel) X1I_##name,
    X1I_FUNCTIONS(X1I_ENUM)
#undef X1I_ENUM
        X1I_FUNCTION_COUNT
} x1i_function;

enum { X1I_MAX_DEVICES = 4 };

/* ---- runtime.c ---------------------------------------------------------- */

const char *x1i_name(x1i_function function);
bool x1i_is_kernel(x1i_function function);

/* Set the calling thread's error text ("x1_add: ...") and return `status`. */
x1_status_t x1i_fail(x1i_function function, x1_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* First line of every function: counts the call, lets an injected fault strike, and fails unless the board is up. */
x1_status_t x1i_enter(x1i_function function);

int x1i_current_device(void);
int x1i_device_count(void);

#define X1I_ENTER(function)                                  \
    do {                                                     \
        x1_status_t entered_ = x1i_enter(X1I_##function);    \
        if (entered_ != X1_SUCCESS) return entered_;         \
    } while (0)

/* ---- faults.c ----------------------------------------------------------- */

/* Counts a call; returns the status that an armed fault orders, or X1_SUCCESS. May not return at all. */
x1_status_t x1i_strike(x1i_function function);
/* Parse and install; false and nothing changed for a text outside the grammar. */
bool x1i_set_faults(const char *text);

/* ---- memory.c ----------------------------------------------------------- */

/* Bring the boards' memory up and down; `bytes` per device. Called with the runtime's lock held. */
x1_status_t x1i_memory_open(int devices, size_t bytes);
void x1i_memory_close(void);
/* The process has forked: the child has no mapping of the board's memory. */
void x1i_memory_forget(void);

/* A range of device memory that a function is about to touch. `host` is filled by x1i_resolve(). */
typedef struct x1i_operand {
    const char *name;    /* for the error text */
    const void *address; /* as the caller gave it */
    size_t bytes;        /* 0: not touched, may be NULL */
    size_t alignment;    /* of the element type */
    void *host;          /* out: the library's own mapping of the same bytes, NULL if bytes is 0 */
    size_t room;         /* out: bytes from the address to the end of its allocation */
} x1i_operand;

/* Check that every operand lies inside one live allocation of the current device, or inside one mapped range of
 * host memory, and translate it. X1_ERROR_INVALID_VALUE with a text otherwise. */
x1_status_t x1i_resolve(x1i_function function, x1i_operand *operands, int count);

/* True if the two operands share a byte. */
bool x1i_overlap(const x1i_operand *a, const x1i_operand *b);

/* An operand of `count` elements of `element` bytes each; NULL for a count of 0. */
static inline x1i_operand x1i_operand_of(const char *name, const void *address, size_t count, size_t element)
{
    return (x1i_operand){name, address, count * element, element > 8 ? 8 : element, NULL, 0};
}

/* Bytes of an element; 0 for a value outside the enum. */
static inline size_t x1i_element_size(x1_dtype_t dtype)
{
    switch ((int)dtype) {
    case X1_DTYPE_FLOAT32: return 4;
    case X1_DTYPE_FLOAT16: return 2;
    case X1_DTYPE_INT8: return 1;
    default: return 0;
    }
}

#endif
