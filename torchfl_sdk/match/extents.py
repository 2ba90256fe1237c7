"""How vendors pass the extents of a call over plain pointers: which integers, by which names, and what a form proves.

Data. A form names the roles that its integers have; every integer of a signature must have one. Roles of rules that
work along dimensions are the constraint variables of the catalogue; the others are spelled out in
``scaffold/geometry.py``, which fills them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.tokens import words

Constraints = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Form:
    """``roles``: integers, and with ``sizes.X`` and ``perm`` arrays of them. ``proves``: limits of what is left out.
    ``more``: integers that follow from others, so that not every signature has them."""

    roles: tuple[str, ...]
    proves: Constraints = ()
    more: tuple[str, ...] = ()


_AXIS = Form(("outer", "extent", "inner"))
_ROWS = Form(("outer", "extent"), (("inner", (1,)),))
_WHOLE = Form(("extent",), (("outer", (1,)), ("inner", (1,))))
_ONE_SPAN: Constraints = (("spans", (1,)),)
_IMAGES = ("batch", "channels", "height", "width")
_OUT = ("out_height", "out_width")

FORMS: dict[str, tuple[Form, ...]] = {
    "broadcast": (Form(("numel",)),),
    "same": (Form(("numel",)),),
    "along_dim": (_AXIS, _ROWS),
    "reduce": tuple(Form(form.roles, (*form.proves, *_ONE_SPAN)) for form in (_AXIS, _ROWS, _WHOLE)),
    "layer_norm": (Form(("rows", "cols")),),
    "batch_norm": (Form(("batch", "channels", "spatial")), Form(_IMAGES)),
    "group_norm": (Form(("batch", "channels", "spatial")), Form(_IMAGES)),
    "conv": (Form((*_IMAGES, "out_channels"), more=(*_OUT, "kernel_height", "kernel_width", "kernel")),),
    "pool": (Form(("planes", "height", "width"), more=_OUT), Form(_IMAGES, more=_OUT)),
    "adaptive_pool": (Form((*_IMAGES, *_OUT)), Form(_IMAGES, (("output_size", (1,)),))),
    "bmm": (Form(("batch", "M", "N", "K")),),
    "transpose": (Form(("rows", "cols"), (("rank", (2,)),)),),
    "linear": (Form(("M", "in_features", "out_features")), Form(("M", "N", "K"))),
    "embedding": (Form(("rows", "cols", "count")), Form(("cols", "count"))),
    "index_select": (
        Form(("outer", "extent", "inner", "count")),
        Form(("extent", "inner", "count"), (("outer", (1,)),)),
        Form(("inner", "count"), (("outer", (1,)),)),
    ),
    "gather": (Form(("rank", "sizes.self", "sizes.index", "dim")),),
    "permute": (Form(("rank", "sizes.self", "perm")),),
    "attention": (Form(("batch", "heads", "length", "kv_length", "head_dim")),),
    "triangle": (Form(("rows", "cols"), (("rank", (2,)),)),),
}

#: Attributes that follow from the extents, so that no argument carries them as such.
IMPLIED: dict[str, frozenset[str]] = {
    "along_dim": frozenset({"dim"}),
    "reduce": frozenset({"dim", "keepdim"}),
    "layer_norm": frozenset({"normalized_shape"}),
    "group_norm": frozenset({"N", "C", "HxW"}),
    "adaptive_pool": frozenset({"output_size"}),
    "index_select": frozenset({"dim"}),
    "gather": frozenset({"dim"}),
    "permute": frozenset({"dims"}),
    "transpose": frozenset({"dims"}),
    "cat": frozenset({"dim"}),
}

_SPELLINGS: dict[str, frozenset[str]] = {
    role: frozenset(words(names))
    for role, names in {
        "numel": "n num numel count cnt len length size elements numelements nelem nelements total",
        "outer": "outer outersize outerdim outernum outercount pre prefix rows row nrows numrows batch batchsize m "
                 "batchcount numbatches",
        "extent": "n k axissize axisdim axislen axis extent reduce reducesize reducedim reducelen dim dimsize cols col "
                  "ncols numcols length len size classes numclasses channels features count numel",
        "inner": "inner innersize innerdim innernum innercount post suffix stride cols col ncols numcols rowsize "
                 "rowlen hidden dim",
        "rows": "rows row nrows numrows outer outersize batch batchsize tokens numtokens m vocab vocabsize "
                "numembeddings tablerows numentries height h",
        "cols": "cols col ncols numcols columns n hidden hiddensize dim dims inner innersize normsize embeddingdim "
                "embdim features width w channels",
        "M": "m rows nrows numrows rowsa arows am batch batchsize b bs n tokens numtokens samples numsamples",
        "N": "n cols columns ncols numcols colsb bcols bn",
        "K": "k inner innerdim common depth colsa acols shared",
        "in_features": "infeatures in inputsize insize indim inputdim infeat ninputs numinputs inputs inputfeatures "
                       "ic cin inc inch inchannels inputchannels inlen",
        "out_features": "outfeatures out outputsize outsize outdim outputdim outfeat noutputs numoutputs outputs "
                        "outputfeatures oc cout outc outch outchannels outputchannels units numunits outlen",
        "count": "count numindices nindices indexcount indicescount num n k numidx nidx indexsize length numids nids "
                 "numtokens ntokens num cnt numinputs ninputs inputcount numtensors ntensors numsrcs nsrcs numarrays",
        "batch": "batch batchsize n b batches numbatches batchcount nbatch nbatches bs inputn inn",
        "channels": "channels c channel numchannels ch ic ci cin inc inch inchannels inputchannels inputc "
                    "numinputchannels",
        "out_channels": "oc co cout outc outch outchannels outputchannels numoutputchannels outputc numfilters filters "
                        "k m numoutput",
        "kernel_height": "kh kernelh kernelheight hk filterh filterheight fh ksizeh r",
        "kernel_width": "kw kernelw kernelwidth wk filterw filterwidth fw ksizew s",
        "kernel": "k kernel kernelsize ksize filter filtersize f",
        "planes": "planes nc numplanes planecount batchchannels",
        "spatial": "spatial hw spatialsize imagesize inner area plane pixels innersize",
        "height": "height h inheight inputheight hin hi ih inh inputh rows",
        "width": "width w inwidth inputwidth win wi iw inw inputw cols",
        "out_height": "outheight outputheight hout ho oh outh outputh",
        "out_width": "outwidth outputwidth wout wo ow outw outputw",
        "heads": "heads numheads nheads headcount nh h",
        "length": "qlen querylen seqq seqlenq lq qlength querylength qseqlen seqlen length sq",
        "kv_length": "kvlen keylen seqk seqlenk lk kvlength keylength kvseqlen klen skv seqlenkv",
        "head_dim": "headdim headsize dim d dhead dk hd",
        "rank": "ndim rank ndims numdims dimcount dims n",
        "dim": "axis dim dimension",
        "num_dims": "naxis numaxis naxes numaxes axiscount axesnum axisnum ndims numdims ndim n num count dimsnum "
                    "dimcount",
    }.items()
}  # fmt: skip

#: Read-only arrays of integers that say a tensor's shape or an order of dimensions.
_ARRAYS: dict[str, frozenset[str]] = {
    "sizes.self": frozenset(words("dims indims inputdims shape inshape inputshape sizes insizes xdims srcdims")),
    "sizes.index": frozenset(words("indexdims idxdims indicesdims indexshape indicesshape indexsizes")),
    "perm": frozenset(words("perm axes permutation order permute dimorder")),
    "dims": frozenset(words("axis axes dims dim dimensions")),
}


_INTEGERS = ("int32", "int64", "uint32", "uint64")


def fill(form: Form, parameters: Sequence[Parameter]) -> dict[int, str] | None:
    """The role of every parameter, if exactly this form's are there: by name, each role once; None otherwise. Where a
    name can mean several roles, as `n` does, the others' names decide."""
    return _filled((*form.roles, *form.more), frozenset(form.more), parameters, {})


