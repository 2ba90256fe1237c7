"""The published forms of the schema: JSON Schema and the table of keys."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    from torchfl.profile.form import ProfileFile

    raw: dict[str, Any] = ProfileFile.model_json_schema(by_alias=True)
    _drop_titles(raw)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "torchfl chip profile", **raw}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a profile file; a fresh copy is not made, so do not change it."""
    return _schema()


def _drop_titles(node: Any) -> None:
    """pydantic's generated titles and null defaults say nothing."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        if "default" in node and node["default"] is None:
            del node["default"]
        for value in node.values():
            _drop_titles(value)
    elif isinstance(node, list):
        for value in node:
            _drop_titles(value)


def key_table() -> str:
    """Every key as Markdown: key, form, meaning."""
    root = json_schema()
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, form, text in _rows(root, root, ""):
        rows.append(f"| `{key}` | {form} | {text} |")
    return "\n".join(rows) + "\n"


def _rows(root: dict[str, Any], schema: dict[str, Any], prefix: str) -> list[tuple[str, str, str]]:
    out: list[tuple[str, str, str]] = []
    for key, field in schema.get("properties", {}).items():
        path = f"{prefix}{key}"
        text = field.get("description", "").replace("|", "\\|")
        if field.get("x-reserved"):
            text += " *Reserved: checked, without effect in this release.*"
        value = _unwrap(root, field)
        out.append((path, _form(root, value), text))
        if "properties" in value:
            out.extend(_rows(root, value, f"{path}."))
        item = _unwrap(root, value["items"]) if isinstance(value.get("items"), dict) else {}
        if "properties" in item:
            out.extend(_rows(root, item, f"{path}[]."))
    return out


def _unwrap(root: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    """Without the null alternative and the reference."""
    options = [o for o in field.get("anyOf", [field]) if o.get("type") != "null"]
    if len(options) != 1:
        return {"anyOf": options}
    reference = options[0].get("$ref")
    found: dict[str, Any] = root["$defs"][reference.rpartition("/")[2]] if reference else options[0]
    return found


def _form(root: dict[str, Any], value: dict[str, Any]) -> str:
    if "enum" in value:
        return ", ".join(value["enum"]) if len(value["enum"]) <= 6 else "name"
    alternatives = value.get("anyOf") or value.get("oneOf")
    if alternatives:
        return " or ".join(dict.fromkeys(_form(root, _unwrap(root, option)) for option in alternatives))
    if value.get("type") == "array":
        item = value.get("items")
        return f"list of {_form(root, _unwrap(root, item))}" if isinstance(item, dict) else "list"
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true, false", "object": "map"}
    kind = value.get("type", "value")
    return names.get(kind, str(kind)) if isinstance(kind, str) else " or ".join(names.get(k, k) for k in kind)
