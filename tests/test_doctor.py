"""Doctor: each thing broken on purpose, the line that says so, its fix, and the exit code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import Project, torchfl
from torchfl_sdk import abi
from torchfl_sdk.doctor import Check, exit_code, machine, render


def doctor(*args: str | Path, cwd: Path, **options) -> tuple[int, str]:
    done = torchfl("doctor", *args, cwd=cwd, **options)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


def finding(text: str, words: str) -> str:
    """The line that holds ``words``, and its fix."""
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if words in line), None)
    assert at is not None, f"no line says {words!r}:\n{text}"
    return "\n".join(lines[at : at + 2])


@pytest.fixture
def x1_copy(x1_project: Project, tmp_path: Path) -> Path:
    """A copy of the built x1 project that a test may break."""
    return Path(shutil.copytree(x1_project.directory, tmp_path / "x1"))


def with_runtime(project: Path, source: str) -> Path:
    """Compile ``source`` as the vendor's library of a project copy, and point its profile to it."""
    library = project.parent / "x1_runtime.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], input=source, text=True, check=True)
    profile = project / "x1_device.yaml"
    text, replaced = re.subn(r"(?m)^runtime_so:.*$", f"runtime_so: {library}", profile.read_text())
    assert replaced == 1
    profile.write_text(text)
    return library


def test_no_profile_is_a_warning_with_the_folder(tmp_path: Path) -> None:
    code, text = doctor(cwd=tmp_path)
    assert f"WARN: No device YAML found in {tmp_path}" in text
    assert "fix: torchfl new-chip" in finding(text, "No device YAML")
    assert code == 0


def test_no_profile_names_the_device_dir(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    _, text = doctor(cwd=tmp_path, env={"TORCHFL_DEVICE_DIR": str(empty)})
    assert f"WARN: No device YAML found in {empty}" in text


def test_unknown_device_exits_2(tmp_path: Path) -> None:
    assert torchfl("doctor", "--device", "xpu:none", cwd=tmp_path).returncode == 2


def test_unbuilt_chip_exits_3_with_the_build_command(x1_copy: Path) -> None:
    (x1_copy / "libx1_chip.so").unlink()
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 3
    assert "ERROR: libx1_chip.so is not built" in text
    assert "fix: torchfl-build x1" in text


def test_broken_profile_says_its_errors(x1_copy: Path) -> None:
    profile = x1_copy / "x1_device.yaml"
    profile.write_text(profile.read_text() + "\nnonsense: 1\n")
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 2
    assert "nonsense" in finding(text, "ERROR: TFL01")


def test_healthy_chip_is_all_ok(x1_copy: Path) -> None:
    code, text = doctor("--device", "xpu:x1", "--json", cwd=x1_copy.parent)
    report = json.loads(text)
    assert code == 0
    checks = {c["name"]: c for c in report["checks"]}
    for name in ("compiler", "library", "entry points", "runtime", "symbols", "devices", "round trip"):
        assert checks[name]["level"] == "OK", checks[name]
    assert "2 devices" in checks["devices"]["text"]
    assert "copy_h2d" in checks["entry points"]["text"]
    assert "event_record" in checks["entry points"]["text"].partition("without")[2]


def test_undefined_symbol_at_load(x1_copy: Path) -> None:
    with_runtime(x1_copy, "int x1_init_v2(void); int x1_init(void) { return x1_init_v2(); }")
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 1
    assert "ERROR: Failed to load x1_runtime.so: undefined symbol: x1_init_v2" in text
    assert "nm -D" in finding(text, "undefined symbol")


def test_missing_driver_exits_3(x1_copy: Path) -> None:
    with_runtime(x1_copy, "int x1_init(void) { return 0; }").unlink()
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 3
    assert "ERROR: Failed to load x1_runtime.so: no such file" in text


def test_symbols_that_the_driver_lacks_are_named_with_their_ops(x1_copy: Path) -> None:
    with_runtime(x1_copy, "int x1_other(void) { return 0; }")
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 1
    assert "aten::silu will not run on the chip" in finding(text, "no symbol x1_silu")
    assert "ERROR: Failed to load x1_runtime.so: undefined symbol: x1_init" in text


def test_a_crashing_driver_costs_its_check(x1_copy: Path) -> None:
    with_runtime(x1_copy, "int x1_init(void) { __builtin_trap(); }")
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 1
    assert "ERROR: the driver crashed while initialising the driver (SIG" in text


def test_a_driver_that_reports_an_error_is_quoted(x1_copy: Path) -> None:
    with_runtime(
        x1_copy,
        'int x1_init(void) { return 5; } const char *x1_get_last_error(void) { return "firmware 9 is too old"; }',
    )
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 1
    assert "firmware 9 is too old" in finding(text, "init gave DEVICE_ERROR")


def test_a_file_that_is_no_chip_library(x1_copy: Path) -> None:
    (x1_copy / "libx1_chip.so").write_text("not a library")
    code, text = doctor(cwd=x1_copy.parent)
    assert code == 1
    assert "fix: torchfl-build --clean x1" in finding(text, "ERROR: Failed to load libx1_chip.so")


def test_a_compiler_that_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/no/such/compiler")
    found = {c.name: c for c in machine.check_machine()}
    assert found["compiler"].level == "ERROR"
    assert "CXX" in found["compiler"].fix


def test_without_torch_only_the_vendor_side_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.util, "find_spec", lambda name: None)
    found = {c.name: c for c in machine.check_machine()}
    assert found["torch"].level == "WARN"
    assert "core" not in found


def test_exit_code_and_text() -> None:
    unbuilt, bad = Check("a", "ERROR", "x", exit_code=3), Check("b", "ERROR", "y", "do", "xpu:a")
    assert exit_code([Check("c", "WARN", "w")]) == 0
    assert exit_code([unbuilt]) == 3
    assert exit_code([unbuilt, bad]) == 1
    assert render([unbuilt, bad]).splitlines() == [
        "machine:",
        "  ERROR: x",
        "xpu:a:",
        "  ERROR: y",
        "      fix: do",
        "2 checks, 2 errors, 0 warnings",
    ]


def test_the_abi_mirror_reads_every_entry_point() -> None:
    header = (abi.include_dir() / "torchfl" / "chip.h").read_text()
    assert [f"TFL_{s} = {i}" for i, s in enumerate(abi.STATUSES)] == re.findall(
        r"TFL_\w+ = \d", header.partition("typedef int32_t tfl_dtype")[0]
    )
    names = [e.name for e in abi.entry_points()]
    assert names[0] == "open"
    assert len(set(names)) == len(names) >= 29
