"""Roles: what code is for, as far as its names and flags show. They prove nothing and weigh what is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO
from gradlint.domain.objects import Class, Module
from gradlint.domain.refs import Ref
from gradlint.domain.values import Constant, Function
from gradlint.events import Role
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.mro import torch_base
from gradlint.interpreter.static.cutting import Code, cut_calls, detached_calls, gives_what_it_cuts
from gradlint.interpreter.static.scopes import kept
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.knowledge.python.duck_typing_names import (
    EVALUATES,
    PHASES,
    TRAINS,
    batches_to_evaluate_on,
    data_gone_over,
    data_to_evaluate_on,
    evaluates,
    is_data_to_evaluate_on,
    words,
)


def roles_of(m: Interpreter, frame: Frame, function: Function) -> dict[Role, str]:
    """Return the roles of a function whose parameters are bound, each with its sign: by its flags, else by its or its
    class's name. A module's class is named for what it computes (`ScoreNet`), not for what its methods are for."""
    found: dict[Role, str] = {}
    cls = m.defined.classes.get(function.owner)
    if (cls is not None and torch_base(m, cls)) or (cls is None and _is_called_on_module(m, frame, function)):
        found[Role.OF_MODULE] = "its class"
    computes = Role.OF_MODULE in found or function.name == "forward"
    if (phase := _phase(m, frame) or _by_name(m, function, None if computes else cls)) is not None:
        role, sign = phase
        found[role] = sign
    return found


def _is_called_on_module(m: Interpreter, frame: Frame, function: Function) -> bool:
    """Return whether a method of a class of another file is called on a module."""
    plain = [*function.node.params.posonly_params, *function.node.params.params]
    owner = m.state.names.get((frame.id, plain[0].name.value)) if function.owner is not None and plain else None
    return owner is not None and m.only(owner, Module) is not None


def _phase(m: Interpreter, frame: Frame) -> tuple[Role, str] | None:
    """Return the role that a flag among the parameters shows."""
    for name in PHASES:
        value = m.state.names.get((frame.id, name))
        if type(value) is not Constant or type(value.value) not in (bool, str):
            continue
        if type(value.value) is str:
            said = words(value.value)
            if said & TRAINS or said & EVALUATES:
                return Role.TRAINING if said & TRAINS else Role.EVALUATION, f"its flag `{name}`"
        elif words(name) & TRAINS or name == "istrain":
            return Role.TRAINING if value.value else Role.EVALUATION, f"its flag `{name}`"
    return None


def _by_name(m: Interpreter, function: Function, cls: Ref | None) -> tuple[Role, str] | None:
    owner = m.state.heap.get(cls) if cls is not None else None
    for what, name in (("name", function.name), ("class", owner.name if type(owner) is Class else "")):
        if words(name) & TRAINS:
            return Role.TRAINING, f"its {what} `{name}`"
        if evaluates(name):
            return Role.EVALUATION, f"its {what} `{name}`"
    return None


class DataOfLoops(dict[Any, bool | None]):
    """The loops, each with whether it goes over data to evaluate on, as far as its names show."""


def is_given_data_to_evaluate_on(m: Interpreter, call: Site) -> bool:
    """Return whether what is called here gets data to evaluate on: by the names of its arguments (`model(x_test)`), or
    where those tell nothing by the loop around."""
    node, known = syntax(call), m.notes(DataOfCalls)
    if not isinstance(node, cst.Call):
        return goes_over_data_to_evaluate_on(m)
    if node not in known:
        told = {is_data_to_evaluate_on(_names_in(argument.value)) for argument in node.args}
        known[node] = False if False in told else True if True in told else None
    return goes_over_data_to_evaluate_on(m) if (said := known[node]) is None else said


class DataOfCalls(dict[Any, bool | None]):
    """The calls, each with whether it is given data to evaluate on, as far as the names of its arguments show."""


def goes_over_data_to_evaluate_on(m: Interpreter) -> bool:
    """Return whether the innermost loop around here whose data names tell its use goes over data to evaluate on."""
    paths, known = m.frame.loop, m.notes(DataOfLoops)
    while paths is not None:
        loop = None if paths.node is None else syntax(paths.node)
        if loop not in known:
            known[loop] = data_to_evaluate_on(_names_in(loop.iter)) if isinstance(loop, cst.For) else None
        if (told := known[loop]) is not None:
            return told
        paths = paths.around
    return False


class LoopsOverBatches(dict[Any, bool]):
    """The functions, each with whether it loops over batches to evaluate on, as far as names show."""


def loops_over_batches(m: Interpreter, function: cst.FunctionDef) -> bool:
    """Return whether a function loops over batches, and not over those to train on, as far as its names show."""
    known = m.notes(LoopsOverBatches)
    if function not in known:
        known[function] = any(map(batches_to_evaluate_on, _gone_over(function)))
    return known[function]


def evaluates_data(function: cst.FunctionDef) -> bool:
    """Return whether a function evaluates, and does not train, as its name says, and goes over data."""
    name = function.name.value
    return evaluates(name) and not words(name) & TRAINS and any(map(data_gone_over, _gone_over(function)))


def _gone_over(function: cst.FunctionDef) -> Iterator[list[str]]:
    """Yield the names in what each loop of a function goes over."""
    loops = (node for node in in_order(function.body) if isinstance(node, cst.For | cst.CompFor))
    return (_names_in(loop.iter) for loop in loops)


Spelled = Callable[[Code], frozenset[str]]
"""A way of finding the spellings of calls in some code."""


class Cuts(dict[tuple[Spelled, Any], frozenset[str]]):
    """The spellings of the calls whose results some code cuts or detaches, by the way of finding them."""


def cuts(m: Interpreter, code: Code) -> frozenset[str]:
    """Return the spellings of the calls whose results some code takes out of the graph."""
    return _cut(m, code, cut_calls)


def detached(m: Interpreter, code: Code) -> frozenset[str]:
    """Return the spellings of the calls whose results some code detaches."""
    return _cut(m, code, detached_calls)


class GivesCut(dict[Any, bool]):
    """The functions, each with whether it gives what it cuts off the graph."""


def gives_cut(m: Interpreter, function: Function) -> bool:
    """Return whether a function takes what it gives out of the graph, on some way at least, as its text shows."""
    node, known = function.node, m.notes(GivesCut)
    if node not in known:
        known[node] = isinstance(node, cst.FunctionDef) and gives_what_it_cuts(node)
    return known[node] or any(context.to is NO for context in function.modes)


def _cut(m: Interpreter, code: Code, spelled: Spelled) -> frozenset[str]:
    known = m.notes(Cuts)
    if (spelled, code) not in known:
        known[spelled, code] = spelled(code)
    return known[spelled, code]


def _names_in(tree: cst.CSTNode) -> list[str]:
    """The names and texts in an expression, without those of devices and types that something is moved to
    (`x.to(dev)`)."""
    every = list(in_order(tree))
    moves = [node for node in every if isinstance(node, cst.Call) and kept(node) is not node]
    beside = {node for move in moves for argument in move.args for node in in_order(argument)}
    found = [node for node in every if node not in beside]
    names = [node.value for node in found if isinstance(node, cst.Name)]
    return names + [node.raw_value for node in found if isinstance(node, cst.SimpleString)]
