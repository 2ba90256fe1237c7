"""The boxed router: every call that a kernel serves equals the CPU in value, dtype and strides, and was native."""

from __future__ import annotations

import pytest
import torch

import torchfl
from router_helpers import counts, layer_of, same, whole

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]


# ---- element-wise: shapes, strides, dtypes


@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (2, 3, 4), (2, 1, 4, 1, 2)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_add_of_equal_shapes(dev, shape, dtype):
    a, b = whole(*shape, dtype=dtype), whole(*shape, dtype=dtype)
    same(a.to(dev) + b.to(dev), a + b)
    assert counts("aten::add.Tensor") == {"native": 1}


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)), ((4,), (3, 4)), ((1,), (3, 4)), ((3, 4), ()), ((), (3,))],
)
@pytest.mark.parametrize(
    ("name", "adapted"), [("add", 1), ("sub", 0), ("mul", 0)], ids=["contiguous", "strided", "broadcasting"]
)
def test_broadcasting(dev, left, right, name, adapted):
    """A contiguous kernel gets expanded inputs; a strided one stride 0; a broadcasting one the inputs as they are."""
    a, b = whole(*left), whole(*right)
    function = getattr(torch, name)
    x, y = a.to(dev), b.to(dev)
    assert layer_of(function, x, y) == "native"
    same(function(x, y), function(a, b))
    expected = {"native": 1}
    if adapted:
        expected["adapted"] = 1
    assert counts(f"aten::{name}.Tensor") == expected


def layouts(a: torch.Tensor) -> dict[str, torch.Tensor]:
    """The same values in other places: each view reads as ``a``."""
    wide = torch.zeros(*a.shape[:-1], 2 * a.shape[-1], dtype=a.dtype)
    strided = wide[..., ::2]
    strided.copy_(a)
    offset = torch.zeros(a.numel() + 3, dtype=a.dtype)[3:].view(a.shape)
    offset.copy_(a)
    transposed = a.transpose(0, -1).contiguous().transpose(0, -1)
    return {"strided": strided, "offset": offset, "transposed": transposed}


@pytest.mark.parametrize("layout", ["strided", "offset", "transposed"])
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_one_input_laid_out_otherwise(dev, layout, name):
    a, b = whole(3, 4, 5), whole(3, 4, 5)
    view = layouts(a)[layout]
    base = view._base if view._base is not None else view
    x = base.to(dev).as_strided(view.size(), view.stride(), view.storage_offset())
    function = getattr(torch, name)
    for args, cpu in (((x, b.to(dev)), (view, b)), ((b.to(dev), x), (b, view))):
        torchfl.reset_counters()
        assert layer_of(function, *args) == "native"
        same(function(*args), function(*cpu))
        assert counts(f"aten::{name}.Tensor")["native"] == 1


@pytest.mark.parametrize("permutation", [(1, 0, 2, 3), (3, 2, 1, 0), (0, 2, 3, 1), (2, 0, 3, 1)])
def test_inputs_that_share_another_order_of_elements_need_no_adapter(dev, permutation):
    inverse = [permutation.index(i) for i in range(4)]
    a, b = (whole(2, 3, 4, 5).permute(permutation).contiguous().permute(inverse) for _ in range(2))
    assert not a.is_contiguous()
    x, y = a.to(dev), b.to(dev)
    same(x + y, a + b)
    same(torch.relu(x), torch.relu(a))
    assert counts("aten::add.Tensor") == {"native": 1}
    assert counts("aten::relu") == {"native": 1}


@pytest.mark.parametrize(
    "make",
    [
        lambda: (whole(4, 5).t(), whole(5, 1)),
        lambda: (whole(5, 4), whole(4, 5).t()),
        lambda: (whole(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), whole(2, 3, 4, 5)),
        lambda: (whole(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), whole(1, 3, 1, 1)),
        lambda: (whole(3, 1, 5).expand(3, 4, 5), whole(3, 4, 5)),
        lambda: (whole(6, 4)[::2], whole(3, 8)[:, ::2]),
        lambda: (whole(4, 3, 2).permute(2, 0, 1), whole(3)),
    ],
)
def test_strides_of_the_output_follow_the_cpu(dev, make):
    a, b = make()
    x = (a._base if a._base is not None else a).to(dev).as_strided(a.size(), a.stride(), a.storage_offset())
    y = (b._base if b._base is not None else b).to(dev).as_strided(b.size(), b.stride(), b.storage_offset())
    for function in (torch.add, torch.sub, torch.mul):
        same(function(x, y), function(a, b))


