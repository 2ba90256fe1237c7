/* ============================================================================
 *  Wickerby Neural Engine -- binary interface
 *
 *  The library exports ONE symbol, wkbGetInterface(). Everything else is called
 *  through the table that it hands out. New members are only ever added at the
 *  end of a table; check `size_of_this` before you call one.
 *
 *  (C) 2019-2025 Wickerby Engines plc     Confidential until release 5.0
 * ============================================================================ */
#ifndef WKB_INTERFACE_H
#define WKB_INTERFACE_H

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#  define WKBCALL __stdcall
#else
#  define WKBCALL
#endif

#define WKB_INTERFACE_5_0 0x00050000u
#define WKB_INTERFACE_4_2 0x00040002u

typedef uint32_t WKB_ANSWER;
#define WKB_YES            0x00000000u   /* it worked */
#define WKB_NO_ENGINE      0x80000001u
#define WKB_NO_MEMORY      0x80000002u
#define WKB_NOT_WELL_FORMED 0x80000003u
#define WKB_NOT_SUPPORTED  0x80000004u
#define WKB_ENGINE_CRASH   0x8000000Fu

typedef struct WKB_ENGINE_ *WKB_ENGINE;
typedef struct WKB_SPOOL_  *WKB_SPOOL;     /* ordered work */
typedef struct WKB_PIN_    *WKB_PIN;       /* a place in a spool */
typedef uint64_t WKB_PTR;                  /* address in the engine */

typedef enum { WKB_FLT32 = 0, WKB_FLT16 = 1, WKB_BFLT16 = 2, WKB_SINT32 = 3, WKB_SINT8 = 4, WKB_UINT8 = 5 } WKB_KIND;

/* A sheet: up to four sizes, the last one runs fastest. */
typedef struct WKB_SHEET {
    WKB_PTR  at;
    WKB_KIND kind;
    uint32_t dims;
    uint32_t size[4];
    uint32_t gap[4];      /* elements from one to the next, 0 = dense */
} WKB_SHEET;

/* ---- engine, memory, spools ---- */
typedef struct WKB_SYSTEM_TABLE {
    size_t size_of_this;

    WKB_ANSWER (WKBCALL *wake)(uint32_t flags);
    WKB_ANSWER (WKBCALL *sleep)(void);
    WKB_ANSWER (WKBCALL *count_engines)(uint32_t *count);
    WKB_ANSWER (WKBCALL *open_engine)(uint32_t number, WKB_ENGINE *engine);
    WKB_ANSWER (WKBCALL *close_engine)(WKB_ENGINE engine);
    WKB_ANSWER (WKBCALL *rest_engine)(WKB_ENGINE engine);       /* until all spools are empty */
    const char *(WKBCALL *describe)(WKB_ANSWER answer);

    WKB_ANSWER (WKBCALL *get_room)(WKB_ENGINE engine, uint64_t bytes, uint32_t align, WKB_PTR *at);
    WKB_ANSWER (WKBCALL *return_room)(WKB_ENGINE engine, WKB_PTR at);
    WKB_ANSWER (WKBCALL *room_left)(WKB_ENGINE engine, uint64_t *left, uint64_t *all);
    WKB_ANSWER (WKBCALL *put_in)(WKB_SPOOL spool, WKB_PTR at, const void *host, uint64_t bytes);
    WKB_ANSWER (WKBCALL *take_out)(WKB_SPOOL spool, void *host, WKB_PTR at, uint64_t bytes);
    WKB_ANSWER (WKBCALL *shift)(WKB_SPOOL spool, WKB_PTR to, WKB_PTR from, uint64_t bytes);    /* engine to engine memory, no bit shift */
    WKB_ANSWER (WKBCALL *wipe)(WKB_SPOOL spool, WKB_PTR at, uint8_t byte, uint64_t bytes);

    WKB_ANSWER (WKBCALL *new_spool)(WKB_ENGINE engine, WKB_SPOOL *spool);
    WKB_ANSWER (WKBCALL *end_spool)(WKB_SPOOL spool);
    WKB_ANSWER (WKBCALL *finish_spool)(WKB_SPOOL spool);        /* waits */
    WKB_ANSWER (WKBCALL *new_pin)(WKB_ENGINE engine, WKB_PIN *pin);
    WKB_ANSWER (WKBCALL *end_pin)(WKB_PIN pin);
    WKB_ANSWER (WKBCALL *stick_pin)(WKB_SPOOL spool, WKB_PIN pin);
    WKB_ANSWER (WKBCALL *heed_pin)(WKB_SPOOL spool, WKB_PIN pin);   /* the spool goes on only after the pin */
    WKB_ANSWER (WKBCALL *reach_pin)(WKB_PIN pin);                   /* the host waits */
} WKB_SYSTEM_TABLE;

