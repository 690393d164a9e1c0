"""Modules: how they are built, their parts, parameters and mode."""

from __future__ import annotations

from typing import Any

from gradlint import events
from gradlint.domain import (
    ANY_DTYPE,
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
from gradlint.domain.changing import replace
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.containers import consume, elements, iterator
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.tensors import fresh, truth_of
from gradlint.knowledge import MODULES

MOST_MODULES_DEEP = 3
"""How many calls of modules of the program are followed into each other."""
WITHOUT = {"bias": "bias", "affine": "", "elementwise_affine": "", "track_running_stats": ""}
"""Keywords that leave out parameters of that name (or, where empty, all of them) when they are False."""


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
    rows = [MODULES.get(one.path) if type(one) is Named else None for one in alternatives(cls)]
    assumed = max(belief, Belief.BY_USE)
    few = rows[0] is not None and all(row is not None and row.parameters == rows[0].parameters for row in rows)
    names = rows[0].parameters if rows[0] is not None and few and len(rows[0].parameters) <= 6 else ()
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
