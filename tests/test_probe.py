"""What the probe concludes from a chip's answers: pure, on chips that are Python functions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe_helpers import FakeChip, entry, spec
from torchfl import catalogue
from torchfl_sdk.probe.cases import candidates, sample_of
from torchfl_sdk.probe.investigate import MOST_DEATHS, investigate, mistaken
from torchfl_sdk.probe.limits import allowed_list, extent_limit, pairwise, within
from torchfl_sdk.probe.question import OUTSIDE, Answer, Question, question_from_json

Shapes = list[tuple[int, ...]]


def x1_conv(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
    """The limits of x1's convolution, which its header does not state."""
    if dtype not in ("float16", "int8"):
        return "UNSUPPORTED"
    fits = (
        all(s in (1, 2, 4) for s in attrs["stride"])
        and all(p in (0, 1, 2) for p in attrs["padding"])
        and all(d == 1 for d in attrs["dilation"])
        and attrs["groups"] in (1, 2, 4)
    )
    return "" if fits else "UNSUPPORTED"


def test_a_convolution_s_limits_are_discovered() -> None:
    chip = FakeChip(x1_conv, store="saturate")
    found = investigate(entry("aten::conv2d", ("float32", "float16", "int8")), spec("aten::conv2d"), chip.ask)
    assert found.settled
    assert found.dtypes == ("float16", "int8")
    assert found.constraints == {
        "stride": [1, 2, 4],
        "padding": [0, 1, 2],
        "dilation": [1],
        "transposed": [False],
        "output_padding": [0],
        "groups": [1, 2, 4],
        "rank": [4],
    }
    assert found.int8_store == "saturate"
    assert found.alarms == ()
    assert any("float32" in text and "so says the chip" in text for text in found.refusals)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({}, False),
        ({"float32": "WRONG"}, True),
        ({"float32": "UNSUPPORTED", "float64": "UNSUPPORTED"}, True),  # a function that the library lacks
        ({"float64": "UNSUPPORTED"}, True),
    ],
)
def test_what_the_header_proves_is_mistaken_where_a_dtype_is_wrong_or_never_served(
    answers: dict[str, str], expected: bool
) -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: answers.get(dtype, ""))
    assert mistaken(entry("aten::exp", ("float32", "float64")), spec("aten::exp"), chip.ask) is expected


def test_some_refusals_are_no_mistake() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "UNSUPPORTED" if len(shapes[0]) > 2 else "")
    assert not mistaken(entry("aten::exp", ("float32",)), spec("aten::exp"), chip.ask)


def test_the_same_chip_gives_the_same_finding() -> None:
    first, second = FakeChip(x1_conv), FakeChip(x1_conv)
    ask = (entry("aten::conv2d", ("float16",)), spec("aten::conv2d"))
    assert investigate(*ask, first.ask) == investigate(*ask, second.ask)
    assert first.questions == second.questions
    assert len({q.key for q in first.questions}) == len(first.questions)


def test_a_value_that_is_accepted_and_computed_wrongly_is_not_declared() -> None:
    def lies(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        return "WRONG" if 3 in attrs["stride"] else x1_conv(dtype, attrs, shapes)

    found = investigate(entry("aten::conv2d", ("float16",)), spec("aten::conv2d"), FakeChip(lies).ask)
    assert found.constraints["stride"] == [1, 2, 4]
    assert any("stride=3" in alarm and "wrong" in alarm for alarm in found.alarms)


def test_a_dtype_that_is_computed_wrongly_is_not_declared() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "WRONG" if dtype == "float16" else "")
    found = investigate(
        entry("aten::add", ("float32", "float16"), constraints={"alpha": [1]}), spec("aten::add"), chip.ask
    )
    assert found.dtypes == ("float32",)
    assert found.constraints == {"alpha": [1]}
    assert any("float16" in alarm for alarm in found.alarms)


