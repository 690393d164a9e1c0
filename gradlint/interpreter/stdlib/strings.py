"""Strings that are written down: what their methods give, and whether patterns match them.

The names of parts and parameters are such strings, and conditions on them say which parts are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import TypeGuard

from gradlint.domain.objects import Container
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, PlainObject, Value
from gradlint.interpreter.autograd.operations import plain_result
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.iteration import MOST_ELEMENTS
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.string_values import LONGEST

METHODS = frozenset(
    "startswith endswith lower upper strip lstrip rstrip removeprefix removesuffix replace capitalize title split "
    "rsplit find rfind count isdigit isdecimal isalpha".split()
)
"""Methods of strings that are cheap however long what they are given is."""
SIMPLE = re.compile(r"(?:[\w .^$|(-]|\[\^?(?:\w-\w|\w)+\]|\\[.dw]|\)(?![*+])|[*+](?![*+]))*")
"""Patterns that are tried: with repeated groups they may take very long."""
REPETITIONS, BARS = re.compile(r"[*+]"), re.compile(r"\|")
MOST_CHOICES = 5
"""The most choices that those may have, of which a repetition is two and each bar one: tries multiply with each."""


def given_by_method(m: Interpreter, node: Site, owner: Value, name: str, args: Arguments) -> Value | None:
    """Return the result of a string method where the string and the arguments are constants."""
    given = _constants(m, args.positional)
    if name not in METHODS or given is None or args.keywords or args.unknown or not _is_plain(owner):
        return None
    try:
        found = getattr(owner.value, name)(*given)
    except (TypeError, ValueError):
        return None
    if type(found) is list:
        parts = [Constant(part) for part in found]
        return container(m, node, "list", parts) if len(parts) <= MOST_ELEMENTS else None
    return Constant(found) if type(found) is not str or len(found) <= LONGEST else None


def _constants(m: Interpreter, values: Iterable[Value]) -> list[object] | None:
    """The constants that values are, or tuples of such; None where one is something else."""
    found: list[object] = []
    for value in values:
        thing = m.only(value, Container)
        if type(value) is Constant and (_is_plain(value) or type(value.value) in (int, type(None))):
            found.append(value.value)
        elif thing is not None and thing.kind == "tuple" and thing.rest == NOTHING:
            inner = tuple(part.value for _, part in thing.items if _is_plain(part))
            if len(inner) < len(thing.items):
                return None
            found.append(inner)
        else:
            return None
    return found


def _is_plain(value: Value) -> TypeGuard[Constant]:
    """Return whether a value is a string of which every Python says the same."""
    return type(value) is Constant and type(value.value) is str and value.value.isascii()


def _matching(how: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """`re.match`, `re.search` or `re.fullmatch`: a match counts as true, and None does not."""
    texts = _constants(m, [args.get("pattern", 0, UNKNOWN), args.get("string", 1, UNKNOWN)])
    if texts is None or len(args.values()) > 2 or args.unknown:
        return plain_result(m, node, "match or none")
    pattern, text = texts
    if not (isinstance(pattern, str) and isinstance(text, str) and _is_quick(pattern, text)):
        return plain_result(m, node, "match or none")
    return NONE_VALUE if getattr(re, how)(pattern, text) is None else PlainObject("match")


def _is_quick(pattern: str, text: str) -> bool:
    """Return whether a pattern makes sense and is tried quickly."""
    choices = 2 * len(REPETITIONS.findall(pattern)) + len(BARS.findall(pattern))
    if max(len(text), len(pattern)) > LONGEST or choices > MOST_CHOICES or SIMPLE.fullmatch(pattern) is None:
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


for _how in ("match", "search", "fullmatch"):
    models(f"re.{_how}")(partial(_matching, _how))
