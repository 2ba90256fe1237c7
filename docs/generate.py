"""Rewrites the generated blocks of these pages and of README.md, or says which are out of date.

    python docs/generate.py            exit 1 and a list when a block is stale
    python docs/generate.py --write    rewrite them (`nox -s docs` does this in an environment of its own)

A block stands between `<!-- begin generated: NAME -->` and `<!-- end generated -->`; the rest is prose, by hand.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).resolve().parent
_BLOCK = re.compile(r"(<!-- begin generated: ([\w-]+) -->\n).*?(<!-- end generated -->)", re.DOTALL)


def error_codes() -> str:
    """One row per error code. Importing every module is what registers them."""
    from torchfl.errors import CODES

    for package in ("torchfl", "torchfl_sdk"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name.rpartition(".")[2] not in ("__main__", "_core") and ".chips." not in module.name:
                importlib.import_module(module.name)
    rows = [f"| {code} | {meaning} | {exit_code} |" for code, (meaning, exit_code) in sorted(CODES.items())]
    return "\n".join(["| code | meaning | exit code |", "|---|---|---|", *rows])


def entry_points() -> str:
    """One row per device function of the chip ABI."""
    from torchfl_sdk import abi

    rows = [f"| `{e.name}` | {'yes' if e.required else ''} | `({e.params})` | {e.doc} |" for e in abi.entry_points()]
    return "\n".join(["| function | required | parameters | what it does |", "|---|---|---|---|", *rows])


def statuses() -> str:
    """The statuses, in the words of chip.h."""
    from torchfl_sdk import abi

    text = (abi.include_dir() / "torchfl" / "chip.h").read_text()
    found = re.findall(
        r"^\s+(TFL_\w+) = (\d+),?\s*(?:/\* (.*?) \*/)?$", text.partition("typedef int32_t tfl_dtype")[0], re.M
    )
    return "\n".join(
        ["| status | value | meaning |", "|---|---|---|", *(f"| `{n}` | {v} | {d} |" for n, v, d in found)]
    )


def profile_keys() -> str:
    """One row per key of a profile."""
    from torchfl.profile import key_table

    return key_table()


def catalogue() -> str:
    """One row per op that a profile may name."""
    from torchfl.catalogue import OPS

    rows = [
        f"| `{op.name}` | `{op.overload}` | {', '.join(op.inputs)} | {', '.join(op.variables)} | {op.tier} |"
        for op in OPS
    ]
    head = ["| op | dispatched as | tensors | constraint variables | judged in tier |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def limits() -> str:
    """One row per limit; the tests try each."""
    return str(_beside("limits").table())


def _beside(name: str) -> ModuleType:
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"torchfl_docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their annotations
    spec.loader.exec_module(module)
    return module


BLOCKS: dict[str, Callable[[], str]] = {
    "error-codes": error_codes,
    "entry-points": entry_points,
    "statuses": statuses,
    "profile-keys": profile_keys,
    "catalogue": catalogue,
    "limits": limits,
}


def render(text: str) -> str:
    """A page with every generated block made anew. Raises KeyError for a block that nothing makes."""
    return _BLOCK.sub(lambda m: f"{m[1]}{_make(m[2])}\n{m[3]}", text)


def _make(name: str) -> str:
    """The text of a block; those of measured figures are figures.py's."""
    return str(_beside("figures").BLOCKS[name]() if name.startswith("figures-") else BLOCKS[name]())


def pages() -> list[Path]:
    """Every page that may hold generated blocks."""
    readme = DOCS.parent / "README.md"
    return [*([readme] if readme.is_file() else []), *sorted(DOCS.glob("*.md"))]


def main() -> int:
    write = "--write" in sys.argv[1:]
    stale = []
    for page in pages():
        text = page.read_text()
        made = render(text)
        if made != text:
            stale.append(page.relative_to(DOCS.parent))
            if write:
                page.write_text(made)
    for name in stale:
        print(f"{name}: {'rewritten' if write else 'out of date; fix: nox -s docs'}")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main())
