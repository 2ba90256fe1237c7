"""C++ for the attributes of a call over whole tensors: those that arguments carry, and those that none does."""

from __future__ import annotations

from collections.abc import Mapping

from torchfl.catalogue import Attr, OpSpec
from torchfl_sdk.match.model import Argument
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.geometry import absent_value
from torchfl_sdk.scaffold.kernel_plan import NotGenerated


class Attributes:
    """The attributes of one op. ``places``: name -> where it stands in ``tfl_call.attrs``."""

    def __init__(self, op: OpSpec) -> None:
        self.op = op
        self.places: Mapping[str, int] = {a.name: i for i, a in enumerate(op.attrs)}

    def default_check(self, spec: Attr, proved: tuple[int | float | str, ...]) -> tuple[str, str]:
        """When a call is refused, and why, of an attribute that no argument takes: it must have the value that the
        vendor computes with, ``proved`` or the default."""
        name, kind, default = spec.name, spec.kind, spec.default
        attr = self.source(name)
        value = proved[0] if len(proved) == 1 else default
        why = f"the vendor's function has no {name}"
        if value is None:
            raise NotGenerated(f"no argument takes {name!r}, which has no default")
        if kind == "choice":
            index = spec.choices.index(str(value))
            condition = f"torchfl::integer({attr}, {index}) != {index}"
        elif kind == "int_list":
            values = value if isinstance(value, tuple) else (value,)
            if len(set(values)) != 1:
                raise NotGenerated(f"no argument takes {name!r}")
            condition = f"!torchfl::all_equal({attr}, {int(values[0])})"
        elif kind in ("int", "bool"):
            condition = f"torchfl::integer({attr}, {int(value)}) != {int(value)}"  # type: ignore[arg-type]
        else:
            literal = cxx.number(value)
            condition = f"torchfl::number({attr}, {literal}) != {literal}"
        return condition, why

    def source(self, name: str) -> str:
        """The C++ expression of an attribute."""
        return f"call->attrs[{self.places[name]}]"

    def argument(self, a: Argument, name: str, index: str, before: list[str]) -> str:
        """The C++ argument for an attribute, or for the entry ``index`` of one; adds to the lines ahead of the call."""
        spec = self.op.attrs[self.places[name]]
        source = self.source(name)
        if spec.kind == "choice":
            return self._choice(a, spec, source)
        too_big = f"return torchfl::unsupported({cxx.string(f'{name} beyond the vendor type')});"
        if spec.kind == "int_list":
            default = spec.default if isinstance(spec.default, int) else 1
            if index:
                variable = f"{name}_{index}"
                if f"{cxx.bare(a.ctype)} {variable};" in before:  # both ends of an axis
                    return variable
                before.append(f"{cxx.bare(a.ctype)} {variable};")
                before.append(
                    f"if (!torchfl::assign({variable}, torchfl::at({source}, {int(index)}, {default}))) {too_big}"
                )
                return variable
            if not cxx.is_pointer(a.ctype):
                variable = name
                before.append(
                    f"if (torchfl::at({source}, 0, {default}) != torchfl::at({source}, 1, {default})) "
                    f"return torchfl::unsupported({cxx.string(f'{name} differs between dimensions')});"
                )
                before.append(f"{cxx.bare(a.ctype)} {variable};")
                before.append(f"if (!torchfl::assign({variable}, torchfl::at({source}, 0, {default}))) {too_big}")
                return variable
            before.append(f"{cxx.bare(cxx.pointee(a.ctype))} {name}[2];")
            before.append(f"if (!torchfl::assign_list({name}, {source}, {default})) {too_big}")
            return name
        if cxx.is_pointer(a.ctype):
            value = self._scalar(cxx.pointee(a.ctype), spec, source)
            before.append(f"const {cxx.bare(cxx.pointee(a.ctype))} {name} = {value};")
            return f"&{name}"
        if spec.kind == "bool" and a.values:
            values = dict(a.values)
            told = f"torchfl::integer({source}, {int(bool(spec.default))}) != 0"
            return f"{told} ? {values['true']} : {values['false']}"
        if spec.kind in ("int", "bool") and cxx.bare(a.ctype) not in ("bool", "_Bool"):
            before.append(f"{cxx.bare(a.ctype)} {name};")
            before.append(
                f"if (!torchfl::assign({name}, torchfl::integer({source}, {int(spec.default or 0)}))) {too_big}"  # type: ignore[arg-type]
            )
            return name
        if cxx.bare(a.ctype) in ("bool", "_Bool"):
            return f"torchfl::integer({source}, {int(spec.default or 0)}) != 0"  # type: ignore[arg-type]
        return self._scalar(a.ctype, spec, source)

    def _choice(self, a: Argument, spec: Attr, source: str) -> str:
        """One of a few constants, by the place of the choice among the op's."""
        values, default = dict(a.values), spec.choices.index(str(spec.default))
        if set(values) != set(spec.choices) or len(values) != 2:
            raise NotGenerated(f"{a.name!r} has no constants for {' and '.join(spec.choices)}")
        first, second = spec.choices
        return f"torchfl::integer({source}, {default}) == 0 ? {values[first]} : {values[second]}"

    def _scalar(self, ctype: str, spec: Attr, source: str) -> str:
        usual = absent_value(self.op, spec.name) or cxx.number(spec.default if spec.default is not None else 0)
        number = f"torchfl::number({source}, {usual})"
        return number if cxx.bare(ctype) == "double" else f"static_cast<{cxx.bare(ctype)}>({number})"
