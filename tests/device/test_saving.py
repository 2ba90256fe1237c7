"""torch.save and torch.load in every format, and where each form of map_location puts what was saved."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]

FORMATS = [
    (zipped, weights_only, mmap)
    for zipped in (True, False)
    for weights_only in (True, False)
    for mmap in (False, True)
    if zipped or not mmap  # the old format has no memory map
]
BOTH, FIRST = {"one": "xpu:1", "host": "xpu:1", "zero": "xpu:1"}, {"one": "xpu:0", "host": "xpu:0", "zero": "xpu:0"}
SAME, HOST = {"one": "xpu:1", "host": "cpu", "zero": "xpu:0"}, {"one": "cpu", "host": "cpu", "zero": "cpu"}
LOCATIONS: list[tuple[Any, dict[str, str]]] = [
    (None, SAME),
    ("cpu", HOST),
    ("xpu", FIRST),
    ("xpu:0", FIRST),
    ("xpu:1", BOTH),
    ("fl", FIRST),
    ("fl:1", BOTH),
    (torch.device("cpu"), HOST),
    (torch.device("xpu"), FIRST),
    (torch.device("xpu", 1), BOTH),
    ({"xpu:1": "xpu:0"}, {**SAME, "one": "xpu:0"}),
    ({"xpu:1": "cpu", "xpu:0": "xpu:1"}, {"one": "cpu", "host": "cpu", "zero": "xpu:1"}),
    ({"cpu": "xpu:1"}, {**SAME, "host": "xpu:1"}),
    ({}, SAME),
    (lambda storage, location: storage, HOST),
    (lambda storage, location: None, SAME),
    (lambda storage, location: storage.to(device=torch.device(location)), SAME),
    ("meta", dict.fromkeys(SAME, "meta")),
]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: "-".join(map(str, form)))
@pytest.mark.parametrize(("location", "expected"), LOCATIONS, ids=lambda x: str(x) if not callable(x) else "function")
def test_every_map_location_in_every_format(
    location: Any, expected: dict[str, str], form: tuple[bool, bool, bool], tmp_path: Path
) -> None:
    zipped, weights_only, mmap = form
    saved = {
        "one": torch.arange(4.0).to("xpu:1"),
        "host": torch.arange(3.0),
        "zero": torch.arange(3).to("xpu:0", torch.int8),
    }
    torch.save(saved, tmp_path / "f", _use_new_zipfile_serialization=zipped)
    loaded = torch.load(tmp_path / "f", map_location=location, weights_only=weights_only, mmap=mmap)
    assert {name: str(value.device) for name, value in loaded.items()} == expected
    if location != "meta":
        assert [value.tolist() for value in loaded.values()] == [[0, 1, 2, 3], [0, 1, 2], [0, 1, 2]]
        loaded["one"].add_(1)  # it may be written, wherever it is
        assert loaded["one"].tolist() == [1, 2, 3, 4]


def test_locations_are_told_by_the_names_that_users_know(tmp_path: Path) -> None:
    seen = []
    torch.save([torch.ones(1, device="xpu:1"), torch.ones(1)], tmp_path / "f")
    torch.load(tmp_path / "f", map_location=lambda storage, location: seen.append(location))
    assert seen == ["xpu:1", "cpu"]
    with pytest.raises(RuntimeError, match=r"on XPU device 9 but torch\.xpu\.device_count\(\) is 2"):
        torch.load(tmp_path / "f", map_location="xpu:9")


def round_trip(value: Any, zipped: bool = True, **options: Any) -> Any:
    file = io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize("zipped", [True, False])
def test_views_stay_views(zipped: bool) -> None:
    base = torch.arange(6.0, device="xpu")
    views = {"base": base, "tail": base[2:], "turned": base.view(2, 3).t(), "none": base[6:]}
    loaded = round_trip(views, zipped)
    loaded["base"][2] = 9
    assert loaded["tail"][0].item() == loaded["turned"][2, 0].item() == 9
    assert (loaded["turned"].stride(), loaded["tail"].storage_offset(), loaded["none"].numel()) == ((1, 3), 2, 0)


@pytest.mark.parametrize("location", [None, "cpu", "xpu:0"])
def test_modules_and_optimizers(location: str | None) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)).to("xpu:1")
    model[1].weight = model[0].weight
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    model(torch.ones(1, 2, device="xpu:1")).sum().backward()
    optimizer.step()
    where = location or "xpu:1"
    again = round_trip(model, weights_only=False, map_location=location)
    assert again[1].weight is again[0].weight
    assert str(again[0].weight.device) == where
    state = round_trip(model.state_dict(), map_location=location)
    assert state["0.weight"].untyped_storage()._cdata == state["1.weight"].untyped_storage()._cdata
    other = torch.optim.AdamW(again.parameters(), fused=True)
    other.load_state_dict(round_trip(optimizer.state_dict(), map_location=location))
    moments = other.state[again[0].weight]
    assert {str(value.device) for name, value in moments.items() if name != "step"} == {where}
    assert torch.equal(moments["exp_avg"].cpu(), optimizer.state[model[0].weight]["exp_avg"].cpu())


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int64, torch.uint16, torch.float16, torch.bfloat16, torch.float64, torch.complex64,
     torch.float8_e4m3fn],
)  # fmt: skip
def test_every_kind_of_tensor(dtype: torch.dtype) -> None:
    for shape in ((2, 3), (), (0, 2)):
        t = torch.ones(shape).to(dtype).to("xpu:1")
        loaded = round_trip(t)
        assert (str(loaded.device), loaded.dtype, loaded.shape) == ("xpu:1", dtype, t.shape)
        assert loaded.tolist() == t.tolist()


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")  # torch saves storages as such
def test_bits_layouts_and_storages() -> None:
    z = torch.tensor([1 + 2j], device="xpu")
    assert round_trip(z.conj()).is_conj()
    assert round_trip(z.conj()).tolist() == [1 - 2j]
    assert round_trip(torch._neg_view(z.real)).tolist() == [-1]
    sparse = torch.eye(2, device="xpu:1").to_sparse()
    for location, where in ((None, "xpu:1"), ("cpu", "cpu"), ("xpu:0", "xpu:0")):
        loaded = round_trip(sparse, map_location=location)
        assert str(loaded.device) == str(loaded._values().device) == where
        assert loaded.to_dense().tolist() == [[1, 0], [0, 1]]
    storage = round_trip(torch.ones(2, device="xpu:1").untyped_storage(), weights_only=False)
    assert (str(storage.device), storage.nbytes()) == ("xpu:1", 8)
    t = torch.ones(2, device="xpu", requires_grad=True)
    assert round_trip(t).requires_grad
    generator = torch.Generator("xpu:1").manual_seed(5)
    torch.rand(1, device="xpu:1", generator=generator)
    for twin in (round_trip(generator, weights_only=False), copy.deepcopy(generator)):
        assert twin.device == torch.device("xpu:1")
        assert torch.equal(twin.get_state(), generator.get_state())


class Named(nn.Parameter):
    """A kind of parameter."""


class Wrapped(torch.Tensor):
    """A kind of tensor."""

    @staticmethod
    def __new__(cls, t: torch.Tensor) -> Wrapped:
        return t.as_subclass(cls)


@pytest.mark.parametrize("device", ["cpu", "xpu:1"])
def test_kinds_of_tensors_copy_and_pickle_as_on_the_cpu(device: str) -> None:
    t = torch.ones(2, device=device)
    assert type(copy.deepcopy(Named(t))) is Named
    assert type(pickle.loads(pickle.dumps(Named(t)))) is nn.Parameter  # as torch rebuilds them
    assert type(pickle.loads(pickle.dumps(Wrapped(t)))) is Wrapped
    assert type(round_trip(Wrapped(t), weights_only=False)) is Wrapped
    t.mark = "kept"
    assert copy.deepcopy(t).mark == "kept"
    shared = copy.deepcopy([t, t[1:], {"same": t}])
    shared[0].fill_(5)
    assert shared[1].tolist() == [5]
    assert shared[2]["same"] is shared[0]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(torch.ones(1, device=device, requires_grad=True) * 2)
    for value in (Named(t), Wrapped(t), *shared[:2]):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert str(pickle.loads(pickle.dumps(value, protocol)).device) == device
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(t.device, protocol)) == copy.deepcopy(t.device) == torch.device(device)


def test_lazy_modules_take_the_devices_shape() -> None:
    for made in (nn.LazyLinear(2).to("xpu:1"), nn.LazyLinear(2, device="xpu:1")):
        assert made(torch.ones(1, 3, device="xpu:1")).shape == (1, 2)
        assert str(made.weight.device) == "xpu:1"
    empty = nn.Linear(2, 2, device="meta").to_empty(device="xpu")
    assert str(empty.weight.device) == "xpu:0"
