"""C++ templates over the element type and over what runs them; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, cpp, ops, reason

CONTEXTS = """
namespace nova {
enum Trans { kNone, kTrans };
template <typename T, class Context> void Exp(const int N, const T *X, T *Y, Context *context);
template <typename T, class Context> void Mul(const int N, const T *A, const T *B, T *C, Context *context);
template <typename T, class Context> void Rsqrt(int N, const T *X, T *Y, Context &ctx);
template <typename Device, typename T> void Tanh(const Device &d, int n, const T *x, T *y);
template <typename T, class Context> void Set(const int N, const T alpha, T *X, Context *context);
template <typename T, class Context>
void Gemm(Trans trans_A, Trans trans_B, int M, int N, int K, float alpha, const T *A, const T *B, float beta, T *C,
          Context *context);
template <typename T, class Context>
void GemmBatched(Trans trans_A, Trans trans_B, int batch_size, int M, int N, int K, float alpha, const T **A,
                 const T **B, float beta, T **C, Context *context);
template <typename T, class Context> void Dot(const int N, const T *a, const T *b, T *y, Context *context);
template <typename T, class Bias> void Sigmoid(int n, const T *x, T *y, Bias *bias);
}
"""


def test_a_template_parameter_called_like_a_context_carries_no_tensor(tmp_path: Path) -> None:
    result = cpp(tmp_path, CONTEXTS)
    assert ops(result) == {
        "nova::Exp": "aten::exp", "nova::Mul": "aten::mul.Tensor", "nova::Rsqrt": "aten::rsqrt",
        "nova::Tanh": "aten::tanh", "nova::Set": "aten::fill_.Scalar", "nova::Gemm": "aten::addmm",
        "nova::GemmBatched": "aten::bmm", "nova::Dot": "aten::dot",
    }  # fmt: skip
    assert arguments(result, "nova::Mul") == {
        "N": "numel", "A": "input", "B": "input2", "C": "output", "context": "ctx",
    }  # fmt: skip
    assert arguments(result, "nova::Tanh") == {"d": "ctx", "n": "numel", "x": "input", "y": "output"}
    assert arguments(result, "nova::Set") == {"N": "numel", "alpha": "scalar", "X": "output", "context": "ctx"}
    assert arguments(result, "nova::Gemm")["C"] == "inout"
    assert arguments(result, "nova::GemmBatched")["batch_size"] == "batch"


def test_another_template_parameter_is_still_a_tensor_of_its_own(tmp_path: Path) -> None:
    result = cpp(tmp_path, CONTEXTS)
    assert "bias" in reason(result, "nova::Sigmoid")


VIEWS = """
namespace vela {
template <class RV, class XV> void abs(const RV &R, const XV &X);
template <class RV, class XV> void reciprocal(const RV &R, const XV &X);
template <class AV, class XV, class YV> void axpy(const AV &a, const XV &X, const YV &Y);
template <class AView, class BView, class CView>
void gemm(const char transA[], const char transB[], typename AView::const_value_type &alpha, const AView &A,
          const BView &B, typename CView::const_value_type &beta, const CView &C);
template <class RV, class AV, class XV> void scal(const RV &R, const AV &a, const XV &X);
template <class XV> void fill(const XV &X, const typename XV::non_const_value_type &val);
template <class T> T exp(const T &x);
template <class T> T maximum(const T &a, const T &b);
}
"""


def test_a_function_that_returns_nothing_writes_through_one_of_its_views(tmp_path: Path) -> None:
    result = cpp(tmp_path, VIEWS)
    assert ops(result) == {
        "vela::abs": "aten::abs", "vela::reciprocal": "aten::reciprocal", "vela::axpy": "aten::add_.Tensor",
        "vela::gemm": "aten::addmm", "vela::fill": "aten::fill_.Scalar", "vela::scal": "aten::mul.Scalar",
    }  # fmt: skip
    assert arguments(result, "vela::abs") == {"R": "output", "X": "input"}
    assert arguments(result, "vela::axpy") == {"a": "alpha", "X": "input", "Y": "inout"}
    assert arguments(result, "vela::gemm") == {
        "transA": "trans.input", "transB": "trans.input2", "alpha": "alpha", "A": "input", "B": "input2",
        "beta": "beta", "C": "inout",
    }  # fmt: skip
    assert arguments(result, "vela::fill") == {"X": "output", "val": "scalar"}
    assert arguments(result, "vela::scal") == {"R": "output", "a": "scalar", "X": "input"}


def test_a_template_that_returns_its_value_is_of_numbers(tmp_path: Path) -> None:
    found = ops(cpp(tmp_path, VIEWS))
    assert "vela::exp" not in found
    assert "vela::maximum" not in found


MAPS = """
namespace mira {
template <typename Scalar, int Order> class MatrixMap { Scalar *data_; int rows_, cols_, stride_; };
struct GemmContext;
template <typename In, typename Out, int L, int R, int S>
void Gemm(GemmContext *context, const MatrixMap<const In, L> &lhs, const MatrixMap<const In, R> &rhs,
          MatrixMap<Out, S> *result);
}
"""


def test_matrices_by_reference_and_the_result_by_pointer(tmp_path: Path) -> None:
    result = cpp(tmp_path, MAPS)
    assert ops(result) == {"mira::Gemm": "aten::mm"}
    assert arguments(result, "mira::Gemm") == {
        "context": "ctx", "lhs": "input", "rhs": "input2", "result": "output",
    }  # fmt: skip


def test_extents_of_a_template_s_index_type_are_no_operand(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        namespace nova {
        template <typename TIndex, typename TData, class Context>
        void Transpose(const int ndim, const TIndex *dims, const int *axes, const TData *X, TData *Y, Context *context);
        template <typename TIndex, typename TData>
        void IndexSelect(int n, const TData *X, const TIndex *index, TData *Y);
        }
        """,
    )
    assert arguments(result, "nova::Transpose") == {
        "ndim": "rank.input", "dims": "shape.input", "axes": "dims", "X": "input", "Y": "output", "context": "ctx",
    }  # fmt: skip
    assert arguments(result, "nova::IndexSelect")["index"] == "indices"
