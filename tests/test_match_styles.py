"""Headers of other vendors' habits: element types in names, argument order, statuses, matrices, tensor structs."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched, reason, roles

TENSOR = """
typedef enum { ACME_F32, ACME_F16, ACME_I8 } acme_type;
typedef struct { acme_type type; int rank; long shape[8]; long strides[8]; void *buffer; } acme_tensor;
"""


def test_element_type_in_the_name_and_proved_by_the_pointers(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stdint.h>
        typedef uint16_t acme_half;
        int acme_add_f32(const float *a, const float *b, float *c, int n);
        int acme_add_f64(const double *a, const double *b, double *c, int n);
        int acme_add_f16(const acme_half *a, const acme_half *b, acme_half *c, int n);
        int acme_add_s8(const int8_t *a, const int8_t *b, int8_t *c, int n);
        int acme_relu_bf16(const void *x, void *y, int n);
        """,
    )
    add = result.binding("aten::add")
    assert add is not None
    assert add.impl == "acme_add"
    assert [(c.dtypes, c.dtypes_proved) for c in add.calls] == [
        (("float32",), True),
        (("float64",), True),
        (("float16",), True),
        (("int8",), True),
    ]
    relu = result.binding("aten::relu")
    assert relu is not None
    assert relu.calls[0].dtypes == ("bfloat16",)
    assert not relu.calls[0].dtypes_proved, "only the name says so"


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("int acme_vec_mul_f32(float *dst, const float *a, const float *b, int n);", ["out", "self", "other", "numel"]),
        ("int acmeMulF32(int n, const float *a, const float *b, float *c);", ["numel", "self", "other", "out"]),
        (
            "void acme_mul_float(int count, float *out, const float *a, const float *b);",
            ["numel", "out", "self", "other"],
        ),
        ("void acme_mul(float *a, float *b, float *out, unsigned n);", ["self", "other", "out", "numel"]),
        ("void acme_smul(const float *a, const float *b, float *y, int n);", ["self", "other", "out", "numel"]),
        (
            "int acmeMul_32f(const float *pSrc1, const float *pSrc2, float *pDst, int len);",
            ["self", "other", "out", "numel"],
        ),
    ],
)
def test_names_and_orders(tmp_path: Path, declaration: str, expected: list[str]) -> None:
    result = matched(tmp_path, declaration + "\nint acme_start(void);\nint acme_stop(int a, int b);\n")
    assert roles(result, "aten::mul") == expected
    binding = result.binding("aten::mul")
    assert binding is not None
    assert binding.calls[0].dtypes == ("float32",)


@pytest.mark.parametrize(
    ("comment", "swapped"),
    [
        ("c = b - a", True),
        ("c = a - b", False),
        ("Subtracts a from b", True),
        ("subtract the vector b from a", False),
        ("c[i] = b[i] - a[i]", True),
        ("element-wise difference", False),
    ],
)
def test_reversed_operands_documented_in_a_comment(tmp_path: Path, comment: str, swapped: bool) -> None:
    result = matched(tmp_path, f"/* {comment} */\nint acme_sub(const float *a, const float *b, float *c, int n);\n")
    expected = ["other", "self"] if swapped else ["self", "other"]
    assert roles(result, "aten::sub")[:2] == expected


def test_division_by_parameter_names(tmp_path: Path) -> None:
    result = matched(tmp_path, "int acme_div(const float *divisor, const float *dividend, float *quotient, int n);\n")
    assert roles(result, "aten::div")[:2] == ["other", "self"]


@pytest.mark.parametrize(
    ("text", "ctype", "success"),
    [
        (
            "typedef int acme_rc;\n#define ACME_OK 0\nacme_rc acme_relu(const float *x, float *y, int n);",
            "acme_rc",
            "ACME_OK",
        ),
        ("int acme_relu(const float *x, float *y, int n);", "int", "0"),
        ("void acme_relu(const float *x, float *y, int n);", "", ""),
        (
            "typedef enum { acmeErrorNoMemory = -3, acmeNoError = 0 } acmeError;\n"
            "acmeError acme_relu(const float *x, float *y, int n);",
            "acmeError",
            "acmeNoError",
        ),
    ],
)
def test_statuses(tmp_path: Path, text: str, ctype: str, success: str) -> None:
    result = matched(tmp_path, text)
    assert (result.status.ctype, result.status.success) == (ctype, success)
    binding = result.binding("aten::relu")
    assert binding is not None
    assert binding.calls[0].returns == ("status" if ctype else "void")
    assert bool(result.questions) == (ctype == "int"), "a plain int is a guess that a person should confirm"


