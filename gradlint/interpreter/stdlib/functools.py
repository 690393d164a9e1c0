"""Callables made of others: `functools.partial`, what wraps and reduces functions, and the getters of `operator`."""

from __future__ import annotations

from functools import partial

from gradlint.domain.facts import NO
from gradlint.domain.items import item_of
from gradlint.domain.objects import Container, Instance, Tensor
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import CALLED, models
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.iteration import consume, elements, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import call_unknown
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.items import get_item
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.unknown.annotations import CALLABLE

PARTIAL = ImportPath("functools.partial")
KEEPING_ALL = ImportPath("functools.update_wrapper")
"""A callable that gives its first argument."""


@models("functools.update_wrapper", "torch.compile", "torch.jit.export", "torch.jit.ignore",
         "functools.lru_cache", "functools.cache", "functools.total_ordering", "functools.singledispatch",
         "dataclasses.dataclass", "typing.no_type_check", "typing.final", "typing.overload",
         "typing.runtime_checkable", "atexit.register")  # fmt: skip
def _same(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Return the function or class of the call; called with options only, what does so."""
    return args.positional[0] if args.positional else KEEPING_ALL


models("functools.wraps")(lambda m, node, args: KEEPING_ALL)


@models("asyncio.run", "asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield")
def _awaited(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A coroutine is what its function gives, whenever somebody waits for it."""
    return args.first


@models("asyncio.gather")
def _gathered(m: Interpreter, node: Site, args: Arguments) -> Value:
    if args.unknown:
        return m.new(node, "gathered", Container("list", rest=one_of(args.positional)))
    return containers.container(m, node, "list", args.positional)


@models("functools.partial", "functools.partialmethod")
def _partial(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A callable with some arguments given: it keeps them as attributes."""
    if not args.positional or args.unknown:
        havoc(m, args.values())
        return result_of_unknown(args.values())
    given = tuple_of(m, node, args.positional[1:], "partial args")
    named = m.new(node, "partial keywords", Container("dict", items=tuple(args.keywords.items())))
    about = (("func", args.positional[0]), ("args", given), ("keywords", named))
    return m.new(node, "partial", Instance(cls=PARTIAL, attributes=about, open=NO))


def _call_partial(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    """A callable that only turned out to be a partial one was given nobody knows what."""
    about = dict(thing.attributes)
    given, named = (m.thing(about.get(name, UNKNOWN)) for name in ("args", "keywords"))
    if type(given) is not Container or type(named) is not Container:
        return call_unknown(m, node, [*about.values(), *args.values()])
    positional = [value for _, value in given.items] + args.positional
    keywords = {str(key): value for key, value in named.items} | args.keywords
    unknown = args.unknown or given.rest != NOTHING or named.rest != NOTHING
    return call_value(m, node, about["func"], Arguments(positional, keywords, unknown), "")


def _call_annotated(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    """Unknown code, of which an annotation tells what it gives."""
    returns = item_of(thing.attributes, "returns", UNKNOWN)
    found = call_unknown(m, node, args.values())
    return found if returns == UNKNOWN else returns


CALLED |= {PARTIAL.path: _call_partial, CALLABLE.path: _call_annotated}


@models("functools.reduce")
def _reduce(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Calls a function on what it gave before and the next element; without elements the start is the result."""
    if len(args.positional) < 2:
        return UNKNOWN
    start = m.push(*args.positional)
    element = m.push(elements(m, node, args.positional[1]))
    consume(m, node, m.state.stack[start + 1], "reduce")
    result = m.push(args.positional[2] if len(args.positional) > 2 else m.state.stack[element])
    for index in range(MOST_REDUCTIONS):
        function, before, next_one = (m.state.stack[place] for place in (start, result, element))
        place = m.part_of(node, f"reduction {index}")
        found = call_value(m, place, function, Arguments([before, next_one]), "")
        m.state.stack[result] = one_of([m.state.stack[result], found])
    last = m.pop_from(start)[-1]
    return result_of_unknown([last]) if m.only(last, Tensor) is None else last


MOST_REDUCTIONS = 2
"""The most calls of its function by a reduction; of what is no tensor afterwards nothing is claimed."""


def _getter(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """`itemgetter(1)`: a callable that keeps what it will look for."""
    wanted = tuple_of(m, node, args.positional, "wanted")
    keywords = m.new(node, "keywords", Container("dict", items=tuple(args.keywords.items())))
    about = (("wanted", wanted), ("keywords", keywords))
    return m.new(node, "getter", Instance(cls=ImportPath(path), attributes=about, open=NO))


def _wanted(m: Interpreter, thing: Instance) -> list[Value]:
    found = m.thing(dict(thing.attributes)["wanted"])
    return [value for _, value in found.items] if type(found) is Container else [UNKNOWN]


def _get_items(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    keys, owner = _wanted(m, thing), args.get("obj", 0, UNKNOWN)
    if len(keys) == 1:
        return get_item(m, node, owner, keys[0])
    return tuple_of(m, node, [get_item(m, m.part_of(node, f"item {n}"), owner, k) for n, k in enumerate(keys)], "items")


def _get_attributes(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    names = [name.value if type(name) is Constant else None for name in _wanted(m, thing)]
    owner = args.get("obj", 0, UNKNOWN)
    if len(names) != 1 or not isinstance(names[0], str):
        return result_of_unknown([owner])
    for name in names[0].split("."):
        owner = get_attribute(m, node, owner, name, "")
    return owner


def _call_method(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    name, *positional = _wanted(m, thing)
    keywords = m.thing(dict(thing.attributes)["keywords"])
    if type(name) is not Constant or not isinstance(name.value, str) or type(keywords) is not Container:
        return result_of_unknown(args.values())
    method = get_attribute(m, node, args.get("obj", 0, UNKNOWN), name.value, "")
    given = Arguments(positional, {str(key): value for key, value in keywords.items})
    return call_value(m, node, method, given, "")


for _path, _called in {
    "operator.itemgetter": _get_items,
    "operator.attrgetter": _get_attributes,
    "operator.methodcaller": _call_method,
}.items():
    models(_path)(partial(_getter, _path))
    CALLED[_path] = _called
