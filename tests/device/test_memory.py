"""Two-sided storage: which side holds the bytes, what a copy costs, and what failures and resizing leave behind."""

from __future__ import annotations

import threading

import pytest
import torch

import torchfl
from core_helpers import MIB, controls, sides
from torchfl import _loader, memory
from torchfl.errors import TorchflError

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


@pytest.fixture(autouse=True)
def _from_zero() -> None:
    torchfl.reset_counters()


def to_device_side(t: torch.Tensor) -> torch.Tensor:
    """Gives the tensor's storage its device side, keeping the host side valid."""
    _loader.loaded().move_to(t, True)
    return t


def device_only(*shape: int) -> torch.Tensor:
    """A tensor whose bytes are on the device alone, and the same on the CPU."""
    cpu = torch.randn(*shape)
    out = torch.relu(cpu.to("xpu")) if cpu.numel() else cpu.to("xpu")
    assert sides(out) == "D"
    return out


def test_a_new_tensor_has_no_side_and_a_small_copy_waits_on_the_host() -> None:
    empty = torch.empty(8, device="xpu")
    assert sides(empty) == ""
    small = torch.ones(8).to("xpu")
    assert sides(small) == "H"
    assert torchfl.copy_counters().h2d == 0


def test_a_large_copy_goes_straight_to_the_device_and_back() -> None:
    cpu = torch.randn(MIB)
    there = cpu.to("xpu")
    assert sides(there) == "D"
    assert torch.equal(there.cpu(), cpu)
    moved = torchfl.copy_counters()
    assert (moved.h2d, moved.h2d_bytes, moved.d2h, moved.d2h_bytes) == (1, 4 * MIB, 1, 4 * MIB)
    assert sides(there) == "D"


def test_consecutive_native_and_fallback_ops_migrate_once_each_way() -> None:
    x = torch.randn(64, 64).to("xpu")
    y = torch.relu(x)  # native: uploads x
    assert (sides(x), sides(y)) == ("HD", "D")
    z = torch.sigmoid(y)  # fallback: downloads y
    w = torch.tanh(z)  # fallback: nothing moves
    assert (sides(y), sides(z), sides(w)) == ("HD", "H", "H")
    torch.relu(y)
    moved = torchfl.copy_counters()
    assert (moved.h2d, moved.d2h) == (1, 1)
    assert moved.h2d_bytes == moved.d2h_bytes == 64 * 64 * 4


@pytest.mark.parametrize("prepare", ["host", "both", "device"])
def test_writes_on_either_side_make_the_other_stale(prepare: str) -> None:
    cpu = torch.randn(32)
    t = cpu.to("xpu")
    if prepare == "both":
        to_device_side(t)
    if prepare == "device":
        t.relu_()
        cpu = cpu.relu()
        assert sides(t) == "D"
    t.mul_(3)  # no kernel of the chip: on the host
    assert sides(t) == "H"
    assert torch.equal(t.cpu(), cpu * 3)
    t.relu_()
    assert sides(t) == "D"
    assert torch.equal(t.cpu(), (cpu * 3).relu())


def test_views_share_one_storage_whatever_side_wrote() -> None:
    cpu = torch.randn(6, 5)
    t = cpu.to("xpu")
    row, column = t[2], t[:, 1]
    row.relu_()
    column.fill_(9)
    t.add_(t)
    cpu[2].relu_()
    cpu[:, 1].fill_(9)
    cpu.add_(cpu)
    assert torch.equal(t.cpu(), cpu)
    assert torch.equal(row.cpu(), cpu[2])
    assert torch.equal(t.t().cpu(), cpu.t())


def test_part_of_a_device_storage_is_read_and_written_alone() -> None:
    big = torch.randn(MIB).to("xpu")
    torchfl.reset_counters()
    assert big[100:108].cpu().shape == (8,)
    big[200:208] = torch.arange(8.0)
    assert big[203].item() == 3
    moved = torchfl.copy_counters()
    assert (moved.d2h_bytes, moved.h2d_bytes) == (32 + 4, 32)
    assert sides(big) == "D"
    assert torch.equal(big[196:212].cpu()[4:12], torch.arange(8.0))


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64]
)
def test_round_trip_of_every_kind(dtype: torch.dtype) -> None:
    cpu = torch.arange(24).reshape(4, 6).to(dtype)
    for form in (cpu, cpu.t(), cpu[1:, ::2], cpu[2], cpu[:, :0], cpu[3, 5]):
        there = form.to("xpu")
        assert (there.dtype, there.shape, there.device.type) == (form.dtype, form.shape, "xpu")
        assert torch.equal(there.cpu(), form)
        assert torch.equal(there.to("cpu", torch.complex128), form.to(torch.complex128))


