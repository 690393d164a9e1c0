"""Subjects of commits: what is wrong with one is told, and where they are read from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import commit_subjects

IDENTITY = ("-c", "user.name=tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false")


@pytest.fixture(autouse=True)
def no_repository_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook of git runs tests with these set."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


def commit(folder: Path, *subjects: str) -> list[str]:
    """Commit with each of these subjects; the hashes."""
    hashes = []
    for subject in subjects:
        for command in (["init", "-q"], [*IDENTITY, "commit", "-q", "--allow-empty", "-m", subject]):
            subprocess.run(["git", *command], cwd=folder, check=True)
        named = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
        hashes.append(named.stdout.strip())
    return hashes


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Say " + "what is done " * 6, "has 82 characters"),
        ("Say what is done.", "full stop"),
        ("say what is done", "capitalised"),
        ("fixup! Say what is done", "capitalised"),
        ("WIP", "capitalised"),
        ("`reveal` tells more", "capitalised"),
        ("", "capitalised"),
        ("What is done", "`What`"),
        ("A row for each operation", "`A`"),
        ("Views are told", "`Views`"),
        ("Added a row", "`Added`"),
        ("Adding a row", "`Adding`"),
        ("Fixes a row", "`Fixes`"),
    ],
)
def test_a_fault_of_a_subject_is_noticed(subject: str, fault: str) -> None:
    (found,) = commit_subjects.faults(subject)
    assert fault in found


@pytest.mark.parametrize(
    "subject", ["Say what is done", "Pass", "Bring rows", "Embed rows", "Focus rows", "Re-export rows"]
)
def test_a_good_subject_has_no_fault(subject: str) -> None:
    assert [*commit_subjects.faults(subject)] == []


def test_what_came_before_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agreed, *_ = commit(tmp_path, "What was", "Say what is", "Ask for it")
    monkeypatch.setattr(commit_subjects, "AGREED", agreed)
    found = commit_subjects.subjects(tmp_path)
    assert found and [line.partition(" ")[2] for line in found] == ["Ask for it", "Say what is"]
    assert commit_subjects.main([str(tmp_path)]) == 0


def test_the_last_ones_are_read_where_the_history_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(tmp_path, "What was", "Say what is", "What is")
    monkeypatch.setattr(commit_subjects, "LAST", 2)
    assert commit_subjects.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.endswith("2 subjects of commits, 1 faults\n")


def test_a_folder_without_a_history_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commit_subjects.main([str(tmp_path)]) == 0
    assert "no history" in capsys.readouterr().out
