"""Tracing: the facts at each statement that runs, and the events there, in all files, for those who ask why.

A trace hears what no rule hears: what importing other files does, and what happens in calls that are not run again
because they have been summarised. It leaves out what was run to try something and then taken back. Nothing that runs
depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import libcst as cst

from gradlint.domain.facts import NO, YES, Fact, Truth, truth
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Syntax
from gradlint.domain.values import Function, Imported, ImportPath, Value
from gradlint.events import Event, Role
from gradlint.frozen import frozen
from gradlint.interpreter.engine.describing import BELIEFS, described, held_by, in_short, is_obvious, is_value, variable
from gradlint.interpreter.engine.frames import RESULT
from gradlint.interpreter.static.scopes import COMPREHENSIONS, comprehended, spelled
from gradlint.interpreter.static.sites import syntax
from gradlint.interpreter.static.tree_walk import is_statement
from gradlint.source import parameters_of, parts, targets

if TYPE_CHECKING:
    from gradlint.interpreter.engine.machine import Interpreter

MOST_SHOWN = 3
"""The most things that are shown of a field of an event that holds several."""


@frozen()
class Known:
    """The value of a name before a statement and after it; nothing where it is not known to hold anything."""

    name: str
    before: str
    after: str


@frozen()
class Ran:
    """A statement has run, or the `head` of a compound one: `modes` are the grad mode and the inference mode. `inside`:
    these are the names that the head binds for its body, or tests before it."""

    node: Syntax
    known: tuple[Known, ...]
    modes: tuple[Truth, Truth]
    later: Truth
    head: bool = False
    inside: bool = False


@frozen()
class Happened:
    """An event, and its main fields in words."""

    node: Syntax
    event: Event
    fields: tuple[tuple[str, str], ...]
    later: Truth


@frozen()
class Meant:
    """A function begins that is there for something, as its names and flags show: the sign is one of them."""

    node: Syntax
    phase: str
    sign: str
    later: Truth


@frozen()
class Stopped:
    """A bound of the analysis was hit by this statement."""

    node: Syntax
    bound: str
    later: Truth = NO


@frozen()
class Called:
    """A function has run: called at `node` (None: it ran on its own, as an unseen caller would call it), and all that
    happened meanwhile. Where one run stands for several calls that is the same list; those others may be `later` in
    loops."""

    function: Function
    node: Syntax
    entries: list[Entry]
    later: Truth | None = None


Entry = Ran | Happened | Meant | Stopped | Called


@dataclass(slots=True)
class Trace:
    """The notes on a program while it runs: `entries` of the function that runs now, in the end of the linted file;
    `imported` of the top levels of other files; `trees` are the files by their paths (nothing: the linted one)."""

    entries: list[Entry] = field(default_factory=list)
    imported: list[Entry] = field(default_factory=list)
    trees: dict[str, cst.Module] = field(default_factory=dict)
    _around: list[tuple[Function, Syntax, list[Entry]]] = field(default_factory=list)
    _at: list[tuple[Any, list[tuple[str, str]]]] = field(default_factory=list)
    _heads: dict[Any, Any] = field(default_factory=dict)

    # ---- what is taken back

    def mark(self) -> int:
        """Return the number of entries so far; see `forget` and `since`."""
        return len(self.entries)

    def forget(self, mark: int) -> None:
        """Forget the entries since then, which have not really happened."""
        del self.entries[mark:]

    def since(self, mark: int) -> tuple[Entry, ...]:
        """Return the notes since then."""
        return tuple(self.entries[mark:])

    def repeat(self, entries: tuple[Entry, ...], old: Syntax, new: Syntax, later: Truth) -> None:
        """Repeat the entries of one call for another."""
        for entry in entries:
            if type(entry) is Called:
                node = syntax(new) if entry.node is syntax(old) else entry.node
                self.entries.append(Called(entry.function, node, entry.entries, later))
            else:
                self.entries.append(entry)

    # ---- functions and files

    def enter(self, function: Function, caller: Any, roles: Mapping[Role, str], later: Truth) -> None:
        """A function begins, with what it is for and the signs of that."""
        self._around.append((function, syntax(caller), self.entries))
        told = [(role.value, sign) for role, sign in roles.items() if role is not Role.OF_MODULE]
        self.entries = [Meant(function.node, phase, sign, later) for phase, sign in told]

    def leave(self) -> None:
        """Leave a function at its end."""
        function, caller, around = self._around.pop()
        around.append(Called(function, caller, self.entries))
        self.entries = around

    @contextmanager
    def importing(self, path: str, tree: cst.Module) -> Iterator[None]:
        """The top level of another file runs."""
        self.trees[path] = tree
        outer, self.entries = self.entries, []
        yield
        self.imported += self.entries
        self.entries = outer

    # ---- statements

    def begin(self, m: Interpreter, node: cst.CSTNode) -> None:
        """A statement is about to run."""
        if (head := self._heads.get(node)) is not None:
            bound = _looked_at(m, _bound_inside(head))
            known = tuple(Known(name, text if isinstance(head, TESTED) else "", text) for name, text in bound)
            self.entries.append(Ran(head, known, m.state.modes[:2], m.loops.later, head=True, inside=True))
        before = [] if isinstance(node, BLOCKS) else _looked_at(m, _read(node))
        self._at.append((node, before))
        if isinstance(node, COMPOUND):
            self._heads |= {body[0]: head for head, body in _bodies(node) if body}
            known = tuple(Known(name, text, text) for name, text in before)
            self.entries.append(Ran(node, known, m.state.modes[:2], m.loops.later, head=True))

    def end(self, m: Interpreter, node: cst.CSTNode) -> None:
        """Note the facts after a statement has run."""
        _, before = self._at.pop()
        if isinstance(node, (*BLOCKS, *COMPOUND)):
            return
        bound = dict(_looked_at(m, _targets(node), whole=True) if m.state.live else [])
        after = dict(_looked_at(m, _read(node)) if m.state.live else before)
        after = {name: text for name, text in after.items() if name not in bound}  # that is another thing now
        known = [Known(name, text, after.pop(name, text)) for name, text in before]
        known += [Known(name, text, text) for name, text in after.items()]  # bound within, or imported where first read
        known += [Known(name, "", text) for name, text in (*bound.items(), *_of_its_own(m, node))]
        self.entries.append(Ran(node, tuple(known), m.state.modes[:2], m.loops.later))

    # ---- what happens in them

    def happened(self, m: Interpreter, event: Event) -> None:
        """An event."""
        self.entries.append(Happened(event.node, event, tuple(_fields(m, event)), m.loops.later))

    def stopped(self, bound: str) -> None:
        """A bound was hit."""
        if self._at:
            self.entries.append(Stopped(self._at[-1][0], bound))


# ---- the names of a statement

BLOCKS = (cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock)
COMPOUND = (cst.BaseCompoundStatement,)
TESTED = (cst.If, cst.While)
IMPORTS = (cst.Import, cst.ImportFrom)


def _bodies(node: cst.CSTNode) -> Iterator[tuple[Any, Any]]:
    """The bodies of a compound statement that bind names, each with what binds them, and those behind repeated
    tests."""
    if isinstance(node, (cst.For, cst.While, cst.With, cst.FunctionDef)):
        yield node, node.body.body
    branch = node.orelse if isinstance(node, cst.If) else None
    while isinstance(branch, cst.If):
        yield branch, branch.body.body
        branch = branch.orelse
    for handler in getattr(node, "handlers", ()):
        yield handler, handler.body.body


def _bound_inside(head: Any) -> list[Any]:
    """The places that the head of a body binds for it; those that an `elif` or `while` has tested."""
    if isinstance(head, TESTED):
        return _places([head.test], frozenset())
    if isinstance(head, cst.For):
        return targets(head.target)
    if isinstance(head, cst.FunctionDef):
        return [param.name for param in parameters_of(head.params)]
    names = [item.asname for item in head.items] if isinstance(head, cst.With) else [head.name]
    return [place for name in names if name is not None for place in targets(name.name)]


HEADS: dict[type, str] = {cst.If: "test", cst.While: "test", cst.For: "iter", cst.Match: "subject"}
"""The field of a compound statement that holds the expression in its head."""


def _read(node: cst.CSTNode) -> list[Any]:
    """The places that a statement reads, or the head of a compound one; of what it assigns what that is a part of."""
    if isinstance(node, (cst.Assign, cst.AnnAssign)):
        inner = [part for target in _targets(node) if not isinstance(target, cst.Name) for part in parts(target)]
        roots = [*([] if node.value is None else [node.value]), *inner]
    elif isinstance(node, cst.With):
        roots = [item.item for item in node.items]
    elif type(node) in HEADS:
        roots = [getattr(node, HEADS[type(node)])]
    else:
        roots = [] if isinstance(node, (*COMPOUND, *IMPORTS)) else parts(node)
    return _places(roots, frozenset())


def _targets(node: cst.CSTNode) -> list[Any]:
    """The places that an assignment binds."""
    if isinstance(node, cst.Assign):
        return [place for target in node.targets for place in targets(target.target)]
    return targets(node.target) if isinstance(node, cst.AnnAssign) else []


def _places(nodes: list[Any], hidden: frozenset[str]) -> list[Any]:
    """The names, chains of attributes and constant subscripts in expressions, but for names that are local to them."""
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, cst.Name):
            found += [] if node.value in hidden else [node]
        elif isinstance(node, cst.Attribute):
            found += [node] if spelled(node) else _places([node.value], hidden)
        elif isinstance(node, cst.Subscript):
            found += [node] if spelled(node) else _places([node.value], hidden)
            found += _places(list(node.slice), hidden)
        elif isinstance(node, COMPREHENSIONS):
            found += _places(parts(node), hidden | set(comprehended(node.for_in)))
        elif isinstance(node, cst.CompFor):
            found += _places([one for one in parts(node) if one is not node.target], hidden)
        elif isinstance(node, cst.Arg):
            found += _places([node.value], hidden)
        elif not isinstance(node, (cst.Lambda, cst.Annotation)):
            found += _places(parts(node), hidden)
    return found


def _looked_at(m: Interpreter, places: list[Any], *, whole: bool = False) -> list[tuple[str, str]]:
    """Return the spellings and descriptions of these places; unless `whole`, of what they are a part of."""
    found: dict[str, str] = {}
    for node in places:
        value: Value | None = held_by(m, node)
        while value is None and not whole and isinstance(node, (cst.Attribute, cst.Subscript)):
            node = node.value
            value = held_by(m, node)
        name = spelled(node)
        if value is not None and name and name not in found and not is_obvious(m, value, name):
            found[name] = described(m, value)
    return [(name, text) for name, text in found.items() if text != name]


def _of_its_own(m: Interpreter, node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Yield further remarks on a statement: the value that a function returns, the file that an import leads to."""
    if isinstance(node, cst.Return) and node.value is not None:
        value = variable(m, (m.frame.id, RESULT))
        if value is not None:
            yield "return", described(m, value)
    if isinstance(node, IMPORTS) and not isinstance(node.names, cst.ImportStar):
        for alias in node.names:
            name = spelled(alias.asname.name if alias.asname is not None else alias.name).partition(".")[0]
            value = m.state.names.get((m.frame.id, name))
            if type(value) is Imported:
                yield name, f"of the project, {value.module}"
            elif type(value) is ImportPath and not value.path.startswith(("torch", "builtins")):
                yield name, f"of a library, {value.path}"


