"""The matcher's rules know words, not vendors; and the small readers under it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import torchfl_sdk.match as package
from torchfl_sdk.header.macros import number
from torchfl_sdk.match.status import meaning
from torchfl_sdk.match.tokens import common_prefix, prefix_of, prefixes, readings, split

VENDORS = ("tianhe", "lingmu", "cblas", "openblas", "mkl", "vml", "dnnl", "onednn", "cudnn", "cublas", "cuda")
VENDORS += ("npp", "npps", "nppi", "ipp", "ipps", "ippi", "nnpack", "nnp", "xnn", "xnnpack", "clblast", "cutensor")
VENDORS += ("armnn", "acl", "aclnn", "hip", "roc", "ze", "cl", "cnnl", "miopen")


def test_no_rule_names_a_vendor() -> None:
    folder = Path(package.__file__).parent
    sources = [*sorted(folder.rglob("*.py")), *sorted((folder.parent / "header").glob("*.py"))]
    assert len(sources) > 35
    lower, upper = "|".join(VENDORS), "|".join(v.upper() for v in VENDORS)
    title = "|".join(v.capitalize() for v in VENDORS)
    pattern = re.compile(rf"\b(?:{lower}|{title})(?:_|[A-Z])|\b(?:{upper})_|(?i:\b(?:{lower})\b)")
    for vendor in ("cudnnCreate", "XNN_X", "a mkl b"):
        assert pattern.search(vendor)
    found = []
    for source in sources:
        for text in _texts(ast.parse(source.read_text(encoding="utf-8"))):
            found += [f"{source.name}: {m.group()}" for m in pattern.finditer(text)]
    assert found == []


def _texts(tree: ast.AST) -> Iterator[str]:
    """The strings and names of a module; docstrings may give examples."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x1_leaky_relu", ["x1", "leaky", "relu"]),
        ("acmeLeakyRelu", ["acme", "leaky", "relu"]),
        ("acme_conv2d", ["acme", "conv2d"]),
        ("acme_conv_2d", ["acme", "conv2d"]),
        ("acmeConv2DForward", ["acme", "conv2d", "forward"]),
        ("acmeAdd_32f", ["acme", "add", "32f"]),
        ("ACME_DTYPE_FLOAT32", ["acme", "dtype", "float32"]),
        ("acmeSGEMM", ["acme", "sgemm"]),
    ],
)
def test_split(name: str, words: list[str]) -> None:
    assert split(name) == words


def test_prefix_is_found_by_frequency() -> None:
    assert common_prefix(["acme_nn_add", "acme_nn_mul", "acme_nn_exp"]) == ("acme", "nn")
    assert common_prefix(["acme_nn_add", "acme_nn_mul", "acme_malloc", "acme_free", "acme_init"]) == ("acme",)
    assert common_prefix(["add", "mul"]) == ()
    assert common_prefix(["acme_nn_add", "acme_nn_mul", "acme"]) == ("acme", "nn")
    known = prefixes(["a_x", "a_y", "a_z", "b_x", "b_y", "b_z", "get_a", "get_b", "get_c", "a_w"])
    assert prefix_of("b_x", known) == ("b",)
    assert prefix_of("get_a", known) == ()


@pytest.mark.parametrize(
    ("name", "core", "dtype"),
    [
        ("acme_add_f32", "add", "float32"),
        ("acme_f16_add", "add", "float16"),
        ("acme_sgemm", "gemm", "float32"),
        ("acme_zgemm", "gemm", "complex"),
        ("acme_vec_add_double", "add", "float64"),
        ("acme_relu_forward", "relu", ""),
        ("acme_add32f", "add", "float32"),
    ],
)
def test_readings(name: str, core: str, dtype: str) -> None:
    assert (core, dtype) in {(r.core, r.dtype) for r in readings(name, (("acme",),))}


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("ACME_SUCCESS", "SUCCESS"),
        ("acmeNoError", "SUCCESS"),
        ("ACME_OK", "SUCCESS"),
        ("ACME_ERROR_OUT_OF_MEMORY", "OUT_OF_MEMORY"),
        ("ACME_NOMEM", "OUT_OF_MEMORY"),
        ("ACME_STATUS_NOT_SUPPORTED", "UNSUPPORTED"),
        ("ACME_NOT_READY", "NOT_READY"),
        ("ACME_ERROR_NO_DEVICE", "NO_DRIVER"),
        ("ACME_INVALID_VALUE", "INVALID_ARGUMENT"),
        ("ACME_ERROR_NOT_INITIALIZED", ""),
    ],
)
def test_status_words(name: str, status: str) -> None:
    assert meaning(name) == status


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("12", 12), ("0x1Fu", 31), ("010", 8), ("0b101", 5), ("-3", -3), ("(4)", 4), ("1.5f", 1.5), ("1e-5", 1e-5),
        ("(1 << 4)", 16), ("ONE | 2", 3), ("((int)7)", 7), ("(ONE)", 1),
        ("x", None), ("f(1)", None), ("1 +", None), ("", None), ('"a"', None), ("1 << 99", None), ("sizeof(int)", None),
    ],
)  # fmt: skip
def test_macro_numbers(body: str, value: float | None) -> None:
    assert number(body, {"ONE": 1}) == value
