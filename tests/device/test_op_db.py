"""A sample of PyTorch's own op database on the device, forward and in place, equal to the CPU."""

from __future__ import annotations

import random
import re
import warnings

import pytest
import torch

import torchfl
from core_helpers import only_fixture_chip
from op_db_helpers import EXPECTED, UNDEFINED, compare, op_db, op_infos, samples, tolerance_of

pytestmark = pytest.mark.device
SEED, OPS, SAMPLES = 20, 60, 6
CHOSEN = random.Random(SEED).sample(op_infos(), OPS)


@pytest.fixture(scope="module")
def dev():
    with only_fixture_chip():
        yield torchfl.device("xpu:fx")


@pytest.mark.parametrize("op", CHOSEN, ids=[f"{op.name}-{op.variant_test_name}".rstrip("-") for op in CHOSEN])
def test_equals_the_cpu(dev, op):
    ran = 0
    differences = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the samples themselves provoke, alike on both sides
        for sample in samples(op, SAMPLES):
            for function in filter(None, (op.op, op.inplace_variant)):
                ran += 1
                difference = compare(function, sample, dev, tolerance_of(op))
                if difference:
                    differences.append(f"{function.__name__}({sample}): {difference}")
    assert ran
    assert not differences, "\n".join(differences)


def test_the_exceptions_are_still_ops():
    names = {op.name for op in op_db}
    assert set(EXPECTED) | UNDEFINED <= names


def test_compare_can_fail(dev):
    """A wrong value, dtype, stride, aliasing and a wrong error are each seen."""
    from torch.testing._internal.opinfo.core import SampleInput

    sample = SampleInput(torch.arange(6.0).reshape(2, 3))

    def on_device_only(wrong):
        return lambda t: wrong(t) if t.device.type == "xpu" else t.sin()

    def fail(t):
        raise RuntimeError("no")

    for wrong, text in (
        (lambda t: t.cos(), "values"),
        (lambda t: t.sin().double(), "float64"),
        (lambda t: t.sin().t().contiguous().t(), "strides"),
        (lambda t: t.sin_(), "values|aliasing"),
        (lambda t: t.sin().cpu(), "result on cpu"),
        (fail, "raised no"),
    ):
        assert re.search(text, compare(on_device_only(wrong), sample, dev, {}))
    assert compare(torch.sin, sample, dev, {}) == ""
