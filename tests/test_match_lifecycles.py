"""Roles of functions whose names say nothing: what they take and give, and which of them undoes another, tells."""

from __future__ import annotations

from pathlib import Path

from header_helpers import cpp, matched
from test_match_runtimes import first_of_each_role

OPS = "".join(f"bq_rc bq_{op}(bq_work w, const float *x, float *y, size_t n);" for op in ("exp", "sin", "relu", "abs"))

ODD = f"""
#include <stddef.h>
#include <stdint.h>
typedef enum {{ BQ_SUNNY = 0, BQ_CLOUDY = 1, BQ_FLOODED = 2, BQ_STORM = 3 }} bq_rc;
typedef struct bq_work_s *bq_work;
typedef struct bq_flagpole_s *bq_flagpole;
bq_rc bq_dawn_up(void);
bq_rc bq_dawn_down(void);
bq_rc bq_tally_huts(int *huts);
bq_rc bq_pick_hut(int hut);
bq_rc bq_picked_hut(int *hut);
bq_rc bq_settle(void);                       /* waits until everything is done */
const char *bq_weather(bq_rc rc);
bq_rc bq_borrow(void **spot, size_t bytes);
bq_rc bq_return(void *spot);
bq_rc bq_spare(size_t *left, size_t *whole);
bq_rc bq_load(void *spot, const void *host, size_t bytes);
bq_rc bq_store(void *host, const void *spot, size_t bytes);
bq_rc bq_shift(void *to, const void *from, size_t bytes);
bq_rc bq_paint(void *spot, int value, size_t bytes);
bq_rc bq_work_hire(bq_work *work);
bq_rc bq_work_dismiss(bq_work work);
bq_rc bq_work_rest(bq_work work);
bq_rc bq_flagpole_raise(bq_flagpole *pole);
bq_rc bq_flagpole_fell(bq_flagpole pole);
bq_rc bq_flagpole_into(bq_flagpole pole, bq_work work);
bq_rc bq_flagpole_await(bq_flagpole pole);
bq_rc bq_work_halt_for(bq_work work, bq_flagpole pole);
bq_rc bq_arena_need(int rows, size_t *bytes);
{OPS}
"""


def test_functions_with_nouns_and_verbs_of_the_vendors_own(tmp_path: Path) -> None:
    found = first_of_each_role(matched(tmp_path, ODD))
    assert found == found | {
        "init": "bq_dawn_up",
        "finalize": "bq_dawn_down",
        "device_count": "bq_tally_huts",
        "set_device": "bq_pick_hut",
        "get_device": "bq_picked_hut",
        "device_sync": "bq_settle",
        "error_string": "bq_weather",
        "malloc": "bq_borrow",
        "free": "bq_return",
        "memory_info": "bq_spare",
        "memcpy_h2d": "bq_load",
        "memcpy_d2h": "bq_store",
        "memcpy_d2d": "bq_shift",
        "memset": "bq_paint",
        "stream_create": "bq_work_hire",
        "stream_destroy": "bq_work_dismiss",
        "stream_sync": "bq_work_rest",
        "stream_wait_event": "bq_work_halt_for",
        "event_create": "bq_flagpole_raise",
        "event_destroy": "bq_flagpole_fell",
        "event_record": "bq_flagpole_into",
        "event_sync": "bq_flagpole_await",
        "workspace_query": "bq_arena_need",
    }


def test_an_enum_that_most_functions_return_reports_success_by_its_zero(tmp_path: Path) -> None:
    result = matched(tmp_path, ODD)
    assert (result.status.ctype, result.status.success) == ("bq_rc", "BQ_SUNNY")
    assert any("BQ_SUNNY, which is 0, is taken" in question for question in result.questions)


def test_memory_that_objects_stand_for_and_a_context_that_makes_everything(tmp_path: Path) -> None:
    found = first_of_each_role(
        matched(
            tmp_path,
            """
            #include <stddef.h>
            #include <stdint.h>
            typedef struct Qz_Shop *QzShop; typedef struct Qz_Box *QzBox; typedef struct Qz_Belt *QzBelt;
            int QzEnter(int number, QzShop *shop);
            int QzLeave(QzShop shop);
            int QzMakeBox(QzShop shop, uint64_t bytes, QzBox *box);
            void QzDropBox(QzBox box);
            int QzMakeBelt(QzShop shop, QzBelt *belt);
            void QzDropBelt(QzBelt belt);
            int QzAwaitBelt(QzBelt belt);
            int QzSend(QzBelt belt, QzBox box, uint64_t offset, const void *from, uint64_t bytes);
            int QzFetch(QzBelt belt, void *to, QzBox box, uint64_t offset, uint64_t bytes);
            int QzMove(QzBelt belt, QzBox to, uint64_t a, QzBox from, uint64_t b, uint64_t bytes);
            """,
        )
    )
    assert found == found | {
        "handle_create": "QzEnter",
        "handle_destroy": "QzLeave",
        "malloc": "QzMakeBox",
        "free": "QzDropBox",
        "stream_create": "QzMakeBelt",
        "stream_destroy": "QzDropBelt",
        "stream_sync": "QzAwaitBelt",
        "memcpy_h2d": "QzSend",
        "memcpy_d2h": "QzFetch",
        "memcpy_d2d": "QzMove",
    }


def test_what_only_looks_like_a_runtime_takes_no_role(tmp_path: Path) -> None:
    found = first_of_each_role(
        matched(
            tmp_path,
            """
            #include <stddef.h>
            int km_exp(const void *x, void *y, size_t n);
            int km_relu(const void *x, void *y, size_t n);
            int km_trace_start(void);
            int km_trace_stop(void);
            int km_round_up(int n);
            int km_round_down(int n);
            int km_version(void);
            """,
        )
    )
    assert not {"memcpy", "memcpy_d2d", "init", "finalize", "device_count", "malloc", "set_device"} & set(found)


def test_static_methods_of_the_devices_class_and_texts_of_cxx(tmp_path: Path) -> None:
    found = first_of_each_role(
        cpp(
            tmp_path,
            """
            #include <cstddef>
            #include <cstdint>
            #include <string>
            namespace rill {
            enum class Verdict : int { Fair = 0, Rain = 1, Hail = 2 };
            typedef uint64_t RillAddr;
            class Pump;
            struct Npu {
              static int howMany();
              static Verdict choose(int which);
              static Verdict obtain(RillAddr *addr, size_t bytes);
              static Verdict giveBack(RillAddr addr);
              static std::string explain(Verdict verdict);
              static Pump *newPump();
              static void deletePump(Pump *pump);
              static Verdict awaitPump(Pump *pump);
            };
            Verdict exp(Pump &pump, RillAddr x, RillAddr y, size_t n);
            Verdict sin(Pump &pump, RillAddr x, RillAddr y, size_t n);
            Verdict cos(Pump &pump, RillAddr x, RillAddr y, size_t n);
            }
            """,
        )
    )
    assert found == found | {
        "device_count": "rill::Npu::howMany",
        "set_device": "rill::Npu::choose",
        "malloc": "rill::Npu::obtain",
        "free": "rill::Npu::giveBack",
        "error_string": "rill::Npu::explain",
        "stream_create": "rill::Npu::newPump",
        "stream_destroy": "rill::Npu::deletePump",
        "stream_sync": "rill::Npu::awaitPump",
    }
