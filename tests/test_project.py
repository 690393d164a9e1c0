"""Other files of the project: found where imports find them, never run, never in the way, whatever they hold."""

from __future__ import annotations

import os
from pathlib import Path

import libcst
import pytest
from neighbours import COUNTS, FAULTY, RULES, codes, told, write

from gradlint import engine, linter, settings
from gradlint.disk import LONGEST, InMemory
from gradlint.events import Event
from gradlint.paths import added_to_path
from gradlint.project import Project
from gradlint.reading import read_start
from gradlint.resolving import Resolver, View
from gradlint.testing.programs import MAIN


def test_a_file_that_is_run_in_the_middle_of_an_expression_keeps_what_its_paths_made():
    blocks = "import torch\nif input():\n    n = torch.ones(2)\nelse:\n    n = torch.arange(2)\nclass Block: pass\n"
    table = "from blocks import Block\ntable = {'a': Block, 'b': 1}\nfrom blocks import n\n"
    found = told("from table import table, n\nreveal(table['b'])\nreveal(n)\n", table=table, blocks=blocks)
    assert found == ["1", "Tensor[integer|float, requires_grad=no, leaf=yes]"]


# ---- where files are found


@pytest.mark.parametrize(
    ("importing", "imported", "line"),
    [
        ("train.py", "data.py", "from data import counts"),
        ("train.py", "data.py", "from data import *"),
        ("train.py", "data/__init__.py", "from data import counts"),
        ("train.py", "data/raw.py", "from data.raw import counts"),
        ("train.py", "data/raw.py", "import data.raw\ncounts = data.raw.counts"),
        ("pkg/__init__.py", "pkg/data.py", "from .data import counts"),
        ("pkg/__init__.py", "pkg/data.py", "from . import data\ncounts = data.counts"),
        ("pkg/a/__init__.py", "pkg/data.py", "from ..data import counts"),
        ("pkg/a/train.py", "pkg/data.py", "from ..data import counts"),
        ("pkg/a/train.py", "pkg/data.py", "from pkg.data import counts"),
        ("pkg/train.py", "pkg/data.py", "from data import counts"),
        ("scripts/train.py", "data.py", "from data import counts"),
        ("scripts/deep/train.py", "lib/data.py", "from lib.data import counts"),
        ("tests/test_it.py", "src/pkg/data.py", "from pkg.data import counts"),
        ("loose/train.py", "loose/data.py", "from loose.data import counts"),
        ("loose/train.py", "loose/data.py", "from .data import counts"),
        ("pkg/a/train.py", "pkg/data.py", "from data import counts"),
        ("pkg/a/train.py", "pkg/b/data.py", "from b.data import counts"),
    ],
)
def test_an_import_finds_what_python_would(tmp_path, importing, imported, line):
    packages = {"pkg/__init__.py": "", "pkg/a/__init__.py": "", "src/pkg/__init__.py": "", "pyproject.toml": ""}
    write(tmp_path, packages | {imported: COUNTS, importing: FAULTY.format(line)})
    assert codes(tmp_path / importing) == ["GRD101"]


@pytest.mark.parametrize(
    ("importing", "imported", "line"),
    [
        ("project/train.py", "data.py", "from data import counts"),
        ("project/pkg/train.py", "data.py", "from ...data import counts"),
        ("env/site-packages/pkg/train.py", "env/site-packages/data.py", "from data import counts"),
        ("env/site-packages/pkg/deep/train.py", "env/data.py", "from data import counts"),
        ("project/train.py", "project/random.py", "from random import counts"),
        ("project/train.py", "project/torch/data.py", "from torch.data import counts"),
        ("project/train.py", "project/data.txt", "from data import counts"),
        ("project/train.py", "project/data.py/x.txt", "from data import counts"),
    ],
)
def test_nothing_else_is_looked_at(tmp_path, importing, imported, line):
    packages = ("project/pkg", "env/site-packages/pkg", "env/site-packages/pkg/deep")
    write(tmp_path, {f"{package}/__init__.py": "" for package in packages})
    write(tmp_path, {imported: COUNTS, importing: FAULTY.format(line)})
    assert codes(tmp_path / importing) == []


