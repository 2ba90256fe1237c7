"""Kernels from matcher results made by hand: every role becomes C++ that compiles, or a reason."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import scaffold_helpers
from helpers import ROOT, Sdk
from torchfl_sdk.build.paths import build_paths
from torchfl_sdk.header import read_headers
from torchfl_sdk.match.model import (
    Argument,
    Binding,
    Call,
    MatchResult,
    RuntimeFunction,
    Source,
    StatusType,
    StructLayout,
)
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip
from torchfl_sdk.scaffold.render import render

X1_HEADER = ROOT / "chips" / "x1" / "sdk" / "include" / "x1_runtime.h"


def plan(match: MatchResult, header: Path) -> ChipPlan:
    request = NewChipRequest("chip", (header,))
    return plan_chip(request, read_headers((header,), (), ()), match)


def compile_all(planned: ChipPlan, header: Path, folder: Path) -> dict[str, str]:
    """Render a plan and let the compiler check every file of the chip library, with warnings as errors."""
    files = render(planned)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    sources = [p for p in files if p.endswith(".cpp") and "module" not in p]
    assert len(sources) == 5
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    includes = ["-I", "src", "-I", str(build_paths().torchfl), "-isystem", str(header.parent)]
    done = subprocess.run(["c++", *flags, *includes, *sources], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return files


def test_x1_by_hand(tmp_path: Path) -> None:
    planned = plan(scaffold_helpers.x1_match(), X1_HEADER)
    files = compile_all(planned, X1_HEADER, tmp_path)
    assert [b.op for b in planned.bound] == sorted(
        ["aten::bmm", *(b.op for b in scaffold_helpers.x1_match().bindings)]  # bmm: the product in a loop
    )
    kernels = files["src/chip_kernels.cpp"]
    assert "return gemm(call->inputs[0], call->inputs[1], call->outputs[0], 1, 0);" in kernels
    assert kernels.count("bool vendor_dtype") == 1
    assert [u.function for u in planned.unbound] == ["x1_crc32"]


@pytest.mark.sdk
def test_cblas_by_hand(openblas_sdk: Sdk, tmp_path: Path) -> None:
    files = compile_all(plan(scaffold_helpers.cblas_match(), openblas_sdk.header), openblas_sdk.header, tmp_path)
    kernels = files["src/chip_kernels.cpp"]
    assert kernels.count("vendor::cblas_sgemm(") == 1
    assert "am.transposed ? CblasTrans : CblasNoTrans" in kernels
    assert "!torchfl::fits<blasint>(m)" in kernels
    assert "mode: mapped" in files["chip_device.yaml"]
    assert "provenance: header" in files["chip_device.yaml"]


HEADER = """
#include <stdint.h>
#include <stddef.h>
typedef struct q *queue_t;
typedef enum { T_F32, T_F16 } type_t;
typedef struct { void *p; type_t t; int dims[4]; } fixed_t;
typedef unsigned short half_t;
enum flag { NO, YES };
void add_on(queue_t queue, const float *a, const float *b, float *y, unsigned n, int mode);
void relu_inc(int n, const float *x, int incx, float *y, int incy);
void conv_split(const fixed_t *x, const fixed_t *w, fixed_t *y, int32_t sh, int32_t sw, size_t ph, size_t pw,
                long groups);
void conv_bias(const fixed_t *x, const fixed_t *w, const fixed_t *b, fixed_t *y, const int stride[2]);
void conv_square(fixed_t x, fixed_t w, fixed_t y, int stride, int pad);
void gemm_on(queue_t queue, type_t t, enum flag ta, enum flag tb, int64_t m, int64_t n, int64_t k, const double *alpha,
             const void *a, int64_t lda, const void *b, int64_t ldb, const double *beta, void *c, int64_t ldc);
