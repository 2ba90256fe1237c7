"""The gate over a chip without hardware: processes, isolation, resuming, bad input, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from torchfl_sdk.conformance import RunRequest, run
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.report import statement

from conformance_helpers import EXECUTOR, PROFILE, fake_chip
from torchfl.errors import TorchflError


def bad(result: RunResult) -> Counter[str]:
    return Counter(r.verdict for r in result.results if not r.good)


def test_the_parent_imports_no_torch(tmp_path: Path) -> None:
    chip = fake_chip(tmp_path / "fake")
    script = (
        "import sys\nfrom pathlib import Path\nfrom torchfl_sdk.conformance import RunRequest, run\n"
        f"r = run(RunRequest('xpu:fake', out=Path({str(tmp_path / 'r')!r}), chip_dirs=(Path({str(chip)!r}),), "
        f"search_here=False, executor={EXECUTOR!r}, ops=('aten::relu',)))\n"
        "assert r.exit_code == 0, r.line\nassert 'torch' not in sys.modules\n"
    )
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parent), "TORCHFL_TEST_FAULTS": "{}"}
    subprocess.run([sys.executable, "-c", script], check=True, env=env)


def test_an_op_that_always_hangs_does_not_cost_the_limit_each_time(gate) -> None:
    result = gate(
        {"hang": "aten::relu float32"}, ops=("aten::relu",), dtypes=("float32",), case_limit=0.5, first_limit=0.5
    )
    hangs = [r for r in result.results if r.verdict == "HANG"]
    assert sum("not run" in r.reason for r in hangs) == len(hangs) - 3 > 0
    assert len(result.results) == result.planned
    assert result.exit_code == 1


def test_unverified_entries_are_not_a_pass(gate) -> None:
    profile = PROFILE.replace("dtype_support: [float32]}", "dtype_support: [float32], provenance: unverified}", 1)
    result = gate(profile=profile, ops=("aten::relu", "aten::mm"))
    assert result.exit_code == 1
    assert not bad(result)
    assert result.line.startswith("FAIL 1/2 ops native")
    assert "1 entries are unverified (aten::relu); fix: torchfl probe --device xpu:fake --write" in result.to_text()


def test_an_op_without_a_proof_is_not_a_pass(gate) -> None:
    """An op whose every case is unable to fail, here by asking for a dtype that nothing claims."""
    result = gate(ops=("aten::relu",), dtypes=("float16",))
    assert result.exit_code == 1
    assert "the profile claims no op that was asked for" in result.problems
    assert result.filtered


def test_resume_keeps_verdicts_and_runs_the_rest(gate, tmp_path: Path) -> None:
    journal = tmp_path / "report" / "results.jsonl"
    first = gate({"crash": "relu float32 forward 65"}, ops=("aten::relu",))
    assert bad(first)["CRASH"] > 0
    lines = journal.read_text().splitlines(keepends=True)
    verdicts = [i for i, line in enumerate(lines) if '"event": "verdict"' in line]
    half = verdicts[len(verdicts) // 2]
    journal.write_text("".join(lines[: half + 1]) + '{"event": "verd')  # torn, as a kill leaves it
    second = gate(ops=("aten::relu",), resume=True)
    assert [r.case.id for r in second.results] == [r.case.id for r in first.results]
    lines_now = [line for line in journal.read_text().splitlines() if line != '{"event": "verd']
    events = [json.loads(line) for line in lines_now]
    begun = Counter(e["case"] for e in events[half + 1 :] if e["event"] == "begin")
    assert 0 < len(begun) < second.planned
    kept = {json.loads(lines[i])["case"]: json.loads(lines[i])["verdict"] for i in verdicts if i <= half}
    assert {r.case.id: r.verdict for r in second.results if r.case.id in kept} == kept


def test_resume_refuses_another_run(gate) -> None:
    gate(ops=("aten::relu",))
    with pytest.raises(TorchflError, match=r"TFL0904.*differs in: ops, seed") as error:
        gate(ops=("aten::add",), resume=True, seed=3)
    assert error.value.exit_code == 2


def test_resume_refuses_verdicts_of_another_suite(gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an older oracle let pass is no part of a run that says it was judged by this one."""
    gate(ops=("aten::relu",))
    monkeypatch.setattr(statement, "suite_hash", lambda: "another")
    with pytest.raises(TorchflError, match=r"TFL0904.*differs in: suite"):
        gate(ops=("aten::relu",), resume=True)


