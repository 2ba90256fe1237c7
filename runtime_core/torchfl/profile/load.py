"""From a path to a Profile: read, merge, complete, build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torchfl import catalogue
from torchfl.errors import Place, Problem, TorchflError, did_you_mean
from torchfl.profile.check import BAD_DEVICE_TYPE, MISSING_KEY
from torchfl.profile.expand import expand
from torchfl.profile.merge import Lineage, Merged, leaves, merge_files, origin_of, read_lineage
from torchfl.profile.model import (
    Capabilities,
    Constraint,
    FallbackPolicy,
    MemoryModel,
    Numerics,
    OpEntry,
    Profile,
)
from torchfl.profile.tree import Node

#: A profile of this form of name may leave its device_type to it.
PROFILE_SUFFIXES = ("_device.yaml", "_device.yml", "_device.json")


def chip_of_file(path: Path) -> str:
    """``x1-v2`` of ``x1-v2_device.yaml``; "" where the name has another form."""
    return next((path.name[: -len(end)] for end in PROFILE_SUFFIXES if path.name.endswith(end)), "")


def load(path: Path, text: str | None = None) -> Profile:
    """Read, merge and check; ``text`` is taken for what the file holds, where it is given.

    Raises TorchflError with every problem of every file.
    """
    lineage = read_lineage(path, text)
    if lineage.problems:
        raise TorchflError(lineage.problems)
    merged = merge_files(list(lineage.files.values()))
    device_types = _device_types(lineage)
    problems = [*merged.problems, *_incomplete(path, lineage, merged, device_types[path])]
    if problems:
        raise TorchflError(problems)
    return _build(path, lineage, merged, device_types)


def _device_types(lineage: Lineage) -> dict[Path, str]:
    """Each file's device_type: its own, else for one that extends another from its name; else ""."""
    out: dict[Path, str] = {}
    family = "xpu"
    for path, root in lineage.files.items():
        own, chip = root.value.get("device_type"), chip_of_file(path)
        if own and own.value:
            out[path] = own.value
            family = own.value.partition(":")[0]
        else:
            out[path] = f"{family}:{chip}" if root.value.get("extends") and chip else ""
    return out


def _incomplete(path: Path, lineage: Lineage, merged: Merged, device_type: str) -> list[Problem]:
    from torchfl.profile.values import device_type_problem

    problems = []
    if not device_type:
        cause = "the key 'device_type' is missing"
        if lineage.files[path].value.get("extends"):
            cause += ", and the file's name is not NAME_device.yaml"
        problems.append(
            Problem(BAD_DEVICE_TYPE, cause, "for example device_type: xpu:x1", Place(str(path)), "device_type")
        )
    elif device_type_problem(device_type):
        problems.append(
            Problem(BAD_DEVICE_TYPE, device_type_problem(device_type), "rename the file or give device_type",
                    Place(str(path)), "device_type")
        )  # fmt: skip
    ops = merged.root.value.get("supported_ops")
    for name, op in (ops.value if ops else {}).items():
        for key in ("impl", "dtype_support"):
            if key not in op.value:
                others = [n for n, other in ops.value.items() if key in other.value]
                near = did_you_mean(name, others)
                fix = f"add it, or did you mean {near}" if near else "add it"
                problems.append(
                    Problem(MISSING_KEY, f"{name} has no '{key}'", fix, op.place, f"supported_ops[{name}].{key}")
                )
    return problems


