/* Attributes and extents in structs; an int whose values are macros. */
#include <stddef.h>
#include <stdint.h>
typedef struct { int stride_h, stride_w, pad_h, pad_w, groups; } pm_conv_params;
typedef struct { int32_t n, h, w, c; } pm_dims;
typedef enum { PM_OK, PM_ERR_NOMEM } pm_status;
#define PM_ACT_RELU 0
#define PM_ACT_SIGMOID 1
#define PM_ACT_TANH 2
pm_status pm_convolve_f32(const pm_conv_params *conv_params, const pm_dims *input_dims, const float *input_data,
                          const pm_dims *filter_dims, const float *filter_data, const float *bias_data,
                          const pm_dims *output_dims, float *output_data);
pm_status pm_activation(int act_type, const float *in, float *out, size_t n);
pm_status pm_conv_f32(const float *x, uint32_t x_len, const float *h, uint32_t h_len, float *out);
pm_status pm_power_f32(const float *src, uint32_t n, float *result);
pm_status pm_layer_norm(const float *x, const float *gamma, const float *beta, float epsilon, int n, float *y);
pm_status pm_all_reduce_sum(const float *in, float *out, int n, void *comm);
pm_status pm_reduce(const float *in, float *out, int n, int root, void *comm);
