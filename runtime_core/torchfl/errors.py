"""The project's one error form: a stable code, the place, what was expected, and the fix.

Every code stands in :data:`CODES`; ``docs/errors.md`` is generated from it and a test raises each one.
Rendered: ``TFL0312 chips/acme.yaml:14:9  supported_ops[2].dtype_support: unknown dtype 'flaot16'; fix: float16``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: code -> (one-line meaning, exit code of the command line)
CODES: dict[str, tuple[str, int]] = {}


def register(code: str, meaning: str, exit_code: int = 2) -> str:
    """Declare an error code once; two meanings for one code are a programming error."""
    if code in CODES and CODES[code][0] != meaning:
        raise AssertionError(f"error code {code} has two meanings")
    CODES[code] = (meaning, exit_code)
    return code


@dataclass(frozen=True)
class Place:
    """Where an error was found: a file, and a line and column (both from 1) where they are known."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file] + [str(n) for n in (self.line, self.column) if n]
        return ":".join(p for p in parts if p)


@dataclass(frozen=True)
class Problem:
    """One finding. ``where`` is the key or argument, ``cause`` says what is wrong and what was expected."""

    code: str
    cause: str
    fix: str = ""
    place: Place = Place()
    where: str = ""

    def __str__(self) -> str:
        head = f"{self.code} {self.place}  " if str(self.place) else f"{self.code} "
        where = f"{self.where}: " if self.where else ""
        fix = f"; fix: {self.fix}" if self.fix else ""
        return f"{head}{where}{self.cause}{fix}"


class TorchflError(Exception):
    """Bad input or a failed step, with every finding at once. ``exit_code`` is what the command line returns."""

    def __init__(self, problems: Problem | Iterable[Problem], exit_code: int | None = None) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        if not self.problems:
            raise AssertionError("an error needs at least one problem")
        known = CODES.get(self.problems[0].code)
        self.exit_code = exit_code if exit_code is not None else (known[1] if known else 2)
        super().__init__("\n".join(str(p) for p in self.problems))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest known word, or ``""``; used for the fix of an unknown name."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return near[0] if near else ""


def cause_of(error: Exception) -> str:
    """What an error says of the file or the data that it met, for people."""
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename is not None else ""
        return f"{name}{error.strerror or error}"
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    return f"it is not well formed ({error})"


class TorchflWarning(UserWarning):
    """Part of torchfl cannot be used; PyTorch and the rest can."""
