"""The pure parts of `python -m tests.bench`: nothing is downloaded, and no time is asserted."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from bench import __main__ as command
from bench import commands, corpora, environments, scripts, table
from bench.commands import BARE, GROWING, PARSING, PEERS, SMALL, STARTING, Command
from bench.environments import Environment, Environments
from bench.machine import Machine
from bench.measuring import Bench, Row, Run, Spread, in_turn, last_line, rows
from click.testing import CliRunner

from gradlint import registry
from gradlint.linter import lint

ROOT = Path(__file__).parent.parent
BOTH = Environments(Environment(Path("/scratch/peers")), Environment(Path("/scratch/gradlint")))
VERSIONS = {"torch-gradlint": "0.1.0", "libcst": "1.9.0"}
HERE = Machine("2026-01-02", 2, "Some CPU", "Linux x86_64", "3.11.7", 0.25, VERSIONS, {"libcst": "1.5.1"})


def row(label: str, *runs: Run, of: str = "small", limit: float = 0) -> Row:
    return Row(Command(of, label, (label,), limit=limit), runs)


def run(wall: float, cpu: float = 1.0, megabytes: float = 50, code: int | None = 0, **rest: object) -> Run:
    return Run(wall, cpu, megabytes * table.MEGABYTE, code, **rest)  # type: ignore[arg-type]


def body(text: str) -> list[list[str]]:
    """The cells of the rows of all tables in a text."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]


def test_a_row_has_the_median_of_its_runs_and_their_ends() -> None:
    measured = row("a", run(3, 30), run(1, 10), run(2, 90))
    assert (measured.wall, measured.cpu) == (Spread(2, 1, 3), Spread(30, 10, 90))
    assert row("a", run(1), run(4)).wall.median == 2.5
    assert measured.trouble == measured.remark == ""


def test_ratios_are_those_of_medians() -> None:
    assert Spread(6, 1, 9) / Spread(2, 1, 8) == 3


@pytest.mark.parametrize(
    ("measured", "trouble"),
    [
        (row("a"), "not run"),
        (row("a", run(1), run(2, code=None), limit=900), "> 900 s"),
        (row("a", run(1, code=1)), ""),
        (row("a", run(1), run(1, code=2)), "failed with 2"),
        (row("a", run(1, code=-9)), "failed with -9"),
    ],
)
def test_a_row_says_why_it_has_no_figures(measured: Row, trouble: str) -> None:
    assert measured.trouble == trouble
    (cells,) = body(table.markdown(HERE, [row(BARE, run(1), of="small"), measured]))[3:]
    assert (cells[1] == trouble) is bool(trouble)


def test_a_table_compares_with_its_first_row() -> None:
    text = table.markdown(HERE, [row(BARE, run(2, 1)), row("b", run(3, 4), run(6, 5), run(12.34, 6))])
    assert text.startswith(HERE.line + "\n\n**small**\n\n| command |")
    assert body(text)[2:] == [
        [BARE, "2.00", "1.00", "50", "1.00", "1.00"],
        ["b", "6.00 (3.00 to 12.3)", "5.00 (4.00 to 6.00)", "50", "3.00", "5.00"],
    ]


def test_a_table_without_its_yardstick_has_no_ratios() -> None:
    text = table.markdown(HERE, [row(BARE, run(2, code=5)), row("b", run(3, 4))])
    assert body(text)[2:] == [[BARE, "failed with 5", "", "", "", ""], ["b", "3.00", "4.00", "50", "", ""]]


def test_what_has_to_be_said_stands_below_the_table() -> None:
    measured = [row(BARE, run(1)), row("b", run(1, given_up=2)), row("c", run(1, code=2, said="no such option"))]
    assert table.markdown(HERE, measured).endswith("|\n\n- b: 2 files were given up on\n- c: no such option\n")


def test_growth_is_told_a_line_and_without_the_start_up() -> None:
    measured = [
        row(SMALL, run(1, 0.5), of=STARTING),
        *(row(label, run(1, 0.25), of=PARSING) for label in ("1,000", "2,000")),
        row("1,000", run(1, 2.5), of=GROWING),
        row("2,000", run(1, 120, given_up=1), of=GROWING),
    ]
    text = table.markdown(HERE, measured)
    assert PARSING not in text
    assert body(text)[-2] == ["1,000", "2.50", "2.50", "2.00", "50", "10.00"]
    assert body(text)[-1] == ["2,000", "given up on after 120.0", "", "", "", ""]


def test_the_first_line_names_day_machine_and_versions() -> None:
    line = HERE.line
    assert line.startswith("2026-01-02; 2 cores of Some CPU, load 0.2; Linux x86_64, Python 3.11.7; gradlint 0.1.0")
    for pin in environments.PEERS:
        assert pin.replace("==", " ") in line
    assert "\n" not in line


