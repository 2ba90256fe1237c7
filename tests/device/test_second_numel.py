"""Kernels that take a number for their second operand (``second_numel: [1]``), forward and through autograd: what
backward computes with the number is the chip's, the number's own gradient, over two tensors, is not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

import torchfl
from router_helpers import SOURCE, counts, only_router_chip, router_chip_dir, same, whole

pytestmark = pytest.mark.device

MUL, DIV, ADD = "aten::mul.Tensor", "aten::div.Tensor", "aten::add.Tensor"


def profile() -> Path:
    """The router tests' chip, whose arithmetic takes numbers alone."""
    folder = Path(tempfile.mkdtemp(prefix="torchfl-rt-number-"))
    lines = []
    for line in (SOURCE / "rt_device.yaml").read_text().splitlines():
        if line.startswith(tuple(f"  - {{name: aten::{op}," for op in ("add", "sub", "mul", "div"))):
            line = line.replace(", constraints: {rank: {max: 3}}", "").removesuffix("}")
            line += ", constraints: {second_numel: [1]}}"
        lines.append(line)
    (folder / "rt_device.yaml").write_text("\n".join(lines) + "\n")
    (folder / "librt_chip.so").symlink_to(router_chip_dir() / "librt_chip.so")
    return folder


@pytest.fixture(scope="module")
def _numbers() -> Iterator[torch.device]:
    with only_router_chip(), pytest.MonkeyPatch.context() as patched:
        torchfl.shutdown()
        patched.setenv("RT_LIBRARY", str(router_chip_dir() / "librt_chip.so"))
        torchfl.init([profile()])
        yield torchfl.device("xpu:rt")


@pytest.fixture
def dev(_numbers: torch.device) -> torch.device:
    torchfl.reset_counters()
    torch.manual_seed(0)
    return _numbers


def gradients(
    call: Callable[..., torch.Tensor], place: torch.device | str, *tensors: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Result and gradients of every tensor; of the result's weights as they would be in a loss."""
    leaves = [t.to(place).requires_grad_() for t in tensors]
    result = call(*leaves)
    result.backward(torch.arange(1.0, result.numel() + 1).view(result.shape).to(place))
    return (result.detach(), *(leaf.grad for leaf in leaves))


NUMBERS = {
    "mul": (lambda x: x * 3, MUL),
    "mul on the left": (lambda x: 3 * x, MUL),
    "div": (lambda x: x / 4, DIV),
}


@pytest.mark.parametrize(("call", "op"), NUMBERS.values(), ids=NUMBERS)
def test_with_a_python_number_all_of_it_is_the_chip_s(dev, call, op):
    x = whole(3, 5)
    for actual, expected in zip(gradients(call, dev, x), gradients(call, "cpu", x), strict=True):
        same(actual, expected)
    assert counts(op)["native"] == 2  # forward, and the gradient
    assert all("cpu" not in counts(name) for name in (MUL, DIV))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)], ids=str)
@pytest.mark.parametrize("op", ["mul", "div", "add", "sub"])
def test_with_a_tensor_of_one_element(dev, op, shape):
    """Its own gradient is a sum over products of two tensors, which the kernel does not take."""
    call = getattr(torch, op)
    x, number = whole(3, 5), torch.full(shape, 2.0)
    actual = gradients(call, dev, x, number)
    for one, expected in zip(actual, gradients(call, "cpu", x, number), strict=True):
        same(one, expected)
    overload = f"aten::{op}.Tensor"
    assert counts(overload)["native"] >= 1
    if op == "mul":
        assert counts(MUL) == {"native": 2, "cpu": 1}
        said = [r.reason for r in torchfl.fallback_reasons() if r.op == MUL]
        assert said == ["second_numel = 15, but second_numel must be one of [1]"]


def test_over_two_tensors_neither_way_is_the_chip_s(dev):
    x, y = whole(3, 5), whole(3, 5)
    for one, expected in zip(gradients(torch.mul, dev, x, y), gradients(torch.mul, "cpu", x, y), strict=True):
        same(one, expected)
    assert counts(MUL) == {"cpu": 3}


def test_a_number_before_a_tensor_is_no_second_operand(dev):
    x, number = whole(3, 5), torch.tensor(2.0)
    actual = gradients(torch.mul, dev, number, x)
    for one, expected in zip(actual, gradients(torch.mul, "cpu", number, x), strict=True):
        same(one, expected)
    assert counts(MUL)["native"] == 1  # the tensor's gradient, grad * number


def test_two_tensors_of_one_element(dev):
    x, y = torch.tensor([3.0]), torch.tensor([2.0])
    for one, expected in zip(gradients(torch.mul, dev, x, y), gradients(torch.mul, "cpu", x, y), strict=True):
        same(one, expected)
    assert counts(MUL) == {"native": 3}


def test_the_gradient_of_a_gradient(dev):
    found = []
    for place in ("cpu", dev):
        x = whole(4).abs().to(place).requires_grad_()
        k = torch.tensor(3.0).to(place).requires_grad_()
        (first,) = torch.autograd.grad((x * k * 2).square().sum(), x, create_graph=True)
        found.append([t.cpu() for t in torch.autograd.grad(first.sum(), (x, k))])
        torch.manual_seed(0)
    for expected, actual in zip(*found, strict=True):
        assert torch.equal(actual, expected)


def test_a_training_step_in_place(dev):
    """As SGD does: the number is the step, and the tensor is written where it is."""
    for momentum in (0.0, 0.5):
        weights = []
        for place in ("cpu", dev):
            torch.manual_seed(0)
            w = torch.nn.Parameter(whole(4, 4).to(place))
            optimizer = torch.optim.SGD([w], lr=0.5, momentum=momentum, foreach=False)
            for _ in range(2):
                optimizer.zero_grad()
                (w * 2).sum().backward()
                optimizer.step()
            weights.append(w.detach().cpu())
        assert torch.equal(*weights)
