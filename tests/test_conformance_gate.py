"""The gate over a chip without hardware: processes, verdicts, reports, exit codes."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from torchfl_sdk.conformance import RunRequest, run
from torchfl_sdk.conformance.cases.spec import CaseSpec, SampleSpec, TensorSpec
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.gate.verdict import decide
from torchfl_sdk.conformance.report import statement
from torchfl_sdk.conformance.runner.protocol import Execution, Judged

from conformance_helpers import PROFILE, fake_chip
from helpers import torchfl
from torchfl import catalogue
from torchfl.errors import TorchflError

EXECUTOR = "conformance_helpers:FakeExecutor"


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the gate on the fake chip with faults; keyword arguments go to RunRequest."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")

    def start(faults: dict[str, str] | None = None, profile: str = PROFILE, **request) -> RunResult:
        monkeypatch.setenv("TORCHFL_TEST_FAULTS", json.dumps(faults or {}))
        chip = fake_chip(tmp_path / "fake", profile)
        values = {"out": tmp_path / "report", "chip_dirs": (chip,), "search_here": False, "executor": EXECUTOR}
        return run(RunRequest("xpu:fake", **{**values, **request}))

    return start


def test_the_report_says_what_was_tested_and_explains_its_columns(gate, tmp_path: Path) -> None:
    result = gate({"wrong": "aten::add int8 forward"}, ops=("aten::add",))
    page = (tmp_path / "report" / "report.html").read_text()
    text = html.unescape(re.sub(r"<[^>]+>", "\n", page))
    assert "Fake, 2 devices; level quick" in text
    rows = re.findall(r"<tr><td>(aten::\w+)</td><td class=\"text\">(\w+)</td><td class=\"\w+\">(yes|no)</td>", page)
    proved = {(r.case.sample.op, r.case.sample.dtype) for r in result.results if r.proved}
    assert rows
    assert proved
    for op, dtype, said in rows:
        assert (said == "yes") == ((op, dtype) in proved), (op, dtype)
    for heading in re.findall(r"<th(?: title=[^>]*)?>([^<]+)</th>", page.partition("<h2>Ops</h2>")[2])[1:]:
        assert f"<li><b>{heading}</b>" in page, heading


def bad(result: RunResult) -> Counter[str]:
    return Counter(r.verdict for r in result.results if not r.good)


def test_a_right_chip_passes(gate, tmp_path: Path) -> None:
    result = gate()
    assert result.exit_code == 0
    line = f"PASS 3/3 ops native (3 of the catalogue's {len(catalogue.OPS)}), {result.planned} cases, "
    assert result.line == f"{line}{result.seconds:.1f} seconds; level quick: not a release run"
    assert result.to_text().splitlines()[-1] == result.line
    assert len(result.results) == result.planned > 100
    assert {"NATIVE_PASS", "FALLBACK_PASS", "NON_DISCRIMINATING"} <= set(result.counts)

    report = tmp_path / "report"
    summary = json.loads((report / "summary.json").read_text())
    assert summary["verdict"] == result.line
    assert summary["cases"] == {"planned": result.planned, "executed": result.planned}
    assert all(
        dtype["proved"]
        for op in ("aten::add", "aten::relu", "aten::mm")
        for dtype in [summary["per_op"][op]["float32"]]
    )
    manifest = json.loads((report / "manifest.json").read_text())
    assert [c["id"] for c in manifest["cases"]] == [r.case.id for r in result.results]
    assert len({c["id"] for c in manifest["cases"]}) == result.planned
    events = [json.loads(line) for line in (report / "results.jsonl").read_text().splitlines()]
    assert events[0]["event"] == "run"
    assert Counter(e["event"] for e in events) == {
        "run": 1, "begin": result.planned, "end": result.planned, "verdict": result.planned
    }  # fmt: skip
    root = ElementTree.parse(report / "junit.xml").getroot()
    assert root.tag == "testsuites"
    assert int(root.get("tests")) == result.planned == len(root.findall("./testsuite/testcase"))
    assert int(root.get("failures")) == int(root.get("errors")) == 0
    assert int(root.get("skipped")) == len(root.findall(".//skipped")) > 0
    assert not (report / "repro").exists()


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


#: fault -> (the one case that has it, its verdict, part of its reason)
FAULTS = {
    "crash": ("add float32 forward 5x7x3", "CRASH", "the worker ended with SIGSEGV"),
    "abort": ("add float32 forward 1031", "CRASH", "the worker ended with SIGABRT"),
    "exit": ("add float32 forward special values", "CRASH", "the worker ended with exit status 3"),
    "hang": ("add float32 out 65 to strided out", "HANG", "killed after its time limit of 6 s"),
    "raise": ("add float32 backward 65", "FAIL", "raised instead of running: RuntimeError: x1_add: device error"),
    "wrong": ("add float32 forward 65 device 1", "FAIL", "1 of 65 elements wrong, first at [64]: got 0"),
    "fallback": (
        "add int8 forward 5x7x3",
        "FAIL",
        "undeclared fallback: the CPU served a call that the profile claims",
    ),
    "decline": ("add int8 forward 1031", "FAIL", "undeclared decline"),
    "unentered": ("add int8 forward full range", "FAIL", "computed on the host: no vendor function of the kernel"),
    "host": ("aten::mm float32 forward 17x13x19", "FAIL", "computed on the host: the result is the same when"),
    "changes_input": ("add int8 inplace 65", "FAIL", "the call changed its input 1"),
    "flaky": ("add int8 forward 65 device 1", "NONDETERMINISTIC", "two runs on the same inputs differ"),
    "outside": ("add int8 forward 65 alpha=2", "FAIL", "a call outside the profile reached the chip (fake_symbol)"),
}


def test_each_fault_costs_its_own_case(gate, tmp_path: Path) -> None:
    result = gate({fault: part for fault, (part, _, _) in FAULTS.items()}, case_limit=6, first_limit=6)
    found = {r.case.name: r for r in result.results if not r.good}
    for fault, (part, verdict, reason) in FAULTS.items():
        named = [r for name, r in found.items() if part in name]
        if fault == "host":  # of the many calls of this product one asks for the proof
            assert [r.case.prove for r in named] == [True]
        assert [r.verdict for r in named] == [verdict], fault
        assert reason in named[0].reason, fault
    assert len(found) == len(FAULTS)
    assert len(result.results) == result.planned
    assert result.exit_code == 1
    assert result.line.startswith(f"FAIL 1/3 ops native (1 of the catalogue's {len(catalogue.OPS)})")
    assert "the tail: the last 1 of 65 elements are wrong" in result.to_text()
    root = ElementTree.parse(tmp_path / "report" / "junit.xml").getroot()
    assert len(root.findall(".//error")) == int(root.get("errors")) == 4
    assert len(root.findall(".//failure")) == int(root.get("failures")) == len(FAULTS) - 4
    page = (tmp_path / "report" / "report.html").read_text()
    _check_page(page)
    assert all(html.escape(r.reason) in page and r.case.id in page for r in found.values())
    assert html.escape(result.line) in page
    scripts = list((tmp_path / "report" / "repro").glob("*.py"))
    assert len(scripts) == len(FAULTS)
    for script in scripts:
        compile(script.read_text(), str(script), "exec")


def _check_page(page: str) -> None:
    """Well-formed, and nothing in it is loaded from elsewhere."""

    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.loads: list[tuple[str, str | None]] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "br"):
                self.open.append(tag)
            self.loads += [a for a in attrs if a[0] in ("src", "href")]

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    tags = Tags()
    tags.feed(page)
    assert (tags.open, tags.loads) == ([], [])
    assert "url(" not in page
    assert "http" not in page


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


def test_a_second_run_clears_only_its_own_files(gate, tmp_path: Path) -> None:
    gate({"wrong": "relu float32 forward 65"}, ops=("aten::relu",))
    mine = tmp_path / "report" / "notes.txt"
    mine.write_text("kept")
    gate(ops=("aten::relu",))
    assert mine.read_text() == "kept"
    assert not list((tmp_path / "report" / "repro").glob("*.py"))


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


def test_an_interrupt_is_incomplete(gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchfl_sdk.conformance.gate import run as module

    real = module.run

    def stop_after_ten(request, progress=None):
        def interrupt(result, done, planned):
            if done == 10:
                raise KeyboardInterrupt

        return real(request, interrupt)

    monkeypatch.setattr(sys.modules[__name__], "run", stop_after_ten)
    result = gate(ops=("aten::add",))
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
    assert "aten::add: its kernel is right in float16 too; dtype_support: [float32, int8, float16]" in add
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


def test_waivers_and_required_ops_decide(gate, tmp_path: Path) -> None:
    """A waived failure passes, as long as it fails; what is required and not there fails."""
    fault = {"wrong": "relu float32 forward 5x7x3"}
    failed = gate(fault, ops=("aten::relu",))
    (case,) = [r.case for r in failed.results if not r.good]
    assert failed.exit_code == 1
    (tmp_path / "w.yaml").write_text(
        f"waivers:\n  - {{owner: O, issue: I-1, cases: ['{case.id}'], verdict: FAIL, signature: elements wrong, "
        "expires: 2999-01-01}\n"
    )
    waived = gate(fault, ops=("aten::relu",), waivers=tmp_path / "w.yaml")
    assert waived.counts["WAIVED"] == 1
    assert waived.exit_code == 0
    assert "; 1 waived; level quick" in waived.line
    assert [one["case"] for one in waived.to_dict()["waived"]] == [case.id]
    passing = gate(ops=("aten::relu",), waivers=tmp_path / "w.yaml")
    assert [r.reason for r in passing.results if not r.good] == [
        "unexpected pass (NATIVE_PASS): remove the waiver of O, I-1"
    ]
    required = gate(ops=("aten::relu",), require=("cnn",))
    assert required.exit_code == 1
    assert "required op aten::conv2d is not claimed by the profile" in required.to_text()
    assert required.line.endswith("; level quick, filtered: not a release run")
    assert required.to_text().splitlines()[-2].startswith("level quick, filtered: no statement is made")


@pytest.fixture
def released(gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of a release run of the fake chip, without PyTorch's own samples."""
    from torchfl_sdk.conformance.runner.session import Session

    monkeypatch.setattr(Session, "recorded", lambda *_: ())
    profile = PROFILE[: PROFILE.index("  - {name: aten::mm")].replace("float32, int8", "float32")
    result = gate(level="release", profile=profile)
    assert result.exit_code == 0, result.to_text()
    assert result.line.endswith("seconds")
    assert result.partial == ""
    return tmp_path / "report"


