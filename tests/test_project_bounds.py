"""Other files of the project: how much of them is run, and that findings depend on nothing else."""

from __future__ import annotations

import itertools
import os
import random

import one_file
import pytest
from neighbours import COUNTS, FAULTY, RULES, codes, told, write

from gradlint import engine, linter, settings
from gradlint.disk import InMemory, OnDisk
from gradlint.finding import Confidence
from gradlint.interpreter.engine import steps
from gradlint.interpreter.engine.budgets import PURSES, SHORT
from gradlint.interpreter.engine.imports import MOST_FILES
from gradlint.interpreter.engine.steps import HEAP_OF_A_STEP
from gradlint.interpreter.python import functions
from gradlint.project import Project
from gradlint.resolving import Shelf
from gradlint.testing.programs import MAIN

# ---- bounds


@pytest.fixture(autouse=True)
def _short_programs_are_long(monkeypatch):
    """Bound the steps in other files so that programs of a few hundred statements come to them."""
    monkeypatch.setattr(steps, "FEWEST_STEPS_ELSEWHERE", 100)
    monkeypatch.setattr(steps, "FEWEST_STEPS_ELSEWHERE_OF_A_TRAINING", 1_500)
    monkeypatch.setattr(steps, "FEWEST_STEPS_ELSEWHERE_OF_A_SCRIPT", 12_000)


def test_bounds_are_counted():
    files = {f"m{n}.py": f"from m{n + 1} import x\n" for n in range(MOST_FILES + 5)}
    found = linter.analyse("from m0 import x\nx\n", RULES, project=Project(InMemory(files)).at(MAIN))
    assert dict(found.counts)["bound: files of the project"] == 1
    long = {"m.py": "def f(n):\n    if n:\n        f(n - 1)\n" + "    n = n + 1\n" * 300}
    text = "from m import f\n" + "".join(f"f({n})\n" for n in range(1, 10))
    found = linter.analyse(text, RULES, project=Project(InMemory(long)).at(MAIN))
    assert dict(found.counts)["bound: steps in other files"] > 0


LONG = {"own.py": "def {name}(net, n):\n" + "    n = n + 1\n" * 400 + "    {last}\n    return n\n"}
AFTER = """
import torch
from {where} import {name}

net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Dropout(0.5)).eval()
{calls}
for x in torch.rand(8, 2):
    print(net(x).item())
net[0].weight.add_(1)
"""


def after(name: str, last: str, where: str) -> list[tuple[str, Confidence]]:
    files = {path: text.format(name=name, last=last) for path, text in LONG.items()}
    calls = "".join(f"{name}(net, {number})\n" for number in range(20))
    text = AFTER.format(name=name, where=where, calls=calls)
    found = linter.analyse(text, RULES, project=Project(InMemory(files)).at(MAIN))
    assert bool(dict(found.counts).get("bound: steps in other files")) == (where == "own")
    return sorted((one.code, one.confidence) for one in found.findings)


@pytest.mark.parametrize("name", ["noted", "show", "fold"])
def test_a_function_that_is_not_followed_is_believed_as_one_that_nobody_sees(name):
    there = after(name, "n = len(net)", "own")
    assert there == after(name, "", "elsewhere")
    assert {"GRD301", "GRD401"} <= {code for code, _ in there}


@pytest.mark.parametrize("last", ["torch.autograd.Variable(n)", "torch.is_grad_enabled()", "print(n.grad_fn)"])
def test_one_that_only_speaks_of_gradients_changes_nothing(last):
    assert {"GRD301", "GRD401"} <= {code for code, _ in after("fold", last, "own")}


def test_a_file_with_much_work_behind_it_follows_no_other(monkeypatch):
    """It would have to be given up for what they do, with all that is found in it."""
    files = {"own.py": "def noted(net, n):\n    if n:\n        n = n + 1\n    return n\n"}
    text = AFTER.format(name="noted", where="own", calls="noted(net, 1)\n")
    found = [linter.analyse(text, RULES, project=Project(InMemory(files)).at(MAIN))]
    monkeypatch.setattr(functions, "WORK_BEFORE_NO_OTHERS", 0)
    found.append(linter.analyse(text, RULES, project=Project(InMemory(files)).at(MAIN)))
    assert ["bound: steps in other files" in dict(one.counts) for one in found] == [False, True]
    assert [{one.code for one in some.findings} for some in found] == [{"GRD301", "GRD401"}] * 2


