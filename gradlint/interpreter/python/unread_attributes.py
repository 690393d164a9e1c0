"""Parts of modules that are never looked up: by no class, nowhere in the file, and in none that imports it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from gradlint.domain.objects import Module
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.functions import is_left_to_others
from gradlint.interpreter.python.mro import find_method
from gradlint.interpreter.static.scopes import HANDED, Scope, spelled

GOING_OVER = frozenset({"__dict__", "_modules", "children", "get_submodule", "named_children"})
"""Attributes of `self` by which a class gets its parts without their names; `modules()` is for initialising them."""
BY_NAME = frozenset({f"{HANDED}getattr 0", f"{HANDED}vars 0", f"{HANDED}setattr 0"})
"""The uses of `self` that may read an attribute without its name."""


class AttributesOfOthers(set[str]):
    """The attributes that a file mentions of anything but `self`; empty until somebody asks."""


def is_unread(m: Interpreter, owner: object, name: str) -> bool:
    """Return whether nothing reads an attribute that the running method sets on `self`, a module, and that its class
    does not read: neither what derives from that, nor anything in the file, or in one that imports it, that has such
    an object."""
    function = m.frame.function
    if not isinstance(owner, Module) or function is None or function.owner not in m.scan.scopes:
        return False
    if not _has_forward(m, owner) or any(_may_read(one, name) for one in _related(m, function.owner)):
        return False
    return name not in _of_others(m) and not m.neighbours.reads(name)


def _has_forward(m: Interpreter, owner: Module) -> bool:
    """Return whether the class says what calling it does: if not, others call what it holds."""
    forward = find_method(m, owner.cls, "forward")
    return forward is not None and not is_left_to_others(forward)


def _related(m: Interpreter, setting: Any) -> Iterator[Scope]:
    """The scopes of a class of the file, and of those that name it among their bases, at any distance."""
    classes = [node for node in m.scan.scopes if isinstance(node, cst.ClassDef)]
    known, found = set[str](), [setting]
    while found:
        yield from (m.scan.scopes[node] for node in found)
        known.update(node.name.value for node in found)
        classes = [node for node in classes if node not in found]
        found = [node for node in classes if not known.isdisjoint(_bases(node))]


def _bases(node: cst.ClassDef) -> Iterator[str]:
    return (spelled(base.value).rpartition(".")[2] for base in node.bases)


def _may_read(scope: Scope, name: str) -> bool:
    """Return whether the methods of a class read an attribute, or some by no name."""
    by_no_name = not GOING_OVER.isdisjoint(scope.reads) or not BY_NAME.isdisjoint(scope.uses.get("self", ()))
    return by_no_name or name in scope.reads


def _of_others(m: Interpreter) -> AttributesOfOthers:
    known = m.notes(AttributesOfOthers)
    if not known:
        known.add("")
        for scope in m.scan.scopes.values():
            for chain, uses in scope.uses.items():
                first, *rest = chain.split(".")
                if first != "self":
                    known.update(rest)
                if chain != "self":
                    known.update(use.partition("(")[0] for use in uses)
    return known
