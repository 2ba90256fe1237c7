"""The whole of PyTorch's op database on x1: forward, in place and with out=, equal to the CPU.

x1 serves natively what its probed profile says and the CPU the rest, so that both paths and their mixing are compared.
Of float32 each OpInfo gives up to 48 samples, of x1's other dtypes up to 8, spread over all that it has,
of the rest the first two. Differences that have a reason are data (``op_db_exceptions``); one that no longer shows
fails its test.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter

import pytest
import torch
from torch.utils._pytree import tree_map
from torchfl_sdk.conformance.cases.op_db import DbOp, DbSample, db_ops, record

import torchfl
from op_db_exceptions import (
    EXCEPTIONS,
    LOOSER,
    NARROW_ROUNDED_ELSEWHERE,
    ROUNDED_ELSEWHERE,
    UNDEFINED,
    WITHOUT_SAMPLES,
)
from op_db_helpers import compare, forms

pytestmark = pytest.mark.device
SAMPLES = {
    "float32": 48, "float16": 8, "int8": 8, "complex64": 2,
    "bfloat16": 2, "float64": 2, "bool": 2, "uint8": 2, "int16": 2, "int32": 2, "int64": 2, "complex128": 2,
    "float8_e4m3fn": 2,
}  # fmt: skip
_PRECISION = {
    "float32": (1.3e-6, 1e-5), "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "complex64": (1.3e-6, 1e-5),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Small tensors gain nothing from a second one, and sums keep their order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


_native: Counter[str] = Counter()
_compared: Counter[str] = Counter()


def tolerance_of(op: DbOp, dtype: str, form: str) -> dict[str, float] | None:
    if op.id in UNDEFINED:
        return None
    narrow = op.name in NARROW_ROUNDED_ELSEWHERE and dtype in ("float16", "bfloat16")
    if narrow or (op.name in ROUNDED_ELSEWHERE and dtype in LOOSER):
        return {"rtol": LOOSER[dtype], "atol": LOOSER[dtype]}
    if form == "out another dtype" and dtype in _PRECISION:  # computed in the sample's dtype, whatever it is cast to
        return dict(zip(("rtol", "atol"), _PRECISION[dtype], strict=True))
    return {}


def shown(sample: DbSample) -> str:
    """A sample without the values of its tensors."""

    def short(value):
        strided = isinstance(value, torch.Tensor) and value.layout == torch.strided
        return f"{tuple(value.shape)}/{value.stride()}" if strided else value

    return str(tree_map(short, (sample.args, sample.kwargs)))


@pytest.mark.parametrize("op", db_ops(), ids=[op.id for op in db_ops()])
def test_equals_the_cpu(device, op: DbOp):
    differences = []
    ran = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the samples themselves provoke, alike on both sides
        for dtype, limit in SAMPLES.items():
            for sample in op.samples(dtype, limit, spread=limit > 2) if dtype in op.dtypes else ():
                for form, function, its in forms(op, sample):
                    ran += 1
                    difference = compare(function, its, device, tolerance_of(op, dtype, form))
                    if difference:
                        differences.append((f"{form}: {difference}", f"{dtype} {shown(its)}"))
    assert (ran > 0) is (op.id not in WITHOUT_SAMPLES)
    expected = [e for e in EXCEPTIONS if e.op == op.id]
    surprising = [f"{seen}\n    {what}" for seen, what in differences if not any(e.covers(seen) for e in expected)]
    assert not surprising, "\n".join(surprising)
    for exception in expected:
        assert any(exception.covers(seen) for seen, _ in differences), f"no longer an exception: {exception}"
    _compared[op.id] += ran
    _native.update({name: row.native for name, row in torchfl.counters().items() if row.native})


def test_every_kernel_of_the_chip_took_part(device, x1_project):
    """Equal results prove little of a chip whose kernels never ran."""
    if len(_compared) < len(db_ops()):
        assert os.environ.get("CI") != "true", "continuous integration runs the whole database, in one process"
        pytest.skip("only part of the database was run")
    from torchfl import catalogue

    served = {op.name for op in map(catalogue.by_overload, _native) if op is not None}
    (chip,) = torchfl.chips()
    assert served == {entry.name for entry in chip.profile.ops if entry.routes}
    assert sum(_compared.values()) > 40_000


def test_the_lists_name_ops():
    ids, names = {op.id for op in db_ops()}, {op.name for op in db_ops()}
    assert {e.op for e in EXCEPTIONS} | {*UNDEFINED, *WITHOUT_SAMPLES} <= ids
    assert {*ROUNDED_ELSEWHERE, *NARROW_ROUNDED_ELSEWHERE} <= names


def test_the_cpu_s_gelu_misses_a_destination_with_gaps(device):
    """The reason of an exception: the device writes what the CPU leaves as it was."""
    x, gaps = torch.linspace(-2, 2, 100).reshape(10, 10), torch.full((10, 10, 2), 7.0)
    torch._C._nn.gelu(x, out=gaps[..., 0])
    assert (gaps == 7).all()
    on_device = torch.full((10, 10, 2), 7.0).to(device)
    torch._C._nn.gelu(x.to(device), out=on_device[..., 0])
    torch.testing.assert_close(on_device[..., 0].cpu(), torch.nn.functional.gelu(x))
    assert (on_device[..., 1].cpu() == 7).all()


def test_a_narrow_log_softmax_is_rounded_once(device):
    """Why the CPU is no measure of it: the device is within one rounding of the exact result, the CPU is not."""
    x = torch.tensor([[9.0, 0.5, 0.25, 1.0, 2.0], [0.5, -3.0, 1.0, 7.0, 0.0]], dtype=torch.float16)
    exact = x.double().log_softmax(1)
    before = torchfl.counters()["aten::_log_softmax"].native if "aten::_log_softmax" in torchfl.counters() else 0
    its = x.to(device).log_softmax(1).cpu()
    assert torchfl.counters()["aten::_log_softmax"].native == before + 1
    torch.testing.assert_close(its.double(), exact, rtol=2**-11, atol=2**-25)
    assert ((x.log_softmax(1).double() - exact).abs() > 1e-2 * exact.abs()).any()


def test_recording_finds_overloads_and_not_names():
    """What an OpInfo is called and what it reaches are two things."""
    reached = {}
    for op in db_ops():
        if op.name in ("nn.functional.linear", "div", "matmul", "nn.functional.gelu"):
            sample = next(op.samples("float32", 1))
            reached[op.id] = [call.overload for call in record(op.function, sample)]
    assert "aten::addmm" in reached["nn.functional.linear"] or "aten::mm" in reached["nn.functional.linear"]
    assert reached["div-no_rounding_mode"] == ["aten::div.Tensor"]
    assert reached["div-floor_rounding"] == ["aten::div.Tensor_mode"]
    assert reached["matmul"] == ["aten::dot"]


def test_samples_are_the_same_each_time():
    op = next(op for op in db_ops() if op.id == "addmm")
    before = torch.get_rng_state()
    first, second, other = (list(op.samples("float32", 3, seed)) for seed in (0, 0, 1))
    assert len(first) == 3
    assert all(
        torch.equal(a, b) for x, y in zip(first, second, strict=True) for a, b in zip(x.args, y.args, strict=True)
    )
    assert not torch.equal(first[0].args[0], other[0].args[0])
    assert torch.equal(torch.get_rng_state(), before)


def test_compare_can_fail(device):
    """A wrong value, dtype, stride, aliasing and a wrong error are each seen."""
    sample = DbSample((torch.arange(6.0).reshape(2, 3),), {})

    def on_device_only(wrong, right=torch.sin):
        return lambda t, **kwargs: (wrong if t.device.type == "xpu" else right)(t, **kwargs)

    def fail(kind):
        def raising(t):
            raise kind("no")

        return raising

    for wrong, text in (
        (lambda t: t.cos(), "values"),
        (lambda t: t.sin().double(), "float64"),
        (lambda t: t.sin().t().contiguous().t(), "strides"),
        (lambda t: t.sin_(), "values|aliasing"),
        (lambda t: t.sin().cpu(), "result on cpu"),
        (fail(RuntimeError), "^raised no"),
    ):
        assert re.search(text, compare(on_device_only(wrong), sample, device, {}))
    assert compare(torch.sin, sample, device, {}) == ""
    row = lambda t: t[1]  # noqa: E731
    assert compare(on_device_only(lambda t: t.clone()[1], row), sample, device, {}) == (
        "another aliasing of outputs with inputs"
    )
    whole = DbSample((torch.ones(2, 3),), {})
    assert compare(on_device_only(lambda t: t[0], row), whole, device, {}) == "another aliasing of outputs with inputs"
    raises = fail(IndexError)
    assert compare(on_device_only(torch.sin, raises), sample, device, {}).startswith("did not raise no")
    assert compare(on_device_only(fail(RuntimeError), raises), sample, device, {}).startswith("raised <class")
    assert compare(on_device_only(fail(IndexError), raises), sample, device, {}) == ""


def test_a_destination_that_stays_as_it_was_is_seen(device):
    sample = DbSample((torch.ones(2, 3),), {"out": torch.empty(2, 3, 2)[..., 0]})

    def other(t, out):
        return torch.neg(t, out=torch.empty_like(t)) if t.device.type == "xpu" else torch.neg(t, out=out)

    assert compare(other, sample, device, {})
    assert compare(torch.neg, sample, device, {}) == ""
