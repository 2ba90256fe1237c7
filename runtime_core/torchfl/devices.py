"""Finding chips: which profiles are visible, and which of them a selector means. Needs no torch.

Folders are looked at in this order: the caller's (``--chip-dir``), ``TORCHFL_DEVICE_DIR`` (separated by
``os.pathsep``), installed packages with an entry point in ``torchfl.chips``; for the command line also ``./`` and
``./*/``. Each is searched by itself, not below. ``TORCHFL_VISIBLE`` (selectors without index, separated by
commas) narrows the result.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register
from torchfl.profile import Profile, load_profile
from torchfl.profile.load import PROFILE_SUFFIXES, chip_of_file

NO_PROFILE = register("TFL0201", "no chip profile was found")
AMBIGUOUS = register("TFL0202", "two profiles describe one chip")
UNKNOWN_CHIP = register("TFL0203", "no profile describes the chip that was asked for")
NOT_BUILT = register("TFL0204", "a chip has a profile, and its library is not built", 3)
BAD_SELECTOR = register("TFL0205", "a device selector is malformed")
NO_FOLDER = register("TFL0206", "a chip folder does not exist")

_VARIABLE = "TORCHFL_DEVICE_DIR"
_SELECTOR = re.compile(r"([a-z][a-z0-9_]*):([A-Za-z0-9][A-Za-z0-9_.-]*)(?::([0-9]{1,6}))?", re.ASCII)


@dataclass(frozen=True)
class Selector:
    """``family:chip[:index]``; ``index`` is the chip's own device index, None where not given."""

    family: str
    chip: str
    index: int | None = None

    @property
    def device_type(self) -> str:
        """The selector without its index, as profiles spell it."""
        return f"{self.family}:{self.chip}"

    def __str__(self) -> str:
        return self.device_type if self.index is None else f"{self.device_type}:{self.index}"


@dataclass(frozen=True)
class FoundChip:
    """A profile file that was found. ``profile`` is None where it does not load, and ``error`` says why."""

    selector: str
    dir: Path
    path: Path
    profile: Profile | None
    error: TorchflError | None = None

    @property
    def chip(self) -> str:
        """The part of the selector after the family."""
        return self.selector.partition(":")[2]

    @property
    def built(self) -> bool:
        """Whether the chip library exists."""
        return self.profile is not None and self.profile.chip_library.is_file()


def parse_selector(text: str) -> Selector:
    """Read ``family:chip[:index]``. Raises TorchflError (TFL0205)."""
    match = _SELECTOR.fullmatch(text)
    if not match or match.group(2).isdecimal():
        example = f"xpu:{text}" if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", text) else "xpu:x1 or xpu:x1:0"
        raise TorchflError(Problem(BAD_SELECTOR, f"'{text}' is not of the form family:chip[:index]", example))
    index = match.group(3)
    return Selector(match.group(1), match.group(2), int(index) if index else None)


def search_dirs(
    extra_dirs: Iterable[str | Path] = (), cli: bool = False, passed_over: list[Problem] | None = None
) -> tuple[Path, ...]:
    """The folders that :func:`find_chips` looks at, in order; a folder that two ways lead to stands once.

    Raises TorchflError (TFL0206) for a folder that was named and does not exist. Where ``passed_over`` is given, that
    is said there of those in ``TORCHFL_DEVICE_DIR``, and the others are looked at.
    """
    named = [(Path(d), "--chip-dir" if cli else "chip_dirs") for d in extra_dirs]
    variable = os.environ.get(_VARIABLE, "")
    named += [(Path(part), _VARIABLE) for part in variable.split(os.pathsep) if part]
    missing = [
        Problem(NO_FOLDER, f"No device YAML found in {folder}: it is not a folder", "correct the path", where=where)
        for folder, where in named
        if not folder.is_dir()
    ]
    if passed_over is not None:
        passed_over += [problem for problem in missing if problem.where == _VARIABLE]
        missing = [problem for problem in missing if problem.where != _VARIABLE]
    if missing:
        raise TorchflError(missing)
    folders = [folder for folder, where in named if where != _VARIABLE or folder.is_dir()] + _installed()
    if cli:
        here = Path()
        below = (p for p in here.glob("*/") if p.is_dir() and not p.name.startswith("."))
        folders += [here, *sorted(below)]
    out: dict[Path, Path] = {}
    for folder in folders:
        out.setdefault(folder.resolve(), folder)
    return tuple(out.values())


def _installed() -> list[Path]:
    """Folders of installed chip packages. The entry point names a package; it is located, never imported.

    Finding ``a.b`` imports ``a``, which may fail in any way; such a package has no chip for us.
    """
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    out = []
    for entry in sorted(entry_points(group="torchfl.chips"), key=lambda e: e.name):
        try:
            spec = find_spec(entry.module)
        except Exception:
            continue
        places = list(spec.submodule_search_locations or ()) if spec else []
        out += [Path(place) for place in places if Path(place).is_dir()]
    return out


