"""A rule is begun so that it is found at once and proved only when it is written."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from gradlint import cli, registry, scaffold
from gradlint.proving import prove


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """A folder with a rule pack that has one rule."""
    for folder in ("rules/family", "tests/cases"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "rules/family/first.py").write_text(
        'rule = Rule(\n    "ABC107",\n    "first", "m")\n', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_rule_is_begun(pack, capsys):
    assert cli.run(["new", "rule", "late-step", "--folder", "rules/family"]) == cli.CLEAN
    said = capsys.readouterr().err
    assert "ABC108 late-step is begun" in said
    for path in ("rules/family/late_step.py", "tests/cases/late_step.py"):
        assert f"wrote {path}" in said
        compile((pack / path).read_text(encoding="utf-8"), path, "exec")


def test_what_is_begun_is_a_rule_that_is_not_proved(pack):
    begun = scaffold.begin("late-step", None, "rules/family", "tests/cases", ())
    spec = importlib.util.spec_from_file_location("begun_rule", begun.files[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    registry._complete(module.rule, "a-pack", module)
    pytest.importorskip("torch")
    bad, good = prove([module.rule])
    assert (bad.seen, bad.shown, good.cured) == (False, False, False)


def test_what_is_begun_is_in_good_form(pack):
    begun = scaffold.begin("late-step", "ABC200", "rules/family", "tests/cases", ())
    ruff = (Path(sys.executable).parent / "ruff", "ruff")
    command = next((str(one) for one in ruff if Path(one).exists()), None)
    if command is None:
        pytest.skip("ruff is not installed")
    subprocess.run([command, "format", "--isolated", "--line-length", "120", "--check", *begun.files], check=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Late Step"], "like `late-step`"),
        (["integer-requires-grad"], "there is a rule `integer-requires-grad` already"),
        (["late-step", "--code", "X1"], "`X1` is no code"),
        (["late-step", "--code", "GRD001"], "`GRD001` is no code"),
        (["late-step", "--code", "GRD101"], "GRD101 is taken"),
        (["late-step", "--folder", "tests/cases"], "tests/cases holds no rule"),
        (["late-step", "--code", "ABC110", "--folder", "nowhere"], "there is no folder nowhere"),
        (["first", "--code", "ABC110"], "first.py is there already"),
    ],
)
def test_what_is_in_the_way_is_told(pack, capsys, arguments, words):
    folder = [] if "--folder" in arguments else ["--folder", "rules/family"]
    assert cli.run(["new", "rule", *arguments, *folder]) == cli.WRONG
    assert words in capsys.readouterr().err
    assert not list((pack / "tests/cases").iterdir())
