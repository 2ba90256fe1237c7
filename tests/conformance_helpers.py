"""A chip without hardware for the gate's own tests: an executor that computes on the CPU and misbehaves on request.

It runs in the same processes as the real one. ``TORCHFL_TEST_FAULTS`` (JSON) maps a fault to a part of a case's name:
crash, abort, exit, hang, raise, wrong, host, fallback, decline, unentered, changes_input, flaky, outside, unchecked.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import torch
from torchfl_sdk.conformance.cases.calling import call, call_all
from torchfl_sdk.conformance.cases.samples import Sample, materialise
from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.oracle.gradients import backward, incoming
from torchfl_sdk.conformance.oracle.service import to_data
from torchfl_sdk.conformance.runner.protocol import ChipInfo, Execution

#: Where a worker finds the chip.
EXECUTOR = "conformance_helpers:FakeExecutor"

PROFILE = """\
device_type: xpu:fake
vendor: Nobody
chip_model: Fake
driver_version: "1"
runtime_so: libfake.so
supported_ops:
  - {name: aten::add, impl: fake_add, dtype_support: [float32, int8], constraints: {alpha: [1]}}
  - {name: aten::relu, impl: fake_relu, dtype_support: [float32]}
  - {name: aten::mm, impl: fake_mm, dtype_support: [float32], constraints: {K: {max: 2048}}}
"""


#: Kernel to op, as the fake chip library's table would have it.
KERNELS = {"fake_add": "aten::add", "fake_relu": "aten::relu", "fake_mm": "aten::mm", "fake_neg": "aten::neg"}


def fake_chip(folder: Path, profile: str = PROFILE) -> Path:
    """A folder that holds the fake chip's profile and a file where its library would be."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fake_device.yaml").write_text(profile)
    (folder / "libfake_chip.so").write_bytes(b"not loaded by the fake executor")
    return folder


class FakeExecutor:
    """See the module's docstring."""

    def __init__(self, selector: str, chip_dirs: list[str]) -> None:
        self._faults: dict[str, str] = json.loads(os.environ.get("TORCHFL_TEST_FAULTS", "{}"))

    def info(self) -> ChipInfo:
        if "driver" in self._faults:
            raise RuntimeError(self._faults["driver"])
        if "driver_crash" in self._faults:
            os.kill(os.getpid(), signal.SIGSEGV)
        return ChipInfo(2, {"fake_add": ("fake_add_f32",)}, {"torch": str(torch.__version__)}, "Fake", KERNELS)

    def beyond(self, case: CaseSpec) -> Execution:
        """Right in float16, and at alpha 2; the profile claims neither. Brings its process down where asked to."""
        fault = next((name for name, part in self._faults.items() if name == "beyond_crash" and part in case.name), "")
        if fault:
            os.kill(os.getpid(), signal.SIGSEGV)
        sample = materialise(case.sample)
        if case.sample.dtype not in ("float32", "float16", "int8"):
            return Execution(error_type="UNSUPPORTED", error="no such dtype")
        return Execution(outputs=tuple(to_data(t) for t in _right(case, sample)), native=1)

    def run(self, case: CaseSpec) -> Execution:
        fault = next((name for name, part in self._faults.items() if part in case.name), "")
        if fault == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if fault == "abort":
            os.abort()
        if fault == "exit":
            os._exit(3)
        if fault == "hang":
            time.sleep(3600)
        sample = materialise(case.sample)
        if fault == "raise":
            return Execution(error_type="RuntimeError", error="x1_add: device error")
        if case.expect == "refused":
            return _at_index(sample, unchecked=fault == "unchecked")
        try:
            results = _right(case, sample)
        except (RuntimeError, NotImplementedError) as error:
            return Execution(error_type="UnsupportedOpError", error=str(error))
        if fault == "wrong":
            results = [t.clone() for t in results]
            results[0].reshape(-1)[-1] = 0
        native = case.expect == "native"
        execution = Execution(
            outputs=tuple(to_data(t) for t in results),
            native=int(native),
            cpu=int(not native),
            entered={"fake_symbol": int(native)},
            noop="changed" if case.prove else "",
            noop_symbols=("fake_symbol",),
        )
        if fault == "host" and not case.prove:
            return execution
        return dataclasses.replace(execution, **_CHANGES.get(fault, {}))


_CHANGES: dict[str, dict[str, Any]] = {
    "host": {"noop": "unchanged"},
    "fallback": {"native": 0, "cpu": 1, "entered": {"fake_symbol": 0}, "reasons": ("no kernel",)},
    "decline": {"declined": 1, "cpu": 1, "native": 0},
    "unentered": {"entered": {"fake_symbol": 0}},
    "changes_input": {"changed_inputs": (1,)},
    "flaky": {"differs": True},
    "outside": {"entered": {"fake_symbol": 2}},
}


def _at_index(sample: Sample, *, unchecked: bool) -> Execution:
    """A call with an index outside its dimension: refused, or served with the nearest place inside."""
    entered = {"fake_symbol": 1}
    if not unchecked:
        return Execution(error_type="RuntimeError", error="fake_take: index outside", entered=entered)
    table, index = sample.inputs
    taken = call(sample.op, [table, index.clamp(0, table.shape[0] - 1)], sample.attrs)
    return Execution(outputs=(to_data(taken),), native=1, entered=entered)


def _right(case: CaseSpec, sample: Any) -> list[torch.Tensor]:
    if case.variant != "backward":
        return list(call_all(sample.op, sample.inputs, sample.attrs))
    result = call(sample.op, sample.inputs, sample.attrs)
    grad = incoming(sample, result.shape, str(result.dtype).removeprefix("torch."))
    return backward(sample.op, sample.inputs, sample.attrs, grad)
