"""Scripts that know nothing of torchfl: every way to name the device, two chips beside CUDA's names, ops of theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import torchfl
from core_helpers import run_script, second_fixture

pytestmark = [
    pytest.mark.device,
    pytest.mark.usefixtures("fixture_chip"),
    pytest.mark.filterwarnings("ignore:The argument 'device' of Tensor", "ignore:TypedStorage"),  # torch's own
]


MOVES = {
    "xpu": lambda t: t.xpu(),
    "xpu of an index": lambda t: t.xpu(0),
    "xpu of NumPy's index": lambda t: t.xpu(np.int64(0)),
    "xpu by keyword": lambda t: t.xpu(device=0, non_blocking=True),
    "xpu of a name": lambda t: t.xpu("xpu:0"),
    "xpu of a device": lambda t: t.xpu(torch.device("xpu", 0)),
    "xpu of a device without index": lambda t: t.xpu(torch.device("xpu")),
    "fl of an index": lambda t: t.fl(0),
    "fl of a name": lambda t: t.fl("xpu:0"),
    "to an index": lambda t: t.to(0),
    "new": lambda t: t.to("xpu").new(2, 3),
    "module": lambda t: nn.Linear(2, 2).xpu(0).weight,
    "module of a device": lambda t: nn.Linear(2, 2).xpu(torch.device("xpu:0")).weight,
    "module to an index": lambda t: nn.Linear(2, 2).to(0).weight,
    "storage": lambda t: torch.UntypedStorage(4, device="xpu"),
    "storage moved": lambda t: t.untyped_storage().to(device="xpu"),
    "typed storage": lambda t: torch.TypedStorage(4, device="xpu", dtype=torch.float32),
    "type": lambda t: t.type("torch.xpu.FloatTensor"),
    "asarray": lambda t: torch.asarray([1, 2], device="xpu"),
    "dlpack": lambda t: torch.from_dlpack(t.numpy(), device="xpu"),
    "meta": lambda t: nn.Linear(2, 2, device="meta").to_empty(device="xpu").weight,
}


@pytest.mark.parametrize("way", sorted(MOVES))
def test_every_way_to_move(way: str) -> None:
    assert MOVES[way](torch.ones(2)).device == torch.device("xpu", 0)


def test_indices_that_name_no_device() -> None:
    assert str(torch.ones(1).xpu(1).device) == str(nn.Linear(1, 1).xpu(1).weight.device) == "xpu:1"
    for name in (9, "xpu:9", torch.device("xpu", 9)):
        with pytest.raises(RuntimeError, match=r"device index 9 is out of range: there are 2 device\(s\)"):
            torch.ones(1).xpu(name)
    with pytest.raises(RuntimeError, match="must be xpu device"):
        torch.ones(1).xpu("cpu")
    with pytest.raises(RuntimeError, match="must be xpu device"):
        torch.ones(1).xpu(torch.device("cpu"))
    with pytest.raises(TypeError, match="xpu"):
        torch.ones(1).xpu(1.5)


@pytest.mark.parametrize("device", [None, "xpu", "xpu:1", torch.device("xpu", 0)], ids=str)
def test_host_memory_is_pinned_for_the_device_by_every_name(device: object) -> None:
    t = torch.ones(3)
    pinned = t.pin_memory(device=device)
    assert pinned.tolist() == [1, 1, 1]
    assert pinned.is_pinned()
    assert pinned.is_pinned(device)
    assert torch.empty(2, pin_memory=True).is_pinned(device=device)
    assert not t.is_pinned(device)
    storage = t.untyped_storage().pin_memory(device)
    assert storage.is_pinned(device)
    assert pinned.to("xpu", non_blocking=True).tolist() == [1, 1, 1]


CHOICES = [("xpu:fx", "xpu:0"), ("xpu:fx:1", "xpu:1"), ("xpu", "xpu:0"), ("xpu:1", "xpu:1"), (1, "xpu:1"),
           (torch.device("xpu", 1), "xpu:1"), ("fl:1", "xpu:1")]  # fmt: skip


@pytest.mark.parametrize(("choice", "place"), CHOICES, ids=[str(c) for c, _ in CHOICES])
def test_the_default_device_is_torchs_and_the_current_one(choice: object, place: str) -> None:
    try:
        torchfl.set_default_device(choice)
        assert (
            str(torch.get_default_device()) == str(torch.ones(1).device) == str(nn.Linear(1, 1).weight.device) == place
        )
        assert str(torch.ones(1, device="xpu").device) == place
        assert torch.xpu.current_device() == torch.accelerator.current_device_index() == int(place[-1])
        torchfl.set_default_device("cpu")
        assert str(torch.ones(1).device) == "cpu"
        assert str(torch.ones(1, device="xpu").device) == place
    finally:
        torchfl.set_default_device(None)
        torch.xpu.set_device(0)
    assert torch.get_default_device() == torch.device("cpu")


def test_a_default_device_that_is_not_there() -> None:
    for choice, message in (("xpu:nope", "TFL0203"), ("xpu:fx:7", "TFL0610"), ("xpu:7", "out of range")):
        with pytest.raises(Exception, match=message):
            torchfl.set_default_device(choice)
        assert torch.get_default_device() == torch.device("cpu")


def test_an_op_of_the_scripts_own_for_xpu_runs_its_kernel() -> None:
    """torch.library takes the device by the name that users know; autograd and a CPU kernel beside it are as ever."""
    seen: list[str] = []

    @torch.library.custom_op("torchfl_names::double", mutates_args=(), device_types="xpu")
    def double(x: torch.Tensor) -> torch.Tensor:
        seen.append(str(x.device))
        return x * 2

    double.register_autograd(lambda ctx, grad: grad * 2)

    @torch.library.custom_op("torchfl_names::triple", mutates_args=(), device_types="cpu")
    def triple(x: torch.Tensor) -> torch.Tensor:
        seen.append("cpu")
        return x * 3

    x = torch.ones(2, device="xpu:1", requires_grad=True)
    out = double(x)
    out.sum().backward()
    assert (out.tolist(), x.grad.tolist(), str(out.device)) == ([2, 2], [2, 2], "xpu:1")
    assert triple(x).tolist() == [3, 3]
    triple.register_kernel("xpu")(lambda x: seen.append(x.device.type) or x * 3)
    assert triple(x).tolist() == [3, 3]
    assert triple(torch.ones(2)).tolist() == [3, 3]
    assert seen == ["xpu:1", "cpu", "xpu", "cpu"]


def test_kernels_for_xpu_of_a_library_that_has_composites_too() -> None:
    library = torch.library.Library("torchfl_names_library", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.define("g(Tensor x) -> Tensor")
    ops = torch.ops.torchfl_names_library
    for name in ("f", "g"):
        library.impl(name, lambda x: x + 1, "CPU")
        library.impl(name, lambda x: x + 10, "CompositeExplicitAutograd")
    library.impl("f", lambda x: x + 100, "XPU")
    torchfl.shutdown()
    torchfl.init([*map(str, {chip.parent for chip in FOLDERS})])
    t = torch.zeros(1, device="xpu")
    assert (ops.f(t).item(), ops.f(torch.zeros(1)).item(), ops.g(t).item()) == (100, 1, 1)
    library.impl("g", lambda x: x + 100, "XPU")
    assert ops.g(t).item() == 100


FOLDERS: list[Path] = []


@pytest.fixture(autouse=True)
def _folders() -> None:
    FOLDERS[:] = [chip.profile.path for chip in torchfl.chips()]


TWO_CHIPS = """
import os, torch, torchfl
torchfl.init([os.environ["FX_DIR"], os.environ["SECOND"]])
places = [torchfl.device(s) for s in ("xpu:fx", "xpu:gx", "xpu:gx:1")]
print(*places, torch.xpu.device_count(), torch.cuda.is_available())
torchfl.set_default_device("xpu:gx")
for wanted in ("cuda", "xpu:fx", "xpu:gx"):
    if wanted == "cuda": device = torch.device("cuda" if torch.cuda.is_available() else "xpu")
    else: device = torchfl.device(wanted)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).to(device)
    model(torch.ones(2, 4, device=device)).sum().backward()
    print(device, model[0].weight.grad.device, torch.cuda.current_device() if device.type == "cuda" else "-")
