"""Runs a typer app and turns every way it can end into the pinned exit codes.

0 ok; 1 not passed; 2 usage or bad input; 3 chip known but unbuilt, or driver absent; 4 incomplete;
70 internal error; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from torchfl.errors import Place, Problem, TorchflError, register

OK, NOT_PASSED, BAD_INPUT, NOT_READY, INCOMPLETE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130

TFL1070 = register("TFL1070", "an internal error of torchfl: please report it", INTERNAL)
BAD_USAGE = register("TFL1071", "a command or option is unknown, missing or has a value that it cannot have", BAD_INPUT)
BAD_FILE = register("TFL1073", "a file or folder that a command needs cannot be read or written", BAD_INPUT)


def run(app: Callable[..., object], program: str) -> NoReturn:
    """Run ``app`` as ``program`` on ``sys.argv`` and exit; never returns."""
    try:
        code: object = app(prog_name=program, standalone_mode=False) or OK
    except SystemExit as e:
        code = e.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`torchfl ops | head`): say nothing, and keep Python's own flush quiet too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except Exception as e:
        code = INTERRUPTED if _is(e, "Abort") else report(e)
    sys.exit(code)  # type: ignore[arg-type]  # whatever SystemExit carried


def report(error: Exception) -> int:
    """Print an error to stderr as users should see it, and return its exit code."""
    if os.environ.get("TORCHFL_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, TorchflError):
        print(error, file=sys.stderr)
        return error.exit_code
    if _is(error, "UsageError"):
        return _report_usage(error)
    if isinstance(error, OSError) and error.filename is not None:
        print(Problem(BAD_FILE, error.strerror or str(error), "check the path", Place(error.filename)), file=sys.stderr)
        return BAD_INPUT
    cause = " ".join(f"{type(error).__name__}: {error}".split())
    print(
        f"{TFL1070} internal error: {cause}; fix: report this line and the command (TORCHFL_DEBUG=1 shows where)",
        file=sys.stderr,
    )
    return INTERNAL


def _is(error: Exception, name: str) -> bool:
    """Whether this is click's error of that name: typer carries a click of its own, or takes the one that is there."""
    return any(base.__name__ == name and "click" in base.__module__ for base in type(error).__mro__)


def _report_usage(error: Any) -> int:
    text, context = error.format_message(), error.ctx
    if _is(error, "NoArgsIsHelpError"):  # its text is the help
        print(text, file=sys.stderr)
        return BAD_INPUT
    command = context.command_path if context is not None else "torchfl"
    if context is not None:
        print(context.get_usage(), file=sys.stderr)
    print(Problem(BAD_USAGE, text.rstrip("."), f"{command} --help", where=command), file=sys.stderr)
    return BAD_INPUT
