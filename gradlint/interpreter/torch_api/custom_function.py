"""Classes derived from `torch.autograd.Function`: `apply` runs `forward` without recording and records one operation.

Measured by `tests/programs/autograd_functions.py`: the results require grad if one of the tensors passed in by
itself does (those inside lists do not count), whatever happened inside; whole numbers and what
`mark_non_differentiable` names never do. A result that is an argument comes back as a view of it, unless
`mark_dirty` names it. `backward` runs with gradients on only under `create_graph=True`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO, UNSURE, Truth
from gradlint.domain.items import with_item
from gradlint.domain.objects import Class, Container, Instance, Node, Tensor
from gradlint.domain.refs import NOWHERE, Alternatives, Ref
from gradlint.domain.value_sets import alternatives, one_of, references
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, Function, ImportPath, Unknown, Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.results import Requested
from gradlint.interpreter.autograd.version_counter import compared, counts_alone, kept
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_named
from gradlint.interpreter.engine.dispatch import TypeSlot, implements, models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.functions import call_function, restoring
from gradlint.interpreter.python.mro import ancestry, find_method
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.tree_walk import elements_of, in_order
from gradlint.interpreter.unknown.duck_typing import needed
from gradlint.knowledge.schema import Operation, Result

BASES = frozenset({ImportPath("torch.autograd.Function"), ImportPath("torch.autograd.function.Function")})
CALLED = ImportPath("torch.autograd.Function.__call__")
"""The path of the call of an instance: torch refuses it."""
CONTEXT = "torch.autograd.function.FunctionCtx"
SAVED, DIRTY, NON_DIFFERENTIABLE = "saved_tensors", "dirty tensors", "non differentiable tensors"
BACKWARD = frozenset({"backward", "vjp"})


class ArgumentsGiven(dict[Any, int]):
    """The `forward` of custom functions, with the most arguments that a call of `apply` certainly passes it."""


def is_function(m: Interpreter, cls: Ref) -> bool:
    """Return whether a class of the program derives from `torch.autograd.Function`."""
    return any(type(one) is ImportPath and one in BASES for one in ancestry(m, cls))


@implements(TypeSlot.CALL_INHERITED, Class)
def _inherited(m: Interpreter, node: Site, owner: Ref, method: str, args: Arguments) -> Value | None:
    """Return the member that torch's class gives a class of the program, or an instance of one; None for others."""
    if method == "apply":
        return call(m, node, owner, args)
    cls = getattr(m[owner], "cls", None)
    if method != "__call__" or type(cls) is not Ref or not is_function(m, cls):
        return None
    return call_named(m, node, CALLED, args.with_first(owner), "")


def call(m: Interpreter, node: Site, cls: Ref, args: Arguments) -> Value | None:
    """`Cls.apply(...)`; None where the class does not say what its `forward` does."""
    forward, setup = find_method(m, cls, "forward"), find_method(m, cls, "setup_context")
    if forward is None or not is_function(m, cls):
        return None
    most = m.notes(ArgumentsGiven)
    most[forward.node] = max(most.get(forward.node, 0), len(args.positional))
    thing: Class = m[cls]
    known = (needed(m, m.part_of(node, "ctx"), "ctx"),)
    context = m.new(m.part_of(node, "ctx"), "ctx", Instance(cls=ImportPath(CONTEXT), attributes=known, open=NO))
    start = m.push(context, *args.values())
    before = [_asks(m, value) for value in args.values()]
    given = args if setup is not None else args.with_first(context)
    found = unrecorded(m, lambda: call_function(m, m.part_of(node, "forward"), forward, given))
    m.push(found)
    if setup is not None:
        held, *values, found = m.state.stack[start:]
        inputs = tuple_of(m, m.part_of(node, "inputs"), values, "inputs")
        call_function(m, m.part_of(node, "setup"), setup, Arguments([held, inputs, found]))
    held, *values, found = m.pop_from(start)
    backward = next((one for name in sorted(BACKWARD) if (one := find_method(m, cls, name)) is not None), None)
    refused = frozenset() if backward is None else _refused(backward.node, len(values))
    outcome = _Outcome(m, Forward(node, thing.name, values, held, refused))
    with _as_applied(m, values, before, outcome.dirty):
        return outcome.of(found)


