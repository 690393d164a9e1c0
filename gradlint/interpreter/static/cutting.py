"""The calls whose results a function, or a file's own statements, take out of their graph: `net(batch).detach()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import FILLING, dotted
from gradlint.interpreter.static.tree_walk import in_order

CUTTING = frozenset({"detach", "item", "numpy", "tolist"})
"""The methods whose results are in no graph."""
DETACHING = frozenset({"detach"})
"""The methods that nobody needs where there is no graph."""
WITHOUT_GRAPH = frozenset({"detach", "detach_", "numpy"})
"""The methods whose results are no part of the graph, and may be computed with as before."""
SHOWING = frozenset({"add_image", "add_images", "imsave", "imshow", "imwrite", "make_grid", "save_image"})
"""The functions that show or save pictures, and compute nothing that is differentiated."""
OFF = frozenset({"inference_mode", "no_grad"})
"""The managers under which nothing is recorded."""
DATA = "data"
"""The attribute that is in no graph."""
Code = cst.FunctionDef | cst.Module
"""The code that runs in one scope of names."""
Parts = Callable[[cst.CSTNode], Iterator[str]]
"""The spellings of the calls, and the names, that an expression is computed from, all of them or those that count."""


def cut_calls(code: Code) -> frozenset[str]:
    """Return the spellings of the calls of whose results some code takes some out of the graph, or shows some as
    pictures, at once or by names that stand for what it computes from them; of all calls, where it cuts all that it
    returns."""
    nodes = _nodes(code)
    found = _cut_by(nodes, CUTTING, _spellings, [argument for node in nodes for argument in _shown(node)])
    returned = [node.value for node in nodes if type(node) is cst.Return]
    if returned and all(value is not None and any(_is_cut(one, CUTTING) for one in _down(value)) for value in returned):
        found |= {dotted(node.func) for node in nodes if type(node) is cst.Call}
    return frozenset(found)


def detached_calls(code: Code) -> frozenset[str]:
    """Return the spellings of the calls of whose results themselves some code detaches some, at once or by names:
    whoever wrote that had found them in a graph."""
    return frozenset(_cut_by(_nodes(code), DETACHING, _operands))


def _nodes(code: Code) -> list[Any]:
    """All syntax in the body of a function, or of a file without the functions and classes that it defines."""
    if isinstance(code, cst.FunctionDef):
        return list(in_order(code.body))
    own = (one for one in code.body if not isinstance(one, cst.FunctionDef | cst.ClassDef))
    return [node for statement in own for node in in_order(statement)]


def gives_what_it_cuts(function: cst.FunctionDef) -> bool:
    """Return whether all that a function gives is, on some way through it, computed from what it detaches or computes
    with gradients off: by the names that this is bound to or put into."""
    nodes = list(in_order(function.body))
    off = {one for block in nodes if _switches_off(block) for one in in_order(block.body)}
    steps = [(name, value, node in off) for node in nodes for name, value in _passed_on(node)]
    given = [node.value for node in nodes if type(node) is cst.Return and node.value is not None]
    found, more = set[str](), {""}
    while more:
        found |= more
        more = {name for name, value, cut in steps if cut or _is_of(value, found)} - found
    return any(all(_is_of(one.value, found) for one in _elements(value)) for value in given)


def _switches_off(node: Any) -> bool:
    if type(node) is not cst.With:
        return False
    managers = [one.item.func if type(one.item) is cst.Call else one.item for one in node.items]
    return any(dotted(manager).rpartition(".")[2] in OFF for manager in managers)


def _is_of(value: cst.CSTNode, names: set[str]) -> bool:
    """Return whether an expression is computed from what is detached in it, or from one of these names."""
    nodes = list(in_order(value))
    return any(_is_cut(node, WITHOUT_GRAPH) or (dotted(node) or "-") in names for node in nodes)


def _passed_on(node: Any) -> Iterator[tuple[str, cst.CSTNode]]:
    """Yield the names that a piece of code binds, or puts something into, each with what that is."""
    if type(node) is cst.Assign:
        yield from _bound(node)
        for target in node.targets:
            if isinstance(target.target, cst.Attribute | cst.Subscript):
                yield _root(target.target), node.value
    elif isinstance(node, cst.AugAssign):
        yield _root(node.target), node.value
    elif isinstance(node, cst.For | cst.CompFor):
        yield from _gone_over(node)
    elif type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in FILLING:
        for argument in node.args:
            yield _root(node.func.value), argument.value


def _root(target: Any) -> str:
    """The name, with its attributes, of what is bound or has an element that is."""
    while type(target) is cst.Subscript:
        target = target.value
    return dotted(target)


def _shown(node: Any) -> Iterator[cst.BaseExpression]:
    """Yield the arguments of a call that shows or saves pictures."""
    if type(node) is cst.Call and dotted(node.func).rpartition(".")[2] in SHOWING:
        yield from (argument.value for argument in node.args)


def _cut_by(
    nodes: list[Any], methods: frozenset[str], parts: Parts, others: Sequence[cst.BaseExpression] = ()
) -> set[str]:
    """The spellings of the calls, and the names, that these methods or `.data` take out of the graph, and those in
    other expressions, as far as they are counted among the parts of an expression."""
    assigned: dict[str, set[str]] = {}
    for node in nodes:
        for name, value in _bound(node) if type(node) is cst.Assign else _gone_over(node):
            assigned.setdefault(name, set()).update(parts(value))
    cut = [*(node for node in nodes if _is_cut(node, methods)), *others]
    found, more = set[str](), {name for node in cut for name in parts(node)}
    while more:
        found |= more
        more = {name for one in more for name in assigned.get(one, ())} - found
    return found


def _gone_over(node: Any) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the names that a loop binds, each with what it goes over."""
    for part in _elements(node.target) if isinstance(node, cst.For | cst.CompFor) else ():
        for name in _elements(part.value):
            yield _root(name.value), node.iter


