/* An imagined vendor's header. */
#ifndef VLNN_H_
#define VLNN_H_

#include "vlrt.h"

#define VLNN_MAJOR 1
#define VLNN_MINOR 9
#define VLNN_PATCHLEVEL 2
#define VLNN_DIM_MAX 8

#ifndef VLNN_WIN_API
#define VLNN_WIN_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/*! @brief Describes function return status. */
typedef enum {
  VLNN_STATUS_SUCCESS         = 0, /*!< The operation is successfully completed. */
  VLNN_STATUS_NOT_INITIALIZED = 1,
  VLNN_STATUS_ALLOC_FAILED    = 2,
  VLNN_STATUS_BAD_PARAM       = 3,
  VLNN_STATUS_INTERNAL_ERROR  = 4,
  VLNN_STATUS_EXECUTION_FAILED = 5,
  VLNN_STATUS_NOT_SUPPORTED   = 6,
} vlnnStatus_t;

typedef enum { VLNN_LAYOUT_NCHW = 0, VLNN_LAYOUT_NHWC = 1, VLNN_LAYOUT_ARRAY = 2, VLNN_LAYOUT_TNC = 3 } vlnnTensorLayout_t;

typedef enum {
  VLNN_DTYPE_INVALID  = 0,
  VLNN_DTYPE_HALF     = 1,
  VLNN_DTYPE_FLOAT    = 2,
  VLNN_DTYPE_DOUBLE   = 14,
  VLNN_DTYPE_INT8     = 3,
  VLNN_DTYPE_INT16    = 4,
  VLNN_DTYPE_INT32    = 5,
  VLNN_DTYPE_INT64    = 9,
  VLNN_DTYPE_UINT8    = 6,
  VLNN_DTYPE_BOOL     = 8,
  VLNN_DTYPE_BFLOAT16 = 20,
} vlnnDataType_t;

typedef enum { VLNN_NOT_PROPAGATE_NAN = 0, VLNN_PROPAGATE_NAN = 1 } vlnnNanPropagation_t;

typedef enum {
  VLNN_ACTIVATION_SIGMOID = 0,
  VLNN_ACTIVATION_RELU = 1,
  VLNN_ACTIVATION_TANH = 2,
  VLNN_ACTIVATION_CLIPPED_RELU = 3, /*!< min(max(x, 0), coef) */
  VLNN_ACTIVATION_ELU = 4,          /*!< x > 0 ? x : coef * (exp(x) - 1) */
  VLNN_ACTIVATION_LEAKYRELU = 5,    /*!< x > 0 ? x : coef * x */
  VLNN_ACTIVATION_GELU = 6,
  VLNN_ACTIVATION_SWISH = 7,
} vlnnActivationMode_t;

typedef enum { VLNN_POOLING_MAX = 0, VLNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1, VLNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2 } vlnnPoolingMode_t;

typedef enum {
  VLNN_REDUCE_ADD = 0, VLNN_REDUCE_AVG = 1, VLNN_REDUCE_MUL = 2, VLNN_REDUCE_MAX = 3, VLNN_REDUCE_MIN = 4,
  VLNN_REDUCE_AND = 5, VLNN_REDUCE_OR = 6, VLNN_REDUCE_NORM1 = 7, VLNN_REDUCE_NORM2 = 8,
} vlnnReduceOp_t;

typedef enum { VLNN_OP_TENSOR_ADD = 0, VLNN_OP_TENSOR_SUB = 1, VLNN_OP_TENSOR_MUL = 2 } vlnnOpTensorDesc_t;

typedef enum {
  VLNN_LOGIC_OP_EQ = 0, VLNN_LOGIC_OP_NE = 1, VLNN_LOGIC_OP_GT = 2, VLNN_LOGIC_OP_GE = 3, VLNN_LOGIC_OP_LT = 4, VLNN_LOGIC_OP_LE = 5,
  VLNN_LOGIC_OP_AND = 6, VLNN_LOGIC_OP_OR = 7, VLNN_LOGIC_OP_XOR = 8, VLNN_LOGIC_OP_NOT = 9,
} vlnnLogicOp_t;