@pytest.mark.parametrize(
    "added",
    [
        "sys.path.append('lib')",
        "sys.path.append('./lib')",
        "sys.path.append('../lib')",
        "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))",
        "sys.path.extend(['lib', 'other'])",
        "up = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\nsys.path.insert(1, os.path.join(up, 'lib'))",
        "sys.path.append(str(Path(__file__).parent.parent / 'lib'))",
        "sys.path.append(str(Path(__file__).resolve().parents[1] / 'lib'))",
        "sys.path.append(os.path.join(os.getcwd(), 'lib'))",
    ],
)
def test_what_a_file_adds_to_the_path_is_looked_in(tmp_path, added):
    heading = f"import os, sys\nfrom pathlib import Path\n{added}\n"
    for line, found in ((heading, ["GRD101"]), ("", [])):
        write(tmp_path, {"lib/data.py": COUNTS, "scripts/train.py": FAULTY.format(f"{line}from data import counts")})
        write(tmp_path, {"pyproject.toml": "", "other/nothing.py": ""})
        assert codes(tmp_path / "scripts/train.py") == found


@pytest.mark.parametrize(
    "added",
    [
        "sys.path.append('../lib')",
        "sys.path.append('{tmp}/lib')",
        "sys.path.append(os.path.dirname(os.path.dirname(__file__)) + '/lib')",
        "sys.path.append(input())",
        "sys.path.append(os.path.dirname(__file__, 'lib'))",
        "sys.path.append(Path(__file__).parents[1000])",
        "here = there\nthere = here\nsys.path.append(here)",
        "sys.path.append(",
    ],
)
def test_what_it_adds_from_elsewhere_is_not(tmp_path, added):
    """Folders out of the project, and what only running it would tell."""
    files = {"lib/data.py": COUNTS, "project/pyproject.toml": ""}
    heading = f"import os, sys\nfrom pathlib import Path\n{added.format(tmp=tmp_path)}\n"
    write(tmp_path, files | {"project/train.py": FAULTY.format(f"{heading}from data import counts")})
    assert added_to_path(heading, "/project/train.py", ["/project"]) in ((), ("/lib",), (f"{tmp_path}/lib",))
    assert added.endswith("(") or codes(tmp_path / "project/train.py") == []


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.path.append(Path('a')" + " / 'a'" * 3_000 + ")\n",
        "import sys\n" + "x" + ".y" * 3_000 + ".append('a')\nsys.path\n",
        "import sys\nsys.path.append('a')\n" + "x = [1, 2, 3]\n" * 20_000,
    ],
    ids=["deep", "dotted", "long"],
)
def test_what_a_file_adds_is_read_at_one_pass_whatever_it_is(text):
    """The names of the top level are gathered once, and what is nested too deeply adds nothing."""
    assert added_to_path(text, "/project/train.py", ["/project"]) in ((), ("/project/a",))


def test_only_files_of_the_project_are_opened(tmp_path, monkeypatch):
    """Whatever is imported: no name leads out of the folders that are searched."""
    opened: list[str] = []

    def opening(path: str, most: int) -> bytes:
        opened.append(os.path.realpath(path))
        return read_start(path, most)

    monkeypatch.setattr("gradlint.reading.read_start", opening)
    outside = tmp_path / "outside"
    write(outside, {"secret.py": COUNTS, "pkg/__init__.py": COUNTS})
    project = tmp_path / "project"
    write(project, {"data.py": COUNTS, "pyproject.toml": ""})
    (project / "linked.py").symlink_to(outside / "secret.py")
    (project / "folder").symlink_to(outside)
    (project / "pkg").symlink_to(outside / "pkg")
    lines = ["from linked import counts", "from folder.secret import counts", "from pkg import counts", "import numpy"]
    lines += ["from ..outside.secret import counts", "from ....etc import passwd", "import os, outside.secret"]
    for line in lines:
        write(
            project, {"train.py": FAULTY.format(f"counts = 1\n{line}\nfrom data import counts as found\nfound\nlinked")}
        )
        assert codes(project / "train.py") == []
    assert set(opened) == {str(project / "data.py"), str(project / "train.py")}


