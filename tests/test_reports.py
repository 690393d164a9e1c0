"""Reports say what was found to those who read them, whatever files are called and messages hold."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from reading_reports import READERS, named

from gradlint.finding import Confidence, Edit, Finding, Fix, Note, Place
from gradlint.report import FORMATS, PARTED, STATISTICS, Entry
from gradlint.report.entry import escaped

CODES = ("GRD000", "GRD101", "GRD501", "ABC123")
HOSTILE = (
    *map(chr, (*range(32), *range(127, 160), 0x2028, 0x202E, 0x2066, 0x200B, 0xFEFF, 0xFFFE, 0xFFFF, 0xD800, 0xDCFF)),
    *(
        "]]>",
        "--><x>",
        "&#0;",
        "<![CDATA[",
        '"/>',
        "::",
        "::error::",
        "##[error]",
        "##vso[task.complete]",
        "%0A",
        "%3B",
    ),
    *("%AZP25", ";]", "a:1:2: GRD101 x", "a.py:", "  1:1 GRD101 x", "{", '"', "\\", "\\n", "\U0001f600", "e\u0301"),
)


def entry(path: str = "a.py", message: str = "a message", code: str = "GRD101", row: int = 1, **more: Any) -> Entry:
    lines = more.pop("lines", ("x = 1", "y = x", "z = y"))
    finding = Finding(code, "a-mistake", message, Place(row, 3, row, 4), **more)
    return Entry(finding, path, os.path.join("/where/it/is", path), lines)


def test_every_format_has_a_reader_and_statistics() -> None:
    assert set(READERS) == set(FORMATS) == set(STATISTICS) >= set(PARTED)


@pytest.mark.parametrize("style", FORMATS)
def test_a_report_of_nothing_is_one(style: str) -> None:
    assert list(READERS[style](FORMATS[style]([], False))) == []


@pytest.mark.parametrize("style", FORMATS)
def test_nothing_forges_a_finding(style: str) -> None:
    for odd in HOSTILE:
        holds(style, odd)


def holds(style: str, odd: str) -> None:
    names = [f"{odd}.py", f"d{odd}d/x{odd}x.py", "z.py"]
    names = [name for name in names if "\0" not in name and "\ud800" not in name]
    entries = [entry(name, f"x{odd}{odd}y", code, row, help=odd) for name in names for row, code in enumerate(CODES, 1)]
    text = FORMATS[style](entries, False)
    assert not {unicodedata.category(sign) for sign in text.replace("\n", "")} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = list(READERS[style](text))
    assert [(one.row, one.code) for one in found] == [(one.finding.place.row, one.finding.code) for one in entries]
    assert [one.path for one in found] == [named(style, one.path, one.filename) for one in entries]
    assert {one.message for one in found} == {shown(style, f"x{odd}{odd}y")}


def shown(style: str, message: str) -> str:
    told = escaped(message)
    return told.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff") if style == "junit" else told


@pytest.mark.parametrize("style", PARTED)
def test_parts_make_the_whole(style: str) -> None:
    first, second = [entry("a.py"), entry("a.py", row=2)], [entry("b.py")]
    parts = FORMATS[style](first, False) + PARTED[style] + FORMATS[style](second, False)
    assert parts == FORMATS[style]([*first, *second], False)


@pytest.mark.parametrize("style", ["azure", "gitlab", "junit", "rdjson", "sarif"])
def test_how_grave_a_finding_is_follows_from_what_the_mistake_does(style: str) -> None:
    effects = ("error", "error later", "wrong result", "", "no effect", "memory", "slow")
    levels = [level_in(style, FORMATS[style]([entry(consequence=effect)], False)) for effect in effects]
    assert levels == [levels[0]] * 4 + [levels[4]] * 3
    assert levels[0] != levels[4]


def level_in(style: str, text: str) -> str:
    words = {
        "azure": ("type=error", "type=warning"),
        "gitlab": ('"major"', '"minor"'),
        "junit": ('type="error"', 'type="warning"'),
        "rdjson": ('"severity": "ERROR"', '"severity": "WARNING"'),
        "sarif": ('"level": "error"', '"level": "warning"'),
    }[style]
    return next(word for word in words if word in text)


# ---- fingerprints


def fingerprints(style: str, *entries: Entry) -> list[str]:
    found = json.loads(FORMATS[style](entries, False))
    if style == "gitlab":
        return [one["fingerprint"] for one in found]
    return [one["partialFingerprints"]["gradlintLine/v1"] for one in found["runs"][0]["results"]]


@pytest.mark.parametrize("style", ["gitlab", "sarif"])
def test_a_fingerprint_stays_when_lines_move_and_tells_findings_apart(style: str) -> None:
    lines = ("if x:", "    y = 1", "    y = 1")
    before = fingerprints(style, entry(row=2, lines=lines), entry(row=3, lines=lines))
    moved = ("", "if x:", "  if x:", "        y  =  1", "        y = 1  ")
    after = fingerprints(style, entry(row=4, lines=moved), entry(row=5, lines=moved))
    assert before == after
    assert len({*before, *fingerprints(style, entry(row=1, lines=lines))}) == 3
    others = entry("b.py", row=2, lines=lines), entry(code="GRD102", row=2, lines=lines)
    assert not {*before} & {*fingerprints(style, *others)}
    assert before[0] == fingerprints(style, entry(message="other words", row=2, lines=lines))[0]


def test_paths_for_gitlab_are_those_from_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    def paths() -> list[str]:
        return [one.path for one in READERS["gitlab"](FORMATS["gitlab"]([entry("sub/a.py")], False))]

    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
    assert paths() == ["sub/a.py"]
    monkeypatch.setenv("CI_PROJECT_DIR", "/where")
    assert paths() == ["it/is/sub/a.py"]


# ---- SARIF and the Reviewdog Diagnostic Format


SAFE = Fix((Edit(Place(1, 1, 1, 1), "é"), Edit(Place(2, 1, 2, 2), "")), "safe", "write é")
ONE = Fix((Edit(Place(1, 3, 1, 4), "b"),), "unsafe", "write b")
DISPLAYED = Fix((Edit(Place(1, 3, 1, 4), "c"),), "display", "write c")
NOTES = (Note(Place(2, 1, 2, 2), "here"), Note(Place(7, 1, 7, 2), "there", "/where/it/is/sub dir/b.py"))
RICH = entry(
    "ä/a.py", "wrong", notes=NOTES, fixes=(SAFE, ONE, DISPLAYED), consequence="no effect", help="mend it",
    confidence=Confidence.LIKELY, lines=("äß€x", "y"),
)  # fmt: skip
OUTSIDE = Entry(Finding("GRD000", "unreadable-file", "no", Place(1, 1, 1, 1)), "/else where/b.py", "/else where/b.py")


def sarif(*entries: Entry) -> dict[str, Any]:
    return json.loads(FORMATS["sarif"](entries, False))  # type: ignore[no-any-return]


def test_sarif_has_what_the_specification_requires() -> None:
    log = sarif(RICH, OUTSIDE, entry())
    (run,) = log["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert (log["version"], run["tool"]["driver"]["name"], run["columnKind"]) == (
        "2.1.0",
        "gradlint",
        "unicodeCodePoints",
    )
    assert [rule["id"] for rule in rules] == ["GRD000", "GRD101"]
    assert all(rule["shortDescription"]["text"] for rule in rules)
    assert "autograd" in rules[1]["help"]["text"].lower()
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in results)
    assert {one["level"] for one in results} <= {"none", "note", "warning", "error"}
    uris = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in results]
    assert uris[0] == {"uri": "%C3%A4/a.py", "uriBaseId": "%SRCROOT%"}
    assert uris[1] == {"uri": "file:///else%20where/b.py"}


def test_sarif_tells_the_way_to_a_finding_and_its_fixes() -> None:
    (result,) = sarif(RICH)["runs"][0]["results"]
    (flow,) = result["codeFlows"]
    steps = [one["location"] for one in flow["threadFlows"][0]["locations"]]
    assert [step["message"]["text"] for step in steps] == ["here", "there", "wrong"]
    uris = [step["physicalLocation"]["artifactLocation"]["uri"] for step in steps]
    assert uris == ["%C3%A4/a.py", "sub%20dir/b.py", "%C3%A4/a.py"]
    assert [fix["description"]["text"] for fix in result["fixes"]] == ["write é", "write b"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"][0] == {
        "deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1},
        "insertedContent": {"text": "é"},
    }
    assert result["properties"] == {"confidence": "likely", "consequence": "no effect"}
    assert not {"codeFlows", "fixes"} & set(sarif(entry())["runs"][0]["results"][0])


def test_sarif_is_valid_by_its_schema() -> None:
    """`SARIF_SCHEMA` names the file of the official schema, where there is one."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = os.environ.get("SARIF_SCHEMA")
    if not schema:
        pytest.skip("SARIF_SCHEMA does not say where the schema is")
    read = json.loads(Path(schema).read_text(encoding="utf-8"))
    for entries in ((), (RICH, OUTSIDE, entry())):
        jsonschema.validate(sarif(*entries), read, jsonschema.Draft4Validator)


def test_reviewdog_counts_bytes_and_takes_fixes_of_one_edit() -> None:
    (one,) = json.loads(FORMATS["rdjson"]([RICH], False))["diagnostics"]
    assert one["location"]["range"] == {"start": {"line": 1, "column": 5}, "end": {"line": 1, "column": 8}}
    assert one["suggestions"] == [{"range": one["location"]["range"], "text": "b"}]
