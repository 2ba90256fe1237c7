/* An imagined vendor's header. */
/*
 * libdrover - user space of the DVR100 inference core (dvr.ko)
 *
 * Buffers are physically contiguous. The CPU's caches are not coherent with
 * the core: clean before a job reads, invalidate before the CPU reads.
 * All functions return 0 or -errno unless they say otherwise.
 */
#ifndef _LIBDROVER_H
#define _LIBDROVER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DVR_DEV_NODE   "/dev/dvr%u"
#define DVR_MAX_CORES  4
#define DVR_TIMEOUT_INF 0xffffffffu

struct dvr_dev;                 /* opened node */
struct dvr_fence;

struct dvr_buf {
	uint64_t iova;
	void    *cpu;
	size_t   len;
	int      dmabuf_fd;
	uint32_t cookie;
};

struct dvr_caps {
	uint32_t hw_rev;
	uint32_t macs;
	uint32_t sram_kb;
	uint32_t flags;
};

struct dvr_job {
	uint64_t cmd_iova;
	uint32_t cmd_words;
	uint32_t core_mask;
	uint32_t prio;
	uint32_t n_in_fences;
	struct dvr_fence **in_fences;
};

struct dvr_perf {
	uint64_t cycles;
	uint64_t rd_bytes;
	uint64_t wr_bytes;
};

enum dvr_dir { DVR_TO_CORE, DVR_FROM_CORE, DVR_BOTH };

/* node */
int dvr_count(void);                              /* number of nodes, >= 0 */
int dvr_open(struct dvr_dev **dev, unsigned int idx);
void dvr_close(struct dvr_dev *dev);
int dvr_query_caps(struct dvr_dev *dev, struct dvr_caps *caps);
int dvr_set_clk(struct dvr_dev *dev, unsigned int khz);
int dvr_soft_reset(struct dvr_dev *dev);
int dvr_mem_stat(struct dvr_dev *dev, size_t *used, size_t *total);
const char *dvr_strerror(int err);

/* buffers */
int dvr_buf_alloc(struct dvr_dev *dev, size_t len, uint32_t flags, struct dvr_buf *out);
void dvr_buf_free(struct dvr_dev *dev, struct dvr_buf *buf);
int dvr_buf_import(struct dvr_dev *dev, int dmabuf_fd, struct dvr_buf *out);
int dvr_buf_export(struct dvr_dev *dev, const struct dvr_buf *buf, int *dmabuf_fd);
int dvr_buf_cpu_map(struct dvr_dev *dev, struct dvr_buf *buf);
int dvr_buf_cpu_unmap(struct dvr_dev *dev, struct dvr_buf *buf);
int dvr_buf_sync(struct dvr_dev *dev, const struct dvr_buf *buf, size_t off, size_t len, enum dvr_dir dir);
int dvr_userptr_pin(struct dvr_dev *dev, void *ptr, size_t len, struct dvr_buf *out);

static inline int dvr_buf_write(struct dvr_dev *dev, const struct dvr_buf *buf, size_t off, const void *src, size_t len)
{
	if (!buf->cpu || off + len > buf->len)
		return -EINVAL;
	memcpy((char *)buf->cpu + off, src, len);
	return dvr_buf_sync(dev, buf, off, len, DVR_TO_CORE);
}

static inline int dvr_buf_read(struct dvr_dev *dev, const struct dvr_buf *buf, size_t off, void *dst, size_t len)
{
	int err;

	if (!buf->cpu || off + len > buf->len)
		return -EINVAL;
	err = dvr_buf_sync(dev, buf, off, len, DVR_FROM_CORE);
	if (!err)
		memcpy(dst, (const char *)buf->cpu + off, len);
	return err;
}

/* the core's own copy engine */
int dvr_dma_copy(struct dvr_dev *dev, const struct dvr_buf *dst, size_t dst_off, const struct dvr_buf *src, size_t src_off, size_t len);
int dvr_dma_fill32(struct dvr_dev *dev, const struct dvr_buf *dst, size_t off, uint32_t word, size_t len);

/* jobs */
int dvr_ring_open(struct dvr_dev *dev, unsigned int depth, unsigned int *ring);
int dvr_ring_close(struct dvr_dev *dev, unsigned int ring);
int dvr_ring_flush(struct dvr_dev *dev, unsigned int ring, uint32_t timeout_ms);
int dvr_submit(struct dvr_dev *dev, unsigned int ring, const struct dvr_job *job, struct dvr_fence **out_fence);
int dvr_fence_wait(struct dvr_fence *fence, uint32_t timeout_ms);
bool dvr_fence_signaled(const struct dvr_fence *fence);
void dvr_fence_put(struct dvr_fence *fence);
struct dvr_fence *dvr_fence_get(struct dvr_fence *fence);
int dvr_fence_to_fd(const struct dvr_fence *fence);

/* firmware and command streams */
int dvr_fw_load(struct dvr_dev *dev, const char *path);
int dvr_fw_version(struct dvr_dev *dev, char *buf, size_t len);
int dvr_cmds_relocate(void *words, size_t n, const uint64_t *iovas, size_t n_iovas);
int dvr_cmds_validate(const void *words, size_t n);
int dvr_mbox_send(struct dvr_dev *dev, uint32_t chan, const uint32_t msg[4]);
int dvr_mbox_recv(struct dvr_dev *dev, uint32_t chan, uint32_t msg[4], uint32_t timeout_ms);

/* counters and registers (debug builds of dvr.ko only) */
int dvr_perf_start(struct dvr_dev *dev);
int dvr_perf_stop(struct dvr_dev *dev, struct dvr_perf *out);
uint32_t dvr_reg_read(struct dvr_dev *dev, uint32_t off);
void dvr_reg_write(struct dvr_dev *dev, uint32_t off, uint32_t val);
int dvr_dump(struct dvr_dev *dev, int fd);

#ifdef __cplusplus
}
#endif
#endif /* _LIBDROVER_H */
