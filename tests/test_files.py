"""What is linted: what is named, and in folders what git and the configuration leave."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradlint import ignoring
from gradlint.config import DEFAULT_EXCLUDE
from gradlint.files import Excluded, Found, find

USUAL = DEFAULT_EXCLUDE


def tree(root: Path, *files: str, **contents: str) -> None:
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(root: Path, *paths: str, patterns: tuple[str, ...] = USUAL, force: bool = False, git: bool = True) -> Found:
    return find([str(root / path) for path in paths], lambda _: Excluded(str(root), patterns, git), force)


def names(root: Path, *paths: str, **options: object) -> list[str]:
    return [os.path.relpath(file, root) for file in found(root, *paths, **options).files]  # type: ignore[arg-type]


# ---- folders and names


def test_folders_are_walked_in_order_for_python_files_and_notebooks(tmp_path):
    tree(tmp_path, "b.py", "a/z.pyi", "a/b/c.py", "a.txt", "a/b.ipynb", "a/.#c.py", ".hidden/d.py", "x.py/y.py")
    assert names(tmp_path, "") == [".hidden/d.py", "a/b.ipynb", "a/b/c.py", "a/z.pyi", "b.py", "x.py/y.py"]
    assert names(tmp_path, "b.py", "a", "", "./a/../b.py") == names(tmp_path, "")


@pytest.mark.parametrize("folder", DEFAULT_EXCLUDE)
def test_what_nobody_wants_linted_is_left_out_unless_named(tmp_path, folder):
    tree(tmp_path, f"src/{folder}/deep/a.py", "src/b.py")
    assert names(tmp_path, "") == ["src/b.py"]
    assert names(tmp_path, f"src/{folder}") == [f"src/{folder}/deep/a.py"]
    assert names(tmp_path, f"src/{folder}/deep/a.py") == [f"src/{folder}/deep/a.py"]
    assert names(tmp_path, f"src/{folder}/deep/a.py", f"src/{folder}", "src/b.py", force=True) == ["src/b.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("gen", ["a.py", "src/deep/gen.py", "src/a.py", "src/deep/b.py"]),
        ("gen/", ["a.py", "src/deep/gen.py", "src/a.py", "src/deep/b.py"]),
        ("*.py", []),
        ("a.*", ["src/deep/gen.py", "src/gen/c.py", "src/deep/b.py"]),
        ("src/deep", ["a.py", "src/a.py", "src/gen/c.py"]),
        ("./src/deep/", ["a.py", "src/a.py", "src/gen/c.py"]),
        ("src/*.py", ["a.py"]),
        ("**/a.py", ["src/deep/gen.py", "src/gen/c.py", "src/deep/b.py"]),
        ("src/**/b.py", ["a.py", "src/deep/gen.py", "src/a.py", "src/gen/c.py"]),
        ("deep/b.py", ["a.py", "src/deep/gen.py", "src/a.py", "src/gen/c.py", "src/deep/b.py"]),
        ("src/**/**/*.py", ["a.py"]),
        ("src/d[e-g]ep/[!b].*", ["a.py", "src/deep/gen.py", "src/a.py", "src/gen/c.py", "src/deep/b.py"]),
        ("src/d[e-g]ep/[!g].*", ["a.py", "src/deep/gen.py", "src/a.py", "src/gen/c.py"]),
        ("[]a].p?", ["src/deep/gen.py", "src/gen/c.py", "src/deep/b.py"]),
        ("\\a.py", ["src/deep/gen.py", "src/gen/c.py", "src/deep/b.py"]),
    ],
)
def test_patterns_speak_of_names_or_of_paths(tmp_path, pattern, left):
    tree(tmp_path, "a.py", "src/a.py", "src/deep/b.py", "src/deep/gen.py", "src/gen/c.py")
    assert names(tmp_path, "", patterns=(pattern,)) == sorted(left)


def test_what_is_named_is_linted_whatever_it_is_called(tmp_path):
    tree(tmp_path, "train", "notes.txt", "book.ipynb")
    assert names(tmp_path, "train", "notes.txt", "book.ipynb") == ["book.ipynb", "notes.txt", "train"]


def test_what_is_not_there_is_told(tmp_path):
    tree(tmp_path, "a.py")
    assert found(tmp_path, "a.py", "b.py").missing == [str(tmp_path / "b.py")]


def test_links_are_followed_to_files_and_never_to_folders(tmp_path):
    tree(tmp_path, "real/a.py", "elsewhere/b.py")
    (tmp_path / "real" / "again").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "linked.py").symlink_to(tmp_path / "elsewhere" / "b.py")
    (tmp_path / "real" / "broken.py").symlink_to("nowhere.py")
    (tmp_path / "real" / "loop.py").symlink_to("loop.py")
    (tmp_path / "real" / "folder.py").symlink_to(tmp_path / "elsewhere")
    assert names(tmp_path, "real") == ["real/a.py", "real/broken.py", "real/linked.py", "real/loop.py"]
    assert names(tmp_path, "real/again", "real/loop.py") == [
        *("real/again/a.py", "real/again/broken.py", "real/again/linked.py", "real/again/loop.py")
    ]


def test_what_would_block_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    assert names(tmp_path, "") == []


def test_a_folder_that_cannot_be_listed_is_told(tmp_path, monkeypatch):
    tree(tmp_path, "a.py", "shut/b.py")
    real = os.scandir

    def scandir(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    seen = found(tmp_path, "")
    assert (seen.files, seen.closed) == ([str(tmp_path / "a.py")], [(str(tmp_path / "shut"), "Permission denied")])


# ---- git


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of one's own, so that git and gradlint see the same global files."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for variable in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(variable, raising=False)
    return folder


@pytest.fixture
def repository(home, tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def git(folder: Path, *args: str, given: str = "", codes: tuple[int, ...] = (0,)) -> str:
    ran = subprocess.run(["git", *args], cwd=folder, input=given, capture_output=True, text=True, check=False)
    assert ran.returncode in codes, ran.stderr
    return ran.stdout


def left_by_git(folder: Path) -> list[str]:
    every = sorted(os.path.relpath(path, folder) for path in folder.rglob("*.py") if ".git" not in path.parts)
    ignored = git(folder, "check-ignore", "--no-index", "-z", "--stdin", given="\0".join(every), codes=(0, 1))
    return sorted({*every} - {*ignored.split("\0")})


FILES = ("a.py", "b.py", "build/a.py", "src/a.py", "src/b.py", "src/build/a.py", "src/build/keep/b.py", "keep/src/a.py")
PATTERNS = [
    *("a.py", "/a.py", "*.py", "!a.py", "!b.py", "build", "build/", "/build", "!build", "!build/", "src/", "src/*"),
    *("!src/build", "!src/build/", "src/build/*", "!src/build/keep", "!keep/", "**/a.py", "src/**", "src/**/b.py"),
    *("", "# a.py", "\\#", "a.py ", "a.py\\ ", "[ab].py", "[!a].py", "?.py", "keep/**/a.py", "*", "!*/", "/*", "!/src"),
    *("!", "a.py\r", "src/build/keep/", "**", "!**/keep/**", "[", "b*", "/src/*/", "!src/*.py", "***", "a.py/", "!/**"),
]
IGNORES = st.lists(st.sampled_from(PATTERNS), max_size=5)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=IGNORES, inner=IGNORES, own=IGNORES, everywhere=IGNORES)
def test_git_ignores_the_same(repository, home, top, inner, own, everywhere):
    tree(repository, *FILES)
    (repository / ".gitignore").write_text("\n".join(top))
    (repository / "src" / ".gitignore").write_text("\n".join(inner))
    (repository / ".git" / "info" / "exclude").write_text("\n".join(own))
    (home / ".config" / "git").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "git" / "ignore").write_text("\n".join(everywhere))
    assert names(repository, "", patterns=(".git",)) == left_by_git(repository)


PARTS = [
    "a",
    "b",
    "a",
    "b",
    "*",
    "*",
    "**",
    "?",
    "/",
    "/",
    "**/",
    "/**",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-z]",
    "[z-a]",
    "[",
    "]",
]
PARTS += [
    "[]a]",
    "[!]]",
    "[[:alpha:]]",
    "[[:foo:]]",
    "[[:",
    "[a-\\z]",
    "[\\]]",
    "[-a]",
    "[a-]",
    "[[a]",
    "-",
    "^",
    "\\",
    "\\*",
]
PARTS += ["\\ ", " ", "!", "\r", "\0", "\xe9", "\xc3\xa9"]
GLOBS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=7).map("".join)
ODD = [
    "a",
    "b",
    "ab",
    "aab",
    "a/b",
    "a/a/b",
    "a/b/a/b",
    "b/[a]/b",
    "a-b/]",
    "[",
    "!a",
    "a\\",
    "a\\*/b",
    "*",
    "**/b",
    "^a/a ",
    "a b",
]
ODD += ["é", "a/é/b", os.fsdecode(b"\xe9"), "-/ab/z", "[[:", "ab/]/^", "a\r", "?"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(globs=st.lists(GLOBS, min_size=1, max_size=3))
def test_a_glob_means_what_it_means_to_git(repository, globs):
    (repository / ".gitignore").write_bytes("\n".join(globs).encode("latin-1"))
    ran = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository, input=os.fsencode("\0".join(ODD)), capture_output=True, check=False,
    )  # fmt: skip
    ignored = ignoring.outside(str(repository)).entering(str(repository))
    seen = [
        name
        for name in ODD
        if any(ignored.ignores(str(repository / above), is_folder=True) for above in list(Path(name).parents)[-2::-1])
        or ignored.ignores(str(repository / name), is_folder=False)
    ]
    assert seen == os.fsdecode(ran.stdout).split("\0")[:-1]


@pytest.mark.parametrize("where", [".gitconfig", ".config/git/config"])
@pytest.mark.parametrize("line", ["excludesFile = ~/mine", '\texcludesfile="~/mine"'])
def test_the_global_file_is_where_git_is_told_it_is(repository, home, where, line):
    (home / where).parent.mkdir(parents=True, exist_ok=True)
    (home / where).write_text(f"[user]\n\texcludesFile = /not/this\n[Core]\n{line}\n")
    (home / "mine").write_text("b.py\n")
    tree(repository, *FILES)
    assert names(repository, "") == [name for name in left_by_git(repository) if "build" not in name]
    assert "b.py" not in names(repository, "")


def test_a_repository_in_a_repository_goes_by_its_own_rules(repository):
    (repository / ".gitignore").write_text("a.py\n")
    tree(repository, "a.py", "inner/a.py", "inner/b.py")
    git(repository / "inner", "init", "-q")
    (repository / "inner" / ".gitignore").write_text("b.py\n")
    assert names(repository, "") == ["inner/a.py"]


def test_a_worktree_shares_the_exclude_file(repository, tmp_path):
    (repository / ".git" / "info" / "exclude").write_text("b.py\n")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    git(repository, *identity, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    tree(tmp_path / "other", "a.py", "b.py")
    assert names(tmp_path / "other", "") == ["a.py"] == left_by_git(tmp_path / "other")


def test_git_has_no_say_where_it_is_not_asked(repository, tmp_path):
    (repository / ".gitignore").write_text("a.py\nkept/\n")
    tree(repository, "a.py", "b.py", "kept/c.py", "kept/a.py")
    assert names(repository, "", git=False) == ["a.py", "b.py", "kept/a.py", "kept/c.py"]
    assert names(repository, "a.py", "kept") == ["a.py", "kept/a.py", "kept/c.py"]
    tree(tmp_path / "plain", "a.py")
    (tmp_path / "plain" / ".gitignore").write_text("a.py\n")
    assert names(tmp_path / "plain", "") == ["a.py"]


def test_a_folder_in_a_repository_is_ignored_as_git_ignores_it(repository):
    (repository / ".gitignore").write_text("b.py\n")
    tree(repository, *FILES)
    assert names(repository, "src", patterns=()) == ["src/a.py", "src/build/a.py"]
