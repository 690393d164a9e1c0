"""Annotations: what they show about a value nobody was seen to make."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import libcst as cst

from gradlint.domain.facts import BOOL, COMPLEX, FLOAT, INTEGER
from gradlint.domain.objects import Class, Container, Instance, Iterator
from gradlint.domain.provenance import Belief, IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, ImportPath, PlainObject, PythonNumber, Value
from gradlint.interpreter.engine.dispatch import ANNOTATED_AS, SLOTS, TypeSlot, annotated, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek_class
from gradlint.interpreter.engine.unseen import STAND_IN
from gradlint.interpreter.nn.unknown_parts import was_part_of
from gradlint.interpreter.python.mro import ancestry
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.unknown.duck_typing import applied_part, by_usage, part_by_name

ANNOTATED: dict[type, Callable[..., Value]] = SLOTS[TypeSlot.ANNOTATED]
CALLABLE = ImportPath("typing.Callable")
NUMBERS = {"int": INTEGER, "float": FLOAT, "bool": BOOL, "complex": COMPLEX}
PLAIN_CLASSES = {"str": "str", "bytes": "str", "torch.device": "device", "torch.dtype": "dtype", "torch.Size": "Size",
                 "torch.Generator": "Generator", "slice": "slice", "range": "range"}  # fmt: skip

Generic = Callable[[Interpreter, Any, list[Any]], Value | None]
GENERIC: dict[str, Generic] = {}
"""The meaning of classes with arguments in brackets, by their last name."""


def generic(*names: str) -> Callable[[Generic], Generic]:
    """Register what these say in brackets."""

    def register(known: Generic) -> Generic:
        for name in names:
            GENERIC[name] = known
        return known

    return register


def value_of(m: Interpreter, node: Site, annotation: Any) -> Value | None:
    """A value of the annotated type; None where the annotation shows nothing we can use."""
    if isinstance(annotation, cst.SimpleString):
        annotation = parsed(annotation.evaluated_value)
    if isinstance(annotation, cst.BinaryOperation) and type(annotation.operator) is cst.BitOr:
        return _either(m, node, [annotation.left, annotation.right])
    if isinstance(annotation, cst.Subscript):
        known = GENERIC.get(_last(annotation.value))
        inner = [e.slice.value for e in annotation.slice if isinstance(e.slice, cst.Index)]
        return value_of(m, node, annotation.value) if known is None else known(m, node, inner)
    if isinstance(annotation, cst.Name) and annotation.value == "None":
        return NONE_VALUE
    if isinstance(annotation, cst.Name) and (meant := m.scan.scopes[m.tree].aliases.get(annotation.value)):
        return _alias(m, node, meant)
    cls = peek_class(m, annotation) if annotation is not None else None
    return None if cls is None else instance_of(m, node, cls)


def _alias(m: Interpreter, node: Site, meant: Any) -> Value | None:
    """Return the type that a name stands for; inside itself (a tree of such things) it shows nothing more."""
    if meant in m.calls.building:
        return None
    m.calls.building.append(meant)
    found = value_of(m, node, meant)
    m.calls.building.pop()
    return found


def parsed(text: object) -> Any:
    """The expression that a string in an annotation or a type comment is; None where it is none."""
    try:
        return cst.parse_expression(text if isinstance(text, str) else "None")
    except cst.ParserSyntaxError:
        return None


def _last(node: Site) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else getattr(node, "value", "")


# ---- the inside of brackets


@generic("Union")
def _either(m: Interpreter, node: Site, options: list[Any]) -> Value | None:
    found = [value_of(m, m.part_of(node, f"type {index}"), option) for index, option in enumerate(options)]
    return None if any(value is None for value in found) else one_of([v for v in found if v is not None])


@generic("Optional")
def _optional(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    found = value_of(m, node, inner[0]) if inner else None
    return None if found is None else one_of([found, NONE_VALUE])


@generic(
    "Final", "ClassVar", "Annotated", "Required", "NotRequired", "Float", "Int", "Bool", "Shaped", "Num", "Inexact"
)
def _first(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    return value_of(m, node, inner[0]) if inner else None


@generic("Literal")
def _literal(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    texts = all(isinstance(option, (cst.SimpleString, cst.Name)) for option in inner)
    return PlainObject("str") if texts and any(isinstance(option, cst.SimpleString) for option in inner) else None


@generic("type", "Type")
def _class(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    cls = peek_class(m, inner[0]) if len(inner) == 1 else None
    if cls is None or isinstance(cls, str):
        return ImportPath(cls) if cls is not None and "." in cls and not cls.startswith(NO_CLASSES) else None
    return cls


@generic("Callable")
def _callable(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    """A callable remembers what it gives."""
    returns = value_of(m, m.part_of(node, "returns"), inner[1]) if len(inner) == 2 else None
    about = (("returns", UNKNOWN if returns is None else returns),)
    return m.new(node, "annotated", Instance(cls=CALLABLE, attributes=about, belief=Belief.ANNOTATED))


def _element(m: Interpreter, node: Site, annotation: Any) -> Value:
    """An element of the annotated type, or some object."""
    place = m.part_of(node, "element")
    found = value_of(m, place, annotation)
    return m.new(place, "element", Instance(belief=Belief.FROM_NAME)) if found is None else found


def _sequence(kind: str, m: Interpreter, node: Site, inner: list[Any]) -> Value:
    rest = _element(m, node, inner[0]) if inner else UNKNOWN
    return m.new(node, "annotated", Container(kind, rest=rest, belief=Belief.ANNOTATED))


def _mapping(kind: str, m: Interpreter, node: Site, inner: list[Any]) -> Value:
    rest = _element(m, node, inner[-1]) if inner else UNKNOWN
    keys = value_of(m, m.part_of(node, "key"), inner[0]) if len(inner) == 2 else None
    thing = Container(kind, rest=rest, keys=UNKNOWN if keys is None else keys, belief=Belief.ANNOTATED)
    return m.new(node, "annotated", thing)


KINDS = {
    "list": "list List Sequence MutableSequence Collection",
    "set": "set Set FrozenSet frozenset AbstractSet MutableSet",
    "deque": "deque Deque",
    "iterable": "Iterable AsyncIterable",
}
MAPPINGS = {
    "dict": "dict Dict Mapping MutableMapping",
    "OrderedDict": "OrderedDict",
    "defaultdict": "defaultdict DefaultDict",
}
for _kind, _names in KINDS.items():
    generic(*_names.split())(partial(_sequence, _kind))
for _kind, _names in MAPPINGS.items():
    generic(*_names.split())(partial(_mapping, _kind))


@generic("tuple", "Tuple")
def _tuple(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    if len(inner) == 2 and isinstance(inner[1], cst.Ellipsis):
        return _sequence("tuple", m, node, inner)
    if not inner:
        return _sequence("tuple", m, node, [])
    items = tuple((index, _element(m, m.part_of(node, f"item {index}"), one)) for index, one in enumerate(inner))
    return m.new(node, "annotated", Container("tuple", items=items, belief=Belief.ANNOTATED))


@generic("Iterator", "Generator", "AsyncIterator", "AsyncGenerator")
def _iterator(m: Interpreter, node: Site, inner: list[Any]) -> Value | None:
    element = _element(m, node, inner[0]) if inner else UNKNOWN
    return m.new(node, "annotated", Iterator(element=element, by=IteratorKind.ANNOTATED, belief=Belief.ANNOTATED))


# ---- instances of classes


annotated(*NUMBERS)(lambda m, node, path: PythonNumber(NUMBERS[path]))
annotated(*PLAIN_CLASSES)(lambda m, node, path: PlainObject(PLAIN_CLASSES[path]))


def instance_of(m: Interpreter, node: Site, cls: str | Ref) -> Value | None:
    """An instance of a class that somebody else made; None for classes of which nothing is known."""
    if type(cls) is Ref:
        return ANNOTATED[Class](m, node, cls)
    assert isinstance(cls, str)
    cls = cls.removeprefix("builtins.")
    known = ANNOTATED_AS.get(cls)
    if known is not None and cls not in m.torch.absent:
        return known(m, node, cls)
    generic_class = GENERIC.get(cls.rpartition(".")[2])
    if generic_class is not None and cls.rpartition(".")[0] in ("", "typing", "collections", "collections.abc"):
        return generic_class(m, node, [])
    if m.packs.cls(cls) is not None or m.packs.is_foreign(cls):
        return ANNOTATED[ImportPath](m, node, cls)
    if "." not in cls or cls.startswith(NO_CLASSES):
        return None
    return m.new(node, "annotated", Instance(cls=ImportPath(cls), belief=Belief.ANNOTATED))


NO_CLASSES = (".", "typing.", "typing_extensions.", "collections.abc.", "jaxtyping.", "builtins.")
"""The prefixes of the paths that annotations name and nothing is an instance of, or that are not followed."""
# ---- types in comments


def commented(function: Any) -> list[Any]:
    """The types of the parameters in a comment `# type: (Tensor, int) -> Tensor` under a definition."""
    body = getattr(function, "body", None)
    lines = [getattr(getattr(body, "header", None), "comment", None)]
    first = body.body[0] if isinstance(body, cst.IndentedBlock) and body.body else None
    lines += [line.comment for line in getattr(first, "leading_lines", ())]
    for comment in lines:
        text = comment.value.lstrip("# ") if comment is not None else ""
        if text.startswith("type:") and "->" in text:
            found = parsed(text.removeprefix("type:").partition("->")[0].strip())
            return [element.value for element in found.elements] if isinstance(found, cst.Tuple) else [found]
    return []


@implements(TypeSlot.LEARN_ATTRIBUTE, Instance)
def _learn_attribute(
    m: Interpreter, node: Site, owner: Ref, name: str, chain: str, reach: tuple[Ref, ...]
) -> Value | None:
    """Return the evidence of use for an attribute that unseen code has made of all that is in reach, or else what the
    classes of the object say of it in annotations."""
    found = part_by_name(m, node, owner, name, chain) or by_usage(m, node, chain, f"{STAND_IN}{name}", reach=reach)
    found = found or applied_part(m, node, owner, name, chain)
    if found is not None:
        was_part_of(m, owner, found)
    return _declared(m, node, owner, name) if found is None else found


def _declared(m: Interpreter, node: Site, owner: Ref, name: str) -> Value | None:
    """Return the annotation of an attribute in the classes of an object."""
    thing: Any = m.state.heap.get(owner)
    for one in ancestry(m, getattr(thing, "cls", UNKNOWN)):
        cls = m.state.heap.get(one) if type(one) is Ref else None
        scope = m.scan.scopes.get(cls.node) if type(cls) is Class else None
        if scope is not None and name in scope.annotations:
            return value_of(m, m.part_of(node, f"{STAND_IN}{name}"), scope.annotations[name])
    return None
