"""Headers whose surroundings are missing: what is read, what is left out, and that nothing untrue is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import X1_HEADER, header, read
from torchfl_sdk.header import HeaderModel, read_headers, toolchain


def excluded(model: HeaderModel) -> dict[str, str]:
    return {e.name: e.reason for e in model.excluded}


def codes(model: HeaderModel) -> list[str]:
    return [p.code for p in model.problems]


def test_unknown_types_do_not_become_int(tmp_path: Path) -> None:
    """The trap: with its include missing, C reads every unknown type as int and goes on."""
    model = read(
        tmp_path,
        """
        #include <vendor_types.h>
        typedef vendor_real acme_real;
        typedef struct { vendor_size n; } acme_inner;
        typedef struct { acme_inner *inner; } acme_outer;
        int acme_direct(vendor_stream s, const float *x);
        int acme_by_typedef(const acme_real *x);
        int acme_by_struct(acme_outer *o);
        int acme_by_array(vendor_dim d[4]);
        vendor_status acme_by_result(int n);
        int acme_by_callback(void (*done)(vendor_event *e));
        int acme_clean(const float *x, int n);
        """,
    )
    assert [f.name for f in model.functions] == ["acme_clean"]
    found = excluded(model)
    assert found["acme_direct"] == "depends on 'vendor_stream', which is not resolved"
    for name in ("acme_by_typedef", "acme_by_struct", "acme_by_array", "acme_by_result", "acme_by_callback"):
        assert "not resolved" in found[name], name
    assert "acme_outer" in found
    assert "acme_inner" in found
    assert set(codes(model)) == {"TFL0305", "TFL0306"}
    missing = next(p for p in model.problems if p.code == "TFL0306")
    assert "vendor_types.h" in missing.cause
    assert missing.place.line == 2
    unknown = next(p for p in model.problems if "vendor_stream" in p.cause)
    assert unknown.place.line == 6
    assert unknown.place.file.endswith("acme.h")


def test_no_parameter_is_an_int_that_the_header_did_not_write(tmp_path: Path) -> None:
    text = "#include <gone.h>\n" + "\n".join(
        f"int acme_f{i}(gone_{i} a, const gone_t{i} *b, float *c);" for i in range(40)
    )
    model = read(tmp_path, text)
    assert model.functions == ()
    assert len(model.untrusted) == 40
    assert all("which is not resolved" in reason for reason in excluded(model).values())
    assert set(codes(model)) == {"TFL0305", "TFL0306"}


@pytest.mark.parametrize(
    "declaration",
    [
        "ACME_API int acme_f(const float *x, int n);",
        "int ACME_CALL acme_f(const float *x, int n);",
        "int acme_f(const float *x, int n) ACME_NOEXCEPT;",
        "ACME_API int ACME_CALL acme_f(ACME_IN const float *x, ACME_IN int n);",
        'ACME_DEPRECATED("use g") int acme_f(const float *x, int n);',
        "ACME_EXPORT(int) acme_f(const float *x, int n);",
        "extern ACME_API int acme_f(const float *x, int n);",
        "acme_api int acme_f(const float *x, int n);",
    ],
)
def test_undefined_decorations_are_taken_as_empty(tmp_path: Path, declaration: str) -> None:
    model = read(tmp_path, f"{declaration}\nint acme_g(void);\n")
    function = model.function("acme_f")
    assert function is not None, model.problems
    assert function.result.canonical == "int"
    assert [(p.name, p.type.canonical) for p in function.params] == [("x", "const float *"), ("n", "int")]
    assert "TFL0310" in codes(model)
    assert model.excluded == ()


def test_a_type_before_a_calling_convention_is_a_type(tmp_path: Path) -> None:
    model = read(tmp_path, "acme_status ACME_CALL acme_f(int n);\nint acme_g(int n);\n")
    assert [f.name for f in model.functions] == ["acme_g"]
    assert "'acme_status'" in excluded(model)["acme_f"]


def test_undeclared_constants_spoil_only_what_uses_them(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
        typedef struct { int dims[ACME_MAX]; } acme_shape;
        int acme_uses(acme_shape *s);
        int acme_array(int a[ACME_MAX]);
        int acme_free_of_it(int n);
        """,
    )
    assert [f.name for f in model.functions] == ["acme_free_of_it"]
    assert {"acme_uses", "acme_array", "acme_shape"} <= set(excluded(model))
    assert "TFL0311" in codes(model)


