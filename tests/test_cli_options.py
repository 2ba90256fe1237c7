"""Every option with a value that it cannot have: one coded line that names it, exit 2, and nothing written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from torchfl.errors import CODES
from torchfl_sdk.cli import build_main, main
from torchfl_sdk.cli.paths import folder_to_write

PROFILE = "device_type: xpu:acme\nruntime_so: libacme.so\nsupported_ops: []\n"
HEADER = "int acme_init(void);\n"
GATE = ("conformance", "--device", "xpu:acme")
NEW = ("new-chip", "beta", "--header", "good.h")

#: Command line -> words of the error. ``file`` is an empty file, ``nodir`` is not there, ``acme`` has only a profile.
BAD: dict[tuple[str, ...], tuple[str, ...]] = {
    ("nope",): ("TFL1071", "torchfl:", "nope", "torchfl --help"),
    ("ops", "--nope"): ("TFL1071", "torchfl ops:", "--nope"),
    ("probe",): ("TFL1071", "torchfl probe:", "--device"),
    ("conformance",): ("TFL1071", "--device xpu:x1"),
    ("probe", "--device", "xpu"): ("TFL0205", "xpu"),
    ("probe", "--device", ""): ("TFL0205",),
    ("probe", "--device", "xpu:acme:-1"): ("TFL0205",),
    ("probe", "--device", "xpu:acme:9", "--chip-dir", "nodir"): ("TFL0206", "nodir"),
    ("ops", "--device", "xpu:acme", "--chip-dir", "file"): ("TFL0206", "file"),
    ("doctor", "--device", "acme"): ("TFL0205",),
    (*GATE, "--level", "fast"): ("TFL0901", "--level", "fast"),
    (*GATE, "--ops", "aten::ad"): ("TFL0902", "--ops", "aten::add"),
    (*GATE, "--ops", "mm"): ("TFL0902", "--ops", "unknown 'mm'; fix: aten::mm"),
    (*GATE, "--ops", "quux_of_nothing"): ("TFL0902", "--ops", "fix: torchfl ops lists them"),
    (*GATE, "--ops", " , "): ("TFL1071", "--ops", "names nothing"),
    (*GATE, "--dtypes", ","): ("TFL1071", "--dtypes"),
    (*GATE, "--dtypes", "float33"): ("TFL0902", "--dtypes"),
    (*GATE, "--require", "rnn"): ("TFL0913", "--require"),
    (*GATE, "--require", "."): ("TFL0913", "--require"),
    (*GATE, "--waivers", "nodir"): ("TFL0912", "nodir"),
    (*GATE, "--waivers", "."): ("TFL0912",),
    (*GATE, "--shard", "0/3"): ("TFL0916", "--shard", "0/3"),
    (*GATE, "--shard", "4/3"): ("TFL0916", "--shard"),
    (*GATE, "--shard", "-1/3"): ("TFL0916", "--shard"),
    (*GATE, "--shard", "two"): ("TFL0916", "--shard"),
    (*GATE, "--out", "file"): ("TFL1072", "file", "--out"),
    (*GATE, "--out", "file/report"): ("TFL1072", "file", "--out"),
    (*GATE, "--out", "dangling"): ("TFL1072", "dangling", "--out"),
    ("conformance", "verify", "nodir"): ("TFL0914", "no such folder: give the one that holds statement.json"),
    ("conformance", "verify", "file"): ("TFL0914", "no such folder"),
    ("conformance", "merge", "nodir", "--out", "whole"): ("TFL0916", "nodir", "No such file"),
    ("conformance", "merge", "nodir", "--out", "file"): ("TFL1072", "file", "--out"),
    ("conformance", "merge", "nodir"): ("TFL1071", "--out"),
    ("conformance", "diff", "nodir", "file"): ("TFL0915", "nodir"),
    ("conformance", "selftest", "nodir"): ("TFL0909", "nodir", "no such folder"),
    ("conformance", "selftest", "acme", "--mutants", "nope"): ("TFL0908", "nope"),
    ("conformance", "selftest", "acme", "--level", "fast"): ("TFL0901", "--level"),
    ("conformance", "selftest", "acme", "--sdk", "nope"): ("TFL0580", "nope"),
    ("sdk", "nope"): ("TFL0580", "nope"),
    ("sdk", "x1", "--out", "file"): ("TFL0583", "file", "--out"),
    ("sdk", "x1", "--out", "file/sdk"): ("TFL0583", "file", "--out"),
    ("new-chip", "9", "--header", "good.h"): ("TFL0401",),
    ("new-chip", "../up", "--header", "good.h"): ("TFL0401",),
    ("new-chip", "beta", "--header", "nodir"): ("TFL0301", "nodir", "--header"),
    ("new-chip", "beta", "--header", "."): ("TFL0302", "header"),
    (*NEW, "-I", "nodir"): ("TFL0301", "nodir", "-I"),
    (*NEW, "-I", "file"): ("TFL0301", "file", "-I"),
    (*NEW, "-D", "1=2"): ("TFL0309", "-D"),
    (*NEW, "--lib", "nodir"): ("TFL0406", "--lib"),
    (*NEW, "--lib", "."): ("TFL0406", "--lib"),
    (*NEW, "--family", "X U"): ("TFL0402", "--family"),
    (*NEW, "--extends", "nodir"): ("TFL0406", "--extends"),
    ("new-chip", "beta", "--from-profile", "nodir"): ("TFL0406", "--from-profile"),
    (*NEW, "--on-conflict", "ask"): ("TFL0406", "--on-conflict"),
    (*NEW, "--out", "file"): ("TFL0406", "--out"),
    (*NEW, "--out", "file/x"): ("TFL04", "file"),
    ("profile", "validate", "nodir"): ("TFL0101", "nodir"),
    ("profile", "show", "."): ("TFL0101",),
    ("profile", "diff", "nodir", "file"): ("TFL0101", "nodir"),
    ("profile", "explain", "acme/acme_device.yaml", "nokey"): ("TFL0117", "nokey"),
    ("core", "nope"): ("TFL1071", "torchfl core:", "nope"),
}
BAD_BUILDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("nodir",): ("TFL0501", "nodir", "no such folder"),
    ("file",): ("TFL0501", "file", "no folder"),
    ("acme", "-j", "0"): ("TFL1071", "-j"),
    ("acme", "-j", "-1"): ("TFL1071", "-j"),
    ("acme", "-j", "many"): ("TFL1071", "-j"),
    ("acme", "--name", "m"): ("TFL1071", "--sources"),
    ("acme", "--name", "m", "--sources", "one.cpp"): ("TFL1071", "DIR"),
    (): ("TFL1071", "DIR"),
    ("acme", "-I", "nodir"): ("TFL1071", "-I"),
    ("acme", "--link", "m"): ("TFL1071", "--link"),
    ("--name", "m", "--sources", "one.cpp", "--wheel"): ("TFL1071", "--wheel"),
    ("--name", "m", "--sources", "one.cpp", "--clean"): ("TFL1071", "--clean"),
    ("--name", "m", "--sources", "nodir.cpp"): ("TFL0506", "nodir.cpp", "--sources"),
    ("--name", "m", "--sources", "acme"): ("TFL0506", "acme", "--sources"),
    ("--name", "1m", "--sources", "one.cpp"): ("TFL0506", "--name"),
    ("--name", "m", "--sources", "one.cpp", "-I", "nodir"): ("TFL0506", "nodir", "-I"),
    ("--name", "m", "--sources", "one.cpp", "--link", "nodir.so"): ("TFL0506", "nodir.so", "--link"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORCHFL_DEVICE_DIR", "")
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "acme_device.yaml").write_text(PROFILE)
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "good.h").write_text(HEADER)
    (tmp_path / "one.cpp").write_text("int one() { return 1; }\n")
    return tmp_path


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("program", "args", "words"),
    [
        *(("torchfl", args, words) for args, words in BAD.items()),
        *(("torchfl-build", args, words) for args, words in BAD_BUILDS.items()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_a_bad_value_is_one_coded_line_and_writes_nothing(
    program: str, args: tuple[str, ...], words: tuple[str, ...], here: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    before = everything(here)
    monkeypatch.setattr(sys, "argv", [program, *args])
    with pytest.raises(SystemExit) as ended:
        (main if program == "torchfl" else build_main)()
    told = capsys.readouterr().err
    assert ended.value.code == 2, told
    coded = [line for line in told.splitlines() if line[:7] in CODES]
    assert len(coded) == 1, told
    assert [word for word in words if word not in coded[0]] == [], told
    assert "Error]" not in told
    assert "Errno" not in told
    assert everything(here) == before


def test_a_folder_that_is_not_there_yet_can_be_written(tmp_path: Path) -> None:
    assert folder_to_write("--out", tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert folder_to_write("--out", tmp_path) == tmp_path
    assert everything(tmp_path) == set()


def test_a_folder_without_permission_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)  # root may write everywhere
    with pytest.raises(Exception, match=f"TFL1072 .*--out: {tmp_path} cannot be written; fix: choose another --out"):
        folder_to_write("--out", tmp_path / "a")


def test_an_error_of_a_file_is_coded_wherever_it_is_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from torchfl_sdk.cli.run import run

    def full(**_: object) -> None:
        raise OSError(28, "No space left on device", "report/results.jsonl")

    with pytest.raises(SystemExit) as ended:
        run(full, "torchfl")
    assert ended.value.code == 2
    assert capsys.readouterr().err == "TFL1073 report/results.jsonl  No space left on device; fix: check the path\n"
