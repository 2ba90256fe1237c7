"""Which aten ops ONNX Runtime serves, each as one ONNX node. Imports neither onnx nor torch at the top.

A lowering takes the arguments by their schema names and gives the node, or a text: why this call has none. Only what
the node means exactly as PyTorch does is here (opset 20); Sign, ReduceMax and ReduceMin, which
lose a NaN, are not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

#: The opset that every node below is of.
OPSET = 20


@dataclass(frozen=True)
class Node:
    """One ONNX node. ``inputs`` are tensors, None for an absent one, or lists of whole numbers for an int64 constant;
    tensors are cast to ``common`` where it is set. ``outputs``: how many of the node's outputs are the op's results.
    ``places``: the input of which PyTorch refuses negative values, which ONNX counts from the end."""

    op_type: str
    inputs: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    common: Any = None
    outputs: int = 1
    places: int = -1


Lowering = Callable[[dict[str, Any]], Node | str]


def _floating(t: Any) -> bool:
    return bool(t.dtype.is_floating_point)


def _unary(op_type: str, *, integers: bool = False) -> Lowering:
    """``integers``: PyTorch gives integers for integers, as ONNX does; elsewhere it promotes them."""

    def lower(a: dict[str, Any]) -> Node | str:
        t = a["self"]
        if not _floating(t) and not (integers and not t.dtype.is_complex and str(t.dtype) != "torch.bool"):
            return f"{op_type} takes no {t.dtype}"
        return Node(op_type, (t,))

    return lower


def _binary(op_type: str, *, floats: bool = False, other: str = "other", **attributes: Any) -> Lowering:
    def lower(a: dict[str, Any]) -> Node | str:
        import torch

        if a.get("alpha", 1) != 1:
            return "alpha is not 1"
        left, right = a["self"], a[other]
        common = torch.result_type(left, right)
        if common == torch.bool or (floats and not common.is_floating_point):
            return f"{op_type} takes no {common}"
        left, right = (t if isinstance(t, torch.Tensor) else torch.tensor(t, dtype=common) for t in (left, right))
        return Node(op_type, (left, right), attributes, common)

    return lower


def _logical(op_type: str) -> Lowering:
    def lower(a: dict[str, Any]) -> Node | str:
        import torch

        if a["self"].dtype != torch.bool or a["other"].dtype != torch.bool:
            return f"{op_type} takes bool"
        return Node(op_type, (a["self"], a["other"]))

    return lower


def _product(left: str, right: str) -> Lowering:
    def lower(a: dict[str, Any]) -> Node | str:
        return Node("MatMul", (a[left], a[right])) if _floating(a[left]) else "integer products wrap in PyTorch"

    return lower


def _addmm(a: dict[str, Any]) -> Node | str:
    if not _floating(a["self"]):
        return "integer products wrap in PyTorch"
    if a["beta"] == 0:
        return "beta is 0: what self holds must not matter"
    return Node("Gemm", (a["mat1"], a["mat2"], a["self"]), {"alpha": float(a["alpha"]), "beta": float(a["beta"])})


def _convolution(a: dict[str, Any]) -> Node | str:
    if not _floating(a["input"]):
        return "integer convolutions wrap in PyTorch"
    if a["input"].dim() < 3:
        return "an input without a batch"
    pads = list(a["padding"])
    spatial = a["input"].dim() - 2
    one_each = {name: list(a[name]) * (spatial if len(a[name]) == 1 else 1) for name in ("stride", "dilation")}
    pads *= spatial if len(pads) == 1 else 1
    attributes = {
        "strides": one_each["stride"],
        "dilations": one_each["dilation"],
        "pads": pads + pads,
        "group": a["groups"],
    }
    if a["transposed"]:
        extra = list(a["output_padding"]) or [0]
        attributes["output_padding"] = extra * (spatial if len(extra) == 1 else 1)
    return Node("ConvTranspose" if a["transposed"] else "Conv", (a["input"], a["weight"], a["bias"]), attributes)


def _reduce(op_type: str, *, floats: bool = True) -> Lowering:
    def lower(a: dict[str, Any]) -> Node | str:
        t = a["self"]
        if a.get("dtype") not in (None, t.dtype):
            return "the result has another dtype"
        if floats and not _floating(t):
            return f"{op_type} of integers gives another dtype"
        dims = a["dim"]
        dims = [dims] if isinstance(dims, int) else list(dims or ())
        axes = [d % max(t.dim(), 1) for d in dims] or list(range(t.dim()))
        if not axes:
            return "a tensor without dimensions"
        return Node(op_type, (t, axes), {"keepdims": int(a["keepdim"])})

    return lower


def _along(op_type: str) -> Lowering:
    def lower(a: dict[str, Any]) -> Node | str:
        if a["half_to_float"] or not _floating(a["self"]) or a["self"].dim() == 0:
            return "the result has another dtype, or the tensor no dimension"
        return Node(op_type, (a["self"],), {"axis": a["dim"]})

    return lower


def _cumsum(a: dict[str, Any]) -> Node | str:
    if a.get("dtype") not in (None, a["self"].dtype) or not _floating(a["self"]) or a["self"].dim() == 0:
        return "the result has another dtype, or the tensor no dimension"
    return Node("CumSum", (a["self"], [a["dim"] % a["self"].dim()]))


def _layer_norm(a: dict[str, Any]) -> Node | str:
    import torch

    t, shape = a["input"], a["normalized_shape"]
    if t.dtype != torch.float32:
        return "its statistics are of float32"
    weight = a["weight"] if a["weight"] is not None else torch.ones(list(shape))
    attributes = {"axis": -len(shape), "epsilon": float(a["eps"])}
    return Node("LayerNormalization", (t, weight, a["bias"]), attributes, outputs=3)


def _avg_pool(a: dict[str, Any]) -> Node | str:
    if a["divisor_override"] is not None:
        return "divisor_override is given"
    if not _floating(a["self"]) or a["self"].dim() != 4:
        return "not a batch of float images"
    kernel = list(a["kernel_size"]) * (2 if len(a["kernel_size"]) == 1 else 1)
    pads = list(a["padding"]) * (2 if len(a["padding"]) == 1 else 1)
    if a["ceil_mode"]:
        return "ceil_mode divides the last windows by another count"
    stride = list(a["stride"]) or kernel
    return Node(
        "AveragePool",
        (a["self"],),
        {
            "kernel_shape": kernel,
            "strides": stride * (2 if len(stride) == 1 else 1),
            "pads": pads + pads,
            "count_include_pad": int(a["count_include_pad"]),
        },
    )


def _cat(a: dict[str, Any]) -> Node | str:
    tensors = a["tensors"]
    if len({t.dtype for t in tensors}) != 1 or any(t.dim() != tensors[0].dim() for t in tensors):
        return "tensors of different dtypes or ranks"
    return Node("Concat", tuple(tensors), {"axis": a["dim"]})


def _gather(op_type: str) -> Lowering:
    def lower(a: dict[str, Any]) -> Node | str:
        if a["self"].dim() == 0 or a["index"].dim() == 0:
            return "a tensor without dimensions"
        return Node(op_type, (a["self"], a["index"]), {"axis": a["dim"]}, places=1)

    return lower


def _where(a: dict[str, Any]) -> Node | str:
    import torch

    if a["condition"].dtype != torch.bool:
        return "the condition is not bool"
    return (
        Node("Where", (a["condition"], a["self"], a["other"]))
        if a["self"].dtype == a["other"].dtype
        else ("operands of different dtypes")
    )


def _with(op_type: str, need: Callable[[dict[str, Any]], str], **attributes: str) -> Lowering:
    """A float op with attributes: ONNX name = schema name. ``need`` says why a call has none, or ""."""

    def lower(a: dict[str, Any]) -> Node | str:
        if not _floating(a["self"]):
            return f"{op_type} takes no {a['self'].dtype}"
        why = need(a)
        if why:
            return why
        values = {name: a[key] if isinstance(a[key], str) else float(a[key]) for name, key in attributes.items()}
        return Node(op_type, (a["self"],), values)

    return lower


def _always(_: dict[str, Any]) -> str:
    return ""


def _elu_need(a: dict[str, Any]) -> str:
    return "" if (a["scale"], a["input_scale"]) == (1, 1) else "scale or input_scale is not 1"


def _softplus_need(a: dict[str, Any]) -> str:
    return "" if a["beta"] == 1 and a["threshold"] >= 20 else "beta is not 1, or the threshold is low"


_UNARY_FLOAT = {
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "reciprocal": "Reciprocal", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "tanh": "Tanh", "sigmoid": "Sigmoid", "erf": "Erf",
    "floor": "Floor", "ceil": "Ceil", "round": "Round", "hardswish": "HardSwish",
}  # fmt: skip
_UNARY_ANY = {"abs": "Abs", "neg": "Neg", "relu": "Relu"}
_COMPARE = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}

#: By functional overload, as dispatched.
TABLE: dict[str, Lowering] = {
    **{f"aten::{name}": _unary(op_type) for name, op_type in _UNARY_FLOAT.items()},
    **{f"aten::{name}": _unary(op_type, integers=True) for name, op_type in _UNARY_ANY.items()},
    **{f"aten::{name}.{kind}": _binary(op) for name, op in _COMPARE.items() for kind in ("Tensor", "Scalar")},
    "aten::add.Tensor": _binary("Add"),
    "aten::sub.Tensor": _binary("Sub"),
    "aten::mul.Tensor": _binary("Mul"),
    "aten::div.Tensor": _binary("Div", floats=True),
    "aten::pow.Tensor_Tensor": _binary("Pow", floats=True, other="exponent"),
    "aten::pow.Tensor_Scalar": _binary("Pow", floats=True, other="exponent"),
    "aten::fmod.Tensor": _binary("Mod", floats=True, fmod=1),
    "aten::logical_and": _logical("And"),
    "aten::logical_or": _logical("Or"),
    "aten::logical_xor": _logical("Xor"),
    "aten::leaky_relu": _with("LeakyRelu", _always, alpha="negative_slope"),
    "aten::elu": _with("Elu", _elu_need, alpha="alpha"),
    "aten::softplus": _with("Softplus", _softplus_need),
    "aten::gelu": _with("Gelu", _always, approximate="approximate"),
    "aten::where.self": _where,
    "aten::mm": _product("self", "mat2"),
    "aten::bmm": _product("self", "mat2"),
    "aten::mv": _product("self", "vec"),
    "aten::dot": _product("self", "tensor"),
    "aten::addmm": _addmm,
    "aten::convolution": _convolution,
    "aten::sum.dim_IntList": _reduce("ReduceSum"),
    "aten::mean.dim": _reduce("ReduceMean"),
    "aten::prod.dim_int": _reduce("ReduceProd"),
    "aten::cumsum": _cumsum,
    "aten::_softmax": _along("Softmax"),
    "aten::_log_softmax": _along("LogSoftmax"),
    "aten::native_layer_norm": _layer_norm,
    "aten::avg_pool2d": _avg_pool,
    "aten::cat": _cat,
    "aten::index_select": _gather("Gather"),
    "aten::gather": _gather("GatherElements"),
}
