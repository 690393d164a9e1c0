"""Values follow the objects they mention when those change their references."""

from __future__ import annotations

import pytest

from gradlint.domain import (
    NONE_VALUE,
    Bound,
    Class,
    Const,
    Container,
    Function,
    Ground,
    Instance,
    OneOf,
    Ref,
    State,
    Super,
    Unknown,
    Value,
    joined_states,
    one_of,
    references,
    renamed,
)

NEWEST, BEFORE, CLASS, OLD_CLASS = (
    Ref(1, "tensor", 0, 0),
    Ref(1, "tensor", 0, 1),
    Ref(2, "class", 0, 0),
    Ref(2, "class", 0, 1),
)
AGED = {NEWEST: BEFORE, CLASS: OLD_CLASS}
WITH_DEFAULT = Function(node=None, name="f", frame=0, defaults=(("x", NEWEST),))


@pytest.mark.parametrize(
    "value",
    [
        NEWEST,
        OneOf((NEWEST, NONE_VALUE)),
        Unknown((NEWEST,)),
        WITH_DEFAULT,
        Bound(NEWEST, "step"),
        Bound(CLASS, "f", WITH_DEFAULT),
        Super(NEWEST, CLASS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_reference_ages(value: Value) -> None:
    before = references(value)
    assert before
    assert references(renamed(value, AGED)) == tuple(AGED[ref] for ref in before)


def test_what_was_taken_from_the_ground_is_not_forgotten_for_want_of_a_name():
    """A class that only an object mentions stays when the object goes: a name may be asked for it later."""
    cls, one = Ref(1, "class", 0), Ref(2, "instance", 0)
    ground = Ground()
    heap = {cls: Class(None, "Net"), one: Instance(cls=cls)}
    ground.lay({(0, "Net"): cls, (0, "net"): one}, heap, lambda name: False, keeper=0)
    state = State(ground=ground)
    assert state.held((0, "net")) == one and state.heap.keys() == {cls, one}
    state.names[0, "net"] = NONE_VALUE
    state.sweep()
    assert state.held((0, "Net")) == cls and cls in state.heap


def test_what_hangs_together_is_taken_together_and_nothing_else():
    first, second, both, alone = (Ref(site, "list", 0) for site in range(1, 5))
    heap = {
        first: Container("list"),
        second: Container("list"),
        both: Container("list", rest=one_of([first, second])),
        alone: Container("list"),
    }
    ground = Ground()
    names = {(0, "a"): first, (0, "b"): second, (0, "both"): both, (0, "alone"): alone}
    ground.lay(names, heap, lambda name: False, keeper=0)
    state = State(ground=ground)
    state.held((0, "a"))
    assert state.heap.keys() == {first, second, both} and (0, "alone") not in state.names


def test_paths_that_took_different_parts_join_with_what_each_left_alone():
    ground = Ground()
    ground.lay({(0, "a"): Const(1), (0, "b"): Const(2)}, {}, lambda name: False, keeper=0)
    changed, other = State(ground=ground), State(ground=ground)
    changed.held((0, "a"))
    changed.names[0, "a"] = Const(3)
    other.held((0, "b"))
    joined = joined_states([changed, other])
    assert joined.names[0, "a"] == one_of([Const(3), Const(1)]) and joined.held((0, "b")) == Const(2)


@pytest.mark.parametrize(
    ("mine", "its", "known_to_it", "certain"),
    [
        ((NEWEST,), (NEWEST,), True, (NEWEST,)),
        ((NEWEST,), (), True, ()),
        ((NEWEST,), (), False, (NEWEST,)),
        ((), (NEWEST,), True, ()),
    ],
    ids=["on both paths", "left out on one", "made on one", "left out on the other"],
)
def test_what_is_certainly_in_a_list_where_paths_meet(
    mine: tuple[Ref, ...], its: tuple[Ref, ...], known_to_it: bool, certain: tuple[Ref, ...]
) -> None:
    """What both put in, and what one of them made and put in: on the other path there is no such object."""
    owner = Ref(3, "list", 0)
    states = [State(), State()]
    for state, held in zip(states, (mine, its), strict=True):
        state.heap[owner] = Container("list", rest=one_of(held) if held else NONE_VALUE, certain=held)
    for state in states[: 1 + known_to_it]:
        state.heap[NEWEST] = Instance()
    for order in (states, states[::-1]):
        joined = joined_states(order).heap[owner]
        assert isinstance(joined, Container) and joined.certain == certain


def test_an_element_that_only_one_of_two_lists_has_is_not_certain():
    lists = [Container("list", items=((0, NEWEST),)), Container("list", items=((0, NEWEST), (1, CLASS)))]
    states = [State(), State()]
    for state, thing in zip(states, lists, strict=True):
        state.heap[Ref(3, "list", 0)] = thing
        state.heap[NEWEST] = state.heap[CLASS] = Instance()
    joined = joined_states(states).heap[Ref(3, "list", 0)]
    assert isinstance(joined, Container) and joined.certain == (NEWEST,) and joined.rest == one_of([NEWEST, CLASS])
