"""BLIS, whose matrices are structs that a function of its own blis.h fills in: kernels over those with no hand edit."""

from __future__ import annotations

import pytest

from helpers import Project, Sdk, make_project, succeed

pytestmark = pytest.mark.sdk

#: Served over its structs; the CBLAS in the same header serves matrix products.
STRUCTS = {f"aten::{n}" for n in ("add", "addmv", "addr", "dot", "mul", "mv", "sub")}
CBLAS = {"aten::addmm", "aten::bmm", "aten::mm"}


@pytest.fixture(scope="module")
def blis(blis_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The chip project that new-chip makes from blis.h: built and probed."""
    return make_project(tmp_path_factory.mktemp("chips"), "blis", blis_sdk)


def test_the_probe_settles_every_op(blis: Project) -> None:
    from torchfl.profile import load_profile

    profile = load_profile(blis.profile)
    assert {op.name for op in profile.ops if op.routes} == STRUCTS | CBLAS
    assert {d for op in profile.ops for d in op.dtype_support} == {"float32", "float64"}


def test_gate_passes_with_no_line_by_hand(blis: Project) -> None:
    said = succeed(
        "conformance", "--device", blis.selector, "--chip-dir", blis.directory, "--level", "quick",
        cwd=blis.directory.parent,
    )  # fmt: skip
    assert said.strip().splitlines()[-1].startswith("PASS 10/10 ops native"), said
