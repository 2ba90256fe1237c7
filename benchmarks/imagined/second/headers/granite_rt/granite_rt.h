/* An imagined vendor's header.
 *
 * Granite user-mode driver interface, revision 7
 *
 * Board memory is addressed by 64-bit integers (gr_addr); it is never mapped.
 * Work is put on lanes; marks order lanes among each other.
 */
#ifndef GRANITE_RT_H
#define GRANITE_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef uint64_t gr_addr;
typedef int32_t  gr_rc;      /* 0, or a negative GR_E... */
typedef struct gr_lane  gr_lane;
typedef struct gr_mark  gr_mark;
typedef struct gr_image gr_image;
typedef struct gr_entry gr_entry;

#define GR_EINVAL   (-1)
#define GR_ENOMEM   (-2)
#define GR_ENODEV   (-3)
#define GR_EAGAIN   (-4)
#define GR_EFAULT   (-5)

#define GR_REVISION 7

enum gr_attr {
    GR_ATTR_CORES,
    GR_ATTR_CLOCK_KHZ,
    GR_ATTR_SRAM_PER_CORE,
    GR_ATTR_ECC,
    GR_ATTR_PCI_BDF
};

struct gr_board_props {
    char     product[64];
    uint64_t dram_bytes;
    uint32_t cores;
    uint32_t firmware;
};

struct gr_grid { uint32_t x, y, z; };

/* start, stop, boards */
gr_rc gr_start(unsigned flags);
gr_rc gr_stop(void);
gr_rc gr_revision(unsigned *rev);
const char *gr_rc_text(gr_rc rc);
gr_rc gr_boards(unsigned *n);
gr_rc gr_board_props(unsigned board, struct gr_board_props *p);
gr_rc gr_board_attr(unsigned board, enum gr_attr attr, int64_t *value);
gr_rc gr_use_board(unsigned board);
gr_rc gr_current_board(unsigned *board);
gr_rc gr_board_quiesce(void);
gr_rc gr_board_reset(unsigned board);
gr_rc gr_board_temperature(unsigned board, int *millicelsius);

/* board memory */
gr_rc gr_dram_get(gr_addr *out, size_t bytes);
gr_rc gr_dram_put(gr_addr addr);
gr_rc gr_dram_avail(size_t *unused, size_t *all);
gr_rc gr_dram_range(gr_addr addr, gr_addr *base, size_t *bytes);
gr_rc gr_xfer_in(gr_addr to, const void *from, size_t bytes);
gr_rc gr_xfer_out(void *to, gr_addr from, size_t bytes);
gr_rc gr_xfer_within(gr_addr to, gr_addr from, size_t bytes);
gr_rc gr_xfer_peer(unsigned to_board, gr_addr to, unsigned from_board, gr_addr from, size_t bytes);
gr_rc gr_pattern8(gr_addr to, uint8_t v, size_t count);
gr_rc gr_pattern32(gr_addr to, uint32_t v, size_t count);
gr_rc gr_lane_xfer_in(gr_lane *lane, gr_addr to, const void *from, size_t bytes);
gr_rc gr_lane_xfer_out(gr_lane *lane, void *to, gr_addr from, size_t bytes);
gr_rc gr_lane_pattern8(gr_lane *lane, gr_addr to, uint8_t v, size_t count);

/* host memory that the board can reach */
gr_rc gr_pinned_get(void **out, size_t bytes, unsigned flags);
gr_rc gr_pinned_put(void *p);
gr_rc gr_pin(void *p, size_t bytes);
gr_rc gr_unpin(void *p);

/* lanes and marks */
gr_rc gr_lane_open(gr_lane **lane, int priority);
gr_rc gr_lane_close(gr_lane *lane);
gr_rc gr_lane_drain(gr_lane *lane);
gr_rc gr_lane_idle(gr_lane *lane);          /* 0, or GR_EAGAIN while busy */
gr_rc gr_lane_hold(gr_lane *lane, gr_mark *mark);
gr_rc gr_lane_call(gr_lane *lane, void (*fn)(void *), void *arg);
gr_rc gr_mark_new(gr_mark **mark, unsigned flags);
gr_rc gr_mark_drop(gr_mark *mark);
gr_rc gr_mark_put(gr_mark *mark, gr_lane *lane);
gr_rc gr_mark_await(gr_mark *mark);
gr_rc gr_mark_passed(gr_mark *mark);
gr_rc gr_mark_span_ms(float *ms, gr_mark *first, gr_mark *last);

/* programs */
gr_rc gr_image_load(gr_image **image, const void *elf, size_t bytes);
gr_rc gr_image_load_file(gr_image **image, const char *path);
gr_rc gr_image_unload(gr_image *image);
gr_rc gr_image_entry(gr_entry **entry, gr_image *image, const char *symbol);
gr_rc gr_image_symbol(gr_addr *addr, size_t *bytes, gr_image *image, const char *symbol);
gr_rc gr_run(gr_entry *entry, struct gr_grid grid, unsigned sram, const void *args, size_t args_bytes, gr_lane *lane);

/* tracing */
gr_rc gr_trace_on(const char *path);
gr_rc gr_trace_off(void);

#if defined(__cplusplus)
}
#endif
#endif
