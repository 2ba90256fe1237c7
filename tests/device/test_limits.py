"""docs/limits.md row by row: each example says what the page says it says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from helpers import ROOT

# TorchScript, strided nested tensors and quantization are old or new enough for torch to warn.
pytestmark = [
    pytest.mark.device,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


def _table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("torchfl_limits", ROOT / "docs" / "limits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


LIMITS = _table().LIMITS


@pytest.mark.parametrize("limit", [row for row in LIMITS if row.example], ids=lambda row: row.what[:40])
def test_an_example_says_what_the_page_says(limit: object, device: torch.device, tmp_path: Path) -> None:
    import safetensors.torch

    empty = tmp_path / "empty.safetensors"
    safetensors.torch.save_file({"a": torch.ones(1)}, empty)
    names = {"torch": torch, "t": torch.ones(2, device="xpu"), "empty_safetensors": str(empty)}
    try:
        said = str(eval(limit.example, names))
        as_the_page = said == limit.says
    except Exception as error:
        said = str(error)
        as_the_page = limit.says in said
    assert as_the_page, said


@pytest.mark.parametrize("limit", [row for row in LIMITS if not row.example], ids=lambda row: row.what[:40])
def test_a_row_without_an_example_is_pinned_by_the_test_it_names(limit: object) -> None:
    words = limit.says.replace("`", "").split()
    text = " ".join((ROOT / limit.test).read_text().replace("`", "").split())
    known = [" ".join(words[i : i + 4]) for i in range(len(words) - 3)]
    assert any(part in text for part in known), f"{limit.test} does not look for {limit.says!r}"


def test_the_table_says_each_thing_once() -> None:
    assert len({row.what for row in LIMITS}) == len(LIMITS)
    assert all(bool(row.example) != bool(row.test) and row.says for row in LIMITS)
