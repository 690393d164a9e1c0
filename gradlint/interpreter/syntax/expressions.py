"""Expressions: names, literals, displays, attributes and subscripts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from functools import lru_cache, reduce

import libcst as cst

from gradlint.domain.facts import FLOAT, INTEGER, UNSURE
from gradlint.domain.objects import Container, Iterator
from gradlint.domain.provenance import IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.deferred import unfinished
from gradlint.interpreter.engine.dispatch import TypeSlot, evaluates, implements
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.history import read_at
from gradlint.interpreter.engine.iteration import consume, element_list, elements, going_on, iterator
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.containers import copied
from gradlint.interpreter.python.items import get_item
from gradlint.interpreter.static.data_tables import is_table
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.string_values import LONGEST, inserted_text, joined_text, literal_text
from gradlint.interpreter.syntax import receivers
from gradlint.interpreter.syntax.comprehensions import Comprehended, comprehension
from gradlint.interpreter.syntax.subscripts import index_value


@evaluates(cst.Name)
def name(m: Interpreter, node: cst.Name) -> Value:
    found = variables.lookup(m, node.value)
    if found is not None:
        if m.frame.followed is not None:
            m.frame.followed.reads(found)
        return found
    if node.value in CONSTANTS:
        return Constant(CONSTANTS[node.value])
    return ImportPath(f"builtins.{node.value}")


CONSTANTS: dict[str, object] = {"True": True, "False": False, "None": None, "__debug__": True, "__name__": "__main__"}


@lru_cache(4096)
def _literal(text: str) -> Constant | None:
    try:
        return Constant(int(text) if text.isdecimal() and text.isascii() else ast.literal_eval(text))
    except (ValueError, SyntaxError, OverflowError, MemoryError):
        return None


@evaluates(cst.Integer, cst.Float, cst.Imaginary)
def number(m: Interpreter, node: cst.Integer | cst.Float | cst.Imaginary) -> Value:
    return _literal(node.value) or PythonNumber(INTEGER if type(node) is cst.Integer else FLOAT)


@evaluates(cst.SimpleString)
def string(m: Interpreter, node: cst.SimpleString) -> Value:
    return (_literal(node.value) if len(node.value) <= LONGEST else None) or PlainObject("str")


@evaluates(
    cst.ConcatenatedString, cst.FormattedString, *([cst.TemplatedString] if hasattr(cst, "TemplatedString") else [])
)
def text(m: Interpreter, node: Site) -> Value:
    todo, found = [node], []
    while todo:
        piece = todo.pop(0)
        if isinstance(piece, cst.ConcatenatedString):
            todo = [piece.left, piece.right, *todo]
        elif isinstance(piece, cst.SimpleString):
            found.append(m.value(piece))
        for inner in getattr(piece, "parts", ()):
            if hasattr(inner, "expression"):
                shown = m.value(inner.expression)
                read_at(m, [shown])
                found.append(inserted_text(shown, plain=_is_plain(inner)))
            else:
                found.append(literal_text(inner.value))
    return joined_text(found)


def _is_plain(hole: cst.FormattedStringExpression) -> bool:
    """Return whether a value is put into a string as it is."""
    return hole.format_spec is None and hole.conversion is None and hole.equal is None


evaluates(cst.Ellipsis)(lambda m, node: Constant(...))


DISPLAYS: dict[type, str] = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}


@evaluates(cst.Tuple, cst.List, cst.Set)
def sequence(m: Interpreter, node: cst.Tuple | cst.List | cst.Set) -> Value:
    kind = DISPLAYS[type(node)]
    if is_table(node):
        return m.new(node, "container", Container(kind, rest=UNKNOWN))
    values = m.values([element.value for element in node.elements])
    if any(type(element) is cst.StarredElement for element in node.elements):
        return _starred(m, node, kind, values)
    return containers.container(m, node, kind, values)


def _starred(m: Interpreter, node: cst.Tuple | cst.List | cst.Set, kind: str, values: Sequence[Value]) -> Value:
    out = Container(kind)
    for element, value in zip(node.elements, values, strict=True):
        if type(element) is not cst.StarredElement:
            out = containers.appended(out, value)
            continue
        listing = element_list(m, value)
        if listing is not None:
            for inner in listing:
                out = containers.appended(out, inner)
        else:
            there = containers.certain(m, value)
            out = containers.with_more(out, elements(m, node, value), there)
            consume(m, node, value, "*")
    return m.new(node, "container", out)


@evaluates(cst.StarredElement)
def starred(m: Interpreter, node: cst.StarredElement) -> Value:
    return m.value(node.value)


@evaluates(cst.Dict)
def mapping(m: Interpreter, node: cst.Dict) -> Value:
    plain = [element for element in node.elements if type(element) is cst.DictElement]
    if is_table(node):  # has one key that is known, so that it is known not to be empty
        some = containers.stored(Container("dict", rest=UNKNOWN), m.value(plain[0].key), UNKNOWN)
        return m.new(node, "container", some)
    keys = m.push(*m.values([element.key for element in plain]))
    m.push(*m.values([element.value for element in node.elements]))
    found = m.pop_from(keys)
    if not m.state.live:
        return UNKNOWN
    known = iter(found[: len(plain)])
    out = Container("dict")
    for element, value in zip(node.elements, found[len(plain) :], strict=True):
        if type(element) is cst.DictElement:
            out = containers.stored(out, next(known), value)
            continue
        other = m.only(value, Container)
        if other is not None and other.origin:
            out = replace(out, origin=other.origin, causes=other.causes)
        if other is None:
            out = replace(out, rest=Unknown(tuple(r for r in alternatives(value) if type(r) is Ref)))
            continue
        out = containers.with_all(out, other)
    return m.new(node, "container", out)


@evaluates(cst.ListComp, cst.SetComp, cst.GeneratorExp)
def list_comprehension(m: Interpreter, node: cst.BaseSimpleComp) -> Value:
    with unfinished(m) if type(node) is cst.GeneratorExp else nullcontext() as followed:
        made = comprehension(m, node, [node.elt])
    if made.rounds is not None and type(node.elt) is not cst.StarredElement:
        kind = "list" if type(node) is cst.ListComp else "set"
        return containers.container(m, node, kind, [element for (element,) in made.rounds])
    element, certain = _comprehended(m, node, made)
    if type(node) is cst.GeneratorExp:
        waiting = Iterator(element, made.source, IteratorKind.GENEXPR, empty=made.empty, certain=certain)
        return iterator(m, node, waiting, followed)
    kind = "list" if type(node) is cst.ListComp else "set"
    return m.new(node, "container", Container(kind, rest=element, certain=certain))


def _comprehended(m: Interpreter, node: cst.BaseSimpleComp, made: Comprehended) -> tuple[Value, tuple[Ref, ...]]:
    """The elements that a comprehension makes, in one, and those that are certainly among them."""
    (element,) = made.elements
    starred = type(node.elt) is cst.StarredElement
    return (elements(m, node, element), ()) if starred else (element, made.certain)


@implements(TypeSlot.RESTART, Iterator)
def followed_again(m: Interpreter, ref: Ref, thing: Iterator) -> Iterator:
    """A generator evaluates that has not started yet runs as things are now, not as they were where it was made."""
    node, start = thing.causes[0].node, m.push(ref)
    m.store(ref, replace(thing, element=NOTHING, certain=(), used=UNSURE))  # so that it does not run within itself
    m.state.sweep()  # what it would have given then nobody gets
    with unfinished(m) as followed:
        made = comprehension(m, node, [node.elt], thing.source)
    element, certain = _comprehended(m, node, made)
    now = replace(thing, element=element, certain=certain, empty=made.empty, source=made.source)
    again = going_on(m, now, followed)
    for one, _ in m.all(m.pop_from(start)[0], Iterator):
        m.store(one, again)
    return again


@implements(TypeSlot.RUN_THROUGH, Iterator)
def run_by_rounds(m: Interpreter, ref: Ref, thing: Iterator) -> list[Value] | None:
    """A generator expression that has not started yet runs element by element, where it is known what it goes over."""
    node = thing.causes[0].node
    if ref.context != m.frame.id or type(node.elt) is cst.StarredElement:
        return None
    before, start = m.fork(), m.push(ref)
    m.store(ref, replace(thing, element=NOTHING, certain=(), used=UNSURE))
    m.state.sweep()
    made = comprehension(m, node, [node.elt], thing.source, at_once=True)
    if made.rounds is None:
        m.state = before
        return None
    (used,) = m.pop_from(start)
    assert type(used) is Ref
    m.store(used, replace(thing, element=made.elements[0], certain=(), source=NOTHING))  # which is used up already
    return [element for (element,) in made.rounds]


@evaluates(cst.DictComp)
def dict_comprehension(m: Interpreter, node: cst.DictComp) -> Value:
    made = comprehension(m, node, [node.key, node.value])
    out = Container("dict", rest=made.elements[1], keys=made.elements[0])
    if made.rounds is not None:
        out = reduce(lambda mapping, entry: containers.stored(mapping, *entry), made.rounds, Container("dict"))
    return m.new(node, "container", copied(m, node, out))


@evaluates(*([cst.StarredDictComp] if hasattr(cst, "StarredDictComp") else []))
def merging_comprehension(m: Interpreter, node: cst.StarredDictComp) -> Value:
    (merged,) = comprehension(m, node, [node.value]).elements
    return m.new(node, "container", Container("dict", rest=result_of_unknown([merged])))


@evaluates(cst.Attribute)
def attribute(m: Interpreter, node: cst.Attribute) -> Value:
    owner = m.value(node.value)
    receivers.note(m, node, owner)
    return get_attribute(m, node, owner, node.attr.value, spelled(node.value))


@evaluates(cst.Subscript)
def subscript(m: Interpreter, node: cst.Subscript) -> Value:
    index, (owner,) = m.keeping(lambda: index_value(m, node), m.value(node.value))
    return get_item(m, node, owner, index)
