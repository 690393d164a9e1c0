"""What Python and `itertools` make of iterables: the elements go through, joined, and in order where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import (
    INTEGER,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Const,
    Container,
    Instance,
    Iterator,
    Plain,
    Scalar,
    Truth,
    Value,
    alternatives,
    number_kind,
    one_of,
    with_certain,
)
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.deferred import unfinished
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import (
    asked_once,
    begin,
    consume,
    element_list,
    elements,
    following,
    iterated,
    iterator,
)
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.syntax.narrowing import truthiness
from gradlint.interpreter.syntax.operators import compute

MOST_PAIRS = 8
"""Pairs that are kept apart, so that what is made of them knows their order."""


def _first(args: Arguments) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


def _emptiness(it: Interpreter, values: Sequence[Value]) -> Truth:
    return NO if all(containers.certainly_not_empty(it, value) for value in values) else UNSURE


def _each(it: Interpreter, node: Any, values: Sequence[Value]) -> list[Value]:
    """The elements of each of several iterables."""
    start, count = it.hold(*values), len(values)
    for index in range(count):
        it.hold(elements(it, node, it.state.flight[start + index]))
    return it.land(start)[count:]


def _tuple(it: Interpreter, node: Any, values: Sequence[Value], part: str = "pair") -> Value:
    return it.new(node, part, Container("tuple", items=tuple(enumerate(values))))


# ---- one iterable


@models("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.std.tqdm", "tqdm.rich.tqdm", "tqdm",
         "rich.progress.track", "itertools.cycle")  # fmt: skip
def _over(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Iterates over what its first argument iterates over."""
    if not args.positional and "iterable" not in args.keywords:
        return Plain("progress bar")
    source = args.get("iterable", 0, UNKNOWN)
    start = it.hold(source)
    element = elements(it, node, source)
    (source,) = it.land(start)
    there = containers.certain(it, source)
    return iterator(it, node, element, "iter", empty=_emptiness(it, [source]), source=source, certain=there)


