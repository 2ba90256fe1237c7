/*
 * wicker.h - Wicker network construction and execution
 *
 * Copyright 2020-2026 Brindle AI Accelerators.
 * Confidential and proprietary; redistribution in binary form only.
 *
 * A network is woven strand by strand with the wk_weave_* functions, which return strands that do not hold any
 * values. wk_bake turns it into a loaf, for one card type, and a loaf is served by waiters. There is no way to
 * compute a single function without baking.
 */
#ifndef WICKER_H_
#define WICKER_H_

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WK_API __attribute__((visibility("default")))

#define WICKER_MAJOR 3
#define WICKER_MINOR 2
#define WICKER_MAKE_VERSION(a, b) ((a) * 1000 + (b))

typedef struct wk_basket wk_basket;   /**< a network under construction */
typedef struct wk_loaf   wk_loaf;     /**< a compiled network */
typedef struct wk_waiter wk_waiter;   /**< runs a loaf */
typedef uint32_t wk_strand;           /**< a value in a basket; 0 is none */

typedef enum wk_outcome {
    WK_FINE = 0,
    WK_BURNT = 1,              /**< internal */
    WK_NO_SUCH_STRAND = 2,
    WK_SHAPE_CLASH = 3,
    WK_TOO_BIG = 4,
    WK_NOT_BAKED = 5,
    WK_CARD_BUSY = 6,
} wk_outcome;

typedef enum wk_type { WK_F32, WK_F16, WK_I32, WK_I8, WK_U8, WK_BOOL } wk_type;

typedef struct wk_shape {
    uint32_t rank;
    uint32_t dim[8];
} wk_shape;

typedef struct wk_conv_recipe {
    uint32_t stride[2];
    uint32_t pad[4];
    uint32_t dilation[2];
    uint32_t groups;
    bool     transposed;
} wk_conv_recipe;

typedef struct wk_pool_recipe {
    uint32_t window[2];
    uint32_t stride[2];
    uint32_t pad[4];
    bool     count_pad;
} wk_pool_recipe;

typedef struct wk_bake_options {
    uint32_t    heat;             /**< optimisation, 0 to 3 */
    bool        keep_float;
    const char *card_type;        /**< e.g. "B2", "B2-lite" */
    const char *cache_folder;
    uint64_t    memory_limit;
} wk_bake_options;

/* ---- library ---- */
WK_API wk_outcome  wk_open(uint32_t version);
WK_API void        wk_close(void);
WK_API const char *wk_outcome_words(wk_outcome o);
WK_API wk_outcome  wk_count_cards(uint32_t *count);

/* ---- baskets ---- */
WK_API wk_outcome wk_basket_new(const char *name, wk_basket **basket);
WK_API void       wk_basket_free(wk_basket *basket);
WK_API wk_strand  wk_input(wk_basket *basket, const char *name, wk_type type, wk_shape shape);
WK_API wk_strand  wk_constant(wk_basket *basket, wk_type type, wk_shape shape, const void *data, size_t bytes);
WK_API wk_outcome wk_output(wk_basket *basket, const char *name, wk_strand value);
WK_API wk_outcome wk_shape_of(const wk_basket *basket, wk_strand value, wk_shape *shape);
WK_API wk_outcome wk_last_trouble(const wk_basket *basket, const char **words);

