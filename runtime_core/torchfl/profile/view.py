"""A resolved profile as text: whole, compared with another, and the history of one key."""

from __future__ import annotations

import json
from typing import Any

from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register
from torchfl.profile.model import Origin, Profile

NO_SUCH_KEY = register("TFL0117", "a resolved profile has no such key")


def as_file(profile: Profile) -> dict[str, Any]:
    """The merged profile in the form of a profile file that extends nothing."""
    data = {"schema": 1, "device_type": profile.device_type, **profile.data}
    if "supported_ops" in data:
        data["supported_ops"] = [{"name": name, **op} for name, op in data["supported_ops"].items()]
    return data


def render(profile: Profile, origin: bool = False, as_json: bool = False) -> str:
    """YAML or JSON; with ``origin``, a comment (YAML) or a map of origins (JSON) beside each leaf."""
    if as_json:
        data = as_file(profile)
        if not origin:
            return json.dumps(data, indent=2)
        return json.dumps({"profile": data, "origins": {k: _chain(o) for k, o in profile.origins.items()}}, indent=2)
    return _yaml(profile, origin)


def _yaml(profile: Profile, origin: bool) -> str:
    lines: list[str] = []
    _block(as_file(profile), 0, "", profile if origin else None, lines)
    width = min(72, max((len(text) for text, note in (_parts(line) for line in lines) if note), default=0))
    out = []
    for text, note in (_parts(line) for line in lines):
        out.append(f"{text:<{width}}  # {note}" if note else text)
    return "\n".join(out)


def _parts(line: str) -> tuple[str, str]:
    text, _, note = line.partition("\0")
    return text, note


def _block(data: dict[str, Any], depth: int, path: str, notes: Profile | None, lines: list[str]) -> None:
    pad = "  " * depth
    for key, value in data.items():
        here = _join(path, key)
        if isinstance(value, dict) and value:
            lines.append(f"{pad}{_scalar(key)}:")
            _block(value, depth + 1, here, notes, lines)
        elif key == "supported_ops" and isinstance(value, list) and value:
            lines.append(f"{pad}{key}:")
            for op in value:
                inner: list[str] = []
                _block(op, depth + 2, f"supported_ops[{op['name']}]", notes, inner)
                inner[0] = f"{pad}  - {inner[0].lstrip()}"
                lines.extend(inner)
        else:
            note = _note(notes, here)
            lines.append(f"{pad}{_scalar(key)}: {_flow(value)}" + (f"\0{note}" if note else ""))


def _join(path: str, key: str) -> str:
    if path == "fallback_policy.op_specific":
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _note(notes: Profile | None, path: str) -> str:
    found = notes.origins.get(path) if notes else None
    if found is None:
        return ""
    return " <- ".join(_chain(found))


def _chain(origin: Origin) -> list[str]:
    out = []
    step: Origin | None = origin
    while step:
        out.append(str(step))
        step = step.overrode
    return out


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """One scalar as YAML 1.2 that reads back as the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return repr(value)
    if _is_plain(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    from torchfl.profile.tree import parse_tree

    if not text or text != text.strip() or any(c in text for c in ",[]{}#&*!|>'\"%@`\n\t\0") or ": " in text:
        return False
    if text[0] in "-?:=" or text.endswith(":"):
        return False
    try:
        return bool(parse_tree(f"k: {text}\n", "").value["k"].value == text)
    except TorchflError:
        return False


def _leaves(data: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(data, dict) or not data:
        return {path: data}
    out: dict[str, Any] = {}
    for key, value in data.items():
        inside = path in ("supported_ops", "fallback_policy.op_specific")
        out.update(_leaves(value, f"{path}[{key}]" if inside else f"{path}.{key}" if path else key))
    return out


def compare(old: Profile, new: Profile) -> list[str]:
    """``- key: value`` for what went, ``+`` for what came, ``~ key: old -> new`` for what changed."""
    before, after = _leaves(dict(old.data)), _leaves(dict(new.data))
    out = []
    for key in [*before, *(k for k in after if k not in before)]:
        if key not in after:
            out.append(f"- {key}: {_flow(before[key])}")
        elif key not in before:
            out.append(f"+ {key}: {_flow(after[key])}")
        elif before[key] != after[key]:
            out.append(f"~ {key}: {_flow(before[key])} -> {_flow(after[key])}")
    return out


def history(profile: Profile, key: str) -> list[str]:
    """One line per leaf at or under ``key``: value, place, then what it overrode."""
    values = _leaves(dict(profile.data))
    chosen = [path for path in values if path == key or path.startswith((key + ".", key + "["))]
    if not chosen:
        near = did_you_mean(key, values)
        raise TorchflError(Problem(NO_SUCH_KEY, f"no key '{key}'", near, Place(str(profile.path))))
    lines = []
    for path in chosen:
        origin = profile.origins.get(path)
        steps = _chain(origin) if origin else ["from the file's name"]
        lines.append(f"{path}: {_flow(values[path])}  {steps[0]}")
        lines.extend(f"    overrode {step}" for step in steps[1:])
    return lines
