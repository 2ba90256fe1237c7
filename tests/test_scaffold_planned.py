"""Ops that one function prepares and another launches: which launch is taken, who gives the plan back, what is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchfl_sdk.scaffold import NewChipRequest, NewChipResult, new_chip

#: Tensor objects and lists, and an op that is planned.
HEADER = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef enum { AC_OK = 0, AC_BAD_PARAM = 1 } acStatus;
typedef enum { AC_FLOAT = 0, AC_INT64 = 1 } acType;
typedef struct ac_tensor *acTensor;
typedef struct ac_dims *acDims;
typedef struct ac_plan *acPlan;
typedef void *acStream;
acStatus acMalloc(void **ptr, size_t size);
acStatus acFree(void *ptr);
acStatus acMemcpyHtoD(void *dst, const void *src, size_t size);
acStatus acMemcpyDtoH(void *dst, const void *src, size_t size);
acStatus acStreamCreate(acStream *stream);
acStatus acStreamDestroy(acStream stream);
acTensor acTensorNew(const int64_t *dims, uint64_t rank, acType type, void *data);
acStatus acTensorDelete(acTensor tensor);
acDims acDimsNew(const int64_t *values, uint64_t count);
acStatus acDimsDelete(acDims dims);
acStatus acPlanRelu(acTensor self, acTensor out, size_t *workspaceSize, acPlan *plan);
"""
LAUNCH = "acStatus acPlanSubmit(acPlan plan, void *workspace, size_t workspaceSize, acStream stream);\n"
DELETE = "acStatus acPlanDelete(acPlan plan);\n"


def run(tmp_path: Path, header: str) -> NewChipResult:
    (tmp_path / "ac.h").write_text(header)
    return new_chip(NewChipRequest("ac", (tmp_path / "ac.h",), out=tmp_path, check=False))


def kernel(tmp_path: Path, op: str) -> str:
    text = (tmp_path / "ac" / "src" / "ac_kernels.cpp").read_text()
    return text[text.index(f"tfl_status ac_{op}(") :].partition("\n}\n")[0]


def why(tmp_path: Path, function: str) -> str:
    """What the project's readme says of a function."""
    text = (tmp_path / "ac" / "README.md").read_text()
    return next((line for line in text.splitlines() if re.search(rf"`{function}`", line)), "")


@pytest.mark.parametrize(
    "launch",
    [
        LAUNCH,
        "acStatus acLaunchRelu(void *workspace, size_t workspaceSize, acPlan plan, acStream stream);\n",
        LAUNCH + "acStatus acExecuteRelu(acPlan plan, void *workspace, size_t workspaceSize, acStream stream);\n",
        "acStatus acRelu(void *workspace, size_t workspaceSize, acPlan plan, acStream stream);\n",
    ],
    ids=["one for all", "its own by another verb", "its own before the common one", "its own without a verb"],
)
def test_what_is_prepared_is_launched(tmp_path: Path, launch: str) -> None:
    result = run(tmp_path, HEADER + DELETE + launch)
    assert "aten::relu" in {b.op for b in result.bound}
    text = kernel(tmp_path, "relu")
    name = re.findall(r"acStatus (\w+)\(", launch)[-1]
    assert text.index("vendor::acPlanRelu(") < text.index("workspace.reserve(") < text.index(f"vendor::{name}(")
    assert "workspace.data(), workspace_bytes" in " ".join(text.split())


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("", True),
        ("acStatus acPlanSetReusable(acPlan plan);\n", False),
        ("/* Runs a job, which is used up by that. */\n" + LAUNCH, False),
        ("/* For a job that is not submitted; a launch gives it back itself. */\n" + DELETE, False),
    ],
    ids=["nothing", "one may be kept", "by the launch", "by what deletes"],
)
def test_who_gives_a_plan_back(tmp_path: Path, said: str, kept: bool) -> None:
    rest = "".join(line for line in (LAUNCH, DELETE) if line not in said)
    run(tmp_path, HEADER + rest + said)
    text = kernel(tmp_path, "relu")
    assert "owned<acPlan>(vendor::acPlanDelete)" in text
    assert (".release();" in text) == (not kept)


def test_without_a_launch_or_with_two_it_stays_a_skeleton(tmp_path: Path) -> None:
    assert not run(tmp_path, HEADER + DELETE).bound
    assert "no function launches what it prepares" in why(tmp_path, "acPlanRelu")
    (tmp_path / "two").mkdir()
    result = run(tmp_path / "two", HEADER + DELETE + LAUNCH + LAUNCH.replace("Submit", "Enqueue"))
    assert not result.bound
    assert "no function launches what it prepares" in why(tmp_path / "two", "acPlanRelu")


def test_a_launch_wants_memory_of_unknown_size(tmp_path: Path) -> None:
    header = HEADER.replace("size_t *workspaceSize, acPlan *plan", "acPlan *plan")
    assert not run(tmp_path, header + DELETE + LAUNCH).bound
    assert "nothing says how large a workspace acPlanSubmit needs" in why(tmp_path, "acPlanRelu")


@pytest.mark.parametrize(
    ("comment", "written"),
    [
        ("/* mathMode: 0 default, 1 fast */", ", 0, "),
        ("/* mathMode: 0 = fast, 2 = default */", ", 2, "),
        ("/* mathMode: 0 fast, 1 faster */", ""),
        ("", ""),
    ],
)
def test_a_number_is_the_one_that_the_header_calls_the_ordinary_one(tmp_path: Path, comment: str, written: str) -> None:
    matmul = "acStatus acPlanMatmul(acTensor self, acTensor mat2, acTensor out, int8_t mathMode, "
    run(tmp_path, f"{HEADER}{DELETE}{LAUNCH}{comment}\n{matmul}size_t *workspaceSize, acPlan *plan);\n")
    if written:
        assert f"out_object{written}&workspace_bytes" in " ".join(kernel(tmp_path, "mm").split())
    else:
        assert "argument 'mathMode' of acPlanMatmul" in why(tmp_path, "acPlanMatmul")


@pytest.mark.parametrize("may_be_null", [False, True])
def test_places_of_maxima_are_left_out_where_the_header_says_so(tmp_path: Path, may_be_null: bool) -> None:
    comment = "/* indices may be NULL. */\n" if may_be_null else ""
    pool = (
        "acStatus acPlanMaxPool2d(acTensor self, acDims kernelSize, acDims stride, acDims padding, acDims dilation, "
        "bool ceilMode, acTensor out, acTensor indices, size_t *workspaceSize, acPlan *plan);\n"
    )
    result = run(tmp_path, HEADER + DELETE + LAUNCH + comment + pool)
    assert ("aten::max_pool2d" in {b.op for b in result.bound}) == may_be_null
    if may_be_null:
        assert "!= 0, out_object, nullptr," in " ".join(kernel(tmp_path, "max_pool2d").split())
    else:
        assert "does without 'indices'" in why(tmp_path, "acPlanMaxPool2d")


@pytest.mark.parametrize("word", ["Stream", "Lane", "Track", "Belt"])
def test_a_queue_by_another_word_is_the_call_s(tmp_path: Path, word: str) -> None:
    """Where no function of the given headers makes one, the device's own header does."""
    header = HEADER.replace(
        "acStatus acStreamCreate(acStream *stream);\nacStatus acStreamDestroy(acStream stream);\n", ""
    )
    run(tmp_path, (header + DELETE + LAUNCH).replace("Stream", word).replace("stream", word.lower()))
    assert f"workspace_bytes, static_cast<ac{word}>(call->stream))" in " ".join(kernel(tmp_path, "relu").split())
