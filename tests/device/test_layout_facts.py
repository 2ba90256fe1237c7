"""A chip whose header says NHWC alone, sizes in multiples, aligned memory and bytes with a zero point: from the header
through new-chip, build, probe and gate with no line by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

import torchfl
from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, compile_sdk, header_to_chip, leaves_nothing, wrapper
from router_helpers import counts, whole
from torchfl.profile import Profile, load_profile

pytestmark = pytest.mark.device
OPS = {"add", "avg_pool2d", "bmm", "conv2d", "maximum", "mm", "mul", "relu"}


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("heron", shared / "heron_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "facts", "heron", sdk)


@pytest.fixture(scope="module")
def profile(project: Project) -> Profile:
    return load_profile(project.profile)


@pytest.fixture
def dev(project: Project) -> Iterator[torch.device]:
    """torchfl with this chip alone."""
    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    torchfl.init([project.directory])
    torchfl.reset_counters()
    torch.manual_seed(0)
    yield torchfl.device(project.selector)
    torchfl.shutdown()
    if before is not None:
        torchfl.init(before)


def test_the_probe_settles_every_op_and_keeps_what_the_header_says(profile: Profile) -> None:
    assert {e.name.removeprefix("aten::") for e in profile.ops if e.routes} == OPS
    conv, pool, mm, relu, add = (profile.op(f"aten::{n}") for n in ("conv2d", "avg_pool2d", "mm", "relu", "add"))
    for image in (conv, pool):
        assert (image.layout, image.alignment, image.dtype_support) == ("channels_last", 64, ("float32",))
    assert {c.variable: c.multiple_of for c in conv.constraints if c.multiple_of} == {
        "in_channels": 8,
        "out_channels": 8,
    }
    assert all(e.pad for e in (conv, mm, relu))
    assert next(c.allowed for c in conv.constraints if c.variable == "groups") == (1,)
    assert (add.dtype_support, add.int8_zero_point, profile.numerics.int8_store) == (("int8",), 128, "saturate")


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_nothing_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    rng = np.random.default_rng(0)

    def made(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    def image(*shape: int) -> np.ndarray:
        n, c, h, w = shape
        return made(n, h, w, c).transpose(0, 3, 1, 2)

    x = made(2, 32)
    calls = {
        "conv2d": ([image(1, 8, 4, 4), image(8, 8, 3, 3), made(8)], image(1, 8, 2, 2), [1, 0, 1, False, 0, 1]),
        "avg_pool2d": ([image(1, 8, 4, 4)], image(1, 8, 2, 2), [[2, 2], [2, 2], [0, 0], False, True, None]),
        "bmm": ([made(2, 16, 16), made(2, 16, 32)], made(2, 16, 32), []),
        "mm": ([made(16, 16), made(16, 32)], made(16, 32), []),
        "mul": ([x, made(2, 32)], np.zeros_like(x), []),
        "relu": ([x], np.zeros_like(x), []),
    }
    beside = leaves_nothing(wrapper(project, "heron", sdk), Sim(sdk), calls)
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}


def test_nchw_code_of_any_size_runs_on_the_chip(dev: torch.device) -> None:
    x, w, b, m = whole(2, 3, 9, 7), whole(5, 3, 3, 3), whole(5), whole(20, 6)

    def net(x, w, b, m):
        y = functional.relu(functional.avg_pool2d(functional.conv2d(x, w, b, padding=1), 2))
        return y.flatten(2).sum(-1) @ m[:5]

    with torch.no_grad():
        found = net(x.to(dev), w.to(dev), b.to(dev), m.to(dev))
    torch.testing.assert_close(found.cpu(), net(x, w, b, m))
    for op in ("aten::convolution_overrideable", "aten::avg_pool2d", "aten::relu", "aten::mm"):
        assert counts(op)["native"] == 1, op


def test_int8_is_computed_in_bytes_with_a_zero_point(dev: torch.device) -> None:
    a, b = torch.tensor([-128, -1, 0, 100], dtype=torch.int8), torch.tensor([-1, 1, 0, 100], dtype=torch.int8)
    assert (a.to(dev) + b.to(dev)).cpu().tolist() == [-128, 0, 0, 127]  # saturated, as the profile says
    assert torch.maximum(a.to(dev), b.to(dev)).cpu().tolist() == [-1, 1, 0, 100]
    assert counts("aten::add.Tensor") == {"native": 1, "adapted": 1}
