"""Roles of functions whose names say nothing: what they take and give, and which of them undoes another, tells."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, cpp, matched, ops, reason
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


def test_what_functions_run_in_is_a_stream_and_what_they_run_an_operator(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        ODD
        + """
        typedef enum { BQ_K_POOL, BQ_K_CONV, BQ_K_NORM } bq_kind;
        typedef struct bq_gadget_s *bq_gadget;
        bq_rc bq_gadget_make(bq_kind kind, bq_gadget *gadget);
        bq_rc bq_gadget_wait(bq_gadget gadget);
        bq_rc bq_pool_run(bq_gadget g, bq_work w, const float *x, float *y);
        bq_rc bq_conv_run(bq_gadget g, bq_work w, const float *x, float *y);
        bq_rc bq_norm_run(bq_gadget g, bq_work w, const float *x, float *y);
        """,
    )
    assert arguments(result, "bq_exp")["w"] == "stream"
    exp = next(m for m in result.matches if m.function == "bq_exp")
    assert exp.by_use == (("w", "workspace"),)
    assert first_of_each_role(result)["stream_create"] == "bq_work_hire"
    pool = next((m for m in result.matches if m.function == "bq_pool_run"), None)
    assert pool is None or dict(pool.arguments)["g"] != "stream"


def test_an_opened_device_whose_memory_all_functions_need_is_no_stream(tmp_path: Path) -> None:
    ops = "".join(f"int vy_{op}(vy_board b, vy_at x, vy_at y, unsigned long long n);" for op in ("exp", "abs", "sin"))
    result = matched(
        tmp_path,
        f"""
        typedef struct vy_board_s *vy_board;
        typedef unsigned long long vy_at;
        int vy_board_open(vy_board *board, int index);
        void vy_board_close(vy_board board);
        int vy_board_sync(vy_board board);
        int vy_malloc(vy_board board, vy_at *at, unsigned long long size);
        void vy_free(vy_board board, vy_at at);
        {ops}
        """,
    )
    assert {arguments(result, f"vy_{op}")["b"] for op in ("exp", "abs", "sin")} == {"handle"}
    assert "stream_create" not in first_of_each_role(result)


def test_numbers_behind_words_name_the_ops_that_the_words_name(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct zw_queue_s *zw_queue;
        int zw_max_pool2(zw_queue q, const float *x, float *y, int n, int c, int h, int w, int kernel, int stride);
        int zw_q_relu(zw_queue q, const float *x, float *y, int n);
        int zw_mean_pool4(zw_queue q, const float *x, float *y, int n);
        """,
    )
    assert ops(result) == {"zw_max_pool2": "aten::max_pool2d"}


def test_estimates_and_sums_that_stop_at_the_largest_number_are_no_ops(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        int zq_rcp_f32(const float *x, float *y, size_t n);
        int zq_rcp_est_f32(const float *x, float *y, size_t n);
        int zq_add_u8(const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n);
        int zq_add_sat_u8(const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n);
        int zq_sub_sat_s16(const int16_t *a, const int16_t *b, int16_t *y, size_t n);
        """,
    )
    assert set(ops(result)) == {"zq_rcp_f32", "zq_add_u8"}
    assert "estimate" in reason(result, "zq_rcp_est_f32")


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
