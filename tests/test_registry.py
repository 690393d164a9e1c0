"""Rule packs come from installed distributions alone, and a broken one is named with its cure."""

from __future__ import annotations

import json
import os
import sys

import gradlint_rules.grad_mode
import pytest

from gradlint import installation
from gradlint.registry import BrokenPack, rules
from gradlint.rule import Worth

PAGE = '"""What the mistake does."""\n'
RULE = "from gradlint.rule import Rule\nrule = Rule({code!r}, {name!r}, 'message')\nconsequence = print\n"
KEYED = "from gradlint.events import GradientRead\nrule.on(GradientRead, 'x')\n"
TERRIBLE = "Rule('ABC102', 'second', 'message', effect='terrible')\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder where distributions are installed, on the path; modules imported from it are forgotten."""
    folder = tmp_path / "lib" / "site-packages"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if name.startswith("planted_"):
            del sys.modules[name]


def rule_text(code="ABC101", name="planted-mistake", page=PAGE):
    return page + RULE.format(code=code, name=name)


def pack(folder, name="planted_pack", target=None, **modules):
    """Install a pack with these modules as a distribution in a folder."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for path, text in modules.items():
        file = (package / path).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.parent != package:
            (file.parent / "__init__.py").touch()
        file.write_text(text)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gradlint.rules]\npack = {target or name}\n")


def planted():
    return [rule for rule in rules() if rule.code.startswith("ABC")]


def test_all_modules_of_a_pack_are_walked(site):
    pack(
        site,
        **{
            "last": rule_text("ABC201", "second-mistake"),
            "family/first": rule_text(),
            "family/_helper": rule_text("ABC301", "helping"),
            "__main__": "raise SystemExit('never run')\n",
        },
    )
    assert [(rule.code, rule.page, rule.consequence) for rule in planted()] == [
        ("ABC101", "What the mistake does.", print),
        ("ABC201", "What the mistake does.", print),
    ]


def test_a_pack_says_what_was_measured_of_its_own_rules_alone(site):
    said = "from gradlint.rule import Worth\nworth = {{'{}': Worth(3, 1, 2)}}\n"
    pack(site, first=rule_text(), figures=said.format("ABC101"))
    pack(site, "planted_other", second=rule_text("ABC102", "second-mistake"), figures=said.format("ABC101"))
    assert [(rule.code, rule.worth) for rule in planted()] == [("ABC101", Worth(3, 1, 2)), ("ABC102", None)]


def test_rules_are_sorted_by_code_and_unique():
    codes = [rule.code for rule in rules()]
    assert codes == sorted(set(codes))
    assert codes


def test_two_copies_of_a_distribution_count_once(site, tmp_path, monkeypatch):
    other = tmp_path / "other" / "site-packages"
    pack(site, first=rule_text())
    pack(other, first=rule_text())
    monkeypatch.syspath_prepend(str(other))
    assert len(planted()) == 1


@pytest.mark.parametrize("kind", ["egg-info", "dist-info"])
def test_what_merely_lies_on_the_path_is_never_imported(tmp_path, monkeypatch, kind):
    (tmp_path / "planted_evil.py").write_text("open('executed', 'w').close()\n")
    info = tmp_path / f"planted_evil.{kind}"
    info.mkdir()
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: planted-evil\nVersion: 1.0\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted-evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gradlint.rules]\npack = planted_evil\n")
    monkeypatch.chdir(tmp_path)
    for entry in ("", str(tmp_path)):
        monkeypatch.syspath_prepend(entry)
    rules()
    assert "planted_evil" not in sys.modules
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("entry", ["", ".", "{here}"])
def test_nothing_in_the_current_folder_can_pose_as_a_pack(site, tmp_path, monkeypatch, entry):
    """Neither as the pack nor as a library that a pack imports; the real ones are found behind it."""
    pack(site, first=rule_text() + "import planted_library\n")
    (site / "planted_library.py").write_text("")
    for name in ("planted_pack", "planted_library"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(entry.format(here=tmp_path))
    before = list(sys.path)
    assert [rule.code for rule in planted()] == ["ABC101"]
    assert sys.path == before


def test_a_pack_in_development_is_loaded_from_the_current_folder(site, tmp_path, monkeypatch):
    """An editable installation whose folder a `.pth` file puts on the path."""
    pack(site, first=rule_text())
    (site / "planted_pack").rename(tmp_path / "planted_pack")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BrokenPack):
        rules()
    note = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    (site / "planted_pack-1.0.dist-info" / "direct_url.json").write_text(json.dumps(note))
    assert [rule.code for rule in planted()] == ["ABC101"]


@pytest.mark.parametrize(
    ("modules", "module", "words"),
    [
        ({"first": "import nothing_of_that_name\n"}, "planted_pack.first", "cannot be imported (ModuleNotFoundError"),
        ({"first": "def\n"}, "planted_pack.first", "cannot be imported (SyntaxError"),
        ({"first": "raise SystemExit(3)\n"}, "planted_pack.first", "cannot be imported (SystemExit"),
        (
            {"first": rule_text() + KEYED},
            "planted_pack.first",
            "ABC101: GradientRead has no key to choose by; take 'x'",
        ),
        (
            {"first": rule_text() + TERRIBLE},
            "planted_pack.first",
            "the effect is 'terrible'; choose one of error, error",
        ),
        ({"first": rule_text(page="")}, "planted_pack.first", "has no page; write"),
        ({"first": rule_text("ABC1")}, "planted_pack.first", "`ABC1` is no rule code; a code is three capital"),
        ({"first": rule_text("GRD007")}, "planted_pack.first", "GRD007 is gradlint's own"),
        ({"first": rule_text(name="Mistake")}, "planted_pack.first", "`Mistake` is no rule name"),
        (
            {"first": rule_text(), "second": rule_text(name="other")},
            "planted_pack.second",
            "code ABC101 is taken by planted_pack.first of planted-pack; give one",
        ),
        (
            {"first": rule_text(), "second": rule_text("ABC102")},
            "planted_pack.second",
            "name planted-mistake is taken by planted_pack.first",
        ),
        ({"first": rule_text("GRD101")}, "planted_pack.first", "code GRD101 is taken by"),
        (
            {"first": rule_text().replace("consequence = print", "rule.bad(print)")},
            "planted_pack.first",
            "has no consequence; set",
        ),
    ],
)
def test_a_broken_pack_is_named_with_its_cure(site, modules, module, words):
    pack(site, **modules)
    with pytest.raises(BrokenPack) as caught:
        rules()
    if "GRD101" in words:
        assert "planted-pack" in str(caught.value)
        return
    assert str(caught.value).startswith(f"rule pack of planted-pack: {module}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "words"),
    [("planted_pack:rules", "names a package, not something in it"), ("planted_absent", "cannot be imported")],
)
def test_an_entry_point_that_names_no_package_is_said(site, target, words):
    pack(site, target=target, first=rule_text())
    with pytest.raises(BrokenPack, match=words):
        rules()


def test_nothing_of_the_path_is_looked_at_but_installed_folders(monkeypatch):
    monkeypatch.setattr(sys, "path", ["", "/linted", "/env/lib/site-packages", "/usr/lib/python3/dist-packages"])
    folders = installation.folders()
    assert folders[:2] == ["/env/lib/site-packages", "/usr/lib/python3/dist-packages"]
    assert len(folders) == 3


def test_what_modules_of_a_pack_import_beside_them_is_watched():
    """Modules whose names begin with `_` bring no rule, but rules import them: what was found with them is stale."""
    watched = installation.watched([gradlint_rules.grad_mode])
    assert [path for path in watched if os.path.basename(path) == "_in_vain.py"]
