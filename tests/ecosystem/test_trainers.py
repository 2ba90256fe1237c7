"""Training loops that libraries own: HF Trainer, accelerate, Lightning's Trainer and Fabric."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import accelerate
import lightning
import pytest
import torch
from accelerate.state import AcceleratorState
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

from torchfl.integrations.lightning import accelerator_class, fabric_arguments, trainer_arguments

pytestmark = pytest.mark.device
LOSS = nn.functional.mse_loss
# An Adam step on the float32 weights: what the chip runs of a bfloat16 loop, as it has no bfloat16 products.
ADAM = ("aten::mul_.Scalar", "aten::sqrt", "aten::div_.Scalar", "aten::add_.Scalar")


@pytest.fixture(autouse=True)
def _fresh_state() -> Iterator[None]:
    """accelerate keeps a process's settings; Lightning talks."""
    AcceleratorState._reset_state(reset_partial_state=True)
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    logging.getLogger("lightning.fabric").setLevel(logging.ERROR)
    yield
    AcceleratorState._reset_state(reset_partial_state=True)


class Sentences(Dataset[dict[str, torch.Tensor]]):
    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        ids = torch.randint(0, 64, (8,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids, "labels": ids}


def language_model() -> LlamaForCausalLM:
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64)
    )


def hf_trainer(folder: Path, **options: Any) -> Trainer:
    arguments = TrainingArguments(
        str(folder), per_device_train_batch_size=8, learning_rate=1e-2, report_to=[], disable_tqdm=True,
        **{"max_steps": 8, "save_strategy": "no", **options},
    )  # fmt: skip
    return Trainer(language_model(), arguments, train_dataset=Sentences(), eval_dataset=Sentences())


@pytest.mark.parametrize(
    ("options", "ops"),
    [({}, ("aten::mm", "aten::bmm")), ({"bf16": True}, ("aten::mul.Tensor", "aten::add_.Tensor")),
     ({"fp16": True, "activation_checkpointing": True}, ("aten::mm", "aten::bmm")),
     ({"optim": "adamw_torch_fused"}, ("aten::mm", "aten::bmm"))],
)  # fmt: skip
def test_the_hf_trainer_trains(options: dict[str, Any], ops: tuple[str, ...], tmp_path: Path, native: Any) -> None:
    trainer = hf_trainer(tmp_path, **options)
    before = trainer.evaluate()["eval_loss"]
    with native(*ops):
        trainer.train()
    assert trainer.args.device == trainer.model.device == torch.device("xpu", 0)
    assert trainer.evaluate()["eval_loss"] < before - 0.1


def test_the_hf_trainer_resumes(tmp_path: Path) -> None:
    whole = hf_trainer(tmp_path / "whole")
    whole.train()
    hf_trainer(tmp_path / "parts", max_steps=8, save_strategy="steps", save_steps=4).train()
    resumed = hf_trainer(tmp_path / "parts")
    resumed.train(resume_from_checkpoint=str(tmp_path / "parts" / "checkpoint-4"))
    assert resumed.state.global_step == 8
    for a, b in zip(whole.model.parameters(), resumed.model.parameters(), strict=True):
        torch.testing.assert_close(a.cpu(), b.cpu())


def perceptron() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))


def batches() -> DataLoader[Any]:
    torch.manual_seed(1)
    x = torch.randn(32, 8)
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)


def loss_of(model: nn.Module) -> float:
    with torch.no_grad():
        device = next(model.parameters()).device
        return sum(LOSS(model(x.to(device)).float(), y.to(device)).item() for x, y in batches())


@pytest.mark.parametrize(
    ("precision", "ops"), [("no", ("aten::addmm", "aten::relu")), ("fp16", ("aten::addmm", "aten::relu")),
                           ("bf16", ADAM)],
)  # fmt: skip
def test_accelerate_trains_saves_and_loads(precision: str, ops: tuple[str, ...], tmp_path: Path, native: Any) -> None:
    accelerator = accelerate.Accelerator(mixed_precision=precision)
    assert accelerator.device.type == "xpu"
    model = perceptron()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, batches())
    before = loss_of(accelerator.unwrap_model(model))
    with native(*ops):
        for _ in range(3):
            for x, y in loader:
                assert x.device == torch.device("xpu", 0)
                with accelerator.accumulate(model):
                    accelerator.backward(LOSS(model(x), y))
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad()
    after = loss_of(accelerator.unwrap_model(model))
    assert after < before / 1.1
    accelerator.save_state(str(tmp_path))
    with torch.no_grad():
        accelerator.unwrap_model(model)[0].weight.zero_()
    accelerator.load_state(str(tmp_path))
    assert loss_of(accelerator.unwrap_model(model)) == pytest.approx(after)
    assert accelerator.gather(torch.ones(1, device="xpu")).device == torch.device("xpu", 0)


