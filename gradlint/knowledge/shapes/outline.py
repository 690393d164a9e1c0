"""Shapes of the results of operations: how many dimensions they have, and whether the last has one element.

They are told where sizes are not: an operation is found in `OUTLINES` by its name, a function from the shapes of its
operands and the constants beside them to the shape of its results. What an operation refuses may get any answer.
`tests/test_knowledge_outlines.py` holds every answer to what torch gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from itertools import product
from math import prod
from operator import or_
from typing import Any

from gradlint.domain.facts import ANY_SHAPE, COLUMN, DEEP, MATRIX, NUMBER, ROW, SINGLE, VECTOR, Shape
from gradlint.knowledge.shapes.layers import WIDTH, WITH_WIDTH
from gradlint.knowledge.shapes.query import UNTOLD, Asked, Function, Size, Told, Untold, broadcast

PART = object()
"""The index of a slice whose bounds are not known."""
PICKED = object()
"""An index of one dimension: places along the first dimension, or whether each is taken."""

EXAMPLES: dict[Shape, tuple[Size, ...]] = {
    NUMBER: ((),),
    SINGLE: ((1,),),
    VECTOR: ((6,),),
    COLUMN: ((6, 1), (1, 1)),
    MATRIX: ((6, 5), (1, 5)),
    DEEP: ((3, 6, 5), (3, 1, 5), (3, 6, 1), (1, 6, 5), (1, 6, 1), (1, 1, 1), (2, 3, 6, 5)),
}
"""Sizes of each shape, of which an operation gives all shapes that it can give."""
MOST_EXAMPLES = 64
"""The most sizes of several operands that are tried together."""

RANKS = {NUMBER: 0, SINGLE: 1, VECTOR: 1, COLUMN: 2, MATRIX: 2}
"""The number of dimensions of each shape, where that is told."""

Outline = Callable[[Sequence[Shape], Told], Shape]


def of_size(size: Size) -> Shape:
    """The shape of a tensor that is so large."""
    if len(size) < 2:
        return NUMBER if not size else SINGLE if size[0] == 1 else VECTOR
    return DEEP if len(size) > 2 else COLUMN if size[1] == 1 else MATRIX


def of_lengths(lengths: Sequence[object]) -> Shape:
    """The shape of what has dimensions of these lengths, of which a whole number above -1 is known."""
    if not lengths or (type(lengths[-1]) is int and lengths[-1] >= 0):
        return of_size([one if type(one) is int else -1 for one in lengths])  # type: ignore[arg-type]
    return ROW if len(lengths) == 1 else COLUMN | MATRIX if len(lengths) == 2 else DEEP


def _together(shapes: Iterable[Shape]) -> Shape:
    return reduce(or_, shapes)


def _each(table: dict[Shape, Shape], shape: Shape) -> Shape:
    """The shape by a table of what becomes of each answer; what it does not name is not known."""
    found = [table.get(answer, ANY_SHAPE) for answer in shape.answers()]
    return _together([*found, ANY_SHAPE]) if shape.is_unsure else _together(found)


def tried(shapes: Sequence[Shape], sized: Callable[[tuple[Size, ...]], Any]) -> Shape:
    """The shapes of what operands of these shapes give, by the size that examples of them give."""
    if ANY_SHAPE in shapes:
        return ANY_SHAPE
    every = [[size for answer in shape.answers() for size in EXAMPLES[answer]] for shape in shapes]
    if not 0 < prod(map(len, every)) <= MOST_EXAMPLES:
        return ANY_SHAPE
    found = {of_size(sized(sizes)) for sizes in product(*every)}
    return _together([*found, ANY_SHAPE] if any(shape.is_unsure for shape in shapes) else found)


@lru_cache(1024)
def _spread(shapes: tuple[Shape, ...]) -> Shape:
    return tried(shapes, broadcast)


def spread(shapes: Sequence[Shape], told: Told) -> Shape:
    """Return the shape of all operands once they are broadcast."""
    return _spread(tuple(shapes))


def first(shapes: Sequence[Shape], told: Told) -> Shape:
    """Return the shape of the first operand."""
    return shapes[0]


def second(shapes: Sequence[Shape], told: Told) -> Shape:
    """Return the shape of the second operand."""
    return shapes[1]


def by_size(function: Function, more: int = 0) -> Outline:
    """The answer of a function of sizes that gives all shapes for the examples that it can give; the result has so many
    dimensions `more` that its `dim` may say."""

    def answer(shapes: Sequence[Shape], told: Told) -> Shape:
        taken = _taken_by(shapes[0], told.by_name.get("dim"), more)
        return tried([taken, *shapes[1:]], lambda sizes: function(Asked(sizes, told)))

    return answer


def _taken_by(shape: Shape, dim: object, more: int) -> Shape:
    """The shape without those that torch refuses: they have no such dimension, nor will have with so many more."""
    if type(dim) is not int or shape.is_empty:
        return shape
    place = dim if dim >= 0 else -dim - 1
    return shape.without(_together([ANY_SHAPE, *(one for one, n in RANKS.items() if max(n + more, 1) <= place)]))


def _flattened(function: Function) -> Outline:
    """The answer where all dimensions become one, whatever these are; or else that of the function."""
    outline = by_size(function)

    def answer(shapes: Sequence[Shape], told: Told) -> Shape:
        whole = not told.more and told.by_name.get("start_dim", 0) == 0 and told.by_name.get("end_dim", -1) == -1
        return outline(shapes, told) if shapes[0].answers() or not whole else ROW

    return answer


def _laid_out(name: str) -> Outline:
    """The answer by the lengths that are asked for, be the others known or not."""

    def answer(shapes: Sequence[Shape], told: Told) -> Shape:
        given = told.listed if len(told.listed) > 1 else told.by_name.get(name) or told.listed
        lengths = given[0] if isinstance(given, tuple) and len(given) == 1 else given
        several = lengths if isinstance(lengths, tuple) else (lengths,)
        return ANY_SHAPE if several == (UNTOLD,) or lengths is None else of_lengths(several)

    return answer


def _indexed(shapes: Sequence[Shape], told: Told) -> Shape:
    """Return the shape of what an index between brackets takes."""
    key = told.by_name.get("key", UNTOLD)
    keys = key if isinstance(key, tuple) else (key,)
    found = [_taken(answer, keys) for answer in shapes[0].answers()]
    return _together([*found, ANY_SHAPE] if shapes[0].is_unsure else found)


LENGTHS: dict[Shape, tuple[object, ...]] = {
    NUMBER: (),
    SINGLE: (1,),
    VECTOR: (0,),
    COLUMN: (UNTOLD, 1),
    MATRIX: (UNTOLD, 0),
}
"""The lengths of the dimensions of each shape that has few; 0 stands for any that is not 1."""


def _taken(shape: Shape, keys: Sequence[object]) -> Shape:
    if shape not in LENGTHS:
        return ANY_SHAPE
    left, found = list(LENGTHS[shape]), list[object]()
    for key in keys:
        if key is None:
            found.append(1)
        elif not left:
            return ANY_SHAPE
        elif type(key) is int:
            left.pop(0)
        elif key == slice(None):
            found.append(left.pop(0))
        elif type(key) is slice or key is PART or (key is PICKED and len(keys) == 1):
            left.pop(0)
            found.append(UNTOLD)
        else:
            return ANY_SHAPE
    return of_lengths([*found, *left])


ALONG_ROWS = {SINGLE: ROW, VECTOR: ROW, COLUMN: COLUMN, MATRIX: MATRIX}
STACKED = {NUMBER: ROW, SINGLE: COLUMN, VECTOR: MATRIX, COLUMN: DEEP, MATRIX: DEEP, DEEP: DEEP}


def _along(dim: str, table: dict[Shape, Shape]) -> Outline:
    """The answer of what changes the length of the first dimension alone, or puts one before it, as the table says."""

    def answer(shapes: Sequence[Shape], told: Told) -> Shape:
        if told.more or told.by_name.get(dim, 0) != 0:
            return ANY_SHAPE
        found = {_each(table, shape) for shape in shapes}
        return found.pop() if len(found) == 1 else ANY_SHAPE

    return answer


def _gathered(shapes: Sequence[Shape], told: Told) -> Shape:
    """Return the shape of the index; of a matrix one element of each row is taken to be picked."""
    given, index = shapes
    if index.answers():
        return index
    rows = told.by_name.get("dim") == 1 and given.possibly(MATRIX) and not given.possibly(DEEP)
    return COLUMN | ANY_SHAPE if rows else ANY_SHAPE


ROWS_TO = {
    1: {SINGLE: SINGLE, VECTOR: SINGLE, COLUMN: COLUMN, MATRIX: COLUMN, DEEP: DEEP},
    0: {SINGLE: VECTOR, VECTOR: VECTOR, COLUMN: MATRIX, MATRIX: MATRIX, DEEP: DEEP},
}
"""The shape that each becomes where the last dimension gets one element, or another number."""


def _linear(shapes: Sequence[Shape], told: Told) -> Shape:
    """Return the shape of what a layer makes of each row; what nobody has shown is taken to be one or several."""
    count = told.by_name.get(WIDTH, UNTOLD)
    given = shapes[0] if shapes[0].answers() else VECTOR | MATRIX | ANY_SHAPE
    if type(count) is not int:
        return _each(ROWS_TO[0], given) | _each(ROWS_TO[1], given)
    return _each(ROWS_TO[1 if count == 1 else 0], given)


OUTLINES: dict[str, Outline] = {
    "view": _laid_out("size"),
    "reshape": _laid_out("shape"),
    "getitem": _indexed,
    "getitem advanced": _indexed,
    "cat": _along("dim", ALONG_ROWS),
    "stack": _along("dim", STACKED),
    **dict.fromkeys(("chunk", "split", "tensor_split", "vsplit"), _along("dim", ALONG_ROWS)),
    "gather": _gathered,
    **dict.fromkeys(WITH_WIDTH, _linear),
    **dict.fromkeys(("ravel", "masked_select"), lambda shapes, told: ROW),
    **dict.fromkeys(("view_as", "reshape_as", "expand_as"), second),
    "cuda": first,
}
"""The answers that do not follow from those of sizes."""


OPEN = frozenset((first, OUTLINES["cat"], OUTLINES["stack"]))
"""The answers that hold if there are operands that nobody knows, as others of a list are like those that are known."""


def told_by_sizes(functions: dict[str, Function]) -> dict[str, Outline]:
    """The answers that follow from those of sizes, whatever the lengths are, by name."""
    found: dict[str, Outline] = {name: by_size(functions[name]) for name in BY_SIZES.split()}
    return (
        found
        | {"unsqueeze": by_size(functions["unsqueeze"], more=1)}
        | {name: by_size(functions[name]) for name in BY_SIZES_ALONG}
        | {name: _flattened(functions[name]) for name in ("flatten", "Flatten")}
    )


BY_SIZES = (
    "sum mean prod nansum nanmean amax amin logsumexp argmax argmin any all count_nonzero std var norm squeeze "
    "unsqueeze t T transpose iteration select unbind max min median trace mse_loss l1_loss smooth_l1_loss huber_loss "
    "binary_cross_entropy binary_cross_entropy_with_logits kl_div"
)
BY_SIZES_ALONG = [f"{name} along dim" for name in ("max", "min", "median")]


def shape_of(outline: Outline | None, shapes: Sequence[Shape], told: Told) -> Shape:
    """The shape of an operation's results; unsure if it is not known."""
    if outline is None or not shapes or (told.hidden and outline not in OPEN):
        return ANY_SHAPE
    try:
        return outline(shapes, told)
    except (Untold, LookupError, TypeError, ValueError, ArithmeticError):  # torch refuses what has no answer
        return ANY_SHAPE
