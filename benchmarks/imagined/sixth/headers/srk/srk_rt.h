#ifndef SRK_RT_H
#define SRK_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SRK_VERSION_MAJOR 0
#define SRK_VERSION_MINOR 14

typedef uintptr_t srk_stream_t;
typedef uintptr_t srk_event_t;

#define SRK_DEFAULT_STREAM ((srk_stream_t)0)

typedef enum {
  SRK_COPY_D2D = 10,
  SRK_COPY_H2D = 20,
  SRK_COPY_D2H = 30,
  SRK_COPY_P2P = 40
} srk_copy_kind;

enum {
  SRK_E_NONE = 0,
  SRK_E_ARG = 11,
  SRK_E_MEM = 12,
  SRK_E_DEV = 13,
  SRK_E_LAUNCH = 14,
  SRK_E_DTYPE = 15
};

int srk_last_error(void);
const char *srk_error_text(int code);

bool srk_open(void);
void srk_close(void);
int srk_num_devices(void);
bool srk_use_device(int device);
int srk_current_device(void);
bool srk_device_synchronize(void);
bool srk_mem_info(int device, uint64_t *free_bytes, uint64_t *total_bytes);

void *srk_device_malloc(size_t bytes, int device);
bool srk_device_free(void *ptr);
void *srk_host_malloc(size_t bytes);
bool srk_host_free(void *ptr);
bool srk_memcpy(void *to, const void *from, size_t bytes, srk_copy_kind kind);
bool srk_memcpy_async(void *to, const void *from, size_t bytes, srk_copy_kind kind, srk_stream_t stream);
bool srk_memset(void *ptr, int byte, size_t bytes);

srk_stream_t srk_stream_create(int device, int priority);
bool srk_stream_destroy(srk_stream_t stream);
bool srk_stream_synchronize(srk_stream_t stream);
bool srk_stream_wait(srk_stream_t stream, srk_event_t event);
srk_event_t srk_event_create(bool timing);
bool srk_event_destroy(srk_event_t event);
bool srk_event_record(srk_event_t event, srk_stream_t stream);
bool srk_event_synchronize(srk_event_t event);
double srk_event_elapsed_ms(srk_event_t start, srk_event_t stop);

#ifdef __cplusplus
}
#endif

#endif
