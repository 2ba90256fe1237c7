"""What new-chip writes for tensors that are objects of a C++ class, and for values of the standard library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import ROOT
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.header import read_headers
from torchfl_sdk.scaffold.classes.types import parse
from torchfl_sdk.scaffold.command import new_chip
from torchfl_sdk.scaffold.request import NewChipRequest, NewChipResult

LINNET = (ROOT / "tests" / "sdks" / "linnet.hpp").read_text()
#: A library whose tensors copy the host's numbers and live on a device that is opened.
HOSTED = """
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
namespace pipit {
enum class DataType { BFLOAT16, FLOAT32, UINT32, UINT16, BFLOAT8_B };
enum class Order { ROW_MAJOR, TILED };
struct Placing { bool sharded = false; };
class Device;
Device* open_device(int device_id, size_t scratch = 0);
void close_device(Device* device);
int get_num_devices();
class Tensor {
public:
    Tensor() = default;
    DataType dtype() const;
    Tensor cpu(bool blocking = true) const;
    Tensor to(Device* device, const Placing& placing = {}) const;
private:
    struct Attributes;
    std::shared_ptr<Attributes> attributes_;
};
Tensor from_host(const void* data, const std::vector<uint32_t>& shape, DataType dtype, Order order = Order::TILED);
void to_host(const Tensor& tensor, void* data);
Tensor relu(const Tensor& x, const std::optional<Placing>& placing = std::nullopt);
Tensor add(const Tensor& a, const Tensor& b, const std::optional<DataType>& dtype = std::nullopt);
Tensor eq(const Tensor& a, const Tensor& b);
}
"""
#: Plain pointers beside lists of the standard library, with an object of a class that a function makes.
LISTS = """
#pragma once
#include <cstdint>
#include <vector>
namespace dipper {
enum Code { SUCCESS = 0, BAD = -1 };
class Ctx {
 public:
  explicit Ctx(int device);
  ~Ctx();
  int wait();
 private:
  void* impl_;
};
Ctx* create_ctx(int device);
void destroy_ctx(Ctx* ctx);
int softmax(Ctx* ctx, const float* x, float* y, const std::vector<int>& xshape, int axis, const float* limit = nullptr);
int reduce_sum(Ctx* ctx, const float* x, float* y, const std::vector<int>& xshape, const std::vector<int>& rdims);
}
"""


def run(tmp_path: Path, text: str) -> tuple[NewChipResult, str]:
    """The result, and the kernels as they are written."""
    header = tmp_path / "vendor.hpp"
    header.write_text(text)
    result = new_chip(NewChipRequest("chip", (header,), out=tmp_path, check=find_compiler() is not None))
    assert not result.check or result.check.startswith("compiles"), result.check
    return result, (tmp_path / "chip" / "src" / "chip_kernels.cpp").read_text()


def served(result: NewChipResult) -> set[str]:
    return {b.op.removeprefix("aten::") for b in result.bound}


def test_members_that_no_header_defines_are_defined_by_way_of_the_table(tmp_path: Path) -> None:
    result, text = run(tmp_path, LINNET)
    assert {"add", "relu", "mm", "layer_norm", "cat", "where"} <= served(result)
    assert "::linnet::Tensor self_object = vendor_linnet_Tensor(call, self);" in text
    symbols = (tmp_path / "chip" / "src" / "chip_symbols.gen.cpp").read_text()
    assert '__asm__("_ZN6linnet6TensorD1Ev") __attribute__((visibility("hidden")));' in symbols
    assert '"_ZN6linnet6TensorC1EPvRKSt6vectorIiSaIiEENS_5DTypeE"' in symbols
    table = (tmp_path / "chip" / "src" / "chip_symbols.gen.h").read_text()
    assert "torchfl::Maker<linnet::Tensor (*)(const linnet::Tensor &, const linnet::Tensor &, unsigned char)>" in table


def test_a_switch_for_speed_is_off_and_defaults_that_a_macro_wrote_are_passed(tmp_path: Path) -> None:
    _, text = run(tmp_path, LINNET)
    assert "vendor::linnet_gelu(self_object, false)" in text
    assert re.search(r"vendor::linnet_relu\(\s*self_object, std::optional<linnet::Tuning>\(\),\s*"
                     r"static_cast<unsigned char>\(::linnet::main_lane\)\)", text)  # fmt: skip


def test_the_librarys_own_queue_goes_by_reference_and_operands_that_it_wants_are_there(tmp_path: Path) -> None:
    track = "class Track {\n public:\n  explicit Track(int card = 0);\n  static Track& common();\n};\n"
    text = LINNET.replace("class Tensor {", track + "class Tensor {", 1)
    own = """
    namespace linnet {
    using TrackRef = Track&;
    #define LINNET_TRACK Track::common()
    Tensor sin(const Tensor& x, TrackRef track = LINNET_TRACK);
    Tensor cos(const Tensor& x, Track& track = Track::common());
    Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon);
    }
    """
    result, kernels = run(tmp_path, text + own)
    assert {"sin", "cos", "rms_norm"} <= served(result)
    assert "vendor::linnet_sin(self_object, ::linnet::LINNET_TRACK)" in kernels
    assert "vendor::linnet_cos(self_object, ::linnet::Track::common())" in kernels
    norm = kernels[kernels.index("tfl_status linnet_rms_norm(") :]
    assert "if (!torchfl::present(weight)) return torchfl::unsupported(" in norm
    assert "*weight_object" in norm


def test_a_result_of_another_size_is_declined_before_it_is_read(tmp_path: Path) -> None:
    _, text = run(tmp_path, LINNET.replace("  void eval();", "  void eval();\n  bool is_contiguous() const;"))
    told, read = text.index("if (count != out.numel) return"), text.index("return torchfl::give(")
    assert text.index("for (const auto extent : from.extents())") < told < read
    assert text.index("if (!from.is_contiguous()) return torchfl::unsupported(") < read


def test_a_class_without_an_address_to_read_gets_no_kernel(tmp_path: Path) -> None:
    result, _ = run(tmp_path, LINNET.replace("  void* data() const;\n", ""))
    assert not result.bound
    readme = (tmp_path / "chip" / "README.md").read_text()
    assert "no member of linnet::Tensor gives its address" in readme


def test_a_result_whose_element_type_nothing_tells_serves_no_comparison(tmp_path: Path) -> None:
    result, _ = run(tmp_path, LINNET.replace("  DType dtype() const;\n", ""))
    assert "relu" in served(result)
    assert "gt" not in served(result)


def test_tensors_of_the_hosts_numbers_are_moved_to_the_device_and_back(tmp_path: Path) -> None:
    result, text = run(tmp_path, HOSTED)
    assert served(result) == {"add", "relu"}  # truth values have no element type here
    assert "pipit::Order::ROW_MAJOR)\n      .to(device_, pipit::Placing{});" in text
    assert "const ::pipit::Tensor host = from.cpu();" in text
    assert "vendor::pipit_to_host(host, to);" in text


def test_lists_of_the_standard_library_and_an_object_that_a_function_makes(tmp_path: Path) -> None:
    result, text = run(tmp_path, LISTS)
    assert served(result) == {"softmax", "sum"}
    assert "*made = vendor::dipper_create_ctx(static_cast<int>(call->device));" in text
    assert "torchfl::sizes_of<std::vector<int>>(self), torchfl::dims_of<std::vector<int>>(call->attrs[0], self)" in text
    assert "nullptr)));" in text
    softmax = text[text.index("tfl_status dipper_softmax(") :]
    assert softmax.index("vendor::dipper_softmax(") < softmax.index("TFL_TRY(status(ctx->wait()));")


def test_an_object_that_no_function_makes_is_made_by_its_constructor(tmp_path: Path) -> None:
    without = LISTS.replace("Ctx* create_ctx(int device);\nvoid destroy_ctx(Ctx* ctx);\n", "")
    exp = "int exp(Ctx* ctx, const float* x, float* y, int64_t len);\n}"
    result, text = run(tmp_path, exp.join(without.rsplit("}", 1)))
    assert "exp" in served(result)
    assert "*made = new ::dipper::Ctx(static_cast<int>(call->device));" in text
    assert "return status(ctx->wait());" in text


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("const std::vector<std::array<int, 2>>", "std::vector", ("std::array<int, 2>",)),
        ("std::pair<int, long>", "std::pair", ("int", "long")),
        ("float", "", ()),
    ],
)
def test_types_are_taken_apart(text: str, name: str, arguments: tuple[str, ...]) -> None:
    value = parse(text)
    assert value.template == name
    assert tuple(a.text for a in value.arguments) == arguments


def test_members_of_classes_are_read_with_their_symbols(tmp_path: Path) -> None:
    header = tmp_path / "vendor.hpp"
    header.write_text(LINNET)
    tensor = read_headers((header,)).classes["linnet::Tensor"]
    found = {(m.kind, m.function.symbol) for m in tensor.members}
    assert ("destructor", "_ZN6linnet6TensorD1Ev") in found
    assert ("method", "_ZNK6linnet6Tensor4dataEv") in found
    assert not any("Impl" in p.type.spelled for m in tensor.members for p in m.function.params)  # private
