"""Decompositions, inverses and what solves by them: the last two dimensions are matrices, those before a batch."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.knowledge.shapes.query import Asked, Function, Size, Untold, broadcast, named, pattern

MOST_VALUES = 6
"""The number of singular values that are approximated where nothing is said."""


def _lengths(size: Size, words: Sequence[str]) -> list[Size]:
    """Sizes by the letters of the last dimensions: rows `i`, columns `j`, and `k`, the smaller of the two."""
    *before, i, j = size
    lengths = {"i": i, "j": j, "k": min(i, j)}
    return [(*before, *(lengths[one] for one in word)) for word in words]


def _last_two(*words: str) -> Function:
    """Return the size function of other lengths in the last two dimensions, by their letters."""
    return lambda asked: list(_lengths(asked.of(0), words))


def _values(asked: Asked) -> list[Size]:
    """Singular vectors on both sides of the singular values; without vectors (`compute_uv`) these are all zeros."""
    some = asked.arg("some", True) and asked.arg("compute_uv", True)
    return _lengths(asked.of(0), ("ik", "k", "jk") if some else ("ii", "k", "jj"))


def _values_of_linalg(asked: Asked) -> list[Size]:
    return _lengths(asked.of(0), ("ii", "k", "jj") if asked.arg("full_matrices", True) else ("ik", "k", "kj"))


def _few_values(asked: Asked) -> list[Size]:
    *before, i, j = asked.of(0)
    wanted = asked.arg("q")
    q = min(MOST_VALUES, i, j) if wanted is None else wanted
    return [(*before, i, q), (*before, q), (*before, j, q)]


def _orthogonal(asked: Asked) -> list[Size]:
    return _lengths(asked.of(0), ("ik", "kj") if asked.arg("some", True) else ("ii", "ij"))


def _orthogonal_of_linalg(asked: Asked) -> list[Size | None]:
    mode = asked.arg("mode", "reduced")
    if mode == "r":
        return [None, *_lengths(asked.of(0), ["kj"])]
    return [*_lengths(asked.of(0), ("ik", "kj") if mode == "reduced" else ("ii", "ij"))]


def _factored(asked: Asked) -> list[Size]:
    if asked.arg("pivot") is not None:
        raise Untold
    return _lengths(asked.of(0), ("ij", "k"))


def _inverted(asked: Asked) -> Size:
    """A tolerance of its own for each matrix of a batch may make more of them."""
    asked.arg("rcond")
    return _lengths(asked.of(0), ["ji"])[0]


def _of_tensors(asked: Asked) -> Size:
    size, index = asked.of(0), asked.arg("ind", 2)
    return (*size[index:], *size[:index])


def _solved(asked: Asked) -> Size:
    """Return the size of solving for the columns of the second operand, or for it as one column if it is that large."""
    matrix, given = asked.of(0), asked.of(1)
    if len(given) == 1 or given == matrix[:-1]:
        return (*broadcast([matrix[:-2], given[:-1]]), given[-1])
    return (*broadcast([matrix[:-2], given[:-2]]), *given[-2:])


def _solved_and_checked(asked: Asked) -> list[Size]:
    return [_solved(asked), asked.of(0)[:-2]]


def _solved_for_tensors(asked: Asked) -> Size:
    if asked.arg("dims") is not None:
        raise Untold
    return asked.of(0)[len(asked.of(1)) :]


def _triangular(asked: Asked) -> list[Size]:
    """Return the sizes of a solution and of the matrix it was solved with."""
    given, matrix = asked.of(0), asked.of(1)
    batch = broadcast([given[:-2], matrix[:-2]])
    return [(*batch, *given[-2:]), (*batch, *matrix[-2:])]


def _nearest(asked: Asked) -> list[Size | None]:
    """Least squares: nothing is said of the residuals, of which there may be none."""
    *before, rows, columns = asked.of(0)
    given = asked.of(1)
    is_column = len(given) == 1 or given == (*before, rows)
    batch = broadcast([tuple(before), given[: -1 if is_column else -2]])
    return [(*batch, columns) if is_column else (*batch, columns, given[-1]), None, None, None]


DECOMPOSED: dict[str, Function] = {
    "svd": _values,
    "linalg_svd": _values_of_linalg,
    "linalg_svdvals": lambda asked: _lengths(asked.of(0), "k")[0],
    **named("svd_lowrank pca_lowrank", _few_values),
    "qr": _orthogonal,
    "linalg_qr": _orthogonal_of_linalg,
    **named("linalg_eigh linalg_eig", _last_two("i", "ii")),
    **named("linalg_eigvalsh linalg_eigvals", lambda asked: asked.of(0)[:-1]),
    "linalg_lu": _last_two("ii", "ik", "kj"),
    "linalg_lu_factor": _factored,
    "linalg_ldl_factor": _last_two("ii", "i"),
    **named("linalg_inv_ex linalg_cholesky_ex", _last_two("ij", "")),
    **named("pinverse linalg_pinv", _inverted),
    "linalg_tensorinv": _of_tensors,
    "linalg_solve": _solved,
    "linalg_solve_ex": _solved_and_checked,
    "linalg_solve_triangular": pattern("*ii,*ij->*ij"),
    "linalg_tensorsolve": _solved_for_tensors,
    "cholesky_solve": pattern("*ij,*ii->*ij"),
    "triangular_solve": _triangular,
    "linalg_lstsq": _nearest,
}
