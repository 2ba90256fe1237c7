"""Turns a plan into the text of every project file, by the jinja2 templates that ship with torchfl."""

from __future__ import annotations

import json
import re
import struct
import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2

import torchfl
from torchfl_sdk.header.model import Packed
from torchfl_sdk.header.paths import above, searched, stand_in
from torchfl_sdk.scaffold import cxx, texts
from torchfl_sdk.scaffold.device_plan import DeviceFunction
from torchfl_sdk.scaffold.includes import MISSING
from torchfl_sdk.scaffold.kernel_plan import Case
from torchfl_sdk.scaffold.plan import ChipPlan

#: template -> file of the project; NAME stands for the chip's name. In the order in which they are listed.
FILES: tuple[tuple[str, str], ...] = (
    ("device.yaml.j2", "NAME_device.yaml"),
    ("README.md.j2", "README.md"),
    ("QUESTIONS.md.j2", "QUESTIONS.md"),
    ("CMakeLists.txt.j2", "CMakeLists.txt"),
    ("pyproject.toml.j2", "pyproject.toml"),
    ("gitignore.j2", ".gitignore"),
    ("src/kernels.cpp.j2", "src/NAME_kernels.cpp"),
    ("src/asserts.gen.cpp.j2", "src/NAME_asserts.gen.cpp"),
    ("src/chip.gen.cpp.j2", "src/NAME_chip.gen.cpp"),
    ("src/device.gen.cpp.j2", "src/NAME_device.gen.cpp"),
    ("src/device.gen.h.j2", "src/NAME_device.gen.h"),
    ("src/module.gen.cpp.j2", "src/NAME_module.gen.cpp"),
    ("src/symbols.gen.cpp.j2", "src/NAME_symbols.gen.cpp"),
    ("src/symbols.gen.h.j2", "src/NAME_symbols.gen.h"),
)

#: Slots that the device template writes for every chip.
_ALWAYS = frozenset({"open", "close", "last_error"})
_HOST = frozenset(
    {"device_count", "device_name", "synchronize", "memory_info", "alloc", "free", "copy_h2d", "copy_d2h", "copy_d2d"}
    | {"fill", "map_host", "unmap_host", "address"}
)
_MAPS = frozenset({"map_host", "unmap_host"})
_OBJECTS = frozenset({"init", "finalize", "device_count"})


def render(plan: ChipPlan) -> dict[str, str]:
    """Path in the project -> text, for every file but those under ``.torchfl``. Deterministic."""
    environment = _environment()
    context = _context(plan)
    files = {}
    for template, path in FILES:
        if path == "QUESTIONS.md" and not (plan.match.questions or plan.match.open_questions):
            continue
        text = environment.get_template(template).render(context)
        files[path.replace("NAME", plan.name)] = _tidy(text)
    depth = above(plan.includes.missing)
    for name in plan.includes.missing:
        files[f"src/{MISSING}/{stand_in(name, depth)}"] = (
            f"// Stands in for <{name}>, which the SDK's headers include and nothing provides.\n"
        )
    if depth:
        files[f"src/{MISSING}/{searched(depth)}/.gitkeep"] = (
            "This folder has to exist for #includes to lead out of it.\n"
        )
    return files


@cache
def abi_slots() -> tuple[str, ...]:
    """The device functions in the ABI's order, read from the entry_points.def that chips are compiled against."""
    for folder in torchfl.__path__:
        listing = Path(folder) / "include" / "torchfl" / "entry_points.def"
        if listing.is_file():
            return tuple(re.findall(r"^TFL_ENTRY\(\w+, (\w+),", listing.read_text(encoding="utf-8"), re.MULTILINE))
    raise AssertionError("torchfl is installed without its include folder")


