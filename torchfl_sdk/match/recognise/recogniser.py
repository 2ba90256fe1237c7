"""Function by function: name, parameters and comment together say which op it computes, or that nothing is sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import OpMatch, Source
from torchfl_sdk.match.recognise import scalars, selector, tensors
from torchfl_sdk.match.recognise.names import Naming, namings
from torchfl_sdk.match.recognise.order import exchanged
from torchfl_sdk.match.recognise.parts import Part, Parts
from torchfl_sdk.match.tokens import Prefixes, words
from torchfl_sdk.match.vocabulary import Word

#: Below this nothing is proposed.
CERTAIN = 0.55
_CARRIERS = ("data", "tensor", "list")
_OBJECTS = ("handle", "out_handle", "stream", "params")
_NO_NUMBERS = ("text", "function")
_COLLECTIVE = ("comm", "communicator", "root", "peer", "nranks")
#: Ops whose result is true or false, in whatever type a vendor writes it.
_TESTS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or")
_VALUES = ("input", "input2", "input3", "weight", "output", "inout")
_PREPARES = frozenset(words("create setup define reshape prepare make build init plan get_workspace_size"))


@dataclass(frozen=True)
class Outcome:
    """What was found for one function."""

    matches: tuple[OpMatch, ...] = ()
    reason: str = ""  # why it is no op although its name says one; "" where its name says nothing


def _called(function: Function) -> str:
    """A function's name; of a method that only says "run", the name of its class."""
    owner, _, name = function.name.rpartition("::")
    runs = ("run", "execute", "forward", "compute", "apply", "launch", "invoke", "call", "enqueue")
    return owner if owner and name.lower() in runs and function.namespace == owner else function.name


def _is_scratch(part: Part, data: Sequence[Part]) -> bool:
    """A buffer of bytes beside tensors of another type: room for the function to work in."""
    others = {p.element for p in data if p is not part and p.sort == "data"}
    named = part.words[-1:] == ("buffer",) and part.base not in ("in", "out", "input", "output", "src", "dst")
    return part.sort == "data" and named and part.written and part.element in ("uint8", "int8", "") and bool(
        others - {part.element}
    )  # fmt: skip


