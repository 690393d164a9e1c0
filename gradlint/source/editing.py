"""The facts about nodes, and what is around them, that an edit of the text needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import libcst

from gradlint.finding import Place
from gradlint.frozen import frozen
from gradlint.source.children import parts
from gradlint.source.placing import Places

_ATOMS = (libcst.Name, libcst.Attribute, libcst.Call, libcst.Subscript, libcst.BaseString, libcst.List, libcst.Dict)
_SCOPES = (libcst.FunctionDef, libcst.Lambda, libcst.ClassDef)
_WITHOUT_LINES = (
    libcst.SimpleStatementSuite, libcst.Else, libcst.Finally,
    libcst.ExceptHandler, libcst.ExceptStarHandler, libcst.MatchCase,
)  # fmt: skip
"""Parts of a statement that nothing can be put before: they stand beside it or go on from what stands above."""


@frozen()
class Statement:
    """A statement with lines of its own, in its `block`.

    `beside` are how many others stand in there; `last`: there is nothing behind it; `leaves`: nothing behind it runs;
    `ends`: it is the last one of a function; `rest` is where the statements behind it stand (None: there are none, or
    there are definitions among them).
    """

    place: Place
    block: libcst.CSTNode | None
    beside: int
    last: bool
    leaves: bool
    ends: bool
    rest: Place | None


@frozen()
class Headed:
    """A `with` statement that has a single manager and binds nothing; what is in its `block` stands at `body`.
    `fills`: there is nothing else in the function it stands in, which is no coroutine, but perhaps its docstring."""

    place: Place
    block: libcst.CSTNode
    body: Place
    fills: bool


@frozen()
class Extent:
    """The extent of a piece of syntax, brackets around it included.

    `statement` is the innermost one that holds it (None where that shares its lines with others), `within` says by
    block which statement holds it there. `name` is the last name of the expression, `value` what an assignment to a
    single target assigns, `arguments` what a call is given, by keyword or by "". `atomic`: what follows directly
    (`.detach()`) is about all of it; `expression`: it is one; `whole`: it is all that its statement is. `imported` are
    the modules that can be called by their names there. `headed` is the `with` statement whose manager it is.
    """

    place: Place
    statement: Statement | None
    within: dict[libcst.CSTNode | None, Place]
    name: Place | None
    value: Place | None
    arguments: tuple[tuple[str, Place, Place], ...]
    atomic: bool
    expression: bool
    whole: bool
    imported: frozenset[str]
    headed: Headed | None


@frozen()
class Layout:
    """The facts of a text that edits need: of some pieces of its syntax, and of the whole.

    `taken` are names that mean something else than the module of that name somewhere in the file, `import_row` is where
    an import may be put, `indent` one level of indentation.
    """

    extents: dict[libcst.CSTNode, Extent]
    taken: frozenset[str]
    import_row: int
    indent: str


@dataclass(slots=True)
class _Around:
    """The surroundings of a node: the statement and its block, and outermost first the scopes, and the statements with
    the blocks they stand in."""

    statement: libcst.CSTNode | None = None
    block: libcst.CSTNode | None = None
    scopes: tuple[libcst.CSTNode, ...] = ()
    within: tuple[tuple[libcst.CSTNode | None, libcst.CSTNode], ...] = ()


@dataclass(slots=True)
class _Walk:
    """All that one pass over the tree gathers."""

    around: dict[libcst.CSTNode, _Around] = field(default_factory=dict)
    blocks: dict[libcst.CSTNode | None, _Block] = field(default_factory=dict)
    imports: dict[libcst.CSTNode | None, set[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def block(self, around: _Around) -> _Block:
        """The statements around a node; looked through once, however many nodes are asked for."""
        found = self.blocks.get(around.block)
        if found is None:
            found = self.blocks[around.block] = _block(around.block)
        return found


@frozen()
class _Block:
    """The statements of a block, where each stands in it, and where the last definition does (-1: there is none)."""

    body: Sequence[libcst.CSTNode]
    numbers: dict[libcst.CSTNode, int]
    last_definition: int


def _block(node: libcst.CSTNode | None) -> _Block:
    body: Sequence[libcst.CSTNode] = getattr(node, "body", ())
    definitions = [n for n, one in enumerate(body) if isinstance(one, libcst.FunctionDef | libcst.ClassDef)]
    return _Block(body, {one: n for n, one in enumerate(body)}, definitions[-1] if definitions else -1)


def layout(module: libcst.Module, places: Places, nodes: Iterable[libcst.CSTNode]) -> Layout:
    """Return the layout that edits at these nodes need; nodes of other trees are left out."""
    wanted = frozenset(nodes)
    walk = _walked(module, wanted)
    first = _first_after_preface(module)
    marked: list[libcst.CSTNode] = [first] if first is not None else []
    for node, around in walk.around.items():
        marked += [*_bounds(node), *_parts(node), *_rest(around, walk)]
        if (block := _block_under(node, around)) is not None:
            marked += [*_bounds(block.body[0]), *_bounds(block.body[-1])]
        marked += [bound for _, statement in around.within for bound in _bounds(statement)]
    found = places.of(marked)
    return Layout(
        {node: _extent(node, around, walk, found) for node, around in walk.around.items()},
        frozenset(walk.taken),
        found[first].row if first is not None else 1,
        module.default_indent,
    )


def _extent(node: libcst.CSTNode, around: _Around, walk: _Walk, found: dict[libcst.CSTNode, Place]) -> Extent:
    name, value = _last_name(node), _assigned(node)
    given = node.args if isinstance(node, libcst.Call) else ()
    scopes: tuple[libcst.CSTNode | None, ...] = (None, *around.scopes)
    return Extent(
        _whole(node, found),
        None if around.statement is None else _statement(around.statement, around, walk, found),
        {block: _whole(statement, found) for block, statement in around.within},
        None if name is None else found[name],
        None if value is None else _whole(value, found),
        tuple((arg.keyword.value if arg.keyword else "", found[arg], found[arg.value]) for arg in given),
        isinstance(node, _ATOMS) or bool(getattr(node, "lpar", ())),
        isinstance(node, libcst.BaseExpression),
        _is_whole(node, around.statement),
        frozenset[str]().union(*(walk.imports.get(scope, ()) for scope in scopes)),
        _headed(node, around, found),
    )


def _statement(
    statement: libcst.CSTNode, around: _Around, walk: _Walk, found: dict[libcst.CSTNode, Place]
) -> Statement:
    rest = [found[node] for node in _rest(around, walk)]
    block = walk.block(around)
    is_last = bool(block.body) and block.body[-1] is statement
    scope = around.scopes[-1] if around.scopes else None
    return Statement(
        _whole(statement, found),
        around.block,
        len(block.body) - 1,
        is_last,
        _leaves(statement),
        is_last and around.block is getattr(scope, "body", None),
        Place(rest[0].row, rest[0].column, rest[-1].end_row, rest[-1].end_column) if rest else None,
    )


def _headed(node: libcst.CSTNode, around: _Around, found: dict[libcst.CSTNode, Place]) -> Headed | None:
    block = _block_under(node, around)
    if block is None or around.statement is None:
        return None
    scope = around.scopes[-1] if around.scopes else None
    others = [one for one in _body(around.block) if one is not around.statement]
    fills = (
        isinstance(scope, libcst.FunctionDef)
        and scope.asynchronous is None
        and scope.body is around.block
        and (not others or (len(others) == 1 and scope.get_docstring() is not None))
    )
    return Headed(_whole(around.statement, found), block, _from_to(block.body[0], block.body[-1], found), fills)


def _block_under(node: libcst.CSTNode, around: _Around) -> libcst.IndentedBlock | None:
    """Return the block of the `with` statement that has this manager alone and binds nothing."""
    held = around.statement
    if not isinstance(held, libcst.With) or held.asynchronous is not None or len(held.items) > 1:
        return None
    is_it = held.items[0].item is node and held.items[0].asname is None
    return held.body if is_it and isinstance(held.body, libcst.IndentedBlock) else None


def _body(block: libcst.CSTNode | None) -> list[libcst.CSTNode]:
    return list(getattr(block, "body", ()))


def _rest(around: _Around, walk: _Walk) -> list[libcst.CSTNode]:
    """The first and the last of the statements behind one in its block, if all are to be run there and then."""
    if around.statement is None:
        return []
    block = walk.block(around)
    number = block.numbers[around.statement]
    if number + 1 == len(block.body) or number < block.last_definition:
        return []
    return [block.body[number + 1], block.body[-1]]


def _is_whole(node: libcst.CSTNode, statement: libcst.CSTNode | None) -> bool:
    small = statement.body[0] if isinstance(statement, libcst.SimpleStatementLine) else statement
    return node is small or (isinstance(small, libcst.Expr) and small.value is node)


def _leaves(statement: libcst.CSTNode) -> bool:
    small = statement.body[-1] if isinstance(statement, libcst.SimpleStatementLine) else None
    return isinstance(small, libcst.Return | libcst.Raise | libcst.Break | libcst.Continue)


# ---- from a node to those that bound it


def _bounds(node: libcst.CSTNode) -> tuple[libcst.CSTNode, ...]:
    """The nodes with whose places it begins and ends."""
    if isinstance(node, libcst.BaseExpression) and node.lpar:
        return (node.lpar[0], node.rpar[-1])
    return (next(iter(getattr(node, "decorators", ())), node), node)


def _whole(node: libcst.CSTNode, found: dict[libcst.CSTNode, Place]) -> Place:
    return _from_to(node, node, found)


def _from_to(start: libcst.CSTNode, end: libcst.CSTNode, found: dict[libcst.CSTNode, Place]) -> Place:
    first, last = found[_bounds(start)[0]], found[_bounds(end)[1]]
    return Place(first.row, first.column, last.end_row, last.end_column)


def _parts(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """The parts of it that an edit may be about."""
    if (name := _last_name(node)) is not None:
        yield name
    if isinstance(node, libcst.Call):
        for arg in node.args:
            yield from (arg, arg.value)
    if (value := _assigned(node)) is not None:
        yield from _bounds(value)


def _assigned(node: libcst.CSTNode) -> libcst.CSTNode | None:
    return node.value if isinstance(node, libcst.Assign) and len(node.targets) == 1 else None


def _last_name(node: libcst.CSTNode) -> libcst.CSTNode | None:
    while isinstance(node, libcst.Call):
        node = node.func
    if isinstance(node, libcst.Attribute):
        return node.attr
    return node if isinstance(node, libcst.Name) else None


# ---- the pass over the tree


def _walked(module: libcst.Module, wanted: frozenset[libcst.CSTNode]) -> _Walk:
    walk = _Walk()
    waiting: list[tuple[libcst.CSTNode, _Around]] = [(module, _Around())]
    while waiting:
        node, around = waiting.pop()
        _note_names(node, around, walk)
        around = _within(node, around)
        if node in wanted:
            walk.around[node] = around
        inner = replace(around, scopes=(*around.scopes, node)) if isinstance(node, _SCOPES) else around
        waiting += [(child, inner) for child in parts(node)]
    return walk


def _within(node: libcst.CSTNode, around: _Around) -> _Around:
    """Return the surroundings of the parts of a node."""
    if isinstance(node, libcst.Module | libcst.IndentedBlock):
        return replace(around, statement=None, block=node)
    if isinstance(node, libcst.SimpleStatementLine):
        own = node if len(node.body) == 1 else None
        return replace(around, statement=own, within=(*around.within, (around.block, node)))
    if isinstance(node, _WITHOUT_LINES) or (isinstance(node, libcst.If) and isinstance(around.statement, libcst.If)):
        return replace(around, statement=None, block=None)
    if isinstance(node, libcst.BaseCompoundStatement):
        return replace(around, statement=node, within=(*around.within, (around.block, node)))
    return around


def _note_names(node: libcst.CSTNode, around: _Around, walk: _Walk) -> None:
    if isinstance(node, libcst.Import):
        for alias in node.names:
            path = alias.evaluated_name
            if alias.asname is None:
                scope = around.scopes[-1] if around.scopes else None
                walk.imports.setdefault(scope, set()).add(path.partition(".")[0])
            elif alias.evaluated_alias != path:
                walk.taken.add(alias.evaluated_alias or "")
    elif isinstance(node, libcst.ImportFrom) and not isinstance(node.names, libcst.ImportStar):
        walk.taken.update(alias.evaluated_alias or alias.evaluated_name for alias in node.names)
    elif isinstance(node, libcst.FunctionDef | libcst.ClassDef | libcst.Param):
        walk.taken.add(node.name.value)
    elif isinstance(node, libcst.AssignTarget | libcst.For | libcst.CompFor | libcst.NamedExpr | libcst.AnnAssign):
        walk.taken.update(_names(node.target))
    elif isinstance(node, libcst.AsName):
        walk.taken.update(_names(node.name))


def _names(target: libcst.CSTNode) -> Iterator[str]:
    if isinstance(target, libcst.Name):
        yield target.value
    elif isinstance(target, libcst.Tuple | libcst.List):
        for element in target.elements:
            yield from _names(element.value)


def _first_after_preface(module: libcst.Module) -> libcst.CSTNode | None:
    """The first statement that is neither the docstring nor an import from `__future__`."""
    for number, statement in enumerate(module.body):
        small = statement.body[0] if isinstance(statement, libcst.SimpleStatementLine) else None
        is_docstring = number == 0 and isinstance(small, libcst.Expr) and isinstance(small.value, libcst.BaseString)
        is_future = (
            isinstance(small, libcst.ImportFrom)
            and isinstance(small.module, libcst.Name)
            and small.module.value == "__future__"
        )
        if not (is_docstring or is_future):
            return next(iter(getattr(statement, "decorators", ())), statement)
    return None
