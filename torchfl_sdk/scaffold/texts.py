"""The jinja2 templates that ship with torchfl, for whole files and for definitions that a style writes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

import torchfl_sdk


def environment() -> jinja2.Environment:
    """A new environment over the templates, whose blocks leave no blank lines."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(Path(p) / "templates") for p in torchfl_sdk.__path__]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # no HTML here; every language has its own quoting filter
    )


def definition(template: str, **context: object) -> str:
    """C++ that kernels share, by a template of ``templates/src``; without a newline at its end."""
    return _plain().get_template(f"src/{template}").render(context).rstrip("\n")


@cache
def _plain() -> jinja2.Environment:
    return environment()
