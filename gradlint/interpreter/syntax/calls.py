"""Calls: the value before the parentheses decides what happens."""

from __future__ import annotations

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, UNSURE, YES, Truth
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, with_certain
from gradlint.domain.values import NOTHING, UNKNOWN, Bound, ImportPath, Unknown, Value
from gradlint.events import Thing
from gradlint.interpreter.autograd.tensor_attributes import FLAGS
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import evaluates
from gradlint.interpreter.engine.iteration import consume, element_list, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.attribute_store import read_by_class
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.syntax import receivers


@evaluates(cst.Call)
def call(m: Interpreter, node: cst.Call) -> Value:
    """Evaluate callee and arguments, then call."""
    if type(node.func) is cst.Attribute and node.func.attr.value in FLAGS:
        return _call_flag(m, node, node.func)
    start = m.push(m.value(node.func))
    callee, args = _given(m, node, start)
    return call_value(m, node, callee, args, spelled(node.func))


def _given(m: Interpreter, node: cst.Call, start: int) -> tuple[Value, Arguments]:
    """The arguments of a call, and the last value that was held before them as it is then."""
    held = len(m.state.stack) - start
    m.push(*m.values([argument.value for argument in node.args]))
    values = m.pop_from(start)
    args = Arguments()
    for argument, value in zip(node.args, values[held:], strict=True):
        _add_argument(m, node, args, argument, value)
    return values[held - 1], args


def _call_flag(m: Interpreter, node: cst.Call, func: cst.Attribute) -> Value:
    """`x.requires_grad(True)`: a flag is no method, and a module has none of that name, unless its class says so."""
    owner = m.value(func.value)
    receivers.note(m, func, owner)
    flag, name, shown = func.attr.value, spelled(func.value), m.thing(owner)
    callee, args = _given(m, node, m.push(get_attribute(m, func, owner, flag, name)))
    missing = _lacks(m, shown, callee, func)
    result = UNKNOWN if missing is YES else call_value(m, node, callee, args, spelled(func))
    m.emit(events.Called, node, path=flag, args=(shown,), result=m.thing(result), name=name, missing=missing)
    return result


def _lacks(m: Interpreter, owner: Thing, callee: Value, func: cst.Attribute) -> Truth:
    """Return whether an object has no method of that name; what was looked up in vain is a method nobody defines.

    What only its use tells to be a tensor may be so by this very name, but not what another call gives.
    """
    if type(owner) is Tensor:
        told = owner.belief > Belief.ANNOTATED and not isinstance(func.value, cst.Call)
        return UNSURE if owner.may_be_structured or told else YES
    in_vain = all(type(option) is Bound and option.function is None for option in alternatives(callee))
    if type(owner) is not Module or not in_vain:
        return UNSURE if type(callee) is Unknown else NO
    classes = alternatives(owner.cls)
    known = all(type(cls) is Ref or (type(cls) is ImportPath and cls.path.startswith("torch.")) for cls in classes)
    return YES if known and read_by_class(m, owner, func.attr.value) is NO else UNSURE


def _add_argument(m: Interpreter, node: cst.Call, args: Arguments, argument: cst.Arg, value: Value) -> None:
    if argument.keyword is not None:
        args.keywords[argument.keyword.value] = value
    elif argument.star == "*":
        listing = element_list(m, value)
        if listing is not None:
            args.positional += listing
        else:
            before = args.certain if args.unknown else args.positional
            args.certain = with_certain((), [*before, *containers.certain(m, value)])
            args.positional.append(elements(m, node, value))
            consume(m, node, value, "*")
            args.unknown = True
    elif argument.star == "**":
        thing = m.only(value, Container)
        args.unknown = args.unknown or thing is None or thing.rest != NOTHING
        args.keywords |= {str(key): v for key, v in thing.items} if thing is not None else {}
        if thing is None:
            args.keywords.setdefault("**", value)
    else:
        args.positional.append(value)
        if args.unknown:
            args.certain = with_certain(args.certain, [value])