typedef enum { VLNN_SOFTMAX_ACCURATE = 0, VLNN_SOFTMAX_LOG = 1 } vlnnSoftmaxAlgorithm_t;
typedef enum { VLNN_SOFTMAX_MODE_HIGH_DIMENSION = 0, VLNN_SOFTMAX_MODE_MEDIUM_DIMENSION = 1, VLNN_SOFTMAX_MODE_LOW_DIMENSION = 2 } vlnnSoftmaxMode_t;
typedef enum { VLNN_CONVOLUTION_FWD_ALGO_DIRECT = 0, VLNN_CONVOLUTION_FWD_ALGO_GEMM = 1 } vlnnConvolutionForwardAlgo_t;

typedef struct vlnnContext *vlnnHandle_t;
typedef struct vlnnTensorStruct *vlnnTensorDescriptor_t;
typedef struct vlnnConvolutionStruct *vlnnConvolutionDescriptor_t;
typedef struct vlnnPoolingStruct *vlnnPoolingDescriptor_t;
typedef struct vlnnActivationStruct *vlnnActivationDescriptor_t;
typedef struct vlnnReduceStruct *vlnnReduceDescriptor_t;
typedef struct vlnnTransposeStruct *vlnnTransposeDescriptor_t;

const char *vlnnGetErrorString(vlnnStatus_t status);
size_t vlnnGetVersion(void);

// Group: Runtime Management
/*!
 * @brief Creates the context that holds the queue.
 */
vlnnStatus_t VLNN_WIN_API vlnnCreate(vlnnHandle_t *handle);
vlnnStatus_t VLNN_WIN_API vlnnDestroy(vlnnHandle_t handle);
vlnnStatus_t VLNN_WIN_API vlnnSetQueue(vlnnHandle_t handle, vlQueue_t queue);
vlnnStatus_t VLNN_WIN_API vlnnGetQueue(vlnnHandle_t handle, vlQueue_t *queue);

// Group: Tensor
vlnnStatus_t VLNN_WIN_API vlnnCreateTensorDescriptor(vlnnTensorDescriptor_t *desc);
vlnnStatus_t VLNN_WIN_API vlnnSetTensorDescriptor(vlnnTensorDescriptor_t desc, vlnnTensorLayout_t layout, vlnnDataType_t dtype, int dimNb, const int dimSize[]);
vlnnStatus_t VLNN_WIN_API vlnnSetTensorDescriptorEx(vlnnTensorDescriptor_t desc, vlnnTensorLayout_t layout, vlnnDataType_t dtype, int dimNb, const int dimSize[], const int dimStride[]);
vlnnStatus_t VLNN_WIN_API vlnnGetTensorDescriptor(const vlnnTensorDescriptor_t desc, vlnnTensorLayout_t *layout, vlnnDataType_t *dtype, int *dimNb, int dimSize[]);
vlnnStatus_t VLNN_WIN_API vlnnDestroyTensorDescriptor(vlnnTensorDescriptor_t desc);

// Group: Descriptors of operations
vlnnStatus_t VLNN_WIN_API vlnnCreateConvolutionDescriptor(vlnnConvolutionDescriptor_t *conv_desc);
/*!
 * @brief pad holds top, bottom, left, right; stride and dilation hold height, width.
 */
