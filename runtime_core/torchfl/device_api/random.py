"""Each device's generator, whose state is 16 bytes: seed and offset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from torchfl.device_api.common import Device, existing, loaded_core
from torchfl.device_api.devices import device_count


def _generator(device: Device = None) -> torch.Generator:
    generator: torch.Generator = loaded_core().default_generator(existing(device))
    return generator


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    _generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds every device's generator. Does not start the driver."""
    loaded_core().seed_all(int(seed) % (1 << 64))


def seed() -> int:
    """Seeds the current device's generator with a random number, and returns it."""
    return int(_generator().seed())


def seed_all() -> None:
    """Seeds every device's generator with one random number."""
    manual_seed_all(seed())


def initial_seed() -> int:
    """The current device's last seed."""
    return int(_generator().initial_seed())


def get_rng_state(device: Device = "xpu") -> torch.Tensor:
    """The generator's state: 16 bytes (seed, offset; each a native 64-bit integer) as a uint8 CPU tensor."""
    return _generator(device).get_state()


def set_rng_state(new_state: torch.Tensor, device: Device = "xpu") -> None:
    """Sets what :func:`get_rng_state` returned."""
    _generator(device).set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    """The state of every device's generator."""
    return [get_rng_state(i) for i in range(device_count())]


def set_rng_state_all(new_states: Sequence[torch.Tensor]) -> None:
    """Sets what :func:`get_rng_state_all` returned."""
    for i, state in enumerate(new_states):
        set_rng_state(state, i)


class _Generators(Sequence[torch.Generator]):
    """``default_generators``: counts devices only when it is looked at."""

    def __len__(self) -> int:
        return device_count()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no device {index}: torch.xpu.device_count() is {len(self)}")
        return _generator(index % len(self))

    def __iter__(self) -> Iterator[torch.Generator]:
        return (_generator(i) for i in range(len(self)))


default_generators: Sequence[torch.Generator] = _Generators()
