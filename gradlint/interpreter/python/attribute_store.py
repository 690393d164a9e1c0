"""Attributes: setting and deleting them on tensors, modules, instances and classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint import events
from gradlint.domain import (
    FRESH,
    LOST,
    NO,
    NONE,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    YES,
    Belief,
    Class,
    Const,
    Container,
    Function,
    Grad,
    Imported,
    Instance,
    Module,
    Named,
    Optimizer,
    Ref,
    Scalar,
    Tensor,
    Truth,
    Unit,
    Unknown,
    Value,
    alternatives,
    one_of,
    truth,
    with_attribute,
)
from gradlint.domain.fields import Aspect, unknown
from gradlint.frozen import replace
from gradlint.interpreter.autograd.grad import clear_gradients
from gradlint.interpreter.autograd.in_place import gradients_written
from gradlint.interpreter.autograd.leaf import want_leaves
from gradlint.interpreter.autograd.requires_grad import set_requires_grad
from gradlint.interpreter.autograd.tensor import CLEARING, truth_of
from gradlint.interpreter.autograd.version_counter import is_shared
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.escape import done_to_one_of, result_of_unknown
from gradlint.interpreter.engine.frames import arguments_in
from gradlint.interpreter.engine.machine import Interpreter, not_none
from gradlint.interpreter.nn.module import mode_of
from gradlint.interpreter.python import descriptors
from gradlint.interpreter.python.mro import find_member, find_method
from gradlint.interpreter.training import optimizer
from gradlint.interpreter.unknown.duck_typing import FUNCTION_CONTEXT


def set_attribute(
    it: Interpreter,
    node: Any,
    owner: Value,
    name: str,
    value: Value,
    chain: str,
    *,
    own: bool,
    given: Any = None,
    statement: Any = None,
) -> None:
    """`owner.name = value`; `given` is the expression of the value, `statement` the assignment where that is all it
    does."""
    owner = not_none(owner)
    if not it.unheard:
        tell_assigned(it, node, owner, name, value, chain, own=own, given=given, statement=statement)
    found = [(option, it.state.heap.get(option)) for option in alternatives(owner) if type(option) is Ref]
    sure = len(found) == len(alternatives(owner)) and it.sure(found)
    if name == "requires_grad" and it.may_be(owner, Tensor):
        set_requires_grad(
            it, node, owner, truth_of(value), "assign", chain, sure=None if sure else (), statement=statement
        )
        found = [(ref, thing) for ref, thing in found if type(thing) is not Tensor]
    value = _on_each(
        it,
        [ref for ref, thing in found if type(thing) in SETTERS],
        value,
        lambda ref, held: SETTERS[type(it[ref])](it, node, ref, it[ref], name, held, sure),
    )
    for option in alternatives(owner):
        if type(option) is Imported:
            it.neighbours.set(option.module, name, value)
    if not found and type(owner) is Unknown:
        it.escape([value])
        done_to_one_of(it, owner)


def set_past_class(
    it: Interpreter, node: Any, owner: Value, name: str, value: Value, *, registered: bool = False
) -> None:
    """An attribute is set by `object.__setattr__`, past what the class of the object makes of assignments; whether a
    module counts it among its parts nevertheless."""
    options = alternatives(owner)
    found = [option for option in options if type(option) is Ref and type(it.thing(option)) in OBJECTS]
    others = [option for option in options if option not in found]
    if others:
        start = it.hold(value)
        it.perhaps(lambda: set_attribute(it, node, one_of(others), name, value, "", own=False), bool(found))
        value = it.land(start)[0]

    def set_on(ref: Ref, held: Value) -> None:
        if registered and len(options) == 1 and _is_refused(it, ref, name, held):
            it.raises()
            return
        aside = type(it[ref]) is Module and not registered and _may_be_part(it, held)
        _set_as_objects_do(it, node, ref, name, result_of_unknown([held]) if aside else held, sure=len(options) == 1)

    _on_each(it, found, value, set_on)


def _on_each(it: Interpreter, refs: list[Ref], value: Value, setting: Callable[[Ref, Value], None]) -> Value:
    """Set a value on each of these objects, which may run code of the program; give the value as it is then known."""
    start = it.hold(value, *refs)
    for index in range(start + 1, start + 1 + len(refs)):
        ref = it.state.flight[index]
        assert type(ref) is Ref
        setting(ref, it.state.flight[start])
    return it.land(start)[0]


def _may_be_part(it: Interpreter, value: Value) -> bool:
    """Whether a module would count a value among its parts, were it assigned."""
    return it.may_be(value, Module) or any(tensor.parameter.may(YES) for _, tensor in it.all(value, Tensor))


def tell_assigned(
    it: Interpreter,
    node: Any,
    owner: Value,
    name: str,
    value: Value,
    chain: str,
    *,
    own: bool,
    given: Any = None,
    statement: Any = None,
) -> None:
    """An attribute is about to be set, or a part of a list of modules, whose name is its index."""
    shown = it.thing(owner)
    old = _old(shown, name)
    held = _holding_part(it, shown, old)
    it.emit(
        events.AttributeAssigned,
        node,
        owner=shown,
        attr=name,
        value=it.thing(value),
        old=it.thing(old),
        holders=held,
        parameters=optimizer.trainable(it, value) if held else (),
        name=chain,
        own=own,
        read_by_class=read_by_class(it, shown, name).may(YES),
        given=given,
        statement=statement,
        arguments=arguments_in(it, value) if getattr(shown, "cls", None) == FUNCTION_CONTEXT else (),
    )
    if type(shown) is Module:
        want_leaves(it, node, [value], "attribute", f"{chain}.{name}" if chain else "")


def _holding_part(it: Interpreter, shown: Any, old: Value) -> tuple[Optimizer, ...]:
    """The optimizers that hold a part of a module. A part of one that was handed over is only known by what is asked of
    it: it is held with all the others."""
    held = optimizer.holding(it, old)
    if held or type(shown) is not Module or shown.belief < Belief.ANNOTATED:
        return held
    asked = getattr(it.thing(old), "belief", Belief.PROVEN) >= Belief.BY_USE
    return optimizer.holding(it, shown.rest) if asked else ()


def _old(shown: Any, name: str) -> Value:
    known: dict[object, Value] = dict(getattr(shown, "attributes", ()))
    return known.get(name, UNKNOWN)


def read_by_class(it: Interpreter, shown: Any, name: str) -> Truth:
    """Whether the class of a module or instance reads or defines an attribute, so that setting it has a meaning.

    What is told to be a module by its use alone is taken for one of a class like most, as an annotation is.
    """
    if not isinstance(shown, (Module, Instance)):
        return NO
    verdict = NO if shown.belief is not Belief.BY_NAME else UNSURE
    for cls in alternatives(shown.cls):
        thing = it.thing(cls)
        if type(thing) is Class:
            todo: list[Any] = [thing]
            while todo:
                one = todo.pop()
                if type(one) is Class:
                    if name in one.reads:
                        return YES
                    todo += [it.thing(base) for base in one.bases]
            if thing.open is not NO:
                verdict = verdict | UNSURE
        elif type(thing) is not Named and not (cls == UNKNOWN and type(shown) is Module):
            verdict = verdict | UNSURE
    return verdict


ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})


def _grad_of(it: Interpreter, thing: Tensor, value: Value) -> Grad:
    """Where the gradient of a tensor stands that is given another one; zeros are none until they are added to, and
    what is computed from them may be zeros."""
    zeros = any(_may_be_zeros(it, made) for _, made in it.all(value, Tensor))
    may_be_none = NONE_VALUE in alternatives(value) or zeros
    now = FRESH | CLEARING.of(thing) if may_be_none else FRESH
    return now | LOST if any(made.grad_of for _, made in it.all(value, Tensor)) and zeros else now


def _may_be_zeros(it: Interpreter, made: Tensor) -> bool:
    owners = [it.state.heap.get(ref) for ref in made.grad_of]
    return made.made in ZEROS or any(type(owner) is Tensor and owner.grad.may(NONE | LOST) for owner in owners)


def _set_on_tensor(it: Interpreter, node: Any, ref: Ref, thing: Tensor, name: str, value: Value, sure: bool) -> None:
    if name == "grad" and value == NONE_VALUE:
        clear_gradients(it, node, [ref], to_none=YES, by="assign", sure=[ref] if sure else ())
    elif name == "grad":
        it.put(
            ref,
            replace(thing, grad=_grad_of(it, thing, value), unit=Unit.unsure(), gradient=value),
            sure=sure,
            filling=True,
        )
    elif name == "data":
        other = it.only(value, Tensor)
        memory = other.storage if other else (it.memory(node, "data"),)
        facts = unknown(Tensor, Aspect.MEMORY)
        if other:
            facts = {name: getattr(other, name) for name in ("dtype", *facts)}
            facts["inference"] |= thing.inference  # it may be written as before, and be saved as what it was given
        facts["alone"] = truth(other is not None and is_shared(it, memory, value))
        gradients_written(it, thing.storage)
        it.put(ref, replace(thing, storage=memory, **facts), sure=sure)


def setter_of(name: str) -> str:
    """The name under which a class keeps the setter of a property; no attribute can be called so."""
    return f"{name} setter"


def _set_on_object(it: Interpreter, node: Any, ref: Ref, thing: Any, name: str, value: Value, sure: bool) -> None:
    redirect = find_method(it, thing.cls, "__setattr__")
    if redirect is not None:
        _told(it, node, redirect, Arguments([ref, Const(name), value]), sure)
    elif sure and _is_refused(it, ref, name, value):
        it.raises()
    else:
        _set_as_objects_do(it, node, ref, name, value, sure=sure)


def _is_refused(it: Interpreter, ref: Ref, name: str, value: Value) -> bool:
    """Whether a module raises TypeError where an attribute is set under the name of a part of it: in place of a
    parameter it takes parameters and None, in place of a module those and modules."""
    thing = it.state.heap.get(ref)
    if type(thing) is not Module or thing.open is not NO or thing.belief is not Belief.PROVEN or name in thing.absent:
        return False
    old = _old(thing, name)
    parameter = it.only(old, Tensor)
    if it.only(old, Module) is None and (parameter is None or parameter.parameter is not YES):
        return False
    return it.is_meant(ref, thing) and all(
        _fits_nowhere(it, option, among_modules=parameter is None) for option in alternatives(value)
    )


def _fits_nowhere(it: Interpreter, value: Value, *, among_modules: bool) -> bool:
    """Whether a value is certainly neither a parameter nor None, nor a module `among_modules`."""
    thing = it.thing(value)
    if type(thing) is Tensor:
        return thing.parameter is NO and it.refuses(value, [value])  # type: ignore[list-item]
    if type(thing) is Const:
        return thing.value is not None
    return type(thing) in (Scalar, Container) or (type(thing) is Module and not among_modules)


def _set_as_objects_do(it: Interpreter, node: Any, ref: Ref, name: str, value: Value, *, sure: bool = True) -> None:
    """What `object.__setattr__` does: a property or a descriptor of the class takes the value, or the object keeps
    it."""
    cls = it[ref].cls
    member = find_member(it, cls, name)
    setter = find_member(it, cls, setter_of(name))
    if type(setter) is Function:
        _told(it, node, setter, Arguments([ref, value]), sure)
    elif member is not None and (taking := descriptors.takes(it, member)) is not None:
        _told(it, node, taking, Arguments([member, ref, value]), sure)
    else:
        set_plainly(it, ref, name, value, sure=sure)


def _told(it: Interpreter, node: Any, method: Function, args: Arguments, sure: bool) -> None:
    """A method of the program that stands for an assignment, of an object that may be another than the one meant."""
    from gradlint.interpreter.python.functions import call_function

    it.perhaps(lambda: call_function(it, node, method, args), not sure)


def set_plainly(it: Interpreter, ref: Ref, name: str, value: Value, *, sure: bool = True) -> None:
    """An attribute of an object is set, whatever its class makes of that."""
    thing: Any = it.state.heap.get(ref)
    if type(thing) is Module and name == "training":  # that of the module alone; its parts keep theirs
        it.put(ref, replace(thing, mode=mode_of(truth_of(value))), sure=sure)
        return
    it.put(ref, with_attribute(thing, name, value), sure=sure)
    if type(thing) is Module and thing.initialised is not YES and _is_registered(it, value):
        it.update(ref, Module, initialised=YES)  # else torch would have raised
    if type(thing) is Instance and thing.cls == UNKNOWN:
        it.escape([value])


def _is_registered(it: Interpreter, value: Value) -> bool:
    """Whether a module that is given this value as an attribute registers it."""
    tensor = it.only(value, Tensor)
    return it.only(value, Module) is not None or (tensor is not None and tensor.parameter is YES)


def has_setter(it: Interpreter, owner: Value, name: str) -> bool:
    """Whether setting an attribute runs code of the program."""
    thing = it.thing(owner)
    if not isinstance(thing, (Module, Instance)):
        return False
    if any(find_method(it, thing.cls, known) is not None for known in (setter_of(name), "__setattr__")):
        return True
    return descriptors.takes(it, find_member(it, thing.cls, name)) is not None


def _set_on_class(it: Interpreter, node: Any, ref: Ref, thing: Class, name: str, value: Value, sure: bool) -> None:
    members = dict(thing.members) | {name: value}
    it.put(ref, replace(thing, members=tuple(members.items())), sure=sure)


def deleter_of(name: str) -> str:
    """The name under which a class keeps the deleter of a property."""
    return f"{name} deleter"


def delete_attribute(it: Interpreter, node: Any, owner: Value, name: str, *, by_class: bool = True) -> None:
    """`del owner.name`, or `object.__delattr__`, which goes past what the class of the object makes of that."""
    options = alternatives(owner)
    for ref in [option for option in options if type(option) is Ref]:
        thing, sure = it.state.heap.get(ref), len(options) == 1
        if type(thing) is Tensor and name == "grad":
            _set_on_tensor(it, node, ref, thing, name, NONE_VALUE, sure)
        if not isinstance(thing, (Module, Instance)):
            continue
        redirect = find_method(it, thing.cls, "__delattr__") if by_class else None
        if redirect is None:
            _delete_as_objects_do(it, node, ref, name, sure=sure)
        else:
            _told(it, node, redirect, Arguments([ref, Const(name)]), sure)


def _delete_as_objects_do(it: Interpreter, node: Any, ref: Ref, name: str, *, sure: bool = True) -> None:
    """What `object.__delattr__` does: a property of the class hears of it, or the object has the attribute no more."""
    thing: Any = it[ref]
    deleter = find_member(it, thing.cls, deleter_of(name))
    if type(deleter) is Function:
        _told(it, node, deleter, Arguments([ref]), sure)
        return
    kept = tuple((known, value) for known, value in thing.attributes if known != name)
    it.put(ref, replace(thing, attributes=kept), sure=sure)


OBJECTS = (Module, Instance, Optimizer)
"""What is of classes that may say what becomes of an assignment."""

SETTERS: dict[type, Callable[..., None]] = {
    Tensor: _set_on_tensor,
    **dict.fromkeys(OBJECTS, _set_on_object),
    Class: _set_on_class,
}
