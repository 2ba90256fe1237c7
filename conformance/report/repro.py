"""A script that repeats one case alone: inputs, call, expected values and tolerances are all in it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from torchfl_sdk.conformance.cases import autocast
from torchfl_sdk.conformance.cases.spec import CaseSpec

if TYPE_CHECKING:
    import torch
    from torchfl_sdk.conformance.oracle.service import Oracle

_HEAD = '''"""{name}

{verdict}: {reason}
Written by `torchfl conformance`; needs torch and torchfl. Exit code 0: right, and computed by the chip where the
profile says so; 1: not.
    python {file}
"""
import base64, sys, zlib

import numpy, torch, torchfl


def unpack(text, dtype, shape):
    data = bytearray(zlib.decompress(base64.b85decode(text)))
    if not data:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(data, dtype=dtype).reshape(shape)


def view(text, dtype, length, sizes, strides, offset, to):
    base = unpack(text, dtype, (length,))
    return (base.to(to) if to else base).as_strided(sizes, strides, offset)


def same_bits(one, other):
    one, other = (t.cpu().contiguous().reshape(-1).view(torch.uint8) for t in (one, other))
    return torch.equal(one, other)


torchfl.init(chip_dirs={chip_dirs!r})
selector = {selector!r}
device = torchfl.device({device!r})
'''


def script(oracle: Oracle, case: CaseSpec, where: dict[str, Any]) -> str:
    """The script's text. ``where``: selector, chip_dirs, file, verdict, reason."""
    from torchfl_sdk.conformance.cases.samples import materialise

    expected = None if case.expect == "refused" else oracle.expected(case, native=case.expect == "native")
    sample = expected.sample if expected is not None else materialise(case.sample)
    device = where["selector"] + (f":{case.device}" if case.device else "")
    said = {k: where[k] for k in ("selector", "verdict", "reason", "file", "chip_dirs")}
    lines = [_HEAD.format(name=case.name, device=device, **said)]
    names = []
    body: list[str] = []
    listed = sample.op.list_input
    inputs = [f"{sample.op.inputs[0]}_{i}" for i in range(len(sample.laid))] if listed else sample.op.inputs
    for name, laid, spec in zip(inputs, sample.laid, case.sample.inputs, strict=True):
        names.append(f"{name}_")
        if laid is None or spec is None:
            body.append(f"{name}_ = None")
            continue
        to = "None" if spec.host else "device"
        geometry = f"{laid.base.numel()}, {laid.sizes}, {laid.strides}, {laid.offset}"
        body.append(f"{name}_ = view({_pack(laid.base)!r}, {laid.base.dtype}, {geometry}, {to})")
    keywords = {sample.op.inputs[0]: f"[{', '.join(names)}]"} if listed else {n: f"{n}_" for n in inputs}
    keywords |= {k: repr(v) for k, v in sample.attrs.items() if v != float("-inf")} | {
        k: 'float("-inf")' for k, v in sample.attrs.items() if v == float("-inf")
    }
    keywords |= {k: repr(v) for k, v in sample.op.fixed}
    overload = {"inplace": sample.op.inplace, "out": sample.op.out}.get(case.variant) or sample.op.reference_overload
    bounds = expected.bounds if expected is not None else ()
    dtype, shape = (bounds[0].dtype, bounds[0].reference.shape) if bounds else ("", ())
    body += _call(case, overload, keywords, dtype, shape, names)
    lines += ["", "", "def call():", *(f"    {line}" for line in (*body, "return list(results)")), "", ""]
    if expected is None:
        return "\n".join([*lines, _REFUSED])
    lines.append(_native(case, where.get("symbols", ())) if case.expect == "native" else 'found, results = "", call()')
    for i, limit in enumerate(bounds):
        wide = "torch.int64" if limit.reference.dtype == np.int64 else "torch.float64"
        values = limit.rounded.astype(np.int64 if wide.endswith("int64") else np.float64)
        lines.append(f"expected_{i} = unpack({_pack_array(values)!r}, {wide}, {limit.reference.shape})")
        tolerance = limit.tolerance.astype(np.float64)
        lines.append(f"tolerance_{i} = unpack({_pack_array(tolerance)!r}, torch.float64, {limit.reference.shape})")
    lines.append(_TAIL.format(pairs=", ".join(f"(expected_{i}, tolerance_{i})" for i in range(len(bounds)))))
    return "\n".join(lines)


