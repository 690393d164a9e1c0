"""Objects: what has an identity and lives on the heap.

Objects are immutable; changing one means putting another in its place. Each field declares what follows from it
(`gradlint.domain.fields`). A class whose objects are in the key of a call as references says so (`key`) for all its
fields: what such an object holds must be as it was.

A tensor is three things: the handle (`Tensor`: flags and `.grad`), the memory (only a reference,
shared by views, `.data`, `.detach()`, `state_dict()` and NumPy arrays) and the graph node (`Node`).
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, TypeVar, get_args

from gradlint.domain.facts import (
    ANY_DEVICE,
    ANY_DTYPE,
    ANY_GRAD,
    ANY_MODE,
    ANY_PRECISION,
    ANY_SHAPE,
    NO,
    UNSURE,
    YES,
    Device,
    Dtypes,
    Grad,
    Mode,
    Precision,
    Shape,
    Stage,
    Truth,
    Unit,
)
from gradlint.domain.fields import After, Aspect, Join, Key, declared, fixed, heap_object
from gradlint.domain.items import Items, with_item
from gradlint.domain.provenance import MOST_CAUSES, Belief, Cause, IteratorKind
from gradlint.domain.refs import Alternatives, Origin, Ref, Syntax
from gradlint.domain.values import NOTHING, UNKNOWN, Value
from gradlint.frozen import replace

MOST_ITEMS = 64
"""The most elements that are known one by one."""
MOST_PARAMETERS = 512
"""The same of parameters of a module or an optimizer: more than large networks have, for which optimizer holds which of
them is looked up all the time."""


REFERENCE = "reference"
"""The key of a class whose objects stand for themselves."""


_used = partial(declared, suspended=After.UNSURE, unseen=After.UNSURE)
"""A fact that changes with use: by whoever goes on while code waits, and by unseen code."""
_forgotten = partial(declared, suspended=After.FORGOTTEN, unseen=After.FORGOTTEN)
"""The same for what is no fact."""
_asked = partial(_used, rarely=True)
"""The same for one that most unseen code leaves alone."""
_of_memory = partial(declared, suspended=After.UNSURE, unseen=After.KEPT, decides=True)
"""A fact of the memory that a tensor has by then (`module.double()`, `x.unsqueeze_(0)`): code of the program may give
it other memory, which unseen code is trusted not to do."""
_grown = partial(declared, suspended=After.KEPT, unseen=After.UNSURE)
"""A fact that unseen code may change."""
_begun = partial(declared, suspended=After.KEPT, unseen=After.ONE_WAY)
"""A fact that unseen code may make certain, and nothing makes false again."""
_elements = partial(declared, suspended=After.THINNED, unseen=After.FORGOTTEN)
"""A field that tells of the elements of a container."""
_alternatives = partial(fixed, join=Join.ALTERNATIVES)
_parts = partial(fixed, join=Join.PARTS)
_items = partial(fixed, join=Join.ITEMS)
_value = partial(fixed, join=Join.VALUE)
_certain = partial(fixed, join=Join.CERTAIN)
_names = partial(fixed, frozenset(), join=Join.NAMES)
_marks = partial(fixed, (), join=Join.MARKS)
_agreed = partial(fixed, join=Join.AGREE)

Seen = tuple[tuple[tuple[Any, ...], Value], ...]
"""The circumstances that code that waits was followed under, by what of it that is (`interpreter.engine.deferred`)."""


class Cell:
    """An object on the heap; it remembers which others it mentions and where those were made: both are read often."""

    __slots__ = ("_handed_on", "_mentions", "_origins")

    of_torch: ClassVar[bool] = False
    """True for objects of classes of torch, which are no containers and no objects of other classes."""

    _handed_on: tuple[Ref, ...]
    _mentions: tuple[Ref, ...]
    _origins: frozenset[Origin]


@heap_object()
class Tensor(Cell):
    """A tensor's handle.

    `precision` and `device` are known only where the program says them or torch's default holds. `scalar` is whether
    it has one element, `planar` whether it has at most two dimensions, `shape` how many and whether the last has one
    element, `size` how large it is in each (None: not known), `contiguous` whether its elements lie one after the
    other, as torch's `is_contiguous()` says.

    `storage` are the memories it may use, `node` the graph nodes that may have made it (None among them where it may
    have been recorded by none), `base` the tensors it may be a view of (None among them where it may be no view),
    `made` the operation or factory that made it, `grad_of` the tensors from whose `.grad` it was computed;
    `overwritten` says whether its memory was written through another handle since this one was made; `unwritable`
    whether it is a view that was made with gradients off, or at once with others, so that torch refuses a write that is
    recorded; `showing` whether it is a view that may be a leaf though it requires grad, for it shows the flag of what
    it is a view of (made with gradients off, or before that was set); `hooks` are the functions that may be called
    when a gradient arrives, by kind. `unseen` says whether code that is not shown may have had it, or what was computed
    from it, and so made graphs that lead to it. `probability_op` is the operation that made its elements probabilities,
    if nothing but moving, casting and selecting was done to them since. `alone`: torch counts the writes through it by
    themselves, though others are on its memory (`.data`); `count` is what it counts them by, which views and
    `.detach()` share, whatever memory they are given later (None among them, or none at all: nobody knows).
    `trained_by` are the places that made the optimizers which may have stepped it (None among them: code that nobody
    sees may have reset it since, by its name).
    `is_summary`: it stands for several tensors; `may_be_structured`: it may as well be a tuple, a dict or an object of
    tensors with these facts (the result of a module of an unknown class).
    """

    of_torch = True
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
    shape: Shape = _of_memory(ANY_SHAPE, of=Aspect.SIZE)
    contiguous: Truth = _of_memory(UNSURE, of=Aspect.LAYOUT)
    size: tuple[int, ...] | None = _of_memory(None, join=Join.AGREE, suspended=After.FORGOTTEN, of=Aspect.SIZE)
    grad: Grad = _used(ANY_GRAD, of=Aspect.GRADIENT)
    unit: Unit = _used(Unit.unsure(), of=Aspect.GRADIENT)
    overwritten: Truth = fixed(NO, of=Aspect.HANDLE)
    unwritable: Truth = fixed(UNSURE, of=Aspect.HANDLE)
    showing: Truth = fixed(NO, of=Aspect.HANDLE)
    alone: Truth = fixed(NO, of=Aspect.HANDLE)
    count: Alternatives = fixed((), join=Join.PERHAPS, key=Key.NUMBERED, shared=True, of=Aspect.HANDLE)
    storage: tuple[Ref, ...] = _alternatives((), key=Key.NUMBERED, shared=True, of=Aspect.HANDLE)
    node: Alternatives = fixed((), join=Join.PERHAPS, key=Key.NUMBERED, of=Aspect.HANDLE)
    base: Alternatives = fixed((), join=Join.PERHAPS, of=Aspect.HANDLE)
    grad_of: tuple[Ref, ...] = _alternatives((), shared=True, of=Aspect.PROVENANCE)
    gradient: Value = _forgotten(UNKNOWN, join=Join.VALUE, of=Aspect.GRADIENT)
    hooks: Items = _items((), of=Aspect.HANDLE)
    trained_by: frozenset[Syntax] = _forgotten(frozenset(), join=Join.NAMES, rarely=True, of=Aspect.HANDLE)
    made: str = _agreed("", of=Aspect.PROVENANCE)
    probability_op: str = _agreed("", of=Aspect.PROVENANCE)
    is_summary: bool = _agreed(False, of=Aspect.PROVENANCE)
    may_be_structured: bool = _agreed(False, of=Aspect.PROVENANCE)
    belief: Belief = fixed(Belief.PROVEN, of=Aspect.PROVENANCE)
    causes: tuple[Cause, ...] = _marks(of=Aspect.PROVENANCE)

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
    (nothing recorded) or `OPAQUE`. `freed`: a backward has been through; `backward_done`: and through all that lies
    behind it; `stale`: a saved memory was written and torch will notice; `corrupt`: it was written unnoticed; `grows`:
    its history certainly holds an older node of its own site; `reached`: a backward has differentiated through it.
    `causes` are the places that freed it ("freed") or went through and kept it ("kept", the last one), or wrote what it
    had saved: "written" in place, "stepped" by an optimizer, "loaded" into a module, "hidden" from torch.
    """

    key: ClassVar[str] = REFERENCE
    op: str = _agreed()
    at: Syntax = _agreed()
    inputs: tuple[Alternatives, ...] = _parts(())
    saves: tuple[Alternatives, ...] = _parts(())
    freed: Truth = _begun(NO, of=Aspect.LACKING_NOTICED)
    backward_done: Truth = fixed(NO)
    stale: Truth = fixed(NO, of=Aspect.LACKING_NOTICED)
    corrupt: Truth = fixed(NO, of=Aspect.LACKING)
    grows: Truth = fixed(NO)
    reached: Truth = _grown(NO)
    causes: tuple[Cause, ...] = _marks()

    def __str__(self) -> str:
        return f"Node[{self.op}]"


