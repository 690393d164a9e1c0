"""Tuples of results that have names."""

from __future__ import annotations

_TABLE = (
    ("values indices", "sort topk kthvalue mode cummax cummin"),
    ("Q R", "qr linalg_qr"),
    ("eigenvalues eigenvectors", "linalg_eigh linalg_eig"),
    ("U S V", "svd"),
    ("U S Vh", "linalg_svd"),
    ("P L U", "linalg_lu"),
    ("LU pivots", "linalg_lu_factor"),
    ("LD pivots", "linalg_ldl_factor"),
    ("L info", "linalg_cholesky_ex"),
    ("inverse info", "linalg_inv_ex"),
    ("result info", "linalg_solve_ex"),
    ("solution residuals rank singular_values", "linalg_lstsq"),
    ("solution cloned_coefficient", "triangular_solve"),
    ("sign logabsdet", "slogdet"),
    ("mantissa exponent", "frexp"),
    ("min max", "aminmax"),
    ("output loss", "AdaptiveLogSoftmaxWithLoss"),
)
ALONG_DIM = ("max along dim", "min along dim", "median along dim", "nanmedian along dim")

NAMES: dict[str, tuple[str, ...]] = {
    **{name: tuple(names.split()) for names, operations in _TABLE for name in operations.split()},
    **dict.fromkeys(ALONG_DIM, ("values", "indices")),
}
"""By the name of an operation or a layer: what its results are called, in their order."""

RETURNED = "torch.return_types."
"""The prefix of the path under which the class of such a tuple is known; the name of the operation follows."""
