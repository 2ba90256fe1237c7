"""Runtimes of buffer objects: how devices are found, which status each half of a header has, what names say."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip

OBJECTS = """
#include <stddef.h>
#include <stdint.h>
typedef struct ac_buf_s *ac_buf;
typedef struct ac_queue_s *ac_queue;
typedef struct ac_dev_s *ac_dev;
typedef enum { AcSuccess = 0, AcInvalidValue = -1, AcOutOfMemory = -2 } AcStatus;
typedef enum { AcRowMajor = 1, AcColMajor = 2 } AcLayout;
typedef enum { AcNo = 1, AcYes = 2, AcConj = 3 } AcTranspose;
"""
MEMORY = """
AcStatus acQueueRelease(ac_queue queue);
AcStatus acQueueFinish(ac_queue queue);
AcStatus acBufferRelease(ac_buf buffer);
AcStatus acBufferWrite(ac_queue queue, ac_buf buffer, size_t offset, size_t bytes, const void *host);
AcStatus acBufferRead(ac_queue queue, ac_buf buffer, size_t offset, size_t bytes, void *host);
AcStatus acBufferCopy(ac_queue queue, ac_buf src, size_t src_offset, ac_buf dst, size_t dst_offset, size_t bytes);
"""
LISTED = """
AcStatus acDeviceList(ac_dev *devices, uint32_t capacity, uint32_t *count);
AcStatus acQueueNew(ac_dev device, uint32_t flags, ac_queue *queue);
AcStatus acBufferNew(ac_dev device, size_t bytes, uint32_t flags, ac_buf *buffer);
"""
ALONE = """
AcStatus acQueueNew(uint32_t device, ac_queue *queue);
AcStatus acBufferNew(ac_queue queue, size_t bytes, ac_buf *buffer);
"""
GEMV = """
AcStatus AcSgemv(AcLayout layout, AcTranspose a_transpose, size_t m, size_t n, float alpha, ac_buf a_buffer,
                 size_t a_offset, size_t a_ld, ac_buf x_buffer, size_t x_offset, size_t x_inc, float beta,
                 ac_buf y_buffer, size_t y_offset, size_t y_inc, ac_queue *queue);
AcStatus AcSaxpy(size_t n, float alpha, ac_buf x_buffer, size_t x_offset, size_t x_inc, ac_buf y_buffer,
                 size_t y_offset, size_t y_inc, ac_queue *queue);
AcStatus AcSdot(size_t n, ac_buf dot_buffer, size_t dot_offset, ac_buf x_buffer, size_t x_offset, size_t x_inc,
                ac_buf y_buffer, size_t y_offset, size_t y_inc, ac_queue *queue);
AcStatus AcSsum(size_t n, ac_buf sum_buffer, size_t sum_offset, ac_buf x_buffer, size_t x_offset, size_t x_inc,
                ac_queue *queue);
"""


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, text)
    model = read_headers([path])
    return plan_chip(NewChipRequest("ac", (path,), out=folder), model, match(model, catalogue.OPS))


def test_devices_are_what_queues_and_buffers_are_made_from(tmp_path: Path) -> None:
    objects = planned(tmp_path, OBJECTS + LISTED + MEMORY + GEMV).device.objects
    assert objects is not None
    assert objects.device == "ac_dev"
    assert "if (vendor::acDeviceList(devices, 64, &num_devices) != AcSuccess) num_devices = 0;" in objects.listing


def test_a_runtime_that_lists_nothing_and_needs_nothing_listed_has_one_device(tmp_path: Path) -> None:
    objects = planned(tmp_path, OBJECTS + ALONE + MEMORY + GEMV).device.objects
    assert objects is not None
    assert objects.device == ""
    assert objects.listing == ("add();",)
    assert "vendor::acQueueNew(0, &place.queue)" in " ".join(objects.making)


def test_a_runtime_whose_devices_nothing_lists_is_not_guessed(tmp_path: Path) -> None:
    made = LISTED.replace("AcStatus acDeviceList(ac_dev *devices, uint32_t capacity, uint32_t *count);\n", "")
    assert planned(tmp_path, OBJECTS + made + MEMORY + GEMV).device.objects is None


def test_the_runtime_half_of_a_header_may_report_otherwise(tmp_path: Path) -> None:
    plan = planned(tmp_path, OBJECTS + (ALONE + MEMORY).replace("AcStatus ", "int ") + GEMV)
    assert plan.match.status.ctype == "AcStatus"
    assert plan.device.objects is not None
    assert (plan.device.objects.status.ctype, plan.device.objects.status.success) == ("int", "AcSuccess")


@pytest.mark.parametrize("op", ["aten::mv", "aten::addmv", "aten::add", "aten::dot", "aten::sum"])
def test_yes_transposes_and_the_letter_where_siblings_have_theirs_is_the_element_type(op: str, tmp_path: Path) -> None:
    plan = planned(tmp_path, OBJECTS + LISTED + MEMORY + GEMV)
    found = next(e for e in plan.entries if e.name == op)
    assert found.dtypes == ("float32",)
    kernels = [k for k in plan.kernels if k.op == "aten::mv"]
    assert "AcYes : AcNo" in " ".join(c.statement for c in kernels[0].cases)


def test_a_library_beside_the_runtime_is_set_up_and_shut_down(tmp_path: Path) -> None:
    plan = planned(tmp_path, OBJECTS + ALONE + MEMORY + GEMV + "AcStatus acInit(void);\nvoid acShutdown(void);\n")
    objects = plan.device.objects
    assert objects is not None
    assert objects.starting[0] == "const tfl_status begun = status(vendor::acInit());"
    assert objects.ending == ("vendor::acShutdown();",)
