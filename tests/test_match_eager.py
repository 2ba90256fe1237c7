"""Headers by which no op can run at once: graphs in a vendor's own words, functions of a running kernel."""

from __future__ import annotations

from pathlib import Path

from header_helpers import matched

UNARY = ("abs", "exp", "sqrt", "tanh", "relu", "sigmoid")
LOOM = """
#include <stdint.h>
#include <stddef.h>
typedef struct lm_rug lm_rug;
typedef struct lm_carpet lm_carpet;
typedef uint32_t lm_thread;
lm_thread lm_input(lm_rug *rug, const char *name, uint32_t type);
int lm_output(lm_rug *rug, const char *name, lm_thread value);
int lm_finish_off(const lm_rug *rug, lm_carpet **carpet);
int lm_lay(lm_carpet *carpet);
lm_thread lm_pick_add(lm_rug *rug, lm_thread a, lm_thread b);
lm_thread lm_pick_mul(lm_rug *rug, lm_thread a, lm_thread b);
""" + "".join(f"lm_thread lm_pick_{op}(lm_rug *rug, lm_thread x);\n" for op in UNARY)
CORE = """
#include <stdint.h>
typedef float v8 __attribute__((vector_size(32)));
""" + "".join(f"v8 rk_{op}(v8 a);\n" for op in UNARY)
AT_ONCE = """
#include <stdint.h>
typedef struct lm_desk lm_desk;
typedef struct lm_sheet lm_sheet;
typedef struct lm_lane lm_lane;
int lm_lane_new(lm_desk *desk, lm_lane **lane);
lm_sheet *lm_zeros(lm_desk *desk, const int64_t *dims, int rank);
lm_sheet *lm_add(lm_desk *desk, const lm_sheet *a, const lm_sheet *b);
lm_sheet *lm_mul(lm_desk *desk, const lm_sheet *a, const lm_sheet *b);
lm_sheet *lm_matmul(lm_desk *desk, const lm_sheet *a, const lm_sheet *b);
""" + "".join(f"lm_sheet *lm_{op}(lm_desk *desk, const lm_sheet *x);\n" for op in UNARY)


def test_values_of_a_graph_whatever_it_is_called(tmp_path: Path) -> None:
    result = matched(tmp_path, LOOM)
    assert not result.eager.usable
    assert "lm_rug" in result.eager.reason
    assert "lm_finish_off" in result.eager.reason
    assert not result.matches


def test_registers_are_no_operands_of_the_host(tmp_path: Path) -> None:
    result = matched(tmp_path, CORE)
    assert not result.eager.usable
    assert "registers" in result.eager.reason


def test_results_that_are_returned_are_no_graph(tmp_path: Path) -> None:
    result = matched(tmp_path, AT_ONCE)
    assert result.eager.usable
    assert len(result.matches) >= len(UNARY)
