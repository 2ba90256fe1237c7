"""Comparing two runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from torchfl_sdk.conformance.report.diff import diff, to_text

from helpers import torchfl
from torchfl.errors import TorchflError


def report(folder: Path, **verdicts: str | list[str]) -> Path:
    folder.mkdir()
    lines = [{"event": "run"}]
    for case, given in verdicts.items():
        for verdict in [given] if isinstance(given, str) else given:
            reason = "" if verdict.endswith("PASS") else "why"
            event = {"event": "verdict", "case": case, "name": f"aten::{case}", "verdict": verdict, "reason": reason}
            lines += [{"event": "begin", "case": case}, event]
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_worse_ones_come_first_and_decide(tmp_path):
    before = report(
        tmp_path / "a", same="NATIVE_PASS", better="FAIL", broke="NATIVE_PASS", gone="NATIVE_PASS", layer="NATIVE_PASS",
        removed="FAIL",
    )  # fmt: skip
    after = report(
        tmp_path / "b", same="NATIVE_PASS", better="NATIVE_PASS", broke=["NATIVE_PASS", "CRASH"], new="NATIVE_PASS",
        bad="FAIL", layer="FALLBACK_PASS",
    )  # fmt: skip
    changes = diff(before, after)
    assert to_text(changes).splitlines() == [
        "aten::bad (bad): not there -> FAIL: why",
        "aten::broke (broke): NATIVE_PASS -> CRASH: why",
        "aten::gone (gone): NATIVE_PASS -> not there",
        "aten::better (better): FAIL -> NATIVE_PASS",
        "aten::layer (layer): NATIVE_PASS -> FALLBACK_PASS",
        "aten::new (new): not there -> NATIVE_PASS",
        "aten::removed (removed): FAIL -> not there",
        "7 verdicts differ, 3 for the worse",
    ]
    assert torchfl("conformance", "diff", before, after).returncode == 1
    done = torchfl("conformance", "diff", before, before)
    assert (done.returncode, done.stdout) == (0, "0 verdicts differ, 0 for the worse\n")


def test_a_folder_without_a_report_is_an_error(tmp_path):
    with pytest.raises(TorchflError, match="TFL0915") as error:
        diff(tmp_path, tmp_path)
    assert error.value.exit_code == 2