def find_chips(
    extra_dirs: Iterable[str | Path] = (), cli: bool = False, passed_over: list[Problem] | None = None
) -> tuple[FoundChip, ...]:
    """Every visible chip, sorted by chip name; a profile that does not load comes with its error.

    What the command line finds at hand (``./`` and ``./*/``) yields to a chip of the same name in a named folder.

    Raises TorchflError: TFL0206 for a named folder that does not exist or cannot be read (as in :func:`search_dirs`,
    of which ``passed_over`` is an argument), TFL0202 for two profiles of one device_type, TFL0205 for a malformed
    ``TORCHFL_VISIBLE``.
    """
    found: dict[Path, FoundChip] = {}
    extra_dirs = tuple(extra_dirs)
    given = {Path(d) for d in extra_dirs}
    for folder in search_dirs(extra_dirs, cli, passed_over):
        for path in _files(folder, None if folder in given else passed_over):
            if path.name.endswith(PROFILE_SUFFIXES) and path.is_file() and path.resolve() not in found:
                found[path.resolve()] = _open(path, folder)
    chips = sorted(found.values(), key=lambda c: (c.chip, c.selector, str(c.path)))
    if cli:
        named = {folder.resolve() for folder in search_dirs(extra_dirs)}
        known = {c.selector for c in chips if c.dir.resolve() in named}
        chips = [c for c in chips if c.dir.resolve() in named or c.selector not in known]
    _check_distinct(chips)
    return tuple(_visible(chips))


def _files(folder: Path, passed_over: list[Problem] | None) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        problem = Problem(NO_FOLDER, f"{folder} cannot be listed: {error.strerror}", "let this user read it")
        if passed_over is None:
            raise TorchflError(problem) from None
        passed_over.append(problem)
        return []


def _open(path: Path, folder: Path) -> FoundChip:
    try:
        profile = load_profile(path)
    except TorchflError as error:
        return FoundChip(f"xpu:{chip_of_file(path)}", folder, path, None, error)
    return FoundChip(profile.device_type, folder, path, profile)


def _check_distinct(chips: Sequence[FoundChip]) -> None:
    first: dict[str, FoundChip] = {}
    problems = []
    for chip in chips:
        if chip.profile is None:
            continue
        other = first.setdefault(chip.selector, chip)
        if other is not chip:
            cause = f"{chip.selector} is described by {other.path} and by {chip.path}"
            problems.append(Problem(AMBIGUOUS, cause, "rename one, or name fewer folders", Place(str(chip.path))))
    if problems:
        raise TorchflError(problems)


def _visible(chips: Iterable[FoundChip]) -> list[FoundChip]:
    text = os.environ.get("TORCHFL_VISIBLE")
    if text is None:
        return list(chips)
    wanted = [parse_selector(part.strip()) for part in text.split(",") if part.strip()]
    indexed = [selector for selector in wanted if selector.index is not None]
    if indexed:
        cause = f"TORCHFL_VISIBLE chooses chips, and '{indexed[0]}' names one device"
        raise TorchflError(Problem(BAD_SELECTOR, cause, indexed[0].device_type))
    keep = {selector.device_type for selector in wanted}
    return [chip for chip in chips if chip.selector in keep]


def no_profile_problem(searched: Sequence[Path]) -> Problem:
    """What to say where no profile was found at all."""
    folders = ", ".join(str(folder) for folder in searched) or "any folder (TORCHFL_DEVICE_DIR is not set)"
    visible = os.environ.get("TORCHFL_VISIBLE")
    if visible is not None:
        cause = f"No device YAML found in {folders} of a chip that TORCHFL_VISIBLE='{visible}' names"
        return Problem(NO_PROFILE, cause, "correct TORCHFL_VISIBLE, or unset it to see every chip")
    return Problem(
        NO_PROFILE,
        f"No device YAML found in {folders}",
        "set TORCHFL_DEVICE_DIR to the folder of NAME_device.yaml, or make one with torchfl new-chip",
    )


def select(sel: str, chips: Sequence[FoundChip], searched: Sequence[Path] | None = None) -> FoundChip:
    """The chip that ``family:chip[:index]`` means.

    Raises TorchflError: TFL0205 (malformed), TFL0201 (no chips; ``searched`` are the folders to name), TFL0203
    (unknown chip), or the chip's own error where its profile does not load.
    """
    selector = parse_selector(sel)
    if not chips:
        raise TorchflError(no_profile_problem(search_dirs() if searched is None else searched))
    matching = [chip for chip in chips if chip.selector == selector.device_type]
    for chip in matching:
        if chip.profile is not None:
            return chip
    if matching and matching[0].error:
        raise matching[0].error
    known = [chip.selector for chip in chips]
    near = did_you_mean(selector.device_type, known)
    cause = f"no profile describes {selector.device_type}; found: {', '.join(known)}"
    raise TorchflError(Problem(UNKNOWN_CHIP, cause, near or "name one of them, or set TORCHFL_DEVICE_DIR"))


def require_built(chip: FoundChip) -> Path:
    """The path of the chip's library. Raises TorchflError with exit code 3 (TFL0204) and the command that builds it."""
    if chip.profile is None:
        raise chip.error or AssertionError("a chip without profile has an error")
    library = chip.profile.chip_library
    if not library.is_file():
        cause = f"{chip.selector} has a profile, and {library} is not built"
        raise TorchflError(Problem(NOT_BUILT, cause, f"torchfl-build {chip.dir}", Place(str(chip.path))))
    return library
