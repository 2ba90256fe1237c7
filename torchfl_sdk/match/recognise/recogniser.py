"""Function by function: name, parameters and comment together say which op it computes, or that nothing is sure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.model import OpMatch, Source
from torchfl_sdk.match.recognise import selector, tensors
from torchfl_sdk.match.recognise.another import another
from torchfl_sdk.match.recognise.blas_order import Tensors
from torchfl_sdk.match.recognise.carriers import (
    CARRIERS,
    PREPARES,
    asks_size,
    carriers,
    creates,
    has_scalar,
    is_workspace,
    returns_result,
)
from torchfl_sdk.match.recognise.commented import LOOSE, by_comment, sections
from torchfl_sdk.match.recognise.induction import Named, arity, carried, induce, many
from torchfl_sdk.match.recognise.misfits import misfit, unfit
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.numbered import numbered
from torchfl_sdk.match.recognise.objects import is_node
from torchfl_sdk.match.recognise.order import in_order
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.recognise.parts import Parts
from torchfl_sdk.match.recognise.readings import Readings, plain_name
from torchfl_sdk.match.recognise.roles import argument_roles, launch_role, overload
from torchfl_sdk.match.recognise.steps import Steps
from torchfl_sdk.match.tokens import Prefixes, split
from torchfl_sdk.match.vocabulary import BACKWARD, Word
from torchfl_sdk.match.vocabulary.arguments import INPUT, OUTPUT

#: Below this nothing is proposed.
CERTAIN = 0.55
_SELDOM = 0.9  # of a match by a name that few use
QUANTISED = "quantised arithmetic: scales and zero points belong to no plain op"


@dataclass(frozen=True)
class Outcome:
    """What was found for one function."""

    matches: tuple[OpMatch, ...] = ()
    reason: str = ""  # why it is no op although its name says one; "" where its name says nothing


_NUMBERS = ("float", "scalar_pointer", "params", "desc", "enum", "list")  # what may hold a factor

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


def _behind_run(function: Function) -> str:
    """What follows "run" in a method's name, which may be the op by itself: ``RunAddcmul``; or ""."""
    owner, _, name = function.name.partition("(")[0].rpartition("::")
    run = next(
        (r for r in ("run", "execute", "forward") if name.lower().startswith(r) and name[len(r) :][:1].isupper()), ""
    )
    return name[len(run) :] if run and function.namespace == owner and function.linkage == "c++" else ""


_LETTERED = 3  # functions that show a letter to be the element type


def _in_and_out(parts: Sequence[Part]) -> bool:
    """True where names say that there is one operand and one result."""
    data = [p for p in parts if p.sort in CARRIERS and not is_workspace(p)]
    return len(data) == 2 and {p.base in OUTPUT for p in data if p.written} == {True} and (
        {p.base in INPUT for p in data if not p.written} == {True}
    )  # fmt: skip


def _signature(function: Function) -> tuple[tuple[str, str], ...]:
    """Names and types of the arguments."""
    return tuple((p.name, p.type.canonical) for p in function.params)


_LAUNCHES = ("run", "execute", "exec", "launch", "submit")


def _may_hold(type_: CType) -> bool:
    """Whether a parameter of this type may be an operand."""
    return type_.kind in ("pointer", "struct", "other", "array") or bool(carried(type_))


