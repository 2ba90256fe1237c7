"""torch.autocast("xpu") casts what torch's own lists say, in every way it is entered."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.testing._internal.autocast_test_lists import AutocastTestLists
from torch.utils.checkpoint import checkpoint

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


def dtypes(value: Any) -> set[torch.dtype]:
    if isinstance(value, torch.Tensor):
        return {value.dtype}
    return set().union(*map(dtypes, value)) if isinstance(value, (list, tuple)) else set()


def call(module: Any, row: tuple[Any, ...]) -> Any:
    """Runs a row of torch's lists: a name, arguments, and perhaps keywords."""
    name, arguments, *more = row
    return getattr(module, name)(*arguments, **(more[0] if more and isinstance(more[0], dict) else {}))


@pytest.mark.filterwarnings("ignore:torch.chain_matmul is deprecated", "ignore:Using torch.cross without")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_every_op_of_torchs_lists(dtype: torch.dtype) -> None:
    lists = AutocastTestLists("xpu")
    cases = [
        (torch, lists.torch_fp16, {dtype}),
        (torch, lists.torch_fp32, {torch.float32}),
        (torch._C._nn, lists.nn_fp16, {dtype}),
        (torch._C._nn, lists.nn_fp32, {torch.float32}),
        (torch._C._linalg, [(f"linalg_{n.removeprefix('linalg_')}", *r) for n, *r in lists.linalg_fp16], {dtype}),
    ]
    if dtype == torch.float16:  # the list mixes float16 with float32, and autocast promotes among its own two
        cases.append((torch, lists.torch_need_autocast_promote, {torch.float32}))
    with torch.autocast("xpu", dtype=dtype):
        wrong = [
            row[0]
            for module, rows, expected in cases
            for row in rows
            if not row[0].startswith(("cudnn_", "einsum")) and dtypes(call(module, row)) != expected
        ]
        assert not wrong
        x = torch.ones(2, 2, device="xpu")
        assert torch.einsum("ij,jk->ik", x, x).dtype == dtype  # the list's own is of other sizes than its equation
        for name, (value, *more) in [(row[0], row[1]) for row in lists.methods_fp16]:
            assert getattr(value, name)(*more).dtype == dtype
        for name, (value, *more) in [(row[0], row[1]) for row in lists.methods_fp32]:
            assert getattr(value, name)(*more).dtype == torch.float32
        for name, arguments, expected in lists.torch_expect_builtin_promote:
            got = getattr(torch, name)(*arguments)
            assert isinstance(got, bool) if name == "equal" else dtypes(got) == {expected}, name
        for name, arguments, _ in lists.banned:
            with pytest.raises(RuntimeError, match="unsafe under autocast"):
                getattr(torch._C._nn, name)(*arguments)
    assert sum(len(rows) for _, rows, _ in cases) > 80


def test_the_lists_are_those_of_torchs_own_xpu() -> None:
    registered = torch._C._dispatch_get_registrations_for_dispatch_key
    assert set(registered("AutocastPrivateUse1")) >= set(registered("AutocastXPU"))
    assert len(registered("AutocastXPU")) > 100


def test_nested_disabled_and_decorated() -> None:
    x = torch.ones(2, 2, device="xpu")

    def product() -> torch.dtype:
        return (x @ x).dtype

    with torch.autocast("xpu"):
        assert product() == torch.float16
        with torch.autocast("xpu", enabled=False):
            assert product() == torch.float32
        with torch.autocast("xpu", dtype=torch.bfloat16):
            assert product() == torch.bfloat16
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert product() == torch.float16
            assert (x.cpu() @ x.cpu()).dtype == torch.bfloat16
        assert product() == torch.float16
        assert (x.double() @ x.double()).dtype == torch.float64
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    assert product() == torch.float32
    assert torch.autocast("xpu", dtype=torch.bfloat16)(product)() == torch.bfloat16
    assert torch.autocast(x.device.type)(product)() == torch.float16
    with pytest.warns(UserWarning, match="target dtype is not supported"), torch.autocast("xpu", dtype=torch.int8):
        assert product() == torch.float32
    assert torch.amp.is_autocast_available("xpu")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, where inductor is imported
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_around_a_compiled_function(backend: str) -> None:
    torch._dynamo.reset()
    product = torch.compile(lambda a: (a @ a).dtype, backend=backend)
    sums = torch.compile(lambda a: (a @ a).exp(), backend=backend, fullgraph=True)
    x = torch.ones(2, 2, device="xpu")
    for _ in range(2):  # the second time what was compiled is found again
        assert product(x) == torch.float32
        with torch.autocast("xpu"):
            assert product(x) == torch.float16
            assert sums(x).dtype == torch.float32
            with torch.autocast("xpu", enabled=False):
                assert product(x) == torch.float32
        with torch.autocast("xpu", dtype=torch.bfloat16):
            assert product(x) == torch.bfloat16
    torch._dynamo.reset()


