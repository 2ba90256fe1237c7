/* A descriptor SDK: every tensor is a pointer and a descriptor, modes hide in descriptors that setters fill. */
#include <stddef.h>
#include <stdint.h>
typedef struct dsHandle *dsHandle_t;
typedef struct dsTensor *dsTensorDescriptor_t;
typedef struct dsActivation *dsActivationDescriptor_t;
typedef enum { DS_SUCCESS = 0, DS_ALLOC_FAILED = 1, DS_BAD_PARAM = 2 } dsStatus_t;
typedef enum { DS_ACTIVATION_PASS = 0, DS_ACTIVATION_LOGISTIC = 1, DS_ACTIVATION_TANH = 2, DS_ACTIVATION_RELU = 3,
               DS_ACTIVATION_CLIPPED_RELU = 4, DS_ACTIVATION_ELU = 5 } dsActivationMode_t;
typedef enum { DS_REDUCE_ADD = 0, DS_REDUCE_MUL = 1, DS_REDUCE_MAX = 2, DS_REDUCE_AMAX = 3, DS_REDUCE_AVG = 4 } dsReduceOp_t;
dsStatus_t dsCreate(dsHandle_t *handle);
dsStatus_t dsDestroy(dsHandle_t handle);
dsStatus_t dsSetStream(dsHandle_t handle, void *stream);
dsStatus_t dsCreateTensorDescriptor(dsTensorDescriptor_t *desc);
dsStatus_t dsSetActivationDescriptor(dsActivationDescriptor_t desc, dsActivationMode_t mode, double coef);
dsStatus_t dsActivationForward(dsHandle_t handle, dsActivationDescriptor_t actDesc, const void *alpha,
                               const dsTensorDescriptor_t xDesc, const void *x, const void *beta,
                               const dsTensorDescriptor_t yDesc, void *y);
dsStatus_t dsReduce(dsHandle_t handle, dsReduceOp_t op, const dsTensorDescriptor_t xDesc, const void *x,
                    const dsTensorDescriptor_t yDesc, void *y);
dsStatus_t dsConvolutionForward(dsHandle_t handle, const dsTensorDescriptor_t xDesc, const void *x,
                                const dsTensorDescriptor_t wDesc, const void *w, void *workspace, size_t workspaceSize,
                                const dsTensorDescriptor_t yDesc, void *y);
dsStatus_t dsGetConvolutionForwardWorkspaceSize(dsHandle_t handle, const dsTensorDescriptor_t xDesc,
                                                const dsTensorDescriptor_t wDesc, size_t *size);
dsStatus_t dsConvolutionBiasActivationForward(dsHandle_t handle, const dsTensorDescriptor_t xDesc, const void *x,
                                              const dsTensorDescriptor_t wDesc, const void *w, const void *bias,
                                              const dsTensorDescriptor_t yDesc, void *y);
dsStatus_t dsIndexSelect(dsHandle_t handle, int dim, const dsTensorDescriptor_t inputDesc, const void *input,
                         const dsTensorDescriptor_t indexDesc, const int *index, const dsTensorDescriptor_t outputDesc,
                         void *output);
dsStatus_t dsTopK(dsHandle_t handle, const dsTensorDescriptor_t inputDesc, const void *input, int k, int dim,
                  const dsTensorDescriptor_t valuesDesc, void *values, const dsTensorDescriptor_t indicesDesc,
                  void *indices);
dsStatus_t dsLayerNormForward(dsHandle_t handle, const dsTensorDescriptor_t xDesc, const void *x, const void *weight,
                              const void *bias, float epsilon, const dsTensorDescriptor_t yDesc, void *y, void *mean,
                              void *rstd);
