"""What is seen of modes that outlast their use, and of graphs that are kept."""

from __future__ import annotations

import types
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch

from tests.fuzz.acts import Act, Run, behind, nodes_of
from tests.fuzz.seeing import Mistake, at, by_row, rows_of, tensors


def recorded_in_vain(run: Run, *, training: bool = True) -> Iterator[Mistake]:
    """A module recorded a graph that nothing went through; not those in training mode unless they are asked for."""
    for act, graph in _not_differentiated(run):
        if graph and (training or not act.training):
            yield at(act.row)


def predicted_in_training(run: Run) -> Iterator[Mistake]:
    """A module was applied in training mode, and nothing went through a graph of what it gave."""
    for act, _ in _not_differentiated(run):
        if act.training:
            yield at(act.row)


def _not_differentiated(run: Run) -> Iterator[tuple[Act, dict[Any, None]]]:
    """The calls of whole modules through whose graph nothing went, with that graph."""
    used: dict[Any, None] = {}
    for act in run.of("backward", "grad"):
        used |= act.nodes
    for act in run.of("module"):
        graph = nodes_of([*tensors(act.result)])
        if not act.nested and not any(node in used for node in [*graph][:1]):
            yield act, graph


def evaluated_again_and_again(run: Run) -> Iterator[Mistake]:
    """The same in eval mode, and in a function or more than once: a single call in a script costs little."""
    calls = by_row(act for act in run.of("module") if not act.nested)
    for one in recorded_in_vain(run, training=False):
        acts = [act for row in one for act in calls[row]]
        if len(acts) > 1 or any(len(act.functions) > 1 for act in acts):
            yield one


def _calls(run: Run) -> Iterator[tuple[Act, Act]]:
    """How functions of the program were entered and left."""
    entered: dict[int, Act] = {}
    for act in run.of("entered", "left"):
        if act.what == "entered":
            entered.setdefault(id(act.frame), act)
        elif id(act.frame) in entered:
            yield entered[id(act.frame)], act


def _switched_off(run: Run, code: types.CodeType) -> bool:
    """Whether a function itself switches gradients off."""
    rows = rows_of(code)
    off = [act for act in run.of("op") if act.name == "_set_grad_enabled" and not act.args[0]]
    return any(act.row in rows for act in (*off, *(act for act in run.of("inference") if act.on)))


def left_off(run: Run) -> Iterator[Mistake]:
    """A function was entered with gradients on and left with them off."""
    for first, last in _calls(run):
        if first.recording and not last.recording and not is_generator(last):
            yield rows_of(last.code)


def left_off_with_result(run: Run) -> Iterator[Mistake]:
    """The same of a function that gives something back."""
    for first, last in _calls(run):
        leaks = first.recording and not last.recording and not is_generator(last)
        if leaks and last.state is not None and _switched_off(run, last.code):
            yield rows_of(last.code)


def left_on(run: Run) -> Iterator[Mistake]:
    """A function was entered with gradients off and left with them on."""
    for first, last in _calls(run):
        if not first.recording and last.recording and _switched_off(run, last.code):
            yield rows_of(last.code)


def always_entered_on(run: Run) -> Iterator[Mistake]:
    """Functions that only callers with gradients on have called."""
    for code in {last.code for _, last in _calls(run)}:
        if all(first.recording for first, last in _calls(run) if last.code is code):
            yield rows_of(code)


def is_generator(act: Act) -> bool:
    return bool(act.code.co_flags & 0x20)


def yielded_off(run: Run) -> Iterator[Mistake]:
    """A generator that was entered with gradients on gave something with them off."""
    for first, last in _calls(run):
        if is_generator(last) and first.recording and not last.recording and _switched_off(run, last.code):
            yield at(last.row)


def trained_in_eval(run: Run) -> Iterator[Mistake]:
    """A call that had found its module in train mode finds it in eval mode."""
    for row, acts in by_row(act for act in run.of("module") if act.recording and not act.nested).items():
        modes = [act.training for act in acts]
        if True in modes and False in modes[modes.index(True) :]:
            yield at(row)


def left_in_eval_and_stepped(run: Run) -> Iterator[Mistake]:
    """The same where the next that happens is a backward and a step."""
    rows = {row for one in trained_in_eval(run) for row in one}
    acts = [act for act in run.of("module", "backward", "step") if act.what != "module" or not act.nested]
    for call, backward, step in zip(acts, acts[1:], acts[2:], strict=False):
        order = [act.what for act in (call, backward, step)]
        if order == ["module", "backward", "step"] and call.row in rows and not call.training and call.recording:
            yield at(call.row)


def stepped_in_eval(run: Run) -> Iterator[Mistake]:
    """An optimizer moved something after a module in eval mode was called."""
    evaluating = False
    for act in run.of("module", "step"):
        if act.what == "module" and not act.nested:
            evaluating = not act.training
        elif act.what == "step" and act.moved and evaluating and act.functions[-1] != "<module>":
            yield at(act.row)


