"""The process that workers are forked from: it has torch, the core and the chip libraries loaded, runs no op and makes
no driver call, because neither drivers nor OpenMP's and autograd's threads survive a fork.

Run as ``python -m torchfl_sdk.conformance.runner.zygote FD EXECUTOR [JSON]``. FD is a SOCK_SEQPACKET socket; each
"fork" packet carries one connected socket for the worker, and is answered by its process id; "reap PID" is answered by
the raw wait status. EXECUTOR is "module:factory"; the factory gets the JSON object as keyword arguments.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from torchfl_sdk.conformance.runner.protocol import Executor


def main(argv: list[str]) -> int:
    """Serve until the parent closes its end."""
    control = socket.socket(fileno=int(argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when a run ends
    try:
        executor = _executor(argv[2], json.loads(argv[3]) if len(argv) > 3 else {})
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        control.send(json.dumps({"failed": text[:60000], "exit_code": getattr(error, "exit_code", 70)}).encode())
        return 1
    control.send(b'{"ready": true}')
    while True:
        packet, fds, _, _ = socket.recv_fds(control, 4096, 1)
        if not packet:
            return 0
        word, _, rest = packet.decode().partition(" ")
        if word == "fork":
            pid = os.fork()
            if pid == 0:
                control.close()
                _worker(fds[0], executor, rest)
            os.close(fds[0])
            control.send(json.dumps({"pid": pid}).encode())
        elif word == "reap":
            control.send(json.dumps({"status": os.waitpid(int(rest), 0)[1]}).encode())


def _executor(name: str, options: dict[str, Any]) -> Executor:
    module, _, factory = name.partition(":")
    make: Callable[..., Executor] = getattr(importlib.import_module(module), factory)
    return make(**options)


def _worker(fd: int, executor: Executor, journal: str) -> None:
    """Never returns: what the zygote has on its stack is not the worker's to unwind."""
    from torchfl_sdk.conformance.runner.worker import serve

    code = 1
    with contextlib.suppress(BaseException):
        code = serve(fd, executor, journal)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
