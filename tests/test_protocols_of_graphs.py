"""What is told of graphs: who is asked for gradients, what spoils a graph, and what lets it grow."""

from __future__ import annotations

import pytest
from training_events import heard, only

from gradlint import events
from gradlint.domain import (
    NO,
    YES,
    Module,
    Tensor,
)
from gradlint.interpreter.python.classes import MOST_INSTANCES_DEEP

# ---- asking for gradients


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("for p in model.parameters(): p.requires_grad = False", 1),  # each in an iteration of its own
        ("for p in model.parameters():\n    if p.ndim:\n        p.requires_grad = False", 0),
        ("for n, p in model.named_parameters():\n    if 'b' in n:\n        continue\n    p.requires_grad_(False)", 1),
        ("model.requires_grad_(False)", 2),
        ("model.weight.requires_grad = False", 0),
    ],
)
def test_who_is_asked_one_by_one(body: str, count: int) -> None:
    assert {len(event.each) for event in heard(events.RequiresGradChanged, body)} == {count}


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("x.requires_grad(True)", "yes"),
        ("model.requires_grad(True)", "yes"),
        ("class M(nn.Module):\n    def requires_grad(self, to): pass\nM().requires_grad(True)", "no"),
        ("def f(m): m.requires_grad(True)", "?"),
    ],
)
def test_a_flag_that_is_called_may_be_a_method(body: str, missing: str) -> None:
    assert [str(event.missing) for event in heard(events.Called, body) if event.path == "requires_grad"] == [missing]


def test_what_is_looked_up_and_dropped_has_an_owner() -> None:
    event = only(events.ResultDiscarded, "model.eval")
    assert isinstance(event.of, Module) and (event.attribute, event.name) == ("eval", "model")


def test_an_array_that_is_written_writes_the_tensors_on_its_memory() -> None:
    text = "import numpy\na = numpy.ones(2)\nw = torch.from_numpy(a)\na.fill(0)\na += 1\na[0] = 2\n(a + 1).fill(0)\n"
    written = heard(events.WrittenInPlace, text)
    assert [(event.by, event.op, event.noticed) for event in written] == [
        ("array", op, NO) for op in ("fill", "add", "setitem")
    ]


def test_an_assignment_that_does_one_thing_is_told_whole() -> None:
    alone = heard(events.AttributeAssigned, "x.requires_grad = True\nx.a, x.b = 1, 2\nx.c = x.d = 3")
    assert [event.statement is not None for event in alone] == [True, False, False, False, False]


# ---- graphs that are spoiled, carried over, grown


RECURRENT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(2, 3)
    def forward(self, x, state):
        return self.rnn(x, state)
net, state = Net(), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
for _ in range(4):
    output, state = net(torch.ones(5, 1, 2), state)
    output.sum().backward()
"""


def test_a_module_of_the_program_carries_its_state_into_the_graph_that_was_freed():
    first, later = heard(events.BackwardRun, RECURRENT)
    assert (first.freed, first.from_earlier_iteration) == (NO, NO)
    assert (later.freed, later.from_earlier_iteration) == (YES, YES)
    assert {mark.kind.value for node in later.modified_nodes for mark in node.causes} == {"freed"}


@pytest.mark.parametrize(
    ("change", "facts", "how"),
    [
        ("y += 1", ("yes", "no"), "written"),
        ("y.data.add_(1)", ("no", "yes"), "hidden"),
        ("torch.relu_(y)", ("yes", "no"), "written"),
        ("nn.ReLU(True)(y)", ("yes", "no"), "written"),
    ],
)
def test_a_backward_knows_who_wrote_what_the_graph_had_saved(change, facts, how):
    event = only(events.BackwardRun, f"y = model.weight.exp()\n{change}\ny.sum().backward()")
    assert (str(event.stale), str(event.corrupt)) == facts
    assert {(mark.kind.value, mark.name) for node in event.modified_nodes for mark in node.causes} >= {
        (how, "y")
    } or how == "hidden"
    assert {mark.kind.value for node in event.modified_nodes for mark in node.causes} == {how}


def test_a_layer_saves_its_weight_where_its_input_requires_grad():
    body = "out = model({})\nout.sum().backward(retain_graph=True)\noptimizer.step()\nout.mean().backward()"
    for given, stale in (("x", NO), ("x.requires_grad_()", YES)):
        assert heard(events.BackwardRun, body.format(given))[1].stale is stale


def test_a_sum_grows_in_a_loop_and_is_spent_where_its_parts_were_differentiated():
    loop = "total = 0\nfor _ in range(3):\n    loss = model(x).pow(2).mean()\n    {}\n    total += loss"
    assert only(events.GraphGrown, loop.format("loss.backward()")).freed is YES
    assert only(events.GraphGrown, loop.format("pass")).freed is NO


def test_results_pile_up_in_a_container_unless_each_takes_the_place_of_the_last():
    loop = "kept = {{}}\nfor i in range(3):\n    kept[{}] = model(x)"
    assert [event.piles for event in heard(events.Stored, loop.format("i"))] == [NO, YES, YES]
    assert [event.piles for event in heard(events.Stored, loop.format("'last'"))] == [NO, NO]


def test_what_a_module_does_whose_init_was_not_followed_is_not_followed_either() -> None:
    levels = "".join(
        f"""
class Level{level}(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Level{level + 1}()
"""
        for level in range(MOST_INSTANCES_DEEP)
    )
    last = f"""
class Level{MOST_INSTANCES_DEEP}(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)
"""
    called = heard(events.ModuleCalled, f"{last}{levels}Level0(){'.inner' * MOST_INSTANCES_DEEP}(x)\n")
    (whole,) = [event for event in called if event.module.unbuilt is YES]
    assert isinstance(whole.result, Tensor) and whole.result.may_be_structured
