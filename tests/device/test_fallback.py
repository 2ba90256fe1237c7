"""The CPU fallback: equal to the CPU in value, strides and aliasing, and without copies that it need not make."""

from __future__ import annotations

import pytest
import torch

import torchfl
from router_helpers import counts, layer_of, same

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]


def storage(t: torch.Tensor) -> int:
    return t.untyped_storage()._cdata


def test_an_op_that_no_profile_names_runs_on_the_host_and_says_so(dev):
    a = torch.randn(3, 4)
    x = a.to(dev)
    assert layer_of("aten::cumsum", x, 0) == "cpu"
    same(x.cumsum(0), a.cumsum(0))
    assert counts("aten::cumsum") == {"cpu": 1}
    assert torchfl.fallback_reasons() == (
        torchfl.FallbackReason("aten::cumsum", "xpu:rt", "the profile does not name the op", 1),
    )


def test_a_chain_of_fallbacks_copies_nothing(dev):
    x = torch.randn(64, 64).to(dev).cumsum(0)  # from here on the host side is valid
    torchfl.reset_counters()
    y = x.cos().cumsum(1).sin()
    y.clamp_(-0.5, 0.5)
    copies = torchfl.copy_counters()
    assert (copies.h2d, copies.d2h, copies.host) == (0, 0, 0)
    assert (y + y).shape == y.shape  # a kernel needs it now: one upload
    assert torchfl.copy_counters().h2d == 1


def test_results_are_told_apart_by_storage_not_by_schema(dev):
    a = torch.randn(4, 6)
    x = a.to(dev)
    flat = torch.ops.aten._unsafe_view(x, [24])  # an alias, undeclared
    assert storage(flat) == storage(x)
    flat[0] = 5
    assert x[0, 0].item() == 5
    parts = torch.ops.aten.unsafe_split(x, 2)
    assert [storage(p) == storage(x) for p in parts] == [True, True]
    values, indices = x.sort(dim=1)
    assert storage(values) != storage(x) != storage(indices)


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.view(6, 4),
        lambda t: t[1:3, ::2],
        lambda t: t.t(),
        lambda t: t.unfold(1, 2, 2),
        lambda t: t.diagonal(),
        lambda t: t.expand(2, 4, 6),
        lambda t: t.unbind(1)[3],
        lambda t: t.split(2)[1],
        lambda t: torch.as_strided(t, (2, 2), (6, 1), 3),
    ],
)
def test_views_alias_and_move_nothing(dev, view):
    a = torch.arange(24.0).reshape(4, 6)
    x = a.to(dev)
    torchfl.reset_counters()
    v = view(x)
    assert (torchfl.copy_counters().h2d, torchfl.copy_counters().d2h, torchfl.counters()) == (0, 0, {})
    assert storage(v) == storage(x)
    assert (v.size(), v.stride(), v.storage_offset()) == (view(a).size(), view(a).stride(), view(a).storage_offset())
    same(v, view(a))


def test_in_place_on_views_reaches_the_base(dev):
    a = torch.arange(24.0).reshape(4, 6)
    x = a.to(dev)
    for t in (a, x):
        t[1:3, ::2].clamp_(max=9)
        t.t()[2].sin_()
        t.view(-1)[5:7].fill_(-1)
        t.select(0, 3).copy_(torch.ones(6))
    same(x, a)


def test_in_place_after_native_work_sees_it(dev):
    a = torch.randint(-3, 4, (4, 6)).float()
    x = a.to(dev) + a.to(dev)  # lives on the device
    x.cumsum_(1)
    same(x + x, (a + a).cumsum(1) * 2)


def test_tensor_lists(dev):
    a, b = torch.randn(3, 4), torch.randn(2, 4)
    x, y = a.to(dev), b.to(dev)
    same(torch.cat([x, y]), torch.cat([a, b]))
    same(torch.stack([x, x]), torch.stack([a, a]))
    for ours, theirs in zip(
        torch.meshgrid(x[0], y[0], indexing="ij"), torch.meshgrid(a[0], b[0], indexing="ij"), strict=True
    ):
        same(ours, theirs)
    total = torch._foreach_add([x, y], 1.0)
    same(total[0], a + 1)
    torch._foreach_mul_([x, y], 2.0)
    same(x, a * 2)
    same(y, b * 2)


@pytest.mark.parametrize("device_index", [False, True])
def test_optional_tensor_lists(dev, device_index):
    a = torch.randn(3, 4, 5)
    x, i = a.to(dev), torch.tensor([2, 0])
    j = i.to(dev) if device_index else i
    same(x[:, j], a[:, i])
    same(x[j, :, j], a[i, :, i])
    x[:, j] = 7.0
    a[:, i] = 7.0
    x[j] += 1
    a[i] += 1
    same(x, a)


