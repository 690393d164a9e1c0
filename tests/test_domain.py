"""Values follow the objects they mention when those change their references; fields declare what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from gradlint.domain import (
    ANY_GRAD,
    NO,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    YES,
    Bound,
    Class,
    Constant,
    Container,
    Fact,
    Function,
    Ground,
    Instance,
    Object,
    OneOf,
    Ref,
    State,
    Super,
    Tensor,
    Truth,
    Unknown,
    Value,
    handed_on,
    joined,
    joined_states,
    object_references,
    object_renamed,
    one_of,
    references,
    renamed,
    value_sets,
    with_certain,
)
from gradlint.domain.fields import (
    After,
    Aspect,
    Join,
    Key,
    declarations,
    declared,
    fixed,
    heap_object,
    names_of,
    unknown,
)
from gradlint.domain.objects import Cell
from gradlint.domain.weakening import RARELY, after_more, after_unseen_code, after_waiting
from gradlint.frozen import replace
from gradlint.interpreter.engine.call_keys import Given
from gradlint.interpreter.engine.circumstances import LoopNest
from gradlint.interpreter.engine.deferred import _like, _noticed
from gradlint.knowledge.shapes.element_count import RESIZING
from gradlint.testing.diary import Diary
from gradlint.testing.programs import real

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
    ground.lay({(0, "a"): Constant(1), (0, "b"): Constant(2)}, {}, lambda name: False, keeper=0)
    changed, other = State(ground=ground), State(ground=ground)
    changed.held((0, "a"))
    changed.names[0, "a"] = Constant(3)
    other.held((0, "b"))
    joined = joined_states([changed, other])
    assert joined.names[0, "a"] == one_of([Constant(3), Constant(1)]) and joined.held((0, "b")) == Constant(2)


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


# ---- fields declare what follows from them


@heap_object()
class Sparse(Tensor):
    """A tensor of which more is known: nothing else speaks of its fields."""

    sparse: Truth = declared(UNSURE, suspended=After.UNSURE, unseen=After.ONE_WAY, of=Aspect.LAYOUT, decides=True)
    patterns: tuple[Ref, ...] = fixed((), join=Join.ALTERNATIVES, shared=True)
    blocks: Value = declared(UNKNOWN, join=Join.VALUE, suspended=After.KEPT, unseen=After.FORGOTTEN, rarely=True)


def test_a_new_field_joins():
    joined_both = joined(Sparse(sparse=YES, patterns=(NEWEST,)), Sparse(sparse=NO, patterns=(CLASS,), blocks=BEFORE))
    assert joined_both == Sparse(sparse=YES | NO, patterns=(NEWEST, CLASS), blocks=joined_both.blocks)
    assert joined(Sparse(blocks=NEWEST), Sparse(blocks=BEFORE)).blocks == one_of([NEWEST, BEFORE])


@pytest.mark.parametrize(
    "thing", [Sparse(sparse=YES), Sparse(patterns=(NEWEST,)), Sparse(patterns=(CLASS,)), Sparse(blocks=Constant(1))]
)
def test_a_new_field_is_in_the_key_of_a_call(thing: Sparse) -> None:
    assert key_of(thing) != key_of(Sparse()) and key_of(thing) == key_of(replace(thing))


def test_what_a_new_field_refers_to_is_in_the_key_of_a_call():
    one, other = Tensor(leaf=YES), Tensor(leaf=NO)
    assert key_of(Sparse(blocks=CLASS), one) == key_of(Sparse(blocks=CLASS), replace(one))
    assert key_of(Sparse(blocks=CLASS), one) != key_of(Sparse(blocks=CLASS), other)


def key_of(thing: Sparse, held: Object | None = None) -> object:
    """What the key of a call has of an argument, which may refer to `CLASS`."""
    it: Any = SimpleNamespace(
        state=SimpleNamespace(heap={OLD_CLASS: thing, CLASS: held or Instance()}), loops=LoopNest()
    )
    return Given(it).key(OLD_CLASS)


@pytest.mark.parametrize(
    ("after", "fact"), [(after_waiting, YES | UNSURE), (after_more, YES | UNSURE), (after_unseen_code, YES)]
)
def test_others_change_of_a_new_field_what_it_declares(after: Callable[[Sparse], Sparse], fact: Truth) -> None:
    known = Sparse(sparse=YES, patterns=(NEWEST,), blocks=NEWEST)
    left = after(known)
    assert (left.sparse, left.patterns) == (fact, (NEWEST,))
    assert left.blocks == (UNKNOWN if after is after_unseen_code else NEWEST)
    assert after(Sparse(sparse=NO)).sparse == NO | UNSURE


def test_code_that_waits_notices_that_a_new_field_has_changed():
    assert _noticed(Sparse(sparse=NO), Sparse(sparse=YES)) == ["sparse"]
    assert _noticed(Sparse(sparse=NO), Sparse(sparse=NO | UNSURE)) == []  # as others may have left it
    assert _noticed(Sparse(), Sparse(blocks=NEWEST)) == ["blocks"]
    assert _like(Sparse(sparse=NO)) != _like(Sparse(sparse=YES))
    assert _like(Sparse()) == _like(Sparse(patterns=(NEWEST,)))


def test_most_unseen_code_leaves_alone_what_a_new_field_says_it_does():
    assert set(RARELY[Sparse]) - set(RARELY[Tensor]) == {"blocks"}


def test_what_is_not_known_of_a_layout_is_so_of_a_new_field_of_it():
    assert unknown(Sparse, Aspect.LAYOUT) == unknown(Tensor, Aspect.LAYOUT) | {"sparse": UNSURE}
    assert "sparse" not in unknown(Sparse, Aspect.SIZE)


def test_what_a_new_field_refers_to_is_followed():
    thing = Sparse(patterns=(NEWEST,), blocks=CLASS)
    assert object_references(thing) == (NEWEST, CLASS) and handed_on(thing) == (CLASS,)
    assert object_renamed(thing, AGED) == Sparse(patterns=(BEFORE,), blocks=OLD_CLASS)


def test_a_field_that_declares_nothing_is_refused():
    class ImportPath(Cell):
        layout: Truth = UNSURE

    with pytest.raises(TypeError, match=r"`ImportPath\.layout` does not declare how it joins"):
        heap_object()(ImportPath)


@pytest.mark.parametrize(
    ("default", "more", "message"),
    [
        ("", {}, "must declare how it joins"),
        ((), {}, "must declare how it joins"),
        ("", {"join": Join.AGREE, "unseen": After.UNSURE}, "cannot be UNSURE"),
        (ANY_GRAD, {"unseen": After.ONE_WAY}, "cannot be ONE_WAY"),
        (UNKNOWN, {"join": Join.VALUE, "suspended": After.ONE_WAY}, "cannot be ONE_WAY"),
        (UNSURE, {"key": Key.NUMBERED}, "cannot be NUMBERED"),
        ("", {"join": Join.AGREE, "key": Key.DESCRIBED}, "cannot be DESCRIBED"),
        (UNSURE, {"unseen": After.REACHED}, "cannot be REACHED"),
    ],
)
def test_a_field_that_cannot_be_what_it_declares_is_refused(default: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        declared(default, **{"suspended": After.KEPT, "unseen": After.KEPT} | more)


@pytest.mark.parametrize("missing", ["suspended", "unseen"])
def test_a_field_says_who_may_change_it(missing: str) -> None:
    says = {"suspended": After.KEPT, "unseen": After.KEPT}
    del says[missing]
    with pytest.raises(TypeError, match=missing):
        declared(UNSURE, **says)


@pytest.mark.parametrize("cls", get_args(Object))
def test_an_object_that_others_had_is_not_changed_again(cls: type) -> None:
    """What is still known does not depend on how often they had it; and nothing is known that was not before."""
    thing = made(cls)
    for after in (after_unseen_code, after_waiting, after_more):
        left = after(thing)
        assert after(left) == left and joined(thing, left) == left


def made(cls: type) -> Any:
    """An object of which as much is known as can be."""
    known: dict[str, Any] = {}
    for one, says in declarations(cls):
        if says.join is Join.FACT:
            known[one.name] = type(one.default).of(1) if isinstance(one.default, Fact) else one.default
        elif one.default is MISSING:
            known[one.name] = "list"
    return cls(**known)


def test_every_field_of_a_tensor_is_of_its_type_or_its_handle_or_tells_where_it_came_from():
    groups = [set(names_of(Tensor, aspect)) for aspect in (Aspect.TYPE, Aspect.HANDLE, Aspect.PROVENANCE)]
    assert sum(map(len, groups)) == len(set().union(*groups)) == len(fields(Tensor))


def test_what_an_operation_leaves_open_of_sizes_is_layout():
    assert {name for names in RESIZING.values() for name in names} <= set(names_of(Tensor, Aspect.LAYOUT))


def test_every_fact_of_a_type_is_compared_with_torch():
    torch = pytest.importorskip("torch")
    computed = torch.ones(2, requires_grad=True) * 2
    assert set(names_of(Tensor, Aspect.TYPE)) <= real(computed, Diary()).keys()


def _refs(*numbers: int) -> list[Ref]:
    return [Ref(number, "", 0) for number in numbers]


def test_what_grows_piece_by_piece_reaches_what_it_would_at_once():
    grown: list[Any] = [Unknown(tuple(_refs(*range(value_sets.FEW_REACHED))))]
    for number in range(300):  # from the tip and from older values, with what is known, new and known to another
        older = grown[-1 - number % 4]
        pieces = [older, *_refs(number % 150, 40 + number, 40 + number * 7 % 300)]
        grown.append(one_of(pieces, 2))
        assert grown[-1] == Unknown(tuple(dict.fromkeys((*older.reach, *pieces[1:]))))
    twice = Unknown(tuple(_refs(*range(80), *range(80))))
    assert one_of([twice, *_refs(3, 90)]).reach == tuple(_refs(*range(80), 90))


def test_of_very_many_certain_elements_no_more_are_noted():
    many = _refs(*range(value_sets.MOST_CERTAIN))
    assert with_certain(many[:-1], many) == tuple(many) == with_certain(many, _refs(-1))
