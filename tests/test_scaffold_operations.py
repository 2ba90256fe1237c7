"""What new-chip writes for ops that are objects of C++ classes: how one is made, set up and run."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import ROOT
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.header import read_headers
from torchfl_sdk.scaffold.command import new_chip
from torchfl_sdk.scaffold.request import NewChipRequest, NewChipResult

DUNNOCK = (ROOT / "tests" / "sdks" / "dunnock.hpp").read_text()
AVOCET = (ROOT / "tests" / "sdks" / "avocet.hpp").read_text()


def run(tmp_path: Path, text: str) -> tuple[NewChipResult, str]:
    """The result, and the kernels as they are written."""
    header = tmp_path / "vendor.hpp"
    header.write_text(text)
    result = new_chip(NewChipRequest("chip", (header,), out=tmp_path, check=find_compiler() is not None))
    assert not result.check or result.check.startswith("compiles"), result.check
    return result, (tmp_path / "chip" / "src" / "chip_kernels.cpp").read_text()


def kernel(text: str, name: str) -> str:
    start = text.index(f"tfl_status {name}(")
    return text[start : text.index("\n}\n", start)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[NewChipResult, str, Path]:
    folder = tmp_path_factory.mktemp("avocet")
    return *run(folder, AVOCET), folder


def test_the_constant_that_says_the_op_goes_to_the_constructor(written: tuple[NewChipResult, str, Path]) -> None:
    relu = kernel(written[1], "avocet_relu")
    assert "::avocet::Activation operation(avocet::Activation::Function::Relu);" in relu
    assert "TFL_TRY(status(operation.run(self_object, out_object)));" in relu
    assert "setSlope" not in relu  # it sets nothing of the op


def test_setters_get_the_ops_attributes(written: tuple[NewChipResult, str, Path]) -> None:
    total = kernel(written[1], "avocet_sum")
    assert "operation.setAxes(torchfl::dims_of<std::vector<int>>(call->attrs[0], self));" in total
    assert "operation.setKeepDimensions(torchfl::integer(call->attrs[1], 0) != 0);" in total
    pool = kernel(written[1], "avocet_avg_pool2d")
    assert "call->attrs[1].count == 0 ? call->attrs[0] : call->attrs[1];" in pool  # no stride means the window's
    assert "operation.setCountPadding(" in pool
    norm = kernel(written[1], "avocet_layer_norm")
    assert "weight_object ? &*weight_object : nullptr" in norm


def test_room_is_asked_for_and_given(written: tuple[NewChipResult, str, Path]) -> None:
    add = kernel(written[1], "avocet_add")
    asked, given = add.index("operation.scratchSize()"), add.index("operation.setScratch(")
    assert asked < add.index("workspace.reserve(") < given < add.index("operation.run(")


def test_room_may_be_asked_for_with_the_calls_tensors(tmp_path: Path) -> None:
    asks = "size_t scratchSize(const Tensor& first, const Tensor& second, const Tensor& output) const;"
    _, text = run(tmp_path, AVOCET.replace("size_t scratchSize() const;", asks))
    assert "operation.scratchSize(self_object, other_object, out_object)" in kernel(text, "avocet_add")


def test_tables_of_virtual_functions_are_copies_where_the_library_has_them(
    written: tuple[NewChipResult, str, Path],
) -> None:
    """A class whose virtual functions are all in the header has a table that the compiler writes."""
    source = written[2] / "chip" / "src"
    symbols = (source / "chip_symbols.gen.cpp").read_text()
    assert 'void* avocet_Softmax_table[5] __asm__("_ZTVN6avocet7SoftmaxE")' in symbols
    assert "torchfl::copy_table(table[at_avocet_Softmax_table], members::avocet_Softmax_table, 5);" in symbols
    assert "MatrixMultiply_table" not in symbols
    assert "vendor::copy_tables();" in (source / "chip_device.gen.cpp").read_text()
    made = kernel(written[1], "avocet_softmax")
    needed = "torchfl::needs(vendor::table[vendor::at_avocet_Softmax_table]);"
    assert made.index(needed) < made.index("::avocet::Softmax operation;")


def test_an_object_that_works_in_memory_of_unknown_size_is_not_run(tmp_path: Path) -> None:
    result, _ = run(tmp_path, AVOCET.replace("  size_t scratchSize() const;\n", ""))
    assert not {"aten::add", "aten::mul"} & {b.op for b in result.bound}
    readme = (tmp_path / "chip" / "README.md").read_text()
    assert "nothing says how much room avocet::Elementwise::setScratch wants" in readme


def test_a_status_that_members_alone_return_is_the_headers(tmp_path: Path) -> None:
    free = AVOCET[AVOCET.index("Status device_malloc") : AVOCET.index("class Shape")]
    _, text = run(tmp_path, AVOCET.replace(free, ""))
    assert "TFL_TRY(status(operation.run(" in text


def test_virtual_functions_and_what_derived_classes_alone_call_are_read(tmp_path: Path) -> None:
    header = tmp_path / "vendor.hpp"
    header.write_text(
        "class Base { public: virtual ~Base(); virtual int room() const; protected: Base(); };\n"
        "class Made : public Base { public: int run(); };\n"
    )
    classes = read_headers((header,)).classes
    base, made = classes["Base"], classes["Made"]
    assert base.virtuals == ("~", "room() const")
    assert base.tabled
    assert [m.kind for m in base.kept_back] == ["constructor"]
    assert not made.tabled  # its table is written by every compiler


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> str:
    return run(tmp_path_factory.mktemp("dunnock"), DUNNOCK)[1]


def test_an_object_taken_by_reference_is_the_threads_and_is_waited_for(prepared: str) -> None:
    assert "*made = new ::dunnock::Handle(static_cast<int>(call->device));" in prepared
    relu = kernel(prepared, "dunnock_relu")
    assert relu.index("operation.Run(*handle, out_object, self_object)") < relu.index("handle->Synchronize()")


def test_tensors_are_told_what_they_are_by_members(prepared: str) -> None:
    fill = prepared[prepared.index("void fill_dunnock_Tensor(") :].partition("\n}\n")[0]
    assert "made->SetNdInfo(static_cast<int>(t.rank == 0 ? 1 : t.rank), sizes.data(), nullptr)" in fill
    assert {"SetAddr(torchfl::data(t))", "SetType(dtype)"} <= {line.partition("made->")[2].partition("));")[0]
                                                               for line in fill.splitlines()}  # fmt: skip


def test_static_members_make_what_the_header_only_names(prepared: str) -> None:
    """The queue of the newer ops: made, awaited and given back by members of another class."""
    assert "*made = vendor::dunnock_Card_newPump(0);" in prepared
    sigmoid = kernel(prepared, "dunnock_sigmoid")
    steps = ("describe_dunnock_Plate(self)", "operation.prepare(", "operation.execute(", "dunnock_Card_awaitPump(pump)")
    places = [sigmoid.index(step) for step in steps]
    assert places == sorted(places)
    assert "reinterpret_cast<uintptr_t>(torchfl::data(self))" in sigmoid


def test_a_choice_of_the_op_is_one_of_two_constants(prepared: str) -> None:
    assert (
        "torchfl::integer(call->attrs[0], 0) == 0 ? dunnock::Gelu::Form::Exact : dunnock::Gelu::Form::Tanh"
        in kernel(prepared, "dunnock_gelu")
    )


def test_memory_is_lent_to_a_function_that_asks_for_it(prepared: str) -> None:
    total = kernel(prepared, "dunnock_sum")
    assert "torchfl::Lender(device::api, *call)" in total
    assert "operation.SetDim(static_cast<int>(along.count), along.values)" in total


def test_what_cannot_be_copied_is_in_no_list(tmp_path: Path) -> None:
    cat = "class Concat : public ImplBase { public: Concat(); Status SetAxis(int axis);"
    cat += " Status Run(Handle& handle, Tensor& out, const std::vector<Tensor>& ins) const; };\n"
    result, _ = run(tmp_path, DUNNOCK.replace("// ---- the newer ones ----", cat))
    assert "aten::cat" not in {b.op for b in result.bound}
