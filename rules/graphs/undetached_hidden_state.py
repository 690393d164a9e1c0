"""A state that a training loop carries from step to step drags the graph of every earlier step along.

## Why it happens

The hidden state that a recurrent network gives back was computed from its weights and carries the graph of that
computation. Handed to the next step, it makes that step's graph begin at the very first one. The backward of the
first step has freed its part, so the backward of the second step runs into nodes that are no longer there. With
`retain_graph=True` it runs into weights that the optimizer has stepped in the meantime, and without an optimizer it
walks an ever longer way. `detach()` keeps the state's value and begins a new graph: truncated backpropagation
through time.

## What it costs

The second iteration raises `RuntimeError`.

## When it is right to ignore it

Never where it is reported: the graph certainly holds a part made by an earlier iteration that cannot be differentiated
any more. Time steps whose losses are summed and differentiated once after the loop are not reported. Of a backward that
runs every so many iterations the second one fails, which a loop of few iterations may not reach.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import NO, YES, CauseKind, Node
from gradlint.events import BackwardRun, LoopFinished, Recorded
from gradlint.rule import CERTAIN, LIKELY, Edit, Findings, Question, Raises, Rule

from ._returning import CALLS, freed, stepped

rule = Rule(
    "GRD505",
    "undetached-hidden-state",
    "{call} goes back into the graph of an earlier iteration, {why}",
    help="detach the state at the start of each iteration: `hidden = hidden.detach()`",
    yields_to=("GRD508",),
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "Trying to backward through the graph a second time")
STEPPED = Raises(RuntimeError, "has been modified by an inplace operation")

WHY = {"freed": "which is freed", "stepped": "whose weights were stepped"}
"""The reasons that an earlier graph cannot be differentiated."""
CUTS = {
    "tensor": "{name} = {name}.detach()",
    "tuple": "{name} = tuple(state.detach() for state in {name})",
}
"""The ways in which what is carried over keeps its value and loses its graph."""


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    spent = freed(event) or stepped(event)
    if event.later <= YES and event.from_earlier_iteration <= YES and spent:
        node, mark = spent
        how = "freed" if mark.kind == CauseKind.FREED else "the weights it saved were stepped"
        why = WHY["freed" if mark.kind == CauseKind.FREED else "stepped"]
        draft = rule.at(event.node, call=CALLS[event.how], why=why).note(
            node.at, "computed here from the state of the iteration before"
        )
        draft = draft if mark.node is event.node else draft.note(mark.node, f"{how} here in an earlier iteration")
        cuts = [Edit("insert after", place, CUTS[kind].format(name=name)) for name, kind, place in event.carriers]
        yield draft.fix(*cuts, safety="unsafe")


@rule.on(LoopFinished)
def check_repeated(event: LoopFinished) -> Findings:
    """Judge the backwards that may have been through a part of the graph when they ran before."""
    for run in event.story:
        if (
            type(run) is BackwardRun
            and run.repeated
            and run.later <= YES
            and run.retain <= NO
            and not run.modified_nodes
        ):
            for node, guarded in _always_behind(run, event):
                draft = rule.at(run.node, call=CALLS[run.how], why=WHY["freed"])
                draft = draft.note(node.at, "computed here from the state of the iteration before")
                yield draft.resting_on(run).lowered(
                    LIKELY if guarded else CERTAIN, "the state is carried on under a condition", Question.TORCH
                )
                break


def _always_behind(run: BackwardRun, event: LoopFinished) -> Iterator[tuple[Node, bool]]:
    """The nodes of places where all that a loop makes goes back to the first of them, made before the backward ran at
    all: that one is in the graph each time it runs. With each is said whether the backward waits for something, which
    then is only whether it is time again. Where a loop around tells one iteration for all, none is the first."""
    first = next(at for at, one in enumerate(event.story) if type(one) is BackwardRun and one.node is run.node)
    for node in run.repeated:
        made = [(at, one) for at, one in enumerate(event.story) if type(one) is Recorded and one.node is node.at]
        if len(made) < 2 or made[0][0] > first:
            continue
        (_, begun), *later = made
        guards = {test for test, _ in run.conditions} - {test for test, _ in begun.conditions}
        if (
            begun.later <= NO
            and begun.grows <= NO
            and all(one.grows <= YES for _, one in later)
            and guards <= event.periodic
        ):
            yield node, bool(guards)


@rule.bad
def hidden_state_fed_back():
    import torch
    from torch import nn

    model, head = nn.RNN(2, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
    hidden = torch.zeros(1, 1, 3)
    for _ in range(3):
        output, hidden = model(torch.ones(5, 1, 2), hidden)
        optimizer.zero_grad()
        head(output).mean().backward()  # GRD505
        optimizer.step()
    return model


@rule.good(cures=hidden_state_fed_back)
def hidden_state_cut_off():
    import torch
    from torch import nn

    model, head = nn.RNN(2, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
    hidden = torch.zeros(1, 1, 3)
    for _ in range(3):
        output, hidden = model(torch.ones(5, 1, 2), hidden.detach())
        optimizer.zero_grad()
        head(output).mean().backward()
        optimizer.step()
    return model


@rule.bad(shows=STEPPED)
def graph_kept_for_the_next_step():
    import torch
    from torch import nn

    model, head = nn.RNN(2, 4), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.01)
    state = torch.zeros(1, 8, 4)
    for _ in range(3):
        _, state = model(torch.ones(5, 8, 2), state)
        loss = head(state).pow(2).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  # GRD505
        optimizer.step()
    return model


@rule.good(cures=graph_kept_for_the_next_step)
def graph_begun_anew():
    import torch
    from torch import nn

    model, head = nn.RNN(2, 4), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.01)
    state = torch.zeros(1, 8, 4)
    for _ in range(3):
        _, state = model(torch.ones(5, 8, 2), state)
        loss = head(state).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = state.detach()
    return model


@rule.bad
def state_carried_over_every_window():
    import torch
    from torch import nn

    cell, head = nn.GRUCell(2, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
    state, loss = torch.zeros(1, 3), 0.0
    for step, x in enumerate(torch.ones(8, 1, 2)):
        state = cell(x, state)
        loss = loss + head(state).mean()
        if (step + 1) % 4 == 0:
            optimizer.zero_grad()
            loss.backward()  # GRD505
            optimizer.step()
            loss = 0.0
    return cell


@rule.good(cures=state_carried_over_every_window)
def state_cut_off_after_every_window():
    import torch
    from torch import nn

    cell, head = nn.GRUCell(2, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
    state, loss = torch.zeros(1, 3), 0.0
    for step, x in enumerate(torch.ones(8, 1, 2)):
        state = cell(x, state)
        loss = loss + head(state).mean()
        if (step + 1) % 4 == 0:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            state, loss = state.detach(), 0.0
    return cell
