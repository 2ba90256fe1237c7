/* A card that is requested, and whose memory goes by addresses in integers. */
#ifndef WD_WORDS_H
#define WD_WORDS_H

typedef struct wd_card_s *wd_card_t;
typedef unsigned long long wd_devaddr_t;
typedef int wd_result_t; /* 0 is success */

wd_result_t wd_card_request(wd_card_t *card, int index);
void wd_card_free(wd_card_t card);
wd_result_t wd_get_card_count(int *count);
wd_result_t wd_card_sync(wd_card_t card);
wd_result_t wd_malloc_device(wd_card_t card, wd_devaddr_t *address, unsigned long long size);
void wd_free_device(wd_card_t card, wd_devaddr_t address);
wd_result_t wd_memcpy_h2d(wd_card_t card, wd_devaddr_t dst, void *src, unsigned long long size);
wd_result_t wd_memcpy_d2h(wd_card_t card, void *dst, wd_devaddr_t src, unsigned long long size);
wd_result_t wd_memcpy_d2d(wd_card_t card, wd_devaddr_t dst, unsigned int dst_offset, wd_devaddr_t src,
                          unsigned int src_offset, unsigned long long size);

/* NCHW */
wd_result_t wd_conv2d(wd_card_t card, wd_devaddr_t input, wd_devaddr_t weight, wd_devaddr_t bias, wd_devaddr_t output,
                      int input_n, int input_c, int input_h, int input_w, int groups, int output_c, int kh, int kw,
                      int dh, int dw, int pad_h, int pad_w, int stride_h, int stride_w, int has_bias, int with_relu);
wd_result_t wd_softmax(wd_card_t card, wd_devaddr_t input, wd_devaddr_t output, int outer, int axis_len, int inner,
                       int log);
wd_result_t wd_add(wd_card_t card, wd_devaddr_t in0, wd_devaddr_t in1, wd_devaddr_t out, unsigned long long length);
wd_result_t wd_max(wd_card_t card, wd_devaddr_t in0, wd_devaddr_t in1, wd_devaddr_t out, unsigned long long length);

#endif
