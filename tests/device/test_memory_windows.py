"""Small views of big storages move alone, whichever side is stale, and everything stays as it is on the CPU."""

from __future__ import annotations

import pytest
import torch

import torchfl
from core_helpers import controls, sides

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]
ROWS, COLUMNS = 256, 512
ROW = COLUMNS * 4
ALL = ROWS * ROW


@pytest.fixture
def cpu() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.rand(ROWS, COLUMNS) + 0.5  # relu() changes nothing


@pytest.fixture
def on_device(cpu: torch.Tensor) -> torch.Tensor:
    t = cpu.to("xpu").relu_()
    assert sides(t) == "D"
    torchfl.reset_counters()
    return t


@pytest.fixture
def on_host(cpu: torch.Tensor) -> torch.Tensor:
    t = cpu.to("xpu")
    assert sides(t) == "H"
    torchfl.reset_counters()
    return t


def moved() -> tuple[int, int]:
    """Bytes to the device and from it."""
    counted = torchfl.copy_counters()
    return counted.h2d_bytes, counted.d2h_bytes


def test_a_fallback_on_a_row_moves_the_row(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    y = on_device[3].sin()
    assert moved() == (0, ROW)
    on_device[4].mul_(2)
    assert moved() == (ROW, 2 * ROW)
    assert sides(on_device) == "D"
    assert torch.equal(y.cpu(), cpu[3].sin())
    cpu[4].mul_(2)
    assert torch.equal(on_device.cpu(), cpu)


def test_a_row_that_is_overwritten_is_not_fetched_first(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    on_device[7].fill_(3)
    assert moved() == (ROW, 0)
    on_device[:, 5].fill_(4)  # strided: its span is nearly all of the storage
    assert moved() == (ROW, ALL)
    cpu[7] = 3
    cpu[:, 5] = 4
    assert torch.equal(on_device.cpu(), cpu)


def test_a_kernel_on_a_row_of_a_host_storage_moves_the_row(on_host: torch.Tensor, cpu: torch.Tensor) -> None:
    y = torch.relu(on_host[9])
    assert (moved(), sides(on_host), sides(y)) == ((ROW, 0), "H", "D")
    on_host[10].add_(on_host[200])
    assert moved() == (3 * ROW, ROW)
    assert sides(on_host) == "H"
    cpu[10].add_(cpu[200])
    assert torch.equal(on_host.cpu(), cpu)
    assert torch.equal(y.cpu(), cpu[9])


def test_far_views_have_a_window_each_and_near_ones_share(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    y = torch.hypot(on_device[0], on_device[250])
    assert moved() == (0, 2 * ROW)
    torchfl.reset_counters()
    z = torch.hypot(on_device[100], on_device[102])
    assert (moved(), torchfl.copy_counters().d2h) == ((0, 3 * ROW), 1)
    assert torch.equal(y.cpu(), torch.hypot(cpu[0], cpu[250]))
    assert torch.equal(z.cpu(), torch.hypot(cpu[100], cpu[102]))


def test_overlapping_views_alias_within_their_window(on_device: torch.Tensor) -> None:
    row = on_device[2]
    with pytest.raises(RuntimeError, match="single memory location"):
        row[1:].mul_(row[:-1])
    before = on_device[2:4].cpu()
    on_device[2:4].copy_(on_device[2:4].sin())
    assert torch.equal(on_device[2:4].cpu(), before.sin())


def test_views_of_other_dtypes_begin_where_all_can(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    wide, narrow = on_device.view(torch.float64), on_device.view(torch.int16)
    y = torch.where(narrow[8, 3:9] != 0, wide[8, 1:7], wide[8, 2:8])
    expected = torch.where(cpu.view(torch.int16)[8, 3:9] != 0, cpu.view(torch.float64)[8, 1:7],
                           cpu.view(torch.float64)[8, 2:8])  # fmt: skip
    assert torch.equal(y.cpu(), expected)
    assert moved()[1] < ROW


def test_what_aliases_an_argument_without_saying_so_still_does(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    made = torch.ops.aten._unsafe_view(on_device[5], [2, COLUMNS // 2])
    assert made.untyped_storage()._cdata == on_device.untyped_storage()._cdata
    assert made.storage_offset() == 5 * COLUMNS
    made[1].zero_()
    cpu[5, COLUMNS // 2 :] = 0
    assert torch.equal(on_device.cpu(), cpu)


def test_an_op_with_a_storage_offset_sees_the_storage(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    y = torch.as_strided_scatter(on_device[5], torch.zeros(8), (8,), (1,), 5 * COLUMNS + 8)
    assert torch.equal(y.cpu(), torch.as_strided_scatter(cpu[5], torch.zeros(8), (8,), (1,), 5 * COLUMNS + 8))
    z = torch.as_strided_copy(on_device[5], (4,), (1,), 3)
    assert torch.equal(z.cpu(), cpu.flatten()[3:7])


def test_a_destination_that_grows_over_its_neighbours(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    torch.manual_seed(1)
    new = torch.randn(3, COLUMNS)
    view, same = on_device[6], cpu[6]
    with pytest.warns(UserWarning, match="resized"):
        torch.sin(new.to("xpu"), out=view)
    with pytest.warns(UserWarning, match="resized"):
        torch.sin(new, out=same)
    assert (view.shape, view.storage_offset(), view.stride()) == (same.shape, same.storage_offset(), same.stride())
    assert torch.equal(on_device.cpu(), cpu)
    assert view.untyped_storage()._cdata == on_device.untyped_storage()._cdata


def test_a_destination_at_the_end_grows_the_storage(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    new = torch.rand(4, COLUMNS)
    view = on_device[ROWS - 1]
    with pytest.warns(UserWarning, match="resized"):
        torch.sin(new.to("xpu"), out=view)
    assert torch.equal(view.cpu(), new.sin())
    assert torch.equal(on_device[:-1].cpu(), cpu[:-1])
    assert torch.equal(on_device[-1].cpu(), new[0].sin())
    assert on_device.untyped_storage().nbytes() == ALL + 3 * ROW


def test_an_empty_view_as_destination_is_the_storage(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    view = on_device[8, :0]
    torch.sin(on_device[8], out=view)
    assert view.untyped_storage()._cdata == on_device.untyped_storage()._cdata
    cpu[8].sin_()
    assert torch.equal(on_device.cpu(), cpu)


def test_reading_piece_by_piece_comes_to_at_most_two_of_all(on_device: torch.Tensor, cpu: torch.Tensor) -> None:
    for _ in range(3):
        for row in range(0, ROWS, 8):
            assert torch.equal(on_device[row : row + 8].sin().cpu(), cpu[row : row + 8].sin())
    assert moved()[1] <= 2 * ALL
    assert sides(on_device) == "HD"


def test_small_storages_and_large_parts_move_whole(on_device: torch.Tensor) -> None:
    on_device[: ROWS // 2].sin()
    assert moved() == (0, ALL)
    small = torch.rand(16, 64).to("xpu").relu_()
    torchfl.reset_counters()
    small[0].sin()
    assert moved() == (0, 16 * 64 * 4)
    assert sides(small) == "HD"


@pytest.mark.parametrize("stale", ["host", "device"])
def test_a_copy_that_fails_leaves_the_storage_as_it_was(stale: str, cpu: torch.Tensor) -> None:
    t = cpu.to("xpu")
    if stale == "host":
        t.relu_()
    before = sides(t)
    controls().fx_fail_next_copies(1)
    with pytest.raises(torch.AcceleratorError, match="bus broke"):
        t[3].mul_(2) if stale == "host" else t[3].relu_()
    assert sides(t) == before
    assert torch.equal(t.cpu(), cpu)


def test_an_upload_starts_at_once_only_where_a_kernel_may_use_it() -> None:
    for dtype, expected in ((torch.float32, "D"), (torch.int64, "H"), (torch.float64, "H")):
        assert sides(torch.zeros(1 << 20, dtype=dtype).to("xpu")) == expected
