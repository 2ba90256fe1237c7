"""Cases recorded from PyTorch's own samples, and autocast's lists."""

from __future__ import annotations

import json
import sys

import pytest
import torch
from torchfl_sdk.conformance.cases import autocast, op_db
from torchfl_sdk.conformance.cases.expectation import expectation
from torchfl_sdk.conformance.cases.given import given, laid
from torchfl_sdk.conformance.cases.manifest import Selection, plan
from torchfl_sdk.conformance.cases.op_db import DbSample, noted
from torchfl_sdk.conformance.cases.recorded import as_sample, composites, recorded_samples
from torchfl_sdk.conformance.cases.samples import materialise
from torchfl_sdk.conformance.cases.spec import CaseSpec, case_from_json, case_to_json

from conformance_helpers import fake_chip
from torchfl import catalogue
from torchfl.errors import TorchflError
from torchfl.profile import load_profile

WANTED = {"aten::addmm": ("float32",), "aten::add": ("float32", "int8"), "aten::conv2d": ("float16",)}


SOURCES = (
    "add",
    "addmm",
    "lerp",
    "logaddexp",
    "nn.functional.conv2d",
    "nn.functional.linear",
    "linalg.multi_dot",
    "sub",
)


@pytest.fixture(autouse=True, scope="module")
def _few_sources():
    """Part of op_db, for speed; the gate's own test takes all of it."""
    few = tuple(op for op in op_db.db_ops() if op.name in SOURCES or "linear" in op.name or "bilinear" in op.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[recorded_samples.__module__], "db_ops", lambda: few)
        yield


@pytest.fixture(scope="module")
def recorded():
    return recorded_samples(WANTED, seed=0, most=6)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(12.0).reshape(3, 4).t(),
        torch.arange(24, dtype=torch.int8).reshape(2, 3, 4)[:, ::2],
        torch.tensor([[1.0], [2.0]]).expand(2, 3),
        torch.tensor(True),
        torch.empty(0, 3),
        torch.tensor(-0.0, dtype=torch.bfloat16),
    ],
    ids=["transposed", "gaps", "expanded", "0-dim", "empty", "negative zero"],
)
def test_a_given_tensor_keeps_values_and_strides(tensor):
    spec = given(tensor, "float32")
    there = laid(spec, "float32")
    again = there.view()
    assert (again.dtype, again.shape, again.stride()) == (tensor.dtype, tensor.shape, tensor.stride())
    assert again.reshape(-1).view(torch.uint8).tolist() == tensor.reshape(-1).view(torch.uint8).tolist()
    if tensor.numel():
        inside = torch.zeros(there.base.numel(), dtype=torch.bool)
        inside.as_strided(there.sizes, there.strides, there.offset).fill_(True) if 0 not in there.strides else None
        assert there.offset > 0
        assert there.base.numel() > there.offset + 1


def test_recorded_cases_are_the_same_each_time_and_travel_as_json(recorded):
    assert recorded == recorded_samples(WANTED, seed=0, most=6)
    assert recorded != recorded_samples(WANTED, seed=1, most=6)
    for variant, sample in recorded:
        case = CaseSpec(sample, variant, "any")
        again = case_from_json(json.loads(json.dumps(case_to_json(case))))
        assert again == case
        assert again.id == case.id
        materialise(sample)


def test_calls_are_found_by_what_they_dispatch_to(recorded):
    """addmm comes from every OpInfo that reaches it; at most so many of each op, dtype and variant, none twice."""
    labels = {sample.label for _, sample in recorded if sample.op == "aten::addmm"}
    assert len(labels) > 3
    assert labels != {"op_db addmm"}
    keys = [(sample.op, sample.dtype, variant) for variant, sample in recorded]
    assert max(keys.count(key) for key in keys) == 6
    assert len({(variant, sample.id) for variant, sample in recorded}) == len(recorded)
    assert {(op, dtype) for op, dtype, _ in keys} == {(op, d) for op, dtypes in WANTED.items() for d in dtypes}


def test_values_are_those_before_the_call():
    x = torch.zeros(3)
    notes = noted(lambda t: t.add_(1), DbSample((x + 0,), {}), lambda call: as_sample(call, "float32", "", 0))
    assert notes == []  # a number for a tensor: no kernel gets that
    one = torch.ones(3)
    ((case, shape),) = noted(lambda t: t.add_(one), DbSample((x,), {}), lambda call: as_sample(call, "float32", "", 0))
    assert x.tolist() == [1, 1, 1]
    assert case[0] == "inplace"
    assert shape == (3,)
    assert materialise(case[1]).inputs[0].tolist() == [0, 0, 0]


def test_what_the_catalogue_cannot_express_is_left_out():
    def made(function, *args):
        return [case for case, _ in noted(function, DbSample(args, {}), lambda c: as_sample(c, "float32", "", 0))]

    a, c = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.complex64)
    image, weight = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2)
    assert made(torch.conv_transpose2d, image, weight) == []
    assert made(torch.mm, c.conj(), c) == []
    assert made(torch.mm, a.double(), a.double()) == []  # of another dtype than was asked for
    assert len(made(torch.mm, a, a.t())) == 1
    assert len(made(torch.conv2d, image, weight)) == 1


