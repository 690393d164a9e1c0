"""Programs with other files beside them, for tests: on disk or in memory, and what is found in them."""

from __future__ import annotations

from pathlib import Path

from gradlint import linter, texts
from gradlint.project import Project
from gradlint.registry import rules
from gradlint.testing.programs import revealed, spell

RULES = rules()
COUNTS = "import torch\ncounts = torch.tensor([1, 2, 3])\n"
FAULTY = "{}\nx = counts.requires_grad_()\n"
"""Wrong, but only for those who know what `counts` is."""


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def codes(path: Path, project: Project | None = None) -> list[str]:
    text = texts.decode(path.read_bytes())
    view = (project or Project()).at(str(path))
    return [finding.code for finding in linter.lint(text, RULES, project=view)]


def told(text: str, **files: str) -> list[str]:
    """What is known at each `reveal` of a program with these modules beside it."""
    there = tuple((f"{name.replace('__', '/')}.py", content) for name, content in files.items())
    return [spell(thing) for _, thing in sorted(revealed(text, files=there).items())]