def test_conjugate_and_negative_bits_survive_copies() -> None:
    cpu = torch.randn(5, dtype=torch.complex64)
    there = cpu.to("xpu")
    assert torch.equal(there.conj().cpu(), cpu.conj())
    assert torch.equal(there.conj().imag.cpu(), cpu.conj().imag)
    assert there.conj()[2].item() == cpu.conj()[2].item()
    assert torch.equal(torch.view_as_real(there).cpu(), torch.view_as_real(cpu))


def test_copy_broadcasts_casts_and_checks_shapes() -> None:
    target = torch.zeros(3, 4, dtype=torch.float16, device="xpu")
    target.copy_(torch.arange(4))
    assert torch.equal(target.cpu(), torch.arange(4).expand(3, 4).half())
    target[:, 1].copy_(torch.ones(3, device="xpu"))
    assert target.cpu()[:, 1].tolist() == [1, 1, 1]
    host = torch.zeros(3, 4)
    assert host.copy_(target).equal(target.cpu().float())
    with pytest.raises(RuntimeError, match="expand"):
        target.copy_(torch.zeros(5))
    with pytest.raises(RuntimeError, match="expand"):
        torch.zeros(0, device="xpu").copy_(torch.zeros(3, device="xpu"))


def test_device_to_device_stays_on_the_device() -> None:
    a = device_only(128)
    expected = a.cpu()
    torchfl.reset_counters()
    b = a.clone()
    assert sides(b) == "D"
    moved = torchfl.copy_counters()
    assert (moved.d2d, moved.d2h, moved.h2d) == (1, 0, 0)
    assert torch.equal(b.cpu(), expected)


def test_copy_between_devices_and_results_stay_on_their_device() -> None:
    a = torch.randn(16).to("xpu:1")
    b = a.to("xpu:0")
    assert (a.device.index, b.device.index) == (1, 0)
    assert torch.equal(a.cpu(), b.cpu())
    assert torch.relu(a).device.index == 1
    assert (a + a).device.index == 1
    with torch.xpu.device(1):
        assert torch.empty(1, device="xpu").device.index == 1
    assert torch.empty(1, device="xpu").device.index == 0


def test_zero_bytes_have_no_address_and_copy() -> None:
    empty = torch.empty(0, 3, device="xpu")
    assert empty.data_ptr() == 0
    assert empty.cpu().shape == (0, 3)
    assert torch.empty(0).to("xpu").to("xpu:1").shape == (0,)
    assert torch.relu(empty).shape == (0, 3)
    with pytest.raises(RuntimeError, match="converted to Scalar"):
        empty.item()


def test_addresses_name_storages_and_are_reused_only_after_free() -> None:
    a, b = torch.empty(10, device="xpu"), torch.empty(10, device="xpu")
    assert a.data_ptr() != b.data_ptr() != 0
    assert a[2:].data_ptr() == a.data_ptr() + 8
    seen = {torch.empty(10, device="xpu").data_ptr() for _ in range(50)}
    assert not seen & {a.data_ptr(), b.data_ptr()}
    assert len(seen) == 1


@pytest.mark.parametrize("prepare", ["none", "host", "device", "both"])
def test_resize_keeps_the_first_bytes_of_the_valid_side(prepare: str) -> None:
    cpu = torch.arange(8.0)
    t = torch.empty(8, device="xpu") if prepare == "none" else cpu.to("xpu")
    if prepare == "device":
        t.relu_()
    if prepare == "both":
        to_device_side(t)
    t.resize_(4096)
    assert t.shape == (4096,)
    if prepare != "none":
        assert torch.equal(t[:8].cpu(), cpu)
    t.fill_(2)
    assert torch.relu(t).sum().item() == 8192
    t.resize_(4)
    assert t.cpu().tolist() == [2, 2, 2, 2]