@pytest.mark.parametrize("cast", [None, torch.float32])
def test_functions_of_ones_own(cast: torch.dtype | None) -> None:
    seen: list[Any] = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="xpu", cast_inputs=cast)
        def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(a)
            seen.append((a.dtype, torch.is_autocast_enabled("xpu"), (a @ a).dtype))
            return a @ a

        @staticmethod
        @torch.amp.custom_bwd(device_type="xpu")
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (a,) = ctx.saved_tensors
            seen.append((torch.is_autocast_enabled("xpu"), (a.float() @ a.float()).dtype))
            return grad.float() @ a.t().float() + a.t().float() @ grad.float()

    x = torch.ones(2, 2, device="xpu", requires_grad=True)
    with torch.autocast("xpu"):
        y = Product.apply(x)
    y.float().sum().backward()
    if cast is None:
        assert seen == [(torch.float32, True, torch.float16), (True, torch.float16)]
    else:
        assert seen == [(torch.float32, False, torch.float32), (False, torch.float32)]
    assert x.grad.tolist() == [[4, 4], [4, 4]]


@pytest.mark.parametrize("device", ["xpu:0", "xpu:1"])
@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("autocast", [True, False])
def test_checkpointing_repeats_dropout_and_dtype(device: str, reentrant: bool, autocast: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 8), nn.Dropout(0.3)).to(device)
    x = torch.randn(4, 8, device=device, requires_grad=True)

    def gradients(**options: Any) -> list[torch.Tensor]:
        torch.manual_seed(1)
        model.zero_grad()
        x.grad = None
        with torch.autocast("xpu", dtype=torch.bfloat16, enabled=autocast):
            out = checkpoint(model, x, use_reentrant=reentrant, **options) if options else model(x)
        assert out.dtype == (torch.bfloat16 if autocast else torch.float32)
        torch.rand(3, device=device)  # moves the generator on between forward and backward
        out.float().square().sum().backward()
        return [p.grad.cpu() for p in (*model.parameters(), x)]

    plain, kept = gradients(), gradients(preserve_rng_state=True)
    assert all(torch.equal(a, b) for a, b in zip(plain, kept, strict=True))
    lost = gradients(preserve_rng_state=False)
    assert not all(torch.equal(a, b) for a, b in zip(plain, lost, strict=True))


@pytest.mark.parametrize("bad", [False, True])
def test_the_scaler_skips_infinite_steps_and_keeps_its_state(bad: bool) -> None:
    p, q = (nn.Parameter(torch.ones(3, device=f"xpu:{i}")) for i in range(2))
    optimizer = torch.optim.SGD([p, q], 1.0)
    scaler = torch.amp.GradScaler("xpu", init_scale=4.0, growth_interval=1)
    factor = torch.tensor([1.0, float("inf") if bad else 1.0, 1.0], device="xpu")
    scaler.scale((p * factor).sum()).backward()
    scaler.scale(q.sum()).backward()
    scaler.unscale_(optimizer)
    assert p.grad[0].item() == 1
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == q.tolist() == ([1.0] * 3 if bad else [0.0] * 3)
    assert scaler.get_scale() == (2.0 if bad else 8.0)
    other = torch.amp.GradScaler("xpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == scaler.get_scale()
    fused = torch.optim.Adam([p], 1.0, fused=True)
    scaler.scale((p * factor).sum()).backward()
    before = p.tolist()
    scaler.step(fused)
    assert (p.tolist() == before) == bad