def _call(
    case: CaseSpec, overload: str, keywords: dict[str, str], dtype: str, shape: tuple[int, ...], names: list[str]
) -> list[str]:
    base, _, suffix = overload.removeprefix("aten::").partition(".")
    op = f"torch.ops.aten.{base}.{suffix or 'default'}"
    arguments = ", ".join(f"{k}={v}" for k, v in keywords.items())
    if case.variant == "backward":
        return [
            "from torchfl_sdk.conformance.cases.samples import materialise",
            "from torchfl_sdk.conformance.cases.spec import case_from_json",
            "from torchfl_sdk.conformance.oracle.gradients import backward, incoming",
            f"case = case_from_json({_case_text(case)})",
            "sample = materialise(case.sample)",
            f"result = {op}({arguments})",
            "shape = (result[0] if isinstance(result, tuple) else result).shape",
            f"grad = incoming(sample, shape, {dtype!r}).to(device)",
            f"results = backward(sample.op, [{', '.join(names)}], sample.attrs, grad)",
        ]
    if case.variant == "autocast":
        # the operands were stored as the op sees them; the cast to the other precision loses nothing
        dtype = autocast.operand_dtype(case.sample.dtype)
        arguments = ", ".join(f"{k}={v}.to(torch.{dtype})" if v in names else f"{k}={v}" for k, v in keywords.items())
        region = f"torch.autocast(device.type, torch.{autocast.region_dtype(case.sample.dtype)})"
        return [f"with {region}:", f"    results = [{op}({arguments})]"]
    if case.variant == "out":
        return [
            f"out = torch.full({shape}, 85, dtype=torch.{dtype}, device=device)",
            f"results = [{op}({arguments}, out=out)]",
        ]
    return [f"results = {op}({arguments})", "results = results if isinstance(results, tuple) else [results]"]


def _case_text(case: CaseSpec) -> str:
    from torchfl_sdk.conformance.cases.spec import case_to_json

    return repr(case_to_json(case))


_REFUSED = """try:
    for result in call():
        print(result.cpu())
except (RuntimeError, IndexError) as error:
    print(f"refused: {error}")
    sys.exit(0)
print("not refused: a value of the index points outside its dimension")
sys.exit(1)
"""

_TAIL = """
bad = 0
for result, (expected, tolerance) in zip(results, [{pairs}]):
    actual = result.cpu().to(expected.dtype)
    same = (actual == expected) | (actual.isnan() & expected.isnan())
    wrong = ~(same | ((actual - expected).abs() <= tolerance))
    bad += int(wrong.sum())
    for index in wrong.nonzero()[:10].tolist():
        at = tuple(index)
        got, want, slack = actual[at].item(), expected[at].item(), tolerance[at].item()
        print(f"{{index}}: got {{got:.9g}}, expected {{want:.9g}} within {{slack:.3g}}")
print(f"{{bad}} wrong elements")
if found:
    print(found)
sys.exit(1 if bad or found else 0)
"""

#: Right numbers do not show that the chip made them.
_NATIVE = """vendor = {symbols!r}  # what the kernel may call
torch.zeros(1).to(device)  # the driver is up
idle, found = None, ""
{proof}before = torchfl.symbol_calls(selector)
results = call()
after = torchfl.symbol_calls(selector)
if not any(after[name] > before.get(name, 0) for name in vendor):
    found = "computed on the host: no vendor function of the kernel was entered"
elif idle is not None and all(map(same_bits, idle, results)):
    found = "computed on the host: the result is the same when the vendor's functions do nothing"
"""

_PROOF = """try:
    with torchfl.noop_symbols(selector, vendor):
        idle = [result.cpu() for result in call()]
except (RuntimeError, NotImplementedError):
    pass  # a kernel that notices
"""


def _native(case: CaseSpec, symbols: Sequence[str]) -> str:
    """The call, counted, and before it once with vendor functions that do nothing, where the gate does so too."""
    return _NATIVE.format(symbols=list(symbols), proof=_PROOF if case.prove and symbols else "")


def _pack(tensor: torch.Tensor) -> str:
    import torch
    from torchfl_sdk.conformance.cases.layouts import flattened

    flat = flattened(tensor.detach())
    raw = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
    return base64.b85encode(zlib.compress(raw, 9)).decode()


def _pack_array(values: np.ndarray[Any, Any]) -> str:
    return base64.b85encode(zlib.compress(np.ascontiguousarray(values).tobytes(), 9)).decode()