# ---- dtypes


def test_promotion(dev):
    a, b = whole(3, 4, dtype=torch.float16), whole(3, 4)
    same(a.to(dev) + b.to(dev), a + b)
    assert counts("aten::add.Tensor") == {"native": 1, "adapted": 1}


@pytest.mark.parametrize("other", [2, 2.5, torch.tensor(3), torch.tensor(3.0, dtype=torch.float64), torch.tensor(True)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_wrapped_numbers_and_host_scalars(dev, dtype, other):
    a = whole(3, 4, dtype=dtype)
    expected = a + other
    same(a.to(dev) + other, expected)
    same(other + a.to(dev), other + a)
    served = expected.dtype in (torch.float32, torch.float16, torch.int32)
    assert ("native" in counts("aten::add.Tensor")) == served


@pytest.mark.parametrize("number", [1e5, -1e5, 1e-8, 1e-5, torch.tensor(1e5), torch.tensor(1e-8, dtype=torch.float64)])
def test_a_number_that_half_precision_cannot_hold_is_not_made_one(dev, number):
    """x * 1e-8 is not x * 0, and inf * 1e-8 no NaN: PyTorch computes with the number itself."""
    x = torch.tensor([6e4, float("inf"), 0.0, -2.0]).half()
    torchfl.reset_counters()
    same(x.to(dev) * number, x * number)
    same(number * x.to(dev), number * x)
    assert counts("aten::mul.Tensor")["cpu"] == 2
    assert any("beyond what the dtype" in r.reason for r in torchfl.fallback_reasons())
    same(x.to(dev) * 0.1, x * 0.1, exact=False)
    assert counts("aten::mul.Tensor")["native"] == 1


def test_a_number_on_the_device_beside_half_precision(dev):
    x, big, small = torch.tensor([6e4, 1.0]).half(), torch.tensor(1e5), torch.tensor(3)
    torchfl.reset_counters()
    same(x.to(dev) * big.to(dev), x * big)
    assert counts("aten::mul.Tensor") == {"cpu": 1}
    same(x.to(dev) * small.to(dev), x * small)
    assert counts("aten::mul.Tensor") == {"cpu": 1, "native": 1, "adapted": 1}


def test_dtypes_with_rules_of_their_own(dev):
    """Of integers PyTorch makes int64 sums, of uint8 an `any` in uint8; a bool is refused as an operand of sub."""
    numbers, flags = torch.tensor([[1, 2], [3, 4]], dtype=torch.int32), torch.tensor([[1, 0]], dtype=torch.uint8)
    torchfl.reset_counters()
    same(numbers.to(dev).sum(1), numbers.sum(1))
    same(flags.to(dev).any(1), flags.any(1))
    reasons = {r.op: r.reason for r in torchfl.fallback_reasons()}
    assert reasons["aten::sum.dim_IntList"] == "PyTorch has rules of its own for int32"
    assert reasons["aten::any.dim"] == "PyTorch has rules of its own for uint8"
    for other in (True, torch.tensor([True, False]).to(dev)):
        with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
            torch.ones(2).to(dev) - other


def test_a_limit_on_an_argument_does_not_hold_where_it_is_absent(dev):
    x = torch.tensor([-3.0, 5.0])
    same(x.to(dev).clamp(min=-1), x.clamp(min=-1))
    assert "max = absent, but max must be at most -1000" in [r.reason for r in torchfl.fallback_reasons()]


@pytest.mark.parametrize(("dtype", "value"), [(torch.int8, 300), (torch.float16, 1e6)])
def test_a_number_that_cannot_be_an_element(dev, dtype, value):
    x = torch.ones(3, dtype=dtype)
    for function in (lambda t: t.masked_fill(t > 0, value), lambda t: t.masked_fill_(t > 0, value)):
        with pytest.raises(RuntimeError, match=r"cannot be converted to type .* without overflow"):
            function(x.to(dev))


def test_integers_divide_as_floats(dev):
    a, b = whole(3, 4, dtype=torch.int32), torch.full((3, 4), 2, dtype=torch.int32)
    same(a.to(dev) / b.to(dev), a / b)
    assert counts("aten::div.Tensor") == {"native": 1, "adapted": 1}


def test_a_dtype_that_is_not_declared_goes_to_the_cpu(dev):
    a = whole(3, 4, dtype=torch.float64)
    assert (
        torchfl.explain("aten::add", a.to(dev), a.to(dev)).reason
        == "dtype float64 is not among [int32, float16, float32]"
    )
    same(a.to(dev) + a.to(dev), a + a)
    assert counts("aten::add.Tensor") == {"cpu": 1}


# ---- in-place and out=


def test_a_cast_is_counted_where_the_profile_names_none(dev):
    a = whole(6, 4)
    on_device = a.to(dev)
    torchfl.reset_counters()
    same(on_device.to(torch.float16), a.to(torch.float16))
    assert counts("aten::_to_copy") == {"cpu": 1}
    assert [(r.op, r.reason) for r in torchfl.fallback_reasons()] == [
        ("aten::_to_copy", "the profile does not name the op")
    ]
    halves = whole(6, 4, dtype=torch.float16)
    torchfl.reset_counters()
    same(on_device + halves.to(dev), a + halves)  # an adapter's cast is no call of its own
    assert counts("aten::_to_copy") == {}


def test_in_place_on_a_contiguous_tensor_writes_it_directly(dev):
    a, b = whole(3, 4), whole(3, 4)
    x = a.to(dev)
    address = x.data_ptr()
    assert x.add_(b.to(dev)) is x
    assert x.data_ptr() == address
    same(x, a + b)
    assert counts("aten::add_.Tensor") == {"native": 1}


def test_in_place_kernel_that_may_not_alias_goes_through_a_temporary(dev):
    a = whole(3, 4)
    x = a.to(dev)
    x.neg_()
    same(x, -a)
    assert counts("aten::neg_") == {"native": 1, "adapted": 1}


def test_in_place_on_a_slice_leaves_the_rest(dev):
    a, b = whole(6, 4), whole(2, 4)
    x = a.to(dev)
    x[2:4].add_(b.to(dev))
    a[2:4].add_(b)
    same(x, a)
    assert counts("aten::add_.Tensor") == {"native": 1}


def test_in_place_on_a_strided_view(dev):
    a, b = whole(4, 6), whole(4, 3)
    x = a.to(dev)
    x[:, ::2].add_(b.to(dev))
    a[:, ::2].add_(b)
    same(x, a)
    assert counts("aten::add_.Tensor") == {"native": 1, "adapted": 1}


def test_in_place_on_a_transposed_tensor_keeps_its_strides(dev):
    a, b = whole(4, 6).t(), whole(4, 6).t()
    x = a.t().to(dev).t()
    x += b.t().to(dev).t()
    same(x, a + b)
    assert x.stride() == (1, 6)
    assert counts("aten::add_.Tensor") == {"native": 1}


def test_in_place_in_a_narrower_dtype(dev):
    a, b = whole(3, 4, dtype=torch.float16), whole(3, 4)
    x = a.to(dev)
    x.add_(b.to(dev))
    same(x, a.add_(b))
    assert counts("aten::add_.Tensor") == {"native": 1, "adapted": 1}


def test_a_tensor_added_to_itself(dev):
    a = whole(3, 4)
    x = a.to(dev)
    x.add_(x)
    same(x, a + a)
    assert counts("aten::add_.Tensor") == {"native": 1}


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x, y: x[:1].add_(y), "shape"),
        (lambda x, y: x.to(torch.int32).add_(y), "can't be cast"),
        (lambda x, y: x[:1].expand(3, 4).add_(y), "single memory location"),
        (lambda x, y: x[1:].add_(x[:2]), "some elements of the input tensor and the written-to tensor"),
        (lambda x, y: torch.add(x, y[:, :3]), "must match"),
        (lambda x, y: torch.mm(x, y), "cannot be multiplied"),
        (lambda x, y: torch.mm(x, y.t().double()), "dtype"),
    ],
)
def test_errors_are_pytorch_s_own(dev, function, error):
    a, b = whole(3, 4), whole(3, 4)
    with pytest.raises(RuntimeError, match=error) as on_cpu:
        function(a, b)
    with pytest.raises(RuntimeError) as on_device:
        function(a.to(dev), b.to(dev))
    assert str(on_device.value) == str(on_cpu.value)


