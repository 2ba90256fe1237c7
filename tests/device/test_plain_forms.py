"""An SDK of plain pointers in forms that PyTorch has otherwise: structs of sizes beside operands, numbers in a tensor's
place, one row of bias, casts named by both types, arrays of addresses, places of 32 bits, masks of numbers. From the
header through new-chip, build, probe and gate with no line by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers import Project, Sdk, passes_gate
from object_sdk_helpers import Sim, SmallCall, compile_sdk, header_to_chip, leaves_nothing, wrapper
from torchfl.profile import load_profile

pytestmark = pytest.mark.device
OPS = {
    "_to_copy", "add", "addmm", "argmax", "argmin", "avg_pool2d", "bmm", "cat", "clamp", "conv2d", "cumsum", "div",
    "eq", "floor", "gelu", "gt", "leaky_relu", "lt", "max.dim", "max_pool2d", "mm", "mul", "permute_copy", "pow",
    "relu", "scaled_dot_product_attention", "sub", "sum", "where",
}  # fmt: skip


@pytest.fixture(scope="module")
def sdk(shared: Path) -> Sdk:
    return compile_sdk("harrier", shared / "harrier_sdk")


@pytest.fixture(scope="module")
def project(shared: Path, sdk: Sdk) -> Project:
    return header_to_chip(shared, "plain_forms", "harrier", sdk)


def test_the_probe_settles_every_op(project: Project) -> None:
    profile = load_profile(project.profile)
    found = {e.name.removeprefix("aten::"): e for e in profile.ops if e.routes}
    assert set(found) == OPS
    casts = found["_to_copy"]
    assert set(casts.dtype_support) == {"float16", "float32", "int8"}  # int8 to float16 by way of float32
    assert [set(c.allowed or ()) for c in casts.constraints if c.variable == "dtype"] == [{"float16", "float32"}]


def test_casts_to_one_type_alone(tmp_path: Path) -> None:
    """What is only cast to stands among the entry's dtypes, or no cast would be served."""
    declared = "HrrResult hrrCastF16ToF32(float *dst, const HrrHalf *src, uint32_t count);\n"
    one_way = compile_sdk("harrier", tmp_path / "sdk", lambda text: text.replace(declared, ""))
    project = header_to_chip(tmp_path, "one_way", "harrier", one_way)
    casts = next(e for e in load_profile(project.profile).ops if e.name == "aten::_to_copy")
    assert casts.routes
    assert set(casts.dtype_support) == {"float16", "float32", "int8"}
    assert [c.allowed for c in casts.constraints if c.variable == "dtype"] == [("float16",)]


def test_gate_passes_with_no_line_by_hand(project: Project) -> None:
    passes_gate(project, OPS)


def test_a_layer_runs_natively_whatever_is_added_to_it(project: Project) -> None:
    """The vendor adds one row; other addends are one call for each row, and weights in the other order are turned."""
    program = f"""
import torch, torchfl
torchfl.init([{str(project.directory)!r}])
torch.manual_seed(0)
x, w = torch.randn(6, 5), torch.randn(4, 5)
with torch.no_grad():
    for bias in (torch.randn(4), torch.randn(6, 4), torch.randn(6, 1), torch.randn(1), torch.randn(1, 4)):
        for weight, left in ((w.t(), x), (w.t().contiguous(), x), (w.t(), x.t().contiguous().t()), (w.t(), x[::2])):
            if bias.dim() == 2 and bias.size(0) not in (1, left.size(0)):
                continue
            want = torch.addmm(bias, left, weight)
            got = torch.addmm(bias.to("xpu"), left.to("xpu"), weight.to("xpu")).cpu()
            torch.testing.assert_close(got, want)
    torch.testing.assert_close(torch.nn.functional.linear(x.to("xpu"), w.to("xpu")).cpu(), x @ w.t())
    for number in (2, -0.5):
        torch.testing.assert_close((x.to("xpu") - number).cpu(), x - number)
        torch.testing.assert_close(torch.add(x.to("xpu"), number, alpha=3).cpu(), torch.add(x, number, alpha=3))
print(sorted(name for name, op in torchfl.counters().items() if op.cpu or op.declined))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def _calls() -> dict[str, SmallCall]:
    rng = np.random.default_rng(0)

    def made(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    x, number = made(2, 3, 4), made()
    return {
        "add": ([x, number], np.zeros_like(x), [1]),
        "addmm": ([made(3, 4), made(3, 5), made(5, 4)], np.zeros((3, 4), np.float32), [1, 1]),
        "argmax": ([x], np.zeros((2, 4), np.int64), [1, False]),
        "bmm": ([made(2, 3, 5), made(2, 5, 4)], np.zeros((2, 3, 4), np.float32), []),
        "cat": ([x, made(2, 5, 4)], np.zeros((2, 8, 4), np.float32), [1]),
        "gt": ([x, -x], np.zeros(x.shape, bool), []),
        "mm": ([made(3, 5), made(5, 4)], np.zeros((3, 4), np.float32), []),
        "relu": ([x], np.zeros_like(x), []),
        "permute_copy": ([made(3, 5)], np.zeros((5, 3), np.float32), [[1, 0]]),
        "where": ([x > 0, x, -x], np.zeros_like(x), []),
    }


def test_nothing_stays_alive_whichever_vendor_call_fails(project: Project, sdk: Sdk) -> None:
    beside = leaves_nothing(wrapper(project, "harrier", sdk), Sim(sdk), _calls(), "DEVICE_ERROR")
    assert beside == {"alloc", "copy_h2d", "copy_d2h"}
