"""What a header says about layout, multiples, alignment and zero points becomes keys of the profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import ROOT
from torchfl.profile import load_profile
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.scaffold import NewChipRequest, new_chip

HERON = ROOT / "tests" / "sdks" / "heron.h"
MEMORY = (
    "#include <stddef.h>\n#include <stdint.h>\nint zz_malloc(void **ptr, size_t size);\nint zz_free(void *ptr);\n"
    "int zz_memcpy_h2d(void *dst, const void *src, size_t size);\n"
    "int zz_memcpy_d2h(void *dst, const void *src, size_t size);\n"
)
MATMUL = "int zz_matmul(const float *a, const float *b, float *c, int m, int n, int k);\n"
RELU = "int zz_relu(const float *in, float *out, size_t n);\n"


def made(tmp_path: Path, text: str, **options: Any) -> dict[str, dict[str, Any]]:
    (tmp_path / "zz.h").write_text(text)
    new_chip(NewChipRequest("zz", (tmp_path / "zz.h",), out=tmp_path, on_conflict="overwrite", check=False, **options))
    plain = yaml.safe_load((tmp_path / "zz" / "zz_device.yaml").read_text())
    return {e["name"].removeprefix("aten::"): e for e in plain.get("supported_ops", [])}


def questions(tmp_path: Path) -> str:
    sheet = tmp_path / "zz" / "QUESTIONS.md"
    return sheet.read_text() if sheet.exists() else ""


def test_a_header_with_nhwc_alone_and_multiples(tmp_path: Path) -> None:
    checked = find_compiler() is not None
    result = new_chip(NewChipRequest("heron", (HERON,), out=tmp_path, check=checked))
    assert not checked or result.check.startswith("compiles"), result.check
    profile = load_profile(tmp_path / "heron" / "heron_device.yaml")
    conv, mm, bmm, relu, add = (profile.op(f"aten::{n}") for n in ("conv2d", "mm", "bmm", "relu", "add"))
    assert (conv.layout, conv.alignment, conv.pad, conv.provenance) == ("channels_last", 64, True, "unverified")
    limits = {c.variable: c.multiple_of for c in conv.constraints if c.multiple_of}
    assert limits == {"in_channels": 8, "out_channels": 8}
    for product in (mm, bmm):
        assert product.pad
        assert {c.variable: c.multiple_of for c in product.constraints} == {"M": 16, "N": 16, "K": 16}
    assert [(c.variable, c.multiple_of) for c in relu.constraints] == [("numel", 32)]  # a constant of the header
    assert (add.dtype_support, add.int8_zero_point, add.provenance) == (("int8",), 128, "unverified")
    source = (tmp_path / "heron" / "src" / "heron_kernels.cpp").read_text()
    assert "out->layout = HN_LAYOUT_NHWC;" in source
    assert "describe(torchfl::Stored(input), &input_desc)" in source
    assert "static_cast<size_t>(out.numel), 128, 128, 128)" in " ".join(source.split())


def test_what_only_advises_is_no_limit(tmp_path: Path) -> None:
    for comment in (
        "n should be a multiple of 16 for best performance",
        "if m, n and k are multiples of 16 a faster path is taken",
        "the workspace must be a multiple of 256",
        "lda must be a multiple of 4",
        "returns memory",
    ):
        ops = made(tmp_path, f"{MEMORY}/* Row-major. {comment}. */\n{MATMUL}")
        assert "constraints" not in ops["mm"], comment
        assert "pad" not in ops["mm"], comment


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("k must be a multiple of 64.", {"K": {"multiple_of": 64}}),
        ("m and n have to be divisible by 32.", {"M": {"multiple_of": 32}, "N": {"multiple_of": 32}}),
        ("All dimensions must be multiples of 128.", {v: {"multiple_of": 128} for v in "KMN"}),
    ],
)
def test_the_subject_of_the_sentence_names_the_sizes(tmp_path: Path, comment: str, expected: dict[str, Any]) -> None:
    assert made(tmp_path, f"{MEMORY}/* Row-major. {comment} */\n{MATMUL}")["mm"]["constraints"] == expected


def test_what_lacks_its_subject_or_number_is_a_question(tmp_path: Path) -> None:
    assert "constraints" not in made(tmp_path, f"{MEMORY}/* Row-major. It must be a multiple of 32. */\n{MATMUL}")["mm"]
    assert "which sizes must be multiples of 32?" in questions(tmp_path)
    ops = made(tmp_path, f"{MEMORY}/* in and out must be aligned. */\n{RELU}")
    assert "alignment" not in ops["relu"]
    assert ops["relu"]["provenance"] == "unverified"  # the probe is to ask
    assert "to how many bytes must tensors be aligned?" in questions(tmp_path)
    ops = made(tmp_path, f"{MEMORY}#define ZZ_MEM_ALIGNMENT 256\n{RELU}")
    assert "alignment" not in ops["relu"]  # perhaps only what the allocator does
    assert "multiples of ZZ_MEM_ALIGNMENT = 256 bytes?" in questions(tmp_path)


@pytest.mark.parametrize(
    "comment", ["in and out must be 128-byte aligned.", "Both pointers have to be aligned to ZZ_BYTES bytes."]
)
def test_alignment_that_a_comment_demands(tmp_path: Path, comment: str) -> None:
    ops = made(tmp_path, f"{MEMORY}#define ZZ_BYTES 128\n/* {comment} */\n{RELU}")
    assert ops["relu"]["alignment"] == 128


POOL = (
    "int zz_avg_pool2d{}(const float *in, float *out, int batch, int channels, int height, int width, int out_height, "
    "int out_width, int kernel_h, int kernel_w, int stride_h, int stride_w, int pad_h, int pad_w);\n"
)


def test_images_lie_as_a_name_or_a_comment_says(tmp_path: Path) -> None:
    assert made(tmp_path, MEMORY + POOL.format("_nhwc"))["avg_pool2d"]["layout"] == "channels_last"
    assert made(tmp_path, MEMORY + "/* NHWC images. */\n" + POOL.format(""))["avg_pool2d"]["layout"] == "channels_last"
    assert "layout" not in made(tmp_path, MEMORY + POOL.format("_nchw"))["avg_pool2d"]
    assert "layout" not in made(tmp_path, MEMORY + "/* NCHW or NHWC. */\n" + POOL.format(""))["avg_pool2d"]
    assert "NHWC?" not in questions(tmp_path)
    assert "layout" not in made(tmp_path, MEMORY + POOL.format(""))["avg_pool2d"]
    assert "are images NCHW or NHWC?" in questions(tmp_path)


def test_planes_are_no_channels_last(tmp_path: Path) -> None:
    planes = POOL.replace("int batch, int channels,", "int planes,")
    assert "avg_pool2d" in made(tmp_path, MEMORY + planes.format("_nchw"))
    assert "avg_pool2d" not in made(tmp_path, MEMORY + planes.format("_nhwc"))


ADD = "int zz_add{0}(const {1} *a, const {1} *b, {1} *out, size_t n, int a_zero_point, int b_zero_point, int out_zp);\n"


def test_zero_points_as_arguments(tmp_path: Path) -> None:
    ops = made(tmp_path, MEMORY + ADD.format("", "uint8_t"))
    assert (ops["add"]["dtype_support"], ops["add"]["int8_zero_point"]) == (["int8"], 128)
    ops = made(tmp_path, MEMORY + ADD.format("", "int8_t"))
    assert ops["add"]["dtype_support"] == ["int8"]
    assert "int8_zero_point" not in ops["add"]
    ops = made(tmp_path, MEMORY + ADD.format("_u8", "uint8_t") + ADD.format("_s8", "int8_t"))
    assert ops["add"]["dtype_support"] == ["int8"]  # by the function that takes it as it is
    assert "int8_zero_point" not in ops["add"]


def test_a_zero_point_that_is_always_the_same(tmp_path: Path) -> None:
    relu = "int zz_relu(const uint8_t *in, uint8_t *out, size_t n);\n"
    assert made(tmp_path, MEMORY + relu)["relu"]["dtype_support"] == ["uint8"]
    ops = made(tmp_path, f"{MEMORY}/* Bytes with the zero point 128. */\n{relu}")
    assert (ops["relu"]["dtype_support"], ops["relu"]["int8_zero_point"]) == (["int8"], 128)
    ops = made(tmp_path, f"{MEMORY}#define ZZ_UINT8_ZERO_POINT 128\n{relu}")
    assert ops["relu"]["int8_zero_point"] == 128


def test_a_newer_header_changes_the_limits_and_keeps_what_the_probe_found(tmp_path: Path) -> None:
    made(tmp_path, f"{MEMORY}/* Row-major. k must be a multiple of 64. */\n{MATMUL}{RELU}")
    path = tmp_path / "zz" / "zz_device.yaml"
    path.write_text(path.read_text().replace("    impl: zz_relu\n", "    impl: zz_relu\n    alignment: 32\n"))
    newer = f"{MEMORY}/* Row-major. k must be a multiple of 128; a must be 64-byte aligned. */\n{MATMUL}{RELU}"
    (tmp_path / "zz.h").write_text(newer)
    result = new_chip(NewChipRequest("zz", (tmp_path / "zz.h",), out=tmp_path, on_conflict="merge", check=False))
    assert not result.conflicts
    profile = load_profile(path)
    mm, relu = profile.op("aten::mm"), profile.op("aten::relu")
    assert [(c.variable, c.multiple_of) for c in mm.constraints] == [("K", 128)]
    assert (mm.alignment, mm.pad, relu.alignment) == (64, True, 32)
