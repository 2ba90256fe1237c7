"""x1 as a user meets it: from its header to models that run and train on it, and a second board in four lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from torch import nn
from torchfl_sdk.conformance.cases.samples import Sample
from torchfl_sdk.conformance.oracle import judge

import torchfl
import training_bound
from helpers import Project, succeed
from torchfl import catalogue

pytestmark = pytest.mark.device

CONV = "aten::convolution_overrideable"


def image_model(stride: int = 1) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 64, 3, stride=stride), nn.ReLU(), nn.MaxPool2d(2)).requires_grad_(False)


def assert_layers_are_right(model: nn.Sequential, x: torch.Tensor, y: torch.Tensor, native: bool) -> None:
    """The convolution within the oracle's bound of x; rectification and pooling are exact on what it gave."""
    conv = model[0](x)
    op = catalogue.get("aten::conv2d")
    assert op is not None
    weight, bias = (t.detach().cpu() for t in (model[0].weight, model[0].bias))
    attrs = {"stride": model[0].stride, "padding": (0, 0), "dilation": (1, 1), "transposed": False}
    attrs |= {"output_padding": (0, 0), "groups": 1}
    dtype = str(x.dtype).removeprefix("torch.")
    judgement = judge(op, Sample(op, dtype, (x.cpu(), weight, bias), attrs, "model"), conv)
    assert judgement.ok, judgement.reason
    assert torch.equal(y.cpu(), nn.functional.max_pool2d(conv.cpu().relu(), 2))


# ---- inference ---------------------------------------------------------------


def test_only_init_and_the_model_runs(device: torch.device) -> None:
    """A float32 model: its convolution is not the chip's, and torchfl says so; everything is right."""
    model, x = image_model().to("xpu"), torch.randn(1, 3, 224, 224).to("xpu")
    torchfl.reset_counters()
    y = model(x)
    counted = torchfl.counters()
    assert y.shape == (1, 64, 111, 111)
    assert y.device == device == torchfl.device("xpu:x1")
    assert (counted[CONV].native, counted[CONV].cpu) == (0, 1)
    assert counted["aten::relu"].native == 1
    reasons = {reason.op: reason.reason for reason in torchfl.fallback_reasons()}
    assert "float32" in reasons[CONV]
    fell_back = {op for op, counter in counted.items() if counter.cpu}
    assert fell_back == set(reasons)
    assert all(reasons.values())
    assert_layers_are_right(model, x, y, native=False)


def test_the_same_model_in_half_precision_is_native(device: torch.device) -> None:
    model, x = image_model(stride=2).half().to("xpu"), torch.randn(1, 3, 224, 224).half().to("xpu")
    torchfl.reset_counters()
    before = torchfl.symbol_calls("xpu:x1")["x1_conv2d"]
    y = model(x)
    assert torchfl.counters()[CONV].native == 1
    assert torchfl.counters()[CONV].cpu == 0
    assert torchfl.symbol_calls("xpu:x1")["x1_conv2d"] == before + 1
    assert y.shape == (1, 64, 55, 55)
    assert_layers_are_right(model, x, y, native=True)


def test_parameters_keep_identity_and_ties_and_move_once(device: torch.device) -> None:
    first, second = nn.Linear(8, 8), nn.Linear(8, 8)
    second.weight = first.weight
    model = nn.Sequential(first, nn.ReLU(), second)
    before = [id(p) for p in model.parameters()]
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.to("xpu")
    assert [id(p) for p in model.parameters()] == before
    assert first.weight is second.weight
    assert optimizer.param_groups[0]["params"][0] is first.weight
    assert first.weight.device == device
    torchfl.reset_counters()
    copies = torchfl.copy_counters()
    model.to("xpu")
    model.to("xpu:0")
    assert torchfl.copy_counters() == copies


@pytest.mark.parametrize(
    ("options", "word"),
    [({"stride": 3}, "stride"), ({"padding": 3}, "padding"), ({"groups": 8}, "groups"), ({"dilation": 2}, "dilation")],
)
def test_what_the_chip_cannot_do_never_reaches_it(device: torch.device, options: dict[str, int], word: str) -> None:
    torch.manual_seed(1)
    conv = nn.Conv2d(8, 8, 3, **options).half().requires_grad_(False).to("xpu")
    x = torch.randn(2, 8, 14, 14).half().to("xpu")
    calls = torchfl.symbol_calls("xpu:x1")["x1_conv2d"]
    torchfl.reset_counters()
    y = conv(x)
    assert torchfl.symbol_calls("xpu:x1")["x1_conv2d"] == calls
    counted = torchfl.counters()[CONV]
    assert (counted.native, counted.cpu, counted.declined) == (0, 1, 0)
    (reason,) = torchfl.fallback_reasons()
    assert word in reason.reason
    expected = nn.functional.conv2d(x.cpu().double(), conv.weight.cpu().double(), conv.bias.cpu().double(), **options)
    torch.testing.assert_close(y.cpu().double(), expected, rtol=2e-3, atol=2e-3)


