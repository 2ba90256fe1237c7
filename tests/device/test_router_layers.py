"""Around the router's own kernels: later layers, device choice, explain(), autograd, names, threads."""

from __future__ import annotations

import pytest
import torch

import torchfl
from router_helpers import counts, layer_of, same, whole

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]


# ---- the layers after the chip's kernel


def test_a_kernel_of_the_policy_serves_softmax(dev):
    a = torch.randn(3, 5)
    explained = torchfl.explain("aten::softmax", a.to(dev), -1)
    assert (explained.layer, explained.kernel) == ("op_specific", "rt_softmax")
    same(torch.softmax(a.to(dev), -1), torch.softmax(a, -1), exact=False)
    assert counts("aten::_softmax") == {"op_specific": 1}


def test_a_kernel_of_the_policy_that_declines_leaves_the_cpu(dev):
    a = torch.randn(3, 5)
    same(torch.softmax(a.to(dev), 0), torch.softmax(a, 0))
    assert counts("aten::_softmax") == {"cpu": 1, "declined": 1}


def test_a_kernel_that_declines(dev):
    small, large = torch.randn(8), torch.randn(9)
    same(torch.exp(small.to(dev)), torch.exp(small), exact=False)
    assert counts("aten::exp") == {"native": 1}
    x = large.to(dev)
    x.exp_()
    same(x, torch.exp(large))
    assert counts("aten::exp_") == {"declined": 1, "cpu": 1}
    assert "the kernel 'rt_exp' declined the call" in {r.reason for r in torchfl.fallback_reasons()}


def test_a_missing_vendor_function_costs_its_op_only(dev):
    a = torch.rand(4) + 1
    same(torch.log(a.to(dev)), torch.log(a))
    assert counts("aten::log") == {"declined": 1, "cpu": 1}
    assert any("lacks a function that the kernel 'rt_log' needs" in r.reason for r in torchfl.fallback_reasons())


def test_failures_of_a_kernel_are_raised(dev):
    with pytest.raises(torch.OutOfMemoryError, match=r"rt_sqrt.*no workspace"):
        torch.sqrt(torch.ones(13).to(dev))
    with pytest.raises(torch.AcceleratorError, match=r"rt_sqrt.*the fan stopped"):
        torch.sqrt(torch.ones(7).to(dev))
    same(torch.sqrt(torch.ones(6).to(dev)), torch.ones(6))
    assert counts("aten::sqrt") == {"native": 1}


def test_policy_error_names_op_device_dtype_and_fix(dev):
    a = whole(2, 3, 4)
    with pytest.raises(torchfl.UnsupportedOpError) as raised:
        torch.bmm(a.to(dev), a.transpose(1, 2).contiguous().to(dev))
    assert str(raised.value) == (
        "Op aten::bmm not supported on device xpu:rt with dtype float32. Available dtypes: [float16]. "
        "Suggested fix: cast input to torch.float16."
    )
    assert layer_of("aten::bmm", a.to(dev), a.transpose(1, 2).contiguous().to(dev)) == "error"
    with pytest.raises(torchfl.UnsupportedOpError, match=r"with dtype float16: K = 3, but K must be a multiple of 2\."):
        torch.bmm(a.half()[..., :3].contiguous().to(dev), a.half()[:, :3, :].contiguous().to(dev))
    with pytest.raises(torchfl.UnsupportedOpError, match=r"Op aten::erfinv not supported .* Available dtypes: \[\]"):
        a.to(dev).erfinv_()
    assert counts("aten::bmm") == counts("aten::erfinv_") == {}


# ---- which chip, which device


def test_the_second_device_runs_its_own_kernels(dev):
    second = torch.device("xpu", dev.index + 1)
    a, b = whole(3, 4), whole(3, 4)
    result = a.to(second) + b.to(second)
    assert result.device == second
    same(result, a + b)
    assert counts("aten::add.Tensor") == {"native": 1}
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        a.to(dev) + b.to(second)


def test_counters_reset_and_name_the_chip(dev):
    a = whole(3, 4).to(dev)
    _ = a + a
    assert torchfl.counters("xpu:rt")["aten::add.Tensor"].native == 1
    assert torchfl.counters("xpu:other") == {}
    torchfl.reset_counters()
    assert torchfl.counters() == {}
    assert torchfl.fallback_reasons() == ()


