"""Runs cases on a device through torch, as a user's program does. Lives in the worker process.

Inputs travel as flat bases with poison around the view; the view is taken on the device. Memory that the result may
get is poisoned first, bases are compared bit by bit afterwards, and the case runs a second time over other poison: a
result that was not fully written differs then.
"""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from typing import Any

import torch
from torchfl_sdk.conformance.cases import autocast
from torchfl_sdk.conformance.cases.calling import call_all, output_dtypes
from torchfl_sdk.conformance.cases.dtypes import torch_dtype
from torchfl_sdk.conformance.cases.expectation import entry_for, output_shapes
from torchfl_sdk.conformance.cases.layouts import Laid, flattened, lay_out, poison
from torchfl_sdk.conformance.cases.samples import Sample, materialise
from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.oracle.gradients import backward, incoming
from torchfl_sdk.conformance.oracle.service import to_data
from torchfl_sdk.conformance.runner.poison import Poisoner
from torchfl_sdk.conformance.runner.protocol import ChipInfo, Execution
from torchfl_sdk.conformance.runner.symbols import kernel_ops, kernel_symbols

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.profile import Profile

_REASONS_SHOWN = 3
_REPEATS = 4
_ROUND_TRIP = 1 << 19  # floats: large enough that the core copies at once


@dataclass(eq=False)
class _Placed:
    """The operands of one run on the device. ``bases`` are None for absent and host operands."""

    inputs: list[torch.Tensor | None]
    bases: list[torch.Tensor | None]
    out: Laid | None = None
    out_base: torch.Tensor | None = None


