//
//  mpk.h
//  Meridian Performance Kernels
//
//  Plain C interface to the tuned kernels of the Meridian M-series GPU.
//  Kernel objects are immutable once made and may be encoded to any number
//  of command buffers. Nothing runs before the buffer is committed.
//
#ifndef MPK_H
#define MPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MPK_EXTERN extern "C"
#else
#define MPK_EXTERN extern
#endif

#define MPK_AVAILABLE(v)

typedef struct MPKDevice_s        *MPKDeviceRef;
typedef struct MPKQueue_s         *MPKQueueRef;
typedef struct MPKCommandBuffer_s *MPKCommandBufferRef;
typedef struct MPKBuffer_s        *MPKBufferRef;
typedef struct MPKMatrix_s        *MPKMatrixRef;
typedef struct MPKImage_s         *MPKImageRef;
typedef struct MPKKernel_s        *MPKKernelRef;

typedef enum MPKDataType {
    MPKDataTypeFloat32 = 0x10000020,
    MPKDataTypeFloat16 = 0x10000010,
    MPKDataTypeInt8    = 0x20000008,
} MPKDataType;

typedef enum MPKStorageMode { MPKStorageShared, MPKStoragePrivate } MPKStorageMode;

typedef struct MPKMatrixDescriptor {
    size_t rows, columns, matrices;
    size_t rowBytes, matrixBytes;
    MPKDataType dataType;
} MPKMatrixDescriptor;

typedef struct MPKConvolutionDescriptor {
    size_t kernelWidth, kernelHeight;
    size_t inputFeatureChannels, outputFeatureChannels;
    size_t strideInPixelsX, strideInPixelsY;
    size_t dilationRateX, dilationRateY;
    size_t groups;
} MPKConvolutionDescriptor;

// Devices, queues and command buffers
MPK_EXTERN size_t       MPKCopyAllDevices(MPKDeviceRef *outDevices, size_t capacity);
MPK_EXTERN MPKDeviceRef MPKCreateSystemDefaultDevice(void);
MPK_EXTERN bool         MPKDeviceSupports(MPKDeviceRef device, uint32_t family);
MPK_EXTERN size_t       MPKDeviceRecommendedMaxWorkingSet(MPKDeviceRef device);
MPK_EXTERN MPKQueueRef  MPKDeviceNewQueue(MPKDeviceRef device);
MPK_EXTERN void         MPKQueueRelease(MPKQueueRef queue);
MPK_EXTERN MPKCommandBufferRef MPKQueueCommandBuffer(MPKQueueRef queue);
MPK_EXTERN void         MPKCommandBufferCommit(MPKCommandBufferRef commandBuffer);
MPK_EXTERN void         MPKCommandBufferWaitUntilCompleted(MPKCommandBufferRef commandBuffer);
MPK_EXTERN const char  *MPKCommandBufferCopyErrorText(MPKCommandBufferRef commandBuffer);
MPK_EXTERN double       MPKCommandBufferGPUTime(MPKCommandBufferRef commandBuffer);

// Memory
MPK_EXTERN MPKBufferRef MPKDeviceNewBuffer(MPKDeviceRef device, size_t length, MPKStorageMode mode);
MPK_EXTERN MPKBufferRef MPKDeviceNewBufferWithBytesNoCopy(MPKDeviceRef device, void *bytes, size_t length);
MPK_EXTERN void        *MPKBufferContents(MPKBufferRef buffer);
MPK_EXTERN void         MPKBufferDidModifyRange(MPKBufferRef buffer, size_t location, size_t length);
MPK_EXTERN void         MPKBufferRelease(MPKBufferRef buffer);
MPK_EXTERN void         MPKBlitCopyBuffer(MPKCommandBufferRef commandBuffer, MPKBufferRef source, size_t sourceOffset, MPKBufferRef destination, size_t destinationOffset, size_t size);
MPK_EXTERN void         MPKBlitFillBuffer(MPKCommandBufferRef commandBuffer, MPKBufferRef buffer, size_t location, size_t length, uint8_t value);
MPK_EXTERN MPKMatrixRef MPKMatrixWithBuffer(MPKBufferRef buffer, size_t offset, const MPKMatrixDescriptor *descriptor);
MPK_EXTERN void         MPKMatrixRelease(MPKMatrixRef matrix);
MPK_EXTERN MPKImageRef  MPKImageWithBuffer(MPKBufferRef buffer, size_t offset, size_t width, size_t height, size_t featureChannels, size_t images, MPKDataType type);
MPK_EXTERN void         MPKImageRelease(MPKImageRef image);

