"""Roles of the arguments that are no tensors: extents, strides, scalars, attributes, selectors, handles."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torchfl_sdk.match.recognise.about import number_about, quantised_role
from torchfl_sdk.match.recognise.compose import composed
from torchfl_sdk.match.recognise.matrices import matrix_role
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.match.vocabulary.arguments import COUNT, HANDLES, NUMBERS, WORKSPACE

_DIMS = {"n": "batch", "nb": "batch", "h": "in_h", "w": "in_w", "height": "in_h", "width": "in_w"}
_DIMS |= {"r": "kernel_h", "s": "kernel_w", "k": "out_c"}
#: Roles that only an integer has.
_WHOLE = ("channels", "batch", "in_c", "out_c", "in_h", "in_w", "out_h", "out_w", "k", "axis", "rank", "groups")
#: What is done along a dimension: ``sort_dim``, ``concat_dim``.
_ALONG = frozenset(
    words("sort reduce reduction split concat cat softmax select gather scatter norm scan topk flip stack index")
)
_OPERANDS = (None, "scalar", "scale", "p")  # what a number beside one tensor may be called


_PARAMETERS = frozenset(words("parameters params param options opts config attributes"))


def handle_role(part: Part) -> str:
    """The role of an opaque object or of a place for a new one."""
    if part.sort == "out_handle" and part.type_words & {"queue", "stream", "queues"}:
        return "stream"
    if part.sort == "out_handle":
        name = set(part.words)
        if name & {"plan", "executor", "exec"} or part.type_words & {"executor", "plan"}:
            return "plan"
        if name & {"event", "events"} or part.type_words & {"event"}:
            return "event"
        if "workspace" in name:
            return "workspace"
        if "primitive" in part.type_words:
            return "out_pd" if "desc" in part.type_words | name else "op_out"
        return "op_out"
    if set(part.words) & {"algo", "algorithm"}:
        return "algo"
    if part.sort == "params" and (set(part.words) | (part.type_words if len(part.joined) < 3 else set())) & _PARAMETERS:
        return "activation_params" if "activation" in part.words else "params"
    if "profile" in part.words or "profiler" in part.words:
        return "profile"
    if part.sort == "stream":
        words = set(part.words) | part.type_words
        return "threadpool" if any("threadpool" in w for w in words) else "stream"
    for source in (frozenset(part.words), part.type_words):
        for known, role in HANDLES:
            if source & known:
                return role
    return "handle"


_OF_RESULT = (("output",), ("out",), ("result",), ("dst",), ("target",), ("new",))


def scalar_role(part: Part, kind: str, names: Mapping[str, str]) -> str:
    """The role of a number, an array of numbers, an enum or a workspace; "" where nothing tells.

    ``kind`` is the op's, ``names`` maps the tensors' base names to their roles.
    """
    joined = part.joined
    if part.sort in ("text", "function", "other") and not joined:
        return ""
    if joined.startswith(("workspacesize", "workbuffersize")) or joined in ("workspacesizeinbytes",):
        return "workspace_size"
    if set(part.words) & WORKSPACE or joined in ("ws", "work", "reservespace", "workspaceaddr"):
        return "workspace_size" if part.sort in ("int", "int_out") else "workspace"
    if joined.startswith("indices") and part.sort == "int" and "size" in joined:
        return "indices_size"
    stepped = _step(part, joined, names)
    if stepped:
        return stepped
    counted = _count(part, joined, kind, names)
    if counted:
        return counted
    if kind == "shape" and joined in ("order", "perm", "dim") and part.sort in ("ints", "data"):
        return "dims"
    blas = matrix_role(part, joined, kind, names)
    if blas:
        return blas
    if re.fullmatch(r"c?alpha\d*|falpha|scalealpha", joined) and part.sort != "enum":
        return "alpha" if not joined[-1:].isdigit() or joined[-1] in "01" else f"alpha{joined[-1]}"
    if joined == "gamma" and part.sort != "enum":
        return "gamma"
    if re.fullmatch(r"c?beta\d*", joined) and part.sort != "enum":
        return "beta"
    return _plain(part, joined, kind, names)


def _step(part: Part, joined: str, names: Mapping[str, str]) -> str:
    """``step1``, ``step_out``, ``stride_a``: the distance between the elements of the tensor that it names."""
    if part.sort != "int" or len(part.words) > 2 or not (match := re.fullmatch(r"(?:step|inc|incr)(\w+)", joined)):
        return ""
    tag = match[1]
    for base, role in names.items():
        if base == tag or base.endswith(tag) or (tag in ("in", "out") and base.startswith(tag)):
            return f"inc.{role}"
    return {"in": "inc.input", "out": "inc.output"}.get(tag, "")


def _count(part: Part, joined: str, kind: str, names: Mapping[str, str]) -> str:
    """``nx``: how many elements x has, where nothing else is counted."""
    if part.sort == "int" and kind in ("unary", "binary", "reduce", "arg_reduce", "dot", "copy", "vector_reduce") and (
        joined in ("nr", "ny", "nx", "nelems", "veclength") or (joined[:1] == "n" and joined[1:] in names)
    ):  # fmt: skip
        return "numel"
    return "layout" if part.sort in ("int", "enum") and "format" in part.words else ""


def _plain(part: Part, joined: str, kind: str, names: Mapping[str, str]) -> str:
    said = composed(part, kind) if part.sort in ("int", "ints") else ""
    if said:
        return said
    if kind == "shape" and part.sort == "int" and joined in ("n", "size", "len", "length", "count", "numel"):
        return "numel"
    if part.sort in ("dtype",):
        for base, role in names.items():
            if base and joined.startswith(base):
                return f"dtype.{role}"
        spared = "optional" in part.type_words and joined in ("dtype", "type", "datatype")
        if part.words[:1] in _OF_RESULT or spared:
            return "dtype.output"  # what may be left out is what the result would be anyway
        return "compute_type" if "compute" in joined or "math" in joined else "dtype"
    if kind in ("conv", "pool") and NUMBERS.get(joined, "")[:6] in ("kernel", "stride", "paddin", "dilati"):
        return NUMBERS[joined]
    if re.fullmatch(r"off(?:set)?[a-z]{1,3}\d?|[a-z]off(?:set)?", joined) and part.sort == "int":
        return "offset"
    if kind == "binary" and part.sort in ("float", "scalar_pointer") and NUMBERS.get(joined) in _OPERANDS:
        return "scalar"
    if kind == "linear" and NUMBERS.get(joined) in ("in_c", "out_c"):
        return NUMBERS[joined]
    about = number_about(part, names)
    if about:
        return about
    if part.sort == "enum" and "compute" in part.type_words and joined in ("type", "computetype", "mode"):
        return "compute_type"
    if kind == "matmul" and part.sort == "int" and joined == "p":
        return "k"
    quantised = quantised_role(part, names)
    if quantised:
        return quantised
    if part.sort == "int" and kind in ("shape", "solve") and joined in ("matrixlayout", "matrixorder"):
        return "order"
    if part.sort == "enum" and joined in (
        "op",
        "opkind",
        "optype",
        "operation",
        "kind",
        "type",
        "activationtype",
        "opcode",
        "func",
    ):
        return "op_kind"
    if kind in ("copy", "unary", "binary", "ternary", "fill", "zero", "axpy", "scal", "dot", "vcopy", "vector_reduce",
                "reduce", "arg_reduce", "random", "sort", "softmax", "loss", "dropout") and part.sort == "int" and (
        joined in COUNT
    ):  # fmt: skip
        return "numel"
    if kind in ("conv", "pool", "norm", "resize", "softmax", "shape") and part.sort == "int":
        dims = {"channels": "in_c" if kind == "conv" else "channels", **_DIMS}
        dims["c"] = dims["channels"]
        if kind in ("conv", "pool", "resize"):
            dims |= {"p": "out_h", "q": "out_w", "g": "groups", "ic": dims["channels"], "nb": "batch", "ni": dims["c"]}
            dims |= {"no": "out_c", "nc": dims["channels"], "u": "stride_h", "v": "stride_w"}
        if joined in dims and not (kind == "pool" and joined == "width"):
            return dims[joined]
        if kind in ("pool", "norm", "resize", "softmax") and NUMBERS.get(joined) == "in_c":
            return "channels"
    if kind == "scal" and part.sort in ("float", "scalar_pointer"):
        return "alpha" if "alpha" in joined or joined in ("", "a", "sa", "da", "ca") else "scalar"
    if kind == "fill" and part.sort in ("float", "scalar_pointer") and NUMBERS.get(joined, "k") in _WHOLE:
        return "scalar"
    if kind == "axpy" and part.sort == "scalar_pointer" and joined == "a":
        return "alpha"
    if kind == "sort" and joined in ("k", "topk", "num"):
        return "k"
    if kind == "list" and part.sort == "int" and (joined in COUNT or {"num", "count", "nb"} & set(part.words)):
        return "count"
    if part.sort == "int" and len(part.words) > 1 and (
        part.words[-1] == "axis" or (part.words[-1] == "dim" and part.words[0] in _ALONG)
    ):  # fmt: skip
        return "axis"
    if kind == "linear" and joined in ("inputchannels", "outputchannels"):
        return "in_c" if joined.startswith("in") else "out_c"
    if kind in ("unary", "binary") and joined in ("exp", "exponent"):
        return "scalar"
    single = part.sort == "float" or (part.sort == "scalar_pointer" and bool(part.element))  # no scalar of any type
    if joined in NUMBERS and not (single and NUMBERS[joined] in _WHOLE):
        role = NUMBERS[joined]
        if role == "axis" and part.sort == "ints":
            return "dims"
        if role[:4] in ("in_h", "in_w", "in_c", "out_") and kind in ("unary", "binary", "ternary", "reduce"):
            return ""
        if role in ("min", "max") and joined.startswith("output") and kind not in ("unary",):
            return f"out_{role}"
        return role
    stripped = re.sub(r"^(?:softmax|convolution|conv|pooling|pool|reduce|concat|norm|bn|batchnorm)", "", joined)
    if stripped != joined and stripped in NUMBERS:
        return NUMBERS[stripped]
    if kind in ("unary", "binary") and part.sort in ("float", "scalar_pointer"):
        return "scalar"
    if part.sort == "int" and joined in COUNT:
        return "numel"
    return ""
