"""Containers and iterators: what they hold, what iterating over something gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from gradlint.domain.facts import NO, YES, Truth, negation
from gradlint.domain.joining import keys_with, summarised, thinned
from gradlint.domain.objects import MAPPINGS, MOST_ITEMS, MOST_PARAMETERS, Container, Instance, Iterator, Module, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Cause, CauseKind, IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import MOST_ALTERNATIVES, alternatives, key_of, one_of, references, with_certain
from gradlint.domain.values import NOTHING, SLICE, UNKNOWN, Constant, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.deferred import on_next
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.iteration import RESTARTING, SEQUENCES, consume, element_list, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.per_element import current_element
from gradlint.interpreter.python.container_growth import emit_stored
from gradlint.interpreter.static.sites import Site, syntax

CERTAIN, NOT_EMPTY, GET_ITEM = SLOTS[TypeSlot.CERTAIN], SLOTS[TypeSlot.NOT_EMPTY], SLOTS[TypeSlot.GET_ITEM]

SETS = frozenset({"set"})
"""Kinds whose items have no places: that one stands among them says that it is in the set."""
BOUNDED = "bounded deque"
"""A deque that drops elements: none of them has a place of its own, and none is certainly there."""


def container(m: Interpreter, node: Site, kind: str, values: Sequence[Value], part: str = "container") -> Ref:
    """A new sequence of these values; what is more than can be known one by one may be the parameters of networks."""
    if len(values) > MOST_ITEMS:
        most = MOST_PARAMETERS if all(type(value) is Ref for value in values) else MOST_ALTERNATIVES
        return m.new(node, part, Container(kind, rest=one_of(values, most), certain=with_certain((), values)))
    return m.new(node, part, Container(kind, items=tuple(enumerate(values))))


def certain(m: Interpreter, value: Value) -> tuple[Ref, ...]:
    """Return the certain elements of an iteration over a value, by themselves or in a pair; of alternatives those in
    each, and those that no path has on which it is another one."""
    found = [_certain(m, option) for option in alternatives(value)]
    if len(found) < 2:
        return found[0] if found else ()
    each = dict.fromkeys(ref for some in found for ref in some)
    return tuple(ref for ref in each if all(ref in some or m.state.excludes(some, ref) for some in found))


def _certain(m: Interpreter, value: Value) -> tuple[Ref, ...]:
    thing = m.state.heap.get(value) if type(value) is Ref else None
    step = CERTAIN.get(type(thing))
    return () if step is None else step(m, thing)


@implements(TypeSlot.CERTAIN, Container)
def _certain_in_container(m: Interpreter, thing: Container) -> tuple[Ref, ...]:
    return () if thing.kind in MAPPINGS else certain_elements(m, thing)


def certain_elements(m: Interpreter, thing: Container) -> tuple[Ref, ...]:
    """Return the elements that a container certainly holds, by themselves (values, in a mapping) or in a pair. At a
    place of its own stands but one of several tensors that only one handle stands for."""
    held = [value for _, value in thing.items]
    inside = [value for element in held if (pair := m.only(element, Container)) and pair.kind == "tuple"
              for _, value in pair.items]  # fmt: skip
    return with_certain(
        thing.certain, [value for value in (*held, *inside) if not getattr(m.thing(value), "is_summary", False)]
    )


@implements(TypeSlot.CERTAIN, Iterator)
def _certainly_given(m: Interpreter, thing: Iterator) -> tuple[Ref, ...]:
    thing = on_next(m, thing)
    if thing.used is not NO:
        return ()
    source = m.only(thing.source if thing.by in (IteratorKind.VALUES, IteratorKind.ITEMS) else thing.listed, Container)
    return thing.certain if source is None else (*thing.certain, *certain_elements(m, source))


def unpacked(m: Interpreter, node: Site, value: Value, count: int) -> list[Value]:
    """The values that unpacking into `count` targets gives."""
    found = [_unpacked(m, node, option, count) for option in alternatives(value)]
    return [one_of([each[number] for each in found], MOST_ITEMS) for number in range(count)]


def _unpacked(m: Interpreter, node: Site, value: Value, count: int) -> Sequence[Value]:
    """The same of one alternative."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Container and thing.kind in SEQUENCES and len(thing.items) >= count:
        return [element for _, element in thing.items[:count]]
    if (known := element_list(m, value)) is not None and len(known) == count:
        return known
    if type(thing) is Tensor and thing.may_be_structured and not thing.is_summary:
        return _by_number(m, node, value, count)
    return [elements(m, node, value)] * count