def _filled(
    roles: Sequence[str], more: Set[str], parameters: Sequence[Parameter], taken: Mapping[int, str]
) -> dict[int, str] | None:
    """The same for the roles that are left."""
    if not roles:
        return dict(taken) if len(taken) == len(parameters) else None
    role, rest = roles[0], roles[1:]
    spellings, is_array = _ARRAYS.get(role) or _SPELLINGS[role], role in _ARRAYS
    for p in parameters:
        if p.index not in taken and p.joined in spellings and _array(p) == is_array:
            found = _filled(rest, more, parameters, {**taken, p.index: role})
            if found is not None:
                return found
    return _filled(rest, more, parameters, taken) if role in more else None


def is_extent(joined: str) -> bool:
    """True for a name that some form has."""
    return any(joined in spellings for spellings in _SPELLINGS.values())


def arrays(rule: str, parameters: Sequence[Parameter]) -> list[Parameter]:
    """The parameters that can be the arrays of a rule's forms; tensors look alike, but have other names."""
    wanted = {role for form in FORMS.get(rule, ()) for role in form.roles if role in _ARRAYS}
    return [p for p in parameters if _array(p) and any(p.joined in _ARRAYS[role] for role in wanted)]


def _array(parameter: Parameter) -> bool:
    integers = parameter.sort == "tensor" and parameter.element in _INTEGERS
    return (parameter.sort == "ints" or integers) and not parameter.written
