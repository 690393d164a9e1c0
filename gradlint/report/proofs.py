"""Findings of the runtime verifier: a line of ticks for each example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from gradlint.report.entry import escaped
from gradlint.report.paint import paint

if TYPE_CHECKING:
    from gradlint.proving import Proof

TICKS = {True: "\u2713", False: "\u2717", None: "-"}
WORDS = {True: "yes", False: "NO", None: "-"}
_COLOURS = {True: "green", False: "red", None: "bold"}


def lines(proofs: Iterable[Proof], *, words: bool, painted: bool) -> Iterator[str]:
    """The table, a line as soon as its example is proved: a heading for each rule, what went wrong below its example.

    `words` writes the ticks out, for terminals that cannot show them.
    """
    for rule, of_rule in groupby(proofs, key=lambda proof: proof.rule):
        yield paint(f"{rule.code} {rule.name}", "bold", painted)
        for proof in of_rule:
            yield f"  {_ticks(proof, words, painted)}  {proof.kind:<4}  {proof.example}"
            yield from (f"      {escaped(fault)}" for fault in proof.detail.splitlines())
            if proof.skipped:
                yield f"      skipped: {escaped(proof.skipped)}"


def _ticks(proof: Proof, words: bool, painted: bool) -> str:
    answers = {"seen": proof.seen, "shown": proof.shown, "cured": proof.cured, "fixed": proof.fixed}
    signs = WORDS if words else TICKS
    return "  ".join(f"{name} {_sign(signs[answer], answer, words, painted)}" for name, answer in answers.items())


def _sign(sign: str, answer: bool | None, words: bool, painted: bool) -> str:
    padded = f"{sign:<3}" if words else sign
    return paint(padded, _COLOURS[answer], painted)
