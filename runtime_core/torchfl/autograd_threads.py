"""Ending a process in which backward has run on a device.

PyTorch runs backward of an accelerator's ops in threads of its own ("pt_autograd_0"). When such a thread has finished a
backward it drops the last references to it, and some of those are Python objects, for which it needs the GIL. If the
interpreter is being torn down by then, Python ends the thread in the middle of a C++ destructor, and the process aborts
("terminate called without an active exception") after a script that did everything right. So exit waits for them.
"""

from __future__ import annotations

import time
from pathlib import Path

_TASKS = Path("/proc/self/task")
_QUIET_ROUNDS = 3


def _states() -> list[str]:
    """The scheduler states of the autograd threads: "R" runs or wants to, "S" sleeps..."""
    states = []
    for task in _TASKS.iterdir() if _TASKS.is_dir() else ():
        try:
            if (task / "comm").read_text().startswith("pt_autograd"):
                states.append((task / "stat").read_text().rpartition(")")[2].split()[0])
        except OSError:  # the thread has ended meanwhile
            continue
    return states


def wait(limit: float = 2.0) -> None:
    """Returns when every autograd thread sleeps and has had the GIL for the asking, or after ``limit`` seconds.

    Sleeping gives up the GIL, so that a thread that wants it gets on; one that sleeps in several rounds waits for work.
    """
    deadline = time.monotonic() + limit
    quiet = 0
    while quiet < _QUIET_ROUNDS and time.monotonic() < deadline:
        states = _states()
        if not states:
            return
        quiet = quiet + 1 if all(state == "S" for state in states) else 0
        time.sleep(0.002)
