"""What new-chip writes compiles against the header, also where the header is not all there or is for C alone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from helpers import ROOT, absent, torchfl
from torchfl_sdk.scaffold import NewChipRequest, NewChipResult, new_chip

X1 = (ROOT / "chips" / "x1" / "sdk" / "include" / "x1_runtime.h").read_text()


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if not (shutil.which("c++") or shutil.which("g++")):
        absent("no C++ compiler")


RUNTIME = """
typedef enum acme_status { ACME_OK = 0, ACME_ERROR_OUT_OF_MEMORY = 1 } acme_status;
acme_status acme_malloc(void **ptr, size_t size);
acme_status acme_free(void *ptr);
acme_status acme_memcpy_h2d(void *dst, const void *src, size_t bytes);
acme_status acme_memcpy_d2h(void *dst, const void *src, size_t bytes);
"""
ADD = "acme_status acme_add_f32(const float *a, const float *b, float *out, size_t n);\n"


def run(tmp_path: Path, header: str, **options: object) -> NewChipResult:
    (tmp_path / "acme.h").write_text(header)
    return new_chip(NewChipRequest("acme", (tmp_path / "acme.h",), out=tmp_path, check=True, **options))  # type: ignore[arg-type]


def test_x1_compiles(tmp_path: Path) -> None:
    result = run(tmp_path, X1)
    assert result.check.startswith("compiles against the header")
    asserts = (tmp_path / "acme" / "src" / "acme_asserts.gen.cpp").read_text()
    assert "static_assert(sizeof(x1_tensor_t) == 40" in asserts
    assert "static_assert(offsetof(x1_tensor_t, ndim) == 16" in asserts


def test_typed_functions_share_the_extents_that_they_read(tmp_path: Path) -> None:
    """One kernel over a function per dtype: what every one of them reads is computed before the dtype is looked at."""
    axes, rows = "size_t outer, size_t n, size_t inner", "int rows, int cols, float eps"
    declared = (
        f"reduce_sum_{{0}}(const {{1}} *in, {{1}} *out, {axes})",
        f"reduce_max_{{0}}(const {{1}} *in, {{1}} *out, {axes})",
        f"softmax_{{0}}(const {{1}} *in, {{1}} *out, {axes})",
        f"index_select_{{0}}(const {{1}} *in, const int64_t *index, {{1}} *out, {axes}, size_t count)",
        f"rms_norm_{{0}}(const {{1}} *in, const {{1}} *weight, {{1}} *out, {rows})",
    )
    functions = [
        f"acme_status acme_{one.format(*t)};\n" for one in declared for t in (("f32", "float"), ("f64", "double"))
    ]
    header = "#include <stddef.h>\n#include <stdint.h>\n" + RUNTIME + "".join(functions)
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert {b.op for b in result.bound} >= {
        "aten::sum",
        "aten::amax",
        "aten::softmax",
        "aten::index_select",
        "aten::rms_norm",
    }


def test_missing_includes_are_stood_in_for(tmp_path: Path) -> None:
    header = f"""#include <stddef.h>
#include <acme_platform.h>
#include "sub/acme_types.h"
{RUNTIME}
ACME_EXPORT acme_status acme_neg_f32(const float *in, float *out, size_t n);
acme_status acme_tune(acme_tuning_t *how, acme_level level);
{ADD}"""
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert {"aten::add", "aten::neg"} <= {b.op for b in result.bound}
    assert (tmp_path / "acme" / "src" / "missing.gen.d" / "sub" / "acme_types.h").is_file()
    assert "acme_tune" in {u.function for u in result.unbound}


def test_missing_includes_above_the_header_are_stood_in_for(tmp_path: Path) -> None:
    header = f"""#include <stddef.h>
#include "../include/acme_platform.h"
#include "../../common/acme_types.h"
#include "acme_more.h"
{RUNTIME}
{ADD}"""
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert {"aten::add"} <= {b.op for b in result.bound}
    folder = tmp_path / "acme" / "src" / "missing.gen.d"
    for name in ("up/include/acme_platform.h", "common/acme_types.h", "up/up/acme_more.h"):
        assert (folder / name).is_file(), name


def test_words_of_cxx_as_names_in_a_header_for_c(tmp_path: Path) -> None:
    header = f"""#include <stddef.h>
