"""The probe against x1: what it discovers, and what it does with a chip that lies, crashes, hangs or is not there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from torchfl_sdk.chips import compile_sdk, mutants

from helpers import Project, Sdk, succeed, torchfl
from torchfl.profile import OpEntry, Profile, load_profile
from torchfl_sdk.probe import ProbeReport, probe

pytestmark = pytest.mark.device

CHIPS = Path(__file__).resolve().parents[2] / "chips"
ENTRY = {
    "aten::conv2d": "{name: aten::conv2d, impl: x1_conv2d, dtype_support: [float16, int8], provenance: unverified}",
    "aten::relu": "{name: aten::relu, impl: x1_relu, dtype_support: [float32, int8], provenance: unverified}",
    "aten::mul": "{name: aten::mul, impl: x1_mul, dtype_support: [float32], provenance: unverified}",
    "aten::mm": "{name: aten::mm, impl: x1_mm, dtype_support: [float32], layout: matrix, provenance: unverified}",
}  # fmt: skip


def project_with(project: Project, library: Path, folder: Path, *ops: str) -> Path:
    """A copy of x1's built project that knows only these ops, all unverified, on another vendor library."""
    folder.mkdir()
    shutil.copy(project.directory / "libx1_chip.so", folder)
    path = folder / "x1_device.yaml"
    entries = "".join(f"  - {ENTRY[op]}  # as scaffolded\n" for op in ops)
    path.write_text(f"device_type: xpu:x1\nruntime_so: {library}\nsupported_ops:\n{entries}")
    return path


def wrong_library(folder: Path, *names: str) -> Path:
    """The simulated SDK's library, wrong in each of these ways."""
    defines = [m.define for m in mutants() if m.name in names]
    assert len(defines) == len(names)
    return compile_sdk("x1", folder / "sdk", defines=defines) / "lib" / "libx1.so"


def entry(profile: Profile, name: str) -> OpEntry:
    found = profile.op(name)
    assert found is not None
    return found


def limits(found: OpEntry) -> dict[str, tuple[object, ...] | None]:
    return {c.variable: c.allowed for c in found.constraints}


def ask(path: Path, *, write: bool = True, answer_seconds: float = 20.0) -> ProbeReport:
    chips = [path.parent]
    return probe("xpu:x1", write=write, chip_dirs=chips, answer_seconds=answer_seconds, first_seconds=answer_seconds)


@pytest.fixture(autouse=True)
def _nothing_else_in_sight(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)


def test_what_the_header_does_not_say_is_discovered(x1_project: Project) -> None:
    profile = load_profile(x1_project.profile)
    assert {e.provenance for e in profile.ops} == {"probed"}
    conv = entry(profile, "aten::conv2d")
    assert conv.dtype_support == ("float16", "int8")
    found = limits(conv)
    assert (found["stride"], found["padding"], found["groups"]) == ((1, 2, 4), (0, 1, 2), (1, 2, 4))
    assert found["dilation"] == (1,)
    assert found["transposed"] == (False,)
    assert "kernel_size" not in found
    assert conv.int8_store == "saturate"
    assert profile.numerics.int8_store == "wrap"
    assert entry(profile, "aten::add").dtype_support == ("float32", "float16", "int8")
    assert entry(profile, "aten::exp").dtype_support == ("float32", "float16")
    assert entry(profile, "aten::mm").layout == "matrix"
    assert entry(profile, "aten::relu").inplace
    assert profile.capabilities.total_gb is not None


def test_the_profile_that_comes_with_x1_says_what_the_probe_finds(x1_project: Project) -> None:
    def said(path: Path) -> dict[str, dict[str, object]]:
        ops = load_profile(path).data["supported_ops"]
        return {name: {k: v for k, v in op.items() if k != "evidence"} for name, op in ops.items()}

    assert said(CHIPS / "x1" / "x1_device.yaml") == said(x1_project.profile)


