"""Kernels of graph executors, whose result knows the operands it is made of; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, matched, ops, reason

NODES = """
#include <stdint.h>
#include <stddef.h>
enum nv_type { NV_F32, NV_F16 };
struct nv_tensor { enum nv_type type; int64_t ne[4]; size_t nb[4]; int32_t op_params[8];
                   struct nv_tensor *src[10]; void *data; };
struct nv_run { int ith, nth; size_t wsize; void *wdata; };
void nv_forward_add(const struct nv_run *params, struct nv_tensor *dst);
void nv_forward_exp(const struct nv_run *params, struct nv_tensor *dst);
void nv_forward_cumsum(const struct nv_run *params, struct nv_tensor *dst);
void nv_forward_soft_max(const struct nv_run *params, struct nv_tensor *dst);
void nv_forward_clamp(const struct nv_run *params, struct nv_tensor *dst);
void nv_forward_norm(const struct nv_run *params, struct nv_tensor *dst);
"""

CHAINED = """
#include <stdint.h>
#include <stddef.h>
enum lk_type { LK_F32, LK_F16 };
struct lk_tensor { enum lk_type type; int64_t ne[4]; size_t nb[4]; struct lk_tensor *next; void *data; };
struct lk_params { int axis, num_threads; };
void lk_exp(const struct lk_params *params, struct lk_tensor *dst);
void lk_soft_max(const struct lk_params *params, struct lk_tensor *dst);
void lk_add(const struct lk_params *params, struct lk_tensor *dst);
"""


def test_a_result_that_holds_its_operands_is_written_and_lacks_none(tmp_path: Path) -> None:
    result = matched(tmp_path, NODES)
    assert ops(result) == {
        "nv_forward_add": "aten::add.Tensor", "nv_forward_exp": "aten::exp", "nv_forward_cumsum": "aten::cumsum",
        "nv_forward_soft_max": "aten::_softmax", "nv_forward_clamp": "aten::clamp",
    }  # fmt: skip
    for function in ops(result):
        assert arguments(result, function) == {"params": "ctx", "dst": "output"}
    assert "a norm or a normalisation" in reason(result, "nv_forward_norm")


def test_a_tensor_with_a_successor_is_overwritten_and_holds_no_operand(tmp_path: Path) -> None:
    result = matched(tmp_path, CHAINED)
    assert arguments(result, "lk_exp") == {"params": "params", "dst": "inout"}
    assert "lk_add" not in ops(result)
