"""Reference formulas in numpy's long double, for kernels whose own type is float64.

Ops without a formula here (movement, normalisation by groups, attention...) are judged against torch's float64 kernels.

x86 long double has 64 significand bits, 11 more than float64. Where a platform's long double is plain float64
(``MORE_PRECISE`` is False) float64 results are judged against the same formulas in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

#: Whether long double carries more bits than float64 here.
MORE_PRECISE = bool(np.finfo(np.longdouble).eps < np.finfo(np.float64).eps)


def evaluate(name: str, inputs: Sequence[Array | None], attrs: dict[str, Any]) -> Array:
    """The op's value on long double arrays. Raises KeyError for an op without a formula here."""
    with np.errstate(all="ignore"):
        return np.asarray(_FORMULAS[name](inputs, attrs), dtype=np.longdouble)


def known(name: str) -> bool:
    """Whether there is a formula for this op."""
    return name in _FORMULAS


def _unary(f: Callable[[Array], Any]) -> Callable[..., Any]:
    return lambda x, a: f(x[0])


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _by_mpmath(f: Callable[[Any, Any], Any], limits: tuple[float, float]) -> Callable[[Array], Array]:
    """``f(mpmath, number)`` of each element at 80 bits (mpmath comes with torch's sympy); ``limits``: at -inf, inf."""

    def formula(x: Array) -> Array:
        import mpmath  # type: ignore[import-untyped]

        def one(value: Any) -> Any:
            if not np.isfinite(value):
                return value if np.isnan(value) else np.longdouble(limits[int(value > 0)])
            with mpmath.workprec(80):
                high = float(value)
                exact = f(mpmath, mpmath.mpf(high) + mpmath.mpf(float(value - np.longdouble(high))))
                head = float(exact)
                tail = float(exact - mpmath.mpf(head)) if np.isfinite(head) else 0.0
                return np.longdouble(head) + np.longdouble(tail)

        values: Array = np.asarray([one(v) for v in x.reshape(-1)], dtype=np.longdouble)
        return np.reshape(values, x.shape)

    return formula


def _inverse_erf(mpmath: Any, x: Any) -> Any:
    if abs(x) < 1:
        return mpmath.erfinv(x)
    return mpmath.nan if abs(x) > 1 else mpmath.sign(x) * mpmath.inf


_erf = _by_mpmath(lambda mpmath, x: mpmath.erf(x), (-1.0, 1.0))
_erfc = _by_mpmath(lambda mpmath, x: mpmath.erfc(min(max(x, -200), 200)), (2.0, 0.0))  # beyond: as at infinity
_erfinv = _by_mpmath(_inverse_erf, (np.nan, np.nan))


def _addmm(x: Sequence[Array], a: dict[str, Any]) -> Any:
    beta, alpha = np.longdouble(a.get("beta", 1)), np.longdouble(a.get("alpha", 1))
    product = alpha * (x[1] @ x[2])
    return product if beta == 0 else beta * x[0] + product


def _conv2d(x: Sequence[Any], a: dict[str, Any]) -> Array:
    image, weight, bias = x
    groups = int(a.get("groups", 1))
    (sh, sw), (ph, pw) = a["stride"], a.get("padding", (0, 0))
    dh, dw = a.get("dilation", (1, 1))
    n, c, h, w = image.shape
    o, cg, kh, kw = weight.shape
    padded = np.zeros((n, c, h + 2 * ph, w + 2 * pw), dtype=image.dtype)
    padded[:, :, ph : ph + h, pw : pw + w] = image
    oh, ow = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1, (w + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    result = np.zeros((n, o, oh, ow), dtype=image.dtype)
    per_group = o // groups
    for i in range(kh):
        for j in range(kw):
            window = padded[:, :, i * dh : i * dh + sh * (oh - 1) + 1 : sh, j * dw : j * dw + sw * (ow - 1) + 1 : sw]
            for g in range(groups):
                part = window[:, g * cg : (g + 1) * cg].reshape(n, cg, oh * ow)
                taps = weight[g * per_group : (g + 1) * per_group, :, i, j]
                result[:, g * per_group : (g + 1) * per_group] += (taps @ part).reshape(n, per_group, oh, ow)
    return result if bias is None else np.asarray(result + bias.reshape(1, o, 1, 1))


def _softmax(x: Array, dim: int) -> Array:
    shifted = np.exp(x - x.max(axis=dim, keepdims=True, initial=-np.inf))
    return np.asarray(shifted / shifted.sum(axis=dim, keepdims=True))


def _log_softmax(x: Array, dim: int) -> Array:
    shifted = x - x.max(axis=dim, keepdims=True, initial=-np.inf)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True)))


def _elu(x: Array, a: dict[str, Any]) -> Array:
    alpha, scale, inner = (np.longdouble(a.get(k, 1)) for k in ("alpha", "scale", "input_scale"))
    return np.asarray(np.where(x > 0, scale * x, scale * alpha * np.expm1(x * inner)))


def _axes(a: dict[str, Any]) -> int | tuple[int, ...] | None:
    dim = a.get("dim")
    return dim if isinstance(dim, int) or dim else None


def _var(x: Array, a: dict[str, Any]) -> Array:
    axes = _axes(a)
    squares = np.sum((x - np.mean(x, axis=axes, keepdims=True)) ** 2, axis=axes, keepdims=bool(a.get("keepdim")))
    count = x.size // max(squares.size, 1) - int(a.get("correction", 1))
    return np.asarray(squares / np.longdouble(max(count, 0)))


