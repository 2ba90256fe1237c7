"""Gives the core the op catalogue, and what each loaded chip's profile binds to it.

The decisions themselves are made in C++ (``csrc/dispatch``); this module translates once, at load.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.errors import Place, Problem, register
from torchfl.layers import NAMES as PYTHON_LAYERS
from torchfl.layers import install as install_python_layers
from torchfl.layers.onnx_runtime import EXTRA, missing_package
from torchfl.notices import layout_mismatch
from torchfl.profile.advice import has_route

if TYPE_CHECKING:
    from torchfl.profile import Constraint, FallbackPolicy, OpEntry, Profile

UNKNOWN_OP = register("TFL0701", "a profile's op is not in this release's catalogue; it falls back", 0)
UNSERVED_LAYER = register(
    "TFL0702", "a fallback layer of the profile needs a package that is absent; it is left out", 0
)
UNKNOWN_LAYER = register("TFL0703", "a fallback layer is neither known nor a kernel of the chip; it is left out", 0)
BAD_ENTRY = register("TFL0704", "the core refuses an entry of a profile; the op falls back", 0)

#: What an op's name says that the overload where it dispatches leaves open; a constraint of the profile on the same
#: variable replaces it.
IMPLIED: dict[str, tuple[tuple[str, tuple[float, ...]], ...]] = {
    "aten::conv2d": (("rank", (4,)), ("transposed", (0,)), ("output_padding", (0,))),
}


class UnsupportedOpError(NotImplementedError):
    """No layer of the profile's fallback policy may serve a call. The text names op, device, dtype, and the fix."""


def bind(core: Any, chips: Iterable[tuple[str, Profile]]) -> tuple[Problem, ...]:
    """Gives the core the catalogue, and the entries and fallback policy of every chip (selector, profile).

    Call it while the core's dispatch is not registered. What a profile says that this release cannot follow is left
    out and returned, and warned of: the op then takes the next layer.
    """
    core.set_unsupported_type(UnsupportedOpError)
    install_python_layers(core)
    core.set_layout_notice(layout_mismatch)
    for spec in catalogue.OPS:
        core.add_op(_op(spec))
    problems: list[Problem] = []
    for selector, profile in chips:
        problems += _bind_ops(core, selector, profile)
        problems += _bind_policy(core, selector, profile.fallback_policy, Place(str(profile.path)))
    if problems:
        from torchfl.runtime import TorchflWarning

        for problem in problems:
            warnings.warn(f"torchfl: {problem}", TorchflWarning, stacklevel=2)
    return tuple(problems)


def _op(spec: OpSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "functional": spec.overload,
        "inplace": spec.inplace,
        "out": spec.out,
        "scalar": spec.scalar,
        "scalar_inplace": spec.scalar_inplace,
        "reference": spec.reference,
        "inputs": list(spec.inputs),
        "list_input": spec.list_input,
        "optional_inputs": list(spec.optional_inputs),
        "input_kinds": [spec.input_kind(name) for name in spec.inputs],
        "output_kinds": list(spec.output_kinds),
        "hidden_outputs": len(spec.hidden_outputs),
        "excluded_dtypes": list(spec.excluded_dtypes),
        "attrs": [(attr.name, attr.kind, list(attr.choices), attr.required, attr.epsilon) for attr in spec.attrs],
        "contiguous": spec.contiguous,
        "shape_rule": spec.shape_rule,
        "dtype_rule": spec.dtype_rule,
    }


def _bind_ops(core: Any, selector: str, profile: Profile) -> Iterator[Problem]:
    for entry, spec, overloads in _claims(profile.ops):
        place = Place(entry.origin.file, entry.origin.line)
        if spec is None:
            cause = f"{entry.full_name} is not in the catalogue and does not route"
            yield Problem(UNKNOWN_OP, cause, "torchfl ops", place, selector)
            continue
        try:
            core.add_binding(_binding(selector, entry, spec, overloads))
        except ValueError as error:
            yield Problem(BAD_ENTRY, str(error), "", place, selector)


