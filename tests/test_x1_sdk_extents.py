"""x1's functions beyond element by element against PyTorch's, and what they refuse."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import torch

import x1_helpers as helpers
from x1_extents import Call, Out, calls, run
from x1_helpers import DTYPES, INVALID_VALUE, UNSUPPORTED

CASES = [(dtype, call) for dtype in DTYPES for call in calls(dtype)]


@pytest.mark.parametrize(("dtype", "call"), CASES, ids=[f"{c.function}-{d}-{i}" for i, (d, c) in enumerate(CASES)])
def test_a_function_computes_what_pytorch_does(dtype: str, call: Call) -> None:
    with helpers.load().running() as x1:
        results = run(x1, call)
    expected = call.reference()
    assert len(results) == len(expected)
    tolerance = 2e-3 if any(r.dtype == np.float16 for r in results) or dtype == "float16" else 3e-6
    for got, want in zip(results, expected, strict=True):
        torch.testing.assert_close(
            torch.from_numpy(got).to(torch.float64),
            want.to(torch.float64),
            rtol=tolerance,
            atol=tolerance,
            check_stride=False,
        )


def test_what_the_board_refuses() -> None:
    with helpers.load().running() as x1:
        data, index = x1.upload(np.zeros(64, "float32")), x1.upload(np.array([0, 5], "int64"))
        pointer, size, whole = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        of = [pointer(data), pointer(index), pointer(data + 128)]
        assert x1.x1_index_select(*of, size(1), size(5), size(1), size(2), whole(0)) == INVALID_VALUE
        assert x1.error == "x1_index_select: index 5 of 5"
        assert x1.x1_reduce_sum(of[0], of[2], size(2), size(0), size(1), whole(0)) == INVALID_VALUE
        assert x1.x1_reduce_sum(of[0], of[2], size(2), size(3), size(1), whole(DTYPES["int8"])) == UNSUPPORTED
        assert x1.x1_softmax(of[0], of[0], size(2), size(3), size(1), whole(0)) == INVALID_VALUE
        assert x1.error == "x1_softmax: out overlaps in"
        assert x1.x1_cast(of[0], whole(0), of[2], whole(DTYPES["int8"]), size(4)) == UNSUPPORTED
        assert x1.x1_permute(of[0], of[2], whole(2), (whole * 2)(2, 3), (whole * 2)(0, 0), whole(0)) == INVALID_VALUE
        x1.free(data, index)
    assert Out((1,), "int64").shape == (1,)