def test_storage_resize_to_nothing_and_back() -> None:
    t = torch.ones(16, device="xpu")
    t.untyped_storage().resize_(0)
    assert sides(t) == ""
    assert t.untyped_storage().nbytes() == 0
    t.untyped_storage().resize_(64)
    t.fill_(5)
    assert t.cpu().tolist() == [5] * 16


def test_out_argument_is_resized_with_its_storage() -> None:
    out = torch.empty(0, device="xpu")
    x = torch.randn(300).to("xpu")
    torch.tanh(x, out=out)
    assert torch.equal(out.cpu(), torch.tanh(x.cpu()))
    assert out.untyped_storage().nbytes() == 1200
    assert torch.relu(out).shape == (300,)


def test_set_forms() -> None:
    source = torch.arange(12.0).to("xpu")
    t = torch.empty(0, device="xpu")
    t.set_(source)
    assert t.data_ptr() == source.data_ptr()
    t.set_(source.untyped_storage(), 2, (2, 3), (3, 1))
    assert t.cpu().tolist() == [[2, 3, 4], [5, 6, 7]]
    t.set_(source.untyped_storage())
    assert t.shape == (12,)
    t.set_()
    assert t.numel() == 0
    with pytest.raises(RuntimeError):
        t.set_(torch.zeros(3).untyped_storage())


def test_memory_statistics_and_cache() -> None:
    torch.xpu.empty_cache()
    torch.xpu.reset_peak_memory_stats()
    start = torch.xpu.memory_allocated()
    t = torch.randn(MIB).to("xpu")
    assert torch.xpu.memory_allocated() == start + 4 * MIB
    del t
    assert torch.xpu.memory_allocated() == start
    assert torch.xpu.max_memory_allocated() >= start + 4 * MIB
    held = torch.xpu.memory_reserved()
    assert held >= start + 4 * MIB
    again = torch.randn(MIB).to("xpu")
    assert torch.xpu.memory_reserved() == held
    del again
    torchfl.xpu_empty_cache()
    assert torch.xpu.memory_reserved() == torch.xpu.memory_allocated()
    assert controls().fx_bytes_in_use() == sum(torch.xpu.memory_reserved(i) for i in range(2))


def test_out_of_memory_frees_the_cache_once_then_raises() -> None:
    torch.xpu.empty_cache()
    limit = controls().fx_bytes_in_use() + 6 * MIB
    controls().fx_set_memory_limit(limit)
    budget = torchfl.host_budget()
    torchfl.set_host_budget(0)  # what the device holds alone has nowhere to go
    try:
        first = torch.randn(MIB).to("xpu")
        del first  # 4 MiB in the cache; 5 MiB only fit without it
        second = torch.randn(MIB + MIB // 4).to("xpu")
        with pytest.raises(torch.OutOfMemoryError, match=r"xpu:fx: allocating .* OUT_OF_MEMORY: fixture limit reached"):
            torch.randn(MIB).to("xpu")
        assert torch.equal(second.cpu(), second.cpu())
        del second
        assert torch.randn(MIB).to("xpu").numel() == MIB
    finally:
        torchfl.set_host_budget(budget)
        controls().fx_set_memory_limit(1 << 40)


def test_a_failed_copy_raises_the_vendors_text_and_keeps_the_bytes() -> None:
    cpu = torch.randn(64)
    t = cpu.to("xpu")
    controls().fx_fail_next_copies(1)
    with pytest.raises(torch.AcceleratorError, match="DEVICE_ERROR: the fixture's bus broke"):
        torch.relu(t)
    assert torch.equal(torch.relu(t).cpu(), cpu.relu())
    d = torch.relu(t)
    controls().fx_fail_next_copies(1)
    with pytest.raises(torch.AcceleratorError, match="bus broke"):
        d.sigmoid()
    assert torch.equal(d.cpu(), cpu.relu())


def test_threads_write_disjoint_slices_of_one_storage() -> None:
    t = torch.zeros(8, 512, device="xpu")
    errors: list[BaseException] = []

    def work(row: int) -> None:
        try:
            for _ in range(40):
                if row % 2:
                    t[row].add_(torch.ones(512, device="xpu"))  # native
                else:
                    t[row].sub_(-1)  # fallback
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(row,)) for row in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert torch.equal(t.cpu(), torch.full((8, 512), 40.0))


