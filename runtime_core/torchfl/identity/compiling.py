"""``torch.compile`` on our device: graphs with a tensor of ours run op by op through the router.

Inductor refuses a device that it has no code generator for. Such graphs are captured as aten ops, forward and
backward, as for inductor, and each op then goes through the dispatcher: to the chip's kernel where there is one. Graphs
without a tensor of ours are inductor's as before. AOTInductor, whose product is a library of generated code, has
nothing to make of a device graph and says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import torch

from torchfl.identity.replace import Replacements
from torchfl.identity.when_imported import WhenImported

AOT_REFUSAL = (
    "AOTInductor generates no code for a chip: save the program with torch.export.save(), and run its module(), "
    "whose ops go to the chip's kernels"
)
_AOT_MODULE = "torch._inductor.compile_fx"
_replaced = Replacements()
_waiting: list[WhenImported] = []


def _ours(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type in ("xpu", "fl")


def uses_device(graph: torch.fx.GraphModule, inputs: Iterable[Any]) -> bool:
    """Whether an input, a parameter, or a result inside the graph is on our device."""
    if any(map(_ours, inputs)) or any(map(_ours, graph.parameters())) or any(map(_ours, graph.buffers())):
        return True
    values = (node.meta.get("example_value", node.meta.get("val")) for node in graph.graph.nodes)
    return any(_ours(leaf) for value in values for leaf in torch.utils._pytree.tree_leaves(value))


def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """The dynamo backend for our device: aten graphs by AOTAutograd, run through the dispatcher."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    def run(module: torch.fx.GraphModule, _: list[Any]) -> Any:
        def call(arguments: list[Any]) -> Any:
            values = list(arguments)
            arguments.clear()  # the caller holds no tensor while the graph runs
            return module(*values)

        setattr(call, "_boxed_call", True)  # noqa: B010  AOTAutograd's mark of such a function
        return call

    compiled: Callable[..., Any] = aot_autograd(
        fw_compiler=run, bw_compiler=run, partition_fn=min_cut_rematerialization_partition
    )(graph, inputs)
    return compiled


def _refuse_device_graphs(module: ModuleType) -> None:
    original: Any = vars(module)["compile_fx_aot"]

    @functools.wraps(original)
    def compile_fx_aot(model_: Any, example_inputs_: Any, *arguments: Any, **options: Any) -> Any:
        if uses_device(model_, example_inputs_):
            raise NotImplementedError(AOT_REFUSAL)
        return original(model_, example_inputs_, *arguments, **options)

    _replaced.put(module, "compile_fx_aot", compile_fx_aot)


def install() -> None:
    """Sends device graphs of the default backend to :func:`backend`."""
    if _replaced:
        return
    wrapper: Any = torch._TorchCompileInductorWrapper
    original = wrapper.__call__

    def __call__(self: Any, model_: Any, inputs_: Any) -> Any:
        if uses_device(model_, inputs_):
            return backend(model_, inputs_)
        return original(self, model_, inputs_)

    _replaced.put(wrapper, "__call__", __call__)
    _waiting.append(WhenImported(_AOT_MODULE, _refuse_device_graphs))


def check() -> None:
    """Raises where torch.compile has another default backend."""
    if torch._TorchCompileInductorWrapper.__call__.__module__ != __name__:
        raise RuntimeError("self-check failed: the inductor wrapper is not ours")


def remove() -> None:
    """Puts torch's own back."""
    while _waiting:
        _waiting.pop().stop()
    _replaced.undo()
