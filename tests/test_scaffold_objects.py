"""What becomes of functions over vendors' objects: which calls a kernel makes, and what is said where it cannot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from helpers import ROOT, absent
from object_sdk_helpers import OPS
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.header import read_headers
from torchfl_sdk.scaffold import NewChipRequest, NewChipResult, new_chip
from torchfl_sdk.scaffold.compose.choose import dilation_offset
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycles

SDKS = ROOT / "tests" / "sdks"

#: A descriptor SDK of which every test takes away or changes one thing.
HEADER = """
#include <stddef.h>
typedef enum { AC_OK = 0, AC_BAD_PARAM = 1, AC_NOT_SUPPORTED = 2 } acStatus_t;
typedef enum { AC_FLOAT = 0, AC_HALF = 1 } acDataType_t;
typedef enum { AC_RELU = 0, AC_TANH = 1 } acActivationMode_t;
typedef struct acContext *acHandle_t;
typedef struct acTensor *acTensorDescriptor_t;
typedef struct acActivation *acActivationDescriptor_t;
acStatus_t acMalloc(void **ptr, size_t size);
acStatus_t acFree(void *ptr);
acStatus_t acMemcpyHtoD(void *dst, const void *src, size_t size);
acStatus_t acMemcpyDtoH(void *dst, const void *src, size_t size);
acStatus_t acCreate(acHandle_t *handle);
acStatus_t acDestroy(acHandle_t handle);
acStatus_t acCreateTensorDescriptor(acTensorDescriptor_t *desc);
acStatus_t acSetTensorNdDescriptor(acTensorDescriptor_t desc, acDataType_t type, int nbDims, const int dims[]);
acStatus_t acDestroyTensorDescriptor(acTensorDescriptor_t desc);
acStatus_t acCreateActivationDescriptor(acActivationDescriptor_t *desc);
acStatus_t acSetActivationDescriptor(acActivationDescriptor_t desc, acActivationMode_t mode, double coef);
acStatus_t acDestroyActivationDescriptor(acActivationDescriptor_t desc);
acStatus_t acActivationForward(acHandle_t handle, acActivationDescriptor_t actDesc, const void *alpha,
                               const acTensorDescriptor_t xDesc, const void *x, const void *beta,
                               const acTensorDescriptor_t yDesc, void *y);
