"""The same commands on an SDK that nobody here wrote: OpenBLAS from its own cblas.h, with no hand edit."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from helpers import Project, Sdk, as_device, entries, make_project, passes_gate, sums_are_wrong, torchfl

if TYPE_CHECKING:
    import torch

pytestmark = pytest.mark.sdk

#: Unit roundoff of float32, in which OpenBLAS's sgemm accumulates.
U32 = 2.0**-24


@pytest.fixture(scope="module")
def openblas(openblas_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The chip project that new-chip makes from cblas.h: built and probed."""
    return make_project(
        tmp_path_factory.mktemp("chips"), "openblas", openblas_sdk, alarms=sums_are_wrong(openblas_sdk.library)
    )


@pytest.fixture(scope="module")
def device(openblas: Project) -> Iterator[torch.device]:
    """OpenBLAS as a torch device, in this process."""
    with as_device(openblas) as found:
        yield found


def test_gemm_serves_mm_and_addmm(openblas: Project) -> None:
    ops = entries(openblas)
    for name in ("aten::mm", "aten::addmm"):
        assert "float32" in ops[name].dtype_support
        assert ops[name].layout == "matrix"


def test_a_function_of_the_library_that_is_wrong_is_found_by_the_probe(openblas: Project, openblas_sdk: Sdk) -> None:
    ops = entries(openblas)
    provenance = {name: op.provenance for name, op in ops.items()}
    entry = ops["aten::sum"]
    if sums_are_wrong(openblas_sdk.library):
        assert (entry.dtype_support, provenance.pop("aten::sum")) == (("float64",), "probed")
    else:
        assert entry.dtype_support == ("float32", "float64")
    assert set(provenance.values()) == {"header"}


def test_profile_is_valid(openblas: Project) -> None:
    done = torchfl("profile", "validate", openblas.profile)
    assert done.returncode == 0, done.stderr


def test_gate_passes(openblas: Project) -> None:
    passes_gate(openblas, entries(openblas))


def test_mlp_forward_is_native_and_within_the_bound(device: torch.device) -> None:
    import torch

    import torchfl as runtime

    torch.manual_seed(0)
    first, second = torch.nn.Linear(96, 64), torch.nn.Linear(64, 10)
    model = torch.nn.Sequential(first, torch.nn.ReLU(), second)
    x = torch.randn(32, 96)
    exact = model.double()(x.double()).detach()
    allowed = _bound(x, first, second)
    model.float()

    with torch.no_grad():
        model.to(device)
        runtime.reset_counters()
        actual = model(x.to(device)).cpu()
    counted = runtime.counters()

    assert counted["aten::addmm"].native == 2
    assert counted["aten::addmm"].cpu == 0
    assert counted["aten::relu"].native == 0  # CBLAS has no relu: CPU, and said so
    assert any(reason.op.startswith("aten::relu") for reason in runtime.fallback_reasons())
    assert ((actual.double() - exact).abs() <= allowed).all()


def test_mlp_training_is_native(device: torch.device) -> None:
    """Forward, backward and SGD steps: every product on the chip, and the parameters where float64 has them."""
    import torch

    import torchfl as runtime

    torch.manual_seed(0)
    steps, rate = 5, 0.05
    model = torch.nn.Sequential(torch.nn.Linear(96, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    x, y = torch.randn(32, 96), torch.randn(32, 10)
    exact = copy.deepcopy(model).double()
    model.to(device)
    runtime.reset_counters()

    def train(net: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> list[float]:
        optimizer = torch.optim.SGD(net.parameters(), lr=rate, foreach=False)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    losses = train(model, x.to(device), y.to(device))
    counted = runtime.counters()
    assert (counted["aten::addmm"].native, counted["aten::addmm"].cpu) == (2 * steps, 0)
    # the weights' gradients, and the gradient of the hidden layer; the input has none
    assert (counted["aten::mm"].native, counted["aten::mm"].cpu) == (3 * steps, 0)
    # SGD's param.add_(grad, alpha=-lr) is axpy, of each of the four parameters
    assert (counted["aten::add_.Tensor"].native, counted["aten::add_.Tensor"].cpu) == (4 * steps, 0)

    wanted = train(exact, x.double(), y.double())
    assert losses == pytest.approx(wanted, rel=1e-5)
    assert losses == sorted(losses, reverse=True)
    for ours, theirs in zip(model.parameters(), exact.parameters(), strict=True):
        torch.testing.assert_close(ours.detach().cpu().double(), theirs.detach(), rtol=1e-5, atol=1e-6)


def _bound(x: torch.Tensor, first: torch.nn.Linear, second: torch.nn.Linear) -> torch.Tensor:
    """The oracle's bound on a contraction, |y-r| <= ulp + 6 sqrt(K) u (|A||B|+|C|), carried through both layers."""

    def layer(h: torch.Tensor, error: torch.Tensor, linear: torch.nn.Linear) -> torch.Tensor:
        weight, bias = linear.weight.detach().double().abs().T, linear.bias.detach().double().abs()
        magnitude = h.abs() @ weight + bias
        ulp = 2 * U32 * magnitude
        return error @ weight + ulp + 6 * math.sqrt(h.shape[1]) * U32 * magnitude

    h = x.double()
    error = layer(h, h.new_zeros(h.shape), first)
    hidden = first.double()(h).detach().relu()  # relu does not widen an error
    return layer(hidden, error, second)


def test_numbers_that_users_write_are_scaled_by_the_chip(device: torch.device) -> None:
    import torch

    import torchfl as runtime

    a = torch.randn(5, 7)
    x = a.to(device)
    runtime.reset_counters()
    for actual, expected in ((x * 0.5, a * 0.5), (2 * x, 2 * a), (x.t() * 3, a.t() * 3), (x.clone().mul_(4), a * 4)):
        assert torch.equal(actual.cpu(), expected)
    counted = runtime.counters()
    assert (counted["aten::mul.Tensor"].native, counted["aten::mul.Tensor"].cpu) == (3, 0)
    assert (counted["aten::mul_.Tensor"].native, counted["aten::mul_.Tensor"].cpu) == (1, 0)
    special = torch.tensor([math.inf, math.nan, -2.0, 5.0]).to(device)
    for zero in (special * 0, special.mul_(0)):  # OpenBLAS's own scal writes zeros here
        assert zero.cpu().isnan().tolist() == [True, True, False, False]
    assert runtime.counters()["aten::mul.Tensor"].native == 4
    torch.testing.assert_close((x * x).cpu(), a * a, rtol=0, atol=0)
    said = [r.reason for r in runtime.fallback_reasons() if r.op == "aten::mul.Tensor"]
    assert any("second_numel" in reason for reason in said), said


def test_transposed_operands_run_without_a_copy(device: torch.device) -> None:
    import torch

    import torchfl as runtime

    torch.manual_seed(0)
    a, b = torch.randn(17, 5), torch.randn(23, 17)
    on_chip = a.to(device).t(), b.to(device).t()
    runtime.reset_counters()
    actual = torch.mm(*on_chip)
    counted = runtime.counters()["aten::mm"]
    assert (counted.native, counted.adapted, counted.cpu) == (1, 0, 0)
    magnitude = a.double().t().abs() @ b.double().t().abs()
    error = (actual.cpu().double() - a.double().t() @ b.double().t()).abs()
    assert (error <= (2 + 6 * math.sqrt(17)) * U32 * magnitude).all()
