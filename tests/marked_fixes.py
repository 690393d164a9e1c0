"""Programs in which the lines of a fix are marked, to hold fixes of rules to them.

A case is a program in which the lines that the fix puts in begin with `+` and those that it takes away with `-`; where
there are none, something is reported and no fix is offered.
"""

from __future__ import annotations

from typing import Any

import pytest

from gradlint import fixes, linter
from gradlint.finding import SAFE, UNSAFE
from gradlint.registry import rules

RULES = {rule.code: rule for rule in rules()}


def mended(code: str, text: str) -> str:
    """The text with the fixes of a rule made."""
    wanted = [RULES[code], *(RULES[other] for other in RULES[code].yields_to)]
    found = [one for one in linter.analyse(text, wanted).findings if one.code == code]
    assert found, "nothing is reported"
    return fixes.apply(text, found, (SAFE, UNSAFE)).text


def version(lines: list[str], sign: str) -> str:
    """The program without the lines of the other sign."""
    return "".join(f"{line[2:]}\n" for line in lines if line[:2] in ("", "  ", f"{sign} "))


def case(code: str, why: str, *parts: str) -> Any:
    """A parameter: the program that these parts make, and the rule whose fix is marked in it."""
    lines = "\n".join(part.strip("\n") for part in parts).split("\n")
    assert {line[:2] for line in lines} <= {"", "  ", "+ ", "- "}
    return pytest.param(code, lines, id=f"{code}-{why}")


def check(code: str, lines: list[str], newline: str) -> None:
    """The fix makes of the program what is marked."""
    before, after = (version(lines, sign).replace("\n", newline) for sign in "-+")
    assert mended(code, before) == after
