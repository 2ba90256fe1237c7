"""Running a manifest: a worker executes, the oracle judges behind it, deaths cost their own case.

The parent only passes messages. While the oracle judges one case the worker runs the next; verdicts are journalled in
the order in which they fall.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.spec import CaseSpec, SampleSpec
from torchfl_sdk.conformance.gate.verdict import CRASH, FAIL, HANG, Result
from torchfl_sdk.conformance.runner.pool import OracleProcess, Worker, Zygote
from torchfl_sdk.conformance.runner.protocol import ChipInfo, Execution, Judged

from torchfl.errors import Problem, TorchflError, register

NO_DRIVER = register("TFL0906", "the chip's driver could not be brought up", 3)

_MOST_WAITING = 32  # executions the oracle may be behind
_MOST_HANGS = 3  # of one op in one dtype; each costs the time limit
_INFO_LIMIT = 120.0  # seconds for a driver to come up
_RECHECKED = 4  # recent native passes run again after a crash


@dataclass(frozen=True)
class Limits:
    """Seconds per case, and for the first case of an op in a dtype of each worker: a driver may compile it then."""

    case: float = 20.0
    first: float = 60.0


class Session:
    """One zygote, one oracle and a worker at a time. Use as a context manager: leaving it ends every process."""

    def __init__(
        self, executor: str, options: dict[str, Any], numerics: dict[str, Any], journal: Path, limits: Limits
    ) -> None:
        self._limits = limits
        self._zygote = Zygote(executor, options, journal)
        self._oracle = OracleProcess(numerics)
        self._worker: Worker | None = None
        self._ran: set[tuple[str, str]] = set()  # op and dtype, by this worker
        self._hung: set[tuple[str, str]] = set()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exc: object) -> None:
        self._end_worker()
        self._oracle.close()
        self._zygote.close()

    def info(self) -> ChipInfo:
        """Bring the driver up in a worker. Raises TorchflError (TFL0906, exit 3) where it does not come."""
        worker = self._fresh()
        worker.connection.send(("info",))
        if not worker.connection.poll(_INFO_LIMIT):
            worker.kill()
            self._worker = None
            raise _no_driver(f"it did not come up within {_INFO_LIMIT:.0f} s")
        try:
            answer = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            self._worker = None
            raise _no_driver(f"the process that asked it ended with {worker.reap().cause}") from None
        if answer[0] == "failed":
            raise _no_driver(answer[2])
        info: ChipInfo = answer[1]
        return info

    def run(
        self, cases: tuple[CaseSpec, ...], decide: Callable[[CaseSpec, Execution, Judged], Result]
    ) -> Iterator[Result]:
        """Results in the order in which they become known; one per case."""
        waiting: dict[str, tuple[CaseSpec, Execution]] = {}
        hangs: Counter[tuple[str, str]] = Counter()
        recent: deque[CaseSpec] = deque(maxlen=_RECHECKED)
        for case in cases:
            key = (case.sample.op, case.sample.dtype)
            if hangs[key] >= _MOST_HANGS:
                yield Result(case, HANG, f"not run: {case.sample.op} in {case.sample.dtype} hung {_MOST_HANGS} times")
                continue
            outcome = self._execute(case)
            if isinstance(outcome, Result):
                hangs[key] += outcome.verdict == HANG
                yield outcome
                yield from self._judged(waiting, decide, 0)
                yield from self._recheck(recent, decide)
                continue
            self._oracle.ask("judge", case, outcome)
            waiting[case.id] = (case, outcome)
            if case.expect == "refused" and not outcome.error_type:
                self._end_worker()  # the kernel went to memory that is not its own: nobody knows what is there now
            else:
                recent.append(case)
            yield from self._judged(waiting, decide, _MOST_WAITING)
        yield from self._judged(waiting, decide, 0)

    def beyond(self, cases: tuple[CaseSpec, ...]) -> Iterator[CaseSpec]:
        """The cases that an op's kernel gets right although its profile does not send them there. Only after a run: in
        a worker of its own, whose end costs no more than the op's other cases."""
        self._end_worker()
        ended: set[str] = set()
        for case in cases:
            if case.sample.op in ended:
                continue
            worker = self._worker or self._fresh()
            try:
                worker.connection.send(("beyond", case))
                if not worker.connection.poll(self._limits.first):
                    raise EOFError
                execution = worker.connection.recv()[1]
            except (EOFError, ConnectionResetError, BrokenPipeError):
                ended.add(case.sample.op)
                self._end_worker()
                continue
            if execution.error_type:
                continue
            self._oracle.ask("judge", case, execution)
            judged = self._oracle.answer()[1]
            if judged.ok and not judged.weakness:
                yield case

    def script(self, case: CaseSpec, where: dict[str, Any]) -> str:
        """The text of a script that repeats a case. Only between runs: the oracle answers in order."""
        self._oracle.ask("script", case, where)
        _, text = self._oracle.answer()
        return str(text)

    def recorded(self, wanted: Mapping[str, Sequence[str]], seed: int, most: int) -> tuple[tuple[str, SampleSpec], ...]:
        """(variant, sample) from PyTorch's op_db; see ``cases/recorded.py``. Only before a run, as :meth:`script`.

        Raises TorchflError (TFL0911, exit 3) if a package is missing.
        """
        self._oracle.ask("recorded", None, {"wanted": dict(wanted), "seed": seed, "most": most})
        _, answer = self._oracle.answer()
        if answer and isinstance(answer[0], Problem):
            raise TorchflError(answer)
        found: tuple[tuple[str, SampleSpec], ...] = answer
        return found

    def _execute(self, case: CaseSpec) -> Execution | Result:
        worker = self._worker or self._fresh()
        started = time.monotonic()
        key = (case.sample.op, case.sample.dtype)
        limit = self._limits.case if key in self._ran | self._hung else self._limits.first
        self._ran.add(key)
        try:
            worker.connection.send(("run", case))
            if not worker.connection.poll(limit):
                self._worker = None
                self._hung.add(key)
                death = worker.kill()
                return Result(case, HANG, f"{death.cause} of {limit:g} s", seconds=limit)
            answer = worker.connection.recv()
        except (EOFError, ConnectionResetError, BrokenPipeError):
            self._worker = None
            cause = worker.reap().cause
            return Result(case, CRASH, f"the worker ended with {cause}", seconds=time.monotonic() - started)
        if answer[0] == "died":
            self._worker = None
            worker.reap()
            return Result(case, CRASH, f"the worker gave up: {answer[2]}", seconds=time.monotonic() - started)
        execution: Execution = answer[2]
        return execution

    def _recheck(
        self, recent: deque[CaseSpec], decide: Callable[[CaseSpec, Execution, Judged], Result]
    ) -> Iterator[Result]:
        """After a death memory may have been corrupt for some time: the last cases run again, in a fresh worker.
        A case that fails now has failed; a fail never becomes a pass."""
        again = list(recent)
        recent.clear()
        for case in again:
            outcome = self._execute(case)
            if isinstance(outcome, Result):
                yield outcome
                continue
            self._oracle.ask("judge", case, outcome)
            result = decide(case, outcome, self._oracle.answer()[1])
            if not result.good:
                yield Result(
                    case, FAIL, f"after the crash that followed it: {result.reason}", result.pattern, result.worst
                )

    def _judged(
        self,
        waiting: dict[str, tuple[CaseSpec, Execution]],
        decide: Callable[[CaseSpec, Execution, Judged], Result],
        most: int,
    ) -> Iterator[Result]:
        """Verdicts that the oracle has ready; waits while more than ``most`` are outstanding."""
        while waiting and (len(waiting) > most or wait([self._oracle.connection], 0)):
            case_id, judged = self._oracle.answer()
            case, execution = waiting.pop(case_id)
            yield decide(case, execution, judged)

    def _end_worker(self) -> None:
        if self._worker is not None:
            with suppress(TorchflError, OSError):
                self._worker.kill()
            self._worker = None

    def _fresh(self) -> Worker:
        self._worker = self._zygote.fork()
        self._ran.clear()
        return self._worker


def _no_driver(cause: str) -> TorchflError:
    return TorchflError(Problem(NO_DRIVER, cause, "see `torchfl doctor`"), 3)