# ---- training ----------------------------------------------------------------


STEPS = 3


def small_net() -> nn.Sequential:
    """Three convolutions that x1 can run, with strides, padding and groups inside its limits.

    SiLU between them: a rectifier's derivative jumps, and where it does no tolerance is tight.
    """
    torch.manual_seed(2)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.SiLU(),
        nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=2),
        nn.SiLU(),
        nn.Conv2d(8, 16, 3, stride=2),
        nn.SiLU(),
        nn.Flatten(),
        nn.Linear(144, 10),
    ).half()


def train(model: nn.Sequential, where: str, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """A few steps of SGD from half-precision weights; gives the last gradients, the weights and the loss."""
    model = model.to(where, dtype)
    torch.manual_seed(3)
    x, target = torch.randn(8, 3, 16, 16).half(), torch.randint(10, (8,))
    x, target = x.to(where, dtype), target.to(where)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
    results = {"loss": loss}
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None
        results |= {name: parameter, f"{name}.grad": parameter.grad}
    return {name: t.detach().clone() for name, t in results.items()}


@pytest.fixture(scope="module")
def limit() -> training_bound.ProgramBound:
    return training_bound.program_bound(lambda dtype: train(small_net(), "cpu", dtype))


def test_the_training_bound_can_be_failed(limit: training_bound.ProgramBound) -> None:
    """It rejects every result scaled by 1 % on its own, and a net that did not train."""
    scaled = limit.worst({name: t * 1.01 for name, t in limit.reference.items()})
    assert min(scaled.values()) > 1, scaled
    untrained = limit.worst({**limit.reference, **dict(small_net().named_parameters())})
    assert all(untrained[name] > 1 for name, _ in small_net().named_parameters()), untrained
    assert max(limit.worst(limit.reference).values()) == 0


def test_float16_on_the_cpu_meets_the_training_bound(limit: training_bound.ProgramBound) -> None:
    worst = limit.worst(train(small_net(), "cpu", torch.float16))
    assert max(worst.values()) <= 1, worst


def test_training_in_half_precision_on_the_chip(device: torch.device, limit: training_bound.ProgramBound) -> None:
    torchfl.reset_counters()
    calls = torchfl.symbol_calls("xpu:x1")["x1_conv2d"]
    results = train(small_net(), "xpu", torch.float16)
    counted = torchfl.counters()
    assert counted[CONV].native == 3 * STEPS
    assert counted[CONV].cpu == 0
    assert counted["aten::silu"].native == 3 * STEPS
    assert torchfl.symbol_calls("xpu:x1")["x1_conv2d"] == calls + 3 * STEPS
    assert all(t.device == device for t in results.values())
    worst = limit.worst(results)
    assert max(worst.values()) <= 1, worst


def test_training_under_autocast_uses_the_chips_convolution(device: torch.device) -> None:
    """Weights stay float32; the convolutions run in float16, where the chip has them."""
    model = small_net().float().to("xpu")
    x, target = torch.randn(4, 3, 16, 16).to("xpu"), torch.randint(10, (4,)).to("xpu")
    torchfl.reset_counters()
    with torch.autocast(device.type, dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x), target)
    loss.backward()
    assert torchfl.counters()[CONV].native == 3
    assert all(p.grad is not None and p.grad.dtype == torch.float32 for p in model.parameters())
    assert torch.isfinite(loss).item()


# ---- the gate ----------------------------------------------------------------


def verdict(chips: Path, selector: str, out: Path) -> tuple[str, list[dict[str, object]]]:
    """The last line of conformance and its results, run as a user does."""
    text = succeed("conformance", "--device", selector, "--out", out, "--chip-dir", chips / selector.partition(":")[2])
    lines = (out / "results.jsonl").read_text().splitlines()
    return text.strip().splitlines()[-1], [json.loads(line) for line in lines]


def test_the_gate_is_green(x1_project: Project, tmp_path: Path) -> None:
    line, results = verdict(x1_project.directory.parent, "xpu:x1", tmp_path / "report")
    assert line.startswith("PASS 44/44 ops native")
    assert results


def test_a_second_board_in_four_lines_passes_too(x1_project: Project, tmp_path: Path) -> None:
    shutil.copytree(x1_project.directory, tmp_path / "x1")
    folder = tmp_path / "x1-v2"
    folder.mkdir()
    lines = ["extends: ../x1/x1_device.yaml", 'driver_version: "2.0.0"', "compute:", "  fp16_tflops: 9"]
    (folder / "x1-v2_device.yaml").write_text("\n".join(lines) + "\n")
    line, _ = verdict(tmp_path, "xpu:x1-v2", tmp_path / "report")
    assert line.startswith("PASS 44/44 ops native")
