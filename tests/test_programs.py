"""Programs that reveal what is known: gradlint says what the lines say, and torch agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradlint.testing import program_claims

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize("claim", program_claims(PROGRAMS))
def test_programs(claim):
    claim.check()
