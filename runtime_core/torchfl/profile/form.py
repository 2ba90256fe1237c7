"""The form of a profile file, schema 1: pydantic models, used at this boundary only.

Every description here is the documentation: ``torchfl profile schema`` and the key table of the docs are made
from it. A key marked RESERVED is checked and kept, and this release does nothing with it yet; ``validate`` says so.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from torchfl.profile.values import (
    FEATURES,
    DefaultLayers,
    DeviceType,
    Dtype,
    Dtypes,
    Int8Store,
    Layers,
    Layout,
    MemoryMode,
    OpName,
    Paths,
    PathText,
    Provenance,
    Role,
    Rounding,
    Text,
    distinct,
    fail,
    not_empty,
)

SCHEMA_VERSION = 1

#: Marks keys that are accepted for later releases.
RESERVED: dict[str, Any] = {"x-reserved": True}


class Strict(BaseModel):
    """Unknown keys are errors; nothing is converted from one type to another; no NaN and no infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Range(Strict):
    """Limits of a numeric variable, all inclusive; at least one of them."""

    min: float | None = Field(None, description="Least value.")
    max: float | None = Field(None, description="Greatest value.")
    multiple_of: Annotated[int, Field(ge=1)] | None = Field(None, description="Must divide the value.")


_VALUES = {"type": "array", "items": {"type": ["number", "boolean", "string"]}, "minItems": 1, "uniqueItems": True}
#: A constraint is checked by :func:`check_limit`, which knows its variable; here it only has a published form.
Limit = Annotated[
    Any, WithJsonSchema({"oneOf": [_VALUES, Range.model_json_schema() | {"minProperties": 1}, {"type": "null"}]})
]


def check_limit(value: Any, choices: tuple[str, ...] = ()) -> None:
    """Validate one constraint, list or map; ``choices``: the texts that its variable may be.

    Raises PydanticCustomError, or ValidationError with places inside it.
    """
    if isinstance(value, list):
        for item in value:
            if choices and item not in choices:
                raise fail("constraint", f"'{item}' is not a choice", "one of " + ", ".join(choices))
            if not choices and not isinstance(item, (bool, int, float)):
                raise fail("constraint", f"'{item}' is not a number", "list the allowed values")
        distinct(not_empty(value))
    elif isinstance(value, dict):
        if not value:
            raise fail("empty", "a constraint without a limit", "min, max or multiple_of")
        limit = Range.model_validate(value)
        if limit.min is not None and limit.max is not None and limit.min > limit.max:
            raise fail("range", f"min {value['min']} is above max {value['max']}", "swap them")
    else:
        raise fail("constraint", "a constraint is a list of values or a map of min, max, multiple_of", f"[{value}]")


