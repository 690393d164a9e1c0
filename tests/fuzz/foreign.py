"""Programs that nobody wrote for this: examples of the rules, case files and programs that reveal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gradlint.proving import cases_of
from gradlint.proving.examples import BadEvidence
from gradlint.testing.programs import MAIN, read_program
from tests.fuzz.comparing import known_rules
from tests.fuzz.watching import Files

REVEALING = re.compile(r"^( *)reveal\(.*$", re.MULTILINE)
"""What such a program asks for is asked anyhow."""


def foreign(folder: Path) -> Iterator[tuple[str, str, Files]]:
    """Name, text and neighbours of each program, in order."""
    for rule in known_rules():
        for case in cases_of(rule, ()):
            with suppress(BadEvidence):
                yield f"{rule.code}-{case.name}", case.source.text, tuple(case.subject.files().items())
    for path in sorted((folder / "cases").glob("*.py")):
        yield f"cases/{path.name}", _calling_all(path.read_text(encoding="utf-8")), ()
    programs = folder / "programs"
    for path in sorted([*programs.glob("*.py"), *programs.glob(f"*/{MAIN}")]):
        program = read_program(path)
        yield str(path.relative_to(folder)), REVEALING.sub(r"\1pass", program.text), program.files


def _calling_all(text: str) -> str:
    """A case file that calls all of its functions that can be called with nothing; what one raises stops no other.

    Each is tried with something else, for what is tried alone is taken to be a question whether it raises.
    """
    names = [each.name for each in ast.parse(text).body if isinstance(each, ast.FunctionDef) and _needs_nothing(each)]
    calls = (f"try:\n    {name}()\n    print({name})\nexcept Exception as error:\n    print(error)\n" for name in names)
    return f"{text}\n\n{''.join(calls)}"


def _needs_nothing(function: ast.FunctionDef) -> bool:
    given = function.args
    required = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return required == 0 and None not in given.kw_defaults and not function.decorator_list