def test_bad_input_names_every_fault(gate, tmp_path: Path) -> None:
    with pytest.raises(TorchflError) as error:
        gate(level="medium", ops=("aten::ad",), dtypes=("float31",))
    text = str(error.value)
    assert "TFL0901 --level: 'medium'; fix: quick or release" in text
    assert "TFL0902 --ops: unknown 'aten::ad'; fix: aten::add" in text
    assert "TFL0902 --dtypes: unknown 'float31'; fix: float32" in text
    assert error.value.exit_code == 2
    assert not (tmp_path / "report").exists()


def test_an_unbuilt_chip_names_the_next_command(gate, tmp_path: Path) -> None:
    chip = fake_chip(tmp_path / "fake")
    (chip / "libfake_chip.so").unlink()
    with pytest.raises(TorchflError, match=f"TFL0903 .*fake_device.yaml  .*; fix: torchfl-build {chip}") as error:
        run(RunRequest("xpu:fake", chip_dirs=(chip,), search_here=False, out=tmp_path / "r"))
    assert error.value.exit_code == 3


@pytest.mark.parametrize(
    ("faults", "cause"), [({"driver": "x1_init: no board"}, "x1_init: no board"), ({"driver_crash": "1"}, "SIGSEGV")]
)
def test_an_absent_driver_is_exit_3(gate, faults: dict[str, str], cause: str) -> None:
    with pytest.raises(TorchflError, match=cause) as error:
        gate(faults)
    assert error.value.exit_code == 3
    assert "TFL0906" in str(error.value)


def test_an_executor_that_does_not_load_is_exit_3(gate) -> None:
    with pytest.raises(TorchflError, match=r"TFL0905.*no_such_module") as error:
        gate(executor="no_such_module:Executor")
    assert error.value.exit_code == 3


def test_an_interrupt_is_incomplete(gate, tmp_path: Path) -> None:
    def interrupt(result, done: int, planned: int) -> None:
        if done == 10:
            raise KeyboardInterrupt

    result = gate(ops=("aten::add",), progress=interrupt)
    assert result.exit_code == 4
    assert result.line.startswith("INCOMPLETE ")
    assert len(result.results) == 10 < result.planned
    assert json.loads((tmp_path / "report" / "summary.json").read_text())["exit_code"] == 4


def test_what_the_profile_leaves_unclaimed_is_said_and_no_failure(gate, tmp_path: Path) -> None:
    """The fake's kernels are right in float16 and at any alpha, and one kernel no entry uses."""
    result = gate(ops=("aten::add", "aten::relu"))
    assert result.exit_code == 0
    kernel, add, relu, alpha = result.unclaimed
    assert kernel.startswith("aten::neg: no entry uses kernel fake_neg of libfake_chip.so; add to supported_ops: ")
    assert "- {name: aten::neg, impl: fake_neg, provenance: unverified}; then torchfl probe --device xpu:fake" in kernel
    told = "its kernel is right in float16 too, in the one call that was tried"
    assert f"aten::add: {told}; dtype_support: [float32, int8, float16]" in add
    assert "aten::relu: its kernel is right in float16, int8 too" in relu
    assert alpha.startswith("aten::add: its kernel is right at alpha = 2")
    assert f"unclaimed: {kernel}" in result.to_text()
    summary = json.loads((tmp_path / "report" / "summary.json").read_text())
    assert summary["unclaimed"] == list(result.unclaimed)
    assert "What the profile does not claim" in (tmp_path / "report" / "report.html").read_text()


def test_a_kernel_that_crashes_beyond_its_limits_is_no_failure(gate) -> None:
    """The limit may stand for just that: the op's other questions are dropped, those of others are asked."""
    result = gate({"beyond_crash": "aten::add float16"}, ops=("aten::add", "aten::relu"))
    assert result.exit_code == 0
    assert {r.verdict for r in result.results} <= {"NATIVE_PASS", "FALLBACK_PASS", "NON_DISCRIMINATING"}
    assert not any(line.startswith("aten::add: its kernel is right in") for line in result.unclaimed)
    assert any(line.startswith("aten::relu: its kernel is right in float16") for line in result.unclaimed)
