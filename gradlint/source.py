"""Source: from bytes to text, from text to a tree, and from nodes to places.

A text keeps every character of its file: newlines as they are, a byte order mark as its first character. Rows and
columns are those of the user's editor, so the mark takes no column.
"""

from __future__ import annotations

import ast
import codecs
import re
import threading
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

import libcst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from gradlint.finding import Place

BOM = "\ufeff"
NEWLINE = re.compile(r"\r\n?|\n")
"""What ends a row for Python; `str.splitlines` knows more."""

LIBCST_REFUSES = "Python parses what LibCST refuses"
TOO_DEEP = "nested too deeply to be parsed"

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_NEWLINE_BYTES = re.compile(rb"\r\n?|\n")

_SUSPICIOUS_DEPTH = 100
"""Brackets nested deeper than this are first shown to Python, which refuses more than 200; LibCST's parser needs
seconds for 800 and its stack overflows at about 1,000."""
_LONG_TEXT = 10_000
"""Longer texts can nest, without brackets (`elif`, `and`), as deep as overflows the stack of the main thread."""
_DEEP_STACK = 512 * 1024 * 1024
_BRACKETS_AND_STRINGS = re.compile(
    r"""[(\[{]|[)\]}]|\#[^\n\r]*"""
    r"""|\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^\\\n]|\\.)*?"|'(?:[^\\\n]|\\.)*?'""",
    re.DOTALL,
)
_one_stack_size_at_a_time = threading.Lock()


class Unreadable(Exception):
    """A file that is no Python program, with the place and the reason."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(row, column, message)
        self.row = row
        self.column = column
        self.message = message

    def __str__(self) -> str:
        return f"{self.row}:{self.column}: {self.message}"


# ---- bytes to text


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


# ---- text to tree


def parse(text: str) -> libcst.Module:
    """The tree of a text, with all its newlines as line feeds: LibCST refuses a last row that is continued by another.

    Raises `Unreadable` where Python or LibCST refuses the text.
    """
    program = _with_line_feeds(text.removeprefix(BOM))
    if "\0" in program:  # LibCST takes them in strings
        raise _at_null_byte(program)
    if _bracket_depth(program) > _SUSPICIOUS_DEPTH and (error := _error_of_python(program)):
        raise error
    if len(program) <= _LONG_TEXT:
        return _parse_here(program)
    return _on_deep_stack(lambda: _parse_here(program))


def _with_line_feeds(program: str) -> str:
    return NEWLINE.sub("\n", program) if "\r" in program else program


def _parse_here(program: str) -> libcst.Module:
    try:
        return libcst.parse_module(program)
    except (KeyboardInterrupt, SystemExit):
        raise
    except (RecursionError, MemoryError):
        raise Unreadable(1, 1, TOO_DEEP) from None
    except BaseException:  # a panic of the native parser is a BaseException
        raise (_error_of_python(program) or Unreadable(1, 1, LIBCST_REFUSES)) from None


def _bracket_depth(program: str) -> int:
    depth = deepest = 0
    for match in _BRACKETS_AND_STRINGS.findall(program):
        if match in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif match in ")]}" and depth:
            depth -= 1
    return deepest


def _error_of_python(program: str) -> Unreadable | None:
    """What Python says of a text it does not parse; None for one it parses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(program)
    except SyntaxError as error:
        return Unreadable(max(error.lineno or 1, 1), max(error.offset or 1, 1), f"{type(error).__name__}: {error.msg}")
    except (RecursionError, MemoryError):
        return Unreadable(1, 1, TOO_DEEP)
    except ValueError as error:
        return Unreadable(1, 1, f"SyntaxError: {error}")
    return None


def _at_null_byte(program: str) -> Unreadable:
    before = NEWLINE.split(program[: program.index("\0")])
    return Unreadable(len(before), len(before[-1]) + 1, "SyntaxError: source code cannot contain null bytes")


def _on_deep_stack(work: Callable[[], libcst.Module]) -> libcst.Module:
    """The result of `work`, done in a thread whose stack a deeply nested text does not overflow."""
    results: list[libcst.Module] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with _one_stack_size_at_a_time:
        before = threading.stack_size(_DEEP_STACK)
        try:
            thread.start()
        except RuntimeError:  # no room for such a stack
            return work()
        finally:
            threading.stack_size(before)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


# ---- nodes to places


def places(module: libcst.Module, text: str, nodes: Iterable[libcst.CSTNode]) -> dict[libcst.CSTNode, Place]:
    """Where each of these nodes that belong to a tree stands in the text it was parsed from.

    Raises `Unreadable` for a tree so deep that LibCST cannot write it out.
    """
    wanted = list(nodes)
    if not wanted:
        return {}
    try:
        ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
        code = module.code
    except RecursionError:
        raise Unreadable(1, 1, TOO_DEEP) from None
    program = _with_line_feeds(text.removeprefix(BOM))
    if code == program:
        return {node: _place(ranges[node]) for node in wanted if node in ranges}
    written, read = _Ink(code), _Ink(program)
    return {node: _carried(_place(ranges[node]), written, read) for node in wanted if node in ranges}


def _place(extent: CodeRange) -> Place:
    return Place(extent.start.line, extent.start.column + 1, extent.end.line, extent.end.column + 1)


class _Ink:
    """The characters of a text that are not blank, by their order.

    LibCST forgets blank ones that stand before a statement: form feeds in indentation, backslashes that continue
    an empty line. Every piece of syntax that has an extent begins and ends with ink.
    """

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.offsets = [match.start() for match in re.finditer(r"[^\s\\]", text)]

    def before(self, row: int, column: int) -> int:
        """How many of them stand before a place."""
        return bisect_left(self.offsets, self.starts[row - 1] + column - 1)

    def place(self, number: int, after: int = 0) -> tuple[int, int]:
        """Row and column of the one with this number, or of what follows it directly."""
        offset = self.offsets[number] + after
        row = bisect_right(self.starts, offset)
        return row, offset - self.starts[row - 1] + 1


def _carried(place: Place, written: _Ink, read: _Ink) -> Place:
    """A place in what LibCST writes, carried over to what it read."""
    first = written.before(place.row, place.column)
    last = written.before(place.end_row, place.end_column) - 1
    if first > last or len(written.offsets) != len(read.offsets):
        return place
    return Place(*read.place(first), *read.place(last, after=1))
