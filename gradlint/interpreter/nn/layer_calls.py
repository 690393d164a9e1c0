"""Layers of torch, and what applying each kind of them gives, as its row says."""

from __future__ import annotations

from collections.abc import Iterable

from gradlint.domain.facts import EVAL, MAYBE, NO, UNSURE, YES, Truth, either, truth
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.provenance import Belief, WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, truth_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import shape
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.in_place import Write, maybe_written, write
from gradlint.interpreter.autograd.operations import COUNTS, first_argument, perhaps_itself, reduced, with_counts
from gradlint.interpreter.autograd.record import saved_in_place
from gradlint.interpreter.autograd.results import NOTHING_REQUESTED, Requested
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.iteration import element_list, elements
from gradlint.interpreter.engine.loops import Loop, run_loop
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import buffers, parameters
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.nn.module import DROPPED, REDUCTION
from gradlint.interpreter.nn.module_calls import LayerCall, applies, call, loose_result, own_tensors
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.schema import Operation, Result

TWO = ("input", "target")
"""The names in rows for the operands of a layer that has two."""
ATTENDED = ("query", "key", "value")
"""The arguments of attention, whatever hides parts of it."""


def _applied(
    m: Interpreter,
    node: Site,
    layer: LayerCall,
    operands: tuple[str, ...],
    results: tuple[Result, ...],
    requested: Requested = NOTHING_REQUESTED,
) -> Value:
    """Return the result of the operation that a layer applies to its arguments and its own tensors."""
    row = Operation(layer.name, (), operands, operands, "", results=results, saves=layer.row.saves, adds=layer.row.adds)
    if row.name.startswith("Lazy"):
        _made_at_last(m, layer.ref)
    inputs = [
        value
        for value in layer.args.values()
        if m.may_be(value, Tensor) or type(value) is Unknown or type(value) is Ref
    ]
    slots = list(zip([*operands, *(["other"] * len(inputs))], inputs, strict=False)) or [("input", UNKNOWN)]
    return apply(m, node, row, slots, replace(requested, part=f"call {layer.ref.site} "), own_tensors(m, layer.ref))


def _made_at_last(m: Interpreter, ref: Ref) -> None:
    """A lazy layer makes its tensors where it is first called, in the mode of that place."""
    for _, held in (*parameters(m, ref)[0], *buffers(m, ref)[0]):
        tensor: Tensor = m[held]
        if tensor.inference.is_unsure:
            m.store(held, replace(tensor, inference=NO if m.state.inference is NO else MAYBE))


def _wide(m: Interpreter, layer: LayerCall) -> Requested:
    """Return the size of a layer's results, as far as its parameters say."""
    return Requested(scalar=shape.of_layer(m, layer.module))


