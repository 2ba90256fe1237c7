"""C++ functions that several kernels share: they describe a tensor to the vendor, keep a handle, name a dtype."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.elements import dtype_enums
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.match.recognise.parts import Part, Parts
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.geometry import tensor_role
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle, Lifecycles, object_key, out_key, variable_type
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_DEVICE_INDEX = frozenset({"index", "device", "dev", "deviceid", "devid", "id", "ordinal", "deviceindex"})


@dataclass(frozen=True)
class Helper:
    """A C++ function: its name, its text, what must stand before it, the vendor functions in it."""

    name: str
    text: str
    before: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    ctype: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.before, self.text)


class Makers:
    """The shared functions of one header, each planned at most once."""

    def __init__(self, model: HeaderModel, status: StatusType, *, host: bool) -> None:
        self.model, self.status, self.host = model, status, host
        self.lifecycles = Lifecycles(model)
        self.parts = Parts(model)
        self.dtypes = dtype_enums(model)
        self._made: dict[tuple[str, str], Helper | NotGenerated] = {}
        self._open: set[tuple[str, str]] = set()

    def _once(self, kind: str, key: str) -> Helper:
        mark = (kind, key)
        if mark in self._open:
            raise NotGenerated(f"making a {key} needs another one")
        if mark not in self._made:
            self._open.add(mark)
            try:
                self._made[mark] = self._tensor(key) if kind == "tensor" else self._kept(key)
            except NotGenerated as e:
                self._made[mark] = e
            finally:
                self._open.discard(mark)
        found = self._made[mark]
        if isinstance(found, NotGenerated):
            raise found
        return found

    # Element types

    def dtype(self, t: CType, *, compute: bool = False) -> Helper:
        """``bool name(tfl_dtype, ctype*)``; ``compute``: the type to compute in, wider than half precision."""
        values = self.dtypes.get(t.name, {})
        known = {d: c for d, c in values.items() if d in cxx.TFL_DTYPES}
        if not known:
            raise NotGenerated(f"{t.spelled} has no constant for a dtype that torchfl knows")
        if compute and "float32" in known:
            known |= dict.fromkeys(("float16", "bfloat16"), known["float32"])
        ctype = variable_type(t)
        name = f"{'compute' if compute else 'vendor'}_{_plain(ctype)}"
        rows = [
            f"    case {cxx.TFL_DTYPES[d]}:\n      *out = {c};\n      return true;" for d, c in sorted(known.items())
        ]
        what = "The vendor's type to compute in for a dtype" if compute else "The vendor's name of a dtype"
        head = f"// {what}; false if it has none.\nbool {name}(tfl_dtype dtype, {ctype}* out) {{\n  switch (dtype) {{\n"
        text = head + "\n".join(rows) + "\n    default:\n      return false;\n  }\n}"
        return Helper(name, text, ctype=ctype)

    def served(self, t: CType) -> tuple[str, ...]:
        return tuple(d for d in self.dtypes.get(t.name, {}) if d in cxx.TFL_DTYPES)

    # Tensors

    def tensor(self, key: str) -> Helper:
        """``tfl_status name(call, tensor, shape, ctype* out)`` for the descriptor or tensor object ``key``."""
        return self._once("tensor", key)

    def _tensor(self, key: str) -> Helper:
        life = self._life(key)
        reasons: list[str] = []
        for with_rank in (True, False):
            for maker in life.makers:
                for filler in (None, *life.fillers):
                    try:
                        return self._describe(life, maker, filler, with_rank)
                    except NotGenerated as e:
                        reasons.append(str(e))
        why = next((r for r in reasons if "describes no" not in r), reasons[0] if reasons else "nothing makes one")
        raise NotGenerated(f"no function describes a tensor by a {life.ctype or key}: {why}")

    def _describe(self, life: Lifecycle, maker: Function, filler: Function | None, with_rank: bool) -> Helper:
        code = Code(self.status, names={"call", "t", "shape", "out"})
        before: list[str] = []
        found: set[str] = set()
        deferred = _TensorArguments(self, life.key, code, before, found)
        steps = [f for f in (maker, filler) if f is not None]
        for function in steps:
            arguments = deferred.of(function)
            self._make(code, function, arguments, life.key)
        sized = "sizes" in found or {"size.0", "size.1", "size.2", "size.3"} <= found
        nested = {"description", "data"} <= found
        if not nested and (not sized or ("rank" in found) != with_rank):
            raise NotGenerated(f"{steps[-1].name} describes no tensor of any extents")
        if filler is not None and len(maker.params) > 1 + bool(object_key(maker.params[-1].type)):
            raise NotGenerated(f"{maker.name} describes no tensor alone")
        if nested:
            pass  # the description inside has checked the extents
        elif not with_rank:
            why = cxx.string("its extents are not those of images")
            code.lines.insert(0, f"if (shape.rank != 4) return torchfl::unsupported({why});")
        else:
            why = cxx.string("more dimensions than the vendor takes")
            code.lines.insert(0, f"if (shape.rank == 0) return torchfl::unsupported({why});")
        name = f"make_{_plain(life.ctype)}"
        what = f"Describes a dense tensor to the vendor, by {' and '.join(f.name for f in steps)}."
        body = "\n".join(f"  {line}" for line in [*code.lines, "return TFL_OK;"])
        unused = [n for n in ("call", "t") if not re.search(rf"\b{n}\b", body)]
        parameters = [
            "const tfl_call* call",
            "const tfl_tensor& t",
            "const torchfl::Shape& shape",
            f"{life.ctype}* out",
        ]
        parameters = [p.rsplit(" ", 1)[0] if p.rsplit(" ", 1)[1] in unused else p for p in parameters]
        text = f"// {what}\n{cxx.call(f'tfl_status {name}', parameters, ' {')}\n{body}\n}}"
        return Helper(name, text, tuple(before), tuple(code.used), life.ctype)

    def _make(self, code: Code, function: Function, arguments: list[str], key: str) -> None:
        if object_key(function.result) == key:
            code.use(function)
            code.add(cxx.call(f"*out = vendor::{function.name}", arguments, ";", 2))
            why = cxx.string(f"{function.name} made no object of these values")
            code.add(f"if (*out == nullptr) return torchfl::unsupported({why});")
        else:
            code.call(function, arguments)

    # Handles, engines, queues

    def kept(self, key: str) -> Helper:
        """``tfl_status name(call, ctype* object)`` for an object that is made once per thread and device."""
        return self._once("kept", key)

    def _kept(self, key: str) -> Helper:
        life = self._life(key)
        reasons: list[str] = []
        for maker in life.makers:
            code = Code(self.status, names={"call", "object", "made"})
            before: list[str] = []
            try:
                arguments = [self._context(maker, p, key, code, before) for p in self.parts.of(maker)]
                if object_key(maker.result) == key:
                    code.use(maker)
                    code.add(cxx.call(f"*made = vendor::{maker.name}", arguments, ";", 10))
                    code.add("return *made != nullptr ? TFL_OK : TFL_OUT_OF_MEMORY;")
                else:
                    code.add(code.statement(maker, arguments, 10), "return TFL_OK;")
            except NotGenerated as e:
                reasons.append(str(e))
                continue
            return self._keeper(life, code, before)
        raise NotGenerated(reasons[0] if reasons else f"no function of the header makes a {life.ctype or key}")

    def _keeper(self, life: Lifecycle, code: Code, before: list[str]) -> Helper:
        name, end = f"kept_{_plain(life.ctype)}", life.end
        undo = "(void)made;"
        if end is not None:
            code.use(end)
            undo = f"if (vendor::{end.name}) vendor::{end.name}(made);"
        body = "".join(f"        {line}\n" for line in code.lines)
        capture = "call" if "call" in body else ""
        text = (
            f"// The calling thread's {life.ctype} for the call's device, made at its first use.\n"
            f"tfl_status {name}(const tfl_call* call, {life.ctype}* object) {{\n"
            "  static const char kind = 0;\n"
            "  return torchfl::Kept::all().get(\n"
            "      &kind, call->device, object,\n"
            f"      [{capture}]({life.ctype}* made) -> tfl_status {{\n{body}      }},\n"
            f"      []({life.ctype} made) {{ {undo} }});\n}}"
        )
        return Helper(name, text, tuple(before), tuple(code.used), life.ctype)

    def _context(self, maker: Function, part: Part, key: str, code: Code, before: list[str]) -> str:
        t = part.param.type
        if out_key(t) == key:
            return "made"
        if object_key(t):
            return self.kept_argument(object_key(t), code, before)
        if t.kind == "enum":
            constant = choose.device_kind(self.model, t, host=self.host) or choose.default(self.model, t)
            if constant:
                return constant
        flags = bool({"flags", "flag", "options"} & set(part.words))
        if t.kind == "int" and flags:
            return _default_flag(self.model, maker) or "0"
        if t.kind == "int" and part.joined in _DEVICE_INDEX:
            return cxx.integer(t.spelled, "call->device")
        raise NotGenerated(f"nothing says what {maker.name} should get as {part.name!r}")

    def kept_argument(self, key: str, code: Code, before: list[str]) -> str:
        """A variable with the thread's object of this kind, declared in ``code``."""
        helper = self.kept(key)
        add_texts(before, helper)
        code.used += [u for u in helper.used if u not in code.used]
        name = code.name("handle" if "handle" in _plain(helper.ctype).lower() else _short(helper.ctype))
        code.add(f"{helper.ctype} {name};", f"TFL_TRY({helper.name}(call, &{name}));")
        return name

    def _life(self, key: str) -> Lifecycle:
        life = self.lifecycles.by_key(key)
        if life is None or not life.makers or not life.ctype:
            raise NotGenerated(f"no function of the header makes a {key}")
        return life


