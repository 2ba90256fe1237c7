"""Member functions of the vendor's classes in generated code, which is plain C++ over those classes.

The vendor's library is never linked, so a member that no header defines, a constructor or destructor above all, has no
definition where the linker looks for one. The chip library defines each such symbol itself, hidden, and passes the call
on through the counting table. By the Itanium C++ ABI a member function is called like a function whose first parameter
is the object.
"""

from __future__ import annotations

from torchfl_sdk.header.mangle import mangled
from torchfl_sdk.header.model import Class, CType, HeaderModel, Member
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.symbols import VendorSymbol

_ALWAYS = ("constructor", "destructor")


class Members:
    """The members that generated code uses, by their names there."""

    def __init__(self, model: HeaderModel) -> None:
        self._model = model
        self._instances: dict[str, str] = {}
        self.symbols: dict[str, VendorSymbol] = {}

    def lifecycle(self, name: str) -> list[str]:
        """Names of what compilers call by themselves for objects of a class, and of its bases.

        Raises :class:`NotGenerated` for a class whose objects need a table that only the vendor's library has.
        """
        of = self._model.classes.get(name)
        if of is None:
            return []
        used = []
        for member in of.members:
            if member.kind in _ALWAYS or member.name == "operator=":
                used += self.use(of, member)
        for base in of.bases:
            used += self._ends(base)
        return used

    def _ends(self, base: str) -> list[str]:
        of = self._model.classes.get(base)
        if of is None:
            return []
        used = [n for m in of.members if m.kind == "destructor" for n in self.use(of, m, base=True)]
        return used + [n for b in of.bases for n in self._ends(b)]

    def use(self, of: Class, member: Member, *, base: bool = False) -> list[str]:
        """The member's name in the table; none for one that the header defines. ``base``: as a part of another."""
        function = member.function
        if function.inline or not function.symbol:
            return []
        symbol = function.symbol
        if base:
            symbol = "D2".join(symbol.rsplit("D1", 1))
        return [self._bridge(of, member, symbol, "")]

    def instance(self, of: Class, member: Member, element: str) -> list[str]:
        """The name of an instance of a member that is a template over one type."""
        function = member.function
        if len(function.template) != 1 or function.params:
            raise NotGenerated(f"{function.name} is a template that nothing calls")
        result = function.result.canonical.replace("type-parameter-0-0", element).replace("T *", f"{element} *")
        const = " const" if member.const else ""
        expression = f"::{function.name}<{element}>"
        if expression not in self._instances:
            self._instances |= {expression: ""} | mangled(
                self._model, {expression: f"{result} (::{of.name}::*)(){const}"}
            )
        symbol = self._instances[expression]
        if not symbol:
            raise NotGenerated(f"{expression} has no symbol")
        return [self._bridge(of, member, symbol, result)]

    def _bridge(self, of: Class, member: Member, symbol: str, result: str) -> str:
        function = member.function
        what = {"constructor": "make", "destructor": "end"}.get(member.kind, member.name)
        what = what if what.isidentifier() else "assign"
        stem = f"{of.name}::{what}".replace("::", "_")
        name, number = stem, 2
        while name in self.symbols and self.symbols[name].lookup != symbol:
            name, number = f"{stem}_{number}", number + 1
        if name in self.symbols:
            return name
        void = member.kind in _ALWAYS
        result = "void" if void else result or _outside(function.result)
        types = [_outside(p.type) for p in function.params]
        self_type = [] if member.kind == "static" else [f"{'const ' if member.const else ''}::{of.name}*"]
        given = [f"{t} a{i}" for i, t in enumerate(types)]
        passed = [f"std::forward<{t}>(a{i})" for i, t in enumerate(types)]
        if self_type:
            given, passed = [f"{self_type[0]} self", *given], ["self", *passed]
        head = f"{result} {name}({', '.join(given)})"
        returns = "" if result == "void" else "return "
        makes = member.kind == "constructor" or result != "void"
        self.symbols[name] = VendorSymbol(
            name, "", symbol, f"{result} (*)({', '.join([*self_type, *types])})",
            makes=makes,
            bridge=f'{head} __asm__("{symbol}") __attribute__((visibility("hidden")));\n'
                   f"{head} {{ {returns}vendor::{name}({', '.join(passed)}); }}",
        )  # fmt: skip
        return name


def _outside(type_: CType) -> str:
    """A type as it is written outside its namespace."""
    return type_.canonical
