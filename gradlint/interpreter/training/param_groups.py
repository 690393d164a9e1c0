"""The parameters in the argument that an optimizer is built over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gradlint.domain.facts import NO, UNSURE, Truth
from gradlint.domain.objects import MOST_PARAMETERS, Container, Iterator, Optimizer, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NOTHING, Unknown, Value
from gradlint.frozen import frozen
from gradlint.interpreter.autograd.leaf import require_leaves
from gradlint.interpreter.engine.deferred import on_next
from gradlint.interpreter.engine.iteration import consume, element_list, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import certain
from gradlint.interpreter.static.sites import Site


@frozen()
class Given:
    """The elements of each group, one by one (all that an iteration gives is one), those that are in two groups
    (`twice`), and those that are in one group more than once (`repeated`)."""

    elements: tuple[tuple[Tensor, ...], ...]
    twice: tuple[Tensor, ...]
    repeated: tuple[Tensor, ...]


@frozen()
class Parts:
    """The tensors of each group that is `given`, those of groups of which nobody knows how many there are (`perhaps`),
    and whether there may be others (`open`)."""

    given: list[list[Ref]]
    perhaps: list[list[Ref]]
    open: Truth

    @property
    def all(self) -> list[list[Ref]]:
        return [*self.given, *self.perhaps]


def given_parts(m: Interpreter, node: Site, value: Value) -> Parts:
    """The tensors that an argument holds, by itself, in an iterable or in groups."""
    thing = m.only(value, Container)
    if thing is not None:
        groups = [group for _, one in thing.items for group in _params(m, one)]
        perhaps = [[ref for ref, _ in m.all(elements(m, node, one), Tensor)] for one in _params(m, thing.rest)]
        if groups or perhaps:
            found = [given_tensors(m, node, group, "group") for group in groups]
            sure = thing.rest == NOTHING and len(groups) == len(thing.items) and all(o is NO for _, o in found)
            return Parts([refs for refs, _ in found], perhaps, NO if sure else UNSURE)
    refs, opened = given_tensors(m, node, value)
    return Parts([refs], [], opened)


def _params(m: Interpreter, value: Value) -> list[Value]:
    """Return the values under "params" in the groups that a value is."""
    found = [dict(group.items).get("params") for _, group in m.all(value, Container)]
    return [params for params in found if params is not None]


def given_tensors(m: Interpreter, node: Site, value: Value, by: str = "optimizer") -> tuple[list[Ref], Truth]:
    """The tensors that an argument is or runs over, and whether there may be others; `by` as for `IteratorConsumed`."""
    start = m.push(value)
    element = value if m.may_be(value, Tensor) else unnamed(m, elements(m, node, value))
    (value,) = m.pop_from(start)
    there = certain(m, value)  # what is made for the elements lets others grow older
    consume(m, node, value, by)
    listing = m.only(value, Container)
    parts = [] if listing is None else [unnamed(m, part) for part in listing.held]
    require_leaves(m, node, parts or [element], "optimizer")
    options = dict.fromkeys(option for part in parts or [element] for option in alternatives(part))
    options.pop(NOTHING, None)
    found = dict.fromkeys(ref for option in [*options, *there] for ref, _ in m.all(unnamed(m, option), Tensor))
    sure = bool(found) and all(option in found for option in options)
    return [*found], NO if sure else UNSURE


def given_elements(m: Interpreter, given: Value) -> Given:
    """Return the elements that are certainly in the argument."""
    parts = _parts(m, given)
    listed = [
        [ref for one in element_list(m, part) or [part] if type(ref := unnamed(m, one)) is Ref and _is_one(m, ref)]
        for part in parts
    ]
    return Given(
        tuple(tuple(t for v in _slots(m, part) if (t := m.only(v, Tensor))) for part in parts),
        twice=tuple(m[ref] for ref in _more_than_once(ref for refs in listed for ref in dict.fromkeys(refs))),
        repeated=tuple(m[ref] for refs in listed for ref in _more_than_once(refs)),
    )


def groups_beside(m: Interpreter, held: Iterable[Ref]) -> tuple[tuple[str, tuple[Tensor, ...]], ...]:
    """The groups that the function that runs holds by a name, and of which an optimizer that it makes holds nothing."""
    taken, found = frozenset(held), list[tuple[str, tuple[Tensor, ...]]]()
    for (frame, name), value in m.state.names.items():
        if frame == m.frame.id and len(params := _params(m, value)) == 1 and m.only(value, Container) is not None:
            inside = [one for one in certain(m, params[0]) if type(one) is Ref and type(m[one]) is Tensor]
            if inside and taken.isdisjoint(inside):
                found.append((str(name), tuple(m[one] for one in inside)))
    return tuple(found)


def certainly_given(m: Interpreter, given: Value) -> frozenset[Ref]:
    """The tensors that are certainly among those that the argument holds or runs over."""
    found = [one for part in _parts(m, given) for one in (part, *certain(m, part))]
    return frozenset(one for value in found for one in (value, unnamed(m, value)) if type(one) is Ref)


def under_params(m: Interpreter, thing: Optimizer, part: Sequence[Ref]) -> Container:
    """Return the "params" of an optimizer's param group: its tensors one by one, where each is certainly there."""
    sure = thing.open is NO and all((ref,) in thing.groups and not m[ref].is_summary for ref in part)
    if sure and 0 < len(part) <= MOST_PARAMETERS:
        return Container("list", items=tuple(enumerate(part)))
    return Container("list", rest=one_of(part, MOST_PARAMETERS) if part else Unknown(()))


def unnamed(m: Interpreter, value: Value) -> Value:
    """The tensor of a pair of a name and a tensor, as `named_parameters()` gives them; all else as it is."""
    found = [_second(m, option) for option in alternatives(value)]
    return one_of(found, MOST_PARAMETERS)


def _second(m: Interpreter, value: Value) -> Value:
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is not Container or thing.kind != "tuple" or len(thing.items) != 2:
        return value
    second = thing.items[1][1]
    return second if m.may_be(second, Tensor) else value


def _more_than_once(refs: Iterable[Ref]) -> list[Ref]:
    return [ref for ref, times in Counter(refs).items() if times > 1]


def _parts(m: Interpreter, given: Value) -> list[Value]:
    """Return the values under "params" in each group; the argument itself where it has no groups."""
    thing = m.only(given, Container)
    inside = [m.only(value, Container) for _, value in thing.items] if thing is not None else []
    found = [dict(group.items).get("params", NOTHING) for group in inside if group is not None]
    return [part for part in found if part != NOTHING] or [given]


def _slots(m: Interpreter, part: Value) -> list[Value]:
    if m.may_be(part, Tensor):
        return [part]
    known = element_list(m, part)
    if known is not None:
        return [unnamed(m, value) for value in known]
    container, iterator = m.only(part, Container), m.only(part, Iterator)
    if container is not None:
        return [unnamed(m, value) for value in container.held]
    return [unnamed(m, on_next(m, iterator).element)] if iterator is not None and iterator.used is NO else []


def _is_one(m: Interpreter, ref: Ref) -> bool:
    """Return whether a reference certainly stands for one tensor."""
    thing = m.state.heap.get(ref)
    return type(thing) is Tensor and not thing.is_summary and ref.recency < OLDEST
