"""Tensors: how they are made, and what literal data and dtypes prove of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

from gradlint.domain.facts import (
    ANY_DEVICE,
    ANY_DTYPE,
    ANY_GRAD,
    ANY_PRECISION,
    BOOL,
    COMPLEX,
    CPU,
    CUDA,
    FLOAT,
    FLOAT32,
    FRESH,
    LOST,
    MIXED,
    NO,
    NONE,
    PLAIN,
    USED,
    YES,
    Device,
    Dtypes,
    Grad,
    Precision,
    Unit,
)
from gradlint.domain.mentions import handed_on
from gradlint.domain.objects import Array, Container, Node, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Belief, Cause, CauseKind
from gradlint.domain.refs import APART, ASTRAY, OPAQUE, Alternatives, Ref
from gradlint.domain.value_sets import alternatives, number_kind, references
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.results import LETTERS, PRECISE, combined
from gradlint.interpreter.engine.call_keys import COUNT
from gradlint.interpreter.engine.dispatch import TypeSlot, annotated, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import escaped_leaves, only_of_others
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge import DTYPES, PRECISIONS


class Change:
    """A change of gradients, with the state of each after it. How one stood that was passed in nobody saw: it is
    taken to have been trained properly before, with nothing left there that a step has used, and to be `assumed`."""

    def __init__(self, known: dict[Grad, Grad], *, assumed: Grad) -> None:
        self.known = known
        self._handed_over = known | {ANY_GRAD: assumed}

    def of(self, tensor: Tensor) -> Grad:
        """Return the state of a tensor's gradient afterwards."""
        return tensor.grad.mapped(self.known if tensor.belief <= Belief.ANNOTATED else self._handed_over)


BACKWARD = Change({NONE: FRESH, FRESH: FRESH, USED: MIXED, MIXED: MIXED, LOST: FRESH}, assumed=FRESH)
CLEARING = Change({FRESH: LOST, USED: NONE, MIXED: NONE}, assumed=NONE)
STEP = Change({FRESH: USED, LOST: NONE}, assumed=NONE | USED)
NO_CHANGE = Change({}, assumed=NONE)


@implements(TypeSlot.DIFFERENTIATED_UNSEEN, Tensor)
def _differentiated_unseen(thing: Tensor) -> Tensor:
    grad, unit = thing.grad | BACKWARD.of(thing), thing.unit | Unit.unsure()
    return replace(thing, grad=grad, unit=unit, gradient=UNKNOWN, unseen=thing.unseen | YES)


_FRESH = Tensor(requires_grad=NO, leaf=YES, retains=NO, parameter=NO, grad=NONE, unit=PLAIN, unwritable=NO, unseen=NO)


def own_count(memory: Ref) -> Alternatives:
    """The count of writes that begins with a memory, or with another handle on one, which this stands for."""
    return (memory._replace(part=memory.part + COUNT),)


def fresh(m: Interpreter, node: Site, part: str = "tensor", **facts: Any) -> Ref:
    """A new tensor with memory of its own that nothing has recorded."""
    if "storage" not in facts:
        memory = m.memory(node, part)
        facts |= {"storage": (memory,), "count": own_count(memory)}
    if "causes" not in facts:
        facts["causes"] = (Cause(CauseKind.MADE, node),)
    made = replace(_FRESH, **{"inference": m.state.inference, **facts})
    if made.inference is YES and m.state.inferring is not None:
        made = replace(made, causes=(*made.causes[: MOST_CAUSES - 1], Cause(CauseKind.INFERENCE, m.state.inferring)))
    return m.new(node, part, made)


def dtype_named(value: Value) -> Dtypes | None:
    """The kind that a dtype (`torch.float32`, `float`, `x.dtype`) stands for; None for what is no dtype."""
    if type(value) is ImportPath:
        letter = DTYPES.get(value.path)
        return LETTERS[letter] if letter else None
    return KINDS_TOLD.get(value.start) if type(value) is PlainObject and value.kind == "dtype" else None


def precision_named(value: Value | None) -> Precision:
    """The precision of a dtype; unsure for what is none or not told apart."""
    name = PRECISIONS.get(value.path) if type(value) is ImportPath else None
    return Precision.named(name) if name else ANY_PRECISION


def dtype_told(tensor: Tensor) -> Value:
    """Return the value of `x.dtype`: the dtype by its name, where that is known, or else one of this kind."""
    if tensor.may_be_structured:
        return PlainObject("dtype")
    name = PRECISE.get(tensor.precision) if tensor.dtype <= FLOAT else None
    return PlainObject("dtype", str(tensor.dtype)) if name is None else ImportPath(f"torch.{name}")


KINDS_TOLD = {str(kind): kind for kind in LETTERS.values()}


def is_of_kind(m: Interpreter, value: Value, kind: Dtypes) -> Value:
    """Return a tensor's answer to a question about its kind, as `is_floating_point()`."""
    tensor = m.only(value, Tensor)
    if tensor is None or tensor.may_be_structured or not tensor.belief.seen_made:
        return PythonNumber(BOOL)
    return Constant(True) if tensor.dtype <= kind else PythonNumber(BOOL) if tensor.dtype.may(kind) else Constant(False)


KINDS_ASKED = {"is_floating_point": FLOAT, "is_complex": COMPLEX}
"""The kinds that a method and a function of torch ask a tensor for, by their name."""


def default_precision(m: Interpreter) -> Precision:
    """Return the precision of floats where nothing is said, unless the program changes that somewhere."""
    return ANY_PRECISION if _calls_torch(m, CHANGING_PRECISION) else FLOAT32


