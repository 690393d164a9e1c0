"""Decoding of bytes to text, and back.

A text keeps every character of its file: newlines as they are, a byte order mark as its first character. Rows and
columns are those of the user's editor, so the mark takes no column.
"""

from __future__ import annotations

import codecs
import re

BOM = "\ufeff"
NEWLINE = re.compile(r"\r\n?|\n")
"""The end of a row for Python; `str.splitlines` knows more."""

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_NOT_FOR_SOURCE = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"})
"""Encodings of Python's own that are not for files: of names of hosts, and such as make other text of what one sees."""
_NEWLINE_BYTES = re.compile(rb"\r\n?|\n")


class Unreadable(Exception):
    """A file that is no Python program, with the place and the reason."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(row, column, message)
        self.row = row
        self.column = column
        self.message = message

    def __str__(self) -> str:
        return f"{self.row}:{self.column}: {self.message}"


def encoding(data: bytes) -> str:
    """The encoding that Python would read this file in: PEP 263. Raises `Unreadable` for one it does not know."""
    marked = data.startswith(codecs.BOM_UTF8)
    lines = _NEWLINE_BYTES.split(data.removeprefix(codecs.BOM_UTF8), maxsplit=2)[:2]
    for row, line in enumerate(lines, 1):
        if cookie := _COOKIE.match(line):
            return _known(cookie[1].decode("ascii", "replace"), marked, row)
        if not _BLANK.match(line):
            break
    return "utf-8"


def _known(name: str, marked: bool, row: int) -> str:
    try:
        codec = codecs.lookup(name)
        "".encode(name)
    except Exception as error:
        raise Unreadable(row, 1, f"SyntaxError: unknown encoding `{name}`") from error
    if codec.name.replace("_", "-") in _NOT_FOR_SOURCE:
        raise Unreadable(row, 1, f"SyntaxError: `{name}` is no encoding for source code")
    canonical = "utf-8" if codec.name == "utf-8-sig" else codec.name
    if marked and canonical != "utf-8":
        raise Unreadable(row, 1, f"SyntaxError: encoding `{name}` is declared in a file with a UTF-8 byte order mark")
    return canonical


def decode(data: bytes) -> str:
    """The text of a file, with nothing translated: a byte order mark and every newline stay. Raises `Unreadable`."""
    name = encoding(data)
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        row, column = _place_of_byte(data, error.start, name)
        byte = data[error.start : error.start + 1].hex()
        cure = "" if name != "utf-8" else "; save it as UTF-8 or declare its encoding in the first line"
        raise Unreadable(row, column, f"SyntaxError: byte 0x{byte} is not {name}{cure}") from error
    except Exception as error:
        raise Unreadable(1, 1, f"SyntaxError: the file cannot be decoded as {name}") from error


def encode(text: str) -> bytes:
    """The bytes of a text that `decode` gave, in the encoding it declares."""
    return text.encode(encoding(text.encode("utf-8", "surrogatepass")))


def _place_of_byte(data: bytes, offset: int, name: str) -> tuple[int, int]:
    lines = _NEWLINE_BYTES.split(data[:offset])
    try:
        before = lines[-1].decode(name, "replace")
    except UnicodeError:  # a few codecs know no replacing
        before = lines[-1].decode("latin-1")
    return len(lines), len(before.removeprefix(BOM)) + 1


def rows(text: str) -> list[str]:
    """The rows of a text as an editor shows them: without newlines and byte order mark."""
    return NEWLINE.split(text.removeprefix(BOM))


def with_line_feeds(program: str) -> str:
    return NEWLINE.sub("\n", program) if "\r" in program else program
