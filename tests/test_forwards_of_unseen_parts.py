"""Forwards that hand on to parts nobody shows: they give what a network of an unseen class gives, and no less."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

NET = """
import torch
from torch import nn
from zoo import make_blocks


class Net(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        {made}

    def forward(self, x):
        {body}


net = Net(make_blocks())
{before}
{call}
"""
REGISTERED = {
    "parameters of each": "self.blocks, held = blocks, []\n        for one in blocks:\n"
    "            held.extend(one.parameters())\n        self.held = nn.ParameterList(held)",
    "a list of parameters": "self.blocks, self.held = blocks, nn.ParameterList(blocks)",
    "a layer of its own": "self.blocks, self.first = blocks, nn.Linear(3, 3)",
}
BODIES = {
    "one part": ("return self.blocks[0](x)", "print(net(torch.rand(3)).detach().numpy())"),
    "a loop": (
        "for one in self.blocks:\n            x = x - one(x)\n        return x",
        "print(net(torch.rand(3)).tolist())",
    ),
    "several results": (
        "total = torch.zeros(3)\n        for number in range(len(self.blocks)):\n"
        "            back, ahead = self.blocks[number](x)\n            x, total = x - back, total + ahead\n"
        "        return x, total",
        "print(net(torch.rand(3))[1].detach().numpy())",
    ),
    "a dict": (
        "return {'logits': self.blocks[0](x), 'input': x}",
        "print(net(torch.rand(3))['logits'].argmax().item())",
    ),
}


def told(made: str, body: str, before: str, call: str) -> list[str]:
    text = NET.format(made=made, body=body, before=before, call=call)
    found = linter.lint(text, rules(), packs=packs(), min_confidence=Confidence.LIKELY)
    return [one.code for one in found if one.code == "GRD401"]


@pytest.mark.parametrize("made", REGISTERED)
@pytest.mark.parametrize("body", BODIES)
def test_what_unseen_parts_give_is_believed_to_be_computed_from_the_parameters(made, body):
    assert told(REGISTERED[made], BODIES[body][0], "net.eval()", BODIES[body][1]) == ["GRD401"]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    ("made", "before"),
    [
        ("self.blocks = blocks", "net.eval()"),  # nothing of it is known to be trained
        (REGISTERED["a layer of its own"], "net.eval().requires_grad_(False)"),
        (REGISTERED["a layer of its own"], "net.eval()\ntorch.set_grad_enabled(False)"),
    ],
)
def test_nothing_is_said_where_the_parts_may_have_nothing_to_train(made, before, body):
    assert not told(made, BODIES[body][0], before, BODIES[body][1])


@pytest.mark.parametrize("result", ["x.sum(0)", "self.blocks[0](x).detach()", "len(self.blocks)", "torch.zeros(3)"])
def test_what_is_known_to_be_in_no_graph_stays_so(result):
    made = REGISTERED["a layer of its own"]
    assert not told(made, f"self.blocks[0](x)\n        return {result}", "net.eval()", "print(net(torch.rand(3)))")


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("mode", ["no_grad()", "inference_mode()", "set_grad_enabled(False)"])
def test_parts_that_are_called_with_gradients_off_leave_no_graph(mode, body):
    text = BODIES[body][0].replace("\n", "\n    ")
    assert not told(
        REGISTERED["a layer of its own"], f"with torch.{mode}:\n            {text}", "net.eval()", BODIES[body][1]
    )


@pytest.mark.parametrize("body", BODIES)
def test_a_method_that_runs_with_gradients_off_leaves_no_graph(body):
    inner = f"return self.inner(x)\n\n    @torch.no_grad()\n    def inner(self, x):\n        {BODIES[body][0]}"
    assert not told(REGISTERED["a layer of its own"], inner, "net.eval()", BODIES[body][1])


STEP = """
import torch
from torch import nn
import zoo


class Loss(zoo.Loss, nn.Module):
    pass


def train(model, optimizer, loader):
    criterion = Loss()
    for number, (x, mel, y) in enumerate(loader):
        coarse, fine, attention = model(x, mel)
        losses = criterion({given})
        optimizer.zero_grad()
        losses[0].backward()
        optimizer.step()
        print(losses[0].item(), attention[0].detach().cpu().numpy())
"""


@pytest.mark.parametrize(
    "given",
    ["[coarse, fine], [mel, y]", "(coarse, fine), (mel, y)", "{'coarse': coarse, 'fine': fine}, y", "coarse, y"],
)
def test_what_a_module_is_passed_in_containers_is_what_it_computes_with(given):
    found = linter.lint(STEP.format(given=given), rules(), packs=packs(), min_confidence=Confidence.POSSIBLE)
    assert not [one.code for one in found if one.code in ("GRD401", "GRD619")]


KEPT = """
import torch
from zoo import Head, Trunk


def described(x):
    trunk, head = Trunk(), Head()
    trunk.load_state_dict(torch.load("trunk.pt"))
    head.load_state_dict(torch.load("head.pt"))
    outputs, extra = trunk(x), head(x)
    {kept}
    return outputs
"""


@pytest.mark.parametrize(
    "kept", ["outputs.extra = extra", "outputs['extra'] = extra", "setattr(outputs, 'extra', extra)"]
)
def test_what_an_object_that_a_network_gave_keeps_is_given_on(kept):
    found = linter.lint(KEPT.format(kept=kept), rules(), packs=packs(), min_confidence=Confidence.POSSIBLE)
    assert not [one for one in found if one.code == "GRD401" and "head" in one.message]


def test_what_nobody_keeps_is_recorded_in_vain():
    found = linter.lint(KEPT.format(kept="pass"), rules(), packs=packs(), min_confidence=Confidence.POSSIBLE)
    assert [one for one in found if one.code == "GRD401" and "head" in one.message]
