"""The ops that a callable dispatches on a torchfl device, and the layer that would serve each, without running them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

#: Best first; the slowest step of a call names its layer.
LAYERS = ("view", "empty", "native", "op_specific", "decompose", "onnxruntime", "cpu", "error")


@dataclass(frozen=True)
class Explanation:
    """What would serve a call.

    ``layer``: native (the profile's kernel), op_specific (a kernel of the fallback policy), decompose (torch's
    decomposition, on the device), onnxruntime, cpu, error (no layer may serve it), view (nothing is computed) or empty
    (the result has no elements). ``reason`` says why it is not native, what earlier layers of the policy lack, and the
    parts of a decomposition; or which adapters a native call needs. ``steps`` are the calls of a composite op, in
    order; the explanation itself is then that of the step which the op's name stands for, else of the slowest one.
    """

    op: str
    layer: str
    kernel: str
    reason: str
    selector: str = ""
    steps: tuple[Explanation, ...] = ()

    def __str__(self) -> str:
        kernel = f" by {self.kernel}" if self.kernel else ""
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.op}: {self.layer}{kernel}{reason}"


class _CannotGoOn(Exception):
    """A stand-in has no values, and some ops have no shape function: what was recorded until then still holds."""


def record(core: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> list[Explanation]:
    """Runs ``function`` on stand-ins without memory and explains every op that it dispatches."""
    import torch
    from torch._subclasses.fake_tensor import (
        DataDependentOutputException,
        DynamicOutputShapeException,
        FakeTensor,
        FakeTensorMode,
        UnsupportedOperatorException,
    )
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_map_only

    steps: list[Explanation] = []
    composite = torch._C.DispatchKey.CompositeExplicitAutograd
    unknowable = (
        NotImplementedError,
        DataDependentOutputException,
        DynamicOutputShapeException,
        UnsupportedOperatorException,
    )

    class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if func.namespace == "prim":
                return func(*args, **kwargs)
            if _is_composite(func, "CompositeImplicitAutograd"):
                with self:
                    return func.decompose(*args, **kwargs)
            if _is_composite(func, "CompositeExplicitAutograd"):
                # Only to see the ops that it is made of; stand-ins do not survive every kernel, so its own shape
                # function gives the result.
                with self, suppress(_CannotGoOn, RuntimeError):
                    func._op_dk(composite, *args, **kwargs)
                return func(*args, **kwargs)
            step = _step(core, func, args, kwargs)
            if step is not None:
                steps.append(step)
            try:
                return func(*args, **kwargs)
            except unknowable as error:
                if step is None:
                    raise
                raise _CannotGoOn from error

    fake = FakeTensorMode(allow_non_fake_inputs=True, allow_fallback_kernels=False)

    def stand_in(t: Any) -> Any:
        if isinstance(t, FakeTensor):  # another trace's
            with fake:
                return torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device)
        # Detached where it is no leaf: a stand-in copies .grad, and torch warns of reading an intermediate result's.
        return fake.from_tensor(t if t.is_leaf else t.detach(), static_shapes=True)

    args, kwargs = tree_map_only(torch.Tensor, stand_in, (args, kwargs))
    with torch.no_grad(), fake, Recorder(), suppress(_CannotGoOn):  # type: ignore[no-untyped-call]
        function(*args, **kwargs)
    return steps


def _overload(func: Any) -> str:
    schema = func._schema
    return str(schema.name + (f".{schema.overload_name}" if schema.overload_name else ""))


def _is_view(func: Any) -> bool:
    return any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns)


def _is_composite(func: Any, key: str) -> bool:
    """Whether the device runs the op as other ops: it has a kernel made of them under ``key``, and none of ours."""
    import torch

    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    return not _is_view(func) and not has_kernel(func.name(), "PrivateUse1") and bool(has_kernel(func.name(), key))


def _step(core: Any, func: Any, args: Any, kwargs: Any) -> Explanation | None:
    from torch.utils._pytree import tree_leaves

    if not any(
        getattr(getattr(leaf, "device", None), "type", "") in ("fl", "xpu") for leaf in tree_leaves((args, kwargs))
    ):
        return None
    overload = _overload(func)
    if _is_view(func):
        return Explanation(overload, "view", "", "a view: nothing is computed")
    layer, kernel, reason, selector = core.decide(overload, *args, **kwargs)
    return Explanation(overload, layer, kernel, reason, selector)
