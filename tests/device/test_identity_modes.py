"""The three levels of the name ``xpu``, each in its own process, and what happens where a patch does not take."""

from __future__ import annotations

import functools
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from core_helpers import run_script, run_scripts

pytestmark = pytest.mark.device

REPORT = """
import os, pickle, torch, torchfl
import torch.distributed as dist
from torchfl import identity
torchfl.init([os.environ["FX_DIR"]])
t = torch.ones(2, device="fl:1")
facts = dict(
    level=identity.level().name, device=str(t.device), type=t.device.type, selector=str(torchfl.device("xpu:fx:1")),
    equal=t.device == torch.device("xpu", 1), hash=hash(t.device) == hash(torch.device("xpu", 1)),
    is_fl=t.is_fl, is_xpu=t.is_xpu, accelerator=str(torch.accelerator.current_accelerator()),
    count=torch.xpu.device_count(), autocast=torch.get_autocast_dtype("xpu") == torch.get_autocast_dtype("fl"),
    group=dist.distributed_c10d.Backend.default_device_backend_map["xpu"], pickled=b"xpu" in pickle.dumps(t.device),
    cuda=torch.cuda.is_available(),
)
try: facts["to"] = str(torch.ones(1).to("xpu:1").device)
except (RuntimeError, AssertionError, NotImplementedError): facts["to"] = "refused"
for name, value in facts.items(): print(name, value)
"""


FACTS = {
    "xpu": {
        "level": "XPU", "device": "xpu:1", "type": "xpu", "selector": "xpu:1", "equal": "True", "hash": "True",
        "is_fl": "True", "is_xpu": "True", "accelerator": "xpu", "count": "2", "autocast": "True", "group": "gloo",
        "pickled": "True", "cuda": "False", "to": "xpu:1",
    },
    "alias": {
        "level": "ALIAS", "device": "fl:1", "type": "fl", "selector": "fl:1", "equal": "False", "hash": "False",
        "is_fl": "True", "is_xpu": "False", "accelerator": "fl", "count": "2", "autocast": "True", "group": "xccl",
        "pickled": "False", "cuda": "False", "to": "fl:1",
    },
    "off": {
        "level": "OFF", "device": "fl:1", "type": "fl", "selector": "fl:1", "equal": "False", "hash": "False",
        "is_fl": "True", "is_xpu": "False", "accelerator": "fl", "count": "0", "autocast": "True", "group": "xccl",
        "pickled": "False", "cuda": "False", "to": "refused",
    },
}  # fmt: skip


@functools.cache
def reports() -> dict[str, CompletedProcess[str]]:
    settings = {"": {}, **{level: {"TORCHFL_IDENTITY": level} for level in FACTS}}
    return run_scripts({level: (REPORT, environment) for level, environment in settings.items()})


@pytest.mark.parametrize(("level", "asked"), [("xpu", ""), *((level, level) for level in FACTS)])
def test_what_each_level_answers_and_that_xpu_is_the_default(level: str, asked: str) -> None:
    done = reports()[asked]
    assert done.returncode == 0, done.stderr
    assert dict(line.split(" ", 1) for line in done.stdout.splitlines()) == FACTS[level]


METHODS = """
import os, warnings, torch, torchfl
warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, of a device given to pin_memory and is_pinned
torchfl.init([os.environ["FX_DIR"]])
t = torch.ones(2)
print(t.xpu(1).device, t.xpu(torch.device("fl", 1)).device, torch.nn.Linear(2, 2).xpu(1).weight.device)
for name in ("xpu", "xpu:1", torch.device("xpu"), torch.device("fl")):
    assert t.pin_memory(name).is_pinned(name) and not t.is_pinned(name), name
try: torch.accelerator.synchronize("xpu")
except ValueError as error: print(error)
print(torch.xpu.synchronize("xpu:1"))
"""


def test_level_alias_takes_indices_and_names_in_methods() -> None:
    done = run_script(METHODS, TORCHFL_IDENTITY="alias")
    message = "xpu doesn't match the current accelerator fl."
    assert done.stdout == f"fl:1 fl:1 fl:1\n{message}\nNone\n", done.stderr


