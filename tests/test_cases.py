"""Case files: every marked line is judged as it says, and every quiet one was heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradlint.testing import case_claims

CASES = Path(__file__).parent / "cases"


@pytest.mark.parametrize("claim", case_claims(CASES))
def test_case_files(claim):
    claim.check()