def _bound(node: cst.Assign) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the names that an assignment binds, each with what it is computed from: its own element, where as many are
    written as are unpacked, else the whole."""
    for target in node.targets:
        names, values = _elements(target.target), _elements(node.value)
        starred = any(type(part) is cst.StarredElement for part in (*names, *values))
        paired = len(names) == len(values) and not starred
        for place, name in enumerate(names):
            if type(name.value) is cst.Name:
                yield name.value.value, values[place].value if paired else node.value


def _elements(node: cst.BaseExpression) -> list[cst.BaseElement]:
    """The elements of a tuple or a list that is written down, or the expression as the only one."""
    return list(node.elements) if isinstance(node, cst.Tuple | cst.List) else [cst.Element(node)]


def _is_cut(node: Any, methods: frozenset[str]) -> bool:
    if type(node) is cst.Attribute:
        return node.attr.value == DATA
    return type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in methods


def _spellings(node: cst.CSTNode) -> Iterator[str]:
    """Yield the spellings of the calls in an expression, and of the names."""
    for one in in_order(node):
        if type(one) is cst.Call:
            yield dotted(one.func)
        elif type(one) is cst.Name:
            yield one.value


def _operands(node: cst.CSTNode) -> Iterator[str]:
    """Yield the same of what an expression is an element, an attribute, a method's result or a number computed of, but
    of no arguments."""
    todo: list[Any] = [node]
    while todo:
        for one in _down(todo.pop()):
            if isinstance(one, cst.BinaryOperation):
                todo += [one.left, one.right]
            elif type(one) is cst.Call:
                yield dotted(one.func)
            elif type(one) is cst.Name:
                yield one.value


def _down(node: Any) -> Iterator[Any]:
    """An expression, and what its methods, attributes and elements are taken of."""
    while True:
        yield node
        if type(node) is cst.Call:
            node = node.func
        elif type(node) in (cst.Attribute, cst.Subscript):
            node = node.value
        else:
            return