a, b = (torch.ones(2, device=d).relu() for d in places[:2])
try: a + b
except RuntimeError as error: print(str(error).splitlines()[0])
print((a + b.to(a.device)).device, a.to("cpu").device, torch.device("cuda:1"), torch.device("cuda") == b.device)
try: a.to("cuda")
except (RuntimeError, AssertionError) as error: print(error)
"""


def test_two_chips_and_cuda_names_in_one_script(tmp_path: Path) -> None:
    done = run_script(TWO_CHIPS, SECOND=str(second_fixture(tmp_path / "gx")))
    assert done.stdout.splitlines() == [
        "xpu:0 xpu:2 xpu:3 4 False",
        "xpu xpu:2 -",
        "xpu:0 xpu:0 -",
        "xpu:2 xpu:2 -",
        "Expected all tensors to be on the same device, but found at least two devices, fl:0 and fl:2!",
        "xpu:0 cpu cuda:1 False",
        "Torch not compiled with CUDA enabled",
    ], done.stderr


#: What a script may ask of a device that is not there.
FOREIGN = """
import re, sys, warnings, os, io, torch
warnings.simplefilter("ignore")
if os.environ.get("WITH"):
    import torchfl
    torchfl.init([os.environ["FX_DIR"]])
    torch.ones(1, device="xpu").relu()
