"""Linear algebra over matrices: factorisations, solvers, inverses, and the functions of LAPACK that compute them."""

from __future__ import annotations

from torchfl_sdk.match.vocabulary.word import Word, w

WORDS: tuple[Word, ...] = (
    w("linalg_qr", "qr qrdecomposition qrdecompose qrfactorization qrfactorize qrdecomp", "shape",
      outputs="output output2?"),
    w("geqrf", "geqrf geqrt", "shape", outputs="output tau?"),
    w("linalg_householder_product", "orgqr ungqr householderproduct", "matmul", "input tau",
      alternatives="orgqr"),
    w("ormqr", "ormqr unmqr", "matmul", "input tau input2"),
    w("_linalg_svd", "svd singularvaluedecomposition svddecompose svddecomposition gesvd gesdd gesvdj", "shape",
      outputs="output output2? output3?", alternatives="linalg_svd svd"),
    w("linalg_svdvals", "svdvals singularvalues", "shape", alternatives="svd linalg_svd"),
    w("linalg_lu", "lu ludecomposition ludecompose plu", "shape", outputs="output output2? output3?",
      alternatives="linalg_lu_factor linalg_lu_factor_ex"),
    w("linalg_lu_factor_ex", "lupiv lupivot lufactor lufactorization lufactorize getrf getrf2 ludecomp", "shape",
      outputs="output pivots? info?", alternatives="linalg_lu_factor"),
    w("linalg_lu_solve", "lusolve getrs", "solve", "input pivots? input2"),
    w("linalg_cholesky_ex", "cholesky choleskyfactor choleskydecomposition choleskyfactorization choleskydecompose "
      "chol potrf potrf2 llt", "shape", alternatives="cholesky linalg_cholesky"),
    w("cholesky_solve", "choleskysolve potrs cholsolve", "solve", "input input2"),
    w("cholesky_inverse", "choleskyinverse choleskyinv potri", "shape"),
    w("linalg_ldl_factor_ex", "ldl ldlt ldlfactor sytrf", "shape", outputs="output pivots?",
      alternatives="linalg_ldl_factor"),
    w("linalg_eig", "eig eigen eigendecomposition geev eigensystem", "shape", outputs="output output2?"),
    w("linalg_eigvals", "eigvals eigenvalues", "shape", alternatives="linalg_eig"),
    w("_linalg_eigh", "eigh hevd heevr syevr syevx syev syevd heev heevd syevj symeig eigsym selfadjointeigen", "shape",
      outputs="output output2?", alternatives="linalg_eigh"),
    w("linalg_eigvalsh", "eigvalsh", "shape", alternatives="_linalg_eigh linalg_eigh"),
    w("linalg_pinv", "pinv pseudoinverse pinverse", "shape", alternatives="pinverse"),
    w("linalg_inv", "matinverse matrixinverse inversematrix matinv matrixinv inversemat invertmatrix getri matinvert",
      "shape", alternatives="inverse linalg_inv_ex"),
    w("linalg_inv", "inv inverse invert", "shape", alternatives="inverse linalg_inv_ex"),
    w("linalg_solve", "solve linsolve linearsolve gesv solvelinear", "solve", "input input2 pivots?",
      alternatives="_linalg_solve_ex linalg_solve_ex"),
    w("linalg_solve_triangular", "triangularsolve solvetriangular trtrs trsv", "solve", "input input2",
      alternatives="triangular_solve"),
    w("linalg_lstsq", "lstsq leastsquares gels gelsd", "solve", "input input2"),
    w("_linalg_det", "det determinant", "shape", alternatives="linalg_det"),
    w("linalg_slogdet", "slogdet", "shape", outputs="output output2?", alternatives="_linalg_slogdet slogdet"),
    w("logdet", "logdet logdeterminant", "shape"),
    w("linalg_matrix_exp", "matrixexp matrixexponential expm", "shape"),
    w("matrix_power", "matrixpower matpow", "shape", alternatives="linalg_matrix_power"),
    w("linalg_matrix_norm", "matrixnorm matnorm", "reduce", alternatives="linalg_norm"),
    w("linalg_matrix_rank", "matrixrank", "shape"),
    w("linalg_multi_dot", "multidot chainmatmul", "list"),
    w("linalg_cross", "cross crossproduct crossvec crossvec3f cross3", "binary", "input input2",
      alternatives="cross"),
    w("outer", "outer outerprod", "binary", "input input2", alternatives="ger addr"),
    w("kron", "kron kronecker kroneckerproduct", "binary", "input input2"),
    w("trace", "trace", "shape"),
)  # fmt: skip

#: Names of LAPACK's arrays -> their roles, by op: what is read and overwritten, and several results.
ARGUMENTS: dict[str, dict[str, str]] = {
    f"aten::{aten}": dict(pair.split(":") for pair in text.split())
    for aten, text in {
        "_linalg_svd": "a:input s:output2 u:output vt:output3 v:output3 superb:workspace",
        "_linalg_eigh": "a:inout w:output",
        "linalg_eig": "a:inout wr:output wi:output2 vl:output3 vr:output4",
        "linalg_lu_solve": "a:input ipiv:pivots b:inout",
        "cholesky_solve": "a:input b:inout",
        "linalg_solve_triangular": "a:input b:inout",
        "linalg_lstsq": "a:input b:inout s:output2 rank:output3",
        "linalg_householder_product": "a:inout tau:tau",
        "ormqr": "a:input tau:tau c:inout",
    }.items()
}
