"""The process that touches the driver: runs one kernel per question until it is told to stop, or dies trying.

Questions come as JSON lines on one inherited file descriptor, replies go as JSON lines to another: what the vendor's
library prints stays apart. Started by :mod:`torchfl_sdk.probe.client`.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

import torch

from torchfl import runtime
from torchfl.errors import TorchflError
from torchfl.explanation import run_adapted
from torchfl_sdk.conformance.cases.dtypes import dtype_name
from torchfl_sdk.conformance.cases.layouts import poison
from torchfl_sdk.conformance.cases.samples import Sample, materialise
from torchfl_sdk.probe.question import OUTSIDE, Question, question_from_json


def facts(selector: str) -> dict[str, Any]:
    """Devices, name and memory of the chip, as its runtime gives them; what it lacks stays 0 or ""."""
    chip = next(chip for chip in runtime.chips() if chip.selector == selector)
    out: dict[str, Any] = {"devices": chip.num_devices, "name": "", "total_bytes": 0}
    xpu: Any = torch.xpu
    for key, ask in (
        ("name", lambda: str(xpu.get_device_name(chip.first_device))),
        ("total_bytes", lambda: int(xpu.mem_get_info(chip.first_device)[1])),
    ):
        try:
            out[key] = ask()
        except (RuntimeError, NotImplementedError, AttributeError):
            continue
    return out


def run(selector: str, device: torch.device, question: Question) -> dict[str, Any]:
    """One kernel launch, without the profile's checks and without fallback."""
    sample = materialise(question.sample)
    inputs = [_on_device(sample, i, device, question) for i in range(len(sample.inputs))]
    if question.form in OUTSIDE:
        _lead_outside(sample, inputs, question.form)
    over_input = sample.op.inplace or sample.op.out
    op = over_input if question.form == "inplace" else sample.op.overload
    result = run_adapted(
        selector, question.impl, op, inputs, sample.attrs,
        channels_last=question.channels_last, shifted=question.shifted,
    )  # fmt: skip
    reply: dict[str, Any] = {"status": result.status, "error": result.error}
    if result.status == "OK":
        outputs = result.output if isinstance(result.output, tuple) else (result.output,)
        reply["outputs"] = [_packed(t) for t in outputs if t is not None]
    return reply


def _lead_outside(sample: Sample, inputs: list[Any], form: str) -> None:
    """One value of the index, its last, is no place in the dimension that it indexes."""
    at = next(i for i, name in enumerate(sample.op.inputs) if sample.op.input_kind(name) == "index")
    index, extent = inputs[at].cpu(), inputs[0].shape[sample.attrs.get("dim", 0)]
    index.view(-1)[-1] = extent if form == "beyond" else -1
    inputs[at] = index.to(inputs[at].device)


def _packed(tensor: torch.Tensor) -> dict[str, Any]:
    host = tensor.cpu().contiguous()
    raw = host.reshape(-1).view(torch.uint8).numpy().tobytes() if host.numel() else b""
    return {
        "dtype": dtype_name(host.dtype),
        "shape": list(host.shape),
        "data": base64.b64encode(raw).decode("ascii"),
    }


def _on_device(sample: Sample, index: int, device: torch.device, question: Question) -> Any:
    """The input's view of device memory, laid out as the question says."""
    laid, spec = sample.laid[index], sample.spec.inputs[index] if sample.spec else None
    if laid is None:
        return None
    if spec is not None and spec.host:
        return laid.view()
    if not question.offset and not question.gap:
        return laid.view(laid.base.to(device))
    values, offset = laid.view(), question.offset
    gap = question.gap if values.dim() == 2 else 0
    turned = values.dim() == 2 and values.stride(0) == 1 and values.stride(1) != 1
    rows = values.t() if turned else values
    strides = list(rows.contiguous().stride())
    if gap:
        strides[0] += gap
    extent = 1 + sum((size - 1) * stride for size, stride in zip(rows.shape, strides, strict=True))
    base = torch.full((offset + extent,), poison(values.dtype), dtype=values.dtype)
    base.as_strided(rows.shape, strides, offset).copy_(rows)
    view = base.to(device).as_strided(rows.shape, strides, offset)
    return view.t() if turned else view


def main() -> None:
    """Serve questions. ``argv``: selector, chip folder, descriptor to read, descriptor to write."""
    selector, folder, source, sink = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with os.fdopen(source, encoding="utf-8") as questions, os.fdopen(sink, "w", encoding="utf-8") as replies:

        def send(data: dict[str, Any]) -> None:
            replies.write(json.dumps(data) + "\n")
            replies.flush()

        torch.set_num_threads(1)
        runtime.init(chip_dirs=[folder])
        device = runtime.device(selector)
        send(facts(selector))
        for line in questions:
            try:
                send(run(selector, device, question_from_json(json.loads(line))))
            except (RuntimeError, ValueError, TypeError, NotImplementedError, TorchflError) as error:
                send({"status": type(error).__name__, "error": str(error).splitlines()[0] if str(error) else ""})


if __name__ == "__main__":
    main()
