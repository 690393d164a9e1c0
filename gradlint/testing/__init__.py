"""The checks that hold rules to their claims, for our rules and anybody's pack.

A pack's tests are one function per law::

    @pytest.mark.parametrize("claim", evidence_claims("ABC"))
    def test_evidence(claim):
        claim.check()

and the same with `case_claims(folder, "ABC")`, `program_claims(folder)` and `word_claims(folder, prefix="ABC")`. A
claim that cannot be asked because a library is missing skips its test.
"""

from __future__ import annotations

from gradlint.testing.cases import case_claims as case_claims
from gradlint.testing.claims import Claim as Claim
from gradlint.testing.evidence import evidence_claims as evidence_claims
from gradlint.testing.programs import program_claims as program_claims
from gradlint.testing.words import word_claims as word_claims
