"""What new-chip writes compiles against headers that ask something of C++: a standard, names, linkage, constants."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers import absent
from torchfl_sdk.header import read_headers
from torchfl_sdk.header.concrete import concrete
from torchfl_sdk.scaffold import NewChipRequest, NewChipResult, new_chip
from torchfl_sdk.scaffold.skeletons import has_symbol

RUNTIME = """
acme_status acme_malloc(void **ptr, size_t size);
acme_status acme_free(void *ptr);
acme_status acme_memcpy_h2d(void *dst, const void *src, size_t bytes);
acme_status acme_memcpy_d2h(void *dst, const void *src, size_t bytes);
acme_status acme_add_f32(const float *a, const float *b, float *out, size_t n);
acme_status acme_abs_f32(const float *in, float *out, size_t n);
"""
STATUS = "#include <stddef.h>\ntypedef enum acme_status { ACME_OK = 0, ACME_ERROR_OUT_OF_MEMORY = 1 } acme_status;\n"


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if not (shutil.which("c++") or shutil.which("g++")):
        absent("no C++ compiler")


def run(tmp_path: Path, header: str, name: str = "acme.h") -> NewChipResult:
    (tmp_path / name).write_text(header)
    return new_chip(NewChipRequest("acme", (tmp_path / name,), out=tmp_path, check=True))


def compiles(result: NewChipResult) -> bool:
    assert result.check.startswith("compiles against the header"), result.check
    return True


def test_error_numbers_that_the_status_type_does_not_hold(tmp_path: Path) -> None:
    header = f"""#include <stddef.h>
typedef int acme_status;
#define ACME_SUCCESS 0
#define ACME_ERROR_OUT_OF_MEMORY 0x80000001
#define ACME_ERROR_INVALID_VALUE 4294967295U
{RUNTIME}"""
    assert compiles(run(tmp_path, header))
    device = (tmp_path / "acme" / "src" / "acme_device.gen.cpp").read_text()
    assert "ACME_ERROR_OUT_OF_MEMORY" in device
    assert "ACME_ERROR_INVALID_VALUE" in device


def test_a_macro_of_the_header_does_not_replace_a_kernels_name(tmp_path: Path) -> None:
    result = run(tmp_path, f"{STATUS}{RUNTIME}\n#define acme_abs(a) ((a) < 0 ? -(a) : (a))\n")
    assert compiles(result)
    assert "aten::abs" in {b.op for b in result.bound}


def test_a_header_for_c_alone_that_repeats_a_function_of_the_c_library(tmp_path: Path) -> None:
    header = f"""#ifdef __cplusplus
#define ACME_PROTOTYPES 1
#endif
{STATUS}extern int isatty(int);
{RUNTIME}"""
    assert compiles(run(tmp_path, header))
    includes = (tmp_path / "acme" / "src" / "acme_symbols.gen.h").read_text()
    assert includes.index('extern "C" {') < includes.index('#include "acme.h"') < includes.index('}  // extern "C"')


@pytest.mark.parametrize(
    "needs",
    [
        "struct Size { int n; bool operator==(const Size &other) const = default; };",
        "#include <span>\ninline int acme_rank(std::span<const int> sizes) { return (int)sizes.size(); }",
    ],
)
def test_a_header_of_a_later_standard(needs: str, tmp_path: Path) -> None:
    header = f'{STATUS}\n{needs}\nextern "C" {{\n{RUNTIME}\n}}\n'
    assert compiles(run(tmp_path, header, "acme.hpp"))
    assert "set(CMAKE_CXX_STANDARD 20)" in (tmp_path / "acme" / "CMakeLists.txt").read_text()


def test_a_header_of_no_later_standard_than_needed(tmp_path: Path) -> None:
    assert compiles(
        run(tmp_path, f'{STATUS}// A size that requires no span.\nextern "C" {{\n{RUNTIME}\n}}\n', "acme.hpp")
    )
    assert "set(CMAKE_CXX_STANDARD 17)" in (tmp_path / "acme" / "CMakeLists.txt").read_text()


CLASSES = """#include <variant>
namespace acme {
class array { public: array(); ~array(); };
using where = std::variant<int, double>;
array relu(const array &a, where s = {});
array add(const array &a, const array &b, where s = {});
array multiply(const array &a, const array &b, where s = {});
array exp(const array &a, where s = {});
array tanh(const array &a, where s = {});
}
namespace acme::blas { extern "C" { void acme_saxpy(int n, const float *alpha, const float *x, float *y); } }
"""


def test_functions_over_objects_of_cxx_compile(tmp_path: Path) -> None:
    assert compiles(run(tmp_path, CLASSES, "acme.hpp"))


def test_functions_of_cxx_are_typed_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "acme.hpp").write_text(CLASSES)
    functions = {f.name: f for f in concrete(read_headers([tmp_path / "acme.hpp"])).functions}
    assert functions["acme_relu"].signature.startswith("acme::array (*)(const acme::array &, ")
    saxpy = functions["acme_blas_acme_saxpy"]
    assert (saxpy.symbol, saxpy.cxx) == ("acme_saxpy", "::acme::blas::acme_saxpy")


def test_missing_includes_are_named_where_the_code_does_not_compile(tmp_path: Path) -> None:
    header = f"""{STATUS}#include <acme/traits.hpp>
