"""``--require``: a floor of ops, so that a profile that claims little cannot pass for one that serves a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchfl import catalogue
from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register

BAD_REQUIRE = register("TFL0913", "a set of required ops is unknown or not well formed")

#: What models of a kind spend their time in, in any one floating dtype.
SETS: dict[str, tuple[str, ...]] = {
    "cnn": (
        "aten::add", "aten::addmm", "aten::avg_pool2d", "aten::batch_norm", "aten::conv2d", "aten::max_pool2d",
        "aten::mm", "aten::mul", "aten::relu", "aten::softmax",
    ),
    "transformer": (
        "aten::add", "aten::addmm", "aten::bmm", "aten::cat", "aten::embedding", "aten::gelu", "aten::layer_norm",
        "aten::mm", "aten::mul", "aten::rms_norm", "aten::silu", "aten::softmax", "aten::where",
    ),
}  # fmt: skip


def load(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Op name to required dtypes (empty: any) of set names and of YAML files.

    A file is a list of op names, or a mapping of op names to lists of dtypes. Raises TorchflError (TFL0913).
    """
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        ops: dict[str, tuple[str, ...]] = dict.fromkeys(SETS.get(word, ()), ())
        for op, dtypes in (ops or _read(word)).items():
            found[op] = tuple(dict.fromkeys((*found.get(op, ()), *dtypes)))
    return found


def _read(word: str) -> dict[str, tuple[str, ...]]:
    path = Path(word)
    if not path.is_file():
        near = did_you_mean(word, SETS)
        raise TorchflError(
            Problem(BAD_REQUIRE, f"{word!r} is no file and no set", near or " or ".join(SETS), where="--require")
        )
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise TorchflError(Problem(BAD_REQUIRE, str(error).partition("\n")[0], place=Place(word))) from error
    return _checked(content, word)


def _checked(content: Any, word: str) -> dict[str, tuple[str, ...]]:
    entries = dict.fromkeys(content, ()) if isinstance(content, list) else content
    if not isinstance(entries, dict) or not entries:
        raise TorchflError(Problem(BAD_REQUIRE, "expected op names, or op names with dtypes", place=Place(word)))
    problems, found = [], {}
    for op, dtypes in entries.items():
        known = catalogue.get(str(op))
        if known is None:
            near = did_you_mean(str(op), [one.name for one in catalogue.OPS])
            problems.append(Problem(BAD_REQUIRE, f"unknown op {str(op)!r}", near, Place(word)))
            continue
        wanted = tuple(map(str, dtypes or ())) if isinstance(dtypes, list | tuple | None) else (str(dtypes),)
        problems += [
            Problem(BAD_REQUIRE, f"{op} has no dtype {dtype!r}", did_you_mean(dtype, known.dtypes), Place(word))
            for dtype in wanted
            if dtype not in known.dtypes
        ]
        found[known.name] = wanted
    if problems:
        raise TorchflError(problems)
    return found


def missing(
    required: dict[str, tuple[str, ...]], native: Sequence[str], claims: dict[str, tuple[str, ...]]
) -> list[str]:
    """What a run lacks of the required ops: each must be proved native, in its required dtypes."""
    found = []
    for op, dtypes in sorted(required.items()):
        if op not in native:
            found.append(f"required op {op} is not {'proved native' if op in claims else 'claimed by the profile'}")
            continue
        lacking = [dtype for dtype in dtypes if dtype not in claims[op]]
        if lacking:
            found.append(f"required op {op} is not claimed in {', '.join(lacking)}")
    return found
