"""Opaque buffers and real command queues: CLBlast on PoCL, from both of their own headers, with no hand edit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from helpers import Project, Sdk, as_device, entries, make_project, passes_gate, torchfl

if TYPE_CHECKING:
    import torch

pytestmark = pytest.mark.sdk

U32 = 2.0**-24
OPS = (
    *("aten::add", "aten::addmm", "aten::addmv", "aten::addr", "aten::baddbmm", "aten::bmm", "aten::dot", "aten::mm"),
    *("aten::mul", "aten::mv", "aten::permute_copy", "aten::sub", "aten::sum", "aten::vector_norm"),
)


@pytest.fixture(scope="module")
def clblast(clblast_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The chip project that new-chip makes from clblast_c.h and CL/cl.h: built and probed."""
    return make_project(tmp_path_factory.mktemp("chips"), "clblast", clblast_sdk)


@pytest.fixture(scope="module")
def device(clblast: Project) -> Iterator[torch.device]:
    """CLBlast as a torch device, in this process."""
    with as_device(clblast) as found:
        yield found


def test_the_gemm_family_is_served(clblast: Project) -> None:
    ops = entries(clblast)
    assert tuple(sorted(ops)) == OPS
    for op in ops.values():
        assert "float32" in op.dtype_support
        assert op.provenance == "probed"  # a buffer object has no element type: only the chip can say


def test_half_precision_is_written_and_the_convolution_without_a_bias_is_not(clblast: Project) -> None:
    """PoCL has no half precision on every processor, so that only the source can be looked at."""
    kernels = (clblast.directory / "src" / "clblast_kernels.cpp").read_text()
    assert "CLBlastHgemm(" in kernels
    assert "torchfl::half_bits(alpha)" in kernels
    assert "CLBlastScsum" not in kernels  # of complex numbers
    readme = (clblast.directory / "README.md").read_text()
    row = next(line for line in readme.splitlines() if line.startswith("| `CLBlastSconvgemm` |"))
    assert "it takes no bias, and no profile can say" in row


def test_the_runtime_comes_from_the_second_header(clblast: Project) -> None:
    source = (clblast.directory / "src" / "clblast_device.gen.cpp").read_text()
    for function in ("clGetDeviceIDs", "clCreateContext", "clCreateBuffer", "clEnqueueWriteBuffer", "clFinish"):
        assert f"vendor::{function}(" in source
    assert "new-chip clblast" in source


def test_gate_passes(clblast: Project) -> None:
    passes_gate(clblast, OPS)


def test_views_into_a_buffer_are_offsets(device: torch.device) -> None:
    import torch

    import torchfl as runtime

    torch.manual_seed(0)
    base = torch.randn(7, 24, 16)
    on_chip = base.to(device)
    runtime.reset_counters()
    actual = torch.mm(on_chip[3], on_chip[5].t())
    counted = runtime.counters()["aten::mm"]
    assert (counted.native, counted.adapted, counted.cpu) == (1, 0, 0)
    a, b = base[3].double(), base[5].double().t()
    allowed = (2 + 6 * math.sqrt(16)) * U32 * (a.abs() @ b.abs())
    assert ((actual.cpu().double() - a @ b).abs() <= allowed).all()


def test_a_training_step_matches_cpu_and_runs_on_the_chip(device: torch.device) -> None:
    import copy

    import torch

    import torchfl as runtime

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(32, 24), torch.nn.Tanh(), torch.nn.Linear(24, 8))
    expected = copy.deepcopy(model).double()
    x, y = torch.randn(16, 32), torch.randn(16, 8)
    torch.nn.functional.mse_loss(expected(x.double()), y.double()).backward()
    model.to(device)
    runtime.reset_counters()
    torch.nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
    counted = runtime.counters()
    assert counted["aten::addmm"].native == 2
    assert counted["aten::mm"].native == 3  # two weight gradients and one of the hidden layer
    assert counted["aten::addmm"].cpu == counted["aten::mm"].cpu == 0
    for ours, exact in zip(model.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(ours.grad.cpu().double(), exact.grad, rtol=1e-4, atol=1e-6)


def test_a_header_without_its_runtime_says_what_is_missing(clblast_sdk: Sdk, tmp_path) -> None:
    done = torchfl("new-chip", "alone", "--header", clblast_sdk.header, "--lib", clblast_sdk.library, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "bound 0 ops" in done.stdout
    assert "warning: no function of the given headers makes a cl_mem" in done.stdout
    assert "CL/opencl.h" in done.stdout
