"""Arguments that stand for a tensor's memory or a number and are no pointers to its elements, or no numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.match.standins import named_twice
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.kernel_plan import Kernel
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip

CARD = """
typedef struct acme_card *acme_card_t;
typedef unsigned long long acme_devaddr_t;
typedef int acme_rc;
acme_rc acme_card_request(acme_card_t *card, int index);
void acme_card_free(acme_card_t card);
acme_rc acme_malloc_device(acme_card_t card, acme_devaddr_t *address, unsigned long long size);
void acme_free_device(acme_card_t card, acme_devaddr_t address);
acme_rc acme_memcpy_h2d(acme_card_t card, acme_devaddr_t dst, void *src, unsigned long long size);
acme_rc acme_memcpy_d2h(acme_card_t card, void *dst, acme_devaddr_t src, unsigned long long size);
acme_rc acme_memcpy_d2d(acme_card_t card, acme_devaddr_t dst, unsigned dst_offset, acme_devaddr_t src,
                        unsigned src_offset, unsigned long long size);
"""
ADD = "acme_rc acme_add(acme_card_t card, acme_devaddr_t a, acme_devaddr_t b, acme_devaddr_t out, int n);\n"


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, text)
    model = read_headers([path])
    return plan_chip(NewChipRequest("acme", (path,), out=folder), model, match(model, catalogue.OPS))


def kernel(plan: ChipPlan, op: str) -> Kernel:
    found = [k for k in plan.kernels if k.op == f"aten::{op}" and k.template != "skeleton"]
    assert len(found) == 1, [(u.function, u.reason) for u in plan.unbound]
    return found[0]


def test_addresses_in_integers_are_memory_of_an_opened_card(tmp_path: Path) -> None:
    plan = planned(tmp_path, CARD + ADD)
    bodies = {f.slot: " ".join(f.body) for f in plan.device.functions}
    assert plan.device.opened is not None
    assert plan.device.opened.key == "acme_card"
    assert "acme_devaddr_t made = 0;" in bodies["alloc"]
    assert "*handle = reinterpret_cast<void*>(static_cast<uintptr_t>(made));" in bodies["alloc"]
    assert "static_cast<acme_devaddr_t>(reinterpret_cast<uintptr_t>(handle))" in bodies["free"]
    at = "static_cast<acme_devaddr_t>(reinterpret_cast<uintptr_t>(static_cast<char*>(dst) + dst_offset))"
    assert at in " ".join(bodies["copy_h2d"].split())
    assert bodies["copy_d2d"].split().count("0,") == 2  # the offsets are in the addresses
    assert "static_cast<acme_devaddr_t>(reinterpret_cast<uintptr_t>(torchfl::data(self)))" in " ".join(
        kernel(plan, "add").cases[0].statement.split()
    )


def test_an_element_type_that_nothing_says_is_tried_as_float32(tmp_path: Path) -> None:
    plan = planned(tmp_path, CARD + ADD)
    entry = next(e for e in plan.entries if e.name == "aten::add")
    assert entry.dtypes == ("float32",)
    assert "nothing says the element type: float32 is tried" in entry.evidence


def test_a_switch_of_a_further_op_is_off_and_a_flag_says_that_the_bias_is_there(tmp_path: Path) -> None:
    conv = """
acme_rc acme_conv2d(acme_card_t card, acme_devaddr_t input, acme_devaddr_t weight, acme_devaddr_t bias,
                    acme_devaddr_t output, int input_n, int input_c, int input_h, int input_w, int groups, int output_c,
                    int kh, int kw, int dh, int dw, int pad_h, int pad_w, int stride_h, int stride_w, int using_bias,
                    int if_relu);
acme_rc acme_softmax(acme_card_t card, acme_devaddr_t in, acme_devaddr_t out, int outer, int axis_len, int inner,
                     int log);
"""
    plan = planned(tmp_path, CARD + conv)
    text = " ".join(kernel(plan, "conv2d").cases[0].statement.split())
    assert text.endswith("torchfl::present(bias) ? 1 : 0, 0));")
    assert "torchfl::present(bias) ? static_cast<acme_devaddr_t>(" in text
    assert kernel(plan, "softmax").cases[0].statement.rstrip().endswith("0));")


def test_a_pointer_behind_a_name_is_a_tensor_where_nothing_makes_such_objects(tmp_path: Path) -> None:
    relu = """
typedef void *acme_handle;
void acme_relu_f32(acme_handle out, const acme_handle in, int size, const acme_handle params);
"""
    plan = planned(tmp_path, relu)
    statement = kernel(plan, "relu").cases[0].statement
    assert "vendor::acme_relu_f32(torchfl::data(out), torchfl::data(self), " in statement
    assert "nullptr);" in statement
    made = "acme_handle acme_handle_create(void);\n"
    assert not [k for k in planned(tmp_path / "made", relu + made).kernels if k.template != "skeleton"]


@pytest.mark.parametrize(("comment", "first"), [("C[n] = A[n] - B[n]", "other"), ("C[n] = B[n] - A[n]", "self")])
def test_steps_behind_pointers_are_one_and_marks_of_names_do_not_hide_the_order(
    comment: str, first: str, tmp_path: Path
) -> None:
    text = f"""
/* {comment} */
void acme_vsub(const float *__B, long __IB, const float *__A, long __IA, float *__C, long __IC, unsigned long __N);
void acme_vsqrt(float *__C, const float *__A, const int *__N);
"""
    plan = planned(tmp_path, text)
    sub = " ".join(kernel(plan, "sub").cases[0].statement.split())
    assert f"vendor::acme_vsub( torchfl::data<const float>({first}), 1, torchfl::data<const float>(" in sub
    assert "torchfl::data<float>(out), 1, " in sub
    root = " ".join(kernel(plan, "sqrt").cases[0].statement.split())
    assert root.startswith("vendor::acme_vsqrt(")
    assert "torchfl::ByAddress<int>{static_cast<int>(out.numel)}" in root


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("relu_if32of32", "float32"), ("relu_is8os8", "int8"), ("relu_is8of32", ""), ("relu_info32", "")],
)
def test_element_types_that_a_name_says_twice(name: str, dtype: str) -> None:
    assert named_twice(name) == dtype