def _claims(entries: Iterable[OpEntry]) -> Iterator[tuple[OpEntry, OpSpec | None, list[str]]]:
    """Each entry with its op and the overloads that it serves; overload-exact entries choose first."""
    taken: set[str] = set()
    for entry in sorted(entries, key=lambda e: e.overload is None):
        spec = catalogue.get(entry.name)
        if entry.overload is not None:
            spec = catalogue.by_overload(entry.full_name) or spec
        if spec is None or not has_route(entry):
            yield entry, None, []
            continue
        forms = list(spec.overloads)
        if entry.overload is not None:  # aten::softmax.out is aten::_softmax.out where it dispatches
            exact = [o for o in forms if o == entry.full_name] or [
                o for o in forms if o.partition(".")[2] == entry.overload
            ]
            forms = exact or forms
        forms = [o for o in forms if o not in taken]
        taken.update(forms)
        yield entry, spec, forms


def _binding(selector: str, entry: OpEntry, spec: OpSpec, overloads: list[str]) -> dict[str, Any]:
    constraints = [_constraint(c, spec) for c in entry.constraints]
    named = {c.variable for c in entry.constraints}
    constraints += [
        (variable, [float(v) for v in allowed], None, None, None)
        for variable, allowed in IMPLIED.get(spec.name, ())
        if variable not in named
    ]
    return {
        "selector": selector,
        "op": spec.name,
        "impl": entry.impl,
        "overloads": overloads,
        "dtypes": list(entry.dtype_support),
        "constraints": constraints,
        "layout": entry.layout,
        "inplace": entry.inplace,
        "broadcast": entry.broadcast,
        "routes": entry.routes,
        "alignment": entry.alignment,
        "pad": entry.pad,
        "shifts": entry.int8_zero_point == 128,
        "checks_index": entry.checks_index,
    }


def _constraint(
    constraint: Constraint, spec: OpSpec
) -> tuple[str, list[float] | None, float | None, float | None, int | None]:
    choices = next((a.choices for a in spec.attrs if a.name == constraint.variable), ())
    allowed = None
    if constraint.allowed is not None:
        allowed = [float(choices.index(v) if isinstance(v, str) else v) for v in constraint.allowed]
    low = None if constraint.min is None else float(constraint.min)
    high = None if constraint.max is None else float(constraint.max)
    return constraint.variable, allowed, low, high, constraint.multiple_of


def _bind_policy(core: Any, selector: str, policy: FallbackPolicy, place: Place) -> Iterator[Problem]:
    default, problems = _layers(core, selector, "", policy.default, place)
    yield from problems
    core.set_policy(selector, "", default or ["cpu"])
    for op, wanted in sorted(policy.op_specific.items()):
        layers, problems = _layers(core, selector, op, wanted, place)
        yield from problems
        if not layers or layers[-1] not in ("cpu", "error"):
            layers += default  # a kernel may decline; then what the profile says for every op
        core.set_policy(selector, op, layers or ["cpu"])


def _layers(core: Any, selector: str, op: str, wanted: Iterable[str], place: Place) -> tuple[list[str], list[Problem]]:
    """The layers that this release serves, and what it cannot."""
    where = f"{selector} fallback_policy.{f'op_specific.{op}' if op else 'default'}"
    layers: list[str] = []
    problems: list[Problem] = []
    for layer in wanted:
        if layer == "onnxruntime" and (absent := missing_package()):
            fix = f"pip install '{EXTRA}'"
            problems.append(
                Problem(UNSERVED_LAYER, f"'{layer}' needs {absent}, which is not installed", fix, place, where)
            )
        elif layer in ("cpu", "error", *PYTHON_LAYERS):
            layers.append(layer)
        elif not op or catalogue.get(op) is None:
            problems.append(
                Problem(UNKNOWN_LAYER, f"'{layer}' can only be used for an op of the catalogue", "cpu", place, where)
            )
        elif layer not in _kernels(core, selector):
            problems.append(Problem(UNKNOWN_LAYER, f"the chip library has no kernel '{layer}'", "cpu", place, where))
        else:
            layers.append(layer)
    return layers, problems


def _kernels(core: Any, selector: str) -> set[str]:
    for info in core.chips():
        if info["selector"] == selector:
            return {kernel["name"] for kernel in info["kernels"]}
    return set()