/* ---- weaving: each adds a node to the basket and gives its value, or 0 ---- */
WK_API wk_strand wk_weave_abs(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_exp(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_log(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_sqrt(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_neg(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_relu(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_sigmoid(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_tanh(wk_basket *basket, wk_strand x);
WK_API wk_strand wk_weave_gelu(wk_basket *basket, wk_strand x, bool approximate);
WK_API wk_strand wk_weave_clamp(wk_basket *basket, wk_strand x, float min, float max);
WK_API wk_strand wk_weave_add(wk_basket *basket, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_sub(wk_basket *basket, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_mul(wk_basket *basket, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_div(wk_basket *basket, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_max(wk_basket *basket, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_min(wk_basket *basket, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_where(wk_basket *basket, wk_strand condition, wk_strand a, wk_strand b);
WK_API wk_strand wk_weave_matmul(wk_basket *basket, wk_strand a, wk_strand b, bool transpose_a, bool transpose_b);
WK_API wk_strand wk_weave_linear(wk_basket *basket, wk_strand x, wk_strand weight, wk_strand bias);
WK_API wk_strand wk_weave_conv2d(wk_basket *basket, wk_strand x, wk_strand weight, wk_strand bias, const wk_conv_recipe *recipe);
WK_API wk_strand wk_weave_max_pool(wk_basket *basket, wk_strand x, const wk_pool_recipe *recipe);
WK_API wk_strand wk_weave_avg_pool(wk_basket *basket, wk_strand x, const wk_pool_recipe *recipe);
WK_API wk_strand wk_weave_softmax(wk_basket *basket, wk_strand x, int32_t axis);
WK_API wk_strand wk_weave_sum(wk_basket *basket, wk_strand x, const int32_t *axes, uint32_t num_axes, bool keep);
WK_API wk_strand wk_weave_mean(wk_basket *basket, wk_strand x, const int32_t *axes, uint32_t num_axes, bool keep);
WK_API wk_strand wk_weave_argmax(wk_basket *basket, wk_strand x, int32_t axis);
WK_API wk_strand wk_weave_layer_norm(wk_basket *basket, wk_strand x, wk_strand weight, wk_strand bias, float eps);
WK_API wk_strand wk_weave_batch_norm(wk_basket *basket, wk_strand x, wk_strand mean, wk_strand var, wk_strand weight, wk_strand bias, float eps);
WK_API wk_strand wk_weave_transpose(wk_basket *basket, wk_strand x, const uint32_t *order);
WK_API wk_strand wk_weave_reshape(wk_basket *basket, wk_strand x, wk_shape shape);
WK_API wk_strand wk_weave_concat(wk_basket *basket, const wk_strand *xs, uint32_t num_xs, int32_t axis);
WK_API wk_strand wk_weave_gather(wk_basket *basket, wk_strand x, wk_strand indices, int32_t axis);
WK_API wk_strand wk_weave_cast(wk_basket *basket, wk_strand x, wk_type type);
WK_API wk_strand wk_weave_quantize(wk_basket *basket, wk_strand x, float scale, int32_t zero);
WK_API wk_strand wk_weave_lstm(wk_basket *basket, wk_strand x, wk_strand weights, uint32_t hidden, bool both_ways);
WK_API wk_strand wk_weave_resize(wk_basket *basket, wk_strand x, uint32_t height, uint32_t width, bool bilinear);
WK_API wk_strand wk_weave_custom(wk_basket *basket, const char *kind, const wk_strand *xs, uint32_t num_xs, const char *json);

/* ---- baking ---- */
WK_API wk_outcome wk_bake(const wk_basket *basket, const wk_bake_options *options, wk_loaf **loaf);
WK_API wk_outcome wk_loaf_to_file(const wk_loaf *loaf, const char *path);
WK_API wk_outcome wk_loaf_from_file(const char *path, wk_loaf **loaf);
WK_API void       wk_loaf_free(wk_loaf *loaf);
WK_API wk_outcome wk_loaf_num_inputs(const wk_loaf *loaf, uint32_t *count);
WK_API wk_outcome wk_loaf_num_outputs(const wk_loaf *loaf, uint32_t *count);

/* ---- serving. Data is the host's; wk_serve copies in and out ---- */
WK_API wk_outcome wk_waiter_new(const wk_loaf *loaf, uint32_t card, wk_waiter **waiter);
WK_API void       wk_waiter_free(wk_waiter *waiter);
WK_API wk_outcome wk_waiter_give(wk_waiter *waiter, const char *input, const void *data, size_t bytes);
WK_API wk_outcome wk_waiter_take(wk_waiter *waiter, const char *output, void *data, size_t bytes);
WK_API wk_outcome wk_serve(wk_waiter *waiter);
WK_API wk_outcome wk_serve_later(wk_waiter *waiter, void (*done)(void *user, wk_outcome o), void *user);
WK_API wk_outcome wk_waiter_wait(wk_waiter *waiter, uint32_t timeout_ms);

#ifdef __cplusplus
}
#endif
#endif /* WICKER_H_ */
