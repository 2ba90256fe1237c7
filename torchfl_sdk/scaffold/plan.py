"""From what the matcher found to everything the templates need: one frozen :class:`ChipPlan`.

No decision is left to the templates and none to the disk: the same request, header and matcher give the same plan.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from torchfl import __version__, catalogue
from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.header.paths import above, searched
from torchfl_sdk.match.model import Binding, Call, MatchResult, OpMatch, Question, Unbound
from torchfl_sdk.scaffold.assertions import Assertions, plan_assertions
from torchfl_sdk.scaffold.binding_plan import plan_binding
from torchfl_sdk.scaffold.classes.kept import with_statics
from torchfl_sdk.scaffold.device_plan import DevicePlan, plan_device, release_objects
from torchfl_sdk.scaffold.gemm import Product
from torchfl_sdk.scaffold.includes import MISSING, Includes, plan_includes
from torchfl_sdk.scaffold.integers import left_open
from torchfl_sdk.scaffold.kernel_plan import Helpers, Kernel, NotGenerated
from torchfl_sdk.scaffold.merge.drift import HeaderFacts, facts
from torchfl_sdk.scaffold.names import CXX_RESERVED, identifier
from torchfl_sdk.scaffold.request import BoundOp, NewChipRequest
from torchfl_sdk.scaffold.skeletons import plan_skeletons, with_reasons
from torchfl_sdk.scaffold.slack import with_slack
from torchfl_sdk.scaffold.styles import Extra, Ground, plan_styles
from torchfl_sdk.scaffold.styles.tables import table_of
from torchfl_sdk.scaffold.symbols import VendorSymbol, plan_symbols
from torchfl_sdk.scaffold.wants import Wants, wants

#: In the order in which a version is written.
_VERSION_PARTS = ("MAJOR", "MINOR", "PATCH")


@dataclass(frozen=True)
class Entry:
    """One entry of the profile's ``supported_ops``."""

    name: str
    impl: str
    dtypes: tuple[str, ...]
    constraints: tuple[tuple[str, tuple[int | float | str, ...]], ...]
    layout: str
    inplace: bool
    provenance: str
    evidence: tuple[str, ...]
    unverified: tuple[str, ...]
    broadcast: bool = False
    first_output: bool = False
    multiples: tuple[tuple[str, int], ...] = ()  # further constraints: variable -> multiple_of
    alignment: int = 0
    int8_zero_point: int = 0

    @property
    def pad(self) -> bool:
        """Sizes that must be multiples are rounded up with zeros, where the router can do that."""
        return bool(self.multiples)

    @property
    def limits(self) -> tuple[tuple[str, tuple[int | float | str, ...] | dict[str, int]], ...]:
        """The entry's constraints as the profile writes them."""
        return (*self.constraints, *((v, {"multiple_of": n}) for v, n in self.multiples))


@dataclass(frozen=True)
class ChipPlan:
    """A chip project, ready to render. Paths are as the project's files write them."""

    name: str
    ident: str
    family: str
    vendor: str
    extends: str
    command: str
    torchfl_version: str
    headers: tuple[str, ...]  # as #include names
    include_dirs: tuple[str, ...]  # as CMake paths
    defines: tuple[str, ...]
    header_hash: str
    header_names: tuple[str, ...]
    includes: Includes  # what stands around their #include
    runtime_so: tuple[str, ...]
    runtime_header: str
    driver_version: str  # as the header states it, or ""
    match: MatchResult
    entries: tuple[Entry, ...]
    kernels: tuple[Kernel, ...]
    products: tuple[Product, ...]
    helpers: Helpers
    device: DevicePlan
    assertions: Assertions
    symbols: tuple[VendorSymbol, ...]
    unbound: tuple[Unbound, ...]
    warnings: tuple[str, ...]
    profile_text: str = ""  # a hand-written profile, which takes the place of the template's
    definitions: tuple[str, ...] = ()  # C++ that kernels share, as their styles wrote it
    facts: HeaderFacts = field(default_factory=HeaderFacts)
    standard: int = 17  # of C++
    left_out: tuple[str, ...] = ()  # ops and kernels that a person took out of the project
    added: tuple[Kernel, ...] = ()  # kernels that a person put into the project
    completed: tuple[str, ...] = ()  # ops whose skeleton a person wrote

    @property
    def unfinished(self) -> tuple[OpMatch, ...]:
        """Functions whose op is known, and for which no kernel was written: what a person could add."""
        served = {s for k in self.kernels if k.template not in ("objects", "skeleton") for s in k.symbols}
        return tuple(m for m in self.match.matches if not m.complete and m.function not in served)

    @property
    def bound(self) -> tuple[BoundOp, ...]:
        """The profile's entries with the functions behind them, for the summary."""
        functions = {k.impl: k.called or k.symbols for k in self.kernels}
        return tuple(BoundOp(e.name, e.impl, functions[e.impl], e.provenance, e.evidence) for e in self.entries)


