"""The form of a profile file, schema 1: pydantic models, used at this boundary only.

Every description here is the documentation: ``torchfl profile schema`` and the key table of the docs are made
from it. A key marked RESERVED is checked and kept, and this release does nothing with it yet; ``validate`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from torchfl.errors import did_you_mean
from torchfl.profile.model import DTYPES

SCHEMA_VERSION = 1

#: Marks keys that are accepted for later releases.
RESERVED: dict[str, Any] = {"x-reserved": True}

#: Layers of the fallback policy; any other word is the name of a kernel.
LAYERS = ("cpu", "decompose", "onnxruntime", "error")

#: What the vendor's runtime functions may be named for, as in ``torchfl_sdk.match.model.RUNTIME_ROLES``.
RUNTIME_ROLES = (
    "init",
    "finalize",
    "device_count",
    "set_device",
    "get_device",
    "device_name",
    "synchronize",
    "malloc",
    "free",
    "memcpy",
    "memcpy_h2d",
    "memcpy_d2h",
    "memcpy_d2d",
    "memset",
    "memory_info",
    "map_host",
    "unmap_host",
    "last_error",
)

FEATURES = ("tensor_core", "int8_quantization", "dynamic_shape")

#: Spellings of dtypes that people use, and what torch calls them.
DTYPE_ALIASES = {
    "half": "float16", "fp16": "float16", "f16": "float16", "float": "float32", "fp32": "float32", "f32": "float32",
    "single": "float32", "double": "float64", "fp64": "float64", "f64": "float64", "bf16": "bfloat16",
    "i8": "int8", "s8": "int8", "u8": "uint8", "byte": "uint8", "char": "int8", "i16": "int16", "short": "int16",
    "i32": "int32", "int": "int32", "i64": "int64", "long": "int64", "boolean": "bool",
}  # fmt: skip

_DEVICE_TYPE = re.compile(r"[a-z][a-z0-9_]*:[A-Za-z0-9][A-Za-z0-9_.-]*")
_OP_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def _fail(kind: str, cause: str, fix: str = "") -> PydanticCustomError:
    return PydanticCustomError(kind, "{cause}", {"cause": cause, "fix": fix})


def _dtype(word: str) -> str:
    if word not in DTYPES:
        near = DTYPE_ALIASES.get(word.lower()) or did_you_mean(word.lower(), DTYPES)
        raise _fail("dtype", f"unknown dtype '{word}'", near or "one of " + ", ".join(DTYPES))
    return word


def _one_of(words: tuple[str, ...], what: str) -> Callable[[str], str]:
    def check(word: str) -> str:
        if word not in words:
            raise _fail("choice", f"unknown {what} '{word}'", did_you_mean(word, words) or "one of " + ", ".join(words))
        return word

    return check


def device_type_problem(text: str) -> str:
    """Why ``text`` cannot be a device_type, or ""."""
    if not _DEVICE_TYPE.fullmatch(text):
        return f"'{text}' is not of the form family:chip"
    if text.partition(":")[2].isdecimal():
        return f"'{text}' would read as a device index; a chip's name has a letter"
    return ""


def _device_type(text: str) -> str:
    cause = device_type_problem(text)
    if cause:
        raise _fail("device_type", cause, "for example xpu:x1")
    return text


def _op_name(text: str) -> str:
    if not _OP_NAME.fullmatch(text):
        fix = f"aten::{text}" if re.fullmatch(r"[A-Za-z_]\w*", text) else "for example aten::add"
        raise _fail("op_name", f"'{text}' is not an op's name", fix)
    return text


def _layer(word: str) -> str:
    if not _WORD.fullmatch(word):
        raise _fail("layer", f"'{word}' is neither a layer nor a kernel's name", "one of " + ", ".join(LAYERS))
    near = did_you_mean(word, LAYERS)
    if near and near != word and abs(len(near) - len(word)) <= 1:
        raise _fail("layer", f"unknown layer '{word}'", near)
    return word


def _text(value: Any) -> Any:
    """Versions without quotes are numbers to YAML: 1.10 would silently become 1.1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise _fail("text", f"{value} is a number here, and a text is expected", f'"{value}" in quotes')
    return value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _distinct(values: list[Any]) -> list[Any]:
    for i, value in enumerate(values):
        if any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values[:i]):
            raise _fail("repeated", f"{value} stands twice", "keep one of them")
    return values


def _not_empty(values: list[Any]) -> list[Any]:
    if not values:
        raise _fail("empty", "an empty list allows nothing", "list the allowed values, or remove the entry")
    return values


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        low, high = value.get("min"), value.get("max")
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
            raise _fail("range", f"min {low} is above max {high}", "swap them")
        if not value:
            raise _fail("empty", "a constraint without a limit", "min, max or multiple_of")
    return value


