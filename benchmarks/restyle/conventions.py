"""The choices a vendor makes when it writes a header: names, carriers of tensors, order and names of arguments."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

PREFIXES = ("vnd", "qx", "acmenn", "zeta", "npx", "orb", "tpl", "hw", "kcore", "fab")
CASES = ("snake", "snake", "camel", "camel", "pascal", "glued", "upper", "lower_glued_dtype")
DTYPES = ("", "f32_end", "float_end", "fp32_end", "letter_end", "prefix_letter", "f32_front", "infix", "both")
VERBS = (
    "",
    "",
    "",
    "forward",
    "op",
    "kernel",
    "compute",
    "v2",
    "ex",
    "async",
    "run",
    "tensor",
    "elementwise",
    "execute",
)
_MARKS = {"f32_end": "f32", "float_end": "float", "fp32_end": "fp32", "letter_end": "s", "infix": "f32"}
_TYPED = ("f32", "float", "fp32", "s")
CARRIERS = ("typed", "typed", "typed", "void", "struct", "value", "handle", "desc", "buffer", "object", "template")
#: Carriers whose types and fields say nothing: objects of a class by value, wrapped in a result, shared; integers that
#: stand for objects; structs with strange fields; optional arguments behind the operands; data with a form of its
#: own; parameters without names; results by address.
ODD = ("expression", "wrapped", "shared", "integer", "ranked", "varargs", "pair", "unnamed", "address")
#: Carriers of C++, and those of them whose functions return what they compute.
CLASSES = ("object", "template", "expression", "wrapped", "shared")
RETURNED = ("object", "expression", "wrapped", "shared")
NOUNS = ("slab", "plex", "cell", "term", "frame", "chunk", "piece", "sheet")
STATUS = ("int", "enum", "void", "macro", "bool")
ORDERS = ("last", "first", "sizes_first", "output_after_sizes")
COMMENTS = ("none", "none", "plain", "doxygen")

#: role of a tensor -> its names in each set of argument names
NAMES: tuple[dict[str, str], ...] = (
    {"input": "input", "input2": "other", "output": "output", "weight": "weight", "bias": "bias"},
    {"input": "src", "input2": "src1", "output": "dst", "weight": "weights", "bias": "bias"},
    {"input": "x", "input2": "y", "output": "z", "weight": "w", "bias": "b"},
    {"input": "a", "input2": "b", "output": "c", "weight": "filter", "bias": "bias"},
    {"input": "in", "input2": "in2", "output": "out", "weight": "kernel", "bias": "bias"},
    {"input": "pIn", "input2": "pIn2", "output": "pOut", "weight": "pWeight", "bias": "pBias"},
    {"input": "lpSrc", "input2": "lpSrc2", "output": "lpDst", "weight": "lpFilter", "bias": "lpBias"},
    {"input": "inA", "input2": "inB", "output": "result", "weight": "gamma", "bias": "beta"},
    {"input": "d_in", "input2": "d_in2", "output": "d_out", "weight": "d_weight", "bias": "d_bias"},
    {"input": "lhs", "input2": "rhs", "output": "res", "weight": "wgt", "bias": "bias"},
    {"input": "input0", "input2": "input1", "output": "output0", "weight": "weight", "bias": "bias"},
    {"input": "src_ptr", "input2": "src2_ptr", "output": "dst_ptr", "weight": "weight_ptr", "bias": "bias_ptr"},
    {"input": "bottom", "input2": "bottom2", "output": "top", "weight": "weight", "bias": "bias"},
    {"input": "ifm", "input2": "ifm2", "output": "ofm", "weight": "weights", "bias": "biases"},
    {"input": "p_inp", "input2": "p_inp2", "output": "p_out", "weight": "p_weight", "bias": "p_bias"},
    {"input": "tensorA", "input2": "tensorB", "output": "tensorC", "weight": "tensorW", "bias": "tensorBias"},
)
COUNTS = tuple(
    """n len count num_elements size length numel nelem N elem_cnt uLength numSamples num dataLen
    total""".split()  # noqa: SIM905
)
#: names of a matrix's rows and columns
ROWS = (("rows", "cols"), ("m", "n"), ("batch", "channels"), ("batch_size", "num_classes"), ("outer", "inner"),
        ("num_rows", "num_cols"), ("M", "N"), ("height", "width"))  # fmt: skip
#: role -> names, one of each set
IMAGE: tuple[dict[str, str], ...] = (
    {"batch": "n", "in_c": "c", "in_h": "h", "in_w": "w", "out_c": "k", "kernel_h": "r", "kernel_w": "s",
     "stride_h": "stride_h", "stride_w": "stride_w", "pad_h": "pad_h", "pad_w": "pad_w", "dilation_h": "dilation_h",
     "dilation_w": "dilation_w", "groups": "groups", "out_h": "p", "out_w": "q"},
    {"batch": "batch", "in_c": "in_channels", "in_h": "in_height", "in_w": "in_width", "out_c": "out_channels",
     "kernel_h": "kernel_h", "kernel_w": "kernel_w", "stride_h": "stride_h", "stride_w": "stride_w", "pad_h": "pad_h",
     "pad_w": "pad_w", "dilation_h": "dilation_h", "dilation_w": "dilation_w", "groups": "groups",
     "out_h": "out_height", "out_w": "out_width"},
    {"batch": "N", "in_c": "IC", "in_h": "IH", "in_w": "IW", "out_c": "OC", "kernel_h": "KH", "kernel_w": "KW",
     "stride_h": "SH", "stride_w": "SW", "pad_h": "PH", "pad_w": "PW", "dilation_h": "DH", "dilation_w": "DW",
     "groups": "G", "out_h": "OH", "out_w": "OW"},
    {"batch": "batchSize", "in_c": "inputChannels", "in_h": "inputHeight", "in_w": "inputWidth",
     "out_c": "outputChannels", "kernel_h": "kernelHeight", "kernel_w": "kernelWidth", "stride_h": "strideHeight",
     "stride_w": "strideWidth", "pad_h": "padHeight", "pad_w": "padWidth", "dilation_h": "dilationHeight",
     "dilation_w": "dilationWidth", "groups": "groupCount", "out_h": "outputHeight", "out_w": "outputWidth"},
    {"batch": "nb", "in_c": "ch_in", "in_h": "h_in", "in_w": "w_in", "out_c": "ch_out", "kernel_h": "h_kernel",
     "kernel_w": "w_kernel", "stride_h": "h_stride", "stride_w": "w_stride", "pad_h": "h_pad", "pad_w": "w_pad",
     "dilation_h": "h_dilation", "dilation_w": "w_dilation", "groups": "group", "out_h": "h_out", "out_w": "w_out"},
    {"batch": "num_batch", "in_c": "src_c", "in_h": "src_h", "in_w": "src_w", "out_c": "dst_c", "kernel_h": "filter_h",
     "kernel_w": "filter_w", "stride_h": "stride_y", "stride_w": "stride_x", "pad_h": "pad_y", "pad_w": "pad_x",
     "dilation_h": "dilate_y", "dilation_w": "dilate_x", "groups": "num_groups", "out_h": "dst_h", "out_w": "dst_w"},
)  # fmt: skip
#: role of a number -> its names
SCALARS: dict[str, tuple[str, ...]] = {
    "negative_slope": ("slope", "alpha", "negative_slope", "leak"),
    "alpha": ("alpha",),
    "min": ("min", "lo", "min_val", "lower"),
    "max": ("max", "hi", "max_val", "upper"),
    "threshold": ("threshold", "thresh"),
    "value": ("value", "replacement"),
    "scalar": ("scalar", "value", "val", "constant"),
    "eps": ("eps", "epsilon"),
    "groups": ("groups", "num_groups", "group"),
    "axis": ("axis", "dim", "reduce_axis"),
    "keepdim": ("keepdim", "keep_dims", "keepDims"),
    "k": ("k", "K", "top_k"),
    "largest": ("largest",),
    "running_mean": ("mean", "running_mean", "moving_mean", "estMean"),
    "running_var": ("var", "running_var", "variance", "moving_variance"),
    "condition": ("cond", "condition", "pred"),
    "mask": ("mask",),
    "indices": ("indices", "index", "idx", "ids"),
    "in_c": ("in_features", "input_size", "in_dim", "ic"),
    "out_c": ("out_features", "output_size", "out_dim", "oc"),
    "batch": ("batch", "batch_size", "batches", "bs"),
}


@dataclass(frozen=True)
class Style:
    """One vendor's conventions; every choice has a name, by which results are told apart."""

    prefix: str
    case: str
    dtype: str
    verb: str
    verb_first: bool
    carrier: str
    names: int
    count: str
    rows: tuple[str, str]
    image: int
    order: str
    const: bool
    status: str
    comments: str
    handle: str  # "" | first | last
    stream: str  # "" | first | last
    scalar_by_pointer: bool
    unnamed: bool
    integer: str
    noun: str = "tensor"  # what the header calls a tensor

    @staticmethod
    def draw(seed: int, *, odd: bool = False) -> Style:
        """The style of a seed; combinations in which a reader could not know what is meant are not drawn.

        ``odd``: with a carrier that no name or field tells.
        """
        r = random.Random(seed)
        carrier = r.choice(ODD if odd else CARRIERS)
        unnamed = carrier == "unnamed" or (carrier == "typed" and r.random() < 0.06)
        names = r.randrange(len(NAMES))
        order = r.choice(ORDERS) if r.random() < 0.6 else "last"
        case = r.choice(CASES)
        dtype = r.choice(DTYPES) if carrier == "typed" else r.choice(("", "", "f32_end"))
        dtype = "" if carrier in ("object", "template", *ODD) else dtype
        verb = r.choice(VERBS)
        if case in ("glued", "lower_glued_dtype") and dtype in ("infix", "f32_front", "both", "letter_end"):
            dtype = "f32_end"
        if dtype in ("prefix_letter", "letter_end"):
            verb = ""  # a letter beside a further word says nothing
        return Style(
            prefix=r.choice(("", *PREFIXES[1:])) if r.random() < 0.25 else r.choice(PREFIXES),
            case=case,
            dtype=dtype,
            verb=verb,
            verb_first=r.random() < 0.2,
            carrier=carrier,
            names=names,
            count=r.choice(COUNTS),
            rows=r.choice(ROWS),
            image=r.randrange(len(IMAGE)),
            order=order,
            const=unnamed or carrier == "desc" or names in (2, 3) or r.random() < 0.75,
            status=r.choice(STATUS),
            comments=r.choice(COMMENTS),
            handle=r.choice(("", "", "first", "first", "last")) if carrier != "typed" else r.choice(("", "", "first")),
            stream=r.choice(("", "", "", "last", "first")),
            scalar_by_pointer=r.random() < 0.1,
            unnamed=unnamed,
            integer=r.choice(("int", "size_t", "uint32_t", "int64_t", "int32_t")),
            noun=r.choice(NOUNS) if odd else "tensor",
        )

    def function(self, words: Sequence[str], *, elementwise: bool = False) -> str:
        """The name of a function over 32-bit floats."""
        parts = list(words)
        if self.verb and (elementwise or self.verb != "elementwise"):
            first = self.verb in ("run", "compute", "execute", "elementwise", "tensor") or self.verb_first
            suffix = self.verb in ("v2", "ex", "async")
            parts = [*parts, self.verb] if suffix or not first else [self.verb, *parts]
        mark = {"f32_end": "f32", "float_end": "float", "fp32_end": "fp32", "letter_end": "s", "infix": "f32"}.get(
            self.dtype, ""
        )
        glued_letter = "s" if self.dtype == "prefix_letter" else ""
        if glued_letter:
            parts[0] = glued_letter + parts[0]
        if self.dtype == "f32_front":
            parts = ["f32", *parts]
        elif self.dtype == "both":
            parts = [*parts, "f32", "f32"]
        elif self.dtype == "infix" and len(parts) > 1:
            parts = [parts[0], mark, *parts[1:]]
        elif mark and self.dtype != "infix":
            parts = [*parts, mark]
        return self.spell(parts)

    @property
    def scope(self) -> str:
        """The C++ namespace, or "" in C."""
        return (self.prefix or "lib") if self.carrier in CLASSES else ""

    def spell(self, parts: Sequence[str]) -> str:
        """Words as one identifier, with the prefix."""
        parts = list(parts)
        prefix = "" if self.scope else self.prefix
        if self.case == "snake":
            return "_".join(([prefix] if prefix else []) + parts)
        if self.case == "upper":
            return "_".join(p.upper() for p in (([prefix] if prefix else []) + parts))
        if self.case == "camel":
            rest = "".join(p[:1].upper() + p[1:] for p in parts)
            return prefix + rest if prefix else rest[:1].lower() + rest[1:]
        if self.case == "pascal":
            return prefix.capitalize() + "".join(p[:1].upper() + p[1:] for p in parts)
        apart = self.case == "lower_glued_dtype" and len(parts) > 1 and parts[-1] in _TYPED
        body = f"{''.join(parts[:-1])}_{parts[-1]}" if apart else "".join(parts)
        return f"{prefix}_{body}" if prefix else body
