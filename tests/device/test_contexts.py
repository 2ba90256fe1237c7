"""An SDK of plain pointers whose functions take a handle that belongs to a thread: from the header through new-chip,
build, probe and gate with no line by hand."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_sdk, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {"add", "bmm", "exp", "mm", "relu", "sigmoid", "softmax", "sub", "sum", "tanh"}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("kite", shared / "kite_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "contexts", "kite", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS
    add = profile.op("aten::add")
    assert add is not None
    assert set(add.dtype_support) == {"float32", "float64"}


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_threads_have_handles_of_their_own(project: Project, sdk: Sdk) -> None:
    module = wrapper(project, "kite", sdk)
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


def test_a_thread_gives_its_handle_back_as_it_ends(project: Project, sdk: Sdk) -> None:
    module, sim = wrapper(project, "kite", sdk), Sim(sdk)
    kernel = next(k["name"] for k in module.kernels() if k["op"] == "aten::relu")
    x = np.array([1.5, -2.0], np.float32)
    before = sim.alive
    for _ in range(3):  # the system gives each the id of the one before it
        out, alive = np.zeros_like(x), []

        def work(out: np.ndarray = out, alive: list[int] = alive) -> None:
            module.run(kernel, [x], out, [])
            alive.append(sim.alive)

        thread = Thread(target=work)
        thread.start()
        thread.join()
        np.testing.assert_array_equal(out, np.maximum(x, 0))
        assert alive == [before + 1]
        limit = time.monotonic() + 60
        while sim.alive != before and time.monotonic() < limit:  # join() does not wait for the thread's last steps
            time.sleep(0.01)
        assert sim.alive == before


def test_the_process_ends_well_with_handles_alive(project: Project, sdk: Sdk) -> None:
    """A thread that still runs, and the main thread, have handles as the process ends."""
    program = f"""
import importlib.util, sys, threading, time
import numpy as np
spec = importlib.util.spec_from_file_location("kite_wrapper", {str(next(project.directory.glob("kite_wrapper*.so")))!r})
kite = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kite)
kite.open({str(sdk.library)!r})
kernel = next(k["name"] for k in kite.kernels() if k["op"] == "aten::relu")
ready = threading.Event()
def work():
    kite.run(kernel, [np.ones(4, np.float32)], np.zeros(4, np.float32), [])
    ready.set()
    time.sleep(60)
threading.Thread(target=work, daemon=True).start()
ready.wait(60)
kite.run(kernel, [np.ones(4, np.float32)], np.zeros(4, np.float32), [])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in OPS}
    beside = leaves_nothing(wrapper(project, "kite", sdk), Sim(sdk), calls, "DEVICE_ERROR")
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}
