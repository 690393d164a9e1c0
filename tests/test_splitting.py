"""A program in several files gives the mistakes of the whole one, at the places they moved to, and nothing else."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Set
from pathlib import Path

import pytest

from gradlint import engine, settings
from gradlint.finding import Confidence, Finding
from gradlint.interpreter.engine import steps
from gradlint.interpreter.engine.budgets import PURSES
from gradlint.registry import rules
from tests.splitting import SCRIPT, WAYS, Split, Way, by_class, by_function, by_role, split

FOLDER = Path(__file__).parent
RULES = rules()
PROGRAMS = sorted((FOLDER / "cases").glob("*.py"))
"""The case files: each has several functions and classes with mistakes in them."""


def lot(path: Path) -> int:
    """A number that a program has by its name, whatever others there are."""
    return hashlib.sha256(path.stem.encode()).digest()[0]


OTHERWISE = {
    # Functions that nobody calls run in the order of their files: whether a gradient that nobody knows is taken off its
    # graph after this backward or before is chance.
    ("create_graph_backward", by_role),
    # A class of another file derives from this one and measures otherwise, or a function there is called with gradients
    # on: callers and subclasses in other files are not seen from here.
    ("detached_loss", by_class),
    ("detached_loss", by_function),
    ("detached_loss", by_role),
    ("forced_grad_mode", by_function),
    ("forced_grad_mode", by_role),
    ("wrong_gradient_count", by_role),
    # The method is told in its file, and what becomes of the loss that it is for in another.
    ("argmax_in_loss", by_role),
    # That a class of another file rings a bell every so many times is not known here.
    ("zero_grad_breaks_accumulation", by_role),
    # What one file holds by itself decides: its only backward, the optimizers in it, whether it has a class whose
    # gradients are numbers, whether it is a file of tests.
    ("mismatched_grad_assignment", by_class),
    ("mismatched_grad_assignment", by_function),
    ("inference_without_no_grad", by_function),
    ("inference_without_no_grad", by_role),
    ("habitual_retain_graph", by_class),
    ("habitual_retain_graph", by_function),
    ("habitual_retain_graph", by_role),
}
"""Where a program in several files is not yet told as the whole one, with the cause."""
MOST_OTHERWISE = 0.05


def found(folder: Path, parts: Split) -> Set[tuple[object, str]]:
    """What is reported of a program in some files, by the lines of the whole."""
    for name, text in parts.texts.items():
        (folder / f"{name}.py").write_text(text)
    outcome = engine.lint(settings.Request(paths=(str(folder),), isolated=True), RULES)
    places = [(Path(one.filename).stem, one.finding.place.row, one.finding.code) for one in outcome.entries]
    return {(parts.lines.get((name, row), (name, row)), code) for name, row, code in places}


def whole(text: str) -> Split:
    """A program in one file."""
    return Split({SCRIPT: text}, {(SCRIPT, row): row for row in range(1, len(text.splitlines()) + 1)})


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_in_several_files_gives_what_the_whole_one_does(path: Path, way: Way, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    parts = split(text, way)
    if parts is None:
        pytest.skip("nothing in it can move that way")
    (tmp_path / "whole").mkdir()
    (tmp_path / "parts").mkdir()
    same = found(tmp_path / "parts", parts) == found(tmp_path / "whole", whole(text))
    assert same is ((path.stem, way) not in OTHERWISE)


def test_few_programs_are_told_otherwise() -> None:
    splits = [(path, way) for path in PROGRAMS for way in WAYS if split(path.read_text(encoding="utf-8"), way)]
    assert len({path for path, _ in splits}) >= 60
    assert {(path.stem, way) for path, way in splits} >= OTHERWISE
    assert len(OTHERWISE) <= MOST_OTHERWISE * len(splits)


SPLITS = [
    (path, way)
    for path in PROGRAMS
    if lot(path) % 5 == 0 and split(path.read_text(encoding="utf-8"), way := WAYS[lot(path) % len(WAYS)])
]
"""Of these the laws on single files take some: one way for each program."""
ELSEWHERE = re.compile(r"\S+\.py:\d+: ")
"""How a message begins of what lies in a file that is not linted."""
NAMED = pytest.mark.parametrize(("path", "way"), SPLITS, ids=[f"{path.stem}-{way.__name__}" for path, way in SPLITS])


@pytest.fixture
def parts(path: Path, way: Way, tmp_path: Path) -> Split:
    """The files of a split program, in a folder that holds a project of their own."""
    parts = split(path.read_text(encoding="utf-8"), way)
    assert parts is not None
    for name, text in {"pyproject.toml": "", **{f"{name}.py": text for name, text in parts.texts.items()}}.items():
        (tmp_path / name).write_text(text)
    return parts


def reported(*paths: Path) -> dict[tuple[str, int, str], Finding]:
    """What is reported in some files, by file, line and code."""
    outcome = engine.lint(settings.Request(paths=tuple(str(path) for path in paths), isolated=True), RULES)
    return {(Path(one.filename).stem, one.finding.place.row, one.finding.code): one.finding for one in outcome.entries}


@pytest.mark.sampled(6)
@NAMED
def test_a_file_alone_says_what_it_does_among_all(path: Path, way: Way, parts: Split, tmp_path: Path) -> None:
    """Whatever the order. What lies in a file that is not linted stands at the call that leads there, and what yields
    to it yields there: only that differs."""
    together = reported(tmp_path)
    files = [tmp_path / f"{name}.py" for name in parts.texts]
    assert reported(*files).keys() == reported(*reversed(files)).keys() == together.keys()
    for file in files:
        alone = reported(file)
        at_calls = {key for key, one in alone.items() if ELSEWHERE.match(one.message)}
        assert {key for key in alone if key not in together} <= at_calls
        lost = {key for key in together if key[0] == file.stem and key not in alone}
        assert {key[:2] for key in lost} <= {key[:2] for key in at_calls}


@pytest.mark.sampled(6)
@NAMED
def test_a_bound_hides_nothing_and_proves_nothing(
    path: Path, way: Way, parts: Split, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where few steps of other files are run: what is reported without these files and with all of them is reported,
    and nothing is certain that is certain on neither side."""
    script = tmp_path / f"{SCRIPT}.py"
    followed = reported(script)
    for bound in ("OF_A_SCRIPT", "OF_A_TRAINING", ""):
        monkeypatch.setattr(steps, f"FEWEST_STEPS_ELSEWHERE_{bound}".rstrip("_"), 0)
    monkeypatch.setattr("gradlint.interpreter.driver.PURSES", dict.fromkeys(PURSES, 5))
    bounded = reported(script)
    for file in tmp_path.glob("*.py"):
        if file != script:
            file.unlink()
    unseen = reported(script)
    assert unseen.keys() & followed.keys() <= bounded.keys()
    certain = [
        {key for key, one in each.items() if one.confidence is Confidence.CERTAIN}
        for each in (bounded, followed, unseen)
    ]
    assert certain[0] <= certain[1] | certain[2]


