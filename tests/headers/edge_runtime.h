/* A runtime whose device memory is a struct by value, with s2d and d2s copies that know their own size. */
typedef struct ed_context *ed_handle_t;
typedef struct { unsigned long long device_addr; unsigned size; } ed_device_mem_t;
static const int ED_SUCCESS = 0;
int ed_dev_getcount(int *count);
int ed_dev_request(ed_handle_t *handle, int devid);
int ed_malloc_device_byte(ed_handle_t handle, ed_device_mem_t *mem, unsigned size);
int ed_free_device(ed_handle_t handle, ed_device_mem_t mem);
int ed_memcpy_s2d(ed_handle_t handle, ed_device_mem_t dst, void *src);
int ed_memcpy_d2s(ed_handle_t handle, void *dst, ed_device_mem_t src);
int ed_memset_device(ed_handle_t handle, int value, ed_device_mem_t mem);
int ed_thread_sync(ed_handle_t handle);
int edcv_gemm(ed_handle_t handle, int is_A_trans, int is_B_trans, int M, int N, int K, float alpha, ed_device_mem_t A,
              int lda, ed_device_mem_t B, int ldb, float beta, ed_device_mem_t C, int ldc);
