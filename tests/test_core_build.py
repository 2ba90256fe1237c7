"""How the core is compiled: what names it, one build for many askers, errors with their log, and torch not needed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from torchfl import core_build, core_cache
from torchfl.errors import TorchflError

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES C CXX)
add_library(_core MODULE device.cpp)
set_target_properties(_core PROPERTIES PREFIX "" SUFFIX ".so")
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree of one small file in the core's place, and a cache of its own."""
    csrc, include = tmp_path / "csrc", tmp_path / "include"
    (include / "torchfl").mkdir(parents=True)
    csrc.mkdir()
    (include / "torchfl" / "chip.h").write_text("int x;\n")
    (csrc / "CMakeLists.txt").write_text(CMAKE)
    (csrc / "device.cpp").write_text("int answer() { return 1; }\n")
    monkeypatch.setattr(core_build, "source_dirs", lambda: (csrc, include))
    monkeypatch.setenv("TORCHFL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCHFL_CCACHE", "0")
    return csrc


def build() -> tuple[Path, str]:
    out = io.StringIO()
    return core_build.build(stream=out), out.getvalue()


def test_it_is_built_once_with_progress_and_found_again(tree: Path) -> None:
    assert not core_build.status().built
    core, progress = build()
    assert core == core_build.path()
    assert core.name == "_core.so"
    assert core.parent.parent == core_build.cache_dir() / "core"
    assert "[1/2] device.cpp" in progress
    assert [p.name for p in core.parent.iterdir()] == ["_core.so"]  # nothing half-written stays
    assert build() == (core, "")


def test_a_change_of_sources_gives_another_core_and_the_old_one_stays(tree: Path) -> None:
    first, _ = build()
    (tree / "device.cpp").write_text("int answer() { return 2; }\n")
    assert not core_build.status().built
    second, _ = build()
    assert second != first
    assert first.is_file()
    (tree / "notes.md").write_text("not a source")
    assert core_build.path() == second
    (tree.parent / "include" / "torchfl" / "chip.h").write_text("int y;\n")
    assert core_build.path() not in (first, second)


def test_clean_removes_what_nothing_asks_for_and_keeps_the_core_in_use(tree: Path) -> None:
    assert core_cache.clean() == ()
    first, _ = build()
    (tree / "device.cpp").write_text("int answer() { return 2; }\n")
    second, _ = build()
    root = core_build.cache_dir() / "core"
    foreign = root / "tree-1.0.0-cpython-39-00000000"
    foreign.mkdir()
    (foreign / "object.o").write_bytes(b"12345")
    foreign.with_name(f"{foreign.name}.log").write_text("its log")
    busy = root / "tree-1.0.0-cpython-39-11111111"
    busy.mkdir()
    with FileLock(f"{busy}.lock", thread_local=False):
        removed = dict(core_cache.clean())
    assert set(removed) == {first.parent, foreign}
    assert removed[foreign] == 5
    assert second.is_file()
    assert core_build.build_tree(core_build.status()).is_dir()
    assert busy.is_dir()
    assert not [p for p in root.iterdir() if p.name.startswith(foreign.name)]


def test_force_compiles_again(tree: Path) -> None:
    core, _ = build()
    before = core.stat().st_mtime_ns
    out = io.StringIO()
    assert core_build.build(force=True, stream=out) == core
    assert "compiling the core" in out.getvalue()
    assert core.stat().st_mtime_ns > before


def test_torch_and_python_are_part_of_the_name(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = core_build.path().parent.name
    folder, version = core_build.torch_location()
    assert name.startswith(f"{version.replace('+', '_')}-{sys.implementation.cache_tag}-")
    monkeypatch.setattr(core_build, "torch_location", lambda: (folder, "9.9.9"))
    assert core_build.path().parent.name != name


def test_a_compile_error_names_its_line_and_log_and_leaves_nothing_behind(tree: Path) -> None:
    (tree / "device.cpp").write_text("int answer() { return nothing; }\n")
    with pytest.raises(TorchflError) as caught:
        build()
    (problem,) = caught.value.problems
    assert problem.code == "TFL0603"
    assert "'nothing' was not declared" in problem.cause
    log = Path(problem.fix.split("see ")[1].split(",")[0])
    assert "nothing" in log.read_text()
    assert not core_build.status().built
    assert not core_build.path().parent.exists()
    (tree / "device.cpp").write_text("int answer() { return 3; }\n")
    build()
    assert core_build.status().built


def test_missing_tools_are_named_together(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-c++")
    monkeypatch.setenv("CC", "no-such-cc")
    monkeypatch.setattr(core_build.sysconfig, "get_path", lambda name: "/nowhere")
    with pytest.raises(TorchflError) as caught:
        build()
    causes = [p.cause for p in caught.value.problems]
    assert [p.code for p in caught.value.problems] == ["TFL0602"] * 3
    assert causes == ["'no-such-c++' was not found", "'no-such-cc' was not found", "Python.h is not in /nowhere"]
    assert core_build.status().compiler == ""


def test_without_torch_the_error_says_so(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(core_build.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TorchflError, match="TFL0601 torch is not installed; fix: pip install torch"):
        core_build.status()


def test_missing_sources_are_an_installation_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import torchfl

    monkeypatch.setattr(torchfl, "__path__", [str(tmp_path)])
    with pytest.raises(TorchflError, match="TFL0604"):
        core_build.source_dirs()


def test_sources_inside_the_package_come_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import torchfl

    package = tmp_path / "torchfl"
    for base in (tmp_path, package):
        (base / "csrc").mkdir(parents=True)
        (base / "csrc" / "CMakeLists.txt").touch()
        (base / "include" / "torchfl").mkdir(parents=True)
        (base / "include" / "torchfl" / "chip.h").touch()
    monkeypatch.setattr(torchfl, "__path__", [str(package)])
    assert core_build.source_dirs() == (package / "csrc", package / "include")


def test_processes_that_ask_at_once_compile_once(tree: Path) -> None:
    code = (
        "from pathlib import Path; from torchfl import core_build\n"
        f"core_build.source_dirs = lambda: (Path({str(tree)!r}), Path({str(tree.parent / 'include')!r}))\n"
        "print(core_build.build())"
    )
    askers = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    results = [asker.communicate(timeout=120) for asker in askers]
    assert {out.strip() for out, _ in results} == {str(core_build.path())}
    assert sum("compiling the core" in err for _, err in results) == 1


def test_the_number_of_jobs_follows_max_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_JOBS", "3")
    assert core_build._jobs() == 3
    monkeypatch.setenv("MAX_JOBS", "zero")
    assert 1 <= core_build._jobs() <= (os.cpu_count() or 1)


def test_status_imports_no_torch() -> None:
    code = "import sys; from torchfl import core_build; core_build.status(); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
