"""Ops as vendors of BLAS, DNN, DSP, NPU and array libraries call them, and functions that only look like ops.

The names are those of public vocabularies (ONNX, TFLite, Caffe, StableHLO, TOSA, NumPy, MATLAB, BLAS, vector and signal
libraries), written as words; ``writer`` joins them as a convention asks. Nothing here is read from the matcher's own
vocabulary: a name that it lacks is a miss, which is what this is for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Concept:
    """``accepted``: the right overloads, without ``aten::``; empty for a function that is no op. ``names``: words."""

    form: str
    accepted: tuple[str, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...] = ()  # roles of numbers beside tensors and extents


def _table(form: str, text: str) -> list[Concept]:
    made = []
    for line in text.strip().splitlines():
        accepted, _, rest = line.strip().partition(":")
        names, _, numbers = rest.partition("/")
        split = tuple(n.strip() for n in names.split("|"))
        made.append(Concept(form, tuple(accepted.split()), split, tuple(numbers.split())))
    return made


CONCEPTS: list[Concept] = [
    *_table("unary", """
        abs: abs | absolute | absolute value | fabs
        neg: neg | negate | negative
        exp: exp | exponential
        exp2: exp2
        expm1: expm1
        log: log | ln | natural log | logarithm
        log2: log2
        log10: log10
        log1p: log1p
        sqrt: sqrt | square root
        rsqrt: rsqrt | inv sqrt | reciprocal sqrt | inverse sqrt | reciprocal square root
        reciprocal: reciprocal | recip | inv
        square pow.Tensor_Scalar: square | sqr
        sin: sin | sine
        cos: cos | cosine
        tan: tan
        asin: asin | arcsin
        acos: acos | arccos
        atan: atan | arctan
        sinh: sinh
        cosh: cosh
        tanh: tanh | hyperbolic tangent
        asinh: asinh | arcsinh
        acosh: acosh
        atanh: atanh
        erf: erf
        erfc: erfc
        floor: floor
        ceil: ceil | ceiling
        round: round | rint
        trunc: trunc | truncate
        sign: sign | signum | sgn
        relu: relu | rectified linear | relu activation
        relu6 clamp hardtanh: relu6
        gelu: gelu | gelu activation
        silu: silu | swish
        sigmoid: sigmoid | logistic | sigmoid activation
        mish: mish
        selu: selu
        softplus: softplus | soft plus
        hardswish: hard swish | hardswish
        hardsigmoid: hard sigmoid | hardsigmoid
        log_sigmoid log_sigmoid_forward: log sigmoid
        logical_not: logical not
        bitwise_not: bitwise not
        isnan: isnan | is nan
        isinf: isinf | is inf
        isfinite: isfinite | is finite
    """),
    *_table("unary", """
        leaky_relu: leaky relu | lrelu | leakyrelu / negative_slope
        elu: elu / alpha
        celu: celu / alpha
        clamp hardtanh: clamp | clip | hardtanh | limit range / min max
        threshold: threshold / threshold value
        pow.Tensor_Scalar: pow scalar | power scalar / scalar
    """),
    *_table("binary", """
        add.Tensor: add | plus | vector add | tensor add | addition
        sub.Tensor: sub | subtract | minus | subtraction
        mul.Tensor: mul | multiply | mult | hadamard product
        div.Tensor: div | divide | division | true divide
        maximum: maximum | max | element max
        minimum: minimum | min | element min
        pow.Tensor_Tensor: pow | power
        atan2: atan2
        hypot: hypot
        eq.Tensor: equal | eq | compare equal
        ne.Tensor: not equal | ne
        lt.Tensor: less | lt | less than
        le.Tensor: less equal | le
        gt.Tensor: greater | gt | greater than
        ge.Tensor: greater equal | ge
        logical_and: logical and
        logical_or: logical or
        logical_xor: logical xor
        bitwise_and.Tensor: bitwise and
        bitwise_or.Tensor: bitwise or
        bitwise_xor.Tensor: bitwise xor
        fmod.Tensor remainder.Tensor: mod | fmod
        floor_divide: floor div | floor divide
        copysign.Tensor: copysign
        _prelu_kernel prelu: prelu
    """),
    *_table("scalar", """
        add.Scalar add.Tensor: add scalar | add constant | scalar add
        mul.Scalar mul.Tensor: mul scalar | multiply scalar | scale
        sub.Scalar sub.Tensor: sub scalar | subtract scalar
        div.Scalar div.Tensor: div scalar | divide scalar
        clamp_min maximum: max scalar
    """),
    *_table("reduce", """
        sum sum.dim_IntList: sum | reduce sum | sum reduce | sum all
        mean mean.dim: mean | reduce mean | average
        max amax max.dim: max | reduce max | max value
        min amin min.dim: min | reduce min | min value
        prod prod.dim_int: prod | reduce prod | product
        argmax: argmax | arg max | max index | index max
        argmin: argmin | arg min | min index
        linalg_vector_norm norm norm.ScalarOpt_dim: l2 norm | norm2
        var var.dim var.correction: var | variance
        std std.dim std.correction: std | std dev | standard deviation
        dot: dot | dot product | dot prod
    """),
    *_table("axis", """
        sum.dim_IntList sum: reduce sum | sum
        mean.dim mean: reduce mean | mean
        amax max max.dim: reduce max | max
        amin min min.dim: reduce min
        argmax: argmax | arg max
        argmin: argmin
        cumsum: cumsum | cum sum | cumulative sum
        _softmax softmax.int: softmax
        _log_softmax log_softmax.int: log softmax | logsoftmax
    """),
    *_table("rows", """
        _softmax softmax.int: softmax
        _log_softmax log_softmax.int: log softmax
        t transpose.int permute: transpose | matrix transpose
    """),
    *_table("norm", """
        native_layer_norm layer_norm: layer norm | layernorm | layer normalization / eps
        rms_norm: rms norm | rmsnorm / eps
        native_group_norm group_norm: group norm | group normalization / groups eps
        native_batch_norm batch_norm: batch norm | batchnorm | batch normalization / eps
    """),
    *_table("conv", """
        convolution_overrideable convolution conv2d: conv2d | conv | convolution | convolution 2d
    """),
    *_table("pool", """
        max_pool2d max_pool2d_with_indices: max pool | max pool 2d | maxpool2d | max pooling 2d
        avg_pool2d: avg pool | average pool 2d | avgpool2d | average pooling
    """),
    *_table("global", """
        _adaptive_avg_pool2d mean.dim adaptive_avg_pool2d: global avg pool | global average pool
        adaptive_max_pool2d amax: global max pool
    """),
    *_table("linear", "linear addmm: linear | fully connected | dense | inner product"),
    *_table("gemm", "addmm mm: gemm"),
    *_table("gemv", "addmv mv: gemv"),
    *_table("matmul", """
        mm matmul addmm: matmul | mat mul | matrix multiply | mm
        bmm matmul baddbmm: batch matmul | bmm | batched matmul
    """),
    *_table("axpy", "add_.Tensor add.Tensor: axpy"),
    *_table("fill", "fill_.Scalar full: fill | set value | fill value | constant fill / scalar"),
    *_table("copy", """
        copy_ clone: copy | vector copy | tensor copy
        _to_copy copy_: cast | convert | type cast
    """),
    *_table("where", "where.self: where | select"),
    *_table("gather", """
        embedding: embedding | embedding lookup
        index_select gather: gather | index select | take
    """),
    *_table("resize", """
        upsample_nearest2d: resize nearest | upsample nearest
        upsample_bilinear2d: resize bilinear | upsample bilinear
    """),
    *_table("permute", "permute permute_copy transpose.int: permute | transpose nd"),
    *_table("topk", "topk: topk | top k"),
]  # fmt: skip

#: Functions with the arguments of an op that are none, as (form, names).
NO_OPS: list[Concept] = [
    *_table(
        "unary",
        """
        : abs exp window | complex magnitude | fft | rgb to gray | gaussian blur | median filter | integral image
        : histogram equalize | bit reverse | hilbert transform | unwrap phase | dct | zigzag scan | popcount
        : fused exp scale | compress | encode rle | print exp | dump tensor | quantize per channel
        : relu grad check | estimate exp cost | integrate | erode | dilate image | sobel | box filter
    """,
    ),
    *_table(
        "binary",
        """
        : add relu | add sub | squared difference | abs diff | complex mul | hamming distance
        : blend add weighted | cross correlation | mul conj | add saturate shift | mul add relu | convolve full
    """,
    ),
    *_table(
        "reduce",
        """
        : asum | sum abs | sum of squares | max abs | zero crossings | entropy | rms | sum abs diff
    """,
    ),
    *_table("gemm", ": print gemm | estimate gemm cost | gemm bias relu | gemm query workspace | spmm csr | gemm pack"),
    *_table("conv", ": conv bias relu | conv query cost | conv pool relu | deformable conv mask | print conv"),
    *_table("axis", ": fft axis | sort network dump | softmax cross entropy grad check"),
]
