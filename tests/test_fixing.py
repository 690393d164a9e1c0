"""Files are fixed until nothing changes any more, each fix holds what it promises, and nothing of a file is lost."""

from __future__ import annotations

import ast
import dataclasses
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import one_file
import pytest

from gradlint import engine, mending, reading, settings, texts, writing
from gradlint.changes import Wanted
from gradlint.events import Called
from gradlint.finding import SAFE, UNSAFE, Confidence
from gradlint.fixing import Fixer
from gradlint.proving import examples
from gradlint.registry import packs, rules
from gradlint.results import Result
from gradlint.rule import Edit, Rule

RULES, PACKS = rules(), packs()
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
EXAMPLES = [
    (f"{rule.code} {one.example.__name__}", examples.read(rule, one).text)
    for rule in RULES
    for one in rule.evidence
    if one.cures is None
]
TEXTS = [*((path.name, path.read_text()) for path in CASES), *EXAMPLES]
ALL = Wanted(frozenset(rule.code for rule in RULES), (SAFE, UNSAFE))
MISTAKE, CURED = (
    "torch.tensor([1, 2], requires_grad=True)",
    "torch.tensor([1, 2], requires_grad=True, dtype=torch.float32)",
)


def linting(chosen=RULES, least=Confidence.POSSIBLE) -> Callable[[bytes], Result]:
    return lambda data: one_file.result(data, "a.py", chosen, least, PACKS)


def counted(data: bytes) -> Counter[str]:
    return Counter(finding.code for finding in linting()(data).findings)


# ---- what becomes of a text


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("name", "text"), TEXTS, ids=[name for name, _ in TEXTS])
def test_what_is_fixed_stays_fixed_and_brings_nothing(name: str, text: str) -> None:
    data = text.encode()
    after, cured = Fixer(linting(), ALL).fixed(data)
    ast.parse(after)
    assert counted(after) <= counted(data) - Counter(one.code for one in cured)
    assert (after == data) == (not cured)
    assert Fixer(linting(), ALL).fixed(after) == (after, ())


ENCODINGS = [("utf-8", ""), ("utf-8", texts.BOM), ("latin-1", ""), ("utf-7", ""), ("shift_jis", "")]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("encoding", "mark"), ENCODINGS)
def test_no_byte_of_a_file_is_lost(encoding: str, mark: str, newline: str) -> None:
    rows = [
        f"# coding: {encoding}",
        "import torch",
        "",
        f"w = {MISTAKE}  # {'ä' if encoding != 'shift_jis' else 'あ'}",
        "if w is None:",
        "\tpass",
        "    ",
        "",
    ]
    text = mark + newline.join(rows)
    data = text.encode(encoding)
    after, cured = Fixer(linting(), ALL).fixed(data)
    assert [one.code for one in cured] == ["GRD101"]
    assert after == text.replace(MISTAKE, CURED).encode(encoding)


def planted(edit: Callable[[object], Edit], code: str = "ABC101") -> Rule:
    """A rule that reports each `clone` and offers this edit."""
    rule = Rule(code, code.lower(), "message", effect="no effect")

    @rule.on(Called, "torch.Tensor.clone")
    def check(event):
        yield rule.at(event.node).fix(edit(event.node), safety="safe")

    return rule


TEXT = b"import torch\nx = torch.ones(3)\nx.clone()\n"


@pytest.mark.parametrize(
    "edit",
    [
        lambda node: Edit("replace", node, "x.clone().clone()"),  # leaves it, and brings another
        lambda node: Edit("replace", node, "x.clone(  )"),  # leaves it
        lambda node: Edit("replace", node, "x.("),  # is no Python
        lambda node: Edit("replace", node, "x.clone()"),  # is nothing
        lambda node: Edit("replace", node, "x + '\ud800'"),  # is no text
        lambda node: Edit("replace", node, "torch.tensor([1], requires_grad=True)"),  # brings another mistake
    ],
)
def test_a_fix_that_does_not_hold_what_it_promises_is_not_kept(edit) -> None:
    rule = planted(edit)
    wanted = Wanted(frozenset({"ABC101"}))
    assert Fixer(linting((rule, *RULES)), wanted).fixed(TEXT) == (TEXT, ())


def test_others_are_kept_beside_it() -> None:
    """And those that touch each other are made one after the other."""
    bad = planted(lambda node: Edit("replace", node, "x.clone(  )"))
    wanted = Wanted(frozenset({"ABC101", "GRD101"}), (SAFE, UNSAFE))
    data = TEXT + f"w = {MISTAKE}\nv = {MISTAKE}\n".encode()
    after, cured = Fixer(linting((bad, *RULES)), wanted).fixed(data)
    assert after == data.replace(MISTAKE.encode(), CURED.encode())
    assert [one.code for one in cured] == ["GRD101", "GRD101"]