/* ---- arithmetic ---- */
typedef struct WKB_MATH_TABLE {
    size_t size_of_this;

    /* out = left (op) right */
    WKB_ANSWER (WKBCALL *add)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *subtract)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *multiply)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *divide)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *raise)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *upper)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);   /* the larger of each two */
    WKB_ANSWER (WKBCALL *lower)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);   /* the smaller of each two */
    WKB_ANSWER (WKBCALL *is_equal)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *is_above)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out); /* left > right */
    WKB_ANSWER (WKBCALL *is_below)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out); /* left < right */
    WKB_ANSWER (WKBCALL *choose)(WKB_SPOOL spool, const WKB_SHEET *flags, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out); /* left where flags is not 0 */
    WKB_ANSWER (WKBCALL *add_number)(WKB_SPOOL spool, const WKB_SHEET *in, float number, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *multiply_number)(WKB_SPOOL spool, const WKB_SHEET *in, float number, const WKB_SHEET *out);
    /* 32 bit integers */
    WKB_ANSWER (WKBCALL *bits_and)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *bits_or)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);

    WKB_ANSWER (WKBCALL *absolute)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *negate)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *exponential)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *logarithm)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);       /* base e */
    WKB_ANSWER (WKBCALL *logarithm2)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);      /* base 2 */
    WKB_ANSWER (WKBCALL *square_root)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *inverse_root)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);    /* 1/sqrt */
    WKB_ANSWER (WKBCALL *sine)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *cosine)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *hyp_tangent)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *error_function)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *down)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);            /* to the integer below */
    WKB_ANSWER (WKBCALL *up)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);              /* to the integer above */
    WKB_ANSWER (WKBCALL *limit)(WKB_SPOOL spool, const WKB_SHEET *in, float least, float most, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *convert)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);         /* kind of in to kind of out */

    /* one size goes away: that of `dim` becomes 1 in out */
    WKB_ANSWER (WKBCALL *sum)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *average)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *largest)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *largest_at)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *out);   /* position, SINT32 */
    WKB_ANSWER (WKBCALL *running_sum)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *out);

    WKB_ANSWER (WKBCALL *requantise)(WKB_SPOOL spool, const WKB_SHEET *in, const float *multipliers, const int32_t *shifts, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *noise)(WKB_SPOOL spool, uint64_t seed, const WKB_SHEET *out);   /* normal, mean 0, deviation 1 */
} WKB_MATH_TABLE;

/* ---- layers ---- */
typedef struct WKB_CONV_HOW {
    uint32_t stride_y, stride_x, pad_top, pad_left, pad_bottom, pad_right, dilation_y, dilation_x, groups;
} WKB_CONV_HOW;
typedef struct WKB_POOL_HOW {
    uint32_t window_y, window_x, stride_y, stride_x, pad_y, pad_x;
} WKB_POOL_HOW;

typedef struct WKB_LAYER_TABLE {
    size_t size_of_this;

    WKB_ANSWER (WKBCALL *relu)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *leaky)(WKB_SPOOL spool, const WKB_SHEET *in, float slope, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *sigmoid)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *gelu)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *silu)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *elu)(WKB_SPOOL spool, const WKB_SHEET *in, float alpha, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *softmax)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *matrix_product)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);        /* 2 dims */
    WKB_ANSWER (WKBCALL *batch_product)(WKB_SPOOL spool, const WKB_SHEET *left, const WKB_SHEET *right, const WKB_SHEET *out);         /* 3 dims */
    WKB_ANSWER (WKBCALL *fully_connected)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *weights, const WKB_SHEET *bias, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *convolve)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *weights, const WKB_SHEET *bias, const WKB_CONV_HOW *how, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *pool_max)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_POOL_HOW *how, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *pool_mean)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_POOL_HOW *how, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *layer_norm)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *scale, const WKB_SHEET *offset, float epsilon, const WKB_SHEET *out);  /* last size */
    WKB_ANSWER (WKBCALL *rms_norm)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *scale, float epsilon, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *batch_norm)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *mean, const WKB_SHEET *variance, const WKB_SHEET *scale, const WKB_SHEET *offset, float epsilon, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *reorder)(WKB_SPOOL spool, const WKB_SHEET *in, const uint32_t *dims_order, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *stack_up)(WKB_SPOOL spool, const WKB_SHEET *const *ins, uint32_t count, uint32_t dim, const WKB_SHEET *out);   /* along a size that is there already */
    WKB_ANSWER (WKBCALL *table_rows)(WKB_SPOOL spool, const WKB_SHEET *table, const WKB_SHEET *numbers, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *pick_each)(WKB_SPOOL spool, const WKB_SHEET *in, uint32_t dim, const WKB_SHEET *where, const WKB_SHEET *out);  /* `where` has the sizes of out */

    WKB_ANSWER (WKBCALL *convolve_relu)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *weights, const WKB_SHEET *bias, const WKB_CONV_HOW *how, const WKB_SHEET *out);
    WKB_ANSWER (WKBCALL *lstm_step)(WKB_SPOOL spool, const WKB_SHEET *in, const WKB_SHEET *weights, const WKB_SHEET *bias, const WKB_SHEET *hidden, const WKB_SHEET *cell);
    WKB_ANSWER (WKBCALL *boxes_from_anchors)(WKB_SPOOL spool, const WKB_SHEET *deltas, const WKB_SHEET *anchors, const WKB_SHEET *out);
} WKB_LAYER_TABLE;

typedef struct WKB_INTERFACE {
    uint32_t version;
    const WKB_SYSTEM_TABLE *system;
    const WKB_MATH_TABLE *math;
    const WKB_LAYER_TABLE *layer;
} WKB_INTERFACE;

/* Hands out the tables. `wanted` is one of WKB_INTERFACE_... */
WKB_ANSWER WKBCALL wkbGetInterface(uint32_t wanted, const WKB_INTERFACE **interface_out);

#ifdef __cplusplus
}
#endif
#endif /* WKB_INTERFACE_H */