def _with_numbers(match: MatchResult, model: HeaderModel) -> MatchResult:
    """The same, where functions give numbers of tensors as they give a status: then errors are negative."""
    table = table_of(model) if match.memory == "host" else None
    if table is None or (match.status.ctype, match.status.success) != (table.ctype, "0"):
        return match
    return replace(match, status=replace(match.status, negative=True))


def _threads_own(match: MatchResult) -> MatchResult:
    """The same, where streams that only their use told are objects that each thread has one of, like a handle: the
    device's queue need not be of their type, and kernels wait for what runs in their own."""
    return replace(match, matches=tuple(
        replace(m, arguments=tuple((a, dict(m.by_use).get(a, role)) for a, role in m.arguments))
        if m.by_use else m for m in match.matches))  # fmt: skip


def plan_chip(request: NewChipRequest, model: HeaderModel, match: MatchResult) -> ChipPlan:
    """Everything that is written for ``request``; reads the headers' bytes for their hash, and nothing else."""
    project = request.out / request.name
    match = _threads_own(_with_numbers(match, model))
    helpers, products = Helpers(), dict[tuple[str, ...], Product]()
    kernels: list[Kernel] = []
    entries: list[Entry] = []
    refused: list[Unbound] = []
    questions: list[Question] = []
    for binding in _distinct_impls(match.bindings):
        op = catalogue.get(binding.op)
        if op is None:
            raise AssertionError(f"the matcher bound {binding.op}, which the catalogue does not have")
        attempt = helpers.copy()
        wanted = _wants(model, op, binding)
        try:
            nhwc = bool(wanted.layout)
            kernel = plan_binding(binding, op, match.status, attempt, products, _placer(model), nhwc=nhwc)
        except NotGenerated as e:
            refused += [Unbound(c.function, f"looks like {binding.op}, but {e}", c.source) for c in binding.calls]
            continue
        helpers = attempt
        kernels.append(kernel)
        entries.append(_entry(binding, op, model, wanted))
        questions += wanted.questions
    device = with_slack(plan_device(match, model), model)
    bound = tuple(b for b in match.bindings if b.op in {k.op for k in kernels})
    planned = frozenset(k.op for k in kernels)
    extras, lacking = plan_styles(
        Ground(with_statics(model), match, device, bound, tuple(products.values()), planned, helpers)
    )
    if any("torchfl::Kept" in text for e in extras for text in e.helpers):
        device = release_objects(device)
    kernels += [e.kernel for e in extras]
    entries += [_extra_entry(e, model) for e in extras]
    if extras:  # the matcher's own are in order
        kernels.sort(key=lambda k: k.op)
        entries.sort(key=lambda e: e.name)
    completed = {id(m) for e in extras for m in e.matches}
    match = replace(match, open_questions=_with_questions(match.open_questions, questions))
    match = with_reasons(match, lacking, completed, frozenset(k.op for k in kernels))
    final = {(x.match.function, x.match.aten) for x in lacking if x.final}
    skeletons = list(plan_skeletons(model, match, kernels, final))
    refused += [Unbound(x.match.function, f"matched {x.match.aten}; {x.why}", x.match.source) for x in lacking]
    served = {s for k in kernels for s in (*k.symbols, *k.support)}
    unbound = _unique([*match.unbound, *refused], served | set(device.symbols))
    kernels += skeletons
    used = sorted(served | set(device.symbols) | {s for k in skeletons for s in k.symbols})
    runtime_so, warnings = _runtime_so(request)
    return ChipPlan(
        name=request.name,
        ident=identifier(request.name),
        family=request.family,
        vendor=request.vendor,
        extends=relative(request.extends, project) if request.extends else "",
        command=_command(request),
        torchfl_version=__version__,
        headers=tuple(h.name for h in request.headers),
        include_dirs=_include_dirs(request, model, project),
        defines=model.defines,
        header_hash=header_hash(request.headers),
        header_names=tuple(h.name for h in request.headers),
        includes=plan_includes(model, [k.function for k in kernels]),
        runtime_so=runtime_so,
        runtime_header=relative(request.headers[0], project),
        driver_version=stated_version(model),
        match=match,
        entries=tuple(entries),
        kernels=tuple(kernels),
        products=(*products.values(), *(p for e in extras for p in e.products)),
        helpers=helpers,
        definitions=tuple(dict.fromkeys(text for e in extras for text in e.helpers)),
        device=device,
        assertions=plan_assertions(model, match, frozenset(used)),
        symbols=plan_symbols(with_statics(model), match, used, {s.name: s for e in extras for s in e.members}),
        unbound=unbound,
        warnings=(
            *warnings,
            *_not_eager(match, entries),
            *_host_memory(device, unbound),
            *dict.fromkeys(x.advice for x in lacking if x.advice),
        ),
        facts=facts(model),
        standard=model.standard,
    )