class DeviceExecutor:
    """Made in the zygote: loads torch, the core and the chips, and touches no driver until :meth:`info`."""

    def __init__(self, selector: str, chip_dirs: list[str]) -> None:
        import torchfl

        self._torchfl: Any = torchfl
        self._selector = selector
        torchfl.init(chip_dirs=tuple(chip_dirs))
        self._kernels: dict[str, tuple[str, ...]] = {}
        self._profile: Profile = next(c for c in torchfl.chips() if c.selector == selector).profile
        self._poisoner = Poisoner(self._profile)
        self._ready = False

    def info(self) -> ChipInfo:
        """Bring the driver up. Raises where it is absent."""
        torch.set_num_threads(1)
        here = self._device(0)
        before = self._torchfl.symbol_calls(self._selector)
        probe = torch.arange(_ROUND_TRIP, dtype=torch.float32)
        if not torch.equal(probe.to(here).cpu(), probe):
            raise RuntimeError(f"{_ROUND_TRIP} floats copied to the device and back are not the same")
        after = self._torchfl.symbol_calls(self._selector)
        chip = next(c for c in self._torchfl.chips() if c.selector == self._selector)  # its devices are known only now
        if chip.num_devices < 1:
            raise RuntimeError(f"the driver came up, but reports {chip.num_devices} devices")
        runtime = {name for name, calls in after.items() if calls > before.get(name, 0)}
        runtime |= set(chip.profile.runtime.values())
        table = kernel_symbols(chip.profile.chip_library)
        self._kernels = {impl: tuple(n for n in names if n not in runtime) for impl, names in table.items()}
        self._ready = True
        versions = {
            "driver": chip.profile.driver_version or "not stated in the profile",
            "python": platform.python_version(),
            "torch": str(torch.__version__),
            "torchfl": self._torchfl.__version__,
        }
        name = chip.profile.chip_model or _device_name(here)
        return ChipInfo(chip.num_devices, self._kernels, versions, name, kernel_ops(chip.profile.chip_library))

    def run(self, case: CaseSpec) -> Execution:
        """Run one case. Errors of the op are part of the result; others propagate and end the worker."""
        if not self._ready:
            self.info()
        started = time.monotonic()
        sample = materialise(case.sample)
        if case.variant == "autocast":
            sample = autocast.operands(sample)
        torch.accelerator.set_device_index(self._device(0).index)
        entry = entry_for(self._profile, sample.op, case.variant)
        symbols = self._kernels.get(entry.impl, ()) if entry is not None else ()
        noop, bits = self._noop(case, sample, symbols) if case.prove else ("", None)
        placed = self._place(case, sample)
        counted, entered = _op_counts(self._torchfl, sample.op), self._torchfl.symbol_calls(self._selector)
        known = {(r.op, r.reason): r.count for r in self._torchfl.fallback_reasons()}
        try:
            results = self._call(case, sample, placed)
            host = [t.detach().cpu() for t in results]
        except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError) as error:
            return self._failed(error, symbols, entered, started)
        native, cpu, declined, layered = self._counted(sample.op, counted)
        after = self._torchfl.symbol_calls(self._selector)
        changed, damage = self._untouched(case, sample, placed)
        again = self._again(case, sample)
        repeated = _same_bits(again, host)
        if repeated and case.variant != "inplace" and not _same_bits(self._call_again(case, sample, placed), host):
            repeated = all(_same_bits(self._again(case, sample), host) for _ in range(_REPEATS))
            if repeated:  # always the same on fresh tensors, so that it is these tensors that are not what they were
                damage.append("a second call on the same tensors gives another result: their device memory was changed")
        if bits is not None:
            noop = "unchanged" if _same_bits(bits, host) else "changed"
        return Execution(
            outputs=tuple(to_data(t) for t in host),
            native=native,
            cpu=cpu,
            declined=declined,
            layered=layered,
            entered={name: after[name] - entered.get(name, 0) for name in symbols},
            changed_inputs=tuple(changed),
            damage=tuple(damage),
            differs=not repeated,
            noop=noop,
            noop_symbols=symbols if case.prove else (),
            first_output=entry is not None and entry.first_output,
            reasons=self._new_reasons(sample.op, known),
            seconds=round(time.monotonic() - started, 5),
        )

    def beyond(self, case: CaseSpec) -> Execution:
        """The kernel of the op's entry, without the profile's limits and without fallback."""
        if not self._ready:
            self.info()
        sample = materialise(case.sample)
        placed = self._place(case, sample)
        entry = entry_for(self._profile, sample.op)
        if entry is None:
            return Execution(error_type="UNSUPPORTED", error="no entry names a kernel")
        try:
            given = [placed.inputs] if sample.op.list_input else placed.inputs
            result = self._torchfl.run_kernel(self._selector, entry.impl, sample.op.overload, *given, **sample.attrs)
        except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError) as error:
            return Execution(error_type=type(error).__name__, error=str(error)[:500])
        if result.status != "OK":
            return Execution(error_type=result.status, error=result.error)
        outputs = result.output if isinstance(result.output, tuple) else (result.output,)
        return Execution(outputs=tuple(to_data(t.detach().cpu()) for t in outputs if t is not None), native=1)

    def _device(self, index: int) -> torch.device:
        found: torch.device = self._torchfl.device(f"{self._selector}:{index}" if index else self._selector)
        return found

    def _place(self, case: CaseSpec, sample: Sample, again: bool = False) -> _Placed:
        device = self._device(case.device)
        inputs: list[torch.Tensor | None] = []
        bases: list[torch.Tensor | None] = []
        for laid, spec in zip(sample.laid, case.sample.inputs, strict=True):
            if laid is None or spec is None or spec.host:
                inputs.append(None if laid is None else laid.view(laid.base.clone()))
                bases.append(None)
                continue
            base = laid.base.to(device)
            bases.append(base)
            inputs.append(laid.view(base))
        placed = _Placed(inputs, bases)
        shape = _result_shape(sample)
        dtype = torch_dtype(output_dtypes(sample.op, sample.inputs, sample.attrs)[0])
        if case.variant == "out":
            placed.out = lay_out(torch.full(shape, poison(dtype), dtype=dtype), case.out_layout)
            placed.out_base = placed.out.base.to(device)
        self._poisoner.spread(shape, dtype, device, other=again)
        return placed

    def _call(self, case: CaseSpec, sample: Sample, placed: _Placed) -> list[torch.Tensor]:
        if case.variant == "backward":
            shape, dtype = _result_shape(sample), output_dtypes(sample.op, sample.inputs, sample.attrs)[0]
            grad = incoming(sample, shape, dtype).to(self._device(case.device))
            return backward(sample.op, placed.inputs, sample.attrs, grad)
        if case.variant == "autocast":
            with torch.autocast(self._device(0).type, torch_dtype(autocast.region_dtype(case.sample.dtype))):
                return list(call_all(sample.op, placed.inputs, sample.attrs))
        out = None if placed.out is None or placed.out_base is None else placed.out.view(placed.out_base)
        return list(call_all(sample.op, placed.inputs, sample.attrs, case.variant, out))

    def _noop(self, case: CaseSpec, sample: Sample, symbols: tuple[str, ...]) -> tuple[str, list[torch.Tensor] | None]:
        """The result while the vendor's functions do nothing. Made before the first real run of these inputs, so that
        no freed buffer can hold the right answer."""
        if not symbols:
            return "raised: no vendor function is bound to the kernel", None
        placed = self._place(case, sample)
        try:
            with self._torchfl.noop_symbols(self._selector, list(symbols)):
                results = self._call(case, sample, placed)
            return "", [t.detach().cpu() for t in results]
        except (RuntimeError, NotImplementedError) as error:
            return f"raised: {error}".splitlines()[0], None

    def _again(self, case: CaseSpec, sample: Sample) -> list[torch.Tensor]:
        return [t.detach().cpu() for t in self._call(case, sample, self._place(case, sample, again=True))]

    def _call_again(self, case: CaseSpec, sample: Sample, placed: _Placed) -> list[torch.Tensor]:
        """Once more on the same tensors. The core keeps a host copy of an input that a kernel only reads, so that
        comparing it shows nothing of what the kernel did to the device's memory; another call does."""
        return [t.detach().cpu() for t in self._call(case, sample, placed)]

    def _untouched(self, case: CaseSpec, sample: Sample, placed: _Placed) -> tuple[list[int], list[str]]:
        """Inputs whose memory changed, and what was written outside a destination's view."""
        changed, damage = [], []
        for i, (laid, base) in enumerate(zip(sample.laid, placed.bases, strict=True)):
            if laid is None or base is None:
                continue
            now = base.cpu()
            if case.variant == "inplace" and i == 0:
                if not _same_outside(laid, now):
                    damage.append("memory around the in-place operand's view was written")
            elif not _same_bits([now], [laid.base]):
                changed.append(i)
        if (
            placed.out is not None
            and placed.out_base is not None
            and not _same_outside(placed.out, placed.out_base.cpu())
        ):
            damage.append("memory around the out= tensor's view was written")
        return changed, damage

    def _failed(self, error: Exception, symbols: tuple[str, ...], entered: dict[str, int], started: float) -> Execution:
        after = self._torchfl.symbol_calls(self._selector)
        return Execution(
            error_type=type(error).__name__,
            error=str(error).split("\n\n")[0][:500],
            entered={name: after[name] - entered.get(name, 0) for name in symbols},
            seconds=round(time.monotonic() - started, 5),
        )

    def _counted(self, op: OpSpec, before: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(now - then for now, then in zip(_op_counts(self._torchfl, op), before, strict=True))

    def _new_reasons(self, op: OpSpec, known: dict[tuple[str, str], int]) -> tuple[str, ...]:
        found = [
            r.reason
            for r in self._torchfl.fallback_reasons()
            if r.count > known.get((r.op, r.reason), 0) and catalogue.by_overload(r.op) is op
        ]
        return tuple(found[:_REASONS_SHOWN])


def _device_name(device: torch.device) -> str:
    """What the driver calls it; "" where it does not say."""
    try:
        return str(torch.xpu.get_device_name(device))
    except (RuntimeError, NotImplementedError):
        return ""


def _op_counts(torchfl: Any, op: OpSpec) -> tuple[int, ...]:
    """(native, cpu, declined, layered) over all overloads of an op."""
    rows = [counts for overload, counts in torchfl.counters().items() if catalogue.by_overload(overload) is op]
    kinds = (("native",), ("cpu",), ("declined",), ("decomposed", "op_specific"))
    return tuple(sum(getattr(row, name) for row in rows for name in names) for names in kinds)


def _result_shape(sample: Sample) -> tuple[int, ...]:
    shapes = [None if t is None else tuple(t.shape) for t in sample.inputs]
    attrs = {a.name: sample.attrs.get(a.name, a.default) for a in sample.op.attrs}
    return output_shapes(sample.op, shapes, attrs)[0]


def _same_bits(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return len(a) == len(b) and all(
        x.shape == y.shape and x.dtype == y.dtype and torch.equal(_bits(x), _bits(y)) for x, y in zip(a, b, strict=True)
    )


def _bits(t: torch.Tensor) -> torch.Tensor:
    flat = flattened(t.detach())
    return flat.view(torch.uint8) if flat.numel() else flat


def _same_outside(laid: Laid, now: torch.Tensor) -> bool:
    """Whether a base still holds its poison everywhere outside the view."""
    inside = torch.zeros(laid.base.numel(), dtype=torch.bool)
    inside.as_strided(laid.sizes, laid.strides, laid.offset).fill_(True)
    return _same_bits([now[~inside]], [laid.base[~inside]])
