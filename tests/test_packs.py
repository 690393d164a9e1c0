"""Packs of knowledge: every row says where it comes from, and the interpreter knows no library by name."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from textwrap import dedent

import pytest

from gradlint import linter, registry
from gradlint.domain import FRESH, LOST, NONE, USED
from gradlint.engine import lint
from gradlint.events import BackwardRun, GradientsCleared, OptimizerStepped
from gradlint.finding import Confidence
from gradlint.knowledge.pack_index import NO_PACKS
from gradlint.settings import Request
from gradlint.testing.programs import Program, disagreeing, misstated

ROOT = Path(__file__).parent.parent
PROGRAMS = [(path, path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tests" / "packs").glob("*.py"))]
OF_LIBRARIES = [(path, text) for path, text in PROGRAMS if not path.stem.startswith("lookalike")]
"""What only looks like torch is mistaken without the packs."""
RULES, PACKS = registry.rules(), registry.packs()
ROWS = [(pack, path, row) for pack in PACKS.packs for path, row in pack.rows()]
PINS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]["packs"]


def version_of(pack, row):
    """What was read or run for a row."""
    return row.source.rpartition(" ")[0] or pack.version


VERSIONS = sorted({version_of(pack, row) for pack, _, row in ROWS})


def test_what_is_run_is_pinned():
    assert {pack.version for pack, _, row in ROWS if row.test} == set(PINS)


def test_every_test_that_a_row_names_is_there():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").glob("test_packs_run*.py")]
    there = {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}
    named = {row.test for _, _, row in ROWS if row.test}
    assert named <= there


def folder_of(version: str) -> Path | None:
    """Where a library is installed in this version."""
    name, _, number = version.partition("==")
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None
    return Path(str(found.locate_file(""))) if found.version.partition("+")[0] == number else None


def defined(path: Path) -> set[str]:
    """The classes and functions of a file, those in classes with the name of their class."""
    names: set[str] = set()
    todo = [(ast.parse(path.read_text(encoding="utf-8")), "")]
    while todo:
        node, prefix = todo.pop()
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.FunctionDef | ast.ClassDef):
                names.add(prefix + inner.name)
            todo.append((inner, f"{prefix}{inner.name}." if isinstance(inner, ast.ClassDef) else prefix))
    return names


@pytest.mark.packs
@pytest.mark.parametrize("version", VERSIONS)
def test_every_source_is_there(version):
    folder = folder_of(version)
    if folder is None:
        pytest.skip(f"{version} is not installed")
    missing = []
    for pack, path, row in ROWS:
        if row.source and version_of(pack, row) == version:
            file, _, name = row.source.rpartition(" ")[2].partition(":")
            if name not in defined(folder / file):
                missing.append(f"{path}: {row.source}")
    assert missing == []


# ---- what gradlint makes of it


@pytest.mark.parametrize(("path", "text"), PROGRAMS, ids=lambda value: getattr(value, "stem", ""))
def test_programs_are_understood(path, text):
    assert list(misstated(Program(path, text), PACKS)) == []


@pytest.mark.packs
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("path", "text"), PROGRAMS, ids=lambda value: getattr(value, "stem", ""))
def test_programs_agree_with_torch(path, text):
    imported = {name.partition(".")[0] for name in re.findall(r"^(?:from|import) ([\w.]+)", text, re.MULTILINE)}
    for name in sorted(imported):
        pytest.importorskip(name, exc_type=ImportError)
    assert list(disagreeing(Program(path, text), PACKS)) == []


@pytest.mark.parametrize(("path", "text"), PROGRAMS, ids=lambda value: getattr(value, "stem", ""))
def test_nothing_is_reported_in_idiomatic_programs(path, text):
    findings = linter.lint(text, RULES, packs=PACKS, min_confidence=Confidence.POSSIBLE)
    assert [(finding.place.row, finding.code) for finding in findings] == []


def unknown(text, packs):
    return sum(not one.kind for one in linter.surveyed(text, packs=packs).asked)


@pytest.mark.parametrize(("path", "text"), OF_LIBRARIES, ids=lambda value: getattr(value, "stem", ""))
def test_receivers_are_known_in_programs(path, text):
    """Without the packs the objects of these libraries are unknown."""
    assert unknown(text, PACKS) <= unknown(text, NO_PACKS)


def test_an_operation_of_a_library_may_be_given_no_tensors():
    text = 'from einops import einsum\nimport torch\n\neinsum()\neinsum("a b -> b a")\nx = einsum(*[], "a")\n'
    assert linter.lint(text, RULES, packs=PACKS) == ()


def test_the_interpreter_knows_no_library():
    roots = {root for pack in PACKS.packs for root in pack.roots}
    told = []
    for path in sorted((ROOT / "gradlint" / "interpreter").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = {word.partition(".")[0] for word in re.findall(r"[\w.]+", node.value)}
                told += [f"{path.name}:{node.lineno}: {word}" for word in words & roots]
    assert told == []


def test_a_look_alike_is_told_from_torch_by_what_is_imported():
    program = "def f(model, x):\n    model.eval()\n    return model(x)\n"
    without_torch = "from flax import nnx\nimport wandb\n" + program
    assert linter.lint(without_torch, RULES, packs=PACKS) == ()
    assert unknown(without_torch, PACKS) == 1
    assert unknown("import torch\n" + without_torch, PACKS) == 0


# ---- mistakes that are seen through a pack


SHOWN = """
import torch
from torch import nn
{imported}

actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
first, second = torch.optim.SGD(actor.parameters(), 0.1), torch.optim.SGD(critic.parameters(), 0.1)
for step in range(10):
    taken = actor(torch.randn(5, 3))
    worth = critic(taken).pow(2)
    {shown}
    first.zero_grad()
    second.zero_grad()
    critic(torch.ones(5, 2)).pow(2).mean().backward()
    second.step()
    worth.mean().backward()
    first.step()
"""
"""A step between forward and backward (GRD305), with something shown before."""


@pytest.mark.parametrize(
    ("imported", "shown", "kept"),
    [
        ("from torch.utils.tensorboard import SummaryWriter as W", "W('runs').add_scalar('worth', worth.mean(), 0)", 0),
        ("from tensorboardX import SummaryWriter as W", "W().add_histogram('worth', values=worth)", 0),
        ("import wandb", "wandb.log({'worth': worth.mean(), 'shown': wandb.Histogram(worth)})", 0),
        ("import wandb", "wandb.init().log({'taken': [taken]}, step=step)", 0),
        ("import mlflow", "mlflow.log_metrics({'worth': worth.mean()})", 0),
        ("from torchvision.utils import make_grid, save_image", "save_image(make_grid(taken), 'taken.png')", 0),
        ("from torchvision.transforms import ToPILImage", "print(ToPILImage()(worth).size)", 0),
        ("from torchvision.transforms import functional as F", "F.to_pil_image(worth).resize((3, 3)).show()", 0),
        ("from matplotlib import pyplot as plt", "plt.plot(worth)", 0),
        ("from tqdm import tqdm", "tqdm(range(3)).set_postfix(worth=worth)", 0),
        ("from torch.utils.tensorboard import SummaryWriter as W", "W().add_graph(critic, worth)", 1),
        ("import wandb", "wandb.watch(critic); wandb.Table(worth)", 1),
        ("from elsewhere import save_image", "save_image(worth)", 1),
    ],
)
def test_what_is_shown_is_not_differentiated(imported, shown, kept):
    """Loggers read numbers; a graph that other code holds may be differentiated there."""
    found = linter.lint(SHOWN.format(imported=imported, shown=shown), RULES, packs=PACKS)
    assert ["GRD305"] * (not kept) == [finding.code for finding in found if finding.code == "GRD305"]


SEEN = {
    "gradients in evaluation": (
        "GRD401",
        """
        import torch
        from transformers import AutoModelForSequenceClassification

        model = AutoModelForSequenceClassification.from_pretrained("some")
        for _ in range(3):
            logits = model(torch.ones(1, 3)).logits
            print(logits.argmax())
        """,
    ),
    "a module's flag": (
        "GRD104",
        """
        from torchvision import models

        model = models.resnet18()
        model.requires_grad = False
        """,
    ),
    "the flag of a part": (
        "GRD104",
        """
        from torchvision import models

        model = models.resnet18()
        for parameter in model.parameters():
            parameter.requires_grad = False
        model.fc.requires_grad = True
        """,
    ),
    "a flag in a lightning module": (
        "GRD104",
        """
        import lightning as L
        from torch import nn

        class Net(L.LightningModule):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Linear(2, 2)
                self.encoder.requires_grad = False
        """,
    ),
}


@pytest.mark.parametrize(("code", "text"), SEEN.values(), ids=list(SEEN))
def test_mistakes_are_seen_through_packs(code, text):
    assert code in [finding.code for finding in linter.lint(dedent(text), RULES, packs=PACKS)]


BESIDE = """\
import torch
from torch import nn
from torchvision.models import resnet18

