"""One pass over the syntax before anything runs: what each scope assigns, uses and contains.

Nothing is evaluated here. The interpreter looks up in a scope how a name is used (to guess what an unknown
parameter is), whether a loop can be left early, how deep loops nest, and what a class reads off
`self`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from gradlint.frozen import frozen, replace
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.python.duck_typing_names import (
    CONFIGURED,
    DETACH_DROPPED,
    OPTIONS_OF_BACKWARD,
    names_gradients,
)
from gradlint.source import parameters_of, parts, targets

DEEPEST = 250
"""The depth to which syntax may be nested (but for chains of binary operators, which are walked without recursion)."""
OF_AN_AUTOGRAD = frozenset({"data", "grad"})
ALONG = "(dim=)"
"""The use of a thing by a method with a `dim`."""
HANDED = "@"
"""The prefix of a use as an argument; the function and the number of the argument follow."""
MOST_OPERANDS = 3


@dataclass(slots=True)
class Scope:
    """A module, class, function or lambda.

    `uses` tells for a dotted name what is done with it, here and in scopes inside that see the same name: "attr" read
    or written, "attr()" called ("attr(.)" with arguments), "()" called itself ("(=)" as well without data); `dropped`
    are the calls of `detach()` that are statements. `binds` are the names of its own, `emptied` the assignments by
    which names hold None or a number; `given` keeps what `uses_of_given` found, `aliases` are names for types with
    parameters; `annotations` are those of the names that a class body declares, and of what its methods declare on
    `self`; `sets` are attributes of `self` that are set or filled, `switches` names by what modules or parameters are
    switched here; `gradients` are the names, here or in scopes inside, of what may compute gradients; `outlived` are
    the variables of comprehensions around this, under the names by which they are kept for it; `rebindings` are filled
    when somebody asks for them (see `rebinding`).
    """

    node: cst.CSTNode
    parent: Scope | None
    uses: dict[str, dict[str, None]] = field(default_factory=dict)
    dropped: set[Any] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
    targets: set[cst.CSTNode] = field(default_factory=set)
    annotations: dict[str, cst.CSTNode] = field(default_factory=dict)
    binds: set[str] = field(default_factory=set)
    declares: set[str] = field(default_factory=set)
    switches: set[str] = field(default_factory=set)
    emptied: dict[cst.CSTNode, str] = field(default_factory=dict)
    given: dict[str, dict[str, None]] = field(default_factory=dict)
    aliases: dict[str, cst.Subscript] = field(default_factory=dict)
    outlived: dict[str, str] = field(default_factory=dict)
    gradients: set[str] = field(default_factory=set)
    generator: bool = False
    inner: bool = False
    rebindings: dict[cst.CSTNode, Any] | None = None

    def hides(self, name: str) -> bool:
        """Return whether a name means something else here than in the scopes around; methods share `self`."""
        return name in self.binds and name != "self" and type(self.node) is not cst.ClassDef


@dataclass(slots=True)
class Loop:
    """A loop: `height` counts the loops nested inside, without those that are next to nothing; `leaves` whether a
    break, return or raise can leave it early; how many `statements` stand in it; the loop `around` it."""

    around: Loop | None = None
    height: int = 0
    leaves: bool = False
    statements: int = 0


@dataclass(slots=True)
class Scan:
    """The results of the pass: scopes and loops by their syntax; `deep` are expressions nested too deeply to evaluate;
    `imports` are the top-level modules that the file imports, `timing` are the statements, with their scopes, that may
    tell which tests hold every so many times, `periodic` those tests once they are needed; `outlived` are the variables
    of comprehensions that functions inside may still see when the comprehension has ended, each with its kept name."""

    scopes: dict[cst.CSTNode, Scope] = field(default_factory=dict)
    loops: dict[cst.CSTNode, Loop] = field(default_factory=dict)
    deep: set[cst.CSTNode] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    timing: list[tuple[Any, Scope]] = field(default_factory=list)
    periodic: frozenset[cst.CSTNode] | None = None
    outlived: dict[cst.CSTNode, dict[str, str]] = field(default_factory=dict)
    statements: int = 0
    with_gradients: tuple[frozenset[str], ...] | None = None

    def of_own_gradients(self) -> tuple[frozenset[str], ...]:
        """The names that each class without bases has whose objects keep data and a gradient, as an autograd's do."""
        if self.with_gradients is None:
            names: dict[cst.CSTNode, set[str]] = {}
            for node, scope in self.scopes.items():
                around = scope.parent.node if scope.parent is not None else None
                if type(node) is cst.FunctionDef and type(around) is cst.ClassDef and not around.bases:
                    names.setdefault(around, set()).update(scope.sets, [node.name.value])
            self.with_gradients = tuple(map(frozenset, filter(OF_AN_AUTOGRAD.issubset, names.values())))
        return self.with_gradients


