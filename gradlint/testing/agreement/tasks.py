"""What is done with a program, in whatever process."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass

import torch

from gradlint.testing.agreement.comparing import Compared, Disagreement, compare
from gradlint.testing.agreement.revealing import with_reveals
from gradlint.testing.agreement.shrinking import shrunk
from gradlint.testing.agreement.watching import Files
from gradlint.testing.agreement.writing import Writer


@dataclass(frozen=True, slots=True)
class Written:
    """A program to be compared: its name, and its text unless it is to be written from its name."""

    name: str
    text: str = ""
    files: Files = ()


def work(program: Written) -> Compared:
    """What comes of a program; done in a process of its own."""
    _settle()
    return compare(_text(program), program.files)


def small(task: tuple[Written, Disagreement]) -> str:
    """The program without what its disagreement does not need; done in a process of its own."""
    _settle()
    program, disagreement = task
    return shrunk(
        _text(program),
        lambda text: disagreement.sort in {one.sort for one in compare(text, program.files).disagreements},
    )


def _settle() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


def _text(program: Written) -> str:
    if program.text:
        return with_reveals(program.text, program.files)
    return Writer(random.Random(program.name)).write()