vlnnStatus_t VLNN_WIN_API vlnnSetConvolutionDescriptor(vlnnConvolutionDescriptor_t conv_desc, int dimNb, const int pad[], const int stride[], const int dilation[], int group_count, vlnnDataType_t compute_type);
vlnnStatus_t VLNN_WIN_API vlnnDestroyConvolutionDescriptor(vlnnConvolutionDescriptor_t conv_desc);
vlnnStatus_t VLNN_WIN_API vlnnCreatePoolingDescriptor(vlnnPoolingDescriptor_t *pooling_desc);
vlnnStatus_t VLNN_WIN_API vlnnSetPooling2dDescriptor(vlnnPoolingDescriptor_t pooling_desc, vlnnPoolingMode_t mode, vlnnNanPropagation_t maxpooling_nan_opt, int window_height, int window_width, int top_padding, int bottom_padding, int left_padding, int right_padding, int vertical_stride, int horizontal_stride, int ceil_mode);
vlnnStatus_t VLNN_WIN_API vlnnDestroyPoolingDescriptor(vlnnPoolingDescriptor_t pooling_desc);
vlnnStatus_t VLNN_WIN_API vlnnCreateActivationDescriptor(vlnnActivationDescriptor_t *activation_desc);
vlnnStatus_t VLNN_WIN_API vlnnSetActivationDescriptor(vlnnActivationDescriptor_t activation_desc, vlnnActivationMode_t mode, vlnnNanPropagation_t nan_prop, float coef);
vlnnStatus_t VLNN_WIN_API vlnnDestroyActivationDescriptor(vlnnActivationDescriptor_t activation_desc);
vlnnStatus_t VLNN_WIN_API vlnnCreateReduceDescriptor(vlnnReduceDescriptor_t *reduce_desc);
vlnnStatus_t VLNN_WIN_API vlnnSetReduceDescriptor(vlnnReduceDescriptor_t reduce_desc, const int axis[], int axis_num, vlnnReduceOp_t reduce_op, vlnnDataType_t compute_type);
vlnnStatus_t VLNN_WIN_API vlnnDestroyReduceDescriptor(vlnnReduceDescriptor_t reduce_desc);
vlnnStatus_t VLNN_WIN_API vlnnCreateTransposeDescriptor(vlnnTransposeDescriptor_t *desc);
vlnnStatus_t VLNN_WIN_API vlnnSetTransposeDescriptor(vlnnTransposeDescriptor_t desc, int dims, const int permute[]);
vlnnStatus_t VLNN_WIN_API vlnnDestroyTransposeDescriptor(vlnnTransposeDescriptor_t desc);

// Group: ActivationForward
/*!
 * @brief y = alpha * act(x) + beta * y. alpha and beta are pointers to host memory; they must be 1 and 0 in this release.
 */
