/*
 * orbrt.h -- user mode interface of the Orbital O2 compute card
 *
 * Everything below is thread safe unless noted.
 */
#ifndef _ORBRT_H_
#define _ORBRT_H_

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t orb_rc;                 /* 0, or a negative ORB_E... */
#define ORB_E_ARG     (-1)
#define ORB_E_NODEV   (-2)
#define ORB_E_NOMEM   (-3)
#define ORB_E_TIMEOUT (-4)
#define ORB_E_FW      (-5)
#define ORB_E_BUSY    (-6)

typedef uint64_t orb_addr;              /* address on the card */
typedef struct orb_dev   *orb_dev_t;
typedef struct orb_lane  *orb_lane_t;   /* in-order queue of work */
typedef struct orb_fence *orb_fence_t;
typedef struct orb_prog  *orb_prog_t;
typedef struct orb_kern  *orb_kern_t;

struct orb_info {
    char     name[64];
    uint32_t bus, slot, func;
    uint32_t cores;
    uint32_t clock_mhz;
    uint64_t hbm_bytes;
    uint32_t fw_major, fw_minor;
    uint32_t reserved[16];
};

struct orb_telemetry {
    float    die_temp_c;
    float    power_w;
    uint32_t util_pct;
    uint64_t ecc_corrected;
    uint64_t ecc_uncorrected;
};

enum orb_mem_hint { ORB_MEM_HBM = 0, ORB_MEM_SCRATCH = 1, ORB_MEM_PEER = 2 };
enum orb_lane_flags { ORB_LANE_DEFAULT = 0, ORB_LANE_HIGH_PRIO = 1, ORB_LANE_PROFILE = 2 };

/* Loads the driver. Must come before any other call. */
orb_rc orb_startup(uint32_t flags);
orb_rc orb_shutdown(void);
const char *orb_strerror(orb_rc rc);
uint32_t orb_api_version(void);

/* Cards */
uint32_t orb_card_count(void);
orb_rc orb_card_open(uint32_t index, orb_dev_t *dev);
orb_rc orb_card_close(orb_dev_t dev);
orb_rc orb_card_info(orb_dev_t dev, struct orb_info *info);
orb_rc orb_card_reset(orb_dev_t dev);
orb_rc orb_card_telemetry(orb_dev_t dev, struct orb_telemetry *t);
orb_rc orb_card_drain(orb_dev_t dev);    /* waits for all lanes */

/* Memory of the card */
orb_rc orb_mem_alloc(orb_dev_t dev, uint64_t bytes, enum orb_mem_hint hint, orb_addr *addr);
orb_rc orb_mem_release(orb_dev_t dev, orb_addr addr);
orb_rc orb_mem_avail(orb_dev_t dev, uint64_t *free_bytes, uint64_t *total_bytes);
orb_rc orb_mem_fill(orb_dev_t dev, orb_addr addr, uint8_t value, uint64_t bytes);
orb_rc orb_mem_map(orb_dev_t dev, orb_addr addr, uint64_t bytes, void **host);
orb_rc orb_mem_unmap(orb_dev_t dev, void *host);
void  *orb_host_alloc(size_t bytes);     /* pinned */
void   orb_host_free(void *p);

/* Transfers; the blocking ones return when the data is there */
orb_rc orb_upload(orb_dev_t dev, orb_addr to, const void *from, uint64_t bytes);
orb_rc orb_download(orb_dev_t dev, void *to, orb_addr from, uint64_t bytes);
orb_rc orb_move(orb_dev_t dev, orb_addr to, orb_addr from, uint64_t bytes);
orb_rc orb_lane_upload(orb_lane_t lane, orb_addr to, const void *from, uint64_t bytes);
orb_rc orb_lane_download(orb_lane_t lane, void *to, orb_addr from, uint64_t bytes);
orb_rc orb_lane_move(orb_lane_t lane, orb_addr to, orb_addr from, uint64_t bytes);
orb_rc orb_peer_move(orb_dev_t dst_dev, orb_addr to, orb_dev_t src_dev, orb_addr from, uint64_t bytes);

/* Lanes and fences */
orb_rc orb_lane_open(orb_dev_t dev, uint32_t flags, orb_lane_t *lane);
orb_rc orb_lane_close(orb_lane_t lane);
orb_rc orb_lane_drain(orb_lane_t lane);
orb_rc orb_lane_idle(orb_lane_t lane, int *idle);
orb_rc orb_lane_callback(orb_lane_t lane, void (*fn)(void *), void *arg);
orb_rc orb_fence_new(orb_dev_t dev, orb_fence_t *f);
orb_rc orb_fence_del(orb_fence_t f);
orb_rc orb_fence_signal(orb_fence_t f, orb_lane_t lane);   /* when the lane gets here */
orb_rc orb_fence_hold(orb_fence_t f, orb_lane_t lane);     /* the lane stays until signalled */
orb_rc orb_fence_wait(orb_fence_t f, uint32_t timeout_ms);
orb_rc orb_fence_test(orb_fence_t f, int *done);
orb_rc orb_fence_span_us(orb_fence_t first, orb_fence_t last, double *us);

/* Programs: ELF files for the card's cores */
orb_rc orb_prog_load(orb_dev_t dev, const void *elf, size_t bytes, orb_prog_t *prog);
orb_rc orb_prog_load_file(orb_dev_t dev, const char *path, orb_prog_t *prog);
orb_rc orb_prog_unload(orb_prog_t prog);
orb_rc orb_prog_kernel(orb_prog_t prog, const char *symbol, orb_kern_t *kern);
orb_rc orb_kern_arg(orb_kern_t kern, uint32_t index, const void *value, size_t bytes);
orb_rc orb_kern_launch(orb_lane_t lane, orb_kern_t kern, const uint32_t grid[3], const uint32_t block[3], uint32_t scratch_bytes);
orb_rc orb_kern_occupancy(orb_kern_t kern, uint32_t block_size, uint32_t *blocks_per_core);

/* Trace */
orb_rc orb_trace_begin(const char *path);
orb_rc orb_trace_end(void);
void   orb_trace_mark(const char *text);

#ifdef __cplusplus
}
#endif
#endif
