"""Styles of real headers whose operands are objects: handles, structs, proxies, nodes; pinned op by op."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import arguments, cpp, matched, ops


def test_opaque_tensors_with_results_by_address(tmp_path: Path) -> None:
    """Numbers that may be absent are pointers too; several results are counted; the operands' header is missing."""
    result = cpp(
        tmp_path,
        """
        #include "acme/tensor.h"
        typedef struct AcmeTensorOpaque *AcmeTensorHandle;
        extern "C" {
        int acme_gpu_abs(AcmeTensorHandle self, AcmeTensorHandle *ret0);
        int acme_gpu_mul_Scalar(AcmeTensorHandle self, double other, AcmeTensorHandle *ret0);
        int acme_gpu_mm(AcmeTensorHandle self, AcmeTensorHandle mat2, AcmeTensorHandle *ret0);
        int acme_gpu_cumsum(AcmeTensorHandle self, int64_t dim, int32_t *dtype, AcmeTensorHandle *ret0);
        int acme_gpu_cat(const AcmeTensorHandle *tensors, int64_t tensors_len_, int64_t dim, AcmeTensorHandle *ret0);
        int acme_gpu_sort(AcmeTensorHandle self, int64_t dim, int32_t descending, AcmeTensorHandle *ret0,
                          AcmeTensorHandle *ret1);
        int acme_gpu_convolution(AcmeTensorHandle input, AcmeTensorHandle weight, AcmeTensorHandle *bias,
                                 const int64_t *stride, int64_t stride_len_, int64_t groups, AcmeTensorHandle *ret0);
        }
        """,
    )
    assert ops(result) == {
        "acme_gpu_abs": "aten::abs",
        "acme_gpu_mul_Scalar": "aten::mul.Scalar",
        "acme_gpu_mm": "aten::matmul",
        "acme_gpu_cumsum": "aten::cumsum",
        "acme_gpu_cat": "aten::cat",
        "acme_gpu_sort": "aten::sort",
        "acme_gpu_convolution": "aten::convolution",
    }
    assert arguments(result, "acme_gpu_sort") == {
        "self": "input", "dim": "axis", "descending": "largest", "ret0": "output", "ret1": "indices",
    }  # fmt: skip
    assert arguments(result, "acme_gpu_cumsum")["dtype"] == "dtype"
    found = arguments(result, "acme_gpu_convolution")
    assert (found["bias"], found["ret0"]) == ("bias", "output")


NODES = ["add", "sub", "mul", "exp", "relu", "softmax", "matmul"]


@pytest.mark.parametrize("held", ["Node *", "std::shared_ptr<Node>"])
def test_a_class_that_collects_nodes_serves_no_eager_op(tmp_path: Path, held: str) -> None:
    methods = "\n".join(f"  {held} {name}({held} a, {held} b);" for name in NODES)
    text = "#include <memory>\nnamespace acme {\nclass Node;\nclass Kernel {\n public:\n%s\n%s};\n}\n"
    result = cpp(tmp_path, text % (methods, "  void CodeGen(int flags);\n  int Launch(void *stream);\n"))
    assert not result.eager.usable
    assert "acme::Kernel collects ops as nodes" in result.eager.reason
    assert "one op" in result.eager.offer
    assert result.matches == ()
    eager = cpp(tmp_path, text % (methods, ""))  # the same class without a build step runs its ops
    assert eager.eager.usable


