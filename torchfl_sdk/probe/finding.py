"""What the probe found out about one entry of a profile, and about the chip: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class EntryFinding:
    """The answers about one unverified entry, put together.

    ``settled`` is False where nothing worked; ``reason`` then says why. ``constraints`` is the whole new constraints
    map as a profile writes it. ``refusals`` are what the chip declined, in its words; ``alarms`` are wrong numbers,
    crashes, hangs and driver errors; ``notes`` are limits that a profile cannot state; ``definition`` is which of the
    op's definitions the chip has, where vendors differ and the numbers leave one.
    """

    name: str
    impl: str
    settled: bool
    reason: str = ""
    dtypes: tuple[str, ...] = ()
    constraints: dict[str, Any] = field(default_factory=dict)
    layout: str = "contiguous"
    alignment: int = 1  # bytes; 1: none needed
    inplace: bool = False
    checks_index: bool = False  # it refuses an index outside its dimension
    int8_store: str = ""  # "": no int8 result was out of range, or no int8
    refusals: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    definition: str = ""
    questions: int = 0


@dataclass(frozen=True)
class ChipFacts:
    """What the runtime says about itself; 0 or "" where it does not say."""

    devices: int = 0
    name: str = ""
    total_bytes: int = 0
