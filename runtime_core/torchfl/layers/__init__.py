"""Layers of the fallback policy that are served in Python: ``decompose`` and ``onnxruntime``.

The core asks them through two methods, on the arguments as PyTorch's dispatcher gives them (device tensors):
``offer`` says whether the layer would serve a call and runs nothing, ``serve`` runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["NAMES", "Layer", "install"]

#: The profile's words for them.
NAMES = ("decompose", "onnxruntime")


class Layer(Protocol):
    """``selector``: of the chip. ``overload``: as ``"aten::_softmax"``. Answers are (serves, what, for ever): what it
    would do, its result, or the reason why not; and whether that reason holds for every call of the overload."""

    def offer(
        self, selector: str, overload: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[bool, str, bool]: ...

    def serve(
        self, selector: str, overload: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[bool, Any, bool]: ...


def install(core: Any) -> None:
    """Gives the core its Python layers. Imports neither torch's decompositions nor ONNX Runtime yet."""
    from torchfl.layers.decompose import Decompose
    from torchfl.layers.onnx_runtime import OnnxRuntime

    core.set_python_layer("decompose", Decompose(core))
    core.set_python_layer("onnxruntime", OnnxRuntime(core))
