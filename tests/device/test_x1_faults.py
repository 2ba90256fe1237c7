"""A board that fails: what a user's program sees, and that a fault costs the gate its own case only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from helpers import Project, torchfl

pytestmark = pytest.mark.device


def user_program(project: Project, body: str, **environment: str) -> str:
    """What a program prints that starts with torchfl.init() in a process of its own."""
    head = f"import torch, torchfl\ntorchfl.init([{str(project.directory)!r}])\n"
    done = subprocess.run(
        [sys.executable, "-c", head + body],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_device_error_is_an_exception_with_the_vendors_text(x1_project: Project) -> None:
    text = user_program(
        x1_project,
        """
x = torch.zeros(8).to("xpu")
try:
    torch.exp(x)
except RuntimeError as error:
    print(type(error).__name__, error)
print(torch.exp(x).cpu().tolist())
""",
        X1_SIM_FAULTS="device@x1_exp:1",
    )
    first, last = text.splitlines()[0], text.splitlines()[-1]
    assert first.startswith("AcceleratorError xpu:x1: kernel 'x1_exp' (aten::exp) failed")
    assert first.endswith("X1_ERROR_DEVICE: x1_exp: injected fault")
    assert last == str([1.0] * 8)


def test_running_out_of_memory_is_torchs_own_error_and_passes(x1_project: Project) -> None:
    """Tensors move to the host as far as its budget goes. Memory that the program gives back is there again."""
    text = user_program(
        x1_project,
        """
torchfl.set_host_budget("64M")
held = []
try:
    while True:
        held.append(torch.relu(torch.ones(1 << 20).to("xpu")))
except torch.OutOfMemoryError as error:
    print(len(held) > 20, error)
held.clear()
print(torch.relu(torch.ones(1 << 20).to("xpu")).sum().item())
""",
        X1_SIM_MEMORY="64M",
    )
    first, last = text.splitlines()[0], text.splitlines()[-1]
    assert first.startswith("True xpu:x1: allocating 4194304 bytes on device 0")
    assert "OUT_OF_MEMORY" in first
    assert float(last) == 2**20


def test_a_fault_costs_its_own_case(x1_project: Project, tmp_path: Path) -> None:
    """exp segfaults and log reports a device error from some call on; relu, in the same run, passes."""
    done = torchfl(
        "conformance", "--device", "xpu:x1", "--chip-dir", x1_project.directory, "--out", tmp_path / "report",
        "--ops", "aten::exp,aten::log,aten::relu", "--dtypes", "float32",
        env={"X1_SIM_FAULTS": "segv@x1_exp:9+,device@x1_log:9+"},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[-1].startswith("FAIL 1/3 ops native")
    reasons: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in (tmp_path / "report" / "results.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "verdict":
            reasons[event["op"]][event["verdict"]].add(event["reason"])
    assert reasons["aten::exp"]["CRASH"] == {"the worker ended with SIGSEGV"}
    assert any("X1_ERROR_DEVICE: x1_log: injected fault" in reason for reason in reasons["aten::log"]["CRASH"])
    assert "NATIVE_PASS" in reasons["aten::relu"]
    assert not reasons["aten::relu"].keys() & {"CRASH", "FAIL", "HANG"}
