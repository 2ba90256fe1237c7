"""An SDK whose ops are objects of C++ classes with virtual functions, set up by members and run: from header to gate
through new-chip, build and probe with no line by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_cxx, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "add",
    "amax",
    "avg_pool2d",
    "bmm",
    "cat",
    "layer_norm",
    "max_pool2d",
    "maximum",
    "mean",
    "mm",
    "mul",
    "permute_copy",
    "relu",
    "sigmoid",
    "softmax",
    "sum",
    "tanh",
}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_cxx("avocet", shared / "avocet_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "operations", "avocet", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_no_object_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in ("add", "amax", "avg_pool2d", "bmm", "mm", "mul", "relu", "softmax", "sum")}
    x = np.arange(1, 21, dtype=np.float32).reshape(4, 5)
    calls["cat"] = ([x, x], np.zeros((8, 5), np.float32), [0])
    beside = leaves_nothing(wrapper(project, "avocet", sdk), Sim(sdk), calls, "DEVICE_ERROR", "INTERNAL")
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}
