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
