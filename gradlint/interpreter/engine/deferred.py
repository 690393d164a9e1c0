"""Code that runs on demand: generators, generator expressions and `map`.

It is followed where it is made. What it does there it does again at each `next`, in between whatever the
program does meanwhile: what it may have changed is not known from then on. And it does so under the circumstances of
runs it: if the grad mode is another by then, or what it reads has changed, what it gives is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain.facts import UNSURE, Truth
from gradlint.domain.fields import Aspect, names_of
from gradlint.domain.items import item_of
from gradlint.domain.mentions import handed_on
from gradlint.domain.objects import (
    MOST_ITEMS,
    Class,
    Container,
    Instance,
    Iterator,
    Module,
    Object,
    Seen,
    Tensor,
)
from gradlint.domain.refs import Ref
from gradlint.domain.state import State
from gradlint.domain.value_sets import one_of, references
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, Context, Value
from gradlint.domain.walks import plain
from gradlint.domain.weakening import DECIDING, NOTICED, SUSPENDED, after_more, after_unseen_code, after_waiting
from gradlint.frozen import replace
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.circumstances import Looked
from gradlint.interpreter.engine.escape import as_it_was, result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter


@dataclass(slots=True)
class Suspended:
    """Code that waits, while it is followed from this state on: what it writes, what it has changed, of which tensors
    the gradient alone (`filled`), and what it looks at. A mode that it sets itself, whoever asks it, is None. `alone`:
    nobody is seen to ask it; whoever does, most likely leaves flags alone. `taken` is with what of that it has given it
    goes on afterwards, `frame` the index of the frame that it runs in."""

    m: Interpreter
    before: State
    grad_mode: Truth | None
    inference: Truth | None
    written: dict[Ref, bool] = field(default_factory=dict)
    changed: set[Ref] = field(default_factory=set)
    filled: set[Ref] = field(default_factory=set)
    looked: Looked = field(default_factory=dict)
    taken: set[Ref] = field(default_factory=set)
    frame: int = 0
    alone: bool = False

    def waits(self) -> None:
        """Note what has been changed so far of what was there before."""
        for ref, thing, old in self._left():
            if ref in self.changed:
                continue
            if self.written.get(ref) or not OF_GRADIENT.issuperset(noticed := _noticed(old, thing)):
                self.changed.add(ref)
            elif noticed or ref in self.written:
                self.filled.add(ref)

    def resumes(self) -> None:
        """Resume the code: meanwhile others may have changed older objects at will."""
        heap = self.m.state.heap
        for ref, thing, _ in self._left():
            heap[ref] = after_waiting(thing)
        self.m.state.names.pop((self.frame, TAKEN_UP), None)

    def reads(self, value: Value) -> None:
        """Go on with an object that it has made itself: if that was given, too, others may have changed it since."""
        names = self.m.state.names
        given = names.get((self.frame, YIELDED))
        if given is None or not (mine := self._made(references(value))):
            return
        known = references(names.get((self.frame, TAKEN_UP), NOTHING))
        others = self._made([*references(given), *self.changed])
        found = [ref for ref in mine if ref in others and ref not in known]
        for ref in found:
            self._weaken(ref)
        for name in (TAKEN, TAKEN_UP) if found else ():
            names[self.frame, name] = one_of([names.get((self.frame, name), NOTHING), *found], MOST_ITEMS)

    def _made(self, roots: Iterable[Ref]) -> dict[Ref, None]:
        """Return its own new objects that others reach by these roots: not by objects that are older and unchanged."""
        heap, found, seen = self.m.state.heap, dict[Ref, None](), set[Ref]()
        todo = [ref for ref in roots if ref in heap and type(heap[ref]) is not Class]
        ends = {ref for ref in self.changed if ref in heap}.union(todo)
        while todo:
            ref = todo.pop()
            seen.add(ref)
            if self._before(ref) is None:
                found[ref] = None
            elif ref not in ends:
                continue
            todo += [other for other in handed_on(heap[ref]) if other in heap and other not in seen]
        self.m.works(len(seen))
        return found

    def _weaken(self, ref: Ref) -> None:
        thing = self.m.state.heap[ref]
        now = after_unseen_code(thing) if type(thing) is Container else after_waiting(thing)
        self.m.state.heap[ref] = as_it_was(thing, now) if self.alone else now

    def ends(self, taken: Value = NOTHING) -> None:
        """End the following of it: what it has not changed itself is as it was. What it went on with after it had given
        that (`taken`) was one thing for whoever asked first and another for those who ask later."""
        self.waits()
        heap = self.m.state.heap
        self.taken |= {ref for ref in references(taken) if ref in heap}
        for ref in references(taken):
            if ref in heap:
                self._weaken(ref)
        for ref, thing in list(heap.items()):
            old, names = self._before(ref), tuple(SUSPENDED[type(thing)])
            if type(old) is not type(thing) or ref in self.changed:
                continue  # what it was not known to be then is no change
            if ref in self.filled:
                names = tuple(name for name in names if name not in OF_GRADIENT)
            if any(getattr(old, n) != getattr(thing, n) for n in names):
                heap[ref] = replace(thing, **{name: getattr(old, name) for name in names})

    def touches(self) -> tuple[Ref, ...]:
        """Return the older objects that it changes, be it more than a gradient."""
        self.waits()
        return tuple(sorted(self.changed | self.taken))

    def fills(self) -> tuple[Ref, ...]:
        """The tensors that were there before of which it changes the gradient alone."""
        self.waits()
        return tuple(sorted(self.filled - self.changed))

    def seen(self) -> Seen:
        """Return the reads of it that others may change."""
        modes = ((("grad mode",), self.grad_mode), (("inference",), self.inference))
        return bounded(
            self.m, (*((mode, Constant(value)) for mode, value in modes if value is not None), *self._observed())
        )

    def _left(self) -> list[tuple[Ref, Object, Object]]:
        """Return the older objects that are left: as they are, and as they were. Code that waits often may make much
        meanwhile, which is not gone over."""
        heap, ground = self.m.state.heap, self.before.ground.of_ref
        refs: Collection[Ref] = heap
        if len(self.before.heap) + len(ground) < len(heap):
            refs = [ref for ref in {**dict.fromkeys(self.before.heap), **dict.fromkeys(ground)} if ref in heap]
        self.m.works(len(refs))
        found = ((ref, heap[ref], self._before(ref)) for ref in refs)
        return [(ref, thing, old) for ref, thing, old in found if old is not None]

    def _before(self, ref: Ref) -> Object | None:
        ground, found = self.before.ground, self.before.heap.get(ref)
        part = ground.of_ref.get(ref) if found is None else None
        return found if part is None else ground.parts[part].heap.get(ref)

    def _observed(self) -> Seen:
        held: list[tuple[tuple[Any, ...], Value]] = []
        alike: dict[tuple[Any, ...], list[Value]] = {}
        for index, (owner, name) in enumerate(self.looked):
            if not isinstance(owner, Ref):
                value = variables.held(self.m, (owner, name))
                held += [] if value is None else [(("name", (owner, name)), value)]
                continue
            ref = plain(owner) if self._before(owner) is None else owner
            thing = None if self._before(ref) is None or ref in self.changed else self.m.state.heap.get(ref)
            if type(thing) is Iterator:
                held += [((*key, index), value) for key, value in thing.seen]
            elif (content := _content(thing, name)) is not None and not (name == "grad" and ref in self.filled):
                held.append((("holds", name, content[0], index), ref))
                held += [(("part", number, index), value) for number, value in enumerate(content[1])]
            elif not name and (like := _like(thing)) is not None:
                alike.setdefault(("like", like), []).append(ref)
        return (*held, *((key, one_of(refs, len(refs))) for key, refs in alike.items()))


YIELDED, TAKEN, TAKEN_UP = "yield", "taken", "taken up"
"""Names in the frame of such code: what it has given so far, what of that it went on with afterwards, and since it
waited last."""
MOST_SEEN = 200
"""The most things that such code has looked at and that are remembered: what looks at iterators looks at all that they
did, and where it is one of those itself there is more of it in each round."""
FORGOTTEN: Seen = ((("forgotten",), Constant(None)),)


def bounded(m: Interpreter, seen: Seen) -> Seen:
    """Return the reads, or an unknown one where there are too many."""
    if len(seen) <= MOST_SEEN:
        return seen
    m.log.exceeded("looked at by code that waits")
    return FORGOTTEN


@contextmanager
def unfinished(m: Interpreter, modes: Collection[Context] = ()) -> Generator[Suspended]:
    """Follow such code inside this block; `modes` are those that it is always run in."""
    grad_mode = None if modes else m.state.grad_mode
    inference = None if any(one.inference is not None for one in modes) else m.state.inference
    followed = Suspended(m, m.fork(), grad_mode, inference, frame=m.frame.id)
    looked, m.effects.looked = m.effects.looked, followed.looked
    m.written.append(followed.written)
    yield followed
    m.written.pop()
    m.effects.looked = looked if looked is None else looked | followed.looked


OF_GRADIENT = frozenset(names_of(Tensor, Aspect.GRADIENT))


def _noticed(old: Object, new: Object) -> list[str]:
    """Return the fields whose change others notice: those neither as they were nor as they might have become."""
    names = NOTICED[type(old)] if old is not new and type(old) is type(new) else ()
    found = [name for name in names if getattr(old, name) != getattr(new, name)]
    later = after_waiting(old) if found else old
    return [name for name in found if getattr(later, name) != getattr(new, name)]


def _like(thing: Object | None) -> object:
    """Return the part of an object that decides on results computed with it; None where nothing does."""
    read = None if thing is None else DECIDING[type(thing)]
    return None if read is None else read(thing)


def _content(thing: Object | None, name: str) -> tuple[object, tuple[Value, ...]] | None:
    """Return the content of a container, or of an object under this name: what there is, and the values; None where
    there is none."""
    if type(thing) is Container:
        return tuple([key for key, _ in thing.items]), (*[value for _, value in thing.items], thing.rest)
    if type(thing) is Tensor and name == "grad":
        return thing.grad, (thing.gradient,)
    if isinstance(thing, (Module, Instance)) and name:
        return None, (item_of(thing.attributes, name, NOTHING),)
    return None


def _of_mode(m: Interpreter, key: Any, value: Value, parts: Mapping[tuple[Any, ...], Value]) -> Iterable[object]:
    now = m.state.grad_mode if key[0] == "grad mode" else m.state.inference
    return () if value == Constant(now) else (key,)


def _of_name(m: Interpreter, key: Any, value: Value, parts: Mapping[tuple[Any, ...], Value]) -> Iterable[object]:
    now = variables.held(m, key[1])
    return () if now is None or now == value else (key,)  # nobody sets the names of a function that has ended


def _of_contents(m: Interpreter, key: Any, value: Value, parts: Mapping[tuple[Any, ...], Value]) -> Iterable[object]:
    _, name, keys, *place = key
    content = _content(m.state.heap.get(value), name) if type(value) is Ref else None
    if content is None or content[0] != keys:
        return (key,)
    return [key for number, part in enumerate(content[1]) if parts.get(("part", number, *place)) != part]


CHANGED: dict[str, Callable[[Interpreter, Any, Value, Mapping[tuple[Any, ...], Value]], Iterable[object]]] = {
    "grad mode": _of_mode,
    "inference": _of_mode,
    "name": _of_name,
    "holds": _of_contents,
    "like": lambda m, key, value, parts: [ref for ref in references(value) if _like(m.state.heap.get(ref)) != key[1]],
    "forgotten": lambda m, key, value, parts: (key,),
}
"""The functions that find changes of the circumstances, by the kind of circumstance."""


def on_next(m: Interpreter, thing: Iterator) -> Iterator:
    """Return an iterator by now. Code that runs under other circumstances than it was followed under may give anything;
    if only the objects that it gives have changed, it may leave some out."""
    parts = dict(thing.seen)
    found = [one for key, value in thing.seen if key[0] in CHANGED for one in CHANGED[key[0]](m, key, value, parts)]
    if not found:
        return thing
    pairs = [value for _, pair in m.all(thing.element, Container) for _, value in pair.items]
    given = {ref for value in (thing.element, *pairs) for ref in references(value)}
    if given.issuperset(found):
        return replace(thing, certain=(), empty=thing.empty | UNSURE)
    now = [variables.held(m, key[1]) or value if key[0] == "name" else value for key, value in thing.seen]
    element = result_of_unknown([thing.element, *now])
    return replace(thing, element=element, listed=UNKNOWN, certain=(), empty=thing.empty | UNSURE)


def resume_again(m: Interpreter, thing: Iterator) -> None:
    """Such code runs on: what it changed where it was followed it may change again."""
    for ref in thing.touches:
        touched = m.state.heap.get(ref)
        if touched is not None and NOTICED[type(touched)]:
            m.store(ref, after_more(touched))
    for ref in thing.fills:
        if type(filled := m.state.heap.get(ref)) is Tensor:
            after = after_unseen_code(filled)
            m.store(ref, replace(filled, **{name: getattr(after, name) for name in OF_GRADIENT}))
