"""Samples, layouts, expectations, boundaries and the manifest: what the gate asks before any device is involved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchfl_sdk.conformance.boundaries import values_around
from torchfl_sdk.conformance.cases import layouts, recipes
from torchfl_sdk.conformance.cases.at_value import spec_with
from torchfl_sdk.conformance.cases.calling import call, call_all, output_dtypes
from torchfl_sdk.conformance.cases.expectation import expectation, holds, output_shapes, variables
from torchfl_sdk.conformance.cases.fills import draw, special_values
from torchfl_sdk.conformance.cases.manifest import Selection, manifest_hash, plan
from torchfl_sdk.conformance.cases.samples import materialise, sample_with, samples
from torchfl_sdk.conformance.cases.spec import LAYOUTS, SampleSpec, TensorSpec, case_from_json, case_to_json
from torchfl_sdk.conformance.gate import summary

from torchfl import catalogue
from torchfl.profile import Constraint, Profile, load_profile

PROFILE = """\
device_type: xpu:p
runtime_so: libp.so
supported_ops:
  - {name: aten::add, impl: p_add, dtype_support: [float32, int8], constraints: {alpha: [1]}}
  - {name: aten::relu, impl: p_relu, dtype_support: [float16], provenance: unverified}
  - {name: aten::mm, impl: p_mm, dtype_support: [float16], constraints: {M: {multiple_of: 128}, K: {max: 8192}}}
  - name: aten::conv2d
    impl: p_conv2d
    dtype_support: [float16]
    constraints: {stride: [1, 2, 4], padding: [0, 1, 2], groups: [1, 2, 4]}
"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    path = tmp_path_factory.mktemp("p") / "p_device.yaml"
    path.write_text(PROFILE)
    return load_profile(path)


def test_every_catalogue_op_has_a_recipe_that_the_cpu_can_run() -> None:
    for op in catalogue.OPS:
        for dtype in ("float32", "float64") if "float32" in op.dtypes else op.dtypes:
            found = list(samples(op, dtype, level="release"))
            assert len(found) >= 3, op.name
            for sample in found:
                results = call_all(op, sample.inputs, sample.attrs)
                dtypes = output_dtypes(op, sample.inputs, sample.attrs)
                assert [str(t.dtype) for t in results] == [f"torch.{dtype}" for dtype in dtypes], op.name
                shapes = [None if t is None else tuple(t.shape) for t in sample.inputs]
                attrs = {a.name: sample.attrs.get(a.name, a.default) for a in op.attrs}
                assert output_shapes(op, shapes, attrs) == tuple(tuple(t.shape) for t in results), op.name


def test_sizes_catch_tails() -> None:
    numels = {s.inputs[0].numel for s in recipes.specs(catalogue.get("aten::relu"), "float32", 0, "release")}
    assert {1, 63, 64, 65, 127, 1031} <= numels


def test_unknown_recipes_and_levels_are_errors() -> None:
    relu = catalogue.get("aten::relu")
    with pytest.raises(ValueError, match="unknown level 'all'"):
        list(recipes.specs(relu, "float32", 0, "all"))
    with pytest.raises(ValueError, match="unknown fill 'odd one'"):
        draw("odd one", (3,), "float32", 0)
    with pytest.raises(ValueError, match="no variable 'kernel'"):
        spec_with(relu, "float32", 0, "kernel", 1)


def test_values_are_fixed_by_the_seed_alone() -> None:
    """The bits of a draw are part of the suite's identity: a change of this constant is a new suite."""
    assert draw("normal", (4,), "float32", 1).tolist() == draw("normal", (4,), "float32", 1).tolist()
    assert draw("normal", (400,), "float32", 1).tolist() != draw("normal", (400,), "float32", 2).tolist()
    code = (
        "from torchfl_sdk.conformance.cases.fills import draw; print(draw('normal', (5,), 'float64', 12345).tolist())"
    )
    elsewhere = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert json.loads(elsewhere) == draw("normal", (5,), "float64", 12345).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_special_values_meet_in_every_pair(dtype: str) -> None:
    sample = next(s for s in samples(catalogue.get("aten::add"), dtype) if s.label == "special values")
    a, b = sample.inputs
    count = len(special_values(dtype))
    pairs = {(repr(x), repr(y)) for x, y in zip(a.double().tolist(), b.double().tolist(), strict=True)}
    wanted = {(repr(float(x)), repr(float(y))) for x in special_values(dtype) for y in special_values(dtype)}
    assert len(wanted) == count**2
    assert wanted <= pairs
    assert any(0 < abs(x) < torch.finfo(a.dtype).smallest_normal for x in a.double().tolist())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(65,), (7, 13), (2, 3, 5, 7), (1, 1), (0, 3), ()])
