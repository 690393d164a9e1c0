"""What is remembered changes no result, whatever has happened to files, to the cache or to the run that wrote it."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradlint import cache, queries
from gradlint.catalogue import Catalogue, Listed
from gradlint.finding import Confidence, Edit, Finding, Fix, Note, Place
from gradlint.queries import FILE, FOLDER, PATH, Fingerprint, Queries
from gradlint.results import Result
from gradlint.unused import Silenced

RUN = (sys.executable, "-P", "-m", "gradlint", "check", "--output-format", "json", "-j", "1")
PROJECT = {
    "pyproject.toml": "[tool.gradlint]\n",
    "train.py": "import torch\nfrom net.model import Net\n\nnet = Net()\nloss = net(torch.ones(2))\nloss.backward()\n",
    "net/__init__.py": "",
    "net/model.py": (
        "import torch\nfrom .parts import halved\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.w = torch.nn.Parameter(torch.ones(2))\n\n"
        "    def forward(self, x):\n        return halved(self.w * x)\n"
    ),
    "net/parts.py": "def halved(x):\n    return (x / 2).sum()\n",
    "net/alone.py": "import torch\n\nw = torch.tensor([1, 2], requires_grad=True)\n",
    "tools/count.py": "import json\n\nprint(json.dumps({}))\n",
    "tools/eval.py": "from net import model\n\n\ndef score(net: model.Net, x):\n    return net(x).item()\n",
}


@pytest.fixture(autouse=True)
def usual_cache(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache is where it usually is."""
    monkeypatch.delenv("GRADLINT_CACHE_DIR")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project, whose files are so old that nobody doubts when they were changed."""
    folder = tmp_path / "project"
    for name, text in PROJECT.items():
        write(folder / name, text)
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def said(folder: Path, *options: str, seed: str = "0") -> tuple[int, list[dict[str, object]], str]:
    """What a run says: its code, its findings, and what it tells of files."""
    environment = os.environ | {"PYTHONHASHSEED": seed}
    command = [*RUN, *options, "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def looked_at(told: str) -> set[str]:
    """The files of a run that it did not remember, as it tells with `-v`."""
    lines = [line.partition(": ") for line in told.splitlines() if ".py: " in line]
    return {name for name, _, rest in lines if not rest.startswith("as remembered")}


ALL = {name for name in PROJECT if name.endswith(".py")}


# ---- what is looked at again

EDITS: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "nothing": (lambda folder: None, set()),
    "a file is written as it was": (lambda folder: write(folder / "train.py", PROJECT["train.py"]), set()),
    "a file that nobody imports": (lambda folder: write(folder / "net/alone.py", "import torch\n"), {"net/alone.py"}),
    "what others are made of": (
        lambda folder: write(folder / "net/parts.py", "def halved(x):\n    return (x.detach() / 2).sum()\n"),
        {"net/parts.py", "net/model.py", "train.py", "tools/eval.py"},
    ),
    "a module before that one": (
        lambda folder: write(folder / "tools/net.py", "class Net:\n    pass\n"),
        {"tools/net.py", "tools/eval.py"},
    ),
    "a file of data": (lambda folder: write(folder / "net/data.json", "{}"), set()),
    "a module that nobody imports": (lambda folder: write(folder / "net/more.py", "x = 1\n"), {"net/more.py"}),
    "the configuration": (
        lambda folder: write(folder / "pyproject.toml", "[tool.gradlint]\nignore = ['GRD101']\n"),
        ALL,
    ),
    "a configuration that says nothing": (
        lambda folder: write(folder / "pyproject.toml", "[tool.gradlint]\n[tool.other]\nx = 1\n"),
        set(),
    ),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("edit", EDITS)
def test_what_can_have_changed_is_looked_at_again_and_nothing_else(edit: str, project: Path):
    change, again = EDITS[edit]
    code, found, told = said(project, "-v")
    assert code == 1 and looked_at(told) == ALL
    change(project)
    code, found, told = said(project, "-v")
    assert (code, found) == said(project, "--no-cache")[:2]
    assert looked_at(told) == again
    assert looked_at(said(project, "-v")[2]) == set()


def test_settings_have_results_of_their_own(project: Path):
    first = said(project)
    others = ["--select=GRD6"], ["--min-confidence=possible"], ["--target-torch=1.13"], ["--ignore=GRD101"]
    for options in others:
        assert said(project, *options)[:2] == said(project, *options, "--no-cache")[:2]
    assert said(project) == first
    assert looked_at(said(project, "-v", *others[-1])[2]) == set()


@pytest.mark.parametrize("name", ["net/model.py", "train.py"])
def test_one_file_of_a_project_is_remembered_as_well(name: str, project: Path):
    for _ in range(2):
        told = said(project, "-v", name)[2]
    assert looked_at(told) == set()


# ---- the cache itself


def damaged(folder: Path) -> dict[str, Callable[[], object]]:
    """Ways in which a cache can be no cache."""
    database, tag = folder / cache.DATABASE, folder / cache.TAG
    data = database.read_bytes()

    def tables(statement: str) -> None:
        """Change what is in the tables; `sealed` and `named` are what is in a row, as the cache itself would say it."""
        with sqlite3.connect(database) as connection:
            connection.create_function("sealed", -1, lambda *told: cache._seal(*map(str, told)))
            connection.create_function("packed", -1, lambda *ids: cache._packed(ids))
            connection.create_function("named", -1, lambda *told: cache._id(*map(str, told)))
            connection.execute(statement)

    return {
        "no database": database.unlink,
        "an empty one": lambda: database.write_bytes(b""),
        "no database at all": lambda: database.write_bytes(b"import torch" * 1000),
        "half of it": lambda: database.write_bytes(data[: len(data) // 2]),
        "other tables": lambda: tables("CREATE TABLE more (x)"),
        "a trigger": lambda: tables("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END"),
        "no results": lambda: tables("UPDATE results SET result = '[[[1]], [], {}, 0]'"),
        "deep results": lambda: tables(f"UPDATE results SET result = '{'[' * 100_000}'"),
        "sealed results": lambda: tables(
            "UPDATE results SET result = '[[[1]], [], {}, 0]',"
            " seal = sealed(file, terms, lower(hex(inputs)), '[[[1]], [], {}, 0]')"
        ),
        "sealed inputs": lambda: tables("UPDATE inputs SET kind = 'x', seal = sealed(number, 'x', path, digest)"),
        "no ids": lambda: tables("UPDATE results SET inputs = x'00', answers = NULL"),
        "inputs of others": lambda: tables("UPDATE results SET inputs = (SELECT inputs FROM results)"),
        "other numbers": lambda: tables("UPDATE inputs SET number = number + 1000"),
        "no inputs": lambda: tables("DELETE FROM inputs"),
        "no answers": lambda: tables("DELETE FROM answers"),
        "strange queries": lambda: (
            tables("UPDATE inputs SET digest = '', stamp = '', seal = sealed(number, kind, path, '')"),
            tables(
                "UPDATE answers SET query = CASE id % 3 WHEN 0 THEN '[\"find\"]' WHEN 1 THEN '[[1], 2]' ELSE '{}' END"
            ),
        ),
        "sealed queries": lambda: (
            tables("UPDATE inputs SET digest = '', stamp = '', seal = sealed(number, kind, path, '')"),
            tables("DELETE FROM answers"),
            tables("""INSERT INTO answers VALUES (named('["find"]', 'x'), '["find"]', 'x')"""),
            tables("UPDATE results SET answers = packed((SELECT id FROM answers))"),
        ),
        "no installation": lambda: tables("UPDATE installations SET catalogue = '{}'"),
        "no stamps": lambda: tables("UPDATE installations SET watched = '[1]'"),
        "a pipe": lambda: (database.unlink(), os.mkfifo(database)),
        "a folder": lambda: (database.unlink(), database.mkdir()),
        "a link": lambda: (database.unlink(), database.symlink_to(folder.parent / "train.py")),
        "no tag": tag.unlink,
        "a file in its place": lambda: (shutil.rmtree(folder), folder.write_text("mine")),
        "a link in its place": lambda: (shutil.rmtree(folder), folder.symlink_to(folder.parent / "net")),
        "locked": lambda: None,
    }


DAMAGES = [
    "no database", "an empty one", "no database at all", "half of it", "other tables",
    "a trigger", "no results", "deep results", "sealed results", "sealed inputs",
    "no ids", "inputs of others", "other numbers",
    "no inputs", "no answers", "strange queries", "sealed queries",
    "no installation", "no stamps", "a pipe", "a folder", "a link", "no tag", "a file in its place",
    "a link in its place", "locked",
]  # fmt: skip


def columns() -> Iterator[str]:
    """Each column of each table, but for the ids, which SQLite itself keeps to whole numbers."""
    connection = sqlite3.connect(":memory:")
    for table, statement in cache.TABLES.items():
        connection.execute(statement)
        info = connection.execute(f"PRAGMA table_info({table})").fetchall()
        yield from (f"{table}.{name}" for _, name, kind, _, _, key in info if not (key and kind == "INTEGER"))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_changes_nothing(damage: str, project: Path):
    expected = said(project)
    ways = damaged(project / cache.FOLDER)
    assert list(ways) == DAMAGES
    ways[damage]()
    mine = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and cache.FOLDER not in path.parts}
    lock = sqlite3.connect(project / cache.FOLDER / cache.DATABASE) if damage == "locked" else None
    if lock is not None:
        lock.execute("BEGIN EXCLUSIVE")
    assert said(project) == expected
    if lock is not None:
        lock.close()
    assert said(project) == expected
    assert mine == {path: path.read_bytes() for path in mine}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("column", [*columns()])
def test_values_of_any_type_in_a_column_change_nothing(column: str, project: Path):
    expected = said(project)
    table, _, name = column.partition(".")
    values = ("NULL", "9e999", "x'00ff'", "CAST(x'00' AS TEXT)", "-1", "CAST(x'ff' AS TEXT)")
    cases = " ".join(f"WHEN {number} THEN {value}" for number, value in enumerate(values))
    with sqlite3.connect(project / cache.FOLDER / cache.DATABASE) as connection:
        connection.execute(f"UPDATE OR IGNORE {table} SET {name} = CASE rowid % {len(values)} {cases} END")
    for _ in range(2):
        assert said(project) == expected
    assert looked_at(said(project, "-v")[2]) == set()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(24))
def test_bytes_that_a_disk_changed_change_nothing_else(seed: int, project: Path):
    chance, expected = random.Random(seed), said(project)
    database = project / cache.FOLDER / cache.DATABASE
    data = bytearray(database.read_bytes())
    for _ in range((1, 10, 100, 1000)[seed % 4]):
        data[chance.randrange(len(data))] = chance.randrange(256)
    database.write_bytes(data)
    for _ in range(2):
        assert said(project) == expected
    assert looked_at(said(project, "-v")[2]) == set()


def test_a_text_of_the_same_length_and_time_is_another_text(project: Path):
    path, text = project / "net/alone.py", PROJECT["net/alone.py"]
    for each in (text.replace("requires_grad=True", "requires_grad=None"), text):
        write(path, each)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        codes = [one["code"] for one in said(project, "net")[1]]
    assert "GRD101" in codes


def test_names_that_are_no_text_are_linted_all_the_same(project: Path):
    os.rename(project / "net/alone.py", os.fsencode(project / "net") + b"/\xff.py")
    for _ in range(2):
        assert said(project)[0] == 1


def test_a_cache_is_marked_as_one_and_taken_away_again(project: Path):
    said(project)
    folder = project / cache.FOLDER
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert (folder / ".gitignore").read_text() == "*\n"
    clean = [sys.executable, "-P", "-m", "gradlint", "clean"]
    for told in ("removed .gradlint_cache", "there is no cache at .gradlint_cache"):
        done = subprocess.run(clean, cwd=project, capture_output=True, text=True, check=True)
        assert told in done.stderr
    assert not folder.exists()


def test_the_configuration_says_where_the_cache_is(project: Path):
    """As the README shows it: in a folder of a folder, none of which is there yet."""
    write(project / "pyproject.toml", "[tool.gradlint]\ncache-dir = '.cache/gradlint'\n")
    said(project)
    assert looked_at(said(project, "-v")[2]) == set()
    assert (project / ".cache/gradlint" / cache.TAG).exists() and not (project / cache.FOLDER).exists()


@pytest.mark.parametrize("done", [0, 1])
def test_a_cache_that_was_only_begun_is_finished(done: int, project: Path):
    """By a run that was killed when it had made the folder, or the first file in it."""
    said(project)
    for path in sorted((project / cache.FOLDER).iterdir()):
        if not (done and path.name == cache.TAG):
            path.unlink()
    said(project)
    assert looked_at(said(project, "-v")[2]) == set()
    assert {path.name for path in (project / cache.FOLDER).iterdir()} == {cache.TAG, ".gitignore", cache.DATABASE}


@pytest.mark.parametrize("tag", [None, "no signature\n"])
def test_nothing_is_taken_away_that_is_no_cache(tag: str | None, project: Path):
    if tag is not None:
        (project / "net" / cache.TAG).write_text(tag)
    clean = [sys.executable, "-P", "-m", "gradlint", "clean", "--cache-dir", "net"]
    subprocess.run(clean, cwd=project, capture_output=True, check=True)
    assert (project / "net/model.py").exists()


def test_where_nothing_can_be_written_nothing_is_remembered(project: Path, tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    for options in (["--no-cache"], ["--cache-dir", str(tmp_path / "file" / "cache")]):
        assert looked_at(said(project, "-v", *options)[2]) == ALL
    assert not (project / cache.FOLDER).exists()


# ---- what a run loads

LOADED = """
import sys
from gradlint.cli import run
code = run(sys.argv[1:])
heavy = (
    "libcst", "gradlint.linter", "gradlint.interpreter", "gradlint.knowledge", "gradlint_rules", "gradlint.rule",
    "multiprocessing",
)
print("loaded:", *sorted(name for name in heavy if name in sys.modules))
"""


def loaded(folder: Path, *arguments: str) -> set[str]:
    """What a run has loaded of all that only an analysis or processes for it need."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("loaded:")[2].split())


