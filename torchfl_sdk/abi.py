"""The chip ABI seen from Python, without torch: opens a chip library and calls its device functions.

The list of device functions is read from ``entry_points.def``, the same file that the C header expands, so the
two cannot drift. Used by ``torchfl doctor`` and by the generated ``docs/chip-abi.md``. A call goes into the
vendor's driver: run it in a process that may die.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ABI_MAJOR = 1
STATUSES = (
    "OK",
    "UNSUPPORTED",
    "OUT_OF_MEMORY",
    "NOT_READY",
    "INVALID_ARGUMENT",
    "DEVICE_ERROR",
    "NO_DRIVER",
    "MISSING_SYMBOL",
    "INTERNAL",
)
OK, NO_DRIVER, MISSING_SYMBOL = 0, 6, 7

_ENTRY = re.compile(r'^TFL_ENTRY\((REQUIRED|OPTIONAL), (\w+), \((.*)\), "(.*)"\)$', re.MULTILINE)
_SCALARS = {"int32_t": ctypes.c_int32, "uint64_t": ctypes.c_uint64}


@dataclass(frozen=True)
class EntryPoint:
    """One device function of the ABI. ``params`` is its C parameter list, ``doc`` what it does."""

    name: str
    required: bool
    params: str
    doc: str


def include_dir() -> Path:
    """The folder that holds ``torchfl/chip.h``: inside the wheel, or beside the package in a source tree."""
    import torchfl

    package = Path(torchfl.__file__).parent
    inside = package / "include"
    return inside if inside.is_dir() else package.parent / "include"


@cache
def entry_points() -> tuple[EntryPoint, ...]:
    """Every device function, in the order of the table."""
    text = (include_dir() / "torchfl" / "entry_points.def").read_text()
    found = tuple(EntryPoint(name, need == "REQUIRED", params, doc) for need, name, params, doc in _ENTRY.findall(text))
    if len(found) != len(re.findall(r"^TFL_ENTRY\(", text, re.MULTILINE)):
        raise AssertionError("entry_points.def has an entry that is not one line of the documented form")
    return found


class _Kernel(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("run", ctypes.c_void_p),
        ("symbols", ctypes.POINTER(ctypes.c_uint32)),
        ("num_symbols", ctypes.c_uint32),
    )


class _Symbol(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("mode", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("calls", ctypes.c_uint64),
    )


class _Chip(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_major", ctypes.c_uint32),
        ("abi_minor", ctypes.c_uint32),
        ("num_kernels", ctypes.c_uint32),
        ("num_symbols", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("header_hash", ctypes.c_char_p),
        ("device", ctypes.c_void_p),
        ("kernels", ctypes.c_void_p),
        ("symbols", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Kernel:
    """A row of the kernel table; ``symbols`` names the vendor functions that it may enter."""

    name: str
    op: str
    symbols: tuple[str, ...]


class ChipLibrary:
    """An opened chip library. Raises OSError where it does not load or is no chip library of this ABI."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path), mode=ctypes.RTLD_LOCAL)
        try:
            entry = self._library.torchfl_chip_v1
        except AttributeError:
            raise OSError(f"{path} does not export torchfl_chip_v1: it is not a chip library") from None
        entry.restype = ctypes.POINTER(_Chip)
        chip = entry()
        if not chip:
            raise OSError(f"{path}: torchfl_chip_v1() gave no chip")
        self._chip: Any = chip.contents
        self.abi = (int(self._chip.abi_major), int(self._chip.abi_minor))
        if self.abi[0] != ABI_MAJOR:
            raise OSError(f"{path} speaks chip ABI {self.abi[0]}, this torchfl speaks {ABI_MAJOR}")

    def slots(self) -> dict[str, int]:
        """Address of each device function by name; 0 where the chip has none."""
        table = self._chip.device
        size = ctypes.c_uint32.from_address(table).value
        pointer = ctypes.sizeof(ctypes.c_void_p)
        found = {}
        for i, entry in enumerate(entry_points()):
            at = pointer * (i + 1)  # the size word is padded to a pointer
            inside = at + pointer <= size
            found[entry.name] = (ctypes.c_void_p.from_address(table + at).value or 0) if inside else 0
        return found

    def call(self, name: str, *args: Any) -> int:
        """Call a device function and give its status. Raises KeyError where the chip has no such slot."""
        address = self.slots()[name]
        if not address:
            raise KeyError(name)
        params = next(e.params for e in entry_points() if e.name == name)
        return int(ctypes.CFUNCTYPE(ctypes.c_int32, *_ctypes_of(params))(address)(*args))

    def error(self) -> str:
        """The calling thread's last error text, or ``""``."""
        text = ctypes.create_string_buffer(1024)
        if not self.slots()["last_error"]:
            return ""
        self.call("last_error", text, len(text))
        return text.value.decode(errors="replace")

    def symbols(self) -> dict[str, bool]:
        """Vendor functions by name: True where ``open`` found the symbol."""
        return {_text(s.name): bool(s.address) for s in self._rows(_Symbol, self._chip.symbols, self._chip.num_symbols)}

    def kernels(self) -> tuple[Kernel, ...]:
        """The kernel table."""
        names = list(self.symbols())
        return tuple(
            Kernel(_text(k.name), _text(k.op), tuple(names[k.symbols[i]] for i in range(k.num_symbols)))
            for k in self._rows(_Kernel, self._chip.kernels, self._chip.num_kernels)
        )

    @staticmethod
    def _rows(kind: Any, address: int | None, count: int) -> list[Any]:
        if not address or not count:
            return []
        stride = ctypes.c_uint32.from_address(address).value  # of the first element: see chip.h's growth rule
        return [kind.from_address(address + i * stride) for i in range(count)]


def _ctypes_of(params: str) -> list[Any]:
    """ctypes argument types of a C parameter list; every pointer is a ``void*``."""
    if params == "void":
        return []
    kinds: list[Any] = []
    for param in params.split(","):
        kinds.append(ctypes.c_void_p if "*" in param else _SCALARS[param.split()[0]])
    return kinds


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode(errors="replace")
