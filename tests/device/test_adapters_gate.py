"""The gate on chips that adapters serve: right ones pass, and one that is wrong where an adapter relies on it fails."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from torchfl_sdk.conformance import RunRequest, run
from torchfl_sdk.conformance.gate.request import RunResult

from adapter_helpers import adapter_chip_dir, order_chip_dir

pytestmark = pytest.mark.device


def gate(folder: Path, out: Path, *ops: str) -> RunResult:
    selector = "xpu:ad-order" if (folder / "ad-order_device.yaml").exists() else "xpu:ad"
    return run(RunRequest(selector, level="quick", ops=ops, chip_dirs=(folder,), out=out, search_here=False))


@pytest.mark.parametrize("mapped", [False, True], ids=["separate", "mapped"])
def test_the_adapters_chip_passes(tmp_path: Path, mapped: bool) -> None:
    """Samples are judged through the adapters, limits are asked from both sides."""
    result = gate(adapter_chip_dir(mapped), tmp_path / "report")
    assert result.exit_code == 0, result.to_text()
    assert result.line.startswith("PASS 9/9 ops native")
    natives = [r for r in result.results if r.verdict == "NATIVE_PASS"]
    assert {"K=9 padded", "in_channels=5 padded", "numel=17 padded"} <= {r.case.boundary for r in natives}
    assert {r.case.sample.dtype for r in natives if r.case.sample.op == "aten::conv2d"} == {"float32", "int8"}
    assert any(r.proved for r in natives if r.case.sample.dtype == "int8")
    assert not any(r.verdict == "NATIVE_PASS" for r in result.results if r.case.boundary == "K=65 outside")


def test_the_chip_with_kernels_for_orders_passes(tmp_path: Path) -> None:
    result = gate(order_chip_dir(), tmp_path / "report")
    assert result.exit_code == 0, result.to_text()
    assert result.line.startswith("PASS 13/13 ops native")


#: adapter: what is wrong (``wrong()`` of the chip) -> ops in which it is, each of which must fail.
WRONG = {
    "NHWC: the result lies NCHW": ("gives_nchw", ("aten::conv2d",)),
    "NHWC: an image that lies NCHW is read as NHWC": ("one_order", ("aten::avg_pool2d",)),
    "padding: what lies behind the first block is not looked at": (
        "one_block", ("aten::mm", "aten::addmm", "aten::bmm", "aten::add"),
    ),
    "int8: beside the image is the byte 0, not the zero point": ("byte_zero_around", ("aten::conv2d",)),
    "int8: the zero point is taken to be 0": ("zero_is_zero", ("aten::relu",)),
    "int8: results wrap around where the profile says saturate": ("wraps", ("aten::conv2d", "aten::mul")),
    "orders: the last two axes stay where they are": ("last_axes_stay", ("aten::permute_copy",)),
    "late images: every row of a part is the first": ("first_row", ("aten::cat",)),
    "late images: the last axis is taken for the one to go along": ("last_axis", ("aten::softmax", "aten::amax")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "ops"), WRONG.values(), ids=WRONG)
def test_a_chip_that_is_wrong_under_an_adapter_fails(
    name: str, ops: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AD_WRONG", name)
    result = gate(order_chip_dir(), tmp_path / "report", *ops)
    assert result.exit_code == 1
    bad = [r for r in result.results if not r.good]
    assert {r.case.sample.op for r in bad} == set(ops)
    assert {r.verdict for r in bad} == {"FAIL"}


@pytest.mark.parametrize(("alignment", "code"), [(64, 0), (1, 1)])
def test_what_a_chip_does_to_addresses_is_seen_where_the_profile_asks_for_none(
    alignment: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chip that drops an address's last six bits is right for tensors that begin at multiples of 64."""
    monkeypatch.setenv("AD_WRONG", "rounds_down")
    parent, library = adapter_chip_dir() / "ad_device.yaml", adapter_chip_dir() / "libad_chip.so"
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    (folder / "ad_device.yaml").write_text(
        f"extends: {parent}\ndevice_type: xpu:ad\nchip_library: {library}\n"
        f"supported_ops:\n  - {{name: aten::abs, alignment: {alignment}}}\n"
    )
    result = gate(folder, tmp_path / "report", "aten::abs")
    assert result.exit_code == code, result.to_text()
    assert any(r.case.purpose == "layout" and not r.good for r in result.results) == bool(code)
