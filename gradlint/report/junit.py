"""The XML of JUnit: a suite for each file, in it a failed test for each finding."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from gradlint.report.entry import Entry, escaped

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that may stand in no XML, not even as a reference."""
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def report(entries: Sequence[Entry], painted: bool) -> str:
    """One document; where nothing was found a test that succeeds, for readers take none for a mistake."""
    lines = list(_suites(entries)) if entries else _nothing_found()
    number = max(1, len(entries))
    counts = f'tests="{number}" skipped="0" failures="{len(entries)}" errors="0"'
    return "\n".join([_HEAD, f'<testsuites name="gradlint" {counts}>', *lines, "</testsuites>", ""])


def _nothing_found() -> list[str]:
    return [
        '    <testsuite name="gradlint" tests="1" skipped="0" errors="0" failures="0" package="org.gradlint">',
        '        <testcase name="No errors found" classname="gradlint"/>',
        "    </testsuite>",
    ]


def _suites(entries: Sequence[Entry]) -> Iterator[str]:
    for filename, group in groupby(entries, key=lambda entry: entry.filename):
        found = list(group)
        counts = f'tests="{len(found)}" skipped="0" errors="0" failures="{len(found)}"'
        yield f'    <testsuite name="{_text(filename)}" {counts} package="org.gradlint">'
        for entry in found:
            yield from _test(entry)
        yield "    </testsuite>"


def _test(entry: Entry) -> Iterator[str]:
    finding, place = entry.finding, entry.place
    message, classname = _text(entry.message), _text(os.path.splitext(entry.filename)[0])
    where = f'line="{place.row}" column="{place.column}"'
    yield f'        <testcase name="org.gradlint.{finding.code}" classname="{classname}" {where}>'
    said = f"line {place.row}, col {place.column}, {message}"
    yield f'            <failure message="{message}" type="{entry.level}">{said}</failure>'
    yield "        </testcase>"


def _text(text: str) -> str:
    """A text as XML can hold it."""
    told = _NO_XML.sub(lambda found: ascii(found[0])[1:-1], escaped(text))
    return told.translate(_MARKUP)
