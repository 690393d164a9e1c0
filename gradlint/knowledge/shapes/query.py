"""Queries for the size of an operation's result, and the parts that many answers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from math import prod
from typing import Any, NamedTuple

Size = tuple[int, ...]
"""The lengths of a tensor's dimensions."""


class Untold(Exception):
    """The size of a result depends on facts that are not known."""


class Told(NamedTuple):
    """The constants that a call is given, those of `UNTOLD` being unknown: by name, and one after the other behind the
    first operand. `takes` are all names that the operation is known to take; `more` says that it is given others,
    `hidden` that there may be operands which nobody knows."""

    by_name: Mapping[str, object] = {}
    listed: tuple[object, ...] = ()
    takes: frozenset[str] = frozenset()
    more: bool = False
    hidden: bool = False


NOT_SEEN = Told(more=True)
"""The arguments of a call that nobody has looked at."""


class Asked(NamedTuple):
    """The arguments of an operation: the sizes of its operands in order (a number has no dimensions; None: not known),
    the constants beside them, and the sizes of a layer's own parameters by name."""

    sizes: Sequence[Size | None]
    told: Told = NOT_SEEN
    own: Mapping[str, Size | None] = {}

    def of(self, index: int) -> Size:
        """The size of an operand."""
        size = self.sizes[index]
        if size is None:
            raise Untold
        return size

    def parameter(self, name: str) -> Size:
        """The size of a layer's own parameter."""
        size = self.own[name]
        if size is None:
            raise Untold
        return size

    @property
    def all(self) -> list[Size]:
        """The sizes of all operands."""
        return [self.of(index) for index in range(len(self.sizes))]

    def arg(self, name: str, default: Any = None) -> Any:
        """An argument, which has to be a constant."""
        value = self.told.by_name.get(name, default)
        if value is UNTOLD or self.told.more:
            raise Untold
        return value

    def numbers(self, name: str) -> Size:
        """An argument that is one whole number or several, which may stand one after the other."""
        listed = self.told.listed
        found = listed if len(listed) > 1 else self.told.by_name.get(name) or listed
        several = found[0] if isinstance(found, tuple) and len(found) == 1 else found
        return _all_told(several if isinstance(several, tuple) else (several,))


def _all_told(numbers: Sequence[Any]) -> Size:
    if not all(type(one) is int for one in numbers):
        raise Untold
    return tuple(numbers)


UNTOLD = object()
"""An argument that is given, and of which nothing is known."""


Answer = Size | list[Size] | list[Size | None]


Function = Callable[[Asked], Answer]


def whole(numbers: Sequence[object]) -> Size | None:
    """The size that whole numbers say; None where others are among them, or there are none."""
    found = tuple(one for one in numbers if type(one) is int)
    return found if found and len(found) == len(numbers) else None


def named(names: str, function: Function) -> dict[str, Function]:
    """The same answer under several names."""
    return dict.fromkeys(names.split(), function)


def broadcast(sizes: Sequence[Size]) -> Size:
    """The size that several are spread to."""
    columns = zip_longest(*(reversed(size) for size in sizes), fillvalue=1)
    return tuple(next((one for one in column if one != 1), 1) for column in reversed(list(columns)))


def multiplied(sizes: Sequence[Size]) -> Size:
    """The size by which several are laid out side by side."""
    pairs = zip_longest(*(reversed(size) for size in sizes), fillvalue=1)
    return tuple(reversed([prod(pair) for pair in pairs]))


def without(size: Size, dim: object, keep: bool = False) -> Size:
    """A size once these dimensions (None or none: all) are reduced."""
    if dim is None or dim == ():
        dim = tuple(range(len(size)))
    dims = {one % max(len(size), 1) for one in (dim if isinstance(dim, tuple) else (dim,))}
    return tuple(1 if at in dims else n for at, n in enumerate(size) if keep or at not in dims)


def with_length(size: Size, dim: int, length: int) -> Size:
    """A size with another length in one dimension."""
    at = dim % len(size)
    return (*size[:at], length, *size[at + 1 :])


def moved(size: Size, order: Sequence[int]) -> Size:
    """A size with its dimensions in this order."""
    return tuple(size[at] for at in order)


def swapped(size: Size, one: int, other: int) -> Size:
    """A size with two dimensions in each other's place; a number has none."""
    order = list(range(len(size)))
    if order:
        order[one], order[other] = order[other], order[one]
    return moved(size, order)


def filled(size: Size, wanted: Size) -> Size:
    """A size by which as many elements are laid out anew; -1 stands for what is left."""
    rest = -prod(wanted)
    return tuple(prod(size) // rest if n == -1 else n for n in wanted)


def pattern(text: str) -> Function:
    """The answer of a pattern such as "*ij,*jk->*ik": letters are lengths, a star what stands before them."""
    given, _, wanted = text.partition("->")
    parts = given.split(",")

    def answer(asked: Asked) -> Size:
        lengths: dict[str, int] = {}
        before: list[Size] = []
        for part, size in zip(parts, asked.all, strict=False):
            names = part.removeprefix("*")
            cut = len(size) - len(names)
            if cut < 0 or (cut and part == names):
                raise Untold
            before.append(size[:cut])
            lengths |= dict(zip(names, size[cut:], strict=True))
        named = tuple(lengths[name] for name in wanted.removeprefix("*"))
        return (*broadcast(before), *named) if "*" in wanted else named

    return answer


def first(asked: Asked) -> Size:
    """Return the size of the first operand."""
    return asked.of(0)


def second(asked: Asked) -> Size:
    """Return the size of the second operand."""
    return asked.of(1)


def spread(asked: Asked) -> Size:
    """Return the size of all operands once they are broadcast."""
    return broadcast(asked.all)


def reduced(default: Any = None) -> Function:
    """Return the size function of a reduction of `dim=`, which is this one where nothing is said."""

    def answer(asked: Asked) -> Size:
        return without(asked.of(0), asked.arg("dim", default), asked.arg("keepdim", False))

    return answer


def each_of(value: Any, count: int) -> Sequence[Any]:
    """A number for each of so many dimensions, where one may stand for all."""
    return value * (count if len(value) == 1 else 1) if isinstance(value, tuple) else (value,) * count
