"""safetensors, TorchScript and exported programs: device tensors to files and back."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import safetensors.torch
import torch
from safetensors import safe_open
from torch import nn

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::DeprecationWarning")]  # torch.jit says it is old


def tensors() -> dict[str, torch.Tensor]:
    return {"a": torch.arange(6.0).reshape(2, 3).to("xpu"), "b": torch.ones(3, dtype=torch.bfloat16, device="xpu:1")}


@pytest.mark.parametrize(("where", "device"), [("xpu", "xpu:0"), ("xpu:0", "xpu:0"), ("xpu:1", "xpu:1"), (0, "xpu:0"),
                                               (1, "xpu:1"), ("cpu", "cpu")])  # fmt: skip
def test_safetensors_by_name_and_index(where: str | int, device: str, tmp_path: Path) -> None:
    file = tmp_path / "t.safetensors"
    safetensors.torch.save_file(tensors(), file, metadata={"format": "pt"})
    loaded = safetensors.torch.load_file(file, device=where)
    assert {str(t.device) for t in loaded.values()} == {device}
    assert loaded["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert loaded["b"].dtype == torch.bfloat16
    with safe_open(file, framework="pt", device=where) as opened:
        assert str(opened.get_tensor("a").device) == device
        assert opened.get_slice("a")[1:].tolist() == [[3, 4, 5]]
    assert safetensors.torch.load(safetensors.torch.save(tensors()))["a"].tolist() == loaded["a"].tolist()


def test_safetensors_of_a_tied_model(tmp_path: Path) -> None:
    def tied() -> nn.Sequential:
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        model[1].weight = model[0].weight
        return model

    model, other = tied().to("xpu"), tied().to("xpu:1")
    safetensors.torch.save_model(model, str(tmp_path / "m"))
    missing, unexpected = safetensors.torch.load_model(other, str(tmp_path / "m"), device="xpu:1")
    assert not missing
    assert not unexpected
    assert torch.equal(other[1].weight.cpu(), model[0].weight.cpu())
    assert other[1].weight is other[0].weight


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 3), nn.ReLU()).eval()


@pytest.mark.parametrize("make", ["script", "trace", "freeze"])
@pytest.mark.parametrize(("location", "device"), [(None, "xpu:0"), ("cpu", "cpu"), ("xpu", "xpu:0"),
                                                  ("xpu:1", "xpu:1"), (torch.device("xpu", 1), "xpu:1")])  # fmt: skip
def test_torchscript(make: str, location: object, device: str, tmp_path: Path) -> None:
    model, x = net().to("xpu"), torch.randn(2, 4)
    made = torch.jit.trace(model, x.to("xpu")) if make == "trace" else torch.jit.script(model)
    if make == "freeze":
        made = torch.jit.freeze(made)
    torch.jit.save(made, tmp_path / "m.pt")
    loaded = torch.jit.load(tmp_path / "m.pt", map_location=location)
    out = loaded(x.to(device))
    assert str(out.device) == device
    torch.testing.assert_close(out.cpu(), model(x.to("xpu")).cpu())


def test_torchscript_that_names_the_device() -> None:
    @torch.jit.script
    def shifted(a: torch.Tensor) -> torch.Tensor:
        return a + torch.ones(2, device="xpu") + torch.ones(2, device=a.device)

    assert str(shifted(torch.zeros(2, device="xpu")).device) == "xpu:0"


def test_exported_programs_keep_device_and_parameters() -> None:
    model, x = net().to("xpu"), torch.randn(2, 4, device="xpu")
    file = io.BytesIO()
    torch.export.save(torch.export.export(model, (x,)), file)
    file.seek(0)
    program = torch.export.load(file)
    assert {str(p.device) for p in program.state_dict.values()} == {"xpu:0"}
    torch.testing.assert_close(program.module()(x), model(x))
