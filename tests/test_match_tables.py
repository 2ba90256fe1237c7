"""Libraries that hand out tables of pointers to functions: their members are matched as functions are."""

from __future__ import annotations

from pathlib import Path

from header_helpers import matched, reason

TABLES = """
#include <stdint.h>
#include <stddef.h>
typedef uint32_t OLM_CODE;
typedef struct OLM_LANE_ *OLM_LANE;
typedef uint64_t OLM_SPOT;
typedef enum { OLM_F32, OLM_F16 } OLM_TYPE;
typedef struct OLM_PLATE { OLM_SPOT at; OLM_TYPE type; uint32_t dims; uint32_t size[4]; } OLM_PLATE;
typedef struct OLM_NUMBERS {
    size_t bytes_of_this;
    OLM_CODE (*add)(OLM_LANE lane, const OLM_PLATE *left, const OLM_PLATE *right, const OLM_PLATE *out);
    OLM_CODE (*divide)(OLM_LANE lane, const OLM_PLATE *left, const OLM_PLATE *right, const OLM_PLATE *out);
    OLM_CODE (*sqrt)(OLM_LANE lane, const OLM_PLATE *in, const OLM_PLATE *out);
    OLM_CODE (*relu)(OLM_LANE lane, const OLM_PLATE *in, const OLM_PLATE *out);
    OLM_CODE (*softmax)(OLM_LANE lane, const OLM_PLATE *in, uint32_t dim, const OLM_PLATE *out);
    OLM_CODE (*matmul)(OLM_LANE lane, const OLM_PLATE *left, const OLM_PLATE *right, const OLM_PLATE *out);
    OLM_CODE (*quibble)(OLM_LANE lane, const OLM_PLATE *in, const OLM_PLATE *out);
} OLM_NUMBERS;
OLM_CODE olmTables(uint32_t version, const OLM_NUMBERS **numbers);
"""


def test_members_of_a_table_tell_what_carries_their_tensors(tmp_path: Path) -> None:
    result = matched(tmp_path, TABLES)
    found = {m.function.rpartition("::")[2]: m for m in result.matches}
    named = {n: m.aten.partition(".")[0].removeprefix("aten::").lstrip("_") for n, m in found.items()}
    named["matmul"] = "matmul" if named["matmul"] in ("mm", "matmul") else named["matmul"]
    assert named == {n: n for n in ("add", "sqrt", "relu", "softmax", "matmul")} | {"divide": "div"}
    roles = dict(found["divide"].arguments)
    assert (roles["left"], roles["right"], roles["out"]) == ("input", "input2", "output")


def test_members_that_are_no_op_have_a_reason(tmp_path: Path) -> None:
    result = matched(tmp_path, TABLES)
    assert reason(result, "OLM_NUMBERS::quibble") == "no catalogue op is called 'quibble'"
    assert "not generated" in reason(result, "OLM_NUMBERS::add")
