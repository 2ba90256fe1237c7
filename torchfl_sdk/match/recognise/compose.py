"""Numbers whose names are made of two words: of what (input, kernel, stride...) and along which axis."""

from __future__ import annotations

from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.match.vocabulary.arguments import table

_WHAT = table(
    """
    in: in input inp inputs src ifm bottom i
    out: out output outp outputs dst ofm top o
    kernel: kernel ker kern krn filter filt flt window win pool pooling wei weight weights k f
    stride: stride strides subsampling str
    pad: pad pads padding paddings
    dilation: dilation dilations dilate dil
    """
)
_AXIS = table(
    """
    h: h ht hgt hei height y vert vertical high
    w: w wd wid width x horz horizontal wide
    c: c ch chan chans channel channels depth feature features maps
    n: n batch
    t: t up
    b: b down
    l: l left
    r: r right
    """
)
_BENIGN = frozenset(words("im image img fm map data size num number dim dims of len count spatial nb"))
_SPATIAL = ("conv", "pool", "linear", "norm", "softmax", "resize", "unary", "binary", "shape")
_FEATURES = frozenset(words("size features dim dims channels units neurons nodes length len width count"))
_COUNTED = frozenset(
    words("elm elms elem elems element elements point points pts sample samples item items vals values")
)
_COUNTS = frozenset(words("num n nb number count cnt total of the vec vector data array buf buffer length len size"))


def composed(part: Part, kind: str) -> str:
    """The role that the words of a number's name make together, or ""."""
    named = [w for w in part.words if w not in _BENIGN] or list(part.words)
    if (
        len(part.words) > 1
        and set(part.words) <= _COUNTED | _COUNTS
        and set(part.words) & (_COUNTED | {"length", "len"})
    ):
        return "numel"
    if named == ["batch"] and part.sort == "int":
        return "batch"
    if (
        part.sort == "int"
        and kind in ("conv", "pool")
        and named != list(part.words)
        and [_WHAT.get(w) for w in named] == ["kernel"]
    ):
        return "kernel"
    if kind in ("softmax", "linear") and part.joined in ("dimvec", "veclength", "rowsize"):
        return "numel" if kind == "softmax" else "in_c"
    if kind == "linear" and part.sort == "int" and len(part.words) in (2, 3) and set(part.words) & _FEATURES:
        what = next((_WHAT[w] for w in part.words if _WHAT.get(w) in ("in", "out")), "")
        if what:
            return f"{what}_c"
    if len(named) == 3 and _WHAT.get(named[0]) == "pad" and named[1] in ("x", "y", "h", "w"):
        named = [named[0], named[2]]  # padding_y_top
    if kind not in _SPATIAL or len(named) != 2:
        return ""
    for first, second in (named, named[::-1]):
        what, axis = _WHAT.get(first, ""), _AXIS.get(second, "")
        if what == "pad" and second in ("top", "bottom", "left", "right"):
            axis = second[0]
        if what and axis and (part.sort == "int" or axis not in "lr"):
            return _role(what, axis, kind)
    return ""


def _role(what: str, axis: str, kind: str) -> str:
    if what in ("in", "out"):
        if axis == "n":
            return "batch"
        if axis == "c" and kind in ("pool", "norm", "softmax", "resize"):
            return "channels"
        return f"{what}_{axis}" if axis in "hwc" else ""
    if what == "pad":
        return f"pad_{axis}" if axis in "hwtblr" else ""
    if what == "kernel" and axis == "c":
        return "in_c"
    return f"{what}_{axis}" if axis in "hw" else ""
