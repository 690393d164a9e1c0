"""`heapq` and `bisect`: lists in which elements are put in order, so that nobody knows at which places they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gradlint.domain.joining import summarised, thinned
from gradlint.domain.objects import Container
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, with_certain
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, ImportPath, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import results_of_each
from gradlint.interpreter.engine.dispatch import MODELS, models
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import call_unknown
from gradlint.interpreter.python import containers
from gradlint.interpreter.static.sites import Site

OnList = Callable[[Interpreter, Ref, Value], Value]
"""The effect of a function on a list, by the element that it is passed besides."""


def _run(done: OnList, path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """Do it with the list that is the first argument; where that may be anything else, nobody sees what is done."""
    if args.unknown or not all(_is_list(m, option) for option in alternatives(args.first)):
        return call_unknown(m, node, args.values(), ImportPath(path))
    element = args.get("x", 1, UNKNOWN)
    return one_of(results_of_each(m, args.first, Container, lambda ref: done(m, ref, element)))


def _is_list(m: Interpreter, value: Value) -> bool:
    thing = m.thing(value)
    return type(thing) is Container and thing.kind == "list"


def _push(m: Interpreter, ref: Ref, element: Value) -> Value:
    """No `Stored`: what is put in order is there to be taken out again, and no pile of results."""
    m.store(ref, containers.with_more(m[ref], element, with_certain((), [element])))
    return NONE_VALUE


def _pop(m: Interpreter, ref: Ref, element: Value = NOTHING) -> Value:
    whole = thinned(m[ref])
    m.store(ref, whole)
    return whole.rest


def _push_and_pop(m: Interpreter, ref: Ref, element: Value) -> Value:
    """The element that goes in may be the one that comes out."""
    _push(m, ref, element)
    return _pop(m, ref)


def _disorder(m: Interpreter, ref: Ref, element: Value) -> Value:
    m.store(ref, summarised(m[ref]))
    return NONE_VALUE


for _done, _paths in {
    _push: ("heapq.heappush", "bisect.insort", "bisect.insort_left", "bisect.insort_right"),
    _pop: ("heapq.heappop",),
    _push_and_pop: ("heapq.heappushpop", "heapq.heapreplace"),
    _disorder: ("heapq.heapify",),
}.items():
    for _path in _paths:
        models(_path)(partial(_run, _done, _path))


@models("heapq.nlargest", "heapq.nsmallest")
def _some_in_order(m: Interpreter, node: Site, args: Arguments) -> Value:
    made = MODELS["builtins.sorted"](m, node, Arguments(args.positional[1:], args.keywords, args.unknown))
    for ref, thing in m.all(made, Container):
        m.store(ref, thinned(thing))
    return made
