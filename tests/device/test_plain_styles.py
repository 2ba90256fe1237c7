"""An SDK with plain words for names, whose calls return a truth value and choose their op by an enum or a number: from
the header through new-chip, build, probe and gate with no line by hand; and the same SDK with other statuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from helpers import Project, Sdk, passes_gate, succeed
from object_sdk_helpers import Sim, compile_sdk, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "abs", "add", "div", "exp", "floor", "leaky_relu", "log", "maximum", "mean", "minimum", "mul", "neg", "relu",
    "sqrt", "sub", "sum", "tanh",
}  # fmt: skip


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("merlin", shared / "merlin_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "plain", "merlin", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_nothing_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in OPS}
    beside = leaves_nothing(wrapper(project, "merlin", sdk), Sim(sdk), calls, "DEVICE_ERROR")
    assert beside == {"alloc", "copy_h2d", "copy_d2h", "synchronize"}


def _with_status(result: str, worked: str, failed: str, declared: str = "") -> Callable[[str], str]:
    """The SDK with another status: its C type, what says success and failure, and what the header says of it."""

    def change(text: str) -> str:
        text = re.sub(r"\bbool (?=ml_)", f"{result} ", text)
        text = text.replace("Calls say by a truth value whether they worked,", "Calls work or do not,")
        text = text.replace("#define STATUS bool", f"#define STATUS {result}")
        text = text.replace("WORKED return true", f"WORKED {worked}").replace("FAILED return false", f"FAILED {failed}")
        return text.replace("#define ML_MAX_DIMS 5\n", f"{declared}\n\n#define ML_MAX_DIMS 5\n")

    return change


STATUSES = {
    "bool": _with_status("bool", "return true", "return false"),
    "int_1": _with_status("int", "return 1", "return 0", "/* All calls return 1 on success and 0 on failure. */"),
    "int_not_0": _with_status("int", "return 7", "return 0", "/* All calls return non-zero on success. */"),
    "static_const": _with_status(
        "ml_rc", "return ML_SUCCESS", "return ML_ERROR_NOT_SUPPORTED",
        "typedef int ml_rc;\nstatic const ml_rc ML_SUCCESS = 1;\nstatic const ml_rc ML_ERROR_NOT_SUPPORTED = 0;",
    ),
    "truth_enum": _with_status(
        "ml_truth", "return ML_TRUE", "return ML_FALSE", "typedef enum ml_truth { ML_FALSE, ML_TRUE } ml_truth;"
    ),
    "void": _with_status("void", "return", "return"),
}  # fmt: skip


@pytest.mark.parametrize("status", sorted(STATUSES))
def test_success_and_failure_of_a_running_kernel(tmp_path: Path, status: str) -> None:
    sdk = compile_sdk("merlin", tmp_path / "sdk", STATUSES[status])
    name = f"ml_{status}"  # a process loads one module of a name
    succeed("new-chip", name, "--header", sdk.header, "--lib", sdk.library, cwd=tmp_path)
    succeed(tmp_path / name, program="torchfl-build")
    project = Project(tmp_path / name, f"xpu:{name}", tmp_path / name / f"{name}_device.yaml")
    module, sim = wrapper(project, name, sdk), Sim(sdk)
    x = np.array([-1.5, 0.0, 2.0], np.float32)
    out = np.zeros_like(x)
    kernels = {k["op"].removeprefix("aten::"): k["name"] for k in module.kernels()}
    assert set(kernels) == OPS
    for op, expected in (("relu", np.maximum(x, 0)), ("abs", np.abs(x)), ("neg", -x), ("exp", np.exp(x))):
        module.run(kernels[op], [x], out, [])
        np.testing.assert_allclose(out, expected, rtol=1e-6)
    out[:] = 0
    if status == "void":  # nothing tells; the result is what it was
        with sim.failing(1):
            module.run(kernels["relu"], [x], out, [])
        assert not out.any()
        return
    with sim.failing(1), pytest.raises(RuntimeError, match=r"UNSUPPORTED" if "const" in status else r"DEVICE_ERROR"):
        module.run(kernels["relu"], [x], out, [])
