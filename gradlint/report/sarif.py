"""SARIF 2.1.0, which code scanning services read: one run, with the rules that it reports."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gradlint import __version__
from gradlint.finding import Edit, Finding, Fix, Place
from gradlint.report.entry import Entry, encodable, escaped
from gradlint.report.fingerprints import fingerprints
from gradlint.report.json import dumps

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
"""The root of paths: the name that readers know for the folder of the sources."""


def report(entries: Sequence[Entry], painted: bool) -> str:
    """One log of one run, its results in the order of the findings."""
    rules = _rules(entries)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    names = fingerprints(entries, [_uri(entry.path) for entry in entries])
    run = {
        "tool": {"driver": {"name": "gradlint", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(entry, index[entry.finding.code], name) for entry, name in zip(entries, names, strict=True)
        ],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


# ---- rules


def _rules(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the descriptions of the rules that occur, by code."""
    found = {entry.finding.code: entry for entry in reversed(entries)}
    pages = _pages() if found else {}
    return [_rule(entry, pages.get(code, {})) for code, entry in sorted(found.items())]


def _rule(entry: Entry, page: dict[str, str]) -> dict[str, Any]:
    code, name = entry.finding.code, entry.finding.name
    told = {key: _text(*text.split("\n")) for key, text in page.items() if text.strip()}
    return {"id": code, "name": name, "shortDescription": _text(name.replace("-", " ")), **told}


def _pages() -> dict[str, dict[str, str]]:
    """Return the texts of installed rules, by code; nothing where they cannot be loaded any more."""
    from gradlint import pages, registry

    try:
        rules = registry.rules()
    except registry.BrokenPack:
        return {}
    return {rule.code: {"shortDescription": pages.summary(rule), "help": rule.page} for rule in rules}


# ---- results


def _result(entry: Entry, rule: int, fingerprint: str) -> dict[str, Any]:
    finding = entry.finding
    told = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": entry.level,
        "message": _text(entry.message, finding.help),
        "locations": [_location(entry.place, entry.path)],
        "partialFingerprints": {"gradlintLine/v1": fingerprint},
        "properties": _properties(finding),
    }
    if finding.notes:
        told["codeFlows"] = [{"threadFlows": [{"locations": _flow(entry)}]}]
    if fixes := [_fix(fix, entry.path) for fix in entry.offered]:
        told["fixes"] = fixes
    return told


def _properties(finding: Finding) -> dict[str, str]:
    told = {"confidence": str(finding.confidence)}
    return told | ({"consequence": finding.consequence} if finding.consequence else {})


def _flow(entry: Entry) -> list[dict[str, Any]]:
    """The places that contributed, and the finding's own at the end."""
    notes = entry.finding.notes
    places = [
        (
            entry.in_file(note.place, note.path),
            entry.shown(note.path) if note.path else entry.path,
            entry.said(note.text, note.place, note.path),
        )
        for note in notes
    ]
    places.append((entry.place, entry.path, entry.message))
    return [{"location": {**_location(place, path), "message": _text(text)}} for place, path, text in places]


def _location(place: Place, path: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(path), "region": _region(place)}}


def _fix(fix: Fix, path: str) -> dict[str, Any]:
    changes = [{"artifactLocation": _artifact(path), "replacements": [_replacement(edit) for edit in fix.edits]}]
    return {"description": _text(fix.message), "artifactChanges": changes}


def _replacement(edit: Edit) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.place), "insertedContent": {"text": encodable(edit.text)}}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.row,
        "startColumn": place.column,
        "endLine": place.end_row,
        "endColumn": place.end_column,
    }


def _artifact(path: str) -> dict[str, str]:
    uri = _uri(path)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": ROOT}


def _uri(path: str) -> str:
    """A path as a URI: relative where it is, else that of a file."""
    from urllib.parse import quote  # nobody waits for it who asks for another format

    quoted = quote(os.fsencode(path.replace(os.sep, "/")))
    return f"file://{'' if quoted.startswith('/') else '/'}{quoted}" if os.path.isabs(path) else quoted


def _text(*lines: str) -> dict[str, str]:
    """Lines as text, without empty ones at the end."""
    return {"text": "\n".join(map(escaped, lines)).rstrip("\n")}
