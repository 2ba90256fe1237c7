"""What a run is held to beside its cases: waivers and required ops."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path

import pytest
from torchfl_sdk.conformance.cases.manifest import Selection
from torchfl_sdk.conformance.cases.spec import CaseSpec, SampleSpec, TensorSpec
from torchfl_sdk.conformance.gate import require, summary, waivers
from torchfl_sdk.conformance.gate.verdict import Result

from torchfl import catalogue
from torchfl.errors import TorchflError
from torchfl.profile import load_profile

TODAY = datetime.date(2030, 6, 1)
CASES = [
    CaseSpec(SampleSpec("aten::add", "float32", (TensorSpec((n,)), TensorSpec((n,)))), "forward", "native")
    for n in (3, 4, 5)
]
FAILED, CRASHED, PASSED = (
    Result(CASES[0], "FAIL", "1 of 3 elements wrong"),
    Result(CASES[1], "CRASH", "the worker ended with SIGSEGV"),
    Result(CASES[2], "NATIVE_PASS"),
)
RESULTS = {r.case.id: r for r in (FAILED, CRASHED, PASSED)}
NAME = "waiver of A. Person, HW-12"


def written(tmp_path: Path, **changes) -> Path:
    entry = {
        "owner": "A. Person", "issue": "HW-12", "cases": [FAILED.case.id], "verdict": "FAIL",
        "signature": "elements wrong", "expires": "2030-12-31",
    } | changes  # fmt: skip
    path = tmp_path / "waivers.yaml"
    lines = [f"{key}: {value if key == 'expires' else json.dumps(value)}" for key, value in entry.items() if value]
    path.write_text("waivers:\n  - " + "\n    ".join(lines) + "\n")
    return path


def applied(path: Path, driver: str = "1.2", whole: bool = True, today: datetime.date = TODAY):
    return waivers.apply(RESULTS, waivers.load(path), driver, today, whole=whole)


def test_the_waived_failure_is_good_and_says_who_answers(tmp_path):
    found, problems = applied(written(tmp_path))
    one = found[FAILED.case.id]
    assert (one.verdict, one.good, problems) == ("WAIVED", True, [])
    assert one.reason == f"{NAME}: FAIL: 1 of 3 elements wrong"
    assert found[CRASHED.case.id] is CRASHED
    assert found[PASSED.case.id] is PASSED


@pytest.mark.parametrize(
    ("case", "changes", "verdict", "text"),
    [
        (FAILED, {"signature": "no such text"}, "FAIL", f"not what the {NAME} is about"),
        (CRASHED, {}, "CRASH", "not what the waiver"),
        (PASSED, {}, "FAIL", rf"unexpected pass \(NATIVE_PASS\): remove the {NAME}"),
    ],
    ids=["another reason", "another verdict", "a pass"],
)
def test_anything_else_still_fails(tmp_path, case, changes, verdict, text):
    found, problems = applied(written(tmp_path, cases=[case.case.id], **changes))
    one = found[case.case.id]
    assert (one.verdict, one.good, problems) == (verdict, False, [])
    assert re.search(text, one.reason)


def test_a_waiver_ends(tmp_path):
    path = written(tmp_path)
    assert applied(path, today=datetime.date(2030, 12, 31))[1] == []
    found, problems = applied(path, today=datetime.date(2031, 1, 1))
    assert found == RESULTS
    assert problems == [f"{NAME}: expired on 2030-12-31; fix it, or have A. Person renew it"]


def test_a_waiver_holds_for_its_drivers_and_its_cases(tmp_path):
    path = written(tmp_path, drivers=["1.2", "1.3"])
    assert applied(path, "1.3")[0][FAILED.case.id].verdict == "WAIVED"
    found, problems = applied(path, "2.0")
    assert found == RESULTS
    assert problems == [f"{NAME}: holds for driver 1.2, 1.3, not for 2.0"]
    unknown = written(tmp_path, cases=["0123456789abcdef"])
    assert applied(unknown)[1] == [f"{NAME}: the run has no case 0123456789abcdef"]
    assert applied(unknown, whole=False)[1] == []


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"owner": ""}, r"TFL0912 .*waivers\[0\].owner: missing"),
        ({"expires": '"soon"'}, r"waivers\[0\].expires: 'soon'; fix: a day, as 2030-12-31"),
        ({"expires": "2030-12-31 10:00:00"}, r"waivers\[0\].expires: .*fix: a day, as 2030-12-31"),
        ({"verdict": "PASS"}, r"waivers\[0\].verdict: 'PASS'; fix: FAIL or CRASH"),
        ({"cases": [12]}, r"waivers\[0\].cases: expected a list of texts"),
        ({"expire": "x"}, r"waivers\[0\]: unknown key 'expire'; fix: expires"),
    ],
)
def test_a_bad_waiver_file_names_every_fault(tmp_path, changes, text):
    with pytest.raises(TorchflError, match=text) as error:
        waivers.load(written(tmp_path, **changes))
    assert error.value.exit_code == 2


@pytest.mark.parametrize("content", ["", "waivers: {}\n", "[1]\n", "a: [\n"])
def test_a_file_of_another_form_is_an_error(tmp_path, content):
    (tmp_path / "w.yaml").write_text(content)
    with pytest.raises(TorchflError, match="TFL0912"):
        waivers.load(tmp_path / "w.yaml")


def test_required_sets_name_ops_of_the_catalogue():
    names = {op.name for op in catalogue.OPS}
    assert all(set(ops) <= names for ops in require.SETS.values())


def test_required_ops_of_sets_and_files(tmp_path):
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text("['aten::relu', 'aten::mm']\n")
    other.write_text("aten::mm: [float16]\naten::dot:\n")
    found = require.load((str(one), str(other)))
    assert found == {"aten::relu": (), "aten::mm": ("float16",), "aten::dot": ()}
    assert set(require.load(("cnn", str(one)))) == {*require.SETS["cnn"], "aten::relu"}
    claims = {"aten::relu": ("float32",), "aten::mm": ("float32",)}
    assert require.missing(found, ("aten::relu", "aten::mm"), claims) == [
        "required op aten::dot is not claimed by the profile", "required op aten::mm is not claimed in float16"
    ]  # fmt: skip
    assert require.missing(found, ("aten::mm",), claims | {"aten::mm": ("float16",)}) == [
        "required op aten::dot is not claimed by the profile", "required op aten::relu is not proved native"
    ]  # fmt: skip
    assert require.missing({"aten::relu": ()}, ("aten::relu",), claims) == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "TFL0913 --require: .* is no file and no set; fix: cnn"),
        ("['aten::reul']", "unknown op 'aten::reul'; fix: aten::relu"),
        ("aten::relu: [float31]", "aten::relu has no dtype 'float31'; fix: float32"),
        ("3", "expected op names"),
        ("[a", "TFL0913"),
    ],
)
def test_bad_requirements(tmp_path, content, text):
    path = tmp_path / "r.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(TorchflError, match=text):
        require.load(("cn",) if content is None else (str(path),))


def test_a_cast_s_only_result_is_no_dtype_to_cast_from(tmp_path: Path) -> None:
    path = tmp_path / "zz_device.yaml"
    text = (
        "schema: 1\ndevice_type: xpu:zz\nruntime_so: libzz.so\nsupported_ops:\n"
        "  - {{name: aten::_to_copy, impl: zz_cast, dtype_support: [float32, float16, int8]{}}}\n"
    )
    claims = []
    for limit in (", constraints: {dtype: [float32]}", ", constraints: {dtype: [float32, float16]}", ""):
        path.write_text(text.format(limit))
        claims.append(summary.declared(load_profile(path), Selection())["aten::_to_copy"])
    assert claims == [("float16", "int8"), ("float32", "float16", "int8"), ("float32", "float16", "int8")]