#include <string.h>
{RUNTIME}
typedef struct acme_opts {{ int class; int new; }} acme_opts;
acme_status acme_configure(acme_opts *this, int template);
acme_status acme_neg_f32(const float *restrict in, float *restrict out, size_t n);
{ADD}"""
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert {"aten::add", "aten::neg"} <= {b.op for b in result.bound}


def test_a_header_that_does_not_compile_is_the_vendors(tmp_path: Path) -> None:
    """The files are written, the first errors are shown, and the command succeeds: nothing here is ours to mend."""
    header = (
        f'#include <stddef.h>\n#ifdef __GNUC__\n#ifndef __clang__\n#error "armcc only"\n#endif\n#endif\n{RUNTIME}{ADD}'
    )
    result = run(tmp_path, header)
    assert result.written
    assert result.check.startswith("does not compile")
    assert "in the vendor's header" in result.check
    assert "armcc only" in result.check
    assert result.exit_code == 0


def test_no_compiler_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert run(tmp_path, X1).check == "not checked: no C++ compiler here"


def test_command_line_checks_unless_told_not_to(tmp_path: Path) -> None:
    (tmp_path / "acme.h").write_text(X1)
    done = torchfl("new-chip", "one", "--header", "acme.h", cwd=tmp_path)
    assert "check: compiles against the header" in done.stdout
    done = torchfl("new-chip", "two", "--header", "acme.h", "--no-check", cwd=tmp_path)
    assert done.returncode == 0
    assert "check:" not in done.stdout


def test_a_header_whose_cxx_half_is_not_there_is_compiled_as_c(tmp_path: Path) -> None:
    header = f"""#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <acme/compiler.h>
struct acme_half_t {{
  uint16_t bits;
  ACME_DEVICE operator float() const {{ return ACME_IF(ACME_ON_CHIP, to_float(bits), 0.0f); }}
}};
extern "C" {{
acme_status acme_mul_f16(const acme_half_t *a, const acme_half_t *b, acme_half_t *out, size_t n);
#else
typedef struct {{ uint16_t bits; }} acme_half_t;
#endif
{RUNTIME}
acme_status acme_neg_f16(const acme_half_t *in, acme_half_t *out, size_t n);
{ADD}
#ifdef __cplusplus
}}
#endif
"""
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert {"aten::add", "aten::neg"} <= {b.op for b in result.bound}
    assert "aten::mul" not in {b.op for b in result.bound}  # declared where generated code cannot look
    assert "undef __cplusplus" in (tmp_path / "acme" / "src" / "acme_symbols.gen.h").read_text()


def test_functions_that_promise_noexcept_to_cxx_alone(tmp_path: Path) -> None:
    add = "acme_status acme_add_f32(const float *a, const float *b, float *out, size_t n) ACME_NOTHROW;"
    header = f"""#include <stddef.h>
#ifdef __cplusplus
#define ACME_NOTHROW noexcept
extern "C" {{
#else
#define ACME_NOTHROW
#endif
{RUNTIME}{add}
#ifdef __cplusplus
}}
#endif
"""
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert "aten::add" in {b.op for b in result.bound}


def test_a_kernel_that_cannot_be_completed_is_a_typed_skeleton(tmp_path: Path) -> None:
    header = f"""#include <stddef.h>
typedef struct acme_tuning acme_tuning;
{RUNTIME}{ADD}
acme_status acme_tanh_f32(const float *in, float *out, size_t n, acme_tuning *how);
"""
    result = run(tmp_path, header)
    assert result.check.startswith("compiles against the header"), result.check
    assert result.skeletons == ("aten::tanh",)
    assert "skeletons of 1 kernels, which fall back until they are written: tanh" in result.to_text()
    kernels = (tmp_path / "acme" / "src" / "acme_kernels.cpp").read_text()
    skeleton = kernels[kernels.index("// aten::tanh") :]
    assert "acme_tanh_f32, acme.h:" in skeleton
    assert "const float *in: input" in skeleton
    assert "acme_tuning *how: handle" in skeleton
    assert "not written: no function of the header makes a acme_tuning" in skeleton
    assert 'return torchfl::unsupported("acme_tanh is a skeleton");' in skeleton
    assert "aten::tanh" not in (tmp_path / "acme" / "acme_device.yaml").read_text()


#: Two functions whose op is known and whose call is not, one that no name gives away, and one for the driver.
OPEN = f"""#include <stddef.h>
typedef struct acme_tuning acme_tuning;
{RUNTIME}{ADD}
acme_status acme_tanh_f32(const float *in, float *out, size_t n, acme_tuning *how);
acme_status acme_sin_f32(const float *in, float *out, size_t n, acme_tuning *how);
acme_status acme_fold7(float *out, const float *in, size_t n);
"""


def write_kernel(project: Path, op: str, body: str) -> None:
    """Put a person's body in the place of a skeleton's answer."""
    path = project / "src" / "acme_kernels.cpp"
    text, answer = path.read_text(), f'  return torchfl::unsupported("acme_{op} is a skeleton");\n'
    assert text.count(answer) == 1
    path.write_text(text.replace(answer, body))


def bound_to(project: Path) -> dict[str, set[str]]:
    """Kernel function -> the vendor functions that the chip library's table binds to it."""
    text = (project / "src" / "acme_chip.gen.cpp").read_text()
    found = re.findall(r"^constexpr uint32_t (\w+)_symbols\[\] = \{(.*)\};$", text, re.MULTILINE)
    return {kernel: set(re.findall(r"vendor::at_(\w+)", symbols)) for kernel, symbols in found}


