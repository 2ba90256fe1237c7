"""What a chip can do and its profile does not claim: information for whoever writes the profile, no failure.

Every boundary case that a profile leaves to another layer is asked of the chip's kernel too, past the profile's limits
and after the run, in a worker of its own: a kernel may well crash there, which is why the limit stands. What it gets
right is reported, with the line of the profile that would claim it. One right answer is no proof; the probe makes it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from torchfl_sdk.conformance.cases.expectation import entry_for
from torchfl_sdk.conformance.cases.spec import CaseSpec

from torchfl import catalogue
from torchfl.profile import OpEntry, Profile

_MOST_VALUES = 6  # of one variable, in a line


def to_ask(profile: Profile, cases: Iterable[CaseSpec]) -> tuple[CaseSpec, ...]:
    """The cases just outside the limits of an entry that routes, which its kernel may serve all the same."""
    entries = {op.name: entry_for(profile, op) for op in catalogue.OPS}
    served = {name for name, entry in entries.items() if entry is not None and entry.routes}
    return tuple(c for c in cases if c.purpose == "boundary" and c.expect == "fallback" and c.sample.op in served)


def lines(profile: Profile, kernels: Mapping[str, str], right: Iterable[CaseSpec]) -> tuple[str, ...]:
    """One line per thing left unclaimed. ``kernels``: op by kernel name, as the chip library's table has them;
    ``right``: the cases of :func:`to_ask` that the kernel got right."""
    return (*_unused(profile, kernels), *_beyond(profile, right))


def _unused(profile: Profile, kernels: Mapping[str, str]) -> list[str]:
    """Kernels that no entry and no fallback policy names."""
    policy = profile.fallback_policy
    used = {entry.impl for entry in profile.ops} | set(policy.default)
    used |= {layer for layers in policy.op_specific.values() for layer in layers}
    return [
        f"{op or 'an unnamed op'}: no entry uses kernel {name} of {profile.chip_library.name}; add to supported_ops: "
        f"- {{name: {op}, impl: {name}, provenance: unverified}}; then {_probe(profile)} "
        "(a skeleton waits until it is written)"
        for name, op in sorted(kernels.items())
        if name not in used
    ]


def _beyond(profile: Profile, right: Iterable[CaseSpec]) -> list[str]:
    dtypes: dict[str, dict[str, None]] = defaultdict(dict)
    values: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for case in right:
        variable, _, value = case.boundary.removesuffix(" outside").partition("=")
        entry = _entry(profile, case.sample.op)
        if case.sample.dtype in entry.dtype_support:
            values[case.sample.op, variable][value] = None
        elif not (entry.int8_zero_point and case.sample.dtype == "uint8"):  # whose bytes are int8 to such a kernel
            dtypes[case.sample.op][case.sample.dtype] = None
    found = []
    for op, more in sorted(dtypes.items()):
        support = ", ".join((*_entry(profile, op).dtype_support, *more))
        found.append(
            f"{op}: its kernel is right in {', '.join(more)} too, in the one call that was tried; dtype_support: "
            f"[{support}] and provenance: unverified; then {_probe(profile)}"
        )
    for (op, variable), seen in sorted(values.items()):
        shown = ", ".join(list(seen)[:_MOST_VALUES])
        found.append(
            f"{op}: its kernel is right at {variable} = {shown} too; take {variable} out of constraints and set "
            f"provenance: unverified; then {_probe(profile)}"
        )
    return found


def _entry(profile: Profile, op: str) -> OpEntry:
    spec = catalogue.get(op)
    entry = entry_for(profile, spec) if spec is not None else None
    assert entry is not None  # its cases are of ops that an entry serves
    return entry


def _probe(profile: Profile) -> str:
    return f"torchfl probe --device {profile.device_type} --write"
