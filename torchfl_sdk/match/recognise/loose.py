"""Names that hold an op's name among words that nothing explains: read with less trust, and only as the last resort."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfl_sdk.match.recognise.marks import is_type, library_word
from torchfl_sdk.match.tokens import LETTERS, words
from torchfl_sdk.match.vocabulary import BY_NAME, FALSE_FRIENDS, FAMILY_BY_NAME
from torchfl_sdk.match.vocabulary.families import CALLING, METHODS, NOISE

#: Words that make another op of the one they stand beside, or no op at all.
CHANGES = frozenset(
    words("""
    abs absolute sq squared squares sqr square distance dist complex cmplx conj conjugate phase window fir iir fft ifft
    dft dct lms poly polynomial weighted masked sparse csr coo csc detect detector rotate rotator star quad pack unpack
    prepare packed pre post partial delta diff difference error grad gradient noise entropy spectrum spectral random
    inverse fused fuse and then plus bias residual get set query check find validate is has init create destroy alloc
    free size info desc describe config param load save print test time bench setup plan list table lut magnitude mag
    norm normalize normalized mean max min log exp image color rgb yuv stereo filter kernel matrix2 vec2f vec3f solve
    update encode decode compress quantize quantise dequantize requantize interleave deinterleave swap puppet horizontal
    reshape view cumulative running moving local batch grouped group scaled saturate saturated attention head mask
    causal divisive swi ge re gated
    user print dump trace dprint xprint print2 rcond cond band columns rows column row fixed limit border sorted from uv
    linalg eigen sparse bit bits cost costs latency estimate estimated perf profile flops cycles verify valid supported
    support available debug histogram hist zigzag correlation corr conjugate integral integrate contour blur gaussian
    median sobel canny resize crop warp remap erode erosion dilate morph morphology gray grey rgb bgr yuv nv12
    rect rectangle region combination combine windowed sliding position encoding tree
    moe expert experts routed router
    suppression nms smallest largest step counter segmented can bound task
    hamming hanning hann blackman correlate similarity report explain describe properties attribute name string
    version memory usage equalize equalise equalization hilbert wavelet transform circular transposed
    """)
)
#: Kinds of ops that unknown words may stand beside; of the others (copies, fills, layers) too much is no op.
_KINDS = (
    "unary",
    "binary",
    "ternary",
    "conv",
    "pool",
    "softmax",
    "linear",
    "matmul",
    "reduce",
    "arg_reduce",
    "gemm",
    "gemv",
    "dot",
    "norm",
    "shape",
    "select",
    "list",
    "sort",
    "resize",
)
_MIXED = re.compile(r"(?:[fsubi]+\d+){2,}")  # element types of several operands
_ENOUGH = 3  # letters of an op's name that may stand among unknown words


def windows(tokens: Sequence[str]) -> list[list[str]]:
    """The op names inside a name, if they are one: the longest run of tokens that the vocabulary knows.

    At most two further words may be unknown, none of which may change what the op is.
    """
    kept = [t for t in tokens if not is_type(t) and t not in CALLING and not t.isdigit()]
    best: tuple[int, int] | None = None
    for start in range(len(kept)):
        for end in range(len(kept), start, -1):
            joined = "".join(kept[start:end])
            known = len(joined) >= _ENOUGH and any(w.alone and w.kind in _KINDS for w in BY_NAME.get(joined, ()))
            if known and (best is None or end - start > best[1] - best[0]):
                best = (start, end)
    if best is None:
        return []
    rest = [*kept[: best[0]], *kept[best[1] :]]
    unknown = [t for t in rest if t not in NOISE and t not in METHODS and not library_word(t)]
    strange = any(
        t in CHANGES or t in BY_NAME or t in FAMILY_BY_NAME or t in FALSE_FRIENDS for t in rest if t not in NOISE
    )
    numbered = [t.rstrip("0123456789") for t in rest if t[-1:].isdigit()]  # maxPool3
    strange = strange or any(t in BY_NAME or t in FAMILY_BY_NAME for t in numbered) or "q" in rest  # qDense
    strange = strange or any("print" in t for t in rest)
    strange = strange or any(t[:1] in LETTERS and t[1:] in BY_NAME and len(t) > 3 for t in rest)
    if not unknown or len(unknown) > 2 or strange or any(_MIXED.fullmatch(t) for t in unknown):
        return []
    return [list(kept[best[0] : best[1]])]
