"""The command line: exit codes, error form, and that nothing light imports torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torchfl as package
from helpers import torchfl
from torchfl.catalogue import OPS
from torchfl.errors import Problem, TorchflError, register
from torchfl_sdk.child import module_command
from torchfl_sdk.cli import run as runner
from torchfl_sdk.cli.build import repeat_options


def imported_by(*args: str, cwd: Path | None = None) -> set[str]:
    """Modules in sys.modules when `torchfl ARGS` ends."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n@' + ' '.join(sys.modules)))\n"
        f"sys.argv = ['torchfl', *{list(args)!r}]\n"
        "from torchfl_sdk.cli import main\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("@")[2].split())


@pytest.mark.parametrize("args", [["--help"], ["new-chip", "--help"], ["profile", "schema"], ["ops"], ["--version"]])
def test_light_commands_import_no_torch(args: list[str]) -> None:
    modules = imported_by(*args)
    assert "typer" in modules
    assert "torch" not in modules


def test_help_imports_no_backend() -> None:
    heavy = {"numpy", "pydantic", "ruamel.yaml", "jinja2", "clang.cindex", "rich"}
    assert not heavy & imported_by("--help")


def test_new_chip_imports_no_torch(x1_sdk, tmp_path: Path) -> None:
    modules = imported_by("new-chip", "x1", "--header", str(x1_sdk.header), "--lib", str(x1_sdk.library), cwd=tmp_path)
    assert (tmp_path / "x1" / "x1_device.yaml").is_file()
    assert "clang.cindex" in modules
    assert "torch" not in modules


def test_version() -> None:
    assert torchfl("--version").stdout.strip() == package.__version__


def test_a_module_runs_in_a_process_that_ignores_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise RuntimeError('not this one')\n")
    package = tmp_path / "elsewhere"
    package.mkdir()
    (package / "asked.py").write_text("import json, sys\nprint(__name__, json.dumps(sys.argv[1:]))\n")
    done = subprocess.run(
        module_command("asked", "a", "b"),
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(package)}, check=False,
    )  # fmt: skip
    assert done.stdout == '__main__ ["a", "b"]\n', done.stderr


@pytest.mark.parametrize("args", [["nope"], ["new-chip"], ["probe"], ["conformance"], ["ops", "--nope"], ["core", "x"]])
def test_usage_errors_exit_2(args: list[str]) -> None:
    done = torchfl(*args)
    assert done.returncode == 2
    assert "Usage: torchfl" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "args", [[], ["a", "--name", "m"], ["a", "--name", "m", "--sources", "b.cpp"], ["--sources", "b.cpp"]]
)
def test_the_two_forms_of_build_do_not_mix(args: list[str]) -> None:
    assert torchfl(*args, program="torchfl-build").returncode == 2


def test_several_values_follow_one_option() -> None:
    args = ["--name", "m", "--sources", "a.cpp", "b.cpp", "-I", "inc", "--link", "x", "liby.so", "-j", "2"]
    assert repeat_options(args) == [
        "--name", "m", "--sources", "a.cpp", "--sources", "b.cpp", "-I", "inc",
        "--link", "x", "--link", "liby.so", "-j", "2",
    ]  # fmt: skip


