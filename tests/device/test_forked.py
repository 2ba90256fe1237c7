"""A process forked after the device's use: one clear error for whatever needs the device, and everything else works."""

from __future__ import annotations

import pytest

from core_helpers import run_script

pytestmark = pytest.mark.device

#: What is asked in the child, by what is to come of it. `t` and `w` are the parent's, `c` is on the CPU.
NEEDS_THE_DEVICE = """
torch.empty(2, device="xpu") | torch.ones(2, device="xpu:1") | torch.rand(2, device="xpu") | c.to("xpu") | c.xpu()
c.fl() | torch.nn.Linear(2, 2).to("xpu") | t + 1 | t.add_(1) | t.relu() | t.erfinv()
t.clone() | t.cpu() | t[0].item() | t.tolist() | repr(t) | t.copy_(c) | c.copy_(t) | copy.deepcopy(t)
pickle.dumps(t) | torch.save(t, io.BytesIO()) | t.untyped_storage().cpu() | w(t) | w(t).sum().backward() | w.cpu()
torch.xpu.synchronize() | torch.accelerator.synchronize() | torch.xpu.set_device(0)
torch.xpu.device(0).__enter__() | torch.xpu.get_device_name() | torch.xpu.get_device_properties() | event.record()
torch.xpu.mem_get_info() | stream.synchronize() | stream.query() | torchfl.device("xpu:fx")
torchfl.set_default_device(0)
torch.compile(lambda a: a + 1, backend="aot_eager")(t)
"""
WORKS = """
c + 1 | torch.ones(1, requires_grad=True).sum().backward() | t.shape | t.device | t.is_xpu | torch.device("xpu", 1)
torch.manual_seed(1) | torch.xpu.manual_seed_all(1) | torch.xpu.device_count() == 0 | not torch.xpu.is_available()
not torch.accelerator.is_available() | torch.accelerator.device_count() == 0 | torch.xpu.get_rng_state_all() == []
torch.load(io.BytesIO(saved), map_location="cpu") | torch.xpu.empty_cache() | torchfl.xpu_empty_cache() | c.pin_memory()
torch.xpu.memory_allocated() >= 0 | torchfl.chips() | torchfl.counters() | torch.autocast("xpu").__enter__()
torch.xpu.init
next(iter(torch.utils.data.DataLoader(c, batch_size=2, num_workers=1))) | torchfl.init([os.environ["FX_DIR"]])
torchfl.shutdown() | gc.collect() | t[0] | t.t() | t.detach() | t.view(-1) | t.requires_grad_() | w.state_dict()
"""

FORK = """
import copy, gc, io, os, pickle, sys, warnings, torch, torchfl
warnings.simplefilter("ignore")
torchfl.init([os.environ["FX_DIR"]])
t, c = torch.arange(3.0, device="xpu"), torch.ones(3)
w = torch.nn.Linear(3, 2).to("xpu")
event, stream, file = torch.xpu.Event(), torch.xpu.Stream(), io.BytesIO()
torch.save(t, file)
saved = file.getvalue()
for text in {asked!r}.replace("\\n", "|").split("|"):
    if not text.strip(): continue
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try: said = "false" if eval(text) is False else "fine"
        except BaseException as error: said = f"{{type(error).__name__}}: {{str(error).splitlines()[0]}}"
        print(text.strip(), "->", said, flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status: print(text.strip(), "-> ended with", status)
print((t + 1).tolist())
"""
MESSAGE = (
    "RuntimeError: the device cannot be used in a process forked after its first use: the vendor's driver does not "
    "survive a fork. Start workers with multiprocessing's 'spawn' method, or keep their tensors on the CPU"
)


@pytest.mark.parametrize(("asked", "said"), [(NEEDS_THE_DEVICE, MESSAGE), (WORKS, "fine")], ids=["refused", "works"])
def test_a_forked_child(asked: str, said: str) -> None:
    done = run_script(FORK.format(asked=asked))
    *answers, parent = done.stdout.splitlines()
    assert parent == "[1.0, 2.0, 3.0]", done.stderr
    questions = [text.strip() for line in asked.splitlines() for text in line.split("|") if text.strip()]
    assert answers == [f"{question} -> {said}" for question in questions]


CHILDREN = """
import gc, multiprocessing, os, sys, warnings, torch, torchfl
from concurrent.futures import ProcessPoolExecutor
folder = [os.environ["FX_DIR"]]
torchfl.init(folder)
t = torch.ones(3, device="xpu").relu()
def on_cpu(x): return (torch.ones(2) * x).sum().item()
def on_device(x): return (torch.ones(2, device="xpu") * x).sum().item()
def child(body):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        body()
        sys.exit(5)  # an ordinary exit, with the parent's tensors
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), (t + 1).tolist())
def leave(): pass
def drop():
    global t
    del t
    gc.collect()
def start_again():
    torchfl.shutdown()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torchfl.init(folder)
    print(*[w.message for w in caught])
    try: torch.ones(1, device="xpu")
    except RuntimeError as error: print(str(error)[:45])
for body in (leave, drop, start_again): child(body)
fork = multiprocessing.get_context("fork")
with ProcessPoolExecutor(2, mp_context=fork) as pool: print(list(pool.map(on_cpu, [1, 2])))
with ProcessPoolExecutor(1, mp_context=fork) as pool:
    try: print(pool.submit(on_device, 1).result())
    except RuntimeError as error: print(str(error)[:45])
torchfl.shutdown()  # after it a child may begin anew
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    torchfl.init(folder)
    print(on_device(2))
    sys.exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_children_exit_as_others_do_and_pools_of_processes_work() -> None:
    done = run_script(CHILDREN)
    refused = "the device cannot be used in a process forked"
    end = "5 [2.0, 2.0, 2.0]"
    *lines, warned, asked, again, pool, used, anew, status = done.stdout.splitlines()
    assert lines == [end, end], done.stderr
    assert warned.startswith("torchfl: xpu:fx is not usable: TFL0617 this process was forked after the first use")
    assert [asked, again, pool, used, anew, status] == [refused, end, "[2.0, 4.0]", refused, "4.0", "0"]
    assert done.stderr == ""
