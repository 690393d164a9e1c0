"""The file as functions that nobody calls find it: its body has run, and anything may have happened since."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, UNSURE
from gradlint.domain.objects import Class, Container, Module, Optimizer, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.values import ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.escape import as_it_was, havoc, in_reach
from gradlint.interpreter.engine.imports import is_static
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import MODES, SWITCHING


def is_switched_off(m: Interpreter) -> bool:
    """Return whether the body's own last word is that gradients are off: who imports the file has them off as well.
    What a function leaves behind that it calls is no word of its own."""
    changes = [event for event in m.log.story if type(event) is events.GradModeChanged]
    return m.state.live and m.state.grad_mode is NO and bool(changes) and changes[-1].run == 1


def leave_body(m: Interpreter) -> None:
    """Leave the module as functions that nobody calls find it: anything may have happened to it since its body ran, but
    most likely its networks, leaves and optimizers are what the body made of them, where no function sets flags; and
    networks are in the mode that it left them in, where no function sets any."""
    escaped = dict(m.graphs.escaped)
    names = {name: value for (frame, name), value in m.state.names.items() if frame == 0 and not is_static(m, value)}
    switched = in_reach(m, [names[name] for name in _used_where_set(m, SWITCHING - MODES) if name in names])
    in_any_mode = in_reach(m, [names[name] for name in _used_where_set(m, MODES) if name in names])
    left = {ref: thing for ref, thing in in_reach(m, names.values()).items() if ref not in switched}
    listings = in_reach(m, [thing.listing for thing in left.values() if type(thing) is Optimizer])
    havoc(m, names.values())
    for ref, thing in left.items():
        fixed = type(thing) is Container and (ref in listings or _is_table_of_classes(m, thing))
        now = thing if fixed else as_it_was(thing, m[ref])
        if type(thing) is Module and type(now) is Module and ref not in in_any_mode and now.mode.is_unsure:
            now = replace(now, left=thing.left if thing.mode.is_unsure else thing.mode)
        if now is not m[ref]:
            m.store_exact(ref, now)
    for ref in switched:
        m.update_fields(ref, Tensor, requires_grad=MAYBE | UNSURE)
    m.graphs.escaped = escaped


def _is_table_of_classes(m: Interpreter, thing: Container) -> bool:
    """Return whether a container holds classes and nothing else: some of torch, some of the program."""
    values = [value for _, value in thing.items]
    return bool(values) and all(_is_class(m, value) for value in values)


def _is_class(m: Interpreter, value: Value) -> bool:
    if type(value) is ImportPath:
        return value.path in m.torch.optimizers or value.path in m.torch.modules or value.path in m.torch.schedulers
    return type(value) is Ref and type(m.state.heap.get(value)) is Class


def _used_where_set(m: Interpreter, switches: AbstractSet[str]) -> Iterator[str]:
    """The names used in functions that call or set one of these of a module or a parameter."""
    for function in m.defined.functions.values():
        scope = m.scan.scopes[function.node]
        if not scope.switches.isdisjoint(switches):
            yield from scope.uses
