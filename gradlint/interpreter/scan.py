"""One pass over the syntax before anything runs: what each scope assigns, uses and contains.

Nothing is evaluated here. The interpreter asks a scope how a name is used (to guess what an unknown
parameter is), whether a loop can be left early, how deep loops nest, and what a class reads off
`self`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import libcst as cst

_LAYOUT = ("whitespace", "lpar", "rpar", "lbracket", "rbracket", "comma", "header", "footer", "leading_lines",
           "lines_after_decorators", "semicolon", "newline", "indent", "trailing_whitespace", "encoding",
           "default_indent", "default_newline", "has_trailing_newline", "colon", "equal")  # fmt: skip
DEEPEST = 250
"""How deep syntax may be nested (but for chains of binary operators, which are walked without recursion)."""
_FIELDS: dict[type, tuple[str, ...]] = {}


def semantic_fields(kind: type) -> tuple[str, ...]:
    """The fields of a kind of syntax that hold other syntax with a meaning, in order."""
    known = _FIELDS.get(kind)
    if known is None:
        names = [f.name for f in fields(kind) if not f.name.startswith(_LAYOUT)]
        known = _FIELDS[kind] = tuple(names)
    return known


def parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The pieces of syntax directly inside another."""
    out: list[cst.CSTNode] = []
    for name in semantic_fields(type(node)):
        content = getattr(node, name)
        kind = type(content)
        if kind in _NO_SYNTAX:
            continue
        if kind is list or kind is tuple:
            out += [piece for piece in content if type(piece) not in _NO_SYNTAX]
        else:
            out.append(content)
    return out


_NO_SYNTAX = frozenset({type(None), str, bool, int, cst.MaybeSentinel})
"""What a field may hold besides syntax (asked for every field: an abstract class's `isinstance` would be dear)."""


@dataclass(slots=True)
class Scope:
    """A module, class, function or lambda.

    `uses` tells for a dotted name what is done with it: "attr" read or written, "attr()" called, "()" called itself;
    `annotations` are those of the names that a class body declares, and of what its methods declare on `self`.
    """

    node: cst.CSTNode
    parent: Scope | None
    uses: dict[str, dict[str, None]] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
    targets: set[cst.CSTNode] = field(default_factory=set)
    annotations: dict[str, cst.CSTNode] = field(default_factory=dict)
    generator: bool = False
    inner: bool = False


@dataclass(slots=True)
class Loop:
    """A loop: `height` counts the loops nested inside; `leaves` whether a break, return or raise can leave it early."""

    height: int = 0
    leaves: bool = False


@dataclass(slots=True)
class Scan:
    """What the pass found: scopes and loops by their syntax; `deep` are expressions nested too deeply to evaluate."""

    scopes: dict[cst.CSTNode, Scope] = field(default_factory=dict)
    loops: dict[cst.CSTNode, Loop] = field(default_factory=dict)
    deep: set[cst.CSTNode] = field(default_factory=set)
    statements: int = 0


def dotted(node: Any) -> str:
    """`a.b.c` for a chain of names, else nothing."""
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(names)])


def spelled(node: Any) -> str:
    """How a place is written: a chain of names, attributes and constant subscripts, else nothing."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        owner, key = spelled(node.value), node.slice[0].slice.value
        if owner and isinstance(key, (cst.Name, cst.Integer, cst.SimpleString)):
            return f"{owner}[{key.value}]"
        return ""
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Subscript):
        owner = spelled(node.value)
        return f"{owner}.{node.attr.value}" if owner else ""
    return dotted(node)


_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_LOOPS = (cst.For, cst.While)


def scan(tree: cst.Module) -> Scan:
    """Look once at every piece of syntax. Nesting of any depth is walked without recursion."""
    out = Scan()
    top = out.scopes[tree] = Scope(tree, None)
    todo: list[tuple[cst.CSTNode, Scope, tuple[Loop, ...], int]] = [
        (child, top, (), 0) for child in reversed(parts(tree))
    ]
    while todo:
        node, scope, loops, depth = todo.pop()
        kind = type(node)
        if depth > DEEPEST and isinstance(node, cst.BaseExpression):
            out.deep.add(node)
            continue
        if kind in _SCOPES:
            scope.inner = True
            scope, loops = Scope(node, scope), ()
            out.scopes[node] = scope
        elif kind in _LOOPS:
            for height, loop in enumerate(reversed(loops), 1):
                loop.height = max(loop.height, height)
            found = out.loops[node] = Loop()
            loops = (*loops, found)
        elif isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            out.statements += 1
        _look(node, kind, scope, loops)
        inside = depth if kind is cst.BinaryOperation else depth + 1
        todo += [(child, scope, loops, inside) for child in reversed(parts(node))]
    return out


def _look(node: Any, kind: type, scope: Scope, loops: tuple[Loop, ...]) -> None:
    if kind is cst.Attribute:
        if node not in scope.targets:
            _read(scope, dotted(node.value), node.attr.value)
        _use(scope, dotted(node.value), node.attr.value)
    elif kind is cst.Call:
        _called(node, scope)
    elif kind is cst.Yield:
        scope.generator = True
    elif kind is cst.Break and loops:
        loops[-1].leaves = True
    elif kind in (cst.Return, cst.Raise):
        for loop in loops:
            loop.leaves = True
    elif kind is cst.AssignTarget or kind is cst.AnnAssign:
        for target in targets(node.target):
            _assigned(target, scope)
        if kind is cst.AnnAssign:
            _declared(node, scope)


def _called(node: cst.Call, scope: Scope) -> None:
    if type(node.func) is cst.Attribute:
        suffix = "()" if not node.args else "(.)"
        _use(scope, dotted(node.func.value), f"{node.func.attr.value}{suffix}")
    _use(scope, dotted(node.func), "()")


def _use(scope: Scope, name: str, use: str) -> None:
    if not name:
        return
    at: Scope | None = scope
    while at is not None:
        at.uses.setdefault(name, {})[use] = None
        at = at.parent


def _read(scope: Scope, name: str, attr: str) -> None:
    at: Scope | None = scope if name == "self" else None
    while at is not None:
        if type(at.node) is cst.ClassDef:
            at.reads.add(attr)
        at = at.parent


def targets(target: Any) -> list[cst.CSTNode]:
    """The single targets of an assignment, however deeply unpacked."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return [single for element in target.elements for single in targets(element.value)]
    return [target]


def _declared(node: cst.AnnAssign, scope: Scope) -> None:
    name, at = dotted(node.target), scope
    if name.startswith("self.") and scope.parent is not None:
        name, at = name.removeprefix("self."), scope.parent
    if type(at.node) is cst.ClassDef and "." not in name:
        at.annotations.setdefault(name, node.annotation.annotation)


def _assigned(target: Any, scope: Scope) -> None:
    if type(target) is not cst.Attribute:
        return
    scope.targets.add(target)
    if dotted(target.value) == "self":
        scope.sets.add(target.attr.value)
