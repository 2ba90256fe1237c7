"""Every name of torch.xpu and torch.accelerator answers for the device, or says in one sentence why it cannot."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

from core_helpers import MIB

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]

MODULES = ("torch.xpu", "torch.xpu.memory", "torch.xpu.random", "torch.xpu.streams", "torch.xpu.graphs")
#: What torch's own code answers, which asks nothing of a build with Intel support.
TORCHS = {"get_arch_list", "get_gencode_flags"}
PUBLIC = sorted(
    {name for module in map(importlib.import_module, MODULES) for name in getattr(module, "__all__", ())} - {"streams"}
)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_ours_wherever_torch_has_it(name: str) -> None:
    here = [module for module in map(importlib.import_module, MODULES) if hasattr(module, name)]
    values = {id(getattr(module, name)) for module in here}
    assert len(values) == 1, "torch.xpu and its modules have different ones"
    if name in TORCHS:
        assert not getattr(torch.xpu, name)()
    else:
        value = getattr(torch.xpu, name) if hasattr(torch.xpu, name) else getattr(here[0], name)
        assert (getattr(value, "__module__", None) or type(value).__module__).startswith("torchfl.")


#: Public functions of torch.xpu that take a device first, and answer.
OF_A_DEVICE = """
get_device_name get_device_properties get_device_capability memory_allocated max_memory_allocated memory_reserved
max_memory_reserved memory_stats memory_stats_as_nested_dict mem_get_info device_memory_used reset_peak_memory_stats
reset_accumulated_memory_stats get_per_process_memory_fraction synchronize set_device current_stream get_rng_state
Stream
"""
OF_AN_ACCELERATOR = """
memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_stats get_memory_info
reset_peak_memory_stats reset_accumulated_memory_stats synchronize current_stream get_device_capability
set_device_index
"""
NAMED = [(torch.xpu, name) for name in OF_A_DEVICE.split()] + [
    (torch.accelerator, name) for name in OF_AN_ACCELERATOR.split()
]


@pytest.fixture(autouse=True)
def _first_device_again() -> Any:
    torch.xpu.set_device(0)
    yield
    torch.xpu.set_device(0)


@pytest.mark.parametrize(("module", "name"), NAMED)
def test_a_device_is_named_in_every_form_and_a_wrong_one_is_refused(module: Any, name: str) -> None:
    function: Callable[[Any], Any] = getattr(module, name)
    forms: list[Any] = [1, "xpu:1", torch.device("xpu", 1), "fl:1", True]
    if not name.startswith("set_device_"):  # torch's own wants an index
        forms += [None, "xpu", torch.device("xpu")]
    for form in forms:
        function(form)
    with pytest.raises(RuntimeError, match=r"^device index 7 is out of range: there are 2 device\(s\)$"):
        function(7)
    with pytest.raises(RuntimeError, match=r"^device index 7 is out of range: there are 2 device\(s\)$"):
        function("xpu:7")
    for form in ("cpu", torch.device("cpu")):
        with pytest.raises(ValueError, match=r"^(expected an xpu or fl device, but got: cpu|cpu doesn't match)"):
            function(form)
    if module is torch.accelerator:
        return
    for wrong in (300, 2**40, *(() if name == "set_device" else (-1, -300))):
        with pytest.raises(RuntimeError, match=rf"^device index {wrong} is out of range: there are 2 device\(s\)$"):
            function(wrong)
    for form in (1.5, [], torch.ones(1)):
        with pytest.raises(ValueError, match=r"^expected a torch\.device, its name or an index, but got: "):
            function(form)


CALLS: dict[str, tuple[Any, ...]] = {
    "XPUGraph": (), "graph": (None,), "graph_pool_handle": (), "make_graphed_callables": (torch.nn.ReLU(), ()),
    "temperature": (), "power_draw": (), "clock_rate": (), "utilization": (), "memory_usage": (), "MemPool": (),
    "XPUPluggableAllocator": ("a.so", "a", "b"), "use_mem_pool": (None,), "change_current_allocator": (None,),
    "memory_snapshot": (), "get_stream_from_external": (0,),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_what_a_chip_does_not_have_says_so_in_one_sentence(name: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"^torch\.xpu\.{name}: [^\n]*$"):
        getattr(torch.xpu, name)(*CALLS[name])


@pytest.mark.parametrize("name", ["_snapshot", "_dump_snapshot", "_record_memory_history"])
def test_the_history_of_memory_is_refused_too(name: str) -> None:
    with pytest.raises(NotImplementedError, match="no history of device memory is kept"):
        getattr(torch.xpu.memory, name)()


def test_every_public_function_is_called_by_a_test_here() -> None:
    known = {*OF_A_DEVICE.split(), *CALLS, *TORCHS}
    rest = {name for name in PUBLIC if callable(getattr(torch.xpu, name, None))} - known
    assert rest == {
        "Event", "StreamContext", "stream", "set_stream",  # test_streams.py
        "can_device_access_peer", "set_per_process_memory_fraction", "device", "device_of",  # below
        "current_device", "device_count", "empty_cache", "init", "is_available", "is_bf16_supported", "is_initialized",
        "is_current_stream_capturing", "is_tf32_supported",  # below
        "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state",
        "set_rng_state_all",  # test_random.py
    }  # fmt: skip


def test_questions_without_a_device() -> None:
    torch.xpu.init()
    torch.xpu.empty_cache()
    assert torch.xpu.is_available() is torch.xpu.is_initialized() is True
    assert (torch.xpu.device_count(), torch.xpu.current_device()) == (2, 0)
    assert torch.xpu.is_bf16_supported() is True
    assert torch.xpu.is_bf16_supported(including_emulation=False) is False
    assert torch.xpu.is_tf32_supported() is torch.xpu.is_current_stream_capturing() is False
    assert torch.xpu.can_device_access_peer(0, 1) is False
    with pytest.raises(RuntimeError, match="device index 7 is out of range"):
        torch.xpu.can_device_access_peer(0, 7)


def current(manager: Any) -> tuple[int, int]:
    with manager:
        return torch.xpu.current_device(), torch.ones(1, device="xpu").device.index


@pytest.mark.parametrize("form", [1, "xpu:1", torch.device("xpu:1")])
def test_contexts_that_change_the_device(form: Any) -> None:
    assert current(torch.xpu.device(form)) == (1, 1)
    assert current(torch.accelerator.device_index(1)) == (1, 1)
    assert current(torch.xpu.device_of(torch.ones(1, device=form))) == (1, 1)
    for nothing in (None, -1):
        assert current(torch.xpu.device(nothing)) == current(torch.accelerator.device_index(nothing)) == (0, 0)
    assert current(torch.xpu.device_of(torch.ones(1))) == (0, 0)
    for manager in (torch.xpu.device(7), torch.xpu.device(300)):
        with pytest.raises(RuntimeError, match=r"device index \d+ is out of range"):
            current(manager)
    with pytest.raises(KeyError), torch.xpu.device(1):
        raise KeyError
    assert torch.xpu.current_device() == 0


def test_memory_counts_agree_in_both_modules_and_are_reset() -> None:
    torch.xpu.empty_cache()
    torch.xpu.reset_peak_memory_stats()
    torch.xpu.reset_accumulated_memory_stats()
    start = torch.xpu.memory_allocated()
    free = torch.xpu.mem_get_info()[0]
    kept = torch.ones(MIB // 2, device="xpu").relu()  # 2 MiB in, 2 MiB out
    assert torch.xpu.memory_allocated() == start + 2 * MIB
    assert torch.xpu.max_memory_allocated() == start + 4 * MIB
    assert torch.xpu.memory_reserved() >= torch.xpu.memory_allocated()
    taken = torch.xpu.memory_stats()["reserved_bytes.all.allocated"]
    assert free - torch.xpu.mem_get_info()[0] == taken >= 4 * MIB
    used, (free, total) = torch.xpu.device_memory_used(), torch.accelerator.get_memory_info()
    assert used == total - free > 0
    ours, theirs = torch.xpu.memory_stats(), torch.accelerator.memory_stats()
    assert {name: theirs[name] for name in ours if name in theirs} == {n: v for n, v in ours.items() if n in theirs}
    assert set(ours) - set(theirs) == {"evictions", "evicted_bytes", "rescues", "rescued_bytes"}
    assert (
        ours["allocated_bytes.all.allocated"] - ours["allocated_bytes.all.freed"]
        == ours["allocated_bytes.all.current"] - start
    )
    for kind in ("active_bytes", "requested_bytes"):
        assert ours[f"{kind}.all.peak"] == ours["allocated_bytes.all.peak"]
    assert ours["num_device_alloc"] == ours["segment.all.allocated"] > 0
    assert torch.xpu.memory_stats_as_nested_dict()["allocated_bytes"]["all"]["peak"] == ours["allocated_bytes.all.peak"]
    del kept
    torch.xpu.empty_cache()
    torch.accelerator.reset_peak_memory_stats()
    torch.accelerator.reset_accumulated_memory_stats()
    after = torch.xpu.memory_stats()
    assert after["allocated_bytes.all.peak"] == after["allocated_bytes.all.current"] == start
    assert not [name for name, n in after.items() if n and not name.endswith((".current", ".peak"))]
    assert torch.xpu.memory_stats(1)["allocated_bytes.all.current"] == 0


def test_a_process_may_limit_itself_to_a_part_of_the_memory() -> None:
    torch.xpu.empty_cache()
    total = torch.xpu.mem_get_info()[1]
    with pytest.raises(TypeError, match="must be `float`"):
        torch.xpu.set_per_process_memory_fraction(1)
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match=r"a part of the device's memory: 0 to 1"):
            torch.xpu.set_per_process_memory_fraction(wrong)
    assert torch.xpu.get_per_process_memory_fraction() == 1.0
    torch.xpu.set_per_process_memory_fraction(16 * MIB / total, 0)
    try:
        assert torch.xpu.get_per_process_memory_fraction(0) * total == pytest.approx(16 * MIB)
        assert torch.xpu.get_per_process_memory_fraction(1) == 1.0
        x = torch.ones(MIB, device="xpu")
        assert x.relu().sum().item() == MIB  # 4 MiB each
        with pytest.raises(torch.OutOfMemoryError, match=r"of the 16 MiB that this process may use"):
            torch.ones(8 * MIB, device="xpu").relu()
        assert torch.xpu.memory_reserved() <= 16 * MIB
    finally:
        torch.xpu.set_per_process_memory_fraction(1.0)
    assert torch.ones(8 * MIB, device="xpu").relu().sum().item() == 8 * MIB


def test_the_accelerators_own_names() -> None:
    accelerator = torch.accelerator
    kept = torch.ones(3).pin_memory()
    accelerator.empty_host_cache()
    assert kept.is_pinned()
    types = accelerator.get_device_capability("xpu:1")["supported_dtypes"]
    assert {torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.bool, torch.complex64} <= types
    assert not types & {torch.qint8, torch.quint8, torch.qint32}
    with pytest.raises(RuntimeError, match=r"^Graph is not supported on device type: fl$"):
        accelerator.Graph()
    names = {name for name in accelerator.__all__ if inspect.isfunction(getattr(accelerator, name))}
    tried = {*OF_AN_ACCELERATOR.split(), "empty_host_cache"}
    elsewhere = {"current_accelerator", "current_device_index", "device_count", "empty_cache", "is_available"}
    assert names - tried - elsewhere - {"current_device_idx", "set_device_idx", "set_stream"} == set()  # old; streams


@pytest.mark.filterwarnings("ignore:The argument 'device' of Tensor")  # torch wants it no more
def test_host_memory_is_pinned_for_the_device_by_every_name() -> None:
    for name in ("xpu", "xpu:1", "fl", torch.device("xpu")):
        pinned = torch.ones(3).pin_memory(name)
        assert pinned.is_pinned(name)
        assert pinned.is_pinned()
        assert not torch.ones(3).is_pinned(name)
    assert torch.ones(3).untyped_storage().pin_memory("xpu").is_pinned("xpu")
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        torch.ones(3, device="xpu").pin_memory()
