"""Function by function: name, parameters and comment together say which op it computes, or that nothing is sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import OpMatch, Source
from torchfl_sdk.match.recognise import selector, tensors
from torchfl_sdk.match.recognise.carriers import (
    CARRIERS,
    PREPARES,
    asks_size,
    carriers,
    creates,
    has_scalar,
    is_workspace,
    returns_result,
    strided,
)
from torchfl_sdk.match.recognise.names import Naming, namings
from torchfl_sdk.match.recognise.order import exchanged
from torchfl_sdk.match.recognise.parts import Part, Parts
from torchfl_sdk.match.recognise.roles import argument_roles, launch_role, overload
from torchfl_sdk.match.tokens import Prefixes, common_tails, deeper_prefixes, prefixes, split
from torchfl_sdk.match.vocabulary import Word

#: Below this nothing is proposed.
CERTAIN = 0.55
QUANTISED = "quantised arithmetic: scales and zero points belong to no plain op"
_COLLECTIVE = ("comm", "communicator", "root", "peer", "nranks")
_OF_MATRICES = ("aten::div.Tensor", "aten::exp", "aten::log", "aten::sqrt", "aten::pow.Tensor_Tensor")
_ALONG = ("axis", "axes", "dim", "dims", "keepdim", "keepdims", "reducedims")
#: Ops whose result is true or false, in whatever type a vendor writes it.
_TESTS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or")
_VALUES = ("input", "input2", "input3", "weight", "output", "inout")


@dataclass(frozen=True)
class Outcome:
    """What was found for one function."""

    matches: tuple[OpMatch, ...] = ()
    reason: str = ""  # why it is no op although its name says one; "" where its name says nothing


#: Methods by which an object that is an op runs, or is told its tensors before it runs.
_RUNS = ("run", "execute", "forward", "compute", "apply", "launch", "invoke", "call", "enqueue", "configure", "setup")


def _called(function: Function) -> str:
    """A function's name; of a method that only says "run", the name of its class, with what "run" is followed by."""
    owner, _, name = function.name.partition("(")[0].rpartition("::")
    if not owner or function.namespace != owner or function.linkage == "c":
        return function.name
    low = name.lower()
    if low in _RUNS:
        return owner
    run = next((r for r in ("run", "execute", "forward") if low.startswith(r) and name[len(r)].isupper()), "")
    return f"{owner}{name[len(run) :]}" if run else function.name


def _class_prefixes(model: HeaderModel) -> Prefixes:
    """What the names of the header's classes begin with."""
    owners = list(dict.fromkeys(m.namespace.rsplit("::", 1)[-1] for m in model.methods if m.namespace))
    return tuple(p for p in prefixes(owners) if len(p) == 1) if len(owners) >= 3 else ()