def test_json_holds_every_run() -> None:
    said = table.as_json(HERE, [row("a", run(1), run(3), run(2)), row("b", run(1, code=None), limit=9)])
    first, second = json.loads(json.dumps(said))["rows"]
    assert [one["wall"] for one in first["runs"]] == [1, 3, 2] and first["medians"]["wall"] == 2
    assert second["medians"] == {} and second["trouble"] == "> 9 s"


def test_commands_take_turns_and_what_fails_is_not_run_again() -> None:
    a, b, warm = Command("t", "a", ()), Command("t", "b", ()), Command("t", "w", (), warm=True)
    ran = list[str]()

    def once(command: Command) -> Run:
        ran.append(command.label)
        return run(1, code=3 if command is b else 0)

    told = list(in_turn([a, b, warm], 2, once))
    assert ran == ["w", "a", "b", "w", "a", "w"]
    assert [(number, of.label) for number, of, _ in told] == [(1, "a"), (1, "b"), (1, "w"), (2, "a"), (2, "w")]
    measured = rows([a, b, warm], [(of, done) for _, of, done in told])
    assert [(one.command.label, len(one.runs)) for one in measured] == [("a", 2), ("b", 1), ("w", 2)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, {"TOLD": "yes"}, tmp_path / "out", tmp_path / "error", tmp_path / "result")


def test_a_run_is_measured(bench: Bench) -> None:
    text = "import os, sys; print('a.py:1:1: GRD002 too large'); print(os.environ.get('TOLD')); sys.exit(1)"
    done = bench.run(Command("t", "a", (sys.executable, "-c", text)))
    assert (done.code, done.given_up, done.said) == (1, 1, "yes")
    assert done.wall > 0 and done.cpu > 0 and done.rss > 1_000_000


def test_a_run_that_takes_too_long_is_killed(bench: Bench) -> None:
    assert bench.run(Command("t", "a", (sys.executable, "-c", "while True: pass"), limit=0.2)).code is None


def test_the_last_line_that_says_something() -> None:
    assert last_line("a\n b \n\n") == "b" and last_line("\n") == ""


@pytest.mark.parametrize("lines", command.LENGTHS)
def test_a_training_script_is_python_of_about_so_many_lines(lines: int) -> None:
    text = scripts.training_script(lines)
    assert abs(text.count("\n") - lines) < 60
    assert len(text) < 1_000_000  # what gradlint lints at all
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    assert len(names) == len(set(names)) > lines / 20


@pytest.mark.parametrize("text", [scripts.PLAIN, scripts.SMALL, scripts.training_script(200)])
def test_scripts_have_no_mistakes(text: str) -> None:
    assert not lint(text, registry.rules())


def over_corpus(cache: Path | None) -> list[Command]:
    return commands.over_corpus(BOTH, "t", Path("/code"), PEERS, cache, 60)


def test_the_parse_comes_first_and_every_row_is_over_the_corpus() -> None:
    every = over_corpus(Path("/cache"))
    assert every[0].label == BARE
    assert all(one.arguments[-1] == "/code" and one.table == "t" for one in every)
    assert len({one.label for one in every}) == len(every) == len(PEERS) + 4


def test_peers_come_from_their_environment_and_are_killed_in_the_end() -> None:
    peers = over_corpus(None)[-len(PEERS) :]
    assert {Path(one.arguments[0]).parent for one in peers} == {BOTH.peers.programs}
    assert {one.limit for one in peers} == {60}
    assert {Path(one.arguments[0]).name for one in peers} == {pin.partition("==")[0] for pin in environments.PEERS}


def test_gradlint_has_a_cache_only_where_it_is_warm() -> None:
    ours = [one for one in over_corpus(Path("/cache")) if one.arguments[0].endswith("/gradlint")]
    assert [one.warm for one in ours] == [False, False, True]
    for one in ours:
        assert ("--cache-dir" in one.arguments) is one.warm is ("--no-cache" not in one.arguments)
        assert not one.limit
    assert not any(one.warm for one in over_corpus(None))


