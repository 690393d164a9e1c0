"""Programs of the kinds that people write and small ones do not show: large networks, and evidence that is no proof."""

from __future__ import annotations

import pytest

from gradlint import linter, registry
from gradlint.finding import Finding
from gradlint.interpreter.nn.layer_calls import MOST_IN_ANY_ORDER

RULES = registry.rules()


def found(text: str, code: str) -> list[Finding]:
    """The findings of a rule in a program that imports torch."""
    return [one for one in linter.lint(f"import torch\nfrom torch import nn\n{text}", RULES) if one.code == code]


def network(layers: int, name: str = "Net") -> str:
    """A class of a network with so many layers."""
    made = "".join(f"        self.l{number} = nn.Linear(8, 8)\n" for number in range(layers))
    called = "".join(f"        x = torch.relu(self.l{number}(x))\n" for number in range(layers))
    start = f"class {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    return f"{start}{made}    def forward(self, x):\n{called}        return x\n"


GAN = """
maker, judge = Maker(), Judge()
of_judge = torch.optim.Adam(judge.parameters())
of_maker = torch.optim.Adam(maker.parameters())
for _ in range(10):
    loss = judge(maker(torch.randn(4, 8)){cut}).mean()
    judge.zero_grad()
    loss.backward()
    of_judge.step()
    maker.zero_grad()
    (-judge(maker(torch.randn(4, 8))).mean()).backward()
    of_maker.step()
"""


@pytest.mark.parametrize("layers", [2, 40, 120])
def test_what_an_optimizer_holds_is_known_of_small_and_large_networks(layers: int):
    classes = network(layers, "Maker") + network(layers, "Judge")
    assert len(found(classes + GAN.format(cut=""), "GRD617")) == 1
    assert found(classes + GAN.format(cut=".detach()"), "GRD617") == []


@pytest.mark.parametrize("layers", [3, 100])
def test_a_network_that_is_frozen_as_a_whole_has_nothing_to_differentiate(layers: int):
    text = network(layers) + "net = Net()\nfor p in net.parameters():\n    p.requires_grad = False\n"
    assert len(found(text + "net(torch.randn(4, 8)).sum().backward()\n", "GRD619")) == 1
    assert found(text + "net.l1.weight.requires_grad = True\nnet(torch.ones(8)).sum().backward()\n", "GRD619") == []


