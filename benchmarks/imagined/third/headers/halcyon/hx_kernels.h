/*
 * Halcyon Semiconductor HX-2 kernel library
 *
 * Copyright (c) 2021-2025 Halcyon Semiconductor B.V.
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALCYON_HX_KERNELS_H_
#define HALCYON_HX_KERNELS_H_

#include <stddef.h>
#include <stdint.h>

#define HX_KERNELS_VERSION_MAJOR 3
#define HX_KERNELS_VERSION_MINOR 4
#define HX_KERNELS_VERSION_PATCH 1
#define HX_MAX_AXES 6

#ifdef __cplusplus
extern "C" {
#endif

/** What a call gives back. Everything but HX_V_FINE is a fault. */
typedef enum hx_verdict {
  HX_V_FINE = 0,
  HX_V_BAD_SLAB = 1,      /**< null slab, or no storage behind it */
  HX_V_EXTENT_MISMATCH,   /**< extents do not agree (after broadcasting) */
  HX_V_ELEM_KIND,
  HX_V_ARENA_TOO_SMALL,   /**< env->arena_len is less than hx_arena_need() */
  HX_V_HW_FAULT = 64,
  HX_V_TODO = 255
} hx_verdict;

typedef enum { HX_E_F32 = 1, HX_E_F16 = 2, HX_E_BF16 = 3, HX_E_I32 = 4, HX_E_I64 = 5, HX_E_I8 = 6, HX_E_U8 = 7, HX_E_BOOL = 8 } hx_elem;

/** Shape of a slab. Axis 0 is the slowest one; pitch is in elements. */
struct hx_extent {
  uint8_t naxes;
  uint8_t _rsvd[3];
  uint32_t len[HX_MAX_AXES];
  uint32_t pitch[HX_MAX_AXES];
};

/** N-dimensional data in device memory. The caller owns the storage. */
typedef struct hx_slab {
  void *store;              /* from hx_dram_take() */
  hx_elem elem;
  struct hx_extent ext;
  float q_scale;            /* only for HX_E_I8 / HX_E_U8 in the hxq_ functions */
  int32_t q_zero;
} hx_slab;

typedef struct hx_pipe *hx_pipe_t;
typedef struct hx_tick *hx_tick_t;

/**
 * The caller fills this before any kernel call. One env must not be used by two threads at once.
 */
typedef struct hx_env {
  hx_pipe_t pipe;           /**< where the kernel is put; NULL is the unit's own pipe */
  void *arena;              /**< scratch in device memory */
  size_t arena_len;
  uint32_t unit;            /**< number of the unit */
  uint32_t flags;           /**< HX_ENV_xxx */
  void (*trace)(const char *kernel, void *cookie);
  void *cookie;
} hx_env;

#define HX_ENV_FAST_MATH 0x1u
#define HX_ENV_BLOCKING  0x2u

/* window of a convolution or of pooling, in elements */
typedef struct hx_window {
  uint32_t kh, kw;
  uint32_t step_h, step_w;
  uint32_t rim_top, rim_left, rim_bottom, rim_right;
  uint32_t spread_h, spread_w;   /* 1 = dense */
} hx_window;

/* ------------------------------------------------------------------ unit, memory, pipes */

/** Brings the driver up. To be called once per process. */
hx_verdict hx_power_up(uint32_t flags);
hx_verdict hx_power_down(void);
hx_verdict hx_units(uint32_t *how_many);
hx_verdict hx_unit_pick(uint32_t unit);
hx_verdict hx_unit_settle(uint32_t unit);     /* waits until all pipes of the unit are dry */
const char *hx_verdict_text(hx_verdict v);

hx_verdict hx_dram_take(void **store, size_t bytes, size_t align);
hx_verdict hx_dram_give(void *store);
hx_verdict hx_dram_left(size_t *unused, size_t *whole);
/** host to unit */
hx_verdict hx_dram_load(void *store, const void *host, size_t bytes);
/** unit to host */
hx_verdict hx_dram_store(void *host, const void *store, size_t bytes);
hx_verdict hx_dram_move(void *to, const void *from, size_t bytes);
hx_verdict hx_dram_paint(void *store, uint8_t byte, size_t bytes);

hx_verdict hx_pipe_lay(hx_pipe_t *pipe, int urgency);
hx_verdict hx_pipe_scrap(hx_pipe_t pipe);
hx_verdict hx_pipe_drain(hx_pipe_t pipe);
hx_verdict hx_tick_make(hx_tick_t *tick);
hx_verdict hx_tick_drop(hx_tick_t tick);
hx_verdict hx_tick_into(hx_tick_t tick, hx_pipe_t pipe);   /* puts the tick in the pipe */
hx_verdict hx_tick_await(hx_tick_t tick);

