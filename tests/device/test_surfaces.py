"""torch.xpu and torch.accelerator, random state, autocast's corners, and saving in every form."""

from __future__ import annotations

import copy
import io
import pickle
import struct
import threading

import pytest
import torch
from torch import nn

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


SURFACE = """
is_available device_count current_device set_device synchronize empty_cache memory_allocated max_memory_allocated
memory_reserved max_memory_reserved memory_stats reset_peak_memory_stats mem_get_info get_device_name
get_device_properties get_device_capability manual_seed manual_seed_all seed seed_all initial_seed get_rng_state
set_rng_state get_rng_state_all set_rng_state_all default_generators Stream Event StreamContext stream current_stream
set_stream device device_of is_initialized init is_bf16_supported is_tf32_supported is_current_stream_capturing
can_device_access_peer device_memory_used get_per_process_memory_fraction memory_stats_as_nested_dict
reset_accumulated_memory_stats memory_snapshot temperature set_per_process_memory_fraction get_stream_from_external
_DeviceGuard _exchange_device _maybe_exchange_device _get_device_index _is_in_bad_fork _lazy_init _lazy_call
_set_stream_by_id
"""


@pytest.mark.parametrize("name", SURFACE.split())
def test_the_name_is_ours_in_both_modules(name: str) -> None:
    assert getattr(torch.xpu, name) is getattr(torch.fl, name)


def test_the_accelerator_answers() -> None:
    accelerator = torch.accelerator
    assert accelerator.is_available()
    assert accelerator.current_accelerator() == torch.device("xpu")
    assert accelerator.device_count() == 2
    assert torch.get_device_module("xpu") is torch.get_device_module(torch.ones(1, device="xpu").device) is torch.xpu
    accelerator.set_device_index("xpu:1")
    assert accelerator.current_device_index() == torch.xpu.current_device() == 1
    accelerator.set_device_index(torch.device("xpu", 0))
    with accelerator.device_index(1):
        assert torch.empty(1, device="xpu").device.index == 1
    assert accelerator.current_stream("xpu:1").device == torch.device("xpu:1")
    accelerator.synchronize("xpu:1")
    before = accelerator.memory_allocated(0)
    held = torch.ones(1 << 20, device="xpu").relu()
    assert accelerator.memory_allocated(0) - before >= held.nbytes
    assert accelerator.max_memory_allocated(0) == torch.xpu.max_memory_allocated(0)
    accelerator.reset_peak_memory_stats(0)
    accelerator.empty_cache()
    assert not torch.cuda.is_available()
    assert torch.cuda.device_count() == 0


def test_the_accelerator_says_which_dtypes_the_device_takes() -> None:
    dtypes = torch.accelerator.get_device_capability("xpu")["supported_dtypes"]
    assert {torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.int8, torch.bool} <= dtypes
    assert not {torch.qint8, torch.quint8} & dtypes
    for dtype in (torch.float64, torch.bfloat16, torch.complex128, torch.uint8, torch.float8_e4m3fn):
        assert torch.ones(2, device="xpu").to(dtype).dtype == dtype


def test_host_memory_that_is_cached_for_the_device_can_be_given_back() -> None:
    torch.accelerator.current_stream()
    pinned = torch.empty(1 << 16, pin_memory=True).fill_(3)
    torch.accelerator.empty_host_cache()
    assert pinned.to("xpu").sum().item() == 3 * (1 << 16)


def test_memory_in_torchs_other_forms() -> None:
    held = torch.ones(1 << 18, device="xpu").relu()
    nested = torch.xpu.memory_stats_as_nested_dict()
    assert nested["allocated_bytes"]["all"]["current"] == torch.xpu.memory_allocated() >= held.nbytes
    assert nested["num_ooms"] == torch.xpu.memory_stats()["num_ooms"]
    assert torch.xpu.memory_stats()["num_device_alloc"] > 0
    torch.xpu.reset_accumulated_memory_stats()
    assert torch.xpu.memory_stats()["num_device_alloc"] == torch.accelerator.memory_stats()["num_device_alloc"] == 0
    assert torch.xpu.memory_allocated() >= held.nbytes
    free, total = torch.xpu.mem_get_info()
    assert torch.xpu.device_memory_used() == total - free
    assert torch.xpu.get_per_process_memory_fraction() == 1.0
    assert torch.xpu.can_device_access_peer(0, "xpu:0")
    assert not torch.xpu.can_device_access_peer("xpu:0", "xpu:1")


