"""torchfl-build: x1 from its header, built once; its kernels tried on numpy arrays through the generated module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from build_helpers import Chip, load_chip
from helpers import Sdk
from torchfl.errors import TorchflError
from torchfl_sdk.build import build_project
from torchfl_sdk.build.elf import read_dynamic
from torchfl_sdk.build.verify import verify_chip_library
from torchfl_sdk.scaffold import NewChipRequest, new_chip

F32_F16_I8 = (np.float32, np.float16, np.int8)


@pytest.fixture(scope="module")
def project(x1_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """x1's project, built. Do not change it; copy it first."""
    parent = tmp_path_factory.mktemp("built")
    made = new_chip(NewChipRequest("x1", (x1_sdk.header,), lib=x1_sdk.library, out=parent)).project
    result = build_project(made, jobs=2)
    assert result.files[0].name == "libx1_chip.so"
    assert all(p.parent == made.resolve() for p in result.files)
    assert result.seconds > 0
    return made


@pytest.fixture(scope="module")
def x1(project: Path, x1_sdk: Sdk) -> Chip:
    return load_chip(project, "x1", x1_sdk.library)


def values(dtype: type, *shape: int, seed: int = 0) -> np.ndarray:
    """Random values; small integers for int8, so that sums stay in range."""
    random = np.random.default_rng(seed)
    if dtype is np.int8:
        return random.integers(-9, 9, size=shape).astype(dtype)
    return random.normal(size=shape).astype(dtype)


def test_library_exports_one_function_and_links_nothing_of_the_vendor(project: Path) -> None:
    info = read_dynamic(project / "libx1_chip.so")
    assert {s for s in info.exported if not s.startswith("_Z")} == {"torchfl_chip_v1"}
    assert not [n for n in info.needed if not n.startswith(("libstdc++", "libm.", "libgcc_s", "libc.", "libdl", "ld-"))]
    verify_chip_library(project / "libx1_chip.so", ("$LIB_PATH/libx1.so",))


def test_module_lists_what_the_library_has(x1: Chip) -> None:
    module = x1.module
    assert module.chip == "x1"
    assert module.abi == (1, 2)
    assert len(module.header_hash) == 64
    kernels = {k["name"]: k for k in module.kernels()}
    assert kernels["x1_addmm"]["op"] == "aten::addmm"
    assert kernels["x1_addmm"]["symbols"] == ["x1_gemm"]
    assert kernels["x1_add"]["flags"] & 1
    assert kernels["x1_mm"]["flags"] & 8
    slots = module.slots()
    assert slots["map_host"]
    assert slots["copy_d2d"]
    assert not slots["stream_create"]
    assert module.device_count() == 2
    assert all(s["resolved"] for s in module.symbols().values())


@pytest.mark.parametrize("dtype", F32_F16_I8)
@pytest.mark.parametrize(
    ("kernel", "reference", "attrs"),
    [
        ("x1_add", np.add, [1]),
        ("x1_sub", np.subtract, [1]),
        ("x1_mul", np.multiply, []),
        ("x1_maximum", np.maximum, []),
        ("x1_minimum", np.minimum, []),
    ],
)
def test_binary_kernels(x1: Chip, kernel: str, reference: np.ufunc, attrs: list[int], dtype: type) -> None:
    a, b = values(dtype, 3, 5), values(dtype, 3, 5, seed=1)
    np.testing.assert_array_equal(x1.run(kernel, [a, b], np.full_like(a, 77), attrs), reference(a, b))


def test_scalar_attribute_is_passed_and_defaults(x1: Chip) -> None:
    a = values(np.float32, 50)
    for attrs, slope in (([0.25], 0.25), ([None], 0.01), ([2], 2.0)):
        got = x1.run("x1_leaky_relu", [a], np.empty_like(a), attrs)
        np.testing.assert_allclose(got, np.where(a > 0, a, np.float32(slope) * a), rtol=1e-6)


def test_attribute_that_the_vendor_lacks_declines(x1: Chip) -> None:
    a = values(np.float32, 4)
    before = x1.calls("x1_add")
    with pytest.raises(RuntimeError, match="UNSUPPORTED: the vendor's function has no alpha"):
        x1.run("x1_add", [a, a], np.empty_like(a), [2])
    assert x1.calls("x1_add") == before, "the driver must not see a call that it cannot serve"


