"""Finding chips: folders, order, selectors, and what is said when there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from torchfl.devices import (
    FoundChip,
    find_chips,
    parse_selector,
    require_built,
    search_dirs,
    select,
)
from torchfl.errors import Problem, TorchflError


def chip(folder: Path, name: str, text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}_device.yaml"
    path.write_text(text or f"device_type: xpu:{name}\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TORCHFL_DEVICE_DIR", "TORCHFL_VISIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def names(chips: tuple[FoundChip, ...]) -> list[str]:
    return [found.selector for found in chips]


def test_folders_are_searched_by_themselves_and_chips_sorted_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip(tmp_path / "a", "zeta")
    chip(tmp_path / "b", "alpha")
    chip(tmp_path / "b" / "below", "hidden")
    (tmp_path / "b" / "notes.yaml").write_text("vendor: x\n")
    chip(tmp_path / "c", "mid")
    monkeypatch.setenv("TORCHFL_DEVICE_DIR", os.pathsep.join([str(tmp_path / "a"), "", str(tmp_path / "b")]))
    assert names(find_chips([tmp_path / "c"])) == ["xpu:alpha", "xpu:mid", "xpu:zeta"]
    assert names(find_chips()) == ["xpu:alpha", "xpu:zeta"]
    assert search_dirs([tmp_path / "c"]) == (tmp_path / "c", tmp_path / "a", tmp_path / "b")


def test_the_command_line_alone_looks_here_and_one_below(tmp_path: Path) -> None:
    chip(tmp_path, "here")
    chip(tmp_path / "sub", "below")
    chip(tmp_path / "sub" / "deep", "deep")
    chip(tmp_path / ".venv", "hidden")
    assert names(find_chips(cli=True)) == ["xpu:below", "xpu:here"]
    assert find_chips() == ()


def test_a_file_that_two_ways_lead_to_is_one_chip(tmp_path: Path) -> None:
    chip(tmp_path / "a", "x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert names(find_chips([tmp_path / "a", tmp_path / "link", "a"], cli=True)) == ["xpu:x"]


def test_installed_packages_are_located_without_importing_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "acme_chip"
    chip(package, "acme")
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[torchfl.chips]\nacme = acme_chip\ngone = not_installed_chip\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert names(find_chips()) == ["xpu:acme"]
    assert "acme_chip" not in sys.modules


def test_a_chip_at_hand_yields_to_one_in_a_named_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--chip-dir`` with a copy of a project, from the folder where the project lies."""
    for folder in ("a", "b", "elsewhere/a"):
        (tmp_path / folder).mkdir(parents=True)
        text = f"device_type: xpu:{Path(folder).name}\nruntime_so: x.so\n"
        (tmp_path / folder / f"{Path(folder).name}_device.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORCHFL_DEVICE_DIR", raising=False)
    named = find_chips(["elsewhere/a"], cli=True)
    assert [(c.selector, c.dir) for c in named] == [("xpu:a", Path("elsewhere/a")), ("xpu:b", Path("b"))]
    assert [c.dir for c in find_chips(cli=True)] == [Path("a"), Path("b")]
    with pytest.raises(TorchflError, match="TFL0202"):
        find_chips(["elsewhere/a", "a"])


def test_two_profiles_of_one_chip_are_both_named(tmp_path: Path) -> None:
    first, second = chip(tmp_path / "a", "x"), chip(tmp_path / "b", "y", "device_type: xpu:x\n")
    with pytest.raises(TorchflError) as caught:
        find_chips([tmp_path / "a", tmp_path / "b"])
    (found,) = caught.value.problems
    assert found.code == "TFL0202"
    assert str(first) in found.cause
    assert str(second) in found.cause


def test_a_broken_profile_hides_no_other_chip(tmp_path: Path) -> None:
    chip(tmp_path, "good")
    chip(tmp_path, "bad", "vendr: x\n")
    chips = find_chips([tmp_path])
    assert names(chips) == ["xpu:bad", "xpu:good"]
    assert chips[0].profile is None
    assert select("xpu:good", chips).profile is not None
    with pytest.raises(TorchflError, match="unknown key 'vendr'"):
        select("xpu:bad", chips)
    with pytest.raises(TorchflError, match="unknown key 'vendr'"):
        require_built(chips[0])


