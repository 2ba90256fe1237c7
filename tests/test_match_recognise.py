"""The recogniser over small headers in the styles of real SDKs; and the header features they need."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from header_helpers import REPOSITORY, matched
from torchfl import catalogue
from torchfl_sdk.header import HeaderModel, read_headers
from torchfl_sdk.match import MatchResult, match
from torchfl_sdk.match.model import OpMatch

HEADERS = REPOSITORY / "tests" / "headers"


@lru_cache(maxsize=16)
def read(name: str) -> HeaderModel:
    return read_headers([HEADERS / name])


@lru_cache(maxsize=16)
def result(name: str) -> MatchResult:
    return match(read(name), catalogue.OPS)


def ops(header: str, function: str) -> dict[str, OpMatch]:
    return {m.aten: m for m in result(header).matches if m.function == function}


def one(header: str, function: str) -> OpMatch:
    found = ops(header, function)
    assert len(found) == 1, f"{function}: {sorted(found)}"
    return next(iter(found.values()))


def reason(header: str, function: str) -> str:
    return next(u.reason for u in result(header).unbound if u.function == function)


@pytest.mark.parametrize(
    ("function", "aten", "roles"),
    [
        ("tpnnAddGetWorkspaceSize", "aten::add.Tensor", "input input2 alpha output workspace_size plan"),
        ("tpnnAdd", "aten::add.Tensor", "workspace workspace_size plan stream"),
        ("tpnnInplaceAddGetWorkspaceSize", "aten::add_.Tensor", "inout input2 alpha workspace_size plan"),
        (
            "tpnnConvolutionGetWorkspaceSize",
            "aten::convolution",
            "input weight bias stride padding dilation groups output workspace_size plan",
        ),
        ("tpnnReduceSumGetWorkspaceSize", "aten::sum.dim_IntList", "input dims keepdim output workspace_size plan"),
        ("tpnnCatGetWorkspaceSize", "aten::cat", "list.input axis output workspace_size plan"),
    ],
)
def test_two_phase(function: str, aten: str, roles: str) -> None:
    found = one("two_phase.h", function)
    assert found.aten == aten
    assert [role for _, role in found.arguments] == roles.split()
    assert not found.complete
    assert reason("two_phase.h", function).startswith(f"matched {aten}; ")


def test_an_enum_in_a_descriptor_chooses_the_op() -> None:
    found = ops("descriptor.h", "dsActivationForward")
    chosen = {aten: m.constants for aten, m in found.items()}
    assert chosen == {
        "aten::sigmoid": (("actDesc: mode", "DS_ACTIVATION_LOGISTIC"),),
        "aten::tanh": (("actDesc: mode", "DS_ACTIVATION_TANH"),),
        "aten::relu": (("actDesc: mode", "DS_ACTIVATION_RELU"),),
        "aten::clamp": (("actDesc: mode", "DS_ACTIVATION_CLIPPED_RELU"),),
        "aten::elu": (("actDesc: mode", "DS_ACTIVATION_ELU"),),
    }
    roles = "handle desc.activation alpha desc.input input beta desc.output output"
    assert [role for _, role in found["aten::relu"].arguments] == roles.split()


def test_an_enum_argument_chooses_the_reduction_and_amax_is_of_absolute_values_beside_max() -> None:
    found = ops("descriptor.h", "dsReduce")
    assert {aten: m.constants[0][1] for aten, m in found.items()} == {
        "aten::sum": "DS_REDUCE_ADD",
        "aten::prod": "DS_REDUCE_MUL",
        "aten::max": "DS_REDUCE_MAX",
        "aten::mean": "DS_REDUCE_AVG",
    }


@pytest.mark.parametrize(
    ("function", "aten", "roles"),
    [
        (
            "dsConvolutionForward",
            "aten::convolution",
            "handle desc.input input desc.weight weight workspace workspace_size desc.output output",
        ),
        (
            "dsIndexSelect",
            "aten::index_select",
            "handle axis desc.input input desc.indices indices desc.output output",
        ),
        ("dsTopK", "aten::topk", "handle desc.input input k axis desc.output output desc.indices indices"),
        (
            "dsLayerNormForward",
            "aten::native_layer_norm",
            "handle desc.input input weight bias eps desc.output output save_mean save_rstd",
        ),
    ],
)
def test_descriptors(function: str, aten: str, roles: str) -> None:
    found = one("descriptor.h", function)
    assert found.aten == aten
    assert found.style == "descriptor"
    assert [role for _, role in found.arguments] == roles.split()


@pytest.mark.parametrize(
    "function",
    [
        "dsConvolutionBiasActivationForward",  # fused
        "dsGetConvolutionForwardWorkspaceSize",  # asks, computes nothing
        "dsCreateTensorDescriptor",
        "dsSetActivationDescriptor",
    ],
)
def test_descriptor_functions_that_are_no_op(function: str) -> None:
    assert ops("descriptor.h", function) == {}


def test_wide_runtime_roles() -> None:
    best: dict[str, str] = {}
    for entry in result("descriptor.h").roles:
        best.setdefault(entry.role, entry.function)
    assert best["handle_create"] == "dsCreate"
    assert best["handle_destroy"] == "dsDestroy"
    assert best["tensor_desc_create"] == "dsCreateTensorDescriptor"
    assert best["workspace_query"] == "dsGetConvolutionForwardWorkspaceSize"
    assert "malloc" not in best
    assert "free" not in best


@pytest.mark.parametrize(
    ("function", "aten", "roles"),
    [
        ("pt_vadd", "aten::add.Tensor", "input inc.input input2 inc.input2 output inc.output numel"),
        ("pt_vsub", "aten::sub.Tensor", "input2 inc.input2 input inc.input output inc.output numel"),
        ("pt_scale", "aten::mul.Scalar", "inout scalar numel"),
        ("pt_argmax", "aten::argmax", "input numel"),
        ("pt_dot", "aten::dot", "input input2 numel"),
        ("pt_where", "aten::where.self", "condition input input2 output numel"),
        ("pt_max", "aten::max", "input output numel"),
        ("pt_maximum", "aten::maximum", "input input2 output numel"),
        ("pt_transpose", "aten::permute", "input output m n"),
        ("pt_uniform", "aten::uniform_", "output numel min max seed"),
        ("pt_softmax", "aten::_softmax", "inout numel"),
    ],
)
def test_pointers(function: str, aten: str, roles: str) -> None:
    found = one("pointers.h", function)
    assert found.aten == aten
    assert [role for _, role in found.arguments] == roles.split()


def test_affine_parameters_of_a_norm_are_tensors_although_one_is_called_beta() -> None:
    roles = dict(one("pointers.h", "pt_layernorm").arguments)
    assert (roles["gamma"], roles["beta"], roles["eps"]) == ("weight", "bias", "eps")


def test_a_comment_lists_the_ops_of_an_int() -> None:
    found = ops("pointers.h", "pt_ew")
    assert {aten: m.constants for aten, m in found.items()} == {
        "aten::add.Tensor": (("op", "0"),),
        "aten::sub.Tensor": (("op", "1"),),
        "aten::mul.Tensor": (("op", "2"),),
    }


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("pt_conv2d_bias_relu", "fused"),
        ("pt_sasum", "absolute values"),
        ("pt_caxpy", "complex"),
    ],
)
def test_false_friends(function: str, says: str) -> None:
    assert ops("pointers.h", function) == {}
    assert says in reason("pointers.h", function)


def test_a_quantised_form_is_recognised_and_said_to_be_one() -> None:
    found = one("pointers.h", "pt_add_q8")
    assert found.aten == "aten::add.Tensor"
    assert not found.complete
    assert "quantised" in found.lacking


@pytest.mark.parametrize(
    ("function", "aten", "roles"),
    [
        # steps beside the pointers; the minuend is the second operand, as only the comment says
        ("vk_vsub", "aten::sub.Tensor", "input2 inc.input2 input inc.input output inc.output numel"),
        # a pointer to constants without a step is one number
        ("vk_vsmul", "aten::mul.Scalar", "input inc.input scalar output inc.output numel"),
        ("vk_vclip", "aten::clamp", "input inc.input min max output inc.output numel"),
        ("vk_vflt32", "aten::_to_copy", "input inc.input output inc.output numel"),
        ("vk_vsort", "aten::sort", "inout numel"),
        # fixed point, an instruction set at the end of the name, sizes in the name
        (
            "mc_conv_1x1_s8_zx9",
            "aten::convolution",
            "ctx params shape.input input shape.weight weight shape.output output",
        ),
        ("mc_relu_q7_zx9", "aten::relu_", "inout numel"),
        ("mc_add_s8_zx9", "aten::add.Tensor", "input input2 output numel"),
        # what runs into the op's name, pairs of element types, words that say nothing that is known
        ("gl_vecadd_sp", "aten::add.Tensor", "input input2 output numel"),
        ("gl_expsp_v", "aten::exp", "input output numel"),
        ("gl_addc_float", "aten::add.Scalar", "output input scalar numel"),
        ("gl_elm_mul_f32xf32_f32", "aten::mul.Tensor", "output input input2 numel"),
        ("gl_sigmoid_qp2_thing", "aten::sigmoid", "input output numel"),
        (
            "gl_avgpool_f32",
            "aten::avg_pool2d",
            "output input in_h in_w channels kernel_h kernel_w stride_w stride_h pad_w pad_h out_h out_w workspace",
        ),
        ("gl_matrixf_mul_elements", "aten::mul.Tensor", "input input2 output numel"),
        # objects passed by handle: the one passed by address is the result
        ("oh_add", "aten::add.Tensor", "output input input2"),
        ("oh_product", "aten::prod.dim_int", "output input axis"),
        # a library's part behind its prefix, and structs that hold data with its extent
        ("vg_blas_sgemm", "aten::addmm", "trans.input trans.input2 alpha input input2 beta inout"),
        ("vg_blas_sdot", "aten::dot", "input input2 output"),
        ("vg_vec_add", "aten::add_.Tensor", "inout input2"),
    ],
)
def test_vector_libraries(function: str, aten: str, roles: str) -> None:
    found = one("vectors.h", function)
    assert found.aten == aten
    assert [role for _, role in found.arguments] == roles.split()


@pytest.mark.parametrize(
    ("function", "aten"),
    [("pf_add_f32", "aten::add.Tensor"), ("pf_table::exp", "aten::exp"), ("pf_table::relu", "aten::relu")],
)
def test_pointers_to_functions_are_functions(function: str, aten: str) -> None:
    assert one("vectors.h", function).aten == aten


@pytest.mark.parametrize(
    ("function", "ops_", "roles"),
    [
        ("CFActivationLayer", "aten::sigmoid aten::tanh aten::relu", "input output desc.activation"),
        (
            "CFReductionOperation",
            "aten::mean.dim aten::sum.dim_IntList aten::amin aten::amax",
            "input output axis op_kind keepdim",
        ),
        ("CFConcatenateLayer", "aten::cat", "list.input output axis"),
        ("CFPermute", "aten::permute", "input output dims"),
        ("CFGEMM", "aten::addmm", "input input2 inout output alpha beta"),
        ("Pow", "aten::pow.Tensor_Tensor", "stream"),
        ("Convolution", "aten::convolution_backward", "grad_input grad_output weight"),
    ],
)
def test_objects_that_are_ops(function: str, ops_: str, roles: str) -> None:
    found = [m for m in result("configured.hpp").matches if m.function.startswith(f"cf::{function}::")]
    assert {m.aten for m in found} == set(ops_.split())
    assert [r for _, r in found[0].arguments] == roles.split()


def test_functions_for_use_inside_a_kernel_serve_no_eager_op() -> None:
    found = result("inside.h")
    assert found.matches == ()
    assert "inside a kernel" in found.eager.reason


@pytest.mark.parametrize(
    "function",
    [
        "gl_sigmoid_spectrum_thing",
        "gl_add_conj_thing",
        "gl_copy_odd_thing",
        "gl_swi_glu",
        "gl_matrixf_div",
        "gl_polyf_mul",
    ],
)
def test_unknown_words_beside_words_that_change_an_op_are_refused(function: str) -> None:
    assert ops("vectors.h", function) == {}


def test_products_of_matrices() -> None:
    assert one("vectors.h", "gl_matrixf_mul").aten == "aten::mm"
    assert one("vectors.h", "gl_matrixf_inv").aten == "aten::linalg_inv"


def test_a_model_runner_serves_no_eager_op() -> None:
    found = result("runner.h")
    assert found.matches == ()
    assert "runs a whole model" in found.eager.reason


def test_a_copy_of_bytes_is_the_runtime_s() -> None:
    assert ops("pointers.h", "pt_copy") == {}
    assert {r.role for r in result("pointers.h").roles if r.function == "pt_copy"} == {"memcpy"}


def test_array_objects_and_operators() -> None:
    assert [r for _, r in one("objects.h", "ob_add").arguments][:3] == ["output", "input", "input2"]
    assert one("objects.h", "ob_sum").aten == "aten::sum.dim_IntList"
    assert one("objects.h", "ob_create_relu_nc_f32").aten == "aten::relu"
    setup = one("objects.h", "ob_setup_relu_nc_f32")
    assert [r for _, r in setup.arguments] == ["op", "batch", "input", "output"]
    best = {r.role: r.function for r in reversed(result("objects.h").roles)}
    assert (best["execute"], best["op_destroy"]) == ("ob_run_operator", "ob_delete_operator")


def test_a_graph_builder_serves_no_eager_op() -> None:
    found = result("graph.hpp")
    assert found.matches == ()
    assert not found.eager.usable
    assert "builds a graph" in found.eager.reason
    assert "torch.compile" in found.eager.offer


def test_templates_overloads_and_methods() -> None:
    model = read("templates.hpp")
    assert [f.name for f in model.functions] == ["tm::add", "tm::relu", "tm::relu"]
    assert [m.name for m in model.methods] == ["tm::Engine::MatMul"]
    found = result("templates.hpp")
    assert [(m.function, m.aten) for m in found.matches] == [
        ("tm::add", "aten::add.Tensor"),
        ("tm::relu", "aten::relu"),
        ("tm::relu", "aten::relu"),
        ("tm::Engine::MatMul", "aten::matmul"),
    ]
    assert not any(m.complete for m in found.matches)


def test_a_platform_macro_is_proposed_and_what_only_cpp_sees_is_read() -> None:
    model = read("platform.h")
    assert model.defines == ("PF_TARGET_EDGE",)
    assert [f.name for f in model.functions] == ["pf_add", "pf_mul"]
    assert {f.linkage for f in model.functions} == {"c"}
    problem = next(p for p in model.problems if p.code == "TFL0313")
    assert "PF_TARGET_CLOUD" in problem.fix


def test_a_missing_type_does_not_hide_the_op(tmp_path: Path) -> None:
    found = matched(
        tmp_path,
        """
        #include <vendor/buffers.h>
        int acme_version(void);
        int acme_saxpy(int n, float alpha, const vd_mem x_buffer, int x_offset, int x_inc, vd_mem y_buffer,
                       int y_offset, int y_inc, vd_queue *queue);
        """,
    )
    match_ = next(m for m in found.matches if m.function == "acme_saxpy")
    assert match_.aten == "aten::add_.Tensor"
    assert not match_.complete
    assert "vd_mem" in match_.lacking
    assert found.bindings == ()


def test_questions_for_the_authors(tmp_path: Path) -> None:
    found = matched(
        tmp_path,
        """
        int acme_sub(const float *p, const float *q, float *r, int n);
        int acme_relu(const float *x, float *y, int n, int frobnication);
        """,
    )
    asked = {(q.function, q.argument): q for q in found.open_questions}
    assert asked["acme_sub", ""].probe
    assert "frobnication" in asked["acme_relu", "frobnication"].question


def test_structs_of_attributes_and_extents() -> None:
    found = one("params.h", "pm_convolve_f32")
    roles = "params shape.input input shape.weight weight bias shape.output output"
    assert [role for _, role in found.arguments] == roles.split()
    chosen = {aten: m.constants for aten, m in ops("params.h", "pm_activation").items()}
    assert chosen["aten::sigmoid"] == (("act_type", "PM_ACT_SIGMOID"),)
    assert set(chosen) == {"aten::relu", "aten::sigmoid", "aten::tanh"}
    assert one("params.h", "pm_layer_norm").aten == "aten::native_layer_norm"


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("pm_conv_f32", "signals"),  # a true convolution flips its kernel
        ("pm_power_f32", "lacks input2"),  # the sum of squares, as DSP libraries call it
        ("pm_reduce", "collective"),
        ("pm_all_reduce_sum", ""),
    ],
)
def test_namesakes_from_other_fields(function: str, says: str) -> None:
    assert ops("params.h", function) == {}
    assert says in reason("params.h", function)


def test_an_op_that_is_a_class() -> None:
    found = ops("classes.hpp", "oc::Unary::Run")
    assert set(found) == {"aten::relu", "aten::sigmoid", "aten::pow.Tensor_Scalar"}
    assert found["aten::relu"].constants == (("oc::Unary::SetMode: mode", "RELU"),)
    assert [r for _, r in one("classes.hpp", "oc::MatMul::Run").arguments] == ["handle", "output", "input", "input2"]


def test_a_runtime_with_memory_by_value() -> None:
    found = result("edge_runtime.h")
    best = {r.role: r.function for r in reversed(found.roles)}
    wanted = {
        "device_count": "ed_dev_getcount",
        "malloc": "ed_malloc_device_byte",
        "free": "ed_free_device",
        "memcpy_h2d": "ed_memcpy_s2d",
        "memcpy_d2h": "ed_memcpy_d2s",
        "memset": "ed_memset_device",
        "device_sync": "ed_thread_sync",
    }
    assert {role: best.get(role) for role in wanted} == wanted
    assert found.status.success == "ED_SUCCESS"
    roles = "handle trans.input trans.input2 m n k alpha input ld.input input2 ld.input2 beta inout ld.inout"
    assert [r for _, r in one("edge_runtime.h", "edcv_gemm").arguments] == roles.split()


def test_every_match_says_why_and_every_complete_one_has_a_binding() -> None:
    for name in sorted(p.name for p in HEADERS.iterdir()):
        found = result(name)
        bound = {c.function for b in found.bindings for c in b.calls}
        for m in found.matches:
            assert m.evidence
            assert 0.5 < m.confidence <= 1
            assert m.complete == (m.function in bound)
            assert m.complete or m.lacking


@pytest.mark.parametrize("name", ["acme_", "_", "__", "acme__"])
def test_a_name_without_words_of_its_own_serves_no_op(name: str, tmp_path: Path) -> None:
    named = ("acme_add", "acme_mul", "acme_sub", "acme_relu", "acme_exp", name)
    text = "\n".join(f"int {n}(const float* a, float* out, int n);" for n in named)
    found = matched(tmp_path, text)
    assert {m.function for m in found.matches} >= {"acme_relu", "acme_exp"}
    assert name in {u.function for u in found.unbound}


@pytest.mark.parametrize(
    "text",
    [
        "int acme_add(const float* _, float* __, int n); int acme_relu(const float* _, float* __, int n);",
        "typedef struct _ { int _; float* __; } _; int acme_add(_* a, _* __); int acme_relu(_* a, _* __);",
        "enum _ { __ = 0 }; enum _ acme_relu(float* a, int n, enum _ __); enum _ acme_malloc(void** _, int n);",
    ],
)
def test_names_without_words_are_read(text: str, tmp_path: Path) -> None:
    found = matched(tmp_path, text)
    assert {m.function for m in found.matches} | {u.function for u in found.unbound} >= {"acme_relu"}


def test_members_of_a_class_without_a_name_serve_no_op(tmp_path: Path) -> None:
    members = "".join(f"int acme_{op}(const float* a, float* out, int n); " for op in ("relu", "exp", "tanh", "abs"))
    header = tmp_path / "acme.hpp"
    header.write_text(f"namespace acme {{ int relu(const float* a, float* out, int n); struct {{ {members}}} table; }}")
    model = read_headers([header])
    assert [f.name for f in (*model.functions, *model.methods)] == ["acme::relu"]
    assert {e.name: e.reason for e in model.excluded}["acme_relu"] == "a member of a class that has no name"
    assert {m.function for m in match(model, catalogue.OPS).matches} == {"acme::relu"}


def test_a_table_of_functions_without_a_name_is_called_a_table(tmp_path: Path) -> None:
    table = "".join(
        f"int (*{op})(const float* in, float* out, int n); " for op in ("exp", "tanh", "sqrt", "abs", "log")
    )
    header = tmp_path / "acme.h"
    header.write_text(
        f"struct acme_api {{ int version; struct {{ {table}}} math; }};\nint acme_get(struct acme_api** api);"
    )
    model = read_headers([header])
    assert {f.name for f in model.methods} == {f"table::{op}" for op in ("exp", "tanh", "sqrt", "abs", "log")}
    match(model, catalogue.OPS)


def test_a_vector_s_letter_ends_where_the_op_s_word_begins(tmp_path: Path) -> None:
    """``VsInv`` is Inv of single floats, and no sin between two letters of vectors."""
    text = "#include <stddef.h>\n" + "".join(
        f"int vk{name}(size_t n, const {type_} *a, {type_} *y);\n"
        for name, type_ in (("VsInv", "float"), ("VdInv", "double"), ("VsSin", "float"), ("VsAbs", "float"))
    )
    found = {m.function: m.aten for m in matched(tmp_path, text).matches}
    assert found == {
        "vkVsInv": "aten::reciprocal",
        "vkVdInv": "aten::reciprocal",
        "vkVsSin": "aten::sin",
        "vkVsAbs": "aten::abs",
    }