def test_a_skeleton_can_be_written_without_another_run(tmp_path: Path) -> None:
    run(tmp_path, OPEN)
    project = tmp_path / "acme"
    call = "status(vendor::acme_tanh_f32(torchfl::data<const float>(self), torchfl::data<float>(out), 1, nullptr))"
    assert "status(vendor::acme_tanh_f32(...))" in (project / "src" / "acme_kernels.cpp").read_text()
    write_kernel(project, "tanh", f"  return {call};\n")
    done = torchfl(project, program="torchfl-build")
    assert done.returncode == 0, done.stderr
    assert bound_to(project)["acme_tanh"] == {"acme_tanh_f32"}


def test_a_function_that_a_person_calls_is_listed_by_the_next_run(tmp_path: Path) -> None:
    run(tmp_path, OPEN)
    project = tmp_path / "acme"
    write_kernel(project, "tanh", "  // not vendor::acme_sin_f32\n  return helper(out, self);\n")
    kernels = project / "src" / "acme_kernels.cpp"
    helper = """tfl_status helper(const tfl_tensor& out, const tfl_tensor& in) {
  if (in.numel > 1) {
    return status(vendor::acme_fold7(torchfl::data<float>(out), torchfl::data<const float>(in), 1));
  }
  return status(vendor::acme_memcpy_d2h(torchfl::data<float>(out), torchfl::data<const float>(in), 1));
}

}  // namespace
"""
    kernels.write_text(kernels.read_text().replace("}  // namespace\n", helper, 1))
    done = torchfl(project, program="torchfl-build")
    assert done.returncode == 2
    assert "acme_fold7 is not among the vendor functions" in done.stderr
    assert "torchfl new-chip NAME --on-conflict merge" in done.stderr
    again = run(tmp_path, OPEN, on_conflict="merge")
    assert again.check.startswith("compiles against the header"), again.check_errors
    assert bound_to(project)["acme_tanh"] == {"acme_fold7"}, "a copy proves no computation"
    assert bound_to(project)["acme_sin"] == {"acme_sin_f32"}
    assert again.skeletons == ("aten::sin",)
    assert run(tmp_path, OPEN, on_conflict="merge").nothing_to_do


def test_a_kernel_of_ones_own_joins_by_its_entry(tmp_path: Path) -> None:
    run(tmp_path, OPEN)
    project = tmp_path / "acme"
    kernels, profile = project / "src" / "acme_kernels.cpp", project / "acme_device.yaml"
    own = """
tfl_status my_floor(const tfl_call* call) {
  return status(vendor::acme_fold7(torchfl::data<float>(call->outputs[0]), nullptr, 1));
}

}  // namespace kernels
"""
    kernels.write_text(kernels.read_text().replace("\n}  // namespace kernels\n", own))
    entry = """  - name: aten::floor
    impl: my_floor
    dtype_support: [float32]
    inplace: true
    provenance: unverified
"""
    profile.write_text(profile.read_text() + entry)
    again = run(tmp_path, OPEN, on_conflict="merge")
    assert again.check.startswith("compiles against the header"), again.check_errors
    assert bound_to(project)["my_floor"] == {"acme_fold7"}
    table = (project / "src" / "acme_chip.gen.cpp").read_text()
    assert '{sizeof(tfl_kernel), TFL_KERNEL_INPLACE, "my_floor", "aten::floor",' in table
    assert "my_floor" in kernels.read_text()
    assert run(tmp_path, OPEN, on_conflict="merge").nothing_to_do


def test_a_header_whose_memory_functions_cannot_be_called_is_doubted(tmp_path: Path) -> None:
    """Computing on host memory is right for a library on the host; where the header allocates, it is a guess."""
    add = "typedef enum acme_status { ACME_OK = 0, ACME_FAILED = 1 } acme_status;\n#include <stddef.h>\n" + ADD
    plain = run(tmp_path, add)
    memory = (
        "double acme_malloc(void **ptr, size_t size);\ndouble acme_memcpy_h2d(void *to, const void *from, size_t n);\n"
    )
    again = run(tmp_path, add + memory, on_conflict="merge")
    (said,) = set(again.warnings) - set(plain.warnings)
    assert not any("host's own memory" in w for w in plain.warnings)
    assert "given the host's own memory, although acme_malloc, acme_memcpy_h2d look as if" in said
    assert f"warning: {said}" in again.to_text()


def test_functions_that_headers_overload_for_cxx(tmp_path: Path) -> None:
    """The address of a C function that also has a template or another overload is one of several."""
    overloads = """
#ifdef __cplusplus
template <class T> static inline acme_status acme_malloc(T **ptr, size_t size) {
  return acme_malloc((void **)(void *)ptr, size);
}
extern "C++" inline acme_status acme_add_f32(const float *a, float *out) { return acme_add_f32(a, a, out, 1); }
#endif
"""
    result = run(tmp_path, "#include <stddef.h>\n" + RUNTIME + ADD + overloads)
    assert result.check.startswith("compiles against the header"), result.check
    assert {b.op for b in result.bound} == {"aten::add"}
    asserts = (tmp_path / "acme" / "src" / "acme_asserts.gen.cpp").read_text()
    assert '&::acme_free)>::type, acme_status (*)(void*)>, "acme_free has another signature"' in asserts
    assert '"acme_malloc has another signature"' in asserts
