"""SDKs whose tensors and ops are objects, from their headers to a green gate without a line by hand.

Nine styles, each a small simulated SDK of its own: handles and descriptors, with numbers or with lists of
dimensions in them; tensor objects launched in two phases, by a function for each op or by one for all; operators that
are created, set up and run; descriptions that are structs of the caller; views that the caller fills, beside one
question for the scratch of many ops; matrices that are such structs; column-major functions of a BLAS with a handle.
Every vendor call of a kernel is made to fail once: nothing may stay alive.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from helpers import Project, Sdk, make_project, once, succeed
from object_sdk_helpers import OPS, Sim, compile_sdk, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device


@dataclass(frozen=True)
class Chip:
    """One SDK with the project made from it, both opened in this process."""

    name: str
    sdk: Sdk
    project: Project
    module: ModuleType
    sim: Sim

    def kernel(self, op: str) -> str:
        return next(k["name"] for k in self.module.kernels() if k["op"] == f"aten::{op}")


@pytest.fixture(scope="module", params=sorted(OPS))
def chip(request: pytest.FixtureRequest, shared: Path) -> Chip:
    name = request.param
    sdk = compile_sdk(name, shared / f"{name}_sdk")
    parent = shared / "objects"
    parent.mkdir(exist_ok=True)
    once(parent / name, lambda: make_project(parent, name, sdk))
    project = Project(parent / name, f"xpu:{name}", parent / name / f"{name}_device.yaml")
    return Chip(name, sdk, project, wrapper(project, name, sdk), Sim(sdk))


def test_every_op_of_the_header_has_a_kernel_that_the_probe_has_settled(chip: Chip) -> None:
    profile = load_profile(chip.project.profile)
    routed = {e.name.removeprefix("aten::") for e in profile.ops if e.routes and "float32" in e.dtype_support}
    assert routed == OPS[chip.name]


def test_gate_passes_with_no_line_by_hand(chip: Chip) -> None:
    said = succeed(
        "conformance", "--device", chip.project.selector, "--chip-dir", chip.project.directory, "--level", "quick",
        cwd=chip.project.directory.parent,
    )  # fmt: skip
    last = said.strip().splitlines()[-1]
    assert last.startswith(f"PASS {len(OPS[chip.name])}/{len(OPS[chip.name])} ops native"), said


def test_nothing_stays_alive_whichever_vendor_call_fails(chip: Chip) -> None:
    beside = leaves_nothing(chip.module, chip.sim, {op: small_call(op, chip.name) for op in OPS[chip.name]})
    assert beside == (
        set() if chip.name in ("ember", "godwit") else {"alloc", "copy_h2d", "copy_d2h"}
    )  # it computes on the host


@pytest.mark.parametrize("chip", sorted(n for n, ops in OPS.items() if "conv2d" in ops), indirect=True)
def test_convolution_is_numpys_with_every_attribute(chip: Chip) -> None:
    (x, w, b), out, attrs = small_call("conv2d")
    assert x is not None
    assert w is not None
    assert b is not None
    chip.module.run(chip.kernel("conv2d"), [x, w, b], out, attrs)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (0, 0)))
    expected = np.zeros(out.shape)
    for k in range(6):
        group = padded[:, (k // 3) * 2 : (k // 3) * 2 + 2]
        for p in range(4):
            for q in range(6):
                window = group[:, :, 2 * p : 2 * p + 3, q : q + 3 : 2]
                expected[:, k, p, q] = (window * w[k]).sum(axis=(1, 2, 3)) + b[k]
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
    chip.module.run(chip.kernel("conv2d"), [x, w, None], out, attrs)
    np.testing.assert_allclose(out, expected - b[:, None, None], rtol=1e-5, atol=1e-5)