AUTOCAST = """
import os, threading, torch, torchfl
from pathlib import Path
folder = Path(os.environ["CHIP"])
text = (Path(os.environ["FX_DIR"]) / "fx_device.yaml").read_text()
folder.joinpath("fx_device.yaml").write_text(text.replace("[float32]", "[float32, bfloat16]"))
folder.joinpath("libfx_chip.so").symlink_to(os.environ["FX_LIBRARY"])
torchfl.init([folder])
x, seen = torch.ones(2, 2, device="fl"), []
def look():
    for name in ("fl", x.device.type, *(["xpu"] if torchfl.identity.level() > 0 else [])):
        with torch.autocast(name): seen.append((x @ x).dtype)
    torch.set_autocast_dtype("fl", torch.float16)
    seen.append(torch.get_autocast_dtype("fl"))
for _ in range(2):
    thread = threading.Thread(target=look); thread.start(); thread.join()
look()
print(*dict.fromkeys(seen))
"""


def test_every_thread_has_the_profiles_autocast_dtype_at_every_level(tmp_path: Path) -> None:
    settings = {level: {"TORCHFL_IDENTITY": level, "CHIP": str(tmp_path / level)} for level in FACTS}
    for level in FACTS:
        (tmp_path / level).mkdir()
    for level, done in run_scripts({level: (AUTOCAST, settings[level]) for level in FACTS}).items():
        assert done.stdout == "torch.bfloat16 torch.float16\n", f"{level}: {done.stderr}"


TRAINS = """
import io, os, sys, torch, torchfl
from torch import nn
name, folder = os.environ["NAME"], [os.environ["FX_DIR"]]
torchfl.init(folder)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
parameters, tied = list(model.parameters()), model[0].weight
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
model.to(name)
assert model[0].weight is tied and all(a is b for a, b in zip(parameters, model.parameters()))
torchfl.reset_copy_counters()
model.to(name)
assert torchfl.copy_counters() == torchfl.CopyCounters(0, 0, 0, 0, 0, 0, 0, 0)
x, losses = torch.randn(16, 4).to(name), []
for step in range(8):
    with torch.autocast(name, dtype=torch.bfloat16):
        out = model(x)
        assert out.dtype == torch.bfloat16
        loss = (out.float() - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
loaded = torch.load(file, map_location=name)
model.load_state_dict(loaded)
assert torch.compile(lambda a: a.relu() + 1, backend="aot_eager")(x).device == x.device
before = model(x).tolist()
torchfl.shutdown()
torchfl.init(folder)
assert model(x).tolist() == before and torchfl.counters()["aten::relu"].native > 0
print(loaded["0.weight"].device, {str(p.grad.device) for p in model.parameters()}, torchfl.identity.level().name)
"""


#: level, name in the script, what tensors say.
TRAINED = (("xpu", "xpu", "xpu:0"), ("alias", "xpu", "fl:0"), ("alias", "fl", "fl:0"), ("off", "fl", "fl:0"))


@functools.cache
def trained() -> dict[str, CompletedProcess[str]]:
    return run_scripts({f"{lv} {n}": (TRAINS, {"TORCHFL_IDENTITY": lv, "NAME": n}) for lv, n, _ in TRAINED})


@pytest.mark.parametrize(("level", "name", "device"), TRAINED)
def test_a_script_trains_saves_and_goes_on_at_every_level(level: str, name: str, device: str) -> None:
    done = trained()[f"{level} {name}"]
    assert done.stdout == f"{device} {{'{device}'}} {level.upper()}\n", done.stderr


def test_an_unknown_level_is_refused_by_name() -> None:
    done = run_script("import os, torchfl; torchfl.init([os.environ['FX_DIR']])", TORCHFL_IDENTITY="alais")
    assert "TFL0613 TORCHFL_IDENTITY is 'alais'; fix: alias" in done.stderr


INTEL = """
import os, warnings, torch, torchfl
torch.xpu._is_compiled = lambda: True
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torchfl.init([os.environ["FX_DIR"]])
print(*[w.message for w in caught])
print(torchfl.identity.level().name, torch.ones(1, device="fl").device)
"""


def test_a_torch_with_intel_support_gets_the_name_fl_alone() -> None:
    done = run_script(INTEL)
    message, level = done.stdout.splitlines()
    assert message.startswith("torchfl: TFL0612 this torch is built for Intel's XPU"), done.stderr
    assert level == "OFF fl:0"


