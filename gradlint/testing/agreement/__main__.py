"""Write programs, run them on both sides, print what came of it; end with 1 if anything disagrees."""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter

import click

from gradlint.registry import rules
from gradlint.rule import Raises, Rule
from gradlint.testing.agreement import mistakes
from gradlint.testing.agreement.comparing import Compared, Disagreement, compare
from gradlint.testing.agreement.shrinking import shrunk
from gradlint.testing.agreement.silent import table
from gradlint.testing.agreement.writing import Writer

SITUATIONS = 0.4
"""How many programs are made of situations."""
SHOWN = 3
"""How many disagreements of one sort are shrunk and printed."""


VAGUE = 12
"""How many of the commonest vague facts are printed."""


@click.command()
@click.option("--programs", default=200, show_default=True, help="How many programs to write.")
@click.option("--seed", default="1", show_default=True, help="What they are written from.")
def main(programs: int, seed: str) -> None:
    """Compare torch and gradlint on programs that are written by chance."""
    warnings.simplefilter("ignore")
    known = rules()
    sayings = sayings_of(known)
    total, shown = Compared(""), Counter[tuple[str, str]]()
    for number in range(programs):
        found = compare(written(random.Random(f"{seed}:{number}")), known, sayings)
        for name in ("facts", "vague", "vague_after", "refusals", "found", "silent", "cured"):
            getattr(total, name).update(getattr(found, name))
        for disagreement in found.disagreements:
            total.disagreements.append(disagreement)
            shown[disagreement.sort] += 1
            if shown[disagreement.sort] <= SHOWN:
                _print(f"{seed}:{number}", disagreement, _small(found.text, disagreement, known, sayings))
    _print_table(total, programs)
    sys.exit(bool(total.disagreements))


def written(chance: random.Random) -> str:
    """A program of single statements, or of situations in which silent mistakes happen."""
    return mistakes.program(chance) if chance.random() < SITUATIONS else Writer(chance).write()


def sayings_of(known: tuple[Rule, ...]) -> tuple[str, ...]:
    """The words of all errors that rules speak of, longest first."""
    told = (one for rule in known for one in (rule.consequence, *(evidence.shows for evidence in rule.evidence)))
    return tuple(
        sorted({one.saying for one in told if isinstance(one, Raises)}, key=lambda words: (-len(words), words))
    )


def _small(text: str, disagreement: Disagreement, known: tuple[Rule, ...], sayings: tuple[str, ...]) -> str:
    return shrunk(
        text, lambda each: disagreement.sort in {one.sort for one in compare(each, known, sayings).disagreements}
    )


def _print(program: str, disagreement: Disagreement, text: str) -> None:
    click.echo(f"program {program}, {disagreement.kind}: {disagreement.what}\n")
    click.echo("".join(f"    {line}\n" for line in text.splitlines()))


def _print_table(total: Compared, programs: int) -> None:
    click.echo(f"{programs} programs, {len(total.disagreements)} disagreements")
    for name, count in sorted(total.facts.items()):
        click.echo(f"  {name}: {count} facts compared, {total.vague[name] / count:.1%} vague")
    words = sorted({saying for saying, _ in total.refusals})
    for saying in words:
        reported, missed = total.refusals[saying, True], total.refusals[saying, False]
        click.echo(f"  {reported} of {reported + missed} reported: {saying}")
    for (name, made), count in total.vague_after.most_common(VAGUE):
        click.echo(f"  {count} times vague: {name} of what {made} made")
    click.echo(f"  {total.cured.made.total()} fixes of silent rules made, {len(total.cured.failed)} cure nothing")
    for line in table(total.silent):
        click.echo(f"  {line}")


if __name__ == "__main__":
    main()
