"""A finding tells the reader what is wrong and what mends it: its words, and its notes at the lines that contributed.

The reported line of a program ends in `# here`, and each line that is to have a note in `# note: words of it`.
"""

from __future__ import annotations

import re

import pytest

from gradlint import linter
from gradlint.registry import rules

MARK = re.compile(r"# (here|note: (?P<words>.*))$")
STORIES = []


def story(code: str, why: str, text: str, *, says: tuple[str, ...], never: tuple[str, ...] = ()) -> None:
    """A program with one finding of this code, whose message and help hold all of some words and none of others."""
    STORIES.append(pytest.param(code, text, says, never, id=f"{code}-{why}"))


# ---- GRD806 unfrozen-batchnorm

NORM = """
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
"""

story("GRD806", "never in eval mode", NORM + """
net[1].requires_grad_(False)  # here
net(torch.ones(2, 4))  # note: in train mode
""", says=("call `.eval()` on the batch norm after each `train()`",), never=("`net.train()`",))  # fmt: skip
story("GRD806", "eval() is undone", NORM + """
net[1].requires_grad_(False)  # note: frozen
net[1].eval()  # note: into eval mode
for epoch in range(2):
    net.train()  # here
    net(torch.ones(2, 4))  # note: in train mode
""", says=("call `.eval()` on the batch norm after `net.train()`",), never=("each",))  # fmt: skip
story("GRD806", "eval() of the whole was for evaluation", NORM + """
net[1].requires_grad_(False)  # here
net.eval()
print(net(torch.ones(2, 4)))
net.train()
net(torch.ones(2, 4))  # note: in train mode
""", says=("call `.eval()` on the batch norm after each `train()`",), never=("`net.train()`",))  # fmt: skip


# ---- GRD619 gradless-root

MODEL = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
"""

story("GRD619", "nothing was asked", """
import torch
x = torch.ones(3)
loss = (x * 2).sum()  # note: computed here
loss.backward()  # here
""", says=("call `requires_grad_()` on the inputs",), never=("limit", "torch.tensor("))  # fmt: skip
story("GRD619", "a method froze the whole", MODEL + """
model.requires_grad_(False)  # note: frozen here
loss = model(torch.ones(2, 4)).mean()
loss.backward()  # here
""", says=("limit `model.requires_grad_(False)` to parts",), never=("requires_grad=True", "the inputs"))  # fmt: skip
story("GRD619", "a loop in a helper froze the whole", MODEL + """
def freeze(network):
    for name, weight in network.named_parameters():
        weight.requires_grad = False  # note: frozen here

freeze(model)
features = model[0](torch.ones(2, 4)).relu_()
features += 1
(torch.autograd.grad)(model[1](features).pow(2).mean(), features)  # here
""", says=("limit `weight.requires_grad = False` to parts",), never=("requires_grad=True",))  # fmt: skip


# ---- GRD503 second-backward

CLOSURE = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.LBFGS(model.parameters())
x, y = torch.rand(8, 2), torch.rand(8, 1)
"""
SUM = "add the losses"
INSIDE = "compute the prediction inside the closure"

story("GRD503", "the prediction is computed outside of the closure", CLOSURE + """
prediction = model(x)  # note: outside of the closure
def closure():
    optimizer.zero_grad()
    loss = (prediction - y).pow(2).mean()
    loss.backward()  # here
    return loss
for step in range(3):
    optimizer.step(closure)
""", says=(INSIDE,), never=(SUM, "retain_graph"))  # fmt: skip
story("GRD503", "the loss is differentiated before", CLOSURE + """
loss = (model(x) - y).pow(2).mean()  # note: outside of the closure
loss.backward()  # note: freed here
def closure():
    loss.backward()  # here
    return loss
optimizer.step(closure)
""", says=(INSIDE,), never=(SUM, "retain_graph"))  # fmt: skip
story("GRD503", "a helper of the closure differentiates", CLOSURE + """
def differentiate(predicted):
    optimizer.zero_grad()
    loss = (predicted - y).pow(2).mean()
    loss.backward()  # here
    return loss
prediction = model(x)  # note: outside of the closure
optimizer.step(lambda: differentiate(prediction))
""", says=(INSIDE,), never=(SUM, "retain_graph"))  # fmt: skip
story("GRD503", "two losses of a closure", CLOSURE + """
def closure():
    optimizer.zero_grad()
    prediction = model(x)  # note: shared
    near, small = (prediction - y).pow(2).mean(), prediction.exp().mean()
    near.backward()  # note: freed here
    small.backward()  # here
    return near + small
optimizer.step(closure)
""", says=(SUM,), never=(INSIDE,))  # fmt: skip


