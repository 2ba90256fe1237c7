"""Writes small vendor headers for the reader's and the matcher's tests."""

from __future__ import annotations

from pathlib import Path

from torchfl import catalogue
from torchfl_sdk.header import HeaderModel, read_headers
from torchfl_sdk.match import MatchResult, match

REPOSITORY = Path(__file__).resolve().parent.parent
X1_HEADER = REPOSITORY / "chips" / "x1" / "sdk" / "include" / "x1_runtime.h"
CBLAS = Path("/usr/include/x86_64-linux-gnu/openblas-pthread/cblas.h")


def header(folder: Path, text: str, name: str = "acme.h") -> Path:
    """A header with this text in the folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, text: str, **options: object) -> HeaderModel:
    """The model of a header with this text."""
    return read_headers([header(folder, text)], **options)  # type: ignore[arg-type]


def matched(folder: Path, text: str) -> MatchResult:
    """The match of a header with this text against the whole catalogue."""
    return match(read(folder, text), catalogue.OPS)


def cpp(folder: Path, text: str) -> MatchResult:
    """The match of a header whose name says C++."""
    return match(read_headers([header(folder, text, "acme.hpp")]), catalogue.OPS)


def ops(result: MatchResult) -> dict[str, str]:
    """The op of each matched function."""
    return {m.function: m.aten for m in result.matches}


def arguments(result: MatchResult, function: str) -> dict[str, str]:
    """The role of each argument of a matched function, by name."""
    return next(dict(m.arguments) for m in result.matches if m.function == function)


def reason(result: MatchResult, function: str) -> str:
    """Why a function is unbound; fails the test if it is not."""
    found = [u.reason for u in result.unbound if u.function == function]
    assert len(found) == 1, f"{function} stands {len(found)} times among the unbound functions"
    return found[0]


def roles(result: MatchResult, op: str, call: int = 0) -> list[str]:
    """The roles of a binding's arguments in C order."""
    binding = result.binding(op)
    assert binding is not None, f"{op} is not bound: {[u.reason for u in result.unbound]}"
    return [a.role for a in binding.calls[call].arguments]
