"""The closest configuration counts, what is wrong in it is named, and the most exact word chooses a rule."""

from __future__ import annotations

import os

import pytest

from gradlint.config import DEFAULT_EXCLUDE, BadConfig, Config, Configs, load
from gradlint.engine import lint
from gradlint.finding import Confidence
from gradlint.rule import Rule
from gradlint.run import Refused
from gradlint.selection import Layer, UnknownRule, selected
from gradlint.settings import Request

EVERYTHING = """
select = ["GRD1", "GRD201"]
extend-select = ["GRD402"]
ignore = ["late-retain-grad"]
exclude = ["old"]
extend-exclude = ["gen/*.py"]
respect-gitignore = false
output-format = "json"
min-confidence = "possible"
[{table}per-file-ignores]
"tests/*" = ["GRD101"]
"""


@pytest.mark.parametrize(
    ("name", "head", "table"), [("gradlint.toml", "", ""), ("pyproject.toml", "[tool.gradlint]", "tool.gradlint.")]
)
def test_every_key_is_read(tmp_path, name, head, table):
    (tmp_path / name).write_text(head + EVERYTHING.format(table=table))
    config = Configs().of(str(tmp_path))
    assert config == load(str(tmp_path / name))
    assert config == Config(
        folder=str(tmp_path),
        file=str(tmp_path / name),
        select=("GRD1", "GRD201"),
        extend_select=("GRD402",),
        ignore=("late-retain-grad",),
        per_file_ignores=(("tests/*", ("GRD101",)),),
        exclude=("old",),
        extend_exclude=("gen/*.py",),
        respect_gitignore=False,
        output_format="json",
        min_confidence=Confidence.POSSIBLE,
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("selct = []", "unknown key `selct`; did you mean `select`?"),
        ("min_confidence = 'likely'", "unknown key `min_confidence`; did you mean `min-confidence`?"),
        ("zebra = 1", "unknown key `zebra`"),
        ("select = 'GRD1'", '`select` must be a list of strings, not "GRD1"'),
        ("ignore = [1]", "`ignore` must be a list of strings, not [1]"),
        ("respect-gitignore = 1", "`respect-gitignore` must be true or false, not a number"),
        ("min-confidence = 'probable'", 'must be certain, likely or possible, not "probable"; did you mean `possible`'),
        ("output-format = 'jsn'", "did you mean `json`?"),
        ("output-format = true", "must be one of full, concise, grouped, json, json-lines, junit, "),
        ("per-file-ignores = ['a']", "`per-file-ignores` must be a table of lists of strings"),
        ("per-file-ignores = {'a' = 'GRD1'}", "`per-file-ignores` must be a table of lists of strings"),
        ("select = [", "is not TOML"),
    ],
)
@pytest.mark.parametrize(("name", "head"), [("gradlint.toml", ""), ("pyproject.toml", "[tool.gradlint]\n")])
def test_what_is_wrong_is_named_with_its_file(tmp_path, line, said, name, head):
    (tmp_path / name).write_text(head + line)
    with pytest.raises(BadConfig) as caught:
        Configs().of(str(tmp_path))
    assert str(caught.value).startswith(str(tmp_path / name))
    assert said in str(caught.value)


def test_a_table_that_is_none(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool]\ngradlint = 1")
    with pytest.raises(BadConfig, match="must be a table, not a number"):
        Configs().of(str(tmp_path))


@pytest.mark.parametrize("content", [b"\xff", b"a = " + b"[" * 100_000])
def test_what_is_no_toml_is_an_error_and_no_crash(tmp_path, content):
    (tmp_path / "gradlint.toml").write_bytes(content)
    with pytest.raises(BadConfig, match="is not TOML"):
        Configs().of(str(tmp_path))


def test_the_closest_file_counts_and_it_alone(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "gradlint.toml").write_text("ignore = ['GRD101']")
    (tmp_path / "pyproject.toml").write_text("[tool.gradlint]\nignore = ['GRD102']")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    (inner / "pyproject.toml").write_text("[tool.gradlint]\nselect = ['GRD2']")
    configs = Configs()
    assert (configs.of(str(inner)).select, configs.of(str(inner)).ignore) == (("GRD2",), ())
    assert configs.of(str(tmp_path / "a")).file == str(tmp_path / "gradlint.toml")
    assert configs.of(str(tmp_path / "a")).folder == str(tmp_path)


def test_one_file_or_none_can_be_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gradlint.toml").write_text("ignore = ['GRD101']")
    (tmp_path / "other.toml").write_text("ignore = ['GRD102']")
    assert Configs(file="other.toml").of(str(tmp_path)).ignore == ("GRD102",)
    assert Configs(isolated=True).of(str(tmp_path)) == Config(str(tmp_path))
    assert Config("").exclude == DEFAULT_EXCLUDE
    with pytest.raises(BadConfig, match=r"absent\.toml"):
        Configs(file="absent.toml")


# ---- which rules

