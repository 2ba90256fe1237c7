"""What a parameter can be in any style of SDK: data, a tensor object, a descriptor, a handle, a number, a selector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from torchfl_sdk.header.model import CType, Function, HeaderModel, Param
from torchfl_sdk.match.elements import dtype_enums, element_dtype
from torchfl_sdk.match.recognise import templates
from torchfl_sdk.match.recognise.induction import WRITTEN, Carrier, Induced, depth, innermost, read_only
from torchfl_sdk.match.recognise.numbered import as_tensors
from torchfl_sdk.match.recognise.objects import (
    CONTEXT,
    DESC,
    STREAM,
    TENSOR,
    by_pointer,
    complex_pair,
    is_memory,
    is_parameter,
    is_run,
    object_sort,
    type_words,
)
from torchfl_sdk.match.recognise.part import Part, words_of
from torchfl_sdk.match.recognise.settle import settle
from torchfl_sdk.match.structs import tensor_like, tensor_structs
from torchfl_sdk.match.tagged import tagged
from torchfl_sdk.match.tokens import split, words

__all__ = ["Part", "Parts", "words_of"]

_BY_REFERENCE = re.compile(r"[mnk]|ld[abcxy]?|inc[xyab]?|k[lu]")
_VECTOR = re.compile(r"(?:vector|array|span|initializer_list|ArrayRef)<([^<>]*)")
_SHAPES = frozenset(
    words("""dimensions dims dim shape shapes stride strides pad pads padding paddings axis axes dilation
    dilations dilate dilates
    kernel window ksize extent extents sizes perm permute permutation order factors begins ends steps starts repeats
    lengths widths subsampling poolingsize
    offsets prepadding postpadding mode modes size begin end start step starts ends stop""")
)
#: Numbers of an attribute that are passed without a type.
_ATTRIBUTES = frozenset(words("paddings pads strides dilations axes perm"))
_CHOOSES = frozenset(
    words("type mode kind alg algo algorithm method layout format order direction op flag option policy")
)
_SIDES = frozenset(words("input output in out"))
_VIEWS = frozenset(words("view mdspan span mdview"))
#: What a class template over element types is called that holds them, or an expression of such.
_HELD = frozenset(words("matrix vector tensor array expression image mat vec"))
_RESULTS = frozenset(words("out output result res dst dest y c z ret arr idx indices"))
_NUMERIC = frozenset(words("tensor tensors matrix mat ndarray image vec vector"))
_GIVEN = ("out", "dst", "res", "ret")
_PLURALS = frozenset(words("inputs outputs srcs dsts tensors list array arrays"))
_LISTED = frozenset(words("input inputs output outputs src srcs dst dsts in out tensors list"))


class Parts:
    """Classifies the parameters of one header's functions.

    ``induced``: what counting over the whole header told of its types; ``numbered``: what carries its tensors where
    they are plain numbers.
    """

    def __init__(self, model: HeaderModel, induced: Induced | None = None, *, numbered: Carrier | None = None) -> None:
        self._induced = induced or Induced()
        self._numbered = numbered
        self._model = model
        self._dtypes = dtype_enums(model)
        self._structs = frozenset(tensor_structs(model)) | tensor_like(model)

    @property
    def structs(self) -> frozenset[str]:
        """Names of the structs that are tensors by their fields."""
        return self._structs

    def of(self, function: Function) -> tuple[Part, ...]:
        parts = templates.views(function, _factors(tuple(self._one(i, p) for i, p in enumerate(function.params))))
        parts = templates.ranges(parts)
        parts = settle(self._counted(parts) if self._induced.carriers else parts)
        return as_tensors(parts, self._numbered) if self._numbered else parts

    def numeric(self, part: Part) -> bool:
        """Whether a type says, or counting did, that a parameter holds or describes numbers."""
        inner = innermost(part.param.type)
        told = part.carrier is not None and not part.carrier.together
        floats = inner.kind in ("float", "complex") or part.element.startswith(("float", "bfloat"))
        data = part.sort in ("data", "list") and (floats or "type-parameter" in inner.canonical)
        named = part.sort in ("tensor", "list") and bool(part.type_words & _NUMERIC)
        return told or data or named or part.sort in ("dtype", "desc") or inner.name in self._structs

    def _counted(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """With tensors where counting over the header told that a type carries them."""
        told = {
            p.index: c
            for p in parts
            if p.sort not in _SAID
            and not (p.sort == "scalar_pointer" and "scalar" in split(p.param.type.spelled))
            and (c := self._induced.of(p.param.type)) is not None
        }
        if any(p.sort == "data" for p in parts):
            told = {i: c for i, c in told.items() if c.describes or innermost(parts[i].param.type).kind != "int"}
        levels = {i: depth(parts[i].param.type) for i in told}
        factors = any(p.words == ("alpha",) for p in parts)
        made = []
        for part in parts:
            carrier = told.get(part.index)
            if carrier is None or (carrier.together and part.sort not in ("handle", "tensor")):
                made.append(part)
            elif part.words == ("alpha",) or (part.words == ("beta",) and factors):
                made.append(replace(part, sort="scalar_pointer", written=False))
            elif carrier.describes:
                made.append(replace(part, sort="desc", written=False, carrier=carrier))
            elif part.sort in ("tensor", "list", "data"):
                made.append(replace(part, carrier=carrier))
            else:
                made.append(_carrying(part, carrier, levels))
        return tuple(made)

    def _one(self, index: int, param: Param) -> Part:
        type_, words = param.type, type_words(param.type)
        names = frozenset(words_of(param.name, number=param.type.kind in ("int", "bool", "float", "enum")))
        if type_.kind == "enum":
            return Part(index, param, "dtype" if type_.name in self._dtypes else "enum", type_words=words)
        runner, said = templates.runs(type_)
        if runner:
            return Part(index, param, runner, type_words=words | said)
        if templates.is_number(type_) or tagged(self._model, type_, self._dtypes) is not None:
            return Part(index, param, "scalar_pointer", type_words=words)
        if is_parameter(type_):
            said = frozenset(split(param.name)) or words | set(split(type_.spelled))
            runs = _runs_on(said)
            return Part(index, param, runs, type_words=words) if runs else templates.by_itself(index, param, words)
        if type_.kind in ("int", "bool"):
            return Part(index, param, self._integer(type_, words, param), type_words=words)
        view = set(split(type_.spelled.removeprefix("const ").partition("<")[0])) if "<" in type_.spelled else set()
        if view & _VIEWS and type_.kind in ("struct", "other", "pointer") and not view & {"string", "basic"}:
            constant = re.search(r"<\s*const\b", type_.spelled) is not None
            single = "scalar" in view and (constant or names & {"alpha", "beta", "scalar"})
            return Part(index, param, "scalar_pointer" if single else "tensor", not constant, "", words)
        if {"std", "function"} <= words:
            return Part(index, param, "function", type_words=words)
        if type_.kind == "float":
            return Part(index, param, "float", type_words=words)
        if type_.kind == "complex":
            return Part(index, param, "complex", type_words=words)
        if type_.kind in ("struct", "union"):
            held = self._model.structs.get(type_.name)  # a copy of it has the same data
            shares = not type_.const and held is not None and any(f.type.kind == "pointer" for f in held.fields)
            return Part(index, param, self._by_value(type_, words, names), shares, type_words=words)
        if type_.kind in ("pointer", "array", "other") and type_.pointee is not None:
            sort, written, element = self._pointer(type_, type_.pointee, words, names)
            if sort in ("params", "handle") and is_run(self._model, type_):
                sort, words = "handle", words | {"context"}
            return Part(index, param, sort, written, element, words)
        return Part(index, param, "other", type_words=words)

    def _integer(self, type_: CType, words: frozenset[str], param: Param) -> str:
        plain = (
            not type_.aliases or type_.aliases[0] in ("size_t", "bool") or type_.aliases[0].startswith(("int", "uint"))
        )
        names = param.name.lower()
        if names.endswith("id") and re.match(
            r"(?:input|output|filter|bias|weight|kernel|in|out|src|dst)\d?_?\w*id$", names
        ):
            return "id"
        if not plain:
            if words & STREAM:
                return "stream"
            if (
                words & TENSOR
                or words & {"dptr", "devptrt"}
                or (type_.bits == 64 and any(w.endswith(("addr", "address")) for w in words))
                or any(w.endswith(("deviceptr", "devptr")) for w in words)
            ):
                return "tensor"
            if words & {"handle", "context", "ctx"}:
                return "handle"
        return "bool" if type_.kind == "bool" else "int"

    def _by_value(self, type_: CType, words: frozenset[str], names: frozenset[str]) -> str:
        if type_.name in self._structs:
            return "scalar_pointer" if names and names <= {"alpha", "beta"} else "tensor"  # a factor is one too
        if match := _VECTOR.search(type_.canonical):
            return _of_vector(match[1])
        if _of_elements(words) or (type_.unresolved and names & {"dtype"} and not words & TENSOR):
            return "dtype"
        if type_.aliases and is_memory(type_.aliases[0]):
            return "tensor"
        element = element_dtype(type_)
        if element == "complex":
            return "complex"
        if element:
            return "float"
        if type_.unresolved and words & _CHOOSES and not words & (TENSOR | DESC):
            return "enum"  # nothing declares it, and passed by value it can hardly be anything else
        struct = self._model.structs.get(type_.name)
        if (words | names) & STREAM:
            return "stream"
        if complex_pair(self._model, type_):
            return "complex"
        if struct is not None and struct.complete and names & _SHAPES and not words & TENSOR:
            return "ints"
        return object_sort(words, names) or ("params" if struct is not None and struct.complete else "handle")

    def _pointer(
        self, type_: CType, inner: CType, words: frozenset[str], names: frozenset[str]
    ) -> tuple[str, bool, str]:
        written = not inner.const
        if inner.kind in ("int", "bool", "float") and type_.kind == "other":
            return {"int": "int", "bool": "bool"}.get(inner.kind, "float"), False, ""  # const int& and the like
        if type_.kind == "other" and inner.kind == "struct" and words & {"array", "tensor", "mat"} and words & _SIDES:
            return "tensor", bool(words & {"output", "out"}), ""  # a proxy by reference, whose type says the direction
        if inner.name in self._structs and inner.kind == "struct":
            plural = type_.kind == "array" or names & {"inputs", "srcs", "tensors", "list"}
            if len(names) > 1 and by_pointer(type_, names, written):
                return "scalar_pointer", written, ""
            return ("list" if plural and inner.const else "tensor"), written, ""
        if inner.canonical.removeprefix("const ") == "char":
            return "text", written, ""
        if inner.kind == "function":
            return "function", False, ""
        handle = type_.kind == "pointer" and bool(type_.aliases) and inner.kind in ("struct", "void", "union")
        if handle and not (inner.kind == "void" and words & {"ptr", "pointer"} and not words & (CONTEXT | STREAM)):
            return object_sort(words, names) or ("desc" if "layout" in words else "handle"), written, ""
        if inner.kind in ("pointer", "array"):
            deepest = inner.pointee
            single = names & {"out", "output", "dst"} and not inner.const and not words & {"list", "array"}
            listed = (
                (names & _LISTED and not single) or inner.const or any(n.endswith("s") and n != "bias" for n in names)
            )
            if (
                deepest is not None
                and deepest.kind == "struct"
                and listed
                and (deepest.name in self._structs or set(split(deepest.name)) & TENSOR)
                and not (words | names) & DESC
            ):
                return "list", not deepest.const, ""
            return self._nested(inner, words, names), written, ""
        if inner.kind in ("struct", "union"):
            if match := _VECTOR.search(inner.canonical):
                return _of_vector(match[1]), written, ""
            said = _of_elements(words) or bool(inner.unresolved and names & {"dtype"})
            if type_.kind == "other" and said and not words & TENSOR:
                return "dtype", False, ""  # const DataType &, std::optional<DataType>
            element = element_dtype(inner)
            if element:
                return ("scalar_pointer" if by_pointer(type_, names, written) else "data"), written, element
            if complex_pair(self._model, inner):
                return "data", written, "complex"
            struct = self._model.structs.get(inner.name)
            if type_.pointee and inner.aliases and is_memory(inner.aliases[0]):
                return "tensor", written, ""
            if words & DESC or names & DESC:
                return "desc", written, ""
            if words & {"params", "param", "parameters", "attrs", "config", "options"}:
                return "params", written, ""
            known = (struct is not None and struct.complete) or type_.kind == "other"  # by pointer, or by reference
            if known and not written and names & _SHAPES and not words & TENSOR:
                return "ints", written, ""
            sort = object_sort(words, names)
            if sort:
                return sort, written, ""
            return ("params" if struct is not None and struct.complete else "handle"), written, ""
        if inner.kind == "other" and (match := _VECTOR.search(inner.canonical)):
            return _of_vector(match[1]), written, ""
        untyped = (inner.kind == "void" and not type_.aliases) or (
            inner.kind == "other" and re.fullmatch(r"(?:const )?type-parameter-\d+-\d+", inner.canonical)
        )
        if untyped and names and (runs := _runs_on(names)):
            return runs, written, ""  # Context *context, void *queue
        if inner.kind == "other" and "type-parameter" in inner.canonical:
            held = (
                set(split(inner.canonical.removeprefix("const ").partition("<")[0]))
                if "<" in inner.canonical
                else set()
            )
            return ("tensor" if held & _HELD else "data"), written, ""
        if inner.kind == "enum":
            return "enum_out" if written else "enum", written, ""
        if (
            inner.kind == "int"
            and inner.aliases
            and object_sort(words, frozenset())
            and inner.bits == 64
            and words & {"handle"}
        ):
            return "out_handle", written, ""
        element = element_dtype(inner)
        if (
            element is None
            and inner.kind == "int"
            and inner.bits >= 32
            and not names & {"size", "bytes", "count", "num"}
        ):
            element = f"uint{inner.bits}"
        if element == "" and not written and names & _ATTRIBUTES and inner.kind == "void":
            return "ints", written, ""
        if element == "" and names & DESC:
            return "desc", written, ""
        if element == "" and names & {"parameters", "params", "options", "config", "attr", "attrs", "param", "hint"}:
            return "params", written, ""
        if element is None and inner.kind == "int" and inner.const and type_.kind == "array":
            return "ints", False, ""
        if element is None:
            return ("other" if inner.kind != "int" else "int_out"), written, ""
        if inner.kind == "int" and inner.bits > 8 and inner.const and _BY_REFERENCE.fullmatch("".join(sorted(names))):
            return "int", False, ""  # as Fortran passes its numbers
        if by_pointer(type_, names, written):
            return "scalar_pointer", written, element
        fixed = type_.const or not written or type_.kind == "array"
        if (
            inner.kind == "int"
            and inner.bits >= 32
            and (fixed or "shape" in names)
            and (names & _SHAPES or _says_shape(names))
        ):
            return "ints", written, element
        if inner.kind == "float" and not written and names & {"factors", "scales"}:
            return "ints", written, element
        if inner.kind == "int" and inner.bits >= 32 and written and names & {"size", "bytes", "count", "num"}:
            return "int_out", written, element
        return "data", written and not type_.const, element

    def _nested(self, inner: CType, words: frozenset[str], names: frozenset[str]) -> str:
        """A pointer to a pointer: a list of tensors, or a place for a new object."""
        deepest = inner.pointee
        opaque = inner.aliases or (deepest is not None and deepest.kind in ("struct", "pointer"))
        plural = names & {
            "inputs",
            "srcs",
            "tensors",
            "list",
            "arrays",
            "outputs",
            "array",
            "aarray",
            "barray",
            "carray",
        }
        if opaque and words & DESC and (plural or names & {"descs"}):
            return "desc"
        if opaque and words & TENSOR and not inner.const and names & _RESULTS:
            return "tensor"
        if opaque:
            if (plural or inner.const) and (words & TENSOR or words & DESC):
                return "list"
            return "out_handle"
        if deepest is not None and (element_dtype(deepest) is not None or is_parameter(deepest)):
            return (
                "list"
                if plural or inner.const or deepest.const or any(n.endswith("array") for n in names)
                else "out_handle"
            )
        return "out_handle"


def _factors(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """``alpha`` ahead of all tensors is a number in the same kind of object, as is a ``beta`` of the same type."""
    objects = [p for p in parts if p.sort == "tensor" and p.param.type.pointee is not None]
    if len(objects) < 2 or objects[0].words != ("alpha",):
        return parts
    own = objects[0].param.type.canonical
    return tuple(
        replace(p, sort="scalar_pointer", written=False)
        if p.sort == "tensor" and p.words in (("alpha",), ("beta",)) and p.param.type.canonical == own
        else p
        for p in parts
    )


_SAID = ("function", "text", "dtype", "enum")  # whatever their type carries elsewhere


def _carrying(part: Part, carrier: Carrier, levels: Mapping[int, int]) -> Part:
    """A parameter as the tensor, or the list of them, that its type was told to carry."""
    type_, level = part.param.type, levels[part.index]
    if _VECTOR.search(type_.canonical) or (type_.kind == "array" and not type_.aliases):
        return replace(part, sort="list", written=False, carrier=carrier)
    several = (min(levels.values()) > carrier.level and not part.base.startswith(_GIVEN)) or bool(
        set(part.words) & _PLURALS
    )
    if level > carrier.level and (several or read_only(type_)):  # else the address of a result
        return replace(part, sort="list", written=False, carrier=carrier)
    written = level == max(levels.values()) if len(set(levels.values())) > 1 else not read_only(type_) and (
        type_.pointee is not None or carrier.convention == WRITTEN)  # fmt: skip
    return replace(part, sort="tensor", written=written, element="", carrier=carrier)


_POLICIES = frozenset(words("policy executor space"))


def _of_elements(words: frozenset[str]) -> bool:
    """True for the words of a type that names the type of a tensor's elements."""
    return bool(words & {"dtype", "datatype", "scalartype"}) or {"data", "type"} <= words


def _runs_on(names: frozenset[str]) -> str:
    """What an object without a type of its own is that its name says a function runs on, or ""."""
    plain = names - {"ptr", "p", "execution", "exec", "dev"}
    if names & STREAM and plain <= STREAM | {"handle"}:
        return "stream"
    return "handle" if plain and plain <= (CONTEXT - {"device", "env"}) | _POLICIES else ""


_ARITHMETIC = re.compile(
    r"(?:unsigned |signed )?(?:bool|char|short|int|long|float|double|_Float16|__fp16|u?int\d+_t|size_t)\b"
)


def _of_vector(element: str) -> str:
    """What a vector of such elements is: numbers, descriptors, or a list of tensors."""
    if set(split(element)) & DESC:
        return "desc"
    return "ints" if _ARITHMETIC.match(element) and "*" not in element else "list"


def _says_shape(names: frozenset[str]) -> bool:
    """True for a name that ends in a word for a shape: ``newdims``, ``inshape``."""
    return any(n.endswith(("dims", "shape", "axes", "strides", "sizes", "pads")) for n in names)
