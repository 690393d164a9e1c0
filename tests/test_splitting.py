"""A program in several files gives the mistakes of the whole one, at the places they moved to, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Set
from pathlib import Path

import pytest

from gradlint import run
from gradlint.registry import rules
from gradlint.testing.splitting import SCRIPT, WAYS, Split, Way, by_class, by_function, by_role, split

FOLDER = Path(__file__).parent
RULES = rules()
PROGRAMS = sorted((FOLDER / "cases").glob("*.py"))
"""The case files: each has several functions and classes with mistakes in them."""
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
    # Another file gives the optimizer what this class does not register.
    ("unregistered_parameter", by_class),
    ("unregistered_parameter", by_role),
    ("unregistered_submodules", by_class),
    ("unregistered_submodules", by_role),
    # What one file holds by itself decides: its only backward, the optimizers in it, who else reads a buffer.
    ("graph_held_by_buffer", by_class),
    ("graph_held_by_buffer", by_role),
    ("habitual_retain_graph", by_class),
    ("habitual_retain_graph", by_function),
    ("habitual_retain_graph", by_role),
    ("parameters_missing_from_optimizer", by_function),
}
"""Where a program in several files is not yet told as the whole one, with the cause."""
MOST_OTHERWISE = 0.05


def found(folder: Path, parts: Split) -> Set[tuple[object, str]]:
    """What is reported of a program in some files, by the lines of the whole."""
    for name, text in parts.texts.items():
        (folder / f"{name}.py").write_text(text)
    outcome = run.lint(run.Request(paths=(str(folder),), isolated=True), RULES)
    places = [(Path(one.filename).stem, one.finding.place.row, one.finding.code) for one in outcome.entries]
    return {(parts.lines.get((name, row), (name, row)), code) for name, row, code in places}


def whole(text: str) -> Split:
    """A program in one file."""
    return Split({SCRIPT: text}, {(SCRIPT, row): row for row in range(1, len(text.splitlines()) + 1)})


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("path", PROGRAMS[::2], ids=lambda path: path.stem)
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
