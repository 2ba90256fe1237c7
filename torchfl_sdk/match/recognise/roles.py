"""The role of every argument once the op and its tensors are known, and which overload is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import CType
from torchfl_sdk.match.recognise import created, scalars
from torchfl_sdk.match.recognise.blas_order import Tensors
from torchfl_sdk.match.recognise.carriers import (
    CARRIERS,
    STATE,
    creates,
    is_room,
    is_scratch,
    is_workspace,
    optional_result,
    own_desc,
)
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.objects import is_parameter
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.match.vocabulary import Word
from torchfl_sdk.match.vocabulary.arguments import COLUMNS, NUMBERS, ROWS

_OBJECTS = ("handle", "out_handle", "stream", "params")
#: First letters of a descriptor's name -> what it describes, for those that describe no tensor.
_ABOUT = (
    ("conv", "conv"),
    ("pool", "pool"),
    ("activation", "activation"),
    ("act", "activation"),
    ("dropout", "dropout"),
    ("bnscalebias", "param"),
    ("norm", "norm"),
    ("rnn", "rnn"),
    ("reduce", "op"),
    ("op", "op"),
    ("st", "op"),
    ("stat", "stat"),
)


@dataclass(frozen=True)
class Context:
    """What is known of a function while the roles of its arguments are found."""

    word: Word
    naming: Naming
    parts: Sequence[Part]
    found: Tensors
    names: Mapping[str, str]  # base name of a tensor -> its role
    selected: str = ""  # the argument that chooses the op


def argument_roles(word: Word, naming: Naming, parts: Sequence[Part], found: Tensors, selected: str) -> tuple[
    tuple[str, str], ...
]:  # fmt: skip
    """(name, role) of every argument in C order; the role of one that nothing explains is ""."""
    names = {p.base: found.roles[p.index] for p in parts if p.index in found.roles}
    context = Context(word, naming, parts, found, names, selected)
    roles = _by_position(word, parts, [_role(p, context) for p in parts])
    if naming.protocol == "create" and creates(parts):
        roles = created.sizes(parts, word.kind, roles)
    return tuple((p.name or f"arg{p.index}", role) for p, role in zip(parts, roles, strict=True))


#: Ops whose numbers have one usual order, for those that have no telling names.
_IN_ORDER = {"aten::clamp": ("min", "max"), "aten::arange.start_out": ("start", "step")}


#: Ops over matrices of rows, and ops that need no number but how many elements there are.
_OVER_ROWS = ("unary", "binary", "shape", "norm", "softmax", "sort", "transpose", "reduce", "arg_reduce")
_COUNTED = ("unary", "binary", "ternary", "fill", "zero", "copy", "axpy", "scal", "dot", "vector_reduce")


def _by_position(word: Word, parts: Sequence[Part], roles: list[str]) -> list[str]:
    """Roles of numbers that only their order tells, and of transpose flags that are called anything."""
    order = _IN_ORDER.get(word.aten, ())
    numbers = [p.index for p in parts if p.sort in ("float", "scalar_pointer")]
    if order and len(numbers) == len(order) and all(roles[i] in ("", "scalar", "channels") for i in numbers):
        for i, role in zip(numbers, order, strict=True):
            roles[i] = role
    if word.aten.startswith("aten::leaky_relu"):
        roles = [
            "negative_slope" if r in ("alpha", "scalar") and p.sort in ("float", "scalar_pointer") else r
            for r, p in zip(roles, parts, strict=True)
        ]
    if word.kind == "binary" and len([r for r in roles if r in ("alpha", "scalar")]) == 1 and word.inplace:
        roles = [
            "alpha" if r == "scalar" and "scale" in p.words and len(p.words) > 1 else r
            for r, p in zip(roles, parts, strict=True)
        ]
    if word.aten == "aten::threshold":
        limits = [p.index for p in parts if p.sort in ("float", "scalar_pointer") and roles[p.index] == "scalar"]
        for i, role in zip(limits, ("threshold", "value"), strict=False):
            roles[i] = role if len(limits) == 2 else roles[i]
    if word.aten == "aten::fill_.Scalar" and not {"scalar", "alpha"} & set(roles):
        values = [p.index for p in parts if p.sort in ("int", "float", "scalar_pointer") and not roles[p.index]]
        if len(values) == 1 and "numel" in roles:
            roles[values[0]] = "scalar"
    if word.kind == "scal" and "output" in roles:
        roles = ["scalar" if r == "alpha" else r for r in roles]
    if word.kind == "fill" and "scalar" not in roles and roles.count("alpha") == 1:
        roles = ["scalar" if r == "alpha" else r for r in roles]
    named = {p.joined: p.index for p in parts if p.sort == "int"}
    if word.kind in ("norm", "softmax", "sort", "shape") and {"m", "n"} <= set(named):
        roles[named["m"]], roles[named["n"]] = "m", "n"
    rows = next((named[name] for name in ROWS if name in named), None)
    columns = next((named[name] for name in COLUMNS if name in named), None)
    if word.kind in _OVER_ROWS and rows is not None and columns is not None:
        roles[rows], roles[columns] = "m", "n"
    roles = _square(word, parts, _extents(word, parts, roles))
    room = [p.index for p in parts if roles[p.index] == "workspace"]
    for part in parts:
        beside = {w for i in room if abs(part.index - i) == 1 for w in (*parts[i].words, "size", "bytes")}
        if beside and part.sort == "int" and set(part.words) <= beside and {"size", "bytes"} & set(part.words):
            roles[part.index] = "workspace_size"
    if word.kind in _COUNTED and "numel" not in roles:  # of one number, how many elements there are
        roles = ["numel" if r == "shape.input" and p.sort == "int" else r for r, p in zip(roles, parts, strict=True)]
    open_numbers = [p.index for p in parts if p.sort == "int" and not roles[p.index]]
    if word.kind in _COUNTED and "numel" not in roles and len(open_numbers) == 1 and not any(
        role in ("m", "n") or role.startswith(("shape", "rank")) for role in roles
    ):  # fmt: skip
        roles[open_numbers[0]] = "numel"  # what else could the only number be
    flags = [p.index for p in parts if p.sort in ("enum", "bool") and not roles[p.index] and _transposes(p)]
    if word.kind in ("matmul", "gemm", "gemm_batched") and len(flags) == 2:
        roles[flags[0]], roles[flags[1]] = "trans.input", "trans.input2"
    return roles


def _square(word: Word, parts: Sequence[Part], roles: list[str]) -> list[str]:
    """``n`` beside leading dimensions counts columns, not elements; so does that of a square matrix."""
    matrices = any(r.startswith("ld.") for r in roles) or "linalg" in word.aten or "cholesky" in word.aten
    if not matrices or word.kind not in ("shape", "solve", "vcopy", "copy", "reduce", "transpose"):
        return roles
    named = {"n": ("numel", ""), "m": ("",)}
    return [p.joined if p.sort == "int" and r in named.get(p.joined, ()) else r
            for p, r in zip(parts, roles, strict=True)]  # fmt: skip


#: Ops whose only extents are those of the result.
_TO_SHAPE = ("aten::view", "aten::reshape", "aten::expand", "aten::fill_.Scalar", "aten::zero_", "aten::repeat")


def _counts(type_: CType) -> bool:
    return type_.kind == "int" or is_parameter(type_)


def _extents(word: Word, parts: Sequence[Part], roles: list[str]) -> list[str]:
    """One array of extents is the operand's, or the result's where the op gives a shape; and how many it holds."""
    about = "output" if word.aten in _TO_SHAPE else "input"
    both = [p for p in parts if roles[p.index] == "dims" and p.sort == "ints"]
    if len(both) == 2 and any(p.joined in _PERMUTED for p in both):  # what lies there, and how it shall
        roles = ["shape" if p in both and p.joined not in _PERMUTED else r for p, r in zip(parts, roles, strict=True)]
    shapes = [p for p in parts if roles[p.index] == "shape" and p.param.type.kind in ("pointer", "array", "other")
              and p.param.type.pointee is not None and _counts(p.param.type.pointee)]  # fmt: skip
    vectors = [p for p in parts if roles[p.index] == "shape" and "vector" in p.param.type.canonical]
    objects = [p for p in parts if roles[p.index] == "shape" and p.sort == "tensor"]
    for part in shapes or vectors or objects:
        roles[part.index] = f"shape.{about}"
    if shapes:
        for part in parts:
            if (
                part.sort == "int"
                and part.joined in _RANKS
                and roles[part.index] in ("", "rank", "dims", "axis", "shape")
            ):
                roles[part.index] = f"rank.{about}"
    return roles


_NUMBERS = ("axis", "axes", "dim", "dims", "k", "min", "max", "keepdim")
_ATTRIBUTE_TYPES = frozenset(words("dims dim ints shape size sizes extents array scalar number list"))
_PERMUTED = ("axes", "perm", "permutation", "permute", "order")
_RANKS = ("dims", "shapedim", "shapedims", "ndim", "ndims", "numdims", "rank", "shapelen", "shapesize", "nd", "numdim")


def _transposes(part: Part) -> bool:
    names = set(part.words) | part.type_words
    return bool(names & {"trans", "transpose", "op", "opt", "prop", "t", "transposed"})


def _role(part: Part, known: Context) -> str:
    if part.index in known.found.roles:
        role = known.found.roles[part.index]
        if part.sort == "desc":
            return f"list.desc.{role}" if part.plural else f"desc.{role}"
        return {"id": f"id.{role}", "list": f"list.{role}"}.get(part.sort, role)
    if part.name and part.name == known.selected and part.sort in ("enum", "int"):
        return "algo" if part.joined in ("algkind", "algo", "alg", "algorithm") else "op_kind"
    if part.sort == "desc":
        return _desc_role(part, known)
    if optional_result(part):
        return "output"
    if part.sort == "data" and is_scratch(part, [p for p in known.parts if p.sort in CARRIERS]):
        return "workspace"
    if is_workspace(part):
        return "workspace_size" if part.sort in ("int", "int_out") or "size" in part.words else "workspace"
    if part.sort == "data" and (part.base in STATE or is_room(part, [p for p in known.parts if p.sort == "data"])):
        return "workspace"
    if part.sort in ("params", "handle") and part.param.type.kind != "pointer" and part.joined in _NUMBERS:
        return {"axes": "dims", "dim": "axis"}.get(part.joined, part.joined)  # a scalar of the library's own
    if part.sort == "handle" and part.type_words & _ATTRIBUTE_TYPES and part.joined in NUMBERS:
        return scalars.scalar_role(part, known.word.kind, known.names)  # an array or a number of the library's own
    if part.sort in _OBJECTS:
        return scalars.handle_role(part)
    return scalars.scalar_role(part, known.word.kind, known.names)


def launch_role(part: Part) -> str:
    """The role of an argument of a call that only launches: workspace, plan, stream."""
    if is_workspace(part):
        return "workspace_size" if part.sort in ("int", "int_out") or "size" in part.words else "workspace"
    return scalars.handle_role(part) if part.sort in _OBJECTS else ""


def _desc_role(part: Part, known: Context) -> str:
    base, names, found = part.base, known.names, known.found
    if part.carrier is not None and part.carrier.describes:  # one for each tensor, in their order
        own = [p.index for p in known.parts if p.carrier == part.carrier]
        tensors = sorted(found.roles)
        if len(own) == len(tensors):
            return f"desc.{found.roles[tensors[own.index(part.index)]]}"
    single = part.joined in ("desc", "descriptor") and not any(p.sort == "desc" and p is not part for p in known.parts)
    if single and not part.type_words & {"tensor", "tensors"} and not known.naming.protocol:
        return "op"
    if part.written and known.naming.protocol and own_desc(part):
        return "out_pd" if {"primitive", "pd"} & set(part.words) else "out_desc"
    listed = "list." if part.plural and any(p.sort == "list" for p in known.parts) else ""
    if base in names:
        return f"{listed}desc.{names[base]}"
    following = next((p for p in known.parts[part.index + 1 :] if p.index in found.roles), None)
    if following is not None and (base.endswith(following.base) or following.base.endswith(base)) and base:
        return f"{listed}desc.{found.roles[following.index]}"
    joined = "".join(w for w in part.words if w not in ("desc", "descriptor"))
    for head, role in _ABOUT:
        if joined.startswith(head):
            return f"desc.{role}"
    told = next((r for h, r in _ABOUT if len(h) >= 4 and any(w.startswith(h) for w in part.type_words)), "")
    if told and joined in ("", "info", "op", "params", "param"):
        return f"desc.{told}"
    mates = [p for p in known.parts if p.index in found.roles and p.base and (p.base in base or base in p.base)]
    if mates:
        return f"{listed}desc.{found.roles[mates[0].index]}"
    if following is not None and following.index == part.index + 1:
        if found.roles[following.index] == "inout" and base in ("input", "src", "x"):
            return f"{listed}desc.input"
        return f"{listed}desc.{found.roles[following.index]}"
    return "desc.op"


def overload(word: Word, found: Tensors, naming: Naming, roles: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The overload that is meant and the others that the same call serves."""
    aten, others = word.aten, list(word.alternatives)
    if found.scalar and word.scalar:
        aten = word.scalar
        base = word.scalar.split(".")[0]
        others.append(word.aten)
        if found.inplace:
            others.append(word.scalar.replace(base, f"{base}_"))
        if naming.reversed and base == "aten::sub":
            aten = "aten::rsub.Scalar"
    elif found.inplace and word.inplace:
        aten, others = word.inplace, [word.aten, *others]
    results = found.roles.values()
    if word.kind == "scal" and "output" in results:
        aten, others = "aten::mul.Scalar", ["aten::mul.Tensor", word.aten]
    if word.kind == "gemm" and "output" in results and "inout" not in results:
        aten, others = "aten::mm", [word.aten, *(o for o in others if o != "aten::mm")]
    if word.aten == "aten::relu" and "negative_slope" in roles:
        aten, others = "aten::leaky_relu", ["aten::relu"]
    if word.aten == "aten::threshold_backward" and "negative_slope" in roles:
        aten, others = "aten::leaky_relu_backward", ["aten::threshold_backward"]
    if word.kind == "reduce" and {"axis", "dims", "keepdim"} & set(roles) and others:
        aten, others = others[0], [aten, *others[1:]]
    if found.indices and word.aten in ("aten::max", "aten::min"):
        aten, others = (
            f"{word.aten}.dim",
            [word.aten, word.aten.replace("::", "::arg"), word.aten.replace("::", "::a")],
        )
    return aten, tuple(dict.fromkeys(o for o in others if o != aten))
