"""SDKs whose tensors and ops are objects, from their headers to a green gate without a line by hand.

Four styles, each a small simulated SDK of its own: handles and descriptors; tensor objects launched in two phases;
operators that are created, set up and run; column-major functions of a BLAS with a handle. Every vendor call of a
kernel is made to fail once: nothing may stay alive.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from helpers import Project, Sdk, make_project, once, succeed
from object_sdk_helpers import OPS, Sim, compile_sdk, wrapper
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


def _call(op: str, name: str = "") -> tuple[list[np.ndarray | None], np.ndarray, list[object]]:
    """Inputs, output and attributes of a small call of an op."""
    rng = np.random.default_rng(0)

    def made(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    x, y = made(2, 3, 4), made(2, 3, 4)
    if op == "conv2d":
        attrs: list[object] = [[2, 1], [1, 0], [1, 2], False, [0, 0], 2]
        return [made(2, 4, 7, 8), made(6, 2, 3, 2), made(6)], np.zeros((2, 6, 4, 6), np.float32), attrs
    if op == "mm":
        return [made(3, 5), made(5, 4)], np.zeros((3, 4), np.float32), []
    if op in ("mv", "dot", "addmv", "addr", "addmm"):
        a, b, v, w = made(3, 5), made(5, 4), made(5), made(4)
        shape = {"mv": (3,), "dot": (), "addmv": (3,), "addr": (5, 4), "addmm": (3, 4)}[op]
        given = {"mv": [a, v], "dot": [v, made(5)], "addmv": [made(3), a, v], "addr": [made(5, 4), v, w]}
        factors = [1, 2] if op.startswith("add") else []
        return given.get(op, [made(3, 4), a, b]), np.zeros(shape, np.float32), factors
    if op == "avg_pool2d":
        return [made(2, 4, 6, 8)], np.zeros((2, 4, 3, 4), np.float32), [[2, 2], [2, 2], [0, 0], False, True, None]
    if op == "vector_norm":
        return [x], np.zeros((), np.float32), [2, None, False, None]
    if op == "mul" and name == "talon":  # by a number
        return [x, made()], np.zeros_like(x), []
    if op == "bmm":
        return [made(2, 3, 5), made(2, 5, 4)], np.zeros((2, 3, 4), np.float32), []
    if op in ("add", "sub"):
        return [x, y], np.zeros_like(x), [1]
    if op in ("mul", "maximum", "minimum"):
        return [x, y], np.zeros_like(x), []
    attrs = {"elu": [1.0, 1.0, 1.0], "leaky_relu": [0.01], "softmax": [2, False], "log_softmax": [2, False]}.get(op, [])
    return [x], np.zeros_like(x), attrs


def test_nothing_stays_alive_whichever_vendor_call_fails(chip: Chip) -> None:
    for op in sorted(OPS[chip.name]):
        inputs, out, attrs = _call(op, chip.name)

        def run(kernel: str = chip.kernel(op), inputs=inputs, out=out, attrs=attrs) -> None:
            chip.module.run(kernel, inputs, out, attrs)

        run()  # makes the thread's handle, which stays
        before = chip.sim.alive
        calls = chip.sim.calls(run)
        assert calls >= 1, op
        assert chip.sim.alive == before, op
        for call in range(1, calls + 1):
            with chip.sim.failing(call), pytest.raises(RuntimeError, match=r".+: UNSUPPORTED"):
                run()
            assert chip.sim.alive == before, f"{op}: its vendor call {call} of {calls} failed and left an object"
        run()
        assert np.isfinite(out).all()
        assert out.any()


@pytest.mark.parametrize("chip", sorted(n for n, ops in OPS.items() if "conv2d" in ops), indirect=True)
def test_convolution_is_numpys_with_every_attribute(chip: Chip) -> None:
    (x, w, b), out, attrs = _call("conv2d")
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
