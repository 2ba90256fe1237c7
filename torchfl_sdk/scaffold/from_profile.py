"""``new-chip --from-profile``: a project from a hand-written profile, before there is a header.

The profile is taken as it is. Each of its ops gets a kernel with the right arguments and no vendor call: it says so
once on stderr, and every call is declined, counted, and served by the next layer. Until a header names the vendor's
runtime functions the device keeps its tensors in host memory.
"""

from __future__ import annotations

import io
import os
import shlex
from pathlib import Path

from ruamel.yaml import YAML

from torchfl import __version__, catalogue
from torchfl.errors import Place, Problem, TorchflError, register
from torchfl.profile import OpEntry, Profile, load_profile
from torchfl_sdk.match.model import MatchResult, StatusType
from torchfl_sdk.scaffold.assertions import Assertions
from torchfl_sdk.scaffold.device_plan import plan_device
from torchfl_sdk.scaffold.includes import Includes
from torchfl_sdk.scaffold.kernel_plan import Helpers, Kernel, flags_of, function_name
from torchfl_sdk.scaffold.names import identifier
from torchfl_sdk.scaffold.plan import ChipPlan, Entry, header_hash
from torchfl_sdk.scaffold.request import NewChipRequest

TFL0408 = register("TFL0408", "a hand-written profile that cannot become the project asked for")


def plan_from_profile(request: NewChipRequest, source: Path) -> ChipPlan:
    """The plan of a project from the profile ``source``; raises TorchflError for a profile that does not fit."""
    profile = load_profile(source)
    _check(request, source, profile)
    match = MatchResult((), (), StatusType("", ""), (), memory="host")
    known = sorted((op for op in profile.ops if catalogue.get(op.name)), key=lambda op: op.full_name)
    unknown = sorted(op.full_name for op in profile.ops if not catalogue.get(op.name))
    warnings = [f"{name} is not in torchfl's catalogue: no kernel for it" for name in unknown]
    return ChipPlan(
        name=request.name,
        ident=identifier(request.name),
        family=profile.family,
        vendor=profile.vendor,
        extends="",
        command=shlex.join(["torchfl", "new-chip", request.name, "--from-profile", str(source)]),
        torchfl_version=__version__,
        headers=(),
        include_dirs=(),
        defines=(),
        header_hash=header_hash((source,)),
        header_names=(source.name,),
        includes=Includes(),
        runtime_so=profile.runtime_so_texts,
        runtime_header=profile.runtime_header,
        driver_version="",
        match=match,
        entries=tuple(_entry(op) for op in known),
        kernels=tuple(_kernel(op) for op in _by_impl(known)),
        products=(),
        helpers=Helpers(),
        device=plan_device(match),
        assertions=Assertions((), (), (), ()),
        symbols=(),
        unbound=(),
        warnings=("no kernel calls the chip yet: each declines and says so once", *warnings),
        profile_text=_moved(source, request.out / request.name),
    )


def _check(request: NewChipRequest, source: Path, profile: Profile) -> None:
    problems = []
    place = Place(str(source))
    if profile.chip != request.name:
        cause = f"the profile is of {profile.device_type}, the project of {request.name}"
        problems.append(Problem(TFL0408, cause, f"torchfl new-chip {profile.chip}", place, "device_type"))
    impls: dict[str, str] = {}
    for op in profile.ops:
        if impls.setdefault(function_name(op.impl), op.name) != op.name:
            at = Place(op.origin.file, op.origin.line)
            cause = f"{op.impl} serves {impls[function_name(op.impl)]} already; their arguments differ"
            problems.append(Problem(TFL0408, cause, "one impl for each op", at, "supported_ops"))
    if problems:
        raise TorchflError(problems)


def _by_impl(ops: list[OpEntry]) -> list[OpEntry]:
    """One entry for each kernel: overloads of one op may share it."""
    return list({function_name(op.impl): op for op in ops}.values())


def _entry(op: OpEntry) -> Entry:
    return Entry(op.full_name, op.impl, op.dtype_support, (), op.layout, op.inplace, op.provenance, op.evidence, ())


def _kernel(op: OpEntry) -> Kernel:
    spec = catalogue.get(op.name)
    if spec is None:
        raise AssertionError(f"{op.name} was checked to be in the catalogue")
    return Kernel(
        impl=op.impl,
        op=op.name,
        function=function_name(op.impl),
        template="unwritten",
        sources=(f"{Path(op.origin.file).name}:{op.origin.line}: {', '.join(op.dtype_support)}",),
        symbols=(),
        flags=flags_of({"inplace": op.inplace, "broadcast": op.broadcast, "layout": op.layout}),
        inputs=tuple((name, i) for i, name in enumerate(spec.inputs)),
        attrs=tuple((a.name, i) for i, a in enumerate(spec.attrs)),
    )


def _moved(source: Path, project: Path) -> str:
    """The profile's text, with paths that are relative to its folder made relative to the project's."""
    text = source.read_text(encoding="utf-8")
    yaml = YAML()
    yaml.preserve_quotes = True
    document = yaml.load(text)

    def move(path: str) -> str:
        if path.startswith("$") or os.path.isabs(path):
            return path
        return os.path.relpath((source.parent / path).resolve(), project.resolve())

    changed = False
    for key in ("extends", "runtime_so", "chip_library"):
        value = document.get(key)
        if isinstance(value, list):
            new: object = [move(v) for v in value]
        elif isinstance(value, str) and (key == "extends" or "/" in value):
            new = move(value)
        else:
            continue
        if new != value:
            document[key] = new
            changed = True
    if not changed:
        return text
    out = io.StringIO()
    yaml.dump(document, out)
    return out.getvalue()
