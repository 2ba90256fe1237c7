"""What a profile says, after merging and checking: frozen data that the rest of torchfl reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torchfl.errors import Place, Problem, TorchflError, register

#: Element types that profiles may name, as torch spells them.
DTYPES = (
    "float32",
    "float16",
    "bfloat16",
    "float64",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "bool",
)

UNSET_VARIABLE = register("TFL0115", "an environment variable that a profile uses is not set")

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Origin:
    """Where a value stands, and the value that it replaced (nearest first), if any."""

    file: str
    line: int
    overrode: Origin | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Constraint:
    """A limit on one variable of an op (:attr:`OpSpec.variables`).

    ``allowed`` lists the permitted values (for an int_list attribute: in every spatial dimension); ``min``,
    ``max`` (both inclusive) and ``multiple_of`` are None where not given.
    """

    variable: str
    allowed: tuple[int | float | bool | str, ...] | None = None
    min: int | float | None = None
    max: int | float | None = None
    multiple_of: int | None = None


@dataclass(frozen=True)
class OpEntry:
    """One entry of ``supported_ops``.

    ``name`` is the catalogue's name, ``overload`` the part after the dot where the profile gives one.
    ``layout``: contiguous | matrix | strided | channels_last. ``alignment`` in bytes, 0: none needed. ``pad``: sizes
    are rounded up to their ``multiple_of`` with zeros. ``int8_zero_point``: 128 where the kernel takes int8 as uint8.
    ``provenance``: declared | header | probed | unverified; unverified entries do not route.
    """

    name: str
    overload: str | None
    impl: str
    dtype_support: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    layout: str
    inplace: bool
    broadcast: bool
    provenance: str
    evidence: tuple[str, ...]
    origin: Origin
    alignment: int = 0
    pad: bool = False
    int8_zero_point: int = 0
    int8_store: str = ""  # "": as Profile.numerics says
    first_output: bool = False  # of several results the first alone
    checks_index: bool = False  # the kernel refuses an index outside its dimension

    @property
    def full_name(self) -> str:
        """The name as the profile writes it, with the overload where it gives one."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def routes(self) -> bool:
        """Whether the entry may serve calls."""
        return self.provenance != "unverified"


@dataclass(frozen=True)
class RemovedOp:
    """An inherited entry that a profile took out, with its reason."""

    name: str
    reason: str
    origin: Origin


@dataclass(frozen=True)
class Capabilities:
    """What the chip can do. ``compute`` holds named figures, as the profile spells them (``fp16_tflops: 4``)."""

    dtypes: tuple[str, ...] = ()
    total_gb: float | None = None  # device memory, 10^9 bytes
    bandwidth_gbps: float | None = None  # memory bandwidth, 10^9 bytes per second
    compute: Mapping[str, float | str] = field(default_factory=lambda: _EMPTY)
    features: tuple[str, ...] = ()


@dataclass(frozen=True)
class FallbackPolicy:
    """Layers to try, in order, where a chip kernel cannot serve a call; per op where ``op_specific`` says so."""

    default: tuple[str, ...] = ("cpu",)
    op_specific: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _EMPTY)

    def layers(self, op: str) -> tuple[str, ...]:
        """The layers for one op, by its catalogue name."""
        return self.op_specific.get(op, self.default)


@dataclass(frozen=True)
class MemoryModel:
    """How device memory is reached. ``mode``: separate | mapped (the device uses host memory in place)."""

    mode: str = "separate"
    map: str = ""  # vendor function that maps host memory
    max_tensor_bytes: int | None = None


@dataclass(frozen=True)
class Numerics:
    """How the chip computes; the oracle's bounds follow from it.

    ``accumulate`` and ``int8_accumulate`` are dtypes of the accumulators; ``rounding`` is nearest | truncate;
    ``int8_store`` is wrap | saturate | requant: what becomes of an int8 result outside -128..127.
    """

    accumulate: str = "float32"
    rounding: str = "nearest"
    tf32: bool = False
    flush_to_zero: bool = False
    deterministic: bool = True
    int8_accumulate: str = "int32"
    int8_store: str = "wrap"


@dataclass(frozen=True)
class Profile:
    """A resolved profile. ``path`` is the file that was loaded, ``files`` every file merged, bases first.

    ``origins`` maps each leaf's key path (``supported_ops[aten::mm].impl``) to its place and history; ``data`` is
    the merged profile as plain maps and lists, in the order of ``show``.
    """

    path: Path
    files: tuple[Path, ...]
    device_type: str
    vendor: str
    chip_model: str
    driver_version: str
    runtime_so_texts: tuple[str, ...]  # as written; none where the profile names none
    runtime_header: str
    wrapper: str
    chip_library_candidates: tuple[Path, ...]
    capabilities: Capabilities
    ops: tuple[OpEntry, ...]
    removed: tuple[RemovedOp, ...]
    fallback_policy: FallbackPolicy
    memory: MemoryModel
    numerics: Numerics
    runtime: Mapping[str, str]
    origins: Mapping[str, Origin]
    data: Mapping[str, Any]

    @property
    def family(self) -> str:
        """``xpu`` of ``xpu:x1``."""
        return self.device_type.partition(":")[0]

    @property
    def chip(self) -> str:
        """``x1`` of ``xpu:x1``."""
        return self.device_type.partition(":")[2]

    @property
    def runtime_so_text(self) -> str:
        """``runtime_so`` as written, one library a line."""
        return "\n".join(self.runtime_so_texts)

    @property
    def runtime_so(self) -> str:
        """The vendor's libraries as the chip's ``open()`` takes them, one a line; "" if none is named."""
        return "\n".join(self.libraries)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The vendor's libraries with environment variables expanded, ready for dlopen, in the order of their search.

        A relative path with a slash is taken from the file that wrote it; a bare name is left to the loader's
        search path. Raises TorchflError (TFL0115) naming every variable that is not set.
        """
        from torchfl.profile.expand import expand

        origin = self.origins.get("runtime_so")
        place = Place(origin.file, origin.line) if origin else Place(str(self.path))
        problems, found = [], []
        for written in self.runtime_so_texts:
            text, unset = expand(written)
            problems += [
                Problem(
                    UNSET_VARIABLE,
                    f"'{written}' uses ${name}, which is not set",
                    f"export {name}=DIR with the folder of the vendor's library",
                    place,
                    "runtime_so",
                )
                for name in unset
            ]
            if "/" in text and not Path(text).is_absolute():
                text = str((Path(place.file).parent / text).resolve())
            found.append(text)
        if problems:
            raise TorchflError(problems)
        return tuple(found)

    @property
    def chip_library(self) -> Path:
        """The built chip library: the first candidate that exists, else where a build would put it."""
        return next(
            (path for path in self.chip_library_candidates if os.path.isfile(path)), self.chip_library_candidates[0]
        )

    def op(self, name: str) -> OpEntry | None:
        """The entry with this name (with its overload, if it is overload-exact), or None."""
        return next((entry for entry in self.ops if entry.full_name == name), None)
