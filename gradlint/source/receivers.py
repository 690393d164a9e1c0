"""Spellings of receivers, so that alike ones can be counted together.

A shape is a receiver with the program's own names taken out (`NAME.step()`, `self.NAME.grad`) and a word on where the
first of them comes from: a parameter, a loop, the result of a call. It is read off the syntax alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import libcst as cst

from gradlint.knowledge.torch.autograd_names import VOCABULARY
from gradlint.source.children import parameters_of, parts, targets

NAME = "NAME"
"""The word that stands for a name that the program chose."""
OWN = ("self", "cls")
MOST_LONG = 60
"""Longer pieces of a shape are cut."""


class Receiver(NamedTuple):
    """A place where a name of the vocabulary is read: `node` the attribute, `shape` how it is written
    and `origin` where its first name comes from."""

    node: cst.Attribute
    shape: str
    origin: str


@dataclass(slots=True)
class _Names:
    """The bindings of a scope: where each name comes from, at its first binding, and what a class sets on `self`."""

    parent: _Names | None
    origins: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    is_class: bool = False

    def found(self, table: Callable[[_Names], dict[str, str]], name: str) -> str | None:
        at: _Names | None = self
        while at is not None:
            if name in table(at):
                return table(at)[name]
            at = at.parent
        return None


def receivers_of(tree: cst.Module) -> Iterator[Receiver]:
    """All places of a program where a name of the vocabulary is read, in the order of the text.

    Imports and annotations read nothing.
    """
    top = _Names(None)
    found: list[tuple[cst.Attribute, _Names, str]] = []
    todo: list[tuple[cst.CSTNode, _Names, str]] = [(tree, top, "")]
    while todo:
        node, names, use = todo.pop()
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            _imported(node, names)
            continue
        if isinstance(node, cst.Annotation):
            continue
        if isinstance(node, cst.Attribute) and node.attr.value in VOCABULARY:
            found.append((node, names, use))
        _bound(node, names)
        inner = _inside(node, names)
        special, how = _use(node)
        todo += [(child, inner, how if child is special else "") for child in reversed(parts(node))]
    for node, names, use in found:
        yield Receiver(node, f"{_shape(node.value, names)}.{node.attr.value}{use}".strip(), _origin(node.value, names))


def _use(node: cst.CSTNode) -> tuple[Any, str]:
    """A part of a piece of syntax that it calls or assigns to, and how that is shown."""
    if isinstance(node, cst.Call):
        return node.func, "()"
    return (node.target, " =") if isinstance(node, (cst.AssignTarget, cst.AugAssign)) else (None, "")


def _inside(node: cst.CSTNode, names: _Names) -> _Names:
    """The scope of the inside of a piece of syntax."""
    if isinstance(node, (cst.FunctionDef, cst.Lambda)):
        inner = _Names(names)
        for param in parameters_of(node.params):
            inner.origins[param.name.value] = _of_parameter(param)
        return inner
    return _Names(names, is_class=True) if isinstance(node, cst.ClassDef) else names


def _of_parameter(param: cst.Param) -> str:
    if param.star:
        return f"{param.star}parameter"
    if param.annotation is None:
        return "parameter" if param.default is None else f"parameter with default {_cut(_text(param.default))}"
    return f"parameter annotated {_cut(_text(param.annotation.annotation))}"


# ---- where names come from


def _imported(node: cst.Import | cst.ImportFrom, names: _Names) -> None:
    if isinstance(node.names, cst.ImportStar):
        return
    base = ""
    if isinstance(node, cst.ImportFrom):
        base = "." * len(node.relative) + (_text(node.module) if node.module is not None else "")
    for alias in node.names:
        path = _text(alias.name)
        whole = f"{base}{'' if base.endswith('.') else '.'}{path}" if base else path
        if alias.asname is not None:
            names.paths[_text(alias.asname.name)] = whole
        else:
            first = path.partition(".")[0]
            names.paths[first] = whole if base else first


def _bound(node: cst.CSTNode, names: _Names) -> None:
    """Note what a piece of syntax binds."""
    if isinstance(node, cst.Assign):
        for target in node.targets:
            _bind(target.target, node.value, "", names)
    elif isinstance(node, cst.AnnAssign | cst.NamedExpr) and node.value is not None:
        _bind(node.target, node.value, "", names)
    elif isinstance(node, cst.For | cst.CompFor):
        _bind(node.target, node.iter, "element of ", names)
    elif isinstance(node, cst.WithItem) and node.asname is not None:
        _bind(node.asname.name, node.item, "with ", names)
    elif isinstance(node, cst.FunctionDef | cst.ClassDef):
        names.origins.setdefault(node.name.value, "function" if isinstance(node, cst.FunctionDef) else "class")


def _bind(target: Any, value: Any, how: str, names: _Names) -> None:
    single = targets(target)
    how = f"{how}part of " if len(single) > 1 or single[0] is not target else how
    origin = how + _source(value, names)
    for one in single:
        if isinstance(one, cst.Name):
            names.origins.setdefault(one.value, origin)
        elif isinstance(one, cst.Attribute) and isinstance(one.value, cst.Name) and one.value.value in OWN:
            at: _Names | None = names
            while at is not None and not at.is_class:
                at = at.parent
            if at is not None and at.attributes.get(one.attr.value, "None") == "None":
                at.attributes[one.attr.value] = origin


def _source(value: Any, names: _Names) -> str:
    """Return the source of a name's value, in a word."""
    while isinstance(value, (cst.Await, cst.Subscript)):
        value = value.expression if isinstance(value, cst.Await) else value.value
    if isinstance(value, cst.Name) and names.found(lambda at: at.paths, value.value) is None:
        return names.found(lambda at: at.origins, value.value) or value.value
    return _shape(value, names)


def _origin(value: Any, names: _Names) -> str:
    """Return the origin of a receiver's first name; for attributes of `self`, that of the value first set."""
    above = value
    while isinstance(value, (cst.Attribute, cst.Call, cst.Subscript)):
        above, value = value, value.func if isinstance(value, cst.Call) else value.value
    if not isinstance(value, cst.Name) or names.found(lambda at: at.paths, value.value) is not None:
        return ""
    if value.value in OWN:
        if not isinstance(above, cst.Attribute):
            return ""
        return names.found(lambda at: at.attributes, above.attr.value) or "never set in the file"
    return names.found(lambda at: at.origins, value.value) or "not bound in the file"


# ---- how it is written


def _shape(node: cst.CSTNode, names: _Names) -> str:
    pieces: list[str] = []
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript)):
        if isinstance(node, cst.Attribute):
            is_method = pieces[-1:] == ["()"] and not _is_own(node.value)
            pieces.append(f".{node.attr.value if is_method or _is_imported(node.value, names) else NAME}")
            node = node.value
        else:
            pieces.append("()" if isinstance(node, cst.Call) else "[]")
            node = node.func if isinstance(node, cst.Call) else node.value
    return _cut(_root(node, names) + "".join(reversed(pieces)))


def _is_own(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value in OWN


def _is_imported(node: cst.CSTNode, names: _Names) -> bool:
    return isinstance(node, cst.Name) and names.found(lambda at: at.paths, node.value) is not None


def _root(node: cst.CSTNode, names: _Names) -> str:
    if not isinstance(node, cst.Name):
        return f"({type(node).__name__})"
    if node.value in OWN:
        return node.value
    path = names.found(lambda at: at.paths, node.value)
    if path is not None:
        return path
    return NAME if names.found(lambda at: at.origins, node.value) is not None else node.value


def _text(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_LONG else f"{text[:MOST_LONG]}..."
