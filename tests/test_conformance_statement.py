"""What a run is held to and what it states: waivers, floors, statements, shards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from torchfl_sdk.conformance.report import statement

from conformance_helpers import PROFILE
from helpers import torchfl
from torchfl.errors import TorchflError


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
