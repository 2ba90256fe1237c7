"""Reductions over dimensions, and running sums and products along one."""

from __future__ import annotations

from torchfl.catalogue.elementwise import FLOAT, INTEGER, NUMBER
from torchfl.catalogue.spec import Attr, OpSpec

_KEEP = Attr("keepdim", "bool", False)
_DIMS = Attr("dim", "int_list", None, optional=True)  # absent: all of them
_DIM_LIST = Attr("dim", "int_list", (), optional=True)  # empty: all of them
_DIM = Attr("dim", "int")
_ANY_DIM = Attr("dim", "int", None, optional=True)
_DTYPE = Attr("dtype", "dtype")
_WHOLE = ("bool", *INTEGER)  # PyTorch adds them up in int64
_NOT_UINT8 = tuple(dtype for dtype in NUMBER if dtype != "uint8")  # of which PyTorch makes uint8, not bool


def _reduce(
    name: str,
    *vendor_names: str,
    overload: str = "",
    out: str = ".out",
    attrs: tuple[Attr, ...] = (_DIMS, _KEEP),
    tier: str = "T2",
    samples: str = "reduce",
    dtypes: tuple[str, ...] = FLOAT,
    promote: bool = False,
    outputs: tuple[str, ...] = ("out",),
    kinds: tuple[str, ...] = ("common",),
    alias: str = "",
    excluded: tuple[str, ...] = (),
) -> OpSpec:
    return OpSpec(
        name=f"aten::{alias or name}",
        overload=f"aten::{name}{overload}",
        inputs=("self",),
        shape_rule="reduce",
        dtype_rule="same",
        tier=tier,
        samples=samples,
        vendor_names=vendor_names,
        attrs=attrs,
        out=f"aten::{name}{out}" if out else "",
        dtypes=dtypes,
        outputs=outputs,
        output_kinds=kinds,
        excluded_dtypes=excluded,
    )


OPS: tuple[OpSpec, ...] = (
    _reduce("sum", "sum", "reduce_sum", "sum_reduce", overload=".dim_IntList", out=".IntList_out",
            attrs=(_DIMS, _KEEP, _DTYPE), tier="T1", samples="reduce_sum", excluded=_WHOLE),
    _reduce("mean", "mean", "reduce_mean", "mean_reduce", overload=".dim", attrs=(_DIMS, _KEEP, _DTYPE), tier="T1",
            samples="reduce_sum"),
    _reduce("amax", "amax", "reduce_max", "max_reduce", attrs=(_DIM_LIST, _KEEP), tier="T0",
            samples="reduce_extremum", dtypes=NUMBER),
    _reduce("amin", "amin", "reduce_min", "min_reduce", attrs=(_DIM_LIST, _KEEP), tier="T0",
            samples="reduce_extremum", dtypes=NUMBER),
    _reduce("prod", "prod", "reduce_prod", "prod_reduce", overload=".dim_int", out=".int_out",
            attrs=(_DIM, _KEEP, _DTYPE), samples="reduce_one", excluded=_WHOLE),
    _reduce("var", "var", "variance", "reduce_var", overload=".correction", out=".correction_out",
            attrs=(_DIMS, Attr("correction", "scalar", 1), _KEEP)),
    _reduce("linalg_vector_norm", "vector_norm", "l2_norm", "reduce_l2", alias="vector_norm",
            attrs=(Attr("ord", "scalar", 2), _DIMS, _KEEP, _DTYPE)),
    _reduce("any", "any", "reduce_any", overload=".dim", attrs=(_DIM, _KEEP), tier="T0", samples="reduce_any",
            dtypes=_NOT_UINT8, kinds=("bool",), excluded=("uint8",)),
    _reduce("all", "all", "reduce_all", overload=".dim", attrs=(_DIM, _KEEP), tier="T0", samples="reduce_all",
            dtypes=_NOT_UINT8, kinds=("bool",), excluded=("uint8",)),
    _reduce("argmax", "argmax", "arg_max", attrs=(_ANY_DIM, _KEEP), tier="T0", samples="reduce_index", dtypes=NUMBER,
            kinds=("index",)),
    _reduce("argmin", "argmin", "arg_min", attrs=(_ANY_DIM, _KEEP), tier="T0", samples="reduce_index", dtypes=NUMBER,
            kinds=("index",)),
    *(
        _reduce(name, f"{name}_with_index", f"{name}_with_indices", f"{name}_dim", overload=".dim", out="",
                attrs=(_DIM, _KEEP), tier="T0", samples="reduce_index", dtypes=NUMBER, outputs=("out", "indices"),
                kinds=("common", "index"), alias=f"{name}.dim")
        for name in ("max", "min")
    ),
    *(
        OpSpec(
            name=f"aten::{name}",
            overload=f"aten::{name}",
            inputs=("self",),
            shape_rule="along_dim",
            dtype_rule="same",
            tier=tier,
            samples="along_dim",
            vendor_names=(name, *more),
            attrs=(_DIM, _DTYPE),
            out=f"aten::{name}.out",
            dtypes=FLOAT,
            excluded_dtypes=_WHOLE,
        )
        for name, tier, more in (("cumsum", "T1", ("cum_sum", "prefix_sum")), ("cumprod", "T2", ("cum_prod",)))
    ),
)  # fmt: skip