template <class T> struct Traits : acme::base_traits<T> {{ static const int size = acme::size_of<T>::value; }};
template struct Traits<float>;
extern "C" {{
{RUNTIME}
}}
"""
    result = run(tmp_path, header, "acme.hpp")
    assert result.check.startswith("does not compile"), result.check
    assert "fix: add the folders of acme/traits.hpp with -I" in result.check


def test_an_initialiser_that_takes_an_enum_gets_its_constant(tmp_path: Path) -> None:
    modes = (
        "typedef enum { ACME_MODE_LATER = 0, ACME_MODE_NOW = 1 } acme_mode;\nacme_status acme_init(acme_mode mode);\n"
    )
    assert compiles(run(tmp_path, f"{STATUS}{modes}{RUNTIME}"))
    assert "vendor::acme_init(ACME_MODE_LATER)" in (tmp_path / "acme" / "src" / "acme_device.gen.cpp").read_text()


def test_complex_numbers_of_c(tmp_path: Path) -> None:
    header = f"""{STATUS}#include <complex.h>
typedef float complex acme_complex;
acme_status acme_conj(const acme_complex *in, float complex *out, size_t n);
{RUNTIME}"""
    assert compiles(run(tmp_path, header))


def test_functions_of_any_number_of_arguments(tmp_path: Path) -> None:
    images = "".join(f"int img_{op}(Image *in, Image **out, ...);\n" for op in ("abs", "exp", "cos", "sin", "tanh"))
    pairs = "".join(f"int img_{op}(Image *left, Image *right, Image **out, ...);\n" for op in ("add", "multiply"))
    assert compiles(run(tmp_path, f"typedef struct Image Image;\n{images}{pairs}int img_width(Image *image);\n"))


def test_asserts_of_a_header_that_is_read_as_c(tmp_path: Path) -> None:
    header = f"""#include <assert.h>
{STATUS}#ifdef __cplusplus
#include <acme/compiler.hpp>
struct acme_half {{ ACME_DEVICE operator float() const {{ return ACME_IF(ACME_ON_CHIP, 1.0f, 0.0f); }} }};
#endif
{RUNTIME}"""
    assert compiles(run(tmp_path, header))
    assert "undef __cplusplus" in (tmp_path / "acme" / "src" / "acme_symbols.gen.h").read_text()


def test_which_functions_a_skeleton_can_call_through_the_table(tmp_path: Path) -> None:
    header = """namespace acme {
template <class T, class S = long> class vector { T *data; };
namespace linalg {
template <class T> void scan(const vector<T> &in, vector<T> &out);
template <class T> void exp(const T *in, T *out, int n);
template <class T> void bit_and(const T *a, const T *b, T *out, int n) { for (; n-- > 0;) out[n] = a[n] & b[n]; }
int print(const char *format, ...);
}}
"""
    (tmp_path / "acme.hpp").write_text(header)
    functions = {f.name: has_symbol(f) for f in concrete(read_headers([tmp_path / "acme.hpp"])).functions}
    assert functions.pop("acme_linalg_exp_f32")
    assert functions.pop("acme_linalg_exp_f64")
    assert not any(functions.values()), functions
    assert len(functions) == 5


def test_copies_from_a_source_that_is_not_const(tmp_path: Path) -> None:
    copies = """typedef void *acme_ptr;
acme_status acme_memcpy_h2d(acme_ptr dst, void *src, size_t bytes);
acme_status acme_memcpy_d2h(void *dst, acme_ptr src, size_t bytes);
acme_status acme_memcpy_d2d(acme_ptr dst, acme_ptr src, size_t bytes);
"""
    rest = "\n".join(line for line in RUNTIME.splitlines() if "memcpy" not in line)
    assert compiles(run(tmp_path, f"{STATUS}{copies}{rest}"))
    device = (tmp_path / "acme" / "src" / "acme_device.gen.cpp").read_text()
    assert all(f"vendor::acme_memcpy_{way}(" in device for way in ("h2d", "d2h", "d2d"))