def test_status_meanings_from_macros(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        "#define ACME_OK 0\n#define ACME_ERR_NOMEM -1\n#define ACME_ERR_NOT_SUPPORTED -2\n#define ACME_MAX_DIMS 8\n"
        "int acme_relu(const float *x, float *y, int n);\n",
    )
    assert dict(result.status.values) == {"ACME_ERR_NOMEM": "OUT_OF_MEMORY", "ACME_ERR_NOT_SUPPORTED": "UNSUPPORTED"}


ADD = "int acme_add({first}, const float *a, const float *b, float *c, int n);"
QUEUED = "typedef struct acme_q *acme_queue;\n" + ADD.format(first="acme_queue stream")
HANDLED = "typedef struct acme_c *acme_ctx;\n" + ADD.format(first="acme_ctx ctx")


@pytest.mark.parametrize(
    ("declaration", "says"),
    [
        ("int acme_log(int level, const char *format, ...);", "variable number of arguments"),
        ("int acme_log(const char *message);", "no tensor"),
        ("float acme_exp(float x);", "no tensor"),
        ("int acme_add(int a, int b);", "no tensor"),
        ("int acme_add_relu(const float *a, const float *b, float *c, int n);", "fused"),
        ("int acme_relu(const float *x, const float *mask, float *y, int n);", "fused: more tensors"),
        ("int acme_relu(float *x, int n);", "in place only"),
        ("int acme_add(const void *a, const void *b, void *c, int n);", "element type"),
        ("int acme_add(const float *a, const float *b, double *c, int n);", "mixes element types"),
        ("int acme_add(const float *a, const float *b, float *c, int nbytes);", "bytes"),
        ("/* size: length in bytes */ int acme_add(const float *a, const float *b, float *c, int size);", "bytes"),
        ("int acme_add(const float *a, const float *b, float *c);", "no element count"),
        ("int acme_add(float *a, float *b, float *d, int n);", "may be written"),
        ("int acme_add(const float *a, const float *b, float *c, int n, float scale);", "'scale'"),
        ("int acme_add_f16(const float *a, const float *b, float *c, int n);", "its name says float16"),
        (QUEUED, "queue"),
        (HANDLED, "other functions create"),
        ("static inline void acme_abs(const float *x, float *y, int n) { }", "no symbol"),
        ("int acme_softmax(const float *x, float *y, int n);", "extents"),
        ("int acme_exp(const signed char *x, signed char *y, int n);", "aten::exp has no int8"),
        ("int acme_cadd(const void *a, const void *b, void *c, int n);", "complex"),
        ("int acme_add(const float _Complex *a, const float _Complex *b, float _Complex *c, int n);", "complex"),
    ],
)  # fmt: skip
def test_false_friends_are_refused(tmp_path: Path, declaration: str, says: str) -> None:
    result = matched(tmp_path, declaration + "\nint acme_start_a(int a);\nint acme_stop_a(int b);\n")
    assert result.bindings == ()
    refused = [u.reason for u in result.unbound if not u.function.endswith("_a")]
    assert len(refused) == 1
    assert says in refused[0]


def test_cplusplus_functions_have_no_stable_symbol(tmp_path: Path) -> None:
    result = matched(tmp_path, "namespace acme { void relu(const float *x, float *y, int n); }\n")
    assert "C++ linkage" in reason(result, "acme::relu")


