"""The matcher on x1's header: every op, every runtime role, a reason for every function left over."""

from __future__ import annotations

import pytest

from header_helpers import X1_HEADER, reason, roles
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import MatchResult, match
from torchfl_sdk.match.model import RUNTIME_ROLES

ELEMENTWISE = (
    "add sub mul div maximum minimum relu neg abs exp log sqrt rsqrt sigmoid tanh silu gelu leaky_relu".split()  # noqa: SIM905
)
EXTENTS = (
    *("eq", "gt", "where", "masked_fill", "_to_copy", "sum", "mean", "amax", "argmax", "softmax", "log_softmax"),
    *("layer_norm", "rms_norm", "batch_norm", "max_pool2d", "scaled_dot_product_attention", "embedding"),
    *("index_select", "gather", "permute_copy"),
)
STRUCTS = ("conv2d", "avg_pool2d", "cat")


@pytest.fixture(scope="module")
def x1() -> MatchResult:
    return match(read_headers([X1_HEADER]), catalogue.OPS)


def test_every_op_is_bound(x1: MatchResult) -> None:
    assert {b.op for b in x1.bindings} == {f"aten::{n}" for n in (*ELEMENTWISE, *EXTENTS, *STRUCTS, "mm", "addmm")}
    assert [b.op for b in x1.bindings] == sorted(b.op for b in x1.bindings)
    styles = {b.op: b.style for b in x1.bindings}
    assert {styles.pop(f"aten::{name}") for name in STRUCTS} == {"tensor_struct"}
    assert styles.pop("aten::mm") == styles.pop("aten::addmm") == "blas"
    assert set(styles.values()) == {"pointer"}
    assert len({b.impl for b in x1.bindings}) == len(x1.bindings)


def test_every_binding_says_why(x1: MatchResult) -> None:
    for binding in x1.bindings:
        assert binding.confidence > 0.9
        assert any("x1_runtime.h:" in sentence for sentence in binding.evidence)
        assert any(binding.calls[0].function in sentence for sentence in binding.evidence)


def test_an_enum_selects_the_dtype_so_nothing_is_proved(x1: MatchResult) -> None:
    add, exp, mm = (x1.binding(f"aten::{n}") for n in ("add", "exp", "mm"))
    assert add
    assert exp
    assert mm
    assert add.calls[0].dtypes == ("float32", "float16", "int8")
    assert not add.calls[0].dtypes_proved
    assert exp.calls[0].dtypes == ("float32", "float16"), "an integer exp makes no sense"
    assert mm.calls[0].dtypes == ("float32", "float16")
    dtype = next(a for a in add.calls[0].arguments if a.role == "dtype")
    assert dict(dtype.values) == {
        "float32": "X1_DTYPE_FLOAT32",
        "float16": "X1_DTYPE_FLOAT16",
        "int8": "X1_DTYPE_INT8",
    }


def test_arguments_of_the_pointer_style(x1: MatchResult) -> None:
    assert roles(x1, "aten::sub") == ["self", "other", "out", "numel", "dtype"]
    assert roles(x1, "aten::leaky_relu") == ["self", "out", "numel", "negative_slope", "dtype"]
    add, relu = x1.binding("aten::add"), x1.binding("aten::relu")
    assert add
    assert relu
    assert add.constraints == (("alpha", (1,)),)
    assert relu.constraints == ()
    assert add.layout == "contiguous"
    assert add.impl == "x1_add"


def test_one_gemm_gives_mm_and_addmm(x1: MatchResult) -> None:
    mm, addmm = x1.binding("aten::mm"), x1.binding("aten::addmm")
    assert mm
    assert addmm
    assert mm.calls[0].function == addmm.calls[0].function == "x1_gemm"
    assert mm.layout == addmm.layout == "matrix"
    assert (mm.impl, addmm.impl) == ("x1_mm", "x1_addmm")
    assert roles(x1, "aten::addmm") == [
        *("dtype", "trans.mat1", "trans.mat2", "m", "n", "k", "gemm_alpha", "mat1", "ld.mat1"),
        *("mat2", "ld.mat2", "gemm_beta", "out", "ld.out"),
    ]
    assert roles(x1, "aten::mm")[7:9] == ["self", "ld.self"]
    flag = mm.calls[0].arguments[1]
    assert dict(flag.values) == {"n": "X1_NO_TRANS", "t": "X1_TRANS"}


