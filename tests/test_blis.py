"""BLIS, whose matrices are structs that a function of its own blis.h fills in: kernels over those with no hand edit."""

from __future__ import annotations

import pytest

from helpers import Project, Sdk, entries, make_project, passes_gate

pytestmark = pytest.mark.sdk

#: Served over its structs; the CBLAS in the same header serves matrix products.
STRUCTS = {f"aten::{n}" for n in ("add", "addmv", "addr", "dot", "mul", "mv", "sub")}
CBLAS = {"aten::addmm", "aten::bmm", "aten::mm"}


@pytest.fixture(scope="module")
def blis(blis_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The chip project that new-chip makes from blis.h: built and probed."""
    return make_project(tmp_path_factory.mktemp("chips"), "blis", blis_sdk)


def test_the_probe_settles_every_op(blis: Project) -> None:
    ops = entries(blis)
    assert ops.keys() == STRUCTS | CBLAS
    for op in ops.values():
        assert set(op.dtype_support) == {"float32", "float64"}


def test_gate_passes_with_no_line_by_hand(blis: Project) -> None:
    passes_gate(blis, STRUCTS | CBLAS)