def test_two_families_for_one_op(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        int acme_add(const float *a, const float *b, float *c, int n);
        int acme_vadd(const float *a, const float *b, float *c, int n);
        """,
    )
    binding = result.binding("aten::add")
    assert binding is not None
    assert [c.function for c in binding.calls] == ["acme_add"]
    assert reason(result, "acme_vadd").endswith("aten::add is served by acme_add")


GEMM = (
    "int {ta}, int {tb}, int m, int n, int k, float alpha, "
    "const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc"
)


def test_column_major_gemm_exchanges_the_operands(tmp_path: Path) -> None:
    arguments = GEMM.format(ta="transa", tb="transb")
    result = matched(tmp_path, f"/* Column-major, as Fortran has it. */\nvoid acme_sgemm({arguments});\n")
    assert roles(result, "aten::mm") == [
        *("trans.mat2", "trans.self", "n", "m", "k", "gemm_alpha", "mat2", "ld.mat2", "self", "ld.self"),
        *("gemm_beta", "out", "ld.out"),
    ]


def test_gemm_of_unknown_order_is_refused(tmp_path: Path) -> None:
    result = matched(tmp_path, f"void acme_sgemm({GEMM.format(ta='transa', tb='transb')});\n")
    assert "row- or column-major" in reason(result, "acme_sgemm")


def test_plain_matmul_serves_mm_alone(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        "/* Row-major: C[m,n] = A[m,k] B[k,n] */\n"
        "int acme_matmul_f32(const float *A, const float *B, float *C, int m, int n, int k);\n",
    )
    binding = result.binding("aten::mm")
    assert binding is not None
    assert binding.layout == "contiguous"
    assert result.binding("aten::addmm") is None
    assert roles(result, "aten::mm") == ["self", "mat2", "out", "m", "n", "k"]


def test_scalars_by_pointer_and_character_flags(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        /* row-major */
        void acme_sgemm(char transa, char transb, const int m, const int n, const int k, const float *alpha,
                        const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
        """,
    )
    binding = result.binding("aten::addmm")
    assert binding is not None
    arguments = {a.role: a for a in binding.calls[0].arguments}
    assert arguments["gemm_alpha"].ctype == "const float *"
    assert dict(arguments["trans.mat1"].values) == {"n": "'N'", "t": "'T'"}


def test_tensor_structs_by_value_and_unnamed(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        TENSOR + "int acme_mul(const acme_tensor *a, const acme_tensor *b, acme_tensor *out);\n"
        "int acme_matmul(const acme_tensor *, const acme_tensor *, acme_tensor *);\n",
    )
    assert roles(result, "aten::mul") == ["self", "other", "out"]
    assert roles(result, "aten::mm") == ["self", "mat2", "out"]
    binding = result.binding("aten::mul")
    assert binding is not None
    layout = binding.calls[0].arguments[0].fields
    assert layout is not None
    assert (layout.struct, layout.data, layout.dtype, layout.rank) == ("acme_tensor", "buffer", "type", "rank")
    assert (layout.sizes, layout.strides, layout.max_rank) == ("shape", "strides", 8)
    assert dict(layout.dtype_values)["float16"] == "ACME_F16"


def test_conv2d_with_one_integer_per_dimension(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        TENSOR
        + "int acme_conv2d(const acme_tensor *x, const acme_tensor *w, acme_tensor *y, int stride_h, int stride_w,"
        " int pad_h, int pad_w, int dilation);\n",
    )
    assert roles(result, "aten::conv2d") == [
        *("input", "weight", "out", "stride.0", "stride.1", "padding.0", "padding.1", "dilation"),
    ]
    binding = result.binding("aten::conv2d")
    assert binding is not None
    assert ("groups", (1,)) in binding.constraints


@pytest.mark.parametrize(
    ("declaration", "says"),
    [
        ("int acme_conv2d({tensors}, const int pads[4], const int stride[2]);", "4 entries"),
        ("int acme_conv2d({tensors}, const int padding[2]);", "stride"),
        ("/* stride is {width, height} */\nint acme_conv2d({tensors}, const int stride[2]);", "width before"),
        ("typedef struct acme_d *acme_dt;\nint acme_conv2d(acme_dt d, {tensors}, const int stride[2]);", "descriptor"),
    ],
)  # fmt: skip
def test_convolutions_that_are_refused(tmp_path: Path, declaration: str, says: str) -> None:
    tensors = "const acme_tensor *x, const acme_tensor *w, acme_tensor *y"
    result = matched(tmp_path, TENSOR + declaration.replace("{tensors}", tensors))
    assert result.bindings == ()
    assert says in reason(result, "acme_conv2d")


def test_a_struct_with_a_field_nobody_can_fill_is_no_tensor(tmp_path: Path) -> None:
    text = TENSOR.replace("void *buffer;", "void *buffer; int secret_mode;")
    result = matched(tmp_path, text + "int acme_mul(const acme_tensor *a, const acme_tensor *b, acme_tensor *out);\n")
    assert result.bindings == ()


