"""Libraries that create an op from layouts and sizes and run any of them by one call; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, matched, ops

CREATED = """
#include <stddef.h>
typedef struct pv_prim_s *pvPrimitive_t;
typedef struct pv_layout_s *pvLayout_t;
typedef struct pv_attr_s *pvPrimitiveAttributes_t;
typedef enum { PV_OK, PV_BAD } pvError_t;
typedef enum { PV_CONV_DIRECT, PV_POOL_MAX, PV_POOL_AVG } pvAlgorithm_t;
pvError_t pvExecute_F32(pvPrimitive_t primitive, void *resources[]);
pvError_t pvDelete_F32(pvPrimitive_t primitive);
pvError_t pvLayoutCreate_F32(pvLayout_t *pLayout, size_t dimension, const size_t size[], const size_t strides[]);
pvError_t pvConvolutionCreateForward_F32(pvPrimitive_t *pConvolution, pvPrimitiveAttributes_t attributes,
    pvAlgorithm_t algorithm, size_t dimension, const size_t srcSize[], const size_t dstSize[],
    const size_t filterSize[], const size_t convolutionStrides[], const int inputOffset[]);
pvError_t pvConvolutionCreateForwardBias_F32(pvPrimitive_t *pConvolution, pvPrimitiveAttributes_t attributes,
    pvAlgorithm_t algorithm, size_t dimension, const size_t srcSize[], const size_t dstSize[],
    const size_t filterSize[], const size_t convolutionStrides[], const int inputOffset[]);
pvError_t pvConvolutionCreateBackwardData_F32(pvPrimitive_t *pConvolution, pvPrimitiveAttributes_t attributes,
    pvAlgorithm_t algorithm, size_t dimension, const size_t srcSize[], const size_t dstSize[],
    const size_t filterSize[], const size_t convolutionStrides[], const int inputOffset[]);
pvError_t pvReLUCreateForward_F32(pvPrimitive_t *pRelu, pvPrimitiveAttributes_t attributes,
    const pvLayout_t dataLayout, float negativeSlope);
pvError_t pvReLUCreateBackward_F32(pvPrimitive_t *pRelu, pvPrimitiveAttributes_t attributes,
    const pvLayout_t diffLayout, const pvLayout_t dataLayout, float negativeSlope);
pvError_t pvBatchNormalizationCreateForward_v2_F32(pvPrimitive_t *pNorm, pvPrimitiveAttributes_t attributes,
    const pvLayout_t dataLayout, float eps, unsigned int flags);
pvError_t pvInnerProductCreateForward_F32(pvPrimitive_t *pInner, pvPrimitiveAttributes_t attributes,
    size_t dimensions, const size_t srcSize[], size_t outputChannels);
pvError_t pvConcatCreate_F32(pvPrimitive_t *pConcat, pvPrimitiveAttributes_t attributes, size_t nSrcTensors,
    pvLayout_t *src);
pvError_t pvExpCreateTable_F32(pvPrimitive_t *pTable, size_t size);
pvError_t pvSortCreateForward_F32(pvLayout_t *pLayout, size_t size);
"""


def test_the_op_stands_before_create_and_the_direction_behind_it(tmp_path: Path) -> None:
    result = matched(tmp_path, CREATED)
    assert ops(result) == {
        "pvConvolutionCreateForward_F32": "aten::convolution",
        "pvConvolutionCreateForwardBias_F32": "aten::convolution",
        "pvConvolutionCreateBackwardData_F32": "aten::convolution_backward",
        "pvReLUCreateForward_F32": "aten::leaky_relu",
        "pvReLUCreateBackward_F32": "aten::leaky_relu_backward",
        "pvBatchNormalizationCreateForward_v2_F32": "aten::native_batch_norm",
        "pvInnerProductCreateForward_F32": "aten::linear",
        "pvConcatCreate_F32": "aten::cat",
    }


def test_sizes_and_layouts_are_about_the_tensors_that_are_bound_later(tmp_path: Path) -> None:
    result = matched(tmp_path, CREATED)
    found = arguments(result, "pvConvolutionCreateForward_F32")
    assert found == {
        "pConvolution": "op_out", "attributes": "attr", "algorithm": "algo", "dimension": found["dimension"],
        "srcSize": "shape.input", "dstSize": "shape.output", "filterSize": "shape.weight",
        "convolutionStrides": "stride", "inputOffset": "padding",
    }  # fmt: skip
    relu = arguments(result, "pvReLUCreateForward_F32")
    assert (relu["dataLayout"], relu["negativeSlope"]) == ("desc.input", "negative_slope")