def stepped_in_validation(run: Run) -> Iterator[Mistake]:
    """The same in a function whose name says that it validates."""
    named = {act.row for act in run.of("step") if act.functions[-1].split("_")[0] in VALIDATING}
    return (one for one in stepped_in_eval(run) if one <= named)


VALIDATING = frozenset({"validate", "evaluate", "validation", "evaluation", "val", "eval"})


def graphs_growing(run: Run) -> Iterator[Mistake]:
    """What is computed at a row has an ever longer history."""
    for row, acts in by_row(act for act in run.of("op") if act.made).items():
        sizes: dict[str, list[int]] = defaultdict(list)
        for act in acts:
            if act.made[0][2] is not None:
                sizes[act.name].append(len(behind([act.made[0][2]])))
        if any(len(each) > 1 and each == sorted(set(each)) for each in sizes.values()):
            yield at(row)


def sums_growing(run: Run) -> Iterator[Mistake]:
    """What is added to what was added at the same row before, and nothing differentiates it or may do so."""
    used: dict[Any, None] = {}
    for act in run.of("backward", "grad"):
        used |= act.nodes
    returned = {one.grad_fn for act in run.of("left") for one in tensors(act.state)}
    adding = [act for act in run.of("op") if act.name in ADDING and act.made]
    for row, acts in by_row(adding).items():
        nodes = [act.made[0][2] for act in acts]
        onto = all(node and before in [one for one, _ in node.next_functions] for before, node in pairwise(nodes))
        handed_on = nodes[-1] in returned and not any(
            node in used and not _is_leaf(node) for node in behind(node for node in nodes[-1:] if node)
        )
        if len(nodes) > 2 and onto and None not in nodes and not any(node in used for node in nodes) and not handed_on:
            yield at(row)


ADDING = frozenset({"add", "__add__", "__radd__", "__iadd__", "add_"})


def _collected(run: Run) -> Iterator[Act]:
    for act in run.of("method", "stored"):
        if (act.what == "stored" or act.name == "append") and act.given and isinstance(act.given[0], torch.Tensor):
            yield act


def graph_collected(run: Run) -> Iterator[Mistake]:
    """What is put into a container carries a graph."""
    return (at(act.row) for act in _collected(run) if act.size)


def graphs_collected_in_vain(run: Run) -> Iterator[Mistake]:
    """The same, again and again, into a list that stays, and nothing differentiates it later."""
    places = {id(act): number for number, act in enumerate(run.acts)}
    for row, acts in by_row(_collected(run)).items():
        graphs = [act for act in acts if act.size]
        later = [act for act in run.of("backward", "grad") if places[id(act)] > places[id(acts[0])]]
        reached = any(
            act.given[0].grad_fn in one.nodes and places[id(one)] > places[id(act)] for act in graphs for one in later
        )
        retained = any(act.kept or act.circle for act in run.of("backward"))
        used_before = {node for one in run.of("backward") for node in one.nodes}
        in_vain = all(
            (act.given[0].grad_fn in used_before) == (acts[0].given[0].grad_fn in used_before) for act in graphs
        )
        if len(graphs) > 2 and len(graphs) == len(acts) and not (reached or retained) and in_vain:
            yield at(row)


def kept_for_nothing(run: Run) -> Iterator[Mistake]:
    """A backward kept its graph, and no other goes through it."""
    runs = [*run.of("backward", "grad")]
    for number, act in enumerate(runs):
        if (
            act.what == "backward"
            and act.kept
            and not any(act.nodes.keys() & one.nodes.keys() - _leaves(act) for one in runs[number + 1 :])
        ):
            yield at(act.row)


def _leaves(act: Act) -> set[Any]:
    return {node for node in act.nodes if _is_leaf(node)}


def _is_leaf(node: Any) -> bool:
    return hasattr(node, "variable")


def gradient_graphs_unused(run: Run) -> Iterator[Mistake]:
    """Gradients were given back with a graph of their own, as far as they are not constant, and no other backward goes
    through it."""
    runs = [*run.of("backward", "grad")]
    for number, act in enumerate(runs):
        if act.what == "grad" and act.circle:
            made = {one.grad_fn for one in tensors(act.result) if one.grad_fn is not None}
            if not any(made & one.nodes.keys() for one in runs[number + 1 :]):
                yield at(act.row)


def kept_by_habit(run: Run) -> Iterator[Mistake]:
    """The same of every backward there is, again and again."""
    acts = [*run.of("backward")]
    rows = {act.row for act in acts}
    in_vain = [row for one in kept_for_nothing(run) for row in one]
    if len(rows) == 1 and len(acts) > 1 and len(in_vain) == len(acts) and not any(act.circle for act in acts):
        yield at(*rows)


def circles(run: Run) -> Iterator[Mistake]:
    """A gradient that carries a graph stays to the end, and nobody ever clears such."""
    cleared = {id(one) for act in run.of("cleared") for one, *_ in act.tensors}
    for act in run.of("backward"):
        kept = [leaf for leaf in act.leaves if leaf.grad is not None and leaf.grad.grad_fn]
        if act.circle and act.error is None and kept and not any(id(leaf) in cleared for leaf in kept):
            yield at(act.row)
