"""The gate on x1 as a user runs it, and on chips that are wrong in one way each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from torchfl_sdk.conformance import RunRequest, run, selftest
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.mutants.host import computed_on_the_host
from torchfl_sdk.conformance.mutants.selftest import HOST, NAMED, host_project

from helpers import Project
from torchfl import catalogue
from torchfl.errors import TorchflError

pytestmark = pytest.mark.device


def gate(project: Project, out: Path, **how) -> RunResult:
    return run(RunRequest(project.selector, chip_dirs=(project.directory,), out=out, search_here=False, **how))


def test_x1_as_built_passes_the_whole_gate(x1_project: Project, tmp_path: Path) -> None:
    result = gate(x1_project, tmp_path / "report", level="release")
    assert result.exit_code == 0, result.to_text()
    assert result.line.startswith(f"PASS 44/44 ops native (44 of the catalogue's {len(catalogue.OPS)}), ")
    assert len(result.results) == result.planned > 1500
    natives = [r for r in result.results if r.verdict == "NATIVE_PASS"]
    assert {r.case.variant for r in natives} == {"forward", "inplace", "out", "backward", "autocast"}
    assert {r.case.sample.op for r in natives if r.case.purpose == "op_db"} == set(result.native_ops)
    assert {r.case.variant for r in natives if r.case.purpose == "op_db"} == {"forward", "inplace", "out", "backward"}
    assert result.counts["NON_DISCRIMINATING"] < 0.15 * result.planned
    assert {r.case.device for r in natives} == {0, 1}
    conv = [r for r in natives if r.case.sample.op == "aten::conv2d"]
    assert {r.case.sample.dtype for r in conv} == {"float16", "int8"}
    outside = [r for r in result.results if r.case.boundary == "stride=3 outside"]
    assert outside
    assert {r.verdict for r in outside} <= {"FALLBACK_PASS", "UNSUPPORTED_DECLARED"}
    summary = json.loads((tmp_path / "report" / "summary.json").read_text())
    assert (summary["chip"], summary["devices"], summary["versions"]["driver"]) == ("X1-Edge core 0", 2, "1.2.0")
    stated = json.loads((tmp_path / "report" / "statement.json").read_text())
    assert (stated["chip"], stated["driver"]) == ({"name": "X1-Edge core 0", "devices": 2}, "1.2.0")
    assert all(row["proved"] for op in result.native_ops for row in summary["per_op"][op].values() if _native(row))


def _native(row: dict) -> bool:
    return "NATIVE_PASS" in row["verdicts"]


def test_wrong_chips_fail_and_right_ones_pass(x1_project: Project) -> None:
    """The three ways in which a gate is usually fooled, and arithmetic that is merely different."""
    result = selftest(
        x1_project.directory, names=(*NAMED[1:], "ignored_offset", "second_device_wrong", "fma", "blocked_sum")
    )
    assert result.exit_code == 0, result.to_text()
    assert result.to_text().splitlines()[-1] == "5/5 mutants killed, 2/2 right chips passed"
    rows = {row.name: row for row in result.rows}
    assert "computed on the host: the result is the same when" in rows[HOST].found
    assert "the tail: the last 1 of 65 elements are wrong" in rows["dropped_tail"].found
    assert "stride was taken to be (1, 1)" in rows["ignored_stride"].found


def test_an_entry_that_claims_too_much_fails(x1_project: Project, tmp_path: Path) -> None:
    """stride 3 is not the chip's: the kernel refuses it, and a refusal of a claimed call is no pass."""
    folder = tmp_path / "chip"
    folder.mkdir()
    (folder / "x1_device.yaml").write_text(
        f"extends: {json.dumps(str(x1_project.profile))}\n"
        "device_type: xpu:x1\nsupported_ops:\n  - name: aten::conv2d\n    constraints: {stride: [1, 2, 3, 4]}\n"
    )
    result = run(
        RunRequest("xpu:x1", ops=("aten::conv2d",), chip_dirs=(folder,), out=tmp_path / "report", search_here=False)
    )
    assert result.exit_code == 1
    bad = [r for r in result.results if not r.good]
    assert bad
    assert all("undeclared decline" in r.reason for r in bad)
    assert "stride=3 inside" in {r.case.boundary for r in bad}


