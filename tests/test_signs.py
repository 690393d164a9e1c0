"""What findings rest on: each question has an answer, the weakest counts, and people and tools are told why."""

from __future__ import annotations

import json
from itertools import product

import pytest
from click.testing import CliRunner

from gradlint import linter, registry
from gradlint.cli import cli
from gradlint.domain import Belief
from gradlint.events import BackwardRun, Event, ModuleCalled, OptimizerStepped
from gradlint.finding import Confidence, Degrees, Finding, Place, Question, Sign
from gradlint.frozen import replace
from gradlint.results import Result, Rows
from gradlint.results_data import data_of, result_of
from gradlint.rule import CERTAIN, LIKELY, POSSIBLE, Draft, Rule, believed, signs_of

RULES, PACKS = registry.rules(), registry.packs()
RULE = Rule("ABC101", "planted", "message")
HANDED = """\
def train(model, opt, batches):
    for x, y in batches:
        opt.zero_grad()
        loss = model(x).sum()
        loss.backward()
        opt.step()
"""
EVALUATED = """\
import torch
from torch import nn


def evaluate(net: nn.Module, batches):
    net.eval()
    for x in batches:
        print(net(x).argmax())
"""


def heard(text: str, kind: type[Event]) -> Event:
    found: list[Event] = []
    linter.analyse("import torch\n" + text, (), packs=PACKS, watch=linter.Watch(listen=found.append))
    return next(event for event in found if isinstance(event, kind))


@pytest.mark.parametrize("answers", [*product(Confidence, repeat=3)], ids=str)
def test_a_finding_is_as_sure_as_the_weakest_answer(answers):
    signs = tuple(Sign(question, degree, "so") for question, degree in zip(Question, answers, strict=True))
    assert Degrees.of(signs) == Degrees(*answers)
    assert Draft(RULE, None, "m", RULE.effect, signs).confidence is max(answers)


def test_a_finding_is_lowered_and_never_raised():
    draft = RULE.at(None)
    assert (draft.confidence, draft.signs) == (CERTAIN, ())
    low = draft.lowered(POSSIBLE).lowered(LIKELY, "two ways", Question.TORCH).lowered(CERTAIN)
    assert low.confidence is POSSIBLE
    assert low.signs == (
        Sign(Question.MISTAKE, POSSIBLE, "as the rule judges it"),
        Sign(Question.TORCH, LIKELY, "two ways"),
    )


@pytest.mark.parametrize(
    ("text", "kind", "signs"),
    [
        ("torch.nn.Linear(2, 2)(torch.ones(2))", ModuleCalled, {}),
        (HANDED, OptimizerStepped, {"taken for an optimizer for how it is used": LIKELY}),
        (EVALUATED, ModuleCalled, {"taken for a module for how it is annotated": CERTAIN,
                                   "gradients are taken to be on, whatever unseen callers and decorators do": LIKELY}),
        ("w = torch.ones(2, requires_grad=True)\nw.add_(1)\nw.sum().backward()", BackwardRun,
         {"a line before raises on a way that leads here": CERTAIN}),
    ],
)  # fmt: skip
def test_what_an_event_rests_on_is_told(text, kind, signs):
    found = {sign.text: sign.confidence for sign in signs_of(heard(text, kind))}
    assert signs.items() <= found.items()
    assert bool(found) is bool(signs)


@pytest.mark.parametrize("belief", Belief)
@pytest.mark.parametrize("assumed", [True, False])
def test_signs_say_as_much_as_the_belief_does(belief, assumed):
    """Whatever lowered it: what no object of the event explains was not measured, or was seen in use."""
    known = heard("torch.ones(2, requires_grad=True).sum().backward()", BackwardRun)
    event = replace(known, belief=belief, assumed_mode=assumed)
    wanted = {
        Belief.PROVEN: CERTAIN,
        Belief.ANNOTATED: CERTAIN,
        Belief.UNTOUCHED: LIKELY,
        Belief.FROM_USAGE: LIKELY,
        Belief.FROM_NAME: POSSIBLE,
    }
    assert believed(event) is max(wanted[belief], LIKELY if assumed and event.depends_on_mode else CERTAIN)


@pytest.mark.parametrize("text", [EVALUATED, "w = torch.tensor([1, 2], requires_grad=True)\n"])
def test_every_finding_is_as_sure_as_its_signs(text):
    found = linter.analyse("import torch\n" + text, RULES, packs=PACKS).findings
    assert found
    assert all(finding.confidence is finding.degrees.weakest for finding in found)


@pytest.mark.parametrize(("call", "wanted"), [("print(weight)", CERTAIN), ("elsewhere.visit(weight)", LIKELY)])
def test_a_wrong_gradient_is_certain_where_one_certainly_arrives(call, wanted):
    """What unseen code has had may have been frozen there, and then it gets none."""
    text = f"""\
import elsewhere
import torch
weight = torch.randn(3, requires_grad=True)
out = weight.tanh()
out.data[0] = 5.0
{call}
out.sum().backward()
"""
    found = linter.analyse(text, RULES, packs=PACKS).findings
    assert [one.confidence for one in found if one.code == "GRD309"] == [wanted]


def test_signs_are_kept_with_results():
    sign = Sign(Question.THING, LIKELY, "taken for a module for how it is used")
    found = Finding("ABC101", "planted", "m", Place(1, 1, 1, 2), LIKELY, signs=(sign,))
    result = Result("a.py", "/a.py", (found,), Rows.of("/a.py"))
    (again,) = result_of(json.loads(json.dumps(data_of(result))), "/a.py").findings
    assert again == found


def test_signs_are_told_to_tools_and_with_v_to_people(tmp_path):
    (tmp_path / "evaluate.py").write_text(EVALUATED)
    plain = ["--isolated", "--no-cache", str(tmp_path), "--output-format"]

    def ran(*args: str) -> str:
        return CliRunner().invoke(cli, ["check", *plain, *args]).stdout

    (found,) = json.loads(ran("json"))
    assert found["confidence"] == "likely"
    assert found["confidence_of"] == {"torch": "likely", "thing": "likely", "mistake": "certain"}
    assert {
        "question": "thing",
        "confidence": "certain",
        "sign": "taken for a module for how it is annotated",
    } in found["signs"]
    assert "= likely: " not in ran("full")
    assert "= likely: taken for a module for how it is annotated (certain); " in ran("full", "-v")
    (tmp_path / "evaluate.py").write_text("import torch\n\nw = torch.tensor([1, 2], requires_grad=True)\n")
    assert "= certain: all that it rests on is proven" in ran("full", "-v")


LOADED = """\
import torch
from torch import nn

def predict(path, batches):
    net = {made}
    net.load_state_dict(torch.load(path))
    with torch.no_grad():
        return [net(batch).argmax() for batch in batches]
"""
SHOWN, HIDDEN = "nn.Sequential(nn.Linear(2, 2), nn.Dropout())", "zoo.Net(2)"


@pytest.mark.parametrize(("made", "wanted"), [(SHOWN, LIKELY), (HIDDEN, POSSIBLE)])
def test_a_part_that_minds_train_mode_is_seen_or_possible(made, wanted):
    """Of loaded networks that nobody shows five in twelve had one."""
    found = linter.analyse("import zoo\n" + LOADED.format(made=made), RULES, packs=PACKS).findings
    assert [one.confidence for one in found if one.code == "GRD414"] == [wanted]