_FORMULAS: dict[str, Callable[..., Any]] = {
    "aten::add": lambda x, a: x[0] + np.longdouble(a.get("alpha", 1)) * x[1],
    "aten::sub": lambda x, a: x[0] - np.longdouble(a.get("alpha", 1)) * x[1],
    "aten::mul": lambda x, a: x[0] * x[1],
    "aten::div": lambda x, a: x[0] / x[1],
    "aten::maximum": lambda x, a: np.maximum(x[0], x[1]),
    "aten::minimum": lambda x, a: np.minimum(x[0], x[1]),
    "aten::relu": _unary(lambda x: np.where(np.isnan(x), x, np.maximum(x, 0))),
    "aten::neg": _unary(np.negative),
    "aten::abs": _unary(np.abs),
    "aten::floor": _unary(np.floor),
    "aten::ceil": _unary(np.ceil),
    "aten::exp": _unary(np.exp),
    "aten::log": _unary(np.log),
    "aten::sqrt": _unary(np.sqrt),
    "aten::rsqrt": _unary(lambda x: 1 / np.sqrt(x)),
    "aten::reciprocal": _unary(lambda x: 1 / x),
    "aten::sin": _unary(np.sin),
    "aten::cos": _unary(np.cos),
    "aten::tanh": _unary(np.tanh),
    "aten::erf": _unary(_erf),
    "aten::sigmoid": _unary(_sigmoid),
    "aten::silu": _unary(lambda x: x * _sigmoid(x)),
    "aten::hardswish": _unary(lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6),
    "aten::leaky_relu": lambda x, a: np.where(x[0] > 0, x[0], x[0] * np.longdouble(a.get("negative_slope", 0.01))),
    "aten::elu": lambda x, a: _elu(x[0], a),
    "aten::mm": lambda x, a: x[0] @ x[1],
    "aten::bmm": lambda x, a: x[0] @ x[1],
    "aten::mv": lambda x, a: x[0] @ x[1],
    "aten::dot": lambda x, a: x[0] @ x[1],
    "aten::addmm": _addmm,
    "aten::conv2d": _conv2d,
    "aten::pow": lambda x, a: np.power(x[0], x[1]),
    "aten::fmod": lambda x, a: np.fmod(x[0], x[1]),
    "aten::remainder": lambda x, a: np.remainder(x[0], x[1]),
    "aten::atan2": lambda x, a: np.arctan2(x[0], x[1]),
    "aten::hypot": lambda x, a: np.hypot(x[0], x[1]),
    "aten::copysign": lambda x, a: np.copysign(x[0], x[1]),
    "aten::logaddexp": lambda x, a: np.logaddexp(x[0], x[1]),
    "aten::fmax": lambda x, a: np.fmax(x[0], x[1]),
    "aten::fmin": lambda x, a: np.fmin(x[0], x[1]),
    "aten::round": _unary(np.rint),
    "aten::trunc": _unary(np.trunc),
    "aten::sign": _unary(lambda x: np.where(np.isnan(x), 0, np.sign(x))),
    "aten::exp2": _unary(np.exp2),
    "aten::expm1": _unary(np.expm1),
    "aten::log2": _unary(np.log2),
    "aten::log10": _unary(np.log10),
    "aten::log1p": _unary(np.log1p),
    "aten::tan": _unary(np.tan),
    "aten::atan": _unary(np.arctan),
    "aten::asin": _unary(np.arcsin),
    "aten::acos": _unary(np.arccos),
    "aten::sinh": _unary(np.sinh),
    "aten::cosh": _unary(np.cosh),
    "aten::asinh": _unary(np.arcsinh),
    "aten::acosh": _unary(np.arccosh),
    "aten::atanh": _unary(np.arctanh),
    "aten::frac": _unary(lambda x: x - np.trunc(x)),
    "aten::erfc": _unary(_erfc),
    "aten::erfinv": _unary(_erfinv),
    "aten::mish": _unary(lambda x: x * np.tanh(np.logaddexp(np.longdouble(0), x))),
    "aten::hardsigmoid": _unary(lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6),
    "aten::hardtanh": lambda x, a: np.clip(x[0], a.get("min_val", -1), a.get("max_val", 1)),
    "aten::where": lambda x, a: np.where(x[0], x[1], x[2]),
    "aten::masked_fill": lambda x, a: np.where(x[1], np.longdouble(a["value"]), x[0]),
    "aten::addcmul": lambda x, a: x[0] + np.longdouble(a.get("value", 1)) * x[1] * x[2],
    "aten::addcdiv": lambda x, a: x[0] + np.longdouble(a.get("value", 1)) * x[1] / x[2],
    "aten::sum": lambda x, a: np.sum(x[0], axis=_axes(a), keepdims=bool(a.get("keepdim"))),
    "aten::mean": lambda x, a: np.mean(x[0], axis=_axes(a), keepdims=bool(a.get("keepdim"))),
    "aten::prod": lambda x, a: np.prod(x[0], axis=_axes(a), keepdims=bool(a.get("keepdim"))),
    "aten::amax": lambda x, a: np.max(x[0], axis=_axes(a), keepdims=bool(a.get("keepdim"))),
    "aten::amin": lambda x, a: np.min(x[0], axis=_axes(a), keepdims=bool(a.get("keepdim"))),
    "aten::var": lambda x, a: _var(x[0], a),
    "aten::cumsum": lambda x, a: np.cumsum(x[0], axis=int(a["dim"])),
    "aten::cumprod": lambda x, a: np.cumprod(x[0], axis=int(a["dim"])),
    "aten::baddbmm": _addmm,
    "aten::addmv": _addmm,
    "aten::addr": lambda x, a: _addmm((x[0], x[1][:, None], x[2][None, :]), a),
    "aten::softmax": lambda x, a: _softmax(x[0], int(a["dim"])),
    "aten::log_softmax": lambda x, a: _log_softmax(x[0], int(a["dim"])),
}