RULES = (
    Rule("GRD101", "integer-requires-grad", ""),
    Rule("GRD103", "misspelled-requires-grad", ""),
    Rule("GRD114", "freeze-order", "", default=False),
    Rule("GRD201", "non-leaf-grad-read", ""),
    Rule("ABC101", "of-somebody-else", ""),
)


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([], "101 103 201 ABC"),
        ([Layer(select=("ALL",))], "101 103 114 201 ABC"),
        ([Layer(select=("GRD1",))], "101 103 114"),
        ([Layer(select=("grd101", "non-leaf-grad-read"))], "101 201"),
        ([Layer(select=())], ""),
        ([Layer(extend_select=("GRD114",))], "101 103 114 201 ABC"),
        ([Layer(ignore=("GRD1",))], "201 ABC"),
        ([Layer(ignore=("ALL",))], ""),
        ([Layer(select=("GRD101",), ignore=("GRD1",))], "101"),
        ([Layer(select=("GRD1",), ignore=("integer-requires-grad",))], "103 114"),
        ([Layer(select=("GRD101",), ignore=("GRD101",))], ""),
        ([Layer(select=("ALL",), ignore=("GRD",))], "ABC"),
        ([Layer(select=("GRD2",), ignore=("GRD1",)), Layer(select=("GRD101",))], "101"),
        ([Layer(select=("GRD",), ignore=("GRD101",)), Layer(ignore=("GRD2",))], "103 114"),
        ([Layer(ignore=("GRD101",)), Layer(extend_select=("GRD101",))], "101 103 201 ABC"),
    ],
)
def test_the_more_exact_word_wins(layers, expected):
    numbers = {rule.code: "ABC" if rule.code.startswith("ABC") else rule.code[3:] for rule in RULES}
    chosen = selected(RULES, layers)
    assert " ".join(sorted(numbers[code] for code in chosen)) == expected


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("GRD2011", "`gradlint rule GRD2` lists its family"),
        ("GRD0201", "`gradlint rules`"),
        ("integer-require-grad", "`integer-requires-grad`"),
        ("AL", "`ALL`"),
        ("zzz", "`gradlint rules`"),
        ("", "`gradlint rules`"),
    ],
)
def test_a_word_that_names_no_rule_is_told_with_the_nearest(word, meant):
    with pytest.raises(UnknownRule) as caught:
        selected(RULES, [Layer(ignore=(word,), origin="pyproject.toml")])
    assert f"unknown rule `{word}` in pyproject.toml" in str(caught.value)
    assert meant in str(caught.value)


# ---- configuration at work


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Four faulty files in two folders; `lint_project` gives the paths that are reported."""
    for name in ("a.py", "tests/a.py", "tests/b.py", "old/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("import torch\ntorch.tensor([1], requires_grad=True)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reported(**request) -> list[str]:
    from gradlint.registry import rules

    outcome = lint(Request(**request), rules())
    assert outcome.problems == ()
    return [entry.path for entry in outcome.entries]


A, TESTS_A, TESTS_B, OLD_A = "a.py", "tests/a.py", "tests/b.py", "old/a.py"


@pytest.mark.parametrize(
    ("where", "content", "request_", "expected"),
    [
        (".", "", {}, [A, OLD_A, TESTS_A, TESTS_B]),
        (".", "ignore = ['GRD101']", {}, []),
        (".", "ignore = ['GRD101']", {"isolated": True}, [A, OLD_A, TESTS_A, TESTS_B]),
        (".", "ignore = ['GRD101']", {"extend_select": ("GRD101",)}, [A, OLD_A, TESTS_A, TESTS_B]),
        ("tests", "ignore = ['GRD101']", {}, [A, OLD_A]),
        (".", "min-confidence = 'certain'", {}, [A, OLD_A, TESTS_A, TESTS_B]),
        (".", "per-file-ignores = {'tests/*' = ['GRD1']}", {}, [A, OLD_A]),
        (".", "per-file-ignores = {'a.py' = ['integer-requires-grad']}", {}, [TESTS_B]),
        (".", "per-file-ignores = {'!tests/*' = ['ALL']}", {}, [TESTS_A, TESTS_B]),
        (".", "exclude = ['old']", {}, [A, TESTS_A, TESTS_B]),
        (".", "exclude = ['old']", {"exclude": ("tests",)}, [A, OLD_A]),
        (".", "extend-exclude = ['old']", {"exclude": ("tests",)}, [A]),
        (".", "", {"extend_exclude": ("tests/a.py", "old")}, [A, TESTS_B]),
        (".", "exclude = ['old']", {"paths": (OLD_A,)}, [OLD_A]),
        (".", "exclude = ['old']", {"paths": (OLD_A, A), "force_exclude": True}, [A]),
        ("tests", "exclude = ['b.py']", {}, [A, OLD_A, TESTS_A]),
    ],
)
def test_settings_do_what_they_say(project, where, content, request_, expected):
    (project / where / "gradlint.toml").write_text(content)
    assert reported(**request_) == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("ignore = ['integer-require-grad']", "did you mean `integer-requires-grad`?"),
        ("per-file-ignores = {'nowhere.py' = ['GRD999']}", "unknown rule `GRD999`"),
    ],
)
def test_an_unknown_rule_in_a_configuration_is_refused(project, content, said):
    (project / "tests" / "gradlint.toml").write_text(content)
    with pytest.raises(Refused) as caught:
        reported()
    assert said in str(caught.value)
    assert os.path.join("tests", "gradlint.toml") in str(caught.value)


def test_stdin_goes_by_the_name_it_is_given(project):
    (project / "tests" / "gradlint.toml").write_text("ignore = ['GRD101']\nexclude = ['b.py']")
    faulty = (project / "a.py").read_bytes()
    assert reported(paths=("-",), stdin=faulty) == ["-"]
    assert reported(paths=("-",), stdin=faulty, stdin_filename="c.py") == ["c.py"]
    assert reported(paths=("-",), stdin=faulty, stdin_filename="tests/c.py") == []
    force = {"stdin_filename": "tests/b.py", "force_exclude": True, "select": ("ALL",)}
    assert reported(paths=("-",), stdin=faulty, **force) == []


def test_comments_silence_what_is_linted(project):
    (project / "a.py").write_text("import torch\ntorch.tensor(\n  [1],\n  requires_grad=True)  # noqa: GRD101\n")
    assert A not in reported()
