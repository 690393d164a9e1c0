"""Modules that a loop keeps as the best so far."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.objects import Module
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Value
from gradlint.interpreter.autograd.grad import tensors_of
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.static.improvement import keeps_best
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.source import targets


def emit_kept(m: Interpreter, node: Site, target: Any, value: Value, given: Any) -> None:
    """A module that was there before the loop, and is not what this goes over, is kept where something is better."""
    loop = m.frame.loop
    if loop is None or m.is_silent or len(m.conditions) <= len(loop.conditions):
        return
    module, (test, holds) = m.only(value, Module), m.conditions[-1]
    if module is None or type(value) is not Ref or not holds or value.origin in m.loops.active[-1].made:
        return
    if isinstance(given, cst.Call) and spelled(receiver(given)) == spelled(target):
        return  # `model = model.cuda()` gives it the name that it has
    if _is_gone_over(m, loop.node, value) or not keeps_best(m.scan, m.frame.scope, test, target):
        return
    held = tensors_of(m, [ref for _, ref in parameters(m, value)[0]])
    name = spelled(target)
    m.emit(events.ModuleKept, node, module=module, parameters=held, name=name, given=given, loop=loop.node)


def _is_gone_over(m: Interpreter, loop: Any, ref: Ref) -> bool:
    """Return whether a name that a loop binds to what it goes over is bound to this."""
    names = [one.value for one in targets(loop.target) if type(one) is cst.Name] if type(loop) is cst.For else []
    return any(
        ref in alternatives(found) for name in names if (found := variables.held(m, (m.frame.id, name))) is not None
    )
