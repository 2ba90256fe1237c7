"""The arguments that a form of op has, in a style: roles, names, types, order."""

from __future__ import annotations

import random

from restyle.concepts import Concept
from restyle.conventions import IMAGE, NAMES, ODD, RETURNED, SCALARS, Style

_ROW_ROLES = {"batch": "batch", "batch_size": "batch", "channels": "channels", "rows": "m", "cols": "n", "m": "m"}
_ROW_ROLES |= {"n": "n", "M": "m", "N": "n", "num_rows": "m", "num_cols": "n"}
#: name, role, type
Argument = tuple[str, str, str]
_OBJECTS = ("struct", "value", "handle", "desc", "object", *ODD)


def type_name(style: Style, what: str) -> str:
    """The name of one of the header's types."""
    base = style.prefix or "lib"
    return f"{base}{what.capitalize()}_t" if style.case in ("camel", "pascal") else f"{base}_{what}_t"


def desc_name(style: Style) -> str:
    """The name of the type that describes a tensor."""
    return type_name(style, "tensorDesc" if style.case in ("camel", "pascal") else "tensor_desc")


def _tensor(style: Style, role: str, name: str, *, element: str = "float", writes: bool = False) -> list[Argument]:
    """(argument, role, type) of everything that carries one tensor."""
    const = "const " if style.const and not writes else ""
    if style.carrier == "typed":
        return [(name, role, f"{const}{element} *")]
    if style.carrier == "template":
        return [(name, role, f"{const}{element.replace('float', 'T')} *")]
    if style.carrier == "object":
        return [(name, role, f"const {type_name(style, 'tensor')} &")]
    if style.carrier == "void":
        return [(name, role, f"{const}void *")]
    if style.carrier == "struct":
        return [(name, role, f"{const}{type_name(style, 'tensor')} *")]
    if style.carrier in ("value", "handle"):
        return [(name, role, type_name(style, "tensor"))]
    if style.carrier == "buffer":
        return [(name, role, type_name(style, "mem")), (f"{name}_offset", "offset", "size_t")]
    held = type_name(style, style.noun)
    odd = {
        "expression": held,
        "wrapped": f"const {held} &",
        "shared": f"std::shared_ptr<{held}>",
        "integer": held,
        "ranked": f"{held} *",
        "unnamed": f"{held} *",
        "varargs": f"{held} **" if writes else f"{held} *",
        "address": f"{held} *" if writes else held,
    }
    if style.carrier in odd:
        return [(name, role, odd[style.carrier])]
    if style.carrier == "pair":
        return [(name, role, f"{const}void *"), (f"{name}_{style.noun}", f"desc.{role}", f"const {held} *")]
    desc = desc_name(style)
    joined = f"{name}Desc" if style.case in ("camel", "pascal") else f"{name}_desc"
    return [(joined, f"desc.{role}", desc), (name, role, f"{const}void *")]