# ---- explain() and run_kernel()


def test_explain_runs_and_moves_nothing(dev):
    a = whole(3, 4).to(dev)
    moved, calls = torchfl.copy_counters(), torchfl.symbol_calls("xpu:rt")
    torchfl.explain("aten::add", a, a)
    torchfl.explain("aten::add_", a, 1)
    torchfl.explain(lambda x: torch.softmax(x.relu() @ x.t(), -1), a)
    assert torchfl.copy_counters() == moved
    assert torchfl.symbol_calls("xpu:rt") == calls
    assert torchfl.counters() == {}


def test_explain_of_a_composite_lists_its_steps(dev):
    x, w, b = whole(3, 5).to(dev), whole(4, 5).to(dev), whole(4).to(dev)
    explained = torchfl.explain(torch.nn.functional.linear, x, w, b)
    assert [step.op for step in explained.steps] == ["aten::t", "aten::addmm"]
    assert [step.layer for step in explained.steps] == ["view", "native"]
    assert (explained.op, explained.layer, explained.kernel) == ("aten::addmm", "native", "rt_addmm")
    same(torch.nn.functional.linear(x, w, b), torch.nn.functional.linear(x.cpu(), w.cpu(), b.cpu()))
    assert counts("aten::addmm")["native"] == 1


def test_explain_of_an_op_that_no_profile_names(dev):
    explained = torchfl.explain("aten::cumsum", whole(3, 4).to(dev), 0)
    assert (explained.layer, explained.kernel, explained.reason) == ("cpu", "", "the profile does not name the op")


def test_explain_refuses_nonsense(dev):
    from torchfl.errors import TorchflError

    with pytest.raises(
        TorchflError, match=r"TFL0705 torch has no op 'aten::conv2dd'; fix: did you mean aten::conv2d\?"
    ):
        torchfl.explain("aten::conv2dd", whole(3).to(dev))
    with pytest.raises(TorchflError, match="TFL0706"):
        torchfl.explain("aten::add", whole(3), whole(3))


def test_run_kernel_bypasses_the_profile(dev):
    a = whole(2, 3, 3)
    result = torchfl.run_kernel("xpu:rt", "rt_bmm", "aten::bmm", a, a)  # float32 and an odd K are not declared
    assert (result.status, result.error) == ("OK", "")
    same(result.output, torch.bmm(a, a))
    result = torchfl.run_kernel("xpu:rt", "rt_exp", "aten::exp", torch.ones(9))
    assert (result.status, result.output) == ("UNSUPPORTED", None)
    result = torchfl.run_kernel("xpu:rt", "rt_sqrt", "aten::sqrt", torch.ones(7))
    assert (result.status, result.output, result.error) == ("DEVICE_ERROR", None, "the fan stopped")
    assert torchfl.counters() == {}


def test_run_kernel_names_what_does_not_fit(dev):
    from torchfl.errors import TorchflError

    with pytest.raises(TorchflError, match=r"TFL0708 xpu:rt: .*no kernel 'rt_addd'"):
        torchfl.run_kernel("xpu:rt", "rt_addd", "aten::add", whole(3), whole(3))
    with pytest.raises(TorchflError, match="TFL0707 aten::add takes self, other, alpha, not beta"):
        torchfl.run_kernel("xpu:rt", "rt_add", "aten::add", whole(3), whole(3), beta=1)
    with pytest.raises(TorchflError, match="TFL0707 aten::add needs other"):
        torchfl.run_kernel("xpu:rt", "rt_add", "aten::add", whole(3))
    with pytest.raises(TorchflError, match="TFL0705"):
        torchfl.run_kernel("xpu:rt", "rt_add", "aten::fft_fft", whole(3))
    refused = torchfl.run_kernel("xpu:rt", "rt_add", "aten::add", whole(3), whole(4))
    assert (refused.status, refused.error) == ("INVALID_ARGUMENT", "the shapes do not fit together")


# ---- autograd