def _context(plan: ChipPlan) -> dict[str, object]:
    host = plan.device.host_memory
    filled = _ALWAYS | {f.slot for f in plan.device.functions} | (_HOST if host else frozenset())
    if plan.device.slack:
        filled -= _MAPS  # what others reserve has nothing behind it
    if plan.device.set_device and not host:
        filled |= {"set_device"}
    if plan.device.objects is not None:
        filled |= _OBJECTS
    return {
        "plan": plan,
        "kernels": plan.kernels,
        "table": (*plan.kernels, *plan.added),
        "products": plan.products,
        "headers": (headers := _headers(plan)),
        "composed": bool(headers),
        "bound": plan.bound,
        "host": host,
        "status": plan.match.status,
        "statuses": _statuses(plan),
        "locals": [s for s in plan.symbols if s.local],
        "tables": any(s.words for s in plan.symbols),
        "packed_parameters": _packed_parameters,
        "packed_arguments": _packed_arguments,
        "guard": plan.ident.upper(),
        "slots": abi_slots(),
        "filled": filled,
        "has_d2d": "copy_d2d" in filled,
        "map_host": next((f.function for f in plan.match.runtime if f.role == "map_host"), ""),
        "dtype_functions": [(name, sorted(known.items())) for name, known in plan.helpers.dtypes.items()],
        "structs": list(plan.helpers.structs.values()),
        "pointer_macro": f"UINTPTR_MAX == UINT{struct.calcsize('P') * 8}_MAX",
        "tfl_dtypes": cxx.TFL_DTYPES,
        "device_function": _device_function,
        "lines": _lines,
        "cases": _cases,
        "checks": _checks,
        "streams": {p.name: p.streams for p in plan.products},
        "batched": {p.name: p.batched for p in plan.products},
    }


def _composed(plan: ChipPlan, lines: Sequence[str]) -> bool:
    """True if a kernel makes objects, reserves memory or works on an opened device."""
    reserves = any(line.startswith("torchfl::Workspace") for line in lines)
    opened = plan.device.opened is not None
    return opened or bool(plan.definitions) or reserves or any(k.template == "objects" for k in plan.kernels)


def _headers(plan: ChipPlan) -> list[str]:
    """The headers that the kernels need beside chip.hpp and kernel.hpp."""
    lines = [line for k in plan.kernels for line in (*k.before, *(text for c in k.cases for text in c.before))]
    own = any(re.match(r"torchfl::(?:Recast|DenseMatrix|AddedRows|DeviceArray)\b|TFL_TRY\(", line) for line in lines)
    texts = (*lines, *plan.definitions)
    tables = ["torchfl/tables.hpp"] if any("torchfl::needs(" in t for t in texts) else []
    if any(
        re.search(r"torchfl::(?:sizes_of|strides_of|dims_of|both|ListOf|integral|OnHost|Lender|give|must)\b", t)
        for t in texts
    ):
        return ["torchfl/values.hpp", *tables]
    if own or any(k.template == "cast" for k in plan.kernels):
        return ["torchfl/operands.hpp", *tables]
    return ["torchfl/objects.hpp", *tables] if _composed(plan, lines) else []


def _packed_parameters(packed: Packed) -> str:
    """The parameters of a function over the fields of the struct that the vendor's takes."""
    of = packed.struct.removeprefix("struct ")  # before :: only types are looked for
    outer = [
        f"const std::remove_extent_t<decltype({of}::{field})>* {name}"
        if field in packed.lists
        else f"decltype({of}::{field}) {name}"
        for field, name in zip(packed.fields, packed.names, strict=True)
    ]
    own = [f"{p.type.spelled} {p.name}" for p in packed.params]
    own[packed.position : packed.position + 1] = outer
    return ", ".join(own)


def _packed_arguments(packed: Packed) -> str:
    names = [p.name for p in packed.params]
    names[packed.position] = "params" if packed.by_value else "&params"
    return ", ".join(names)


def _statuses(plan: ChipPlan) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """(C type, condition of success, (constant, torchfl status)...) of every status type that the library meets."""
    found = [plan.match.status, *plan.match.status.others]
    if plan.device.objects is not None and plan.device.objects.status.ctype not in {s.ctype for s in found}:
        found.append(plan.device.objects.status)
    return [
        (s.ctype or "int", s.worked("result"), [(c, n) for c, n in s.values if c != s.success])
        for s in found
        if s.ctype or s.success
    ]


