"""Tables of data in a program: displays of literals, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from gradlint.domain.objects import MOST_ITEMS
from gradlint.interpreter.static.sites import Site

Display = cst.Tuple | cst.List | cst.Set | cst.Dict
_NUMBERS = (cst.Integer, cst.Float)
_LITERALS = (*_NUMBERS, cst.Imaginary, cst.SimpleString, cst.Ellipsis)
_SINGLETONS = frozenset({"True", "False", "None"})


def is_table(node: Site) -> bool:
    """Return whether a display has more rows than are told apart, and nothing in it but literals: to evaluate it
    changes nothing, and its rows are thousands of objects of which nobody asks."""
    if not _is_display(node) or sum(_is_display(element.value) for element in node.elements) <= MOST_ITEMS:
        return False
    return _is_data(node)


def _is_display(node: Site) -> TypeGuard[Display]:
    return isinstance(node, (cst.Tuple, cst.List, cst.Set, cst.Dict))


def _is_data(display: Display) -> bool:
    waiting: list[Site] = [display]
    while waiting:
        one = waiting.pop()
        if _is_display(one):
            waiting += _parts(one)
        elif type(one) is cst.UnaryOperation and type(one.expression) in _NUMBERS:
            continue
        elif type(one) not in _LITERALS and not (type(one) is cst.Name and one.value in _SINGLETONS):
            return False
    return True


def _parts(display: Display) -> Iterator[Site]:
    """Yield the elements of a display; of what is unpacked there (`*more`) that as a whole, which is no data."""
    for element in display.elements:
        if isinstance(element, cst.DictElement):
            yield element.key
        yield element.value if isinstance(element, (cst.Element, cst.DictElement)) else element