"""


def run(tmp_path: Path, header: str, *, check: bool = False) -> NewChipResult:
    (tmp_path / "ac.h").write_text(header)
    return new_chip(NewChipRequest("ac", (tmp_path / "ac.h",), out=tmp_path, check=check))


def kernel(tmp_path: Path, function: str) -> str:
    text = (tmp_path / "ac" / "src" / "ac_kernels.cpp").read_text()
    return text[text.index(f"tfl_status {function}(") :].partition("\n}\n")[0]


def readme(tmp_path: Path) -> str:
    return (tmp_path / "ac" / "README.md").read_text()


def test_one_function_gives_a_kernel_for_each_mode_that_a_descriptor_holds(tmp_path: Path) -> None:
    result = run(tmp_path, HEADER)
    assert [(b.op, b.functions) for b in result.bound] == [
        ("aten::relu", ("acActivationForward",)),
        ("aten::tanh", ("acActivationForward",)),
    ]
    text = kernel(tmp_path, "ac_tanh")
    assert "acSetActivationDescriptor(act_desc, AC_TANH, 0)" in text
    assert text.index("kept_acHandle_t(call, &handle)") < text.index("vendor::acActivationForward(")
    assert "TFL_KERNEL" not in text


def test_profile_waits_for_the_probe(tmp_path: Path) -> None:
    run(tmp_path, HEADER)
    profile = (tmp_path / "ac" / "ac_device.yaml").read_text()
    assert profile.count("provenance: unverified") == 2
    assert "dtype_support: [float32, float16]" in profile


@pytest.mark.parametrize(
    ("without", "reason"),
    [
        ("acStatus_t acCreate(acHandle_t *handle);", "no function of the header makes a acContext"),
        ("acStatus_t acCreateTensorDescriptor(acTensorDescriptor_t *desc);", "header makes a acTensor"),
        (
            "acStatus_t acSetActivationDescriptor(acActivationDescriptor_t desc, acActivationMode_t mode, "
            "double coef);",
            "which op of the family it computes is not clear",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_named(tmp_path: Path, without: str, reason: str) -> None:
    assert without in HEADER
    result = run(tmp_path, HEADER.replace(without, ""))
    assert not result.bound
    assert reason in readme(tmp_path)


def test_an_enum_that_nothing_decides_leaves_the_kernel_out(tmp_path: Path) -> None:
    header = HEADER.replace(
        "typedef struct acContext", "typedef enum { AC_RED, AC_BLUE } acColour_t;\ntypedef struct acContext"
    )
    header = header.replace("acActivationMode_t mode, double", "acActivationMode_t mode, acColour_t colour, double")
    assert not run(tmp_path, header).bound
    assert "nothing says which acColour_t its argument 'colour' should be" in readme(tmp_path)


def test_an_object_without_a_destroyer_is_left_to_the_vendor(tmp_path: Path) -> None:
    header = HEADER.replace("acStatus_t acDestroyActivationDescriptor(acActivationDescriptor_t desc);", "")
    result = run(tmp_path, header, check=find_compiler() is not None)
    assert len(result.bound) == 2
    assert "torchfl::owned<acActivationDescriptor_t>(torchfl::NoEnd{})" in kernel(tmp_path, "ac_relu")
    assert not result.check or result.check.startswith("compiles")


#: Normalisations as one function each, and a reduction whose kind a descriptor holds.
NORMS = """
typedef enum { AC_BATCHNORM_PER_ACTIVATION = 0, AC_BATCHNORM_SPATIAL = 1 } acBatchNormMode_t;
typedef enum { AC_REDUCE_SUM = 0, AC_REDUCE_MAX = 1 } acReduceOp_t;
typedef enum { AC_NO_INDICES = 0, AC_FLATTENED_INDICES = 1 } acReduceIndices_t;
typedef enum { AC_32BIT_INDICES = 0, AC_64BIT_INDICES = 1 } acIndicesType_t;
typedef struct acReduce *acReduceDescriptor_t;
acStatus_t acCreateReduceDescriptor(acReduceDescriptor_t *desc);
acStatus_t acDestroyReduceDescriptor(acReduceDescriptor_t desc);
acStatus_t acSetReduceTensorDescriptor(acReduceDescriptor_t desc, acReduceOp_t reduceTensorOp,
                                       acDataType_t reduceTensorCompType, acReduceIndices_t reduceTensorIndices,
                                       acIndicesType_t reduceTensorIndicesType);
acStatus_t acGetReductionWorkspaceSize(acHandle_t handle, const acReduceDescriptor_t reduceDesc,
                                       const acTensorDescriptor_t aDesc, const acTensorDescriptor_t cDesc,
                                       size_t *sizeInBytes);
acStatus_t acReduceTensor(acHandle_t handle, const acReduceDescriptor_t reduceDesc, void *indices,
                          size_t indicesSizeInBytes, void *workspace, size_t workspaceSizeInBytes, const void *alpha,
                          const acTensorDescriptor_t aDesc, const void *A, const void *beta,
                          const acTensorDescriptor_t cDesc, void *C);
acStatus_t acBatchNormalizationForwardInference(acHandle_t handle, acBatchNormMode_t mode, const void *alpha,
    const void *beta, const acTensorDescriptor_t xDesc, const void *x, const acTensorDescriptor_t yDesc, void *y,
    const acTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale, const void *bnBias,
    const void *estimatedMean, const void *estimatedVariance, double epsilon);