def test_conv2d_over_tensor_structs(x1: MatchResult) -> None:
    conv = x1.binding("aten::conv2d")
    assert conv
    assert roles(x1, "aten::conv2d") == ["input", "weight", "bias", "out", "stride", "padding", "dilation", "groups"]
    assert conv.constraints == (("transposed", (0,)), ("output_padding", (0,)))
    assert conv.unverified == ("stride", "padding", "dilation", "groups")
    data, _, bias, out = conv.calls[0].arguments[:4]
    assert bias.nullable
    assert not data.nullable
    assert not out.nullable
    layout = data.fields
    assert layout is not None
    assert not layout.by_value
    assert (layout.struct, layout.data, layout.dtype, layout.rank, layout.sizes, layout.strides, layout.layout) == (
        *("x1_tensor_t", "data", "dtype", "ndim", "dims", "", "layout"),
    )
    assert layout.max_rank == 4
    assert dict(layout.layout_values) == {"nchw": "X1_LAYOUT_NCHW", "nhwc": "X1_LAYOUT_NHWC"}


def test_runtime_roles(x1: MatchResult) -> None:
    found = {r.role: r for r in x1.runtime}
    assert {role: r.function for role, r in found.items()} == {
        "init": "x1_init",
        "finalize": "x1_shutdown",
        "device_count": "x1_get_device_count",
        "set_device": "x1_set_device",
        "get_device": "x1_get_device",
        "device_name": "x1_get_device_name",
        "synchronize": "x1_device_synchronize",
        "malloc": "x1_malloc",
        "free": "x1_free",
        "memcpy": "x1_memcpy",
        "memset": "x1_memset",
        "memory_info": "x1_mem_get_info",
        "map_host": "x1_mem_map",
        "unmap_host": "x1_mem_unmap",
        "last_error": "x1_get_last_error",
    }
    assert set(found) <= set(RUNTIME_ROLES)
    assert found["last_error"].returns == "text"
    assert found["malloc"].returns == "status"
    assert [a.role for a in found["memcpy"].arguments] == ["dst", "src", "bytes", "kind"]
    assert dict(found["memcpy"].arguments[3].values) == {
        "h2d": "X1_MEMCPY_HOST_TO_DEVICE",
        "d2h": "X1_MEMCPY_DEVICE_TO_HOST",
        "d2d": "X1_MEMCPY_DEVICE_TO_DEVICE",
    }
    assert [a.role for a in found["map_host"].arguments] == ["host", "bytes", "handle_out"]
    assert x1.memory == "device"
    assert x1.questions == ()


def test_status(x1: MatchResult) -> None:
    assert (x1.status.ctype, x1.status.success) == ("x1_status_t", "X1_SUCCESS")
    assert dict(x1.status.values) == {
        "X1_ERROR_INVALID_VALUE": "INVALID_ARGUMENT",
        "X1_ERROR_OUT_OF_MEMORY": "OUT_OF_MEMORY",
        "X1_ERROR_UNSUPPORTED": "UNSUPPORTED",
        "X1_ERROR_DEVICE": "DEVICE_ERROR",
        "X1_ERROR_NOT_READY": "NOT_READY",
    }


def test_what_is_left_has_reasons_and_places(x1: MatchResult) -> None:
    assert [u.function for u in x1.unbound] == ["x1_get_temperature", "x1_crc32", "x1_dma_benchmark"]
    assert reason(x1, "x1_crc32") == "no catalogue op is called 'crc32'"
    assert all(u.source.file == "x1_runtime.h" and u.source.line > 70 for u in x1.unbound)


def test_extents_outputs_and_indices_of_the_pointer_style(x1: MatchResult) -> None:
    assert roles(x1, "aten::sum") == ["self", "out", "outer", "extent", "inner", "dtype"]
    assert roles(x1, "aten::log_softmax") == ["self", "out", "outer", "extent", "dtype"]
    assert roles(x1, "aten::layer_norm")[:8] == ["input", "weight", "bias", "out", "mean", "rstd", "rows", "cols"]
    assert roles(x1, "aten::batch_norm")[:6] == ["input", "running_mean", "running_var", "weight", "bias", "out"]
    assert roles(x1, "aten::gather") == ["self", "index", "out", "rank", "sizes.self", "sizes.index", "dim", "dtype"]
    assert roles(x1, "aten::permute_copy")[2:5] == ["rank", "sizes.self", "perm"]
    assert roles(x1, "aten::_to_copy") == ["self", "dtype.self", "out", "dtype.out", "numel"]
    assert roles(x1, "aten::cat") == ["list.tensors", "count", "out", "dim"]
    assert roles(x1, "aten::max_pool2d")[2:10] == [
        *("indices", "planes", "height", "width", "out_height", "out_width", "kernel_size.0", "kernel_size.1"),
    ]


def test_what_a_form_leaves_out_it_proves(x1: MatchResult) -> None:
    of = {b.op: b for b in x1.bindings}
    assert dict(of["aten::sum"].constraints) == {"spans": (1,)}
    assert dict(of["aten::log_softmax"].constraints)["inner"] == (1,)
    assert dict(of["aten::gelu"].constraints) == {"approximate": ("none",)}
    nullable = {a.role for a in of["aten::layer_norm"].calls[0].arguments if a.nullable}
    assert nullable == {"weight", "bias"}, "the comment says which may be NULL"
