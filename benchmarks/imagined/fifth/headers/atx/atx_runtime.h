/**
 * @file atx_runtime.h
 * ATX accelerator runtime. (c) Altrix Microsystems 2021-2024
 */
#ifndef ATX_RUNTIME_H
#define ATX_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATX_RT_VERSION 30402

typedef enum atx_err {
  ATX_SUCCESS = 0,
  ATX_ERR_NODEV = 100,
  ATX_ERR_INVAL = 101,
  ATX_ERR_OOM = 102,
  ATX_ERR_BUSY = 103,
  ATX_ERR_LAUNCH = 200,
  ATX_ERR_TIMEOUT = 201,
  ATX_ERR_UNKNOWN = 999
} atx_err_t;

typedef struct atx_stream *atx_stream_t;
typedef struct atx_event *atx_event_t;

typedef enum { ATX_COPY_HOST_TO_DEV = 0, ATX_COPY_DEV_TO_HOST = 1, ATX_COPY_DEV_TO_DEV = 2 } atx_copy_dir_t;

typedef struct atx_dev_props {
  char name[64];
  uint64_t hbm_bytes;
  uint32_t clusters, cores_per_cluster;
  uint32_t sram_per_core;
  uint32_t clock_khz;
} atx_dev_props_t;

/* Driver is opened lazily, calling this is optional but gives a better error. */
atx_err_t atxrt_open(void);
atx_err_t atxrt_close(void);

atx_err_t atxrt_num_devices(int *count);
atx_err_t atxrt_use_device(int dev);
atx_err_t atxrt_current_device(int *dev);
atx_err_t atxrt_device_props(int dev, atx_dev_props_t *props);
/** Waits for everything on the current device. */
atx_err_t atxrt_drain(void);
atx_err_t atxrt_hbm_info(size_t *avail, size_t *total);

atx_err_t atxrt_alloc(void **devptr, size_t nbytes);
atx_err_t atxrt_release(void *devptr);
atx_err_t atxrt_alloc_pinned(void **hostptr, size_t nbytes);
atx_err_t atxrt_release_pinned(void *hostptr);
atx_err_t atxrt_copy(void *dst, const void *src, size_t nbytes, atx_copy_dir_t dir);
atx_err_t atxrt_copy_async(void *dst, const void *src, size_t nbytes, atx_copy_dir_t dir, atx_stream_t s);
atx_err_t atxrt_set_bytes(void *devptr, int byte, size_t nbytes);

atx_err_t atxrt_stream_new(atx_stream_t *s);
atx_err_t atxrt_stream_free(atx_stream_t s);
atx_err_t atxrt_stream_join(atx_stream_t s);
atx_err_t atxrt_event_new(atx_event_t *e);
atx_err_t atxrt_event_mark(atx_event_t e, atx_stream_t s);
atx_err_t atxrt_event_join(atx_event_t e);
atx_err_t atxrt_event_ms(atx_event_t from, atx_event_t to, float *ms);
atx_err_t atxrt_event_free(atx_event_t e);
const char *atxrt_errstr(atx_err_t err);

#ifdef __cplusplus
}
#endif
#endif
