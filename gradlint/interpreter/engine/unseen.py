"""Unseen things: objects that stand for something unknown, and calls of code that the file does not show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO, UNSURE, YES
from gradlint.domain.objects import MOST_PARAMETERS, Container, Instance, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import ASTRAY, Escape, Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import UNKNOWN, Constant, Context, Imported, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot
from gradlint.interpreter.engine.escape import havoc, in_reach, result_of_unknown
from gradlint.interpreter.engine.iteration import emit_exhausted
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.static.scopes import dotted, is_looked_up
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.python.duck_typing_names import (
    ASKS_FOR_GRADIENTS,
    ASKS_FOR_NONE,
    CHANGES_FLAGS,
    LIBRARIES_THAT_READ,
    RESETS,
    SWITCHES_GRAD_MODE,
    SWITCHES_MODES,
    differentiates,
    makes_optimizer,
    reads,
    words,
)

LEARN: dict[type, Callable[..., Value]] = SLOTS[TypeSlot.LEARN]

STAND_IN = "attribute "
"""The prefix of the parts that stand for attributes nobody was seen to set; their name follows."""


def escaped_leaves(m: Interpreter, reach: Iterable[Ref]) -> list[Ref]:
    """The parameters of modules that were passed in, where unknown code had those and may have computed with them.
    Where it had an object as well that came of a method nobody knows, it may have computed with that instead."""
    reach = tuple(reach)
    if any(ref.part.startswith(STAND_IN) and is_opaque(m.state.heap.get(ref)) for ref in reach):
        return []
    modules = [
        ref for ref in reach if type(thing := m.state.heap.get(ref)) is Module and thing.belief >= Belief.FROM_USAGE
    ]
    return [ref for _, ref in parameters(m, one_of(modules))[0][:MOST_PARAMETERS]] if modules else []


class FrozenOnRequest(dict[Any, None]):
    """Calls of unseen code that request no gradients."""


def note_options(m: Interpreter, node: Site, args: Arguments) -> None:
    """Note whether a call requests no gradients, by the name of an option or in a table of options."""
    options: list[tuple[Any, Value]] = list(args.keywords.items())
    for value in args.values():
        for _, thing in m.all(value, Container):
            options += thing.items
    m.notes(FrozenOnRequest).pop(node, None)
    if any(type(name) is str and _requests_frozen(name, value) for name, value in options):
        m.notes(FrozenOnRequest)[node] = None


def _requests_frozen(name: str, value: Value) -> bool:
    """Return whether an option requests none: one against them that is not refused, or one for them that is."""
    refused = type(value) is Constant and value.value in (False, None, "False")
    return (ASKS_FOR_GRADIENTS if refused else ASKS_FOR_NONE).search(name) is not None


def is_opaque(thing: object) -> bool:
    """Return whether it is an object of which only the name is known."""
    return type(thing) is Instance and thing.belief is Belief.FROM_NAME and thing.cls == UNKNOWN


def only_of_others(m: Interpreter, reach: Iterable[Ref]) -> bool:
    """Return whether whoever has these objects gets at nothing that the program has made itself."""
    reach = tuple(reach)
    return ASTRAY not in reach and all(
        is_opaque(thing) or (type(thing) is Tensor and not thing.belief.seen_made) or type(thing) is Container
        for thing in in_reach(m, reach).values()
    )


def learned(m: Interpreter, node: Site, value: Value, chain: str) -> Value:
    """The value itself, or what the use of a name that holds it tells where nothing else does."""
    return LEARN[object](m, node, value, chain)


def refine(m: Interpreter, ref: Ref, found: Ref) -> None:
    """Replace an object by what it turned out to be, whoever holds it."""
    some, thing = m[ref], m.state.heap.pop(found)
    if type(thing) is Module:
        thing = replace(thing, attributes=tuple((dict(some.attributes) | dict(thing.attributes)).items()))
    m.state.heap[ref] = thing


def escape_by(node: Site, callee: Value) -> Escape:
    """Return the escape into unseen code that is called here, by the name it is called by, or where that says nothing
    by those of what it belongs to."""
    names = _names_of(node, callee)
    *paths, _ = names
    called, whole = _words_of(name.rpartition(".")[2] for name in names), _words_of(names)
    for said in (called, whole):
        if makes_optimizer(said):
            return Escape.READ_BY_NAME
        if differentiates(said, whole):
            return Escape.DIFFERENTIATED
        if said & CHANGES_FLAGS:
            return Escape.HELD
        if any(path.partition(".")[0] in LIBRARIES_THAT_READ for path in paths):
            return Escape.READ
        if reads(said, called):
            return Escape.READ_BY_NAME
    looked_up = is_looked_up(getattr(syntax(node), "func", None))  # it may be a function of the program
    return Escape.HELD if looked_up else Escape.UNSEEN


def _may_switch(node: Site, callee: Value) -> bool:
    """Return whether unseen code may switch modules to train or eval mode, as far as the name says that it is called
    by: what evaluates them may, and what loads them."""
    return not _words_of(_names_of(node, callee)).isdisjoint(SWITCHES_MODES)


def may_switch_grad_mode(node: Site) -> bool:
    """Return whether an unseen decorator or manager may run what it is around in another grad mode, as far as the name
    says that it is written by."""
    made = syntax(node)
    return not words(dotted(getattr(made, "func", made))).isdisjoint(SWITCHES_GRAD_MODE)


def _names_of(node: Site, callee: Value) -> list[str]:
    """The names of a callee: the import paths that it may have, and as it is written."""
    paths = [one.path for one in alternatives(callee) if type(one) is ImportPath]
    paths += [f"{one.module}.{one.name}" for one in alternatives(callee) if type(one) is Imported]
    func = getattr(syntax(node), "func", None)
    written = dotted(func) or (func.attr.value if type(func) is cst.Attribute else "")  # a method of what a call gives
    return [*paths, written]


def _words_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(words, names))


def maybe_initialised(m: Interpreter, owner: Value) -> None:
    """An `__init__` that is not followed may have run `Module.__init__` on what it was passed: of unknown ones, on any
    module."""
    strange = any(getattr(m.thing(option), "cls", UNKNOWN) == UNKNOWN for option in alternatives(owner))
    for ref in list(m.state.heap) if strange else [ref for ref, _ in m.all(owner, Module)]:
        thing = m.state.heap[ref]
        if type(thing) is Module and thing.initialised is NO:
            m.store(ref, replace(thing, initialised=NO | YES))


def call_unknown(m: Interpreter, node: Site, values: list[Value], callee: Value = UNKNOWN) -> Value:
    """Code that the file does not show is passed these values, and is called by the name of a callee or as it is
    written; a grad mode among them it may enter."""
    m.log.counts["unknown calls"] += not m.log.muted
    func = getattr(syntax(node), "func", None)
    if type(func) is cst.Attribute and type(callee) is not ImportPath:
        m.defined.strangers[func.attr.value] = None
    if any(type(option) is Context for value in values for option in alternatives(value)):
        m.state.grad_mode = m.state.grad_mode | UNSURE
    emit_exhausted(m, node, values)
    made_of = getattr(m.thing(callee), "cls", UNKNOWN)  # an object of a library is called for what its class is
    named = made_of if type(made_of) is ImportPath else callee
    if not _words_of(_names_of(node, named)).isdisjoint(RESETS):
        _reset(m, [*values, *_owner(m, func)])
    havoc(m, values, escape_by(node, named), keeps_modes=not _may_switch(node, named))
    return result_of_unknown(values)


def _owner(m: Interpreter, func: Any) -> list[Value]:
    """Return the object whose method is called, where it is known."""
    owner = peek(m, func.value) if type(func) is cst.Attribute else None
    return [] if owner is None else [owner]


def _reset(m: Interpreter, values: Iterable[Value]) -> None:
    """Parameters may have begun anew, as code that is passed them says by its name. A module that nobody saw made may
    be a part of any other such."""
    found = in_reach(m, values)
    strange = any(type(thing) is Module and not thing.belief.seen_made for thing in found.values())
    for ref, thing in [*m.state.heap.items()] if strange else found.items():
        if type(thing) is Tensor and thing.trained_by and (ref in found or not thing.belief.seen_made):
            m.store_exact(ref, replace(thing, trained_by=thing.trained_by | {None}))
