/* Tensors are structs with the address of device memory as an integer and strides in bytes; a card is opened. */
#ifndef BY_BAYS_H
#define BY_BAYS_H

#include <stddef.h>
#include <stdint.h>

#define BY_MAX_DIMS 5

typedef uint64_t by_addr; /* in the card's own memory */

typedef enum { BY_OK = 0, BY_E_FAIL = -1, BY_E_PARAM = -2, BY_E_NOMEM = -3, BY_E_UNSUPPORTED = -4 } by_ret;
typedef enum { BY_TYPE_FLOAT32 = 0, BY_TYPE_INT32, BY_TYPE_BOOL8 } by_type;
typedef enum { BY_FMT_ND = 0, BY_FMT_NCHW } by_fmt;
typedef enum { BY_QUANT_NONE = 0, BY_QUANT_ASYM } by_quant;

typedef struct by_bay {
  by_addr addr; /* first element */
  by_type type;
  by_fmt fmt; /* images are NCHW, all else is ND */
  uint32_t n_dims;
  uint32_t dims[BY_MAX_DIMS];
  uint32_t strides[BY_MAX_DIMS]; /* in bytes */
  by_quant quant;
  int32_t zp;
  float scale;
  uint16_t tier; /* 0 = any */
  void *priv;
} by_bay;

typedef struct by_context by_context;

by_ret by_get_card_count(uint32_t *count);
by_ret by_context_create(by_context **ctx, uint32_t card, uint32_t flags);
by_ret by_context_destroy(by_context *ctx);
/* blocks until all work is done */
by_ret by_context_synchronize(by_context *ctx);

by_ret by_mem_alloc(by_context *ctx, size_t bytes, by_addr *addr);
by_ret by_mem_free(by_context *ctx, by_addr addr);
/* host to device */
by_ret by_mem_write(by_context *ctx, by_addr dst, const void *src, size_t bytes);
/* device to host */
by_ret by_mem_read(by_context *ctx, void *dst, by_addr src, size_t bytes);
by_ret by_mem_copy(by_context *ctx, by_addr dst, by_addr src, size_t bytes);
by_ret by_mem_query(by_context *ctx, size_t *free_size, size_t *total_size);

/* a and b may broadcast as in numpy */
by_ret by_add(by_context *ctx, const by_bay *in1, const by_bay *in2, by_bay *out);
by_ret by_mul(by_context *ctx, const by_bay *in1, const by_bay *in2, by_bay *out);
by_ret by_less(by_context *ctx, const by_bay *in1, const by_bay *in2, by_bay *out);
by_ret by_where(by_context *ctx, const by_bay *cond, const by_bay *in1, const by_bay *in2, by_bay *out);
by_ret by_relu(by_context *ctx, const by_bay *in, by_bay *out);
by_ret by_softmax(by_context *ctx, const by_bay *in, int32_t axis, by_bay *out);
by_ret by_layer_norm(by_context *ctx, const by_bay *in, const by_bay *gamma, const by_bay *beta, int32_t axis,
                     float eps, by_bay *out);
by_ret by_reduce_sum(by_context *ctx, const by_bay *in, const int32_t *axes, uint32_t n_axes, uint32_t keep_dims,
                     by_bay *out);
by_ret by_reduce_max(by_context *ctx, const by_bay *in, int32_t axis, by_bay *out);
by_ret by_permute(by_context *ctx, const by_bay *in, const uint32_t *perm, by_bay *out);

#endif
