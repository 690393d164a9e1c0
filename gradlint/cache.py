"""What is remembered from run to run: results with what they rest on, and what is installed.

A cache is a folder with an SQLite database, which several processes may use at once. A result is kept under its file
and the terms under which it was linted; it holds while all its inputs are the same, else while all its queries get the
same answers (see `queries`). Content counts, not time alone, so whatever lies in a cache, a changed file is linted
again. Nothing in it is executed, and what is not as it was written here is no result. A cache that cannot be used is
left alone: the run goes on without.
"""

from __future__ import annotations

import array
import json
import os
import shutil
import sqlite3
import stat
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from gradlint.catalogue import Catalogue
from gradlint.finding import Confidence, Edit, Finding, Fix, Note, Place
from gradlint.queries import Dependencies, Fingerprint, Input, Query, digest, stamp
from gradlint.results import Result, Rows
from gradlint.unused import Silenced

FOLDER = ".gradlint_cache"
DATABASE = "results-3.sqlite"
"""With the number of the format."""
TAG, SIGNATURE = "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55"
"""How programs that copy or search folders know that one is a cache (bford.info/cachedir)."""
DAYS = 30
"""How long a result that nobody asks for is kept."""
SECONDS_UNWRITTEN = 1.0
"""How long results are held back to be written together; so much a run that is killed loses."""
PATIENCE = 2.0
"""How many seconds another process is waited for that writes."""
MOST_IDS = 1_000_000
"""How many things one result may rest on."""
MOST_AT_ONCE = 500
"""How many rows are asked for by name; who needs more reads all."""

TABLES = {
    "installations": (
        "CREATE TABLE installations (key TEXT PRIMARY KEY, day INTEGER, watched TEXT, catalogue TEXT, seal TEXT)"
    ),
    "inputs": "CREATE TABLE inputs (id INTEGER PRIMARY KEY, kind TEXT, path TEXT, digest TEXT, stamp TEXT)",
    "answers": "CREATE TABLE answers (id INTEGER PRIMARY KEY, query TEXT, digest TEXT)",
    "bundles": "CREATE TABLE bundles (id INTEGER PRIMARY KEY, inputs BLOB)",
    "results": (
        "CREATE TABLE results (file TEXT, terms TEXT, day INTEGER, inputs BLOB, bundles BLOB, answers BLOB,"
        " result TEXT, seal TEXT, PRIMARY KEY (file, terms))"
    ),
}
"""What results and bundles rest on are ids of rows, each made of what is in its row: it never means another. A seal is
a checksum of what is told from its row: bytes that a disk changed are no result."""


_NONE_OF_OURS = (TypeError, ValueError, KeyError, AttributeError, RecursionError, zlib.error)
"""What is raised by data that was not written here."""
_UNUSABLE = (sqlite3.Error, UnicodeError)
"""What is raised by a database that cannot be used: where its bytes were changed, the words of its errors need not be
text."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A result as it was stored, with the ids of what it rests on, and the `day` on which it was last asked for."""

    file: str
    day: int
    inputs: frozenset[int]
    bundles: frozenset[int]
    answers: tuple[int, ...]
    result: Result


