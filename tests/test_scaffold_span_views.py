"""What new-chip writes for operands that are views by value: templates over an address and what says how far it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import ROOT
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.header import read_headers
from torchfl_sdk.header.concrete import concrete
from torchfl_sdk.scaffold.command import new_chip
from torchfl_sdk.scaffold.request import NewChipRequest, NewChipResult

WHIMBREL = (ROOT / "tests" / "sdks" / "whimbrel.hpp").read_text()


def run(tmp_path: Path, text: str) -> tuple[NewChipResult, str]:
    """The result, and the kernels as they are written."""
    header = tmp_path / "vendor.hpp"
    header.write_text(text)
    result = new_chip(NewChipRequest("chip", (header,), out=tmp_path, check=find_compiler() is not None))
    assert not result.check or result.check.startswith("compiles"), result.check
    return result, (tmp_path / "chip" / "src" / "chip_kernels.cpp").read_text()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[NewChipResult, str]:
    return run(tmp_path_factory.mktemp("whimbrel"), WHIMBREL)


def kernel(text: str, name: str) -> str:
    start = text.index(f"tfl_status {name}(")
    return text[start : text.index("\n}\n", start)]


def test_class_templates_are_read_by_their_parts(tmp_path: Path) -> None:
    header = tmp_path / "vendor.hpp"
    header.write_text(WHIMBREL)
    views = read_headers((header,)).views
    assert {name: [p.name for p in v.parts] for name, v in views.items()} == {
        "whimbrel::span": ["data", "size"],
        "whimbrel::view": ["data", "extent", "stride"],
    }
    assert not views["whimbrel::span"].aggregate
    assert views["whimbrel::view"].aggregate


def test_instances_over_views_have_mangled_names(tmp_path: Path) -> None:
    header = tmp_path / "vendor.hpp"
    header.write_text(WHIMBREL)
    negate = concrete(read_headers((header,))).function("whimbrel_kernels_negate_f32")
    assert negate is not None
    assert negate.symbol == "_ZN8whimbrel7kernels6negateIfEEvRNS_5queueENS_4spanIT_EENS4_IKS5_EE"


def test_a_view_is_made_of_address_and_length(written: tuple[NewChipResult, str]) -> None:
    add = kernel(written[1], "whimbrel_add")
    assert (
        "const ::whimbrel::span<float> out_view(torchfl::data<float>(out), static_cast<unsigned long>(out.numel));"
        in add
    )
    assert "torchfl::data<const float>(self)" in add
    assert add.index("vendor::whimbrel_kernels_sum_of_f32(*queue, out_view, self_view, other_view)") < add.index(
        "queue->finish()"
    )


def test_rows_of_the_last_dimension_are_a_matrix(written: tuple[NewChipResult, str]) -> None:
    softmax = kernel(written[1], "whimbrel_softmax")
    assert "the vendor's function works along the last dimension only" in softmax
    assert "{out.numel / out_columns, out_columns}" in softmax
    assert "{out_columns, 1}" in softmax


def test_one_matrix_is_no_stack_of_them(written: tuple[NewChipResult, str]) -> None:
    ops = {b.op for b in written[0].bound}
    assert "aten::mm" in ops
    assert "aten::bmm" not in ops


def test_a_reduction_over_a_span_has_no_dimensions(tmp_path: Path) -> None:
    total = "template <typename T> void sum(queue& q, span<T> to, span<const T> from);\n}  // namespace kernels"
    result, _ = run(tmp_path, WHIMBREL.replace("}  // namespace kernels", total))
    assert "aten::sum" not in {b.op for b in result.bound}
    assert "works along some" in (tmp_path / "chip" / "README.md").read_text()
