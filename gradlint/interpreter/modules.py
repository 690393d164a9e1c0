"""Modules: their parts, parameters and mode, and what calling them gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gradlint import events
from gradlint.domain import (
    ANY_DTYPE,
    EVAL,
    FLOAT,
    INTEGER,
    MAYBE,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    NOTHING,
    TRAIN,
    UNKNOWN,
    UNSURE,
    YES,
    Belief,
    Const,
    Container,
    Mark,
    Mode,
    Module,
    Named,
    Plain,
    Ref,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    either,
    one_of,
)
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.containers import consume, container, elements, iterator
from gradlint.interpreter.core import Interpreter, not_none
from gradlint.interpreter.tensors import (
    apply,
    clear_gradients,
    fresh,
    set_requires_grad,
    truth_of,
    written_without_graph,
)
from gradlint.knowledge import MODULES
from gradlint.knowledge.rows import ModuleRow, Operation, Result

MOST_MODULES_DEEP = 2
"""How many calls of modules of the program are followed into each other."""
WITHOUT = {"bias": "bias", "affine": "", "elementwise_affine": "", "track_running_stats": ""}
"""Keywords that leave out parameters of that name (or, where empty, all of them) when they are False."""


# ---- building


def parameter(it: Interpreter, node: Any, part: str, **facts: Any) -> Ref:
    """A new parameter that nobody has changed."""
    known: dict[str, Any] = {
        "dtype": FLOAT,
        "requires_grad": YES,
        "parameter": YES,
        "inference": NO,
        "made": "Parameter",
        "marks": (Mark("made", node), Mark("asked", node)),
    }
    return fresh(it, node, part, **(known | facts))


def build(it: Interpreter, node: Any, path: str, args: Arguments) -> Ref:
    """A new module of a class of torch."""
    row = MODULES[path]
    attributes: dict[object, Value] = {}
    own: Value = NOTHING
    for name in row.parameters if row.call not in ("container", "none") else ():
        left_out = _left_out(name, args)
        if left_out is YES:
            attributes[name] = NONE_VALUE
        elif "." in name or len(row.parameters) > 6:
            own = parameter(it, node, "own parameters", many=True)
        else:
            made = parameter(it, node, f"parameter {name}")
            attributes[name] = made if left_out is NO else one_of((made, NONE_VALUE))
    for name in row.buffers:
        dtype = INTEGER if name == "num_batches_tracked" else FLOAT
        attributes[name] = fresh(it, node, f"buffer {name}", dtype=dtype, inference=NO, made="buffer")
    if row.call in ("container", "none"):
        attributes |= _children(it, node, args)
    ref = it.new(node, "module", Module(
        cls=Named(path), attributes=tuple(attributes.items()), own=own, mode=TRAIN,
        open=UNSURE if args.unknown else NO, marks=(Mark("made", node),)))  # fmt: skip
    it.emit(events.ModuleBuilt, node, module=it[ref])
    return ref


def _left_out(name: str, args: Arguments) -> Truth:
    for keyword, parameter_name in WITHOUT.items():
        value = args.keywords.get(keyword)
        if value is not None and parameter_name in ("", name):
            given = truth_of(value)
            return UNSURE if given.is_unsure else NO if given is YES else YES if given is NO else MAYBE
    return NO


def _children(it: Interpreter, node: Any, args: Arguments) -> dict[object, Value]:
    """The parts of Sequential, ModuleList, ModuleDict and their like."""
    out: dict[object, Value] = {}
    for value in args.positional:
        given = it.only(value, Container)
        if given is None and it.may_be(value, Module):
            out[str(len(out))] = value
        elif given is None:
            if (element := elements(it, node, value)) and it.may_be(element, Module):
                out[f"{len(out)}..."] = element
            consume(it, node, value, "module list")
        else:
            for key, part in given.items:
                out[str(key)] = part
            if given.rest != NOTHING:
                out[f"{len(out)}..."] = given.rest
    return out


def unknown_module(it: Interpreter, node: Any, part: str, belief: Belief, cls: Value = UNKNOWN) -> Ref:
    """A module of which only the kind is known: some parameters, which require grad unless somebody froze them."""
    row = MODULES.get(cls.path) if type(cls) is Named else None
    assumed = max(belief, Belief.BY_USE)
    names = row.parameters if row is not None and len(row.parameters) <= 6 else ()
    attributes = tuple(
        (
            name,
            one_of([parameter(it, node, f"{part} {name}", belief=assumed), *([NONE_VALUE] if name == "bias" else [])]),
        )
        for name in names
    )
    own = NOTHING if names else parameter(it, node, f"{part} own", many=True, belief=assumed, dtype=ANY_DTYPE)
    made = Module(cls=cls, attributes=attributes, own=own, belief=belief, marks=(Mark("made", node),))
    return it.new(node, part, made)


# ---- parts


def submodules(it: Interpreter, value: Value) -> dict[Ref, None]:
    """A module and all modules inside it, in order."""
    found: dict[Ref, None] = {}
    todo = [ref for ref, _ in it.all(value, Module)]
    while todo:
        ref = todo.pop(0)
        if ref in found:
            continue
        found[ref] = None
        for _, part in it[ref].attributes:
            todo += [inner for inner, _ in it.all(part, Module)]
    return found


def parameters(it: Interpreter, value: Value) -> tuple[list[tuple[str, Ref]], Truth]:
    """The parameters of a module by name, and whether it may have others."""
    found: dict[Ref, str] = {}
    opens = [NO]
    for ref in submodules(it, value):
        module: Module = it[ref]
        opens.append(module.open)
        for name, part in module.attributes:
            for inner, tensor in it.all(part, Tensor):
                if tensor.parameter.may(YES):
                    found.setdefault(inner, str(name))
        for inner, _ in it.all(module.own, Tensor):
            found.setdefault(inner, "")
    return [(name, ref) for ref, name in found.items()], either(opens)


def parameter_iterator(it: Interpreter, node: Any, owner: Value, named: bool) -> Value:
    """`parameters()` and `named_parameters()`."""
    found, opened = parameters(it, owner)
    element = (
        one_of([ref for _, ref in found], MOST_ITEMS) if found else Unknown(tuple(r for r, _ in it.all(owner, Module)))
    )
    if named:
        element = it.new(node, "pair", Container("tuple", items=((0, Plain("str")), (1, element))))
    return iterator(it, node, element, "named_parameters()" if named else "parameters()", empty=NO if found else opened,
                    source=owner)  # fmt: skip


def set_mode(it: Interpreter, node: Any, owner: Value, mode: Mode) -> None:
    """`train()` and `eval()` reach all parts of a module."""
    found = it.all(owner, Module)
    shown = it.only(owner, Module)
    if shown is not None:
        it.emit(events.ModeChanged, node, module=shown, to=mode)
    for ref in submodules(it, owner):
        it.put(ref, replace(it[ref], mode=mode), sure=len(found) == 1)


# ---- calling


def call(it: Interpreter, node: Any, owner: Value, args: Arguments, how: str, name: str) -> Value:
    """A module is applied to arguments."""
    results = []
    for ref, module in it.all(owner, Module):
        start = it.hold(ref, *args.values())
        result = _call_one(it, node, ref, module, args)
        it.hold(result)
        *held, result = it.land(start)
        results.append(result)
        shown = it.state.heap.get(held[0])  # type: ignore[arg-type]
        if it.muted or type(shown) is not Module:
            continue
        it.emit(
            events.ModuleCalled,
            node,
            module=shown,
            args=tuple(it.thing(value) for value in held[1 : 1 + len(args.positional)]),
            result=it.thing(result),
            how=how,
            graph=_graph(it, result),
            nested=it.inside_module > 0,
            name=name,
        )
    return one_of(results)


def _graph(it: Interpreter, result: Value) -> tuple[tuple[int, str, int], ...]:
    tensors = [ref for ref in it.state.reach([result]) if type(it[ref]) is Tensor]
    nodes = [node for ref in tensors for node in it[ref].node]
    return tuple(dict.fromkeys(node.key for node in nodes if node is not None))


def _call_one(it: Interpreter, node: Any, ref: Ref, module: Module, args: Arguments) -> Value:
    from gradlint.interpreter.classes import find_method, torch_base
    from gradlint.interpreter.functions import call_function

    method = find_method(it, module.cls, "forward")
    if method is not None and it.inside_module >= MOST_MODULES_DEEP:
        it.hit("depth of modules")
        return loose_result(it, node, ref, module, args)
    if method is not None:
        it.inside_module += 1
        try:
            return call_function(it, node, method, args.with_first(ref))
        finally:
            it.inside_module -= 1
    path = module.cls.path if type(module.cls) is Named else torch_base(it, module.cls)
    row = MODULES.get(path or "")
    if row is None:
        return loose_result(it, node, ref, module, args)
    return CALLS[row.call](it, node, ref, module, row, args)


def _own(it: Interpreter, ref: Ref) -> list[Value]:
    return list(dict.fromkeys(found for _, found in parameters(it, ref)[0]))


def loose_result(it: Interpreter, node: Any, ref: Ref, module: Module, args: Arguments) -> Value:
    """What a module of an unknown class gives: something computed from its parameters and arguments."""
    row = Operation("module", (), (), (), "", results=(Result(dtype="float"),))
    own, _ = parameters(it, ref)
    result = apply(
        it, node, row, [("input", value) for value in args.positional], extra=[r for _, r in own], part="call "
    )
    belief = max(module.belief, Belief.BY_USE)
    for found, tensor in it.all(result, Tensor):
        leaf = NO if tensor.requires_grad is YES else tensor.leaf
        it.put(found, replace(tensor, dtype=ANY_DTYPE, leaf=leaf, belief=max(tensor.belief, belief), loose=True))
    return result


def _operation(module: Module, row: ModuleRow, operands: tuple[str, ...], results: tuple[Result, ...]) -> Operation:
    name = row.path.rpartition(".")[2]
    return Operation(name, (), operands, operands, "", results=results, saves=row.saves)


def _layer(it: Interpreter, node: Any, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    result = row.result
    if row.identity_in_eval and module.mode.may(EVAL):
        result = replace(result, kind="self" if module.mode is EVAL else "self or fresh")
    return _applied(it, node, ref, _operation(module, row, ("input",), (result,)), args, 1)


def _loss(it: Interpreter, node: Any, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    return _applied(it, node, ref, _operation(module, row, ("input", "target"), (row.result,)), args, 2)


def _applied(it: Interpreter, node: Any, ref: Ref, row: Operation, args: Arguments, count: int) -> Value:
    inputs = [
        value for value in args.values() if it.may_be(value, Tensor) or type(value) is Unknown or type(value) is Ref
    ]
    slots = list(zip([*row.operands, *(["other"] * len(inputs))], inputs, strict=False))[: max(count, len(inputs))]
    return apply(it, node, row, slots or [("input", UNKNOWN)], extra=_own(it, ref), part=f"call {ref.site} ")


def _rnn(it: Interpreter, node: Any, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    return _applied(it, node, ref, _operation(module, row, ("input", "state"), (row.result, row.result)), args, 2)


def _lstm(it: Interpreter, node: Any, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    flat = Arguments([*args.positional[:1], *(elements(it, node, v) for v in args.positional[1:])])
    out = _applied(it, node, ref, _operation(module, row, ("input", "state"), (row.result,) * 3), flat, 2)
    output, hidden, cell = (v for _, v in it.all(out, Container)[0][1].items)
    return container(it, node, "tuple", [output, container(it, node, "tuple", [hidden, cell], "states")], "outcome")


def _sequence(it: Interpreter, node: Any, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    """Sequential: each part gets what the one before gave."""
    value = args.positional[0] if args.positional else UNKNOWN
    if module.open.may(YES):
        return loose_result(it, node, ref, module, args)
    start = it.hold(value)
    it.inside_module += 1
    for name, part in module.attributes:
        value = it.state.flight[start]
        inner = it.all(part, Module)
        if len(inner) != 1 or len(alternatives(part)) != 1 or str(name).endswith("..."):
            found = loose_result(it, node, ref, module, Arguments([value]))
        else:
            found = call(it, it.place_of(node, f"{ref.site} {name}"), part, Arguments([value]), "call", "")
        it.state.flight[start] = found
    it.inside_module -= 1
    return it.land(start)[0]


def _custom(it: Interpreter, node: Any, ref: Ref, module: Module, row: ModuleRow, args: Arguments) -> Value:
    return loose_result(it, node, ref, module, args)


CALLS = {
    "layer": _layer,
    "loss": _loss,
    "rnn": _rnn,
    "lstm": _lstm,
    "pair": _rnn,
    "container": _sequence,
    "none": _custom,
    "custom": _custom,
}


# ---- methods


def _parameters(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return parameter_iterator(it, node, owner, named=False)


def _named_parameters(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return parameter_iterator(it, node, owner, named=True)


def _train(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    given = truth_of(args.get("mode", 0, Const(True)))
    mode = {YES: TRAIN, NO: EVAL}.get(given, Mode.unsure())
    set_mode(it, node, owner, mode)
    return owner


def _eval(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    set_mode(it, node, owner, EVAL)
    return owner


def _itself(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return owner


def _requires_grad_(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    to = truth_of(args.get("requires_grad", 0, Const(True)))
    sure = len(it.all(owner, Module)) == 1
    for _, ref in parameters(it, owner)[0]:
        it.sweeping.append(ref)
        set_requires_grad(it, node, ref if sure else one_of([ref]), to, "module")
        it.sweeping.pop()
    return owner


def _zero_grad(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    to_none = truth_of(args.get("set_to_none", 0, Const(True)))
    refs = [ref for _, ref in parameters(it, owner)[0]]
    it.sweeping += refs
    clear_gradients(it, node, refs, to_none=to_none, sure=len(it.all(owner, Module)) == 1)
    del it.sweeping[len(it.sweeping) - len(refs) :]
    return NONE_VALUE


def _modules(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return iterator(it, node, _all(it, node, owner), "modules()", empty=NO, source=owner)


def _all(it: Interpreter, node: Any, owner: Value) -> Value:
    """A module and all its parts; those nobody saw are one more."""
    return one_of([*submodules(it, owner), *_unseen(it, node, owner)], MOST_ITEMS)


def _unseen(it: Interpreter, node: Any, owner: Value) -> list[Value]:
    """A module that stands for the parts that were not seen, if there may be any."""
    opened = [it[ref] for ref in submodules(it, owner) if it[ref].open.may(YES)]
    if not opened:
        return []
    return [unknown_module(it, node, "unseen part", Belief.BY_USE, Named(TORCH_MODULE))]


def _children_of(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return iterator(it, node, _direct(it, node, owner), "children()", source=owner)


def _direct(it: Interpreter, node: Any, owner: Value) -> Value:
    found = [part for _, module in it.all(owner, Module) for _, part in module.attributes if it.may_be(part, Module)]
    found += _unseen(it, node, owner)
    return one_of(found, MOST_ITEMS) if found else Unknown(tuple(ref for ref, _ in it.all(owner, Module)))


def _named(it: Interpreter, node: Any, element: Value, by: str, owner: Value) -> Value:
    pair = it.new(node, "pair", Container("tuple", items=((0, Plain("str")), (1, element))))
    return iterator(it, node, pair, by, source=owner)


def _named_modules(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return _named(it, node, _all(it, node, owner), "named_modules()", owner)


def _named_children(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return _named(it, node, _direct(it, node, owner), "named_children()", owner)


def _apply(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`apply(fn)`: the function is called with each part."""
    from gradlint.interpreter.calls import call_value

    start = it.hold(owner)
    call_value(it, node, args.get("fn", 0, UNKNOWN), Arguments([_all(it, node, owner)]), "")
    return it.land(start)[0]


