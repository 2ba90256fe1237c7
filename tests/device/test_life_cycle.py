"""Starting late, forking, loading data in worker processes, stopping, and leaving the interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core_helpers import run_script, script_environment, second_fixture

pytestmark = pytest.mark.device

LATE = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, where dynamo is used
import torch, torchfl
import torch._dynamo, torch._dynamo.device_interface as interfaces
from torch.profiler import profile, ProfilerActivity
assert torch.accelerator.current_accelerator(check_available=True) is None
with profile(activities=[ProfilerActivity.CPU]): torch.ones(2) + 1
assert torch.compile(lambda a: a + 1, backend="eager")(torch.ones(2)).tolist() == [2, 2]
early = torch.device("xpu", 1)
list(interfaces.get_registered_device_interfaces())
torchfl.init([os.environ["FX_DIR"]])
t = torch.ones(2, device=early)
assert t.device == early and {t.device: 1}[early] == 1 and str(early) == "xpu:1" and t.to(early) is t
assert str(torch.accelerator.current_accelerator()) == "xpu" and torch.accelerator.device_count() == 2
assert interfaces.get_interface_for_device("xpu").device_count() == 2
assert torch.compile(lambda a: a.relu() + 1, backend="aot_eager")(t).tolist() == [2, 2]
with profile(activities=[ProfilerActivity.CPU]) as p: t + 1
assert any(e.key == "aten::add" for e in p.key_averages())
print("done")
"""


def test_init_after_the_accelerator_the_profiler_and_dynamo_were_used() -> None:
    done = run_script(LATE)
    assert done.stdout == "done\n", done.stderr


BACKWARD = """
import os, threading, torch, torchfl
from pathlib import Path
def backward(where):
    weight = torch.ones(2, device=where, requires_grad=True)
    (weight * 3).sum().backward()
    return weight.grad.tolist()
def elsewhere(where):
    found = []
    thread = threading.Thread(target=lambda: found.append(backward(where)))
    thread.start()
    thread.join()
    return found[0]
if {late}: backward("cpu")
fx = Path(os.environ["FX_DIR"])
torchfl.init([fx])
print(backward("cpu"), backward("xpu:1"), elsewhere("xpu:0"))
torchfl.shutdown()
torchfl.init([fx, Path(os.environ["SECOND"])])
assert torch.xpu.device_count() == 4
print(*(backward(f"xpu:{{i}}") for i in range(4)), elsewhere("xpu:3"))
"""


@pytest.mark.parametrize("late", [False, True])
def test_backward_works_on_devices_that_came_after_the_first_backward(late: bool, tmp_path: Path) -> None:
    """Autograd's engine counts devices once, at that backward; a CPU's counts too."""
    done = run_script(BACKWARD.format(late=late), SECOND=str(second_fixture(tmp_path / "gx")))
    grads = "[3.0, 3.0]"
    assert done.stdout == f"{' '.join([grads] * 3)}\n{' '.join([grads] * 5)}\n", done.stderr


LOADER = """
import os, sys, warnings, torch, torchfl
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def train(workers, context, pin, kept):
    torch.manual_seed(0)
    x = torch.randn(32, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to("xpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=workers, pin_memory=pin,
                        multiprocessing_context=context, persistent_workers=kept)
    torchfl.reset_counters()
    for epoch in range(3):
        for a, b in loader:
            assert a.is_pinned() == pin
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(a.to("xpu", non_blocking=True)), b.to("xpu"))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert sum(losses[-4:]) < sum(losses[:4]), losses  # the last epoch against the first
    assert torchfl.counters()["aten::relu"].native > 0

if __name__ == "__main__":
    torchfl.init([os.environ["FX_DIR"]])
    for how in eval(sys.argv[1]):
        train(*how)
        print(how)
"""


@pytest.mark.parametrize(
    "ways",
    [
        [(0, None, False, False), (0, None, True, False)],
        [(2, "fork", False, False), (2, "fork", True, False), (2, "fork", True, True)],
        [(2, "spawn", True, False), (2, "spawn", True, True)],
        [(2, "forkserver", True, True)],
    ],
    ids=["no workers", "fork", "spawn", "forkserver"],
)
def test_a_data_loader_whose_parent_uses_the_device_trains(
    ways: list[tuple[int, str | None, bool, bool]], tmp_path: Path
) -> None:
    """A file, because workers that are spawned import the main module by its path."""
    script = tmp_path / "train.py"
    script.write_text(LOADER)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), repr(ways)], env=script_environment(), capture_output=True,
        text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == list(map(str, ways)), done.stderr


FORK = """
import os, sys, torch, torchfl
torchfl.init([os.environ["FX_DIR"]])
if {used}: kept = torch.ones(2, device="xpu")
child = os.fork()
if child == 0:
    try:
        torch.manual_seed(1)
        assert torch.ones(2).sum().item() == 2
        print(torch.xpu._is_in_bad_fork(), torch.xpu.device_count(), torch.xpu.is_available())
        for use in (lambda: torch.ones(2, device="xpu"), lambda: kept + 1, lambda: torch.xpu.synchronize()):
            try: use(); print("used")
            except RuntimeError as e: print(str(e).splitlines()[0])
            except NameError: print("nothing kept")
    finally:
        sys.stdout.flush()
        os._exit(0)
os.waitpid(child, 0)
print(torch.ones(2, device="xpu").sum().item())
"""


def test_a_device_call_after_a_fork_raises_one_clear_error() -> None:
    done = run_script(FORK.format(used=True))
    state, *errors, parent = done.stdout.splitlines()
    assert state == "True 0 False", done.stderr
    assert len(errors) == 3
    assert len(set(errors)) == 1
    assert errors[0].startswith("the device cannot be used in a process forked after its first use: ")
    assert parent == "2.0"


def test_a_fork_before_the_first_use_may_use_the_device() -> None:
    done = run_script(FORK.format(used=False))
    assert done.stdout.splitlines() == ["False 2 True", "used", "nothing kept", "used", "2.0"], done.stderr


@pytest.mark.parametrize("ending", ["", "torchfl.shutdown()", "raise SystemExit(0)", "del torch, torchfl"])
def test_the_interpreter_ends_with_tensors_alive(ending: str) -> None:
    done = run_script(
        f"""
import os, threading, torch, torchfl
torchfl.init([os.environ["FX_DIR"]])
class Holder: pass
holder = Holder()
holder.me, holder.t = holder, torch.ones(1000, device="xpu:1").relu()
torch.kept = torch.nn.Linear(3, 3).to("xpu")
worker = threading.Thread(target=lambda: torch.ones(3, device="xpu") + 1)
worker.start()
generator, stream = torch.Generator("xpu"), torch.xpu.Stream()
print("done", flush=True)
if {"shutdown" in ending}:
    worker.join()  # a thread that is at work yet would print shutdown()'s error
{ending}
"""
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)
