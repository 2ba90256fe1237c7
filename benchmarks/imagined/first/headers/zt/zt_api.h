#ifndef ZT_API_H
#define ZT_API_H

// Zeta Tech ZT-1000 "tensor card" user library, rev 14
// all functions give >= 0 on success, < 0 is an error (see zt_err_text)

#ifdef __cplusplus
extern "C" {
#endif

typedef int            s32;
typedef unsigned int   u32;
typedef long long      s64;
typedef float          f32;

#define ZT_MAX_DIM 6

// element types
#define ZT_F32  0
#define ZT_F16  1
#define ZT_S32  2
#define ZT_S8   3
#define ZT_U8   4

// flags of zt_wait
#define ZT_WAIT_FOREVER (-1)

const char *zt_err_text(s32 err);
s32 zt_rev(void);

// ---- card
s32 zt_open(s32 card);            // gives a session id
s32 zt_close(s32 sess);
s32 zt_cards(void);
s32 zt_led(s32 card, s32 on);
s32 zt_temp(s32 card, f32 *celsius);
s32 zt_wait(s32 sess, s32 ms);    // all work queued so far is done
s32 zt_poll(s32 sess);            // 1: idle, 0: busy

// ---- tensors, numbers that the card's tensor table gives out
s32 zt_new(s32 sess, s32 type, s32 ndim, const s32 *dim);    // gives a tensor id
s32 zt_new_view(s32 sess, s32 t, s32 ndim, const s32 *dim, s32 elem_offset);
s32 zt_del(s32 sess, s32 t);
s32 zt_put(s32 sess, s32 t, const void *host, s32 bytes);
s32 zt_get(s32 sess, s32 t, void *host, s32 bytes);
s32 zt_dim(s32 sess, s32 t, s32 axis);
s32 zt_type(s32 sess, s32 t);
s32 zt_dump(s32 sess, s32 t, const char *file);

// ---- arithmetic: r is the result, it must exist and have the right dims. r may be a or b.
s32 zt_add(s32 sess, s32 r, s32 a, s32 b);
s32 zt_sub(s32 sess, s32 r, s32 a, s32 b);
s32 zt_mul(s32 sess, s32 r, s32 a, s32 b);
s32 zt_div(s32 sess, s32 r, s32 a, s32 b);
s32 zt_max(s32 sess, s32 r, s32 a, s32 b);
s32 zt_min(s32 sess, s32 r, s32 a, s32 b);
s32 zt_adds(s32 sess, s32 r, s32 a, f32 k);
s32 zt_muls(s32 sess, s32 r, s32 a, f32 k);
s32 zt_pows(s32 sess, s32 r, s32 a, f32 k);
s32 zt_maxs(s32 sess, s32 r, s32 a, f32 k);
s32 zt_mad(s32 sess, s32 r, s32 a, s32 b, s32 c);            // r = a * b + c

s32 zt_abs(s32 sess, s32 r, s32 a);
s32 zt_neg(s32 sess, s32 r, s32 a);
s32 zt_exp(s32 sess, s32 r, s32 a);
s32 zt_log(s32 sess, s32 r, s32 a);
s32 zt_sqrt(s32 sess, s32 r, s32 a);
s32 zt_inv(s32 sess, s32 r, s32 a);
s32 zt_sin(s32 sess, s32 r, s32 a);
s32 zt_tanh(s32 sess, s32 r, s32 a);
s32 zt_sigm(s32 sess, s32 r, s32 a);
s32 zt_relu(s32 sess, s32 r, s32 a);
s32 zt_prelu(s32 sess, s32 r, s32 a, s32 slope);
s32 zt_lrelu(s32 sess, s32 r, s32 a, f32 slope);
s32 zt_clip(s32 sess, s32 r, s32 a, f32 lo, f32 hi);
s32 zt_cvt(s32 sess, s32 r, s32 a);                          // to the type of r

s32 zt_cmp_lt(s32 sess, s32 r, s32 a, s32 b);                // r is u8
s32 zt_cmp_eq(s32 sess, s32 r, s32 a, s32 b);
s32 zt_mux(s32 sess, s32 r, s32 sel, s32 a, s32 b);          // sel ? a : b

// ---- over one axis
s32 zt_sum(s32 sess, s32 r, s32 a, s32 axis);
s32 zt_avg(s32 sess, s32 r, s32 a, s32 axis);
s32 zt_amax(s32 sess, s32 r, s32 a, s32 axis);
s32 zt_argmax(s32 sess, s32 r, s32 a, s32 axis);             // r is s32
s32 zt_softmax(s32 sess, s32 r, s32 a, s32 axis);
s32 zt_cat2(s32 sess, s32 r, s32 a, s32 b, s32 axis);
s32 zt_perm(s32 sess, s32 r, s32 a, const s32 *order);
s32 zt_copy(s32 sess, s32 r, s32 a);
s32 zt_fill(s32 sess, s32 r, f32 k);

// ---- contractions
s32 zt_mm(s32 sess, s32 r, s32 a, s32 b);                    // 2-d
s32 zt_mm_nt(s32 sess, s32 r, s32 a, s32 b);                 // 2-d, b is transposed
s32 zt_bmm(s32 sess, s32 r, s32 a, s32 b);                   // 3-d
s32 zt_conv(s32 sess, s32 r, s32 x, s32 w, s32 bias, const s32 *opt);
                                  // bias < 0: none
                                  // opt: stride y, stride x, pad y, pad x, dil y, dil x, groups
s32 zt_pool(s32 sess, s32 r, s32 x, s32 kind, const s32 *opt);
                                  // kind 0: max, 1: average
                                  // opt: win y, win x, stride y, stride x, pad y, pad x
s32 zt_bn(s32 sess, s32 r, s32 x, s32 mean, s32 var, s32 gamma, s32 beta, f32 eps);
s32 zt_lnorm(s32 sess, s32 r, s32 x, s32 gamma, s32 beta, f32 eps);   // over the last axis

// ---- 8-bit path
s32 zt_q8(s32 sess, s32 r, s32 a, f32 scale, s32 zero);
s32 zt_dq8(s32 sess, s32 r, s32 a, f32 scale, s32 zero);
s32 zt_mm_q8(s32 sess, s32 r, s32 a, s32 b, s32 a_zero, s32 b_zero, s32 shift);

// ---- camera and codec
s32 zt_jpeg_dec(s32 sess, s32 r, const void *jpeg, s32 bytes);
s32 zt_yuv2rgb(s32 sess, s32 r, s32 y, s32 uv, s32 std);
s32 zt_resize(s32 sess, s32 r, s32 a, s32 bilinear);
s32 zt_crop(s32 sess, s32 r, s32 a, s32 y, s32 x);

// ---- records: what is called between begin and end is kept and can be played again
s32 zt_rec_begin(s32 sess);
s32 zt_rec_end(s32 sess);         // gives a record id
s32 zt_rec_play(s32 sess, s32 rec);
s32 zt_rec_del(s32 sess, s32 rec);

#ifdef __cplusplus
}
#endif
#endif
