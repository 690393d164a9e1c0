"""What can be read of a program that Python refuses is linted, as likely at most and without fixes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from cells import FAULT, TORCH, Folder, data, told
from hypothesis import given
from hypothesis import strategies as st

from gradlint.finding import Confidence, Finding, Note, Place
from gradlint.results import as_recovered
from gradlint.texts import readable


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return Folder(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("program", "left"),
    [
        ("x = 1\nprint x\ny = 2\n", "x = 1\npass\ny = 2\n"),
        ("if x:\n\tprint 'a', x  # why\n\ty = 2\n", "if x:\n\tpass\n\ty = 2\n"),
        ("for a in b:\n    a = a.cuda(async=True)\n    f(a)\n", "for a in b:\n    pass\n    f(a)\n"),
        ("print 'a {}'.format(\n    x,\n)\ny = 2\n", "pass\n\npass\ny = 2\n"),
        ("conda install pytorch\nimport torch\n", "pass\nimport torch\n"),
        (
            "def f(\n    x):\n    # later\n\ndef g(x):\n    return x\n",
            "def f(\n    x): pass\n    # later\n\ndef g(x):\n    return x\n",
        ),
        ("def f(x):  # to be done: all\ny = 2\n", "def f(x): pass\ny = 2\n"),
        ("x = (1,\ny = 2\n", "pass\ny = 2\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_refused_row_does_nothing_and_all_others_stay(program: str, left: str, newline: str) -> None:
    assert readable(program.replace("\n", newline)) == left


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("try:\n    x = 1\nexcept A, e:\n    x = 2\n", id="it heads a block"),
        pytest.param("@a b\ndef f(): pass\n", id="it decorates"),
        pytest.param("loss.backward() print\noptimizer.step()\n", id="it speaks of gradients"),
        pytest.param("torch.no_grad(\nx = 1\n", id="it changes the grad mode"),
        pytest.param("print x\n" * 51, id="too many rows"),
        pytest.param("print x\n" + "x = 1\n" * 400_000, id="too much to parse again and again"),
    ],
)
def test_of_a_program_that_would_say_something_else_nothing_is_left(program: str) -> None:
    assert readable(program) is None


WHOLE = f"""{TORCH}
class Net(torch.nn.Module):
    def forward(self, x):  # a comment
        if x.sum() > 0:
            return [x,
                    'a']
        return x
"""


@given(st.integers(0, len(WHOLE)), st.integers(0, 12), st.sampled_from(["", "(", "print x", ":", "'", "\n", "  "]))
def test_what_is_left_is_a_program_of_as_many_rows(at: int, gone: int, put: str) -> None:
    damaged = WHOLE[:at] + put + WHOLE[at + gone :]
    left = readable(damaged)
    if left is not None:
        ast.parse(left)
        assert left.count("\n") == damaged.count("\n")
        same = [(one, other) for one, other in zip(damaged.split("\n"), left.split("\n"), strict=True) if one != other]
        assert all(other.strip() in ("", "pass") or other.endswith(": pass") for _, other in same)


def test_a_program_that_is_one_is_left_as_it_is() -> None:
    assert readable(WHOLE) == WHOLE


REFUSED = ["print x", "x = x.cuda(async=True)"]


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_rest_of_a_file_is_linted(lint: Folder, refused: str, mark: bytes) -> None:
    outcome = lint("a.py", files={"a.py": mark + f"{TORCH}\n{refused}\n{FAULT}\n".encode()})
    assert [one.rpartition(" ")[2] for one in told(outcome)] == ["GRD000", "GRD101"]
    assert told(outcome)[1].startswith("a.py:3:")
    _, found = outcome.entries
    assert found.finding.confidence is Confidence.LIKELY and not found.finding.fixes
    assert found.finding.degrees.weakest is Confidence.LIKELY


@pytest.mark.parametrize("refused", REFUSED)
def test_the_rest_of_a_cell_is_linted(lint: Folder, refused: str) -> None:
    cells = [TORCH, f"{refused}\n{FAULT}", FAULT]
    outcome = lint("a.ipynb", files={"a.ipynb": data(*cells)})
    assert [one.partition(":cell ")[2] for one in told(outcome)][1:] == ["2:2:5 GRD101", "3:1:5 GRD101"]
    confidence = [entry.finding.confidence for entry in outcome.entries]
    assert confidence == [Confidence.CERTAIN, Confidence.LIKELY, Confidence.CERTAIN]


def test_what_is_defined_in_a_broken_cell_is_known_in_others(lint: Folder) -> None:
    cells = [f"{TORCH}\nprint 1\ndef made():\n    return torch.tensor([1, 2])", "made().requires_grad_()"]
    outcome = lint("a.ipynb", files={"a.ipynb": data(*cells)})
    assert [one.rpartition(" ")[2] for one in told(outcome)] == ["GRD000", "GRD101"]


@pytest.mark.parametrize("least", [Confidence.CERTAIN, Confidence.LIKELY])
def test_a_finding_that_rests_on_a_broken_file_is_not_certain(lint: Folder, least: Confidence) -> None:
    files = {"a.py": f"{TORCH}\nprint 1\n{FAULT}\n".encode()}
    outcome = lint("a.py", files=files, min_confidence=least)
    assert [one.rpartition(" ")[2] for one in told(outcome)] == ["GRD000", "GRD101"][: 1 + (least is Confidence.LIKELY)]


@pytest.mark.parametrize(("row", "path", "lowered"), [(2, "", True), (3, "", False), (2, "other.py", False)])
def test_a_finding_with_a_note_at_a_recovered_row_is_not_certain(row: int, path: str, lowered: bool) -> None:
    note = Note(Place(row, 1, row, 5), "made here", path)
    finding = Finding("GRD101", "integer-requires-grad", "raises", Place(9, 1, 9, 2), notes=(note,))
    assert (as_recovered(finding, frozenset({2})) != finding) is lowered
    assert as_recovered(finding, frozenset({9})).confidence is Confidence.LIKELY


@pytest.mark.parametrize(("refused", "expected"), [("", Confidence.CERTAIN), ("print 1", Confidence.LIKELY)])
def test_what_a_broken_file_leads_to_in_another_is_not_certain(
    lint: Folder, refused: str, expected: Confidence
) -> None:
    library = f"{TORCH}\ndef asked(x):\n    return x.requires_grad_()\n"
    script = f"{TORCH}\nfrom library import asked\n{refused}\nasked(torch.tensor([1, 2]))\n"
    outcome = lint("a.py", files={"library.py": library.encode(), "a.py": script.encode()})
    found = [entry.finding for entry in outcome.entries if entry.finding.code == "GRD101"]
    assert [(one.confidence, one.fixes) for one in found] == [(expected, ())]
