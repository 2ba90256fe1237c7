"""The parent's side of the processes: one zygote, one worker at a time, one oracle."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.spec import CaseSpec

from torchfl.errors import Problem, TorchflError, register
from torchfl_sdk.child import module_command

ORACLE_DIED = register("TFL0910", "the process that computes references died", 70)
NO_CORE = register("TFL0905", "the test processes could not load torch, the core or the chip library", 3)

_STARTUP_LIMIT = 900.0  # seconds; the first use of a torch compiles the core


@dataclass(frozen=True)
class Death:
    """How a worker ended: a signal's name or an exit status."""

    cause: str
    killed_by_us: bool = False


class Worker:
    """A forked process that owns the device."""

    def __init__(self, zygote: Zygote, pid: int, connection: Connection) -> None:
        self._zygote = zygote
        self.pid = pid
        self.connection = connection

    def kill(self) -> Death:
        """End it at once (a hang), and collect it."""
        os.kill(self.pid, signal.SIGKILL)
        self.reap()
        return Death("killed after its time limit", killed_by_us=True)

    def reap(self) -> Death:
        """Wait for its end."""
        self.connection.close()
        status = self._zygote.ask(f"reap {self.pid}")["status"]
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return Death(signal.Signals(number).name if number in signal.valid_signals() else f"signal {number}")
        return Death(f"exit status {os.waitstatus_to_exitcode(status)}")


class Zygote:
    """The process that workers are forked from. Raises TorchflError (TFL0905) if it cannot start."""

    def __init__(self, executor: str, options: dict[str, Any], journal: Path) -> None:
        self._journal = journal
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = module_command("torchfl_sdk.conformance.runner.zygote", str(theirs.fileno()), executor)
        self._process = subprocess.Popen(
            [*command, json.dumps(options)], pass_fds=[theirs.fileno()], env=_quiet_environment()
        )
        theirs.close()
        self._ready = False

    def wait_ready(self) -> None:
        """Until torch, the core and the chips are loaded."""
        if self._ready:
            return
        self._control.settimeout(_STARTUP_LIMIT)
        answer = self._answer()
        if "failed" in answer:
            code = int(answer.get("exit_code", 70))
            raise TorchflError(
                Problem(NO_CORE, answer["failed"], "see `torchfl doctor`"), code if code in (2, 3) else 3
            )
        self._ready = True

    def fork(self) -> Worker:
        """A fresh worker."""
        self.wait_ready()
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [f"fork {self._journal}".encode()], [theirs.fileno()])
        theirs.close()
        pid = int(self._answer()["pid"])
        return Worker(self, pid, Connection(ours.detach()))

    def ask(self, packet: str) -> dict[str, Any]:
        """Send one packet and wait for its answer."""
        self._control.send(packet.encode())
        return self._answer()

    def close(self) -> None:
        """End the zygote, and with it its workers."""
        self._control.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answer(self) -> dict[str, Any]:
        packet = self._control.recv(1 << 16)
        if not packet:
            code = self._process.wait()
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            raise TorchflError(
                Problem(NO_CORE, f"the process that loads the chip ended with {how}", "see `torchfl doctor`")
            )
        answer: dict[str, Any] = json.loads(packet)
        return answer


class OracleProcess:
    """The process that computes references: plain torch on the CPU, no torchfl device, no chip."""

    def __init__(self, numerics: dict[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        command = module_command("torchfl_sdk.conformance.runner.oracle_process", str(theirs.fileno()))
        self._process = subprocess.Popen(
            [*command, json.dumps(numerics)], pass_fds=[theirs.fileno()], env=_quiet_environment()
        )
        theirs.close()
        self.connection = Connection(ours.detach())

    def ask(self, kind: str, case: CaseSpec | None, extra: Any) -> None:
        """Put one question; answers come in the same order."""
        try:
            self.connection.send((kind, case, extra))
        except (BrokenPipeError, ConnectionResetError):
            raise self._died() from None

    def answer(self) -> tuple[str, Any]:
        """The next answer: (case id, what was asked for). Waits. Raises TorchflError (TFL0910) if the process died."""
        try:
            found: tuple[str, Any] = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._died() from None
        return found

    def _died(self) -> TorchflError:
        code = self._process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return TorchflError(
            Problem(ORACLE_DIED, f"it ended with {how}", "run again with --resume; if it persists, report it")
        )

    def close(self) -> None:
        """End it."""
        self.connection.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _quiet_environment() -> dict[str, str]:
    """No chip is loaded by ``import torch`` alone: the zygote loads the one under test, the oracle none. One thread per
    process: two processes share the machine, and small tensors gain nothing from more."""
    return os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
