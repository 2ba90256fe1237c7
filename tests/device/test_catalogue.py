"""Every op of the catalogue through the router, on a chip whose kernels are PyTorch's own.

What is wrong here is the router's. No SDK serves all of them; each is called with the gate's samples, in each form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from torchfl_sdk.conformance.cases import variants
from torchfl_sdk.conformance.cases.calling import call_all
from torchfl_sdk.conformance.cases.expectation import expectation
from torchfl_sdk.conformance.cases.recipes import specs
from torchfl_sdk.conformance.cases.samples import materialise
from torchfl_sdk.conformance.cases.spec import SampleSpec
from torchfl_sdk.conformance.cases.variants import takes_result

import torchfl
from router_helpers import counts, same
from torchfl import catalogue
from whole_chip_helpers import Kernels, only_whole_chip

pytestmark = pytest.mark.device

_TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 2e-5, torch.float64: 1e-10}

#: Ops whose results lie otherwise than the CPU's: see docs/limits.md.
STRIDES_OF_THEIR_OWN = ("aten::addr",)


@pytest.fixture(scope="module")
def kernels() -> Iterator[Kernels]:
    with only_whole_chip() as found:
        yield found


def dtypes_of(op: catalogue.OpSpec) -> tuple[str, ...]:
    """One of each kind: a float, a half, an integer."""
    kinds = (("float32",), ("float16",), ("uint8", "int8", "int32"))
    return tuple(name for kind in kinds for name in kind if name in op.dtypes)[:4]


def samples_of(op: catalogue.OpSpec, dtype: str) -> Iterator[tuple[SampleSpec, str]]:
    """Samples with the forms that they are called in."""
    base = next(iter(specs(op, dtype, 0, "probe")))
    for sample in specs(op, dtype, 0, "quick"):
        if sample.numel <= 3000:
            yield sample, "forward"
    for sample in variants.layouts(op, base, "quick"):
        yield sample, "forward"
    if op.out:
        yield base, "out"
    if takes_result(op, base):
        yield base, "inplace"


def native_calls(op: catalogue.OpSpec) -> int:
    return sum(row.native for name, row in torchfl.counters().items() if catalogue.by_overload(name) is op)


@pytest.mark.parametrize("op", catalogue.OPS, ids=[op.name.removeprefix("aten::") for op in catalogue.OPS])
def test_every_form_of_every_op_reaches_its_kernel_with_what_it_needs(kernels: Kernels, op: catalogue.OpSpec) -> None:
    device = torchfl.device("xpu:wc")
    profile = torchfl.chips()[0].profile
    asked = 0
    kernels.broken.clear()
    for dtype in dtypes_of(op):
        for spec, variant in samples_of(op, dtype):
            sample = materialise(spec)
            expected = call_all(op, [None if t is None else t.contiguous() for t in sample.inputs], sample.attrs)
            placed = [
                None if one is None else one.view(one.base.clone() if t is not None and t.host else one.base.to(device))
                for one, t in zip(sample.laid, spec.inputs, strict=True)
            ]
            out = torch.empty(0, dtype=expected[0].dtype, device=device) if variant == "out" else None
            torchfl.reset_counters()
            results = call_all(op, placed, sample.attrs, variant, out)
            where = f"{spec.label} {dtype} {variant}"
            assert kernels.broken == [], where
            layer = expectation(profile, spec, variant).layer
            if layer != "any":
                assert native_calls(op) == (layer == "native"), (where, torchfl.fallback_reasons())
            asked += layer == "native"
            for actual, wanted in zip(results, expected, strict=False):
                assert (actual.shape, actual.dtype) == (wanted.shape, wanted.dtype), where
                limit = _TOLERANCE.get(wanted.dtype, 0)
                torch.testing.assert_close(
                    actual.cpu(), wanted, rtol=limit, atol=limit, equal_nan=True, msg=lambda m, w=where: f"{w}: {m}"
                )
    assert asked >= 2


def test_a_new_result_lies_in_memory_as_the_cpu_s_does(kernels: Kernels) -> None:
    device = torchfl.device("xpu:wc")
    wrong = {}
    for op in catalogue.OPS:
        if op.name in STRIDES_OF_THEIR_OWN:
            continue
        base = next(iter(specs(op, dtypes_of(op)[0], 0, "probe")))
        for spec in variants.layouts(op, base, "release"):
            sample = materialise(spec)
            if outcome(op, sample.inputs, sample.attrs)[0]:
                continue  # the CPU's kernel takes contiguous tensors alone
            expected = call_all(op, sample.inputs, sample.attrs)
            placed = [
                None if one is None else one.view(one.base.clone() if t is not None and t.host else one.base.to(device))
                for one, t in zip(sample.laid, spec.inputs, strict=True)
            ]
            for i, (actual, cpu) in enumerate(zip(call_all(op, placed, sample.attrs), expected, strict=False)):
                lie = [(a, b) for a, b, n in zip(actual.stride(), cpu.stride(), cpu.shape, strict=True) if n > 1]
                if any(a != b for a, b in lie):
                    wrong[op.name, i, spec.label, tuple(t and t.layout for t in spec.inputs)] = lie
    assert wrong == {}
    assert kernels.broken == []


SCALARS = [(op, attr.name) for op in catalogue.OPS if op.elementwise for attr in op.attrs if attr.kind == "scalar"]


@pytest.mark.parametrize("number", [70000, -1e6, 1e39, -1e300, float("inf")])
@pytest.mark.parametrize(("op", "name"), SCALARS, ids=[f"{op.name}-{name}" for op, name in SCALARS])
def test_a_number_beyond_the_dtype_is_left_to_pytorch(
    kernels: Kernels, op: catalogue.OpSpec, name: str, number: float
) -> None:
    device = torchfl.device("xpu:wc")
    for dtype in dtypes_of(op):
        if isinstance(number, float) and not dtype.startswith("float"):
            continue
        sample = materialise(next(iter(specs(op, dtype, 0, "probe"))))
        attrs = {**sample.attrs, name: number}
        placed = [None if t is None else t.to(device) for t in sample.inputs]
        refusal, expected = outcome(op, sample.inputs, attrs)
        assert outcome(op, placed, attrs)[0] == refusal
        if not refusal:
            limit = _TOLERANCE.get(expected.dtype, 0)
            actual = outcome(op, placed, attrs)[1].cpu()
            torch.testing.assert_close(actual, expected, rtol=limit, atol=limit, equal_nan=True)
        assert kernels.broken == []


def outcome(op: catalogue.OpSpec, inputs: Sequence[Any], attrs: dict[str, Any]) -> tuple[str, torch.Tensor]:
    """The first line of what a call raises, or "" and its result."""
    try:
        return "", call_all(op, inputs, attrs)[0]
    except RuntimeError as error:
        return str(error).splitlines()[0], torch.empty(0)


def test_rms_norm_without_an_epsilon_is_the_kernel_s(kernels: Kernels) -> None:
    device = torchfl.device("xpu:wc")
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        x, weight = torch.full((3, 8), 2.0**-12, dtype=dtype), torch.rand(8, dtype=dtype)
        expected = torch.nn.functional.rms_norm(x, (8,), weight)
        torchfl.reset_counters()
        with torch.no_grad():
            actual = torch.nn.functional.rms_norm(x.to(device), (8,), weight.to(device))
        assert torchfl.counters()["aten::_fused_rms_norm"].native == 1
        limit = _TOLERANCE[dtype]
        torch.testing.assert_close(actual.cpu(), expected, rtol=limit, atol=limit)
    assert kernels.broken == []


def test_a_cast_that_the_cpu_computes_is_counted(kernels: Kernels) -> None:
    device = torchfl.device("xpu:wc")
    images = torch.randn(2, 3, 4, 5)
    placed = images.to(device)
    casts: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], dict[str, int], str]] = {
        "within the profile": (lambda t: t.half(), {"native": 1}, ""),
        "to what it lacks": (lambda t: t.to(torch.complex64), {"cpu": 1}, "dtype complex64 is not among"),
        "into another order": (
            lambda t: t.to(torch.float16, memory_format=torch.channels_last),
            {"cpu": 1},
            "the cast also asks for another layout or memory format",
        ),
        "to the dtype that it has": (lambda t: t.to(torch.float32, copy=True), {}, ""),
        "of nothing": (lambda t: t[:0].to(torch.complex64), {}, ""),
    }
    for name, (cast, counted, why) in casts.items():
        torchfl.reset_counters()
        result = cast(placed)
        assert counts("aten::_to_copy") == counted, name
        reasons = [r.reason for r in torchfl.fallback_reasons() if r.op == "aten::_to_copy"]
        assert [reason.startswith(why) for reason in reasons] == [True] * counted.get("cpu", 0), reasons
        same(result, cast(images))
    torchfl.reset_counters()
    images.to(device, torch.int16)  # the CPU's own cast, before anything is on the device
    assert counts("aten::_to_copy") == {}
    assert kernels.broken == []
