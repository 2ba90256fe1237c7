"""An SDK whose tensors are objects of a C++ class and whose functions return new ones: from header to gate through
new-chip, build and probe with no line by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers import Project, Sdk, make_project, once, passes_gate
from object_sdk_helpers import Sim, compile_cxx, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "add",
    "bmm",
    "cat",
    "clamp",
    "gelu",
    "gt",
    "index_select",
    "layer_norm",
    "leaky_relu",
    "mean",
    "mm",
    "mul",
    "neg",
    "permute_copy",
    "relu",
    "sigmoid",
    "softmax",
    "sum",
    "where",
}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_cxx("linnet", shared / "linnet_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    """The library throws for element types that its class has and its functions do not, which the probe finds."""
    parent = shared / "classes"
    parent.mkdir(exist_ok=True)
    once(parent / "linnet", lambda: make_project(parent, "linnet", sdk, alarms=True))
    return Project(parent / "linnet", "xpu:linnet", parent / "linnet" / "linnet_device.yaml")


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_no_object_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in ("add", "bmm", "mean", "mm", "mul", "relu", "sigmoid", "softmax", "sum")}
    x, index = np.arange(1, 21, dtype=np.float32).reshape(4, 5), np.array([2, 0, 2])
    calls["index_select"] = ([x, index], np.zeros((3, 5), np.float32), [0])
    calls["cat"] = ([x, x], np.zeros((8, 5), np.float32), [0])
    beside = leaves_nothing(wrapper(project, "linnet", sdk), Sim(sdk), calls, "INTERNAL", "DEVICE_ERROR")
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}


def test_a_result_of_another_element_type_is_declined(project: Project, sdk: Sdk) -> None:
    module = wrapper(project, "linnet", sdk)
    kernel = next(k["name"] for k in module.kernels() if k["op"] == "aten::gt")
    x = np.ones((2, 3), np.float32)
    with pytest.raises(RuntimeError, match=r"UNSUPPORTED.*another element type"):
        module.run(kernel, [x, x], np.zeros((2, 3), np.int64), [])
