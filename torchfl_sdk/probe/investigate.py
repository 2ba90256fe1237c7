"""Finds out what one kernel can do, given a way to ask it: dtypes, limits of each variable, whether they combine.

Nothing here runs a kernel: ``ask`` does. A value counts only where the kernel ran and the numbers are right, in every
dtype that the entry will declare. A refusal narrows a constraint. Wrong numbers take the value (of an attribute) or
the dtype (at an ordinary size) out and raise an alarm: a limit is never drawn around a kernel's mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchfl.catalogue import OpSpec
from torchfl.profile import Constraint, OpEntry
from torchfl_sdk.conformance.cases.expectation import holds, left_out, variables
from torchfl_sdk.conformance.cases.recipes import specs
from torchfl_sdk.conformance.cases.rules.products import ADDING
from torchfl_sdk.conformance.cases.spec import SampleSpec
from torchfl_sdk.conformance.report.definitions import DEFINITIONS
from torchfl_sdk.probe.cases import attribute_like, bases, candidates, sample_of, sizes_of
from torchfl_sdk.probe.finding import EntryFinding
from torchfl_sdk.probe.limits import allowed_list, extent_limit, pairwise
from torchfl_sdk.probe.question import OUTSIDE, Answer, Question

Ask = Callable[[Question], Answer]

#: A kernel that kills this many workers is left alone.
MOST_DEATHS = 6

#: Values of one variable that take part in combinations.
_MOST_COMBINED = 4

#: Elements between rows; odd, so that no vector width hides a kernel that takes rows to be packed.
_ROW_GAP = 3

#: Bytes by which the first element is moved from the start of its memory.
_ALIGNMENTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
#: Shape rules of ops whose first input is an image.
IMAGES = ("conv", "pool", "adaptive_pool", "batch_norm", "group_norm")
_ITEM_SIZE = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
}  # fmt: skip

#: A sample that proves nothing is no reason against a value that others have proved.
_NO_OBJECTION = ("right", "weak", "moot")


class _GiveUp(Exception):
    """The entry cannot be settled; the text is the reason."""


def investigate(entry: OpEntry, op: OpSpec, ask: Ask, seed: int = 0) -> EntryFinding:
    """Everything that can be asked about an entry. Deterministic for a chip whose answers are."""
    inquiry = _Inquiry(entry, op, ask, seed)
    try:
        return inquiry.run()
    except _GiveUp as reason:
        return inquiry.finding(settled=False, reason=str(reason))


def mistaken(entry: OpEntry, op: OpSpec, ask: Ask, seed: int = 0) -> bool:
    """Whether the kernel of an entry that the header's types prove goes wrong at an ordinary sample: types prove how a
    function is called, not that its numbers are right, or that the library has it. A refusal is no mistake, but a
    dtype in which no ordinary call is served is one."""
    return _Inquiry(entry, op, ask, seed).is_mistaken()


def written(constraint: Constraint) -> list[Any] | dict[str, Any]:
    """A constraint as a profile writes it."""
    if constraint.allowed is not None:
        return list(constraint.allowed)
    limits = (("min", constraint.min), ("max", constraint.max), ("multiple_of", constraint.multiple_of))
    return {key: value for key, value in limits if value is not None}


def constraint_of(variable: str, limit: Any) -> Constraint:
    """The inverse of :func:`written`."""
    return Constraint(variable, allowed=tuple(limit)) if isinstance(limit, list) else Constraint(variable, **limit)


class _Inquiry:
    def __init__(self, entry: OpEntry, op: OpSpec, ask: Ask, seed: int) -> None:
        self.entry, self.op, self.seed = entry, op, seed
        self._ask = ask
        self._known: dict[tuple[Any, ...], Answer] = {}
        self.base: dict[str, Any] = {}
        self.dtypes: list[str] = []
        self.limits: dict[str, Any] = {c.variable: written(c) for c in entry.constraints}
        self.accepted: dict[str, list[Any]] = {}
        self.stores: frozenset[str] = frozenset()
        self.inplace = False
        self.checks_index = False
        self.layout = entry.layout
        self.alignment = max(entry.alignment, 1)
        self.refusals: dict[str, None] = {}
        self.alarms: dict[str, None] = {}
        self.notes: dict[str, None] = {}
        self.excluded: frozenset[str] = frozenset()
        self.deaths = 0
        self._why = ""

    def run(self) -> EntryFinding:
        self.find_dtypes()
        for variable in (*attribute_like(self.op), *sizes_of(self.op)):
            self.find_limit(variable)
        if self.op.shape_rule == "conv" and "rank" not in self.limits:
            self.limits["rank"] = [4]  # the only one that was asked: 1-d and 3-d calls dispatch to the same overload
        self.combine()
        self.find_layout()
        self.find_alignment()
        self.confirm()
        self.find_inplace()
        self.find_index_check()
        return self.finding(settled=True)

    def finding(self, settled: bool, reason: str = "") -> EntryFinding:
        store = next(iter(self.stores)) if "int8" in self.dtypes and len(self.stores) == 1 else ""
        return EntryFinding(
            name=self.entry.full_name,
            impl=self.entry.impl,
            settled=settled,
            reason=reason,
            dtypes=tuple(self.dtypes) if settled else (),
            constraints=dict(self.limits) if settled else {},
            layout=self.layout,
            alignment=self.alignment,
            inplace=self.inplace,
            checks_index=self.checks_index,
            int8_store=store,
            refusals=tuple(self.refusals),
            alarms=tuple(self.alarms),
            notes=tuple(self.notes),
            definition=self._definition() if settled else "",
            questions=len(self._known),
        )

    def _definition(self) -> str:
        stated, others = DEFINITIONS.get(self.op.name, ("", ()))
        return stated if {statement for statement, _ in others} <= self.excluded else ""

    # -- asking ------------------------------------------------------------------------------------------------

    def ask(self, sample: SampleSpec | None, form: str = "forward", offset: int = 0, gap: int = 0) -> Answer:
        """The chip's answer, once per question; what it declined or got wrong is noted."""
        if sample is None:
            return Answer("moot", "no sample can have this value")
        question = Question(
            self.entry.impl, sample, form, offset, gap,
            channels_last=self.layout == "channels_last",
            shifted=bool(self.entry.int8_zero_point) and sample.dtype == "int8",
        )  # fmt: skip
        if question.key in self._known:
            return self._known[question.key]
        answer = self._ask(question)
        self._known[question.key] = answer
        self.excluded |= answer.excluded
        if answer.outcome in ("crash", "hang"):
            self.deaths += 1
        if answer.outcome == "refused":
            self.refusals[f"{question}: {answer.reason}"] = None
        elif answer.outcome in ("wrong", "error", "crash", "hang"):
            hint = f" ({answer.hint})" if answer.hint else ""
            self.alarms[f"{question}: {answer.outcome}: {answer.reason}{hint}"] = None
        if self.deaths >= MOST_DEATHS:
            raise _GiveUp(f"the kernel brought {self.deaths} workers down")
        return answer

    def ask_values(self, dtype: str, values: dict[str, Any]) -> Answer:
        """An answer for these values, the others at their base; an int8 answer must fit the store rule so far."""
        answer = self.ask(sample_of(self.op, dtype, {**self.base, **values}, self.seed))
        if dtype == "int8" and answer.stores:
            common = answer.stores & self.stores if self.stores else answer.stores
            if not common:
                self.alarms[f"{self.op.name} int8: some results wrap around, others saturate"] = None
                return Answer("wrong", "no one store rule fits")
            self.stores = common
        return answer

    # -- steps -------------------------------------------------------------------------------------------------

    def find_dtypes(self) -> None:
        """Which element types give right numbers, on the first base that works for any."""
        asked = [dtype for dtype in self.entry.dtype_support if dtype in self.op.dtypes] or list(self.op.dtypes)
        if self._find_base(asked):
            return
        reasons = self._why
        if self.op.shape_rule in IMAGES and self.layout == "contiguous":
            self.layout, alarms = "channels_last", self.alarms  # many chips take images NHWC and do not say so
            self.alarms = {}
            if self._find_base(asked):
                self.notes["layout channels_last: images are right NHWC, and not NCHW"] = None
                return
            self.layout, self.alarms = self.entry.layout, {**alarms, **self.alarms}
        raise _GiveUp(f"no dtype gives right numbers ({reasons})")

    def _find_base(self, asked: list[str]) -> bool:
        """Whether some base gives right numbers in some dtype; why not, in ``_why``."""
        answers: dict[str, Answer] = {}
        for base in bases(self.op, self.entry):
            self.base = base
            answers = {dtype: self.ask_values(dtype, {}) for dtype in asked}
            self.dtypes = [dtype for dtype, answer in answers.items() if answer.right]
            if self.dtypes:
                if self.op.output_kinds == (
                    "named",
                ):  # what is cast to, and from nothing else, is a dtype of the entry
                    self.dtypes += [dtype for dtype, answer in answers.items() if answer.outcome == "moot"]
                return True
            if all(answer.outcome in ("wrong", "crash", "hang", "error") for answer in answers.values()):
                break
        self._why = "; ".join(f"{dtype}: {answer.outcome}, {answer.reason}" for dtype, answer in answers.items())
        return False

    def find_limit(self, variable: str) -> None:
        """Ask every candidate value of a variable, and state what the answers allow."""
        declared = self.limits.get(variable)
        values = candidates(self.op, variable, declared)
        outcomes = {value: self._outcomes({variable: value}) for value in values}
        is_size = variable in sizes_of(self.op)
        if is_size:
            self._drop_wrong(variable, outcomes)
        accepted = [v for v in values if self._accepted(outcomes[v])]
        # What PyTorch does not define at all bounds an attribute, but is no limit of a size or of casts.
        copies = self.op.output_kinds == ("named",) and variable == "dtype"  # a cast to its own dtype
        unfair = {"weak", "moot"} if is_size or copies else {"weak"}
        refused = [v for v in values if v not in accepted and not set(self._live(outcomes[v])) <= {"right", *unfair}]
        if not accepted:
            if refused:
                raise _GiveUp(f"no value of {variable} gives right numbers in {', '.join(self.dtypes)}")
            return
        self.accepted[variable] = accepted
        limit = extent_limit(accepted, refused) if is_size else allowed_list(accepted, refused)
        if isinstance(limit, dict) and isinstance(declared, dict):
            limit = {**declared, **limit}
        if limit is not None:
            self.limits[variable] = limit

    def _outcomes(self, values: dict[str, Any]) -> dict[str, str]:
        return {dtype: self.ask_values(dtype, values).outcome for dtype in self.dtypes}

    def _live(self, outcomes: dict[str, str]) -> list[str]:
        return [outcome for dtype, outcome in outcomes.items() if dtype in self.dtypes]

    def _accepted(self, outcomes: dict[str, str]) -> bool:
        """Served in every dtype where the call means anything, and in at least one."""
        live = self._live(outcomes)
        return "right" in live and set(live) <= {"right", "weak", "moot"}

    def _drop_wrong(self, variable: str, outcomes: dict[Any, dict[str, str]]) -> None:
        """Take out the dtypes that go wrong at some size without a refusal."""
        for dtype in list(self.dtypes):
            bad = [v for v, found in outcomes.items() if found[dtype] in ("wrong", "error", "crash", "hang")]
            if bad:
                self._drop(dtype, f"{variable}={bad[0]} goes wrong without a refusal")

    def _drop(self, dtype: str, why: str) -> None:
        self.dtypes.remove(dtype)
        self.notes[f"{dtype} is not declared: {why}"] = None
        if not self.dtypes:
            raise _GiveUp(f"no dtype gives right numbers ({dtype}: {why})")

    def combine(self) -> None:
        """Confirm that accepted values also work together; one that does not is taken out."""
        for _ in range(64):
            values = {
                v: _spread(self.accepted[v]) for v in attribute_like(self.op) if len(self.accepted.get(v, ())) > 1
            }
            bad = next((row for row in self._combinations(values) if not self._served(row)), None)
            if bad is None:
                return
            self._take_out(self._smallest(bad))
        raise _GiveUp("the accepted values do not work together")

    def _combinations(self, values: dict[str, list[Any]]) -> Iterable[dict[str, Any]]:
        """Unequal (height, width) pairs of each list attribute, then every pair of values of two variables."""
        for name, known in values.items():
            if self._is_spatial(name):
                yield from ({name: (known[i], known[i - 1])} for i in range(len(known)))
        yield from pairwise(values)

    def _is_spatial(self, name: str) -> bool:
        return name == "kernel_size" or any(a.name == name and a.kind == "int_list" for a in self.op.attrs)

    def _served(self, row: dict[str, Any]) -> bool:
        return all(self.ask_values(dtype, row).outcome in _NO_OBJECTION for dtype in self.dtypes)

    def _smallest(self, row: dict[str, Any]) -> dict[str, Any]:
        """Part of a failing combination that fails by itself: two of its values, else all of them."""
        names = sorted(row)
        pairs = ({a: row[a], b: row[b]} for i, a in enumerate(names) for b in names[i + 1 :])
        return next((pair for pair in pairs if len(row) > 2 and not self._served(pair)), row)

    def _take_out(self, row: dict[str, Any]) -> None:
        """Remove one value of a failing combination: of the variable with most to spare, never the base's own."""
        name, value = max(
            row.items(), key=lambda item: (not self._is_base(*item), len(self.accepted[item[0]]), item[0])
        )
        shown = ", ".join(f"{k}={v}" for k, v in row.items())
        if isinstance(value, tuple):
            raise _GiveUp(f"{name} must be equal in height and width ({shown} fails), which a profile cannot state")
        if self._is_base(name, value):
            raise _GiveUp(f"{shown} fails, and these are ordinary values")
        self.accepted[name].remove(value)
        self.limits[name] = list(self.accepted[name])
        self.notes[f"{name}={value} is not declared: it fails together with others ({shown})"] = None

    def _is_base(self, name: str, value: Any) -> bool:
        attr = next((a for a in self.op.attrs if a.name == name), None)
        default = {"stride": 1, "kernel_size": 3}.get(name, attr.default if attr else None)
        if name in self.op.optional_inputs:
            ordinary = sample_of(self.op, self.dtypes[0], {}, self.seed)
            default = variables(self.op, ordinary)[name] if ordinary is not None else None
        return bool(value == self.base.get(name, default))

    def find_layout(self) -> None:
        """A kernel for matrices must take each operand transposed or not, with space between the rows."""
        if self.layout != "matrix":
            return
        plain = ("contiguous",) if self.op.shape_rule in ADDING else ()  # the router lays out what is added
        for dtype in self.dtypes:
            ordinary = sample_of(self.op, dtype, self.base, self.seed)
            for left in ("contiguous", "transposed"):
                for right in ("contiguous", "transposed"):
                    sample = ordinary.with_layout(*plain, left, right) if ordinary else None
                    if self.ask(sample, gap=_ROW_GAP).outcome not in _NO_OBJECTION:
                        self.notes[f"layout contiguous, not matrix: {dtype}, {left} by {right} rows apart, fails"] = (
                            None
                        )
                        self.layout = "contiguous"
                        return

    def find_alignment(self) -> None:
        """The least alignment of a tensor's first element, in bytes, at which every dtype is right."""
        for dtype in list(self.dtypes):
            size, sample = _ITEM_SIZE[dtype], sample_of(self.op, dtype, self.base, self.seed)
            for alignment in (b for b in _ALIGNMENTS if b % size == 0 and b >= self.alignment):
                if self.ask(sample, offset=alignment // size).outcome in _NO_OBJECTION:
                    self.alignment = alignment if alignment > size or self.alignment > size else self.alignment
                    break
            else:
                self._drop(dtype, f"no tensor that begins inside another's memory works, up to {_ALIGNMENTS[-1]} bytes")

    def is_mistaken(self) -> bool:
        for dtype in (dtype for dtype in self.entry.dtype_support if dtype in self.op.dtypes):
            seen = set()
            for sample in self._ordinary(dtype):
                seen.add(self.ask(sample).outcome)
                if not seen <= {*_NO_OBJECTION, "refused"}:
                    return True
            if "refused" in seen and "right" not in seen:
                return True
        return False

    def _ordinary(self, dtype: str) -> Iterable[SampleSpec]:
        """The suite's ordinary samples that lie inside the limits."""
        limits = [constraint_of(variable, limit) for variable, limit in self.limits.items()]
        for sample in specs(self.op, dtype, self.seed, "quick"):
            values = variables(self.op, sample)
            if not left_out(self.op, sample) and all(holds(c, values.get(c.variable)) for c in limits):
                yield sample

    def confirm(self) -> None:
        """Ask the suite's ordinary samples that lie inside the limits found; a dtype that fails one is not declared."""
        for dtype in list(self.dtypes):
            for sample in self._ordinary(dtype):
                answer = self.ask(sample)
                if answer.outcome not in _NO_OBJECTION:
                    self._drop(dtype, f"{sample.label}: {answer.outcome}, {answer.reason}")
                    break
                if dtype == "int8" and answer.stores and self.stores:
                    if not answer.stores & self.stores:
                        self._drop(dtype, "some results wrap around, others saturate")
                        break
                    self.stores &= answer.stores

    def find_inplace(self) -> None:
        """Whether the result may replace the first input, where the kernel says that it may."""
        if not self.entry.inplace:
            return
        samples = [sample_of(self.op, dtype, self.base, self.seed) for dtype in self.dtypes]
        self.inplace = all(self.ask(sample, form="inplace").right for sample in samples)
        if not self.inplace:
            self.notes["inplace: the result may not replace an input"] = None

    def find_index_check(self) -> None:
        """Whether the kernel refuses an index outside its dimension. Asked last: one that does not may write anywhere,
        and what comes of it is no alarm, because torchfl then looks at the values itself."""
        if "index" not in dict(self.op.input_kinds).values():
            return
        self.checks_index = all(self._refuses(dtype, form) for dtype in self.dtypes for form in OUTSIDE)

    def _refuses(self, dtype: str, form: str) -> bool:
        sample = sample_of(self.op, dtype, self.base, self.seed)
        if sample is None:
            return False
        question = Question(self.entry.impl, sample, form)
        self._known[question.key] = answer = self._ask(question)
        return answer.outcome == "refused"


def _spread(values: list[Any]) -> list[Any]:
    """At most :data:`_MOST_COMBINED` values: both ends, and evenly between."""
    if len(values) <= _MOST_COMBINED:
        return list(values)
    last = len(values) - 1
    return [values[round(i * last / (_MOST_COMBINED - 1))] for i in range(_MOST_COMBINED)]
