"""Profiles: form, values, and the errors of one file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from torchfl.errors import TorchflError
from torchfl.profile import Constraint, json_schema, key_table, load_profile, schema, validate, warnings
from torchfl.profile.tree import parse_tree
from torchfl.profile.values import RUNTIME_ROLES
from torchfl_sdk.match import model as match_model

PROFILES = Path(__file__).parent / "profiles"
X1 = PROFILES / "x1" / "x1_device.yaml"
HEAD = "device_type: xpu:acme\n"


def write(folder: Path, text: str, name: str = "acme_device.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str, name: str = "acme_device.yaml") -> list[str]:
    path = write(folder, text, name)
    return [str(problem).replace(f"{folder}/", "") for problem in validate(path)]


def values(text: str) -> dict[str, object]:
    plain = parse_tree(text, "t.yaml").plain()
    assert isinstance(plain, dict)
    return plain


def test_the_documented_profile_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIB_PATH", "/opt/x1")
    profile = load_profile(X1)
    assert (profile.device_type, profile.family, profile.chip) == ("xpu:x1", "xpu", "x1")
    assert (profile.vendor, profile.chip_model, profile.driver_version) == ("SparkAI", "X1-Edge", "1.2.0")
    assert profile.runtime_so == "/opt/x1/libx1.so"
    assert profile.capabilities.total_gb == 8
    assert profile.capabilities.compute["fp16_tflops"] == 4
    assert [entry.name for entry in profile.ops] == ["aten::relu", "aten::add", "aten::conv2d", "aten::mm"]
    conv = profile.op("aten::conv2d")
    assert conv is not None
    assert conv.dtype_support == ("float16", "int8")
    assert conv.constraints == (
        Constraint("stride", allowed=(1, 2, 4)),
        Constraint("padding", allowed=(0, 1, 2)),
        Constraint("groups", allowed=(1, 2, 4)),
    )
    assert (conv.layout, conv.provenance, conv.inplace) == ("contiguous", "declared", False)
    mm = profile.op("aten::mm")
    assert mm is not None
    assert mm.constraints == (Constraint("M", multiple_of=128), Constraint("K", max=8192))
    assert profile.fallback_policy.layers("aten::softmax") == ("custom_softmax_x1",)
    assert profile.fallback_policy.layers("aten::add") == ("cpu",)
    assert (profile.numerics.accumulate, profile.numerics.int8_store) == ("float32", "saturate")


def test_json_says_the_same(tmp_path: Path) -> None:
    data = YAML(typ="safe", pure=True).load(X1.read_text(encoding="utf-8"))
    data["extends"] = str(PROFILES / "base" / "edge.yaml")
    path = write(tmp_path, json.dumps(data, indent="\t"), "x1_device.json")
    assert load_profile(path).data == load_profile(X1).data


def test_json_errors_have_places(tmp_path: Path) -> None:
    text = '{\n\t"device_type": "xpu:acme",\n\t"vendr": "A\\ud83d\\ude00"\n}'
    assert problems(tmp_path, text, "acme_device.json") == [
        "TFL0104 acme_device.json:3:2  vendr: unknown key 'vendr'; fix: vendor"
    ]
    assert problems(tmp_path, '{"vendor": "x",}', "acme_device.json")[0].startswith("TFL0102 acme_device.json:1:")
    assert values('{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", "off"),
        ("on", "on"),
        ("yes", "yes"),
        ("1e-5", 1e-5),
        ("1.5", 1.5),
        (".5", 0.5),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("12:30", "12:30"),
        ("1.2.0", "1.2.0"),
        ("true", True),
        ("~", None),
        ("", None),
        ("-.inf", float("-inf")),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("N", "N"),
    ],
)
def test_scalars_are_yaml_1_2(text: str, value: object) -> None:
    found = values(f"key: {text}\n")["key"]
    assert found == value
    assert type(found) is type(value)


def test_all_errors_of_a_file_come_at_once_with_line_column_and_fix(tmp_path: Path) -> None:
    text = """\
device_typ: xpu:acme
driver_version: 1.2
supported_ops:
  - {name: add, impl: x, dtype_support: [flaot16, fp16]}
  - {name: aten::conv2d, impl: x, dtype_support: [], constraints: {strid: [1], padding: 3, groups: [a]}}
  - {impll: x}
  - 3
