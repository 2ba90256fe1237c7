/* Osprey: invented accelerator cards. A card is opened, and every function takes what that gave. d_ marks pointers to
 * the card's memory. */
#ifndef OSPREY_H
#define OSPREY_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  OSP_OK = 0,
  OSP_E_NO_CARD = -1,
  OSP_E_BAD_ARG = -2,
  OSP_E_NOMEM = -3,
  OSP_E_INTERNAL = -4
} osp_result;
typedef struct osp_ctx *osp_context;

osp_result osp_open(int card, osp_context *ctx);
osp_result osp_close(osp_context ctx);
int osp_num_cards(void);
const char *osp_strerror(osp_result r);

osp_result osp_buf_alloc(osp_context ctx, size_t bytes, void **d_ptr);
osp_result osp_buf_release(osp_context ctx, void *d_ptr);
osp_result osp_upload(osp_context ctx, void *d_dst, const void *h_src, size_t bytes);
osp_result osp_download(osp_context ctx, void *h_dst, const void *d_src, size_t bytes);
osp_result osp_wait(osp_context ctx);

/* element by element */
osp_result osp_ew_add_f32(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n);
osp_result osp_ew_sub_f32(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n); /* y = a - b */
osp_result osp_ew_mul_f32(osp_context ctx, const float *d_a, const float *d_b, float *d_y, int32_t n);
osp_result osp_relu_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n);
osp_result osp_sigmoid_f32(osp_context ctx, const float *d_x, float *d_y, int32_t n);
/* C = A B, row-major; A is m x k */
osp_result osp_matmul_f32(osp_context ctx, const float *d_A, const float *d_B, float *d_C, int32_t m, int32_t n,
                          int32_t k);

#ifdef __cplusplus
}
#endif
#endif
