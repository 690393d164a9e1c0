"""Whatever lies where a file is looked for, and whatever it is called: the run ends soon, says so, lints the rest."""

from __future__ import annotations

import io
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import reading_reports
from reading_reports import READERS

from gradlint import cli
from gradlint.report import FORMATS
from gradlint.report.entry import safe_name

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are elsewhere otherwise")

FAULTY = "import torch\nw = torch.tensor([1, 2, 3], requires_grad=True)\n"
FOUND = "faulty.py:2:5: GRD101"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository with a faulty file."""
    folder = tmp_path / "here"
    (folder / ".git" / "info").mkdir(parents=True)
    (folder / "faulty.py").write_text(FAULTY)
    return folder


@pytest.fixture
def gradlint(here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs gradlint in that folder, inside this process."""

    def run(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2))
        with monkeypatch.context() as patch:
            patch.chdir(here)
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", err)
            code = cli.run(args)
        texts = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(args, code, *texts)

    return run


def limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (10, 11))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def process(folder: Path, *args: str, shell: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs gradlint as users do, with 10 CPU seconds and 1 GB."""
    command = ["bash", "-c", shell, sys.executable] if shell else [sys.executable, "-m", "gradlint", *args]
    ran = subprocess.run(
        command, cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False,
        preexec_fn=limits, timeout=300, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran


# ---- what is no file


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        before = os.getcwd()
        os.chdir(path.parent)
        one.bind(path.name)
        os.chdir(before)


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40 + b"\n" + b"[\x00\n!\n[!\n\\\n" * 50)


KINDS = (pipe, endless, listening)
SAID = {pipe: "it is a pipe", endless: "it is a device", listening: "it is a socket"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_no_file_is_a_finding_where_it_is_named(gradlint, here, kind):
    kind(here / "odd.py")
    ran = gradlint("odd.py", "faulty.py")
    assert ran.stdout.splitlines()[0].startswith(FOUND)
    assert ran.stdout.splitlines()[1] == f"odd.py:1:1: GRD000 cannot be read: {SAID[kind]}"
    assert ran.returncode == 1
    assert gradlint(".").stdout.count("\n") == 1
    assert gradlint("--config", "odd.py", ".").stderr.endswith(f"odd.py: {SAID[kind]}\n")
    assert f"odd.py: cannot be read: {SAID[kind]}" in gradlint("coverage", "odd.py").stderr


GIT = (".gitignore", ".git/config", ".git/info/exclude", ".git/commondir", "personal/ignore", "elsewhere")


@pytest.mark.parametrize("kind", [*KINDS, noise], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("where", GIT)
def test_what_git_would_read_does_not_stop_us(gradlint, here, monkeypatch, where, kind):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(here.parent))
    monkeypatch.setenv("HOME", str(here.parent))
    if where == "elsewhere":
        (here / ".git" / "config").write_text(f"[core]\nexcludesFile = {here / where}\n")
    path = here.parent / "git" / "ignore" if where == "personal/ignore" else here / where
    path.parent.mkdir(exist_ok=True)
    kind(path)
    ran = gradlint(".")
    assert ran.stdout.startswith(FOUND)
    linked = where == ".gitignore" and kind is endless  # git follows no link in its place
    assert (kind in SAID and not linked) is (f"does not count for what git ignores: {SAID.get(kind)}" in ran.stderr)


@pytest.mark.parametrize("name", ["pyproject.toml", "gradlint.toml", ".git"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_no_configuration_is_none(gradlint, here, name, kind):
    if name == ".git":
        (here / ".git" / "info").rmdir()
        (here / ".git").rmdir()
    kind(here / name)
    assert gradlint(".").stdout.startswith(FOUND)


def backtracking(folder: Path) -> None:
    (folder / ".gitignore").write_text("*a*a*a*a*a*a*a*ac\n**/a/**/a/**/a/**/a/**/a/**/c\n")
    (folder / f"{'a' * 61}b.py").touch()


def many_folders(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(f'[tool.gradlint]\nexclude = ["{"**/" * 10}x"]\n')
    (folder / ("d/" * 30)).mkdir(parents=True)
    (folder / ("d/" * 30) / "a.py").touch()


def quoted_imports(folder: Path) -> None:
    (folder / "gate.py").write_text(
        "import torch\n" + '"""\nfrom' + " " * 20_000 + "x\n" + "from x import (a\n" * 8000 + '"""\n'
    )


def quotes(folder: Path) -> None:
    (folder / "quotes.py").write_text("import torch\nx = " + '\\"' * 16_000 + "\n")


def comments(folder: Path) -> None:
    (folder / "comments.py").write_text(FAULTY.rstrip() + "  " + "# gradlint: ignore[" * 8000 + "\n")


def encoded(folder: Path) -> None:
    (folder / "encoded.py").write_text("# coding: idna\n" + "a.\n" * 20_000)


def too_large(folder: Path) -> None:
    (folder / "large.py").write_text("# torch\n" * 300_000)


def test_what_grows_is_done_in_time(here):
    for plant in (backtracking, many_folders, quoted_imports, quotes, comments, encoded, too_large):
        plant(here)
    ran = process(here, ".")
    assert (ran.returncode, FOUND in ran.stdout) == (1, True), ran.stderr
    assert {line.partition(":")[0] for line in ran.stdout.splitlines()} == {
        *("comments.py", "encoded.py", "faulty.py", "large.py", "quotes.py")
    }


def test_many_patterns_are_read_in_time(here):
    (here / ".gitignore").write_text("".join(f"*.x{number}\n" for number in range(100_000)))
    assert FOUND in process(here, ".").stdout


def test_a_key_without_end_is_refused(gradlint, here):
    (here / "pyproject.toml").write_text("a" + ".a" * 100_000 + " = 1\n")
    ran = gradlint(".")
    assert (ran.returncode, "more than 500 dots" in ran.stderr) == (2, True)


def test_what_is_too_large_is_told(gradlint, here):
    too_large(here)
    said = "GRD002 larger than 2 MB"
    assert f"large.py:1:1: {said}" in gradlint(".").stdout
    assert f"-:1:1: {said}" in gradlint("-", stdin=b"#" * 2_000_001).stdout
    (here / "gradlint.toml").write_text("#" * 1_000_001)
    assert gradlint(".").returncode == 2


def test_what_may_not_be_read_is_a_finding_and_the_rest_is_linted(gradlint, here, monkeypatch):
    (here / "secret.py").write_text(FAULTY)
    real_access, real_open = os.access, os.open

    def may_open(path: str, *args: int, **options: int) -> int:
        if str(path).endswith("secret.py"):
            raise PermissionError(13, "Permission denied")
        return real_open(path, *args, **options)

    monkeypatch.setattr(
        os, "access", lambda path, *args, **options: "secret" not in str(path) and real_access(path, *args)
    )
    monkeypatch.setattr(os, "open", may_open)
    ran = gradlint("secret.py", "faulty.py")
    assert [line.split(" ")[1] for line in ran.stdout.splitlines()] == ["GRD101", "GRD000"]
    assert (ran.returncode, ran.stderr) == (1, "2 findings in 2 files; 1 with `--fix --unsafe-fixes`\n")


def test_a_file_with_two_names_is_linted_once(gradlint, here):
    (here / "a_link.py").symlink_to("faulty.py")
    (here / "folder").symlink_to(".")
    for args, name in (
        ((".",), "faulty.py"),
        (("a_link.py", "."), "a_link.py"),
        ((".", "a_link.py", "folder"), "faulty.py"),
        (("folder", "."), "folder/faulty.py"),
    ):
        assert [line.partition(":")[0] for line in gradlint(*args).stdout.splitlines()] == [name]


# ---- patterns that are none


@pytest.mark.parametrize("pattern", ["[", "src/[a", "[[:no:]]", "a\\\\", "", "/"])
@pytest.mark.parametrize("key", ["exclude", "extend-exclude", "per-file-ignores"])
def test_what_is_no_pattern_is_named_with_file_and_key(gradlint, here, key, pattern):
    value = f'{{"{pattern}" = ["ALL"]}}' if key == "per-file-ignores" else f'["{pattern}"]'
    (here / "gradlint.toml").write_text(f"{key} = {value}\n")
    ran = gradlint(".")
    assert (ran.returncode, ran.stdout) == (2, "")
    written = pattern.replace("\\\\", "\\")
    assert f"{here / 'gradlint.toml'}: `{key}`: `{written}` is no pattern: " in ran.stderr
    if pattern and key != "per-file-ignores":
        assert f"--{key}: `{written}` is no pattern: " in gradlint("--isolated", f"--{key}", written, ".").stderr


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        *(
            ("tests/", "`tests/*`"),
            ("tests", "`tests/*`"),
            ("!tests", "`tests/*`"),
            ("../a.py", "`..`"),
            ("a//b", "`..`"),
        ),
        *(("tests/*", ""), ("*.py", ""), ("faulty.py", ""), ("nowhere/*.py", "")),
    ],
)
def test_a_pattern_that_can_match_no_file_is_told(gradlint, here, pattern, said):
    (here / "tests").mkdir()
    (here / "gradlint.toml").write_text(f'per-file-ignores = {{"{pattern}" = ["GRD402"]}}\n')
    warnings = [line for line in gradlint(".").stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == bool(said)
    assert all(f"gradlint.toml: `per-file-ignores`: `{pattern}` matches no file: " in line for line in warnings)
    assert all(said in line for line in warnings)


# ---- names that could be taken for something else

NAMES = [
    *(b"::error title=x::forged.py", b" ::error::forged.py", b"##[error]forged.py", b"a##[error]b.py", b"##vso[x]y.py"),
    *(b"a\n::error::b.py", b"a\r::error::b.py", b"a\nb.py:1:1: GRD101 forged.py", b"a:3:4: GRD101 forged.py"),
    *(b"\x1b[31mred.py", b"\x1b]0;title\x07.py", b"tab\t.py", b"\xc2\x9b31m.py", b"null\x7f.py", b"\xc2\x85next.py"),
    *("line\u2028.py".encode(), "paragraph\u2029.py".encode(), "bidi\u202eyp.py".encode(), "mark\u200e.py".encode()),
    *("nothing\u200b.py".encode(), "tag\U000e0061.py".encode(), b"bytes\xff\xfe.py", b"-rf.py", b"--select=x.py"),
    *(
        b"%0A::error::x.py",
        b"comma,line=1::x.py",
        b" lead.py",
        b"trail .py",
        b'quote".py',
        b"back\\slash.py",
        b"warning: x.py",
    ),
]


@pytest.fixture
def named(here: Path) -> Path:
    """A folder full of such names, and one called so."""
    for name in NAMES:
        Path(os.fsdecode(bytes(here / "x").removesuffix(b"x") + name)).write_text(FAULTY)
    folder = here / "dir\n::warning::d"
    folder.mkdir()
    (folder / "x.py").write_text(FAULTY)
    return here


def is_clean(text: str) -> bool:
    """Whether nothing in a text is obeyed by a terminal or a runner but our own commands."""
    plain = all(line.isprintable() for line in text.split("\n"))
    commands = any(line.lstrip().startswith(("::", "##")) for line in text.split("\n"))
    return plain and not commands and "##[" not in text and "##vso[" not in text


@pytest.mark.parametrize("style", FORMATS)
def test_no_name_forges_a_finding(gradlint, named, style):
    out = gradlint("--output-format", style, ".").stdout
    own = {"github": "::error title", "azure": "##vso[task.logissue "}
    assert is_clean(out.replace(own[style], "command") if style in own else out)
    found = list(READERS[style](out))
    there = [os.fsdecode(name) for name in [*NAMES, b"faulty.py", b"dir\n::warning::d/x.py"]]
    assert sorted(one.path for one in found) == sorted(
        reading_reports.named(style, name, os.path.join(named, name)) for name in there
    )
    assert {(one.row, one.code) for one in found} == {(2, "GRD101")}


@pytest.mark.parametrize(
    "args",
    [
        *(
            ["--show-files", "."],
            ["-v", "."],
            ["--statistics", "."],
            ["coverage", "."],
            ["coverage", "--output-format", "json", "."],
        ),
        *(["--select", "X\x1b[31m\n::error::", "."], ["--output-format", "\n::error::", "."], ["\n::error::no\x1b.py"]),
        *(
            ["--config", "\n::error::\x1b.toml", "."],
            ["--target-torch", "\n::error::\x1b", "."],
            ["--exclude", "[\n::error::\x1b", "."],
        ),
        *(["rule", "\n::error::\x1b"], ["coverage", "\n::error::no\x1b.py"], ["prove", "\n::error::\x1b"]),
        *(
            ["new", "rule", "\n::error::\x1b"],
            ["new", "rule", "a-name", "--folder", "\n::error::\x1b"],
            ["--\n::error::\x1b"],
        ),
        *(["--output-file", "no\n::error::\x1b/x", "."], ["--extend-exclude", "::error::*,\n*", "-v", "."]),
        *(["-", "--stdin-filename", "\n::error::\x1b.py"], ["-", "-v", "--stdin-filename", "::error::.ipynb"]),
    ],
    ids=repr,
)
def test_no_name_forges_a_line_of_any_command(gradlint, named, args):
    ran = gradlint(*args)
    assert is_clean(ran.stdout), ran.stdout
    assert is_clean(ran.stderr), ran.stderr


def test_each_file_is_shown_on_a_line(gradlint, named):
    shown = sorted(safe_name(os.fsdecode(name)) for name in [*NAMES, b"faulty.py", b"dir\n::warning::d/x.py"])
    assert sorted(gradlint("--show-files", ".").stdout.splitlines()) == shown
    *told, limits = gradlint("-v", "--output-format", "json", ".").stderr.splitlines()
    assert limits.startswith("limits for each file: ")
    assert len([line for line in told if not line.startswith("warning: ") or "x.py" in line]) == len(shown)


@pytest.mark.parametrize("name", ["\n::error::\x1b.toml", "::error::.toml"])
def test_no_key_forges_a_line(gradlint, here, name):
    (here / name).write_text('"\\u001b[31m\\n::error::x" = 1\n')
    ran = gradlint("--config", name, ".")
    assert (ran.returncode, ran.stderr.count("\n"), is_clean(ran.stderr)) == (2, 1, True), ran.stderr


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.py", "a.py"),
        ("größe/日本.py", "größe/日本.py"),
        ("C:\\a.py", "C:\\a.py"),
        ("a b-c.py", "a b-c.py"),
        ("::a", "./::a"),
        ("-a", "./-a"),
        ("a:1:2: b", r"a\x3a1\x3a2: b"),
        ("a\n\x1b\udcff\u202e", r"a\n\x1b\udcff\u202e"),
        ("a##[b]", r"a#\x23[b]"),
        ("\n##b", r"\n##b"),
    ],
)
def test_a_name_is_shown_as_it_is_where_it_is_harmless(name, shown):
    assert safe_name(name) == shown


# ---- where one stands, and what is given


def test_stdin_is_called_as_it_is_given(gradlint):
    for name in ("src/../a.py", "./a.py", "a//b.py", "/x/../a.py"):
        ran = gradlint("-", "--stdin-filename", name, stdin=FAULTY.encode())
        assert ran.stdout.startswith(f"{name}:2:5: GRD101")


def test_stdin_that_is_closed_is_told(here):
    ran = process(here, shell='"$0" -m gradlint - <&-')
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert "stdin is closed" in ran.stderr


def test_a_folder_that_is_gone_does_not_matter_to_absolute_paths(here):
    gone = 'mkdir ../gone; cd ../gone; rmdir ../gone; "$0" -P -m gradlint --output-format concise '
    ran = process(here, shell=f"{gone} '{here}/faulty.py' '{here}'")
    assert (ran.returncode, ran.stdout.count("\n")) == (1, 1), ran.stderr
    assert ran.stdout.startswith(f"{here}/{FOUND}")
    assert (process(here, shell=f"{gone} .").returncode, process(here, shell=f"{gone} a.py").returncode) == (2, 2)


@pytest.mark.parametrize(("args", "told"), [(["rule", "GRD101"], True), (["rules"], True), (["faulty.py"], False)])
def test_pages_that_python_has_stripped_are_told(here, args, told):
    ran = process(here, *args, PYTHONOPTIMIZE="2")
    assert ("`-OO`" in ran.stderr) is told
    assert "GRD101" in ran.stdout
