"""Matcher results built by hand: what the scaffold must be able to write, whatever the matcher finds today."""

from __future__ import annotations

from torchfl_sdk.match.model import (
    Argument,
    Binding,
    Call,
    MatchResult,
    RuntimeFunction,
    Source,
    StatusType,
    StructLayout,
    Unbound,
)

X1 = "x1_runtime.h"
X1_DTYPES = (
    ("float32", "X1_DTYPE_FLOAT32"),
    ("float16", "X1_DTYPE_FLOAT16"),
    ("int8", "X1_DTYPE_INT8"),
)
_ALL = tuple(d for d, _ in X1_DTYPES)
_DTYPE = Argument("dtype", "x1_dtype_t", "dtype", values=X1_DTYPES)
_TENSOR = StructLayout(
    "x1_tensor_t",
    data="data",
    dtype="dtype",
    rank="ndim",
    sizes="dims",
    layout="layout",
    layout_values=(("nchw", "X1_LAYOUT_NCHW"), ("nhwc", "X1_LAYOUT_NHWC")),
    dtype_values=X1_DTYPES,
    max_rank=4,
)


def x1_match() -> MatchResult:
    """x1_runtime.h by hand: element-wise by pointer with a dtype argument, a GEMM, a conv2d over tensor structs."""
    bindings = [
        _elementwise("add", "self", "other", constraints=(("alpha", (1,)),)),
        _elementwise("mul", "self", "other"),
        _elementwise("relu", "self"),
        _elementwise("leaky_relu", "self", extra=(Argument("negative_slope", "float", "negative_slope"),)),
        _gemm("aten::mm", "x1_mm", "self", "mat2"),
        _gemm("aten::addmm", "x1_addmm", "mat1", "mat2"),
        _conv2d(),
    ]
    return MatchResult(
        bindings=tuple(sorted(bindings, key=lambda b: b.op)),
        runtime=x1_runtime(),
        status=StatusType(
            "x1_status_t",
            "X1_SUCCESS",
            (
                ("X1_ERROR_INVALID_VALUE", "INVALID_ARGUMENT"),
                ("X1_ERROR_OUT_OF_MEMORY", "OUT_OF_MEMORY"),
                ("X1_ERROR_UNSUPPORTED", "UNSUPPORTED"),
                ("X1_ERROR_NOT_READY", "NOT_READY"),
            ),
        ),
        unbound=(Unbound("x1_crc32", "no op of the catalogue has this name", Source(X1, 132)),),
    )


def _elementwise(name, *tensors, extra=(), constraints=()):
    function = f"x1_{name}"
    arguments = (
        *(Argument(t, "const void *", t) for t in tensors),
        Argument("out", "void *", "out"),
        Argument("n", "size_t", "numel"),
        *extra,
        _DTYPE,
    )
    call = Call(function, arguments, _ALL, False, Source(X1, 92))
    return Binding(
        f"aten::{name}",
        function,
        "pointer",
        (call,),
        (f"name token '{name}'",),
        0.9,
        constraints=constraints,
        inplace=True,
    )


def _gemm(op, impl, left, right):
    trans = (("n", "X1_NO_TRANS"), ("t", "X1_TRANS"))
    arguments = (
        _DTYPE,
        Argument("trans_a", "x1_transpose_t", f"trans.{left}", values=trans),
        Argument("trans_b", "x1_transpose_t", f"trans.{right}", values=trans),
        *(Argument(e, "int", e) for e in "mnk"),
        Argument("alpha", "float", "gemm_alpha"),
        Argument("a", "const void *", left),
        Argument("lda", "int", f"ld.{left}"),
        Argument("b", "const void *", right),
        Argument("ldb", "int", f"ld.{right}"),
        Argument("beta", "float", "gemm_beta"),
        Argument("c", "void *", "out"),
        Argument("ldc", "int", "ld.out"),
    )
    call = Call("x1_gemm", arguments, _ALL, False, Source(X1, 117))
    return Binding(op, impl, "blas", (call,), ("name token 'gemm'",), 0.9, layout="matrix")


def _conv2d():
    arguments = (
        Argument("input", "const x1_tensor_t *", "input", fields=_TENSOR),
        Argument("weight", "const x1_tensor_t *", "weight", fields=_TENSOR),
        Argument("bias", "const x1_tensor_t *", "bias", fields=_TENSOR, nullable=True),
        Argument("output", "x1_tensor_t *", "out", fields=_TENSOR),
        *(Argument(a, "const int[2]", a) for a in ("stride", "padding", "dilation")),
        Argument("groups", "int", "groups"),
    )
    call = Call("x1_conv2d", arguments, _ALL, False, Source(X1, 122))
    return Binding(
        "aten::conv2d",
        "x1_conv2d",
        "tensor_struct",
        (call,),
        ("name token 'conv2d'",),
        0.95,
        unverified=("stride", "padding", "dilation", "groups"),
    )


