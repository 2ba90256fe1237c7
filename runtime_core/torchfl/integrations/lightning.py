"""Lightning on our devices.

Lightning has a fixed list of accelerators, and of any other it neither picks the device nor sets autocast's. So it
takes an accelerator, a strategy and, for mixed precision, a plugin, which these functions give::

    from torchfl.integrations.lightning import fabric_arguments, trainer_arguments

    trainer = lightning.Trainer(max_epochs=3, **trainer_arguments(precision="bf16-mixed"))
    fabric = lightning.Fabric(**fabric_arguments())

One device; for several processes use torch.distributed.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import torch

from torchfl import device_module


def _our_device(device: Any) -> torch.device:
    made = torch.device("fl", device_module._get_device_index(device))
    if not 0 <= made.index < device_module.device_count():
        raise ValueError(f"there is no device {made.index}: torch.xpu.device_count() is {device_module.device_count()}")
    return made


class _Methods:
    """What the accelerator classes have in common, as Lightning calls it."""

    def setup_device(self, device: torch.device) -> None:
        """Makes the strategy's device current. Raises RuntimeError where that is not ours."""
        if device.type not in ("xpu", "fl"):
            raise RuntimeError(
                f"Lightning's strategy is for {device}, whatever the accelerator is: "
                "pass **torchfl.integrations.lightning.trainer_arguments() (fabric_arguments() to Fabric)"
            )
        device_module.set_device(device)

    def teardown(self) -> None:
        """Gives cached device memory back."""
        device_module.empty_cache()

    def get_device_stats(self, device: Any) -> dict[str, Any]:
        """Bytes of device memory, under torch's names; DeviceStatsMonitor logs them."""
        return dict(device_module.memory_stats(device))

    @staticmethod
    def parse_devices(devices: Any) -> list[int]:
        """Indices from a number of devices, indices, or names. Raises ValueError for a device that is not there."""
        if isinstance(devices, str):
            devices = [part for part in devices.split(",") if part.strip()]
            devices = int(devices[0]) if len(devices) == 1 and devices[0].strip().isdecimal() else devices
        if isinstance(devices, int):
            devices = range(device_module.device_count() if devices == -1 else devices)
        return [_our_device(int(d) if str(d).strip().isdecimal() else d).index for d in devices]

    @staticmethod
    def get_parallel_devices(devices: Sequence[int]) -> list[torch.device]:
        """The devices of these indices."""
        return [_our_device(index) for index in devices]

    @staticmethod
    def auto_device_count() -> int:
        """One: several devices need several processes."""
        return 1

    @staticmethod
    def is_available() -> bool:
        """Whether a device is usable. Starts the driver."""
        return device_module.is_available()

    @staticmethod
    def name() -> str:
        """The accelerator's name."""
        return "xpu"


@functools.cache
def accelerator_class(package: str = "lightning.pytorch") -> type[Any]:
    """The accelerator for ``package``: lightning.pytorch, lightning.fabric, pytorch_lightning or lightning_fabric."""
    base = importlib.import_module(f"{package}.accelerators").Accelerator
    return type("XPUAccelerator", (_Methods, base), {"__doc__": "Devices that torchfl drives.", "__module__": __name__})


def trainer_arguments(
    device: int | str | torch.device = 0, precision: str = "32-true", package: str = "lightning.pytorch"
) -> dict[str, Any]:
    """Arguments of ``lightning.Trainer`` for one device.

    ``precision`` is one of Lightning's words (``"32-true"``, ``"bf16-mixed"``, ``"16-mixed"``, ``"16-true"``...), given
    here and not to Trainer. Raises ValueError for a device that is not there.
    """
    where = _our_device(device)
    strategy = importlib.import_module(f"{package}.strategies").SingleDeviceStrategy
    accelerator = accelerator_class(package)()
    arguments = {"accelerator": accelerator, "strategy": strategy(device=where), "devices": [where.index]}
    if precision in ("16-mixed", "bf16-mixed"):  # Lightning's own choice is CUDA's autocast, which does nothing here
        mixed = importlib.import_module(f"{package}.plugins.precision").MixedPrecision
        scaler = torch.amp.GradScaler("xpu") if precision == "16-mixed" else None
        return {**arguments, "plugins": [mixed(precision, "xpu", scaler)]}
    return {**arguments, "precision": precision}


def fabric_arguments(
    device: int | str | torch.device = 0, precision: str = "32-true", package: str = "lightning.fabric"
) -> dict[str, Any]:
    """Arguments of ``lightning.Fabric`` for one device; as :func:`trainer_arguments`."""
    return trainer_arguments(device, precision, package)