def test_autograd_through_native_ops(dev):
    a, b, w = (torch.randn(4, 5, requires_grad=True) for _ in range(3))
    on_device = [t.detach().to(dev).requires_grad_() for t in (a, b, w)]

    def loss(a, b, w):
        return (torch.relu(a * b + 1) @ w.t()).sum()

    loss(a, b, w).backward()
    loss(*on_device).backward()
    for t, d in zip((a, b, w), on_device, strict=True):
        torch.testing.assert_close(d.grad.cpu(), t.grad)
    assert counts("aten::relu")["native"] == counts("aten::mm")["native"] // 3 == 1
    assert counts("aten::mul.Tensor")["native"] >= 3


def test_a_small_net_trains_in_half_precision_and_under_autocast(dev):
    def net():
        torch.manual_seed(3)
        return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))

    def train(model, x, y, steps=4, autocast=None):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for _ in range(steps):
            optimizer.zero_grad()
            if autocast:
                with torch.autocast(autocast, dtype=torch.float16):
                    out = model(x)
            else:
                out = model(x)
            torch.nn.functional.mse_loss(out.float(), y).backward()
            optimizer.step()
        return [p.detach().float().cpu() for p in model.parameters()]

    x, y = torch.randn(16, 6), torch.randn(16, 2)
    reference = train(net(), x, y)
    half = train(net().half().to(dev), x.half().to(dev), y.to(dev))
    assert counts("aten::addmm")["native"] == 8
    torchfl.reset_counters()
    mixed = train(net().to(dev), x.to(dev), y.to(dev), autocast="xpu")
    assert counts("aten::addmm")["native"] == 8
    for r, h, m in zip(reference, half, mixed, strict=True):
        torch.testing.assert_close(h, r, rtol=0, atol=4e-3)
        torch.testing.assert_close(m, r, rtol=0, atol=2e-3)


# ---- the catalogue's names in C++


def test_the_core_knows_exactly_the_catalogue_s_constraint_variables(dev):
    """constraints.cpp repeats RULE_VARIABLES; every variable is taken for the op that has it, and no other name is."""
    from torchfl import _loader, catalogue
    from torchfl.catalogue import spec as catalogue_spec

    core = _loader.loaded()
    every = {name for op in catalogue.OPS for name in op.variables} | {"bogus"}
    assert set(catalogue_spec.COMMON_VARIABLES) < every
    for op in catalogue.OPS:
        for name in every:
            entry = {
                "selector": "xpu:rt", "op": op.name, "impl": "rt_add", "overloads": [], "dtypes": ["float32"],
                "constraints": [(name, [1.0], None, None, None)], "layout": "contiguous", "inplace": False,
                "broadcast": False, "routes": True, "alignment": 0, "pad": False, "shifts": False,
                "checks_index": False,
            }  # fmt: skip
            if name in op.variables:
                core.add_binding(entry)
            else:
                with pytest.raises(ValueError, match=f"has no variable '{name}' to constrain; it has rank, numel"):
                    core.add_binding(entry)


def test_half_precision_softmax_that_gives_float(dev):
    a = torch.randn(3, 5).half()
    x = a.to(dev).requires_grad_()
    result = torch.softmax(x, -1, dtype=torch.float32)
    same(result, torch.softmax(a, -1, dtype=torch.float32), exact=False)
    assert torchfl.explain("aten::_softmax", x.detach(), -1, True).layer == "cpu"  # not a kernel whose output is half
    result.square().sum().backward()
    assert x.grad.dtype == torch.float16


def test_integers_where_pytorch_takes_floats_only(dev):
    a = torch.ones(3, dtype=torch.int32)
    with pytest.raises(NotImplementedError):
        torch.nn.functional.leaky_relu(a)
    with pytest.raises(torchfl.UnsupportedOpError, match=r"with dtype int32\. Available dtypes: \[float32\]"):
        torch.nn.functional.leaky_relu(a.to(dev))


# ---- threads


def test_kernels_and_fallbacks_of_many_threads_on_slices_of_one_storage(dev):
    import threading

    x = torch.zeros(8, 64, device=dev)
    one = torch.ones(64, device=dev)
    failed = []

    def work(row: int) -> None:
        try:
            for step in range(60):
                if (row + step) % 2:
                    x[row].add_(one)  # on the chip
                else:
                    x[row].clamp_(min=-1).add_(one)  # on the host, then on the chip
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(row,)) for row in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    same(x, torch.full((8, 64), 60.0))
