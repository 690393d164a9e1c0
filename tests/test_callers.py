"""What other files show of how a function is called: with gradients off only where torch has them off."""

from __future__ import annotations

import pytest
import torch

from gradlint import linter
from gradlint.callers import all_off, any_on, uses
from gradlint.disk import MOST_CALLING, InMemory, OnDisk
from gradlint.finding import Confidence
from gradlint.project import Project
from gradlint.registry import rules

RULES = rules()
OFF = {
    "with": "with torch.no_grad():\n    f()\n",
    "second manager": "with open(__file__), torch.inference_mode():\n    f()\n",
    "set for a block": "with torch.set_grad_enabled(mode=False):\n    f()\n",
    "set for good": "torch.set_grad_enabled(False)\nfor _ in range(2):\n    f()\n",
    "bare decorator": "@torch.no_grad\ndef g():\n    f()\ng()\n",
    "decorator": "@torch.inference_mode()\ndef g():\n    f()\ng()\n",
    "around the caller": "def g():\n    f()\ndef h():\n    g()\nwith torch.no_grad():\n    h()\n",
    "inside an inner function": "@torch.no_grad()\ndef g():\n    def h():\n        f()\n    h()\ng()\n",
    "enabled and disabled": "with torch.enable_grad():\n    with torch.no_grad():\n        f()\n",
    "by one of its name": "class A:\n    def f(self):\n        f()\nwith torch.no_grad():\n    A().f()\n",
}
ON = {
    "plainly": "f()\n",
    "enabled again": "with torch.no_grad():\n    with torch.enable_grad():\n        f()\n",
    "no inference mode": "with torch.inference_mode(False):\n    f()\n",
    "set on": "with torch.set_grad_enabled(True):\n    f()\n",
    "set on again": "torch.set_grad_enabled(False)\nif True:\n    torch.set_grad_enabled(True)\nf()\n",
    "set in one branch": "if len(__file__) > 99:\n    torch.set_grad_enabled(False)\nelse:\n    f()\n",
    "once with and once without": "with torch.no_grad():\n    f()\nf()\n",
    "handed on": "def g(h):\n    h()\nwith torch.no_grad():\n    h = f\ng(h)\n",
    "in a lambda": "with torch.no_grad():\n    g = lambda: f()\ng()\n",
    "one caller with gradients": "def g():\n    f()\nwith torch.no_grad():\n    g()\ng()\n",
    "defined inside": "with torch.no_grad():\n    def g():\n        f()\ng()\n",
    "by one of its name": "class A:\n    def f(self):\n        f()\nA().f()\n",
}


@pytest.mark.parametrize("text", [*OFF.values(), *ON.values()], ids=[*OFF, *ON])
def test_gradients_are_off_at_a_call_only_where_torch_has_them_off(text):
    modes = []
    names = {"torch": torch, "f": lambda: modes.append(torch.is_grad_enabled()), "__file__": __file__}
    before = torch.is_grad_enabled()
    exec(text, names)
    torch.set_grad_enabled(before)
    assert modes
    assert all_off(uses(text), "f") is not any(modes)
    assert all_off(uses(text), "nobody") is None
    assert all_off(uses(f"{text}\n="), "f") is None


AGENT = """import torch
from torch import nn

class Agent:
    def __init__(self):
        self.controller = nn.Linear(3, 2)

    def act(self, observation):
        return self.controller(observation).cpu().numpy()

    def rollout(self, environment):
        for observation in environment:
            print(self.act(torch.tensor(observation)))

def scores(net: nn.Linear):
    return net(torch.ones(1, 3)).numpy()
"""
QUIET = "import torch\nfrom agent import Agent, scores\nwith torch.no_grad():\n    Agent().rollout(e)\n    scores(n)\n"
PLAYER = """import torch
from agent import Agent

class Player:
    def rollout(self, environment):
        with torch.no_grad():
            Agent().rollout(environment)
"""


