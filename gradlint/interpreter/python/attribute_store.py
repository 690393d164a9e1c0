"""Attributes: setting and deleting them on tensors, modules, instances and classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlint import events
from gradlint.domain.facts import NO, UNSURE, YES, Truth
from gradlint.domain.items import item_of
from gradlint.domain.objects import Class, Container, Instance, Module, Optimizer, Owner, Tensor, with_attribute
from gradlint.domain.provenance import AskKind, Belief
from gradlint.domain.refs import Ref, Syntax
from gradlint.domain.value_sets import alternatives, one_of, references, truth_of
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    Constant,
    Function,
    Imported,
    ImportPath,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd.grad import tensors_of
from gradlint.interpreter.autograd.in_place import updates
from gradlint.interpreter.autograd.leaf import require_leaves
from gradlint.interpreter.autograd.requires_grad import Asked, perhaps_elsewhere, set_requires_grad
from gradlint.interpreter.engine.arguments import Arguments, arguments_in
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.escape import escape_graphs, result_of_unknown, weak_update
from gradlint.interpreter.engine.machine import Interpreter, not_none
from gradlint.interpreter.engine.module_tree import mode_of, parameters
from gradlint.interpreter.engine.unseen import learned
from gradlint.interpreter.python import descriptors
from gradlint.interpreter.python.functions import call_function, too_deep
from gradlint.interpreter.python.mro import FUNCTION_CONTEXT, find_member, find_method
from gradlint.interpreter.python.unread_attributes import is_unread
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.python.duck_typing_names import SAME_ATTRIBUTE

SET = SLOTS[TypeSlot.SET_ATTRIBUTE]


@frozen()
class Written:
    """The spelling of an assignment: the `owner` and whether that is `self` of the method that runs (`own`), the
    expression of the value (`given`), and the `statement` where assigning is all that it does."""

    owner: str = ""
    own: bool = False
    given: Syntax = None
    statement: Syntax = None


BY_CALL = Written()
"""The spelling of an assignment by a function."""


def set_attribute(
    m: Interpreter, node: Site, owner: Value, name: str, value: Value, written: Written = BY_CALL
) -> None:
    """Run `owner.name = value`."""
    owner = not_none(owner)
    if m.may_be(owner, Tensor):
        name = SAME_ATTRIBUTE.get(name, name)
    if name == "requires_grad" and type(owner) is Unknown:
        owner = learned(m, node, owner, "")
    if not m.is_silent:
        emit_assigned(m, node, owner, name, value, written)
    found = [(option, m.state.heap.get(option)) for option in alternatives(owner) if type(option) is Ref]
    sure = len(found) == len(alternatives(owner)) and m.is_strong(found)
    if name == "requires_grad" and m.may_be(owner, Tensor):
        asked = Asked(node, truth_of(value), AskKind.ASSIGNMENT, written.owner, written.statement)
        set_requires_grad(m, owner, asked, None if sure else ())
        found = [(ref, thing) for ref, thing in found if type(thing) is not Tensor]
    value = _on_each(
        m,
        [ref for ref, thing in found if type(thing) in SET],
        value,
        lambda ref, held: SET[type(m[ref])](m, node, ref, name, held, sure),
    )
    for option in alternatives(owner):
        if type(option) is Imported:
            m.neighbours.set(option.module, name, value)
    if not found and type(owner) is Unknown:
        escape_graphs(m, [value])
        weak_update(m, owner)
        if name == "data":
            given = [(ref, thing) for ref in owner.reach if type(thing := m.state.heap.get(ref)) is Tensor]
            perhaps_elsewhere(m, given, [memory for _, one in m.all(value, Tensor) for memory in one.storage])


def set_past_class(
    m: Interpreter, node: Site, owner: Value, name: str, value: Value, *, registered: bool = False
) -> None:
    """An attribute is set by `object.__setattr__`, past what the class of the object makes of assignments; whether a
    module counts it among its parts nevertheless."""
    options = alternatives(owner)
    found = [option for option in options if type(option) is Ref and isinstance(m.thing(option), Owner)]
    others = [option for option in options if option not in found]
    if others:
        start = m.push(value)
        m.maybe(lambda: set_attribute(m, node, one_of(others), name, value), bool(found))
        value = m.pop_from(start)[0]

    def set_on(ref: Ref, held: Value) -> None:
        if registered and len(options) == 1 and _is_refused(m, ref, name, held):
            m.raises()
            return
        aside = type(m[ref]) is Module and not registered and _may_be_part(m, held)
        _set_as_objects_do(m, node, ref, name, result_of_unknown([held]) if aside else held, sure=len(options) == 1)

    _on_each(m, found, value, set_on)


def _on_each(m: Interpreter, refs: list[Ref], value: Value, setting: Callable[[Ref, Value], None]) -> Value:
    """Set a value on each of these objects, which may run code of the program; give the value as it is then known."""
    start = m.push(value, *refs)
    for index in range(start + 1, start + 1 + len(refs)):
        ref = m.state.stack[index]
        assert type(ref) is Ref
        setting(ref, m.state.stack[start])
    return m.pop_from(start)[0]


def _may_be_part(m: Interpreter, value: Value) -> bool:
    """Return whether a module would count a value among its parts, were it assigned."""
    return m.may_be(value, Module) or any(tensor.parameter.may(YES) for _, tensor in m.all(value, Tensor))


def emit_assigned(m: Interpreter, node: Site, owner: Value, name: str, value: Value, written: Written) -> None:
    """An attribute is about to be set, or a part of a list of modules, whose name is its index."""
    shown = m.thing(owner)
    old = _old(shown, name)
    held = _holding_part(m, shown, _let_go(shown, name, old))
    new = trainable(m, value) if held else ()
    if _may_be_the_same(trainable(m, old) if new else (), new):
        held, new = (), ()
    read = read_by_class(m, shown, name)
    m.emit(
        events.AttributeAssigned,
        node,
        owner=shown,
        attr=name,
        value=m.thing(value),
        old=m.thing(old),
        holders=held,
        parameters=new,
        name=written.owner,
        own=written.own,
        read_by_class=read.may(YES),
        unread=read is NO and written.own and type(m.thing(value)) is Module and is_unread(m, shown, name),
        taken_by_class=has_setter(m, owner, name),
        given=written.given,
        statement=written.statement,
        arguments=arguments_in(m, value) if getattr(shown, "cls", None) == FUNCTION_CONTEXT else (),
        updates=name == "data" and type(shown) is Tensor and updates(m, shown, [value]),
    )
    if type(shown) is Module:
        require_leaves(m, node, [value], "attribute", f"{written.owner}.{name}" if written.owner else "")


def _let_go(shown: Any, name: str, old: Value) -> Value:
    """Return the part of an attribute's old value that no other attribute of the object may hold as well."""
    if not references(old):
        return old  # as where an attribute is set for the first time: classes may have thousands
    values = [value for key, value in getattr(shown, "attributes", ()) if key != name]
    others = [option for value in values for option in alternatives(value)]
    left = [option for option in alternatives(old) if type(option) is not Ref or option not in others]
    return one_of(left) if left else NOTHING


