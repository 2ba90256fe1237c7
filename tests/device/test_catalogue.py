"""Every op of the catalogue through the router, on a chip whose kernels are PyTorch's own.

What is wrong here is the router's. No SDK serves all of them; each is called with the gate's samples, in each form.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from torchfl import catalogue
from whole_chip_helpers import Kernels, only_whole_chip

pytestmark = pytest.mark.device

_TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 2e-5, torch.float64: 1e-10}


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