def _build(path: Path, lineage: Lineage, merged: Merged, device_types: Mapping[Path, str]) -> Profile:
    from torchfl.profile.form import ProfileFile

    plain: dict[str, Any] = {**merged.root.plain(), "device_type": device_types[path]}
    data = {key: plain[key] for key in ProfileFile.model_fields if key in plain}
    capabilities = data.get("capabilities", {})
    figures = capabilities.get("memory", {})
    policy = data.get("fallback_policy", {})
    origins = {key: origin_of(node) for key, node in leaves(merged.root)}
    if not lineage.files[path].value.get("device_type"):
        origins.pop("device_type", None)  # from the file's name, not from what was inherited
    defaults: dict[str, Any] = {
        key: data[key] for key in ("layout", "alignment", "pad", "inplace", "int8_zero_point") if key in data
    }
    ops = merged.root.value.get("supported_ops")
    return Profile(
        path=path,
        files=tuple(lineage.files),
        device_type=device_types[path],
        vendor=data.get("vendor", ""),
        chip_model=data.get("chip_model", ""),
        driver_version=data.get("driver_version", ""),
        runtime_so_texts=_texts(data.get("runtime_so", ())),
        runtime_header=data.get("runtime_header", ""),
        wrapper=data.get("wrapper", ""),
        chip_library_candidates=_libraries(lineage, merged, device_types),
        capabilities=Capabilities(
            dtypes=tuple(capabilities.get("dtypes", ())),
            total_gb=figures.get("total_gb"),
            bandwidth_gbps=figures.get("bandwidth_gbps"),
            compute=MappingProxyType(capabilities.get("compute", {})),
            features=tuple(capabilities.get("features", ())),
        ),
        ops=tuple(_entry(name, op, defaults) for name, op in (ops.value if ops else {}).items()),
        removed=tuple(merged.removed),
        fallback_policy=FallbackPolicy(
            default=_texts(policy.get("default", "cpu")),
            op_specific=MappingProxyType({op: _texts(v) for op, v in policy.get("op_specific", {}).items()}),
        ),
        memory=MemoryModel(**data.get("memory", {})),
        numerics=Numerics(**data.get("numerics", {})),
        runtime=MappingProxyType(data.get("runtime", {})),
        origins=MappingProxyType(origins),
        data=MappingProxyType(data),
    )


def _texts(value: Any) -> tuple[str, ...]:
    """A text or a list of them."""
    return (value,) if isinstance(value, str) else tuple(value)


def _entry(full_name: str, node: Node, defaults: Mapping[str, Any]) -> OpEntry:
    # some ops have a dot in their own name: aten::max.dim
    name, _, overload = (full_name, "", "") if catalogue.get(full_name) else full_name.partition(".")
    data = {**defaults, **node.plain()}
    return OpEntry(
        name=name,
        overload=overload or None,
        impl=data["impl"],
        dtype_support=tuple(data["dtype_support"]),
        constraints=tuple(_constraint(variable, limit) for variable, limit in data.get("constraints", {}).items()),
        layout=data.get("layout", "contiguous"),
        inplace=data.get("inplace", False),
        broadcast=data.get("broadcast", False),
        first_output=data.get("first_output", False),
        checks_index=data.get("checks_index", False),
        provenance=data.get("provenance", "declared"),
        evidence=tuple(data.get("evidence", ())),
        origin=origin_of(node),
        alignment=data.get("alignment", 0),
        pad=data.get("pad", False),
        int8_store=data.get("int8_store", ""),
        int8_zero_point=data.get("int8_zero_point", 0),
    )


def _constraint(variable: str, limit: Any) -> Constraint:
    if isinstance(limit, list):
        return Constraint(variable, allowed=tuple(limit))
    return Constraint(variable, **limit)


def _libraries(lineage: Lineage, merged: Merged, device_types: Mapping[Path, str]) -> tuple[Path, ...]:
    """Where the chip library may be: as the profile says, else beside the profile, then beside its bases."""
    named = merged.root.value.get("chip_library")
    if named:
        text, _ = expand(named.value)
        return (Path(named.place.file).parent / text,)
    out = []
    for path in reversed(lineage.files):
        chip = device_types[path].partition(":")[2] or chip_of_file(path)
        if chip:
            out.append(path.parent / f"lib{chip}_chip.so")
    return tuple(out)
