"""new-chip as a request: what is written, what is refused, and that the disk stays as it was."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from helpers import ROOT
from torchfl.errors import TorchflError
from torchfl.profile import load_profile
from torchfl_sdk.scaffold import NewChipRequest, new_chip

HEADER = ROOT / "chips" / "x1" / "sdk" / "include" / "x1_runtime.h"


def snapshot(folder: Path) -> dict[str, bytes | str]:
    """Every path below a folder with its content, so that any change shows."""
    return {
        str(p.relative_to(folder)): os.readlink(p) if p.is_symlink() else p.read_bytes() if p.is_file() else "folder"
        for p in sorted(folder.rglob("*"))
    }


def codes(error: pytest.ExceptionInfo[TorchflError]) -> list[str]:
    return [p.code for p in error.value.problems]


@pytest.fixture(scope="module")
def x1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """x1's project as new-chip writes it. Do not change it."""
    parent = tmp_path_factory.mktemp("scaffold")
    return new_chip(NewChipRequest("x1", (HEADER,), vendor="SparkAI", out=parent)).project


def test_project_layout(x1: Path) -> None:
    written = {p for p in snapshot(x1) if (x1 / p).is_file() and not p.startswith(".torchfl/base/")}
    assert written == {
        ".gitignore",
        ".torchfl/header.json",
        ".torchfl/manifest.json",
        "CMakeLists.txt",
        "QUESTIONS.md",
        "README.md",
        "pyproject.toml",
        "src/x1_asserts.gen.cpp",
        "src/x1_chip.gen.cpp",
        "src/x1_device.gen.cpp",
        "src/x1_device.gen.h",
        "src/x1_kernels.cpp",
        "src/x1_module.gen.cpp",
        "src/x1_symbols.gen.cpp",
        "src/x1_symbols.gen.h",
        "x1_device.yaml",
    }


def test_profile_loads_and_is_sorted(x1: Path) -> None:
    profile = load_profile(x1 / "x1_device.yaml")
    assert profile.device_type == "xpu:x1"
    assert profile.vendor == "SparkAI"
    assert profile.memory.map == "x1_mem_map"
    assert profile.runtime["memcpy"] == "x1_memcpy"
    names = [op.name for op in profile.ops]
    assert names == sorted(names)
    assert {"aten::add", "aten::mm", "aten::addmm", "aten::conv2d"} <= set(names)
    conv = profile.op("aten::conv2d")
    assert conv is not None
    assert not conv.routes, "stride, padding and groups have limits that no header states"
    assert any("x1_runtime.h:" in e for e in conv.evidence)


def test_files_say_how_they_were_made(x1: Path) -> None:
    manifest = json.loads((x1 / ".torchfl" / "manifest.json").read_text())
    for path in snapshot(x1):
        if (
            not (x1 / path).is_file()
            or path.startswith(".torchfl")
            or path in (".gitignore", "README.md", "QUESTIONS.md")
        ):
            continue
        top = (x1 / path).read_text().split("\n\n")[0]
        assert "torchfl new-chip x1" in top, path
        assert manifest["header_sha256"] in top, path
        assert "0BSD" in top, path
        assert ("Do not edit" if ".gen." in path else "Yours to edit") in top, path


def test_no_comment_of_the_vendor_is_copied(x1: Path) -> None:
    comments = re.findall(r"/\*(.*?)\*/", HEADER.read_text(), re.DOTALL)
    sentences = {" ".join(s.split("*")[-1].split()) for c in comments for s in re.split(r"[.\n]", c)}
    everything = "\n".join(p.read_text() for p in x1.rglob("*") if p.is_file())
    assert not [s for s in sentences if len(s) > 24 and s in everything]


def test_every_function_of_the_header_is_accounted_for(x1: Path) -> None:
    readme = (x1 / "README.md").read_text()
    functions = set(re.findall(r"X1_API .*?\b(x1_\w+)\(", HEADER.read_text()))
    assert len(functions) > 30
    assert functions == {f for f in functions if f"`{f}`" in readme}


def test_two_runs_write_the_same_bytes(x1: Path, tmp_path: Path) -> None:
    again = new_chip(NewChipRequest("x1", (HEADER,), vendor="SparkAI", out=tmp_path)).project
    assert snapshot(again) == snapshot(x1)


def test_relative_request_leaves_no_path_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sdk").mkdir()
    (tmp_path / "sdk" / "x1_runtime.h").write_bytes(HEADER.read_bytes())
    monkeypatch.chdir(tmp_path)
    new_chip(NewChipRequest("x1", (Path("sdk/x1_runtime.h"),)))
    found = [p for p in (tmp_path / "x1").rglob("*") if p.is_file() and str(tmp_path).encode() in p.read_bytes()]
    assert found == []
    assert "${CMAKE_CURRENT_SOURCE_DIR}/../sdk" in (tmp_path / "x1" / "CMakeLists.txt").read_text()


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    before = snapshot(tmp_path)
    result = new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path / "deep" / "er", dry_run=True))
    assert snapshot(tmp_path) == before
    assert not result.written
    assert ("src/x1_kernels.cpp", "new") in result.files
    assert "would be written" in result.to_text()


