"""new-chip again on a project that exists: a newer header, hand edits, what the probe wrote, what was taken out."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from helpers import ROOT, torchfl
from torchfl.errors import TorchflError
from torchfl.profile import load_profile
from torchfl_sdk.scaffold import NewChipRequest, NewChipResult, new_chip
from torchfl_sdk.scaffold.merge.text import merge_text

HEADER = ROOT / "chips" / "x1" / "sdk" / "include" / "x1_runtime.h"


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its content and time, so that a rewrite with the same bytes shows too."""
    return {
        str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()
    }


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new))


class Bench:
    """x1's project beside a copy of its header."""

    def __init__(self, folder: Path, made: Path) -> None:
        self.folder = folder
        shutil.copytree(made, folder, dirs_exist_ok=True)
        self.header = folder / "x1_runtime.h"
        self.root = folder / "x1"
        self.profile, self.kernels = self.root / "x1_device.yaml", self.root / "src" / "x1_kernels.cpp"

    def run(self, **options: object) -> NewChipResult:
        return new_chip(
            NewChipRequest("x1", (self.header,), out=self.folder, **{"on_conflict": "merge", **options})  # type: ignore[arg-type]
        )

    def header_edit(self, old: str, new: str) -> None:
        edit(self.header, old, new)

    def probed(self, op: str, dtypes: str) -> None:
        """What ``torchfl probe --write`` leaves in an entry."""
        head, mid, tail = self.profile.read_text().partition(f"  - name: {op}\n")
        assert mid
        entry, dash, rest = tail.partition("  - name: ")
        entry = entry.replace("provenance: unverified", "provenance: probed")
        entry = entry.replace("[float32, float16, int8]", dtypes) + '      - "probe: 12 questions, 1 refused"\n'
        self.profile.write_text(head + mid + entry + dash + rest)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "x1_runtime.h").write_bytes(HEADER.read_bytes())
    new_chip(NewChipRequest("x1", (folder / "x1_runtime.h",), vendor="SparkAI", out=folder))
    return folder


@pytest.fixture
def bench(tmp_path: Path, made: Path) -> Bench:
    return Bench(tmp_path, made)


def test_nothing_changed_is_nothing_done(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bench.folder)  # another folder to start from is no change either
    before = snapshot(bench.folder)
    result = bench.run()
    assert result.exit_code == 0
    assert result.nothing_to_do
    assert "nothing to do" in result.to_text()
    assert snapshot(bench.folder) == before


def test_header_is_remembered(bench: Bench) -> None:
    result = new_chip(NewChipRequest("x1", out=bench.folder, on_conflict="merge"))
    assert result.nothing_to_do


def test_hand_edits_alone_stay(bench: Bench) -> None:
    edit(bench.kernels, "namespace kernels {\n", "namespace kernels {\n// mine\n")
    edit(bench.profile, "vendor: SparkAI\n", "vendor: SparkAI  # the Berlin office\nchip_model: X1-Edge\n")
    before = snapshot(bench.folder)
    assert bench.run().nothing_to_do
    assert snapshot(bench.folder) == before


def test_new_function_arrives_and_edits_stay(bench: Bench) -> None:
    edit(bench.kernels, "namespace kernels {\n", "namespace kernels {\n// mine\n")
    edit(bench.profile, "vendor: SparkAI\n", "vendor: SparkAI  # the Berlin office\n")
    edit(bench.root / "README.md", "## Next\n", "Ask Ada before a release.\n\n## Next\n")
    bench.probed("aten::mul", "[float32]")
    bench.header_edit(
        "X1_API x1_status_t x1_neg(",
        "X1_API x1_status_t x1_ceil(const void *in, void *out, size_t n, x1_dtype_t dtype);\n"
        "X1_API x1_status_t x1_neg(",
    )
    result = bench.run()
    assert result.exit_code == 0, result.to_text()
    assert next(d for d in result.drift if "x1_ceil" in d).startswith("function added: x1_ceil")
    assert len(result.drift) == 1
    kernels = bench.kernels.read_text()
    assert "// mine\n" in kernels
    assert "tfl_status x1_ceil(" in kernels
    profile = load_profile(bench.profile)
    assert profile.op("aten::ceil") is not None
    names = [op.name for op in profile.ops]
    assert names == sorted(names)
    mul = profile.op("aten::mul")
    assert mul is not None
    assert (mul.provenance, mul.dtype_support) == ("probed", ("float32",))
    assert "probe: 12 questions, 1 refused" in mul.evidence
    assert "# the Berlin office" in bench.profile.read_text()
    assert "Ask Ada before a release." in (bench.root / "README.md").read_text()
    again = snapshot(bench.folder)
    assert bench.run().nothing_to_do
    assert snapshot(bench.folder) == again


