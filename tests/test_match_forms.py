"""Forms of functions that several libraries share: what they run on, attributes as tensors, reductions asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched, read
from torchfl import catalogue
from torchfl_sdk.match import MatchResult, match

TENSOR = "typedef struct acme_tensor { void *data; int ndim; long long dims[8]; int dtype; } acme_tensor;\n"
OBJECTS = "typedef struct acme_array_s *acme_array;\n"


def ops(result: MatchResult) -> dict[str, str]:
    return {m.function.rpartition("::")[2]: m.aten for m in result.matches}


def arguments(result: MatchResult, function: str) -> dict[str, str]:
    return next(dict(m.arguments) for m in result.matches if m.function.endswith(function))


def cpp(folder: Path, text: str) -> MatchResult:
    path = folder / "acme.hpp"
    path.write_text(text, encoding="utf-8")
    from torchfl_sdk.header import read_headers

    return match(read_headers([path]), catalogue.OPS)


@pytest.mark.parametrize("name", ["context", "ctx", "stream", "queue", "handle"])
def test_what_a_function_runs_on_is_no_operand_whatever_its_type(tmp_path: Path, name: str) -> None:
    text = (
        "#include <stddef.h>\n"
        f"int acme_fill(void *{name}, float *x, float value, size_t n);\n"
        f"int acme_exp(void *{name}, const float *x, float *y, size_t n);\n"
        f"int acme_add(void *{name}, const float *a, const float *b, float *c, size_t n);\n"
    )
    result = matched(tmp_path, text)
    assert ops(result) == {
        "acme_fill": "aten::fill_.Scalar",
        "acme_exp": "aten::exp",
        "acme_add": "aten::add.Tensor",
    }
    assert not {arguments(result, f)[name] for f in ops(result)} & {"input", "output", "inout", ""}


def test_a_context_of_a_template_parameter_is_no_operand(tmp_path: Path) -> None:
    text = """namespace acme {
    template <typename T, class Context> void Exp(int n, const T *x, T *y, Context *context);
    template <typename T, class Context> void Add(int n, const T *a, const T *b, T *c, Context *context);
    template <typename T, class Stream> void Mul(int n, const T *a, const T *b, T *c, Stream stream);
    template <typename T> void Copy(int n, const T *context, T *y);
    }
    """
    result = cpp(tmp_path, text)
    assert {k: v for k, v in ops(result).items() if k != "Copy"} == {
        "Exp": "aten::exp", "Add": "aten::add.Tensor", "Mul": "aten::mul.Tensor"
    }  # fmt: skip
    assert arguments(result, "Add") == {"n": "numel", "a": "input", "b": "input2", "c": "output", "context": "ctx"}
    assert arguments(result, "Mul")["stream"] == "stream"


def test_attributes_passed_as_tensors_are_no_operands(tmp_path: Path) -> None:
    functions = {
        "add": ("acme_array a, acme_array b", "aten::add.Tensor", {}),
        "mul": ("acme_array a, acme_array b", "aten::mul.Tensor", {}),
        "exp": ("acme_array x", "aten::exp", {}),
        "abs": ("acme_array x", "aten::abs", {}),
        "relu": ("acme_array x", "aten::relu", {}),
        "sub": ("acme_array a, acme_array b", "aten::sub.Tensor", {}),
        "expand": ("acme_array input, acme_array shape", "aten::expand", {"shape": "shape.output"}),
        "tile": ("acme_array input, acme_array repeats", "aten::repeat", {}),
        "pad": ("acme_array data, acme_array pads", "aten::constant_pad_nd", {"pads": "padding"}),
        "reduce_sum": ("acme_array data, acme_array axes", "aten::sum.dim_IntList", {"axes": "dims"}),
    }
    text = OBJECTS + "".join(f"acme_array acme_{n}({p});\n" for n, (p, _, _) in functions.items())
    result = matched(tmp_path, text)
    assert ops(result) == {f"acme_{n}": aten for n, (_, aten, _) in functions.items()}
    for name, (_, _, roles) in functions.items():
        found = arguments(result, f"acme_{name}")
        assert {k: found[k] for k in roles} == roles
        assert "" not in [found[k] for k in roles]


def test_a_reduction_that_is_asked_for_or_goes_along_rows(tmp_path: Path) -> None:
    text = (
        "#include <stddef.h>\ntypedef struct acme_stats acme_stats;\n"
        "float acme_get_max(const float *x, size_t n);\n"
        "float acme_calc_mean(const float *x, size_t n);\n"
        "int acme_row_sum(const float *x, float *y, int rows, int cols);\n"
        "int acme_max_cols(const float *x, float *y, int rows, int cols);\n"
        "int acme_softmax_rows(const float *x, float *y, int rows, int cols);\n"
        "float acme_get_min(const acme_stats *stats);\n"
        "int acme_get_count(void);\n"
        "int acme_row_add(const float *x, const float *row, float *y, int rows, int cols);\n"
        "int acme_relu(const float *x, float *y, size_t n);\n"
    )
    assert ops(matched(tmp_path, text)) == {
        "acme_get_max": "aten::max",
        "acme_calc_mean": "aten::mean",
        "acme_row_sum": "aten::sum",
        "acme_max_cols": "aten::max",
        "acme_softmax_rows": "aten::_softmax",
        "acme_relu": "aten::relu",
    }


def test_functions_over_numbers_beside_methods_over_arrays(tmp_path: Path) -> None:
    """Small inline functions of single numbers do not make kernels of the class whose methods take pointers."""
    text = """
    inline bool is_nan_f(float x) { return x != x; }
    inline bool is_nan_d(double x) { return x != x; }
    inline bool is_inf_f(float x) { return x - x != 0; }
    class MathUtilities {
      public:
        static double mean(const double *src, unsigned int len);
        static double sum(const double *src, unsigned int len);
        static double max(const double *src, unsigned int len);
    };
    """
    assert ops(cpp(tmp_path, text)) == {"mean": "aten::mean", "sum": "aten::sum", "max": "aten::max"}


def test_numbers_of_matrices_count_columns(tmp_path: Path) -> None:
    text = (
        "int acme_spotrf(int matrix_layout, char uplo, int n, float *a, int lda);\n"
        "int acme_sgesv(int matrix_layout, int n, int nrhs, float *a, int lda, int *ipiv, float *b, int ldb);\n"
        "int acme_sgetrf(int matrix_layout, int m, int n, float *a, int lda, int *ipiv);\n"
    )
    result = matched(tmp_path, text)
    assert arguments(result, "acme_spotrf")["n"] == "n"
    assert {arguments(result, m.function)["matrix_layout"] for m in result.matches} == {"order"}


@pytest.mark.parametrize("family", ["math", "relational", "boolean", "math2"])
def test_families_of_ops_by_what_they_compute(tmp_path: Path, family: str) -> None:
    members = {
        "math": ("SIN", "COS", "EXP", "LOG"),
        "relational": ("EQUAL", "NOTEQ", "LESS", "MORE"),
        "boolean": ("AND", "OR", "EOR"),
        "math2": ("POW", "ATAN2"),
    }[family]
    enum = ", ".join(f"ACME_{family.upper()}_{m}" for m in members)
    second = "" if family == "math" else "const acme_tensor *right, "
    text = (
        f"{TENSOR}typedef enum {{ {enum} }} acme_{family}_t;\n"
        f"int acme_{family}(const acme_tensor *left, {second}acme_tensor *out, acme_{family}_t {family});\n"
        "int acme_abs(const acme_tensor *in, acme_tensor *out);\n"
    )
    found = [m for m in matched(tmp_path, text).matches if m.function == f"acme_{family}"]
    assert len(found) >= len(members) - 1
    assert {m.constants[0][0] for m in found} == {family}


_OTHERS = "".join(f"int acme_session_{a}_{b}(int id);\n" for a in "abcdefghij" for b in range(150))
_KERNELS = "".join(
    f"int acme_nn_{op}(const float *x, float *y, int n);\n" for op in ("relu", "exp", "tanh", "sigmoid", "abs", "sqrt")
)


def test_a_large_library_keeps_its_few_kernels_that_stand_together(tmp_path: Path) -> None:
    assert len(ops(matched(tmp_path, _OTHERS + _KERNELS))) == 6


def test_names_like_ops_scattered_over_a_large_library_say_nothing(tmp_path: Path) -> None:
    lines = _OTHERS.splitlines(keepends=True)
    for at, op in ((100, "relu"), (500, "exp"), (900, "tanh"), (1300, "abs")):
        part = lines[at].partition("(")[0].rpartition("_")[0]  # among functions of another kind
        lines[at] = f"{part.replace('session', op)}(const float *x, float *y, int n);\n"
    text = "".join(lines)
    model = read(tmp_path, text)
    assert len(model.functions) == 1500
    assert not match(model, catalogue.OPS).matches
