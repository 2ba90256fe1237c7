"""The oracle's work on one execution: reference, bound, discrimination, comparison. Holds recent bounds by sample."""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases import autocast
from torchfl_sdk.conformance.cases.calling import call_all
from torchfl_sdk.conformance.cases.dtypes import torch_dtype
from torchfl_sdk.conformance.cases.layouts import flattened
from torchfl_sdk.conformance.cases.samples import Sample, materialise
from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.oracle.bounds import Bound, bound
from torchfl_sdk.conformance.oracle.compare import judge_against
from torchfl_sdk.conformance.oracle.discrimination import gradient_weakness, is_identity, weakness
from torchfl_sdk.conformance.oracle.gradients import backward, gradient_bounds, incoming
from torchfl_sdk.conformance.oracle.semantics import Semantics
from torchfl_sdk.conformance.report.pattern import read_pattern
from torchfl_sdk.conformance.runner.protocol import Execution, Judged, TensorData

from torchfl import catalogue

_CACHED = 64

NOT_REFUSED = (
    "an index outside its dimension gave a result instead of an error: the entry says checks_index, but the kernel "
    "does not check; without it torchfl looks at the values before each call"
)


@dataclasses.dataclass(frozen=True, eq=False)
class Expected:
    """Everything about a case that does not depend on the device."""

    sample: Sample
    bounds: tuple[Bound, ...]
    weakness: str
    unsupported_on_cpu: str


class Oracle:
    """``semantics`` by op name; ops that are not named have the default arithmetic."""

    def __init__(self, semantics: dict[str, Semantics]) -> None:
        self._semantics = semantics
        self._cache: OrderedDict[tuple[str, bool, str], Expected] = OrderedDict()

    def judge(self, case: CaseSpec, execution: Execution) -> Judged:
        """Compare what a device returned with what is right for the layer that served the call."""
        if case.expect == "refused":
            return _judged_refusal(execution)
        native = execution.native > 0
        expected = self.expected(case, native=native)
        judged = functools.partial(Judged, weakness=expected.weakness, unsupported_on_cpu=expected.unsupported_on_cpu)
        if execution.error_type:
            return judged(False, f"{execution.error_type}: {execution.error}")
        given, wanted = len(execution.outputs), len(expected.bounds)
        first_alone = native and case.variant in ("forward", "autocast") and not expected.sample.op.returns_all
        first_alone = first_alone and given == 1
        if given != wanted and not (first_alone and execution.first_output):
            hint = "; a profile whose kernel gives the first alone says first_output: true" if first_alone else ""
            return judged(False, f"{given} results instead of {wanted}{hint}")
        worst = 0.0
        for index, (output, limit) in enumerate(zip(execution.outputs, expected.bounds, strict=False)):
            actual = to_tensor(output)
            verdict = judge_against(limit, actual)
            worst = max(worst, verdict.worst)
            if not verdict.ok:
                which = f"gradient {index}: " if case.variant == "backward" else f"{sample_output(case, index)}"
                pattern = "" if case.variant == "backward" or index else read_pattern(expected.sample, limit, actual)
                return judged(False, which + verdict.reason, verdict.worst, pattern=pattern)
        return judged(True, worst=worst)

    def expected(self, case: CaseSpec, *, native: bool) -> Expected:
        """Reference and bounds of a case, served by the chip's kernel or by another layer."""
        key = (case.sample.id, native, case.variant if case.variant in ("backward", "autocast") else "forward")
        known = self._cache.get(key)
        if known is None:
            known = self._cache[key] = self._compute(case, native)
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return known

    def _compute(self, case: CaseSpec, native: bool) -> Expected:
        sample = materialise(case.sample)
        if case.variant == "autocast":
            sample = autocast.seen(sample)
        semantics = self._semantics.get(case.sample.op, Semantics()) if native else Semantics()
        if case.variant == "backward":
            bounds = tuple(gradient_bounds(sample, semantics))
        else:
            bounds = tuple(bound(sample, semantics, output) for output in range(len(sample.op.outputs)))
        ordinary, problem = _on_cpu(case, sample)
        if ordinary and case.variant == "backward":
            bounds = tuple(_widened(b, t) for b, t in zip(bounds, ordinary, strict=True))
        elif ordinary and not native:
            bounds = tuple(_also(b, t) for b, t in zip(bounds, ordinary, strict=True))
        if case.variant == "backward":
            weak = gradient_weakness(bounds)
        else:
            weak = weakness(bounds[0], sample.inputs, identity=is_identity(sample.op.name, sample.dtype))
        return Expected(sample, bounds, weak, problem)


def _on_cpu(case: CaseSpec, sample: Sample) -> tuple[list[torch.Tensor], str]:
    """torch's own CPU result in the case's dtype: what the fallback computes; or why the CPU cannot."""
    try:
        results = call_all(sample.op, sample.inputs, sample.attrs)
        if case.variant != "backward":
            return list(results), ""
        result = results[0]
        grad = incoming(sample, result.shape, str(result.dtype).removeprefix("torch."))
        return backward(sample.op, sample.inputs, sample.attrs, grad), ""
    except (RuntimeError, NotImplementedError) as error:
        return [], str(error).splitlines()[0]


def _judged_refusal(execution: Execution) -> Judged:
    """An error is right, and nothing else: there is no right result. That the same call with an index inside runs is
    another case."""
    return Judged(True) if execution.error_type else Judged(False, NOT_REFUSED)


def sample_output(case: CaseSpec, index: int) -> str:
    """Which result a judgement speaks of: "" for the first, else "indices: "."""
    op = catalogue.get(case.sample.op)
    return f"{op.outputs[index]}: " if op is not None and index else ""


def _also(limit: Bound, ordinary: torch.Tensor) -> Bound:
    """What torch's own CPU kernel gives is right too, where it serves the call."""
    if limit.exact:
        return limit
    return dataclasses.replace(limit, also=ordinary.to(torch.float64).numpy().astype(limit.reference.dtype))


def _widened(limit: Bound, ordinary: torch.Tensor) -> Bound:
    """A backward pass mixes layers: what torch's CPU kernels of the same dtype lose in it is allowed for."""
    difference = np.abs(ordinary.to(torch.float64).numpy() - limit.reference)
    return dataclasses.replace(
        limit, tolerance=limit.tolerance + 1.5 * np.where(np.isfinite(difference), difference, 0)
    )


def to_tensor(data: TensorData) -> torch.Tensor:
    """The tensor that a worker sent."""
    dtype = torch_dtype(data.dtype)
    if not data.data:
        return torch.empty(data.shape, dtype=dtype)
    return torch.frombuffer(bytearray(data.data), dtype=dtype).reshape(data.shape)


def to_data(tensor: torch.Tensor) -> TensorData:
    """A CPU tensor as it travels between processes."""
    flat = flattened(tensor.detach())
    raw: Any = flat.view(torch.uint8).numpy() if flat.numel() else np.empty(0, np.uint8)
    return TensorData(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), raw.tobytes())