/** Bytes of arena that a kernel needs for a result of this extent; 0 if it needs none. */
size_t hx_arena_need(const char *kernel, const struct hx_extent *ext);
/** Fills pitch from len for a dense slab. */
void hx_extent_pack(struct hx_extent *ext);
uint64_t hx_extent_volume(const struct hx_extent *ext);

/* ------------------------------------------------------------------ elementwise, two operands
 * Extents are broadcast as in NumPy. The last slab is written. */
hx_verdict hxk_plus(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_minus(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_times(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_over(const hx_env *env, const hx_slab *num, const hx_slab *den, hx_slab *res);
hx_verdict hxk_power(const hx_env *env, const hx_slab *base, const hx_slab *expo, hx_slab *res);
hx_verdict hxk_greater_of(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_lesser_of(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
/** Remainder with the sign of the dividend, as C's fmod(). */
hx_verdict hxk_fmod(const hx_env *env, const hx_slab *num, const hx_slab *den, hx_slab *res);
hx_verdict hxk_angle2(const hx_env *env, const hx_slab *y, const hx_slab *x, hx_slab *res); /* atan2(y, x) */
/** res = lhs + k * rhs */
hx_verdict hxk_plus_scaled(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, float k, hx_slab *res);
hx_verdict hxk_plus_const(const hx_env *env, const hx_slab *src, float k, hx_slab *res);
hx_verdict hxk_times_const(const hx_env *env, const hx_slab *src, float k, hx_slab *res);
/** (lhs - rhs)^2 */
hx_verdict hxk_sqdiff(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);

/* comparisons: res is HX_E_BOOL */
hx_verdict hxk_same(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_differ(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_less(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_less_or_same(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxk_both(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);   /* && of truth values */
hx_verdict hxk_either(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res); /* || of truth values */
/** res = cond ? yes : no */
hx_verdict hxk_pick(const hx_env *env, const hx_slab *cond, const hx_slab *yes, const hx_slab *no, hx_slab *res);

/* ------------------------------------------------------------------ elementwise, one operand */
hx_verdict hxk_negate(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_magnitude(const hx_env *env, const hx_slab *src, hx_slab *res); /**< absolute value */
hx_verdict hxk_exp(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_ln(const hx_env *env, const hx_slab *src, hx_slab *res);        /**< natural logarithm */
hx_verdict hxk_sqrt(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_inv_sqrt(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_inverse(const hx_env *env, const hx_slab *src, hx_slab *res);   /**< 1/x of each element (no matrix inverse!) */
hx_verdict hxk_tanh(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_logistic(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_swish(const hx_env *env, const hx_slab *src, hx_slab *res);     /**< x * logistic(x) */
hx_verdict hxk_hard_swish(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_gelu(const hx_env *env, const hx_slab *src, int use_tanh, hx_slab *res);
hx_verdict hxk_rectify(const hx_env *env, const hx_slab *src, hx_slab *res);   /**< max(x, 0) */
hx_verdict hxk_leaky_rectify(const hx_env *env, const hx_slab *src, float slope, hx_slab *res);
hx_verdict hxk_round_down(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_round_up(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_round_even(const hx_env *env, const hx_slab *src, hx_slab *res); /**< to nearest, ties to even */
hx_verdict hxk_round_to_zero(const hx_env *env, const hx_slab *src, hx_slab *res);
hx_verdict hxk_bound(const hx_env *env, const hx_slab *src, float floor, float roof, hx_slab *res);
/** Converts to res->elem. */
hx_verdict hxk_recast(const hx_env *env, const hx_slab *src, hx_slab *res);

/* ------------------------------------------------------------------ along axes */
hx_verdict hxk_total(const hx_env *env, const hx_slab *src, const int32_t *axes, uint32_t naxes, int keep, hx_slab *res);
hx_verdict hxk_average(const hx_env *env, const hx_slab *src, const int32_t *axes, uint32_t naxes, int keep, hx_slab *res);
hx_verdict hxk_peak(const hx_env *env, const hx_slab *src, const int32_t *axes, uint32_t naxes, int keep, hx_slab *res);    /* largest */
hx_verdict hxk_trough(const hx_env *env, const hx_slab *src, const int32_t *axes, uint32_t naxes, int keep, hx_slab *res);  /* smallest */
hx_verdict hxk_where_peak(const hx_env *env, const hx_slab *src, int32_t axis, int keep, hx_slab *res); /**< position of the largest, I64 */
hx_verdict hxk_running_total(const hx_env *env, const hx_slab *src, int32_t axis, hx_slab *res);
hx_verdict hxk_softmax(const hx_env *env, const hx_slab *src, int32_t axis, hx_slab *res);
hx_verdict hxk_log_softmax(const hx_env *env, const hx_slab *src, int32_t axis, hx_slab *res);
/** Normalises over the last ngain axes, where ngain is the number of axes of gain. gain, shift may be NULL. */
hx_verdict hxk_layer_norm(const hx_env *env, const hx_slab *src, const hx_slab *gain, const hx_slab *shift, float tiny, hx_slab *res);
hx_verdict hxk_rms_norm(const hx_env *env, const hx_slab *src, const hx_slab *gain, float tiny, hx_slab *res);

/* ------------------------------------------------------------------ matrices, windows */
/** res = lhs . rhs (both 2-D) */
hx_verdict hxk_matmul(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
/** The same with one leading axis, which is not broadcast. */
hx_verdict hxk_matmul_many(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
/** res = src . transpose(w) + b; w is [out, in]; b may be NULL */
hx_verdict hxk_dense(const hx_env *env, const hx_slab *src, const hx_slab *w, const hx_slab *b, hx_slab *res);
hx_verdict hxk_conv2d(const hx_env *env, const hx_slab *src, const hx_slab *w, const hx_slab *b, const hx_window *win, uint32_t groups, hx_slab *res);
/** Convolution, then rectify, in one pass. */
hx_verdict hxk_conv2d_rectify(const hx_env *env, const hx_slab *src, const hx_slab *w, const hx_slab *b, const hx_window *win, uint32_t groups, hx_slab *res);
hx_verdict hxk_pool_peak(const hx_env *env, const hx_slab *src, const hx_window *win, hx_slab *res);
hx_verdict hxk_pool_average(const hx_env *env, const hx_slab *src, const hx_window *win, int count_rim, hx_slab *res);

/* ------------------------------------------------------------------ moving data */
/** Reorders axes: axis i of res is axis order[i] of src. */
hx_verdict hxk_transpose(const hx_env *env, const hx_slab *src, const uint8_t *order, hx_slab *res);
hx_verdict hxk_join(const hx_env *env, const hx_slab *const *parts, uint32_t nparts, int32_t axis, hx_slab *res);
/** Takes whole slices of src at rows (1-D, I32 or I64) of an axis. */
hx_verdict hxk_gather(const hx_env *env, const hx_slab *src, const hx_slab *rows, int32_t axis, hx_slab *res);
/** As many indices as results; pos has the extent of res. */
hx_verdict hxk_gather_each(const hx_env *env, const hx_slab *src, const hx_slab *pos, int32_t axis, hx_slab *res);
hx_verdict hxk_lookup(const hx_env *env, const hx_slab *table, const hx_slab *ids, hx_slab *res);  /* embedding table */
hx_verdict hxk_keep_lower(const hx_env *env, const hx_slab *src, int32_t diagonal, hx_slab *res);
hx_verdict hxk_keep_upper(const hx_env *env, const hx_slab *src, int32_t diagonal, hx_slab *res);

/* ------------------------------------------------------------------ 8 bit (uses q_scale and q_zero of the slabs) */
hx_verdict hxq_plus(const hx_env *env, const hx_slab *lhs, const hx_slab *rhs, hx_slab *res);
hx_verdict hxq_dense(const hx_env *env, const hx_slab *src, const hx_slab *w, const hx_slab *b, const float *w_scales, hx_slab *res);
hx_verdict hxq_enter(const hx_env *env, const hx_slab *src, hx_slab *res);    /* float -> 8 bit */
hx_verdict hxq_leave(const hx_env *env, const hx_slab *src, hx_slab *res);    /* 8 bit -> float */

/* ------------------------------------------------------------------ others */
hx_verdict hxk_yuv_to_rgb(const hx_env *env, const hx_slab *luma, const hx_slab *chroma, hx_slab *rgb);
hx_verdict hxk_fft(const hx_env *env, const hx_slab *re, const hx_slab *im, int inverse, hx_slab *re_out, hx_slab *im_out);
/** @deprecated use hxk_times_const() */
hx_verdict hx_scale_slab(hx_slab *slab, float k) __attribute__((deprecated));

#ifdef __cplusplus
}
#endif
#endif /* HALCYON_HX_KERNELS_H_ */