def _asks(m: Interpreter, value: Value) -> Truth | None:
    """Return whether a value is a leaf that requires grad; None for what is no leaf."""
    tensor = m.only(value, Tensor)
    return tensor.requires_grad if tensor is not None and not tensor.node else None


@contextmanager
def _as_applied(
    m: Interpreter, values: list[Value], before: list[Truth | None], dirty: tuple[Ref, ...]
) -> Iterator[None]:
    """Let leaves require grad as they did when the function was applied: that decides, not what its `forward` sets
    of them, and it is how what it marks as `dirty` is left."""
    changed = {}
    for value, asked in zip(values, before, strict=True):
        tensor = m.only(value, Tensor)
        if type(value) is Ref and tensor is not None and asked is not None and tensor.requires_grad is not asked:
            changed[value] = tensor.requires_grad
            m.store_exact(value, replace(tensor, requires_grad=asked))
    yield
    for ref, asks in changed.items():
        if ref not in dirty:
            m.store_exact(ref, replace(m[ref], requires_grad=asks))


def _refused(backward: Any, count: int) -> frozenset[int]:
    """The arguments of `forward` that `backward` writes None for, in one of its returns at least."""
    given = [elements_of(one.value) for one in in_order(backward.body) if type(one) is cst.Return]
    return frozenset(index for index in range(count) if not given or any(_is_none(one, index) for one in given))


def _is_none(given: list[Any], index: int) -> bool:
    if any(type(one) is cst.StarredElement for one in given):
        return False
    return index >= len(given) or given[index] is None or getattr(given[index], "value", "") == "None"


def unrecorded(m: Interpreter, run: Callable[[], Value]) -> Value:
    """Run something with gradients off."""
    mode = m.state.modes
    with restoring(m, mode):
        m.state.grad_mode = NO
        found = run()
        m.state.grad_mode = mode[0]
    return found


def recorded(m: Interpreter, node: Site, name: str, given: list[Value], value: Value) -> Value:
    """Return the values computed with gradients off from these, as the results of one operation on them."""
    return _Outcome(m, Forward(node, name, given)).of(value)


@frozen()
class Forward:
    """A call of `forward` with what it was `given`, and its `context`; `backward` gives nothing at the `refused`
    places."""

    node: Site
    name: str
    given: list[Value]
    context: Value = NONE_VALUE
    refused: frozenset[int] = frozenset()


class _Outcome:
    """The results that `apply` makes of what `forward` returned."""

    def __init__(self, m: Interpreter, call: Forward) -> None:
        self.m, self.node, self.name, self.given, self.refused = m, call.node, call.name, call.given, call.refused
        self.noted = dict(getattr(m.thing(call.context), "attributes", ()))
        self.dirty = self._noted(DIRTY)
        self.count = 0

    def of(self, value: Value) -> Value:
        """The result for what was returned: a tensor, a tuple of them, or anything else, which stays as it is."""
        return one_of([self._of(option) for option in alternatives(value)])

    def _of(self, value: Value) -> Value:
        m = self.m
        thing = m.thing(value)
        if type(value) is Ref and type(thing) is Tensor:
            return self._tensor(value, thing)
        if type(thing) is Container and thing.kind == "tuple":
            start = m.push(*thing.held)
            for index in range(start, len(m.state.stack)):
                m.state.stack[index] = self.of(m.state.stack[index])
            *items, rest = m.pop_from(start)
            return m.new(self.node, "results", Container("tuple", items=tuple(enumerate(items)), rest=rest))
        return value if type(value) is Constant or type(thing) is Container else result_of_unknown([value, *self.given])

    def _tensor(self, ref: Ref, tensor: Tensor) -> Value:
        m, node = self.m, self.node
        differentiable = ref not in self._noted(NON_DIFFERENTIABLE)
        row = Operation(self.name, (), (), (), "", results=(Result(differentiable=differentiable),))
        places = [index for index, value in enumerate(self.given) if _may_be_tensor(m, value)]
        inputs = [("input", self.given[index]) for index in places] or [("input", NONE_VALUE)]
        self.count += 1
        made = apply(m, node, row, inputs, Requested(tensor.dtype, part=f"result {self.count} "))
        assert type(made) is Ref
        new: Tensor = m[made]
        refused = {place for place, index in enumerate(places) if index in self.refused}
        for recorded in new.node:
            if recorded is not None:
                old: Node = m[recorded]
                slots = tuple((*slot, NOWHERE) if place in refused else slot for place, slot in enumerate(old.inputs))
                m.state.heap[recorded] = replace(old, inputs=slots, saves=self._saves())
        if ref in self.dirty:
            m.store(ref, replace(tensor, requires_grad=new.requires_grad, leaf=new.leaf, node=new.node))
            return ref
        base = (ref,) if ref in [one for value in self.given for one in alternatives(value)] else tensor.base
        now = replace(new, storage=tensor.storage, alone=counts_alone(tensor), count=tensor.count, base=base,
                      inference=tensor.inference)  # fmt: skip
        m.state.heap[made] = now
        return made

    def _noted(self, name: str) -> tuple[Ref, ...]:
        held = self.m.only(self.noted.get(name, UNKNOWN), Container)
        return () if held is None else tuple(ref for _, value in held.items for ref in references(value))

    def _saves(self) -> tuple[Alternatives, ...]:
        saved = [self.m.state.heap.get(ref) for ref in self._noted(SAVED)]
        found = [slot(self.m, thing) for thing in saved if type(thing) is Tensor for slot in (kept, compared)]
        return tuple(filter(None, found))


