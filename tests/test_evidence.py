from gradlint.testing.evidence import evidence_tests

test_seen, test_shown, test_cured = evidence_tests("GRD")
