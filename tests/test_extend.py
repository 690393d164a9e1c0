"""A configuration may go on from another, as it does for ruff, and the settings that hold can be seen."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from gradlint import cli
from gradlint.config import BadConfig, Config, Configs, load
from gradlint.settings import Request, Settings

FAULTY = "import torch\ntorch.tensor([1], requires_grad=True)\n"
INNER, BASE = "inner/gradlint.toml", "base/gradlint.toml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Faulty files in two folders, of which the configuration of one extends that of the other."""
    for name in ("inner/a.py", "inner/gen/a.py", "base/a.py", "base/gen/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def extended(project: Path, inner: str, base: str) -> Config:
    (project / INNER).write_text(f'extend = "../{BASE}"\n{inner}')
    (project / BASE).write_text(base)
    return Configs().of(str(project / "inner"))


@pytest.mark.parametrize(
    ("base", "inner", "field", "value"),
    [
        ("min-confidence = 'certain'", "", "min_confidence", 0),
        ("min-confidence = 'certain'", "min-confidence = 'possible'", "min_confidence", 2),
        ("known-modules = ['a']", "known-modules = ['b']", "known_modules", ("b",)),
        ("known-modules = ['a']", "no-grad-wrappers = ['b']", "known_modules", ("a",)),
        ("exclude = ['a']", "exclude = ['b']", "exclude", ("b",)),
        ("exclude = ['a']", "", "exclude", ("a",)),
        ("include = ['*.md', 'a/*']", "", "include", ("*.md", "{base}/a/*")),
        ("extend-exclude = ['a']", "extend-exclude = ['b/c']", "extend_exclude", ("a", "b/c")),
        ("extend-exclude = ['a/b', './c/', '/d/e']", "", "extend_exclude", ("{base}/a/b", "./c/", "/d/e")),
        ("per-file-ignores = {'!a/*' = ['A']}", "", "per_file_ignores", (("!{base}/a/*", ("A",)),)),
        ("per-file-ignores = {'a' = ['A']}", "per-file-ignores = {b = ['B']}", "per_file_ignores", (("b", ("B",)),)),
        ("limits = {seconds = 1, size = 2}", "limits = {seconds = 3}", "limits", {"seconds": 3, "size": 2}),
        ("cache-dir = 'c'", "", "cache_dir", "{base}/c"),
        ("respect-gitignore = false", "", "respect_gitignore", False),
    ],
)
def test_what_a_file_does_not_say_is_as_in_the_one_it_extends(project, base, inner, field, value):
    def placed(thing):
        if isinstance(thing, tuple):
            return tuple(map(placed, thing))
        return thing.replace("{base}", str(project / "base")) if isinstance(thing, str) else thing

    assert getattr(extended(project, inner, base), field) == placed(value)


@pytest.mark.parametrize(
    ("base", "inner", "there"),
    [
        ("select = ['GRD101']", "", True),
        ("select = ['GRD201']", "", False),
        ("select = ['GRD201']", "extend-select = ['GRD101']", True),
        ("ignore = ['GRD101']", "select = ['GRD1']", True),
        ("ignore = ['GRD101']", "extend-select = ['GRD1']", True),
        ("extend-select = ['GRD101']", "ignore = ['GRD1']", False),
    ],
)
def test_the_rules_of_a_file_go_on_from_what_the_other_leaves(project, base, inner, there):
    from gradlint.registry import rules

    config = extended(project, inner, base)
    assert ("GRD101" in Settings(Request(), rules()).codes(str(project / "inner" / "a.py"))) is there
    assert config.files() == (str(project / INNER), str(project / BASE))


def reported(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    cli.run(["-q", "--output-format", "concise", *args])
    return [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]


def test_patterns_belong_to_the_folder_of_the_file_that_has_them(project, capsys):
    extended(project, "", "extend-exclude = ['gen/*']")
    assert reported(capsys, "inner", "base") == ["base/a.py", "inner/a.py", "inner/gen/a.py"]
    extended(project, "", "per-file-ignores = {'gen/*' = ['ALL']}")
    assert reported(capsys, "inner", "base") == ["base/a.py", "inner/a.py", "inner/gen/a.py"]
    extended(project, "", "per-file-ignores = {'a.py' = ['ALL']}")
    assert reported(capsys, "inner", "base") == []


def test_a_file_may_extend_one_that_extends_another(project, monkeypatch):
    monkeypatch.setenv("WHERE", str(project))
    (project / "far.toml").write_text("ignore = ['GRD1']\ntarget-torch = '2.12'\nextend-exclude = ['far/x']\n")
    config = extended(project, "", "extend = '$WHERE/far.toml'\nextend-exclude = ['base/x']")
    assert config.target_torch == (2, 12)
    assert config.extend_exclude == (str(project / "far/x"), str(project / "base/base/x"))
    assert [layer.origin for layer in config.layers()] == [str(project / n) for n in ("far.toml", BASE, INNER)]


@pytest.mark.parametrize("name", ["gradlint.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("3", "`extend` must be a path in quotes, not a number"),
        ('""', "`extend` must be a path in quotes"),
        ("['a']", "`extend` must be a path in quotes"),
        ('"nowhere.toml"', "`extend`: there is no file {here}/nowhere.toml; paths are relative to {here}"),
        ('"."', "`extend`: there is no file {here}"),
        ('"{name}"', "`extend`: the files extend each other: {here}/{name} -> {here}/{name}"),
        ('"link.toml"', "`extend`: the files extend each other"),
    ],
)
def test_what_cannot_be_extended_is_named_with_file_and_key(tmp_path, name, value, said):
    head = "[tool.gradlint]\n" if name == "pyproject.toml" else ""
    (tmp_path / name).write_text(f"{head}extend = {value.format(name=name, here=tmp_path)}\n")
    (tmp_path / "link.toml").write_text(f'extend = "{name}"\n')
    with pytest.raises(BadConfig) as caught:
        load(str(tmp_path / name))
    assert said.format(name=name, here=tmp_path) in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("selct = []", "`selct`"),
        ("ignore = ['GRD999']", "GRD999"),
        ("[per-file-ignores]\nx = ['GRD999']", "GRD999"),
        ("= 1", "is not TOML"),
    ],
)
def test_what_is_wrong_in_a_file_that_is_extended_is_named_there(project, capsys, base, said):
    (project / INNER).write_text(f'extend = "../{BASE}"\n')
    (project / BASE).write_text(base)
    assert cli.run(["inner"]) == cli.WRONG
    told = capsys.readouterr().err
    assert said in told
    assert str(project / BASE) in told


