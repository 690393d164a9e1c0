"""The errors in what a program has printed: tracebacks of Python, notebooks and test runners, and what stands around
them. Each line is looked at once."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gradlint.frozen import frozen

MOST_ERRORS = 2_000
"""The most errors that are kept, the last ones."""
MOST_FRAMES = 200
LONGEST = 4_000
"""The most characters of a line that are looked at."""
MOST_LINES = 15
"""The most lines of a message that are kept."""

_ROW_END = re.compile(r"\r\n?|\n")
_PAINT = re.compile(r"\x1b\[[0-9;:?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)?|\[\d{1,3}+(?:;\d{1,3}+){0,5}+m")
"""The codes that colour text or link it; also where the character that begins them is lost."""
_PREFIX = re.compile(
    r"\A[ \t]*+(?:(?P<process>\[(?:rank|default)?\d{1,6}+\]:? ?|rank ?\d{1,6}+: ?|\d{1,6}+: "
    r"|\([^()]{0,80}pid=[^()]{1,80}\) ?|[\w.-]{1,40}+ ++\| ?)|\d{4}-\d\d-\d\d[T ][\d:.,]{8,20}+Z? ?)"
)
"""The text that launchers and loggers put before each line."""
_QUOTE = re.compile(r"\A[ \t]*+(?:[>|] ?|E {2,12}+){1,5}+")
"""The text that mails, groups of exceptions and test runners put before a line."""
_HEAD = "Traceback (most recent call last)"
_FRAMES = {
    "Python": re.compile(r"""\AFile ["'](?P<file>[^"']{1,2000})["'], line (?P<row>\d{1,9}+)"""),
    "notebook": re.compile(r"""\AFile (?P<file>[^\s"'](?:(?!:\d{1,9}(?:, in |$)).)*+):(?P<row>\d{1,9}+)(?:, in |$)"""),
    "test runner": re.compile(
        r"\A(?P<file>\S(?:(?!\.pyi?:\d).)*+\.pyi?):(?P<row>\d{1,9}+): (?:in \S|[A-Z]\w*+(?::|$)|$)"
    ),
}
_CELL = re.compile(r"\A(?:(?:Cell )?In ?\[\d*+\]|<ipython-input-).{0,200}")
_FILE_ALONE = re.compile(r"\A(?P<file>\S(?:(?!\.pyi? in ).)*+\.pyi?) in \S")
"""The place of a frame of an older notebook: the row follows behind an arrow."""
_ARROW = re.compile(r"\A-{2,}+> ?(?P<row>\d{1,9}+)(?P<text>.*)$")
_NUMBERED = re.compile(r"\A[ \t]*+\d++(?:[ \t]|$)")
"""A line of source beside the one meant, as notebooks show it."""
_ERROR = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_][\w.]*+)(?:: +|:?$)")
_ENDS = ("Error", "Exception", "Warning", "Failed", "Interrupt", "Exit")
_NOT_A_MESSAGE = ("except ", "raise ", "class ", "from ", "import ")
_CHAINED = ("During handling of the above", "The above exception was")


@frozen()
class Frame:
    """A place that an error came through, and its line of source, where that is shown."""

    file: str
    row: int
    text: str = ""


@frozen()
class Raised:
    """An error or a warning: its name (nothing, where only the message is known), its message in one line, and the
    places it came through, innermost last."""

    error: str
    message: str
    frames: tuple[Frame, ...] = ()

    @property
    def name(self) -> str:
        """The name without the module it is in."""
        return self.error.rpartition(".")[2]


@dataclass(slots=True)
class _Open:
    """The traceback that is being read of one of several mixed processes; `whole`: nothing is added to the message."""

    frames: list[Frame] = field(default_factory=list)
    file: str = ""
    error: str = ""
    lines: list[str] = field(default_factory=list)
    whole: bool = False
    ended: bool = False

    def take(self, frame: Frame) -> None:
        """Note another place; behind an error that has ended it is one of the next."""
        if self.ended:
            self.frames, self.ended = [], False
        self.frames = [*self.frames[-MOST_FRAMES:], frame]

    def show(self, text: str) -> None:
        """Note the line of source of the last place."""
        if self.frames and not self.frames[-1].text and text.strip(" ~^-|"):
            self.frames[-1] = replace(self.frames[-1], text=text.strip())

    def begin(self, error: str, message: str) -> None:
        """Note the name of an error and the first line of its message."""
        self.error, self.lines, self.whole = error, [message], False

    def close(self) -> Iterator[Raised]:
        """The error that ends here."""
        if self.error:
            yield Raised(self.error, one_line(self.lines), tuple(self.frames))
            self.error, self.ended = "", True