def _limit_form(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        return value
    raise _fail("constraint", "a constraint is a list of values or a map of min, max, multiple_of", f"[{value}]")


class Strict(BaseModel):
    """Unknown keys are errors; nothing is converted from one type to another; no NaN and no infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, populate_by_name=False)


Text = Annotated[str, BeforeValidator(_text)]
Dtype = Annotated[str, AfterValidator(_dtype), WithJsonSchema({"type": "string", "enum": list(DTYPES)})]
Dtypes = Annotated[list[Dtype], AfterValidator(_distinct)]
OpName = Annotated[
    str, AfterValidator(_op_name), WithJsonSchema({"type": "string", "pattern": f"^{_OP_NAME.pattern}$"})
]
_TEXT_OR_LIST = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
TextList = Annotated[list[str], BeforeValidator(_as_list), WithJsonSchema(_TEXT_OR_LIST)]
Layers = Annotated[
    list[Annotated[str, AfterValidator(_layer)]],
    BeforeValidator(_as_list),
    AfterValidator(_not_empty),
    WithJsonSchema(_TEXT_OR_LIST),
]
Role = Annotated[
    str,
    AfterValidator(_one_of(RUNTIME_ROLES, "runtime role")),
    WithJsonSchema({"type": "string", "enum": list(RUNTIME_ROLES)}),
]


def _choice(words: tuple[str, ...], what: str) -> Any:
    schema = {"type": "string", "enum": list(words)}
    return Annotated[str, AfterValidator(_one_of(words, what)), WithJsonSchema(schema)]


Layout = _choice(("contiguous", "matrix", "strided", "channels_last"), "layout")
Provenance = _choice(("declared", "header", "probed", "unverified"), "provenance")
Int8Store = _choice(("wrap", "saturate", "requant"), "int8 store")


class Range(Strict):
    """Limits of a numeric variable, all inclusive; at least one of them."""

    min: int | float | None = Field(None, description="Least value.")
    max: int | float | None = Field(None, description="Greatest value.")
    multiple_of: Annotated[int, Field(ge=1)] | None = Field(None, description="Must divide the value.")


_VALUES_SCHEMA = {"type": "array", "items": {"type": ["number", "boolean"]}, "minItems": 1, "uniqueItems": True}
Limit = Annotated[
    dict[str, Any] | list[Any],
    WithJsonSchema({"oneOf": [_VALUES_SCHEMA, Range.model_json_schema() | {"minProperties": 1}]}),
]


def check_limit(value: Any) -> None:
    """Validate one constraint, list or map; raises pydantic's errors with places relative to it."""
    _limit_form(value)
    if isinstance(value, list):
        for item in value:
            if not isinstance(item, (bool, int, float)):
                raise _fail("constraint", f"'{item}' is not a number", "list the allowed values")
        _not_empty(value)
        _distinct(value)
        return
    _ordered(value)
    Range.model_validate(value)


class Op(Strict):
    """One entry of supported_ops."""

    name: OpName = Field(description="The op, `aten::add`, or one overload of it, `aten::add.Tensor`.")
    impl: str | None = Field(
        None, min_length=1, description="Kernel in the chip library, else function in the wrapper."
    )
    dtype_support: Dtypes | None = Field(None, description="Element types that the kernel serves.")
    constraints: dict[str, Annotated[Any, WithJsonSchema(Limit.__metadata__[0].json_schema)]] | None = Field(  # type: ignore[attr-defined]
        None,
        description="Limits by variable (`torchfl ops` lists them): a list of allowed values, for stride and the like "
        "in every spatial dimension; or a map of min, max, multiple_of.",
    )
    layout: Layout | None = Field(None, description="What the kernel takes; other tensors are made so first.")
    alignment: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Bytes that tensors must be aligned to.", json_schema_extra=RESERVED
    )
    pad: bool | None = Field(None, description="Pad to multiple_of and slice the result.", json_schema_extra=RESERVED)
    inplace: bool | None = Field(None, description="An output may be the same memory as an input.")
    broadcast: bool | None = Field(None, description="The kernel broadcasts its inputs itself.")
    int8_store: Int8Store | None = Field(None, description="As numerics.int8_store, for this op.")
    provenance: Provenance | None = Field(
        None,
        description="Who says so: declared (a person; the default), header (the types prove it), probed (the chip answered), unverified (nobody yet: does not route).",
    )
    evidence: list[str] | None = Field(None, description="Why the entry is believed, for readers.")
    remove: str | None = Field(None, min_length=1, description="Takes an inherited entry out; the text is the reason.")


class MemoryFigures(Strict):
    """Device memory."""

    total_gb: Annotated[float, Field(gt=0)] | None = Field(None, description="Size in 10^9 bytes.")
    bandwidth_gbps: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Bandwidth in 10^9 bytes per second."
    )


Compute = dict[str, float | str]
_COMPUTE_TEXT = "Named figures, such as fp16_tflops: 4."