@pytest.mark.parametrize("bad", [[0], [40], [79], [0, 40, 79], [3, 17, 40, 41, 66]])
def test_a_few_that_do_not_hold_keep_none_of_many_back(bad: list[int]) -> None:
    """Of eighty fixes all others are made, with no more than a few tries for each that does not hold."""
    rule = planted(lambda node: Edit("replace", node, "x.clone(  )"))
    wanted = Wanted(frozenset({"ABC101", "GRD101"}), (SAFE, UNSAFE))
    rows = ["x.clone()" if at in bad else f"w{at} = {MISTAKE}" for at in range(80)]
    data = "\n".join(["import torch", "x = torch.ones(3)", *rows, ""]).encode()
    linted = 0

    def counting(data: bytes) -> Result:
        nonlocal linted
        linted += 1
        return linting((rule, *RULES))(data)

    after, cured = Fixer(counting, wanted).fixed(data)
    assert after == data.replace(MISTAKE.encode(), CURED.encode())
    assert [one.code for one in cured] == ["GRD101"] * (80 - len(bad))
    assert linted <= 5 + 20 * len(bad)


def test_only_what_is_wanted_is_fixed() -> None:
    data = f"import torch\nw = {MISTAKE}\n".encode()
    for wanted in (Wanted(frozenset({"GRD607"}), (SAFE, UNSAFE)), Wanted(frozenset({"GRD101"}), (SAFE,))):
        assert Fixer(linting(), wanted).fixed(data) == (data, ())


@pytest.mark.parametrize("data", [b"", b"\xff", b"def f(:\n", b"\0", b"# coding: nothing\n"])
def test_what_is_no_program_is_left_alone(data: bytes) -> None:
    assert Fixer(linting(), ALL).fixed(data) == (data, ())


# ---- files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    return path


def test_a_file_is_replaced_with_its_mode_and_a_link_stays_one(file: Path) -> None:
    file.chmod(0o640)
    link = file.with_name("link.py")
    link.symlink_to(file.name)
    writing.replace_file(str(link), b"old", b"new")
    assert link.is_symlink() and file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(os.listdir(file.parent)) == ["a.py", "link.py"]


