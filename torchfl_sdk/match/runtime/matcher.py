"""Runtime functions: which vendor function initialises, allocates, copies, waits, and what its arguments carry.

A function takes a role only if its name says so and every one of its arguments fits; otherwise the reason is kept. In a
runtime that is opened (:mod:`torchfl_sdk.match.runtime.context`) each function takes the context beside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torchfl_sdk.header.model import Function, HeaderModel, Param
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.model import RoleMatch, RuntimeFunction, StatusType
from torchfl_sdk.match.runtime.context import Context, contexts
from torchfl_sdk.match.runtime.fit import Fitter
from torchfl_sdk.match.runtime.roles import BYTES, ROLES, Role
from torchfl_sdk.match.tokens import Prefixes, cores, split, words

#: Of roles whose plain names say nothing alone, the one that has to be there too.
_WITH = {"init": "finalize", "finalize": "init", "set_device": "device_count", "free": "malloc",
         "memcpy_h2d": "memcpy_d2h", "memcpy_d2h": "memcpy_h2d"}  # fmt: skip
_DEVICES = frozenset(words("device devices dev card cards gpu npu accelerator accelerators board boards ordinal id "
                           "index"))  # fmt: skip
#: Roles that a header without an allocator has no use for.
_OF_MEMORY = ("free", "memcpy", "memcpy_h2d", "memcpy_d2h", "memcpy_d2d", "memset")
#: What a function may start and stop, use or count that is no device and no runtime.
_OTHERWISE = re.compile(r"profil|tim(?:er|ing)|trac(?:e|ing)|record|captur|measur|batch|thread|stream|queue", re.I)

#: What the wider vocabulary calls roles that go by another name here.
_NARROW = {"device_sync": "synchronize", "error_string": "last_error", "host_map": "map_host",
           "host_unmap": "unmap_host"}  # fmt: skip


def _holds_tensors(found: Sequence[RuntimeFunction]) -> bool:
    """True for a runtime that reserves memory by an opened context, and copies to it and back."""
    roles = {f.role for f in found}
    opened = any(f.role == "malloc" and any(a.role == "context" for a in f.arguments) for f in found)
    return opened and "free" in roles and ("memcpy" in roles or {"memcpy_h2d", "memcpy_d2h"} <= roles)


class RuntimeMatcher:
    """Finds the runtime functions of one header."""

    def __init__(
        self, model: HeaderModel, prefix: Prefixes, status: StatusType, wide: Sequence[RoleMatch] = ()
    ) -> None:
        self._model = model
        self._prefix = prefix
        self._wide = wide
        self._fitter = Fitter(model, status, wide)
        self._context: Context | None = None
        self.reasons: dict[str, str] = {}  # function -> why a function named like a role does not take it

    def run(self) -> list[RuntimeFunction]:
        """One function per role, in the order of :data:`ROLES`; the best-named one that fits."""
        found = self._roles()
        if any(f.role == "malloc" for f in found):
            return found
        plain, reasons = found, self.reasons
        for context in contexts(self._model, lambda f: self._fitter.returns(f.result)):
            self._context, self._fitter.context, self.reasons = context, context.key, {}
            found = self._roles()
            if _holds_tensors(found):
                return [*found, *(f for f in (context.opens, context.closes) if f is not None)]
        self._context, self._fitter.context, self.reasons = None, "", reasons
        return plain

    def _roles(self) -> list[RuntimeFunction]:
        called = {f.name: {"".join(c) for c in cores(f.name, self._prefix)} for f in self._model.functions}
        own = self._context.functions if self._context is not None else ()
        found: list[RuntimeFunction] = []
        for role in ROLES:
            named = [f for name in role.names for f in self._model.functions if name in called[f.name]]
            taken = ""
            for function in named:
                if function.name in own:
                    continue
                if taken:
                    self.reasons.setdefault(function.name, f"runtime role {role.role} is served by {taken}")
                    continue
                fitted = self._fit(role, function)
                if fitted is not None:
                    found.append(fitted)
                    taken = function.name
        return self._with_wide(self._with_plain(found))

    def _with_wide(self, found: list[RuntimeFunction]) -> list[RuntimeFunction]:
        """The same and functions that the wider vocabulary of runtimes knows, where everything about them fits."""
        roles, taken = {f.role: f for f in found}, {f.function for f in found}
        core = {f.name: "".join(cores(f.name, self._prefix)[0]) for f in self._model.functions}
        for role in ROLES:
            if role.role in _OF_MEMORY and "malloc" not in roles:
                continue  # what frees or copies nobody's memory says nothing of a device
            for entry in self._wide if role.role not in roles else ():
                function = self._model.function(entry.function)
                if _NARROW.get(entry.role, entry.role) != role.role or function is None or function.name in taken:
                    continue
                if core[function.name] in role.plain:  # judged already, by what stands beside it
                    continue
                fitted = self._fit(role, function)
                if fitted is not None and function.name not in (self._context.functions if self._context else ()):
                    roles[role.role] = fitted
                    taken.add(function.name)
                    break
        return [roles[r.role] for r in ROLES if r.role in roles]

    def _with_plain(self, found: list[RuntimeFunction]) -> list[RuntimeFunction]:
        """The same and functions by plain names, ``acme_start``, each with what it needs beside it."""
        roles, taken = {f.role: f for f in found}, {f.function for f in found}
        core = {f.name: "".join(cores(f.name, self._prefix)[0]) for f in self._model.functions}  # behind no part's name
        for role in ROLES:
            for function in self._model.functions if role.plain and role.role not in roles else ():
                if (
                    function.name in taken
                    or (self._context is not None and function.name in self._context.functions)
                    or core[function.name] not in role.plain
                    or _OTHERWISE.search(function.comment)
                ):
                    continue
                fitted = self._fit(role, function)
                if fitted is not None and self._means(role, function, core):
                    roles[role.role] = fitted
                    taken.add(function.name)
                    break
        plain = set(roles) - {f.role for f in found}
        for name in [n for n in _WITH if n in plain and _WITH[n] not in roles]:
            roles.pop(name)
        return [roles[r.role] for r in ROLES if r.role in roles]

    def _means(self, role: Role, function: Function, core: Mapping[str, str]) -> bool:
        """True if arguments or neighbours say what a plain name leaves open."""
        named = {w for p in function.params for w in split(p.name)}
        if role.role == "device_count":
            selects = next(r for r in ROLES if r.role == "set_device")
            about = _DEVICES & (
                named | set(split(function.name)) | set(re.findall(r"[a-z]+", function.comment.lower()))
            )
            return bool(about) or any(c in (*selects.names, *selects.plain) for c in core.values())
        if role.role == "set_device":
            return bool(_DEVICES & named)
        if role.role == "malloc":
            return bool(set(BYTES.words) & named)
        params = [p for p in function.params if not self._is_context(p)]
        return not any(p.type.kind == "pointer" and p.type.aliases for p in params)  # no object of its own

    def _is_context(self, param: Param) -> bool:
        return self._context is not None and object_key(param.type) == self._context.key

    def _fit(self, role: Role, function: Function) -> RuntimeFunction | None:
        fitted = self._fitter.fit(role, function)
        if isinstance(fitted, str):
            self.reasons.setdefault(function.name, f"named like the runtime role {role.role}, but {fitted}")
            return None
        return fitted