class _TensorArguments:
    """Fills the arguments of functions that describe a tensor, over the C++ variables call, t, shape, out."""

    def __init__(self, makers: Makers, key: str, code: Code, before: list[str], found: set[str]) -> None:
        self.makers, self.key, self.code, self.before, self.found = makers, key, code, before, found

    def of(self, function: Function) -> list[str]:
        parts = self.makers.parts.of(function)
        return [self._one(function, p, parts) for p in parts]

    def _one(self, function: Function, part: Part, parts: Sequence[Part]) -> str:
        t, model = part.param.type, self.makers.model
        if out_key(t) == self.key:
            return "out"
        if object_key(t) == self.key:
            return "*out"
        if part.sort == "dtype":
            return self._dtype(t)
        if part.sort == "enum":
            return self._layout(function, part)
        role = tensor_role(part, parts)
        if role:
            self.found.add(role)
            return self._extent(part, role)
        key = object_key(t)
        if key:
            return self._object(key)
        if t.kind == "enum" and (constant := choose.default(model, t)):
            return constant
        raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")

    def _dtype(self, t: CType) -> str:
        helper = self.makers.dtype(t)
        if helper.text not in self.before:
            self.before.append(helper.text)
        name = self.code.name("dtype")
        why = cxx.string(f"no {helper.ctype} for this dtype")
        self.code.add(
            f"{helper.ctype} {name};",
            f"if (!{helper.name}(t.dtype, &{name})) return torchfl::unsupported({why});",
        )
        return name

    def _layout(self, function: Function, part: Part) -> str:
        model, t = self.makers.model, part.param.type
        images, plain = choose.layout(model, t, images=True), choose.layout(model, t, images=False)
        if not images or not plain:
            constant = choose.default(model, t)
            if constant:
                return constant
            raise NotGenerated(f"nothing says which {t.spelled} {function.name} should get as {part.name!r}")
        return images if images == plain else f"shape.rank == 4 ? {images} : {plain}"

    def _extent(self, part: Part, role: str) -> str:
        ctype = part.param.type.spelled
        why = cxx.string(f"an extent beyond {cxx.bare(cxx.pointee(ctype) if cxx.is_pointer(ctype) else ctype)}")
        if role in ("rank", "storage_rank"):
            return cxx.integer(ctype, "shape.rank")
        if role == "data":
            return f"torchfl::data({'t'})" if "void" in part.param.type.canonical else cxx.data("t", ctype)
        if role == "offset":
            return "0"
        if role in ("sizes", "strides", "storage"):
            source = "strides" if role == "strides" else "sizes"
            name = self.code.name(role)
            t = part.param.type.pointee
            element = variable_type(t) if t is not None else "int"
            self.code.add(
                f"torchfl::Extents<{element}> {name};",
                f"if (!{name}.fill(shape.{source}, shape.rank)) return torchfl::unsupported({why});",
            )
            return f"{name}.values"
        what, _, index = role.partition(".")
        expression = f"shape.{'sizes' if what == 'size' else 'strides'}[{index}]"
        if not cxx.is_wide(ctype):
            self.code.add(f"if (!torchfl::fits<{cxx.bare(ctype)}>({expression})) return torchfl::unsupported({why});")
        return cxx.integer(ctype, expression)

    def _object(self, key: str) -> str:
        """Another description of the same tensor, or something that is kept."""
        try:
            helper = self.makers.tensor(key)
        except NotGenerated:
            return self.makers.kept_argument(key, self.code, self.before)
        self.found.add("description")
        add_texts(self.before, helper)
        self.code.used += [u for u in helper.used if u not in self.code.used]
        life = self.makers.lifecycles.by_key(key)
        name = self.code.own(helper.ctype, life.end if life else None, "description")
        out = f"{name}.out()"
        self.code.add(f"TFL_TRY({helper.name}(call, t, shape, {out}));")
        return name


def add_texts(to: list[str], helper: Helper) -> None:
    to += [text for text in helper.texts if text not in to]


def _plain(ctype: str) -> str:
    return re.sub(r"\W+", "_", ctype).strip("_").removeprefix("const_")


def _short(ctype: str) -> str:
    """A variable's name from the last word of a type: ``vlQueue_t`` -> queue."""
    found = [w for w in split(_plain(ctype)) if w not in ("t", "st", "ptr")]
    return found[-1] if found else "object"


def _default_flag(model: HeaderModel, maker: Function) -> str:
    """The constant of an enum of flags of the made object that is called the default."""
    about = set(split(maker.name))
    for enum in model.enums.values():
        named = set(split(enum.name))
        if "flags" in named and named - {"flags", "t"} <= about:
            for constant in enum.constants:
                if "default" in split(constant.name):
                    return constant.name
    return ""
