"""What a runner of tests collects is called, with what its fixtures give."""

from __future__ import annotations

import pytest
from training_events import only

from gradlint import events, linter
from gradlint.disk import InMemory
from gradlint.interpreter.collected_tests import FIXTURES
from gradlint.project import Project


@pytest.mark.parametrize(("line", "tests"), [("import pytest", True), ("from unittest import mock", True), ("", False)])
def test_a_file_that_imports_what_runs_tests_is_told(line, tests):
    assert only(events.ModuleFinished, f"import torch\n{line}\n").tests is tests


COLLECTED = """
import torch
from common import TestCase

def test_alone(): ...
def test_at_random(tmp_path, seed=0, *, capsys): ...
def test_of_conftest(net): ...
def test_inference(net, loader): ...
def score(): ...

class TestNet:
    def test_shape(self, monkeypatch): ...
    @staticmethod
    def test_size(): ...
    def test_of(self, loader): ...

class Tester:
    def test_epoch(self): ...

class TestRun:
    def __init__(self): ...
    def test_phase(self): ...

class Shapes(TestCase):
    def test_batch(self): ...
"""


@pytest.mark.parametrize("folder", ["", "tests/", "tests/unit/"])
def test_a_runner_collects_what_it_has_everything_for(folder):
    """That a function is called `test_...` says nothing: it may be what evaluates on the test set."""
    conftest = f"{folder.partition('/')[0]}/conftest.py"
    files = {f"/here/{folder}test_net.py": COLLECTED, f"/here/{conftest}".replace("//", "/"): "def net(): ..."}
    project = Project(InMemory({**files, "/here/pyproject.toml": ""})).at(f"/here/{folder}test_net.py")
    told: list[events.Event] = []
    linter.analyse(COLLECTED, (), watch=linter.Watch(listen=told.append), project=project)
    (end,) = [event for event in told if isinstance(event, events.ModuleFinished)]
    assert sorted(node.name.value for node in end.collected) == [
        "test_alone", "test_at_random", "test_batch", "test_of_conftest", "test_shape", "test_size",
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(FIXTURES - {"request"}))
def test_fixtures_are_those_of_pytest(request, name):
    """Each is offered by pytest, as `request` is to whoever asks for it."""
    assert request.session._fixturemanager.getfixturedefs(name, request.node)