def test_what_the_reader_does_not_trust_is_unbound_with_its_place(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        "int acme_relu(const float *x, float *y, int n);\n\nint acme_exp(const gone_t *x, gone_t *y, int n);\n",
    )
    unbound = {u.function: u for u in result.unbound}
    assert unbound["acme_exp"].reason.startswith("not trusted")
    assert unbound["acme_exp"].source.line == 3
    assert result.binding("aten::relu") is not None


def test_runtime_forms_of_other_vendors(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        typedef enum { ACME_SUCCESS, ACME_E_OOM } acme_err;
        acme_err acmeInit(unsigned flags);
        int acmeGetDeviceCount(void);
        void *acmeMalloc(size_t bytes, int device);
        acme_err acmeMallocAsync(void **p, size_t bytes, void *q);
        acme_err acmeFree(void *p);
        acme_err acmeMemcpyHtoD(void *dst, const void *src, size_t bytes);
        acme_err acmeMemcpyDtoH(void *dst, const void *src, size_t bytes);
        acme_err acmeCopy(const float *x, float *y);
        const char *acmeGetErrorString(acme_err e);
        acme_err acmeGetLastError(void);
        """,
    )
    found = {r.role: r for r in result.runtime}
    assert found["device_count"].returns == "value"
    assert found["device_count"].arguments == ()
    assert found["malloc"].returns == "pointer"
    assert [a.role for a in found["malloc"].arguments] == ["bytes", "device"]
    assert [(a.role, a.value) for a in found["init"].arguments] == [("constant", "0")]
    assert found["memcpy_h2d"].function == "acmeMemcpyHtoD"
    assert found["memcpy_d2h"].function == "acmeMemcpyDtoH"
    assert [a.role for a in found["last_error"].arguments] == ["status"]
    assert "memcpy" not in found
    assert "runtime role memcpy" in reason(result, "acmeCopy")


def test_a_runtime_without_its_allocator_is_asked_about(tmp_path: Path) -> None:
    result = matched(
        tmp_path, "int acme_get_device_count(int *count);\nint acme_relu(const float *x, float *y, int n);\n"
    )
    assert result.memory == "device"
    assert any("allocator" in question for question in result.questions)


def test_half_precision_as_the_compiler_has_it(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        "int acme_mul_a(const _Float16 *a, const _Float16 *b, _Float16 *c, int n);\n"
        "int acme_mul_bf16(const __bf16 *a, const __bf16 *b, __bf16 *c, int n);\n"
        "int acme_mul(const _Float16 *a, const _Float16 *b, _Float16 *c, int n);\n",
    )
    binding = result.binding("aten::mul")
    assert binding is not None
    assert {(c.dtypes, c.dtypes_proved) for c in binding.calls} == {(("float16",), True), (("bfloat16",), True)}


def test_public_names_that_are_macros(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        "#define acmeMul acmeMul_v2\nint acmeMul_v2(const float *a, const float *b, float *c, int n);\n"
        "int acmeStart_v2(int a);\nint acmeStop(int a);\n",
    )
    binding = result.binding("aten::mul")
    assert binding is not None
    assert binding.calls[0].function == "acmeMul_v2"
    assert binding.impl == "acmeMul"


def test_fields_of_a_tensor_struct_that_zero_fills_rightly(tmp_path: Path) -> None:
    header = """
    #include <stdint.h>
    typedef enum { TW_F32 = 0, TW_F16 = 1, TW_S8 = 2 } tw_type;
    typedef enum { TW_QUANT_NONE = 0, TW_QUANT_ASYM = 1 } tw_quant;
    typedef struct {
      void *base; int64_t offset; tw_type type; int32_t rank; int64_t size[6]; int64_t stride[6];
      tw_quant quant; int32_t zp; float scale; void *priv;
    } tw_view;
    int tw_abs(const tw_view *in, tw_view *out);
    """
    assert matched(tmp_path, header).binding("aten::abs") is not None
    for unknown in ("int64_t colour;", "void *table;"):  # who knows what belongs there
        assert matched(tmp_path, header.replace("void *priv;", unknown)).binding("aten::abs") is None, unknown
    asymmetric = header.replace("TW_QUANT_NONE = 0", "TW_QUANT_NONE = 2").replace(
        "TW_QUANT_ASYM = 1", "TW_QUANT_ASYM = 0"
    )
    assert matched(tmp_path, asymmetric).binding("aten::abs") is None
