"""The oracle against kernels that are known to be right or wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from torchfl_sdk.conformance.cases.calling import call, output_dtypes
from torchfl_sdk.conformance.cases.dtypes import torch_dtype
from torchfl_sdk.conformance.cases.recipes import conv_spec
from torchfl_sdk.conformance.cases.samples import Sample, materialise, samples
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec
from torchfl_sdk.conformance.cases.variants import differentiable
from torchfl_sdk.conformance.oracle import Judgement, Semantics, bound, judge, judge_against
from torchfl_sdk.conformance.oracle.bounds import ulp
from torchfl_sdk.conformance.oracle.discrimination import gradient_weakness, is_identity, weakness
from torchfl_sdk.conformance.oracle.gradients import backward, gradient_bounds, incoming, wanted
from torchfl_sdk.conformance.oracle.reference import cast_common

from torchfl import catalogue

FLOATS = ("float32", "float16", "bfloat16", "float64")
MM = catalogue.get("aten::mm")


def mm_sample(m: int, k: int, n: int, dtype: str = "float32", exact: str = "") -> Sample:
    left, right = (exact, "signs") if exact else ("normal", "normal")
    spec = SampleSpec(
        "aten::mm", dtype, (TensorSpec((m, k), left), TensorSpec((k, n), right)), label="t", exact=bool(exact)
    )
    return materialise(spec)


Kernel = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def sequential(a: torch.Tensor, b: torch.Tensor, order: Sequence[int] | None = None) -> torch.Tensor:
    """One float32 addition after another."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    x, y = a.float().numpy(), b.float().numpy()
    for k in order if order is not None else range(a.shape[1]):
        total = total + x[:, k : k + 1] * y[k : k + 1]
    return torch.from_numpy(total).to(a.dtype)