def test_refuses_to_overwrite_and_lists_every_conflict(tmp_path: Path) -> None:
    new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path))
    (tmp_path / "x1" / "src" / "x1_kernels.cpp").write_text("// mine\n")
    before = snapshot(tmp_path)
    for request in (NewChipRequest("x1", (HEADER,), out=tmp_path, dry_run=d) for d in (False, True)):
        with pytest.raises(TorchflError) as error:
            new_chip(request)
        assert set(codes(error)) == {"TFL0403"}
        assert error.value.exit_code == 2
        assert "src/x1_kernels.cpp" in str(error.value)
        assert "x1_device.yaml" in str(error.value)
    assert snapshot(tmp_path) == before


def test_refuses_a_file_or_dangling_link_in_the_projects_place(tmp_path: Path) -> None:
    (tmp_path / "x1").symlink_to(tmp_path / "nowhere")
    before = snapshot(tmp_path)
    with pytest.raises(TorchflError) as error:
        new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path))
    assert codes(error) == ["TFL0403"]
    assert snapshot(tmp_path) == before


def test_writes_into_a_folder_that_holds_other_files(tmp_path: Path) -> None:
    (tmp_path / "x1").mkdir()
    (tmp_path / "x1" / "notes.txt").write_text("mine")
    new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path))
    assert (tmp_path / "x1" / "notes.txt").read_text() == "mine"
    assert (tmp_path / "x1" / "x1_device.yaml").is_file()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x1"]


def test_diff_shows_the_change_and_writes_nothing(tmp_path: Path) -> None:
    new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path))
    kernels = tmp_path / "x1" / "src" / "x1_kernels.cpp"
    kernels.write_text(kernels.read_text().replace("an empty sum", "mine"))
    before = snapshot(tmp_path)
    result = new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path, diff=True))
    assert snapshot(tmp_path) == before
    changed = [line for line in result.diff.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 2
    assert "mine" in changed[0]
    assert "an empty sum" in changed[1]
    assert dict(result.files)["src/x1_kernels.cpp"] == "changed"


def test_overwrite_replaces_generated_files_and_keeps_others(tmp_path: Path) -> None:
    new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path))
    clean = snapshot(tmp_path)
    kernels = tmp_path / "x1" / "src" / "x1_kernels.cpp"
    kernels.write_text("// mine\n")
    (tmp_path / "x1" / "notes.txt").write_text("mine")
    result = new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path, on_conflict="overwrite"))
    assert snapshot(tmp_path) == {**clean, "x1/notes.txt": b"mine"}
    assert dict(result.files)["src/x1_kernels.cpp"] == "changed"


def test_a_failed_overwrite_leaves_the_disk_as_it_was(tmp_path: Path) -> None:
    new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path))
    kernels = tmp_path / "x1" / "src" / "x1_kernels.cpp"
    (tmp_path / "x1" / "x1_device.yaml").write_text("mine: true\n")
    # A file that comes late in the project is a folder, so that the run fails after replacing others.
    module = tmp_path / "x1" / "src" / "x1_symbols.gen.h"
    module.unlink()
    module.mkdir()
    kernels.unlink()
    before = snapshot(tmp_path)
    with pytest.raises(TorchflError) as error:
        new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path, on_conflict="overwrite"))
    assert codes(error) == ["TFL0404"]
    assert "x1_symbols.gen.h" in str(error.value)
    assert snapshot(tmp_path) == before


def test_a_place_where_nothing_can_be_made_is_an_error() -> None:
    with pytest.raises(TorchflError) as error:
        new_chip(NewChipRequest("x1", (HEADER,), out=Path("/proc/torchfl")))
    assert codes(error) == ["TFL0404"]


def test_a_parent_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "deep"):
        with pytest.raises(TorchflError) as error:
            new_chip(NewChipRequest("x1", (HEADER,), out=out))
        assert codes(error)[0] in ("TFL0404", "TFL0406")
    assert snapshot(tmp_path) == {"file": b""}


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("", "mychip"),
        ("1x", "chip_1x"),
        ("../x", "x"),
        ("a/b", "b"),
        ("x 1", "x_1"),
        ("x\n1", "x_1"),
        ("chipé", "chip"),
        ("芯片", "mychip"),
        ("int", "int_chip"),
        ("class", "class_chip"),
        ("std", "std_chip"),
        ("con", "con_chip"),
        ("-x", "x"),
        ("x-", "x"),
        ("x--1", "x_1"),
        (".", "mychip"),
        ("..", "mychip"),
        ("$HOME", "home"),
        ("x" * 65, "x" * 60),
    ],
)
def test_odd_names_are_refused_with_a_name_that_works(name: str, suggestion: str, tmp_path: Path) -> None:
    with pytest.raises(TorchflError) as error:
        new_chip(NewChipRequest(name, (HEADER,), out=tmp_path))
    assert codes(error) == ["TFL0401"]
    assert error.value.problems[0].fix == f"a name like {suggestion!r}"
    assert list(tmp_path.iterdir()) == []
    new_chip(NewChipRequest(suggestion, (HEADER,), out=tmp_path, dry_run=True))


