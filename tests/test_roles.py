"""What names and flags tell: what functions are for, what unseen code does with graphs, and where those are left."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gradlint import linter, registry
from gradlint.domain import CauseKind, Escape
from gradlint.events import Event, ModuleCalled, ModuleFinished, Role
from gradlint.knowledge.python.duck_typing_names import DIFFERENTIATES, EVALUATES, PHASES, READS, TRAINS, words

PACKS = registry.packs()
HEAD = """\
import numpy as np
import torch
from torch import nn
from elsewhere import {names}

net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(), nn.Linear(4, 2))

"""


def heard(text: str, names: str = "thing") -> list[Event]:
    """All events of a program behind a head that makes a network."""
    found: list[Event] = []
    linter.analyse(HEAD.format(names=names) + text, (), packs=PACKS, watch=linter.Watch(listen=found.append))
    return found


def finished(text: str, names: str = "thing") -> ModuleFinished:
    (end,) = [event for event in heard(text, names) if isinstance(event, ModuleFinished)]
    return end


def phases(text: str) -> dict[str, set[Role]]:
    """What each function is for, whoever calls it."""
    found: dict[str, set[Role]] = {}
    for run in finished(text).runs:
        if run.function is not None:
            found.setdefault(run.function.name, set()).update(run.roles)
    return found


def graphs(events: Iterable[Event]) -> list[tuple[object, ...]]:
    return [event.graph for event in events if isinstance(event, ModuleCalled) and not event.nested]


# ---- what functions are for


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("validate", Role.EVALUATION),
        ("runValEpoch", Role.EVALUATION),
        ("test_one_batch", Role.EVALUATION),
        ("sample_images", Role.EVALUATION),
        ("extract_features", Role.EVALUATION),
        ("translate", Role.EVALUATION),
        ("train", Role.TRAINING),
        ("train_and_evaluate", Role.TRAINING),
        ("fit", Role.TRAINING),
        ("latest", None),
        ("validation_step", None),
        ("set_eval_mode", None),
        ("test_loss", None),
        ("first_sample", None),
        ("score_fn", None),
        ("invalidate", None),
        ("step", None),
    ],
)
def test_a_name_says_what_a_function_is_for(name: str, role: Role | None):
    assert phases(f"def {name}(x):\n    return net(x)\n")[name] == ({role} if role else set())


@pytest.mark.parametrize(
    ("flag", "value", "role"),
    [
        ("train", "True", Role.TRAINING),
        ("train", "False", Role.EVALUATION),
        ("is_training", "False", Role.EVALUATION),
        ("phase", "'val'", Role.EVALUATION),
        ("mode", "'train'", Role.TRAINING),
        ("split", "'test'", Role.EVALUATION),
        ("split", "'first'", None),
        ("mode", "True", None),
        ("verbose", "False", None),
    ],
)
def test_a_flag_says_it_for_each_call(flag: str, value: str, role: Role | None):
    text = f"def run(x, {flag}):\n    return net(x)\nrun(torch.ones(2), {flag}={value})\n"
    assert phases(text)["run"] == ({role} if role else set())


def test_a_flag_is_heard_before_the_name():
    assert phases("def train(x, train=False):\n    return net(x)\ntrain(torch.ones(2))\n")["train"] == {Role.EVALUATION}


def test_of_several_flags_the_plainest_is_heard():
    text = "def run(x, split, mode, train):\n    return net(x)\nrun(torch.ones(2), 'train', 'train', False)\n"
    assert phases(text)["run"] == {Role.EVALUATION}


def test_a_class_says_what_its_methods_are_for():
    text = "class Evaluator:\n    def run(self, x):\n        return net(x)\n    def train(self, x):\n        pass\n"
    assert phases(text) == {"run": {Role.EVALUATION}, "train": {Role.TRAINING}}


def test_methods_of_modules_are_told():
    text = "".join(
        f"class {cls}:\n    def encode(self, x):\n        return net(x)\n" for cls in ("Net(nn.Module)", "Tool")
    )
    roles = [run.roles for run in finished(text).runs if run.function is not None and run.function.name == "encode"]
    assert sorted(map(len, roles)) == [0, 1]


def test_words_of_one_kind_only():
    assert not EVALUATES & TRAINS and not READS & DIFFERENTIATES
    for every in (EVALUATES, TRAINS, READS, DIFFERENTIATES):
        assert all(words(word) == {word} for word in every)
    assert all(words(name) for name in PHASES)


# ---- what unseen code may do with a graph


@pytest.mark.parametrize(
    ("call", "how"),
    [
        ("thing(out)", Escape.HELD),
        ("accuracy(out)", Escape.READ_BY_NAME),
        ("np.concatenate([out])", Escape.READ),
        ("thing.logger.add(out)", Escape.READ_BY_NAME),
        ("thing.meter.update(out)", Escape.READ_BY_NAME),
        ("thing.score({'out': [out]})", Escape.READ_BY_NAME),
        ("thing.optimize(out)", Escape.DIFFERENTIATED),
        ("thing.trainer.step(out)", Escape.DIFFERENTIATED),
        ("thing.train_utils.accuracy(out)", Escape.READ_BY_NAME),
        ("thing.log.backward(out)", Escape.DIFFERENTIATED),
        ("saliency(out)", Escape.DIFFERENTIATED),
        ("accuracy_and_grad(out)", Escape.DIFFERENTIATED),
    ],
)
def test_how_far_a_graph_escapes_is_told_by_names(call: str, how: Escape):
    events = heard(f"def run(x):\n    out = net(x)\n    {call}\n", "accuracy, accuracy_and_grad, saliency, thing")
    end = next(event for event in events if isinstance(event, ModuleFinished))
    (graph,) = set(graphs(events))
    found = [any(one in graphs for one in graph) for graphs in (end.read_by_name, end.escaped, end.differentiated)]
    assert found == [how is Escape.READ_BY_NAME, how >= Escape.HELD, how >= Escape.DIFFERENTIATED]


@pytest.mark.parametrize(("first", "second"), [("accuracy", "thing"), ("thing", "accuracy")])
def test_of_several_calls_the_one_counts_that_may_do_most(first: str, second: str):
    events = heard(f"def run(x):\n    out = net(x)\n    {first}(out)\n    {second}(out)\n", "accuracy, thing")
    end = next(event for event in events if isinstance(event, ModuleFinished))
    assert any(graph in end.escaped for graph in graphs(events)[0])


def test_a_summary_hands_on_for_as_much_as_its_call_did():
    text = "def show(out):\n    {}(out)\ndef run(x):\n    first = net(x)\n    show(first)\n    show(net(x + 1))\n"
    for name, escapes in (("accuracy", False), ("thing", True)):
        events = heard(text.format(name), name)
        end = next(event for event in events if isinstance(event, ModuleFinished))
        assert [any(graph in end.escaped for graph in one) for one in graphs(events)] == [escapes, escapes]


# ---- where a graph is left


@pytest.mark.parametrize(
    "leaving",
    [
        "out.detach()",
        "out.data",
        "out.sum().item()",
        "out.argmax(1)",
        "out.max(1)[1]",
        "(out > 0)",
        "out.detach().numpy()",
        "float(out.mean())",
        "torch.distributions.Categorical(logits=out).sample()",
        "torch.distributions.Normal(out, 1.0).mean.detach()",
        "out.softmax(1).tolist()",
    ],
)
@pytest.mark.parametrize("helped", [False, True], ids=["here", "in a helper"])
def test_what_leaves_a_graph_is_noted_with_where(leaving: str, helped: bool):
    helper = f"def leave(out):\n    return {leaving}\n" if helped else ""
    inside = (
        "    leave(net(x + 1))\n    out = leave(net(x))\n" if helped else f"    out = net(x)\n    out = {leaving}\n"
    )
    events = heard(f"{helper}def run(x):\n{inside}")
    end = next(event for event in events if isinstance(event, ModuleFinished))
    left = {graph for graph, mark in end.left if mark.kind is CauseKind.CUT and mark.node is not None}
    assert all(left.intersection(graph) for graph in graphs(events))


@pytest.mark.parametrize("kept", ["out * 2", "out.sum()", "out.shape", "torch.stack([out])", "net(out)"])
def test_what_stays_in_its_graph_leaves_none(kept: str):
    events = heard(f"def run(x):\n    out = net(x)\n    return {kept}\n")
    assert not next(event for event in events if isinstance(event, ModuleFinished)).left


def test_what_switched_off_gradients_keep_out_leaves_none():
    end = finished("def run(x):\n    out = net(x)\n    with torch.no_grad():\n        out = out * 2\n    return out\n")
    assert not end.left


# ---- which graph is whose


def test_a_call_told_by_a_summary_has_a_graph_of_its_own():
    """What is differentiated where a summary stands for a forward is not the forward that was summarised."""
    text = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x).relu()


def run():
    own = Net()
    for step in range(9):
        own(torch.ones(3, 2)).sum().backward()
        if step % 3 == 0:
            print(own(torch.zeros(3, 2)).argmax(1))


run()
"""
    events = heard(text)
    end = next(event for event in events if isinstance(event, ModuleFinished))
    calls = [event for event in end.story if isinstance(event, ModuleCalled) and not event.nested]
    used = {event.node: not end.used.isdisjoint(event.graph) for event in calls}
    assert sorted(used.values()) == [False, True]


@pytest.mark.parametrize("states", ["(h, c)", "[h, c]", "tuple([h, c])"])
def test_a_cell_comes_from_its_states(states: str):
    text = f"""\
first, second, cell = nn.Linear(2, 3), nn.Linear(2, 3), nn.LSTMCell(2, 3)
x = torch.ones(4, 2)
h, c = first(x), second(x)
h, c = cell(x, {states})
h.sum().backward()
"""
    events = heard(text)
    end = next(event for event in events if isinstance(event, ModuleFinished))
    assert all(not end.used.isdisjoint(graph) for graph in graphs(events))