def _by_number(m: Interpreter, node: Site, value: Value, count: int) -> list[Value]:
    """The first elements of what may be a tensor or a structure of tensors, each by itself: a fact of one holds of no
    other."""
    start = m.push(value)
    for number in range(count):
        m.push(GET_ITEM[Tensor](m, m.part_of(node, f"element {number}"), m.state.stack[start], Constant(number)))
    return m.pop_from(start)[1:]


def certainly_not_empty(m: Interpreter, value: Value) -> bool:
    """Return whether iterating over a value runs at least once."""
    for option in alternatives(value):
        thing = m.state.heap.get(option) if type(option) is Ref else None
        step = NOT_EMPTY.get(type(thing))
        if step is None or not step(m, thing):
            return False
    return True


@implements(TypeSlot.TRUTH, Container)
def _truth(m: Interpreter, thing: Container) -> Truth:
    return YES if thing.items else Truth.unsure()


@implements(TypeSlot.NOT_EMPTY, Container, Iterator)
def _gives_some(m: Interpreter, thing: Container | Iterator) -> bool:
    return len(thing.items) > 0 if isinstance(thing, Container) else thing.used is NO and on_next(m, thing).empty is NO


def leaves_out(m: Interpreter, value: Value) -> bool:
    """Return whether a value is a generator expression that tests what it gives, and so may give nothing."""
    found = [thing for _, thing in m.all(value, Iterator) if thing.by is IteratorKind.GENEXPR]
    return any(clause.ifs for thing in found for clause in _clauses(thing.causes[0].node.for_in))


def _clauses(clause: cst.CompFor | None) -> list[cst.CompFor]:
    return [] if clause is None else [clause, *_clauses(clause.inner_for_in)]


def rounds_at_least(m: Interpreter, value: Value) -> int:
    """Return the least number of iterations over a value, up to two, whatever happens meanwhile."""
    if not certainly_not_empty(m, value):
        return 0
    return 2 if all(_stays_several(m, option) for option in alternatives(value)) else 1