def test_a_release_run_makes_a_statement_that_verifies(released: Path, tmp_path: Path) -> None:
    content, problems = statement.check(released)
    assert problems == []
    assert content["outcome"] == "PASS"
    assert set(content["files"]) == {"manifest.json", "results.jsonl", "junit.xml", "summary.json", "report.html"}
    assert {"profile", "chip_library", "driver", "seed"} <= set(content["identity"])
    assert content["versions"]["torch"]
    assert len(content["suite"]) == 64
    assert torchfl("conformance", "verify", released).returncode == 0

    journal = released / "results.jsonl"
    whole = journal.read_text()
    lines = whole.splitlines(keepends=True)

    def tampered(change) -> list[str]:
        change()
        found = statement.check(released)[1]
        journal.write_text(whole)
        return found

    assert "results.jsonl was changed" in tampered(lambda: journal.write_text(whole + "\n"))[0]
    last = max(i for i, line in enumerate(lines) if '"event": "verdict"' in line)
    assert any("outcome" in p for p in tampered(lambda: journal.write_text("".join(lines[:last] + lines[last + 1 :]))))
    worse = [
        *lines[:last],
        lines[last].replace("NATIVE_PASS", "FAIL").replace("FALLBACK_PASS", "FAIL"),
        *lines[last + 1 :],
    ]
    assert any("outcome" in p for p in tampered(lambda: journal.write_text("".join(worse))))
    other = whole.replace('"seed": 0', '"seed": 1', 1)
    assert any("of another chip, profile" in p for p in tampered(lambda: journal.write_text(other)))
    journal.unlink()
    assert "results.jsonl is missing" in statement.check(released)[1]
    journal.write_text(whole)
    path = released / "statement.json"
    path.write_text(path.read_text().replace('"outcome": "PASS"', '"outcome": "PASSED"'))
    assert len(statement.check(released)[1]) == 2
    done = torchfl("conformance", "verify", released)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("NOT VERIFIED: PASS")


