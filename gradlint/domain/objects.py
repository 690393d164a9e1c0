"""Objects: what has an identity and lives on the heap.

Objects are immutable; changing one means putting another in its place. Each field declares what follows from it
(`gradlint.domain.fields`). A class whose objects are in the key of a call as references says so (`key`) for all its
fields: what such an object holds must be as it was.

A tensor is three things: the handle (`Tensor`: flags and `.grad`), the memory (only a reference,
shared by views, `.data`, `.detach()`, `state_dict()` and NumPy arrays) and the graph node (`Node`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Container as Holding
from dataclasses import MISSING, fields
from enum import IntEnum
from functools import partial
from operator import attrgetter, or_
from typing import Any, ClassVar, TypeVar

from gradlint.domain.facts import (
    ANY_DEVICE,
    ANY_DTYPE,
    ANY_GRAD,
    ANY_MODE,
    ANY_PRECISION,
    NO,
    UNSURE,
    YES,
    Device,
    Dtypes,
    Grad,
    Mode,
    Precision,
    Stage,
    Truth,
    Unit,
)
from gradlint.domain.fields import (
    REFERRING,
    After,
    Aspect,
    Join,
    Key,
    PerClass,
    declarations,
    declared,
    fixed,
    heap_object,
)
from gradlint.domain.values import (
    CONTEXT_BITS,
    MOST_MARKS,
    NOTHING,
    OPAQUE,
    UNKNOWN,
    Const,
    Mark,
    Origin,
    Plain,
    Ref,
    Slot,
    Syntax,
    Value,
    one_of,
    references,
    renamed,
)
from gradlint.frozen import frozen, replace

MOST_ITEMS = 64


class Belief(IntEnum):
    """How we came to know what kind of thing something is; the highest is the weakest."""

    PROVEN = 0
    ANNOTATED = 1
    BY_USE = 2
    BY_NAME = 3


REFERENCE = "reference"
"""The key of a class whose objects stand for themselves."""


_used = partial(declared, suspended=After.UNSURE, unseen=After.UNSURE)
"""A fact that changes with use: by whoever goes on while code waits, and by unseen code."""
_forgotten = partial(declared, suspended=After.FORGOTTEN, unseen=After.FORGOTTEN)
"""The same for what is no fact."""
_asked = partial(_used, rarely=True)
"""The same for one that most unseen code leaves alone."""
_of_memory = partial(declared, suspended=After.UNSURE, unseen=After.KEPT, decides=True)
"""What depends on the memory that a tensor has by then (`module.double()`, `x.unsqueeze_(0)`): code of the program may
give it other memory, which unseen code is trusted not to do."""
_grown = partial(declared, suspended=After.KEPT, unseen=After.UNSURE)
"""A fact that unseen code may change."""
_begun = partial(declared, suspended=After.KEPT, unseen=After.ONE_WAY)
"""A fact that unseen code may make certain, and nothing makes false again."""
_elements = partial(declared, suspended=After.THINNED, unseen=After.FORGOTTEN)
"""What tells of the elements of a container."""
_alternatives = partial(fixed, join=Join.ALTERNATIVES)
_parts = partial(fixed, join=Join.PARTS)
_items = partial(fixed, join=Join.ITEMS)
_value = partial(fixed, join=Join.VALUE)
_certain = partial(fixed, join=Join.CERTAIN)
_names = partial(fixed, frozenset(), join=Join.NAMES)
_marks = partial(fixed, (), join=Join.MARKS)
_agreed = partial(fixed, join=Join.AGREE)

Items = tuple[tuple[object, Value], ...]
"""Values by constant key, in order of insertion."""
Seen = tuple[tuple[tuple[Any, ...], Value], ...]
"""What code that waits was followed under, by what of it that is (`interpreter.engine.deferred`)."""


class Cell:
    """Whatever lives on the heap; remembers which others it mentions and where those were made: that is asked often."""

    __slots__ = ("_handed_on", "_mentions", "_origins")

    _handed_on: tuple[Ref, ...]
    _mentions: tuple[Ref, ...]
    _origins: frozenset[Origin]


@heap_object()
class Tensor(Cell):
    """A tensor's handle.

    `precision` and `device` are known only where the program says them or torch's default holds. `scalar` is whether
    it has one element, `planar` whether it has at most two dimensions, `size` how large it is in each (None: not
    known), `contiguous` whether its elements lie one after the other, as torch's `is_contiguous()` says.

    `storage` are the memories it may use, `node` the graph nodes that may have made it (None among them where
    it may have been recorded by none), `base` the tensors it may be a view of (None among them where it may be
    no view), `made` the operation or factory that made it, `grad_of` the tensors from whose `.grad` it was
    computed; `overwritten` says whether its memory was
    written through another handle since this one was made; `unwritable` whether it is a view that was made with
    gradients off, or at once with others, so that torch refuses a write that is recorded; `showing` whether it is a
    view that may be a leaf though it requires grad, for it shows the flag of what it is a view of (made with gradients
    off, or before that was asked); `hooks` are the functions that may be called when a gradient arrives, by kind.
    `unseen` says whether code that is not shown may have had it, or what was computed from it, and so made graphs
    that lead to it.
    `squashed` is the operation that made its elements probabilities, if nothing but moving, casting and selecting was
    done to them since. `alone`: torch counts the writes through it by themselves, though others are on its memory
    (`.data`); `count` is what it counts them by, which views and `.detach()` share, whatever memory they are given
    later (None among them, or none at all: nobody knows). `many`: it stands for several tensors; `loose`: it may as
    well be a tuple, a dict or an object of tensors with these facts (the result of a module of an unknown class).
    """

    dtype: Dtypes = fixed(ANY_DTYPE, of=Aspect.TYPE, decides=True)
    precision: Precision = _of_memory(ANY_PRECISION, of=Aspect.MEMORY)
    device: Device = _of_memory(ANY_DEVICE, of=Aspect.MEMORY)
    requires_grad: Truth = _asked(UNSURE, of=Aspect.HANDLE, decides=True)
    leaf: Truth = _asked(UNSURE, of=Aspect.HANDLE, decides=True)
    retains: Truth = _asked(UNSURE, of=Aspect.HANDLE)
    parameter: Truth = fixed(UNSURE, of=Aspect.HANDLE)
    unseen: Truth = _used(UNSURE, of=Aspect.HANDLE)
    inference: Truth = _of_memory(UNSURE, of=Aspect.MEMORY)
    scalar: Truth = _of_memory(UNSURE, of=Aspect.SIZE)
    planar: Truth = _of_memory(UNSURE, of=Aspect.SIZE)
    contiguous: Truth = _of_memory(UNSURE, of=Aspect.LAYOUT)
    size: tuple[int, ...] | None = _of_memory(None, join=Join.AGREE, suspended=After.FORGOTTEN, of=Aspect.SIZE)
    grad: Grad = _used(ANY_GRAD, of=Aspect.GRADIENT)
    unit: Unit = _used(Unit.unsure(), of=Aspect.GRADIENT)
    overwritten: Truth = fixed(NO, of=Aspect.HANDLE)
    unwritable: Truth = fixed(UNSURE, of=Aspect.HANDLE)
    showing: Truth = fixed(NO, of=Aspect.HANDLE)
    alone: Truth = fixed(NO, of=Aspect.HANDLE)
    count: Slot = fixed((), join=Join.PERHAPS, key=Key.NUMBERED, shared=True, of=Aspect.HANDLE)
    storage: tuple[Ref, ...] = _alternatives((), key=Key.NUMBERED, shared=True, of=Aspect.HANDLE)
    node: Slot = fixed((), join=Join.PERHAPS, key=Key.NUMBERED, of=Aspect.HANDLE)
    base: Slot = fixed((), join=Join.PERHAPS, of=Aspect.HANDLE)
    grad_of: tuple[Ref, ...] = _alternatives((), shared=True, of=Aspect.PROVENANCE)
    gradient: Value = _forgotten(UNKNOWN, join=Join.VALUE, of=Aspect.GRADIENT)
    hooks: Items = _items((), of=Aspect.HANDLE)
    made: str = _agreed("", of=Aspect.PROVENANCE)
    squashed: str = _agreed("", of=Aspect.PROVENANCE)
    many: bool = _agreed(False, of=Aspect.PROVENANCE)
    loose: bool = _agreed(False, of=Aspect.PROVENANCE)
    belief: Belief = fixed(Belief.PROVEN, of=Aspect.PROVENANCE)
    marks: tuple[Mark, ...] = _marks(of=Aspect.PROVENANCE)

    def __str__(self) -> str:
        shown = [str(self.dtype), f"requires_grad={self.requires_grad}", f"leaf={self.leaf}"]
        if self.retains.possibly(Truth.named("yes")):
            shown.append(f"retains_grad={self.retains}")
        return f"Tensor[{', '.join(shown)}]"


@heap_object()
class Node(Cell):
    """One recorded operation of the graph.

    `inputs` are its operands and `saves` the memories it keeps for backward, and the counts of writes that torch
    compares then where these are not those of the memories, part by part; an input is a Node, a leaf Tensor, None
    (nothing recorded) or `OPAQUE`. `freed`: a backward has been through; `swept`: and through all that lies behind
    it; `stale`: a saved memory was written and torch will notice; `corrupt`: it was written unnoticed; `grows`: its
    history certainly holds an older node of its own site; `reached`: a backward has differentiated through it.
    `marks` are the places that freed it ("freed") or went through and kept it ("kept", the last one), or wrote what
    it had saved: "written" in place, "stepped" by an optimizer, "loaded" into a module, "hidden" from torch.
    """

    key: ClassVar[str] = REFERENCE
    op: str = _agreed()
    at: Syntax = _agreed()
    inputs: tuple[Slot, ...] = _parts(())
    saves: tuple[Slot, ...] = _parts(())
    freed: Truth = _begun(NO, of=Aspect.LACKING_NOTICED)
    swept: Truth = fixed(NO)
    stale: Truth = fixed(NO, of=Aspect.LACKING_NOTICED)
    corrupt: Truth = fixed(NO, of=Aspect.LACKING)
    grows: Truth = fixed(NO)
    reached: Truth = _grown(NO)
    marks: tuple[Mark, ...] = _marks()


@heap_object()
class Module(Cell):
    """An nn.Module. `cls` is what it is an instance of (a Named path or a Class), `attributes` all that was
    set on it by name (submodules, parameters, plain attributes), `rest` stands for all parts that have no name
    of their own here (`NOTHING`: there are certainly none), of which it certainly has those that are `certain`;
    `absent` are the names of attributes that were set on some paths alone;
    `buffers` are the names that were registered as buffers, with Const(True) where the state dict has them; `open` says
    whether it may have parts that were not seen, `initialised` whether `Module.__init__` has run on it, `unbuilt`
    whether its `__init__` was not followed, so that its methods would find next to nothing on it; `hooks` are the
    functions that may be called around it, by kind.
    """

    key: ClassVar[str] = REFERENCE
    cls: Value = _value(UNKNOWN)
    attributes: Items = _items(())
    rest: Value = _value(NOTHING)
    certain: tuple[Ref, ...] = _certain(())
    buffers: Items = _items(())
    mode: Mode = _used(ANY_MODE, decides=True)
    open: Truth = _grown(UNSURE, rarely=True)
    initialised: Truth = _begun(YES, rarely=True)
    unbuilt: Truth = fixed(NO)
    holder: str = _agreed("")
    hooks: Items = _items(())
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Module[{_cls(self.cls)}, mode={self.mode}]"


@heap_object()
class Optimizer(Cell):
    """An optimizer: `groups` are the parameters it was given, part by part; `open` says whether it may hold others,
    `held_back` whether its `step()` and `zero_grad()` may do nothing (a wrapper that accumulates gradients), `stepped`
    whether it has stepped yet, `stage` where it stands with its GradScaler; `options` are the constants it was made
    with (`lr`, `momentum`), `differentiable` whether its steps are recorded, and `recorded` what they are then made of;
    `listing` is its `param_groups`. Of a class of the program `cls` is that class and `attributes` what was set on
    it."""

    key: ClassVar[str] = REFERENCE
    kind: str = _agreed("")
    groups: tuple[Slot, ...] = _parts(())
    open: Truth = _grown(UNSURE, rarely=True)
    held_back: Truth = fixed(NO)
    stepped: Truth = _used(UNSURE)
    stage: Stage = _asked(Stage.unsure())
    options: Items = _items((), unseen=After.FORGOTTEN, rarely=True)
    differentiable: Truth = fixed(NO)
    recorded: Value = _value(NOTHING)
    listing: Value = _value(NOTHING)
    cls: Value = _value(UNKNOWN)
    attributes: Items = _items(())
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Optimizer[{self.kind or '?'}]"


@heap_object()
class Scaler(Cell):
    """A GradScaler. `enabled` is what it was asked to be: where its device is missing torch switches it off. `begun`
    says whether it has scaled anything yet, `optimizers` are those it has unscaled or stepped, `storage` is the
    memory of its factor, which `update()` writes in place."""

    key: ClassVar[str] = REFERENCE
    enabled: Truth = fixed(UNSURE)
    begun: Truth = _grown(UNSURE)
    optimizers: tuple[Ref, ...] = _alternatives(())
    storage: tuple[Ref, ...] = _alternatives(())
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()

    def __str__(self) -> str:
        return f"Scaler[enabled={self.enabled}]"


@heap_object()
class Scheduler(Cell):
    """What sets the learning rates of an optimizer; `optimizers` are those it may be."""

    key: ClassVar[str] = REFERENCE
    kind: str = _agreed("")
    optimizers: tuple[Ref, ...] = _alternatives(())
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()

    def __str__(self) -> str:
        return f"Scheduler[{self.kind or '?'}]"


@heap_object()
class Container(Cell):
    """A list, tuple, set, dict ...: values by constant key or index, and `rest` for all others (`NOTHING`: there
    are certainly no others), among which those that are `certain` certainly are. `keys` is what the keys of those
    others are in a mapping; `cls` is the class of a named tuple, whose fields name the items; `origin` is the
    module whose `state_dict()` it is."""

    kind: str = _agreed()
    items: Items = _elements((), join=Join.ITEMS)
    rest: Value = _elements(NOTHING, join=Join.VALUE, unseen=After.REACHED)
    origin: tuple[Ref, ...] = _alternatives((), shared=True)
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()
    keys: Value = _elements(UNKNOWN, join=Join.VALUE)
    cls: Value = _value(NOTHING)
    certain: tuple[Ref, ...] = _elements((), join=Join.CERTAIN)

    def __str__(self) -> str:
        return self.kind or "container"  # joined from two kinds it is of none


MAPPINGS = frozenset({"dict", "OrderedDict", "defaultdict", "Counter", "state_dict"})


@heap_object()
class Iterator(Cell):
    """Something consumed by iterating once; `used` says whether that happened, `empty` and `several` whether it gives
    nothing or more than one (of one that was asked once: still gives), `length` how many it gives, `source` what it
    runs over, `listed` a list of all it gives, in order, where that is known, `certain` what it certainly gives, by
    itself or in a pair, `returned` what a generator gives to who delegates to it; `touches` what it may change later,
    `fills` tensors of which it may change the gradient and nothing else, `seen` the circumstances under which the code
    was followed that runs when it is asked; `on`, `off` and `inference` whether a block in which it waits has set that
    mode, and so for whoever has asked it."""

    key: ClassVar[str] = REFERENCE
    element: Value = _value(UNKNOWN)
    source: Value = _value(UNKNOWN)
    by: str = _agreed("")
    used: Truth = _begun(NO)
    empty: Truth = fixed(UNSURE)
    several: Truth = fixed(UNSURE)
    length: int | None = _agreed(None)
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()
    listed: Value = _value(NOTHING)
    certain: tuple[Ref, ...] = _certain(())
    returned: Value = _value(UNKNOWN)
    touches: tuple[Ref, ...] = _alternatives(())
    fills: tuple[Ref, ...] = _alternatives(())
    seen: Seen = _items((), shared=True)
    on: Truth = fixed(NO)
    off: Truth = fixed(NO)
    inference: Truth = fixed(NO)

    def __str__(self) -> str:
        return f"Iterator[{self.by}]"


@heap_object()
class Array(Cell):
    """A NumPy array and the memory it may share with a tensor, of which it was then "made"."""

    key: ClassVar[str] = REFERENCE
    dtype: Dtypes = fixed(ANY_DTYPE)
    storage: tuple[Ref, ...] = _alternatives((), shared=True)
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()

    def __str__(self) -> str:
        return f"Array[{self.dtype}]"


@heap_object()
class Class(Cell):
    """A class written in the program: its members, bases in order, and the attribute names that its methods read
    off `self` (`reads`); `open` says whether some base is not known. `kind` is "dataclass", "named tuple", "typed
    dict", "enum" or "made by its metaclass" where calling it does what no method of the class says; `fields` are then
    the names it takes, each with its default (`NOTHING`: none)."""

    key: ClassVar[str] = REFERENCE
    node: Syntax = _agreed()
    name: str = _agreed()
    bases: tuple[Value, ...] = fixed((), join=Join.VALUES)
    members: Items = _items(())
    reads: frozenset[str] = _agreed(frozenset())
    module: Truth = fixed(UNSURE)
    open: Truth = fixed(UNSURE)
    kind: str = _agreed("")
    fields: Items = _items(())

    def __str__(self) -> str:
        return f"class {self.name}"


@heap_object()
class Instance(Cell):
    """An object with attributes: of a class of the program (`cls`), or of one that is not known (`open`); `absent` are
    the names of those that were set on some paths alone."""

    cls: Value = _value(UNKNOWN)
    attributes: Items = _items(())
    open: Truth = _grown(UNSURE)
    belief: Belief = fixed(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Instance[{_cls(self.cls)}]"


Object = Tensor | Node | Module | Optimizer | Scaler | Scheduler | Container | Iterator | Array | Class | Instance


def _cls(value: Value) -> str:
    return getattr(value, "path", "?")


# ---- joining and renaming, derived from the fields


FEW = 8
"""Up to how many alternatives a look at each is faster than a set of them."""


def _join_union(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    known = a if len(a) <= FEW else frozenset(a)
    more = [one for one in b if one not in known]
    return (*a, *more) if more else a


def _join_perhaps(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return _join_union(a or (None,), b or (None,))


def _join_parts(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """Slot by slot; a slot that only one path has may also be missing (None)."""
    if len(a) < len(b):
        a, b = b, a
    padded = b + ((None,),) * (len(a) - len(b))
    return tuple(_join_union(x, y) for x, y in zip(a, padded, strict=True))


def _join_items(a: Items, b: Items) -> Items:
    out = dict(a)
    for key, value in b:
        mine = out.setdefault(key, value)
        if mine is not value and mine != value:
            out[key] = one_of((mine, value))
    return tuple(out.items())


def _join_marks(a: tuple[Mark, ...], b: tuple[Mark, ...]) -> tuple[Mark, ...]:
    return _join_union(a, b)[:MOST_MARKS]


@frozen()
class Sides:
    """Which objects two paths that meet have made: all that the second one has, and those that only it has."""

    second: Holding[Ref]
    second_only: Holding[Ref]


def _join_certain(a: tuple[Ref, ...], b: tuple[Ref, ...], sides: Sides | None) -> tuple[Ref, ...]:
    if sides is None:
        return tuple(ref for ref in a if ref in b)
    mine = [ref for ref in a if ref in b or ref not in sides.second]
    return (*mine, *(ref for ref in b if ref in sides.second_only and ref not in a))


Joining = Callable[[Any, Any], Any]
_JOINS: dict[Join, Joining] = {
    Join.FACT: or_,
    Join.WEAKEST: max,
    Join.ALTERNATIVES: _join_union,
    Join.PERHAPS: _join_perhaps,
    Join.PARTS: _join_parts,
    Join.ITEMS: _join_items,
    Join.VALUE: lambda a, b: one_of((a, b), MOST_ITEMS),
    Join.VALUES: lambda a, b: tuple(one_of(pair) for pair in zip(a, b, strict=False)),
    Join.MARKS: _join_marks,
    Join.NAMES: or_,
}


def _plan(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, Joining | None], ...]]:
    """What reads all fields of a class, and of each its name and what joins it (None: sides must be known)."""
    defaults = {one.name: None if one.default is MISSING else one.default for one in fields(cls)}
    joins = {
        one.name: None if says.join is Join.CERTAIN else _JOINS.get(says.join, partial(_agreed_on, defaults[one.name]))
        for one, says in declarations(cls)
    }
    return attrgetter(*joins), tuple(joins.items())


def _agreed_on(default: Any, a: Any, b: Any) -> Any:
    return default


_PLANS = PerClass(_plan)
_REFERRING = PerClass(
    lambda cls: tuple([(one.name, says.join) for one, says in declarations(cls) if says.join in REFERRING])
)
_VALUE, _VALUES, _ITEMS, _PARTS = Join.VALUE, Join.VALUES, Join.ITEMS, Join.PARTS


def joined(a: Object, b: Object, sides: Sides | None = None) -> Object:
    """The object that may be as either path left it; `a` or `b` itself where the other adds nothing. Without `sides`
    both know the same objects."""
    if a is b:
        return a
    if type(a) is not type(b):
        return Instance(open=UNSURE)
    if type(a) is Container:
        a, b = _same_length(a, b)  # type: ignore[arg-type]
    elif type(a) is Module:
        a, b = _same_places(a, b)  # type: ignore[arg-type]
    if type(a) in (Module, Instance, Optimizer):
        a, b = _perhaps_absent(a, b)  # type: ignore[type-var]
    changed: dict[str, Any] = {}
    as_b = True
    read, plan = _PLANS[type(a)]
    for x, y, (name, join) in zip(read(a), read(b), plan, strict=True):
        if x is y or x == y:
            continue
        both: Any = _join_certain(x, y, sides) if join is None else join(x, y)
        if both is not x and both != x:
            changed[name] = both
        as_b = as_b and (both is y or both == y)
    if not changed:
        return a
    return b if as_b else replace(a, **changed)


def _same_length(a: Container, b: Container) -> tuple[Container, Container]:
    """Sequences of different lengths join by their elements; a key that only one mapping has is not certain."""
    mine, its = [k for k, _ in a.items], [k for k, _ in b.items]
    if mine == its:
        return a, b
    if a.kind not in MAPPINGS:
        return summarised(a), summarised(b)
    return _uncertain_but(a, frozenset(its)), _uncertain_but(b, frozenset(mine))


def _same_places(a: Module, b: Module) -> tuple[Module, Module]:
    """Lists of modules of different lengths join by their parts."""
    if a.attributes == b.attributes or _numbered(a) == _numbered(b):
        return a, b
    return unnumbered(a), unnumbered(b)


OwnerT = TypeVar("OwnerT", bound=Module | Instance | Optimizer)


def _perhaps_absent(a: OwnerT, b: OwnerT) -> tuple[OwnerT, OwnerT]:
    """What only one of two objects has is absent on some path."""
    one_sided = {name for name, _ in a.attributes} ^ {name for name, _ in b.attributes}
    if not one_sided:
        return a, b
    return replace(a, absent=a.absent | one_sided), replace(b, absent=b.absent | one_sided)


def with_attribute(thing: OwnerT, name: str, value: Value) -> OwnerT:
    """The object with this attribute, which it has on every path."""
    attributes = dict(thing.attributes) | {name: value}
    return replace(thing, attributes=tuple(attributes.items()), absent=thing.absent - {name})


def _numbered(module: Module) -> set[str]:
    return {name for name, _ in module.attributes if isinstance(name, str) and name.isdecimal()}


def unnumbered(module: Module) -> Module:
    """The same module with all parts that are counted, not named, in its summary."""
    counted = _numbered(module)
    kept = tuple((name, value) for name, value in module.attributes if name not in counted)
    parts = [value for name, value in module.attributes if name in counted]
    if not counted:
        return module
    rest = one_of([*parts, module.rest], MOST_ITEMS)
    return replace(module, attributes=kept, rest=rest, certain=with_certain(module.certain, parts))


def _uncertain_but(mapping: Container, certain: frozenset[object]) -> Container:
    """The mapping with all values but those under the certain keys in its summary."""
    kept = tuple((key, value) for key, value in mapping.items if key in certain)
    if len(kept) == len(mapping.items):
        return mapping
    others = [value for key, value in mapping.items if key not in certain]
    keys, there = keys_with(mapping, (k for k, _ in mapping.items)), with_certain(mapping.certain, others)
    return replace(mapping, items=kept, rest=one_of([*others, mapping.rest]), keys=keys, certain=there)


def summarised(container: Container) -> Container:
    """The same container with all elements in one summary."""
    if not container.items:
        return container
    values = [value for _, value in container.items]
    keys = keys_with(container, (key for key, _ in container.items))
    certain = with_certain(container.certain, values)
    return replace(container, items=(), rest=one_of([*values, container.rest]), keys=keys, certain=certain)


def thinned(container: Container) -> Container:
    """The same container with all elements in one summary, of which none is certain: some may have been taken out."""
    return replace(summarised(container), certain=())


def with_certain(certain: Iterable[Ref], values: Iterable[Value]) -> tuple[Ref, ...]:
    """What is certainly there besides when these values are added: what is one object, not one or another."""
    return tuple(dict.fromkeys([*certain, *(value for value in values if type(value) is Ref)]))


def keys_with(mapping: Container, more: Iterable[object]) -> Value:
    """What the keys of a mapping's summary are when these constants are among them."""
    known = mapping.keys if mapping.rest != NOTHING else NOTHING
    return one_of([known, *(Plain("str") if isinstance(key, str) else Const(key) for key in more)])


