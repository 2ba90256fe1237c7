"""Sparse COO tensors on the device: made, moved, computed with and trained, against the CPU."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable

import pytest
import torch
from torch import nn

# torch's advice about checking indices, and of a newer one on loading.
ADVICE = ("ignore:Sparse invariant checks", "ignore:Validating sparse tensor invariants")
pytestmark = [
    pytest.mark.device,
    pytest.mark.usefixtures("fixture_chip"),
    pytest.mark.filterwarnings(*ADVICE),
]


def sample() -> torch.Tensor:
    return torch.sparse_coo_tensor([[0, 1, 1], [1, 0, 0]], [1.0, 2.0, 3.0], (3, 3))  # not coalesced


def test_made_and_moved() -> None:
    here = sample()
    made = torch.sparse_coo_tensor([[0, 1, 1], [1, 0, 0]], [1.0, 2.0, 3.0], (3, 3), device="xpu:1")
    parts = torch.sparse_coo_tensor(here._indices().to("xpu"), here._values().to("xpu"), (3, 3))
    copies = [copy.deepcopy(made), made.clone(), made.detach(), parts.to("xpu:1"), made]
    moved = [parts, here.to("xpu"), made.to("xpu:0")]
    for there, where in [(c, "xpu:1") for c in copies] + [(m, "xpu:0") for m in moved]:
        assert (str(there.device), there.layout, there._nnz()) == (where, torch.sparse_coo, 3)
        assert not there.is_coalesced()
        assert str(there._indices().device) == str(there._values().device) == where
        assert torch.equal(there.cpu().to_dense(), here.to_dense())
        assert torch.equal(there.to_dense().cpu(), here.to_dense())
    assert made.to("xpu:1") is made
    assert "device='xpu:1'" in repr(made)
    file = io.BytesIO()
    torch.save(made, file)
    file.seek(0)
    assert str(torch.load(file).device) == "xpu:1"
    dense = torch.eye(3, device="xpu")
    assert torch.equal(dense.to_sparse().to_dense().cpu(), torch.eye(3))


OPS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "coalesce": lambda s, d: s.coalesce(),
    "sum": lambda s, d: s.sum(),
    "sum over a dimension": lambda s, d: torch.sparse.sum(s, 0),
    "add": lambda s, d: s + s,
    "scale": lambda s, d: s * 2,
    "multiply": lambda s, d: s * s,
    "product": lambda s, d: torch.sparse.mm(s, d),
    "operator": lambda s, d: s @ d,
    "transpose": lambda s, d: s.t(),
    "concatenate": lambda s, d: torch.cat([s, s]),
    "select": lambda s, d: s[1],
    "softmax": lambda s, d: torch.sparse.softmax(s.coalesce(), 1),
    "mask": lambda s, d: d.sparse_mask(s.coalesce()),
    "half": lambda s, d: s.half(),
    "relu": lambda s, d: (s * -1).coalesce().relu(),
    "zeros_like": lambda s, d: torch.zeros_like(s),
    "dense plus sparse": lambda s, d: d + s,
    "in place on dense": lambda s, d: d.add_(s, alpha=3),
    "in place on sparse": lambda s, d: s.add_(s),
    "zero in place": lambda s, d: s.zero_(),
    "dense out": lambda s, d: torch.mm(s, d, out=torch.empty(0, device=d.device)),
}


@pytest.mark.parametrize("name", sorted(OPS))
def test_an_op_equals_the_cpu(name: str) -> None:
    results = []
    for where in ("cpu", "xpu:1"):
        s, d = sample().to(where), torch.arange(9.0).reshape(3, 3).to(where)
        result = OPS[name](s, d)
        assert str(result.device) == where
        results.append([t.cpu().to_dense() for t in (result, s, d)])
    for actual, expected in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(actual, expected)


def test_gradients_of_a_sparse_product() -> None:
    grads = []
    for where in ("cpu", "xpu"):
        s, d = sample().coalesce().to(where).requires_grad_(), torch.ones(3, 2, device=where, requires_grad=True)
        torch.sparse.mm(s, d).square().sum().backward()
        assert s.grad.is_sparse
        grads.append((s.grad.cpu().to_dense(), d.grad.cpu()))
    for actual, expected in zip(*grads, strict=True):
        torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.SparseAdam, torch.optim.Adagrad])
def test_an_embedding_with_sparse_gradients_trains(kind: type[torch.optim.Optimizer]) -> None:
    weights = []
    for where in ("cpu", "xpu"):
        torch.manual_seed(0)
        model = nn.Embedding(5, 3, sparse=True).to(where)
        optimizer = kind(model.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.tensor([1, 2, 1]).to(where)).square().sum().backward()
            assert model.weight.grad.is_sparse
            optimizer.step()
        weights.append(model.weight.detach().cpu())
    torch.testing.assert_close(weights[1], weights[0])


def test_devices_are_not_mixed() -> None:
    s = sample().to("xpu")
    for other in (torch.ones(3, 3), torch.ones(3, 3, device="xpu:1")):
        with pytest.raises(RuntimeError, match="same device"):
            torch.sparse.mm(s, other)