def test_build_of_hand_written_sources(tmp_path: Path) -> None:
    (tmp_path / "one.cpp").write_text("int one() { return 1; }\n")
    (tmp_path / "two.cpp").write_text(
        "#include <pybind11/pybind11.h>\nint one();\n"
        'PYBIND11_MODULE(acme_wrapper, m) { m.def("two", [] { return 2 * one(); }); }\n'
    )
    args = ["--name", "acme_wrapper", "--sources", "one.cpp", "two.cpp"]
    done = torchfl(*args, program="torchfl-build", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    called = subprocess.run(
        [sys.executable, "-c", "import acme_wrapper; print(acme_wrapper.two())"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert called.stdout.strip() == "2", called.stderr


def test_build_usage_error_exits_2() -> None:
    done = torchfl(program="torchfl-build")
    assert done.returncode == 2
    assert "Usage: torchfl-build" in done.stderr


def test_unreadable_header_is_one_error_and_writes_nothing(tmp_path: Path) -> None:
    done = torchfl("new-chip", "x1", "--header", "absent.h", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("TFL03")
    assert "absent.h" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_headers_may_be_what_a_shell_makes_of_a_pattern(tmp_path: Path) -> None:
    for name in ("init", "shutdown", "device_synchronize"):
        (tmp_path / f"{name}.h").write_text(f"int acme_{name}(void);\n")
    patterned = torchfl(
        "new-chip", "acme", "--header", "device_synchronize.h", "init.h", "shutdown.h", "--no-check", cwd=tmp_path
    )
    assert patterned.returncode in (0, 1), patterned.stderr
    said = (tmp_path / "acme" / "acme_device.yaml").read_text()
    assert all(f"acme_{name}" in said for name in ("init", "shutdown", "device_synchronize"))


def test_unknown_chip_exits_2_with_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "acme_device.yaml").write_text("device_type: xpu:acme\nsupported_ops: []\n")
    done = torchfl("ops", "--device", "xpu:acm", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("TFL02")
    assert "xpu:acme" in done.stderr


def test_building_what_is_no_project_exits_2(tmp_path: Path) -> None:
    done = torchfl(tmp_path, program="torchfl-build")
    assert done.returncode == 2
    assert done.stderr.startswith("TFL05")


def test_ops_lists_the_whole_catalogue() -> None:
    rows = json.loads(torchfl("ops", "--json").stdout)
    assert [row["op"] for row in rows] == [op.name for op in OPS]


def test_ops_of_a_device_says_native_unverified_and_absent(tmp_path: Path) -> None:
    (tmp_path / "acme_device.yaml").write_text(
        "device_type: xpu:acme\n"
        "supported_ops:\n"
        "  - {name: aten::add, impl: acme_add, dtype_support: [float32]}\n"
        "  - {name: aten::relu, impl: acme_relu, dtype_support: [float32], provenance: unverified}\n"
    )
    done = torchfl("ops", "--device", "xpu:acme", "--json", cwd=tmp_path)
    states = {row["op"]: row["state"] for row in json.loads(done.stdout)}
    assert (states["aten::add"], states["aten::relu"], states["aten::mm"]) == ("native", "unverified", "-")


def test_profile_errors_exit_2_with_places(tmp_path: Path) -> None:
    profile = tmp_path / "acme_device.yaml"
    profile.write_text("device_type: xpu:acme\nsuported_ops: []\nvendr: A\n")
    done = torchfl("profile", "validate", profile)
    assert done.returncode == 2
    lines = done.stderr.strip().splitlines()
    assert [line[:5] for line in lines] == ["TFL01", "TFL01"]
    assert f"{profile}:2" in lines[0]
    assert "supported_ops" in lines[0]


def test_profile_diff_exits_1_on_a_difference(tmp_path: Path) -> None:
    old, new = tmp_path / "a_device.yaml", tmp_path / "b_device.yaml"
    old.write_text("device_type: xpu:a\nvendor: A\nsupported_ops: []\n")
    new.write_text("device_type: xpu:a\nvendor: B\nsupported_ops: []\n")
    assert torchfl("profile", "diff", old, old).returncode == 0
    changed = torchfl("profile", "diff", old, new)
    assert changed.returncode == 1
    assert "vendor" in changed.stdout


@pytest.mark.parametrize(
    "args", [["probe", "--device", "xpu:a"], ["conformance", "--device", "xpu:a"], ["core", "build"]]
)
def test_without_torch_the_commands_that_need_it_say_so(args: list[str], tmp_path: Path) -> None:
    code = (
        "import importlib.util as util, sys\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name == 'torch' else find(name, *a)\n"
        f"sys.argv = ['torchfl', *{args!r}]\n"
        "from torchfl_sdk.cli import main\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr == "TFL0601 torch is not installed; fix: pip install torch\n"


def _ends(app, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        runner.run(app, "torchfl")
    return ended.value.code, capsys.readouterr().err


def _raises(error: BaseException):
    def app(**_: object) -> None:
        raise error

    return app


def test_a_torchfl_error_prints_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    code = register("TFL1099", "only for this test", 3)
    code_out, text = _ends(_raises(TorchflError([Problem(code, "one", "do"), Problem(code, "two")])), capsys)
    assert code_out == 3
    assert text == "TFL1099 one; fix: do\nTFL1099 two\n"


def test_an_unexpected_error_is_one_line_and_70(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = _ends(_raises(RuntimeError("first\nsecond")), capsys)
    assert code == 70
    assert text.count("\n") == 1
    assert "RuntimeError: first second" in text
    assert "report" in text


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHFL_DEBUG", "1")
    code, text = _ends(_raises(RuntimeError("first")), capsys)
    assert code == 70
    assert "Traceback" in text


def test_an_interrupt_is_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ends(_raises(KeyboardInterrupt()), capsys)[0] == 130


def test_a_closed_pipe_is_silent() -> None:
    command = f"{sys.executable} -m torchfl_sdk.cli ops --json | head -c 1 >{os.devnull}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
