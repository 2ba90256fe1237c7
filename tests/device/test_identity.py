"""The device under its names, and that PyTorch (modules, autograd, AMP, saving) treats it as a device of its own."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from torch import nn

import torchfl
from core_helpers import run_script

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]
XPU0, XPU1 = "xpu:0", "xpu:1"  # what Python sees, whichever name was given


FACTORIES = {
    "empty": lambda d: torch.empty(2, 3, device=d),
    "zeros": lambda d: torch.zeros(2, device=d),
    "ones int": lambda d: torch.ones(2, dtype=torch.int32, device=d),
    "full": lambda d: torch.full((2,), 3.5, device=d),
    "arange": lambda d: torch.arange(5, device=d),
    "linspace": lambda d: torch.linspace(0, 1, 4, device=d),
    "eye": lambda d: torch.eye(3, device=d),
    "rand": lambda d: torch.rand(3, device=d),
    "randn": lambda d: torch.randn(3, device=d),
    "randint": lambda d: torch.randint(0, 9, (3,), device=d),
    "randperm": lambda d: torch.randperm(5, device=d),
    "tril_indices": lambda d: torch.tril_indices(3, 3, device=d),
    "tensor": lambda d: torch.tensor([1.0, 2.0], device=d),
    "as_tensor": lambda d: torch.as_tensor([1, 2], device=d),
    "scalar tensor": lambda d: torch.scalar_tensor(2.0, device=d),
    "hann_window": lambda d: torch.hann_window(4, device=d),
    "empty_strided": lambda d: torch.empty_strided((2, 3), (1, 2), device=d),
    "channels_last": lambda d: torch.empty(1, 2, 3, 4, device=d, memory_format=torch.channels_last),
    "new_zeros": lambda d: torch.ones(1).new_zeros((2,), device=d),
    "ones_like": lambda d: torch.ones_like(torch.ones(2), device=d),
    "to": lambda d: torch.ones(2).to(d),
    "to dtype": lambda d: torch.ones(2).to(d, torch.float16),
    "parameter": lambda d: nn.Linear(2, 2, device=d).weight,
    "complex": lambda d: torch.zeros(2, dtype=torch.complex64, device=d),
}


@pytest.mark.parametrize("name", sorted(FACTORIES))
@pytest.mark.parametrize("form", ["xpu", "xpu:0", "fl", "fl:0", "object", "selector"])
def test_every_factory_takes_every_name(name: str, form: str) -> None:
    device = {"object": torch.device("xpu", 0), "selector": torchfl.device("xpu:fx")}.get(form, form)
    made = FACTORIES[name](device)
    assert str(made.device) == XPU0
    expected = FACTORIES[name]("cpu")
    assert (made.shape, made.dtype, made.stride()) == (expected.shape, expected.dtype, expected.stride())
    if not any(word in name for word in ("rand", "empty", "parameter", "channels")):
        assert torch.equal(made.cpu(), expected)


def test_index_devices_and_default_device() -> None:
    assert str(torch.zeros(1, device="xpu:1").device) == XPU1
    assert str(torch.zeros(1, device=torch.device("xpu:1")).device) == XPU1
    with torch.device("xpu"):
        assert str(torch.zeros(1).device) == XPU0
    torch.set_default_device("xpu:1")
    try:
        assert str(torch.zeros(1).device) == XPU1
        assert str(nn.Linear(2, 2).weight.device) == XPU1
    finally:
        torch.set_default_device(None)


def test_to_the_same_device_is_the_same_tensor_and_copies_nothing() -> None:
    t = torch.randn(4).to("xpu")
    torchfl.reset_counters()
    for target in ("xpu", "xpu:0", "fl", "fl:0", torch.device("xpu"), torch.device("xpu", 0)):
        assert t.to(target) is t
        assert t.to(device=target, dtype=torch.float32) is t
        assert torch.as_tensor(t, device=target) is t
    assert t.xpu() is t
    assert t.fl() is t
    assert t.to(torch.ones(1, device="xpu")) is t
    assert str(t.to("xpu:1").device) == XPU1
    assert t.to("xpu", copy=True) is not t
    moved = torchfl.copy_counters()
    assert moved.h2d + moved.d2h == 0


def test_module_to_keeps_parameters_ties_and_earlier_optimizers() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(10, 4)
            self.head = nn.Linear(4, 10, bias=False)
            self.head.weight = self.embed.weight
            self.norm = nn.BatchNorm1d(10)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.norm(self.head(self.embed(ids)))

    model = Tied()
    parameters = list(model.parameters())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model.to("xpu")
    assert model.head.weight is model.embed.weight is parameters[0]
    assert [str(p.device) for p in parameters] == [XPU0] * len(parameters)
    torchfl.reset_counters()
    model.to("xpu:0")
    moved = torchfl.copy_counters()
    assert moved.h2d + moved.d2h + moved.host + moved.d2d == 0
    before = parameters[0].detach().cpu()
    model(torch.tensor([1, 2, 3], device="xpu")).square().sum().backward()
    optimizer.step()
    assert not torch.equal(parameters[0].detach().cpu(), before)
    assert model.norm.running_mean.abs().sum().item() > 0
    model.cpu()
    assert all(p.device.type == "cpu" for p in model.parameters())
    assert model.head.weight is model.embed.weight is parameters[0]


def test_training_equals_the_cpu() -> None:
    torch.manual_seed(0)
    cpu = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    there = copy.deepcopy(cpu).to("xpu")
    x, y = torch.randn(32, 8), torch.randn(32, 1)
    losses = []
    for model, device in ((cpu, "cpu"), (there, "xpu")):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        for _ in range(5):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)
    for a, b in zip(cpu.parameters(), there.parameters(), strict=True):
        torch.testing.assert_close(b.cpu(), a)
    assert torchfl.counters()["aten::relu"].native >= 5


def test_autocast_lists_and_grad_scaler() -> None:
    model = nn.Linear(4, 4).to("xpu")
    x = torch.randn(2, 4, device="xpu")
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("xpu", dtype=dtype):
            assert torch.get_autocast_dtype("xpu") == dtype
            out = model(x)
            assert out.dtype == dtype
            assert (x @ x.t()).dtype == dtype
            assert nn.functional.mse_loss(out, x).dtype == torch.float32
            assert torch.exp(out).dtype == torch.float32
            assert torch.softmax(out, 1).dtype == torch.float32
            assert torch.addcmul(x, out, x).dtype == torch.float32
            with pytest.raises(RuntimeError, match="unsafe under autocast"):
                nn.functional.binary_cross_entropy(torch.sigmoid(out), x.sigmoid())
        assert model(x).dtype == torch.float32
    scaler = torch.amp.GradScaler("xpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.autocast("xpu", dtype=torch.float16):
        loss = model(x).float().square().mean()
    scaler.scale(loss).backward()
    before = model.weight.detach().cpu().clone()
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(model.weight.detach().cpu(), before)


@pytest.mark.parametrize(
    ("location", "expected"),
    [(None, XPU1), ("cpu", "cpu"), ("xpu", XPU0), ("xpu:1", XPU1), ("fl", XPU0), ("fl:0", XPU0),
     (torch.device("xpu", 1), XPU1), ({"xpu:1": "xpu:0"}, XPU0), (lambda s, _: s, "cpu")],
)  # fmt: skip
def test_save_and_load(location: object, expected: str) -> None:
    t = torch.arange(6.0).reshape(2, 3).to("xpu:1")
    for new_format in (True, False):
        file = io.BytesIO()
        torch.save({"all": t, "row": t[1]}, file, _use_new_zipfile_serialization=new_format)
        file.seek(0)
        loaded = torch.load(file, map_location=location)
        assert str(loaded["all"].device) == expected
        assert loaded["all"].cpu().tolist() == [[0, 1, 2], [3, 4, 5]]
        assert loaded["row"].cpu().tolist() == [3, 4, 5]
        loaded["all"][1].fill_(0)
        assert loaded["row"].cpu().tolist() == [0, 0, 0]  # still one storage


def test_a_checkpoint_made_on_the_device_loads_without_torchfl(tmp_path) -> None:
    file = tmp_path / "model.pt"
    torch.save(nn.Linear(2, 2).to("xpu").state_dict(), file)
    done = run_script(f"import torch; print(torch.load({str(file)!r}, map_location='cpu')['weight'].shape)")
    assert done.stdout == "torch.Size([2, 2])\n", done.stderr


def test_pickle_deepcopy_printing_numpy_and_lists() -> None:
    t = torch.arange(4.0).to("xpu")
    again = pickle.loads(pickle.dumps(t))
    assert (str(again.device), again.cpu().tolist()) == (XPU0, [0, 1, 2, 3])
    model = nn.Linear(3, 2).to("xpu")
    twin = copy.deepcopy(model)
    twin.weight.data.zero_()
    assert str(twin.weight.device) == XPU0
    assert model.weight.abs().sum().item() > 0
    assert repr(t) == "tensor([0., 1., 2., 3.], device='xpu:0')"
    assert repr(torch.tensor(2, device="xpu")) == "tensor(2, device='xpu:0')"
    assert "device='xpu:0', requires_grad=True" in repr(torch.ones(1, device="xpu", requires_grad=True))
    assert t.tolist() == [0, 1, 2, 3]
    assert bool(torch.tensor(1, device="xpu"))
    assert f"{torch.tensor(1.5, device='xpu').item():.2f}" == "1.50"
    assert list(t)[2].item() == 2
    with pytest.raises(TypeError, match=r"(fl|xpu):0 device type tensor to numpy"):
        t.numpy()
    assert t.is_fl
    assert t.is_xpu
    assert not torch.ones(1).is_xpu
    assert not t.is_cpu


def test_autograd_of_views_inplace_and_double_backward() -> None:
    results = []
    for device in ("cpu", "xpu"):
        x = torch.arange(1.0, 7).reshape(2, 3).to(device).requires_grad_()
        y = (x * 2).t()[1:]
        y = y.clone().mul_(x[:, 1:].t()).relu()
        (g,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
        g.sum().backward()
        results.append((y.detach().cpu(), g.detach().cpu(), x.grad.cpu()))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # torch's own, in jvp
def test_vmap_grad_and_jvp() -> None:
    x = torch.randn(3, 4, device="xpu")
    assert torch.func.vmap(lambda r: r.sin().sum())(x).shape == (3,)
    torch.testing.assert_close(torch.func.grad(lambda v: v.square().sum())(x).cpu(), 2 * x.cpu())
    _, tangent = torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))
    torch.testing.assert_close(tangent.cpu(), x.cpu().cos())


def test_ops_without_our_device_are_untouched_and_foreign_ones_explained() -> None:
    with pytest.raises(RuntimeError, match="pinned"):
        torch.zeros(1, device="xpu", pin_memory=True)
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch.empty(2, 2, layout=torch.sparse_csr, device="xpu")
    with pytest.raises(RuntimeError, match=r"cpu|device"):
        torch.ones(2, device="xpu") + torch.ones(2)
    assert (torch.ones(2, device="xpu") + torch.tensor(2.0)).cpu().tolist() == [3, 3]


def test_shutdown_takes_every_patch_back() -> None:
    done = run_script(
        """
