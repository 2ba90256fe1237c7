"""The ops that one function may serve: by its name and the catalogue's, or by what the recogniser has found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.arguments import Parameter, Parameters
from torchfl_sdk.match.blas import match_blas
from torchfl_sdk.match.casts import match_cast
from torchfl_sdk.match.chosen import chosen
from torchfl_sdk.match.draft import Candidate, Draft, Refusal
from torchfl_sdk.match.model import OpMatch, StatusType
from torchfl_sdk.match.pointer import match_pointer
from torchfl_sdk.match.tensor_struct import match_tensor_struct
from torchfl_sdk.match.tokens import Prefixes, Reading, cores, readings

#: Below this a binding is not offered: somebody would have to check it by hand anyway.
CERTAIN = 0.6
_GUESS = "taken as the result"  # where nothing but the place says so
_UNKNOWN = "no catalogue op is called"


class Finder:
    """Finds the ops that one function may serve."""

    def __init__(self, model: HeaderModel, ops: Sequence[OpSpec], status: StatusType, prefix: Prefixes) -> None:
        self._model = model
        self._status = status
        self._prefix = prefix
        self._parameters = Parameters(model)
        #: function -> the public name that a macro gives it (``#define acmeAdd acmeAdd_v2``)
        self._public = {a.target: a.name for a in model.aliases.values()}
        #: (function, op) -> why it is not served, of functions whose op an argument chooses
        self.refused: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, list[OpSpec]] = defaultdict(list)
        for op in ops:
            for name in op.vendor_names:
                self._by_name[name.replace("_", "")].append(op)

    def decide(self, function: Function) -> list[tuple[OpSpec, Draft]] | Refusal:
        """The ops it serves with a draft each, or why it serves none."""
        refusals: list[Refusal] = []
        names = [function.name, *([self._public[function.name]] if function.name in self._public else [])]
        found = [reading for name in names for reading in readings(name, self._prefix)]
        hits = [(reading, self._by_name[reading.core]) for reading in found if reading.core in self._by_name]
        if not hits:
            return self._no_name(function)
        unreachable = _unreachable(function)
        if unreachable:
            return Refusal(unreachable)
        parameters = self._parameters.of(function)
        for reading, ops in hits:
            drafts: list[tuple[OpSpec, Draft]] = []
            for op in ops:
                result = self._try(function, op, reading, parameters)
                if isinstance(result, Refusal):
                    refusals.append(result)
                elif result.confidence < CERTAIN:
                    refusals.append(Refusal(f"too unsure that it is {op.name} ({result.confidence:.2f})"))
                else:
                    drafts.append((op, result))
            if drafts:
                return drafts
        return refusals[0]

    def recognised(
        self, function: Function, matches: Sequence[OpMatch], refusal: Refusal
    ) -> list[tuple[OpSpec, Draft]] | Refusal:
        """The ops that the recogniser found in a name of its wider vocabulary, or among which an argument chooses; or
        why there are none, in the words of ``refusal`` unless that knows the name no better."""
        matches = [m for m in matches if m.confidence >= CERTAIN]
        if not matches or _unreachable(function):
            return refusal
        parameters = self._parameters.of(function)
        named = list(readings(function.name, self._prefix))
        reading = next((r for r in named if r.dtype and not r.letter), named[0])

        guessed = any(said.endswith(_GUESS) for said in matches[0].evidence)
        roles = {} if guessed else dict(matches[0].arguments)

        def candidate(op: OpSpec) -> Candidate:
            return Candidate(self._model, self._status, function, op, reading, parameters, roles)

        drafts: list[tuple[OpSpec, Draft]] = []
        reason: Refusal | None = None
        for op, result in chosen(matches, candidate, style_of):
            if isinstance(result, Refusal):
                self.refused[function.name, op.name] = result.reason
                reason = reason or result
            elif result.confidence >= CERTAIN and op not in [known for known, _ in drafts]:
                drafts.append((op, result))
        better = any(m.constants for m in matches) or refusal.reason.startswith(_UNKNOWN)
        return drafts or (reason if better and reason is not None else refusal)

    def _try(
        self, function: Function, op: OpSpec, reading: Reading, parameters: tuple[Parameter, ...]
    ) -> Draft | Refusal:
        return style_of(Candidate(self._model, self._status, function, op, reading, parameters))

    def _no_name(self, function: Function) -> Refusal:
        words = cores(function.name, self._prefix)[0]
        types = [function.result, *(p.type for p in function.params)]
        if any(inner.kind == "complex" for type_ in types for inner in type_.mentions()):
            return Refusal("complex dtype: torchfl has no complex dtype")
        parts = [w for w in words if w in self._by_name]
        if len(parts) > 1:
            return Refusal("fused: its name holds " + " and ".join(f"'{w}'" for w in parts))
        return Refusal(f"{_UNKNOWN} '{'_'.join(words)}'")


def style_of(candidate: Candidate) -> Draft | Refusal:
    if any(p.sort == "struct" for p in candidate.parameters):
        return match_tensor_struct(candidate)
    if candidate.op.output_kinds == ("named",) and not any(p.sort == "dtype" for p in candidate.parameters):
        return match_cast(candidate)
    if candidate.op.shape_rule in ("mm", "addmm", "mv", "dot"):
        return match_blas(candidate)
    return match_pointer(candidate)


def _unreachable(function: Function) -> str:
    """Why a function cannot be called through a symbol table, or ""."""
    if function.inline:
        return "defined in the header: the library exports no symbol for it"
    if function.linkage != "c":
        return "C++ linkage: its symbol depends on the vendor's compiler"
    if function.variadic:
        return "takes a variable number of arguments"
    return ""
