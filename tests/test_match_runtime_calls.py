"""What the arguments of runtime functions get: rooms, alignments, queues, ways; and what keeps a call back."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched
from torchfl.errors import Place
from torchfl_sdk.header.model import Enum, Enumerator
from torchfl_sdk.match.model import MatchResult, RuntimeFunction
from torchfl_sdk.match.runtime.directions import directions

BASE = """
#include <stddef.h>
#include <stdint.h>
typedef enum zt_code { ZT_OK = 0, ZT_FAILED = 1 } zt_code;
typedef struct zt_stream *zt_stream_t;
zt_code zt_stream_create(zt_stream_t *stream);
zt_code zt_stream_destroy(zt_stream_t stream);
zt_code zt_relu(const float *x, float *y, size_t n);
"""
FREE = "zt_code zt_free(void *mem);\n"
MALLOC = "zt_code zt_malloc(void **mem, size_t bytes);\n"


def call(result: MatchResult, role: str) -> RuntimeFunction | None:
    return next((f for f in result.runtime if f.role == role), None)


def given(tmp_path: Path, text: str, role: str) -> list[tuple[str, str]]:
    """(role, constant) of every argument of the function of a role."""
    found = call(matched(tmp_path, BASE + text), role)
    assert found is not None
    return [(a.role, a.value) for a in found.arguments]


def test_an_allocator_gets_an_alignment_the_usual_policy_and_no_flags(tmp_path: Path) -> None:
    text = """
    typedef enum zt_policy { ZT_POLICY_HUGE, ZT_POLICY_DEFAULT } zt_policy;
    void *zt_malloc(zt_policy policy, size_t bytes, unsigned align, int heap_id, uint32_t flags, const char *tag);
    """
    assert given(tmp_path, text + FREE, "malloc") == [
        ("constant", "ZT_POLICY_DEFAULT"), ("bytes", ""), ("constant", "64"), ("constant", "0"), ("constant", "0"),
        ("constant", '"torchfl"'),
    ]  # fmt: skip


def test_elements_of_a_size_are_bytes(tmp_path: Path) -> None:
    text = "zt_code zt_malloc(void **mem, size_t count, size_t elem_size);\n"
    assert given(tmp_path, text + FREE, "malloc") == [("handle_out", ""), ("bytes", ""), ("constant", "1")]


def test_an_enum_of_settings_without_a_usual_or_a_first_value_keeps_an_allocator_back(tmp_path: Path) -> None:
    text = """
    typedef enum zt_bank { ZT_BANK_A = 3, ZT_BANK_B } zt_bank;
    zt_code zt_malloc(void **mem, size_t bytes, zt_bank bank);
    """
    assert call(matched(tmp_path, BASE + text + FREE), "malloc") is None


def test_copies_know_the_room_and_the_queue_whatever_comes_first(tmp_path: Path) -> None:
    text = """
    zt_code zt_copy_h2d(const void *hsrc, size_t src_size, void *ddst, size_t dst_cap, zt_stream_t q);
    zt_code zt_copy_d2h(void *hdst, size_t dst_max, const void *dsrc, size_t count, zt_stream_t q);
    """
    text = MALLOC + FREE + text
    sized = [("src", ""), ("bytes", ""), ("dst", ""), ("bytes", ""), ("stream", "")]
    assert given(tmp_path, text, "memcpy_h2d") == sized
    assert given(tmp_path, text, "memcpy_d2h") == [
        ("dst", ""),
        ("bytes", ""),
        ("src", ""),
        ("bytes", ""),
        ("stream", ""),
    ]


def test_a_queue_may_be_a_number(tmp_path: Path) -> None:
    text = MALLOC + FREE + "typedef uintptr_t zt_queue_t;\ntypedef uint32_t zt_queue_size_t;\n"
    text += "zt_code zt_memcpy_h2d(void *dst, const void *src, zt_queue_size_t bytes, zt_queue_t q);\n"
    assert given(tmp_path, text, "memcpy_h2d") == [("dst", ""), ("src", ""), ("bytes", ""), ("stream", "")]


def test_rows_of_a_copy_are_no_room(tmp_path: Path) -> None:
    text = "zt_code zt_memcpy_h2d(void *dst, size_t dst_pitch, const void *src, size_t width, size_t height);\n"
    assert call(matched(tmp_path, BASE + MALLOC + FREE + text), "memcpy_h2d") is None


def test_a_way_may_be_a_number_that_macros_name(tmp_path: Path) -> None:
    text = """
    #define ZT_COPY_TO_CARD 7
    #define ZT_COPY_FROM_CARD 9
    zt_code zt_memcpy(void *dst, const void *src, size_t bytes, int dir);
    """
    found = call(matched(tmp_path, BASE + MALLOC + FREE + text), "memcpy")
    assert found is not None
    assert dict(found.arguments[3].values) == {"h2d": "ZT_COPY_TO_CARD", "d2h": "ZT_COPY_FROM_CARD"}


def test_addresses_may_be_numbers_of_no_type_of_their_own(tmp_path: Path) -> None:
    text = """
    zt_code zt_mem_reserve(size_t bytes, uint64_t *where);
    zt_code zt_mem_unreserve(uint64_t where);
    zt_code zt_upload(uint64_t where, const void *host, size_t bytes);
    zt_code zt_download(void *host, uint64_t where, size_t bytes);
    """
    result = matched(tmp_path, BASE + text)
    roles = {f.role: [(a.role, a.address) for a in f.arguments] for f in result.runtime}
    assert roles["malloc"] == [("bytes", ""), ("handle_out", "integer")]
    assert roles["free"] == [("handle", "integer")]
    assert roles["memcpy_h2d"] == [("dst", "integer"), ("src", ""), ("bytes", "")]
    assert roles["memcpy_d2h"] == [("dst", ""), ("src", "integer"), ("bytes", "")]


def test_copies_that_no_call_is_generated_for_are_asked_about(tmp_path: Path) -> None:
    text = """
    typedef enum zt_way { ZT_UPHILL = 1, ZT_DOWNHILL = 2 } zt_way;
    zt_code zt_copy(void *to, const void *from, size_t bytes, zt_way way);
    """
    result = matched(tmp_path, BASE + MALLOC + FREE + text)
    assert (result.memory, call(result, "memcpy")) == ("device", None)
    assert result.questions == ("zt_copy copies to or from the device, in a way that no call is generated for yet",)


def test_what_is_used_is_not_what_is_free(tmp_path: Path) -> None:
    text = MALLOC + FREE + "zt_code zt_mem_info(uint64_t *used, uint64_t *total);\n"
    assert given(tmp_path, text, "memory_info") == [("used_bytes", ""), ("total_bytes", "")]


def test_memory_that_nothing_copies_to_is_the_host_s_too_and_that_is_asked(tmp_path: Path) -> None:
    text = "zt_code zt_device_count(int *count);\n" + MALLOC + FREE
    result = matched(tmp_path, BASE + text)
    assert result.shared_memory
    assert any("zt_malloc" in q and "host" in q for q in result.questions)
    ways = ("zt_memcpy_h2d", "zt_memcpy_d2h")
    text += "".join(f"zt_code {way}(void *dst, const void *src, size_t bytes);\n" for way in ways)
    assert not matched(tmp_path, BASE + text).shared_memory


def test_a_device_s_memory_is_never_taken_for_the_host_s_because_its_calls_are_not_understood(tmp_path: Path) -> None:
    text = """
    typedef struct zt_odd { int a[9]; } zt_odd;
    zt_code zt_malloc(void **mem, size_t bytes, zt_odd how);
    zt_code zt_memcpy_h2d(void *dst, const void *src, size_t bytes, zt_odd how);
    zt_code zt_memcpy_d2h(void *dst, const void *src, size_t bytes, zt_odd how);
    """
    result = matched(tmp_path, BASE + text + FREE)
    assert (result.memory, call(result, "malloc")) == ("device", None)
    assert result.questions
    why = next(u.reason for u in result.unbound if u.function == "zt_malloc")
    assert "'how' (zt_odd)" in why


def enum(*names: str, comments: tuple[str, ...] = ()) -> Enum:
    said = comments or ("",) * len(names)
    constants = tuple(Enumerator(name, i, text) for i, (name, text) in enumerate(zip(names, said, strict=True)))
    return Enum("way", constants, Place("way.h", 1))


WAYS = [
    ("MY_HOST_TO_DEV MY_DEV_TO_HOST MY_DEV_TO_DEV", "h2d d2h d2d"),
    ("MY_HOST2DEV MY_DEV2HOST MY_DEV2DEV MY_HOST2HOST", "h2d d2h d2d h2h"),
    ("to_device to_host on_device", "h2d d2h d2d"),
    ("MyCopyFromCard MyCopyToCard", "d2h h2d"),
    ("CPY_H2D CPY_D2H", "h2d d2h"),
    ("MY_DEVICE_FROM_HOST MY_HOST_FROM_DEVICE", "h2d d2h"),
    ("MY_UPLOAD MY_DOWNLOAD", "h2d d2h"),
]


@pytest.mark.parametrize(("names", "ways"), WAYS)
def test_constants_say_which_way(names: str, ways: str) -> None:
    assert directions(enum(*names.split())) == dict(zip(ways.split(), names.split(), strict=True))


def test_an_enum_of_something_else_says_no_way() -> None:
    assert directions(enum("MY_ON_HOST", "MY_ON_DEVICE")) == {}
    assert directions(enum("MY_FAST", "MY_EXACT")) == {}


def test_comments_say_which_way_where_names_do_not() -> None:
    said = enum("ZT_UPHILL", "ZT_DOWNHILL", "ZT_LEVEL", comments=("host to mule", "mule to host", "mule to mule"))
    assert directions(said) == {"h2d": "ZT_UPHILL", "d2h": "ZT_DOWNHILL", "d2d": "ZT_LEVEL"}


def test_memory_of_a_library_without_a_device_is_the_c_library_s(tmp_path: Path) -> None:
    text = """
    #include <stddef.h>
    int zt_add(const float *x, const float *y, float *out, size_t n);
    unsigned char *zt_malloc(int len);
    void zt_free(void *p);
    int zt_memcpy(void *dst, const void *src, int len);
    """
    alone = matched(tmp_path, text)
    assert (alone.memory, alone.runtime) == ("host", ())
    beside = matched(tmp_path, text + "int zt_device_count(int *count);\n")
    assert {"malloc", "free", "memcpy"} <= {f.role for f in beside.runtime}


def test_a_runtime_reports_where_ops_return_nothing(tmp_path: Path) -> None:
    text = """
    #include <stddef.h>
    /* runtime: 0 for success */
    int zt_init(unsigned flags);
    int zt_malloc(void **p, size_t n);
    int zt_free(void *p);
    int zt_memcpy(int kind, size_t n, const void *from, void *to);
    #define ZT_COPY_H2D 1
    #define ZT_COPY_D2H 2
    """
    ops = "".join(
        f"void zt_{op}(const float *x, float *y, size_t n);\n" for op in ("relu", "abs", "exp", "sqrt", "tanh")
    )
    result = matched(tmp_path, text + ops)
    assert (result.status.ctype, result.status.success) == ("int", "0")
    assert {f.role: f.returns for f in result.runtime} == {
        "init": "status", "malloc": "status", "free": "status", "memcpy": "status",
    }  # fmt: skip
    assert {b.calls[0].returns for b in result.bindings} == {"void"}


def test_what_frees_memory_that_nothing_reserves_makes_no_device(tmp_path: Path) -> None:
    """A library of the host has pools and threads of its own, whose functions look like a runtime's in part."""
    text = """
    #include <stddef.h>
    typedef unsigned long zt_thread;
    typedef struct zt_team zt_team;
    void zt_init(void);
    void zt_finalize(void);
    void zt_free_intl(void *p);
    zt_team *zt_team_create(int n);
    void zt_team_barrier(zt_team *team);
    void zt_team_cleanup(zt_team *team);
    int zt_pthread_join(zt_thread thread, void **retval);
    """
    ops = "".join(f"void zt_{op}(const float *x, float *y, size_t n);\n" for op in ("relu", "abs", "exp", "sqrt"))
    result = matched(tmp_path, text + ops)
    assert result.memory == "host"
    assert not {"free", "malloc", "memcpy"} & {f.role for f in result.runtime}
