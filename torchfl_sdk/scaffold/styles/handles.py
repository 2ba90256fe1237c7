"""BLAS functions that take a handle: the handle is made once per thread, and gets the call's queue before every call.

Numbers that such a function gives back go to the host or to the device, as a mode of the handle says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.model import Argument, OpMatch
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.kept import waiting as wait_for
from torchfl_sdk.scaffold.compose.choose import constants
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.kernel_plan import OWN_QUEUE, NotGenerated
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.products import PRODUCTS, Translation, plan_products
from torchfl_sdk.scaffold.styles.wide import argument, pointer_dtype


@dataclass(frozen=True)
class Made:
    """A handle in a kernel: its variable, the statements that make it, and what those need. ``finish``: expressions of
    a status behind the call, which wait for what runs in it."""

    name: str
    lines: tuple[str, ...]
    support: tuple[str, ...]
    helpers: tuple[str, ...]
    finish: tuple[str, ...] = ()


class Handles:
    """The handles of one header."""

    def __init__(self, ground: Ground) -> None:
        self.makers = ground.makers()

    def argument(self, param: Param) -> Made:
        """The handle for a parameter. Raises NotGenerated where the header does not say how one is made."""
        key = object_key(param.type)
        if not key:
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, which nothing makes")
        code, helpers = Code(self.makers.status, names={"call", "out"}), list[str]()
        name = self.makers.current(key, code, helpers)
        mode = self._mode(key)
        if mode is not None:
            code.call(mode[0], [name, mode[1]])
        waiting = self.makers.waiting(key)
        finish: tuple[str, ...] = ()
        if waiting is not None:
            code.statement(waiting, [name])  # raises for one that gives something else
            called = f"vendor::{waiting.name}({name})"
            finish = (f"({called}, TFL_OK)" if waiting.result.kind == "void" else f"status({called})",)
        of = self.makers.model.classes.get(key)
        waited = wait_for(self.makers, of, name) if of is not None and not finish else None
        if waited is not None:
            finish = (waited[0],)
            code.used += [n for n in waited[1] if n not in code.used]
        return Made(name, tuple(code.lines), tuple(code.used), tuple(helpers), finish)

    def alone(self, param: Param) -> Made:
        """The handle for a parameter of a call behind which nothing can wait. Raises NotGenerated where one must."""
        made = self.argument(param)
        if made.finish:
            raise NotGenerated(OWN_QUEUE)
        return made

    def host_results(self, function: Function) -> bool:
        """True if a number that ``function`` gives back through a pointer is written to the host's memory."""
        return any(self._mode(object_key(p.type)) is not None for p in function.params if object_key(p.type))

    def _mode(self, key: str) -> tuple[Function, str] | None:
        """The function that says where pointers to numbers point, and its constant for the host."""
        life = self.makers.lifecycles.by_key(key)
        for filler in life.fillers if life else []:
            if {"pointer", "mode"} <= set(split(filler.name)) and len(filler.params) == 2:
                for constant in constants(self.makers.model, filler.params[1].type):
                    if "host" in split(constant):
                        return filler, constant
        return None


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """Matrix products by functions that take a handle."""
    handles = Handles(ground)

    def translate(found: OpMatch, function: Function, op: str) -> Translation:
        return _Translation(ground, found, function, op, handles)

    yield from plan_products(ground, ground.open_matches("handle"), translate, PRODUCTS)


class _Translation(Translation):
    """One match over pointers as a call over the catalogue's roles."""

    style = "handle"

    def __init__(self, ground: Ground, found: OpMatch, function: Function, op: str, handles: Handles) -> None:
        super().__init__(ground, found, function, op)
        self.handles = handles
        self.dtype = pointer_dtype(found, function)
        self.evidence = ("the handle is the calling thread's",)
        if "order" not in dict(found.arguments).values():
            # A column-major product of row-major matrices is that of their transposes in the other order.
            self.tensors |= {"input": self.tensors["input2"], "input2": self.tensors["input"]}
            self.extents |= {"m": "n", "n": "m"}
            self.evidence += ("no argument says row- or column-major: taken for column-major, as the reference BLAS",)

    def tensor(self, index: int, param: Param, role: str) -> Argument:
        if not cxx.is_pointer(param.type.spelled):
            raise NotGenerated(f"argument {param.name!r} is a matrix but no pointer")
        return argument(param, self.tensors[role], index)

    def other(self, index: int, param: Param, role: str) -> Argument:
        if role == "handle":
            made = self.handles.alone(param)
            self.setup += made.lines
            self.support += made.support
            self.helpers += made.helpers
            return argument(param, "constant", index, value=made.name)
        return super().other(index, param, role)
