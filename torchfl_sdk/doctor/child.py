"""The part of doctor that enters a driver: runs in a process of its own, because a driver may crash or hang.

``python -m torchfl_sdk.doctor.child STAGES REPORT PROFILE``: appends one JSON object per line to REPORT, a ``begin``
before each step and a ``check`` for each finding, so that the parent knows where a process died.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from torchfl.profile import Profile, load_profile
from torchfl_sdk import abi
from torchfl_sdk.doctor.model import ERROR, OK, WARN, Check

ROUND_TRIP_BYTES = 4096 + 7  # an odd size: a driver that rounds down shows it


def check_library(profile: Profile) -> Iterator[Check]:
    """Library, entry points, vendor symbols, devices and a round trip of bytes; needs no torch."""
    begin("loading the chip library")
    try:
        chip = abi.ChipLibrary(Path(profile.chip_library))
    except OSError as e:
        yield Check("library", ERROR, f"Failed to load {Path(profile.chip_library).name}: {e}", _rebuild(profile))
        return
    yield Check("library", OK, f"{Path(profile.chip_library).name}: chip ABI {chip.abi[0]}.{chip.abi[1]}")

    slots = chip.slots()
    present = [name for name, address in slots.items() if address]
    absent = [name for name, address in slots.items() if not address]
    needed = [e.name for e in abi.entry_points() if e.required and not slots[e.name]]
    if needed:
        yield Check(
            "entry points", ERROR, f"the chip lacks {', '.join(needed)}, which torchfl needs", _rebuild(profile)
        )
        return
    without = f"; without {', '.join(absent)}" if absent else ""
    yield Check("entry points", OK, f"{len(present)} of {len(slots)} device functions: {', '.join(present)}{without}")

    begin("opening the vendor's library")
    libraries = profile.libraries
    runtime = " ".join(libraries)
    name = " and ".join(Path(library).name for library in libraries) or "the process itself"
    status = chip.call("open", profile.runtime_so.encode())
    if status != abi.OK:
        yield _not_opened(libraries, chip.error() or abi.STATUSES[status])
        return
    yield Check("runtime", OK, f"{runtime} opens")
    yield from _symbols(chip, name, runtime)

    begin("initialising the driver")
    status = chip.call("init")
    if status == abi.MISSING_SYMBOL:
        yield _undefined(runtime, name, chip.error())
        return
    if status != abi.OK:
        yield _failed(chip, "init", status)
        return
    begin("counting devices")
    count = ctypes.c_int32()
    status = chip.call("device_count", ctypes.byref(count))
    if status != abi.OK:
        yield _failed(chip, "device_count", status)
        return
    if count.value < 1:
        yield Check("devices", ERROR, "the driver finds no device", "connect one, or load its kernel driver", "", 3)
        return
    yield Check("devices", OK, f"{count.value} device{'s' if count.value > 1 else ''}{_device_name(chip, slots)}")
    yield from _round_trip(chip, slots)


def check_native(profile: Profile) -> Iterator[Check]:
    """One op through PyTorch, counted as native."""
    from torchfl_sdk.doctor.native import one_op

    yield from one_op(profile, begin)


def begin(step: str) -> None:
    """Say what is about to be entered, so that a crash can be placed."""
    emit({"begin": step})


def emit(line: dict[str, object]) -> None:
    with Path(sys.argv[2]).open("a") as report:
        report.write(json.dumps(line) + "\n")


def _symbols(chip: abi.ChipLibrary, name: str, runtime: str) -> Iterator[Check]:
    found = chip.symbols()
    missing = [symbol for symbol, there in found.items() if not there]
    if not missing:
        yield Check("symbols", OK, f"all {len(found)} vendor functions found")
    for symbol in missing:
        users = sorted({k.op for k in chip.kernels() if symbol in k.symbols})
        cost = f"{', '.join(users)} will not run on the chip" if users else "used by no kernel"
        yield Check("symbols", WARN, f"{name} has no symbol {symbol}: {cost}", f"nm -D {runtime} | grep {symbol}")


def _not_opened(libraries: Sequence[str], why: str) -> Check:
    for library in libraries:
        if not Path(library).exists() and "/" in library:
            cause = f"Failed to load {Path(library).name}: no such file {library}"
            return Check("runtime", ERROR, cause, "correct runtime_so or LIB_PATH", "", 3)
    # the loader names the one that it did not load first, or what that one needs
    runtime = next((library for library in libraries if why.startswith(f"{library}: ")), (*libraries, "")[0])
    name = Path(runtime).name or "the process itself"
    cause = why.removeprefix(f"{runtime}: ")
    look = f"nm -D {runtime}" if "undefined symbol" in cause else f"ldd {runtime}"
    return Check("runtime", ERROR, f"Failed to load {name}: {cause}", f"look further: {look}")


def _undefined(runtime: str, name: str, why: str) -> Check:
    # The chip library says "... no symbol 'x1_init_v2'"; users search for the loader's own words.
    quoted = why.split("'")
    symbol = quoted[1] if len(quoted) > 2 else why
    return Check(
        "runtime",
        ERROR,
        f"Failed to load {name}: undefined symbol: {symbol}",
        f"install the driver that the header belongs to; look further: nm -D {runtime} | grep {symbol.split('_')[0]}",
    )


def _failed(chip: abi.ChipLibrary, step: str, status: int) -> Check:
    said = chip.error()
    text = f"{step} gave {abi.STATUSES[status] if 0 <= status < len(abi.STATUSES) else status}"
    fix = "see the vendor's documentation of this error; is the board powered and its kernel driver loaded?"
    return Check(step, ERROR, f"{text}: {said}" if said else text, fix, "", 3 if status == abi.NO_DRIVER else 1)


def _device_name(chip: abi.ChipLibrary, slots: dict[str, int]) -> str:
    text = ctypes.create_string_buffer(256)
    if not slots["device_name"] or chip.call("device_name", 0, text, len(text)) != abi.OK:
        return ""
    return f", the first is {text.value.decode(errors='replace')}"


def _round_trip(chip: abi.ChipLibrary, slots: dict[str, int]) -> Iterator[Check]:
    begin("a round trip of bytes")
    if slots["set_device"] and (status := chip.call("set_device", 0)) != abi.OK:
        yield _failed(chip, "set_device", status)
        return
    sent = (ctypes.c_uint8 * ROUND_TRIP_BYTES)(*(i * 131 % 251 for i in range(ROUND_TRIP_BYTES)))
    got = (ctypes.c_uint8 * ROUND_TRIP_BYTES)()
    handle = ctypes.c_void_p()
    steps: tuple[tuple[str, Callable[[], int]], ...] = (
        ("alloc", lambda: chip.call("alloc", 0, ROUND_TRIP_BYTES, ctypes.byref(handle))),
        ("copy_h2d", lambda: chip.call("copy_h2d", 0, handle, 0, sent, ROUND_TRIP_BYTES, None)),
        ("copy_d2h", lambda: chip.call("copy_d2h", 0, got, handle, 0, ROUND_TRIP_BYTES, None)),
        ("free", lambda: chip.call("free", 0, handle)),
    )
    for name, step in steps:
        begin(name)
        if (status := step()) != abi.OK:
            yield _failed(chip, name, status)
            return
    wrong = sum(a != b for a, b in zip(sent, got, strict=True))
    if wrong:
        yield Check(
            "round trip",
            ERROR,
            f"{wrong} of {ROUND_TRIP_BYTES} bytes came back changed from device memory",
            "check copy_h2d and copy_d2h in the project's src/, and the driver",
        )
    else:
        yield Check("round trip", OK, f"{ROUND_TRIP_BYTES} bytes to device memory and back")


def _rebuild(profile: Profile) -> str:
    return f"torchfl-build --clean {os.path.relpath(Path(profile.path).parent)}"


STAGES: dict[str, Callable[[Profile], Iterator[Check]]] = {"library": check_library, "native": check_native}


def main() -> None:
    for check in STAGES[sys.argv[1]](load_profile(Path(sys.argv[3]))):
        emit({"check": asdict(check)})
    emit({"begin": "the driver's own exit handlers"})


if __name__ == "__main__":
    main()
