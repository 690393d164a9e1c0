"""The indices between the brackets of a subscript."""

from __future__ import annotations

from types import NoneType
from typing import Any

import libcst as cst

from gradlint.domain.facts import YES
from gradlint.domain.values import SLICE, Constant, Places, Value
from gradlint.interpreter.autograd.indexing import ADVANCED, BASIC, UNCLEAR, index_kind
from gradlint.interpreter.engine.machine import Interpreter


def index_value(m: Interpreter, node: cst.Subscript) -> Value:
    """Return the value of an index."""
    found = [_element(m, element.slice) for element in node.slice]
    if len(found) == 1 and not isinstance(node.slice[0].comma, cst.Comma):
        return found[0]
    constants = [value for value in found if type(value) is Constant]
    if len(constants) == len(found):
        return Constant(Places(tuple(constants)))
    kinds = [index_kind(m, value) for value in found]
    return ADVANCED if YES in kinds else UNCLEAR if any(kind.is_unsure for kind in kinds) else BASIC


def _element(m: Interpreter, part: Any) -> Value:
    if type(part) is not cst.Slice:
        return m.value(part.value)
    found = [Constant(None) if bound is None else m.value(bound) for bound in (part.lower, part.upper, part.step)]
    known = [bound.value for bound in found if type(bound) is Constant and isinstance(bound.value, (int, NoneType))]
    return Constant(slice(*known)) if len(known) == len(found) else SLICE
