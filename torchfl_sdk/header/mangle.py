"""The symbols of template instances, as libclang mangles them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import clang.cindex as cx

from torchfl_sdk.header import toolchain
from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.header.paths import above, searched, stand_in

_CALLED = (cx.CursorKind.FUNCTION_DECL, cx.CursorKind.FUNCTION_TEMPLATE, cx.CursorKind.CXX_METHOD)


def mangled(model: HeaderModel, wanted: Mapping[str, str]) -> dict[str, str]:
    """C++ expression -> symbol, for expressions that name a function of the given pointer type; others are left out."""
    if not wanted:
        return {}
    asked = [f"static auto torchfl_{i} = static_cast<{s}>(&{e});" for i, (e, s) in enumerate(wanted.items())]
    text = "\n".join([model.prelude, *(f'#include "{path}"' for path in model.files), *asked, ""])
    with tempfile.TemporaryDirectory(prefix="torchfl-mangle-") as folder:
        missing, depth = Path(folder) / "missing", above(model.missing_includes)
        (missing / searched(depth)).mkdir(parents=True)
        for name in model.missing_includes:
            stub = missing / stand_in(name, depth)
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.write_text("", encoding="utf-8")
        source = Path(folder) / "instances.cpp"
        source.write_text(text, encoding="utf-8")
        arguments = ["-x", "c++", f"-std=gnu++{model.standard}", "-ferror-limit=0", "-w"]
        arguments += [word for d in model.include_dirs for word in ("-I", str(d))]
        arguments += [f"-D{define}" for define in model.defines]
        arguments += [*toolchain.include_arguments("c++"), "-idirafter", str(missing / searched(depth))]
        unit = cx.Index.create().parse(str(source), args=arguments)
        names = list(wanted)
        found: dict[str, str] = {}
        for cursor in unit.cursor.get_children():
            position = cursor.spelling.removeprefix("torchfl_")
            if cursor.kind != cx.CursorKind.VAR_DECL or not position.isdigit() or int(position) >= len(names):
                continue
            for inner in cursor.walk_preorder():
                called = inner.referenced if inner.kind == cx.CursorKind.DECL_REF_EXPR else None
                if called is not None and called.kind in _CALLED:
                    found[names[int(position)]] = called.mangled_name
    return found
