"""PyTorch's own op samples (``op_db``) behind the few attributes that this project relies on.

``op_db`` belongs to torch's test suite: it is not a public interface and needs numpy and expecttest. Everything that
is read of an OpInfo is read here, once: name, variant_test_name, op, inplace_variant, dtypes, supports_out and
sample_inputs_func. Which aten overloads an OpInfo reaches is recorded from a call, never concluded from its name.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torchfl_sdk.conformance.cases.calling import overload
from torchfl_sdk.conformance.cases.dtypes import dtype_name, torch_dtype

from torchfl.errors import Problem, TorchflError, register

Note = TypeVar("Note")

NO_OP_DB = register("TFL0911", "PyTorch's op samples need a package that is not installed", 3)


@dataclass(frozen=True)
class DbSample:
    """One call: ``function(*args, **kwargs)``; tensors are on the CPU."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """One aten call below autograd: the overload's full name ("aten::add.Tensor") and its arguments."""

    overload: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, eq=False)
class DbOp:
    """One entry of op_db. ``inplace`` is None and ``takes_out`` False where PyTorch has no such form."""

    name: str
    variant: str
    function: Callable[..., Any]
    inplace: Callable[..., Any] | None
    takes_out: bool
    dtypes: frozenset[str]
    _info: Any = field(repr=False)

    @property
    def id(self) -> str:
        """Name and variant; unique in op_db."""
        return f"{self.name}-{self.variant}" if self.variant else self.name

    def samples(
        self, dtype: str, limit: int | None = None, seed: int = 0, *, spread: bool = True
    ) -> Iterator[DbSample]:
        """The samples in one dtype, drawn anew from ``seed``; at most ``limit``: spread over all, or the first ones.

        Drawing the first ones is cheaper. Random states of torch, numpy and Python are as before afterwards.
        """
        with _seeded(seed):
            # Not sample_inputs(): it has a seed of its own, and looks through the whole call stack each time.
            drawn = self._info.sample_inputs_func(self._info, "cpu", torch_dtype(dtype), False)
            every = list(drawn if spread else islice(drawn, limit))
        step = 1 if limit is None else max(1, -(-len(every) // limit))
        for one in every[::step]:
            yield DbSample((one.input, *one.args), dict(one.kwargs))


@cache
def db_ops() -> tuple[DbOp, ...]:
    """All of op_db, by name. Takes seconds at the first call.

    Raises TorchflError (TFL0911) if a package is missing that torch's test utilities need.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's test utilities use what torch itself deprecates
            from torch.testing._internal.common_methods_invocations import op_db
    except ImportError as error:
        missing = error.name or str(error)
        raise TorchflError(
            Problem(NO_OP_DB, f"no module named {missing!r}", "pip install 'flagos-torchfl[conformance]'")
        ) from error
    found = (
        DbOp(
            info.name,
            info.variant_test_name,
            info.op,
            info.inplace_variant,
            bool(info.supports_out),
            frozenset(dtype_name(dtype) for dtype in info.dtypes),
            info,
        )
        for info in op_db
    )
    return tuple(sorted(found, key=lambda op: (op.name, op.variant)))


def record(function: Callable[..., Any], sample: DbSample) -> list[Recorded]:
    """The aten calls that a sample makes on the CPU, in order. Raises what the function raises."""
    return [call for call, _ in noted(function, sample, lambda call: call)]


def noted(
    function: Callable[..., Any], sample: DbSample, note: Callable[[Recorded], Note | None]
) -> list[tuple[Note, tuple[int, ...]]]:
    """What ``note`` makes of each aten call before it runs, where that is not None, with the shape of its first result.

    Arguments must be read in ``note``: a later call may change them in place. Raises what the function raises.
    """
    recorder = _Recorder(note)
    with torch.no_grad(), recorder:
        function(*sample.args, **sample.kwargs)
    return recorder.notes


@contextmanager
def entries(overloads: Iterable[str]) -> Iterator[None]:
    """Inside, calls of these composites are noted as they are made, and then what they decompose into.

    A dispatch mode stands below autograd, where a composite is decomposed already; here it is noted at autograd's key.
    """
    library = torch.library.Library("aten", "IMPL")
    for name in overloads:
        op = overload(name)
        library.impl(name.removeprefix("aten::"), partial(_entered, op), "AutogradCPU")
    try:
        yield
    finally:
        library._destroy()


def _entered(op: Any, *args: Any, **kwargs: Any) -> Any:
    recorder = _Recorder.current
    if recorder is None:
        return op.decompose(*args, **kwargs)
    return recorder.call(op, op.decompose, args, kwargs)


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    current: _Recorder | None = None

    def __init__(self, note: Callable[[Recorded], Any]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.note = note
        self.notes: list[tuple[Any, tuple[int, ...]]] = []

    def __enter__(self) -> Any:
        _Recorder.current = self
        return super().__enter__()  # type: ignore[no-untyped-call]

    def __exit__(self, *exc: Any) -> None:
        _Recorder.current = None
        super().__exit__(*exc)  # type: ignore[no-untyped-call]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.call(func, func, tuple(args), dict(kwargs or {}))

    def call(self, op: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Note a call of ``op`` and ``run`` it."""
        made = self.note(Recorded(op.name(), args, kwargs))
        result = run(*args, **kwargs)
        if made is not None:
            first = result[0] if isinstance(result, tuple | list) and result else result
            self.notes.append((made, tuple(first.shape) if isinstance(first, torch.Tensor) else ()))
        return result


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Fixed random states of everything that draws samples."""
    import numpy as np

    before = torch.get_rng_state(), np.random.get_state(), random.getstate()
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before[0])
        np.random.set_state(before[1])
        random.setstate(before[2])