def test_disjoint_slices_of_one_storage_are_no_overlap(dev):
    a = whole(6, 4)
    x = a.to(dev)
    x[:3].add_(x[3:])
    a[:3].add_(a[3:])
    same(x, a)
    assert counts("aten::add_.Tensor") == {"native": 1}


@pytest.mark.parametrize("make_out", [lambda: torch.empty(3, 4), lambda: torch.empty(0), lambda: torch.empty(4, 3).t()])
def test_out(dev, make_out):
    a, b, out = whole(3, 4), whole(3, 4), make_out()
    given = out.t().to(dev).t() if out.dim() == 2 and not out.is_contiguous() else out.to(dev)
    result = torch.add(a.to(dev), b.to(dev), out=given)
    assert result is given
    same(given, torch.add(a, b, out=out))
    assert counts("aten::add.out")["native"] == 1


def test_out_of_another_dtype(dev):
    a, b, out = whole(3, 4), whole(3, 4), torch.empty(3, 4, dtype=torch.float64)
    given = out.to(dev)
    torch.add(a.to(dev), b.to(dev), out=given)
    same(given, torch.add(a, b, out=out))
    assert counts("aten::add.out") == {"cpu": 1}
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):  # as on the CPU; sqrt's would cast
        torch.abs(a.to(dev), out=given)


