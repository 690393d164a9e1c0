"""`gradlint coverage`: what counts as known, what does not, what is asked at all, and how it is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gradlint import cli, linter, registry
from gradlint.coverage import of_bytes, own_names
from gradlint.interpreter.engine.recursion import MOST_CALLS_DEEP
from gradlint.interpreter.syntax import receivers

MODEL = """
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)

model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""


def kinds(text: str, *own: str) -> dict[str, str | None]:
    """The kind of each receiver by how it and what it is asked for are written."""
    rows = text.split("\n")
    found = of_bytes(text.encode(), "x.py", own)
    assert not found.problem
    places = [(one.place, one.kind) for one in found.asked]
    return {rows[at.row - 1][at.column - 1 : at.end_column - 1]: kind for at, kind in places}


# ---- what is known


@pytest.mark.parametrize(
    ("line", "asked", "kind"),
    [
        ("torch.ones(2).detach()", "torch.ones(2).detach", "tensor"),
        ("model.eval()", "model.eval", "module"),
        ("model.layer.weight.grad", "model.layer.weight.grad", "tensor"),
        ("model.layer.weight.requires_grad = False", "model.layer.weight.requires_grad", "tensor"),
        ("model.layer.weight.grad += 1", "model.layer.weight.grad", "tensor"),
        ("model.layer.weight.grad is None", "model.layer.weight.grad", "tensor"),
        ("optimizer.step()", "optimizer.step", "optimizer"),
        ("torch.amp.GradScaler('cpu').unscale_(optimizer)", "torch.amp.GradScaler('cpu').unscale_", "scaler"),
        (
            "torch.optim.lr_scheduler.StepLR(optimizer, 1).step()",
            "torch.optim.lr_scheduler.StepLR(optimizer, 1).step",
            "scheduler",
        ),
        ("torch.no_grad()", "torch.no_grad", "library torch"),
        ("{}.data", "{}.data", "container"),
        ("'text'.data", "'text'.data", "constant"),
        ("len.data", "len.data", "library builtins"),
        ("Model.train", "Model.train", "class"),
        ("def f(m: nn.Module): m.train()", "m.train", "module"),
        ("def f(m, x): m.eval(); m(x)", "m.eval", "module"),
        ("class A:\n  def step(self): self.step()", "self.step", "instance"),
    ],
)
def test_known_is_what_has_a_kind(line: str, asked: str, kind: str):
    assert kinds(f"{MODEL}{line}\n")[asked] == kind


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("def f(thing): thing.data", "thing.data"),  # a parameter of which nothing is told
        ("def f(thing): thing.inner.data", "thing.inner.data"),
        ("def f(data, DataLoader): return DataLoader(data.eval())", "data.eval"),  # no module is loaded
        ("def f(network): network.train()", "network.train"),  # the name alone
        ("import other\nx = other.make()\nx.step()", "x.step"),  # unknown code made it
        ("import other\nx = torch.ones(2) if other.flag() else other.make()\nx.data", "x.data"),  # one alternative is
        ("from torch import *\nones(2).grad", "ones(2).grad"),
        ("from torch.optim import *\nSGD.step", "SGD.step"),  # no name of Python's
        ("from .neighbour import thing\nthing.step()", "thing.step"),
        ("from project.neighbour import thing\nthing.step()", "thing.step"),
        ("from other import Base\nclass A(Base):\n  def run(self): self.step()", "self.step"),
        ("def f(m, x): m.eval(); out = m(x); out.to(0)", "out.to"),  # may be a dict of tensors
        ("def f(m, x): m.eval(); out = m(x); out.loss.backward()", "out.loss.backward"),
    ],
)
def test_what_has_no_kind_is_not_known(line: str, asked: str):
    assert kinds(f"{MODEL}{line}\n", "project")[asked] == ""


def test_the_worst_of_all_runs_counts():
    text = "import torch, other\ndef f(x): x.data\nf(torch.ones(2)); f({}); f(torch.ones(2))\n"
    assert kinds(text)["x.data"] in ("tensor", "container")
    assert kinds(text.replace("{}", "other.make()"))["x.data"] == ""


def test_what_is_never_reached_is_told_apart():
    text = "import torch\nx = torch.ones(2)\nif False:\n    x.grad\ndef f():\n    return x\n    x.data\n"
    assert kinds(text) == {"x.grad": None, "x.data": None}


def test_an_attribute_that_another_method_sets_is_known():
    text = f"{MODEL}class A:\n  def use(self): self.model.eval()\n  def make(self): self.model = Model()\n"
    assert kinds(text)["self.model.eval"] == "module"