# ---- what neighbours hold


DREADFUL: dict[str, str | bytes] = {
    "empty": b"",
    "binary": bytes(range(256)),
    "null bytes": "counts = 1\0",
    "no Python": "def counts(:\n",
    "unknown encoding": "# coding: nonsense\ncounts = 1\n",
    "nested too deeply": f"counts = {'(' * 3000}",
    "too long": COUNTS + "#" * LONGEST,
    "endless": "while True:\n    pass\n",
    "raising": "raise SystemExit\n" + COUNTS,
    "importing itself": "from data import *\nfrom data import counts\ncounts = counts\n",
    "recursive": "def counts():\n    return counts()\n\n\ncounts = counts()\n",
    "many statements": "\n".join(f"x{n} = {n}" for n in range(5000)),
}


@pytest.mark.parametrize("text", DREADFUL.values(), ids=DREADFUL)
def test_any_neighbour_is_survived(tmp_path, text):
    own = "import torch\nw = torch.tensor([1], requires_grad=True)\n"
    line = "from data import counts\nfrom data import *\nimport data as d\nd.counts\n" + own
    write(tmp_path, {"data.py": text, "train.py": FAULTY.format(line)})
    assert codes(tmp_path / "train.py") == ["GRD101"]


FOUND_ANYWAY = [("train.py", 4, "GRD701")]
ENGINE = "def step(loss):\n    loss.backward()\n"
LOOP = """\
for _ in range(9):
    net(torch.ones(1, 2)).sum().backward()
    opt.step()
"""
TRAINING = "import torch\nnet = torch.nn.Linear(2, 2); opt = torch.optim.SGD(net.parameters(), lr=0.1)\n" + LOOP
DAMAGED = {
    "a circle of imports": ({"data.py": "from helpers import *\n", "helpers.py": "from data import *\n"}, ""),
    "a circle through the linted file": ({"data.py": f"import train\nfrom train import net\n{COUNTS}"}, ""),
    "no Python": ({"data.py": "import torch\ndef f(:\n"}, "data.py, which cannot be read: 2:7: "),
    "no text": ({"data.py": b"\xff\xfe\x00"}, "data.py, which cannot be read: "),
    "an unknown encoding": ({"data.py": "# coding: nonsense\n"}, "data.py, which cannot be read: 1:1: "),
    "too long": ({"data.py": "#" * (LONGEST + 1)}, "data.py, which cannot be read: it is larger than 0.4 MB"),
    "nested too deeply": ({"data.py": f"x = {'(' * 300}{')' * 300}\n"}, "data.py, which cannot be read: "),
    "a module beside a package of its name": ({"data.py": ENGINE, "data/__init__.py": COUNTS}, ""),
    "a module beside a folder of its name": ({"data.py": COUNTS, "data/more.py": ENGINE}, ""),
    "two files of one module": ({"data.py": COUNTS, "src/data.py": ENGINE}, ""),
    "a module that is gone": ({}, ""),
}


@pytest.mark.parametrize(("files", "why"), DAMAGED.values(), ids=DAMAGED)
def test_nothing_of_the_rest_is_lost_and_the_reason_is_told(tmp_path, files, why):
    """Whatever is the matter with what a file imports, its own mistakes are found, and those of files beside it."""
    text = TRAINING.replace("import torch\n", "import torch; from data import counts; print(counts)\n")
    write(tmp_path, {"pyproject.toml": "", "train.py": text, "other.py": TRAINING, **files})
    outcome = engine.lint(settings.Request(paths=(str(tmp_path),), isolated=True), RULES)
    places = [(Path(one.filename).name, one.finding.place.row, one.finding.code) for one in outcome.entries]
    assert [place for place in places if place[0] == "train.py"] == FOUND_ANYWAY
    assert ("other.py", 4, "GRD701") in places
    told = [line for line in outcome.told if " imports " in line and "train.py: " in line]
    assert len(told) == bool(why)
    assert why in "".join(told)