def test_no_profile_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHFL_DEVICE_DIR", str(tmp_path))
    with pytest.raises(TorchflError, match=f"TFL0201 No device YAML found in {tmp_path}") as caught:
        select("xpu:x", find_chips())
    assert caught.value.exit_code == 2
    monkeypatch.setenv("TORCHFL_DEVICE_DIR", str(tmp_path / "none"))
    with pytest.raises(TorchflError, match=r"TFL0206.*No device YAML found in .*none"):
        find_chips()
    monkeypatch.delenv("TORCHFL_DEVICE_DIR")
    with pytest.raises(TorchflError, match="TORCHFL_DEVICE_DIR is not set"):
        select("xpu:x", ())


def test_the_runtime_passes_over_bad_folders_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip(tmp_path / "a", "x")
    monkeypatch.setenv("TORCHFL_DEVICE_DIR", os.pathsep.join((str(tmp_path / "none"), str(tmp_path / "a"))))
    passed_over: list[Problem] = []
    assert names(find_chips(passed_over=passed_over)) == ["xpu:x"]
    assert [(p.code, p.where) for p in passed_over] == [("TFL0206", "TORCHFL_DEVICE_DIR")]
    with pytest.raises(TorchflError, match=r"TFL0206 chip_dirs: .*nowhere"):
        find_chips([tmp_path / "nowhere"], passed_over=[])
    with pytest.raises(TorchflError, match=r"TFL0206 --chip-dir: .*nowhere"):
        find_chips([tmp_path / "nowhere"], cli=True)


def test_a_package_whose_import_fails_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To find the package ``broken.chip`` Python imports ``broken``."""
    package = tmp_path / "site" / "acme_chip"
    chip(package, "acme")
    (tmp_path / "site" / "broken_vendor").mkdir()
    (tmp_path / "site" / "broken_vendor" / "__init__.py").write_text("raise RuntimeError('at import')\n")
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[torchfl.chips]\nacme = acme_chip\nbad = broken_vendor.chip\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert names(find_chips()) == ["xpu:acme"]


def test_unknown_chip_says_which_is_near(tmp_path: Path) -> None:
    chip(tmp_path, "tianhe")
    chip(tmp_path, "x1")
    with pytest.raises(TorchflError) as caught:
        select("xpu:tianh", find_chips([tmp_path]))
    (found,) = caught.value.problems
    assert (found.code, found.fix, caught.value.exit_code) == ("TFL0203", "xpu:tianhe", 2)
    assert "xpu:tianhe, xpu:x1" in found.cause


def test_a_chip_that_is_not_built_exits_3_with_the_next_command(tmp_path: Path) -> None:
    chip(tmp_path / "x1", "x1")
    (found,) = find_chips([tmp_path / "x1"])
    assert not found.built
    with pytest.raises(TorchflError) as caught:
        require_built(found)
    assert caught.value.exit_code == 3
    assert caught.value.problems[0].fix == f"torchfl-build {tmp_path / 'x1'}"
    library = tmp_path / "x1" / "libx1_chip.so"
    library.write_bytes(b"")
    assert found.built
    assert require_built(found) == library


@pytest.mark.parametrize(("text", "expected"), [("xpu:x1", ("xpu", "x1", None)), ("npu:x1-v2:3", ("npu", "x1-v2", 3))])
def test_selectors(text: str, expected: tuple[str, str, int | None]) -> None:
    selector = parse_selector(text)
    assert (selector.family, selector.chip, selector.index) == expected
    assert str(selector) == text


@pytest.mark.parametrize(
    "text", ["", "x1", "xpu", "xpu:", "xpu:0", ":x1", "xpu:x1:", "xpu:x1:a", "xpu:x1:0:1", "xpu:a b", "xpu:x1\n"]
)
def test_malformed_selectors(text: str) -> None:
    with pytest.raises(TorchflError, match=r"TFL0205"):
        parse_selector(text)


def test_visible_narrows_the_chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        chip(tmp_path, name)
    monkeypatch.setenv("TORCHFL_VISIBLE", "xpu:c, xpu:a")
    assert names(find_chips([tmp_path])) == ["xpu:a", "xpu:c"]
    monkeypatch.setenv("TORCHFL_VISIBLE", "")
    assert find_chips([tmp_path]) == ()
    monkeypatch.setenv("TORCHFL_VISIBLE", "xpu:nope")
    with pytest.raises(TorchflError, match="of a chip that TORCHFL_VISIBLE='xpu:nope' names; fix: correct TORCHFL_VIS"):
        select("xpu:a", find_chips([tmp_path]), [tmp_path])
    monkeypatch.setenv("TORCHFL_VISIBLE", "xpu:a:0")
    with pytest.raises(TorchflError, match=r"TFL0205.*names one device; fix: xpu:a"):
        find_chips([tmp_path])
