"""Chips that come with torchfl: profiles, and the simulated vendor SDKs that stand in for boards.

A simulated SDK is plain C under ``<chip>/sdk``: the vendor's header in ``include``, the sources in ``src``.
:func:`compile_sdk` builds one into what a vendor would ship. :func:`mutants` and :func:`variants` list the
builds of it that are wrong, or right in another way; see ``README.md`` beside this file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register

__all__ = ["Mutant", "compile_sdk", "mutants", "simulated_sdks", "variants"]

NO_SDK = register("TFL0580", "no simulated SDK of this name")
NO_COMPILER = register("TFL0581", "no C compiler")
SDK_BUILD_FAILED = register("TFL0582", "a simulated SDK does not compile")
SDK_OUT = register("TFL0583", "the folder for a simulated SDK cannot be written")

_ROOT = Path(__file__).resolve().parent

#: -ffp-contract=off: every rounding is the one in the source; a fused multiply-add is a declared variant.
#: -fwrapv: the board's integers wrap around.
_FLAGS = ("-std=c11", "-O3", "-fno-math-errno", "-ffp-contract=off", "-fwrapv", "-fPIC", "-fvisibility=hidden")

_ENTRY = re.compile(
    r"/\* (?P<kind>mutant|variant): (?P<name>\w+)\n"
    r" \* ops: (?P<ops>[^*]+(?:\n \*      [^*]+)*)\n"
    r" \* (?:wrong|right): (?P<text>[^*]+) \*/\n"
    r"#ifndef (?P<define>\w+)\n"
)


@dataclass(frozen=True)
class Mutant:
    """One changed build of a simulated SDK.

    ``define`` is what :func:`compile_sdk` takes in ``defines``; ``ops`` are the catalogue ops whose results
    change; ``effect`` is one sentence. ``right`` is False for a chip that the release gate must fail and True
    for one that computes differently but correctly, which it must pass.
    """

    chip: str
    name: str
    define: str
    ops: tuple[str, ...]
    effect: str
    right: bool


def simulated_sdks() -> tuple[str, ...]:
    """Names of the chips that have a simulated SDK, sorted."""
    return tuple(sorted(path.parent.parent.name for path in _ROOT.glob("*/sdk/src") if any(path.glob("*.c"))))


def compile_sdk(name: str, out: Path, *, cc: str | None = None, defines: Sequence[str] = ()) -> Path:
    """Build a simulated SDK into ``out/include`` and ``out/lib``, as a vendor would ship it. Returns ``out``.

    ``cc`` is the C compiler (default: ``$CC``, then cc, gcc, clang). ``defines`` are macros to set, such as
    ``Mutant.define``. Files that exist are replaced, each in one step; a failed build leaves ``out`` as it was.

    Raises TorchflError: no such SDK, no compiler, sources that do not compile, a folder that cannot be written.
    """
    sdk = _sdk(name)
    out = Path(out)
    with tempfile.TemporaryDirectory(prefix=f"torchfl-sdk-{name}-") as scratch:
        library = Path(scratch) / f"lib{name}.so"
        _compile(_compiler(cc), sdk, library, defines)
        try:
            for header in sorted((sdk / "include").iterdir()):
                _install(header, out / "include" / header.name)
            _install(library, out / "lib" / library.name)
        except OSError as error:
            raise TorchflError(
                Problem(SDK_OUT, f"{error.strerror}", "choose another --out", Place(str(error.filename or out)), "out")
            ) from error
    return out


def mutants(chip: str = "x1") -> tuple[Mutant, ...]:
    """The builds of a simulated SDK that are wrong in one way each, in the order of its ``mutants.h``."""
    return tuple(m for m in _changed_builds(chip) if not m.right)


def variants(chip: str = "x1") -> tuple[Mutant, ...]:
    """The builds that are right but compute differently: another summation order, fused multiply-add."""
    return tuple(m for m in _changed_builds(chip) if m.right)


def _changed_builds(chip: str) -> list[Mutant]:
    source = _sdk(chip) / "src" / "mutants.h"
    if not source.exists():
        return []
    return [
        Mutant(
            chip=chip,
            name=entry["name"],
            define=entry["define"],
            ops=tuple(word for word in entry["ops"].split() if word != "*"),
            effect=entry["text"],
            right=entry["kind"] == "variant",
        )
        for entry in _ENTRY.finditer(source.read_text())
    ]


def _sdk(name: str) -> Path:
    known = simulated_sdks()
    if name in known:
        return _ROOT / name / "sdk"
    near = did_you_mean(name, known)
    fix = f"'{near}'" if near else f"one of {', '.join(known)}"
    raise TorchflError(Problem(NO_SDK, f"there is no simulated SDK '{name}'", fix, where="name"))


def _compiler(cc: str | None) -> list[str]:
    """The compiler as a command: ``$CC`` may carry arguments (``ccache gcc``)."""
    asked = cc or os.environ.get("CC")
    for candidate in [asked] if asked else ["cc", "gcc", "clang"]:
        words = candidate.split()
        if words and shutil.which(words[0]):
            return words
    cause = f"'{asked}' is not a program" if asked else "neither cc, gcc nor clang is on PATH"
    raise TorchflError(Problem(NO_COMPILER, cause, "install gcc or clang, or set CC", where="CC"))


def _compile(cc: list[str], sdk: Path, library: Path, defines: Sequence[str]) -> None:
    sources = [str(path) for path in sorted((sdk / "src").glob("*.c"))]
    macros = [f"-D{define}" for define in defines]
    soname = f"-Wl,-soname,{library.name}"
    command = [*cc, *_FLAGS, *macros, f"-I{sdk / 'include'}", "-shared", soname, "-o", str(library), *sources]
    done = subprocess.run([*command, "-lm", "-lpthread"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not library.exists():
        first = next((line for line in done.stderr.splitlines() if "error" in line), f"exit code {done.returncode}")
        raise TorchflError(
            Problem(SDK_BUILD_FAILED, f"{cc[0]} failed: {first}", "try another compiler with CC=...", Place(str(sdk)))
        )


def _install(source: Path, target: Path) -> None:
    """Copy beside the target, then rename: nobody ever sees half a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, partial)
        partial.chmod(0o644)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
