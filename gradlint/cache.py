"""The memory from run to run: results with what they rest on, and what is installed.

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
from typing import Any, TypeVar

from gradlint.catalogue import Catalogue
from gradlint.frozen import frozen
from gradlint.queries import INPUTS, Dependencies, Fingerprint, Input, Query, digest, stamp
from gradlint.results import Result
from gradlint.results_data import data_of, result_of

FOLDER = ".gradlint_cache"
DATABASE = "results-4.sqlite"
"""The name of the database, with the number of the format."""
TAG, SIGNATURE = "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55"
"""The tag by which programs that copy or search folders know a cache (bford.info/cachedir)."""
DAYS = 30
"""The days for which a result that nobody asks for is kept."""
SECONDS_UNWRITTEN = 1.0
"""The seconds for which results are held back to be written together; so much a run that is killed loses."""
PATIENCE = 2.0
"""The seconds for which another process that writes is waited for."""
MOST_IDS = 1_000_000
"""The most things that one result may rest on."""
MOST_AT_ONCE = 500
"""The most rows that are asked for by name; a run that needs more reads all."""

TABLES = {
    "installations": (
        "CREATE TABLE installations (key TEXT PRIMARY KEY, day INTEGER, watched TEXT, catalogue TEXT, seal TEXT)"
    ),
    "inputs": (
        "CREATE TABLE inputs (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, path TEXT, digest TEXT, stamp TEXT,"
        " seal TEXT, UNIQUE (kind, path, digest))"
    ),
    "answers": "CREATE TABLE answers (id INTEGER PRIMARY KEY, query TEXT, digest TEXT)",
    "results": (
        "CREATE TABLE results (file TEXT, terms TEXT, day INTEGER, inputs BLOB, result TEXT, seal TEXT, answers BLOB,"
        " PRIMARY KEY (file, terms))"
    ),
}
"""The inputs of a result are a mask: bit n stands for the input with number n, and no number is given twice. Answers
have ids that are made of what is in their rows. A seal is a checksum of what is told from its row: bytes that a disk
changed are no result."""
_THERE = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'sqlite_sequence'"


_NONE_OF_OURS = (TypeError, ValueError, KeyError, AttributeError, RecursionError, zlib.error)
"""The errors of reading data that was not written here."""
_UNUSABLE = (sqlite3.Error, UnicodeError)
"""The errors of a database that cannot be used: where its bytes were changed, the words of its errors need not be
text."""
ReadT = TypeVar("ReadT")


@frozen()
class Remembered:
    """A result as it was stored, with the mask of the `inputs` that it rests on, and the `day` on which it was last
    asked for."""

    file: str
    terms: str
    day: int
    inputs: int
    result: Result


@frozen()
class _Unwritten:
    """A result that is to be remembered."""

    file: str
    terms: str
    result: str
    rests_on: Dependencies


class Cache:
    """An open cache."""

    def __init__(self, folder: str, connection: sqlite3.Connection) -> None:
        self.folder, self._connection = folder, connection
        self._today = int(time.time() // 86_400)
        self._waiting: list[_Unwritten] = []
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._masks: dict[frozenset[Input], int] = {}
        self._answered: set[int] = set()
        self._flushed, self._has_written, self._is_damaged = time.monotonic(), False, False

    # ---- installations

    def installation(self, key: str) -> tuple[dict[str, str], Catalogue] | None:
        """The stamps of what was installed, and what was known of it."""
        rows = self._rows("SELECT watched, catalogue, seal FROM installations WHERE key = ?", (key,))
        return next(self._read(rows, lambda *row: _installation(key, *row)), None)

    def keep_installation(self, key: str, watched: dict[str, str], catalogue: Catalogue) -> None:
        """Remember what is installed."""
        told = json.dumps(watched), json.dumps(catalogue.as_data())
        row = (key, self._today, *told, _seal(key, *told))
        self._write("INSERT OR REPLACE INTO installations VALUES (?, ?, ?, ?, ?)", [row])

    # ---- results

    def results(self, terms: dict[str, str]) -> dict[str, Remembered]:
        """Return the remembered results of files, each linted under these terms; it holds if what it rests on does."""
        columns = "SELECT file, terms, day, inputs, result, seal FROM results"
        if len(terms) > MOST_AT_ONCE:
            rows = self._rows(columns)
        else:
            one = f"{columns} WHERE file = ? AND terms = ?"
            rows = [row for pair in terms.items() for row in self._rows(one, pair)]
        asked = (row for row in rows if terms.get(row[0]) == row[1])
        return {one.file: one for one in self._read(asked, _remembered)}

    def holding(self, results: Iterable[Remembered], now: Callable[[Input], Fingerprint]) -> list[Remembered]:
        """Return the remembered results of which all inputs are what they were."""
        results = list(results)
        wanted = 0
        for one in results:
            wanted |= one.inputs
        changed = wanted & ~self._unchanged(wanted, now)
        return [one for one in results if not one.inputs & changed]

    def _unchanged(self, wanted: int, now: Callable[[Input], Fingerprint]) -> int:
        """The mask of those of the inputs in a mask that are what they were; of these the stamp is renewed."""
        unchanged, renewed = list[int](), list[tuple[str, int]]()
        rows = self._rows("SELECT number, kind, path, digest, stamp, seal FROM inputs")
        for number, kind, path, was, seen in self._read(rows, _input):
            if not wanted >> number & 1:
                continue
            if seen and stamp(path) == seen:
                unchanged.append(number)
            elif (fresh := now((kind, path))).digest == was:
                unchanged.append(number)
                renewed += [(fresh.stamp, number)] if fresh.stamp != seen else []
        self._write("UPDATE inputs SET stamp = ? WHERE number = ?", renewed)
        return _mask(unchanged)

    def answers(self, one: Remembered) -> dict[Query, str] | None:
        """The queries that a result rests on, with the digests of their answers; None where not all are known."""
        found = self._rows("SELECT answers FROM results WHERE file = ? AND terms = ?", (one.file, one.terms))
        for ids in self._read(found, _ids):
            out = dict(self._read(self._by_id("SELECT id, query, digest FROM answers", set(ids)), _answer))
            return out if len(out) == len(ids) else None
        return None

    def keep(self, file: str, terms: str, result: Result, rests_on: Dependencies) -> None:
        """Remember a result; it is written soon."""
        every = [rests_on.inputs, *rests_on.bundles.values()]
        if not all(_is_text(path) for inputs in every for _, path in inputs) or not _is_text(file):
            return
        self._waiting.append(_Unwritten(file, terms, json.dumps(data_of(result)), rests_on))
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
            for one in waiting:
                self._keep_answers(one.rests_on.answers)
                inputs = _bytes(self._mask_of(one.rests_on))
                seal = _seal(one.file, one.terms, inputs.hex(), one.result)
                answers = _packed(_id(json.dumps(query), was) for query, was in one.rests_on.answers.items())
                row = (one.file, one.terms, self._today, inputs, one.result, seal, answers)
                self._connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def _keep_answers(self, answers: Mapping[Query, str]) -> None:
        rows = {_id(text := json.dumps(query), was): (text, was) for query, was in answers.items()}
        fresh = [(number, *row) for number, row in rows.items() if number not in self._answered]
        self._connection.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", fresh)
        self._answered |= rows.keys()

    def _mask_of(self, rests_on: Dependencies) -> int:
        """The mask of all inputs that a result rests on."""
        mask = _mask(self._number(*of, was) for of, was in rests_on.inputs.items())
        for bundle, inputs in rests_on.bundles.items():
            if bundle not in self._masks:
                self._masks[bundle] = _mask(self._number(*of, was) for of, was in inputs.items())
            mask |= self._masks[bundle]
        return mask

    def _number(self, kind: str, path: str, was: Fingerprint) -> int:
        """The number of an input as it was, which has one from now on."""
        key = kind, path, was.digest
        if key not in self._numbers:
            insert = "INSERT OR IGNORE INTO inputs (kind, path, digest, stamp) VALUES (?, ?, ?, ?)"
            self._connection.execute(insert, (*key, was.stamp))
            where = "SELECT number, seal FROM inputs WHERE kind = ? AND path = ? AND digest = ?"
            found = self._connection.execute(where, key).fetchone()
            if found is None:
                raise sqlite3.DatabaseError("it has lost an input")
            number, seal = found
            if seal is None:
                new = _seal(str(number), *key)
                self._connection.execute("UPDATE inputs SET seal = ? WHERE number = ?", (new, number))
            self._numbers[key] = number
        return self._numbers[key]

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
                inputs, answers = 0, set[int]()
                for mask, packed in connection.execute("SELECT inputs, answers FROM results"):
                    inputs |= int.from_bytes(mask, "little")
                    answers.update(_ids(packed))
                loose = [row for row in connection.execute("SELECT number FROM inputs") if not inputs >> row[0] & 1]
                connection.executemany("DELETE FROM inputs WHERE number = ?", loose)
                loose = [row for row in connection.execute("SELECT id FROM answers") if row[0] not in answers]
                connection.executemany("DELETE FROM answers WHERE id = ?", loose)

    def _is_crowded(self) -> bool:
        """Return whether there may be many rows that no result rests on any more; looked at once in a while."""
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
        except BaseException as error:
            for each in (self._numbers, self._masks, self._answered):  # they may not have been written
                each.clear()
            if not isinstance(error, _UNUSABLE):
                raise
            self._note(error)

    def _read(self, rows: Iterable[tuple[Any, ...]], read: Callable[..., ReadT]) -> Iterator[ReadT]:
        """Yield the contents of rows, without those that are not as they were written: the next run needs another
        database."""
        for row in rows:
            try:
                one = read(*row)
            except _NONE_OF_OURS:
                self._is_damaged = True
                continue
            yield one

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
    """Return whether an error means that a file is no database of ours, now or later."""
    if isinstance(error, UnicodeEncodeError):
        return False  # a name that we asked for
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


def _is_ours(folder: str) -> bool:
    """Return whether a folder is a cache, or one was made; what was begun and not finished is finished."""
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
    """Return whether a path, itself and not where it leads, is of a kind, or nothing at all."""
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
        there = dict(
            connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'sqlite_sequence'"
            )
        )
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


# ---- rows


def _installation(key: str, watched: str, catalogue: str, seal: str) -> tuple[dict[str, str], Catalogue]:
    _check(seal, key, watched, catalogue)
    stamps = {str(path): str(seen) for path, seen in json.loads(watched).items()}
    return stamps, Catalogue.from_data(json.loads(catalogue))


def _remembered(file: str, terms: str, day: int, inputs: bytes, result: str, seal: str) -> Remembered:
    _check(seal, file, terms, inputs.hex(), result)
    return Remembered(file, terms, day, int.from_bytes(inputs, "little"), result_of(json.loads(result), file))


def _input(number: int, kind: str, path: str, was: str, seen: str, seal: str) -> tuple[int, str, str, str, str]:
    _check(seal, str(number), kind, path, was)
    if kind not in INPUTS:
        raise ValueError(kind)
    return number, kind, path, was, seen


def _answer(number: int, query: str, was: str) -> tuple[Query, str]:
    if number != _id(query, was):
        raise ValueError(number)
    data = json.loads(query)
    if not isinstance(data, list) or not data:
        raise TypeError(query)
    return tuple(tuple(map(str, part)) if isinstance(part, list) else str(part) for part in data), was


def _is_text(name: str) -> bool:
    """Return whether a database can hold a name: those of files need not be text."""
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


def _mask(numbers: Iterable[int]) -> int:
    """The number in which these bits are set."""
    bits = bytearray()
    for number in numbers:
        if number >> 3 >= len(bits):
            bits += bytes((number >> 3) + 1 - len(bits))
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def _bytes(mask: int) -> bytes:
    return mask.to_bytes((mask.bit_length() + 7) // 8, "little")


def _packed(ids: Iterable[int]) -> bytes:
    return zlib.compress(array.array("q", sorted(ids)).tobytes(), 1)


def _ids(packed: bytes) -> tuple[int, ...]:
    """Unpack the ids that `_packed` packed. Raises `ValueError`, `TypeError` or `zlib.error` for what is none."""
    ids, unpacking = array.array("q"), zlib.decompressobj()
    ids.frombytes(unpacking.decompress(packed, MOST_IDS * ids.itemsize))
    if not unpacking.eof:
        raise ValueError(packed)
    return tuple(ids)
