"""The form of the matching vocabulary: which names vendors give an aten op, and what tensors it reads and writes.

This is wider than the op catalogue: the catalogue holds what the router can serve, the vocabulary what a header's
functions may be recognised as. Importable without torch and without the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass

#: How the tensors of an op are told apart. ``blas`` kinds have a fixed order and meaning of their arguments.
KINDS = (
    "unary",
    "binary",
    "ternary",
    "reduce",
    "arg_reduce",
    "pool",
    "conv",
    "norm",
    "softmax",
    "matmul",
    "solve",
    "linear",
    "copy",
    "fill",
    "zero",
    "index",
    "select",
    "list",
    "shape",
    "resize",
    "random",
    "sort",
    "rnn",
    "attention",
    "loss",
    "dropout",
    "backward",
    "gemm",
    "gemm_batched",
    "gemv",
    "ger",
    "axpy",
    "scal",
    "vcopy",
    "dot",
    "vector_reduce",
    "geam",
    "trsm",
    "transpose",
)


@dataclass(frozen=True)
class Word:
    """One op as vendors call it.

    ``names`` are joined lower-case tokens of a function's name, without prefix, element type and noise.
    ``inputs`` are the roles of its tensors in the usual order, those ending in ``?`` may be absent; ``outputs``
    likewise. ``scalar`` and ``inplace`` are the overloads with a number as second operand and with the result in the
    first input. ``alternatives`` are further overloads that the same call serves.
    """

    aten: str
    names: tuple[str, ...]
    kind: str
    inputs: tuple[str, ...] = ("input",)
    outputs: tuple[str, ...] = ("output",)
    scalar: str = ""
    inplace: str = ""
    alternatives: tuple[str, ...] = ()
    alone: bool = True  # False: too vague for a function's name, fine as the constant of an enum

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name in self.inputs if not name.endswith("?"))

    @property
    def all_inputs(self) -> tuple[str, ...]:
        return tuple(name.removesuffix("?") for name in self.inputs)

    @property
    def all_outputs(self) -> tuple[str, ...]:
        return tuple(name.removesuffix("?") for name in self.outputs)


@dataclass(frozen=True)
class Family:
    """A function name that says only the kind of op; an enum or int argument, or a descriptor, chooses the op."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]  # the kinds of words that its constants may name


def w(
    aten: str,
    names: str,
    kind: str,
    inputs: str = "input",
    outputs: str = "output",
    *,
    scalar: str = "",
    inplace: str = "",
    alternatives: str = "",
    alone: bool = True,
) -> Word:
    """A word from a line of text each."""
    return Word(
        f"aten::{aten}",
        tuple(names.split()),
        kind,
        tuple(inputs.split()),
        tuple(outputs.split()),
        f"aten::{scalar}" if scalar else "",
        f"aten::{inplace}" if inplace else "",
        tuple(f"aten::{name}" for name in alternatives.split()),
        alone,
    )