@pytest.mark.parametrize("option", ["--cache-dir", "--no-cache"])
def test_a_gradlint_without_a_cache_has_no_warm_row(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pretended = Environments(Environment(tmp_path / "peers"), Environment(tmp_path / "gradlint"))
    program = Path(pretended.gradlint.program("gradlint"))
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '  {option} DIR  Something.'\n")
    program.chmod(0o755)
    (tmp_path / "caches" / "old").mkdir(parents=True)
    caches = command._caches(tmp_path, pretended)
    assert caches == (tmp_path / "caches" if option == "--cache-dir" else None)
    assert ("no warm run" in capsys.readouterr().err) is (caches is None)
    assert not (tmp_path / "caches" / "old").exists()


def test_scripts_are_measured_cold_and_beside_their_parse() -> None:
    grown = {lines: Path(f"/{lines}.py") for lines in (109, 989, 9965)}
    every = commands.over_scripts(BOTH.gradlint, Path("/plain.py"), Path("/small.py"), grown)
    assert not any(one.warm for one in every)
    for of in (PARSING, GROWING):
        assert [one.arguments[-1] for one in every if one.table == of] == ["/109.py", "/989.py", "/9965.py"]
    assert "a script of 989 lines" in [one.label for one in every]


def test_commands_see_a_home_of_their_own(tmp_path: Path) -> None:
    seen = commands.surroundings(BOTH, tmp_path)
    assert seen["HOME"] == str(tmp_path) and seen["PATH"].startswith(f"{BOTH.peers.programs}:")
    assert not [name for name in seen if name.startswith(("PYTHON", "VIRTUAL"))]


def test_everything_is_pinned_and_torch_is_shut_out() -> None:
    pins = (*environments.PEERS, *environments.NEEDS, *environments.BUILDS)
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", pin) for pin in pins)
    assert environments.NEVER == "torch<0\n"
    asked = environments.installation(BOTH.peers, ["a==1"], Path("/never.txt"))
    assert asked == ("--python", "/scratch/peers/bin/python", "install", "--constraint", "/never.txt", "a==1")


def test_gradlint_gets_what_it_needs() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert [pin.partition("==")[0] for pin in environments.NEEDS] == [need.partition(">=")[0] for need in needed]
    assert all((ROOT / name).exists() for name in environments.SHIPPED)


def test_only_the_python_files_of_a_wheel_are_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as file:
        file.writestr("a/__init__.py", "x = 1\n")
        file.writestr("a/weights.bin", "no")
        file.writestr("../outside.py", "x = 2\n")
    corpora.unpack(tmp_path / "a.whl", tmp_path / "a")
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"a.whl", "a/a/__init__.py", "a/outside.py", "a/gradlint.toml"}


def test_a_corpus_that_is_there_is_not_downloaded(tmp_path: Path) -> None:
    folder = tmp_path / "corpora" / "timm-1.0.20"
    (folder / "timm").mkdir(parents=True)
    for name in ("a.py", "b.py"):
        (folder / "timm" / name).write_text("a\nb\n")
    found = corpora.corpus("timm", tmp_path, BOTH)
    assert (found.files, found.lines) == (2, 4)
    assert found.title == "timm 1.0.20 (2 files, 4 lines)"


@pytest.mark.parametrize(
    ("names", "meant"), [(("all",), "abc"), (("none",), ""), (("c", "a"), "ac"), (("none", "b"), "b"), ((), "")]
)
def test_all_and_none_are_names(names: tuple[str, ...], meant: str) -> None:
    assert "".join(command.picked(names, "abc")) == meant


@pytest.mark.parametrize(
    "words", [["--corpus", "other"], ["--peers", "other"], ["--rounds", "0"], ["--timeout", "0"], ["--rounds", "x"]]
)
def test_options_that_make_no_sense_are_refused(words: list[str]) -> None:
    assert CliRunner().invoke(command.main, words).exit_code == 2


def test_what_was_measured_is_printed_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "built", lambda folder: BOTH)
    monkeypatch.setattr(Environments, "versions", lambda self, environment: VERSIONS)
    monkeypatch.setattr(Bench, "run", lambda self, command: run(1))
    words = ["--corpus", "none", "--rounds", "1", "--work", str(tmp_path / "work"), "--json", str(tmp_path / "a.json")]
    done = CliRunner().invoke(command.main, words, catch_exceptions=False)
    assert done.exit_code == 0 and f"**{GROWING}**" in done.output
    written = json.loads((tmp_path / "a.json").read_text())
    assert {one["table"] for one in written["rows"]} == {STARTING, GROWING, PARSING}
    assert {path.name for path in (tmp_path / "work" / "scripts").rglob("*.py")} == {"script.py"}


def test_the_readme_shows_the_summary_that_is_printed() -> None:
    """Its table has the columns of ours, and the line above it is of the same form."""
    _, _, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition("<!-- `python -m tests.bench` -->\n")
    shown = rest.partition("<!-- end of the figures -->")[0]
    assert re.match(r"\d{4}-\d\d-\d\d; \d+ cores? of .*; .*, Python [\d.]+; gradlint [\d.]+ with LibCST", shown)
    head, _, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in shown.splitlines() if line[:1] == "|"
    ]
    assert head[0] == table.CORPUS and head[1:]
    assert set(head[1:]) < {one.label for one in over_corpus(Path("/cache"))}
    assert lines and all(len(line) == len(head) for line in lines)


def test_the_summary_has_a_row_for_each_corpus() -> None:
    measured = [
        row(label, run(1, cpu), of=of) for of in ("a", "b") for label, cpu in ((BARE, 1.0), ("x", 2.0), ("y", 3.0))
    ]
    assert table.summary(measured).splitlines()[-2:] == ["| a | 2.00 | 3.00 |", "| b | 2.00 | 3.00 |"]
    assert f"| {table.CORPUS} | x | y |" in table.summary(measured)
    assert table.summary([row("z", run(1), of=STARTING)]) == ""