@heap_object()
class Module(Cell):
    """An nn.Module. `cls` is what it is an instance of (an ImportPath or a Class), `attributes` all that was
    set on it by name (submodules, parameters, plain attributes), `rest` stands for all parts that have no name
    of their own here (`NOTHING`: there are certainly none), of which it certainly has those that are `certain`;
    `absent` are the names of attributes that were set on some paths alone;
    `buffers` are the names that were registered as buffers, with Const(True) where the state dict has them; `left` is
    the mode that it has if unseen code that has had it since left that alone, as most does; `open` says
    whether it may have parts that were not seen, `initialised` whether `Module.__init__` has run on it, `unbuilt`
    whether its `__init__` was not followed, so that its methods would find next to nothing on it; `hooks` are the
    functions that may be called around it, by kind.
    """

    of_torch = True
    key: ClassVar[str] = REFERENCE
    cls: Value = _value(UNKNOWN)
    attributes: Items = _items(())
    rest: Value = _value(NOTHING)
    certain: tuple[Ref, ...] = _certain(())
    buffers: Items = _items(())
    mode: Mode = _used(ANY_MODE, decides=True)
    left: Mode = _used(ANY_MODE)
    open: Truth = _grown(UNSURE, rarely=True)
    initialised: Truth = _begun(YES, rarely=True)
    unbuilt: Truth = fixed(NO)
    holder: str = _agreed("")
    hooks: Items = _items(())
    belief: Belief = fixed(Belief.PROVEN)
    causes: tuple[Cause, ...] = _marks()
    absent: frozenset[str] = _names()

    @property
    def if_untouched(self) -> Module:
        """Return the module as it is if unseen code left its mode alone."""
        if not self.mode.is_unsure or self.left.is_unsure:
            return self
        return replace(self, mode=self.left, belief=self.belief.once_handed_over())

    def __str__(self) -> str:
        return f"Module[{_cls(self.cls)}, mode={self.mode}]"