@applies("layer")
def _layer(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    result = layer.row.result
    attributes = dict(layer.module.attributes)
    inplace = NO if layer.row.inplace_at is None else truth_of(attributes.get("inplace", Constant(False)))
    if inplace is YES and layer.ref not in m.calls.in_any_order:
        return _written(m, node, layer)
    if inplace is not NO:
        maybe_written(m, lambda: _written(m, node, layer))
        result = perhaps_itself(result)
    if (idle := _idle(layer)) is not NO:
        result = replace(result, kind="self" if idle is YES else "self or fresh")
    requested = replace(_wide(m, layer), told=shape.told_by(m, layer.module, layer.name))
    made = _applied(m, node, layer, ("input",), (result,), requested)
    return with_counts(m, node, made, [truth_of(attributes[name]) for name in COUNTS if name in attributes])


def _idle(layer: LayerCall) -> Truth:
    """Return whether a layer gives its argument back as it is: dropout does so in eval mode, and with p=0."""
    if not layer.row.identity_in_eval or layer.row.result.kind == "self":
        return NO
    share, mode = dict(layer.module.attributes).get(DROPPED, UNKNOWN), layer.module.mode
    nothing = truth(share.value == 0) if type(share) is Constant else UNSURE
    asleep = YES if mode is EVAL else UNSURE if mode.may(EVAL) else NO
    return either([nothing, asleep])


def _written(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    """Write the argument of a layer that works in place, unless it leaves it alone, and give it back."""
    target = layer.args.first
    start = m.push(target)
    saves = saved_in_place(m, layer.row.savings, [("input", target)], target)
    idle = _idle(layer)
    if idle is not YES:
        this = Write(node, layer.name, WriteKind.MODULE, name=first_argument(node), saves=saves)
        m.maybe(lambda: write(m, target, this), idle is not NO)
    return m.pop_from(start)[0]


@applies("two")
def _two(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    """A layer of two operands; which of them is which is known where they are given by place."""
    if len(layer.args.positional) < len(TWO):
        return _custom(m, node, layer)
    return _applied(m, node, layer, TWO, (layer.row.result,), _wide(m, layer))


@applies("with loss")
def _with_loss(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    """A layer of two operands that gives what it computes, and the loss."""
    if len(layer.args.positional) < len(TWO):
        return _custom(m, node, layer)
    return _applied(m, node, layer, TWO, (layer.row.result,) * 2)


@applies("loss")
def _loss(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    reduction, scalar = dict(layer.module.attributes).get(REDUCTION), UNSURE
    if reduction is not None and layer.args.positional:
        scalar = reduced(m, layer.name, reduction, layer.args.values())
    return _applied(m, node, layer, TWO, (layer.row.result,), Requested(scalar=scalar))


def _states(args: Arguments) -> list[Value]:
    """The states that a recurrent layer is given besides its input."""
    return [*args.positional[1:], *(value for name, value in args.keywords.items() if name != "input")]


@applies("rnn")
def _rnn(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    flat = layer.given(layer.args.get("input", 0, UNKNOWN), *_states(layer.args))
    return _applied(m, node, flat, ("input", "state"), (layer.row.result,) * 2, _wide(m, layer))


@applies("pair")
def _cell(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    """One step of an LSTM, which is passed its two states in one tuple."""
    each = [part for state in _states(layer.args) for part in element_list(m, state) or [elements(m, node, state)]]
    return _rnn(m, node, layer.given(layer.args.get("input", 0, UNKNOWN), *each))


@applies("lstm")
def _lstm(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    given = layer.args.positional
    flat = layer.given(*given[:1], *(elements(m, node, value) for value in given[1:]))
    out = _applied(m, node, flat, ("input", "state"), (layer.row.result,) * 3, _wide(m, layer))
    output, hidden, cell = (v for _, v in m.all(out, Container)[0][1].items)
    return container(m, node, "tuple", [output, container(m, node, "tuple", [hidden, cell], "states")], "outcome")


@applies("attention")
def _attention(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    """Output and weights, with None in the place of weights that nobody wants."""
    args = layer.args
    attended = [args.get(name, at, UNKNOWN) for at, name in enumerate(ATTENDED)]
    masks = [*args.positional[len(ATTENDED) :], *(v for name, v in args.keywords.items() if name not in ATTENDED)]
    flat = layer.given(*attended, *masks)
    out = _applied(m, node, flat, (*TWO, "argument 2"), (layer.row.result,) * 2)
    output, weights = (v for _, v in m.all(out, Container)[0][1].items)
    if shape.of_layer(m, layer.module) is NO:  # of weights there may be one all the same
        m.update_fields(output, Tensor, scalar=NO)
    wanted = truth_of(UNKNOWN if args.unknown else args.get("need_weights", 4, Constant(True)))
    weights = NONE_VALUE if wanted is NO else weights if wanted is YES else one_of((weights, NONE_VALUE))
    return container(m, node, "tuple", [output, weights], "outcome")


@applies("container")
def _sequence(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    """Sequential: each part gets what the one before gave."""
    value = layer.args.first
    if layer.module.open.may(YES):
        return loose_result(m, node, layer.ref, layer.module, layer.args)
    if layer.module.rest != NOTHING:
        return _through_all(m, node, layer.ref, value)
    return m.once(
        layer.ref,
        lambda: _through_each(m, node, layer, value),
        lambda: loose_result(m, node, layer.ref, layer.module, layer.args),
    )


def _through_each(m: Interpreter, node: Site, layer: LayerCall, value: Value) -> Value:
    start = m.push(value)
    m.calls.inside_module += 1
    for name, part in module_containers.parts(m, layer.module):
        value = m.state.stack[start]
        inner = m.all(part, Module)
        if len(inner) != 1 or len(alternatives(part)) != 1:
            found = loose_result(m, node, layer.ref, layer.module, Arguments([value]))
        else:
            found = call(m, m.part_of(node, f"{layer.ref.site} {name}"), part, Arguments([value]), "call", "")
        m.state.stack[start] = found
    m.calls.inside_module -= 1
    return m.pop_from(start)[0]


def _through_all(m: Interpreter, node: Site, ref: Ref, value: Value) -> Value:
    """Sequential, where nobody knows how many parts there are and in which order: any of them, over and over. Where
    that leaves open whether what comes out requires grad, it goes once more through a part with parameters that
    certainly is among them, or most likely (under another name than the rest), and through any of them again."""
    start = m.push(ref, value)
    least = 1 if module_containers.certainly_not_empty(m, m[ref]) else 0
    m.calls.inside_module += 1
    _over_and_over(m, m.part_of(node, f"{ref.site} parts"), start, least)
    held, given = m.state.stack[start : start + 2]
    certain = trainable = None
    if type(held) is Ref and _may_be_cut(m, given):
        certain = _trainable(m, module_containers.certain(m, m[held]))
        trainable = certain or _trainable(m, alternatives(module_containers.all_parts(m, m[held])))
    if trainable is not None:
        m.state.stack[start + 1] = call(
            m, m.part_of(node, f"{ref.site} certain"), trainable, Arguments([given]), "call", ""
        )
        _over_and_over(m, m.part_of(node, f"{ref.site} others"), start, 0)
        for one, tensor in m.all(m.state.stack[start + 1], Tensor) if certain is None else ():
            m.store(one, replace(tensor, belief=max(tensor.belief, Belief.FROM_USAGE)))
    m.calls.inside_module -= 1
    return m.pop_from(start)[1]


def _over_and_over(m: Interpreter, place: Site, start: int, least: int) -> None:
    """Pass the values behind a Sequential through any of its parts, any number of times; of many through a value
    computed from them all."""

    def step(_: Truth) -> None:
        held, given = m.state.stack[start : start + 2]
        assert type(held) is Ref
        some, args = module_containers.all_parts(m, m[held]), Arguments([given])
        options, outer = alternatives(some), m.calls.in_any_order
        found: Value = UNKNOWN
        if len(options) > MOST_IN_ANY_ORDER:
            m.log.exceeded("parts in any order")
        else:
            m.calls.in_any_order = frozenset(options) if len(options) > 1 else frozenset()
            found = call(m, place, some, args, "call", "")
            m.calls.in_any_order = outer
        held = m.state.stack[start]
        if type(found) is Unknown and type(held) is Ref:  # of many behind each other come more than are told apart
            found = loose_result(m, place, held, m[held], args)
        m.state.stack[start + 1] = found

    run_loop(m, place, Loop(step, least=least))


MOST_IN_ANY_ORDER = 16
"""Parts that are gone through one by one where their order is not known: each of them may come behind each other."""


def _may_be_cut(m: Interpreter, value: Value) -> bool:
    """Return whether a result requires grad on some paths and on others not."""
    answers = [tensor.requires_grad for _, tensor in m.all(value, Tensor)]
    return any(one.may(YES) for one in answers) and any(one.possibly(NO) for one in answers)


def _trainable(m: Interpreter, parts: Iterable[Value]) -> Ref | None:
    """Return the first of some parts that has a parameter which certainly requires grad."""
    held = (part for part in parts if type(part) is Ref)
    return next((part for part in held if any(m[one].requires_grad is YES for _, one in parameters(m, part)[0])), None)


@applies("none", "custom")
def _custom(m: Interpreter, node: Site, layer: LayerCall) -> Value:
    return loose_result(m, node, layer.ref, layer.module, layer.args, by_all=layer.row.result.passes)
