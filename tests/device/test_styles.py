"""Calling styles beyond pointers: each small SDK of the tests goes from its header to a green gate, no hand edit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from helpers import ROOT, Sdk, make_project, torchfl
from torchfl.profile import load_profile

pytestmark = pytest.mark.device

DATA = ROOT / "tests" / "build_data"

#: SDK -> (compiler, header, source, the ops that its gate must find native)
STYLES = {
    "buffers": ("cc", "buffers.h", "buffers.c", ("aten::add", "aten::addmm", "aten::bmm", "aten::mm", "aten::relu")),
    "tiles": (
        "cc",
        "tiles.h",
        "tiles.c",
        (
            "aten::add",
            "aten::addmm",
            "aten::addmv",
            "aten::addr",
            "aten::bmm",
            "aten::mm",
            "aten::mul",
            "aten::mv",
            "aten::sub",
            "aten::sum",
        ),
    ),
    "words": ("cc", "words.h", "words.c", ("aten::add", "aten::conv2d", "aten::maximum", "aten::softmax")),
    "steps": (
        "cc",
        "steps.h",
        "steps.c",
        ("aten::abs", "aten::add", "aten::exp", "aten::relu", "aten::sqrt", "aten::sub"),
    ),
    "params": (
        "cc",
        "params.h",
        "params.c",
        ("aten::add", "aten::addmm", "aten::bmm", "aten::leaky_relu", "aten::mm", "aten::mul"),
    ),
    "nests": (
        "cc",
        "nests.h",
        "nests.c",
        (
            "aten::add",
            "aten::amax",
            "aten::bmm",
            "aten::clamp",
            "aten::layer_norm",
            "aten::leaky_relu",
            "aten::lt",
            "aten::max_pool2d",
            "aten::permute_copy",
            "aten::relu",
            "aten::softmax",
            "aten::sum",
            "aten::where",
        ),
    ),
    "bays": (
        "cc",
        "bays.h",
        "bays.c",
        (
            "aten::add",
            "aten::amax",
            "aten::layer_norm",
            "aten::lt",
            "aten::mul",
            "aten::permute_copy",
            "aten::relu",
            "aten::softmax",
            "aten::sum",
            "aten::where",
        ),
    ),
    "quays": (
        "cc",
        "quays.h",
        "quays.c",
        ("aten::add", "aten::exp", "aten::lt", "aten::mm", "aten::softmax", "aten::sum"),
    ),
    "reels": (
        "cc",
        "reels.h",
        "reels.c",
        (
            "aten::abs",
            "aten::add",
            "aten::maximum",
            "aten::mm",
            "aten::relu",
            "aten::sqrt",
            "aten::sub",
            "aten::sum",
            "aten::where",
        ),
    ),
    "numbers": (
        "cc",
        "numbers.h",
        "numbers.c",
        (
            "aten::add",
            "aten::clamp",
            "aten::lt",
            "aten::mm",
            "aten::permute_copy",
            "aten::relu",
            "aten::softmax",
            "aten::sub",
            "aten::sum",
            "aten::where",
        ),
    ),
    "by_value": ("cc", "by_value.h", "by_value.c", ("aten::add", "aten::mul", "aten::neg")),
    "templates": (
        "c++",
        "templates.hpp",
        "templates.cpp",
        ("aten::add", "aten::addmm", "aten::bmm", "aten::mm", "aten::neg", "aten::relu"),
    ),
    "carriers": (
        "c++",
        "carriers.hpp",
        "carriers.cpp",
        ("aten::add", "aten::bmm", "aten::leaky_relu", "aten::mm", "aten::mul", "aten::neg", "aten::relu"),
    ),
}

#: Those whose one failure code is also for element types that a function does not take, which the probe reports.
FAIL_FOR_TYPES = ("nests", "numbers", "quays", "reels")


@pytest.mark.parametrize("name", STYLES)
def test_header_to_green_gate(name: str, tmp_path: Path) -> None:
    compiler, header, source, ops = STYLES[name]
    library = tmp_path / f"lib{name}.so"
    standard = ["-std=c++17"] if compiler == "c++" else []
    flags = [*standard, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
    command = [compiler, *flags, "-o", library, DATA / source, "-lm"]
    subprocess.run(command, check=True)
    project = make_project(tmp_path, name, Sdk(DATA / header, library), alarms=name in FAIL_FOR_TYPES)
    assert tuple(sorted(op.name for op in load_profile(project.profile).ops if op.routes)) == ops
    done = torchfl("conformance", "--device", project.selector, "--chip-dir", project.directory, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith(f"PASS {len(ops)}/{len(ops)} ops native")