memory: {mode: mapd}
inplace: yes
streams: 1
"""
    assert problems(tmp_path, text) == [
        "TFL0104 acme_device.yaml:1:1  device_typ: unknown key 'device_typ'; fix: device_type",
        "TFL0105 acme_device.yaml:2:17  driver_version: 1.2 is a number here, and a text is expected; fix:"
        ' "1.2" in quotes',
        "TFL0105 acme_device.yaml:4:12  supported_ops[0].name: 'add' is not an op's name; fix: aten::add",
        "TFL0107 acme_device.yaml:4:42  supported_ops[0].dtype_support: unknown dtype 'flaot16'; fix: float16",
        "TFL0107 acme_device.yaml:4:51  supported_ops[0].dtype_support: unknown dtype 'fp16'; fix: float16",
        "TFL0108 acme_device.yaml:5:68  supported_ops[1].constraints: aten::conv2d has no variable 'strid';"
        " fix: stride",
        "TFL0109 acme_device.yaml:5:89  supported_ops[1].constraints.padding: a constraint is a list of values or a map"
        " of min, max, multiple_of; fix: [3]",
        "TFL0109 acme_device.yaml:5:100  supported_ops[1].constraints.groups: 'a' is not a number; fix: list the"
        " allowed values",
        "TFL0106 acme_device.yaml:6:5  supported_ops[2].name: the key 'name' is missing; fix: add it",
        "TFL0104 acme_device.yaml:6:6  supported_ops[2].impll: unknown key 'impll'; fix: impl",
        "TFL0105 acme_device.yaml:7:5  supported_ops: expected a map, found 3",
        "TFL0105 acme_device.yaml:8:16  memory.mode: unknown memory mode 'mapd'; fix: mapped",
        "TFL0105 acme_device.yaml:9:10  inplace: expected true or false, found 'yes'",
        "TFL0105 acme_device.yaml:10:10  streams: expected true or false, found 1",
    ]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("stride: []", "an empty list allows nothing"),
        ("stride: [1, 1]", "1 stands twice"),
        ("stride: [1.5]", "1.5 is not a whole number"),
        ("stride: [true]", "true is not a number"),
        ("stride: {}", "a constraint without a limit"),
        ("stride: {mx: 3}", "unknown key 'mx'; fix: max"),
        ("stride: {min: 4, max: 2}", "min 4 is above max 2"),
        ("stride: {multiple_of: 0}", "greater than or equal to 1"),
        ("stride: {max: a}", "expected a number"),
        ("stride: {max: .nan}", "finite"),
        ("transposed: [0]", "0 is not true or false"),
        ("rank: 4", "fix: [4]"),
    ],
)
def test_constraints_are_checked_against_the_op(tmp_path: Path, limit: str, expected: str) -> None:
    entry = f"supported_ops: [{{name: aten::conv2d, impl: x, dtype_support: [int8], constraints: {{{limit}}}}}]\n"
    found = problems(tmp_path, HEAD + entry)
    assert len(found) == 1
    assert expected in found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: [1\n", "TFL0102"),
        ("a: b: c\n", "TFL0102"),
        ("\tvendor: x\n", "fix: indent with spaces"),
        ("- a\n", "a profile is a map of keys"),
        ("vendor: x\nvendor: y\n", "TFL0103 acme_device.yaml:2:1  vendor: 'vendor' stands already at line 1"),
        ("1: x\n", "a key is not a string"),
        ("vendor: !python/object x\n", "unknown tag '!python/object'"),
        ("a: &a [*a]\n", "an alias contains itself"),
        ("a: *x\n", "undefined alias"),
        ("a: 1\n---\nb: 2\n", "single document"),
        ("<<: {vendor: x}\n", "unknown key '<<'"),
        ("[" * 400, "nested too deeply"),
        ("- " * 1000, "nested too deeply"),
        ("vendor: " + "1" * 5000, "the number is too long"),
        ("vendor: \x00\n", "TFL0102"),
        ("schema: 2\nnew_key: 1\n", "TFL0112 acme_device.yaml:1:9  schema: schema 2 is newer than this torchfl"),
        ("schema: 0\n", "TFL0105"),
        ("vendor: x\n", "TFL0116 acme_device.yaml  device_type: the key 'device_type' is missing"),
        ("device_type: x1\n", "'x1' is not of the form family:chip"),
        ("device_type: xpu:0\n", "would read as a device index"),
        (HEAD + "fallback_policy: {default: cup}\n", "unknown layer 'cup'; fix: cpu"),
        (
            HEAD + "fallback_policy: {default: [x1_fast, cpu]}\n",
            "'x1_fast' is a kernel's name, and a kernel serves one op; fix: name it under op_specific; "
            "here one of cpu, decompose, onnxruntime, error",
        ),
        (
            HEAD + "fallback_policy: {op_specific: {aten::mm: [k, cpu, decompose]}}\n",
            "'decompose' stands after 'cpu' and would never be asked; fix: put 'cpu' last",
        ),
        (HEAD + "fallback_policy: {op_specific: {aten::mm: [decompose, decompose]}}\n", "decompose stands twice"),
        (
            HEAD + "supported_ops:\n- {name: aten::mul, impl: k, dtype_support: [int8, uint8], int8_zero_point: 128}\n",
            "aten::mul takes int8 tensors as uint8 (int8_zero_point), so it cannot serve uint8; fix: int8",
        ),
        (HEAD + "runtime: {alloc: f}\n", "unknown runtime role 'alloc'"),
        (HEAD + "compute: {x: [1]}\n", "expected a number or a text, found a list"),
        (HEAD + "compute: {x: 1}\ncapabilities: {compute: {x: 2}}\n", "TFL0103"),
        (HEAD + "supported_ops: [{name: aten::add, dtype_support: []}]\n", "aten::add has no 'impl'"),
        (
            HEAD + "supported_ops:\n- {name: aten::add, impl: a, dtype_support: []}\n- {name: aten::add, impl: b}\n",
            "TFL0113 acme_device.yaml:4:10  supported_ops[1]: aten::add has an entry already at line 3",
        ),
        (HEAD + "supported_ops: [{name: aten::add, remove: slow, impl: x}]\n", "has only name and remove, not impl"),
    ],
)
def test_each_kind_of_bad_file(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, text)
    assert any(expected in problem for problem in found), found


def test_alias_bomb_is_refused(tmp_path: Path) -> None:
    text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
    )
    assert "more than 50000 values" in problems(tmp_path, text)[0]


def test_unreadable_files(tmp_path: Path) -> None:
    assert [p.code for p in validate(tmp_path / "none.yaml")] == ["TFL0101"]
    assert [p.code for p in validate(tmp_path)] == ["TFL0101"]
    path = tmp_path / "latin_device.yaml"
    path.write_bytes(b"device_type: xpu:a\nvendor: caf\xe9\n")
    (found,) = validate(path)
    assert (found.code, found.place.line) == ("TFL0101", 2)


def test_an_unset_variable_is_named_when_used_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIB_PATH", raising=False)
    profile = load_profile(X1)
    with pytest.raises(TorchflError) as caught:
        _ = profile.runtime_so
    (found,) = caught.value.problems
    assert (found.code, found.place.line) == ("TFL0115", 7)
    assert "$LIB_PATH" in found.cause
    assert [p.code for p in warnings(X1)] == ["TFL0115"]


def test_runtime_so_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOT", "/r")
    for text, expected in (
        ("libx.so", "libx.so"),
        ("./libx.so", str(tmp_path.resolve() / "libx.so")),
        ("${ROOT}/libx.so", "/r/libx.so"),
        ("/a/$ROOT.so", "/a//r.so"),
    ):
        assert load_profile(write(tmp_path, HEAD + f"runtime_so: {text}\n")).runtime_so == expected
    several = load_profile(write(tmp_path, HEAD + "runtime_so: [libx.so, ./liby.so, $ROOT/libz.so]\n"))
    assert several.libraries == ("libx.so", str(tmp_path.resolve() / "liby.so"), "/r/libz.so")
    assert several.runtime_so == "\n".join(several.libraries)  # as the chip's open() takes them
    monkeypatch.delenv("ROOT")
    with pytest.raises(TorchflError, match=r"TFL0115.*\$ROOT") as caught:
        _ = several.runtime_so
    assert len(caught.value.problems) == 1
    assert load_profile(write(tmp_path, HEAD)).runtime_so == ""


def test_ops_without_a_route_load_and_are_reported(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEAD
        + """\
