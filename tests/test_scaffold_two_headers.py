"""A library of ops and the runtime below it: two headers, each with its own status type, one chip."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from build_helpers import Chip, load_chip
from header_helpers import matched
from torchfl.profile import load_profile
from torchfl_sdk.build import build_project
from torchfl_sdk.scaffold import NewChipRequest, new_chip

DATA = Path(__file__).parent / "build_data" / "pair"


@pytest.fixture(scope="module", params=[("ridge_ops.h", "ridge_rt.h"), ("ridge_rt.h", "ridge_ops.h")])
def ridge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Chip]:
    parent = tmp_path_factory.mktemp("ridge")
    library = parent / "libridge.so"
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, DATA / "ridge.c", "-lm"], check=True)
    headers = tuple(DATA / name for name in request.param)
    project = new_chip(NewChipRequest("ridge", headers, (DATA,), lib=library, out=parent)).project
    build_project(project, jobs=2)
    return project, load_chip(project, "ridge", library)


def kernel(project: Path, op: str) -> str:
    entry = load_profile(project / "ridge_device.yaml").op(f"aten::{op}")
    assert entry is not None
    return entry.impl


def test_ops_compute_on_memory_of_the_other_headers_runtime(ridge: tuple[Path, Chip]) -> None:
    project, chip = ridge
    a, b = np.arange(1, 5, dtype=np.float32), np.full(4, 3, np.float32)
    np.testing.assert_array_equal(chip.run(kernel(project, "add"), [a, b], np.empty_like(a), [1]), a + b)
    np.testing.assert_array_equal(chip.run(kernel(project, "sub"), [a, b], np.empty_like(a), [1]), a - b)
    np.testing.assert_array_equal(chip.run(kernel(project, "sqrt"), [a * a], np.empty_like(a)), a)
    assert load_profile(project / "ridge_device.yaml").memory.mode == "separate"


def test_a_status_means_what_its_own_type_says(ridge: tuple[Path, Chip]) -> None:
    """3 is missing memory to the runtime and a missing kernel to the ops."""
    project, chip = ridge
    many = np.zeros(2000, np.float32)
    with pytest.raises(RuntimeError, match="UNSUPPORTED: RIDGE_OPS_NOT_SUPPORTED") as caught:
        chip.run(kernel(project, "exp"), [many], np.empty_like(many))
    assert "the runtime" not in str(caught.value)


def test_the_runtimes_errors_have_the_runtimes_text(ridge: tuple[Path, Chip]) -> None:
    project, _ = ridge
    source = (project / "src" / "ridge_device.gen.cpp").read_text()
    own = source[source.index("tfl_status status(ridgeRtError_t result)") :].split("\n}\n")[0]
    other = source[source.index("tfl_status status(ridgeOpsStatus_t result)") :].split("\n}\n")[0]
    assert "vendor::ridgeGetErrorString(static_cast<ridgeRtError_t>(result))" in own
    assert "ridgeGetErrorString" not in other


_ALONE = """
    #include <stddef.h>
    typedef enum { ACME_OK = 0, ACME_BAD_PARAM = 1 } acme_status;
    typedef struct acme_queue_state *acme_queue;
    acme_status acme_set_queue(acme_queue queue);
    acme_status acme_get_queue(acme_queue *queue);
    acme_status acme_add_f32(const float *a, const float *b, float *out, size_t n);
"""


def test_ops_that_run_on_a_queue_of_another_header_are_no_library_of_host_memory(tmp_path: Path) -> None:
    found = matched(tmp_path, _ALONE)
    assert found.memory == "device"
    assert any("acme_queue" in question for question in found.questions)


def test_a_queue_of_the_librarys_own_says_nothing_about_memory(tmp_path: Path) -> None:
    found = matched(tmp_path, f"{_ALONE}acme_status acme_queue_create(acme_queue *queue);")
    assert found.memory == "host"