def _may_be_tensor(m: Interpreter, value: Value) -> bool:
    return m.may_be(value, Tensor) or any(type(option) is Unknown for option in alternatives(value))


# ---- the context


@models(f"{CONTEXT}.save_for_backward")
def _save(m: Interpreter, node: Site, args: Arguments) -> Value:
    return _note(m, node, args, SAVED)


@models(f"{CONTEXT}.mark_dirty")
def _mark_dirty(m: Interpreter, node: Site, args: Arguments) -> Value:
    return _note(m, node, args, DIRTY)


@models(f"{CONTEXT}.mark_non_differentiable")
def _mark_non_differentiable(m: Interpreter, node: Site, args: Arguments) -> Value:
    return _note(m, node, args, NON_DIFFERENTIABLE)


@models(f"{CONTEXT}.set_materialize_grads", f"{CONTEXT}.save_for_forward")
def _nothing(m: Interpreter, node: Site, args: Arguments) -> Value:
    return NONE_VALUE


def _note(m: Interpreter, node: Site, args: Arguments, name: str) -> Value:
    """Keep the arguments of a method of the context there."""
    context, *values = args.positional
    kept = tuple_of(m, node, values, name)
    for ref, thing in m.all(context, Instance):
        m.store(ref, replace(thing, attributes=with_item(thing.attributes, name, kept)))
    return NONE_VALUE


# ---- methods that run on their own


def _owner(m: Interpreter, function: Function) -> Ref | None:
    cls = m.defined.classes.get(function.owner)
    return cls if cls is not None and cls in m.state.heap and is_function(m, cls) else None


def mode_alone(m: Interpreter, function: Function) -> Truth:
    """The grad mode that a function is run in when the program does not call it: torch's, that of other files, that of
    what calls the method of a base class that it overrides."""
    if function.owner is None or _owner(m, function) is None:
        off = m.neighbours.call_without_gradients(function.name, _files_of_bases(m, function))
        return UNSURE if off else m.state.grad_mode
    return {"forward": NO}.get(function.name, NO | UNSURE if function.name in BACKWARD else m.state.grad_mode)


def _files_of_bases(m: Interpreter, function: Function) -> tuple[str, ...]:
    """The other files that hold the bases of the class of a method, as far as these have methods."""
    cls = m.defined.classes.get(function.owner)
    classes = [m.state.heap.get(one) for one in ancestry(m, cls) if type(one) is Ref] if cls is not None else []
    members = [member for one in classes if type(one) is Class for _, member in one.members]
    frames = [m.frames.get(member.frame) for member in members if type(member) is Function]
    return tuple(sorted({frame.file.path for frame in frames if frame is not None and frame.file.path}))
