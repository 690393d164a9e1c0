"""Sizes of operations that take a part, or lay one along a diagonal."""

from __future__ import annotations

from math import prod

from gradlint.knowledge.shapes.query import Asked, Function, Size, Untold, broadcast, named, with_length, without


def _narrowed(asked: Asked) -> Size:
    return with_length(asked.of(0), asked.arg("dim"), asked.arg("length"))


def _divided(dim: int | None = None) -> Function:
    """Equal parts, by how many there are to be."""

    def answer(asked: Asked) -> Size:
        size, parts = asked.of(0), asked.arg("chunks", asked.arg("sections"))
        at = (asked.arg("dim", 0) if dim is None else dim) % len(size)
        if size[at] % parts:
            raise Untold
        return with_length(size, at, size[at] // parts)

    return answer


def _split(asked: Asked) -> Size:
    size, length, at = asked.of(0), asked.arg("split_size"), asked.arg("dim", 0)
    if size[at] % length:
        raise Untold
    return with_length(size, at, length)


def _diagonal(asked: Asked) -> Size:
    size = asked.of(0)  # of more dimensions `linalg.diagonal` takes the last ones, `diagonal` the first
    one, other = (
        (asked.arg("dim1", 0), asked.arg("dim2", 1)) if len(size) == 2 else (asked.arg("dim1"), asked.arg("dim2"))
    )
    rest = without(size, (one, other))
    return (*rest, _length_of_diagonal(size[one], size[other], asked.arg("offset", 0)))


def _length_of_diagonal(rows: int, columns: int, offset: int) -> int:
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


def _diag(asked: Asked) -> Size:
    size, offset = asked.of(0), asked.arg("diagonal", 0)
    if len(size) == 1:
        return (size[0] + abs(offset),) * 2
    return (_length_of_diagonal(size[0], size[1], offset),)


def _indexed(asked: Asked) -> Size:
    key = asked.arg("key")
    keys = key if isinstance(key, tuple) else (key,)
    size, found = list(asked.of(0)), list[int]()
    told = sum(one is not None and one is not ... for one in keys)
    for one in keys:
        if one is None:
            found.append(1)
        elif one is ...:
            found += [size.pop(0) for _ in range(len(asked.of(0)) - told)]
        elif type(one) is int:
            size.pop(0)
        elif type(one) is slice:
            found.append(len(range(*one.indices(size.pop(0)))))
        else:
            raise Untold
    return (*found, *size)


def _selected(asked: Asked) -> Size:
    index = asked.of(1) or (1,)
    return with_length(asked.of(0), asked.arg("dim"), index[0])


def _embedded_diagonal(asked: Asked) -> Size:
    size, offset = asked.of(0), abs(asked.arg("offset", 0))
    if asked.arg("dim1", -2) != -2 or asked.arg("dim2", -1) != -1:
        raise Untold
    return (*size[:-1], size[-1] + offset, size[-1] + offset)


def _flat_diagonal(asked: Asked) -> Size:
    return (prod(asked.of(0)) + abs(asked.arg("offset", 0)),) * 2


def _half(asked: Asked) -> Size:
    size, dim = asked.of(0), asked.arg("dim", -1)
    return with_length(size, dim, size[dim] // 2)


def _most(asked: Asked) -> list[Size]:
    size = asked.of(0)
    return [with_length(size, asked.arg("dim", -1), asked.arg("k")) if size else ()] * 2


def _taken_along(asked: Asked) -> Size:
    size, index, dim = asked.of(0), asked.of(1), asked.arg("dim")
    return (prod(index),) if dim is None else broadcast([with_length(size, dim, index[dim]), index])


def _unfolded(asked: Asked) -> Size:
    """Return the size of a window that moves along a dimension step by step, and is then the last one."""
    size, dim, length = asked.of(0), asked.arg("dimension"), asked.arg("size")
    return (*with_length(size, dim, (size[dim] - length) // asked.arg("step") + 1), length)


def _strided(asked: Asked) -> Size:
    return tuple(asked.arg("size"))


TAKEN: dict[str, Function] = {
    "topk": _most,
    **named("narrow narrow_copy", _narrowed),
    "select": lambda asked: without(asked.of(0), asked.arg("dim")),
    "unbind": lambda asked: without(asked.of(0), asked.arg("dim", 0)),
    "iteration": lambda asked: without(asked.of(0), 0),
    **named("chunk tensor_split", _divided()),
    "hsplit": _divided(1),
    "vsplit": _divided(0),
    "dsplit": _divided(2),
    "split": _split,
    "diagonal": _diagonal,
    "diag": _diag,
    "diag_embed": _embedded_diagonal,
    "diagflat": _flat_diagonal,
    "getitem": _indexed,
    "index_select": _selected,
    "take_along_dim": _taken_along,
    "unfold": _unfolded,
    "as_strided": _strided,
    **named("masked_fill masked_scatter", lambda asked: broadcast([asked.of(0), asked.of(1)])),
    "glu": _half,
}
