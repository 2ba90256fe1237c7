"""Ops that reach the CPU's kernel without a stack: each signature, in value, layout and identity as on the CPU."""

from __future__ import annotations

import threading

import pytest
import torch

import torchfl
from router_helpers import counts, same

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]

A = torch.rand(4, 6) * 0.8 + 0.1
B = torch.rand(4, 6) * 0.8 + 0.1
C = torch.rand(6)  # broadcast
I = torch.tensor([2, 0, 3])  # noqa: E741

FUNCTIONAL = {
    "T": lambda a, b, c, i: a.lgamma(),
    "TT": lambda a, b, c, i: torch.hypot(a, c),
    "TTT": lambda a, b, c, i: torch.lerp(a, b, c),
    "TS": lambda a, b, c, i: torch.fmod(a, 0.3),
    "ST": lambda a, b, c, i: torch.pow(2.5, a),
    "Tss": lambda a, b, c, i: torch.clamp(a, min=0.2),
    "TSS": lambda a, b, c, i: torch.threshold(a, 0.5, -1.0),
    "TTS": lambda a, b, c, i: torch.lerp(a, b, 0.25),
    "TTTSS": lambda a, b, c, i: torch.addr(a, c[:4], c, beta=0.5, alpha=2.0),
    "TI": lambda a, b, c, i: torch.tril(a, -1),
    "TIB": lambda a, b, c, i: torch.log_softmax(a, 1),
    "TIT": lambda a, b, c, i: torch.index_select(a, 0, i),
    "TITB": lambda a, b, c, i: torch.gather(a, 0, i[None, :].expand(1, 3)),
    "TITT": lambda a, b, c, i: torch.index_copy(a, 0, i, b[:3]),
    "TiB": lambda a, b, c, i: torch.argmin(a, 1, True),
    "TL": lambda a, b, c, i: torch.flip(a, (0, 1)),
    "TLB": lambda a, b, c, i: torch.amin(a, (1,), True),
    "Td": lambda a, b, c, i: torch.prod(a, dtype=torch.float64),
    "TId": lambda a, b, c, i: torch.cumprod(a, 1),
    "TlBd": lambda a, b, c, i: torch.nansum(a, 1),
    "TZ": lambda a, b, c, i: torch.nn.functional.gelu(a, approximate="tanh"),
    "TIB, two": lambda a, b, c, i: torch.min(a.t(), 1),
    "of a view": lambda a, b, c, i: a[1:3, ::2].t().asinh(),
    "of a number on the CPU": lambda a, b, c, i: torch.copysign(a, torch.tensor(-1.0)),
    "the same twice": lambda a, b, c, i: torch.atan2(a, a),
    "without elements": lambda a, b, c, i: a[:, :0].digamma(),
}
IN_PLACE = {
    "M": lambda a, b, c: a.lgamma_(),
    "MT": lambda a, b, c: a.hypot_(c),
    "MTT": lambda a, b, c: a.lerp_(b, c),
    "MS": lambda a, b, c: a.fmod_(0.3),
    "Mss": lambda a, b, c: a.clamp_(0.2, 0.5),
    "MTS": lambda a, b, c: a.masked_fill_(b > 0.5, 2.0),
    "MTTS": lambda a, b, c: a.addcdiv_(b, b, value=0.5),
    "MITT": lambda a, b, c: a.scatter_add_(1, (b * 6).long(), b),
    "of a view": lambda a, b, c: a[1:3, ::2].acos_(),
    "onto itself": lambda a, b, c: a.xlogy_(a),
}


def given(dev, *tensors):
    return tuple(t.clone() for t in tensors), tuple(t.clone().to(dev) for t in tensors)


@pytest.mark.parametrize("signature", FUNCTIONAL)
def test_functional(dev, signature):
    theirs, ours = given(dev, A, B, C, I)
    expected, got = FUNCTIONAL[signature](*theirs), FUNCTIONAL[signature](*ours)
    for e, g in zip(*((x if isinstance(x, tuple) else (x,)) for x in (expected, got)), strict=True):
        assert (g.dtype, g.stride(), g.device.type) == (e.dtype, e.stride(), dev.type)
        same(g, e)
    for before, after in zip((A, B, C, I), ours, strict=True):
        same(after, before)


