"""What a comment takes back from a name, and what nothing in a header proves."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched, reason
from torchfl.profile import load_profile
from torchfl_sdk.match.model import MatchResult
from torchfl_sdk.scaffold import NewChipRequest, new_chip

_STATUS = "#include <stdint.h>\n#include <stddef.h>\ntypedef enum { ACME_OK = 0, ACME_BAD_PARAM = 1 } acme_status;\n"


def ints(comment: str) -> str:
    return (
        f"{_STATUS}/* {comment} */\n"
        "acme_status acme_add_s16(const int16_t *a, const int16_t *b, int16_t *out, int n);\n"
        f"/* {comment} */\n"
        "acme_status acme_add_f32(const float *a, const float *b, float *out, int n);\n"
    )


def dtypes(result: MatchResult, op: str) -> set[str]:
    binding = result.binding(op)
    return {d for c in binding.calls for d in c.dtypes} if binding else set()


@pytest.mark.parametrize("comment", ["Adds, then clamps to the saturated value.", "Sum of two vectors, saturating."])
def test_integers_that_saturate_are_not_pytorchs(comment: str, tmp_path: Path) -> None:
    result = matched(tmp_path, ints(comment))
    assert dtypes(result, "aten::add") == {"float32"}  # nothing leaves the range of a float but to infinity
    assert "wraps around where int16 overflows" in reason(result, "acme_add_s16")


@pytest.mark.parametrize("comment", ["Adds without saturation.", "Adds; does not saturate.", "Adds two vectors."])
def test_integers_that_do_not_say_so_are_taken(comment: str, tmp_path: Path) -> None:
    assert dtypes(matched(tmp_path, ints(comment)), "aten::add") == {"int16", "float32"}


def test_ops_that_stay_in_range_may_saturate(tmp_path: Path) -> None:
    function = "acme_status acme_max_s8(const int8_t *a, const int8_t *b, int8_t *out, int n);"
    text = f"{_STATUS}/* Saturates like the rest. */\n{function}"
    assert dtypes(matched(tmp_path, text), "aten::maximum") == {"int8"}


def test_an_order_of_operands_that_is_a_question_is_not_proved(tmp_path: Path) -> None:
    """Vendors do compute b - a: what the project asks of its authors cannot route before it is answered."""
    (tmp_path / "acme.h").write_text(
        f"""{_STATUS}
        acme_status acme_sub_f32(const float *a, const float *b, float *out, int n);
        /* numerator over denominator */
        acme_status acme_div_f32(const float *numerator, const float *denominator, float *out, int n);
        acme_status acme_add_f32(const float *a, const float *b, float *out, int n);
        """
    )
    project = new_chip(NewChipRequest("acme", (tmp_path / "acme.h",), out=tmp_path)).project
    profile = load_profile(project / "acme_device.yaml")
    proved = {entry.name: entry.provenance for entry in profile.ops}
    assert proved == {"aten::add": "header", "aten::div": "header", "aten::sub": "unverified"}
    assert "| `acme_sub_f32` |" in (project / "QUESTIONS.md").read_text()


def test_an_allocator_of_vectors_gives_no_plain_memory(tmp_path: Path) -> None:
    """What it returns is a struct that points to the data: a kernel would write over its fields."""
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        typedef struct { size_t size; size_t stride; float *data; } acme_vector;
        acme_vector *acme_vector_alloc(const size_t n);
        void acme_vector_free(acme_vector *v);
        void acme_add_f32(const float *a, const float *b, float *out, int n);
        """,
    )
    assert "malloc" not in {r.role for r in result.runtime}
    assert result.memory == "host"


@pytest.mark.parametrize(("asked", "memory"), [("const acme_queue *", "host"), ("acme_queue *", "device")])
def test_a_queue_that_is_only_asked_of_says_nothing_of_memory(asked: str, memory: str, tmp_path: Path) -> None:
    """A library that makes its queues may have another name for those that it only reads from."""
    result = matched(
        tmp_path,
        f"""
        #include <stddef.h>
        struct acme_queue_;
        typedef struct acme_queue_ acme_queue;
        typedef struct acme_queue_ *acme_queue_t;
        typedef {asked.replace("acme_queue *", "struct acme_queue_ *")}acme_asked_queue;
        int acme_queue_create(acme_queue_t *queue);
        int acme_queue_engine(acme_asked_queue queue, int *engine);
        void acme_add_f32(const float *a, const float *b, float *out, int n);
        """,
    )
    assert result.memory == memory


@pytest.mark.parametrize("name", ["max", "min"])
def test_values_without_their_places_are_not_what_a_caller_of_both_gets(name: str, tmp_path: Path) -> None:
    extents = "size_t outer, size_t n, size_t inner"
    both = f"acme_status acme_{name}_with_index(const float *in, float *out, int64_t *indices, {extents});\n"
    assert matched(tmp_path, _STATUS + both).binding(f"aten::{name}.dim")
    alone = matched(tmp_path, _STATUS + both.replace(" int64_t *indices,", ""))
    assert alone.binding(f"aten::{name}.dim") is None
    assert f"gives no indices, which aten::{name}.dim gives to its caller" in reason(alone, f"acme_{name}_with_index")