def test_out_that_is_an_input(dev):
    a, b = whole(3, 4), whole(3, 4)
    x = a.to(dev)
    torch.add(x, b.to(dev), out=x)
    same(x, a + b)
    assert counts("aten::add.out") == {"native": 1}


def test_out_that_has_elements_and_another_shape_is_resized_with_pytorch_s_warning(dev):
    a, b = whole(3, 4), whole(3, 4)
    given = torch.empty(2, device=dev)
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.add(a.to(dev), b.to(dev), out=given)
    same(given, a + b)
    assert counts("aten::add.out") == {"native": 1}


def test_views_of_a_native_result_and_in_place_on_its_base(dev):
    a, b = whole(3, 4), whole(3, 4)
    x = a.to(dev) + b.to(dev)
    row = x[1]
    x.add_(b.to(dev))
    same(row, (a + b + b)[1])


# ---- sizes that no kernel sees


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 4)])
def test_empty_results_run_no_kernel(dev, shape):
    a = torch.empty(shape)
    before = torchfl.symbol_calls("xpu:rt")["rt_launch"]
    assert layer_of("aten::add", a.to(dev), a.to(dev)) == "empty"
    same(a.to(dev) + a.to(dev), a + a)
    same(torch.mm(torch.empty(0, 3).to(dev), torch.empty(3, 4).to(dev)), torch.empty(0, 4))
    assert torchfl.symbol_calls("xpu:rt")["rt_launch"] == before
    assert counts("aten::add.Tensor") == {}


def test_a_product_over_nothing_is_zero(dev):
    x, y = torch.empty(3, 0).to(dev), torch.empty(0, 4).to(dev)
    same(x @ y, torch.zeros(3, 4))
    assert counts("aten::mm") == {"cpu": 1}


# ---- attributes and constraints


def test_attributes_reach_the_kernel(dev):
    a, b = whole(3, 4), whole(3, 4)
    same(torch.add(a.to(dev), b.to(dev), alpha=3), torch.add(a, b, alpha=3))
    same(torch.sub(a.to(dev), b.to(dev), alpha=0.5), torch.sub(a, b, alpha=0.5))
    same(torch.nn.functional.leaky_relu(a.to(dev), 0.25), torch.nn.functional.leaky_relu(a, 0.25))
    assert counts("aten::add.Tensor") == counts("aten::sub.Tensor") == counts("aten::leaky_relu") == {"native": 1}


