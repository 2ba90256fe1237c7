"""Styles that real headers had and no rule knew at first, in plain functions; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, cpp, matched, ops, reason


def test_types_that_no_header_declares_lose_no_op(tmp_path: Path) -> None:
    """What decides is unknown: the match is not trusted, so no kernel is made of it, and it is said why."""
    text = """
    #include "acme_types.h"
    extern "C" {
    typedef void *acmeHandle_t;
    acmeHandle_t acmeCreate(int device);
    acmeStatus_t acmeGelu(acmeHandle_t handle, void *input, void *output, const int *shape, int dims,
                          acme_data_type_t dtype);
    acmeStatus_t acmePooling(acmeHandle_t handle, void *input, int input_n, int input_c, int input_h, int input_w,
                             int kh, int kw, int is_avg_pooling, acme_data_type_t dtype, void *output);
    acmeStatus_t acmeMatmul(acmeHandle_t handle, void *left, void *right, void *output, const int *L_shape,
                            const int *R_shape, int L_dims, int R_dims, int L_trans, int R_trans,
                            acme_data_type_t dtype);
    acmeStatus_t acmeTopk(acmeHandle_t handle, void *input_data, void *input_index, void *output_data,
                          void *output_index, int k, acme_data_type_t dtype);
    }
    """
    result = cpp(tmp_path, text)
    found = {(m.function, m.aten) for m in result.matches}
    assert found == {
        ("acmeGelu", "aten::gelu"),
        ("acmePooling", "aten::avg_pool2d"),
        ("acmePooling", "aten::max_pool2d"),
        ("acmeMatmul", "aten::matmul"),
        ("acmeTopk", "aten::topk"),
    }
    assert not any(m.complete for m in result.matches)
    assert result.bindings == ()
    assert "not trusted: depends on 'acme" in reason(result, "acmeGelu")
    roles = arguments(result, "acmeMatmul")
    assert [roles[n] for n in ("L_shape", "R_shape", "L_dims", "R_trans", "dtype")] == [
        "shape.input", "shape.input2", "rank.input", "trans.input2", "dtype",
    ]  # fmt: skip
    gelu = arguments(result, "acmeGelu")
    assert (gelu["shape"], gelu["dims"]) == ("shape.input", "rank.input")
    constants = {m.aten: m.constants for m in result.matches if m.function == "acmePooling"}
    assert constants == {
        "aten::avg_pool2d": (("is_avg_pooling", "1"),),
        "aten::max_pool2d": (("is_avg_pooling", "0"),),
    }


def test_factorisations_and_solvers(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <utility>
        namespace acme {
        struct array { void *data; };
        namespace linalg {
        std::pair<array, array> qr(const array &a);
        std::pair<array, array> eigh(const array &a);
        array inv(const array &a);
        array pinv(const array &a);
        array solve(const array &a, const array &b);
        array cholesky(const array &a, bool upper = false);
        }
        array inv(const array &a);
        }
        """,
    )
    found = {name.rpartition("linalg::")[2]: aten for name, aten in ops(result).items() if "linalg" in name}
    assert found == {
        "qr": "aten::linalg_qr",
        "eigh": "aten::_linalg_eigh",
        "inv": "aten::linalg_inv",
        "pinv": "aten::linalg_pinv",
        "solve": "aten::linalg_solve",
        "cholesky": "aten::linalg_cholesky_ex",
    }
    assert ops(result)["acme::inv"] == "aten::reciprocal"  # of elements, where nothing speaks of matrices


def test_functions_of_lapack(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        typedef struct acme_ctx *acme_handle;
        int acme_sgetrf(acme_handle h, int m, int n, float *a, int lda, int *ipiv, int *info);
        int acme_spotrf(acme_handle h, int uplo, int n, float *a, int lda, int *info);
        int acme_sgesv(acme_handle h, int n, int nrhs, float *a, int lda, int *ipiv, float *b, int ldb);
        int acme_sgeqrf(acme_handle h, int m, int n, float *a, int lda, float *tau);
        """,
    )
    assert ops(result) == {
        "acme_sgetrf": "aten::linalg_lu_factor_ex",
        "acme_spotrf": "aten::linalg_cholesky_ex",
        "acme_sgesv": "aten::linalg_solve",
        "acme_sgeqrf": "aten::geqrf",
    }
    assert arguments(result, "acme_sgetrf")["a"] == "inout"
    assert arguments(result, "acme_sgesv")["b"] == "inout"


def test_numbers_by_address_as_fortran_passes_them(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        void sgemm_batch_strided(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const int *stridea, const float *b, const int *ldb,
            const int *strideb, const float *beta, float *c, const int *ldc, const int *stridec, const int *batch_size);
        void sscal(const int *n, const float *a, float *x, const int *incx);
        """,
    )
    assert ops(result) == {"sgemm_batch_strided": "aten::baddbmm", "sscal": "aten::mul_.Scalar"}
    assert arguments(result, "sscal") == {"n": "numel", "a": "alpha", "x": "inout", "incx": "inc.inout"}


def test_names_that_later_rules_lost(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        int acme_vvintf(float *y, const float *x, const int *n);
        int acme_cross_vec3f_neon(float *dst, const float *src1, const float *src2, unsigned int count);
        int acme_add_float(float *dst, const float *src1, const float *src2, unsigned int count);
        """,
    )
    assert ops(result)["acme_vvintf"] == "aten::trunc"
    assert ops(result)["acme_cross_vec3f_neon"] == "aten::linalg_cross"


def test_addresses_that_are_integers(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        void acme_sum_float_device(uint64_t a, uint64_t out, int count, int stride);
        void acme_inner_float_device(uint64_t a, uint64_t b, uint64_t out, int count);
        void acme_mul_counts(uint64_t n, uint64_t m);
        """,
    )
    assert ops(result) == {"acme_sum_float_device": "aten::sum", "acme_inner_float_device": "aten::inner"}
    found = arguments(result, "acme_inner_float_device")
    assert (found["a"], found["b"], found["out"], found["count"]) == ("input", "input2", "output", "numel")


def test_functions_that_bound_both_sides_scale_or_work_on_segments(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        void acme_abs(const float *in, float *out, int n);
        void acme_clamp(const float *in, float *out, float min, float max, int n);
        void acme_limit_clamp(float *inout, float absmax, int n);
        void acme_sort_host(float *keys, int n);
        void acme_flatten(float *x, int size, int layers, int batch, int forward);
        void acme_backward_scale_cpu(float *x_norm, float *delta, int batch, int n, int size, float *scale_updates);
        """,
    )
    assert ops(result) == {"acme_abs": "aten::abs", "acme_clamp": "aten::clamp", "acme_sort_host": "aten::sort"}