def test_what_is_remembered_loads_no_engine(project: Path):
    assert loaded(project, ".") > {"libcst", "gradlint.linter"}
    assert loaded(project, ".") == set()


def test_what_the_gate_keeps_back_loads_no_engine(project: Path):
    loaded(project, "net")
    assert loaded(project, "tools/count.py") == {"multiprocessing"}
    assert loaded(project, "tools/count.py") == set()
    write(project / "tools/count.py", "import torch\n\nx = torch.ones(2)\nx.backward()\n")
    assert loaded(project, "tools/count.py") > {"libcst"}


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("check", "--help"), ("clean",)])
def test_what_asks_for_no_lint_loads_no_engine(arguments: tuple[str, ...], project: Path):
    assert loaded(project, *arguments) == set()


# ---- kills


KILLS = 10


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(20))
def test_a_run_that_is_killed_leaves_a_cache_that_can_be_used(seed: int, project: Path):
    """The main process, at random moments: what it has written holds, and nobody goes on without it."""
    chance, expected = random.Random(seed), said(project, "--no-cache")[:2]
    for _ in range(KILLS):
        if chance.random() < 0.5:
            shutil.rmtree(project / cache.FOLDER, ignore_errors=True)
        process = subprocess.Popen([*RUN, "-j", "2", "."], cwd=project, stdout=-3, stderr=-3, start_new_session=True)
        time.sleep(chance.random() * 1.5)
        process.kill()
        process.wait()
        assert gone(process.pid)
    assert said(project)[:2] == expected
    assert said(project)[:2] == expected


