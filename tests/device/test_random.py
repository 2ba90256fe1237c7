"""The device's random numbers: their state is its own, a seed gives them again, and they are random."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


def test_random_state_is_the_devices_own() -> None:
    torch.manual_seed(7)
    first = torch.randn(5, device="xpu").cpu()
    state = torch.xpu.get_rng_state()
    second = torch.randn(5, device="xpu").cpu()
    torch.xpu.set_rng_state(state)
    torch.randn(5)  # the CPU's generator is another
    assert torch.equal(torch.randn(5, device="xpu").cpu(), second)
    torch.xpu.manual_seed(7)
    assert torch.equal(torch.randn(5, device="xpu").cpu(), first)
    assert torch.xpu.initial_seed() == 7
    generator = torch.Generator(device="xpu").manual_seed(7)
    assert torch.equal(torch.randn(5, device="xpu", generator=generator).cpu(), first)
    assert len(torch.xpu.get_rng_state_all()) == len(torch.xpu.default_generators) == 2
    with torch.random.fork_rng(devices=[0], device_type="xpu"):
        torch.randn(5, device="xpu")
    x = torch.nn.functional.dropout(torch.ones(100, device="xpu"), 0.5)
    assert 0 < (x.cpu() == 0).sum() < 100


def test_later_draws_are_random_numbers_and_come_again() -> None:
    """Draws after the first do not begin as the CPU's would: their generator's state is filled another way."""
    generator = torch.Generator(device="xpu").manual_seed(5)

    def draw(function: Callable[..., torch.Tensor], n: int) -> torch.Tensor:
        return function(n, device="xpu", generator=generator).cpu()

    draw(torch.rand, 1)
    state = generator.get_state()
    many = draw(torch.rand, 1 << 18)
    drawn = torch.histc(many, 256, 0, 1)
    assert 142 < ((drawn - 1024) ** 2 / 1024).sum() < 368  # chi-square of 255 degrees: 5 standard deviations
    assert torch.corrcoef(many.view(8, -1)).fill_diagonal_(0).abs().max() < 5 / (1 << 15) ** 0.5
    generator.set_state(state)
    assert torch.equal(draw(torch.rand, 1 << 18), many)
    short = torch.stack([draw(torch.rand, 64) for _ in range(300)])
    assert short.unique().numel() > short.numel() - 60  # of 2 ** 24 values, 11 pairs are expected
    assert abs(torch.corrcoef(short).fill_diagonal_(0).square().mean().item() * 63 - 1) < 0.05
    assert abs(short.mean().item() - 0.5) < 5 * (1 / 12 / short.numel()) ** 0.5
    # randn makes numbers in pairs; the other half of one does not leak into the next draw.
    state = generator.get_state()
    five = draw(torch.randn, 5)
    draw(torch.randn, 3)
    generator.set_state(state)
    assert torch.equal(draw(torch.randn, 5), five)
