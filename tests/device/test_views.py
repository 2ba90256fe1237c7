"""An SDK whose vectors and matrices are structs of the caller, on a device's memory: from the header through new-chip,
build, probe and gate with no line by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_sdk, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "add",
    "addmm",
    "addmv",
    "addr",
    "amax",
    "amin",
    "bmm",
    "div",
    "dot",
    "mm",
    "mul",
    "mv",
    "sub",
    "sum",
    "vector_norm",
}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("wren", shared / "wren_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "views", "wren", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS
    mul = profile.op("aten::mul")
    assert mul is not None
    assert set(mul.dtype_support) == {"float32", "float64"}


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_nothing_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    by_value = {"amax", "sum", "vector_norm"}  # of which no failure is told
    calls = {op: small_call(op) for op in OPS - by_value}
    assert leaves_nothing(wrapper(project, "wren", sdk), Sim(sdk), calls) == {"alloc", "copy_h2d", "copy_d2h"}


def test_matrices_keep_the_space_between_their_rows(project: Project, sdk: Sdk) -> None:
    module = wrapper(project, "wren", sdk)
    kernel = next(k["name"] for k in module.kernels() if k["op"] == "aten::mm")
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((4, 9), dtype=np.float32), rng.standard_normal((8, 6), dtype=np.float32)
    out = np.full((4, 7), -1, np.float32)
    module.run(kernel, [a[:, 2:7], b[1:6, :5]], out[:, 1:6], [])
    np.testing.assert_allclose(out[:, 1:6], a[:, 2:7] @ b[1:6, :5], rtol=1e-5, atol=1e-6)
    assert (out[:, [0, 6]] == -1).all()
    module.run(kernel, [b[:5, 1:5].T, a.T[2:7]], out[:, :4], [])
    np.testing.assert_allclose(out[:, :4], b[:5, 1:5].T @ a.T[2:7], rtol=1e-5, atol=1e-6)
