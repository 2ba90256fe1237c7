"""torch.func, torch.export, make_fx and fake tensors on the device: the CPU's values, and the device kept."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import func, nn
from torch.export.passes import move_to_device_pass

import torchfl

# Tracing uses torch.jit's decorators inside torch.
pytestmark = [
    pytest.mark.device,
    pytest.mark.usefixtures("fixture_chip"),
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore:Attempted to insert a get_attr Node", "ignore:.*LeafSpec"
    ),
]


def curve(v: torch.Tensor) -> torch.Tensor:
    return (v.sin() * v.relu()).sum()


TRANSFORMS: dict[str, Callable[[torch.Tensor], Any]] = {
    "grad": func.grad(curve),
    "grad_and_value": lambda x: func.grad_and_value(curve)(x)[1],
    "vmap": func.vmap(curve),
    "vmap of grad": func.vmap(func.grad(curve)),
    "vmap in chunks": func.vmap(curve, chunk_size=2),
    "jacrev": lambda x: func.jacrev(torch.sin)(x[0]),
    "jacfwd": lambda x: func.jacfwd(torch.sin)(x[0]),
    "hessian": lambda x: func.hessian(curve)(x[0]),
    "jvp": lambda x: func.jvp(torch.sin, (x,), (x,))[1],
    "vjp": lambda x: func.vjp(torch.sin, x)[1](x)[0],
    "linearize": lambda x: func.linearize(torch.sin, x)[1](x),
    "functionalize": func.functionalize(lambda x: x.clone().mul_(2).relu_()),
    "jacobian": lambda x: torch.autograd.functional.jacobian(torch.sin, x[0]),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_functions(name: str) -> None:
    x = torch.randn(3, 4)
    there = TRANSFORMS[name](x.to("xpu:1"))
    assert there.device == torch.device("xpu:1")
    torch.testing.assert_close(there.cpu(), TRANSFORMS[name](x))


def test_forward_derivatives_and_checks_of_gradients() -> None:
    x = torch.randn(3, 3, dtype=torch.float64, device="xpu", requires_grad=True)
    assert torch.autograd.gradcheck(torch.sin, (x,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda a: (a @ a.t()).sigmoid(), (x,))


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_random_numbers_in_vmap(randomness: str) -> None:
    rows = func.vmap(lambda v: v + torch.rand(4, device="xpu"), randomness=randomness)(torch.zeros(3, 4, device="xpu"))
    assert torch.equal(rows[0], rows[1]) == (randomness == "same")
    with pytest.raises(RuntimeError, match="randomness"):
        func.vmap(lambda v: v + torch.rand(4, device="xpu"))(torch.zeros(3, 4, device="xpu"))


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)).eval()


def test_modules_as_functions() -> None:
    here, there = net(), net().to("xpu")
    x = torch.randn(3, 4)
    parameters = dict(there.named_parameters())
    torchfl.reset_counters()
    torch.testing.assert_close(func.functional_call(net(), parameters, (x.to("xpu"),)).cpu(), here(x))
    assert torchfl.counters()["aten::relu"].native == 1

    def loss(p: dict[str, torch.Tensor], v: torch.Tensor) -> torch.Tensor:
        return func.functional_call(there, p, (v,)).square().sum()

    each = func.vmap(func.grad(loss), in_dims=(None, 0))(parameters, x.to("xpu"))["0.weight"]
    for row, one in zip(x, each, strict=True):
        here.zero_grad()
        here(row).square().sum().backward()
        torch.testing.assert_close(one.cpu(), here[0].weight.grad)
    stacked, buffers = func.stack_module_state([net().to("xpu") for _ in range(3)])
    model = copy.deepcopy(there).to("meta")
    out = func.vmap(lambda p, b: func.functional_call(model, (p, b), (x.to("xpu"),)))(stacked, buffers)
    torch.testing.assert_close(out[2].cpu(), here(x))


def reloaded(program: Any) -> Any:
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


@pytest.mark.parametrize("device", ["xpu:0", "xpu:1"])
@pytest.mark.parametrize("strict", [True, False])
def test_exported_programs(device: str, strict: bool) -> None:
    model, x = net().to(device), torch.randn(3, 4)
    sizes = ({0: torch.export.Dim("batch")},)
    made = torch.export.export(model, (x.to(device),), dynamic_shapes=sizes, strict=strict)
    more = torch.randn(5, 4)
    for program in (made, reloaded(made), made.run_decompositions()):
        assert {str(value.device) for value in program.state_dict.values()} == {device}
        torchfl.reset_counters()
        out = program.module()(more.to(device))
        assert torchfl.counters()["aten::relu"].native == 1
        torch.testing.assert_close(out.cpu(), net()(more))
    torch.testing.assert_close(torch.export.unflatten(made)(x.to(device)).cpu(), net()(x))


class Shifted(nn.Module):
    """Makes tensors where its argument is, and on the device by name."""

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return a.relu() + torch.ones(4, device=a.device) + torch.zeros(4, device=a.device.type)


@pytest.mark.parametrize("target", ["xpu", "xpu:1", torch.device("xpu", 1)])
def test_a_program_of_the_cpu_moves(target: Any) -> None:
    x = torch.randn(3, 4)
    program = torch.export.export(net(), (x,))
    for moved in (move_to_device_pass(program, target), reloaded(move_to_device_pass(program, target))):
        out = moved.module()(x.to(target))
        assert out.device == torch.ones(1, device=target).device
        torch.testing.assert_close(out.cpu(), net()(x))
    assert str(program.module().to(target)(x.to(target)).device) == str(out.device)


def test_a_program_that_makes_tensors_and_casts() -> None:
    x = torch.randn(3, 4, device="xpu")
    program = reloaded(torch.export.export(Shifted(), (x,)))
    torch.testing.assert_close(program.module()(x).cpu(), Shifted()(x.cpu()))

    class Cast(nn.Module):
        def forward(self, a: torch.Tensor) -> torch.Tensor:
            with torch.autocast("xpu", dtype=torch.bfloat16):
                return a @ a.t()

    assert reloaded(torch.export.export(Cast(), (x,))).module()(x).dtype == torch.bfloat16


def test_memory_of_activations_on_the_host() -> None:
    x = torch.ones(4, device="xpu", requires_grad=True)
    for pinned in (False, True):
        x.grad = None
        with torch.autograd.graph.save_on_cpu(pin_memory=pinned, device_type="xpu"):
            y = (x * x).relu().sum()
        y.backward()
        assert x.grad.tolist() == [2] * 4
