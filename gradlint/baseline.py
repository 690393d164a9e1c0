"""The baseline: findings that somebody accepted, so that only new ones are told.

An entry is a path from the folder of the baseline, a code and the text of the line, with how many such findings there
are: what is written elsewhere in the file does not make an old finding new, and a second equal mistake is new.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from gradlint.files import displayed, here
from gradlint.reading import MOST_CONFIGURED, read_regular, reason
from gradlint.report.entry import Entry, safe_name
from gradlint.results import STDIN, Result, Rows
from gradlint.selection import UNREADABLE
from gradlint.settings import Request
from gradlint.writing import FileChanged, create_file, replace_file

VERSION = 1
"""The format that is written; it is read as well."""
MAKE = "`--update-baseline` writes it"
Key = tuple[str, str, str]
"""The path, code and line of an entry."""
_KEYS = ("path", "code", "line", "count")


class BadBaseline(Exception):
    """A baseline that cannot be read or written; the message names the file, the place and the cure."""


class Baseline:
    """The findings that are `accepted`, and where it is written (`file`; nowhere if that is empty)."""

    def __init__(self, file: str = "", accepted: Mapping[Key, int] | None = None, data: bytes | None = None) -> None:
        self.file, self.accepted, self._data = file, dict(accepted or {}), data
        self._folder = os.path.realpath(os.path.dirname(file)) if file else ""
        self._real, self._rows = cache(os.path.realpath), cache(Rows.of)

    def left(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Entries without those that are accepted; all those of one file are given at once, in order."""
        if not self.accepted:
            return tuple(entries)
        met, left = Counter[Key](), list[Entry]()
        for entry in entries:
            if self._is_accepted_there(entry):
                continue
            key = self._key(entry)
            met[key] += 1
            if met[key] > self.accepted.get(key, 0):
                left.append(entry)
        return tuple(left)

    def telling(self, tell: Callable[[Sequence[Entry], str | None], None]) -> Callable[..., None]:
        """Tell a teller of entries only of those that are left."""
        return lambda entries, configured: tell(self.left(entries), configured)

    def compared(
        self, results: Sequence[Result], codes: Callable[[str], Collection[str]], *, update: bool
    ) -> tuple[list[str], list[str]]:
        """Hold it against the results of a run, each of which was asked for these codes: what was done, and what is to
        be warned of. With `update` all that was found is accepted, and what is found no more forgotten. Raises
        `BadBaseline`."""
        if not self.file:
            return [], []
        every = (entry for result in results for entry in result.entries())
        met = Counter(self._key(entry) for entry in every if not self._is_accepted_there(entry))
        judged = self._judged(results, codes)
        gone = sum(max(count - met[key], 0) for key, count in self.accepted.items() if judged(key))
        if update:
            self._update(met, judged)
            return [f"{safe_name(displayed(self.file))} accepts {_counted(sum(self.accepted.values()), 'finding')}"], []
        if not gone:
            return [], []
        told = f"{_counted(gone, 'finding')} that {safe_name(displayed(self.file))} accepts"
        return [], [f"{told} cannot be found any more; `--update-baseline` takes out what is too much"]

    def _update(self, met: Counter[Key], judged: Callable[[Key], bool]) -> None:
        """Accept what was met, and what was accepted before of which this run says nothing."""
        kept = {key: count for key, count in self.accepted.items() if not judged(key)}
        accepted = {key: max(met[key], kept.get(key, 0)) for key in {**met, **kept}}
        self._write(_text(accepted).encode())
        self.accepted = accepted

    def _judged(self, results: Sequence[Result], codes: Callable[[str], Collection[str]]) -> Callable[[Key], bool]:
        """Return a test of entries that would be found if they were still there: those of files that were linted whole,
        as far as they were asked for, and of files that are gone."""
        linted = {self._named(result.filename): result for result in results}

        def judge(key: Key) -> bool:
            path, code, _ = key
            result = linted.get(path)
            if result is None:
                return path != STDIN and not os.path.lexists(os.path.join(self._folder, path))
            return result.whole and (code == UNREADABLE.code or code in codes(result.filename))

        return judge

    def _key(self, entry: Entry) -> Key:
        return self._named(entry.filename), entry.finding.code, entry.line(entry.finding.place.row).strip()

    def _is_accepted_there(self, entry: Entry) -> bool:
        """Return whether a finding that is told at a call is accepted in the file that the call leads to: in a run in
        which that is linted it is told there."""
        there = next(iter(entry.finding.notes), None)
        if there is None or not there.path or not entry.finding.message.endswith(f": {there.text}"):
            return False
        lines = self._rows(there.path)
        line = lines[there.place.row - 1].strip() if there.place.row <= len(lines) else ""
        return (self._named(there.path), entry.finding.code, line) in self.accepted

    def _named(self, filename: str) -> str:
        """A file as entries name it: from the baseline's folder, wherever one stands and on whatever system."""
        if filename == STDIN:
            return filename
        file = os.path.join(self._real(os.path.dirname(filename)), os.path.basename(filename))
        try:
            return os.path.relpath(file, self._folder).replace(os.sep, "/")
        except ValueError:  # it is on another drive
            return file

    def _write(self, data: bytes) -> None:
        try:
            if self._data is None:
                create_file(self.file, data)
            elif data != self._data:
                replace_file(self.file, self._data, data)
        except FileChanged:
            raise BadBaseline(f"the baseline {self.file} has changed during the run; run it again") from None
        except (OSError, ValueError) as error:
            raise BadBaseline(f"cannot write the baseline {self.file}: {reason(error)}") from error


