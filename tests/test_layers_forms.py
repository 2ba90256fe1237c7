"""In-place and out= forms by way of the functional one, on CPU tensors."""

from __future__ import annotations

import pytest
import torch

from torchfl.layers.forms import compute, form_of


@pytest.mark.parametrize(
    ("overload", "functional", "destinations", "inplace"),
    [
        ("aten::silu", "aten::silu", (), False),
        ("aten::silu_", "aten::silu", ("self",), True),
        ("aten::add_.Tensor", "aten::add.Tensor", ("self",), True),
        ("aten::_softmax.out", "aten::_softmax", ("out",), False),
        ("aten::native_layer_norm.out", "aten::native_layer_norm", ("out0", "out1", "out2"), False),
        ("aten::sum.IntList_out", "aten::sum.dim_IntList", ("out",), False),
    ],
)
def test_the_functional_form(overload, functional, destinations, inplace):
    form = form_of(overload)
    assert form is not None
    assert (
        form.functional._schema.name
        + (f".{form.functional._schema.overload_name}" if form.functional._schema.overload_name else "")
        == functional
    )
    assert (form.destinations, form.inplace) == (destinations, inplace)


@pytest.mark.parametrize("overload", ["aten::_foreach_add_.Scalar", "aten::set_.source_Storage", "aten::copy_"])
def test_what_no_functional_form_tells(overload):
    form = form_of(overload)
    assert form is None or form.inplace


def test_random_ops_are_marked():
    assert form_of("aten::bernoulli").seeded
    assert not form_of("aten::exp").seeded


def test_a_functional_result_never_aliases_its_argument():
    x = torch.ones(3)
    result = compute(form_of("aten::relu"), lambda t: t, (x,), {})
    result.zero_()
    assert x.sum() == 3


def test_results_go_where_the_form_says():
    x = torch.tensor([-1.0, 2.0])
    assert compute(form_of("aten::relu_"), torch.relu, (x,), {}) is x
    assert x.tolist() == [0, 2]
    out = torch.empty(0, dtype=torch.float64)
    given = compute(form_of("aten::relu.out"), torch.relu, (torch.tensor([-1.0, 2.0]),), {"out": out})
    assert given is out
    assert out.tolist() == [0, 2]
    with pytest.raises(RuntimeError, match="can't be cast"):
        compute(form_of("aten::relu.out"), torch.relu, (x,), {"out": torch.empty(2, dtype=torch.int32)})
    with pytest.raises(RuntimeError, match="does not fit in place"):
        compute(form_of("aten::add_.Tensor"), torch.add, (torch.ones(2), torch.ones(3, 2)), {})