def test_dtype_that_the_vendor_lacks_declines(x1: Chip) -> None:
    a = values(np.float64, 4)
    with pytest.raises(RuntimeError, match="UNSUPPORTED: no x1_dtype_t for this dtype"):
        x1.run("x1_add", [a, a], np.empty_like(a), [1])
    with pytest.raises(RuntimeError, match="UNSUPPORTED: operands of different dtypes"):
        x1.run("x1_add", [a, a.astype(np.float32)], np.empty(4, np.float32), [1])


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("form_a", ["dense", "transposed", "padded", "padded transposed"])
@pytest.mark.parametrize("form_b", ["dense", "transposed", "padded", "padded transposed"])
def test_mm_takes_every_matrix_layout(x1: Chip, dtype: type, form_a: str, form_b: str) -> None:
    a, b = matrix(dtype, 5, 7, form_a), matrix(dtype, 7, 4, form_b)
    want = a.astype(np.float64) @ b.astype(np.float64)
    got = x1.run("x1_mm", [a, b], np.full((5, 4), 77, dtype))
    np.testing.assert_allclose(got, want, rtol=1e-5 if dtype is np.float32 else 1e-2, atol=1e-2)


def matrix(dtype: type, rows: int, cols: int, form: str) -> np.ndarray:
    """A matrix whose memory has the named form; what lies between its rows is NaN."""
    shape = (cols, rows) if "transposed" in form else (rows, cols)
    if "padded" in form:
        base = np.full((shape[0], shape[1] + 3), np.nan, dtype)
        base[:, : shape[1]] = values(dtype, *shape, seed=rows)
        base = base[:, : shape[1]]
    else:
        base = values(dtype, *shape, seed=rows)
    return base.T if "transposed" in form else base


def test_a_result_with_padded_rows_keeps_what_lies_between(x1: Chip) -> None:
    a, b = values(np.float32, 3, 2), values(np.float32, 2, 4)
    base = np.full((3, 6), 77, np.float32)
    x1.run("x1_mm", [a, b], base[:, 1:5])
    np.testing.assert_allclose(base[:, 1:5], a @ b, rtol=1e-5)
    assert (base[:, [0, 5]] == 77).all()


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7, 64])
def test_addmm_adds_a_row_a_matrix_or_padded_rows(x1: Chip, rows: int) -> None:
    a, b = values(np.float32, rows, 3), values(np.float32, 3, 5)
    bias = values(np.float32, 5, seed=2)
    padded = matrix(np.float32, rows, 5, "padded")
    for self in (np.broadcast_to(bias, (rows, 5)), values(np.float32, rows, 5, seed=3), padded):
        got = x1.run("x1_addmm", [self, a, b], np.full((rows, 5), np.nan, np.float32), [0.5, 2])
        np.testing.assert_allclose(got, 0.5 * self + 2 * (a @ b), rtol=1e-5, atol=1e-6)


def test_addmm_with_beta_zero_ignores_self(x1: Chip) -> None:
    a, b = values(np.float32, 2, 3), values(np.float32, 3, 5)
    nan = np.full((2, 5), np.nan, np.float32)
    np.testing.assert_allclose(x1.run("x1_addmm", [nan, a, b], nan.copy(), [0, 1]), a @ b, rtol=1e-5)


def test_addmm_declines_what_rows_cannot_copy(x1: Chip) -> None:
    a, b = values(np.float32, 2, 3), values(np.float32, 3, 5)
    column = np.broadcast_to(values(np.float32, 2, 1), (2, 5))
    with pytest.raises(RuntimeError, match="UNSUPPORTED: a matrix whose rows are not dense"):
        x1.run("x1_addmm", [column, a, b], np.empty((2, 5), np.float32), [1, 1])


def test_mm_declines_an_empty_sum_and_takes_an_empty_result(x1: Chip) -> None:
    empty = np.empty((2, 0), np.float32)
    with pytest.raises(RuntimeError, match="UNSUPPORTED: an empty sum"):
        x1.run("x1_mm", [empty, empty.T], np.empty((2, 2), np.float32))
    assert x1.run("x1_mm", [empty.T, values(np.float32, 2, 3)], np.empty((0, 3), np.float32)).shape == (0, 3)