def of(request: Request, configured: str | None) -> Baseline:
    """The baseline that is asked for, or else configured; one of which nothing is accepted where there is none, or
    nothing is linted. Raises `BadBaseline`."""
    named = request.baseline or configured
    if named is None and request.update_baseline:
        raise BadBaseline("`--update-baseline` needs `--baseline FILE`, or `baseline` in the configuration")
    if named is None or request.only_list:
        return Baseline()
    file = os.path.abspath(os.path.join(here(), named))
    try:
        data = read_regular(file, MOST_CONFIGURED)
    except FileNotFoundError:
        if request.update_baseline:
            return Baseline(file)
        raise BadBaseline(f"there is no baseline {file}; {MAKE}") from None
    except (OSError, ValueError) as error:
        raise BadBaseline(f"cannot read the baseline {file}: {reason(error)}") from error
    try:
        return Baseline(file, _accepted(_parsed(data)), data)
    except _NoBaseline as error:
        raise BadBaseline(f"{file} is no baseline: {error}; mend it, or remove it and {MAKE} anew") from None


# ---- the format


class _NoBaseline(Exception):
    """Bytes that are no baseline; the message says where and why."""


def _text(accepted: Mapping[Key, int]) -> str:
    """A baseline as it is written: an entry in a row, in order, so that versions of it can be compared and merged."""
    entries = (dict(zip(_KEYS, (*key, count), strict=True)) for key, count in sorted(accepted.items()) if count)
    rows = ",\n".join(f"  {json.dumps(entry)}" for entry in entries)
    return f'{{\n "version": {VERSION},\n "findings": [\n{rows}\n ]\n}}\n' if rows else _EMPTY


_EMPTY = f'{{\n "version": {VERSION},\n "findings": []\n}}\n'


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise _NoBaseline(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise _NoBaseline(f"line {row}: byte 0x{data[error.start]:02x} is not UTF-8") from None
    except (ValueError, RecursionError, MemoryError):
        raise _NoBaseline("what it holds is too large or too deep") from None


def _accepted(content: Any) -> dict[Key, int]:
    """The entries of a baseline. Raises `_NoBaseline`."""
    if not isinstance(content, dict) or "version" not in content:
        raise _NoBaseline("it has no `version`")
    if type(content["version"]) is not int or content["version"] != VERSION:
        raise _NoBaseline(f"`version` is {_told(content['version'])}, and this gradlint knows {VERSION}")
    if content.keys() != {"version", "findings"} or not isinstance(content["findings"], list):
        raise _NoBaseline("besides `version` it must hold `findings`, a list, and nothing else")
    out: dict[Key, int] = {}
    for number, entry in enumerate(content["findings"], 1):
        key, count = _entry(entry, number)
        if key in out:
            raise _NoBaseline(f"entry {number} of `findings` says anew how often {_told(key[1])} is in {_told(key[0])}")
        out[key] = count
    return out


def _entry(entry: Any, number: int) -> tuple[Key, int]:
    if not isinstance(entry, dict) or entry.keys() != set(_KEYS):
        raise _NoBaseline(f"entry {number} of `findings` must have {', '.join(_KEYS)}, and nothing else")
    *key, count = (entry[name] for name in _KEYS)
    for name, value in zip(_KEYS, key, strict=False):
        if not isinstance(value, str):
            raise _NoBaseline(f"entry {number} of `findings`: `{name}` must be a string, not {_told(value)}")
    if type(count) is not int or count < 1:
        raise _NoBaseline(f"entry {number} of `findings`: `count` must be a whole number above 0, not {_told(count)}")
    path, code, line = key
    return (path, code, line), count


def _told(value: object) -> str:
    """A value of JSON, in few characters."""
    told = json.dumps(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    return told if len(told) <= 60 else f"{told[:57]}..."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
