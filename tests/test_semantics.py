"""gradlint and torch agree on all programs that they ever disagreed on, which lie by the feature they ask about."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradlint import linter
from gradlint.disk import InMemory
from gradlint.finding import Confidence
from gradlint.project import Project
from gradlint.registry import rules
from gradlint.testing.programs import MAIN
from tests.fuzz import compare

FOLDER = Path(__file__).parent / "semantics"
PROGRAMS = sorted(FOLDER.glob("*/*.py"))
TODO = "# todo"
HARMFUL = "# harmful: "
"""How a program begins whose unseen code does what a likely fact takes it not to do: those that are certain hold."""


def name(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


@pytest.mark.sampled(20)
@pytest.mark.parametrize("path", PROGRAMS, ids=name)
def test_what_was_mended_stays_so(path: Path) -> None:
    """What is not mended yet (`# todo` in its first line) still disagrees."""
    text = path.read_text(encoding="utf-8")
    confidence = Confidence.CERTAIN if text.startswith(HARMFUL) else Confidence.LIKELY
    found = compare(text, held=True, confidence=confidence).disagreements
    if text.startswith(TODO):
        assert found, "it is mended; take the `todo` away"
    else:
        assert not found


def test_every_program_says_what_it_asks() -> None:
    assert {*FOLDER.rglob("*.py")} == {*PROGRAMS}
    assert not [name(path) for path in PROGRAMS if not path.read_text(encoding="utf-8").startswith(("# ", '"""'))]


def test_an_object_whose_class_takes_assignments_keeps_them_behind_a_bound():
    """Behind a bound less is known, and nothing that is wrong."""
    outputs = """
from dataclasses import dataclass
class Base:
    def __setattr__(self, name, value):
        n = 1
%s        super().__setattr__(name, value)
@dataclass
class Scored(Base):
    loss: object = None
    scores: object = None
""" % ("        n = n + 1\n" * 400)
    text = "import torch\nfrom outputs import Scored\nx = torch.ones(2, requires_grad=True) * 2\n" + "".join(
        f"made{n} = Scored(scores=x + {n})\nreveal(made{n}.scores)\n" for n in range(20)
    )
    files = {"outputs.py": outputs}
    found = linter.analyse(text.replace("reveal", "print"), rules(), project=Project(InMemory(files)).at(MAIN))
    assert dict(found.counts)["bound: steps in other files"] > 0
    assert not compare(text, tuple(files.items())).disagreements
