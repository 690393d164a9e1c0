"""What the README says is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from gradlint import cli, config, pages, registry, texts
from gradlint.finding import Finding, Place
from gradlint.suppression import unsuppressed

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCRIPT = "tests/programs/train_digits.py"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_table_of_families_is_current() -> None:
    ours = [rule for rule in registry.rules() if rule.code.startswith("GRD")]
    assert pages.with_table(README, ours) == README
    counts = re.findall(r"^\| .* \| (\d+) \| GRD", README, re.MULTILINE)
    assert sum(map(int, counts)) == len(ours)


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 200


def test_the_first_command_prints_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert any(block.strip().endswith(f"gradlint {SCRIPT}") for block in _blocks("sh"))
    monkeypatch.chdir(ROOT)
    assert cli.run([SCRIPT, "--isolated", "--output-format", "full", "--color", "never"]) == cli.FOUND
    (shown,) = _blocks("text")
    assert shown in capsys.readouterr().out.replace("tests/programs/", "")


def test_the_configuration_is_one(tmp_path: Path) -> None:
    example = next(block for block in _blocks("toml") if "[tool.gradlint]" in block)
    (tmp_path / "pyproject.toml").write_text(example, encoding="utf-8")
    loaded = config.load(str(tmp_path / "pyproject.toml"))
    keys = tomllib.loads(example)["tool"]["gradlint"]
    assert {key.replace("-", "_") for key in keys} == set(loaded.__slots__) - {"folder", "file", "base", "said"}


def test_the_comments_silence() -> None:
    (text,) = _blocks("python")
    rows = texts.rows(text)
    named = {rule.name: rule.code for rule in registry.rules()} | {rule.code: rule.code for rule in registry.rules()}
    for row, line in enumerate(rows[:-1], 1):
        word = re.findall(r"[a-z]+-[a-z-]+(?=\])|GRD\d{3}", line)[0]
        name = next(name for name, code in named.items() if code == named[word] and "-" in name)
        finding = Finding(named[word], name, "", Place(row, 1, row, 2))
        assert unsuppressed(text, [finding]) == ()
    assert len(unsuppressed(text, [Finding("GRD999", "else", "", Place(1, 1, 1, 2))])) == 1
