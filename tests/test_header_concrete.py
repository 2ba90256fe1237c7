"""Functions of C++ and functions over structs of parameters, made callable one by one."""

from __future__ import annotations

from pathlib import Path

from helpers import ROOT
from torchfl_sdk.header import read_headers
from torchfl_sdk.header.concrete import concrete
from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.packed import unpacked

DATA = ROOT / "tests" / "build_data"


def read(name: str) -> HeaderModel:
    return unpacked(concrete(read_headers([DATA / name])))


def test_overloads_are_told_apart_by_their_element_type() -> None:
    model = read("templates.hpp")
    symbols = {f.name: f.symbol for f in model.functions if f.name.startswith("tp_relu")}
    assert symbols == {"tp_relu_f32": "_ZN2tp4reluEPKfPfm", "tp_relu_f64": "_ZN2tp4reluEPKdPdm"}


def test_templates_are_what_the_header_says_of_them() -> None:
    functions = {f.name: f for f in read("templates.hpp").functions}
    stated = [f for f in functions.values() if f.name.startswith("tp_add")]
    assert [f.name for f in stated] == ["tp_add_f32", "tp_add_f64", "tp_add_s32"]  # extern template
    assert not any(f.assumed or f.local for f in stated)
    assert functions["tp_add_f32"].symbol == "_ZN2tp3addIfEENS_6StatusEPKT_S4_PS2_m"
    body = functions["tp_neg_f32"]
    assert (body.local, body.assumed, body.cxx) == (True, False, "::tp::neg<float>")
    tried = functions["tp_gemm_f64"]
    assert (tried.local, tried.assumed) == (False, True)  # only the library can say
    assert tried.params[6].type.kind == "float"
    assert tried.params[0].type.spelled == "tp::Layout"


def test_constants_of_scoped_enums_carry_their_name() -> None:
    enum = read("templates.hpp").enums["tp::Status"]
    assert [c.name for c in enum.constants][:2] == ["tp::Status::Success", "tp::Status::OutOfMemory"]


def test_a_struct_of_parameters_becomes_parameters() -> None:
    functions = {f.name: f for f in read("params.h").functions}
    mul = functions["pk_mul_f32"]
    assert [p.name for p in mul.params] == ["a", "b", "out", "n"]
    assert mul.packed is not None
    assert (mul.packed.struct, mul.packed.own_size) == ("pk_binary_params", "struct_size")
    relu = functions["pk_leaky_relu_f32"]
    assert "reserved" not in [p.name for p in relu.params]


def test_structs_that_are_no_parameters_stay(tmp_path: Path) -> None:
    header = tmp_path / "acme.h"
    header.write_text(
        "typedef struct { void *data; int ndim; long shape[4]; int dtype; } acme_tensor;\n"
        "typedef struct { const float *a, *b; float *out; int n; struct { int x; } inner; } acme_nested;\n"
        "typedef struct { const float *a, *b; float *out; int n; } acme_args;\n"
        "int acme_neg(const acme_tensor *in);\n"
        "int acme_add(const acme_nested *args);\n"
        "int acme_mul(const acme_args *first, const acme_args *second);\n"
        "int acme_sub(const acme_args *args, int n);\n"  # a name that is taken
    )
    assert not any(f.packed for f in read_and_unpack(header).functions)


def read_and_unpack(header: Path) -> HeaderModel:
    return unpacked(concrete(read_headers([header])))