class Module(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = perceptron()
        self.seen: set[str] = set()

    def training_step(self, batch: Any, index: int) -> torch.Tensor:
        x, y = batch
        out = self.net(x)
        self.seen.add(f"{x.device} {out.dtype}")
        loss = LOSS(out, y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-2)


def quiet(**options: Any) -> dict[str, Any]:
    return {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, **options}


def lightning_talks(test: Any) -> Any:
    """Ignores Lightning's advice about workers, and torch's to Lightning about what it calls."""
    for message in ("ignore:.*does not have many workers", "ignore:.*LeafSpec.*:FutureWarning"):
        test = pytest.mark.filterwarnings(message)(test)
    return test


@lightning_talks
@pytest.mark.parametrize(
    ("precision", "dtype", "ops"),
    [("32-true", torch.float32, ("aten::addmm", "aten::relu")), ("16-mixed", torch.float16, ("aten::addmm",)),
     ("bf16-mixed", torch.bfloat16, ADAM)],
)  # fmt: skip
def test_lightnings_trainer(
    precision: str, dtype: torch.dtype, ops: tuple[str, ...], tmp_path: Path, native: Any
) -> None:
    module = Module()
    before = loss_of(module.net)
    trainer = lightning.Trainer(
        **trainer_arguments("xpu:1", precision), **quiet(max_epochs=3, default_root_dir=tmp_path)
    )
    with native(*ops):
        trainer.fit(module, batches())
    assert module.seen == {f"xpu:1 {dtype}"}
    assert loss_of(module.net) < before / 1.1
    checkpoint = trainer.checkpoint_callback.best_model_path
    loaded = Module.load_from_checkpoint(checkpoint)
    assert loss_of(loaded.net) == pytest.approx(loss_of(module.net), rel=1e-3)
    assert str(loaded.device) == "xpu:1"


class Manual(Module):
    """Takes its own steps, as nets with several losses do."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch: Any, index: int) -> None:
        optimizer = self.optimizers()
        loss = super().training_step(batch, index)
        optimizer.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(optimizer, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        optimizer.step()


@lightning_talks
def test_lightnings_trainer_with_a_manual_loop(tmp_path: Path, native: Any) -> None:
    module = Manual()
    before = loss_of(module.net)
    trainer = lightning.Trainer(**trainer_arguments(), **quiet(max_epochs=3, default_root_dir=tmp_path))
    with native("aten::addmm", "aten::relu"):
        trainer.fit(module, batches())
    assert module.seen == {"xpu:0 torch.float32"}
    assert loss_of(module.net) < before / 1.1


@lightning_talks
def test_lightnings_fabric(native: Any) -> None:
    fabric = lightning.Fabric(**fabric_arguments(precision="16-mixed"))
    model = perceptron()
    model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), 0.05))
    before = loss_of(model)
    with native("aten::addmm", "aten::relu"):
        for x, y in fabric.setup_dataloaders(batches()):
            assert x.device == torch.device("xpu", 0)
            optimizer.zero_grad()
            fabric.backward(LOSS(model(x), y))
            optimizer.step()
    assert loss_of(model) < before


@lightning_talks
def test_lightning_with_the_accelerator_alone_says_what_else_it_needs() -> None:
    trainer = lightning.Trainer(accelerator=accelerator_class()(), devices=1, **quiet(max_epochs=1))
    with pytest.raises(RuntimeError, match="strategy is for cpu, whatever the accelerator is: pass"):
        trainer.fit(Module(), batches())


def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no device 7: torch\.xpu\.device_count\(\) is 2"):
        trainer_arguments(7)
