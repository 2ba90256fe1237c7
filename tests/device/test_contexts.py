"""An SDK of plain pointers whose functions take a handle that belongs to a thread: from the header through new-chip,
build, probe and gate with no line by hand."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest

from helpers import Project, Sdk, make_project, once, succeed
from object_sdk_helpers import Sim, compile_sdk, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {"add", "bmm", "exp", "mm", "relu", "sigmoid", "softmax", "sub", "sum", "tanh"}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("kite", shared / "kite_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    parent = shared / "contexts"
    parent.mkdir(exist_ok=True)
    once(parent / "kite", lambda: make_project(parent, "kite", sdk))
    return Project(parent / "kite", "xpu:kite", parent / "kite" / "kite_device.yaml")


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS
    add = profile.op("aten::add")
    assert add is not None
    assert set(add.dtype_support) == {"float32", "float64"}


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    said = succeed(
        "conformance", "--device", project.selector, "--chip-dir", project.directory, "--level", "quick",
        cwd=project.directory.parent,
    )  # fmt: skip
    assert said.strip().splitlines()[-1].startswith(f"PASS {len(OPS)}/{len(OPS)} ops native"), said


def test_threads_have_handles_of_their_own(project: Project, sdk: Sdk) -> None:
    module, sim = wrapper(project, "kite", sdk), Sim(sdk)
    kernel = next(k["name"] for k in module.kernels() if k["op"] == "aten::relu")
    x = np.array([1.5, -2.0], np.float32)
    results = [np.zeros_like(x) for _ in range(2)]

    def run(out: np.ndarray) -> None:
        module.run(kernel, [x], out, [])

    both = Barrier(2)  # alive together, so that neither has the other's name

    def meet(out: np.ndarray) -> None:
        both.wait(60)
        run(out)
        both.wait(60)

    threads = [Thread(target=meet, args=(out,)) for out in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in results:
        np.testing.assert_array_equal(out, np.maximum(x, 0))
    run(results[0])  # this thread's handle
    calls = sim.calls(lambda: run(results[0]))
    of_kernel = 0  # beside those that bring the tensors to the device and back
    for call in range(1, calls + 1):
        before = sim.alive
        with sim.failing(call), pytest.raises(RuntimeError) as failed:
            run(results[0])
        if kernel in str(failed.value):
            of_kernel += 1
            assert sim.alive == before
    assert of_kernel == 2  # the handle gets its queue, the function is called
    run(results[1])
    np.testing.assert_array_equal(results[1], np.maximum(x, 0))
