"""Calling modules: their own `forward`, or what their row of knowledge says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    ANY_DTYPE,
    EVAL,
    MAYBE,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Belief,
    Bound,
    Const,
    Container,
    Function,
    Graph,
    Module,
    Named,
    Node,
    Ref,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    either,
    handed_on,
    one_of,
    references,
    truth,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import hooks, shape
from gradlint.interpreter.autograd.in_place import Write, maybe_written, write
from gradlint.interpreter.autograd.operations import COUNTS, first_argument, perhaps_itself, with_counts
from gradlint.interpreter.autograd.record import Requested, apply
from gradlint.interpreter.autograd.saved_tensors import saved_in_place
from gradlint.interpreter.autograd.tensor import truth_of
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.history import certainly_recorded
from gradlint.interpreter.engine.iteration import element_list, elements
from gradlint.interpreter.engine.loops import run_loop
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import buffers, parameters, submodules
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.nn.module import DROPPED, MOST_MODULES_DEEP, REDUCTION, as_in_training
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.python.functions import call_function, too_deep
from gradlint.interpreter.python.mro import find_method, library_base, may_be_overridden, torch_base
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.modules.options import names_of
from gradlint.knowledge.schema import ModuleRow, Operation, Result
from gradlint.knowledge.shapes import NOT_SEEN, Told


def call(m: Interpreter, node: Site, owner: Value, args: Arguments, how: str, name: str) -> Value:
    """A module is applied to arguments."""
    results = []
    found = m.all(owner, Module)
    behind = () if m.is_silent else _behind(m, args.values())
    for index, (ref, module) in enumerate(found):
        start = m.push(ref, *args.values())
        place = node if len(found) == 1 else m.part_of(node, f"option {index}")
        result = _hooked(m, place, start, args) if module.hooks and how == "call" else run(m, place, ref, args, how)
        m.push(result)
        *held, result = m.pop_from(start)
        results.append(result)
        shown = m.state.heap.get(held[0])  # type: ignore[arg-type]
        if m.is_silent or type(shown) is not Module:
            continue
        recorded = certainly_recorded(m, result)
        m.emit(
            events.ModuleCalled,
            node,
            module=shown,
            args=tuple(m.thing(value) for value in held[1 : 1 + len(args.positional)]),
            result=m.thing(result),
            how=how,
            recorded=recorded,
            trainable=_trainable(m, held[0]),
            graph=_graph(m, result),
            fed_by=behind,
            memories=frozenset() if m.inside_module else _memories(m, held[0]),
            in_training="" if m.inside_module else as_in_training(m, held[0]),
            nested=m.inside_module > 0,
            own_call=_own_method(m, shown, "call") is not None,
            callee=getattr(node, "func", None),
            given=_given(node),
            taken_from=_taken_from(m, getattr(node, "func", None)),
            name=name,
        )
    return one_of(results, MOST_ITEMS)


def _trainable(m: Interpreter, module: Value) -> Truth:
    """Whether the parameters of a module require grad, all answers of all of them; no where it certainly has none. Of
    those that only its use tells of it is not sure that they are there. Unseen code gives none to a layer of torch that
    has none (an activation, a loss)."""
    found, more = parameters(m, module)
    if not found and all(_has_none(m, thing) for _, thing in m.all(module, Module)):
        return NO
    tensors = [m[ref] for _, ref in found]
    answers = [one.requires_grad if one.belief <= Belief.ANNOTATED else one.requires_grad | UNSURE for one in tensors]
    return reduce(or_, answers) if found else NO if more is NO else UNSURE


def _has_none(m: Interpreter, module: Module) -> bool:
    """Whether a module is a layer of torch without parameters, and without parts."""
    row = m.torch.modules.get(module.cls.path) if type(module.cls) is Named else None
    return row is not None and not row.parameters and row.call in PLAIN


PLAIN = frozenset({"layer", "two", "loss", "with loss"})
"""How layers are applied that have no parts of their own."""


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
    args = replace(args, positional=values[: len(args.positional)])
    return hooks.after_call(m, node, m.state.stack[start], args, result)


def _graph(m: Interpreter, result: Value) -> tuple[Graph, ...]:
    """The graph nodes that made the tensors of a result, as deep as these lie in containers and objects."""
    nodes: dict[Graph, None] = {}
    seen: set[Ref] = set()
    todo = list(references(result))
    while todo:
        ref = todo.pop()
        thing = m.state.heap.get(ref)
        if ref in seen or thing is None:
            continue
        seen.add(ref)
        if type(thing) is Tensor:
            nodes |= {node.key: None for node in thing.node if node is not None}
        elif type(thing) is not Node:
            todo += handed_on(thing)
    return tuple(nodes)


def _memories(m: Interpreter, module: Value) -> frozenset[tuple[Ref, ...]]:
    """What the parameters of a module are in."""
    return frozenset([m[ref].storage for _, ref in parameters(m, module)[0] if m[ref].storage])


def _behind(m: Interpreter, values: Iterable[Value]) -> tuple[Graph, ...]:
    """The graph nodes in the history of these values."""
    nodes = [node for value in values for _, tensor in m.all(value, Tensor) for node in tensor.node]
    return tuple([ref.key for ref in m.past(nodes, MOST_BEHIND) if type(m.state.heap.get(ref)) is Node])


MOST_BEHIND = 300
"""How many nodes behind the arguments of a module are told."""


def _own_method(m: Interpreter, module: Module, how: str) -> Function | None:
    """The `__call__` or the `forward` that the class of a module defines in the program."""
    return find_method(m, module.cls, "__call__" if how == "call" else "forward")


def run(m: Interpreter, node: Site, ref: Ref, args: Arguments, how: str) -> Value:
    """What a module makes of its arguments: `how` is "call", or anything else where the `forward` of its class is meant
    and neither a `__call__` of its own nor what was put in the place of `forward`."""
    module: Module = m[ref]
    replaced = dict(module.attributes).get("forward") if how == "call" else None
    if type(replaced) is Function or type(replaced) is Bound:
        return call_value(m, m.part_of(node, "own forward"), replaced, args, "")
    method = (_own_method(m, module, how) if how == "call" else None) or _own_method(m, module, "forward")
    if any(may_be_overridden(m, ref, module, name) for name in ("__call__", "forward")):
        return _not_followed(m, node, ref, method, args)
    if method is not None and m.inside_module >= MOST_MODULES_DEEP:
        m.exceeded("depth of modules")
        return loose_result(m, node, ref, module, args)
    if method is not None and (module.unbuilt.may(YES) or too_deep(m, method, args)):
        m.escaped_functions[method.node] = None
        return _not_followed(m, node, ref, method, args)
    if method is not None:
        m.inside_module += 1
        try:
            return call_function(m, node, method, args.with_first(ref))
        finally:
            m.inside_module -= 1
    return as_torch(m, node, ref, args)


def _not_followed(m: Interpreter, node: Site, ref: Ref, forward: Function | None, args: Arguments) -> Value:
    """What a `forward` of the program gives that is not run here: what the module of a class that nobody sees gives,
    unless its text shows that it may differentiate what it computes."""
    module: Module = m[ref]
    result = loose_result(m, node, ref, module, args)
    if forward is not None and _may_differentiate(m, module, forward):
        m.escape([result])
    return result


def _may_differentiate(m: Interpreter, module: Module, forward: Function) -> bool:
    """Whether a method, or another of the module that it calls, names something that may compute gradients."""
    todo, seen = [forward], set[Any]()
    while todo:
        method = todo.pop()
        scope = m.scan.scopes[method.node]
        if scope.differentiates:
            return True
        seen.add(method.node)
        called = [use.partition("(")[0] for use in scope.uses.get("self", ()) if use.endswith(")")]
        found = [find_method(m, module.cls, name) for name in called]
        todo += [one for one in found if one is not None and one.node not in seen]
    return False


def as_torch(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    """What the `forward` of the class of torch gives that a module is of or derives from."""
    module: Module = m[ref]
    path = module.cls.path if type(module.cls) is Named else torch_base(m, module.cls)
    row = m.torch.modules.get(path or "")
    if row is None:
        told = of_library(m, node, ref, module, args)
        return loose_result(m, node, ref, module, args) if told is None else told
    return CALLS[row.call](m, node, ref, module, row, args)


def _own(m: Interpreter, ref: Ref) -> list[tuple[str, Value]]:
    """The tensors that belong to a module, as they take part in what it computes, by the names of its own; what nobody
    knows takes part where a layer has a parameter."""
    found: dict[Value, str] = {}
    sure = {ref}
    for part in submodules(m, ref):
        module: Module = m[part]
        row = m.torch.modules.get(module.cls.path) if type(module.cls) is Named else None
        parameters = () if row is None else row.parameters
        for name, value in (*module.attributes, ("", module.rest)):
            if row is not None and not _takes_part(row, str(name)) and not m.may_be(value, Module):
                continue
            if m.may_be(value, Tensor) or (type(value) is Unknown and name in parameters):
                key = value if part in sure else _perhaps(value)
                found.setdefault(key, str(name) if part == ref else "")
            elif type(value) is Ref and part in sure:
                sure.add(value)
    return [(name, value) for value, name in found.items()]


LAYERS = frozenset({"layer", "two", "with loss", "loss", "rnn", "lstm", "pair", "attention"})
"""How modules are called that compute something from tensors of known names."""


def _takes_part(row: ModuleRow, name: str) -> bool:
    """Whether a layer of torch looks at a tensor of this name: one of its own, or one from which such is computed
    (`weight_g`, `weight_orig`)."""
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
    """What a module of an unknown class gives: something computed from its parameters and arguments, and perhaps from
    other tensors that it holds: it may well have set them anew before. Not `by_all`: what it is given decides which of
    its parameters take part."""
    row = Operation("module", (), (), (), "", results=(Result(dtype="float"),))
    given = [("input", value) for value in args.values() or [UNKNOWN]]
    own = [(name, value if by_all and _is_parameter(m, value) else _perhaps(value)) for name, value in _own(m, ref)]
    if not own and module.open.may(YES):
        own.append(("", UNKNOWN))  # a parameter that unseen code gave it
    result = apply(m, node, row, given, Requested(part="call "), own)
    belief = max(module.belief, Belief.BY_USE)
    for found, tensor in m.all(result, Tensor):
        leaf = NO if tensor.requires_grad is YES else tensor.leaf
        m.store(found, replace(tensor, dtype=ANY_DTYPE, leaf=leaf, belief=max(tensor.belief, belief), loose=True))
    if hooks.may_see_inside(m, ref):
        m.escape([result])
    return result


def _operation(module: Module, row: ModuleRow, operands: tuple[str, ...], results: tuple[Result, ...]) -> Operation:
    name = row.path.rpartition(".")[2]
    return Operation(name, (), operands, operands, "", results=results, saves=row.saves)


def _layer(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    result = row.result
    attributes = dict(module.attributes)
    inplace = NO if row.inplace_at is None else truth_of(attributes.get("inplace", Const(False)))
    if inplace is YES:
        return _written(m, node, module, row, args)
    if inplace is not NO:
        maybe_written(m, lambda: _written(m, node, module, row, args))
        result = perhaps_itself(result)
    if (idle := _idle(module, row)) is not NO:
        result = replace(result, kind="self" if idle is YES else "self or fresh")
    operation = _operation(module, row, ("input",), (result,))
    told = shape.told_by(m, module, operation.name)
    made = _applied(m, node, ref, operation, args, 1, shape.of_layer(m, module), told)
    return with_counts(m, node, made, [truth_of(attributes[name]) for name in COUNTS if name in attributes])


def _two(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """A layer of two operands; which of them is which is known where they are given by place."""
    if len(args.positional) < len(TWO):
        return _custom(m, node, ref, module, row, args)
    return _applied(m, node, ref, _operation(module, row, TWO, (row.result,)), args, 2, shape.of_layer(m, module))


TWO = ("input", "target")
"""What the rows call the operands of a layer that has two."""


def _with_loss(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """A layer of two operands that gives what it computes, and the loss."""
    if len(args.positional) < len(TWO):
        return _custom(m, node, ref, module, row, args)
    return _applied(m, node, ref, _operation(module, row, TWO, (row.result, row.result)), args, 2)


def _idle(module: Module, row: ModuleRow) -> Truth:
    """Whether a layer gives its argument back as it is: one that drops something does so in eval mode, and where it is
    to drop nothing."""
    if not row.identity_in_eval or row.result.kind == "self":
        return NO
    share = dict(module.attributes).get(DROPPED, UNKNOWN)
    nothing = truth(share.value == 0) if type(share) is Const else UNSURE
    asleep = YES if module.mode is EVAL else UNSURE if module.mode.may(EVAL) else NO
    return either([nothing, asleep])


def _written(m: Interpreter, node: Site, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """A layer that writes its argument and gives it back, or leaves it alone."""
    target = args.positional[0] if args.positional else UNKNOWN
    start = m.push(target)
    name = row.path.rpartition(".")[2]
    saves = saved_in_place(m, row.savings, [("input", target)], target)
    idle = _idle(module, row)
    if idle is not YES:
        this = Write(node, name, "module", name=first_argument(node), saves=saves)
        m.maybe(lambda: write(m, target, this), idle is not NO)
    return m.pop_from(start)[0]


def _loss(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    reduction, scalar = dict(module.attributes).get(REDUCTION), UNSURE
    if reduction is not None and args.positional:
        scalar = shape.reduced(m, row.path.rpartition(".")[2], reduction, args.values())
    return _applied(m, node, ref, _operation(module, row, TWO, (row.result,)), args, 2, scalar)


def _made_at_last(m: Interpreter, ref: Ref) -> None:
    """A lazy layer makes its tensors where it is first called, in the mode of that place."""
    for _, held in (*parameters(m, ref)[0], *buffers(m, ref)[0]):
        tensor: Tensor = m[held]
        if tensor.inference.is_unsure:
            m.store(held, replace(tensor, inference=NO if m.state.inference is NO else MAYBE))


def _applied(
    m: Interpreter,
    node: Site,
    ref: Ref,
    row: Operation,
    args: Arguments,
    count: int,
    scalar: Truth = UNSURE,
    told: Told = NOT_SEEN,
) -> Value:
    if row.name.startswith("Lazy"):
        _made_at_last(m, ref)
    inputs = [
        value for value in args.values() if m.may_be(value, Tensor) or type(value) is Unknown or type(value) is Ref
    ]
    slots = list(zip([*row.operands, *(["other"] * len(inputs))], inputs, strict=False))[: max(count, len(inputs))]
    given, part = slots or [("input", UNKNOWN)], f"call {ref.site} "
    return apply(m, node, row, given, Requested(scalar=scalar, told=told, part=part), _own(m, ref))


def _rnn(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    operation = _operation(module, row, ("input", "state"), (row.result, row.result))
    states = [*args.positional[1:], *(value for name, value in args.keywords.items() if name != "input")]
    args = Arguments([args.get("input", 0, UNKNOWN), *states])
    return _applied(m, node, ref, operation, args, 2, shape.of_layer(m, module))


def _cell(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """One step of an LSTM, which is handed its two states in one tuple."""
    states = [*args.positional[1:], *(value for name, value in args.keywords.items() if name != "input")]
    each = [part for state in states for part in element_list(m, state) or [elements(m, node, state)]]
    return _rnn(m, node, ref, module, row, Arguments([args.get("input", 0, UNKNOWN), *each]))


def _lstm(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    flat = Arguments([*args.positional[:1], *(elements(m, node, v) for v in args.positional[1:])])
    operation = _operation(module, row, ("input", "state"), (row.result,) * 3)
    out = _applied(m, node, ref, operation, flat, 2, shape.of_layer(m, module))
    output, hidden, cell = (v for _, v in m.all(out, Container)[0][1].items)
    return container(m, node, "tuple", [output, container(m, node, "tuple", [hidden, cell], "states")], "outcome")


def _attention(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """Output and weights, with None in the place of weights that nobody wants."""
    attended = [args.get(name, at, UNKNOWN) for at, name in enumerate(ATTENDED)]
    masks = [*args.positional[len(ATTENDED) :], *(v for name, v in args.keywords.items() if name not in ATTENDED)]
    operation = _operation(module, row, (*TWO, "argument 2"), (row.result, row.result))
    out = _applied(m, node, ref, operation, Arguments([*attended, *masks]), len(ATTENDED))
    output, weights = (v for _, v in m.all(out, Container)[0][1].items)
    if shape.of_layer(m, module) is NO:  # of weights there may be one all the same
        m.update_fields(output, Tensor, scalar=NO)
    wanted = truth_of(UNKNOWN if args.unknown else args.get("need_weights", 4, Const(True)))
    weights = NONE_VALUE if wanted is NO else weights if wanted is YES else one_of((weights, NONE_VALUE))
    return container(m, node, "tuple", [output, weights], "outcome")


ATTENDED = ("query", "key", "value")
"""What attention is given, whatever hides parts of it."""


def _sequence(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """Sequential: each part gets what the one before gave."""
    value = args.positional[0] if args.positional else UNKNOWN
    if module.open.may(YES):
        return loose_result(m, node, ref, module, args)
    if module.rest != NOTHING:
        return _through_all(m, node, ref, value)
    return m.once(
        ref,
        lambda: _through_each(m, node, ref, module, value),
        lambda: loose_result(m, node, ref, module, args),
    )


def _through_each(m: Interpreter, node: Site, ref: Ref, module: Module, value: Value) -> Value:
    start = m.push(value)
    m.inside_module += 1
    for name, part in module_containers.parts(m, module):
        value = m.state.stack[start]
        inner = m.all(part, Module)
        if len(inner) != 1 or len(alternatives(part)) != 1:
            found = loose_result(m, node, ref, module, Arguments([value]))
        else:
            found = call(m, m.part_of(node, f"{ref.site} {name}"), part, Arguments([value]), "call", "")
        m.state.stack[start] = found
    m.inside_module -= 1
    return m.pop_from(start)[0]


def _through_all(m: Interpreter, node: Site, ref: Ref, value: Value) -> Value:
    """Sequential, where nobody knows how many parts there are and in which order: any of them, over and over."""
    start = m.push(ref, value)
    place = m.part_of(node, f"{ref.site} parts")
    least = 1 if module_containers.certainly_not_empty(m, m[ref]) else 0

    def step(_: Truth) -> None:
        held, given = m.state.stack[start : start + 2]
        some = module_containers.all_parts(m, m[held])  # type: ignore[index]
        m.state.stack[start + 1] = call(m, place, some, Arguments([given]), "call", "")

    m.inside_module += 1
    run_loop(m, place, step, least=least)
    m.inside_module -= 1
    return m.pop_from(start)[1]


def _custom(m: Interpreter, node: Site, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    return loose_result(m, node, ref, module, args, by_all=row.result.passes)


CALLS = {
    "layer": _layer,
    "two": _two,
    "with loss": _with_loss,
    "loss": _loss,
    "rnn": _rnn,
    "lstm": _lstm,
    "pair": _cell,
    "attention": _attention,
    "container": _sequence,
    "none": _custom,
    "custom": _custom,
}


def of_library(m: Interpreter, node: Site, ref: Ref, module: Module, args: Arguments) -> Value | None:
    """What calling a module of a library gives, where its class tells more than of others."""
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
