"""Calling modules: their own `forward`, or what their row of knowledge says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import ANY_DTYPE, NO, UNSURE, YES, Truth
from gradlint.domain.memories import Memory, memories
from gradlint.domain.mentions import handed_on
from gradlint.domain.objects import MOST_ITEMS, Container, Module, Node, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import OPAQUE, Escape, Graph, Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Bound, Function, ImportPath, Unknown, Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd import hooks
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.results import Requested
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.escape import escape_graphs
from gradlint.interpreter.engine.history import certainly_recorded, held_in, past_of, tensors_in
from gradlint.interpreter.engine.machine import Interpreter, not_none
from gradlint.interpreter.engine.module_tree import memories_of, parameters, submodules
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.nn.module import MOST_MODULES_DEEP, as_in_training, frozen_norms
from gradlint.interpreter.python.functions import call_function, too_deep
from gradlint.interpreter.python.mro import find_method, library_base, may_be_overridden, torch_base
from gradlint.interpreter.python.roles import is_given_data_to_evaluate_on
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.modules.options import names_of
from gradlint.knowledge.schema import ModuleRow, Operation, Result


def call(m: Interpreter, node: Site, owner: Value, args: Arguments, how: str, name: str) -> Value:
    """A module is applied to arguments."""
    results = []
    found = m.all(owner, Module)
    behind = () if m.is_silent else _behind(m, args.values())
    unseen = frozenset[Memory]() if m.is_silent else _unseen_behind(m, args.values())
    for index, (ref, module) in enumerate(found):
        start = m.push(ref, *args.values())
        place = node if len(found) == 1 else m.part_of(node, f"option {index}")
        result = _hooked(m, place, start, args) if module.hooks and how == "call" else run(m, place, ref, args, how)
        m.push(result)
        *held, result = m.pop_from(start)
        results.append(result)
        shown = m.thing(held[0])
        if m.is_silent or type(shown) is not Module:
            continue
        given = not_none(result)  # a forward that may end without a `return` most likely does not
        recorded = certainly_recorded(m, given)
        m.emit(
            events.ModuleCalled,
            node,
            module=shown.if_untouched,
            args=tuple(m.thing(value) for value in held[1 : 1 + len(args.positional)]),
            result=m.thing(given),
            how=how,
            recorded=recorded,
            trainable=_trainable(m, held[0]),
            graph=_graph(m, result),
            fed_by=behind,
            made_of=unseen,
            memories=frozenset() if m.calls.inside_module else memories_of(m, held[0]),
            in_training="" if m.calls.inside_module else as_in_training(m, held[0]),
            frozen_norms=frozen_norms(m, held[0]) if _own_method(m, shown, "forward") is None else (),
            nested=m.calls.inside_module > 0,
            own_call=_own_method(m, shown, "call") is not None,
            callee=getattr(node, "func", None),
            given=_given(node),
            taken_from=_taken_from(m, getattr(node, "func", None)),
            name=name,
            on_test_data=is_given_data_to_evaluate_on(m, node),
        )
    return one_of(results, MOST_ITEMS)


def _trainable(m: Interpreter, module: Value) -> Truth:
    """Return whether the parameters of a module require grad, all answers of all of them; no where it certainly has
    none. Of those that only its use tells of it is not sure that they are there. Unseen code gives none to a layer of
    torch that has none (an activation, a loss)."""
    found, more = parameters(m, module)
    if not found and all(_has_none(m, thing) for _, thing in m.all(module, Module)):
        return NO
    tensors = [m[ref] for _, ref in found]
    answers = [one.requires_grad if one.belief < Belief.FROM_USAGE else one.requires_grad | UNSURE for one in tensors]
    return reduce(or_, answers) if found else NO if more is NO else UNSURE


def _has_none(m: Interpreter, module: Module) -> bool:
    """Return whether a module is a layer of torch without parameters, and without parts."""
    row = m.torch.modules.get(module.cls.path) if type(module.cls) is ImportPath else None
    return row is not None and not row.parameters and row.call in PLAIN


PLAIN = frozenset({"layer", "two", "loss", "with loss"})
"""The ways of applying layers that have no parts of their own."""


def _given(node: Site) -> tuple[Any, ...]:
    """The arguments of a call, if it is one and they are given by position."""
    args = getattr(node, "args", ())
    return () if any(one.star or one.keyword for one in args) else tuple([one.value for one in args])


def _taken_from(m: Interpreter, callee: Any) -> str:
    """The wrapper whose `.module` the callee is written as, by its import path."""
    if type(callee) is cst.Attribute and callee.attr.value == "forward":
        callee = callee.value
    if type(callee) is not cst.Attribute or callee.attr.value != "module":
        return ""
    owner = peek(m, callee.value)
    wrapper = m.only(owner, Module) if owner is not None else None
    return "" if wrapper is None else wrapper.holder


def _hooked(m: Interpreter, node: Site, start: int, args: Arguments) -> Value:
    """A module with hooks is called; it is the first value held since `start`."""
    args = hooks.before_call(m, node, m.state.stack[start], args)
    given = m.push(*args.values())
    result = run(m, node, m.state.stack[start], args, "call")  # type: ignore[arg-type]
    values = m.pop_from(given)
    args = args.with_values(values)
    return hooks.after_call(m, node, m.state.stack[start], args, result)


def _graph(m: Interpreter, result: Value) -> tuple[Graph, ...]:
    """The graph nodes that made the tensors of a result, as deep as these lie in containers and objects."""
    held = m.state.reach([result], lambda thing: () if type(thing) in (Tensor, Node) else handed_on(thing))
    tensors = [thing for ref in held if type(thing := m[ref]) is Tensor]
    return tuple(dict.fromkeys(node.key for tensor in tensors for node in tensor.node if node is not None))


def _unseen_behind(m: Interpreter, values: Iterable[Value]) -> frozenset[Memory]:
    """The memories of parameters that unseen code may have computed these values from, or the elements of containers
    among them; of tensors that it gave those whose memory they may share."""
    held = [one for value in values for _, thing in m.all(value, Container) for one in thing.held]
    unknown = [option for value in (*values, *held) for option in alternatives(value) if type(option) is Unknown]
    found = [m[ref] for ref in m.state.reach(unknown)] if any(one.reach for one in unknown) else []
    given = [tensor for value in (*values, *held) for _, tensor in m.all(value, Tensor) if OPAQUE in tensor.node]
    found += [m[ref] for ref, _ in m.state.heap.holding([one for tensor in given for one in tensor.storage])]
    return memories(thing for thing in found if type(thing) is Tensor and thing.parameter is YES)


def _behind(m: Interpreter, values: Iterable[Value]) -> tuple[Graph, ...]:
    """The graph nodes in the history of these values."""
    nodes = [node for value in values for _, tensor in m.all(value, Tensor) for node in tensor.node]
    most = MOST_BEHIND_INSIDE if m.calls.inside_module else MOST_BEHIND
    return tuple([ref.key for ref in past_of(m, nodes, most) if type(m.state.heap.get(ref)) is Node])


MOST_BEHIND, MOST_BEHIND_INSIDE = 300, 30
"""The most nodes behind the arguments of a module that are told; inside a module fewer, for it may have many layers and
the call of the whole tells what is behind all of them."""


def _own_method(m: Interpreter, module: Module, how: str) -> Function | None:
    """The `__call__` or the `forward` that the class of a module defines in the program."""
    return find_method(m, module.cls, "__call__" if how == "call" else "forward")


LayerHandler = Callable[[Interpreter, Any, "LayerCall"], Value]
CALLS: dict[str, LayerHandler] = {}
"""The handlers of calls of layers of torch, by the `call` of its row."""


@frozen()
class LayerCall:
    """A layer of torch, the `module` at `ref`, is applied to arguments; its class is that of the `row`."""

    ref: Ref
    module: Module
    row: ModuleRow
    args: Arguments

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.row.path.rpartition(".")[2]

    def given(self, *values: Value) -> LayerCall:
        """The same with these arguments."""
        return replace(self, args=Arguments([*values]))


def applies(*kinds: str) -> Callable[[LayerHandler], LayerHandler]:
    """Register what calling layers of these kinds gives."""

    def register(handler: LayerHandler) -> LayerHandler:
        CALLS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def run(m: Interpreter, node: Site, ref: Ref, args: Arguments, how: str) -> Value:
    """Return the result of a module on its arguments: `how` is "call", or anything else where the `forward` of its
    class is meant and neither a `__call__` of its own nor what was put in the place of `forward`."""
    module: Module = m[ref]
    replaced = dict(module.attributes).get("forward") if how == "call" else None
    if type(replaced) is Function or type(replaced) is Bound:
        return call_value(m, m.part_of(node, "own forward"), replaced, args, "")
    method = (_own_method(m, module, how) if how == "call" else None) or _own_method(m, module, "forward")
    if any(may_be_overridden(m, ref, module, name) for name in ("__call__", "forward")):
        return _not_followed(m, node, ref, method, args)
    if method is not None and m.calls.inside_module >= MOST_MODULES_DEEP:
        m.log.exceeded("depth of modules")
        return loose_result(m, node, ref, module, args)
    if method is not None and (module.unbuilt.may(YES) or too_deep(m, method, args)):
        m.defined.escaped[method.node] = None
        return _not_followed(m, node, ref, method, args)
    if method is not None:
        return _followed(m, node, ref, method, args)
    return as_torch(m, node, ref, args)


def _followed(m: Interpreter, node: Site, ref: Ref, forward: Function, args: Arguments) -> Value:
    """Return the result of a `forward` that is run. What code that nobody shows gave it, called with gradients on, is
    what a module of an unseen class gives, unless a part of the result is known to be computed from what requires
    grad."""
    start = m.push(ref, *args.values())
    before, m.effects.unseen_off = m.effects.unseen_off, False
    m.calls.inside_module += 1
    try:
        m.push(call_function(m, node, forward, args.with_first(ref)))
    finally:
        m.calls.inside_module -= 1
        switched_off, m.effects.unseen_off = m.effects.unseen_off, m.effects.unseen_off or before
    held, *given, result = m.pop_from(start)
    told = [tensor.requires_grad for tensor in tensors_in(m, [result])]
    if switched_off or not m.state.live or type(held) is not Ref or any(flag.possibly(YES) for flag in told):
        return result
    if _trainable(m, held) is NO:
        return result

    def made(unknown: Value) -> Value:  # of what is given, and of what the parts have computed
        return loose_result(m, node, held, m[held], Arguments([*given, unknown]))

    return _with_unknown_replaced(m, node, result, made)


def _with_unknown_replaced(
    m: Interpreter, node: Site, value: Value, made: Callable[[Value], Value], depth: int = 0
) -> Value:
    """The value with what nobody knows to be a part of the graph or none, in it or in what it holds, replaced."""
    if any(_is_in_doubt(m, option) for option in alternatives(value)):
        return made(value)
    thing = m.thing(value)
    if type(value) is not Ref or type(thing) is not Container or depth == MOST_REPLACED_DEEP:
        return value
    items = tuple(
        (key, _with_unknown_replaced(m, m.part_of(node, f"{key}"), one, made, depth + 1)) for key, one in thing.items
    )
    return value if items == thing.items else m.new(node, "believed", replace(thing, items=items))


def _is_in_doubt(m: Interpreter, value: Value) -> bool:
    thing = m.thing(value)
    return type(thing) is Unknown or (type(thing) is Tensor and thing.requires_grad.is_unsure)


MOST_REPLACED_DEEP = 2
"""The depth to which the containers that a forward returns are looked into."""


def _not_followed(m: Interpreter, node: Site, ref: Ref, forward: Function | None, args: Arguments) -> Value:
    """Return the result of a `forward` of the program that is not run here: that of a module of an unseen class, unless
    its text shows that it may differentiate what it computes."""
    module: Module = m[ref]
    result = loose_result(m, node, ref, module, args)
    if forward is not None and _may_differentiate(m, module, forward):
        escape_graphs(m, [result], Escape.DIFFERENTIATED)
    return result


def _may_differentiate(m: Interpreter, module: Module, forward: Function) -> bool:
    """Return whether a method, or another of the module that it calls, names something that may compute gradients. The
    text of those others tells what they do, whatever they are called."""
    todo, seen = [forward], set[Any]()
    while todo:
        method = todo.pop()
        scope = m.scan.scopes[method.node]
        if any(find_method(m, module.cls, name) is None for name in scope.gradients):
            return True
        seen.add(method.node)
        called = [use.partition("(")[0] for use in scope.uses.get("self", ()) if use.endswith(")")]
        found = [find_method(m, module.cls, name) for name in called]
        todo += [one for one in found if one is not None and one.node not in seen]
    return False


def as_torch(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    """Return the result of the `forward` of the torch class that a module is of or derives from."""
    module: Module = m[ref]
    row = m.torch.modules.get(torch_base(m, module.cls))
    if row is None:
        told = _of_library(m, node, ref, module, args)
        return loose_result(m, node, ref, module, args) if told is None else told
    return CALLS[row.call](m, node, LayerCall(ref, module, row, args))


def _of_library(m: Interpreter, node: Site, ref: Ref, module: Module, args: Arguments) -> Value | None:
    """Return the result of calling a module of a library, where its class says more than others."""
    found = library_base(m, module.cls)
    if found is None:
        return None
    row = found[1].row
    if row.forwards:
        inner = dict(module.attributes).get(row.forwards)
        whole = inner is not None and m.only(inner, Module) is not None
        return call(m, node, inner, args, "call", "") if whole and inner is not None else None
    if not row.outputs:
        return None
    result = loose_result(m, node, ref, module, args)
    m.update_fields(result, Tensor, made=found[0])
    return result


# ---- what a module of an unknown class gives


def own_tensors(m: Interpreter, ref: Ref) -> list[tuple[str, Value]]:
    """The tensors that belong to a module, as they take part in what it computes, by the names of its own; what nobody
    knows takes part where a layer has a parameter."""
    found: dict[Value, str] = {}
    sure = {ref}
    for part in submodules(m, ref):
        module: Module = m[part]
        row = m.torch.modules.get(module.cls.path) if type(module.cls) is ImportPath else None
        parameters = () if row is None else row.parameters
        for name, value in (*module.attributes, ("", module.rest)):
            if row is not None and not _takes_part(row, str(name)) and not m.may_be(value, Module):
                continue
            if m.may_be(value, Tensor) or (type(value) is Unknown and name in parameters):
                key = value if part in sure else _perhaps(value)
                found.setdefault(key, str(name) if part == ref else "")
            elif type(value) is Ref and part in sure:
                sure.add(value)
            elif part in sure and (one := _one_of_each(m, value)) is not None:
                found.setdefault(one, "")
    return [(name, value) for value, name in found.items()]


def _one_of_each(m: Interpreter, value: Value) -> Value | None:
    """A parameter of the part that is under a name, of which it is known that it is one of several: whichever it is,
    one takes part."""
    first = [next((ref for _, ref in parameters(m, one)[0]), None) for one in alternatives(value)]
    return one_of([ref for ref in first if ref is not None]) if first and None not in first else None


LAYERS = frozenset({"layer", "two", "with loss", "loss", "rnn", "lstm", "pair", "attention"})
"""The ways of calling modules that compute something from tensors of known names."""


def _takes_part(row: ModuleRow, name: str) -> bool:
    """Return whether a layer of torch looks at a tensor of this name: one of its own, or one from which such is
    computed (`weight_g`, `weight_orig`)."""
    if row.call not in LAYERS:
        return True
    own = (*row.parameters, *row.buffers, *names_of(row.path.rpartition(".")[2]))
    return name in ("", *own) or name.startswith(tuple(f"{one}_" for one in own))


def _perhaps(value: Value) -> Value:
    return one_of([value, NONE_VALUE], MOST_ITEMS)


def _is_parameter(m: Interpreter, value: Value) -> bool:
    tensor = m.only(value, Tensor)
    return tensor is not None and tensor.parameter is YES


def loose_result(
    m: Interpreter, node: Site, ref: Ref, module: Module, args: Arguments, *, by_all: bool = True
) -> Value:
    """Return the result of a module of an unknown class: something computed from its parameters and arguments, and
    perhaps from other tensors that it holds: it may well have set them anew before. Not `by_all`: what it is given
    decides which of its parameters take part."""
    row = Operation("module", (), (), (), "", results=(Result(dtype="float"),))
    given = [
        ("input", one) for value in args.values() or [UNKNOWN] for one in held_in(m, value)[:MOST_ITEMS] or [value]
    ]
    own = [
        (name, value if by_all and _is_parameter(m, value) else _perhaps(value)) for name, value in own_tensors(m, ref)
    ]
    if not own and (module.open.may(YES) or _is_in_itself(m, ref, module)):
        own.append(("", UNKNOWN))  # a parameter that unseen code gave it, or one of what it stands for besides itself
    result = apply(m, node, row, given, Requested(part="call "), own)
    belief = max(module.belief, Belief.FROM_USAGE)
    _save_weights(m, result, [value for _, value in own])
    for found, tensor in m.all(result, Tensor):
        leaf = NO if tensor.requires_grad is YES else tensor.leaf
        m.store(
            found,
            replace(tensor, dtype=ANY_DTYPE, leaf=leaf, belief=max(tensor.belief, belief), may_be_structured=True),
        )
    if hooks.may_see_inside(m, ref):
        escape_graphs(m, [result])
    return result


def _is_in_itself(m: Interpreter, ref: Ref, module: Module) -> bool:
    """Return whether a module stands for one that wraps another made at the same place: it is a part of itself."""
    held = [*(value for _, value in module.attributes), module.rest]
    return any(ref in alternatives(value) for value in held)


def _save_weights(m: Interpreter, result: Value, own: Iterable[Value]) -> None:
    """The graph behind the result of a network that nobody shows saves its weights, one of them at least: layers behind
    others need theirs to pass gradients on. Of one some of whose parameters may be frozen nobody knows."""
    parameters = [tensor for value in own if (tensor := m.only(value, Tensor)) is not None and tensor.parameter is YES]
    if not parameters or any(one.requires_grad is not YES for one in parameters):
        return
    slot = tuple(dict.fromkeys(memory for one in parameters for memory in one.storage))
    for _, tensor in m.all(result, Tensor):
        for ref in tensor.node:
            if ref is not None and type(node := m.state.heap.get(ref)) is Node and not node.saves:
                m.state.heap[ref] = replace(node, saves=(slot,))
