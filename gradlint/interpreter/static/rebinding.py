"""Names bound anew in loops: whether what they hold then is ever looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import libcst as cst

from gradlint.frozen import frozen
from gradlint.interpreter.static.scopes import COMPREHENSIONS, Scope, comprehended, dotted
from gradlint.source import parts, targets

_STATEMENTS = (cst.BaseSmallStatement, cst.For, cst.While, cst.If, cst.With, cst.Try)


@frozen()
class Rebinding:
    """An assignment to a name inside a loop: whether a `for` around it binds the same name, and whether the name may be
    read before it is bound again, and how the program writes the place of what it held in what that `for` goes over."""

    looped: bool
    read: bool
    element: str


@dataclass(slots=True)
class _Walk:
    """The uses of names in one walk over a scope, with the number of the statement and the loops around."""

    reads: dict[str, list[tuple[int, tuple[Any, ...]]]] = field(default_factory=dict)
    writes: list[tuple[cst.Name, int, tuple[Any, ...]]] = field(default_factory=list)
    inner: set[str] = field(default_factory=set)
    bound: dict[Any, frozenset[str]] = field(default_factory=dict)
    """The names that each loop binds."""


@frozen()
class _Reads:
    """The statements that read a name: the last one under each innermost loop that binds it (or under none), and the
    first and the last one in each loop."""

    last: dict[Any, int]
    spans: dict[Any, tuple[int, int]]


class _Step(NamedTuple):
    """A node that is to be walked: the statement and loops around it, whether in a function of its own, and the
    names that are others in there."""

    node: cst.CSTNode
    statement: int
    loops: tuple[Any, ...]
    inner: bool
    hidden: frozenset[str]


def rebindings(scope: Scope) -> dict[cst.CSTNode, Rebinding]:
    """The assignments to names in loops of a scope."""
    if scope.rebindings is None:
        walk = _walked(scope.node)
        writes = [(name, number, loops) for name, number, loops in walk.writes if loops]
        reads = {name: _reads(walk, name) for name in {name.value for name, _, _ in writes}}
        scope.rebindings = {
            name: _judged(walk, reads[name.value], name, number, loops) for name, number, loops in writes
        }
    return scope.rebindings


def read_first(scope: cst.CSTNode, loop: cst.CSTNode) -> dict[str, list[cst.Name]]:
    """The names that an iteration of a loop may read before it binds them, and where it does."""
    walk = _walked(scope)
    bound: dict[str, list[tuple[int, cst.Name]]] = {}
    for target, number, loops in walk.writes:
        if loop in loops:
            bound.setdefault(target.value, []).append((number, target))
    found = {}
    for name, reads in walk.reads.items():
        bindings = bound.get(name, [])
        first = min((number for number, _ in bindings), default=None)
        mentioned = [at for at, around in reads if loop in around and (first is None or at <= first)]
        if len(mentioned) > sum(number == first for number, _ in bindings) and name not in walk.bound[loop]:
            found[name] = [binding for _, binding in bindings]
    return found


def _walked(scope: cst.CSTNode) -> _Walk:
    found, number = _Walk(), 0
    nothing = frozenset[str]()
    todo = [_Step(child, 0, (), inner=False, hidden=nothing) for child in reversed(parts(scope))]
    while todo:
        node, at, loops, inner, hidden = todo.pop()
        kind = type(node)
        if type(node) is cst.Name:
            if node.value in hidden:
                continue
            found.reads.setdefault(node.value, []).append((at, loops))
            if inner:
                found.inner.add(node.value)
            continue
        if isinstance(node, _STATEMENTS):
            number += 1
            at = number
        if type(node) is cst.Assign and not inner:
            names = [one for target in node.targets for one in targets(target.target)]
            found.writes += [(name, at, loops) for name in names if type(name) is cst.Name]
        inner = inner or kind in (cst.FunctionDef, cst.ClassDef, cst.Lambda)
        within = loops
        if isinstance(node, (cst.For, cst.While)):
            within = (*loops, node)
            names = targets(node.target) if type(node) is cst.For else []
            found.bound[node] = frozenset(one.value for one in names if type(one) is cst.Name)
        own = hidden
        if isinstance(node, COMPREHENSIONS):
            own = hidden.union(comprehended(node.for_in))
            todo.append(_Step(node.for_in.iter, at, within, inner, hidden))  # which it finds outside
        todo += [_Step(child, at, within, inner, own) for child in reversed(parts(node))]
    return found


def _reads(walk: _Walk, name: str) -> _Reads:
    found = _Reads({}, {})
    for at, around in walk.reads.get(name, ()):
        binding = next((loop for loop in reversed(around) if name in walk.bound[loop]), None)
        found.last[binding] = max(found.last.get(binding, 0), at)
        for loop in around:
            first, last = found.spans.get(loop, (at, at))
            found.spans[loop] = min(first, at), max(last, at)
    return found


def _judged(walk: _Walk, reads: _Reads, name: cst.Name, number: int, loops: tuple[Any, ...]) -> Rebinding:
    """A name is read again by a later statement, or by an earlier one of a loop that goes round without binding it.

    A later one does not count in a loop that begins after the assignment and binds the name.
    """
    binding = [depth for depth, loop in enumerate(loops) if name.value in walk.bound[loop]]
    between = loops[binding[-1] + 1 :] if binding else loops
    alone = (number, number)
    read = (
        name.value in walk.inner
        or any(reads.last.get(loop, 0) > number for loop in (None, *loops))
        or any(reads.spans.get(loop, alone) != alone for loop in between)
    )
    return Rebinding(bool(binding), read, _element(loops[binding[-1]], name.value) if binding else "")


def _element(loop: Any, name: str) -> str:
    """Return the spelling of the second name's element in a loop over `d.items()` or `enumerate(l)`."""
    names = [one.value for one in targets(loop.target) if isinstance(one, cst.Name)]
    chain = _walked_by_key(loop.iter)
    return f"{chain}[{names[0]}]" if chain and len(names) == 2 and names[1] == name else ""


def _walked_by_key(call: Any) -> str:
    """Return the spelling of what is walked over with the key or number of each element; "" where it is not."""
    if not isinstance(call, cst.Call):
        return ""
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "items" and not call.args:
        return dotted(call.func.value)
    by_number = isinstance(call.func, cst.Name) and call.func.value == "enumerate" and len(call.args) == 1
    return dotted(call.args[0].value) if by_number else ""
