"""Styles that real headers had and no rule knew at first: each in a small header of its own, pinned op by op."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header, matched
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import MatchResult, match


def ops(result: MatchResult) -> dict[str, str]:
    """The op of each matched function."""
    return {m.function: m.aten for m in result.matches}


def arguments(result: MatchResult, function: str) -> dict[str, str]:
    return next(dict(m.arguments) for m in result.matches if m.function == function)


def refusal(result: MatchResult, function: str) -> str:
    return next(u.reason for u in result.unbound if u.function == function)


def cpp(folder: Path, text: str) -> MatchResult:
    return match(read_headers([header(folder, text, "acme.hpp")]), catalogue.OPS)


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
    assert "not trusted: depends on 'acme" in refusal(result, "acmeGelu")
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


def first_of_each_role(result: MatchResult) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in result.roles:
        found.setdefault(entry.role, entry.function)
    return found


def test_runtime_of_agents_signals_and_queues(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct { uint64_t handle; } acme_signal_t;
        typedef struct acme_queue acme_queue_t;
        int acme_init(void);
        int acme_shut_down(void);
        int acme_signal_create(int64_t initial, uint32_t consumers, acme_signal_t *signal);
        int acme_signal_destroy(acme_signal_t signal);
        int acme_memory_register(void *ptr, size_t size);
        int acme_memory_allocate(size_t size, void **ptr);
        int acme_memory_free(void *ptr);
        """,
    )
    found = first_of_each_role(result)
    assert found["init"] == "acme_init"
    assert found["finalize"] == "acme_shut_down"
    assert found["event_create"] == "acme_signal_create"
    assert found["event_destroy"] == "acme_signal_destroy"
    assert found["host_register"] == "acme_memory_register"
    assert found["malloc"] == "acme_memory_allocate"


def test_runtime_of_device_and_buffer_handles(tmp_path: Path) -> None:
    """Freed and mapped is what a handle stands for; what opens a run is no handle of the library."""
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        typedef void *acmeDeviceHandle;
        typedef void *acmeBufferHandle;
        typedef void *acmeRunHandle;
        acmeDeviceHandle acmeDeviceOpen(unsigned int index);
        acmeRunHandle acmeRunOpen(void *kernel);
        acmeBufferHandle acmeBOAlloc(acmeDeviceHandle dhdl, size_t size, int flags);
        int acmeBOFree(acmeBufferHandle bhdl);
        void *acmeBOMap(acmeBufferHandle bhdl);
        """,
    )
    found = first_of_each_role(result)
    assert found["handle_create"] == "acmeDeviceOpen"
    assert found["free"] == "acmeBOFree"
    assert found["host_map"] == "acmeBOMap"


def test_runtime_that_is_an_object(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct am_rt_t *am_runtime;
        typedef struct am_mem_t *am_memory;
        typedef struct { am_memory memory; uint64_t offset; uint64_t size; } am_memory_slice;
        am_runtime am_create_runtime(int arch, uint32_t device_index);
        void am_destroy_runtime(am_runtime runtime);
        void am_copy_memory_device_to_device(am_runtime rt, const am_memory_slice *dst, const am_memory_slice *src);
        """,
    )
    found = first_of_each_role(result)
    assert found["context_create"] == "am_create_runtime"
    assert found["context_destroy"] == "am_destroy_runtime"
    assert found["memcpy_d2d"] == "am_copy_memory_device_to_device"


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


def test_runtime_of_objects_made_from_descriptions(tmp_path: Path) -> None:
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        #include <stdint.h>
        typedef struct acInstanceImpl *acInstance;
        typedef struct acDeviceImpl *acDevice;
        typedef struct acBufferImpl *acBuffer;
        typedef struct acQueueImpl *acQueue;
        typedef struct { uint64_t size; uint32_t usage; } acBufferDescriptor;
        acInstance acCreateInstance(const char *descriptor);
        void acInstanceRelease(acInstance instance);
        acBuffer acDeviceCreateBuffer(acDevice device, acBufferDescriptor const *descriptor);
        void acBufferRelease(acBuffer buffer);
        void acQueueWriteBuffer(acQueue queue, acBuffer buffer, uint64_t offset, void const *data, size_t size);
        void *acBufferGetMappedRange(acBuffer buffer, size_t offset, size_t size);
        """,
    )
    found = first_of_each_role(result)
    assert found["context_create"] == "acCreateInstance"
    assert found["context_destroy"] == "acInstanceRelease"
    assert found["malloc"] == "acDeviceCreateBuffer"
    assert found["free"] == "acBufferRelease"
    assert found["memcpy_h2d"] == "acQueueWriteBuffer"
    assert found["host_map"] == "acBufferGetMappedRange"


def test_runtime_behind_the_name_of_a_part(tmp_path: Path) -> None:
    """A second word that says nothing of a runtime; and capitals that run into a name."""
    result = matched(
        tmp_path,
        """
        #include <stddef.h>
        void *ACMEmalloc_device(size_t size, void *queue);
        int acme_zing_stream_synchronize(void *stream);
        void *acme_zing_stream_create(void *context, int priority);
        void acme_zing_stream_destroy(void *context, void *stream);
        void *acme_zing_event_create(void *context, unsigned flags);
        """,
    )
    found = first_of_each_role(result)
    assert found["stream_create"] == "acme_zing_stream_create"
    assert found["stream_sync"] == "acme_zing_stream_synchronize"
    assert found["event_create"] == "acme_zing_event_create"
    assert found["malloc"] == "ACMEmalloc_device"


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
