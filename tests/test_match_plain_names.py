"""Runtimes whose functions have plain words for names: start, stop, use, release; and what is only called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched

START = "int acme_start(void);\n"
STOP = "int acme_stop(void);\n"
COUNT = "int acme_count(int *count);\n"
USE = "int acme_use(int device);\n"
RESERVE = "int acme_reserve(size_t bytes, void **memory);\n"
RELEASE = "int acme_release(void *memory);\n"
PUSH = "int acme_push(void *device, const void *host, size_t bytes);\n"
PULL = "int acme_pull(void *host, const void *device, size_t bytes);\n"
WHOLE = START + STOP + COUNT + USE + RESERVE + RELEASE + PUSH + PULL
RELU = "#include <stddef.h>\nint acme_relu(const float *x, float *y, size_t n);\n"


def taken(tmp_path: Path, text: str) -> dict[str, str]:
    return {r.role: r.function for r in matched(tmp_path, RELU + text).runtime}


def test_plain_words_take_their_roles(tmp_path: Path) -> None:
    assert taken(tmp_path, WHOLE) == {
        "init": "acme_start",
        "finalize": "acme_stop",
        "device_count": "acme_count",
        "set_device": "acme_use",
        "malloc": "acme_reserve",
        "free": "acme_release",
        "memcpy_h2d": "acme_push",
        "memcpy_d2h": "acme_pull",
    }


@pytest.mark.parametrize(
    ("role", "plain", "other"),
    [
        ("init", START, "int acme_initialize(void);\n"),
        ("finalize", STOP, "int acme_shutdown(void);\n"),
        ("set_device", USE, "int acme_set_device(int device);\n"),
        ("free", RELEASE, "int acme_free(void *memory);\n"),
        ("memcpy_h2d", PUSH, "int acme_upload(void *device, const void *host, size_t bytes);\n"),
    ],
)
def test_a_name_that_says_it_goes_first(tmp_path: Path, role: str, plain: str, other: str) -> None:
    assert f"int {taken(tmp_path, WHOLE + other)[role]}(" in other
    assert f"int {taken(tmp_path, WHOLE.replace(plain, '') + other)[role]}(" in other


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (START, "init"),  # nothing stops it
        (START + STOP.replace("(void)", "(int timer)"), "init"),
        ("/* Starts the profiler. */\n" + START + STOP, "init"),
        ("int acme_profiler_start(void);\nint acme_profiler_stop(void);\n" + RESERVE, "init"),
        (COUNT + USE.replace("device", "mode"), "set_device"),
        (USE, "set_device"),  # nothing says how many there are
        ("/* The number of events in the log. */\n" + COUNT, "device_count"),
        (RELEASE, "free"),  # nothing allocates
        (RESERVE + "typedef void *acme_plan;\nint acme_release(acme_plan plan);\n", "free"),
        (RESERVE + "typedef struct acme_p *acme_plan;\nint acme_release(acme_plan plan);\n", "free"),
        ("int acme_reserve(size_t slots, void **table);\n", "malloc"),
        (PUSH, "memcpy_h2d"),  # nothing comes back
    ],
)
def test_false_friends_take_none(tmp_path: Path, text: str, role: str) -> None:
    assert role not in taken(tmp_path, text)


def test_names_of_a_v_and_the_letter_of_an_element_type(tmp_path: Path) -> None:
    """Where each op has one function for either precision, the letter is no constant operand's."""
    one, two = "int len, const %s *src, %s *dst", "int len, const %s *src1, const %s *src2, %s *dst"
    names = {"add": two, "exp": one, "inv": one, "sqr": one, "ln": one, "sinh": one}
    text = "\n".join(
        f"void v{letter}{name}({given.replace('%s', element)});"
        for name, given in names.items()
        for letter, element in (("s", "float"), ("d", "double"))
    )
    found = {m.function: m.aten for m in matched(tmp_path, text).matches}
    assert found["vsadd"] == found["vdadd"] == "aten::add.Tensor"
    assert found["vsinv"] == found["vdinv"] == "aten::reciprocal"
    assert (found["vsexp"], found["vdsqr"], found["vsln"]) == ("aten::exp", "aten::square", "aten::log")
    scalar = "void vsadd(const float *A, int IA, const float *B, float *C, int IC, unsigned long N);"
    assert [m.aten for m in matched(tmp_path, scalar).matches] == ["aten::add.Scalar"]


def test_arrays_as_lapack_names_them(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        int acme_sgetrs(int layout, char trans, int n, int nrhs, const float *a, int lda, const int *ipiv, float *b,
                        int ldb);
        int acme_ssyev(int layout, char jobz, char uplo, int n, float *a, int lda, float *w);
        int acme_sgesdd(int layout, char jobz, int m, int n, float *a, int lda, float *s, float *u, int ldu, float *vt,
                        int ldvt);
        int acme_sgetri(int layout, int n, float *a, int lda, const int *ipiv);
        """,
    )
    found = {m.function: (m.aten, dict(m.arguments)) for m in result.matches}
    assert "acme_sgetri" not in found
    solve, eigen, values = (found[f"acme_{name}"] for name in ("sgetrs", "ssyev", "sgesdd"))
    assert (solve[0], solve[1]["ipiv"], solve[1]["b"]) == ("aten::linalg_lu_solve", "pivots", "inout")
    assert (eigen[0], eigen[1]["a"], eigen[1]["w"]) == ("aten::_linalg_eigh", "inout", "output")
    assert (values[0], values[1]["u"], values[1]["vt"]) == ("aten::_linalg_svd", "output", "output3")


def test_a_stream_of_random_numbers_that_points_to_nothing_known(tmp_path: Path) -> None:
    text = "typedef void *AcmeStreamStatePtr;\n"
    text += "int vsRngGaussian(int, AcmeStreamStatePtr, int, float[], float, float);\n"
    text += "int vsRngExponential(int, AcmeStreamStatePtr, int, float[], float, float);\n"
    assert {m.aten for m in matched(tmp_path, text).matches} == {"aten::normal_", "aten::exponential_"}
