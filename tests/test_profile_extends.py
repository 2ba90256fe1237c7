"""Inheritance of profiles: what wins, where each value comes from, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfl.errors import TorchflError
from torchfl.profile import diff, explain, load_profile, show, validate, warnings

PROFILES = Path(__file__).parent / "profiles"
HEAD = "device_type: xpu:acme\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_x1_v2_takes_four_lines() -> None:
    path = PROFILES / "x1-v2" / "x1-v2_device.yaml"
    assert len(path.read_text(encoding="utf-8").splitlines()) == 4
    profile = load_profile(path)
    assert (profile.device_type, profile.driver_version) == ("xpu:x1-v2", "2.0.0")
    assert profile.vendor == "SparkAI"
    assert profile.capabilities.compute["fp16_tflops"] == 9
    assert [p.name for p in profile.files] == ["edge.yaml", "x1_device.yaml", "x1-v2_device.yaml"]
    assert diff(PROFILES / "x1" / "x1_device.yaml", path) == [
        "~ device_type: xpu:x1 -> xpu:x1-v2",
        "~ driver_version: 1.2.0 -> 2.0.0",
        "~ capabilities.compute.fp16_tflops: 4 -> 9",
    ]


def test_every_leaf_knows_its_place_and_what_it_overrode() -> None:
    path = PROFILES / "x1-v2" / "x1-v2_device.yaml"
    profile = load_profile(path)
    origin = profile.origins["capabilities.compute.fp16_tflops"]
    assert (Path(origin.file).name, origin.line) == ("x1-v2_device.yaml", 4)
    assert origin.overrode is not None
    assert (Path(origin.overrode.file).name, origin.overrode.line) == ("x1_device.yaml", 9)
    dtypes = profile.origins["capabilities.dtypes"]
    assert dtypes.overrode is not None
    assert Path(dtypes.overrode.file).name == "edge.yaml"
    assert "device_type" not in profile.origins  # it comes from the file's name
    relu = profile.origins["supported_ops[aten::relu].impl"]
    assert Path(relu.file).name == "edge.yaml"
    lines = explain(path, "capabilities.compute")
    assert lines[0].startswith("capabilities.compute.fp16_tflops: 9")
    assert lines[1].endswith("x1_device.yaml:9")
    with pytest.raises(TorchflError, match=r"TFL0117.*fix: capabilities.compute"):
        explain(path, "capabilities.compte.fp16_tflops")


def test_show_is_a_profile_that_reads_back_the_same(tmp_path: Path) -> None:
    path = PROFILES / "x1-v2" / "x1-v2_device.yaml"
    for origin in (False, True):
        copy = write(tmp_path, "x1-v2_device.yaml", show(path, origin=origin))
        assert load_profile(copy).data == load_profile(path).data
    copy = write(tmp_path, "x1-v2_device.json", show(path, as_json=True))
    assert load_profile(copy).data == load_profile(path).data
    assert "x1-v2_device.yaml:4 <- " in show(path, origin=True)


def test_show_says_that_there_are_no_ops(tmp_path: Path) -> None:
    """Nothing behind the key would take an inherited list away, and is another profile."""
    path = write(tmp_path, "none_device.yaml", "device_type: xpu:none\nruntime_so: libnone.so\nsupported_ops: []\n")
    shown = show(path)
    assert "supported_ops: []" in shown
    assert load_profile(write(tmp_path, "again_device.yaml", shown)).data == load_profile(path).data


def test_show_quotes_what_would_read_as_something_else(tmp_path: Path) -> None:
    texts = ("1.10", "true", "null", "a: b", "x #y", "[z]", "", " lead", "-", "q'\"", "é\n", "0x1F", "1e5", "off")
    for text in texts:
        import json

        path = write(tmp_path, "acme_device.yaml", HEAD + f"vendor: {json.dumps(text)}\n")
        copy = write(tmp_path, "copy_device.yaml", show(path))
        assert load_profile(copy).vendor == text


def test_later_bases_win_and_a_diamond_applies_its_top_once(tmp_path: Path) -> None:
    write(tmp_path, "top.yaml", "vendor: top\nchip_model: top\ndriver_version: top\n")
    write(tmp_path, "left.yaml", "extends: top.yaml\nvendor: left\nchip_model: left\n")
    write(tmp_path, "right.yaml", "extends: top.yaml\nchip_model: right\n")
    profile = load_profile(write(tmp_path, "a_device.yaml", "extends: [left.yaml, right.yaml]\n"))
    assert (profile.vendor, profile.chip_model, profile.driver_version) == ("left", "right", "top")
    assert profile.device_type == "xpu:a"


def test_a_circle_prints_its_whole_chain(tmp_path: Path) -> None:
    a = write(tmp_path, "a_device.yaml", "extends: sub/b.yaml\n")
    write(tmp_path, "sub/b.yaml", "extends: [../c.yaml]\n")
    write(tmp_path, "c.yaml", "vendor: x\nextends: a_device.yaml\n")
    (found,) = validate(a)
    names = [Path(part).name for part in found.cause.removeprefix("circle: ").split(" -> ")]
    assert names == ["a_device.yaml", "b.yaml", "c.yaml", "a_device.yaml"]
    assert (found.code, Path(found.place.file).name, found.place.line) == ("TFL0110", "c.yaml", 2)
    self_loop = write(tmp_path, "s_device.yaml", "extends: s_device.yaml\n")
    assert [p.code for p in validate(self_loop)] == ["TFL0110"]


def test_a_missing_base_is_named_where_it_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", "vendor: x\n")
    (found,) = validate(write(tmp_path, "a_device.yaml", "extends:\n  - bse.yaml\n"))
    assert (found.code, found.place.line, found.place.column) == ("TFL0111", 2, 5)
    assert Path(found.fix).name == "base.yaml"


@pytest.mark.parametrize("key", ["extends", "runtime_so", "chip_library", "runtime_header"])
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (r'"a\0b.yaml"', r"'a\x00b.yaml' holds a character that no path has"),
        (r'"one\ntwo"', r"'one\ntwo' holds a character that no path has"),
        ("x" * 300, f"'{'x' * 20}...' is longer than the 255 bytes that a name in a path may have"),
        ("é" * 200 + ".yaml", f"'{'é' * 20}...' is longer than the 255 bytes that a name in a path may have"),
        ("sub/" * 600, f"'{'sub/' * 5}...' is longer than the 2048 bytes that a path may have"),
    ],
    ids=["NUL", "two lines", "long name", "long name in bytes", "long path"],
)
def test_what_can_be_no_path_is_said_to_be_none(tmp_path: Path, key: str, text: str, cause: str) -> None:
    path = write(tmp_path, "a_device.yaml", f"device_type: xpu:a\n{key}: {text}\n")
    (found,) = validate(path)
    assert (found.code, found.where, found.place.line, found.cause) == ("TFL0105", key, 2, cause)


def test_a_base_behind_links_in_a_circle_or_in_no_folder_is_missing(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    for base, cause in (("one", "one is no file"), ("one/b.yaml", "does not exist"), (".", "is no file")):
        (found,) = validate(write(tmp_path, "a_device.yaml", f"extends: {base}\n"))
        assert (found.code, found.cause.endswith(cause)) == ("TFL0111", True), found


def test_errors_of_bases_carry_the_base_s_place(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", "vendr: x\n")
    found = validate(write(tmp_path, "a_device.yaml", "extends: base.yaml\nchip_modl: y\n"))
    assert sorted((Path(p.place.file).name, p.fix) for p in found) == [
        ("a_device.yaml", "chip_model"),
        ("base.yaml", "vendor"),
    ]


BASE_OPS = """\
supported_ops:
  - {name: aten::add, impl: base_add, dtype_support: [float32, float16], constraints: {alpha: [1], numel: {max: 64}}}
  - {name: aten::add.Tensor, impl: base_add_tensor, dtype_support: [int8]}
  - {name: aten::exp, impl: base_exp, dtype_support: [float32], provenance: probed}