@pytest.mark.parametrize("results", [("float32",), ("float16",), ("float16", "float32")])
def test_no_cast_to_its_own_dtype_is_asked_for(results: tuple[str, ...]) -> None:
    """The router makes none; and what is only cast to stays a dtype of the entry, or no cast would be served."""

    def casts(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        return "" if attrs["dtype"] in results and attrs["dtype"] != dtype else "UNSUPPORTED"

    chip = FakeChip(casts)
    dtypes = ("float32", "float16", "int8")
    found = investigate(
        entry("aten::_to_copy", dtypes, constraints={"dtype": list(results)}), spec("aten::_to_copy"), chip.ask
    )
    assert found.settled
    assert set(found.dtypes) == set(dtypes)
    assert set(found.constraints["dtype"]) == set(results)
    assert not any(dict(q.sample.attrs)["dtype"] == q.sample.dtype for q in chip.questions)


def test_no_limit_is_drawn_around_wrong_numbers_at_ordinary_sizes() -> None:
    def drops_tail(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        return (
            "WRONG"
            if dtype == "float16" and shapes[0] and shapes[0][0] % 64 and len(shapes[0]) == 1 and shapes[0][0] > 65
            else ""
        )

    found = investigate(entry("aten::relu", ("float32", "float16")), spec("aten::relu"), FakeChip(drops_tail).ask)
    assert found.dtypes == ("float32",)
    assert found.constraints == {}
    assert any("float16 is not declared" in note for note in found.notes)


def test_sizes_that_are_refused_become_bounds_and_divisors() -> None:
    def blocks(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        (m, k), (_, n) = shapes
        return "" if m % 128 == 0 and n % 128 == 0 and k <= 256 else "INVALID_ARGUMENT"

    found = investigate(entry("aten::mm", ("float32",)), spec("aten::mm"), FakeChip(blocks).ask)
    assert found.settled
    assert found.constraints == {"M": {"multiple_of": 128}, "N": {"multiple_of": 128}, "K": {"max": 256}}


def test_a_rank_limit_is_found() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "UNSUPPORTED" if len(shapes[0]) > 4 else "")
    found = investigate(entry("aten::exp", ("float32",)), spec("aten::exp"), chip.ask)
    assert found.constraints == {"rank": {"max": 4}}


def test_values_that_do_not_combine_are_taken_out() -> None:
    def no_stride_with_groups(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        if max(attrs["stride"]) == 4 and attrs["groups"] == 4:
            return "UNSUPPORTED"
        return x1_conv(dtype, attrs, shapes)

    found = investigate(entry("aten::conv2d", ("float16",)), spec("aten::conv2d"), FakeChip(no_stride_with_groups).ask)
    assert found.settled
    assert not (4 in found.constraints["stride"] and 4 in found.constraints["groups"])
    assert any("fails together" in note for note in found.notes)


def test_unequal_pairs_that_fail_leave_the_entry_unverified() -> None:
    def square_only(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        return "" if attrs["stride"][0] == attrs["stride"][1] else "WRONG"

    found = investigate(entry("aten::conv2d", ("float16",)), spec("aten::conv2d"), FakeChip(square_only).ask)
    assert not found.settled
    assert "stride must be equal in height and width" in found.reason
    assert found.dtypes == ()


def test_a_scalar_that_the_kernel_ignores_is_narrowed() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "" if attrs.get("alpha", 1) == 1 else "WRONG")
    found = investigate(entry("aten::add", ("float32", "int8")), spec("aten::add"), chip.ask)
    assert found.constraints == {"alpha": [1]}
    assert found.int8_store == "wrap"


def test_a_kernel_that_works_for_nothing_stays_unverified_with_its_reason() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "DEVICE_ERROR")
    found = investigate(entry("aten::exp", ("float32",)), spec("aten::exp"), chip.ask)
    assert not found.settled
    assert "float32: error, DEVICE_ERROR: so says the chip" in found.reason
    assert found.alarms


def test_a_crash_costs_its_value_and_many_crashes_the_entry() -> None:
    def fragile(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        return "crash" if 7 in attrs["stride"] else ""

    found = investigate(entry("aten::conv2d", ("float16",)), spec("aten::conv2d"), FakeChip(fragile).ask)
    assert 7 not in found.constraints["stride"]
    assert 6 in found.constraints["stride"]
    assert any("crash" in alarm for alarm in found.alarms)

    chip = FakeChip(lambda dtype, attrs, shapes: "crash" if max(attrs["stride"]) > 1 else "")
    found = investigate(entry("aten::conv2d", ("float16",)), spec("aten::conv2d"), chip.ask)
    assert not found.settled
    assert found.reason == f"the kernel brought {MOST_DEATHS} workers down"


def test_declared_limits_of_an_unverified_entry_are_not_widened() -> None:
    chip = FakeChip(x1_conv)
    asked = entry("aten::conv2d", ("float16",), constraints={"stride": [1, 2, 3], "kernel_size": [3]})
    found = investigate(asked, spec("aten::conv2d"), chip.ask)
    assert found.constraints["stride"] == [1, 2]
    assert found.constraints["kernel_size"] == [3]


@pytest.mark.parametrize("op", catalogue.OPS, ids=lambda op: op.name)
def test_a_chip_without_limits_gets_none(op: catalogue.OpSpec) -> None:
    layout = "matrix" if op.shape_rule in ("mm", "addmm") else "contiguous"
    chip = FakeChip(lambda dtype, attrs, shapes: "")
    dtype = "float16" if "float16" in op.dtypes else "int16"
    found = investigate(entry(op.name, (dtype,), layout=layout), op, chip.ask)
    assert (found.settled, found.dtypes, found.alarms, found.notes) == (True, (dtype,), (), ())
    assert (found.layout, found.alignment) == (layout, 1)
    # Only what cannot be asked is closed off.
    assert set(found.constraints) <= {"transposed", "output_padding", "rank", "half_to_float"}


subsets = st.sets(st.sampled_from((1, 2, 3, 4)))


@settings(max_examples=15, deadline=None)
@given(subsets, subsets, subsets, st.sampled_from(("UNSUPPORTED", "INVALID_ARGUMENT", "WRONG", "DEVICE_ERROR")))
def test_nothing_is_declared_that_the_chip_does_not_do(
    strides: set[int], paddings: set[int], groups: set[int], otherwise: str
) -> None:
    def rule(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        good = set(attrs["stride"]) <= strides and set(attrs["padding"]) <= {0, *paddings}
        return "" if good and attrs["groups"] in {1, *groups} else otherwise

    asked = entry("aten::conv2d", ("float16",), constraints={"dilation": [1], "kernel_size": [1, 3]})
    found = investigate(asked, spec("aten::conv2d"), FakeChip(rule).ask)
    assert found.settled == (1 in strides)
    if found.settled:
        assert found.constraints["stride"] == sorted(strides)
        assert found.constraints["padding"] == sorted({0, *paddings})
        assert found.constraints["groups"] == sorted({1, *groups})


def test_in_place_is_asked_where_the_entry_claims_it() -> None:
    def anything(dtype: str, attrs: dict[str, Any], shapes: Shapes) -> str:
        return ""

    claims = entry("aten::exp", ("float32",), inplace=True)
    assert investigate(claims, spec("aten::exp"), FakeChip(anything).ask).inplace
    found = investigate(claims, spec("aten::exp"), FakeChip(anything, inplace=False).ask)
    assert not found.inplace
    assert found.settled
    chip = FakeChip(anything)
    assert not investigate(entry("aten::exp", ("float32",)), spec("aten::exp"), chip.ask).inplace
    assert all(q.form == "forward" for q in chip.questions)


def test_alignment_is_found() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "", alignment=16)
    found = investigate(entry("aten::exp", ("float32", "float16")), spec("aten::exp"), chip.ask)
    assert found.alignment == 16
    assert found.settled


@pytest.mark.parametrize("op", ["aten::embedding", "aten::index_select", "aten::gather", "aten::scatter"])
@pytest.mark.parametrize(
    ("refuses", "checks"), [(OUTSIDE, True), (("beyond",), False), (("negative",), False), ((), False)]
)
def test_a_kernel_checks_its_index_where_it_refuses_what_is_outside(
    op: str, refuses: tuple[str, ...], checks: bool
) -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "", refuses=refuses)
    found = investigate(entry(op, ("float32", "int8")), spec(op), chip.ask)
    assert (found.settled, found.checks_index, found.alarms) == (True, checks, ())
    assert [q.form in OUTSIDE for q in chip.questions][-1]  # after everything that its memory could spoil


def test_no_other_op_is_asked_about_an_index() -> None:
    chip = FakeChip(lambda dtype, attrs, shapes: "", refuses=OUTSIDE)
    found = investigate(entry("aten::argmax", ("float32",)), spec("aten::argmax"), chip.ask)
    assert (found.settled, found.checks_index) == (True, False)
    assert not any(q.form in OUTSIDE for q in chip.questions)


def test_mixed_int8_stores_are_not_declared() -> None:
    class Mixed(FakeChip):
        def ask(self, question: Question) -> Any:
            self.store = "wrap" if "ordinary" in question.sample.label else "saturate"
            return super().ask(question)

    found = investigate(entry("aten::mul", ("float32", "int8")), spec("aten::mul"), Mixed(lambda *_: "").ask)
    assert found.dtypes in (("float32",), ("float32", "int8"))
    if "int8" in found.dtypes:
        assert found.int8_store == "saturate"  # the ordinary sample did not overflow


@pytest.mark.parametrize(
    ("accepted", "refused", "expected"),
    [
        ([1, 2, 3], [], None),
        ([1, 2, 4], [8, 16], {"max": 4}),
        ([4, 8], [1, 2], {"min": 4}),
        ([128, 256, 512], [1, 64, 65, 127, 129, 255], {"multiple_of": 128}),
        ([128, 256, 512], [1, 129, 1024], {"max": 512, "multiple_of": 128}),
        ([256, 512, 1024], [1, 128, 257], {"multiple_of": 256}),
        ([384, 512, 640], [128, 256, 500], {"min": 384, "multiple_of": 128}),
        ([2, 4], [3], [2, 4]),
        ([1, 3, 4], [2], [1, 3, 4]),
        ([], [1], []),
    ],
)
def test_extent_limits(accepted: list[int], refused: list[int], expected: Any) -> None:
    limit = extent_limit(accepted, refused)
    assert limit == expected
    assert all(within(limit, value) for value in accepted)
    assert not any(within(limit, value) for value in refused)


def test_allowed_lists() -> None:
    assert allowed_list([1, 2], []) is None
    assert allowed_list([4, 1, 2], [3]) == [1, 2, 4]
    assert within([False], False)
    assert not within([0], False)


def test_pairwise_meets_every_pair_in_few_rows() -> None:
    values = {"a": [1, 2, 4], "b": [0, 1, 2], "c": [1, 2], "d": [1]}
    rows = pairwise(values)
    for x, xs in values.items():
        for y, ys in values.items():
            if x < y:
                assert all(any(row[x] == p and row[y] == q for row in rows) for p in xs for q in ys)
    assert len(rows) <= 12
    assert rows == pairwise(values)
    assert pairwise({}) == pairwise({"a": [1, 2]}) == []


def test_samples_have_the_values_they_are_named_for() -> None:
    conv = spec("aten::conv2d")
    sample = sample_of(conv, "float16", {"stride": (2, 1), "groups": 3, "kernel_size": 16, "dilation": 2}, 0)
    assert sample is not None
    attrs = dict(sample.attrs)
    assert attrs["stride"] == (2, 1)
    assert attrs["groups"] == 3
    image, weight, _ = sample.inputs
    assert image is not None
    assert weight is not None
    assert image.shape[1] % 3 == weight.shape[0] % 3 == 0
    assert weight.shape[1] == image.shape[1] // 3
    assert weight.shape[2:] == (16, 16)
    assert min(image.shape[2:]) > 2 * 15 + 1
    assert sample_of(conv, "float16", {"transposed": True}, 0) is None
    assert sample_of(conv, "float16", {"stride": 0}, 0) is None
    assert candidates(conv, "stride", {"max": 3}) == [1, 2, 3]
    assert candidates(conv, "stride", [2, 9]) == [2, 9]


@pytest.mark.parametrize("rank", [1, 3])
def test_a_sample_of_a_rank_keeps_the_second_operand_one_number(rank: int) -> None:
    sample = sample_of(spec("aten::mul"), "float32", {"rank": rank, "second_numel": 1}, 0)
    assert sample is not None
    assert sample.inputs[0] is not None
    assert sample.inputs[1] is not None
    assert len(sample.inputs[0].shape) == rank
    assert sample.inputs[1].numel == 1


def test_questions_survive_json() -> None:
    import json

    sample = sample_of(spec("aten::conv2d"), "int8", {"padding": (1, 2)}, 3)
    assert sample is not None
    question = Question("k", sample, "inplace", 4, 3)
    again = question_from_json(json.loads(json.dumps(question.to_json())))
    assert again == question
    assert again.key == question.key
    assert "padding=1x2 inplace 4 elements into its memory 3 elements between rows" in str(question)


def test_images_that_are_right_nhwc_alone_are_asked_so() -> None:
    """The header does not say how images lie: NCHW is wrong, NHWC is right, and the layout is what is found."""
    chip = FakeChip(lambda dtype, attrs, shapes: "")

    def ask(question: Question) -> Answer:
        if not question.channels_last:
            return Answer("wrong", "of another order")
        return chip.ask(question)

    found = investigate(entry("aten::avg_pool2d", ("float32",)), spec("aten::avg_pool2d"), ask)
    assert (found.settled, found.layout, found.dtypes) == (True, "channels_last", ("float32",))
    assert not found.alarms
    stubborn = investigate(
        entry("aten::avg_pool2d", ("float32",)), spec("aten::avg_pool2d"), lambda q: Answer("wrong", "whatever")
    )
    assert (stubborn.settled, stubborn.layout) == (False, "contiguous")
    assert stubborn.alarms


def test_int8_kernels_with_a_zero_point_are_given_bytes() -> None:
    asked: list[Question] = []
    chip = FakeChip(lambda dtype, attrs, shapes: "")

    def ask(question: Question) -> Answer:
        asked.append(question)
        return chip.ask(question)

    assert investigate(entry("aten::relu", ("int8",), int8_zero_point=128), spec("aten::relu"), ask).settled
    assert asked
    assert all(q.shifted for q in asked)
    assert question_from_json(asked[0].to_json()) == asked[0]
