from pathlib import Path

from gradlint.testing.cases import case_tests

test_line, test_unmarked, test_file = case_tests(Path(__file__).parent / "cases")