class Op(Strict):
    """One entry of supported_ops."""

    name: OpName = Field(description="The op, `aten::add`, or one overload of it, `aten::add.Tensor`.")
    impl: str | None = Field(
        None, min_length=1, description="Kernel in the chip library, else function in the wrapper."
    )
    dtype_support: Dtypes | None = Field(None, description="Element types that the kernel serves.")
    constraints: dict[str, Limit] | None = Field(
        None,
        description="Limits by variable (`torchfl ops` lists them): a list of allowed values, for stride and the like "
        "in every spatial dimension; or a map of min, max, multiple_of.",
    )
    layout: Layout | None = Field(
        None,
        description="What the kernel takes; other tensors are made so first. channels_last: images of convolution, "
        "pooling, batch and group norm lie NHWC, what it gives too; other ops take contiguous tensors.",
    )
    alignment: Annotated[int, Field(ge=1)] | None = Field(None, description="Bytes that tensors must be aligned to.")
    pad: bool | None = Field(
        None,
        description="Round sizes up to their constraint's multiple_of with zeros and slice the result: M, N, K and "
        "batch of products, channels of ungrouped convolutions, numel of element-wise ops.",
    )
    int8_zero_point: Literal[128] | None = Field(
        None,
        description="The kernel takes int8 tensors as uint8 with this zero point: q is given as q + 128, and an int8 "
        "result comes so. dtype_support then says int8, and not uint8.",
    )
    inplace: bool | None = Field(None, description="An output may be the same memory as an input.")
    broadcast: bool | None = Field(None, description="The kernel broadcasts its inputs itself.")
    first_output: bool | None = Field(
        None,
        description="Of several results the kernel gives the first alone, as its flag says: a call that autograd will "
        "go back through, which needs the others, runs elsewhere, and so does every call of aten::max.dim and "
        "aten::min.dim, whose indices the caller gets.",
    )
    checks_index: bool | None = Field(
        None,
        description="The kernel refuses a call whose index holds a value outside the dimension that it indexes. "
        "Without it torchfl looks at the values before each call, which copies an index that only the device has.",
    )
    int8_store: Int8Store | None = Field(None, description="As numerics.int8_store, for this op.")
    provenance: Provenance | None = Field(
        None,
        description="Who says so: declared (a person; the default), header (the types prove it), probed (the chip "
        "answered), unverified (nobody yet: does not route).",
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


class CapabilitiesMap(Strict):
    """What the chip can do."""

    dtypes: Dtypes | None = Field(None, description="Element types of the chip.")
    memory: MemoryFigures | None = Field(None, description="Device memory.")
    compute: Compute | None = Field(None, description="Named figures, such as fp16_tflops: 4.")
    features: Annotated[list[str], AfterValidator(distinct)] | None = Field(
        None, description="Of: " + ", ".join(FEATURES) + "."
    )


class FallbackMap(Strict):
    """Layers to try where no chip kernel serves a call: cpu, decompose, onnxruntime, error, or a kernel's name."""

    default: DefaultLayers | None = Field(None, description="For every op; a layer or a list in order. Default: cpu.")
    op_specific: dict[OpName, Layers] | None = Field(None, description="By op; a layer or a list in order.")


class MemoryMap(Strict):
    """How device memory is reached."""

    mode: MemoryMode | None = Field(
        None, description="separate: by copies (default); mapped: the device uses host memory in place."
    )
    map: str | None = Field(None, description="Vendor function that maps host memory.")
    max_tensor_bytes: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Largest tensor, in bytes.", json_schema_extra=RESERVED
    )


class NumericsMap(Strict):
    """How the chip computes; the bounds of conformance follow from it."""

    accumulate: Dtype | None = Field(None, description="Accumulator of float sums. Default: float32.")
    rounding: Rounding | None = Field(None, description="Of the accumulator. Default: nearest.")
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
    extends: Paths | None = Field(
        None, description="Profiles to start from, relative to this file; later ones win, this file last."
    )
    device_type: DeviceType | None = Field(
        None,
        description="family:chip. A profile that extends another may leave it to the file's name: "
        "x1-v2_device.yaml is xpu:x1-v2.",
    )
    vendor: Text | None = Field(None, description="Who makes the chip.")
    chip_model: Text | None = Field(None, description="The chip's name in shops.")
    driver_version: Text | None = Field(None, description="Driver that the profile was made for; in quotes.")
    runtime_so: Paths | None = Field(
        None,
        description="The vendor's library, or a list of them, searched in that order; $VAR and ${VAR} expand. A bare "
        "name is left to the loader, a relative path is relative to this file.",
    )
    runtime_header: PathText | None = Field(None, description="The vendor's header.")
    chip_library: PathText | None = Field(
        None,
        description="The built chip library, relative to this file. Default: libNAME_chip.so beside the profile, else "
        "beside the ones it extends.",
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
    alignment: Annotated[int, Field(ge=1)] | None = Field(None, description="Default of every op's alignment.")
    pad: bool | None = Field(None, description="Default of every op's pad.")
    int8_zero_point: Literal[128] | None = Field(None, description="Default of every op's int8_zero_point.")
    inplace: bool | None = Field(None, description="Default of every op's inplace.")
    streams: bool | None = Field(None, description="Whether the chip's queues are used.", json_schema_extra=RESERVED)
    collectives: dict[str, str] | None = Field(
        None, description="Vendor function for each collective.", json_schema_extra=RESERVED
    )
    fused: dict[str, str] | None = Field(None, description="Kernel for each fused pattern.", json_schema_extra=RESERVED)
    fork_safe: bool | None = Field(None, description="Whether the driver survives a fork.", json_schema_extra=RESERVED)
