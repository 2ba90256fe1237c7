"""What a vendor header declares: plain data, without libclang and without judgement about what it is for.

A :class:`HeaderModel` holds only what a clean parse proves. What depends on a type, constant or line that could
not be resolved is in :attr:`HeaderModel.excluded` with its place, and the cause is in :attr:`HeaderModel.problems`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchfl.errors import Place, Problem

#: The kinds a :class:`CType` may have. "complex" is C99's _Complex; "other" is what C has no word for.
KINDS = ("void", "bool", "int", "float", "complex", "enum", "struct", "union", "pointer", "array", "function", "other")


@dataclass(frozen=True)
class CType:
    """A C type as written and as resolved.

    ``aliases`` are the typedef names between the two, outermost first: ``typedef uint16_t half_t`` used as
    ``half_t`` is an ``int`` of 16 bits with aliases ``("half_t", "uint16_t", ...)``. Structs, unions and enums are
    named here and described in the model's tables, so a type never contains itself.
    """

    spelled: str
    canonical: str
    kind: str
    name: str = ""  # enum, struct, union: the tag, or the typedef of an unnamed one
    const: bool = False
    restrict: bool = False
    bits: int = 0  # int, float, bool, enum
    signed: bool = False
    aliases: tuple[str, ...] = ()
    pointee: CType | None = None  # what a pointer points to, or an array's element
    extent: int | None = None  # array length; None for [] and for every other kind
    result: CType | None = None  # function: what it returns
    params: tuple[CType, ...] = ()  # function: its parameter types
    unresolved: str = ""  # the first name in it that could not be resolved

    def mentions(self) -> Iterator[CType]:
        """This type and every type inside it."""
        yield self
        for inner in (self.pointee, self.result, *self.params):
            if inner is not None:
                yield from inner.mentions()


@dataclass(frozen=True)
class Param:
    """One parameter. An array parameter keeps its extent (``const int stride[2]``) although C passes a pointer."""

    name: str  # "" where the header names none
    type: CType
    default: str = ""  # C++ default argument, as written


@dataclass(frozen=True)
class Function:
    """A function that the vendor's own headers declare."""

    name: str
    params: tuple[Param, ...]
    result: CType
    place: Place
    comment: str = ""  # text of the comment above it or behind it on its last line
    remark: str = ""  # the part of it that stands behind it
    variadic: bool = False
    inline: bool = False  # has a body in the header: no symbol to look up
    namespace: str = ""
    linkage: str = "c"  # "c" | "c++"; a C++ function's symbol is `symbol`
    symbol: str = ""
    deprecated: bool = False
    template: tuple[str, ...] = ()  # names of a template's parameters
    defined: bool = False  # a template's body is in the header
    # What header/concrete.py adds, for generated code:
    cxx: str = ""  # the C++ expression that names it, "::acme::add<float>"; "" for a C function
    signature: str = ""  # of a C++ function: the type of a pointer to it
    local: bool = False  # compiled into the chip library from the header
    assumed: bool = False  # an instance that nothing says the library has
    packed: Packed | None = None  # its parameters are a struct's fields


@dataclass(frozen=True)
class Packed:
    """How parameters go into the struct that a function takes in truth."""

    struct: str  # its C name
    params: tuple[Param, ...]  # the function's own parameters
    position: int  # of the struct among them
    fields: tuple[str, ...]  # in the order of the parameters that stand in the struct's place
    own_size: str = ""  # a field that holds the struct's size
    names: tuple[str, ...] = ()  # of those parameters, where a field is called like another parameter
    lists: tuple[str, ...] = ()  # fields that are arrays
    by_value: bool = False  # the function takes the struct itself, not a pointer to it


@dataclass(frozen=True)
class Field:
    name: str
    type: CType
    offset: int = -1  # bytes from the start of the struct on this machine; -1: a bit field, or not known
    comment: str = ""


@dataclass(frozen=True)
class Struct:
    """A struct or union. ``complete`` is False for a forward declaration (an opaque object)."""

    name: str
    fields: tuple[Field, ...]
    place: Place
    comment: str = ""
    complete: bool = True
    union: bool = False
    typedefs: tuple[str, ...] = ()
    unresolved: str = ""
    size: int = 0  # bytes on this machine; 0: not known


