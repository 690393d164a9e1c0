"""Programs of the kinds in which silent mistakes happen, and those that are nearly mistakes and fine.

A situation is a text with choices: `<<a|b>>` is one of them, a line that begins with `?` may be left out, `$model` is
some name. Now and then a line is dropped, said twice or changes places with the next: so the same situation is written
rightly and wrongly. It then stands as it is, in a function, a method, a loop or under a condition.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tests.fuzz.situations import NAMES, SITUATIONS
from tests.fuzz.vocabulary import IMPORTS

INDENT = "    "
CHOICE = re.compile(r"<<((?:(?!<<|>>).)*)>>", re.DOTALL)
BREAK = re.compile(r"\n\s*")
NAME = re.compile(r"\$(\w+)")

WRAPPERS: tuple[tuple[int, str], ...] = (
    (5, "plain"),
    (3, "function"),
    (1, "method"),
    (1, "condition"),
    (1, "manager"),
)


def program(chance: random.Random) -> str:
    """A program of one to three situations that runs to its end; now and then one at which autograd stops."""
    stops = chance.random() < 0.05
    while True:
        text, space = _program(chance), {"__name__": "__main__"}
        error = stopped(text, space)
        if error is None:
            tensors = [name for name, value in space.items() if isinstance(value, torch.Tensor)]
            return f"{text}reveal({', '.join(tensors)})\n" if tensors and "random()" not in text else text
        if stops and isinstance(error, RuntimeError):
            return text


def stopped(text: str, space: dict[str, Any]) -> Exception | None:
    """What stops a program, if anything does."""
    random.seed(0)
    torch.default_generator.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "<program>", "exec", dont_inherit=True), space)
    except Exception as error:
        return error
    finally:
        torch.set_grad_enabled(True)
    return None


def _program(chance: random.Random) -> str:
    lines = IMPORTS.splitlines()
    for number in range(chance.choice((1, 1, 2, 3))):
        lines += ["", *_situation(chance, number)]
    return "\n".join(lines) + "\n"


def _situation(chance: random.Random, number: int) -> list[str]:
    text = chance.choices([one for _, one in SITUATIONS], [weight for weight, _ in SITUATIONS])[0]
    lines = [line for line in (_line(one, chance) for one in _chosen(text, chance).splitlines()) if line]
    if chance.random() < 0.35:
        lines = _mutated(lines, chance)
    lines = _named(lines, chance, number)
    return _wrapped(lines, chance, number)


def _chosen(text: str, chance: random.Random) -> str:
    while CHOICE.search(text):
        text = CHOICE.sub(lambda found: chance.choice(BREAK.sub("", found[1]).split("|")), text)
    return text


def _line(line: str, chance: random.Random) -> str:
    if line.startswith("?"):
        return line[1:] if chance.random() < 0.5 else ""
    return line


def _named(lines: Sequence[str], chance: random.Random, number: int) -> list[str]:
    """The lines with names for what begins with a dollar; two situations share none."""
    taken: dict[str, str] = {}
    used: set[str] = set()

    def name(found: re.Match[str]) -> str:
        role = found[1]
        if role not in taken:
            free = [one for one in NAMES.get(role, (role,)) if one not in used]
            taken[role] = chance.choice(free or [role]) + ("" if not number else str(number))
            used.add(taken[role])
        return taken[role]

    return [NAME.sub(name, line) for line in lines]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_simple(lines: Sequence[str], at: int) -> bool:
    return not lines[at].rstrip().endswith(":") and not lines[at].lstrip().startswith("@")


def _mutated(lines: list[str], chance: random.Random) -> list[str]:
    """The lines with one left out, said twice, or in the place of the next."""
    simple = [at for at in range(len(lines)) if _is_simple(lines, at)]
    at = chance.choice(simple)
    beside = at + 1 in simple and _depth(lines[at + 1]) == _depth(lines[at])
    how = chance.choice(("leave", "twice", *("swap" for _ in range(4) if beside)))
    if how == "leave":
        return [*lines[:at], " " * _depth(lines[at]) + "pass", *lines[at + 1 :]]
    if how == "twice":
        return [*lines[: at + 1], *lines[at:]]
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def _wrapped(lines: list[str], chance: random.Random, number: int) -> list[str]:
    how = chance.choices([one for _, one in WRAPPERS], [weight for weight, _ in WRAPPERS])[0]
    inner = [INDENT + line for line in lines]
    return _WRAPS[how](lines, inner, number)


_WRAPS: dict[str, Callable[[list[str], list[str], int], list[str]]] = {
    "plain": lambda lines, inner, number: lines,
    "function": lambda lines, inner, number: [f"def main{number}():", *inner, f"main{number}()"],
    "method": lambda lines, inner, number: [
        f"class Job{number}:",
        f"{INDENT}def run(self):",
        *(INDENT + line for line in inner),
        f"Job{number}().run()",
    ],
    "condition": lambda lines, inner, number: ["if random.random() < 0.7:", *inner],
    "manager": lambda lines, inner, number: ["with torch.enable_grad():", *inner],
}
