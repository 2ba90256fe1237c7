"""The list of all cases of a run, made before anything runs, from the profile, the level and a seed alone."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchfl_sdk.conformance.boundaries import boundary_samples, outside_samples
from torchfl_sdk.conformance.cases import variants
from torchfl_sdk.conformance.cases.expectation import entries_of, expectation
from torchfl_sdk.conformance.cases.recipes import specs
from torchfl_sdk.conformance.cases.spec import CaseSpec, SampleSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.profile import OpEntry, Profile

_OTHER_FORMS = 3  # of the recorded samples of an op in a dtype


@dataclass(frozen=True)
class Selection:
    """What is asked for. Empty ``ops`` and ``dtypes`` mean all; ``num_devices`` is what the chip reports."""

    level: str = "quick"
    seed: int = 0
    ops: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    num_devices: int = 1

    def wants(self, op: str, dtype: str) -> bool:
        """Whether an op in a dtype is part of the run."""
        return (not self.ops or op in self.ops) and (not self.dtypes or dtype in self.dtypes)


def plan(
    profile: Profile, selection: Selection, recorded: Sequence[tuple[str, SampleSpec]] = ()
) -> tuple[CaseSpec, ...]:
    """Every case, each once, an op's cases together. Deterministic.

    ``recorded``: (variant, sample) from PyTorch's own samples, as :func:`cases.recorded.recorded_samples` gives them.
    """
    found: dict[str, CaseSpec] = {}
    for op in catalogue.OPS:
        for case in _cases_of(profile, op, [e for e in entries_of(profile, op) if e.routes], selection):
            if selection.wants(op.name, case.sample.dtype):
                found.setdefault(case.id, case)
        for case in _recorded(op, [(variant, sample) for variant, sample in recorded if sample.op == op.name]):
            case = _expecting(profile, case)
            found.setdefault(case.id, case)
    return tuple(found.values())


def manifest_hash(cases: tuple[CaseSpec, ...]) -> str:
    """sha256 over the ids in order."""
    return hashlib.sha256(json.dumps([case.id for case in cases]).encode()).hexdigest()


def _cases_of(profile: Profile, op: OpSpec, entries: Sequence[OpEntry], selection: Selection) -> Iterator[CaseSpec]:
    if not entries:
        for dtype in op.dtypes[: 1 if selection.level == "quick" else 2]:
            for sample in specs(op, dtype, selection.seed, "probe"):
                yield CaseSpec(sample, "forward", "fallback", purpose="fallback")
        return
    for dtype in dict.fromkeys(dtype for entry in entries for dtype in entry.dtype_support):
        for case in _supported(op, dtype, selection, _ordinary(profile, entries, op, dtype, selection.seed)):
            yield _expecting(profile, case)
    for entry in entries:
        for boundary, sample in boundary_samples(entry, selection.seed, selection.level):
            yield _expecting(profile, CaseSpec(sample, "forward", "any", purpose="boundary", boundary=boundary))
    for entry in entries:
        yield from _refused(profile, op, entry, selection.seed)


def _refused(profile: Profile, op: OpSpec, entry: OpEntry, seed: int) -> Iterator[CaseSpec]:
    """Calls with an index outside its dimension, of an entry that leaves the check to the kernel. They come last: a
    kernel that does not check may have written anywhere."""
    for dtype in entry.dtype_support if entry.checks_index else ():
        base = _ordinary(profile, [entry], op, dtype, seed)
        if expectation(profile, base).layer == "native":
            for boundary, sample in outside_samples(op, base):
                yield CaseSpec(sample, "forward", "refused", purpose="boundary", boundary=boundary)


def _expecting(profile: Profile, case: CaseSpec) -> CaseSpec:
    layer = expectation(profile, case.sample, case.variant).layer
    return CaseSpec(
        case.sample, case.variant, layer, case.device, case.purpose, case.boundary, case.prove and layer == "native",
        case.out_layout,
    )  # fmt: skip


def _ordinary(profile: Profile, entries: Sequence[OpEntry], op: OpSpec, dtype: str, seed: int) -> SampleSpec:
    """The sample that every form of a call is tried with: the usual one, or if the limits exclude it, one inside."""
    usual = next(iter(specs(op, dtype, seed, "probe")))
    inside = (s for entry in entries for _, s in boundary_samples(entry, seed, "quick") if s.dtype == dtype)
    return next((s for s in (usual, *inside) if expectation(profile, s).layer == "native"), usual)


def _supported(op: OpSpec, dtype: str, selection: Selection, base: SampleSpec) -> Iterator[CaseSpec]:
    seed, level = selection.seed, selection.level
    yield CaseSpec(base, "forward", "native", prove=True)
    for sample in specs(op, dtype, seed, level):
        if sample != base:
            yield CaseSpec(sample, "forward", "native")
    for sample in variants.layouts(op, base, level):
        yield CaseSpec(sample, "forward", "native", purpose="layout")
    for sample in variants.inplace_samples(op, base, level):
        if variants.takes_result(op, sample):
            yield CaseSpec(sample, "inplace", "native", purpose="variant", prove=level == "release")
    yield from _out(op, base, level)
    if variants.differentiable(op, dtype):
        yield from _backward(op, dtype, base, selection)
    if variants.autocast(op, dtype):
        yield CaseSpec(base, "autocast", "native", purpose="variant")
    for sample in variants.empty(op, base, level):
        yield CaseSpec(sample, "forward", "any", purpose="empty")
    for device in range(1, selection.num_devices):
        yield CaseSpec(base, "forward", "native", device=device, purpose="device")
        if level == "release" and variants.takes_result(op, base):
            yield CaseSpec(base, "inplace", "native", device=device, purpose="device")


def _recorded(op: OpSpec, samples: Sequence[tuple[str, SampleSpec]]) -> Iterator[CaseSpec]:
    """Each as it was called; of each dtype the first functional ones also backward, with out= and in place."""
    seen: Counter[str] = Counter()
    for variant, sample in samples:
        yield CaseSpec(sample, variant, "any", purpose="op_db")
        one_dtype = all(t is None or t.dtype in ("", sample.dtype) for t in sample.inputs)
        if variant != "forward" or sample.numel == 0 or not one_dtype:
            continue
        seen[sample.dtype] += 1
        if seen[sample.dtype] > _OTHER_FORMS:
            continue
        if op.out:
            yield CaseSpec(sample, "out", "any", purpose="op_db")
        if variants.takes_result(op, sample) and 0 not in (getattr(sample.inputs[0], "strides", None) or ()):
            yield CaseSpec(sample, "inplace", "any", purpose="op_db")
        if variants.differentiable(op, sample.dtype):
            yield CaseSpec(sample, "backward", "any", purpose="op_db")


def _out(op: OpSpec, base: SampleSpec, level: str) -> Iterator[CaseSpec]:
    if not op.out:
        return
    yield CaseSpec(base, "out", "native", purpose="variant", prove=level == "release")
    for layout in ("offset", "strided", "transposed")[: 3 if level == "release" else 2]:
        yield CaseSpec(base, "out", "native", purpose="variant", out_layout=layout)


def _backward(op: OpSpec, dtype: str, base: SampleSpec, selection: Selection) -> Iterator[CaseSpec]:
    yield CaseSpec(base, "backward", "native", purpose="variant")
    if selection.level != "release":
        return
    for sample in specs(op, dtype, selection.seed, "quick"):
        if not sample.exact and "special" not in sample.label and "NaN" not in sample.label:
            yield CaseSpec(sample, "backward", "native", purpose="variant")