@pytest.mark.parametrize(
    ("others", "reported"),
    [
        ({}, [9, 16]),
        ({"play.py": QUIET}, []),
        ({"play.py": QUIET, "train.py": "from agent import scores\nscores(n)\n"}, [16]),
        ({"play.py": QUIET, "helper.py": "def run(agent, e):\n    agent.rollout(e)\n"}, [9]),
        ({"play.py": QUIET, "helper.py": "def rollout(agent):\n    pass\n"}, []),
        ({"play.py": QUIET.replace("from agent import", "from elsewhere import")}, [9, 16]),
        ({"play.py": "import agent\n"}, [9, 16]),
        ({"player.py": PLAYER, "play.py": "from player import Player\nPlayer().rollout(e)\n"}, [16]),
        ({"player.py": PLAYER, "play.py": "from agent import Agent\nAgent().rollout(e)\n"}, [9, 16]),
        ({"player.py": PLAYER.replace("no_grad", "enable_grad")}, [9, 16]),
        ({"play.py": QUIET, **{f"f{n}.py": "" for n in range(MOST_CALLING)}}, [9, 16]),
    ],
)
@pytest.mark.parametrize("files", ["in memory", "on disk"])
def test_what_every_shown_caller_switches_off_is_off(tmp_path, files, others, reported):
    texts = {"agent.py": AGENT, "pyproject.toml": "", **others}
    if files == "on disk":
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
    project = Project(OnDisk() if files == "on disk" else InMemory(texts))
    view = project.at(str(tmp_path / "agent.py") if files == "on disk" else "agent.py")
    found = linter.lint(AGENT, RULES, project=view)
    assert [finding.place.row for finding in found if finding.code == "GRD615"] == reported


NO_METHOD = {"handed on", "by one of its name"}
METHODS = {name: text.replace("f()", "thing.f()") for name, text in (OFF | ON).items() if name not in NO_METHOD}
MAKING = {
    "at once": ("", "Thing()"),
    "under a name": ("thing = Thing()\n", "thing"),
    "by a module": ("thing = things.Thing(1)\n", "thing"),
    "as an attribute": ("me.thing = Thing()\n", "me.thing"),
    "by one of two names": ("other = thing = Thing()\n", "thing"),
    "where it may be another's": ("thing = Thing()\nif me:\n    thing = Other()\n", "thing"),
}


@pytest.mark.parametrize("text", METHODS.values(), ids=METHODS)
def test_gradients_are_on_at_the_call_of_a_method_where_torch_has_them_on(text):
    modes = []

    class Thing:
        def f(self):
            modes.append(torch.is_grad_enabled())

    before = torch.is_grad_enabled()
    exec(f"thing = Thing()\n{text}", {"torch": torch, "Thing": Thing, "__file__": __file__})
    torch.set_grad_enabled(before)
    assert modes
    assert any_on(uses(f"thing = Thing()\n{text}"), "Thing", "f") is any(modes)


@pytest.mark.parametrize(("made", "name"), MAKING.values(), ids=MAKING)
def test_a_method_is_that_of_the_class_that_its_object_is_made_of(made, name):
    assert any_on(uses(f"{made}{name}.f()\n"), "Thing", "f")
    assert not any_on(uses(f"{made}{name}.f()\n"), "Thing", "g")
    assert not any_on(uses(f"{made}{name}.f()\n"), "Another", "f")
    assert not any_on(uses(f"{made}other_thing.f()\nf()\n{name}.f\n"), "Thing", "f")


PAINTER = """import torch
from torch import nn
from torchvision.utils import save_image

class Painter:
    def __init__(self, options):
        self.net = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.Linear(32, 16))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=options.lr)
        self.loss = nn.MSELoss().cuda() if options.cuda else nn.MSELoss()
        self.noise = torch.rand(4, 8)

    def fit(self, pictures):
        for number, picture in enumerate(pictures):
            self.net.train()
            self.optimizer.zero_grad()
            self.loss(self.net(torch.rand(4, 8)), picture).backward()
            self.optimizer.step()
            with torch.no_grad():
                self.show(number)

    def show(self, number, fixed=True):
        self.net.eval()
        if fixed:
            drawn = self.net(self.noise)
        else:
            drawn = self.net(torch.rand(4, 8))
        save_image(AFTER, "%d.png" % number)
"""
DRAW = """import torch
from painting import Painter

def main(options, pictures):
    painter = Painter(options)
    painter.fit(pictures)
    LAST

main(OPTIONS, PICTURES)
"""
ANOTHER = "class Board:\n        def show(self, number):\n            pass\n    Board().show(1)"


def shown(after: str, **others: str) -> list[tuple[int, str]]:
    """The rows of `Painter.show` at which a forward records in vain, each with what its notes say of other files."""
    text = PAINTER.replace("AFTER", after)
    view = Project(InMemory({"painting.py": text, **{f"{name}.py": other for name, other in others.items()}}))
    found = linter.lint(text, RULES, project=view.at("painting.py"))
    named = [(one, [note.text for note in one.notes if "another file" in note.text]) for one in found]
    return [(one.place.row, *notes) for one, notes in named if one.code == "GRD401" and one.place.row > 20]