@pytest.mark.parametrize("signature", IN_PLACE)
def test_in_place(dev, signature):
    (a, b, c), (x, y, z) = given(dev, A, B, C)
    shape, version = x.shape, x._version
    IN_PLACE[signature](a, b, c)
    result = IN_PLACE[signature](x, y, z)
    assert result.untyped_storage()._cdata == x.untyped_storage()._cdata
    assert (x.shape, x._version) == (shape, version + 1)
    same(x, a)
    same(y, B)


@pytest.mark.parametrize(
    "op",
    [
        lambda a, b, out: torch.lgamma(a, out=out),
        lambda a, b, out: torch.hypot(a, b, out=out),
        lambda a, b, out: torch.fmod(a, 0.3, out=out),
        lambda a, b, out: torch.lerp(a, b, 0.25, out=out),
    ],
)
@pytest.mark.parametrize("size", [(0,), (4, 6), (6, 4)])
def test_out(dev, op, size):
    (a, b), (x, y) = given(dev, A, B)
    there, out = (torch.empty(size, device=at) for at in ("cpu", dev))
    if size == (6, 4):
        there, out = there.t(), out.t()
    assert op(x, y, out) is out
    same(out, op(a, b, there))


def test_draws_come_from_the_generator_given(dev):
    x, a = torch.empty(32, device=dev), torch.empty(32)
    ours, theirs = torch.Generator(device=dev), torch.Generator()
    for draw in (lambda t, g: t.uniform_(0.5, 2.0, generator=g), lambda t, g: t.exponential_(2.0, generator=g)):
        same(draw(x, ours.manual_seed(3)), draw(a, theirs.manual_seed(3)))  # the first draw is the CPU's own
        assert not torch.equal(draw(x, ours).cpu(), a)


def test_each_call_is_counted_once(dev):
    x = A.to(dev)
    torchfl.reset_counters()
    x.lgamma()
    x.lgamma_()
    torch.lgamma(x, out=torch.empty(0, device=dev))
    assert [counts(f"aten::{name}") for name in ("lgamma", "lgamma_", "lgamma.out")] == [{"cpu": 1}] * 3
    assert {(r.op, r.count) for r in torchfl.fallback_reasons()} == {
        ("aten::lgamma", 1), ("aten::lgamma_", 1), ("aten::lgamma.out", 1)
    }  # fmt: skip


def test_what_a_cpu_op_kept_of_its_arguments_stays_as_it_was(dev):
    kept = []
    with torch.library._scoped_library("torchfl_test_keeps", "DEF") as library:
        library.define("keep(Tensor x) -> Tensor")
        library.impl("keep", lambda x: kept.append(x) or x.clone(), "CPU")
        x = A.to(dev)
        torch.ops.torchfl_test_keeps.keep(x)
        for other in (B.double(), C, B.t().contiguous()):
            other.to(dev).lgamma()
            torch.lgamma(other.to(dev), out=torch.empty(0, device=dev, dtype=other.dtype))
    assert torch.equal(kept[0], A)


def test_views_of_one_call_leave_nothing_to_the_next(dev):
    z = torch.complex(A, B)
    same(z.to(dev).conj().tan(), z.conj().tan())
    same(z.to(dev).conj().imag.lgamma(), z.conj().imag.lgamma())  # negated lazily
    same(A.to(dev).lgamma(), A.lgamma())
    same(torch.hypot(A.to(dev).double(), torch.tensor(2.0).to(dev)), torch.hypot(A.double(), torch.tensor(2.0)))
    with torch.inference_mode():
        same(A.to(dev)[1:].lgamma(), A[1:].lgamma())
    x = A.to(dev).requires_grad_()
    x[:, 2:].lgamma().sum().backward()
    a = A.clone().requires_grad_()
    a[:, 2:].lgamma().sum().backward()
    same(x.grad, a.grad)
    half = A.to(dev).lgamma()
    half.resize_(9, 9)
    same(A.to(dev).lgamma(), A.lgamma())


def test_storages_that_die_in_another_thread(dev):
    wrong, handed = [], []

    def work(seed: int) -> None:
        a = torch.full((64 * seed,), seed / 10)
        expected = a.lgamma().digamma()
        for _ in range(200):
            result = a.to(dev).lgamma().digamma()
            if not torch.equal(result.cpu(), expected):
                wrong.append(seed)
            handed.append(result)
            if len(handed) > 8:
                handed.pop(0)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    handed.clear()
    same(A.to(dev).lgamma(), A.lgamma())
