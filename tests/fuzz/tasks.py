"""What is done with a program, in whatever process."""

from __future__ import annotations

import random
import warnings

import torch

from gradlint.frozen import frozen
from tests.fuzz import mistakes
from tests.fuzz.chances import left_to_chance
from tests.fuzz.comparing import Compared, Disagreement, compare
from tests.fuzz.mutants import mutant
from tests.fuzz.revealing import with_reveals
from tests.fuzz.shrinking import shrunk
from tests.fuzz.watching import Files, settled
from tests.fuzz.writing import Writer

SITUATIONS = 0.25
"""How many of the generated programs are made of situations."""


@frozen()
class Written:
    """A program to be compared: its name, and its text unless it is to be written from its name, with a share of it
    that is left to chance, or `mutated`."""

    name: str
    text: str = ""
    files: Files = ()
    share: float = 0.0
    mutated: bool = False


def work(program: Written) -> Compared:
    """What comes of a program; done in a process of its own."""
    _settle()
    return compare(_text(program), program.files, held=_is_held(program))


def small(task: tuple[Written, Disagreement]) -> str:
    """The program without what its disagreement does not need; done in a process of its own."""
    _settle()
    program, disagreement = task
    held = _is_held(program)
    return shrunk(
        _text(program),
        lambda text: disagreement.sort in {one.sort for one in compare(text, program.files, held=held).disagreements},
    )


def _settle() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


def _is_situation(program: Written) -> bool:
    """Whether a program is made of situations in which silent mistakes happen."""
    return not program.text and random.Random(f"{program.name} kind").random() < SITUATIONS


def _is_held(program: Written) -> bool:
    """Whether silent rules are held against a program: not where one run in two may show something else."""
    return _is_situation(program) and not program.share and not program.mutated


def _text(program: Written) -> str:
    if program.text:
        return with_reveals(program.text, program.files)
    chance = random.Random(program.name)
    if _is_situation(program):
        with settled():
            text = mistakes.program(chance)
    else:
        text = Writer(chance).write()
    if program.share:
        text = left_to_chance(text, chance, program.share)
    if program.mutated:
        text = mutant(text, chance)
    return with_reveals(text) if _is_situation(program) or program.mutated else text