def default_device(m: Interpreter) -> Device:
    """Return the device of new tensors where nothing is said, unless the program changes that somewhere."""
    return ANY_DEVICE if m.blocks.device_entered or _calls_torch(m, CHANGING_DEVICE) else CPU


def _calls_torch(m: Interpreter, names: frozenset[str]) -> bool:
    uses = m.scan.scopes[m.tree].uses
    return not (names.isdisjoint(uses.get("torch", ())) and names.isdisjoint(uses))


def _used(*names: str) -> frozenset[str]:
    return frozenset(f"{name}{use}" for name in names for use in ("", "()", "(.)"))


CHANGING_PRECISION = _used("set_default_dtype", "set_default_tensor_type")
CHANGING_DEVICE = _used("set_default_device", "set_default_tensor_type")


def device_named(value: Value | None) -> Device:
    """The device that a value stands for: a string, the number of an accelerator, a `torch.device`."""
    return reduce(or_, map(_device_named, alternatives(value))) if value is not None else ANY_DEVICE


def _device_named(option: Value) -> Device:
    text = option.start if type(option) is PlainObject else option.value if type(option) is Constant else None
    name = text.partition(":")[0] if isinstance(text, str) else ""
    return Device.named(name) if name in Device.names else CUDA if type(text) is int else ANY_DEVICE


def device_asked(m: Interpreter, value: Value) -> Device | None:
    """The device in an argument of `to`; None where it is certainly none."""
    if (tensor := m.only(value, Tensor)) is not None:
        return tensor.device
    if dtype_named(value) is not None or value in NO_DEVICE or (type(value) is PlainObject and value.kind == "dtype"):
        return None
    return device_named(value)


NO_DEVICE = (Constant(True), Constant(False), Constant(None))


def data_kind(m: Interpreter, value: Value, depth: int = 0) -> Dtypes:
    """The kind of tensor that literal data makes: of numbers, nested lists of them, arrays or tensors."""
    return reduce(or_, [_data_kind(m, option, depth) for option in alternatives(value)])


def _data_kind(m: Interpreter, value: Value, depth: int) -> Dtypes:
    number = number_kind(value)
    if number is not None:
        return number
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Tensor or type(thing) is Array:
        return thing.dtype
    if type(thing) is not Container or depth > 4:
        return ANY_DTYPE
    elements = [element for _, element in thing.items]
    if thing.rest != NOTHING:
        elements.append(thing.rest)
    if not elements:
        return FLOAT
    return combined("promote", [data_kind(m, element, depth + 1) for element in elements])


GRADIENT = " gradient"


def memory_of_gradient(memory: Ref) -> Ref:
    """Return the memory of a gradient that nobody has read yet, by the memory of its tensor. That of its own gradient
    is the same: there is no end to them."""
    return memory if memory.part.endswith(GRADIENT) else memory._replace(part=memory.part + GRADIENT)


def memories_behind_gradients(memories: Iterable[Ref]) -> set[Ref]:
    """The memories of the tensors whose gradients these stand for."""
    return {one._replace(part=one.part.removesuffix(GRADIENT)) for one in memories if one.part.endswith(GRADIENT)}


TENSOR_CLASSES = frozenset({"torch.Tensor", "torch.FloatTensor", "torch.autograd.Variable"})
PARAMETER_CLASSES = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})


@annotated(*TENSOR_CLASSES, "torch.tensor")  # many name the function that makes one instead of the class
def _annotated(m: Interpreter, node: Site, path: str) -> Value:
    return unknown_tensor(m, node, "annotated", Belief.ANNOTATED)


def unknown_tensor(m: Interpreter, node: Site, part: str, belief: Belief, reach: Iterable[Ref] = ()) -> Ref:
    """A tensor of which nothing else is known.

    Its history may hold anything, and it may share the memory of all that went into it.
    """
    history, memories = made_of(m, reach)
    if belief is Belief.PROVEN and ASTRAY not in history:
        history = (*history, ASTRAY)
    leaves = escaped_leaves(m, reach)
    if leaves:
        computed = Node("unknown", syntax(node), tuple((leaf, None) for leaf in leaves))
        history = (*history, m.new(node, f"{part} history", computed))
    storage = (m.memory(node, f"{part} memory"), *memories)
    return m.new(
        node, part, Tensor(storage=storage, node=history, belief=belief, causes=(Cause(CauseKind.MADE, node),))
    )


def made_of(m: Interpreter, reach: Iterable[Ref]) -> tuple[Alternatives, tuple[Ref, ...]]:
    """The nodes that unknown code may have given a tensor, and the memories it may share with what went in, or with the
    gradients of that.

    What it made itself of that stands behind the opaque node: whose history that is, is not known.
    """
    history: dict[Ref | None, None] = {OPAQUE: None, None: None}
    memories: dict[Ref, None] = {}
    seen: set[Ref] = set()
    todo = list(reach)
    if not only_of_others(m, todo):
        history[ASTRAY] = None
    if APART in todo:
        history[APART] = None
    while todo:
        ref = todo.pop()
        thing = m.state.heap.get(ref)
        if ref in seen or thing is None or type(thing) is Node:
            continue
        seen.add(ref)
        if type(thing) is Tensor:
            history |= dict.fromkeys(thing.node)
            memories |= dict.fromkeys(thing.storage)
            todo += references(thing.gradient)
        elif type(thing) is Array:
            memories |= dict.fromkeys(thing.storage)
        else:
            todo += handed_on(thing)
    memories |= dict.fromkeys(map(memory_of_gradient, memories))
    return tuple(history), tuple(memories)