ACTIVITY = torch.profiler.ProfilerActivity


@pytest.mark.parametrize(
    "activities",
    [None, [ACTIVITY.CPU, ACTIVITY.XPU], [ACTIVITY.CPU, ACTIVITY.PrivateUse1]],
    ids=["default", "xpu", "privateuse1"],
)
def test_the_profiler_takes_the_xpu_activity(activities: list[torch.profiler.ProfilerActivity] | None) -> None:
    with torch.profiler.profile(activities=activities) as profile:
        torch.ones(4, device="xpu").relu()
    assert "aten::relu" in {event.key for event in profile.key_averages()}
    assert "aten::relu" in profile.key_averages().table(sort_by="self_cpu_time_total")
    with torch.autograd.profiler.profile(use_device="xpu", use_kineto=True) as old:
        torch.ones(4, device="xpu").relu()
    assert old.use_device == "fl"
    assert "aten::relu" in {event.key for event in old.key_averages()}


def test_a_device_tensor_is_not_sent_to_another_process() -> None:
    queue = torch.multiprocessing.get_context("spawn").SimpleQueue()
    t = torch.ones(2, device="xpu")
    for value in (t, nn.Parameter(t), t.untyped_storage(), {"state": [t]}):
        with pytest.raises(RuntimeError, match=r"^a device tensor cannot be sent .*: send t\.cpu\(\)$"):
            queue.put(value)
    queue.put(t.cpu())
    assert queue.get().tolist() == [1, 1]


def test_random_state_is_seed_and_offset_of_each_device() -> None:
    torch.manual_seed(11)
    assert struct.unpack("QQ", torch.xpu.get_rng_state("xpu:1").numpy().tobytes()) == (11, 0)
    torch.rand(3, device="xpu:1")
    seed, offset = struct.unpack("QQ", torch.xpu.get_rng_state(1).numpy().tobytes())
    assert seed == 11
    assert offset > 0
    assert offset % 4 == 0
    assert struct.unpack("QQ", torch.xpu.get_rng_state(0).numpy().tobytes()) == (11, 0)
    states = torch.xpu.get_rng_state_all()
    drawn = [torch.randn(4, device=f"xpu:{i}").cpu() for i in range(2)]
    torch.xpu.set_rng_state_all(states)
    assert all(torch.equal(torch.randn(4, device=f"xpu:{i}").cpu(), drawn[i]) for i in range(2))
    with pytest.raises(RuntimeError, match=r"16 bytes \(seed, offset\), not 8"):
        torch.xpu.set_rng_state(torch.zeros(8, dtype=torch.uint8))
    with pytest.raises((RuntimeError, TypeError), match="ByteTensor"):
        torch.xpu.set_rng_state(torch.zeros(16))
    generator = torch.Generator("xpu:1").manual_seed(5)
    torch.rand(2, device="xpu:1", generator=generator)
    twin = generator.clone_state()
    assert generator.device == twin.device == torch.device("xpu:1")
    assert torch.equal(
        torch.rand(2, device="xpu:1", generator=generator).cpu(), torch.rand(2, device="xpu:1", generator=twin).cpu()
    )


def test_draws_differ_and_look_uniform() -> None:
    torch.xpu.manual_seed(0)
    drawn = torch.stack([torch.rand(64, device="xpu").cpu() for _ in range(200)])
    assert len({tuple(row) for row in drawn.tolist()}) == 200
    assert abs(drawn.mean().item() - 0.5) < 0.02  # 12,800 values: the standard error is 0.0026
    assert abs(torch.corrcoef(torch.stack((drawn[:-1].flatten(), drawn[1:].flatten())))[0, 1].item()) < 0.05