def _register_buffer(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return _register(it, owner, args.get("name", 0, UNKNOWN), args.get("tensor", 1, NONE_VALUE))


def _register_parameter(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return _register(it, owner, args.get("name", 0, UNKNOWN), args.get("param", 1, NONE_VALUE))


def _add_module(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return _register(it, owner, args.get("name", 0, UNKNOWN), args.get("module", 1, NONE_VALUE))


def _register(it: Interpreter, owner: Value, name: Value, value: Value) -> Value:
    key = name.value if type(name) is Const else None
    for ref, module in it.all(owner, Module):
        attributes = dict(module.attributes)
        if isinstance(key, str):
            attributes[key] = value
        elif it.may_be(value, Module):
            attributes[f"{len(attributes)}..."] = value
        it.put(ref, replace(module, attributes=tuple(attributes.items())))
    return NONE_VALUE


def _append(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`append`, `extend` and `insert` of ModuleList and Sequential."""
    for value in args.positional:
        part = value if it.may_be(value, Module) else elements(it, node, value)
        if it.may_be(part, Module):
            for ref, module in it.all(owner, Module):
                position = str(len(module.attributes)) if part is value else f"{len(module.attributes)}..."
                it.put(ref, replace(module, attributes=(*module.attributes, (position, part))[:MOST_ITEMS]))
    return owner


# ---- state dictionaries


def _state_dict(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`state_dict()`: new handles on the module's own memory, without gradients."""
    items: dict[object, Value] = {}
    rest: Value = NOTHING
    origin = tuple(ref for ref, _ in it.all(owner, Module))
    found, _ = parameters(it, owner)
    keeps = truth_of(args.get("keep_vars", -1, Const(False)))
    for index, (name, ref) in enumerate(found):
        tensor: Tensor = it[ref]
        handle = ref if keeps is YES else fresh(it, node, f"entry {index}", dtype=tensor.dtype, made="state_dict", storage=tensor.storage,
                       inference=tensor.inference, many=tensor.many, belief=tensor.belief)  # fmt: skip
        if name and len(found) <= MOST_ITEMS and name not in items:
            items[name] = handle
        else:
            rest = one_of((rest, handle), MOST_ITEMS)
    belief = it.only(owner, Module)
    return it.new(node, "state", Container("OrderedDict", tuple(items.items()), rest, origin,
                  belief.belief if belief else Belief.PROVEN, (Mark("made", node),)))  # fmt: skip


def _load_state_dict(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    source = args.get("state_dict", 0, UNKNOWN)
    memories = {m for _, ref in parameters(it, owner)[0] for m in it[ref].storage}
    loaded = [
        tensor for ref in it.state.reach([source]) if type(tensor := it[ref]) is Tensor and tensor.made != "Parameter"
    ]
    shares = _shares(it, source, loaded, memories)
    given = [thing for _, thing in it.all(source, Container)]
    shown = it.only(owner, Module)
    if shown is not None:
        it.emit(
            events.StateLoaded,
            node,
            module=shown,
            source=it.thing(not_none(source)),
            shares=shares,
            written=either([tensor.overwritten for tensor in loaded]) if loaded else UNSURE,
            taken=tuple(mark for thing in given for mark in thing.marks),
        )
    for _, ref in parameters(it, owner)[0]:
        written_without_graph(it, node, ref, "load_state_dict", "load", sure=True)
    return UNKNOWN if shown is None else Plain("keys")


def _shares(it: Interpreter, source: Value, loaded: Sequence[Tensor], memories: set[Ref]) -> Truth:
    """Whether what is loaded is the module's own memory."""
    known = [option for option in alternatives(source) if option != NONE_VALUE]
    if not loaded or any(not it.may_be(option, Container) for option in known):
        return UNSURE
    inside = [bool(memories.intersection(tensor.storage)) for tensor in loaded]
    return YES if all(inside) else MAYBE if any(inside) else NO


METHODS = {
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "train": _train,
    "eval": _eval,
    "requires_grad_": _requires_grad_,
    "zero_grad": _zero_grad,
    "modules": _modules,
    "children": _children_of,
    "named_modules": _named_modules,
    "named_children": _named_children,
    "apply": _apply,
    "register_buffer": _register_buffer,
    "register_parameter": _register_parameter,
    "add_module": _add_module,
    "register_module": _add_module,
    "append": _append,
    "extend": _append,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
} | dict.fromkeys(
    ("to", "cuda", "cpu", "float", "double", "half", "bfloat16", "type", "share_memory", "to_empty"), _itself
)
"""Methods that every nn.Module has."""

TORCH_MODULE = "torch.nn.Module"