@heap_object()
class Optimizer(Cell):
    """An optimizer: `groups` are the parameters it was given, part by part; `open` says whether it may hold others,
    `held_back` whether its `step()` and `zero_grad()` may do nothing (a wrapper that accumulates gradients), `stepped`
    whether it has stepped yet, `stage` its stage with its GradScaler; `options` are the constants it was made
    with (`lr`, `momentum`), `differentiable` whether its steps are recorded, and `recorded` what they are then made of;
    `listing` is its `param_groups`. Of a class of the program `cls` is that class and `attributes` what was set on
    it."""

    of_torch = True
    key: ClassVar[str] = REFERENCE
    kind: str = _agreed("")
    groups: tuple[Alternatives, ...] = _parts(())
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
    causes: tuple[Cause, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Optimizer[{self.kind or '?'}]"


@heap_object()
class Scaler(Cell):
    """A GradScaler. `enabled` is what it was asked to be: where its device is missing torch switches it off. `begun`
    says whether it has scaled anything yet, `optimizers` are those it has unscaled or stepped, `storage` is the
    memory of its factor, which `update()` writes in place."""

    of_torch = True
    key: ClassVar[str] = REFERENCE
    enabled: Truth = fixed(UNSURE)
    begun: Truth = _grown(UNSURE)
    optimizers: tuple[Ref, ...] = _alternatives(())
    storage: tuple[Ref, ...] = _alternatives(())
    belief: Belief = fixed(Belief.PROVEN)
    causes: tuple[Cause, ...] = _marks()

    def __str__(self) -> str:
        return f"Scaler[enabled={self.enabled}]"


@heap_object()
class Scheduler(Cell):
    """A scheduler sets the learning rates of an optimizer; `optimizers` are those it may be."""

    of_torch = True
    key: ClassVar[str] = REFERENCE
    kind: str = _agreed("")
    optimizers: tuple[Ref, ...] = _alternatives(())
    belief: Belief = fixed(Belief.PROVEN)
    causes: tuple[Cause, ...] = _marks()

    def __str__(self) -> str:
        return f"Scheduler[{self.kind or '?'}]"


@heap_object()
class Container(Cell):
    """A list, tuple, set, dict ...: values by constant key or index, and `rest` for all others (`NOTHING`: there
    are certainly no others), among which those that are `certain` certainly are. `keys` is what the keys of those
    others are in a mapping; `cls` is the class of a named tuple, whose fields name the items; `origin` is the
    module whose `state_dict()` it is; `partial`: it is a slice of what may be more."""

    kind: str = _agreed()
    items: Items = _elements((), join=Join.ITEMS)
    rest: Value = _elements(NOTHING, join=Join.VALUE, unseen=After.REACHED)
    origin: tuple[Ref, ...] = _alternatives((), shared=True)
    belief: Belief = fixed(Belief.PROVEN)
    causes: tuple[Cause, ...] = _marks()
    keys: Value = _elements(UNKNOWN, join=Join.VALUE)
    cls: Value = _value(NOTHING)
    certain: tuple[Ref, ...] = _elements((), join=Join.CERTAIN)
    partial: bool = _agreed(False)
    attributes_of: tuple[Ref, ...] = _alternatives((), shared=True)

    @property
    def held(self) -> tuple[Value, ...]:
        """All that it may hold, one by one."""
        return (*[value for _, value in self.items], self.rest)

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
    was followed that runs on `next`; `on`, `off` and `inference` whether a block in which it waits has set that
    mode, and so for its consumer."""

    key: ClassVar[str] = REFERENCE
    element: Value = _value(UNKNOWN)
    source: Value = _value(UNKNOWN)
    by: IteratorKind = _agreed(IteratorKind.UNKNOWN)
    used: Truth = _begun(NO)
    empty: Truth = fixed(UNSURE)
    several: Truth = fixed(UNSURE)
    length: int | None = _agreed(None)
    belief: Belief = fixed(Belief.PROVEN)
    causes: tuple[Cause, ...] = _marks()
    listed: Value = _value(UNKNOWN)
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
    causes: tuple[Cause, ...] = _marks()

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
    causes: tuple[Cause, ...] = _marks()
    absent: frozenset[str] = _names()

    def __str__(self) -> str:
        return f"Instance[{_cls(self.cls)}]"


Object = Tensor | Node | Module | Optimizer | Scaler | Scheduler | Container | Iterator | Array | Class | Instance


def _cls(value: Value) -> str:
    return getattr(value, "path", "?")


Owner = Module | Instance | Optimizer
"""An object that may be of a class of the program, and has attributes that are set, some perhaps on some paths
alone."""
OWNERS: tuple[type[Owner], ...] = get_args(Owner)
OwnerT = TypeVar("OwnerT", bound=Owner)


def with_attribute(thing: OwnerT, name: str, value: Value) -> OwnerT:
    """The object with this attribute, which it has on every path."""
    return replace(thing, attributes=with_item(thing.attributes, name, value), absent=thing.absent - {name})


def with_mark(marks: tuple[Cause, ...], mark: Cause) -> tuple[Cause, ...]:
    """The marks and one more, if its kind is not among them and there is room."""
    known = len(marks) >= MOST_CAUSES or any(one.kind == mark.kind for one in marks)
    return marks if known else (*marks, mark)
