"""transformers: BERT and LLaMA with tied weights, from their own code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM

from core_helpers import run_script

# DeprecationWarning: torch's own, where it imports inductor, which a static cache and torch.compile need.
pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

BERTS = ("aten::addmm", "aten::bmm", "aten::add.Tensor", "aten::embedding", "aten::gelu", "aten::native_layer_norm",
         "aten::_softmax")  # fmt: skip
LLAMAS = ("aten::mm", "aten::bmm", "aten::add.Tensor", "aten::mul.Tensor", "aten::embedding", "aten::silu",
          "aten::_softmax")  # fmt: skip


def bert() -> BertForMaskedLM:
    config = BertConfig(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=64, max_position_embeddings=32, hidden_dropout_prob=0.0,
                        attention_probs_dropout_prob=0.0)  # fmt: skip
    return BertForMaskedLM(config).eval()


def llama(**options: Any) -> LlamaForCausalLM:
    options = {"tie_word_embeddings": True, **options}
    config = LlamaConfig(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                         num_key_value_heads=2, intermediate_size=64, max_position_embeddings=64, pad_token_id=0,
                         **options)  # fmt: skip
    return LlamaForCausalLM(config).eval()


def words() -> torch.Tensor:
    return torch.randint(1, 64, (2, 9))


def tied(model: Any) -> bool:
    return model.get_output_embeddings().weight is model.get_input_embeddings().weight


@pytest.mark.parametrize(("make", "ops"), [(bert, BERTS), (llama, LLAMAS)])
def test_forward_equals_the_cpu_and_ties_are_kept(make: Any, ops: tuple[str, ...], native: Any) -> None:
    model, ids = make(), words()
    expected = model(ids).logits
    model.to("xpu")
    assert tied(model)
    with native(*ops):
        logits = model(ids.to("xpu")).logits
    assert logits.device == torch.device("xpu", 0)
    torch.testing.assert_close(logits.cpu(), expected)


@pytest.mark.parametrize(("make", "product"), [(bert, "aten::addmm"), (llama, "aten::mm")])
def test_training_steps_equal_the_cpu(make: Any, product: str, native: Any) -> None:
    ids = words()
    losses = []
    for where in ("cpu", "xpu"):
        torch.manual_seed(0)
        model = make().train()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)  # made before the model moves
        model.to(where)
        steps = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = model(ids.to(where), labels=ids.to(where)).loss
            loss.backward()
            optimizer.step()
            steps.append(loss.item())
        losses.append(steps)
        assert tied(model)
    assert losses[1][2] < losses[1][0]
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    with native(product, "aten::bmm"):
        model(ids.to("xpu"), labels=ids.to("xpu")).loss.backward()


@pytest.mark.parametrize("cache", [None, "static"])
def test_generate_gives_the_cpus_tokens(cache: str | None, native: Any) -> None:
    model, ids = llama(), words()
    options = {"max_new_tokens": 8, "do_sample": False}
    expected = model.generate(ids, **options)
    model.to("xpu")
    with native("aten::mm", "aten::bmm"):
        tokens = model.generate(ids.to("xpu"), cache_implementation=cache, **options)
    assert tokens.device == torch.device("xpu", 0)
    assert tokens.tolist() == expected.tolist()


def test_sampling_repeats_itself_from_a_seed() -> None:
    model, ids = llama().to("xpu"), words().to("xpu")
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(model.generate(ids, max_new_tokens=12, do_sample=True).tolist())
    assert drawn[0] == drawn[1] != drawn[2]


SPLIT = {"model.embed_tokens": 0, "model.rotary_emb": 0, "model.layers.0": 0, "model.layers.1": 1, "model.norm": 1,
         "lm_head": 1}  # fmt: skip


def test_device_map_in_every_form(tmp_path: Path, native: Any) -> None:
    ids = words()
    model = llama()
    expected = model(ids).logits
    model.to("xpu").save_pretrained(tmp_path / "tied")  # safetensors, of device tensors
    for form, where in (("xpu", "xpu:0"), ("xpu:1", "xpu:1"), ("auto", "xpu:0"), ({"": 1}, "xpu:1"),
                        (torch.device("xpu", 1), "xpu:1"), ({"": "xpu"}, "xpu:0")):  # fmt: skip
        loaded = LlamaForCausalLM.from_pretrained(tmp_path / "tied", device_map=form)
        assert {str(p.device) for p in loaded.parameters()} == {where}
        assert tied(loaded)
        with native(*LLAMAS):
            logits = loaded(ids.to(where)).logits
        torch.testing.assert_close(logits.cpu(), expected)


def test_a_model_spread_over_two_devices(tmp_path: Path, native: Any) -> None:
    ids = words()
    model = llama(tie_word_embeddings=False)
    expected = model(ids).logits
    model.save_pretrained(tmp_path)
    loaded = LlamaForCausalLM.from_pretrained(tmp_path, device_map=SPLIT)
    assert str(loaded.model.layers[1].mlp.up_proj.weight.device) == "xpu:1"
    with native(*LLAMAS):
        logits = loaded(ids.to("xpu")).logits
    torch.testing.assert_close(logits.cpu(), expected)


def test_checkpointing_under_autocast_gives_the_same_gradients(native: Any) -> None:
    ids = words().to("xpu")
    gradients = []
    for recompute in (False, True):
        torch.manual_seed(0)
        model = llama(use_cache=False).train().to("xpu")
        if recompute:
            model.activation_checkpointing_enable()
        with native("aten::mul.Tensor"), torch.autocast("xpu", dtype=torch.bfloat16):
            loss = model(ids, labels=ids).loss
        loss.backward()
        gradients.append([p.grad.cpu() for p in model.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))


def test_half_precision_runs_natively(native: Any) -> None:
    with native("aten::mm", "aten::bmm", "aten::silu"):
        logits = llama().half().to("xpu")(words().to("xpu")).logits
    assert logits.dtype == torch.float16
    assert torch.isfinite(logits).all().item()


def test_a_compiled_model_equals_the_eager_one(native: Any) -> None:
    model, ids = llama().to("xpu"), words().to("xpu")
    expected = model(ids).logits
    with native("aten::mm", "aten::bmm"):
        logits = torch.compile(model)(ids).logits
    torch.testing.assert_close(logits, expected)
    torch._dynamo.reset()


LATE = """
import os, transformers, accelerate
from accelerate.utils import is_xpu_available
from transformers.utils import is_torch_xpu_available
before = is_torch_xpu_available(), is_xpu_available()
import torchfl
torchfl.init([os.environ["FX_DIR"]])
print(*before, is_torch_xpu_available(), is_xpu_available(), accelerate.Accelerator().device)
torchfl.shutdown()
print(is_torch_xpu_available(), is_xpu_available())
"""


def test_init_after_both_libraries_have_looked_for_devices() -> None:
    done = run_script(LATE)
    assert done.stdout == "False False True True xpu\nFalse False\n", done.stderr