def test_a_line_that_is_no_c_is_left_out(tmp_path: Path) -> None:
    model = read(tmp_path, "int acme_a(int x);\nint acme_b(int int float x);\nint acme_c(int x);\n")
    assert [f.name for f in model.functions] == ["acme_a", "acme_c"]
    broken = [p for p in model.problems if p.code == "TFL0307"]
    assert broken
    assert broken[0].place.line == 2


def test_a_typo_is_not_corrected_silently(tmp_path: Path) -> None:
    text = "typedef float acme_real;\nint acme_a(acme_reel *x);\nint acme_b(acme_real *x);\n"
    model = read(tmp_path, text)
    assert [f.name for f in model.functions] == ["acme_b"]


def test_missing_namespaces_are_stood_in_for(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        '#include <other.hpp>\nnamespace acme { int f(other::Tensor *t); }\nextern "C" int acme_g(const float *x);\n',
    )
    assert model.language == "c++"
    assert [f.name for f in model.functions] == ["acme_g"]
    assert "acme::f" in excluded(model)


def test_names_of_the_c_library_need_no_include(tmp_path: Path) -> None:
    model = read(tmp_path, "int acme_f(const float *x, size_t n, uint8_t b);")
    assert [p.type.bits for p in model.functions[0].params[1:]] == [64, 8]
    assert model.problems == ()


@pytest.mark.parametrize("suffix", ["h", "hpp"])
def test_headers_are_read_in_the_order_in_which_they_need_each_other(tmp_path: Path, suffix: str) -> None:
    """Named first what uses the types, last what declares them, and between them a header that needs both."""
    user = "acme_status acme_relu(const acme_tensor *x, acme_tensor *y, acme_mode mode);\n"
    both = "typedef struct { acme_tensor *inner; acme_scalar s; } acme_pair;\nacme_status acme_both(acme_pair *p);\n"
    types = (
        "typedef int acme_status;\ntypedef struct acme_tensor acme_tensor;\ntypedef float acme_scalar;\n"
        "typedef enum { ACME_FAST, ACME_EXACT } acme_mode;\n"
    )
    guard = '#ifdef __cplusplus\nextern "C" {\n#endif\n%s#ifdef __cplusplus\n}\n#endif\n'
    paths = [
        header(tmp_path, guard % text, f"{name}.{suffix}")
        for name, text in (("ops", user), ("pairs", both), ("types", types))
    ]
    model = read_headers(paths)
    assert model.problems == ()
    assert model.excluded == ()
    assert {f.name for f in model.functions} == {"acme_relu", "acme_both"}
    assert model.files.index(paths[2]) < min(model.files.index(p) for p in paths[:2])


def test_included_headers_that_are_read_first_are_put_in_order_too(tmp_path: Path) -> None:
    """Two headers are included behind what uses their types, and one of them uses a type of the other."""
    header(tmp_path, "#pragma once\ntypedef int acme_id;\ntypedef struct { int w; } acme_task;\n", "a.h")
    header(tmp_path, "#pragma once\ntypedef struct { acme_id v; } acme_pair;\n", "b.h")
    model = read(tmp_path, 'int acme_one(acme_pair *p);\nint acme_two(acme_task *t);\n#include "a.h"\n#include "b.h"\n')
    assert {f.name for f in model.functions} == {"acme_one", "acme_two"}
    assert model.problems == ()
    assert [f.type.spelled for f in model.structs["acme_pair"].fields] == ["acme_id"]


def test_headers_that_need_each_other_in_a_circle_end(tmp_path: Path) -> None:
    one = header(
        tmp_path, "typedef struct acme_a acme_a;\nint acme_f(acme_b *b, int n);\nint acme_h(int n);\n", "one.h"
    )
    two = header(tmp_path, "typedef struct acme_b acme_b;\nint acme_g(acme_a *a, int n);\n", "two.h")
    model = read_headers([one, two])
    assert "acme_h" in {f.name for f in model.functions}
    assert {f.name for f in model.functions} | set(excluded(model)) >= {"acme_f", "acme_g", "acme_h"}


def test_a_missing_decoration_does_not_spoil_the_templates_behind_it(tmp_path: Path) -> None:
    """Before the macro is known, the parameter list is nonsense to the parser: nothing is to be learned from it."""
    text = """
    #include "acme/export.h"
    #include <vector>
    namespace acme {
    template <typename T> ACME_EXPORT int relu(Context *ctx, const T *x, T *y, int64_t len);
    template <typename T> ACME_EXPORT int glu(Context *ctx, const T *x, T *y, const std::vector<int64_t> &shape);
    template <typename T> ACME_EXPORT int pool(const Window &w, const std::vector<Pad> &pads, const T *x, T *y);
    }
    """
    model = read_headers([header(tmp_path, text, "acme.hpp")])
    found = {f.name: f for f in model.untrusted}
    assert set(found) == {"acme::relu", "acme::glu", "acme::pool"}
    assert [p.name for p in found["acme::relu"].params] == ["ctx", "x", "y", "len"]
    assert found["acme::relu"].params[3].type.bits == 64
    assert set(codes(model)) == {"TFL0305", "TFL0306", "TFL0310"}