def _stays_several(m: Interpreter, value: Value) -> bool:
    """Return whether something has more than one element as long as it lives."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Iterator:
        return thing.by in RESTARTING and thing.several is YES
    return type(thing) is Container and thing.kind == "tuple" and len(thing.items) > 1


def length(m: Interpreter, value: Value) -> int | None:
    """Return the number of iterations over a value, as long as what it holds by now does not change; None where that is
    not known, or where a caller may pass something else another time."""
    thing, known = m.only(value, Iterator), element_list(m, value)
    if any(ref.context != m.frame.id for ref in references(value)):
        return None
    return len(known) if known is not None else thing.length if thing is not None else None


def certainly_at_most_one(m: Interpreter, value: Value) -> bool:
    """Return whether iterating over a value runs no more than once, as long as what it holds by now does not grow. What
    a caller passes may be longer another time."""
    known, iterator = element_list(m, value), m.only(value, Iterator)
    if iterator is not None and iterator.by is IteratorKind.GENERATOR and iterator.several is NO:
        return True
    if known is None or len(known) > 1 or any(ref.context != m.frame.id for ref in references(value)):
        return False
    if iterator is not None and iterator.by == "range":
        return False  # who writes that means more
    if iterator is None or m.only(iterator.listed, Container) is None:
        return True
    return any(certainly_at_most_one(m, source) for source in alternatives(iterator.source))


MOST_ITERATORS_DEEP = 4
"""The depth to which an iterator is looked for in what others run over."""


def enter_waiting(m: Interpreter, value: Value, depth: int = MOST_ITERATORS_DEEP) -> bool:
    """Enter the mode in which an iterator waits. Return whether that may be another."""
    found, state = [one for _, one in m.all(value, Iterator)], m.state
    before = state.modes[:2]
    if found and len(found) == len(alternatives(value)):
        state.grad_mode, state.inference = _waits_in(found[0], *before)
    for one in found:
        grad_mode, inference = _waits_in(one, *before)
        state.grad_mode, state.inference = state.grad_mode | grad_mode, state.inference | inference
    inside = [enter_waiting(m, one.source, depth - 1) for one in found if depth]
    return any(inside) or any(mode.may(YES) for one in found for mode in (one.on, one.off, one.inference))


def _waits_in(one: Iterator, grad_mode: Truth, inference: Truth) -> tuple[Truth, Truth]:
    """The modes in which an iterator waits that ran in these."""
    for mode, there in ((one.on, one.on), (one.off, negation(one.off))):
        grad_mode = _set(grad_mode, mode, there)
    return grad_mode, _set(inference, one.inference, one.inference)


def _set(mode: Truth, is_set: Truth, to: Truth) -> Truth:
    """A mode where one of its values is set for certain, perhaps or not at all."""
    return to if is_set is YES else mode | to if is_set.may(YES) else mode


# ---- elements by key


@implements(TypeSlot.GET_ITEM, Container)
def _get_item(m: Interpreter, node: Site, owner: Ref, index: Value) -> Value:
    thing: Container = m[owner]
    if is_slice(index):
        return m.new(node, "slice", sliced(m, owner, thing, index))
    return get_item(m, owner, thing, index)


def get_item(m: Interpreter, ref: Ref, thing: Container, key: Value, missing: Value | None = None) -> Value:
    """`container[key]`; `missing` is what it is where there certainly is no such key."""
    constant = key_of(key)
    missing = Unknown((ref,)) if missing is None else missing
    if constant is None:
        return one_of(thing.held, MOST_ITEMS) if thing.items or thing.rest != NOTHING else missing
    if isinstance(constant, bool) and thing.kind in SEQUENCES:
        constant = int(constant)
    if isinstance(constant, int) and constant < 0 and thing.kind in SEQUENCES and thing.rest == NOTHING:
        constant += len(thing.items)
    for known, value in thing.items:
        if known == constant and type(known) is type(constant):
            return value
    if thing.rest != NOTHING:
        return thing.rest
    return missing


def is_slice(index: Value) -> bool:
    """Return whether an index is a slice, with constant bounds or others."""
    return index == SLICE or (type(index) is Constant and isinstance(index.value, slice))


def sliced(m: Interpreter, ref: Ref, thing: Container, index: Value) -> Container:
    """`container[a:b]`: in order where the bounds and the elements are known."""
    known = element_list(m, ref)
    if known is None or type(index) is not Constant or not isinstance(index.value, slice) or index.value.step == 0:
        return replace(thinned(thing), partial=True)
    return replace(thing, items=tuple(enumerate(known[index.value])))


def is_partial(m: Interpreter, value: Value) -> bool:
    """Return whether an iteration over a value goes over a slice of a container whose elements are not known one by
    one, by themselves or numbered."""
    numbered = [source for _, thing in m.all(value, Iterator) if thing.by is IteratorKind.ENUMERATE
                for source in alternatives(thing.source)]  # fmt: skip
    return any(thing.partial for one in (value, *numbered) for _, thing in m.all(one, Container))


@implements(TypeSlot.SET_ITEM, Container)
def set_item(m: Interpreter, node: Site, owner: Value, key: Value, value: Value) -> None:
    """`container[key] = value`."""
    found = m.all(owner, Container)
    for ref, thing in found:
        emit_stored(m, node, thing, value, at=key)
        if is_slice(key):
            whole, more = thinned(thing), certain(m, value)
            rest = one_of((whole.rest, elements(m, node, value)))
            m.store(ref, replace(whole, rest=rest, certain=more), sure=m.is_strong_update(owner, found))
        else:
            sure = m.is_strong_update(owner, found)
            m.store(ref, stored(thing, key, value), sure=sure)
            for of in thing.attributes_of:
                _set_on(m, node, of, key, value, sure=sure and len(thing.attributes_of) == 1)


def _set_on(m: Interpreter, node: Site, ref: Ref, key: Value, value: Value, *, sure: bool) -> None:
    """Set on an object what is stored in the dict of its attributes; under a key that is not known, any of them."""
    thing = m.state.heap.get(ref)
    if not isinstance(thing, (Module, Instance)):
        return
    name = key_of(key)
    if isinstance(name, str):
        SLOTS[TypeSlot.SET_ATTRIBUTE][type(thing)](m, node, ref, name, value, sure)
    else:
        either = tuple((known, one_of((held, value))) for known, held in thing.attributes)
        others = {"rest": one_of((thing.rest, value), MOST_ITEMS)} if type(thing) is Module else {}
        m.store(ref, replace(thing, attributes=either, **others))


def stored(thing: Container, at: Value, value: Value) -> Container:
    """The container with a value under a key; where that is no constant it may be under any."""
    key, known = key_of(at), dict(thing.items)
    if key is None and all(key_of(option) in known for option in alternatives(at)):
        more = {k: one_of((known[k], value)) for option in alternatives(at) if (k := key_of(option)) is not None}
        return replace(thing, items=tuple((known | more).items()))
    if key is None or len(thing.items) >= MOST_ITEMS:
        every = tuple((k, one_of((v, value))) for k, v in thing.items)
        if thing.kind in SEQUENCES and thing.items and thing.rest == NOTHING:
            return replace(thing, items=every)  # an index never adds an element
        keys = one_of([keys_with(thing, ()), at])
        here = with_certain((), [value])  # what it takes the place of is not there any more
        return replace(thing, items=every, rest=one_of((thing.rest, value)), keys=keys, certain=here)
    items = dict(thing.items)
    if key not in items and thing.kind in SEQUENCES:
        whole = thinned(thing)
        return replace(whole, rest=one_of((whole.rest, value)), certain=with_certain((), [value]))
    items[key] = value
    return replace(thing, items=tuple(items.items()), certain=())


def appended(thing: Container, value: Value) -> Container:
    """The sequence with one more element at its end, the set with one more constant."""
    if thing.rest == NOTHING and len(thing.items) < MOST_ITEMS:
        if thing.kind in SETS and any(value == known for _, known in thing.items):
            return thing
        if thing.kind in SEQUENCES or (thing.kind in SETS and key_of(value) is not None):
            return replace(thing, items=(*thing.items, (len(thing.items), value)))
    return with_more(thing, value, with_certain((), [value]))


def with_more(thing: Container, element: Value, more: Iterable[Ref]) -> Container:
    """The container with more elements, among which these certainly are."""
    whole = summarised(thing)
    there = () if thing.kind == BOUNDED else with_certain(whole.certain, more)
    objects = all(type(one) is Ref for value in (whole.rest, element) for one in alternatives(value))
    most = MOST_PARAMETERS if objects else MOST_ITEMS
    return replace(whole, rest=one_of((whole.rest, element), most), certain=there)


@implements(TypeSlot.DELETE_ITEM, Container)
def delete_item(m: Interpreter, owner: Value, key: Value) -> None:
    """`del container[key]`."""
    found = m.all(owner, Container)
    for ref, thing in found:
        m.store(ref, without(thing, key_of(key)), sure=m.is_strong_update(owner, found))


def discarded(thing: Container, value: Value) -> Container:
    """The sequence or set after an element that equals this was taken out, of constants the one; others may equal
    anything."""
    held = [known for _, known in thing.items]
    if thing.rest != NOTHING or any(key_of(known) is None for known in (value, *held)):
        return thinned(thing)
    wanted = key_of(value)
    at = next((number for number, known in enumerate(held) if key_of(known) == wanted), len(held))
    return replace(thing, items=tuple(enumerate(held[:at] + held[at + 1 :])))


def without(thing: Container, key: object | None) -> Container:
    """The container after the element under a key was taken out; without a constant key it may be any."""
    if thing.kind in MAPPINGS:
        if key is None:
            return thinned(thing)
        return replace(thing, items=tuple((k, v) for k, v in thing.items if k != key), certain=())
    count = len(thing.items)
    if thing.rest != NOTHING or type(key) is not int or not -count <= key < count:
        return thinned(thing)
    kept = [value for index, value in thing.items if index != key % count]
    return replace(thing, items=tuple(enumerate(kept)))


def append(m: Interpreter, node: Site, owner: Value, value: Value) -> None:
    """`owner.append(value)`."""
    found = m.all(owner, Container)
    for ref, thing in found:
        emit_stored(m, node, thing, value)
        hand = current_element(m, value)
        new = with_more(thing, value, hand) if hand else appended(thing, value)
        m.store(ref, new, sure=m.is_strong_update(owner, found))


def insert(m: Interpreter, node: Site, ref: Ref, value: Value, at: object | None) -> None:
    """`owner.insert(at, value)`; without a constant index the value may be anywhere."""
    thing: Container = m[ref]
    emit_stored(m, node, thing, value)
    if type(at) is not int or thing.rest != NOTHING or len(thing.items) >= MOST_ITEMS:
        m.store(ref, with_more(thing, value, with_certain((), [value])))
        return
    values = [v for _, v in thing.items]
    values.insert(at, value)
    m.store(ref, replace(thing, items=tuple(enumerate(values))))


def extend(m: Interpreter, node: Site, owner: Value, more: Value) -> None:
    """`owner.extend(more)`, `owner += more`."""
    found = m.all(owner, Container)
    known, there = element_list(m, more), certain(m, more)
    for ref, thing in found:
        new = thing
        if known is not None:
            for value in known:
                emit_stored(m, node, thing, value, among=True)
                new = appended(new, value)
        else:
            new = with_more(thing, elements(m, node, more), there)
        m.store(ref, new, sure=m.is_strong_update(owner, found))
    consume(m, node, more, "extend")


def with_all(thing: Container, other: Container) -> Container:
    """The mapping with all that another one has."""
    for key, value in other.items:
        thing = stored(thing, Constant(key), value)
    return stored(thing, other.keys, other.rest) if other.rest != NOTHING else thing


def merge(m: Interpreter, node: Site, owner: Value, more: Value) -> None:
    """`owner.update(more)` of mappings."""
    found = m.all(owner, Container)
    other = m.only(more, Container)
    for ref, thing in found:
        if other is not None and other.kind in MAPPINGS:
            new = with_all(thing, other)
        else:
            new = replace(thing, rest=UNKNOWN, keys=UNKNOWN, certain=())
        m.store(ref, new, sure=m.is_strong_update(owner, found))


@implements(TypeSlot.NEXT, Container)
def _of_container(m: Interpreter, node: Site, value: Value, thing: Container) -> Value:
    if thing.kind in MAPPINGS:
        return keys_of(thing)
    return one_of(thing.held, MOST_ITEMS)


def keys_of(thing: Container) -> Value:
    """Return the keys of a mapping."""
    if thing.items and thing.rest == NOTHING:
        return one_of([Constant(key) for key, _ in thing.items], MOST_ITEMS)
    return keys_with(thing, (key for key, _ in thing.items))


def copied(m: Interpreter, node: Site, thing: Container) -> Container:
    """A mapping that tells where it was filled with what another holds (of a state dict more is known)."""
    if thing.origin:
        return thing
    held = [option for value in thing.held for option in alternatives(value)]
    tensors = [m.state.heap.get(option) if type(option) is Ref else option for option in held if option != NOTHING]
    leaves = all(type(one) is Tensor and (one.leaf is YES or one.requires_grad is NO) for one in tensors)
    others = [mark for mark in thing.causes if mark.kind != CauseKind.COPIED]
    return replace(
        thing, causes=(*others, Cause(CauseKind.COPIED, syntax(node), "leaves" if leaves else ""))[-MOST_CAUSES:]
    )
