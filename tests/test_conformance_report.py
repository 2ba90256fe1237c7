"""What the gate writes of a run: verdicts, reasons, the report's files."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from torchfl import catalogue


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
    for heading in set(re.findall(r"<th(?: title=[^>]*)?>([^<]+)</th>", page.partition("<h2>Ops</h2>")[2])) - {"op"}:
        assert f"<li><b>{heading}</b>" in page, heading


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
    verdict, _, rest = result.line.partition(" ")
    assert f"<b>{verdict}</b>\n<p>{html.escape(rest)}</p>" in page
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


def test_a_second_run_clears_only_its_own_files(gate, tmp_path: Path) -> None:
    gate({"wrong": "relu float32 forward 65"}, ops=("aten::relu",))
    mine = tmp_path / "report" / "notes.txt"
    mine.write_text("kept")
    gate(ops=("aten::relu",))
    assert mine.read_text() == "kept"
    assert not list((tmp_path / "report" / "repro").glob("*.py"))
