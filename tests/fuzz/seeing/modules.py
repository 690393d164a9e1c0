"""What is seen of modules and of functions of autograd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from tests.fuzz.acts import Run, nodes_of
from tests.fuzz.seeing import Mistake, at, rows_of, tensors


def unregistered(run: Run) -> Iterator[Mistake]:
    """An attribute of a module holds what the module does not know of."""
    for act in run.of("part"):
        known = {id(one) for one in act.module.parameters()} | {id(one) for one in act.module.buffers()}
        things = [*_held(act.value)] if getattr(act.module, act.name, None) is act.value else []
        if any(id(one) not in known for thing in things for one in _learnt(thing)):
            yield at(act.row)


def _held(value: Any) -> Iterator[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    if isinstance(value, torch.Tensor | nn.Module):
        yield value
    for part in parts:
        yield from _held(part)


def _learnt(thing: Any) -> list[Any]:
    if isinstance(thing, nn.Module):
        return [*thing.parameters()]
    return [thing] if thing.requires_grad else []


def several_unregistered(run: Run) -> Iterator[Mistake]:
    """The same of a list of several."""
    several = {act.row for act in run.of("part") if isinstance(act.value, list | dict) and len(act.value) > 1}
    return (one for one in unregistered(run) if one <= several)


def leaf_unregistered(run: Run) -> Iterator[Mistake]:
    """The same of one leaf."""
    leaves = {act.row for act in run.of("part") if isinstance(act.value, torch.Tensor) and not act.computed}
    return (one for one in unregistered(run) if one <= leaves)


def parameter_moved(run: Run) -> Iterator[Mistake]:
    """What a module is given was computed from a parameter that nobody holds."""
    for act in run.of("part"):
        if act.computed:
            leaves = [getattr(node, "variable", None) for node in nodes_of([act.value])]
            own = [one for one in leaves if isinstance(one, nn.Parameter)]
            known = {id(one) for one in act.module.parameters()} | {id(one) for one in run.space.values()}
            if own and not any(id(one) in known for one in own):
                yield at(act.row)


def buffers_asking(run: Run) -> Iterator[Mistake]:
    """A buffer requires grad."""
    return (at(act.row) for act in run.of("buffer") if act.asking)


def forward_called(run: Run) -> Iterator[Mistake]:
    """`forward` of another module is called by its name."""
    return (at(act.row) for act in run.of("forward") if act.written not in ("self", "super()"))


def hooks_left_out(run: Run) -> Iterator[Mistake]:
    """The same of a module that has hooks."""
    hooked = {act.row for act in run.of("forward") if act.hooked}
    return (one for one in forward_called(run) if one <= hooked)


def made_in_forward(run: Run) -> Iterator[Mistake]:
    """A parameter or a layer with parameters is made while `forward` runs."""
    for act in run.of("parameter", "built"):
        made = act.result if act.what == "parameter" else act.module
        if "forward" in act.functions and _learnt(made):
            yield at(act.row)


def made_in_each_forward(run: Run) -> Iterator[Mistake]:
    """The same each time, in `forward` itself."""
    calls = Counter(act.code for act in run.of("entered") if act.code.co_name == "forward")
    rows = Counter(act.row for act in run.of("parameter", "built") if act.functions[-1] == "forward")
    made = {row for one in made_in_forward(run) for row in one}
    for code, times in calls.items():
        yield from (at(row) for row in made & rows_of(code) if rows[row] >= times)


def computed_wrapped(run: Run) -> Iterator[Mistake]:
    """A parameter is made of a tensor that carries a graph."""
    for act in run.of("parameter"):
        if isinstance(act.data, torch.Tensor) and act.data.grad_fn is not None:
            yield at(act.row)


def computed_wrapped_in_forward(run: Run) -> Iterator[Mistake]:
    """The same in `forward`."""
    inside = {act.row for act in run.of("parameter") if act.functions[-1] == "forward"}
    return (one for one in computed_wrapped(run) if one <= inside)


def grads_without_graph(run: Run) -> Iterator[Mistake]:
    """What `autograd.grad` gives has no history."""
    return (at(act.row) for act in run.of("grad") if len(act.cut) == len([*tensors(act.result)]))


def constants_added(run: Run) -> Iterator[Mistake]:
    """The same where it is added to what is differentiated."""
    given: dict[int, int] = {}
    used: dict[Any, None] = {}
    for act in run.of("backward"):
        used |= act.nodes
    for act in run.of("grad", "op"):
        if act.what == "grad":
            given |= {id(one): act.row for one in act.cut}
            continue
        rows = {given[id(one)] for one in act.operands if id(one) in given}
        for one, _, node in act.made if act.name not in ("detach", "data", "clone") else ():
            if node is None:
                given |= {id(one): row for row in rows}
            elif act.name in ("add", "__add__", "__radd__", "sub") and node in used:
                yield from (at(row) for row in rows)


SQUASHING = ("cross_entropy", "nll_loss", "kl_div", "binary_cross_entropy_with_logits")
SQUASHED = frozenset({"softmax", "sigmoid"})


def squashed_twice(run: Run) -> Iterator[Mistake]:
    """A loss that takes scores is given what a softmax or a sigmoid made."""
    made: dict[int, str] = {}
    for act in run.of("op"):
        made |= {id(one): act.name for one, *_ in act.made}
        given = made.get(id(act.operands[0]), "") if act.operands else ""
        if act.name.startswith(SQUASHING) and given.lower() in SQUASHED:
            yield at(act.row)


def kept_on_context(run: Run) -> Iterator[Mistake]:
    """A tensor is set on the context of a custom function."""
    for act in run.of("set"):
        if isinstance(act.owner, torch.autograd.function.FunctionCtx) and isinstance(act.value, torch.Tensor):
            yield at(act.row)


def argument_kept_on_context(run: Run) -> Iterator[Mistake]:
    """The same of an argument with which one differentiates."""
    real = {
        act.row
        for act in run.of("set")
        if act.argument and isinstance(act.value, torch.Tensor) and act.value.is_floating_point()
    }
    return (one for one in kept_on_context(run) if one <= real)


def inputs_written_unmarked(run: Run) -> Iterator[Mistake]:
    """The same of an input that requires grad, which nothing marks as dirty."""
    marking = any(act.name == "mark_dirty" for act in run.of("method"))
    asking = {act.row for act in run.of("op") if act.asking}
    return (one for one in inputs_written(run) if one <= asking and not marking)


def inputs_written(run: Run) -> Iterator[Mistake]:
    """A function writes in place what it was handed."""
    return (at(act.row) for act in run.of("op") if act.written and act.functions[-1] == "forward")