def fused(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Products are not rounded before the float32 addition."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    x, y = a.double().numpy(), b.double().numpy()
    for k in range(a.shape[1]):
        total = (total + x[:, k : k + 1] * y[k : k + 1]).astype(np.float32)
    return torch.from_numpy(total).to(a.dtype)


def blocked(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Partial sums of 16 terms, as a tiled kernel makes them."""
    parts = [a[:, k : k + 16].float() @ b[k : k + 16].float() for k in range(0, a.shape[1], 16)]
    return torch.stack(parts).sum(0).to(a.dtype)


RIGHT: dict[str, Kernel] = {
    "sequential": sequential,
    "backwards": lambda a, b: sequential(a, b, range(a.shape[1] - 1, -1, -1)),
    "fused": fused,
    "blocked": blocked,
    "torch": lambda a, b: (a.float() @ b.float()).to(a.dtype),
}


def lost_tail(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    k = a.shape[1] // 16 * 16
    return a[:, :k] @ b[:k]


def unwritten_rows(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    y = a @ b
    y[a.shape[0] // 16 * 16 :] = 0
    return y


WRONG: dict[str, Kernel] = {
    "lost tail of the sum": lost_tail,
    "unwritten last rows": unwritten_rows,
    "operand transposed": lambda a, b: a @ b.t().contiguous().reshape(b.shape),
    "bfloat16 operands": lambda a, b: (a.bfloat16().float() @ b.bfloat16().float()).to(a.dtype),
    "scaled by 1.01": lambda a, b: (a @ b) * 1.01,
    "off by one part in a thousand": lambda a, b: (a @ b) * 1.001,
    "wrong sign": lambda a, b: -(a @ b),
    "zeros": lambda a, b: torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype),
    "float16 accumulator": lambda a, b: sequential_half(a, b),
    "one element": lambda a, b: spoil(a @ b),
    "NaN": lambda a, b: spoil(a @ b, float("nan")),
    "infinite": lambda a, b: spoil(a @ b, float("inf")),
}


def sequential_half(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float16)
    for k in range(a.shape[1]):
        total = total + (a[:, k : k + 1] * b[k : k + 1]).half()
    return total.to(a.dtype)


def spoil(y: torch.Tensor, value: float | None = None) -> torch.Tensor:
    y[-1, -1] = y[-1, -1] * 1.02 if value is None else value
    return y


@pytest.mark.parametrize("kernel", RIGHT)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(17, 65, 19), (5, 1031, 7), (1, 1, 1), (64, 64, 64)])
def test_right_products_pass(kernel: str, dtype: str, shape: tuple[int, int, int]) -> None:
    sample = mm_sample(*shape, dtype=dtype)
    a, b = sample.inputs
    verdict = judge(MM, sample, RIGHT[kernel](a, b))
    assert verdict.ok, verdict.reason
    assert verdict.worst <= 1


@pytest.mark.parametrize("kernel", WRONG)
def test_wrong_products_fail(kernel: str) -> None:
    sample = mm_sample(37, 73, 73)
    a, b = sample.inputs
    verdict = judge(MM, sample, WRONG[kernel](a, b))
    assert not verdict.ok
    assert "elements wrong" in verdict.reason
    assert verdict.worst > 1


@pytest.mark.parametrize("kernel", RIGHT)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_exact_probes_accept_any_order(kernel: str, dtype: str) -> None:
    bits = {"float32": 12, "float16": 4, "bfloat16": 1}[dtype]
    sample = mm_sample(17, 65, 19, dtype, exact=f"odd:{bits}")
    a, b = sample.inputs
    assert judge(MM, sample, RIGHT[kernel](a, b)) == Judgement(True, "", 0.0)


@pytest.mark.parametrize("downcast", [torch.bfloat16, torch.float16])
def test_exact_probes_expose_downcasts(downcast: torch.dtype) -> None:
    """Also with a float32 accumulator, and where the error is below the rounding bound of a long sum."""
    sample = mm_sample(17, 65, 19, exact="odd:12")
    a, b = sample.inputs
    assert not judge(MM, sample, (a.to(downcast).float() @ b.to(downcast).float())).ok
    tf32 = (a.view(torch.int32) & ~0x1FFF).view(torch.float32)
    assert not judge(MM, sample, tf32 @ b).ok
    assert judge(MM, sample, tf32 @ b, Semantics(tf32=True)).ok


def test_a_device_that_rounds_once_passes_where_torch_itself_differs() -> None:
    """bfloat16 results of float32 arithmetic, rounded once: right by definition."""
    for op in catalogue.OPS:
        for sample in samples(op, "bfloat16", level="quick") if "bfloat16" in op.dtypes else ():
            wide = cast_common(op, sample.inputs, torch.float32)
            promoted = any(t is not None and t.dtype not in ("", "bool", "int64") for t in sample.spec.inputs)
            if op.dtype_rule == "same" or not promoted:
                dtype = torch_dtype(output_dtypes(op, sample.inputs, sample.attrs)[0])
                verdict = judge(op, sample, call(op, wide, sample.attrs).to(dtype))
                assert verdict.ok, f"{op.name} {sample.label}: {verdict.reason}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_torch_passes_in_its_own_precision(dtype: str) -> None:
    for op in catalogue.OPS:
        for sample in samples(op, dtype, level="release") if dtype in op.dtypes else ():
            verdict = judge(op, sample, call(op, sample.inputs, sample.attrs))
            assert verdict.ok, f"{op.name} {sample.label}: {verdict.reason}"


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [op.name for op in catalogue.OPS if op.tier == "T2"])
def test_general_bound_rejects_small_errors(name: str, dtype: str) -> None:
    """Of results that are wrong by 1%, by a shift of one element, or zero."""
    op = catalogue.get(name)
    assert op is not None
    for sample in samples(op, dtype, level="probe"):
        right = call(op, cast_common(op, sample.inputs, torch.float64), sample.attrs).to(sample.inputs[0].dtype)
        assert judge(op, sample, right).ok
        for wrong in (right * 1.02, right.roll(1), torch.zeros_like(right), sample.inputs[0]):
            assert not judge(op, sample, wrong).ok
        last = right.clone()
        last.reshape(-1)[-1] = 0
        assert not judge(op, sample, last).ok


def test_shape_and_dtype_are_part_of_the_result() -> None:
    sample = mm_sample(4, 5, 6)
    y = sample.inputs[0] @ sample.inputs[1]
    assert "shape" in judge(MM, sample, y.t()).reason
    assert "dtype" in judge(MM, sample, y.half()).reason
    with pytest.raises(ValueError, match="not of aten::add"):
        judge(catalogue.get("aten::add"), sample, y)


def test_nan_positions_and_signs_of_infinity() -> None:
    op = catalogue.get("aten::mul")
    assert op is not None
    sample = next(s for s in samples(op, "float32", level="quick") if s.label == "special values")
    right = sample.inputs[0] * sample.inputs[1]
    assert judge(op, sample, right).ok
    at_nan, at_inf = int(right.isnan().nonzero()[0]), int(right.isinf().nonzero()[0])
    for place, value in (
        (at_nan, 0.0),
        (at_inf, -float(right[at_inf])),
        (at_inf, torch.finfo(torch.float32).max),
        (5, float("nan")),
    ):
        wrong = right.clone()
        if not (wrong[place].isnan() and value != value):
            wrong[place] = value
        else:
            wrong[place] = 1.0
        assert not judge(op, sample, wrong).ok


def test_what_the_cpu_itself_gives_is_right_where_it_serves_and_nothing_else() -> None:
    """A NaN of the CPU's own kernel is no leave for any value there."""
    limit = bound(mm_sample(3, 5, 2), Semantics())
    y = torch.from_numpy(limit.reference).float()
    also = limit.reference.copy()
    also[1, 1], also[0, 0] = np.nan, also[0, 0] * 1.5
    widened = dataclasses.replace(limit, also=also)
    assert judge_against(widened, y).ok
    assert judge_against(widened, torch.from_numpy(also).float()).ok
    for place, value in (((1, 1), 7.0), ((1, 1), float("inf")), ((0, 0), 7.0), ((2, 1), float("nan"))):
        wrong = y.clone()
        wrong[place] = value
        assert not judge_against(widened, wrong).ok, (place, value)


def test_flush_to_zero_only_where_declared() -> None:
    spec = SampleSpec("aten::mul", "float32", (TensorSpec((91,), "special:0"), TensorSpec((91,), "nonzero")), label="t")
    sample = materialise(spec)
    op = sample.op
    y = sample.inputs[0] * sample.inputs[1]
    flushed = torch.where(y.abs() < torch.finfo(torch.float32).smallest_normal, torch.zeros_like(y), y)
    assert not torch.equal(flushed.nan_to_num(), y.nan_to_num())
    assert not judge(op, sample, flushed).ok
    assert judge(op, sample, flushed, Semantics(flush_to_zero=True)).ok


@pytest.mark.parametrize("store", ["wrap", "saturate"])
def test_int8_follows_the_profile(store: str) -> None:
    spec = SampleSpec(
        "aten::add", "int8", (TensorSpec((521,), "full_range"), TensorSpec((521,), "full_range")), label="t"
    )
    sample = materialise(spec)
    wide = sample.inputs[0].int() + sample.inputs[1].int()
    results = {"wrap": wide.to(torch.int8), "saturate": wide.clamp(-128, 127).to(torch.int8)}
    for name, result in results.items():
        assert judge(sample.op, sample, result, {"int8_store": store}).ok == (name == store)


def test_int8_convolution_accumulates_wider() -> None:
    op = catalogue.get("aten::conv2d")
    sample = materialise(conv_spec(op, "int8", 0, channels=4, kernel=(3, 3)))
    wide = call(op, [t.double() for t in sample.inputs], sample.attrs)
    assert wide.abs().max() > 127
    assert judge(op, sample, wide.clamp(-128, 127).to(torch.int8), Semantics(int8_store="saturate")).ok
    assert not judge(op, sample, wide.clamp(-128, 127).to(torch.int8)).ok
    assert judge(op, sample, wide.to(torch.int64).to(torch.int8)).ok


def test_exact_ops_distinguish_signed_zero_where_it_is_the_point() -> None:
    op = catalogue.get("aten::neg")
    sample = next(s for s in samples(op, "float32", level="quick") if s.label == "special values")
    assert judge(op, sample, -sample.inputs[0]).ok
    assert not judge(op, sample, 0 - sample.inputs[0]).ok


def test_truncating_accumulators_get_the_longer_bound() -> None:
    sample = mm_sample(3, 1031, 3)
    nearest, truncating = bound(sample, Semantics()), bound(sample, Semantics(truncating=True))
    assert (truncating.tolerance > 3 * nearest.tolerance).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_ulp_is_the_spacing(dtype: str) -> None:
    name = getattr(torch, dtype)
    for value in (1.0, 1.5, 1000.0, float(torch.finfo(name).smallest_normal)):
        t = torch.tensor(value, dtype=torch.float32 if name.itemsize < 8 else name)
        low = t.to(name)
        bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[name.itemsize]
        spacing = (low.view(bits) + 1).view(name).double() - low.double()
        assert float(ulp(np.array([float(low)]), dtype)[0]) == float(spacing)


def test_discrimination_names_what_would_pass() -> None:
    relu = catalogue.get("aten::relu")

    def of(shape: tuple[int, ...], fill: str) -> str:
        sample = materialise(SampleSpec("aten::relu", "float32", (TensorSpec(shape, fill),), label="t"))
        return weakness(bound(sample, Semantics()), sample.inputs)

    assert relu is not None
    assert of((65,), "normal") == ""
    assert of((65,), "positive") == "a copy of input 0 would pass"
    assert of((0,), "normal") == "the result has no elements"
    zeros = materialise(SampleSpec("aten::mm", "float32", (TensorSpec((3, 0)), TensorSpec((0, 3))), label="t"))
    assert weakness(bound(zeros, Semantics()), zeros.inputs) == "a result of zeros would pass"


def test_an_unwritten_last_element_and_a_wide_bound_weaken_a_case() -> None:
    limit = bound(mm_sample(3, 5, 2), Semantics())
    last = limit.tolerance.copy()
    last[-1, -1] = abs(limit.reference[-1, -1]) * 2
    assert weakness(limit, ()) == ""
    assert weakness(dataclasses.replace(limit, tolerance=last), ()) == "an unwritten last element would pass"
    wide = np.abs(limit.reference) * 0.1
    found = weakness(dataclasses.replace(limit, tolerance=wide), ())
    assert found == "only 0% of the elements would reject an error of 1%"


def test_the_bound_of_products_is_the_documented_one() -> None:
    sample = mm_sample(3, 50, 2)
    limit = bound(sample, Semantics())
    a, b = (t.double().abs() for t in sample.inputs if t is not None)
    expected = ulp(limit.reference, "float32") + 6 * np.sqrt(50) * 2.0**-24 * (a @ b).numpy()
    np.testing.assert_allclose(limit.tolerance, expected, rtol=1e-12)


def test_almost_every_planned_sample_can_fail() -> None:
    """Of the recipes' float32 samples, only ops on one element may be unable to fail."""
    weak = []
    for op in catalogue.OPS:
        dtype = "float32" if "float32" in op.dtypes else op.dtypes[0]
        found = list(samples(op, dtype, level="release"))
        labels = [
            s.label for s in found if weakness(bound(s, Semantics()), s.inputs, identity=is_identity(op.name, dtype))
        ]
        if op.output_kinds[0] in ("bool", "index"):  # a right answer may well be False or 0 in the last place
            assert len(labels) <= len(found) // 2, (op.name, labels)
        else:
            weak += [(op.name, label) for label in labels]
    assert {label for _, label in weak} <= {"1", "0-dim", "1 dim=0", "1x1", "1x1 x 1x1"}, weak


def test_a_backward_case_must_be_able_to_fail() -> None:
    """In float32 an error of 1% shows; where rounded results leave room for it, the case says so."""

    def of(op: str, dtype: str) -> str:
        sample = materialise(SampleSpec(op, dtype, (TensorSpec((65,), "positive"),), label="t"))
        return gradient_weakness(gradient_bounds(sample, Semantics()))

    assert of("aten::rsqrt", "float32") == of("aten::exp", "float64") == ""
    assert of("aten::rsqrt", "bfloat16") == "only 0% of the elements would reject an error of 1%"
    assert of("aten::floor", "float32") == "every gradient is zero"
    (limit,) = gradient_bounds(
        materialise(SampleSpec("aten::exp", "float32", (TensorSpec((65,)),), label="t")), Semantics()
    )
    wide = dataclasses.replace(limit, tolerance=np.abs(limit.reference) * 2)
    assert gradient_weakness((limit, wide)) == "zeros would pass for gradient 1"


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_gradients(dtype: str) -> None:
    """Right gradients pass; scaled, exchanged or unwritten ones do not."""
    for op in catalogue.OPS:
        if not differentiable(op, dtype) or dtype not in op.dtypes:
            continue
        sample = next(iter(samples(op, dtype, level="probe")))
        wide = cast_common(op, sample.inputs, torch.float64)
        shape = call(op, wide, sample.attrs).shape
        grad = incoming(sample, shape, dtype)
        right = backward(op, wide, sample.attrs, grad.double())
        bounds = gradient_bounds(sample, Semantics())
        assert len(bounds) == len(right) == len(wanted(op, sample.inputs))
        assert any(value.any() for value in right), op.name
        for limit, value in zip(bounds, right, strict=True):
            stored = value.to(getattr(torch, dtype))
            assert judge_against(limit, stored).ok, op.name
            if not value.any():  # scatter leaves nothing of self in this sample
                continue
            assert not judge_against(limit, torch.zeros_like(stored)).ok, op.name
            assert not judge_against(limit, stored * 1.25).ok, op.name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_an_epsilon_that_is_left_out_is_that_of_the_float_that_the_op_computes_in(dtype: str) -> None:
    op = catalogue.get("aten::rms_norm")
    assert op is not None
    sample = next(s for s in samples(op, dtype, level="quick") if s.attrs["eps"] is None)
    assert judge_against(bound(sample, Semantics()), call(op, sample.inputs, sample.attrs)).ok
    other = torch.finfo(torch.float32 if dtype == "float64" else torch.float64).eps  # too small, or too large
    assert not judge_against(bound(sample, Semantics()), call(op, sample.inputs, {**sample.attrs, "eps": other})).ok


@pytest.mark.parametrize("name", ["aten::softmax", "aten::log_softmax"])
def test_doubles_along_a_dimension_without_elements(name: str) -> None:
    op = catalogue.get(name)
    assert op is not None
    sample = next(s for s in samples(op, "float64", level="quick") if s.inputs[0] is not None)
    attrs = (("dim", 0), ("half_to_float", False))
    empty = materialise(dataclasses.replace(sample.spec, inputs=(TensorSpec((0, 3), "normal"),), attrs=attrs))
    assert judge(op, empty, call(op, empty.inputs, dict(empty.attrs))).ok
