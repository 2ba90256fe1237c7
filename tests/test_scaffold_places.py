"""Tensor structs that say where a tensor lies in other words: addresses in integers, steps in bytes, types in integers;
environments of the caller, results that only their place tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from helpers import ROOT
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.match.packed import unpacked
from torchfl_sdk.match.structs import tensor_structs
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.kernel_plan import Kernel
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip

TYPES = """
#include <stddef.h>
#include <stdint.h>
typedef uint64_t ac_addr;
typedef enum { AC_F32 = 0, AC_S32, AC_BOOL8 } ac_type;
typedef enum { AC_FMT_ND = 0, AC_FMT_NCHW } ac_fmt;
typedef struct {
  ac_addr addr;
  ac_type type;
  ac_fmt fmt;
  uint32_t n_dims, dims[5];
  uint32_t strides[5]; /* in bytes */
  uint16_t bank;       /* 0 = any */
} ac_bay;
int ac_exp(const ac_bay *in, ac_bay *out);
"""
BY_VALUE = """
#include <stdint.h>
enum { AC_K_F32 = 1, AC_K_F16 = 2, AC_K_S32 = 16, AC_K_FLAG = 32 };
typedef struct { void *base; uint8_t kind, nd; int32_t len[5], skip[5]; } ac_ply;
typedef struct ac_queue_s *ac_queue;
int ac_queue_create(ac_queue *q);
int ac_queue_destroy(ac_queue q);
int ac_queue_synchronize(ac_queue q); /* blocks until all is done */
int ac_abs(ac_ply d, ac_ply s, ac_queue q, uint32_t fl);
int ac_sub(ac_ply d, ac_ply s0, ac_ply s1, ac_queue q, uint32_t fl);
"""
ENV = """
typedef struct ac_pipe *ac_pipe_t;
typedef struct {
  ac_pipe_t pipe; /* NULL is the unit's own pipe */
  void *arena;
  size_t arena_len;
  uint32_t unit;
  void (*trace)(const char *kernel, void *cookie);
  void *cookie;
} ac_env;
int ac_relu(const ac_env *env, const ac_bay *src, ac_bay *res);
"""


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, text)
    model = unpacked(read_headers([path]))
    return plan_chip(NewChipRequest("ac", (path,), out=folder), model, match(model, catalogue.OPS))


def kernel(plan: ChipPlan, op: str) -> Kernel:
    found = [k for k in plan.kernels if k.op == f"aten::{op}" and k.template != "skeleton"]
    assert len(found) == 1, [(u.function, u.reason) for u in plan.unbound]
    return found[0]


def test_an_address_in_an_integer_and_steps_in_bytes(tmp_path: Path) -> None:
    layout = tensor_structs(read_headers([header(tmp_path, TYPES)]))["ac_bay"]
    assert (layout.data, layout.integer_address) == ("addr", True)
    assert (layout.strides, layout.strides_in_bytes) == ("strides", True)
    assert layout.plain_constant == "AC_FMT_ND"
    assert dict(layout.dtype_values)["bool"] == "AC_BOOL8"


def test_steps_count_elements_where_nothing_says_bytes(tmp_path: Path) -> None:
    layout = tensor_structs(read_headers([header(tmp_path, TYPES.replace("in bytes", "in memory"))]))["ac_bay"]
    assert not layout.strides_in_bytes


@pytest.mark.parametrize("comment", ["/* 1 = any */", "", "/* which of the banks */"])
def test_a_number_whose_zero_nothing_allows_is_nobodys_to_fill(comment: str, tmp_path: Path) -> None:
    text = TYPES.replace("/* 0 = any */", comment)
    assert "ac_bay" not in tensor_structs(read_headers([header(tmp_path, text)]))


def test_a_size_in_bytes_is_no_address(tmp_path: Path) -> None:
    text = TYPES.replace("ac_addr addr;", "uint64_t data_size;")
    assert "ac_bay" not in tensor_structs(read_headers([header(tmp_path, text)]))


def test_an_integer_says_the_element_type_where_the_header_lists_them_once(tmp_path: Path) -> None:
    layout = tensor_structs(read_headers([header(tmp_path, BY_VALUE)]))["ac_ply"]
    assert (layout.dtype, layout.rank, layout.sizes, layout.strides) == ("kind", "nd", "len", "skip")
    assert dict(layout.dtype_values) == {
        "float32": "AC_K_F32", "float16": "AC_K_F16", "int32": "AC_K_S32", "bool": "AC_K_FLAG",
    }  # fmt: skip
    twice = BY_VALUE + "enum { AC_W_F32 = 1, AC_W_F16 = 2 };\n"
    assert "ac_ply" not in tensor_structs(read_headers([header(tmp_path / "twice", twice)]))


def test_copies_of_structs_have_their_result_where_the_header_has_it(tmp_path: Path) -> None:
    sub = kernel(planned(tmp_path, BY_VALUE), "sub")
    statement = " ".join(sub.cases[0].statement.split())
    assert "vendor::ac_sub(out_desc, self_desc, other_desc, queue, 0)" in statement
    assert "ac_queue_synchronize(queue)" in statement  # no device is waited for, so the kernel waits


def test_an_environment_names_its_device_and_nothing_else(tmp_path: Path) -> None:
    relu = kernel(planned(tmp_path, TYPES + ENV), "relu")
    assert relu.before[:2] == (
        "ac_env own_context = {};",
        "own_context.unit = static_cast<decltype(own_context.unit)>(call->device);",
    )
    assert "vendor::ac_relu(&own_context, &self_desc, &out_desc)" in relu.cases[0].statement


def test_an_environment_with_a_queue_gets_the_calls(tmp_path: Path) -> None:
    text = TYPES + ENV.replace("ac_pipe_t pipe; /* NULL is the unit's own pipe */", "ac_pipe_t stream;")
    line = "own_context.stream = static_cast<decltype(own_context.stream)>(call->stream);"
    assert line in kernel(planned(tmp_path, text), "relu").before


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("bays", "add amax layer_norm lt mul permute_copy relu softmax sum where"),
        ("quays", "add exp lt mm softmax sum"),
        ("reels", "abs add maximum mm relu sqrt sub sum where"),
    ],
)
def test_every_op_of_a_small_sdk_has_a_kernel(name: str, ops: str, tmp_path: Path) -> None:
    path = ROOT / "tests" / "build_data" / f"{name}.h"
    model = unpacked(read_headers([path]))
    plan = plan_chip(NewChipRequest(name, (path,), out=tmp_path), model, match(model, catalogue.OPS))
    assert " ".join(sorted(k.op.removeprefix("aten::") for k in plan.kernels if k.template != "skeleton")) == ops


def test_a_list_of_dimensions_has_one_where_the_result_has_none(tmp_path: Path) -> None:
    text = (
        "int ac_reduce_sum(const ac_bay *in, const int32_t *axes, uint32_t n_axes, uint32_t keep_dims, ac_bay *out);\n"
    )
    before = kernel(planned(tmp_path, TYPES + text), "sum").before
    assert "if (out.rank == 0) reduced[0] = along_one.dim(), num_reduced = 1;" in before


def test_a_norm_from_a_dimension_on_is_over_rows(tmp_path: Path) -> None:
    text = """
int ac_layer_norm(const ac_bay *in, const ac_bay *gamma, const ac_bay *beta, int axis, float eps, ac_bay *out);
"""
    norm = kernel(planned(tmp_path, TYPES + text), "layer_norm")
    assert "input_seen.as({rows, cols});" in norm.before
    assert "&bias_desc, static_cast<int>(1), " in " ".join(norm.cases[0].statement.split())
