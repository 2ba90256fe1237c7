"""Roles of the arguments that are no tensors: extents, strides, scalars, attributes, selectors, handles."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torchfl_sdk.match.recognise.compose import composed
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import words


def _table(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.strip().splitlines():
        role, names = line.split(":")
        found.update(dict.fromkeys(names.split(), role.strip()))
    return found


#: Joined names of numbers and arrays of numbers -> role, whatever the op.
_NUMBERS = _table(
    """
    eps: eps epsilon epsvalue epsilonvalue
    momentum: momentum exponentialaveragefactor expavgfactor averagefactor
    batch: batch batchsize batchcount batches nbatch numbatch batchnum bs batchsz
    groups: groups group groupcount ngroups numgroups groupnum ngroup
    in_h: inputheight ih hin inh inheight srcheight xh hi heightin inputh srch
    in_w: inputwidth iw win inw inwidth srcwidth xw wi widthin inputw srcw
    out_h: outputheight oh hout outh outheight dstheight yh ho heightout outputh dsth
    out_w: outputwidth ow wout outw outwidth dstwidth yw wo widthout outputw dstw
    in_c: inputchannels ic cin inc inchannels inputchannel srcchannels groupinputchannels inputfeatures infeatures ci
    in_c: inputdepth channelsin numinputchannels indim inputdim inputc
    out_c: outputchannels oc cout outc outchannels outputchannel dstchannels groupoutputchannels outputfeatures
    out_c: outfeatures co outputdepth channelsout numoutputchannels outdim outputdim outputc
    kernel_h: kernelheight kh kernelh poolingheight poolheight filterheight windowheight fh windowh poolh filterh
    kernel_w: kernelwidth kw kernelw poolingwidth poolwidth filterwidth windowwidth fw windoww poolw filterw
    stride_h: strideheight strideh sh stridesheight subsamplingheight stridey outputsubsamplingheight hstride
    stride_h: stridevertical
    stride_w: stridewidth stridew sw strideswidth subsamplingwidth stridex wstride stridehorizontal
    pad_h: padheight padh ph paddingheight paddingh pady hpad paddingvertical paddingy
    pad_w: padwidth padw pw paddingwidth paddingw padx wpad paddinghorizontal paddingx
    pad_t: paddingtop padtop inputpaddingtop padt topad pt
    pad_b: paddingbottom padbottom inputpaddingbottom padb pb
    pad_l: paddingleft padleft inputpaddingleft padl pl
    pad_r: paddingright padright inputpaddingright padr pr
    dilation_h: dilationheight dilationh dh dilateh dilatey hdilation dilateheight dilationy
    dilation_w: dilationwidth dilationw dw dilatew dilatex wdilation dilatewidth dilationx
    stride: stride strides convstride convstrides subsampling outputsubsampling stridesize poolstride
    padding: pad pads padding paddings padhw pada inputpadding padsize
    padding_l: paddingl padbefore padsbegin
    padding_r: paddingr padafter padsend
    pad_pre: prepadding prepaddings padstart
    pad_post: postpadding postpaddings padend
    dilation: dilation dilations dilate dilates
    kernel: kernel window ksize kernelsize filtersize windowsize windowdims kernelshape poolsize poolingsize kernels
    kernel: poolingkernel poolingsize
    stride: poolingstride
    out_c: numkernels
    kernel_mode: kernelmode
    activation: activation activationtype
    activation_params: activationparameters activationparams
    axis: axis dim dimension softmaxaxis logsoftmaxaxis concatdimension concataxis dimid reducedim axisid reduceaxis
    dims: axes dims reducedims dimensions normalizedshape perm permutation axesarray rdims permute reducedims reduceaxes
    keepdim: keepdim keepdims keepdimension
    channels: channels channel nchannels numchannels c
    workspace_size: workspacesize workspacesizeinbytes lwork worksize bufferbytes wssize workbuffersize
    workspace_size: tempsize scratchsize reservespacesizeinbytes workspacebytes tempstoragebytes sizeworkspace
    algo: algo algorithm algkind alg algorithmid
    flags: flags flag
    mode: mode
    hint: hint
    mean: mean mu
    std: stddev std sigma
    direction: direction
    hint: hinttype
    seed: seed
    negative_slope: slope negativeslope leak negslope
    scalar: val value nvalue scalar level constant valueptr const threshold fillvalue otherscalar exponent paddingvalue
    p: p prob probability ratio dropoutprob dropprob keepprob
    out_min: outactivationmin activationmin
    out_max: outactivationmax activationmax
    min: low outputmin minval minvalue lo lower min lowerbound minimum clipmin floorvalue clampmin
    max: high outputmax maxval maxvalue hi upper max upperbound maximum clipmax ceilvalue clampmax
    prop_kind: propkind
    compute_type: computetype computeprecision mathtype accumulatetype computedesc executiontype
    dtype.alpha: alphatype
    dtype.beta: betatype
    trans: trans transpose ctrans optrans op ctranspose
    side: side
    uplo: uplo
    diag: diag
    order: order corder layoutorder storageorder rowmajor majorness
    layout: layout format tensorformat dataformat memoryformat tensorlayout
    group_size: groupsize
    padding_idx: paddingidx
    approximate: approximate approximation
    start: begins starts begin start
    step: step
    end: ends
    layout: isnchw channelslast
    k: topk numtop
    largest: largest descending
    sorted: sorted
    normalized: normalized
    alignment: alignment
    scale: scalefactor scale
    scale_factors: factors scalefactors
    width: width
    height: height
    rank: numdims ndims ndim rank nbdims numdim dimcount
    shape: shape roisize sizeroi roi dstroisize srcroisize
    """
)
_COUNT = frozenset(
    words("""n len length count numel num size elements nelements nelem nelems numelements elementcount numelem elems ne
    number total cnt nlength datasize elementnum numelems vectorlength veclen vlen ndata npts samples
    numsamples nsample blocksize numpoints npoints numpts nvalues
    vectorsize elemnum npoints totalsize datalen nsamples sz elementsnum numberofelements""")
)
_HANDLES = (
    (frozenset({"threadpool", "pthreadpool"}), "threadpool"),
    (frozenset(words("stream queue cmdqueue commandqueue streamctx")), "stream"),
    (frozenset(words("subgraph graph network model builder net program")), "graph"),
    (frozenset(words("engine eng srcengine dstengine")), "engine"),
    (frozenset(words("attr attributes attrs attribute")), "attr"),
    (
        frozenset(words("workspace workbuffer scratch ws scratchpad tmpbuffer tempbuffer tempstorage work")),
        "workspace",
    ),
    (frozenset(words("plan executor")), "plan"),
    (frozenset(words("event events")), "event"),
    (frozenset(words("handle handler lib")), "handle"),
    (frozenset(words("context ctx session env device")), "ctx"),
    (frozenset(words("op operator primitive layer kernel operation")), "op"),
)
_WORKSPACE = frozenset(words("workspace workbuffer reservespace scratch scratchpad tempstorage tmpbuffer"))
_DIMS = {"n": "batch", "h": "in_h", "w": "in_w", "height": "in_h", "width": "in_w"}
_DIMS |= {"r": "kernel_h", "s": "kernel_w", "k": "out_c"}
#: Roles that only an integer has.
_WHOLE = ("channels", "batch", "in_c", "out_c", "in_h", "in_w", "out_h", "out_w", "k", "axis", "rank", "groups")
_OPERANDS = (None, "scalar", "scale", "p")  # what a number beside one tensor may be called
_MATRIX_KINDS = (
    "trsm",
    "gemm",
    "gemm_batched",
    "gemv",
    "ger",
    "geam",
    "matmul",
    "linear",
    "transpose",
    "vector_reduce",
    "dot",
)
_BLAS_KINDS = (*_MATRIX_KINDS, "axpy", "scal", "vcopy", "copy", "reduce", "arg_reduce")


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
    if part.sort == "params" and set(part.words) & {"parameters", "params"}:
        return "activation_params" if "activation" in part.words else "params"
    if "profile" in part.words or "profiler" in part.words:
        return "profile"
    if part.sort == "stream":
        words = set(part.words) | part.type_words
        return "threadpool" if any("threadpool" in w for w in words) else "stream"
    for source in (frozenset(part.words), part.type_words):
        for known, role in _HANDLES:
            if source & known:
                return role
    return "handle"


def scalar_role(part: Part, kind: str, names: Mapping[str, str]) -> str:
    """The role of a number, an array of numbers, an enum or a workspace; "" where nothing tells.

    ``kind`` is the op's, ``names`` maps the tensors' base names to their roles.
    """
    joined = part.joined
    if part.sort in ("text", "function", "other") and not joined:
        return ""
    if joined.startswith(("workspacesize", "workbuffersize")) or joined in ("workspacesizeinbytes",):
        return "workspace_size"
    if set(part.words) & _WORKSPACE or joined in ("ws", "work", "reservespace", "workspaceaddr"):
        return "workspace_size" if part.sort in ("int", "int_out") else "workspace"
    if joined.startswith("indices") and part.sort == "int" and "size" in joined:
        return "indices_size"
    stepped = _step(part, joined, names)
    if stepped:
        return stepped
    counted = _count(part, joined, kind, names)
    if counted:
        return counted
    blas = _blas(part, joined, kind, names)
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


def _blas(part: Part, joined: str, kind: str, names: Mapping[str, str]) -> str:
    if match := re.fullmatch(
        r"(?:c|n|f|i)?ld([a-z]\d?)|([a-z])ld|([a-z])(?:leadingdimension|leadingdim|pitch)|leadingdimension([a-z])",
        joined,
    ):
        letter = next(g for g in match.groups() if g)
        return f"ld.{_tensor(letter, names)}" if _tensor(letter, names) else "ld"
    if joined == "ld":
        return "ld"
    if match := re.fullmatch(r"inc([a-z]\d?)|([a-z])inc|stride([xy])|([a-z])stride", joined):
        letter = next(g for g in match.groups() if g)
        if (
            joined.startswith("inc")
            or joined.endswith("inc")
            or (part.sort in ("int",) and kind not in ("conv", "pool", "gemm_batched"))
        ):
            return f"inc.{_tensor(letter, names)}" if _tensor(letter, names) else "inc"
    if kind in ("gemm_batched", "gemm", "matmul") and (
        match := re.fullmatch(r"(?:batch)?stride([abcd])|([abcd])(?:batch)?stride|([abcd])stridebatch", joined)
    ):
        letter = next(g for g in match.groups() if g)
        return f"stride.{_tensor(letter, names)}" if _tensor(letter, names) else "stride"
    if match := re.fullmatch(
        r"(?:is)?(?:trans(?:pose)?|op|tr|layouttrans)([abxy12])|(?:is)?([abxw])(?:transpose|trans|transposed)|adj([xyab])",
        joined,
    ):
        letter = next(g for g in match.groups() if g)
        return "trans.input2" if letter in "byw2" else "trans.input"
    if match := re.fullmatch(r"([abcdxy])type|(?:type|dtype|datatype)([abcdxy])", joined):
        letter = next(g for g in match.groups() if g)
        return f"dtype.{_tensor(letter, names)}"
    if kind in ("gemm", "gemm_batched", "gemv", "ger", "geam", "matmul", "linear", "trsm") and part.sort == "int":
        if joined in ("m", "rows", "crows", "nrows", "rowsa", "numrows"):
            return "m"
        if joined in ("n", "cols", "ccols", "ncols", "columns", "colsb", "numcols"):
            return "n"
        if joined in ("k", "inner", "colsa"):
            return "k"
    if (match := re.fullmatch(r"i([a-z])", joined)) and match[1] in names and part.sort == "int":
        return f"inc.{names[match[1]]}"
    if match := re.fullmatch(r"i([a-dxyz])?", joined):
        about = names.get(match[1] or "a", "") or (names.get("x", "") if not match[1] else "")
        if (
            part.sort == "int"
            and about
            and kind in ("unary", "binary", "ternary", "reduce", "arg_reduce", "fill", "zero")
        ):
            return f"inc.{about}"
    if kind in ("transpose", "geam", "copy", "unary", "shape") and part.sort == "int":
        if joined in ("m", "rows", "crows", "nrows", "numrows"):
            return "m"
        if joined in ("cols", "ccols", "ncols", "columns", "numcols") or (
            joined == "n" and kind in ("transpose", "geam")
        ):
            return "n"
    if kind in ("gemv", "transpose", "ger", "geam") and joined in ("trans", "op", "ctrans", "transpose"):
        return "trans.input"
    if part.sort == "enum" and joined in (
        "order",
        "corder",
        "layout",
        "storage",
        "major",
        "matrixlayout",
        "storageorder",
    ):
        return "order" if kind in _BLAS_KINDS else "layout"
    if joined == "order" or joined == "corder":
        return "order"
    return ""


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
        return "compute_type" if "compute" in joined or "math" in joined else "dtype"
    if kind in ("conv", "pool") and _NUMBERS.get(joined, "")[:6] in ("kernel", "stride", "paddin", "dilati"):
        return _NUMBERS[joined]
    if re.fullmatch(r"off(?:set)?[a-z]{1,3}\d?|[a-z]off(?:set)?", joined) and part.sort == "int":
        return "offset"
    if kind == "binary" and part.sort in ("float", "scalar_pointer") and _NUMBERS.get(joined) in _OPERANDS:
        return "scalar"
    if kind == "linear" and _NUMBERS.get(joined) in ("in_c", "out_c"):
        return _NUMBERS[joined]
    about = _about(part, names)
    if about:
        return about
    if part.sort == "enum" and "compute" in part.type_words and joined in ("type", "computetype", "mode"):
        return "compute_type"
    if kind == "matmul" and part.sort == "int" and joined == "p":
        return "k"
    quantised = _quantised(part, names)
    if quantised:
        return quantised
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
        joined in _COUNT
    ):  # fmt: skip
        return "numel"
    if kind in ("conv", "pool", "norm", "resize", "softmax", "shape") and part.sort == "int":
        dims = {"channels": "in_c" if kind == "conv" else "channels", **_DIMS}
        dims["c"] = dims["channels"]
        if joined in dims and not (kind == "pool" and joined == "width"):
            return dims[joined]
    if kind == "scal" and part.sort in ("float", "scalar_pointer"):
        return "alpha" if "alpha" in joined or not joined else "scalar"
    if kind == "fill" and part.sort in ("float", "scalar_pointer") and joined not in _NUMBERS:
        return "scalar"
    if kind == "sort" and joined in ("k", "topk", "num"):
        return "k"
    if kind == "list" and part.sort == "int" and (joined in _COUNT or {"num", "count", "nb"} & set(part.words)):
        return "count"
    if kind == "linear" and joined in ("inputchannels", "outputchannels"):
        return "in_c" if joined.startswith("in") else "out_c"
    if kind in ("unary", "binary") and joined in ("exp", "exponent"):
        return "scalar"
    if joined in _NUMBERS and not (part.sort in ("float", "scalar_pointer") and _NUMBERS[joined] in _WHOLE):
        role = _NUMBERS[joined]
        if role[:4] in ("in_h", "in_w", "in_c", "out_") and kind in ("unary", "binary", "ternary", "reduce"):
            return ""
        if role in ("min", "max") and joined.startswith("output") and kind not in ("unary",):
            return f"out_{role}"
        return role
    stripped = re.sub(r"^(?:softmax|conv|convolution|pool|pooling|reduce|concat|norm|bn|batchnorm)", "", joined)
    if stripped != joined and stripped in _NUMBERS:
        return _NUMBERS[stripped]
    if kind in ("unary", "binary") and part.sort in ("float", "scalar_pointer"):
        return "scalar"
    if part.sort == "int" and joined in _COUNT:
        return "numel"
    return ""


_OF_QUANTISED = {
    "offset": "zero_point", "zeropoint": "zero_point", "zp": "zero_point", "mult": "multiplier", "shift": "shift",
    "multiplier": "multiplier", "scale": "scale",
}  # fmt: skip


def _quantised(part: Part, names: Mapping[str, str]) -> str:
    """``input_1_mult``, ``out_shift``: how a quantised tensor's numbers are scaled."""
    if part.sort != "int" or len(part.words) < 2 or part.words[-1] not in _OF_QUANTISED:
        return "shift" if part.joined in ("leftshift", "outshift", "rightshift") else ""
    about = "".join(part.words[:-1])
    for base, role in names.items():
        if base and (base.startswith(about) or about.startswith(base)):
            return f"{_OF_QUANTISED[part.words[-1]]}.{role}"
    return "shift" if part.joined in ("leftshift", "outshift", "rightshift") else ""