@pytest.mark.parametrize("last", ["painter.show(10)", "for number in range(3):\n        painter.show(number)"])
def test_a_method_that_another_file_calls_with_gradients_on_records_in_vain(last):
    assert shown("drawn.detach()", draw=DRAW.replace("LAST", last)) == [
        (24, "called with gradients enabled in another file")
    ]
    several = DRAW.replace("    painter =", "    painter = Other0() if options.kind == 0 else Other1()\n    painter =")
    kinds = "".join(f"    if options.kind == {kind}:\n        painter = Other{kind}()\n" for kind in range(12))
    several = several.replace("    painter.fit", f"{kinds}    painter.fit")
    assert len(shown("drawn.detach()", draw=several.replace("LAST", last))) == 1


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"draw": DRAW.replace("LAST", "with torch.no_grad():\n        painter.show(10)")},
        {"draw": DRAW.replace("LAST", "pass")},
        {"draw": DRAW.replace("LAST", ANOTHER)},
        {"draw": DRAW.replace("LAST", "painter.show(10)").replace("main(OPT", "with torch.no_grad(): main(OPT")},
        {"draw": DRAW.replace("LAST", "painter.show(10)").replace("def main", "@torch.inference_mode()\ndef main")},
        {"draw": DRAW.replace("LAST", "painter.show(10)").replace("from painting", "from elsewhere")},
    ],
    ids=["alone", "without gradients", "not called", "of another class", "around the caller", "decorated", "not ours"],
)
def test_a_method_that_is_called_without_gradients_wherever_that_is_shown_does_not(others):
    assert shown("drawn.detach()", **others) == []


PLAIN = """import torch
from torch import nn

class Agent:
    def __init__(self, width):
        self.net = nn.Linear(width, 2)
        self.slow = nn.Linear(width, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def loss(self, batch):
        state, reward, after = batch
        SWITCH:
            then = reward + self.slow(after).gather(1, self.best(after)).detach()
        return (then - self.net(state)).pow(2).mean()

    def update(self, batch):
        self.optimizer.zero_grad()
        self.loss(batch).backward()
        self.optimizer.step()

    def best(self, state):
        return self.slow(state).max(dim=1)[1].view(-1, 1)
"""
TWICE = """
class Twice(Agent):
    def best(self, state):
        return CHOSEN
"""
CHOSEN = {
    "alone": "self.net(state).max(dim=1)[1].view(-1, 1)",
    "after the overridden": "super().best(state).minimum(self.net(state).max(dim=1)[1].view(-1, 1))",
}
MIDDLE = "from agent import Agent as Plain\nclass Agent(Plain):\n    def name(self):\n        return 'agent'\n"
TRIES = "from twice import Twice\nTwice(4).best(batch)\n"


def overriding(files: dict[str, str], path: str) -> list[int]:
    """The rows of GRD401 in a file of several, of which no other is linted."""
    found = linter.lint(files[path], RULES, project=Project(InMemory({"pyproject.toml": "", **files})).at(path))
    before = files[path].partition("class Twice")[0].count("\n")
    return [finding.place.row for finding in found if finding.code == "GRD401" and finding.place.row > before]


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("switch", ["with torch.no_grad()", "with torch.inference_mode()", "if True"])
@pytest.mark.parametrize("where", ["one file", "two files", "three files", "tried elsewhere"])
def test_an_override_is_called_as_the_base_class_calls_it(where: str, switch: str, chosen: str) -> None:
    """The modes in which torch runs it are those in which the methods of the base class call it."""
    base, twice = PLAIN.replace("SWITCH", switch), TWICE.replace("CHOSEN", CHOSEN[chosen])
    modes = []
    names = {"spy": lambda: modes.append(torch.is_grad_enabled()), "__name__": "one"}
    exec(base + twice.replace("return", "spy()\n        return"), names)
    names["Twice"](4).update((torch.ones(3, 4), torch.ones(3, 1), torch.ones(3, 4)))
    files = {
        "one file": {"twice.py": base + twice},
        "two files": {"agent.py": base, "twice.py": f"from agent import Agent\n{twice}"},
        "three files": {"agent.py": base, "middle.py": MIDDLE, "twice.py": f"from middle import Agent\n{twice}"},
        "tried elsewhere": {"agent.py": base, "twice.py": f"from agent import Agent\n{twice}", "tries.py": TRIES},
    }[where]
    assert modes == [switch == "if True"]
    assert bool(overriding(files, "twice.py")) == (any(modes) or where == "tried elsewhere")


