"""Rules of pooling. (Convolution has a recipe of its own.)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchfl_sdk.conformance.cases.rules.base import Rule, Shape, Values, given, label, spec
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec


def _pair(value: Any) -> tuple[int, int]:
    return (int(value[0]), int(value[1])) if isinstance(value, tuple) else (int(value), int(value))


def pooled(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool) -> int:
    """How many windows fit; mirrors shape_rules_window.cpp."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil else 0)) // stride + 1
    return count - 1 if ceil and (count - 1) * stride >= size + padding else count


class Pool(Rule):
    """Beside the attributes: ``size`` (height, width), ``batch``, ``channels``."""

    sizes = ("rank", "channels")
    asked = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "count_include_pad")

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        rank = int(values.get("rank", 4))
        if rank not in (3, 4):
            return None
        kernel, padding, dilation = (
            _pair(values.get(name, default)) for name, default in (("kernel_size", 2), ("padding", 0), ("dilation", 1))
        )
        stride = _pair(values["stride"]) if values.get("stride") else ()
        if min(*kernel, *dilation, *(stride or (1,))) < 1 or min(padding) < 0:
            return None
        if any(p > k // 2 for p, k in zip(padding, kernel, strict=True)):
            return None  # PyTorch refuses more padding than half a window
        size = values.get("size") or tuple(
            max(base, d * (k - 1) + 1 + 2 * s)
            for base, k, d, s in zip((9, 11), kernel, dilation, stride or kernel, strict=True)
        )
        channels = int(values.get("channels", 3))
        if "numel" in values:
            channels, size = 1, (2, int(values["numel"]) // 2)
            if values["numel"] < 4 or values["numel"] % 2:
                return None
        if channels < 1:
            return None
        shape = (2, channels, *size)[4 - rank :]
        attrs = {
            name: values[name] for name in ("ceil_mode", "count_include_pad", "divisor_override") if name in values
        }
        return spec(
            op, dtype, seed, label(values, shape), TensorSpec(shape), kernel_size=kernel, stride=stride,
            padding=padding, dilation=dilation, **attrs,
        )  # fmt: skip

    def around(self, op: OpSpec, dtype: str, values: Values) -> dict[str, Any]:
        """PyTorch refuses more padding than half a window, so that each follows the other."""
        kernel = values.get("kernel_size", max(3, 2 * max(_pair(values.get("padding", 1)))))
        padding = values.get("padding", tuple(min(1, k // 2) for k in _pair(kernel)))
        return {"stride": 2, **values, "kernel_size": kernel, "padding": padding}

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {"kernel_size": 3, "stride": 2, "padding": 1}
        if level == "probe":
            return
        yield {}
        average = any(a.name == "count_include_pad" for a in op.attrs)
        uneven = {"kernel_size": (3, 2), "stride": (1, 2), "padding": (1, 0)}
        yield uneven | {"count_include_pad": False} if average else uneven
        if level == "quick":
            return
        yield {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, "size": (8, 10)}
        yield {"kernel_size": 3, "stride": 1, "padding": 1, "channels": 65, "size": (5, 5)}
        yield {"kernel_size": (1, 3), "stride": 3}
        yield {"rank": 3}
        if average:
            yield {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}
            yield {"kernel_size": 3, "stride": 2, "divisor_override": 5}
        else:
            yield {"kernel_size": 3, "dilation": 2, "stride": 1}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        found: dict[str, Any] = {"channels": given(shapes, 0)[-3]}
        if not attrs.get("stride"):
            found["stride"] = attrs.get("kernel_size")
        return found

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        image = given(shapes, 0)
        kernel, padding = _pair(attrs["kernel_size"]), _pair(attrs.get("padding") or 0)
        stride, dilation = _pair(attrs.get("stride") or kernel), _pair(attrs.get("dilation") or 1)
        spatial = tuple(
            pooled(image[i - 2], kernel[i], stride[i], padding[i], dilation[i], bool(attrs.get("ceil_mode")))
            for i in range(2)
        )
        return ((*image[:-2], *spatial),) * len(op.outputs)

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        found: dict[str, list[Any]] = {
            "kernel_size": [1, 2, 3, 4, 5, 7],
            "stride": [1, 2, 3, 4],
            "padding": [0, 1, 2],
            "dilation": [1, 2],
            "ceil_mode": [False, True],
            "count_include_pad": [True, False],
            "channels": [1, 2, 3, 4, 7, 16, 33],
            "rank": [3, 4],
        }
        return found.get(variable)


class AdaptivePool(Rule):
    """``output_size`` (height, width)."""

    sizes = ("channels",)

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        rank, channels = int(values.get("rank", 4)), int(values.get("channels", 3))
        if rank not in (3, 4) or channels < 1 or "numel" in values:
            return None
        shape = (2, channels, *values.get("size", (9, 11)))[4 - rank :]
        out = _pair(values.get("output_size", 3))
        return spec(op, dtype, seed, label(values, shape), TensorSpec(shape), output_size=out)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"output_size": 1}
        if level == "release":
            yield {"output_size": (4, 7)}
            yield {"rank": 3}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        return {"channels": given(shapes, 0)[-3]}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        return ((*given(shapes, 0)[:-2], *_pair(attrs["output_size"])),)
