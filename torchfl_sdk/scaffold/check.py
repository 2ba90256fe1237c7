"""The compile-only check of a project that was just written: does it compile against the vendor's header?"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from torchfl_sdk.build.paths import build_paths
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.header.toolchain import system_include_dirs
from torchfl_sdk.scaffold.plan import ChipPlan

_ERROR = re.compile(r"^(.+?):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", re.MULTILINE)
#: Seconds after which the compiler is stopped.
_LIMIT = 120
_SHOWN = 5


@dataclass(frozen=True)
class Check:
    """``verdict`` for people; ``errors`` in the generated files, which are ours to mend; both empty if not checked."""

    verdict: str = ""
    errors: tuple[str, ...] = ()


def check_project(project: Path, plan: ChipPlan) -> Check:
    """Compile every source of the chip library, without writing anything. Never raises for what the compiler says."""
    compiler = find_compiler()
    if compiler is None:
        return Check("not checked: no C++ compiler here")
    project = project.resolve()
    source = project / "src"
    files = sorted(f for f in source.glob("*.cpp") if not f.name.endswith("_module.gen.cpp"))
    folders = [f.replace("${CMAKE_CURRENT_SOURCE_DIR}", str(project)) for f in plan.include_dirs]
    command = [
        compiler,
        f"-std=c++{plan.standard}",
        "-fsyntax-only",
        "-I",
        str(source),
        "-I",
        str(build_paths().torchfl),
    ]
    # A folder that the compiler searches by itself keeps its place: C++'s own headers come before the C library's.
    own = set(system_include_dirs("c++"))
    command += [word for f in folders if os.path.normpath(f) not in own for word in ("-isystem", f)]
    command += [f"-D{d}" for d in plan.defines] + [str(f) for f in files]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_LIMIT, check=False, cwd=project
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        return Check(f"not checked: {type(e).__name__} of {compiler}")
    if done.returncode == 0:
        return Check(f"compiles against the header, by {Path(compiler).name}")
    found = [(file, f"{file}:{line}: {text}") for file, line, text in _ERROR.findall(done.stderr)]
    lines = [text for _, text in found] or done.stderr.strip().splitlines() or [f"{compiler} failed without a word"]
    ours = [text for file, text in found if Path(file).resolve().is_relative_to(source.resolve())]
    where = "the generated code" if ours or not found else "the vendor's header"
    shown = "\n  ".join([*lines[:_SHOWN], *_advice(plan.includes.missing)])
    return Check(f"does not compile: {len(lines)} errors, in {where}\n  {shown}", tuple(ours))


def _advice(missing: tuple[str, ...]) -> list[str]:
    """What to do where the header's own includes are not there: C++ is often more than a stand-in can be."""
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return [f"fix: add the folders of {', '.join(missing[:_SHOWN])}{more} with -I"] if missing else []
