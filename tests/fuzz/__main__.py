"""Write programs, run them on both sides, print what came of it; end with 1 if anything disagrees."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tests.fuzz.comparing import Compared, Disagreement
from tests.fuzz.foreign import foreign
from tests.fuzz.table import Total, exercised, lines
from tests.fuzz.tasks import Written, small, work
from tests.fuzz.unseen import KINDS
from tests.fuzz.working import Lost, shared_out

SHOWN = 3
"""How many disagreements of one sort are shrunk and printed."""
LONGEST = 120.0
LONGEST_SHRINKING = 300.0
"""How many seconds a program, and taking away what it does not need, may take."""


@click.command()
@click.option("--programs", default=200, show_default=True, help="How many programs to write.")
@click.option("--seed", default="1", show_default=True, help="What they are written from.")
@click.option("--workers", default=os.cpu_count() or 1, show_default=True, help="How many processes share the work.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where programs and case files are that are compared as well (`tests`).",
)
@click.option("--chance", default=0.0, show_default=True, help="Which share of their flags is left to chance.")
@click.option("--mutated", is_flag=True, help="Change each program in a few places.")
@click.option("--unseen", type=click.Choice([*KINDS]), help="Hand things to code that gradlint does not see.")
def main(programs: int, seed: str, workers: int, folder: Path | None, **how: Any) -> None:
    """Compare torch and gradlint on programs that are written by chance."""
    share, mutated, unseen = how["chance"], how["mutated"], how["unseen"] or ""
    names = (f"{seed}:{number}" for number in range(programs))
    generated = [Written(name, share=share, mutated=mutated, unseen=unseen) for name in names]
    others = [Written(name, text, files) for name, text, files in foreign(folder)] if folder else []
    total, also = _compared(generated, workers), _compared(others, workers)
    for line in (*lines(total, "generated"), *exercised(total), *(lines(also, "not generated") if others else ())):
        click.echo(line)
    _print_some([*total.disagreements, *also.disagreements], {one.name: one for one in generated + others}, workers)
    sys.exit(bool(total.disagreements or also.disagreements))


def _compared(programs: Sequence[Written], workers: int) -> Total:
    total = Total()
    for one, found in zip(programs, shared_out(work, programs, workers, LONGEST, "programs"), strict=True):
        if isinstance(found, Lost):
            found = Compared(one.text, [Disagreement("lost", 0, f"{one.name}: {found.why}")])
        total.add(one.name, found)
    return total


def _print_some(found: Sequence[tuple[str, Disagreement]], given: dict[str, Written], workers: int) -> None:
    """Print one disagreement of some programs for each sort, with a program no larger than it needs."""
    count, names = Counter[tuple[str, str]](), dict[tuple[str, str], set[str]]()
    shown: list[tuple[Written, Disagreement]] = []
    for name, disagreement in found:
        count[disagreement.sort] += 1
        those = names.setdefault(disagreement.sort, set())
        if name not in those and len(those) < SHOWN:
            those.add(name)
            shown.append((given[name], disagreement))
    tasks = [task for task in shown if task[1].kind != "lost"]
    texts = iter(shared_out(small, tasks, workers, LONGEST_SHRINKING, "shrinking"))
    for program, disagreement in shown:
        click.echo(f"\nprogram {program.name}, {disagreement.kind}: {disagreement.what}\n")
        if disagreement.kind != "lost":
            text = next(texts)
            click.echo(text.why if isinstance(text, Lost) else "".join(f"    {line}\n" for line in text.splitlines()))
    for (kind, what), number in sorted(count.items()):
        click.echo(f"{number} of the sort {kind}: {what}")


if __name__ == "__main__":
    main()