def raised(text: str) -> list[Raised]:
    """All errors and warnings in a text, in the order in which they end."""
    opened: dict[str, _Open] = {}
    found: deque[Raised] = deque(maxlen=MOST_ERRORS)
    for line in rows(text):
        process, rest = _parted(line)
        one = opened.get(process)
        if one is None:
            if len(opened) >= MOST_FRAMES:
                opened.clear()
            one = opened[process] = _Open()
        found.extend(_read(one, rest))
    for one in opened.values():
        found.extend(one.close())
    return list(found)


def passages(text: str, most: int = 2_000, height: int = 3) -> Iterator[str]:
    """Yield the passages of a few lines in a row, the last first: messages without the name of their error."""
    lines = [rest.strip() for line in rows(text)[-most:] if (rest := _parted(line)[1]).strip()]
    for last in range(len(lines), 0, -1):
        yield one_line(lines[max(0, last - height) : last])


def rows(text: str) -> list[str]:
    """The lines of a text without what paints them, each as far as it is looked at."""
    cut = (line[:LONGEST] for line in _ROW_END.split(text))
    return [_PAINT.sub("", line) if "[" in line or "\x1b" in line else line for line in cut]


def one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _parted(line: str) -> tuple[str, str]:
    """Return the process that has written a line, and the line."""
    process = ""
    for _ in range(3):
        found = _PREFIX.match(line)
        if found is None:
            break
        process, line = process + (found["process"] or "").strip(), line[found.end() :]
    quote = _QUOTE.match(line)
    return process, line[quote.end() :] if quote else line


def _read(one: _Open, line: str) -> Iterator[Raised]:
    """Read a line, and yield the errors that end with it."""
    bare = line.strip()
    named = _error(bare)
    if _HEAD in line:
        yield from one.close()
        one.frames, one.ended = [], False
    elif frame := _frame(one, bare):
        yield from _at(one, frame, bare, named)
    elif not bare or bare.startswith(_CHAINED):
        one.whole = True
    elif named:
        yield from one.close()
        one.begin(*named)
    elif one.error:
        if not one.whole and len(one.lines) < MOST_LINES:
            one.lines.append(bare)
    elif line.startswith((" ", "\t")) and not _NUMBERED.match(line):
        one.show(line)


def _at(one: _Open, frame: Frame, bare: str, named: tuple[str, str] | None) -> Iterator[Raised]:
    """Yield the errors that end with a line that names a place: test runners name it last, warnings first."""
    if one.error and named == (one.error, ""):
        one.frames.append(frame)
        yield from one.close()
        return
    yield from one.close()
    one.take(frame)
    if named:
        one.frames = [frame]
        one.begin(*named)


def _frame(one: _Open, bare: str) -> Frame | None:
    """The place that a line names."""
    if arrow := _ARROW.match(bare):
        file, one.file = one.file, ""
        if file:
            return Frame(file, int(arrow["row"]), arrow["text"].strip())
        one.show(arrow["text"])
        return None
    for form in _FRAMES.values():
        if found := form.match(bare):
            one.file = ""
            return Frame(found["file"], int(found["row"]))
    if found := _FILE_ALONE.match(bare):
        one.file = found["file"]
    elif _CELL.match(bare):
        one.file = "<cell>"
    return None


def _error(bare: str) -> tuple[str, str] | None:
    """The error that a line names, and what it says of it."""
    if bare.startswith(_NOT_A_MESSAGE):
        return None
    for found in _ERROR.finditer(bare):
        if found["name"].endswith(_ENDS):
            return found["name"], bare[found.end() :]
    return None
