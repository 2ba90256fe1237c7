"""new-chip --from-profile: a project from a hand-written profile, whose kernels say that nobody has written them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from torchfl.errors import TorchflError
from torchfl.profile import load_profile
from torchfl_sdk.build import build_project
from torchfl_sdk.scaffold import NewChipRequest, new_chip

BASE = "device_type: xpu:base\nvendor: Hand\n"
PROFILE = """
# by hand
extends: base.yaml
device_type: xpu:hand
runtime_so: ./lib/libhand.so
supported_ops:
  - {name: aten::conv2d, impl: hand_conv, dtype_support: [float16], constraints: {stride: [1, 2]}}
  - {name: aten::add, impl: hand_add, dtype_support: [float32], inplace: true}
  - {name: aten::mm, impl: hand_mm, dtype_support: [float32], layout: matrix}
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "base.yaml").write_text(BASE)
    path = tmp_path / "notes" / "hand.yaml"
    path.write_text(PROFILE)
    return path


def test_project_keeps_the_profile_and_its_kernels_decline_loudly(profile: Path, tmp_path: Path) -> None:
    result = new_chip(NewChipRequest("hand", from_profile=profile, out=tmp_path))
    assert [(b.op, b.functions) for b in result.bound] == [("aten::add", ()), ("aten::conv2d", ()), ("aten::mm", ())]
    assert "no kernel calls the chip yet" in result.to_text()
    written = result.project / "hand_device.yaml"
    assert "# by hand" in written.read_text()
    (before, after) = (load_profile(profile), load_profile(written))
    assert [(o.full_name, o.impl, o.dtype_support, o.constraints) for o in after.ops] == [
        (o.full_name, o.impl, o.dtype_support, o.constraints) for o in before.ops
    ]
    assert after.vendor == "Hand"
    assert after.runtime_so == before.runtime_so == str(profile.parent / "lib" / "libhand.so")

    build_project(result.project, jobs=2)
    (profile.parent / "lib").mkdir()
    source = tmp_path / "empty.c"
    source.write_text("")
    subprocess.run(["cc", "-shared", "-o", after.runtime_so, str(source)], check=True)
    code = f"""
import numpy, hand_wrapper as chip
chip.open({after.runtime_so!r})
print({{k["name"]: k["flags"] for k in chip.kernels()}})
a = numpy.ones(3, "f4")
for _ in range(2):
    try:
        chip.run("hand_add", [a, a], numpy.empty_like(a), [1])
    except RuntimeError as e:
        print(e)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=result.project, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "{'hand_add': 1, 'hand_conv': 0, 'hand_mm': 8}",
        *["hand_add: UNSUPPORTED: hand_add is not written yet"] * 2,
    ], done.stderr
    assert done.stderr == "torchfl: kernel hand_add is not written yet: every call of it is declined\n"


def test_kernels_name_their_arguments(profile: Path, tmp_path: Path) -> None:
    project = new_chip(NewChipRequest("hand", from_profile=profile, out=tmp_path)).project
    kernels = (project / "src" / "hand_kernels.cpp").read_text()
    assert "const tfl_tensor& weight = call->inputs[1];" in kernels
    assert "const tfl_attr& groups = call->attrs[5];" in kernels
    assert "// aten::add\n//   hand.yaml:8: float32\n" in kernels


@pytest.mark.parametrize(
    ("name", "text", "finding"),
    [
        ("other", PROFILE, r"device_type: the profile is of xpu:hand.*fix: torchfl new-chip hand"),
        ("hand", PROFILE.replace("hand_mm", "hand_add"), r"hand_add serves aten::add already"),
        ("hand", PROFILE.replace("supported_ops", "suported_ops"), r"TFL01.*suported_ops"),
    ],
)
def test_profiles_that_do_not_fit(name: str, text: str, finding: str, profile: Path, tmp_path: Path) -> None:
    profile.write_text(text)
    with pytest.raises(TorchflError, match=finding):
        new_chip(NewChipRequest(name, from_profile=profile, out=tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes"]


def test_an_op_outside_the_catalogue_gets_no_kernel_and_a_warning(profile: Path, tmp_path: Path) -> None:
    profile.write_text(PROFILE.replace("aten::mm", "aten::fft_fft"))
    result = new_chip(NewChipRequest("hand", from_profile=profile, out=tmp_path))
    assert [b.op for b in result.bound] == ["aten::add", "aten::conv2d"]
    assert "warning: aten::fft_fft is not in torchfl's catalogue: no kernel for it" in result.to_text()
    assert "hand_mm" not in (result.project / "src" / "hand_kernels.cpp").read_text()


@pytest.mark.parametrize("impl", ["for", "int", "kernels", "a b", "9x", "*/", "_a"])
def test_a_kernel_of_any_name_compiles(impl: str, profile: Path, tmp_path: Path) -> None:
    profile.write_text(PROFILE.replace("hand_mm", f"'{impl}'"))
    result = new_chip(NewChipRequest("hand", from_profile=profile, out=tmp_path, check=True))
    assert result.check.startswith("compiles"), result.check
    kernels = {op.name: op.impl for op in load_profile(result.project / "hand_device.yaml").ops}
    assert kernels["aten::mm"] == impl


def test_a_profile_and_a_header_together_are_refused(profile: Path, tmp_path: Path) -> None:
    request = NewChipRequest("hand", (profile,), extends=profile, lib=profile, from_profile=profile, out=tmp_path)
    with pytest.raises(TorchflError) as error:
        new_chip(request)
    assert [p.where for p in error.value.problems] == ["--header", "--extends", "--lib"]
