"""Notebooks for tests: what they are made of, how they are linted, and what is told of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gradlint import engine
from gradlint.registry import rules
from gradlint.report import FORMATS
from gradlint.run import Outcome
from gradlint.settings import Request

RULES = rules()
TORCH = "import torch"
FAULT = "w = torch.tensor([1, 2], requires_grad=True)"
PYTHON = {"kernelspec": {"language": "python"}, "language_info": {"name": "python"}}
Cells = Sequence["str | dict[str, Any]"]


def cell(source: Any, kind: str = "code", **more: Any) -> dict[str, Any]:
    fields = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": "a", "metadata": {}, "source": source, **fields, **more}


def notebook(*cells: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    made = [cell(one) if isinstance(one, str) else one for one in cells]
    return {"cells": made, "metadata": PYTHON, "nbformat": 4, "nbformat_minor": 5, **more}


def data(*cells: str | dict[str, Any], **more: Any) -> bytes:
    return json.dumps(notebook(*cells, **more), indent=1).encode()


class Folder:
    """A folder in which one stands."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        monkeypatch.chdir(path)

    def __call__(self, *paths: str, files: dict[str, bytes], **more: Any) -> Outcome:
        """Lint what lies in it."""
        for name, content in files.items():
            (self.path / name).parent.mkdir(exist_ok=True)
            (self.path / name).write_bytes(content)
        return engine.lint(Request(paths=paths, **({"isolated": True} | more)), RULES)


def told(outcome: Outcome) -> list[str]:
    """The findings as `path:row:column CODE`."""
    return [f"{entry.where} {entry.finding.code}" for entry in outcome.entries]


def said(outcome: Outcome, form: str = "concise") -> str:
    return FORMATS[form](outcome.entries, False)