def x1_runtime():
    """The runtime roles of x1_runtime.h."""
    device = Argument("device", "int", "device")
    kind = Argument(
        "kind",
        "x1_memcpy_kind_t",
        "kind",
        values=(
            ("h2d", "X1_MEMCPY_HOST_TO_DEVICE"),
            ("d2h", "X1_MEMCPY_DEVICE_TO_HOST"),
            ("d2d", "X1_MEMCPY_DEVICE_TO_DEVICE"),
        ),
    )
    size = Argument("size", "size_t", "bytes")
    rows = [
        ("init", "x1_init", (), "status"),
        ("finalize", "x1_shutdown", (), "status"),
        ("device_count", "x1_get_device_count", (Argument("count", "int *", "count"),), "status"),
        ("set_device", "x1_set_device", (device,), "status"),
        (
            "device_name",
            "x1_get_device_name",
            (device, Argument("name", "char *", "text"), Argument("size", "size_t", "text_size")),
            "status",
        ),
        ("synchronize", "x1_device_synchronize", (), "status"),
        ("last_error", "x1_get_last_error", (), "text"),
        ("malloc", "x1_malloc", (Argument("ptr", "void **", "handle_out"), size), "status"),
        ("free", "x1_free", (Argument("ptr", "void *", "handle"),), "status"),
        (
            "memcpy",
            "x1_memcpy",
            (Argument("dst", "void *", "dst"), Argument("src", "const void *", "src"), size, kind),
            "status",
        ),
        ("memset", "x1_memset", (Argument("ptr", "void *", "dst"), Argument("value", "int", "byte"), size), "status"),
        (
            "memory_info",
            "x1_mem_get_info",
            (Argument("free_bytes", "size_t *", "free_bytes"), Argument("total_bytes", "size_t *", "total_bytes")),
            "status",
        ),
        (
            "map_host",
            "x1_mem_map",
            (Argument("host_ptr", "void *", "host"), size, Argument("device_ptr", "void **", "handle_out")),
            "status",
        ),
        ("unmap_host", "x1_mem_unmap", (Argument("host_ptr", "void *", "host"),), "status"),
    ]
    return tuple(RuntimeFunction(role, name, args, returns, Source(X1, 70)) for role, name, args, returns in rows)


def cblas_match() -> MatchResult:
    """cblas_sgemm and cblas_dgemm by hand: typed functions that return nothing, on host memory."""
    order = Argument(
        "order", "const enum CBLAS_ORDER", "order", values=(("row", "CblasRowMajor"), ("column", "CblasColMajor"))
    )
    trans = (("n", "CblasNoTrans"), ("t", "CblasTrans"))

    def call(letter, ctype, dtype, left):
        arguments = (
            order,
            Argument("TransA", "const enum CBLAS_TRANSPOSE", f"trans.{left}", values=trans),
            Argument("TransB", "const enum CBLAS_TRANSPOSE", "trans.mat2", values=trans),
            *(Argument(e.upper(), "const blasint", e) for e in "mnk"),
            Argument("alpha", f"const {ctype}", "gemm_alpha"),
            Argument("A", f"const {ctype} *", left),
            Argument("lda", "const blasint", f"ld.{left}"),
            Argument("B", f"const {ctype} *", "mat2"),
            Argument("ldb", "const blasint", "ld.mat2"),
            Argument("beta", f"const {ctype}", "gemm_beta"),
            Argument("C", f"{ctype} *", "out"),
            Argument("ldc", "const blasint", "ld.out"),
        )
        return Call(f"cblas_{letter}gemm", arguments, (dtype,), True, Source("cblas.h", 288), "void")

    def binding(op, impl, left):
        calls = (call("s", "float", "float32", left), call("d", "double", "float64", left))
        return Binding(op, impl, "blas", calls, ("name token 'gemm'", "CBLAS argument order"), 0.99, layout="matrix")

    return MatchResult(
        bindings=(binding("aten::addmm", "cblas_addmm", "mat1"), binding("aten::mm", "cblas_mm", "self")),
        runtime=(),
        status=StatusType("", ""),
        unbound=(),
        memory="host",
    )
