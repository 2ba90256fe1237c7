"""Kernels that Python code registers for ``xpu`` through torch.library: they are our device's too.

torch registers them on the dispatch key of its own XPU backend, which no tensor of ours carries: an op with another
implementation would silently run that one. Each gets a twin on our key, also those from before ``init()``, for as long
as it is there and nobody registers another kernel for our key.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import torch
import torch.library

from torchfl.identity.replace import Replacements

_KEYS = {"XPU": "PrivateUse1", "AutogradXPU": "AutogradPrivateUse1"}
_replaced = Replacements()
_twins: dict[str, tuple[Any, Any]] = {}  # op and key -> the library that has the kernel, and ours that has the twin


def _named(library: Any, op: Any, key: str) -> str:
    """As torch.library names what it has registered."""
    name = op if isinstance(op, str) else op._schema.name + ("." if op._overloadname else "") + op._overloadname
    return f"{library.ns}/{name.split('::')[-1]}/{key}"


def _drop(name: str) -> None:
    _, twin = _twins.pop(name, (None, None))
    if twin is not None:
        twin._destroy()


def install() -> None:
    """Gives what is and will be registered for torch's XPU keys twins on ours."""
    if _replaced:
        return
    library: Any = torch.library.Library
    impl, destroy = library.impl, library._destroy

    @functools.wraps(impl)
    def impl_and_twin(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        key = dispatch_key or self.dispatch_key
        if key in _KEYS.values():
            _drop(_named(self, op_name, key))
        result = impl(self, op_name, fn, dispatch_key, **options)
        name = _named(self, op_name, _KEYS.get(key, key))
        if key in _KEYS and name not in vars(torch.library)["_impls"]:
            twin = library(self.ns, "FRAGMENT")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the op may have had the CPU's kernel on our device
                impl(twin, op_name, fn, _KEYS[key], **options)
            _twins[name] = self, twin
        return result

    @functools.wraps(destroy)
    def _destroy(self: Any) -> None:
        for name in [name for name, (owner, _) in _twins.items() if owner is self]:
            _drop(name)
        destroy(self)

    _replaced.put(library, "impl", impl_and_twin)
    _replaced.put(library, "_destroy", _destroy)
    for name in sorted(vars(torch.library)["_impls"]):
        _twin_of_an_earlier(name)


def _twin_of_an_earlier(name: str) -> None:
    """The kernel itself is the dispatcher's by now: the twin calls it there."""
    space, op, key = name.split("/")
    ours = f"{space}/{op}/{_KEYS.get(key)}"
    if key not in _KEYS or ours in vars(torch.library)["_impls"]:
        return
    base, _, overload = op.partition(".")
    packet = getattr(getattr(torch.ops, space), base, None)
    found = getattr(packet, overload or "default", None)
    if found is None:  # its definition is gone
        return
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    library: Any = torch.library.Library
    twin = library(space, "FRAGMENT")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as above
        _before_ours(twin, op, functools.partial(found.redispatch, keys), _KEYS[key])
    _twins[ours] = None, twin


def _before_ours(library: Any, *arguments: Any) -> None:
    """torch's own ``impl``."""
    torch.library.Library.impl.__wrapped__(library, *arguments)  # type: ignore[attr-defined]


def check() -> None:
    """Raises where a kernel for xpu would go to torch's XPU backend alone. Registers nothing: torch forgets no op."""
    library: Any = torch.library.Library
    for name in ("impl", "_destroy"):
        if vars(library)[name].__module__ != torch.library.__name__ or not hasattr(vars(library)[name], "__wrapped__"):
            raise RuntimeError(f"self-check failed: torch.library.Library.{name} is not ours")


def remove() -> None:
    """Puts torch's own back, and takes the twins away."""
    _replaced.undo()
    for name in list(_twins):
        _drop(name)