def test_a_copy_between_parts_of_tensors_is_no_copy(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <cstddef>
        namespace acme {
        class tensor { public: float *host(); };
        void copy_tensor(bool add_to, tensor &dest, size_t dest_k_offset, const tensor &src, size_t src_k_offset,
                         size_t count_k);
        void copy_part(tensor &dest, size_t dest_k_offset, const tensor &src, size_t src_k_offset, size_t count_k);
        void copy(tensor &dest, const tensor &src);
        }
        """,
    )
    assert set(ops(result)) == {"acme::copy"}


def test_proxies_by_reference_say_the_direction(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        namespace acme {
        class _InputArray; class _OutputArray; template <typename T> struct Scalar_ { T v[4]; };
        typedef const _InputArray &InputArray; typedef const _OutputArray &OutputArray;
        InputArray none();
        void meanStdDev(InputArray src, OutputArray mean, OutputArray stddev, InputArray mask = none());
        void magnitude(InputArray x, InputArray y, OutputArray magnitude);
        Scalar_<double> mean(InputArray src, InputArray mask = none());
        double invert(InputArray src, OutputArray dst, int flags);
        }
        """,
    )
    assert ops(result) == {
        "acme::meanStdDev": "aten::std_mean",
        "acme::magnitude": "aten::hypot",
        "acme::mean": "aten::mean",
        "acme::invert": "aten::linalg_inv",
    }
    assert arguments(result, "acme::magnitude") == {"x": "input", "y": "input2", "magnitude": "output"}


def test_values_that_functions_take_and_give(tmp_path: Path) -> None:
    """What many functions take and give is what they compute on, though its fields say nothing of it."""
    names = {"Add": "add.Tensor", "Exp": "exp", "Sum": "sum", "Sqrt": "sqrt", "IfElse": "where.self", "Negate": "neg"}
    taken = {"Add": 2, "IfElse": 3}
    functions = "\n".join(
        f"Result<Datum> {name}({', '.join(f'const Datum &{arg}' for arg in ('a', 'b', 'c')[: taken.get(name, 1)])},"
        " const Options &options = Options(), ExecContext *ctx = nullptr);"
        for name in names
    )
    result = cpp(
        tmp_path,
        "namespace acme {\ntemplate <typename T> class Result { T held; };\nclass Datum { int kind; };\n"
        "class Options { bool exact; };\nclass ExecContext;\n"
        f"{functions}\nResult<Options> Parse(const Options &);\n}}\n",
    )
    assert ops(result) == {f"acme::{name}": f"aten::{aten}" for name, aten in names.items()}
    assert arguments(result, "acme::Add") == {
        "a": "input", "b": "input2", "options": "params", "ctx": "ctx",
    }  # fmt: skip


def test_structs_whose_data_is_called_anything(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct { unsigned dim, max_dim; double *ve; } VEC;
        typedef struct { unsigned m, n, max_m, max_n; double **me, *base; } MAT;
        VEC *v_add(VEC *, VEC *, VEC *);
        VEC *v_zero(VEC *);
        MAT *m_sub(MAT *, MAT *, MAT *);
        double v_sum(VEC *);
        """,
    )
    assert ops(result) == {
        "v_add": "aten::add.Tensor", "v_zero": "aten::zero_", "m_sub": "aten::sub.Tensor", "v_sum": "aten::sum",
    }  # fmt: skip
    assert list(arguments(result, "v_add").values()) == ["input", "input2", "output"]


def test_objects_with_optional_arguments_by_name_behind_them(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct _AcmeImage AcmeImage;
        int acme_add(AcmeImage *left, AcmeImage *right, AcmeImage **out, ...);
        int acme_abs(AcmeImage *in, AcmeImage **out, ...);
        int acme_floor(AcmeImage *in, AcmeImage **out, ...);
        int acme_log(const char *format, ...);
        """,
    )
    assert ops(result) == {"acme_add": "aten::add.Tensor", "acme_abs": "aten::abs", "acme_floor": "aten::floor"}
    assert result.bindings == ()  # what follows by name is not known
    assert arguments(result, "acme_add") == {"left": "input", "right": "input2", "out": "output"}


