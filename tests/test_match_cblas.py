"""The matcher on a header that nobody here wrote: OpenBLAS's cblas.h from Debian."""

from __future__ import annotations

from collections import Counter

import pytest

from header_helpers import CBLAS, reason, roles
from torchfl import catalogue
from torchfl_sdk.header import HeaderModel, read_headers
from torchfl_sdk.match import MatchResult, match

pytestmark = pytest.mark.sdk


@pytest.fixture(scope="module")
def model() -> HeaderModel:
    assert CBLAS.exists(), "install libopenblas-pthread-dev"
    return read_headers([CBLAS])


@pytest.fixture(scope="module")
def cblas(model: HeaderModel) -> MatchResult:
    return match(model, catalogue.OPS)


def test_header_is_read_completely(model: HeaderModel) -> None:
    assert len(model.functions) == 201
    assert model.excluded == ()
    gemm = model.function("cblas_sgemm")
    assert gemm is not None
    assert gemm.params[3].type.aliases == ("blasint",)
    assert gemm.params[3].type.bits == 32
    assert [c.value for c in model.enums["CBLAS_TRANSPOSE"].constants] == [111, 112, 113, 114]


@pytest.mark.parametrize(
    ("op", "first", "impl"), [("aten::mm", "self", "cblas_mm"), ("aten::addmm", "mat1", "cblas_addmm")]
)
def test_gemm_is_one_binding_with_two_calls(cblas: MatchResult, op: str, first: str, impl: str) -> None:
    binding = cblas.binding(op)
    assert binding is not None
    assert binding.impl == impl
    assert [(c.function, c.dtypes, c.dtypes_proved, c.returns) for c in binding.calls] == [
        ("cblas_sgemm", ("float32",), True, "void"),
        ("cblas_dgemm", ("float64",), True, "void"),
    ]
    assert (binding.style, binding.layout, binding.constraints) == ("blas", "matrix", ())
    assert roles(cblas, op) == [
        *("order", f"trans.{first}", "trans.mat2", "m", "n", "k", "gemm_alpha", first, f"ld.{first}"),
        *("mat2", "ld.mat2", "gemm_beta", "out", "ld.out"),
    ]
    order, trans = binding.calls[0].arguments[:2]
    assert dict(order.values) == {"row": "CblasRowMajor", "column": "CblasColMajor"}
    assert dict(trans.values) == {"n": "CblasNoTrans", "t": "CblasTrans"}


def test_nothing_else_is_claimed(cblas: MatchResult) -> None:
    assert {b.op for b in cblas.bindings} == {"aten::mm", "aten::addmm"}
    assert cblas.runtime == ()
    assert cblas.memory == "host"
    assert (cblas.status.ctype, cblas.status.success) == ("", "")


def test_every_function_is_accounted_for_once(model: HeaderModel, cblas: MatchResult) -> None:
    bound = {c.function for b in cblas.bindings for c in b.calls}
    counts = Counter([*bound, *(u.function for u in cblas.unbound)])
    assert set(counts) == {f.name for f in model.functions}
    assert set(counts.values()) == {1}


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("cblas_cgemm", "complex"),
        ("cblas_zdotu", "complex"),
        ("cblas_isamax", "absolute value"),
        ("cblas_sasum", "absolute values"),
        ("cblas_sgemv", "not generated yet"),
        ("cblas_ddot", "not generated yet"),
        ("cblas_sbgemm", "mixes element types"),
    ],
)
def test_reasons(cblas: MatchResult, function: str, says: str) -> None:
    assert says in reason(cblas, function)
