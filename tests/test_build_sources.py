"""torchfl-build --name M --sources: hand-written modules; and the wheel of a chip project."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from helpers import Sdk
from torchfl.errors import TorchflError
from torchfl_sdk.build import build_project, build_sources
from torchfl_sdk.build.elf import read_dynamic
from torchfl_sdk.scaffold import NewChipRequest, new_chip

VENDOR_H = "int vendor_answer(void);\n"
MODULE = """
#include <pybind11/pybind11.h>
extern "C" {
#include "vendor.h"
}
PYBIND11_MODULE(my_wrapper, m) { m.def("answer", &vendor_answer); }
"""
CHIP = """
#include "torchfl/chip.hpp"
extern "C" __attribute__((visibility("default"))) const tfl_chip* torchfl_chip_v1(void) { return nullptr; }
"""
TORCH = """
#include <torch/extension.h>
extern "C" int vendor_answer(void);
at::Tensor answer(const at::Tensor& like) { return at::full_like(like, vendor_answer()); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("answer", &answer); }
"""


@pytest.fixture
def vendor(tmp_path: Path) -> Path:
    """A folder with vendor.h and libvendor.so."""
    folder = tmp_path / "vendor sdk"
    folder.mkdir()
    (folder / "vendor.h").write_text(VENDOR_H)
    (folder / "vendor.c").write_text("int vendor_answer(void) { return 42; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "libvendor.so", "vendor.c"], cwd=folder, check=True)
    return folder


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def load(path: Path, name: str):
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_python_module_linked_with_the_vendors_library(vendor: Path, tmp_path: Path) -> None:
    source = write(tmp_path, "my_wrapper.cpp", MODULE)
    result = build_sources("my_wrapper", (source,), (str(vendor / "libvendor.so"),), (vendor,), tmp_path, jobs=1)
    (made,) = result.files
    assert made.name.startswith("my_wrapper.cpython-")
    assert load(made, "my_wrapper").answer() == 42
    assert "libvendor.so" in read_dynamic(made).needed
    assert not list(tmp_path.glob("*.log"))


def test_chip_library_from_plain_sources(tmp_path: Path) -> None:
    result = build_sources("mine", (write(tmp_path, "a.cpp", CHIP),), out=tmp_path)
    assert [p.name for p in result.files] == ["libmine_chip.so"]
    assert "torchfl_chip_v1" in read_dynamic(result.files[0]).exported


def test_module_of_another_name_is_refused_with_its_name(tmp_path: Path) -> None:
    text = "#include <pybind11/pybind11.h>\nPYBIND11_MODULE(other, m) { (void)m; }\n"
    with pytest.raises(TorchflError, match=r"TFL0506 .*--sources: defines neither .*fix: --name other"):
        build_sources("mine", (write(tmp_path, "a.cpp", text),), out=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.cpp", "mine.build.log"]


def test_compile_error_of_a_source_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(TorchflError) as error:
        build_sources("mine", (write(tmp_path, "a.cpp", "\n\nint x = y;\n"),), out=tmp_path)
    problem = error.value.problems[0]
    assert problem.code == "TFL0504"
    assert problem.place.file.endswith("a.cpp")
    assert problem.place.line == 3


def test_bad_input_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(TorchflError) as error:
        build_sources("a-b", (tmp_path / "no.cpp",), ("lib/no.so",), (tmp_path / "no",), tmp_path / "nowhere")
    assert [p.code for p in error.value.problems] == ["TFL0506"] * 5
    with pytest.raises(TorchflError, match="no sources given"):
        build_sources("a", (), out=tmp_path)


@pytest.mark.timeout(600)
def test_module_over_torch_tensors(vendor: Path, tmp_path: Path) -> None:
    source = write(tmp_path, "my_torch.cpp", TORCH)
    build_sources("my_torch", (source,), (str(vendor / "libvendor.so"),), (), tmp_path, jobs=1)
    code = "import torch, my_torch; print(my_torch.answer(torch.zeros(2)).tolist())"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[42.0, 42.0]\n"


def test_wheel_of_a_chip_project(x1_sdk: Sdk, tmp_path: Path) -> None:
    project = new_chip(NewChipRequest("x1", (x1_sdk.header,), lib=x1_sdk.library, out=tmp_path)).project
    (wheel,) = build_project(project, wheel=True).files
    assert wheel.parent == project.resolve() / "dist"
    with zipfile.ZipFile(wheel) as archive:
        names = {n for n in archive.namelist() if "dist-info" not in n}
        entry = archive.read(next(n for n in archive.namelist() if n.endswith("entry_points.txt"))).decode()
        archive.extractall(tmp_path / "installed")
    module = next(n for n in names if "x1_wrapper" in n)
    package = "torchfl_chip_x1"
    assert names == {f"{package}/{n}" for n in ("__init__.py", "x1_device.yaml", "libx1_chip.so")} | {module}
    assert "[torchfl.chips]\nx1 = torchfl_chip_x1" in entry.replace("=", " = ").replace("  ", " ")
    code = f"import {package}.x1_wrapper as m; m.open({str(x1_sdk.library)!r}); print(m.device_count())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "installed", capture_output=True, text=True, check=False
    )
    assert done.stdout == "2\n", done.stderr
    assert not list(project.glob("*.so")), "a wheel leaves no library beside the profile"


def test_wheel_that_does_not_compile_says_why(x1_sdk: Sdk, tmp_path: Path) -> None:
    project = new_chip(NewChipRequest("x1", (x1_sdk.header,), lib=x1_sdk.library, out=tmp_path)).project
    write(project / "src", "x1_kernels.cpp", "nope;\n")
    with pytest.raises(TorchflError, match=r"TFL0507 .*error.*torchfl-build\.log"):
        build_project(project, wheel=True)
    assert not list((project / "dist").iterdir())
