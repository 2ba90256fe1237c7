"""A process that exits right after backward on the device: with the script's own status, not by an abort."""

from __future__ import annotations

import pytest

from core_helpers import run_script
from torchfl import autograd_threads

pytestmark = pytest.mark.device

CODE = """
import os, sys, torch, torchfl
torchfl.init([os.environ["FX_DIR"]])
a, b = (torch.randn(8, 8).to("xpu").requires_grad_() for _ in range(2))
(a @ b).backward(torch.ones(8, 8).to("xpu"))
a.grad.cpu()
sys.exit(7)
"""


def test_exit_right_after_backward():
    """Without the wait about every second run aborts."""
    for _ in range(4):
        done = run_script(CODE)
        assert (done.returncode, done.stderr) == (7, "")


def test_wait_outlasts_a_busy_thread_and_gives_up_at_its_limit(monkeypatch):
    rounds = iter([["R", "S"], ["S", "R"], ["S", "S"], ["R", "S"], *[["S", "S"]] * 3])
    seen = []
    monkeypatch.setattr(autograd_threads, "_states", lambda: seen.append(1) or next(rounds))
    autograd_threads.wait()
    assert len(seen) == 7
    monkeypatch.setattr(autograd_threads, "_states", lambda: ["R"])
    autograd_threads.wait(limit=0.01)
    monkeypatch.setattr(autograd_threads, "_states", lambda: seen.append(1) or [])
    autograd_threads.wait()
    assert len(seen) == 8
