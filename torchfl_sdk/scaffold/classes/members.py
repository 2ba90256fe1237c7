"""Member functions of the vendor's classes in generated code, which is plain C++ over those classes.

The vendor's library is never linked, so a member that no header defines, a constructor or destructor above all, has no
definition where the linker looks for one. The chip library defines each such symbol itself, hidden, and passes the call
on through the counting table. By the Itanium C++ ABI a member function is called like a function whose first parameter
is the object. The tables of virtual functions that compilers write into objects are copies of the library's own, made
when it is opened.
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
        """Names of what compilers call and read by themselves for objects of a class, and of its bases.

        Raises :class:`NotGenerated` for a class with more than one table of virtual functions, or one base that is
        not defined.
        """
        of = self._model.classes.get(name)
        if of is None:
            return []
        used = []
        for member in of.members:
            if member.kind in _ALWAYS or member.name == "operator=":
                used += self.use(of, member)
        made = any(m.kind == "constructor" for m in of.members)
        for base in of.bases:
            used += self._around(base, begins=not made)
        return used + self._tables(of)

    def _around(self, base: str, *, begins: bool) -> list[str]:
        """What begins and ends an object's part that is of a base. ``begins``: no constructor in a library does."""
        of = self._model.classes.get(base)
        if of is None:
            return []
        used = []
        for m in (*of.members, *of.kept_back):
            plain = m.kind == "constructor" and not [p for p in m.function.params if not p.default]
            if m.kind == "destructor" or (begins and plain):
                used += self.use(of, m, base=True)
        made = any(m.kind == "constructor" for m in (*of.members, *of.kept_back))
        return used + [n for b in of.bases for n in self._around(b, begins=begins and not made)]

    def _tables(self, of: Class) -> list[str]:
        """The tables of a class with virtual functions and of its bases, and what those that compilers write name."""
        line = [of]
        while line[-1].bases:
            base = self._model.classes.get(line[-1].bases[0])
            if len(line[-1].bases) > 1 or base is None:
                raise NotGenerated(f"{line[-1].name} is derived from what the header does not define, or from several")
            line.append(base)
        declared = {v for c in line for v in c.virtuals}
        if not declared:
            return []
        used = []
        for i, c in enumerate(line):
            if c.tabled:
                slots = {v for b in line[i:] for v in b.virtuals}
                used.append(self._data(c.name, "table", "V", 2 + len(slots) + ("~" in slots)))
                used.append(self._data(c.name, "type", "I", 3 if c.bases else 2))
            else:  # its own virtual functions have their bodies in the header; the compiler writes the table
                used += [n for b in line[i + 1 :] for m in b.members if m.virtual and m.kind == "method"
                         for n in self.use(b, m)]  # fmt: skip
        return used

    def _data(self, name: str, what: str, letter: str, words: int) -> str:
        """A table of the library's, of which the chip library has a copy."""
        parts = name.split("::")
        path = "".join(f"{len(p)}{p}" for p in parts)
        symbol = f"_ZT{letter}{f'N{path}E' if len(parts) > 1 else path}"
        stem = f"{name.replace('::', '_')}_{what}"
        bridge = f'void* {stem}[{words}] __asm__("{symbol}") __attribute__((visibility("hidden")));'
        self.symbols[stem] = VendorSymbol(stem, "", symbol, "void (*)()", bridge=bridge, words=words)
        return stem

    def use(self, of: Class, member: Member, *, base: bool = False) -> list[str]:
        """The member's name in the table; none for one that the header defines. ``base``: as a part of another."""
        function = member.function
        if function.inline or not function.symbol:
            return []
        symbol = function.symbol
        if base:
            letter = "D" if member.kind == "destructor" else "C"
            symbol = f"{letter}2".join(symbol.rsplit(f"{letter}1", 1))
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
