#ifndef PGX_H
#define PGX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PGX_API_MAJOR 3
#define PGX_API_MINOR 2

typedef enum {
  PGX_RESULT_DONE = 0,
  PGX_RESULT_BAD_ARG = 1,
  PGX_RESULT_BAD_GRAPH = 2,
  PGX_RESULT_NO_MEMORY = 3,
  PGX_RESULT_COMPILE_ERROR = 4,
  PGX_RESULT_DEVICE_LOST = 5
} pgx_result;

typedef enum { PGX_FLOAT32, PGX_FLOAT16, PGX_BFLOAT16, PGX_INT8, PGX_INT32 } pgx_type;
typedef enum { PGX_PAD_SAME, PGX_PAD_VALID, PGX_PAD_EXPLICIT } pgx_pad_mode;

typedef struct pgx_graph_s *pgx_graph;
typedef struct pgx_node_s *pgx_node;
typedef struct pgx_model_s *pgx_model;
typedef struct pgx_session_s *pgx_session;
typedef struct pgx_buffer_s *pgx_buffer;

typedef struct {
  pgx_type type;
  uint32_t rank;
  uint32_t dims[8];
} pgx_tensor_info;

typedef struct {
  uint32_t opt_level;
  uint32_t cores;
  uint64_t sram_bytes;
  int allow_fp16;
} pgx_compile_options;

pgx_result pgx_init(void);
pgx_result pgx_deinit(void);
const char *pgx_result_text(pgx_result r);
pgx_result pgx_device_count(uint32_t *count);
pgx_result pgx_device_info(uint32_t device, char *name, size_t name_len);

pgx_result pgx_graph_create(pgx_graph *graph);
pgx_result pgx_graph_destroy(pgx_graph graph);
pgx_node pgx_graph_input(pgx_graph graph, const pgx_tensor_info *info, const char *name);
pgx_node pgx_graph_constant(pgx_graph graph, const pgx_tensor_info *info, const void *data, size_t bytes);
pgx_result pgx_graph_output(pgx_graph graph, pgx_node node, const char *name);
pgx_result pgx_graph_dump(pgx_graph graph, const char *path);

pgx_node pgx_node_add(pgx_graph graph, pgx_node a, pgx_node b);
pgx_node pgx_node_sub(pgx_graph graph, pgx_node a, pgx_node b);
pgx_node pgx_node_mul(pgx_graph graph, pgx_node a, pgx_node b);
pgx_node pgx_node_relu(pgx_graph graph, pgx_node x);
pgx_node pgx_node_sigmoid(pgx_graph graph, pgx_node x);
pgx_node pgx_node_gelu(pgx_graph graph, pgx_node x);
pgx_node pgx_node_softmax(pgx_graph graph, pgx_node x, int32_t axis);
pgx_node pgx_node_matmul(pgx_graph graph, pgx_node a, pgx_node b);
pgx_node pgx_node_conv2d(pgx_graph graph, pgx_node x, pgx_node weight, pgx_node bias, const uint32_t stride[2], pgx_pad_mode pad_mode, const uint32_t pad[4], const uint32_t dilation[2], uint32_t groups);
pgx_node pgx_node_max_pool(pgx_graph graph, pgx_node x, const uint32_t kernel[2], const uint32_t stride[2], const uint32_t pad[4]);
pgx_node pgx_node_avg_pool(pgx_graph graph, pgx_node x, const uint32_t kernel[2], const uint32_t stride[2], const uint32_t pad[4]);
pgx_node pgx_node_transpose(pgx_graph graph, pgx_node x, const uint32_t *perm, uint32_t rank);
pgx_node pgx_node_concat(pgx_graph graph, const pgx_node *inputs, uint32_t count, int32_t axis);
pgx_node pgx_node_layer_norm(pgx_graph graph, pgx_node x, pgx_node gamma, pgx_node beta, float epsilon);
pgx_node pgx_node_quantize(pgx_graph graph, pgx_node x, float scale, int32_t zero_point);

pgx_result pgx_graph_compile(pgx_graph graph, const pgx_compile_options *options, pgx_model *model);
pgx_result pgx_model_load(const char *path, pgx_model *model);
pgx_result pgx_model_save(pgx_model model, const char *path);
pgx_result pgx_model_unload(pgx_model model);
pgx_result pgx_model_input_count(pgx_model model, uint32_t *count);
pgx_result pgx_model_input_info(pgx_model model, uint32_t index, pgx_tensor_info *info);
pgx_result pgx_model_output_count(pgx_model model, uint32_t *count);
pgx_result pgx_model_output_info(pgx_model model, uint32_t index, pgx_tensor_info *info);

pgx_result pgx_buffer_alloc(uint32_t device, uint64_t bytes, pgx_buffer *buffer);
pgx_result pgx_buffer_release(pgx_buffer buffer);
pgx_result pgx_buffer_write(pgx_buffer buffer, uint64_t offset, const void *host, uint64_t bytes);
pgx_result pgx_buffer_read(pgx_buffer buffer, uint64_t offset, void *host, uint64_t bytes);
pgx_result pgx_buffer_copy(pgx_buffer from, uint64_t from_offset, pgx_buffer to, uint64_t to_offset, uint64_t bytes);

pgx_result pgx_session_create(pgx_model model, uint32_t device, pgx_session *session);
pgx_result pgx_session_destroy(pgx_session session);
pgx_result pgx_session_bind_input(pgx_session session, uint32_t index, pgx_buffer buffer);
pgx_result pgx_session_bind_output(pgx_session session, uint32_t index, pgx_buffer buffer);
pgx_result pgx_session_run(pgx_session session);
pgx_result pgx_session_run_async(pgx_session session);
pgx_result pgx_session_wait(pgx_session session, uint32_t timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
