"""The words of a function's name that say how it is called, laid out or made, not which op it computes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchfl_sdk.match.tokens import DTYPE_WORDS, words
from torchfl_sdk.match.vocabulary import BACKWARD, BY_NAME
from torchfl_sdk.match.vocabulary.families import CALLING, LIBRARY, METHODS, NOISE, PROTOCOL, PROTOCOL_ENDS

_BACKWARD = frozenset(words("backward bwd grad backprop bprop gradient"))
_WIDTH = re.compile(
    r"(?:b?f|fp|s|u|i|x|qs|qu|qc|q|int|uint)(?:4|7|8|15|16|31|32|63|64)|(?:8|16|32|64)(?:f|s|u|i|fc|sc|ic)"
    r"|s(?:8|16|32|64)(?:f|i|u|fc)|a?sym(?:8|16)[su]|sa\d+|fx\d+"
)
_PAIR = re.compile(r"(\w+?)x(\w+)")
#: Sizes in names: ``1x1``, ``x2`` (operands), ``3x3s1``, ``k3``.
_SIZE = re.compile(r"\d+x\d+(?:x\d+)?(?:s\d+)?(?:p\d+)?|x\d|[ksp]\d|\d+p\d+|[mnk]r?\d+")
_SIZED = re.compile(r"([a-z]{2,}?(?:\dd)?)(?:\d+x\d+(?:s\d+)?|k\d+s\d+)")
_PADDED = frozenset(words("pad padded padding ori orig same valid"))
#: Names of families behind which letters say what the operands are.
_ARITIES = frozenset(words("unary binary ternary bitwise compare elementwise eltwise reduce"))
#: What may follow "create" behind an op's name: which of its forms is created.
_DIRECTIONS = _BACKWARD | frozenset(
    words("forward fwd inference training bias data filter weight weights scale shift v1 v2 v3")
)
#: Words that are noise in most names and part of an op's in some: ``layer_norm``, ``mat_inverse``.
_OPS_OWN = ("layer", "mat", "matrix", "element", "vector", "group")


def is_type(token: str) -> bool:
    """True for a word that names an element type, a fixed-point format or a packed number of them."""
    if token in DTYPE_WORDS or _WIDTH.fullmatch(token) or token == "sfs":
        return True
    pair = _PAIR.fullmatch(token)  # of two operands: f32xf32
    return bool(pair) and all(side in DTYPE_WORDS or _WIDTH.fullmatch(side) for side in (pair[1], pair[2]))  # type: ignore[index]


def library_word(token: str) -> bool:
    """True for a word that names a part of a library rather than an op, although ops may be called so too."""
    return token in LIBRARY


def backward_words(tokens: list[str]) -> tuple[list[str], bool]:
    """The tokens without the words that say "gradient"; ``..._output`` at the end says forward."""
    if len(tokens) > 1 and tokens[-1] in ("output", "out") and not any(t in _BACKWARD for t in tokens):
        tokens = tokens[:-1]
    backward = any(t in _BACKWARD for t in tokens)
    return ([t for t in tokens if t not in _BACKWARD] if backward else tokens), backward


def plain_forms(tokens: list[str], *, backward: bool) -> Iterator[list[str]]:
    """The tokens with less and less beside the op: as they are, without element types, calling words, noise."""
    no_types = [t for t in tokens if not is_type(t)] or tokens
    sized = [m[1] if (m := _SIZED.fullmatch(t)) else t for t in no_types if not _SIZE.fullmatch(t)] or no_types
    sized = [
        t[:-1] if t[:-1] in BY_NAME and t[-1] == "1" and t not in BY_NAME else t for t in sized
    ]  # take1: of one operand
    sized = _any_rank(sized)
    called = [t for t in sized if t not in CALLING] or sized
    known = any(w.alone for w in (BACKWARD if backward else BY_NAME).get("".join(tokens), ()))
    whole = [] if known else _whole(tokens, backward=backward)
    bare = [t for t in called if t not in NOISE] or [t for t in called if t in BY_NAME][-1:] or called
    if backward and len(bare) > 1 and bare[-1] in ("input", "data") and "conv" not in bare[0]:
        yield bare[:-1]
    plain = [t for t in called if t not in NOISE or t in _OPS_OWN] or called
    method = [t for t in bare if t not in METHODS] or bare
    if "bias" in method and not backward:  # with its bias, or adding it
        method = [t for t in method if t not in ("bias", "add", "addbias")] or method
    method = [t for t in method if t not in ("addbias", "withbias")] or method
    if len(method) > 1 and method[-1] in ("x", "y", "z", "w", "h", "v"):
        method = method[:-1]  # the axis along which it works
    if len(method) > 1 and re.fullmatch("t*s*b?", method[-1]) and method[-1] != "s" and method[-2] in _ARITIES:
        method = method[:-1]  # unary tts: of tensors and numbers
    if len(method) > 1 and method[0].startswith("conv") and not backward:
        method = [t for t in method if t not in _PADDED] or method
    seen: list[list[str]] = []
    for form in (*whole, tokens, no_types, sized, called, plain, bare, method, _without_flags(sized)):
        if form not in seen:
            seen.append(form)
            yield form
    if len(method) > 1 and method[0] in ("groups", "group", "grouped") and method[1].startswith("conv"):
        yield method[1:]  # its groups are an argument
    if method and method[0] in ("global", "adaptive") and len(method) == 3:  # global max pool2d, pool global max
        yield [*method[1:], method[0]]


def _any_rank(tokens: list[str]) -> list[str]:
    """Without the most dimensions that operands may have (``add4d``, ``broadcast6d``), where no op is called so."""
    made = []
    for token in tokens:
        bare = re.sub(r"[3-6]d$", "", token)
        known = bare != token and token not in BY_NAME and (not bare or bare in BY_NAME or bare in NOISE)
        made += [bare] * bool(bare) if known else [token]
    return made or tokens


#: What letters behind the name of a function over matrices say: side, triangle, transposed or not, unit diagonal.
_FLAGS: dict[str, str] = {
    "gemm|matmul|mm|bmm": "[nt]{2}",
    "gemv|mv": "[nt]",
    "trsm": "[lr][lu][nt][nu]",
    "trsv": "[lu][nt][nu](?:_mn)?",
    "potrf|cholesky": "[lu]",
    "getrf": "[nr]p",
}


def _without_flags(tokens: list[str]) -> list[str]:
    """Without what a BLAS-like name says by letters of its own behind the op: ``gemm_nt``, ``strsm_llnn``."""
    for count in (1, 2):
        if len(tokens) > count:
            core, flags = "".join(tokens[:-count]), "_".join(tokens[-count:])
            for names, letters in _FLAGS.items():
                if re.fullmatch(rf"[sdhcz]?(?:{names})", core) and re.fullmatch(letters, flags):
                    return tokens[:-count]
    return tokens


def _whole(tokens: list[str], *, backward: bool) -> list[list[str]]:
    """The longest op's name of several words that nothing but calling words and noise surround.

    ``expand dims op`` must not lose its ``dims``, which are noise in other names.
    """
    idle = [t in NOISE or t in CALLING or t in METHODS or is_type(t) or bool(_SIZE.fullmatch(t)) for t in tokens]
    table = BACKWARD if backward else BY_NAME
    for length in range(len(tokens) - 1, 1, -1):
        for start in range(len(tokens) - length, -1, -1):  # vector max idx: of two, the one behind
            end = start + length
            known = any(w.alone for w in table.get("".join(tokens[start:end]), ()))
            if known and all(idle[:start]) and all(idle[end:]):
                return [tokens[start:end]]
    return []


_NUMBERS = frozenset(words("c const const1 constant scalar scal n num number imm immediate literal k"))


def drop_marks(tokens: list[str]) -> tuple[list[str], str]:
    """The tokens without a last word that marks a form, and which: "inplace", "constant", "reversed" or ""."""
    if len(tokens) < 2:
        return tokens, ""
    last = tokens[-1]
    if tokens[0] in ("scalar", "const"):
        return tokens[1:], "constant"
    if last in ("i", "ip", "isfs"):
        return tokens[:-1], "inplace"
    if last in _NUMBERS:
        return tokens[:-1], "constant"
    if last in ("rev", "reversed", "r"):
        return tokens[:-1], "reversed"
    return tokens, ""


def protocol_of(tokens: list[str]) -> tuple[list[str], str]:
    """Tokens without the words by which a function prepares or launches an op, and those words."""
    tokens = _joined(_image(tokens))
    for end in PROTOCOL_ENDS:
        if len(tokens) > len(end) and tuple(tokens[-len(end) :]) == end:
            return tokens[: -len(end)], "_".join(end)
    if len(tokens) > 1 and tokens[0] in PROTOCOL:
        return tokens[1:], tokens[0]
    at = tokens.index("create") if "create" in tokens else 0
    if at and all(t in _DIRECTIONS or is_type(t) for t in tokens[at + 1 :]):
        return [*tokens[:at], *tokens[at + 1 :]], "create"  # convolution create forward bias f32
    return tokens, ""


def _image(tokens: list[str]) -> list[str]:
    """Tokens without the channel marks of image functions (``_C1R``, ``_AC4IR``) and accuracy marks (``_A24``)."""
    made: list[str] = []
    skip = False
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if skip:
            skip = False
            if token.startswith("i"):
                made.append("i")
        elif re.fullmatch(r"a?c[134]|p[34]", token) and following in ("r", "ir", "i", "rsfs", "irsfs", "m", "mr"):
            skip = True
        elif not re.fullmatch(r"a\d\d", token):
            made.append(token)
    return made or tokens


def _joined(tokens: list[str]) -> list[str]:
    """``Work Space`` written as two words, made one."""
    made: list[str] = []
    for token in tokens:
        if token == "space" and made and made[-1] == "work":
            made[-1] = "workspace"
        elif token == "scaling" and made and made[-1] == "no":
            made.pop()
        elif token in ("buffer", "buf", "space", "storage") and made and made[-1] in ("temp", "tmp", "scratch"):
            made[-1] = "tempbuffer"
        else:
            made.append(token)
    return made