def _lines(lines: Sequence[str], indent: int) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _checks(checks: Sequence[tuple[str, str]]) -> str:
    """``if (...) return torchfl::unsupported("...");`` for each, wrapped at ``||``."""
    out = []
    for condition, why in checks:
        line = f"  if ({condition}) return torchfl::unsupported({cxx.string(why)});"
        if len(line) > cxx.WIDTH + 6:
            rows = [""]
            for i, part in enumerate(parts := condition.split(" || ")):
                piece = part + (" ||" if i < len(parts) - 1 else ") {")
                if rows[-1] and len(rows[-1]) + len(piece) > cxx.WIDTH - 6:
                    rows.append("")
                rows[-1] += (" " if rows[-1] else "") + piece
            body = "\n      ".join(rows)
            line = f"  if ({body}\n    return torchfl::unsupported({cxx.string(why)});\n  }}"
        out.append(line + "\n")
    return "".join(out)


def _cases(cases: Sequence[Case], result: str) -> str:
    """The vendor call of a kernel, or a switch over the result's dtype."""
    if len(cases) == 1 and not cases[0].label:
        return f"  {cases[0].statement}\n"
    if len(cases) == 1 and cases[0].label.count("case ") == 1:
        dtype = cases[0].label.removeprefix("case ").split(":")[0]
        why = 'torchfl::unsupported("no vendor function for this dtype")'
        statement = re.sub(r"\n {4}", "\n", cases[0].statement)  # written for the depth of a switch
        return f"  if ({result}.dtype != {dtype}) return {why};\n  {statement}\n"
    out = [f"  switch ({result}.dtype) {{"]
    for case in cases:
        out.append(f"    {case.label}")
        out += [f"      {line}" for line in case.before]
        out.append(f"      {case.statement}")
        if case.label.endswith("{"):
            out.append("    }")
    out += ["    default:", '      return torchfl::unsupported("no vendor function for this dtype");', "  }"]
    return "\n".join(out) + "\n"


def _device_function(f: DeviceFunction) -> str:
    slot, parameters, body, source = f.slot, f.parameters, f.body, f.source
    head = cxx.call(f"tfl_status {slot}", [p for p in parameters.split(", ") if p], " {")
    unused = [name for name in _names(parameters) if not any(re.search(rf"\b{name}\b", line) for line in body)]
    for name in unused:
        head = re.sub(rf"(\w+\*?) {name}\b", r"\1", head)
    inner = "".join(f"    {line}\n" for line in body)
    return f"// {source}\n{head}\n  return torchfl::guard([&]() -> tfl_status {{\n{inner}  }});\n}}"


def _names(parameters: str) -> list[str]:
    return [p.split()[-1] for p in parameters.split(", ") if p and not p.endswith("*/")]


def _comment(text: str, prefix: str, nowrap: bool = False) -> str:
    lines = [text] if nowrap else textwrap.wrap(text, 118 - len(prefix), break_long_words=False, break_on_hyphens=False)
    return "\n".join(f"{prefix} {line}" for line in lines)


_PLAIN_YAML = re.compile(r"[A-Za-z_$./][A-Za-z0-9_$./:+-]*")
_YAML_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"))


def yaml_string(text: str) -> str:
    """A YAML scalar that reads back as this string."""
    if _PLAIN_YAML.fullmatch(text) and text.lower() not in _YAML_WORDS and not text.endswith(":"):
        return text
    return _yaml_quoted(text)


def _yaml_quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _yaml_scalar(value: object) -> str:
    return json.dumps(value)


def _cmake_string(text: str) -> str:
    """A quoted CMake argument; ``${...}`` of our own stays a reference."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if not escaped.startswith("${CMAKE_CURRENT_SOURCE_DIR}"):
        return '"' + escaped.replace("$", "\\$") + '"'
    head = "${CMAKE_CURRENT_SOURCE_DIR}"
    return f'"{head}{escaped[len(head) :].replace("$", chr(92) + "$")}"'


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _tidy(text: str) -> str:
    """No trailing blanks, no double blank lines, one newline at the end."""
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text)
    return text.strip("\n") + "\n"


@cache
def _environment() -> jinja2.Environment:
    environment = texts.environment()
    environment.filters.update(
        comment=_comment,
        cstring=cxx.string,
        yamlstring=yaml_string,
        yamlquoted=_yaml_quoted,
        yamlscalar=_yaml_scalar,
        tomlstring=_yaml_quoted,
        cmakestring=_cmake_string,
        mdcell=_markdown_cell,
        basename=lambda p: Path(p).name,
        dict=dict,
    )
    return environment
