"""A process that exits: with the script's own status, not by an abort, whatever tensors, threads, handlers it has."""

from __future__ import annotations

import importlib.util
import signal

import pytest

from core_helpers import run_script
from helpers import absent
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


ENDINGS = {
    "an atexit handler of before init uses the device": """
import atexit, torch
held = []
atexit.register(lambda: print((held[0] + 1).tolist()))
import os, torchfl
torchfl.init([os.environ["FX_DIR"]])
held.append(torch.ones(2, device="xpu").relu())
""",
    "one of after init makes a model and trains it": """
import atexit
t = torch.ones(2, device="xpu").relu()
def train():
    model = torch.nn.Linear(2, 2).to("xpu")
    model(t).sum().backward()
    print((t + model.weight.grad[0]).tolist())
atexit.register(train)
""",
    "shutdown is an atexit handler": """
import atexit
atexit.register(torchfl.shutdown)
t = torch.ones(2, device="xpu").relu()
print((t + 1).tolist())
""",
    "sys.exit in a thread": """
def leave():
    t = torch.ones(2, device="xpu") + 1
    print(t.tolist(), flush=True)
    sys.exit(3)
thread = threading.Thread(target=leave)
thread.start()
thread.join()
""",
    "a thread outlives the main one": """
def work():
    main.join()
    t = torch.ones(2, device="xpu")
    for _ in range(50): t = (t + 1).relu().sin().abs()
    print([2.0, 2.0])
main = threading.current_thread()
threading.Thread(target=work).start()
""",
    "finalizers and cycles": """
class Holder:
    def __init__(self): self.me, self.t = self, torch.ones(2, device="xpu")
class Last:
    def __init__(self): self.t = torch.ones(2, device="xpu")
    def __del__(self): self.t.add_(1).relu()  # an error here is printed
sys.holder, last = Holder(), Last()
optimizer = torch.optim.Adam([torch.nn.Parameter(sys.holder.t)])
print((last.t + 1).tolist())
""",
    "a subinterpreter comes and goes": """
import _xxsubinterpreters as interpreters
t = torch.ones(2, device="xpu")
other = interpreters.create()
interpreters.run_string(other, "import torchfl; torchfl.__version__")
interpreters.destroy(other)
print((t + 1).tolist())
""",
}


@pytest.mark.parametrize("ending", sorted(ENDINGS))
def test_an_ending_is_quiet_and_device_code_works_until_then(ending: str) -> None:
    if "subinterpreter" in ending and importlib.util.find_spec("_xxsubinterpreters") is None:
        absent("this Python keeps its subinterpreters under another name")
    begin = "import os, sys, threading, torch, torchfl\ntorchfl.init([os.environ['FX_DIR']])\n"
    done = run_script(ENDINGS[ending] if "before init" in ending else begin + ENDINGS[ending])
    assert (done.stdout, done.stderr, done.returncode) == ("[2.0, 2.0]\n", "", 0)


DAEMONS = """
import os, threading, torch, torchfl
torchfl.init([os.environ["FX_DIR"]])
started = threading.Semaphore(0)
def work():
    t = torch.ones(2000, device={device!r})
    while True:
        t = (t + 1).relu().sin()
        started.release()
for _ in range(4): threading.Thread(target=work, daemon=True).start()
for _ in range(100): started.acquire()
print("done", flush=True)
"""


def test_daemon_threads_inside_ops_end_as_with_cpu_tensors() -> None:
    """PyTorch takes the GIL back in a destructor, and CPython up to 3.13 ends a daemon thread there."""
    aborts = {}
    for device in ("cpu", "xpu"):
        done = run_script(DAEMONS.format(device=device))
        assert done.stdout == "done\n", done.stderr
        aborts[device] = done.returncode == -signal.SIGABRT
        if aborts[device]:
            assert done.stderr.startswith("terminate called without an active exception\n")
        else:
            assert (done.returncode, done.stderr) == (0, "")
    assert aborts["cpu"] or not aborts["xpu"]
