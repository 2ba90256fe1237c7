"""Layers and nets of torch.nn that models are made of: recurrent, attention, residual; and data parallel."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

pytestmark = pytest.mark.device


def both(model: nn.Module) -> tuple[nn.Module, nn.Module]:
    return model, copy.deepcopy(model).to("xpu")


def same_gradients(there: nn.Module, here: nn.Module) -> None:
    for (name, a), b in zip(there.named_parameters(), here.parameters(), strict=True):
        assert a.grad is not None, name
        torch.testing.assert_close(a.grad.cpu(), b.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_nets_forward_and_backward(kind: type[nn.RNNBase], native: Any) -> None:
    here, there = both(kind(4, 8, 2, batch_first=True, bidirectional=True))
    x = torch.randn(3, 5, 4)
    packed = pack_padded_sequence(x, [5, 3, 2], batch_first=True)
    expected, expected_packed = here(x)[0], pad_packed_sequence(here(packed)[0], batch_first=True)[0]
    with native("aten::tanh", "aten::mm", "aten::add_.Tensor"):
        out = there(x.to("xpu"))[0]
        out.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(out.cpu(), expected)
    same_gradients(there, here)
    padded, _ = pad_packed_sequence(there(packed.to("xpu"))[0], batch_first=True)
    torch.testing.assert_close(padded.cpu(), expected_packed)


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"attn_mask": "mask"}, {"enable_gqa": True}])
def test_attention_forward_and_backward(options: dict[str, Any], native: Any) -> None:
    q, k = torch.randn(2, 4, 8, 16), torch.randn(2, 2 if "enable_gqa" in options else 4, 8, 16)
    mask = torch.randn(8, 8)
    results = []
    with native("aten::bmm"):
        for where in ("cpu", "xpu"):
            a, b = (t.to(where, copy=True).requires_grad_() for t in (q, k))
            given = {name: mask.to(where) if value == "mask" else value for name, value in options.items()}
            out = scaled_dot_product_attention(a, b, b, **given)
            out.square().sum().backward()
            results.append([t.cpu() for t in (out.detach(), a.grad, b.grad)])
    for actual, expected in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)


def test_a_transformer_encoder_in_training_and_inference(native: Any) -> None:
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    here, there = both(nn.TransformerEncoder(layer, 2))
    x = torch.randn(2, 5, 16)
    with native("aten::addmm", "aten::bmm"):
        there(x.to("xpu")).square().mean().backward()
    here(x).square().mean().backward()
    same_gradients(there, here)
    with torch.no_grad():
        torch.testing.assert_close(there.eval()(x.to("xpu")).cpu(), here.eval()(x))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")  # torch's own: the CPU takes nested ones here
@pytest.mark.parametrize("nested", [True, False])
def test_a_transformer_encoder_takes_padded_sentences(nested: bool, native: Any) -> None:
    """torch would pack them into a nested tensor, which the device does not hold."""
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    here, there = both(nn.TransformerEncoder(layer, 2, enable_nested_tensor=nested).eval())
    x, padding = torch.randn(2, 5, 16), torch.tensor([[0, 0, 0, 1, 1], [0] * 5]).bool()
    with torch.no_grad(), native("aten::addmm", "aten::bmm"):
        expected = here(x, src_key_padding_mask=padding)
        out = there(x.to("xpu"), src_key_padding_mask=padding.to("xpu")).cpu()
    torch.testing.assert_close(out[~padding], expected[~padding])


def test_a_transformer_that_insists_on_nested_tensors_is_refused_in_a_sentence() -> None:
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, mask_check=False).eval().to("xpu")
    padding = torch.zeros(2, 5, dtype=torch.bool, device="xpu")
    with (
        torch.no_grad(),
        pytest.raises(RuntimeError, match=r"gives a tensor that the device cannot hold \(strided nested"),
    ):
        model(torch.randn(2, 5, 16, device="xpu"), src_key_padding_mask=padding)


class Block(nn.Module):
    """ResNet's basic block (arXiv:1512.03385), with a projection where the shape changes."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs),
        )  # fmt: skip
        self.skip: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.skip(x))


def residual_net() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Block(8, 8, 1), Block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip


def test_residual_net_training_equals_the_cpu(native: Any) -> None:
    here, there = both(residual_net())
    x, target = torch.randn(4, 3, 32, 32), torch.randint(10, (4,))
    losses = []
    with native("aten::relu", "aten::addmm", "aten::add.Tensor"):
        for model, where in ((here, "cpu"), (there, "xpu")):
            optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
            steps = []
            for _ in range(3):
                optimizer.zero_grad()
                loss = cross_entropy(model(x.to(where)), target.to(where))
                loss.backward()
                optimizer.step()
                steps.append(loss.item())
            losses.append(steps)
    assert losses[1][2] < losses[1][0]
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
    torch.testing.assert_close(there[1].running_mean.cpu(), here[1].running_mean, rtol=1e-3, atol=1e-5)


def test_residual_net_under_autocast_and_scaling_uses_the_chips_convolution(native: Any) -> None:
    model = residual_net().to("xpu")
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    scaler = torch.amp.GradScaler("xpu")
    x, target = torch.randn(4, 3, 32, 32, device="xpu"), torch.randint(10, (4,)).to("xpu")
    losses = []
    with native("aten::convolution_overrideable"):
        for _ in range(6):
            optimizer.zero_grad()
            with torch.autocast("xpu", dtype=torch.float16):
                loss = cross_entropy(model(x), target)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
    assert min(losses[3:]) < losses[0]


@pytest.mark.parametrize("devices", [[0], [1, 0], None])
def test_data_parallel_has_the_cpus_gradients(devices: list[int] | None, native: Any) -> None:
    here = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    there = copy.deepcopy(here).to(f"xpu:{devices[0] if devices else 0}")
    x = torch.randn(5, 4)
    here(x).square().sum().backward()
    with native("aten::addmm", "aten::relu"):
        out = nn.DataParallel(there, device_ids=devices)(x.to(there[0].weight.device))
        out.square().sum().backward()
    assert out.shape == (5, 2)
    assert out.device == there[0].weight.device
    same_gradients(there, here)