def test_a_file_may_go_between_two_runs(tmp_path):
    """Each run takes the project as it is."""
    write(tmp_path, {"pyproject.toml": "", "data.py": COUNTS, "train.py": FAULTY.format("from data import counts")})

    def found() -> list[str]:
        return [
            one.finding.code
            for one in engine.lint(settings.Request(paths=(str(tmp_path),), isolated=True), RULES).entries
        ]

    assert found() == ["GRD101"]
    (tmp_path / "data.py").unlink()
    assert found() == []
    write(tmp_path, {"data.py": COUNTS})
    assert found() == ["GRD101"]


def test_neighbours_that_are_no_files_are_survived(tmp_path):
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "there").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nothing.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    names = ("loop", "there", "there.there", "gone", "folder", "pipe")
    lines = "\n".join(f"import {name}\nfrom {name} import counts as _{n}\n_{n}" for n, name in enumerate(names))
    write(tmp_path, {"data.py": COUNTS, "train.py": FAULTY.format(f"{lines}\nfrom data import counts")})
    assert codes(tmp_path / "train.py") == ["GRD101"]


def test_a_closed_neighbour_is_survived(tmp_path, monkeypatch):
    write(tmp_path, {"data.py": COUNTS, "train.py": FAULTY.format("from data import counts")})

    def closed(*args: object, **kwargs: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gradlint.reading.read_start", closed)
    assert codes(tmp_path / "train.py") == []


def test_nothing_is_run(tmp_path):
    mark = f"import pathlib\npathlib.Path({str(tmp_path / 'was_run')!r}).touch()\n"
    write(tmp_path, {"data.py": mark + COUNTS, "pkg/__init__.py": mark, "train.py": FAULTY.format(
        "import pkg\nfrom data import *\nfrom data import counts\npkg.x")})  # fmt: skip
    assert codes(tmp_path / "train.py") == ["GRD101"]
    assert not (tmp_path / "was_run").exists()


# ---- what is told


HELPER = """
import torch
w = torch.tensor([1], requires_grad=True)
def called(f):
    v = torch.tensor([1], requires_grad=True)
    for n in range(3):
        f(v)
    return v
class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.requires_grad = False
"""
USER = """
import torch
from helper import Base, called, w
def f(x):
    torch.tensor([2], requires_grad=True)
class Net(Base):
    pass
called(f)
net = Net()
print(w)
"""


def within(tree: libcst.CSTNode) -> set[int]:
    """All syntax of a tree, by identity."""
    found, todo = {id(tree)}, [tree]
    while todo:
        todo += (children := todo.pop().children)
        found |= {id(child) for child in children}
    return found


def test_events_say_in_which_file_they_happen_and_which_call_leads_there():
    project = Project(InMemory({"helper.py": HELPER}))
    events: list[Event] = []
    found = linter.analyse(USER, RULES, watch=linter.Watch(listen=events.append), project=project.at(MAIN))
    assert [(one.place.row, one.code) for one in found.findings] == [(5, "GRD101")]
    assert [(one.path, one.place.row, one.code) for one in found.elsewhere] == [
        ("helper.py", 5, "GRD101"),
        ("helper.py", 12, "GRD104"),
    ]
    own, other = within(project.program(USER).tree), within(project.program(HELPER).tree)
    told = [*events, *(part for event in events for part in getattr(event, "story", ()))]
    assert {event.file for event in told} == {"", "helper.py"}
    for event in told:
        assert id(event.node) in (other if event.file else own)
        assert bool(event.calls) == bool(event.file)
        assert not event.calls or id(event.calls[0]) in own


def test_a_cycle_through_the_linted_file_ends():
    text = "from b import B\n\n\nclass A:\n    pass\n\n\nreveal(B().x)\nreveal(B().a())\n"
    b = "from main import A\nclass B(A):\n    x = 1\n    def a(self):\n        import main\n        return main.A\n"
    assert told(text, b=b) == ["1", "class A"]


def test_files_that_give_each_other_s_names_in_a_circle_give_nothing():
    assert told("from a import x\nreveal(x)\n", a="from b import x\n", b="from a import x\n") == ["unknown"]


def test_what_a_file_shadows_is_its_own_business():
    text = "from a import *\nreveal(len)\nreveal(nn)\n"
    assert told(text, a="from torch import nn\n\n\ndef len(x):\n    return 1\n") == ["function len", "torch.nn"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = 1\n_b = 2\nc, (d, *e) = x\nf: int = 3\ng += 1\n", "a c d e f g"),
        ("import a.b, c.d as e\nfrom f import g, h as i\n", "a e g i"),
        ("if x:\n    a = 1\nelse:\n    import b\ntry:\n    c = 1\nexcept E:\n    def d(): e = 1\n", "a b c d"),
        ("for a in x:\n    b = 1\nwith x as c:\n    class D:\n        e = 1\n", "a b c D"),
        ("a = [b for b in x]\nc = lambda d: d\nx.e = 1\nx[f] = 2\n", "a c"),
        ("a = b = 1\n__all__ = ['b', '_c']\n", "b _c"),
        ("__all__ = ('b',)\n__all__ += ['c']\n", "b c"),
        ("a = 1\n__all__ = [\n    'b',  # why: x\n    '_c'\n]  # all\n", "b _c"),
        ("a = 1\n__all__ = ['b'] + c\n", "a"),
        ("a = 1\n__all__ = ['b', c]\n", "a"),
        ("a = 1\n__all__ = ['b'] + x.__all__\n", "a"),
        ("a = 1\n__all__ = []\n__all__ += x.__all__\n", "a"),
        ("from .other import *\nb = 1\n", "b o"),
        ("def a(:\n", ""),
    ],
)
def test_the_names_that_a_star_takes(text, names):
    project = Project(
        InMemory({"pkg/__init__.py": "", "pkg/m.py": text, "pkg/other.py": "o = _p = 1\nfrom .m import *\n"})
    )
    assert set(project.at(MAIN).public("pkg.m")) == set(names.split())


