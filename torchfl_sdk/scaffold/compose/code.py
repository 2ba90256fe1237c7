"""The C++ text of one function that is being written: its statements, the vendor functions in it, names taken."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle
from torchfl_sdk.scaffold.kernel_plan import NotGenerated


@dataclass
class Code:
    """``owned``: variables that give their object back, by their names. Lines carry no indentation of their own."""

    status: StatusType
    lines: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def add(self, *lines: str) -> None:
        self.lines += lines

    def name(self, wanted: str) -> str:
        """A variable's name that nothing here has yet."""
        base = wanted if wanted not in cxx_words() else f"{wanted}_"
        made, number = base, 2
        while made in self.names:
            made, number = f"{base}_{number}", number + 1
        self.names.add(made)
        return made

    def call(self, function: Function, arguments: list[str]) -> None:
        """A vendor call that must succeed."""
        self.add(self.statement(function, arguments))

    def statement(self, function: Function, arguments: list[str], indent: int = 2) -> str:
        self.use(function)
        head = f"vendor::{function.name}"
        if function.result.kind == "void":
            return cxx.call(head, arguments, ";", indent)
        if not returns_status(function, self.status):
            raise NotGenerated(f"{function.name} returns {function.result.spelled}, which is no status")
        return cxx.call(f"TFL_TRY(status({head}", arguments, "));", indent)

    def hold(self, ctype: str, wanted: str) -> str:
        """A struct of the kernel's own for a vendor's function to fill; its address, as others take it."""
        name = self.name(wanted)
        self.add(f"{ctype} {name}{{}};")
        return f"&{name}"

    def place(self, life: Lifecycle | None, ctype: str, wanted: str) -> tuple[str, str]:
        """A variable for an object: how other functions take it, and where the one that makes it puts it."""
        if life is not None and life.held:
            held = self.hold(ctype, wanted)
            return held, held
        name = self.own(ctype, life.end if life else None, wanted)
        return name, f"{name}.out()"

    def filled(self, life: Lifecycle | None, held: str, *, borrows: bool = False, when: str = "") -> None:
        """Give a struct that has been filled back in the end, if a function does that. ``borrows``: it is over memory
        that stays the tensor's, which that function may free. ``when``: a condition, with which it was filled."""
        if life is None or not life.held or life.end is None or borrows:
            return
        end = self.own(f"{life.ctype}*", life.end, f"{held.removeprefix('&')}_end")
        self.add(f"{when}TFL_TRY({end}.take({held}));")

    def use(self, function: Function) -> None:
        if function.name not in self.used:
            self.used.append(function.name)

    def own(self, ctype: str, end: Function | None, wanted: str, *, many: bool = False) -> str:
        """A variable that owns an object from now on; one that no function gives back is left to the vendor. ``many``:
        it owns as many as are made."""
        name, maker = self.name(wanted), "owned_list" if many else "owned"
        if end is None:
            self.add(f"auto {name} = torchfl::{maker}<{ctype}>(torchfl::NoEnd{{}});")
        else:
            self.use(end)
            self.add(f"auto {name} = torchfl::{maker}<{ctype}>(vendor::{end.name});")
        return name


def returns_status(function: Function, status: StatusType) -> bool:
    """True if a function's result is a status type, by its typedef or its tag."""
    return status.of(function.result) is not None


def cxx_words() -> frozenset[str]:
    from torchfl_sdk.scaffold.names import CXX_RESERVED

    return CXX_RESERVED
