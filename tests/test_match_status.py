"""Which value of a function's result is success: bool, integers, constants, enums, comments that decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import cpp, matched
from torchfl_sdk.scaffold import NewChipRequest, new_chip

FUNCTIONS = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
{before}
T acme_malloc(void **p, size_t n);
T acme_free(void *p);
T acme_memcpy_h2d(void *dst, const void *src, size_t n);
T acme_memcpy_d2h(void *dst, const void *src, size_t n);
T acme_relu(const float *x, float *y, size_t n);
T acme_exp(const float *x, float *y, size_t n);
"""


def said(comment: str) -> str:
    """A comment of the whole file, apart from every declaration."""
    return f"/* {comment} */\n\n#define ACME_LANES 8\n"


#: what stands before the functions, their result, the condition of success in generated code, whether a person is asked
KINDS = {
    "bool": ("", "bool", "result != false", False),
    "_Bool": ("", "_Bool", "result != false", False),
    "typedef of bool": ("typedef bool acme_done;", "acme_done", "result != false", False),
    "bool that is true on failure": (
        said("Functions return false on success and true on error."), "bool", "result == false", False),
    "int called bool": ("typedef int acme_bool;", "acme_bool", "result != 0", False),
    "int alone": ("", "int", "result == 0", True),
    "int with 0": (said("All calls return 0 on success, a negative value on failure."), "int", "result == 0", False),
    "int with 1": (said("All calls: 1 on success, 0 on failure."), "int", "result == 1", False),
    "int with 1 if it worked": (said("Returns 1 if it worked."), "int", "result == 1", False),
    "int with anything but 0": (said("Returns non-zero on success."), "int", "result != 0", False),
    "int with 0 for failure": (said("Returns zero on failure."), "int", "result != 0", False),
    "comments that disagree": (said("0 on success; 1 on success from version 2."), "int", "result == 0", True),
    "int32_t": (said("success is 1"), "int32_t", "result == 1", False),
    "static const 0": ("typedef int acme_rc; static const acme_rc ACME_OK = 0;", "acme_rc", "result == ACME_OK", False),
    "static const 1": ("static const int ACME_SUCCESS = 1;", "int", "result == ACME_SUCCESS", False),
    "macro 1": ("#define ACME_STATUS_OK 1\n#define ACME_STATUS_NO_MEMORY 2", "int", "result == ACME_STATUS_OK", False),
    "enum 0": ("typedef enum { ACME_OK, ACME_FAILED } acme_rc;", "acme_rc", "result == ACME_OK", False),
    "enum 1": ("typedef enum { ACME_FAILED, ACME_SUCCESS } acme_rc;", "acme_rc", "result == ACME_SUCCESS", False),
    "enum of truth": ("typedef enum { ACME_FALSE, ACME_TRUE } acme_rc;", "acme_rc", "result == ACME_TRUE", False),
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_success_of_every_kind_of_status(tmp_path: Path, kind: str) -> None:
    before, ctype, worked, asked = KINDS[kind]
    text = FUNCTIONS.format(before=before).replace("\nT ", f"\n{ctype} ")
    result = matched(tmp_path, text)
    assert {b.op for b in result.bindings} == {"aten::exp", "aten::relu"}
    assert {r.role for r in result.runtime} == {"malloc", "free", "memcpy_h2d", "memcpy_d2h"}
    assert {r.returns for r in (*result.runtime, *(c for b in result.bindings for c in b.calls))} == {"status"}
    assert bool(result.questions) == asked, result.questions
    new_chip(NewChipRequest("acme", (tmp_path / "acme.h",), out=tmp_path, check=False))
    device = (tmp_path / "acme" / "src" / "acme_device.gen.cpp").read_text()
    assert f"  if ({worked}) return TFL_OK;\n" in device
    kernels = (tmp_path / "acme" / "src" / "acme_kernels.cpp").read_text()
    assert "return status(vendor::acme_relu(" in kernels


def test_functions_that_return_nothing_are_followed_by_ok(tmp_path: Path) -> None:
    text = FUNCTIONS.format(before="") + "T acme_device_count(int *n);\nT acme_set_device(int device);\n"
    text = text.replace("\nT ", "\nvoid ")
    result = matched(tmp_path, text)
    assert (result.status.ctype, {b.op for b in result.bindings}) == ("", {"aten::exp", "aten::relu"})
    new_chip(NewChipRequest("acme", (tmp_path / "acme.h",), out=tmp_path, check=False))
    kernels = (tmp_path / "acme" / "src" / "acme_kernels.cpp").read_text()
    assert "  vendor::acme_relu(" in kernels
    assert "status(" not in kernels
    device = (tmp_path / "acme" / "src" / "acme_device.gen.cpp").read_text()
    assert "    vendor::acme_set_device(device);\n    return TFL_OK;\n" in device


def test_a_truth_value_that_answers_a_question_is_no_status(tmp_path: Path) -> None:
    text = """
    #include <stdbool.h>
    typedef enum { ACME_OK, ACME_NO_MEMORY } acme_rc;
    bool acme_is_ready(void);
    bool acme_has_fp16(int device);
    bool acme_can_map(int device);
    bool acme_supports(int dtype);
    acme_rc acme_relu(const float *x, float *y, int n);
    """
    assert matched(tmp_path, text).status.ctype == "acme_rc"


def test_an_enum_that_one_function_returns_is_not_the_status_of_others(tmp_path: Path) -> None:
    enum = "typedef enum { ACME_OK, ACME_NO_MEMORY } acme_error;\nacme_error acme_last_error(void);"
    result = matched(tmp_path, FUNCTIONS.format(before=enum).replace("\nT ", "\nbool "))
    assert (result.status.ctype, result.status.success) == ("bool", "true")


def test_what_comments_say_of_other_results_does_not_count(tmp_path: Path) -> None:
    text = FUNCTIONS.format(before="").replace("\nT ", "\nint ")
    text += "/* The text of a code; 1 is ok, 0 on failure. */\nconst char *acme_text(int code);\n"
    text = text.replace("int acme_relu", "/* 0 on success */\nint acme_relu")
    result = matched(tmp_path, text)
    assert (result.status.success, result.questions) == ("0", ())


@pytest.mark.parametrize("macro", ["ACME_BLEND_OK 1", "ACME_SUCCESS_RATE 1", "ACME_MODE_NONE 1"])
def test_constants_of_other_things_are_no_success(tmp_path: Path, macro: str) -> None:
    result = matched(tmp_path, FUNCTIONS.format(before=f"#define {macro}").replace("\nT ", "\nint "))
    assert result.status.success == "0"
    assert result.questions


def test_codes_of_exceptions_are_no_status_of_functions_that_count(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <stdexcept>
        namespace bs {
        enum class Errc : int { ok = 0, no_device, out_of_memory, bad_argument };
        class Error : public std::runtime_error { public: Error(Errc code, const char *what); Errc code() const; };
        int device_count();
        int current_device();
        void use_device(int device);
        void synchronize();
        }
        """,
    )
    assert "Errc" not in result.status.success


def test_functions_that_return_integers_give_no_constant_of_a_scoped_enum(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        enum class Mode { success = 0, invalid_argument = 1 };
        // Returns 0 on success.
        int ac_init();
        // Returns 0 on success.
        int ac_sync();
        // Returns 0 on success.
        int ac_reset();
        """,
    )
    assert (result.status.ctype, result.status.success) == ("int", "0")