# ---- the fields of an event

COMMON = frozenset(one.name for one in fields(Event))


def _fields(m: Interpreter, event: Event) -> Iterator[tuple[str, str]]:
    """The fields of an event that say something, in words."""
    for one in fields(event):
        value = getattr(event, one.name)
        if one.name not in COMMON and (text := _field(m, value)) and value != one.default:
            yield one.name, text
    if event.belief is not Belief.PROVEN:
        yield "believed", BELIEFS[event.belief]
    for name in ("expected", "after_error"):
        if getattr(event, name):
            yield name, str(YES)


def _field(m: Interpreter, value: Any) -> str:
    """The value of a field in words; nothing for what says nothing by itself."""
    if isinstance(value, str | Fact | bool):
        return str(truth(value) if isinstance(value, bool) else value)
    if is_value(value):
        return in_short(m, value)
    if isinstance(value, tuple) and value and all(is_value(one) for one in value):
        shown = dict.fromkeys(in_short(m, one) for one in value)
        if len(shown) == 1:
            return f"{len(value)} x {next(iter(shown))}" if len(value) > 1 else next(iter(shown))
        listed = [in_short(m, one) for one in value[:MOST_SHOWN]]
        return f"({', '.join([*listed, *(['...'] if len(value) > MOST_SHOWN else [])])})"
    return ""


# ---- all statements of a file


def outline(tree: cst.Module) -> Iterator[tuple[Any, Any]]:
    """All statements of a file, each with the function in whose body it is (None: in none)."""
    todo: list[tuple[Any, Any]] = [(tree, None)]
    branches: set[Any] = set()
    while todo:
        node, function = todo.pop()
        if is_statement(node) and node not in branches:
            yield node, function
        if isinstance(node, cst.If) and isinstance(node.orelse, cst.If):
            branches.add(node.orelse)  # `elif`, which is no statement of its own
        inner = node if isinstance(node, cst.FunctionDef) else function
        todo += [(part, inner) for part in reversed(parts(node)) if not isinstance(part, cst.BaseExpression)]
