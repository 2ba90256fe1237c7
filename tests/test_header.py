"""What the reader takes from a header that parses: every kind of declaration, with types, places and comments."""

from __future__ import annotations

from pathlib import Path

import clang.cindex as cx
import pytest

from header_helpers import X1_HEADER, header, read
from torchfl.errors import TorchflError
from torchfl_sdk.header import read_headers


def test_x1_is_read_completely() -> None:
    model = read_headers([X1_HEADER])
    assert (model.language, len(model.functions), len(model.enums)) == ("c", 60, 5)
    assert model.problems == ()
    assert model.excluded == ()
    conv = model.function("x1_conv2d")
    assert conv is not None
    assert [p.name for p in conv.params[:4]] == ["input", "weight", "bias", "output"]
    assert conv.params[4].type.kind == "array"
    assert conv.params[4].type.extent == 2
    assert "bias may be NULL" in conv.comment
    tensor = model.structs["x1_tensor"]
    assert tensor.typedefs == ("x1_tensor_t",)
    assert [(f.name, f.type.kind) for f in tensor.fields][-1] == ("dims", "array")
    assert tensor.fields[-1].type.extent == 4
    assert [(c.name, c.value) for c in model.enums["x1_dtype"].constants][1] == ("X1_DTYPE_FLOAT16", 1)
    assert model.constants["X1_MAX_DIMS"].value == 4
    assert not [f.name for f in model.functions if not f.name.startswith("x1_")]


def test_types_keep_const_aliases_and_extents(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
        #include <stdint.h>
        typedef uint16_t acme_half;
        typedef struct acme_context *acme_handle;
        int acme_f(acme_handle h, const acme_half *restrict x, float y[][4], double *const z, unsigned char b);
        """,
    )
    h, x, y, z, b = (p.type for p in model.functions[0].params)
    assert h.kind == "pointer"
    assert h.aliases == ("acme_handle",)
    assert h.pointee is not None
    assert h.pointee.name == "acme_context"
    assert not model.structs["acme_context"].complete
    assert x.restrict
    assert x.pointee is not None
    assert x.pointee.const
    assert x.pointee.aliases[0] == "acme_half"
    assert (x.pointee.kind, x.pointee.bits, x.pointee.signed) == (
        "int",
        16,
        False,
    )
    assert y.kind == "array"
    assert y.pointee is not None
    assert y.pointee.extent == 4
    assert z.const
    assert z.pointee is not None
    assert not z.pointee.const
    assert z.pointee.bits == 64
    assert (b.kind, b.bits, b.signed) == ("int", 8, False)


def test_constants_aliases_and_function_pointers(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
        #define ACME_A 4
        #define ACME_B (ACME_A | (1u << 5))   /* flags */
        #define ACME_C -1.5e-3f
        #define ACME_D ((int)0x10)
        #define ACME_TEXT "four"
        #define ACME_CALL(x) x
        #define acme_open acme_open_v2
        typedef struct { int (*run)(void *user, const float *x); int version; } acme_table;
        int acme_open_v2(acme_table *table);
        """,
    )
    assert {name: c.value for name, c in model.constants.items()} == {
        "ACME_A": 4,
        "ACME_B": 36,
        "ACME_C": -1.5e-3,
        "ACME_D": 16,
    }
    assert {name: a.target for name, a in model.aliases.items()} == {"acme_open": "acme_open_v2"}
    run = model.structs["acme_table"].fields[0].type
    assert run.pointee is not None
    assert run.pointee.kind == "function"
    assert [t.spelled for t in run.pointee.params] == ["void *", "const float *"]


def test_a_comment_stands_over_variants_and_over_no_other_op(tmp_path: Path) -> None:
    """One comment may be for all element types of a function; what differs in more words has none."""
    text = """
    /* y[i] = a[i] - b[i] */
    int acmeSub_32f(const float *a, const float *b, float *y, int n);
    int acmeSub_8u_ISfs(const unsigned char *a, unsigned char *y, int n, int scale);
    /* Reversed: y[i] = b[i] - a[i] */
    void acme_f32_vec_rsub(const float *a, const float *b, float *y, int n);
    void acme_f32_vec_mul(const float *a, const float *b, float *y, int n);
    """
    said = {f.name: f.comment for f in read(tmp_path, text).functions}
    assert said["acmeSub_8u_ISfs"] == said["acmeSub_32f"] != ""
    assert said["acme_f32_vec_rsub"].startswith("Reversed")
    assert said["acme_f32_vec_mul"] == ""


