"""Functions of torch that run other functions or modules: checkpoints, functional calls, tracing, `vmap`."""

from __future__ import annotations

from functools import partial

from gradlint import events
from gradlint.domain.facts import NO, UNSURE, YES, Truth, either
from gradlint.domain.items import with_item
from gradlint.domain.objects import MOST_ITEMS, Container, Instance, Module, Node, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import ASTRAY, OPAQUE, Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    Bound,
    Constant,
    ImportPath,
    PlainObject,
    PythonNumber,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward_arguments import flag
from gradlint.interpreter.autograd.results import UNKNOWN_LAYOUT
from gradlint.interpreter.autograd.tensor import unknown_tensor
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import CALLED, MODELS, models
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters, walk
from gradlint.interpreter.engine.weakened import seen_as, tensors_in
from gradlint.interpreter.nn import module_calls
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.torch_api.custom_function import recorded, unrecorded

OPTIONS = frozenset({"use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state", "early_stop"})


@models("torch.utils.checkpoint.checkpoint")
def _checkpoint(m: Interpreter, node: Site, args: Arguments) -> Value:
    """The call itself; the reentrant kind records one operation, on the tensors passed in by themselves."""
    function, *given = args.positional or [UNKNOWN]
    options = {name: value for name, value in args.keywords.items() if name in OPTIONS}
    inner = Arguments(given, {k: v for k, v in args.keywords.items() if k not in OPTIONS}, args.unknown)
    place = m.part_of(node, "checkpoint")
    reentrant = flag(Arguments([], options), "use_reentrant", -1, default=True)
    if not m.is_silent:
        _emit_checkpointed(m, node, function, given, reentrant, told="use_reentrant" in options)
    if reentrant is NO:
        return call_value(m, place, function, inner, "")
    start = m.push(function, *given)
    found = unrecorded(m, lambda: call_value(m, place, function, inner, ""))
    function, *given = m.pop_from(start)
    made = recorded(m, node, "checkpoint", given, found)
    _runs_again(m, function, made)
    if reentrant is not YES:
        for ref, tensor in [(r, t) for r, t in m.all(made, Tensor)]:
            m.store(ref, replace(tensor, requires_grad=tensor.requires_grad | UNSURE, leaf=tensor.leaf | UNSURE))
    return made


def _runs_again(m: Interpreter, function: Value, made: Value) -> None:
    """Backward runs the function with gradients on, and so reaches the parameters that it uses, perhaps."""
    owner = function.owner if type(function) is Bound else function
    held: list[Ref] = [OPAQUE, ASTRAY]
    if m.only(owner, Module) is not None:
        held = [ref for _, ref in parameters(m, owner)[0] if m[ref].requires_grad is not NO]
    for _, tensor in m.all(made, Tensor):
        for ref in tensor.node:
            if ref is not None and type(thing := m.state.heap.get(ref)) is Node:
                m.state.heap[ref] = replace(thing, inputs=(*thing.inputs, *((m.own(one), None) for one in held)))


def _emit_checkpointed(
    m: Interpreter, node: Site, function: Value, given: list[Value], reentrant: Truth, *, told: bool
) -> None:
    owner = function.owner if type(function) is Bound else function
    own = parameters(m, owner)[0] if m.may_be(owner, Module) else []
    m.emit(
        events.Checkpointed,
        node,
        function=m.thing(owner),
        reentrant=reentrant,
        told=told,
        inputs=either([_requires_grad(m, value) for value in given]),
        parameters=either([m[ref].requires_grad for _, ref in own]) if own else UNSURE,
    )


def _requires_grad(m: Interpreter, value: Value) -> Truth:
    """Return whether a value is a tensor that requires grad; those inside containers do not count."""
    tensor = m.only(value, Tensor)
    if tensor is not None:
        return tensor.requires_grad
    plain = m.only(value, Container) is not None or type(value) in (Constant, PythonNumber, PlainObject)
    return NO if plain else UNSURE


