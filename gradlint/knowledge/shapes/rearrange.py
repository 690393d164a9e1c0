"""Sizes of operations that lay elements out anew, or those of several one beside the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from gradlint.knowledge.shapes.query import (
    Asked,
    Function,
    Size,
    filled,
    moved,
    multiplied,
    named,
    second,
    swapped,
    with_length,
)


def _viewed(name: str) -> Function:
    def answer(asked: Asked) -> Size:
        return filled(asked.of(0), asked.numbers(name))

    return answer


def _flattened(asked: Asked) -> Size:
    size = asked.of(0) or (1,)
    start, end = asked.arg("start_dim", 0) % len(size), asked.arg("end_dim", -1) % len(size)
    return (*size[:start], prod(size[start : end + 1]), *size[end + 1 :])


def _unflattened(asked: Asked) -> Size:
    size = asked.of(0)
    at = asked.arg("dim") % len(size)
    return (*size[:at], *filled(size[at : at + 1], asked.arg("sizes")), *size[at + 1 :])


def _squeezed(asked: Asked) -> Size:
    size, dim = asked.of(0), asked.arg("dim")
    given = dim if isinstance(dim, tuple) else (dim,)
    dims = range(len(size)) if dim is None else [one % max(len(size), 1) for one in given]
    return tuple(n for at, n in enumerate(size) if at not in dims or n != 1)


def _unsqueezed(asked: Asked) -> Size:
    size = asked.of(0)
    at = asked.arg("dim") % (len(size) + 1)
    return (*size[:at], 1, *size[at:])


def _permuted(asked: Asked) -> Size:
    return moved(asked.of(0), asked.numbers("dims"))


def _transposed(asked: Asked) -> Size:
    return swapped(asked.of(0), asked.arg("dim0"), asked.arg("dim1"))


def _moved_dim(asked: Asked) -> Size:
    size = asked.of(0)
    source, to = asked.arg("source"), asked.arg("destination")
    order = list(range(len(size)))
    order.remove(source % len(size))
    order.insert(to % len(size), source % len(size))
    return moved(size, order)


def _turned(asked: Asked) -> Size:
    dims = asked.arg("dims", (0, 1))
    return swapped(asked.of(0), *dims) if asked.arg("k", 1) % 2 else asked.of(0)


def _expanded(name: str) -> Function:
    def answer(asked: Asked) -> Size:
        size, wanted = asked.of(0), asked.numbers(name)
        own = (1,) * (len(wanted) - len(size)) + size
        return tuple(have if n == -1 else n for have, n in zip(own, wanted, strict=True))

    return answer


def _repeated(name: str) -> Function:
    def answer(asked: Asked) -> Size:
        return multiplied([asked.of(0), asked.numbers(name)])

    return answer


def _interleaved(asked: Asked) -> Size:
    size, times, dim = asked.of(0), asked.arg("repeats"), asked.arg("dim")
    return (prod(size) * times,) if dim is None else with_length(size, dim, size[dim] * times)


AT_LEAST: dict[int, Callable[[Size], Size]] = {
    1: lambda size: size or (1,),
    2: lambda size: (1,) * (2 - len(size)) + size,
    3: lambda size: (1, *size, 1) if len(size) == 1 else (size or (1, 1)) + (1,) * (3 - len(size or (1, 1))),
}
"""A size with no fewer dimensions than that."""


def _at_least(count: int) -> Function:
    return lambda asked: AT_LEAST[count](asked.of(0))


def _concatenated(sizes: Sequence[Size], dim: int) -> Size:
    several = [size for size in sizes if size != (0,)]
    return with_length(several[0], dim, sum(size[dim] for size in several))


def _cat(asked: Asked) -> Size:
    return _concatenated(asked.all, asked.arg("dim", 0))


def _stack(asked: Asked) -> Size:
    size = asked.of(0)
    at = asked.arg("dim", 0) % (len(size) + 1)
    return (*size[:at], len(asked.all), *size[at:])


def _hstack(asked: Asked) -> Size:
    sizes = [size or (1,) for size in asked.all]
    return _concatenated(sizes, 0 if len(sizes[0]) == 1 else 1)


def _stacked(count: int, dim: int) -> Function:
    def answer(asked: Asked) -> Size:
        return _concatenated([AT_LEAST[count](size) for size in asked.all], dim)

    return answer


def _columns(asked: Asked) -> Size:
    return _concatenated([size if len(size) > 1 else (prod(size), 1) for size in asked.all], 1)


def _block_diagonal(asked: Asked) -> Size:
    blocks = [AT_LEAST[2](size) for size in asked.all]
    return sum(rows for rows, _ in blocks), sum(columns for _, columns in blocks)


ARRANGED: dict[str, Function] = {
    **named("view_as reshape_as searchsorted take", second),
    "view": _viewed("size"),
    "reshape": _viewed("shape"),
    **named("flatten Flatten", _flattened),
    "ravel": lambda asked: (prod(asked.of(0)),),
    "unflatten": _unflattened,
    "squeeze": _squeezed,
    "unsqueeze": _unsqueezed,
    "transpose": _transposed,
    **named("t T H", lambda asked: tuple(reversed(asked.of(0)))),
    **named("mT mH adjoint", lambda asked: swapped(asked.of(0), -2, -1)),
    "permute": _permuted,
    "movedim": _moved_dim,
    "rot90": _turned,
    "expand": _expanded("size"),
    "broadcast_to": _expanded("size"),
    "repeat": _repeated("repeats"),
    "tile": _repeated("dims"),
    "repeat_interleave": _interleaved,
    "atleast_1d": _at_least(1),
    "atleast_2d": _at_least(2),
    "atleast_3d": _at_least(3),
    "cat": _cat,
    "stack": _stack,
    "hstack": _hstack,
    "vstack": _stacked(2, 0),
    "dstack": _stacked(3, 2),
    "column_stack": _columns,
    "block_diag": _block_diagonal,
    "view_as_complex": lambda asked: asked.of(0)[:-1],
    "view_as_real": lambda asked: (*asked.of(0), 2),
}