def arguments(concept: Concept, style: Style, r: random.Random) -> list[Argument]:
    form, names = concept.form, NAMES[style.names]
    objects = style.carrier in _OBJECTS
    inputs, outputs, sizes, numbers = [], [], [], []

    def tensor(role: str, name: str = "", element: str = "float", *, writes: bool = False) -> None:
        named = name or names.get(role) or r.choice(SCALARS[role])
        (outputs if writes else inputs).extend(_tensor(style, role, named, element=element, writes=writes))

    def size(role: str, name: str) -> None:
        if not objects:
            sizes.append((name, role, style.integer))

    def number(role: str, name: str = "", type_: str = "float") -> None:
        by_pointer = style.scalar_by_pointer and type_ == "float" and role in ("alpha", "beta")
        numbers.append((name or r.choice(SCALARS[role]), role, "const float *" if by_pointer else type_))

    image = IMAGE[style.image]
    if form == "fill":
        number("scalar")
    if form not in ("fill", "where", "gather", "axpy"):
        one = form in ("unary", "scalar", "axis", "rows", "norm", "conv", "pool", "global", "linear", "copy", "resize",
                       "permute", "topk")  # fmt: skip
        tensor("input", names["input"])
        if not one and not (form == "reduce" and "dot" not in concept.accepted):
            tensor("weight" if concept.accepted[:1] == ("_prelu_kernel",) else "input2", names["input2"])
    if form == "where":
        tensor("condition", element="uint8_t")
        tensor("input", names["input"])
        tensor("input2", names["input2"])
    if form == "gather":
        embedding = (concept.accepted or ("",))[0] == "embedding"
        tensor("weight" if embedding else "input", "table" if embedding else names["input"])
        tensor("indices", element="int32_t")
    if form in ("unary", "binary", "scalar", "fill", "copy", "where", "reduce", "axpy"):
        size("numel", style.count)
    if form == "axpy":
        number("alpha", "alpha")
        tensor("input", "x")
        tensor("inout", "y", writes=True)
        if not objects:
            sizes.insert(0, sizes.pop())
        return _ordered(style, inputs, outputs, sizes, numbers, blas=True)
    if form == "axis":
        number("axis", type_="int")
        if not objects:
            sizes += [("shape", "shape.input", "const int *"), ("ndim", "rank.input", "int")]
    if form == "rows":
        pair = style.rows if (concept.accepted or ("",))[0] == "t" else r.choice((style.rows, ("rows", "cols")))
        if (concept.accepted or ("",))[0] == "t" and pair[0] in ("batch", "batch_size", "outer"):
            pair = ("rows", "cols")
        for name in pair:
            size(_ROW_ROLES.get(name, ""), name)
    if form == "norm":
        batch = (concept.accepted or ("",))[0] == "native_batch_norm"
        if batch:
            tensor("running_mean")
            tensor("running_var")
        tensor("weight", r.choice(("gamma", "weight", "scale")))
        if (concept.accepted or ("",))[0] != "rms_norm":
            tensor("bias", r.choice(("beta", "bias")))
        for role in concept.numbers:
            number(role, type_="int" if role == "groups" else "float")
        if batch:
            for role in ("batch", "in_c", "in_h", "in_w"):
                size("channels" if role == "in_c" else role, image[role])
        elif (concept.accepted or ("",))[0] == "native_group_norm":
            for role in ("batch", "in_c"):
                size("channels" if role == "in_c" else role, image[role])
        else:
            size("m", "rows")
            size("n", "cols")
    if form in ("conv", "pool", "global", "resize"):
        if form == "conv":
            weight = names["weight"] if names["weight"] not in ("gamma", "tensorW") else "weight"
            tensor("weight", weight)
            tensor("bias", "bias")
        for role in ("batch", "in_c", "in_h", "in_w"):
            size("channels" if role == "in_c" and form != "conv" else role, image[role])
        roles = {
            "conv": ["out_c", "kernel_h", "kernel_w"],
            "pool": ["kernel_h", "kernel_w"],
            "resize": ["out_h", "out_w"],
        }
        for role in roles.get(form, []):
            size(role, image[role])
        if form in ("conv", "pool"):
            more = ["stride_h", "stride_w", "pad_h", "pad_w"]
            more += ["dilation_h", "dilation_w", "groups"] if form == "conv" else []
            more = more if not objects else ["kernel_h", "kernel_w", *more] if form == "pool" else more
            numbers += [(image[m], m, "int") for m in more]
    if form == "linear":
        tensor("weight", names["weight"] if names["weight"] != "gamma" else "weight")
        tensor("bias", "bias")
        for role in ("batch", "in_c", "out_c"):
            size(role, r.choice(SCALARS[role]))
    if form in ("gemm", "gemv"):
        first, second = ("A", "B") if r.random() < 0.6 else ("a", "b")
        if form == "gemv":
            second = "x"
        inputs.clear()
        alpha = "const float *" if style.scalar_by_pointer else "float"
        tensor("input", first)
        tensor("input2", second)
        out = {"gemm": "C" if first == "A" else "c", "gemv": "y"}[form]
        tensor("inout", out, writes=True)
        size("m", "M" if first == "A" else "m")
        size("n", "N" if first == "A" else "n")
        if form == "gemm":
            size("k", "K" if first == "A" else "k")
        trans = [("transA", "trans.input", "bool")] + ([("transB", "trans.input2", "bool")] if form == "gemm" else [])
        if objects:
            return _framed(style, [*trans, ("alpha", "alpha", alpha), *inputs, ("beta", "beta", alpha), *outputs])
        half, whole = len(inputs) // 2, style.integer
        steps = ("ldb", "ldc") if form == "gemm" else ("incx", "incy")
        kind = "ld" if form == "gemm" else "inc"
        first_two = [*inputs[:half], ("lda", "ld.input", whole), *inputs[half:], (steps[0], f"{kind}.input2", whole)]
        last = [("beta", "beta", alpha), *outputs, (steps[1], f"{kind}.output", whole)]
        return _framed(style, [*trans, *sizes, ("alpha", "alpha", alpha), *first_two, *last])
    if form == "matmul":
        if (concept.accepted or ("",))[0] == "bmm":
            size("batch", "batch")
        for name in ("m", "n", "k"):
            size(name, name.upper() if style.case in ("upper", "pascal") else name)
    if form in ("unary", "scalar"):
        for role in concept.numbers or (("scalar",) if form == "scalar" else ()):
            number(role)
    if form == "permute":
        numbers.append(("perm", "dims", "const int *"))
        if not objects:
            sizes += [("shape", "shape.input", "const int *"), ("ndim", "rank.input", "int")]
    if form == "gather":
        if (concept.accepted or ("",))[0] != "embedding":
            number("axis", type_="int")
        size("", "num_indices")
        size("", "dim_size")
    if form == "topk":
        number("k", type_="int")
        size("m", "rows")
        size("n", "cols")
    if form == "fill":
        inputs.clear()
    tensor("output", names["output"] if form != "topk" else "values", writes=True)
    if form == "topk":
        tensor("indices", "indices", "int32_t", writes=True)
    if style.carrier in RETURNED:
        outputs.clear()
    return _ordered(style, inputs, outputs, sizes, numbers)