def _holding_part(m: Interpreter, shown: Any, old: Value) -> tuple[Optimizer, ...]:
    """The optimizers that hold a part of a module. A part of one that was passed in is only known by what is asked of
    it: it is held with all the others."""
    held = holding(m, old)
    if held or type(shown) is not Module or shown.belief.seen_made:
        return held
    asked = getattr(m.thing(old), "belief", Belief.PROVEN) >= Belief.FROM_USAGE
    return holding(m, shown.rest) if asked else ()


def _may_be_the_same(old: Sequence[Tensor], new: Sequence[Tensor]) -> bool:
    """Return whether what is set may be what was there: unseen code may give back what it had, and of two things that
    only their use tells of, nobody knows that they are not the same."""
    told_by_use = any(one.belief >= Belief.FROM_USAGE for one in new)
    return told_by_use and any(one.belief >= Belief.FROM_USAGE or one.unseen.may(YES) for one in old)


def trainable(m: Interpreter, value: Value) -> tuple[Tensor, ...]:
    """Return the tensors that an optimizer would be given of a value: the tensor, or the parameters of the module."""
    return tensors_of(m, [*(ref for ref, _ in m.all(value, Tensor)), *(ref for _, ref in parameters(m, value)[0])])


def holding(m: Interpreter, value: Value) -> tuple[Optimizer, ...]:
    """The optimizers that hold a tensor or a parameter of a module."""
    refs = {ref for ref, _ in m.all(value, Tensor)} | {ref for _, ref in parameters(m, value)[0]}
    if not refs:
        return ()
    found = [thing for thing in m.state.heap.values() if type(thing) is Optimizer]
    return tuple(thing for thing in found if not refs.isdisjoint(ref for group in thing.groups for ref in group))


