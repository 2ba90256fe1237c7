"""From what a header declares to functions that generated code can call: each with C types and a symbol of its own.

* A C++ function in a namespace, or one of several overloads, gets an identifier; its symbol is the mangled name.
* A function template becomes one function per element type: those that ``extern template`` names, float and double
  for a template whose body is in the header (it is compiled into the chip library), and otherwise float and double on
  trial (``assumed``): only the library can say whether it instantiates them.

Mangled names are libclang's: the Itanium C++ ABI, as every compiler for Linux has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from torchfl_sdk.header.mangle import mangled
from torchfl_sdk.header.model import CType, Enum, Function, HeaderModel, Param

#: Element types that a template is instantiated with: C++ spelling -> (suffix of the identifier, its C type)
_ELEMENTS = {
    "float": ("f32", CType("float", "float", "float", bits=32)),
    "double": ("f64", CType("double", "double", "float", bits=64)),
    "int": ("s32", CType("int", "int", "int", bits=32, signed=True)),
    "long": ("s64", CType("long", "long", "int", bits=64, signed=True)),
}
_SAME = {"std::int32_t": "int", "int32_t": "int", "std::int64_t": "long", "int64_t": "long"}
_TRIED = ("float", "double")
_PARAMETER = "type-parameter-0-0"
#: Typedefs that have the same name everywhere.
_STANDARD = re.compile(r"(?:u?int(?:_fast|_least)?\d*|u?intptr|u?intmax|s?size|ptrdiff|w?char\d*)_t|__\w+")
_EXTERN = re.compile(r"\bextern\s+template\s[^;{}]*?\b(\w+)\s*<\s*([\w:\s]+?)\s*>\s*\(")


def concrete(model: HeaderModel) -> HeaderModel:
    """The model with every free function of C++ made callable by a name and a symbol of C."""
    if not any(f.linkage == "c++" for f in (*model.functions, *model.methods)):
        return model
    enums = {name: _qualified(enum) for name, enum in model.enums.items()}
    if not any(f.linkage == "c++" for f in model.functions):
        return replace(model, enums=enums)
    stated = _stated(model)
    functions = [_outside(model, f) for f in model.functions]
    found = [instance for f in functions for instance in _instances(stated, f)]
    symbols = mangled(model, {f.cxx: f.signature for f in found if f.linkage == "c++" and not f.local and f.template})
    made: list[Function] = []
    for function in found:
        if function.linkage == "c":
            made.append(function)
            continue
        symbol = "" if function.local else symbols.get(function.cxx, function.symbol)
        made.append(replace(function, linkage="c", inline=False, symbol=symbol, template=()))
    return replace(model, functions=tuple(_named(made)), enums=enums)


def _outside(model: HeaderModel, function: Function) -> Function:
    """A function template whose parameters are views: libclang writes those as they are called within a namespace."""
    if not (function.template and model.views):
        return function
    named = {name.rpartition("::")[2]: name for name in model.views}
    own = re.compile(rf"(?<![\w:])({'|'.join(map(re.escape, named))})<")

    def qualified(type_: CType) -> CType:
        inner = qualified(type_.pointee) if type_.pointee is not None else None
        text = own.sub(lambda m: f"{named[m[1]]}<", type_.canonical)
        return type_ if text == type_.canonical else replace(type_, spelled=text, canonical=text, pointee=inner)

    return _mapped(function, qualified)


def _named(functions: list[Function]) -> Iterator[Function]:
    """The functions with identifiers of their own; overloads are told apart by their element type, then by number."""
    several = {name for name, n in Counter(f.name for f in functions).items() if n > 1}
    taken: Counter[str] = Counter()
    for function in functions:
        name = function.name
        if name in several and (suffix := _element_suffix(function)):
            name = f"{name}_{suffix}"
        taken[name] += 1
        yield replace(function, name=name if taken[name] == 1 else f"{name}_{taken[name]}")


def _element_suffix(function: Function) -> str:
    for param in function.params:
        inner = param.type.pointee
        if inner is not None and (known := _ELEMENTS.get(inner.canonical.removeprefix("const "))):
            return known[0]
    return ""


def _instances(stated: Mapping[str, tuple[str, ...]], function: Function) -> Iterator[Function]:
    """The concrete functions that one declaration stands for; itself for a C function."""
    written = function.name.split("(", 1)[0]
    base, _, last = written.replace("::", "_"), *written.rpartition("::")[1:]
    if function.linkage == "c":
        if base == written:
            yield function
        else:  # extern "C" within a namespace
            yield _signed(replace(_mapped(function, _spelled), name=base, cxx=f"::{written}", symbol=last))
        return
    if not function.template:
        if function.inline:  # compiled wherever it is called; nothing to look up
            return
        yield _signed(replace(_mapped(function, _spelled), name=base, cxx=f"::{written}"))
        return
    if len(function.template) != 1:
        return
    elements = stated.get(last, ())
    for element in elements or _TRIED:
        suffix, ctype = _ELEMENTS[element]
        instance = _mapped(function, lambda t, c=ctype: _substituted(_spelled(t), c))  # type: ignore[misc]
        local = function.defined and not elements
        yield _signed(
            replace(
                instance,
                name=f"{base}_{suffix}",
                cxx=f"::{written}<{element}>",
                local=local,
                assumed=not elements and not local,
            )
        )


def _signed(function: Function) -> Function:
    parameters = ", ".join(_decayed(p.type) for p in function.params)
    return replace(function, signature=f"{function.result.spelled} (*)({parameters})")


def _decayed(type_: CType) -> str:
    if type_.kind == "array" and type_.pointee is not None:
        return f"{type_.pointee.spelled} *"
    return type_.spelled


def _mapped(function: Function, change: Callable[[CType], CType]) -> Function:
    params = tuple(Param(p.name, change(p.type), p.default) for p in function.params)
    return replace(function, params=params, result=change(function.result))


def _spelled(type_: CType) -> CType:
    """A type as it is written outside its namespace."""
    inner = _spelled(type_.pointee) if type_.pointee is not None else None
    named = any(t.kind in ("enum", "struct", "union") for t in type_.mentions())
    if not named:
        own = any(not _STANDARD.fullmatch(a) for t in type_.mentions() for a in t.aliases)
        return replace(type_, spelled=type_.canonical, pointee=inner) if own else type_
    return replace(type_, spelled=type_.canonical, aliases=(), pointee=inner)


def _substituted(type_: CType, element: CType) -> CType:
    """A type with the template's parameter replaced."""
    if type_.canonical.removeprefix("const ") == _PARAMETER:
        const = "const " if type_.canonical.startswith("const ") else ""
        text = const + element.spelled
        return replace(element, spelled=text, canonical=text, const=bool(const))
    if _PARAMETER not in type_.canonical:
        return type_
    inner = _substituted(type_.pointee, element) if type_.pointee is not None else None
    text = type_.canonical.replace(_PARAMETER, element.spelled)
    return replace(type_, spelled=text, canonical=text, aliases=(), pointee=inner)


def _stated(model: HeaderModel) -> dict[str, tuple[str, ...]]:
    """Template -> the element types for which the header says that the library instantiates it."""
    found: dict[str, dict[str, None]] = {}
    for file in model.vendor_files:
        if file.is_file():
            for name, written in _EXTERN.findall(file.read_text(encoding="utf-8", errors="replace")):
                element = _SAME.get(written, written)
                if element in _ELEMENTS:
                    found.setdefault(name, {})[element] = None
    return {name: tuple(elements) for name, elements in found.items()}


def _qualified(enum: Enum) -> Enum:
    """An enum whose constants carry its name, where C++ needs it."""
    if not (enum.scoped or "::" in enum.name) or not enum.name:
        return enum
    return replace(enum, constants=tuple(replace(c, name=f"{enum.name}::{c.name}") for c in enum.constants))