_ABOUT = (
    (("shape", "dims", "dim", "sizes", "size"), "shape"),
    (("numdims", "ndim", "rank", "ndims", "dimscount", "nbdims"), "rank"),
    (("strides", "stride", "pixelstride", "channelstride"), "ld"),
    (("offset", "off"), "offset"),
    (("ld", "leadingdim", "leadingdimension", "step", "pitch", "rowbytes"), "ld"),
    (("inc",), "inc"),
    (("dtype", "datatype", "type"), "dtype"),
    (("numel", "count", "len", "length", "numelements"), "numel"),
    (("zeropoint",), "zero_point"),
    (("scale",), "scale"),
    (("layout", "format"), "layout"),
)


def _about(part: Part, names: Mapping[str, str]) -> str:
    """``input1_shape``, ``num_input1_dims``, ``a_offset``: a number about a tensor; ``rank.input``..."""
    joined = part.joined
    if part.sort not in ("int", "ints", "dtype", "enum", "float", "int_out"):
        return ""
    for base, role in sorted(names.items(), key=lambda item: -len(item[0])):
        if not base or (len(base) == 1 and part.words[:1] != (base,) and not joined.startswith(base)):
            continue
        if joined == f"num{base}dims" or joined == f"n{base}dims":
            return f"rank.{role}"
        if joined in (f"num{base}", f"n{base}") and len(base) > 1:
            return f"numel.{role}"
        if not joined.startswith(base) and not joined.endswith(base):
            continue
        rest = joined.removeprefix(base) if joined.startswith(base) else joined.removesuffix(base)
        for endings, what in _ABOUT:
            if rest in endings:
                return f"{what}.{role}"
    if match := re.fullmatch(r"(input|output|filter|kernel|weight|bias)s?(?:dims|shape)", joined):
        about = {"filter": "weight", "kernel": "weight"}.get(match[1], match[1])
        return f"shape.{about}" if about in names.values() else "kernel" if about == "weight" else ""
    if match := re.fullmatch(r"(input|output|src|dst)(?:channel|pixel)?stride", joined):
        return "ld.input" if match[1] in ("input", "src") else "ld.output"
    return ""


def _tensor(letter: str, names: Mapping[str, str]) -> str:
    """The role of the tensor whose name is, or starts or ends with, a letter."""
    if letter in names:
        return names[letter]
    for base, role in names.items():
        if base.startswith(letter) or base.endswith(letter):
            return role
    return {"a": "input", "b": "input2", "c": "output", "d": "output", "x": "input", "y": "output"}.get(letter[:1], "")
