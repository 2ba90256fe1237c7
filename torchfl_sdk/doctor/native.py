"""Doctor's last check of a chip: one op through PyTorch, which must be counted as native and agree with CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torchfl.catalogue import OpSpec, get
from torchfl.profile import OpEntry, Profile
from torchfl_sdk.doctor.model import ERROR, OK, WARN, Check

#: Rules under which square matrices are valid inputs, the simplest first.
SQUARE_RULES = ("broadcast", "same", "mm", "addmm")
#: A multiple of the tile sizes that matmul constraints commonly name.
SIDE = 128


def one_op(profile: Profile, begin: Callable[[str], None]) -> Iterator[Check]:
    """Run the profile's simplest verified op on the first device. ``begin`` is told what is about to be entered."""
    probe = f"torchfl probe --device {profile.device_type} --write"
    choice = _simplest(profile)
    if choice is None:
        unverified = sum(e.provenance == "unverified" for e in profile.ops)
        if unverified:
            yield Check("native op", WARN, f"no op to try: {unverified} of {len(profile.ops)} are unverified", probe)
        else:
            yield Check("native op", WARN, "no op to try: none takes two square matrices or fewer", "")
        return
    entry, op = choice

    begin("loading torch and the core")
    import torch

    import torchfl

    torchfl.init([Path(profile.path).parent])
    device = torchfl.device(profile.device_type)
    dtype = getattr(torch, entry.dtype_support[0])
    base = torch.arange(SIDE * SIDE).reshape(SIDE, SIDE).remainder(3).add(1).to(dtype)
    inputs = [base.roll(i) for i in range(len(op.inputs))]
    function = _overload(torch, op.overload)

    begin(f"running {op.name}")
    on_chip = [t.to(device) for t in inputs]
    torchfl.reset_counters()
    actual = function(*on_chip)
    counted = torchfl.counters().get(op.overload)
    actual = actual.cpu()
    expected = function(*inputs)
    shown = f"{op.name} in {entry.dtype_support[0]}"
    if counted is None or counted.native != 1:
        reasons = "; ".join(r.reason for r in torchfl.fallback_reasons() if r.op in (op.name, op.overload))
        yield Check("native op", ERROR, f"{shown} did not run on the chip: {reasons or 'no reason recorded'}", probe)
    elif not torch.allclose(actual.double(), expected.double(), rtol=1e-2, atol=1e-2):
        # A smoke test: the gate judges numbers with a bound of its own.
        yield Check(
            "native op",
            ERROR,
            f"{shown} differs from CPU",
            f"torchfl conformance --device {profile.device_type} --ops {op.name}",
        )
    else:
        yield Check("native op", OK, f"{shown} runs on the chip and agrees with CPU")


def _simplest(profile: Profile) -> tuple[OpEntry, OpSpec] | None:
    usable = []
    for entry in profile.ops:
        op = get(entry.name)
        if op is None or op.shape_rule not in SQUARE_RULES or not entry.dtype_support:
            continue
        if entry.provenance != "unverified" and all(a.default is not None for a in op.attrs):
            usable.append((entry, op))
    return min(usable, key=lambda pair: (SQUARE_RULES.index(pair[1].shape_rule), pair[1].name), default=None)


def _overload(torch: Any, overload: str) -> Any:
    name, _, variant = overload.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, name), variant or "default")
