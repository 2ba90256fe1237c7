/*
 * Loom NPU graph API
 * An imagined vendor's header.
 *
 * A graph is built of tensors and nodes, compiled for one NPU generation, and run as a whole.
 */
#ifndef LOOM_GRAPH_H
#define LOOM_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct loom_graph   loom_graph;
typedef struct loom_tensor  loom_tensor;
typedef struct loom_node    loom_node;
typedef struct loom_blob    loom_blob;      /* compiled graph */
typedef struct loom_session loom_session;

typedef enum loom_err {
    LOOM_OK = 0,
    LOOM_EINVAL = -22,
    LOOM_ENOMEM = -12,
    LOOM_ENOTSUP = -95,
    LOOM_ECOMPILE = -1000
} loom_err;

typedef enum { LOOM_F32, LOOM_F16, LOOM_U8, LOOM_S8, LOOM_S32 } loom_type;
typedef enum { LOOM_ACT_NONE, LOOM_ACT_RELU, LOOM_ACT_RELU6 } loom_act;
typedef enum { LOOM_PAD_SAME, LOOM_PAD_VALID, LOOM_PAD_EXPLICIT } loom_pad_mode;

typedef struct {
    float scale;
    int32_t zero_point;
    const float *channel_scales;  /* NULL when per tensor */
    int32_t channel_axis;
} loom_quant;

typedef struct {
    uint32_t stride[2];
    uint32_t dilation[2];
    uint32_t pad[4];              /* top, left, bottom, right; with LOOM_PAD_EXPLICIT */
    loom_pad_mode pad_mode;
    uint32_t groups;
    loom_act act;
} loom_conv_param;

typedef struct {
    uint32_t window[2];
    uint32_t stride[2];
    uint32_t pad[4];
    loom_pad_mode pad_mode;
} loom_pool_param;

/* library */
loom_err loom_init(const char *config_path);
void loom_exit(void);
void loom_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch);
void loom_set_logger(void (*fn)(int level, const char *msg, void *user), void *user);

/* graph */
loom_graph *loom_graph_new(const char *name);
void loom_graph_free(loom_graph *g);
loom_err loom_graph_set_inputs(loom_graph *g, loom_tensor *const *tensors, size_t n);
loom_err loom_graph_set_outputs(loom_graph *g, loom_tensor *const *tensors, size_t n);
loom_err loom_graph_dump_dot(const loom_graph *g, const char *path);

/* tensors: the dims are outermost first; constants are copied into the graph */
loom_tensor *loom_tensor_virtual(loom_graph *g, loom_type type, const uint32_t *dims, uint32_t rank);
loom_tensor *loom_tensor_const(loom_graph *g, loom_type type, const uint32_t *dims, uint32_t rank, const void *data);
loom_err loom_tensor_set_quant(loom_tensor *t, const loom_quant *q);
loom_err loom_tensor_set_name(loom_tensor *t, const char *name);

/* nodes: NULL means that the graph refused it, loom_graph_last_error tells why */
const char *loom_graph_last_error(const loom_graph *g);
loom_node *loom_add_conv2d(loom_graph *g, loom_tensor *in, loom_tensor *w, loom_tensor *bias, const loom_conv_param *p, loom_tensor *out);
loom_node *loom_add_depthwise_conv2d(loom_graph *g, loom_tensor *in, loom_tensor *w, loom_tensor *bias, const loom_conv_param *p, loom_tensor *out);
loom_node *loom_add_fully_connected(loom_graph *g, loom_tensor *in, loom_tensor *w, loom_tensor *bias, loom_act act, loom_tensor *out);
loom_node *loom_add_matmul(loom_graph *g, loom_tensor *a, loom_tensor *b, bool trans_a, bool trans_b, loom_tensor *out);
loom_node *loom_add_max_pool(loom_graph *g, loom_tensor *in, const loom_pool_param *p, loom_tensor *out);
loom_node *loom_add_avg_pool(loom_graph *g, loom_tensor *in, const loom_pool_param *p, loom_tensor *out);
loom_node *loom_add_relu(loom_graph *g, loom_tensor *in, loom_tensor *out);
loom_node *loom_add_sigmoid(loom_graph *g, loom_tensor *in, loom_tensor *out);
loom_node *loom_add_tanh(loom_graph *g, loom_tensor *in, loom_tensor *out);
loom_node *loom_add_hard_swish(loom_graph *g, loom_tensor *in, loom_tensor *out);
loom_node *loom_add_softmax(loom_graph *g, loom_tensor *in, float beta, int32_t axis, loom_tensor *out);
loom_node *loom_add_add(loom_graph *g, loom_tensor *a, loom_tensor *b, loom_act act, loom_tensor *out);
loom_node *loom_add_sub(loom_graph *g, loom_tensor *a, loom_tensor *b, loom_act act, loom_tensor *out);
loom_node *loom_add_mul(loom_graph *g, loom_tensor *a, loom_tensor *b, loom_act act, loom_tensor *out);
loom_node *loom_add_concat(loom_graph *g, loom_tensor *const *ins, size_t n, int32_t axis, loom_tensor *out);
loom_node *loom_add_reshape(loom_graph *g, loom_tensor *in, const uint32_t *dims, uint32_t rank, loom_tensor *out);
loom_node *loom_add_transpose(loom_graph *g, loom_tensor *in, const uint32_t *perm, uint32_t rank, loom_tensor *out);
loom_node *loom_add_mean(loom_graph *g, loom_tensor *in, const int32_t *axes, size_t n, bool keep_dims, loom_tensor *out);
loom_node *loom_add_resize_bilinear(loom_graph *g, loom_tensor *in, uint32_t h, uint32_t w, bool align_corners, loom_tensor *out);
loom_node *loom_add_quantize(loom_graph *g, loom_tensor *in, loom_tensor *out);
loom_node *loom_add_dequantize(loom_graph *g, loom_tensor *in, loom_tensor *out);
loom_err loom_node_set_name(loom_node *n, const char *name);

/* compile */
typedef struct {
    const char *target;           /* "weft1", "weft2" */
    int opt_level;
    bool allow_fp16;
    uint32_t sram_kib;
    const char *cache_dir;
} loom_compile_opt;
loom_err loom_compile(loom_graph *g, const loom_compile_opt *opt, loom_blob **out);
loom_err loom_blob_save(const loom_blob *b, const char *path);
loom_err loom_blob_load(const char *path, loom_blob **out);
size_t loom_blob_size(const loom_blob *b);
void loom_blob_free(loom_blob *b);

/* run */
loom_err loom_session_open(const loom_blob *b, int core, loom_session **out);
loom_err loom_session_bind_input(loom_session *s, size_t index, const void *data, size_t bytes);
loom_err loom_session_bind_output(loom_session *s, size_t index, void *data, size_t bytes);
loom_err loom_session_run(loom_session *s);
loom_err loom_session_run_async(loom_session *s, void (*done)(loom_session *, loom_err, void *), void *user);
loom_err loom_session_wait(loom_session *s, int timeout_ms);
loom_err loom_session_profile(loom_session *s, uint64_t *npu_cycles, uint64_t *dram_bytes);
void loom_session_close(loom_session *s);

#ifdef __cplusplus
}
#endif
#endif