"""


def test_normalisation_and_reductions_over_descriptors(tmp_path: Path) -> None:
    result = run(tmp_path, HEADER + NORMS, check=find_compiler() is not None)
    assert {"aten::amax", "aten::batch_norm", "aten::sum"} <= {b.op for b in result.bound}
    assert not result.check or result.check.startswith("compiles"), result.check
    text = kernel(tmp_path, "ac_batch_norm")
    assert "AC_BATCHNORM_SPATIAL" in text
    assert "torchfl::shape({1, input.sizes[1], 1, 1})" in text
    assert 'return torchfl::unsupported("the vendor\'s function wants weight")' in text
    text = kernel(tmp_path, "ac_sum")
    assert "AC_NO_INDICES, AC_32BIT_INDICES" in text
    assert text.index("acGetReductionWorkspaceSize(") < text.index("workspace.reserve(") < text.index("acReduceTensor(")
    assert "torchfl::reduced(self, call->attrs[0])" in text
    profile = (tmp_path / "ac" / "ac_device.yaml").read_text()
    assert "constraints: {training: [false]}" in profile


def test_a_transposed_convolution_is_no_convolution(tmp_path: Path) -> None:
    header = (SDKS / "vela.h").read_text().replace("vlConvolutionForward", "vlDeconvolutionForward")
    header = header.replace("vlGetConvolutionForward", "vlGetDeconvolutionForward")
    result = run(tmp_path, header)
    assert "aten::conv2d" not in {b.op for b in result.bound}
    assert "aten::relu" in {b.op for b in result.bound}


def test_images_with_channels_innermost_are_asked_of_the_router(tmp_path: Path) -> None:
    header = (SDKS / "ember.h").read_text().replace("nchw", "nhwc")
    outs = "size_t group_output_channels, "
    header = header.replace(outs, outs + "size_t input_channel_stride, size_t output_channel_stride, ")
    result = run(tmp_path, header, check=find_compiler() is not None)
    assert {"aten::conv2d", "aten::avg_pool2d"} <= {b.op for b in result.bound}
    assert not result.check or result.check.startswith("compiles"), result.check
    assert "static_cast<size_t>(input.sizes[1]), static_cast<size_t>(out.sizes[1])," in kernel(tmp_path, "em_conv2d")
    assert "static_cast<size_t>(self.sizes[1])" in kernel(tmp_path, "em_avg_pool2d")
    text = (tmp_path / "ac" / "ac_device.yaml").read_text()
    assert text.count("layout: channels_last") == 2
    assert 'TFL_KERNEL_NHWC, "em_conv2d"' in (tmp_path / "ac" / "src" / "ac_chip.gen.cpp").read_text()


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_op_of_the_simulated_sdks_is_bound(tmp_path: Path, name: str) -> None:
    (tmp_path / "ac.h").write_text((SDKS / f"{name}.h").read_text())
    result = new_chip(NewChipRequest("ac", (tmp_path / "ac.h",), out=tmp_path))
    assert {b.op.removeprefix("aten::") for b in result.bound} == OPS[name]
    unbound = readme(tmp_path)
    assert "not generated yet" not in unbound


def test_a_kernel_that_a_person_took_out_takes_its_symbols_and_no_others(tmp_path: Path) -> None:
    if find_compiler() is None:
        absent("no C++ compiler")
    run(tmp_path, HEADER)
    source = tmp_path / "ac" / "src" / "ac_kernels.cpp"
    text = source.read_text()
    start = text.index("// aten::relu")
    source.write_text(text[:start] + text[text.index("// aten::tanh") :])
    request = NewChipRequest("ac", (tmp_path / "ac.h",), out=tmp_path, check=True, on_conflict="merge")
    again = new_chip(request)
    assert {b.op for b in again.bound} == {"aten::tanh"}
    assert again.check.startswith("compiles")
    assert "ac_relu" not in source.read_text()


def test_dilations_count_from_what_the_comments_say(tmp_path: Path) -> None:
    silent, zero = "/** dilation: of the window */", "/** @param d Dilations. A zero value means no dilation in it. */"
    text = f"{silent}\nint zz_pool(const int *dilation);\n{{}}\nint zz_conv(const int *dilation);\n"
    for comment, expected in ((zero, -1), ("/** dilation: 1 for a dense kernel */", 0)):
        header = tmp_path / "zz.h"
        header.write_text(text.format(comment))
        model = read_headers([header])
        for function in model.functions:  # the silent one follows the other
            assert dilation_offset(model, function.comment) == expected


def test_lifecycles_are_found_whatever_typedefs_objects_come_with(tmp_path: Path) -> None:
    header = tmp_path / "lc.h"
    header.write_text(
        "typedef struct lc_thing *lc_thing_t;\ntypedef const struct lc_thing *const_lc_thing_t;\n"
        "int lc_thing_create(lc_thing_t *thing, int n);\n"
        "int lc_thing_clone(lc_thing_t *thing, const_lc_thing_t from);\n"
        "int lc_thing_set_n(lc_thing_t thing, int n);\nint lc_thing_destroy(lc_thing_t thing);\n"
    )
    life = Lifecycles(read_headers([header])).by_key("lc_thing")
    assert life is not None
    assert life.ctype == "lc_thing_t"
    assert [f.name for f in life.makers] == ["lc_thing_create"]  # a clone is made from what is not there yet
    assert [f.name for f in life.fillers] == ["lc_thing_set_n"]
    assert life.end is not None
    assert life.end.name == "lc_thing_destroy"


PROGRAM = r"""
#include <cassert>
#include <string>
#include <thread>
#include "torchfl/objects.hpp"

