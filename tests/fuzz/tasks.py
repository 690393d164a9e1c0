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
from tests.fuzz.unseen import KINDS, handing_over
from tests.fuzz.watching import Files, settled
from tests.fuzz.writing import Writer

SITUATIONS, SITUATIONS_HANDED_OVER = 0.25, 0.5
"""How many of the generated programs are made of situations, and of those that hand things to unseen code."""


@frozen()
class Written:
    """A program to be compared: its name, and its text unless it is to be written from its name, with a share of it
    that is left to chance, or `mutated`, or handing things to `unseen` code of a kind."""

    name: str
    text: str = ""
    files: Files = ()
    share: float = 0.0
    mutated: bool = False
    unseen: str = ""


def work(program: Written) -> Compared:
    """What comes of a program; done in a process of its own."""
    _settle()
    text, unseen = _text(program)
    return _compared(program, text, unseen)


def small(task: tuple[Written, Disagreement]) -> str:
    """The program without what its disagreement does not need; done in a process of its own."""
    _settle()
    program, disagreement = task
    text, unseen = _text(program)
    fewer = shrunk(
        text,
        lambda text: disagreement.sort in {one.sort for one in _compared(program, text, unseen).disagreements},
    )
    return fewer + "".join(f"\n# {name}:\n{text}" for name, text in unseen)


def _compared(program: Written, text: str, unseen: Files) -> Compared:
    if not program.unseen:
        return compare(text, program.files, held=_is_held(program))
    confidence = KINDS[program.unseen].confidence
    return compare(text, program.files, held=_is_held(program), unseen=unseen, confidence=confidence)


def _settle() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


def _is_situation(program: Written) -> bool:
    """Whether a program is made of situations in which silent mistakes happen: what unseen code does later matters most
    to what is said of those."""
    share = SITUATIONS_HANDED_OVER if program.unseen else SITUATIONS
    return not program.text and random.Random(f"{program.name} kind").random() < share


def _is_held(program: Written) -> bool:
    """Whether silent rules are held against a program: not where one run in two may show something else."""
    return _is_situation(program) and not program.share and not program.mutated


def _text(program: Written) -> tuple[str, Files]:
    """The text of a program, and the files that torch's side alone can import."""
    if program.text:
        return with_reveals(program.text, program.files), ()
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
    if program.unseen:
        text, unseen = handing_over(text, chance, KINDS[program.unseen])
        return with_reveals(text, unseen), unseen
    return with_reveals(text) if _is_situation(program) or program.mutated else text, ()
