"""Attributes of tensors: reading and setting them."""

from __future__ import annotations

from collections.abc import Callable

from gradlint import events
from gradlint.domain.facts import BOOL, FRESH, LOST, NO, NONE, YES, Grad, Truth, Unit, truth
from gradlint.domain.fields import Aspect, unknown
from gradlint.domain.objects import Tensor
from gradlint.domain.provenance import Belief, ClearKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, references
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Bound, Constant, ImportPath, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.batches import PARTS, is_batch
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.grad import clear_gradients, read_gradient
from gradlint.interpreter.autograd.in_place import gradients_written
from gradlint.interpreter.autograd.operations import plain_value
from gradlint.interpreter.autograd.requires_grad import perhaps_elsewhere, perhaps_given_back
from gradlint.interpreter.autograd.tensor import CLEARING, dtype_told, unknown_tensor
from gradlint.interpreter.autograd.tensor_methods import is_tensor_method
from gradlint.interpreter.autograd.version_counter import is_shared
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.escape import escape_graphs
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.python.duck_typing_names import SAME_ATTRIBUTE, TENSOR_ATTRIBUTES

PART = "named part "
"""The prefix of the parts that stand for what was read by its name off a module's result; nobody says what that is."""


def output(m: Interpreter, node: Site, owner: Value, name: str) -> Value:
    """A part of what a module gave, by its name: a tensor or None. Where the library says that it is one the facts of
    the whole hold of it, else nothing is known of it."""
    found: list[Value] = []
    for ref, tensor in m.all(owner, Tensor):
        known = m.packs.cls(tensor.made)
        if known is not None and name in known.row.outputs:
            found.append(m.new(node, f"output {name}", replace(tensor, may_be_structured=False, made="module")))
        else:
            some = unknown_tensor(m, node, f"{PART}{name}", max(tensor.belief, Belief.FROM_USAGE), (ref,))
            m.store(some, replace(m[some], may_be_structured=True))
            found.append(some)
    return one_of([*found, NONE_VALUE])


@implements(TypeSlot.GET_ATTRIBUTE, Tensor)
def _get(m: Interpreter, node: Site, owner: Value, name: str, chain: str, guard: bool) -> Value:
    name = SAME_ATTRIBUTE.get(name, name)
    if name == "grad":
        if m.effects.looked is not None:
            m.effects.looked |= {(ref, name): None for ref in references(owner)}
        return read_gradient(m, node, owner, guard=guard, name=chain)
    tensor = m.only(owner, Tensor)
    assert tensor is not None
    if name in FLAGS:
        return _flag(FLAGS[name](tensor), tensor.belief)
    row = m.torch.attributes.get(f"torch.Tensor.{name}")
    if row is not None:
        return apply(m, node, row, [(row.operands[0], owner)])
    if name == "dtype":
        return dtype_told(tensor)
    if name in PLAIN_ATTRIBUTES:
        plain = m.torch.plain.get(f"torch.Tensor.{name}")
        return plain_value(plain.returns if plain else name)
    if tensor.may_be_structured and not is_tensor_method(m, name) and not (is_batch(tensor) and name in PARTS):
        return output(m, node, owner, name)
    if not guard and not m.is_silent and name not in TENSOR_ATTRIBUTES:
        m.emit(events.AttributeMissing, node, tensor=tensor, attr=name, name=chain)
    return Bound(owner, name)


PLAIN_ATTRIBUTES = frozenset(
    [
        "shape",
        "device",
        "layout",
        "ndim",
        "nbytes",
        "itemsize",
        "output_nr",
        "is_cuda",
        "is_cpu",
        "is_sparse",
        "is_quantized",
        "is_meta",
        "is_mps",
        "is_xpu",
        "is_nested",
        "is_mkldnn",
        "is_sparse_csr",
        "is_xla",
        "grad_fn",
        "names",
        "_version",
    ]
)
"""Attributes (not methods) of tensors that are no tensors."""
FLAGS: dict[str, Callable[[Tensor], Truth]] = {
    "requires_grad": lambda tensor: tensor.requires_grad,
    "is_leaf": lambda tensor: tensor.leaf,
    "retains_grad": lambda tensor: tensor.retains,
}


def _flag(fact: Truth, belief: Belief) -> Value:
    """Return the value of a flag: a merely likely fact decides no branch. A no comes from the mode of the place."""
    if fact is NO and belief is not Belief.UNTOUCHED:
        return Constant(False)
    return Constant(True) if fact is YES and belief <= Belief.ANNOTATED else PythonNumber(BOOL)


ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})


def _grad_of(m: Interpreter, thing: Tensor, value: Value) -> Grad:
    """Return the state of a tensor's gradient that is set; zeros are none until added to, and may be results of
    zeros."""
    zeros = any(_may_be_zeros(m, made) for _, made in m.all(value, Tensor))
    may_be_none = NONE_VALUE in alternatives(value) or zeros
    now = FRESH | CLEARING.of(thing) if may_be_none else FRESH
    return now | LOST if any(made.grad_of for _, made in m.all(value, Tensor)) and zeros else now


def _may_be_zeros(m: Interpreter, made: Tensor) -> bool:
    owners = [m.state.heap.get(ref) for ref in made.grad_of]
    return made.made in ZEROS or any(type(owner) is Tensor and owner.grad.may(NONE | LOST) for owner in owners)


@implements(TypeSlot.SET_ATTRIBUTE, Tensor)
def _set(m: Interpreter, node: Site, ref: Ref, name: str, value: Value, sure: bool) -> None:
    thing: Tensor = m[ref]
    if name == "grad" and value == NONE_VALUE:
        clear_gradients(m, node, [ref], to_none=YES, by=ClearKind.ASSIGNMENT, sure=[ref] if sure else ())
    elif name == "grad":
        m.store(
            ref,
            replace(thing, grad=_grad_of(m, thing, value), unit=Unit.unsure(), gradient=value),
            sure=sure,
            filling=True,
        )
    elif name == "data":
        other = m.only(value, Tensor)
        memory = other.storage if other else (m.memory(node, "data"),)
        facts = unknown(Tensor, Aspect.MEMORY)
        if other:
            facts = {name: getattr(other, name) for name in ("dtype", *facts)}
            facts["inference"] |= thing.inference  # it may be written as before, and be saved as what it was given
        facts["alone"] = truth(other is not None and is_shared(m, memory, value))
        gradients_written(m, thing.storage)
        perhaps_elsewhere(m, perhaps_given_back(m, ref, thing), memory)
        m.store(ref, replace(thing, storage=memory, **facts), sure=sure)
    elif thing.may_be_structured:
        escape_graphs(m, [value])  # an object keeps it, and whoever has that may read it


@implements(TypeSlot.HAS_ATTRIBUTE, Tensor)
def _has(m: Interpreter, thing: Tensor, name: str) -> Truth:
    return YES if is_tensor_method(m, name) else Truth.unsure()


@implements(TypeSlot.TYPE_OF, Tensor)
def _type_of(thing: Tensor) -> Value:
    return ImportPath("torch.Tensor") if thing.parameter is NO else UNKNOWN