CHANGING = ["net.requires_grad_(False)", "net.loss.backward()", "net.optimizer.step()", "torch.func.vjp(net, n)"]


@pytest.mark.parametrize("last", CHANGING)
def test_one_that_changes_things_may_do_anything(last):
    assert "GRD301" not in {code for code, _ in after("fold", last, "own")}


METER = """\
class Meter:
    def __init__(self):
        self.sum, self.count = 0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    def update_by_hand(self, value, n=1):
        if n:
            self.sum += value * n
        self.count += n
"""
TRAINED = """\
import torch
{given}
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
meter = Meter()
for x in torch.rand(8, 2):
    optimizer.zero_grad()
    loss = net(x).sum()
    loss.backward()
    optimizer.step()
    {left}
print(meter.sum / meter.count)
"""


def no_steps(monkeypatch):
    """Let programs begin where long ones end."""
    for bound in ("MOST_STEPS_PER_STATEMENT", "FEWEST_STEPS_OF_ANY", "FEWEST_STEPS_OF_A_SCRIPT"):
        monkeypatch.setattr(steps, bound, 0)
    monkeypatch.setattr(steps, "FEWEST_STEPS_ELSEWHERE_OF_A_SCRIPT", -1_000)


@pytest.mark.parametrize("is_elsewhere", [True, False])
@pytest.mark.parametrize(
    ("left", "expected"),
    [("meter.update(loss, 2)", ["GRD509"]), ("meter.update(loss.item(), 2)", []), ("meter.update_by_hand(loss)", [])],
)
def test_short_functions_are_followed_where_no_steps_are_left(left, expected, is_elsewhere, monkeypatch):
    """What comes last in a long program is told as what comes first, as far as it costs next to nothing."""
    no_steps(monkeypatch)
    project = Project(InMemory({"m.py": METER})).at(MAIN) if is_elsewhere else None
    text = TRAINED.format(given="from m import Meter" if is_elsewhere else METER, left=left)
    found = linter.analyse(text, RULES, project=project)
    assert any(name.startswith("bound: steps") for name, _ in found.counts) == ("by_hand" in left)
    assert [one.code for one in (*found.findings, *found.elsewhere)] == expected


DRAWING = """\
import random
import torch

def drawn(mean, spread=0.1, choose=None):
    BODY

def rounded(action):
    for _ in range(3):
        action = action.round()
    return action.data.numpy()

class Rounding:
    pass
"""
PLAYED = """\
import gym
import torch
{given}
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.5)).eval()
world = gym.make("Cart")
state = world.reset()
for _ in range(100):
    mean = net(torch.as_tensor(state))
    state, reward, done, _ = world.step(drawn(mean))
"""
CUT = [
    "action = torch.normal(mean, spread)\n    action = action.data.numpy()\n    return action",
    "return int(torch.argmax(mean).item()) + len(mean) * random.randint(0, 1)",
    "return [float(one) for one in mean.tolist()]",
]
LEFT_OPEN = [
    "action = torch.normal(mean, spread)\n    return action",
    "return rounded(torch.normal(mean, spread))",
    "return Rounding(mean).data.numpy()",
    "return choose(mean).data.numpy()",
]


@pytest.mark.parametrize("is_elsewhere", [True, False])
@pytest.mark.parametrize("body", [*CUT, *LEFT_OPEN])
def test_short_functions_may_call_what_is_no_part_of_the_program(body, is_elsewhere, monkeypatch):
    """The values that leave a graph in a helper of few lines are told, however long the program has become."""
    no_steps(monkeypatch)
    helper = DRAWING.replace("BODY", body)
    project = Project(InMemory({"m.py": helper})).at(MAIN) if is_elsewhere else None
    text = PLAYED.format(given="from m import drawn" if is_elsewhere else helper)
    found = linter.lint(text, RULES, project=project)
    assert [one.code for one in found if one.code == "GRD401"] == (["GRD401"] if body in CUT else [])


LABELLED = """\
def label(first, second, loader):
    first.eval()
    second.eval()
    found = []
    for x in loader:
        found.append(second(first(x)).data)
    return found

def adapt(first, second, loader, optimizer, other):
    for k in range(30):
        first.train()
        second.train()
        for epoch in range(20):
            for x, y in loader:
                optimizer.zero_grad()
                other.zero_grad()
                loss = (second(first(x)) - y).sum()
                loss.backward()
                optimizer.step()
                other.step()
        labels = label(first, second, loader)
    return labels
"""


