"""Packs of knowledge: every row says where it comes from, and the interpreter knows no library by name."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from gradlint import linter, registry
from gradlint.finding import Confidence

ROOT = Path(__file__).parent.parent
PROGRAMS = [(path, path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tests" / "packs").glob("*.py"))]
RULES, PACKS = registry.rules(), registry.packs()
ROWS = [(pack, path, row) for pack in PACKS.packs for path, row in pack.rows()]
PINS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]["packs"]
WRITTEN = re.compile(r"(?:(?P<version>[\w.=@/-]+) )?(?P<file>[\w./-]+\.py):(?P<name>[A-Za-z_][\w.]*)")


def test_every_library_is_pinned_in_one_place():
    assert {pack.version for pack in PACKS.packs if pack.version} <= set(PINS)


def test_every_test_that_a_row_names_is_there():
    tree = ast.parse((ROOT / "tests" / "test_packs_run.py").read_text(encoding="utf-8"))
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
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
@pytest.mark.parametrize("version", PINS)
def test_every_source_is_there(version):
    folder = folder_of(version)
    if folder is None:
        pytest.skip(f"{version} is not installed")
    missing = []
    for pack, path, row in ROWS:
        written = WRITTEN.fullmatch(row.source) if row.source else None
        if written is None or (written["version"] or pack.version) != version:
            continue
        if written["name"] not in defined(folder / written["file"]):
            missing.append(f"{path}: {row.source}")
    assert missing == []


# ---- what gradlint makes of it


@pytest.mark.parametrize(("path", "text"), PROGRAMS, ids=lambda value: getattr(value, "stem", ""))
def test_nothing_is_reported_in_idiomatic_programs(path, text):
    findings = linter.lint(text, RULES, packs=PACKS, min_confidence=Confidence.POSSIBLE)
    assert [(finding.place.row, finding.code) for finding in findings] == []


@pytest.mark.parametrize(("path", "text"), PROGRAMS, ids=lambda value: getattr(value, "stem", ""))
def test_receivers_are_known_in_programs(path, text):
    """Without the packs the objects of these libraries are unknown, and so is what is read off them."""
    with_packs, without = (dict(linter.analyse(text, (), **how).counts) for how in ({"packs": PACKS}, {}))
    assert with_packs["unknown receivers"] <= without["unknown receivers"]


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
    without_torch = "from flax import nnx\n" + program
    assert linter.lint(without_torch, RULES, packs=PACKS) == ()
    counts = dict(linter.analyse(without_torch, (), packs=PACKS).counts)
    assert counts["unknown receivers"] == 1
    assert dict(linter.analyse("import torch\n" + without_torch, (), packs=PACKS).counts)["unknown receivers"] == 0


# ---- mistakes that are seen through a pack


SEEN = {
    "gradients in evaluation": (
        "GRD401",
        """
        import torch
        from transformers import AutoModelForSequenceClassification

        model = AutoModelForSequenceClassification.from_pretrained("some")
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
    from textwrap import dedent

    assert code in [finding.code for finding in linter.lint(dedent(text), RULES, packs=PACKS)]
