"""Of each law a sample is run by default, and `--cases rest` runs what that leaves out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PLAIN = """
import pytest

@pytest.mark.parametrize("number", range(100))
def test_a_law(number):
    pass

@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(100))
def test_a_costly_law(number):
    pass

@pytest.mark.parametrize("number", range(7))
def test_a_small_law(number):
    pass

def test_a_single_case():
    pass
"""
LAWS = {
    "test_a_law": (100, 30),
    "test_a_costly_law": (100, 3),
    "test_a_small_law": (7, 7),
    "test_a_single_case": (1, 1),
}


def collected(folder: Path, *options: str) -> list[str]:
    (folder / "conftest.py").write_text((Path(__file__).parent / "conftest.py").read_text())
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    sampled(most)\n")
    (folder / "test_laws.py").write_text(PLAIN)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return [line for line in ran.stdout.splitlines() if "::" in line]


def test_the_sample_and_the_rest_are_all_and_no_law_is_left_out(tmp_path: Path) -> None:
    sample, rest, every = (collected(tmp_path, "--cases", asked) for asked in ("sample", "rest", "all"))
    assert sample == collected(tmp_path)
    assert sorted(sample + rest) == sorted(every)
    for law, (cases, most) in LAWS.items():
        names = [name for name in every if f"::{law}" in name]
        assert (len(names), len(set(names) & set(sample))) == (cases, most)
        few = set(names) & set(collected(tmp_path, "--cases", "few"))
        assert few <= set(sample) and len(few) == min(most, 5)


@pytest.mark.parametrize("cases", ["sample", "rest", "all"])
def test_the_parts_are_all_and_each_has_some_of_each_law(tmp_path: Path, cases: str) -> None:
    whole = collected(tmp_path, "--cases", cases)
    parts = [collected(tmp_path, "--cases", cases, "--part", f"{number}/3") for number in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(whole)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for part in parts:
        assert {f"::{law}[" in "".join(part) for law in ("test_a_law", "test_a_costly_law")} == {True}


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "x", "1/x"])
def test_a_part_that_is_none_is_refused(tmp_path: Path, wrong: str) -> None:
    assert collected(tmp_path, "--part", wrong) == []


@pytest.mark.parametrize("asked", ["test_a_costly_law and 1", "test_a_small_law"])
def test_what_is_asked_for_by_name_is_sampled_by_itself(tmp_path: Path, asked: str) -> None:
    assert 0 < len(collected(tmp_path, "-k", asked)) <= 7