TEXT = """\
import torch
RATE = 0.1
net = torch.nn.Linear(2, 2)

class Scaled(torch.nn.Module):
    def forward(self, x):
        return scaled(x)

def scaled(x):
    return x * RATE

def step(loss):
    loss.backward()

def of_the_script():
    return net

step(Scaled()(torch.ones(2, requires_grad=True)).sum())
"""


@pytest.mark.parametrize(
    ("way", "moved"),
    [
        (by_class, {"classes": {"Scaled", "scaled"}}),
        (by_function, {"first": {"scaled", "step"}}),
        (by_role, {"networks": {"Scaled"}, "helpers": {"scaled"}, "training": {"step"}}),
    ],
    ids=["class", "function", "role"],
)
def test_what_moves_takes_along_what_it_needs(way: Way, moved: dict[str, Set[str]], tmp_path: Path) -> None:
    """What needs a variable of the script stays; lines are those of the whole, and the program still runs."""
    parts = split(TEXT, way)
    assert parts is not None
    rows = TEXT.splitlines()
    for file, names in moved.items():
        tree = ast.parse(parts.texts[file])
        assert {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)} == names
    assert parts.texts.keys() == {SCRIPT, *moved}
    assert "def of_the_script" in parts.texts[SCRIPT]
    for (file, at), row in parts.lines.items():
        assert parts.texts[file].splitlines()[at - 1] == rows[row - 1]
