"""The layer ``decompose``: an op as others, by torch's own table, so that the chip's kernels run the parts.

The parts go through the dispatcher like any op, each to its own layer. The layer serves a call only where at least one
part runs on a kernel of the chip: the CPU does the whole op faster than its parts. That is found out once for each
kind of call (dtypes, ranks, attributes), on stand-ins without memory.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from torchfl.dispatch_trace import Explanation, record
from torchfl.layers.forms import Form, compute, form_of

#: Layers that are the chip's work.
_ON_CHIP = ("native", "op_specific", "decompose")
_KINDS_KEPT = 4096
_PARTS_NAMED = 12

Plan = tuple[bool, str]  # whether it serves, and the parts or the reason


class _Busy(threading.local):
    """The ops that this thread is taking apart: one that meets itself again goes to its next layer."""

    def __init__(self) -> None:
        self.ops: list[Any] = []

    @contextmanager
    def with_op(self, op: Any) -> Iterator[None]:
        self.ops.append(op)
        try:
            yield
        finally:
            self.ops.pop()


class Decompose:
    """See :class:`torchfl.layers.Layer`."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._busy = _Busy()
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._lock = threading.Lock()

    def offer(
        self, selector: str, overload: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[bool, str, bool]:
        """(True, the parts, False) or (False, why not, whether for every call)."""
        form, function, never = self._function(overload)
        if form is None or function is None:
            return False, never, True
        if form.functional in self._busy.ops:
            return False, "it is part of its own decomposition", False
        return (*self._plan(form, function, args, kwargs), False)

    def serve(
        self, selector: str, overload: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[bool, Any, bool]:
        """(True, the result, False) or (False, why not, whether for every call)."""
        import torch

        from torchfl.router import UnsupportedOpError

        form, function, never = self._function(overload)
        if form is None or function is None:
            return False, never, True
        if form.functional in self._busy.ops:
            return False, "it is part of its own decomposition", False
        serves, text = self._known_plan(selector, form, function, args, kwargs)
        if not serves:
            return False, text, False
        try:
            with torch.no_grad(), self._busy.with_op(form.functional):
                return True, compute(form, function, args, kwargs), False
        except (torch.OutOfMemoryError, torch.AcceleratorError):
            raise
        except UnsupportedOpError as error:
            return False, str(error), False
        except Exception as error:  # wrong arguments: a later layer says so in PyTorch's own words
            return False, f"it failed: {type(error).__name__}: {error}".splitlines()[0], False

    def _function(self, overload: str) -> tuple[Form | None, Callable[..., Any] | None, str]:
        form = form_of(overload)
        if form is None:
            return None, None, "no functional overload has its meaning"
        if form.seeded:
            return form, None, "it draws random numbers, which would be others than the CPU's"
        function = _table().get(form.functional)
        return form, function, "" if function is not None else "torch has no decomposition of it"

    def _known_plan(
        self, selector: str, form: Form, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Plan:
        key = (selector, form.functional, _kind(args), _kind(tuple(sorted(kwargs.items()))))
        with self._lock:
            known = self._plans.get(key)
            if known is not None:
                self._plans.move_to_end(key)
                return known
        plan = self._plan(form, function, args, kwargs)
        with self._lock:
            self._plans[key] = plan
            while len(self._plans) > _KINDS_KEPT:
                self._plans.popitem(last=False)
        return plan

    def _plan(self, form: Form, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Plan:
        from torch.utils._python_dispatch import _disable_current_modes

        kept = {name: value for name, value in kwargs.items() if form.inplace or name not in form.destinations}
        try:
            with _disable_current_modes(), self._busy.with_op(form.functional):
                steps = record(self._core, function, args, kept)
        except Exception as error:
            return False, f"its decomposition cannot be followed: {error}".splitlines()[0]
        return _judge(form, steps)


def _judge(form: Form, steps: list[Explanation]) -> Plan:
    parts = [step for step in steps if step.layer not in ("view", "empty")]
    schema = form.functional._schema
    own = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
    if any(step.op == own for step in parts):
        return False, "torch's decomposition of it is the op itself"
    refused = next((step for step in parts if step.layer == "error"), None)
    if refused is not None:
        return False, f"no layer serves its part {refused.op}"
    named = [f"{step.op} ({step.layer})" for step in parts[:_PARTS_NAMED]]
    text = ", ".join(named) + (", ..." if len(parts) > _PARTS_NAMED else "")
    if not any(step.layer in _ON_CHIP for step in parts):
        return False, f"the chip serves none of its parts: {text}"
    return True, text


@lru_cache(maxsize=1)
def _table() -> Mapping[Any, Callable[..., Any]]:
    """torch's registry: the core ATen decompositions, and those of core ops themselves (softmax, layer_norm)."""
    from torch._decomp import decomposition_table

    return decomposition_table


def _kind(value: Any) -> Any:
    """What calls of one plan have in common: a tensor's dtype, rank and device, any other argument's value."""
    import torch

    if isinstance(value, torch.Tensor):
        return (value.dtype, value.dim(), value.device)
    if isinstance(value, (tuple, list)):
        return tuple(_kind(item) for item in value)
    if isinstance(value, (bool, float, int)):
        return (type(value), value)
    return value if value is None or isinstance(value, (str, torch.dtype, torch.device)) else str(value)
