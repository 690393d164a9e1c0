"""What of a silent mistake is seen in a run: the rows at which it shows.

A sight is a function of a run of the program. A `Mistake` is a set of rows, any of which may be reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

import torch
from torch import nn

from gradlint.domain import FRESH, MIXED, USED
from tests.fuzz.acts import Act, Run, is_told

Mistake = frozenset[int]
Sight = Callable[[Run], Iterable[Mistake]]


def at(*rows: int) -> Mistake:
    """A mistake that may be reported at each of these rows."""
    return frozenset(rows)


def by_row(acts: Iterable[Act]) -> dict[int, list[Act]]:
    """The acts by the row at which they happened."""
    rows: dict[int, list[Act]] = defaultdict(list)
    for act in acts:
        rows[act.row].append(act)
    return rows


def always(acts: Iterable[Act], test: Callable[[Act], bool]) -> Iterator[int]:
    """The rows at which every such act is so."""
    return (row for row, found in by_row(acts).items() if all(map(test, found)))


def tensors(result: Any) -> Iterator[Any]:
    """The tensors in what a call gave."""
    given = result if isinstance(result, list | tuple) else [result]
    yield from (one for one in given if isinstance(one, torch.Tensor) and is_told(one))


def own_parameters(thing: Any) -> list[Any]:
    """The parameters of a part of a module."""
    if isinstance(thing, nn.Module):
        return [*thing.parameters()]
    return [thing] if isinstance(thing, nn.Parameter) else []


def has_gradient(state: tuple[Any, Any, Any]) -> bool:
    """Whether a tensor had a gradient that nobody had cleared, by the state in which it was found."""
    return state[1] in (FRESH, USED, MIXED)


def rows_of(code: CodeType) -> Mistake:
    """The rows of a function."""
    return frozenset(row for _, _, row in code.co_lines() if row)


def warning(words: str) -> Sight:
    """torch warns."""

    def seen(run: Run) -> Iterator[Mistake]:
        return (at(act.row) for act in run.of("warned") if words in act.words)

    return seen


def alike(sight: Sight) -> Sight:
    """The rows that are written like one that shows it: torch warns of the first only."""

    def seen(run: Run) -> Iterator[Mistake]:
        lines = [line.strip() for line in run.text.splitlines()]
        shown = {lines[row - 1] for mistake in sight(run) for row in mistake}
        return (at(row) for row, line in enumerate(lines, 1) if line in shown)

    return seen
