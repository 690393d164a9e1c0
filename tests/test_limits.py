"""No text makes a run hang, crash or fill the memory: what costs too much is counted, and told as GRD002."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from gradlint import engine, registry, settings, source, texts
from gradlint.finding import Confidence
from gradlint.interpreter.engine import machine
from gradlint.source import limits

MANY = 20_000
SECONDS, MEMORY = 10, 1 << 30
REPORTED = "import torch\nx = torch.tensor([1, 2], requires_grad=True)\n"
GAVE_UP, NO_PYTHON = "GRD002", "GRD000"

# ---- programs that are grown: from a number to a text

Grown = Callable[[int], str]

EXPRESSIONS: dict[str, Grown] = {
    "sum": lambda n: "a" + " + a" * n,
    "power": lambda n: "a" + "**a" * n,
    "remainders": lambda n: "'a'" + " % a" * n,
    "minus": lambda n: "-" * n + "1",
    "not": lambda n: "not " * n + "a",
    "invert": lambda n: "~" * n + "a",
    "and": lambda n: "a" + " and a" * n,
    "or": lambda n: "a" + " or a" * n,
    "comparison": lambda n: "a" + " < a" * n,
    "attributes": lambda n: "a" + ".b" * n,
    "calls": lambda n: "a" + "()" * n,
    "methods": lambda n: "a" + ".relu()" * n,
    "methods on rows of their own": lambda n: "(a" + "\n.relu()" * n + ")",
    "subscripts": lambda n: "a" + "[0]" * n,
    "conditions": lambda n: "a if a else " * n + "a",
    "lambdas": lambda n: "lambda: " * n + "a",
    "lambdas of lambdas": lambda n: "lambda a=" * n + "1" + ": 1" * n,
    "clauses": lambda n: "[a" + " for a in a" * n + "]",
    "sum in a list": lambda n: "[1, a" + " + a" * n + ", 2]",
    "sum in a call": lambda n: "f(1, b=a" + " + a" * n + ")",
    "sum in a hole": lambda n: 'f"{a' + " + a" * n + '}"',
    "sum in a format": lambda n: 'f"{a:{b' + " + b" * n + '}}"',
}
STATEMENTS: dict[str, Grown] = {
    **{name: lambda n, grown=grown: f"x = {grown(n)}\n" for name, grown in EXPRESSIONS.items()},  # type: ignore[misc]
    "managers": lambda n: "with " + ", ".join(["a"] * n) + ":\n    pass\n",
    "managers in brackets": lambda n: "with (" + "a as b, " * n + "a):\n    pass\n",
    "bases": lambda n: "class A(" + ", ".join(f"B{i}" for i in range(n)) + "):\n    pass\n",
    "parameters": lambda n: "def f(" + ", ".join(f"a{i}" for i in range(n)) + "):\n    pass\n",
    "decorators": lambda n: "@a\n" * n + "def f():\n    pass\n",
    "branches": lambda n: "if a:\n    pass\n" + "elif a:\n    b = 1\n" * n,
    "branches inside": lambda n: "def f(a):\n    if a:\n        pass\n" + "    elif a:\n        a = 1\n" * n,
    "calls in a call": lambda n: "x = f(" + "g(1), " * n + ")\n",
    "short rows deep in brackets": lambda n: "x = " + "[" * 80 + "1, " * n + "]" * 80 + "\n",
    "patterns": lambda n: f"match a:\n    case {'[' * 60}a{']' * 60}:\n        pass\n",
    "patterns of classes": lambda n: f"match a:\n    case {'C(' * 60}a{')' * 60}:\n        pass\n",
    "patterns of mappings": lambda n: f"match a:\n    case {'{1: ' * 40}a{'}' * 40}:\n        pass\n",
    "many patterns": lambda n: "match a:\n" + f"    case {'{1: ' * 7}a{'}' * 7}:\n        pass\n" * n,
}
"""Each is given up."""
WRAPPERS = (
    "torch.vmap(f)",
    "torch.func.grad(f)",
    "torch.func.grad_and_value(f, has_aux=True)",
    "functools.partial(f, 1)",
)
FOLDED = ('"%2000000000d" % 1', '"%.2000000000f" % 1.5', '"a" * 10000000000', 'b"a" * 10000000000', "10 ** 10 ** 10",
          "1 << 10 ** 10", '"{:>2000000000}".format(1)', 'f"{1:{2000000000}}"', "[1] * 10 ** 10",
          '"a".ljust(10 ** 10)', '"a".zfill(9 ** 15)', "range(10 ** 30)", "range(1000000000000000000000)",
          "0x" + "f" * 20_000 + " * 0x" + "f" * 20_000)  # fmt: skip
SMALL: dict[str, Grown] = {
    "wrapped in a loop": lambda n: "".join(
        f"f = torch.sin\nfor i in range(9):\n    f = {wrapped}\nf(torch.ones(2))\n" for wrapped in WRAPPERS
    ),
    "wrapped in turns": lambda n: (
        "f = torch.sin\nfor i in range(9):\n"
        + "".join(f"    f = torch.vmap(f) if i > {i} else torch.func.grad(f)\n" for i in range(12))
        + "f(torch.ones(2))\n"
    ),
    "constants": lambda n: "".join(f"x{i} = {folded}\n" for i, folded in enumerate(FOLDED)),
    "statements without effect": lambda n: "torch.no_grad()\n" * (n // 20),
    "numbers": lambda n: "x = [" + "1, " * (n // 2) + "]\n",
    "negative numbers": lambda n: "x = [" + "-1.5, " * (n // 5) + "]\n",
    "pairs": lambda n: "x = {" + "'a': (1, -2), " * (n // 10) + "}\n",
    "strings": lambda n: "x = (" + "'a'\n" * (n // 20) + ")\n",
    "arguments": lambda n: "f(" + "a, " * (n // 5) + ")\n",
    "one after the other": lambda n: "a;" * (n // 10) + "\n",
    "cases": lambda n: "match a:\n" + "    case 1: pass\n" * (n // 10),
    "handlers": lambda n: "try:\n    pass\n" + "except a: pass\n" * (n // 10),
}
"""Each is linted."""
BROKEN: dict[str, Grown] = {
    "brackets": lambda n: "x = " + "(" * n + "\n",
    "escaped quotes": lambda n: '\\"' * n,
    "quotes": lambda n: "'" * n + "a",
    "a string that is left open": lambda n: "x = " + "-" * 900 + '1\n"a\n',
    "holes": lambda n: 'x = f"' + "{a:" * n + "}" * n + '"\n',
    "holes that are left open": lambda n: 'x = f"' + "{" * (2 * n + 1) + '"\n',
    "strings in holes": lambda n: "x = " + 'f"{' * n + "\n",
}
"""No Python."""
EVERY = {GAVE_UP: STATEMENTS, "": SMALL, NO_PYTHON: BROKEN}


# ---- the law

CHILD = """
import json, os, resource, sys
from gradlint import engine, registry, settings
seconds, memory, jobs = map(int, sys.argv[1:])
rules, packs = registry.rules(), registry.packs()
for folder in sys.stdin:
    sys.stdout.flush()
    if (child := os.fork()) == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.chdir(folder.strip())
        request = settings.Request(paths=("a.py", "b.py"), isolated=True, jobs=jobs)
        outcome = engine.lint(request, rules, packs)
        found = [(entry.path, entry.finding.code, entry.finding.message) for entry in outcome.entries]
        with open("found.json", "w") as file:
            json.dump([f for f in found if f[0] == "b.py" or f[1] < "GRD100"], file)
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    print(json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss]), flush=True)
"""
"""Lints folders, each in a process of its own with limits on what it may use."""
STACK = 1 << 27
"""What the parser reserves for its stack and hardly uses."""


@dataclass(frozen=True)
class Used:
    """What a run took: how its process ended, CPU `seconds` of all its processes, bytes of `memory` of the largest."""

    status: int
    seconds: float
    memory: int


Lint = Callable[[Path], Used]


@contextmanager
def linting(seconds: int, memory: int, jobs: int = 0) -> Iterator[Lint]:
    """Lints folders under limits for each process, with so many processes (0: all in one)."""
    command = [sys.executable, "-c", CHILD, *map(str, (seconds, memory, jobs))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None

        def lint(folder: Path) -> Used:
            server.stdin.write(f"{folder}\n")
            server.stdin.flush()
            status, seconds, taken = json.loads(server.stdout.readline())
            print(f"{seconds:.1f} s, {taken} KiB")
            return Used(status, seconds, taken * 1024)

        yield lint
        server.stdin.close()


@pytest.fixture(scope="module")
def linted() -> Iterator[Lint]:
    """Lints a folder."""
    with linting(SECONDS, MEMORY + STACK) as lint:
        yield lint


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, grown in EVERY.items() for name in grown])
def test_a_file_that_grows_ends_within_the_limits_and_spares_the_others(code, name, tmp_path, linted):
    Path(tmp_path, "a.py").write_text("import torch\n" + EVERY[code][name](MANY))
    Path(tmp_path, "b.py").write_text(REPORTED)
    used = linted(tmp_path)
    assert used.status == 0 and used.memory < MEMORY
    found = json.loads(Path(tmp_path, "found.json").read_text())
    assert any((path, found_code) == ("b.py", "GRD101") for path, found_code, _ in found)
    assert [found_code for path, found_code, _ in found if path == "a.py"] == ([code] if code else [])


# ---- what is counted


@pytest.mark.parametrize("grown", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_what_is_just_within_the_limits_is_parsed(grown):
    text = f"x = {grown(150)}\n"
    assert source.parse(text).code == text


WITHIN = [
    "x = [" + "-1, +2, 3 * 4, " * 2_000 + "]\n",
    "x = {" + "'a': b.c[0](1) + 2, " * 2_000 + "}\n",
    "f(" + ", ".join(f"a{i}=b.c + {i}" for i in range(2_000)) + ")\n",
    "x = [\n" + "    f(g(a), h()),\n" * 3_000 + "]\nx = f()\n" * 2,
    "f(" + "lambda a, b=1 + 2: a + b, " * 1_000 + ")\n",
    "x = a.b + c.d; " * 2_000 + "\n",
    "case = [[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]\n",
    "x = case[[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]\n",
    "".join(f"if a == {i}:\n    pass\nelif b:\n    pass\n" for i in range(2_000)),
    "from a import (" + ", ".join(f"b{i}" for i in range(3_000)) + ")\n",
    "x = [" + 'f"{a!r:>{b + c}} {d[0]} {{" "e", ' * 1_000 + "]\n",
    'x = "' + "- " * 5_000 + '"\n# ' + "- " * 5_000 + "\n",
    "\N{COMBINING ACUTE ACCENT}".join("ab") + " = 1\n",
]


@pytest.mark.parametrize("text", WITHIN, ids=range(len(WITHIN)))
def test_long_texts_of_short_expressions_are_within_the_limits(text):
    limits.depth_within_limits(text)


def test_the_place_is_told():
    text = "import torch\n\ndef f():\n    x = (\n        " + "- " * 2_000 + "1)\n"
    with pytest.raises(texts.NotLinted) as refused:
        source.parse(text)
    assert (refused.value.row, refused.value.column) == (5, 9 + 2 * limits.LONGEST_CHAIN)
    with pytest.raises(texts.NotLinted) as other:
        source.parse(text.replace("\n", "\r\n"))
    assert str(other.value) == str(refused.value)


@pytest.mark.parametrize(
    "text", ["x = f'{a + (b[c])!r:>{d}} {{e}}' + g", "x = rf'\\{a[b]}\\N{c}' 'd'", "x = (a, [b, {c}])"]
)
def test_brackets_and_holes_are_counted_as_deep_as_they_are_nested(text):
    assert limits.depth_within_limits(text) == {"f": 3, "r": 2, "(": 3}[text[4]]


# ---- GRD002

DEEP = "x = " + "-" * 2_000 + "1  # noqa  # gradlint: ignore\n"


def codes(folder: Path, **request: object) -> list[str]:
    outcome = engine.lint(settings.Request(paths=(str(folder),), **request), registry.rules())  # type: ignore[arg-type]
    assert not outcome.problems
    return [entry.finding.code for entry in outcome.entries]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep.py").write_text(f"# gradlint: ignore-file\nimport torch\nrequires_grad = 1\n{DEEP}")
    return tmp_path


def test_no_comment_silences_it_nor_is_it_selected(folder):
    assert codes(folder) == codes(folder, select=("GRD101",)) == codes(folder, isolated=True) == ["GRD002"]
    assert codes(folder, min_confidence=Confidence.CERTAIN) == ["GRD002"]


@pytest.mark.parametrize("word", ["GRD002", "not-linted", "GRD0", "ALL"])
def test_it_can_be_ignored(folder, word):
    assert codes(folder, ignore=(word,)) == []
    (folder / "gradlint.toml").write_text(f'ignore = ["{word}"]\n')
    assert codes(folder) == []
    (folder / "gradlint.toml").write_text(f'per-file-ignores = {{ "deep.py" = ["{word}"] }}\n')
    assert codes(folder) == []
    (folder / "gradlint.toml").write_text(f'per-file-ignores = {{ "other.py" = ["{word}"] }}\n')
    assert codes(folder) == ["GRD002"]
    (folder / "gradlint.toml").write_text('extend-exclude = ["deep.py"]\n')
    assert codes(folder) == []


def test_what_was_found_before_a_program_is_given_up_is_told(monkeypatch, tmp_path):
    (tmp_path / "a.py").write_text(REPORTED + "y = torch.ones(2) if __file__ else x\n" * 500)
    monkeypatch.setattr(machine, "MOST_WORK", 10)
    request = settings.Request(paths=(str(tmp_path),), isolated=True)
    found = [(one.finding.code, one.finding.place.row) for one in engine.lint(request, registry.rules()).entries]
    assert found[0] == ("GRD101", 2) and [code for code, _ in found[1:]] == ["GRD002"] and found[1][1] > 2
    ignoring = settings.Request(paths=(str(tmp_path),), isolated=True, ignore=("GRD002",))
    assert [one.finding.code for one in engine.lint(ignoring, registry.rules()).entries] == ["GRD101"]
