"""Checks one profile file against the schema and the op catalogue; every finding with its line and fix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchfl import catalogue
from torchfl.errors import Place, Problem, did_you_mean, register
from torchfl.profile.tree import DUPLICATE, Node

UNKNOWN_KEY = register("TFL0104", "a profile key does not exist")
BAD_VALUE = register("TFL0105", "a profile value has the wrong type or form")
MISSING_KEY = register("TFL0106", "a profile key is missing")
UNKNOWN_DTYPE = register("TFL0107", "a dtype does not exist")
UNKNOWN_VARIABLE = register("TFL0108", "an op has no such constraint variable")
BAD_CONSTRAINT = register("TFL0109", "a constraint is malformed")
NEWER_SCHEMA = register("TFL0112", "a profile is written for a newer torchfl")
DUPLICATE_OP = register("TFL0113", "one op has two entries in a file")
BAD_REMOVAL = register("TFL0114", "the removal of an op is malformed, or nothing was inherited to remove")
BAD_DEVICE_TYPE = register("TFL0116", "a device_type is malformed or missing")

_CODES = {
    "extra_forbidden": UNKNOWN_KEY,
    "missing": MISSING_KEY,
    "dtype": UNKNOWN_DTYPE,
    "constraint": BAD_CONSTRAINT,
    "range": BAD_CONSTRAINT,
    "device_type": BAD_DEVICE_TYPE,
}
_EXPECTED = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "model_attributes_type": "a map",
    "finite_number": "a finite number",
}


def check_file(root: Node) -> list[Problem]:
    """Every problem of one file, in the order of its lines; empty for a good one."""
    from torchfl.profile.form import SCHEMA_VERSION

    version = root.value.get("schema")
    if version and isinstance(version.value, int) and version.value > SCHEMA_VERSION:
        cause = f"schema {version.value} is newer than this torchfl, which reads {SCHEMA_VERSION}"
        return [Problem(NEWER_SCHEMA, cause, "upgrade flagos-torchfl", version.place, "schema")]
    problems = [*_schema_problems(root), *_op_problems(root), *_compute_problems(root)]
    return sorted(problems, key=lambda p: (p.place.line, p.place.column, p.code))


def _schema_problems(root: Node) -> Iterator[Problem]:
    from pydantic import ValidationError

    from torchfl.profile.form import ProfileFile

    try:
        ProfileFile.model_validate(root.plain(drop_null=True))
    except ValidationError as error:
        yield from problems_of(error.errors(include_url=False, include_input=False), root)


def problems_of(errors: list[Any], root: Node) -> Iterator[Problem]:
    """pydantic's errors in the project's form; alternatives of one value become one problem."""
    grouped: dict[tuple[str, Place], list[tuple[Any, Node, bool]]] = {}
    for error in errors:
        where, node, at_key = _find(root, error["loc"])
        if error["type"] == "missing":
            where = ".".join(filter(None, (where, str(error["loc"][-1]))))
        grouped.setdefault((where, node.key if at_key else node.place), []).append((error, node, at_key))
    for (where, _), found in grouped.items():
        kind, node = found[0][0]["type"], found[0][1]
        at_key = found[0][2] or kind == "extra_forbidden"
        cause, fix = _message([error for error, _, _ in found], node)
        yield Problem(_CODES.get(kind, BAD_VALUE), cause, fix, node.key if at_key else node.place, where)


def _find(root: Node, loc: tuple[Any, ...]) -> tuple[str, Node, bool]:
    """The key path, the node, and whether the key itself is meant. Union tags in ``loc`` lead nowhere."""
    where, node, at_key = "", root, False
    for part in loc:
        if isinstance(part, str) and isinstance(node.value, dict) and part in node.value:
            where, node = f"{where}.{part}" if where else part, node.value[part]
        elif isinstance(part, int) and isinstance(node.value, list) and part < len(node.value):
            node = node.value[part]
            if isinstance(node.value, (dict, list)):
                where += f"[{part}]"
        elif part == "[key]":
            at_key = True
    return where, node, at_key


def _message(errors: list[Any], node: Node) -> tuple[str, str]:
    error = errors[0]
    kind, context = error["type"], error.get("ctx", {})
    if "cause" in context:
        return context["cause"], context["fix"]
    if kind == "extra_forbidden":
        name = str(error["loc"][-1])
        known = known_keys(error["loc"][:-1])
        return f"unknown key '{name}'", did_you_mean(name, known) or "one of " + ", ".join(known)
    if kind == "missing":
        return f"the key '{error['loc'][-1]}' is missing", "add it"
    expected = [_EXPECTED[e["type"]] for e in errors if e["type"] in _EXPECTED]
    if expected:
        return f"expected {' or '.join(dict.fromkeys(expected))}, found {_kind(node)}", ""
    return f"{_kind(node)}: {error['msg'][0].lower()}{error['msg'][1:]}", ""


def _kind(node: Node) -> str:
    value = node.value
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def known_keys(loc: tuple[Any, ...]) -> list[str]:
    """The keys that the schema allows at a place, in its order."""
    from torchfl.profile.reference import json_schema

    root = json_schema()
    here: dict[str, Any] = root
    for part in loc:
        options = [_deref(root, option) for option in here.get("anyOf", [here])]
        for option in options:
            if isinstance(part, int) and "items" in option:
                here = _deref(root, option["items"])
                break
            if part in option.get("properties", {}):
                here = _deref(root, option["properties"][part])
                break
    options = [_deref(root, option) for option in here.get("anyOf", [here])]
    return [key for option in options for key in option.get("properties", {})]


def _deref(root: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    found: dict[str, Any] = root["$defs"][reference.rpartition("/")[2]] if reference else schema
    return found


def _op_problems(root: Node) -> Iterator[Problem]:
    """What the schema alone cannot see: two entries of one op, removals, constraints against the catalogue."""
    ops = root.value.get("supported_ops")
    first: dict[str, Place] = {}
    for i, op in enumerate(ops.value if ops and isinstance(ops.value, list) else ()):
        if not isinstance(op.value, dict):
            continue
        where = f"supported_ops[{i}]"
        named: Node = op.value.get("name", op)
        name = named.value if isinstance(named.value, str) else ""
        if name in first:
            cause = f"{name} has an entry already at line {first[name].line}"
            yield Problem(DUPLICATE_OP, cause, "make them one", named.place, where)
        elif name:
            first[name] = named.place
        if "remove" in op.value and len(op.value) > 2:
            extra = ", ".join(key for key in op.value if key not in ("name", "remove"))
            cause = f"an entry that removes an op has only name and remove, not {extra}"
            yield Problem(BAD_REMOVAL, cause, "remove: 'the reason'", op.value["remove"].key, where)
        yield from _zero_point_problems(name, op, root, where)
        limits = op.value.get("constraints")
        if limits and isinstance(limits.value, dict):
            for variable, limit in limits.value.items():
                yield from _constraint_problems(name, variable, limit, f"{where}.constraints")


def _zero_point_problems(name: str, op: Node, root: Node, where: str) -> Iterator[Problem]:
    """An entry cannot say of one uint8 tensor both that it is uint8 and that it stands for int8."""
    said = op.value.get("int8_zero_point", root.value.get("int8_zero_point"))
    dtypes = op.value.get("dtype_support")
    if said is None or said.value is None or dtypes is None or not isinstance(dtypes.value, list):
        return
    for dtype in dtypes.value:
        if dtype.value == "uint8":
            cause = f"{name} takes int8 tensors as uint8 (int8_zero_point), so it cannot serve uint8"
            yield Problem(BAD_VALUE, cause, "int8", dtype.place, f"{where}.dtype_support")


def _constraint_problems(name: str, variable: str, limit: Node, where: str) -> Iterator[Problem]:
    from pydantic import ValidationError
    from pydantic_core import PydanticCustomError

    from torchfl.profile.form import check_limit

    spec = catalogue.by_overload(name) or catalogue.get(name.partition(".")[0])
    if spec and variable not in spec.variables:
        near = did_you_mean(variable, spec.variables) or "one of " + ", ".join(spec.variables)
        yield Problem(UNKNOWN_VARIABLE, f"{name} has no variable '{variable}'", near, limit.key, where)
        return
    if limit.value is None:
        return
    where = f"{where}.{variable}"
    attr = next((a for a in spec.attrs if a.name == variable), None) if spec else None
    try:
        check_limit(limit.plain(drop_null=True), attr.choices if attr else ())
    except PydanticCustomError as error:
        context = error.context or {}
        yield Problem(BAD_CONSTRAINT, str(context.get("cause")), str(context.get("fix", "")), limit.place, where)
        return
    except ValidationError as error:
        for found in error.errors(include_url=False, include_input=False):
            _, node, _ = _find(limit, found["loc"])
            unknown = found["type"] == "extra_forbidden"
            key = str(found["loc"][0])
            cause = f"unknown key '{key}'" if unknown else _message([found], node)[0]
            limits = ("min", "max", "multiple_of")
            fix = (did_you_mean(key, limits) or "one of " + ", ".join(limits)) if unknown else ""
            code = UNKNOWN_KEY if unknown else BAD_CONSTRAINT
            yield Problem(code, cause, fix, node.key if unknown else node.place, f"{where}.{key}")
        return
    kind = attr.kind if attr else "bool" if spec and variable in spec.optional_inputs else "int" if spec else ""
    for node in limit.value if isinstance(limit.value, list) else limit.value.values():
        cause = _kind_problem(kind, node.value)
        if cause:
            yield Problem(BAD_CONSTRAINT, cause, "", node.place, where)


def _kind_problem(kind: str, value: Any) -> str:
    if value is None or not kind:
        return ""
    if kind == "bool":
        return "" if isinstance(value, bool) else f"{value} is not true or false"
    if isinstance(value, bool):
        return f"{str(value).lower()} is not a number"
    if kind in ("int", "int_list") and not isinstance(value, int):
        return f"{value} is not a whole number"
    return ""


def _compute_problems(root: Node) -> Iterator[Problem]:
    short, capabilities = root.value.get("compute"), root.value.get("capabilities")
    inner = capabilities.value.get("compute") if capabilities and isinstance(capabilities.value, dict) else None
    if not (short and inner and isinstance(short.value, dict) and isinstance(inner.value, dict)):
        return
    for key in short.value.keys() & inner.value.keys():
        cause = f"'{key}' stands already under capabilities at line {inner.value[key].key.line}"
        yield Problem(DUPLICATE, cause, "keep one of them", short.value[key].key, f"compute.{key}")
