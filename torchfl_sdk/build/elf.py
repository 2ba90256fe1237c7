"""Reads what a shared library exports, needs and leaves undefined: the dynamic section of a 64-bit ELF file.

Enough for the checks after a build, without binutils and without loading the library. Layout: the ELF-64 object file
format and the System V gABI, "Dynamic Section".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_DT_NEEDED, _DT_STRTAB, _DT_SYMTAB, _DT_SONAME, _DT_RPATH, _DT_RUNPATH = 1, 5, 6, 14, 15, 29
_SHT_DYNSYM, _SHT_DYNAMIC = 11, 6


@dataclass(frozen=True)
class DynamicInfo:
    """Names from the dynamic section. ``needed`` are DT_NEEDED entries; ``runpath`` is as written."""

    needed: tuple[str, ...]
    soname: str
    runpath: str
    exported: frozenset[str]
    undefined: frozenset[str]


class NotElf(ValueError):
    """The file is no 64-bit little-endian ELF shared object."""


def read_dynamic(path: Path) -> DynamicInfo:
    """The dynamic names of a shared library; raises NotElf."""
    data = path.read_bytes()
    try:
        return _parse(data)
    except (struct.error, IndexError, ValueError) as e:
        raise NotElf(f"{path} is no 64-bit little-endian ELF library: {e}") from e


def _parse(data: bytes) -> DynamicInfo:
    if data[:6] != b"\x7fELF\x02\x01":
        raise NotElf("wrong magic bytes")
    section_offset = struct.unpack_from("<Q", data, 0x28)[0]
    entry_size, count = struct.unpack_from("<HH", data, 0x3A)
    # type, offset, size, link, entry size of each section header
    sections = []
    for i in range(count):
        at = section_offset + i * entry_size
        kind = struct.unpack_from("<I", data, at + 4)[0]
        offset, size, link = struct.unpack_from("<QQI", data, at + 24)
        sections.append((kind, offset, size, link))

    def text(table: int, offset: int) -> str:
        start = sections[table][1] + offset
        return data[start : data.index(b"\0", start)].decode("utf-8", "replace")

    needed: list[str] = []
    soname = runpath = ""
    exported: set[str] = set()
    undefined: set[str] = set()
    for kind, offset, size, link in sections:
        if kind == _SHT_DYNAMIC:
            for at in range(offset, offset + size, 16):
                tag, value = struct.unpack_from("<qQ", data, at)
                if tag == 0:
                    break
                if tag == _DT_NEEDED:
                    needed.append(text(link, value))
                elif tag == _DT_SONAME:
                    soname = text(link, value)
                elif tag in (_DT_RPATH, _DT_RUNPATH):
                    runpath = text(link, value)
        elif kind == _SHT_DYNSYM:
            for at in range(offset + 24, offset + size, 24):
                name, info, other, section = struct.unpack_from("<IBBH", data, at)
                if name == 0:
                    continue
                if section == 0:
                    undefined.add(text(link, name))
                elif info >> 4 in (1, 2) and other & 3 in (0, 3):  # global or weak; default or protected visibility
                    exported.add(text(link, name))
    return DynamicInfo(tuple(needed), soname, runpath, frozenset(exported), frozenset(undefined))