def test_changed_signature_unsettles_its_entry_only(bench: Bench) -> None:
    bench.probed("aten::mul", "[float32]")
    bench.probed("aten::sub", "[float32]")
    bench.header_edit(
        "x1_mul(const void *a, const void *b, void *out, size_t n,",
        "x1_mul(const void *a, const void *b, void *out, int n,",
    )
    result = bench.run()
    assert result.unsettled == ("aten::mul",)
    assert result.drift == (
        "function changed: x1_mul: x1_status_t (const void * a, const void * b, void * out, size_t n, x1_dtype_t dtype)"
        " -> x1_status_t (const void * a, const void * b, void * out, int n, x1_dtype_t dtype)",
    )
    profile = load_profile(bench.profile)
    mul, sub = profile.op("aten::mul"), profile.op("aten::sub")
    assert mul is not None
    assert sub is not None
    assert (mul.provenance, mul.dtype_support) == ("unverified", ("float32", "float16", "int8"))
    assert not any(e.startswith("probe: ") for e in mul.evidence)
    assert (sub.provenance, sub.dtype_support) == ("probed", ("float32",))


def test_renamed_function_enum_value_and_struct(bench: Bench) -> None:
    bench.probed("aten::conv2d", "[float32]")
    bench.probed("aten::neg", "[float32]")
    bench.header_edit("X1_API x1_status_t x1_neg(", "X1_API x1_status_t x1_negative(")
    bench.header_edit("X1_DTYPE_INT8 = 2", "X1_DTYPE_INT8 = 5")
    bench.header_edit(
        "    x1_dtype_t   dtype;\n    x1_layout_t  layout;\n", "    x1_layout_t  layout;\n    x1_dtype_t   dtype;\n"
    )
    result = bench.run()
    text = "\n".join(result.drift)
    assert "function renamed: x1_neg: x1_neg -> x1_negative" in text
    assert "constant changed: X1_DTYPE_INT8: 2 -> 5" in text
    assert "struct changed: x1_tensor" in text
    assert len(result.drift) == 3
    assert set(result.unsettled) == {"aten::conv2d", "aten::neg"}
    neg = load_profile(bench.profile).op("aten::neg")
    assert neg is not None
    assert neg.provenance == "unverified"
    assert neg.impl == "x1_negative"
    assert "tfl_status x1_negative(" in bench.kernels.read_text()
    assert "X1_DTYPE_INT8 == 5" in (bench.root / "src" / "x1_asserts.gen.cpp").read_text()


def test_removed_function_takes_its_entry_along(bench: Bench) -> None:
    bench.probed("aten::exp", "[float32]")
    bench.header_edit("X1_API x1_status_t x1_exp(const void *in, void *out, size_t n, x1_dtype_t dtype);\n", "")
    result = bench.run()
    assert result.exit_code == 0
    assert load_profile(bench.profile).op("aten::exp") is None
    assert "x1_exp" not in bench.kernels.read_text()


