"""Iterables, and what Python and `itertools` make of them: elements go through, in order where that is known."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.domain.facts import INTEGER, NO, UNSURE, YES, Truth
from gradlint.domain.objects import MOST_ITEMS, MOST_PARAMETERS, Container, Instance, Iterator
from gradlint.domain.provenance import IteratorKind
from gradlint.domain.value_sets import alternatives, number_kind, one_of, with_certain
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, PlainObject, PythonNumber, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.deferred import unfinished
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import (
    MOST_ELEMENTS,
    after_one_next,
    begin,
    consume,
    each,
    element_list,
    elements,
    following,
    iterated,
    iterator,
    run_through,
    tuple_of,
)
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.syntax.narrowing import truthiness
from gradlint.interpreter.syntax.operators import compute


def _emptiness(m: Interpreter, values: Sequence[Value]) -> Truth:
    return NO if all(containers.certainly_not_empty(m, value) for value in values) else UNSURE


def _each(m: Interpreter, node: Site, values: Sequence[Value]) -> list[Value]:
    """The elements of each of several iterables."""
    return each(m, values, lambda value: elements(m, node, value))


# ---- one iterable


@models("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.std.tqdm", "tqdm.rich.tqdm", "tqdm",
         "rich.progress.track", "itertools.cycle")  # fmt: skip
def _over(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Iterates over what its first argument iterates over."""
    if not args.positional and "iterable" not in args.keywords:
        return PlainObject("progress bar")
    source = args.get("iterable", 0, UNKNOWN)
    element, (source,) = m.keeping(lambda: elements(m, node, source), source)
    there = containers.certain(m, source)
    return iterator(m, node, Iterator(element, source, IteratorKind.ITER, empty=_emptiness(m, [source]), certain=there))


