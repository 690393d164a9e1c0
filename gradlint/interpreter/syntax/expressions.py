"""Expressions: names, literals, displays, attributes and subscripts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from functools import lru_cache, reduce
from types import NoneType
from typing import Any

import libcst as cst

from gradlint.domain import (
    FLOAT,
    INTEGER,
    NO,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Array,
    Class,
    Const,
    Container,
    Instance,
    Iterator,
    Module,
    Named,
    Places,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    negation,
    one_of,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import shape
from gradlint.interpreter.autograd.record import apply
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.deferred import unfinished
from gradlint.interpreter.engine.dispatch import ITEMS_OF, TypeSlot, evaluates, implements
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import ELEMENTS, WAITING, consume, element_list, elements, going_on, iterator
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.libraries import pack_results
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.python import containers, enums
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.foreign import foreign_made
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.python.ndarray import part
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.string_values import joined_text, literal_text
from gradlint.interpreter.stdlib.copy import copied
from gradlint.interpreter.syntax import receivers
from gradlint.interpreter.syntax.comprehensions import Comprehended, comprehension
from gradlint.knowledge.dimensions import NOT_SEEN


@evaluates(cst.Name)
def name(it: Interpreter, node: cst.Name) -> Value:
    found = it.lookup(node.value)
    if found is not None:
        return found
    if node.value in CONSTANTS:
        return Const(CONSTANTS[node.value])
    return Named(f"builtins.{node.value}")


CONSTANTS: dict[str, object] = {"True": True, "False": False, "None": None, "__debug__": True, "__name__": "__main__"}


@lru_cache(4096)
def _literal(text: str) -> Const:
    return Const(int(text) if text.isdecimal() and text.isascii() else ast.literal_eval(text))


@evaluates(cst.Integer, cst.Float, cst.Imaginary)
def number(it: Interpreter, node: Any) -> Value:
    try:
        return _literal(node.value)
    except (ValueError, SyntaxError, OverflowError, MemoryError):
        return Scalar(INTEGER if type(node) is cst.Integer else FLOAT)


@evaluates(cst.SimpleString)
def string(it: Interpreter, node: cst.SimpleString) -> Value:
    if len(node.value) > 200:
        return Plain("str")
    try:
        return _literal(node.value)
    except (ValueError, SyntaxError, MemoryError):
        return Plain("str")


@evaluates(
    cst.ConcatenatedString, cst.FormattedString, *([cst.TemplatedString] if hasattr(cst, "TemplatedString") else [])
)
def text(it: Interpreter, node: Any) -> Value:
    todo, found = [node], []
    while todo:
        piece = todo.pop(0)
        if isinstance(piece, cst.ConcatenatedString):
            todo = [piece.left, piece.right, *todo]
        elif isinstance(piece, cst.SimpleString):
            found.append(it.value(piece))
        for inner in getattr(piece, "parts", ()):
            if hasattr(inner, "expression"):
                it.value(inner.expression)
                found.append(Plain("str"))
            else:
                found.append(literal_text(inner.value))
    return joined_text(found)


@evaluates(cst.Ellipsis)
def ellipsis(it: Interpreter, node: cst.Ellipsis) -> Value:
    return Const(...)


DISPLAYS: dict[type, str] = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}


@evaluates(cst.Tuple, cst.List, cst.Set)
def sequence(it: Interpreter, node: Any) -> Value:
    kind = DISPLAYS[type(node)]
    values = it.values([element.value for element in node.elements])
    if any(type(element) is cst.StarredElement for element in node.elements):
        return _starred(it, node, kind, values)
    return containers.container(it, node, kind, values)


def _starred(it: Interpreter, node: Any, kind: str, values: Sequence[Value]) -> Value:
    out = Container(kind)
    for element, value in zip(node.elements, values, strict=True):
        if type(element) is not cst.StarredElement:
            out = containers.appended(out, value)
            continue
        listing = element_list(it, value)
        if listing is not None:
            for inner in listing:
                out = containers.appended(out, inner)
        else:
            there = containers.certain(it, value)
            out = containers.with_more(out, elements(it, node, value), there)
            consume(it, node, value, "*")
    return it.new(node, "container", out)


@evaluates(cst.StarredElement)
def starred(it: Interpreter, node: cst.StarredElement) -> Value:
    return it.value(node.value)


@evaluates(cst.Dict)
def mapping(it: Interpreter, node: cst.Dict) -> Value:
    plain = [element for element in node.elements if type(element) is cst.DictElement]
    keys = it.hold(*it.values([element.key for element in plain]))
    it.hold(*it.values([element.value for element in node.elements]))
    found = it.land(keys)
    if not it.state.live:
        return UNKNOWN
    known = iter(found[: len(plain)])
    out = Container("dict")
    for element, value in zip(node.elements, found[len(plain) :], strict=True):
        if type(element) is cst.DictElement:
            out = containers.stored(out, next(known), value)
            continue
        other = it.only(value, Container)
        if other is not None and other.origin:
            out = replace(out, origin=other.origin, marks=other.marks)
        if other is None:
            out = replace(out, rest=Unknown(tuple(r for r in alternatives(value) if type(r) is Ref)))
            continue
        out = containers.with_all(out, other)
    return it.new(node, "container", out)


@evaluates(cst.ListComp, cst.SetComp, cst.GeneratorExp)
def list_comprehension(it: Interpreter, node: Any) -> Value:
    with unfinished(it) if type(node) is cst.GeneratorExp else nullcontext() as followed:
        made = comprehension(it, node, [node.elt])
    if made.rounds is not None and type(node.elt) is not cst.StarredElement:
        kind = "list" if type(node) is cst.ListComp else "set"
        return containers.container(it, node, kind, [element for (element,) in made.rounds])
    element, certain = _comprehended(it, node, made)
    if type(node) is cst.GeneratorExp:
        return iterator(
            it,
            node,
            element,
            WAITING,
            empty=made.empty,
            source=made.source,
            certain=certain,
            followed=followed,
        )
    kind = "list" if type(node) is cst.ListComp else "set"
    return it.new(node, "container", Container(kind, rest=element, certain=certain))


def _comprehended(it: Interpreter, node: Any, made: Comprehended) -> tuple[Value, tuple[Ref, ...]]:
    """The elements that a comprehension makes, in one, and those that are certainly among them."""
    (element,) = made.elements
    starred = type(node.elt) is cst.StarredElement
    return (elements(it, node, element), ()) if starred else (element, made.certain)


@implements(TypeSlot.RESTART, Iterator)
def followed_again(it: Interpreter, ref: Ref, thing: Iterator) -> Iterator:
    """A generator evaluates that nobody has asked yet runs as things are now, not as they were where it was made."""
    node, start = thing.marks[0].node, it.hold(ref)
    it.put(ref, replace(thing, element=NOTHING, certain=(), used=UNSURE))  # so that it does not run within itself
    it.state.sweep()  # what it would have given then nobody gets
    with unfinished(it) as followed:
        made = comprehension(it, node, [node.elt], thing.source)
    element, certain = _comprehended(it, node, made)
    now = replace(thing, element=element, certain=certain, empty=made.empty, source=made.source)
    again = going_on(it, now, followed)
    for one, _ in it.all(it.land(start)[0], Iterator):
        it.put(one, again)
    return again


@evaluates(cst.DictComp)
def dict_comprehension(it: Interpreter, node: cst.DictComp) -> Value:
    made = comprehension(it, node, [node.key, node.value])
    out = Container("dict", rest=made.elements[1], keys=made.elements[0])
    if made.rounds is not None:
        out = reduce(lambda mapping, entry: containers.stored(mapping, *entry), made.rounds, Container("dict"))
    return it.new(node, "container", copied(it, node, out))


@evaluates(*([cst.StarredDictComp] if hasattr(cst, "StarredDictComp") else []))
def merging_comprehension(it: Interpreter, node: Any) -> Value:
    (merged,) = comprehension(it, node, [node.value]).elements
    return it.new(node, "container", Container("dict", rest=result_of_unknown([merged])))


@evaluates(cst.Attribute)
def attribute(it: Interpreter, node: cst.Attribute) -> Value:
    owner = it.value(node.value)
    receivers.note(it, node, owner)
    return get_attribute(it, node, owner, node.attr.value, spelled(node.value))


@evaluates(cst.Subscript)
def subscript(it: Interpreter, node: cst.Subscript) -> Value:
    start = it.hold(it.value(node.value))
    index = index_value(it, node)
    owner = it.land(start)[0]
    return get_item(it, node, owner, index)


def index_value(it: Interpreter, node: cst.Subscript) -> Value:
    """What stands between the brackets."""
    found = [_element(it, element.slice) for element in node.slice]
    if len(found) == 1 and not isinstance(node.slice[0].comma, cst.Comma):
        return found[0]
    constants = [value for value in found if type(value) is Const]
    if len(constants) == len(found):
        return Const(Places(tuple(constants)))
    kinds = [index_kind(it, value) for value in found]
    return ADVANCED if YES in kinds else UNCLEAR if any(kind.is_unsure for kind in kinds) else BASIC


BASIC, ADVANCED, UNCLEAR = Plain("basic index"), Plain("advanced index"), Plain("index")


def _element(it: Interpreter, part: Any) -> Value:
    if type(part) is not cst.Slice:
        return it.value(part.value)
    found = [Const(None) if bound is None else it.value(bound) for bound in (part.lower, part.upper, part.step)]
    known = [bound.value for bound in found if type(bound) is Const and isinstance(bound.value, (int, NoneType))]
    return Const(slice(*known)) if len(known) == len(found) else containers.SLICE


def get_item(it: Interpreter, node: Any, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    options = [option for option in alternatives(owner) if option != Const(None)]
    tensors = [option for option in options if type(option) is Ref and type(it.state.heap.get(option)) is Tensor]
    if tensors and len(tensors) == len(options):
        return _row(it, node, one_of(tensors, len(tensors)), index)
    return one_of([_item(it, node, option, index) for option in options])


def _item(it: Interpreter, node: Any, owner: Value, index: Value) -> Value:
    thing = it.state.heap.get(owner) if type(owner) is Ref else None
    if type(thing) is Container and type(owner) is Ref:
        if containers.is_slice(index):
            return it.new(node, "slice", containers.sliced(it, owner, thing, index))
        return containers.get_item(it, owner, thing, index)
    if type(thing) is Tensor:
        return _row(it, node, owner, index)
    if type(thing) is Array:
        if index == Scalar(INTEGER):
            return Scalar(thing.dtype)
        return part(it, node, thing, negation(index_kind(it, index)))
    method = method_of(it, owner, "__getitem__")
    if method is not None:
        return call_function(it, node, method, Arguments([owner, index]))
    known = ITEMS_OF.get(thing.cls.path) if type(thing) is Instance and type(thing.cls) is Named else None
    if known is not None:
        return known(it, node, thing, index)  # type: ignore[arg-type]
    if type(thing) is Module:
        return module_containers.get_item(it, node, owner, index)  # type: ignore[arg-type]
    if type(thing) is Class and thing.kind == "enum":
        return enums.named(it, thing, index)
    if type(thing) is Class or type(owner) is Named:
        return owner
    if type(owner) is Const:
        return Plain("str")
    if type(owner) is Plain:
        return ELEMENTS.get(owner.kind, UNKNOWN)
    return foreign_made(it, node, owner) or result_of_unknown([owner])


def _row(it: Interpreter, node: Any, owner: Value, index: Value) -> Value:
    """Indexing a tensor: a view for numbers, slices and None, a copy for lists and tensors."""
    tensor = it.only(owner, Tensor)
    if tensor is not None and tensor.loose and tensor.many:
        return owner
    if tensor is not None and tensor.loose and type(index) is Const and isinstance(index.value, str):
        return pack_results.output(it, node, owner, index.value)
    kind = index_kind(it, index)
    row = it.torch.operations["operator.getitem"] if kind is not YES else it.torch.operations[ADVANCED_ROW]
    if kind.is_unsure:
        row = replace(row, results=(replace(row.results[0], kind="view or fresh"),))
    told = shape.told_key(it, index) if kind is NO else NOT_SEEN
    return apply(it, node, row, [(row.operands[0], owner)], told=told)


ADVANCED_ROW = "operator.getitem advanced"


def index_kind(it: Interpreter, index: Value) -> Truth:
    """Whether an index is an advanced one, which copies."""
    if index == ADVANCED:
        return YES
    if index == UNCLEAR:
        return Truth.unsure()
    out = None
    for option in alternatives(index):
        thing = it.state.heap.get(option) if type(option) is Ref else None
        if type(thing) in (Tensor, Array) or (type(thing) is Container and thing.kind == "list"):
            found = YES
        elif type(option) in (Const, Plain, Scalar):
            found = NO
        else:
            found = Truth.unsure()
        out = found if out is None else out | found
    return out if out in (YES, NO) else Truth.unsure()
