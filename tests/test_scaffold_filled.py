"""Matrices that are structs which a function of the header fills in: which makers tell all, which kernels follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import read
from helpers import ROOT
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.match.elements import dtype_enums
from torchfl_sdk.match.recognise.parts import Parts
from torchfl_sdk.scaffold import NewChipRequest, NewChipResult, new_chip

GODWIT = (ROOT / "tests" / "sdks" / "godwit.h").read_text()
DEVICE = """
gw_status gw_malloc(void **ptr, unsigned long size);
gw_status gw_free(void *ptr);
gw_status gw_memcpy_htod(void *dst, const void *src, unsigned long size);
gw_status gw_memcpy_dtoh(void *dst, const void *src, unsigned long size);
"""


def run(tmp_path: Path, header: str, *, check: bool = False) -> NewChipResult:
    (tmp_path / "gw.h").write_text(header)
    return new_chip(NewChipRequest("gw", (tmp_path / "gw.h",), out=tmp_path, check=check))


def kernels(tmp_path: Path) -> str:
    return (tmp_path / "gw" / "src" / "gw_kernels.cpp").read_text()


def test_a_blas_over_structs_that_the_header_fills_in(tmp_path: Path) -> None:
    result = run(tmp_path, GODWIT, check=find_compiler() is not None)
    names = ("add", "addmm", "addmv", "addr", "bmm", "dot", "mm", "mul", "mv", "sub")
    assert {b.op for b in result.bound} == {f"aten::{n}" for n in names}
    assert not result.check or result.check.startswith("compiles"), result.check
    text = kernels(tmp_path)
    mv = text[text.index("tfl_status gw_mv(") :].partition("\n}\n")[0]
    assert "dtype, self.sizes[0], self.sizes[1], torchfl::data(self)" in mv
    assert "am.transposed ? 1 : am.leading_dimension" in mv
    assert "dtype, vec.numel, 1, torchfl::data(vec), 1, vec.numel, &vec_object" in mv
    product = text[text.index("tfl_status gemm(") :].partition("\n}\n")[0]
    assert "takes no transposed operand" not in product
    assert "const torchfl::Factor beta_object_number(c.dtype, beta);" in product
    assert "gw_gemm(&alpha_object, &a_object, &b_object, &beta_object, &c_object)" in product


def test_extents_that_an_argument_does_not_hold_are_refused(tmp_path: Path) -> None:
    header = GODWIT.replace("int64_t m, int64_t n, void *p", "int32_t m, int32_t n, void *p")
    assert len(run(tmp_path, header).bound) == 10
    assert "if (!torchfl::fits<int32_t>(out.numel)) return torchfl::unsupported(" in kernels(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        ("void *p,", "const void *p,"),  # nothing to write to
        ("int64_t rs, int64_t cs,", "int64_t rs,"),  # how far apart are columns?
        ("int64_t rs, int64_t cs,", "int64_t rs, int64_t cs, int64_t depth,"),
        ("_create_with_buffer(", "_describe("),  # makes nothing
    ],
)
def test_makers_that_say_more_or_less_fill_no_matrix(tmp_path: Path, change: tuple[str, str]) -> None:
    assert change[0] in GODWIT
    assert not run(tmp_path, GODWIT.replace(*change)).bound


def test_factors_in_structs_need_the_hosts_memory(tmp_path: Path) -> None:
    result = run(tmp_path, GODWIT.replace("/* Y = alpha X + Y */", DEVICE))
    assert {b.op for b in result.bound} == {"aten::dot"}
    readme = (tmp_path / "gw" / "README.md").read_text()
    assert "its factors are structs over numbers, which the device's memory would have to hold" in readme


def test_alpha_ahead_of_the_tensors_is_a_number_in_their_struct(tmp_path: Path) -> None:
    text = """typedef struct { void *data; int dim[4]; long strides[4]; } ac_tensor;
int ac_axpy(const ac_tensor *alpha, const ac_tensor *x, const ac_tensor *beta, ac_tensor *y);
int ac_prelu(const ac_tensor *x, const ac_tensor *alpha, ac_tensor *y);
int ac_norm(const ac_tensor *x, const ac_tensor *gamma, const ac_tensor *beta, ac_tensor *y);
"""
    model = read(tmp_path, text)
    parts = Parts(model)
    sorts = {f.name: [p.sort for p in parts.of(f)] for f in model.functions}
    assert sorts["ac_axpy"] == ["scalar_pointer", "tensor", "scalar_pointer", "tensor"]
    assert sorts["ac_prelu"] == ["tensor"] * 3
    assert sorts["ac_norm"] == ["tensor"] * 4


def test_the_first_and_the_last_of_a_range_are_no_types_of_their_own(tmp_path: Path) -> None:
    kinds = "AC_FLOAT = 0, AC_DOUBLE = 2, AC_SPAIR = 1, AC_DPAIR = 3"
    text = f"typedef enum {{ {kinds}, AC_LO = AC_FLOAT, AC_HI = AC_DPAIR }} ac_type;\nvoid ac_f(ac_type t);\n"
    found = dtype_enums(read(tmp_path, text))
    assert found["ac_type"] == {"float32": "AC_FLOAT", "float64": "AC_DOUBLE"}
    other = text.replace("AC_HI = AC_DPAIR", "AC_HI = 9, AC_UP = 10")
    assert not dtype_enums(read(tmp_path / "other", other))
