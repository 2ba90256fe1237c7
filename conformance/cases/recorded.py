"""Cases from PyTorch's own op samples: the calls of catalogue ops that they make, with their values.

Which calls those are is recorded on the CPU below autograd: ``nn.functional.linear`` gives cases of addmm, ``cdist``
of mul and sum. What is a composite on the CPU (``rms_norm``) is recorded where it is entered. A call is left out where
the catalogue cannot express it: a number in place of a tensor, lazy conjugation, elements that share memory, an
argument that no kernel gets.
"""

from __future__ import annotations

import math
import random
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import torch
from torchfl_sdk.conformance.cases.calling import overload
from torchfl_sdk.conformance.cases.dtypes import dtype_name, torch_dtype
from torchfl_sdk.conformance.cases.expectation import variables
from torchfl_sdk.conformance.cases.given import given
from torchfl_sdk.conformance.cases.op_db import Recorded, db_ops, entries, noted
from torchfl_sdk.conformance.cases.spec import SampleSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec

_SAMPLES = 8  # of each OpInfo in each dtype, spread over all that it has
_LARGEST = 4096  # elements of all inputs together
_PLAIN = (bool, int, float, str, type(None))


def recorded_samples(wanted: Mapping[str, Sequence[str]], seed: int, most: int) -> tuple[tuple[str, SampleSpec], ...]:
    """(variant, sample) of ops by profile name in the dtypes ``wanted``: at most ``most`` per op, dtype and variant.

    Those are drawn by ``seed`` from distinct calls, one of each OpInfo first. Raises TorchflError (TFL0911) without
    the packages that op_db needs.
    """
    found: dict[tuple[str, str, str], dict[str, dict[str, SampleSpec]]] = defaultdict(lambda: defaultdict(dict))
    with warnings.catch_warnings(), entries(name for name, op in composites().items() if op.name in wanted):
        warnings.simplefilter("ignore")
        for dtype in sorted({d for dtypes in wanted.values() for d in dtypes}):
            for variant, source, sample in _all(dtype, seed):
                if dtype in wanted.get(sample.op, ()):
                    found[sample.op, dtype, variant][source].setdefault(sample.id, sample)
    chosen = []
    for key in sorted(found):
        chosen += [(key[2], sample) for sample in _choose(found[key], f"{seed} {key}", most)]
    return tuple(chosen)


@cache
def composites() -> dict[str, OpSpec]:
    """Composites that stand for an op of the catalogue, argument by argument: what a program calls, below which the CPU
    does something else than a device that has the op."""
    return {name: op for op in catalogue.OPS for name in {op.reference, op.name} if _stands_for(name, op)}


def _stands_for(name: str, op: OpSpec) -> bool:
    try:
        arguments = {argument.name for argument in overload(name)._schema.arguments}
    except ValueError:  # no such overload
        return False
    same = arguments == {*op.inputs, *(attr.name for attr in op.attrs)}
    return same and bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"))


def _choose(by_source: Mapping[str, Mapping[str, SampleSpec]], seed: str, most: int) -> list[SampleSpec]:
    """Round by round one of each source, in an order that the seed fixes; no call twice."""
    order = random.Random(seed)
    queues = [sorted(by_source[source].items()) for source in sorted(by_source)]
    order.shuffle(queues)
    for queue in queues:
        order.shuffle(queue)
    seen: dict[str, SampleSpec] = {}
    while any(queues) and len(seen) < most:
        for queue in queues:
            if queue and len(seen) < most:
                seen.setdefault(*queue.pop())
    return list(seen.values())


def _all(dtype: str, seed: int) -> Iterator[tuple[str, str, SampleSpec]]:
    for op in db_ops():
        if dtype not in op.dtypes:
            continue
        for sample in op.samples(dtype, _SAMPLES, seed):
            note = partial(as_sample, dtype=dtype, label=f"op_db {op.id}", seed=seed)
            try:
                calls = noted(op.function, sample, note)
            except Exception:  # a sample of an error, or of what the CPU lacks
                continue
            for (variant, case), shape in calls:
                if _shape_rule_holds(case, shape):
                    yield variant, op.id, case


