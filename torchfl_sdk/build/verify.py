"""What a built chip library must and must not be, checked in its ELF file before it is put in place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.build.elf import NotElf, read_dynamic
from torchfl_sdk.build.errors import BAD_LIBRARY

ENTRY = "torchfl_chip_v1"

#: Beginnings of undefined symbols that only Python or torch provide (torch's are mangled C++ namespaces).
_FOREIGN = (
    (("Py", "_Py"), "Python"),
    (("_ZN3c10", "_ZNK3c10", "_ZN2at", "_ZNK2at", "_ZN5torch", "_ZNK5torch", "aoti_torch_"), "torch"),
)
_FOREIGN_LIBRARIES = ("libpython", "libtorch", "libc10")


def verify_chip_library(path: Path, libraries: Iterable[str]) -> None:
    """Raise TorchflError TFL0505 with every broken rule: one export, no vendor library, no Python, no torch.

    ``libraries`` are the profile's texts; only their file names are used, so an unset variable does no harm.
    """
    place = Place(str(path))
    try:
        info = read_dynamic(path)
    except NotElf as e:
        raise TorchflError(Problem(BAD_LIBRARY, str(e), place=place)) from e
    problems = []
    if ENTRY not in info.exported:
        fix = f"src/*_chip.gen.cpp defines it; is it in CMakeLists.txt, with default visibility? {ENTRY} is C, not C++"
        problems.append(Problem(BAD_LIBRARY, f"does not export {ENTRY}()", fix, place))
    vendors = {_stem(library) for library in libraries} - {""}
    for needed in info.needed:
        if _stem(needed) in vendors:
            cause = f"is linked with the vendor's {needed}; it must be opened at run time"
            problems.append(Problem(BAD_LIBRARY, cause, "take it out of target_link_libraries", place))
        if needed.startswith(_FOREIGN_LIBRARIES):
            cause = f"is linked with {needed}; a chip library needs neither torch nor Python"
            problems.append(Problem(BAD_LIBRARY, cause, "keep that code in a module of its own", place))
    for starts, owner in _FOREIGN:
        names = sorted(s for s in info.undefined if s.startswith(starts))
        if names:
            cause = f"uses {owner}: {', '.join(names[:3])}{', ...' if len(names) > 3 else ''}"
            problems.append(Problem(BAD_LIBRARY, cause, f"a chip library needs no {owner}", place))
    if problems:
        raise TorchflError(problems)


def _stem(library: str) -> str:
    """``$LIB_PATH/libx1.so.1`` -> ``libx1``."""
    return library.rsplit("/", 1)[-1].split(".so", 1)[0]
