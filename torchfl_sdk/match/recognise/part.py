"""One parameter of a function, as the matcher sees it: what it is and what its name says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Param
from torchfl_sdk.match.tokens import split, words

if TYPE_CHECKING:
    from torchfl_sdk.match.recognise.induction import Carrier

#: ``pSrc``, ``nLength``, ``eMode``; but not ``bDesc``, where the letter is the tensor's name.
_HUNGARIAN = re.compile(
    r"^(?:lp|pp?[fv]?|[nfeokbu]|u[il]|sz|dw)(?=[A-Z][a-z])"
    r"(?!Desc|Data|Ptr|Buf|Tensor|Str|Step|Size|Type|Id|Ld|Inc|Trans|Off|Shape|Dim|Batch|Layout|Scale|Zero)"
)
_SPACE_MARK = re.compile(r"^(?:d|h|p|dev)_(?=[A-Za-z])")  # which memory it is in
_NUMBERS = ("int", "bool", "float", "enum")
_TRIMMED = frozenset(
    words("""optional vect p ptr desc descriptor descs data tensor buf buffer array arr addr vec matrix mat memory mem
    id vector host dev md tens pointer address list handle dptr""")
)


@dataclass(frozen=True)
class Part:
    """One parameter.

    ``sort``: data | list (an array of data pointers or of tensor objects) | tensor (a tensor struct or object) |
    desc | params (a struct of attributes) | stream | handle | out_handle | dtype | enum | int | float | bool | ints |
    int_out | scalar_pointer | text | function | id | complex | other.
    """

    index: int
    param: Param
    sort: str
    written: bool = False
    element: str = ""  # of data; "" where the type does not say
    type_words: frozenset[str] = frozenset()
    carrier: Carrier | None = None  # where counting over the header told that its type carries tensors

    @property
    def name(self) -> str:
        return self.param.name

    @property
    def plural(self) -> bool:
        """True for an array of tensors or of their descriptors."""
        many = {"descs", "inputs", "srcs", "tensors", "outputs", "arrays"}
        return self.sort == "list" or (self.sort == "desc" and bool(many & set(self.words)))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(words_of(self.param.name, number=self.param.type.kind in _NUMBERS))

    @property
    def joined(self) -> str:
        return "".join(self.words)

    @property
    def base(self) -> str:
        """The name of the tensor in it: without Hungarian marks and words such as ``desc`` or ``ptr``."""
        words = list(self.words)
        kept = [w for w in words if w not in _TRIMMED] or words
        return "".join(kept)


def words_of(name: str, *, number: bool = False) -> list[str]:
    """Words of a parameter's name without Hungarian notation: ``pSrcDst`` -> src dst, ``d_input`` -> input.

    ``number``: it is a number, whose ``h_`` and ``d_`` mean no memory (``h_in`` is a height).
    """
    name = _HUNGARIAN.sub("", name)
    name = name if number else _SPACE_MARK.sub("", name)
    return split(name)