def test_a_chain_without_end_is_refused(tmp_path):
    for number in range(60):
        (tmp_path / f"{number}.toml").write_text(f'extend = "{number + 1}.toml"\n')
    (tmp_path / "60.toml").touch()
    with pytest.raises(BadConfig, match="more than 50 files"):
        load(str(tmp_path / "0.toml"))
    assert load(str(tmp_path / "30.toml")).files()[-1].endswith("60.toml")


# ---- the settings that hold


EVERYTHING = """
select = ["GRD1", "GRD301"]
ignore = ["GRD002", "GRD102"]
include = ["*.py", "docs/*.md"]
exclude = ["old", "a/\\u202e##[b].py"]
respect-gitignore = false
min-confidence = "possible"
known-modules = ["ours.*"]
target-torch = "2.12"
limits = {seconds = 7, size = 3}
fixable = ["GRD1", "GRD607"]
unfixable = ["GRD101"]
unsafe-fixes = true
per-file-ignores = {"a.py" = ["GRD103"], "x\\n\\"\\\\*.py" = ["ALL"]}
"""


def show(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert cli.run(["--show-settings", *args]) == cli.CLEAN
    ran = capsys.readouterr()
    assert ran.err == ""
    return ran.out


@pytest.mark.parametrize("content", ["", "select = []", EVERYTHING])
def test_the_settings_that_are_shown_are_a_configuration_that_gives_them(project, capsys, content):
    (project / "gradlint.toml").write_text(content)
    first = show(capsys, "inner/a.py")
    assert first.startswith("# settings for inner/a.py\n# from gradlint.toml\n")
    assert all(line.isprintable() and "##[" not in line for line in first.split("\n"))
    (project / "gradlint.toml").write_text(first)
    assert show(capsys, "inner/a.py") == first


def test_the_settings_are_those_of_the_file_and_of_what_is_asked_for(project, capsys):
    extended(project, "per-file-ignores = {'a.py' = ['GRD101']}", "select = ['GRD101', 'GRD102']")
    told = show(capsys, "inner/a.py", "--target-torch", "2.13", "--exclude", "x", "--output-format", "gitlab")
    read = tomllib.loads(told)
    assert (read["select"], read["target-torch"], read["exclude"]) == (["GRD102"], "2.13", ["x"])
    assert read["output-format"] == "gitlab"
    assert "# from inner/gradlint.toml, which extends base/gradlint.toml\n" in told
    assert tomllib.loads(show(capsys, "inner"))["select"] == ["GRD101", "GRD102"]
    assert "# from no configuration file\n" in show(capsys, "--isolated")
    assert show(capsys).startswith("# settings for the current folder\n")
    assert show(capsys, "-", "--stdin-filename", "inner/a.py").startswith("# settings for inner/a.py\n")


@pytest.mark.parametrize(
    ("args", "said"), [(["nowhere.py"], "nowhere.py"), (["--select", "GRD999"], "GRD999"), (["base"], "selct")]
)
def test_settings_that_cannot_be_shown_are_told(project, capsys, args, said):
    (project / BASE).write_text("selct = 1")
    assert cli.run(["--show-settings", *args]) == cli.WRONG
    ran = capsys.readouterr()
    assert (ran.out, said in ran.err, ran.err.count("\n")) == ("", True, 1)