class Cache:
    """An open cache."""

    def __init__(self, folder: str, connection: sqlite3.Connection) -> None:
        self.folder, self._connection = folder, connection
        self._today = int(time.time() // 86_400)
        self._known: set[int] = set()
        self._waiting: list[tuple[Any, ...]] = []
        self._flushed, self._has_written, self._is_damaged = time.monotonic(), False, False

    # ---- installations

    def installation(self, key: str) -> tuple[dict[str, str], Catalogue] | None:
        """The stamps of what was installed, and what was known of it."""
        rows = self._rows("SELECT watched, catalogue, seal FROM installations WHERE key = ?", (key,))
        with suppress(*_NONE_OF_OURS):
            for watched, catalogue, seal in rows:
                _check(seal, key, watched, catalogue)
                stamps = {str(path): str(seen) for path, seen in json.loads(watched).items()}
                return stamps, Catalogue.from_data(json.loads(catalogue))
        return None

    def keep_installation(self, key: str, watched: dict[str, str], catalogue: Catalogue) -> None:
        """Remember what is installed."""
        told = json.dumps(watched), json.dumps(catalogue.as_data())
        row = (key, self._today, *told, _seal(key, *told))
        self._write("INSERT OR REPLACE INTO installations VALUES (?, ?, ?, ?, ?)", [row])

    # ---- results

    def results(self, terms: dict[str, str]) -> dict[str, Remembered]:
        """What is remembered of files, each linted under these terms; it holds if what it rests on does."""
        columns = "SELECT file, terms, day, inputs, bundles, answers, result, seal FROM results"
        if len(terms) > MOST_AT_ONCE:
            rows = self._rows(columns)
        else:
            one = f"{columns} WHERE file = ? AND terms = ?"
            rows = [row for pair in terms.items() for row in self._rows(one, pair)]
        out: dict[str, Remembered] = {}
        for file, under, day, inputs, bundles, answers, result, seal in rows:
            if terms.get(file) == under:
                with suppress(*_NONE_OF_OURS):
                    _check(seal, file, under, result)
                    read = result_of(json.loads(result), file)
                    below = frozenset(_ids(inputs)), frozenset(_ids(bundles))
                    out[file] = Remembered(file, int(day), *below, _ids(answers), read)
        return out

    def holding(self, results: Iterable[Remembered], now: Callable[[Input], Fingerprint]) -> list[Remembered]:
        """Those of results of which all inputs are what they were."""
        results = list(results)
        loose = frozenset[int]().union(*(one.inputs for one in results))
        wanted = frozenset[int]().union(*(one.bundles for one in results))
        bundles: dict[int, frozenset[int]] = {}
        for number, ids in self._by_id("SELECT id, inputs FROM bundles", wanted):
            with suppress(*_NONE_OF_OURS):
                bundles[number] = frozenset(_ids(ids))
        changed = self._changed(loose.union(*bundles.values()), now)
        broken = wanted - {number for number, inputs in bundles.items() if changed.isdisjoint(inputs)}
        return [one for one in results if changed.isdisjoint(one.inputs) and broken.isdisjoint(one.bundles)]

    def _changed(self, ids: Iterable[int], now: Callable[[Input], Fingerprint]) -> frozenset[int]:
        """Which of these inputs are no more what they were; of the others the stamp is renewed."""
        wanted, changed, met, renewed = set(ids), set[int](), set[int](), list[tuple[Any, ...]]()
        for number, kind, path, was, seen in self._by_id("SELECT id, kind, path, digest, stamp FROM inputs", wanted):
            met.add(number)
            if seen and stamp(path) == seen:
                continue
            fresh = now((kind, path))
            if fresh.digest != was:
                changed.add(number)
            elif fresh.stamp != seen:
                renewed.append((fresh.stamp, number))
        self._write("UPDATE inputs SET stamp = ? WHERE id = ?", renewed)
        return frozenset(changed | (wanted - met))

    def answers(self, ids: Iterable[int]) -> dict[int, tuple[Query, str]]:
        """Queries that were asked, and the digests of their answers, by id."""
        out: dict[int, tuple[Query, str]] = {}
        for number, query, was in self._by_id("SELECT id, query, digest FROM answers", set(ids)):
            with suppress(*_NONE_OF_OURS):
                out[number] = _query(json.loads(query)), str(was)
        return out

    def keep(self, file: str, terms: str, result: Result, rests_on: Dependencies) -> None:
        """Remember a result; it is written soon."""
        every = [rests_on.inputs, *rests_on.bundles.values()]
        if not all(_is_text(path) for inputs in every for _, path in inputs) or not _is_text(file):
            return
        inputs = _rows_of(rests_on.inputs)
        bundles = {_id(*map(str, sorted(rows := _rows_of(bundle)))): rows for bundle in rests_on.bundles.values()}
        answers = {_id(text := json.dumps(query), was): (text, was) for query, was in rests_on.answers.items()}
        self._waiting += (
            ("INSERT OR IGNORE INTO inputs VALUES (?, ?, ?, ?, ?)", (number, kind, path, was.digest, was.stamp))
            for rows in (inputs, *(rows for number, rows in bundles.items() if number not in self._known))
            for number, (kind, path, was) in rows.items()
            if number not in self._known
        )
        self._waiting += (
            ("INSERT OR IGNORE INTO bundles VALUES (?, ?)", (number, _packed(rows)))
            for number, rows in bundles.items()
            if number not in self._known
        )
        self._waiting += (
            ("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", (number, *row))
            for number, row in answers.items()
            if number not in self._known
        )
        self._known |= inputs.keys() | answers.keys() | bundles.keys()
        self._known.update(*bundles.values())
        below = _packed(inputs), _packed(bundles), _packed(answers)
        told = json.dumps(data_of(result))
        row = (file, terms, self._today, *below, told, _seal(file, terms, told))
        self._waiting.append(("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row))
        if time.monotonic() - self._flushed > SECONDS_UNWRITTEN:
            self.flush()

    def touch(self, asked: Iterable[Remembered]) -> None:
        """Note that these were asked for, so that they are kept."""
        rows = [(self._today, one.file) for one in asked if one.day != self._today]
        self._write("UPDATE results SET day = ? WHERE file = ?", rows)

    def flush(self) -> None:
        """Write what is to be remembered."""
        waiting, self._waiting, self._flushed = self._waiting, [], time.monotonic()
        self._has_written = self._has_written or bool(waiting)
        with self._writing():
            for statement, row in waiting:
                self._connection.execute(statement, row)

    def close(self) -> None:
        """Write what is to be remembered, and forget what nobody has asked for in a long time."""
        if self._waiting:
            self.flush()
        if self._has_written:
            self._forget()
        with suppress(OSError, *_UNUSABLE):
            self._connection.close()
            if self._is_damaged:
                os.unlink(os.path.join(self.folder, DATABASE))

    def _forget(self) -> None:
        with suppress(*_UNUSABLE, *_NONE_OF_OURS), self._connection as connection:
            old = self._today - DAYS
            gone = connection.execute("DELETE FROM results WHERE day < ?", (old,)).rowcount
            connection.execute("DELETE FROM installations WHERE day < ?", (old,))
            if gone or self._is_crowded():
                used = {"inputs": set[int](), "bundles": set[int](), "answers": set[int]()}
                for rows in connection.execute("SELECT inputs, bundles, answers FROM results"):
                    for ids, packed in zip(used.values(), rows, strict=True):
                        ids.update(_ids(packed))
                for number, inputs in connection.execute("SELECT id, inputs FROM bundles"):
                    used["inputs"].update(_ids(inputs) if number in used["bundles"] else ())
                for table, ids in used.items():
                    unused = {number for (number,) in connection.execute(f"SELECT id FROM {table}")} - ids
                    connection.executemany(f"DELETE FROM {table} WHERE id = ?", [(number,) for number in unused])

    def _is_crowded(self) -> bool:
        """Whether there may be many rows that no result rests on any more; looked at once in a while."""
        return self._today % 7 == 0 or os.path.getsize(os.path.join(self.folder, DATABASE)) > 200_000_000

    # ---- the database

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except _UNUSABLE as error:  # among them a name that is no text: it is in no row
            self._note(error)
            return []

    def _by_id(self, statement: str, wanted: AbstractSet[int]) -> Iterator[tuple[Any, ...]]:
        if len(wanted) > MOST_AT_ONCE:
            yield from (row for row in self._rows(statement) if row[0] in wanted)
        elif wanted:
            yield from self._rows(f"{statement} WHERE id IN ({','.join(map(str, wanted))})")

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            with self._writing():
                self._connection.executemany(statement, rows)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Within, what is written is kept, all or nothing."""
        try:
            with self._connection:
                yield
        except _UNUSABLE as error:
            self._note(error)

    def _note(self, error: Exception) -> None:
        """Note whether an error means that the database is damaged: the next run needs another."""
        self._is_damaged = self._is_damaged or _is_damage(error)


# ---- the folder


@contextmanager
def opened(folder: str) -> Iterator[Cache | None]:
    """The cache in a folder, made where there is none; None where it cannot be used."""
    cache = _open(folder)
    try:
        yield cache
    finally:
        if cache is not None:
            cache.close()


def _open(folder: str) -> Cache | None:
    file = os.path.join(folder, DATABASE)
    try:
        if not _is_ours(folder) or not _is_missing_or(stat.S_ISREG, file):
            return None
        return Cache(folder, _connected(file))
    except _UNUSABLE as error:
        if not _is_damage(error):
            return None  # it is locked, or the disk is full
    except OSError:
        return None
    with suppress(OSError, *_UNUSABLE):  # what is no database of ours is made anew
        os.unlink(file)
        return Cache(folder, _connected(file))
    return None


def _is_damage(error: Exception) -> bool:
    """Whether an error means that a file is no database of ours, now or later."""
    if isinstance(error, UnicodeEncodeError):
        return False  # a name that we asked for
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


def _is_ours(folder: str) -> bool:
    """Whether a folder is a cache, or one was made; what was begun and not finished is finished."""
    if not _is_missing_or(stat.S_ISDIR, folder):
        return False
    os.makedirs(folder, exist_ok=True)
    if not os.listdir(folder):
        _make(os.path.join(folder, TAG), f"{SIGNATURE}\n# This folder is gradlint's cache.\n")
    if not stat.S_ISREG(os.lstat(os.path.join(folder, TAG)).st_mode):
        return False
    _make(os.path.join(folder, ".gitignore"), "*\n")
    return True


def _make(file: str, text: str) -> None:
    """Write a file where there is none."""
    with suppress(FileExistsError), open(file, "x", encoding="ascii") as stream:
        stream.write(text)


def _is_missing_or(kind: Callable[[int], bool], path: str) -> bool:
    """Whether a path, itself and not where it leads, is of a kind, or nothing at all."""
    try:
        return kind(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True


def _connected(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=PATIENCE)
    try:
        # A process that is killed loses nothing by this, and a machine that is, no more than what is remembered.
        for setting in ("synchronous = OFF", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {setting}")
        there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        if not there:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for name, statement in TABLES.items():
                    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchall():
                        connection.execute(statement)
        elif there != TABLES:
            raise sqlite3.DatabaseError("it has other tables")
        return connection
    except BaseException:
        connection.close()
        raise


def clean(folder: str) -> bool:
    """Take a cache away; False where there is none."""
    if os.path.islink(folder) or not os.path.isfile(os.path.join(folder, TAG)):
        return False
    with open(os.path.join(folder, TAG), encoding="utf-8", errors="replace") as stream:
        if stream.read(len(SIGNATURE)) != SIGNATURE:
            return False
    shutil.rmtree(folder)
    return True


# ---- results as data


def data_of(result: Result) -> list[Any]:
    """A result as JSON can write it, without what is known of the file otherwise."""
    findings = [[_finding(one) for one in found] for found in (result.findings, result.elsewhere)]
    silenced = [(one.path, one.row, one.code) for one in result.silenced]
    return [*findings, result.counts, result.unread, silenced, result.unknown]


def result_of(data: Any, file: str) -> Result:
    """What `data_of` gave, for a file that is linted now. Raises `TypeError`, `ValueError` or `KeyError` for what is
    none."""
    findings, elsewhere, counts, unread, silenced, unknown = data
    return Result(
        path="",
        filename=file,
        findings=tuple(_found(*row) for row in findings),
        lines=Rows.of(file),
        counts=tuple((str(what), int(number)) for what, number in counts),
        elsewhere=tuple(_found(*row) for row in elsewhere),
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
    ]  # fmt: skip


def _found(
    code: str, name: str, message: str, at: Any, confidence: int, consequence: str, advice: str, notes: Any, fixes: Any,
    path: str,
) -> Finding:  # fmt: skip
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
    )


def _at(place: Place) -> tuple[int, int, int, int]:
    return place.row, place.column, place.end_row, place.end_column


def _place(at: Any) -> Place:
    row, column, end_row, end_column = map(int, at)
    return Place(row, column, end_row, end_column)


def _query(data: Any) -> Query:
    """A query with its lists as tuples again. Raises `TypeError` for what is none."""
    if not isinstance(data, list) or not data:
        raise TypeError
    return tuple(tuple(map(str, part)) if isinstance(part, list) else str(part) for part in data)


def _rows_of(inputs: Mapping[Input, Fingerprint]) -> dict[int, tuple[str, str, Fingerprint]]:
    """The rows of inputs, by id."""
    return {_id(kind, path, was.digest): (kind, path, was) for (kind, path), was in inputs.items()}


def _is_text(name: str) -> bool:
    """Whether a database can hold a name: those of files need not be text."""
    try:
        name.encode()
    except UnicodeError:
        return False
    return True


def _id(*parts: str) -> int:
    """A number that is made of these texts, which SQLite can hold."""
    return int(digest("\0".join(parts).encode("utf-8", "surrogatepass"))[:15], 16)


def _seal(*told: str) -> str:
    """A checksum of what a row tells."""
    return digest("\0".join(told).encode("utf-8", "surrogatepass"))


def _check(seal: str, *told: str) -> None:
    """Raise `ValueError` where what a row tells is not what was written there."""
    if seal != _seal(*told):
        raise ValueError(seal)


def _packed(ids: Iterable[int]) -> bytes:
    return zlib.compress(array.array("q", sorted(ids)).tobytes(), 1)


def _ids(packed: bytes) -> tuple[int, ...]:
    ids = array.array("q")
    ids.frombytes(zlib.decompressobj().decompress(packed, MOST_IDS * ids.itemsize))
    return tuple(ids)
