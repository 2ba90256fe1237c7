"""The process that knows what is right: ``python -m torchfl_sdk.conformance.runner.oracle_process FD JSON``.

It has torch's CPU kernels and no torchfl device: a reference never comes through the code that is judged. JSON maps op
names to their Semantics. Each ("judge", CaseSpec, Execution) is answered by (case id, Judged), each
("script", CaseSpec, where) by (case id, text of a repro script), and ("recorded", None, arguments) by
("recorded", samples from PyTorch's op_db, or the problems that stand in the way).
"""

from __future__ import annotations

import json
import signal
import sys
import warnings
from multiprocessing.connection import Connection
from typing import Any

import torch
from torchfl_sdk.conformance.oracle.semantics import Semantics
from torchfl_sdk.conformance.oracle.service import Oracle
from torchfl_sdk.conformance.report.repro import script
from torchfl_sdk.conformance.runner.protocol import Judged

from torchfl.errors import TorchflError


def main(argv: list[str]) -> int:
    """Serve until the parent closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    oracle = Oracle({op: Semantics(**values) for op, values in json.loads(argv[2]).items()})
    with Connection(int(argv[1])) as parent:
        while True:
            try:
                kind, case, extra = parent.recv()
            except EOFError:
                return 0
            if kind == "recorded":
                parent.send((kind, _recorded(extra)))
                continue
            try:
                answer = oracle.judge(case, extra) if kind == "judge" else script(oracle, case, extra)
            except Exception as error:  # a fault of the suite: it must not pass as a verdict on the chip
                text = f"the oracle failed: {type(error).__name__}: {error}"
                answer = Judged(False, text) if kind == "judge" else f"# {text}\n"
            parent.send((case.id, answer))


def _recorded(arguments: dict[str, Any]) -> Any:
    from torchfl_sdk.conformance.cases.recorded import recorded_samples

    try:
        return recorded_samples(**arguments)
    except TorchflError as error:
        return error.problems


if __name__ == "__main__":
    sys.exit(main(sys.argv))