BROKEN = """
import dataclasses, os, warnings, torch, torchfl
from torchfl import _loader
from torchfl.identity import table
def refuse(core): raise RuntimeError("self-check failed: on purpose")
name = {name!r}
table.PATCHES = tuple(
    dataclasses.replace(p, check=refuse) if p.name == name else p for p in table.PATCHES)
before = torch.Generator.__new__, torch.distributed.distributed_c10d.Backend.default_device_backend_map["xpu"]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torchfl.init([os.environ["FX_DIR"]])
print(*[w.message for w in caught], sep="|")
print(*[p.loss for p in table.PATCHES if p.name == name])
t = torch.ones(1).to("xpu:1")
print(torchfl.identity.level().name, t.device, t.is_xpu, torch.xpu.device_count(), t.is_fl)
torchfl.shutdown()
assert before[1] == torch.distributed.distributed_c10d.Backend.default_device_backend_map["xpu"]
"""


#: Patches without which the device cannot be called xpu, and those that stand for themselves.
NEEDED = ("device", "constructors", "autocast", "is_xpu", "fl methods")
ALONE = (
    "autocast default", "device methods", "process group", "inductor", "flex_attention", "profiler", "data parallel",
    "dlpack", "sending", "kept answers",
)  # fmt: skip


@functools.cache
def broken() -> dict[str, CompletedProcess[str]]:
    return run_scripts({name: (BROKEN.format(name=name), {}) for name in (*NEEDED, *ALONE)})


@pytest.mark.parametrize("name", NEEDED)
def test_a_patch_that_does_not_take_warns_and_leaves_the_alias(name: str) -> None:
    done = broken()[name]
    warning, loss, level = done.stdout.splitlines()
    assert warning.startswith(f"torchfl: TFL0614 patch '{name}' ("), done.stderr
    assert "self-check failed: on purpose" in warning
    assert warning.count("TFL0614") == 1
    consequence = "; tensors say `fl` instead of `xpu` in this process"
    assert warning.endswith(f"{consequence}; {loss}" if loss else consequence)
    assert level == "ALIAS fl:1 False 2 True"
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ALONE)
def test_a_patch_that_stands_for_itself_costs_only_what_its_warning_says(name: str) -> None:
    done = broken()[name]
    warning, loss, level = done.stdout.splitlines()
    assert warning.startswith(f"torchfl: TFL0614 patch '{name}' ("), done.stderr
    assert warning.count("TFL0614") == 1
    assert loss
    assert warning.endswith(f"; {loss}")
    assert level == "XPU xpu:1 True 2 True"
    assert done.returncode == 0, done.stderr


UNDONE = """
import os, pickle, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, where inductor is imported
import torch, torchfl
import torch.distributed, torch.nn.utils.rnn, torch.cuda.nccl
from multiprocessing.reduction import ForkingPickler
from torch._inductor.kernel.flex import flex_cpu
from torch.utils import backend_registration as registration
folder = [os.environ["FX_DIR"]]
def state():
    d, c = torch.device("xpu", 1), torch.device("cpu")
    return (str(d), repr(d), d.type, hash(d), pickle.dumps(d), str(c), hash(c), pickle.dumps(c),
            torch.device.__new__, torch.device.__repr__(d), torch.device.__dict__["type"], d == torch.device("xpu:1"),
            torch.get_autocast_dtype("xpu"), torch.is_autocast_enabled("xpu"), torch.Tensor.is_xpu,
            registration._normalization_device, torch._TorchCompileInductorWrapper.__call__,
            torch.distributed.distributed_c10d.Backend.default_device_backend_map.copy(),
            flex_cpu.check_cpu_supported, torch.autograd.profiler.profile.__init__, hasattr(torch._C, "_scatter"),
            torch._C._to_dlpack, torch._C._to_dlpack_versioned, torch.to_dlpack, torch.utils.dlpack.to_dlpack,
            torch.Tensor.__dlpack_device__, torch.cuda.nccl.is_available, ForkingPickler._extra_reducers.copy())
before = state()
for _ in range(2):
    torchfl.init(folder)
    kept = torch.ones(2, device="xpu:1")
    torch.set_autocast_dtype("xpu", torch.bfloat16)
    assert state() != before and str(kept.device) == "xpu:1"
    torchfl.shutdown()
    assert state() == before, [(a, b) for a, b in zip(state(), before) if a != b]
    assert str(kept.device) == "fl:1"
torchfl.init(folder)
assert kept.tolist() == [1, 1] and str(kept.device) == "xpu:1"
torchfl.shutdown()
from torch._inductor.kernel.flex import flex_decoding  # imported after a change that waited for its module was undone
assert not any(type(f).__module__.startswith("torchfl") for f in sys.meta_path)
print("done")
"""


def test_shutdown_takes_every_change_back_and_init_may_follow() -> None:
    done = run_script(UNDONE)
    assert (done.stdout, done.stderr) == ("done\n", "")
