"""The words and value forms of profile files, as pydantic types whose errors carry a fix."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from torchfl.errors import did_you_mean
from torchfl.profile.model import DTYPES

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
    "stream_sync",
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
    "context_create",
    "context_destroy",
)

FEATURES = ("tensor_core", "int8_quantization", "dynamic_shape")

#: Spellings of dtypes that people use, and what torch calls them.
DTYPE_ALIASES = {
    "half": "float16", "fp16": "float16", "f16": "float16", "float": "float32", "fp32": "float32", "f32": "float32",
    "single": "float32", "double": "float64", "fp64": "float64", "f64": "float64", "bf16": "bfloat16",
    "i8": "int8", "s8": "int8", "u8": "uint8", "byte": "uint8", "char": "int8", "i16": "int16", "short": "int16",
    "i32": "int32", "int": "int32", "i64": "int64", "long": "int64", "boolean": "bool",
}  # fmt: skip

_DEVICE_TYPE = re.compile(r"[a-z][a-z0-9_]*:[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_OP_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*::[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")
#: Linux' own limits; a path has room left for the folder that it is relative to.
_LONGEST_NAME = 255
_LONGEST_PATH = 2048
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def fail(kind: str, cause: str, fix: str = "") -> PydanticCustomError:
    """A validation error whose message and fix are ours."""
    return PydanticCustomError(kind, "{cause}", {"cause": cause, "fix": fix})


@dataclass(frozen=True)
class OneOf:
    """Marks a string type as one of a few words; ``kind`` names pydantic's error type."""

    words: tuple[str, ...]
    what: str
    kind: str = "choice"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def _check(self, word: str) -> str:
        if word not in self.words:
            near = DTYPE_ALIASES.get(word.lower()) if self.kind == "dtype" else ""
            near = near or did_you_mean(word.lower(), self.words)
            raise fail(self.kind, f"unknown {self.what} '{word}'", near or "one of " + ", ".join(self.words))
        return word


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
        raise fail("device_type", cause, "for example xpu:x1")
    return text


def _op_name(text: str) -> str:
    if not _OP_NAME.fullmatch(text):
        fix = f"aten::{text}" if _WORD.fullmatch(text) else "for example aten::add"
        raise fail("op_name", f"'{text}' is not an op's name", fix)
    return text


def _layer(word: str) -> str:
    if not _WORD.fullmatch(word):
        raise fail("layer", f"'{word}' is neither a layer nor a kernel's name", "one of " + ", ".join(LAYERS))
    near = did_you_mean(word, LAYERS)
    if near and near != word and abs(len(near) - len(word)) <= 1:
        raise fail("layer", f"unknown layer '{word}'", near)
    return word


def _text(value: Any) -> Any:
    """Versions without quotes are numbers to YAML: 1.10 would silently become 1.1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise fail("text", f"{value} is a number here, and a text is expected", f'"{value}" in quotes')
    return value


def path_problem(text: str) -> str:
    """Why no system could hold a file of this path, or "": asked about it, most raise errors of their own."""
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        return f"{text!r} holds a character that no path has"
    part = next((part for part in text.split("/") if len(part.encode("utf-8", "replace")) > _LONGEST_NAME), "")
    if part:
        return f"'{part[:20]}...' is longer than the {_LONGEST_NAME} bytes that a name in a path may have"
    if len(text.encode("utf-8", "replace")) > _LONGEST_PATH:
        return f"'{text[:20]}...' is longer than the {_LONGEST_PATH} bytes that a path may have"
    return ""


def _path(text: str) -> str:
    cause = path_problem(text)
    if cause:
        raise fail("path", cause, "the path of a file")
    return text


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def distinct(values: list[Any]) -> list[Any]:
    """Refuse a value that stands twice."""
    for i, value in enumerate(values):
        if any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values[:i]):
            raise fail("repeated", f"{value} stands twice", "keep one of them")
    return values


def not_empty(values: list[Any]) -> list[Any]:
    """Refuse an empty list of permissions."""
    if not values:
        raise fail("empty", "an empty list allows nothing", "list the allowed values, or remove the entry")
    return values


def _known_layer(word: str) -> str:
    if word not in LAYERS:
        cause = f"'{word}' is a kernel's name, and a kernel serves one op"
        raise fail("layer", cause, "name it under op_specific; here one of " + ", ".join(LAYERS))
    return word


def _reachable(layers: list[str]) -> list[str]:
    """Refuse a layer behind one that ends the search: it would never be asked."""
    for i, word in enumerate(layers[:-1]):
        if word in ("cpu", "error"):
            cause = f"'{layers[i + 1]}' stands after '{word}' and would never be asked"
            raise fail("layer", cause, f"put '{word}' last")
    return layers


_TEXT_OR_LIST = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}

Text = Annotated[str, BeforeValidator(_text)]
PathText = Annotated[str, BeforeValidator(_text), AfterValidator(_path), WithJsonSchema({"type": "string"})]
Dtype = Annotated[str, OneOf(DTYPES, "dtype", "dtype")]
Dtypes = Annotated[list[Dtype], AfterValidator(distinct)]
DeviceType = Annotated[
    str, AfterValidator(_device_type), WithJsonSchema({"type": "string", "pattern": f"^{_DEVICE_TYPE.pattern}$"})
]
OpName = Annotated[
    str, AfterValidator(_op_name), WithJsonSchema({"type": "string", "pattern": f"^{_OP_NAME.pattern}$"})
]
Paths = Annotated[
    list[Annotated[str, AfterValidator(_path)]],
    BeforeValidator(_as_list),
    AfterValidator(not_empty),
    WithJsonSchema(_TEXT_OR_LIST),
]
Layers = Annotated[
    list[Annotated[str, AfterValidator(_layer)]],
    BeforeValidator(_as_list),
    AfterValidator(not_empty),
    AfterValidator(distinct),
    AfterValidator(_reachable),
    WithJsonSchema(_TEXT_OR_LIST),
]
DefaultLayers = Annotated[
    list[Annotated[str, AfterValidator(_layer), AfterValidator(_known_layer)]],
    BeforeValidator(_as_list),
    AfterValidator(not_empty),
    AfterValidator(distinct),
    AfterValidator(_reachable),
    WithJsonSchema(_TEXT_OR_LIST),
]
Role = Annotated[str, OneOf(RUNTIME_ROLES, "runtime role")]
Layout = Annotated[str, OneOf(("contiguous", "matrix", "strided", "channels_last"), "layout")]
Provenance = Annotated[str, OneOf(("declared", "header", "probed", "unverified"), "provenance")]
Int8Store = Annotated[str, OneOf(("wrap", "saturate", "requant"), "int8 store")]
MemoryMode = Annotated[str, OneOf(("separate", "mapped"), "memory mode")]
Rounding = Annotated[str, OneOf(("nearest", "truncate"), "rounding")]
