"""Agreement: programs that nobody wrote by hand, run by torch and by gradlint, and compared name by name, line by line.

`python -m tests.fuzz --programs N --seed S` writes N programs and prints what came of them.

* `writing` writes programs of the kind people write, trying each statement on torch as it goes; `vocabulary`, `recipes`
  and `drawing` are what they are written in;
* `revealing` has any program ask for all it has, after each statement;
* `watching` and `comparing` run one on both sides and say where they disagree;
* `exercising` and `typestates` say what a program exercised;
* `mistakes` writes programs of situations in which mistakes happen that raise nothing, and `silent` holds what is said
  of them against what a run shows;
* `chances` leaves a share of a program to chance (`--chance`), which finds wrong ideas about what nobody can know;
* `mutants` changes a program in a few places (`--mutated`), which finds wrong ideas about what seldom meets;
* `unseen` hands what a program has to code that gradlint cannot see (`--unseen`), which finds wrong ideas about what
  that leaves alone;
* `shrinking` takes away all that a disagreement does not need;
* `foreign` gathers programs that were written for something else;
* `working` shares the work out to processes, and `table` is what is printed in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.comparing import Compared as Compared
from tests.fuzz.comparing import Disagreement as Disagreement
from tests.fuzz.comparing import compare as compare
from tests.fuzz.writing import Writer

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def programs(most: int = 14) -> SearchStrategy[str]:
    """A strategy of `hypothesis` that draws programs of about `most` lines, each with what it reveals."""
    from hypothesis import strategies

    chance = strategies.randoms(use_true_random=False)
    return chance.map(lambda drawn: Writer(drawn, most).write())