# ---- GRD113 non-leaf-requires-grad-false

RESULT = """
import torch
from torch import nn

layer = nn.Linear(3, 3)
x = torch.ones(1, 3)
"""

story("GRD113", "a name holds it alone", RESULT + """
features = layer(x)  # note: computed here
features.requires_grad = False  # here
""", says=("write `features = features.detach()`",))  # fmt: skip
story("GRD113", "a place of a list holds it alone", RESULT + """
outputs = [layer(x), layer(2 * x)]  # note: computed here
outputs[0].requires_grad = False  # here
""", says=("write `outputs[0] = outputs[0].detach()`",))  # fmt: skip
story("GRD113", "a tuple holds it as well", RESULT + """
pair = (layer(x), layer(2 * x))  # note: computed here
for one in pair:
    one.requires_grad = False  # here
""", says=("use `.detach()` where it is computed",), never=("one = one.detach()",))  # fmt: skip
story("GRD113", "who calls holds it as well", RESULT + """
def freeze(tensor):
    tensor.requires_grad = False  # here

features = layer(x)  # note: computed here
freeze(features)
""", says=("use `.detach()` where it is computed",), never=("tensor = tensor.detach()",))  # fmt: skip
story("GRD113", "nobody holds it", RESULT + """
layer.weight[0].requires_grad = False  # here
""", says=("freeze the whole tensor",), never=("detach()",))  # fmt: skip
story("GRD113", "it is handed on at once", RESULT + """
target = layer(x).requires_grad_(False)  # here
""", says=("use `.detach()` instead",))  # fmt: skip
story("GRD113", "its gradient is wanted", RESULT + """
features = layer(x)
features.requires_grad = True  # here
""", says=("`features.retain_grad()` to read its gradient", "`features.detach().requires_grad_()`"))  # fmt: skip
story("GRD113", "it was moved along its gradient", RESULT + """
x.requires_grad_()
layer(x).sum().backward()
x = x - 0.1 * x.grad
x.requires_grad = True  # here
""", says=("write `x = x.detach().requires_grad_()`",), never=("retain_grad",))  # fmt: skip


# ---- GRD618 needed-gradient-detached

PARTS = """
import torch
from torch import nn

class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.head = nn.Linear(4, 1)

net, teacher = Parts(), nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(2, 4)
"""

story("GRD618", "a target is cut as well", PARTS + """
features = net.body(x).detach()  # here
target = teacher(x).detach()
(net.head(features) - target).pow(2).mean().backward()
optimizer.step()  # note: stepped here
""", says=("no gradient reaches `net.body`", "`.detach()` detaches"))  # fmt: skip
story("GRD618", "the mode cuts", PARTS + """
with torch.no_grad():
    target = teacher(x)
with torch.no_grad():  # here
    features = net.body(x)  # note: computed from them
(net.head(features) - target).pow(2).mean().backward()
optimizer.step()  # note: stepped here
""", says=("no gradient reaches `net.body`", "`no_grad()` detaches"))  # fmt: skip
story("GRD618", "what is cut was computed a while ago", PARTS + """
features = net.body(x)
features = features.relu() * 2
features += 1
features.detach_()  # here
net.head(features).pow(2).mean().backward()
optimizer.step()  # note: stepped here
""", says=("no gradient reaches `net.body`", "`.detach_()` detaches"))  # fmt: skip
story("GRD618", "another loss is computed and not differentiated", PARTS + """
net.head(net.body(x).detach()).mean().backward()  # note: left here
loss = net.head(net.body(x)).mean()
optimizer.step()  # here
""", says=("no gradient reaches `net.body`", "detaches the root of `backward()`"))  # fmt: skip
story("GRD618", "all that the optimizer holds", PARTS + """
(net.head(net.body(x)).data * teacher(x)).mean().backward()  # here
optimizer.step()  # note: stepped here
""", says=("no gradient reaches `net.body` and `net.head`", "`.data` detaches"))  # fmt: skip


# ---- GRD504 habitual-retain-graph

STEPS = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(2, 4)
"""

story("GRD504", "a loss of this iteration", STEPS + """
for epoch in range(3):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # here
    optimizer.step()
""", says=("leave out `retain_graph=True`",), never=("`step()`",))  # fmt: skip
story("GRD504", "a loss of the iteration before", STEPS + """
losses = {}
for epoch in range(3):
    if "last" in losses:
        losses["last"].backward(retain_graph=True)  # here
        optimizer.step()
    losses["last"] = model(x).pow(2).mean()
    if epoch:
        optimizer.step()