def with_mark(marks: tuple[Mark, ...], mark: Mark) -> tuple[Mark, ...]:
    """The marks and one more, if its kind is not among them and there is room."""
    known = len(marks) >= MOST_MARKS or any(one.how == mark.how for one in marks)
    return marks if known else (*marks, mark)


def object_references(thing: Object) -> tuple[Ref, ...]:
    """All heap objects and memories that an object mentions."""
    try:
        return thing._mentions
    except AttributeError:
        found = tuple(dict.fromkeys(_mentioned(thing)))
        object.__setattr__(thing, "_mentions", found)
        return found


def handed_on(thing: Object) -> tuple[Ref, ...]:
    """What whoever holds an object can get at. What has left the graph leads back to it by nothing that it shares, but
    what is not known may be one of the things that it was told to share with."""
    shared = _SHARED[type(thing)]
    if not shared or (type(thing) is Tensor and OPAQUE in thing.node):
        return object_references(thing)
    try:
        return thing._handed_on
    except AttributeError:
        found = tuple(dict.fromkeys(_mentioned(thing, shared)))
        object.__setattr__(thing, "_handed_on", found)
        return found


_SHARED = PerClass(lambda cls: frozenset([one.name for one, says in declarations(cls) if says.shared]))
"""The fields by which nobody gets from an object to another."""


