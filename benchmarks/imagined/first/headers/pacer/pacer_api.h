/****************************************************************************
*
*    An imagined vendor's header.
*
*    The material in this file is confidential and contains trade secrets
*    of Pacer Electronics Corporation.
*
*****************************************************************************/
#ifndef _PACER_API_H
#define _PACER_API_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdint.h>

/* flags of pacer_init */
#define PACER_FLAG_PRIOR_HIGH       0x00000000
#define PACER_FLAG_PRIOR_MEDIUM     0x00000001
#define PACER_FLAG_PRIOR_LOW        0x00000002
#define PACER_FLAG_ASYNC_MASK       0x00000004
#define PACER_FLAG_COLLECT_PERF     0x00000008
#define PACER_FLAG_MEM_ALLOC_OUTSIDE 0x00000010
#define PACER_FLAG_SHARE_WEIGHT     0x00000020

/* errors */
#define PACER_SUCC                  0
#define PACER_ERR_FAIL             -1
#define PACER_ERR_TIMEOUT          -2
#define PACER_ERR_DEVICE_UNAVAILABLE -3
#define PACER_ERR_MALLOC_FAIL      -4
#define PACER_ERR_PARAM_INVALID    -5
#define PACER_ERR_MODEL_INVALID    -6
#define PACER_ERR_CTX_INVALID      -7

#define PACER_MAX_DIMS   16
#define PACER_MAX_NAME_LEN 256

#ifdef __arm__
typedef uint32_t pacer_context;
#else
typedef uint64_t pacer_context;
#endif

typedef enum _pacer_query_cmd {
    PACER_QUERY_IN_OUT_NUM = 0,      /* number of inputs and outputs */
    PACER_QUERY_INPUT_ATTR = 1,
    PACER_QUERY_OUTPUT_ATTR = 2,
    PACER_QUERY_PERF_DETAIL = 3,
    PACER_QUERY_PERF_RUN = 4,
    PACER_QUERY_SDK_VERSION = 5,
    PACER_QUERY_MEM_SIZE = 6,
    PACER_QUERY_CUSTOM_STRING = 7,
    PACER_QUERY_CMD_MAX
} pacer_query_cmd;

typedef enum _pacer_tensor_type {
    PACER_TENSOR_FLOAT32 = 0,
    PACER_TENSOR_FLOAT16,
    PACER_TENSOR_INT8,
    PACER_TENSOR_UINT8,
    PACER_TENSOR_INT16,
    PACER_TENSOR_INT32,
    PACER_TENSOR_INT64,
    PACER_TENSOR_BOOL,
    PACER_TENSOR_TYPE_MAX
} pacer_tensor_type;

typedef enum _pacer_tensor_qnt_type { PACER_QNT_NONE = 0, PACER_QNT_DFP, PACER_QNT_AFFINE_ASYMMETRIC } pacer_tensor_qnt_type;
typedef enum _pacer_tensor_format { PACER_FORMAT_NCHW = 0, PACER_FORMAT_NHWC, PACER_FORMAT_NC1HWC2, PACER_FORMAT_UNDEFINED } pacer_tensor_format;
typedef enum _pacer_core_mask { PACER_CORE_AUTO = 0, PACER_CORE_0 = 1, PACER_CORE_1 = 2, PACER_CORE_0_1 = 3 } pacer_core_mask;
typedef enum _pacer_mem_sync_mode { PACER_MEMORY_SYNC_TO_DEVICE = 1, PACER_MEMORY_SYNC_FROM_DEVICE = 2, PACER_MEMORY_SYNC_BIDIRECTIONAL = 3 } pacer_mem_sync_mode;

typedef struct _pacer_input_output_num { uint32_t n_input; uint32_t n_output; } pacer_input_output_num;

typedef struct _pacer_tensor_attr {
    uint32_t index;
    uint32_t n_dims;
    uint32_t dims[PACER_MAX_DIMS];
    char name[PACER_MAX_NAME_LEN];
    uint32_t n_elems;
    uint32_t size;
    pacer_tensor_format fmt;
    pacer_tensor_type type;
    pacer_tensor_qnt_type qnt_type;
    int8_t fl;
    int32_t zp;
    float scale;
    uint32_t w_stride;
    uint32_t size_with_stride;
    uint8_t pass_through;
} pacer_tensor_attr;

