"""Patterns of `match`: names are bound to what they may match."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.domain import UNKNOWN, Container, Value
from gradlint.interpreter import containers
from gradlint.interpreter.core import Interpreter


def match_case(it: Interpreter, pattern: Any, subject: Value) -> bool:
    """Bind what the pattern names; whether it matches everything."""
    if isinstance(pattern, cst.MatchAs):
        always = pattern.pattern is None or match_case(it, pattern.pattern, subject)
        if pattern.name is not None:
            it.bind(pattern.name.value, subject)
        return always
    if isinstance(pattern, cst.MatchOr):
        matched = [match_case(it, element.pattern, subject) for element in pattern.patterns]
        return any(matched)
    if isinstance(pattern, cst.MatchValue):
        it.value(pattern.value)
    elif isinstance(pattern, (cst.MatchList, cst.MatchTuple)):
        element = containers.elements(it, pattern, subject)
        part: Any
        for part in pattern.patterns:
            inner = getattr(part, "value", None)
            if isinstance(part, cst.MatchStar):
                if part.name is not None:
                    it.bind(part.name.value, it.new(part, "starred", Container("list", rest=element)))
            elif inner is not None:
                match_case(it, inner, element)
    elif isinstance(pattern, cst.MatchMapping):
        for entry in pattern.elements:
            match_case(it, entry.pattern, UNKNOWN)
        if pattern.rest is not None:
            it.bind(pattern.rest.value, UNKNOWN)
    elif isinstance(pattern, cst.MatchClass):
        for part in (*pattern.patterns, *pattern.kwds):
            match_case(it, part.value if hasattr(part, "value") else part.pattern, UNKNOWN)
    return False