def test_tensors_of_two_devices_are_refused(dev):
    x, a = torch.randn(3).to(dev), torch.randn(3)
    for call in (lambda: torch.atan2(x, a), lambda: torch.cat([x, a]), lambda: torch.cumsum(x, 0, out=a)):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device, but found at least two"):
            call()
    same(torch.atan2(x, torch.tensor(2.0)), torch.atan2(x.cpu(), torch.tensor(2.0)))


@pytest.mark.parametrize("shape", [(0,), (3, 4)])
def test_out_is_resized_and_written(dev, shape):
    a = torch.randn(3, 4)
    given = torch.empty(shape, device=dev)
    assert torch.cumsum(a.to(dev), 1, out=given) is given
    same(given, a.cumsum(1))
    assert given.untyped_storage().nbytes() == 48


def test_out_views_write_their_part(dev):
    a, base = torch.randn(3, 4), torch.zeros(6, 8)
    x = base.to(dev)
    torch.cumsum(a.to(dev), 1, out=x[::2, 1:5])
    torch.cumsum(a, 1, out=base[::2, 1:5])
    same(x, base)


def test_several_outputs(dev):
    a = torch.randn(3, 5)
    values, indices = torch.empty(0, device=dev), torch.empty(0, dtype=torch.long, device=dev)
    torch.sort(a.to(dev), dim=1, out=(values, indices))
    expected = torch.sort(a, dim=1)
    same(values, expected.values)
    same(indices, expected.indices)


def test_running_statistics_move_although_the_schema_hides_it(dev):
    cpu, ours = torch.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3).to(dev)
    x = torch.randn(2, 3, 4, 4)
    for _ in range(2):
        result, expected = ours(x.to(dev)), cpu(x)
    same(result, expected)
    same(ours.running_mean, cpu.running_mean)
    same(ours.running_var, cpu.running_var)
    assert not torch.equal(cpu.running_mean, torch.zeros(3))
    # Also where the buffers were last written by a kernel.
    ours.running_mean.add_(torch.ones(3, device=dev))
    cpu.running_mean.add_(1)
    assert counts("aten::add_.Tensor")["native"] >= 1
    ours(x.to(dev))
    cpu(x)
    same(ours.running_mean, cpu.running_mean)
    ours.eval()
    before = ours.running_var.clone()
    ours(x.to(dev))
    same(ours.running_var, before.cpu())


def test_numerics_of_structured_and_composite_ops_are_the_cpu_kernels_own(dev):
    """Without a kernel of their own these would run decomposed, on other code than the CPU's."""
    a, w, b = torch.randn(4, 6), torch.randn(6), torch.randn(6)
    same(
        torch.nn.functional.layer_norm(a.to(dev), (6,), w.to(dev), b.to(dev)),
        torch.nn.functional.layer_norm(a, (6,), w, b),
    )
    same(torch.nn.functional.group_norm(a[None].to(dev), 2), torch.nn.functional.group_norm(a[None], 2))
    same(torch.addr(a.to(dev), a[:, 0].to(dev), w.to(dev)), torch.addr(a, a[:, 0], w))
    same(a.to(dev).sum(1), a.sum(1))
    assert set(counts("aten::native_layer_norm")) == set(counts("aten::addr")) == {"cpu"}


def test_factories_with_a_device_argument(dev):
    same(torch.tril_indices(3, 4, device=dev), torch.tril_indices(3, 4))
    same(torch.arange(5, device=dev), torch.arange(5))
    same(torch.linspace(0, 1, 5, device=dev), torch.linspace(0, 1, 5))
    same(torch.eye(3, device=dev), torch.eye(3))
    second = torch.device("xpu", dev.index + 1)
    assert torch.tril_indices(3, 4, device=second).device == second


def test_random_numbers_follow_the_device_s_generator(dev):
    torch.manual_seed(7)
    first = torch.randn(4, device=dev)
    torch.manual_seed(7)
    assert torch.equal(torch.randn(4, device=dev).cpu(), first.cpu())
    generator = torch.Generator(device=dev)
    generator.manual_seed(7)
    drawn = [torch.rand(4, device=dev, generator=generator) for _ in range(2)]
    generator.manual_seed(7)
    assert torch.equal(torch.rand(4, device=dev, generator=generator).cpu(), drawn[0].cpu())
    assert not torch.equal(drawn[0].cpu(), drawn[1].cpu())
    state = torch.get_rng_state()
    torch.rand(3, device=dev)
    assert torch.equal(torch.get_rng_state(), state)  # the CPU's stream does not move