def _ordered(
    style: Style,
    inputs: list[Argument],
    outputs: list[Argument],
    sizes: list[Argument],
    numbers: list[Argument],
    *,
    blas: bool = False,
) -> list[Argument]:
    if blas:
        return _framed(style, [*sizes, *numbers, *inputs, *outputs])
    if style.order == "first" and style.carrier not in ("handle", "value", "integer", "unnamed", "varargs"):
        return _framed(style, [*outputs, *inputs, *numbers, *sizes])
    if style.order == "sizes_first":
        return _framed(style, [*sizes, *inputs, *numbers, *outputs])
    if style.order == "output_after_sizes":
        return _framed(style, [*inputs, *sizes, *numbers, *outputs])
    return _framed(style, [*inputs, *outputs, *numbers, *sizes])


def _framed(style: Style, arguments: list[Argument]) -> list[Argument]:
    """With element type, handle and stream, and no name twice."""
    if style.carrier in ("void", "buffer"):
        arguments = [*arguments, ("dtype", "dtype", type_name(style, "dtype"))]
    handle, stream = ("handle", "handle", type_name(style, "handle")), ("stream", "stream", type_name(style, "stream"))
    arguments = ([handle] if style.handle == "first" else []) + arguments + ([handle] if style.handle == "last" else [])
    arguments = ([stream] if style.stream == "first" else []) + arguments + ([stream] if style.stream == "last" else [])
    if style.unnamed:
        return [(f"arg{i}", role, type_) for i, (_, role, type_) in enumerate(arguments)]
    seen: set[str] = set()
    made = []
    for name, role, type_ in arguments:
        new = name if name not in seen else f"{name}_"
        seen.add(new)
        made.append((new, role, type_))
    return made