def test_lists_casts_and_composites_are_recorded():
    """A list of tensors, the dtype that a result is cast to by name, and composites where they are entered."""

    def made(function, *args, **how):
        with op_db.entries(composites()):
            calls = noted(function, DbSample(args, how), lambda c: as_sample(c, "float32", "", 0))
        return [sample for (_, sample), _ in calls if sample.op not in ("aten::mul", "aten::mean", "aten::rsqrt")]

    a, b = torch.rand(2, 3), torch.rand(4, 3)
    (cat,) = made(torch.cat, [a, b])
    assert (cat.op, [t.shape for t in cat.inputs]) == ("aten::cat", [(2, 3), (4, 3)])
    assert made(torch.cat, [a, b.half()]) == []  # the result's dtype is not that of the list
    (cast,) = made(torch.Tensor.to, a, torch.float16)
    assert (cast.op, dict(cast.attrs)) == ("aten::_to_copy", {"dtype": "float16"})
    assert made(torch.Tensor.to, a, torch.complex64) == []
    (norm,) = made(torch.nn.functional.rms_norm, a, (3,))
    assert (norm.op, dict(norm.attrs)) == ("aten::rms_norm", {"normalized_shape": (3,), "eps": None})
    q = torch.rand(1, 2, 3, 8)
    (attention,) = made(torch.nn.functional.scaled_dot_product_attention, q, q, q, is_causal=True)
    assert (attention.op, dict(attention.attrs)) == ("aten::scaled_dot_product_attention", {"is_causal": True})
    assert composites()["aten::rms_norm"].overload == "aten::_fused_rms_norm"
    after = noted(torch.nn.functional.rms_norm, DbSample((a, (3,)), {}), lambda c: c.overload)
    assert "aten::rms_norm" not in {overload for overload, _ in after}  # nothing of it is left in torch


def test_a_cast_is_promised_to_the_dtypes_of_the_entry_and_its_constraint(tmp_path):
    profile = load_profile(
        fake_chip(
            tmp_path / "c",
            "device_type: xpu:fake\nruntime_so: l.so\nsupported_ops:\n  - name: aten::_to_copy\n    impl: c\n"
            "    dtype_support: [float32, float16, int8]\n    constraints: {dtype: [float16, float32]}\n",
        )
        / "fake_device.yaml"
    )

    def layer(to):
        sample = DbSample((torch.ones(3), to), {})
        ((case, _),) = noted(torch.Tensor.to, sample, lambda c: as_sample(c, "float32", "", 0))
        return expectation(profile, case[1]).layer

    assert layer(torch.float16) == "native"
    assert layer(torch.int8) == layer(torch.float64) == "fallback"


def test_a_convolution_over_one_dimension_is_judged_as_pytorch_dispatches_it(tmp_path):
    """As one over two dimensions: there, and not by its three-dimensional operands, the profile's limits hold."""
    profile = load_profile(
        fake_chip(
            tmp_path / "c",
            "device_type: xpu:fake\nruntime_so: l.so\nsupported_ops:\n  - name: aten::conv2d\n    impl: c\n"
            "    dtype_support: [float32]\n    constraints: {rank: [4], stride: [1, 2], padding: [0]}\n",
        )
        / "fake_device.yaml"
    )

    def layer(**how):
        sample = DbSample((torch.ones(1, 2, 9), torch.ones(2, 2, 3)), how)
        ((case, _),) = noted(torch.conv1d, sample, lambda c: as_sample(c, "float32", "", 0))
        return expectation(profile, case[1]).layer

    assert layer() == layer(stride=2) == "native"
    assert layer(stride=3) == layer(padding=1) == "fallback"


def test_recorded_cases_are_part_of_the_manifest(recorded, tmp_path):
    profile = load_profile(fake_chip(tmp_path / "fake") / "fake_device.yaml")
    plain, with_recorded = (plan(profile, Selection("release"), r) for r in ((), recorded))
    extra = [case for case in with_recorded if case.purpose == "op_db"]
    assert len(with_recorded) == len(plain) + len(extra)
    assert {case.sample.op for case in extra} == set(WANTED)
    adds = [case for case in extra if case.sample.op == "aten::add"]
    assert {case.variant for case in adds} == {"forward", "inplace", "out", "backward"}
    assert {case.expect for case in adds} <= {"native", "fallback", "any"}
    assert {case.expect for case in extra if case.sample.op == "aten::conv2d"} <= {"fallback", "any"}


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.testing._internal.common_methods_invocations", None)
    op_db.db_ops.cache_clear()
    with pytest.raises(TorchflError, match=r"TFL0911 .*; fix: pip install 'flagos-torchfl\[conformance\]'") as error:
        op_db.db_ops()
    assert error.value.exit_code == 3


def test_autocast_lists_are_this_torch_s():
    """torch registers the same ops for every accelerator; XPU's list needs no device."""
    listed = {*autocast.LOWERED, *autocast.RAISED, *autocast.OTHERWISE}
    for op in catalogue.OPS:
        cast = torch._C._dispatch_has_kernel_for_dispatch_key(op.reference_overload, "AutocastXPU")
        assert cast == (op.name in listed), op.name


def test_autocast_operands_and_what_the_op_sees():
    from torchfl_sdk.conformance.cases.recipes import specs

    for name, dtype, given_as in (("aten::mm", "float16", "float32"), ("aten::exp", "float32", "float16")):
        sample = materialise(next(iter(specs(catalogue.get(name), dtype, 0, "probe"))))
        passed, seen = autocast.operands(sample), autocast.seen(sample)
        assert passed.inputs[0].dtype == getattr(torch, given_as)
        assert seen.inputs[0].dtype == getattr(torch, dtype)
        assert torch.equal(passed.inputs[0].to(seen.inputs[0].dtype), seen.inputs[0])
        assert autocast.casts_to(name, dtype)
        assert not autocast.casts_to(name, given_as)