class Recogniser:
    """Recognises the functions of one header."""

    def __init__(self, model: HeaderModel, prefix: Prefixes) -> None:
        self._model = model
        self._prefix = prefix
        self._parts = Parts(model)
        self._names = {f.name for f in model.functions}
        self._public = {a.target: a.name for a in model.aliases.values()}

    def decide(self, function: Function) -> Outcome:
        """The ops that a function computes, or why it computes none."""
        reason = ""
        parts: tuple[Part, ...] | None = None
        for name in dict.fromkeys((_called(function), self._public.get(function.name, _called(function)))):
            for naming in namings(name.rsplit("::", 1)[-1], self._prefix, free=function.linkage == "c"):
                if naming.friend:
                    return Outcome(reason=f"no op of its own: {naming.friend}")
                parts = self._parts.of(function) if parts is None else parts
                trouble = self._unfit(function, naming, parts)
                if trouble:
                    reason = reason or trouble
                    continue
                found = self._try(function, naming, parts)
                if isinstance(found, tuple):
                    return Outcome(found)
                reason = reason or found
                if naming.words:
                    return Outcome(reason=reason)  # a shorter reading of the name would be another op's
        return Outcome(reason=reason)

    def _unfit(self, function: Function, naming: Naming, parts: Sequence[Part]) -> str:
        if "complex" in naming.dtypes and len([d for d in naming.dtypes if d]) == 1:
            return "complex dtype: torchfl has no complex dtype"
        if any(p.sort == "complex" or p.element == "complex" for p in parts):
            return "complex dtype: torchfl has no complex dtype"
        if naming.quantised or any("zeropoint" in p.joined for p in parts):
            return "a quantised form: its scales and zero points belong to no plain op"
        if naming.letter and naming.letter in "sdh":
            elements = {p.element for p in parts if p.sort in ("data", "list") and p.element}
            if elements and naming.dtypes[0] not in elements and naming.letter == naming.letter[:1]:
                return f"its name says {naming.dtypes[0]}, its pointers are {', '.join(sorted(elements))}"
        if any(p.joined in _COLLECTIVE or p.type_words & {"comm", "communicator"} for p in parts):
            return "a collective over several devices, no op on one"
        if function.variadic:
            return "takes a variable number of arguments"
        if not parts:
            return "has no arguments"
        return ""

    def _try(self, function: Function, naming: Naming, parts: Sequence[Part]) -> tuple[OpMatch, ...] | str:
        reason = ""
        for word in naming.words:
            found = self._match(function, naming, parts, word)
            if isinstance(found, OpMatch):
                return self._with_variants(found, word, function, parts)
            reason = reason or found
        chosen = selector.choices(self._model, function, parts, naming) if naming.families else []
        matches: list[OpMatch] = []
        for choice in chosen:
            found = self._match(function, naming, parts, choice.word, selected=choice.carrier)
            if isinstance(found, OpMatch):
                said = (*found.evidence, choice.source)
                matches.append(replace(found, constants=((choice.carrier, choice.constant),), evidence=said))
            else:
                reason = reason or found
        return tuple(matches) or reason or "which op of the family it computes is not clear"

    def _with_variants(
        self, found: OpMatch, word: Word, function: Function, parts: Sequence[Part]
    ) -> tuple[OpMatch, ...]:
        if word.kind != "softmax" or word.aten != "aten::_softmax":
            return (found,)
        carrier, constant = selector.has_log(self._model, parts)
        if not constant:
            return (found,)
        log = replace(
            found,
            aten="aten::_log_softmax",
            alternatives=("aten::log_softmax.int",),
            constants=((carrier, constant),),
            evidence=(*found.evidence, f"{constant} makes it a log-softmax"),
        )
        return (found, log)

    def _match(
        self, function: Function, naming: Naming, parts: Sequence[Part], word: Word, selected: str = ""
    ) -> OpMatch | str:
        prepares = naming.protocol in _PREPARES or naming.protocol.endswith(("init", "create"))
        carriers, style = self._carriers(word, naming, parts)
        returns = self._returns_result(function, word, carriers)
        second = self._launch(function, naming, parts)
        if not carriers and not second and not (prepares and self._creates(parts)):
            return f"has no tensor argument, so it is not {word.aten}"
        if naming.protocol in ("create", "make", "init", "build", "plan", "get_workspace_size") and not self._creates(
            parts
        ):
            return "creates an object that is no op"
        if naming.backward and naming.protocol and word.aten != "aten::convolution_backward":
            return "prepares a backward pass, which needs what the forward pass left"
        if word.kind in ("reduce", "softmax", "norm") and any(p.plural for p in carriers):
            return "takes a list of tensors"
        scalar = self._has_scalar(parts, word)
        found = tensors.assign(
            word,
            carriers,
            returns=returns,
            scalar=scalar or naming.constant,
            prepares=second or (prepares and style != "descriptor"),
            describes=prepares,
            blends=any(p.joined == "beta" and p.sort in ("scalar_pointer", "float") for p in parts),
        )
        if isinstance(found, str):
            return found
        if naming.reversed and word.aten not in ("aten::sub.Tensor", "aten::rsub.Scalar"):
            return "its operands are reversed (a number by a tensor), which is no single op"
        if naming.constant and not found.scalar and word.kind == "binary":
            return "its name says a constant operand, its arguments have none"
        if word.kind == "random" and not any(p.sort in ("handle", "stream", "int") for p in parts):
            return "a generator of random numbers needs a count"
        if word.aten == "aten::threshold" and any(p.sort == "enum" for p in parts):
            return "an enum chooses on which side it cuts, which no single op does"
        if word.kind == "conv" and style == "pointer" and not self._strided(parts, found, word):
            return "a convolution of signals, which flips its kernel; nothing says stride, padding or channels"
        if word.kind == "reduce" and word.aten in ("aten::max", "aten::min") and found.inplace:
            return "an elementwise form of another arity"
        if (
            word.kind in ("unary", "copy", "reduce", "arg_reduce")
            and style == "pointer"
            and not any(p.sort in ("int", "ints") for p in parts)
        ):
            return "a single value, not a tensor"
        mixed = {p.element for p in carriers if p.sort == "data" and p.element and found.roles.get(p.index) in _VALUES}
        tests = word.aten.split(".")[0].removeprefix("aten::") in _TESTS
        if len(mixed) > 1 and not tests and word.kind in (*tensors.BLAS, "unary", "binary", "ternary", "matmul"):
            return f"mixes element types ({', '.join(sorted(mixed))})"
        self._exchange(function, word, carriers, found)
        return self._made(function, naming, parts, word, found, style, selected)

    def _carriers(self, word: Word, naming: Naming, parts: Sequence[Part]) -> tuple[list[Part], str]:
        """The arguments that carry the op's tensors, and the calling style that this shows."""
        data = [p for p in parts if p.sort in _CARRIERS and not self._is_workspace(p)]
        data = [p for p in data if not _is_scratch(p, data)]
        needed = [p for p in data if p.param.default not in ("nullptr", "NULL", "0", "{}")]
        if len(needed) >= len(word.required) + 1:
            optional = {name.removesuffix("?") for name in (*word.inputs, *word.outputs) if name.endswith("?")}
            data = [p for p in data if p in needed or p.base in optional]
        if any(p.joined == "alpha" for p in parts):
            data = [p for p in data if not (p.base == "gamma" and not p.written)]
        objects = [p for p in data if p.sort == "tensor"]
        ids = [p for p in parts if p.sort == "id"]
        descs = [p for p in parts if p.sort == "desc"]
        if any(p.sort == "handle" and scalars.handle_role(p) == "graph" for p in parts):
            return (ids or data), "graph"
        if word.kind == "norm" and not any(p.joined.startswith("alpha") for p in parts):
            data = sorted(
                [*data, *(p for p in parts if p.sort == "scalar_pointer" and p.base == "beta")], key=lambda p: p.index
            )
        if any(p.sort == "data" for p in data) and objects and len(objects) < len(data):
            data = [p for p in data if p.sort != "tensor"] or data
        if data:
            if descs:
                return data, "descriptor"
            if any(p.sort == "handle" and "operator" in p.type_words for p in parts):
                return data, "operator"
            if any(p.joined.endswith("offset") for p in parts) and objects:
                return data, "buffer"
            if any(p.sort == "handle" for p in parts):
                return data, "handle"
            if objects:
                return data, "tensor"
            return data, "blas" if word.kind in tensors.BLAS else "pointer"
        if naming.protocol and descs:
            own = {w for t in naming.tokens for w in (t,)}
            kept = [p for p in descs if not self._own_desc(p, own)]
            return kept, "descriptor"
        return [], "two_phase" if not descs else "descriptor"

    @staticmethod
    def _own_desc(part: Part, own: set[str]) -> bool:
        """The descriptor that the function fills: the only one that it may write, first, or named like the op."""
        type_ = part.param.type
        return part.written and type_.kind == "pointer" and not type_.aliases

    @staticmethod
    def _is_workspace(part: Part) -> bool:
        words = set(part.words)
        return (
            bool(
                words
                & {"workspace", "workbuffer", "scratch", "scratchpad", "reservespace", "ws", "tempstorage", "work"}
            )
            or ("reserve" in words and "space" in words)
            or "workspace" in part.joined
            or part.joined in ("workspace", "ws", "reservespace", "tmpbuffer", "buffertmp")
        )

    def _launch(self, function: Function, naming: Naming, parts: Sequence[Part]) -> bool:
        """The second call of two: workspace, executor and stream of what a first call prepared."""
        del naming
        sibling = any(
            f"{function.name}{end}" in self._names
            for end in ("GetWorkspaceSize", "_get_workspace_size", "WorkspaceSize")
        )
        return sibling and any(self._is_workspace(p) for p in parts)

    @staticmethod
    def _creates(parts: Sequence[Part]) -> bool:
        objects = {"operator", "op", "primitive", "plan", "executor", "exec", "pd"}
        return any(p.sort == "out_handle" and (p.type_words | set(p.words)) & objects for p in parts)

    def _returns_result(self, function: Function, word: Word, carriers: Sequence[Part]) -> bool:
        """True if the function returns the op's result: a number, or a tensor object."""
        result = function.result
        if word.kind in ("dot", "vector_reduce", "reduce", "arg_reduce"):
            return result.kind == "float" or (
                result.kind == "int" and not any(p.written and p.sort == "data" for p in carriers)
            )
        if result.kind in ("pointer", "struct") and carriers and all(p.sort in ("tensor", "list") for p in carriers):
            return any(
                result.canonical.removeprefix("const ") == p.param.type.canonical.removeprefix("const ")
                for p in carriers
            )
        return False

    @staticmethod
    def _strided(parts: Sequence[Part], found: tensors.Tensors, word: Word) -> bool:
        """True if some argument is one that only a network's convolution has."""
        names = {p.base: found.roles[p.index] for p in parts if p.index in found.roles}
        roles = {scalars.scalar_role(p, word.kind, names) for p in parts if p.index not in found.roles}
        known = ("stride", "pad", "dilation", "kernel", "groups", "in_c", "out_c", "batch")
        described = any(p.sort in ("params", "desc") for p in parts)
        return described or any(role.startswith(known) for role in roles if "." not in role)

    @staticmethod
    def _has_scalar(parts: Sequence[Part], word: Word) -> bool:
        return any(
            p.sort in ("float", "scalar_pointer", "int", "bool") and scalars.scalar_role(p, word.kind, {}) == "scalar"
            for p in parts
        ) or any(p.sort in ("float", "scalar_pointer") and p.joined not in ("alpha", "beta", "eps") for p in parts)

    def _exchange(self, function: Function, word: Word, carriers: Sequence[Part], found: tensors.Tensors) -> None:
        by_role = {role: index for index, role in found.roles.items()}
        if not {"input", "input2"} <= set(by_role):
            return
        first, second = sorted((by_role["input"], by_role["input2"]))
        names = [function.params[i].name for i in (first, second)]
        said = exchanged(word.aten, function.name, function.comment, names[0], names[1], len(carriers))
        if said is None:
            return
        found.evidence.append(f"its comment says the order of '{names[0]}' and '{names[1]}'")
        if said:
            found.roles[first], found.roles[second] = "input2", "input"

    def _made(
        self,
        function: Function,
        naming: Naming,
        parts: Sequence[Part],
        word: Word,
        found: tensors.Tensors,
        style: str,
        selected: str,
    ) -> OpMatch | str:
        names = {p.base: found.roles[p.index] for p in parts if p.index in found.roles}
        arguments = [
            (p.name or f"arg{p.index}", self._role(p, parts, word, found, names, style, selected, naming))
            for p in parts
        ]
        if word.aten == "aten::fill_.Scalar" and not any(role == "scalar" for _, role in arguments):
            return "has no value to fill with"
        aten, alternatives = self._overload(word, found, naming, [r for _, r in arguments])
        evidence = [f"the name reads as {word.aten.removeprefix('aten::')}", *found.evidence]
        confidence = found.weight * (0.9 if naming.protocol or style == "graph" else 1.0)
        undecided = [name for name, role in arguments if not role]
        confidence *= (0.75 if word.kind in ("fill", "zero", "copy", "scal") else 0.95) ** len(undecided)
        where = Source(self._model.short(function.place.file), function.place.line)
        stated = {d for d in naming.dtypes if d}
        return OpMatch(
            function=function.name,
            aten=aten,
            alternatives=alternatives,
            style=style,
            arguments=tuple(arguments),
            constants=(),
            evidence=tuple(evidence),
            confidence=round(confidence, 3),
            source=where,
            dtype=stated.pop() if len(stated) == 1 else "",
        )

    def _role(
        self,
        part: Part,
        parts: Sequence[Part],
        word: Word,
        found: tensors.Tensors,
        names: dict[str, str],
        style: str,
        selected: str,
        naming: Naming,
    ) -> str:
        if part.index in found.roles:
            role = found.roles[part.index]
            if part.sort == "desc":
                return f"list.desc.{role}" if part.plural else f"desc.{role}"
            if part.sort == "id":
                return f"id.{role}"
            if part.sort == "list":
                return f"list.{role}"
            return role
        if part.name and part.name == selected and part.sort in ("enum", "int"):
            return "algo" if part.joined in ("algkind", "algo", "alg", "algorithm") else "op_kind"
        if part.sort == "desc":
            return self._desc_role(part, parts, found, names, naming)
        if part.sort == "data" and _is_scratch(part, [p for p in parts if p.sort in _CARRIERS]):
            return "workspace"
        if self._is_workspace(part):
            return "workspace_size" if part.sort in ("int", "int_out") or "size" in part.words else "workspace"
        if part.sort in _OBJECTS:
            return scalars.handle_role(part)
        if part.sort == "text":
            role = scalars.scalar_role(part, word.kind, names)
            return role
        return scalars.scalar_role(part, word.kind, names)

    def _desc_role(
        self, part: Part, parts: Sequence[Part], found: tensors.Tensors, names: dict[str, str], naming: Naming
    ) -> str:
        base = part.base
        if part.written and naming.protocol and self._own_desc(part, set()):
            return "out_pd" if {"primitive", "pd"} & set(part.words) else "out_desc"
        if base in names:
            return f"desc.{names[base]}"
        following = next((p for p in parts[part.index + 1 :] if p.index in found.roles), None)
        if following is not None and (base.endswith(following.base) or following.base.endswith(base)) and base:
            return f"desc.{found.roles[following.index]}"
        joined = "".join(w for w in part.words if w not in ("desc", "descriptor"))
        for word, role in (("conv", "conv"), ("pool", "pool"), ("activation", "activation"), ("act", "activation"),
                           ("dropout", "dropout"), ("bnscalebias", "param"), ("norm", "norm"), ("rnn", "rnn"),
                           ("reduce", "op"), ("op", "op"), ("st", "op"), ("stat", "stat")):  # fmt: skip
            if joined.startswith(word):
                return f"desc.{role}"
        mates = [p for p in parts if p.index in found.roles and p.base and (p.base in base or base in p.base)]
        if mates:
            return f"desc.{found.roles[mates[0].index]}"
        if following is not None and following.index == part.index + 1:
            return f"desc.{found.roles[following.index]}"
        return "desc.op"

    @staticmethod
    def _overload(
        word: Word, found: tensors.Tensors, naming: Naming, roles: Sequence[str]
    ) -> tuple[str, tuple[str, ...]]:
        """The overload that is meant and the others that the same call serves."""
        aten, others = word.aten, list(word.alternatives)
        if found.scalar and word.scalar:
            aten = word.scalar
            base = word.scalar.split(".")[0]
            if found.inplace:
                others.append(word.scalar.replace(base, f"{base}_"))
            if naming.reversed and base == "aten::sub":
                aten = "aten::rsub.Scalar"
        elif found.inplace and word.inplace:
            aten, others = word.inplace, [word.aten, *others]
        if word.aten == "aten::relu" and "negative_slope" in roles:
            aten, others = "aten::leaky_relu", ["aten::relu"]
        if word.kind in ("reduce",) and {"axis", "dims", "keepdim"} & set(roles) and others:
            aten, others = others[0], [aten, *others[1:]]
        if found.indices and word.aten in ("aten::max", "aten::min"):
            aten, others = (
                f"{word.aten}.dim",
                [word.aten, word.aten.replace("::", "::arg"), word.aten.replace("::", "::a")],
            )
        return aten, tuple(dict.fromkeys(o for o in others if o != aten))
