"""Kernels over casts from one element type to another: which function, or which two, for each pair of dtypes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.casts import combined, every, pair_of, way
from torchfl_sdk.match.model import Binding, Call, StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.call_plan import CallParts
from torchfl_sdk.scaffold.kernel_plan import Case, Helpers, Kernel, NotGenerated, flags, function_name, result


def is_cast(binding: Binding) -> bool:
    """True for a binding whose calls each have two element types of their own."""
    return bool(binding.calls[0].results)


def plan_casts(
    binding: Binding, op: OpSpec, status: StatusType, helpers: Helpers, place: Callable[[Call], str]
) -> Kernel:
    """The kernel: its ``parts`` are the vendor's functions as C++ lambdas, its cases the pairs of dtypes."""
    by_pair = {pair_of(call): call for call in binding.calls}
    served = combined(by_pair)
    if any(d not in cxx.TFL_DTYPES for d in served[0]):
        raise NotGenerated("one of its element types is none that the chip ABI has")
    functions = []
    for call in binding.calls:
        parts = CallParts(replace(binding, calls=(call,)), op, helpers)
        before, arguments, after = parts.arguments(call)
        statement = result(call, status, after)(arguments, 4)
        functions.append(Case(_name(call), (*parts.before, *before), statement))
    cases = []
    for pair in every(served):
        calls = [by_pair[step] for step in way(pair, by_pair) or ()]
        label = f"case torchfl::cast({', '.join(cxx.TFL_DTYPES[d] for d in pair)}):"
        if len(calls) == 1:
            statement = f"return {_name(calls[0])}(call->inputs[0], call->outputs[0]);"
        else:
            steps = ", ".join(map(_name, calls))
            statement = (
                f"return torchfl::cast_twice(device::api, *call, {cxx.TFL_DTYPES[calls[0].results[0]]}, {steps});"
            )
        cases.append(Case(label, (), statement))
    return Kernel(
        impl=binding.impl,
        op=binding.op,
        function=function_name(binding.impl),
        template="cast",
        sources=tuple(place(c) for c in binding.calls),
        symbols=tuple(c.function for c in binding.calls),
        flags=flags(binding),
        cases=tuple(cases),
        parts=tuple(functions),
        uniform=False,
    )


def _name(call: Call) -> str:
    return "_to_".join(pair_of(call))
