"""What gradlint says of every program in the tests, as it is and as it was at another commit.

`python -m tests.golden [COMMIT]` writes, for the tree as it is and for a commit (the one before the last), what
`gradlint trace` prints of each input, which is the facts, events and findings of every line, and what `gradlint check`
finds in all of them. It prints what differs and ends with 1 if anything does. Inputs are those of the tree as it is:
case files, programs, programs by feature and of packs, and the examples of all rules; `--folder DIR` adds the Python
files of another folder. Both trees read the same copies, so a commit in which a program had another name is no problem.
A change of the structure changes nothing of it; where a fault is mended, the commit names what changed. It takes some
minutes.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("tests/cases", "tests/programs", "tests/semantics", "tests/packs")
MOST_SHOWN = 40
"""Lines of difference that are printed of one input."""
FOUND = "findings"
CHECK = (
    "check",
    "--isolated",
    "--no-cache",
    "--select",
    "ALL",
    "--min-confidence",
    "possible",
    "--output-format",
    "full",
)


def examples(folder: Path) -> Iterator[tuple[str, str]]:
    """Each function that a rule has as an example, as a program: its body and a call of it."""
    for file in sorted(folder.rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any("rule." in ast.unparse(each) for each in node.decorator_list):
                node.decorator_list = []
                yield f"{file.stem}_{node.name}.py", f"{ast.unparse(node)}\n\n\n{node.name}()\n"


def gather(into: Path, folders: Sequence[Path]) -> list[str]:
    """Copy all inputs, each folder in its own, so that both trees read the same; their names."""
    for number, folder in enumerate(folders):
        for file in sorted(folder.rglob("*.py")):
            target = into / f"{number}_{folder.name}" / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    (into / "examples").mkdir()
    for name, text in examples(ROOT / "rules"):
        (into / "examples" / name).write_text(text, encoding="utf-8")
    return sorted(str(path.relative_to(into)) for path in into.rglob("*.py"))


def said(tree: Path, inputs: Path, out: Path) -> subprocess.Popen[bytes]:
    """A process in which the gradlint of a tree writes what it says of each input."""
    out.mkdir()
    packages = out.with_suffix(".packages")
    packages.mkdir()
    for name, folder in (("gradlint", "gradlint"), ("gradlint_rules", "rules"), ("tests", "tests")):
        (packages / name).symlink_to((ROOT if name == "tests" else tree) / folder)
    environment = os.environ | {"PYTHONPATH": str(packages), "PYTHONHASHSEED": "0", "NO_COLOR": "1"}
    command = [sys.executable, "-P", "-c", "from tests.golden import write; write()", str(tree), str(inputs), str(out)]
    return subprocess.Popen(command, cwd=inputs, env=environment)


def write() -> None:
    """Write what is said of each input, under the same name, and of all of them."""
    from gradlint import cli, registry

    tree, inputs, out = map(Path, sys.argv[1:])
    for file in (cli.__file__, inspect.getfile(registry.rules()[0].checks[0][2])):
        assert Path(file).resolve().is_relative_to(tree.resolve()), file
    names = sorted(str(path.relative_to(inputs)) for path in inputs.rglob("*.py"))
    for asked, target in [*((["trace", name], name) for name in names), ([*CHECK, "-j", "1", "."], FOUND)]:
        with contextlib.redirect_stdout(io.StringIO()) as stdout, contextlib.redirect_stderr(io.StringIO()) as stderr:
            code = cli.run(asked)
        text = f"{code}\n{stdout.getvalue()}{stderr.getvalue()}"
        (out / target).parent.mkdir(parents=True, exist_ok=True)
        (out / target).write_text(re.sub(r" at 0x[0-9a-f]+", "", text), encoding="utf-8")


def compared(names: Sequence[str], before: Path, after: Path) -> int:
    """How many inputs differ; what differs is printed."""
    differing = 0
    for name in names:
        texts = [(folder / name).read_text(encoding="utf-8") for folder in (before, after)]
        if texts[0] != texts[1]:
            differing += 1
            lines = list(difflib.unified_diff(*(text.splitlines() for text in texts), name, name, lineterm="", n=1))
            print(*lines[:MOST_SHOWN], *(["..."] if len(lines) > MOST_SHOWN else []), sep="\n")
    print(f"{differing} of {len(names)} inputs differ")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("commit", nargs="?", default="HEAD~1")
    parser.add_argument("--folder", type=Path, action="append", default=[])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        inputs, tree, before, after = (here / name for name in ("inputs", "tree", "before", "after"))
        names = gather(inputs, [*(ROOT / name for name in FOLDERS), *(folder.resolve() for folder in asked.folder)])
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), asked.commit], check=True)
        try:
            runs = [said(tree, inputs, before), said(ROOT, inputs, after)]
            if sum(run.wait() for run in runs):
                return 2
            return int(compared([*names, FOUND], before, after) > 0)
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


if __name__ == "__main__":
    sys.exit(main())