def as_sample(call: Recorded, dtype: str, label: str, seed: int) -> tuple[str, SampleSpec] | None:
    """(variant, sample) of a recorded call in ``dtype``; None where the catalogue cannot express it."""
    op = catalogue.by_overload(call.overload) or composites().get(call.overload)
    if op is None:
        return None
    values = {name: value for name, value in _named(call).items() if name not in dict(op.fixed)}
    inputs = list(values.pop(op.inputs[0])) if op.list_input else [values.pop(name, None) for name in op.inputs]
    if values.get("transposed"):
        return None  # the rule for its shape is another one
    if values.get("training"):
        return None  # it writes two of its inputs, the running statistics
    given_attrs = {attr.name: values.pop(attr.name) for attr in op.attrs if attr.name in values}
    given_attrs = _undefaulted(call.overload, op) | given_attrs
    variant = {op.inplace: "inplace", op.out: "out"}.get(call.overload, "forward")
    if variant == "out":
        values.pop("out", None)
    if op.output_kinds[0] == "named" and "dtype" not in given_attrs:
        return None  # a cast to nothing: a copy
    attrs = tuple((name, _stated(op, v)) for name, v in given_attrs.items())
    if values or not all(_plain(v) for _, v in attrs) or not _expressible(op, inputs, dtype):
        return None
    tensors = tuple(None if t is None else given(t, dtype) for t in inputs)
    sample = SampleSpec(op.name, dtype, tensors, attrs, label, seed)
    return None if sample.numel > _LARGEST else (variant, sample)


def _named(call: Recorded) -> dict[str, Any]:
    """The arguments that differ from the schema's defaults, by name."""
    arguments = overload(call.overload)._schema.arguments
    given_values = dict(zip((a.name for a in arguments), call.args, strict=False)) | call.kwargs
    defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
    return {k: v for k, v in given_values.items() if k not in defaults or not _equal(v, defaults[k])}


def _equal(value: Any, default: Any) -> bool:
    return not isinstance(value, torch.Tensor) and type(value) is type(default) and bool(value == default)


def _undefaulted(called: str, op: OpSpec) -> dict[str, Any]:
    """Attributes that what was called has a default for, and the overload of the op has not."""
    if called == op.reference_overload:
        return {}
    defaults = [{a.name: a.default_value for a in overload(name)._schema.arguments if a.has_default_value()}
                for name in (called, op.reference_overload)]  # fmt: skip
    names = [attr.name for attr in op.attrs if attr.name in defaults[0] and attr.name not in defaults[1]]
    return {name: defaults[0][name] for name in names}


def _stated(op: OpSpec, value: Any) -> Any:
    """An attribute's value as a case states it: lists as tuples, and by its name the dtype that a result is cast to."""
    if isinstance(value, torch.dtype) and op.output_kinds[0] == "named":
        return next((name for name in op.dtypes if torch_dtype(name) == value), value)
    return tuple(value) if isinstance(value, list) else value


def _plain(value: Any) -> bool:
    return all(isinstance(v, _PLAIN) for v in value) if isinstance(value, tuple) else isinstance(value, _PLAIN)


def _expressible(op: OpSpec, inputs: Sequence[Any], dtype: str) -> bool:
    names = op.inputs * len(inputs) if op.list_input else op.inputs
    for name, value in zip(names, inputs, strict=True):
        if value is None:
            if name not in op.optional_inputs:
                return False
            continue
        if type(value) is not torch.Tensor or value.layout != torch.strided or value.is_conj() or value.is_neg():
            return False
    common = [value for name, value in zip(names, inputs, strict=True) if op.input_kind(name) == "common"]
    leading = common if op.list_input else common[:1]  # the dtype of a list's result is known where it is that of all
    return bool(leading) and all(isinstance(t, torch.Tensor) and dtype_name(t.dtype) == dtype for t in leading)


def _shape_rule_holds(sample: SampleSpec, shape: tuple[int, ...]) -> bool:
    """Whether the catalogue's rule gives the size of the result: not for a transposed convolution."""
    op = catalogue.get(sample.op)
    if op is None:
        return False
    try:
        numel = variables(op, sample)["numel"]
    except (ValueError, IndexError, KeyError, TypeError, ZeroDivisionError):
        return False
    return bool(numel == max([math.prod(shape), *(t.numel for t in sample.inputs if t is not None)]))