def test_an_op_that_the_cpu_lacks_in_this_dtype_is_unsupported(dev):
    a = torch.ones(3, 3, dtype=torch.int32)
    with pytest.raises(RuntimeError) as raised:
        torch.ops.aten.grid_sampler_2d(
            a[None, None].to(dev), torch.ones(1, 1, 1, 2, dtype=torch.int32).to(dev), 0, 0, True
        )
    assert isinstance(raised.value, torchfl.UnsupportedOpError)
    assert str(raised.value).startswith(
        "Op aten::grid_sampler_2d not supported on device xpu:rt with dtype int32. Available dtypes: []."
    )


def test_a_failed_op_leaves_its_arguments_alone(dev):
    a = torch.randint(-3, 4, (3, 4)).float()
    x = a.to(dev) + a.to(dev)
    with pytest.raises(RuntimeError, match=r"shape|size"):
        x.masked_fill_(torch.ones(7, dtype=torch.bool, device=dev), 1.0)
    same(x, a + a)
    same(x + x, a * 4)


def test_attention_is_products_and_a_softmax(dev):
    q, k, v = (torch.randn(1, 2, 5, 8) for _ in range(3))
    attention = torch.nn.functional.scaled_dot_product_attention
    with pytest.raises(torchfl.UnsupportedOpError, match="aten::bmm"):  # the policy of this chip says so
        attention(q.to(dev), k.to(dev), v.to(dev))
    explained = torchfl.explain(attention, q.to(dev), k.to(dev), v.to(dev))
    layers = {step.op: step.layer for step in explained.steps}
    assert layers["aten::bmm"] == explained.layer == "error"
    assert layers["aten::_softmax"] == "op_specific"


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("bias", [True, False])
def test_recurrent_layers_train(dev, kind, bias):
    """LSTM and GRU cells are fused ops that PyTorch has on accelerators only; ours equal the CPU's loop."""
    torch.manual_seed(0)
    cpu = kind(4, 3, num_layers=2, bias=bias)
    torch.manual_seed(0)
    ours = kind(4, 3, num_layers=2, bias=bias).to(dev)
    x = torch.randn(5, 2, 4)
    results = []
    for model, at in ((cpu, "cpu"), (ours, dev)):
        given = x.detach().clone().to(at).requires_grad_()
        out, _ = model(given)
        out.square().sum().backward()
        results.append([out, given.grad, *(p.grad for p in model.parameters())])
    for expected, actual in zip(*results, strict=True):
        torch.testing.assert_close(actual.detach().cpu(), expected.detach(), rtol=1e-4, atol=1e-5)


def test_products_in_a_wider_dtype(dev):
    a, b = torch.randint(-4, 5, (3, 4)).half(), torch.randint(-4, 5, (4, 2)).half()
    same(torch.mm(a.to(dev), b.to(dev), out_dtype=torch.float32), a.float() @ b.float())
    assert counts("aten::mm")["native"] == 1


def test_mode_with_out(dev):
    a = torch.randint(0, 3, (4, 6))
    values, indices = torch.empty(0, dtype=torch.long, device=dev), torch.empty(0, dtype=torch.long, device=dev)
    torch.mode(a.to(dev), 1, out=(values, indices))
    expected = torch.mode(a, 1)
    same(values, expected.values)
    same(indices, expected.indices)


def test_lazy_bits_survive(dev):
    z = torch.randn(3, dtype=torch.complex64)
    x = z.to(dev)
    same(torch.view_as_real(x.conj().resolve_conj()), torch.view_as_real(z.conj().resolve_conj()))
    same(x.conj() * 2, z.conj() * 2)
    same(x.conj().imag + 1, z.conj().imag + 1)  # lazily negated
    assert "cpu" not in counts("aten::add.Tensor")  # PyTorch resolves it before the kernel


def test_foreach_optimizers_and_gradient_clipping(dev):
    def run(at, foreach):
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 3).to(at)
        optimizer = torch.optim.Adam(model.parameters(), foreach=foreach)
        for step in range(3):
            optimizer.zero_grad()
            model(torch.ones(2, 4, device=at) * (step + 1)).square().sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=foreach)
            optimizer.step()
        return [p.detach().cpu() for p in model.parameters()]

    expected = run("cpu", False)
    for foreach in (False, True):
        for a, b in zip(run(dev, foreach), expected, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_unsupported_is_importable_without_torch():
    import subprocess
    import sys

    code = "import sys, torchfl; torchfl.UnsupportedOpError; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
