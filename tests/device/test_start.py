"""Which chips a process gets: of an installed package, of good and bad folders of the environment, of init() twice."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core_helpers import fixture_dir, run_script, second_fixture
from helpers import Project, Sdk, absent, succeed

pytestmark = pytest.mark.device

ALONE = """
import torch
model = torch.nn.Linear(3, 2).to("xpu")
out = model(torch.ones(1, 3).to("xpu")).relu()
print(out.device.type, tuple(out.shape), torch.accelerator.current_accelerator(), torch.xpu.device_count())
import sys
assert "torchfl_chip_x1" not in sys.modules
"""


@pytest.mark.timeout(600)
def test_import_torch_is_enough_where_a_chips_wheel_is_installed(x1_sdk: Sdk, tmp_path: Path) -> None:
    """From the header to a wheel, into a folder of site packages, and a script that does not know torchfl."""
    succeed("new-chip", "x1", "--header", x1_sdk.header, "--lib", x1_sdk.library, "--out", tmp_path)
    succeed(tmp_path / "x1", "--wheel", program="torchfl-build")
    (wheel,) = (tmp_path / "x1" / "dist").glob("*.whl")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True)
    seen = os.pathsep.join((str(site), *os.environ.get("PYTHONPATH", "").split(os.pathsep))).strip(os.pathsep)
    done = run_script(ALONE, PYTHONPATH=seen)
    assert (done.stdout, done.stderr) == ("xpu (1, 2) xpu 2\n", "")
    quiet = run_script("import torch; print(torch.xpu.is_available())", PYTHONPATH=seen, TORCHFL_AUTOLOAD="0")
    assert (quiet.stdout, quiet.stderr) == ("False\n", "")


FOLDERS = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import torch
print(*[str(w.message) for w in caught], sep="\\n")
print(torch.xpu.device_count(), *((torch.ones(2, device="xpu") + 1).tolist() if torch.xpu.is_available() else ()))
"""


def from_folders(*folders: Path | str) -> list[str]:
    done = run_script(FOLDERS, TORCHFL_DEVICE_DIR=os.pathsep.join(map(str, folders)))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip("\n").splitlines()


def test_bad_folders_of_the_environment_cost_one_warning_each_and_no_chip(tmp_path: Path) -> None:
    empty, broken = tmp_path / "empty", tmp_path / "broken"
    empty.mkdir()
    broken.mkdir()
    (broken / "bad_device.yaml").write_text("device_type: [xpu\n")
    a_file = tmp_path / "a_file"
    a_file.write_text("")
    good = fixture_dir()
    *said, chips = from_folders(good, tmp_path / "missing", empty, broken, a_file, f"{good}/", good / ".." / good.name)
    assert chips == "2 2.0 2.0"
    assert len(said) == 3
    for folder in ("missing", "a_file"):
        assert any(f"TFL0206 TORCHFL_DEVICE_DIR: No device YAML found in {tmp_path / folder}" in line for line in said)
    assert any("xpu:bad is not usable: TFL0102" in line for line in said)
    assert from_folders(empty, good) == ["2 2.0 2.0"]


def test_with_bad_folders_alone_torch_is_as_it_was(tmp_path: Path) -> None:
    missing = from_folders(tmp_path / "missing")
    assert "it is not a folder" in missing[0]
    assert missing[1:] == ["0"]
    nothing = from_folders(tmp_path)
    assert f"TFL0201 No device YAML found in {tmp_path}" in nothing[0]
    assert nothing[1:] == ["0"]


def test_a_folder_that_the_caller_names_must_be_there(tmp_path: Path) -> None:
    done = run_script(
        f"""
import os, torch, torchfl
from torchfl.errors import TorchflError
try: torchfl.init({str(tmp_path / "missing")!r})
except TorchflError as error: print(error)
print(torchfl.is_initialized())
torchfl.init(os.environ["FX_DIR"])  # one folder, not in a list
print(torch.ones(1, device="xpu").device)
"""
    )
    missing = f"TFL0206 chip_dirs: No device YAML found in {tmp_path / 'missing'}: it is not a folder"
    assert done.stdout == f"{missing}; fix: correct the path\nFalse\nxpu:0\n", done.stderr


AGAIN = """
import os, pathlib, warnings, torch, torchfl
from torchfl.errors import TorchflError
def init(folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torchfl.init(pathlib.Path(folder))
    print(*[str(w.message) for w in caught] or ["-"])
first, second, other = os.environ["FX_DIR"], os.environ["SECOND"], os.environ["OTHER"]
init(first)
init(first)
init(other)
if {used}: kept = torch.ones(2, device="xpu:1")
init(second)
try: print(torchfl.device("xpu:gx"))
except TorchflError as error: print(error)
print(torch.xpu.device_count())
torchfl.shutdown()
torchfl.init([second, first])
print(torchfl.device("xpu:gx"), torch.xpu.device_count(), torch.ones(1, device="xpu:3").device)
if {used}: assert (kept + 1).tolist() == [2, 2] and str(kept.device) == "xpu:1"
"""


@pytest.mark.parametrize("used", [False, True])
def test_init_again_with_other_folders(used: bool, tmp_path: Path) -> None:
    second, other = second_fixture(tmp_path / "second"), tmp_path / "other"
    other.mkdir()
    for file in fixture_dir().iterdir():
        (other / file.name).symlink_to(file) if file.suffix == ".so" else (other / file.name).write_bytes(
            file.read_bytes()
        )
    done = run_script(AGAIN.format(used=used), SECOND=str(second), OTHER=str(other))
    assert done.returncode == 0, done.stderr
    once, twice, elsewhere, added, device, count, after = done.stdout.splitlines()
    assert (once, twice) == ("-", "-")
    assert elsewhere == (
        f"torchfl: TFL0617 {other / 'fx_device.yaml'} is not looked at: xpu:fx is loaded from "
        f"{fixture_dir() / 'fx_device.yaml'}; fix: call torchfl.shutdown() first"
    )
    assert after == "xpu:2 4 xpu:3"
    if used:
        refused = "TFL0617 devices are in use, and xpu:gx would change their numbers; fix: name every chip in the first"
        assert added.startswith(f"torchfl: xpu:gx is not usable: {refused}")
        assert device.startswith(f"TFL0610 xpu:gx: {refused}")
        assert count == "2"
    else:
        assert (added, device, count) == ("-", "xpu:2", "4")


FROM_PROJECT = """
import torch
from transformers.utils import is_torch_xpu_available
print(torch.randn(2).to("xpu").device, is_torch_xpu_available())
"""


def test_a_probed_project_is_found_by_the_environment(x1_project: Project) -> None:
    if importlib.util.find_spec("transformers") is None:
        absent("transformers is not installed")
    done = run_script(FROM_PROJECT, TORCHFL_DEVICE_DIR=str(x1_project.directory), PYTHONWARNINGS="ignore")
    assert done.stdout == "xpu:0 True\n", done.stderr


def test_starting_imports_nothing_that_takes_as_long_as_torch():
    """Self-checks run at every start: one that torch serves by importing DTensor and sympy tripled it."""
    done = run_script(
        "import os, sys, torch, torchfl\n"
        "torchfl.init([os.environ['FX_DIR']])\n"
        "print(sorted({'sympy', 'torch.distributed.tensor', 'torch._dynamo'} & set(sys.modules)))"
    )
    assert done.stdout == "[]\n", done.stderr
