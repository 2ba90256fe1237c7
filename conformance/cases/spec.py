"""What a case is, as plain data: importable without torch, identified by its content.

A :class:`SampleSpec` is one call of one op (shapes, how values are drawn, attributes). A :class:`CaseSpec` adds how
the call is made (variant, layouts, device) and what the profile promises about it. Two runs with the same seed give
the same ids, so that journals, waivers and shards can name a case.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

#: How a tensor lies in memory; implemented in ``cases/layouts.py``.
LAYOUTS = (
    "contiguous",
    "offset",  # contiguous, not at the storage's start
    "strided",  # a step of 2 inside a row, gaps between rows
    "padded",  # rows are contiguous, with gaps between them: a leading dimension
    "transposed",  # column-major
    "padded_transposed",  # column-major with a leading dimension
    "expanded",  # stride 0 in dimension 0
    "channels_last",
    "strides",  # as TensorSpec.strides says
)

#: The beginning of a fill that carries its values itself; see ``cases/given.py``.
GIVEN = "given:"

#: How an op is called.
VARIANTS = ("forward", "inplace", "out", "backward", "autocast")

#: What the profile promises: the chip's kernel, another layer, either (an empty tensor needs no kernel at all), or that
#: the chip's kernel refuses the call.
EXPECTATIONS = ("native", "fallback", "any", "refused")


@dataclass(frozen=True)
class TensorSpec:
    """One input: sizes, value recipe, memory layout; ``dtype`` only where it differs from the sample's.

    ``host`` is set for a 0-dim operand that stays on the CPU, as PyTorch allows beside device tensors. ``strides`` (in
    elements) belong to the layout of that name.
    """

    shape: tuple[int, ...]
    fill: str = "normal"
    layout: str = "contiguous"
    dtype: str = ""
    host: bool = False
    strides: tuple[int, ...] | None = None

    @property
    def numel(self) -> int:
        """Number of elements."""
        n = 1
        for size in self.shape:
            n *= size
        return n


@dataclass(frozen=True)
class SampleSpec:
    """One call: ``inputs`` in the order of ``OpSpec.inputs`` (None: an absent optional), ``attrs`` by schema name.

    ``exact`` marks a probe of integer values whose sums no accumulator can round: judged with tolerance zero.
    """

    op: str
    dtype: str
    inputs: tuple[TensorSpec | None, ...]
    attrs: tuple[tuple[str, Any], ...] = ()
    label: str = ""
    seed: int = 0
    exact: bool = False

    @property
    def numel(self) -> int:
        """Elements of all inputs together: a cheap measure of the sample's size."""
        return sum(t.numel for t in self.inputs if t is not None)

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits of the content."""
        return _digest(asdict(self))

    def with_layout(self, *layouts: str) -> SampleSpec:
        """The same call with other memory layouts, one per input (the last one repeats)."""
        chosen = [layouts[min(i, len(layouts) - 1)] for i in range(len(self.inputs))]
        inputs = tuple(
            None if t is None else replace(t, layout=layout) for t, layout in zip(self.inputs, chosen, strict=True)
        )
        return replace(self, inputs=inputs, label=f"{self.label} {'/'.join(layouts)}")


@dataclass(frozen=True)
class CaseSpec:
    """One executed case. ``purpose`` says which part of the suite asked for it; ``boundary`` names a probed limit.

    ``prove`` asks for the no-op proof; ``device`` is the chip's own index while device 0 is current; ``out_layout`` is
    the memory layout of the ``out=`` tensor.
    """

    sample: SampleSpec
    variant: str
    expect: str
    device: int = 0
    purpose: str = "values"
    boundary: str = ""
    prove: bool = False
    out_layout: str = "contiguous"

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits of the content; the expectation is part of it."""
        return _digest(asdict(self))

    @property
    def name(self) -> str:
        """Readable, unique only together with :attr:`id`."""
        device = f" device {self.device}" if self.device else ""
        boundary = f" [{self.boundary}]" if self.boundary else ""
        out = f" to {self.out_layout} out" if self.out_layout != "contiguous" else ""
        return f"{self.sample.op} {self.sample.dtype} {self.variant} {self.sample.label}{out}{device}{boundary}"


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def case_to_json(case: CaseSpec) -> dict[str, Any]:
    """Plain JSON of a case, with its id and name."""
    return {"id": case.id, "name": case.name, **asdict(case)}


def case_from_json(data: dict[str, Any]) -> CaseSpec:
    """The inverse of :func:`case_to_json`; lists become tuples again, so that the id is the same."""
    fields = {k: v for k, v in data.items() if k not in ("id", "name")}
    sample = dict(fields.pop("sample"))
    sample["inputs"] = tuple(None if t is None else _tensor_from_json(t) for t in sample["inputs"])
    sample["attrs"] = tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in sample["attrs"])
    return CaseSpec(sample=SampleSpec(**sample), **fields)


def _tensor_from_json(data: dict[str, Any]) -> TensorSpec:
    strides = data.get("strides")
    return TensorSpec(**{**data, "shape": tuple(data["shape"]), "strides": None if strides is None else tuple(strides)})
