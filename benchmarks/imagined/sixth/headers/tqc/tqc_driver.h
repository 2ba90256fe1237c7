/* SPDX-License-Identifier: MIT */
/*
 * Tarquin Compute SDK - driver interface
 *
 * Copyright 2020 - 2024 Tarquin Compute Inc.
 */
#ifndef TQC_DRIVER_H
#define TQC_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions return 0, or one of these. Functions which return a pointer return NULL on error, see tqc_last_error(). */
#define TQC_OK          0
#define TQC_EINVAL     (-1)
#define TQC_ENOMEM     (-2)
#define TQC_ENODEV     (-3)
#define TQC_EIO        (-4)
#define TQC_ENOTSUP    (-5)

typedef struct tqc_queue *tqc_queue_t;
typedef struct tqc_event *tqc_event_t;

int tqc_open(unsigned flags);
void tqc_close(void);
const char *tqc_strerror(int err);
int tqc_last_error(void);

/* number of cards, negative on error */
int tqc_card_count(void);
int tqc_card_select(int card);
int tqc_card_temperature(int card, float *celsius);
/* wait until every queue of the selected card has run dry */
int tqc_card_barrier(void);

void *tqc_mem_alloc(size_t len, unsigned align);
void tqc_mem_free(void *dev);
int tqc_mem_usage(uint64_t *used, uint64_t *total);
/*
 * Source first. dst_cap is the room behind dst; more than that is never written and TQC_EINVAL returned.
 * With q == NULL the copy is done when the function returns.
 */
int tqc_mem_to_dev(const void *src, size_t len, void *dst, size_t dst_cap, tqc_queue_t q);
int tqc_mem_from_dev(const void *src, size_t len, void *dst, size_t dst_cap, tqc_queue_t q);
int tqc_mem_dev_to_dev(const void *src, size_t len, void *dst, size_t dst_cap, tqc_queue_t q);
int tqc_mem_peer(const void *src, int src_card, void *dst, int dst_card, size_t len);
int tqc_mem_fill(void *dev, size_t len, int byte, tqc_queue_t q);
void *tqc_host_alloc(size_t len);
void tqc_host_free(void *host);

tqc_queue_t tqc_queue_new(unsigned flags);
void tqc_queue_free(tqc_queue_t q);
int tqc_queue_flush(tqc_queue_t q);  /* hands the commands to the card, doesnt wait */
int tqc_queue_finish(tqc_queue_t q);

tqc_event_t tqc_event_new(void);
void tqc_event_free(tqc_event_t ev);
int tqc_event_signal(tqc_event_t ev, tqc_queue_t q);
int tqc_event_wait(tqc_event_t ev, unsigned timeout_ms);
int tqc_queue_wait(tqc_queue_t q, tqc_event_t ev);

#ifdef __cplusplus
}
#endif
#endif /* TQC_DRIVER_H */