@pytest.mark.parametrize(
    "text",
    [
        "import torch.utils.data",
        "from torch.utils.data import Dataset",
        "import torch\nx: torch.utils.data.Dataset",
        "import torch\ntorch.utils.data.Dataset",
        "import torch\ntorch.float",
        "import torch\ntorch.cuda.is_available()",
        "x = 1\nx.real",
    ],
)
def test_what_asks_for_nothing_of_autograd_does_not_count(text: str):
    assert kinds(text) == {}


def test_a_fault_in_keeping_the_worst_is_noticed(monkeypatch: pytest.MonkeyPatch):
    def keep_the_last(it, node, owner):
        if node.attr.value in receivers.VOCABULARY:
            it.receivers[node] = receivers.kind_of(it, owner, node.attr.value)

    monkeypatch.setattr(receivers, "note", keep_the_last)
    text = "import torch, other\ndef f(x): x.data\nf(other.make()); f(torch.ones(2))\n"
    assert kinds(text)["x.data"] == "tensor", "so the test of the worst would fail"


# ---- shapes


@pytest.mark.parametrize(
    ("text", "shape", "origin"),
    [
        ("def f(a): a.step()", "NAME.step()", "parameter"),
        ("def f(a: Foo): a.step()", "NAME.step()", "parameter annotated Foo"),
        ("def f(a=None): a.step()", "NAME.step()", "parameter with default None"),
        ("def f(*a): a[0].grad", "NAME[].grad", "*parameter"),
        ("def f(a):\n  for b in a: b.grad = 1", "NAME.grad =", "element of parameter"),
        ("import pkg\nx = pkg.make()\nx.data", "NAME.data", "pkg.make()"),
        ("from pkg import make as m\nx, y = m()\ny.data", "NAME.data", "part of pkg.make()"),
        ("from . import pkg\npkg.y.data", ".pkg.y.data", ""),
        ("class A:\n  def f(self, a): self.a = a\n  def g(self): self.a.step()", "self.NAME.step()", "parameter"),
        ("class A:\n  def g(self): self.a.b.step()", "self.NAME.NAME.step()", "never set in the file"),
        ("def f(a): a.mean().item()", "NAME.mean().item()", "parameter"),
        ("def f(a): (a + 1).item()", "(BinaryOperation).item()", ""),
        ("nobody.item()", "nobody.item()", "not bound in the file"),
    ],
)
def test_shapes_leave_the_names_of_the_program_out(text: str, shape: str, origin: str):
    (one,) = [asked for asked in linter.surveyed(f"{text}\n").asked if asked.shape.endswith(shape[-5:])]
    assert (one.shape, one.origin) == (shape, origin)


