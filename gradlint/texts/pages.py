"""Pages in Markdown: their Python blocks, in order, as one program.

A page shows parts of programs, so a block that Python refuses is passed over: nobody can tell one that is wrong from
one that leaves out what does not matter. (ruff passes over those that it cannot format as well.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradlint.finding import Edit
from gradlint.frozen import frozen
from gradlint.texts import magics
from gradlint.texts.decoding import BOM, NEWLINE, decode, encode, rows
from gradlint.texts.displaying import all_displayed
from gradlint.texts.mapping import Part, SourceMap, Stretch, Text
from gradlint.texts.taking import check

MODULE, PARSER = "markdown_it", "markdown-it-py"
"""The parser of pages: the module and the distribution that has it."""
LANGUAGES = frozenset("python py python3 pycon ipython ipython3 {code-cell} {python}".split())

_LANGUAGE = re.compile(r"\{?[\w-]*\}?")
_PROMPT = re.compile(r"\A[ \t]*+(?:>>>|\.\.\.)(?: |$)")
_FIRST_PROMPT = re.compile(r"\A\s*+>>>(?: |$)", re.MULTILINE)
_OPTION = re.compile(r":[\w-]+:")
_OPTIONS = "---"


@frozen()
class _Row:
    """A row of a program: its number in the page, its text, and how many characters of the page stand before that."""

    number: int
    text: str
    indent: int


def read(data: bytes) -> Text:
    """Return the text to lint in a page. Raises `Unreadable` for one that is no text."""
    shown = decode(data)
    page = rows(shown)
    program, indents, parts = [""] * len(page), [0] * len(page), list[Part]()
    for block, source in _blocks(page):
        parts.append(Part(block[0].number, source, keeps_rows=any(row.indent for row in block)))
        for row, text in zip(block, source.split("\n"), strict=True):
            program[row.number - 1], indents[row.number - 1] = text, row.indent
    return Text("\n".join(program), shown, _source_map(indents), tuple(parts), of_examples=True)


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The bytes of a page with edits of its program, which do not overlap. Raises `CannotBeEdited`."""
    text = read(data)
    check(text, edits)
    page = text.shown.removeprefix(BOM)
    starts, length = [0, *(found.end() for found in NEWLINE.finditer(page))], [*map(len, rows(page)), 0]
    newline = next((found[0] for found in NEWLINE.finditer(page)), "\n")

    def offset(row: int, column: int) -> int:
        return starts[row - 1] + min(column - 1, length[row - 1]) if row <= len(starts) else len(page)

    for edit in sorted(edits, key=lambda each: each.place, reverse=True):
        _, place = text.source_map.located(edit.place)
        first, last = offset(place.row, place.column), offset(place.end_row, place.end_column)
        page = page[:first] + NEWLINE.sub(newline, edit.text) + page[last:]
    return encode(f"{text.shown[: len(text.shown) - len(text.shown.removeprefix(BOM))]}{page}")


def _source_map(indents: Sequence[int]) -> SourceMap:
    """Return the source map of a page, from what each row begins with."""
    before = [-1, *indents]
    changes = [at for at, indent in enumerate(indents) if indent != before[at]]
    return SourceMap(tuple(Stretch(at + 1, at + 1, indent=indents[at]) for at in changes))


def _blocks(page: Sequence[str]) -> Iterator[tuple[list[_Row], str]]:
    """The rows of each Python block, between its fences, and their program."""
    from markdown_it import MarkdownIt

    # What stands inside paragraphs is not looked at: some of it takes time with the square of its length.
    for token in MarkdownIt("commonmark").disable("inline").parse("\n".join(page)):
        language = _LANGUAGE.match(token.info.strip().lower())
        if token.type != "fence" or token.map is None or language is None or language[0] not in LANGUAGES:
            continue
        block = [_row(token.map[0] + 2 + at, text, page) for at, text in enumerate(token.content.split("\n")[:-1])]
        if language[0].startswith("{"):
            block = _without_options(block)
        is_session = _FIRST_PROMPT.match(token.content) is not None
        if is_session:
            block = [_without_prompt(row) for row in block]
        source = "\n".join(row.text for row in block)
        if block and magics.holds_python(source):
            program = magics.python_of(source)
            yield block, all_displayed(program) if is_session else program


def _row(number: int, text: str, page: Sequence[str]) -> _Row:
    """A row of a block; what the page has before it is the indentation of a list or the sign of a quotation. Where
    part of a tab belongs to that, the row begins with blanks for the rest, and all behind them is where it was."""
    return _Row(number, text, len(page[number - 1]) - len(text))


def _without_options(block: list[_Row]) -> list[_Row]:
    """A cell of a page without the options at its top."""
    at = 0
    if block and block[0].text == _OPTIONS:
        at = next((end + 1 for end, row in enumerate(block) if end and row.text == _OPTIONS), 0)
    while at < len(block) and _OPTION.match(block[at].text):
        at += 1
    return block[at:]


def _without_prompt(row: _Row) -> _Row:
    """A row of a session: what was typed, without its prompt; nothing of what was answered."""
    prompt = _PROMPT.match(row.text)
    return _Row(row.number, row.text[prompt.end() :], row.indent + prompt.end()) if prompt else _Row(row.number, "", 0)
