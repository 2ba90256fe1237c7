"""Writes the calls of one kernel: finds for every argument of a vendor function what an op gives it, making the
objects that it needs on the way."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.idle import need_not
from torchfl_sdk.match.recognise.objects import CONTEXT, STREAM
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.arguments import of_class
from torchfl_sdk.scaffold.classes.standard import default, standard
from torchfl_sdk.scaffold.compose import choose, dimensions, norms
from torchfl_sdk.scaffold.compose.extents import EXTENTS, extent
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle
from torchfl_sdk.scaffold.compose.owned import Objects
from torchfl_sdk.scaffold.compose.settings import setting
from torchfl_sdk.scaffold.compose.state import TENSORS, variable
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: What the types and names of objects say that are made once for a thread and used by every op.
_SHARED = CONTEXT | STREAM
_STATISTICS = frozenset(words("stat stats statistics mean rstd invstd savedmean savemean"))
_NORMALISED = frozenset(words("norm normalized normalised normal inner"))
_NUMBER = ("alpha", "beta", "gamma", "alpha1", "alpha2", "alpha3", "scalar")


class Composer(Objects):
    """The body of one kernel."""

    def argument(self, function: Function, part: Part, role: str, own: str) -> str:
        constant = self.constants.get(part.name)
        if constant is not None:
            return constant
        if role in self.objects:
            return self.objects[role]
        if part.name in self.objects:
            return self.objects[part.name]
        of_cxx = of_class(self, function, part, role)
        if of_cxx is None:
            of_cxx = standard(self, function, part, role)
        if of_cxx is not None:
            return of_cxx
        about, _, tensor = role.partition(".")
        if about == "list" and self.op.list_input:
            return self._list(function, part)
        if self.op.list_input and role.split(".")[0] in ("count", "numel") and part.sort == "int":
            return self.integer(part, "call->num_inputs", "a number of tensors")
        if role in ("save_mean", "save_rstd") and self.op.shape_rule == "layer_norm":
            return self._statistics(function, part, role)
        if self.op.list_input and part.plural and about == "desc" and tensor in ("input", "list"):
            return self._list(function, part)
        if part.plural or about == "list":
            raise NotGenerated(f"{part.name!r} of {function.name} is a list of tensors")
        if role in TENSORS or role in self.op.inputs or (role == "indices" and self.index):
            return self._tensor(function, part, role)
        if about == "desc":
            return self._description(function, part, tensor, own)
        if role == "scalar" and self.of_objects(function) and (second := self.second()):
            return self.operand(part, second)
        if part.sort in ("scalar_pointer", "float", "params") or role in _NUMBER:
            return self.number(function, part, role, own)
        if role == "dims" or dimensions.counts(self, function, part, role):
            return dimensions.given(self, function, part)
        entries = self.attributes.entries(role)
        if entries is not None:
            return self.entries(function, part, *entries)
        return self._other(function, part, role, own)

    def _tensor(self, function: Function, part: Part, role: str) -> str:
        tensor = self.tensor(role)
        key = self.makers.lifecycles.key(part.param.type)
        optional = tensor in self.op.optional_inputs
        if not tensor:
            return "nullptr"
        if role == "inout":
            if not self.of_objects(function):
                raise NotGenerated(f"{part.name!r} of {function.name} is read and written")
            self.begin()
        self._whole_addend(tensor)
        self.tensors.add(tensor)
        if part.sort == "tensor" or (key and self.makers.lifecycles.by_key(key) is not None and part.sort != "data"):
            if not key:
                made = part.param.type.canonical.rstrip("& ").removeprefix("const ")
                raise NotGenerated(f"nothing in the header makes a {made} over given memory")
            if part.param.type.kind == "struct" and optional:
                raise NotGenerated(f"the optional {tensor!r} goes by value")
            made = self.described(key, tensor)
            return made.removeprefix("&") if part.param.type.kind == "struct" else made
        ctype = part.param.type.spelled
        if not cxx.is_pointer(ctype):
            raise NotGenerated(f"argument {part.name!r} is a tensor but no pointer")
        if part.element:
            self.limit([part.element])
        data = cxx.data(tensor, ctype)
        if optional and self.kind == "norm":
            why = cxx.string(f"the vendor's function wants {tensor}")
            self.code.add(f"if (!torchfl::present({tensor})) return torchfl::unsupported({why});")
            return data
        return f"torchfl::present({tensor}) ? {data} : nullptr" if optional else data

    def _further(self, index: int, part: Part) -> str:
        """The variable of one of the op's further results."""
        if len(self.op.outputs) <= index:
            raise NotGenerated(
                f"{self.op.name} has no result for {part.name!r}, and nothing says that it may be left out"
            )
        tensor = self.op.outputs[index]
        self.tensors.add(tensor)
        if tensor not in self.code.names:
            self.code.names.add(tensor)
            why = cxx.string("the vendor's function writes every result")
            self.code.add(
                f"if (call->num_outputs <= {index}) return torchfl::unsupported({why});",
                f"const tfl_tensor& {tensor} = call->outputs[{index}];",
            )
        return tensor

    def _whole_addend(self, tensor: str) -> None:
        """PyTorch adds a row, or a number, to every row of a product; a vendor that does not say so adds a matrix."""
        plain = [i for i in self.op.inputs if self.op.input_kind(i) == "common"]
        if self.kind == "matmul" and len(plain) == 3 and tensor == plain[0] and tensor not in self.tensors:
            why = cxx.string("what is added is smaller than the result")
            self.code.add(f"if ({tensor}.numel != out.numel) return torchfl::unsupported({why});")

    def _statistics(self, function: Function, part: Part, role: str) -> str:
        """The further results of a normalisation: left out where the header says that they may be, else written."""
        if self._left_out(function, part):
            return "nullptr"
        tensor = self._further(1 if role == "save_mean" else 2, part)
        key = object_key(part.param.type)
        if part.sort == "tensor" or (key and self.makers.lifecycles.by_key(key) is not None and part.sort != "data"):
            return self.described(key, tensor, "torchfl::shape({rows, 1})")
        return cxx.data(tensor, part.param.type.spelled)

    def _left_out(self, function: Function, part: Part) -> bool:
        """True for a place for a result that the header says may be missing, or that has a size, which is then 0."""
        said = re.search(rf"\b{re.escape(part.name)}\b[^@.]*\bNULL\b", function.comment)
        return bool(said) or "optional" in part.name.lower() or "indices_size" in self.roles(function).values()

    def _description(self, function: Function, part: Part, tensor: str, own: str) -> str:
        key = object_key(part.param.type)
        if tensor in TENSORS or tensor in self.op.inputs or (tensor == "indices" and self.index):
            found = self.tensor(tensor)
            if not found:
                return "nullptr"
            if tensor == "inout":
                self.begin()
            self._whole_addend(found)
            self.tensors.add(found)
            return self.described(key, found)
        if tensor == "stat" and re.search(rf"\b{re.escape(part.name)}\b[^@]*\bNULL\b", function.comment):
            return "nullptr"  # as wide as the rows
        if self.op.shape_rule == "batch_norm" and tensor == "param" and key:
            return self.described(key, "running_mean", "torchfl::shape({1, input.sizes[1], 1, 1})")
        if self.op.shape_rule == "layer_norm" and key and _STATISTICS & set(part.words):
            return self.described(key, self._further(1, part), "torchfl::shape({rows, 1})")
        if own and own in (key, out_key(part.param.type)):
            return self.objects[own]
        if not key:
            raise NotGenerated(f"{part.name!r} of {function.name} is a {part.param.type.spelled}, which nothing fills")
        return self.made(key, part)

    def _other(self, function: Function, part: Part, role: str, own: str) -> str:
        t, about = part.param.type, role.partition(".")[0]
        if role == "axis" and part.sort == "int":
            return self._axis(part)
        if chosen := setting(self, function, part, role):
            return chosen
        if role in ("dtype", "compute_type") or part.sort == "dtype":
            return self._dtype(part, role, compute=role == "compute_type" or bool(own))
        if role == "layout" and (constant := choose.layout(self.model, t, images=self.kind in ("conv", "pool"))):
            return constant
        if t.kind == "enum":
            return choose.choose(self.model, t, part.name, self.kind, self.word)
        if role == "indices" and cxx.is_pointer(t.canonical) and self._left_out(function, part):
            return "nullptr"  # no place is asked for
        if role == "indices":
            raise NotGenerated(f"nothing says that {function.name} does without {part.name!r}")
        if role == "indices_size":
            return "0"
        if self.kind == "norm" and role == "flags" and t.kind == "int":
            return norms.flags(self, part.name)
        if role == "flags" or part.joined in ("flags", "flag"):
            return "0" if t.kind == "int" else "nullptr"
        if role == "attr" and cxx.is_pointer(t.canonical):
            return "nullptr"  # the vendor's defaults
        if role == "stream" and not self.makers.host:
            return self.makers.queue(function, part.param, foreign=self.match.style != "handle")
        if role == "threadpool":
            return "nullptr"  # the calling thread
        key = object_key(t)
        if key and (life := self.makers.lifecycles.by_key(key)) is not None:
            if self._says_how(part, life):
                return self.made(key, part)
            try:
                return self.kept(key)
            except NotGenerated:
                if need_not(part.param, function.comment):
                    return "nullptr"
                raise
        if about in EXTENTS:
            return self._extent(function, part, role)
        if part.sort == "bool" or (part.sort == "int" and role in ("mode", "hint", "keepdim")):
            raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")
        if role == "ctx":
            raise NotGenerated(f"no function of the header makes the {t.spelled} that {function.name} takes")
        given = default(function, part.param) if not role else None
        if given is not None:
            return given
        raise NotGenerated(
            f"argument {part.name!r} of {function.name} has the role {role or 'none'}, which nothing fills"
        )

    def _says_how(self, part: Part, life: Lifecycle) -> bool:
        """True for an object that holds how the op is computed, and that no two calls may share: one that a constant
        goes to, or that has something to be set and is called no context."""
        if any(name.startswith(f"{part.name}: ") for name in self.constants):
            return True
        return bool(life.fillers) and not ({*part.words} | part.type_words) & _SHARED and part.sort != "stream"

    def _extent(self, function: Function, part: Part, role: str) -> str:
        if self.op.shape_rule == "bmm" and not {"batch", "count"} & set(self.roles(function).values()):
            raise NotGenerated(f"{function.name} computes one product, and {self.op.name} a stack of them")
        if role == "rank" and self.op.shape_rule == "layer_norm" and set(part.words) & _NORMALISED:
            return cxx.integer(part.param.type.spelled, "1")  # of its rows and columns
        found = extent(self.op, self.kind, role, split(function.name))
        self.code.add(*(line for line in found.before if line not in self.code.lines))
        self.code.names |= set(found.names)
        self.covered |= set(found.covers)
        self.constraints |= dict(found.constraints)
        self.channels_last = self.channels_last or found.channels_last
        if part.sort == "int":
            return self.integer(part, found.values[0], "an extent")
        t = part.param.type.pointee
        if t is None or t.kind != "int":
            raise NotGenerated(f"{part.name!r} of {function.name} is a {part.param.type.spelled}, which nothing fills")
        element, name = variable_type(t), self.code.name(variable(part.name))
        values = ", ".join(cxx.integer(element, v) for v in found.values)
        self.code.add(f"const {element} {name}[] = {{{values}}};")
        return name

    def _axis(self, part: Part) -> str:
        if self.op.shape_rule == "layer_norm":
            return cxx.integer(part.param.type.spelled, "1")  # of its rows and columns
        if self.attributes.index("dim") is None:
            raise NotGenerated(f"{self.op.name} has no dimension to give to {part.name!r}")
        self.covered.add("dim")
        first = "out" if self.op.list_input else self.op.inputs[0]
        expression = f"torchfl::from_front({first}, torchfl::integer({self.attributes.source('dim')}, -1))"
        return cxx.integer(part.param.type.spelled, expression)

    def _dtype(self, part: Part, role: str, *, compute: bool) -> str:
        helper = self.makers.dtype(part.param.type, compute=compute)
        self.use(helper)
        self.limit(self.makers.served(part.param.type))
        # An op whose result has a dtype of its own is told that one.
        subject = "out" if role == "dtype" and self.op.output_kinds[0] == "named" else self.subject
        mark = f"{helper.name}({subject})"
        if mark not in self.objects:
            name = self.code.name(variable(part.name))
            why = cxx.string(f"no {helper.ctype} for this dtype")
            self.code.add(
                f"{helper.ctype} {name};",
                f"if (!{helper.name}({subject}.dtype, &{name})) return torchfl::unsupported({why});",
            )
            self.objects[mark] = name
        return self.objects[mark]
