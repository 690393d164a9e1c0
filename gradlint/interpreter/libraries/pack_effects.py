"""Effects: what functions of libraries do to their arguments, as rows of packs put it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gradlint.domain.objects import Module, Optimizer
from gradlint.domain.provenance import Cause, CauseKind
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Bound, Constant, Function, Value
from gradlint.interpreter.autograd import backward as differentiating
from gradlint.interpreter.autograd.backward_arguments import flag
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.iteration import consume
from gradlint.interpreter.engine.machine import Interpreter, not_none
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.libraries.pack_hooks import Hooked
from gradlint.interpreter.libraries.pack_results import MODES, Given
from gradlint.interpreter.nn import module, module_methods
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.training import optimizer
from gradlint.knowledge import packs

ResultT = TypeVar("ResultT")


def _backward(m: Interpreter, node: Site, effect: packs.Backward, args: Given) -> None:
    retain, create = (flag(args.args, name, -1) for name in (effect.retain, effect.create))
    request = differentiating.Request("backward", retain=retain, create=create)
    differentiating.backward(m, node, [not_none(args[effect.of])], request)


def _step(m: Interpreter, node: Site, effect: packs.Step, args: Given) -> None:
    stepping = _optimizer_of(m, node, args[effect.of])
    m.maybe(lambda: optimizer.step(m, node, stepping, Arguments()), effect.perhaps)


def _optimizer_of(m: Interpreter, node: Site, value: Value) -> Value:
    """The optimizer itself; for a module, whatever optimizer there is over its parameters."""
    if m.only(value, Module) is None:
        return value
    found, opened = parameters(m, value)
    groups = tuple((ref,) for _, ref in found)
    return m.new(node, "optimizer inside", Optimizer("", groups, opened, causes=(Cause(CauseKind.MADE, node),)))


def _zero_grad(m: Interpreter, node: Site, effect: packs.ZeroGrad, args: Given) -> None:
    value = args[effect.of]
    clear = module_methods.METHODS["zero_grad"] if m.may_be(value, Module) else optimizer.zero_grad
    m.maybe(lambda: clear(m, node, value, Arguments()), effect.perhaps)


def _freeze(m: Interpreter, node: Site, effect: packs.Freeze, args: Given) -> None:
    to = Arguments([Constant(effect.to == "yes")])
    module_methods.METHODS["requires_grad_"](m, node, args[effect.of], to)


def _hand(m: Interpreter, node: Site, effect: packs.Hand, args: Given) -> None:
    value = args[effect.of]
    for option in alternatives(value):
        function = option.function if type(option) is Bound else option
        if type(function) is Function:
            m.notes(Hooked)[function.node] = effect.hook
    havoc(m, [value])


EFFECTS: dict[type, Callable[[Interpreter, Any, Any, Given], None]] = {
    packs.Backward: _backward,
    packs.Step: _step,
    packs.ZeroGrad: _zero_grad,
    packs.Freeze: _freeze,
    packs.SetMode: lambda m, node, effect, args: module.set_mode(m, node, args[effect.of], MODES[effect.to]),
    packs.Consume: lambda m, node, effect, args: consume(m, node, args[effect.of], "clip"),
    packs.Touch: lambda m, node, effect, args: havoc(m, [args[effect.of]]),
    packs.Hand: _hand,
}
