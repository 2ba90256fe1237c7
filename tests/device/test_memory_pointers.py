"""Addresses that leave torchfl: what a vendor's function finds at ``data_ptr()``, and what it leaves behind there."""

from __future__ import annotations

import io

import pytest
import torch

import torchfl
from core_helpers import MIB, controls, run_script, sides

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


def double(address: int, count: int) -> None:
    """The vendor's own function: doubles ``count`` floats in device memory."""
    controls().fx_double(address, count)


@pytest.mark.parametrize("state", ["host", "device", "both", "none"])
def test_the_values_are_at_the_address_and_what_is_written_there_counts(state: str) -> None:
    cpu = torch.arange(100.0)
    t = torch.empty(100, device="xpu") if state == "none" else cpu.to("xpu")
    if state == "device":
        t.relu_()
    if state == "both":
        torch.relu(t)
    address = t.data_ptr()
    assert sides(t) == "D"
    if state == "none":
        t.copy_(cpu)
    double(t.data_ptr(), 100)
    assert torch.equal(t.cpu(), cpu * 2)  # read straight from the device
    assert torch.equal(t.sin().cpu(), (cpu * 2).sin())  # by fallback
    assert torch.equal(torch.relu(t).cpu(), cpu * 2)  # by a kernel
    assert t[10].item() == 20
    assert t.data_ptr() == address


def test_the_address_is_current_whenever_it_is_asked_for() -> None:
    t = torch.ones(50).to("xpu")
    address = t.data_ptr()
    for value in (2.0, 3.0, 4.0):
        t.fill_(value)  # on the CPU: the device side is stale
        assert sides(t) == "H"
        assert t.data_ptr() == address
        double(address, 50)
        t.sin()  # takes the values to the host, too
        assert sides(t) == "HD"
        assert t.cpu().tolist() == [value * 2] * 50
        assert t.data_ptr() == address
        double(address, 25)
        assert t.cpu().tolist() == [value * 4] * 25 + [value * 2] * 25


def test_a_write_through_a_kept_address_is_told() -> None:
    t = torch.ones(50).to("xpu")
    address = t.data_ptr()
    t.sin()
    version = t._version
    double(address, 50)
    assert t.cpu().tolist() == [1] * 50  # nobody said so
    torchfl.mark_device_written(t)
    assert t.cpu().tolist() == [2] * 50
    assert t._version == version + 1
    with pytest.raises(RuntimeError, match=r"whose address was asked for by data_ptr\(\)"):
        torchfl.mark_device_written(torch.ones(3, device="xpu"))
    torchfl.mark_device_written(torch.ones(0, device="xpu"))


def test_views_share_the_address() -> None:
    t = torch.arange(64.0).to("xpu").view(8, 8)
    row = t[3]
    assert row.data_ptr() == t.data_ptr() + 3 * 8 * 4
    double(row.data_ptr(), 8)
    assert t.cpu()[3].tolist() == [2.0 * x for x in range(24, 32)]
    assert t.cpu()[4].tolist() == list(range(32, 40))
    other = torch.empty(0, device="xpu").set_(t.untyped_storage(), 8, (2, 8), (8, 1))
    assert other.data_ptr() == t[1].data_ptr()
    assert t.untyped_storage().data_ptr() == t.data_ptr()


def test_an_address_stays_while_the_device_is_full_and_ends_with_a_resize() -> None:
    torchfl.xpu_empty_cache()
    controls().fx_set_memory_limit(controls().fx_bytes_in_use() + 8 * MIB)
    try:
        held = [torch.relu(torch.full((MIB // 4,), float(i)).to("xpu")) for i in range(3)]
        address = held[0].data_ptr()
        more = [torch.relu(torch.full((MIB // 4,), float(i)).to("xpu")) for i in range(3, 12)]
        assert sides(held[0]) == "D"
        assert "H" in [sides(t) for t in held[1:] + more]
        double(address, MIB // 4)
        for i, t in enumerate(held + more):
            assert t.cpu().eq(i).all()
        assert held[0].data_ptr() == address
    finally:
        controls().fx_set_memory_limit(1 << 40)
    t = torch.ones(8).to("xpu")
    address = t.data_ptr()
    kept = torch.ones(8).to("xpu")
    assert kept.data_ptr() != address
    t.resize_(MIB)
    double(t.data_ptr(), 8)
    assert t[:8].tolist() == [2] * 8
    assert kept.tolist() == [1] * 8


def test_a_freed_address_may_serve_again_and_a_saved_tensor_is_whole() -> None:
    first = torch.ones(8).to("xpu")
    address = first.data_ptr()
    del first
    second = torch.full((8,), 3.0).to("xpu")
    assert second.data_ptr() == address
    file = io.BytesIO()
    torch.save({"t": second, "row": second[2:4]}, file)
    file.seek(0)
    back = torch.load(file)
    assert back["t"].device == second.device
    assert back["t"].tolist() == [3] * 8
    assert back["row"].tolist() == [3, 3]


def test_addresses_end_with_a_shutdown() -> None:
    done = run_script(
        """
import os, torch, torchfl
torchfl.init([os.environ["FX_DIR"]])
t = torch.arange(8.0).to("xpu")
before = t.data_ptr()
torchfl.shutdown()
for use in (t.data_ptr, lambda: torchfl.mark_device_written(t)):
    try: use()
    except RuntimeError as error: print(str(error).splitlines()[0])
    except torchfl.errors.TorchflError as error: print(error)
torchfl.init([os.environ["FX_DIR"]])
other = torch.ones(8).to("xpu")
assert len({other.data_ptr(), t.data_ptr()}) == 2
assert t.tolist() == list(range(8))
print("done")
"""
    )
    first, second, last = done.stdout.splitlines()
    assert first.startswith("torchfl.shutdown() has released the devices"), done.stderr
    assert "TFL0609 torchfl.shutdown() has been called" in second
    assert last == "done"


def test_threads_use_a_tensor_whose_address_another_asks_for() -> None:
    """By kernels and on the CPU, which makes the next data_ptr() look again: what goes wrong there ends the process."""
    done = run_script(
        """
import os, threading, torch, torchfl
torch.set_num_threads(1)
torchfl.init([os.environ["FX_DIR"]])
x = torch.ones(8).to("xpu")
shown, stop, errors = [torch.relu(x)], [], []

def use(op):
    try:
        while not stop:
            assert op(shown[0])[0].item() == 1
    except BaseException as error:
        errors.append(error)

threads = [threading.Thread(target=use, args=(op,)) for op in (torch.sign, torch.sign, torch.relu, torch.ceil)]
for thread in threads: thread.start()
for _ in range(40_000):
    shown[0] = torch.relu(x)
    for _ in range(3): shown[0].data_ptr()
stop.append(True)
for thread in threads: thread.join()
print("done", errors)
"""
    )
    assert done.stdout == "done []\n", done.stderr