beside, net = resnet18(num_classes=8), nn.Linear(8, 8)
{before}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in batches:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss({given})
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("given", "before", "expected"),
    [
        ("net(beside(x)), y", "", ["GRD721"]),
        ("net(beside(x)), y", "beside.requires_grad_(False)", []),
        ("net(x), beside(x)", "beside.load_state_dict(torch.load('w.pt'))", ["GRD617"]),
        ("net(x), beside(x).detach()", "beside.load_state_dict(torch.load('w.pt'))\nbeside.eval()", ["GRD401"]),
    ],
)
def test_a_network_of_a_library_is_one_module(given, before, expected):
    """What is told of a network that one call makes is told of the whole by its name, and not of its first layer."""
    found = linter.lint(BESIDE.format(given=given, before=before), RULES, packs=PACKS)
    assert [one.code for one in found] == expected
    assert all("`beside`" in one.message for one in found)


# ---- what a project tells of its own


def test_wrappers_are_configured(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.gradlint]\nknown-modules = ["mine.nets.*"]\nno-grad-wrappers = ["mine.quiet"]\n'
        'backward-wrappers = ["mine.differentiate"]\n'
    )
    (tmp_path / "train.py").write_text(
        "import mine\nfrom mine.nets import Net\n\nnet = Net()\nnet.requires_grad = False\n"
        "net.eval()\n\n\n@mine.quiet\ndef score(x):\n    print(net(x))\n\n\n"
        "def check(x):\n    with mine.quiet():\n        print(net(x))\n\n\nscore(1)\ncheck(1)\n"
        "for x in range(3):\n    print(net(x))\n"
    )
    monkeypatch.chdir(tmp_path)
    found = lint(Request(), RULES, PACKS)
    assert [(entry.finding.place.row, entry.finding.code) for entry in found.entries] == [(5, "GRD104"), (22, "GRD401")]


# ---- packs of others

PACK = """
from gradlint.knowledge.packs import Argument, Backward, Block, Call, LibraryClass, New, Pack

pack = Pack(
    library="runners",
    version="runners==1.0",
    roots=("runners",),
    classes=(
        LibraryClass(("runners.Net",), kind="module", own=True, source="runners/nets.py:Net"),
        LibraryClass(
            ("runners.Runner",),
            source="runners/run.py:Runner",
            members=(Call("backward", ("loss",), does=(Backward("loss"),), source="runners/run.py:Runner.backward"),),
        ),
    ),
    functions=(Call("runners.load", gives=New("runners.Net", mode="eval"), source="runners/load.py:load"),),
)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution with this pack."""
    folder = tmp_path / "lib" / "site-packages"
    info = folder / "planted_knowledge-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted-knowledge\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gradlint.knowledge]\nrunners = planted_knowledge\n")
    monkeypatch.syspath_prepend(str(folder))
    yield lambda text: (folder / "planted_knowledge.py").write_text(text)
    sys.modules.pop("planted_knowledge", None)