def test_pinned_memory_is_known_and_needs_no_device() -> None:
    t = torch.randn(100).pin_memory()
    assert t.is_pinned()
    assert t[10:20].is_pinned()
    assert not torch.randn(100).is_pinned()
    assert torch.equal(t.to("xpu", non_blocking=True).cpu(), t)
    with pytest.raises(RuntimeError, match="pinned"):
        torch.empty(3, device="xpu", pin_memory=True)


def test_storage_objects_copy_and_clone() -> None:
    t = torch.arange(6.0).to("xpu")
    storage = t.untyped_storage()
    assert storage.device == t.device
    assert bytes(storage.cpu()) == bytes(torch.arange(6.0).untyped_storage())
    copied = storage.clone()
    copied.fill_(0)
    assert t.cpu().tolist() == [0, 1, 2, 3, 4, 5]


def test_a_foreign_storage_is_refused_with_a_reason() -> None:
    t = torch.empty(4, device="xpu")
    middle = t.untyped_storage().data_ptr() + 8
    foreign = torch._C._construct_storage_from_data_pointer(middle, t.device, 8)
    with pytest.raises(RuntimeError, match="was not made by torchfl"):
        torch.empty(0, device="xpu").set_(foreign)


def test_the_oldest_host_sides_go_when_the_budget_is_used_up() -> None:
    core = _loader.loaded()
    before = core.host_budget()
    made = [torch.rand(1024).to("xpu").relu_() for _ in range(4)]
    expected = [t.sin().cpu() for t in made]  # downloads: both sides
    assert [sides(t) for t in made] == ["HD"] * 4
    used = core.two_sided_bytes()
    assert used >= 4 * 4096
    try:
        core.set_host_budget(used - 4096)
        made.append(torch.rand(1024).to("xpu").relu_())
        made[-1].sin()
        assert sides(made[-1]) == "HD"
        assert core.two_sided_bytes() <= used - 4096
        core.set_host_budget(0)
        made[-1].sin()
        assert {sides(t) for t in made} == {"D"}
        assert core.two_sided_bytes() == 0
        for t, want in zip(made, expected, strict=False):
            assert torch.equal(t.sin().cpu(), want)
    finally:
        core.set_host_budget(before)


def test_a_program_sets_the_budget_of_host_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torchfl.host_budget()
    monkeypatch.setattr(memory, "_asked", memory._asked)  # what is asked for here ends with the test
    try:
        torchfl.set_host_budget("64M")
        assert torchfl.host_budget() == 64 << 20
        torchfl.set_host_budget(0)
        t = torch.rand(1024).to("xpu").relu_()
        t.sin()
        assert sides(t) == "D"
        monkeypatch.setattr(memory, "_asked", None)
        monkeypatch.setenv("TORCHFL_HOST_BUDGET", "2 GiB")
        memory.apply_settings(_loader.loaded())
        assert torchfl.host_budget() == 2 << 30
        monkeypatch.setenv("TORCHFL_HOST_BUDGET", "much")
        with pytest.raises(TorchflError, match=r"TFL0616 TORCHFL_HOST_BUDGET: 'much' is not a size of memory"):
            memory.apply_settings(_loader.loaded())
        for wrong in (-1, True, "1.5G", ""):
            with pytest.raises(TorchflError, match="TFL0616"):
                torchfl.set_host_budget(wrong)
    finally:
        torchfl.set_host_budget(before)


def test_a_write_and_a_free_leave_the_list_of_two_sided_storages() -> None:
    core = _loader.loaded()
    start = core.two_sided_bytes()
    t, u = (torch.rand(2048).to("xpu").relu_() for _ in range(2))
    t.sin(), u.sin()
    assert core.two_sided_bytes() == start + 2 * 8192
    t.mul_(2)
    del u
    assert core.two_sided_bytes() == start
