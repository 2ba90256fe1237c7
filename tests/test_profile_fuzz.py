"""Whatever a file holds, the loader gives a profile or one TorchflError with places, never another exception."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchfl.errors import CODES, TorchflError
from torchfl.profile import load_profile, show, validate, warnings

PROFILES = Path(__file__).parent / "profiles"
TEXT = (
    (PROFILES / "x1" / "x1_device.yaml")
    .read_text(encoding="utf-8")
    .replace("../base/edge.yaml", str(PROFILES / "base" / "edge.yaml"))
)
FRAGMENTS = (
    *("{", "}", "[", "]", ":", ": ", ",", "\n", "\n  ", "- ", "&a ", "*a", "!x ", "'", '"', "|", ">", "#", "\t", "~"),
    *(
        "%",
        "? ",
        "<<: ",
        "---\n",
        "...",
        "\\",
        "\x00",
        "é",
        "1e-5",
        "off",
        "null",
        "schema",
        "remove: x",
        "extends: [.]",
    ),
)


def check(data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"f_device.{suffix}"
        path.write_bytes(data)
        found = validate(path)
        assert all(p.code in CODES and p.cause and (p.place.file or p.where) for p in found)
        if found:
            with pytest.raises(TorchflError):
                load_profile(path)
            return
        profile = load_profile(path)
        assert all(isinstance(problem.cause, str) for problem in warnings(path))
        again = Path(folder) / "again_device.yaml"
        again.write_text(show(path), encoding="utf-8")
        assert load_profile(again).data == profile.data


edits = st.lists(
    st.tuples(
        st.integers(0, len(TEXT)), st.integers(0, 12), st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4))
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=150, deadline=None)
@given(edits)
def test_mutated_yaml(changes: list[tuple[int, int, str]]) -> None:
    text = TEXT
    for at, cut, new in changes:
        text = text[:at] + new + text[at + cut :]
    check(text.encode("utf-8", "surrogatepass"), "yaml")


KEYS = (
    *("schema", "extends", "device_type", "vendor", "runtime_so", "capabilities", "compute", "supported_ops", "name"),
    *("impl", "dtype_support", "constraints", "stride", "min", "max", "multiple_of", "fallback_policy", "default"),
    *("op_specific", "memory", "mode", "numerics", "runtime", "init", "remove", "layout", "chip_library", "x"),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from((*KEYS, "xpu:a", "float16", "cpu", "separate", ".", "$X", "aten::conv2d", "unverified")),
    st.text(max_size=6),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=3)), inner, max_size=6),
    ),
    max_leaves=20,
)
ops = st.fixed_dictionaries(
    {"name": st.sampled_from(("aten::conv2d", "aten::add", "aten::add.Tensor", "my::op")), "impl": st.just("k")},
    optional={
        "dtype_support": st.lists(st.sampled_from(("float16", "int8")), unique=True),
        "constraints": st.dictionaries(st.sampled_from(("stride", "groups", "rank", "alpha")), trees, max_size=2),
        "remove": leaves,
        "provenance": leaves,
    },
)
profiles = st.fixed_dictionaries(
    {},
    optional={
        "device_type": st.just("xpu:a"),
        "supported_ops": st.lists(ops, max_size=3),
        **dict.fromkeys(KEYS[:16], trees),
    },
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(profiles, trees))
def test_generated_json(tree: object) -> None:
    check(json.dumps(tree).encode("utf-8", "surrogatepass"), "json")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(("yaml", "json")))
def test_bytes(data: bytes, suffix: str) -> None:
    check(data, suffix)