import os, torch, torchfl
import torch.xpu, torch.xpu.memory, torch.xpu.random, torch.xpu.streams
modules = (torch.xpu, torch.xpu.memory, torch.xpu.random, torch.xpu.streams, torch.xpu._utils)
before = [dict(vars(m)) for m in modules]
torchfl.init([os.environ["FX_DIR"]])
assert torch.xpu.device_count() == 2 and torch.ones(1, device="xpu").item() == 1
assert [dict(vars(m)) for m in modules] != before
torchfl.shutdown()
for m, old in zip(modules, before):
    assert dict(vars(m)) == old, m
assert torch.xpu.device_count() == 0 and not torch.xpu.is_available()
# Kernels stay with the dispatcher, which other threads read without locks: they refuse.
for use in (lambda: torch.ones(1, device="xpu"), lambda: torch.ones(1, device="fl"), lambda: torch.ones(1).to("xpu")):
    try: use()
    except RuntimeError as e: assert "torchfl.shutdown()" in str(e), e
    else: raise AssertionError
print("done")
"""
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_another_privateuse1_backend_is_respected() -> None:
    done = run_script(
        """
import os, torch, torchfl
from torchfl.errors import TorchflError
torch.utils.rename_privateuse1_backend("npu")
try: torchfl.init([os.environ["FX_DIR"]])
except TorchflError as e: print(e)
print(torchfl.is_initialized())
"""
    )
    assert done.stdout.startswith("TFL0607 torch's PrivateUse1 device is named 'npu'"), done.stderr
    assert done.stdout.endswith("False\n")