def _not_eager(match: MatchResult, entries: Sequence[Entry]) -> Iterable[str]:
    """Why no op of the header can run when PyTorch calls it, and what would help, where that is so of all of them."""
    if not match.eager.usable and not entries:
        yield f"no op of the header runs at once: {match.eager.reason}; {match.eager.offer}"


_OF_MEMORY = re.compile(r"named like the runtime role (?:malloc|free|memcpy\w*)\b")


def _host_memory(device: DevicePlan, unbound: Iterable[Unbound]) -> Iterable[str]:
    """What to doubt where the vendor's functions are given the host's memory for want of any that reserve another."""
    found = [u.function for u in unbound if _OF_MEMORY.match(u.reason)] if device.host_memory else []
    if found:
        yield (
            f"the vendor's functions are given the host's own memory, although {', '.join(found)} look as if the "
            "device had another: README.md says why no call of them was written, and kernels may crash on host memory"
        )


def stated_version(model: HeaderModel) -> str:
    """ "1.2.0" of ``#define ACME_VERSION_MAJOR 1`` and its like; "" where the header has none, or those of several."""
    found: dict[str, dict[str, int]] = {}
    for constant in model.constants.values():
        stem, _, part = constant.name.upper().rpartition("_")
        if stem.endswith(("VERSION", "VER")) and part in _VERSION_PARTS and isinstance(constant.value, int):
            found.setdefault(stem, {})[part] = constant.value
    versions = {
        ".".join(str(parts[p]) for p in _VERSION_PARTS if p in parts)
        for parts in found.values()
        if {"MAJOR", "MINOR"} <= parts.keys()
    }
    return versions.pop() if len(versions) == 1 else ""


def header_hash(headers: tuple[Path, ...]) -> str:
    """sha256 over the headers' bytes in the order given, in hexadecimal."""
    digest = hashlib.sha256()
    for header in headers:
        digest.update(header.read_bytes())
    return digest.hexdigest()