def test_other_runs_make_no_statement(gate, released: Path) -> None:
    assert (released / "statement.json").is_file()
    gate(ops=("aten::relu",))
    assert not (released / "statement.json").exists()
    with pytest.raises(TorchflError, match="TFL0914"):
        statement.check(released)


def test_shards_merge_into_the_whole_run(gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchfl_sdk.conformance.gate.shards import merge
    from torchfl_sdk.conformance.runner.session import Session

    monkeypatch.setattr(Session, "recorded", lambda *_: ())
    profile = PROFILE[: PROFILE.index("  - {name: aten::mm")].replace("float32, int8", "float32")
    fault = {"wrong": "relu float32 forward 1031"}
    first, second = tmp_path / "1", tmp_path / "2"
    outcomes = [gate(fault, profile, level="release", shard=f"{i}/2", out=out) for i, out in ((1, first), (2, second))]
    assert sorted(result.exit_code for result in outcomes) == [0, 1]
    assert all(r.line.endswith(f"; shard {r.shard}: not a release run") for r in outcomes)
    assert not (first / "statement.json").exists()

    result = merge((second, first), tmp_path / "all")
    assert (result.exit_code, len(result.results)) == (1, result.planned)
    assert result.planned == sum(r.planned for r in outcomes)
    assert statement.check(tmp_path / "all")[1] == []
    (case,) = [r.case for r in result.results if not r.good]
    (tmp_path / "w.yaml").write_text(
        f"waivers:\n  - {{owner: O, issue: I-1, cases: ['{case.id}'], verdict: FAIL, signature: elements wrong, "
        "expires: 2999-01-01}\n"
    )
    waived = merge((first, second), tmp_path / "all", (), tmp_path / "w.yaml")
    assert (waived.exit_code, waived.counts["WAIVED"], waived.partial) == (0, 1, "")
    assert statement.check(tmp_path / "all")[1] == []
    assert merge((first, second), tmp_path / "other", ("cnn",), tmp_path / "w.yaml").exit_code == 1

    for folders, text in (
        ((first,), "given 1/2; expected each of 1/2 to 2/2 once"),
        ((first, first), "given 1/2, 1/2"),
    ):
        with pytest.raises(TorchflError, match=f"TFL0916 {text}"):
            merge(folders, tmp_path / "no")
    changed = json.loads((second / "shard.json").read_text())
    changed["identity"]["seed"] = 7
    (second / "shard.json").write_text(json.dumps(changed))
    with pytest.raises(TorchflError, match=r"differs from .* in: seed"):
        merge((first, second), tmp_path / "no")
    with pytest.raises(TorchflError, match="TFL0916"):
        merge((tmp_path,), tmp_path / "no")
    for name in ("manifest.json", "shard.json"):
        text = (second / name).read_text()
        for other in ("{}", "[]", "1"):
            (second / name).write_text(other)
            with pytest.raises(TorchflError, match="TFL0916"):
                merge((first, second), tmp_path / "no")
        (second / name).write_text(text)
    (second / "manifest.json").unlink()
    with pytest.raises(TorchflError, match=r"TFL0916 .*manifest\.json: No such file"):
        merge((first, second), tmp_path / "no")
    with pytest.raises(TorchflError, match=r"TFL0916 --shard: '3/2'; fix: i/n with 1 <= i <= n"):
        gate(shard="3/2")
    with pytest.raises(TorchflError, match="TFL0916 --require: one shard cannot show it"):
        gate(shard="1/2", require=("cnn",))


@pytest.mark.parametrize(
    ("expect", "happened", "judged", "verdict", "text"),
    [
        ("native", {}, {}, "NATIVE_PASS", ""),
        ("native", {"damage": ("memory around a view was written",)}, {}, "FAIL", "memory around a view"),
        ("native", {"changed_inputs": (1,)}, {}, "FAIL", "changed its input 1"),
        ("native", {"declined": 1}, {}, "FAIL", "undeclared decline"),
        ("native", {"cpu": 1}, {}, "FAIL", "undeclared fallback"),
        ("native", {"native": 0}, {}, "FAIL", "kernel did not run"),
        ("native", {"entered": {"f": 0}}, {}, "FAIL", "no vendor function of the kernel was entered"),
        ("native", {"entered": {}}, {}, "FAIL", "new-chip NAME --on-conflict merge binds what it calls"),
        ("native", {"noop": "unchanged"}, {}, "FAIL", "the same when"),
        ("native", {"noop": "raised: x"}, {}, "FAIL", "could not be made"),
        ("native", {}, {"ok": False, "reason": "3 elements wrong"}, "FAIL", "3 elements wrong"),
        ("native", {"differs": True}, {}, "NONDETERMINISTIC", "two runs"),
        ("native", {}, {"weakness": "zeros would pass"}, "NON_DISCRIMINATING", "zeros would pass"),
        ("native", {"differs": True}, {"ok": False, "weakness": "zeros would pass"}, "FAIL", ""),
        ("any", {"native": 0, "entered": {}, "cpu": 1, "noop": ""}, {}, "FALLBACK_PASS", ""),
        ("fallback", {"noop": ""}, {}, "FAIL", "reached the chip"),
        ("fallback", {"native": 0, "noop": ""}, {}, "FAIL", r"reached the chip \(f\)"),
        ("fallback", {"native": 0, "entered": {}, "noop": ""}, {}, "FALLBACK_PASS", ""),
        ("fallback", {"native": 0, "layered": 1, "noop": ""}, {}, "FALLBACK_PASS", ""),
        ("fallback", {"native": 1, "layered": 1, "noop": ""}, {}, "FAIL", r"reached the chip \(f\)"),
        ("fallback", {"native": 0, "layered": 1, "noop": ""}, {"ok": False, "reason": "wrong"}, "FAIL", "wrong"),
    ],
)
def test_what_decides_a_case(expect: str, happened: dict, judged: dict, verdict: str, text: str) -> None:
    case = CaseSpec(SampleSpec("aten::add", "float32", (TensorSpec((3,)), TensorSpec((3,)))), "forward", expect)
    execution = Execution(**{"native": 1, "entered": {"f": 1}, "noop": "changed"} | happened)
    found = decide(case, execution, Judged(**{"ok": True} | judged), ("cpu",), True)
    assert found.verdict == verdict
    assert re.search(text, found.reason)
    assert found.proved == (verdict == "NATIVE_PASS")
    if verdict == "NONDETERMINISTIC":
        assert decide(case, execution, Judged(True), ("cpu",), False).verdict == "NATIVE_PASS"


def test_a_policy_of_errors_is_a_declared_refusal() -> None:
    """A call outside the profile that raises UnsupportedOpError is right only where the policy or the CPU says so."""
    case = CaseSpec(SampleSpec("aten::add", "float32", (TensorSpec((3,)), TensorSpec((3,)))), "forward", "fallback")
    raised = Execution(error_type="UnsupportedOpError", error="Op aten::add not supported")
    assert decide(case, raised, Judged(True), ("error",), True).verdict == "UNSUPPORTED_DECLARED"
    assert decide(case, raised, Judged(True), ("cpu",), True).verdict == "FAIL"
    assert (
        decide(case, raised, Judged(True, unsupported_on_cpu="no kernel"), ("cpu",), True).verdict
        == "UNSUPPORTED_DECLARED"
    )
    other = Execution(error_type="RuntimeError", error="device error")
    assert decide(case, other, Judged(True, unsupported_on_cpu="no kernel"), ("cpu",), True).verdict == "FAIL"