def test_x1_v2_runs_on_the_library_of_the_chip_that_it_extends(x1_project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "x1-v2"
    shutil.copytree(CHIPS / "x1-v2", folder)
    (tmp_path / "x1").symlink_to(x1_project.directory)
    code = f"""
import torchfl
torchfl.init([{str(folder)!r}])
import torch
a = torch.full((4,), 2.0, device=torchfl.device("xpu:x1-v2"))
print((a * a).cpu().tolist(), torchfl.counters()["aten::mul.Tensor"].native)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[4.0, 4.0, 4.0, 4.0] 1", done.stderr


def test_two_chips_of_one_library_count_and_switch_symbols_of_their_own(x1_project: Project, tmp_path: Path) -> None:
    """Also after a shutdown, which keeps each chip's counts."""
    shutil.copytree(CHIPS / "x1-v2", tmp_path / "x1-v2")
    (tmp_path / "x1").symlink_to(x1_project.directory)
    code = f"""
import torch, torchfl
for turn in range(2):
    torchfl.init([{str(tmp_path / "x1")!r}, {str(tmp_path / "x1-v2")!r}])
    a, b = (torch.full((4,), -1.0).to(torchfl.device(f"xpu:{{chip}}")) for chip in ("x1", "x1-v2"))
    a.relu(); a.relu(); b.relu()
    print([torchfl.symbol_calls(f"xpu:{{chip}}")["x1_relu"] for chip in ("x1", "x1-v2")])
    with torchfl.noop_symbols("xpu:x1-v2", ["x1_relu"]):
        print(a.relu_().tolist(), b.relu_().tolist())
    torchfl.shutdown()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    zeros, kept = [0.0] * 4, [-1.0] * 4
    assert done.stdout.splitlines() == ["[2, 1]", f"{zeros} {kept}", "[5, 3]", f"{zeros} {kept}"], done.stderr


def test_the_scaffold_s_text_stays_around_what_was_found(x1_project: Project, x1_sdk: Sdk, tmp_path: Path) -> None:
    succeed("new-chip", "x1", "--header", x1_sdk.header, "--lib", x1_sdk.library, cwd=tmp_path)
    scaffolded = (tmp_path / "x1" / "x1_device.yaml").read_text().splitlines()
    probed = set(x1_project.profile.read_text().splitlines())
    gone = [line.strip() for line in scaffolded if line not in probed]
    allowed = (
        "provenance: unverified",
        "dtype_support:",
        "constraints:",
        "inplace:",
        "runtime_header:",
        "# Written by",
    )
    assert [line for line in gone if not line.startswith(allowed)] == []


def test_a_settled_profile_has_nothing_to_ask(x1_project: Project) -> None:
    before = x1_project.profile.read_bytes()
    report = ask(x1_project.profile)
    assert (report.findings, report.asked, report.workers, report.written) == ((), 0, 0, False)
    assert "nothing to ask" in report.to_text()
    assert x1_project.profile.read_bytes() == before


@pytest.mark.parametrize(
    ("lies", "provenance", "dtypes"),
    [(("relu_drops_nan",), "probed", ("int8",)), (("dropped_tail",), "unverified", ("float32", "int8"))],
)
def test_what_the_header_s_types_prove_is_asked_for_its_numbers(
    x1_project: Project, tmp_path: Path, lies: tuple[str, ...], provenance: str, dtypes: tuple[str, ...]
) -> None:
    """What is right stays as it is; a function that goes wrong loses its entry's trust, or the dtype."""
    path = project_with(x1_project, wrong_library(tmp_path, *lies), tmp_path / "p", "aten::relu", "aten::mm")
    path.write_text(path.read_text().replace("provenance: unverified", "provenance: header"))
    report = ask(path)
    assert report.confirmed == ("aten::mm",)
    assert [f.name for f in report.findings] == ["aten::relu"]
    assert report.alarms
    assert "right, as the header has them: aten::mm" in report.to_text()
    after = load_profile(path)
    assert (entry(after, "aten::mm").provenance, entry(after, "aten::mm").layout) == ("header", "matrix")
    assert (entry(after, "aten::relu").provenance, entry(after, "aten::relu").dtype_support) == (provenance, dtypes)


def test_asking_again_finds_the_same(x1_project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    shutil.copytree(x1_project.directory, folder, ignore=shutil.ignore_patterns("build"))
    path = folder / "x1_device.yaml"
    path.write_text(path.read_text().replace("provenance: probed", "provenance: unverified"))
    report = ask(path)
    assert report.alarms == ()

    def said(profile: Path) -> dict[str, object]:
        data = load_profile(profile).data
        ops = {name: {**op, "evidence": []} for name, op in data["supported_ops"].items()}
        return {**data, "supported_ops": ops, "runtime_header": ""}

    assert said(path) == said(x1_project.profile)


def test_without_write_a_diff_is_shown_and_twice_it_is_the_same(
    x1_project: Project, x1_sdk: Sdk, tmp_path: Path
) -> None:
    path = project_with(x1_project, x1_sdk.library, tmp_path / "p", "aten::conv2d", "aten::mm")
    before = path.read_bytes()
    first, second = ask(path, write=False), ask(path, write=False)
    assert path.read_bytes() == before
    assert first.findings == second.findings
    assert first.diff == second.diff
    assert "+  - {name: aten::conv2d, impl: x1_conv2d, dtype_support: [float16, int8], provenance: probed" in first.diff
    assert first.diff in first.to_text()
    data = json.loads(first.to_json())
    assert data["facts"]["devices"] == 2
    assert data["facts"]["total_bytes"] > 0
    assert [f["settled"] for f in data["findings"]] == [True, True]


@pytest.mark.parametrize(
    ("lie", "variable", "left"),
    [("ignored_stride", "stride", 1), ("edge_padding", "padding", 0), ("last_group_wrong", "groups", 1)],
)
def test_a_value_that_the_chip_only_pretends_to_take_is_not_declared(
    lie: str, variable: str, left: int, x1_project: Project, tmp_path: Path
) -> None:
    path = project_with(x1_project, wrong_library(tmp_path, lie), tmp_path / "p", "aten::conv2d")
    report = ask(path)
    assert limits(entry(load_profile(path), "aten::conv2d"))[variable] == (left,)
    assert any(f"{variable}=" in alarm and ": wrong: " in alarm for alarm in report.alarms)
    assert "WRONG" in report.to_text()


@pytest.mark.parametrize(
    ("conv", "mul", "relu"),
    [
        ("shared_bias", "dropped_tail", "dropped_tail"),
        ("first_image_only", "stale_last_element", "relu_drops_nan"),
        ("swapped_stride", "dropped_tail", "relu_drops_nan"),
    ],
)
def test_a_kernel_that_computes_wrongly_does_not_route(
    conv: str, mul: str, relu: str, x1_project: Project, tmp_path: Path
) -> None:
    library = wrong_library(tmp_path, *{conv, mul, relu})
    path = project_with(x1_project, library, tmp_path / "p", "aten::conv2d", "aten::mul", "aten::relu")
    report = ask(path)
    profile = load_profile(path)
    for op in ("aten::conv2d", "aten::mul"):
        found = entry(profile, op)
        assert found.provenance == "unverified"
        assert any(text.startswith("probe: ") for text in found.evidence)
        assert any(alarm.startswith(op) for alarm in report.alarms)
    found = entry(profile, "aten::relu")
    if relu == "relu_drops_nan" and mul != "dropped_tail":  # integers have no NaN
        assert (found.provenance, found.dtype_support) == ("probed", ("int8",))
    else:
        assert found.provenance == "unverified"


@pytest.mark.parametrize("lie", ["transpose_ignored", "leading_dimension_ignored"])
def test_a_matrix_kernel_that_ignores_its_flags_is_not_called_one(
    lie: str, x1_project: Project, tmp_path: Path
) -> None:
    library = wrong_library(tmp_path, lie, "wrapping_store")
    path = project_with(x1_project, library, tmp_path / "p", "aten::mm", "aten::conv2d")
    report = ask(path)
    assert any("between rows: wrong" in alarm for alarm in report.alarms)
    profile = load_profile(path)
    assert (entry(profile, "aten::mm").provenance, entry(profile, "aten::mm").layout) == ("probed", "contiguous")
    assert (entry(profile, "aten::conv2d").int8_store, profile.numerics.int8_store) == ("", "wrap")


def test_a_crash_costs_its_own_entry(
    x1_project: Project, x1_sdk: Sdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project_with(x1_project, x1_sdk.library, tmp_path / "p", "aten::mm", "aten::mul")
    monkeypatch.setenv("X1_SIM_FAULTS", "segv@x1_gemm:1")
    report = ask(path)
    profile = load_profile(path)
    assert entry(profile, "aten::mm").provenance == "unverified"
    assert entry(profile, "aten::mul").provenance == "probed"
    assert any("crash: killed by SIGSEGV" in alarm for alarm in report.alarms)
    assert report.workers >= 2


def test_a_hang_costs_its_own_entry(
    x1_project: Project, x1_sdk: Sdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project_with(x1_project, x1_sdk.library, tmp_path / "p", "aten::mm", "aten::mul")
    monkeypatch.setenv("X1_SIM_FAULTS", "hang@x1_gemm:1")
    report = ask(path, answer_seconds=2)
    assert entry(load_profile(path), "aten::mm").provenance == "unverified"
    assert entry(load_profile(path), "aten::mul").provenance == "probed"
    assert any("hang: no answer in 2 s" in alarm for alarm in report.alarms)


def test_device_errors_are_no_refusals(
    x1_project: Project, x1_sdk: Sdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project_with(x1_project, x1_sdk.library, tmp_path / "p", "aten::mul")
    monkeypatch.setenv("X1_SIM_FAULTS", "device@x1_mul:1+")
    report = ask(path)
    (finding,) = report.findings
    assert not finding.settled
    assert finding.refusals == ()
    assert any("DEVICE_ERROR" in alarm for alarm in finding.alarms)


def test_a_driver_that_is_not_there_exits_3_and_leaves_the_profile(x1_project: Project, tmp_path: Path) -> None:
    path = project_with(x1_project, tmp_path / "nowhere.so", tmp_path / "p", "aten::mul")
    before = path.read_bytes()
    done = torchfl("probe", "--device", "xpu:x1", "--write", "--chip-dir", path.parent, cwd=tmp_path / "here")
    assert done.returncode == 3
    assert "TFL0801" in done.stderr
    assert "nowhere.so" in done.stderr
    assert path.read_bytes() == before


def test_a_chip_that_is_not_built_exits_3_with_the_next_command(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "x1_device.yaml").write_text(f"device_type: xpu:x1\nsupported_ops: [{ENTRY['aten::mul']}]\n")
    done = torchfl("probe", "--device", "xpu:x1", "--chip-dir", tmp_path / "p", cwd=tmp_path / "here")
    assert done.returncode == 3
    assert f"torchfl-build {tmp_path / 'p'}" in done.stderr