@models("itertools.islice")
def _slice(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Return an iterator over some of its first argument's elements."""
    source = args.get("iterable", 0, UNKNOWN)
    element = elements(m, node, source)
    return iterator(m, node, Iterator(element, source, IteratorKind.ITER, empty=_emptiness(m, [source])))


models("tqdm.trange", "tqdm.auto.trange", "tqdm.notebook.trange")(
    lambda m, node, args: iterator(m, node, Iterator(PythonNumber(INTEGER), by=IteratorKind.RANGE))
)


@models("builtins.iter")
def _iter(m: Interpreter, node: Site, args: Arguments) -> Value:
    begun = iterated(m, node, args.first)
    if len(args.positional) > 1:
        return iterator(m, node, Iterator(call_value(m, node, begun, Arguments(), ""), by=IteratorKind.ITER))
    return begun if m.only(begun, Instance) or m.only(begun, Iterator) else _over(m, node, Arguments([begun]))


@models("builtins.reversed")
def _reversed(m: Interpreter, node: Site, args: Arguments) -> Value:
    method = method_of(m, args.first, "__reversed__")
    if method is not None:
        return call_function(m, node, method, args)
    listing = element_list(m, args.first)
    if listing is None or not listing:
        return _over(m, node, args)
    turned = containers.container(m, node, "list", listing[::-1])
    element = one_of(listing, len(listing))
    return iterator(m, node, Iterator(element, args.first, IteratorKind.REVERSED, empty=NO, listed=turned))


@models("builtins.next", "builtins.anext")
def _next(m: Interpreter, node: Site, args: Arguments) -> Value:
    start = m.push(*args.positional)
    unasked = m.only(args.first, Iterator)
    found = m.push(following(m, node, args.first))
    begin(m, m.state.stack[start])
    if unasked is not None:
        after_one_next(m, m.state.stack[start], unasked)
    before = m.state.modes[:2]
    containers.enter_waiting(m, m.state.stack[start])
    m.state.grad_mode, m.state.inference = m.state.grad_mode | before[0], m.state.inference | before[1]  # unless it
    # was closed since, for nobody holds it any more
    held = m.pop_from(start)
    return one_of([held[found - start], *held[1 : found - start]])


@models("builtins.sorted")
def _sorted(m: Interpreter, node: Site, args: Arguments) -> Value:
    start = m.push(*args.values())
    element = m.push(elements(m, node, args.first))
    of = m.state.stack[start] if args.positional else UNKNOWN
    there = m.push(*containers.certain(m, of))
    consume(m, node, of, "sorted")
    _compared(m, node, args, start, element)
    held = m.pop_from(start)
    certain = with_certain((), held[there - start :])
    return m.new(node, "container", Container("list", rest=held[element - start], certain=certain))


@models("builtins.min", "builtins.max")
def _extreme(m: Interpreter, node: Site, args: Arguments) -> Value:
    """One of the arguments, or an element of the only one."""
    start = m.push(*args.values())
    several = len(args.positional) > 1
    element = m.push(one_of(args.positional, 64) if several else elements(m, node, args.first))
    if not several:
        consume(m, node, m.state.stack[start] if args.positional else UNKNOWN, "extreme")
    _compared(m, node, args, start, element)
    held = m.pop_from(start)
    default = [held[len(args.positional) + list(args.keywords).index("default")]] if "default" in args.keywords else []
    return one_of([held[-1], *default])


def _compared(m: Interpreter, node: Site, args: Arguments, start: int, element: int) -> None:
    """The function by which elements are compared is called on them."""
    if args.keywords.get("key", NONE_VALUE) != NONE_VALUE:
        key = m.state.stack[start + len(args.positional) + list(args.keywords).index("key")]
        call_value(m, m.part_of(node, "key"), key, Arguments([m.state.stack[element]]), "")


@models("builtins.sum", "math.fsum")
def _sum(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Adds elements one to another, beginning with 0: which is left where a test may leave out all."""
    perhaps_none = containers.leaves_out(m, args.first)
    start = m.push(args.get("start", 1, Constant(0)), args.first)
    if m.only(m.state.stack[start], Container) is None:
        listed = run_through(m, node, m.state.stack[start + 1], "sum")
        if listed is not None and 0 < len(listed) <= MOST_ELEMENTS:
            return _added_up(m, node, start, listed)
    element = elements(m, node, m.state.stack[start + 1])
    place = m.push(element)
    consume(m, node, m.state.stack[start + 1], "sum")
    if m.only(m.state.stack[start], Container) is not None:
        inner = elements(m, node, m.state.stack[place])
        begun = elements(m, node, m.state.stack[start])
        m.pop_from(start)
        return m.new(node, "container", Container("list", rest=one_of([inner, begun])))
    begun, _, element = m.pop_from(start)
    added = compute(m, node, "add", [begun, element])
    return one_of((added, begun)) if perhaps_none and number_kind(added) is None else added


def _added_up(m: Interpreter, node: Site, start: int, listed: Sequence[Value]) -> Value:
    """Adds elements that are known one by one to what is in flight there."""
    first = m.push(*listed)
    for index in range(len(listed)):
        place = node if index == len(listed) - 1 else m.part_of(node, f"element {index}")
        m.state.stack[start] = compute(m, place, "add", [m.state.stack[start], m.state.stack[first + index]])
    return m.pop_from(start)[0]


# ---- several iterables, number by number


@models("builtins.enumerate")
def _enumerate(m: Interpreter, node: Site, args: Arguments) -> Value:
    source = args.get("iterable", 0, UNKNOWN)
    listing = element_list(m, source)
    pair = tuple_of(m, node, [PythonNumber(INTEGER), elements(m, node, source)])
    begins = args.get("start", 1, Constant(0))
    first = begins.value if type(begins) is Constant and type(begins.value) is int else None
    numbers: list[Value] = [
        PythonNumber(INTEGER) if first is None else Constant(first + at) for at in range(len(listing or ()))
    ]
    known = UNKNOWN if listing is None else _pairs(m, node, [numbers, listing])
    there, empty = containers.certain(m, source), _emptiness(m, [source])
    return iterator(m, node, Iterator(pair, source, IteratorKind.ENUMERATE, empty=empty, listed=known, certain=there))


@models("builtins.zip")
def _zip(m: Interpreter, node: Site, args: Arguments) -> Value:
    listings = [element_list(m, value) for value in args.positional]
    empty = _emptiness(m, args.positional)
    start = m.push(*args.positional)
    each = _each(m, node, args.positional)
    several = Container("tuple", rest=one_of(each, MOST_ITEMS))
    m.push(m.new(node, "pair", several) if args.unknown else tuple_of(m, node, each))
    known = _columns(m, node, args) if args.unknown else _pairs(m, node, listings)
    *sources, pair = m.pop_from(start)
    return iterator(m, node, Iterator(pair, _all_of(sources), IteratorKind.ZIP, empty=empty, listed=known))


def _all_of(values: Sequence[Value]) -> Value:
    """Return the elements of an iterator over several iterables."""
    return one_of(values, MOST_ITEMS) if values else UNKNOWN


def _pairs(m: Interpreter, node: Site, listings: list[list[Value] | None]) -> Value:
    """Return the pairs one by one where all iterables are known one by one, as many as the shortest has."""
    known = [listing for listing in listings if listing is not None]
    if not known or len(known) < len(listings):
        return UNKNOWN
    rows = list(zip(*known, strict=False))
    if len(rows) > MOST_ELEMENTS:
        return UNKNOWN
    pairs = [tuple_of(m, node, row, f"pair {index}") for index, row in enumerate(rows)]
    return containers.container(m, node, "list", pairs, "pairs")


def _columns(m: Interpreter, node: Site, args: Arguments) -> Value:
    """`zip(*rows)` of rows of which nobody knows how many there are, but each holds as much: the first elements, the
    second, and so on."""
    rows = alternatives(args.positional[0]) if len(args.positional) == 1 else ()
    parts = [element_list(m, row) for row in rows]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts) or len({len(part) for part in known}) > 1:
        return UNKNOWN
    columns = [
        m.new(node, f"pair {index}", Container("tuple", rest=one_of(column, MOST_ITEMS)))
        for index, column in enumerate(zip(*known, strict=True))
    ]
    return containers.container(m, node, "list", columns, "pairs")


@models("itertools.zip_longest")
def _zip_longest(m: Interpreter, node: Site, args: Arguments) -> Value:
    fill = args.keywords.get("fillvalue", NONE_VALUE)
    start = m.push(fill)
    found = _each(m, node, args.positional)
    pair = tuple_of(m, node, [one_of([element, m.state.stack[start]]) for element in found])
    m.pop_from(start)
    return iterator(m, node, Iterator(pair, by=IteratorKind.ZIP))


@models("itertools.product")
def _product(m: Interpreter, node: Site, args: Arguments) -> Value:
    found = _each(m, node, args.positional)
    repeat = args.keywords.get("repeat", Constant(1))
    whole = Container("tuple", rest=one_of(found)) if repeat != Constant(1) else None
    pair = tuple_of(m, node, found) if whole is None else m.new(node, "pair", whole)
    return iterator(m, node, Iterator(pair, by=IteratorKind.PRODUCT))


@models("itertools.combinations", "itertools.permutations", "itertools.combinations_with_replacement",
         "itertools.pairwise", "itertools.batched")  # fmt: skip
def _groups(m: Interpreter, node: Site, args: Arguments) -> Value:
    group = m.new(node, "group", Container("tuple", rest=elements(m, node, args.first)))
    return iterator(m, node, Iterator(group, by=IteratorKind.GROUPS))


@models("itertools.chain")
def _chain(m: Interpreter, node: Site, args: Arguments) -> Value:
    """One iterable after the other."""
    return _chained(m, node, args.positional)


@models("itertools.chain.from_iterable")
def _chain_from(m: Interpreter, node: Site, args: Arguments) -> Value:
    known = element_list(m, args.first)
    return _chained(m, node, [elements(m, node, args.first)] if known is None else known)


def _chained(m: Interpreter, node: Site, values: Sequence[Value]) -> Value:
    empty = NO if any(containers.certainly_not_empty(m, value) for value in values) else UNSURE
    element, sources = m.keeping(lambda: one_of([NOTHING, *_each(m, node, values)], MOST_PARAMETERS), *values)
    there = with_certain((), [ref for source in sources for ref in containers.certain(m, source)])
    return iterator(m, node, Iterator(element, _all_of(sources), IteratorKind.CHAIN, empty=empty, certain=there))


models("itertools.repeat")(
    lambda m, node, args: iterator(m, node, Iterator(args.get("object", 0, UNKNOWN), by=IteratorKind.REPEAT))
)
models("itertools.count")(
    lambda m, node, args: iterator(m, node, Iterator(PythonNumber(INTEGER), by=IteratorKind.COUNT, empty=NO))
)


@models("itertools.tee")
def _tee(m: Interpreter, node: Site, args: Arguments) -> Value:
    element = elements(m, node, args.first)
    count = args.get("n", 1, Constant(2))
    copies = [m.new(node, f"copy {n}", Iterator(element=element, by=IteratorKind.TEE)) for n in range(2)]
    if count == Constant(2):
        return containers.container(m, node, "tuple", copies)
    return m.new(node, "container", Container("tuple", rest=copies[0]))


@models("itertools.groupby")
def _group_by(m: Interpreter, node: Site, args: Arguments) -> Value:
    start = m.push(*args.values())
    element = m.push(elements(m, node, args.first))
    if len(args.positional) > 1:
        call_value(m, m.part_of(node, "key"), m.state.stack[start + 1], Arguments([m.state.stack[element]]), "")
    _compared(m, node, args, start, element)
    group = m.new(node, "group", Iterator(element=m.pop_from(start)[-1], by=IteratorKind.GROUP))
    return iterator(m, node, Iterator(tuple_of(m, node, [result_of_unknown([group]), group]), by=IteratorKind.GROUPBY))


# ---- functions on elements


@models("builtins.map")
def _map(m: Interpreter, node: Site, args: Arguments) -> Value:
    if len(args.positional) < 2:
        return UNKNOWN
    function, *iterables = args.positional
    empty = _emptiness(m, iterables)
    start = m.push(*iterables)
    m.push(function)
    with unfinished(m) as followed:
        found = _each(m, node, iterables)
        given = _called_on_each(m, node, m.state.stack[start + len(iterables)], Arguments(found))
    source = _all_of(m.pop_from(start)[:-1])
    return iterator(m, node, Iterator(given, source, IteratorKind.MAP, empty=empty), followed)


@models("itertools.starmap")
def _star_map(m: Interpreter, node: Site, args: Arguments) -> Value:
    start = m.push(args.first)
    element = elements(m, node, args.get("iterable", 1, UNKNOWN))
    pair = m.only(element, Container)
    known = pair is not None and pair.rest == NOTHING
    given = Arguments([value for _, value in pair.items]) if pair is not None and known else Arguments(unknown=True)
    with unfinished(m) as followed:
        element = _called_on_each(m, node, m.pop_from(start)[0], given)
    return iterator(m, node, Iterator(element, by=IteratorKind.MAP), followed)


def _called_on_each(m: Interpreter, node: Site, function: Value, args: Arguments) -> Value:
    """Return the results of a function for each of several elements. It is called once for all of them; what it makes
    is as old as can be at once, for it stands for what each call makes."""
    if NOTHING in args.positional:
        return NOTHING
    before, m.allocations.made = m.allocations.made, set()
    start = m.push(call_value(m, node, function, args, ""))
    m.state.age(m.allocations.made, at_once=True)
    m.allocations.made |= before
    return m.pop_from(start)[0]


@models("builtins.filter")
def _filter(m: Interpreter, node: Site, args: Arguments) -> Value:
    """The elements for which the function may hold; certainly those for which it does."""
    with unfinished(m) as followed:
        found, source, sure, all_of_them = _kept(m, node, args)
    there = tuple(ref for ref in containers.certain(m, source) if all_of_them or ref in sure)
    return iterator(m, node, Iterator(found, source, IteratorKind.FILTER, certain=there), followed)


@models("itertools.takewhile")
def _take_while(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Return an iterator over some of the elements for which the function may hold."""
    with unfinished(m) as followed:
        found, source, _, all_of_them = _kept(m, node, args)
    there = containers.certain(m, source) if all_of_them else ()
    return iterator(m, node, Iterator(found, source, IteratorKind.FILTER, certain=there), followed)


def _kept(m: Interpreter, node: Site, args: Arguments) -> tuple[Value, Value, set[Value], bool]:
    """The elements for which a function may hold, which is called for each, what they come from, those for which it
    certainly holds, and whether these are all."""
    function, source = args.get("function", 0, UNKNOWN), args.get("iterable", 1, UNKNOWN)
    options = alternatives(elements(m, node, source))
    start = m.push(function, source, *options)
    kept: dict[int, Truth] = {}
    for index, option in enumerate(options):
        if option == NOTHING:
            continue
        place = m.part_of(node, f"element {index}")
        function, element = m.state.stack[start], m.state.stack[start + 2 + index]
        verdict = element if function == NONE_VALUE else call_value(m, place, function, Arguments([element]), "")
        if (holds := truthiness(m, verdict)) is not NO:
            kept[index] = holds
    source, *held = m.pop_from(start)[1:]
    found = one_of([held[index] for index in kept] or [NOTHING], MOST_PARAMETERS)
    sure = {held[index] for index, holds in kept.items() if holds is YES}
    return found, source, sure, len(sure) == len(options)


@models("itertools.accumulate")
def _accumulate(m: Interpreter, node: Site, args: Arguments) -> Value:
    element = elements(m, node, args.first)
    if len(args.positional) > 1 or args.keywords:
        return iterator(m, node, Iterator(result_of_unknown([element, *args.values()]), by=IteratorKind.ACCUMULATE))
    start = m.push(element)
    total = compute(m, node, "add", [element, element])
    return iterator(m, node, Iterator(one_of([m.pop_from(start)[0], total]), by=IteratorKind.ACCUMULATE))


# ---- numbers


@models("builtins.range")
def _range(m: Interpreter, node: Site, args: Arguments) -> Value:
    numbers = [value.value for value in args.positional if type(value) is Constant and isinstance(value.value, int)]
    first, behind = (0, *numbers)[-2:] if numbers else (0, 0)
    length = max(0, behind - first) if len(numbers) == len(args.positional) < 3 else 0
    if length:
        several = YES if length > 1 else NO
        listed: Value = UNKNOWN
        if length <= MOST_ELEMENTS:
            listed = containers.container(m, node, "tuple", [*map(Constant, range(first, behind))], "listed")
        made = Iterator(
            PythonNumber(INTEGER), by=IteratorKind.RANGE, empty=NO, several=several, length=length, listed=listed
        )
        return iterator(m, node, made)
    return m.new(node, "range", Container("list", rest=PythonNumber(INTEGER)))
