"""Runs a typer app and turns every way it can end into the pinned exit codes.

0 ok; 1 not passed; 2 usage or bad input; 3 chip known but unbuilt, or driver absent; 4 incomplete;
70 internal error; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn

from torchfl.errors import TorchflError, register

OK, NOT_PASSED, BAD_INPUT, NOT_READY, INCOMPLETE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130

TFL1070 = register("TFL1070", "an internal error of torchfl: please report it", INTERNAL)


def run(app: Callable[..., object], program: str) -> NoReturn:
    """Run ``app`` as ``program`` on ``sys.argv`` and exit; never returns."""
    try:
        app(prog_name=program)
        code: object = OK
    except SystemExit as e:
        code = e.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`torchfl ops | head`): say nothing, and keep Python's own flush quiet too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except Exception as e:
        code = report(e)
    sys.exit(code)  # type: ignore[arg-type]  # whatever SystemExit carried


def report(error: Exception) -> int:
    """Print an error to stderr as users should see it, and return its exit code."""
    if os.environ.get("TORCHFL_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, TorchflError):
        print(error, file=sys.stderr)
        return error.exit_code
    if isinstance(error, OSError) and error.filename is not None:
        print(f"torchfl: {error.filename}: {error.strerror}", file=sys.stderr)
        return BAD_INPUT
    cause = " ".join(f"{type(error).__name__}: {error}".split())
    print(
        f"{TFL1070} internal error: {cause}; fix: report this line and the command (TORCHFL_DEBUG=1 shows where)",
        file=sys.stderr,
    )
    return INTERNAL
