"""Calls in steps: what prepares an op and what launches it, tied by the type that goes from one to the other."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, matched, ops

OPS = ["Add", "Sub", "Mul"]
PAIRS = """
typedef struct pyrSheet pyrSheet;
typedef struct pyrScore pyrScore;
typedef struct pyrRail_ *pyrRail;
int pyrSheetMake(const long *dims, int rank, void *data, pyrSheet **sheet);
""" + "".join(
    f"""
int pyr{op}Draft(const pyrSheet *a, const pyrSheet *b, pyrSheet *out, unsigned long long *roomBytes, pyrScore **score);
int pyr{op}(void *room, unsigned long long roomBytes, pyrScore *score, pyrRail rail);
"""
    for op in OPS
)
SIGMOID = """
int pyrSigmoidDraft(const pyrSheet *self, pyrSheet *out, unsigned long long *roomBytes, pyrScore **score);
int pyrSigmoid(void *room, unsigned long long roomBytes, pyrScore *score, pyrRail rail);
int pyrReluDraft(const pyrSheet *self, pyrSheet *out, unsigned long long *roomBytes, pyrScore **score);
int pyrRelu(void *room, unsigned long long roomBytes, pyrScore *score, pyrRail rail);
int pyrScoreDrop(pyrScore *score);
"""


def test_the_launch_has_the_op_of_what_it_is_given(tmp_path: Path) -> None:
    result = matched(tmp_path, PAIRS + SIGMOID)
    found = ops(result)
    assert found["pyrSigmoid"] == found["pyrSigmoidDraft"] == "aten::sigmoid"
    assert found["pyrAdd"] == found["pyrAddDraft"] == "aten::add.Tensor"
    assert "pyrScoreDrop" not in found
    roles = arguments(result, "pyrAdd")
    assert (roles["room"], roles["roomBytes"], roles["score"], roles["rail"]) == (
        "workspace", "workspace_size", "plan", "stream"
    )  # fmt: skip
    assert arguments(result, "pyrAddDraft")["score"] == "plan"


def test_an_object_of_which_functions_take_two_is_an_operand_and_no_plan(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        "typedef struct kvSet_ *kvSet; int kvDuplicate(kvSet, kvSet *); int kvDuplicateEmpty(kvSet, kvSet *);"
        "int kvClone(kvSet, kvSet *); int kvCloneEmpty(kvSet, kvSet *); int kvSum(kvSet, double *);"
        "int kvAbs(kvSet); int kvExp(kvSet); int kvMax(kvSet, double *); int kvShift(kvSet, double);"
        + "".join(
            f"int kv{op}(kvSet w, kvSet x, kvSet y);" for op in ("PointwiseMult", "PointwiseDivide", "Axpy", "Dot")
        ),
    )
    assert ops(result)["kvPointwiseMult"] == "aten::mul.Tensor"
    assert all(role != "plan" for m in result.matches for _, role in m.arguments)
