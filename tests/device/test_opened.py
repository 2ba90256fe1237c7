"""An SDK whose cards are opened, and whose functions all take what that gave: from the header through new-chip, build,
probe and gate with no line by hand."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_sdk, header_to_chip, leaves_nothing, small_call, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "adaptive_avg_pool2d",
    "add",
    "batch_norm",
    "bmm",
    "conv2d",
    "embedding",
    "gelu",
    "index_select",
    "group_norm",
    "layer_norm",
    "max_pool2d",
    "mm",
    "mul",
    "relu",
    "rms_norm",
    "scaled_dot_product_attention",
    "sigmoid",
    "softmax",
    "sub",
}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("osprey", shared / "osprey_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "opened", "osprey", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_an_input_that_no_comment_lets_be_null_has_to_be_given(project: Project) -> None:
    program = f"""
import torch, torchfl
torchfl.init([{str(project.directory)!r}])
x, weight = torch.randn(3, 5).to("xpu"), torch.randn(5).to("xpu")
with_weight, without = torchfl.explain(torch.rms_norm, x, [5], weight), torchfl.explain(torch.rms_norm, x, [5])
print(with_weight.layer, without.layer, without.reason, sep="|")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    native, cpu, reason = done.stdout.strip().split("|")
    assert (native, cpu) == ("native", "cpu")
    assert "weight = absent, but weight must be one of [given]" in reason


def test_threads_share_an_opened_card_one_at_a_time(project: Project, sdk: Sdk) -> None:
    """The simulated card notices calls that meet, and a second opening would not know the first one's memory."""
    module, overlaps = wrapper(project, "osprey", sdk), ctypes.CDLL(str(sdk.library)).sim_overlaps
    kernel = next(k["name"] for k in module.kernels() if k["op"] == "aten::mm")
    a, b = np.ones((40, 60), np.float32), np.ones((60, 50), np.float32)
    results = [np.zeros((40, 50), np.float32) for _ in range(4)]

    def work(out: np.ndarray) -> None:
        for _ in range(50):
            module.run(kernel, [a, b], out, [])

    threads = [Thread(target=work, args=(out,)) for out in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in results:
        np.testing.assert_array_equal(out, 60)
    assert overlaps() == 0


def test_nothing_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    calls = {op: small_call(op) for op in ("add", "bmm", "mm", "mul", "relu", "sigmoid", "softmax", "sub")}
    x, index = np.arange(1, 21, dtype=np.float32).reshape(4, 5), np.array([2, 0, 2])
    calls["index_select"] = ([x, index], np.zeros((3, 5), np.float32), [0])  # whose indices are narrowed
    beside = leaves_nothing(wrapper(project, "osprey", sdk), Sim(sdk), calls, "DEVICE_ERROR")
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}
