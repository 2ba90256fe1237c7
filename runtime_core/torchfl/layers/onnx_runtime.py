"""The layer ``onnxruntime``: an op as an ONNX graph of one node, run by ONNX Runtime on the host sides of its tensors.

Nothing is copied that need not be: inputs are the host sides as they lie (a strided one is made contiguous), results
are written into memory that becomes the result's host side. A graph is made once for each node, dtypes and ranks.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from torchfl.layers.forms import Form, compute, form_of
from torchfl.layers.onnx_table import OPSET, TABLE, Node

#: What the layer imports, and the extra that brings it.
PACKAGES = ("onnxruntime", "onnx")
EXTRA = "flagos-torchfl[onnxruntime]"

_SESSIONS_KEPT = 512
_IR_VERSION = 10  # that OPSET came with: older ONNX Runtimes refuse newer ones


def missing_package() -> str:
    """The first package that is not installed, or ""."""
    return next((name for name in PACKAGES if find_spec(name) is None), "")


class OnnxRuntime:
    """See :class:`torchfl.layers.Layer`."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._sessions: OrderedDict[Any, Any] = OrderedDict()  # a session, or the text of its refusal
        self._lock = threading.Lock()

    def offer(
        self, selector: str, overload: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[bool, str, bool]:
        """(True, the node, False) or (False, why not, whether for every call)."""
        form = form_of(overload)
        name = _name(form.functional) if form is not None else ""
        if form is None or name not in TABLE:
            return False, "this release has no ONNX graph of it", True
        node = self._node(form, name, args, kwargs)
        session = self._session(node) if isinstance(node, Node) else node
        if isinstance(node, str) or isinstance(session, str):
            return False, str(session), False
        return True, f"as {node.op_type}", False

    def serve(
        self, selector: str, overload: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[bool, Any, bool]:
        """(True, the result, False) or (False, why not, whether for every call)."""
        import torch

        form = form_of(overload)
        name = _name(form.functional) if form is not None else ""
        if form is None or name not in TABLE:
            return False, "this release has no ONNX graph of it", True
        node = self._node(form, name, args, kwargs)
        if isinstance(node, str):
            return False, node, False
        session = self._session(node)
        if isinstance(session, str):
            return False, session, False

        def run(*given: Any, **named: Any) -> Any:
            return self._run(form, node, session, given, named)

        try:
            with torch.no_grad():
                return True, compute(form, run, args, kwargs), False
        except (torch.OutOfMemoryError, torch.AcceleratorError):
            raise
        except Exception as error:  # wrong arguments: a later layer says so in PyTorch's own words
            return False, f"it failed: {type(error).__name__}: {error}".splitlines()[0], False

    def _node(self, form: Form, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Node | str:
        import torch
        from torch.utils._pytree import tree_leaves

        given = {a.name: a.default_value for a in form.functional._schema.arguments}
        given.update(zip(given, args, strict=False))
        given.update({k: v for k, v in kwargs.items() if form.inplace or k not in form.destinations})
        for t in tree_leaves(given):
            if not isinstance(t, torch.Tensor):
                continue
            if t.numel() == 0:
                return "a tensor without elements"
            if t.dtype not in _element_types():
                return f"ONNX Runtime takes no {t.dtype}"
            if t.is_conj() or t.is_neg() or t.layout != torch.strided:
                return "a tensor that is not plain"
        return TABLE[name](given)

    def _session(self, node: Node) -> Any:
        key = (
            node.op_type,
            repr(sorted(node.attributes.items())),
            node.outputs,
            *(_kind(node, t) for t in node.inputs),
        )
        with self._lock:
            if key in self._sessions:
                self._sessions.move_to_end(key)
                return self._sessions[key]
        made = _make_session(node)
        with self._lock:
            self._sessions[key] = made
            while len(self._sessions) > _SESSIONS_KEPT:
                self._sessions.popitem(last=False)
        return made

    def _run(self, form: Form, node: Node, session: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        import torch
        from torch.utils._pytree import tree_leaves

        device = next(
            t.device for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and t.device.type != "cpu"
        )

        metas = _meta_results(form.functional, node, args, kwargs)
        binding = session.io_binding()
        kept = []  # alive until the run is over
        for i, value in enumerate(node.inputs):
            if isinstance(value, torch.Tensor):
                kept.append(self._on_host(value, node.common))
                if i == node.places and kept[-1].min() < 0:
                    raise IndexError("a negative index")
                _bind(binding.bind_input, f"x{i}", kept[-1])
        results = [torch.empty(meta.shape, dtype=meta.dtype) for meta in metas]
        for i, result in enumerate(results):
            _bind(binding.bind_output, f"y{i}", result)
        session.run_with_iobinding(binding)
        adopted = [
            self._core.adopt(_like(result, meta), device.index) for result, meta in zip(results, metas, strict=True)
        ]
        return adopted[0] if len(adopted) == 1 else tuple(adopted)

    def _on_host(self, t: Any, common: Any) -> Any:
        host = t if t.device.type == "cpu" else self._core.host_view(t)
        return host.to(common or host.dtype).contiguous()


def _meta_results(op: Any, node: Node, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
    """The results' sizes, strides and dtypes, as PyTorch says."""
    import torch
    from torch.utils._pytree import tree_map_only

    def on_meta(t: Any) -> Any:
        dtype = node.common if node.common is not None and t.dim() == 0 else t.dtype
        return torch.empty_strided(t.shape, t.stride(), dtype=dtype, device="meta")

    def argument(declared: Any, value: Any) -> Any:
        if isinstance(value, (bool, int, float)) and str(declared.type) == "Tensor":  # a number that PyTorch wraps
            return torch.empty((), dtype=node.common, device="meta")
        return tree_map_only(torch.Tensor, on_meta, value)

    shaped = [argument(d, value) for d, value in zip(op._schema.arguments, args, strict=False)]
    results = op(*shaped, **tree_map_only(torch.Tensor, on_meta, kwargs))
    return list(results) if isinstance(results, (tuple, list)) else [results]


def _like(result: Any, meta: Any) -> Any:
    """In the order of memory that PyTorch gives this result; nearly always it is in it."""
    import torch

    if result.stride() == meta.stride():
        return result
    return torch.empty_strided(meta.shape, meta.stride(), dtype=meta.dtype).copy_(result)


def _bind(bind: Any, name: str, t: Any) -> None:
    bind(name, "cpu", 0, _element_types()[t.dtype], list(t.shape), t.data_ptr())


def _name(op: Any) -> str:
    schema = op._schema
    return str(schema.name + (f".{schema.overload_name}" if schema.overload_name else ""))


def _kind(node: Node, value: Any) -> Any:
    if value is None or isinstance(value, list):
        return None if value is None else tuple(value)
    return (node.common or value.dtype, value.dim())


@lru_cache(maxsize=1)
def _element_types() -> dict[Any, int]:
    """ONNX's number of each torch dtype."""
    import torch
    from onnx import TensorProto

    names = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "double", "float")
    return {getattr(torch, name): getattr(TensorProto, name.upper()) for name in names}


def _make_session(node: Node) -> Any:
    """An InferenceSession of the one node, its dimensions left open; or why ONNX Runtime does not take it."""
    import onnxruntime
    import torch
    from onnx import TensorProto, helper

    names, declared, constants = [], [], []
    for i, value in enumerate(node.inputs):
        names.append("" if value is None else f"x{i}")
        if isinstance(value, list):
            constants.append(helper.make_tensor(f"x{i}", TensorProto.INT64, [len(value)], value))
        elif value is not None:
            kind = _element_types()[node.common or value.dtype]
            dims = [f"x{i}_{d}" for d in range(value.dim())]
            declared.append(helper.make_tensor_value_info(f"x{i}", kind, dims))
    while names[-1] == "":  # absent at the end is left out: an empty name there crashes LayerNormalization
        names.pop()
    outputs = [f"y{i}" for i in range(node.outputs)]
    graph_node = helper.make_node(node.op_type, names, outputs, **node.attributes)
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]  # type and shape are inferred
    graph = helper.make_graph([graph_node], "op", declared, results, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR_VERSION)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # a refusal is told below
    options.intra_op_num_threads = torch.get_num_threads()
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its classes have no common base but Exception
        return f"ONNX Runtime does not take it: {error}".splitlines()[0]