BASE = """
from torch import nn

class Base:
    def set_up(self):
        self.model = nn.Linear(2, 2)
"""
DERIVED = """
class Derived(Base):
    def predict(self, x):
        reveal(self.model)
"""


def test_what_inherited_methods_set_is_there():
    """A method that runs on its own finds the attributes that methods of its bases set, in this and in other files."""
    module = ["Module[torch.nn.Linear, mode=train]"]
    assert told(BASE + DERIVED) == module
    assert told("from base import Base\n" + DERIVED, base=BASE) == module


@pytest.mark.parametrize("files", [10, 40])
def test_a_module_that_all_import_is_looked_for_once(tmp_path, files, monkeypatch):
    """What a file leads to costs what there is, not each import of each file: in a package all import all others."""
    names = [f"part{number}" for number in range(files)]
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in names:
        (package / f"{name}.py").write_text("".join(f"from package.{other} import torch\n" for other in names))
    asked = []
    usual = View.find
    monkeypatch.setattr(View, "find", lambda view, module: asked.append(module) or usual(view, module))
    reached = list(Resolver().at(str(package / "part0.py")).reached())
    assert len(reached) == files  # all but itself, and the package
    assert len(asked) == len(set(asked)) <= 2 * files + 1


def test_what_many_folders_have_in_common_is_looked_for_once(tmp_path):
    """A module of the project is searched for once, from whatever folder of it; one of a library not at all."""
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "user.py").write_text("import shared.losses, torch.nn.functional\n")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "losses.py").write_text("")
    project = Resolver()
    for folder in ("one", "two", "three"):
        assert list(project.at(str(tmp_path / folder / "user.py")).reached()) == [str(tmp_path / "shared/losses.py")]
    searched = [query for query in project.queries._answers if query[0] == "find_in"]
    assert sorted(module for _, _, module in searched) == ["shared", "shared.losses"]
