"""Functions that return their result: none of their arguments is it; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, matched, ops

RETURNED = """
#include <stddef.h>
#include <stdint.h>
typedef struct qz_value qz_value;
qz_value *qz_Exp(qz_value *X);
qz_value *qz_Tanh(qz_value *X);
qz_value *qz_Sqrt(qz_value *X);
qz_value *qz_Add(qz_value *A, qz_value *B);
qz_value *qz_Mul(qz_value *A, qz_value *B);
qz_value *qz_Div(qz_value *A, qz_value *B);
qz_value *qz_MatMul(qz_value *A, qz_value *B);
qz_value *qz_Pow(qz_value *X, qz_value *Y);
qz_value *qz_Where(qz_value *condition, qz_value *X, qz_value *Y);
qz_value *qz_CumSum(qz_value *x, qz_value *axis, int64_t reverse);
qz_value *qz_Expand(qz_value *input, qz_value *shape);
qz_value *qz_ReduceMax(qz_value *data, int64_t *axes, size_t axes_size, int64_t keepdims);
qz_value *qz_Transpose(qz_value *data, int64_t *perm, size_t perm_size);
qz_value *qz_AveragePool(qz_value *X, int64_t *kernel_shape, size_t kernel_shape_size, int64_t *pads, size_t pads_size,
                         int64_t *strides, size_t strides_size);
typedef struct qz_value_seq qz_value_seq;
qz_value_seq *qz_TopK(qz_value *X, qz_value *K, int64_t axis);
qz_value *qz_Max(qz_value *X, int64_t *indices);
"""


def test_where_all_return_their_result_no_argument_is_one(tmp_path: Path) -> None:
    result = matched(tmp_path, RETURNED)
    assert ops(result)["qz_Pow"] == "aten::pow.Tensor_Tensor"
    assert arguments(result, "qz_Pow") == {"X": "input", "Y": "input2"}
    assert arguments(result, "qz_Where") == {"condition": "condition", "X": "input", "Y": "input2"}


def test_a_tensor_called_like_an_attribute_is_one(tmp_path: Path) -> None:
    result = matched(tmp_path, RETURNED)
    assert arguments(result, "qz_CumSum")["axis"] == "axis"
    assert arguments(result, "qz_Expand") == {"input": "input", "shape": "shape.output"}
    assert arguments(result, "qz_TopK") == {"X": "input", "K": "k", "axis": "axis"}


def test_integers_called_like_extents_beside_objects_are_attributes(tmp_path: Path) -> None:
    result = matched(tmp_path, RETURNED)
    reduced = arguments(result, "qz_ReduceMax")
    assert (reduced["data"], reduced["axes"], reduced["keepdims"]) == ("input", "dims", "keepdim")
    assert (arguments(result, "qz_Transpose")["data"], arguments(result, "qz_Transpose")["perm"]) == ("input", "dims")
    pooled = arguments(result, "qz_AveragePool")
    assert [pooled[n] for n in ("X", "kernel_shape", "pads", "strides")] == ["input", "kernel", "padding", "stride"]


def test_indices_beside_objects_are_still_a_tensor(tmp_path: Path) -> None:
    result = matched(tmp_path, RETURNED)
    assert arguments(result, "qz_Max")["indices"] == "indices"
