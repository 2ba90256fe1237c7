"""Asks a worker process, and starts another one when it dies or does not answer: one question is all that costs."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import IO, Any

from torchfl.errors import Problem, TorchflError, register
from torchfl_sdk.child import module_command
from torchfl_sdk.probe.finding import ChipFacts
from torchfl_sdk.probe.question import OUTSIDE, Answer, Question
from torchfl_sdk.probe.verdict import Judge

NO_WORKER = register("TFL0801", "the process that asks the chip does not start", 3)

#: Seconds for a worker to import torch and start the driver, for one kernel to answer, and for its first answer in a
#: dtype: a driver may compile its kernels at their first use.
START_SECONDS = 120.0
ANSWER_SECONDS = 20.0
FIRST_ANSWER_SECONDS = 60.0


class Client:
    """A context manager over one worker at a time. Use :meth:`ask` as the way to reach the chip."""

    def __init__(
        self,
        selector: str,
        folder: Path,
        judge: Judge,
        answer_seconds: float = ANSWER_SECONDS,
        first_seconds: float = FIRST_ANSWER_SECONDS,
    ) -> None:
        self._selector, self._folder, self._judge = selector, folder, judge
        self._answer_seconds, self._first_seconds = answer_seconds, first_seconds
        self._answered: set[tuple[str, str]] = set()  # kernel and dtype, by this worker
        self._hung: set[tuple[str, str]] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._questions: IO[str] | None = None
        self._replies = -1
        self._buffer = b""
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by __exit__
        self.facts = ChipFacts()
        self.workers = 0
        self.asked = 0

    def __enter__(self) -> Client:
        """Raises TorchflError (TFL0801) where no worker comes up."""
        try:
            self._start()
        except BaseException:
            self._log.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()
        self._log.close()

    def ask(self, question: Question) -> Answer:
        """The chip's answer. Raises TorchflError (TFL0801) where no new worker comes up after one has died."""
        moot = self._judge.is_moot(question)
        if moot:
            return Answer("moot", moot)
        if self._process is None:
            self._start()
        self.asked += 1
        key = (question.impl, question.sample.dtype)
        limit = self._answer_seconds if key in self._answered | self._hung else self._first_seconds
        self._answered.add(key)
        try:
            assert self._questions is not None
            self._questions.write(json.dumps(question.to_json()) + "\n")
            self._questions.flush()
            reply = self._read(limit)
        except TimeoutError:
            self._stop()
            self._hung.add(key)
            return Answer("hang", f"no answer in {limit:g} s")
        except (EOFError, BrokenPipeError):
            return Answer("crash", self._post_mortem())
        if question.form in OUTSIDE and reply["status"] == "OK":
            self._stop()  # what it read or wrote there is anybody's guess
        return self._judge.verdict(question, reply)

    def _start(self) -> None:
        question_end, asking = os.pipe()
        self._replies, reply_end = os.pipe()
        command = module_command("torchfl_sdk.probe.worker", self._selector, str(self._folder))
        environment = {**os.environ, "TORCHFL_VISIBLE": self._selector, "TORCHFL_DEVICE_DIR": ""}
        self._log.seek(0)
        self._log.truncate()
        try:
            self._process = subprocess.Popen(
                [*command, str(question_end), str(reply_end)],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=(question_end, reply_end),
                env=environment,
                start_new_session=True,
            )
        finally:
            os.close(question_end)
            os.close(reply_end)
        self._questions = os.fdopen(asking, "w", encoding="utf-8")
        self._buffer = b""
        self.workers += 1
        self._answered.clear()
        try:
            self.facts = ChipFacts(**self._read(START_SECONDS))
        except TimeoutError:
            self._stop()
            raise self._no_worker(f"it was not ready in {START_SECONDS:g} s") from None
        except (EOFError, BrokenPipeError):
            raise self._no_worker(self._post_mortem()) from None

    def _no_worker(self, cause: str) -> TorchflError:
        fix = f"torchfl doctor --device {self._selector}"
        return TorchflError(Problem(NO_WORKER, f"the chip cannot be asked: {cause}", fix, where=self._selector))

    def _read(self, seconds: float) -> dict[str, Any]:
        """The next reply. Raises TimeoutError, or EOFError where the worker is gone."""
        end = monotonic() + seconds
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._replies], [], [], max(0.0, end - monotonic()))
            if not ready:
                raise TimeoutError
            data = os.read(self._replies, 1 << 20)
            if not data:
                raise EOFError
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _stop(self) -> int:
        """End the worker and its children, and return its exit status."""
        if self._questions is not None:
            with suppress(BrokenPipeError):
                self._questions.close()
            self._questions = None
        if self._replies >= 0:
            os.close(self._replies)
            self._replies = -1
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait()

    def _post_mortem(self) -> str:
        """How the worker died: the signal or status, and the last line that it or the driver printed."""
        assert self._process is not None
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = self._stop()
        self._stop()
        self._log.seek(0)
        lines = [line for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        try:
            how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exited with {status}"
        except ValueError:
            how = f"killed by signal {-status}"
        return how + (f" ({lines[-1].strip()})" if lines else "")
