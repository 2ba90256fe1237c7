/*
 * An imagined vendor's header.
 *
 * OVX - immediate mode vision and neural network functions for the OV-series vision processor.
 * The interface follows the immediate functions of OpenVX.
 */
#ifndef _OVX_NN_H_
#define _OVX_NN_H_

#include <ovx/ovx_platform.h>   /* of the board support package */

#ifdef  __cplusplus
extern "C" {
#endif

#ifndef OVX_API_ENTRY
#define OVX_API_ENTRY
#endif
#ifndef OVX_API_CALL
#define OVX_API_CALL
#endif

typedef int    ovx_int32;
typedef unsigned int ovx_uint32;
typedef unsigned char ovx_uint8;
typedef float  ovx_float32;
typedef unsigned long ovx_size;
typedef int    ovx_enum;
typedef ovx_enum ovx_bool;

/*! \brief An opaque reference to the context. \ingroup group_context */
typedef struct _ovx_context *ovx_context;
typedef struct _ovx_tensor  *ovx_tensor;
typedef struct _ovx_image   *ovx_image;
typedef struct _ovx_scalar  *ovx_scalar;
typedef struct _ovx_matrix  *ovx_matrix;
typedef struct _ovx_object_array *ovx_object_array;

/*! \brief The enumeration of all status codes. */
enum ovx_status_e {
    OVX_ERROR_INVALID_DIMENSION  = -25,
    OVX_ERROR_INVALID_TYPE       = -12,
    OVX_ERROR_INVALID_PARAMETERS = -10,
    OVX_ERROR_NO_MEMORY          = -8,
    OVX_ERROR_NOT_SUPPORTED      = -3,
    OVX_FAILURE                  = -1,
    OVX_SUCCESS                  = 0
};
typedef ovx_enum ovx_status;

enum ovx_convert_policy_e { OVX_CONVERT_POLICY_WRAP = 0xA000, OVX_CONVERT_POLICY_SATURATE = 0xA001 };
enum ovx_round_policy_e { OVX_ROUND_POLICY_TO_ZERO = 0x12000, OVX_ROUND_POLICY_TO_NEAREST_EVEN = 0x12001 };
enum ovx_nn_pooling_type_e { OVX_NN_POOLING_MAX = 0x1A000, OVX_NN_POOLING_AVG = 0x1A001 };
enum ovx_nn_activation_function_e {
    OVX_NN_ACTIVATION_LOGISTIC = 0x1B000,
    OVX_NN_ACTIVATION_HYPERBOLIC_TAN,
    OVX_NN_ACTIVATION_RELU,          /*!< max(0, x) */
    OVX_NN_ACTIVATION_BRELU,         /*!< min(a, max(0, x)) */
    OVX_NN_ACTIVATION_SOFTRELU,      /*!< log(1 + exp(x)) */
    OVX_NN_ACTIVATION_ABS,
    OVX_NN_ACTIVATION_SQUARE,
    OVX_NN_ACTIVATION_SQRT,
    OVX_NN_ACTIVATION_LINEAR         /*!< a * x + b */
};
enum ovx_accessor_e { OVX_READ_ONLY = 0x11001, OVX_WRITE_ONLY = 0x11002 };
enum ovx_memory_type_e { OVX_MEMORY_TYPE_NONE = 0xE000, OVX_MEMORY_TYPE_HOST = 0xE001 };

/*! \brief Parameters of ::ovxuConvolutionLayer. Tensors have width, height, channels, batch as dims 0 to 3. */
typedef struct _ovx_nn_convolution_params_t {
    ovx_size padding_x;
    ovx_size padding_y;
    ovx_enum overflow_policy;
    ovx_enum rounding_policy;
    ovx_enum down_scale_size_rounding;
    ovx_size dilation_x;       /*!< zeros between taps: 0 for none */
    ovx_size dilation_y;
} ovx_nn_convolution_params_t;

typedef struct _ovx_tensor_matrix_multiply_params_t {
    ovx_bool transpose_input1;
    ovx_bool transpose_input2;
    ovx_bool transpose_input3;
} ovx_tensor_matrix_multiply_params_t;

/* ---- objects ---- */
OVX_API_ENTRY ovx_context OVX_API_CALL ovxCreateContext(void);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxReleaseContext(ovx_context *context);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxGetStatus(void *reference);
OVX_API_ENTRY ovx_tensor OVX_API_CALL ovxCreateTensor(ovx_context context, ovx_size number_of_dims, const ovx_size *dims, ovx_enum data_type, ovx_uint8 fixed_point_position);
OVX_API_ENTRY ovx_tensor OVX_API_CALL ovxCreateTensorFromView(ovx_tensor tensor, ovx_size number_of_dims, const ovx_size *view_start, const ovx_size *view_end);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxReleaseTensor(ovx_tensor *tensor);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxQueryTensor(ovx_tensor tensor, ovx_enum attribute, void *ptr, ovx_size size);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxCopyTensorPatch(ovx_tensor tensor, ovx_size number_of_dims, const ovx_size *view_start, const ovx_size *view_end, const ovx_size *user_stride, void *user_ptr, ovx_enum usage, ovx_enum user_memory_type);
OVX_API_ENTRY ovx_image OVX_API_CALL ovxCreateImage(ovx_context context, ovx_uint32 width, ovx_uint32 height, ovx_enum color);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxReleaseImage(ovx_image *image);
OVX_API_ENTRY void OVX_API_CALL ovxAddLogEntry(void *ref, ovx_status status, const char *message, ...);
OVX_API_ENTRY void OVX_API_CALL ovxRegisterLogCallback(ovx_context context, void (*callback)(ovx_context, void *, ovx_status, const char *), ovx_bool reentrant);

/* ---- tensor functions ---- */
/*! \brief [Immediate] Arithmetic addition of two tensors; dims of 1 are broadcast.
 * \param [in] context The reference to the overall context.
 * \param [in] input1 Input tensor data.
 * \param [in] input2 Input tensor data.
 * \param [in] policy A \ref ovx_convert_policy_e, for the integer types.
 * \param [out] output The output tensor data.
 */
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorAdd(ovx_context context, ovx_tensor input1, ovx_tensor input2, ovx_enum policy, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorSubtract(ovx_context context, ovx_tensor input1, ovx_tensor input2, ovx_enum policy, ovx_tensor output);
/*! \brief [Immediate] output = input1 * input2 * scale. */
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorMultiply(ovx_context context, ovx_tensor input1, ovx_tensor input2, ovx_scalar scale, ovx_enum overflow_policy, ovx_enum rounding_policy, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorTableLookup(ovx_context context, ovx_tensor input1, void *lut, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorTranspose(ovx_context context, ovx_tensor input, ovx_tensor output, ovx_size dimension1, ovx_size dimension2);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorConvertDepth(ovx_context context, ovx_tensor input, ovx_enum policy, ovx_scalar norm, ovx_scalar offset, ovx_tensor output);
/*! \brief [Immediate] output = op(input1) * op(input2) + op(input3); input3 may be NULL. */
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorMatrixMultiply(ovx_context context, ovx_tensor input1, ovx_tensor input2, ovx_tensor input3, const ovx_tensor_matrix_multiply_params_t *matrix_multiply_params, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorConcat(ovx_context context, ovx_object_array inputs, ovx_size dimension, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorReduceMean(ovx_context context, ovx_tensor input, const ovx_int32 *axes, ovx_size num_axes, ovx_bool keep_dims, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorMax(ovx_context context, ovx_tensor input1, ovx_tensor input2, ovx_tensor output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuTensorCopy(ovx_context context, ovx_tensor input, ovx_tensor output);

/* ---- layers ---- */
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuConvolutionLayer(ovx_context context, ovx_tensor inputs, ovx_tensor weights, ovx_tensor biases, const ovx_nn_convolution_params_t *convolution_params, ovx_size size_of_convolution_params, ovx_tensor outputs);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuFullyConnectedLayer(ovx_context context, ovx_tensor inputs, ovx_tensor weights, ovx_tensor biases, ovx_enum overflow_policy, ovx_enum rounding_policy, ovx_tensor outputs);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuPoolingLayer(ovx_context context, ovx_tensor inputs, ovx_enum pooling_type, ovx_size pooling_size_x, ovx_size pooling_size_y, ovx_size pooling_padding_x, ovx_size pooling_padding_y, ovx_enum rounding, ovx_tensor outputs);
/*! \brief [Immediate] softmax over the channels. */
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuSoftmaxLayer(ovx_context context, ovx_tensor inputs, ovx_tensor outputs);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuActivationLayer(ovx_context context, ovx_tensor inputs, ovx_enum function, ovx_float32 a, ovx_float32 b, ovx_tensor outputs);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuBatchNormalizationLayer(ovx_context context, ovx_tensor inputs, ovx_tensor means, ovx_tensor variances, ovx_tensor gamma, ovx_tensor beta, ovx_float32 epsilon, ovx_tensor outputs);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuNormalizationLayer(ovx_context context, ovx_tensor inputs, ovx_enum type, ovx_size normalization_size, ovx_float32 alpha, ovx_float32 beta, ovx_float32 bias, ovx_tensor outputs);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuROIPoolingLayer(ovx_context context, ovx_tensor input_data, ovx_tensor input_rois, ovx_enum pool_type, ovx_tensor output_arr);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuDeconvolutionLayer(ovx_context context, ovx_tensor inputs, ovx_tensor weights, ovx_tensor biases, ovx_size padding_x, ovx_size padding_y, ovx_size a_x, ovx_size a_y, ovx_tensor outputs);

/* ---- vision ---- */
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuColorConvert(ovx_context context, ovx_image src, ovx_image dst);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuAbsDiff(ovx_context context, ovx_image in1, ovx_image in2, ovx_image out);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuAdd(ovx_context context, ovx_image in1, ovx_image in2, ovx_enum policy, ovx_image out);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuAnd(ovx_context context, ovx_image in1, ovx_image in2, ovx_image out);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuMultiply(ovx_context context, ovx_image in1, ovx_image in2, ovx_float32 scale, ovx_enum overflow_policy, ovx_enum rounding_policy, ovx_image out);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuConvolve(ovx_context context, ovx_image input, ovx_matrix conv, ovx_image output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuSobel3x3(ovx_context context, ovx_image input, ovx_image output_x, ovx_image output_y);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuMedian3x3(ovx_context context, ovx_image input, ovx_image output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuMeanStdDev(ovx_context context, ovx_image input, ovx_float32 *mean, ovx_float32 *stddev);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuThreshold(ovx_context context, ovx_image input, ovx_int32 level, ovx_image output);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuScaleImage(ovx_context context, ovx_image src, ovx_image dst, ovx_enum type);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuMinMaxLoc(ovx_context context, ovx_image input, ovx_scalar min_val, ovx_scalar max_val);
OVX_API_ENTRY ovx_status OVX_API_CALL ovxuHarrisCorners(ovx_context context, ovx_image input, ovx_float32 strength_thresh, ovx_float32 min_distance, ovx_int32 block_size, ovx_tensor corners);

#ifdef  __cplusplus
}
#endif

#endif
