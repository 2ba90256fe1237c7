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