@models("torch.utils.checkpoint.checkpoint_sequential")
def _checkpoint_sequential(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A Sequential is called part by part; the last is recorded whatever the kind."""
    functions, given = args.get("functions", 0, UNKNOWN), args.get("input", 2, UNKNOWN)
    options = {name: value for name, value in args.keywords.items() if name in OPTIONS}
    made = _checkpoint(m, node, Arguments([functions, given], options))
    if flag(Arguments([], options), "use_reentrant", -1, default=True) is not NO:
        for ref, tensor in [(r, t) for r, t in m.all(made, Tensor)]:
            asks, leaf = tensor.requires_grad, tensor.leaf
            asks, leaf = asks if asks is YES else asks | UNSURE, leaf if leaf is NO else leaf | UNSURE
            made_by = tuple(dict.fromkeys((*tensor.node, OPAQUE, ASTRAY)))
            m.store(ref, replace(tensor, requires_grad=asks, leaf=leaf, node=made_by))
    return made


@models("torch.func.functional_call", "torch.nn.utils.stateless.functional_call")
def _functional_call(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A module is called with other tensors in the place of its parameters and buffers."""
    module = args.get("module", 0, UNKNOWN)
    given = args.get("parameter_and_buffer_dicts", 1, args.keywords.get("parameters_and_buffers", UNKNOWN))
    others, rest = _by_name(m, given)
    inner = _arguments(m, args)
    if m.only(module, Module) is None or others is None or inner is None:
        havoc(m, args.values())
        return result_of_unknown(args.values())
    start = m.push(module)
    exchanged = _exchange(m, module, others, rest)
    held = m.push(*(value for _, _, value in exchanged))
    found = module_calls.call(m, m.part_of(node, "functional"), module, inner, "call", "")
    m.push(found)
    back = m.state.stack[held:]
    for (ref, name, _), old in zip(exchanged, back, strict=False):
        now: Module = m[ref]
        m.store(ref, replace(now, attributes=with_item(now.attributes, name, old)))
    return m.pop_from(start)[-1]


def _by_name(m: Interpreter, given: Value) -> tuple[dict[object, Value] | None, Value]:
    """The tensors of one or several mappings: those under known names, and the rest."""
    thing = m.only(given, Container)
    if thing is None:
        return None, NOTHING
    if thing.kind != "tuple" and thing.kind != "list":
        return dict(thing.items), thing.rest
    found: dict[object, Value] = {}
    rest: Value = NOTHING
    for inner in [value for _, value in thing.items]:
        more, others = _by_name(m, inner)
        if more is None:
            return None, NOTHING
        found |= more
        rest = one_of([rest, others], MOST_ITEMS)
    return (found, rest) if thing.rest == NOTHING else (None, NOTHING)


def _arguments(m: Interpreter, args: Arguments) -> Arguments | None:
    """Return the arguments of the module: one value, or a tuple of them, and keywords."""
    value, keywords = args.get("args", 2, NONE_VALUE), args.get("kwargs", 3, NONE_VALUE)
    named = m.only(keywords, Container)
    if (named is not None and named.rest != NOTHING) or (named is None and keywords != NONE_VALUE):
        return None
    several = m.only(value, Container)
    listed = [inner for _, inner in several.items] if several is not None and several.kind == "tuple" else [value]
    if several is not None and several.rest != NOTHING:
        return None
    return Arguments([] if value == NONE_VALUE else listed, {str(k): v for k, v in named.items} if named else {})


def _exchange(
    m: Interpreter, module: Value, others: dict[object, Value], rest: Value
) -> list[tuple[Ref, object, Value]]:
    """Put other tensors in place; gives what was there before."""
    before: list[tuple[Ref, object, Value]] = []
    for ref, path in walk(m, module).items():
        part: Module = m[ref]
        attributes = dict(part.attributes)
        for name, old in part.attributes:
            dotted = f"{path}.{name}" if path else str(name)
            if not m.may_be(old, Tensor):
                continue
            if path is not None and dotted in others:
                attributes[name] = others[dotted]
            elif rest != NOTHING:
                attributes[name] = one_of([old, rest], MOST_ITEMS)
            else:
                continue
            before.append((ref, name, old))
        m.store(ref, replace(part, attributes=tuple(attributes.items())))
    return before


@models("torch.vmap", "torch.func.vmap")
def _vmap(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A function that runs the one it is made from, which sees a part of each tensor."""
    given = (("func", args.get("func", 0, UNKNOWN)),)
    return m.new(node, TRANSFORMED, Instance(cls=ImportPath(MAPPED), attributes=given, open=NO))


@models("torch.jit.trace", "torch.jit.script", "torch.fx.symbolic_trace")
def _traced(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A module of its own that shares the parameters, with a mode of its own; a function is run as it is."""
    value = args.first
    return one_of([_traced_one(m, node, option) for option in alternatives(value)])


def _traced_one(m: Interpreter, node: Site, value: Value) -> Value:
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(value) is not Ref or type(thing) is not Module:
        return value
    return m.new(m.copy_site(node, value), "traced", replace(thing, causes=(Cause(CauseKind.MADE, node),)))


GRADIENT, AND_VALUE = "torch.func.grad", "torch.func.grad_and_value"
MAPPED = "torch.vmap()"
TRANSFORMED = "transformed function"


def _differentiated(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """A function that runs the one it is made from, and gives a gradient of the kind of its first argument."""
    given = (("func", args.get("func", 0, UNKNOWN)), ("aux", args.get("has_aux", 2, Constant(False))))
    return m.new(node, TRANSFORMED, Instance(cls=ImportPath(f"{path}()"), attributes=given, open=NO))


def _run_transformed(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    about = dict(thing.attributes)
    with seen_as(m, args.values(), requires_grad=UNSURE, leaf=UNSURE):
        start = m.push(*args.values())
        call_value(m, m.part_of(node, "transformed"), about["func"], args, "")
        handed = m.pop_from(start)
    first = m.only(handed[0], Tensor) if args.positional else None
    plain = first is not None and about["aux"] == Constant(False) and thing.cls == ImportPath(f"{GRADIENT}()")
    return unknown_tensor(m, node, "gradient", Belief.PROVEN) if plain else result_of_unknown(args.values())


def _run_mapped(m: Interpreter, node: Site, thing: Instance, args: Arguments) -> Value:
    """Run a mapped function: as far as flags and graphs go, it is the function itself."""
    with seen_as(m, args.values(), **UNKNOWN_LAYOUT):
        made = call_value(m, m.part_of(node, "mapped"), dict(thing.attributes)["func"], args, "")
    for ref in tensors_in(m, [made]):
        m.store(ref, replace(m[ref], **UNKNOWN_LAYOUT))
    return made


CALLED[MAPPED] = _run_mapped
for _path in (GRADIENT, AND_VALUE):
    MODELS[_path] = partial(_differentiated, _path)
    CALLED[f"{_path}()"] = _run_transformed
