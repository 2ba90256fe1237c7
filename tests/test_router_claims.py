"""Which overloads an entry of a profile serves, and that the router and `profile validate` agree about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torchfl.profile import load_profile, warnings
from torchfl.router import _bind_ops

ADD = ["aten::add.Tensor", "aten::add.Scalar", "aten::add_.Tensor", "aten::add_.Scalar"]


class RecordingCore:
    """Takes the place of the compiled core: keeps what it is told."""

    def __init__(self) -> None:
        self.bound: list[tuple[str, list[str]]] = []

    def add_binding(self, binding: dict[str, Any]) -> None:
        self.bound.append((binding["impl"], binding["overloads"]))


def bind(tmp_path: Path, *names: str) -> tuple[list[tuple[str, list[str]]], list[str], list[str]]:
    """What the core is told, the codes that loading reports, and the codes that validating reports."""
    path = tmp_path / "acme_device.yaml"
    lines = ["schema: 1", "device_type: xpu:acme", "runtime_so: /lib/libacme.so", "supported_ops:"]
    for i, name in enumerate(names):
        lines.append(f"  - {{name: {name}, impl: k{i}, dtype_support: [float32]}}")
    path.write_text("\n".join(lines) + "\n")
    core = RecordingCore()
    problems = [p.code for p in _bind_ops(core, "xpu:acme", load_profile(path))]
    return core.bound, problems, [p.code for p in warnings(path)]


def test_an_entry_without_overload_serves_every_form(tmp_path: Path) -> None:
    bound, problems, advice = bind(tmp_path, "aten::add")
    assert bound == [("k0", [*ADD, "aten::add.out"])]
    assert (problems, advice) == ([], [])


def test_an_exact_overload_serves_that_form_alone_and_the_rest_stays(tmp_path: Path) -> None:
    bound, problems, _ = bind(tmp_path, "aten::add", "aten::add.out")
    assert bound == [("k1", ["aten::add.out"]), ("k0", ADD)]
    assert problems == []


def test_an_overload_by_the_profile_name_of_a_composite(tmp_path: Path) -> None:
    bound, problems, advice = bind(tmp_path, "aten::softmax.out")
    assert bound == [("k0", ["aten::_softmax.out"])]
    assert (problems, advice) == ([], [])


def test_an_unknown_overload_does_not_route_and_both_say_so(tmp_path: Path) -> None:
    bound, problems, advice = bind(tmp_path, "aten::add.Tensr")
    assert bound == []
    assert problems == ["TFL0701"]
    assert advice == ["TFL0151"]
