"""Names that say a family of ops, whose member an enum, an int or a descriptor chooses; and words without meaning."""

from __future__ import annotations

from torchfl_sdk.match.tokens import words
from torchfl_sdk.match.vocabulary.word import Family

FAMILIES: tuple[Family, ...] = (
    Family(tuple(words("eltwise elementwise unary activation activations act unaryop neuron unaryelementwise "
      "eltwiseunary "
                 "elementwise1 eltwise1 elemwise elemwise1 pointwise1 unop op1 unaryfunc unaryfunction unarymath "
                 "elementwiseunary math mathop mathfunc nonlinearity unaryoperation activate "
      "applyactivation mathunary transform")),
           ("unary", "binary", "ternary")),
    Family(tuple(words("binary eltwise elementwise ew optensor tensorop op binaryop elementwisebinary eltwisebinary "
      "arithmetic "
                 "elementwise2 eltwise2 elemwise elemwise2 pointwise2 binop op2 binaryfunc binaryfunction binarymath "
                 "binaryelementwise pointwise trinary binaryoperation mathbinary compare comparison cmp logical "
                 "logic bitwise bitwiseop logicalop arith relational relation relop boolean booleanop math2")),
           ("binary", "unary")),
    Family(tuple(words("reduce reduction reducetensor reduceop reduceall reducedim reducerows reducerow "
                 "reducecols reducelast reducelastdim reduceaxis rowreduce fold")), ("reduce", "arg_reduce")),
    Family(tuple(words("pool pooling pool2d pooling2d poolingv2 spatialpooling poolingnd")), ("pool",)),
    Family(tuple(words("resampling resize upsample interpolate interpolate2d resize2d interpolation "
      "upsampling resizeimage interp "
                 "resample")), ("resize",)),
    Family(tuple(words("activation eltwise act")), ("backward",)),
    Family(tuple(words("random generate rng fillrandom randomfill")), ("random",)),
    Family(tuple(words("norm normalize normalise normalization")), ("norm",)),
    Family(tuple(words("rnn")), ("rnn",)),
)  # fmt: skip

#: Tokens of a function's name that say how it is called or laid out, not which op it is; taken off first.
CALLING = frozenset(
    words("""
    forward fwd inference infer training train ctx ex async sync nd nchw nhwc nwc ncw nc nhw chw hwc cnhw ndhwc ncdhw
    nchwc v1 v2 v3 v4 v5 v6 64 32
    """)
)

#: Tokens that name a part of a library (``..._nn_...``, ``..._blas_...``) or what it works on.
LIBRARY = frozenset(
    words("""
    nn dnn blas math dsp lib ml ai npu gpu cpu dev device op ops kernel kernels kern core api rt hal vector vec
    matrix mat tensor array image signal layer layers ext extra basic generic std opt ref cube simd neural network
    activation
    """)
)

#: Tokens that may stand beside an op without changing it; taken off where the name is not known with them.
NOISE = frozenset(
    words("""
    op ops operator kernel kern run execute exec compute launch apply call invoke do func function fn api impl ref
    base generic default opt neon avx avx2 avx512 avx512f avx512vl sse sse2 sse3 sse41 sse42 ssse3 simd rvv hvx mve
    dsp amx sve sve2 sme vfp msa lsx lasx vsx altivec wasm metal
    tensor tensors vector vec matrix mat array arr buffer image signal primitive layer node device dev gpu cpu npu
    eltwise elementwise elemwise element pointwise with basic simple fast accurate on broadcast broadcasting wrapper
    manual optimized optimised opti ansi asm intrin nn blas math lib ml std standard strided stride contiguous contig
    dense kernels aligned unaligned native host params param public internal of the routine task u1 st mt omp
    elm elt ew blk block 8 16 arithmetic pixel wise operation operations no idx noidx value values
    ptr tempbuffer slow pot neuron ongpu oncpu x86 arm riscv dim dims by act
    """)
)

#: Tokens that say by which method an op is computed.
METHODS = frozenset(
    words("""
    im2col winograd winograd23 winograd43 winograd64 direct tiled blocked packed unrolled parallel threaded single
    multi sgemm gemm implicit explicit pack4 pack8 lut table cordic newton approx precise hp ha la ep
    """)
)

#: First words by which a function with an op's name prepares or launches it.
PROTOCOL = frozenset(words("create setup define reshape prepare make build init plan execute run launch invoke"))

#: Ends of names by which a function prepares an op.
PROTOCOL_ENDS: tuple[tuple[str, ...], ...] = (
    ("primitive", "desc", "create"),
    ("get", "workspace", "size"),
    ("get", "buffer", "size"),
    ("workspace", "size"),
    ("buffer", "size"),
    ("scratch", "size"),
    ("get", "scratch", "size"),
    ("get", "buf", "size"),
    ("desc", "init"),
    ("desc", "create"),
    ("primitive", "create"),
    ("op", "create"),
    ("run",),
    ("execute",),
    ("exec",),
)