def convolve(x: np.ndarray, w: np.ndarray, b: np.ndarray | None, stride: int, padding: int, groups: int) -> np.ndarray:
    """conv2d by its definition, in float64."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, _, h, wide = x.shape
    k, per_group, kh, kw = w.shape
    out = np.zeros((n, k, (h - kh) // stride + 1, (wide - kw) // stride + 1))
    for o in range(k):
        first = o // (k // groups) * per_group
        for i in range(out.shape[2]):
            for j in range(out.shape[3]):
                patch = x[:, first : first + per_group, i * stride : i * stride + kh, j * stride : j * stride + kw]
                out[:, o, i, j] = (patch * w[o].astype(np.float64)).sum(axis=(1, 2, 3))
    return out if b is None else out + b.astype(np.float64).reshape(1, -1, 1, 1)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("stride", "padding", "groups"), [(1, 0, 1), (2, 1, 1), (4, 2, 2), (1, 1, 4)])
def test_conv2d(x1: Chip, stride: int, padding: int, groups: int, bias: bool) -> None:
    x, w = values(np.float16, 2, 4, 8, 9), values(np.float16, 8, 4 // groups, 3, 3, seed=1)
    b = values(np.float16, 8, seed=2) if bias else None
    want = convolve(x, w, b, stride, padding, groups)
    attrs = [[stride, stride], [padding], [1, 1], False, [0, 0], groups]
    got = x1.run("x1_conv2d", [x, w, b], np.full(want.shape, 77, np.float16), attrs)
    np.testing.assert_allclose(got, want, rtol=1e-2, atol=2e-2)


def test_conv2d_declines_what_it_cannot_pass(x1: Chip) -> None:
    x, w, out = values(np.float16, 1, 4, 6, 6), values(np.float16, 4, 4, 3, 3), np.empty((1, 4, 4, 4), np.float16)
    plain = [[1, 1], [0, 0], [1, 1], False, [0, 0], 1]
    before = x1.calls("x1_conv2d")
    for attrs, arrays, why in (
        ([*plain[:3], True, *plain[4:]], [x, w, None], "no transposed"),
        ([[2**31, 1], *plain[1:]], [x, w, None], "stride beyond the vendor type"),
        ([*plain[:5], 2**31], [x, w, None], "groups beyond the vendor type"),
        (plain, [x[0], w, None], "not a batch of images"),
        (plain, [x, w[None], None], "weight: not for x1_tensor_t"),
    ):
        with pytest.raises(RuntimeError, match=f"UNSUPPORTED: .*{why}"):
            x1.run("x1_conv2d", arrays, out, attrs)
    assert x1.calls("x1_conv2d") == before


def test_the_vendors_own_refusal_carries_its_text(x1: Chip) -> None:
    x, w = values(np.float16, 1, 4, 9, 9), values(np.float16, 4, 4, 3, 3)
    with pytest.raises(RuntimeError, match=r"x1_conv2d: UNSUPPORTED: X1_ERROR_UNSUPPORTED: .*stride"):
        x1.run("x1_conv2d", [x, w, None], np.empty((1, 4, 3, 3), np.float16), [[3, 3], [0], [1], False, [0], 1])


def test_kernels_run_on_the_device_of_the_call(x1: Chip) -> None:
    a = values(np.float32, 6)
    for device in (1, 0, 1):
        got = x1.module.run("x1_relu", [a], np.empty_like(a), device=device)
        np.testing.assert_array_equal(got, np.maximum(a, 0))
    with pytest.raises(RuntimeError, match="INVALID_ARGUMENT"):
        x1.module.run("x1_relu", [a], np.empty_like(a), device=7)


def test_unknown_kernel_and_odd_arrays_are_python_errors(x1: Chip) -> None:
    a = values(np.float32, 4)
    with pytest.raises(KeyError, match="no kernel 'nope'"):
        x1.run("nope", [a], a)
    with pytest.raises(ValueError, match="negative or odd strides"):
        x1.run("x1_relu", [a[::-1]], np.empty_like(a))
    with pytest.raises(ValueError, match="no torchfl dtype"):
        x1.run("x1_relu", [a.astype(np.complex64)], np.empty_like(a))
    fixed = np.zeros(4, np.float32)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x1.run("x1_relu", [a], fixed)


def test_library_that_does_not_open_says_why(project: Path, tmp_path: Path) -> None:
    code = f"import x1_wrapper; x1_wrapper.open({str(tmp_path / 'no.so')!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "NO_DRIVER" in done.stderr
    assert "no.so: cannot open shared object file" in done.stderr


def test_unchanged_project_compiles_nothing_and_a_moved_one_builds(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "a b é" / "x1"
    shutil.copytree(project, copy)
    build_project(copy, jobs=2)
    assert str(copy) in (copy / "build" / "torchfl-build.log").read_text()
    build_project(copy, jobs=2)
    assert "ninja: no work to do" in (copy / "build" / "torchfl-build.log").read_text()


def test_compile_error_names_the_line_and_keeps_the_old_library(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "x1"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build"))
    before = (copy / "libx1_chip.so").read_bytes()
    kernels = copy / "src" / "x1_kernels.cpp"
    lines = kernels.read_text().splitlines()
    kernels.write_text("\n".join([*lines, "int broken( { return nope; }", ""]))
    with pytest.raises(TorchflError) as error:
        build_project(copy, jobs=2)
    problem = error.value.problems[0]
    assert problem.code == "TFL0504"
    assert problem.place.file.endswith("x1_kernels.cpp")
    assert problem.place.line == len(lines) + 1
    assert "torchfl-build.log" in str(error.value)
    assert error.value.exit_code == 2
    assert (copy / "libx1_chip.so").read_bytes() == before
    assert not [p for p in copy.iterdir() if p.name.startswith(".lib")]


def test_a_newer_header_is_a_compile_error_that_says_what_changed(project: Path, x1_sdk: Sdk, tmp_path: Path) -> None:
    copy, include = tmp_path / "x1", tmp_path / "include"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build"))
    include.mkdir()
    header = x1_sdk.header.read_text().replace("X1_DTYPE_FLOAT16 = 1", "X1_DTYPE_FLOAT16 = 4")
    header = header.replace("int          ndim;\n    int          dims", "int64_t      ndim;\n    int          dims")
    (include / "x1_runtime.h").write_text(header)
    recipe = copy / "CMakeLists.txt"
    recipe.write_text(recipe.read_text().replace(f'"{x1_sdk.header.parent}"', f'"{include}"'))
    with pytest.raises(TorchflError) as error:
        build_project(copy, jobs=2)
    assert "X1_DTYPE_FLOAT16 has another value" in str(error.value)
    assert "x1_tensor_t.ndim has another type" in str(error.value)


def test_linked_vendor_library_is_refused(project: Path, x1_sdk: Sdk, tmp_path: Path) -> None:
    copy = tmp_path / "x1"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build", "*.so"))
    recipe = copy / "CMakeLists.txt"
    link = f'target_link_libraries(x1_chip PRIVATE -Wl,--no-as-needed "{x1_sdk.library}")\n'
    recipe.write_text(recipe.read_text() + link)
    with pytest.raises(TorchflError, match=r"TFL0505 .*is linked with the vendor's libx1\.so"):
        build_project(copy, jobs=2)
    assert not (copy / "libx1_chip.so").exists()


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        ("int other;", "does not export torchfl_chip_v1"),
        ("void* PyList_New(long); void* torchfl_chip_v1() { return PyList_New(0); }", "uses Python: PyList_New"),
        ("void _ZN3c101fEv(); void torchfl_chip_v1() { _ZN3c101fEv(); }", "uses torch: _ZN3c101fEv"),
    ],
)
def test_rules_of_a_chip_library(body: str, finding: str, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(f'extern "C" {{ {body} }}\n')
    subprocess.run(["c++", "-shared", "-fPIC", "-o", "liba.so", "a.cpp"], cwd=tmp_path, check=True)
    with pytest.raises(TorchflError) as error:
        verify_chip_library(tmp_path / "liba.so", ())
    assert [p.code for p in error.value.problems] == ["TFL0505"]
    assert finding in str(error.value)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"text", b"\x7fELF\x02\x01" + bytes(20)):
        (tmp_path / "a.so").write_bytes(content)
        with pytest.raises(TorchflError, match=r"TFL0505 .*no 64-bit little-endian ELF"):
            verify_chip_library(tmp_path / "a.so", ())


@pytest.mark.parametrize("files", [[], ["CMakeLists.txt"], ["CMakeLists.txt", "x1_device.yaml"]])
def test_what_is_no_project_is_refused(files: list[str], tmp_path: Path) -> None:
    for name in files:
        (tmp_path / name).write_text("")
    with pytest.raises(TorchflError, match=r"TFL0501 .*torchfl new-chip"):
        build_project(tmp_path)
    with pytest.raises(TorchflError, match=r"TFL0501 .*no such folder"):
        build_project(tmp_path / "absent")


def test_missing_compiler_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    with pytest.raises(TorchflError, match=r"TFL0502 compiler: \$CXX names 'no-such-compiler -O2'"):
        build_project(project)
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TorchflError, match=r"TFL0502 compiler: no C\+\+ compiler on PATH"):
        build_project(project)


def test_cmake_error_names_its_place(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "x1"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build", "*.so"))
    (copy / "src" / "x1_chip.gen.cpp").unlink()
    with pytest.raises(TorchflError, match=r"TFL0503 .*Cannot find source file"):
        build_project(copy)


def test_a_compiler_cache_that_cannot_work_is_left_out(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("ccache") is None:
        (tmp_path / "bin").mkdir()
        fake = tmp_path / "bin" / "ccache"
        fake.write_text("#!/bin/sh\necho 'ccache: error: no cache here' >&2\nexit 1\n")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("CCACHE_DIR", "/proc/nowhere")
    copy = tmp_path / "x1"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build", "*.so"))
    build_project(copy, jobs=2)
    assert "ccache: error" in (copy / "build" / "torchfl-build.log").read_text()
    assert (copy / "libx1_chip.so").is_file()


def test_clean_builds_everything_again(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "x1"
    shutil.copytree(project, copy)
    (copy / "build" / "mine").mkdir()
    build_project(copy, clean=True, jobs=2)
    assert not (copy / "build" / "mine").exists()
    assert "Building CXX object" in (copy / "build" / "torchfl-build.log").read_text()