class Recogniser:
    """Recognises the functions of one header."""

    def __init__(self, model: HeaderModel, prefix: Prefixes) -> None:
        self._model = model
        every = (*model.functions, *model.untrusted)
        self._readings = Readings(model, prefix)
        self._held = self._readings.held
        self._parts = Parts(model)
        self._induced = induce(model, self._named())
        by_number = numbered(self._arities()) if not self._induced.carriers else None
        if self._induced.carriers or by_number:
            self._parts = Parts(model, self._induced, numbered=by_number)
        self._lettered = sum(map(self._shows_letter, model.functions)) >= _LETTERED
        self._functions = {f.name: f for f in model.functions}
        self._every = {f.name.partition("(")[0] for f in every}
        self._mates: dict[tuple[tuple[str, str], ...], set[tuple[str, ...]]] = defaultdict(set)
        for f in (*every, *model.methods):
            self._mates[_signature(f)].add(tuple(split(plain_name(f))))
        self._steps = Steps(model, self._parts)
        self._called = {plain_name(f) for f in every}
        self._called |= {n.rpartition("_")[0] for n in self._called if n.count("_") and len(n.rpartition("_")[0]) > 4}
        self._sections = sections((*model.functions, *model.methods, *model.untrusted))
        self.evident: set[str] = set()  # functions of which a type says that they compute on numbers
        self._decided: dict[int, Outcome] = {}  # by identity: overloads share a name

    def _named(self) -> Iterator[Named]:
        """Functions that the first reading of their name gives to ops of one number of operands."""
        members = (m for m in self._model.methods if m.linkage == "c")  # of tables of pointers to functions
        for function in (*self._model.functions, *members, *self._model.untrusted):
            if not any(carried(p.type) for p in function.params):
                continue
            naming = self._readings.first(function)
            operands = arity(naming, function) if naming is not None else 0
            yield Named(function, self._parts.of(function) if operands else (), operands, many(naming))

    @property
    def tensor_types(self) -> frozenset[str]:
        """Names of the types that counting over the header told to carry tensors."""
        told = {n for n, c in self._induced.carriers.items() if not (c.describes or c.together)}
        return frozenset(told | self._parts.structs)

    @property
    def describing_types(self) -> frozenset[str]:
        """Names of the types whose objects say what lies in the memory beside them."""
        told = {n for n, c in self._induced.carriers.items() if c.describes}
        named = {
            carried(p.param.type)[0]
            for f in self._model.functions
            for p in self._parts.of(f)
            if p.sort == "desc" and carried(p.param.type)
        }
        return frozenset(told | named)

    @property
    def computing(self) -> frozenset[str]:
        """Names of the functions that the first reading of their name gives to an op over tensors."""
        every = (*self._model.functions, *self._model.untrusted)
        named = ((f, arity(n, f)) for f in every if (n := self._readings.first(f)) is not None)
        return frozenset(f.name for f, operands in named if 0 < operands <= sum(_may_hold(p.type) for p in f.params))

    def _shows_letter(self, function: Function) -> bool:
        """Whether a letter of the name is the element type that a number among the arguments has."""
        naming = self._readings.first(function)
        elements = {element_dtype(p.type) for p in function.params if p.type.kind == "float"} - {None, ""}
        return naming is not None and bool(naming.letter) and bool(elements.intersection(naming.dtypes))

    def _arities(self) -> Iterator[tuple[Function, int]]:
        """Functions with how many tensors the op reads that the first reading of their name gives."""
        for function in self._model.functions:
            naming = self._readings.first(function)
            yield function, arity(naming, function) if naming is not None else 0

    def decide(self, function: Function) -> Outcome:
        """The ops that a function computes, or why it computes none."""
        known = self._decided.get(id(function))
        if known is None:
            known = self._decided[id(function)] = self._told(function, self._decide(function))
        return known

    def _told(self, function: Function, outcome: Outcome) -> Outcome:
        """What the name gave, with what the comment says of it."""
        if not function.comment:
            return outcome
        parts = self._parts.of(function)
        section = id(function) in self._sections
        others = {w for w in re.findall(r"\w{4,}", function.comment) if w in self._called and w not in function.name}
        others -= {plain_name(function), *(p.name for p in function.params)}
        told = by_comment(function, parts, outcome.matches, outcome.reason, section, others, self._by_words)
        return Outcome(told.matches, outcome.reason) if told is not None else outcome

    def _by_words(self, function: Function, naming: Naming, parts: Sequence[Part]) -> tuple[OpMatch, ...] | str:
        return unfit(function, naming, parts, lettered=self._lettered) or self._try(function, naming, parts)

    def _decide(self, function: Function) -> Outcome:
        first = self._first_call(function)
        if first is not None:
            return self._launches(function, self.decide(first))
        plain = function.name.partition("(")[0]
        launcher = next((plain.removesuffix(e) for e in ("Kernel", "_kernel") if plain.endswith(e)), "")
        if launcher in self._every and function.linkage == "c++":
            return Outcome(reason=f"the kernel that {launcher} launches")
        reason = ""
        parts: tuple[Part, ...] | None = None
        called = _called(function)
        for name in dict.fromkeys(
            (called, self._readings.public.get(function.name, called), _behind_run(function) or called)
        ):
            for naming in self._readings.of(name.rsplit("::", 1)[-1], function):
                if naming.friend:
                    return Outcome(reason=f"no op of its own: {naming.friend}")
                parts = self._parts.of(function) if parts is None else parts
                trouble = unfit(function, naming, parts, lettered=self._lettered)
                if trouble:
                    reason = reason or trouble
                    continue
                found = self._try(function, naming, parts)
                if isinstance(found, tuple):
                    return Outcome(found)
                reason = reason or found
                gradient = naming.letter == "d" and naming.key in BACKWARD  # dgelu
                held = bool(self._held.sentence(function, naming))
                another_form = gradient or (naming.constant and not held)
                if naming.words and not another_form and naming.key != "tensordot":
                    return Outcome(reason=reason)  # a shorter reading of the name would be another op's
        return Outcome(reason=reason)

    def _first_call(self, function: Function) -> Function | None:
        """Of two calls, the one that prepared what ``function`` launches."""
        first = self._steps.first(function)
        if first is not None:
            return first
        names = (f"{function.name}{end}" for end in ("GetWorkspaceSize", "_get_workspace_size", "WorkspaceSize"))
        first = next((self._functions[name] for name in names if name in self._functions), None)
        first = first or self._planned(function.name)
        if first is None or any(p.sort in CARRIERS and not is_workspace(p) for p in self._parts.of(function)):
            return None
        return first if any(is_workspace(p) for p in self._parts.of(function)) else None

    def _planned(self, name: str) -> Function | None:
        """What prepares the object that ``name`` runs: ``AddPlan`` for ``AddRun``."""
        stem = next((name[: -len(end)].rstrip("_") for end in _LAUNCHES if name.lower().endswith(end)), "")
        planned = [f for t in self._readings.calls for f in (f"{stem}{t.capitalize()}", f"{stem}_{t}", f"{stem}{t}")]
        return next((self._functions[f] for f in planned if stem and f in self._functions), None)

    def _launches(self, function: Function, outcome: Outcome) -> Outcome:
        """What the first call prepared, as the second runs it."""
        parts = self._parts.of(function)
        where = Source(self._model.short(function.place.file), function.place.line)
        made = []
        for match in outcome.matches:
            roles = ((p, launch_role(p)) for p in parts)
            arguments = self._steps.launched(function, tuple((p.name or f"arg{p.index}", r) for p, r in roles))
            said = (f"launches what {match.function} prepares", *match.evidence)
            made.append(replace(match, function=function.name, arguments=arguments, evidence=said, source=where,
                                style="two_phase"))  # fmt: skip
        return Outcome(tuple(made), outcome.reason)

    def _try(self, function: Function, naming: Naming, parts: Sequence[Part]) -> tuple[OpMatch, ...] | str:
        reason = ""
        weaker: tuple[OpMatch, ...] = ()
        single = bool(naming.rare) and _in_and_out(parts)  # minus: of one operand
        ordered = tuple(w for w in naming.words if not (single and w.kind == "binary"))
        if self._held.sentence(function, naming):  # without operands to count, a name means what aten calls so
            ordered = tuple(sorted(ordered, key=lambda w: w.aten.removeprefix("aten::") != naming.key))
        for word in ordered:
            found = self._match(function, naming, parts, word)
            if isinstance(found, OpMatch) and found.confidence >= CERTAIN:
                made = self._with_variants(found, word, function, parts)
                if tensors.BLENDS not in found.evidence:
                    return made
                weaker = weaker or made  # unless the name is also a reduction's: product
                continue
            unsure = "" if isinstance(found, str) else "too many arguments whose meaning nothing tells"
            reason = reason or unsure or str(found)
        if weaker:
            return weaker
        rare = self._rarely(function, naming, parts)
        if isinstance(rare, tuple):
            return rare
        reason = reason or rare
        chosen = selector.choices(self._model, function, parts, naming) if naming.families else []
        matches: list[OpMatch] = []
        for choice in chosen:
            selected = choice.carrier if choice.constant else ""
            found = self._match(function, naming, parts, choice.word, selected=selected)
            if isinstance(found, OpMatch):
                if found.aten != choice.word.aten and any(c.word.aten == found.aten for c in chosen):
                    # a number for other ops makes no leaky_relu of a relu where that has a constant of its own
                    found = replace(found, aten=choice.word.aten, alternatives=())
                said = (*found.evidence, choice.source)
                constants = ((choice.carrier, choice.constant),) if choice.constant else ()
                matches.append(replace(found, constants=constants, evidence=said))
            else:
                reason = reason or found
        return tuple(matches) or reason or "which op of the family it computes is not clear"

    def _rarely(self, function: Function, naming: Naming, parts: Sequence[Part]) -> tuple[OpMatch, ...] | str:
        """The op that is seldom called so, if its operands fit that one alone."""
        reason, fitting = "", list[tuple[OpMatch, ...]]()
        for word in naming.rare:
            found = self._match(function, naming, parts, word)
            if not isinstance(found, OpMatch) or _SELDOM * found.confidence < CERTAIN:
                unsure = "too many arguments whose meaning nothing tells"
                reason = reason or (found if isinstance(found, str) else unsure)
                continue
            said = (*found.evidence, "few call it so")
            found = replace(found, confidence=round(_SELDOM * found.confidence, 3), evidence=said)
            fitting.append(self._with_variants(found, word, function, parts))
        if len({made[0].aten for made in fitting}) > 1:
            return f"its name may say {' or '.join(made[0].aten.removeprefix('aten::') for made in fitting)}"
        return fitting[0] if fitting else reason

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
        if held := self._held.sentence(function, naming):
            return self._runs_held(function, naming, parts, word, held)
        sizes = asks_size(naming)
        prepares = naming.protocol in PREPARES or sizes or naming.protocol.endswith(("init", "create"))
        gives = (
            function.result.kind in ("float", "struct")
            or (function.result.kind == "pointer" and bool(function.result.pointee and function.result.pointee.name))
            or self._induced.of(function.result) is not None
        )
        tensors_in, style = carriers(word, naming, parts, gives=gives)
        returns = returns_result(function, word, tensors_in)
        told = self._told_elsewhere(function, naming, parts)
        if not tensors_in and told and word.kind not in ("fill", "zero", "random", "copy"):
            where = Tensors(evidence=[told])
            return self._made(function, naming, parts, word, where, "operator", selected)
        if not tensors_in and not (prepares and creates(parts)):
            weak = next((w for p in parts for n in carried(p.param.type) if (w := self._induced.weak.get(n))), "")
            return f"has no tensor argument, so it is not {word.aten}" + (f" ({weak})" if weak else "")
        if (naming.protocol in ("create", "make", "init", "build", "plan") or sizes) and not creates(parts):
            return "asks how much memory the op needs" if sizes else "creates an object that is no op"
        whole = naming.protocol == "create" and creates(parts) and not any({"hint", "pd"} & set(p.words) for p in parts)
        unbound = naming.backward and naming.protocol and not sizes and not whole
        if unbound and word.aten != "aten::convolution_backward":
            return "prepares a backward pass, which needs what the forward pass left"
        if word.kind in ("reduce", "vector_reduce", "softmax", "norm") and any(p.plural for p in tensors_in):
            return "takes a list of tensors"
        scalar = has_scalar(parts, word)
        node = len(tensors_in) == 1 and not returns and is_node(self._model, tensors_in[0].param.type)
        single = whole and style == "descriptor" and len(tensors_in) == 1 and not tensors_in[0].plural
        told_by_formula = dict(naming.operands)
        found = (
            Tensors(told_by_formula, inplace="inout" in told_by_formula.values(), scalar=naming.constant)
            if told_by_formula and {p.index for p in tensors_in} == set(told_by_formula)
            else Tensors({tensors_in[0].index: "input"})  # of the operand, and of the result too
            if single and not naming.backward
            else tensors.of_node(word, tensors_in[0])
            if node
            else tensors.assign(
                word,
                tensors_in,
                returns=returns,
                scalar=scalar or naming.constant,
                overwrites=self._in_place(function),
                prepares=prepares and (whole or style != "descriptor") and not (sizes and tensors_in),
                describes=prepares,
                constant=naming.constant and any(p.sort in ("float", "scalar_pointer") for p in parts),
                blends=any(p.joined == "beta" and p.sort in ("scalar_pointer", "float") for p in parts),
            )
        )
        if isinstance(found, str):
            return found
        if word.kind == "gemm" and not any(p.sort in _NUMBERS or "accumulate" in p.words for p in parts):
            found.roles = {i: "output" if role == "inout" else role for i, role in found.roles.items()}  # no beta
        trouble = misfit(function, naming, parts, word, tensors_in, found, style)
        trouble = trouble or another(
            function, naming, parts, word, tensors_in, found, self._every, self._mates[_signature(function)]
        )
        if trouble:
            return trouble
        in_order(function, word.aten, len(tensors_in), found)
        return self._made(function, naming, parts, word, found, style, selected)

    def _runs_held(
        self, function: Function, naming: Naming, parts: Sequence[Part], word: Word, held: str
    ) -> OpMatch | str:
        """The op of an object that holds its operands: only the name says which."""
        if naming.loose:
            return "its operands lie in an object, and other words of its name say nothing that is known"
        if naming.constant and word.kind == "binary" and not (word.scalar or word.aten.endswith(".Scalar")):
            return f"a number stands for an operand, and {word.aten} has no form for that"
        found = Tensors(scalar=naming.constant, evidence=[held])
        made = self._made(function, naming, parts, word, found, "operator", "")
        return made if isinstance(made, str) else replace(made, arguments=((parts[0].name or "arg0", "op"),))

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

    def _in_place(self, function: Function) -> bool:
        """True for ``add_`` beside ``add``: in C++ the form that overwrites its first operand."""
        name = function.name.partition("(")[0]
        return function.linkage == "c++" and name.endswith("_") and name.rstrip("_") in self._every

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
        found: Tensors,
        style: str,
        selected: str,
    ) -> OpMatch | str:
        arguments = argument_roles(word, naming, parts, found, selected)
        filled = any(role == "scalar" for _, role in arguments) or self._sets_value(function)
        filled = filled or bool(self._held.sentence(function, naming))
        if word.aten == "aten::fill_.Scalar" and not filled:
            return "has no value to fill with"
        aten, alternatives = overload(word, found, naming, [r for _, r in arguments])
        evidence = [f"the name reads as {word.aten.removeprefix('aten::')}", *found.evidence]
        if style in ("descriptor", "operator", "two_phase") or any(self._parts.numeric(p) for p in parts):
            self.evident.add(function.name)
        counted = {p.carrier.sentence: None for p in parts if p.carrier is not None and p.index in found.roles}
        evidence += counted
        if naming.quantised or any("zeropoint" in p.joined for p in parts):
            evidence.append(QUANTISED)
        confidence = found.weight * (0.9 if naming.protocol or style == "graph" else 1.0)
        undecided = [name for name, role in arguments if not role]
        if naming.guessed:
            evidence.append(naming.guessed)
            confidence *= _SELDOM
        if naming.loose:
            evidence.append(LOOSE)
            confidence *= 0.75
        confidence *= (0.75 if word.kind in ("fill", "zero", "copy", "scal") else 0.95) ** len(undecided)
        arguments = self._steps.plans(function, arguments)
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