typedef struct _pacer_tensor_memory {
    void *virt_addr;
    uint64_t phys_addr;
    int32_t fd;
    int32_t offset;
    uint32_t size;
    uint32_t flags;
    void *priv_data;
} pacer_tensor_mem;

typedef struct _pacer_input {
    uint32_t index;
    void *buf;
    uint32_t size;
    uint8_t pass_through;
    pacer_tensor_type type;
    pacer_tensor_format fmt;
} pacer_input;

typedef struct _pacer_output {
    uint8_t want_float;
    uint8_t is_prealloc;
    uint32_t index;
    void *buf;
    uint32_t size;
} pacer_output;

typedef struct _pacer_init_extend { pacer_context ctx; int32_t real_model_offset; uint32_t real_model_size; int32_t model_buffer_fd; uint8_t reserved[128]; } pacer_init_extend;
typedef struct _pacer_run_extend { uint64_t frame_id; int32_t non_block; int32_t timeout_ms; int32_t fence_fd; } pacer_run_extend;
typedef struct _pacer_output_extend { uint64_t frame_id; } pacer_output_extend;

/*  pacer_init

    Loads the model and makes a context for it.
    input:
        pacer_context *context   the handle of the context.
        void *model              model data, or a path when size is 0.
        uint32_t size            bytes of model data.
        uint32_t flag            PACER_FLAG_...
        pacer_init_extend *extend  may be NULL.
    return:
        int                      error code.
*/
int pacer_init(pacer_context *context, void *model, uint32_t size, uint32_t flag, pacer_init_extend *extend);
int pacer_dup_context(pacer_context *context_in, pacer_context *context_out);
int pacer_destroy(pacer_context context);
int pacer_query(pacer_context context, pacer_query_cmd cmd, void *info, uint32_t size);
int pacer_inputs_set(pacer_context context, uint32_t n_inputs, pacer_input inputs[]);
int pacer_set_batch_core_num(pacer_context context, int core_num);
int pacer_set_core_mask(pacer_context context, pacer_core_mask core_mask);
int pacer_run(pacer_context context, pacer_run_extend *extend);
int pacer_wait(pacer_context context, pacer_run_extend *extend);
int pacer_outputs_get(pacer_context context, uint32_t n_outputs, pacer_output outputs[], pacer_output_extend *extend);
int pacer_outputs_release(pacer_context context, uint32_t n_outputs, pacer_output outputs[]);

/* zero copy */
pacer_tensor_mem *pacer_create_mem(pacer_context context, uint32_t size);
pacer_tensor_mem *pacer_create_mem_from_phys(pacer_context context, uint64_t phys_addr, void *virt_addr, uint32_t size);
pacer_tensor_mem *pacer_create_mem_from_fd(pacer_context context, int32_t fd, void *virt_addr, uint32_t size, int32_t offset);
int pacer_destroy_mem(pacer_context context, pacer_tensor_mem *mem);
int pacer_set_io_mem(pacer_context context, pacer_tensor_mem *mem, pacer_tensor_attr *attr);
int pacer_set_weight_mem(pacer_context context, pacer_tensor_mem *mem);
int pacer_set_internal_mem(pacer_context context, pacer_tensor_mem *mem);
int pacer_mem_sync(pacer_context context, pacer_tensor_mem *mem, pacer_mem_sync_mode mode);
int pacer_set_input_shapes(pacer_context ctx, uint32_t n_inputs, pacer_tensor_attr attr[]);

/* helpers for pictures, run on the 2D engine */
int pacer_img_resize(const void *src, int src_w, int src_h, void *dst, int dst_w, int dst_h, int channels);
int pacer_img_cvt_nv12_rgb(const void *src, int w, int h, void *dst);
int pacer_post_softmax(const float *scores, int n, float *probs);
int pacer_post_topk(const float *probs, int n, int k, int *index, float *value);
int pacer_post_nms(const float *boxes, const float *scores, int n, float thresh, int *keep, int *n_keep);

/* model protection */
int pacer_model_decrypt(const void *enc, uint32_t size, const uint8_t key[32], void *out);
const char *pacer_errstr(int err);
int pacer_set_log_level(int level);

#ifdef __cplusplus
} // extern "C"
#endif
#endif
