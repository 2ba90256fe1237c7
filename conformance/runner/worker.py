"""The process that owns the device: it runs case after case and journals the begin and end of each.

The journal is written with one unbuffered append per line, so that what a crash leaves behind is whole.
"""

from __future__ import annotations

import faulthandler
import os
import time
import traceback
from multiprocessing.connection import Connection

from torchfl_sdk.conformance.runner.journal import Journal
from torchfl_sdk.conformance.runner.protocol import Executor

from torchfl.errors import TorchflError


def serve(fd: int, executor: Executor, journal_path: str) -> int:
    """Answer the parent's messages until it closes the connection; gives the exit code.

    Messages: ("info",), ("run", CaseSpec) and ("beyond", CaseSpec), which is no case of the run and not journalled.
    """
    _die_with_parent()
    journal = Journal(journal_path)
    log = os.open(journal_path + ".stderr", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.enable(log)
    with Connection(fd) as parent:
        while True:
            try:
                message = parent.recv()
            except EOFError:
                return 0
            if message[0] == "info":
                try:
                    parent.send(("info", executor.info()))
                except TorchflError as error:
                    parent.send(("failed", "TorchflError", str(error)))
                except Exception as error:
                    parent.send(("failed", type(error).__name__, str(error)))
                continue
            case = message[1]
            if message[0] == "beyond":
                parent.send(("beyond", executor.beyond(case)))
                continue
            started = time.monotonic()
            journal.write({"event": "begin", "case": case.id, "name": case.name, "pid": os.getpid()})
            try:
                execution = executor.run(case)
            except Exception as error:  # the device is in no state to go on with; say why before ending
                traceback.print_exc()
                first = str(error).partition("\n")[0]
                parent.send(("died", case.id, f"{type(error).__name__}: {first}"))
                return 1
            journal.write({"event": "end", "case": case.id, "seconds": round(time.monotonic() - started, 4)})
            parent.send(("ran", case.id, execution))


def _die_with_parent() -> None:
    """Ask Linux to kill this process when the zygote ends, so that no worker outlives a run."""
    import ctypes
    import signal

    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