STEP = """
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
def step(optimizer, x):
    optimizer.zero_grad()
    net(x).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("switch", "off"),
    [
        ("torch.set_grad_enabled(False)", True),
        ("torch.set_grad_enabled(mode=False)", True),
        ("torch.set_grad_enabled(True)", False),
        ("with torch.set_grad_enabled(False):\n    print(1)", False),
        ("if input():\n    torch.set_grad_enabled(False)", False),
        ("torch.set_grad_enabled(False)\ntorch.set_grad_enabled(True)", False),
    ],
)
def test_the_switch_of_a_file_holds_in_functions_that_nobody_calls(switch: str, off: bool):
    findings = found(f"{switch}\n{STEP}", "GRD404")
    assert [str(one.confidence) for one in findings] == ["likely"] * off


SCALED = """
model = nn.Linear(2, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
for _ in range(3):
    optimizer.zero_grad()
    scaler.scale(model(torch.ones(4, 2).cuda()).mean()).backward()
    scaler.step(optimizer)
    {again}
    scaler.update()
"""


@pytest.mark.parametrize(
    ("again", "says"),
    [
        ("scaler.unscale_(optimizer)", "unscales `optimizer` after it has stepped it, without"),
        ("scaler.step(optimizer)", "steps `optimizer` twice without"),
    ],
)
def test_what_a_scaler_does_again_is_named(again: str, says: str):
    (one,) = found(SCALED.format(again=again), "GRD709")
    assert says in one.message


CALLED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
    def predict(self, words):
        return self.embedding(words)
def near(net, words):
    wanted = net.predict(torch.tensor([1]))
    return [(wanted @ net.predict(word)).item() for word in words]
near(Net(), [torch.tensor([2]), torch.tensor([3])])
"""


def test_all_calls_of_a_method_that_records_in_vain_are_pointed_at():
    (one,) = found(CALLED, "GRD401")
    assert [note.place.row for note in one.notes if note.text.startswith("called here")] == [11, 12]


FLAGGED = """
from torch.autograd import Variable
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
def evaluate(loader):
    net.eval()
    total = 0
    for batch in loader:
        batch = Variable(batch, volatile=True)
        if batch.dim() > 2:
            batch = batch.flatten(1)
        total += net(batch).sum().item()
    return total
"""


def test_a_flag_that_does_nothing_points_at_the_forward_that_records():
    (one,) = found(FLAGGED, "GRD115")
    assert any(note.text.endswith("(GRD401)") and note.place.row == 13 for note in one.notes)
    assert found(FLAGGED, "GRD401") == []


@pytest.mark.parametrize("number", [2, MOST_IN_ANY_ORDER - 1, MOST_IN_ANY_ORDER + 4])
@pytest.mark.parametrize(("added", "expected"), [("loss", ["GRD501"]), ("loss.item()", []), ("loss.detach()", [])])
def test_a_network_whose_parts_are_in_no_known_order_computes_from_them(number, added, expected):
    """However many parts there are: behind the bound no more is claimed, and nothing is lost."""
    parts = "".join(f"    net.add_module(names[{at}], nn.Linear(2, 2))\n" for at in range(number))
    text = f"""\
import torch
from torch import nn

def build(names):
    net = nn.Sequential()
{parts}    net.add_module(names[{number}], nn.ReLU(inplace=True))
    return net

def train(names, loader):
    net, total = build(names), 0
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in loader:
        optimizer.zero_grad()
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
        total += {added}
    print(total)
"""
    counts = dict(linter.analyse(text, RULES).counts)
    assert ("bound: parts in any order" in counts) == (number + 1 > MOST_IN_ANY_ORDER)
    assert [one.code for one in linter.lint(text, RULES)] == expected


FILLED = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        return x + self.body(x)

class Net(nn.Module):
    def __init__(self, repeat=6):
        super().__init__()
        layers = [nn.Linear(8, 8)]
        for _ in range(repeat):
            layers += [Block()]
        layers += [Block(), Block(), nn.LayerNorm(8), nn.ReLU(inplace=True), Block()]
        self.parts = nn.Sequential(*layers)

    def forward(self, x):
        return self.parts(x)

def scores(batches):
    net = Net()
    net.eval()
    return [net(batch)ADDED for batch in batches]

print(scores([torch.rand(2, 8) for _ in range(20)]))
"""


@pytest.mark.parametrize(
    ("added", "expected"), [("", ["GRD401"]), (".numpy()", ["GRD401", "GRD615"]), (".detach()", ["GRD401"])]
)
def test_a_network_that_a_loop_fills_computes_from_its_parts(added, expected):
    """Each of its parts behind each other gives more things than are told apart: something is computed all the same."""
    assert [one.code for one in linter.lint(FILLED.replace("ADDED", added), RULES)] == expected


TWO_STEPS = """
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
of_actor = torch.optim.Adam(actor.parameters())
of_critic = torch.optim.Adam(critic.parameters())
for states in torch.rand(9, 8, 4):
    loss = {loss}
    of_critic.zero_grad()
    loss.backward()
    of_critic.step()
    of_actor.zero_grad()
    actor(states).sigmoid().mean().backward()
    of_actor.step()
"""


@pytest.mark.parametrize(
    ("loss", "cure"),
    [
        ("critic(states).mean() + actor(states).mean()", "leave the terms of `actor` out"),
        ("0.5 * critic(states).pow(2).mean() - actor(states).exp().mean()", "leave the terms of `actor` out"),
        ("nn.functional.mse_loss(critic(states)[:, 0], actor(states)[:, 0])", "freeze `actor`"),
        ("(critic(states) * actor(states)).mean()", "freeze `actor`"),
        ("(critic(states) + actor(states)).mean()", "freeze `actor`"),
        ("critic(actor(states).repeat(1, 2)).mean()", "detach what `actor` gives"),
    ],
)
def test_the_cure_of_gradients_that_get_too_far_is_that_of_how_they_get_there(loss: str, cure: str):
    assert [one.help[: len(cure)] for one in found(TWO_STEPS.format(loss=loss), "GRD617")] == [cure]


FACTORIES = """
import zoo
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body, self.norm = nn.Linear(4, width), nn.BatchNorm1d(width)
    def forward(self, x):
        return self.norm(self.body(x))
"""


@pytest.mark.parametrize("count", [1, 12, 13, 60])
def test_many_factories_that_annotations_alone_explain_cost_no_findings(count: int):
    """Each result that an annotation explains would build a network; the last ones are then not known."""
    made = "def loaded(number) -> Net:\n    return zoo.load(number)\n"
    made += "".join(f"def net_{one}():\n    return loaded({one})\n" for one in range(count))
    ending = "net = Net(8)\nnet.eval()\nfor x in zoo.data():\n    print(net(x).argmax(1))\n"
    ending += "counts = torch.tensor([1], requires_grad=True)\n"
    analysis = linter.analyse(f"import torch\nfrom torch import nn\n{FACTORIES}{made}{ending}", RULES)
    assert {"GRD101", "GRD401"} <= {one.code for one in analysis.findings}
    assert ("bound: annotated results" in dict(analysis.counts)) is (count > 12)


IN_TURNS = """
def train(config, keeper, other, judge):
    of_keeper = torch.optim.Adam([{"params": keeper.parameters()}, {"params": other.parameters()}])
    of_judge = torch.optim.Adam(params=judge.parameters(), lr=config["rate"])
    for epoch in range(epochs):
        for _ in range(2):
            for inputs in loader:
                of_keeper.zero_grad()
                of_keeper.step()
                total += first.item() * x.size(0)
        for inputs in loader:
            kept = keeper(x, None)
            loss = criterion(judge(kept, None), fake, faked)
            if loss > 0.15:
                loss.backward()
                of_judge.step()
"""


def test_what_an_iteration_leaves_waits_for_the_next():
    """One iteration of the outer loop tells all that there is to know, so that it is run once."""
    (one,) = found(IN_TURNS, "GRD617")
    assert [note.place.row for note in one.notes if note.text.startswith("these gradients are cleared")] == [10]


def test_a_finding_points_at_all_calls_that_it_speaks_for():
    """What several forwards give leaves their graphs at one place: they are cured together."""
    head = "def count(scores, y):\n    return scores.argmax(1).eq(y).sum().item()\n"
    body = "def evaluate(net, other, x, y):\n    net.eval()\n    a = net(x)\n    b = net(x + 1)\n    c = net(x + 2)\n"
    end = "    return count(a, y) + count(b, y) + count(c, y)\n"
    (one,) = found(head + body + end, "GRD401")
    assert one.place.row == 7
    assert [note.place.row for note in one.notes if note.text == "called here for nothing as well"] == [8, 9]


PENALISED = """
maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
of_judge, of_maker = torch.optim.Adam(judge.parameters()), torch.optim.Adam(maker.parameters())
def penalty(x, fake):
    between = (x + fake) / 2
    slope = torch.autograd.grad(judge(between).sum(), between, create_graph=True)[0]
    return (slope.norm(dim=1) - 1).pow(2).mean()
for x in torch.rand(9, 3, 2):
    fake = maker(x)
    loss = judge(fake).mean() - judge(x).mean() + penalty(x, fake)
    of_judge.zero_grad()
    loss.backward()
    of_judge.step()
    of_maker.zero_grad()
    judge(maker(x)).mean().neg().backward()
    of_maker.step()
"""


def test_all_places_where_a_target_is_handed_over_are_pointed_at():
    (one,) = found(PENALISED, "GRD617")
    assert one.place.row == 12
    assert [note.place.row for note in one.notes if note.text == "called here with it as well"] == [8]


def test_who_asks_for_a_size_is_not_handed_the_graph():
    """Of one of many things that may or may not be tensors, that says no more than numbers."""
    kinds = "(b, b)", "[a]", "(a,)", "(a, b)", "(b, a)", "[a, b]", "[b, b, b]", "{1: a}"
    chosen = "".join(f"{kind} if name == '{n}' else " for n, kind in enumerate(kinds))
    made = "net = nn.Linear(2, 2)\nnet.load_state_dict(torch.load('n.pt'))\n"
    head = f"{made}a, b = net(torch.load('a.pt')), net(torch.load('b.pt'))\nkept = []\n"
    loop = f"for name in sys.argv:\n    kept.append({chosen}a)\n"
    for asked, told in (("size()", 2), ("dim()", 2), ("numel()", 2), ("run()", 0)):
        text = f"import sys\n{head}{loop}print(kept[0].{asked})\nprint(a.argmax(), b.argmax())\n"
        assert len(found(text, "GRD401")) == told
