"""shutdown(), and a second init(), while other threads use the devices."""

from __future__ import annotations

import pytest

from core_helpers import run_script

pytestmark = pytest.mark.device

#: Threads whose every op is one of ours. Each goes on until an op raises; what it raised is what is looked at.
THREADS = """
import os, threading, torch, torchfl
folder = [os.environ["FX_DIR"]]
MESSAGE = "torchfl.shutdown() has released the devices of this process; call torchfl.init() to use them again"
shared = torch.arange(3000.0)

def native(t, own): return torch.relu(t + own)
def fallback(t, own): return own.copy_(t.sin().abs())
def in_place(t, own): return own.add_(t).sub_(t)
def copies(t, own): return own.cpu().sum(), t[5].item(), t[7:9].tolist(), torch.ones(3000).to(own.device)
def shapes(t, own):
    made = torch.empty(0, device=t.device)
    torch.add(t, own, out=made)
    return made.resize_(4000)[:3000].view(3, 1000).t().contiguous()
def learns(t, own):
    weight = torch.nn.Parameter(own.clone())
    (weight * t).sum().backward()
    return weight.grad
def makes(t, own): return torch.ones(8, device="xpu") + torch.zeros(8, device=t.device)
KINDS = (native, fallback, in_place, copies, shapes, learns, makes)

def run(kind, t, errors, started):
    try:
        own = torch.zeros_like(t)
        while True:
            kind(t, own)
            started.release()
    except BaseException as error:
        errors.append(str(error).splitlines()[0])
"""


def test_ops_of_other_threads_end_and_later_ones_name_shutdown() -> None:
    """Twenty times, with seven threads inside ops of every kind; the values are there after the next init()."""
    done = run_script(
        THREADS
        + """
for turn in range(20):
    torchfl.init(folder)
    t = shared.to("xpu")
    kept = torch.relu(t)
    errors, started = [], threading.Semaphore(0)
    threads = [threading.Thread(target=run, args=(kind, t, errors, started)) for kind in KINDS]
    for thread in threads: thread.start()
    for _ in range(10 + turn): started.acquire()
    torchfl.shutdown()
    for use in (lambda: t + 1, lambda: kept.cpu(), lambda: torch.empty_like(t), lambda: t.add_(1), lambda: t[0].item()):
        try: use()
        except RuntimeError as error: errors.append(str(error).splitlines()[0])
    late = threading.Thread(target=run, args=(native, t, errors, started))
    late.start()
    for thread in (*threads, late): thread.join()
    assert errors == [MESSAGE] * (len(KINDS) + 6), (turn, errors)
    torchfl.init(folder)
    assert torch.equal(kept.cpu(), shared) and torch.equal(torch.relu(t).cpu(), shared)
    torchfl.shutdown()
print("done")
"""
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_a_second_init_is_not_seen_by_ops_of_other_threads() -> None:
    done = run_script(
        THREADS
        + """
torchfl.init(folder)
t = shared.to("xpu")
errors, started = [], threading.Semaphore(0)
threads = [threading.Thread(target=run, args=(kind, t, errors, started)) for kind in KINDS]
for thread in threads: thread.start()
for _ in range(20):
    started.acquire()
    torchfl.init(folder)
assert not errors, errors
torchfl.shutdown()
for thread in threads: thread.join()
assert errors == [MESSAGE] * len(KINDS), errors
assert torchfl.is_initialized() is False
print("done")
"""
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_tensors_that_are_freed_during_a_shutdown_leave_nothing_behind() -> None:
    done = run_script(
        """
import ctypes, os, threading, torch, torchfl
library = ctypes.CDLL(os.environ["FX_LIBRARY"])
for _ in range(10):
    torchfl.init([os.environ["FX_DIR"]])
    held = [torch.relu(torch.ones(5000).to("xpu")) for _ in range(400)]
    go = threading.Event()
    def drop():
        go.wait()
        while held: held.pop()
    thread = threading.Thread(target=drop)
    thread.start()
    go.set()
    torchfl.shutdown()
    assert library.fx_bytes_in_use() == 0
    thread.join()
print("done")
"""
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_shutdown_and_init_from_inside_an_op_are_refused() -> None:
    done = run_script(
        """
import os, torch, torchfl
folder = [os.environ["FX_DIR"]]
torchfl.init(folder)
@torch.library.custom_op("shutdown_test::call", mutates_args=(), device_types="cpu")
def call(x: torch.Tensor, stop: bool) -> torch.Tensor:
    torchfl.shutdown() if stop else torchfl.init(folder)
    return x.clone()
t = torch.ones(3, device="xpu")
for stop in (True, False):
    try: call(t, stop)
    except RuntimeError as error: print(str(error).splitlines()[0])
print(torchfl.is_initialized(), (t + 1).tolist(), t.device)
"""
    )
    refused = "torchfl cannot be stopped or extended from inside an op of a device\n"
    assert done.stdout == refused * 2 + "True [2.0, 2.0, 2.0] xpu:0\n", done.stderr


def test_what_python_says_after_a_shutdown() -> None:
    done = run_script(
        """
import os, torch, torchfl
from torchfl.errors import TorchflError
torchfl.init([os.environ["FX_DIR"]])
torchfl.shutdown()
try: torchfl.device("xpu:fx")
except TorchflError as error: print(error)
"""
    )
    assert "TFL0609 torchfl.shutdown() has been called" in done.stdout, done.stdout + done.stderr