@dataclass(frozen=True)
class Member:
    """A public member function of a class. ``kind``: constructor | destructor | method | static; ``function.symbol``:
    of a constructor and a destructor that of complete objects."""

    kind: str
    function: Function
    const: bool = False
    virtual: bool = False

    @property
    def name(self) -> str:
        return self.function.name.rpartition("::")[2]


@dataclass(frozen=True)
class Class:
    """A class of C++ that is defined and no template. ``bases``: the classes that it is derived from.

    ``virtuals``: the virtual functions that it declares, its destructor as "~"; ``tabled``: the library has its table
    of them, because one of them is defined there alone. ``kept_back``: constructors and destructor that only derived
    classes call.
    """

    name: str
    members: tuple[Member, ...]
    bases: tuple[str, ...] = ()
    abstract: bool = False
    virtuals: tuple[str, ...] = ()
    tabled: bool = False
    kept_back: tuple[Member, ...] = ()


@dataclass(frozen=True)
class View:
    """A class template of C++ that is made from its parts, with an address first: ``span<T>{data, size}``.

    ``parts``: its fields, or the parameters of the constructor that takes the address (``aggregate`` is False)."""

    name: str
    template: tuple[str, ...]  # names of its parameters
    parts: tuple[Param, ...]
    aggregate: bool


@dataclass(frozen=True)
class Enumerator:
    name: str
    value: int
    comment: str = ""


@dataclass(frozen=True)
class Enum:
    name: str  # tag, or typedef of an unnamed one; "" for a nameless list of constants
    constants: tuple[Enumerator, ...]
    place: Place
    comment: str = ""
    typedefs: tuple[str, ...] = ()
    scoped: bool = False  # C++: its constants are written with its name


@dataclass(frozen=True)
class Typedef:
    name: str
    type: CType
    place: Place


@dataclass(frozen=True)
class Constant:
    """An object-like macro whose body is a number: ``#define ACME_MAX_DIMS 8``."""

    name: str
    value: int | float
    place: Place


@dataclass(frozen=True)
class MacroAlias:
    """An object-like macro that is another name: ``#define acmeCreate acmeCreate_v2``."""

    name: str
    target: str
    place: Place


@dataclass(frozen=True)
class Excluded:
    """A declaration that the reader saw and does not trust."""

    name: str
    reason: str
    place: Place
    function: bool = False


@dataclass(frozen=True)
class HeaderModel:
    """Everything read from a vendor's headers. Functions are in the order of the headers."""

    files: tuple[Path, ...]  # the given headers
    vendor_files: tuple[Path, ...]  # those and the vendor's own files that they include
    include_dirs: tuple[Path, ...]  # given, and found for the vendor's own includes
    defines: tuple[str, ...]
    language: str  # "c" | "c++": the language in which the headers parse better
    #: its C++ half needs what is not there, as where a compiler of the vendor's brings it: only the C half can be used
    only_c: bool = False
    standard: int = 17  # of C++, that the headers need
    functions: tuple[Function, ...] = ()
    methods: tuple[Function, ...] = ()  # public member functions of C++ classes; `namespace` is the class
    classes: dict[str, Class] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    untrusted: tuple[Function, ...] = ()  # those in `excluded` of which only a type's declaration is missing
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    aliases: dict[str, MacroAlias] = field(default_factory=dict)
    excluded: tuple[Excluded, ...] = ()
    #: C text that stands in for what no header declares, and the includes that were not found: with both, a compiler
    #: accepts the headers as the reader did
    prelude: str = ""
    missing_includes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()  # what was missing or unresolved; none of it is fatal

    def function(self, name: str) -> Function | None:
        """The function of this name, or None."""
        return next((f for f in self.functions if f.name == name), None)

    def short(self, file: str) -> str:
        """A file's path as people write it: relative to the folder of a given header, where it lies below one."""
        path = Path(file)
        for given in self.files:
            if path.is_relative_to(given.parent):
                return path.relative_to(given.parent).as_posix()
        return file
