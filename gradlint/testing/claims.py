"""Claims: what one test asks about one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradlint.frozen import frozen
from gradlint.registry import rules
from gradlint.rule import Rule


class Skipped(Exception):
    """A claim cannot be asked here; the message says why."""


@frozen()
class Claim:
    """One question about one thing; `faults` gives what refutes it, or raises `Skipped`."""

    name: str
    faults: Callable[[], Iterable[str]]

    def check(self) -> None:
        """Fail the running test with all faults, or skip it."""
        import pytest

        try:
            found = [fault for fault in self.faults() if fault]
        except Skipped as reason:
            pytest.skip(str(reason))
        if found:
            pytest.fail("\n".join(found), pytrace=False)

    def __str__(self) -> str:
        return self.name


def parameters(claims: Iterable[Claim]) -> list[Any]:
    """The claims as parameters of a test, each under its name."""
    import pytest

    return [pytest.param(claim, id=claim.name) for claim in claims]


def rules_of(prefix: str) -> tuple[Rule, ...]:
    """The installed rules whose code begins so."""
    found = tuple(rule for rule in rules() if rule.code.startswith(prefix))
    if not found:
        raise LookupError(f"no installed rule has a code that begins with {prefix!r}; install the pack that has")
    return found