def test_a_pack_of_others_is_used(install):
    install(PACK)
    program = (
        "import runners\nnet = runners.load()\nnet.requires_grad = False\n"
        "for x in range(3):\n    print(net(x).argmax())\n"
    )
    found = linter.lint(program, RULES, packs=registry.packs())
    assert [(finding.place.row, finding.code) for finding in found] == [(3, "GRD104"), (5, "GRD401")]
    unswitched = program.replace("net.requires_grad = False\n", "")  # which shows by itself that it is a module
    assert [finding.code for finding in linter.lint(unswitched, RULES, packs=registry.packs())] == ["GRD401"]
    assert linter.lint(unswitched, RULES) == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pack = Pack(", "pack = pack(", "planted_knowledge: cannot be imported (UnboundLocalError|NameError"),
        (', source="runners/load.py:load"', "", "runners.load: says not where it comes from; give a `source`"),
        ("runners/load.py:load", "load", "runners.load: `load` is no source; name what was read"),
        ('("loss",), does', "(), does", "runners.Runner.backward: `loss` is no parameter; add `loss` to `parameters`"),
        ('New("runners.Net"', 'New("runners.Nets"', "runners.load: no pack has a class runners.Nets; give it a row"),
        ('("runners.Runner",)', '("run.Runner",)', "run.Runner: run.Runner is outside runners; add its top-level"),
        ("own=True", 'bases=("runners.Base",)', "runners.Net: no pack has the base runners.Base; give it a row"),
    ],
)
def test_a_broken_pack_is_named_with_its_cure(install, old, new, words):
    assert PACK.count(old) == 1
    install(PACK.replace(old, new))
    with pytest.raises(registry.BrokenPack) as caught:
        registry.packs()
    assert str(caught.value).startswith("knowledge pack of planted-knowledge: planted_knowledge: ")
    assert any(word in str(caught.value) for word in words.removeprefix("planted_knowledge: ").split("|"))


# ---- what is told while a program runs


def heard(text, kind):
    """The events of a kind in a program."""
    events = []
    linter.analyse(dedent(text), (), packs=PACKS, watch=linter.Watch(listen=lambda event: events.append(event)))
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("prepare", "left"),
    [("", NONE), ("optimizer = Accelerator().prepare(optimizer)", NONE | FRESH | USED | LOST)],
)
def test_a_prepared_optimizer_may_not_have_cleared(prepare, left):
    program = f"""
        import torch
        from accelerate import Accelerator

        weight = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([weight])
        {prepare}
        weight.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        optimizer.step()
    """
    assert heard(program, OptimizerStepped)[-1].grad is left


STEPPING = """
    import lightning as L
    from torch import nn

    class Net(L.LightningModule):
        {flag}

        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 1)
            {setting}

        def training_step(self, batch, index):
            loss = self.layer(batch).sum()
            return {returned}
"""


@pytest.mark.parametrize(
    ("flag", "setting", "returned", "count"),
    [
        ("", "", "loss", 1),
        ("", "", '{"loss": loss, "log": 1}', 1),
        ("", "self.automatic_optimization = True", "loss", 1),
        ("", "self.automatic_optimization = False", "loss", 0),
        ("automatic_optimization = False", "", "loss", 0),
        ("", "", "None", 0),
    ],
)
def test_lightning_differentiates_what_a_training_step_returns(flag, setting, returned, count):
    program = STEPPING.format(flag=flag or "pass", setting=setting or "pass", returned=returned)
    assert len(heard(program, BackwardRun)) == count


def test_an_engine_steps_and_clears_by_itself():
    program = """
        import deepspeed
        from torch import nn

        net = nn.Linear(2, 1)
        engine, *_ = deepspeed.initialize(model=net)
        engine.backward(engine(1).sum())
        engine.step()
    """
    (stepped,), (cleared,) = heard(program, OptimizerStepped), heard(program, GradientsCleared)
    assert len(stepped.optimizer.groups) == len(cleared.parameters) == 2