def test_fork_rng_restores_every_device() -> None:
    torch.manual_seed(3)
    before = [s.tolist() for s in torch.xpu.get_rng_state_all()]
    with torch.random.fork_rng(devices=[0, 1], device_type="xpu"):
        torch.rand(2, device="xpu:0"), torch.rand(2, device="xpu:1")
        assert [s.tolist() for s in torch.xpu.get_rng_state_all()] != before
    assert [s.tolist() for s in torch.xpu.get_rng_state_all()] == before
    with torch.random.fork_rng(devices=range(2), device_type="fl"):
        torch.rand(2, device="xpu:1")
    assert [s.tolist() for s in torch.xpu.get_rng_state_all()] == before


def test_autocasts_default_dtype_is_the_profiles_in_every_thread() -> None:
    seen = []

    def look() -> None:
        with torch.autocast("xpu"):
            x = torch.ones(2, 2, device="xpu")
            seen.append((torch.is_autocast_enabled("xpu"), torch.get_autocast_dtype("xpu"), (x @ x).dtype))

    look()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [(True, torch.float16, torch.float16)] * 2
    assert not torch.is_autocast_enabled("xpu")
    assert not torch.is_autocast_enabled("cpu")


def test_devices_and_device_tensors_copy_and_pickle() -> None:
    for device in (torch.device("xpu"), torch.device("xpu", 1)):
        assert copy.deepcopy(device) == pickle.loads(pickle.dumps(device)) == torch.device(str(device)) == device
        assert eval(repr(device), {"device": torch.device}) == device
    file = io.BytesIO()
    torch.save({"device": torch.device("xpu:1")}, file)
    file.seek(0)
    assert torch.load(file)["device"] == torch.device("xpu:1")
    parameter = nn.Parameter(torch.ones(2, device="xpu:1"))
    assert copy.deepcopy({"p": parameter, "again": parameter})["again"].device == torch.device("xpu:1")


def test_exported_programs_are_saved_and_loaded() -> None:
    program = torch.export.export(nn.Linear(2, 2).to("xpu"), (torch.ones(1, 2, device="xpu"),))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    out = torch.export.load(file).module()(torch.ones(1, 2, device="xpu"))
    assert str(out.device) == "xpu:0"


def test_dlpack_from_a_chip_with_its_own_memory_is_a_copy_or_a_sentence() -> None:
    import numpy

    t = torch.arange(3.0, device="xpu")
    for export in (torch.from_dlpack, torch.utils.dlpack.to_dlpack, torch.to_dlpack, numpy.from_dlpack):
        with pytest.raises(BufferError, match=r"^a tensor in the device's own memory has no address .*: export t\.cpu"):
            export(t)
    assert numpy.from_dlpack(t, device="cpu").tolist() == [0, 1, 2]
    assert t.__dlpack_device__() == (torch.utils.dlpack.DLDeviceType.kDLExtDev, 0)
    with pytest.raises(BufferError, match="has no address"):
        numpy.from_dlpack(t, device="cpu", copy=False)
    assert torch.from_dlpack(numpy.arange(3), device="xpu:1").device == torch.device("xpu:1")
    assert torch.from_dlpack(torch.ones(2)).tolist() == [1, 1]


def test_a_seed_gives_the_same_numbers_whatever_was_drawn_before() -> None:
    """Each kind of draw, twice from one seed, and the first after a seed as on the CPU."""
    draws = {
        "rand": lambda d: torch.rand(5, device=d),
        "randn": lambda d: torch.randn(5, device=d),
        "randint": lambda d: torch.randint(0, 100, (5,), device=d),
        "randperm": lambda d: torch.randperm(9, device=d),
        "bernoulli": lambda d: torch.bernoulli(torch.full((9,), 0.5, device=d)),
        "multinomial": lambda d: torch.multinomial(torch.ones(9, device=d), 5),
        "normal_": lambda d: torch.empty(5, device=d).normal_(),
        "dropout": lambda d: nn.functional.dropout(torch.ones(64, device=d)),
    }
    for draw in draws.values():
        torch.manual_seed(5)
        expected = draw("cpu")
        torch.manual_seed(5)
        first, second = draw("xpu").cpu(), draw("xpu").cpu()
        assert torch.equal(first, expected)
        assert not torch.equal(first, second)
        torch.rand(3, device="xpu")
        torch.manual_seed(5)
        assert torch.equal(draw("xpu").cpu(), first)
        assert torch.equal(draw("xpu").cpu(), second)