def test_comments_above_and_behind(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
        int acme_first(void); /* behind the first */
        // above the second,
        // on two lines
        int acme_second(int a,
                        int b);  // behind the second

        /* not for the third */

        const char *acme_third(void); // "quoted /* text"
        """,
    )
    first, second, third = (f.comment for f in model.functions)
    assert first == "behind the first"
    assert second == "above the second,\non two lines\nbehind the second"
    assert third == '"quoted /* text"'


def test_only_the_vendors_functions_count(tmp_path: Path) -> None:
    header(tmp_path / "elsewhere", "int other_function(void);", "other.h")
    header(tmp_path / "sdk", "int acme_inner(void);", "detail/inner.h")
    main = header(
        tmp_path / "sdk",
        '#include <stdio.h>\n#include <other.h>\n#include "detail/inner.h"\nint acme_outer(void);\n',
    )
    model = read_headers([main], include_dirs=[tmp_path / "elsewhere"])
    assert [f.name for f in model.functions] == ["acme_inner", "acme_outer"]
    assert [model.short(f.place.file) for f in model.functions] == ["detail/inner.h", "acme.h"]


def test_cplusplus_is_used_where_it_parses_better(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
        namespace acme {
        class Engine { public: void run(); };
        int mangled(const float *x, int n = 3);
        }
        extern "C" int acme_plain(const float *x);
        inline int acme_inline(int x) { return x; }
        """,
    )
    assert model.language == "c++"
    by_name = {f.name: f for f in model.functions}
    assert by_name["acme_plain"].linkage == "c"
    assert by_name["acme::mangled"].linkage == "c++"
    assert by_name["acme::mangled"].params[1].default == "3"
    assert by_name["acme_inline"].inline


def test_guarded_header_reads_as_c(tmp_path: Path) -> None:
    opening, closing = '#ifdef __cplusplus\nextern "C" {\n#endif\n', "#ifdef __cplusplus\n}\n#endif\n"
    text = f"{opening}int acme_add(const float *a, int n);\n{closing}"
    assert read(tmp_path, text).language == "c"


def test_defines_and_include_dirs_reach_the_parse(tmp_path: Path) -> None:
    header(tmp_path / "inc", "typedef int acme_size;", "acme_types.h")
    text = "#include <acme_types.h>\n#if ACME_LEVEL > 2\nint acme_new(acme_size n);\n#endif\nint acme_old(acme_size n);"
    model = read(tmp_path / "h", text, include_dirs=[tmp_path / "inc"], defines=["ACME_LEVEL=3"])
    assert [f.name for f in model.functions] == ["acme_new", "acme_old"]
    assert model.problems == ()


def test_includes_by_their_installed_path_are_found(tmp_path: Path) -> None:
    header(tmp_path, "typedef float acme_real;", "include/acme/types.h")
    main = header(tmp_path, '#include "acme/types.h"\nint acme_f(const acme_real *x);', "include/acme/acme.h")
    model = read_headers([main])
    assert model.problems == ()
    assert model.include_dirs == (tmp_path / "include",)
    assert model.functions[0].params[0].type.canonical == "const float *"


