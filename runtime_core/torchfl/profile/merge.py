"""Inheritance: the order of the files, and one tree out of several.

Maps merge deeply, lists are replaced, ``supported_ops`` merges by name; a null takes an inherited value away.
Every merged leaf keeps the leaf that it replaced.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register
from torchfl.profile.check import BAD_REMOVAL, check_file
from torchfl.profile.model import Origin, RemovedOp
from torchfl.profile.tree import Node, parse_tree, read_tree

CYCLE = register("TFL0110", "profiles extend each other in a circle")
MISSING_BASE = register("TFL0111", "a profile that another extends does not exist")


@dataclass
class Lineage:
    """The files of a profile, bases before what extends them, each once; and their problems."""

    files: dict[Path, Node] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_lineage(path: Path, text: str | None = None) -> Lineage:
    """Read a profile (or ``text`` in its place) and everything it extends, each file checked by itself.

    Raises TorchflError for a cycle.
    """
    lineage = Lineage()
    _read(path, lineage, (), None, text)
    return lineage


def _read(path: Path, lineage: Lineage, chain: tuple[Path, ...], place: Place | None, text: str | None = None) -> None:
    real = os.path.realpath(path)  # unlike Path.resolve() it raises for no circle of links
    if real in map(os.path.realpath, chain):
        names = " -> ".join(str(step) for step in (*chain, path))
        raise TorchflError(
            Problem(CYCLE, f"circle: {names}", "remove one extends", place or Place(str(path)), "extends")
        )
    if real in map(os.path.realpath, lineage.files):
        return
    if place and not os.path.isfile(path):  # False where Path.is_file() raises: no right to look, links in a circle
        beside = os.listdir(path.parent) if os.access(path.parent, os.R_OK) and os.path.isdir(path.parent) else []
        near = did_you_mean(path.name, beside)
        cause = f"{path} is no file" if os.path.lexists(path) else f"{path} does not exist"
        lineage.problems.append(Problem(MISSING_BASE, cause, str(path.parent / near) if near else "", place, "extends"))
        return
    try:
        root = read_tree(path) if text is None else parse_tree(text, str(path))
    except TorchflError as error:
        lineage.problems.extend(error.problems)
        return
    lineage.problems.extend(check_file(root))
    for base, base_place in base_files(path, root):
        _read(base, lineage, (*chain, path), base_place)
    lineage.files[path] = root


def base_files(path: Path, root: Node) -> list[tuple[Path, Place]]:
    """What a file extends, as paths relative to where the caller stands; without what :mod:`check` says is none."""
    from torchfl.profile.values import path_problem

    node = root.value.get("extends")
    items = node.value if node and isinstance(node.value, list) else [node] if node else []
    named = [item for item in items if isinstance(item.value, str) and item.value and not path_problem(item.value)]
    return [(_beside(path, item.value), item.place) for item in named]


def _beside(path: Path, relative: str) -> Path:
    """``relative`` from the folder of ``path``, without ``..`` where that is the same file."""
    target = path.parent / relative
    folded = Path(*_fold(target.parts))
    return folded if os.path.realpath(folded) == os.path.realpath(target) else target


def _fold(parts: tuple[str, ...]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if part == ".." and out and out[-1] not in ("..", "/"):
            out.pop()
        else:
            out.append(part)
    return out


@dataclass
class Merged:
    """The merged tree; its ``supported_ops`` is a map by full name."""

    root: Node
    removed: list[RemovedOp]
    problems: list[Problem]


def merge_files(files: list[Node]) -> Merged:
    """Merge in order, later ones win. ``extends`` and ``schema`` do not take part."""
    place = Place("", 0)
    merged = Merged(Node({}, place, place), [], [])
    for root in files:
        child = _by_name(root, merged)  # takes what the file removes out of merged.root first
        merged.root = _deep(merged.root, child)
    return merged


def _by_name(root: Node, merged: Merged) -> Node:
    """One file with ``compute`` moved into capabilities, ops as a map by name, and its removals carried out."""
    top = {key: node for key, node in root.value.items() if key not in ("extends", "schema")}
    short = top.pop("compute", None)
    if short and short.value:
        inner = top.get("capabilities")
        moved = Node({"compute": short}, short.place, short.key)
        top["capabilities"] = _deep(moved, inner) if inner and inner.value else moved
    ops = top.get("supported_ops")
    if not ops or ops.value is None:
        top.pop("supported_ops", None)
        return replace(root, value=top)
    entries: dict[str, Node] = {}
    for op in ops.value:
        name = op.value["name"].value
        if op.value.get("remove") and op.value["remove"].value is not None:
            _remove(name, op, merged)
        else:
            entries[name] = replace(op, value={k: v for k, v in op.value.items() if k not in ("name", "remove")})
    top["supported_ops"] = replace(ops, value=entries)
    return replace(root, value=top)


def _remove(name: str, op: Node, merged: Merged) -> None:
    ops = merged.root.value.get("supported_ops")
    inherited = ops.value if ops else {}
    place = op.value["name"].place
    if name not in inherited:
        near = did_you_mean(name, inherited)
        cause = f"{name} is not inherited, so it cannot be removed"
        merged.problems.append(Problem(BAD_REMOVAL, cause, near, place, "supported_ops"))
        return
    old = inherited[name]
    kept = {key: value for key, value in inherited.items() if key != name}
    merged.root = replace(merged.root, value={**merged.root.value, "supported_ops": replace(ops, value=kept)})
    origin = Origin(place.file, place.line, Origin(old.place.file, old.place.line))
    merged.removed.append(RemovedOp(name, op.value["remove"].value, origin))


def _deep(base: Node, child: Node) -> Node:
    if not (isinstance(base.value, dict) and isinstance(child.value, dict)):
        return replace(child, overrode=base)
    out = dict(base.value)
    for key, value in child.value.items():
        if value.value is None:
            out.pop(key, None)
        elif key in out:
            out[key] = _deep(out[key], value)
        else:
            out[key] = _without_null(value)
    return replace(child, value=out)


def _without_null(node: Node) -> Node:
    if not isinstance(node.value, dict):
        return node
    return replace(node, value={k: _without_null(v) for k, v in node.value.items() if v.value is not None})


def leaves(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Every leaf of a merged tree with its key path; a list is one leaf, ops are written ``supported_ops[NAME]``."""
    if not isinstance(node.value, dict):
        yield path, node
        return
    for key, value in node.value.items():
        if path in ("supported_ops", "fallback_policy.op_specific"):
            yield from leaves(value, f"{path}[{key}]")
        else:
            yield from leaves(value, f"{path}.{key}" if path else key)


def origin_of(node: Node) -> Origin:
    """The place of a leaf and the history of what it replaced."""
    older = origin_of(node.overrode) if node.overrode and not isinstance(node.overrode.value, dict) else None
    return Origin(node.key.file, node.key.line, older)
