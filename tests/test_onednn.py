"""Primitives over memory objects: oneDNN from its own dnnl.h; no kernel by hand, few lines of profile. In its second
version descriptions of tensors and of ops are structs of the caller, in its third they are objects."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import ROOT, Project, Sdk, succeed, torchfl

pytestmark = pytest.mark.sdk

REVIEWED = ROOT / "chips" / "onednn" / "reviewed.yaml"
#: Lines that a person adds; docs/headers.md quotes the number.
BY_HAND = 14
#: What the probe finds right in float32 as oneDNN computes it. relu, maximum and minimum drop NaN: int8 alone.
FLOAT = {
    "abs", "add", "addmm", "batch_norm", "bmm", "conv2d", "div", "eq", "hardswish", "layer_norm", "le",
    "lt", "max_pool2d", "mm", "mul", "ne", "sigmoid", "silu", "softmax", "sqrt", "sub", "tanh", "vector_norm",
}  # fmt: skip
GENERATED = FLOAT | {"ge", "gt", "elu", "exp", "log", "log_softmax", "maximum", "minimum", "relu"}

MODEL = """
import json, sys
import torch, torchfl
torchfl.init([sys.argv[1]])
torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, stride=2, padding=1), torch.nn.BatchNorm2d(8), torch.nn.SiLU(),
    torch.nn.Conv2d(8, 4, 3), torch.nn.Sigmoid(), torch.nn.MaxPool2d(2, 1), torch.nn.Flatten(),
    torch.nn.Linear(4 * 2 * 2, 6), torch.nn.LayerNorm(6), torch.nn.Softmax(dim=-1),
).requires_grad_(False).eval()
x = torch.randn(2, 3, 10, 10)
right = model(x)
torchfl.reset_counters()
found = model.to("xpu")(x.to("xpu")).cpu()
counted = {name: (c.native, c.cpu) for name, c in torchfl.counters().items() if c.native or c.cpu}
print(json.dumps({"error": (found - right).abs().max().item(), "counted": counted}))
"""


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Its threads would spin beside the suite's on small machines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="module", params=["onednn_sdk", "onednn2_sdk"])
def onednn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project that new-chip makes from dnnl.h, built and probed, and the reviewed profile beside it."""
    onednn_sdk: Sdk = request.getfixturevalue(request.param)
    parent = tmp_path_factory.mktemp("chips")
    succeed("new-chip", "onednn", "--header", onednn_sdk.header, "--lib", onednn_sdk.library, cwd=parent)
    succeed(parent / "onednn", program="torchfl-build")
    probed = torchfl("probe", "--device", "xpu:onednn", "--write", "--chip-dir", parent / "onednn", cwd=parent)
    assert probed.returncode == 1, probed.stdout + probed.stderr  # some ops have no dtype whose numbers are right
    generated = (parent / "onednn" / "onednn_device.yaml").read_text(encoding="utf-8")
    reviewed = parent / "onednn-cpu" / "onednn-cpu_device.yaml"
    reviewed.parent.mkdir()
    # A removal of what was not generated would be an error: which ops are depends on the catalogue.
    removed = re.compile(r"name: (aten::\w+), remove:")
    lines = REVIEWED.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [x for x in lines if not (found := removed.search(x)) or f"name: {found[1]}\n" in generated]
    reviewed.write_text("".join(kept), encoding="utf-8")
    return Project(reviewed.parent, "xpu:onednn-cpu", reviewed)


def test_every_kernel_is_generated_and_the_lines_by_hand_are_counted(onednn: Project) -> None:
    from torchfl.profile import load_profile

    generated = load_profile(onednn.directory.parent / "onednn" / "onednn_device.yaml")
    assert {op.name.removeprefix("aten::") for op in generated.ops} >= GENERATED
    written = [line for line in REVIEWED.read_text(encoding="utf-8").splitlines() if line.split("#")[0].strip()]
    assert len(written) == BY_HAND
    assert f"{BY_HAND} lines" in (ROOT / "docs" / "headers.md").read_text(encoding="utf-8")


def test_the_probe_knows_where_its_numbers_are_not_pytorchs(onednn: Project) -> None:
    from torchfl.profile import load_profile

    profile = load_profile(onednn.profile)
    routed = {op.name.removeprefix("aten::"): op.dtype_support for op in profile.ops if op.routes}
    assert {op for op, dtypes in routed.items() if "float32" in dtypes} >= FLOAT | {"elu"}
    for op in ("relu", "maximum", "minimum"):  # NaN does not come through
        assert "float32" not in routed[op]
    assert all(op.routes for op in profile.ops)


def test_gate_passes(onednn: Project) -> None:
    said = succeed(
        "conformance", "--device", onednn.selector, "--chip-dir", onednn.directory, "--level", "quick",
        cwd=onednn.directory.parent,
    )  # fmt: skip
    last = said.strip().splitlines()[-1]
    assert last.startswith("PASS "), said
    native, _, ops = last.split()[1].partition("/")
    assert native == ops
    assert int(native) >= len(GENERATED) - 3


def test_model_runs_natively(onednn: Project, tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text(MODEL, encoding="utf-8")
    done = subprocess.run([sys.executable, script, onednn.directory], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["error"] < 1e-5
    counted = found["counted"]
    for op, calls in (
        ("aten::convolution_overrideable", 2), ("aten::silu", 1), ("aten::sigmoid", 1), ("aten::addmm", 1),
        ("aten::_softmax", 1), ("aten::native_batch_norm", 1), ("aten::native_layer_norm", 1),
        ("aten::max_pool2d_with_indices", 1),
    ):  # fmt: skip
        assert counted[op] == [calls, 0], counted