@pytest.mark.parametrize(
    ("make", "code", "says"),
    [
        (lambda d: d / "absent.h", "TFL0301", "No such file"),
        (lambda d: d, "TFL0302", "folder"),
        (lambda d: _write(d / "a.h", b"\x7fELF\x02\x01"), "TFL0303", "ELF"),
        (lambda d: _write(d / "a.h", b"int f(void);\0\0"), "TFL0303", "binary"),
        (lambda d: _write(d / "a.h", "int f(void);".encode("utf-16")), "TFL0303", "UTF-16"),
        (lambda d: _write(d / "a.h", b"  \n"), "TFL0303", "empty"),
        (lambda d: _write(d / "a.h", b"#define ACME 1\ntypedef int acme_t;\n"), "TFL0304", "no function"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, make: object, code: str, says: str) -> None:
    path = make(tmp_path)  # type: ignore[operator]
    with pytest.raises(TorchflError) as caught:
        read_headers([path])
    problem = caught.value.problems[0]
    assert problem.code == code
    assert says in problem.cause
    assert str(path) in str(problem.place)
    assert caught.value.exit_code == 2


def test_every_bad_input_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(TorchflError) as caught:
        read_headers([tmp_path / "a.h", tmp_path / "b.h"], include_dirs=[tmp_path / "no"], defines=["3X=1"])
    assert [p.code for p in caught.value.problems] == ["TFL0301", "TFL0301", "TFL0301", "TFL0309"]


def test_without_libclang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise cx.LibclangError("libclang.so: cannot open shared object file")

    monkeypatch.setattr(cx.Index, "create", absent)
    with pytest.raises(TorchflError) as caught:
        read(tmp_path, "int acme_f(void);")
    assert caught.value.problems[0].code == "TFL0308"
    assert "libclang.so" in caught.value.problems[0].cause
    assert caught.value.exit_code == 70


def test_libclang_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: object, **options: object) -> None:
        raise cx.TranslationUnitLoadError("Error parsing translation unit.")

    monkeypatch.setattr(cx.Index, "parse", fails)
    with pytest.raises(TorchflError) as caught:
        read(tmp_path, "int acme_f(void);")
    assert caught.value.problems[0].code == "TFL0312"
    assert caught.value.exit_code == 2


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "acme.h"
    path.write_bytes(b"/* Gr\xf6\xdfe */\nint acme_size(int n); /* behind */\n")
    model = read_headers([path])
    assert model.functions[0].comment.endswith("behind")


def test_five_thousand_lines_are_read_whole(tmp_path: Path) -> None:
    lines = ["#include <stdint.h>", "typedef enum { ACME_OK = 0, ACME_ERROR_MEMORY = 1 } acme_status_t;"]
    for i in range(1250):
        lines += [
            f"/* Function {i}: combines a and b, n elements. */",
            f"#define ACME_LIMIT_{i} {i}",
            f"typedef struct acme_s{i} {{ void *data; int dims[4]; float x; }} acme_s{i}_t;",
            f"acme_status_t acme_f{i}(const float *a, const float *b, float *out, int64_t n, acme_s{i}_t *s);",
        ]
    path = header(tmp_path, "\n".join(lines))
    model = read_headers([path])
    assert len(model.functions) == len(model.structs) == 1250


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_types_that_the_bindings_do_not_know(tmp_path: Path) -> None:
    """libclang knows kinds that its Python bindings have no name for; each must still be read."""
    model = read(
        tmp_path,
        """
        typedef float acme_v4 __attribute__((vector_size(16)));
        void acme_f(const _Float16 *a, __bf16 *b, _Atomic int *c, __int128 d, acme_v4 e, long double g,
                    _Complex float h);
        void acme_g(int n, float x[n][n], const char *const names[], int (*calls[4])(void), struct { int q; } *unnamed);
        struct acme_bits { unsigned a : 3; int : 0; union { int i; float f; }; struct { int z; } inner; };
        void acme_h(struct acme_bits bits, unsigned _BitInt(37) wide, ...);
        _Noreturn void acme_i(void);
        """,
    )
    assert [f.name for f in model.functions] == ["acme_f", "acme_g", "acme_h", "acme_i"]
    a, b, _, d, _, g, h = (p.type for p in model.functions[0].params)
    assert a.pointee is not None
    assert b.pointee is not None
    assert (a.pointee.kind, a.pointee.bits, a.pointee.const) == ("float", 16, True)
    assert (b.pointee.kind, b.pointee.bits) == ("float", 16)
    assert (d.bits, g.kind, h.kind) == (128, "float", "complex")
    assert model.functions[2].variadic


def test_what_is_above_a_link_is_above_where_it_leads(tmp_path: Path) -> None:
    for name in ("sdk/lib", "sdk/common", "common"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "sdk" / "common" / "acme_types.h").write_text("typedef float acme_real;\n")
    (tmp_path / "common" / "acme_types.h").write_text("typedef int acme_real;\n")
    (tmp_path / "lib").symlink_to(tmp_path / "sdk" / "lib")
    header = tmp_path / "acme.h"
    header.write_text("#include <acme_types.h>\nvoid acme_f(acme_real x);\n")
    model = read_headers([header], include_dirs=[tmp_path / "lib" / ".." / "common"])
    function = model.function("acme_f")
    assert function is not None
    assert function.params[0].type.kind == "float"


@pytest.mark.parametrize("includes", ["", "#include <cstdint>\n"])
def test_a_header_whose_functions_are_for_cxx_alone_is_read_as_cxx(tmp_path: Path, includes: str) -> None:
    text = f"#ifdef __cplusplus\n{includes}namespace acme {{ void axpy(int n, const float *x, float *y); }}\n#endif\n"
    model = read(tmp_path, text)
    assert (model.language, [f.name for f in model.functions]) == ("c++", ["acme::axpy"])


def test_a_header_without_functions_for_cxx_either_is_read_as_c(tmp_path: Path) -> None:
    with pytest.raises(TorchflError, match="no function is declared"):
        read(tmp_path, "#ifdef __cplusplus\nnamespace acme { struct box; }\n#endif\nstruct acme_box { int n; };\n")


def test_names_of_the_cxx_library_that_the_header_did_not_include(tmp_path: Path) -> None:
    text = """#include <cstdint>
namespace acme {
template <typename T = float> void clamp(const T *x, T *y, int n, T low = std::numeric_limits<T>::lowest());
void relu(const float *x, float *y, std::int64_t n); }"""
    model = read(tmp_path, text)
    assert "#include <limits>" in model.prelude
    assert [(p.code, p.cause.split("; ")[1]) for p in model.problems] == [("TFL0314", "read with <cstdint>, <limits>")]


def test_a_name_that_is_type_and_scope_is_stood_in_for_once(tmp_path: Path) -> None:
    text = """#include <cstdint>
namespace acme { void pool(ov::op::PadType pad, const float *x, float *y, int n = ov::op::PadType::EXPLICIT);
void relu(const float *x, float *y, std::int64_t n); }"""
    model = read(tmp_path, text)
    assert "acme::relu" in {f.name for f in model.functions}
    assert model.prelude.count("PadType;") == 1
    assert "namespace ov::op::PadType" not in model.prelude