t = torch.ones(2)
def saved():
    file = io.BytesIO()
    torch.save(t, file)
    return io.BytesIO(file.getvalue())
asked = '''
torch.device("cuda") | torch.device("cuda:1") | hash(torch.device("cuda:1"))
torch.device("cuda:0") == torch.device("cuda", 0)
torch.cuda.is_available() | torch.cuda.device_count() | t.to("cuda") | t.cuda() | t.is_cuda
torch.ones(1, device="cuda:0")
torch.nn.Linear(1, 1).cuda() | torch.nn.Linear(1, 1).to("cuda") | torch.cuda.current_device() | torch.cuda.synchronize()
torch.cuda.memory_allocated() | torch.cuda.empty_cache() | torch.cuda.manual_seed_all(1) | torch.cuda.Stream()
torch.cuda.Event()
torch.autocast("cuda").__enter__().device | torch.amp.GradScaler("cuda").is_enabled() | torch.Generator("cuda")
torch.Stream("cuda")
torch.Event("cuda") | torch.load(saved(), map_location="cuda") | torch.get_device_module("cuda")
torch.cuda.is_bf16_supported()
torch.set_default_device("cuda") | torch.set_default_device(None) | torch.get_autocast_dtype("cuda")
t.type("torch.cuda.FloatTensor")
torch.cuda.get_rng_state() | torch.cuda.get_device_properties(0) | t.pin_memory("cuda") | torch.ones(1, device="mps")
torch.ones(1, device="hpu") | torch.ones(1, device="meta") | torch._C._dispatch_key_for_device("cuda")
torch.device("nope")
torch.cuda.CUDAGraph() | torch.cuda.device(0).__enter__() | torch.device("cpu:0")
torch.backends.mps.is_available() | t.device
torch.get_autocast_dtype("cpu") | torch.is_autocast_enabled("cuda") | torch.autocast("cpu").__enter__().device
t.numpy() | t.xpu
'''
for text in asked.replace("\\n", "|").split("|"):
    if not text.strip(): continue
    try: said = repr(eval(text))
    except BaseException as error:  # without the list of all kernels, which ours are in
        said = type(error).__name__ + ": " + str(error).partition(" is only available for these backends")[0]
    print(text.strip(), "->", re.sub("0x[0-9a-f]+", "", said).replace("\\n", " "))
"""


def test_names_of_other_devices_say_what_they_say_without_torchfl() -> None:
    without, beside = run_script(FOREIGN), run_script(FOREIGN, WITH="1")
    assert len(without.stdout.splitlines()) > 45, without.stderr
    assert beside.stdout == without.stdout, beside.stderr


CUDA_BUILD = """
import os, torch, torchfl
asked = []
def of_torch(*arguments):
    asked.append(arguments)
    raise RuntimeError("Found no NVIDIA driver on your system")
names = ("_broadcast", "_broadcast_coalesced", "_scatter", "_gather")
for name in names: setattr(torch._C, name, of_torch)
torchfl.init([os.environ["FX_DIR"]])
layer = torch.nn.Linear(4, 2).to("xpu")
model, x = torch.nn.DataParallel(layer, device_ids=[0, 1]), torch.randn(6, 4, device="xpu")
out = model(x)
out.sum().backward()
assert torch.allclose(out.cpu(), layer(x).cpu()) and str(layer.weight.grad.device) == "xpu:0" and not asked
torch.cuda.is_available = lambda: True
try: torch._C._scatter(torch.ones(2), [0, 1], None, 0, None)
except RuntimeError as error: print(error)
torchfl.shutdown()
print(len(asked), all(getattr(torch._C, name) is of_torch for name in names))
"""


def test_data_parallel_on_a_cuda_build_asks_cuda_only_where_there_is_one() -> None:
    done = run_script(CUDA_BUILD)
    assert done.stdout == "Found no NVIDIA driver on your system\n1 True\n", done.stderr