def _old(shown: Any, name: str) -> Value:
    return item_of(getattr(shown, "attributes", ()), name, UNKNOWN)


def read_by_class(m: Interpreter, shown: Any, name: str) -> Truth:
    """Return whether the class of a module or instance reads or defines an attribute, so that setting it has a meaning.

    What is told to be a module by its use alone is taken for one of a class like most, as an annotation is.
    """
    if not isinstance(shown, (Module, Instance)):
        return NO
    verdict = NO if shown.belief is not Belief.FROM_NAME else UNSURE
    for cls in alternatives(shown.cls):
        thing = m.thing(cls)
        if type(thing) is Class:
            todo: list[Any] = [thing]
            while todo:
                one = todo.pop()
                if type(one) is Class:
                    if name in one.reads:
                        return YES
                    todo += [m.thing(base) for base in one.bases]
            if thing.open is not NO:
                verdict = verdict | UNSURE
        elif type(thing) is not ImportPath and not (cls == UNKNOWN and type(shown) is Module):
            verdict = verdict | UNSURE
    return verdict


def setter_of(name: str) -> str:
    """The name under which a class keeps the setter of a property; no attribute can be called so."""
    return f"{name} setter"


@implements(TypeSlot.SET_ATTRIBUTE, Instance, Optimizer)
def set_on_object(m: Interpreter, node: Site, ref: Ref, name: str, value: Value, sure: bool) -> None:
    """An attribute of an object is set: by its class, if that has a say, or on the object."""
    thing: Any = m[ref]
    redirect = find_method(m, thing.cls, "__setattr__")
    if redirect is not None:
        given = Arguments([ref, Constant(name), value])
        if too_deep(m, redirect, given):  # most keep what they are told to
            _set_as_objects_do(m, node, ref, name, value, sure=False)
        _told(m, node, redirect, given, sure)
    elif sure and _is_refused(m, ref, name, value):
        m.raises()
    else:
        _set_as_objects_do(m, node, ref, name, value, sure=sure)


def _is_refused(m: Interpreter, ref: Ref, name: str, value: Value) -> bool:
    """Return whether a module raises TypeError where an attribute is set under the name of a part of it: in place of a
    parameter it takes parameters and None, in place of a module those and modules."""
    thing = m.state.heap.get(ref)
    if type(thing) is not Module or thing.open is not NO or thing.belief is not Belief.PROVEN or name in thing.absent:
        return False
    old = _old(thing, name)
    parameter = m.only(old, Tensor)
    if m.only(old, Module) is None and (parameter is None or parameter.parameter is not YES):
        return False
    return m.is_single(ref, thing) and all(
        _fits_nowhere(m, option, among_modules=parameter is None) for option in alternatives(value)
    )


def _fits_nowhere(m: Interpreter, value: Value, *, among_modules: bool) -> bool:
    """Return whether a value is certainly neither a parameter nor None, nor a module `among_modules`."""
    thing = m.thing(value)
    if type(thing) is Tensor:
        is_plain = thing.parameter is NO and not thing.may_be_structured
        return is_plain and type(value) is Ref and m.refuses(value, [value])
    if type(thing) is Constant:
        return thing.value is not None
    return type(thing) in (PythonNumber, Container) or (type(thing) is Module and not among_modules)


