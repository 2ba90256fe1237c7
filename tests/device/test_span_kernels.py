"""An SDK whose functions are templates over views by value, put work into a queue of a class, and throw: from header to
gate through new-chip, build and probe with no line by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_cxx, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {"add", "clamp", "mm", "mul", "neg", "relu", "softmax", "where"}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_cxx("whimbrel", shared / "whimbrel_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "spans", "whimbrel", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_what_a_function_throws_is_the_error_and_nothing_stays_alive(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in ("add", "mm", "mul", "relu", "softmax", "where")}
    module = wrapper(project, "whimbrel", sdk)
    assert leaves_nothing(module, Sim(sdk), calls, "INTERNAL") == {"alloc", "copy_h2d", "copy_d2h"}
    inputs, out, attrs = calls["relu"]
    kernel = next(k["name"] for k in module.kernels() if k["op"] == "aten::relu")
    count = Sim(sdk).calls(lambda: module.run(kernel, inputs, out, attrs))
    said = []
    for call in range(1, count + 1):
        with Sim(sdk).failing(call), pytest.raises(RuntimeError) as failed:
            module.run(kernel, inputs, out, attrs)
        said.append(str(failed.value))
    assert any("the card failed" in text for text in said), said
