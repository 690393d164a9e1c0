"""Calls of a name in a text, and whether gradients are certainly off there.

Read off Python's own syntax tree, and by names alone: a mode that the text does not show is taken to be on.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Mapping, Sequence

from gradlint.frozen import frozen, replace
from gradlint.knowledge.torch.mode_contexts import ROWS

SWITCHES = {path.rpartition(".")[2]: row for row in ROWS for path in row.paths}
DEEPEST = 3
"""The most functions whose calls are asked for, each in the one before."""


@frozen()
class Use:
    """A place where a name is read; `owner` is the last name of what it is an attribute of. Where it is `called`:
    whether that is with gradients off, in which function it is, and the names that are `bound` to the result."""

    name: str
    off: bool = False
    function: str = ""
    owner: str = ""
    called: bool = False
    bound: tuple[str, ...] = ()


Uses = Mapping[str, Sequence[Use]]
"""The places where a text reads names, by name."""


def uses(text: str) -> Uses:
    """All places where a text reads names; none of what is no Python."""
    found: list[Use] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        _block(tree.body, False, "", found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    by_name: dict[str, list[Use]] = {}
    for use in found:
        by_name.setdefault(use.name, []).append(use)
    return by_name


def all_off(used: Uses, name: str, deep: int = DEEPEST) -> bool | None:
    """Return whether gradients are off wherever a name is used: around that, or around all calls of the function it
    stands in. None where it is not used, but in a function of that name, which has them as its callers have unless it
    switches them off itself."""
    found = [use for use in used.get(name, ()) if use.function != name or use.off]
    return all(one.off or _is_called_off(used, one.function, deep) for one in found) if found else None


def any_on(used: Uses, cls: str, method: str) -> bool:
    """Return whether a method of what a class makes is called where gradients are on."""
    made = {name for one in used.get(cls, ()) for name in one.bound} | {cls}
    calls = [one for one in used.get(method, ()) if one.called and one.owner in made]
    return any(not one.off and not _is_called_off(used, one.function, DEEPEST) for one in calls)


def is_read_of_another(used: Uses, name: str) -> bool:
    """Return whether an attribute of this name is read of something that is not `self`."""
    return any(one.owner not in ("", "self") for one in used.get(name, ()))


def _is_called_off(used: Uses, function: str, deep: int) -> bool:
    return bool(function) and deep > 0 and all_off(used, function, deep - 1) is True


def _block(body: Iterable[ast.stmt], off: bool, function: str, found: list[Use]) -> None:
    """Statements in order; one that switches gradients off or on does so for those behind it."""
    for statement in body:
        _node(statement, off, function, found)
        for node in ast.walk(statement):
            if isinstance(node, ast.Expr) and (switched := _switched(node.value, at_once=True)) is not None:
                off = switched and node is statement


def _node(node: ast.AST, off: bool, function: str, found: list[Use]) -> None:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            for part in (*node.decorator_list, node.args):
                _node(part, off, function, found)
            _block(node.body, _within(node.decorator_list, False), node.name, found)
        case ast.Lambda():
            _node(node.body, False, "", found)
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                _node(item.context_expr, off, function, found)
            _block(node.body, _within([item.context_expr for item in node.items], off), function, found)
        case ast.Call(func=ast.Name() | ast.Attribute() as called):
            found.append(Use(_last(called), off, function, _owner(called), called=True))
            for part in (*ast.iter_child_nodes(called), *node.args, *node.keywords):
                _node(part, off, function, found)
        case ast.Assign(targets=targets, value=ast.Call(func=ast.Name() | ast.Attribute()) as made):
            at = len(found)
            for part in (made, *targets):
                _node(part, off, function, found)
            found[at] = replace(found[at], bound=tuple(map(_last, targets)))
        case _:
            _any_other(node, off, function, found)


def _any_other(node: ast.AST, off: bool, function: str, found: list[Use]) -> None:
    """A node that is nothing but what its parts are, or the name of something that is not called here."""
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        found.append(Use(_last(node), owner=_owner(node)))
    for _, value in ast.iter_fields(node):
        parts = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST)]
        _block([part for part in parts if isinstance(part, ast.stmt)], off, function, found)
        for part in parts:
            if not isinstance(part, ast.stmt):
                _node(part, off, function, found)


def _owner(called: ast.Name | ast.Attribute) -> str:
    """The last name of what this is an attribute of, of what makes that where it is made at once."""
    owner = called.value if isinstance(called, ast.Attribute) else called
    return "" if owner is called else _last(owner.func if isinstance(owner, ast.Call) else owner)


def _last(node: ast.expr) -> str:
    """The last name of what is called or read."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _within(managers: Iterable[ast.expr], off: bool) -> bool:
    """Return whether gradients are off inside these managers, or under them as decorators."""
    for manager in managers:
        switched = _switched(manager)
        off = off if switched is None else switched
    return off


def _switched(node: ast.expr, *, at_once: bool = False) -> bool | None:
    """Return whether an expression switches gradients off, rather than on; None where it does neither. `at_once`: by
    being evaluated."""
    called = node if isinstance(node, ast.Call) else None
    row = SWITCHES.get(_last(node if called is None else called.func))
    if row is None or (at_once and not (row.on_call and called)):
        return None
    if row.to in ("off", "on"):
        return row.to == "off"
    given = [*called.args, *(keyword.value for keyword in called.keywords)] if called else []
    says = given[0].value if given and isinstance(given[0], ast.Constant) else None if given else True
    return says is (row.to == "inference")