def test_types_and_functions_in_capitals_are_no_decorations(tmp_path: Path) -> None:
    """Neither the types, which no header declares, nor the functions behind them are macros."""
    model = read(
        tmp_path,
        """
        #include "acme_type.h"
        ACME_S32 ACME_IVE_DMA(ACME_HANDLE hdl, ACME_SRC_IMAGE_S *pstSrc, ACME_DST_IMAGE_S *pstDst, ACME_BOOL bInst);
        ACME_S32 ACME_IVE_Add(ACME_HANDLE hdl, ACME_SRC_IMAGE_S *pstSrc1, ACME_SRC_IMAGE_S *pstSrc2,
                              ACME_DST_IMAGE_S *pstDst, ACME_BOOL bInst);
        ACME_HANDLE ACME_IVE_CreateHandle();
        int acme_plain(int n);
        """,
    )
    found = {f.name: [p.name for p in f.params] for f in model.untrusted}
    assert found["ACME_IVE_DMA"] == ["hdl", "pstSrc", "pstDst", "bInst"]
    assert found["ACME_IVE_Add"] == ["hdl", "pstSrc1", "pstSrc2", "pstDst", "bInst"]
    assert "ACME_IVE_CreateHandle" in found
    assert [f.name for f in model.functions] == ["acme_plain"]


def test_names_of_the_cpp_library_need_no_include(tmp_path: Path) -> None:
    model = read_headers(
        [
            header(
                tmp_path,
                "namespace acme { int f(const std::vector<float> &x, std::size_t n, std::string s); }",
                "a.hpp",
            )
        ]
    )
    assert [f.name for f in model.functions] == ["acme::f"]
    assert [problem.code for problem in model.problems] == ["TFL0314"]
    assert "<cstddef>, <string>, <vector>" in model.problems[0].cause


def test_without_any_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_compiler = read_headers([X1_HEADER])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert toolchain.system_include_dirs("c") == ()
    without = read_headers([X1_HEADER])
    assert [f.name for f in without.functions] == [f.name for f in with_compiler.functions]
    assert without.problems == ()
    sizes = {f.name: [(p.type.kind, p.type.bits) for p in f.params] for f in with_compiler.functions}
    assert {f.name: [(p.type.kind, p.type.bits) for p in f.params] for f in without.functions} == sizes


@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_shim_is_complete_in_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    names = sorted(p.relative_to(toolchain.SHIM).as_posix() for p in toolchain.SHIM.rglob("*") if p.is_file())
    names = [n for n in names if language == "c++" or not n.startswith("c") or n.endswith(".h")]
    text = "".join(f"#include <{name}>\n" for name in names)
    text += "class AcmeThing;\n" if language == "c++" else ""
    text += "int acme_f(size_t a, uint8_t b, va_list c, FILE *d, time_t e, ssize_t f);\n"
    model = read(tmp_path, text)
    assert model.language == language
    assert model.problems == ()
    assert [f.name for f in model.functions] == ["acme_f"]


def test_a_strange_compiler_variable_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ('gcc "', "/no/such/compiler -O2", "   "):
        monkeypatch.setenv("CC", value)
        assert read_headers([X1_HEADER]).problems == ()


def test_includes_that_leave_the_stub_folder(tmp_path: Path) -> None:
    model = read(
        tmp_path, '#include "../../../../../../../../etc/acme_gone.h"\n#include "/abs/gone.h"\nint acme_f(void);\n'
    )
    assert [f.name for f in model.functions] == ["acme_f"]
    assert not (Path("/etc") / "acme_gone.h").exists()


def test_a_given_header_in_a_shared_folder_owns_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header(tmp_path, "int stranger(void);", "stranger.h")
    header(tmp_path, "int acme_inner(void);", "acme/inner.h")
    main = header(tmp_path, '#include <stranger.h>\n#include "acme/inner.h"\nint acme_f(void);\n')
    monkeypatch.setattr(toolchain, "system_include_dirs", lambda language: (str(tmp_path),))
    names = [f.name for f in read_headers([main]).functions]
    assert names == ["acme_inner", "acme_f"]
