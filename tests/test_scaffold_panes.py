"""Tensors that are views the caller fills and passes as const, numbers beside their type, one question for a family."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import ROOT
from torchfl_sdk.scaffold import NewChipRequest, new_chip

PIPIT = (ROOT / "tests" / "sdks" / "pipit.h").read_text()


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("pipit"), PIPIT)


def written(folder: Path, header: str, kind: str = "kernels.cpp") -> str:
    (folder / "pt.h").write_text(header)
    new_chip(NewChipRequest("pt", (folder / "pt.h",), out=folder, check=False))
    return (folder / "pt" / "src" / f"pt_{kind}").read_text()


def kernel(text: str, op: str) -> str:
    return text[text.index(f"tfl_status pt_{op}(") :].partition("\n}\n")[0]


def test_a_view_is_filled_by_its_fields_and_passed_by_address(text: str) -> None:
    helper = text[text.index("tfl_status make_ptPane(") :].partition("\n}\n")[0]
    assert "shape.rank > 6" in helper
    assert "torchfl::assign(out->size[i], shape.sizes[i])" in helper
    assert "torchfl::assign(out->stride[i], shape.strides[i])" in helper
    relu = kernel(text, "relu")
    assert "make_ptPane(call, out, torchfl::flat(out), &out_object)" in relu
    assert "vendor::ptReluLaunch(\n      &self_object, &out_object, workspace.data(), workspace_bytes" in relu


@pytest.mark.parametrize(
    ("op", "question"),
    [("mul", "Binary"), ("lt", "Binary"), ("exp", "Unary"), ("clamp", "Unary"), ("sum", "Reduce"), ("mm", "MatMul")],
)
def test_scratch_is_asked_for_by_the_question_for_ops_of_the_kind(text: str, op: str, question: str) -> None:
    assert re.findall(r"vendor::pt(\w+)ScratchQuery\(", kernel(text, op)) == [question]


def test_a_question_that_takes_what_the_function_has_not_is_none_for_it(tmp_path: Path) -> None:
    more = "ptUnaryScratchQuery(const ptPane *in, int32_t vectors, const ptPane *out,"
    text = written(tmp_path, PIPIT.replace("ptUnaryScratchQuery(const ptPane *in, const ptPane *out,", more))
    assert "is a skeleton" in kernel(text, "exp")
    assert "nothing says how large its workspace must be" in (tmp_path / "pt" / "README.md").read_text()


def test_a_number_is_of_the_type_of_the_member_that_holds_it(text: str) -> None:
    helper = text[text.index("tfl_status make_ptNumber(") :].partition("\n}\n")[0]
    whole, _, real = helper.partition("return TFL_OK;")
    assert "out->type = PT_INT64;\n    out->as.whole = static_cast<int64_t>(value);" in whole
    assert "out->type = PT_FLOAT32;\n  out->as.real = value;" in real  # the enum has no name for double
    assert "make_ptNumber(out.dtype, torchfl::number(call->attrs[0], 1), &alpha)" in kernel(text, "add")


def test_a_limit_that_a_call_has_not_is_null_where_the_header_allows_it(text: str, tmp_path: Path) -> None:
    assert "call->attrs[0].kind == TFL_ATTR_NONE ? nullptr : &lo" in kernel(text, "clamp")
    silent = written(tmp_path, PIPIT.replace("; a limit that is NULL is none", ""))
    assert "nullptr" not in kernel(silent, "clamp")


def test_lists_of_a_struct_are_as_long_as_its_own(text: str) -> None:
    conv = kernel(text, "conv2d")
    assert "const int64_t stride[3] = {torchfl::at(call->attrs[0], 0, 1), torchfl::at(call->attrs[0], 1, 1)};" in conv
    assert "2, stride, pad_lo, pad_hi, dilation, torchfl::integer(call->attrs[5], 1), false" in conv.replace(
        "\n     ", ""
    )


def test_a_list_of_views_is_one_of_addresses(text: str) -> None:
    assert "for (auto& entry : tensors_list) addresses.push_back(&entry);" in kernel(text, "cat")


def test_copies_in_the_default_queue_are_waited_for(tmp_path: Path) -> None:
    device = written(tmp_path, PIPIT, "device.gen.cpp")
    upload = device[device.index("vendor::ptMemUpload(") :].partition("});")[0]
    assert "static_cast<size_t>(bytes), nullptr)" in upload
    assert "return status(vendor::ptDeviceWaitIdle());" in upload


def test_copies_in_a_queue_that_nothing_waits_for_are_none(tmp_path: Path) -> None:
    silent = PIPIT.replace("ptCode ptDeviceWaitIdle(void);\n", "")
    assert "ptMemUpload" not in written(tmp_path, silent, "device.gen.cpp")