def _set_as_objects_do(m: Interpreter, node: Site, ref: Ref, name: str, value: Value, *, sure: bool) -> None:
    """Do what `object.__setattr__` does: a property or descriptor of the class takes the value, or the object keeps
    it."""
    cls = m[ref].cls
    member = find_member(m, cls, name)
    setter = find_member(m, cls, setter_of(name))
    if type(setter) is Function:
        _told(m, node, setter, Arguments([ref, value]), sure)
    elif member is not None and (taking := descriptors.takes(m, member)) is not None:
        _told(m, node, taking, Arguments([member, ref, value]), sure)
    else:
        set_plainly(m, ref, name, value, sure=sure)


def _told(m: Interpreter, node: Site, method: Function, args: Arguments, sure: bool) -> None:
    """A method of the program that stands for an assignment, of an object that may be another than the one meant."""
    m.maybe(lambda: call_function(m, node, method, args), not sure)


def set_plainly(m: Interpreter, ref: Ref, name: str, value: Value, *, sure: bool) -> None:
    """An attribute of an object is set, whatever its class makes of that."""
    thing: Any = m.state.heap.get(ref)
    if type(thing) is Module and name == "training":  # that of the module alone; its parts keep theirs
        mode = mode_of(truth_of(value))
        m.store(ref, replace(thing, mode=mode, left=mode), sure=sure)
        return
    m.store(ref, with_attribute(thing, name, value), sure=sure)
    if type(thing) is Module and thing.initialised is not YES and _is_registered(m, value):
        m.update_fields(ref, Module, initialised=YES)  # else torch would have raised
    if type(thing) is Instance and thing.cls == UNKNOWN:
        escape_graphs(m, [value])


def _is_registered(m: Interpreter, value: Value) -> bool:
    """Return whether a module that is given this value as an attribute registers it."""
    tensor = m.only(value, Tensor)
    return m.only(value, Module) is not None or (tensor is not None and tensor.parameter is YES)


def has_setter(m: Interpreter, owner: Value, name: str) -> bool:
    """Return whether setting an attribute runs code of the program."""
    thing = m.thing(owner)
    if not isinstance(thing, (Module, Instance)):
        return False
    if any(find_method(m, thing.cls, known) is not None for known in (setter_of(name), "__setattr__")):
        return True
    return descriptors.takes(m, find_member(m, thing.cls, name)) is not None


def deleter_of(name: str) -> str:
    """The name under which a class keeps the deleter of a property."""
    return f"{name} deleter"


def delete_attribute(m: Interpreter, node: Site, owner: Value, name: str, *, by_class: bool = True) -> None:
    """`del owner.name`, or `object.__delattr__`, which goes past what the class of the object makes of that."""
    options = alternatives(owner)
    for ref in [option for option in options if type(option) is Ref]:
        thing, sure = m.state.heap.get(ref), len(options) == 1
        if type(thing) is Tensor and SAME_ATTRIBUTE.get(name, name) == "grad":
            SET[Tensor](m, node, ref, "grad", NONE_VALUE, sure)
        if not isinstance(thing, (Module, Instance)):
            continue
        redirect = find_method(m, thing.cls, "__delattr__") if by_class else None
        if redirect is None:
            _delete_as_objects_do(m, node, ref, name, sure=sure)
        else:
            _told(m, node, redirect, Arguments([ref, Constant(name)]), sure)


def _delete_as_objects_do(m: Interpreter, node: Site, ref: Ref, name: str, *, sure: bool) -> None:
    """Do what `object.__delattr__` does: a property of the class hears of it, or the object loses the attribute."""
    thing: Any = m[ref]
    deleter = find_member(m, thing.cls, deleter_of(name))
    if type(deleter) is Function:
        _told(m, node, deleter, Arguments([ref]), sure)
        return
    kept = tuple((known, value) for known, value in thing.attributes if known != name)
    m.store(ref, replace(thing, attributes=kept), sure=sure)
