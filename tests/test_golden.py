"""What is compared between two trees is all there is, and a difference is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradlint import registry
from tests import golden


def test_every_example_of_every_rule_is_an_input() -> None:
    names = [name for name, _ in golden.examples(golden.ROOT / "rules")]
    ours = [rule for rule in registry.rules() if rule.code.startswith("GRD")]
    assert len(names) == len(set(names)) >= sum(len(rule.evidence) for rule in ours)


def test_inputs_are_gathered_with_their_folders(tmp_path: Path) -> None:
    (tmp_path / "more/inner").mkdir(parents=True)
    (tmp_path / "more/inner/a.py").write_text("x = 1\n")
    (tmp_path / "into").mkdir()
    names = golden.gather(tmp_path / "into", [tmp_path / "more"])
    assert "0_more/inner/a.py" in names and any(name.startswith("examples/") for name in names)


@pytest.mark.parametrize(("before", "after", "differing"), [("a\nb\n", "a\nb\n", 0), ("a\nb\n", "a\nc\n", 1)])
def test_what_differs_is_told(
    before: str, after: str, differing: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("before", before), ("after", after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.py").write_text(text)
    assert golden.compared(["x.py"], tmp_path / "before", tmp_path / "after") == differing
    told = capsys.readouterr().out
    assert ("-b" in told and "+c" in told) == bool(differing)
    assert told.endswith(f"{differing} of 1 inputs differ\n")