static std::string seen;
static int things[3];
static tfl_status vendor_alloc(int32_t, uint64_t, void** handle) { *handle = things; seen += "a"; return TFL_OK; }
static tfl_status vendor_free(int32_t, void*) { seen += "f"; return TFL_OK; }
static tfl_status vendor_synchronize(int32_t) { seen += "s"; return TFL_OK; }
struct End {
  void operator()(int* p) const { seen += std::to_string(*p); }
  explicit operator bool() const { return true; }
};
struct Absent {
  void operator()(int*) const { seen += "!"; }
  explicit operator bool() const { return false; }
};

static tfl_status fails_half_way() {
  auto first = torchfl::owned<int*>(End{});
  TFL_TRY(first.take(&things[1]));
  auto second = torchfl::owned<int*>(End{});
  TFL_TRY(second.take(nullptr));
  seen += "never";
  return TFL_OK;
}

int main() {
  things[0] = 0, things[1] = 1, things[2] = 2;
  assert(fails_half_way() == TFL_UNSUPPORTED && seen == "1");
  seen.clear();
  {
    auto released = torchfl::owned<int*>(End{});
    *released.out() = &things[1];
    released.release();
    auto orphan = torchfl::owned<int*>(Absent{});
    *orphan.out() = &things[1];
  }
  assert(seen.empty());

  tfl_device_api api{};
  api.alloc = vendor_alloc, api.free = vendor_free, api.synchronize = vendor_synchronize;
  tfl_call call{};
  {
    torchfl::Workspace none(api, call);
    assert(none.reserve(0) == TFL_OK && none.data() == nullptr);
    torchfl::Workspace some(api, call);
    assert(some.reserve(16) == TFL_OK && some.data() == things);
  }
  assert(seen == "asf");  // the queue is waited for before the memory goes
  seen.clear();

  static const char older = 0, younger = 0;
  int made = 0, *object = nullptr;
  const auto make = [&](int** out) -> tfl_status { *out = &things[++made]; return TFL_OK; };
  const auto end = [](int* p) { seen += std::to_string(*p); };
  torchfl::Kept& kept = torchfl::Kept::all();
  assert(kept.get(&older, 0, &object, make, end) == TFL_OK && object == &things[1]);
  assert(kept.get(&younger, 0, &object, make, end) == TFL_OK && object == &things[2]);
  assert(kept.get(&older, 0, &object, make, end) == TFL_OK && object == &things[1] && made == 2);
  for (const char* gone : {"1", "11"}) {  // a thread of its own gives its own back, and the next gets another
    std::thread([&] { made = 0; assert(kept.get(&older, 0, &object, make, end) == TFL_OK && made == 1); }).join();
    assert(seen == gone);
  }
  seen.clear();
  kept.clear();
  assert(seen == "21");  // the youngest first
  assert(kept.get(&older, 1, &object, [](int**) -> tfl_status { return TFL_DEVICE_ERROR; }, end) == TFL_DEVICE_ERROR);
  kept.clear();
  assert(seen == "21");

  const int64_t sizes[] = {2, 3, 5};
  tfl_tensor t{};
  t.rank = 3, t.numel = 30, t.sizes = sizes;
  const torchfl::Shape whole = torchfl::whole(t), middle = torchfl::around(t, -2), flat = torchfl::flat(t);
  assert(whole.rank == 3 && whole.strides[0] == 15 && whole.strides[1] == 5 && whole.strides[2] == 1);
  assert(middle.sizes[0] == 2 && middle.sizes[1] == 3 && middle.sizes[2] == 5 && middle.sizes[3] == 1);
  assert(flat.rank == 4 && flat.sizes[3] == 30 && torchfl::from_front(t, -1) == 2);
  const int64_t listed[] = {-1, 0};
  tfl_attr dims{};
  dims.kind = TFL_ATTR_INT_LIST, dims.list = listed, dims.count = 2;
  const torchfl::Shape some_left = torchfl::reduced(t, dims);
  assert(some_left.sizes[0] == 1 && some_left.sizes[1] == 3 && some_left.sizes[2] == 1 && some_left.strides[0] == 3);
  dims.count = 0;
  assert(torchfl::reduced(t, dims).sizes[1] == 1);
  t.rank = 9;
  assert(torchfl::whole(t).rank == 0);
  torchfl::Extents<int> narrow;
  const int64_t wide[] = {int64_t{1} << 40};
  assert(!narrow.fill(wide, 1));
  const torchfl::Factor single(TFL_F32, 0.5), both(TFL_F64, 0.5);
  assert(*static_cast<const float*>(single.data()) == 0.5f && *static_cast<const double*>(both.data()) == 0.5);
}
"""


def test_objects_are_given_back_on_every_path(tmp_path: Path) -> None:
    compiler = find_compiler()
    if compiler is None:
        absent("no C++ compiler")
    source = tmp_path / "objects.cpp"
    source.write_text(PROGRAM)
    include = ROOT / "runtime_core" / "include"
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", include, source, "-o", tmp_path / "objects"]
    subprocess.run([*command, "-pthread", "-ldl"], check=True)
    subprocess.run([tmp_path / "objects"], check=True)


#: Descriptions that are structs of the caller, from which something that runs is made.
STRUCTS = """
#include <stddef.h>
typedef enum { AC_OK = 0, AC_BAD_PARAM = 1, AC_NOT_SUPPORTED = 2 } acStatus_t;
typedef enum { AC_FLOAT = 0, AC_DOUBLE = 1 } acDataType_t;
typedef enum { AC_ELTWISE_TANH = 0, AC_ELTWISE_ABS = 1 } acAlgKind_t;
typedef struct { int rank; long dims[6]; long strides[6]; acDataType_t type; } acTensorDesc;
typedef struct { acAlgKind_t kind; acTensorDesc data; float alpha, beta; } acEltwiseDesc;
typedef struct acEngine *acEngine_t;
typedef struct acStream *acStream_t;
typedef struct acMemory *acMemory_t;
typedef struct acPrimitiveDesc *acPrimitiveDesc_t;
typedef struct acPrimitive *acPrimitive_t;
typedef struct { int arg; acMemory_t memory; } acArg_t;
#define AC_ARG_SRC 1
#define AC_ARG_DST 2
acStatus_t ac_malloc(void **ptr, size_t size);
acStatus_t ac_free(void *ptr);
acStatus_t ac_memcpy_htod(void *dst, const void *src, size_t size);
acStatus_t ac_memcpy_dtoh(void *dst, const void *src, size_t size);
acStatus_t ac_engine_create(acEngine_t *engine, int index);
acStatus_t ac_engine_destroy(acEngine_t engine);
acStatus_t ac_tensor_desc_init(acTensorDesc *tensor_desc, int rank, const long *dims, acDataType_t data_type,
                               const long *strides);
