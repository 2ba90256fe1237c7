"""The bodies of device functions over runtimes of pointers: what waits, what is checked, what the host does."""

from __future__ import annotations

from pathlib import Path

from header_helpers import read
from torchfl import catalogue
from torchfl_sdk.match import match
from torchfl_sdk.scaffold.device_plan import DevicePlan, plan_device

BASE = """
#include <stddef.h>
#include <stdint.h>
typedef enum zt_code { ZT_OK = 0, ZT_FAILED = 1 } zt_code;
typedef struct zt_stream *zt_stream_t;
zt_code zt_stream_create(zt_stream_t *stream);
zt_code zt_stream_synchronize(zt_stream_t stream);
zt_code zt_device_count(int *count);
zt_code zt_malloc(void **mem, size_t bytes);
zt_code zt_free(void *mem);
zt_code zt_relu(const float *x, float *y, size_t n);
"""
QUEUED = """
zt_code zt_memcpy_h2d(void *dst, const void *src, size_t bytes, zt_stream_t stream);
zt_code zt_memcpy_d2h(void *dst, const void *src, size_t bytes, zt_stream_t stream);
"""
BARRIER = "zt_code zt_device_synchronize(void);\n"


def planned(tmp_path: Path, text: str) -> DevicePlan:
    model = read(tmp_path, text)
    return plan_device(match(model, catalogue.OPS), model)


def body(plan: DevicePlan, slot: str) -> str:
    return "\n".join(next(f.body for f in plan.functions if f.slot == slot))


def test_a_copy_in_a_queue_waits_for_the_device(tmp_path: Path) -> None:
    plan = planned(tmp_path, BASE + BARRIER + QUEUED)
    for slot in ("copy_h2d", "copy_d2h"):
        assert "(bytes), nullptr)" in body(plan, slot)
        assert body(plan, slot).endswith("return status(vendor::zt_device_synchronize());")
    assert "zt_device_synchronize" in plan.symbols


def test_where_nothing_waits_for_the_device_it_waits_for_the_queue(tmp_path: Path) -> None:
    plan = planned(tmp_path, BASE + QUEUED)
    assert body(plan, "copy_d2h").endswith("return status(vendor::zt_stream_synchronize(nullptr));")
    assert "zt_stream_synchronize" in plan.symbols


def test_a_queue_that_is_a_number_is_0(tmp_path: Path) -> None:
    numbered = BASE.replace("typedef struct zt_stream *zt_stream_t;", "typedef uintptr_t zt_stream_t;")
    plan = planned(tmp_path, numbered + QUEUED)
    assert "(bytes), 0)" in body(plan, "copy_d2h")
    assert body(plan, "copy_d2h").endswith("return status(vendor::zt_stream_synchronize(0));")


def test_where_nothing_waits_at_all_there_is_no_copy(tmp_path: Path) -> None:
    plan = planned(tmp_path, BASE.replace("zt_code zt_stream_synchronize(zt_stream_t stream);", "") + QUEUED)
    assert not {"copy_h2d", "copy_d2h"} & {f.slot for f in plan.functions}
    assert "no function waits" in dict(plan.missing)["copy_h2d"]


def test_a_size_that_the_vendor_s_type_does_not_hold_is_no_size(tmp_path: Path) -> None:
    narrow = BASE.replace("zt_malloc(void **mem, size_t bytes)", "zt_malloc(void **mem, int bytes)")
    ways = "".join(f"zt_code zt_memcpy_{way}(void *dst, const void *src, uint32_t bytes);\n" for way in ("h2d", "d2h"))
    plan = planned(tmp_path, narrow + ways)
    assert body(plan, "alloc").startswith("if (!torchfl::fits<int>(static_cast<int64_t>(bytes)))")
    assert "TFL_OUT_OF_MEMORY" in body(plan, "alloc").splitlines()[0]
    assert "TFL_INVALID_ARGUMENT" in body(plan, "copy_h2d").splitlines()[0]
    assert "fits" not in body(planned(tmp_path, BASE + QUEUED), "alloc")


def test_the_host_copies_where_it_reaches_the_memory_behind_the_device(tmp_path: Path) -> None:
    plan = planned(tmp_path, BASE + BARRIER)
    for slot, call in (("copy_d2h", "std::memcpy(dst"), ("fill", "std::memset(")):
        waited, copied = body(plan, slot).index("zt_device_synchronize"), body(plan, slot).index(call)
        assert waited < copied


def test_the_host_waits_for_the_queue_where_nothing_waits_for_the_device(tmp_path: Path) -> None:
    plan = planned(tmp_path, BASE)
    for slot, call in (("copy_h2d", "std::memcpy("), ("copy_d2h", "std::memcpy(dst"), ("fill", "std::memset(")):
        waited = body(plan, slot).index("vendor::zt_stream_synchronize(nullptr)")
        assert waited < body(plan, slot).index(call)
    assert "zt_stream_synchronize" in plan.symbols


def test_free_memory_is_what_is_not_used(tmp_path: Path) -> None:
    plan = planned(tmp_path, BASE + QUEUED + "zt_code zt_mem_info(size_t *used, size_t *total);\n")
    assert "*free_bytes = total - now;" in body(plan, "memory_info")
