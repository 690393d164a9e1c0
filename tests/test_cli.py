"""The command line keeps its promises: exit codes, streams, order, formats, and no traceback for any input."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from xml.sax.saxutils import unescape

import pytest
from commands import CLEAN, FAULTY, Run, inside, outside, two_files

from gradlint import cli, registry
from gradlint.rule import Raises, Rule

FLAKE8 = re.compile(r"^(?P<path>[^:]+):(?P<row>\d+):(?P<column>\d+): (?P<code>[A-Z]{3}\d{3}) (?P<text>\S.*)$")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return two_files(tmp_path)


@pytest.fixture
def gradlint(here: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return inside(here, monkeypatch)


@pytest.fixture
def process(here: Path) -> Run:
    return outside(here)


# ---- exit codes


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["clean.py"], 0, "nothing to report"),
        (["check", "clean.py"], 0, "nothing to report"),
        (["faulty.py"], 1, "1 finding in 1 file"),
        (["."], 1, "1 finding in 1 file"),
        ([], 1, "1 finding in 1 file"),
        (["--exit-zero", "faulty.py"], 0, "1 finding"),
        (["--exit-zero", "missing.py"], 2, "missing.py"),
        (["--select", "GRD402", "faulty.py"], 0, "nothing to report"),
        (["--select", "GRD402", "missing.py"], 2, "missing.py"),
        (["faulty.py", "missing.py"], 2, "missing.py"),
        (["--selct", "ALL", "."], 2, "--select"),
        (["--select", "integer-require-grad", "."], 2, "integer-requires-grad"),
        (["--select", "GRD9999", "."], 2, "GRD9999"),
        (["--output-format", "jsn", "."], 2, "json"),
        (["--config", "absent.toml", "."], 2, "absent.toml"),
        (["--show-files", "."], 0, ""),
        (["--statistics", "."], 1, "1 finding"),
        (["--no-cache", "--isolated", "faulty.py"], 1, "1 finding"),
        (["--output-file", "no/such/folder/out.txt", "faulty.py"], 2, "no/such/folder/out.txt"),
        (["rules"], 0, ""),
        (["rule", "GRD101"], 0, ""),
        (["rule", "integer-requires-grad"], 0, ""),
        (["rule", "integer-require-grad"], 2, "integer-requires-grad"),
        (["rule"], 2, "rule --help"),
        (["--version"], 0, ""),
        (["--help"], 0, ""),
        (["check", "--help"], 0, ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_exit_codes(gradlint: Run, args: list[str], code: int, said: str) -> None:
    ran = gradlint(*args)
    assert (ran.returncode, said in ran.stderr) == (code, True), ran.stderr


def test_a_command_comes_first_and_a_folder_of_its_name_by_path(gradlint: Run, here: Path) -> None:
    (here / "rules").mkdir()
    (here / "rules" / "one.py").write_text(FAULTY)
    assert "integer-requires-grad" in gradlint("rules").stdout
    for args in (["check", "rules"], ["./rules"]):
        assert gradlint(*args).stdout.startswith(os.path.join("rules", "one.py") + ":2:")


# ---- bad input


def _nested(depth: int) -> bytes:
    return b"x = " + b"[" * depth + b"]" * depth + b"\n"


@pytest.mark.parametrize(
    ("name", "content", "place", "said"),
    [
        ("unparsable.py", b"import torch\ndef f(:\n    pass\n", "2:7", "SyntaxError"),
        ("python2.py", b"import torch\nprint 'loss', 1\n", "2:1", "SyntaxError"),
        ("tabs.py", b"if True:\n\tx = 1\n        y = 2\n", "3:", "TabError"),
        ("latin.py", b"import torch  # caf\xe9\n", "1:", "UTF-8"),
        ("coding.py", b"# coding: klingon\nimport torch\n", "1:1", "klingon"),
        ("null.py", b"import torch\nx = 1\0\n", "", ""),
        ("open.py", b"import torch\nx = (1,\n", "2:", "SyntaxError"),
        ("book.ipynb", b'{"cells": []}', "1:1", "notebook"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.endswith(("py", "nb")) else "",
)
def test_a_file_that_cannot_be_read_is_a_finding(
    gradlint: Run, here: Path, name: str, content: bytes, place: str, said: str
) -> None:
    (here / name).write_bytes(content)
    ran = gradlint("--select", "GRD101", name, "faulty.py")
    about = [line for line in ran.stdout.splitlines() if line.startswith(f"{name}:")]
    assert len(about) == 1
    assert about[0].startswith(f"{name}:{place}")
    assert "GRD000" in about[0]
    assert said in about[0]
    assert "faulty.py:2:" in ran.stdout
    assert ran.returncode == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.py", b""),
        ("blank.py", b"\n\n\n"),
        ("mark.py", b"\xef\xbb\xbfimport torch\n"),
        ("carriage.py", b"import torch\rx = 1\r"),
        ("feed.py", b"import torch\n\x0cx = 1\n"),
        ("latin1.py", b"# coding: latin-1\nimport torch  # caf\xe9\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_python_reads_is_read(gradlint: Run, here: Path, name: str, content: bytes) -> None:
    (here / name).write_bytes(content)
    ran = gradlint(name)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout


@pytest.mark.parametrize("depth", [50, 150, 3000, 200_000])
def test_deep_nesting_is_survived(process: Run, here: Path, depth: int) -> None:
    (here / "deep.py").write_bytes(b"import torch\n" + _nested(depth))
    ran = process("deep.py", "faulty.py")
    assert ran.returncode in (0, 1)
    assert "faulty.py:2:" in ran.stdout


def test_a_folder_without_python_files_is_said_to_be_one(gradlint: Run, here: Path) -> None:
    (here / "empty").mkdir()
    ran = gradlint("empty")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "no Python files" in ran.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who may not read everything")
def test_a_file_without_permission_is_a_finding(gradlint: Run, here: Path) -> None:
    (here / "secret.py").write_text(FAULTY)
    (here / "secret.py").chmod(0)
    assert "secret.py:1:1: GRD000" in gradlint(".").stdout


def test_an_internal_error_names_the_file_and_spares_the_others(process: Run, here: Path) -> None:
    broken = (
        "import sys\n"
        "sys.argv[1:] = ['.']\n"
        "from gradlint import linter\n"
        "from gradlint.__main__ import main\n"
        "real = linter.analyse\n"
        "def analyse(text, *args, **options):\n"
        "    if 'requires' not in text: raise KeyError('two\\nlines')\n"
        "    return real(text, *args, **options)\n"
        "linter.analyse = analyse\n"
        "sys.exit(main())\n"
    )
    (here / "odd.py").write_text("import torch\n")
    ran = process(code=broken)
    assert ran.returncode == 1
    assert "faulty.py:2:" in ran.stdout
    assert "odd.py:1:1: GRD002 internal error: KeyError: 'two\\nlines'; please report it" in ran.stdout
    told = [line for line in ran.stderr.splitlines() if line.startswith("the traceback of the internal error is in ")]
    assert len(told) == 1
    kept = Path(told[0].removeprefix("the traceback of the internal error is in "))
    try:
        traceback = kept.read_text(encoding="utf-8")  # newer Pythons mark the place in a line below "in analyse"
        assert "in analyse\n" in traceback and traceback.splitlines()[-1] == "KeyError: 'two\\nlines'"
    finally:
        kept.unlink()
    broken = broken.replace("['.']", "['-v', '.']")
    ran = process(code=broken, wanted=True)
    assert ran.returncode == 1 and "Traceback" in ran.stderr and "the traceback of" not in ran.stderr
    broken = broken.replace("['-v', '.']", "['--ignore', 'GRD002', 'odd.py']")
    ran = process(code=broken)
    assert ran.returncode == 0 and not ran.stdout and "raceback" not in ran.stderr


# ---- stdin


def test_stdin_is_linted_under_the_name_it_is_given(gradlint: Run) -> None:
    ran = gradlint("-", "--stdin-filename", "src/model.py", stdin=FAULTY)
    assert ran.returncode == 1
    assert ran.stdout.startswith(os.path.join("src", "model.py") + ":2:")
    assert gradlint("-", stdin=CLEAN).returncode == 0
    assert "GRD000 SyntaxError" in gradlint("-", stdin="def f(:\n").stdout
    assert "GRD000" in gradlint("-", stdin=b"x = '\xff'\n").stdout


# ---- reports


def test_findings_go_to_stdout_in_order_and_everything_else_to_stderr(gradlint: Run, here: Path) -> None:
    (here / "b").mkdir()
    (here / "a.py").write_text(FAULTY * 2)
    (here / "b" / "z.py").write_text(FAULTY)
    ran = gradlint("b", ".", "a.py", "faulty.py")
    places = [FLAKE8.match(line) for line in ran.stdout.splitlines()]
    assert all(places)
    found = [(place["path"], int(place["row"]), int(place["column"])) for place in places if place]
    assert found == sorted(set(found))
    assert len(found) == 4
    assert "4 findings in 3 files" in ran.stderr
    assert not any(FLAKE8.match(line) for line in ran.stderr.splitlines())
    assert gradlint("-q", ".").stderr == ""


def test_json_has_the_keys_that_tools_know(gradlint: Run, here: Path) -> None:
    known = {"cell", "code", "end_location", "filename", "fix", "location", "message", "name"}
    known |= {"noqa_row", "severity", "url"}
    ran = gradlint("--output-format", "json", ".")
    (finding,) = json.loads(ran.stdout)
    assert known | {"confidence", "confidence_of", "consequence", "help", "notes", "signs"} == set(finding)
    assert finding["filename"] == str((here / "faulty.py").absolute())
    assert (finding["code"], finding["location"]["row"], finding["noqa_row"]) == ("GRD101", 2, 2)
    lines = gradlint("--output-format", "json-lines", ".").stdout
    assert [json.loads(line) for line in lines.splitlines()] == [finding]
    assert json.loads(gradlint("--output-format", "json", "clean.py").stdout) == []


def test_github_commands_are_escaped(gradlint: Run, here: Path) -> None:
    (here / "a,b:100%.py").write_text(FAULTY)
    ran = gradlint("--output-format", "github", "a,b:100%.py")
    (line,) = ran.stdout.splitlines()
    properties, _, said = line.removeprefix("::error ").partition("::")
    values = dict(pair.split("=") for pair in properties.split(","))
    assert unescape(values["file"], {"%3A": ":", "%2C": ",", "%25": "%"}) == str(here / "a,b:100%.py")
    assert values["title"] == "gradlint (GRD101)"
    assert said.startswith(r"a,b\x3a100%25.py:2:")


def test_the_full_report_shows_the_source_and_its_marks(gradlint: Run, here: Path) -> None:
    text = "import torch\ntäglich = torch.ones(3, requires_grad=True)\n日本 = 'ß';\ttäglich += 1  # now\n"
    (here / "train.py").write_text(text)
    ran = gradlint("--output-format", "full", "--select", "GRD301", "train.py")
    lines = ran.stdout.splitlines()
    assert lines[:2] == ["GRD301 in-place operation on `täglich`, a leaf that requires grad", " --> train.py:3:11"]
    shown = next(n for n, line in enumerate(lines) if line.startswith("3 | "))
    assert lines[shown] == "3 | 日本 = 'ß';    täglich += 1  # now"
    assert lines[shown + 1] == "  |                ^^^^^^^"
    assert lines[shown + 2].startswith("  = help: ")
    assert ran.stderr.splitlines()[1:] == ["`gradlint rule GRD301` explains the first"]


def test_terminals_are_not_obeyed_by_what_is_linted(gradlint: Run, here: Path) -> None:
    name = "odd\x1b[31m\n.py"
    (here / name).write_text(FAULTY.rstrip("\n") + "  # \x1b[2J \u202e\n")
    for style in ("full", "concise"):
        out = gradlint("--output-format", style, name).stdout
        assert "\x1b" not in out
        assert "\u202e" not in out
    assert len(gradlint("--output-format", "concise", name).stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "variables", "painted"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_as_asked(gradlint: Run, args: list[str], variables: dict[str, str], painted: bool) -> None:
    assert ("\x1b[" in gradlint(*args, "faulty.py", **variables).stdout) is painted


def test_statistics_count_each_rule(gradlint: Run, here: Path) -> None:
    (here / "more.py").write_text(FAULTY)
    assert gradlint("--statistics", ".").stdout == "2  GRD101  integer-requires-grad\n"
    counted = json.loads(gradlint("--statistics", "--output-format", "json", ".").stdout)
    assert counted == [{"code": "GRD101", "name": "integer-requires-grad", "count": 2}]


def test_the_report_may_go_to_a_file(gradlint: Run, here: Path) -> None:
    ran = gradlint("--output-file", "out.txt", "--output-format", "concise", "--color", "always", "faulty.py")
    assert ran.stdout == ""
    assert (here / "out.txt").read_text().startswith("faulty.py:2:")


def test_show_files_tells_what_would_not_be_linted_and_the_limits(gradlint: Run, tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text("# a comment\n" * 200_000)
    done = gradlint("--show-files", "-v")
    assert done.stdout.splitlines() == ["clean.py", "faulty.py", "large.py"]
    assert done.stderr.splitlines() == [
        "large.py: would not be linted: it is larger than 2 MB",
        "limits for each file: 120 s of CPU time, of which 10 s for parsing, and 1 GB of memory",
    ]
    (tmp_path / "gradlint.toml").write_text("limits = {seconds = 5, memory = 2000, size = 3}\n")
    limits = "limits for each file: 5 s of CPU time, of which 5 s for parsing, and 2 GB of memory"
    assert gradlint("--show-files", "-v").stderr.splitlines() == [limits]
    assert gradlint("-v").stderr.splitlines()[3] == limits


def test_show_files_lists_what_would_be_linted(gradlint: Run) -> None:
    assert gradlint("--show-files").stdout.splitlines() == ["clean.py", "faulty.py"]


# ---- manners


def test_a_terminal_without_our_letters_is_no_error(gradlint: Run, here: Path) -> None:
    (here / "größe.py").write_text(FAULTY.replace("w =", "größe ="))
    ran = gradlint("--output-format", "full", "größe.py", encoding="ascii")
    assert ran.returncode == 1
    assert "gr\\xf6\\xdfe" in ran.stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes are closed otherwise elsewhere")
# ---- rules and their pages


def test_rules_are_listed_for_people_and_for_programs(gradlint: Run) -> None:
    listed = json.loads(gradlint("rules", "--output-format", "json").stdout)
    keys = {"code", "name", "family", "summary", "message", "help", "default", "effect", "consequence"}
    assert all(keys <= set(rule) for rule in listed)
    assert [rule["code"] for rule in listed] == sorted(rule["code"] for rule in listed)
    table = gradlint("rules").stdout.splitlines()
    assert [line.split()[:2] for line in table] == [[rule["code"], rule["name"]] for rule in listed]


@pytest.mark.parametrize("rule", registry.rules(), ids=lambda rule: rule.code)
def test_every_rule_has_a_page_without_markers(gradlint: Run, rule: Rule) -> None:
    page = gradlint("rule", rule.code).stdout
    assert page.startswith(f"{rule.code} {rule.name}\n")
    assert not re.search(r"# *GRD\d{3}", page)
    assert all(word in page for word in ("What torch does", "Wrong, example 1", "Right, example 1"))
    assert "@rule" not in page and "{{" not in page.partition("Wrong, example")[0]


# ---- proving


def test_proofs_are_told_by_example(gradlint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    ran = gradlint("prove", "integer-requires-grad")
    lines = ran.stdout.splitlines()
    assert (ran.returncode, lines[0]) == (0, "GRD101 integer-requires-grad")
    assert all(line.count("\u2713") >= 2 and "\u2717" not in line for line in lines[1:])
    assert "seen yes" in gradlint("prove", "GRD101", encoding="ascii").stdout
    (rule,) = (rule for rule in registry.rules() if rule.code == "GRD101")
    file = sys.modules[rule.checks[0][2].__module__]
    monkeypatch.setattr(rule, "consequence", rule.consequence)  # the registry sets it anew; this puts it back
    monkeypatch.setattr(file, "consequence", Raises(RuntimeError, "something that torch does not say"))
    ran = gradlint("prove", "GRD101")
    assert (ran.returncode, "\u2717" in ran.stdout, "0 failed" in ran.stderr) == (1, True, False)


def test_proving_without_torch_says_how_to_get_it(process: Run) -> None:
    hidden = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "sys.argv[1:] = ['prove']\n"
        "from gradlint.__main__ import main\n"
        "sys.exit(main())\n"
    )
    ran = process(code=hidden)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert "pip install torch" in ran.stderr


# ---- help and hints


def test_the_help_shows_common_options_and_no_line_is_too_wide(gradlint: Run) -> None:
    for args in ([], ["check"], ["rule"], ["docs"]):
        shown = gradlint(*args, "--help").stdout
        assert max(map(len, shown.splitlines())) <= 80
    shown = gradlint("--help").stdout
    assert shown.index("Commands:") < shown.index("Common options of check:") < shown.index("--output-format FORMAT")


def test_every_option_of_check_is_in_one_group() -> None:
    from gradlint.commands import helping

    grouped = [name for names in helping.GROUPS.values() for name in names]
    options = {param.name for param in cli.cli.commands["check"].params if param.name != "paths"}
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= options
    assert options - set(grouped) == {"jobs", "no_cache", "cache_dir"}
    assert set(helping.COMMON) <= options


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["chekc"], "did you mean `gradlint check`?"),
        (["rulees"], "did you mean `gradlint rules`?"),
        (["--selct", "GRD1"], "no option `--selct`; did you mean `--select`?"),
        (["check", "--outptu-format", "json"], "did you mean `--output-format`?"),
        (["rule", "GRD399"], "no rule is called `GRD399`; `gradlint rule GRD3` lists its family"),
        (["--select", "GRD1022", "."], "`gradlint rule GRD1` lists its family"),
        (["rule", "ABC999"], "`gradlint rules` lists all"),
        (["rule", "in-place-on-lef"], "did you mean `in-place-on-leaf`?"),
    ],
)
def test_what_was_meant_is_suggested(gradlint: Run, args: list[str], told: str) -> None:
    ran = gradlint(*args)
    assert (ran.returncode, told in ran.stderr) == (2, True), ran.stderr


@pytest.mark.parametrize("args", [["nowhere.py"], ["src/check"], ["--jsn"], ["--format", "json"]])
def test_nothing_is_suggested_where_nothing_is_alike(gradlint: Run, args: list[str]) -> None:
    ran = gradlint(*args)
    assert (ran.returncode, "did you mean" in ran.stderr) == (2, False), ran.stderr


# ---- rules on a terminal


def test_the_beginning_of_a_code_lists_a_family(gradlint: Run) -> None:
    listed = gradlint("rule", "grd3").stdout.splitlines()
    assert [line[:6] for line in listed] == [r.code for r in registry.rules() if r.code.startswith("GRD3")]


@pytest.mark.parametrize("columns", [80, 120])
def test_rules_and_pages_fit_the_width(columns: int) -> None:
    from gradlint.report import pages

    every = registry.rules()
    table = pages.families(every, False, columns)
    assert max(map(len, table.splitlines())) <= columns
    codes = [line[:6] for line in table.splitlines() if re.match(r"GRD\d{3} ", line)]
    assert sorted(codes) == [rule.code for rule in every]
    assert "Leaves (GRD12x)\n" in table
    for rule in every:
        page = pages.page(rule, False, columns)
        assert all(len(line) <= columns or line.startswith("    ") for line in page.splitlines())
        assert page.index("Wrong, example 1") < page.index("Right, example 1") < page.index("What torch does")


def test_colour_changes_nothing_of_a_page_but_the_backticks() -> None:
    from gradlint.report import pages

    def plain(text: str) -> str:
        return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("`", "")

    for rule in registry.rules():
        painted = pages.page(rule, True, 80)
        assert "\x1b[" in painted
        assert plain(painted) == pages.page(rule, False, 80).replace("`", "")
    assert plain(pages.families(registry.rules(), True, 80)) == pages.families(registry.rules(), False, 80).replace(
        "`", ""
    )