def test_an_absent_driver_is_exit_3(x1_project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "chip"
    folder.mkdir()
    (folder / "x1_device.yaml").write_text(
        f"extends: {json.dumps(str(x1_project.profile))}\ndevice_type: xpu:x1\nruntime_so: /nowhere/libx1.so\n"
    )
    with pytest.raises(TorchflError, match=r"TFL0907.*/nowhere/libx1.so does not exist") as error:
        run(RunRequest("xpu:x1", chip_dirs=(folder,), out=tmp_path / "report", search_here=False))
    assert error.value.exit_code == 3


def test_a_repro_script_runs_alone(x1_project: Project, tmp_path: Path) -> None:
    """Of a wrong chip it exits 1 and says what is wrong."""
    from torchfl_sdk.chips import compile_sdk

    wrong = ("X1_MUTANT_SWAPPED_OPERANDS", "X1_MUTANT_TRANSPOSE_IGNORED")
    library = compile_sdk("x1", tmp_path / "sdk", defines=wrong) / "lib" / "libx1.so"
    folder = tmp_path / "chip"
    folder.mkdir()
    (folder / "x1_device.yaml").write_text(
        f"extends: {json.dumps(str(x1_project.profile))}\ndevice_type: xpu:x1\nruntime_so: {json.dumps(str(library))}\n"
    )
    result = run(
        RunRequest(
            "xpu:x1",
            ops=("aten::sub", "aten::mm"),
            dtypes=("float32",),
            chip_dirs=(folder,),
            out=tmp_path / "report",
            search_here=False,
        )
    )
    bad = [r for r in result.results if not r.good]
    plain = [r for r in bad if r.case.variant == "forward" and r.case.sample.label == "65"]
    assert plain
    assert {r.pattern for r in plain} == {"the operands are exchanged"}
    for name in (
        "sub_float32_forward",
        "sub_float32_inplace",
        "sub_float32_out",
        "mm_float32_forward",
        "mm_float32_backward",
    ):
        script = next(iter(sorted((tmp_path / "report" / "repro").glob(f"{name}_*.py"))))
        done = subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 1, done.stdout + done.stderr
        assert "wrong elements" in done.stdout
        assert "expected" in done.stdout


def test_a_repro_script_tells_right_numbers_of_the_host_from_the_chips(x1_project: Project, tmp_path: Path) -> None:
    profile, ops = host_project(x1_project.profile, tmp_path / "host")
    assert "aten::relu" in ops
    request = RunRequest(
        "xpu:x1", ops=("aten::relu",), dtypes=("float32",), chip_dirs=(profile.parent,), out=tmp_path / "report",
        search_here=False,
    )  # fmt: skip
    result = run(request)
    (bad, *_) = (r for r in result.results if not r.good and r.case.variant == "forward")
    assert bad.reason.startswith("computed on the host")
    script = next((tmp_path / "report" / "repro").glob(f"relu_float32_forward_{bad.case.id}.py"))
    for chip_dir, code in ((profile.parent, 1), (x1_project.directory, 0)):
        script.write_text(script.read_text().replace(str(profile.parent), str(chip_dir)))
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert ("computed on the host" in done.stdout) == bool(code)
        assert "0 wrong elements" in done.stdout


def test_a_repro_script_tells_a_chip_that_checks_its_index_from_one_that_does_not(
    x1_project: Project, tmp_path: Path
) -> None:
    from torchfl_sdk.chips import compile_sdk

    library = compile_sdk("x1", tmp_path / "sdk", defines=("X1_MUTANT_UNCHECKED_INDEX",)) / "lib" / "libx1.so"
    folder = tmp_path / "chip"
    folder.mkdir()
    (folder / "x1_device.yaml").write_text(
        f"extends: {json.dumps(str(x1_project.profile))}\ndevice_type: xpu:x1\nruntime_so: {json.dumps(str(library))}\n"
    )
    request = RunRequest(
        "xpu:x1", ops=("aten::gather",), dtypes=("float32",), chip_dirs=(folder,), out=tmp_path / "report",
        search_here=False,
    )  # fmt: skip
    bad = [r for r in run(request).results if not r.good]
    assert [r.case.expect for r in bad] == ["refused"] * 2
    for result in bad:
        (script,) = (tmp_path / "report" / "repro").glob(f"*_{result.case.id}.py")
        for chip_dir, code in ((folder, 1), (x1_project.directory, 0)):
            script.write_text(script.read_text().replace(str(folder), str(chip_dir)))
            done = subprocess.run(
                [sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
            assert done.returncode == code, done.stdout + done.stderr
            assert ("not refused" if code else "refused: ") in done.stdout


def test_the_host_mutant_needs_generated_kernels() -> None:
    with pytest.raises(ValueError, match="no kernel of a known op"):
        computed_on_the_host("int main() {}")


def test_unknown_mutants_and_folders_are_errors(x1_project: Project, tmp_path: Path) -> None:
    with pytest.raises(TorchflError, match="TFL0908 mutant: 'droped_tail'; fix: dropped_tail"):
        selftest(x1_project.directory, names=("droped_tail",))
    with pytest.raises(TorchflError, match="TFL0909"):
        selftest(tmp_path)
