"""Styles of real headers that are C++ templates; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, cpp, ops


def test_templates_of_a_class_over_iterators(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        #include <cstddef>
        namespace acme {
        struct Stream;
        struct DeviceReduce {
          template <typename InputIteratorT, typename OutputIteratorT, typename NumItemsT>
          static int Sum(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in, OutputIteratorT d_out,
                         NumItemsT num_items, Stream *stream = nullptr);
          template <typename InputIteratorT, typename OutputIteratorT, typename ReductionOpT>
          static int Sum2(InputIteratorT d_in, OutputIteratorT d_out, int num_items, ReductionOpT reduction_op);
        };
        struct DeviceScan {
          template <typename InputIteratorT, typename OutputIteratorT>
          static int InclusiveSum(InputIteratorT d_in, OutputIteratorT d_out, int num_items);
          template <typename InputIteratorT, typename OutputIteratorT>
          static int ExclusiveSum(InputIteratorT d_in, OutputIteratorT d_out, int num_items);
          template <typename InputIteratorT, typename OutputIteratorT, typename ScanOpT>
          static int InclusiveScan(InputIteratorT d_in, OutputIteratorT d_out, ScanOpT scan_op, int num_items);
        };
        struct DeviceSort {
          template <typename KeyT, typename NumItemsT>
          static int SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, const KeyT *d_keys_in, KeyT *d_keys_out,
                              NumItemsT num_items);
        };
        }
        """,
    )
    assert ops(result) == {
        "acme::DeviceReduce::Sum": "aten::sum",
        "acme::DeviceScan::InclusiveSum": "aten::cumsum",
        "acme::DeviceSort::SortKeys": "aten::sort",
    }
    assert arguments(result, "acme::DeviceReduce::Sum") == {
        "d_temp_storage": "workspace", "temp_storage_bytes": "workspace_size", "d_in": "input", "d_out": "output",
        "num_items": "numel", "stream": "stream",
    }  # fmt: skip


def test_views_and_the_kernels_beside_their_launchers(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        namespace acme {
        struct resources;
        template <typename T, typename I> struct device_vector_view { T *p; I n; };
        template <typename T, typename I>
        void exp(resources const &handle, device_vector_view<const T, I> in, device_vector_view<T, I> out);
        template <typename T> void RMSNorm(const T *input, const T *weight, T *output, int batch, int d, float eps);
        template <typename T> void RMSNormKernel(const T *input, const T *weight, T *output, int d, float eps);
        }
        """,
    )
    assert ops(result) == {"acme::exp": "aten::exp", "acme::RMSNorm": "aten::_fused_rms_norm"}
    found = arguments(result, "acme::exp")
    assert (found["in"], found["out"]) == ("input", "output")


def test_expressions_of_class_templates(tmp_path: Path) -> None:
    """What is computed when it is assigned is an op too; a number may be written into an object or a reference."""
    result = cpp(
        tmp_path,
        """
        namespace acme {
        template <typename T> class vector_base { T *data; };
        template <typename T> class matrix_base { T *data; };
        template <typename T> class scalar { T value; };
        template <typename L, typename R, typename O> class vector_expression { L l; R r; };
        struct op_exp {}; struct op_geq {}; struct op_prod {};
        template <typename T> vector_expression<const vector_base<T>, const vector_base<T>, op_exp>
            element_exp(vector_base<T> const &v);
        template <typename T> vector_expression<const vector_base<T>, const vector_base<T>, op_geq>
            element_geq(vector_base<T> const &v1, vector_base<T> const &v2);
        template <typename T> vector_expression<const vector_base<T>, const vector_base<T>, op_prod>
            element_prod(vector_base<T> const &v1, vector_base<T> const &v2);
        template <typename T> void norm_2_impl(vector_base<T> const &vec, scalar<T> &result);
        template <typename T> void max_cpu(vector_base<T> const &vec, T &result);
        template <typename T> void copy_vec(matrix_base<T> &A, vector_base<T> &V, unsigned long row, bool column);
        template <typename T> void matrix_diag_to_vector(matrix_base<T> const &A, int k, vector_base<T> &v);
        }
        """,
    )
    assert ops(result) == {
        "acme::element_exp": "aten::exp",
        "acme::element_geq": "aten::ge.Tensor",
        "acme::element_prod": "aten::mul.Tensor",
        "acme::norm_2_impl": "aten::linalg_vector_norm",
        "acme::max_cpu": "aten::max",
    }


def test_a_word_beside_a_function_with_the_same_arguments(tmp_path: Path) -> None:
    """What nothing explains makes another function of one that is there without it."""
    arguments = "T *input, T *weight, T *output, unsigned batch_size, unsigned d, float eps, void *stream"
    result = cpp(
        tmp_path,
        f"""
        namespace acme {{ namespace norm {{
        template <typename T> int RMSNorm({arguments});
        template <typename T> int QuaxRMSNorm({arguments});
        template <typename T> int LayerNorm(T *input, T *weight, T *bias, T *output, unsigned n, float eps);
        }} }}
        """,
    )
    found = ops(result)
    assert found["acme::norm::RMSNorm"] == "aten::_fused_rms_norm"
    assert "acme::norm::QuaxRMSNorm" not in found


def test_scalars_and_counts_of_templates(tmp_path: Path) -> None:
    result = cpp(
        tmp_path,
        """
        namespace acme { namespace linalg {
        template <typename InT, typename OutT, typename IdxType>
        void addScalar(OutT *out, const InT *in, InT scalar, IdxType len, void *stream);
        template <typename InT, typename OutT, typename IdxType>
        void divideScalar(OutT *out, const InT *in, InT scalar, IdxType len, void *stream);
        template <typename InT, typename OutT, typename IdxType>
        void eltwiseDivide(OutT *out, const InT *in1, const InT *in2, IdxType len, void *stream);
        template <typename InT, typename OutT, typename IdxType>
        void inner_product_to_L2sqr(OutT *out, const InT *in1, const InT *in2, IdxType len, void *stream);
        template <typename InType, typename OutType> void abs(InType in, OutType out);
        } }
        """,
    )
    assert ops(result) == {
        "acme::linalg::addScalar": "aten::add.Scalar",
        "acme::linalg::divideScalar": "aten::div.Scalar",
        "acme::linalg::eltwiseDivide": "aten::div.Tensor",
        "acme::linalg::abs": "aten::abs",
    }
    assert arguments(result, "acme::linalg::addScalar")["len"] == "numel"
