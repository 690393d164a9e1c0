"""What is seen of backwards, steps and optimizers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from gradlint.domain import FRESH, LOST, MIXED, SCALED, USED
from tests.fuzz.acts import Act, Run, nodes_of
from tests.fuzz.seeing import Mistake, always, at, by_row, has_gradient, own_parameters


def nothing_arrives(run: Run) -> Iterator[Mistake]:
    """Every gradient that a backward gives is zero, or it is refused."""
    for act in run.of("backward"):
        if act.error is not None or (act.arrived and not any(one.any() for _, one in act.arrived)):
            yield at(act.row)


FLAT = ("RoundBackward", "FloorBackward", "CeilBackward", "TruncBackward", "SignBackward", "SgnBackward", "FloorDivide")


def flat_everywhere(run: Run) -> Iterator[Mistake]:
    """Every way from a root to a leaf goes through an operation of zero gradient."""
    for act in run.of("backward"):
        waiting, reached, flat = [root.grad_fn for root in act.roots if root.grad_fn is not None], False, False
        seen = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if type(node).__name__.startswith(FLAT):
                flat = True
                continue
            reached = reached or hasattr(node, "variable")
            waiting += [before for before, _ in node.next_functions if before is not None]
        if flat and not reached:
            yield at(act.row)


def added_to_used(run: Run) -> Iterator[Mistake]:
    """A backward adds to gradients that a step, or a write by hand, has used."""
    for act in run.of("backward"):
        if act.error is None and any(one is not None for one in act.before):
            yield at(act.row)


def steps_on_mixed(run: Run) -> Iterator[Mistake]:
    """A step uses gradients that were added to what an earlier step had used."""
    filled: dict[int, int] = {}
    for act in run.of("backward", "step"):
        if act.what == "backward" and act.error is None:
            old = {id(leaf) for leaf, grad, _ in act.states if grad is not None and grad in (USED, MIXED)}
            filled |= {id(leaf): act.row for leaf, _ in act.arrived if id(leaf) in old}
        elif act.what == "step":
            rows = {filled[id(one)] for one, grad, _ in act.states if grad == MIXED and id(one) in filled}
            yield from (at(row) for row in rows)


def steps_in_vain(run: Run) -> Iterator[Mistake]:
    """A step finds no gradient each time it runs."""
    steps = [act for act in run.of("step") if act.states]
    return (at(row) for row in always(steps, lambda act: not any(has_gradient(one) for one in act.states)))


def steps_on_lost(run: Run) -> Iterator[Mistake]:
    """The same where the gradients had been there, and were cleared."""
    vain = {row for one in steps_in_vain(run) for row in one}
    for row, acts in by_row(run.of("step")).items():
        lost = [any(grad == LOST for _, grad, _ in act.states) for act in acts]
        if row in vain and all(lost[1:]) and any(lost):
            yield at(row)


def steps_without_backward(run: Run) -> Iterator[Mistake]:
    """The same again and again, and no backward runs although a graph of what is stepped is recorded in between."""
    vain = {row for one in steps_in_vain(run) for row in one}
    for row, acts in by_row(run.of("step")).items():
        first, last = (run.acts.index(act) for act in (acts[0], acts[-1]))
        held = {id(one) for act in acts for one, *_ in act.states}
        recorded = [
            act for act in run.acts[first:last] if act.what == "op" and any(node is not None for *_, node in act.made)
        ]
        used = any(id(one) in held for act in recorded for one in act.operands)
        if row in vain and used and not [*run.of("backward")]:
            yield at(row)


def updated_by_hand(run: Run) -> Iterator[Mistake]:
    """A backward adds to gradients with which the program itself has written their tensors."""
    held = {id(one) for act in run.of("optimizer") for one in act.held}
    read: set[int] = set()
    updated: set[int] = set()
    rows: dict[int, int] = Counter(act.row for act in run.of("backward"))
    for act in run.of("read", "op", "backward", "cleared"):
        if act.what == "read" and act.result is not None:
            read.add(id(act.tensor))
        elif act.what == "op":
            updated |= {id(one) for one in act.written} & read - held
        elif act.what == "cleared":
            gone = {id(one) for one, *_ in act.tensors}
            read -= gone
            updated -= gone
        elif act.what == "backward":
            had = zip(act.leaves, act.before, strict=True)
            found = {id(leaf) for leaf, old in had if old is not None and old.any()}
            if found & updated and rows[act.row] > 1:
                yield at(act.row)


def never_stepped(run: Run) -> Iterator[Mistake]:
    """A backward fills gradients that an optimizer holds and none ever uses."""
    stepped = {id(one) for act in run.of("step") for one, *_ in act.states}
    for built in run.of("optimizer"):
        mine = {id(one) for one in built.held}
        for act in run.of("backward"):
            if mine.isdisjoint(stepped) and any(id(leaf) in mine for leaf, _ in act.arrived):
                yield at(act.row)


def cleared_and_never_stepped(run: Run) -> Iterator[Mistake]:
    """The same again and again, by an optimizer that clears."""
    clearing = [act.by for act in run.of("cleared") if isinstance(act.by, torch.optim.Optimizer)]
    held = {id(p) for one in clearing for group in one.param_groups for p in group["params"]}
    read = {id(act.tensor) for act in run.of("read")}
    often = Counter(act.row for act in run.of("backward"))
    arrived = {act.row for act in run.of("backward") if held & {id(leaf) for leaf, _ in act.arrived} - read}
    return (one for one in never_stepped(run) if all(often[row] > 1 and row in arrived for row in one))


def clipped_late(run: Run) -> Iterator[Mistake]:
    """What is clipped was used before."""
    used = {USED}
    return (at(act.row) for act in run.of("clipped") if {grad for _, grad, _ in act.tensors} & used)


def clipped_always_late(run: Run) -> Iterator[Mistake]:
    """The same each time, and nothing uses it afterwards."""
    late = always(run.of("clipped"), lambda act: _all_in(act, USED) and USED in _stages(act))
    mixed = any(grad in (MIXED, USED) for act in run.of("step") for _, grad, _ in act.states)
    return (at(row) for row in late if not mixed)


def _stages(act: Act) -> set[Any]:
    return {grad for _, grad, _ in act.tensors}


def _all_in(act: Act, *stages: Any) -> bool:
    return bool(act.tensors) and not any(
        tensor.grad is not None and grad not in stages for tensor, grad, _ in act.tensors
    )


def clipped_early(run: Run) -> Iterator[Mistake]:
    """There is nothing to be clipped."""
    empty = always(run.of("clipped"), lambda act: not any(has_gradient(one) for one in act.tensors))
    return (at(row) for row in empty)


def clipped_before_use(run: Run) -> Iterator[Mistake]:
    """The same, and a step uses what comes later."""
    stepped = {id(one) for act in run.of("step") for one, grad, _ in act.states if grad == FRESH}
    mine = {act.row for act in run.of("clipped") if stepped & {id(one) for one, *_ in act.tensors}}
    return (one for one in clipped_early(run) if one <= mine)


def clipped_with_strangers(run: Run) -> Iterator[Mistake]:
    """Some of what is clipped has a gradient and no optimizer."""
    held = {id(one) for act in run.of("optimizer") for one in act.held}
    for act in run.of("clipped"):
        if any(has_gradient(one) and id(one[0]) not in held for one in act.tensors):
            yield at(act.row)


def clipped_scaled(run: Run) -> Iterator[Mistake]:
    """What is clipped is multiplied by the factor of a scaler."""
    for act in run.of("clipped"):
        if any(grad in (FRESH, MIXED) and unit == SCALED for _, grad, unit in act.tensors):
            yield at(act.row)


def spent(run: Run) -> Iterator[Mistake]:
    """An iterator that has nothing more to give is asked."""
    return (at(act.row) for act in run.of("spent"))


def parameters_spent(run: Run) -> Iterator[Mistake]:
    """The same of `parameters()`."""
    return (at(act.row) for act in run.of("spent") if act.by in ("parameters", "named_parameters"))


def held_without_grad(run: Run) -> Iterator[Mistake]:
    """An optimizer was given what never required grad, and no step finds a gradient there."""
    for act in run.of("optimizer"):
        for tensor in act.held:
            if not isinstance(tensor, nn.Parameter) and not tensor.requires_grad and tensor.grad is None:
                yield at(act.row)


def replaced(run: Run) -> Iterator[Mistake]:
    """What an optimizer holds was replaced in a module, and no optimizer got the new, though the old one steps."""
    built: list[Act] = []
    held = {id(one) for act in run.of("optimizer") for one in act.held}
    held |= {id(one) for act in run.of("step") for one, *_ in act.states}
    places = {id(act): number for number, act in enumerate(run.acts)}
    for act in run.of("optimizer", "part"):
        if act.what == "optimizer":
            built.append(act)
        else:
            old, new = ({id(one) for one in own_parameters(thing)} for thing in (act.old, act.value))
            steps = [one for one in run.of("step") if places[id(one)] > places[id(act)]]
            mine = [one for one in built if old & {id(tensor) for tensor in one.held}]
            stepped = any(step.optimizer is one.optimizer for step in steps for one in mine)
            if new and stepped and new.isdisjoint(held):
                yield at(act.row)


def rebuilt(run: Run) -> Iterator[Mistake]:
    """An optimizer is built where another one was that holds state of the same tensors."""
    stepped: dict[int, set[int]] = {}
    rows: dict[int, int] = {}
    for act in run.of("optimizer", "step"):
        if act.what == "step":
            state = act.optimizer.state
            kept = {
                id(one) for one, *_ in act.states if any(value is not None for value in state.get(one, {}).values())
            }
            stepped.setdefault(rows.get(id(act.optimizer), -1), set()).update(kept)
        else:
            rows[id(act.optimizer)] = act.row
            if any(id(one) in stepped.get(act.row, ()) for one in act.held):
                yield at(act.row)


def cleared_unused(run: Run) -> Iterator[Mistake]:
    """Gradients are cleared that no step has used."""
    for act in run.of("cleared"):
        if any(grad == FRESH for _, grad, _ in act.tensors):
            yield at(act.row)


def accumulation_cleared(run: Run) -> Iterator[Mistake]:
    """The same between steps that come every so often."""
    steps = Counter(act.row for act in run.of("step"))
    often = Counter(act.row for act in run.of("cleared") if act.by)
    fresh = Counter(row for one in cleared_unused(run) for row in one)
    for row, count in often.items():
        if len(steps) == 1 and 1 < min(steps.values()) < count and fresh[row] == count - min(steps.values()):
            yield at(row)


def wasted(run: Run) -> Iterator[Mistake]:
    """A backward filled gradients that were cleared before any step used them, or those of parameters that no step
    ever holds beside those of some that one does."""
    stepped = {id(state[0]) for act in run.of("step") for state in act.states}
    filled: dict[int, int] = {}
    for act in run.of("backward", "cleared"):
        if act.what == "backward":
            filled |= {id(leaf): act.row for leaf, _ in act.arrived}
            parameters = {id(leaf) for leaf, _ in act.arrived if isinstance(leaf, nn.Parameter)}
            if parameters & stepped and parameters - stepped:
                yield at(act.row)
        else:
            for leaf, grad, _ in act.tensors:
                if grad in (FRESH, MIXED) and id(leaf) in filled:
                    yield at(filled[id(leaf)])


FITTING = frozenset({"sub", "rsub", "__sub__", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
"""Operations by which something is fitted to something else."""


def fitted_to_itself(run: Run) -> Iterator[Mistake]:
    """Two tensors were compared to which the same leaves lead."""
    for act in run.of("op"):
        if act.name in FITTING:
            found = [_leaves_behind(one) for one in act.operands]
            if any(one & other for at_, one in enumerate(found) for other in found[at_ + 1 :]):
                yield at(act.row)


def weighed_with_graph(run: Run) -> Iterator[Mistake]:
    """Two tensors were multiplied, and one has leaves that the other has not."""
    for act in run.of("op"):
        if act.name in {"mul", "rmul", "__mul__"} and len(act.operands) > 1:
            one, other, *_ = map(_leaves_behind, act.operands)
            if one and other and one != other:
                yield at(act.row)


def _leaves_behind(tensor: torch.Tensor) -> set[int]:
    """The leaves that lead to a tensor, by name."""
    return {id(node.variable) for node in nodes_of([tensor]) if hasattr(node, "variable")}


def paired(run: Run) -> Iterator[Mistake]:
    """A column and a vector of several elements met."""
    for act in run.of("op"):
        shapes = [tuple(one.shape) for one in act.operands]
        columns = [shape for shape in shapes if len(shape) == 2 and shape[0] > shape[1] == 1]
        if columns and any(len(shape) == 1 and shape[0] > 1 for shape in shapes):
            yield at(act.row)


def stepped_without(run: Run) -> Iterator[Mistake]:
    """Some of what a step is to move has no gradient."""
    for act in run.of("step"):
        if any(not has_gradient(state) and id(state[0]) in act.asking for state in act.states):
            yield at(act.row)


def never_arrives(run: Run) -> Iterator[Mistake]:
    """What no step ever finds a gradient for, although it was used since the last step and before a backward."""
    some = {id(state[0]) for act in run.of("step") for state in act.states if has_gradient(state)}
    known = {id(one) for act in run.of("backward") for one in act.leaves}
    used: set[int] = set()
    waiting: set[int] = set()
    for act in run.of("op", "backward", "step"):
        if act.what == "op" and act.made and not act.written:
            used |= {id(one) for one in act.operands}
        elif act.what == "backward":
            waiting |= used
        elif act.what == "step":
            if not act.asking.isdisjoint(waiting - some - known):
                yield at(act.row)
            used, waiting = set(), set()


def held_by_none(run: Run) -> Iterator[Mistake]:
    """A parameter of a module has a gradient, and no optimizer ever held it."""
    held = {id(one) for act in run.of("optimizer") for one in act.held}
    held |= {id(one) for act in run.of("step") for one, *_ in act.states}
    arrived = {id(leaf) for act in run.of("backward") for leaf, _ in act.arrived}
    orphans = {id(p) for act in run.of("built") for p in act.module.parameters()} & arrived - held
    return (at(act.row) for act in run.of("optimizer") if orphans)


def trained_beside(run: Run) -> Iterator[Mistake]:
    """The same of a whole module that is differentiated again and again with one that is trained, and never read."""
    held = {id(one) for act in run.of("optimizer") for one in act.held}
    asked = {id(act.tensor) for act in run.of("asked", "read")}
    arrived = Counter(id(leaf) for act in run.of("backward") for leaf, _ in act.arrived)
    together = [{id(leaf) for leaf, _ in act.arrived} for act in run.of("backward")]
    parts = {id(part) for act in run.of("built") for part in [*act.module.modules()][1:]}
    wholes = [act.module for act in run.of("built") if id(act.module) not in parts and act.module.training]
    for module in wholes:
        own = {id(one) for one in module.parameters()}
        beside = any(own <= each and each & held for each in together)
        alone = own.isdisjoint(held | asked) and all(arrived[one] > 1 for one in own)
        if own and beside and alone and any(act.moved for act in run.of("step")):
            yield frozenset(act.row for act in run.of("optimizer"))