def test_layouts_hold_the_values_between_poison(layout: str, shape: tuple[int, ...]) -> None:
    values = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    laid = layouts.lay_out(values, layout)
    view = laid.view()
    if layout == "expanded" and layouts.applies(layout, shape):
        values = values[-1:].expand(shape)
        assert view.stride()[0] == 0
    assert torch.equal(view, values)
    inside = torch.zeros_like(laid.base, dtype=torch.bool)
    inside.as_strided(laid.sizes, laid.strides, laid.offset).fill_(True)
    assert laid.base[~inside].isnan().all()
    if (
        layout in ("strided", "offset", "padded", "padded_transposed")
        and layouts.applies(layout, shape)
        and values.numel()
    ):
        assert laid.offset > 0
        assert not inside[0]
        assert not inside[-1]
    if layout in ("strided", "padded", "transposed", "padded_transposed") and layouts.applies(layout, shape):
        assert values.numel() <= 1 or not view.is_contiguous()
    if layout in ("padded", "padded_transposed") and layouts.applies(layout, shape) and values.numel() > 1:
        inner, outer = (-1, -2) if layout == "padded" else (-2, -1)
        assert view.stride(inner) == 1
        assert view.stride(outer) == shape[inner] + 3


@pytest.mark.parametrize("shape", [(1,), (1, 1), (3, 2)])
def test_elements_side_by_side_whatever_the_strides(shape: tuple[int, ...]) -> None:
    """A view of one element is contiguous to torch with any stride, and could not be read as bytes."""
    spread = torch.arange(24.0).as_strided(shape, tuple(4 * (i + 1) for i in range(len(shape))))
    flat = layouts.flattened(spread)
    assert flat.stride() == (1,)
    assert flat.view(torch.uint8).numel() == 4 * spread.numel()
    assert flat.tolist() == spread.reshape(-1).tolist()


def test_an_entry_for_numbers_alone_is_tried_with_numbers(profile: Profile) -> None:
    """Where limits exclude the usual sample, every form of a call is made with one that they allow."""
    entry = next(e for e in profile.ops if e.name == "aten::add")
    narrow = replace(entry, name="aten::mul", constraints=(Constraint("second_numel", (1,)),))
    limited = replace(profile, ops=(narrow,))
    native = [c for c in plan(limited, Selection(dtypes=("float32",))) if c.expect == "native"]
    assert {"forward", "inplace", "out"} <= {c.variant for c in native}
    assert all(c.sample.inputs[1] is not None and c.sample.inputs[1].numel == 1 for c in native)
    assert any(c.prove for c in native)
    outside = [c for c in plan(limited, Selection(dtypes=("float32",))) if c.boundary == "second_numel=2 outside"]
    assert [c.expect for c in outside] == ["fallback"]


def test_a_sample_id_is_its_content() -> None:
    base = SampleSpec("aten::relu", "float32", (TensorSpec((65,)),), label="65")
    assert base.id == SampleSpec("aten::relu", "float32", (TensorSpec((65,)),), label="65").id
    assert (
        len({base.id, base.with_layout("strided").id, SampleSpec("aten::relu", "float32", (TensorSpec((64,)),)).id})
        == 3
    )
    assert torch.equal(materialise(base).inputs[0], materialise(base).inputs[0])


def test_the_manifest_is_deterministic_and_survives_json(profile: Profile) -> None:
    for level in ("quick", "release"):
        cases = plan(profile, Selection(level=level, num_devices=2))
        assert plan(profile, Selection(level=level, num_devices=2)) == cases
        assert len({c.id for c in cases}) == len(cases)
        again = tuple(case_from_json(json.loads(json.dumps(case_to_json(c)))) for c in cases)
        assert again == cases
        assert manifest_hash(again) == manifest_hash(cases)
    assert manifest_hash(plan(profile, Selection(seed=1))) != manifest_hash(plan(profile, Selection(seed=2)))