@pytest.mark.parametrize("left", range(0, 60, 3))
def test_what_was_called_only_before_steps_ran_out_runs_by_itself(left, monkeypatch):
    """Loops are gone over before they are told of; what they call the first time only was never heard of."""
    for bound in ("MOST_STEPS_PER_STATEMENT", "FEWEST_STEPS_OF_ANY", "FEWEST_STEPS_OF_A_SCRIPT"):
        monkeypatch.setattr(steps, bound, 0)
    monkeypatch.setattr(steps, "FEWEST_STEPS", left)
    assert [finding.code for finding in linter.lint(LABELLED, RULES)] == ["GRD401"]


def test_short_functions_have_a_purse_of_their_own(monkeypatch):
    no_steps(monkeypatch)
    text = "class A:\n    def f(self, n):\n        self.n = n\na = A()\n" + "".join(f"a.f({n})\n" for n in range(3_000))
    counts = dict(linter.analyse(text, RULES).counts)
    assert counts["bound: steps"] > 0
    assert counts["functions run"] <= PURSES[SHORT] + 1


def test_a_step_in_another_file_counts_by_how_much_there_is():
    """What a statement costs grows with the objects that the paths before it made."""
    project = Project(InMemory({"m.py": "import torch\ndef f(n):\n" + "    n = n + torch.ones(1)\n" * 100}))

    def hits(objects: int) -> int:
        made = "".join(f"x{n} = [torch.ones(1)]\n" for n in range(objects))
        text = f"import torch\nfrom m import f\n{made}" + "".join(f"f({n})\n" for n in range(20))
        return dict(linter.analyse(text, RULES, project=project.at(MAIN)).counts).get("bound: steps in other files", 0)

    assert hits(10) == 0
    assert hits(10 * HEAP_OF_A_STEP) > 0


@pytest.mark.parametrize(
    ("head", "told"),
    [("if __name__ == '__main__':", False), ("if __name__ != '__main__':", False), ("if 'main' in __file__:", True)],
)
def test_the_functions_of_a_program_run_more_of_other_files(head, told):
    """What a library defines is mostly run by others, who have steps of their own; what a program does is all there is,
    also where a library of commands calls its functions."""
    project = Project(InMemory({"m.py": "import torch\ndef f(n):\n" + "    n = n + torch.ones(1)\n" * 100}))
    text = f"import command\nfrom m import f\ndef run(n):\n    f(n)\n    f(n + 1)\n{head}\n    command.line(run)\n"
    counts = dict(linter.analyse(text, RULES, project=project.at(MAIN)).counts)
    assert (counts.get("bound: steps in other files", 0) > 0) is told


def test_the_calls_at_the_top_levels_of_other_files_have_one_bound_together():
    """What a file costs grows with its own length, not with what its neighbours do when they are imported."""
    work = "def work():\n" + "    n = 1\n" * 200

    def hits(neighbours: int) -> int:
        files = {f"m{n}.py": f"{work}x = work()\n" for n in range(neighbours)}
        text = "".join(f"from m{n} import x as x{n}\nx{n}\n" for n in range(neighbours))
        found = linter.analyse(text, RULES, project=Project(InMemory(files)).at(MAIN))
        return dict(found.counts).get("bound: steps in other files", 0)

    assert hits(2) == 0
    assert hits(40) > 30


def test_what_imports_each_other_shares_that_bound():
    work = "def work(n):\n" + "    n = n + 1\n" * 200
    files = {f"m{n}.py": f"from m{n + 1} import x\n{work}work(1)\nx\n" for n in range(40)}
    found = linter.analyse("from m0 import x\nx\n", RULES, project=Project(InMemory(files)).at(MAIN))
    assert dict(found.counts)["bound: steps in other files"] > 30


def test_steps_in_other_files_are_not_taken_from_the_own_ones():
    files = {"m.py": "def f():\n" + "    n = 1\n" * 900}
    text = "from m import f\n" + "f()\n" * 5 + "def g():\n    return 1\n\n\nreveal(g())\n"
    assert told(text, m=files["m.py"]) == ["1"]