def test_both_changed_the_same_lines(bench: Bench) -> None:
    """Markers in kernels and profile, exit 1, and no second merge before they are resolved."""
    edit(
        bench.kernels,
        "vendor::x1_exp(torchfl::data(self)",
        "vendor::x1_exp(/*tuned*/ torchfl::data(self)",
    )
    edit(bench.profile, "  memcpy: x1_memcpy\n", "  memcpy: x1_memcpy_checked\n")
    bench.header_edit("x1_exp(const void *in, void *out, size_t n", "x1_exp(void *out, const void *in, size_t n")
    bench.header_edit("x1_status_t x1_memcpy(", "x1_status_t x1_copy(")
    shown = bench.run(diff=True)
    assert "+<<<<<<< yours" in shown.diff
    assert shown.exit_code == 1
    result = bench.run()
    assert result.exit_code == 1
    assert {c.path for c in result.conflicts} == {"src/x1_kernels.cpp", "x1_device.yaml"}
    for conflict in result.conflicts:
        lines = (bench.root / conflict.path).read_text().splitlines()
        assert lines[conflict.line - 1] == "<<<<<<< yours"
    text = bench.profile.read_text()
    assert "  memcpy: x1_memcpy_checked\n" in text
    assert "  memcpy: x1_copy\n" in text
    before = snapshot(bench.folder)
    with pytest.raises(TorchflError) as error:
        bench.run()
    assert {p.code for p in error.value.problems} == {"TFL0410"}
    assert snapshot(bench.folder) == before


def test_command_line_exits_1_on_conflicts(bench: Bench) -> None:
    edit(
        bench.kernels,
        "vendor::x1_exp(torchfl::data(self)",
        "vendor::x1_exp(/*tuned*/ torchfl::data(self)",
    )
    bench.header_edit("x1_exp(const void *in, void *out, size_t n", "x1_exp(void *out, const void *in, size_t n")
    done = torchfl("new-chip", "x1", "--header", bench.header, "--on-conflict", "merge", cwd=bench.folder)
    assert done.returncode == 1, done.stderr
    assert "CONFLICT src/x1_kernels.cpp:" in done.stdout


def test_what_was_taken_out_stays_out(bench: Bench) -> None:
    """A profile entry, a kernel and a file that a person removed; a changed signature does not bring them back."""
    head, _, tail = bench.profile.read_text().partition("  - name: aten::sub\n")
    bench.profile.write_text(head + "  - name: " + tail.partition("  - name: ")[2])
    text = bench.kernels.read_text()
    start = text.index("// aten::exp\n")
    bench.kernels.write_text(text[:start] + text[text.index("// aten::", start + 5) :])
    (bench.root / "README.md").unlink()
    bench.header_edit("x1_exp(const void *in, void *out, size_t n", "x1_exp(const void *in, void *out, int n")
    bench.header_edit(
        "x1_sub(const void *a, const void *b, void *out, size_t n",
        "x1_sub(const void *a, const void *b, void *out, int n",
    )
    result = bench.run()
    assert result.exit_code == 0, result.to_text()
    for _ in range(2):
        manifest = json.loads((bench.root / ".torchfl" / "manifest.json").read_text())
        assert manifest["deleted"] == {"entries": ["aten::sub"], "files": ["README.md"], "kernels": ["x1_exp"]}
        profile = load_profile(bench.profile)
        assert profile.op("aten::sub") is None
        assert profile.op("aten::exp") is None
        assert "x1_exp" not in bench.kernels.read_text()
        assert "x1_exp" not in (bench.root / "src" / "x1_chip.gen.cpp").read_text()
        assert "tfl_status x1_sub(" in bench.kernels.read_text()  # only its entry was taken out
        assert not (bench.root / "README.md").exists()
        assert bench.run().nothing_to_do


def test_dry_run_and_diff_write_nothing(bench: Bench) -> None:
    bench.header_edit("X1_DTYPE_INT8 = 2", "X1_DTYPE_INT8 = 5")
    before = snapshot(bench.folder)
    assert not bench.run(dry_run=True).written
    shown = bench.run(diff=True)
    assert "constant changed: X1_DTYPE_INT8: 2 -> 5" in shown.to_text()
    assert "X1_DTYPE_INT8 == 5" in shown.diff
    assert snapshot(bench.folder) == before