"""


def test_ops_merge_by_name_overload_exact(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE_OPS)
    child = "supported_ops:\n- {name: aten::add, dtype_support: [float32], constraints: {numel: {min: 2}}}\n"
    profile = load_profile(write(tmp_path, "a_device.yaml", "extends: base.yaml\n" + child))
    by_name = {entry.full_name: entry for entry in profile.ops}
    assert list(by_name) == ["aten::add", "aten::add.Tensor", "aten::exp"]
    add = by_name["aten::add"]
    assert (add.impl, add.dtype_support) == ("base_add", ("float32",))
    assert [(c.variable, c.allowed, c.min, c.max) for c in add.constraints] == [
        ("alpha", (1,), None, None),
        ("numel", None, 2, 64),
    ]
    assert by_name["aten::add.Tensor"].dtype_support == ("int8",)
    assert by_name["aten::exp"].provenance == "probed"


def test_removal_is_explicit_and_has_a_reason(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE_OPS)
    child = "extends: base.yaml\nsupported_ops:\n- {name: aten::exp, remove: slower than the CPU}\n"
    profile = load_profile(write(tmp_path, "a_device.yaml", child))
    assert profile.op("aten::exp") is None
    (removed,) = profile.removed
    assert (removed.name, removed.reason, removed.origin.line) == ("aten::exp", "slower than the CPU", 3)
    assert removed.origin.overrode is not None
    assert Path(removed.origin.overrode.file).name == "base.yaml"
    (found,) = validate(write(tmp_path, "b_device.yaml", child.replace("aten::exp,", "aten::exq,")))
    assert (found.code, found.fix) == ("TFL0114", "aten::exp")
    (found,) = validate(write(tmp_path, "c_device.yaml", child.replace("slower than the CPU", "''")))
    assert found.code == "TFL0105"


def test_null_takes_an_inherited_value_away(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE_OPS + "vendor: x\nnumerics: {tf32: true}\n")
    child = "extends: base.yaml\nvendor: ~\nnumerics: ~\nsupported_ops:\n- {name: aten::add, constraints: {alpha: }}\n"
    profile = load_profile(write(tmp_path, "a_device.yaml", child))
    assert (profile.vendor, profile.numerics.tf32) == ("", False)
    add = profile.op("aten::add")
    assert add is not None
    assert [c.variable for c in add.constraints] == ["numel"]


def test_an_op_of_a_child_that_is_incomplete_says_what_it_may_have_meant(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE_OPS)
    child = "extends: base.yaml\nsupported_ops:\n- {name: aten::ad, dtype_support: [int8]}\n"
    (found,) = validate(write(tmp_path, "a_device.yaml", child))
    assert (found.code, found.place.line) == ("TFL0106", 3)
    assert found.fix == "add it, or did you mean aten::add"


def test_device_type_comes_from_the_name_of_a_file_that_extends(tmp_path: Path) -> None:
    write(tmp_path, "base_device.yaml", "device_type: npu:base\n")
    profile = load_profile(write(tmp_path, "b-2_device.yml", "extends: base_device.yaml\n"))
    assert (profile.device_type, profile.family, profile.chip) == ("npu:b-2", "npu", "b-2")
    (found,) = validate(write(tmp_path, "other.yaml", "extends: base_device.yaml\n"))
    assert found.code == "TFL0116"
    assert "not NAME_device.yaml" in found.cause
    (found,) = validate(write(tmp_path, "7_device.yaml", "extends: base_device.yaml\n"))
    assert (found.code, found.fix) == ("TFL0116", "rename the file or give device_type")


def test_the_chip_library_is_the_nearest_one_built(tmp_path: Path) -> None:
    base = write(tmp_path, "x1/x1_device.yaml", "device_type: xpu:x1\nruntime_so: ./lib/libx1.so\n")
    child = write(tmp_path, "x1-v2/x1-v2_device.yaml", "extends: ../x1/x1_device.yaml\n")
    profile = load_profile(child)
    assert profile.chip_library == tmp_path / "x1-v2" / "libx1-v2_chip.so"
    write(tmp_path, "x1/libx1_chip.so", "")
    assert profile.chip_library == tmp_path / "x1" / "libx1_chip.so"
    write(tmp_path, "x1-v2/libx1-v2_chip.so", "")
    assert profile.chip_library == tmp_path / "x1-v2" / "libx1-v2_chip.so"
    assert profile.runtime_so == str(tmp_path.resolve() / "x1" / "lib" / "libx1.so")
    assert load_profile(base).chip_library == tmp_path / "x1" / "libx1_chip.so"
    named = write(tmp_path, "n_device.yaml", HEAD + "chip_library: out/libn.so\n")
    assert load_profile(named).chip_library == tmp_path / "out" / "libn.so"


def test_the_profiles_that_come_with_torchfl_are_valid() -> None:
    found = sorted((Path(__file__).parents[1] / "chips").glob("*/*_device.yaml"))
    assert {path.name for path in found} >= {"x1_device.yaml", "x1-v2_device.yaml"}
    for path in found:
        assert validate(path) == []
        assert {problem.code for problem in warnings(path)} <= {"TFL0115"}  # $LIB_PATH is the user's to set
