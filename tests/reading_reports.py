"""How the readers of each format understand a report, written down anew: what they are shown, and nothing of ours."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from gradlint.report.entry import escaped, safe_name


@dataclass(frozen=True, slots=True)
class Read:
    """A finding as a reader has it; a column of 0 is none."""

    path: str
    row: int
    column: int
    code: str
    message: str


LINE = re.compile(r"(?P<path>.+?):(?P<row>\d+):(?P<column>\d+): (?P<code>[A-Z]{3}\d{3}) (?P<message>\S.*)")
HEAD = re.compile(r"(?P<code>[A-Z]{3}\d{3}) (?P<message>\S.*)")
PLACE = re.compile(r" +--> (?P<path>.+?):(?P<row>\d+):(?P<column>\d+)")
SHOWN = re.compile(r" *(\d+ )?\|( .*)?| += (note|help): .*")
"""What stands below the message and the place of a finding."""
PYLINT = re.compile(r"(?P<path>.+?):(?P<row>\d+)(?P<column>): \[(?P<code>[A-Z]{3}\d{3})\] (?P<message>\S.*)")
GROUPED = re.compile(r"  +(?P<row>\d+):(?P<column>\d+) +(?P<code>[A-Z]{3}\d{3}) (?P<message>\S.*)")
GITHUB = re.compile(
    r"::error title=gradlint \((?P<code>[^:,]*)\),file=(?P<path>[^:,]*),line=(?P<row>\d+)(,col=(?P<column>\d+))?"
    r"(,[a-zA-Z]+=\d+)*::(?P<message>[^\r\n]*)"
)


def _lines(text: str) -> list[str]:
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def _matched(pattern: re.Pattern[str], line: str, **known: str) -> Read:
    found = pattern.fullmatch(line)
    assert found, line
    given = {**found.groupdict(), **known}
    return Read(given["path"], int(given["row"]), int(given["column"] or 0), given["code"], given["message"])


def concise(text: str) -> Iterator[Read]:
    return (_matched(LINE, line) for line in _lines(text))


def full(text: str) -> Iterator[Read]:
    """A message, in several lines the later of which are indented; the place; source, notes and help."""
    for block in text.split("\n\n") if text else ():
        head, *lines = block.rstrip("\n").split("\n")
        found = HEAD.fullmatch(head)
        assert found, head
        at = next(n for n, line in enumerate(lines) if PLACE.fullmatch(line))
        said = " ".join([found["message"], *(line.removeprefix(" " * 7) for line in lines[:at])])
        below = [n for n, line in enumerate(lines[at + 1 :]) if SHOWN.fullmatch(line)]
        assert all(line.startswith("    ") for n, line in enumerate(lines[at + 1 :]) if n not in below)
        yield _matched(PLACE, lines[at], code=found["code"], message=said)


def pylint(text: str) -> Iterator[Read]:
    return (_matched(PYLINT, line) for line in _lines(text))


def grouped(text: str) -> Iterator[Read]:
    for block in text.split("\n\n")[:-1]:
        head, *lines = block.split("\n")
        assert head.endswith(":") and lines
        yield from (_matched(GROUPED, line, path=head[:-1]) for line in lines)


def _read_back(text: str, written: dict[str, str]) -> str:
    for sign, code in written.items():
        text = text.replace(code, sign)
    return text


def github(text: str) -> Iterator[Read]:
    for line in _lines(text):
        read = _matched(GITHUB, line)
        path = _read_back(read.path, {":": "%3A", ",": "%2C", "\r": "%0D", "\n": "%0A", "%": "%25"})
        said = _read_back(read.message, {"\r": "%0D", "\n": "%0A", "%": "%25"})
        again = _matched(LINE, said.partition("\n")[0])
        assert (again.row, again.code) == (read.row, read.code)
        yield Read(path, read.row, read.column, read.code, again.message)


AZURE = {";": "%3B", "\r": "%0D", "\n": "%0A", "]": "%5D", "%": "%AZP25"}


def azure(text: str) -> Iterator[Read]:
    """An agent takes a command from wherever it begins in a line, and its properties up to the first bracket."""
    for line in _lines(text):
        start, end = line.index("##vso["), line.index("]")
        command, _, listed = line[start + len("##vso[") : end].partition(" ")
        given = dict(each.split("=", 1) for each in listed.split(";") if each)
        assert (start, command, given["type"] in ("error", "warning")) == (0, "task.logissue", True)
        path, message = (_read_back(told, AZURE) for told in (given["sourcepath"], line[end + 1 :]))
        yield Read(path, int(given["linenumber"]), int(given["columnnumber"]), given["code"], message)


def strict(text: str) -> Any:
    """JSON without what some readers refuse: a number that is none, half of a pair."""
    text.encode("ascii")
    found = json.loads(text, parse_constant=_refuse)
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def as_json(text: str) -> Iterator[Read]:
    return (_of_json(each) for each in json.loads(text))


def json_lines(text: str) -> Iterator[Read]:
    return (_of_json(json.loads(line)) for line in _lines(text))


def _of_json(one: dict[str, Any]) -> Read:
    place = one["location"]
    return Read(one["filename"], place["row"], place["column"], one["code"], escaped(one["message"]))


def gitlab(text: str) -> Iterator[Read]:
    issues = strict(text)
    assert len({one["fingerprint"] for one in issues}) == len(issues)
    for one in issues:
        begin, code = one["location"]["positions"]["begin"], one["check_name"]
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        message = one["description"].removeprefix(f"{code}: ")
        yield Read(one["location"]["path"], begin["line"], begin["column"], code, message)


def rdjson(text: str) -> Iterator[Read]:
    for one in strict(text)["diagnostics"]:
        start = one["location"]["range"]["start"]
        yield Read(one["location"]["path"], start["line"], start["column"], one["code"]["value"], one["message"])


def sarif(text: str) -> Iterator[Read]:
    (run,) = strict(text)["runs"]
    for one in run["results"]:
        (location,) = one["locations"]
        place, region = location["physicalLocation"]["artifactLocation"]["uri"], location["physicalLocation"]["region"]
        parts = urlsplit(place)
        assert re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=@/%-]+", parts.path) and parts.scheme in ("", "file")
        path = os.fsdecode(unquote_to_bytes(parts.path))
        message = one["message"]["text"].partition("\n")[0]
        yield Read(path, region["startLine"], region["startColumn"], one["ruleId"], message)


def junit(text: str) -> Iterator[Read]:
    root = ElementTree.fromstring(text.encode("utf-8"))
    found = list(root.iter("failure"))
    assert int(root.get("failures", "")) == len(found)
    for suite in root:
        cases = list(suite)
        assert int(suite.get("tests", "")) == len(cases)
        for case in cases:
            for failure in case:
                code, message = case.get("name", "").removeprefix("org.gradlint."), failure.get("message", "")
                assert failure.text == f"line {case.get('line')}, col {case.get('column')}, {message}"
                row, column = int(case.get("line", "")), int(case.get("column", ""))
                yield Read(suite.get("name", ""), row, column, code, message)


READERS: dict[str, Callable[[str], Iterator[Read]]] = {
    "full": full,
    "concise": concise,
    "grouped": grouped,
    "json": as_json,
    "json-lines": json_lines,
    "junit": junit,
    "github": github,
    "gitlab": gitlab,
    "pylint": pylint,
    "rdjson": rdjson,
    "azure": azure,
    "sarif": sarif,
}


def _as_xml(text: str) -> str:
    return re.sub("[\ufffe\uffff]", lambda found: ascii(found[0])[1:-1], escaped(text))


def _as_unicode(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def named(style: str, path: str, filename: str) -> str:
    """How a format names a file: by its path as shown, or in full."""
    return _NAMED.get(style, lambda path, filename: safe_name(path))(path, filename)


_NAMED: dict[str, Callable[[str, str], str]] = {
    "json": lambda path, filename: filename,
    "json-lines": lambda path, filename: filename,
    "junit": lambda path, filename: _as_xml(filename),
    "github": lambda path, filename: escaped(filename),
    "gitlab": lambda path, filename: _as_unicode(path),
    "rdjson": lambda path, filename: _as_unicode(filename),
    "azure": lambda path, filename: escaped(filename),
    "sarif": lambda path, filename: path,
}
