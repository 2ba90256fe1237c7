"""Reductions that return their value and write where it was; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, matched, ops

REDUCTIONS = """
#include <stdint.h>
typedef int16_t zr_q15_t;
typedef uint8_t zr_u8_t;
zr_q15_t zr_dsp_max_q15(const zr_q15_t *src, uint32_t size, uint32_t *index);
zr_u8_t zr_dsp_min_u8(const zr_u8_t *src, uint32_t size, uint32_t *index);
float zr_dsp_max_f32(const float *src, uint32_t size, uint32_t *index);
int32_t zr_dsp_mean_q31(const int32_t *src, uint32_t size, int32_t *result);
"""


def test_the_value_is_returned_where_a_pointer_gets_its_place(tmp_path: Path) -> None:
    result = matched(tmp_path, REDUCTIONS)
    assert ops(result)["zr_dsp_max_q15"] == ops(result)["zr_dsp_max_f32"] == "aten::max.dim"
    for function in ("zr_dsp_max_q15", "zr_dsp_min_u8", "zr_dsp_max_f32"):
        assert arguments(result, function) == {"src": "input", "size": "numel", "index": "indices"}


def test_an_integer_beside_a_written_result_is_a_status(tmp_path: Path) -> None:
    assert arguments(matched(tmp_path, REDUCTIONS), "zr_dsp_mean_q31")["result"] == "output"


PRODUCTS = """
#include <stddef.h>
void yk_vec_dot_f32(int n, float *s, size_t bs, const float *x, size_t bx, const float *y, size_t by);
void yk_vec_dotp_f64(int n, double *u, double *v, double *w);
"""


def test_a_product_of_vectors_is_where_alone_may_be_written(tmp_path: Path) -> None:
    result = matched(tmp_path, PRODUCTS)
    found = arguments(result, "yk_vec_dot_f32")
    assert [found[n] for n in ("s", "x", "y")] == ["output", "input", "input2"]
    assert arguments(result, "yk_vec_dotp_f64")["w"] == "output"


NUMBERS = """
void yk_max(int n, float alpha, const float *x, float *y);
void yk_min(int n, const float *x, float *y);
double yk_soft_max(int n, float *y, const float *x, float max);
void yk_softmax(int n, const float *x, float *y);
void yk_scale(float *output, float *scales, int batch, int n);
void yk_scal(int n, float alpha, const float *x, float *y);
void yk_inv_std(int n, float epsilon, const float *var, float *inv_std);
void yk_rsqrt(int n, const float *x, float *y);
void yk_logit(int n, float eps, const float *x, float *y);
"""


def test_a_number_that_each_element_is_compared_with_makes_no_reduction(tmp_path: Path) -> None:
    result = matched(tmp_path, NUMBERS)
    assert "yk_max" not in ops(result)
    assert ops(result)["yk_min"] == "aten::min"


def test_a_softmax_that_is_told_its_maximum(tmp_path: Path) -> None:
    found = ops(matched(tmp_path, NUMBERS))
    assert found["yk_softmax"] == "aten::_softmax"
    assert "yk_soft_max" not in found


def test_scaling_by_a_number_needs_one(tmp_path: Path) -> None:
    result = matched(tmp_path, NUMBERS)
    assert "yk_scale" not in ops(result)
    assert ops(result)["yk_scal"] == "aten::mul.Scalar"


def test_what_is_added_before_a_function_is_taken_makes_it_another(tmp_path: Path) -> None:
    result = matched(tmp_path, NUMBERS)
    assert "yk_inv_std" not in ops(result)
    assert ops(result)["yk_rsqrt"] == "aten::rsqrt"
    assert ops(result)["yk_logit"] == "aten::logit"
