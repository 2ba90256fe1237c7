/* One small SDK with the runtime that RT_STYLE chooses: what reserves, copies and waits differs, the two ops do not. */
#ifndef RT_RUNTIMES_H
#define RT_RUNTIMES_H
#include <stddef.h>
#include <stdint.h>

typedef enum rt_code { RT_FINE = 0, RT_BAD_VALUE = 1, RT_NO_MEMORY = 2, RT_BAD_SIZE = 3 } rt_code;
#if RT_STYLE == 4 /* queues are numbers */
typedef uintptr_t rt_queue_t;
#else
typedef struct rt_queue *rt_queue_t;
#endif

rt_code rt_queue_create(rt_queue_t *queue, unsigned flags);
rt_code rt_queue_destroy(rt_queue_t queue);
/* Returns once everything in the queue has run. */
rt_code rt_queue_synchronize(rt_queue_t queue);

#if RT_STYLE == 0 /* source before target, the room there, an alignment; everything in a queue */
rt_code rt_open(unsigned flags);
void rt_close(void);
int rt_card_count(void);
rt_code rt_card_select(int card);
/* Waits for every queue of the card. */
rt_code rt_card_synchronize(void);
void *rt_mem_alloc(size_t len, unsigned align);
void rt_mem_free(void *mem);
rt_code rt_mem_usage(uint64_t *used, uint64_t *total);
rt_code rt_mem_to_dev(const void *src, size_t len, void *dst, size_t dst_cap, rt_queue_t queue);
rt_code rt_mem_from_dev(const void *src, size_t len, void *dst, size_t dst_cap, rt_queue_t queue);
rt_code rt_mem_fill(void *mem, size_t len, int byte, rt_queue_t queue);
#elif RT_STYLE == 1 /* counts of elements, a direction, a policy, settings from a file */
typedef enum rt_way { RT_DEV2HOST = 1, RT_HOST2DEV = 2, RT_DEV2DEV = 3 } rt_way;
typedef enum rt_policy { RT_POLICY_HUGE = 0, RT_POLICY_DEFAULT = 4 } rt_policy;
rt_code rt_init(const char *config_file);
rt_code rt_finalize(void);
rt_code rt_get_device_count(uint32_t *count);
rt_code rt_set_device(int device);
rt_code rt_device_synchronize(int timeout_ms);
rt_code rt_mem_alloc(void **mem, size_t count, size_t elem_size, rt_policy policy);
rt_code rt_mem_free(void *mem);
rt_code rt_mem_copy(void *dst, const void *src, size_t count, size_t elem_size, rt_way way);
#elif RT_STYLE == 2 || RT_STYLE == 4 /* a function for each way, in a queue that alone can be waited for */
rt_code rt_device_alloc(size_t bytes, unsigned char **mem);
rt_code rt_device_free(unsigned char *mem);
rt_code rt_copy_h2d(const unsigned char *host, unsigned char *device, size_t bytes, rt_queue_t queue);
rt_code rt_copy_d2h(const unsigned char *device, unsigned char *host, size_t bytes, rt_queue_t queue);
#elif RT_STYLE == 3 /* memory that the host reaches too: nothing copies */
rt_code rt_startup(void);
rt_code rt_shutdown(void);
rt_code rt_device_synchronize(void);
void *rt_mem_alloc(size_t bytes, int heap_id, uint32_t flags);
void rt_mem_free(void *mem);
#endif

rt_code rt_add(const float *x, const float *y, float *out, size_t n, rt_queue_t queue);
rt_code rt_relu(const float *x, float *out, size_t n, rt_queue_t queue);

#endif
