"""Objects of the program that others iterate over: `__iter__`, `__next__`, and `__getitem__` where there is neither."""

from __future__ import annotations

from gradlint.domain.facts import INTEGER
from gradlint.domain.objects import Instance
from gradlint.domain.refs import Ref
from gradlint.domain.values import Function, ImportPath, PythonNumber, Unknown, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import ELEMENTS_OF, ITEMS_OF, TypeSlot, implements
from gradlint.interpreter.engine.frames import Tried
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.foreign import foreign_made
from gradlint.interpreter.python.functions import call_function, let_out
from gradlint.interpreter.python.mro import find_method
from gradlint.interpreter.static.sites import Site


@implements(TypeSlot.ITERATE, Instance)
def iterated(m: Interpreter, node: Site, ref: Ref, thing: Instance) -> Value:
    """`iter(x)`: what the method of the class gives."""
    method = find_method(m, thing.cls, "__iter__") or find_method(m, thing.cls, "__aiter__")
    return ref if method is None else call_function(m, m.part_of(node, "iter"), method, Arguments([ref]))


@implements(TypeSlot.NEXT, Instance)
def following(m: Interpreter, node: Site, ref: Ref, thing: Instance) -> Value:
    """`next(x)`; without `__next__` an object's items are read by number."""
    method = find_method(m, thing.cls, "__next__") or find_method(m, thing.cls, "__anext__")
    if method is not None:
        return _until_stopped(m, m.part_of(node, "next"), method, Arguments([ref]))
    method = find_method(m, thing.cls, "__getitem__")
    if method is not None:
        return _until_stopped(m, m.part_of(node, "next"), method, Arguments([ref, PythonNumber(INTEGER)]))
    path = thing.cls.path if type(thing.cls) is ImportPath else ""
    if path in ELEMENTS_OF:
        return ELEMENTS_OF[path](m, node, thing)
    if path in ITEMS_OF:
        return ITEMS_OF[path](m, node, thing, PythonNumber(INTEGER))
    return foreign_made(m, node, ref) or Unknown((ref,))


def _until_stopped(m: Interpreter, node: Site, method: Function, args: Arguments) -> Value:
    """The error by which a method ends an iteration is no error of the loop: what ran before it may have happened."""
    depth = len(m.state.stack)
    m.frame.tries.append(Tried())
    value = call_function(m, node, method, args)
    raised = m.frame.tries.pop().raised
    let_out(m, raised)
    if raised is None:
        return value
    m.push(value)
    raised.stack[depth:] = [value]
    m.join([m.state, raised])
    return m.pop_from(depth)[0]
