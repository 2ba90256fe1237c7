"""The arguments of one BLAS function for one op, in C order."""

from __future__ import annotations

from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.kernel_plan import NotGenerated, buffer, offset
from torchfl_sdk.scaffold.object_calls import object_name
from torchfl_sdk.scaffold.styles.blas_forms import Form
from torchfl_sdk.scaffold.styles.filled import Filled, filled_of
from torchfl_sdk.scaffold.styles.ground import Ground
from torchfl_sdk.scaffold.styles.handles import Handles
from torchfl_sdk.scaffold.styles.views import View, view_of
from torchfl_sdk.scaffold.styles.wide import CLEARED, LENGTH_VALUES, argument, flag_values, in_bytes, queue_argument

_FLAG = {"order": "order", "trans.input": "trans"}


def loops(form: Form, pairs: tuple[tuple[Param, str], ...], *, host: bool) -> bool:
    """True if the function is called once for each place outside of the op's dimensions, which costs little where the
    result is at hand."""
    return form.along >= 0 and host


class Arguments:
    """``lines`` stand ahead of the call, ``helpers`` ahead of the kernel; ``support``: vendor functions in either.

    ``assumed``: nothing says how the function's matrices lie.
    """

    def __init__(
        self, ground: Ground, form: Form, handles: Handles, dtype: str, pairs: tuple[tuple[Param, str], ...]
    ) -> None:
        self.model, self.objects = ground.model, ground.device.objects
        self.form, self.handles, self.dtype, self.pairs = form, handles, dtype, pairs
        #: C type of an order or transpose argument -> its constants, as the matrix product has them
        self.flags = {
            cxx.bare(a.ctype): dict(a.values)
            for b in ground.bindings
            for c in b.calls
            for a in c.arguments
            if a.role == "order" or a.role.startswith("trans.")
        }
        self.roles = {role for _, role in pairs}
        self.loops = loops(form, pairs, host=ground.device.host_memory)
        self.lines: list[str] = []
        self.support: list[str] = []
        self.helpers: list[str] = []
        self.views = {role: view_of(self.model, p.type) for p, role in pairs if role in form.tensors}
        made = {role: filled_of(handles.makers, p.type) for p, role in pairs if role in (*form.tensors, "output")}
        self.filled = {role: one for role, one in made.items() if one is not None}
        matrix = bool(self.filled) or any(v is not None and v.is_matrix for v in self.views.values())
        #: elements of a reduction have to lie side by side
        self.dense = (
            form.along >= 0 and "inc.input" not in self.roles and not any(v and v.step for v in self.views.values())
        )
        self.assumed = form.ordered and "order" not in self.roles and not matrix
        self.extents = form.column_extents if self.assumed else form.extents
        self.tensors = dict(form.column_tensors if self.assumed and form.column_tensors else form.tensors)

    def written(self, function: Function) -> list[str]:
        """The arguments; raises NotGenerated where one has no place in the form."""
        lacking = sorted(set(self.tensors) - self.roles)
        if lacking:
            raise NotGenerated(f"{function.name} has no argument for the role {lacking[0]!r}")
        if self.assumed and not (self.form.column_extents and "handle" in self.roles):
            raise NotGenerated(f"{function.name} does not say whether its matrix is row- or column-major")
        if "output" in self.roles:
            self.tensors["output"] = "out"
        if self.dense:
            why = cxx.string("the vendor's function takes elements side by side only")
            self.lines.append(f"if (over.inner != 1) return torchfl::unsupported({why});")
        if self.objects is not None:
            whole = [n for role, n in self.tensors.items() if role in self.roles and f"offset.{role}" not in self.roles]
            why = cxx.string("the vendor's function takes whole buffers")
            self.lines += [CLEARED] if self.form.op == "aten::mv" and "beta" in self.roles else []
            self.lines += [f"if ({name}.byte_offset != 0) return torchfl::unsupported({why});" for name in whole]
        return [self._argument(function, role, p) for p, role in self.pairs]

    def _argument(self, function: Function, role: str, param: Param) -> str:
        head, _, tensor = role.partition(".")
        if role == "output" and self.form.result == "number" and self.handles.host_results(function):
            return "&value"
        if role in self.tensors:
            return self._tensor(self.tensors[role], role, param)
        if head == "offset" and tensor in self.tensors:
            return offset(argument(param, role, 0, value="bytes" if in_bytes(param) else ""), self.tensors[tensor])
        if role in ("stream", "queue") and self.objects is not None:
            setup, value = queue_argument(param, self.objects)
            self.lines += setup
            return value
        if role == "handle":
            made = self.handles.alone(param)
            self.lines += made.lines
            self.support += made.support
            self.helpers += made.helpers
            return made.name
        if role == "event":
            return "nullptr"
        if role in LENGTH_VALUES:
            return LENGTH_VALUES[role]
        if role == "hint" and (usual := choose.default(self.model, param.type)):
            return usual
        if role == "order":
            return self._flag(param, role, "row")
        if role == "trans.input" and self.form.transposed:
            yes, no = self._flag(param, role, "t"), self._flag(param, role, "n")
            return f"{self.form.transposed} ? {no if self.assumed else yes} : {yes if self.assumed else no}"
        extent = self.extents.get(role)
        if extent is not None:
            return self._extent(param.type.spelled, extent)
        if head == "inc":
            return self._extent(param.type.spelled, "1")
        return self._scalar(function, role, param)

    def _extent(self, ctype: str, extent: str) -> str:
        if cxx.is_pointer(ctype):  # Fortran's way
            target = cxx.bare(cxx.pointee(ctype))
            return f"torchfl::ByAddress<{target}>{{{self._extent(target, extent)}}}"
        if extent == "1":
            return "1"
        if not cxx.is_wide(ctype):
            why = cxx.string(f"an extent beyond {cxx.bare(ctype)}")
            self.lines.append(f"if (!torchfl::fits<{cxx.bare(ctype)}>({extent})) return torchfl::unsupported({why});")
        return cxx.integer(ctype, extent)

    def _scalar(self, function: Function, role: str, param: Param) -> str:
        scalar, ctype = self.form.scalars.get(role), param.type.spelled
        if scalar is None:
            raise NotGenerated(f"nothing fills its argument {param.name!r} ({role})")
        one = filled_of(self.handles.makers, param.type) if self.filled else None
        if one is not None:
            name = f"{role}_of_{function.name}"
            self._typed(one)
            self.lines += one.number(self.handles.makers, name, "out", scalar)
            return f"&{name}"
        target = cxx.bare(cxx.pointee(ctype)) if cxx.is_pointer(ctype) else cxx.bare(ctype)
        if self.dtype == "float16":
            value = f"torchfl::half_bits({scalar})"
        else:
            value = scalar if scalar.removeprefix("-").isdigit() else f"static_cast<{target}>({scalar})"
        if not cxx.is_pointer(ctype):
            return value
        name = f"{role}_of_{function.name}"
        self.lines.append(f"const {target} {name} = {value};")
        return f"&{name}"

    def _tensor(self, name: str, role: str, param: Param) -> str:
        if role in self.filled:
            return self._filled(self.filled[role], name, role)
        view = self.views.get(role)
        if view is not None and self.objects is None:
            return self._view(view, name, role)
        if self.objects is None:
            data = cxx.data(name, param.type.spelled)
            place = {"input": " + first", "output": " + i"}.get(role, "") if self.loops else ""
            return data + place
        if object_name(param.type) != self.objects.buffer:
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, not a {self.objects.buffer}")
        return buffer(argument(param, role, 0), name)

    def _typed(self, one: Filled) -> None:
        lines, helper = one.typed(self.handles.makers, "out")
        self.lines += lines
        self.helpers.append(helper)
        self.support.append(one.maker.name)

    def _filled(self, one: Filled, name: str, role: str) -> str:
        """A struct that its maker fills in over a tensor."""
        if self.form.along >= 0:
            raise NotGenerated("numbers of reductions are not given out in structs yet")
        given = {"data": f"torchfl::data({name})", "rows": f"{name}.numel", "columns": "1"}
        given |= {"row_step": "1", "column_step": f"{name}.numel"}
        leading = self.extents.get(f"ld.{role}", "")
        if leading and not {"m", "n"} <= self.extents.keys():
            raise NotGenerated("nothing says how large its matrix is")
        if leading:
            given |= {"rows": self.extents["m"], "columns": self.extents["n"], "row_step": leading, "column_step": "1"}
        if leading and self.form.transposed:  # the operand as it is meant, wherever its elements lie
            given |= {"rows": f"{name}.sizes[0]", "columns": f"{name}.sizes[1]"}
            given["row_step"] = f"{self.form.transposed} ? 1 : {leading}"
            given["column_step"] = f"{self.form.transposed} ? {leading} : 1"
        self._typed(one)
        self.lines += one.made(self.handles.makers, f"{name}_object", given)
        return f"&{name}_object"

    def _view(self, view: View, name: str, role: str) -> str:
        """A struct of the caller's over a tensor, or over the part of it that one of many results is about."""
        self.helpers.append(view.helper)
        data = f"torchfl::data({name})"
        if view.is_matrix:
            leading = self.extents.get(f"ld.{role}", "")
            if not leading or not {"m", "n"} <= self.extents.keys():
                raise NotGenerated("nothing says how large its matrix is")
            extents = [self.extents["m"], self.extents["n"], leading]
            if not view.step:
                why = cxx.string("the vendor's function takes dense rows only")
                self.lines.append(f"if ({leading} != {extents[1]}) return torchfl::unsupported({why});")
        elif self.form.along >= 0:
            if self.loops:
                data = f"torchfl::data<{cxx.bare(view.element.spelled)}>({name}) + first"
            extents = [self.extents["numel"], self.extents["inc.input"]]
        else:
            extents = [f"{name}.numel", "1"]
        for extent in extents if view.narrow else []:
            if extent != "1":
                why = cxx.string(f"an extent beyond {view.narrow}")
                self.lines.append(f"if (!torchfl::fits<{view.narrow}>({extent})) return torchfl::unsupported({why});")
        return view.made(data, *extents)

    def _flag(self, param: Param, role: str, key: str) -> str:
        ctype = param.type.spelled
        value = (self.flags.get(cxx.bare(ctype)) or dict(flag_values(self.model, param, _FLAG[role]))).get(key)
        if value is None:
            raise NotGenerated(f"{ctype} has no constant for {key!r}")
        return value