vlnnStatus_t VLNN_WIN_API vlnnActivationForward(vlnnHandle_t handle, const vlnnActivationDescriptor_t activation_desc, const void *alpha, const vlnnTensorDescriptor_t x_desc, const void *x, const void *beta, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnActivationBackward(vlnnHandle_t handle, const vlnnActivationDescriptor_t activation_desc, const void *alpha, const vlnnTensorDescriptor_t y_desc, const void *y, const vlnnTensorDescriptor_t diff_y_desc, const void *diff_y, const vlnnTensorDescriptor_t x_desc, const void *x, const void *beta, const vlnnTensorDescriptor_t diff_x_desc, void *diff_x);

// Group: ConvolutionForward
vlnnStatus_t VLNN_WIN_API vlnnGetConvolutionForwardWorkspaceSize(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const vlnnTensorDescriptor_t w_desc, const vlnnTensorDescriptor_t bias_desc, const vlnnTensorDescriptor_t y_desc, const vlnnConvolutionDescriptor_t conv_desc, vlnnConvolutionForwardAlgo_t algo, size_t *workspace_size);
vlnnStatus_t VLNN_WIN_API vlnnConvolutionForward(vlnnHandle_t handle, const vlnnConvolutionDescriptor_t conv_desc, vlnnConvolutionForwardAlgo_t algo, const void *alpha, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t w_desc, const void *w, const vlnnTensorDescriptor_t bias_desc, const void *bias, void *workspace, size_t workspace_size, const void *beta, const vlnnTensorDescriptor_t y_desc, void *y);

// Group: PoolingForward
vlnnStatus_t VLNN_WIN_API vlnnGetPoolingWorkspaceSize(vlnnHandle_t handle, vlnnPoolingMode_t mode, int out_w, int out_h, size_t *workspace_size);
vlnnStatus_t VLNN_WIN_API vlnnPoolingForward(vlnnHandle_t handle, const vlnnPoolingDescriptor_t pooling_desc, const void *alpha, const vlnnTensorDescriptor_t x_desc, const void *x, const void *beta, const vlnnTensorDescriptor_t y_desc, void *y, void *workspace, size_t workspace_size);

// Group: Softmax
vlnnStatus_t VLNN_WIN_API vlnnSoftmaxForward(vlnnHandle_t handle, vlnnSoftmaxAlgorithm_t algorithm, vlnnSoftmaxMode_t mode, const void *alpha, const vlnnTensorDescriptor_t x_desc, const void *x, const void *beta, const vlnnTensorDescriptor_t y_desc, void *y);

// Group: OpTensor
/*!
 * @brief c = op(alpha1 * a, alpha2 * b) + beta * c. Dimensions of size one of a and b are broadcast.
 */
vlnnStatus_t VLNN_WIN_API vlnnOpTensor(vlnnHandle_t handle, vlnnOpTensorDesc_t op, const void *alpha1, const vlnnTensorDescriptor_t a_desc, const void *a, const void *alpha2, const vlnnTensorDescriptor_t b_desc, const void *b, void *workspace, size_t workspace_size, const void *beta, const vlnnTensorDescriptor_t c_desc, void *c);
vlnnStatus_t VLNN_WIN_API vlnnGetOpTensorWorkspaceSize(vlnnHandle_t handle, const vlnnTensorDescriptor_t a_desc, const vlnnTensorDescriptor_t b_desc, const vlnnTensorDescriptor_t c_desc, size_t *workspace_size);

// Group: Unary and binary
vlnnStatus_t VLNN_WIN_API vlnnAbs(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnExp(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnSqrt(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnRsqrt(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnReciprocal(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnNegTensor(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnFloor(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnDiv(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, const void *y, void *workspace, size_t workspace_size, const vlnnTensorDescriptor_t z_desc, void *z);
vlnnStatus_t VLNN_WIN_API vlnnMaximum(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, const void *y, const vlnnTensorDescriptor_t z_desc, void *z, void *workspace, size_t workspace_size);
vlnnStatus_t VLNN_WIN_API vlnnMinimum(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, const void *y, const vlnnTensorDescriptor_t z_desc, void *z, void *workspace, size_t workspace_size);
vlnnStatus_t VLNN_WIN_API vlnnPow(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, const void *y, void *workspace, size_t workspace_size, const vlnnTensorDescriptor_t z_desc, void *z);
vlnnStatus_t VLNN_WIN_API vlnnLogicOp(vlnnHandle_t handle, vlnnLogicOp_t logic_op, const vlnnTensorDescriptor_t a_desc, const void *a, const vlnnTensorDescriptor_t b_desc, const void *b, void *workspace, size_t workspace_size, const vlnnTensorDescriptor_t o_desc, void *o);
/*! @brief y = min(max(x, *min), *max); either may be NULL. */
vlnnStatus_t VLNN_WIN_API vlnnClip(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, const void *min, const void *max, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnFill(vlnnHandle_t handle, const vlnnTensorDescriptor_t output_desc, void *output, const void *host_value);
vlnnStatus_t VLNN_WIN_API vlnnCopy(vlnnHandle_t handle, const vlnnTensorDescriptor_t input_desc, const void *input, const vlnnTensorDescriptor_t output_desc, void *output);
vlnnStatus_t VLNN_WIN_API vlnnCastDataType(vlnnHandle_t handle, const vlnnTensorDescriptor_t input_desc, const void *input, const vlnnTensorDescriptor_t output_desc, void *output);

// Group: Reduce
vlnnStatus_t VLNN_WIN_API vlnnGetReduceOpWorkspaceSize(vlnnHandle_t handle, const vlnnTensorDescriptor_t input_desc, const vlnnTensorDescriptor_t output_desc, const vlnnReduceDescriptor_t reduce_desc, size_t *workspace_size);
vlnnStatus_t VLNN_WIN_API vlnnReduce(vlnnHandle_t handle, const vlnnReduceDescriptor_t reduce_desc, void *workspace, size_t workspace_size, const void *alpha, const vlnnTensorDescriptor_t input_desc, const void *input, size_t indices_size, void *indices, const void *beta, const vlnnTensorDescriptor_t output_desc, void *output);

// Group: Matmul
vlnnStatus_t VLNN_WIN_API vlnnMatMul(vlnnHandle_t handle, const int is_trans_a, const int is_trans_b, const void *alpha, const vlnnTensorDescriptor_t a_desc, const void *a, const vlnnTensorDescriptor_t b_desc, const void *b, const void *beta, const vlnnTensorDescriptor_t c_desc, void *c);
vlnnStatus_t VLNN_WIN_API vlnnBatchMatMul(vlnnHandle_t handle, const int is_trans_a, const int is_trans_b, const vlnnTensorDescriptor_t a_desc, const void *a, const vlnnTensorDescriptor_t b_desc, const void *b, const vlnnTensorDescriptor_t c_desc, void *c);

// Group: Normalization
vlnnStatus_t VLNN_WIN_API vlnnBatchNormForwardInference(vlnnHandle_t handle, const void *alpha, const void *beta, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t wbmvd, const void *weight, const void *bias, const void *mean, const void *var, float eps, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnLayerNormForward(vlnnHandle_t handle, const vlnnTensorDescriptor_t x_desc, const void *x, int axis, const vlnnTensorDescriptor_t weight_bias_desc, const void *weight, const void *bias, float eps, void *workspace, size_t workspace_size, const vlnnTensorDescriptor_t y_desc, void *y, const vlnnTensorDescriptor_t mean_rstd_desc, void *saved_mean, void *saved_rstd);

// Group: Layout
vlnnStatus_t VLNN_WIN_API vlnnTranspose(vlnnHandle_t handle, const vlnnTransposeDescriptor_t desc, const vlnnTensorDescriptor_t x_desc, const void *x, const vlnnTensorDescriptor_t y_desc, void *y);
vlnnStatus_t VLNN_WIN_API vlnnConcat(vlnnHandle_t handle, const int concat_num, const int axis, const vlnnTensorDescriptor_t inputs_desc[], const void *const inputs[], void *workspace, size_t workspace_size, const vlnnTensorDescriptor_t output_desc, void *output);
vlnnStatus_t VLNN_WIN_API vlnnGetConcatWorkspaceSize(vlnnHandle_t handle, const int concat_num, size_t *workspace_size);
/*! @brief Looks up slices of input along dim by a vector of indices. */
vlnnStatus_t VLNN_WIN_API vlnnIndexSelect(vlnnHandle_t handle, const int dim, const vlnnTensorDescriptor_t input_desc, const void *input, const vlnnTensorDescriptor_t index_desc, const void *index, const vlnnTensorDescriptor_t output_desc, void *output);
vlnnStatus_t VLNN_WIN_API vlnnEmbeddingForward(vlnnHandle_t handle, const vlnnTensorDescriptor_t weight_desc, const void *weight, int padding_idx, const vlnnTensorDescriptor_t indices_desc, const void *indices, const vlnnTensorDescriptor_t output_desc, void *output);

// Group: Detection
vlnnStatus_t VLNN_WIN_API vlnnNms(vlnnHandle_t handle, const vlnnTensorDescriptor_t boxes_desc, const void *boxes, const vlnnTensorDescriptor_t confidence_desc, const void *confidence, float iou_threshold, float confidence_threshold, int max_output, void *workspace, size_t workspace_size, const vlnnTensorDescriptor_t output_desc, void *output, void *output_size);
vlnnStatus_t VLNN_WIN_API vlnnRoiAlign(vlnnHandle_t handle, int sampling_ratio, float spatial_scale, int aligned, const vlnnTensorDescriptor_t input_desc, const void *input, const vlnnTensorDescriptor_t boxes_desc, const void *boxes, const vlnnTensorDescriptor_t output_desc, void *output);

// Group: Quantization
vlnnStatus_t VLNN_WIN_API vlnnQuantizeParam(vlnnHandle_t handle, const vlnnTensorDescriptor_t input_desc, const void *input, int bitwidth, void *workspace, size_t workspace_size, void *position, void *scale);
vlnnStatus_t VLNN_WIN_API vlnnQuantize(vlnnHandle_t handle, const vlnnTensorDescriptor_t input_desc, const void *input, const void *position, const void *scale, const vlnnTensorDescriptor_t output_desc, void *output);
vlnnStatus_t VLNN_WIN_API vlnnSetTensorDescriptorPosition(vlnnTensorDescriptor_t desc, int position);

#if defined(__cplusplus)
}
#endif
#endif  // VLNN_H_
