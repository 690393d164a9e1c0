"""The pieces of syntax directly inside another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

import libcst as cst

_LAYOUT = ("whitespace", "lpar", "rpar", "lbracket", "rbracket", "comma", "header", "footer", "leading_lines",
           "lines_after_decorators", "semicolon", "newline", "indent", "trailing_whitespace", "encoding",
           "default_indent", "default_newline", "has_trailing_newline", "colon", "equal")  # fmt: skip


@cache
def _semantic_fields(kind: type) -> tuple[str, ...]:
    """The fields of a kind of syntax that hold other syntax with a meaning, in order."""
    return tuple([f.name for f in fields(kind) if not f.name.startswith(_LAYOUT)])


@cache
def _reader(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """Return a reader of these fields, all at once."""
    names = _semantic_fields(kind)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


def parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The pieces of syntax directly inside another."""
    out: list[cst.CSTNode] = []
    for content in _reader(type(node))(node):
        kind = type(content)
        if kind in _NO_SYNTAX:
            continue
        if kind is list or kind is tuple:
            out += [piece for piece in content if type(piece) not in _NO_SYNTAX]
        else:
            out.append(content)
    return out


_NO_SYNTAX = frozenset({type(None), str, bool, int, cst.MaybeSentinel})
"""The types of a field besides syntax (looked up for every field: an abstract class's `isinstance` would be dear)."""


def parameters_of(params: cst.Parameters) -> list[cst.Param]:
    """All parameters of a function, those with stars last."""
    stars = [star for star in (params.star_arg, params.star_kwarg) if isinstance(star, cst.Param)]
    return [*params.posonly_params, *params.params, *params.kwonly_params, *stars]


def targets(target: Any) -> list[cst.CSTNode]:
    """The single targets of an assignment, however deeply unpacked."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return [single for element in target.elements for single in targets(element.value)]
    return [target]