class CapabilitiesMap(Strict):
    """What the chip can do."""

    dtypes: Dtypes | None = Field(None, description="Element types of the chip.")
    memory: MemoryFigures | None = Field(None, description="Device memory.")
    compute: Compute | None = Field(None, description=_COMPUTE_TEXT)
    features: Annotated[list[str], AfterValidator(_distinct)] | None = Field(
        None, description="Of: " + ", ".join(FEATURES) + "."
    )


class FallbackMap(Strict):
    """Layers to try where no chip kernel serves a call: cpu, decompose, onnxruntime, error, or a kernel's name."""

    default: Layers | None = Field(None, description="For every op; a layer or a list in order. Default: cpu.")
    op_specific: dict[OpName, Layers] | None = Field(None, description="By op; a layer or a list in order.")


class MemoryMap(Strict):
    """How device memory is reached."""

    mode: _choice(("separate", "mapped"), "memory mode") | None = Field(
        None, description="separate: by copies (default); mapped: the device uses host memory in place."
    )  # type: ignore[valid-type]
    map: str | None = Field(None, description="Vendor function that maps host memory.")
    max_tensor_bytes: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Largest tensor, in bytes.", json_schema_extra=RESERVED
    )


class NumericsMap(Strict):
    """How the chip computes; the bounds of conformance follow from it."""

    accumulate: Dtype | None = Field(None, description="Accumulator of float sums. Default: float32.")
    rounding: _choice(("nearest", "truncate"), "rounding") | None = Field(
        None, description="Of the accumulator. Default: nearest."
    )  # type: ignore[valid-type]
    tf32: bool | None = Field(None, description="Contractions round float32 inputs to 10 bits. Default: false.")
    flush_to_zero: bool | None = Field(None, description="Subnormals become zero. Default: false.")
    deterministic: bool | None = Field(None, description="Equal inputs give equal bits. Default: true.")
    int8_accumulate: Dtype | None = Field(None, description="Accumulator of int8 sums. Default: int32.")
    int8_store: Int8Store | None = Field(
        None, description="An int8 result out of range: wrap (default, as torch), saturate, requant."
    )


class ProfileFile(Strict):
    """A torchfl chip profile, schema 1."""

    schema_version: int = Field(SCHEMA_VERSION, alias="schema", ge=1, description="Form of the file; may be absent.")
    extends: TextList | None = Field(
        None, description="Profiles to start from, relative to this file; later ones win, this file last."
    )
    device_type: (
        Annotated[
            str,
            AfterValidator(_device_type),
            WithJsonSchema({"type": "string", "pattern": f"^{_DEVICE_TYPE.pattern}$"}),
        ]
        | None
    ) = Field(
        None,
        description="family:chip. A profile that extends another may leave it to the file's name: x1-v2_device.yaml is xpu:x1-v2.",
    )
    vendor: Text | None = Field(None, description="Who makes the chip.")
    chip_model: Text | None = Field(None, description="The chip's name in shops.")
    driver_version: Text | None = Field(None, description="Driver that the profile was made for; in quotes.")
    runtime_so: Text | None = Field(
        None,
        description="The vendor's library; $VAR and ${VAR} expand. A bare name is left to the loader, a relative path is relative to this file.",
    )
    runtime_header: Text | None = Field(None, description="The vendor's header.")
    chip_library: Text | None = Field(
        None,
        description="The built chip library. Default: libNAME_chip.so beside the profile, else beside the ones it extends.",
    )
    wrapper: Text | None = Field(
        None,
        description="Python module with further kernels, looked up after the chip library.",
        json_schema_extra=RESERVED,
    )
    runtime: dict[Role, str] | None = Field(None, description="Vendor function for each runtime role.")
    capabilities: CapabilitiesMap | None = Field(None, description="What the chip can do.")
    compute: Compute | None = Field(None, description="Short for capabilities.compute.")
    supported_ops: list[Op] | None = Field(None, description="What the chip's kernels serve; merged by name.")
    fallback_policy: FallbackMap | None = Field(None, description="What happens to everything else.")
    memory: MemoryMap | None = Field(None, description="How device memory is reached.")
    numerics: NumericsMap | None = Field(None, description="How the chip computes.")
    layout: Layout | None = Field(None, description="Default of every op's layout.")
    alignment: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Default of every op's alignment.", json_schema_extra=RESERVED
    )
    pad: bool | None = Field(None, description="Default of every op's pad.", json_schema_extra=RESERVED)
    inplace: bool | None = Field(None, description="Default of every op's inplace.")
    streams: bool | None = Field(None, description="Whether the chip's queues are used.", json_schema_extra=RESERVED)
    collectives: dict[str, str] | None = Field(
        None, description="Vendor function for each collective.", json_schema_extra=RESERVED
    )
    fused: dict[str, str] | None = Field(None, description="Kernel for each fused pattern.", json_schema_extra=RESERVED)
    fork_safe: bool | None = Field(None, description="Whether the driver survives a fork.", json_schema_extra=RESERVED)