@pytest.mark.parametrize("other", ["", "helper.py"])
def test_what_no_base_class_calls_may_be_called_with_gradients(other: str) -> None:
    twice = "from agent import Agent\n" + TWICE.replace("best", "worst").replace("CHOSEN", CHOSEN["alone"])
    files = {"agent.py": PLAIN.replace("SWITCH", "with torch.no_grad()"), "twice.py": twice}
    called = {other: "import torch\ndef f(a, x):\n    with torch.no_grad():\n        a.worst(x)\n"} if other else {}
    assert overriding(files | called, "twice.py")


SEARCH = """import torch
from torch import nn

def distance(net, old, x):
    MODE
        return (net(x) - old).pow(2).mean()

def curvature(net, old, x, v):
    first = torch.autograd.grad(distance(net, old, x), net.parameters(), create_graph=True)
    flat = torch.cat([one.reshape(-1) for one in first])
    return torch.autograd.grad(flat @ v, net.parameters())

def search(net, old, x):
    for step in range(3):
        WHERE
            if distance(net, old, x).item() < 0.1:
                break

net, x = nn.Linear(2, 1), torch.ones(4, 2)
old = net(x).detach() + 1
NEEDED
search(net, old, x)
"""
NEEDED = "print(curvature(net, old, x, torch.ones(3)))"


def of_search(mode: str = "if True:", where: str = "if True:", needed: str = NEEDED) -> str:
    return SEARCH.replace("MODE", mode).replace("WHERE", where).replace("NEEDED", needed)


def test_a_helper_that_some_callers_differentiate_is_told_for_the_others() -> None:
    """No mode inside of it is right: torch needs its graph for the one, and does without for the other."""
    off = "with torch.no_grad():"
    exec(of_search(where=off), {})
    with pytest.raises(RuntimeError, match="does not require grad"):
        exec(of_search(mode=off), {})
    (one,) = [found for found in linter.lint(of_search(), RULES) if found.code == "GRD401" and found.place.row == 6]
    assert "some callers never use its graph" in one.message
    assert [note.place.row for note in one.notes if note.text.startswith("called here")] == [16]
    assert not [found for found in linter.lint(of_search(where=off), RULES) if found.place.row == 6]
    text = of_search(needed="")
    alone = text[: text.index("def curvature")] + text[text.index("def search") :]
    (one,) = [found for found in linter.lint(alone, RULES) if found.place.row == 6]
    assert "some callers" not in one.message


PROMPT = """\
import torch

class Prompt(torch.nn.Module):
    def __init__(self, backbone: torch.nn.Module):
        super().__init__()
        self.backbone, self.tokens = backbone, torch.zeros(4, requires_grad=True)
        self.blocks = [torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)]

    def forward(self, x):
        return self.blocks[1](self.blocks[0](self.backbone(x + self.tokens)))
"""
GIVEN = "from prompt import Prompt\nmodel = Prompt(net)\n"
BY_HAND = {
    "both given to an optimizer": (
        "optim.Adam([model.tokens, *(p for block in model.blocks for p in block.parameters())])",
        set(),
    ),
    "one of them": ("optim.Adam([model.tokens])", {"GRD801"}),
    "neither": ("optim.Adam(model.parameters())", {"GRD801", "GRD802"}),
    "those of another class": ("optim.Adam([self.tokens, *self.blocks])", {"GRD801", "GRD802"}),
    "read where nothing is trained": ("print(model.tokens, model.blocks)", {"GRD801", "GRD802"}),
}


@pytest.mark.parametrize(("line", "told"), BY_HAND.values(), ids=BY_HAND)
def test_what_another_file_gives_an_optimizer_by_hand_need_not_be_registered(line: str, told: set[str]) -> None:
    trained = "optim." in line
    files = {"prompt.py": PROMPT, "train.py": f"{'from torch import optim' * trained}\n{GIVEN}{line}\n"}
    found = linter.lint(PROMPT, RULES, project=Project(InMemory(files)).at("prompt.py"))
    likely = {one.code for one in found if one.confidence <= Confidence.LIKELY}
    assert likely & {"GRD801", "GRD802"} == told
