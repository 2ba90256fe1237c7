"""The probe's edits: only what was found changes, and a file is replaced whole or not at all."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchfl.errors import TorchflError
from torchfl.profile import load_profile
from torchfl_sdk.probe.finding import ChipFacts, EntryFinding
from torchfl_sdk.probe.report import ProbeReport
from torchfl_sdk.probe.run import check_edit
from torchfl_sdk.probe.splice import Splice
from torchfl_sdk.probe.write import diff, edited, replace_file, snapshot

PROFILE = """\
# Written by hand, on a Monday.
device_type: xpu:acme   # ours
supported_ops:   # in no order
  # the one that matters
  - name: aten::conv2d
    impl: acme_conv   # see the manual, page 7
    dtype_support:
      - float32   # hopefully
      - float16   # surely
    constraints: {groups: [1, 2, 4, 8]}   # says sales
    provenance: unverified   # ask!
    evidence:
      - "the name"
      - "probe: 3 questions, 0 refused"

  - {name: aten::add, impl: 'acme_add', dtype_support: [float32, float16, int8], provenance: unverified}  # flow
  - name: aten::mm
    impl: acme_mm
    dtype_support: [float32]
    constraints:
      # measured
      K: {max: 8192}   # my note
# the end
vendor: "Acme"
"""

CONV = EntryFinding(
    "aten::conv2d",
    "acme_conv",
    settled=True,
    dtypes=("float16",),
    constraints={"groups": [1, 2], "stride": [1, 2]},
    int8_store="",
    refusals=("groups=8: UNSUPPORTED",),
    questions=9,
)
ADD = EntryFinding(
    "aten::add", "acme_add", settled=True, dtypes=("float32", "int8"), constraints={"alpha": [1]}, int8_store="saturate"
)


def write_profile(folder: Path, text: str, name: str = "acme_device.yaml") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def edit(path: Path, *findings: EntryFinding, facts: ChipFacts | None = None, store: str = "") -> str:
    return edited(snapshot(path), load_profile(path), findings, facts or ChipFacts(), store)


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and not line.startswith(("+++", "---"))]


def test_only_what_was_found_changes(tmp_path: Path) -> None:
    path = write_profile(tmp_path, PROFILE)
    after = edit(path, CONV, ADD, facts=ChipFacts(1, "Acme 1", 2_000_000_000), store="saturate")
    assert changed_lines(PROFILE, after) == [
        "-      - float32   # hopefully",
        "-    constraints: {groups: [1, 2, 4, 8]}   # says sales",
        "-    provenance: unverified   # ask!",
        "+    constraints: {groups: [1, 2], stride: [1, 2]}   # says sales",
        "+    provenance: probed   # ask!",
        '-      - "probe: 3 questions, 0 refused"',
        '+      - "probe: 9 questions, 1 refused"',
        "-  - {name: aten::add, impl: 'acme_add', dtype_support: [float32, float16, int8], provenance: unverified}"
        "  # flow",
        "+  - {name: aten::add, impl: 'acme_add', dtype_support: [float32, int8], provenance: probed, constraints:"
        ' {alpha: [1]}, evidence: ["probe: 0 questions, 0 refused"]}  # flow',
        "+numerics:",
        "+  int8_store: saturate",
        "+capabilities:",
        "+  memory: {total_gb: 2.0}",
    ]
    profile = load_profile(write_profile(tmp_path, after, "again_device.yaml"))
    conv, add = profile.op("aten::conv2d"), profile.op("aten::add")
    assert conv is not None
    assert add is not None
    assert (conv.provenance, conv.dtype_support) == ("probed", ("float16",))
    assert {c.variable: c.allowed for c in conv.constraints} == {"groups": (1, 2), "stride": (1, 2)}
    assert add.dtype_support == ("float32", "int8")
    assert profile.numerics.int8_store == "saturate"
    assert profile.capabilities.total_gb == 2


def test_an_entry_that_stores_in_its_own_way_says_so(tmp_path: Path) -> None:
    after = edit(write_profile(tmp_path, PROFILE), ADD, store="wrap")
    add = load_profile(write_profile(tmp_path, after)).op("aten::add")
    assert add is not None
    assert add.int8_store == "saturate"


def test_a_stated_store_is_a_default_that_an_entry_may_differ_from(tmp_path: Path) -> None:
    stated = PROFILE + "numerics: {int8_store: wrap}\n"
    path = write_profile(tmp_path, edit(write_profile(tmp_path, stated), ADD, store="wrap"))
    profile = load_profile(path)
    add = profile.op("aten::add")
    assert add is not None
    assert (add.int8_store, profile.numerics.int8_store) == ("saturate", "wrap")
    again = edit(path, ADD, store="wrap")
    assert again == path.read_text()


def test_an_unsettled_entry_gets_its_reason_and_nothing_else(tmp_path: Path) -> None:
    finding = EntryFinding("aten::conv2d", "acme_conv", settled=False, reason="no dtype gives right numbers")
    after = edit(write_profile(tmp_path, PROFILE), finding)
    assert changed_lines(PROFILE, after) == [
        '-      - "probe: 3 questions, 0 refused"',
        '+      - "probe: no dtype gives right numbers"',
    ]


def test_stated_facts_stand(tmp_path: Path) -> None:
    stated = PROFILE + "numerics: {int8_store: wrap}\ncapabilities: {memory: {total_gb: 3}}\n"
    after = edit(write_profile(tmp_path, stated), facts=ChipFacts(1, "A", 5 * 10**9), store="saturate")
    assert after == stated


def test_json_and_crlf_keep_their_form(tmp_path: Path) -> None:
    text = (
        '{\n\t"device_type": "xpu:acme",\n\t"supported_ops": [\n\t\t{"name": "aten::exp", "impl": "e",\n'
        '\t\t "dtype_support": ["float32", "float16"], "provenance": "unverified"}\n\t]\n}\n'
    )
    finding = EntryFinding("aten::exp", "e", settled=True, dtypes=("float16",), constraints={"rank": {"max": 4}})
    path = write_profile(tmp_path, text, "acme_device.json")
    after = edit(path, finding)
    assert '\t\t "dtype_support": ["float16"], "provenance": "probed", "constraints": {"rank": {"max": 4}}' in after
    found = load_profile(write_profile(tmp_path, after, "again_device.json")).op("aten::exp")
    assert found is not None
    assert found.constraints[0].max == 4
    crlf = PROFILE.replace("\n", "\r\n")
    after = edit(write_profile(tmp_path, crlf), CONV, store="wrap")
    assert after.count("\n") == after.count("\r\n")


def test_an_inherited_entry_is_settled_in_the_file_of_the_chip_that_was_asked(tmp_path: Path) -> None:
    base = write_profile(tmp_path, PROFILE, "acme_device.yaml")
    child = write_profile(tmp_path, "extends: acme_device.yaml\n", "acme-v2_device.yaml")
    after = edit(child, CONV)
    assert base.read_text() == PROFILE
    path = write_profile(tmp_path, after, "acme-v2_device.yaml")
    conv = load_profile(path).op("aten::conv2d")
    assert conv is not None
    assert (conv.provenance, conv.impl, conv.dtype_support) == ("probed", "acme_conv", ("float16",))
    assert {c.variable: c.allowed for c in conv.constraints} == {"groups": (1, 2), "stride": (1, 2)}
    after = edit(path, ADD)
    assert len(load_profile(write_profile(tmp_path, after, "acme-v2_device.yaml")).ops) == 3


def test_the_file_is_replaced_atomically_with_its_permissions(tmp_path: Path) -> None:
    path = write_profile(tmp_path, PROFILE)
    path.chmod(0o640)
    link = tmp_path / "link_device.yaml"
    link.symlink_to(path)
    replace_file(snapshot(link), PROFILE + "chip_model: A\n")
    assert link.is_symlink()
    assert path.read_text() == PROFILE + "chip_model: A\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["acme_device.yaml", "link_device.yaml"]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = write_profile(tmp_path, PROFILE)
    before = snapshot(path)
    path.write_text(PROFILE + "chip_model: B\n")
    with pytest.raises(TorchflError, match=r"TFL0802.*edited while the chip was asked; fix: probe again"):
        replace_file(before, PROFILE + "chip_model: A\n")
    assert path.read_text() == PROFILE + "chip_model: B\n"
    path.unlink()
    with pytest.raises(TorchflError, match="TFL0803"):
        replace_file(before, PROFILE)
    assert list(tmp_path.iterdir()) == []


def test_an_edit_that_would_not_say_what_was_found_is_never_written(tmp_path: Path) -> None:
    profile = load_profile(write_profile(tmp_path, PROFILE))
    with pytest.raises(TorchflError, match="TFL0804") as caught:
        check_edit(PROFILE, profile, [CONV])
    assert caught.value.exit_code == 70
    check_edit(edit(profile.path, CONV), profile, [CONV])


def test_the_diff_names_the_file(tmp_path: Path) -> None:
    before = snapshot(write_profile(tmp_path, "a: 1"))
    assert diff(before, "a: 1") == ""
    assert diff(before, "a: 2") == f"--- {before.path}\n+++ {before.path} (probed)\n@@ -1 +1 @@\n-a: 1\n+a: 2\n"


scalars = st.one_of(
    st.booleans(), st.integers(-9, 9), st.sampled_from(("x", "a: b", "on", "1e5", "", "é", "- y", "null"))
)
keys = st.sampled_from(("a", "b", "c", "k1", "k2"))
values = st.one_of(
    scalars,
    st.lists(scalars, min_size=1, max_size=4, unique_by=repr),
    st.dictionaries(keys, st.one_of(scalars, st.lists(scalars, max_size=3, unique_by=repr)), min_size=1, max_size=3),
)


def lay_out(data: dict[str, Any], block: list[bool], depth: int = 0, first: int = 0) -> list[str]:
    """A map as YAML lines with a comment on each, every value in the style that ``block`` says."""
    flow = Splice("{}")._flow
    lines = []
    for number, (key, value) in enumerate(data.items(), first):
        pad = "  " * depth
        as_block = block[(number + depth) % len(block)] and value != [] and value != {}
        if as_block and isinstance(value, dict):
            lines += [f"{pad}{key}:  # {key} map", *lay_out(value, block, depth + 1)]
        elif as_block and isinstance(value, list):
            lines += [f"{pad}{key}:", *(f"{pad}  - {flow(item)}  # item" for item in value)]
        else:
            lines.append(f"{pad}{key}: {flow(value)}  # {key} here")
    return lines


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(keys, values, min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=3),
    st.lists(st.tuples(keys, st.one_of(st.none(), values)), max_size=4),
)
def test_any_edit_reads_back_and_leaves_other_keys_as_written(
    data: dict[str, Any], block: list[bool], edits: list[tuple[str, Any]]
) -> None:
    before = "\n".join(["# head", *lay_out(data, block), "# tail", ""])
    splice = Splice(before)
    assert splice.plain() == data
    expected = dict(data)
    for key, value in edits:
        if value is None:
            if len(expected) > 1:
                splice.remove((key,))
                expected.pop(key, None)
        else:
            splice.set((key,), value)
            expected[key] = value
        assert splice.plain() == expected
    touched = {key for key, _ in edits}
    for number, key in enumerate(data):
        if key not in touched:
            kept = lay_out({key: data[key]}, block, first=number)
            assert "\n".join(kept) in splice.text
    assert splice.text.startswith("# head\n")
    assert "# tail\n" in splice.text


@pytest.mark.parametrize(("empty", "said"), [(True, "the profile has no entry"), (False, "no entry is unverified")])
def test_a_report_says_why_nothing_was_asked(empty: bool, said: str) -> None:
    report = ProbeReport("xpu:a", "a_device.yaml", ChipFacts(), (), "", "", False, 0, 0, 0.1, empty=empty)
    assert report.to_text().splitlines()[1].strip().startswith(said)