class Recogniser:
    """Recognises the functions of one header."""

    def __init__(self, model: HeaderModel, prefix: Prefixes) -> None:
        self._model = model
        self._prefix = prefix
        self._deeper = deeper_prefixes([f.name for f in (*model.functions, *model.untrusted)], prefix)
        self._methods = {m.name for m in model.methods}
        self._classes = _class_prefixes(model)
        self._tails = common_tails(f.name for f in (*model.functions, *model.untrusted))
        self._parts = Parts(model)
        self._functions = {f.name: f for f in model.functions}
        self._public = {a.target: a.name for a in model.aliases.values()}

    def decide(self, function: Function) -> Outcome:
        """The ops that a function computes, or why it computes none."""
        first = self._first_call(function)
        if first is not None:
            return self._launches(function, self.decide(first))
        reason = ""
        parts: tuple[Part, ...] | None = None
        for name in dict.fromkeys((_called(function), self._public.get(function.name, _called(function)))):
            for naming in self._namings(name.rsplit("::", 1)[-1], function):
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

    def _namings(self, name: str, function: Function) -> Iterator[Naming]:
        free = function.linkage == "c"
        known = self._prefix if function.name not in self._methods else (*self._classes, *self._prefix)
        return namings(name, known, free=free, parts=self._deeper, tails=self._tails)

    def _first_call(self, function: Function) -> Function | None:
        """Of two calls, the one that prepared what ``function`` launches with a workspace."""
        names = (f"{function.name}{end}" for end in ("GetWorkspaceSize", "_get_workspace_size", "WorkspaceSize"))
        first = next((self._functions[name] for name in names if name in self._functions), None)
        if first is None or any(p.sort in CARRIERS and not is_workspace(p) for p in self._parts.of(function)):
            return None
        return first if any(is_workspace(p) for p in self._parts.of(function)) else None

    def _launches(self, function: Function, outcome: Outcome) -> Outcome:
        """What the first call prepared, as the second runs it."""
        parts = self._parts.of(function)
        where = Source(self._model.short(function.place.file), function.place.line)
        made = []
        for match in outcome.matches:
            arguments = tuple((p.name or f"arg{p.index}", launch_role(p)) for p in parts)
            said = (f"launches what {match.function} prepares", *match.evidence)
            made.append(replace(match, function=function.name, arguments=arguments, evidence=said, source=where,
                                style="two_phase"))  # fmt: skip
        return Outcome(tuple(made), outcome.reason)

    def _unfit(self, function: Function, naming: Naming, parts: Sequence[Part]) -> str:
        if "complex" in naming.dtypes and len([d for d in naming.dtypes if d]) == 1:
            return "complex dtype: torchfl has no complex dtype"
        if any(p.sort == "complex" or p.element == "complex" or "complex" in p.type_words for p in parts):
            return "complex dtype: torchfl has no complex dtype"
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
            if isinstance(found, OpMatch) and found.confidence >= CERTAIN:
                return self._with_variants(found, word, function, parts)
            unsure = "" if isinstance(found, str) else "too many arguments whose meaning nothing tells"
            reason = reason or unsure or str(found)
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
        if word.aten == "aten::log":
            return selector.logarithms(self._model, found, parts)
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
        sizes = asks_size(naming)
        prepares = naming.protocol in PREPARES or sizes or naming.protocol.endswith(("init", "create"))
        tensors_in, style = carriers(word, naming, parts)
        returns = returns_result(function, word, tensors_in)
        told = self._told_elsewhere(function, naming, parts)
        if not tensors_in and told and word.kind not in ("fill", "zero", "random", "copy"):
            where = tensors.Tensors(evidence=[told])
            return self._made(function, naming, parts, word, where, "operator", selected)
        if not tensors_in and not (prepares and creates(parts)):
            return f"has no tensor argument, so it is not {word.aten}"
        if (naming.protocol in ("create", "make", "init", "build", "plan") or sizes) and not creates(parts):
            return "asks how much memory the op needs" if sizes else "creates an object that is no op"
        if naming.backward and naming.protocol and not sizes and word.aten != "aten::convolution_backward":
            return "prepares a backward pass, which needs what the forward pass left"
        if word.kind in ("reduce", "softmax", "norm") and any(p.plural for p in tensors_in):
            return "takes a list of tensors"
        scalar = has_scalar(parts, word)
        found = tensors.assign(
            word,
            tensors_in,
            returns=returns,
            scalar=scalar or naming.constant,
            prepares=prepares and style != "descriptor" and not (sizes and tensors_in),
            describes=prepares,
            blends=any(p.joined == "beta" and p.sort in ("scalar_pointer", "float") for p in parts),
        )
        if isinstance(found, str):
            return found
        if naming.reversed and word.aten not in ("aten::sub.Tensor", "aten::rsub.Scalar"):
            return "its operands are reversed (a number by a tensor), which is no single op"
        if naming.constant and not found.scalar and word.kind == "binary":
            return "its name says a constant operand, its arguments have none"
        if word.aten == "aten::random_" and not any(p.element.startswith(("int", "uint")) for p in tensors_in):
            return "writes no integers"
        if word.kind == "random" and not any(p.sort in ("handle", "stream", "int") for p in parts):
            return "a generator of random numbers needs a count"
        trouble = self._of_matrices(function, naming, parts, word)
        if trouble:
            return trouble
        if naming.loose and (len(tensors_in) < 2 or found.inplace or style in ("handle", "graph", "operator")):
            return "its name says too little"
        if word.aten == "aten::trace" and style in ("pointer", "handle"):
            return "nothing says that it adds up a diagonal"
        if word.kind == "fill" and any(p.sort == "int" and p.joined in ("i", "j", "index", "idx") for p in parts):
            return "sets one element"
        if word.aten == "aten::view" and function.result.kind == "struct":
            return "makes a view of memory"
        if any({"bias", "shift"} & set(p.words) for p in parts if p.sort == "float") and word.kind in (
            "binary",
            "scal",
        ):
            return "scales and shifts, which no single op does"
        if word.aten == "aten::threshold" and style != "descriptor" and not scalar:
            return "nothing says what it compares with"
        if word.kind == "copy" and any(p.sort == "bool" and p.words[:1] in (("add",), ("accumulate",)) for p in parts):
            return "an argument makes it add to what it overwrites"
        if word.aten == "aten::threshold" and any(p.sort == "enum" for p in parts):
            return "an enum chooses on which side it cuts, which no single op does"
        if word.kind == "conv" and style == "pointer" and not strided(parts, found, word):
            return "a convolution of signals, which flips its kernel; nothing says stride, padding or channels"
        if word.kind == "binary" and word.inplace and any(p.joined in _ALONG for p in parts):
            return "works along an axis, which no elementwise op does"
        if word.aten in ("aten::std", "aten::var") and any(p.sort == "float" and p.joined == "mean" for p in parts):
            return "takes the mean as an operand"
        if naming.key == "remainder" and style in ("pointer", "blas"):
            return "C's remainder rounds the quotient to the nearest, which no aten op does"
        if naming.key == "reorder" and style in ("pointer", "blas"):
            return "packs its operand for a kernel"
        if any({"fuse", "fused"} & set(p.words) for p in parts):
            return "fused: an argument switches a further op on"
        if word.aten == "aten::embedding" and any(p.joined in ("axis", "dim") for p in parts):
            return "selects along an axis, which an embedding has not"
        if word.kind == "reduce" and word.aten in ("aten::max", "aten::min") and found.inplace:
            return "an elementwise form of another arity"
        if (
            word.kind in ("unary", "copy", "reduce", "arg_reduce")
            and style == "pointer"
            and not any(p.sort in ("int", "ints") for p in parts)
        ):
            return "a single value, not a tensor"
        mixed = {
            p.element for p in tensors_in if p.sort == "data" and p.element and found.roles.get(p.index) in _VALUES
        }
        tests = word.aten.split(".")[0].removeprefix("aten::") in _TESTS
        if len(mixed) > 1 and not tests and word.kind in (*tensors.BLAS, "unary", "binary", "ternary", "matmul"):
            return f"mixes element types ({', '.join(sorted(mixed))})"
        self._exchange(function, word, tensors_in, found)
        return self._made(function, naming, parts, word, found, style, selected)

    @staticmethod
    def _exchange(function: Function, word: Word, carriers: Sequence[Part], found: tensors.Tensors) -> None:
        by_role = {role: index for index, role in found.roles.items()}
        if not {"input", "input2"} <= set(by_role):
            return
        first, second = sorted((by_role["input"], by_role["input2"]))
        names = [function.params[i].name for i in (first, second)]
        said = exchanged(word.aten, function.name, function.comment, names[0], names[1], len(carriers))
        if said is None:
            return
        found.evidence.append(f"its comment says the order of '{names[0]}' and '{names[1]}'")
        found.roles[first], found.roles[second] = ("input2", "input") if said else ("input", "input2")

    @staticmethod
    def _of_matrices(function: Function, naming: Naming, parts: Sequence[Part], word: Word) -> str:
        """Why ``word`` is not meant where the name speaks of matrices or polynomials: their products are others."""
        whole = split(function.name.partition("(")[0])
        matrices = any("matrix" in t or t == "mat" for t in whole)
        elements = bool({"element", "elements", "elementwise", "elts", "hadamard", "pointwise"} & set(whole))
        extents = {p.joined for p in parts if p.sort == "int"}
        product = not elements and ({"m", "k"} <= extents or matrices)
        if any(t.startswith("poly") for t in whole) and word.kind == "binary":
            return "an operation on polynomials"
        if naming.key in ("mul", "mult", "multiply") and word.aten in ("aten::mul.Tensor", "aten::mm"):
            scaled = any(p.sort in ("float", "scalar_pointer") for p in parts)
            return (
                "" if (word.aten == "aten::mm") == (product and not scaled) else "its operands say which product it is"
            )
        if naming.key in ("inv", "inverse", "invert"):
            return "" if (word.aten == "aten::linalg_inv") == matrices else "its operands say which inverse it is"
        if (matrices or "linalg" in whole) and not elements and word.aten in _OF_MATRICES:
            return "a function of a matrix, not of its elements"
        return ""

    def _told_elsewhere(self, function: Function, naming: Naming, parts: Sequence[Part]) -> str:
        """What shows that an object which runs was told its tensors by other calls, or ""."""
        if any(p.sort not in ("handle", "stream") for p in parts):
            return ""
        if function.linkage == "c++" and _called(function) == function.namespace:
            mates = [m for m in self._model.methods if m.namespace == function.namespace and m.name != function.name]
            told = [m for m in mates if any(p.sort in CARRIERS for p in self._parts.of(m))]
            return f"its tensors are set by {told[0].name.rsplit('::', 1)[-1]} and others" if len(told) > 1 else ""
        stem, _, end = function.name.rpartition("_")
        if naming.protocol in ("run", "execute", "exec") and end.lower() == naming.protocol:
            made = next(
                (f"{stem}_{verb}" for verb in ("create", "init", "setup") if f"{stem}_{verb}" in self._functions), ""
            )
            return f"runs the object that {made} makes" if made else ""
        return ""

    def _sets_value(self, function: Function) -> bool:
        """True for a method whose object is told the value by another method."""
        owner = function.namespace
        mates = [m for m in self._model.methods if m.namespace == owner] if owner and function.linkage == "c++" else []
        return any({"set", "value"} <= set(split(m.name.rsplit("::", 1)[-1])) for m in mates)

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
        arguments = argument_roles(word, naming, parts, found, selected)
        filled = any(role == "scalar" for _, role in arguments) or self._sets_value(function)
        if word.aten == "aten::fill_.Scalar" and not filled:
            return "has no value to fill with"
        aten, alternatives = overload(word, found, naming, [r for _, r in arguments])
        evidence = [f"the name reads as {word.aten.removeprefix('aten::')}", *found.evidence]
        if naming.quantised or any("zeropoint" in p.joined for p in parts):
            evidence.append(QUANTISED)
        confidence = found.weight * (0.9 if naming.protocol or style == "graph" else 1.0)
        undecided = [name for name, role in arguments if not role]
        if naming.loose:
            evidence.append("other words of its name say nothing that is known")
            confidence *= 0.75
        confidence *= (0.75 if word.kind in ("fill", "zero", "copy", "scal") else 0.95) ** len(undecided)
        where = Source(self._model.short(function.place.file), function.place.line)
        stated = {d for d in naming.dtypes if d}
        return OpMatch(
            function=function.name,
            aten=aten,
            alternatives=alternatives,
            style=style,
            arguments=arguments,
            constants=(),
            evidence=tuple(evidence),
            confidence=round(confidence, 3),
            source=where,
            dtype=stated.pop() if len(stated) == 1 and QUANTISED not in evidence else "",
        )
