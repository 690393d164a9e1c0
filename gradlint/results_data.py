"""Results as data that JSON can hold, and back."""

from __future__ import annotations

from typing import Any

from gradlint.finding import Confidence, Edit, Finding, Fix, Note, Place, Question, Sign
from gradlint.results import Result, Rows
from gradlint.unused import Silenced


def data_of(result: Result) -> list[Any]:
    """A result as JSON can write it, without what is known of the file otherwise."""
    findings = [[_finding(one) for one in found] for found in (result.findings, result.elsewhere)]
    silenced = [(one.path, one.row, one.code) for one in result.silenced]
    return [*findings, result.counts, result.unread, silenced, result.unknown]


def result_of(data: Any, file: str) -> Result:
    """Return the result in the data of `data_of`, for a file that is linted now. Raises `TypeError`, `ValueError` or
    `KeyError` for what is none."""
    findings, elsewhere, counts, unread, silenced, unknown = data
    return Result(
        path="",
        filename=file,
        findings=tuple(map(_found, findings)),
        lines=Rows.of(file),
        counts=tuple((str(what), int(number)) for what, number in counts),
        elsewhere=tuple(map(_found, elsewhere)),
        unread=tuple((str(path), str(why)) for path, why in unread),
        silenced=tuple(Silenced(str(path), int(row), str(code)) for path, row, code in silenced),
        unknown=tuple((int(row), str(word)) for row, word in unknown),
        seconds=None,
    )


def _finding(one: Finding) -> list[Any]:
    place = one.place
    return [
        one.code, one.name, one.message, _at(place), int(one.confidence), one.consequence, one.help,
        [[_at(note.place), note.text, note.path] for note in one.notes],
        [[[[_at(edit.place), edit.text] for edit in fix.edits], fix.safety, fix.message] for fix in one.fixes],
        one.path,
        [[sign.question, int(sign.confidence), sign.text] for sign in one.signs],
    ]  # fmt: skip


def _found(row: Any) -> Finding:
    code, name, message, at, confidence, consequence, advice, notes, fixes, path, signs = row
    return Finding(
        str(code),
        str(name),
        str(message),
        _place(at),
        Confidence(confidence),
        str(consequence),
        str(advice),
        tuple(Note(_place(where), str(text), str(file)) for where, text, file in notes),
        tuple(
            Fix(tuple(Edit(_place(where), str(text)) for where, text in edits), str(safety), str(said))
            for edits, safety, said in fixes
        ),
        str(path),
        tuple(Sign(Question(question), Confidence(degree), str(text)) for question, degree, text in signs),
    )


def _at(place: Place) -> tuple[int, int, int, int]:
    return place.row, place.column, place.end_row, place.end_column


def _place(at: Any) -> Place:
    row, column, end_row, end_column = map(int, at)
    return Place(row, column, end_row, end_column)
