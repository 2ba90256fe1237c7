"""Tensors that are numbers of a library's table: what a table is, and what a kernel does with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from helpers import ROOT
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip
from torchfl_sdk.scaffold.styles.tables import table_of

HEADER = """
typedef int ac_id;
#define AC_F32 0
#define AC_U8 2
#define AC_FOREVER -1
ac_id ac_open(ac_id card);
ac_id ac_close(ac_id sess);
ac_id ac_new(ac_id sess, ac_id type, ac_id ndim, const ac_id *dim);
ac_id ac_del(ac_id sess, ac_id t);
ac_id ac_put(ac_id sess, ac_id t, const void *host, ac_id bytes);
ac_id ac_get(ac_id sess, ac_id t, void *host, ac_id bytes);
ac_id ac_add(ac_id sess, ac_id r, ac_id a, ac_id b);
ac_id ac_softmax(ac_id sess, ac_id r, ac_id a, ac_id axis);
ac_id ac_cmp_lt(ac_id sess, ac_id r, ac_id a, ac_id b);
ac_id ac_mm(ac_id sess, ac_id r, ac_id a, ac_id b);
ac_id ac_sub(ac_id sess, ac_id r, ac_id a, ac_id b);
ac_id ac_mul(ac_id sess, ac_id r, ac_id a, ac_id b);
ac_id ac_relu(ac_id sess, ac_id r, ac_id a);
ac_id ac_exp(ac_id sess, ac_id r, ac_id a);
ac_id ac_tanh(ac_id sess, ac_id r, ac_id a);
"""


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, text)
    model = read_headers([path])
    return plan_chip(NewChipRequest("ac", (path,), out=folder), model, match(model, catalogue.OPS))


def ops(plan: ChipPlan) -> set[str]:
    return {k.op.removeprefix("aten::") for k in plan.kernels if k.template != "skeleton"}


def test_a_table_makes_fills_reads_and_deletes_tensors(tmp_path: Path) -> None:
    table = table_of(read_headers([header(tmp_path, HEADER)]))
    assert table is not None
    assert table.symbols == ("ac_open", "ac_close", "ac_new", "ac_put", "ac_get", "ac_del")
    assert table.dtypes == {"float32": "AC_F32", "uint8": "AC_U8", "bool": "AC_U8"}


def test_operands_are_put_in_and_the_result_is_got_out(tmp_path: Path) -> None:
    plan = planned(tmp_path, HEADER)
    assert ops(plan) == {"add", "softmax", "lt", "mm", "sub", "mul", "relu", "exp", "tanh"}
    add = next(k for k in plan.kernels if k.op == "aten::add")
    assert "TFL_TRY(self_entry.make(call, self, true));" in add.before
    assert "TFL_TRY(out_entry.make(call, out, false));" in add.before
    statement = " ".join(add.cases[0].statement.split())
    assert "vendor::ac_add(session, out_entry.id(), self_entry.id(), other_entry.id())" in statement
    assert statement.endswith("return out_entry.give(out);")
    assert any("class TableTensor {" in text for text in plan.definitions)
    assert next(f for f in plan.device.functions if f.slot == "finalize").body[0] == "torchfl::Kept::all().clear();"


def test_functions_that_give_numbers_fail_with_negative_ones(tmp_path: Path) -> None:
    status = planned(tmp_path, HEADER).match.status
    assert (status.worked("r"), status.failed("r")) == ("r >= 0", "r < 0")


@pytest.mark.parametrize("function", ["ac_open", "ac_new", "ac_del", "ac_put", "ac_get"])
def test_without_one_of_its_functions_there_is_no_table(function: str, tmp_path: Path) -> None:
    lines = [line for line in HEADER.splitlines() if f" {function}(" not in line]
    assert table_of(read_headers([header(tmp_path, "\n".join(lines))])) is None


def test_a_library_without_sessions(tmp_path: Path) -> None:
    text = HEADER.replace("ac_id sess, ", "").replace("ac_id ac_open(ac_id card);\nac_id ac_close(ac_id sess);\n", "")
    plan = planned(tmp_path, text)
    assert "add" in ops(plan)
    assert not any("table_session" in definition for definition in plan.definitions)


def test_every_op_of_a_small_sdk_has_a_kernel(tmp_path: Path) -> None:
    path = ROOT / "tests" / "build_data" / "numbers.h"
    model = read_headers([path])
    plan = plan_chip(NewChipRequest("nb", (path,), out=tmp_path), model, match(model, catalogue.OPS))
    assert ops(plan) == {"add", "clamp", "lt", "mm", "permute_copy", "relu", "softmax", "sub", "sum", "where"}
