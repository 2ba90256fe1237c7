"""An SDK whose ops are objects of C++ classes that work on a handle or a queue of the thread's, with tensors that are
told what they are, or that are prepared for types and extents: from header to gate with no line by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_cxx, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "abs",
    "add",
    "bmm",
    "exp",
    "gelu",
    "maximum",
    "mean",
    "mm",
    "mul",
    "relu",
    "sigmoid",
    "softmax",
    "sum",
    "tanh",
}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_cxx("dunnock", shared / "dunnock_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "prepared", "dunnock", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_no_object_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in ("add", "bmm", "mean", "mm", "mul", "relu", "sigmoid", "softmax", "sum")}
    beside = leaves_nothing(
        wrapper(project, "dunnock", sdk), Sim(sdk), calls, "INVALID_ARGUMENT", "DEVICE_ERROR", "INTERNAL"
    )
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}