def test_the_manifest_asks_everything(profile: Profile) -> None:
    cases = plan(profile, Selection(level="release", num_devices=2))
    add = [c for c in cases if c.sample.op == "aten::add" and c.sample.dtype == "float32"]
    assert {c.variant for c in add} == {"forward", "inplace", "out", "backward"}
    assert {c.device for c in add} == {0, 1}
    used = {t.layout for c in add for t in c.sample.inputs if t is not None}
    assert used == set(LAYOUTS) - {"channels_last", "strides"}
    assert any(t.host for c in add for t in c.sample.inputs if t is not None)
    assert any(c.purpose == "empty" for c in add)
    assert {c.variant for c in add if c.prove} >= {"forward", "out", "inplace"}
    boundaries = {c.boundary for c in cases if c.sample.op == "aten::conv2d"}
    for value in (1, 2, 4):
        assert f"stride={value} inside" in boundaries
    assert {
        "stride=3 outside",
        "stride=5 outside",
        "groups=3 outside",
        "padding=3 outside",
        "dtype=float32 outside",
    } <= boundaries
    by_op = {c.sample.op for c in cases}
    assert by_op == {op.name for op in catalogue.OPS}
    undeclared = [c for c in cases if c.sample.op in ("aten::relu", "aten::exp")]
    assert undeclared
    assert {c.expect for c in undeclared} == {"fallback"}


def test_boundary_cases_agree_with_their_side(profile: Profile) -> None:
    cases = plan(profile, Selection(level="release"))
    for case in cases:
        if case.boundary.endswith("outside"):
            assert case.expect == "fallback", case.name
    inside = [c for c in cases if c.boundary.endswith("inside") and c.sample.op != "aten::mm"]
    assert inside
    assert all(c.expect == "native" for c in inside)


def test_selection_filters(profile: Profile) -> None:
    cases = plan(profile, Selection(ops=("aten::add",), dtypes=("int8",)))
    assert cases
    assert {(c.sample.op, c.sample.dtype) for c in cases} == {("aten::add", "int8")}
    assert not plan(profile, Selection(ops=("aten::mm",), dtypes=("int8",)))


def test_expectations(profile: Profile) -> None:
    def layer(op: str, dtype: str, *inputs: TensorSpec | None, **attrs: Any) -> str:
        return expectation(profile, SampleSpec(op, dtype, inputs, tuple(attrs.items()))).layer

    t = TensorSpec((3,))
    assert layer("aten::add", "float32", t, t) == "native"
    assert layer("aten::add", "float32", t, t, alpha=1) == "native"
    assert layer("aten::add", "float32", t, t, alpha=2) == "fallback"
    assert layer("aten::add", "float64", t, t) == "fallback"
    assert layer("aten::add", "float32", t, TensorSpec((3,), dtype="int32")) == "any"
    assert layer("aten::add", "float32", TensorSpec((0,)), TensorSpec((0,))) == "any"
    assert layer("aten::relu", "float16", t) == "fallback"
    assert layer("aten::exp", "float32", t) == "fallback"
    assert layer("aten::mm", "float16", TensorSpec((128, 8192)), TensorSpec((8192, 3))) == "native"
    assert layer("aten::mm", "float16", TensorSpec((128, 8193)), TensorSpec((8193, 3))) == "fallback"
    assert layer("aten::mm", "float16", TensorSpec((127, 5)), TensorSpec((5, 3))) == "fallback"
    conv = {
        "stride": (1, 2),
        "padding": (0, 0),
        "dilation": (1, 1),
        "transposed": False,
        "output_padding": (0, 0),
        "groups": 1,
    }
    image, weight = TensorSpec((1, 4, 9, 9)), TensorSpec((4, 4, 3, 3))
    assert layer("aten::conv2d", "float16", image, weight, None, **conv) == "native"
    assert layer("aten::conv2d", "float16", image, weight, None, **{**conv, "stride": (1, 3)}) == "fallback"
    with pytest.raises(ValueError, match="no op 'aten::nope'"):
        layer("aten::nope", "float32", t)


def test_entries_for_one_overload_and_ops_with_a_dot_in_their_name(tmp_path: Path) -> None:
    """What the router serves by an entry is what its cases expect of the chip."""
    path = tmp_path / "c_device.yaml"
    path.write_text(
        "device_type: xpu:c\nsupported_ops:\n"
        "  - {name: aten::max.dim, impl: k, dtype_support: [float32]}\n"
        "  - {name: aten::add.Tensor, impl: a, dtype_support: [float32]}\n"
        "  - {name: aten::add.out, impl: o, dtype_support: [float16]}\n"
        "  - {name: aten::softmax.out, impl: s, dtype_support: [float32]}\n"
    )
    profile = load_profile(path)
    assert [e.name for e in profile.ops] == ["aten::max.dim", "aten::add", "aten::add", "aten::softmax"]
    cases = plan(profile, Selection())
    found: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for case in cases:
        if case.purpose in ("values", "variant"):
            found[case.sample.op].add((case.sample.dtype, case.variant, case.expect))
    assert ("float32", "forward", "native") in found["aten::max.dim"]
    assert found["aten::add"] == {
        ("float32", "forward", "native"), ("float32", "backward", "native"), ("float32", "inplace", "fallback"),
        ("float32", "out", "fallback"), ("float16", "forward", "fallback"), ("float16", "backward", "fallback"),
        ("float16", "inplace", "fallback"), ("float16", "out", "native"),
    }  # fmt: skip
    assert ("float32", "out", "native") in found["aten::softmax"]
    assert ("float32", "forward", "fallback") in found["aten::softmax"]
    claims = summary.declared(profile, Selection())
    assert claims["aten::add"] == ("float32", "float16")
    assert summary.claimed({}, [e.full_name for e in profile.ops]) == ("aten::add", "aten::max.dim", "aten::softmax")


