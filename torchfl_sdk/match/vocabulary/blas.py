"""BLAS levels 1 to 3, and their extensions: names without the letter of the element type."""

from __future__ import annotations

from torchfl_sdk.match.vocabulary.word import Word, w

WORDS: tuple[Word, ...] = (
    w("addmm", "gemm gemp xgemm gemmex gemm3m hgemm bgemm igemm ltmatmul", "gemm", "input input2", "inout",
      alternatives="mm"),
    w("baddbmm", "gemmstridedbatched gemmbatchstrided gemmbatchedstrided gemmstridedbatch", "gemm_batched",
      "input input2", "inout", alternatives="bmm"),
    w("bmm", "gemmbatched gemmbatch", "gemm_batched", "input input2", "inout", alternatives="baddbmm"),
    w("addmv", "gemv", "gemv", "input input2", "inout", alternatives="mv"),
    w("addr", "ger geru gerc outerproduct", "ger", "input input2", "inout", alternatives="outer ger"),
    w("add_.Tensor", "axpy axpyex vectoraxpy fmacscalar dmacscalar macscalar mltadd", "axpy", "input", "inout",
      alternatives="add.Tensor"),
    w("mul_.Scalar", "scal scalex scaletensor vectorscale scale scalevector", "scal", "", "inout",
      alternatives="mul.Scalar mul.Tensor"),
    w("copy_", "copy lacpy", "vcopy"),
    w("dot", "innerproduct fvecinnerproduct "
      "dot dotc dotp dotprodf scalarproduct vdotprod dsdot dotprod dotproduct innerprod vdotu dotu dotpr "
      "dotex "
      "vecdot", "dot", "input input2",
      alternatives="vdot"),
    w("linalg_vector_norm", "lange", "reduce", alternatives="norm linalg_matrix_norm linalg_norm"),
    w("linalg_vector_norm", "nrm2 nrm2ex euclideannorm", "vector_reduce", alternatives="norm"),
    w("sum", "sum", "vector_reduce"),
    w("argmax", "imax ismax iamaxsigned", "vector_reduce"),
    w("argmin", "imin ismin", "vector_reduce"),
    w("add.Tensor", "geam", "geam", "input input2", alternatives="t"),
    w("add.Tensor", "geadd matadd domatadd omatadd", "geam", "input input2"),
    w("linalg_solve_triangular", "trsm trsv", "trsm", "input", "inout", alternatives="triangular_solve"),
    w("t", "omatcopy", "transpose", alternatives="transpose.int t_copy"),
    w("t", "transposematrix mattrans mtrans trans transp", "transpose", alternatives="transpose.int t_copy"),
)  # fmt: skip

#: BLAS-like names that are no aten op, with the reason, so that nobody takes them for their namesakes.
FALSE_FRIENDS: dict[str, str] = {
    "exclusivesum": "leaves the element itself out of its sum",
    "exclusivescan": "leaves the element itself out of its sum",
    "prescan": "leaves the element itself out of its sum",
    "modf": "splits numbers into whole and fraction",
    "asum": "sums absolute values",
    "sumabs": "sums absolute values",
    "absmax": "finds the largest absolute value",
    "maxabs": "finds the largest absolute value",
    "absmin": "finds the smallest absolute value",
    "minabs": "finds the smallest absolute value",
    "iamax": "finds the largest absolute value",
    "amax": "",
    "mv": "",
    "iamin": "finds the smallest absolute value",
    "sdsdot": "adds a number to the product",
    "sumsq": "sums squares",
    "svesq": "sums squares",
    "sumofsquares": "sums squares",
    "reducesumsquare": "sums squares",
    "measq": "means squares",
    "meansquare": "means squares",
    "rms": "takes a root mean square",
    "nabs": "negates the absolute value",
    "squareddifference": "squares a difference",
    "squareddiff": "squares a difference",
    "axpby": "scales both operands: no single op",
    "dgmm": "multiplies by a diagonal matrix",
    "rot": "plane rotation",
    "rotg": "plane rotation",
    "rotm": "plane rotation",
    "swap": "exchanges two vectors",
    "gemmt": "updates one triangle only",
    "imatcopy": "transposes in place",
}