def test_objects_by_value(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct { int offm, offn; void *base; } ACME_Obj;
        int ACME_Copy(ACME_Obj A, ACME_Obj B);
        int ACME_Gemm(int transa, int transb, ACME_Obj alpha, ACME_Obj A, ACME_Obj B, ACME_Obj beta, ACME_Obj C);
        int ACME_Gemv(int transa, ACME_Obj alpha, ACME_Obj A, ACME_Obj x, ACME_Obj beta, ACME_Obj y);
        int ACME_Axpy(ACME_Obj alpha, ACME_Obj A, ACME_Obj B);
        int ACME_Dot(ACME_Obj x, ACME_Obj y, ACME_Obj rho);
        int ACME_Scal(ACME_Obj alpha, ACME_Obj A);
        """,
    )
    found = ops(result)
    assert found["ACME_Gemm"] == "aten::addmm"
    assert found["ACME_Gemv"] == "aten::addmv"
    assert found["ACME_Axpy"] == "aten::add_.Tensor"


VECTORS = """
typedef struct acme_vec_private *AcmeVec;
typedef struct acme_set_private *AcmeSet;
typedef enum { ACME_NORM_1, ACME_NORM_2, ACME_NORM_INFINITY } AcmeNormType;
int AcmeVecCopy(AcmeVec x, AcmeVec y);
int AcmeVecDuplicate(AcmeVec x, AcmeVec *y);
int AcmeVecAbs(AcmeVec x, AcmeVec y);
int AcmeVecExp(AcmeVec x, AcmeVec y);
int AcmeVecDot(AcmeVec x, AcmeVec y, double *result);
int AcmeVecDotBegin(AcmeVec x, AcmeVec y, double *result);
int AcmeVecDotEnd(AcmeVec x, AcmeVec y, double *result);
int AcmeVecStepMax(AcmeVec x, AcmeVec y, double *result);
int AcmeVecPermute(AcmeVec x, AcmeSet rows, int inverse);
"""


def test_halves_of_a_call_and_objects_made_alike(tmp_path: Path) -> None:
    """A product begun and ended by two calls, a vector of the same shape and a step along it are no ops."""
    result = matched(tmp_path, VECTORS)
    found = ops(result)
    assert found["AcmeVecDot"] == "aten::dot"
    assert found["AcmeVecCopy"] == "aten::copy_"
    assert found["AcmeVecAbs"] == "aten::abs"
    assert not {"AcmeVecDotBegin", "AcmeVecDotEnd", "AcmeVecDuplicate", "AcmeVecStepMax", "AcmeVecPermute"} & set(found)


def test_weighted_norms_lists_and_tables_of_functions(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        struct acme_vector;
        typedef struct acme_vector *ACME_Vector;
        double ACME_VL2Norm(ACME_Vector x);
        double ACME_VDotProd(ACME_Vector x, ACME_Vector y);
        void ACME_VAbs(ACME_Vector x, ACME_Vector z);
        void ACME_VAdd(ACME_Vector x, ACME_Vector y, ACME_Vector z);
        void ACME_VProd(ACME_Vector x, ACME_Vector y, ACME_Vector z);
        double ACME_VMin(ACME_Vector x);
        void ACME_VConst(double c, ACME_Vector z);
        double ACME_VNorm(ACME_Vector x, ACME_Vector w);
        double ACME_VNormInf(ACME_Vector x);
        int ACME_VDotProdMulti(int nvec, ACME_Vector x, ACME_Vector *Y, double *dots);
        int ACME_VCopyOps(ACME_Vector w, ACME_Vector v);
        """,
    )
    found = ops(result)
    assert found["ACME_VDotProd"] == "aten::dot"
    assert found["ACME_VAbs"] == "aten::abs"
    assert found["ACME_VAdd"] == "aten::add.Tensor"
    assert found["ACME_VProd"] == "aten::mul.Tensor"
    assert found["ACME_VMin"] == "aten::min"
    assert found["ACME_VConst"] == "aten::fill_.Scalar"
    assert not {"ACME_VNorm", "ACME_VNormInf", "ACME_VDotProdMulti", "ACME_VCopyOps"} & set(found)