def test_a_file_that_has_changed_is_left_alone(file: Path) -> None:
    with pytest.raises(writing.FileChanged, match="it has changed meanwhile"):
        writing.replace_file(str(file), b"older", b"new")
    assert file.read_bytes() == b"old" and os.listdir(file.parent) == ["a.py"]


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_a_step_that_fails_leaves_the_file(step: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(OSError, match="No space left") as caught:
        writing.replace_file(str(file), b"old", b"new")
    assert reading.reason(caught.value) == "No space left on device"
    assert file.read_bytes() == b"old" and os.listdir(file.parent) == ["a.py"]


KILLS = 25
WRITER = """\
import sys
from gradlint.writing import replace_file
texts = [b"a" * 100_000, b"b" * 90_000]
while True:
    replace_file(sys.argv[1], texts[0], texts[1])
    texts.reverse()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(20))
def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(seed: int, file: Path) -> None:
    """500 kills in all."""
    chance = random.Random(seed)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(KILLS):
        file.write_bytes(b"a" * 100_000)
        with subprocess.Popen([sys.executable, "-c", WRITER, str(file)], env=environment) as writer:
            while file.read_bytes() == b"a" * 100_000 and writer.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.random() / 100)
            writer.send_signal(signal.SIGKILL)
            assert writer.wait() == -signal.SIGKILL
        assert file.read_bytes() in (b"a" * 100_000, b"b" * 90_000)


# ---- the command line


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.py").write_text(f"import torch\nw = {MISTAKE}\nx = torch.ones(3)\nx.clone()\n")
    (tmp_path / "b.py").write_text("import torch\nfrom a import w\n\nprint(w)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gradlint(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "gradlint", *args]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=300)


def test_files_are_fixed_and_what_is_left_is_reported(project: Path) -> None:
    offered = gradlint(".")
    assert (offered.returncode, len(offered.stdout.splitlines())) == (1, 2)
    assert offered.stderr == "2 findings in 1 file; 2 with `--fix --unsafe-fixes`\n"
    done = gradlint("--fix", "--unsafe-fixes", "--unfixable", "GRD607", "--show-fixes", ".")
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 1)
    assert done.stderr == ("1 finding in 1 file; 1 fixed\na.py:\n  1 x GRD101 integer-requires-grad\n")
    assert CURED in (project / "a.py").read_text() and "\nx.clone()\n" in (project / "a.py").read_text()
    done = gradlint("--fix", "--unsafe-fixes", "--fixable", "discarded-result", ".")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "nothing to report in 2 files; 1 fixed\n")
    assert gradlint("--fix", "--unsafe-fixes", ".").stderr == "nothing to report in 2 files\n"


def test_what_was_tried_and_not_kept_is_not_offered(project: Path) -> None:
    rule = planted(lambda node: Edit("replace", node, "x.clone(  )"))
    request = settings.Request(paths=("a.py",), isolated=True, select=("ABC101", "GRD101"))
    fixing = dataclasses.replace(request, fix=True)
    assert engine.lint(request, (rule, *RULES), PACKS).fixable == (1, 1)
    assert engine.lint(fixing, (rule, *RULES), PACKS).fixable == (0, 1)
    assert engine.lint(dataclasses.replace(fixing, unsafe_fixes=True), (rule, *RULES), PACKS).fixable == (0, 0)


def test_fixing_and_silencing_exclude_each_other(project: Path) -> None:
    before = (project / "a.py").read_bytes()
    done = gradlint("--fix", "--unsafe-fixes", "--add-noqa", ".")
    assert (done.returncode, done.stdout, (project / "a.py").read_bytes()) == (2, "", before)
    assert "`--add-noqa` and `--fix` exclude each other" in done.stderr


def test_a_diff_changes_nothing(project: Path) -> None:
    before = (project / "a.py").read_bytes()
    done = gradlint("--diff", "--unsafe-fixes", ".")
    assert (done.returncode, done.stderr, (project / "a.py").read_bytes()) == (1, "", before)
    assert [row for row in done.stdout.splitlines() if row.startswith(("+", "-"))] == [
        *("--- a.py", "+++ a.py", f"-w = {MISTAKE}", f"+w = {CURED}", "-x.clone()", "+x = x.clone()"),
    ]
    subprocess.run(["git", "apply", "-"], input=done.stdout, text=True, check=True, cwd=project)
    assert gradlint("--diff", "--unsafe-fixes", ".").returncode == gradlint(".").returncode == 0


def test_what_comes_over_stdin_goes_over_stdout(project: Path) -> None:
    text = f"import torch\r\nw = {MISTAKE}\r\nw.grad_fn = 1\r\nx = torch.ones(3)\r\nx.clone()"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gradlint", "--fix", "--unsafe-fixes", "--unfixable=GRD607", "-"],
        input=text.encode(),
        capture_output=True,
    )
    assert done.stdout == text.replace(MISTAKE, CURED).encode()
    assert b"-:5:1: GRD607" in done.stderr and done.returncode == 1


def test_the_configuration_says_what_is_fixed(project: Path) -> None:
    (project / "gradlint.toml").write_text('unsafe-fixes = true\nfixable = ["GRD1"]\n')
    assert gradlint(".").stderr == "2 findings in 1 file; 1 with `--fix --unsafe-fixes`\n"
    gradlint("--fix", "--no-unsafe-fixes", ".")
    assert MISTAKE in (project / "a.py").read_text()
    gradlint("--fix", ".")
    assert CURED in (project / "a.py").read_text() and "\nx.clone()\n" in (project / "a.py").read_text()
    (project / "base.toml").write_text('unfixable = ["GRD999"]\n')
    (project / "gradlint.toml").write_text('extend = "base.toml"\nfixable = ["GRD1"]\n')
    assert f"unknown rule `GRD999` in {project / 'base.toml'}" in gradlint("--fix", ".").stderr
    for key in ("fixable", "unfixable"):
        (project / "gradlint.toml").write_text(f'{key} = ["GRD999"]\n')
        done = gradlint("--fix", ".")
        assert done.returncode == 2 and "unknown rule `GRD999`" in done.stderr


def test_a_file_that_cannot_be_written_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(path: str, before: bytes, after: bytes) -> None:
        raise writing.FileChanged(path)

    monkeypatch.setattr(mending, "replace_file", changed)
    request = settings.Request(paths=(".",), isolated=True, fix=True, unsafe_fixes=True)
    outcome = engine.lint(request, RULES, PACKS)
    assert outcome.warnings == ("a.py is not fixed: it has changed meanwhile",)
    assert len(outcome.entries) == 2 and not outcome.changed


def test_comments_that_silence_nothing_are_taken_out(project: Path) -> None:
    text = (project / "a.py").read_text()
    (project / "a.py").write_text(text.replace("x = torch", "y = 1  # gradlint: ignore[GRD101]  (said)\nx = torch"))
    (project / "b.py").write_text("x = 1  # noqa: F401, GRD607\n")
    done = gradlint("--fix", "--extend-select", "GRD001", "--show-fixes", ".")
    assert (project / "b.py").read_text() == "x = 1  # noqa: F401\n"
    assert "GRD101" not in (project / "a.py").read_text() and MISTAKE in (project / "a.py").read_text()
    assert done.stderr.endswith("a.py:\n  1 x GRD001 unused-suppression\nb.py:\n  1 x GRD001 unused-suppression\n")
