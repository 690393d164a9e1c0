"""Objects: what has an identity and lives on the heap.

Objects are immutable; changing one means putting another in its place. Each field says how two
paths join in it:

* a fact joins by union;
* `alternatives`: a tuple of references of which one holds; joins by union;
* `perhaps`: the same, or nothing at all; where only one path has any, None is among them afterwards;
* `parts`: a tuple of things that hold together, each a tuple of alternatives; joins slot by slot;
* `items`: pairs of key and value; joins key by key;
* `value`: a value; joins as one of both;
* `values`: a tuple of values; joins one by one;
* `marks`: where something came from, for notes; joins by union, a few at most;
* `certain`: references of objects that are there for certain; what both paths are certain of, and what one of them is
  certain of and only it has made.

Everything else must agree, or falls back to the field's default.

Each field also says what of it is in the key of a call that is given the object (`key`), so that two calls which one
summary serves can notice no difference:

* `itself`: its value;
* `described`: what the key has of the objects that it mentions, each known by when it is first mentioned;
* `numbered`: which of its references are the same, by when they are first mentioned, but not what they are like.

A class whose objects are in a key as references says so (`key`) for all its fields: what such an object holds must be
as it was.

A tensor is three things: the handle (`Tensor`: flags and `.grad`), the memory (only a reference,
shared by views, `.data`, `.detach()`, `state_dict()` and NumPy arrays) and the graph node (`Node`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Container as Holding
from dataclasses import MISSING, field, fields
from enum import IntEnum
from operator import attrgetter, or_
from typing import Any, ClassVar, TypeVar, get_args

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
    Fact,
    Grad,
    Mode,
    Precision,
    Stage,
    Truth,
    Unit,
)
from gradlint.domain.values import (
    CONTEXT_BITS,
    MOST_MARKS,
    NOTHING,
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


def _itself(default: Any = MISSING) -> Any:
    return field(default=default, metadata={"key": "itself"})


def _alternatives(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "alternatives", "key": key})


def _perhaps(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "perhaps", "key": key})


def _parts(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "parts", "key": key})


def _items(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "items", "key": key})


def _value(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "value", "key": key})


def _values(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "values", "key": key})


def _certain(default: Any, key: str = "") -> Any:
    return field(default=default, metadata={"join": "certain", "key": key})


def _names(key: str = "") -> Any:
    return field(default=frozenset(), metadata={"join": "names", "key": key})


def _marks(key: str = "") -> Any:
    return field(default=(), metadata={"join": "marks", "key": key})


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


@frozen()
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
    `squashed` is the operation that made its elements probabilities, if nothing but moving, casting and selecting was
    done to them since. `alone`: torch counts the writes through it by themselves, though others are on its memory
    (`.data`); `count` is what it counts them by, which views and `.detach()` share, whatever memory they are given
    later (None among them, or none at all: nobody knows). `many`: it stands for several tensors; `loose`: it may as
    well be a tuple, a dict or an object of tensors with these facts (the result of a module of an unknown class).
    """

    dtype: Dtypes = _itself(ANY_DTYPE)
    precision: Precision = _itself(ANY_PRECISION)
    device: Device = _itself(ANY_DEVICE)
    requires_grad: Truth = _itself(UNSURE)
    leaf: Truth = _itself(UNSURE)
    retains: Truth = _itself(UNSURE)
    parameter: Truth = _itself(UNSURE)
    inference: Truth = _itself(UNSURE)
    scalar: Truth = _itself(UNSURE)
    planar: Truth = _itself(UNSURE)
    contiguous: Truth = _itself(UNSURE)
    size: tuple[int, ...] | None = _itself(None)
    grad: Grad = _itself(ANY_GRAD)
    unit: Unit = _itself(Unit.unsure())
    overwritten: Truth = _itself(NO)
    unwritable: Truth = _itself(UNSURE)
    showing: Truth = _itself(NO)
    alone: Truth = _itself(NO)
    count: Slot = _perhaps((), key="numbered")
    storage: tuple[Ref, ...] = _alternatives((), key="numbered")
    node: Slot = _perhaps((), key="numbered")
    base: Slot = _perhaps((), key="described")
    grad_of: tuple[Ref, ...] = _alternatives((), key="described")
    gradient: Value = _value(UNKNOWN, key="described")
    hooks: Items = _items((), key="described")
    made: str = _itself("")
    squashed: str = _itself("")
    many: bool = _itself(False)
    loose: bool = _itself(False)
    belief: Belief = _itself(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks(key="itself")

    def __str__(self) -> str:
        shown = [str(self.dtype), f"requires_grad={self.requires_grad}", f"leaf={self.leaf}"]
        if self.retains.possibly(Truth.named("yes")):
            shown.append(f"retains_grad={self.retains}")
        return f"Tensor[{', '.join(shown)}]"


@frozen()
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
    op: str
    at: Syntax
    inputs: tuple[Slot, ...] = _parts(())
    saves: tuple[Slot, ...] = _parts(())
    freed: Truth = NO
    swept: Truth = NO
    stale: Truth = NO
    corrupt: Truth = NO
    grows: Truth = NO
    reached: Truth = NO
    marks: tuple[Mark, ...] = _marks()


OPAQUE = Ref(-1, "opaque", 0)
"""A graph node of which nothing is known: backward through it may reach all that escaped."""

KEPT = Ref(-2, "kept", 0)
"""Memory inside a summarised call that the graph saved and nothing outside can write."""
NOWHERE = Ref(-3, "nowhere", 0)
"""Among the alternatives of an operand: an operation that was recorded may hand no gradient on to it."""


@frozen()
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
    mode: Mode = ANY_MODE
    open: Truth = UNSURE
    initialised: Truth = YES
    unbuilt: Truth = NO
    holder: str = ""
    hooks: Items = _items(())
    belief: Belief = Belief.PROVEN
    marks: tuple[Mark, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Module[{_cls(self.cls)}, mode={self.mode}]"


@frozen()
class Optimizer(Cell):
    """An optimizer: `groups` are the parameters it was given, part by part; `open` says whether it may hold others,
    `held_back` whether its `step()` and `zero_grad()` may do nothing (a wrapper that accumulates gradients), `stepped`
    whether it has stepped yet, `stage` where it stands with its GradScaler; `options` are the constants it was made
    with (`lr`, `momentum`), `differentiable` whether its steps are recorded, and `recorded` what they are then made of;
    `listing` is its `param_groups`. Of a class of the program `cls` is that class and `attributes` what was set on
    it."""

    key: ClassVar[str] = REFERENCE
    kind: str = ""
    groups: tuple[Slot, ...] = _parts(())
    open: Truth = UNSURE
    held_back: Truth = NO
    stepped: Truth = UNSURE
    stage: Stage = Stage.unsure()
    options: Items = _items(())
    differentiable: Truth = NO
    recorded: Value = _value(NOTHING)
    listing: Value = _value(NOTHING)
    cls: Value = _value(UNKNOWN)
    attributes: Items = _items(())
    belief: Belief = Belief.PROVEN
    marks: tuple[Mark, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Optimizer[{self.kind or '?'}]"


@frozen()
class Scaler(Cell):
    """A GradScaler. `enabled` is what it was asked to be: where its device is missing torch switches it off. `begun`
    says whether it has scaled anything yet, `optimizers` are those it has unscaled or stepped, `storage` is the
    memory of its factor, which `update()` writes in place."""

    key: ClassVar[str] = REFERENCE
    enabled: Truth = UNSURE
    begun: Truth = UNSURE
    optimizers: tuple[Ref, ...] = _alternatives(())
    storage: tuple[Ref, ...] = _alternatives(())
    belief: Belief = Belief.PROVEN
    marks: tuple[Mark, ...] = _marks()

    def __str__(self) -> str:
        return f"Scaler[enabled={self.enabled}]"


@frozen()
class Scheduler(Cell):
    """What sets the learning rates of an optimizer; `optimizers` are those it may be."""

    key: ClassVar[str] = REFERENCE
    kind: str = ""
    optimizers: tuple[Ref, ...] = _alternatives(())
    belief: Belief = Belief.PROVEN
    marks: tuple[Mark, ...] = _marks()

    def __str__(self) -> str:
        return f"Scheduler[{self.kind or '?'}]"


@frozen()
class Container(Cell):
    """A list, tuple, set, dict ...: values by constant key or index, and `rest` for all others (`NOTHING`: there
    are certainly no others), among which those that are `certain` certainly are. `keys` is what the keys of those
    others are in a mapping; `cls` is the class of a named tuple, whose fields name the items; `origin` is the
    module whose `state_dict()` it is."""

    kind: str = _itself()
    items: Items = _items((), key="described")
    rest: Value = _value(NOTHING, key="described")
    origin: tuple[Ref, ...] = _alternatives((), key="described")
    belief: Belief = _itself(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks(key="itself")
    keys: Value = _value(UNKNOWN, key="described")
    cls: Value = _value(NOTHING, key="described")
    certain: tuple[Ref, ...] = _certain((), key="described")

    def __str__(self) -> str:
        return self.kind or "container"  # joined from two kinds it is of none


MAPPINGS = frozenset({"dict", "OrderedDict", "defaultdict", "Counter", "state_dict"})


@frozen()
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
    by: str = ""
    used: Truth = NO
    empty: Truth = UNSURE
    several: Truth = UNSURE
    length: int | None = None
    belief: Belief = Belief.PROVEN
    marks: tuple[Mark, ...] = _marks()
    listed: Value = _value(NOTHING)
    certain: tuple[Ref, ...] = _certain(())
    returned: Value = _value(UNKNOWN)
    touches: tuple[Ref, ...] = _alternatives(())
    fills: tuple[Ref, ...] = _alternatives(())
    seen: Seen = _items(())
    on: Truth = NO
    off: Truth = NO
    inference: Truth = NO

    def __str__(self) -> str:
        return f"Iterator[{self.by}]"


@frozen()
class Array(Cell):
    """A NumPy array and the memory it may share with a tensor, of which it was then "made"."""

    key: ClassVar[str] = REFERENCE
    dtype: Dtypes = ANY_DTYPE
    storage: tuple[Ref, ...] = _alternatives(())
    belief: Belief = Belief.PROVEN
    marks: tuple[Mark, ...] = _marks()

    def __str__(self) -> str:
        return f"Array[{self.dtype}]"


@frozen()
class Class(Cell):
    """A class written in the program: its members, bases in order, and the attribute names that its methods read
    off `self` (`reads`); `open` says whether some base is not known. `kind` is "dataclass", "named tuple", "typed
    dict", "enum" or "made by its metaclass" where calling it does what no method of the class says; `fields` are then
    the names it takes, each with its default (`NOTHING`: none)."""

    key: ClassVar[str] = REFERENCE
    node: Syntax
    name: str
    bases: tuple[Value, ...] = _values(())
    members: Items = _items(())
    reads: frozenset[str] = frozenset()
    module: Truth = UNSURE
    open: Truth = UNSURE
    kind: str = ""
    fields: Items = _items(())

    def __str__(self) -> str:
        return f"class {self.name}"


@frozen()
class Instance(Cell):
    """An object with attributes: of a class of the program (`cls`), or of one that is not known (`open`); `absent` are
    the names of those that were set on some paths alone."""

    cls: Value = _value(UNKNOWN, key="described")
    attributes: Items = _items((), key="described")
    open: Truth = _itself(UNSURE)
    belief: Belief = _itself(Belief.PROVEN)
    marks: tuple[Mark, ...] = _marks(key="itself")
    absent: frozenset[str] = _names(key="itself")

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


_JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "fact": or_,
    "belief": max,
    "alternatives": _join_union,
    "perhaps": _join_perhaps,
    "parts": _join_parts,
    "items": _join_items,
    "value": lambda a, b: one_of((a, b), MOST_ITEMS),
    "values": lambda a, b: tuple(one_of(pair) for pair in zip(a, b, strict=False)),
    "marks": _join_marks,
    "names": or_,
}


def _plan(cls: type) -> tuple[tuple[str, str, Any], ...]:
    """For each field its name, how it joins, and its default."""
    defaults = {f.name: None if f.default is MISSING else f.default for f in fields(cls)}
    kinds = {name: _KINDS.get(type(default).__base__, "") for name, default in defaults.items()}
    return tuple((f.name, f.metadata.get("join", kinds[f.name]), defaults[f.name]) for f in fields(cls))


_KINDS: dict[type | None, str] = {Fact: "fact", IntEnum: "belief"}
"""How fields join whose default is of such a kind."""
_PLANS = {cls: _plan(cls) for cls in get_args(Object)}
_READERS = {cls: attrgetter(*(name for name, _, _ in plan)) for cls, plan in _PLANS.items()}
_REFERRING = {
    cls: tuple(
        (name, how)
        for name, how, _ in plan
        if how in ("alternatives", "perhaps", "parts", "items", "value", "values", "certain")
    )
    for cls, plan in _PLANS.items()
}


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
    read, plan = _READERS[type(a)], _PLANS[type(a)]
    for x, y, (name, how, default) in zip(read(a), read(b), plan, strict=True):
        if x is y or x == y:
            continue
        if how == "certain":
            both: Any = _join_certain(x, y, sides)
        else:
            both = _JOINS[how](x, y) if how else default
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
    if type(thing) not in _OUT_OF_SIGHT or (type(thing) is Tensor and OPAQUE in thing.node):
        return object_references(thing)
    try:
        return thing._handed_on
    except AttributeError:
        found = tuple(dict.fromkeys(_mentioned(thing, _OUT_OF_SIGHT[type(thing)])))
        object.__setattr__(thing, "_handed_on", found)
        return found


_OUT_OF_SIGHT: dict[type, frozenset[str]] = {
    Tensor: frozenset({"count", "storage", "grad_of", "source"}),
    Array: frozenset({"storage"}),
    Container: frozenset({"origin"}),
    Iterator: frozenset({"seen"}),
}
"""The fields that tell what an object has in common with others, and what code that waits has looked at: nobody gets by
them from an object to another."""


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
        if how == "value":
            if type(content) is Ref:
                out.append(content)
            else:
                out += references(content)
        elif not content:
            continue
        elif how == "items":
            for _, value in content:
                if type(value) is Ref:
                    out.append(value)
                elif type(value) is not Const:
                    out += references(value)
        elif how == "parts":
            for part in content:
                out += part
        elif how == "values":
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
        if how == "value":
            if type(content) is Const:
                continue
            new: Any = renamed(content, now)
        elif how == "items":
            new = tuple([(key, value if type(value) is Const else renamed(value, now)) for key, value in content])
        elif how == "parts":
            new = tuple([part if renaming.isdisjoint(part) else _union(part, now) for part in content])
        elif how == "values":
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