def gone(group: int) -> bool:
    """Whether all processes of a group end, within seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_two_runs_at_once_share_a_cache(project: Path):
    expected = said(project, "--no-cache")[1]
    both = [subprocess.Popen([*RUN, "."], cwd=project, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [json.loads(process.communicate()[0]) for process in both] == [expected] * 4
    assert said(project)[1] == expected


# ---- the law of equal results


@pytest.mark.parametrize("seed", ["1", "2"])
def test_neither_cache_nor_jobs_nor_order_nor_hashes_change_a_result(seed: str, project: Path):
    expected = said(project, "--no-cache")[:2]
    for options in (["-j", "2"], [], ["-j", "3"], ["--no-cache", "-j", "2"]):
        assert said(project, *options, seed=seed)[:2] == expected
    paths = [name for name in reversed(PROJECT) if name.endswith(".py")]
    done = subprocess.run([*RUN, *paths], cwd=project, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == expected[1]


# ---- parts


FINDING = Finding(
    "GRD101", "a-name", "a message", Place(1, 2, 3, 4), Confidence.LIKELY, "error", "a help",
    (Note(Place(5, 6, 7, 8), "a note", "/a/b.py"),), (Fix((Edit(Place(1, 1, 1, 1), "x"),), "safe", "do it"),), "/c.py",
)  # fmt: skip


def test_a_result_is_remembered_whole():
    silenced, unknown = (Silenced("", 3, "GRD101"), Silenced("/y.py", 4, "GRD102")), ((5, "GRD999"),)
    more = (FINDING,), (("/y.py", "why"),), silenced, unknown, None
    result = Result("", "/x.py", (FINDING,), (), "", (("events", 3),), *more)
    assert cache.result_of(json.loads(json.dumps(cache.data_of(result))), "/x.py") == result


def test_a_catalogue_is_remembered_whole():
    rules = (Listed("GRD101", "a-name", False, ("a",), ("GRD102",), (2, 1), None, "notes"), Listed("GRD102", "b"))
    catalogue = Catalogue(rules, ("torch", "grad"), "digest")
    assert Catalogue.from_data(json.loads(json.dumps(catalogue.as_data()))) == catalogue


@pytest.mark.parametrize("kind", [FILE, FOLDER, PATH])
def test_an_input_that_changes_has_another_fingerprint(kind: str, tmp_path: Path):
    path = tmp_path / "a"
    seen = {queries.fingerprint((kind, str(path))).digest}
    if kind == FOLDER:
        path.mkdir()
        for name in ("b.py", "c"):
            seen.add(queries.fingerprint((kind, str(path))).digest)
            (path / name).mkdir()
    else:
        for text in ("1", "2"):
            seen.add(queries.fingerprint((kind, str(path))).digest)
            path.unlink(missing_ok=True)
            path.write_text(text) if kind == FILE or text == "1" else path.symlink_to(tmp_path)
    seen.add(queries.fingerprint((kind, str(path))).digest)
    assert len(seen) == (3 if kind != FOLDER else 4)


def test_what_has_just_changed_has_no_stamp(tmp_path: Path):
    path = tmp_path / "a.py"
    path.write_text("x")
    assert queries.stamp(str(path)) == ""
    assert queries.fingerprint((FILE, str(path))) == Fingerprint(queries.digest(b"x"))


def test_an_answer_rests_on_all_below_it():
    asked = Queries(keeping=True)

    def inner() -> int:
        asked.read(FILE, "/nowhere/inner")
        return 1

    def outer() -> int:
        asked.read(FOLDER, "/nowhere")
        return asked.ask(("inner",), inner) + 1

    for _ in range(2):  # the second time from memory
        with asked.noted() as rests_on:
            assert asked.ask(("outer",), outer) == 2
        assert set(rests_on.inputs) == {(FILE, "/nowhere/inner"), (FOLDER, "/nowhere")}
        assert set(rests_on.answers) == {("outer",)}


def test_an_answer_that_rests_on_much_rests_on_each_of_it(project: Path):
    """A star import of a package of many modules: what is changed in any of them is seen."""
    names = [f"part{number}" for number in range(queries.MOST_LOOSE + 10)]
    for name in names:
        write(project / f"many/{name}.py", f"def {name}(x):\n    return x.detach()\n")
    write(project / "many/__init__.py", "".join(f"from .{name} import *\n" for name in names))
    use = "w = torch.ones(2, requires_grad=True)\npart7(w).sum().backward()\n"
    write(project / "star.py", f"import torch\nfrom many import *\n\n{use}")
    said(project)
    assert looked_at(said(project, "-v")[2]) == set()
    write(project / "many/part7.py", "def part7(x):\n    return x\n")
    code, found, told = said(project, "-v")
    assert (code, found) == said(project, "--no-cache")[:2]
    assert "star.py" in looked_at(told) and "train.py" not in looked_at(told)