supported_ops:
  - {name: aten::con2d, impl: a, dtype_support: [float16], constraints: {anything: [1]}}
  - {name: aten::add.Tensr, impl: b, dtype_support: [float16]}
  - {name: aten::mul.Tensor, impl: c, dtype_support: [float16], provenance: unverified}
  - {name: aten::sub_.Tensor, impl: d, dtype_support: [float16], constraints: {alpha: [1]}}
capabilities: {features: [dynamic_shapes]}
streams: true
fallback_policy: {default: [onnxruntime, cpu]}
""",
    )
    assert validate(path) == []
    given = warnings(path)
    found = {p.code: p for p in reversed(given)}
    assert [p.where for p in given if p.code == "TFL0154"] == ["streams"]
    assert set(found) == {"TFL0150", "TFL0151", "TFL0153", "TFL0154", "TFL0155"}
    assert found["TFL0150"].fix == "aten::conv2d"
    assert found["TFL0151"].fix == "Tensor"
    assert found["TFL0153"].fix == "torchfl probe --device xpu:acme --write"
    entry = load_profile(path).op("aten::mul.Tensor")
    assert entry is not None
    assert (entry.name, entry.overload, entry.routes) == ("aten::mul", "Tensor", False)


def test_dtypes_for_which_pytorch_has_other_rules_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "c_device.yaml"
    path.write_text(
        "device_type: xpu:c\nsupported_ops:\n"
        "  - {name: aten::sum, impl: k, dtype_support: [float32, int32]}\n"
        "  - {name: aten::any, impl: n, dtype_support: [float32, uint8]}\n"
    )
    found = [str(p) for p in warnings(path) if str(p).startswith("TFL0152")]
    assert len(found) == 2
    assert "aten::sum of int32 gives another dtype" in found[0]
    assert "aten::any of uint8" in found[1]


def test_top_level_layout_and_inplace_are_defaults_of_every_op(tmp_path: Path) -> None:
    ops = "supported_ops:\n- {name: aten::add, impl: a, dtype_support: [int8]}\n"
    ops += "- {name: aten::mul, impl: b, dtype_support: [int8], layout: strided, inplace: false}\n"
    profile = load_profile(write(tmp_path, HEAD + "layout: matrix\ninplace: true\n" + ops))
    assert [(e.layout, e.inplace) for e in profile.ops] == [("matrix", True), ("strided", False)]


def test_the_published_schema_agrees_with_the_loader(tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    yaml = YAML(typ="safe", pure=True)
    for path in sorted(PROFILES.glob("**/*.yaml")):
        validator.validate(yaml.load(path.read_text(encoding="utf-8")))
    bad = [
        {"vendr": "x"},
        {"supported_ops": [{"name": "add"}]},
        {"supported_ops": [{"name": "aten::add", "dtype_support": ["half"]}]},
        {"supported_ops": [{"name": "aten::add", "constraints": {"alpha": 1}}]},
        {"extends": []},
        {"memory": {"mode": "x"}},
    ]
    for data in bad:
        assert not validator.is_valid(data), data
        assert validate(write(tmp_path, json.dumps({"device_type": "xpu:a", **data}), "a_device.json")), data
    assert json.loads(json_schema()) == schema()


def test_the_key_table_has_every_key_with_a_meaning() -> None:
    rows = [line.split(" | ") for line in key_table().splitlines()[2:]]
    keys = {row[0].strip("| `") for row in rows}
    assert {"schema", "supported_ops[].constraints", "numerics.int8_store", "fallback_policy.op_specific"} <= keys
    assert all(len(row) == 3 and len(row[2]) > 8 for row in rows)


def test_runtime_roles_are_the_matcher_s() -> None:
    assert tuple(match_model.RUNTIME_ROLES) == RUNTIME_ROLES


def test_importing_is_light() -> None:
    heavy = "[m for m in ('torch', 'pydantic', 'ruamel') if m in sys.modules]"
    code = f"import sys, torchfl.profile, torchfl.devices; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