def test_a_shelf_forgets_what_was_longest_unused():
    made: list[str] = []
    shelf = Shelf[str, str](6, lambda key, thing: len(thing))

    def get(key: str) -> None:
        shelf.get(key, lambda key: made.append(key) or key)  # type: ignore[func-returns-value]

    for key in ("aa", "bb", "aa", "cc", "dd", "aa", "bb", "much too long", "cc"):
        get(key)
    assert made == ["aa", "bb", "cc", "dd", "bb", "much too long", "cc"]
    assert shelf.taken == 2


# ---- the same whatever is linted with it


FAMILY = {
    "pyproject.toml": "",
    "pkg/__init__.py": "from .a import *\nfrom .b import Net\n",
    "pkg/a.py": "import torch\nfrom . import b\ncounts = torch.tensor([1])\n"
    "def ask(t=None):\n    return t.requires_grad_()\ndef net():\n    return b.Net().requires_grad_(True)\n",
    "pkg/b.py": "import torch\nfrom .a import ask, counts\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
    "        return ask(counts)\nask(counts)\ncounts.requires_grad_()\n",
    "pkg/c.py": FAULTY.format("from pkg import counts"),
    "train.py": FAULTY.format("from pkg import Net, counts\nmodel = Net()\nmodel.requires_grad = False\nmodel(1)"),
    "main.py": FAULTY.format("from train import *"),
    "broken.py": "def f(:\n",
}


def found(*paths: str, **options: object) -> list[tuple[str, int, str]]:
    outcome = engine.lint(settings.Request(paths=paths, isolated=True, **options), RULES)  # type: ignore[arg-type]
    assert outcome.problems == ()
    return [(os.path.basename(e.filename), e.finding.place.row, e.finding.code) for e in outcome.entries]


def test_findings_do_not_depend_on_what_else_is_linted(tmp_path):
    write(tmp_path, FAMILY)
    paths = sorted(str(path) for path in tmp_path.rglob("*.py"))
    together = found(str(tmp_path))
    assert [code for _, _, code in together].count("GRD101") >= 4
    alone = set(itertools.chain(*map(found, paths)))
    # What a caller in another file shows is told of either by itself, at the call where the other is not linted.
    assert set(together) <= alone
    assert alone - set(together) == {("b.py", 6, "GRD101"), ("train.py", 4, "GRD101")}
    for seed in range(3):
        random.Random(seed).shuffle(paths)
        assert found(*paths) == together


def test_findings_do_not_depend_on_what_is_remembered(tmp_path):
    write(tmp_path, FAMILY)
    paths = sorted(tmp_path.rglob("*.py"))
    paths.remove(tmp_path / "broken.py")
    usual, forgetful = Project(), Project(room=1)
    expected = [codes(path) for path in paths]
    for _ in range(2):
        assert [codes(path, usual) for path in paths] == expected
        assert [codes(path, forgetful) for path in reversed(paths)] == expected[::-1]


def test_a_text_on_stdin_has_the_neighbours_of_its_name(tmp_path, monkeypatch):
    write(tmp_path, {"data.py": COUNTS, "train.py": "this is what is saved ("})
    text = FAULTY.format("from data import counts").encode()
    assert found("-", stdin=text, stdin_filename=str(tmp_path / "train.py")) == [("train.py", 2, "GRD101")]
    monkeypatch.chdir(tmp_path)
    assert found("-", stdin=text, stdin_filename="train.py") == [("train.py", 2, "GRD101")]
    assert found("-", stdin=text) == []


def test_a_file_on_disk_is_asked_for_once(tmp_path):
    write(tmp_path, {"data.py": COUNTS})
    files = OnDisk()
    assert files.is_file(str(tmp_path / "data.py"))
    (tmp_path / "data.py").unlink()
    assert files.is_file(str(tmp_path / "data.py"))
    assert Project(files).text(str(tmp_path / "data.py")) is None


MISTAKES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(2, 2)

def move(given: torch.Tensor):
    given.to(torch.float32)
    return given