@frozen(eq=False)
class Program:
    """A file's syntax and what the pass found in it."""

    tree: cst.Module
    scan: Scan


def dotted(node: Site | None) -> str:
    """`a.b.c` for a chain of names, else nothing."""
    names: list[str] = []
    while type(node) is cst.Attribute:
        names.append(node.attr.value)
        node = node.value
    if type(node) is not cst.Name:
        return ""
    return ".".join([node.value, *reversed(names)])


LOOK_UP = frozenset({"getattr", "globals", "locals", "vars"})
"""Functions by which a program finds its own things by names that it computes."""


def is_looked_up(node: Site | None) -> bool:
    """Return whether an expression takes what it gives by a computed name: `globals()[name]`, `getattr(self, name)`."""
    while isinstance(node, (cst.Subscript, cst.Attribute)):
        node = node.value
    return type(node) is cst.Call and dotted(node.func) in LOOK_UP


KEEPING = frozenset(
    "to cpu cuda float double half bfloat16 type clone detach contiguous requires_grad_ eval train".split()
)
"""Methods that give the same kind of thing as they are called on."""


def kept(node: Site) -> Any:
    """Return the owner that these methods are called on."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in KEEPING:
        node = node.func.value
    return node


def spelled(node: Site) -> str:
    """Return the spelling of a place: a chain of names, attributes and constant subscripts, else nothing."""
    if type(node) is cst.Subscript and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        owner, key = spelled(node.value), node.slice[0].slice.value
        if owner and isinstance(key, (cst.Name, cst.Integer, cst.SimpleString)):
            return f"{owner}[{key.value}]"
        return ""
    if type(node) is cst.Attribute and type(node.value) is cst.Subscript:
        owner = spelled(node.value)
        return f"{owner}.{node.attr.value}" if owner else ""
    return dotted(node)


def receiver(node: Site) -> Any:
    """The expression whose method is called; None for what is no call of a method."""
    call = getattr(node, "node", node)
    return call.func.value if type(call) is cst.Call and type(call.func) is cst.Attribute else None


def argument(node: Site, index: int) -> Any:
    """The expression that a call is given at this position; None where there is none."""
    listed = node.args if type(node) is cst.Call else ()
    return listed[index].value if index < len(listed) and not listed[index].star else None


_STATEMENTS = frozenset(
    kind  # not by `issubclass`, which goes over all kinds of syntax for each of them
    for kind in vars(cst).values()
    if isinstance(kind, type) and not {cst.BaseSmallStatement, cst.BaseCompoundStatement}.isdisjoint(kind.__mro__)
)
NUMBERS = (cst.Integer, cst.Float)
CONSTANTS = frozenset({"False", "None", "True"})
_TIMING = frozenset({cst.Assign, cst.AugAssign, cst.If, cst.Return})
_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_LOOPS = (cst.For, cst.While)
COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def scan(tree: cst.Module) -> Scan:
    """Look once at every piece of syntax. Nesting of any depth is walked without recursion."""
    out = Scan()
    top = out.scopes[tree] = Scope(tree, None)
    _walk(out, parts(tree), top)
    _measure(out.loops.values())
    return out


@frozen()
class Around:
    """The surroundings of a piece of syntax in its scope: the loops, and whether it is `tried` if a thing has an
    attribute at all: then what is done with it does not show what it is."""

    loops: tuple[Loop, ...] = ()
    tried: bool = False


def _count(out: Scan, node: cst.CSTNode, scope: Scope, around: Around) -> None:
    """Count a statement, and keep those that are needed."""
    out.statements += 1
    for loop in around.loops:
        loop.statements += 1
    if isinstance(node, (cst.Import, cst.ImportFrom)):
        out.imports.update(_imported(node))
    elif type(node) in _TIMING:
        out.timing.append((node, scope))


MOST_STATEMENTS_OF_A_SMALL_LOOP = 2
"""The most statements of a loop that makes the loops around it no deeper (`for p in net.parameters(): p.mul_(2)`): to
run them twice costs next to nothing."""


def _measure(loops: Iterable[Loop]) -> None:
    """Count the loops nested in each loop, the outer ones first."""
    for loop in reversed([*loops]):
        if loop.around is not None:
            is_small = loop.height == 0 and loop.statements <= MOST_STATEMENTS_OF_A_SMALL_LOOP
            loop.around.height = max(loop.around.height, loop.height + (not is_small))


def _walk(out: Scan, nodes: Sequence[cst.CSTNode], top: Scope) -> None:
    """Look at every piece of syntax in these, which are in a scope."""
    todo: list[tuple[cst.CSTNode, Scope, Around, tuple[Any, ...], int]]
    todo = [(node, top, Around(), (), 0) for node in reversed(nodes)]
    while todo:
        node, scope, around, clauses, depth = todo.pop()
        kind = type(node)
        if depth > DEEPEST and isinstance(node, cst.BaseExpression):
            out.deep.add(node)
            continue
        if kind in _SCOPES:
            scope.inner = True
            scope, around, clauses = Scope(node, scope, outlived=_outlived(out, clauses)), Around(), ()
            out.scopes[node] = scope
            if isinstance(node, cst.FunctionDef | cst.Lambda):
                scope.binds.update([param.name.value for param in parameters_of(node.params)])
        elif kind in _LOOPS:
            found = out.loops[node] = Loop(around.loops[-1] if around.loops else None)
            around = replace(around, loops=(*around.loops, found))
        elif kind in COMPREHENSIONS:
            clauses = (*clauses, node)
        elif kind in _STATEMENTS:
            _count(out, node, scope, around)
        if kind in _LOOK:
            _LOOK[kind](node, scope, around)
        inside = depth if kind is cst.BinaryOperation else depth + 1
        todo += [(child, scope, around, clauses, inside) for child in reversed(parts(node))]
        if kind is cst.Try and _expects_no_attribute(node):
            todo[-1] = (parts(node)[0], scope, replace(around, tried=True), clauses, inside)


def _expects_no_attribute(node: Any) -> bool:
    """Return whether a `try` is there for things that lack an attribute."""
    kinds = [handler.type for handler in node.handlers]
    listed = [one.value for kind in kinds if type(kind) is cst.Tuple for one in kind.elements]
    return "AttributeError" in map(dotted, [*kinds, *listed])


def _outlived(out: Scan, clauses: Sequence[Any]) -> dict[str, str]:
    """The variables of these comprehensions, as they are kept for the functions in them."""
    found: dict[str, str] = {}
    for node in clauses:
        number = len(out.outlived)
        found |= out.outlived.setdefault(node, {name: f"{name} of {number}" for name in comprehended(node.for_in)})
    return found


def comprehended(clause: cst.CompFor) -> list[str]:
    """The variables of a comprehension, from this clause on."""
    names = [target.value for target in targets(clause.target) if isinstance(target, cst.Name)]
    return names + (comprehended(clause.inner_for_in) if clause.inner_for_in else [])


def _imported(node: cst.Import | cst.ImportFrom) -> list[str]:
    """The top-level modules that an import names."""
    if isinstance(node, cst.ImportFrom):
        return [] if node.relative else [dotted(node.module).partition(".")[0]]
    return [dotted(alias.name).partition(".")[0] for alias in node.names]


def _attribute(node: cst.Attribute, scope: Scope, around: Around) -> None:
    if node not in scope.targets:
        _read(scope, dotted(node.value), node.attr.value)
    _use(scope, around, dotted(kept(node.value)), node.attr.value)
    _named(scope, node.attr.value)


def _statement(node: cst.Expr, scope: Scope, around: Around) -> None:
    if type(node.value) is cst.Call and dotted(node.value.func).endswith(".detach"):
        scope.dropped.add(node.value)


def _yield(node: cst.Yield, scope: Scope, around: Around) -> None:
    scope.generator = True


def _leave(node: cst.Break | cst.Return | cst.Raise, scope: Scope, around: Around) -> None:
    for loop in around.loops[-1:] if type(node) is cst.Break else around.loops:
        loop.leaves = True


def _assign(node: cst.Assign, scope: Scope, around: Around) -> None:
    first = node.targets[0].target
    if type(node.value) is cst.Subscript and type(first) is cst.Name and scope.parent is None:
        scope.aliases[first.value] = node.value
    if type(first) is cst.Name and (type(node.value) in NUMBERS or dotted(node.value) == "None"):
        scope.emptied[node] = first.value


def _target(node: cst.AssignTarget | cst.AnnAssign, scope: Scope, around: Around) -> None:
    for target in targets(node.target):
        _assigned(target, scope)
    if type(node) is cst.AnnAssign:
        _declared(node, scope)


def _binding(node: cst.AsName | cst.NamedExpr | cst.For | cst.CompFor, scope: Scope, around: Around) -> None:
    for target in targets(node.name if isinstance(node, cst.AsName) else node.target):
        _bound(target, scope)


def _declare(node: cst.Global | cst.Nonlocal, scope: Scope, around: Around) -> None:
    scope.declares.update(item.name.value for item in node.names)


def _named(scope: Scope, name: str) -> None:
    """An attribute or a function of this name is used."""
    at: Scope | None = scope if names_gradients(name) else None
    while at is not None and name not in at.gradients:
        at.gradients.add(name)
        at = at.parent


def _called(node: cst.Call, scope: Scope, around: Around) -> None:
    if type(node.func) is cst.Name:
        _named(scope, node.func.value)
    if type(node.func) is cst.Attribute and node.func.attr.value in FILLING:
        _filled(node.func.value, scope)
    if type(node.func) is cst.Attribute:
        scope.switches |= SWITCHING & {node.func.attr.value}
        owner = dotted(kept(node.func.value))
        _use(scope, around, owner, _method(node, node.func.attr.value) if node not in scope.dropped else DETACH_DROPPED)
        if any(argument.keyword is not None and argument.keyword.value == "dim" for argument in node.args):
            _use(scope, around, owner, ALONG)
    for index, argument in enumerate(node.args[:MOST_OPERANDS]):
        if argument.keyword is None and not argument.star and (handed := dotted(kept(argument.value))):
            _use(scope, around, handed, f"{HANDED}{dotted(node.func)} {index}")
    _use(scope, around, dotted(node.func), "()")
    if all(not argument.star and _is_literal(argument.value) for argument in node.args):
        _use(scope, around, dotted(node.func), CONFIGURED)


def _is_literal(node: Any) -> bool:
    """Return whether an expression is a number, a string or a constant, which is no data."""
    if type(node) is cst.UnaryOperation:
        node = node.expression
    return isinstance(node, (*NUMBERS, cst.BaseString)) or dotted(node) in CONSTANTS


def _method(node: cst.Call, name: str) -> str:
    """The use of a thing by a method: `backward` with nothing but its options is passed nothing."""
    words = [argument.keyword.value if argument.keyword is not None else "" for argument in node.args]
    return f"{name}()" if not words or (name == "backward" and OPTIONS_OF_BACKWARD.issuperset(words)) else f"{name}(.)"


_LOOK: dict[type, Callable[[Any, Scope, Around], None]] = {
    cst.Attribute: _attribute,
    cst.Expr: _statement,
    cst.Call: _called,
    cst.Yield: _yield,
    cst.Assign: _assign,
    **dict.fromkeys((cst.Break, cst.Return, cst.Raise), _leave),
    **dict.fromkeys((cst.AssignTarget, cst.AnnAssign), _target),
    **dict.fromkeys((cst.For, cst.CompFor, cst.NamedExpr, cst.AsName), _binding),
    **dict.fromkeys((cst.Global, cst.Nonlocal), _declare),
}
"""The visitors of the kinds of syntax that matter by themselves."""


def _use(scope: Scope, around: Around, name: str, use: str) -> None:
    if not name or around.tried:
        return
    root = name.partition(".")[0]
    at: Scope | None = scope
    while at is not None:
        at.uses.setdefault(name, {})[use] = None
        at = None if at.hides(root) else at.parent


def _read(scope: Scope, name: str, attr: str) -> None:
    at: Scope | None = scope if name == "self" else None
    while at is not None:
        if type(at.node) is cst.ClassDef:
            at.reads.add(attr)
        at = at.parent


def _declared(node: cst.AnnAssign, scope: Scope) -> None:
    name, at = dotted(node.target), scope
    if name.startswith("self.") and scope.parent is not None:
        name, at = name.removeprefix("self."), scope.parent
    if type(at.node) is cst.ClassDef and "." not in name:
        at.annotations.setdefault(name, node.annotation.annotation)


def _bound(target: Any, scope: Scope) -> None:
    if type(target) is cst.Name and target.value not in scope.declares:
        scope.binds.add(target.value)


FILLING = frozenset("append add extend insert appendleft setdefault".split())
"""Methods by which containers are given elements."""
MODES = frozenset({"eval", "train"})
SWITCHING = MODES | {"requires_grad_", "requires_grad"}
"""Methods and attributes by which modules and parameters are switched, until they are switched again. What goes round
with every step, such as gradients, is none of it: the first step of all is as good as any."""


def _filled(container: Any, scope: Scope) -> None:
    """An attribute of `self` is given elements: that changes what it holds as setting it does."""
    if type(container) is cst.Attribute and dotted(container.value) == "self":
        scope.sets.add(container.attr.value)


def _assigned(target: Any, scope: Scope) -> None:
    if type(target) is cst.Subscript:
        _filled(target.value, scope)
    if type(target) is not cst.Attribute:
        _bound(target, scope)
        return
    scope.targets.add(target)
    if dotted(target.value) == "self":
        scope.sets.add(target.attr.value)
    else:
        scope.switches |= SWITCHING & {target.attr.value}


# ---- what is done with what a caller gives


def uses_of_given(scope: Scope, name: str) -> dict[str, None]:
    """Return the uses of a parameter in a function until it binds the name anew, whatever path it takes."""
    uses = scope.uses.get(name, {})
    body: Any = getattr(scope.node, "body", None)
    if not uses or not isinstance(body, cst.IndentedBlock):
        return uses
    if name not in scope.given:
        lines = list(body.body)
        until = next((index for index, line in enumerate(lines) if _rebinds(line, name)), len(lines))
        if until < len(lines):
            uses = uses_in(scope, lines[: until + 1]).get(name, {})
        scope.given[name] = uses
    return scope.given[name]


def uses_in(scope: Scope, lines: Sequence[cst.CSTNode]) -> dict[str, dict[str, None]]:
    """Return the uses of names in some lines of a scope."""
    some = Scope(scope.node, None)
    _walk(Scan(), lines, some)
    return some.uses


def _rebinds(line: Any, name: str) -> bool:
    """Return whether a line makes a name stand for something else than what it stood for, or a part of it."""
    return isinstance(line, cst.SimpleStatementLine) and any(
        name in _names_bound(small) and not _is_kept(small.value, name)
        for small in line.body
        if isinstance(small, cst.Assign)
    )


def _names_bound(statement: cst.Assign) -> list[str]:
    found = [one for to in statement.targets for one in targets(to.target)]
    return [one.value for one in found if isinstance(one, cst.Name)]


def _is_kept(value: Any, name: str) -> bool:
    """Return whether a value is of the same kind as what the name stands for."""
    value = kept(value)
    return isinstance(value, cst.Name) and value.value == name