// Kernels. The maker names the operation, the encoder gives it its operands.
MPK_EXTERN void         MPKKernelRelease(MPKKernelRef kernel);
MPK_EXTERN void         MPKKernelSetLabel(MPKKernelRef kernel, const char *label);

MPK_EXTERN MPKKernelRef MPKMatrixMultiplicationMake(MPKDeviceRef device, bool transposeLeft, bool transposeRight, size_t resultRows, size_t resultColumns, size_t interiorColumns, double alpha, double beta);
MPK_EXTERN void MPKMatrixMultiplicationEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKMatrixRef leftMatrix, MPKMatrixRef rightMatrix, MPKMatrixRef resultMatrix);
MPK_EXTERN MPKKernelRef MPKMatrixVectorMultiplicationMake(MPKDeviceRef device, bool transpose, size_t rows, size_t columns, double alpha, double beta);
MPK_EXTERN void MPKMatrixVectorMultiplicationEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKMatrixRef inputMatrix, MPKMatrixRef inputVector, MPKMatrixRef resultVector);
MPK_EXTERN MPKKernelRef MPKMatrixSoftMaxMake(MPKDeviceRef device);
MPK_EXTERN void MPKMatrixSoftMaxEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKMatrixRef inputMatrix, MPKMatrixRef resultMatrix);
MPK_EXTERN void MPKMatrixLogSoftMaxEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKMatrixRef inputMatrix, MPKMatrixRef resultMatrix);
MPK_EXTERN MPKKernelRef MPKMatrixFindTopKMake(MPKDeviceRef device, size_t numberOfTopKValues);
MPK_EXTERN void MPKMatrixFindTopKEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKMatrixRef inputMatrix, MPKMatrixRef resultIndexMatrix, MPKMatrixRef resultValueMatrix);
MPK_EXTERN void MPKMatrixCopyEncode(MPKCommandBufferRef commandBuffer, MPKMatrixRef source, MPKMatrixRef destination, bool transposeSource);
MPK_EXTERN void MPKMatrixDecompositionCholeskyEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKMatrixRef sourceMatrix, MPKMatrixRef resultMatrix, MPKBufferRef status) MPK_AVAILABLE(3.0);
MPK_EXTERN void MPKMatrixRandomUniformEncode(MPKCommandBufferRef commandBuffer, MPKMatrixRef destination, float minimum, float maximum, uint64_t seed);

MPK_EXTERN MPKKernelRef MPKCNNConvolutionMake(MPKDeviceRef device, const MPKConvolutionDescriptor *descriptor, const float *kernelWeights, const float *biasTerms);
MPK_EXTERN void MPKCNNConvolutionEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKCNNNeuronReLUEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage, float a);
MPK_EXTERN void MPKCNNNeuronSigmoidEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKCNNNeuronTanHEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage, float a, float b);
MPK_EXTERN void MPKCNNNeuronAbsoluteEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKCNNPoolingMaxEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKCNNPoolingAverageEncode(MPKKernelRef kernel, MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN MPKKernelRef MPKCNNPoolingMake(MPKDeviceRef device, size_t kernelWidth, size_t kernelHeight, size_t strideInPixelsX, size_t strideInPixelsY);
MPK_EXTERN void MPKCNNAddEncode(MPKCommandBufferRef commandBuffer, MPKImageRef primaryImage, MPKImageRef secondaryImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKCNNMultiplyEncode(MPKCommandBufferRef commandBuffer, MPKImageRef primaryImage, MPKImageRef secondaryImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKCNNUpsamplingBilinearEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage, bool alignCorners);

// Image filters
MPK_EXTERN void MPKImageGaussianBlurEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage, float sigma);
MPK_EXTERN void MPKImageSobelEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKImageMedianEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage, size_t kernelDiameter);
MPK_EXTERN void MPKImageThresholdToZeroEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage, float threshold);
MPK_EXTERN void MPKImageIntegralEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKImageRef destinationImage);
MPK_EXTERN void MPKImageHistogramEncode(MPKCommandBufferRef commandBuffer, MPKImageRef sourceImage, MPKBufferRef histogram, size_t entries);

#endif
