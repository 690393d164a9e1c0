"""Coverage as text for people and as JSON for tools; the last line of the text is the figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradlint.coverage import Coverage, Covered
from gradlint.finding import Place
from gradlint.linter import Asked
from gradlint.report.entry import escaped, safe_name
from gradlint.report.json import dumps


def text(coverage: Coverage, most: int) -> str:
    """A line per file, the commonest shapes that are not known, the rules that were undecided, the bounds that were
    hit, and the total."""
    return "".join(f"{line}\n" for line in _lines(coverage, most))


def _lines(coverage: Coverage, most: int) -> Iterator[str]:
    for file in coverage.files:
        if file.asked:
            yield f"{safe_name(file.path)}: {_figure(file)}{_unreached(file)}"
    shapes = coverage.shapes()
    if shapes:
        yield from ("", "not known, most frequent first:")
        yield from (_shape(shape, origin, number) for (shape, origin), number in shapes[:most])
    if len(shapes) > most:
        yield f"{sum(number for _, number in shapes[most:]):6}  of {len(shapes) - most} other shapes"
    if undecided := coverage.undecided():
        yield from ("", "found nothing where facts that speak for it are unsure, most frequent first:")
        yield from (_undecided(code, places) for code, places in undecided)
    if bounds := coverage.bounds():
        yield from ("", "bounds that were hit:")
        yield from (f"{number:6}  {name}" for name, number in bounds)
    yield from ("", f"not known {_unknown(coverage)}, never reached {coverage.unreached}")
    yield f"known {_figure(coverage)}"


def _shape(shape: str, origin: str, number: int) -> str:
    return f"{number:6}  {escaped(shape):40}  {escaped(origin)}".rstrip()


MOST_PLACES = 3
"""The most places that are named of those at which a rule was undecided."""


def _undecided(code: str, places: Sequence[tuple[str, Place]]) -> str:
    named = [f"{safe_name(path)}:{place.row}" for path, place in places[:MOST_PLACES]]
    return f"{len(places):6}  {code}  {', '.join([*named, *(['...'] if len(places) > MOST_PLACES else [])])}"


def _figure(counted: Coverage | Covered) -> str:
    total = _total(counted)
    share = 100 * counted.known / total if total else 100
    return f"{counted.known} of {total} = {share:.1f} %"


def _total(counted: Coverage | Covered) -> int:
    return counted.total if isinstance(counted, Coverage) else len(counted.asked)


def _unknown(counted: Coverage | Covered) -> int:
    return _total(counted) - counted.known - counted.unreached


def _unreached(file: Covered) -> str:
    return f", {file.unreached} never reached" if file.unreached else ""


def as_json(coverage: Coverage, most: int) -> str:
    """One object: the total, each file with all it asks, all shapes that are not known, the rules that were
    undecided and where, the bounds that were hit."""
    found = {
        **_counts(coverage),
        "files": [_file(file) for file in coverage.files],
        "unknown_shapes": [
            {"shape": shape, "origin": origin, "count": number} for (shape, origin), number in coverage.shapes()
        ],
        "undecided": [
            {
                "code": code,
                "count": len(places),
                "places": [{"path": path, "row": place.row, "column": place.column} for path, place in places],
            }
            for code, places in coverage.undecided()
        ],
        "bounds": dict(coverage.bounds()),
    }
    return dumps(found, indent=2) + "\n"


def _counts(counted: Coverage | Covered) -> dict[str, int]:
    return {
        "total": _total(counted),
        "known": counted.known,
        "unknown": _unknown(counted),
        "never_reached": counted.unreached,
    }


def _file(file: Covered) -> dict[str, Any]:
    return {
        "path": file.path,
        **_counts(file),
        "bounds": dict(file.bounds),
        "problem": file.problem or None,
        "asked": [_asked(one) for one in file.asked],
    }


def _asked(one: Asked) -> dict[str, Any]:
    state = "never reached" if one.kind is None else "known" if one.kind else "unknown"
    place = {"row": one.place.row, "column": one.place.column}
    return {**place, "shape": one.shape, "origin": one.origin or None, "state": state, "kind": one.kind or None}


FORMATS = {"text": text, "json": as_json}
