"""The same commands on the GNU Scientific Library, whose vectors and matrices are structs of the caller, from its own
gsl_blas.h with no hand edit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from helpers import Project, Sdk, as_device, entries, make_project, passes_gate

if TYPE_CHECKING:
    import torch

pytestmark = pytest.mark.sdk

#: Served over structs; what is in the BLAS that comes with it is served by its plain functions.
VIEWS = {"aten::amax", "aten::amin", "aten::div", "aten::mul", "aten::sum"}
BLAS = {f"aten::{n}" for n in ("add", "addmm", "addmv", "addr", "bmm", "dot", "mm", "mv", "sub", "vector_norm")}


@pytest.fixture(scope="module")
def gsl(gsl_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The chip project that new-chip makes from gsl_blas.h: built and probed."""
    return make_project(tmp_path_factory.mktemp("chips"), "gsl", gsl_sdk)


@pytest.fixture(scope="module")
def device(gsl: Project) -> Iterator[torch.device]:
    """GSL as a torch device, in this process."""
    with as_device(gsl) as found:
        yield found


def test_the_probe_settles_every_op(gsl: Project) -> None:
    ops = entries(gsl)
    assert ops.keys() == VIEWS | BLAS
    for name, op in ops.items():
        assert set(op.dtype_support) == {"float32", "float64"}
        assert op.provenance == ("probed" if name in VIEWS else "header")


def test_gate_passes_with_no_line_by_hand(gsl: Project) -> None:
    passes_gate(gsl, VIEWS | BLAS)


def test_structs_of_the_caller_are_what_the_tensors_are(device: torch.device) -> None:
    import torch

    import torchfl as runtime

    torch.manual_seed(0)
    x, y = torch.randn(6, 5, dtype=torch.float64), torch.rand(6, 5, dtype=torch.float64) + 1
    runtime.reset_counters()
    a, b = x.to(device), y.to(device)
    for got, expected in (
        (a * b, x * y), (a / b, x / y), (a.sum(1), x.sum(1)), (a.amax(0), x.amax(0)), (b.amin(), y.amin()),
        (a.t() @ b, x.t() @ y),
    ):  # fmt: skip
        torch.testing.assert_close(got.cpu(), expected)
    counted = runtime.counters()
    for op in ("mul.Tensor", "div.Tensor", "sum.dim_IntList", "amax", "amin", "mm"):
        assert counted[f"aten::{op}"].native >= 1, op
        assert not counted[f"aten::{op}"].cpu, op
