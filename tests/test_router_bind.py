"""What router.bind() gives the core of a profile, and what it leaves out and says. Needs no torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torchfl import catalogue, router
from torchfl.profile import load_profile
from torchfl.runtime import TorchflWarning

ADD = ["aten::add.Tensor", "aten::add.Scalar", "aten::add_.Tensor", "aten::add_.Scalar"]

HEAD = """
schema: 1
device_type: xpu:demo
vendor: V
chip_model: M
driver_version: "1"
runtime_so: libdemo.so
supported_ops:
"""


class Core:
    """Takes down what it is given."""

    def __init__(self, kernels: tuple[str, ...] = ()) -> None:
        self.kernels = kernels
        self.ops: dict[str, dict[str, Any]] = {}
        self.bindings: list[dict[str, Any]] = []
        self.policies: dict[str, list[str]] = {}
        self.layers: list[str] = []

    def set_unsupported_type(self, kind: type) -> None:
        assert issubclass(kind, NotImplementedError)

    def set_python_layer(self, name: str, layer: object) -> None:
        assert callable(layer.offer)  # type: ignore[attr-defined]
        self.layers.append(name)

    def set_layout_notice(self, notice: object) -> None:
        assert callable(notice)

    def add_op(self, op: dict[str, Any]) -> None:
        self.ops[op["name"]] = op

    def add_binding(self, binding: dict[str, Any]) -> None:
        self.bindings.append(binding)

    def set_policy(self, selector: str, op: str, layers: list[str]) -> None:
        assert selector == "xpu:demo"
        self.policies[op] = layers

    def chips(self) -> list[dict[str, Any]]:
        return [{"selector": "xpu:demo", "kernels": [{"name": name} for name in self.kernels]}]


def bind(tmp_path: Path, entries: str, kernels: tuple[str, ...] = ()) -> Core:
    path = tmp_path / "demo_device.yaml"
    path.write_text(HEAD + entries)
    core = Core(kernels)
    router.bind(core, [("xpu:demo", load_profile(path))])
    return core


def test_the_whole_catalogue_is_given(tmp_path):
    core = bind(tmp_path, "  - {name: aten::add, impl: k, dtype_support: [float32]}\n")
    assert set(core.ops) == {op.name for op in catalogue.OPS}
    conv = core.ops["aten::conv2d"]
    assert (conv["functional"], conv["reference"]) == ("aten::convolution_overrideable", "aten::convolution")
    assert conv["optional_inputs"] == ["bias"]


def test_an_entry_serves_every_form_of_its_op(tmp_path):
    core = bind(tmp_path, "  - {name: aten::add, impl: k, dtype_support: [float32], constraints: {alpha: [1]}}\n")
    (binding,) = core.bindings
    assert binding["overloads"] == [*ADD, "aten::add.out"]
    assert binding["constraints"] == [("alpha", [1.0], None, None, None)]
    assert binding["routes"] is True
    assert core.policies == {"": ["cpu"]}


def test_an_entry_with_an_overload_goes_before_one_without(tmp_path):
    core = bind(
        tmp_path,
        "  - {name: aten::add, impl: general, dtype_support: [float32]}\n"
        "  - {name: aten::add.out, impl: exact, dtype_support: [float32]}\n",
    )
    served = {binding["impl"]: binding["overloads"] for binding in core.bindings}
    assert served == {"exact": ["aten::add.out"], "general": ADD}


def test_the_name_conv2d_implies_limits_that_the_profile_may_replace(tmp_path):
    core = bind(
        tmp_path,
        "  - {name: aten::conv2d, impl: k, dtype_support: [float16], constraints: {rank: [4, 5], stride: {max: 2}}}\n",
    )
    rows = {row[0]: row[1:] for row in core.bindings[0]["constraints"]}
    assert rows["rank"][0] == [4.0, 5.0]
    assert rows["transposed"][0] == [0.0]
    assert rows["stride"] == (None, None, 2.0, None)


def test_unverified_entries_are_bound_so_that_they_can_be_explained_but_do_not_route(tmp_path):
    core = bind(tmp_path, "  - {name: aten::mm, impl: k, dtype_support: [float32], provenance: unverified}\n")
    assert core.bindings[0]["routes"] is False


ENTRY = "  - {name: aten::add, impl: k, dtype_support: [float32]}\n"


def test_layers_end_with_what_the_profile_says_for_every_op(tmp_path):
    core = bind(
        tmp_path,
        ENTRY
        + "fallback_policy:\n  default: error\n"
        + "  op_specific: {aten::softmax: fast, aten::mm: cpu, aten::add: [fast, decompose, cpu]}\n",
        ("k", "fast"),
    )
    assert core.policies == {
        "": ["error"],
        "aten::softmax": ["fast", "error"],
        "aten::mm": ["cpu"],
        "aten::add": ["fast", "decompose", "cpu"],
    }
    assert core.layers == ["decompose", "onnxruntime"]


@pytest.mark.parametrize(
    ("policy", "text", "expected"),
    [
        (
            "{default: [onnxruntime, cpu]}",
            r"TFL0702 .*fallback_policy.default: 'onnxruntime' needs onnx, which is not installed; "
            r"fix: pip install 'flagos-torchfl\[onnxruntime\]'",
            {"": ["cpu"]},
        ),
        (
            "{op_specific: {aten::softmax: [slow]}}",
            "TFL0703 .*op_specific.aten::softmax: the chip library has no kernel 'slow'",
            {"": ["cpu"], "aten::softmax": ["cpu"]},
        ),
    ],
)
def test_layers_that_cannot_be_served_are_said_aloud(tmp_path, monkeypatch, policy, text, expected):
    monkeypatch.setattr(router, "missing_package", lambda: "onnx")
    with pytest.warns(TorchflWarning, match=text):
        core = bind(tmp_path, ENTRY + f"fallback_policy: {policy}\n", ("k",))
    assert core.policies == expected


def test_what_the_core_refuses_costs_its_entry_only(tmp_path, monkeypatch):
    refused = "  - {name: aten::mul, impl: k, dtype_support: [float32]}\n"

    def add_binding(self, binding):
        if binding["op"] == "aten::mul":
            raise ValueError("aten::mul: unknown dtype")
        self.bindings.append(binding)

    monkeypatch.setattr(Core, "add_binding", add_binding)
    with pytest.warns(TorchflWarning, match=r"TFL0704 .*demo_device.yaml:\d+  xpu:demo: aten::mul: unknown dtype"):
        core = bind(tmp_path, ENTRY + refused)
    assert [binding["op"] for binding in core.bindings] == ["aten::add"]