def test_values_with_factors_layouts_and_no_operand(tmp_path: Path) -> None:
    """Overloads that scale their operands, a conversion of the layout, and a scatter into nothing."""
    result = cpp(
        tmp_path,
        """
        #include <vector>
        namespace acme {
        enum Dimensionformat { NHWC, NCHW };
        class Var { public: int id; };
        Var _Add(Var x, Var y);
        Var _Abs(Var x);
        Var _Exp(Var x);
        Var _Sub(Var a, Var b, std::vector<float> coeff);
        Var _Convert(Var input, Dimensionformat format);
        Var _ScatterNd(Var indices, Var updates, Var shape);
        }
        """,
    )
    assert ops(result) == {
        "acme::_Add": "aten::add.Tensor",
        "acme::_Abs": "aten::abs",
        "acme::_Exp": "aten::exp",
    }


def test_images_with_numbers_and_arguments_by_name_behind_them(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct _AcmeImage AcmeImage;
        int acme_add(AcmeImage *left, AcmeImage *right, AcmeImage **out, ...);
        int acme_abs(AcmeImage *in, AcmeImage **out, ...);
        int acme_moreeq_const1(AcmeImage *in, AcmeImage **out, double c, ...);
        int acme_ifthenelse(AcmeImage *cond, AcmeImage *in1, AcmeImage *in2, AcmeImage **out, ...);
        int acme_avg(AcmeImage *in, double *out, ...);
        int acme_sum(AcmeImage **in, AcmeImage **out, int n, ...);
        int acme_invert(AcmeImage *in, AcmeImage **out, ...);
        int acme_flatten(AcmeImage *in, AcmeImage **out, ...);
        """,
    )
    assert ops(result) == {
        "acme_add": "aten::add.Tensor",
        "acme_abs": "aten::abs",
        "acme_moreeq_const1": "aten::ge.Scalar",
        "acme_ifthenelse": "aten::where.self",
        "acme_avg": "aten::mean",
    }
    assert result.bindings == ()


def test_products_by_the_types_of_their_operands(tmp_path: Path) -> None:
    """Matrices and vectors have products of their own; two overloads of a name say which is meant."""
    result = matched(
        tmp_path,
        """
        typedef struct { unsigned m, n; double **me, *base; } MAT;
        typedef struct { unsigned dim, max_dim; double *ve; } VEC;
        VEC *v_add(VEC *x, VEC *y, VEC *out);
        VEC *v_sub(VEC *x, VEC *y, VEC *out);
        VEC *mv_mlt(MAT *A, VEC *x, VEC *out);
        MAT *m_mlt(MAT *A, MAT *B, MAT *out);
        VEC *sub_vec(VEC *x, int i1, int i2, VEC *out);
        double m_norm1(MAT *A);
        double m_norm_inf(MAT *A);
        """,
    )
    assert ops(result) == {
        "v_add": "aten::add.Tensor",
        "v_sub": "aten::sub.Tensor",
        "mv_mlt": "aten::mv",
        "m_mlt": "aten::mm",
    }


def test_views_by_value_are_overwritten(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct { int offm, offn; void *base; } ACME_Obj;
        int ACME_Copy(ACME_Obj A, ACME_Obj B);
        int ACME_Axpy(ACME_Obj alpha, ACME_Obj A, ACME_Obj B);
        int ACME_Dot(ACME_Obj x, ACME_Obj y, ACME_Obj rho);
        int ACME_Negate(ACME_Obj x);
        int ACME_Sort(int direct, ACME_Obj x);
        int ACME_Invert(int conj, ACME_Obj x);
        int ACME_Inv_scal(ACME_Obj alpha, ACME_Obj A);
        int ACME_Norm_inf(ACME_Obj A, ACME_Obj norm);
        int ACME_Shift_diag(int conj, ACME_Obj sigma, ACME_Obj A);
        """,
    )
    found = ops(result)
    assert found["ACME_Negate"] == "aten::neg_"
    assert found["ACME_Sort"] == "aten::sort"
    assert not {"ACME_Invert", "ACME_Inv_scal", "ACME_Norm_inf", "ACME_Shift_diag"} & set(found)
