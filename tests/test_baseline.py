"""What a baseline accepts is not told, and all that is new is told alone, however it is asked for."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradlint import cli, run

MISTAKE = "w = torch.tensor([1, 2], requires_grad=True)\n"
OTHER = "v = torch.tensor([3], requires_grad=True)\n"
PROJECT = {
    "pyproject.toml": "",
    "a.py": f"import torch\n{MISTAKE}{MISTAKE}",
    "parts/b.py": f"import torch\n{OTHER}",
    "helper.py": "def train(model, x):\n    model(x).sum().backward()\n",
    "caller.py": (
        "import torch\nfrom helper import train\nmodel = torch.nn.Linear(1, 1)\nfor p in model.parameters():\n"
        "    p.requires_grad_(False)\ntrain(model, torch.ones(1))\n"
    ),
    "broken.py": "x = (\n",
    **{f"more{number}.py": f"import torch\n{MISTAKE}" for number in range(8)},
}
FILE = "accepted.json"

Gradlint = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture
def gradlint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Gradlint:
    """Runs the command: its exit code, what it reports, and what it says besides."""

    def call(*arguments: str) -> tuple[int, list[str], list[str]]:
        capsys.readouterr()
        code = cli.run(["--isolated", *arguments])
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err.splitlines()

    monkeypatch.setattr(run, "SILENT", 0.0)  # results are told as they come
    return call


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gradlint: Gradlint) -> Path:
    """A project with a baseline of all that is found in it."""
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert len(gradlint()[1]) == 13
    assert gradlint("--baseline", FILE, "--update-baseline")[:2] == (cli.CLEAN, [])
    return tmp_path


def entries(project: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((project / FILE).read_text())["findings"]
    return found


# ---- what is told


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("parts", "caller.py"),  # what it leads to is accepted there
        ("--no-cache",),
        ("-j1",),
        ("-j2", "--no-cache"),
        ("a.py",),
        ("--output-format", "full"),
        ("--output-format", "json-lines"),
        ("--output-format", "github"),
        ("--statistics",),
    ],
)
def test_the_baseline_of_a_run_makes_it_report_nothing(project, gradlint, options):
    code, out, err = gradlint("--baseline", FILE, *options)
    assert (code, out) == (cli.CLEAN, []) and not [line for line in err if "warning" in line]


def test_nothing_is_an_empty_list_of_objects(project, gradlint):
    assert gradlint("--baseline", FILE, "--output-format", "json")[:2] == (cli.CLEAN, ["[]"])


def test_it_holds_wherever_one_stands_and_however_paths_are_written(project, gradlint, monkeypatch):
    (project.parent / "link").symlink_to(project)
    for folder, path in ((project / "parts", "../accepted.json"), (project.parent / "link", FILE)):
        monkeypatch.chdir(folder)
        for paths in ([str(project)], [".."], [str(project.parent / "link")]):
            if folder.name == "parts" or ".." not in paths:
                assert gradlint("--baseline", path, *paths)[:2] == (cli.CLEAN, [])


EDITS: dict[str, Callable[[Path], object]] = {
    "rows are put in": lambda p: (p / "a.py").write_text("\n# x\n" + PROJECT["a.py"].replace(MISTAKE, f"\n{MISTAKE}")),
    "a line is indented": lambda p: (p / "parts/b.py").write_text(f"import torch\nif torch:\n    {OTHER}"),
    "another file is new": lambda p: (p / "new.py").write_text("import torch\n"),
    "another file is gone": lambda p: (p / "more1.py").unlink(),
    "one of two equal mistakes is gone": lambda p: (p / "a.py").write_text(f"import torch\n{MISTAKE}"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("edit", EDITS)
def test_what_is_changed_elsewhere_makes_no_old_finding_new(project, gradlint, edit):
    EDITS[edit](project)
    assert gradlint("--baseline", FILE)[:2] == (cli.CLEAN, [])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", [(), ("--no-cache", "-j2"), ("a.py", "parts/b.py")])
@pytest.mark.parametrize(
    ("file", "text", "row"),
    [
        ("a.py", f"import torch\n{MISTAKE}{MISTAKE}{MISTAKE}", 4),  # a third equal one
        ("a.py", f"import torch\n{OTHER}{MISTAKE}{MISTAKE}", 2),
        ("parts/b.py", f"import torch\n{OTHER}{MISTAKE}", 3),
        ("parts/b.py", f"import torch\n{OTHER.replace('3', '4')}", 2),
    ],
)
def test_a_new_finding_is_told_alone(project, gradlint, file, text, row, options):
    (project / file).write_text(text)
    code, out, _ = gradlint("--baseline", FILE, *options)
    assert code == cli.FOUND and [line.split(": ")[0] for line in out] == [f"{file}:{row}:5"]


def test_the_configuration_names_it_from_its_own_folder(project, gradlint, monkeypatch):
    (project / "pyproject.toml").write_text(f'[tool.gradlint]\nbaseline = "{FILE}"\n')
    monkeypatch.chdir(project / "parts")
    assert cli.run([".."]) == cli.CLEAN
    assert cli.run(["..", "--isolated"]) == cli.FOUND


def test_what_comes_over_stdin_is_accepted_under_its_name(project):
    command = [sys.executable, "-m", "gradlint", "-", "--isolated", "--baseline", FILE, "--stdin-filename"]
    for name, code in (("a.py", cli.CLEAN), ("z.py", cli.FOUND)):
        assert subprocess.run([*command, name], input=PROJECT["a.py"], text=True, check=False).returncode == code


def test_what_has_no_name_is_gone_in_no_other_run(project, gradlint, monkeypatch):
    def given() -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PROJECT["a.py"].encode())))

    given()
    assert gradlint("-", "--baseline", FILE, "--update-baseline")[0] == cli.CLEAN
    given()
    assert gradlint("-", "--baseline", FILE)[:2] == (cli.CLEAN, [])
    assert not [line for line in gradlint("--baseline", FILE)[2] if "accepts" in line]


# ---- what is written


def test_it_is_written_in_order_with_an_entry_in_a_row_and_only_if_it_changes(project, gradlint):
    rows = (project / FILE).read_text().splitlines()
    assert rows[:3] == ["{", ' "version": 1,', ' "findings": ['] and len(rows) == 5 + len(entries(project))
    keys = [(one["path"], one["code"], one["line"]) for one in entries(project)]
    assert keys == sorted(keys) and keys[0] == ("a.py", "GRD101", MISTAKE.strip()) and entries(project)[0]["count"] == 2
    assert "parts/b.py" in [path for path, _, _ in keys]
    before = (project / FILE).stat()
    assert gradlint("--baseline", FILE, "--update-baseline")[2][-1] == f"{FILE} accepts 13 findings"
    assert (project / FILE).stat().st_ino == before.st_ino and (project / FILE).stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    ("options", "gone", "stale"),
    [
        ((), {"a.py", "more1.py", "more2.py"}, 4),
        (("a.py",), {"a.py", "more2.py"}, 3),
        (("--select", "GRD2"), {"more2.py"}, 1),  # of what was not asked for nobody knows
        (("parts",), {"more2.py"}, 1),
    ],
)
def test_what_matches_nothing_any_more_is_told_and_forgotten(project, gradlint, options, gone, stale):
    for name in ("a.py", "more1.py"):
        (project / name).write_text("import torch\n")
    (project / "more2.py").unlink()
    before = {one["path"] for one in entries(project)}
    said = (
        f"warning: {stale} finding{'s' * (stale > 1)} that {FILE} accepts cannot be found any more; `--update-baseline`"
    )
    code, out, err = gradlint("--baseline", FILE, *options)
    assert (code, out) == (cli.CLEAN, []) and [line for line in err if line.startswith(said)]
    assert gradlint("--baseline", FILE, "--update-baseline", *options)[0] == cli.CLEAN
    assert {one["path"] for one in entries(project)} == before - gone
    assert not [line for line in gradlint("--baseline", FILE, *options)[2] if "accepts" in line]


def test_of_a_file_that_is_not_linted_whole_nothing_is_forgotten(project, gradlint):
    before = entries(project)
    (project / "a.py").write_text("x = (\n")
    assert not [line for line in gradlint("--baseline", FILE)[2] if "accepts" in line]
    gradlint("--baseline", FILE, "--update-baseline")
    assert [one for one in before if one not in entries(project)] == []
    assert len(entries(project)) == len(before) + 1


# ---- what is no baseline

GOOD = {"path": "a.py", "code": "GRD101", "line": "x", "count": 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1, column 1"),
        ('{\n "version": 1,\n<<<<<<< ours\n', "line 3, column 1"),
        (b'{"version": 1,\n"\xff"}', "line 2: byte 0xff"),
        ("[" * 100_000, "too large or too deep"),
        ('{"version": ' + "1" * 5000 + "}", "too large or too deep"),
        ("[]", "no `version`"),
        ({"version": 2, "findings": []}, "`version` is 2, and this gradlint knows 1"),
        ({"version": True, "findings": []}, "`version` is true"),
        ({"version": 1}, "must hold `findings`"),
        ({"version": 1, "findings": {}}, "must hold `findings`"),
        ({"version": 1, "findings": [], "more": 1}, "nothing else"),
        ({"version": 1, "findings": [GOOD, []]}, "entry 2 of `findings` must have"),
        ({"version": 1, "findings": [{**GOOD, "more": 1}]}, "entry 1 of `findings` must have"),
        ({"version": 1, "findings": [{**GOOD, "path": 1}]}, "entry 1 of `findings`: `path` must be a string, not 1"),
        ({"version": 1, "findings": [{**GOOD, "count": 0}]}, "`count` must be a whole number above 0, not 0"),
        ({"version": 1, "findings": [{**GOOD, "count": True}]}, "`count` must be a whole number above 0, not true"),
        ({"version": 1, "findings": [{**GOOD, "count": []}]}, "not a list"),
        (
            {"version": 1, "findings": [GOOD, {**GOOD, "count": 2}]},
            'entry 2 of `findings` says anew how often "GRD101"',
        ),
    ],
)
@pytest.mark.sampled(20)
@pytest.mark.parametrize("update", [(), ("--update-baseline",)])
def test_what_is_no_baseline_is_an_error_and_stays_as_it_is(tmp_path, monkeypatch, gradlint, content, said, update):
    monkeypatch.chdir(tmp_path)
    data = content if isinstance(content, bytes) else content if isinstance(content, str) else json.dumps(content)
    data = data.encode() if isinstance(data, str) else data
    (tmp_path / FILE).write_bytes(data)
    code, out, err = gradlint("--baseline", FILE, *update)
    assert (code, out) == (cli.WRONG, []) and len(err) == 1
    assert f"error: {tmp_path / FILE} is no baseline: " in err[0] and said in err[0] and "--update-baseline" in err[0]
    assert (tmp_path / FILE).read_bytes() == data


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--baseline", "missing.json"), "there is no baseline"),
        (("--baseline", "."), "cannot read the baseline"),
        (("--baseline", "no/such.json", "--update-baseline"), "cannot write the baseline"),
        (("--update-baseline",), "needs `--baseline FILE`"),
        (("--baseline", FILE, "--update-baseline", "--add-noqa"), "choose one"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path, monkeypatch, gradlint, options, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = gradlint(*options)
    assert (code, out) == (cli.WRONG, []) and said in err[-1] and os.listdir(tmp_path) == []


def test_a_merge_with_another_line_end_and_a_mark_is_read(project, gradlint):
    data = (project / FILE).read_bytes()
    (project / FILE).write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert gradlint("--baseline", FILE)[:2] == (cli.CLEAN, [])