void matmul(const half_t *a, const half_t *b, half_t *c, uint16_t m, uint16_t n, uint16_t k);
void softmax(const float *x, float *y, size_t n, int dim, _Bool half_to_float);
void elu(const float *x, float *y, size_t n, const float *alpha);
float dot(const float *x, const float *y, size_t n);
"""
DTYPE = (("float32", "T_F32"), ("float16", "T_F16"))
FIXED = StructLayout("fixed_t", "p", dtype="t", sizes="dims", dtype_values=DTYPE, max_rank=4)


def call(function: str, *arguments: Argument, returns: str = "void", dtypes: tuple[str, ...] = ("float32",)) -> Call:
    return Call(function, arguments, dtypes, True, Source("vendor.h", 9), returns)


def binding(op: str, made: Call, **more: object) -> Binding:
    return Binding(op, made.function, "any", (made,), ("by hand",), 1.0, **more)  # type: ignore[arg-type]


def arg(role: str, ctype: str, **more: object) -> Argument:
    return Argument(role, ctype, role, **more)  # type: ignore[arg-type]


ADD_ON = call(
    "add_on",
    arg("stream", "queue_t"),
    arg("self", "const float *"),
    arg("other", "const float *"),
    arg("out", "float *"),
    arg("numel", "unsigned"),
    arg("constant", "int", value="3"),
)
RELU_INC = call(
    "relu_inc",
    arg("numel", "int"),
    arg("self", "const float *"),
    arg("inc.self", "int"),
    arg("out", "float *"),
    arg("inc.out", "int"),
)
CONV_SPLIT = call(
    "conv_split",
    arg("input", "const fixed_t *", fields=FIXED),
    arg("weight", "const fixed_t *", fields=FIXED),
    arg("out", "fixed_t *", fields=FIXED),
    arg("stride.0", "int32_t"),
    arg("stride.1", "int32_t"),
    arg("padding.0", "size_t"),
    arg("padding.1", "size_t"),
    arg("groups", "long"),
)
BY_VALUE = replace(FIXED, by_value=True)
CONV_SQUARE = call(
    "conv_square",
    arg("input", "fixed_t", fields=BY_VALUE),
    arg("weight", "fixed_t", fields=BY_VALUE),
    arg("out", "fixed_t", fields=BY_VALUE),
    arg("stride", "int"),
    arg("padding", "int"),
)
CONV_BIAS = call(
    "conv_bias",
    arg("input", "const fixed_t *", fields=FIXED),
    arg("weight", "const fixed_t *", fields=FIXED),
    arg("bias", "const fixed_t *", fields=FIXED),
    arg("out", "fixed_t *", fields=FIXED),
    arg("stride", "const int[2]"),
)
FLAG = (("n", "NO"), ("t", "YES"))
GEMM_ON = call(
    "gemm_on",
    arg("stream", "queue_t"),
    arg("dtype", "type_t", values=DTYPE),
    arg("trans.mat1", "enum flag", values=FLAG),
    arg("trans.mat2", "enum flag", values=FLAG),
    *(arg(e, "int64_t") for e in "mnk"),
    arg("gemm_alpha", "const double *"),
    arg("mat1", "const void *"),
    arg("ld.mat1", "int64_t"),
    arg("mat2", "const void *"),
    arg("ld.mat2", "int64_t"),
    arg("gemm_beta", "const double *"),
    arg("out", "void *"),
    arg("ld.out", "int64_t"),
)
MATMUL = call(
    "matmul",
    arg("self", "const half_t *"),
    arg("mat2", "const half_t *"),
    arg("out", "half_t *"),
    *(arg(e, "uint16_t") for e in "mnk"),
    dtypes=("float16",),
)
SOFTMAX = call(
    "softmax",
    arg("self", "const float *"),
    arg("out", "float *"),
    arg("numel", "size_t"),
    arg("dim", "int"),
    arg("half_to_float", "_Bool"),
)
ELU = call(
    "elu", arg("self", "const float *"), arg("out", "float *"), arg("numel", "size_t"), arg("alpha", "const float *")
)


def by_hand(*bindings: Binding) -> MatchResult:
    return MatchResult(bindings, (), StatusType("", ""), (), memory="host")


@pytest.fixture
def vendor_header(tmp_path: Path) -> Path:
    (tmp_path / "sdk").mkdir()
    header = tmp_path / "sdk" / "vendor.h"
    header.write_text(HEADER)
    return header


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        (
            [binding("aten::add", ADD_ON, constraints=(("alpha", (1,)),), inplace=True)],
            ["static_cast<queue_t>(call->stream)", "!torchfl::fits<unsigned>(out.numel)", ", 3)", "TFL_KERNEL_INPLACE"],
        ),
        ([binding("aten::relu", RELU_INC)], ["torchfl::data<const float>(self), 1,"]),
        (
            [binding("aten::conv2d", CONV_SPLIT)],
            [
                "torchfl::present(bias)) return",
                "torchfl::assign(stride_1, torchfl::at(call->attrs[0], 1, 1))",
                "torchfl::assign(padding_0, torchfl::at(call->attrs[1], 0, 0))",
                "!torchfl::all_equal(call->attrs[2], 1)",
                "if (t.rank != 4) return false;",
            ],
        ),
        (
            [binding("aten::conv2d", CONV_SQUARE)],
            [
                "stride differs between dimensions",
                "conv_square(input_desc, weight_desc, out_desc, stride, padding)",
            ],
        ),
        (
            [binding("aten::conv2d", CONV_BIAS)],
            ["no comment of the header allows bias to be NULL", "&weight_desc, &bias_desc, &out_desc, stride"],
        ),
        (
            [binding("aten::addmm", GEMM_ON, layout="matrix")],
            ["gemm(call, call->inputs[1]", "const double vendor_beta = beta;", "TFL_KERNEL_MATRIX", "&vendor_alpha"],
        ),
        (
            [binding("aten::mm", MATMUL)],
            ["am.transposed", "cm.leading_dimension != c.sizes[1]", "alpha != 1", "beta != 0", "fits<uint16_t>(k)"],
        ),
        (
            [binding("aten::softmax", SOFTMAX)],
            ["fits<int>(torchfl::dimension(call->attrs[0], self.rank))", "torchfl::integer(call->attrs[1], 0) != 0"],
        ),
        (
            [binding("aten::elu", ELU)],
            ["const float alpha = static_cast<float>(torchfl::number(call->attrs[0], 1));", "attrs[1], 1) != 1"],
        ),
    ],
    ids=lambda v: v[0].impl if isinstance(v[0], Binding) else "",
)
def test_every_role_becomes_cxx_that_compiles(
    bound: list[Binding], expected: list[str], vendor_header: Path, tmp_path: Path
) -> None:
    files = compile_all(plan(by_hand(*bound), vendor_header), vendor_header, tmp_path)
    text = files["src/chip_kernels.cpp"] + files["src/chip_chip.gen.cpp"]
    assert [e for e in expected if e not in text] == []
    assert f"vendor.h:{bound[0].calls[0].source.line}" in text


def without(made: Call, role: str) -> Call:
    return replace(made, arguments=tuple(a for a in made.arguments if a.role != role))


@pytest.mark.parametrize(
    ("bound", "reason"),
    [
        (binding("aten::add", without(ADD_ON, "other")), "no argument takes the tensor 'other'"),
        (binding("aten::softmax", without(SOFTMAX, "dim")), "no argument takes 'dim', which has no default"),
        (
            binding("aten::relu", replace(RELU_INC, arguments=(*RELU_INC.arguments, arg("workspace", "void *")))),
            "has the role 'workspace', which nothing fills",
        ),
        (binding("aten::relu", replace(RELU_INC, returns="value")), "returns its result by value"),
        (binding("aten::relu", replace(RELU_INC, dtypes=("complex64",))), "serves no dtype"),
        (
            binding("aten::mm", replace(MATMUL, arguments=(*MATMUL.arguments, arg("gemm_alpha", "half_t")))),
            "is a half_t, which a double does not convert to",
        ),
    ],
    ids=lambda v: "" if isinstance(v, Binding) else v,
)
def test_what_cannot_be_completed_is_reported_and_not_written(
    bound: Binding, reason: str, vendor_header: Path, tmp_path: Path
) -> None:
    good = binding("aten::elu", ELU)
    planned = plan(by_hand(good, bound), vendor_header)
    assert [b.op for b in planned.bound] == ["aten::elu"]
    (refused,) = planned.unbound
    assert refused.function == bound.calls[0].function
    assert reason in refused.reason
    files = compile_all(planned, vendor_header, tmp_path)
    assert f"vendor::{refused.function}" not in files["src/chip_kernels.cpp"]
    assert refused.reason in files["README.md"]


def test_two_bindings_of_one_name_get_kernels_of_their_own(vendor_header: Path, tmp_path: Path) -> None:
    first = binding("aten::relu", RELU_INC)
    planned = plan(by_hand(first, replace(first, op="aten::neg")), vendor_header)
    assert [b.impl for b in planned.bound] == ["relu_inc", "relu_inc_neg"]
    compile_all(planned, vendor_header, tmp_path)


def test_no_binding_is_still_a_project(vendor_header: Path, tmp_path: Path) -> None:
    files = compile_all(plan(by_hand(), vendor_header), vendor_header, tmp_path)
    assert "supported_ops" not in files["chip_device.yaml"]
    assert "No function of the header matches" in files["README.md"]


def test_a_runtime_function_that_cannot_be_called_leaves_its_slot_empty(tmp_path: Path) -> None:
    match = scaffold_helpers.x1_match()
    argument = Argument("what", "int", "count")
    odd = RuntimeFunction("memset", "x1_memset", (argument,), "status", Source("x1_runtime.h", 1))
    runtime = tuple(odd if f.role == "memset" else f for f in match.runtime if f.role != "memcpy")
    planned = plan(replace(match, runtime=runtime), X1_HEADER)
    missing = dict(planned.device.missing)
    assert "which nothing fills" in missing["fill"]
    assert "no vendor function found for the role 'memcpy_h2d'" in missing["copy_h2d"]
    files = compile_all(planned, X1_HEADER, tmp_path)
    assert "nullptr,  // fill" in files["src/chip_device.gen.cpp"]
    assert "the vendor cannot add to a result" in files["src/chip_kernels.cpp"]