""", says=("differentiate each loss in the iteration that computes it, before `step()`",))  # fmt: skip


# ---- GRD301, GRD302 and GRD303: writes into leaves

WRITTEN = """
import torch
from torch import nn

layer, x = nn.Linear(2, 2), torch.ones(3, 2)
held = {"out": torch.zeros(3, 2, requires_grad=True)}
out = torch.zeros(3, 2, requires_grad=True)
"""
NO_GRAD = "`with torch.no_grad():`"
BUILD = ("`torch.stack()`", "write into a `clone()`")

for code, why, line, needs in (
    ("GRD301", "results by index", "out[0] = layer(x[0])", True),
    ("GRD301", "results added up", "out += layer(x)", True),
    ("GRD301", "numbers by index", "out[0] = 1.0", False),
    ("GRD301", "a leaf is copied", "out.copy_(held['out'])", False),
    ("GRD301", "a parameter follows another one", "layer.weight[:] = nn.Linear(2, 2).weight * 0.5", False),
    ("GRD302", "results into a row", "out[0].copy_(layer(x[0]))", True),
    ("GRD302", "a row of a parameter follows another one", "layer.weight[0].copy_(nn.Linear(2, 1).weight[0])", False),
    ("GRD303", "results by index", "held['out'][0] = layer(x[0])", True),
    ("GRD303", "numbers by index", "held['out'][0] = x[0]", False),
):
    says, never = (BUILD, (NO_GRAD,)) if needs else ((NO_GRAD,), BUILD[:1])
    story(code, why, f"{WRITTEN}{line}  # here", says=says, never=never)
story("GRD301", "results by out=", WRITTEN + """
torch.mul(layer(x), 2, out=out)  # here
""", says=("use the result instead of passing `out=`",), never=(NO_GRAD,))  # fmt: skip


def test_what_is_written_under_no_grad_loses_its_gradient():
    """What the advice of these rules avoids: the error is gone, and so is the gradient."""
    torch = pytest.importorskip("torch")

    weight, out = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    with torch.no_grad():
        out[0] = (weight * 2).sum()
    out.sum().backward()
    assert weight.grad is None
    cloned = out.clone()
    cloned[0] = (weight * 2).sum()
    cloned.sum().backward()
    assert weight.grad.tolist() == [2, 2]


# ---- GRD805 buffer-requires-grad

ONCE, DETACH = "computed only once", "set it from detached values"


def statistic(registered: str, updated: str) -> str:
    """A module with a buffer that is registered so, and what its forward pass does first."""
    return f"""
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        {registered}

    def forward(self, x):
        {updated}
        return self.layer(x) - self.mean

model = Norm()
model(torch.ones(3, 2)).sum().backward()
"""


FIRST = "self.register_buffer('mean', self.layer.weight.mean(0))  # here"
story("GRD805", "no forward computes it", statistic(FIRST, "pass"), says=(ONCE,), never=(DETACH,))
story("GRD805", "a forward sets it to another result",
    statistic(FIRST, "self.mean = self.mean * 0.9 + self.layer(x).mean(0) * 0.1  # note: set by each forward"),
    says=("each forward pass leaves its graph in it", DETACH), never=(ONCE,))  # fmt: skip
story("GRD805", "a forward sets it from detached values",
    statistic(FIRST, "self.mean = self.layer(x).detach().mean(0)  # note: set by each forward"),
    says=("until a forward pass replaces it",), never=(ONCE, DETACH))  # fmt: skip
story("GRD805", "a forward registers it",
    statistic("pass", "self.register_buffer('mean', self.layer(x).mean(0))  # here"),
    says=("each forward pass leaves its graph in it", DETACH), never=(ONCE,))  # fmt: skip


# ---- the law


@pytest.mark.parametrize(("code", "text", "says", "never"), STORIES)
def test_a_finding_says_what_is_wrong_and_points_at_why(code, text, says, never):
    wanted = [rule for rule in rules() if rule.code == code]
    (found,) = [one for one in linter.analyse(text, wanted).findings if one.code == code]
    marked = {row: mark for row, line in enumerate(text.split("\n"), 1) if (mark := MARK.search(line))}
    assert [row for row, mark in marked.items() if mark["words"] is None] == [found.place.row]
    notes = {note.place.row: note.text for note in found.notes}
    for row, words in ((row, mark["words"]) for row, mark in marked.items() if mark["words"]):
        assert words in notes.get(row, "")
    told = f"{found.message}\n{found.help}"
    assert not [words for words in says if words not in told]
    assert not [words for words in never if words in told]