def test_a_name_with_a_hyphen_becomes_an_identifier_where_one_is_needed(tmp_path: Path) -> None:
    project = new_chip(NewChipRequest("x1-v2", (HEADER,), out=tmp_path)).project
    assert load_profile(project / "x1-v2_device.yaml").device_type == "xpu:x1-v2"
    assert "namespace x1_v2_chip" in (project / "src" / "x1-v2_kernels.cpp").read_text()


@pytest.mark.parametrize("family", ["", "XPU", "x:y", "1x", "x y"])
def test_odd_families_are_refused(family: str, tmp_path: Path) -> None:
    with pytest.raises(TorchflError) as error:
        new_chip(NewChipRequest("x1", (HEADER,), family=family, out=tmp_path))
    assert codes(error) == ["TFL0402"]


def test_everything_wrong_with_a_request_comes_at_once(tmp_path: Path) -> None:
    request = NewChipRequest(
        "x1", (), lib=tmp_path / "no.so", extends=tmp_path / "no.yaml", on_conflict="merg", out=tmp_path
    )
    with pytest.raises(TorchflError) as error:
        new_chip(request)
    assert codes(error) == ["TFL0406", "TFL0405", "TFL0406", "TFL0406"]
    assert "fix: merge" in str(error.value)


def test_runtime_so_uses_lib_path_where_it_finds_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "lib" / "libx1.so"
    library.parent.mkdir()
    library.write_bytes(b"")

    def runtime_so(name: str, lib: Path | None) -> str:
        project = new_chip(NewChipRequest(name, (HEADER,), lib=lib, out=tmp_path)).project
        return load_profile(project / f"{name}_device.yaml").runtime_so_text

    assert runtime_so("a", library) == str(library)
    assert runtime_so("b", None) == "$LIB_PATH/libb.so"
    monkeypatch.setenv("LIB_PATH", str(tmp_path))
    assert runtime_so("c", library) == str(library)
    monkeypatch.setenv("LIB_PATH", str(library.parent))
    assert runtime_so("d", library) == "$LIB_PATH/libx1.so"


def test_an_sdk_of_two_libraries(tmp_path: Path) -> None:
    libraries = tmp_path / "libops.so", tmp_path / "librt.so"
    for library in libraries:
        library.write_bytes(b"")
    request = NewChipRequest("e", (HEADER,), lib=libraries[0], more_libs=libraries[1:], out=tmp_path)
    profile = new_chip(request).project / "e_device.yaml"
    assert load_profile(profile).libraries == tuple(map(str, libraries))
    assert new_chip(NewChipRequest("e", (), out=tmp_path, on_conflict="merge")).nothing_to_do
    assert load_profile(profile).libraries == tuple(map(str, libraries))


def test_extends_is_written_relative_and_resolves(tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text("device_type: xpu:base\nvendor: Base\ncapabilities: {features: [tensor_core]}\n")
    project = new_chip(NewChipRequest("x1", (HEADER,), extends=base, out=tmp_path)).project
    assert "extends: ../base.yaml" in (project / "x1_device.yaml").read_text()
    profile = load_profile(project / "x1_device.yaml")
    assert profile.vendor == "Base"
    assert profile.capabilities.features == ("tensor_core",)


def test_json_result(tmp_path: Path) -> None:
    result = json.loads(new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path)).to_json())
    assert result["written"] is True
    assert {"op": "aten::mm"}.items() <= next(b for b in result["bound"] if b["impl"] == "x1_mm").items()
    assert any(u["function"] == "x1_crc32" and u["reason"] and u["line"] > 0 for u in result["unbound"])
    assert result["next"][0].startswith("torchfl-build ")


@pytest.mark.parametrize(
    ("macros", "version"),
    [
        ("#define ACME_VERSION_MAJOR 3\n#define ACME_VERSION_MINOR 10\n#define ACME_VERSION_PATCH 0\n", "3.10.0"),
        ("#define ACME_VER_MAJOR 3\n#define ACME_VER_MINOR 1\n", "3.1"),
        ("#define ACME_VERSION_MAJOR 3\n", ""),
        ("#define A_VER_MAJOR 1\n#define A_VER_MINOR 2\n#define B_VER_MAJOR 2\n#define B_VER_MINOR 0", ""),
        ("#define ACME_MAX_DIMS 8\n", ""),
    ],
)
def test_the_driver_version_is_the_one_that_the_header_states(macros: str, version: str, tmp_path: Path) -> None:
    header = tmp_path / "acme.h"
    header.write_text(f"{macros}\nint acme_init(void);\nint acme_relu_f32(const float *in, float *out, int n);\n")
    new_chip(NewChipRequest("acme", headers=(header,), out=tmp_path, check=False))
    profile = load_profile(tmp_path / "acme" / "acme_device.yaml")
    assert profile.driver_version == version