def test_a_kernel_of_the_first_result_serves_backward_only_where_nothing_else_is_saved(tmp_path: Path) -> None:
    """Layer norm's backward needs the means; batch norm at inference, whose other results are empty, needs nothing."""
    path = tmp_path / "p_device.yaml"
    entry = "  - {{name: aten::{0}, impl: p_{0}, dtype_support: [float32], first_output: true}}\n"
    path.write_text(
        "device_type: xpu:p\nruntime_so: libp.so\nsupported_ops:\n"
        + "".join(entry.format(name) for name in ("batch_norm", "layer_norm"))
    )
    profile = load_profile(path)

    def layer(name: str, variant: str) -> str:
        op = catalogue.get(f"aten::{name}")
        assert op is not None
        return expectation(profile, next(recipes.specs(op, "float32", 0, "quick")), variant).layer

    assert [layer("batch_norm", v) for v in ("forward", "backward")] == ["native", "native"]
    assert [layer("layer_norm", v) for v in ("forward", "backward")] == ["native", "fallback"]


def test_variables_cover_what_a_profile_may_constrain() -> None:
    for op in catalogue.OPS:
        spec = next(iter(recipes.specs(op, "float32", 0, "probe")))
        assert set(variables(op, spec)) == set(op.variables), op.name


def test_a_sample_has_the_value_that_was_asked_for() -> None:
    for op in catalogue.OPS:
        for variable in op.variables:
            for value in (1, 2, 3, 4, 5):
                dtype = "float32" if "float32" in op.dtypes else op.dtypes[0]
                sample = sample_with(op, dtype, 0, variable, value)
                if sample is None:
                    continue
                found = variables(op, sample.spec)[variable]
                assert found == value or found == (value, value), (op.name, variable, value)
                call(op, sample.inputs, sample.attrs)
    conv = catalogue.get("aten::conv2d")
    assert sample_with(conv, "float32", 0, "groups", 0) is None
    assert sample_with(conv, "float32", 0, "stride", 0) is None
    assert sample_with(conv, "float32", 0, "rank", 3) is None
    assert sample_with(catalogue.get("aten::mm"), "float32", 0, "K", 1 << 30) is None


def test_values_around_lists_and_ranges() -> None:
    assert values_around(Constraint("stride", (1, 2, 4)), 9, 9) == ([1, 2, 4], [3, 5, 9, 0])
    assert values_around(Constraint("alpha", (1,)), 9, 9)[1][:2] == [2, 3]
    assert values_around(Constraint("transposed", (False,)), 9, 9) == ([False], [True])
    assert values_around(Constraint("K", max=8192), 9, 9) == ([1, 8192], [8193])
    assert values_around(Constraint("M", multiple_of=128), 9, 9) == ([128, 256], [255, 129])
    assert values_around(Constraint("N", min=4, max=64, multiple_of=8), 9, 9) == ([8, 16, 64], [15, 9, 3, 65])


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.builds(
            Constraint,
            st.just("M"),
            st.none(),
            st.one_of(st.none(), st.integers(1, 50)),
            st.one_of(st.none(), st.integers(51, 500)),
            st.one_of(st.none(), st.integers(1, 40)),
        ),
        st.builds(Constraint, st.just("M"), st.lists(st.integers(0, 20), min_size=1, unique=True).map(tuple)),
    )
)
def test_boundary_values_are_on_their_side(constraint: Constraint) -> None:
    inside, outside = values_around(constraint, 64, 64)
    assert all(holds(constraint, v) for v in inside)
    assert not any(holds(constraint, v) for v in outside)
    if constraint.allowed is not None:
        assert set(inside) == set(constraint.allowed)
        assert outside


def test_planning_needs_no_torch(tmp_path: Path) -> None:
    path = tmp_path / "p_device.yaml"
    path.write_text(PROFILE)
    code = (
        "import sys\nfrom torchfl.profile import load_profile\n"
        "from torchfl_sdk.conformance.cases.manifest import Selection, plan\n"
        f"assert plan(load_profile({str(path)!r}), Selection())\nassert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