def _distinct_impls(bindings: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """The bindings with kernel names that are C++ identifiers of their own: a clash gets the op's name appended."""
    taken: set[str] = set()
    out = []
    for b in bindings:
        impl = b.impl
        if impl in taken or impl in CXX_RESERVED:
            impl = f"{impl}_{b.op.split('::')[1]}"
        taken.add(impl)
        out.append(replace(b, impl=impl))
    return tuple(out)


def _placer(model: HeaderModel) -> Callable[[Call], str]:
    def place(call: Call) -> str:
        return f"{call.function}, {model.short(call.source.file)}:{call.source.line}"

    return place


def _wants(model: HeaderModel, op: catalogue.OpSpec, binding: Binding) -> Wants:
    structs = [a.fields.struct for c in binding.calls for a in c.arguments if a.fields is not None]
    return wants(model, op, [c.function for c in binding.calls], structs)


def _with_questions(asked: tuple[Question, ...], more: Iterable[Question]) -> tuple[Question, ...]:
    """Each question once, by the first function that raises it."""
    known = {q.question for q in asked}
    new = {q.question: q for q in reversed(list(more)) if q.question not in known}
    return (*asked, *sorted(new.values(), key=lambda q: (q.source.line if q.source else 0, q.function)))


def _entry(b: Binding, op: catalogue.OpSpec, model: HeaderModel, wanted: Wants) -> Entry:
    switches = {a.name for a in op.attrs if a.kind == "bool"}
    known = not _assumed(model, (c.function for c in b.calls)) and not wanted.layout and not wanted.questions
    dtypes = b.dtypes
    wraps = left_open(op, dtypes)
    proved = all(c.dtypes_proved for c in b.calls) and not b.unverified and known and not wraps
    zero_point = (b.int8_zero_point or wanted.zero_point) if "uint8" in dtypes and "int8" not in dtypes else 0
    if b.int8_zero_point and not zero_point:
        dtypes = tuple(
            d for d in dtypes if d != "uint8"
        )  # its calls are for int8, which another function takes as it is
    if zero_point:
        proved = False  # what becomes of results out of range is for the probe to find
        dtypes = tuple("int8" if d == "uint8" else d for d in dtypes)
    places = [f"{Path(c.source.file).name}:{c.source.line}" for c in b.calls]
    return Entry(
        name=b.op,
        impl=b.impl,
        dtypes=dtypes,
        constraints=tuple((n, tuple(map(bool, v)) if n in switches else v) for n, v in b.constraints),
        layout=wanted.layout or b.layout,
        inplace=b.inplace,
        first_output=b.first_output,
        broadcast=b.broadcast,
        multiples=tuple((v, n) for v, n in wanted.multiples if v not in dict(b.constraints)),
        alignment=wanted.alignment,
        int8_zero_point=zero_point,
        provenance="header" if proved else "unverified",
        evidence=tuple(dict.fromkeys([*b.evidence, *wanted.evidence, *wraps, *places])),
        unverified=b.unverified,
    )


def _assumed(model: HeaderModel, functions: Iterable[str]) -> bool:
    """True if nothing says that the library has one of these functions."""
    return any(f is not None and f.assumed for f in map(model.function, functions))


def _extra_entry(extra: Extra, model: HeaderModel) -> Entry:
    op = catalogue.get(extra.kernel.op)
    assert op is not None
    wanted = wants(model, op, extra.kernel.called or extra.kernel.symbols)
    said = [s for s in wanted.evidence if wanted.multiples or wanted.alignment]
    proved = extra.proved and not extra.unverified and not _assumed(model, extra.kernel.symbols)
    return Entry(
        name=extra.kernel.op,
        impl=extra.kernel.impl,
        dtypes=extra.dtypes,
        constraints=extra.constraints,
        layout=extra.layout,
        inplace=extra.inplace,
        provenance="header" if proved else "unverified",
        evidence=(*extra.evidence, *said),
        multiples=tuple((v, n) for v, n in wanted.multiples if v not in dict(extra.constraints)),
        alignment=wanted.alignment,
        unverified=extra.unverified,
        broadcast=extra.broadcast,
        first_output="TFL_KERNEL_FIRST_OUTPUT" in extra.kernel.flags,
    )


def _unique(found: list[Unbound], served: set[str]) -> tuple[Unbound, ...]:
    """Each function that serves nothing once, in the header's order."""
    by_name = {u.function: u for u in found if u.function not in served}
    return tuple(sorted(by_name.values(), key=lambda u: (u.source.file, u.source.line, u.function)))


def _runtime_so(request: NewChipRequest) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The profile's runtime_so: ``$LIB_PATH/NAME`` where that finds a library, else the absolute path given."""
    folder = os.environ.get("LIB_PATH", "")
    if not request.libs:
        name = f"lib{request.name}.so"
        return (f"$LIB_PATH/{name}",), (f"no --lib given: the profile expects {name} in the folder $LIB_PATH",)

    def written(lib: Path) -> str:
        if folder and (Path(folder) / lib.name).is_file():
            return f"$LIB_PATH/{lib.name}"
        # Not resolved: libfoo.so.1 may be a link that the next driver update moves.
        return os.path.abspath(lib)

    return tuple(map(written, request.libs)), ()


def _command(request: NewChipRequest) -> str:
    """The command line as it can be run again; options that only choose how to write are left out."""
    words = ["torchfl", "new-chip", request.name]
    for header in request.headers:
        words += ["--header", str(header)]
    for folder in request.include_dirs:
        words += ["-I", str(folder)]
    for define in request.defines:
        words += ["-D", define]
    for lib in request.libs:
        words += ["--lib", str(lib)]
    for option, value in (("--vendor", request.vendor), ("--extends", request.extends)):
        if value:
            words += [option, str(value)]
    if request.family != "xpu":
        words += ["--family", request.family]
    return shlex.join(words)


def relative(path: Path, project: Path) -> str:
    """A path as a project file writes it: relative to the project, unless the user gave it absolute and far away."""
    if path.is_absolute() and not path.resolve().is_relative_to(project.resolve().parent):
        return str(path)
    return os.path.relpath(path.resolve(), project.resolve())


def _include_dirs(request: NewChipRequest, model: HeaderModel, project: Path) -> tuple[str, ...]:
    """The include folders of the chip library as CMake paths: the headers' own, the ones given, the ones found."""
    given = [*(h.parent for h in request.headers), *request.include_dirs]
    known = {f.resolve() for f in given}
    folders = dict.fromkeys([*given, *(f for f in model.include_dirs if f.resolve() not in known)])
    written = []
    for folder in folders:
        path = relative(folder, project)
        written.append(path if os.path.isabs(path) else "${CMAKE_CURRENT_SOURCE_DIR}/" + path)
    if model.missing_includes:
        below = os.path.join(MISSING, searched(above(model.missing_includes))).rstrip("/")
        written.append("${CMAKE_CURRENT_SOURCE_DIR}/src/" + below)  # last: a real one comes first
    return tuple(dict.fromkeys(written))
