/* Tensors are objects; results come back through the first argument, or operators are created, set up and run. */
#include <stddef.h>
#include <stdint.h>
typedef void *ob_array;
typedef struct ob_operator *ob_operator_t;
int ob_add(ob_array *out, const ob_array lhs, const ob_array rhs, int batch);
int ob_sum(ob_array *out, const ob_array in, int dim);
int ob_create_relu_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                          ob_operator_t *relu_op_out);
int ob_setup_relu_nc_f32(ob_operator_t relu_op, size_t batch_size, const float *input, float *output);
int ob_run_operator(ob_operator_t op);
int ob_delete_operator(ob_operator_t op);