@pytest.mark.parametrize(
    ("function", "inside", "outside", "reason"),
    [
        (torch.neg, (torch.ones(1000),), (torch.ones(1001),), "numel = 1001, but numel must be at most 1000"),
        (
            torch.div,
            (torch.ones(2, 2, 2), torch.ones(2)),
            (torch.ones(1, 1, 2, 2), torch.ones(2)),
            "rank = 4, but rank must",
        ),
        (
            torch.nn.functional.leaky_relu,
            (torch.ones(3), 0.5),
            (torch.ones(3), 0.75),
            "negative_slope = 0.75, but negative_slope must be at least 0 and at most 0.5",
        ),
        (torch.nn.functional.leaky_relu, (torch.ones(3), 0.0), (torch.ones(3), -0.1), "negative_slope = -0.1"),
    ],
)
def test_constraints(dev, function, inside, outside, reason):
    """Inside runs on the chip; outside never reaches it, is right, and says which limit it broke."""

    def there(args):
        return [a.to(dev) if isinstance(a, torch.Tensor) else a for a in args]

    assert layer_of(function, *there(inside)) == "native"
    same(function(*there(inside)), function(*inside), exact=False)
    explained = torchfl.explain(function, *there(outside))
    assert explained.layer == "cpu"
    assert explained.reason.startswith(reason)
    args = there(outside)
    before = torchfl.symbol_calls("xpu:rt")["rt_launch"]
    same(function(*args), function(*outside), exact=False)
    assert torchfl.symbol_calls("xpu:rt")["rt_launch"] == before
    assert explained.reason in {r.reason for r in torchfl.fallback_reasons()}


def test_unverified_entries_do_not_route(dev):
    a = whole(3, 4)
    explained = torchfl.explain("aten::sigmoid", a.to(dev))
    assert explained.layer == "cpu"
    assert explained.reason == (
        "its entry in the profile is unverified; `torchfl probe --device xpu:rt --write` settles it"
    )
    same(a.to(dev).sigmoid(), a.sigmoid())
    assert counts("aten::sigmoid") == {"cpu": 1}


# ---- products


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_mm_takes_row_and_column_major(dev, dtype, left, right):
    a = whole(5, 3, dtype=dtype).t() if left else whole(3, 5, dtype=dtype)
    b = whole(4, 5, dtype=dtype).t() if right else whole(5, 4, dtype=dtype)
    x = a.t().to(dev).t() if left else a.to(dev)
    y = b.t().to(dev).t() if right else b.to(dev)
    same(x @ y, a @ b)
    assert counts("aten::mm") == {"native": 1}


def test_mm_of_slices_with_a_leading_dimension(dev):
    a, b = whole(6, 8), whole(8, 6)
    x, y = a.to(dev), b.to(dev)
    same(x[1:4, 2:7] @ y[2:7, :4], a[1:4, 2:7] @ b[2:7, :4])
    assert counts("aten::mm") == {"native": 1}
    torchfl.reset_counters()
    same(x[:, ::2] @ y[::2], a[:, ::2] @ b[::2])
    assert counts("aten::mm") == {"native": 1, "adapted": 1}


@pytest.mark.parametrize("bias", [(4,), (1, 4), (3, 1), (3, 4), ()])
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0, 1), (2, 3)])
def test_addmm(dev, bias, beta, alpha):
    c, a, b = whole(*bias), whole(3, 5), whole(5, 4)
    same(
        torch.addmm(c.to(dev), a.to(dev), b.to(dev), beta=beta, alpha=alpha),
        torch.addmm(c, a, b, beta=beta, alpha=alpha),
    )
    assert counts("aten::addmm")["native"] == 1


def test_addmm_in_place(dev):
    c, a, b = whole(3, 4), whole(3, 5), whole(5, 4)
    x = c.to(dev)
    x.addmm_(a.to(dev), b.to(dev))
    same(x, torch.addmm(c, a, b))
    assert counts("aten::addmm_") == {"native": 1}


def test_bmm_mv_and_dot(dev):
    a, b = whole(4, 3, 6, dtype=torch.float16), whole(4, 6, 2, dtype=torch.float16)
    same(torch.bmm(a.to(dev), b.to(dev)), torch.bmm(a, b))
    m, v = whole(3, 5), whole(5)
    same(torch.mv(m.to(dev), v.to(dev)), torch.mv(m, v))
    same(torch.dot(v.to(dev), v.to(dev)), torch.dot(v, v))
    assert counts("aten::bmm") == counts("aten::mv") == counts("aten::dot") == {"native": 1}


def test_out_of_a_product_may_not_be_an_input(dev):
    a = whole(4, 4)
    x = a.to(dev)
    torch.mm(x, x, out=x)
    expected = a.clone()
    torch.mm(expected, expected, out=expected)
    same(x, expected)
    assert counts("aten::mm.out") == {"cpu": 1}