def test_a_failed_write_leaves_the_project_as_it_was(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.header_edit("X1_DTYPE_INT8 = 2", "X1_DTYPE_INT8 = 5")
    before = snapshot(bench.folder)
    rename, done = Path.rename, []

    def failing(self: Path, target: Path) -> Path:
        done.append(target)
        if len(done) == 5:
            raise OSError(28, "No space left on device", str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(TorchflError) as error:
        bench.run()
    monkeypatch.undo()
    assert error.value.problems[0].code == "TFL0404"
    assert {p: b for p, (b, _) in snapshot(bench.folder).items()} == {p: b for p, (b, _) in before.items()}


@pytest.mark.parametrize("damage", ["absent", "broken"])
def test_without_its_state_a_project_is_not_merged(bench: Bench, damage: str) -> None:
    manifest = bench.root / ".torchfl" / "manifest.json"
    manifest.unlink() if damage == "absent" else manifest.write_text("{")
    before = snapshot(bench.folder)
    with pytest.raises(TorchflError) as error:
        bench.run()
    assert error.value.problems[0].code == "TFL0409"
    assert snapshot(bench.folder) == before


def test_a_new_project_needs_no_merge(tmp_path: Path) -> None:
    result = new_chip(NewChipRequest("x1", (HEADER,), out=tmp_path, on_conflict="merge"))
    assert result.written
    assert not result.merged


def test_crlf_files_keep_their_line_ends(bench: Bench) -> None:
    bench.kernels.write_bytes(bench.kernels.read_bytes().replace(b"\n", b"\r\n"))
    bench.header_edit("x1_exp(const void *in, void *out, size_t n", "x1_exp(const void *in, void *out, int n")
    assert bench.run().exit_code == 0
    raw = bench.kernels.read_bytes()
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert b"fits<int>" in raw


@pytest.mark.parametrize(
    ("mine", "theirs", "merged", "conflicts"),
    [
        ("a\nB\nc\nd\n", "a\nb\nc\nD\n", "a\nB\nc\nD\n", 0),
        ("a\nB\nc\nd\n", "a\nB\nc\nd\n", "a\nB\nc\nd\n", 0),
        ("b\nc\nd\n", "a\nb\nc\nd\ne\n", "b\nc\nd\ne\n", 0),
        ("a\nX\nc\nd\n", "a\nY\nc\nd\n", "a\n<<<<<<< yours\nX\n=======\nY\n>>>>>>> from the header\nc\nd\n", 1),
        ("a\nc\nd\n", "a\nY\nc\nd\n", "a\n<<<<<<< yours\n=======\nY\n>>>>>>> from the header\nc\nd\n", 1),
        ("a\nb\nc\nd", "A\nb\nc\nd\n", "A\nb\nc\nd", 0),
    ],
)
def test_text_merge(mine: str, theirs: str, merged: str, conflicts: int) -> None:
    result = merge_text("a\nb\nc\nd\n", mine, theirs)
    assert result.text == merged
    assert len(result.conflicts) == conflicts
    for line in result.conflicts:
        assert merged.splitlines()[line - 1] == "<<<<<<< yours"


def test_hand_written_profile_then_a_header(tmp_path: Path) -> None:
    """A project begun from a profile takes in a header later; what the person wrote stays."""
    source = tmp_path / "x1_device.yaml"
    source.write_text(
        "device_type: xpu:x1\nvendor: Spark  # by hand\nruntime_so: $LIB_PATH/libx1.so\nsupported_ops:\n"
        "  - {name: aten::add, impl: x1_add, dtype_support: [float32]}\n"
    )
    out = tmp_path / "out"
    new_chip(NewChipRequest("x1", from_profile=source, out=out))
    result = new_chip(NewChipRequest("x1", (HEADER,), out=out, on_conflict="merge"))
    assert result.exit_code == 0, result.to_text()
    profile = load_profile(out / "x1" / "x1_device.yaml")
    add, mul = profile.op("aten::add"), profile.op("aten::mul")
    assert add is not None
    assert mul is not None
    assert (add.provenance, add.dtype_support) == ("declared", ("float32",))
    assert mul.provenance == "unverified"
    assert profile.vendor == "Spark"
    assert "vendor::x1_add" in (out / "x1" / "src" / "x1_kernels.cpp").read_text()
    assert os.listdir(out) == ["x1"]