def origins(thing: Object) -> frozenset[Origin]:
    """Where all that an object mentions was made."""
    try:
        return thing._origins
    except AttributeError:
        found = frozenset([ref[0] << CONTEXT_BITS | ref[2] for ref in object_references(thing)])
        object.__setattr__(thing, "_origins", found)
        return found


def _mentioned(thing: Object, but: Holding[str] = ()) -> list[Ref]:
    out: list[Ref] = []
    for name, how in _REFERRING[type(thing)]:
        if name in but:
            continue
        content = getattr(thing, name)
        if how is _VALUE:
            if type(content) is Ref:
                out.append(content)
            else:
                out += references(content)
        elif not content:
            continue
        elif how is _ITEMS:
            for _, value in content:
                if type(value) is Ref:
                    out.append(value)
                elif type(value) is not Const:
                    out += references(value)
        elif how is _PARTS:
            for part in content:
                out += part
        elif how is _VALUES:
            for value in content:
                out += references(value)
        else:
            out += content
    return [ref for ref in out if ref is not None] if None in out else out


def object_renamed(thing: Object, now: dict[Ref, Ref]) -> Object:
    """The same object after others have changed their references."""
    renaming = now.keys()
    if renaming.isdisjoint(object_references(thing)):
        return thing
    changed: dict[str, Any] = {}
    for name, how in _REFERRING[type(thing)]:
        content = getattr(thing, name)
        if not content:
            continue
        if how is _VALUE:
            if type(content) is Const:
                continue
            new: Any = renamed(content, now)
        elif how is _ITEMS:
            new = tuple([(key, value if type(value) is Const else renamed(value, now)) for key, value in content])
        elif how is _PARTS:
            new = tuple([part if renaming.isdisjoint(part) else _union(part, now) for part in content])
        elif how is _VALUES:
            new = tuple([renamed(value, now) for value in content])
        elif renaming.isdisjoint(content):
            continue
        else:
            new = _union(content, now)
        if new != content:
            changed[name] = new
    return replace(thing, **changed) if changed else thing


def _union(refs: Slot, now: dict[Ref, Ref]) -> Slot:
    if len(refs) == 1:
        return (now[refs[0]],)  # type: ignore[index]
    return tuple(dict.fromkeys([now.get(ref, ref) for ref in refs]))  # type: ignore[arg-type]