"""


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ("# This file was automatically generated from src/models/net.py.\n", ["GRD607"]),
        ("# generated from net.py; do not edit\n", ["GRD607"]),
        ('"""Generated by a tool from `net.py`."""\n', ["GRD607"]),
        ("# This file was generated from src/models/other_net.py.\n", ["GRD607", "GRD803"]),
        ("# a net\n" * 400 + "# generated from net.py\n", ["GRD607", "GRD803"]),
        ('"""Draws the images generated from net.py."""\n', ["GRD607", "GRD803"]),
        ("", ["GRD607", "GRD803"]),
    ],
)
def test_what_would_raise_is_not_reported_in_the_source_of_a_generated_file(tmp_path, head, shown):
    write(tmp_path, {"pyproject.toml": "", "net.py": MISTAKES, "made.py": f"{head}import torch\n"})
    path = str(tmp_path / "net.py")
    found = one_file.result(MISTAKES.encode(), path, RULES, Confidence.LIKELY, named=True)
    assert sorted(one.code for one in found.findings) == shown
    in_memory = Project(InMemory({"net.py": MISTAKES, "made.py": f"{head}import torch\n"})).at("net.py")
    assert in_memory.is_template() == (shown == ["GRD607"])


# ---- a function that is not followed is read by its text


GIVING = """
import torch


def give(fake, net=None, n=0, kept=None):
    kept = [] if kept is None else kept
{filling}
{body}
"""
GAN = """
import torch
from torch import nn
{imported}
generator, judge = nn.Linear(3, 2), nn.Linear(2, 1)
of_g = torch.optim.SGD(generator.parameters(), lr=0.1)
of_j = torch.optim.SGD(judge.parameters(), lr=0.1)
{calls}
filled = []
for noise in torch.rand(2, 4, 3):
    fake = generator(noise)
    of_g.zero_grad()
    (-judge(fake).mean()).backward()
    of_g.step()
    of_j.zero_grad()
    generator.zero_grad(set_to_none=True)
    loss = judge(give(generator(noise))).mean()
    loss.backward()
    filled.append(generator.weight.grad is not None)
    of_j.step()
"""
CUT_BY_ITS_TEXT = {
    "data": "    return fake.data",
    "detached": "    return [fake.detach()][0]",
    "a name": "    held = fake.detach()\n    held = held * 2\n    return held",
    "rows of data": "    for row in fake.data:\n        kept.append(row[None])\n    return torch.cat(kept)",
    "rows of a list": "    kept += [row.detach() for row in fake]\n    return torch.stack(kept)",
    "an element": "    kept.append(None)\n    kept[0] = fake.detach()\n    return kept[0].clone()",
    "gradients off": "    with torch.no_grad():\n        out = fake + 1\n    return out",
    "on one way": "    if n > 1_000_000:\n        return fake\n    return fake.detach()",
    "an array": "    return torch.from_numpy(fake.detach().numpy() + 1)",
}
LEFT_BY_ITS_TEXT = {
    "plain": "    return fake",
    "a copy": "    held = fake.clone()\n    return held * 2",
    "only logged": "    kept.append(fake.detach().mean())\n    return fake + 1",
    "only shown": "    print(fake.data.mean().item())\n    return fake + 1",
    "beside it": "    with torch.no_grad():\n        top = fake.max()\n    kept.append(top)\n    return fake * 2",
}


def given(body: str, imported: str) -> tuple[list[str], bool]:
    """The codes of GRD617 where a long function of another file gives what a discriminator gets, and whether it is
    followed there."""
    filling = "\n".join(["    n = n + 1"] * 400)
    own = GIVING.format(filling=filling, body=body)
    calls = "".join(f"give(torch.ones(4, 2), n={number})\n" for number in range(20)) if imported else ""
    text = GAN.format(imported=imported or GIVING.format(filling="", body=body), calls=calls)
    found = linter.analyse(text, RULES, project=Project(InMemory({"own.py": own})).at(MAIN))
    codes = [one.code for one in found.findings if one.code == "GRD617"]
    return codes, not dict(found.counts).get("bound: steps in other files")


@pytest.mark.parametrize("body", [*CUT_BY_ITS_TEXT, *LEFT_BY_ITS_TEXT])
def test_what_a_function_that_is_not_followed_gives_is_in_the_graph_by_its_text(body: str) -> None:
    """What the text takes out of the graph is not said to be in it; what it only reads besides is."""
    pytest.importorskip("torch")
    text = (CUT_BY_ITS_TEXT | LEFT_BY_ITS_TEXT)[body]
    names: dict[str, list[bool]] = {}
    exec(GAN.format(imported=GIVING.format(filling="", body=text), calls=""), names)
    assert names["filled"] == [body in LEFT_BY_ITS_TEXT] * 2
    expected = ["GRD617"] * (body in LEFT_BY_ITS_TEXT)
    assert given(text, "from own import give") == (expected, False)
    if body != "on one way":
        assert given(text, "") == (expected, True)