# ---- the command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of which all is known and one of which half is."""
    (tmp_path / "known.py").write_text(f"{MODEL}model.eval()\n")
    (tmp_path / "half.py").write_text("import torch\ntorch.ones(2).grad\ndef f(a): a.data\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def gradlint(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs gradlint in that folder; code and streams."""

    def run(*args: str) -> tuple[int, str, str]:
        code = cli.run(args)
        return (code, *capsys.readouterr())

    return run


def test_the_last_line_is_the_figure(gradlint):
    code, out, err = gradlint("coverage", ".")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "known 3 of 4 = 75.0 %"
    assert "half.py: 1 of 2 = 50.0 %" in out and "known.py: 2 of 2 = 100.0 %" in out
    assert re.search(r"^ +1  NAME\.data +parameter$", out, re.MULTILINE)


def test_without_anything_asked_all_is_known(gradlint, here: Path):
    (here / "half.py").unlink()
    (here / "known.py").write_text("")
    assert gradlint("coverage")[1].splitlines()[-1] == "known 0 of 0 = 100.0 %"


def test_json_holds_every_receiver(gradlint):
    code, out, _ = gradlint("coverage", "--output-format", "json")
    found = json.loads(out)
    assert code == 0
    assert (found["total"], found["known"], found["unknown"], found["never_reached"]) == (4, 3, 1, 0)
    assert [file["path"] for file in found["files"]] == ["half.py", "known.py"]
    assert sum(len(file["asked"]) for file in found["files"]) == found["total"]
    assert found["unknown_shapes"] == [{"shape": "NAME.data", "origin": "parameter", "count": 1}]
    assert all({"code", "count", "places"} == set(one) for one in found["undecided"])
    asked = found["files"][0]["asked"][0]
    assert asked == {
        "row": 2, "column": 1, "shape": "torch.ones().grad", "origin": None, "state": "known", "kind": "tensor",
    }  # fmt: skip


def test_shapes_beyond_those_wanted_are_summed(gradlint, here: Path):
    (here / "more.py").write_text("def f(a, b): a.item(); b.data; b.step()\n")
    out = gradlint("coverage", "--shapes", "1")[1]
    assert "     2  NAME.data" in out
    assert "     2  of 2 other shapes" in out


def test_bounds_are_told(gradlint, here: Path):
    (here / "deep.py").write_text("def f(x):\n    return f(x)\nf(1)\n")
    out = gradlint("coverage", "deep.py")[1]
    assert re.search(r"bounds that were hit:\n +\d+  recursion\n", out)


DEEP = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return {forward}

    def slope(self, x):
        return {slope}

    def pass_gradient(self, x):
        return x + (x.clamp(0, 1) - x).detach()

def {first}(model):
    model.eval()
    results = []
    for i in range(3):
        results.append(model(torch.ones(2, 2)))
    print(len(results))

"""
SLOPE = "torch.autograd.grad(self.layer(x).sum(), self.layer.weight, create_graph=True)[0]"


@pytest.mark.parametrize("first", ["go0", "validate"])
@pytest.mark.parametrize(
    ("forward", "slope", "codes"),
    [
        (SLOPE, "x", []),
        ("self.slope(x)", SLOPE, []),
        ("self.slope(x)", "self.slope(self.layer(x))", ["GRD401"]),
        ("self.layer(x)", SLOPE, ["GRD401"]),
        ("self.pass_gradient(self.layer(x))", "x", ["GRD401"]),
        ("self.pass_gradient(self.slope(x))", SLOPE, []),
        ("gradient_of(self.layer(x))", "x", []),
    ],
)
def test_what_a_bound_leaves_out_may_differentiate_where_it_says_so(forward, slope, codes, first):
    """A `forward` that is not followed is no forward without gradients if its text speaks of them, whatever the caller
    is there for; any other is what one of a class that nobody sees is."""
    last = MOST_CALLS_DEEP - 1
    text = DEEP.format(forward=forward, slope=slope, first=first) + f"def go1(model):\n    {first}(model)\n\n"
    text += "".join(f"def go{n}(model):\n    go{n - 1}(model)\n\n" for n in range(2, last + 1))
    found = linter.analyse(f"{text}model = Net()\ngo{last}(model)\n", registry.rules())
    assert dict(found.counts)["bound: depth of calls"]
    assert [finding.code for finding in found.findings] == codes


def test_the_same_files_are_looked_at_as_are_linted(gradlint, here: Path):
    (here / "build").mkdir()
    (here / "build" / "left_out.py").write_text("x.grad\n")
    (here / ".gitignore").write_text("half.py\n")
    out = gradlint("coverage")[1]
    assert "known.py" in out and "left_out" not in out
    (here / "gradlint.toml").write_text('exclude = ["known.py"]\n')
    assert "known.py" not in gradlint("coverage")[1]
    assert "known.py" in gradlint("coverage", "--isolated")[1]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.py", b"def f(:\n", "broken.py: 1:"),
        ("bytes.py", b"\xff = 1\n", "bytes.py: "),
        ("book.ipynb", b"{}", "book.ipynb: 1:1: no notebook"),
        ("gone.py", None, "gone.py: no such file or folder"),
    ],
)
def test_what_cannot_be_looked_at_is_told_and_the_rest_is_looked_at(gradlint, here: Path, name, content, told):
    if content is not None:
        (here / name).write_bytes(content)
    code, out, err = gradlint("coverage", "known.py", name)
    assert code == 2
    assert told in err and "Traceback" not in err
    assert out.splitlines()[-1] == "known 2 of 2 = 100.0 %"


def test_a_fault_of_ours_is_told_in_a_line(gradlint, monkeypatch: pytest.MonkeyPatch):
    def fails(text, weigh, packs, project):
        raise ValueError("planted")

    monkeypatch.setattr(linter, "surveyed", fails)
    code, out, err = gradlint("coverage")
    assert code == 2 and "internal error: ValueError: planted" in err
    assert out.splitlines()[-1] == "known 0 of 0 = 100.0 %"


def test_words_of_torch_show_nothing_where_another_library_has_them(gradlint, here: Path):
    (here / "half.py").write_text("import flax\ndef f(loss): loss.zero_(); loss.backward()\n")
    assert "half.py: 0 of 2" in gradlint("coverage", "half.py")[1]
    (here / "half.py").write_text("import torch\ndef f(loss): loss.zero_(); loss.backward()\n")
    assert "half.py: 2 of 2" in gradlint("coverage", "half.py")[1]


def test_what_lies_beside_a_file_or_in_its_package_is_its_own(tmp_path: Path):
    (tmp_path / "script.py").write_text("")
    assert own_names(str(tmp_path / "script.py")) == {"script"}
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    (inner / "__init__.py").write_text("")
    (tmp_path / "package" / "__init__.py").write_text("")
    assert own_names(str(inner / "module.py")) == {"package"}
