"""Which layer a call would take and why, without running it; and one kernel by itself, without the router's checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torchfl import catalogue, runtime
from torchfl.catalogue import OpSpec
from torchfl.dispatch_trace import LAYERS, record
from torchfl.dispatch_trace import Explanation as Explanation
from torchfl.errors import Problem, TorchflError, did_you_mean, register

if TYPE_CHECKING:
    import torch

UNKNOWN_NAME = register("TFL0705", "explain() or run_kernel() was asked for an op that does not exist")
NOTHING_DISPATCHED = register("TFL0706", "what explain() was given calls no op on a device tensor")
BAD_CALL = register("TFL0707", "run_kernel() was given arguments that do not fit the op")
NO_KERNEL = register("TFL0708", "the chip library has no kernel of this name")


@dataclass(frozen=True)
class KernelResult:
    """What one kernel said: ``status`` is OK, UNSUPPORTED, INVALID_ARGUMENT...; ``output`` is set only for OK."""

    status: str
    output: torch.Tensor | None
    error: str


def explain(op: str | Callable[..., Any], /, *args: Any, **kwargs: Any) -> Explanation:
    """Says which layer would serve ``op(*args, **kwargs)`` on the arguments' device, and why. Runs and moves nothing.

    ``op`` is the name of an op (``"aten::conv2d"``, ``"aten::add.Tensor"``), an op of ``torch.ops``, or any callable
    made of them. Device tensors stand for themselves by shape, strides, dtype and device; their values are not read.
    Raises TorchflError: TFL0705 for an unknown name, TFL0706 if no op is called on a device tensor; and what the call
    itself raises for wrong arguments.
    """
    _, core = runtime._require()
    function, name = _function(op)
    steps = record(core, function, args, kwargs)
    if not steps:
        raise TorchflError(
            Problem(
                NOTHING_DISPATCHED, "no op was called on a tensor of a torchfl device", "move an argument to the device"
            )
        )
    if len(steps) == 1:
        return steps[0]
    named = catalogue.get(name)
    own = [s for s in steps if named is not None and s.op in (named.overload, named.inplace, named.out)]
    chosen = own[-1] if own else max(steps, key=lambda s: LAYERS.index(s.layer))
    return Explanation(chosen.op, chosen.layer, chosen.kernel, chosen.reason, chosen.selector, tuple(steps))


def _function(op: str | Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """What to call, and the op's name without overload ("" for a callable that is no op)."""
    import torch

    if not isinstance(op, str):
        schema = getattr(op, "_schema", None)
        return op, schema.name if schema is not None else getattr(op, "_qualified_op_name", "")
    base, _, overload = op.partition(".")
    namespace, _, short = base.rpartition("::")
    space = getattr(torch.ops, namespace or "aten")
    try:
        function = getattr(space, short)
        return (getattr(function, overload) if overload else function), f"{namespace or 'aten'}::{short}"
    except AttributeError:
        near = did_you_mean(base, [spec.name for spec in catalogue.OPS])
        raise TorchflError(
            Problem(UNKNOWN_NAME, f"torch has no op '{op}'", f"did you mean {near}?" if near else "")
        ) from None


def run_kernel(selector: str, impl: str, op: str, /, *args: Any, **kwargs: Any) -> KernelResult:
    """Runs the kernel ``impl`` of a chip as the catalogue's ``op``, without provenance, dtype and constraint checks.

    ``args`` and ``kwargs`` are the op's inputs, then its attributes, in the catalogue's order or by name; what is left
    out takes the catalogue's default. CPU tensors are moved to the device first. No other layer is tried. Named by its
    in-place or out= overload (``aten::relu_``), the op writes its result over its first input.
    Raises TorchflError: TFL0705 for an op that is not in the catalogue, TFL0707 for arguments that do not fit it,
    TFL0708 for a kernel that the chip library lacks.
    """
    return run_adapted(selector, impl, op, args, kwargs)


def run_adapted(
    selector: str,
    impl: str,
    op: str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    *,
    channels_last: bool = False,
    shifted: bool = False,
) -> KernelResult:
    """As :func:`run_kernel`, with what a profile says beside limits: images lie NHWC, int8 is given as uint8."""
    _, core = runtime._require()
    spec = catalogue.get(op) or catalogue.by_overload(op)
    if spec is None:
        near = did_you_mean(op, [known.name for known in catalogue.OPS])
        raise TorchflError(
            Problem(UNKNOWN_NAME, f"'{op}' is not in the catalogue", f"did you mean {near}?" if near else "torchfl ops")
        )
    device = runtime.device(selector)
    inputs, attrs = _arguments(spec, args, kwargs)
    on_device = [None if t is None else t.to(device) for t in inputs]
    try:
        inplace = op in (spec.inplace, spec.out)
        return KernelResult(
            *core.run_kernel(device.index, impl, spec.name, on_device, attrs, inplace, channels_last, shifted)
        )
    except KeyError as error:
        raise TorchflError(Problem(NO_KERNEL, str(error.args[0]), "see its kernel table", where=selector)) from None


def _arguments(spec: OpSpec, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    if spec.list_input:
        import torch

        # run_kernel("aten::cat", [a, b], 0), or the tensors one by one
        tensors = [a for a in args if isinstance(a, torch.Tensor)] or list(args[0] if args else kwargs[spec.inputs[0]])
        kwargs = {name: value for name, value in kwargs.items() if name != spec.inputs[0]}
        rest = [a for a in args if not isinstance(a, (torch.Tensor, list, tuple))]
        return tensors, _attributes(spec, dict(zip((a.name for a in spec.attrs), rest, strict=False)) | kwargs)
    names = [*spec.inputs, *(attr.name for attr in spec.attrs)]
    unknown = [name for name in kwargs if name not in names]
    if len(args) > len(names) or unknown:
        cause = f"{spec.name} takes {', '.join(names)}" + (f", not {', '.join(unknown)}" if unknown else "")
        raise TorchflError(Problem(BAD_CALL, cause))
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    missing = [n for n in spec.inputs if given.get(n) is None and n not in spec.optional_inputs]
    if missing:
        raise TorchflError(Problem(BAD_CALL, f"{spec.name} needs {', '.join(missing)}"))
    return [given.get(name) for name in spec.inputs], _attributes(spec, given)


def _attributes(spec: OpSpec, given: dict[str, Any]) -> list[Any]:
    """In the catalogue's order. A list without a default (stride) means 1 in every dimension; None is "not given"."""
    found: list[Any] = []
    for attr in spec.attrs:
        usual = 1 if attr.required and attr.kind == "int_list" else attr.default
        if attr.name not in given and attr.required and usual is None:
            raise TorchflError(Problem(BAD_CALL, f"{spec.name} needs {attr.name}"))
        value = given.get(attr.name, usual)
        found.append(None if value is None else _attr(attr.kind, value))
    return found


def _attr(kind: str, value: Any) -> Any:
    if kind == "int_list":
        return [int(value)] if isinstance(value, int) else [int(v) for v in value]
    return bool(value) if kind == "bool" else value