@models("itertools.islice")
def _slice(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Some of what its first argument iterates over."""
    source = args.get("iterable", 0, UNKNOWN)
    element = elements(it, node, source)
    return iterator(it, node, element, "iter", empty=_emptiness(it, [source]), source=source)


@models("tqdm.trange", "tqdm.auto.trange", "tqdm.notebook.trange")
def _numbers(it: Interpreter, node: Any, args: Arguments) -> Value:
    return iterator(it, node, Scalar(INTEGER), "range")


@models("builtins.iter")
def _iter(it: Interpreter, node: Any, args: Arguments) -> Value:
    begun = iterated(it, node, _first(args))
    if len(args.positional) > 1:
        return iterator(it, node, call_value(it, node, begun, Arguments(), ""), "iter")
    return begun if it.only(begun, Instance) or it.only(begun, Iterator) else _over(it, node, Arguments([begun]))


@models("builtins.reversed")
def _reversed(it: Interpreter, node: Any, args: Arguments) -> Value:
    method = method_of(it, _first(args), "__reversed__")
    if method is not None:
        return call_function(it, node, method, args)
    listing = element_list(it, _first(args))
    if listing is None or not listing:
        return _over(it, node, args)
    turned = containers.container(it, node, "list", listing[::-1])
    element = one_of(listing, len(listing))
    return iterator(it, node, element, "reversed", empty=NO, source=_first(args), listed=turned)


@models("builtins.next", "builtins.anext")
def _next(it: Interpreter, node: Any, args: Arguments) -> Value:
    start = it.hold(*args.positional)
    unasked = it.only(_first(args), Iterator)
    found = it.hold(following(it, node, _first(args)))
    begin(it, it.state.flight[start])
    if unasked is not None:
        asked_once(it, it.state.flight[start], unasked)
    before = it.state.modes[:2]
    containers.enter_waiting(it, it.state.flight[start])
    it.state.grad_mode, it.state.inference = it.state.grad_mode | before[0], it.state.inference | before[1]  # unless it
    # was closed since, for nobody holds it any more
    held = it.land(start)
    return one_of([held[found - start], *held[1 : found - start]])


@models("builtins.sorted")
def _sorted(it: Interpreter, node: Any, args: Arguments) -> Value:
    start = it.hold(*args.values())
    element = it.hold(elements(it, node, _first(args)))
    of = it.state.flight[start] if args.positional else UNKNOWN
    there = it.hold(*containers.certain(it, of))
    consume(it, node, of, "sorted")
    _compared(it, node, args, start, element)
    held = it.land(start)
    certain = with_certain((), held[there - start :])
    return it.new(node, "container", Container("list", rest=held[element - start], certain=certain))


@models("builtins.min", "builtins.max")
def _extreme(it: Interpreter, node: Any, args: Arguments) -> Value:
    """One of the arguments, or an element of the only one."""
    start = it.hold(*args.values())
    several = len(args.positional) > 1
    element = it.hold(one_of(args.positional, 64) if several else elements(it, node, _first(args)))
    if not several:
        consume(it, node, it.state.flight[start] if args.positional else UNKNOWN, "extreme")
    _compared(it, node, args, start, element)
    held = it.land(start)
    default = [held[len(args.positional) + list(args.keywords).index("default")]] if "default" in args.keywords else []
    return one_of([held[-1], *default])


def _compared(it: Interpreter, node: Any, args: Arguments, start: int, element: int) -> None:
    """The function by which elements are compared is called on them."""
    if args.keywords.get("key", NONE_VALUE) != NONE_VALUE:
        key = it.state.flight[start + len(args.positional) + list(args.keywords).index("key")]
        call_value(it, it.place_of(node, "key"), key, Arguments([it.state.flight[element]]), "")


@models("builtins.sum", "math.fsum")
def _sum(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Adds elements one to another, beginning with 0: which is left where a test may leave out all."""
    perhaps_none = containers.leaves_out(it, _first(args))
    start = it.hold(args.get("start", 1, Const(0)), _first(args))
    element = elements(it, node, it.state.flight[start + 1])
    place = it.hold(element)
    consume(it, node, it.state.flight[start + 1], "sum")
    if it.only(it.state.flight[start], Container) is not None:
        inner = elements(it, node, it.state.flight[place])
        begun = elements(it, node, it.state.flight[start])
        it.land(start)
        return it.new(node, "container", Container("list", rest=one_of([inner, begun])))
    begun, _, element = it.land(start)
    added = compute(it, node, "add", [begun, element])
    return one_of((added, begun)) if perhaps_none and number_kind(added) is None else added


# ---- several iterables, number by number


@models("builtins.enumerate")
def _enumerate(it: Interpreter, node: Any, args: Arguments) -> Value:
    source = args.get("iterable", 0, UNKNOWN)
    listing = element_list(it, source)
    pair = _tuple(it, node, [Scalar(INTEGER), elements(it, node, source)])
    known = NOTHING if listing is None else _pairs(it, node, [[Scalar(INTEGER)] * len(listing), listing])
    there = containers.certain(it, source)
    return iterator(
        it, node, pair, "enumerate", empty=_emptiness(it, [source]), source=source, listed=known, certain=there
    )


@models("builtins.zip")
def _zip(it: Interpreter, node: Any, args: Arguments) -> Value:
    listings = [element_list(it, value) for value in args.positional]
    empty = _emptiness(it, args.positional)
    start = it.hold(*args.positional)
    it.hold(_tuple(it, node, _each(it, node, args.positional)))
    known = NOTHING if args.unknown else _pairs(it, node, listings)
    *sources, pair = it.land(start)
    return iterator(it, node, pair, "zip", empty=empty, source=_all_of(sources), listed=known)


def _all_of(values: Sequence[Value]) -> Value:
    """What an iterator over several iterables runs over."""
    return one_of(values, MOST_ITEMS) if values else UNKNOWN


def _pairs(it: Interpreter, node: Any, listings: list[list[Value] | None]) -> Value:
    """Where all iterables are known one by one: the pairs one by one, as many as the shortest has."""
    known = [listing for listing in listings if listing is not None]
    if not known or len(known) < len(listings):
        return NOTHING
    rows = list(zip(*known, strict=False))
    if len(rows) > MOST_PAIRS:
        return NOTHING
    pairs = [_tuple(it, node, row, f"pair {index}") for index, row in enumerate(rows)]
    return containers.container(it, node, "list", pairs, "pairs")


@models("itertools.zip_longest")
def _zip_longest(it: Interpreter, node: Any, args: Arguments) -> Value:
    fill = args.keywords.get("fillvalue", NONE_VALUE)
    start = it.hold(fill)
    found = _each(it, node, args.positional)
    pair = _tuple(it, node, [one_of([element, it.state.flight[start]]) for element in found])
    it.land(start)
    return iterator(it, node, pair, "zip")


@models("itertools.product")
def _product(it: Interpreter, node: Any, args: Arguments) -> Value:
    found = _each(it, node, args.positional)
    repeat = args.keywords.get("repeat", Const(1))
    whole = Container("tuple", rest=one_of(found)) if repeat != Const(1) else None
    pair = _tuple(it, node, found) if whole is None else it.new(node, "pair", whole)
    return iterator(it, node, pair, "product")


@models("itertools.combinations", "itertools.permutations", "itertools.combinations_with_replacement",
         "itertools.pairwise", "itertools.batched")  # fmt: skip
def _groups(it: Interpreter, node: Any, args: Arguments) -> Value:
    group = it.new(node, "group", Container("tuple", rest=elements(it, node, _first(args))))
    return iterator(it, node, group, "groups")


@models("itertools.chain")
def _chain(it: Interpreter, node: Any, args: Arguments) -> Value:
    """One iterable after the other."""
    return _chained(it, node, args.positional)


@models("itertools.chain.from_iterable")
def _chain_from(it: Interpreter, node: Any, args: Arguments) -> Value:
    known = element_list(it, _first(args))
    return _chained(it, node, [elements(it, node, _first(args))] if known is None else known)


def _chained(it: Interpreter, node: Any, values: Sequence[Value]) -> Value:
    empty = NO if any(containers.certainly_not_empty(it, value) for value in values) else UNSURE
    start = it.hold(*values)
    element = one_of([NOTHING, *_each(it, node, values)], MOST_ITEMS)
    sources = it.land(start)
    there = with_certain((), [ref for source in sources for ref in containers.certain(it, source)])
    return iterator(it, node, element, "chain", empty=empty, source=_all_of(sources), certain=there)


@models("itertools.repeat")
def _repeat(it: Interpreter, node: Any, args: Arguments) -> Value:
    return iterator(it, node, args.get("object", 0, UNKNOWN), "repeat")


@models("itertools.count")
def _count(it: Interpreter, node: Any, args: Arguments) -> Value:
    return iterator(it, node, Scalar(INTEGER), "count", empty=NO)


@models("itertools.tee")
def _tee(it: Interpreter, node: Any, args: Arguments) -> Value:
    element = elements(it, node, _first(args))
    count = args.get("n", 1, Const(2))
    copies = [it.new(node, f"copy {n}", Iterator(element=element, by="tee")) for n in range(2)]
    if count == Const(2):
        return containers.container(it, node, "tuple", copies)
    return it.new(node, "container", Container("tuple", rest=copies[0]))


@models("itertools.groupby")
def _group_by(it: Interpreter, node: Any, args: Arguments) -> Value:
    start = it.hold(*args.values())
    element = it.hold(elements(it, node, _first(args)))
    if len(args.positional) > 1:
        call_value(it, it.place_of(node, "key"), it.state.flight[start + 1], Arguments([it.state.flight[element]]), "")
    _compared(it, node, args, start, element)
    group = it.new(node, "group", Iterator(element=it.land(start)[-1], by="group"))
    return iterator(it, node, _tuple(it, node, [result_of_unknown([group]), group]), "groupby")


# ---- functions on elements


@models("builtins.map")
def _map(it: Interpreter, node: Any, args: Arguments) -> Value:
    if len(args.positional) < 2:
        return UNKNOWN
    function, *iterables = args.positional
    empty = _emptiness(it, iterables)
    start = it.hold(*iterables)
    it.hold(function)
    with unfinished(it) as followed:
        found = _each(it, node, iterables)
        given = _called_on_each(it, node, it.state.flight[start + len(iterables)], Arguments(found))
    source = _all_of(it.land(start)[:-1])
    return iterator(it, node, given, "map", empty=empty, source=source, followed=followed)


@models("itertools.starmap")
def _star_map(it: Interpreter, node: Any, args: Arguments) -> Value:
    start = it.hold(_first(args))
    element = elements(it, node, args.get("iterable", 1, UNKNOWN))
    pair = it.only(element, Container)
    known = pair is not None and pair.rest == NOTHING
    given = Arguments([value for _, value in pair.items]) if pair is not None and known else Arguments(unknown=True)
    with unfinished(it) as followed:
        element = _called_on_each(it, node, it.land(start)[0], given)
    return iterator(it, node, element, "map", followed=followed)


def _called_on_each(it: Interpreter, node: Any, function: Value, args: Arguments) -> Value:
    """What a function gives for each of several elements. It is called once for all of them; what it makes is as old as
    can be at once, for it stands for what each call makes."""
    if NOTHING in args.positional:
        return NOTHING
    before, it.made = it.made, set()
    start = it.hold(call_value(it, node, function, args, ""))
    it.state.age(it.made, at_once=True)
    it.made |= before
    return it.land(start)[0]


@models("builtins.filter")
def _filter(it: Interpreter, node: Any, args: Arguments) -> Value:
    """The elements for which the function may hold; certainly those for which it does."""
    with unfinished(it) as followed:
        found, source, sure, all_of_them = _kept(it, node, args)
    there = tuple(ref for ref in containers.certain(it, source) if all_of_them or ref in sure)
    return iterator(it, node, found, "filter", source=source, certain=there, followed=followed)


@models("itertools.takewhile")
def _take_while(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Some of the elements for which the function may hold."""
    with unfinished(it) as followed:
        found, source, _, all_of_them = _kept(it, node, args)
    there = containers.certain(it, source) if all_of_them else ()
    return iterator(it, node, found, "filter", source=source, certain=there, followed=followed)


def _kept(it: Interpreter, node: Any, args: Arguments) -> tuple[Value, Value, set[Value], bool]:
    """The elements for which a function may hold, which is asked of each, what they come from, those for which it
    certainly holds, and whether these are all."""
    function, source = args.get("function", 0, UNKNOWN), args.get("iterable", 1, UNKNOWN)
    options = alternatives(elements(it, node, source))
    start = it.hold(function, source, *options)
    kept: dict[int, Truth] = {}
    for index, option in enumerate(options):
        if option == NOTHING:
            continue
        place = it.place_of(node, f"element {index}")
        function, element = it.state.flight[start], it.state.flight[start + 2 + index]
        verdict = element if function == NONE_VALUE else call_value(it, place, function, Arguments([element]), "")
        if (holds := truthiness(it, verdict)) is not NO:
            kept[index] = holds
    source, *held = it.land(start)[1:]
    found = one_of([held[index] for index in kept] or [NOTHING], MOST_ITEMS)
    sure = {held[index] for index, holds in kept.items() if holds is YES}
    return found, source, sure, len(sure) == len(options)


@models("itertools.accumulate")
def _accumulate(it: Interpreter, node: Any, args: Arguments) -> Value:
    element = elements(it, node, _first(args))
    if len(args.positional) > 1 or args.keywords:
        return iterator(it, node, result_of_unknown([element, *args.values()]), "accumulate")
    start = it.hold(element)
    total = compute(it, node, "add", [element, element])
    return iterator(it, node, one_of([it.land(start)[0], total]), "accumulate")


# ---- numbers


@models("builtins.range")
def _range(it: Interpreter, node: Any, args: Arguments) -> Value:
    numbers = [value.value for value in args.positional if type(value) is Const and isinstance(value.value, int)]
    first, behind = (0, *numbers)[-2:] if numbers else (0, 0)
    length = max(0, behind - first) if len(numbers) == len(args.positional) < 3 else 0
    if length:
        several = YES if length > 1 else NO
        return iterator(it, node, Scalar(INTEGER), "range", empty=NO, several=several, length=length)
    return it.new(node, "range", Container("list", rest=Scalar(INTEGER)))
