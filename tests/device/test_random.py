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


def test_generators_give_take_and_share_their_position() -> None:
    generator = torch.Generator("xpu:1").manual_seed(5)
    assert (generator.initial_seed(), generator.get_offset(), generator.device) == (5, 0, torch.device("xpu:1"))

    def draw(one: torch.Generator) -> list[float]:
        return torch.rand(2, device="xpu:1", generator=one).tolist()

    draw(generator)
    twin, shared = generator.clone_state(), generator.graphsafe_get_state()
    assert twin.device == shared.device == torch.device("xpu:1")
    second = draw(generator)
    assert draw(twin) == second  # a copy
    assert shared.get_offset() == generator.get_offset()  # the same position
    third = draw(shared)
    assert third != second
    assert draw(twin) == third
    other = torch.Generator("xpu:1")
    other.graphsafe_set_state(shared)
    fourth = draw(generator)
    assert draw(twin) == fourth
    assert other.get_offset() == generator.get_offset()
    generator.set_offset(4)
    assert draw(other) == second
    assert generator.seed() == generator.initial_seed() != 5
    for seed in (0, -1, 2**63, 2**64 - 1):
        assert generator.manual_seed(seed).initial_seed() == seed % 2**64
    for refused in (lambda: generator.set_offset(3), lambda: generator.set_state(torch.tensor([1] * 16).byte())):
        with pytest.raises(RuntimeError, match="offset is a multiple of 4, not"):
            refused()
    with pytest.raises(RuntimeError, match="takes the state of an xpu generator only"):
        generator.graphsafe_set_state(torch.Generator())
    with pytest.raises(RuntimeError, match=r"device index 9 is out of range"):
        torch.Generator("xpu:9")


def test_seeds_of_every_function() -> None:
    for seed in (3, -3, 2**63):
        torch.manual_seed(seed)
        assert torch.xpu.initial_seed() == torch.xpu.default_generators[1].initial_seed() == seed % 2**64
        torch.xpu.manual_seed_all(seed + 1)
        assert torch.xpu.default_generators[-1].initial_seed() == (seed + 1) % 2**64
        torch.xpu.manual_seed(seed)
        assert torch.xpu.initial_seed() == seed % 2**64
    assert torch.seed() == torch.xpu.initial_seed()
    assert torch.xpu.seed() == torch.xpu.initial_seed() != torch.xpu.default_generators[1].initial_seed()
    torch.xpu.seed_all()
    assert torch.xpu.initial_seed() == torch.xpu.default_generators[1].initial_seed()
    with pytest.raises(IndexError, match=r"^there is no device 5: torch\.xpu\.device_count\(\) is 2$"):
        torch.xpu.default_generators[5]
    with pytest.raises(RuntimeError, match="device index 2 is out of range"):
        torch.xpu.set_rng_state_all([torch.xpu.get_rng_state()] * 3)


@pytest.mark.parametrize(
    ("options", "kept"),
    [({}, (True, True)), ({"devices": ["xpu:1"]}, (False, True)), ({"devices": [torch.device("xpu:0")]}, (True, False)),
     ({"devices": [1, 0]}, (True, True)), ({"enabled": False}, (False, False))],
)  # fmt: skip
@pytest.mark.parametrize("name", ["xpu", "fl"])
@pytest.mark.filterwarnings("ignore:.*fork_rng without explicitly")  # torch's advice to name those that are used
def test_fork_rng_keeps_the_devices_that_it_is_given(name: str, options: dict, kept: tuple[bool, bool]) -> None:
    torch.manual_seed(2)
    before, host = torch.xpu.get_rng_state_all(), torch.get_rng_state()
    with pytest.raises(KeyError), torch.random.fork_rng(device_type=name, **options):
        _draw_everywhere_and_fail()
    after = torch.xpu.get_rng_state_all()
    assert tuple(torch.equal(a, b) for a, b in zip(before, after, strict=True)) == kept
    assert torch.equal(host, torch.get_rng_state()) == options.get("enabled", True)


def _draw_everywhere_and_fail() -> None:
    for device in ("cpu", "xpu:0", "xpu:1"):
        torch.rand(1, device=device)
    raise KeyError


def test_libraries_seed_the_device() -> None:
    import lightning
    import transformers
    from accelerate.utils import set_seed

    for seed, function in enumerate((set_seed, transformers.set_seed, lightning.seed_everything)):
        function(seed + 20)
        assert torch.xpu.initial_seed() == seed + 20