acStatus_t ac_memory_create(acMemory_t *memory, const acTensorDesc *tensor_desc, acEngine_t engine, void *handle);
acStatus_t ac_memory_destroy(acMemory_t memory);
acStatus_t ac_eltwise_forward_desc_init(acEltwiseDesc *eltwise_desc, acAlgKind_t alg_kind,
                                        const acTensorDesc *data_desc, float alpha, float beta);
acStatus_t ac_primitive_desc_create(acPrimitiveDesc_t *primitive_desc, const void *op_desc, acEngine_t engine);
acStatus_t ac_primitive_desc_destroy(acPrimitiveDesc_t primitive_desc);
acStatus_t ac_primitive_create(acPrimitive_t *primitive, acPrimitiveDesc_t primitive_desc);
acStatus_t ac_primitive_destroy(acPrimitive_t primitive);
/* A stream of NULL is the default stream. */
acStatus_t ac_primitive_execute(acPrimitive_t primitive, acStream_t stream, int nargs, const acArg_t *args);
"""


def test_descriptions_that_are_structs_of_the_caller_live_in_the_kernel(tmp_path: Path) -> None:
    result = run(tmp_path, STRUCTS, check=find_compiler() is not None)
    assert {b.op for b in result.bound} == {"aten::abs", "aten::tanh"}
    assert not result.check or result.check.startswith("compiles"), result.check
    text = kernel(tmp_path, "ac_tanh")
    assert (
        "  acTensorDesc self_desc{};\n  TFL_TRY(make_acTensorDesc(call, self, torchfl::flat(self), &self_desc));"
        in text
    )
    assert "ac_eltwise_forward_desc_init(&eltwise_desc, AC_ELTWISE_TANH, &self_desc, 0, 0)" in text
    assert "ac_primitive_desc_create(description.out(), &eltwise_desc, engine)" in text
    assert "{AC_ARG_SRC, self_object}, {AC_ARG_DST, out_object}" in text


def test_a_filled_struct_is_given_back_where_the_header_says_how(tmp_path: Path) -> None:
    header = STRUCTS + "void ac_tensor_desc_destroy(acTensorDesc *tensor_desc);\n"
    result = run(tmp_path, header, check=find_compiler() is not None)
    assert len(result.bound) == 2
    assert not result.check or result.check.startswith("compiles"), result.check
    text = kernel(tmp_path, "ac_tanh")
    made, end = text.index("make_acTensorDesc("), text.index("TFL_TRY(self_desc_end.take(&self_desc));")
    assert made < text.index("torchfl::owned<acTensorDesc*>(vendor::ac_tensor_desc_destroy)") < end


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            ("acStatus_t ac_engine_create", "acTensorDesc *ac_tensor_desc_new(void);\nacStatus_t ac_engine_create"),
            "no function of the header makes a acTensorDesc",
        ),
        (("const void *op_desc", "const void *op"), "no function makes from its description something that runs"),
        (
            ("acEltwiseDesc;", "acEltwiseDesc, acOpDesc;\nacStatus_t ac_best_desc_create(acOpDesc **best);"),
            "for which no kernel has room",
        ),
    ],
)  # fmt: skip
def test_structs_that_are_not_the_callers_or_lead_nowhere(tmp_path: Path, change: tuple[str, str], reason: str) -> None:
    assert change[0] in STRUCTS
    assert not run(tmp_path, STRUCTS.replace(*change)).bound
    assert reason in readme(tmp_path)


def test_zero_may_mean_no_dilation_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "ac.h").write_text("void ac_f(int n);\n")
    model = read_headers((tmp_path / "ac.h",))
    assert dilation_offset(model, "A dilation of zero means no dilation.") == -1
    assert dilation_offset(model, "A dilation of one means no dilation. Zero is refused.") == 0
